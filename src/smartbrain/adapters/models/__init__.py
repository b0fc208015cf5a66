"""Models behind ports: embedders on a local ONNX folder, an HTTP service or fastembed.

Each module brings its own library and is imported only by who uses it. `parse` reads what a caller
wrote, `routed` sends a text to those embedders that serve its language.
"""
