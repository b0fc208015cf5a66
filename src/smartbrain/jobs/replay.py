"""Replay: a tenant's events and operations are run again into an empty one, and compared (E1, M4).

In: the ports of the tenant and of an empty one. Out: a report. Every event keeps its ids, its times
and its order, so under the same rules each memory and edge comes out the same, ids included; what
does not is named. The tenant itself is only read, and so are its raw files: the copy has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.ids import IdSource
from smartbrain.domain.memory import Status
from smartbrain.domain.replay import NotRun, RebuiltReport, ReplayReport, Stage, Step
from smartbrain.domain.turn import CallStatus, Operation, ToolCall, Turn
from smartbrain.errors import AdapterError, InternalError, NotFound, SmartBrainError, UsageError
from smartbrain.govern.insights import INSIGHT, VALIDATE, add_insight, validate_insight
from smartbrain.govern.runs import END, START, UPDATE, end_run, start_run, update_run
from smartbrain.govern.session_end import note_end
from smartbrain.govern.sessions import with_texts
from smartbrain.govern.verbs import VERBS, perform_again
from smartbrain.jobs.compare import Comparison
from smartbrain.jobs.reread import REREAD
from smartbrain.jobs.work_answers import AGENT, answer_again
from smartbrain.remember.nodes import add_edge, add_node
from smartbrain.remember.operate import (
    correct_memory,
    give_feedback,
    put_memory,
    retract_memory,
)
from smartbrain.remember.pipeline import remember, remember_turn
from smartbrain.remember.record import append_turn

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.rules import WriteRules

_PAGE: Final = 200
_NAMED: Final = 20  # events that are named in a report

Progress = Callable[[int, int], None]
"""Called with how many events and memories are done, and of how many."""
Given = Mapping[str, Any]


def replay(
    source: Ports, target: Ports, *, rules: WriteRules, on_progress: Progress | None = None
) -> ReplayReport:
    """Run everything that a tenant was told again, in order, and compare what came of it.

    `target` is empty, and reads the raw files of `source`.

    Raises:
        AdapterError: the storage failed. What single events lack is in the report.
    """
    counts = source.truth.counts()
    total = counts["steps"] + counts["operations"] + counts["memories"]
    move = _counting(total, on_progress)
    with source.truth.read() as rows:
        again = _run_events(_Again(rows, target, rules), move)
        with target.truth.read() as others:
            comparison = Comparison(rows, others, reread=again.reread)
            for compared in comparison.run():
                move(compared)
    return ReplayReport(
        steps=again.steps,
        operations=again.operations,
        memories=comparison.memories,
        edges=comparison.edges,
        other_rules=again.other_rules,
        failed=again.failed,
        not_run=tuple(again.not_run),
        differing=comparison.differing,
        differences=tuple(comparison.differences),
    )


def replay_into(
    source: Ports, target: Ports, *, rules: WriteRules, on_progress: Progress | None = None
) -> RebuiltReport:
    """Run everything that a tenant was told again into an empty one that is to be kept.

    `target` has the raw files of `source` already. Replies to idempotency keys and what was masked
    come along, so that a call that is repeated is answered as before.

    Raises:
        AdapterError: the storage failed. What single events lack is in the report.
    """
    counts = source.truth.counts()
    move = _counting(counts["steps"] + counts["operations"], on_progress)
    with source.truth.read() as rows:
        withheld = bool(counts.get("withheld"))
        again = _run_events(_Again(rows, target, rules, bring_withheld=withheld), move)
        _bring_replies(rows, target)
        _end_sessions(rows, target)
    made = target.truth.counts()
    return RebuiltReport(
        steps=again.steps,
        operations=again.operations,
        claims=made["claims"],
        memories=made["memories"],
        failed=again.failed,
        not_run=tuple(again.not_run),
    )


def _counting(total: int, on_progress: Progress | None) -> Callable[[int], None]:
    """Return what to call with how much more is done."""
    done = 0

    def move(by: int) -> None:
        nonlocal done
        done += by
        if on_progress is not None:
            on_progress(done, total)

    return move


def _run_events(again: _Again, move: Callable[[int], None]) -> _Again:
    """Run all events again, in order."""
    for event in _in_order(again.rows):
        again.run(event)
        move(1)
    return again


def _bring_replies(rows: Transaction, target: Ports) -> None:
    """Copy what calls with an idempotency key were answered."""
    after = ""
    while page := rows.replayed.replies(after=after, limit=_PAGE):
        with target.truth.write() as transaction:
            for key, hashed, result, at in page:
                transaction.ledger.keep_reply(key, hashed, result, at)
        after = page[-1][0]


def _end_sessions(rows: Transaction, target: Ports) -> None:
    """End the sessions that have ended."""
    after = None
    while page := rows.events.sessions(after=after, limit=_PAGE):
        ended = [session for _, session in page if session.ended_at is not None]
        with target.truth.write() as transaction:
            for session in ended:
                if (at := session.ended_at) and transaction.events.last_turn(session.id):
                    transaction.events.end_session(session.id, at)
                    note_end(session.id, at, transaction=transaction)
        after = page[-1][0]


def _in_order(rows: Transaction) -> Iterator[Step | Operation]:
    """Yield the steps of turns and the operations in the order in which they were committed."""
    operations = _operations(rows)
    waiting = next(operations, None)
    after = 0
    while page := rows.replayed.steps(after=after, limit=_PAGE):
        for _, last, step in page:
            while waiting is not None and waiting[0] <= last:
                yield waiting[1]
                waiting = next(operations, None)
            yield step
        after = page[-1][0]
    while waiting is not None:
        yield waiting[1]
        waiting = next(operations, None)


def _operations(rows: Transaction) -> Iterator[tuple[int, Operation]]:
    """Yield all operations with their numbers."""
    after = 0
    while page := rows.replayed.operations(after=after, limit=_PAGE):
        yield from page
        after = page[-1][0]


@dataclass(slots=True)
class _Again:
    """Runs events one by one, and counts them."""

    rows: Transaction
    target: Ports
    rules: WriteRules
    steps: int = 0
    operations: int = 0
    other_rules: int = 0
    failed: int = 0
    not_run: list[NotRun] = field(default_factory=list)
    reread: bool = False
    bring_withheld: bool = False
    _lost: set[str] = field(default_factory=set)

    def run(self, event: Step | Operation) -> None:
        """Run one event; one that cannot be is noted."""
        self.other_rules += event.rules_hash != self.rules.hash
        if isinstance(event, Operation):
            self.operations += 1
            self._noting("operation", event.id, lambda: self._operate(event))
            return
        self.steps += 1
        if event.turn_id in self._lost:
            self._note("turn", event.turn_id, "an earlier step of it could not be run")
        elif not self._noting("turn", event.turn_id, lambda: self._step(event)):
            self._lost.add(event.turn_id)

    def _noting(self, kind: str, event_id: str, run: Callable[[], None]) -> bool:
        """Run something and note why it failed, if it did; a fault of ours is none of the data."""
        try:
            run()
        except InternalError:
            raise
        except SmartBrainError as error:
            if isinstance(error, AdapterError) and error.retryable:
                raise
            self._note(kind, event_id, error.message)
            return False
        return True

    def _note(self, kind: str, event_id: str, reason: str) -> None:
        self.failed += 1
        if len(self.not_run) < _NAMED:
            self.not_run.append(NotRun(kind=kind, id=event_id, reason=reason))

    def _operate(self, operation: Operation) -> None:
        """Run an operation with the input, the id and the time that it had."""
        if operation.kind == REREAD:  # all turns are read by the present reader now
            self.reread = True
            return
        run = _RUN.get(operation.kind)
        if run is None:
            raise UsageError(f"operations of the kind {operation.kind!r} cannot be run again")
        ports = replace(
            self.target,
            clock=lambda: operation.at,
            ids=_StoredId(self.target.clock, _no_entropy, operation.id),
        )
        run(operation.input, ports, self.rules)

    def _step(self, step: Step) -> None:
        """Record and remember what a commit had added to its turn."""
        with self.target.truth.write() as transaction:
            if step.stage is Stage.REMEMBER:
                turn = transaction.events.turn(step.turn_id)
                remember_turn(
                    turn, transaction=transaction, ports=self.target, rules=self.rules.rules
                )
                return
            whole = self.rows.events.turn(step.turn_id)
            stored = self._stored(step.turn_id, transaction)
            spans = _part(whole, step, stored)
            (said,) = with_texts([spans], transaction=self.rows, blobs=self.target.blobs)
            self._bring(spans, transaction)
            recorded = append_turn(said, spans, stored, transaction=transaction)
            transaction.replayed.add_step(step)
            if self.bring_withheld:
                transaction.withheld.keep(step.turn_id, self.rows.withheld.of([step.turn_id]))
            if step.stage is Stage.COMMIT:
                remember(
                    recorded,
                    (),
                    transaction=transaction,
                    ports=self.target,
                    rules=self.rules.rules,
                )

    def _stored(self, turn_id: str, transaction: Transaction) -> Turn | None:
        """Return what the earlier steps of a turn have left, with its messages' texts."""
        try:
            turn = transaction.events.turn(turn_id)
        except NotFound:
            return None
        return with_texts([turn], transaction=transaction, blobs=self.target.blobs, outputs=False)[
            0
        ]

    def _bring(self, spans: Turn, transaction: Transaction) -> None:
        """Hold what a step leads to: its original text."""
        held = _raw_ids(spans)
        chunks = self.rows.raw.get(held)
        transaction.raw.hold([chunks[raw_id] for raw_id in held])


