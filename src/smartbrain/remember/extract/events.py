"""Events: what happened, or is fixed to happen, at a point in time (C6).

In: a sentence. Out: a candidate an event, with its day, a short title and its kind. Releases,
incidents, meetings, milestones and turns of a life are events; habits, chores, moods, the weather
and the world's news are not, and what has to be done by a day is a task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, NamedTuple

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.time_span import Granularity, TimeKind, TimeSpan
from smartbrain.remember.extract import events_words as words
from smartbrain.remember.extract.coming import (
    coming,
    gone_by,
    speaks_of_past,
    tells_past,
    tells_plan,
)
from smartbrain.remember.extract.events_en import (
    NONE_HELD,
    Happening,
    announced,
    fixed,
    happening,
    lies_ahead,
    may_announce,
)
from smartbrain.remember.extract.events_title import is_name, name_of, title_of
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.wording import project_of, tidy
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_HAPPENS_ZH: Final = (
    ("meeting", words.MEETING),
    ("incident", words.INCIDENT_ZH),
    ("release", words.RELEASE_ZH),
    ("milestone", words.MILESTONE_ZH),
    ("personal", words.PERSONAL_ZH),
)
_MOST_CLAUSES: Final = 40
"""More of them are a list of words and no sentence."""
_LONGEST: Final = 600
"""What takes more characters is no telling of an event."""
_COARSE: Final = (Granularity.UNSPECIFIED, Granularity.YEAR, Granularity.QUARTER)
_CLOCKS: Final = (Granularity.HOUR, Granularity.MINUTE)
_SOON: Final = timedelta(hours=6)
_SHORTLY: Final = pattern(r"minute|hour|min\b|分钟|小时|一会|待会", _I)
# Where a new statement begins within an English clause.
_CUT: Final = pattern(
    r"(?<!\s)\s++[-–]++\s+|\.{2,}|…|\s\[|(?<!\s)\s++and\s+(?=(?:i|we|it|they|he|she|that|there|my"
    r"|our)[\s'’])",
    _I,
)


# Who tells it together with somebody: "My sister and I".
_TOGETHER: Final = pattern(
    r"\W*(?:(?:last|next|this) \w+,? |(?:yesterday|tomorrow|today|so|well|anyway|oh|btw),? )?"
    r"(?:(?:my|our) [\w'’-]+|(?:some|a few|two|three) (?:of my )?friends(?: from \w+)?"
    r"|(?-i:[A-Z])[a-z]+)\Z",
    _I,
)
_JOINTS: Final = (" and ", " - ", "–", "..", "…", " [", "--")
_UNSTATED: Final = -1
_APPOINTED: Final = ("meeting", "other")
_APPOINTED_ZH: Final = ("meeting", "personal", "release")
"""Kinds of events that are told in the present tense while they are to come."""
_LEAST_NAMED: Final = len("会定在")


class _Part(NamedTuple):
    """A part of a clause that may tell an event; places count in the sentence."""

    text: str
    start: int
    clause: int

    @property
    def end(self) -> int:
        """Return where the part ends."""
        return self.start + len(self.text)


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the events that a sentence tells of."""
    text = sentence.text
    if said.source is not Source.USER or not words.tells_time(text):
        return
    if len(sentence.clauses) > _MOST_CLAUSES or len(text) > _LONGEST:
        return
    parts = [part for clause in sentence.clauses for part in _parts(clause, sentence)]
    kinds = [_kind(part.text) for part in parts]
    if not any(kinds) and not may_announce(text) and not words.MAYBE.search(text):
        return
    if words.VENTING.search(text):
        return
    # Times cost most, so they are looked for last.
    times = [time for time in said.times(sentence) if _is_day(time)]
    if not times and not words.JUST.search(text):
        return
    yield from _events(parts, kinds, times, sentence, said)


