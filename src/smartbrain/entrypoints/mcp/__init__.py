"""The MCP server: ten tools that a model can choose between, resources and prompts.

`tools` says what they are and does them, `server` speaks the protocol.
"""
