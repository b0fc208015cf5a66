"""What all surfaces share: the verbs with their arguments and results, and how errors look outside.

One table of verbs and one of errors, so that every surface takes and answers alike.
"""
