"""Opening what was chosen: the right adapter, the right key, nothing left open on errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from smartbrain.adapters.models import http_models
from smartbrain.bootstrap.models import embedder_from
from smartbrain.errors import UsageError
from smartbrain.testing.models import HashEmbedder

pytestmark = pytest.mark.spec("S1")


def no_language(_text: str) -> str:
    return ""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What HTTP embedders were opened with, in order; they are real otherwise."""
    seen: list[dict[str, Any]] = []
    real = http_models.HttpEmbedder

    class Noted(real):
        def __init__(self, url: str, model: str, **options: Any) -> None:
            super().__init__(url, model, **options)
            seen.append({"url": url, "model": model, "embedder": self, **options})

    monkeypatch.setattr(http_models, "HttpEmbedder", Noted)
    return seen


def test_an_own_embedder_is_used_and_not_closed() -> None:
    """What the caller brought serves every text and survives the closing."""
    own = HashEmbedder()
    routed = embedder_from(own, no_language)
    (used,) = routed.for_text("任何 text")
    assert (own.name, own.model, own.dimensions) == (used.name, used.model, used.dimensions)
    assert own.embed_query("任何 text") == used.embed_query("任何 text")
    routed.close()
    assert not own.closed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The build failed on Tuesday.", ["english"]),
        ("以后都用简体中文回答。", ["chinese"]),
        ("把 deploy script 的 timeout 改成 thirty seconds 可以吗", ["english", "chinese"]),
        ("привет, мир", ["english", "chinese"]),
        ("42", ["english", "chinese"]),
    ],
)
def test_texts_are_routed_by_their_own_language(text: str, expected: list[str]) -> None:
    """Without further ado the product's own detection decides who gets a text."""
    routed = embedder_from(
        [(HashEmbedder(name="english"), ["en"]), (HashEmbedder(name="chinese"), ["zh"])]
    )
    assert expected == [embedder.name for embedder in routed.for_text(text)]


def test_a_service_is_opened_without_being_asked(made: list[dict[str, Any]]) -> None:
    """Opening sends nothing, so a service that is down does not keep a brain from opening."""
    routed = embedder_from("http://127.0.0.1:9/v1#m", no_language, {})
    (embedder,) = routed.embedders
    assert (embedder.name, embedder.dimensions) == ("m", None)
    assert (made[0]["url"], made[0]["key"]) == ("http://127.0.0.1:9/v1", "")
    assert 0.0 <= made[0]["pace"].jitter() < 1.0
    routed.close()


@pytest.mark.parametrize(
    ("address", "environ", "key"),
    [
        ("https://api.openai.com/v1", {"OPENAI_API_KEY": "a"}, "a"),
        ("https://other.example/v1", {"OPENAI_API_KEY": "a"}, ""),
        ("https://api.openai.com.other.example/v1", {"OPENAI_API_KEY": "a"}, ""),
        ("https://other.example/v1", {"SMARTBRAIN_EMBEDDER_KEY": "b", "OPENAI_API_KEY": "a"}, "b"),
    ],
)
def test_the_key_comes_from_the_environment(
    made: list[dict[str, Any]], address: str, environ: dict[str, str], key: str
) -> None:
    """Our variable is for every service, OpenAI's for OpenAI alone."""
    embedder_from(f"{address}#m", no_language, environ).close()
    assert key == made[0]["key"]


def test_each_service_may_have_its_own_key(made: list[dict[str, Any]]) -> None:
    """A variable named in the list wins; when it is not set, that is an error."""
    choice = [{"embedder": "http://host#m", "key_env": "MY_KEY"}]
    embedder_from(choice, no_language, {"MY_KEY": "c", "SMARTBRAIN_EMBEDDER_KEY": "b"}).close()
    assert made[0]["key"] == "c"
    with pytest.raises(UsageError, match="MY_KEY is not set"):
        embedder_from(choice, no_language, {"SMARTBRAIN_EMBEDDER_KEY": "b"})


def test_one_that_cannot_be_opened_closes_the_others(
    made: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Nothing of a list stays open when a later entry fails; the caller's own is left alone."""
    own = HashEmbedder()
    with pytest.raises(UsageError, match=r"has no embedder\.json"):
        embedder_from([own, "http://host#m", f"onnx:{tmp_path}"], no_language, {})
    with pytest.raises(UsageError, match="closed"):
        made[0]["embedder"].embed_query("x")
    assert not own.closed


def test_a_missing_runtime_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without onnxruntime, the sentence has the command that brings it."""
    monkeypatch.delitem(sys.modules, "smartbrain.adapters.models.onnx", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(UsageError, match=r"onnxruntime is not .* pip install 'smartbrain\[onnx\]'"):
        embedder_from("onnx:models", no_language)


def test_fastembed_is_opened_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name after the colon is the model's; without the library the command is shown."""
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(UsageError, match=r"pip install 'smartbrain\[fastembed\]'"):
        embedder_from("fastembed:BAAI/bge-m3", no_language)
