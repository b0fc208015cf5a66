"""What sounds like a denial and is none: hearsay, suppositions, matters of degree, other things."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_flow_taken_back import standing

_PARIS = ("I live in Paris.", {"home=Paris"})
_GOOGLE = ("I work at Google.", {"employer=Google"})
_GOOGLE_ZH = ("我在谷歌工作", {"employer=谷歌"})
_NURSE = ("I'm a nurse.", {"role=nurse"})
_KAFKA = ("We decided to use Kafka.", {"message_queue=use Kafka"})

UNMEANT = [
    (*_PARIS, "Bob said I no longer live in Paris."),
    (*_PARIS, "Tom thinks I no longer live in Paris."),
    (*_PARIS, "My mom believes I don't live in Paris."),
    (*_PARIS, "Imagine I no longer live in Paris."),
    (*_PARIS, "Maybe I no longer live in Paris."),
    (*_PARIS, "I don't live in Paris, do I?"),
    (*_PARIS, "I don't necessarily live in Paris."),
    (*_GOOGLE_ZH, "要是我不在谷歌工作了"),
    (*_GOOGLE_ZH, "如果我不在谷歌工作了，我会搬家"),
    (*_GOOGLE_ZH, "我妈以为我不在谷歌工作了"),
    (*_GOOGLE_ZH, "小王觉得我不在谷歌工作了"),
    (*_GOOGLE_ZH, "听说我不在谷歌工作了"),
    (*_GOOGLE, "Bob 说 I no longer work at Google."),
    (*_KAFKA, "Tom thinks we're not using Kafka anymore."),
    (*_KAFKA, "What if we no longer use Kafka"),
    ("我们决定用 Kafka", {"message_queue=用 Kafka"}, "小王觉得我们不用 Kafka 了"),
    ("The API port is 8080.", {"8080"}, "Bob thinks the API port is not 8080."),
    ("The API port is 8080.", {"8080"}, "The API port is not only 8080."),
    (*_NURSE, "I'm not just a nurse."),
    (*_NURSE, "I'm not merely a nurse anymore."),
    (*_NURSE, "I'm not a nurse by training."),
    ("我是护士", {"role=护士"}, "我不只是护士"),
    ("我会法语", {"language=法语"}, "我不光会法语"),
    (*_GOOGLE, "I don't only work at Google."),
    ("I use vim.", {"editor=vim"}, "I don't use vim exclusively."),
    ("我用 vim", {"editor=vim"}, "我不只用 vim"),
    (*_GOOGLE, "I left Google Maps open."),
    (*_GOOGLE, "I quit Google Chrome."),
    (*_GOOGLE, "I left Google a bad review."),
    ("I'm a vegetarian.", {"diet=vegetarian"}, "I'm not a strict vegetarian."),
    ("我是素食者", {"diet=素食者"}, "我不是严格的素食者"),
]


@pytest.mark.spec("C1", "C4", "C6")
@pytest.mark.parametrize(("said", "stand", "then"), UNMEANT)
def test_what_is_no_denial_takes_nothing_back(
    tmp_path: Path, said: str, stand: set[str], then: str
) -> None:
    """The speaker must stand behind a denial, and deny the thing itself."""
    assert stand == standing(tmp_path, said, then)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("I live in Paris.", "I no longer live in Paris."),
        ("I live in Paris.", "Bob is here. I no longer live in Paris."),
        ("I live in Paris.", "My mom knows I no longer live in Paris."),
        ("我在谷歌工作", "我不在谷歌工作了"),
        ("我在谷歌工作", "I left Google."),
        ("I'm a nurse.", "I'm just not a nurse."),
        ("I work at Google.", "I left Google Inc. last month."),
        ("I work at Google.", "I left Google a week ago."),
        ("I work at Morgan Stanley.", "I left Morgan Stanley."),
        ("We decided to use Kafka.", "We're not using Kafka anymore."),
        ("我们决定用 Kafka", "我们不用 Kafka 了"),
        ("I'm a vegetarian.", "I'm not a vegetarian."),
        ("我没结婚，单身", "我不单身了"),
    ],
)
def test_a_plain_denial_still_ends_what_it_names(tmp_path: Path, said: str, then: str) -> None:
    """Who else is spoken of beside it does not matter."""
    assert set() == standing(tmp_path, said, then)
