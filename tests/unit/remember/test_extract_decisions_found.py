"""Decisions are found in what is said, with topics that outlast the wording."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.builtin_types import Decisions
from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.decisions import find
from smartbrain.remember.extract.said import read_said

AT = datetime.fromisoformat("2026-03-05T10:00:00+08:00")
TYPE = Decisions()


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return the decisions of a message."""
    said = read_said(text, source=source, speaker=source.value, at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


@pytest.mark.spec("C6", "M1", "M2")
@pytest.mark.parametrize(
    ("text", "topic", "decision"),
    [
        ("Let's go with Postgres.", "database", "Postgres"),
        ("we decided on MySQL", "database", "MySQL"),
        ("缓存决定用 Redis。", "cache", "用 Redis"),
        ("网页端决定用 React。", "frontend_framework", "用 React"),
        ("部署方面最后决定上 Kubernetes。", "deployment", "上 Kubernetes"),
        ("就用 Postgres", "database", "Postgres"),
        ("After a long debate we picked Kotlin for the rewrite.", "language", None),
        ("We will use Kubernetes instead of Nomad.", "deployment", "Kubernetes instead of Nomad"),
        ("Final decision: the old logo stays.", "logo", "the old logo stays"),
        ("I chose the grey tiles for the bathroom.", "bathroom", None),
        ("My husband and I settled on the name Clara.", "naming", "the name Clara"),
        ("Acme was chosen as our payroll provider.", "payroll_provider", None),
        ("Postgres it is.", "database", None),
        ("It was decided that hiring stops until May.", "hiring", None),
        ("我们最终选择了阿里云。", "cloud", None),
        ("我和老婆商量好了，蜜月去冰岛。", "honeymoon", "蜜月去冰岛"),
        ("最终决定采用微服务架构。", "architecture", "采用微服务架构"),
        ("就选靠海的那家酒店吧。", "hotel", "靠海的那家酒店"),
        ("房租先不涨，这事就这么定了。", None, "房租先不涨"),
        ("老板最后拍板用国产芯片。", None, "用国产芯片"),
        ("我们决定 adopt trunk-based development。", None, "adopt trunk-based development"),
        ("最后 go with MongoDB 了。", "database", None),
    ],
)
def test_a_settled_choice_is_a_decision(text: str, topic: str | None, decision: str | None) -> None:
    """What was settled is found once, with its topic and its words."""
    (one,) = found(text)
    assert "decisions" == one.type
    assert "2026-03-05" == one.value["made_at"]
    assert topic in (None, one.value["topic"])
    assert decision in (None, one.value["decision"])
    assert one.confidence >= 0.8


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("We ended up going with Hetzner.", "Hetzner"),
        ("We hired Studio Kolm for the rebrand.", "Studio Kolm"),
        ("I promised the client a report every Friday.", "report every Friday"),
        ("I gave my word that the price stays at 40.", "price stays"),
        ("Everyone's on board: the pilot starts in Graz.", "Graz"),
        ("We scrapped the loyalty cards, app only from now on.", "app only"),
        ("We turned down the offer from Kestrel.", "Kestrel"),
        ("Consensus among the parents: no phones at camp.", "no phones"),
        ("Outcome of the vote: the pool stays open.", "pool"),
        ("After weeks of debate it's Porto for the retreat.", "Porto"),
        ("no more overtime on Sundays, made that call yesterday", "overtime"),
        ("领导批了，下月起改成弹性工时", "弹性工时"),
        ("保险比了几家，最终签给平安", "平安"),
        ("我们放弃自研芯片，全部外购", "外购"),
        ("会上通过了新的考勤制度：每天打卡一次", "打卡"),
        ("就这么办，书名用短的那个", "短的"),
        ("经校务会研究决定，食堂周日开放", "周日"),
        ("我拿定主意不考公了", "考公"),
        ("暑假去青岛，不去北戴河，就这么说定了", "青岛"),
        ("我答应客户每周五发周报", "周报"),
        ("部署那块我们最后 settle 在 Nomad 上了", "Nomad"),
    ],
)
def test_decisions_are_told_in_many_ways(text: str, word: str) -> None:
    """Outcomes, refusals, promises and what is given up or passed are decisions."""
    (one,) = found(text)
    assert word in one.value["decision"]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "I think I'll go with strawberries.",
        "I picked this color.",
        "I chose to write about this.",
        "Now that I've decided on the tool, let's start.",
        "I went with some friends and we had a blast.",
        "I went for a 30-minute jog.",
        "I love how simple it is.",
        "Yes it is.",
        "I promised myself a treat.",
        "She promised me the moon.",
        "I promised Ms Okoye I'd hand in the form.",
        "I decided to stay in bed.",
        "We all agreed it was a fun night.",
        "我决定今天早点睡",
        "妈妈答应带我去动物园",
        "大家都同意今天天气不错",
    ],
)
def test_a_passing_choice_is_no_decision(text: str) -> None:
    """What is of the moment, names nothing or binds nobody is left alone."""
    assert [] == found(text)


