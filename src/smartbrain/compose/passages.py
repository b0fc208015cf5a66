"""Choosing evidence: the most worth for the tokens there are (R16, R17).

In: candidates and a number of tokens. Out: pieces of evidence, each within its own length. Lines of
one session become one passage, so that many short quotes cost one heading; lines that are left out
leave a mark, and a line of another day than the one before it says its date. Choosing can go on
with more tokens; what was taken stays. Every trim and refusal leaves a reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, pairwise
from operator import attrgetter
from typing import Final

from smartbrain.compose.candidates import FACTS, GROUPS, Candidate
from smartbrain.compose.counting import JOINT, PricedCounter
from smartbrain.compose.shorten import MARK, Level, SoughtWord, excerpt
from smartbrain.domain.context import ContextEvidence, EvidenceSource
from smartbrain.domain.evidence import EvidenceProvenance
from smartbrain.domain.plan import QueryMode
from smartbrain.domain.policy import CompositionRules
from smartbrain.domain.reason import Reason
from smartbrain.domain.rendered import closing_line, evidence_line

_MIN_QUOTE: Final = 300  # characters
_QUOTES: Final = 28  # quotes that the budget is cut into
_CHARACTERS: Final = 4  # of a token, about
_GAP_TOKENS: Final = JOINT + 2  # at most
_MIN_TOKENS: Final = 8  # with fewer left nothing has room
_MIN_FIRST: Final = ((Level.HIGHLIGHTS, 80), (Level.REFERENCE, 40))  # characters
_LONGEST_TOKEN: Final = 8  # characters, at most, in any prose
_DATE: Final = "2026-01-01, "
_TOLD: Final = ("told_by_turn", "what is shown of its turn says it")
_FRAME: Final = len(MARK) + 4  # characters around a line, besides who says it
_WORTH: Final = attrgetter("hit", "score")
Line = tuple[Candidate, str]
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

    def count_dates(self, one: Candidate) -> int:
        """Return how many more lines say their date if another one is taken."""
        if one.day == self.day:
            return 0
        held = sorted([(line.place, line.day) for line, _ in self.lines])
        more = sorted([*held, (one.place, one.day)])
        now, then = (sum(a[1] != b[1] for a, b in pairwise(days)) for days in (held, more))
        return then - now

    def add(self, one: Candidate, text: str, characters: int) -> None:
        """Take a line with so much of its text; all of it takes so many characters."""
        if one.day != self.day:
            self.day = None if self.lines else one.day
        self.lines.append((one, text))
        self.characters += characters
        self.turns.add(one.place[0])


@dataclass(slots=True)
class EvidenceChoice:
    """What was chosen so far, and from what; `ignored` fills with what was cut and why."""

    waiting: list[Candidate]
    words: Sequence[SoughtWord]
    rules: CompositionRules
    count: PricedCounter
    most: int
    passages: list[Passage] = field(default_factory=list)
    ignored: list[Reason] = field(default_factory=list)
    quotas: dict[EvidenceSource, int] = field(default_factory=dict)
    _sessions: dict[str, list[Passage]] = field(default_factory=dict)
    _opened: Counter[EvidenceSource] = field(default_factory=Counter)
    _said: defaultdict[str | None, list[str]] = field(default_factory=lambda: defaultdict(list))
    _quotes: dict[tuple[Candidate, int], tuple[str, int]] = field(default_factory=dict)
    _facts: defaultdict[str | None, list[Passage]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _changes: int = 0  # how often a place was taken or became free

    def take(self, room: float, *, shown: Collection[str] = (), for_first: float = 0.0) -> float:
        """Choose what fits into so many tokens, and return what it costs."""
        size = max(_MIN_QUOTE, int(_CHARACTERS * room / _QUOTES))
        size = min(size, self.rules.max_snippet_chars)
        left = room
        told, most = frozenset(shown), self.most
        sessions, passages = self._sessions, self.passages
        changes = -1
        while changes < self._changes:  # beside a hit there is a place once it is taken
            changes = self._changes
            passed = []
            for one in self.waiting:
                # Most come when all places are taken, which is quick to see.
                may_open = one.hit and len(passages) < most and self._may_open(one)
                turn = one.turn_id
                there = left if passages else max(left, for_first)
                if (
                    (may_open or one.session in sessions)
                    and there > _MIN_TOKENS
                    and turn not in told
                    and (cost := self._take(one, there, size, may_open))
                ):
                    left -= cost
                    if turn in self._facts:
                        left += self._withdraw_facts(turn)
                else:
                    passed.append(one)
            self.waiting = passed
        return room - left

    def wants_more(self) -> bool:
        """Tell whether more tokens would bring something that was found itself."""
        full = len(self.passages) >= self.most
        return not full and any(one.hit for one in self.waiting)

    def close(self, shown: Collection[str]) -> None:
        """Say of everything that is left why it stays out."""
        for one in [one for one in self.waiting if one.hit]:
            if one.turn_id in shown:
                code, sentence = "shown", "its turn is among the recent ones"
            elif self._is_told(one):
                code, sentence = _TOLD
            elif self._is_capped(one):
                code, sentence = "diversity", "enough comes from its document or source"
            elif not self._has_place(one):
                share, of_all = self.quotas.get(one.source, self.most), "evidence_max_items"
                code, sentence = (
                    "over_limit",
                    f"{of_all}, {self.most}, are shown; raise it for more",
                )
                if len(self.passages) < self.most:
                    sentence = f"{one.source.value} may bring {share} of {of_all}, {self.most}"
            else:
                code, sentence = "over_budget", "there is no room left for it"
            self.ignored.append(_about(one, code, sentence))
        self.waiting = []

    def evidence(self, now: datetime, query: str) -> tuple[ContextEvidence, ...]:
        """Return what was chosen, group by group, what was said first before the rest."""

        def since(lines: Sequence[Line]) -> float:
            at = lines[0][0].at
            return at.timestamp() if at else 0.0

        order = sorted(
            [(best_line(lines), lines) for lines in self.quoted()],
            key=lambda each: (GROUPS.index(each[0].group), since(each[1]), each[0].id),
        )
        found_by = {
            mode: EvidenceProvenance(mode=mode, query_text=query, query_index=0, retrieved_at=now)
            for mode in {best.mode for best, _ in order}
            if mode is not None
        }
        return tuple([_passage_evidence(best, lines, found_by) for best, lines in order])

    def quoted(self) -> list[list[Line]]:
        """Return the lines of each piece of evidence, those of a session in their order."""
        most = self.rules.max_snippet_chars
        alone = [passage.lines for passage in self.passages if not passage.lines[0][0].session]
        return [
            *alone,
            *chain(*(_deal_lines(passages, most) for passages in self._sessions.values())),
        ]

    def _take(self, one: Candidate, room: float, characters: int, may_open: bool) -> float:
        """Take a candidate whole or shortened, and return what it costs; 0 if it has no room."""
        frame = _frame_size(one)
        for level, size in _quote_sizes(one, characters, first=not self.passages):
            if size > room * _LONGEST_TOKEN:
                continue
            home, dates = self._find_home(one, frame + size)
            if home is None and not may_open:
                continue
            kept = self._quotes.pop((one, size), None) if self._quotes else None
            if kept is None:
                text = one.text if len(one.text) <= size else excerpt(one.text, size, self.words)
                kept = text, self.count.line(_spoken_line(one, text))
            text, cost = kept[0], kept[1] + JOINT
            if home is None:
                cost += self._opening_cost(one)
            else:
                turn, turns = one.place[0], home.turns
                beside = turn in turns or turn - 1 in turns or turn + 1 in turns
                gap = 0.0 if beside else _GAP_TOKENS
                cost += gap + (self.count(_DATE) * dates if dates else 0)
            if cost > room or not (one.session or not (self._is_told(one) or self._is_capped(one))):
                self._quotes[one, size] = kept  # there may be room for it later
                continue
            if home is None:
                home = Passage()
                self.passages.append(home)
                self._opened[one.source] += 1
                self._changes += 1
                if one.session:
                    self._sessions.setdefault(one.session, []).append(home)
            home.add(one, text, frame + len(text) + len(_DATE) * dates)
            if one.session:
                self._said[one.turn_id].append(text)
            elif one.group == FACTS:
                home.cost = cost
                self._facts[one.turn_id].append(home)
            if level is not Level.FULL and one.hit:
                sentence = f"{len(text)} of its {len(one.text)} characters are shown"
                self.ignored.append(_about(one, f"shortened_{level.value}", sentence))
            return cost
        return 0.0

    def _find_home(self, one: Candidate, characters: int) -> tuple[Passage | None, int]:
        """Return the passage with room for so many characters, and how many more dates it says."""
        most = self.rules.max_snippet_chars - characters
        for passage in self._sessions.get(one.session, ()):
            if passage.characters <= most:
                dates = passage.count_dates(one)
                if passage.characters + len(_DATE) * dates <= most:
                    return passage, dates
        return None, 0

    def _may_open(self, one: Candidate) -> bool:
        share = self.quotas.get(one.source, self.most)
        return len(self.passages) < self.most and self._opened[one.source] < share

    def _has_place(self, one: Candidate) -> bool:
        """Tell whether the least of a candidate could be shown, had it the tokens."""
        if self._may_open(one):
            return True
        least = min(len(one.text), _MIN_QUOTE // 2)
        home = self._find_home(one, _frame_size(one) + least)[0] if one.session else None
        return home is not None

    def _is_told(self, one: Candidate) -> bool:
        """Tell whether what a memory says stands in what is shown of the turn it comes from."""
        if one.session or one.group != FACTS:
            return False
        if any(one.text in text for text in self._said.get(one.turn_id, ())):
            return True
        return any(one.text in fact.lines[0][1] for fact in self._facts.get(one.turn_id, ()))

    def _withdraw_facts(self, turn_id: str | None) -> float:
        """Take back the facts that are told by what was just taken, and return what they cost."""
        facts, said = self._facts[turn_id], self._said.get(turn_id, ())
        spare = 0.0
        for fact in tuple(facts):
            told = fact.lines[0][0]
            others = (other.lines[0][1] for other in facts if other is not fact)
            if any(told.text in text for text in (*said, *others)):
                facts.remove(fact)
                self.passages.remove(fact)
                self._opened[told.source] -= 1
                self._changes += 1
                self.ignored = [reason for reason in self.ignored if reason.id != told.id]
                self.ignored.append(_about(told, *_TOLD))
                spare += fact.cost
        return spare

    def _is_capped(self, one: Candidate) -> bool:
        if one.source is not EvidenceSource.RESOURCE:
            return False
        held = [line for passage in self.passages for line, _ in passage.lines]
        rules, document = self.rules.diversity, one.ref.document_id
        of_source = sum(line.source_uri == one.source_uri for line in held)
        of_document = sum(line.ref.document_id == document for line in held)
        return of_source >= rules.by_source_uri or (
            document is not None and of_document >= rules.by_document
        )

    def _opening_cost(self, one: Candidate) -> float:
        opening = evidence_line(88, one.title or one.source.value, one.source_uri)
        mode = one.mode.value if one.mode else QueryMode.ASSOCIATIVE.value
        # Counted together, for what is estimated is rounded up each time.
        frame = f"{opening}\n{_DATE if one.at else ''}\n{closing_line(mode, 0.88)}"
        return self.count(frame) + 3 * JOINT


def _deal_lines(passages: Sequence[Passage], most: int) -> list[list[Line]]:
    """Return the lines of a session's passages so that they can be read one after the other.

    Lines were put where there was room. In their order they stay in as few passages, each with
    something that was found and no longer than allowed, or else they stay where they are.
    """
    given = [_in_order(passage.lines) for passage in passages]
    dealt: list[list[Line]] = [[]]
    size, day = 0, None
    for one, text in _in_order(chain.from_iterable(given)):
        length = _frame_size(one) + len(text) + (len(_DATE) if one.day != day else 0)
        if dealt[-1] and size + length > most:
            dealt.append([])
            size = 0
        dealt[-1].append((one, text))
        size, day = size + length, one.day
    found = all(any(line.hit for line, _ in lines) for lines in dealt)
    shorter = all(new <= old for new, old in zip(_marks(dealt), _marks(given), strict=True))
    return dealt if found and shorter else given


def _in_order(lines: Iterable[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: line[0].place)


def _marks(passages: Sequence[Sequence[Line]]) -> tuple[int, int, int]:
    """Return how many passages there are, how many lines are missing, how many dates are said."""
    beside = [
        (a.place[0], b.place[0], a.day, b.day)
        for lines in passages
        for (a, _), (b, _) in pairwise(lines)
    ]
    gaps = sum(then - now > 1 for now, then, _, _ in beside)
    return len(passages), gaps, sum(now != then for _, _, now, then in beside)


def best_line(lines: Iterable[Line]) -> Candidate:
    """Return the line that brought a passage."""
    return max([line for line, _ in lines], key=_WORTH)


def _passage_evidence(
    best: Candidate,
    lines: Iterable[Line],
    found_by: Mapping[QueryMode, EvidenceProvenance],
) -> ContextEvidence:
    """Return a passage as evidence: its lines in order, with a mark where some are left out."""
    (first, text), *more = lines
    parts = [text]
    turn, day = first.place[0], first.day
    for line, text in more:
        before, turn = turn, line.place[0]
        if turn - before > 1:
            parts.append(MARK)
        said = _spoken_line(line, text)
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


def _spoken_line(one: Candidate, text: str) -> str:
    return f"{one.speaker}: {text}" if one.speaker else text


def _frame_size(one: Candidate) -> int:
    return _FRAME + (len(one.speaker) if one.speaker else 0)


def _quote_sizes(one: Candidate, characters: int, *, first: bool) -> tuple[tuple[Level, int], ...]:
    """Return how much of a text may be shown, ever less; of what was not found itself only once.

    The `first` of all is rather cut to a few words than left out for another.
    """
    length = len(one.text)
    most = (Level.FULL, length) if length <= characters else (Level.SUMMARY, characters)
    if not one.hit:
        return (most,)
    shorter = ((Level.HIGHLIGHTS, characters // 2), *(_MIN_FIRST if first else ()))
    return (most, *(each for each in shorter if each[1] < length))


def _about(one: Candidate, code: str, sentence: str) -> Reason:
    return Reason(code, sentence, id=one.id or None, type=one.group, key=one.source_uri)
