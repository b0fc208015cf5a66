"""The trained reader: what a message states and asks, learned from labelled messages (K4–K7).

`read.py` is the way of a message; `make reader` trains the weights that it uses.
"""
