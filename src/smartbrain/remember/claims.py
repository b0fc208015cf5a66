"""Claims: one thing that somebody stated, out of statements, proposals, results, operations (K1).

In: what a reader understood, or what a caller or a tool gave and the gate let pass, and where it
comes from. Out: claims, each with its group, the typed value of its memory and the words it quotes,
or the reason why there is none. Nothing is looked up: what a claim does to what is known is decided
by the fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import asdict, replace

from smartbrain.domain.claim import (
    CLOSES,
    OTHER,
    SELF,
    Candidate,
    CandidateAction,
    Claim,
    ClaimStatus,
    Say,
    Source,
)
from smartbrain.domain.ids import derive
from smartbrain.domain.keys import GENERAL, slug
from smartbrain.domain.memory import Memory, Span
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json
from smartbrain.domain.time import Granularity, TimeKind, TimeSpan
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import UsageError
from smartbrain.remember.gate import Judged, judge_privacy
from smartbrain.remember.match import ONLY
from smartbrain.remember.rules.forms import find_own_until
from smartbrain.remember.subjects import PEOPLE, THINGS
from smartbrain.text.ontology import Attribute, Ontology, extend_ontology, load_ontology
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times, last_occurrence, next_occurrence
from smartbrain.text.word_list import STOP_WORDS

if TYPE_CHECKING:
    from smartbrain.remember.record import Recorded
    from smartbrain.remember.write_set import Origin

READER: Final = "reader/1"
"""The reader of what messages state, and of structured tool results and proposals."""
MODEL: Final = "model/1"
"""The reader of claims that a language model or an agent makes."""
UNFOLDED: Final = frozenset(("episodes", "entities", "statements", "concepts", "insights", "meta"))
"""Types whose memories are not made of claims (K2)."""
WORDED: Final = frozenset(("tasks", "goals", "events"))
"""Types all of whose claims are one group: which memory is meant is told by their words."""
USER: Final = "user"
MIN_CERTAINTY: Final = 0.5
"""A statement of which its reader is less certain is a candidate (K6)."""
MAX_VALUE: Final = 500
"""Characters of a value; what is longer is no value but a text."""
CLAIMED_TYPES: Final = (
    *("profile", "preferences", "facts", "tasks", "goals", "events", "decisions", "cases"),
)
"""The types of memories that a statement may claim."""
_VALUE_FIELDS: Final = ("value", "decision", "title", "name", "description")
_STATUSES: Final = {"doing": Say.DOING, "blocked": Say.BLOCKED, "done": Say.DONE}
_MAX_TOPIC: Final = 40  # characters of a decision that names its own topic
_OF_SOMEBODY: Final = frozenset(("profile", "preferences", "facts"))
_SCOPES: Final = {
    "writing": ("answer_language", "answer_length", "answer_format", "answer_tone", "units"),
    "coding": ("code_style", "framework", "database"),
    "tools": ("tool", "editor", "os"),
    "ui": ("ui",),
}
_SCOPE_OF: Final = {name: scope for scope, names in _SCOPES.items() for name in names}
# The part of something larger that a decision is for.
_PART: Final = pattern(
    r"\b(?:module|service|component|phase|step) \w{1,20}"
    r"|(?:模块|服务|组件|阶段)\s?\w{1,8}?(?=用|选|$)",
    0x02,  # re.IGNORECASE
)
_BARE_DAY: Final = pattern(r"(?:\bthe )?(?<!\d)(\d{1,2})(?:st|nd|rd|th|号|日)", 0x02)
_OWNER_END: Final = pattern(r"['’]s\Z|(?<=s)['’]\Z")
_MOMENT: Final = timedelta(microseconds=1)
_CLOCK: Final = frozenset((Granularity.HOUR, Granularity.MINUTE))


class ClaimOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Where claims come from: a step of a turn, maybe `off_record`, or an operation."""

    turn_id: str | None = None
    operation_id: str | None = None
    session_id: str = ""
    place: int = 0
    first_message: int = 0
    said_at: datetime
    reader: str = READER
    off_record: bool = False

    @classmethod
    def of_step(cls, recorded: Recorded, *, off_record: bool) -> ClaimOrigin:
        """Return where the claims of a recorded step come from."""
        step, stored = recorded.said, recorded.stored
        return cls(
            turn_id=step.id,
            session_id=step.session_id,
            place=recorded.place,
            first_message=len(stored.messages) if stored else 0,
            said_at=step.at,
            off_record=off_record,
        )


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
    declared: bool = False
    confirmed: bool = False


