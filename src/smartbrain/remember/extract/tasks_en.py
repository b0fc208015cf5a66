"""What English sentences say about tasks: what is to be done, under way, blocked or finished (C6).

In: a sentence. Out: the parts of it that tell of tasks, as places; whether they count is for
`tasks` to say. A need that is a feeling, a habit or a manner of speaking is left out here.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import islice
from typing import Final

from smartbrain.remember.extract import tasks_en_forms as forms
from smartbrain.remember.extract.tasks_blocked import NO_WORK_HELD, held_by
from smartbrain.remember.extract.tasks_en_forms import Form
from smartbrain.remember.extract.tasks_en_idioms import FORMS as IDIOMS
from smartbrain.remember.extract.tasks_en_idioms import SENT_OR_MOVED, idioms
from smartbrain.remember.extract.tasks_title import Told, numbered
from smartbrain.remember.extract.tasks_words import (
    ERRANDS,
    FINISHING,
    KINDS,
    VERBS,
    of_gerund,
    of_past,
)
from smartbrain.remember.extract.unsettled import is_doubted
from smartbrain.text.pattern import pattern

_BY_HAND: Final = frozenset(
    (forms.WORKING, forms.BUSY, forms.STUCK, forms.WAITING, forms.CANNOT)
    + (forms.FINALLY, forms.MANAGED, forms.GOT_DONE)
)
_LEFT: Final = (forms.HEADER, forms.NEED, forms.PLAN, forms.WANTED, forms.NOT_YET, forms.DUE)
_STATED: Final = (forms.LIFTED, forms.FINISHED, forms.STATE)
_STATES: Final = forms.index(*_STATED)
_FORMS: Final = forms.index(*_LEFT, forms.OPEN, *_BY_HAND, *_STATED, *IDIOMS)


def english(text: str, *, told_by_user: bool) -> Iterator[Told]:
    """Yield what a sentence tells of tasks; somebody else's report only tells how far they are."""
    held = (_FORMS if told_by_user else _STATES).in_(text)
    if told_by_user:
        yield from _asked_for(text, held)
        yield from _needed(text, held)
        yield from _left_open(text, held)
        states = list(_states(text, held, told_by_user=True))
        if not held.isdisjoint(_BY_HAND):
            blocked = [one.end for one in states if one.status == "blocked"]
            for told in _by_hand(text, held):
                if told.rule != "tasks.waiting" or not any(
                    end < told.begin and not _BESIDES.search(text, end, told.begin)
                    for end in blocked
                ):  # "… is blocked, waiting for the key" says why
                    yield told
        yield from _closed(text)
        yield from idioms(text, held)
        yield from states
        return
    yield from _states(text, held, told_by_user=False)


_I: Final = 0x02  # re.IGNORECASE
_BESIDES: Final = pattern(r"\b(?:and|also|but)\b|[.;]", _I)
_NONE_OF: Final = pattern(r"\b(?:no|zero|any|without)\s+(?:(?:more|open|new|other)\s+)?\Z", _I)
_FAULT: Final = pattern(
    r"\b(?:not|failed|fails|missing|undefined|unknown|invalid|cannot|error|exception|left)\b", _I
)


def _asked_for(text: str, held: Set[Form]) -> Iterator[Told]:
    """Yield what stands on a list, or is put on one."""
    if found := forms.CHECK.match(text):
        status = "todo"
        if found["mark"] in ("x", "X", "✓", "✔") or found["done"]:
            status = "done"
        elif found["doing"]:
            status = "doing"
        elif found["blocked"]:
            status = "blocked"
        yield Told(0, found.end(), len(text), status, "tasks.checklist")
        return
    if found := forms.LISTED.search(text):
        yield Told(found.start(), found.start(1), found.end(1), "todo", "tasks.list")
    if found := forms.MARKED.search(text):
        group = next(number for number in (1, 6, 7) if found[number])
        status = found.lastgroup or ("todo" if group > 6 else "done")
        start, act = _act(text, *found.span(group))
        yield Told(found.start(), start, found.end(group), status, "tasks.marked", act)
    for header in islice(forms.HEADER.each(text, held), 1):
        if not forms.NEED.pattern.match(text, header.end()) and _heads(text, *header.span()):
            for start, end in listed(text, header.end()):
                first = forms.FIRST_WORD.match(text, start, end)
                verb = of_gerund(first[1]) if first else None
                start = first.end(1) if first and verb else start
                yield Told(header.start(), start, end, "todo", "tasks.list", verb or "")


