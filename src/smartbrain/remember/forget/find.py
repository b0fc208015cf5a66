"""What a request to forget covers: claims, the sentences that state them, turns, nodes (J7).

In: a request and the truth. Out: a `Coverage`, whole and exact: executing it looks nothing up
again. A claim covers every claim of the same value, and every clause that states it, wherever it
was said. Nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Final

import msgspec

from smartbrain.domain.claim import OTHER, Claim
from smartbrain.domain.forgetting import (
    FOLLOWS,
    ForgetItem,
    ForgetReceipt,
    ForgetRequest,
    find_clauses,
    find_words,
    holds_words,
    is_hole,
)
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory
from smartbrain.errors import NotFound, UsageError
from smartbrain.text.language import plain_text
from smartbrain.text.ontology import extend_ontology

if TYPE_CHECKING:
    from smartbrain.domain.memory import Span
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.turn import RawChunk
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.text.ontology import Ontology

Holes = dict[str, set[tuple[int, int]]]
"""The bytes of raw chunks that go, by the chunk's id."""
_TEXT: Final = "text"
_NAMED: Final = ("entities", "concepts")
_MIN_WORDS: Final = 8  # characters of a clause that is looked for elsewhere
_MIN_NEEDLE: Final = 6  # characters of words that are looked for wherever they stand


