"""How the arm of each embedder stands: what waits, what failed, what is missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.status import Arm, ArmState
from smartbrain.errors import AdapterError
from smartbrain.testing.clock import FakeClock, seeded
from smartbrain.testing.models import FailingEmbedder, HashEmbedder, SlowEmbedder

pytestmark = pytest.mark.spec("R3", "R4")
# Remarks of which nothing but their episode is remembered.
ZH, EN = "真是太好了，大家都辛苦了，谢谢。", "Well, that is really quite nice indeed, thank you."


@contextmanager
def brain(
    path: Path, embedder: object = None, seed: int = 1, **vector: Any
) -> Iterator[SmartBrain]:
    """Open a brain with ids of its own."""
    root = Root(
        path,
        config={"recall": {"vector": vector}} if vector else None,
        clock=FakeClock(),
        entropy=seeded(seed),
        embedder=embedder,
    )
    with SmartBrain(root, "t", owner=True) as handle:
        yield handle


def say(handle: SmartBrain, text: str) -> None:
    """Commit a turn and wait for its vectors."""
    handle.commit_turn("s", [{"role": "user", "content": text}])
    settle(handle)


def settle(handle: SmartBrain) -> None:
    """Wait for what is embedded in the background."""
    with handle._lease() as tenant:
        while tenant.views._running:
            tenant.views._embedding.result(60)


def load(handle: SmartBrain) -> None:
    """Have all views loaded and caught up."""
    with handle._lease() as tenant:
        tenant.views.ready(handle._recall_rules(), wait=True)
    settle(handle)


def arm(handle: SmartBrain, name: str) -> Arm:
    """Return an arm by its whole name."""
    (found,) = [one for one in handle.capabilities().arms if one.name == name]
    return found


def test_what_waits_is_told_for_each_embedder(tmp_path: Path) -> None:
    """The one that fails has its texts waiting, the other none."""
    with brain(tmp_path) as handle:
        for text in (ZH, EN, EN):
            handle.commit_turn("s", [{"role": "user", "content": text}])
    good = HashEmbedder(8, name="en", languages=("en",))
    bad = FailingEmbedder(HashEmbedder(8, name="all"))
    with brain(tmp_path, [good, bad], seed=2) as handle:
        assert handle.jobs.run("embed").embedded == 2
        load(handle)
        ok, failed = arm(handle, "vector:en"), arm(handle, "vector:all")
        assert (ArmState.UP, 2, 0) == (ok.state, ok.items, ok.waiting)
        assert ok.code == "ok"
        assert (ArmState.FAILED, "adapter", 3) == (failed.state, failed.code, failed.waiting)
        assert failed.reason == "all: the embedder fails on purpose"


class Moody(HashEmbedder):
    """Fails while it is told to."""

    failing = False

    def embed_query(self, text: str) -> Any:
        """Embed, or fail."""
        if self.failing:
            raise AdapterError("no answer 没有回答", code="adapter")
        return super().embed_query(text)


def test_an_arm_with_vectors_says_that_its_embedder_failed(tmp_path: Path) -> None:
    """It answers from what it has; once the embedder works, there is nothing to say."""
    embedder = Moody(8)
    with brain(tmp_path, embedder) as handle:
        say(handle, ZH)
        embedder.failing = True
        say(handle, EN)
        assert (ArmState.IDLE, "adapter") == (
            arm(handle, "vector:hash").state,
            arm(handle, "vector:hash").code,
        )
        load(handle)
        found = arm(handle, "vector:hash")
        assert (ArmState.UP, "adapter", 1, 1) == (
            found.state,
            found.code,
            found.items,
            found.waiting,
        )
        assert found.reason == "hash: no answer 没有回答"
        embedder.failing = False
        handle.jobs.run("embed")
        load(handle)
        found = arm(handle, "vector:hash")
        assert (ArmState.UP, "ok", 2, 0) == (found.state, found.code, found.items, found.waiting)


@pytest.mark.parametrize(
    ("kind", "code", "reason"),
    [
        ("auto", "exact", "faiss is not installed; exact search by numpy"),
        ("ivf_sq8", "exact", "faiss is not installed; exact search by numpy in place of ivf_sq8"),
        ("exact", "ok", None),
    ],
)
def test_a_missing_faiss_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, code: str, reason: str | None
) -> None:
    """The arm is up without it, by another kind of search than it might be, or was asked for."""
    for name in [one for one in sys.modules if one.startswith("smartbrain.adapters.faiss")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with brain(tmp_path, HashEmbedder(8), index=kind) as handle:
        say(handle, ZH)
        load(handle)
        found = arm(handle, "vector:hash")
        assert (ArmState.UP, code, 1) == (found.state, found.code, found.items)
        assert reason in (None, found.reason)


@pytest.mark.parametrize("failure", [ImportError, OSError])
def test_a_faiss_that_cannot_be_loaded_costs_no_other_arm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    """A library of the system may be missing though faiss is installed."""

    class Broken:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "faiss":
                raise failure("libgomp.so.1: 没有这个文件")

    for name in [one for one in sys.modules if one.startswith("smartbrain.adapters.faiss")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "faiss", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with brain(tmp_path, HashEmbedder(8)) as handle:
        say(handle, ZH)
        load(handle)
        assert ArmState.UP is arm(handle, "text").state
        found = arm(handle, "vector:hash")
        reason = "faiss cannot be loaded (libgomp.so.1: 没有这个文件); exact search by numpy"
        assert (ArmState.UP, "exact", reason) == (found.state, found.code, found.reason)


def test_an_embedder_that_has_nothing_to_do_is_idle(tmp_path: Path) -> None:
    """An empty tenant is not being built, and its recall lacks nothing."""
    with brain(tmp_path, HashEmbedder(8)) as handle:
        with handle._lease(create=True):
            pass
        found = arm(handle, "vector:hash")
        assert (ArmState.IDLE, "nothing_to_embed") == (found.state, found.code)
        assert not handle.recall("蓝牙 bluetooth").trace.degraded


def test_what_is_committed_while_the_search_by_meaning_is_off_goes_to_no_embedder(
    tmp_path: Path,
) -> None:
    """It is embedded when it is switched on again, by the next recall."""
    embedder = SlowEmbedder(HashEmbedder(8), lambda: asked.append(1))
    asked: list[int] = []
    with brain(tmp_path, embedder) as handle:
        handle.configure({"recall.vector.enabled": False})
        say(handle, ZH)
        handle.recall(ZH)
        assert not asked
        handle.configure({"recall.vector.enabled": True})
        handle.recall(EN)
        settle(handle)
        load(handle)
        found = arm(handle, "vector:hash")
        assert (ArmState.UP, 1, 0) == (found.state, found.items, found.waiting)


def test_with_faiss_there_is_nothing_to_say(tmp_path: Path) -> None:
    """The arm is just up."""
    with brain(tmp_path, HashEmbedder(8), index="ivf_sq8") as handle:
        say(handle, ZH)
        load(handle)
        assert (ArmState.UP, "ok") == (
            arm(handle, "vector:hash").state,
            arm(handle, "vector:hash").code,
        )


def test_an_embedder_that_has_made_nothing_yet_is_being_built(tmp_path: Path) -> None:
    """Before the first run all memories wait for it."""
    with brain(tmp_path) as handle:
        handle.commit_turn("s", [{"role": "user", "content": ZH}])
    with brain(tmp_path, HashEmbedder(8), seed=2) as handle:
        found = arm(handle, "vector:hash")
        assert (ArmState.BUILDING, "embedding", 1) == (found.state, found.code, found.waiting)
