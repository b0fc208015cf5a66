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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.compose.budget import Budget
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

_MEMO_SHARE: Final = 4  # of the limit, one part is for the surface memory at most
_LASTING: Final = 2_048  # tokens; of a smaller context the pins end before providers keep anything
_EVIDENCE_SHARE: Final = 4  # of the limit, one part is for the evidence of the next message
_STEPS: Final = 16  # in which the rest of a large context goes to lists
_FIRST_NOTES: Final = 3  # of the latest, which matter more than milestones
_CHARACTERS: Final = {Level.SUMMARY: 200, Level.HIGHLIGHTS: 66, Level.REFERENCE: 40}
_CONSTRAINT: Final = "constraint"
_HAN: Final = pattern(r"[\u4e00-\u9fff]")
_Order = tuple[Sequence[int], Sequence[int]]
"""The places of the entries that are whole before others are raised, and of those others."""


class _Kind(NamedTuple):
    """How a list is shown: its part of the limit, an entry as text and at a level, who is first."""

    slot: str
    share: float
    text: Callable[[Any], str]
    at: Callable[[Any, Level], Any]
    order: Callable[[Sequence[Any]], _Order]


class Listed(NamedTuple):
    """What a context shows of a list, what that costs, and why something of it is cut.

    `given` is what it was cut from: the list, with one line for what is `folded`.
    """

    entries: tuple[Any, ...] = ()
    cost: float = 0.0
    cuts: tuple[Reason, ...] = ()
    given: Sequence[Any] = ()
    folded: tuple[Reason, ...] = ()


def lists_within(
    budget: Budget, board: Governed, shows: Callable[[str], bool]
) -> dict[str, Listed]:
    """Spend what pins, plan and notes take, each within its share of the limit."""
    lists = {}
    for kind in _KINDS:
        given = getattr(board, kind.slot) if shows(kind.slot) else ()
        listed = _fit(budget, kind, given, budget.limit * kind.share) if given else Listed()
        budget.used += listed.cost
        lists[kind.slot] = listed
    return lists


def lists_again(
    budget: Budget, shown: Mapping[str, Listed], evidence: float | None
) -> Mapping[str, Listed]:
    """Spend what is left on what was cut: first on pins, then on the plan, then on notes.

    A provider keeps the beginning of a long request, where the pins stand. So in a large context
    they have what is left beside the usual `evidence`, whatever this message has found, and that
    in steps: the next request begins alike. Where a recipe has no evidence, that is None.
    """
    if not any(listed.cuts for listed in shown.values()):
        return shown
    spare = budget.left
    if budget.limit >= _LASTING:
        usual = 0.0 if evidence is None else budget.limit // _EVIDENCE_SHARE
        step = budget.limit // _STEPS
        spare = max(0.0, spare - max(0.0, usual - (evidence or 0.0))) // step * step
    lists = {}
    for kind in _KINDS:
        listed = lists[kind.slot] = shown[kind.slot]
        room = listed.cost + spare
        if listed.cuts and room > budget.limit * kind.share:
            budget.used -= listed.cost
            larger = _fit(budget, kind, listed.given, room)
            budget.used += larger.cost
            spare -= larger.cost - listed.cost
            lists[kind.slot] = larger._replace(folded=listed.folded)
    return lists


def _fit(budget: Budget, kind: _Kind, given: Sequence[Any], room: float) -> Listed:
    listed = _fit_entries(budget, kind, given, room)
    return _fit_plan(budget, given, room) if kind is _PLAN and listed.cuts else listed


def _fit_plan(budget: Budget, steps: Sequence[PlanEntry], room: float) -> Listed:
    """Return as much of a plan as has room; a line without an id stands for several steps."""
    told: tuple[Reason, ...] = ()
    if all(step.id for step in steps) and (folded := _folded(budget, steps, room)):
        gone = {step.id for step in folded}
        steps = [_done_line(folded), *(step for step in steps if step.id not in gone)]
        sentence = f"{len(folded)} that are done are told in one line"
        told = (Reason("folded", sentence, type=_PLAN.slot),)
    rest = budget.left - _cost(budget, _PLAN, _open_line(steps))
    listed = _fit_entries(budget, _PLAN, steps, min(room, rest))
    there = {step.id for step in listed.entries}
    more = [step for step in steps if step.id and step.id not in there]
    if there and more:
        line = _open_line(more)
        cost = listed.cost + _cost(budget, _PLAN, line)
        listed = listed._replace(entries=(*listed.entries, line), cost=cost)
    return listed._replace(folded=told)


def _folded(budget: Budget, steps: Sequence[PlanEntry], most: float) -> list[PlanEntry]:
    """Return the oldest steps that are done, as many as have no room beside what is open."""
    done = [step for step in steps if step.done]
    room = min(most, budget.left) - _opening(budget, _PLAN, steps)
    room -= _cost(budget, _PLAN, _done_line(done))
    for step in (*(step for step in steps if not step.done), *reversed(done)):
        room -= _cost(budget, _PLAN, step)
        if room < 0:
            return done[: done.index(step) + 1] if step.done else done
    return []


def _done_line(steps: Sequence[PlanEntry]) -> PlanEntry:
    return replace(_line(steps, "{} step{} done", "已完成 {} 步"), done=True)


