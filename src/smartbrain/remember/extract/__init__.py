"""Extraction by rules: one file a memory type, for Chinese and English (C6).

`find` reads as the list of finders; `said` cuts a message into what they look at.
"""
