"""A piece of evidence: lines of one session, or what stands alone, and how it reads (R17).

In: candidates with as much of their text as is shown. Out: evidence with its lines in order, a mark
where some are left out, and a date where the day changes. Nothing is chosen here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from smartbrain.domain.context import ContextEvidence

if TYPE_CHECKING:
    from smartbrain.compose.candidates import Candidate
    from smartbrain.domain.evidence import EvidenceProvenance
    from smartbrain.domain.plan import QueryMode

GAP: Final = "…"
"""What stands for lines that are left out."""
_WORTH: Final = attrgetter("hit", "score")
Line = tuple["Candidate", str]
"""A candidate, and as much of its text as is shown."""


@dataclass(slots=True, eq=False)
class Passage:
    """Lines of one session, or one thing that stands alone, and what it costs without them."""

    lines: list[Line] = field(default_factory=list)
    characters: int = 0
    day: int | None = None
    """The day of all lines; None while there are none, and where they are of several days."""
    turns: set[int] = field(default_factory=set)
    cost: float = 0.0
    """The tokens of it, where it is one thing that stands alone."""

    @property
    def best(self) -> Candidate:
        """The line that brought it."""
        return max([line for line, _ in self.lines], key=_WORTH)

    def in_order(self) -> list[Line]:
        """Return the lines as they were said."""
        return sorted(self.lines, key=lambda each: each[0].place)

    def dates_for(self, one: Candidate) -> int:
        """Return how many more lines say their date if another one, of another day, is taken."""
        held = sorted([(line.place, line.day) for line, _ in self.lines])
        more = sorted([*held, (one.place, one.day)])
        return _changes(more) - _changes(held)

    def add(self, one: Candidate, text: str, characters: int) -> None:
        """Take a line with so much of its text; all of it takes so many characters."""
        if one.day != self.day:
            self.day = None if self.lines else one.day
        self.lines.append((one, text))
        self.characters += characters
        self.turns.add(one.place[0])


def spoken_line(one: Candidate, text: str) -> str:
    """Return a text with who says it."""
    return f"{one.speaker}: {text}" if one.speaker else text


def _changes(lines: Sequence[tuple[tuple[int, int], int]]) -> int:
    """Return how often the day changes from line to line."""
    return sum(before[1] != after[1] for before, after in pairwise(lines))


def passage_evidence(
    best: Candidate,
    lines: Iterable[Line],
    found_by: Mapping[QueryMode, EvidenceProvenance],
) -> ContextEvidence:
    """Return a passage as evidence: its lines in order, with a mark where some are left out.

    When its first line was said, and by whom, is told apart.
    """
    (first, text), *more = lines
    parts = [text]
    turn, day = first.place[0], first.day
    for line, text in more:
        before, turn = turn, line.place[0]
        if turn - before > 1:
            parts.append(GAP)
        said = spoken_line(line, text)
        if line.day != day:
            day = line.day
            if line.at:
                said = f"{line.at.date().isoformat()}, {said}"
        parts.append(said)
    mode = best.mode
    return ContextEvidence(
        id=best.id,
        source=best.source,
        source_uri=best.source_uri,
        title=best.title,
        snippet="\n".join(parts),
        mode=mode,
        score=round(min(1.0, max(0.0, best.score)), 4),
        signals=best.signals,
        provenance=None if mode is None else found_by[mode],
        ref=best.ref,
        at=first.at,
        speaker=first.speaker,
    )
