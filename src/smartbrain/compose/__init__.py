"""Composing: a memory packet and documents become one context, slot by slot, within a budget.

In: a session, a message, an agent's state. Out: a `ContextPackage`. Start at `pipeline`.
"""
