"""What the tests of views build: a tenant on real adapters, what happens in it, what it answers.

In: a folder. Out: a tenant to write to, followers with the real indexes, and their answers to a set
of questions. Time and ids depend on nothing but the seed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from smartbrain import SmartBrain
from smartbrain.adapters.faiss.approximate import FaissVectors
from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.adapters.snapshots.folder import FolderSnapshots
from smartbrain.adapters.sqlite.lock import WriteLock
from smartbrain.adapters.tantivy.index import IndexRules, TantivyTextIndex
from smartbrain.bootstrap.models import embedder_from
from smartbrain.bootstrap.root import Root
from smartbrain.domain.graph_search import Spread
from smartbrain.domain.memory import Status
from smartbrain.domain.policy import Rules
from smartbrain.domain.search import IndexFilter
from smartbrain.jobs.embed import embed_all, embedding_of
from smartbrain.ports.snapshots import Snapshots
from smartbrain.recall.search import search_words, spread_from
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.links import GraphView
from smartbrain.recall.views.meaning import VectorView
from smartbrain.recall.views.words import PassagesView, TextView
from smartbrain.remember.node_names import find_node
from smartbrain.remember.operations import add_edge, add_node
from smartbrain.remember.write_rules import WriteRules
from smartbrain.testing.clock import FakeClock, seeded
from smartbrain.testing.models import HashEmbedder

TOPICS = ("晚霞 sunset", "评审会 review", "周报 report", "发布 release", "彩虹 rainbow")
QUESTIONS = ("晚霞那边", "weekly report", "release 发布 7", "彩虹 error 0x8007045D", "评审会 3")
EMBEDDER = HashEmbedder(32)
EPISODES = IndexFilter(types=("episodes",))
"""What these tests look at: what else is remembered of a turn is not their matter."""
VIEWS = ("text", "passages", "graph", "vector-1")


def small_index() -> TantivyTextIndex:
    """Return a text index that has enough of a few documents in memory."""
    return TantivyTextIndex(IndexRules(tail=30, removed=20))


class Tenant:
    """One open tenant, as one process has it, and the followers over it."""

    def __init__(self, path: Path, seed: int, config: dict[str, Any]) -> None:
        clock = FakeClock(step=timedelta(seconds=1))
        self.root = Root(path, config=config, clock=clock, entropy=seeded(seed))
        self.brain = SmartBrain(self.root, "t", owner=True)
        self._lease = self.brain._lease(create=True)
        self.open = self._lease.__enter__()
        self.ports = self.open.ports
        self.folder = self.open.folder
        self.executor = ThreadPoolExecutor(2)
        self.followers: list[Follower] = []

    def close(self) -> None:
        """Let go of everything."""
        for follower in self.followers:
            follower.close()
        self.executor.shutdown()
        self._lease.__exit__(None, None, None)
        self.brain.close()

    def snapshots(self) -> FolderSnapshots:
        """Return a store with a lock of its own."""
        lock = WriteLock(self.folder / "views.lock", 1.0)
        return FolderSnapshots(self.folder / "views", lock.attempt)

    def views(self, text: type[TextView] = TextView) -> list[Any]:
        """Return empty views of every kind; that of vectors if there are any."""
        ports = self.ports
        views: list[Any] = [
            text(small_index, ports.types, ports.blobs),
            PassagesView(small_index, ports.truth, ports.blobs),
            GraphView(NumpyGraph),
        ]
        embedding = embedding_of(EMBEDDER, ports=ports)
        if embedding is not None:
            views.append(VectorView(FaissVectors, embedding, ports.types))
        return views

    def follower(
        self,
        snapshots: Snapshots | None = None,
        *,
        files: bool = True,
        text: type[TextView] = TextView,
    ) -> Follower:
        """Return a follower with empty views; `files=False` keeps it in memory."""
        store = (snapshots or self.snapshots()) if files else None
        follower = Follower(
            self.ports.truth, self.views(text), store, self.executor.submit, time.monotonic
        )
        self.followers.append(follower)
        return follower

    def say(self, text: str, session: str = "s", **more: Any) -> str:
        """Commit a turn and return its id."""
        said = [{"role": "user", "content": text}, {"role": "assistant", "content": "好的 ok"}]
        return self.brain.commit_turn(session, said, **more).turn_id

    def embed(self) -> None:
        """Embed what waits."""
        embed_all(embedder_from(EMBEDDER), ports=self.ports)

    def episodes(self) -> list[Any]:
        """Return what was told and is not deleted."""
        with self.ports.truth.read() as rows:
            page = rows.memories.page(type_name="episodes", status=None, limit=10_000)
        return [memory for _, memory in page if memory.deleted_at is None]

    def concept(self, name: str) -> str:
        """Return the id of a concept."""
        with self.ports.truth.read() as rows:
            return find_node(f"Concept:{name}", ports=self.ports, transaction=rows)

    def rewrite(self, memory: Any, text: str) -> None:
        """Give a memory another text."""
        with self.ports.truth.write() as transaction:
            transaction.memories.update(replace(memory, text=text))
            transaction.memories.put_chunks({memory.id: [text]})

    def remove(self, memory: Any) -> None:
        """Mark a memory as deleted."""
        gone = replace(memory, status=Status.ARCHIVED, deleted_at=self.ports.clock())
        with self.ports.truth.write() as transaction:
            transaction.memories.update(gone)

    def unlink(self, memory: Any) -> None:
        """Mark the first edge of a memory as deleted."""
        with self.ports.truth.write() as transaction:
            edges = transaction.edges.of(memory.id)[:1]
            transaction.edges.delete([one.id for one in edges], self.ports.clock())

    def stir(self, dice: Random, steps: int) -> None:
        """Do all that can happen to a tenant, by chance."""
        turns: list[str] = []
        for number in range(steps):
            topic = dice.choice(TOPICS)
            episodes = self.episodes()
            doing = dice.choice(("say", "say", "say", "step", "rewrite", "remove", "node", "embed"))
            if doing == "say" or len(episodes) < 5:
                text = f"{topic}，第 {dice.randrange(50)} 条，0x8007045D，{number}"
                turns.append(self.say(text, dice.choice("st")))
            elif doing == "step" and turns:
                self.step(dice.choice(turns[-5:]), f"{topic}，{number}")
            elif doing == "rewrite":
                self.rewrite(dice.choice(episodes), f"{topic} 改写 rewritten {number}")
            elif doing == "remove":
                self.remove(dice.choice(episodes))
                self.unlink(dice.choice(episodes))
            elif doing == "node":
                rules = {"ports": self.ports, "rules": WriteRules(Rules(), "r")}
                add_node(f"Concept:{topic}", **rules)
                other = dice.choice(episodes).id
                add_edge(f"Concept:{topic}", "about", other, dice.random(), **rules)
            else:
                self.embed()

    def step(self, turn: str, text: str) -> None:
        """Add to an earlier turn."""
        with self.ports.truth.read() as rows:
            session = rows.events.turn(turn).session_id
        said = [{"role": "assistant", "content": text}]
        self.brain.commit_turn(session, said, turn_id=turn)


@contextmanager
def tenant(path: Path, seed: int = 1, **config: Any) -> Iterator[Tenant]:
    """Open a tenant, and close it afterwards."""
    opened = Tenant(path, seed, config)
    try:
        yield opened
    finally:
        opened.close()


def answers(follower: Follower, opened: Tenant) -> dict[str, list[tuple[str, float]]]:
    """Return what the views that are ready answer to all questions: ids and scores, in order."""
    ports = opened.ports
    found: dict[str, list[tuple[str, float]]] = {}
    for name in follower.names():
        view = follower.get(name)
        assert view is not None, name
        for question in QUESTIONS:
            if name in ("text", "passages"):
                hits = search_words(question, follower=follower, ports=ports, view=name, k=20)
                found[f"{name} {question}"] = [(hit.id, hit.score) for hit in hits]
            elif name != "graph":
                near = view.index.search(EMBEDDER.embed_query(question), k=20)
                found[f"{name} {question}"] = [(str(num), score) for num, score in near]
    seeds = {memory.id: 1.0 for memory in opened.episodes()[::7]}
    if seeds and "graph" in follower.names():
        spread = spread_from(seeds, Spread(), follower=follower, ports=ports, ppr=True)
        found["graph"] = sorted((name, round(score, 6)) for name, score in spread)
    return found


def rebuilt(opened: Tenant) -> dict[str, list[tuple[str, float]]]:
    """Return what views that were built just now in memory answer."""
    follower = opened.follower(files=False)
    follower.catch_up(follower.names())
    return answers(follower, opened)


def assert_same(expected: dict[str, Any], actual: dict[str, Any]) -> None:
    """Hold answers against each other: the same ids in the same order, the scores to 1e-5."""
    assert expected.keys() == actual.keys()
    assert any(expected.values())
    for name, hits in expected.items():
        assert [hit for hit, _ in hits] == [hit for hit, _ in actual[name]], name
        assert [score for _, score in hits] == pytest.approx(
            [score for _, score in actual[name]], rel=1e-5, abs=1e-5
        ), name


def filled(opened: Tenant, seed: int = 7, steps: int = 40) -> Follower:
    """Let things happen, write snapshots of every view, and return the follower."""
    opened.say(f"{QUESTIONS[0]} 第一次")
    opened.embed()
    opened.stir(Random(seed), steps)
    follower = opened.follower()
    follower.save(follower.names())
    assert set(VIEWS) == set(follower.names())
    return follower