@pytest.mark.spec("C6")
def test_a_remark_after_a_dash_is_no_part_of_a_decision() -> None:
    """The words of a decision end where a remark begins."""
    (one,) = found("We decided to rent the barn - so exciting!")
    assert "rent the barn" == one.value["decision"]
    assert "rent the barn" == one.value["decision"]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We decided to rent the barn - even though it leaks.", "We decided to rent the barn"),
        ("我们决定租下谷仓，即使屋顶漏水。", "我们决定租下谷仓"),
    ],
)
def test_no_word_hangs_on_after_a_decision(text: str, words: str) -> None:
    """Where a side clause is cut off, the word that led to it goes too."""
    (one,) = found(text)
    assert words == one.text


@pytest.mark.spec("M2", "C4")
def test_a_later_choice_of_the_same_kind_has_the_same_key() -> None:
    """The key is that of the topic, in whichever language the choice is made."""
    texts = ("Let's go with Postgres.", "就用 TiDB 吧。", "We decided on MySQL.")
    keys = {TYPE.key_of(one.value) for text in texts for one in found(text)}
    assert {"decision:general:database"} == keys


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "rationale"),
    [
        ("We're switching to pnpm because npm is too slow.", "npm is too slow"),
        ("缓存我们选了 Redis，因为团队熟悉。", "团队熟悉"),
    ],
)
def test_a_reason_is_kept(text: str, rationale: str) -> None:
    """What follows "because" is the rationale and no part of the decision."""
    (one,) = found(text)
    assert rationale == one.value["rationale"]
    assert rationale not in one.value["decision"]


@pytest.mark.spec("C6")
def test_the_project_is_read_from_the_sentence() -> None:
    """A decision belongs to the project that its sentence names."""
    (one,) = found("For the Heron project we decided to use SQLite.")
    assert "decision:Heron:database" == TYPE.key_of(one.value)
    (one,) = found("We decided to charge per seat instead of per project.")
    assert "general" == one.value["project"]
    (one,) = found("我们最后决定采用双周迭代的方式来推进整个项目的开发工作")
    assert "general" == one.value["project"]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "We haven't decided on a database yet.",
        *(
            "缓存决定用户体验。",
            "负载均衡服务决定用哪台机器。",
            "小王的服务决定用 Go。",
            "仓库决定用 WMS",
        ),
        "Should we go with Postgres?",
        "I'm thinking of going with Postgres.",
        "If we decided to use Rust, would the build be slower?",
        "We decided to use Kafka, right?",
        "My sister decided to quit smoking.",
        "My boss said we decided to use Oracle.",
        "We almost went with Angular.",
        "I decided to take a nap.",
        "I went with my sister to the market.",
        "Let's go for a walk.",
        "Let's call it a day.",
        "Agreed!",
        "Whatever it is.",
        "我们还没决定用哪个数据库。",
        "要不要就用 Postgres？",
        "就用 Postgres，好吗？",
        "他决定辞职了。",
        "性格决定命运。",
        "你来决定吧。",
        "听说总部决定关掉上海办公室。",
        "如果决定用 Rust，要多久？",
        "我一直就用 vim。",
        "从现在起，标题统一用二级标题。",
        "搞定了，证书换好了。",
        "好，就按你说的办。",
    ],
)
def test_what_is_open_or_of_others_is_no_decision(text: str) -> None:
    """What is asked, supposed, undecided, told of strangers or of no account is left alone."""
    assert [] == found(text)