def _events(
    parts: Sequence[_Part],
    kinds: Sequence[Happening | None],
    times: Sequence[TimeSpan],
    sentence: Sentence,
    said: Said,
) -> Iterator[Candidate]:
    """Yield an event for each part that tells one, with a time of its own or from beside it."""
    used: list[TimeSpan] = []
    stated = {clause.offset for clause in stated_clauses(sentence)}
    parts = [part if part.clause in stated else part._replace(clause=_UNSTATED) for part in parts]
    for at, part in enumerate(parts):
        own = _within(part, times)
        to = _moved_to(part, own)
        moved = _fixed(part, own) if to else None
        known = moved or kinds[at] or _fixed(part, own) or _general(part, own, sentence, said)
        if known is None or part.clause == _UNSTATED or not _may_tell(part.text):
            continue
        time = to or _main(own) or _borrowed(at, parts, kinds, times)
        if (time and time in used) or (time is None and used):
            continue  # the same event goes on
        if time is None and not words.JUST.search(part.text):
            continue
        if time is not None and not _places(time, known.kind, said):
            continue
        if (
            time is not None
            and _is_hour(time)
            and words.MOVED.search(_before(part, time, sentence))
        ):
            continue  # to another hour of whatever day it is on
        found = _candidate((at, known), parts, kinds, (time, times), (sentence, said))
        if found:
            yield found
            if time is None:
                return
            used.append(time)


def _parts(clause: Clause, sentence: Sentence) -> Iterator[_Part]:
    """Yield a clause in parts, cut where a dash or an "and I" begins something new."""
    start, begin, text = 0, clause.offset - sentence.offset, clause.text
    joints = _CUT.finditer(text) if any(joint in text for joint in _JOINTS) else ()
    for cut in [*joints, None]:
        shown = text[start : cut.start() if cut else len(text)]
        if cut and _TOGETHER.match(shown):
            continue
        if shown.strip():
            yield _Part(shown, begin + start, clause.offset)
        start = cut.end() if cut else start


def _kind(text: str) -> Happening | None:
    """Return the event that the verbs and nouns of a part tell of."""
    if text.isascii():
        return happening(text)
    for kind, form in _HAPPENS_ZH:
        if form.search(text):
            return Happening(kind, 0)
    return happening(text)


def _fixed(part: _Part, times: Sequence[TimeSpan]) -> Happening | None:
    """Tell whether a part fixes the time of something: "the play is on Friday"."""
    if not times:
        return None
    before = part.text[: (_moved_to(part, times) or times[0]).offset - part.start]
    if found := words.FIXED_ZH.search(before):
        name = before[: found.start()]
        begun = part.text[: times[0].offset - part.start].strip()
        if not begun and not (words.MEETING.search(name) or name.endswith(("会", "会议"))):
            return None  # the day before is of something else: 周三的票改到周五
        release = words.OF_RELEASE_ZH.search(name)
        named = len(before) > _LEAST_NAMED
        return Happening("release" if release else "meeting", 0) if named else None
    if times[0].granularity in (*_COARSE, Granularity.MONTH):
        return None
    known = fixed(before)
    if known is None:
        left = before + part.text[times[-1].offset + times[-1].length - part.start :]
        start = announced(left) if len(times) == 1 or not before.strip() else announced(before)
        known = Happening("meeting", start) if start is not None else None
    return known


def _general(
    part: _Part, times: Sequence[TimeSpan], sentence: Sentence, said: Said
) -> Happening | None:
    """Tell whether something is dated so plainly that it must be an event, whatever it is."""
    text = part.text
    if not times or times[0].granularity in (*_COARSE, Granularity.MONTH, Granularity.WEEK):
        return None
    if sentence.mood is not Mood.STATED or words.DULL.search(text):
        return None
    if times[0].start.date() == said.at.date():
        return None
    if times[0].end <= said.at:
        return Happening("other", 0) if words.tells_result_zh(text) else None
    coming = words.DATED.search(text) and words.COMING_DATED.search(text)
    return Happening("other", 0) if coming else None


def _may_tell(text: str) -> bool:
    """Tell whether words speak of something that came about, once."""
    return not any(form.search(text) for form in (words.DAILY, words.NOT_HAPPENED, NONE_HELD))


def _is_day(time: TimeSpan) -> bool:
    """Tell whether a time is neither a habit nor as vague as "recently"."""
    return time.kind is not TimeKind.RECURRING and not words.LATELY.fullmatch(time.words)


def _is_hour(time: TimeSpan) -> bool:
    """Tell whether a time is an hour of no particular day."""
    return time.granularity in _CLOCKS and words.OF_DAY.search(time.words) is None


def _within(part: _Part, times: Sequence[TimeSpan]) -> list[TimeSpan]:
    """Return the times that begin in a part."""
    return [one for one in times if part.start <= one.offset < part.end]


def _main(times: Sequence[TimeSpan]) -> TimeSpan | None:
    """Return the time that something happens at: a date if there is one, else a day."""
    fine = [one for one in times if one.granularity not in (*_COARSE, Granularity.MONTH)]
    dated = [one for one in fine if words.DATED.search(one.words)]
    return next(iter(dated or fine or times), None)


