"""Documents of the caller's own that fail, answer nonsense or never answer: the context is made."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from smartbrain import SmartBrain
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.evidence import EvidencePack
from smartbrain.domain.plan import RetrievalPlan
from smartbrain.errors import AdapterError, NotFound

NOW = datetime(2001, 1, 1, tzinfo=UTC)


class Documents:
    """Documents that do something else with every plan."""

    def __init__(self, do: Callable[[], Any]) -> None:
        self._do = do

    def retrieve(self, _plan: RetrievalPlan) -> EvidencePack:
        """Return whatever comes of it."""
        return cast("EvidencePack", self._do())


def raising(error: Exception) -> Callable[[], Any]:
    """Return what raises an error."""

    def do() -> None:
        raise error

    return do


def asked(brain: SmartBrain) -> ContextPackage:
    """Return a context whose message wants documents, of a brain that knows something itself."""
    brain.commit_turn("a", [{"role": "user", "content": "Mara lives in Lisbon. 豆豆喜欢苹果。"}])
    return brain.compose_context("z", "Cite sources: where does Mara live? 请引用资料。")


@pytest.mark.spec("R13", "R14")
@pytest.mark.parametrize(
    ("do", "told"),
    [
        (raising(RuntimeError("后端 down")), "the documents failed: 后端 down"),
        (raising(TimeoutError("too slow")), "the documents failed: too slow"),
        (raising(NotFound("no index")), "the documents failed: no index"),
        (raising(AdapterError("offline")), "offline"),
        (lambda: None, "the documents failed: they answered None, not an EvidencePack"),
        (
            lambda: EvidencePack(generated_at=NOW, evidences=cast("Any", ("文本",))),
            "the documents failed: what their pack holds is not all Evidence",
        ),
        (
            lambda: EvidencePack(generated_at=NOW, evidences=cast("Any", None)),
            "the documents failed: 'NoneType' object is not iterable",
        ),
    ],
)
def test_documents_that_fail_cost_their_evidence_alone(
    tmp_path: Path, do: Callable[[], Any], told: str
) -> None:
    """Memory answers all the same; what went wrong is told, and a replay is made too."""
    with SmartBrain.open(tmp_path, resources=Documents(do)) as brain:
        package = asked(brain)
        again = brain.replay(package.context_id, {"packet.max_per_type": 5})
    failed = [(one.code, one.reason) for one in package.debug.ignored if one.type == "resources"]
    assert ([("adapter", told)], True) == (failed, package.debug.planner["degraded"])
    assert (True, "Lisbon") == (again.live, "Lisbon" if "Lisbon" in package.text() else "")


@pytest.mark.spec("R13")
def test_documents_that_never_answer_are_not_waited_for(tmp_path: Path) -> None:
    """After the deadline the context is made without them."""
    answered = threading.Event()
    rules = {"policies": {"retrieval": {"resource_deadline_ms": 20}}}
    documents = Documents(answered.wait)
    with SmartBrain.open(tmp_path, config=rules, resources=documents) as brain:
        try:
            package = asked(brain)
        finally:
            answered.set()
    late = ("late", "the documents did not answer within 20 ms")
    told = [(one.code, one.reason) for one in package.debug.ignored if one.type == "resources"]
    assert ([late], True) == (told, "Lisbon" in package.text())
