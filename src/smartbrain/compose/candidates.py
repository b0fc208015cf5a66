"""What may become evidence: memories of a packet, the turns around them, documents (R13, R17).

In: a packet, spoken turns, an evidence pack. Out: candidates on one scale of scores, each named by
what it stands for, so that nothing is taken twice. Nothing is chosen here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from smartbrain.domain.claim import OTHER
from smartbrain.domain.context import EvidenceRef, EvidenceSource
from smartbrain.domain.evidence import Signals
from smartbrain.domain.memory import Status
from smartbrain.domain.plan import QueryMode
from smartbrain.recall.ages import shown_text
from smartbrain.recall.views.documents import bytes_of
from smartbrain.text.query import says_little

if TYPE_CHECKING:
    from smartbrain.domain.artifact import Artifact
    from smartbrain.domain.evidence import Evidence, EvidencePack
    from smartbrain.domain.indexed import SpokenPiece, SpokenTurn
    from smartbrain.domain.packet import MemoryPacket, PacketItem
    from smartbrain.domain.recalled import Ranked
    from smartbrain.ports.blobs import Blobs

GROUPS: Final = ("facts", "procedures", "episodes", "insights", "resources")
"""The groups of evidence in the order they are shown."""
_CHAT: Final = "chat"
_FACTS: Final = "facts"
_PROFILE: Final = "profile"
_BEFORE: Final = "before: "
_EPISODES: Final = "episodes"
_DECAY: Final = 0.3  # of a hit's score goes to the turn beside it, and again to the next one
_REPLY: Final = 0.6  # of the best turn's score goes to what the assistant says in it
_BY_RULE: Final = 0.05  # of the best score, for what enters by rule
_ASSISTANT: Final = "assistant"
_PIECES: Final = 6  # of a very long message that are read
_UNSEEN: Final = Signals()


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
    `hit` says that it was found itself and does not only stand beside what was found, `answers`
    that it is what the assistant answers in its turn. `scored` is what recall says of it, or of its
    turn: `terms` of it are put together when somebody looks.
    `judged` is what a reranker said of it, from 0 to 1, that has read both sources together.
    """

    id: str
    group: str
    title: str
    source_uri: str
    text: str
    score: float
    signals: Signals = Signals()
    mode: QueryMode | None = None
    turn_id: str | None = None
    at: datetime | None = None
    day: int = 0
    speaker: str | None = None
    session: str = ""
    place: tuple[int, int] = (0, 0)
    hit: bool = True
    answers: bool = False
    scored: Ranked | Terms | None = None
    source: EvidenceSource = EvidenceSource.MEMORY
    document: EvidenceRef | None = None
    judged: float | None = None

    @property
    def ref(self) -> EvidenceRef:
        """The stored things that it stands for."""
        return self.document or EvidenceRef(memory_item_id=self.id or None, turn_id=self.turn_id)

    @property
    def terms(self) -> Terms | None:
        """What recall scored it at."""
        scored = self.scored
        return scored if scored is None or isinstance(scored, Terms) else _terms(scored)


def memory_candidates(
    packet: MemoryPacket,
    spoken: Sequence[SpokenTurn],
    found: Sequence[Ranked],
    *,
    runs: Mapping[str, Artifact],
    blobs: Blobs,
) -> list[Candidate]:
    """Return what a packet brings, its episodes as the turns they tell, with those around them.

    Args:
        packet: what memory contributes.
        spoken: the turns of its episodes and those beside them.
        found: everything that recall found, best first.
        runs: the runs of tools whose output was found, by their turns.
        blobs: where long texts are.
    """
    items = (*packet.facts, *packet.procedures, *packet.insights, *packet.episodes)
    top = max((one.score or 0.0 for one in items), default=0.0) or 1.0
    scored = _scored(found)
    alone = [
        _alone(item, group, top, scored)
        for group, some in (
            ("facts", packet.facts),
            ("procedures", packet.procedures),
            ("insights", packet.insights),
        )
        for item in some
    ]
    hits = {one.source_turn_id: one for one in reversed(packet.episodes) if one.source_turn_id}
    lines = list(_lines(spoken, hits, scored, runs, blobs))
    read = {line.turn_id for line in lines}
    for one in packet.episodes:
        if one.source_turn_id not in read:  # nobody said anything in it
            run = runs.get(one.source_turn_id or "")
            if run:
                told = structs.replace(one, text=run.summary, speaker=_ran(run))
            else:
                told = structs.replace(one, text=shown_text(scored[one.id].row, one.compression))
            alone.append(_alone(told, _EPISODES, top, scored))
    return [*alone, *(line for line in lines if not says_little(line.text))]


