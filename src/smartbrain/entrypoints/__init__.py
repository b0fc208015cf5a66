"""The surfaces: the command line now; REST, gRPC, MCP, the proxy and the console have their place.

Each is a thin skin over `smartbrain.SmartBrain`; what they share is in `wire`.
"""
