"""`memctl`, the command line: every command is a few lines over the Python API.

People get tables and progress; programs get the same with `--json`.
"""
