"""Open tasks and goals that are reached, because somebody says in passing that they did them (C1).

In: what was read of a step, and what stands. Out: candidates that set them to done or achieved. "I
bought the milk" is chit-chat unless buying milk was to be done; so only what is known, by its verb
and by what is done, is closed. The assistant reports on tasks; goals are the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.memory import Memory, Status
from smartbrain.remember.denials import Denial, denied_later
from smartbrain.remember.extract.correction_words import read as correction_in
from smartbrain.remember.extract.deadlines import deadline_of, is_deadline_of, new_day
from smartbrain.remember.extract.deeds import (
    LEAST,
    LEAST_WIDE,
    VAGUE,
    Deed,
    by_another,
    deed_of,
    is_bare,
    names_several,
    to_another,
    told_apart,
    words_of,
)
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.tasks_blocked import held_up, without_reasons
from smartbrain.remember.extract.undone import undone_of
from smartbrain.remember.extract.unsettled import is_awaited
from smartbrain.remember.gate import Judged, gate
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.policy import Rules
    from smartbrain.domain.turn import Turn
    from smartbrain.remember.board import Board
    from smartbrain.remember.extract.said import Said
    from smartbrain.remember.extract.turn import Read

_LOOKED_AT: Final = 40  # of the tasks written last; people say it soon after


class Aim(NamedTuple):
    """What can be done: its type, the field that tells what, when it is open, and how it ends.

    `again` is how it goes on if it has not ended after all; `told_by` are those whose word counts.
    """

    type: str
    field: str
    open: frozenset[str]
    end: str
    again: str
    told_by: tuple[Source, ...]


_OPEN: Final = frozenset(("todo", "doing", "blocked"))
AIMS: Final = {
    one.type: one
    for one in (
        Aim("tasks", "title", _OPEN, "done", "todo", (Source.USER, Source.ASSISTANT)),
        Aim("goals", "name", frozenset(("active",)), "achieved", "active", (Source.USER,)),
    )
}
"""What a deed can end, by its type."""
_A_WORD: Final = pattern(
    r"\W*(?:(?:ok|okay|yes|yep|yeah|好的?|嗯)\W+)?(?:(?:(?:it|that|this)(?:['’]s| is| has been) )?"
    r"(?:(?:all|now|finally|just|already) )*(?:done|finished|fixed|completed|sorted)(?: now)?"
    r"|(?:都|已经|终于|总算|这个|那个)*(?:搞定|完成|做完|做好|弄好|弄完|办好|办完|修好)[了啦])"
    r"(?:\W+(?:thanks|thank you|谢谢))?[\s.!。！~～]*\Z",
    0x02,
)
_GOES_ON: Final = pattern(
    r"\W*(?:(?:ok|okay|yes|yep|yeah|good news|update|好的?|嗯|好消息)\W+)?"
    r"(?:(?:(?:i|we|it|that|this)(?:['’](?:m|re|s)| am| are| is| got) )?(?:(?:all|now|finally"
    r"|just) )*"
    r"(?:no longer (?:blocked|stuck)|not (?:blocked|stuck) any ?more|unblocked|back on track"
    r"|resolved)"
    r"(?: now)?|(?:现在|终于|总算|已经|都|问题|这个|那个)*(?:不(?:再)?卡(?:住)?了|不阻塞了"
    r"|(?:可以|能)继续了"
    r"|解决[了啦]|通了|解除阻塞了?))(?:\W+(?:thanks|thank you|谢谢))?[\s.!。！~～]*\Z",
    0x02,
)
AT_A_WORD: Final = "tasks.at_a_word"
"""The rule of a bare "done": it names nothing, so it is no deed that might end something else."""
_PAST: Final = ".past"  # how the rule of a deed ends
_LONG_AGO: Final = pattern(r"\b(?:ago|last year|in (?:19|20)\d\d|once)\b|去年|前年|年前|以前", 0x02)
_YEARS_AGO: Final = pattern(r"\b(?:years?|decades?) ago\b|\blast year\b|去年|前年|年前", 0x02)


@lru_cache(maxsize=512)  # deeds that are kept are compared again
def _deed(text: str) -> Deed | None:
    """Return the deed that words tell as done, as not done after all, or as put off."""
    if thing := deadline_of(text):
        return Deed("", words_of(thing), put_off=True)
    return deed_of(text) or undone_of(text)


def deeds_told(read: Read) -> list[Candidate]:
    """Return what a step's messages tell as done, each as a candidate that ends nothing yet.

    So is what they say was not done after all.
    """
    return [
        _told(index, said, text, offset)
        for index, said in read.said
        if any(said.source in aim.told_by for aim in AIMS.values())
        for text, offset in _deeds(index, said, read.candidates)
    ]


def _told(index: int, said: Said, text: str, offset: int) -> Candidate:
    """Return words of a message as a deed."""
    return Candidate(
        type="tasks",
        text=text,
        rule=_PAST,
        source=said.source,
        confidence=0.85,
        message=index,
        offset=offset,
        length=len(text),
    )


def closed_aims(deeds: Sequence[Candidate], board: Board) -> list[Candidate]:
    """Return what sets the open tasks and goals to their end that deeds reach.

    Those that were not reached after all are open again.
    """
    found: dict[str, Candidate] = {}
    deeds = [one for one in deeds if not is_bare(one.text)]
    late = deeds and board.origin.said_at < board.origin.now
    denied = denied_later(AIMS, board) if late else []
    for aim in AIMS.values() if deeds else ():
        known = _known(aim, board, denied)
        for deed in deeds:
            if met := _met(deed, known, aim):
                found[met.key] = _ending(deed, met, aim, board.origin.said_at)
    return list(found.values())


def closed_at_a_word(
    read: Read, before: Callable[[], Turn | None], board: Board
) -> list[Candidate]:
    """Return what ends the one open task that was spoken of just before a bare "done".

    A bare "no longer blocked" lets the one go on that was blocked, and what holds somebody up who
    names nothing to do holds up the one that was spoken of. Where there are several, or none,
    nobody knows which is meant.
    """
    aim, heard = AIMS["tasks"], [one for one in read.said if one[1].source is Source.USER]
    for index, said in heard:
        first = said.sentences[0] if said.sentences else None
        lifted = first is not None and _GOES_ON.match(first.text) is not None
        why = held_up(first.text) if first is not None and stated_clauses(first) else ""
        if first is None or not (lifted or why or _A_WORD.match(first.text)):
            continue
        states = frozenset(("blocked",)) if lifted else aim.open
        turn = before()
        told = [one.content for one in turn.messages] if turn else []
        spoken = set(words_of("\n".join(told)))
        titled = (
            (one, words_of(str(one.value.get(aim.field, ""))))
            for one in _known(aim, board)
            if one.value.get("status") in states
        )
        meant = [one for one, words in titled if words and spoken.issuperset(words)]
        if len(meant) == 1:
            word = _told(index, said, first.text, first.offset)
            ending = _ending(word, meant[0], aim, board.origin.said_at)
            value = {**ending.value, "status": "doing"} if lifted else ending.value
            if why:
                value = {**value, "status": "blocked", "notes": [*_notes(meant[0]), why]}
            return [replace(ending, rule=AT_A_WORD, value=value)]
    return []


def _notes(task: Memory) -> list[Any]:
    """Return the notes of a task but why it was blocked before."""
    return without_reasons(list(task.value.get("notes") or ()))


def could_end(deed: Candidate) -> bool:
    """Tell whether there can be anything that a deed reaches: it names what was done to what."""
    told = _deed(deed.text)
    return told is not None and (told.put_off or len(told.words) >= LEAST)


def is_deed(candidate: Candidate) -> bool:
    """Tell whether a candidate was told in passing as done."""
    return candidate.rule.endswith(_PAST) and _deed(candidate.text) is not None


def reached(judged: Judged, *, board: Board, rules: Rules) -> Judged | None:
    """Return a deed as what ends the aim that it reaches on a board, if it reaches one."""
    deed = judged.candidate
    aim = AIMS[deed.type]
    met = _met(deed, _known(aim, board), aim)
    if met is None:
        return None
    (ending,) = gate(
        [_ending(deed, met, aim, board.origin.said_at)], types=board.types, rules=rules
    )
    ending = replace(ending, message_id=judged.message_id, raw_refs=judged.raw_refs)
    return ending if ending.refused is None else None


def fits(deed: Candidate, aim: Aim, value: Mapping[str, Any]) -> bool:
    """Tell whether a deed does what is called so: one has all the words of the other."""
    title, who = str(value.get(aim.field, "")), str(value.get("assignee") or "")
    text = deed.text.strip()
    text = text[len(who) :] if who and text.startswith(who) else text
    told_as = _deed(text)
    if told_as is None or told_as.by or deed.source not in aim.told_by:
        return False
    if told_as.put_off:
        return aim.type == "tasks" and is_deadline_of(deadline_of(text), title)
    told, asked = set(told_as.words), set(words_of(title))
    if text != deed.text.strip() and told_as.verb in VAGUE - asked:
        return told - {told_as.verb} == asked - {*words_of(title)[:1]}
    shared = told & asked
    if told_as.verb not in shared or shared not in (told, asked):
        return False
    if told < asked and names_several(title):
        return False  # one of them is done
    if _YEARS_AGO.search(deed.text):
        return False
    if told != asked and to_another(*((title, deed.text) if told < asked else (deed.text, title))):
        return False
    if aim.type == "goals" and (told != asked or _LONG_AGO.search(deed.text)):
        return False  # a book of twenty, half a marathon
    wide = all(len(word) == 1 and not word.isascii() for word in shared)
    enough = len(shared) >= (LEAST_WIDE if wide else LEAST) or (
        told == asked and len(shared) >= LEAST
    )
    return enough and not by_another(text, title)


def aims_of(aim: Aim, board: Board) -> list[Memory]:
    """Return what of a type stands and was written last."""
    return board.newest(aim.type, limit=_LOOKED_AT)


def _known(aim: Aim, board: Board, denied: Iterable[Denial] = ()) -> list[Memory]:
    """Return what was open or done when something was said, what was taken up last first.

    `denied` was taken back later.
    """
    meant = (one.judged for one in denied if one.judged.candidate.type == aim.type)
    gone = [board.last(aim.type, one.key) for one in meant]
    known = [*aims_of(aim, board), *(one for one in gone if one is not None)]
    held = [one for one in (_as_of(each, board) for each in known) if one is not None]
    return sorted(held, key=lambda one: one.valid_since or one.said_at, reverse=True)


def _as_of(aim: Memory, board: Board) -> Memory | None:
    """Return the version of an aim that held when something was said."""
    at = board.origin.said_at
    since, denied = aim.valid_since, aim.status is Status.RETRACTED
    if not denied and (since is None or since <= at):
        return aim
    told = board.history(aim.type, aim.key)
    held = next((one for one in reversed(told) if one.valid_since and one.valid_since <= at), None)
    ended = held.valid_until if held else None
    return held if ended is None or ended > at else None


def _deeds(index: int, said: Said, candidates: Sequence[Candidate]) -> Iterator[tuple[str, int]]:
    """Yield what of a message tells a deed, and where, if no task was found there already."""
    taken = [
        (one.offset, one.offset + one.length)
        for one in candidates
        if one.type == "tasks" and one.message == index
    ]
    without = set()  # clauses that tell none, of which a long message may have many alike
    for sentence in said.sentences:
        for clause in stated_clauses(sentence):
            end = clause.offset + len(clause.text)
            if clause.text in without:
                continue
            if any(start < end and clause.offset < stop for start, stop in taken):
                continue
            if is_awaited(sentence.text, end - sentence.offset):
                continue
            told = [(*one, _deed(one[1])) for one in told_apart(clause.text)]
            if not any(deed for _, _, deed in told):
                without.add(clause.text)
            for place, part, deed in told:
                if deed and (deed.done or correction_in(sentence)):
                    yield part, clause.offset + place


def _met(deed: Candidate, known: Sequence[Memory], aim: Aim) -> Memory | None:
    """Return the newest aim that a deed does, or undoes; one that is called just so comes first."""
    told = _deed(deed.text)
    if told is None:
        return None
    states = aim.open if told.done else (aim.end, aim.again)
    titled = (
        (one, str(one.value.get(aim.field, "")))
        for one in known
        if one.value.get("status") in states
    )
    met = [(one, title) for one, title in titled if fits(deed, aim, one.value)]
    just_so = (one for one, title in met if {*told.words} == {*words_of(title)})
    if told.put_off and len(met) > 1:
        return next(just_so, None)  # of several reports nobody knows which
    return next(just_so, met[0][0] if met else None)


def _ending(deed: Candidate, met: Memory, aim: Aim, at: datetime) -> Candidate:
    """Return a deed as what sets an aim to its end, or takes back that it has ended.

    A task that is put off goes on, and is due when the deed says.
    """
    told = _deed(deed.text)
    if told is not None and told.put_off:
        value = {**met.value, "due": new_day(deed.text, at) or met.value.get("due")}
        return replace(deed, type=aim.type, value=value, rule=f"{aim.type}{_PAST}")
    done = told is None or told.done
    value = {**met.value, "status": aim.end if done else aim.again}
    return replace(deed, type=aim.type, value=value, rule=f"{aim.type}{_PAST}", corrects=not done)