def _heads(text: str, start: int, end: int) -> bool:
    """Tell whether a heading is followed by things to do: "no TODO left" says that there are none.

    Without a mark after it the word alone may as well name a part of a program.
    """
    if _NONE_OF.search(text, 0, start):
        return False
    if text[start:end].rstrip() != "TODO":
        return True
    begins = not text[:start].strip(" \t-*+•") or _verb(text[end:]) in VERBS
    return begins and not _FAULT.search(text, end)


def _needed(text: str, held: Set[Form]) -> Iterator[Told]:
    """Yield what has to be done."""
    told = 0
    for found in forms.NEED.each(text, held):
        if found.start() < told:
            continue  # part of what is needed already
        if is_doubted(text[: found.start()]):
            continue
        if "meaning" in found[0] and "finally" in text[found.end() :]:
            continue  # it has been done since
        for start, end in _items(text, found.end()):
            told = end
            body = text[start:end]
            if forms.NO_WORK.match(body):
                break
            if _is_task(body, still=bool(forms.BOUND.search(found[0]))):
                begin = found.start() if start == found.end() else start
                # "Remember to add tests" tells an assistant how to go about its work.
                told_how = bool(found["mind"]) and _verb(body) not in ERRANDS
                due = bool(found["got"]) or told_how
                yield Told(begin, start, end, "todo", "tasks.need", needs_due=due)
    for found in forms.PLAN.each(text, held):
        for start, end in _items(text, found.end()):
            if _verb(text[start:end]) in VERBS and not forms.NO_WORK.match(text[start:end]):
                yield Told(
                    found.start(), start, end, "todo", "tasks.plan", needs_due=not found["plan"]
                )


def _left_open(text: str, held: Set[Form]) -> Iterator[Told]:
    """Yield what is told not to be done yet."""
    for found in forms.WANTED.each(text, held):
        verb = of_past(found[2] or found[5] or "") or of_gerund(found[4] or "")
        thing = _thing(text, found.start())
        if verb and thing is not None:
            yield Told(thing, thing, found.start(), "todo", "tasks.wanted", verb)
    for found in forms.NOT_YET.each(text, held):
        end = _end(text, found.end())
        verb = of_past(found[3])
        open_still = found[1] or found[2] or text[:end].rstrip(" .!").endswith("yet")
        if verb and verb != "decide" and open_still:
            yield Told(found.start(), found.end(), end, "todo", "tasks.not_yet", verb)
    for found in forms.DUE.each(text, held):
        start = found.start()
        end = text.rindex(" ", start, found.end() - 1)
        yield Told(start, start, end, "todo", "tasks.due", needs_due=True)
    for found in forms.OPEN.each(text, held):
        thing = _thing(text, found.start())
        if thing is not None:
            yield Told(thing, thing, found.start(), "todo", "tasks.open")


