"""Making vectors: what lacks one is embedded, sooner or later, once, by the right model.

In: real databases and deterministic embedders, some of which fail, wait or serve one language. The
vectors are held against those that the embedder gives for the same text.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from msgspec.structs import replace

from smartbrain import SmartBrain
from smartbrain.adapters.models.parse import Route, RoutedEmbedders
from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.bootstrap.root import Root
from smartbrain.domain.indexed import Embedding
from smartbrain.domain.status import EmbedReport
from smartbrain.jobs.embed import embed_all, embedding_of, waiting
from smartbrain.ports.bundle import Ports
from smartbrain.ports.embedder import Embedder, Vector
from smartbrain.testing.clock import FakeClock, seeded
from smartbrain.testing.models import FailingEmbedder, HashEmbedder, SlowEmbedder
from smartbrain.text.language import detect_language

# Remarks of which nothing but their episode is remembered.
TEXTS = ("真是太好了，大家都辛苦了，谢谢。", "Well, that is really quite nice indeed, thank you.")


def routed(*embedders: Embedder) -> RoutedEmbedders:
    """Return embedders, each for its own languages."""
    routes = [Route(one, one.languages, owned=False) for one in embedders]
    return RoutedEmbedders(routes, detect_language)


@contextmanager
def brain(path: Path, embedder: object = None, seed: int = 1) -> Iterator[SmartBrain]:
    """Open a brain with ids of its own."""
    root = Root(path, clock=FakeClock(), entropy=seeded(seed), embedder=embedder)
    handle = SmartBrain(root, "t", owner=True)
    try:
        yield handle
    finally:
        handle.close()


@contextmanager
def opened(path: Path, embedder: object = None, seed: int = 1) -> Iterator[OpenTenant]:
    """Open a tenant."""
    with brain(path, embedder, seed) as handle, handle._lease(create=True) as tenant:
        yield tenant


def say(handle: SmartBrain, text: str, session: str = "s") -> None:
    """Commit a turn of one message."""
    handle.commit_turn(session, [{"role": "user", "content": text}])


def stored(ports: Ports, embedder: Embedder) -> dict[str, bytes]:
    """Return what an embedder's space holds, by the text that it is of."""
    space = embedding_of(embedder, ports=ports)
    if space is None:
        return {}
    with ports.truth.read() as rows:
        nums = [num for num, _ in rows.memories.page(status=None, limit=1000)]
        vectors = rows.vectors.get(space.num, nums)
        return {row.text: vectors[row.num] for row in rows.followed.memories([*vectors])}


def left(embedder: Embedder, ports: Ports) -> int:
    """Return how much one embedder has still to do."""
    return waiting(embedder, routed(embedder), ports=ports)


def made(embedder: Embedder, texts: Sequence[str]) -> dict[str, bytes]:
    """Return what an embedder makes of texts."""
    return {text: array("f", embedder.embed_query(text)).tobytes() for text in texts}


def texts_of(ports: Ports) -> list[str]:
    """Return the texts of all memories that are not deleted."""
    with ports.truth.read() as rows:
        page = rows.memories.page(status=None, limit=1000)
    return [memory.text for _, memory in page if memory.deleted_at is None]


def fill(path: Path, texts: Sequence[str] = TEXTS) -> None:
    """Commit texts without an embedder."""
    with brain(path) as handle:
        for text in texts:
            say(handle, text)


@pytest.mark.spec("R3")
def test_every_memory_gets_its_vector_once(tmp_path: Path) -> None:
    """Whatever the language, more than a batch of them; the second run has nothing to do."""
    fill(tmp_path, [f"{text} {number}" for number in range(70) for text in TEXTS])
    embedder = HashEmbedder(16)
    with opened(tmp_path) as tenant:
        ports = tenant.ports
        assert left(embedder, ports) == 140
        assert EmbedReport(embedded=140) == embed_all(routed(embedder), ports=ports)
        assert made(embedder, texts_of(ports)) == stored(ports, embedder)
        seq = ports.truth.seq()
        assert EmbedReport() == embed_all(routed(embedder), ports=ports)
        assert seq == ports.truth.seq()


