"""Pins, plan, notes and surface memory in a context, each within its share of the limit (R16).

In: the budget of a context and what is governed. Out: what of it is shown, in its own order. Who
goes last is decided here: of pins constraints, then what was pinned last; of a plan what is open,
what is done and old becoming one line first; of notes the last few, then milestones; of surface
memory the latest line of each section. The shares follow from the limit and not from what was
found, so the lists stay the same from call to call. What is cut or dropped leaves a reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from smartbrain.compose.levels import Level
from smartbrain.compose.passages import JOINT
from smartbrain.domain.context import Block, NotebookEntry, PinEntry
from smartbrain.domain.context_slots import CONTEXT_POOL, FASTMEMO
from smartbrain.domain.context_text import note_text, pin_text, plan_text
from smartbrain.domain.governed import Governed, MemoSection
from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.quick import replace
from smartbrain.domain.reason import Reason
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import first_sentences

if TYPE_CHECKING:
    from smartbrain.compose.budget import Budget

_MEMO_SHARE: Final = 4  # of the limit, one part is for the surface memory at most
_FIRST_NOTES: Final = 3  # of the latest, which matter more than milestones
_CHARACTERS: Final = {Level.SUMMARY: 200, Level.HIGHLIGHTS: 66, Level.REFERENCE: 40}
_LEVELS: Final = tuple(Level)
_MARK: Final = "…"
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


def pins_within(budget: Budget, pins: Sequence[PinEntry]) -> tuple[PinEntry, ...]:
    """Return the pins of a context."""
    order = sorted(range(len(pins)), key=lambda n: (pins[n].type != _CONSTRAINT, -n))
    return _fitted(budget, _PINS, pins, order)


def plan_within(budget: Budget, steps: Sequence[PlanEntry]) -> tuple[PlanEntry, ...]:
    """Return the plan of a context; a line without an id stands for several steps."""
    if _spent(budget, _PLAN, steps):
        return tuple(steps)
    folded = _folded(budget, steps)
    gone = {one.id for one in folded}
    kept = [one for one in steps if one.id not in gone]
    if folded:
        kept.insert(0, _done_line(folded))
        sentence = f"{len(folded)} that are done are told in one line"
        budget.ignored.append(Reason("folded", sentence, type=_PLAN.slot))
    shown = _fitted(budget, _PLAN, kept, range(len(kept)))
    there = {one.id for one in shown}
    more = [one for one in kept if one.id and one.id not in there]
    line = _line(more, "{} more step{} to do", "还有 {} 步待办")
    cost = _cost(budget, _PLAN, line)
    if not shown or not more or cost > budget.left:
        return shown
    budget.used += cost
    return (*shown, line)


def notes_within(budget: Budget, notes: Sequence[NotebookEntry]) -> tuple[NotebookEntry, ...]:
    """Return the notes of a context."""
    first = len(notes) - _FIRST_NOTES
    order = sorted(range(len(notes)), key=lambda n: (n < first, not notes[n].milestone, -n))
    return _fitted(budget, _NOTES, notes, order)


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
    """Tell how much of a block is shown, unless that is all of it."""
    there, told = (
        sum(one.startswith("- ") for one in text.splitlines()) for text in (whole.text, shown)
    )
    if told < there:
        code = "shortened" if told else "over_budget"
        sentence = f"{told} of {there} lines are shown"
        budget.ignored.append(Reason(code, sentence, type="system_blocks", key=whole.type))


def _folded(budget: Budget, steps: Sequence[PlanEntry]) -> list[PlanEntry]:
    """Return the oldest steps that are done, as many as have no room beside what is open."""
    done = [one for one in steps if one.done]
    room = _room(budget, _PLAN, steps)[1] - _cost(budget, _PLAN, _done_line(done))
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


def _room(budget: Budget, kind: _Kind[_Entry], given: Sequence[_Entry]) -> tuple[float, float]:
    """Return what the heading of a list costs, and what its entries may cost besides."""
    first = budget.cost(**{kind.slot: tuple(given[:1])}) - budget.count(kind.text(given[0]))
    opening = max(0.0, first)
    return opening, min(budget.limit * kind.share, budget.left) - opening


def _cost(budget: Budget, kind: _Kind[_Entry], entry: _Entry) -> float:
    return budget.count(kind.text(entry)) + JOINT


def _spent(budget: Budget, kind: _Kind[_Entry], given: Sequence[_Entry]) -> bool:
    """Spend what a list costs whole, and tell whether there was room for that."""
    if not given:
        return True
    opening, room = _room(budget, kind, given)
    left = room
    for one in given:
        left -= _cost(budget, kind, one)
        if left < 0:
            return False
    budget.used += opening + room - left
    return True


def _fitted(
    budget: Budget, kind: _Kind[_Entry], given: Sequence[_Entry], order: Sequence[int]
) -> tuple[_Entry, ...]:
    """Return the entries of a list at the level at which they fit, in their order.

    As many as can be are kept as references, then all are raised level by level; where the room
    ends within a level, the first in `order` have it.
    """
    if _spent(budget, kind, given):
        return tuple(given)
    opening, room = _room(budget, kind, given)
    kept: dict[int, _Form[_Entry]] = {}
    costs: dict[int, float] = {}
    for wanted in reversed(_LEVELS):
        first = wanted is _LEVELS[-1]
        for place in order:
            if not first and (place not in kept or kept[place].level is Level.FULL):
                continue
            form = _at(kind, given[place], wanted)
            cost = _cost(budget, kind, form.entry)
            if cost - costs.get(place, 0.0) <= room:
                room -= cost - costs.get(place, 0.0)
                kept[place], costs[place] = form, cost
    if kept:
        budget.used += opening + sum(costs.values())
    for place, entry in enumerate(given):
        if place not in kept:
            told = "over_budget", f"{kind.slot} has no room for it"
        elif kept[place].level is not Level.FULL:
            level = kept[place].level.value
            told = f"shortened_{level}", f"it is shown as {level}"
        else:
            continue
        budget.ignored.append(Reason(*told, id=entry.id, type=kind.slot))
    return tuple(kept[place].entry for place in sorted(kept))


def _at(kind: _Kind[_Entry], entry: _Entry, wanted: Level) -> _Form[_Entry]:
    """Return an entry at a level; one that is short enough for it is whole."""
    shorter = entry if wanted is Level.FULL else kind.at(entry, wanted)
    return _Form(Level.FULL if shorter == entry else wanted, shorter)


def _cut(text: str, level: Level) -> str:
    """Return the beginning of a text at a level; a cut shows."""
    if len(text) <= _CHARACTERS[level]:
        return text
    short = first_sentences(text, _CHARACTERS[level])
    return short if short.endswith(_MARK) else short + _MARK


def _pin_at(pin: PinEntry, level: Level) -> PinEntry:
    if level is Level.REFERENCE:
        summary = pin.summary if len(pin.summary) <= _CHARACTERS[level] else _MARK
        return replace(pin, title=_cut(pin.title, level), summary=summary, source="")
    return replace(pin, summary=_cut(pin.summary, level))


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
