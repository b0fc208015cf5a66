"""What a context was chosen from, as a trace keeps it, and back again (S6).

In: inputs and the words that are stored of them, or a trace and those. Out: plain data, or the same
inputs and the package that was made of them. Words that can be read where they are stored are not
kept here; without them what they belong to is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from smartbrain.compose.asked import Wanted
from smartbrain.compose.candidates import Candidate, Terms, day_of, is_answer
from smartbrain.compose.chosen import EVIDENCE
from smartbrain.compose.select import Inputs, select
from smartbrain.compose.slots import Held
from smartbrain.compose.words import Words, where_of, where_said, where_seen
from smartbrain.domain.audience import Audience
from smartbrain.domain.context import (
    Block,
    Constraints,
    ContextDebug,
    ContextEvidence,
    ContextPackage,
    EvidenceRef,
    EvidenceSource,
    TraceIds,
)
from smartbrain.domain.evidence import Signals
from smartbrain.domain.packet import ShownCall, ShownTurn, WorkingMemory
from smartbrain.domain.plan import QueryMode
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Cues
from smartbrain.domain.recipe import Recipe
from smartbrain.domain.summary import CoreBlock
from smartbrain.domain.working import Governed
from smartbrain.errors import NotFound

if TYPE_CHECKING:
    from smartbrain.compose.id_prices import Count
    from smartbrain.compose.passages import Choice
    from smartbrain.domain.job import Trace
    from smartbrain.domain.policy import Rules

_SIGNALS: Final = Signals.__struct_fields__
_DIGITS: Final = 6  # of a signal; scores are kept as they are, for they decide


def inputs_to_plain(inputs: Inputs, words: Words) -> dict[str, Any]:
    """Return what a package was chosen from as plain data, without words that are stored."""
    wanted, held = inputs.wanted, inputs.held
    return {
        "recipe": asdict(wanted.recipe),
        "message": wanted.message,
        "system": [one.to_dict() for one in wanted.system],
        "developer": [one.to_dict() for one in wanted.developer],
        "limit": wanted.limit,
        "now": wanted.now.isoformat(),
        "core": [one.to_dict() for one in held.core],
        "governed": held.governed.to_dict(),
        "turns": [_turn_to_plain(one, words) for one in held.turns],
        **_results_to_plain(held.results),
        "working": inputs.working.to_dict() if inputs.working else None,
        "summary": inputs.summary,
        "cues": inputs.cues.to_dict(),
        "candidates": _candidates_to_plain(inputs, words),
    }


def _results_to_plain(results: Sequence[ShownCall]) -> dict[str, Any]:
    *others, last = (one.to_dict() for one in results) if results else (None,)
    return {"tool_result": last, **({"parallel_results": others} if others else {})}


def _turn_to_plain(turn: ShownTurn, words: Words) -> dict[str, Any]:
    plain = turn.to_dict()
    for one in plain["messages"]:
        if words.get(where_said(turn.turn_id, one["id"])) == one["content"]:
            del one["content"]
    for one in (*plain["messages"], *plain["tool_calls"]):
        if words.get(where_seen(turn.turn_id, one["id"]), "") == "\n".join(one["media"]):
            del one["media"]
    return plain


def _candidates_to_plain(inputs: Inputs, words: Words) -> list[dict[str, Any]]:
    """Return candidates as plain data; what recall says of a turn all of its lines share.

    Why a memory came to mind the first of them tells.
    """
    given = (*inputs.memories, *inputs.documents)
    known = {one.id: [one.code, one.reason] for one in inputs.known if one.id}
    signals = {id(one.signals): one.signals for one in given}
    scored = {id(one.scored): one for one in given}
    signals_of = {place: _signals_to_plain(one) for place, one in signals.items()}
    terms_of = {place: _terms_to_plain(one.terms) for place, one in scored.items()}
    made = []
    for one in given:
        signal, terms = signals_of[id(one.signals)], terms_of[id(one.scored)]
        plain = _candidate_to_plain(one, words, signal, terms)
        if why := known.pop(one.id, None):
            plain["why"] = why
        made.append(plain)
    return made


def _known(body: Mapping[str, Any]) -> list[Reason]:
    """Return why memories came to mind; of an older trace only of those that were shown."""
    given = body["inputs"]["candidates"]
    known = [
        Reason(code=one["why"][0], reason=one["why"][1], id=one["id"])
        for one in given
        if "why" in one
    ]
    shown = map(Reason.from_dict, body["why_selected"])
    return known or [one for one in shown if one.type == EVIDENCE]


def _signals_to_plain(signals: Signals) -> dict[str, float]:
    known = [(name, getattr(signals, name)) for name in _SIGNALS]
    return {name: round(each, _DIGITS) for name, each in known if each is not None}


def _terms_to_plain(terms: Terms | None) -> list[float] | None:
    return [round(each, _DIGITS) for each in terms] if terms else None


def _candidate_to_plain(
    one: Candidate, words: Words, signals: dict[str, float], terms: list[float] | None
) -> dict[str, Any]:
    """Return a candidate with everything that ranking and rendering it again takes, and no more."""
    plain = {
        "id": one.id,
        "score": one.score,
        "source": one.source.value,
        "signals": signals,
        "group": one.group,
        **_origin_to_plain(one),
    }
    if one.title:
        plain["title"] = one.title
    if one.text and words.get(where_of(one)) != one.text:
        plain["text"] = one.text
    if one.mode:
        plain["mode"] = one.mode.value
    if one.at:
        plain["at"] = one.at.isoformat()
    if one.speaker:
        plain["speaker"] = one.speaker
    if one.session:
        plain["session"] = one.session
        plain["place"] = list(one.place)
    if one.hit:
        plain["hit"] = True
    if terms:
        plain["terms"] = terms
    if one.judged is not None:
        plain["judged"] = one.judged
    return plain


def _origin_to_plain(one: Candidate) -> dict[str, Any]:
    """Return where a candidate comes from; a memory's own id and address follow from the rest."""
    if one.source is EvidenceSource.MEMORY:
        return {"turn": one.turn_id} if one.turn_id else {}
    ref = {name: each for name, each in one.ref.to_dict().items() if each is not None}
    given = {"ref": ref, "source_uri": one.source_uri}
    return {name: each for name, each in given.items() if each}


