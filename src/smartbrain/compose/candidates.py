"""What may become evidence: memories of a packet, the turns around them, documents (R13, R17).

In: a packet, spoken turns, an evidence pack. Out: candidates on one scale of scores, each named by
what it stands for, so that nothing is taken twice. Nothing is chosen here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from smartbrain.domain.claim import OTHER
from smartbrain.domain.context import EvidenceRef, EvidenceSource
from smartbrain.domain.evidence import Evidence, EvidencePack, Signals
from smartbrain.domain.indexed import SpokenPiece, SpokenTurn
from smartbrain.domain.memory import Status
from smartbrain.domain.packet import MemoryPacket, PacketItem
from smartbrain.domain.plan import QueryMode
from smartbrain.domain.recalled import Ranked
from smartbrain.ports.blobs import Blobs
from smartbrain.recall.ages import shown_text
from smartbrain.recall.views.words import bytes_of
from smartbrain.text.query import says_little

FACTS: Final = "facts"
EPISODES: Final = "episodes"
GROUPS: Final = (FACTS, "procedures", EPISODES, "insights", "resources")
"""The groups of evidence in the order they are shown."""
_CHAT: Final = "chat"
_PROFILE: Final = "profile"
_BEFORE: Final = "before: "
_NEIGHBOUR_SHARE: Final = 0.3  # of a hit's score goes to the turn beside it, and again to the next
_REPLY_SHARE: Final = 0.6  # of the best turn's score goes to what the assistant says in it
_RULE_SHARE: Final = 0.05  # of the best score, for what enters by rule
_ASSISTANT: Final = "assistant"
_MAX_PIECES: Final = 6  # of a very long message that are read
_NO_SIGNALS: Final = Signals()
SCORE_DIGITS: Final = 6
"""Of scores, which choose: a trace keeps all of them, so that a replay chooses the same."""
TERM_DIGITS: Final = 3
"""Of what each signal brought to a score."""


class Terms(NamedTuple):
    """What recall scored a memory or a turn at, and what of it each signal brought."""

    score: float
    words: float = 0.0
    vector: float = 0.0
    graph: float = 0.0
    weight: float = 0.0
    recency: float = 0.0
    coverage: float = 0.0


@dataclass(slots=True, eq=False)
class Candidate:
    """Something that may be shown as evidence, or as a line of a passage; never changed.

    Lines of one `session` make up passages; `place` orders them. What stands alone has no session.
    `day` is that of `at` as a number, 0 if there is none.
    `hit` says that it was found itself and does not only stand beside what was found, `terms` what
    recall scored it at.
    `judged` is what a reranker said of it, from 0 to 1, that has read both sources together.
    """

    id: str
    group: str
    title: str
    source_uri: str
    text: str
    score: float
    signals: Signals = _NO_SIGNALS
    mode: QueryMode | None = None
    turn_id: str | None = None
    at: datetime | None = None
    day: int = 0
    speaker: str | None = None
    session: str = ""
    place: tuple[int, int] = (0, 0)
    hit: bool = True
    terms: Terms | None = None
    source: EvidenceSource = EvidenceSource.MEMORY
    document: EvidenceRef | None = None
    judged: float | None = None

    @property
    def ref(self) -> EvidenceRef:
        """The stored things that it stands for."""
        return self.document or EvidenceRef(memory_item_id=self.id or None, turn_id=self.turn_id)


class FoundTurn(NamedTuple):
    """A turn that is quoted: what was said, what recall scored it at, and how it was found.

    `hit` is the memory of it that was found, empty for a turn beside such a one. `run` tells of the
    tools that ran in it: who speaks, and the words.
    """

    spoken: SpokenTurn
    terms: Terms | None = None
    hit: str = ""
    mode: QueryMode | None = None
    signals: Signals = _NO_SIGNALS
    run: tuple[str, str] | None = None

    @property
    def score(self) -> float:
        """What recall scored it at; 0 for a turn that was not ranked."""
        return self.terms.score if self.terms else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemories:
    """What memory brings to a context: what stands alone, and turns with their lines to quote."""

    alone: Sequence[Candidate] = ()
    turns: Sequence[FoundTurn] = ()
    lines: Sequence[Candidate] = ()

    @property
    def candidates(self) -> list[Candidate]:
        """All of it; a line that says nothing is no candidate."""
        return [*self.alone, *(line for line in self.lines if not says_little(line.text))]


def find_memories(
    packet: MemoryPacket,
    spoken: Sequence[SpokenTurn],
    ranked: Sequence[Ranked],
    *,
    runs: Mapping[str, tuple[str, str]],
    blobs: Blobs,
) -> FoundMemories:
    """Return what a packet brings, its episodes as the turns they tell, with those around them.

    `spoken` are those turns, `ranked` is everything that recall found, and `runs` tell of the tools
    that ran in turns: who speaks, and the words.
    """
    groups = (FACTS, packet.facts), ("procedures", packet.procedures), ("insights", packet.insights)
    items = [item for _, some in (*groups, (EPISODES, packet.episodes)) for item in some]
    top = max((item.score or 0.0 for item in items), default=0.0) or 1.0
    scored = {one.row.id: one for one in ranked}
    episodes = {one.row.source_turn_id: one for one in ranked if one.row.type == EPISODES}
    hits = {item.source_turn_id: item for item in reversed(packet.episodes)}
    turns = []
    for turn in spoken:
        hit = hits.get(turn.turn_id)
        found = [episodes.get(turn.turn_id), scored.get(hit.id) if hit else None]
        best = max((one for one in found if one), key=lambda one: one.score, default=None)
        one = FoundTurn(turn, _terms_of(best) if best else None, run=runs.get(turn.turn_id))
        if hit:
            one = one._replace(hit=hit.id, mode=mode_of(hit.signals), signals=hit.signals)
        turns.append(one)
    lines = list(quoted_lines(turns, blobs))
    told = {line.turn_id for line in lines}
    alone = [_stand_alone(item, group, top, scored) for group, some in groups for item in some]
    for item in packet.episodes:
        turn_id = item.source_turn_id or ""
        if turn_id not in told:  # nobody said anything in it
            text = shown_text(scored[item.id].row, item.compression)
            speaker, text = runs.get(turn_id, (item.speaker, text))
            item = structs.replace(item, text=text, speaker=speaker)
            alone.append(_stand_alone(item, EPISODES, top, scored))
    return FoundMemories(alone=alone, turns=turns, lines=lines)


def resource_candidates(pack: EvidencePack | None) -> list[Candidate]:
    """Return what documents bring, each section once, in its order."""
    found = pack.evidences if pack else ()
    kept: dict[tuple[object, ...], Candidate] = {}
    top = max((_strength(piece.signals) for piece in found), default=0.0) or 1.0
    for rank, piece in enumerate(found):
        strength = _strength(piece.signals) / top or 1 / (rank + 1)
        chunk = piece.metadata.chunk_index
        section: tuple[object, ...] = (piece.document_id, piece.section_id, chunk)
        if piece.document_id is None and piece.section_id is None:
            section = (piece.source_uri, piece.id)
        kept.setdefault(section, _document_candidate(piece, strength))
    return list(kept.values())


def put_on_one_scale(
    memories: Sequence[Candidate], documents: Sequence[Candidate], words: Sequence[str]
) -> list[Candidate]:
    """Return memories and documents with scores that can be held against each other (R13).

    Each source's own score is taken against its best, and counts as much as a measure that is the
    same for both: what a reranker said that has read them together, or the share of the words of
    the message that a text holds. By that share nothing comes before what the reranker has read.
    """
    if not documents:
        return list(memories)
    best = max((memory.score for memory in memories), default=0.0) or 1.0
    wanted = [word.casefold() for word in words]
    judged = [each.judged for each in (*memories, *documents) if each.judged is not None]
    least = min(judged, default=1.0)

    def measure(candidate: Candidate) -> float:
        if candidate.judged is not None:
            return candidate.judged
        folded = candidate.text.casefold()
        return min(least, sum(word in folded for word in wanted) / len(wanted) if wanted else 0.5)

    scaled = [(memory, memory.score / best) for memory in memories]
    scaled += [(document, document.score) for document in documents]
    return [replace(each, score=round((score + measure(each)) / 2, 6)) for each, score in scaled]


def _terms_of(ranked: Ranked) -> Terms:
    """Return scores with as many digits as a trace keeps, so that a replay has the same ones."""
    signals = ranked.signals
    parts = (
        ranked.words,
        signals.vector_score or 0.0,
        signals.graph_score or 0.0,
        signals.weight_score or 0.0,
        signals.recency_score or 0.0,
        signals.coverage_score or 0.0,
    )
    return Terms(round(ranked.score, SCORE_DIGITS), *(round(one, TERM_DIGITS) for one in parts))


def _stand_alone(
    item: PacketItem, group: str, top: float, scored: Mapping[str, Ranked]
) -> Candidate:
    """Return a memory that stands by itself; a fact names its subject, so nobody says it."""
    found = item.score is not None
    text = item.text
    if group == FACTS:  # without the name of what has none, marked if it was before
        text = word_profile(item.type, text)
        text = text if item.status is Status.ACTIVE else f"{_BEFORE}{text}"
    return Candidate(
        id=item.id,
        group=group,
        title=item.type,
        source_uri=memory_uri(item.id, item.source_turn_id),
        text=text,
        score=round(item.score if item.score is not None else top * _RULE_SHARE, SCORE_DIGITS),
        signals=item.signals,
        mode=mode_of(item.signals) if found else None,
        turn_id=item.source_turn_id,
        at=item.at,
        day=day_of(item.at),
        speaker=_on_one_line(item.speaker) if item.speaker and group != FACTS else None,
        terms=_terms_of(scored[item.id]) if found and item.id in scored else None,
    )


def memory_uri(memory_id: str, turn_id: str | None) -> str:
    """Return the address of a memory: that of the turn which told it, if there is one."""
    return f"turn:{turn_id}" if turn_id else f"memory:{memory_id}"


def word_profile(kind: str, text: str) -> str:
    """Return the text of a memory without the name of an attribute that has none."""
    return text.replace(f"{OTHER}: ", "") if kind == _PROFILE else text


def quoted_lines(turns: Sequence[FoundTurn], blobs: Blobs) -> Iterator[Candidate]:
    """Yield what was said in turns, a line a message, scored by how near they are to a hit.

    Where the output of a tool was found, what came of its run in short is the last line. An answer
    is scored by its turn too: the less that has of the best turn's score, the less its answer says.
    """
    places: dict[str, list[tuple[int, float]]] = {}
    for one in turns:
        if one.hit:
            places.setdefault(one.spoken.session_id, []).append((one.spoken.seq, one.score))
    best = max((one.score for one in turns if one.hit), default=0.0)
    for one in turns:
        turn_id, session, seq, at, messages = one.spoken
        near, found = places.get(session, ()), bool(one.hit)
        beside = (score * _NEIGHBOUR_SHARE ** abs(place - seq) for place, score in near)
        score = max([one.score, *beside])
        answer = _REPLY_SHARE * score * min(1.0, score / best) if best else 0.0
        told = [
            (_on_one_line(name), read_pieces(pieces, blobs, found)) for name, pieces in messages
        ]
        if one.run:
            told.append(one.run)
        for ordinal, (speaker, text) in enumerate(told):
            if not text:
                continue
            is_answer = ordinal > 0 and speaker == _ASSISTANT
            yield Candidate(  # in the order of its fields: there are many, and names take long
                one.hit,
                EPISODES,
                _CHAT,
                f"turn:{turn_id}",
                text,
                answer if is_answer else score,
                one.signals,
                one.mode if found else QueryMode.RELATIONAL,
                turn_id,
                at,
                at.toordinal(),
                speaker,
                session,
                (seq, ordinal),
                found,
                one.terms,
            )


def day_of(at: datetime | None) -> int:
    """Return the day of a moment as a number; 0 if there is none."""
    return at.toordinal() if at else 0


@lru_cache(maxsize=256)  # few speak
def _on_one_line(speaker: str) -> str:
    """Return who speaks, as a name that cannot begin a line of its own."""
    return speaker if speaker.isprintable() else " ".join(speaker.split())


def read_pieces(pieces: Sequence[SpokenPiece | bytes], blobs: Blobs, deep: bool) -> str:
    """Return what was said; long texts in files are opened for what was found itself alone."""
    if len(pieces) == 1 and isinstance(pieces[0], bytes):  # as most are
        return pieces[0].decode("utf-8", "replace").strip()
    parts = []
    for piece in pieces[:_MAX_PIECES]:
        if isinstance(piece, bytes):
            parts.append(piece)
            continue
        chunk, offset, length = piece
        body = bytes_of(chunk, blobs) if deep or chunk.body is not None else None
        if body is not None:
            parts.append(body[offset : offset + length])
    return b"".join(parts).decode("utf-8", "replace").strip()


def _document_candidate(piece: Evidence, strength: float) -> Candidate:
    return Candidate(
        id=piece.id,
        group="resources",
        title=piece.title,
        source_uri=piece.source_uri,
        text=piece.snippet,
        score=strength,
        source=EvidenceSource.RESOURCE,
        signals=piece.signals,
        mode=piece.provenance.mode if piece.provenance else QueryMode.HYBRID,
        document=EvidenceRef(
            document_id=piece.document_id,
            section_id=piece.section_id,
            chunk_index=piece.metadata.chunk_index,
        ),
    )


def _strength(signals: Signals) -> float:
    """Return the last word of a backend on a piece of evidence."""
    last = (signals.rerank_score, signals.rrf_score, signals.vector_score)
    scores = (*last, signals.fts_score, signals.graph_score)
    return max(0.0, next((score for score in scores if score is not None), 0.0))


def mode_of(signals: Signals) -> QueryMode:
    """Return how a memory was found."""
    if signals.fts_score:
        return QueryMode.HYBRID if signals.vector_score else QueryMode.EXACT
    if signals.vector_score:
        return QueryMode.SEMANTIC
    return QueryMode.RELATIONAL if signals.graph_score else QueryMode.ASSOCIATIVE


def order_by_worth(candidates: Iterable[Candidate], core: Collection[str]) -> list[Candidate]:
    """Return candidates by their worth for their cost, first the best on their core (R17)."""
    order = sorted(candidates, key=_worth)
    names = [name.casefold() for name in core]
    for place, each in enumerate(order if names else ()):
        if each.hit and any(name in each.text.casefold() for name in names):
            return [each, *order[:place], *order[place + 1 :]]
    return order


_DENSITY: Final = 0.4  # how much a line's cost weighs against its score
_MIN_COST: Final = 80  # characters that the shortest line takes, with what stands around it
_MAX_COST: Final = 300  # characters that are enough for a quote
_COSTS: Final = tuple(max(_MIN_COST, length) ** _DENSITY for length in range(_MAX_COST + 1))
"""What a line of so many characters weighs against its score; a longer one weighs no more."""


def _worth(candidate: Candidate) -> tuple[float, str, tuple[int, int], str]:
    """Return what candidates are ordered by; the best is the least."""
    cost = _COSTS[min(len(candidate.text), _MAX_COST)]
    return -candidate.score / cost, candidate.source_uri, candidate.place, candidate.id
