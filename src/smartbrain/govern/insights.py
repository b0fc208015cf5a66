"""Insights of a run: few, short-lived, and no memory before somebody validates them (W3).

In: hypotheses with how sure a run is of them, and refs to what speaks for them. Out: memories of
the type `insights`: candidates that only their run's planner may see, active once they are
validated, else expired with the run or by their time to live. The least sure give way when there
are too many. Quotas are here too: a write that would pass its tenant's is refused whole (S7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.domain.claim import Candidate, CandidateAction
from smartbrain.domain.graph import Edge, EdgeType, Provenance, edge_id
from smartbrain.domain.hints import shown
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Memory, Privacy, Scope, Status
from smartbrain.domain.memory_type import chunk_text
from smartbrain.domain.reason import Reason, by_rule
from smartbrain.domain.result import CommitExplain, Retention, RetentionAction
from smartbrain.domain.shapes import ListOf, Number, Text, json_problem
from smartbrain.domain.working import InsightAdded, InsightCounts
from smartbrain.errors import Conflict, NotFound, UsageError
from smartbrain.govern.run_row import (
    RunRow,
    add_event,
    open_row,
    put_row,
)
from smartbrain.govern.trail import TENANT, put_state
from smartbrain.text.controls import without_controls
from smartbrain.text.keywords import keywords_of
from smartbrain.text.pii import find_pii, is_masked

if TYPE_CHECKING:
    from smartbrain.domain.policy import QuotaRules, Rules
    from smartbrain.domain.turn import Turn
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction


def check_artifacts(new: int, *, transaction: Transaction, rules: QuotaRules) -> None:
    """Check that so many more runs of tools may be stored."""
    if rules.artifacts is None or not new:
        return
    held = transaction.usage.artifacts()
    if held + new > rules.artifacts:
        raise Conflict(
            f"the tenant holds {held:,} outputs of tools and may hold {rules.artifacts:,}, so"
            f" {new:,} more are refused; raise quotas.artifacts, or commit the turn without them",
            code="over_quota",
        )


def check_usage(*, transaction: Transaction, rules: QuotaRules) -> None:
    """Check what the tenant holds with all that this transaction has written."""
    usage = transaction.usage
    for name, most, held in (
        ("memories", rules.memories, usage.memories),
        ("bytes", rules.bytes, usage.bytes),
    ):
        if most is not None and (now := held()) > most:
            raise Conflict(
                f"with this the tenant would hold {now:,} {name} and may hold {most:,}, so it is"
                f" refused; raise quotas.{name}",
                code="over_quota",
            )


_REFS: Final = ListOf(Text(max_length=512), max_items=100)
_TURN: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OUTSIDE: Final = re.compile(
    # An address, a path of some folders, or the name of a file with its ending, also at a line.
    r"[A-Za-z][A-Za-z0-9+.-]*://\S.*|(?:file|doi|urn|isbn|arxiv|mailto):\S+"
    r"|(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/)\S.*|[^\s/\\]+(?:[/\\][^\s/\\]+)+[/\\]?"
    r"|[^\s/\\]+\.[A-Za-z][A-Za-z0-9]{0,7}(?:(?::|\#L?)\d+)?",
    re.DOTALL,
)
_WHAT: Final = (
    "the id of a memory, raw chunk, turn, message, tool call, artifact or session, the key of a"
    " memory, an address such as https://…, or the path of a file"
)
_MEMORY: Final = "mem_"
_RAW: Final = "raw_"


def check_evidence(
    evidence: object, *, transaction: Transaction, of: str | None = None
) -> tuple[str, ...]:
    """Return refs without repeats; `of` is the insight that they are to speak for."""
    if isinstance(evidence, str):
        raise UsageError(f"evidence is the text {shown(evidence)}; give a list of ids")
    problem = json_problem(evidence, "evidence") or _REFS.problem(evidence, "evidence")
    if problem or not isinstance(evidence, list | tuple):
        raise UsageError(str(problem))
    refs = tuple(dict.fromkeys(one.strip() for one in evidence))
    memories = transaction.memories.get([one for one in refs if one.startswith(_MEMORY)])
    chunks = transaction.raw.get([one for one in refs if one.startswith(_RAW)])
    for one in refs:
        if one.startswith((_MEMORY, _RAW)) and one not in memories and one not in chunks:
            raise NotFound(f"evidence names {one!r:.80}, which is not in this tenant")
        if not one.startswith((_MEMORY, _RAW)):
            _check_place(one, transaction=transaction)
    for memory in memories.values():
        if memory.id == of:
            raise UsageError("an insight cannot be its own evidence; name what speaks for it")
        if memory.type == "insights" and not _stands(memory):
            raise UsageError(f"evidence {memory.id} is an insight that nobody has validated")
    return refs


def _stands(insight: Memory) -> bool:
    return insight.status is Status.ACTIVE and insight.value.get("validated") is True


def _check_place(ref: str, *, transaction: Transaction) -> None:
    """Refuse what leads nowhere: an id that nothing has, or words that are no address."""
    name = ref.removeprefix("chat:").removeprefix("tool:")
    if _is_known(name, transaction=transaction):
        return
    if _TURN.fullmatch(name) or name != ref:
        raise NotFound(f"evidence names {ref!r:.80}, which is not in this tenant")
    if not _OUTSIDE.fullmatch(ref):
        raise UsageError(f"evidence {shown(ref)} names nothing; give {_WHAT}")


def _is_known(name: str, *, transaction: Transaction) -> bool:
    """Tell whether this tenant has a turn, message, call, session or memory key of a name."""
    sources = transaction.sources
    return (
        sources.said_in(name) is not None
        or sources.called_in(name) is not None
        or transaction.events.last_turn(name) is not None
        or bool(transaction.recalled.keyed([name]))
    )


def link_evidence(insight: Memory, at: datetime, *, transaction: Transaction) -> None:
    """Tie a validated insight to the memories and raw chunks that speak for it."""
    edges = []
    for ref in insight.evidence_refs:
        if ref.startswith(_MEMORY):
            edges.append((ref, EdgeType.SUPPORTS, insight.id))
        elif ref.startswith(_RAW):
            edges.append((insight.id, EdgeType.DERIVED_FROM, ref))
    transaction.edges.add(
        [
            Edge(
                id=edge_id(src, kind, dst),
                src=src,
                dst=dst,
                type=kind,
                created_at=at,
                updated_at=at,
            )
            for src, kind, dst in edges
        ]
    )


INSIGHT: Final = "insight"
VALIDATE: Final = "insight_validate"
INSIGHTS: Final = "insights"
OVER_LIMIT: Final = "over_limit"
"""The code of a reason: a run supposed more than it keeps, and was surer of others."""
_SHARE: Final = Number(0, 1)
_TITLE: Final = 80
_LABELS: Final = 8  # keywords of one insight
_DROPPED_KEPT: Final = 10  # reasons that a run keeps


def add_insight(
    run_id: str,
    statement: object,
    confidence: object,
    evidence: object = (),
    *,
    ports: Ports,
    rules: Rules,
    rules_hash: str,
) -> InsightAdded:
    """Note a hypothesis of a run; with too many of them the least sure one expires."""
    said, sure = _statement(statement, rules), _confidence(confidence)
    with ports.truth.write() as transaction:
        row = open_row(run_id, transaction=transaction)
        refs = check_evidence(evidence, transaction=transaction)
        given = {"run": run_id, "statement": said, "confidence": sure, "evidence": list(refs)}
        event = add_event(
            INSIGHT, given, transaction=transaction, ports=ports, rules_hash=rules_hash
        )
        origin = {"source_operation_id": event.id, "said_at": event.at}
        memory = _made(run_id, row.made + 1, given, event.at, origin, ports.types, rules)
        gone = _noted(run_id, row, memory, transaction=transaction, types=ports.types, rules=rules)
        explain = CommitExplain(retention=tuple(_told(memory, gone)))
        transaction.remembering.keep_explanation(event.id, explain.to_dict(), event.at)
    return InsightAdded(id=memory.id, dropped=tuple(gone))


def suppose(
    candidates: Sequence[Candidate],
    turn: Turn,
    *,
    transaction: Transaction,
    types: TypeRegistry,
    rules: Rules,
) -> tuple[list[Retention], list[Candidate]]:
    """Note the hypotheses that a turn proposes, as a run would; return their fate, and the others.

    Its key names the run, which numbers it. One of no run that goes on is refused: it would never
    end.
    """
    told: list[Retention] = []
    guesses = [one for one in candidates if _is_guess(one)]
    for one in guesses:
        key = str(one.value.get("key") or "")
        named = types.get(INSIGHTS).parse_key(key) if key else one.value
        run_id = str(named["run"])
        try:
            said = _statement(one.value.get("statement"), rules)
            row = open_row(run_id, transaction=transaction)
        except (UsageError, NotFound, Conflict) as error:
            code = "pii" if isinstance(error, UsageError) else "no_run"
            told.append(_refused(key, code, by_rule(error.message, one.rule)))
            continue
        given = {"statement": said, "confidence": one.confidence, "evidence": []}
        origin = {"source_turn_id": turn.id, "said_at": turn.at}
        memory = _made(run_id, row.made + 1, given, turn.created_at, origin, types, rules)
        gone = _noted(run_id, row, memory, transaction=transaction, types=types, rules=rules)
        said_of = _told(memory, gone)
        told += [replace(each, reason=by_rule(each.reason, one.rule)) for each in said_of]
    return told, [one for one in candidates if not _is_guess(one)]


def _is_guess(candidate: Candidate) -> bool:
    return candidate.type == INSIGHTS and candidate.action is CandidateAction.WRITE


def _refused(key: str, code: str, reason: str) -> Retention:
    return Retention(
        type=INSIGHTS, key=key, action=RetentionAction.REFUSED, code=code, reason=reason
    )


def _noted(
    run_id: str,
    row: RunRow,
    memory: Memory,
    *,
    transaction: Transaction,
    types: TypeRegistry,
    rules: Rules,
) -> list[Reason]:
    """Write an insight of a run, and return which ones had to go for it."""
    at = memory.created_at
    transaction.memories.add([memory])
    _index(memory, transaction=transaction, types=types)
    row = replace(row, made=row.made + 1, insights=(*row.insights, memory.id))
    row, gone = _within_limits(row, at, rules=rules, transaction=transaction)
    put_row(run_id, row, at, transaction=transaction)
    _count(made=1, transaction=transaction, at=at)
    check_usage(transaction=transaction, rules=rules.quotas)
    return gone


def validate_insight(
    insight_id: str,
    evidence: object = (),
    by_user: object = False,
    *,
    ports: Ports,
    rules_hash: str,
) -> Memory:
    """Let an insight stand: from now on it is a memory like others and outlives its run.

    One that stands already is returned as it is.
    """
    if not isinstance(by_user, bool):
        raise UsageError(f"by_user is {shown(by_user)}; it must be true or false")
    with ports.truth.write() as transaction:
        memory = _insight(insight_id, now=ports.clock(), transaction=transaction)
        refs = check_evidence(evidence, transaction=transaction, of=insight_id)
        if not refs and not by_user:
            raise UsageError(
                "an insight needs evidence (ids of memories, turns or raw chunks) or by_user=True"
            )
        if memory.status is Status.ACTIVE:
            return memory
        given = {"insight": insight_id, "evidence": list(refs), "by_user": by_user}
        event = add_event(
            VALIDATE, given, transaction=transaction, ports=ports, rules_hash=rules_hash
        )
        value = {**memory.value, "validated": True}
        value["validated_by"] = "user" if by_user else "evidence"
        memory = replace(
            memory,
            value=value,
            status=Status.ACTIVE,
            valid_until=None,
            evidence_refs=tuple(dict.fromkeys((*memory.evidence_refs, *refs))),
            updated_at=event.at,
        )
        transaction.memories.update(memory)
        _index(memory, transaction=transaction, types=ports.types)
        link_evidence(memory, event.at, transaction=transaction)
        run_id = str(memory.value["run"])
        row = open_row(run_id, transaction=transaction)
        waiting = tuple(one for one in row.insights if one != memory.id)
        row = replace(row, insights=waiting, validated=(*row.validated, memory.id))
        put_row(run_id, row, event.at, transaction=transaction)
        _count(validated=1, transaction=transaction, at=event.at)
    return memory


def insights_of(
    row: RunRow, *, transaction: Transaction, now: datetime | None = None
) -> list[Memory]:
    """Return the living insights of a run's row, the surest first, validated or not.

    Only a planner of this run may be shown those that are not validated. One statement.
    """
    found = transaction.memories.get((*row.validated, *row.insights))
    living = [
        one
        for one in found.values()
        if one.status in (Status.ACTIVE, Status.CANDIDATE) and not _is_over(one, now)
    ]
    return sorted(living, key=lambda one: (-one.confidence, one.value["n"]))


def expire_insights(
    ids: Iterable[str], code: str, reason: str, at: datetime, *, transaction: Transaction
) -> list[Reason]:
    """Let insights expire, and say why of each."""
    found = [one for one in transaction.memories.get(ids).values() if _waits(one)]
    found.sort(key=lambda one: int(one.value["n"]))
    for one in found:
        gone = replace(one, status=Status.EXPIRED, valid_until=at, updated_at=at)
        transaction.memories.update(gone)
    if found:
        _count(expired=len(found), transaction=transaction, at=at)
    return [Reason(code, reason, id=one.id, type=INSIGHTS, key=one.key) for one in found]


def insight_counts(*, transaction: Transaction) -> InsightCounts:
    """Return how many insights there were and what became of them, with one statement (S5)."""
    kept = next(iter(transaction.working.state(TENANT, INSIGHTS)), None)
    return InsightCounts.from_dict(kept.body) if kept else InsightCounts()


def _within_limits(
    row: RunRow, at: datetime, *, rules: Rules, transaction: Transaction
) -> tuple[RunRow, list[Reason]]:
    """Let go of insights whose time is over, then of the least sure until few enough are left."""
    waiting = list(transaction.memories.get(row.insights).values())
    over = [one.id for one in waiting if _is_over(one, at)]
    gone = expire_insights(over, "ttl", "its time to live is over", at, transaction=transaction)
    living = sorted(
        (one for one in waiting if one.id not in over),
        key=lambda one: (-one.confidence, -one.value["n"]),
    )
    most = rules.working.max_insights
    reason = f"a run has at most {most} insights, and this one was the least sure"
    excess = [one.id for one in living[most:]]
    gone += expire_insights(excess, OVER_LIMIT, reason, at, transaction=transaction)
    lost = {*over, *excess}
    kept = tuple(one for one in row.insights if one not in lost)
    dropped = (*row.dropped, *gone)[-_DROPPED_KEPT:]
    return replace(row, insights=kept, dropped=dropped), gone


def _made(
    run_id: str,
    n: int,
    given: dict[str, Any],
    at: datetime,
    origin: Mapping[str, Any],
    types: TypeRegistry,
    rules: Rules,
) -> Memory:
    kind, said = types.get(INSIGHTS), given["statement"]
    key = kind.make_key(run=run_id, n=n)
    hours = rules.working.insight_ttl_hours
    return Memory(
        id=memory_id(
            origin.get("source_turn_id") or origin["source_operation_id"], INSIGHTS, key, 1
        ),
        type=INSIGHTS,
        key=key,
        title=said if len(said) <= _TITLE else said[: _TITLE - 1].rstrip() + "…",
        text=said,
        value=kind.complete(key, {"statement": said}).value,
        keywords=keywords_of(said, _LABELS),
        confidence=given["confidence"],
        status=Status.CANDIDATE,
        valid_since=at,
        valid_until=None if hours is None else at + timedelta(hours=hours),
        **origin,
        evidence_refs=tuple(given["evidence"]),
        privacy=Privacy(is_masked(said) or bool(find_pii(said)), Scope(rules.privacy.scope)),
        provenance=Provenance("agent"),
        created_at=at,
        updated_at=at,
    )


def _index(memory: Memory, *, transaction: Transaction, types: TypeRegistry) -> None:
    text = chunk_text(memory, types.get(INSIGHTS))
    transaction.memories.put_chunks({memory.id: [text]})


def _insight(insight_id: str, *, now: datetime, transaction: Transaction) -> Memory:
    memory = transaction.memories.get([insight_id]).get(insight_id)
    if memory is None:
        raise NotFound(f"there is no insight {insight_id!r:.80} in this tenant")
    if memory.type != INSIGHTS:
        raise UsageError(f"{insight_id!r:.80} is one of {memory.type}, not an insight")
    if memory.status is Status.ACTIVE:
        return memory
    if memory.status is not Status.CANDIDATE or _is_over(memory, now):
        told = "expired" if memory.status is Status.CANDIDATE else memory.status.value
        raise Conflict(f"insight {insight_id!r:.80} is {told}; note it again in a run that goes on")
    return memory


def _statement(value: object, rules: Rules) -> str:
    said = without_controls(value) if isinstance(value, str) else value
    problem = Text().problem(said, "statement") or json_problem(said, "statement")
    if problem or not isinstance(said, str):
        raise UsageError(str(problem))
    if rules.privacy.pii == "refuse" and (is_masked(said) or find_pii(said)):
        raise UsageError("statement holds personal data, of which privacy.pii: refuse keeps none")
    return said.strip()


def _confidence(value: object) -> float:
    if not isinstance(value, int | float) or not _SHARE.accepts(value):
        raise UsageError(f"confidence is {shown(value)}; it must be a number from 0 to 1")
    return float(value)


def _is_over(memory: Memory, now: datetime | None) -> bool:
    """Tell whether the time of an insight that nobody validated is over."""
    until = memory.valid_until
    return now is not None and until is not None and _waits(memory) and until <= now


def _waits(memory: Memory) -> bool:
    return memory.status is Status.CANDIDATE


def _count(
    *, made: int = 0, validated: int = 0, expired: int = 0, transaction: Transaction, at: datetime
) -> None:
    before = insight_counts(transaction=transaction)
    after = InsightCounts(
        made=before.made + made,
        validated=before.validated + validated,
        expired=before.expired + expired,
    )
    put_state(TENANT, INSIGHTS, "counts", after.to_dict(), at, rows=transaction)


def _told(memory: Memory, gone: Sequence[Reason]) -> list[Retention]:
    told = [_refused(str(one.key), one.code, one.reason) for one in gone]
    if all(one.id != memory.id for one in gone):
        said = "a run supposes it; it waits to be validated"
        action, code = RetentionAction.DEFERRED, "unvalidated"
        kept = Retention(type=INSIGHTS, key=memory.key, action=action, code=code, reason=said)
        told.insert(0, kept)
    return told
