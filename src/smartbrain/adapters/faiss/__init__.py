"""Vector search: numpy's exact scan, and faiss where it is installed.

`exact.ExactVectors` needs numpy alone; `approximate.FaissVectors` adds faiss to it. Both keep the
vectors themselves in `files` and write the same files, so that either reads what the other saved.
faiss never reads a file: what it trained is kept in plain checked arrays and given back to it.
"""
