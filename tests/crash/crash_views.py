"""A tenant with views that are flushed, saved, trained and built anew, to be killed while at it.

In: a brain's folder. Out: run as a program, lines on stdout before and after each piece of work;
imported, the same tenant with its views and their answers. The indexes are real, with limits so low
that every kind of work comes up all the time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from msgspec.structs import replace

from smartbrain import SmartBrain
from smartbrain.adapters.faiss.approximate import FaissVectors, Sizes
from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.adapters.snapshots.folder import FolderSnapshots
from smartbrain.adapters.sqlite.lock import WriteLock
from smartbrain.adapters.tantivy.index import IndexRules, TantivyTextIndex
from smartbrain.bootstrap.models import embedder_from
from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.domain.graph_search import Spread
from smartbrain.domain.memory import Status
from smartbrain.jobs.embed import embed_all, embedding_of
from smartbrain.recall.search import search_words, spread_from
from smartbrain.recall.views import words
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.links import GraphView
from smartbrain.recall.views.meaning import VectorView
from smartbrain.recall.views.words import PassagesView, TextView
from smartbrain.testing.models import HashEmbedder

KINDS = ("flush", "snapshot", "training", "rebuild")
# All texts are about as long, so that lengths are measured alike whenever an index was saved.
TOPICS = ("蓝牙 bluetooth", "评审 review", "周报 report", "发布 release")
QUESTIONS = ("蓝牙打不开 15", "weekly report 17", "release 发布", "评审 review 21")
FIRST_TURNS = 130
TRAINING = 0.2  # seconds; that of so few vectors takes a hundredth
EMBEDDER = HashEmbedder(24)
_EXACT = Sizes(scan=1_000_000, least=32, fresh=8)
_SMALL = IndexRules(tail=20, removed=20)


@dataclass
class Watched:
    """An open tenant and the follower over it."""

    brain: SmartBrain
    tenant: OpenTenant
    follower: Follower

    def say(self, dice: Random) -> None:
        """Commit a turn."""
        text = f"{dice.choice(TOPICS)} 第 {dice.randrange(10, 30)} 次出错了"
        self.brain.commit_turn(dice.choice("st"), [{"role": "user", "content": text}])

    def edit(self, dice: Random, changes: int) -> None:
        """Rewrite many memories and delete one, in one transaction."""
        ports = self.tenant.ports
        with ports.truth.write() as transaction:
            page = transaction.memories.page(limit=10_000)
            chosen = dice.sample([memory for _, memory in page], changes)
            for memory in chosen[1:]:
                text = f"user: {dice.choice(TOPICS)} 第 {dice.randrange(10, 30)} 次改写了"
                transaction.memories.update(replace(memory, text=text))
                transaction.memories.put_chunks({memory.id: [text]})
            transaction.memories.update(
                replace(chosen[0], status=Status.ARCHIVED, deleted_at=ports.clock())
            )

    def work(self, kind: str, dice: Random) -> None:
        """Do one piece of work of a kind."""
        follower = self.follower
        self.say(dice)
        if kind == "flush":
            self.edit(dice, 105)
            follower.catch_up(follower.names())
            saving = follower.place("text").saving
            if saving is not None:
                saving.result()
        elif kind == "snapshot":
            self.edit(dice, 15)
            follower.save(follower.names())
        elif kind == "training":
            self.edit(dice, 40)
            embed_all(embedder_from(EMBEDDER), ports=self.tenant.ports)
            follower.catch_up(follower.names())
            for name in follower.names():
                view = follower.get(name)
                if isinstance(view, VectorView):
                    say("train")
                    with ThreadPoolExecutor(1) as background:
                        background.submit(_train, view).result()
                    say("trained")
                    follower.save([name])
        else:
            follower.rebuild(follower.names())

    def answers(self) -> dict[str, list[Any]]:
        """Return the ids that answer to all questions, in order, by view and question."""
        follower, ports = self.follower, self.tenant.ports
        follower.catch_up(follower.names())
        found: dict[str, list[Any]] = {}
        for question in QUESTIONS:
            for view in ("text", "passages"):
                hits = search_words(question, follower=follower, ports=ports, view=view, k=30)
                found[f"{view} {question}"] = [hit.id for hit in hits]
            for name in follower.names():
                index = getattr(follower.get(name), "index", None)
                if isinstance(index, FaissVectors):
                    near = index.search(EMBEDDER.embed_query(question), k=30)
                    found[f"{name} {question}"] = [hit.num for hit in near]
        seeds = dict.fromkeys(found[f"text {QUESTIONS[0]}"][:3], 1.0)
        spread = spread_from(seeds, Spread(), follower=follower, ports=ports, ppr=True)
        found["graph"] = [name for name, _ in spread]
        return found

    def length(self) -> int:
        """Return what the text index measures lengths by."""
        self.follower.catch_up(["text"])
        return self.follower.get("text").index.stats().typical_length


def _train(view: VectorView) -> None:
    """Train as long as a large index takes, and let the last of it take the place of the old."""
    training = view.index.needs_training()
    assert training is not None, "so many vectors have changed that it is due"
    made = training.run()
    end = time.monotonic() + TRAINING
    while time.monotonic() < end:
        made = training.run()
    view.index.swap(made)


@contextmanager
def watched(root: Path, *, files: bool = True) -> Iterator[Watched]:
    """Open the tenant; without files its views are built in memory, as nobody ever killed it."""
    with (
        SmartBrain.open(root) as brain,
        brain._lease() as tenant,
        ThreadPoolExecutor(1) as executor,
    ):
        ports, folder = tenant.ports, tenant.folder
        embedding = embedding_of(EMBEDDER, ports=ports)
        views: list[Any] = [
            TextView(lambda: TantivyTextIndex(_SMALL), ports.types, ports.blobs),
            PassagesView(lambda: TantivyTextIndex(_SMALL), ports.truth, ports.blobs),
            GraphView(NumpyGraph),
        ]
        if embedding is not None:
            views.append(
                VectorView(
                    lambda size: FaissVectors(size, kind="ivf_sq8", sizes=_EXACT),
                    embedding,
                    ports.types,
                )
            )
        lock = WriteLock(folder / "views.lock", 5.0)
        store = FolderSnapshots(folder / "views", lock.attempt) if files else None
        follower = Follower(ports.truth, views, store, executor.submit, time.monotonic)
        try:
            yield Watched(brain, tenant, follower)
        finally:
            follower.close()


def prepare(root: Path, dice: Random) -> None:
    """Make the tenant that is going to be killed."""
    with watched(root) as made:
        for _ in range(FIRST_TURNS):
            made.say(dice)
        embed_all(embedder_from(EMBEDDER), ports=made.tenant.ports)


def say(*words: object) -> None:
    """Print a line that has left this process before the next statement runs."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def views(root: str, seed: str) -> None:
    """Do pieces of work of the kind that is asked for, for ever."""
    words._LEAST = 100  # flushes come after a hundred changes
    say("loaded")
    (kind,) = sys.stdin.readline().split()
    dice = Random(seed)
    with watched(Path(root)) as opened:
        opened.follower.catch_up(opened.follower.names())
        say("ready")
        for number in count():
            say("try", number)
            opened.work(kind, dice)
            say("ack", number)


if __name__ == "__main__":
    views(*sys.argv[2:])
