"""Linking: a turn and its memories tied to the entities and concepts that they speak of (C2, C7).

In: the names of a read turn, and its memories in the write set. Out: entities that stand or wait at
the gate, and the edges to them. An entity becomes a memory when it is named often, in a task or a
decision, by its form, or when the user asks for it or comes back to it. A turn that arrives late
can part two that named one: then it waits again.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.claim import Source
from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.reason import by_rule
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.remember.entities import (
    DECLARED,
    REFERRED,
    STRUCTURAL,
    Named,
    Names,
    find_referred_kinds,
    key_of,
    merge_values,
)
from smartbrain.text.entities import find_entities
from smartbrain.text.entity_words import first_name

if TYPE_CHECKING:
    from smartbrain.domain.policy import EntityGateRules, Rules
    from smartbrain.remember.record import Recorded
    from smartbrain.remember.rules.said import Said
    from smartbrain.remember.write_set import WriteSet

_WHY: Final = {
    STRUCTURAL: "it is a repository, a file or an address",
    DECLARED: "the user asked to remember it",
    REFERRED: "the user came back to it",
}
_BESIDE_WHY: Final = "it tells when, how or why something happens; it is no memory of its own"
_PARTED: Final = "a turn that came late lies between those that name it; they are too far apart"
_BY_FREQUENCY: Final = "entity_frequent"
FREQUENT: Final = "frequent"
"""The tag of an entity that nothing but being named often has made a memory."""
ENOUGH_SESSIONS: Final = 3
"""In how many sessions an entity is named that is a memory, however far apart they are."""
_SURE_OF_NAME: Final = 0.6
_SURE_OF_ADDRESS: Final = 0.95
_MAX_REFERRED: Final = 50  # entities that were named last, which the user may come back to


def link_names(
    names: Names, episode: Memory, *, writes: WriteSet, memories: Sequence[Memory], rules: Rules
) -> list[Retention]:
    """Put the entities of a turn in the write set, those that pass the gate as memories."""
    gate = rules.policies.retention.entity_gate
    names.use_stored_keys(writes)
    standing = {key: writes.standing("entities", key) for key in names.by_key}
    seen = _count_turns(standing.values(), writes, gate.window_turns)
    texts = [(memory, memory.text.casefold()) for memory in memories]
    told = []
    for key, named in names.by_key.items():
        known = standing[key]
        if named.beside:
            if known is None:
                _put_entity(key, named, None, "", writes)
            elif first := _said_first(known, writes):
                writes.put(known, **first)
            told.append(_retain(key, RetentionAction.DEFERRED, "entity_gate", _BESIDE_WHY))
            continue
        code, reason = _judge(named, texts, seen.get(known.id, 1) if known else 1, gate)
        if not code and known and _is_in_sessions(known, writes):
            code, reason = "entity_sessions", f"it is named in {ENOUGH_SESSIONS} sessions"
        entity = _put_entity(key, named, known, code, writes)
        weight = writes.weight(entity.confidence, rules.policies.conflicts.source_trust.user)
        writes.link(episode.id, EdgeType.MENTIONS, entity.id, weight)
        action = RetentionAction.WRITTEN if code else RetentionAction.DEFERRED
        if known is not None and known.status is Status.ACTIVE:
            action, code = RetentionAction.MERGED, "repeated"
            reason = f"it is known already; it has been named {entity.frequency} times now"
        told.append(_retain(key, action, code or "entity_gate", reason))
    lowered = names.lowered() if texts else []
    for memory, text in texts:
        for key in dict.fromkeys(key for key, name in lowered if names_in(name, text)):
            found = writes.standing("entities", key)
            if found is not None:
                writes.link(memory.id, EdgeType.MENTIONS, found.id, memory.confidence)
    return told


def _count_turns(
    entities: Iterable[Memory | None], writes: WriteSet, window: int
) -> dict[str, int]:
    """Return of each that waits in how many of `window` turns in a row it is named, at most.

    Turns stand by their own times; the one that is written is among them, at 0.
    """
    waiting = [one.id for one in entities if one and one.status is Status.CANDIDATE]
    turn = writes.origin.turn_id
    if not waiting or turn is None:
        return {}
    found = writes.transaction.mentions.places(waiting, turn, turns=window)
    return {
        entity: max(
            sum(first <= place < first + window for place in (0, *places))
            for first in range(1 - window, 1)
        )
        for entity, places in found.items()
    }


def _is_in_sessions(known: Memory, writes: WriteSet) -> bool:
    """Tell whether so many sessions name an entity, that of the turn which is written as well."""
    if known.status is not Status.CANDIDATE or known.frequency + 1 < ENOUGH_SESSIONS:
        return False
    edges = writes.transaction.edges.of(known.id, kind=EdgeType.MENTIONS, outgoing=False)
    episodes = writes.transaction.memories.get(edge.src for edge in edges).values()
    sessions = {one.value.get("session") for one in episodes if one.type == "episodes"}
    return len(sessions | {writes.origin.session_id}) >= ENOUGH_SESSIONS


def _judge(
    named: Named, texts: Sequence[tuple[Memory, str]], seen: int, gate: EntityGateRules
) -> tuple[str, str]:
    """Return by which rule an entity is a memory, or no code and what it lacks."""
    if named.why:
        return named.why, _WHY[named.why]
    lowered = [name.casefold() for name in named.names]
    for memory, text in texts:
        if not named.plain and any(names_in(name, text) for name in lowered):
            if "declared" in memory.tags:
                return DECLARED, _WHY[DECLARED]
            if memory.type in ("tasks", "decisions"):
                return "entity_in_use", f"it is part of {memory.key}"
    if seen >= gate.freq_threshold:
        return _BY_FREQUENCY, f"it was named in {seen} of the last turns"
    return "", f"it was named in {seen} of the {gate.freq_threshold} turns that make it a memory"


def _put_entity(
    key: str, named: Named, known: Memory | None, code: str, writes: WriteSet
) -> Memory:
    """Put an entity in the write set, with one more mention."""
    value = {**named.value, "aliases": list(named.names)}
    sure = _SURE_OF_NAME if named.why in ("", REFERRED) else _SURE_OF_ADDRESS
    if known is None:
        value = merge_values(value, {})
        memory = writes.make(
            "entities",
            key,
            title=named.title,
            text=named.title,
            value=dict(writes.types.get("entities").complete(key, value).value),
            status=Status.ACTIVE if code else Status.CANDIDATE,
            tags=tags_by(code, None),
            confidence=sure,
            importance=0.4,
            provenance=Provenance(Source.USER.value),
        )
        return writes.put(memory)
    changes: dict[str, Any] = {"confidence": max(known.confidence, sure)}
    if code:
        changes |= {"status": Status.ACTIVE, "tags": tags_by(code, known)}
    first = _said_first(known, writes)
    if first:
        changes |= {**first, "title": named.title, "text": named.title}
    older, newer = (value, known.value) if first else (known.value, value)
    changes["value"] = merge_values(older, newer)
    return writes.put(known, **changes, frequency=known.frequency + 1)


def _said_first(known: Memory, writes: WriteSet) -> dict[str, Any]:
    """Return where an entity was named first, if that is in the turn which is told now."""
    origin = writes.origin
    if known.source_turn_id is None or origin.turn_id is None or origin.said_at >= known.said_at:
        return {}
    return {
        "source_turn_id": origin.turn_id,
        "said_at": origin.said_at,
        "valid_since": min(origin.said_at, known.valid_since or origin.said_at),
    }


def tags_by(code: str, known: Memory | None) -> tuple[str, ...]:
    """Return the tags of an entity that passes the gate by a rule, or by none."""
    tags = known.tags if known else ()
    if code == _BY_FREQUENCY:
        waits = known is None or known.status is not Status.ACTIVE
        return (*tags, FREQUENT) if waits and FREQUENT not in tags else tags
    return tuple(tag for tag in tags if tag != FREQUENT) if code else tags


def part_again(
    late: Recorded, named: Container[str], *, writes: WriteSet, rules: Rules
) -> list[Retention]:
    """Let entities wait that are named often no more, as a turn came late between others.

    Those whose keys are `named` in that turn itself are named as often as before.
    """
    if not late.is_late:
        return []
    gate, stored = rules.policies.retention.entity_gate, writes.transaction.mentions
    told = []
    keys = stored.named_around(late.said.id, turns=gate.window_turns)
    writes.read(keys)
    for key in keys:
        known = writes.standing("entities", key)
        if known is None or known.status is not Status.ACTIVE or FREQUENT not in known.tags:
            continue
        times, turns = gate.freq_threshold, gate.window_turns
        if key in named or stored.is_frequent(known.id, times=times, turns=turns):
            continue
        tags = tuple(tag for tag in known.tags if tag != FREQUENT)
        writes.put(known, status=Status.CANDIDATE, tags=tags)
        told.append(_retain(key, RetentionAction.DEFERRED, "entity_gate", _PARTED))
    return told


def link_referred(
    said: Iterable[tuple[int, Said]], episode: Memory, *, writes: WriteSet
) -> list[Retention]:
    """Let an entity in that the user comes back to: the one of its kind that was named last."""
    texts = [message.text for _, message in said if message.source is Source.USER]
    kinds = {kind for text in texts for kind in find_referred_kinds(text)}
    told = []
    newest = writes.transaction.remembering.newest if kinds else None
    for entity in newest("entities", limit=_MAX_REFERRED) if newest else ():
        if entity.value["kind"] not in kinds:
            continue
        kinds.remove(entity.value["kind"])
        writes.read([entity.key])
        known = writes.standing("entities", entity.key) or entity
        writes.link(episode.id, EdgeType.REFERS_TO, known.id)
        if known.status is Status.ACTIVE and FREQUENT in known.tags:
            writes.put(known, tags=tags_by(REFERRED, known))
        if known.status is Status.CANDIDATE:
            writes.put(known, status=Status.ACTIVE)
            told.append(_retain(entity.key, RetentionAction.WRITTEN, REFERRED, _WHY[REFERRED]))
    return told


def link_named(memories: Sequence[Memory], episode: str, writes: WriteSet) -> None:
    """Lead from memories to the entities that they name, of those that a stored turn names."""
    named = writes.transaction.edges.of(episode, kind=EdgeType.MENTIONS) if memories else ()
    entities = writes.transaction.memories.get(edge.dst for edge in named).values()
    for memory in memories:
        text = memory.text.casefold()
        for entity in entities:
            called = (entity.title, *entity.value.get("aliases", ()))
            if any(names_in(name.casefold(), text) for name in called):
                writes.link(memory.id, EdgeType.MENTIONS, entity.id, memory.confidence)


def link_confirmed(episodes: Mapping[str, str], writes: WriteSet) -> None:
    """Link memories of later turns, which count only now, to the entities that they name.

    Entities that such a task or decision names pass the gate, as they do when turns come in order.
    `episodes` are those of their turns, by the ids of the memories.
    """
    kind = writes.types.get("entities")
    for memory_id, episode in episodes.items():
        memory = writes.get(memory_id)
        link_named([memory], episode, writes)
        if "declared" not in memory.tags and memory.type not in ("tasks", "decisions"):
            continue
        for found in find_entities(memory.text):
            name = first_name(found.kind, found.canonical)
            key = key_of(kind, kind=found.kind, canonical=name)
            entity = writes.standing("entities", key) if key else None
            if entity is not None and entity.status is Status.CANDIDATE:
                writes.put(entity, status=Status.ACTIVE, tags=tags_by("entity_in_use", entity))


def link_topics(
    episode: Memory,
    keywords: Sequence[str],
    names: Names,
    *,
    writes: WriteSet,
    memories: Sequence[Memory],
) -> None:
    """Tie a turn and its memories to the concepts that they are about, where there are any."""
    if not writes.transaction.remembering.newest("concepts", limit=1):
        return
    kind = writes.types.get("concepts")
    topics = [*((word, word) for word in keywords), *names.topics()]
    keys = {key: word for topic, word in topics if (key := key_of(kind, name=topic))}
    writes.read(keys)
    for key, word in keys.items():
        concept = writes.standing("concepts", key)
        if concept is None:
            continue
        writes.link(episode.id, EdgeType.ABOUT, concept.id)
        for memory in memories:
            if names_in(word, memory.text.casefold()):
                writes.link(memory.id, EdgeType.ABOUT, concept.id)


def names_in(name: str, text: str) -> bool:
    """Tell whether a text says a name, both in lower case, and not as a part of another word.

    Scripts without case, such as Chinese, set no blanks between words: there any place counts.
    """
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not _joins(text[start - 1 : start], name[:1]) and not _joins(name[-1:], text[end:][:1]):
            return True
        start = text.find(name, start + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Tell whether two characters stand within one word of a script with case."""
    return all(one.islower() or one.isdigit() or one == "_" for one in (left, right))


def _retain(key: str, action: RetentionAction, code: str, reason: str) -> Retention:
    reason = by_rule(reason, "policies.retention.entity_gate")
    return Retention(type="entities", key=key, action=action, code=code, reason=reason)
