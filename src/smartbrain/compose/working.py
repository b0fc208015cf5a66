"""What a run has in mind, as a block that gets shorter step by step (W1).

In: a working memory. Out: its shapes, each shorter than the one before: the details of decisions
go first, the oldest before the others, then the decisions, then the ends of long slot values. Goal
and constraints are the last to be cut. What is stored stays as it is; its plan has its own slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from smartbrain.compose.levels import excerpt
from smartbrain.domain.context import Block
from smartbrain.domain.record import canonical_json

if TYPE_CHECKING:
    from smartbrain.domain.packet import WorkingMemory

_SHORTEST: Final = 40  # characters of a value or a sentence that is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How much is shown: of the latest decisions, of slot values and sentences, of all lines."""

    details: int = 0
    decisions: int = 0
    value: int
    sentence: int
    lines: int


def working_block(working: WorkingMemory, shape: Shape | None = None) -> Block:
    """Return what a run has in mind as a block, whole or in a shape; one of no text is empty."""
    if shape is None:
        shape = next(shapes(working))
    firsts = [f"Goal: {working.goal}"] if working.goal else []
    firsts += [f"Constraint: {one}" for one in working.constraints]
    lines = [excerpt(one, shape.sentence, ()) for one in firsts]
    for name, value in sorted(working.slots.items()):
        lines.append(f"{name}: {excerpt(canonical_json(value), shape.value, ())}")
    count = len(working.decisions)
    for place in range(count - shape.decisions, count):
        one = working.decisions[place]
        detail = f" ({one.detail})" if one.detail and place >= count - shape.details else ""
        lines.append(f"Decided: {one.text}{detail}")
    text = "\n".join(lines[: shape.lines])
    return Block(type="working_memory", text=text, source={"run_id": working.run_id})


def shapes(working: WorkingMemory) -> Iterator[Shape]:
    """Yield ever shorter shapes of a working memory, the whole of it first."""
    decisions = len(working.decisions)
    firsts = bool(working.goal) + len(working.constraints)
    lines = firsts + len(working.slots)
    value = max((len(canonical_json(one)) for one in working.slots.values()), default=0)
    sentence = 20 + max(map(len, (working.goal or "", *working.constraints)))
    whole = {"value": value, "sentence": sentence, "lines": lines + decisions}
    for kept in range(decisions, -1, -1):
        yield Shape(details=kept, decisions=decisions, **whole)
    for kept in range(decisions - 1, -1, -1):
        yield Shape(decisions=kept, **whole)
    for shorter in _shorter(value):
        yield Shape(value=shorter, sentence=sentence, lines=lines)
    for shorter in _shorter(sentence):
        yield Shape(value=_SHORTEST, sentence=shorter, lines=lines)
    for kept in range(lines - 1, -1, -1):
        yield Shape(value=_SHORTEST, sentence=_SHORTEST, lines=kept)


def _shorter(size: int) -> Iterator[int]:
    """Yield ever fewer characters."""
    while size > _SHORTEST:
        size = max(_SHORTEST, size * 3 // 4)
        yield size
