"""Linking: whom and what a turn names, and its memories tied to these and to concepts (C2, C6, C7).

In: a read turn, its statements, and its memories in the write set. Out: entities that stand or wait
at the gate, a node for each statement with its roles, and the edges to them. An entity becomes a
memory when it is named often, in a task or a decision, by its form, or when the user asks for it or
comes back to it (上次那家公司). A turn that arrives late can part two that named one: then it waits
again. Statements wait at the gate, tied to what tells their reason or shows it, and to earlier ones
that tell the same event or deny it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.claim import Source
from smartbrain.domain.forgetting import holds_words
from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.memory_type import MemoryType
from smartbrain.domain.policy import EntityGateRules, LinkingRules, Rules
from smartbrain.domain.reason import by_rule
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.domain.statement import Modality, Statement
from smartbrain.domain.time import TimeKind
from smartbrain.domain.turn import RefType, Turn
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import UsageError
from smartbrain.remember.fold.rules import trust_in
from smartbrain.remember.match import numbers_apart, overlap
from smartbrain.remember.quotes import spans_at
from smartbrain.remember.rules.forms import find_declared
from smartbrain.text.controls import without_controls
from smartbrain.text.entities import Entity, find_entities
from smartbrain.text.entity_words import all_names, first_name
from smartbrain.text.pattern import pattern
from smartbrain.text.pii import is_masked

if TYPE_CHECKING:
    from smartbrain.remember.record import Recorded
    from smartbrain.remember.rules.said import Said
    from smartbrain.remember.write_set import WriteSet

MAX_ENTITIES: Final = 50
"""The most entities of one step of a turn; the first are kept."""
BESIDE: Final = "other"
"""The kind of what tells when, how or why, and is nobody and no thing."""
STRUCTURAL: Final = "entity_structural"
DECLARED: Final = "entity_declared"
REFERRED: Final = "entity_referred"
"""The codes of entities that pass the gate by their form, by a wish, by coming back to them."""
_BY_FORM: Final = frozenset({"repo", "file", "url"})
_DOING: Final = ("活动", "运动", " activity", " activities")
_MAX_VERSIONS: Final = 10  # of one thing
_NUMBERS: Final = re.compile(r"(\d{1,18})")
_THINGS: Final = {
    "repo": ("repo(?:sitory)?", "仓库|代码库"),
    "url": ("link|url|page|site", "链接|网址|网站|网页"),
    "file": ("file|document|doc", "文件|文档"),
    "person": ("person|guy|woman|man|colleague", "人|同事|客户"),
    "org": ("company|firm|team|school", "公司|团队|学校|机构"),
    "place": ("place|city|restaurant|hotel", "地方|城市|餐厅|酒店|饭店"),
    "object": ("tool|app|product|project|library", "工具|应用|产品|项目|软件"),
}
"""The nouns by which the user comes back to an entity of a kind."""
_NOUNS_EN: Final = "|".join(f"(?P<{kind}>{nouns})" for kind, (nouns, _) in _THINGS.items())
_NOUNS_ZH: Final = "|".join(f"(?P<{kind}>{nouns})" for kind, (_, nouns) in _THINGS.items())
_AGO_ZH: Final = "上次|上回|之前|刚才|昨天|前面|先前"
_BACK_TO: Final = (
    pattern(
        rf"\b(?:that|the same) (?:{_NOUNS_EN})\b"
        r"(?=.{0,30}\b(?:last time|earlier|yesterday|before|again|we|you|i)\b)",
        re.IGNORECASE,
    ),
    pattern(
        rf"(?:(?:{_AGO_ZH})(?:说|提|聊|讲)?(?:过|到)?的?[那这](?:个|家|份|条)?|那[个家份条])"
        rf"(?:{_NOUNS_ZH})"
    ),
)
_NAMED_BEFORE: Final = 12
_BEFORE_NAME: Final = pattern(
    r"\b(?:that|the same) (?P<en>)\Z"
    rf"|(?:{_AGO_ZH})(?:说|提|聊|讲|做)?(?:过|到)?(?:的[那这]?|[那这])(?:个|家|份|条|位|件)?\s?\Z",
    re.IGNORECASE,
)
_AFTER_NAME: Final = pattern(
    rf"\s(?:{'|'.join(nouns for nouns, _ in _THINGS.values())})\b"
    r"(?=.{0,30}\b(?:last time|earlier|yesterday|before|again|we)\b)",
    re.IGNORECASE,
)
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
_SURE_OF_NAME: Final = 0.6
_SURE_OF_ADDRESS: Final = 0.95
_MAX_REFERRED: Final = 50  # entities that were named last, which the user may come back to
MAX_STATEMENTS: Final = 20
"""The most statements of one step of a turn; the first are kept."""
_DAY: Final = 86_400.0
_MAX_ALIKE: Final = 3
_TOLD_BESIDE: Final = (EdgeType.MANNER, EdgeType.CAUSE)
_Clauses = Mapping[tuple[int, int], Sequence[Memory]]
"""The statements of each clause, by its message and its offset."""


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
        for key in dict.fromkeys(key for key, name in lowered if holds_words(text, name)):
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


def _judge(
    named: Named, texts: Sequence[tuple[Memory, str]], seen: int, gate: EntityGateRules
) -> tuple[str, str]:
    """Return by which rule an entity is a memory, or no code and what it lacks."""
    if named.why:
        return named.why, _WHY[named.why]
    lowered = [name.casefold() for name in named.names]
    for memory, text in texts:
        if not named.plain and any(holds_words(text, name) for name in lowered):
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
            if any(holds_words(text, name.casefold()) for name in called):
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
    keys = {key: word for topic, word in topics if (key := key_of(kind, name=topic))}
    writes.read(keys)
    for key, word in keys.items():
        concept = writes.standing("concepts", key)
        if concept is None:
            continue
        writes.link(episode.id, EdgeType.ABOUT, concept.id)
        for memory in memories:
            if holds_words(memory.text.casefold(), word):
                writes.link(memory.id, EdgeType.ABOUT, concept.id)


def _retain(key: str, action: RetentionAction, code: str, reason: str) -> Retention:
    reason = by_rule(reason, "policies.retention.entity_gate")
    return Retention(type="entities", key=key, action=action, code=code, reason=reason)


def link_statements(
    told: Sequence[tuple[int, Statement]],
    recorded: Recorded,
    names: Names,
    *,
    writes: WriteSet,
    rules: Rules,
) -> list[Memory]:
    """Put what a turn says happens in the write set, with the roles that entities play in it."""
    if not told:
        return []
    predicates = {one.predicate for _, one in told}
    alike = writes.transaction.remembering.alike(predicates, limit=_MAX_ALIKE)
    # Each message of the earlier steps has room for so many.
    first = MAX_STATEMENTS * len(recorded.stored.messages) if recorded.stored else 0
    before: dict[str, list[Memory]] = {}
    clauses: dict[tuple[int, int], list[Memory]] = {}
    for number, (index, statement) in enumerate(told[:MAX_STATEMENTS], first):
        memory = _put_statement(statement, index, number, recorded, writes)
        _link_roles(memory, statement, names, writes, rules)
        others = alike.get(statement.predicate, ())
        mine = before.setdefault(statement.predicate, [])
        _link_same(memory, others, writes, rules)
        _link_contrary(memory, [*reversed(others), *mine], writes, rules.policies.linking)
        mine.append(memory)
        clauses.setdefault((index, statement.offset), []).append(memory)
    _link_clauses(told[:MAX_STATEMENTS], clauses, writes, rules)
    return [memory for found in before.values() for memory in found]


def _put_statement(
    statement: Statement, index: int, number: int, recorded: Recorded, writes: WriteSet
) -> Memory:
    kind = writes.types.get("statements")
    value = statement.value(writes.origin.turn_id or "", number)
    key = kind.key_of(value)
    writes.open(key)
    message, stored = recorded.said.messages[index], recorded.spans.messages[index]
    spans = spans_at(message.content, stored.spans, statement.offset, statement.length)
    # How and why something happens is not whom and what it is about.
    about = (role.name for role in statement.roles if role.role not in _TOLD_BESIDE)
    memory = writes.make(
        kind.name,
        key,
        title=statement.text[:80],
        text=statement.text,
        value=dict(kind.complete(key, value).value),
        status=Status.CANDIDATE,
        confidence=statement.confidence,
        raw_refs=spans,
        entities=tuple(name for name in about if not holds_mark(name, statement.text)),
        provenance=Provenance(message.role.value),
    )
    for raw in dict.fromkeys(span.raw_id for span in spans):
        writes.link(memory.id, EdgeType.DERIVED_FROM, raw)
    return writes.put(memory)


def _link_roles(
    memory: Memory, statement: Statement, names: Names, writes: WriteSet, rules: Rules
) -> None:
    sure, time = statement.confidence, statement.time
    trust = trust_in(memory.provenance.creator, rules.policies.conflicts.source_trust)
    lasts = time is not None and time.kind is TimeKind.RANGE
    during = {"since": time.start, "until": time.end} if time and lasts else {}
    roles = [(role.role, role.kind, role.name) for role in statement.roles]
    if time is not None:
        roles.append((EdgeType.TIME, BESIDE, time.name))
    for role, kind, name in roles:
        key = names.keys.get((kind, name), "")
        entity = writes.standing("entities", key) if key else None
        if entity is not None:
            weight = writes.weight(sure, trust)
            writes.link(memory.id, role, entity.id, weight, confidence=sure, **during)


def _link_clauses(
    told: Sequence[tuple[int, Statement]], clauses: _Clauses, writes: WriteSet, rules: Rules
) -> None:
    """Tie statements to those that tell their reason, and to those that show that they are so."""
    trust = rules.policies.conflicts.source_trust
    for name in ("because", "shown_by"):
        ties = dict.fromkeys((index, one.offset, getattr(one, name)) for index, one in told)
        for index, offset, other in ties:
            for effect, cause in product(clauses[index, offset], clauses.get((index, other), ())):
                sure = effect.confidence
                weight = writes.weight(sure, trust_in(effect.provenance.creator, trust))
                edges = [(cause.id, EdgeType.SUPPORTS, effect.id)]
                if name == "because":
                    edges = [
                        (effect.id, EdgeType.CAUSE, cause.id),
                        (effect.id, EdgeType.CAUSED_BY, cause.id),
                        (cause.id, EdgeType.CAUSES, effect.id),
                    ]
                for src, kind, dst in edges:
                    writes.link(src, kind, dst, weight, confidence=sure)


def _link_same(memory: Memory, others: Sequence[Memory], writes: WriteSet, rules: Rules) -> None:
    """Tie a statement to an earlier one that tells the same event, else to those that are alike."""
    linking = rules.policies.linking
    alike = {}
    for other in others:
        if memory.value.get("negation") != other.value.get("negation") or other.id == memory.id:
            continue
        apart = abs((memory.said_at - other.said_at).total_seconds()) / _DAY
        share = overlap(memory.text, other.text)
        near = apart <= linking.same_event_days and share >= linking.same_event_similarity
        if near and not numbers_apart(memory.text, other.text):
            writes.link(memory.id, EdgeType.SAME_AS, other.id)
            writes.adopt(other)
            writes.put(other, frequency=other.frequency + 1)
            return
        if share >= linking.similar_to_min:
            alike[other.id] = round(share, 6)
    for other_id, share in alike.items():
        writes.link(memory.id, EdgeType.SIMILAR_TO, other_id, share)


def _link_contrary(
    memory: Memory, others: Sequence[Memory], writes: WriteSet, rules: LinkingRules
) -> None:
    """Tie a statement and those that differ from it only in negation, each to the last before it.

    Histories arrive in any order: what is said in between parts two that were tied.
    """
    denies = memory.value.get("negation")
    if all(one.value.get("negation") == denies for one in others):
        return  # nobody denies anything
    known = sorted(others, key=lambda one: one.said_at)
    place = bisect_right(known, memory.said_at, key=lambda one: one.said_at)
    was = _pair_contrary(known, rules)
    now = _pair_contrary([*known[:place], memory, *known[place:]], rules)
    for one, other in sorted(was.keys() - now.keys()):
        writes.cut(one, EdgeType.CONTRADICTS, other)
        writes.cut(other, EdgeType.CONTRADICTS, one)
    for (one, other), dimension in now.items():
        if (one, other) not in was:
            attrs = {"dimension": dimension}
            writes.link(one, EdgeType.CONTRADICTS, other, attrs=attrs)
            writes.link(other, EdgeType.CONTRADICTS, one, attrs=attrs)


def _pair_contrary(told: Sequence[Memory], rules: LinkingRules) -> dict[tuple[str, str], str]:
    """Return each statement with the last one before it that denies it, and what sets them apart.

    They are given by their ids, and stand in the order of their times.
    """
    found = {}
    for place, one in enumerate(told):
        for other in reversed(told[:place]):
            apart = (one.said_at - other.said_at).total_seconds() / _DAY
            denied = one.value.get("negation") != other.value.get("negation")
            if denied and apart <= rules.same_event_days and _says(one) == _says(other) != ():
                alike = one.provenance.creator == other.provenance.creator
                found[one.id, other.id] = "value" if alike else "source"
                break
    return found


def _says(memory: Memory) -> tuple[Any, ...]:
    """Return who is said to do something, and when; nothing of what is not asserted.

    What was masked is nobody: two marks that look alike may stand for different people.
    """
    asserted = memory.value.get("modality") == Modality.ASSERTED
    if not asserted or not memory.entities or is_masked(memory.text):
        return ()
    time = memory.value.get("time") or {}
    return (memory.entities, time.get("start"), time.get("end"))


class Named(NamedTuple):
    """An entity that a turn names: its value, what it is called, and why it passes the gate.

    `title` is what it was called first: it may be filed under a name in another language. `plain`
    is whether nothing but its part in a statement makes it a name: "the samples".
    """

    value: dict[str, Any]
    names: dict[str, None]
    why: str
    title: str
    plain: bool = False

    @property
    def beside(self) -> bool:
        """Whether it only tells when, how or why: a node of the graph, and never a memory."""
        return bool(self.value["kind"] == BESIDE)


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
        key = "" if holds_mark(called[1]) else key_of(self.kind, kind=called[0], canonical=filed)
        if not key:
            return
        if filed != called[1]:
            value, names = {**value, "canonical": filed}, (*names, called[1])
        self.keys[called] = key
        known = self.by_key.get(key)
        if known is None and len(self.by_key) >= MAX_ENTITIES:
            self.left_out.add(key)
            return
        known = known or Named(value, {}, why, called[1], plain)
        if message is not None:
            self.said_in.add((message, key))
        known.names.update(dict.fromkeys(name for name in names if not holds_mark(name)))
        both = merge_values(known.value, value) if value.get("attrs") else known.value
        self.by_key[key] = known._replace(why=known.why or why, value=both)

    def texts(self) -> tuple[str, ...]:
        """Return what they are called, each once."""
        return tuple(one.title for one in self.by_key.values() if not one.beside)

    def use_stored_keys(self, writes: WriteSet) -> None:
        """Let an entity go by the key it is stored under, if that is of another of its names."""
        others = {}
        for key, named in self.by_key.items():
            kind, filed = named.value["kind"], named.value["canonical"]
            aliases = all_names(kind, filed)[1:]
            others[key] = [key_of(self.kind, kind=kind, canonical=one) for one in aliases]
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


@lru_cache(maxsize=8_192)
def key_of(memory_type: MemoryType, /, **fields: str) -> str:
    """Return the key of an entity or a concept; none for a name without a letter."""
    try:
        return memory_type.key_of(fields)
    except UsageError:
        return ""


def find_names(
    said: Iterable[tuple[int, Said]],
    step: Turn,
    told: Iterable[tuple[int, Statement]],
    *,
    types: TypeRegistry,
) -> Names:
    """Return every entity that a step names: in its words, its refs and its statements' roles."""
    names = Names(types.get("entities"))
    for index, message in said:
        for sentence in message.everything:
            for entity in find_entities(sentence.text):
                value, why = _value_of(entity), _why(entity, sentence.text, message.source)
                names.add(value, (entity.name, *value.get("aliases", ())), why, index)
    for ref in step.refs:
        if ref.ref_type is not RefType.ARTIFACT:
            uri = without_controls(ref.ref_uri)
            names.add({"kind": ref.ref_type.value, "canonical": uri}, (uri,), STRUCTURAL)
    for index, statement in told:
        for role in statement.roles:
            if not holds_mark(role.name, statement.text):
                value = {"kind": role.kind, "canonical": role.name}
                names.add(value, (role.name,), message=index, plain=True)
        if statement.time is not None:
            names.add({"kind": BESIDE, "canonical": statement.time.name}, (statement.time.name,))
    return names