def _origin(given: Mapping[str, Any]) -> tuple[EvidenceRef | None, str]:
    """Return the place in a document, and the address, of a candidate."""
    if "ref" in given:
        return EvidenceRef.from_dict(given["ref"]), given.get("source_uri", "")
    turn = given.get("turn")
    return None, f"turn:{turn}" if turn else f"memory:{given['id']}"


def package_of(
    trace: Trace, inputs: Inputs, *, rules: Rules, count: Count
) -> tuple[ContextPackage, Choice]:
    """Return the context that a trace is of, made again, and the choice of its evidence.

    What it showed and what that took is as it was kept; only the words are rendered again. Words
    that are gone are empty.
    """
    body = trace.body
    made, choice = select(inputs, rules=rules, count=count)
    again: dict[str, list[ContextEvidence]] = {}
    for one in reversed(made.evidence):
        again.setdefault(one.id, []).append(one)
    debug = ContextDebug(
        planner=body["planner"],
        why_selected=tuple(map(Reason.from_dict, body["why_selected"])),
        ignored=tuple(map(Reason.from_dict, body["ignored"])),
        trace=TraceIds.from_dict(body["ids"]),
    )
    package = structs.replace(
        made,
        context_id=trace.context_id,
        constraints=Constraints.from_dict(body["budget"]),
        evidence=tuple(
            again[one["id"]].pop() if again.get(one["id"]) else _unsaid(one)
            for one in body["selection"]
        ),
        debug=debug,
    )
    return package, choice


def _unsaid(selected: Mapping[str, Any]) -> ContextEvidence:
    """Return a piece of evidence whose words are gone."""
    return ContextEvidence(
        id=selected["id"],
        source=EvidenceSource(selected["source"]),
        source_uri=selected["source_uri"],
        title="",
        snippet="",
        score=selected["score"],
    )