@dataclass(frozen=True, slots=True)
class _StoredId(IdSource):
    """Gives the id that an event has."""

    stored: str

    def new(self) -> str:
        """Return the stored id."""
        return self.stored


def _no_entropy(size: int) -> bytes:
    """Give no chance a part: whatever was random is stored."""
    raise InternalError(f"a replay asked for {size} random bytes")


def _part(whole: Turn, step: Step, stored: Turn | None) -> Turn:
    """Return what a step added to a turn that grew from step to step."""
    parts, calls = step.parts, {call.id: call for call in whole.tool_calls}
    messages = len(stored.messages) if stored else 0
    refs = len(stored.refs) if stored else 0
    had = {name: len(given) for name, given in stored.proposals.items()} if stored else {}
    return replace(
        whole,
        context_id=step.context_id,
        rules_hash=step.rules_hash,
        messages=whole.messages[messages : messages + parts.messages],
        tool_calls=tuple(
            _begun(calls[one]) if one in parts.open_calls else calls[one]
            for one in parts.tool_calls
        ),
        refs=whole.refs[refs : refs + parts.refs],
        proposals={
            name: whole.proposals[name][had.get(name, 0) :][:count]
            for name, count in parts.proposals.items()
        },
        created_at=step.created_at,
    )


def _begun(call: ToolCall) -> ToolCall:
    """Return a call as it was before anything was known of its end."""
    return replace(
        call,
        status=CallStatus.UNKNOWN,
        exit_code=None,
        result_json=False,
        result_spans=(),
        stdout_spans=(),
        stderr_spans=(),
    )


