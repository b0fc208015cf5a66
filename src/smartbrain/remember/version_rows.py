"""Writing what a fold came to: versions as memories, and the edges between them (M3, M4, M5).

In: chains, whole or only their heads, and the rows that are stored of them. Out: changed and new
rows in a write set. A stored row goes on as the version that its founding claim founds; what jobs
and people have set beside it (layer, archive, feedback) stays with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.memory import Memory, Privacy, Scope, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.remember.fold.state import Chain, Version
from smartbrain.text.keywords import keywords_of

if TYPE_CHECKING:
    from smartbrain.domain.memory_type import MemoryType
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.result import ConflictOutcome, Retention
    from smartbrain.remember.write_set import WriteSet

_IMPORTANCE: Final = {"profile": 0.8, "decisions": 0.8, "goals": 0.8, "tasks": 0.7}
_IMPORTANCE_ELSE: Final = 0.6
_TITLE: Final = 80
_LABELS: Final = 8  # keywords of what is known; an episode tells more, and has more
_PUT_AWAY: Final = (Status.ARCHIVED, Status.DEPRECATED, Status.EXPIRED)


@dataclass(slots=True)
class FoldOutcome:
    """What became of the claims of a commit: reasons, conflicts, and the versions they are in."""

    retention: list[Retention] = field(default_factory=list)
    conflicts: list[ConflictOutcome] = field(default_factory=list)
    written: dict[str, None] = field(default_factory=dict)
    repeated: dict[str, None] = field(default_factory=dict)
    to_review: list[tuple[str, str]] = field(default_factory=list)
    reached: set[int] = field(default_factory=set)
    """The messages that have reached a task or a goal by a remark in passing."""


def write_chain(
    chain: Chain,
    stored: Mapping[str, Memory],
    *,
    kind: MemoryType,
    writes: WriteSet,
    rules: Rules,
    whole: bool,
) -> None:
    """Make the rows of a memory match its versions; `whole` if these are all that it has."""
    changed = [
        (version, row, _changed_row(version, row, kind) if row is not None else {})
        for version in chain.versions
        for row in (stored.get(version.id),)
    ]
    changed = [one for one in changed if one[1] is None or one[2]]
    if not changed:
        return
    number = writes.last_number(kind.name, chain.key)
    for version, row, changes in changed:
        if row is None:
            number += 1
            writes.put(_new_row(version, kind, number, writes, rules))
            continue
        if row.key != chain.key:
            number += 1
            changes["version"] = number
        writes.put(row, **changes)
    _link_versions(chain, stored, kind=kind, writes=writes, whole=whole)


def title_of(text: str) -> str:
    """Return a text cut to the length of a title."""
    return text if len(text) <= _TITLE else text[: _TITLE - 1].rstrip() + "…"


def labels_of(title: str, text: str, value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keywords of a memory: those that it was given, else the words it is about.

    They are what a graph without a text index finds it by; how it is called says what a sentence
    may leave out.
    """
    given = value.get("keywords")
    if given and isinstance(given, list | tuple):
        return tuple(dict.fromkeys(map(str, given)))[:_LABELS]
    found = keywords_of(text, _LABELS)
    if title != text and len(found) < _LABELS:
        found = tuple(dict.fromkeys((*found, *keywords_of(title, _LABELS))))[:_LABELS]
    return found


def importance_of(type_name: str) -> float:
    """Return how much a new memory of a type matters."""
    return _IMPORTANCE.get(type_name, _IMPORTANCE_ELSE)


def _new_row(
    version: Version, kind: MemoryType, number: int, writes: WriteSet, rules: Rules
) -> Memory:
    """Return a version as the row that it founds."""
    claim, now = version.founder, writes.origin.now
    assert claim is not None
    title, text = _words_of(version, kind)
    return Memory(
        id=version.id,
        type=kind.name,
        key=version.key,
        title=title,
        text=text,
        value=version.value,
        confidence=version.confidence,
        status=version.status,
        version=number,
        valid_since=version.since,
        valid_until=version.until,
        source_turn_id=claim.turn_id,
        source_message_id=claim.message_id,
        source_operation_id=claim.operation_id,
        said_at=version.said_at,
        evidence_refs=tuple(claim.detail.get("evidence_refs", ())),
        raw_refs=claim.spans,
        keywords=labels_of(title, text, version.value),
        tags=version.tags,
        importance=importance_of(kind.name),
        frequency=version.frequency,
        privacy=Privacy(claim.pii, Scope(rules.privacy.scope)),
        provenance=Provenance(version.source),
        created_at=now,
        updated_at=now,
    )


