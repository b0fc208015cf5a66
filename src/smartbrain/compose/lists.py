"""Pins, plan, notes and surface memory in a context, each within its share of the limit (R16).

In: the budget of a context and what is governed. Out: what of it is shown, in its own order. Who
goes last is decided here: of pins constraints, then what was pinned last; of a plan what is open,
what is done and old becoming one line first; of notes the last few, then milestones; of surface
memory the latest line of each section. The shares follow from the limit and not from what was
found, so the lists stay the same from call to call; what was cut has a second go at what is free at
the end. What is cut or dropped leaves a reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from msgspec.structs import replace

from smartbrain.compose.counting import JOINT
from smartbrain.compose.shorten import MARK, Level
from smartbrain.domain.context import Block, NotebookEntry, PinEntry
from smartbrain.domain.context_slots import CONTEXT_POOL, FASTMEMO
from smartbrain.domain.context_text import note_text, pin_text, plan_text
from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.reason import Reason
from smartbrain.domain.working import Governed, MemoSection
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import first_sentences

if TYPE_CHECKING:
    from smartbrain.compose.budget import Budget

_MEMO_SHARE: Final = 4  # of the limit, one part is for the surface memory at most
_LASTING: Final = 2_048  # tokens; of a smaller context the pins end before providers keep anything
_EVIDENCE_SHARE: Final = 4  # of the limit, one part is for the evidence of the next message
_STEPS: Final = 16  # in which the rest of a large context goes to lists
_FIRST_NOTES: Final = 3  # of the latest, which matter more than milestones
_CHARACTERS: Final = {Level.SUMMARY: 200, Level.HIGHLIGHTS: 66, Level.REFERENCE: 40}
_CONSTRAINT: Final = "constraint"
_HAN: Final = pattern(r"[\u4e00-\u9fff]")
_Entry = TypeVar("_Entry", PinEntry, PlanEntry, NotebookEntry)


class _Kind(NamedTuple, Generic[_Entry]):
    """How a list is shown: its part of the limit, an entry as text, an entry at a level."""

    slot: str
    share: float
    text: Callable[[_Entry], str]
    at: Callable[[_Entry, Level], _Entry]


class _Form(NamedTuple, Generic[_Entry]):
    """An entry at a level."""

    level: Level
    entry: _Entry


class Listed(NamedTuple, Generic[_Entry]):
    """What a context shows of a list, what that costs, and why something of it is cut.

    `given` is what it was cut from: the list, with one line for what is `folded`.
    """

    entries: tuple[_Entry, ...] = ()
    cost: float = 0.0
    cuts: tuple[Reason, ...] = ()
    given: Sequence[_Entry] = ()
    folded: tuple[Reason, ...] = ()


_Fit = Callable[["Budget", Sequence[_Entry], float], Listed[_Entry]]
"""Returns what of a list fits into so many tokens."""


class Lists(NamedTuple):
    """The pins, the plan and the notes of a context."""

    pins: Listed[PinEntry]
    plan: Listed[PlanEntry]
    notebook: Listed[NotebookEntry]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why something of them is cut or left out."""
        plan = self.plan
        return (*self.pins.cuts, *plan.folded, *plan.cuts, *self.notebook.cuts)


def lists_within(budget: Budget, board: Governed, shows: Callable[[str], bool]) -> Lists:
    """Spend what pins, plan and notes take, each within its share of the limit."""

    def fitted(kind: _Kind[_Entry], given: Sequence[_Entry], fit: _Fit[_Entry]) -> Listed[_Entry]:
        if not given or not shows(kind.slot):
            return Listed()
        listed = fit(budget, given, budget.limit * kind.share)
        budget.used += listed.cost
        return listed

    return Lists(
        fitted(_PINS, board.pins, _fit_pins),
        fitted(_PLAN, board.plan, _fit_plan),
        fitted(_NOTES, board.notebook, _fit_notes),
    )


