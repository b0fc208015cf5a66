"""The arms of recall: each looks in one view and returns numbers with scores.

An arm knows nothing of the others and ranks nothing: `gather` asks them, `fuse` weighs them.
"""