def _raw_ids(turn: Turn) -> list[str]:
    """Return the chunk of every span of a turn, empty texts too."""
    spans = [span for message in turn.messages for span in message.spans]
    for call in turn.tool_calls:
        spans += call.result_spans + call.stdout_spans + call.stderr_spans
    return [span.raw_id for span in spans]


def _archive(given: Given, ports: Ports) -> None:
    """Put memories away again."""
    with ports.truth.write() as transaction:
        for memory in transaction.memories.get(given["memories"]).values():
            away = replace(memory, status=Status.ARCHIVED, updated_at=ports.clock())
            transaction.memories.update(away)


def _governed(verb: str) -> Callable[[Given, Ports, WriteRules], object]:
    """Return how a call that changed what is governed is done again."""
    return lambda given, ports, rules: perform_again(verb, given, ports, rules.rules, rules.hash)


_RUN: Final[Mapping[str, Callable[[Given, Ports, WriteRules], object]]] = {
    "put": lambda given, ports, rules: put_memory(
        given["type"], given["key"], given["value"], ports=ports, rules=rules
    ),
    "correct": lambda given, ports, rules: correct_memory(
        given["memory"], given["value"], given["reason"], ports=ports, rules=rules
    ),
    "retract": lambda given, ports, rules: retract_memory(
        given["memory"], given["reason"], ports=ports, rules=rules
    ),
    "feedback": lambda given, ports, rules: give_feedback(
        given["memory"], given["action"], ports=ports, rules=rules
    ),
    "add_node": lambda given, ports, rules: add_node(given["name"], ports=ports, rules=rules),
    "add_edge": lambda given, ports, rules: add_edge(
        given["src"],
        given["type"],
        given["dst"],
        given["weight"],
        ports=ports,
        rules=rules,
    ),
    AGENT: answer_again,
    "archive": lambda given, ports, _rules: _archive(given, ports),
    START: lambda given, ports, rules: start_run(
        given["session"], given["change"], ports=ports, rules_hash=rules.hash
    ),
    UPDATE: lambda given, ports, rules: update_run(
        given["run"], given["change"], ports=ports, rules_hash=rules.hash
    ),
    END: lambda given, ports, rules: end_run(given["run"], ports=ports, rules_hash=rules.hash),
    INSIGHT: lambda given, ports, rules: add_insight(
        given["run"],
        given["statement"],
        given["confidence"],
        given["evidence"],
        ports=ports,
        rules=rules.rules,
        rules_hash=rules.hash,
    ),
    VALIDATE: lambda given, ports, rules: validate_insight(
        given["insight"],
        given["evidence"],
        given["by_user"],
        ports=ports,
        rules_hash=rules.hash,
    ),
    **{verb: _governed(verb) for verb in VERBS},
}
"""How an operation of each kind is run again from its input."""
