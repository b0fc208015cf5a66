"""Find tasks in what is said: new ones, and how far those that are there have come (C1, C6).

In: a sentence. Out: candidates of the type tasks. The titles of what is planned and of what is
reported later share their words, so that the second can be matched with the first. What somebody
asks the assistant to do at once is no task; an assistant only reports how far things are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.keys import slug
from smartbrain.remember.extract.deadlines import DUE_ANEW, deadline_of, due_anew
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.tasks_blocked import reason_of
from smartbrain.remember.extract.tasks_en import english, listed
from smartbrain.remember.extract.tasks_title import Told, due_of, habitual, long_past, title_of
from smartbrain.remember.extract.tasks_words import tells
from smartbrain.remember.extract.tasks_worth import worth
from smartbrain.remember.extract.tasks_zh import chinese
from smartbrain.remember.extract.unsettled import is_awaited, is_unsettled
from smartbrain.remember.extract.wording import project_of, tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_BOX: Final = sign(r"\[[ xX✓✔-]\]|[☐□◻☑✅✔✓]")
_IF: Final = pattern(
    r"\b(?:if|unless|suppose|imagine|assuming)\b(?! (?:possible|you (?:like|want|don't mind"
    r"|must know)))|如果|要是|假如|假设|万一|倘若|除非",
    _I,
)
_REMIND: Final = pattern(r"\bremind me\b|提醒我|待办|to-?do list", _I)
_BULLET: Final = pattern(r"\A\s*(?:[-*+•·●]|\d{1,2}[.)、]|[①-⑨])\s*(?=\S)")
_HEADING: Final = pattern(
    r"(?:\bto-?dos?\b|\btasks?\b|action items?|next steps?|on (?:my|our) (?:list|plate)|待办|要做"
    r"|清单|任务|下一步)[^:：]{0,30}[:：]\s*\Z",
    _I,
)
_FIRST: Final = pattern(r"(?<=[:：])\s*(?:[(（]?1[.)）、](?!\d)|①)")
_LONGEST_LIST: Final = 30
_FOR_YOU: Final = sign(r"\b(?:you|your|here(?:'s| is))\b|[您你]|如下|以下", _I)
_LEARNT: Final = 0.6


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the tasks that a sentence tells of."""
    text = sentence.text
    items = []
    if said.source is Source.USER:
        items = _bullet(sentence, said)
    elif _FOR_YOU.search(text):
        return
    found = items or list(_told(sentence, said))
    if not found:
        return
    times = said.times(sentence)
    taken: list[tuple[int, int]] = []
    titles: set[str] = set()
    for told in sorted(found, key=lambda one: one.rule not in _LISTS):
        if any(told.start < stop and start < told.end for start, stop in taken):
            continue
        if not _stands(sentence, told) or habitual(told, times):
            continue
        due = None if told.status == "done" else due_of(text, told, times, said.at)
        if told.rule == DUE_ANEW and due is None:
            continue
        if told.needs_due and (due is None or (due - said.at.date()).days > _NEAR):
            continue
        if told.rule == "tasks.want" and due and (due - said.at.date()).days > _NEAR:
            continue
        if told.status == "done" and long_past(text, told, times, said.at):
            continue
        # What is put on a list may stand in quotation marks, where nothing else is read.
        quoted = told.rule == "tasks.list" and text[told.start : told.end].isspace()
        title = title_of(_as_written(sentence, said) if quoted else text, told, times)
        if (
            not slug(title)
            or title in titles
            or not worth(text[told.start : told.end], title, told.rule)
        ):
            continue
        titles.add(title)
        taken.append((told.start, max(told.end, told.close)))
        yield _candidate(sentence, said, told, title, due.isoformat() if due else None)


def _as_written(sentence: Sentence, said: Said) -> str:
    """Return a sentence with its quotations."""
    return said.text[sentence.offset : sentence.offset + len(sentence.text)]


def _told(sentence: Sentence, said: Said) -> Iterator[Told]:
    """Yield what a sentence tells of tasks, in either language."""
    text = sentence.text
    told_by_user = said.source is Source.USER
    if told_by_user:
        yield from due_anew(text)
    if (text.isascii() or _LETTER.search(text)) and (tells(text) or _BOX.search(text)):
        yield from english(text, told_by_user=told_by_user)
    if not text.isascii() and _HAN.search(text):
        yield from chinese(text, lambda: said.times(sentence), told_by_user=told_by_user)