class _Frame(msgspec.Struct, frozen=True):
    """A statement whose type, subject, relation and slot are those of the ontology."""

    stated: StatedClaim
    type: str
    subject: str
    relation: str
    slot: Attribute | None
    said_at: datetime

    @property
    def attribute(self) -> str:
        return self.slot.name if self.slot else OTHER


class ClaimMaker:
    """Makes the claims of one commit, of statements and of candidates that passed the gate."""

    def __init__(self, origin: ClaimOrigin, types: TypeRegistry, rules: Rules) -> None:
        self._origin = origin
        self._types = types
        self._rules = rules
        self._ontology = extend_ontology(rules.ontology.attributes)
        self._ids: dict[str, int] = {}
        self._counted = 0

    def claim_candidate(self, judged: Judged) -> list[Claim]:
        """Return the claims of a candidate: one a fact of a profile, else one."""
        one = judged.candidate
        facts = one.value.get("facts") or () if one.type == "profile" else ()
        if one.type != "profile":
            return [self._of_candidate(judged, one.value)]
        if not facts and one.action is CandidateAction.RETRACT:
            return [self._of_candidate(judged, one.value, whole=True)]
        return [self._of_fact(judged, fact, place) for place, fact in enumerate(facts)]

    def claim_statement(self, stated: StatedClaim, words: SaidWords) -> Claim | Reason:
        """Return a statement as a claim, or why it can be none."""
        origin = self._origin
        stated = _with_until(stated, origin.said_at)
        frame = self._read_frame(stated, words)
        pii, private = judge_privacy((words.text, stated.value), self._rules)
        if refused := private or _refuse(frame):
            return refused
        fields = _fields_of(frame)
        group = self._group_of_frame(frame, fields)
        if isinstance(group, Reason):
            return group
        quoted = asdict(words)
        flags = {name: quoted.pop(name) for name in ("declared", "confirmed")}
        sure = stated.certainty >= MIN_CERTAINTY
        return self._make(
            group=group,
            type=frame.type,
            subject=frame.subject,
            relation=frame.relation,
            attribute=frame.attribute,
            value=stated.value.strip(),
            say=stated.say,
            until=_end_of(stated.until, origin.said_at),
            scope=stated.scope.strip(),
            because=stated.because.strip(),
            fields=fields,
            detail=_detail_of_frame(frame, flags),
            source=Source.USER,
            rule=origin.reader.partition("/")[0],
            confidence=self._rules.policies.retention.confidence.user_asserted,
            pii=pii,
            certainty=stated.certainty,
            status=ClaimStatus.COUNTED if sure else ClaimStatus.CANDIDATE,
            **quoted,
        )

    def _of_fact(self, judged: Judged, fact: Mapping[str, Any], place: int) -> Claim:
        one = judged.candidate
        how: dict[str, Any] = {"exact": True} if fact.get(ONLY) else {}
        claim = self._of_candidate(judged, {**one.value, "facts": [fact]}, whole=False, **how)
        return replace(
            claim,
            attribute=str(fact["k"]),
            value=fact["v"],
            fields={"subject": one.value.get("subject", USER), **fact},
            start=claim.start + place,
        )

    def _of_candidate(self, judged: Judged, value: Mapping[str, Any], **how: Any) -> Claim:
        one = judged.candidate
        say = _say_of(one)
        fields = {name: item for name, item in value.items() if name != "key"}
        how = {**_detail_of(judged, say), **how}
        kind = self._types.get(one.type)
        key = str(how.get("key") or "")
        with suppress(UsageError):
            if key:
                fields = {**kind.parse_key(key), **fields}
            else:
                key = kind.key_of(fields)
        self._counted += 1
        return self._make(
            group=group_of(one.type, fields, key or judged.key, self._ontology),
            type=one.type,
            subject=str(fields.get("subject") or USER),
            attribute=str(fields.get("attribute") or fields.get("name") or OTHER),
            value=next(
                (fields[name] for name in _VALUE_FIELDS if fields.get(name) is not None), ""
            ),
            say=say,
            until=one.valid_until,
            scope=str(fields.get("project") or fields.get("scope") or ""),
            because=str(fields.get("rationale") or ""),
            fields=fields,
            detail=how,
            text=one.text,
            message=-1,
            start=self._counted,
            source=one.source,
            rule=one.rule,
            confidence=one.confidence,
            pii=judged.pii,
        )

    def _make(self, *, fields: Mapping[str, Any], **told: Any) -> Claim:
        """Return a claim of this origin with its id, made of where it comes from and says."""
        origin = self._origin
        claim = Claim(
            id="",
            when=str(fields.get("due") or fields.get("date") or ""),
            topic=str(fields.get("topic") or ""),
            fields=fields,
            turn_id=origin.turn_id,
            operation_id=origin.operation_id,
            session_id=origin.session_id,
            place=origin.place,
            said_at=origin.said_at,
            reader=origin.reader,
            **told,
        )
        said = canonical_json([claim.value, dict(fields), dict(claim.detail)])
        parts = (claim.reader, claim.rule, claim.type, claim.say.value, claim.start, said)
        base = derive("clm", claim.source_id, claim.message_id or "", *parts)
        number = self._ids[base] = self._ids.get(base, -1) + 1
        return replace(claim, id=derive("clm", base, number) if number else base)

    def _read_frame(self, stated: StatedClaim, words: SaidWords) -> _Frame:
        subject, relation = self._read_subject(stated, words.speaker)
        kind = stated.type.strip().lower()
        if kind in _OF_SOMEBODY and relation not in (SELF, *THINGS):
            kind = "profile"
        elif kind == "profile" and relation in THINGS:
            kind = "facts"
        slot = self._ontology.attribute(stated.attr, kind)
        if kind == "decisions":
            slot = self._find_slot(stated.value, words.text) or slot
        if relation in THINGS:
            subject = _name_thing(subject, slot)
        if slot and relation == SELF and kind in _OF_SOMEBODY and kind not in slot.all_types:
            kind = slot.type if slot.type in _OF_SOMEBODY else kind
        return _Frame(stated, kind, subject, relation, slot, self._origin.said_at)

    def _find_slot(self, value: str, text: str) -> Attribute | None:
        """Return the slot that a choice names and that its lexicon has: MySQL 做主数据库."""
        low, knows = text.casefold(), self._ontology.value_class
        return next(
            (
                one
                for one in self._ontology.attributes
                if "decisions" in one.all_types
                and (one.title.zh in low or one.title.en in low)
                and knows(one.name, value) is not None
            ),
            None,
        )

    def _read_subject(self, stated: StatedClaim, speaker: str) -> tuple[str, str]:
        words = " ".join(stated.subject.split())
        named = self._ontology.relation_of(words) if words else (SELF, "")
        relation = stated.relation.strip().lower()
        if relation not in {one.name for one in self._ontology.relations}:
            relation = named[0] if named else (SELF if words == USER else THINGS[0])
        if relation == SELF:
            return speaker or USER, SELF
        if relation in THINGS:
            return self._ontology.without_owner(words) or words, relation
        return words, relation

    def _group_of_frame(self, frame: _Frame, fields: Mapping[str, Any]) -> str | Reason:
        """Return the group of a statement; a reason where its words name no memory."""
        if frame.type == "profile" and frame.relation != SELF:
            return PEOPLE
        kind, closes, key = self._types.get(frame.type), frame.stated.say in CLOSES, ""
        try:
            key = kind.key_of(fields)
            if frame.type != "profile" and not closes:
                kind.complete(key, fields)
        except UsageError as error:
            if not closes:
                return Reason(error.code, error.message)
        return group_of(frame.type, fields, key, self._ontology)


