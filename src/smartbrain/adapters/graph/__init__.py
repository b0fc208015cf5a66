"""The graph index in numpy: compressed rows, a few changes beside them, and walks over both.

`index.NumpyGraph` implements the port. `records` says how an edge is written, `rows` holds the
sorted arrays, `graph` adds what changed since, `walk` spreads and `paths` searches.
"""
