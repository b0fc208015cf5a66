"""What was so formerly ends where the same sentence says what is so now."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_flow_taken_back import standing

NOW = [
    ("我住在北京", "我以前住在北京，现在住在成都", {"home=成都"}),
    ("我在腾讯工作", "我以前在腾讯，现在在阿里", {"employer=阿里"}),
    ("我是护士", "我以前是护士，现在做产品经理", {"role=产品经理"}),
    ("我在百度工作", "我原来在百度，去年跳槽到了阿里", {"employer=阿里"}),
    ("我喜欢咖啡", "我以前喜欢咖啡，现在更喜欢茶", {"茶=茶"}),
    ("我会法语", "我以前会法语，现在会德语", {"language=德语"}),
    ("我用 vim", "我以前用 vim，现在用 emacs", {"editor=emacs"}),
    ("我们决定用Go", "我们本来决定用Go，后来还是用了Java", {"language=用Java"}),
    ("I live in Oslo.", "I used to live in Oslo, now I live in Bergen.", {"home=Bergen"}),
    ("I work at Meta.", "I used to work at Meta but now I'm at Google.", {"employer=Google"}),
    ("I work at Meta.", "I previously worked at Meta, now at Google.", {"employer=Google"}),
    ("I love coffee.", "I used to love coffee but now I prefer tea.", {"tea=tea"}),
    (
        "We decided to use Go.",
        "We originally decided to use Go, but then went with Java.",
        {"language=use Java"},
    ),
]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("said", "then", "stand"), NOW)
def test_what_is_so_now_stands_alone(tmp_path: Path, said: str, then: str, stand: set[str]) -> None:
    """Whether or not what was so before had been told."""
    assert stand == standing(tmp_path / "told", said, then)
    assert stand == standing(tmp_path / "new", then)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    "then",
    [
        "我以前在腾讯，现在在休假",
        "我以前住在北京，他现在住在成都",
        "我以前住在北京",
        "I used to live in Oslo.",
        "我以前是不是住在北京，现在住在成都？",
    ],
)
def test_what_was_so_formerly_is_nothing_new(tmp_path: Path, then: str) -> None:
    """Neither is what is only so for a while, or of somebody else."""
    assert set() == standing(tmp_path, then)


@pytest.mark.spec("C4")
def test_what_was_so_formerly_leaves_other_values_alone(tmp_path: Path) -> None:
    """Only what is named ends."""
    then = "I used to love coffee but now I prefer tea."
    assert {"hiking=hiking", "tea=tea"} == standing(tmp_path, "I love hiking.", then)
