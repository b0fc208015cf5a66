"""Choosing a token counter, and counting whole requests with it."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from bench.request_tokens import count_request

from smartbrain.adapters.splintr_counter import SplintrCounter, token_counter
from smartbrain.domain.policy import CompositionRules
from smartbrain.errors import UsageError
from smartbrain.ports.token_counter import MEDIA_TOKENS, MESSAGE_TOKENS
from smartbrain.text.tokens import EstimatedTokens, estimate_tokens

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000}}
SAID = "今天 we ship"


class Letters:
    """Counts a letter as a token."""

    name = "letters"

    def count(self, text: str) -> int:
        return len(text)


@pytest.mark.spec("R16")
def test_the_estimate_is_the_default() -> None:
    """With nothing installed, tokens are estimated, with the margin."""
    counter = token_counter(CompositionRules())
    assert EstimatedTokens().name == counter.name == "heuristic"
    assert estimate_tokens(SAID) == counter.count(SAID)


@pytest.mark.spec("R16")
def test_an_exact_counter_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vocabulary is large; whoever asks gets the same."""
    pytest.importorskip("splintr")
    rules = CompositionRules(tokenizer="o200k_base")
    assert token_counter(rules) is token_counter(rules)
    assert "o200k_base" == token_counter(rules).name


@pytest.mark.spec("R16")
def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "splintr", None)
    with pytest.raises(UsageError, match=r"pip install 'smartbrain\[tokens\]'") as caught:
        SplintrCounter("cl100k_base")
    assert "config" == caught.value.code


@pytest.mark.spec("R16")
def test_an_encoding_that_the_library_lacks_is_refused() -> None:
    """A version of the library may not have every encoding."""
    pytest.importorskip("splintr")
    with pytest.raises(UsageError, match="has no encoding 'p50k_base'"):
        SplintrCounter("p50k_base")


@pytest.mark.spec("R16")
@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"messages": [{"role": "user", "content": SAID}]}, len(SAID)),
        (
            {"system": "Be kind.", "messages": [{"role": "user", "content": "hi"}]},
            len("Be kind.hi") + MESSAGE_TOKENS,
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}, IMAGE]}]},
            len("hi") + MEDIA_TOKENS,
        ),
        (
            {
                "messages": [
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {"id": "c", "function": {"name": "读", "arguments": '{"a": 1}'}}
                        ],
                    }
                ]
            },
            len('读{"a": 1}'),
        ),
        (
            {
                "messages": [
                    {
                        "role": "assistant",
                        "content": [{"type": "tool_use", "name": "读", "input": {"路": 1}}],
                    },
                    {"role": "user", "content": [{"type": "tool_result", "content": "done"}]},
                ]
            },
            len('读{"路": 1}done') + MESSAGE_TOKENS,
        ),
    ],
)
def test_a_request_costs_its_words_its_media_and_its_messages(
    request_: dict[str, Any], expected: int
) -> None:
    """Data of an image is no text; every message has a price of its own."""
    assert expected + MESSAGE_TOKENS == count_request(request_, Letters())