def is_default_reader(reader: str) -> bool:
    """Tell whether a reader is the default one, of whichever version."""
    return reader.partition("/")[0] == READER.partition("/")[0]


def claims_of(
    judged: Iterable[Judged], origin: ClaimOrigin, *, types: TypeRegistry, rules: Rules
) -> list[Claim]:
    """Return the claims of the candidates that passed the gate."""
    maker = ClaimMaker(origin, types, rules)
    kept = [one for one in judged if one.refused is None and one.candidate.type not in UNFOLDED]
    return [claim for one in kept for claim in maker.claim_candidate(one)]


def verdict_claim(chosen: Memory, reason: str, origin: Origin) -> Claim:
    """Return the claim by which a reviewer lets one of two contradicting facts hold (C5)."""
    return Claim(
        id=derive("clm", origin.id, chosen.id),
        group=group_of(chosen.type, chosen.value, chosen.key, load_ontology()),
        type=chosen.type,
        subject=str(chosen.value.get("subject") or USER),
        attribute=str(chosen.value.get("attribute") or OTHER),
        value=chosen.value.get("value"),
        fields=chosen.value,
        detail={"elects": chosen.id, "key": chosen.key},
        text=reason,
        operation_id=origin.operation_id,
        said_at=origin.said_at,
        source=Source.OPERATION,
        reader="review/1",
        rule="review",
        confidence=chosen.confidence,
    )


