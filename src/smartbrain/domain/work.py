"""The kinds of work that outside agents and models take from the queue (C9).

Each names what is asked of them. Not how work is leased, and not what becomes of an answer.
"""

from __future__ import annotations

from enum import StrEnum


class WorkKind(StrEnum):
    """What an agent is asked to do."""

    EXTRACT = "extract"  # claim what the user says in a turn
    VERIFY = "verify"  # settle which of two contradicting facts holds
    LINK = "link"  # relate new memories to other nodes
    SUMMARISE = "summarise"  # write a session's working summary in better words
    EMBED = "embed"  # make vectors of memories
