"""How the words of a text feel: glad or sad, calm or stirred, in either language."""

from __future__ import annotations

import pytest

from smartbrain.domain.memory import Sentiment
from smartbrain.remember.rules.forms import read_sentiment


@pytest.mark.spec("M3", "R6")
@pytest.mark.parametrize(
    ("calmer", "stronger"),
    [
        ("I am happy with the result.", "I am so thrilled about the result!"),
        ("结果我很满意。", "结果太棒了，我非常激动！"),
    ],
)
def test_gladness_has_degrees(calmer: str, stronger: str) -> None:
    """Both are on the good side, and the stronger words stir more."""
    calm, stirred = read_sentiment(calmer), read_sentiment(stronger)
    assert 0 < calm.valence < stirred.valence <= 1
    assert 0 < calm.arousal < stirred.arousal <= 1


@pytest.mark.spec("M3", "R6")
@pytest.mark.parametrize(
    "text",
    [
        "I was sad and disappointed.",
        "Honestly I am furious!",
        "我很难过，也很失望。",
        "真是气死我了！",
    ],
)
def test_what_hurts_is_on_the_other_side(text: str) -> None:
    """Sadness and anger are both negative, and neither is calm."""
    found = read_sentiment(text)
    assert -1 <= found.valence < 0 < found.arousal <= 1


@pytest.mark.spec("M3")
@pytest.mark.parametrize("text", ["I am not happy about it.", "这个结果我不太满意。"])
def test_a_negation_turns_a_feeling_round(text: str) -> None:
    """Who is not happy is not glad, and less stirred than somebody sad."""
    found = read_sentiment(text)
    assert found.valence < 0
    assert found.arousal < 0.4


@pytest.mark.spec("M3")
@pytest.mark.parametrize(
    "text",
    [
        "The server runs on port 8080!",
        "服务器崩溃了，日志在 /var/log。",
        "",
        "unhappily ever after",
    ],
)
def test_plain_words_feel_nothing(text: str) -> None:
    """A fact is neutral however loud it is told, and a part of a word is no word."""
    assert Sentiment() == read_sentiment(text)
