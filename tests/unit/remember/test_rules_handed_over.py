"""Text that is handed over, pasted or quoted states nothing in the user's name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from rule_rows import AT, load_rows, read_user

from smartbrain import SmartBrain
from smartbrain.domain.claim import Source
from smartbrain.remember.rules.handed_over import DOCUMENT_BYTES
from smartbrain.remember.rules.said import Mood, read_said

ARTICLE_ZH: Final = (
    "京剧是中国影响最大的戏曲剧种，分布地以北京为中心，遍及全国各地。因为京剧的锣鼓通常很响，"
    "演员必须在开场之前完成化妆。该车站共有三个站台，车站位于城市的北部，于一九三五年建成。"
    "公司总部设在上海，主要产品是轴承和齿轮。他决定放弃原来的计划，并在第二年完成了这部作品。\n"
)
ARTICLE_EN: Final = (
    "The opera house must be rebuilt by the end of the decade because its roof was badly damaged. "
    "The station has three platforms and is located in the northern part of the city. "
    "The company decided to move its headquarters to Lyon, where the main product is bearings. "
    "His deadline was Friday, and the works were finished in the following year.\n"
)
ACCOUNT_ZH: Final = "我住在杭州，在一家做轴承的公司上班。下周五之前我要把季度报告发给客户。"
ACCOUNT_EN: Final = (
    "I live in Oslo and work at a bank. I need to send the report to Ann by Friday. "
)
LONG_ENOUGH: Final = 2 * DOCUMENT_BYTES


def long(text: str) -> str:
    """Repeats a text until it is as long as a document."""
    return text * (LONG_ENOUGH // len(text.encode()) + 1)


@pytest.mark.spec("C1", "C6")
def test_only_the_users_own_words_are_read() -> None:
    """What is translated, pasted, quoted or asked for is not; what stands beside it is."""
    wrong = [
        (row["text"], own)
        for row in load_rows("handed_over")
        if (own := [one.text for one in read_user(row["text"]).sentences]) != row["own"]
    ]
    assert [] == wrong


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("text", ["Translate this: I live in Oslo.", "翻译一下：我住在东京。"])
def test_what_is_handed_over_is_somebody_elses_word(text: str) -> None:
    """It is kept apart, in the mood of what others say."""
    (handed,) = read_user(text).handed
    assert Mood.REPORTED is handed.mood
    assert text.endswith(handed.text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("opening", ["Summarize this:\n", "帮我总结一下：\n"])
def test_a_very_long_text_stays_handed_over_to_its_end(opening: str) -> None:
    """The end of a long text is part of what was handed over at its beginning."""
    text = opening + "It was a long day at sea. " * 2_000 + "\nI live in Oslo. 我住在东京。"
    assert [opening.strip()] == [one.text for one in read_user(text).sentences]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("article", [ARTICLE_ZH, ARTICLE_EN, ARTICLE_ZH + ARTICLE_EN])
def test_a_pasted_article_states_nothing(article: str) -> None:
    """Nobody's words that speaks; names are found in it."""
    said = read_user(long(article))
    assert said.pasted
    assert () == said.sentences
    assert said.handed


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        *(ACCOUNT_ZH, ACCOUNT_EN, ACCOUNT_ZH + "\n" + ACCOUNT_EN),
        "- 数据库用 PostgreSQL。\n- 部署在阿里云。\n",
        "- Database: Postgres.\n- Deploy by Friday.\n",
    ],
)
def test_a_long_account_or_list_of_the_user_is_no_article(text: str) -> None:
    """One sentence in ten of an account speaks of somebody who is there, and notes are short."""
    said = read_user(long(text))
    assert not said.pasted
    assert said.sentences


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("article", [ARTICLE_ZH, ARTICLE_EN])
def test_an_article_counts_as_one_when_it_is_long_and_not_declared(article: str) -> None:
    """A few sentences are the user's; so is all that was given to be remembered."""
    text = long(article)
    assert not read_user(article).pasted
    assert not read_said(text, source=Source.USER, at=AT, own=True).pasted
    assert not read_said(text, source=Source.ASSISTANT, at=AT).pasted


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("repeated", [1, 8])
@pytest.mark.parametrize(
    ("before", "article", "after"),
    [
        ("我住在杭州。\n", ARTICLE_ZH, "记住，项目代号是白鹭。"),
        ("I live in Oslo.\n", ARTICLE_EN, "Remember that the code name is Heron."),
    ],
)
def test_what_is_said_around_an_article_is_the_users(
    before: str, article: str, after: str, repeated: int
) -> None:
    """Only the first and the last of it: the article's own sentences stay apart."""
    said = read_user(before + long(article) * repeated + after)
    assert said.pasted
    assert [before.strip(), after] == [one.text for one in said.sentences]


@pytest.mark.spec("C1")
def test_a_commit_says_why_an_article_became_nothing(tmp_path: Path) -> None:
    """With a code and a sentence, and no memory but entities."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", [{"role": "user", "content": long(ARTICLE_ZH)}])
    told = {one.code: one.reason for one in result.explain.retention}
    assert "document" in told["pasted_text"]
    assert {"entities"} >= {one.type for one in result.memory_written.items}