def group_of(type_name: str, fields: Mapping[str, Any], key: str, ontology: Ontology) -> str:
    """Return the group that a claim is folded in."""
    if type_name in WORDED:
        return type_name
    if type_name == "profile":
        return f"profile:{slug(str(fields.get('subject') or USER))}"
    if type_name == "preferences":
        name = str(fields.get("name") or "").partition(":")[0]
        known = ontology.attribute(name, type_name)
        if known is not None and known.name == name and type_name in known.all_types:
            return f"preferences:{name}"
    if type_name == "decisions" and not _fills_slot(str(fields.get("topic") or ""), ontology):
        return f"decisions:other:{slug(str(fields.get('project') or GENERAL))}"
    if type_name == "facts" and fields.get("subject") and fields.get("attribute"):
        attribute = str(fields["attribute"]).partition(":")[0]
        return f"facts:{slug(str(fields['subject']))}:{slug(attribute)}"
    return f"{type_name}:{key.casefold()}"


def _fills_slot(topic: str, ontology: Ontology) -> bool:
    """Tell whether the topic of a decision is a slot of the ontology, be it of a named thing."""
    words = topic.casefold().split("_")
    starts = ("_".join(words[: place + 1]) for place in range(len(words)))
    return any(ontology.is_name(start) for start in starts)


def _say_of(one: Candidate) -> Say:
    if one.action is CandidateAction.RETRACT:
        return Say.WRONG
    status = str(one.value.get("status")) if one.type == "tasks" else ""
    return _STATUSES.get(status, Say.ASSERT)


def _detail_of(judged: Judged, say: Say) -> dict[str, Any]:
    one = judged.candidate
    by_tool = one.source is Source.TOOL and one.type != "tasks"  # a tracker names its own tasks
    by_caller = not by_tool and bool(judged.key)
    flags = {
        "key": one.value.get("key") or (judged.key if by_caller else None),
        "corrects": one.corrects,
        "declared": one.declared,
        "confirmed": one.confirmed,
        "whole": one.rule == "operation.retract",
        "silent": say is Say.WRONG,
        "whole_value": one.rule.startswith("operation."),
        "evidence_refs": list(one.evidence_refs),
        "stated": sorted(judged.stated),
    }
    return {name: item for name, item in flags.items() if item}


def _detail_of_frame(frame: _Frame, flags: dict[str, bool]) -> dict[str, Any]:
    stated, at = frame.stated, frame.said_at
    if frame.type == "tasks":
        times = find_times(f"{stated.when} {stated.value}", at)
        flags["recurring"] = any(time.kind is TimeKind.RECURRING for time in times)
    detail: dict[str, Any] = {name: True for name, is_set in flags.items() if is_set}
    if frame.type == "events" and stated.say in CLOSES and stated.when:
        detail["on_day"] = day_of(stated.when, at).isoformat()
    return detail


def _name_thing(words: str, slot: Attribute | None) -> str:
    """Return what a thing is called, without its attribute: the server's port is of the server."""
    names = (slot.title.en, slot.title.zh, *slot.aliases) if slot else ()
    for name in sorted(names, key=len, reverse=True):
        before, last = words[: -len(name)], words[-len(name) :]
        if last.casefold() == name.casefold() and (before.endswith(" ") or not before.isascii()):
            words = before.removesuffix("的")
            break
    named = _OWNER_END.sub("", words.strip()).strip()
    return named or words


