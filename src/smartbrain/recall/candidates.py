"""What may enter a memory packet, sorted into its groups (R7, R9, R10).

In: what recall found, what stands, the insights of a run, and what the packet is for. Out: the
candidates of each group, best first, and a reason for everything that stays out. How many of them
there is room for is the ladder's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.audience import Audience
from smartbrain.domain.evidence import Signals
from smartbrain.domain.keys import plain_name
from smartbrain.domain.memory import Compression
from smartbrain.domain.memory_type import Group
from smartbrain.domain.packet import PacketItem, Quote, ShortTerm, WorkingMemory
from smartbrain.domain.reason import Reason
from smartbrain.recall.ages import (
    Cue,
    Cued,
    Near,
    age_class,
    at_least,
    cue_of,
    is_relevant,
    needed_cue,
)
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.guard import admit, is_unpromoted, refusal
from smartbrain.recall.ladder import STM, STRONG_CUE, Candidate
from smartbrain.recall.standing import Why, facts_in_order
from smartbrain.text.telling import instructs

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.recall import Cues
    from smartbrain.domain.recalled import Ranked, RecalledRow
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.recall.quoting import Beyond
    from smartbrain.recall.relevance import Relevance

_STATEMENTS: Final = "statements"
_EPISODES: Final = "episodes"
_INSIGHTS: Final = "insights"
_PREFERENCES: Final = "preferences"
_CLEARLY: Final = 0.1  # of the best score, to be a cue by that alone, where there is room to fill
_ALONE: Final = 0.5  # in a packet, which brings what the message speaks of alone
NO_SIGNALS: Final = Signals()
"""What is said of a memory that no search has found."""
_CODES: Final = {Cue.NONE: "recent", Cue.SOME: "cue", Cue.STRONG: STRONG_CUE}


class Left(NamedTuple):
    """How many there are of what a packet would hold, and how many of them were brought at all.

    `told` are those of the others of which is known which they are.
    """

    type: str
    before: int
    after: int
    reason: str
    told: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """All that may come to mind.

    `found` is ranked, best first; `standing` are rows that enter by rule; `insights` are those of
    the run. `stm` is the session as it would be shown to a planner. `beyond` is what episodes say
    that their own text leaves out, by id. `left` says of what there is more than was brought.
    """

    found: Sequence[Ranked] = ()
    standing: Sequence[RecalledRow] = ()
    working: WorkingMemory | None = None
    stm: ShortTerm = ShortTerm()
    insights: Sequence[PacketItem] = ()
    beyond: Mapping[str, Beyond] = field(default_factory=dict)
    left: Sequence[Left] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a packet is made for: the cues of a message, for whom, when, and on what task.

    `session_id` is the session that asks. `rare` are the words of the message that few episodes
    hold, `relevance` is how likely any memory answers it, where that can be told. Memories are
    brought `whole` to who shows as much of them as has room.
    """

    cues: Cues
    now: datetime
    audience: Audience = Audience.RESPONDER
    task_type: str | None = None
    session_id: str | None = None
    rare: frozenset[str] = frozenset()
    relevance: Relevance | None = None
    whole: bool = False


