"""Making vectors: memories that have none yet are embedded, some at a time (R3, R4).

In: the embedders and the truth. Out: vectors in the truth, which the views follow. What lacks a
vector is the queue, so nothing is lost by a crash or a failing service: the next run goes on.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.change import ChangeKind
from smartbrain.domain.chunk_text import searchable
from smartbrain.domain.record import Record
from smartbrain.errors import AdapterError

if TYPE_CHECKING:
    from smartbrain.domain.indexed import Embedding, IndexedMemory
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.embedder import Embedder, Embedders

_BATCH: Final = 64
_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EmbedReport(Record):
    """What became of the queue: how many were embedded, how many still wait, and why."""

    embedded: int = 0
    waiting: int = 0
    code: str = "ok"
    reason: str = "nothing waits"


def embed_all(
    embedders: Embedders, *, ports: Ports, stopped: Callable[[], bool] = lambda: False
) -> EmbedReport:
    """Embed until nothing waits, every embedder has failed, or it is told to stop.

    Raises:
        AdapterError: the storage failed.
    """
    report = EmbedReport()
    for embedder in embedders.embedders:
        after: int | None = 0
        try:
            while after is not None and not stopped():
                count, after = _embed_some(embedder, embedders, ports=ports, after=after)
                report = replace(report, embedded=report.embedded + count)
        except AdapterError as error:
            report = replace(report, code=error.code, reason=f"{embedder.name}: {error.message}")
        left = _waiting(embedder, embedders, ports=ports)
        if not left:
            _drop_replaced(embedder, ports=ports)
        report = replace(report, waiting=report.waiting + left)
    if report.waiting and report.code == "ok":
        report = replace(report, code="stopped", reason="the rest waits for the next run")
    return report


def waiting(embedders: Embedders, *, ports: Ports) -> int:
    """Return how many vectors are still to be made.

    Raises:
        AdapterError: the storage failed.
    """
    return sum(_waiting(one, embedders, ports=ports) for one in embedders.embedders)


def embedding_of(embedder: Embedder, *, ports: Ports) -> Embedding | None:
    """Return an embedder's space if it has made a vector here before.

    Raises:
        AdapterError: the storage failed.
    """
    with ports.truth.read() as rows:
        known = [
            one
            for one in rows.vectors.embeddings()
            if (one.name, one.model) == (embedder.name, embedder.model)
            and embedder.dimensions in (None, one.dimensions)
        ]
    return known[-1] if known else None


def _waiting(embedder: Embedder, embedders: Embedders, *, ports: Ports) -> int:
    """Return how many vectors one embedder has still to make."""
    total = 0
    after: int | None = 0
    while after is not None:
        texts, after = _lacking(embedder, embedders, ports=ports, after=after, most=_PAGE)
        total += len(texts)
    return total


def _embed_some(
    embedder: Embedder, embedders: Embedders, *, ports: Ports, after: int
) -> tuple[int, int | None]:
    """Embed the next memories that lack a vector; return how many, and where to go on."""
    texts, place = _lacking(embedder, embedders, ports=ports, after=after, most=_BATCH)
    fitting: dict[int, bytes] = {}
    if texts:
        vectors = embedder.embed_passages(list(texts.values()))
        stored = [array("f", vector).tobytes() for vector in vectors]
        with ports.truth.write() as transaction:
            space = transaction.vectors.open(
                embedder.name, embedder.model, len(vectors[0]), ports.clock()
            )
            # A text that was changed while it was embedded is embedded again by the next run.
            now = {row.num: row for row in transaction.followed.memories(list(texts))}
            fitting = {
                num: vector
                for (num, text), vector in zip(texts.items(), stored, strict=True)
                if num in now and text == _text(now[num], ports=ports)
            }
            transaction.vectors.put(space.num, fitting)
    return len(fitting), place


def _lacking(
    embedder: Embedder, embedders: Embedders, *, ports: Ports, after: int, most: int
) -> tuple[dict[int, str], int | None]:
    """Return up to `most` texts that an embedder is to embed, and where to go on; None at the end.

    A text without words, or in a language that the embedder does not serve, gets no vector.
    """
    known = embedding_of(embedder, ports=ports)
    texts: dict[int, str] = {}
    with ports.truth.read() as rows:
        if known is None:
            nums = rows.followed.nums(ChangeKind.MEMORY, after=after, limit=_PAGE)
        else:
            nums = rows.vectors.lacking(known.num, after=after, limit=_PAGE)
        for row in rows.followed.memories(nums):
            text = _text(row, ports=ports)
            if text.strip() and embedder in embedders.for_text(text):
                texts[row.num] = text
                if len(texts) == most:
                    return texts, row.num
    return texts, nums[-1] if len(nums) == _PAGE else None


def _drop_replaced(embedder: Embedder, *, ports: Ports) -> None:
    """Delete what an earlier model of an embedder made, now that the present one has made all."""
    present = embedding_of(embedder, ports=ports)
    if present is None:
        return
    with ports.truth.read() as rows:
        old = [
            one.num
            for one in rows.vectors.embeddings()
            if one.name == embedder.name and one.num != present.num
        ]
    if old:
        with ports.truth.write() as transaction:
            for num in old:
                transaction.vectors.drop(num)


def _text(memory: IndexedMemory, *, ports: Ports) -> str:
    """Return the words of a memory that are embedded."""
    known = memory.type in ports.types
    return searchable(memory, ports.types.get(memory.type) if known else None)
