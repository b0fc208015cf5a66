"""What all surfaces share: how errors and records look outside.

One table from error to exit code, so that every surface answers alike.
"""
