"""The text index in its shortest correct form: every document is looked at in every search.

In: documents and queries. Out: what any text index has to answer, scores included. For tests, and
to hold a real index against; slow, and its files are plain JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from smartbrain.domain.search import (
    Apart,
    Facets,
    IndexFilter,
    Scored,
    TextDocument,
    TextQuery,
    TextStats,
)
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.text_index import check_documents, check_search
from smartbrain.text.bm25 import (
    clauses,
    crowded,
    length_norm,
    phrase_gain,
    ranked,
    saturation,
    typical_length,
)
from smartbrain.text.query import weigh

_FILE: Final = "index.json"


@dataclass(frozen=True, slots=True)
class _Held:
    """A document as it is searched: how often each term counts, its words in order, its facets."""

    counts: dict[str, int]
    words: list[str]
    facets: Facets

    @property
    def length(self) -> int:
        return sum(self.counts.values())

    def says(self, phrase: tuple[str, ...]) -> bool:
        """Tell whether the phrase stands in the words."""
        starts = range(len(self.words) - len(phrase) + 1)
        return any(tuple(self.words[start : start + len(phrase)]) == phrase for start in starts)


class MemoryTextIndex:
    """The port over a dictionary."""

    def __init__(self) -> None:
        self._held: dict[int, _Held] = {}
        self._saved: set[int] = set()
        self._removed = 0
        self._typical: int | None = None

    def upsert(self, documents: Sequence[TextDocument]) -> None:
        """Keep documents by their number."""
        check_documents(documents)
        for document in documents:
            self.remove([document.num])
            weighed = weigh(document)
            self._held[document.num] = _Held(weighed.counts, weighed.words, document.facets)

    def remove(self, nums: Sequence[int]) -> None:
        """Drop documents."""
        for num in nums:
            self._held.pop(num, None)
            if num in self._saved:
                self._saved.remove(num)
                self._removed += 1

    def search(
        self,
        query: TextQuery,
        *,
        k: int,
        only: IndexFilter | None = None,
        apart: Apart | None = None,
    ) -> list[Scored]:
        """Score every document; with `apart` once more for each kind."""
        check_search(query, k, only)
        found = self._best(query, k, only or IndexFilter())
        if apart is None or not crowded(found, k, apart.least):
            return found
        best = dict.fromkeys(found)
        for kind in apart.kinds:
            own = replace(only or IndexFilter(), types=kind)
            best |= dict.fromkeys(self._best(query, apart.each, own))
        return ranked([(score, num) for num, score in best], len(best))

    def _best(self, query: TextQuery, k: int, admitted: IndexFilter) -> list[Scored]:
        gains = clauses(query.terms, len(self._held), self._holding)
        phrases = [
            (one.terms, phrase_gain(one.terms, one.weight, len(self._held), self._holding))
            for one in query.should
        ]
        hits = []
        for num, held in [*self._held.items()]:
            norm = length_norm(held.length, self._typical_length())
            found = [
                gain * saturation(held.counts[term], norm)
                for term, gain in gains
                if term in held.counts
            ]
            said = [gain for phrase, gain in phrases if held.says(phrase)]
            found += said
            asked = bool(query.terms or query.should)
            telling = any(term in held.counts for term, _ in gains if term not in query.faint)
            answers = (telling or bool(said)) if asked else bool(query.must)
            if answers and all(map(held.says, query.must)) and admitted.admits(held.facets):
                hits.append((sum(found), num))
        return ranked(hits, k)

    def save(self, folder: Path | None) -> None:
        """Fix the typical length and write everything."""
        self._typical = self._present_length()
        self._saved = set(self._held)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            documents = [
                [num, held.counts, held.words, held.facets.to_dict()]
                for num, held in [*self._held.items()]
            ]
            saved = {"typical": self._typical, "removed": self._removed, "documents": documents}
            (folder / _FILE).write_text(json.dumps(saved), encoding="utf-8")

    def compact(self, folder: Path | None) -> None:
        """Save, and forget that anything was removed."""
        self._removed = 0
        self.save(folder)

    def load(self, folder: Path) -> None:
        """Read what was saved."""
        try:
            saved: dict[str, Any] = json.loads((folder / _FILE).read_text(encoding="utf-8"))
            held = {
                num: _Held(counts, words, Facets.from_dict(facets))
                for num, counts, words, facets in saved["documents"]
            }
        except (OSError, ValueError, KeyError, UsageError) as error:
            raise AdapterError(
                f"{folder} is no saved text index: {error}", code="corrupt"
            ) from error
        self._held, self._saved = held, set(held)
        self._removed, self._typical = saved["removed"], saved["typical"]

    def holding(self, terms: Sequence[str]) -> list[int]:
        """Count the documents that hold each term."""
        return [sum(term in held.counts for held in [*self._held.values()]) for term in terms]

    def stats(self) -> TextStats:
        """Count."""
        return TextStats(
            documents=len(self._held),
            unsaved=len(self._held.keys() - self._saved),
            removed=self._removed,
            typical_length=self._typical_length(),
        )

    def _holding(self, term: str) -> int:
        return sum(term in held.counts for held in [*self._held.values()])

    def _present_length(self) -> int:
        tokens = sum(held.length for held in [*self._held.values()])
        return typical_length(tokens, len(self._held))

    def _typical_length(self) -> int:
        return self._present_length() if self._typical is None else self._typical
