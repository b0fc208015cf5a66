"""The views of an open tenant: when embedding begins and is tried again, and what closing ends.

In: real tenants with embedders that count, fail or recover, and a timer that the test turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.bootstrap.views import TenantViews
from smartbrain.domain.policy_recall import RecallRules, VectorRules
from smartbrain.domain.status import EmbedReport
from smartbrain.errors import UsageError
from smartbrain.ports.embedder import Vector
from smartbrain.testing.clock import FakeClock, seeded
from smartbrain.testing.models import FailingEmbedder, HashEmbedder

# Remarks of which nothing but their episode is remembered.
TEXTS = ("真是太好了，大家都辛苦了，谢谢。", "Well, that is really quite nice indeed, thank you.")
RULES = RecallRules()


class Timer:
    """Stands still until it is turned."""

    now = 1_000.0

    def __call__(self) -> float:
        """Return the seconds."""
        return self.now


class Counting(HashEmbedder):
    """Counts its calls."""

    calls = 0

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Count and embed."""
        self.calls += 1
        return super().embed_passages(texts)


def fill(path: Path) -> None:
    """Commit texts without an embedder."""
    root = Root(path, clock=FakeClock(), entropy=seeded(1))
    with SmartBrain(root, "t", owner=True) as brain:
        for text in TEXTS:
            brain.commit_turn("s", [{"role": "user", "content": text}])


@contextmanager
def views(path: Path, embedder: object = None, timer: Timer | None = None) -> Iterator[TenantViews]:
    """Open a tenant that was there before, and its views on a timer."""
    fill(path)
    root = Root(path, clock=FakeClock(), entropy=seeded(2), embedder=embedder)
    with SmartBrain(root, "t", owner=True) as brain, brain._lease() as tenant:
        tenant.views._timer = timer or Timer()
        yield tenant.views


def settled(opened: TenantViews) -> EmbedReport:
    """Wait for what goes on in the background; return how it went."""
    while opened._running:
        assert opened._embedding is not None
        opened._embedding.result(60)
    return opened.report


@pytest.mark.spec("R3", "R4")
def test_the_first_recall_has_what_waits_embedded(tmp_path: Path) -> None:
    """A tenant from before is embedded though nothing is committed; then there is no more to do."""
    embedder = Counting(8)
    with views(tmp_path, embedder) as opened:
        assert embedder.calls == 0
        opened.search("辛苦", RULES)
        assert EmbedReport(embedded=2) == settled(opened)
        first = opened._embedding
        opened._timer.now += 3_600
        opened.ready(RULES)
        assert (1, first) == (embedder.calls, opened._embedding)
        assert opened.names(RULES)[-1] == "vector-1"


@pytest.mark.spec("R4")
def test_a_service_that_recovers_is_tried_again(tmp_path: Path) -> None:
    """Not by each recall, but by one half a minute after a failure."""
    timer, embedder = Timer(), FailingEmbedder(HashEmbedder(8), failures=2)
    with views(tmp_path, embedder, timer) as opened:
        opened.ready(RULES)
        assert settled(opened).code == "adapter"
        timer.now += 29
        opened.ready(RULES)
        settled(opened)
        assert embedder.calls == 1
        timer.now += 1
        opened.ready(RULES)
        assert settled(opened).code == "adapter"
        assert embedder.calls == 2
        timer.now += 30
        opened.ready(RULES)
        assert EmbedReport(embedded=2) == settled(opened)


@pytest.mark.spec("R4")
def test_work_that_another_had_is_looked_after(tmp_path: Path) -> None:
    """Who finds another at it asks again later, as that one may have died."""
    timer = Timer()
    with views(tmp_path, HashEmbedder(8), timer) as opened:
        with opened._file_lock("embed.lock"):
            opened.ready(RULES)
            assert EmbedReport() == settled(opened)
            first = opened._embedding
            timer.now += 29
            opened.ready(RULES)
            assert first is opened._embedding
        timer.now += 1
        opened.ready(RULES)
        assert EmbedReport(embedded=2) == settled(opened)
        with opened._file_lock("embed.lock"):
            opened.committed(RULES)
            settled(opened)
        assert opened._unfinished


def test_without_the_search_by_meaning_recall_embeds_nothing(tmp_path: Path) -> None:
    """Neither with the arm switched off, nor without an embedder."""
    embedder = Counting(8)
    with views(tmp_path / "off", embedder) as opened:
        opened.ready(RecallRules(vector=VectorRules(enabled=False)))
        assert opened._embedding is None
    with views(tmp_path / "none") as opened:
        opened.ready(RULES)
        assert opened._embedding is None
    assert embedder.calls == 0


def test_after_closing_nothing_is_opened(tmp_path: Path) -> None:
    """No lock, no view and no work that nobody would end."""
    with views(tmp_path, HashEmbedder(8)) as opened:
        opened.ready(RULES)
        opened.close()
        done = opened._embedding
        for call in (
            lambda: opened._file_lock("embed.lock"),
            opened.embed,
            lambda: opened.ready(RULES),
        ):
            with pytest.raises(UsageError, match="closed") as caught:
                call()
            assert caught.value.code == "closed"
        opened.committed(RULES)
        assert (done, {}, None) == (opened._embedding, opened._locks, opened.loaded)
