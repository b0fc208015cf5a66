"""Open tasks and goals that are reached, because somebody says in passing that they did them (C1).

In: what was read of a step, and what stands. Out: candidates that set them to done or achieved. "I
bought the milk" is chit-chat unless buying milk was to be done; so only what is known, by its verb
and by what is done, is closed. The assistant reports on tasks; goals are the user's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.deeds import Deed, by_another, deed_of, names_several, words_of
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.remember.board import Board
    from smartbrain.remember.extract.said import Clause, Said
    from smartbrain.remember.extract.turn import Read

_LOOKED_AT: Final = 40  # of the tasks written last; people say it soon after


class _Aim(NamedTuple):
    """What can be done: its type, the field that tells what, when it is open, and how it ends.

    `told_by` are those whose word ends it.
    """

    type: str
    field: str
    open: frozenset[str]
    end: str
    told_by: tuple[Source, ...]


_AIMS: Final = (
    _Aim(
        "tasks",
        "title",
        frozenset(("todo", "doing", "blocked")),
        "done",
        (Source.USER, Source.ASSISTANT),
    ),
    _Aim("goals", "name", frozenset(("active",)), "achieved", (Source.USER,)),
)
_LONG_AGO: Final = pattern(r"\b(?:ago|last year|in (?:19|20)\d\d|once)\b|去年|前年|年前|以前", 0x02)
_LEAST: Final = 2  # words: the deed, and what it is done to
_LEAST_WIDE: Final = 3  # characters


def closed_aims(read: Read, board: Board) -> list[Candidate]:
    """Return the open tasks and goals that a step's messages tell as done."""
    deeds = [
        (said.source, index, clause, deed)
        for index, said in read.said
        for clause, deed in _deeds(index, said, read.candidates)
    ]
    if not deeds:
        return []
    found: dict[str, Candidate] = {}
    for aim in _AIMS:
        newest = board.transaction.remembering.newest(aim.type, limit=_LOOKED_AT)
        known = [_as_of(one, board) for one in newest]
        pursued = [one for one in known if one and one.value.get("status") in aim.open]
        for source, index, clause, deed in deeds:
            if source not in aim.told_by:
                continue
            if done := _done(deed, clause.text, pursued, aim.field):
                found.setdefault(done.key, _candidate(done, aim, source, index, clause))
    return list(found.values())


def _as_of(aim: Memory, board: Board) -> Memory | None:
    """Return the version of an aim that held when something was said."""
    at = board.origin.said_at
    if aim.valid_since is None or aim.valid_since <= at:
        return aim
    told = board.history(aim.type, aim.key)
    held = next((one for one in reversed(told) if one.valid_since and one.valid_since <= at), None)
    ended = held.valid_until if held else None
    return held if ended is None or ended > at else None


def _deeds(
    index: int, said: Said, candidates: Sequence[Candidate]
) -> Iterator[tuple[Clause, Deed]]:
    """Yield the clauses of a message that tell a deed, where no task was found already."""
    taken = [
        (one.offset, one.offset + one.length)
        for one in candidates
        if one.type == "tasks" and one.message == index
    ]
    for sentence in said.sentences:
        for clause in stated_clauses(sentence):
            end = clause.offset + len(clause.text)
            if any(start < end and clause.offset < stop for start, stop in taken):
                continue
            if deed := deed_of(clause.text):
                yield clause, deed


def _done(deed: Deed, clause: str, pursued: Sequence[Memory], field: str) -> Memory | None:
    """Return the newest aim that a deed does: one has all the words of the other."""
    told = set(deed.words)
    for aim in pursued:
        title = str(aim.value.get(field, ""))
        asked = set(words_of(title))
        shared = told & asked
        if deed.verb not in shared or shared not in (told, asked):
            continue
        if told < asked and names_several(title):
            continue  # one of them is done
        if aim.type == "goals" and (told != asked or _LONG_AGO.search(clause)):
            continue  # a book of twenty, half a marathon
        wide = all(len(word) == 1 and not word.isascii() for word in shared)
        enough = len(shared) >= (_LEAST_WIDE if wide else _LEAST) or (
            told == asked and len(shared) >= _LEAST
        )
        if enough and not by_another(clause, title):
            return aim
    return None


def _candidate(done: Memory, aim: _Aim, source: Source, index: int, clause: Clause) -> Candidate:
    """Return what sets an aim to its end."""
    return Candidate(
        type=aim.type,
        value={**done.value, "status": aim.end},
        text=clause.text,
        rule=f"{aim.type}.past",
        source=source,
        confidence=0.85,
        message=index,
        offset=clause.offset,
        length=len(clause.text),
    )
