"""Rules for what has form: declared, confirmed, listed and handed-over words, tool results.

Everything else that a message states is found by the trained reader beside this package.
"""
