"""What will not take place after all: "the launch is cancelled", 发布会取消了 (C4, C6).

In: a sentence of the user. Out: a retraction of the event that it names by its title, whenever that
was told, and by its day where the sentence says one. What is no event, such as a subscription, is
left to others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.coming import coming
from smartbrain.remember.extract.events_en import names_event
from smartbrain.remember.extract.events_title import is_name, name_of, title_of
from smartbrain.remember.extract.events_words import MEETING
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.wording import project_of, tidy
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.times import find_times

_I: Final = 0x02  # re.IGNORECASE
CALLED_OFF: Final = "events.called_off"
"""The rule of an event that is called off, by its title."""
CALLED_OFF_ON: Final = "events.called_off_on"
"""The rule of one that is called off by its title and its day."""
_SIGN: Final = sign(
    r"\bcancell?(?:ed)?\b|\bcall(?:ed)? .{0,60}?\boff\b|\b(?:is|are) off\b|['’]s off\b"
    r"|取消|作罢|泡汤|不[开办]了|不举[行办]了",
    _I,
)
_BEFORE: Final = (
    r"\A\W*(?:(?:so|ok|okay|oh|well|no|sorry|unfortunately|sadly|btw|fyi|update|and|but|please)"
    r"[,:]? )*"
)
_WHAT: Final = r"(?P<what>(?:(?:the|our|my) )?[\w'’][\w '’.&/+-]{1,60}?)"
_OFF: Final = (
    pattern(
        rf"{_BEFORE}{_WHAT}(?: (?:is|are|was|were|got|(?:has|have) been)|['’]s(?: been)?)"
        r"(?: now| officially| all| actually)?"
        r" (?:cancell?ed|called off|off(?=\W*(?:now\W*)?\Z))(?![A-Za-z]).{0,40}\Z",
        _I,
    ),
    pattern(
        rf"{_BEFORE}(?:(?:i|we|they|he|she)(?:['’]ve| have)? (?:just |already )?)?"
        rf"(?:cancell?(?:ed)?|call(?:ed)? off) (?=(?:the|our|my) ){_WHAT}\W*\Z",
        _I,
    ),
    pattern(
        rf"{_BEFORE}(?:i|we|they|he|she)(?:['’]ve| have)? (?:just |already )?"
        rf"called (?=(?:the|our|my) ){_WHAT} off\W*\Z",
        _I,
    ),
    pattern(
        r"\A\W*(?P<what>会|[^，,。]{2,30}?)(?:已经?|被|也|都|临时|全部|突然)*"
        r"(?:取消|作罢|泡汤|不[开办]|不举[行办])了?[吧啊哦]?\W*\Z"
    ),
    pattern(
        r"\A\W*(?:我们?|咱们?|公司|他们|老板)?(?:已经?|临时)*取消了?(?P<what>[^，,。]{2,30}?)了?\W*\Z"
    ),
)
_MEETING: Final = pattern(r"会(?:议)?\Z")


def called_off(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what a sentence says will not take place."""
    if said.source is not Source.USER or not _SIGN.search(sentence.text):
        return
    for clause in stated_clauses(sentence):
        found = next(filter(None, (form.match(clause.text) for form in _OFF)), None)
        for one in by_title(found["what"], said) if found else ():
            yield replace(
                one,
                value={**one.value, "scope": project_of(clause.text)},
                text=tidy(clause.text),
                offset=clause.offset,
                length=len(clause.text),
            )


def by_title(what: str, said: Said) -> Iterator[Candidate]:
    """Yield the retraction of the event that words name, on the day that is named with it."""
    if not (names_event(what) or MEETING.search(what) or _MEETING.search(what)):
        return
    times = [one for one in find_times(what, said.at) if one.end - one.start <= timedelta(days=1)]
    title = title_of(what, 0, len(what), times, times[0] if times else None)
    title = name_of(title)
    if not title or not is_name(title):
        return
    day = coming(times[0], said.at).start if times else said.at
    yield Candidate(
        type="events",
        value={
            "scope": project_of(what),
            "date": day.date().isoformat(),
            "title": title,
        },
        text=tidy(what),
        rule=CALLED_OFF_ON if times else CALLED_OFF,
        source=Source.USER,
        action=CandidateAction.RETRACT,
        confidence=0.9,
    )
