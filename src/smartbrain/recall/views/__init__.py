"""Views: indexes that follow the truth and can be built anew from it at any time.

`view` says what a view is, one module each knows how rows become entries of an index, `follow`
keeps them in step, opens them from snapshots and writes these.
"""
