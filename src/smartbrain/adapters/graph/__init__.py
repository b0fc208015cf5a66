"""The graph index in numpy: compressed rows, a few changes beside them, and walks over both.

`index.NumpyGraph` implements the port, spreads and searches; `rows` holds the sorted arrays and
what changed since.
"""
