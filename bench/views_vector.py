"""Vector search: recall on real embeddings, and speed against faiss and numpy on made-up ones.

Real: the evaluation sets, embedded one text at a time by the small models, kept in a file of the
temporary folder. Made up: 10^5 vectors, 10^6 in full, around centres of very different size, in a
space of few dimensions with noise in all of them. Every peer is timed in turns with ours.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from bench.measure import Times, timed
from bench.report import Result, Setting
from smartbrain.adapters.faiss.approximate import (
    FaissVectors,
    Kind,
    Sizes,
    coded,
    one_thread,
    wanted,
)
from smartbrain.adapters.models.onnx import OnnxEmbedder
from smartbrain.domain.search import Facets, IndexFilter

Floats = npt.NDArray[np.float32]

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = Path(os.environ.get("SMARTBRAIN_DATA", SHARED / "data"))
MODELS = Path(os.environ.get("SMARTBRAIN_MODELS", SHARED / "models"))
ENGLISH, CHINESE = "bge-small-en-v1.5-q", "bge-small-zh-v1.5-q"
SETS = (("locomo", ENGLISH), ("cmrc2018_dev_zh", CHINESE))
ALL_SETS = (*SETS, ("longmemeval_turns", ENGLISH), ("scifact_beir_test", ENGLISH))
QUERIES = 300
K = 10
MANY = 200
DIMENSIONS = 384
RECALL = 0.98
OF_FAISS = 2.0
OF_NUMPY = 20.0
NEWCOMERS = 200
EVERY_TENTH = IndexFilter(types=("preference",))


def run(setting: Setting) -> Iterator[Result]:
    """Measure recall on real embeddings, then speed at size."""
    yield from real(setting)
    yield from made_up(setting)


def real(setting: Setting) -> Iterator[Result]:
    """Compare every kind with an exact search on the evaluation sets, at their size."""
    for name, model in ALL_SETS if setting.full else SETS:
        if not (DATA / name).is_dir() or not (MODELS / model).is_dir():
            yield Result(f"vector recall, {name}", "not here", "set SMARTBRAIN_DATA and _MODELS")
            continue
        corpus, queries = _embedded(name, model)
        for kind in ("auto", "ivf_sq8"):
            index = _index(corpus, kind, Sizes(least=256))
            yield _recall(f"vector recall@{K}, {name}, {kind}", index, corpus, queries)


def made_up(setting: Setting) -> Iterator[Result]:
    """Measure size, speed and recall on vectors around centres, at each size."""
    for count in (1_000_000,) if setting.full else (10_000, 100_000):
        yield from _made_up(count, setting)


def _made_up(count: int, setting: Setting) -> Iterator[Result]:
    everything = clustered(count + 1_000 + NEWCOMERS)
    vectors, rest = everything[:count], everything[count:]
    queries, newcomers = rest[:1_000], rest[1_000:]
    for kind in ("auto",) if setting.full else ("auto", "ivf_sq8"):
        started = perf_counter()
        index = _index(vectors, kind)
        label = f"{count:,}, {kind} ({index.stats().kind})"
        built = perf_counter() - started
        yield _recall(f"vector recall@{K}, made up, {label}", index, vectors, queries[:QUERIES])
        yield _recall(f"vector recall@{MANY}, made up, {label}", index, vectors, queries[:50], MANY)
        yield _against_faiss(label, index, queries, setting.pick(1_000, 4_000))
        yield _against_numpy(label, index, vectors, queries, setting.pick(60, 25))
        yield _filtered(label, index, vectors, queries[:QUERIES])
        yield _sizes(label, index, built, setting.folder)
        yield _changes(label, index, newcomers)


def clustered(count: int, seed: int = 1, centres: int = 1_000, inner: int = 48) -> Floats:
    """Return unit vectors around centres in `inner` dimensions, turned into all of them."""
    random = np.random.default_rng(seed)
    middle = random.standard_normal((centres, inner), dtype=np.float32)
    turn = random.standard_normal((inner, DIMENSIONS), dtype=np.float32) / np.sqrt(inner)
    share = 1 / np.sqrt(np.arange(1, centres + 1))
    vectors = np.empty((count, DIMENSIONS), dtype=np.float32)
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        near = middle[random.choice(centres, size, p=share / share.sum())]
        near = near + 0.6 * random.standard_normal(near.shape, dtype=np.float32)
        noise = random.standard_normal((size, DIMENSIONS), dtype=np.float32)
        rows = near @ turn + 0.15 * noise
        vectors[start : start + size] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return vectors


def _index(vectors: Floats, kind: Kind, sizes: Sizes | None = None) -> FaissVectors:
    """Return a trained index of the vectors; every tenth is a preference."""
    index = FaissVectors(vectors.shape[1], kind=kind, sizes=sizes)
    kinds = [Facets(type="preference"), *[Facets(type="fact", status="active")] * 9]
    for start in range(0, len(vectors), 20_000):
        nums = range(start, min(len(vectors), start + 20_000))
        index.upsert(nums, vectors[nums], [kinds[num % 10] for num in nums])
    training = index.needs_training()
    if training is not None:
        index.swap(training.run())
    return index


def _truth(vectors: Floats, queries: Floats, k: int) -> list[set[int]]:
    """Return the true nearest of each query."""
    found = faiss.knn(queries, vectors, k, metric=faiss.METRIC_INNER_PRODUCT)[1]
    return [set(row.tolist()) for row in found]


def _recall(name: str, index: FaissVectors, vectors: Floats, queries: Floats, k: int = K) -> Result:
    """Compare what is found with what is nearest."""
    truth = _truth(vectors, queries, k)
    found = [{hit.num for hit in index.search(query, k=k)} for query in queries]
    share = float(np.mean([len(a & b) / k for a, b in zip(truth, found, strict=True)]))
    return Result(
        name=name,
        measured=f"{share:.4f}",
        against=f"exact search in {len(vectors):,}, {len(queries)} queries",
        limit=f"≥ {RECALL}",
        passed=share >= RECALL,
        numbers={"recall": share},
    )


def _against_faiss(label: str, index: FaissVectors, queries: Floats, rounds: int) -> Result:
    """Time ours and the bare library in turns, on the same codes with the same effort."""
    ours, peer = _each(queries, lambda one: index.search(one, k=K)), _bare(index, queries)
    with one_thread():
        times = timed({"ours": ours, "faiss": peer}, rounds=rounds, warmup=20)
    ratio = times["ours"].p99 / times["faiss"].p99
    return Result(
        name=f"vector search, {label}",
        measured=str(times["ours"]),
        against=f"faiss called directly {times['faiss']}",
        ratio=f"p99 {ratio:.2f}, p50 {times['ours'].p50 / times['faiss'].p50:.2f}",
        limit=f"p99 ≤ {OF_FAISS}",
        passed=ratio <= OF_FAISS,
        numbers=_numbers(times) | {"ratio_p99": ratio},
    )


def _bare(index: FaissVectors, queries: Floats) -> Callable[[], object]:
    """Return a direct call of faiss that does what ours does before it scores in full."""
    state = index._state
    if state.trained is None:
        assert state.codes is not None
        flat = faiss.IndexBinaryFlat(8 * -(-DIMENSIONS // 8))
        flat.add(state.codes.first(state.count))
        count = wanted(K, DIMENSIONS)
        return _each(coded(queries), lambda one: flat.search(one[None], count))
    bare: Any = state.trained
    effort = faiss.SearchParametersIVF(nprobe=bare.probes(K, 1.0))
    return _each(queries, lambda one: bare._index.search(one[None], K, params=effort))


def _against_numpy(
    label: str, index: FaissVectors, vectors: Floats, queries: Floats, rounds: int
) -> Result:
    """Time ours and numpy's scan in turns."""

    def scan(query: Floats) -> object:
        scores = vectors @ query
        return np.argpartition(scores, -K)[-K:]

    times = timed(
        {"ours": _each(queries, lambda one: index.search(one, k=K)), "numpy": _each(queries, scan)},
        rounds=rounds,
        warmup=3,
    )
    ratio = times["numpy"].p50 / times["ours"].p50
    large = len(vectors) >= 1_000_000
    return Result(
        name=f"vector search, {label}",
        measured=str(times["ours"]),
        against=f"numpy scan {times['numpy']}",
        ratio=f"{ratio:.0f}× faster",
        limit=f"≥ {OF_NUMPY:.0f}×" if large else "",
        passed=ratio >= OF_NUMPY if large else None,
        numbers=_numbers(times) | {"faster": ratio},
    )


