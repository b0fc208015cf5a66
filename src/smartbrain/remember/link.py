"""Linking: a turn as a graph of who and what it speaks of, and what happens (C2, C7).

In: a read turn, and its memories in the write set. Out: entities that stand or wait at the gate,
statements with their roles, and the edges between all of them. An entity is one node whatever it is
called; it becomes a memory when it is named often, in a task or a decision, or by its address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.candidate import Source
from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.domain.turn import RefType, Turn
from smartbrain.errors import UsageError
from smartbrain.remember.entity_gate import (
    BY_FREQUENCY,
    most_together,
    named_around,
    tags_by,
    told_of,
)
from smartbrain.remember.extract import entities
from smartbrain.remember.refer import REFERRED, comes_back_to
from smartbrain.text.controls import without_controls
from smartbrain.text.entity_aliases import all_names, first_name
from smartbrain.text.pii import is_masked

if TYPE_CHECKING:
    from smartbrain.domain.memory_type import MemoryType
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.statement import Statement
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.remember.extract.said import Said
    from smartbrain.remember.write_set import WriteSet

MOST_ENTITIES: Final = 50
MOST_STATEMENTS: Final = 20
"""The most entities and statements of one step of a turn; the first are kept."""
_BY_FORM: Final = frozenset({"repo", "file", "url"})
_WHY: Final = {
    "entity_structural": "it is a repository, a file or an address",
    "entity_declared": "the user asked to remember it",
    REFERRED: "the user came back to it",
}
BESIDE: Final = "other"
"""The kind of what tells when, how or why, and is nobody and no thing."""
_BESIDE_WHY: Final = "it tells when, how or why something happens; it is no memory of its own"
_DOING: Final = ("活动", "运动", " activity", " activities")
_SEEN: Final = 0.6  # how sure the recogniser of names is
_SEEN_ADDRESS: Final = 0.95


class Named(NamedTuple):
    """An entity that a turn names: its value, what it is called, and why it passes the gate.

    `beside` is whether it only tells when, how or why: a node of the graph, and never a memory.
    `plain` is whether nothing but its part in a statement makes it a name: "the samples". `title`
    is what it was called first: it may be filed under a name in another language.
    """

    value: dict[str, Any]
    names: dict[str, None]
    why: str
    title: str
    beside: bool = False
    plain: bool = False


@dataclass(slots=True)
class Names:
    """The entities of a turn by their keys, those that are too many for it, and who says which."""

    kind: MemoryType
    by_key: dict[str, Named] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    said_in: set[tuple[int, str]] = field(default_factory=set)

    def add(
        self,
        value: dict[str, Any],
        names: Sequence[str],
        why: str = "",
        message: int | None = None,
        *,
        plain: bool = False,
    ) -> None:
        """Add an entity, or one more way it is named, and why it passes the gate if it does.

        What was masked names nothing: the marks of different people look alike.
        """
        called = (value["kind"], value["canonical"])
        filed = first_name(*called)
        key = "" if holds_mark(called[1]) else _entity_key(self.kind, called[0], filed)
        if not key:
            return
        if filed != called[1]:
            value, names = {**value, "canonical": filed}, (*names, called[1])
        self.keys[called] = key
        known = self.by_key.get(key)
        if known is None and len(self.by_key) < MOST_ENTITIES:
            known = Named(value, {}, why, called[1], beside=called[0] == BESIDE, plain=plain)
            self.by_key[key] = known
        if known is not None:
            if message is not None:
                self.said_in.add((message, key))
            known.names.update(dict.fromkeys(name for name in names if not holds_mark(name)))
            both = entities.merged(known.value, value) if value.get("attrs") else known.value
            self.by_key[key] = known._replace(why=known.why or why, value=both)
        else:
            self.left_out.add(key)

    def texts(self) -> tuple[str, ...]:
        """Return what they are called, each once."""
        return tuple(one.title for one in self.by_key.values() if not one.beside)

    def stored_so(self, writes: WriteSet) -> None:
        """Let an entity go by the key it is stored under, if that is of another of its names."""
        others = {}
        for key, named in self.by_key.items():
            kind, filed = named.value["kind"], named.value["canonical"]
            others[key] = [_entity_key(self.kind, kind, one) for one in all_names(kind, filed)[1:]]
        writes.read([*others, *(one for keys in others.values() for one in keys)])
        for key, keys in others.items():
            found = (writes.standing("entities", one) for one in keys)
            stored = next(filter(None, found), None)
            if stored is None or writes.standing("entities", key) is not None:
                continue
            named = self.by_key.pop(key)
            value = {**named.value, "canonical": stored.value["canonical"]}
            self.by_key[stored.key] = named._replace(value=value)
            self.keys = {one: stored.key if to == key else to for one, to in self.keys.items()}
            self.said_in = {(at, stored.key if to == key else to) for at, to in self.said_in}

    def lowered(self) -> list[tuple[str, str]]:
        """Return every way they are called, in lower case, each with its entity's key."""
        called = [(key, one.names) for key, one in self.by_key.items() if not one.beside]
        return [(key, name.casefold()) for key, names in called for name in names]

    def topics(self) -> Iterator[tuple[str, str]]:
        """Yield what concepts of them may be called, each with the name it is known by.

        With a thing comes what is done with it: 足球活动 is a concept of 足球.
        """
        for key, name in self.lowered():
            yield name, name
            if self.by_key[key].value["kind"] == "object":
                yield from ((name + doing, name) for doing in _DOING)