@pytest.mark.spec("R3", "M1")
@pytest.mark.parametrize("text", ["我们周五发布新版本，请准备好。", "The release is on Friday."])
def test_names_and_statements_get_no_vector(tmp_path: Path, text: str) -> None:
    """Of a turn that tells of an event, the episode and the event are embedded, and no more."""
    fill(tmp_path, [text])
    embedder = HashEmbedder(8)
    with opened(tmp_path) as tenant:
        with tenant.ports.truth.read() as rows:
            memories = [memory for _, memory in rows.memories.page(status=None, limit=1000)]
        types = ["entities", "entities", "episodes", "events", "statements"]
        assert types == sorted(memory.type for memory in memories)
        assert left(embedder, tenant.ports) == 2
        assert EmbedReport(embedded=2) == embed_all(routed(embedder), ports=tenant.ports)
        texts = [memory.text for memory in memories if memory.type in ("episodes", "events")]
        assert sorted(texts) == sorted(stored(tenant.ports, embedder))


def test_nothing_to_embed_makes_no_space(tmp_path: Path) -> None:
    """An empty tenant has no embedding."""
    with opened(tmp_path) as tenant:
        assert EmbedReport() == embed_all(routed(HashEmbedder(8)), ports=tenant.ports)
        assert embedding_of(HashEmbedder(8), ports=tenant.ports) is None


@pytest.mark.spec("R3", "R4")
def test_a_failing_embedder_never_fails_a_commit(tmp_path: Path) -> None:
    """Turns are stored, the work waits, the reason is said; once it works, the rest is made."""
    failing = FailingEmbedder(HashEmbedder(16), failures=3)
    with brain(tmp_path, failing) as handle:
        for text in TEXTS:
            say(handle, text)
            with handle._lease() as tenant:
                tenant.views._embedding.result()
        with handle._lease() as tenant:
            assert len(handle.sessions.turns("s")) == 2
            assert {} == stored(tenant.ports, failing)
            report = tenant.views.report
            assert (0, 2, "adapter") == (report.embedded, report.waiting, report.code)
            assert report.reason == "hash: the embedder fails on purpose"
            assert tenant.views.embed().waiting == 2
            assert EmbedReport(embedded=2) == tenant.views.embed()
            assert made(HashEmbedder(16), texts_of(tenant.ports)) == stored(tenant.ports, failing)


def test_one_that_fails_does_not_keep_others_from_their_work(tmp_path: Path) -> None:
    """Of two embedders for all languages, the second makes its vectors all the same."""
    fill(tmp_path)
    bad, good = FailingEmbedder(HashEmbedder(8, name="bad")), HashEmbedder(8, name="good")
    with opened(tmp_path) as tenant:
        report = embed_all(routed(bad, good), ports=tenant.ports)
        assert (2, 2) == (report.embedded, report.waiting)
        assert report.reason.startswith("bad: ")
        assert {} == stored(tenant.ports, bad)
        assert len(stored(tenant.ports, good)) == 2


@pytest.mark.spec("R4")
def test_a_kill_in_the_middle_loses_no_batch(tmp_path: Path) -> None:
    """What a batch has written stays; what is missing is found by looking."""
    fill(tmp_path, [f"文本 text {number}" for number in range(100)])

    class Dying(HashEmbedder):
        calls = 0

        def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
            self.calls += 1
            if self.calls == 2:
                raise KeyboardInterrupt
            return super().embed_passages(texts)

    with opened(tmp_path) as tenant:
        embedder = Dying(8)
        with pytest.raises(KeyboardInterrupt):
            embed_all(routed(embedder), ports=tenant.ports)
        done = len(stored(tenant.ports, embedder))
        assert 0 < done < 100
        assert 100 - done == left(embedder, tenant.ports)
        assert 100 - done == embed_all(routed(embedder), ports=tenant.ports).embedded
        assert len(stored(tenant.ports, embedder)) == 100


