"""A long text that was pasted without a word states nothing; a long account of the user does."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from smartbrain import SmartBrain
from smartbrain.domain.candidate import Source
from smartbrain.remember.extract.find import find_stated
from smartbrain.remember.extract.pasted import LONG
from smartbrain.remember.extract.said import Said, read_said

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
LONG_ENOUGH: Final = 2 * LONG


def read(text: str, source: Source = Source.USER, *, own: bool = False) -> Said:
    """Read a message."""
    at = datetime(2026, 3, 5, 10, tzinfo=UTC)
    return read_said(text, source=source, speaker="user", at=at, own=own)


def long(text: str) -> str:
    """Repeat a text until it is as long as a document."""
    return text * (LONG_ENOUGH // len(text.encode()) + 1)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("article", [ARTICLE_ZH, ARTICLE_EN, ARTICLE_ZH + ARTICLE_EN])
def test_a_pasted_article_states_nothing(article: str) -> None:
    """It has tasks, facts and decisions, but nobody's that speaks; names are found in it."""
    said = read(long(article))
    assert said.pasted
    assert [] == find_stated(said)
    assert said.handed


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("account", [ACCOUNT_ZH, ACCOUNT_EN, ACCOUNT_ZH + "\n" + ACCOUNT_EN])
def test_a_long_account_of_the_user_is_read(account: str) -> None:
    """However long it is, one sentence in ten speaks of somebody who is there."""
    said = read(long(account))
    assert not said.pasted
    assert {"profile", "tasks"} <= {one.type for one in find_stated(said)}


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "notes",
    ["- 数据库用 PostgreSQL。\n- 部署在阿里云。\n", "- Database: Postgres.\n- Deploy by Friday.\n"],
)
def test_a_long_list_of_notes_is_no_article(notes: str) -> None:
    """Whoever keeps notes seldom says I, and is short."""
    assert not read(long(notes)).pasted


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("article", [ARTICLE_ZH, ARTICLE_EN])
def test_an_article_counts_as_one_when_it_is_long_and_not_declared(article: str) -> None:
    """A few sentences are the user's; so is all that was given to be remembered."""
    assert not read(article).pasted
    assert not read(long(article), own=True).pasted
    assert not read(long(article), Source.ASSISTANT).pasted


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
    said = read(before + long(article) * repeated + after)
    assert said.pasted
    assert [before.strip(), after] == [one.text for one in said.sentences]
    assert {"profile", "facts"} == {one.type for one in find_stated(said)}


@pytest.mark.spec("C1")
def test_a_commit_says_why_an_article_became_nothing(tmp_path: Path) -> None:
    """With a code and a sentence, and no memory but entities."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", [{"role": "user", "content": long(ARTICLE_ZH)}])
    told = {one.code: one.reason for one in result.explain.retention}
    assert "document" in told["pasted_text"]
    assert {"entities"} >= {one.type for one in result.memory_written.items}