class Coverage(msgspec.Struct, kw_only=True):
    """All that a request comes to.

    `holes` are parts of texts, `needles` the words that were looked for, `naming` the turns that
    name a topic, `only` the turns that may be touched where the request limits them.
    """

    turns: list[str] = msgspec.field(default_factory=list)
    claims: dict[str, Claim] = msgspec.field(default_factory=dict)
    memories: list[str] = msgspec.field(default_factory=list)
    edges: list[str] = msgspec.field(default_factory=list)
    artifacts: list[str] = msgspec.field(default_factory=list)
    holes: Holes = msgspec.field(default_factory=dict)
    naming: set[str] = msgspec.field(default_factory=set)
    needles: list[str] = msgspec.field(default_factory=list)
    only: list[str] | None = None
    stays: list[ForgetItem] = msgspec.field(default_factory=list)
    everything: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing goes."""
        return not self.items()

    def items(self) -> tuple[ForgetItem, ...]:
        """Return all that goes, one by one."""
        ids = {
            "turn": self.turns,
            "claim": sorted(self.claims),
            "memory": self.memories,
            "edge": self.edges,
            "artifact": self.artifacts,
            _TEXT: [
                f"{raw}#{start}-{end}"
                for raw, holes in sorted(self.holes.items())
                for start, end in sorted(holes)
            ],
        }
        return tuple(ForgetItem(kind=kind, id=one) for kind in ids for one in ids[kind])

    def add_spans(self, spans: Iterable[Span]) -> None:
        """Adds stretches of text as holes."""
        for span in spans:
            place = (span.offset, span.offset + span.length)
            self.holes.setdefault(span.raw_id, set()).add(place)


class Finder:
    """Finds what requests cover in one transaction."""

    def __init__(self, transaction: Transaction, ports: Ports, rules: Rules) -> None:
        self._rows = transaction
        self._blobs = ports.blobs
        self._ontology = extend_ontology(rules.ontology.attributes)

    def find(self, request: ForgetRequest) -> Coverage:
        """Return what a request covers; refuse one that names nothing, or what is not there."""
        if request.is_empty:
            raise UsageError("name what to forget: ids, a topic, a time, a session or everything")
        limited = request.since or request.until or request.session_id
        turns = None
        if limited or request.everything:
            turns = self._rows.erasure.turns(request.since, request.until, request.session_id)
        if request.session_id and request.session_id not in self._rows.erasure.kinds(
            [request.session_id]
        ):
            raise NotFound(f"there is no session {request.session_id!r} in this tenant")
        found = Coverage(only=turns if request.ids or request.topic else None)
        if request.ids:
            self._add_ids(request.ids, found)
        if request.topic and request.ids:
            found = self._named_about(request.topic, found)
        elif request.topic:
            self._add_topic(request.topic, found)
        if turns is not None and not request.ids and not request.topic:
            found.turns = turns
            found.everything = request.everything and not limited
        return self.complete(found)

    def of_receipt(self, receipt: ForgetReceipt) -> Coverage:
        """Return exactly what a preview listed, as far as it is still there."""
        named: dict[str, list[str]] = {}
        for item in receipt.items:
            if item.reason != FOLLOWS:
                named.setdefault(item.kind, []).append(item.id)
        there = self._rows.erasure.kinds(id_ for ids in named.values() for id_ in ids)
        left = {kind: [id_ for id_ in ids if id_ in there] for kind, ids in named.items()}
        found = Coverage(
            turns=left.get("turn", []),
            memories=left.get("memory", []),
            edges=left.get("edge", []),
            artifacts=left.get("artifact", []),
            everything=bool(receipt.request.get("everything")),
            only=receipt.request.get("turns"),
        )
        claims = self._rows.erasure.claims("id", named.get("claim", ()))
        found.claims = {claim.id: claim for claim in claims}
        found.needles = [_value_words(claim) for claim in claims]
        for memory in self._rows.memories.get(found.memories).values():
            found.needles += _names(memory) if memory.type in _NAMED else ()
        for text in named.get(_TEXT, ()):
            raw, _, place = text.partition("#")
            start, _, end = place.partition("-")
            found.holes.setdefault(raw, set()).add((int(start), int(end)))
        return found

    def of_clauses(
        self, holes: Holes, claims: Iterable[Claim], turns: Iterable[str], texts: Iterable[str]
    ) -> Coverage:
        """Return what clauses of some turns cover: their claims, and what says the same."""
        found = Coverage(holes=holes, claims={one.id: one for one in claims}, naming=set(turns))
        needles = {one.casefold() for one in texts}
        values = {word for one in needles for word in one.split() if is_distinct(word)}
        found.needles = sorted(one for one in needles | values if len(one) >= _MIN_NEEDLE)
        self._add_naming(found)
        return found if found.is_empty else self.complete(found)

    def texts_with(
        self, needles: Sequence[str], besides: Set[str]
    ) -> Iterator[tuple[RawChunk, str]]:
        """Yield the texts that hold a needle, but those of some chunks."""
        for _, chunk in self._rows.erasure.chunks(needles) if needles else ():
            text = "" if chunk.id in besides else self._text(chunk)
            if any(one in text.casefold() for one in needles):
                yield chunk, text

    def complete(self, found: Coverage) -> Coverage:
        """Add the claims that say the same, and the clauses that state any of them."""
        groups = {claim.group for claim in found.claims.values()}
        said = {_said(claim) for claim in found.claims.values() if _value_words(claim)}
        for claim in self._rows.erasure.claims("group", groups) if said else ():
            if _said(claim) in said:
                found.claims.setdefault(claim.id, claim)
        self._limit(found)
        self._add_own_words(found)
        self._add_clauses(found)
        self._add_naming(found)
        return found

    def _add_own_words(self, found: Coverage) -> None:
        """Add the words of the claims: their clauses, where these state nothing else."""
        turns = {claim.turn_id for claim in found.claims.values() if claim.turn_id}
        kept: Holes = {}
        for claim in self._rows.erasure.claims("turn", turns):
            for span in claim.spans if claim.id not in found.claims and claim.value else ():
                place = (span.offset, span.offset + span.length)
                kept.setdefault(span.raw_id, set()).add(place)
        spans = [
            (span, _value_words(claim)) for claim in found.claims.values() for span in claim.spans
        ]
        chunks = self._rows.raw.get({span.raw_id for span, _ in spans})
        for span, value in spans:
            whole = (span.offset, span.offset + span.length)
            text = self._text(chunks[span.raw_id]) if span.raw_id in chunks else ""
            clauses = _clauses_at(text, whole, value)
            others = kept.get(span.raw_id, ())
            places = [
                place
                for place in clauses
                if not any(one < place[1] and other > place[0] for one, other in others)
            ]
            if not places:  # what it shares with others goes, as far as it states the value
                places = clauses if value and len(clauses) == 1 else [whole]
            found.holes.setdefault(span.raw_id, set()).update(places)

    def _limit(self, found: Coverage) -> None:
        """Leave out what is not of the turns that a request is limited to."""
        if found.only is None:
            return
        allowed = set(found.only)
        for claim in [one for one in found.claims.values() if one.turn_id not in allowed]:
            del found.claims[claim.id]
            reason = "it was said at another time or in another session"
            found.stays.append(ForgetItem(kind="claim", id=claim.id, reason=reason))
        found.turns = [one for one in found.turns if one in allowed]

    def _add_ids(self, ids: Sequence[str], found: Coverage) -> None:
        kinds = self._rows.erasure.kinds(ids)
        unknown = [one for one in ids if kinds.get(one, "forgetting") == "forgetting"]
        if unknown:
            raise NotFound(f"there is nothing called {', '.join(unknown)} in this tenant")
        by_kind: dict[str, list[str]] = {}
        for one in ids:
            by_kind.setdefault(kinds[one], []).append(one)
        found.turns += by_kind.get("turn", [])
        for session in by_kind.get("session", ()):
            found.turns += self._rows.erasure.turns(None, None, session)
        found.edges += by_kind.get("edge", [])
        claims = self._rows.erasure.claims("id", by_kind.get("claim", ()))
        found.claims |= {claim.id: claim for claim in claims}
        for call in by_kind.get("artifact", ()):
            self._add_artifact(call, found)
        self._add_memories(by_kind.get("memory", ()), found)

    def _add_memories(self, ids: Sequence[str], found: Coverage) -> None:
        """Add memories: by their claims, as their turn, by their name, or as they are."""
        for memory in self._rows.memories.get(ids).values():
            claims = self._rows.erasure.claims("memory", [memory.id])
            if claims:
                found.claims |= {claim.id: claim for claim in claims}
            elif memory.type == "episodes" and memory.source_turn_id:
                found.turns.append(memory.source_turn_id)
            elif memory.type in _NAMED:
                self._add_named(memory, found)
            else:
                found.memories.append(memory.id)
                found.add_spans(memory.raw_refs)

    def _add_artifact(self, call_id: str, found: Coverage) -> None:
        """Add all that a tool gave back."""
        stored = self._rows.calls.get(call_id)
        if stored is None:
            return
        found.artifacts.append(call_id)
        call = stored.call
        found.add_spans((*call.result_spans, *call.stdout_spans, *call.stderr_spans))

    def _add_topic(self, topic: str, found: Coverage) -> None:
        """Add an entity or a concept with what is only about it."""
        named = self.find_named(topic)
        claims = self._rows.erasure.claims("subject", [topic.casefold()])
        if not named and not claims:
            raise NotFound(f"nothing in this tenant is called {topic!r}")
        found.claims |= {claim.id: claim for claim in claims}
        found.needles.append(topic.casefold())
        for memory in named:
            self._add_named(memory, found)

    def find_named(self, name: str) -> list[Memory]:
        """Return the entities and concepts of a name, an id or a key."""
        return list(self._rows.memories.get(self._rows.mentions.called(name)).values())

    def _add_named(self, memory: Memory, found: Coverage) -> None:
        """Add an entity: its claims, and every clause that names it."""
        if found.only is None:  # else it goes only if no other turn names it
            found.memories.append(memory.id)
        called = _names(memory)
        found.needles += called
        for claim in self._rows.erasure.claims("subject", called):
            found.claims[claim.id] = claim
        edges = self._rows.edges.of(memory.id, outgoing=False, kind=EdgeType.MENTIONS)
        naming = self._rows.memories.get(edge.src for edge in edges)
        found.naming |= {one.source_turn_id for one in naming.values() if one.source_turn_id}
        reason = "it tells of other things too; only the clauses that name it go"
        found.stays += [ForgetItem(kind="memory", id=one, reason=reason) for one in naming]

    def _named_about(self, topic: str, named: Coverage) -> Coverage:
        """Return, of what ids name, what is about a topic: whole turns are cut to its clauses."""
        turns = set(named.turns) if named.only is None else {*named.turns} & {*named.only}
        about = Coverage(only=sorted(turns))
        self._add_topic(topic, about)
        told_of = {id_: one for id_, one in about.claims.items() if one.turn_id in turns}
        about.claims = told_of | {
            id_: claim
            for id_, claim in named.claims.items()
            if id_ in about.claims or any(holds_words(_all_words(claim), n) for n in about.needles)
        }
        for memory in self._rows.memories.get(named.memories).values():
            told = f"{memory.title} {memory.text}".casefold()
            if any(holds_words(told, needle) for needle in about.needles):
                about.memories.append(memory.id)
        linked = {
            edge.id
            for memory in self.find_named(topic)
            for outgoing in (True, False)
            for edge in self._rows.edges.of(memory.id, outgoing=outgoing)
        }
        about.edges = [id_ for id_ in named.edges if id_ in linked]
        return about

    def _add_naming(self, found: Coverage) -> None:
        """Add the claims whose words are all in what goes: nothing states them any more."""
        distinct = [one for one in found.needles if is_distinct(one)]
        claims = self._rows.erasure.claims("turn", found.naming)
        claims += self._rows.erasure.claims("words", distinct) if distinct else []
        allowed = None if found.only is None else set(found.only)
        chunks = self._rows.raw.get({span.raw_id for claim in claims for span in claim.spans})
        for claim in claims:
            value = _value_words(claim)
            if allowed is not None and claim.turn_id not in allowed:
                continue
            stated = not claim.spans and value not in distinct
            for span in claim.spans:
                text = self._text(chunks[span.raw_id]) if span.raw_id in chunks else ""
                places = _clauses_at(text, (span.offset, span.offset + span.length), value)
                holes = found.holes.get(span.raw_id, set())
                stated = stated or not places or not holes.issuperset(places)
            if not stated:
                found.claims.setdefault(claim.id, claim)

    def _add_clauses(self, found: Coverage) -> None:
        """Add the clauses that hold needles, or state what the claims say."""
        stated = [_Stated(claim, self._ontology) for claim in found.claims.values()]
        stated = [one for one in stated if one.value or one.words]
        needles = [one.casefold() for one in found.needles if one.strip()]
        searched = {*needles, *(word for one in stated for word in one.searched)}
        found.needles = list(dict.fromkeys([*needles, *(one.value for one in stated)]))
        if not searched:
            return
        allowed = None if found.only is None else self._chunks_of(found.only)
        for _, chunk in self._rows.erasure.chunks(sorted(searched)):
            if allowed is not None and chunk.id not in allowed:
                continue
            text = self._text(chunk)
            lowered = text.casefold()
            if len(lowered) != len(text) or not any(one in lowered for one in searched):
                lowered = text.lower() if len(text.lower()) == len(text) else text
            for start, end in find_clauses(text):
                clause = lowered[start:end]
                by_needle = any(holds_words(clause, one) for one in needles)
                if by_needle or any(one.is_in(clause) for one in stated):
                    first = len(text[:start].encode())
                    last = first + len(text[start:end].encode())
                    if not is_hole(text[start:end]):
                        found.holes.setdefault(chunk.id, set()).add((first, last))

    def _chunks_of(self, turn_ids: Iterable[str]) -> set[str]:
        found: set[str] = set()
        for turn_id in turn_ids:
            turn = self._rows.events.turn(turn_id)
            lists = [message.spans for message in turn.messages]
            for call in turn.tool_calls:
                lists += [call.result_spans, call.stdout_spans, call.stderr_spans]
            found.update(span.raw_id for spans in lists for span in spans)
        return found

    def _text(self, chunk: RawChunk) -> str:
        """Return the text of a chunk; what is no text has none."""
        body = chunk.body
        if body is None:
            body = self._blobs.get(chunk.path or "", chunk.address)
        return body.decode(errors="ignore") if chunk.mime.startswith("text/") else ""


class _Stated:
    """How to tell that a clause states what a claim says."""

    def __init__(self, claim: Claim, ontology: Ontology) -> None:
        self.value = _value_words(claim)
        text = " ".join(claim.text.casefold().split())
        self.words = text if len(text) >= _MIN_WORDS else ""
        known = ontology.attribute(claim.attribute, claim.type)
        cues = [str(one).casefold() for one in known.cues] if known is not None else []
        own = [claim.attribute.replace("_", " "), claim.subject.casefold()]
        self._cues = [one for one in (*cues, *own) if one and one not in ("user", "other")]
        self._is_distinct = is_distinct(self.value)

    @property
    def searched(self) -> list[str]:
        """What to look for at first."""
        return [one for one in (self.value, self.words) if one]

    def is_in(self, clause: str) -> bool:
        """Tell whether a clause states it: in the same words, or by its value of that attribute."""
        if self.words and self.words in clause:
            return True
        if not self.value or not any(True for _ in find_words(clause, self.value)):
            return False
        return self._is_distinct or any(holds_words(clause, one) for one in self._cues)


def _clauses_at(text: str, place: tuple[int, int], value: str) -> list[tuple[int, int]]:
    """Return the clauses, in bytes, that a place of a text is in: those with a value, if any is."""
    found: list[tuple[int, int]] = []
    holding: list[tuple[int, int]] = []
    for start, end in find_clauses(text):
        first = len(text[:start].encode())
        last = first + len(text[start:end].encode())
        if first < place[1] and last > place[0]:
            found.append((first, last))
            if value and value in text[start:end].casefold():
                holding.append((first, last))
    return holding or found


def is_distinct(value: str) -> bool:
    """Tell whether a value is hardly said of anything else: a number, an address, a password."""
    digits = sum(one.isdigit() for one in value)
    return (digits >= 4 or (digits > 0 and len(value) >= 6) or "@" in value) and " " not in value


def _said(claim: Claim) -> tuple[str, str, str]:
    """Return what a claim says, so that the same said elsewhere is found."""
    said = claim.text if claim.attribute == OTHER else str(claim.value)
    return claim.group, claim.attribute, plain_text(said)


def _names(memory: Memory) -> list[str]:
    names = [memory.title, *memory.value.get("aliases", ())]
    return list(dict.fromkeys(one.casefold() for one in names if len(one) > 1))


def _value_words(claim: Claim) -> str:
    value = claim.value
    if isinstance(value, dict):
        value = value.get("value") or value.get("title") or ""
    words = " ".join(str(value or "").casefold().split())
    return words if len(words) > 1 else ""


def _all_words(claim: Claim) -> str:
    return f"{claim.text} {claim.value} {claim.topic}".casefold()
