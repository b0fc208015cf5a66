"""Whom a packet or a context is made for (R10).

A module of its own, because the public calls name it and must not load all that a packet is.
"""

from __future__ import annotations

from enum import StrEnum


class Audience(StrEnum):
    """Whom a packet is for: who answers the user, or who plans what to do."""

    RESPONDER = "responder"
    PLANNER = "planner"
