"""What a fold works on: versions in chains, one chain a memory, and a decision a claim (K2).

A version is founded by one claim and named after it, so that folding a group again finds the stored
version again, whatever arrived meanwhile. Its value is what the claim says, beside what the version
before it said.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from datetime import datetime
from datetime import time as clock_time
from typing import Any, Final

import msgspec

from smartbrain.domain.claim import Claim, Source
from smartbrain.domain.ids import derive
from smartbrain.domain.memory import Status
from smartbrain.domain.memory_type import MemoryType
from smartbrain.domain.policy import ConflictRules
from smartbrain.domain.result import ConflictRule, RetentionAction
from smartbrain.domain.time import Granularity
from smartbrain.remember.match import differing, says_same, senses
from smartbrain.text.language import plain_text
from smartbrain.text.ontology import Ontology
from smartbrain.text.times import find_times

CORRECTION: Final = "correction"
"""The tag of a version that was said in the place of a wrong one."""
DECLARED: Final = "declared"
"""The tag of a version that the user asked to remember."""
MAX_CONFIDENCE: Final = 0.99
_CONFIRMS: Final = 0.05  # how much surer a memory is each time it is said again


def version_id(claim_id: str) -> str:
    """Return the id of the version that a claim founds."""
    return derive("mem", claim_id)


class Version(msgspec.Struct, kw_only=True, gc=False):
    """One version of a memory while it is folded.

    `ref` names it within the fold: by its founding claim, or by the stored memory that it was read
    from. `founder` is that claim, if it was not read; `told_in` is the turn or the operation that
    counted for it last, `repeats` are the claims that said it again, `closing` those that ended it.
    `ended_by` is the `ref` of the version that took its place, or the claim that ended it.
    """

    ref: str
    key: str
    value: Mapping[str, Any]
    said_at: datetime
    since: datetime
    source: str
    confidence: float
    founder: Claim | None = None
    text: str = ""
    status: Status = Status.ACTIVE
    until: datetime | None = None
    frequency: int = 1
    tags: tuple[str, ...] = ()
    told_in: str = ""
    repeats: list[str] | None = None
    closing: tuple[str, ...] = ()
    ended_by: str = ""

    @property
    def id(self) -> str:
        """The id of the stored memory that it is, made of its founding claim's."""
        return self.ref if self.founder is None else version_id(self.ref)


class Chain(msgspec.Struct):
    """The versions of one memory, oldest first, and the one that holds.

    `opposed` are pairs of versions that contradict each other, and what sets them apart.
    """

    key: str
    versions: list[Version] = msgspec.field(default_factory=list)
    active: Version | None = None
    disputed: list[Version] = msgspec.field(default_factory=list)
    rejected: list[Version] = msgspec.field(default_factory=list)
    opposed: list[tuple[Version, Version, str]] = msgspec.field(default_factory=list)

    def add(self, version: Version) -> Version:
        """Append a version; it holds if it is active."""
        self.versions.append(version)
        if version.status is Status.ACTIVE:
            self.active = version
        elif version.status is Status.DISPUTED:
            self.disputed.append(version)
        return version

    def expire(self, at: datetime) -> None:
        """Let the version that holds expire if its time was over before `at`."""
        active = self.active
        if active is not None and active.until is not None and active.until <= at:
            active.status = Status.EXPIRED
            self.active = None


class Decision(msgspec.Struct, frozen=True, gc=False):
    """What became of a claim, or of a version by a claim: an action, a code and a sentence."""

    claim: Claim
    key: str
    action: RetentionAction
    code: str
    reason: str
    version: Version | None = None


class Clash(msgspec.Struct, frozen=True, gc=False):
    """How a claim and an earlier version that says otherwise were brought together."""

    claim: Claim
    rule: ConflictRule
    winner: Version | None
    loser: Version
    code: str
    reason: str
    fields: tuple[str, ...] = ()
    dimension: str | None = None
    to_review: bool = False


class Folded(msgspec.Struct):
    """What came of a fold: the chains it touched, what was decided and what clashed.

    With `only`, decisions are noted for claims of these ids alone: the others were told before.
    """

    chains: list[Chain] = msgspec.field(default_factory=list)
    only: Set[str] | None = None
    decisions: list[Decision] = msgspec.field(default_factory=list)
    clashes: list[Clash] = msgspec.field(default_factory=list)

    def decide(
        self,
        claim: Claim,
        version: Version | None,
        action: RetentionAction,
        code: str,
        reason: str,
        key: str = "",
    ) -> None:
        """Note what became of a claim."""
        if self.only is None or claim.id in self.only:
            key = version.key if version else key
            self.decisions.append(Decision(claim, key, action, code, reason, version))

    def wants(self, claim: Claim, loser: Version) -> bool:
        """Tell whether it is to be noted how a claim and an earlier version were met."""
        return self.only is None or claim.id in self.only or loser.ref in self.only

    def refuse(self, claim: Claim, key: str, code: str, reason: str) -> None:
        """Note that a claim changes nothing."""
        self.decide(claim, None, RetentionAction.REFUSED, code, reason, key)


