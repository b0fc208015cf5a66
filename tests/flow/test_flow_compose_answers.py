"""Short answers beside what they answer: they never take the place of what was said."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain.domain.context import ContextPackage
from smartbrain.domain.turn import DOCUMENT, Marked

THINGS = ["garden", "soup", "bicycle", "river", "music", "paint", "winter", "coffee", "lamp"]
ZH_THINGS = ["花园", "浓汤", "自行车", "河边", "音乐", "油画", "冬天", "咖啡", "台灯"]
ANSWERS = ("ok", "好的。", "Got it.", "明白。", "Sure!")


def said_in(package: ContextPackage) -> list[list[str]]:
    """Return who speaks in each piece of evidence that is a talk, line by line."""
    return [
        [one.speaker or "", *("user" if "user: " in line else "assistant" for line in lines[1:])]
        for one in package.evidence
        if (lines := [line for line in one.snippet.split("\n") if line != "…"])
    ]


@pytest.mark.spec("R16", "R17")
@pytest.mark.parametrize("limit", [256, 500])
@pytest.mark.parametrize(
    ("things", "message"),
    [(THINGS, "Tell me about the bicycle and the river"), (ZH_THINGS, "说说自行车和河边的事")],
    ids=["en", "zh"],
)
def test_acknowledgements_do_not_crowd_out_what_was_said(
    tmp_path: Path, things: list[str], message: str, limit: int
) -> None:
    """Many turns that were answered with a word: a small context shows the turns."""
    with fake_brain(tmp_path) as brain:
        for number in range(48):
            words = [things[(number * step + step) % len(things)] for step in (1, 2, 3, 5, 7)]
            answer = ANSWERS[number % len(ANSWERS)]
            said = f"{number}: {', '.join([*words, things[2], things[3]])}"
            turn = {"messages": [user(said), assistant(answer)]}
            brain.commit_turn(f"s{number % 9}", Marked(turn, DOCUMENT))
        package = brain.compose_context("z", message, token_limit=limit)
    spoken = said_in(package)
    lines = [speaker for one in spoken for speaker in one]
    assert [] == [one for one in spoken if "user" not in one]
    assert lines.count("user") >= max(3, lines.count("assistant"))


@pytest.mark.spec("R17")
def test_the_fact_that_holds_comes_before_a_bare_answer(tmp_path: Path) -> None:
    """In a hundred tokens there is room for one thing, and it is not an "ok"."""
    with fake_brain(tmp_path) as brain:
        for said in ("The staging port is 5432.", "Move it. The staging port is 6543 now."):
            brain.commit_turn(said[:5], [user(said), assistant("ok")])
        text = brain.compose_context("z", "What is the staging port?", token_limit=100).text()
    assert "6543" in text


@pytest.mark.spec("R17")
@pytest.mark.parametrize(
    ("asked", "answer", "message"),
    [
        ("", "The picture shows the harbour of Lisbon.", "What did the harbour picture show?"),
        ("看图", "图片里是里斯本的港口。", "港口的图片里是什么？"),
    ],
)
def test_an_answer_that_tells_something_is_found(
    tmp_path: Path, asked: str, answer: str, message: str
) -> None:
    """What the assistant said itself is evidence, with its question or where there is none."""
    with fake_brain(tmp_path) as brain:
        picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
        words = [{"type": "text", "text": asked}] if asked else []
        shown = {"role": "user", "content": [*words, picture]}
        brain.commit_turn("a", [shown, assistant(answer)])
        package = brain.compose_context("z", message)
    assert answer in package.text()