def lists_again(budget: Budget, shown: Lists, evidence: float | None) -> Lists:
    """Spend what is left on what was cut: first on pins, then on the plan, then on notes.

    A provider keeps the beginning of a long request, where the pins stand. So in a large context
    they have what is left beside the usual `evidence`, whatever this message has found, and that
    in steps: the next request begins alike.
    """
    if not (shown.pins.cuts or shown.plan.cuts or shown.notebook.cuts):
        return shown
    spare = budget.left
    if budget.limit >= _LASTING:
        usual = 0.0 if evidence is None else budget.limit // _EVIDENCE_SHARE
        step = budget.limit // _STEPS
        spare = max(0.0, spare - max(0.0, usual - (evidence or 0.0))) // step * step

    def more(kind: _Kind[_Entry], listed: Listed[_Entry], fit: _Fit[_Entry]) -> Listed[_Entry]:
        nonlocal spare
        room = listed.cost + spare
        if not listed.cuts or room <= budget.limit * kind.share:
            return listed
        budget.used -= listed.cost
        larger = fit(budget, listed.given, room)
        budget.used += larger.cost
        spare -= larger.cost - listed.cost
        return larger._replace(folded=listed.folded)

    return Lists(
        more(_PINS, shown.pins, _fit_pins),
        more(_PLAN, shown.plan, _fit_plan),
        more(_NOTES, shown.notebook, _fit_notes),
    )


def _fit_pins(budget: Budget, pins: Sequence[PinEntry], room: float) -> Listed[PinEntry]:
    """Return pins within tokens; a constraint is whole before others are more than a reference."""
    order = sorted(range(len(pins)), key=lambda n: (pins[n].type != _CONSTRAINT, -n))
    first = sum(one.type == _CONSTRAINT for one in pins)
    return _fitted(budget, _PINS, pins, room, _raised(order[:first], order[first:]))


def _fit_plan(budget: Budget, steps: Sequence[PlanEntry], room: float) -> Listed[PlanEntry]:
    """Return a plan within tokens; a line without an id stands for several steps."""
    whole = _whole(budget, _PLAN, steps, room)
    if whole is not None:
        return whole
    told: tuple[Reason, ...] = ()
    if all(one.id for one in steps) and (folded := _folded(budget, steps, room)):
        gone = {one.id for one in folded}
        steps = [_done_line(folded), *(one for one in steps if one.id not in gone)]
        sentence = f"{len(folded)} that are done are told in one line"
        told = (Reason("folded", sentence, type=_PLAN.slot),)
    line = partial(_line, en="{} more step{} to do", zh="还有 {} 步待办")
    most = min(room, budget.left - _cost(budget, _PLAN, line(steps)))
    listed = _fitted(budget, _PLAN, steps, most, _raised((), range(len(steps))))
    there = {one.id for one in listed.entries}
    more = [one for one in steps if one.id and one.id not in there]
    if there and more:
        spent = listed.cost + _cost(budget, _PLAN, line(more))
        listed = listed._replace(entries=(*listed.entries, line(more)), cost=spent)
    return listed._replace(folded=told)


def _fit_notes(
    budget: Budget, notes: Sequence[NotebookEntry], room: float
) -> Listed[NotebookEntry]:
    first = len(notes) - _FIRST_NOTES
    order = sorted(range(len(notes)), key=lambda n: (n < first, not notes[n].milestone, -n))
    return _fitted(budget, _NOTES, notes, room, _raised((), order))


