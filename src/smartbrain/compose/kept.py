"""What a context was chosen from, as a trace keeps it, and back again (S6).

In: inputs and the package that was made of them, or a trace. Out: plain data, or the same inputs.
What the package shows anyway is kept once: turns that it shows whole are named, and the message and
the agent's own blocks are taken from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from smartbrain.compose.asked import Wanted
from smartbrain.compose.candidates import Candidate, Terms
from smartbrain.compose.select import Inputs
from smartbrain.compose.slots import Held
from smartbrain.domain.audience import Audience
from smartbrain.domain.context import ContextPackage, EvidenceRef, EvidenceSource
from smartbrain.domain.evidence import Signals
from smartbrain.domain.governed import Governed
from smartbrain.domain.packet import ShownCall, ShownTurn, WorkingMemory
from smartbrain.domain.plan import QueryMode
from smartbrain.domain.recall import Cues
from smartbrain.domain.recipe import Recipe
from smartbrain.domain.summary import CoreBlock
from smartbrain.errors import NotFound

if TYPE_CHECKING:
    from smartbrain.domain.job import Trace

_DIGITS: Final = 6  # of a signal; scores are kept as they are, for they decide


def inputs_to_plain(inputs: Inputs, package: ContextPackage) -> dict[str, Any]:
    """Return what a package was chosen from but for its candidates, as plain data."""
    wanted, held = inputs.wanted, inputs.held
    whole = {one.turn_id: one for one in package.recent_turns}
    return {
        "recipe": asdict(wanted.recipe),
        "own": [len(wanted.system), len(wanted.developer)],
        "core": [one.to_dict() for one in held.core],
        "governed": held.governed.to_dict(),
        "turns": [
            one.turn_id if whole.get(one.turn_id) == one else one.to_dict() for one in held.turns
        ],
        "tool_result": held.tool_result.to_dict() if held.tool_result else None,
        "working": inputs.working.to_dict() if inputs.working else None,
        "summary": inputs.summary,
        "cues": inputs.cues.to_dict(),
    }


def candidate_to_plain(one: Candidate) -> dict[str, Any]:
    """Return a candidate with everything that ranking and rendering it again takes, and no more."""
    signals = {name: each for name, each in one.signals.to_dict().items() if each is not None}
    given = {
        "group": one.group,
        "title": one.title,
        "source_uri": one.source_uri,
        "text": one.text,
        "mode": one.mode.value if one.mode else None,
        "ref": {name: each for name, each in one.ref.to_dict().items() if each is not None},
        "at": one.at.isoformat() if one.at else None,
        "speaker": one.speaker,
        "session": one.session,
        "place": list(one.place) if one.session else None,
        "hit": one.hit,
        "terms": [round(each, _DIGITS) for each in one.terms] if one.terms else None,
    }
    return {
        "id": one.id,
        "score": one.score,
        "source": one.source.value,
        "signals": {name: round(each, _DIGITS) for name, each in signals.items()},
        **{name: each for name, each in given.items() if each},
    }


def package_of(trace: Trace) -> ContextPackage:
    """Return the context that a trace is of.

    Raises:
        NotFound: it was not kept.
    """
    if "context" not in trace.body:
        raise NotFound(
            f"what context {trace.context_id!r:.80} showed was not kept, for"
            " policies.observability.store_contexts was false; set it to true and compose again"
        )
    return ContextPackage.from_dict(trace.body["context"])


def inputs_of(trace: Trace) -> Inputs:
    """Return what the context of a trace was chosen from.

    Raises:
        NotFound: it was not kept.
    """
    package, body = package_of(trace), trace.body
    given = body["inputs"]
    system, developer = given["own"]
    shown = {one.turn_id: one for one in package.recent_turns}
    candidates = [_candidate(one) for one in body["candidates"]]
    call, working = given["tool_result"], given["working"]
    return Inputs(
        wanted=Wanted(
            session_id=trace.session_id,
            message=package.user_message,
            recipe=Recipe(**{**given["recipe"], "slots": tuple(given["recipe"]["slots"])}),
            audience=Audience(body["audience"]),
            limit=package.constraints.token_budget.limit,
            now=package.created_at,
            turn_id=body["turn_id"],
            run_id=body["run_id"],
            system=package.system_blocks[:system],
            developer=package.developer_blocks[:developer],
        ),
        held=Held(
            core=tuple(map(CoreBlock.from_dict, given["core"])),
            governed=Governed.from_dict(given["governed"]),
            turns=tuple(
                shown[one] if isinstance(one, str) else ShownTurn.from_dict(one)
                for one in given["turns"]
            ),
            in_progress=body["turn_id"],
            tool_result=ShownCall.from_dict(call) if call else None,
        ),
        cues=Cues.from_dict(given["cues"]),
        working=WorkingMemory.from_dict(working) if working else None,
        summary=given["summary"],
        memories=[one for one in candidates if one.source is EvidenceSource.MEMORY],
        documents=[one for one in candidates if one.source is EvidenceSource.RESOURCE],
    )


def _candidate(given: Mapping[str, Any]) -> Candidate:
    turn, ordinal = given.get("place", (0, 0))
    at, mode, terms = (given.get(name) for name in ("at", "mode", "terms"))
    return Candidate(
        id=given["id"],
        group=given["group"],
        title=given.get("title", ""),
        source_uri=given.get("source_uri", ""),
        text=given.get("text", ""),
        score=given["score"],
        source=EvidenceSource(given["source"]),
        signals=Signals.from_dict(given["signals"]),
        mode=QueryMode(mode) if mode else None,
        ref=EvidenceRef.from_dict(given.get("ref", {})),
        at=datetime.fromisoformat(at) if at else None,
        speaker=given.get("speaker"),
        session=given.get("session", ""),
        place=(turn, ordinal),
        hit=given.get("hit", False),
        terms=Terms(*terms) if terms else None,
    )
