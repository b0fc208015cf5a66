"""Rerankers for tests: one that needs no model, and one that follows a script.

In: a question and texts in any language. Out: the share of the question's pieces that a text has,
or the next line of the script, be it scores or an error. Not for production.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from threading import Lock

from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.ports.reranker import readable


class PieceReranker:
    """Scores by pairs of characters in common: spelling, not meaning."""

    name = "pieces"

    def __init__(self) -> None:
        self.closed = False

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the share of the question's pieces in each text, from 0 to 1."""
        if self.closed:
            raise UsageError("the reranker is closed; open it again", code="closed")
        asked = _pieces(readable(query))
        return [len(asked & _pieces(readable(text))) / len(asked) for text in texts]

    def close(self) -> None:
        """Refuse work from now on."""
        self.closed = True


class ScriptedReranker:
    """Gives one line of its script a call, the last one for ever; an error is raised."""

    name = "scripted"

    def __init__(self, script: Iterable[Sequence[float] | SmartBrainError]) -> None:
        self._script = list(script)
        self._lock = Lock()
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return or raise what the script says next."""
        with self._lock:
            self.asked.append((query, tuple(texts)))
            line = self._script[min(len(self.asked), len(self._script)) - 1]
        if isinstance(line, SmartBrainError):
            raise line
        return list(line)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


def _pieces(text: str) -> set[str]:
    """Return the pairs of neighbouring characters of a text, whatever its case and width."""
    words = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return {words[at : at + 2] for at in range(max(1, len(words) - 1))}