def memo_within(
    budget: Budget, board: Governed, shows: Callable[[str], bool], characters: int
) -> tuple[Block, ...]:
    """Return the surface memory and the summary of past chat, within characters altogether."""
    lines = sorted(
        (len(texts) - line, place, line)
        for place, name in enumerate(MemoSection)
        if shows(_block_of(name))
        for texts in [board.fastmemo.get(name, ())]
        for line in range(len(texts))
    )
    if not lines:
        return ()
    room = min(budget.limit // _MEMO_SHARE, budget.left)

    def tried(taken: int) -> tuple[tuple[Block, ...], float]:
        """Return the first lines as blocks, and their cost; those that are too long have none."""
        made = _memo_blocks(board, {(place, line) for _, place, line in lines[:taken]})
        if sum(len(one.text) for one in made) > characters:
            return made, inf
        return made, budget.cost(system_blocks=made)

    everything = len(lines)
    shown, cost = whole, _ = tried(everything)
    if cost > room:
        fits = bisect_left(range(1, everything), True, key=lambda n: tried(n)[1] > room)
        shown, cost = tried(fits)
        kept = {one.type: one.text for one in shown}
        for block in whole:
            _tell_lines(budget, block, kept.get(block.type, ""))
    budget.used += cost
    return shown


def _memo_blocks(board: Governed, kept: Collection[tuple[int, int]]) -> tuple[Block, ...]:
    """Return lines of the surface memory, each by its section and its place there, as blocks."""
    texts: dict[str, list[str]] = {FASTMEMO: [], CONTEXT_POOL: []}
    for place, name in enumerate(MemoSection):
        told = enumerate(board.fastmemo.get(name, ()))
        lines = [f"- {text}" for line, text in told if (place, line) in kept]
        if lines and name is not MemoSection.DYNAMIC:
            lines.insert(0, f"{name.value}:")
        texts[_block_of(name)] += lines
    return tuple(Block(type=kind, text="\n".join(one)) for kind, one in texts.items() if one)


def _block_of(section: MemoSection) -> str:
    return CONTEXT_POOL if section is MemoSection.DYNAMIC else FASTMEMO


def _tell_lines(budget: Budget, whole: Block, shown: str) -> None:
    there, told = (
        sum(one.startswith("- ") for one in text.splitlines()) for text in (whole.text, shown)
    )
    if told < there:
        code = "shortened" if told else "over_budget"
        sentence = f"{told} of {there} lines are shown"
        budget.ignored.append(Reason(code, sentence, type="system_blocks", key=whole.type))


def _folded(budget: Budget, steps: Sequence[PlanEntry], most: float) -> list[PlanEntry]:
    """Return the oldest steps that are done, as many as have no room beside what is open."""
    done = [one for one in steps if one.done]
    room = _room(budget, _PLAN, steps, most)[1] - _cost(budget, _PLAN, _done_line(done))
    for one in (*(one for one in steps if not one.done), *reversed(done)):
        room -= _cost(budget, _PLAN, one)
        if room < 0:
            return done[: done.index(one) + 1] if one.done else done
    return []


def _done_line(steps: Sequence[PlanEntry]) -> PlanEntry:
    return replace(_line(steps, "{} step{} done", "已完成 {} 步"), done=True)


def _line(steps: Sequence[PlanEntry], en: str, zh: str) -> PlanEntry:
    """Return one line for several steps, in their language."""
    words = zh if any(_HAN.search(one.text) for one in steps) else en
    return PlanEntry(id="", text=words.format(len(steps), "s"[: len(steps) != 1]))


def _room(
    budget: Budget, kind: _Kind[_Entry], given: Sequence[_Entry], most: float
) -> tuple[float, float]:
    """Return what it costs to show a list at all, and the tokens for its entries besides."""
    first = budget.cost(**{kind.slot: tuple(given[:1])}) - budget.count(kind.text(given[0]))
    opening = max(0.0, first)
    return opening, min(most, budget.left) - opening


def _cost(budget: Budget, kind: _Kind[_Entry], entry: _Entry) -> float:
    return budget.count(kind.text(entry)) + JOINT


def _whole(
    budget: Budget, kind: _Kind[_Entry], given: Sequence[_Entry], most: float
) -> Listed[_Entry] | None:
    opening, room = _room(budget, kind, given, most)
    left = room
    for one in given:
        left -= _cost(budget, kind, one)
        if left < 0:
            return None
    return Listed(tuple(given), opening + room - left)


def _raised(first: Sequence[int], others: Sequence[int]) -> Iterator[tuple[Level, Sequence[int]]]:
    """Yield in which order entries are shown at which level, each time a longer one.

    As many as can be are there as references, the `first` ones with a few words more, before any
    other is longer; and those are whole before others are raised.
    """
    summary, full = Level.SUMMARY, Level.FULL
    yield Level.REFERENCE, first
    yield Level.HIGHLIGHTS, first
    yield Level.REFERENCE, others
    yield from ((summary, first), (full, first))
    yield from ((Level.HIGHLIGHTS, others), (summary, others), (full, others))


def _fitted(
    budget: Budget,
    kind: _Kind[_Entry],
    given: Sequence[_Entry],
    most: float,
    passes: Iterable[tuple[Level, Sequence[int]]],
) -> Listed[_Entry]:
    whole = _whole(budget, kind, given, most)
    if whole is not None:
        return whole
    opening, room = _room(budget, kind, given, most)
    kept: dict[int, _Form[_Entry]] = {}
    costs: dict[int, float] = {}
    for wanted, places in passes:
        for place in places:
            known = kept.get(place)
            if (known is None) is not (wanted is Level.REFERENCE) or (
                known and known.level is Level.FULL
            ):
                continue
            form = _at(kind, given[place], wanted)
            cost = _cost(budget, kind, form.entry)
            if cost - costs.get(place, 0.0) <= room:
                room -= cost - costs.get(place, 0.0)
                kept[place], costs[place] = form, cost
    return Listed(
        tuple(kept[place].entry for place in sorted(kept)),
        opening + sum(costs.values()) if kept else 0.0,
        tuple(_cuts(kind, given, kept)),
        given,
    )


def _cuts(
    kind: _Kind[_Entry], given: Sequence[_Entry], kept: Mapping[int, _Form[_Entry]]
) -> Iterator[Reason]:
    for place, entry in enumerate(given):
        if place not in kept:
            told = "over_budget", f"{kind.slot} has no room for it"
        elif kept[place].level is not Level.FULL:
            level = kept[place].level.value
            told = f"shortened_{level}", f"it is shown as {level}"
        else:
            continue
        yield Reason(*told, id=entry.id, type=kind.slot)


def _at(kind: _Kind[_Entry], entry: _Entry, wanted: Level) -> _Form[_Entry]:
    """Return an entry at a level; one that is short enough for it is whole."""
    shorter = entry if wanted is Level.FULL else kind.at(entry, wanted)
    return _Form(Level.FULL if shorter == entry else wanted, shorter)


def _cut(text: str, level: Level) -> str:
    """Return the beginning of a text at a level; a cut shows."""
    if len(text) <= _CHARACTERS[level]:
        return text
    short = first_sentences(text, _CHARACTERS[level])
    return short if short.endswith(MARK) else short + MARK


def _pin_at(pin: PinEntry, level: Level) -> PinEntry:
    if level is Level.REFERENCE:
        summary = pin.summary if len(pin.summary) <= _CHARACTERS[level] else MARK
        return replace(pin, title=_cut(pin.title, level), summary=summary, source="")
    source = pin.source if level is Level.SUMMARY else ""  # its words matter more
    return replace(pin, summary=_cut(pin.summary, level), source=source)


def _step_at(step: PlanEntry, level: Level) -> PlanEntry:
    until = step.done_when if level is Level.SUMMARY else None
    short = _cut(until, Level.HIGHLIGHTS) if until else None
    return replace(step, text=_cut(step.text, level), done_when=short)


def _note_at(note: NotebookEntry, level: Level) -> NotebookEntry:
    source = None if level is Level.REFERENCE else note.source
    return replace(note, text=_cut(note.text, level), source=source)


_PINS: Final = _Kind("pins", 0.3, pin_text, _pin_at)
_PLAN: Final = _Kind("plan", 0.15, plan_text, _step_at)
_NOTES: Final = _Kind("notebook", 0.1, note_text, _note_at)
