"""The write path: a turn becomes events, then memories, edges and changes.

Follow `pipeline.py`; every stage it names is one function in one file beside it.
"""
