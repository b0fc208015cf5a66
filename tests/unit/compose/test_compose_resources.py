"""Whether documents are searched for a message, with its reason."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from smartbrain.compose.documents import OFF, decide_documents, documents_plan
from smartbrain.domain.plan import FusionMethod
from smartbrain.domain.policy import PoliciesRules, RetrievalRules
from smartbrain.domain.policy_recall import RecallRules
from smartbrain.domain.recall import Cues, Intent
from smartbrain.recall.cues import read_cues
from smartbrain.recall.plan import make_plan


def cues_of(text: str) -> Cues:
    """Read a message."""
    return read_cues(text, now=datetime(2026, 5, 1, tzinfo=UTC))


@pytest.mark.spec("R11")
@pytest.mark.parametrize(
    ("text", "intent", "code", "search"),
    [
        ("Compare both approaches and cite your sources", Intent.OTHER, "asked", True),
        ("帮我查资料，对比两个方案", Intent.OTHER, "asked", True),
        ("Why does the build fail?", Intent.DEBUG, "intent", True),
        ("谁写的？", Intent.QA, "intent", True),
        ("hello", Intent.CHIT_CHAT, "chit_chat", False),
        ("好的，谢谢", Intent.CHIT_CHAT, "chit_chat", False),
        ("go on", Intent.CONTINUE_TASK, "not_needed", False),
    ],
)
def test_the_message_decides_about_documents(
    text: str, intent: Intent, code: str, search: bool
) -> None:
    """Research, questions and errors want documents; small talk and going on do not."""
    decision = decide_documents(Cues(text=text, intent=intent), "auto", there=True)
    assert (code, search) == (decision.code, decision.code not in OFF)


@pytest.mark.spec("R11")
@pytest.mark.parametrize(
    ("setting", "there", "code"),
    [(True, False, "no_resources"), (False, True, "disabled"), (True, True, "enabled")],
)
def test_the_setting_goes_before_the_message(setting: bool, there: bool, code: str) -> None:
    """A setting of true or false is final; without documents there is nothing to search."""
    cues = Cues(text="hello", intent=Intent.CHIT_CHAT)
    assert code == decide_documents(cues, setting, there=there).code


@pytest.mark.spec("R11")
@pytest.mark.parametrize(
    "text",
    [
        *("What did I just say?", "what was my last message?", "repeat that", "where were we?"),
        *("Which city did I just mention?", "Sorry, what did you say?", "say that once more"),
        *("What were we talking about a moment ago?", "What's the last thing I asked you?"),
        *("Please repeat your previous answer.", "recently what did we discuss"),
        *("刚才说了什么", "刚刚我们聊到哪了？", "上一句是什么", "再说一遍", "剛才說了什麼？"),
        *("我刚说的地方是哪里？", "你刚才的回答再说一遍", "我上一条消息说了什么？"),
        *("我忘了，刚才讲到哪里了？", "请重复一下刚才的话", "最近我们聊了什么"),
    ],
)
def test_what_was_said_a_moment_ago_needs_no_documents(text: str) -> None:
    """A question about the last turns is answered from the conversation."""
    assert "recent" == decide_documents(cues_of(text), "auto", there=True).code


@pytest.mark.spec("R11")
@pytest.mark.parametrize(
    "text",
    [
        *("what did the report just released say", "the last section of the manual"),
        *("How do I install the library you just mentioned?", "how do I undo the last commit?"),
        *("What did I just say? And how do I tune autovacuum?", "What is new in the latest one?"),
        *("What was the last question in the exam?", "how to repeat a string in Python?"),
        *("what did the minister say just now?", "What is new in the recently released Postgres?"),
        *("刚发布的文档说了什么", "刚才提到的库怎么安装？", "央行刚刚说了什么？"),
        *("刚才说了什么？另外 PostgreSQL 怎么调优？", "上一个问题怎么解决？", "最近有什么新论文？"),
        *("怎么回滚上一条 SQL？", "我刚买的相机怎么设置？", "上一版的默认端口是多少？"),
    ],
)
def test_what_is_only_new_or_last_is_looked_up(text: str) -> None:
    """What was just released, or the last part of something, is not what was just said."""
    assert decide_documents(cues_of(text), "auto", there=True).code not in OFF


@pytest.mark.spec("R11", "S7")
def test_documents_are_asked_as_the_rules_say() -> None:
    """Numbers and the way to join hits are those of `policies.retrieval`."""
    cues = Cues(text="Compare 两个方案", intent=Intent.RESEARCH)
    retrieval = RetrievalRules(top_k=5, candidate_k=50, fusion="rrf", rrf_k=10)
    widely = retrieval.query_expansion
    plan = make_plan(cues, request_id="r", rules=RecallRules(), k=20, expansion=widely)
    asked = documents_plan(plan, PoliciesRules(retrieval=retrieval))
    assert (5, 50) == (asked.budget.top_k, asked.budget.candidate_k)
    assert (FusionMethod.RRF, 10) == (asked.ranking.fusion.method, asked.ranking.fusion.rrf_k)