def _value_of(entity: Entity) -> dict[str, Any]:
    value: dict[str, Any] = {"kind": entity.kind, "canonical": entity.canonical}
    names = (entity.name, *entity.aliases)
    aliases = [name for name in dict.fromkeys(names) if name != entity.canonical]
    if aliases and entity.kind != "topic":
        value["aliases"] = aliases
    return {**value, "attrs": dict(entity.attrs)} if entity.attrs else value


def _why(entity: Entity, sentence: str, source: Source) -> str:
    """Return by which rule the words that name an entity let it pass the gate, if by any."""
    if entity.kind in _BY_FORM:
        return STRUCTURAL
    if source is not Source.USER:
        return ""
    declared = find_declared(sentence)
    if declared is not None and declared[0] <= entity.offset < declared[1]:
        return DECLARED
    before = _BEFORE_NAME.search(sentence[max(0, entity.offset - _NAMED_BEFORE) : entity.offset])
    is_back = before is not None and (
        before["en"] is None or _AFTER_NAME.match(sentence, entity.end) is not None
    )
    return REFERRED if is_back else ""


def find_referred_kinds(text: str) -> set[str]:
    """Return the kinds of things that a text comes back to without a name: 上次那家公司."""
    return {
        found.lastgroup
        for back in _BACK_TO
        for found in back.finditer(text)
        if found.lastgroup is not None
    }


