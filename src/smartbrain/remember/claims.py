"""Claims out of what readers found: candidates of today's finders, proposals and operations (K1).

In: candidates that passed the gate, and where they come from. Out: claims, each with its group, the
words it quotes and how it is to be taken. Nothing is looked up: what a claim does to what is known
is decided by the fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.claim import OTHER, Claim, ClaimStatus, Say
from smartbrain.domain.ids import derive
from smartbrain.domain.keys import slug
from smartbrain.domain.quick import replace as candidate_replace
from smartbrain.domain.record import canonical_json
from smartbrain.domain.time_span import TimeKind
from smartbrain.errors import UsageError
from smartbrain.remember.extract.called_off import CALLED_OFF, CALLED_OFF_ON
from smartbrain.remember.extract.corrections_instead import FORGOTTEN
from smartbrain.remember.extract.deadlines import DUE_ANEW
from smartbrain.remember.extract.declarations import NOTE
from smartbrain.remember.extract.denied_values import (
    DENIED,
    disliked,
    is_facet,
    is_one_of_many,
    tells_end,
)
from smartbrain.remember.extract.forgetting import FORGOTTEN_TOO
from smartbrain.remember.extract.preference_words import own_name
from smartbrain.remember.extract.standing import NAME_TO_USE, PERMITTED, RENAMED
from smartbrain.remember.extract.switches import SWITCHED
from smartbrain.remember.extract.taste_things import short_name
from smartbrain.remember.extract.until import split_until
from smartbrain.remember.extract.wording import GENERAL
from smartbrain.remember.profile_values import ONLY
from smartbrain.text.ontology import load_ontology
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.remember.gate import Judged
    from smartbrain.remember.origin import Origin as WriteOrigin
    from smartbrain.text.ontology import Ontology

FINDERS: Final = "finders/1"
"""The reader of what was found by rules in words and tool results."""
READER: Final = "reader/1"
"""The trained reader."""
_DEFAULT_READERS: Final = ("finders/", "reader/")
MODEL: Final = "model/1"
"""The reader of claims that a language model or an agent makes."""
UNFOLDED: Final = frozenset(("episodes", "entities", "statements", "concepts", "insights", "meta"))
"""Types whose memories are not made of claims (K2)."""
WORDED: Final = frozenset(("tasks", "goals", "events"))
"""Types all of whose claims are one group: which memory is meant is told by their words."""
_STATUS_SAYS: Final = {"doing": Say.DOING, "blocked": Say.BLOCKED, "done": Say.DONE}
_IF_THERE: Final = frozenset((RENAMED, SWITCHED, FORGOTTEN_TOO, PERMITTED))
_OVER: Final = frozenset(("ended", SWITCHED))
_DONE_WITH: Final = frozenset(("tasks", "goals", "decisions"))
"""Types of what is given up when it is denied, and never was a mistake."""
_REPORTED: Final = frozenset(("tasks.open", "tasks.marked", DUE_ANEW))
_TASTES: Final = frozenset(
    f"preferences.{rule}"
    for rule in ("use", "like", "dislike", "fond", "kind", "verdict", "find", "annoys")
)
_LIKINGS: Final = frozenset(("preferences.fond", "preferences.dislike"))
_KIND: Final = pattern(
    r"(?<!\s)\s++(?:browsers?|editors?|shells?|(?:programming )?languages?)\Z"
    r"|(?:(?<!\s)\s++)?(?:浏览器|编辑器|(?:编程)?语言|终端)\Z",
    0x02,
)
"""What a thing is, said behind its name: the Chrome browser."""
_CHOICES: Final = frozenset(("facts.we_use", "facts.changed", "facts.switched"))
"""Rules of what a team uses, or has changed to."""
_MAIN: Final = pattern(r"\b(?:main|primary|our|the)\b|主要?", 0x02)
"""What says of a slot that it is the one of its kind."""
_PART: Final = pattern(
    r"\b(?:module|service|component|phase|step)s?\s+[\w-]+|(?:模块|服务|组件|阶段)\s*[\w一二三四五六七八九十]+"
    r"|[一二三四五六七八九十\d]号?(?:模块|服务|组件|阶段)",
    0x02,
)
"""The part of something larger that a decision is for."""
_ANSWER_LANGUAGE: Final = "answer_language"
_FINDER_NAMES: Final = {"location": "home", "phone": "phone_number"}
"""Attributes of a profile that finders call otherwise than the ontology does."""
_VALUE_FIELDS: Final = ("value", "decision", "title", "name", "description")


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where claims come from: a step of a turn, maybe `off_record`, or an operation."""

    turn_id: str | None = None
    operation_id: str | None = None
    session_id: str = ""
    place: int = 0
    first_message: int = 0
    said_at: datetime
    reader: str = FINDERS
    off_record: bool = False