@pytest.mark.spec("C6")
def test_the_place_is_the_clause_that_tells_it() -> None:
    """What else the message says is not claimed."""
    text = "Hi there. We decided to use Postgres, and I need to write the migration."
    (one,) = found(text)
    assert "We decided to use Postgres" == text[one.offset : one.offset + one.length]


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    ("text", "count"),
    [("We agreed to use Postgres.", 1), ("Let's go with Postgres.", 0), ("我们决定用 Go。", 1)],
)
def test_an_assistant_only_recalls_what_was_settled_together(text: str, count: int) -> None:
    """Its own choices are none, and what it recalls is believed less."""
    recalled = found(text, Source.ASSISTANT)
    assert count == len(recalled)
    assert all(one.confidence <= 0.6 for one in recalled)


@pytest.mark.spec("C6", "M1")
@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("We decided on frontend in Vue and backend in Django.",
         ["frontend_framework", "backend_framework"]),
        ("We decided to use Vue for the frontend and Django for the backend.",
         ["frontend_framework", "backend_framework"]),
        ("We'll do the frontend in Vue and the backend in Django.",
         ["frontend_framework", "backend_framework"]),
        ("我们决定前端用 Vue，后端用 Django。", ["frontend_framework", "backend_framework"]),
        ("We decided to use Cloudflare for the CDN and Route53 for DNS.", ["cdn", "dns"]),
        ("我们决定订单库用 MySQL，日志库用 ClickHouse", ["database_orders", "logging"]),
        ("管理后台决定用 Vue，官网决定用 React。",
         ["frontend_framework_admin", "frontend_framework_website"]),
        ("We decided on Postgres and Redis.", ["database", "cache"]),
        ("我们决定用 Postgres 和 Redis。", ["database", "cache"]),
        ("We decided on Postgres and MySQL.", ["database"]),
        ("We decided to move from Rails and Postgres to Django.", ["backend_framework"]),
    ],
)  # fmt: skip
def test_two_choices_at_once_are_two_decisions(text: str, topics: list[str]) -> None:
    """Each has its own topic and its own place, so that neither replaces the other."""
    told = found(text)
    assert topics == [one.value["topic"] for one in told]
    ends = [one.offset + one.length for one in told]
    assert all(end <= one.offset for end, one in zip(ends, told[1:], strict=False))


@pytest.mark.spec("C6")
def test_a_list_of_triggers_is_no_sentence() -> None:
    """Thousands of deciding words are passed over."""
    assert [] == found("决定，" * 600)


_WORDS = st.sampled_from(
    [
        "we ",
        "decided ",
        "to ",
        "use ",
        "Postgres",
        ", ",
        "。",
        "我们",
        "决定",
        "就用",
        "了",
        "吧",
        "？",
    ]
)


@pytest.mark.spec("C6", "M1")
@given(st.lists(_WORDS | st.text(max_size=4), max_size=25).map("".join))
def test_any_text_gives_valid_decisions(text: str) -> None:
    """Whatever is said, a candidate has a valid key and value and lies in the message."""
    for one in found(text):
        TYPE.complete(TYPE.key_of(one.value), one.value)
        assert 0 <= one.offset < one.offset + one.length <= len(text)


