"""Choosing a reranker: what can be written, which key is used, when it is opened and closed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from smartbrain.adapters.models.parse import RERANKER, ModelChoice, parse_model
from smartbrain.bootstrap.models import Rerankers, agreed, model_from
from smartbrain.domain.policy import Rules
from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.settings import load
from smartbrain.testing.model_service import running_rerank_service
from smartbrain.testing.models import PieceReranker

pytestmark = pytest.mark.spec("S1", "R3")


@pytest.mark.parametrize(
    ("given", "choice"),
    [
        ("onnx: models/重排 ", ModelChoice(place="onnx", address="models/重排")),
        (
            "https://api.jina.ai/v1#jina-reranker",
            ModelChoice(place="http", address="https://api.jina.ai/v1", model="jina-reranker"),
        ),
        (
            {"reranker": "http://h#模型", "key_env": "MY_KEY"},
            ModelChoice(place="http", address="http://h", model="模型", key_env="MY_KEY"),
        ),
    ],
)
def test_a_reranker_is_chosen_by_folder_or_address(given: object, choice: ModelChoice) -> None:
    """The model stands behind the mark; a dict may name where the key is."""
    assert choice == parse_model(given, RERANKER)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "bge",
        "onnx:",
        "onxx:folder",
        "fastembed:x",
        "http://host",
        "http://#model",
        "http://host:port#model",
        3,
        [],
        {},
        {"reranker": "http://h#m", "languages": ["zh"]},
        {"reranker": {"reranker": "http://h#m"}},
        {"reranker": "http://h#m", "key_env": "sk-secret-1"},
    ],
)
def test_what_cannot_be_read_is_refused_at_once(given: Any) -> None:
    """Before anything is opened, in one line that repeats no key."""
    with pytest.raises(UsageError) as caught:
        Rerankers(given)
    assert "\n" not in caught.value.message
    assert "sk-secret" not in caught.value.message


@pytest.mark.parametrize(
    ("environ", "header"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": "for openai alone"}, None),
        ({"SMARTBRAIN_RERANKER_KEY": "own"}, "Bearer own"),
    ],
)
def test_the_key_comes_from_the_environment(environ: dict[str, str], header: str | None) -> None:
    """Only its own variable is read."""
    with running_rerank_service() as service:
        reranker, ours = model_from(f"{service.url}#m", RERANKER, environ)
        reranker.score("猫", ["cat", "猫"])
        reranker.close()
        (request,) = service.requests
    assert (True, header) == (ours, request.headers.get("authorization"))


def test_a_named_key_must_be_there() -> None:
    """The sentence names the variable."""
    with pytest.raises(UsageError, match="MY_KEY is not set"):
        model_from({"reranker": "http://h#m", "key_env": "MY_KEY"}, RERANKER, {})


def test_an_own_reranker_is_used_and_not_closed() -> None:
    """What the caller brought is the caller's to close."""
    own = PieceReranker()
    rerankers = Rerankers(own)
    reranker = rerankers.reranker()
    assert reranker is not None
    assert [1.0, 0.0] == reranker.score("猫", ["猫", "cat"])
    assert own.name == reranker.name
    rerankers.close()
    assert not own.closed


def test_no_reranker_is_no_choice() -> None:
    """Recall goes on without; asking it says how to give one."""
    rerankers = Rerankers()
    assert (False, None) == (rerankers.chosen, rerankers.reranker())
    with pytest.raises(UsageError, match="reranker="):
        rerankers.score("猫", ["cat"])


def test_one_that_cannot_be_opened_is_tried_once(tmp_path: Path) -> None:
    """Nothing is opened before it is asked; the same error then answers every call."""
    (tmp_path / "重排").mkdir()
    rerankers = Rerankers(f"onnx:{tmp_path / '重排'}")
    assert "重排" == rerankers.name
    errors: list[SmartBrainError] = []
    for _ in range(2):
        with pytest.raises(UsageError, match=r"has no reranker\.json") as caught:
            rerankers.score("猫", ["cat"])
        errors.append(caught.value)
    assert errors[0] is errors[1]


def test_a_missing_runtime_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without onnxruntime, the sentence has the command that brings it."""
    monkeypatch.delitem(sys.modules, "smartbrain.adapters.models.onnx", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(UsageError, match=r"onnxruntime is not .* pip install 'smartbrain\[onnx\]'"):
        model_from("onnx:models", RERANKER)


def test_nothing_is_opened_after_closing(tmp_path: Path) -> None:
    """A call that comes late finds it closed."""
    rerankers = Rerankers(f"onnx:{tmp_path}")
    rerankers.close()
    with pytest.raises(UsageError) as caught:
        rerankers.score("猫", ["cat"])
    assert "closed" == caught.value.code


@pytest.mark.parametrize(
    ("values", "enabled", "top_n"),
    [
        ({}, True, 50),
        ({"recall.rerank.enabled": False}, False, 50),
        ({"policies.retrieval.rerank.enabled": False}, False, 50),
        ({"recall.rerank.top_n": 20}, True, 20),
        ({"policies.retrieval.rerank.top_n": 10, "recall.rerank.top_n": 20}, True, 10),
    ],
)
def test_both_places_that_speak_of_reranking_are_kept(
    values: dict[str, object], enabled: bool, top_n: int
) -> None:
    """Either may switch it off, and the smaller number holds; all else stays as it is."""
    rules: Rules = load(overrides=values).rules
    found = agreed(rules)
    assert (enabled, top_n) == (found.rerank.enabled, found.rerank.top_n)
    assert rules.recall == replace(found, rerank=rules.recall.rerank)