class ClaimMaker:
    """Makes the claims of one commit."""

    def __init__(self, origin: Origin, types: TypeRegistry, ontology: Ontology) -> None:
        self._origin = origin
        self._types = types
        self._ontology = ontology
        self._ids: dict[str, int] = {}
        self._counted = 0

    def make(self, judged: Judged) -> list[Claim]:
        """Return the claims of a candidate: one a fact of a profile, else one, or two."""
        one = judged.candidate
        if one.detail:
            say = Say(one.detail.get("say", "done"))
            return [self._claim(judged, {}, say=say, detail=one.detail)]
        if one.type == "profile":
            return list(self._profile(judged))
        if one.type == "preferences" and one.message is not None:
            return list(self._preference(judged))
        if one.type == "decisions" and one.message is not None:
            return [self._claim(judged, self._decision(one))]
        if one.rule in _CHOICES and (chosen := self._choice(one)):
            judged = candidate_replace(judged, candidate=chosen, key="")
            return [self._claim(judged, chosen.value)]
        return [self._claim(judged, one.value)]

    def _decision(self, one: Candidate) -> dict[str, Any]:
        """Return a decision under the slot it fills, qualified by the part it is for (K11)."""
        value = dict(one.value)
        topic = str(value.get("topic") or "").rstrip("了_")
        part = _PART.search(one.text)
        name = slug(part[0]) if part else ""
        if topic and name and name not in topic:
            topic = f"{topic}_{name}"
        return {**value, "topic": topic} if topic else value

    def _choice(self, one: Candidate) -> Candidate | None:
        """Return what a team says it uses in a slot as a decision; None where it is no slot."""
        subject, used = str(one.value.get("subject", "")), str(one.value.get("value", ""))
        told_of = str(one.value.get("attribute", "")).casefold()
        words = f"{subject} {told_of}".casefold()
        for attribute in self._ontology.attributes:
            names = {attribute.name, attribute.title.en, attribute.title.zh}
            slot = next((name for name in names if name in words), "")
            if attribute.type != "decisions" or not slot or told_of not in ("tool", slot):
                continue
            if not self._ontology.value_class(attribute.name, used):
                continue
            of = " ".join(_MAIN.sub(" ", words.replace(slot, " ").replace(told_of, " ")).split())
            if of:  # a part of its own, which is told as a fact
                continue
            decided = {"project": "general", "topic": attribute.name, "decision": one.text or used}
            return candidate_replace(one, type="decisions", value=decided)
        return None

    def _profile(self, judged: Judged) -> Iterator[Claim]:
        """Yield a claim for each fact that a candidate states or denies."""
        one = judged.candidate
        facts = one.value.get("facts") or ()
        if not facts and _retracts(one):
            yield self._claim(judged, one.value, detail={"whole": True})
            return
        whole = f"{one.message}:{one.offset}:{one.rule}" if len(facts) > 1 else None
        for place, given in enumerate(facts):
            fact, until = self._without_until(given, one)
            name = _FINDER_NAMES.get(str(fact["k"]), str(fact["k"]))
            detail: dict[str, Any] = {"whole": False}
            if fact.get(ONLY):
                detail["exact"] = True
            if whole is not None:
                detail["part_of"] = whole
            if fact["v"] == "" and one.message is not None:
                detail["all_values"] = True  # "I don't have any pets"
            if one.source is Source.OPERATION:
                detail["put_right"] = True
            value = {**one.value, "facts": [{**fact, "k": name}]}
            claim = self._claim(judged, value, detail=detail)
            yield replace(
                claim,
                attribute=name,
                value=fact["v"],
                fields={"subject": one.value.get("subject", "user"), **fact, "k": name},
                until=until,
                start=claim.start + place,
            )

    def _without_until(
        self, fact: Mapping[str, Any], one: Candidate
    ) -> tuple[Mapping[str, Any], datetime | None]:
        """Return a fact of a profile without the words that say until when it holds."""
        if one.valid_until is not None or one.message is None or not isinstance(fact["v"], str):
            return fact, one.valid_until
        kept, until = split_until(fact["v"], self._origin.said_at)
        return {**fact, "v": kept}, until

    def _preference(self, judged: Judged) -> Iterator[Claim]:
        """Yield a preference, and what goes with it: who uses vim again dislikes it no more."""
        one = judged.candidate
        value = self._answered(one)
        name = str(value.get("name", ""))
        if _retracts(one) or one.corrects or one.rule not in _TASTES or not is_facet(name):
            yield self._claim(judged, value)
            if _retracts(one) and value.get("value") and is_one_of_many(value):
                own = _under_own_words(value, str(value["value"]))
                yield self._claim(judged, own, detail={"if_there": True})
            return
        thing = disliked(value)
        if not thing:
            said = str(value.get("value", ""))
            own = _under_own_words(value, said)
            liked = one.rule in _LIKINGS and is_one_of_many(value)
            if liked:
                yield self._claim(judged, own)
                return
            yield self._claim(judged, value)
            if own["name"] != name:
                ended = {**own, "value": ""}
                yield self._claim(judged, ended, say=Say.END, detail={"if_there": True})
            return
        ended = {**value, "value": thing}
        yield self._claim(judged, ended, say=Say.END, detail={"if_there": True})
        yield self._claim(judged, _under_own_words(value, thing))

    def _answered(self, one: Candidate) -> Mapping[str, Any]:
        """Return a preference under the ontology's name, such as answer_language for 中文回答."""
        value, ontology = dict(one.value), self._ontology
        name, said = str(value.get("name", "")), f"{value.get('value', '')} {one.text}"
        known = ontology.attribute(name, "preferences")
        if known is not None and known.name.startswith("answer_"):
            return {**value, "name": known.name}
        spoken = ontology.attribute(_ANSWER_LANGUAGE)
        cued = spoken is not None and any(cue in said.casefold() for cue in spoken.cues)
        if cued and ontology.value_class(_ANSWER_LANGUAGE, str(value.get("value", ""))):
            return {**value, "scope": "writing", "name": _ANSWER_LANGUAGE}
        return value

    def _claim(
        self,
        judged: Judged,
        value: Mapping[str, Any],
        *,
        say: Say | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> Claim:
        """Return a value that a candidate states as a claim."""
        one, origin = judged.candidate, self._origin
        say = say or _say_of(one)
        fields = {name: item for name, item in value.items() if name != "key"}
        how = {**_detail_of(judged, say), **(detail or {})}
        kind = self._types.get(one.type)
        if "key" in how:
            with suppress(UsageError):
                fields = {**kind.parse_key(str(how["key"])), **fields}
        until, fields = _until(one, fields, origin.said_at)
        claim = Claim(
            id="",
            group=self.group_of(one.type, fields, self._key(one.type, fields, how) or judged.key),
            type=one.type,
            subject=str(fields.get("subject") or "user"),
            attribute=str(fields.get("attribute") or fields.get("name") or OTHER),
            value=_value_of(fields),
            say=say,
            when=str(fields.get("due") or fields.get("date") or ""),
            until=until,
            scope=str(fields.get("project") or fields.get("scope") or ""),
            topic=str(fields.get("topic") or ""),
            because=str(fields.get("rationale") or ""),
            fields=fields,
            detail=how,
            text=one.text,
            turn_id=origin.turn_id,
            operation_id=origin.operation_id,
            session_id=origin.session_id,
            place=origin.place,
            message=-1 if one.message is None else origin.first_message + one.message,
            message_id=judged.message_id,
            start=self._place(one),
            length=one.length,
            spans=judged.raw_refs,
            said_at=origin.said_at,
            source=one.source,
            reader=origin.reader,
            rule=one.rule,
            confidence=one.confidence,
            pii=judged.pii,
            status=ClaimStatus.REFUSED if judged.refused else ClaimStatus.COUNTED,
        )
        return self.named(claim)

    def _place(self, one: Candidate) -> int:
        """Return where in its message something is said; results and proposals are counted."""
        if one.message is not None:
            return one.offset
        self._counted += 1
        return self._counted

    def _key(self, type_name: str, fields: Mapping[str, Any], how: Mapping[str, Any]) -> str:
        """Return the key that was named, or that a value gives itself."""
        if named := how.get("key"):
            return str(named)
        try:
            return self.key_of(type_name, fields)
        except UsageError:
            return ""

    def group_of(self, type_name: str, fields: Mapping[str, Any], key: str) -> str:
        """Return the group that a value is folded in."""
        return group_of(type_name, fields, key, self._ontology)

    def key_of(self, type_name: str, fields: Mapping[str, Any]) -> str:
        """Return the key that a value gives itself.

        Raises:
            UsageError: it says too little to be named.
        """
        return self._types.get(type_name).key_of(fields)

    def check(self, type_name: str, key: str, fields: Mapping[str, Any]) -> None:
        """Make sure that fields are a value of their type.

        Raises:
            UsageError: they are none; the sentence names the field.
        """
        self._types.get(type_name).complete(key, fields)

    def named(self, claim: Claim) -> Claim:
        """Return a claim with its id, made of where it comes from and what it says."""
        said = canonical_json([claim.value, dict(claim.fields), dict(claim.detail)])
        base = derive(
            "clm",
            claim.source_id,
            claim.message_id or "",
            claim.reader,
            claim.rule,
            claim.type,
            claim.say.value,
            claim.start,
            said,
        )
        number = self._ids[base] = self._ids.get(base, -1) + 1
        return replace(claim, id=derive("clm", base, number) if number else base)


def is_default_reader(reader: str) -> bool:
    """Tell whether a reader is the default one, of whichever version."""
    return reader.startswith(_DEFAULT_READERS)


def claims_of(
    judged: Iterable[Judged], origin: Origin, *, types: TypeRegistry, ontology: Ontology
) -> list[Claim]:
    """Return the claims of the candidates that passed the gate."""
    maker = ClaimMaker(origin, types, ontology)
    kept = [one for one in judged if one.refused is None and one.candidate.type not in UNFOLDED]
    return [claim for one in kept for claim in maker.make(one)]


def without_unremembered(judged: Sequence[Judged]) -> list[Judged]:
    """Return candidates without what the same message takes back right after it (K12)."""
    gone = [one for one in judged if _retracts(one.candidate) and one.key]
    return [
        one
        for one in judged
        if _retracts(one.candidate) or not any(_unsays(other, one) for other in gone)
    ]


def _unsays(asked: Judged, stated: Judged) -> bool:
    """Tell whether something is taken back in the message that has stated it."""
    first, second = stated.candidate, asked.candidate
    same = first.type == second.type and stated.key == asked.key and first.message is not None
    if not same or first.message != second.message or first.offset >= second.offset:
        return False
    value = first.value.get("value", "")
    return second.rule in (FORGOTTEN, FORGOTTEN_TOO) or second.value.get("value", "") == value


def verdict_claim(chosen: Memory, reason: str, origin: WriteOrigin) -> Claim:
    """Return the claim by which a reviewer lets one of two contradicting facts hold (C5)."""
    return Claim(
        id=derive("clm", origin.id, chosen.id),
        group=group_of(chosen.type, chosen.value, chosen.key, load_ontology()),
        type=chosen.type,
        subject=str(chosen.value.get("subject") or "user"),
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
        return f"profile:{slug(str(fields.get('subject') or 'user'))}"
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


def part_notes(judged: Sequence[Judged]) -> tuple[list[Judged], list[Judged]]:
    """Return candidates without notes, and the notes of words that state nothing else.

    What a note denies may be known or not; a note counts where it has ended nothing.
    """
    plain = [one for one in judged if one.candidate.rule != NOTE]
    notes = [one for one in judged if one.candidate.rule == NOTE]
    stating = [
        one
        for one in plain
        if one.refused is None and not _retracts(one.candidate) and not one.candidate.detail
    ]
    return plain, [one for one in notes if not any(_overlap(one, other) for other in stating)]


def _overlap(one: Judged, other: Judged) -> bool:
    """Tell whether two candidates are read in the same words."""
    first, second = one.candidate, other.candidate
    return (
        first.message == second.message
        and first.offset < second.offset + second.length
        and second.offset < first.offset + first.length
    )


def _retracts(one: Candidate) -> bool:
    return one.action is CandidateAction.RETRACT


def _say_of(one: Candidate) -> Say:
    """Return what a candidate says of its value."""
    if _retracts(one):
        return Say.END if _is_over(one) else Say.WRONG
    if one.type == "tasks":
        return _STATUS_SAYS.get(str(one.value.get("status")), Say.ASSERT)
    return Say.ASSERT


def _is_over(one: Candidate) -> bool:
    """Tell whether what is taken back was true until then; what is to be forgotten is not."""
    if one.rule in (FORGOTTEN, FORGOTTEN_TOO):
        return False
    if one.type in _DONE_WITH and one.message is not None:
        return True  # nobody says of a task that it never was to be done
    return one.rule in _OVER or one.rule.startswith(CALLED_OFF) or tells_end(one.text)


def _detail_of(judged: Judged, say: Say) -> dict[str, Any]:
    """Return how a claim is to be taken."""
    one = judged.candidate
    forgets = one.rule in (FORGOTTEN, FORGOTTEN_TOO)
    named = one.value.get("key")
    by_tool = one.source is Source.TOOL and one.type != "tasks"  # a tracker names its own tasks
    by_caller = one.message is None and not by_tool and bool(judged.key)
    flags = {
        "key": named or (judged.key if by_caller else None),
        "corrects": one.corrects,
        "mistaken": one.corrects and one.rule.startswith("corrections."),
        "declared": one.declared,
        "confirmed": one.confirmed,
        "forgets": forgets,
        "whole": (forgets and not one.value.get("value")) or one.rule == "operation.retract",
        "silent": say is Say.WRONG and one.message is None,
        "if_there": one.rule in _IF_THERE,
        "exact": one.rule in (SWITCHED, DENIED)
        or (one.rule == RENAMED and one.value.get("name") == NAME_TO_USE),
        "forbidden": one.rule == PERMITTED,
        "any_value": one.rule == RENAMED and one.value.get("name") != NAME_TO_USE,
        "reported": one.rule in _REPORTED,
        "keep_status": one.rule == DUE_ANEW,
        "whole_value": one.rule.startswith("operation."),
        "on_day": one.value.get("date") if one.rule == CALLED_OFF_ON else None,
        "recurring": one.type == "tasks" and _recurs(one),
        "evidence_refs": list(one.evidence_refs),
        "stated": sorted(judged.stated),
    }
    return {name: item for name, item in flags.items() if item}


def _recurs(one: Candidate) -> bool:
    """Tell whether a task is to be done again and again: every Monday, 每周一."""
    if one.message is None or not one.text:
        return False
    at = datetime(2001, 1, 3).astimezone()
    return any(time.kind is TimeKind.RECURRING for time in find_times(one.text, at))


def _until(
    one: Candidate, fields: dict[str, Any], said_at: datetime
) -> tuple[datetime | None, dict[str, Any]]:
    """Return when a value stops to hold, and the value without the words that say so."""
    given = one.valid_until
    if given is not None:
        return given, fields
    value = fields.get("value")
    if not isinstance(value, str) or one.message is None:
        return None, fields
    kept, until = split_until(value, said_at)
    return until, {**fields, "value": kept}


def _value_of(fields: Mapping[str, Any]) -> Any:
    """Return what a claim says, out of the fields of its type."""
    return next((fields[name] for name in _VALUE_FIELDS if fields.get(name) is not None), "")


def _under_own_words(value: Mapping[str, Any], thing: str) -> dict[str, Any]:
    """Return a preference under the words for a thing."""
    bare = _KIND.sub("", thing).strip() or thing
    return {**value, "name": own_name(short_name(bare))}