@pytest.mark.spec("M2", "C4")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("We decided to hire two engineers.", "We decided to hire a designer.", False),
        ("We decided to hire two engineers.", "We decided to hire three engineers.", True),
        ("We decided to use Redis for caching.", "We decided to use Redis for sessions.", False),
        ("We decided to use Postgres for billing.", "We decided to use MySQL for billing.", True),
        ("We decided to use Postgres for its speed.", "We decided to use MySQL.", True),
        ("We decided to use Redis for cost reasons.", "We decided to use Memcached.", True),
        ("We decided to use Postgres for the project.", "We decided to use MySQL.", True),
        ("我们决定招两个工程师。", "我们决定招一个设计师。", False),
        ("我们决定招两个工程师。", "我们决定招三个工程师。", True),
        ("我们决定用Redis做缓存。", "我们决定用Redis存session。", False),
        ("我们决定用Kafka做消息队列。", "我们决定用RabbitMQ。", True),
        ("订单库决定用 MySQL", "日志库决定用 ClickHouse", False),
        ("订单库决定用 MySQL", "For the orders database we go with Postgres", True),
        ("订单库我们改用 Postgres 了", "We decided to use MySQL for the orders db.", True),
        ("我们决定把订单库迁到 Postgres。", "关于订单库，我们决定用 MySQL。", True),
        ("For the orders database we go with Postgres", "For logs we go with ClickHouse", False),
        ("测试库决定用 SQLite", "We decided to use Postgres for the test database.", True),
        ("支付服务决定用 Go。", "We decided to use Java for the payment service.", True),
        ("我们决定用 MySQL", "我们改用 Postgres 了", True),
        ("For now we go with Postgres.", "For cost reasons we decided to use MySQL.", True),
        ("On Monday we decided to use Kafka.", "In the meeting we chose RabbitMQ.", True),
        ("We decided to host on AWS.", "We decided to use Cloudflare for DNS.", False),
        ("我们最终选择了阿里云。", "DNS 决定用 Cloudflare。", False),
        ("For the wedding we chose the blue logo.", "For the wedding we chose Hall 3.", False),
        ("We decided to write the backend in Rust.", "后端决定用 Go。", True),
        ("前端决定用 Vue。", "后端决定用 Django。", False),
        (
            "Let's go with Tailwind for the frontend.",
            "Let's go with React for the frontend.",
            False,
        ),
        ("Let's go with Vue for the frontend.", "Let's go with React for the frontend.", True),
        ("Let's go with Tailwind for the frontend.", "Let's go with Bootstrap.", True),
        ("Let's go with Redux for the frontend.", "Let's go with Vite for the frontend.", False),
        ("前端决定用 Tailwind。", "前端决定用 React。", False),
        ("前端决定用 Webpack。", "We decided to use Vite.", True),
        ("We decided to use MySQL.", "We decided to use MongoDB in the analytics service.", False),
        (
            "We decided to use Redis in the billing service.",
            "We decided to use Valkey in the billing service.",
            True,
        ),
        ("We decided to use MySQL in the new service.", "We decided to use MongoDB.", True),
        ("We decided to use MySQL in the end.", "We decided to use MongoDB in the meantime.", True),
        ("我们决定用 PostgreSQL。", "我们决定在分析服务里用 MongoDB。", False),
        (
            "我们决定在分析服务里用 MongoDB。",
            "We decided to use ClickHouse in the analytics service.",
            True,
        ),
        ("我们决定在新项目里用 MongoDB。", "我们决定用 MySQL。", True),
    ],
)
def test_decisions_for_other_ends_have_other_topics(one: str, other: str, same: bool) -> None:
    """The later of two takes the place of the first only where both are about the same."""
    first, second = (found(text)[0].value for text in (one, other))
    keys = [(value["project"], value["topic"]) for value in (first, second)]
    assert same == (keys[0] == keys[1]), keys