@dataclass(slots=True)
class Sorting:
    """Sorts what may come to mind; `omitted` fills with why the rest may not."""

    occasion: Occasion
    words: CueWords
    types: TypeRegistry
    rules: Rules
    omitted: list[Reason] = field(default_factory=list)

    def groups(self, brought: Brought) -> dict[str, list[Candidate]]:
        """Return the candidates of each group, best first."""
        cues, now = self.occasion.cues, self.occasion.now
        found, refused = admit(
            _once(brought.found),
            as_of=None,
            now=now,
            history=cues.history,
            session_id=self.occasion.session_id,
        )
        self.omitted += refused
        group_of = _Groups(self.types)
        answers = self._is_answered()
        found = found if answers else self._left_out(found)
        ranked: dict[Group, list[Ranked]] = {group: [] for group in Group}
        for one in found:
            ranked[group_of[one.row.type]].append(one)
        standing: dict[Group, list[RecalledRow]] = {group: [] for group in Group}
        for row in brought.standing:
            if self.occasion.whole and not answers and not _binds(row):
                self._omit(row, "below_floor", "the message is about something else")
                continue
            standing[group_of[row.type]].append(row)
        for one in (*ranked[Group.CUES], *ranked[Group.NONE]):
            self._omit(one.row, "not_shown", f"{one.row.type} are never shown themselves")
        facts, closed = facts_in_order(
            ranked[Group.FACTS], standing[Group.FACTS], words=self.words, now=now
        )
        self.omitted += closed
        return {
            "facts": [Candidate(source=one.row, why=one.why, ranked=one.ranked) for one in facts],
            "procedures": self._procedures(ranked[Group.PROCEDURES], standing[Group.PROCEDURES]),
            "episodes": self._episodes(ranked[Group.EPISODES], brought.beyond),
            "insights": self._insights(ranked[Group.INSIGHTS], brought.insights),
        }

    def _is_answered(self) -> bool:
        """Tell whether some memory may answer the message (R20)."""
        relevance = self.occasion.relevance
        return relevance is None or relevance.is_above(self.rules.packet.floor)

    def _left_out(self, found: Sequence[Ranked]) -> list[Ranked]:
        """Leave out everything that was found for a message that memory hardly answers."""
        relevance = self.occasion.relevance
        chance = relevance.chance if relevance else 0.0
        sentence = f"memory hardly answers the message: its chance is {chance:.2f}"
        for one in found:
            self._omit(one.row, "below_floor", sentence)
        return []

    def session(self, stm: ShortTerm) -> ShortTerm:
        """Return short-term memory as the audience sees it, within its own limits."""
        working = self.rules.working
        window = stm.window[-working.window_turns :]
        if window and not (self._plans or self.rules.packet.responder.window):
            self.omitted.append(
                Reason("audience", "the last turns are not for who answers", type=STM)
            )
            window = ()
        quotes = stm.key_quotes[: working.max_quotes]
        return ShortTerm(summary=stm.summary, key_quotes=quotes, window=window)

    @property
    def _plans(self) -> bool:
        return self.occasion.audience is Audience.PLANNER

    def _procedures(self, found: Sequence[Ranked], rows: Iterable[RecalledRow]) -> list[Candidate]:
        """Return the procedures of the task's type, those found first."""
        ranked = {one.row.id: one for one in found}
        rest = [row for row in rows if row.id not in ranked]
        task_type = self.occasion.task_type
        shown = self._plans or self.rules.packet.responder.procedures
        kept = []
        for row in (*(one.row for one in found), *rest):
            refused = refusal(row, now=self.occasion.now) if row.id not in ranked else None
            if refused is not None:
                self.omitted.append(refused)
            elif not shown:
                self._omit(row, "audience", "procedures are not for who answers")
            elif task_type is not None and not _is_about(row, task_type):
                self._omit(row, "other_task_type", f"it is not about {task_type}")
            elif task_type is not None:
                why = Why("task_type", f"it is about {task_type}")
                kept.append(Candidate(source=row, why=why, ranked=ranked.get(row.id)))
            elif row.id in ranked:
                why = Why("found", "the message speaks of it")
                kept.append(Candidate(source=row, why=why, ranked=ranked[row.id]))
            else:
                self._omit(row, "not_found", "the message does not speak of it")
        return kept

    def _episodes(self, found: Sequence[Ranked], beyond: Mapping[str, Beyond]) -> list[Candidate]:
        """Return the episodes whose age lets them come to mind."""
        ages, now = self.rules.packet.episodes, self.occasion.now
        times = (*self.occasion.cues.times, *self.occasion.cues.ahead)
        told = {one.row.source_turn_id for one in found if one.row.type == _EPISODES}
        near = Near(found)
        share = _CLEARLY if self.occasion.whole else _ALONE
        clearly = share * max((one.score for one in found), default=0.0)
        first = self.rules.packet.max_episodes
        kept: list[Candidate] = []
        for one in found:
            row = one.row
            if row.type == _STATEMENTS and row.source_turn_id in told:
                self._omit(row, "told_by_episode", "the episode of its turn tells it")
                continue
            more = beyond[row.id].words if row.id in beyond else ()
            cue = cue_of(one, words=self.words, times=times, beyond=more, near=near)
            age = age_class(row.said_at, now=now, rules=ages)
            needed = needed_cue(age, row.said_at, now=now, rules=ages)
            relevant = len(kept) < first and is_relevant(one, clearly=clearly)
            if relevant and cue.strength is not Cue.STRONG:
                cue = Cued(Cue.STRONG, "what it says, among the first for this message")
            if cue.strength < needed:
                kind = "a strong cue" if needed is Cue.STRONG else "a cue"
                self._omit(row, "too_old", f"at its age ({age.value}) it takes {kind}")
                continue
            kept.append(
                Candidate(
                    source=row,
                    why=Why(_CODES[cue.strength], f"brought by {cue.by or 'being recent'}"),
                    ranked=one,
                    level=at_least(age, row.compression),
                    fades=age is not Compression.RAW and cue.strength is not Cue.STRONG,
                )
            )
        return kept

    def _insights(self, found: Iterable[Ranked], of_run: Iterable[PacketItem]) -> list[Candidate]:
        """Return the run's insights and those that were promoted, the surest first."""
        items = {item.id: item for item in of_run}
        for one in found:
            if not is_unpromoted(one.row):
                items.setdefault(one.row.id, item_of(one.row, one))
            elif one.row.id not in items:
                self._omit(one.row, "not_promoted", "it was not validated, and its run is another")
        kept = []
        for item in items.values():
            if self._plans:
                why = Why("insight", "insights are for planning")
                kept.append(Candidate(source=item, why=why))
            else:
                self._omit(item, "audience", "insights are not for who answers")
        return sorted(kept, key=lambda one: (-one.source.confidence, one.source.id))

    def _omit(self, what: RecalledRow | PacketItem, code: str, sentence: str) -> None:
        self.omitted.append(named(what, code, sentence))