def _refuse(frame: _Frame) -> Reason | None:
    """Return why a statement says nothing that can be claimed, if so."""
    stated, value = frame.stated, frame.stated.value.strip()
    if frame.type not in CLAIMED_TYPES:
        return Reason("bad_type", f"{stated.type!r:.40} is no type that is claimed")
    if stated.say in _STATUSES.values() and frame.type not in ("tasks", "goals"):
        return Reason("bad_say", f"{stated.say.value} is said of tasks, not of {frame.type}")
    if not value and stated.say not in CLOSES and frame.type != "cases":
        return Reason("no_value", "it claims no value")
    if len(value) > MAX_VALUE:
        return Reason("long_value", f"its value has over {MAX_VALUE} characters")
    return None if frame.subject else Reason("no_subject", "it says of nobody what it claims")


def _fields_of(frame: _Frame) -> dict[str, Any]:
    stated, subject, at = frame.stated, frame.subject, frame.said_at
    value, project = stated.value.strip(), stated.scope.strip() or GENERAL
    because = stated.because.strip()
    match frame.type:
        case "profile":
            return {"subject": subject, "k": frame.attribute, "v": value}
        case "facts":
            return {"subject": subject, "attribute": frame.attribute, "value": value}
        case "preferences":
            of_other = subject not in (USER, "")
            name = f"{subject} {frame.attribute}" if of_other else frame.attribute
            return {"scope": _SCOPE_OF.get(frame.attribute, OTHER), "name": name, "value": value}
        case "goals":
            status = "achieved" if stated.say is Say.DONE else "active"
            return {"project": project, "name": value, "status": status}
        case "events":
            fields = {"scope": project, "title": value}
            undated = stated.say in CLOSES and not stated.when
            return fields if undated else {**fields, "date": day_of(stated.when, at).isoformat()}
        case "decisions":
            fields = {"project": project, "topic": _topic_of(frame), "decision": value}
            fields["made_at"] = _day_made(stated.when, at).isoformat()
            return {**fields, "rationale": because} if because else fields
        case "cases":
            problem = stated.problem.strip() or value
            return {"domain": project, "problem": problem, "solution": stated.solution.strip()}
    status = stated.say.value if stated.say in _STATUSES.values() else "todo"
    task: dict[str, Any] = {"project": project, "title": value, "status": status}
    time = _time_of(stated.when, at)
    if time is not None and time.kind is not TimeKind.RECURRING:
        hour = time.granularity in _CLOCK
        last_day = (time.end - _MOMENT).date().isoformat()
        task["due"] = time.start.isoformat(timespec="minutes") if hour else last_day
    return {**task, "notes": [because]} if because and stated.say is Say.BLOCKED else task


def _topic_of(frame: _Frame) -> str:
    """Return what a decision is about: its slot and the named thing, else its own words (K11)."""
    stated, slot = frame.stated, frame.slot
    if slot is None:
        return slug(stated.value[:_MAX_TOPIC]) if stated.say not in CLOSES else ""
    words = stated.topic.casefold()
    for name in sorted({slot.name, slot.title.en.casefold(), slot.title.zh}, key=len, reverse=True):
        words = words.replace(name, " ")
    named = [word for word in words.split() if word not in STOP_WORDS]
    # 模块 and 1用 PostgreSQL are read apart where nothing stands between a word and its number.
    numbered = _PART.search(stated.value)
    whole = None if words.isascii() else _PART.match(words + stated.value)
    part = slug(whole[0] if whole else " ".join(named) or (numbered[0] if numbered else ""))
    return slot.name if not part or part == slug(stated.scope) else f"{slot.name}_{part}"


def _day_made(words: str, at: datetime) -> date:
    found = find_times(words, at) if words else []
    said = last_occurrence(found[0], at).start.date() if found else at.date()
    return min(said, at.date())


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
    return next_occurrence(found[0], at) if found else None


def day_of(words: str, at: datetime) -> date:
    """Return the day of an event; one of which none is said is told on its own day."""
    time = _time_of(words, at)
    return (time.start if time else at).date()


def _end_of(words: str, at: datetime) -> datetime | None:
    time = _time_of(words, at)
    return time.end if time else None


def _with_until(stated: StatedClaim, at: datetime) -> StatedClaim:
    """Return a statement with the time until which it holds, where its value ends with that."""
    if stated.until or stated.type not in _OF_SOMEBODY:
        return stated
    until = find_own_until(stated.value)
    return replace(stated, until=until) if _end_of(until, at) else stated
