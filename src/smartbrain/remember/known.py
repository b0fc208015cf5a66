"""Finding the known memory that a statement is about, when it is not named by the same words.

In: a candidate and what stands. Out: the key of the memory that it means, and a value that keeps
what the statement does not speak of. Without a good match a statement is about something new.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.denials import denied_later
from smartbrain.remember.extract.called_off import CALLED_OFF, CALLED_OFF_ON
from smartbrain.remember.extract.deadlines import DUE_ANEW
from smartbrain.remember.extract.deeds import are_two, names_several, says_less
from smartbrain.remember.extract.denied_values import DENIED
from smartbrain.remember.extract.standing import PERMITTED, RENAMED
from smartbrain.remember.extract.switches import SWITCHED
from smartbrain.remember.extract.tasks_blocked import without_reasons
from smartbrain.remember.extract.wording import GENERAL
from smartbrain.remember.meetings import fitting, is_bare, is_gathering, placed, terms_of
from smartbrain.remember.profile_facts import added, left
from smartbrain.remember.versions import CORRECTION
from smartbrain.text.pattern import pattern
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.memory_type import MemoryType
    from smartbrain.remember.board import Board
    from smartbrain.remember.gate import Judged

_FACTS: Final = "facts"
_LOOKED_AT: Final = 200  # of the memories written last
_SAME_TASK: Final = 0.85
_SAME_WHEN_CHANGED: Final = 0.6
_SAME_WHEN_DENIED: Final = 0.5
_LEAST_SHARED: Final = 2
_ID: Final = pattern(r"[\w.]*-?\d+")
_REPORTED: Final = (
    "tasks.open",
    "tasks.marked",
    DUE_ANEW,
)  # how far something is that was told before
_NAME: Final = pattern(r"(?<=\w )[A-Z][\w'’-]+")


def known_key(judged: Judged, kind: MemoryType, board: Board) -> Judged:
    """Return a candidate under the key of the memory that it means."""
    one = judged.candidate
    if is_named(one):
        return judged
    if kind.name == "tasks" and (meant := _with_id(_words(one.value), board)):
        return _as_known(judged, kind, meant)
    if judged.key and board.standing(kind.name, judged.key) is not None:
        return judged
    if one.action is CandidateAction.RETRACT:
        return _meant(judged, kind, board, _SAME_WHEN_DENIED)
    if kind.name == "tasks":
        return _meant(judged, kind, board, _SAME_TASK if _is_new(one) else _SAME_WHEN_CHANGED)
    if kind.name == "events" and one.corrects:
        return _moved(judged, kind, board)
    return judged


def known_spelling(judged: Judged, board: Board) -> Judged:
    """Return a fact under the key of one that is known but for the case of its letters.

    Who writes a memory by its key means that one.
    """
    one = judged.candidate
    if one.type != _FACTS or not judged.key or one.rule.startswith("operation"):
        return judged
    if board.last(_FACTS, judged.key) is not None:
        return judged
    keys = [*board.keys(), board.transaction.remembering.fact_key(judged.key)]
    same = (key for key in keys if key and key.lower() == judged.key.lower())
    known = (board.last(_FACTS, key) for key in same)
    found = next(filter(None, known), None)
    return judged if found is None else _as_known(judged, board.types.get(_FACTS), found)


def is_named(candidate: Candidate) -> bool:
    """Tell whether somebody named the memory by its key, so that no other can be meant."""
    return candidate.source in (Source.TOOL, Source.AGENT) or candidate.rule.startswith(
        ("proposal", "operation", "speaker", RENAMED, PERMITTED, SWITCHED, DENIED)
    )


def meant_key(judged: Judged, kind: MemoryType, board: Board) -> Judged:
    """Return a candidate under the key of the newest memory that its words fit."""
    return _meant(judged, kind, board, _SAME_WHEN_DENIED)


def _moved(judged: Judged, kind: MemoryType, board: Board) -> Judged:
    """Return an event that is moved on the day that is meant, under the name it is known by."""
    one = judged.candidate
    was = _fitting(judged, kind, board, _SAME_WHEN_DENIED)
    if was is None:
        return judged
    value = {**one.value, "date": placed(one, was.value, board.origin.said_at)}
    if is_bare(str(value["title"])):
        value |= {name: was.value[name] for name in ("scope", "title", "impact")}
    key = kind.key_of(value)
    return replace(judged, key=key, candidate=replace(one, value=value))


def events_since(judged: Judged, board: Board) -> list[str]:
    """Return the keys of events that are moved or called off otherwise by what is said here.

    They are told in like words and not over yet. Nothing comes out otherwise where none of them
    was told, moved or called off after it.
    """
    one, at = judged.candidate, board.origin.said_at
    if one.type != "events" or at >= board.origin.now or is_named(one):
        return []
    today = at.date().isoformat()
    known = board.newest("events", limit=_LOOKED_AT)
    stand = [memory for memory in known if memory.value["date"] >= today]
    denied = [
        (each.judged.key, _words(each.judged.candidate.value))
        for each in denied_later(("events",), board)
    ]
    changes = one.corrects or one.action is CandidateAction.RETRACT
    since = {
        memory.key
        for memory in stand
        if memory.said_at > at and (changes or CORRECTION in memory.tags)
    }
    since |= {key for key, _ in denied}
    if not since:
        return []
    near = _near(_words(one.value), [(each.key, _words(each.value)) for each in stand] + denied)
    return near if {*near} & since else []


def _near(words: str, others: list[tuple[str, str]]) -> list[str]:
    """Return the keys of what is told in words like some, or in words like theirs."""
    told, found = [words], dict[str, None]()
    waiting = list(others)
    while told:
        wanted = told.pop()
        like = [pair for pair in waiting if _are_like(wanted, pair[1])]
        waiting = [pair for pair in waiting if pair not in like]
        found |= dict.fromkeys(key for key, _ in like)
        told += [title for _, title in like]
    return list(found)


def _are_like(one: str, other: str) -> bool:
    """Tell whether two events may be one; any meeting may be the one that has no other name."""
    if is_gathering(one) and is_gathering(other):
        return True
    return _share(terms_of(one), terms_of(other)) >= _SAME_WHEN_DENIED


def alike_since(judged: Judged, board: Board) -> list[str]:
    """Return the keys of tasks that were told or denied in like words after what is said here.

    Had this been told in time, they might be about it; and it might be about one that was told
    before, where only later something was told under its own key.
    """
    one, at = judged.candidate, board.origin.said_at
    told = one.type == "tasks" and at < board.origin.now and not is_named(one)
    stands = board.standing("tasks", judged.key) if told else None
    if not told or (stands is not None and (stands.valid_since or at) <= at):
        return []
    words = _words(one.value) or one.text
    wanted = frozenset(index_terms(words))
    since = [
        (memory.key, _words(memory.value), terms)
        for memory, terms in _newest("tasks", board)
        if stands is not None or memory.said_at > at
    ]
    denied = [
        (each.judged.key, _words(each.judged.candidate.value))
        for each in denied_later(("tasks",), board)
    ]
    since += [(key, title, frozenset(index_terms(title))) for key, title in denied]
    return [
        key
        for key, title, terms in since
        if (share := _share(wanted, terms)) >= _SAME_WHEN_DENIED
        or (share and (says_less(words, title) or says_less(title, words)))
    ]


def united(kind: MemoryType, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return a new value with what the old one has beside it.

    A profile keeps its other facts, and those of which there can be many; an entity or a concept
    keeps all names it goes by; of anything else the fields that the new statement says nothing
    about are kept. A task keeps its notes but those of why it was blocked.
    """
    value = {**old, **{name: item for name, item in new.items() if item not in (None, "", [])}}
    if kind.name == "profile":
        value["facts"] = added(old.get("facts", ()), new.get("facts", ()))
    if kind.name == "tasks" and old.get("notes"):
        value = _with_notes(value, list(old["notes"]), list(new.get("notes") or ()))
    for name in ("aliases", "keywords"):
        if old.get(name) and new.get(name):
            value[name] = list(dict.fromkeys((*old[name], *new[name])))
    return value


