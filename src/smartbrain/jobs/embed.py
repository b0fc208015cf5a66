"""Making vectors: memories that have none yet are embedded, some at a time (R3, R4).

In: the embedders and the truth. Out: vectors in the truth, which the views follow. What lacks a
vector is the queue, so nothing is lost by a crash or a failing service: the next run goes on. What
an embedder does not serve is noted once as an empty vector in a space of its own beside, one for
each choice of languages, so that the queue is found without reading texts.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.status import EmbedFailure, EmbedReport
from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.recall.views.words import said_in, words_of

if TYPE_CHECKING:
    from smartbrain.domain.indexed import Embedding
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.embedder import Embedder, Embedders
    from smartbrain.ports.truth import Transaction

_BATCH: Final = 64
_MOST_REFUSED: Final = 5  # texts a run; an embedder that takes no more has failed
_PAGE: Final = 256
_LONGEST: Final = 4_000  # characters of what was said; models read no further
_MOST_DIMENSIONS: Final = 65_536


@dataclass(slots=True)
class _Batch:
    """Texts by the number of their memory, and where to go on; None at the end."""

    dimensions: int | None
    after: int | None = None
    texts: dict[int, str] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)


def embed_all(
    embedders: Embedders, *, ports: Ports, stopped: Callable[[], bool] = lambda: False
) -> EmbedReport:
    """Embed until nothing waits, every embedder has failed, or it is told to stop."""
    report = EmbedReport()
    for embedder in embedders.embedders:
        space = embedding_of(embedder, ports=ports)
        count, failure = _embed_one(embedder, embedders, ports=ports, stopped=stopped)
        if space not in (None, embedding_of(embedder, ports=ports)):
            # Its vectors have turned out to be of another size, so that all are to be made anew.
            more, failure = _embed_one(embedder, embedders, ports=ports, stopped=stopped)
            count += more
        left = waiting(embedder, embedders, ports=ports)
        if not left:
            _drop_replaced(embedder, embedders, ports=ports)
        report = replace(report, embedded=report.embedded + count, waiting=report.waiting + left)
        if failure is not None:
            reason = f"{failure.embedder}: {failure.reason}"
            failures = (*report.failures, failure)
            report = replace(report, code=failure.code, reason=reason, failures=failures)
    if report.waiting and report.code == "ok":
        report = replace(report, code="stopped", reason="the rest waits for the next run")
    return report


def waiting(embedder: Embedder, embedders: Embedders, *, ports: Ports) -> int:
    """Return how many vectors one of the embedders has still to make; no text is read for it.

    It counts what no run has come to yet, with the texts that will turn out not to be served.
    """
    with ports.truth.read() as rows:
        return rows.vectors.count_lacking(_done(embedder, embedders, rows))


def is_waited_for(embedder: Embedder, embedders: Embedders, *, ports: Ports) -> bool:
    """Tell whether an embedder has still something to make, without counting how much."""
    with ports.truth.read() as rows:
        return bool(rows.vectors.lacking(_done(embedder, embedders, rows), limit=1))


def embedding_of(embedder: Embedder, *, ports: Ports) -> Embedding | None:
    """Return an embedder's space if it has made a vector here before."""
    with ports.truth.read() as rows:
        return _space(embedder, rows)


def _space(embedder: Embedder, rows: Transaction) -> Embedding | None:
    known = [
        one
        for one in rows.vectors.embeddings()
        if (one.name, one.model) == (embedder.name, embedder.model)
        and embedder.dimensions in (None, one.dimensions)
    ]
    return known[-1] if known else None


def _done(embedder: Embedder, embedders: Embedders, rows: Transaction) -> list[int]:
    """Return the spaces in which memories are that an embedder is done with."""
    space, skipped = _space(embedder, rows), (embedder.name, _skipped_as(embedder, embedders))
    beside = [one.num for one in rows.vectors.embeddings() if (one.name, one.model) == skipped]
    return beside if space is None else [space.num, *beside]


def _skipped_as(embedder: Embedder, embedders: Embedders) -> str:
    """Return what the space is called that holds no vectors but what an embedder passes by.

    Used for other languages it passes by other texts, so these are part of the name.
    """
    languages = ", ".join(sorted(embedders.languages_of(embedder))) or "all languages"
    return f"{embedder.model} (skipped; serves {languages})"


