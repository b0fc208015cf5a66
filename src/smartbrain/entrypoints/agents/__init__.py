"""Coding agents and desktop clients: how SmartBrain is put into each, and what their hooks say.

`clients` knows where each keeps its settings and changes these with care, `hooks` answers the
events that an agent runs commands at.
"""
