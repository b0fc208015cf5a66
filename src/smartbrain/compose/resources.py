"""Whether documents are searched for a message, and the plan they are asked with (R11).

In: cues, the rules, the kinds of refs in play. Out: a decision with its reason. Small talk and what
is only about a moment ago need no documents; a question, research or an error does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from msgspec.structs import replace

from smartbrain.domain.plan import Diversity, FusionMethod, RetrievalPlan
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Intent
from smartbrain.recall.cue_words import LAST_TURNS, OURS, intent_of, simplified
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.domain.evidence import EvidencePack
    from smartbrain.domain.policy import PoliciesRules
    from smartbrain.domain.recall import Cues

_SEEKS: Final = pattern(
    r"(?i)\b(?:sources?|cite|citations?|references?|documentation|docs?|papers?|articles?"
    r"|manuals?|specs?|standards?|compare|comparison|research|look(?:ing)? up|according to)\b"
    r"|查(?:一下|查|资料|找|询)|资料|来源|出处|引用|文献|对比|比较|文档|论文|标准|手册|了解一下|调研"
)
_PARTS: Final = pattern(r"(?<=[.?!;,。？！；，\n])")
_LONGEST: Final = 300  # characters of a message that asks for the last turns and nothing else
_TYPE: Final = "resources"
_OFF: Final = ("no_resources", "disabled", "chit_chat", "recent", "not_needed")
IGNORED: Final = "ignored_field"
"""The code of what documents cannot be filtered or ordered by."""
_NEEDS: Final = (Intent.RESEARCH, Intent.QA, Intent.DEBUG)


class AskDocuments(Protocol):
    """How documents are asked."""

    def __call__(self, plan: RetrievalPlan, seconds: float, /) -> EvidencePack:
        """Return the evidence that answers a plan.

        Raises:
            TimeoutError: they took longer than so many seconds.
            AdapterError: they cannot be searched.
        """
        ...


class Decision(NamedTuple):
    """Whether documents are searched, and why."""

    search: bool
    why: Reason


def decide_documents(cues: Cues, setting: bool | str, *, there: bool) -> Decision:
    """Return whether documents are searched for a message.

    Args:
        cues: what the message gives to look for.
        setting: `enable_resource_retrieval` of the rules.
        there: whether there are documents at all.
    """
    if not there:
        return _no("no_resources", "no documents are connected")
    if setting is False:
        return _no("disabled", "policies.retrieval.enable_resource_retrieval is false")
    if setting is True:
        return _yes("enabled", "policies.retrieval.enable_resource_retrieval is true")
    if asked := _SEEKS.search(cues.text):
        return _yes("asked", f"the message asks for it: {asked.group()}")
    if cues.scopes or any("/" in code or "." in code for code in cues.codes):
        return _yes("refers", "the message refers to a file or an address")
    if cues.intent is Intent.CHIT_CHAT:
        return _no("chit_chat", "it is small talk")
    if _is_of_the_last_turns(cues):
        return _no("recent", "it is about a moment ago")
    if cues.intent in _NEEDS:
        return _yes("intent", f"its intent is {cues.intent.value}")
    return _no("not_needed", "nothing in the message asks for documents")


def _is_of_the_last_turns(cues: Cues) -> bool:
    """Tell whether a message asks what was said or done of late, by those who talk, and no more.

    Sentence by sentence: one that asks for something else beside it may need documents.
    """
    text = simplified(cues.text)
    if cues.recent and OURS.found(text):
        return True
    if len(text) > _LONGEST:
        return False
    parts = [part.strip() for part in _PARTS.split(text) if part.strip()]
    others = [part for part in parts if not LAST_TURNS.found(part)]
    return len(others) < len(parts) and not any(intent_of(part) in _NEEDS for part in others)


def why_no_document(planner: Mapping[str, Any], ignored: Iterable[Reason]) -> Reason:
    """Return why a document is not there: none were searched, they failed, or it does not answer.

    Args:
        planner: what was decided for the context that it is missing from.
        ignored: what was not followed, or left out.
    """
    failed = [one for one in ignored if one.type == _TYPE and one.code != IGNORED]
    decided = planner.get("resources") or {}
    if failed:
        return failed[0]
    if decided.get("code") in _OFF:
        return Reason.from_dict(decided)
    return Reason("not_found", "documents do not answer with it", type=_TYPE)


def documents_plan(plan: RetrievalPlan, rules: PoliciesRules) -> RetrievalPlan:
    """Return the plan of a message as documents are asked it, within the rules' numbers."""
    retrieval = rules.retrieval
    spread = retrieval.diversity
    return replace(
        plan,
        budget=replace(
            plan.budget,
            top_k=retrieval.top_k,
            candidate_k=retrieval.candidate_k,
            per_mode_k=retrieval.per_mode_k,
            diversity=Diversity(
                by_document=spread.by_document,
                by_source=spread.by_source,
                by_section=spread.by_section,
            ),
        ),
        ranking=replace(
            plan.ranking,
            fusion=replace(
                plan.ranking.fusion,
                method=FusionMethod(retrieval.fusion),
                rrf_k=retrieval.rrf_k,
            ),
        ),
        output=replace(plan.output, max_snippet_chars=rules.composition.max_snippet_chars),
    )


def _yes(code: str, sentence: str) -> Decision:
    return Decision(True, Reason(code, sentence, type=_TYPE))


def _no(code: str, sentence: str) -> Decision:
    return Decision(False, Reason(code, sentence, type=_TYPE))