def _embed_one(
    embedder: Embedder, embedders: Embedders, *, ports: Ports, stopped: Callable[[], bool]
) -> tuple[int, EmbedFailure | None]:
    """Have one embedder do its work; return how many it did, and what it failed with, if it did.

    Where waiting does not help, the texts of a failed batch are tried one by one: a few that it
    cannot take are passed by until the next run, and hold up nobody.
    """
    count, after, size, refused = 0, 0, _BATCH, 0
    failure: EmbedFailure | None = None
    while not stopped():
        batch = _next(embedder, embedders, ports=ports, after=after, most=size)
        try:
            vectors = _vectors(embedder, list(batch.texts.values()), batch.dimensions)
        except SmartBrainError as error:
            failure = failure or EmbedFailure(
                embedder=embedder.name, model=embedder.model, code=error.code, reason=error.message
            )
            if isinstance(error, AdapterError) and error.retryable:
                break
            if size > 1:
                size = 1
                continue
            refused += 1
            if refused > _MOST_REFUSED:
                break
        else:
            count += _store(embedder, embedders, batch, vectors, ports=ports)
        if batch.after is None:
            break
        after = batch.after
    return count, failure


def _next(
    embedder: Embedder, embedders: Embedders, *, ports: Ports, after: int, most: int
) -> _Batch:
    """Return the next texts that an embedder is to embed, and those among them that it is not to.

    A text without words, or in a language that the embedder does not serve, gets no vector.
    """
    with ports.truth.read() as rows:
        space = _space(embedder, rows)
        batch = _Batch(None if space is None else space.dimensions)
        nums = rows.vectors.lacking(_done(embedder, embedders, rows), after=after, limit=_PAGE)
        for num, text in _texts(nums, rows, ports=ports).items():
            served = bool(text.strip()) and embedder in embedders.for_text(text)
            (batch.texts if served else batch.skipped)[num] = text
            if len(batch.texts) == most:
                batch.after = num
                return batch
        batch.after = nums[-1] if len(nums) == _PAGE else None
    return batch


def _vectors(
    embedder: Embedder, texts: Sequence[str], dimensions: int | None
) -> list[array[float]]:
    """Return what an embedder makes of texts, if these are vectors."""
    if not texts:
        return []
    given = embedder.embed_passages(texts)
    try:
        vectors = [array("f", one) for one in given]
    except (TypeError, ValueError, OverflowError) as error:
        raise AdapterError(f"it gave something that is no vector ({error})") from error
    if len(vectors) != len(texts):
        raise AdapterError(f"it gave {len(vectors)} vectors for {len(texts)} texts")
    wanted = embedder.dimensions or dimensions or len(vectors[0])
    for vector in vectors:
        if len(vector) != wanted:
            raise AdapterError(f"it gave a vector of {len(vector)} numbers instead of {wanted}")
        if not all(map(isfinite, vector)):
            raise AdapterError("it gave a vector with a part that is not a finite number")
        if not any(vector):
            raise AdapterError("it gave a vector of zeros")
    if wanted > _MOST_DIMENSIONS:
        raise AdapterError(f"it gave vectors of more than {_MOST_DIMENSIONS} numbers")
    return vectors


def _store(
    embedder: Embedder,
    embedders: Embedders,
    batch: _Batch,
    vectors: Sequence[array[float]],
    *,
    ports: Ports,
) -> int:
    """Keep what was made of a batch, and what was passed by; return how many vectors there were.

    A text that was changed meanwhile is left to the next run.
    """
    if not batch.texts and not batch.skipped:
        return 0
    with ports.truth.write() as transaction:
        now = _texts([*batch.texts, *batch.skipped], transaction, ports=ports)
        fitting = {
            num: vector.tobytes()
            for (num, text), vector in zip(batch.texts.items(), vectors, strict=True)
            if now.get(num) == text
        }
        skipped = {num: b"" for num, text in batch.skipped.items() if now.get(num) == text}
        aside = _skipped_as(embedder, embedders)
        kept = transaction.vectors
        if fitting:
            size = len(vectors[0])
            space = kept.open(embedder.name, embedder.model, size, ports.clock())
            kept.put(space.num, fitting)
        if skipped:
            kept.put(kept.open(embedder.name, aside, 1, ports.clock()).num, skipped)
    return len(fitting)


def _drop_replaced(embedder: Embedder, embedders: Embedders, *, ports: Ports) -> None:
    """Delete what an earlier model of an embedder made, now that the present one has made all."""
    with ports.truth.read() as rows:
        used = {num for one in embedders.embedders for num in _done(one, embedders, rows)}
        old = [
            one.num
            for one in rows.vectors.embeddings()
            if one.name == embedder.name and one.num not in used
        ]
    if old:
        with ports.truth.write() as transaction:
            for num in old:
                transaction.vectors.drop(num)


def _texts(nums: Sequence[int], rows: Transaction, *, ports: Ports) -> dict[int, str]:
    """Return the words of memories that are embedded: of an episode all that was said."""
    found = rows.followed.memories(nums)
    spoken = rows.followed.spoken([row.num for row in found if row.cut])
    said = {num: said_in(pieces, ports.blobs)[:_LONGEST] for num, pieces in spoken.items()}
    return {row.num: said.get(row.num) or words_of(row, ports.types) for row in found}
