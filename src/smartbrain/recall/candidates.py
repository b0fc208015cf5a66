"""What may enter a memory packet, sorted into its groups (R7, R9, R10).

In: what recall found, what stands, the insights of a run, and what the packet is for. Out: the
candidates of each group, best first, and a reason for everything that stays out. Facts that the
message brought to mind and those that stand anyway take turns, so that any beginning of their order
is a fair choice. How many there is room for is the ladder's business.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, zip_longest
from typing import Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.audience import Audience
from smartbrain.domain.builtin_types import ENDED
from smartbrain.domain.evidence import Signals
from smartbrain.domain.keys import plain_name
from smartbrain.domain.memory import Compression, Memory
from smartbrain.domain.memory_type import Group, as_text
from smartbrain.domain.packet import (
    Degradation,
    LadderStep,
    PacketItem,
    Quote,
    ShortTerm,
    WorkingMemory,
)
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Cues
from smartbrain.domain.recalled import Ranked, RecalledRow
from smartbrain.domain.types import TypeRegistry
from smartbrain.recall.ages import (
    BY_ATTRIBUTE,
    Cue,
    Cued,
    age_class,
    at_least,
    cue_of,
    needed_cue,
    searching,
)
from smartbrain.recall.cue_match import CueWords, words_of
from smartbrain.recall.guard import admit, is_unpromoted, reason_about, refusal, without_over
from smartbrain.recall.items import Originals
from smartbrain.recall.ladder import STM, STRONG_CUE, Candidate, Why
from smartbrain.recall.relevance import Relevance
from smartbrain.text.telling import instructs

_STATEMENTS: Final = "statements"
_EPISODES: Final = "episodes"
_INSIGHTS: Final = "insights"
_PREFERENCES: Final = "preferences"
_OF_ROW: Final = ("id", "type", "key", "title", "value", "confidence", "status", "source_turn_id")
_CLEARLY: Final = 0.1  # of the best score, to be a cue by that alone, where there is room to fill
_ALONE: Final = 0.5  # in a packet, which brings what the message speaks of alone
_CODES: Final = {Cue.NONE: "recent", Cue.SOME: "cue", Cue.STRONG: STRONG_CUE}


class Unread(NamedTuple):
    """How many there are of a type, how many were read, and which of the others are known."""

    type: str
    before: int
    after: int
    reason: str
    known: tuple[Reason, ...] = ()

    def step(self) -> Degradation:
        """Return the step that was taken before anything of the type was read."""
        return Degradation(
            code=LadderStep.REDUCE_TOP_K.value,
            reason=self.reason,
            type=self.type,
            before=self.before,
            after=self.after,
        )

    def reasons(self) -> Iterator[Reason]:
        """Yield why some of the type went: each that is known, the others by their number."""
        code = LadderStep.REDUCE_TOP_K.value
        yield from (replace(one, code=code) for one in self.known)
        others = self.before - self.after - len(self.known)
        if others > 0:
            sentence = f"{self.reason}: {others} {self.type} more"
            yield Reason(code, sentence, type=self.type, detail={"memories": others})


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketInputs:
    """All that may come to mind.

    `found` is ranked, best first; `standing` are rows that enter by rule; `insights` are those of
    the run. `stm` is the session as it would be shown to a planner. `originals` are what episodes
    rest on, `unread` says of what there is more than was read.
    """

    found: Sequence[Ranked] = ()
    standing: Sequence[RecalledRow] = ()
    working: WorkingMemory | None = None
    stm: ShortTerm = ShortTerm()
    insights: Sequence[PacketItem] = ()
    originals: Originals = Originals()
    unread: Sequence[Unread] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketRequest:
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
class CandidateSorter:
    """Sorts what may come to mind; `omitted` fills with why the rest may not."""

    request: PacketRequest
    words: CueWords
    types: TypeRegistry
    rules: Rules
    omitted: list[Reason] = field(default_factory=list)

    def sort(self, inputs: PacketInputs) -> dict[str, list[Candidate]]:
        """Return the candidates of each group, best first."""
        request = self.request
        first: dict[str, Ranked] = {}  # each memory once, where it ranks best
        for one in inputs.found:
            first.setdefault(one.row.id, one)
        found, refused = admit(
            [*first.values()],
            request.now,
            history=request.cues.history,
            session=request.session_id,
        )
        self.omitted += refused
        standing = inputs.standing
        relevance = request.relevance
        if relevance is not None and not relevance.is_above(self.rules.packet.floor):
            found, standing = self._leave_out(found, standing)
        ranked: defaultdict[Group, list[Ranked]] = defaultdict(list)
        for one in found:
            ranked[self._group(one.row)].append(one)
        rows: defaultdict[Group, list[RecalledRow]] = defaultdict(list)
        for row in standing:
            rows[self._group(row)].append(row)
        for one in (*ranked[Group.CUES], *ranked[Group.NONE]):
            self._omit(one.row, "not_shown", f"{one.row.type} are never shown themselves")
        facts, over = order_facts(
            ranked[Group.FACTS], rows[Group.FACTS], words=self.words, now=request.now
        )
        self.omitted += over
        return {
            "facts": facts,
            "procedures": self._procedures(ranked[Group.PROCEDURES], rows[Group.PROCEDURES]),
            "episodes": self._episodes(ranked[Group.EPISODES]),
            "insights": self._insights(ranked[Group.INSIGHTS], inputs.insights),
        }

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
        return self.request.audience is Audience.PLANNER

    def _group(self, row: RecalledRow) -> Group:
        return self.types.get(row.type).group if row.type in self.types else Group.NONE

    def _leave_out(
        self, found: Sequence[Ranked], standing: Sequence[RecalledRow]
    ) -> tuple[list[Ranked], list[RecalledRow]]:
        """Leave out what was found for a message that memory hardly answers.

        Who shows memories whole is brought nothing that stands either, but how to answer.
        """
        relevance = self.request.relevance
        chance = relevance.chance if relevance else 0.0
        for one in found:
            sentence = f"memory hardly answers the message: its chance is {chance:.2f}"
            self._omit(one.row, "below_floor", sentence)
        kept = []
        for row in standing:
            binds = row.type == _PREFERENCES and instructs(row.text)
            if binds or not self.request.whole:
                kept.append(row)
            else:
                self._omit(row, "below_floor", "the message is about something else")
        return [], kept

    def _procedures(self, found: Sequence[Ranked], rows: Iterable[RecalledRow]) -> list[Candidate]:
        ranked = {one.row.id: one for one in found}
        task_type = self.request.task_type
        about = plain_name(task_type or "")  # however that is spelled
        shown = self._plans or self.rules.packet.responder.procedures
        kept = []
        for row in (*(one.row for one in found), *(row for row in rows if row.id not in ranked)):
            is_found = row.id in ranked
            refused = None if is_found else refusal(row, self.request.now)
            if refused is not None:
                self.omitted.append(refused)
            elif not shown:
                self._omit(row, "audience", "procedures are not for who answers")
            elif task_type is not None and plain_name(str(row.value.get("domain"))) != about:
                self._omit(row, "other_task_type", f"it is not about {task_type}")
            elif task_type is None and not is_found:
                self._omit(row, "not_found", "the message does not speak of it")
            else:
                why = Why("found", "the message speaks of it")
                if task_type:
                    why = Why("task_type", f"it is about {task_type}")
                kept.append(Candidate(row, why, ranked.get(row.id)))
        return kept

    def _episodes(self, found: Sequence[Ranked]) -> list[Candidate]:
        rules, now = self.rules.packet.episodes, self.request.now
        times = (*self.request.cues.times, *self.request.cues.ahead)
        told = {one.row.source_turn_id for one in found if one.row.type == _EPISODES}
        share = _CLEARLY if self.request.whole else _ALONE
        clearly = share * max((one.score for one in found), default=0.0)
        kept: list[Candidate] = []
        for one in found:
            row = one.row
            if row.type == _STATEMENTS and row.source_turn_id in told:
                self._omit(row, "told_by_episode", "the episode of its turn tells it")
                continue
            cue = cue_of(one, words=self.words, times=times)
            age = age_class(row.said_at, now=now, rules=rules)
            needed = needed_cue(age, row.said_at, now=now, rules=rules)
            # Where it was found by what it says, not by what it stands beside, and scores clearly.
            # A context takes what recall ranks, however that was found: what has room is shown.
            says = self.request.whole or BY_ATTRIBUTE in one.found_by or bool(searching(one))
            is_first = len(kept) < self.rules.packet.max_episodes
            if is_first and cue.strength is not Cue.STRONG and says and one.score > clearly:
                cue = Cued(Cue.STRONG, "what it says, among the first for this message")
            if cue.strength < needed:
                kind = "a strong cue" if needed is Cue.STRONG else "a cue"
                self._omit(row, "too_old", f"at its age ({age.value}) it takes {kind}")
                continue
            why = Why(_CODES[cue.strength], f"brought by {cue.by or 'being recent'}")
            fades = age is not Compression.RAW and cue.strength is not Cue.STRONG
            level = at_least(age, row.compression)
            kept.append(Candidate(row, why, one, level, fades))
        return kept

    def _insights(self, found: Iterable[Ranked], of_run: Iterable[PacketItem]) -> list[Candidate]:
        items = {item.id: item for item in of_run}
        for one in found:
            if not is_unpromoted(one.row):
                items.setdefault(one.row.id, item_of(one.row, one))
            elif one.row.id not in items:
                self._omit(one.row, "not_promoted", "it was not validated, and its run is another")
        kept = []
        for item in items.values():
            if self._plans:
                kept.append(Candidate(item, Why("insight", "insights are for planning")))
            else:
                self._omit(item, "audience", "insights are not for who answers")
        return sorted(kept, key=lambda one: (-one.source.confidence, one.source.id))

    def _omit(self, what: RecalledRow | PacketItem, code: str, sentence: str) -> None:
        self.omitted.append(reason_about(what, code, sentence))


def item_of(
    row: RecalledRow | Memory,
    ranked: Ranked | None,
    text: str | None = None,
    level: Compression | None = None,
    quotes: tuple[Quote, ...] = (),
) -> PacketItem:
    """Return a memory as an item: whole, or the text that is shown of it at a level."""
    return PacketItem(
        **{name: getattr(row, name) for name in _OF_ROW},
        text=row.text if text is None else text,
        session_id=getattr(row, "session_id", None),
        speaker=next(iter(getattr(row, "speakers", ())), None),
        at=row.said_at,
        compression=level or row.compression,
        quotes=quotes,
        validated=row.value.get("validated") is True if row.type == _INSIGHTS else None,
        score=ranked.score if ranked else None,
        signals=ranked.signals if ranked else Signals(),
    )


STANDING_TYPES: Final = ("profile", "preferences", "goals", "tasks")
"""The types whose memories are read for every packet."""

_PLACES: Final = {"profile": 1, "preferences": 2, "tasks": 3, "goals": 3}
_USER: Final = "user"
_PURSUED: Final = ("goals", "tasks")


def order_facts(
    found: Sequence[Ranked], rows: Sequence[RecalledRow], *, words: CueWords, now: datetime
) -> tuple[list[Candidate], list[Reason]]:
    """Return found and standing facts in one order, and why some of those standing are left out."""
    known = {one.row.id for one in found}
    omitted = []
    standing = []
    for stored in rows:
        row = without_over(stored, now)
        if row.id in known:
            continue
        known.add(row.id)
        reason = refusal(row, now) or closed(row)
        if reason is None:
            standing.append((len(words.shared(words_of(row))), row))
        else:
            omitted.append(reason)

    def place(shared: int, row: RecalledRow) -> tuple[int, int, float, str]:
        """Return the place of what stands: what is spoken of, then instructions, then new."""
        group = _PLACES.get(row.type, len(_PLACES))
        if row.type == _PREFERENCES and instructs(row.text):
            group = 0
        if row.type == "profile" and row.value.get("subject") != _USER:
            group = len(_PLACES)
        return -shared, group, -row.said_at.timestamp(), row.id

    standing.sort(key=lambda one: place(*one))
    by_rule = [
        Candidate(row, Why("standing", f"it stands{f' and shares {n} words' if n else ''}"))
        for n, row in standing
    ]
    brought = [
        Candidate(one.row, Why("found", f"found by {', '.join(one.found_by) or 'recall'}"), one)
        for one in found
    ]
    if words.greets:  # what is near to a greeting says nothing
        return [*by_rule, *brought], omitted
    turns = chain.from_iterable(zip_longest(brought, by_rule))
    return [fact for fact in turns if fact is not None], omitted


def closed(row: RecalledRow | Memory) -> Reason | None:
    """Return why a goal or a task is not pursued any more."""
    if row.type not in _PURSUED:
        return None
    status = as_text(row.value.get("status")).casefold()
    if status not in ENDED:
        return None
    return reason_about(row, "closed", f"it is {status}")


def fact_types(types: TypeRegistry) -> list[str]:
    """Return the types whose memories are facts of a packet, those that are counted as such."""
    return [kind.name for kind in types if kind.group is Group.FACTS]
