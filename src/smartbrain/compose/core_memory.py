"""Core memory as a context shows it: each line with its day and what was said of it later (R21).

In: the blocks as they are stored, the memories they are made of, and claims about the same. Out:
the same blocks, each line dated. Where a later turn speaks of an attribute and its reader was not
sure, the newest such words stand in the same line, marked as unsure. Nothing is chosen here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.claim import OTHER
from smartbrain.domain.memory_type import as_text, labelled
from smartbrain.remember.summary import MAX_LINE, one_line

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.recalled import UnsureClaim
    from smartbrain.domain.summary import CoreBlock
    from smartbrain.ports.truth import Transaction

_BULLET: Final = "- "
_PROFILE: Final = "profile"
_MAX_WORDS: Final = 80  # characters of what was said later


class _Fact(NamedTuple):
    """A line of a block: what it says, since when, and of which attribute of whom."""

    text: str
    at: datetime
    subject: str = ""
    attribute: str = OTHER


def date_blocks(blocks: Sequence[CoreBlock], *, rows: Transaction) -> tuple[CoreBlock, ...]:
    """Return blocks whose lines say when they were told, and what was said of the same later."""
    ids = {source for block in blocks for source in block.source}
    memories = rows.memories.get(ids) if ids else {}
    shown = {line.removeprefix(_BULLET) for block in blocks for line in block.text.split("\n")}
    stored = {
        text: (memory, fact)
        for memory in memories.values()
        for text, fact in _lines(memory)
        if text in shown
    }
    claims = [claim for _, fact in stored.values() for claim in fact.get("claims") or ()]
    told_at = rows.recalled.claimed_at(claims)
    facts = {text: _fact(text, *one, told_at) for text, one in stored.items()}
    asked = {one.attribute for one in facts.values()} - {OTHER}
    unsure = rows.recalled.unsure(sorted(asked)) if asked else []
    return tuple(_dated(block, memories, facts, unsure) for block in blocks)


def _lines(memory: Memory) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the lines of a profile as they are stored, each with its fact."""
    subject = as_text(memory.value.get("subject"))
    for fact in memory.value.get("facts", ()) if memory.type == _PROFILE else ():
        told = labelled(as_text(fact.get("k")), as_text(fact.get("v")))
        yield one_line(f"{subject} — {told}"), fact


def _fact(
    text: str, memory: Memory, fact: Mapping[str, Any], told_at: Mapping[str, datetime]
) -> _Fact:
    """Return a line of a profile with its own day."""
    days = [told_at[claim] for claim in fact.get("claims") or () if claim in told_at]
    subject = as_text(memory.value.get("subject"))
    return _Fact(text, max(days, default=memory.said_at), subject, as_text(fact.get("k")))


def _dated(
    block: CoreBlock,
    memories: Mapping[str, Memory],
    facts: Mapping[str, _Fact],
    unsure: Sequence[UnsureClaim],
) -> CoreBlock:
    lines = block.text.split("\n")
    # A line of a profile is one of its facts, any other a memory of its own.
    own = block.source if len(lines) == len(block.source) else ()
    shown = []
    for place, line in enumerate(lines):
        text = line.removeprefix(_BULLET)
        memory = memories.get(own[place]) if own and block.type != _PROFILE else None
        fact = _Fact(text, memory.said_at) if memory else facts.get(text)
        shown.append(_BULLET + _line(fact, unsure) if fact else line)
    return replace(block, text="\n".join(shown))


def _line(fact: _Fact, unsure: Sequence[UnsureClaim]) -> str:
    """Return a fact with its day, and the newest words about the same that came after it."""
    text = fact.text
    if fact.subject and fact.attribute == OTHER:
        text = text.replace(f"{fact.subject} — {OTHER}: ", f"{fact.subject} — ", 1)
    day = f" ({fact.at.date().isoformat()})"
    text = one_line(text, MAX_LINE - len(_BULLET) - len(day)) + day
    for one in unsure:
        same = one.attribute == fact.attribute and one.subject == fact.subject
        if same and one.said_at > fact.at:
            words = one_line(one.text, _MAX_WORDS)
            return f'{text}; later, unsure: "{words}" ({one.said_at.date().isoformat()})'
    return text