def _words_of(version: Version, kind: MemoryType) -> tuple[str, str]:
    """Return the title and the text of a version: the words that said it, where they say it all."""
    sentence = " ".join(kind.sentence(version.value).split())
    text = " ".join(version.text.split())
    told = version.value["facts"] if kind.name == "profile" else ()
    if not text or any(str(fact["v"]) not in text for fact in told):
        text = sentence  # a profile also says what was told before
    return title_of(sentence or text), text


def _changed_row(version: Version, row: Memory, kind: MemoryType) -> dict[str, Any]:
    """Return the fields in which a stored row is not what its version is now."""
    told: dict[str, Any] = {
        "key": version.key,
        "value": version.value,
        "confidence": version.confidence,
        "status": version.status,
        "valid_since": version.since,
        "valid_until": version.until,
        "said_at": version.said_at,
        "frequency": version.frequency,
        "tags": version.tags,
        "deleted_at": None,
    }
    said_again = version.frequency > row.frequency
    put_away = row.status in _PUT_AWAY and row.deleted_at is None
    if put_away and version.status is Status.ACTIVE and not said_again:
        told["status"] = row.status
    if row.value != version.value:
        title, text = _words_of(version, kind)
        told |= {"title": title, "text": text, "keywords": labels_of(title, text, version.value)}
    return {name: new for name, new in told.items() if getattr(row, name) != new}


def _link_versions(
    chain: Chain,
    stored: Mapping[str, Memory],
    *,
    kind: MemoryType,
    writes: WriteSet,
    whole: bool,
) -> None:
    """Tie versions in their order, lead the older ones to the one that holds, oppose facts."""
    order = [version.id for version in chain.versions]
    fresh = {one for one in order if one not in stored}
    if fresh:
        if whole:
            _cut_order(order, fresh, writes)
        for one, other in pairwise(order):
            if one in fresh or other in fresh or whole:
                writes.link(one, EdgeType.VERSION_NEXT, other)
    _lead_to_active(chain, stored, writes, whole=whole)
    ids = {version.ref: version.id for version in chain.versions if version.opposes}
    for version in chain.versions:
        opposes = {ids[ref]: how for ref, how in version.opposes.items() if ref in ids}
        if whole and version.id in stored and kind.on_conflict is ConflictClass.PRIORITY:
            for edge in writes.transaction.edges.of(version.id, kind=EdgeType.CONTRADICTS):
                if edge.dst not in opposes:
                    writes.cut(version.id, EdgeType.CONTRADICTS, edge.dst)
        for other, dimension in opposes.items():
            attrs = {"dimension": dimension}
            writes.link(version.id, EdgeType.CONTRADICTS, other, attrs=attrs)


def _cut_order(order: list[str], fresh: set[str], writes: WriteSet) -> None:
    """Cut the ties between versions that another one has come between."""
    after = dict(pairwise(order))
    for one in order:
        if one in fresh:
            continue
        for edge in writes.transaction.edges.of(one, kind=EdgeType.VERSION_NEXT):
            if after.get(one) != edge.dst:
                writes.cut(one, EdgeType.VERSION_NEXT, edge.dst)


def _lead_to_active(
    chain: Chain, stored: Mapping[str, Memory], writes: WriteSet, *, whole: bool
) -> None:
    """Let every other version lead to the one that holds; where none does, none leads anywhere."""
    edges = writes.transaction.edges
    active = chain.active.id if chain.active else None
    was = [one.id for one in stored.values() if one.status in (Status.ACTIVE, Status.ARCHIVED)]
    if active is None:
        for one in was:
            for edge in edges.of(one, outgoing=False, kind=EdgeType.ACTIVE_OF):
                writes.cut(edge.src, EdgeType.ACTIVE_OF, one)
        return
    writes.cut(active, EdgeType.ACTIVE_OF, active)
    if was == [active] and not any(one.id not in stored for one in chain.versions):
        return
    known = {one.id for one in chain.versions}
    older = [one.id for one in chain.versions if one.id != active]
    if not whole:
        for one in was:
            led = edges.of(one, outgoing=False, kind=EdgeType.ACTIVE_OF)
            older += [edge.src for edge in led if edge.src not in known]
    for src in older:
        writes.link(src, EdgeType.ACTIVE_OF, active)
