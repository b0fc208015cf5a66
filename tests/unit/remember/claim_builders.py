"""Claims by one short call, and what folding them comes to in a form that tests can compare.

In: what a test cares about: the type, what is said, on which day. Out: claims, folds, and the
versions of a fold as plain tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from smartbrain.domain.claim import Claim, Say
from smartbrain.domain.memory import Status
from smartbrain.domain.policy import Rules
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.claims import group_of
from smartbrain.remember.fold.fold import fold_claims
from smartbrain.remember.fold.state import Chain, Folded, FoldRules, Version
from smartbrain.testing.clock import START
from smartbrain.text.ontology import Ontology, load_ontology

TOLD_BY: Final = ("value", "decision", "title", "name")
"""Fields that hold what a claim says, by the first that is there."""
Told = tuple[str, str, Status]
"""A version: its key, what it says, and whether it holds."""


def at(day: float) -> datetime:
    """Return the time so many days after a test's beginning."""
    return START + timedelta(days=day)


def rules_of(type_name: str, ontology: Ontology | None = None) -> FoldRules:
    """Return what a type is folded by."""
    policies = Rules().policies
    return FoldRules(
        kind=BUILTIN_TYPES.get(type_name),
        ontology=ontology or load_ontology(),
        conflicts=policies.conflicts,
        same_event_days=policies.linking.same_event_days,
    )


def claim(type_name: str, fields: Mapping[str, Any], day: float = 0, **given: Any) -> Claim:
    """Build what the user claims on a day; a claim of the same day and words has the same id."""
    detail = {name: given.pop(name) for name in list(given) if name not in Claim.__struct_fields__}
    value = next((fields[name] for name in TOLD_BY if fields.get(name) is not None), "")
    say = given.get("say", Say.ASSERT)
    built: dict[str, Any] = {
        "id": f"{type_name}/{day}/{say.value}/{value}/{sorted(detail)}",
        "group": group_of(type_name, fields, "key", load_ontology()),
        "type": type_name,
        "subject": fields.get("subject", "user"),
        "attribute": fields.get("attribute") or fields.get("name") or "other",
        "value": value,
        "scope": fields.get("project", ""),
        "fields": fields,
        "detail": detail,
        "text": str(value),
        "turn_id": f"turn-{day}",
        "session_id": "s",
        "place": int(day * 10),
        "message": 0,
        "said_at": at(day),
    }
    return Claim(**built | given)


def fact(value: str, day: float = 0, *, attribute: str = "owner", **given: Any) -> Claim:
    """Build a fact about a service: who owns it."""
    fields = {"subject": "支付 service", "attribute": attribute, "value": value}
    return claim("facts", fields, day, **given)


def editor(value: str, day: float = 0, **given: Any) -> Claim:
    """Build a preference for an editor."""
    return claim("preferences", {"scope": "tools", "name": "editor", "value": value}, day, **given)


def decision(value: str, day: float = 0, **given: Any) -> Claim:
    """Build a decision on a database."""
    fields = {"project": "general", "topic": "database", "decision": value}
    because = given.pop("because", "")
    return claim("decisions", fields | ({"rationale": because} if because else {}), day, **given)


def about(name: str, value: Any, day: float = 0, **given: Any) -> Claim:
    """Build one fact about the user."""
    fields = {"subject": "user", "k": name, "v": value}
    return claim("profile", fields, day, attribute=name, value=value, **given)


def task(title: str, day: float = 0, status: str = "todo", **given: Any) -> Claim:
    """Build a task, or how far it is."""
    says = {"doing": Say.DOING, "blocked": Say.BLOCKED, "done": Say.DONE}
    given.setdefault("say", says.get(status, Say.ASSERT))
    fields = {"project": "general", "title": title, "status": status}
    return claim("tasks", fields, day, **given)


def event(title: str, date: str, day: float = 0, **given: Any) -> Claim:
    """Build an event to come."""
    return claim("events", {"scope": "general", "date": date, "title": title}, day, **given)


def fold(*claims: Claim, chains: Iterable[Chain] = (), ontology: Ontology | None = None) -> Folded:
    """Fold claims of one type."""
    return fold_claims(claims, rules_of(claims[0].type, ontology), chains)


def told(folded: Folded, *fields: str) -> list[Told]:
    """Return the versions of a fold, chain by chain, by the fields that tell them."""
    names = fields or TOLD_BY
    return [
        (chain.key, next(str(version.value[one]) for one in names if one in version.value), status)
        for chain in folded.chains
        for version, status in ((one, one.status) for one in chain.versions)
    ]


def facts_held(folded: Folded) -> list[tuple[str, Any]]:
    """Return the facts of the profile that stands."""
    (chain,) = folded.chains
    held = chain.active.value["facts"] if chain.active else ()
    return [(fact["k"], fact["v"]) for fact in held]


def codes(folded: Folded) -> list[str]:
    """Return what became of each claim."""
    return [decision.code for decision in folded.decisions]


def as_stored(chains: Sequence[Chain]) -> list[Chain]:
    """Return chains as they are read back: the versions, without the claims that made them."""
    return [_stored(chain) for chain in chains]


def _stored(chain: Chain) -> Chain:
    copy = Chain(chain.key)
    for one in chain.versions:
        version = Version(
            ref=one.id,
            key=one.key,
            value=one.value,
            said_at=one.said_at,
            since=one.since,
            source=one.source,
            told_in=one.told_in,
            confidence=one.confidence,
            text=one.text,
            status=one.status,
            until=one.until,
            frequency=one.frequency,
            tags=one.tags,
        )
        copy.versions.append(version)
        if one is chain.active:
            copy.active = version
        elif one.status is Status.DISPUTED:
            copy.disputed.append(version)
    return copy


def rows(folded: Folded) -> dict[str, list[tuple[Any, ...]]]:
    """Return everything that is written of a fold, by key."""
    return {
        chain.key: [
            (
                one.id,
                one.value,
                one.status,
                one.since,
                one.until,
                one.said_at,
                one.frequency,
                round(one.confidence, 6),
                one.tags,
                one is chain.active,
            )
            for one in chain.versions
        ]
        for chain in folded.chains
        if chain.versions
    }