def merge_values(older: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of an entity that was named as both say, whichever was told first.

    It goes by the name of the older one, has all others as aliases, and every version of it.
    """
    value = {**newer, **older}
    names = {*older.get("aliases", ()), *newer.get("aliases", ()), newer.get("canonical")}
    aliases = sorted(name for name in names if name and name != value["canonical"])
    value.pop("aliases", None)
    if aliases:
        value["aliases"] = aliases
    attrs: dict[str, Any] = {**newer.get("attrs", {}), **older.get("attrs", {})}
    for name, told in newer.get("attrs", {}).items():
        both = {one for text in (attrs[name], told) for one in str(text).split(", ")}
        attrs[name] = ", ".join(sorted(both, key=_by_number)[-_MAX_VERSIONS:])
    return {**value, "attrs": attrs} if attrs else value


def _by_number(text: str) -> list[tuple[int, str]]:
    """Return what versions are sorted by: 3.9 comes before 3.12."""
    return [(int(part) if part.isdecimal() else -1, part) for part in _NUMBERS.split(text)]


def holds_mark(name: str, text: str = "") -> bool:
    """Tell whether a name was masked, however its words are set in the text that says it."""
    name = "".join(name.split())
    return is_masked(name) or (f"[{name}]" in text and is_masked(f"[{name}]"))
