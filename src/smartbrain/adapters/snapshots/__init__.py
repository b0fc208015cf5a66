"""Snapshots of views as folders of checked files.

`folder` is the store that `ports.snapshots` describes.
"""
