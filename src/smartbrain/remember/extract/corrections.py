"""Corrections: what the user takes back, and what is true instead (C4, C6).

In: a sentence that says something said before is wrong or over. Out: the corrected candidate, of
the type that its words are read as by the other finders, marked as correcting; or, where nothing
takes the place of what was wrong, a retraction that says which memory is meant. A word such as
`actually` corrects nothing unless there is something to correct.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.time_span import TimeSpan
from smartbrain.remember.extract import (
    decisions,
    declarations,
    events,
    facts,
    goals,
    preferences,
    profile,
    tasks,
)
from smartbrain.remember.extract.called_off import called_off
from smartbrain.remember.extract.correction_times import new_time, retimed
from smartbrain.remember.extract.correction_values import (
    about,
    bare_value,
    chosen_again,
    counts,
    like_in,
    name_alone,
    value_alone,
)
from smartbrain.remember.extract.correction_words import Reading, Restated, Sign, affirmed, read
from smartbrain.remember.extract.corrections_instead import instead, retraction
from smartbrain.remember.extract.corrections_meant import (
    is_same_thing,
    liked_before,
    likes_another,
    meant_by,
    most_like,
)
from smartbrain.remember.extract.corrections_profile import (
    PROFILE,
    corrects,
    gone_for,
    named_by,
    of_many,
)
from smartbrain.remember.extract.denied_values import chooses_another, held_in, names_another
from smartbrain.remember.extract.finder import Finder
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.profile_lists import thing_in
from smartbrain.remember.extract.said import Said, Sentence, asked_in, read_said
from smartbrain.remember.extract.standing_zh import SPARED_ZH
from smartbrain.remember.extract.taken_up import TakenUp, taken_up
from smartbrain.remember.extract.undone import undone_of
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times

FINDERS: Final[Sequence[Finder]] = (
    tasks.find,
    decisions.find,
    preferences.find,
    goals.find,
    profile.find,
    events.find,
    facts.find,
)
"""Who is asked what a corrected statement says."""
_OF_EARLIER: Final[Sequence[Finder]] = (declarations.find, *FINDERS)
"""Who is asked what was said before: it may have been given to be remembered."""

_NAME: Final = "profile.name"
_TO_BE_DONE: Final = ("tasks", "goals")
# The speaker goes without saying in Chinese: `不再用 vim 了，现在用 Zed`.
_ELLIPSIS: Final = pattern(r"\A(?:现在|目前|已经|改)?\s?((?:[用住]|在|叫|是).{1,40})\Z")
# Who does not use something any more, and whether it was only decided for: `不用 Kafka 了`.
_USED: Final = pattern(r"\A用\s?[A-Za-z][\w.+#-]*\Z")
_OLDEST: Final = 8
_WINDOW: Final = 400
"""How far back in the same message something may be that is corrected."""
_LONGEST: Final = 20_000
"""A longer message is a document; nobody corrects themselves in it."""


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Find what a sentence of the user corrects or takes back.

    Of what is used no more it also says what is used in its place, if that is told.
    """
    found = list(_found(sentence, said))
    if any(one.corrects and one.type == "facts" for one in found):
        change = next(facts.changed(sentence, said), None)
        if change is not None:  # what it takes the place of was so, and was not wrong
            found = [
                replace(one, corrects=False, rule=change.rule) for one in found if one.corrects
            ]
    off = list(called_off(sentence, said))
    if off and all(one.action is CandidateAction.RETRACT for one in found):
        yield from (one for one in found if one.type != "events")
        yield from off
        return
    ended = [one for one in found if one.type == "facts" and one.action is CandidateAction.RETRACT]
    whole = list(facts.switched(sentence, said)) if ended and ended == found else []
    yield from whole or found


