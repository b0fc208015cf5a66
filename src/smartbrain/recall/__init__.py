"""The read path: a message becomes the few memories that help to answer it.

`views` keeps the indexes in step with the truth; `search` asks them.
"""
