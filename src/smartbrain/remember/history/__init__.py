"""Reading chat histories: exports, logs and transcripts become turns with their own times.

`open_history` in `formats.py` is the way in; every format is one file beside it.
"""
