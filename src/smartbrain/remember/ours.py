"""Finding what we use of a kind of things under the name that it was told by (C4, M2, M4).

In: a fact of what we use, and what stands. Out: the key of the one that it means: a database that
was told of the company, of nothing in particular, or of the database itself is our database. Where
we switched to something, and from what is not said, it may have been told of the team or project.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.candidate import Source
from smartbrain.remember.extract.decisions_words import THINGS, kind_named, known_as
from smartbrain.remember.extract.fact_names import SOME_OF_US, US
from smartbrain.remember.extract.switches import SWITCHED_TO
from smartbrain.remember.extract.wording import GENERAL
from smartbrain.remember.known import as_known

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.remember.board import Board
    from smartbrain.remember.gate import Judged

_FACTS: Final = "facts"


def known_of_ours(judged: Judged, board: Board) -> Judged:
    """Return what is told of what we use under the key that it is known by."""
    one = judged.candidate
    kind = _kind(one.value) if one.type == _FACTS and one.source is Source.USER else ""
    if not kind or one.rule.startswith("operation") or not judged.key:
        return judged
    if board.last(_FACTS, judged.key) is not None:
        return judged
    any_of_us = one.rule == f"facts.{SWITCHED_TO}"
    if one.value["subject"] in SOME_OF_US and one.value["subject"] != US and not any_of_us:
        return judged
    declared = board.types.get(_FACTS)
    told = [(US, kind), (GENERAL, kind), (kind, kind), (kind, "tool"), (kind.upper(), "tool")]
    told += [(some, kind) for some in SOME_OF_US if any_of_us]
    keys = [declared.key_of({"subject": who, "attribute": what}) for who, what in told]
    board.read(keys)
    known = (board.standing(_FACTS, key) for key in keys if key != judged.key)
    found = next((memory for memory in known if memory and _is_such(memory, kind)), None)
    return judged if found is None else as_known(judged, declared, found)


def _kind(value: Mapping[str, Any]) -> str:
    """Return the kind of things that a fact tells which of them we use; nothing if it does not."""
    subject, kind = str(value.get("subject")), str(value.get("attribute"))
    if kind == "tool":
        return kind_named(subject)
    named = subject in (*SOME_OF_US, GENERAL) or kind_named(subject) == kind
    return kind if named and kind in THINGS and _names(value.get("value"), kind) else ""


def _is_such(memory: Memory, kind: str) -> bool:
    """Tell whether what stands is a thing of a kind; a cache of 2 GB is none."""
    return _names(memory.value.get("value"), kind)


def _names(value: object, kind: str) -> bool:
    """Tell whether a value may name a thing of a kind."""
    text = str(value or "")
    return known_as(text) == kind or not (known_as(text) or any(map(str.isdigit, text)))
