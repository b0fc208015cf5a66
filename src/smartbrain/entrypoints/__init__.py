"""The surfaces: the command line, HTTP, MCP, hooks of coding agents and the proxy before a model.

Each is a thin skin over `smartbrain.SmartBrain`; what they share is in `wire`.
"""