def _by_hand(text: str, held: Set[Form]) -> Iterator[Told]:
    """Yield what the speaker has begun, is held up with, or has brought to an end."""
    for found in forms.WORKING.each(text, held):
        yield from _object(text, found.start(), found.end(), "doing", "tasks.working")
    for found in forms.BUSY.each(text, held):
        verb = of_gerund(next(filter(None, found.groups())))
        if verb in FINISHING and not text.startswith("to ", found.end()):
            yield from _object(text, found.start(), found.end(), "doing", "tasks.busy", verb)
    for found in forms.STUCK.each(text, held):
        if found[0].rstrip().endswith("by"):  # what follows holds it up, and may name it after that
            yield from held_by(text, found.start(), found.end())
            continue
        yield from _object(text, found.start(), found.end(), "blocked", "tasks.stuck")
    for found in forms.WAITING.each(text, held):
        for told in _object(text, found.start(), found.end(), "blocked", "tasks.waiting"):
            yield told._replace(why=f"w{text[found.start('wait') + 1 : told.end].strip()}")
    for found in forms.CANNOT.each(text, held):
        verb = found[1] or ""
        if not verb or verb.lower() in VERBS or verb.lower() in forms.TO_HANDLE:
            begin, (start, end) = found.start(), found.span(2 if found[2] else 3)
            yield Told(begin, start, end, "blocked", "tasks.cannot", verb)
    for found in forms.FINALLY.each(text, held):
        verb = of_past(found[1] or found[2] or found[3])
        if verb in FINISHING:
            yield from _object(text, found.start(), found.end(), "done", "tasks.finally", verb)
    for found in forms.MANAGED.each(text, held):
        verb = found[1] if found[1].lower() in FINISHING else of_gerund(found[1])
        if verb:
            yield from _object(text, found.start(), found.end(), "done", "tasks.managed", verb)
    for found in forms.GOT_DONE.each(text, held):
        group = 1 if found[1] else 2
        if not forms.NO_THING.search(found[group]):
            yield Told(found.start(), *found.span(group), "done", "tasks.got_done")


def _states(text: str, held: Set[Form], *, told_by_user: bool) -> Iterator[Told]:
    """Yield how far things are, whoever says so."""
    for found in forms.LIFTED.each(text, held):
        if found["freed"]:
            yield Told(found.start(), *found.span("freed"), "doing", "tasks.doing")
        elif not found["thing"]:
            yield from _object(text, found.start(), found.end(), "doing", "tasks.doing")
        elif (start := _thing(text, found.start())) is not None:
            yield Told(start, start, found.start(), "doing", "tasks.doing")
    for found in forms.FINISHED.each(text, held):
        act = found["act"]
        if act and not (told_by_user and _named(text, found.end())):
            continue
        if forms.PRIVATE.match(text, found.end()):
            continue
        verb = _act_verb(act) if act else ""
        yield from _object(text, found.start(), found.end(), "done", "tasks.finished", verb)
    for found in forms.STATE.each(text, held):
        start = _thing(text, found.start())
        if start is not None and (told_by_user or not text[:start].strip()):
            status = found.lastgroup or "done"
            if status == "blocked" and NO_WORK_HELD.search(text, start, found.start()):
                continue
            if status == "done" and SENT_OR_MOVED.search(text, start, found.end()):
                continue
            named, verb = _act(text, start, found.start())
            yield Told(start, named, found.start(), status, f"tasks.{status}", verb)


def _closed(text: str) -> Iterator[Told]:
    """Yield what a short word at the end says is done: "Laundry: done", "… so that's done"."""
    if after := forms.THATS_DONE.search(text):
        yield from _before(text, after.start())
    found = forms.ENDED.match(text)
    if found and not forms.BAD_ENDED.search(found[1]) and len(found[1].split()) < 7:
        start, verb = _act(text, *found.span(1))
        yield Told(found.start(1), start, found.end(1), "done", "tasks.ended", verb)


def _before(text: str, end: int) -> Iterator[Told]:
    """Yield the task that a clause tells of, the next one says that it is done."""
    begin = max(text.rfind(mark, 0, end) for mark in ",;:") + 1
    found = forms.TOLD_BEFORE.match(text, begin, end)
    if (
        found
        and not forms.NO_THING.search(found["thing"])
        and not forms.YES.match(found["thing"])
        and not forms.BAD_THING.search(found["thing"])
    ):
        verb = of_past(found["past"] or "") or ""
        yield Told(begin, *found.span("thing"), "done", "tasks.thats_done", verb)


def _act_verb(act: str) -> str:
    """Return the plain form of a verb of finishing."""
    act = act.lower()
    return forms.ACTS.get(act) or forms.ACTS_OUT.get(act) or of_past(act) or act


def _named(text: str, place: int) -> bool:
    """Tell whether a thing is named at a place, as an object would be."""
    return bool(forms.NAMED.match(text, place))


