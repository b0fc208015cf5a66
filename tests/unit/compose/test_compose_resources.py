"""Whether documents are searched for a message, with its reason."""

from __future__ import annotations

import pytest

from smartbrain.compose.resources import decide_documents, documents_plan
from smartbrain.domain.plan import FusionMethod
from smartbrain.domain.policy import PoliciesRules, RetrievalRules
from smartbrain.domain.policy_recall import RecallRules
from smartbrain.domain.recall import Cues, Intent
from smartbrain.recall.plan import make_plan


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
    assert (code, search) == (decision.why.code, decision.search)


@pytest.mark.spec("R11")
@pytest.mark.parametrize(
    ("setting", "there", "code"),
    [(True, False, "no_resources"), (False, True, "disabled"), (True, True, "enabled")],
)
def test_the_setting_goes_before_the_message(setting: bool, there: bool, code: str) -> None:
    """A setting of true or false is final; without documents there is nothing to search."""
    cues = Cues(text="hello", intent=Intent.CHIT_CHAT)
    assert code == decide_documents(cues, setting, there=there).why.code


@pytest.mark.spec("R11")
def test_what_was_said_a_moment_ago_needs_no_documents() -> None:
    """A question about a moment ago is answered from the conversation."""
    cues = Cues(text="What did I just say?", intent=Intent.QA, recent=True)
    assert "recent" == decide_documents(cues, "auto", there=True).why.code


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