def _with_notes(value: dict[str, Any], old: list[Any], new: list[Any]) -> dict[str, Any]:
    """Return a task with its notes; why it was blocked is told no more once it goes on."""
    blocked, given = value.get("status") == "blocked", without_reasons(new)
    kept = (
        []
        if given
        else old
        if blocked and not new
        else without_reasons(old, done=value.get("status") == "done")
    )
    notes = kept + (new if blocked else given)
    value.pop("notes", None)
    return {**value, "notes": notes} if notes else value


def left_of(active: Memory, candidate: Candidate) -> list[Any] | None:
    """Return the facts of a profile that a denial leaves; nothing where it denies all of it."""
    facts = list(active.value.get("facts", ()))
    if denied := candidate.value.get("facts", ()):
        return left(facts, denied) or None
    text = candidate.text.casefold()
    kept = [fact for fact in facts if str(fact["v"]).casefold() not in text]
    return kept if 0 < len(kept) < len(facts) else None


def _meant(judged: Judged, kind: MemoryType, board: Board, least: float) -> Judged:
    """Return a candidate under the key of the newest memory that its words fit best."""
    found = _fitting(judged, kind, board, least)
    return judged if found is None else _as_known(judged, kind, found)


def _fitting(judged: Judged, kind: MemoryType, board: Board, least: float) -> Memory | None:
    """Return the newest memory that the words of a candidate fit best."""
    if kind.name == "events" and is_bare(_words(judged.candidate.value) or judged.candidate.text):
        return _meeting(judged, board)
    project = judged.candidate.value.get("project")
    new = _is_new(judged.candidate)
    best, found = (least, 0.0), None
    own: dict[str, tuple[str, frozenset[str]]] = {}  # most are nobody's, or of the same few people
    for memory, terms in _newest(kind.name, board):
        who = str(memory.value.get("assignee") or "")
        if who not in own:
            own[who] = _own_words(judged.candidate, memory)
        words, wanted = own[who]
        if wanted.isdisjoint(terms):
            continue
        shared = len(wanted & terms)
        if project not in (None, GENERAL) and memory.value.get("project") != project:
            continue
        less = memory.type == "tasks" and says_less(words, _words(memory.value))
        if not less and shared < min(_LEAST_SHARED, len(wanted)):
            continue
        of_all = shared / max(len(wanted), len(terms))
        share = of_all if new else max(float(less), _share(wanted, terms))
        if (share, of_all) <= best:
            continue
        if wanted < terms and _is_part(judged.candidate, memory):
            continue
        if _of_another(judged.candidate, memory) or _is_over(judged.candidate, memory, board):
            continue
        best, found = (share, of_all), memory
    return found