def _found(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Read a sentence as a correction."""
    if said.source is not Source.USER or sentence.mood is Mood.ASKED or len(said.text) > _LONGEST:
        return
    if not sentence.text.isascii() and SPARED_ZH.match(sentence.text):
        return  # an order, and nothing that was so
    before, after = _neighbours(sentence, said)
    reading, continued = read(sentence), False
    if reading is None:
        reading, continued = _continued(sentence, before, said), True
    if reading is None:
        return
    earlier = earlier_of(sentence, said)
    if alone := value_alone(sentence.text):
        reading = _of_last(alone, reading, sentence, said)
    if taken := taken_up(reading.denied, reading.restated):
        yield from _taken(taken, reading, earlier, sentence, said)
        return
    corrected = list(_corrected(reading, earlier, said))
    if continued and not corrected:
        # Read in its place: `I left Acme. I'm at Nordlys now.`
        kinds = {one.type for one in earlier}
        corrected = [
            replace(one, corrects=True) for one in _asked(sentence, said) if one.type in kinds
        ]
    if corrected:
        yield from _gone(reading, corrected, earlier, said, continued=continued)
        yield from (replace(one, corrects=one.corrects and corrects(one)) for one in corrected)
    elif not _replaced_next(reading, after, earlier, said):
        yield from _retracted(reading, earlier, sentence, said)


def _taken(
    taken: TakenUp, reading: Reading, earlier: list[Candidate], sentence: Sentence, said: Said
) -> Iterator[Candidate]:
    """Yield the end of what somebody does no more, and what they do instead."""
    start, end = taken.place.start, taken.place.end
    if not (gone := list(_retracted(reading._replace(restated=[]), earlier, sentence, said))):
        old = next(filter(None, (read_in(text, said) for text in taken.old)), [])
        denied = reading.denied[0]
        gone = [retraction(one, denied.text, denied.start, denied.end) for one in old]
    yield from gone
    for one in next(filter(None, (read_in(text, said) for text in taken.new)), []):
        yield replace(one, text=taken.place.text, offset=start, length=end - start)


def _neighbours(sentence: Sentence, said: Said) -> tuple[Sentence | None, Sentence | None]:
    """Return the sentences before and after one."""
    place = bisect_left(said.sentences, sentence.offset, key=lambda one: one.offset)
    before = said.sentences[place - 1] if place else None
    after = said.sentences[place + 1] if place + 1 < len(said.sentences) else None
    return before, after


def _continued(sentence: Sentence, before: Sentence | None, said: Said) -> Reading | None:
    """Read a sentence that only goes on from a correction: `That's wrong. It's 5433`."""
    started = read(before) if before else None
    if before is None or started is None or started.restated:
        return None
    if not started.denied and started.sign is not Sign.SURE:
        return None
    if started.denied:
        earlier = earlier_of(before, said)
        targets = [one for denied in started.denied for one in _targets(denied, earlier, said)]
        if _is_elsewhere(sentence, targets, said):
            return None
    end = sentence.offset + len(sentence.text)
    text = sentence.text.strip(" .。!！")
    old = started.denied[-1].text if started.denied else ""
    return Reading(started.sign, [Restated(text, sentence.offset, end, old)], [], False)


def earlier_of(sentence: Sentence, said: Said) -> list[Candidate]:
    """Return what was said before that could be meant, the last first."""
    texts = [(one.text, one.at) for one in said.earlier[-_OLDEST:] if one.source is Source.USER]
    texts.append((said.text[max(0, sentence.offset - _WINDOW) : sentence.offset], None))
    told = (read_in(text, said, _OF_EARLIER, at=at) for text, at in reversed(texts))
    return [one for found in told for one in reversed(found)]


def _of_last(value: str, reading: Reading, sentence: Sentence, said: Said) -> Reading:
    """Read a value alone as one in place of what was said last, if that is one thing."""
    before, _ = _neighbours(sentence, said)
    texts = [one.text for one in said.earlier if one.source is Source.USER][-1:]
    if before is None and said.earlier and asked_in(said.earlier[-1].text):
        return reading  # an answer
    last = read_in(before.text if before else "".join(texts), said, _OF_EARLIER)[-1:]
    held = held_in(last[0].value) if last else []
    if len(held) != 1 or (_times(value, said) and not _times(held[0], said)):
        return reading
    end = sentence.offset + len(sentence.text)
    return reading._replace(restated=[Restated(f"it's {value}", sentence.offset, end, held[0])])


def read_in(
    text: str, said: Said, finders: Sequence[Finder] = FINDERS, at: datetime | None = None
) -> list[Candidate]:
    """Return what the other finders read in a text, each sentence by the first that can.

    It was said at another time than what is read if `at` says so.
    """
    own = read_said(text, source=Source.USER, speaker=said.speaker, at=at or said.at)
    return [one for sentence in own.sentences for one in _asked(sentence, own, finders)]


def _asked(sentence: Sentence, said: Said, finders: Sequence[Finder] = FINDERS) -> list[Candidate]:
    """Return what the first finder that can read a sentence says in it is so."""
    found = next(filter(None, (list(ask(sentence, said)) for ask in finders)), [])
    return [one for one in found if one.action is CandidateAction.WRITE]


def _corrected(reading: Reading, earlier: list[Candidate], said: Said) -> Iterator[Candidate]:
    """Yield what is said in place of what was wrong."""
    for restated in reading.restated:
        value = bare_value(restated.text)
        old = restated.old or (reading.denied[-1].text if reading.denied else "")
        name = value or name_alone(restated.text)
        named = restated._replace(old=old)
        found = _put_in(name, named, earlier, said, told=bool(value)) if name else None
        if not found and (again := chosen_again(restated, earlier, said)):
            yield again
            continue
        readings = [found[0]] if found else read_in(restated.text, said)
        if not readings and (told := _ELLIPSIS.match(restated.text)):
            readings = read_in(f"我{told[1]}", said) or read_in(f"我{told[1][1:]}", said)
            if not any(one.rule == _NAME for one in earlier):  # whose name it is was not said
                readings = [one for one in readings if one.rule != _NAME]
        for candidate in readings:
            meant = meant_by(candidate, restated.old, earlier)
            meant = meant or liked_before(candidate, old, earlier)
            if found and candidate.type == "events":
                meant = found[1]
            # "My birthday is not A but B" says what is so, whatever was said of it before; of
            # other things than names and numbers it is often no more than a manner of speaking.
            by_name = candidate.type == PROFILE or candidate.value.get("attribute") == "name"
            contrasts = bool(restated.old) and not value and (by_name or counts(restated))
            if reading.sign is Sign.SURE or meant is not None or contrasts:
                yield instead(candidate, meant, restated, said, read_in)


def _gone(
    reading: Reading,
    corrected: Sequence[Candidate],
    earlier: list[Candidate],
    said: Said,
    *,
    continued: bool,
) -> Iterator[Candidate]:
    """Yield what is taken back of what one can have several of, where something replaces it."""
    for denied in reading.denied:
        targets = filter(None, map(of_many, _targets(denied, earlier, said)))
        yield from (retraction(one, denied.text, denied.start, denied.end) for one in targets)
    old = next((one.old for one in reading.restated if one.old), "")
    if reading.denied or (continued and old):  # the sentence before has taken it back
        return
    for new in corrected:
        meant = meant_by(new, "", earlier) if reading.sign is Sign.SURE else None
        if new.type == PROFILE and (gone := gone_for(new, old, meant)):
            yield retraction(gone, new.text, new.offset, new.offset + new.length)


def _put_in(
    value: str, restated: Restated, earlier: list[Candidate], said: Said, *, told: bool
) -> tuple[Candidate, Candidate] | None:
    """Put a new value into the earlier statement that holds the old one, or one of its kind.

    Return it with that one. `told` says that it was told as what something is, and is more than a
    name.
    """
    old = restated.old
    time = new_time(restated.text, value, said.at) if told else ""
    for candidate in earlier:
        was = _replaced(value, old, candidate, said, told=told)
        text = retimed(candidate, time, old, said.at) if time else ""
        if not text and was:
            text = candidate.text.replace(was, thing_in(value))
        for again in read_in(text, said) if text else ():
            if again.type == candidate.type:
                return again, candidate
    return None


def _replaced(value: str, old: str, candidate: Candidate, said: Said, *, told: bool) -> str:
    """Return what of an earlier statement a new value takes the place of.

    An answer belongs to what was asked.
    """
    if old:
        held = map(thing_in, held_in(candidate.value))
        return next((one for one in held if one.casefold() in old.casefold()), "")
    if told and "value" in candidate.value:
        return next(iter(held_in(candidate.value)), "")
    was, asked = like_in(candidate, value), asked_in(said.earlier[-1].text) if said.earlier else ()
    return was if not asked or was in " ".join(asked) else ""


def _times(text: str, said: Said) -> list[TimeSpan]:
    """Return the times that a text speaks of."""
    return find_times(text, said.at)


def _replaced_next(
    reading: Reading, after: Sentence | None, earlier: list[Candidate], said: Said
) -> bool:
    """Tell whether the sentence after a denial says what is true instead."""
    if after is None or after.mood is not Mood.STATED or reading.restated:
        return False
    targets = [one for denied in reading.denied for one in _targets(denied, earlier, said)]
    if any(map(of_many, targets)):  # another one replaces nothing
        return False
    if reading.denied and _is_elsewhere(after, targets, said):
        return False
    end = after.offset + len(after.text)
    old = reading.denied[-1].text if reading.denied else ""
    restated = Restated(after.text.strip(" .。!！"), after.offset, end, old)
    going_on = Reading(reading.sign, [restated], [], withdrawn=False)
    if any(_corrected(going_on, earlier, said)):
        return True
    kinds = {one.type for one in targets}
    return any(one.type in kinds for one in _asked(after, said))


def _is_elsewhere(after: Sentence, targets: Sequence[Candidate], said: Said) -> bool:
    """Tell whether a sentence after a denial says something, and nothing of what was denied."""
    told = _asked(after, said)
    same = ((one, gone) for one in told for gone in targets if one.type == gone.type)
    return bool(told) and not any(is_same_thing(one, gone) for one, gone in same)


def _targets(denied: Restated, earlier: list[Candidate], said: Said) -> list[Candidate]:
    """Return what a denial takes back: something said before, or what its words would say.

    What was not done after all is still to be done.
    """
    found = _denied_by(denied, earlier, said)
    return (
        [one for one in found if one.type not in _TO_BE_DONE] if undone_of(denied.text) else found
    )


def _denied_by(denied: Restated, earlier: list[Candidate], said: Said) -> list[Candidate]:
    """Return what the words of a denial are about."""
    known, told = most_like(denied, earlier), affirmed(denied.text)
    read = read_in(told, said)
    if not known and not read and _USED.match(told):
        read = [one for who in ("我", "我们决定") for one in read_in(f"{who}{told}", said)]
    if known and chooses_another(denied.text, str(known.value.get("decision", ""))):
        return read
    if known and known.type != PROFILE:
        return [one for one in read if _is_another(one, known)] or [known]
    named = named_by(denied.text, known, read) if known else None
    return [named] if named else read


def _is_another(read: Candidate, known: Candidate) -> bool:
    """Tell whether what a denial says is none of what was said before, though words are shared."""
    if read.type != known.type:
        return False
    return names_another(read.type, read.value, known.value) or likes_another(read, known)


def _retracted(
    reading: Reading, earlier: list[Candidate], sentence: Sentence, said: Said
) -> Iterator[Candidate]:
    """Yield what is taken back with nothing in its place."""
    seen: list[Candidate] = []
    for denied in reading.denied:
        for target in _targets(denied, earlier, said):
            if target not in seen:
                seen.append(target)
                yield retraction(target, denied.text, denied.start, denied.end)
    if seen:
        return
    end = sentence.offset + len(sentence.text)
    if subject := about(sentence.text.strip(" .。!！")):
        named = Restated(subject, sentence.offset, end)
        known = most_like(named, earlier)
        if known and known.type == PROFILE:
            known = named_by(subject, known, ())
        target = known or Candidate(type="facts", value={"subject": subject}, text="", rule="")
        yield retraction(target, sentence.text, sentence.offset, end)
    elif reading.withdrawn and earlier and not reading.restated and not reading.denied:
        yield retraction(earlier[0], earlier[0].text, sentence.offset, end)