def inputs_of(trace: Trace, read: Callable[..., Words]) -> tuple[Inputs, int]:
    """Return what the context of a trace was chosen from, and how many words of it are gone.

    Args:
        trace: what was kept.
        read: returns the words of candidates and turns that are stored.

    Raises:
        NotFound: it was not kept.
    """
    body = trace.body
    if "inputs" not in body:
        raise NotFound(
            f"what context {trace.context_id!r:.80} showed was not kept, for"
            " policies.observability.store_contexts was false; set it to true and compose again"
        )
    given = body["inputs"]
    plain = [(_candidate(one), "text" in one) for one in given["candidates"]]
    turns = [ShownTurn.from_dict(one) for one in given["turns"]]
    words = read([one for one, own in plain if not own], turns)
    candidates = [
        one if own else replace(one, text=words[where_of(one)])
        for one, own in plain
        if own or where_of(one) in words
    ]
    told = [_with_words(one, words) for one in given["turns"]]
    gone = len(plain) - len(candidates) + sum(lost for _, lost in told)
    working, last = given["working"], given["tool_result"]
    results = [*given.get("parallel_results", ()), *([last] if last else [])]
    inputs = Inputs(
        wanted=Wanted(
            session_id=trace.session_id,
            message=given["message"],
            recipe=Recipe(**{**given["recipe"], "slots": tuple(given["recipe"]["slots"])}),
            audience=Audience(body["audience"]),
            limit=given["limit"],
            now=datetime.fromisoformat(given["now"]),
            turn_id=body["turn_id"],
            run_id=body["run_id"],
            system=tuple(map(Block.from_dict, given["system"])),
            developer=tuple(map(Block.from_dict, given["developer"])),
        ),
        held=Held(
            core=tuple(map(CoreBlock.from_dict, given["core"])),
            governed=Governed.from_dict(given["governed"]),
            turns=tuple(turn for turn, _ in told),
            in_progress=body["turn_id"],
            results=tuple(map(ShownCall.from_dict, results)),
        ),
        cues=Cues.from_dict(given["cues"]),
        working=WorkingMemory.from_dict(working) if working else None,
        summary=given["summary"],
        memories=[one for one in candidates if one.source is EvidenceSource.MEMORY],
        documents=[one for one in candidates if one.source is EvidenceSource.RESOURCE],
        known=_known(body),
    )
    return inputs, gone


def _with_words(given: Mapping[str, Any], words: Words) -> tuple[ShownTurn, int]:
    """Return a turn with its words, and how many of its messages have none any more."""
    where = {one["id"]: where_said(given["turn_id"], one["id"]) for one in given["messages"]}
    messages = [
        {"content": words.get(where[one["id"]], ""), **_with_media(one, given["turn_id"], words)}
        for one in given["messages"]
    ]
    calls = [_with_media(one, given["turn_id"], words) for one in given["tool_calls"]]
    lost = sum("content" not in one and where[one["id"]] not in words for one in given["messages"])
    return ShownTurn.from_dict({**given, "messages": messages, "tool_calls": calls}), lost


def _with_media(given: Mapping[str, Any], turn_id: str, words: Words) -> dict[str, Any]:
    """Return a message or a call with the lines about what it showed."""
    return {"media": words.get(where_seen(turn_id, given["id"]), "").splitlines(), **given}


def _candidate(given: Mapping[str, Any]) -> Candidate:
    turn, ordinal = given.get("place", (0, 0))
    said_at, mode, terms = (given.get(name) for name in ("at", "mode", "terms"))
    at = datetime.fromisoformat(said_at) if said_at else None
    session, speaker = given.get("session", ""), given.get("speaker")
    document, source_uri = _origin(given)
    return Candidate(
        id=given["id"],
        group=given["group"],
        title=given.get("title", ""),
        source_uri=source_uri,
        text=given.get("text", ""),
        score=given["score"],
        source=EvidenceSource(given["source"]),
        signals=Signals.from_dict(given["signals"]),
        mode=QueryMode(mode) if mode else None,
        turn_id=given.get("turn"),
        document=document,
        at=at,
        day=day_of(at),
        speaker=speaker,
        session=session,
        place=(turn, ordinal),
        hit=given.get("hit", False),
        answers=bool(session) and is_answer(ordinal, speaker),
        judged=given.get("judged"),
        scored=Terms(*terms) if terms else None,
    )