def _open_line(steps: Sequence[PlanEntry]) -> PlanEntry:
    return _line(steps, "{} more step{} to do", "还有 {} 步待办")


def _line(steps: Sequence[PlanEntry], en: str, zh: str) -> PlanEntry:
    """Return one line for several steps, in their language."""
    words = zh if any(_HAN.search(step.text) for step in steps) else en
    return PlanEntry(id="", text=words.format(len(steps), "s"[: len(steps) != 1]))


def _fit_entries(budget: Budget, kind: _Kind, given: Sequence[Any], most: float) -> Listed:
    """Return the entries of a list at the level at which they fit, in their order."""
    opening = _opening(budget, kind, given)
    room = min(most, budget.left) - opening
    whole = sum(_cost(budget, kind, entry) for entry in given)
    if whole <= room:
        return Listed(tuple(given), opening + whole)
    kept: dict[int, tuple[Level, Any]] = {}
    costs: dict[int, float] = {}
    for wanted, places in _raised(*kind.order(given)):
        for place in places:
            known = kept[place][0] if place in kept else None
            if (known is None) is not (wanted is Level.REFERENCE) or known is Level.FULL:
                continue
            entry = given[place]
            shorter = entry if wanted is Level.FULL else kind.at(entry, wanted)
            more = _cost(budget, kind, shorter) - costs.get(place, 0.0)
            if more <= room:
                room -= more
                costs[place] = costs.get(place, 0.0) + more
                kept[place] = (Level.FULL if shorter == entry else wanted, shorter)
    cuts = []
    for place, entry in enumerate(given):
        level = kept[place][0].value if place in kept else None
        if level is None:
            sentence = f"{kind.slot} has no room for it"
            cuts.append(Reason("over_budget", sentence, id=entry.id, type=kind.slot))
        elif level != Level.FULL:
            code, sentence = f"shortened_{level}", f"it is shown as {level}"
            cuts.append(Reason(code, sentence, id=entry.id, type=kind.slot))
    shown = tuple(kept[place][1] for place in sorted(kept))
    return Listed(shown, opening + sum(costs.values()) if kept else 0.0, tuple(cuts), given)


def _opening(budget: Budget, kind: _Kind, given: Sequence[Any]) -> float:
    """Return what it costs to show a list at all."""
    first = budget.cost(**{kind.slot: tuple(given[:1])}) - budget.count(kind.text(given[0]))
    return max(0.0, first)


def _cost(budget: Budget, kind: _Kind, entry: Any) -> float:
    return budget.count(kind.text(entry)) + JOINT


def _raised(first: Sequence[int], others: Sequence[int]) -> Iterator[tuple[Level, Sequence[int]]]:
    """Yield in which order entries are shown at which level, each time a longer one.

    As many as can be are there as references, the `first` ones with a few words more, before any
    other is longer; and those are whole before others are raised.
    """
    yield Level.REFERENCE, first
    yield Level.HIGHLIGHTS, first
    yield Level.REFERENCE, others
    yield from ((Level.SUMMARY, first), (Level.FULL, first))
    yield from ((Level.HIGHLIGHTS, others), (Level.SUMMARY, others), (Level.FULL, others))


def _cut(text: str, level: Level) -> str:
    """Return the beginning of a text at a level; a cut shows."""
    if len(text) <= _CHARACTERS[level]:
        return text
    short = first_sentences(text, _CHARACTERS[level])
    return short if short.endswith(MARK) else short + MARK


def _order_pins(pins: Sequence[PinEntry]) -> _Order:
    order = sorted(range(len(pins)), key=lambda n: (pins[n].type != _CONSTRAINT, -n))
    first = sum(pin.type == _CONSTRAINT for pin in pins)
    return order[:first], order[first:]


def _order_steps(steps: Sequence[PlanEntry]) -> _Order:
    return (), range(len(steps))


def _order_notes(notes: Sequence[NotebookEntry]) -> _Order:
    first = len(notes) - _FIRST_NOTES
    order = sorted(range(len(notes)), key=lambda n: (n < first, not notes[n].milestone, -n))
    return (), order


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


_PLAN: Final = _Kind("plan", 0.15, plan_text, _step_at, _order_steps)
_KINDS: Final = (
    _Kind("pins", 0.3, pin_text, _pin_at, _order_pins),
    _PLAN,
    _Kind("notebook", 0.1, note_text, _note_at, _order_notes),
)


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
        if sum(len(block.text) for block in made) > characters:
            return made, inf
        return made, budget.cost(system_blocks=made)

    everything = len(lines)
    shown, cost = whole, _ = tried(everything)
    if cost > room:
        fits = bisect_left(range(1, everything), True, key=lambda n: tried(n)[1] > room)
        shown, cost = tried(fits)
        kept = {block.type: _count_lines(block) for block in shown}
        for block in whole:
            told, there = kept.get(block.type, 0), _count_lines(block)
            if told < there:
                code = "shortened" if told else "over_budget"
                sentence = f"{told} of {there} lines are shown"
                budget.ignored.append(Reason(code, sentence, type="system_blocks", key=block.type))
    budget.used += cost
    return shown


def _count_lines(block: Block) -> int:
    return sum(line.startswith("- ") for line in block.text.splitlines())


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