def _with_id(words: str, board: Board) -> Memory | None:
    """Return the task that is told by the id it has in a tracker: "A-1 is done"."""
    said = words.casefold()
    if not _ID.fullmatch(said):
        return None
    known = (memory for memory, _ in _newest("tasks", board))
    return next((one for one in known if one.value["task_id"].casefold() == said), None)


def _as_known(judged: Judged, kind: MemoryType, found: Memory) -> Judged:
    """Return a candidate under the key of a memory, with what that is called."""
    if judged.candidate.rule.startswith(CALLED_OFF):
        return replace(judged, key=found.key)
    value = {**judged.candidate.value}
    named = kind.parse_key(found.key)
    value.update({name: found.value.get(name, said) for name, said in named.items()})
    if "title" in found.value:
        value["title"] = found.value["title"]
    return replace(judged, key=found.key, candidate=replace(judged.candidate, value=value))


def _meeting(judged: Judged, board: Board) -> Memory | None:
    """Return the one meeting to come that is meant by the word alone; of several none is."""
    one, at = judged.candidate, board.origin.said_at
    known = [
        memory
        for memory, _ in _newest("events", board)
        if (memory.valid_since or memory.said_at) <= at
        and memory.value["date"] >= at.date().isoformat()
    ]
    fits = fitting(one, known, at)
    named = [memory for memory in fits if is_bare(_words(memory.value))]
    return next(iter(named or fits), None) if named or len(fits) == 1 else None


def _terms(type_name: str, words: str) -> frozenset[str]:
    """Return the terms that something of a type is known by."""
    return terms_of(words) if type_name == "events" else frozenset(index_terms(words))


def _own_words(one: Candidate, memory: Memory) -> tuple[str, frozenset[str]]:
    """Return what a candidate is told in, without whose it is: 小李的文档, "Ann's docs"."""
    words = _words(one.value) or one.text
    if who := str(memory.value.get("assignee") or ""):
        words = re.sub(rf"(?<!\w){re.escape(who)}(?:['’]s\s+|的)|{re.escape(who)}的", "", words)
    return words, _terms(memory.type, words)


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how much of the shorter of two the longer has."""
    return len(one & other) / max(1, min(len(one), len(other)))


def _is_new(one: Candidate) -> bool:
    """Tell whether something to do is told, which is as much as its words say: a hotel in Rome."""
    told = one.action is not CandidateAction.RETRACT and not one.corrects
    told = told and one.rule not in _REPORTED
    return told and one.type == "tasks" and one.value.get("status") == "todo"


def _is_part(one: Candidate, memory: Memory) -> bool:
    """Tell whether only one of several things to do is done."""
    done = memory.type == "tasks" and one.value.get("status") == "done"
    return done and names_several(str(memory.value.get("title", "")))


def _of_another(one: Candidate, memory: Memory) -> bool:
    """Tell whether a task is about something else than one that is known: two trips are two."""
    if memory.type != "tasks" or one.corrects:
        return False
    told, known = _own_words(one, memory)[0], _words(memory.value)
    if are_two(told, known):
        return True
    if one.action is CandidateAction.RETRACT:
        return False
    names, others = (set(_NAME.findall(each)) for each in (told, known))
    return bool(names and others) and names.isdisjoint(others)


def _is_over(one: Candidate, memory: Memory, board: Board) -> bool:
    """Tell whether an event lies before the moment at which one is moved or called off."""
    if memory.type != "events":
        return False
    date = str(memory.value["date"])
    if one.rule == CALLED_OFF_ON and date != one.value["date"]:
        return True
    changed = one.corrects or one.rule == CALLED_OFF
    return changed and date < board.origin.said_at.date().isoformat()


def _newest(type_name: str, board: Board) -> list[tuple[Memory, frozenset[str]]]:
    """Return the memories of a type that were written last, with the words they are known by."""
    if type_name not in board.looked_up:
        newest = board.newest(type_name, limit=_LOOKED_AT)
        if type_name == "events":  # whatever arrived last
            newest.sort(key=lambda one: (one.said_at, one.key), reverse=True)
        board.looked_up[type_name] = [
            (memory, _terms(type_name, _words(memory.value) or memory.title)) for memory in newest
        ]
    return board.looked_up[type_name]


def _words(value: Mapping[str, Any]) -> str:
    """Return the words that a value is known by."""
    for name in ("title", "description", "decision", "canonical", "value", "name"):
        if isinstance(value.get(name), str) and value[name]:
            return str(value[name])
    return " ".join(str(fact.get("v", "")) for fact in value.get("facts", ()))
