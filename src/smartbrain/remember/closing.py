"""Open tasks that are done, because the user says in passing that they have done them (C1).

In: what was read of a step, and what stands. Out: candidates that set those tasks to done. "I
bought the milk" is chit-chat unless buying milk was to be done; so only a task that is known, by
its verb and by what is done, is closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.deeds import Deed, by_another, deed_of, names_several, words_of
from smartbrain.remember.extract.stated import stated_clauses

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.remember.board import Board
    from smartbrain.remember.extract.said import Clause, Said
    from smartbrain.remember.extract.turn import Read

_LOOKED_AT: Final = 40  # of the tasks written last; people say it soon after
_OPEN: Final = frozenset(("todo", "doing", "blocked"))
_LEAST: Final = 2  # words: the deed, and what it is done to
_LEAST_WIDE: Final = 3  # characters


def closed_tasks(read: Read, board: Board) -> list[Candidate]:
    """Return the open tasks that a step's messages tell as done."""
    deeds = [
        (index, clause, deed)
        for index, said in read.said
        if said.source is Source.USER
        for clause, deed in _deeds(index, said, read.candidates)
    ]
    if not deeds:
        return []
    newest = board.transaction.remembering.newest("tasks", limit=_LOOKED_AT)
    tasks = [one for one in newest if one.value.get("status") in _OPEN]
    found: dict[str, Candidate] = {}
    for index, clause, deed in deeds:
        if task := _done(deed, clause.text, tasks):
            found.setdefault(task.key, _candidate(task, index, clause))
    return list(found.values())


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


def _done(deed: Deed, clause: str, tasks: Sequence[Memory]) -> Memory | None:
    """Return the newest task that a deed does: one has all the words of the other."""
    told = set(deed.words)
    for task in tasks:
        title = str(task.value.get("title", ""))
        asked = set(words_of(title))
        shared = told & asked
        if deed.verb not in shared or shared not in (told, asked):
            continue
        if told < asked and names_several(title):
            continue  # one of them is done
        wide = all(len(word) == 1 and not word.isascii() for word in shared)
        enough = len(shared) >= (_LEAST_WIDE if wide else _LEAST) or (
            told == asked and len(shared) >= _LEAST
        )
        if enough and not by_another(clause, title):
            return task
    return None


def _candidate(task: Memory, index: int, clause: Clause) -> Candidate:
    return Candidate(
        type="tasks",
        value={**task.value, "status": "done"},
        text=clause.text,
        rule="tasks.past",
        confidence=0.85,
        message=index,
        offset=clause.offset,
        length=len(clause.text),
    )
