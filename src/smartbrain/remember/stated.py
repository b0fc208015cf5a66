"""Claims out of what a reader understood: one statement in words, as K1 lists it.

In: a statement with its type, subject, attribute and value in the speaker's own words, and where
these words stand. Out: a claim with the typed value of its memory and the group it is folded in, or
the reason why there is none. Whichever reader found the statement, this is the way it takes; what a
claim does to what is known is decided by the fold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec

from smartbrain.domain.candidate import Source
from smartbrain.domain.claim import CLOSES, OTHER, SELF, Claim, ClaimStatus, Say
from smartbrain.domain.keys import slug
from smartbrain.domain.memory import Span
from smartbrain.domain.reason import Reason
from smartbrain.domain.time_span import TimeKind
from smartbrain.errors import UsageError
from smartbrain.remember.claims import ClaimMaker
from smartbrain.remember.extract.coming import coming
from smartbrain.remember.extract.preference_words import own_name
from smartbrain.remember.extract.wording import GENERAL
from smartbrain.remember.subjects import PEOPLE, THINGS
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times

if TYPE_CHECKING:
    from smartbrain.domain.time_span import TimeSpan
    from smartbrain.remember.claims import Origin
    from smartbrain.text.ontology import Attribute, Ontology

USER: Final = "user"
MIN_CERTAINTY: Final = 0.5
"""A statement of which its reader is less certain is a candidate (K6)."""
MAX_VALUE: Final = 500
"""Characters of a value; what is longer is no value but a text."""
_STATUSES: Final = {Say.DOING: "doing", Say.BLOCKED: "blocked", Say.DONE: "done"}
_OF_SOMEBODY: Final = frozenset(("profile", "preferences", "facts"))
_SCOPES: Final = {
    "writing": ("answer_language", "answer_length", "answer_format", "answer_tone", "units"),
    "coding": ("code_style", "framework", "database"),
    "tools": ("tool", "editor", "os"),
    "ui": ("ui",),
}
_SCOPE_OF: Final = {name: scope for scope, names in _SCOPES.items() for name in names}
_BARE_DAY: Final = pattern(r"(?:\bthe )?(?<!\d)(\d{1,2})(?:st|nd|rd|th|号|日)", 0x02)
_MOMENT: Final = timedelta(microseconds=1)


class StatedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """One statement as a reader understood it; every field but the type may be left out."""

    type: str
    subject: str = USER
    relation: str = ""
    attr: str = OTHER
    value: str = ""
    say: Say = Say.ASSERT
    when: str = ""
    scope: str = ""
    topic: str = ""
    because: str = ""
    problem: str = ""
    solution: str = ""
    until: str = ""
    certainty: float = 1.0


class SaidWords(msgspec.Struct, frozen=True, kw_only=True):
    """The very words of a statement: where they stand and who said them."""

    text: str
    message: int
    message_id: str
    start: int
    length: int
    spans: tuple[Span, ...] = ()
    speaker: str = ""
    confidence: float = 0.8
    pii: bool = False


class _Frame(msgspec.Struct, frozen=True, kw_only=True):
    """A statement whose type, relation and attribute are those of the ontology."""

    stated: StatedClaim
    type: str
    subject: str
    relation: str
    attribute: str
    slot: Attribute | None
    said_at: datetime

    @property
    def project(self) -> str:
        return self.stated.scope.strip() or GENERAL


class StatementReader:
    """Makes claims of the statements of one turn."""

    def __init__(self, origin: Origin, maker: ClaimMaker, ontology: Ontology) -> None:
        self._origin = origin
        self._maker = maker
        self._ontology = ontology

    def make_claim(self, stated: StatedClaim, words: SaidWords) -> Claim | Reason:
        """Return a statement as a claim, or why it can be none."""
        frame = self._read_frame(stated, words.speaker)
        build = _FIELDS.get(frame.type)
        if build is None:
            return Reason("bad_type", f"{stated.type!r:.40} is no type that is claimed")
        if refused := _refuse(frame):
            return refused
        fields = build(frame)
        group = self._group_of(frame, fields)
        if isinstance(group, Reason):
            return group
        origin, value = self._origin, stated.value.strip()
        sure = stated.certainty >= MIN_CERTAINTY
        claim = Claim(
            id="",
            group=group,
            type=frame.type,
            subject=frame.subject,
            relation=frame.relation,
            attribute=frame.attribute,
            value=value,
            say=stated.say,
            when=str(fields.get("due") or fields.get("date") or ""),
            until=_until(stated.until, origin.said_at),
            scope=stated.scope.strip(),
            topic=str(fields.get("topic") or ""),
            because=stated.because.strip(),
            fields=fields,
            detail=_detail_of(frame),
            text=words.text,
            turn_id=origin.turn_id,
            session_id=origin.session_id,
            place=origin.place,
            message=words.message,
            message_id=words.message_id,
            start=words.start,
            length=words.length,
            spans=words.spans,
            said_at=origin.said_at,
            speaker=words.speaker,
            source=Source.USER,
            reader=origin.reader,
            rule=origin.reader.partition("/")[0],
            confidence=words.confidence,
            certainty=stated.certainty,
            pii=words.pii,
            status=ClaimStatus.COUNTED if sure else ClaimStatus.CANDIDATE,
        )
        return self._maker.named(claim)

    def _read_frame(self, stated: StatedClaim, speaker: str) -> _Frame:
        """Return a statement in the terms of the ontology."""
        subject, relation = self._read_subject(stated, speaker)
        kind = stated.type.strip().lower()
        if kind in _OF_SOMEBODY and relation not in (SELF, *THINGS):
            kind = "profile"
        elif kind == "profile" and relation in THINGS:
            kind = "facts"
        slot = self._ontology.attribute(stated.attr, kind)
        if slot and relation == SELF and kind in _OF_SOMEBODY and kind not in slot.all_types:
            kind = slot.type if slot.type in _OF_SOMEBODY else kind
        return _Frame(
            stated=stated,
            type=kind,
            subject=subject,
            relation=relation,
            attribute=slot.name if slot else OTHER,
            slot=slot,
            said_at=self._origin.said_at,
        )

    def _read_subject(self, stated: StatedClaim, speaker: str) -> tuple[str, str]:
        """Return who or what a statement is about, and what that is to the user."""
        words = " ".join(stated.subject.split())
        named = self._ontology.relation_of(words) if words else (SELF, "")
        relation = stated.relation.strip().lower()
        known = {one.name for one in self._ontology.relations}
        if relation not in known:
            relation = named[0] if named else (SELF if words == USER else THINGS[0])
        if relation == SELF:
            return speaker or USER, SELF
        if relation in THINGS:
            return self._ontology.without_owner(words) or words, relation
        return words, relation

    def _group_of(self, frame: _Frame, fields: Mapping[str, Any]) -> str | Reason:
        """Return the group of a claim; a reason where its words name no memory."""
        if frame.type == "profile" and frame.relation != SELF:
            return PEOPLE
        try:
            key = self._maker.key_of(frame.type, fields)
            if frame.type != "profile" and frame.stated.say not in CLOSES:
                self._maker.check(frame.type, key, fields)
        except UsageError as error:
            if frame.stated.say not in CLOSES:
                return Reason(error.code, error.message)
            key = ""
        return self._maker.group_of(frame.type, fields, key)


def _refuse(frame: _Frame) -> Reason | None:
    """Return why a statement says nothing that can be claimed, if so."""
    stated, value = frame.stated, frame.stated.value.strip()
    if stated.say in _STATUSES and frame.type not in ("tasks", "goals"):
        return Reason("bad_say", f"{stated.say.value} is said of tasks, not of {frame.type}")
    if not value and stated.say not in CLOSES and frame.type != "cases":
        return Reason("no_value", "it claims no value")
    if len(value) > MAX_VALUE:
        return Reason("long_value", f"its value has over {MAX_VALUE} characters")
    if not frame.subject:
        return Reason("no_subject", "it says of nobody what it claims")
    return None


def _profile(frame: _Frame) -> dict[str, Any]:
    return {"subject": frame.subject, "k": frame.attribute, "v": frame.stated.value.strip()}


def _preference(frame: _Frame) -> dict[str, Any]:
    name = frame.attribute
    if frame.subject not in (USER, ""):
        name = f"{frame.subject} {name}"
    scope = _SCOPE_OF.get(frame.attribute, OTHER)
    return {"scope": scope, "name": name, "value": frame.stated.value.strip()}


def _fact(frame: _Frame) -> dict[str, Any]:
    value = frame.stated.value.strip()
    return {"subject": frame.subject, "attribute": frame.attribute, "value": value}


def _task(frame: _Frame) -> dict[str, Any]:
    stated = frame.stated
    status = _STATUSES.get(stated.say, "todo")
    fields = {"project": frame.project, "title": stated.value.strip(), "status": status}
    time = _time_of(stated.when, frame.said_at)
    if time is not None and time.kind is not TimeKind.RECURRING:
        fields["due"] = (time.end - _MOMENT).date().isoformat()
    if stated.because and stated.say is Say.BLOCKED:
        return {**fields, "notes": [stated.because.strip()]}
    return fields


def _goal(frame: _Frame) -> dict[str, Any]:
    status = "achieved" if frame.stated.say is Say.DONE else "active"
    return {"project": frame.project, "name": frame.stated.value.strip(), "status": status}


def _event(frame: _Frame) -> dict[str, Any]:
    stated = frame.stated
    fields = {"scope": frame.project, "title": stated.value.strip()}
    if stated.say in CLOSES and not stated.when:
        return fields
    return {**fields, "date": day_of(stated.when, frame.said_at).isoformat()}


def _decision(frame: _Frame) -> dict[str, Any]:
    stated = frame.stated
    fields = {
        "project": frame.project,
        "topic": _topic_of(frame),
        "decision": stated.value.strip(),
        "made_at": frame.said_at.date().isoformat(),
    }
    return {**fields, "rationale": stated.because.strip()} if stated.because.strip() else fields


def _case(frame: _Frame) -> dict[str, Any]:
    stated = frame.stated
    problem = stated.problem.strip() or stated.value.strip()
    return {"domain": frame.project, "problem": problem, "solution": stated.solution.strip()}


_FIELDS: Final[Mapping[str, Callable[[_Frame], dict[str, Any]]]] = {
    "profile": _profile,
    "preferences": _preference,
    "facts": _fact,
    "tasks": _task,
    "goals": _goal,
    "events": _event,
    "decisions": _decision,
    "cases": _case,
}
"""The typed value of a statement, by the type of its memory."""
CLAIMED_TYPES: Final = tuple(_FIELDS)


def _topic_of(frame: _Frame) -> str:
    """Return what a decision is about: its slot and the named thing, else its own words (K11)."""
    stated, slot = frame.stated, frame.slot
    if slot is None:
        return own_name(stated.value) if stated.say not in CLOSES else ""
    names = {slot.name, slot.title.en.casefold(), slot.title.zh}
    words = stated.topic.casefold()
    for name in sorted(names, key=len, reverse=True):
        words = words.replace(name, " ")
    part = slug(words)
    if not part or part == slug(stated.scope):
        return slot.name
    return f"{slot.name}_{part}"


def _time_of(words: str, at: datetime) -> TimeSpan | None:
    """Return the time that words name, on its next occurrence; here a 27th is a day."""
    if not words:
        return None
    found = find_times(words, at)
    day = None if found else _BARE_DAY.search(words)
    if day is not None:
        for month in (at.month, at.month % 12 + 1):
            year = at.year + (month < at.month)
            dated = f"{words[: day.start()]}{year}-{month:02}-{int(day[1]):02}{words[day.end() :]}"
            found = find_times(dated, at)
            if found and found[0].end > at:
                break
    return coming(found[0], at) if found else None


def day_of(words: str, at: datetime) -> date:
    """Return the day of an event; one of which none is said is told on its own day."""
    time = _time_of(words, at)
    return (time.start if time else at).date()


def _until(words: str, at: datetime) -> datetime | None:
    time = _time_of(words, at)
    return time.end if time else None


def _detail_of(frame: _Frame) -> dict[str, Any]:
    """Return how a claim is to be taken."""
    stated = frame.stated
    detail: dict[str, Any] = {}
    if frame.type == "tasks":
        times = find_times(f"{stated.when} {stated.value}", frame.said_at)
        if any(time.kind is TimeKind.RECURRING for time in times):
            detail["recurring"] = True
    if frame.type == "events" and stated.say in CLOSES and stated.when:
        detail["on_day"] = day_of(stated.when, frame.said_at).isoformat()
    return detail