class FoldRules(msgspec.Struct, frozen=True):
    """What a fold goes by: the type of the memories, the ontology and how conflicts are weighed."""

    kind: MemoryType
    ontology: Ontology
    conflicts: ConflictRules
    same_event_days: float
    senses: dict[str, dict[str, set[Hashable]]] = msgspec.field(default_factory=dict)
    """What the values of an attribute can be found by, read once each."""
    many: dict[str, bool] = msgspec.field(default_factory=dict)
    """Whether each value of an attribute has a chain of its own, by the attribute."""

    def are_apart(self, attribute: str, one: str, other: str) -> bool:
        """Tell whether two values say different things, whenever they are said."""
        known = self.senses.get(attribute)
        if known is None:
            known = self.senses[attribute] = {}
        mine, theirs = known.get(one), known.get(other)
        if mine is None:
            mine, theirs, one, other = theirs, mine, other, one
        if mine is None:
            mine = known[one] = self._read_senses(attribute, one)
        if theirs is None:
            if len(mine) == 1:  # nothing but its words tells it
                return plain_text(other) not in mine
            theirs = known[other] = self._read_senses(attribute, other)
        return mine.isdisjoint(theirs)

    def _read_senses(self, attribute: str, value: str) -> set[Hashable]:
        named = self.ontology.value_class(attribute, value)
        return senses(value) if named is None else {*senses(value), (attribute, named)}


def found_version(claim: Claim, key: str, value: Mapping[str, Any]) -> Version:
    """Return the version that a claim founds."""
    tags: tuple[str, ...] = ()
    if detail := claim.detail:
        told = {"declared": DECLARED, "corrects": CORRECTION}
        tags = tuple(tag for name, tag in told.items() if detail.get(name))
    source = Source.USER if claim.source is Source.OPERATION else claim.source
    return Version(
        ref=claim.id,
        key=key,
        value=value,
        said_at=claim.said_at,
        since=claim.said_at,
        source=source,
        told_in=claim.source_id,
        confidence=claim.confidence,
        founder=claim,
        text=claim.text,
        until=claim.until,
        tags=tags,
    )


def repeat_version(version: Version, claim: Claim) -> None:
    """Count a claim that says again what a version says."""
    add_repeat(version, claim)
    version.told_in = claim.source_id
    version.frequency += 1
    surer = min(MAX_CONFIDENCE, max(version.confidence, claim.confidence) + _CONFIRMS)
    version.confidence = max(version.confidence, surer)
    version.said_at = max(version.said_at, claim.said_at)
    version.until = claim.until


def add_repeat(version: Version, claim: Claim) -> None:
    """Let a claim be part of a version; most versions have none but their founder."""
    if version.repeats is None:
        version.repeats = []
    version.repeats.append(claim.id)


def add_tag(version: Version, tag: str) -> None:
    """Give a version one more tag."""
    if tag not in version.tags:
        version.tags = (*version.tags, tag)


_CLOCK: Final = frozenset((Granularity.HOUR, Granularity.MINUTE))
_OF_ITS_CLAIM: Final = ("rationale", "made_at")
"""Fields of a decision that belong to the claim that gave them."""


def unite(old: Mapping[str, Any], claim: Claim, type_name: str) -> dict[str, Any]:
    """Return what a claim says together with what it leaves as it was."""
    said, detail = claim.fields, claim.detail
    if detail:
        if detail.get("whole_value"):
            return dict(said)
        if stated := detail.get("stated"):
            said = {name: item for name, item in said.items() if name in stated}
    if type_name == "facts":  # the case of letters makes no other fact
        return {**old, "value": said["value"]} if "value" in said else dict(old)
    kept = dict(old)
    if (
        type_name == "decisions"
        and "decision" in said
        and not says_same(old.get("decision"), said["decision"])
    ):
        kept = {name: item for name, item in old.items() if name not in _OF_ITS_CLAIM}
    value = {**kept, **{name: item for name, item in said.items() if item not in (None, "", [])}}
    if type_name == "tasks" and old.get("notes"):
        goes_on = old.get("status") == "blocked" != value.get("status")
        if goes_on and not said.get("notes"):  # why it was blocked is told no more
            del value["notes"]
    return value


def changed_fields(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    attribute: str,
    rules: FoldRules,
) -> tuple[str, ...]:
    """Return the fields in which two values of an attribute say different things."""
    one, other = old.get("value"), new.get("value")
    if isinstance(one, str) and isinstance(other, str):
        if new == {**old, "value": other} and rules.are_apart(attribute, one, other):
            return ("value",)
        if rules.ontology.same_value(attribute, one, other):
            new = {**new, "value": one}
    return differing(rules.kind, old, new)


def hour_changes(old_text: str, claim: Claim, said: tuple[datetime, datetime]) -> bool:
    """Tell whether an event is told again for another hour of its day."""
    was, now = _hour(old_text, said[0]), _hour(claim.text, said[1])
    return now is not None and was is not None and now != was


def _hour(text: str, at: datetime) -> clock_time | None:
    told = (one.start.time() for one in find_times(text, at) if one.granularity in _CLOCK)
    return next(told, None)