def find_names(
    said: Iterable[tuple[int, Said]],
    step: Turn,
    told: Iterable[tuple[int, Statement]],
    *,
    types: TypeRegistry,
) -> Names:
    """Return every entity that a step names: in its words, its refs and its statements' roles."""
    names = Names(types.get("entities"))
    for index, one in said:
        for sentence in one.everything:
            for entity in entities.find(sentence, one):
                called = (entity.text, *entity.value.get("aliases", ()))
                why = "entity_declared" if entity.declared else ""
                if entity.value["kind"] in _BY_FORM:
                    why = "entity_structural"
                elif not why and comes_back_to(entity, sentence, one):
                    why = REFERRED
                names.add(dict(entity.value), called, why, index)
    for ref in step.refs:
        if ref.ref_type is not RefType.ARTIFACT:
            uri = without_controls(ref.ref_uri)
            value = {"kind": ref.ref_type.value, "canonical": uri}
            names.add(value, (uri,), "entity_structural")
    for index, statement in told:
        for role in statement.roles:
            if holds_mark(role.name, statement.text):
                continue
            value = {"kind": role.kind, "canonical": role.name}
            names.add(value, (role.name,), message=index, plain=True)
        if statement.time is not None:
            names.add({"kind": BESIDE, "canonical": statement.time.name}, (statement.time.name,))
    return names


def link_names(
    names: Names, episode: Memory, *, writes: WriteSet, memories: Sequence[Memory], rules: Rules
) -> list[Retention]:
    """Put the entities of a turn in the write set, those that pass the gate as memories."""
    gate = rules.policies.retention.entity_gate
    names.stored_so(writes)
    standing = {key: writes.standing("entities", key) for key in names.by_key}
    waiting = [
        m.id
        for key, m in standing.items()
        if m and m.status is Status.CANDIDATE and not names.by_key[key].beside
    ]
    places = named_around(waiting, writes, gate.window_turns)
    texts = [(memory, memory.text.casefold()) for memory in memories]
    told = []
    for key, named in names.by_key.items():
        known = standing[key]
        if named.beside:
            if known is None:
                _entity(key, named, None, "", writes)
            elif first := _said_first(known, writes):
                writes.put(known, **first)
            told.append(told_of(key, RetentionAction.DEFERRED, "entity_gate", _BESIDE_WHY))
            continue
        seen = most_together(places.get(known.id, ()) if known else (), gate.window_turns)
        code, reason = _passes(named, texts, seen, gate.freq_threshold)
        entity = _entity(key, named, known, code, writes)
        writes.link(
            episode.id,
            EdgeType.MENTIONS,
            entity.id,
            writes.weight(entity.confidence, _trust(rules)),
        )
        action = RetentionAction.WRITTEN if code else RetentionAction.DEFERRED
        if known is not None and known.status is Status.ACTIVE:
            action, code = RetentionAction.MERGED, "repeated"
            reason = f"it is known already; it has been named {entity.frequency} times now"
        told.append(told_of(key, action, code or "entity_gate", reason))
    lowered = names.lowered() if texts else []
    for memory, text in texts:
        for key in dict.fromkeys(key for key, name in lowered if names_in(name, text)):
            found = writes.standing("entities", key)
            if found is not None:
                writes.link(memory.id, EdgeType.MENTIONS, found.id, memory.confidence)
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
    keys = {key: word for topic, word in topics if (key := _concept_key(kind, topic))}
    writes.read(keys)
    for key, word in keys.items():
        concept = writes.standing("concepts", key)
        if concept is None:
            continue
        writes.link(episode.id, EdgeType.ABOUT, concept.id)
        for memory in memories:
            if names_in(word, memory.text.casefold()):
                writes.link(memory.id, EdgeType.ABOUT, concept.id)


@lru_cache(maxsize=4_096)
def _concept_key(kind: MemoryType, word: str) -> str:
    """Return the key of the concept that a word names; none for a word without a letter."""
    return _key(kind, name=word)


@lru_cache(maxsize=4_096)
def _entity_key(kind: MemoryType, what: str, name: str) -> str:
    """Return the key of an entity of that name; none for a name without a letter."""
    return _key(kind, kind=what, canonical=name)


def _key(memory_type: MemoryType, /, **fields: str) -> str:
    """Return the key of these fields; none where they make none."""
    try:
        return memory_type.key_of(fields)
    except UsageError:
        return ""


def _passes(
    named: Named, texts: Sequence[tuple[Memory, str]], seen: int, threshold: int
) -> tuple[str, str]:
    """Return by which rule an entity is a memory, or no code and what it lacks."""
    if named.why:
        return named.why, _WHY[named.why]
    lowered = [name.casefold() for name in named.names]
    for memory, text in texts:
        if not named.plain and any(names_in(name, text) for name in lowered):
            if "declared" in memory.tags:
                return "entity_declared", _WHY["entity_declared"]
            if memory.type in ("tasks", "decisions"):
                return "entity_in_use", f"it is part of {memory.key}"
    if seen >= threshold:
        return BY_FREQUENCY, f"it was named in {seen} of the last turns"
    return "", f"it was named in {seen} of the {threshold} turns that make it a memory"


def _entity(key: str, named: Named, known: Memory | None, code: str, writes: WriteSet) -> Memory:
    """Return an entity in the write set, with one more mention."""
    value = {**named.value, "aliases": list(named.names)}
    sure = _SEEN if named.why in ("", REFERRED) else _SEEN_ADDRESS
    if known is None:
        value = entities.merged(value, {})
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
    changes["value"] = entities.merged(older, newer)
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


def holds_mark(name: str, text: str = "") -> bool:
    """Tell whether a name was masked, however its words are set in the text that says it."""
    name = "".join(name.split())
    return is_masked(name) or (f"[{name}]" in text and is_masked(f"[{name}]"))


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


def _trust(rules: Rules) -> float:
    return rules.policies.conflicts.source_trust.user