@pytest.mark.spec("R3")
def test_another_model_embeds_anew_beside_the_old_one(tmp_path: Path) -> None:
    """The old vectors stay until the new model has made all, then they go."""
    fill(tmp_path, [f"{text} {number}" for number in range(40) for text in TEXTS])
    old, new = HashEmbedder(8), HashEmbedder(16)
    assert (old.name, False) == (new.name, old.model == new.model)
    with opened(tmp_path) as tenant:
        ports = tenant.ports
        embed_all(routed(old), ports=ports)
        report = embed_all(routed(FailsLater(new, 1)), ports=ports)
        assert (64, 16) == (report.embedded, report.waiting)
        assert (80, 64) == (len(stored(ports, old)), len(stored(ports, new)))
        assert EmbedReport(embedded=16) == embed_all(routed(new), ports=ports)
        with ports.truth.read() as rows:
            assert [Embedding(2, "hash", "hash-16", 16)] == rows.vectors.embeddings()
        assert {} == stored(ports, old)
        assert made(new, texts_of(ports)) == stored(ports, new)


class FailsLater(FailingEmbedder):
    """Does its work for so many calls, then fails."""

    def _fail(self) -> None:
        self.calls += 1
        if self.calls > (self._left or 0):
            self._left = None
            super()._fail()


@pytest.mark.spec("R3")
def test_texts_go_to_the_embedders_of_their_language(tmp_path: Path) -> None:
    """Chinese to the one, English to the other, both at once to whoever serves either or all."""
    texts = (*TEXTS, "好的 that sounds good to me 没问题 thanks everyone for that 谢谢大家")
    fill(tmp_path, texts)
    zh, en = (HashEmbedder(8, name=one, languages=(one,)) for one in ("zh", "en"))
    every = HashEmbedder(8, name="all")
    with opened(tmp_path) as tenant:
        ports = tenant.ports
        embedders = routed(zh, en, every)
        report = embed_all(embedders, ports=ports)
        assert (0, "ok") == (report.waiting, report.code)
        for one in (zh, en, every):
            wanted = [text for text in texts_of(ports) if one in embedders.for_text(text)]
            assert made(one, wanted) == stored(ports, one)
        chinese, english = ({*stored(ports, one)} for one in (zh, en))
        assert any(TEXTS[0] in text for text in chinese)
        assert not any(TEXTS[1] in text for text in chinese)
        assert any(TEXTS[1] in text for text in english)
        assert not any(TEXTS[0] in text for text in english)
        assert len(stored(ports, every)) == 3


def change(ports: Ports, text: str) -> None:
    """Give the first memory another text, of which there is no original."""
    with ports.truth.write() as transaction:
        _, memory = transaction.memories.page(status=None, limit=1)[0]
        transaction.memories.update(replace(memory, text=text, raw_refs=()))
        transaction.memories.put_chunks({memory.id: [text]})


@pytest.mark.spec("R3", "R4")
def test_a_text_changed_while_it_is_embedded_is_embedded_again(tmp_path: Path) -> None:
    """The vector of the old text is not kept, and an old model is not dropped before the rest."""
    fill(tmp_path)
    old, new = HashEmbedder(8), HashEmbedder(16)
    with opened(tmp_path) as tenant:
        ports = tenant.ports
        embed_all(routed(old), ports=ports)
        slow = SlowEmbedder(new, lambda: change(ports, "改了 changed meanwhile"))
        report = embed_all(routed(slow), ports=ports)
        assert (1, 1, "stopped") == (report.embedded, report.waiting, report.code)
        assert len(stored(ports, new)) == 1
        assert len(stored(ports, old)) == 1
        assert EmbedReport(embedded=1) == embed_all(routed(new), ports=ports)
        assert made(new, texts_of(ports)) == stored(ports, new)
        assert {} == stored(ports, old)


def test_a_memory_deleted_while_it_is_embedded_gets_no_vector(tmp_path: Path) -> None:
    """It is not in the queue any more, and nothing is left of it."""
    fill(tmp_path)
    with opened(tmp_path) as tenant:
        ports = tenant.ports

        def delete() -> None:
            with ports.truth.write() as transaction:
                _, memory = transaction.memories.page(status=None, limit=1)[0]
                transaction.memories.update(replace(memory, deleted_at=ports.clock()))

        report = embed_all(routed(SlowEmbedder(HashEmbedder(8), delete)), ports=ports)
        assert EmbedReport(embedded=1) == report
        assert made(HashEmbedder(8), texts_of(ports)) == stored(ports, HashEmbedder(8))


