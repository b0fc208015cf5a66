"""Memory and documents in one context, ordered by a reranker that reads both together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.evidence import Evidence, EvidencePack, Signals
from smartbrain.domain.plan import RetrievalPlan
from smartbrain.errors import AdapterError

PATIENT = {"recall.rerank.deadline_ms": 60_000}
ASKED = [
    ("Look up the sources: where does Mara live?", "Mara lives in Lisbon now.", "Mara of Porto."),
    ("查资料：小梅现在住在哪里？", "小梅现在住在成都的河边。", "小梅的故乡是上海。"),
]


class Documents:
    """Documents that answer every plan with one section."""

    def __init__(self, snippet: str) -> None:
        self.snippet = snippet

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        """Return the section."""
        section = Evidence(
            id="d",
            document_id="d",
            source_uri="file:///d.md",
            snippet=self.snippet,
            signals=Signals(rrf_score=0.5),
        )
        return EvidencePack(generated_at=datetime(2001, 1, 1, tzinfo=UTC), evidences=(section,))


class Likes:
    """A reranker that likes one text, and notes what it is given to read."""

    name = "likes"

    def __init__(self, liked: str, *, fails: bool = False) -> None:
        self.liked, self.fails = liked, fails
        self.read: list[list[str]] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return log-odds: high for the text that it likes."""
        self.read.append(list(texts))
        if self.fails:
            raise AdapterError("the model is gone", retryable=False)
        return [4.0 if self.liked in text else -4.0 for text in texts]

    def close(self) -> None:
        """Do nothing."""


def told(path: Path, said: str) -> None:
    """Make a brain that was told something."""
    with fake_brain(path, **PATIENT) as brain:
        brain.commit_turn("m", [user(said), assistant("OK, 好的。")])


@pytest.mark.spec("R13")
@pytest.mark.parametrize(("asked", "said", "written"), ASKED)
@pytest.mark.parametrize("memory", [True, False])
def test_a_reranker_reads_memory_and_documents_together(
    tmp_path: Path, asked: str, said: str, written: str, memory: bool
) -> None:
    """One call reads both; what it likes scores above all of the other source, replayed as well."""
    told(tmp_path, said)
    likes = Likes(said if memory else written)
    documents = Documents(written)
    with SmartBrain.open(tmp_path, "t", PATIENT, reranker=likes, resources=documents) as brain:
        package = brain.compose_context("now", asked)
        assert brain.replay(package.context_id, {}).same
    best = {
        source: max(one.score for one in package.evidence if one.source == source)
        for source in ("memory", "resource")
    }
    other = min(best.values())
    assert best["memory" if memory else "resource"] > other + 0.3
    together = [texts for texts in likes.read if written in texts]
    assert [True] == [said in texts for texts in together]
    assert "together" == package.debug.planner["rerank"]["code"]


@pytest.mark.spec("R13")
@pytest.mark.parametrize(("asked", "said", "written"), ASKED)
def test_without_an_answer_of_the_reranker_words_are_the_measure(
    tmp_path: Path, asked: str, said: str, written: str
) -> None:
    """A reranker that fails costs nothing but its say, and the plan tells why."""
    told(tmp_path, said)
    documents = Documents(written)
    with SmartBrain.open(tmp_path, "t", PATIENT, resources=documents) as brain:
        plain = brain.compose_context("now", asked)
    fails = Likes(said, fails=True)
    with SmartBrain.open(tmp_path, "t", PATIENT, reranker=fails, resources=documents) as brain:
        failed = brain.compose_context("now", asked)
        brain.configure({"recall.rerank.enabled": False})
        off = brain.compose_context("now", asked)
    assert [(one.id, one.score) for one in plain.evidence] == [
        (one.id, one.score) for one in failed.evidence
    ]
    assert "the model is gone" in failed.debug.planner["rerank"]["reason"]
    assert "rerank" not in off.debug.planner
    assert "rerank" not in plain.debug.planner
