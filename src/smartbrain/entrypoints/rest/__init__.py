"""The HTTP server: every verb under `/v1`, the graph memory calls under `/memory`, and the proxy.

`app` puts it together, `access` keeps out who may not come in, `keys` holds who may, `graph_calls`
reads the bodies of the graph memory specification.
"""