@pytest.mark.spec("J9", "R3")
def test_it_stops_when_told_and_goes_on_later(tmp_path: Path) -> None:
    """Told to stop before it began, it makes nothing and says so."""
    fill(tmp_path)
    with opened(tmp_path) as tenant:
        report = embed_all(routed(HashEmbedder(8)), ports=tenant.ports, stopped=lambda: True)
        assert (0, 2, "stopped") == (report.embedded, report.waiting, report.code)
        assert embed_all(routed(HashEmbedder(8)), ports=tenant.ports).embedded == 2


class Counted(HashEmbedder):
    """Counts how many are inside at once, over all instances."""

    inside = 0
    most = 0
    texts: ClassVar[list[str]] = []

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Embed, and be counted meanwhile."""
        Counted.inside += 1
        Counted.most = max(Counted.most, Counted.inside)
        Counted.texts += texts
        vectors = super().embed_passages(texts)
        Counted.inside -= 1
        return vectors


@pytest.mark.spec("M4", "R4")
def test_of_two_that_embed_one_waits_for_the_other(tmp_path: Path) -> None:
    """Two openings of one tenant never embed at once, and no text is embedded twice."""
    fill(tmp_path, [f"文本 text {number}" for number in range(200)])
    go = threading.Event()
    with (
        opened(tmp_path, SlowEmbedder(Counted(8), lambda: go.wait(30))) as one,
        opened(tmp_path, Counted(8), seed=2) as other,
        ThreadPoolExecutor(2) as executor,
    ):
        first = executor.submit(one.views.embed)
        while not one.folder.joinpath("embed.lock").exists() or free(other):
            assert not first.done()
        other.views._embed_quietly()
        assert other.views.report == EmbedReport()
        second = executor.submit(other.views.embed)
        go.set()
        assert 200 == first.result().embedded + second.result().embedded
    assert (1, 200) == (Counted.most, len(set(Counted.texts)))
    assert len(Counted.texts) == 200


def free(tenant: OpenTenant) -> bool:
    """Tell whether nobody is embedding."""
    with tenant.views._file_lock("embed.lock").attempt() as got:
        return got


_HOLDER = """
import sys
from pathlib import Path
from smartbrain.adapters.sqlite.lock import WriteLock
with WriteLock(Path(sys.argv[1]), 5.0):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.spec("M4")
def test_another_process_that_embeds_is_left_to_it(tmp_path: Path) -> None:
    """A commit does not wait for the process that embeds; asked for, the work is waited for."""
    with (
        brain(tmp_path, HashEmbedder(8)) as handle,
        handle._lease(create=True) as tenant,
        subprocess.Popen(
            [sys.executable, "-c", _HOLDER, str(tenant.folder / "embed.lock")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            encoding="utf-8",
        ) as process,
        ThreadPoolExecutor(1) as executor,
    ):
        assert process.stdout.readline() == "held\n"
        say(handle, TEXTS[0])
        tenant.views._embedding.result()
        assert stored(tenant.ports, HashEmbedder(8)) == {}
        asked = executor.submit(tenant.views.embed)
        assert not asked.done()
        process.stdin.close()
        assert EmbedReport(embedded=1) == asked.result()


@pytest.mark.spec("R4")
def test_what_is_committed_while_a_run_ends_is_not_forgotten(tmp_path: Path) -> None:
    """A commit that comes when the queue has been read to its end starts another run."""
    follow: list[Callable[[], None]] = []

    class Late(HashEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
            vectors = super().embed_passages(texts)
            if follow:
                follow.pop()()
            return vectors

    with brain(tmp_path, Late(8)) as handle:
        follow.append(lambda: say(handle, TEXTS[1]))
        say(handle, TEXTS[0])
        with handle._lease() as tenant:
            while len(stored(tenant.ports, Late(8))) < 2:
                tenant.views._embedding.result()
                assert follow == []