_LETTER: Final = pattern(r"[A-Za-z\[☐□◻☑✅✔✓]")
_HAN: Final = pattern(r"[\u4e00-\u9fff]")
_LISTS: Final = frozenset(("tasks.checklist", "tasks.list"))
_WHOLE: Final = _LISTS | {"tasks.need", "tasks.want", "tasks.plan"}
_NEAR: Final = 60


def _candidate(
    sentence: Sentence, said: Said, told: Told, title: str, due: str | None
) -> Candidate:
    """Return a task as it is remembered."""
    begin = min(told.begin, told.start) if told.rule not in _LISTS else told.start
    end = max(told.end, told.close, _clause_end(sentence, told))
    value: dict[str, Any] = {
        "project": project_of(sentence.text),
        "title": title,
        "status": told.status,
    }
    if due:
        value["due"] = due
    if told.who:
        value["assignee"] = told.who
    if told.status == "blocked" and (why := told.why or reason_of(sentence.text, told)):
        value["notes"] = [why]
    elif told.status == "doing" and told.why:
        value["notes"] = [told.why]
    learnt = said.source is not Source.USER
    return Candidate(
        type="tasks",
        value=value,
        text=tidy(sentence.text[begin:end]) or title,
        rule=told.rule,
        source=said.source,
        confidence=_LEARNT if learnt else 0.9 if told.rule in _WHOLE else 0.85,
        offset=sentence.offset + begin,
        length=end - begin,
    )


def _clause_end(sentence: Sentence, told: Told) -> int:
    """Return where the clause ends whose state of a thing is told after it."""
    if told.rule in _WHOLE:
        return told.end
    ends = (clause.offset - sentence.offset + len(clause.text) for clause in sentence.clauses)
    return next((end for end in ends if end >= told.end), told.end)


def _stands(sentence: Sentence, told: Told) -> bool:
    """Tell whether what is told is stated: not asked, supposed, or told of somebody else.

    That a deadline "was extended" is nothing that somebody had to do.
    """
    if told.rule == "tasks.checklist" or _REMIND.search(sentence.text, told.begin, told.end):
        return not _IF.search(sentence.text)
    place = sentence.offset + told.start
    return any(
        clause.offset <= place < clause.offset + len(clause.text)
        and (told.status != "done" or not deadline_of(clause.text))
        and (told.status == "todo" or not _is_awaited(sentence, told, clause))
        for clause in stated_clauses(sentence)
    )


def _is_awaited(sentence: Sentence, told: Told, clause: Clause) -> bool:
    """Tell whether a clause only hopes for a state of something, waits for it or hears of it."""
    begin = clause.offset - sentence.offset
    return is_unsettled(clause.text, max(0, min(told.begin, told.start) - begin)) or is_awaited(
        sentence.text, begin + len(clause.text)
    )


def _bullet(sentence: Sentence, said: Said) -> list[Told]:
    """Return the task of a line in a list under a heading of tasks; a box tells its own state."""
    mark = _BULLET.match(sentence.text)
    if not mark or _BOX.match(sentence.text, mark.end()):
        return []
    sentences = said.sentences
    place = _place(sentences, sentence)
    for before in reversed(sentences[max(0, place - _LONGEST_LIST) : place]):
        if _heads(before.text):
            return [
                Told(0, start, end, "todo", "tasks.list")
                for start, end in list(listed(sentence.text, mark.end()))[:1]
            ]
        if before.text[0].isalpha():
            break
    return []


def _heads(text: str) -> bool:
    """Tell whether a sentence announces a list of tasks, or begins one on its own line."""
    first = _FIRST.search(text)
    return bool(_HEADING.search(text[: first.start()] if first else text))


def _place(sentences: tuple[Sentence, ...], sentence: Sentence) -> int:
    """Return the number of a sentence; they stand in order."""
    low, high = 0, len(sentences)
    while low < high:
        middle = (low + high) // 2
        if sentences[middle].offset < sentence.offset:
            low = middle + 1
        else:
            high = middle
    return low