def resource_candidates(pack: EvidencePack) -> list[Candidate]:
    """Return what documents bring, each section once, in its order."""
    kept: dict[tuple[object, ...], Candidate] = {}
    top = max((_strength(one.signals) for one in pack.evidences), default=0.0) or 1.0
    for rank, one in enumerate(pack.evidences):
        strength = _strength(one.signals) / top or 1 / (rank + 1)
        kept.setdefault(_section(one), _of_document(one, strength))
    return list(kept.values())


def on_one_scale(
    memories: Sequence[Candidate], documents: Sequence[Candidate], words: Sequence[str]
) -> list[Candidate]:
    """Return memories and documents with scores that can be held against each other (R13).

    Each source's own score is taken against its best, and counts as much as a measure that is the
    same for both: what a reranker said that has read them together, or the share of the words of
    the message that a text holds. By that share nothing comes before what the reranker has read.
    """
    if not documents:
        return list(memories)
    best = max((one.score for one in memories), default=0.0) or 1.0
    wanted = [word.casefold() for word in words]

    def covered(text: str) -> float:
        folded = text.casefold()
        return sum(word in folded for word in wanted) / len(wanted) if wanted else 0.5

    read = (one.judged for one in (*memories, *documents))
    least = min((number for number in read if number is not None), default=1.0)

    def measured(one: Candidate) -> float:
        return min(least, covered(one.text)) if one.judged is None else one.judged

    scaled = [(one, one.score / best) for one in memories]
    scaled += [(one, one.score) for one in documents]
    return [replace(one, score=round((score + measured(one)) / 2, 6)) for one, score in scaled]


def _scored(found: Sequence[Ranked]) -> dict[str, Ranked]:
    """Return what recall says of memories, and of turns by their episodes, by their ids."""
    scored: dict[str, Ranked] = {}
    for one in found:
        row = one.row
        scored[row.id] = one
        if row.type == _EPISODES and row.source_turn_id:
            scored.setdefault(row.source_turn_id, one)
    return scored


def _terms(one: Ranked) -> Terms:
    made = one.signals
    return Terms(
        one.score,
        one.words,
        made.vector_score or 0.0,
        made.graph_score or 0.0,
        made.weight_score or 0.0,
        made.recency_score or 0.0,
        made.coverage_score or 0.0,
    )


def line_score(
    place: int, own: float, hits: Iterable[tuple[int, float]], *, best: float | None = None
) -> float:
    """Return what a line scores: by its turn's own score, or by how near that is to a hit.

    An answer is given the `best` score of all turns: the less its turn has of it, the less it says.
    """
    score = own
    for seq, found in hits:
        beside = found * _DECAY ** abs(seq - place)
        if beside > score:
            score = beside
    return score if best is None else answer_score(score, best)


def answer_score(score: float, best: float) -> float:
    """Return what an answer scores in a turn of that score; the best turn is `best`."""
    return _REPLY * score * min(1.0, score / best) if best else 0.0


def is_answer(ordinal: int, speaker: str | None) -> bool:
    """Tell whether a line of a turn is what the assistant answers in it."""
    return ordinal > 0 and speaker == _ASSISTANT


def _alone(item: PacketItem, group: str, top: float, scored: Mapping[str, Ranked]) -> Candidate:
    """Return what stands by itself; a fact names its subject, so nobody says it."""
    score = item.score if item.score is not None else top * _BY_RULE
    speaker = item.speaker if group != _FACTS else None
    return Candidate(
        id=item.id,
        group=group,
        title=item.type,
        source_uri=f"turn:{item.source_turn_id}" if item.source_turn_id else f"memory:{item.id}",
        text=_worded(item) if group == _FACTS else item.text,
        score=score,
        signals=item.signals,
        mode=_mode(item.signals) if item.score is not None else None,
        turn_id=item.source_turn_id,
        at=item.at,
        day=day_of(item.at),
        speaker=speaker and _on_one_line(speaker),
        scored=scored.get(item.id) if item.score is not None else None,
    )


def _worded(item: PacketItem) -> str:
    """Return a fact as it is shown: without the name of what has none, marked if it was before."""
    text = item.text.replace(f"{OTHER}: ", "") if item.type == _PROFILE else item.text
    return text if item.status is Status.ACTIVE else f"{_BEFORE}{text}"


