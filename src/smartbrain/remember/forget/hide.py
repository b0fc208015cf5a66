"""Hiding: what a request covers leaves every table, so that no call can show it (J7).

In: a coverage, inside a writing transaction. Out: a forgetting that waits to be erased. Claims go
and leave a wordless mark, their groups are folded again, texts get holes, episodes are told again,
and whatever quotes a forgotten word loses it. What was there is kept aside until it is erased, so
that it can be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.claim import CLOSES, Claim
from smartbrain.domain.forgetting import (
    FOLLOWS,
    ForgetItem,
    ForgetReceipt,
    ForgetRequest,
    ForgetState,
    Forgetting,
    Matcher,
    cut_holes,
    fill_hole,
    find_clauses,
    holds_words,
    words_in,
)
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.ids import raw_id
from smartbrain.domain.job import JobState, Tombstone
from smartbrain.domain.turn import Operation
from smartbrain.errors import NotFound
from smartbrain.govern.short_term import with_texts
from smartbrain.remember.episode import episode_of, retell_episode
from smartbrain.remember.groups import fold_again
from smartbrain.remember.summary import core_memory
from smartbrain.remember.write_set import Origin, WriteSet

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.turn import CommitRequest, RawChunk, Turn
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction, Truth
    from smartbrain.remember.forget.find import Coverage
    from smartbrain.remember.write_rules import WriteRules

FORGET: Final = "forget"
"""The kind of the operation that a forgetting is."""
_MIN_CLAUSE: Final = 8  # characters from which a forgotten clause is looked for elsewhere
_MENTIONS: Final = (EdgeType.MENTIONS, EdgeType.ABOUT)
_TOLD_BY_TURN: Final = ("episodes", "statements", "entities", "concepts")
_MAX_NEEDLES: Final = 40
_MESSAGE, _CLAUSE = "message", "clause"


class _Cut(msgspec.Struct):
    """What was cut out of texts: the turns it was in, the words, and the files that go."""

    turns: dict[str, None] = msgspec.field(default_factory=dict)
    words: list[str] = msgspec.field(default_factory=list)
    paths: list[str] = msgspec.field(default_factory=list)


class Hider:
    """Hides one coverage in one transaction."""

    def __init__(
        self,
        transaction: Transaction,
        ports: Ports,
        rules: WriteRules,
        *,
        writes_files: bool = True,
    ) -> None:
        """Without `writes_files` large texts with holes stay in the transaction, to be undone."""
        self._rows = transaction
        self._ports = ports
        self._rules = rules
        self._writes_files = writes_files

    def hide(
        self,
        found: Coverage,
        request: ForgetRequest,
        *,
        now: datetime,
        grace: timedelta,
        said_in: str = "",
    ) -> Forgetting:
        """Take what a request covers out of all tables, and keep it aside until it is erased.

        `said_in` is the turn that asks for it in words.
        """
        name = self._ports.ids.new()
        asked: dict[str, Any] = {"everything": True} if request.everything else {}
        if said_in:
            asked["turn"] = said_in
        if found.only is not None:
            asked["turns"] = found.only
        self._rows.ledger.add_operation(
            Operation(
                id=name,
                kind=FORGET,
                input={"ids": [item.id for item in found.items()]},
                at=now,
                actor="user",
                rules_hash=self._rules.hash,
                created_at=now,
            )
        )
        with self._rows.erasure.recording() as recording:
            cut, counts = self._take_out(found, name, now)
            gone = recording.deleted()
            undo = recording.changes() if grace else None
        counts["memories"] = len(gone["memory"])
        followed = [] if found.everything else _followed(gone, found)
        receipt = ForgetReceipt(
            id=name,
            state=ForgetState.HIDDEN,
            request=asked,
            asked_at=now,
            due_at=now + grace,
            items=(*found.items(), *followed),
            stays=tuple(found.stays),
            counts=counts,
        )
        forgetting = Forgetting(
            receipt=receipt, words=tuple(dict.fromkeys(cut.words)), paths=tuple(cut.paths)
        )
        self._rows.forgettings.add(forgetting, undo)
        return forgetting

    def _take_out(self, found: Coverage, name: str, now: datetime) -> tuple[_Cut, dict[str, int]]:
        """Delete, fold, cut, tell again and clean; return what was cut, and how many of each."""
        erasure, cut = self._rows.erasure, _Cut()
        claims = [*found.claims.values()]
        known = {claim.id for claim in claims}
        of_turns = erasure.claims("turn", found.turns)
        claims += [claim for claim in of_turns if claim.id not in known]
        for job in self._rows.working.jobs(state=JobState.LEASED):  # its holder has read what goes
            self._rows.working.put_job(
                msgspec.structs.replace(
                    job, state=JobState.QUEUED, lease_owner=None, lease_until=None
                )
            )
        self._keep_words(found, claims, cut)
        self._leave_tombstones(found, name, now)
        if found.everything:
            cut.paths += erasure.delete_turns(None)
            return cut, {"turns": len(found.turns), "claims": len(claims)}
        self._cut_chunks(found, cut)
        gone = set(found.turns)
        touched = [one for one in cut.turns if one not in gone]
        changed = self._fold(claims, name, now)
        cut.paths += erasure.delete_turns(found.turns)
        matcher = Matcher(self._unique([*found.needles, *_clauses(cut.words)]))
        cleaned = erasure.clean(matcher, turn_ids=[*touched, *found.turns])
        doomed = [*found.memories, *self._retell(touched, now)]
        erasure.delete_nodes(doomed, found.edges, found.artifacts)
        core_memory(changed, now, transaction=self._rows, rules=self._rules.rules)
        counts = {
            "turns": len(found.turns),
            "claims": len(claims),
            "edges": len(found.edges),
            "texts": len(found.holes),
            "touched_turns": len(touched),
            "rows": cleaned,
        }
        return cut, counts

    def _keep_words(self, found: Coverage, claims: Sequence[Claim], cut: _Cut) -> None:
        """Note the words that go with turns, claims and memories, to look for them at last."""
        for start in range(0, len(found.turns), 500):
            turns = [self._rows.events.turn(one) for one in found.turns[start : start + 500]]
            for turn in self._read(turns):
                cut.words += _texts(turn)
        cut.words += [claim.text for claim in claims if claim.text]
        cut.words += [str(claim.value) for claim in claims if isinstance(claim.value, str)]
        for name in found.artifacts:
            stored = self._rows.calls.get(name)
            cut.words += [] if stored is None else [*words_in(stored.call.args)]
        for memory in self._rows.memories.get(found.memories).values():
            cut.words += [memory.title, memory.text, *memory.value.get("aliases", ())]

    def _leave_tombstones(self, found: Coverage, name: str, now: datetime) -> None:
        """Mark whole messages and clauses as forgotten, so that no import brings them back."""
        marks: list[str] = []
        for turn_id in found.turns:
            (said,) = self._read([self._rows.events.turn(turn_id)])
            marks += [_mark(_MESSAGE, message.content) for message in said.messages]
        for chunk_id, chunk in self._rows.raw.get(found.holes).items():
            body = self._body(chunk)
            marks += [
                _mark(_CLAUSE, body[start:end].decode(errors="ignore"))
                for start, end in found.holes[chunk_id]
            ]
        marks = [one for one in dict.fromkeys(marks) if one]
        for fingerprint in self._rows.forgettings.fingerprints(marks):
            self._rows.ledger.add_tombstone(
                Tombstone(kind=FORGET, fingerprint=fingerprint, subject_id=name, created_at=now)
            )

    def _cut_chunks(self, found: Coverage, cut: _Cut) -> None:
        """Put chunks with holes in the place of those that hold forgotten words."""
        for name, chunk in self._rows.raw.get(found.holes).items():
            body, holes = self._body(chunk), found.holes[name]
            fresh = cut_holes(body, holes)
            if fresh == body:
                continue
            cut.words += [body[start:end].decode(errors="ignore") for start, end in holes]
            new = self._new_chunk(chunk, fresh)
            turns = self._rows.erasure.replace_chunk(name, new, found.only)
            cut.turns |= dict.fromkeys(turns)
            if chunk.path and turns and not self._rows.raw.get([name]):
                cut.paths.append(chunk.path)

    def _new_chunk(self, chunk: RawChunk, body: bytes) -> RawChunk:
        """Return a chunk of other words, in the database or in a file as the one before."""
        address = self._ports.blobs.address(body)
        path = None
        if chunk.path is not None and self._writes_files:
            path = self._ports.blobs.put(address, body, chunk.stored_at.date())
        return replace(
            chunk,
            id=raw_id(address),
            address=address,
            body=None if path else body,
            path=path,
        )

    def _fold(self, claims: Sequence[Claim], name: str, now: datetime) -> list[Memory]:
        """Fold the groups of forgotten claims again; what nothing founds any more is deleted."""
        writes, stored = self._writes(now), self._rows.claims
        founding = stored.memories(claim.id for claim in claims)
        closing = [claim for claim in claims if claim.value or claim.id in founding]
        self._rows.forgettings.close_claims(name, closing, now)
        groups = {claim.group for claim in claims if claim.id in founding}
        # What no version is made of changes none; a group may hold the tasks of years.
        stored.delete(claim.id for claim in claims if claim.group not in groups)
        if groups:
            gone = [claim for claim in claims if claim.group in groups]
            fold_again(groups, gone=gone, writes=writes, rules=self._rules.rules)
            writes.write()
        changed = writes.written()
        dropped = [memory.id for memory in changed if memory.deleted_at is not None]
        self._rows.erasure.delete_nodes(dropped)
        return changed

    def _retell(self, turn_ids: Sequence[str], now: datetime) -> list[str]:
        """Tell the episodes of turns with holes again; return the nodes that they no longer name.

        A statement whose words are in a hole goes, and so does an entity that nobody names now.
        """
        writes, doomed = self._writes(now), list[str]()
        kind = self._ports.types.get("episodes")
        for turn_id in turn_ids:
            spans = self._rows.events.turn(turn_id)
            (turn,) = self._read([spans])
            retell_episode(turn, spans, writes=writes, rules=self._rules.rules)
            left = " ".join(_texts(turn)).casefold()
            episode = episode_of(kind, turn.session_id, turn.id).id
            for memory in self._rows.memories.of_turn(turn_id):
                quoted = " ".join(memory.text.casefold().split())
                if memory.type == "statements" and quoted not in " ".join(left.split()):
                    doomed.append(memory.id)
                elif memory.type not in _TOLD_BY_TURN:
                    _keep_labels(memory, left, writes)
            doomed += self._unnamed(episode, left, writes, {episode, *doomed})
        writes.write()
        return list(dict.fromkeys(doomed))

    def _unnamed(self, episode: str, left: str, writes: WriteSet, besides: Set[str]) -> list[str]:
        """Cut the edges of an episode to what it no longer names; return what nobody names."""
        doomed = []
        edges = [edge for kind in _MENTIONS for edge in self._rows.edges.of(episode, kind=kind)]
        entities = self._rows.memories.get(edge.dst for edge in edges)
        for edge in edges:
            entity = entities.get(edge.dst)
            if entity is None:
                continue
            names = [entity.title, *entity.value.get("aliases", ())]
            if any(holds_words(left, one.casefold()) for one in names):
                continue
            writes.cut(edge.src, edge.type, edge.dst)
            if not self._is_named_elsewhere(entity, names, besides):
                doomed.append(entity.id)
        return doomed

    def _is_named_elsewhere(self, entity: Memory, names: Sequence[str], besides: Set[str]) -> bool:
        """Tell whether anything but some nodes names an entity."""
        edges = self._rows.edges.of(entity.id, outgoing=False)
        others = self._rows.memories.get(edge.src for edge in edges if edge.src not in besides)
        for other in others.values():
            told = f"{other.title} {other.text}".casefold()
            if any(holds_words(told, one.casefold()) for one in names):
                return True
        return False

    def _unique(self, needles: Iterable[str]) -> list[str]:
        """Return the needles that no text holds any more; what is said elsewhere stays."""
        wanted = list(dict.fromkeys(one for one in needles if one))
        if len(wanted) > _MAX_NEEDLES:  # what no state quotes need not be looked for
            kept = "\n".join(self._rows.erasure.texts(kept=True)).casefold()
            wanted = [one for one in wanted if one in kept]
        chunks = self._rows.erasure.chunks(wanted) if wanted else ()
        left = [self._body(chunk).decode(errors="ignore").lower() for _, chunk in chunks]
        return [one for one in wanted if not any(one in text for text in left)]

    def _read(self, turns: Sequence[Turn]) -> list[Turn]:
        return with_texts(turns, transaction=self._rows, blobs=self._ports.blobs)

    def _body(self, chunk: RawChunk) -> bytes:
        if chunk.body is not None:
            return chunk.body
        return self._ports.blobs.get(chunk.path or "", chunk.address)

    def _writes(self, now: datetime) -> WriteSet:
        origin = Origin(said_at=now, now=now)
        weights = self._rules.rules.policies.linking.edge_weight
        return WriteSet(self._rows, self._ports.types, origin, weights)


def _followed(gone: Mapping[str, Sequence[str]], found: Coverage) -> list[ForgetItem]:
    """Return what went because nothing else tells of it: nobody named it."""
    named = {*found.claims, *found.memories}
    return [
        ForgetItem(kind=kind, id=one, reason=FOLLOWS)
        for kind in ("claim", "memory")
        for one in gone[kind]
        if one not in named
    ]


def _keep_labels(memory: Memory, left: str, writes: WriteSet) -> None:
    """Keep those keywords of a memory that its turn, or the memory itself, still says."""
    said = f"{left} {memory.title} {memory.value}".casefold()
    kept = tuple(one for one in memory.keywords if one.casefold() in said)
    if kept != memory.keywords:
        writes.put(writes.adopt(memory), keywords=kept)


def take_back(
    forgetting_id: str, *, transaction: Transaction, ports: Ports, rules: WriteRules, now: datetime
) -> ForgetReceipt:
    """Put back what was hidden and is not erased yet."""
    found = transaction.forgettings.get(forgetting_id)
    if found is None or found.receipt.state is not ForgetState.HIDDEN:
        raise NotFound(f"{forgetting_id!r} is not hidden; what is erased cannot be taken back")
    transaction.forgettings.take_back(forgetting_id)
    receipt = msgspec.structs.replace(found.receipt, state=ForgetState.TAKEN_BACK, due_at=None)
    transaction.forgettings.update(receipt)
    claims = [item.id for item in receipt.items if item.kind == "claim"]
    ended = {claim.group for claim in transaction.erasure.claims("id", claims)}
    asking = [receipt.request["turn"]] if "turn" in receipt.request else []
    gone = [
        claim
        for claim in transaction.erasure.claims("turn", asking)
        if claim.say in CLOSES and claim.group in ended
    ]
    weights = rules.rules.policies.linking.edge_weight
    writes = WriteSet(transaction, ports.types, Origin(said_at=now, now=now), weights)
    fold_again(ended, gone=gone, writes=writes, rules=rules.rules)
    writes.write()
    core_memory(writes.written(), now, transaction=transaction, rules=rules.rules)
    return receipt


def without_forgotten(request: CommitRequest, *, truth: Truth) -> CommitRequest:
    """Return what a caller hands over at an earlier time without what was forgotten since then."""
    at = request.events.at
    if at is None:
        return request
    with truth.read() as rows:
        if not any(one.asked_at >= at for one in rows.forgettings.receipts()):
            return request
        messages = tuple(
            replace(one, content=_without_forgotten(one.content, rows))
            for one in request.events.messages
        )
    return replace(request, events=replace(request.events, messages=messages))


def _without_forgotten(text: str, rows: Transaction) -> str:
    """Return a text with holes where a message or a clause was forgotten."""
    if not text:
        return text
    places = [(0, len(text)), *find_clauses(text)]
    kinds = (_MESSAGE, *(_CLAUSE for _ in places[1:]))
    marks = [_mark(kind, text[slice(*place)]) for kind, place in zip(kinds, places, strict=True)]
    for (start, end), name in zip(places, rows.forgettings.fingerprints(marks), strict=True):
        if rows.ledger.tombstone(FORGET, name) is not None:
            text = text[:start] + fill_hole(text[start:end]) + text[end:]
    return text


def _mark(kind: str, text: str) -> str:
    return f"{kind}\0{' '.join(text.casefold().split())}" if text.strip() else ""


def _texts(turn: Turn) -> list[str]:
    """Return all texts of a turn that is read whole."""
    found = [message.content for message in turn.messages]
    for call in turn.tool_calls:
        found += [str(one) for one in (call.args, call.result, call.stdout, call.stderr) if one]
    found += [ref.ref_uri for ref in turn.refs]
    return [one for one in found if one]


def _clauses(words: Iterable[str]) -> list[str]:
    """Return the clauses of texts that are long enough to be told from others."""
    return [
        text[start:end].casefold()
        for text in words
        for start, end in find_clauses(text)
        if end - start >= _MIN_CLAUSE
    ]