def _binds(row: RecalledRow) -> bool:
    """Tell whether something that stands says how to answer, whatever the message is about."""
    return row.type == _PREFERENCES and instructs(row.text)


class _Groups(dict[str, Group]):
    """The groups of types by name; one that is no longer known is in none."""

    def __init__(self, types: TypeRegistry) -> None:
        self._types = types

    def __missing__(self, name: str) -> Group:
        found = self._types.get(name).group if name in self._types else Group.NONE
        return self.setdefault(name, found)


def named(what: RecalledRow | PacketItem, code: str, sentence: str) -> Reason:
    """Return a reason about a memory."""
    return Reason(code, sentence, id=what.id, type=what.type, key=what.key)


def item_of(
    row: RecalledRow,
    ranked: Ranked | None,
    text: str | None = None,
    level: Compression | None = None,
    quotes: tuple[Quote, ...] = (),
) -> PacketItem:
    """Return a memory as an item: whole, or the text that is shown of it at a level."""
    return PacketItem(
        id=row.id,
        type=row.type,
        key=row.key,
        title=row.title,
        text=row.text if text is None else text,
        value=row.value,
        confidence=row.confidence,
        status=row.status,
        source_turn_id=row.source_turn_id,
        session_id=row.session_id,
        speaker=row.speakers[0] if row.speakers else None,
        at=row.said_at,
        compression=level or row.compression,
        quotes=quotes,
        validated=is_validated(row),
        score=ranked.score if ranked else None,
        signals=ranked.signals if ranked else NO_SIGNALS,
    )


def _is_about(row: RecalledRow, task_type: str) -> bool:
    """Tell whether a procedure is of a task's type, however that is spelled."""
    return plain_name(str(row.value.get("domain"))) == plain_name(task_type)


def is_validated(row: RecalledRow) -> bool | None:
    """Tell whether an insight was validated; None for anything else."""
    return row.value.get("validated") is True if row.type == _INSIGHTS else None


def _once(found: Sequence[Ranked]) -> list[Ranked]:
    """Return each memory once, where it ranks best."""
    first: dict[str, Ranked] = {}
    for one in found:
        first.setdefault(one.row.id, one)
    return list(first.values())