def _lines(
    spoken: Sequence[SpokenTurn],
    hits: Mapping[str, PacketItem],
    scored: Mapping[str, Ranked],
    runs: Mapping[str, Artifact],
    blobs: Blobs,
) -> Iterator[Candidate]:
    """Yield what was said in turns, a line a message, scored by how near they are to a hit.

    Where the output of a tool was found, what came of its run in short is the last line.
    """
    places: dict[str, list[tuple[int, float]]] = {}
    for turn_id, session, seq, _, _ in spoken:
        if hit := hits.get(turn_id):
            places.setdefault(session, []).append((seq, hit.score or 0.0))
    best = max((one.score or 0.0 for one in hits.values()), default=0.0)
    for turn_id, session, seq, at, messages in spoken:
        hit = hits.get(turn_id)
        own = scored.get(turn_id)
        signals = hit.signals if hit else _UNSEEN
        uri = f"turn:{turn_id}"
        mode = _mode(signals) if hit else QueryMode.RELATIONAL
        near = places.get(session, ())
        score = line_score(seq, own.score if own else 0.0, near)
        found = hit is not None
        subject, day = hit.id if hit else "", at.toordinal()
        told = [
            (_on_one_line(speaker), line_text(pieces, blobs, found)) for speaker, pieces in messages
        ]
        if run := runs.get(turn_id):
            told.append((_ran(run), run.summary))
        for ordinal, (speaker, text) in enumerate(told):
            if not text:
                continue
            answers = is_answer(ordinal, speaker)
            yield Candidate(  # in the order of its fields: there are many, and names take long
                subject,
                _EPISODES,
                _CHAT,
                uri,
                text,
                answer_score(score, best) if answers else score,
                signals,
                mode,
                turn_id,
                at,
                day,
                speaker,
                session,
                (seq, ordinal),
                found,
                answers,
                own,
            )


def day_of(at: datetime | None) -> int:
    """Return the day of a moment as a number; 0 if there is none."""
    return at.toordinal() if at else 0


@lru_cache(maxsize=256)  # few speak
def _on_one_line(speaker: str) -> str:
    """Return who speaks, as a name that cannot begin a line of its own."""
    return speaker if speaker.isprintable() else " ".join(speaker.split())


def _ran(run: Artifact) -> str:
    """Return who speaks where a tool has printed something: a cut never takes the id away."""
    return f"tool (artifact {run.id})"


def line_text(pieces: Sequence[SpokenPiece | bytes], blobs: Blobs, deep: bool) -> str:
    """Return what was said; long texts in files are opened for what was found itself alone."""
    if len(pieces) == 1 and isinstance(pieces[0], bytes):  # as most are
        return pieces[0].decode("utf-8", "replace").strip()
    parts = []
    for piece in pieces[:_PIECES]:
        if isinstance(piece, bytes):
            parts.append(piece)
            continue
        chunk, offset, length = piece
        body = bytes_of(chunk, blobs) if deep or chunk.body is not None else None
        if body is not None:
            parts.append(body[offset : offset + length])
    return b"".join(parts).decode("utf-8", "replace").strip()


def _of_document(one: Evidence, strength: float) -> Candidate:
    meta = one.metadata
    return Candidate(
        id=one.id,
        group="resources",
        title=one.title,
        source_uri=one.source_uri,
        text=one.snippet,
        score=strength,
        source=EvidenceSource.RESOURCE,
        signals=one.signals,
        mode=one.provenance.mode if one.provenance else QueryMode.HYBRID,
        document=EvidenceRef(
            document_id=one.document_id, section_id=one.section_id, chunk_index=meta.chunk_index
        ),
    )


def _section(one: Evidence) -> tuple[object, ...]:
    """Return what tells whether two pieces of documents are the same."""
    if one.document_id is None and one.section_id is None:
        return (one.source_uri, one.id)
    return (one.document_id, one.section_id, one.metadata.chunk_index)


def _strength(signals: Signals) -> float:
    """Return the last word of a backend on a piece of evidence."""
    for score in (
        signals.rerank_score,
        signals.rrf_score,
        signals.vector_score,
        signals.fts_score,
        signals.graph_score,
    ):
        if score is not None:
            return max(0.0, score)
    return 0.0


def _mode(signals: Signals) -> QueryMode:
    """Return how a memory was found."""
    if signals.fts_score and signals.vector_score:
        return QueryMode.HYBRID
    if signals.fts_score:
        return QueryMode.EXACT
    if signals.vector_score:
        return QueryMode.SEMANTIC
    return QueryMode.RELATIONAL if signals.graph_score else QueryMode.ASSOCIATIVE