def _filtered(label: str, index: FaissVectors, vectors: Floats, queries: Floats) -> Result:
    """Time a filter that admits every tenth node, and compare with the truth among those."""
    truth = _truth(np.ascontiguousarray(vectors[::10]), queries, K)
    index.search(queries[0], k=K, only=EVERY_TENTH)
    taken, shares = [], []
    for query, near in zip(queries, truth, strict=True):
        started = perf_counter()
        found = index.search(query, k=K, only=EVERY_TENTH)
        taken.append(perf_counter() - started)
        shares.append(len({hit.num // 10 for hit in found} & near) / K)
    share = float(np.mean(shares))
    return Result(
        name=f"vector search, every tenth admitted, {label}",
        measured=f"{Times(tuple(taken))}, recall@{K} {share:.4f}",
        against="exact search among the admitted",
        limit=f"≥ {RECALL}",
        passed=share >= RECALL,
        numbers={"recall": share, "p50": Times(tuple(taken)).p50},
    )


def _sizes(label: str, index: FaissVectors, built: float, folder: Path) -> Result:
    """Report memory, disk, and the time to build, save and load."""
    saved = folder / f"vectors-{label.replace(' ', '-')}"
    saved.mkdir(parents=True)
    started = perf_counter()
    index.save(saved)
    wrote = perf_counter() - started
    disk = sum(path.stat().st_size for path in saved.iterdir())
    other = FaissVectors(DIMENSIONS)
    started = perf_counter()
    other.load(saved)
    read = perf_counter() - started
    shutil.rmtree(saved)
    held = index.stats().bytes
    return Result(
        name=f"vector index, {label}",
        measured=f"{held / 1e6:,.0f} MB in memory, {disk / 1e6:,.0f} MB on disk",
        against=f"built in {built:.1f} s, saved in {wrote:.2f} s, loaded in {read:.2f} s",
        ratio=f"load {built / read:.0f}× faster",
        numbers={"bytes": held, "disk": disk, "build": built, "save": wrote, "load": read},
    )


def _changes(label: str, index: FaissVectors, newcomers: Floats) -> Result:
    """Time one new node at a time, each followed by a search that must find it."""
    taken, missed = [], 0
    count = index.stats().count
    for place, vector in enumerate(newcomers):
        started = perf_counter()
        index.upsert([count + place], [vector], [Facets(type="fact")])
        taken.append(perf_counter() - started)
        missed += index.search(vector, k=1)[0].num != count + place
    index.remove(range(count, count + len(newcomers)))
    return Result(
        name=f"vector upsert, {label}",
        measured=str(Times(tuple(taken))),
        against=f"{len(newcomers) - missed} of {len(newcomers)} found by the next search",
        limit="all",
        passed=missed == 0,
        numbers={"p50": Times(tuple(taken)).p50},
    )


def _each(queries: Sequence[Any], call: Callable[[Any], object]) -> Callable[[], object]:
    """Return an action that goes on to the next query every time, round and round."""
    place = -1

    def action() -> object:
        nonlocal place
        place = (place + 1) % len(queries)
        return call(queries[place])

    return action


def _embedded(name: str, model: str) -> tuple[Floats, Floats]:
    """Return the vectors of a set's documents and of some of its queries, made once."""
    kept = Path(tempfile.gettempdir()) / f"smartbrain-bench-{name}-{QUERIES}.npz"
    if not kept.exists():
        embedder = OnnxEmbedder(MODELS / model)
        corpus = embedder.embed_passages(_texts(DATA / name / "corpus.jsonl.gz"))
        asked = _texts(DATA / name / "queries.jsonl.gz")[:QUERIES]
        queries = [embedder.embed_query(text) for text in asked]
        arrays = {"corpus": np.array(corpus, np.float32), "queries": np.array(queries, np.float32)}
        half = kept.with_suffix(".half.npz")
        np.savez(half, **arrays)
        half.replace(kept)
    with np.load(kept) as read:
        return read["corpus"], read["queries"]


def _texts(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def _numbers(times: dict[str, Times]) -> dict[str, float]:
    return {
        f"{name}_{part}": value
        for name, taken in times.items()
        for part, value in (("p50", taken.p50), ("p99", taken.p99))
    }
