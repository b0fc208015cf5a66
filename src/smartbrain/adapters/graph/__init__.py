"""The graph index in numpy: compressed rows, a small delta, and spreading over both.

`index.NumpyGraph` is the port's implementation; `rows` holds the arrays, `walk` the spreading.
"""
