"""Pure functions on Chinese, English and mixed text.

Strings go in, values come out: nothing here reads a file, a clock or a setting, and nothing here
knows what the text is for.
"""