def _object(
    text: str, begin: int, start: int, status: str, rule: str, verb: str = ""
) -> Iterator[Told]:
    """Yield the task that an object names, from where it starts to where it ends."""
    end = _end(text, start)
    first = forms.FIRST_WORD.match(text, start, end)
    gerund = of_gerund(first[1]) if first and not verb else None
    if first and gerund:
        yield Told(begin, first.end(1), end, status, rule, gerund)
    elif text[start:end].strip() and not forms.PRIVATE.match(text, start):
        yield Told(begin, start, end, status, rule, verb)


def _act(text: str, start: int, end: int) -> tuple[int, str]:
    """Return where the thing begins that is worked on, and the verb: "buying milk" is to buy it.

    A landing page is a thing and no act; so is a shopping list, but not "shopping the list".
    """
    if (before := forms.ACT_BEFORE.search(text, 0, start)) and (verb := of_gerund(before[1])):
        return start, verb
    first = forms.FIRST_WORD.match(text, start, end)
    act = of_gerund(first[1]) if first else None
    if first is None or act is None or not text[first.end() : end].strip():
        return start, ""
    kind = first[1].lower() in KINDS and not forms.NAMED.match(text, first.end() + 1)
    return (start, "") if kind else (first.end(1), act)


def _end(text: str, start: int) -> int:
    """Return where the words about one task end."""
    stop = forms.STOP.search(text, start)
    end = stop.start() if stop else len(text)
    comma = text.find(",", start, end)
    return end if comma < 0 else comma


def _thing(text: str, end: int) -> int | None:
    """Return where the thing begins whose state is told at `end`; None if it is no task."""
    begin = max(text.rfind(mark, 0, end) for mark in ",;:，。；：—")
    begin = begin + 1
    head = text[begin:end]
    found = forms.THING.search(head)
    if found and forms.BAD_THING.search(found[0]):
        found = next(
            (
                one
                for one in forms.THING_STARTS.finditer(head)
                if not forms.BAD_THING.search(head[one.start() :])
            ),
            None,
        )
    if found:
        start = begin + found.start()
    elif len(head.split()) <= 8 and not forms.BAD_THING.search(head) and head.strip():
        start = begin + len(head) - len(head.lstrip())
    else:
        return None
    if forms.IN_SIDE.search(text[:start]) or forms.NO_THING.search(text[start:end].rstrip()):
        return None
    return start


def _verb(body: str) -> str:
    """Return the first word of a phrase that may be its verb."""
    found = forms.FIRST_WORD.match(body)
    return found[1].lower() if found else ""


def _is_task(body: str, *, still: bool) -> bool:
    """Tell whether what is needed is a piece of work of one's own."""
    words = body.split()
    if not still and forms.HERE.search(body):
        return False
    return len(words) > 1 and (_verb(body) in VERBS or (len(words) >= 3 and still))


def listed(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the items of a list that a heading announces."""
    if items := numbered(text, start):
        for place, last in items:
            stop = forms.STOP.search(text, place, last)
            yield place, stop.start() if stop else last
        return
    if _verb(text[start:]) in VERBS:
        yield from _items(text, start, announced=True)
        return
    stop = forms.STOP.search(text, start)
    end = stop.start() if stop else len(text)
    place = start
    for joint in [*forms.JOINT.finditer(text, start, end), None]:
        last = joint.start() if joint else end
        if forms.REMARK.match(text, place, last):
            return
        if text[place:last].strip():
            yield place, last
        place = joint.end() if joint else end


def _items(text: str, start: int, *, announced: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the things to do from a place on: "buy milk and eggs, call Bob" are two."""
    stop = forms.STOP.search(text, start)
    end = stop.start() if stop else len(text)
    place = start
    for joint in forms.JOINT.finditer(text, start, end):
        following = text[joint.end() : end]
        acts = _verb(following) in VERBS or (announced and forms.LIST_ITEM.match(following))
        if acts and not forms.REMARK.match(following):
            yield place, joint.start()
            place = joint.end()
        elif "," in joint[0] and not _goes_on(text[joint.start() : end]):
            end = joint.start()
            break
    if text[place:end].strip():
        yield place, end


def _goes_on(rest: str) -> bool:
    """Tell whether a comma goes on with a list of things rather than with a remark."""
    if forms.REMARK.match(rest.lstrip(", ")):
        return False
    return bool(forms.LAST.match(rest) or forms.MORE.match(rest))
