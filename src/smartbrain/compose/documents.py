"""What a context reaches beyond memory: documents, and a reranker that reads both (R11, R13).

In: cues, the rules, how documents are asked. Out: whether they are searched and why, and their
evidence. Small talk and what is only about a moment ago need no documents; a question, research or
an error does. Documents or a reranker that fail or take too long cost their evidence alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Protocol

from msgspec import structs

from smartbrain.compose.candidates import Candidate
from smartbrain.compose.request import ComposeRequest
from smartbrain.domain.evidence import EvidencePack
from smartbrain.domain.plan import Diversity, FusionMethod, RetrievalPlan
from smartbrain.domain.policy import PoliciesRules, Rules
from smartbrain.domain.policy_recall import RecallRerankRules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Cues, Intent
from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.ports.reranker import Reranker
from smartbrain.recall.cues import LAST_TURNS, OURS, intent_of, simplified
from smartbrain.recall.pipeline import Found, missing_arms
from smartbrain.recall.rerank import Run, calibrated
from smartbrain.text.pattern import pattern

_SEEKS: Final = pattern(
    r"(?i)\b(?:sources?|cite|citations?|references?|documentation|docs?|papers?|articles?"
    r"|manuals?|specs?|standards?|compare|comparison|research|look(?:ing)? up|according to)\b"
    r"|查(?:一下|查|资料|找|询)|资料|来源|出处|引用|文献|对比|比较|文档|论文|标准|手册|了解一下|调研"
)
_PARTS: Final = pattern(r"(?<=[.?!;,。？！；，\n])")
_LONGEST: Final = 300  # characters of a message that asks for the last turns and nothing else
_TYPE: Final = "resources"
OFF: Final = ("no_resources", "disabled", "chit_chat", "recent", "not_needed")
"""The codes by which documents are not searched."""
IGNORED: Final = "ignored_field"
"""The code of what documents cannot be filtered or ordered by."""
_NEEDS: Final = (Intent.RESEARCH, Intent.QA, Intent.DEBUG)


class AskDocuments(Protocol):
    """How documents are asked."""

    def __call__(self, plan: RetrievalPlan, seconds: float, /) -> EvidencePack:
        """Return the evidence that answers a plan."""
        ...


class Judge(NamedTuple):
    """A reranker, when it is asked, and how it is waited for."""

    reranker: Reranker
    rules: RecallRerankRules
    run: Run


class Outside(NamedTuple):
    """What a context reaches beyond memory: documents, and a model that reads both together."""

    documents: AskDocuments | None = None
    judge: Judge | None = None


class FoundDocuments(NamedTuple):
    """What documents answered, what was decided about the whole search, what was not followed."""

    pack: EvidencePack | None
    planner: Mapping[str, Any]
    ignored: Sequence[Reason] = ()


class Judged(NamedTuple):
    """Candidates of both sources, and what there is to say about reading them together."""

    memories: Sequence[Candidate]
    documents: Sequence[Candidate]
    why: Reason | None = None


def find_documents(
    found: Found, ask: AskDocuments | None, request: ComposeRequest, rules: Rules
) -> FoundDocuments:
    """Ask for documents if the message wants some; tell what was decided and not followed."""
    policies, plan = rules.policies, found.trace.plan
    there = ask is not None and request.recipe.shows("evidence")
    setting = policies.retrieval.enable_resource_retrieval
    why = decide_documents(found.cues, setting, there=there)
    planner = {
        "recipe": request.recipe.name,
        "audience": request.audience.value,
        "intent": found.cues.intent.value,
        "mode": found.trace.mode,
        "degraded": found.trace.degraded,
        "missing": list(missing_arms(found.trace)),
        "resources": why.to_dict(),
    }
    if why.code in OFF or ask is None or plan is None:
        return FoundDocuments(None, planner)
    most = policies.retrieval.resource_deadline_ms
    try:
        pack = ask(documents_plan(plan, policies), most / 1_000)
    except TimeoutError:
        failed = Reason("late", f"the documents did not answer within {most} ms", type=_TYPE)
    except AdapterError as error:
        failed = Reason(error.code, error.message, type=_TYPE)
    else:
        sentence = "the documents cannot be filtered or ordered by it"
        names = pack.explain.ignored_fields
        ignored = [Reason(IGNORED, sentence, type=_TYPE, key=name) for name in names]
        return FoundDocuments(pack, planner, ignored)
    missing = [*missing_arms(found.trace), f"documents: {failed.reason}"]
    return FoundDocuments(None, {**planner, "degraded": True, "missing": missing}, [failed])


def judge_together(
    memories: Sequence[Candidate],
    documents: Sequence[Candidate],
    query: str,
    judge: Judge | None,
) -> Judged:
    """Return both sources with the reranker's numbers; half of what it reads is of each."""
    hits = [memory for memory in memories if memory.hit and memory.text.strip()]
    found = [document for document in documents if document.text.strip()]
    if judge is None or not (hits and found and query.strip()):
        return Judged(memories, documents)
    rules, reranker = judge.rules, judge.reranker
    hits.sort(key=lambda hit: (-hit.score, hit.source_uri, hit.place, hit.id))
    most = max(1, rules.top_n // 2)
    read = [*hits[:most], *found[:most]]
    texts = [candidate.text for candidate in read]
    try:
        given = judge.run(lambda: reranker.score(query, texts), rules.deadline_ms / 1_000)
    except TimeoutError:
        sentence = f"{reranker.name} did not answer within {rules.deadline_ms} ms"
        return Judged(memories, documents, Reason("late", sentence, type="rerank"))
    except SmartBrainError as error:
        return Judged(memories, documents, Reason(error.code, error.message, type="rerank"))
    numbers = dict(zip(read, calibrated(given), strict=True))
    sentence = f"{reranker.name} has read {len(read)} texts of memory and documents together"
    return Judged(
        [replace(memory, judged=numbers.get(memory)) for memory in memories],
        [replace(document, judged=numbers.get(document)) for document in documents],
        Reason("together", sentence, type="rerank"),
    )


def decide_documents(cues: Cues, setting: bool | str, *, there: bool) -> Reason:
    """Return why documents are searched for a message, if they are `there`, or are not: `OFF`."""
    named = "policies.retrieval.enable_resource_retrieval"
    code, sentence = "not_needed", "nothing in the message asks for documents"
    if not there:
        code, sentence = "no_resources", "no documents are connected"
    elif setting is False:
        code, sentence = "disabled", f"{named} is false"
    elif setting is True:
        code, sentence = "enabled", f"{named} is true"
    elif asked := _SEEKS.search(cues.text):
        code, sentence = "asked", f"the message asks for it: {asked.group()}"
    elif cues.scopes or any("/" in code or "." in code for code in cues.codes):
        code, sentence = "refers", "the message refers to a file or an address"
    elif cues.intent is Intent.CHIT_CHAT:
        code, sentence = "chit_chat", "it is small talk"
    elif _asks_for_last_turns(cues):
        code, sentence = "recent", "it is about a moment ago"
    elif cues.intent in _NEEDS:
        code, sentence = "intent", f"its intent is {cues.intent.value}"
    return Reason(code, sentence, type=_TYPE)


def _asks_for_last_turns(cues: Cues) -> bool:
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
    """Return why a document is not there: not searched, failed, or not answering."""
    failed = [reason for reason in ignored if reason.type == _TYPE and reason.code != IGNORED]
    decided = planner.get("resources") or {}
    if failed:
        return failed[0]
    if decided.get("code") in OFF:
        return Reason.from_dict(decided)
    return Reason("not_found", "documents do not answer with it", type=_TYPE)


def documents_plan(plan: RetrievalPlan, rules: PoliciesRules) -> RetrievalPlan:
    """Return the plan of a message as documents are asked it, within the rules' numbers."""
    retrieval, spread = rules.retrieval, rules.retrieval.diversity
    budget = structs.replace(
        plan.budget,
        top_k=retrieval.top_k,
        candidate_k=retrieval.candidate_k,
        per_mode_k=retrieval.per_mode_k,
        diversity=Diversity(
            by_document=spread.by_document,
            by_source=spread.by_source,
            by_section=spread.by_section,
        ),
    )
    method = FusionMethod(retrieval.fusion)
    fusion = structs.replace(plan.ranking.fusion, method=method, rrf_k=retrieval.rrf_k)
    ranking = structs.replace(plan.ranking, fusion=fusion)
    most = rules.composition.max_snippet_chars
    output = structs.replace(plan.output, max_snippet_chars=most)
    return structs.replace(plan, budget=budget, ranking=ranking, output=output)