def _moved_to(part: _Part, times: Sequence[TimeSpan]) -> TimeSpan | None:
    """Return the new time of something that is moved: "from Friday to Monday", 从周五改到周一."""
    return next(
        (one for one in times if words.MOVED.search(part.text, 0, one.offset - part.start)), None
    )


def _borrowed(
    at: int,
    parts: Sequence[_Part],
    kinds: Sequence[Happening | None],
    times: Sequence[TimeSpan],
) -> TimeSpan | None:
    """Return the time that a part without one takes from the part before or after it."""
    for near in (at - 1, at + 1):
        if (
            0 <= near < len(parts)
            and parts[near].clause != _UNSTATED
            and (near < at or not kinds[near])
        ):
            found = _within(parts[near], times)
            if found:
                return found[-1] if near < at else found[0]
    return None


def _places(time: TimeSpan, kind: str, said: Said) -> bool:
    """Tell whether a time is precise enough to have something happen at it."""
    if timedelta(0) < time.start - said.at < _SOON and _SHORTLY.search(time.words):
        return False  # a meeting in five minutes is of the moment
    if time.granularity is Granularity.MONTH:
        return time.start <= said.at or kind in ("personal", "meeting")
    return time.granularity not in _COARSE


def _last(
    at: int,
    parts: Sequence[_Part],
    kinds: Sequence[Happening | None],
    times: Sequence[TimeSpan],
) -> int:
    """Return the last part that still tells of the same event."""
    last = at
    for following in range(at + 1, len(parts)):
        part = parts[following]
        fresh = _within(part, times)
        if part.clause == _UNSTATED or (fresh and (kinds[following] or _fixed(part, fresh))):
            break
        if part.clause == parts[last].clause or not _may_tell(part.text):
            break  # a remark
        last = following
    return last


def _before(part: _Part, day: TimeSpan | None, sentence: Sentence) -> str:
    """Return the words of a part before its time."""
    return sentence.text[part.start : day.offset] if day else ""


def _which(
    day: TimeSpan, kind: str, parts: tuple[_Part, _Part], sentence: Sentence, said: Said
) -> TimeSpan:
    """Return the day that is meant: the next one of what is to come, the last of what is over.

    What takes place at a fixed time is to come unless something says that it is over.
    """
    part, last = parts
    before = _before(part, day, sentence)
    if words.MOVED.search(before) or words.FIXED_ZH.search(before) or lies_ahead(before):
        return coming(day, said.at)
    if tells_plan(part.text):
        return coming(day, said.at)
    since = max(0, day.offset + day.length - part.start)
    if tells_past(part.text, since):
        return gone_by(day, said.at)
    appointed = kind in (_APPOINTED if part.text.isascii() else _APPOINTED_ZH)
    over = speaks_of_past(part.text, since) or tells_past(sentence.text[part.end : last.end])
    return coming(day, said.at) if appointed and not over else day


def _candidate(
    event: tuple[int, Happening],
    parts: Sequence[_Part],
    kinds: Sequence[Happening | None],
    time: tuple[TimeSpan | None, Sequence[TimeSpan]],
    place: tuple[Sentence, Said],
) -> Candidate | None:
    """Return the event of a part, told with the parts that go on about it."""
    (at, known), (sentence, said), (day, times) = event, place, time
    part, last = parts[at], parts[_last(at, parts, kinds, times)]
    start = part.start if day is None else min(part.start, day.offset)
    whole = said.text[sentence.offset : sentence.offset + len(sentence.text)]  # with quotations
    title = title_of(whole, part.start + known.start, part.end, times, day)
    moved = words.MOVED.search(_before(part, day, sentence)) is not None
    title = name_of(title) if moved else title
    if not any(map(str.isalnum, title)) or not is_name(title):
        return None
    if day:
        day = _which(day, known.kind, (part, last), sentence, said)
    if day and moved and day.kind is TimeKind.RANGE:  # "moved from Friday to Monday"
        day = replace(day, start=day.end - timedelta(days=1))
    value: dict[str, Any] = {
        "scope": project_of(sentence.text),
        "date": (day.start if day else said.at).date().isoformat(),
        "title": title,
        "impact": known.kind,
    }
    return Candidate(
        type="events",
        value=value,
        text=tidy(whole[start : last.end]),
        rule=f"events.{known.kind}",
        source=said.source,
        confidence=0.85 if day else 0.8,
        offset=sentence.offset + start,
        length=part.end - start,
        corrects=moved,
    )
