"""All events run again into a new brain and compared with the old one, or read anew.

In: the events of a tenant, in the order of their commits. Out: the same memories, edges and
working state, made again; what differs between two brains; or the claims of stored turns as the
present reader reads them. What was random or came from outside is stored, so nothing is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import structs

from smartbrain.domain.forgetting import FORGOTTEN
from smartbrain.domain.ids import IdSource
from smartbrain.domain.memory import Memory
from smartbrain.domain.record import Record, canonical_json
from smartbrain.domain.replay import (
    Difference,
    NotRun,
    RebuiltReport,
    ReplayReport,
    RereadReport,
    RereadTurn,
    Stage,
    Step,
)
from smartbrain.domain.turn import CallStatus, Operation, ToolCall, Turn
from smartbrain.errors import AdapterError, InternalError, NotFound, SmartBrainError, UsageError
from smartbrain.govern.insights import INSIGHT, VALIDATE, add_insight, validate_insight
from smartbrain.govern.run_row import add_event
from smartbrain.govern.runs import END, START, UPDATE, end_run, start_run, update_run
from smartbrain.govern.short_term import note_end, with_texts
from smartbrain.govern.trail import TENANT, put_state
from smartbrain.govern.turn_state import VERBS, perform_again
from smartbrain.jobs.doctor import Progress
from smartbrain.jobs.work import AGENT, answer_again
from smartbrain.remember.claims import READER
from smartbrain.remember.forget.hide import FORGET
from smartbrain.remember.operations import (
    add_edge,
    add_node,
    correct_memory,
    give_feedback,
    put_memory,
    retract_memory,
)
from smartbrain.remember.pipeline import remember, remember_turn
from smartbrain.remember.record import append_turn
from smartbrain.remember.reread import ClaimChanges, apply_changes, find_changes
from smartbrain.remember.write_rules import WriteTools

if TYPE_CHECKING:
    from smartbrain.domain.graph import Edge
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.write_rules import WriteRules


_ROWS_AT_ONCE: Final = 500
_NAMED: Final = 20  # differences that are named
_LONGEST: Final = 80  # characters of a value that are shown
_NOT_TOLD: Final = ("last_access",)  # who looked at a memory is no part of what was told

_TOUCHED: Final = (*_NOT_TOLD, "updated_at")


@dataclass(slots=True)
class Comparison:
    """What is stored, held against what came of doing it again."""

    stored: Transaction
    again: Transaction
    reread: bool = False
    memories: int = 0
    edges: int = 0
    differing: int = 0
    differences: list[Difference] = field(default_factory=list)

    def run(self) -> Iterator[int]:
        """Compare everything; yield how many memories of a page are done."""
        for memories in _memories(self.stored):
            self._compare_memories(memories)
            yield len(memories)
        for edges in _edges(self.stored):
            self._compare_edges(edges)
        for memories in _memories(self.again):
            self._find_new("memory", memories, self.stored.memories.get(memories))
        for edges in _edges(self.again):
            self._find_new("edge", edges, self.stored.replayed.edges(edges))

    def _compare_memories(self, page: Mapping[str, Memory]) -> None:
        found = self.again.memories.get(page)
        texts = self.stored.replayed.chunks(page)
        others = self.again.replayed.chunks(page)
        self.memories += len(page)
        for one, memory in page.items():
            if one not in found:
                self._note("memory", memory, "was not made again")
                continue
            changes = self._changes(memory, found[one])
            changes += _changed("search texts", texts.get(one, []), others.get(one, []))
            if changes:
                self._note("memory", memory, "; ".join(changes))

    def _compare_edges(self, page: Mapping[str, Edge]) -> None:
        found = self.again.replayed.edges(page)
        self.edges += len(page)
        for one, edge in page.items():
            if one not in found:
                self._note("edge", edge, "was not made again")
            elif changes := self._changes(edge, found[one]):
                self._note("edge", edge, "; ".join(changes))

    def _find_new(self, kind: str, page: Mapping[str, Memory | Edge], known: Any) -> None:
        """Note what was made only when everything was done again."""
        for one, row in page.items():
            if one not in known:
                self._note(kind, row, "is not stored, but was made now")

    def _changes(self, stored: Memory | Edge, again: Memory | Edge) -> list[str]:
        return _changes(stored, again, _TOUCHED if self.reread else _NOT_TOLD)

    def _note(self, kind: str, row: Memory | Edge, what: str) -> None:
        if self.reread and row.deleted_at is not None:
            return
        self.differing += 1
        if len(self.differences) < _NAMED:
            self.differences.append(Difference(kind=kind, id=row.id, what=f"{_named(row)} {what}"))


_Row = TypeVar("_Row", bound=tuple[Any, ...])


def _pages(fetch: Callable[[int], list[_Row]]) -> Iterator[list[_Row]]:
    """Yield pages of rows, each of those after the number of the last row."""
    after = 0
    while page := fetch(after):
        yield page
        after = page[-1][0]


def _memories(rows: Transaction) -> Iterator[dict[str, Memory]]:
    found = rows.memories
    for page in _pages(lambda one: found.page(status=None, after=one, limit=_ROWS_AT_ONCE)):
        yield {memory.id: memory for _, memory in page}


def _edges(rows: Transaction) -> Iterator[dict[str, Edge]]:
    for page in _pages(lambda after: rows.replayed.edge_page(after=after, limit=_ROWS_AT_ONCE)):
        yield {edge.id: edge for _, edge in page}


def _named(row: Memory | Edge) -> str:
    if isinstance(row, Memory):
        return f"{row.type} {row.key} v{row.version}:"
    return f"{row.src} {row.type.value} {row.dst}:"


def _changes(stored: Record, again: Record, untold: Collection[str]) -> list[str]:
    if stored == again:
        return []
    was, now = stored.to_dict(), again.to_dict()
    told = [name for name in was if name not in untold]
    return [change for name in told for change in _changed(name, was[name], now[name])]


def _changed(name: str, stored: Any, again: Any) -> list[str]:
    if stored == again:
        return []
    return [f"{name} is {_shown(stored)}, now came out as {_shown(again)}"]


def _shown(value: Any) -> str:
    text = canonical_json(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


_BATCH: Final = 50  # commits whose turns are read in one transaction
_EXAMPLES: Final = 20
REREAD: Final = "reread"
"""The kind of the operation, and of the note how far it has come."""


def reread_turns(
    ports: Ports,
    *,
    rules: WriteRules,
    dry_run: bool = False,
    on_progress: Progress | None = None,
) -> RereadReport:
    """Read all turns again, replace the claims that differ, and fold what they touch."""
    total = ports.truth.counts()["steps"]
    with ports.truth.read() as rows:
        grown = _steps_of_grown_turns(rows)
        noted = next(iter(rows.working.state(TENANT, REREAD)), None)
    cut_off = noted is not None and not dry_run and noted.body["reader"] == READER
    after = int(noted.body["step"]) if noted and cut_off else 0
    report = RereadReport(reader=READER, dry_run=dry_run, resumed=bool(after))
    work = _Rereading(ports, rules, grown, report)
    while True:
        with ports.truth.read() if dry_run else ports.truth.write() as transaction:
            page = transaction.replayed.steps(after=after, limit=_BATCH)
            if not page:
                break
            for number, _, step in page:
                work.read(number, step.turn_id, transaction)
            after = page[-1][0]
            if not dry_run:
                body = {"step": after, "reader": READER}
                put_state(TENANT, REREAD, REREAD, body, ports.clock(), rows=transaction)
        if on_progress is not None:
            on_progress(min(after, total), total)
    if not dry_run:
        with ports.truth.write() as transaction:
            transaction.working.drop_state(TENANT, REREAD)
    return work.report


@dataclass(slots=True)
class _Rereading:
    ports: Ports
    rules: WriteRules
    grown: Mapping[str, Sequence[tuple[int, int]]]
    report: RereadReport
    noted: bool = False

    def read(self, number: int, turn_id: str, transaction: Transaction) -> None:
        steps = self.grown.get(turn_id, ())
        if steps and number != steps[-1][0]:
            return
        self._count(turns=1)
        turn = transaction.events.turn(turn_id)
        tools = WriteTools(transaction, self.ports, self.rules.rules)
        changes = find_changes(turn, [count for _, count in steps], tools=tools)
        if changes is None:
            self._count(left_to_model=1)
        elif changes.gone or changes.new:
            self._change(turn, changes, transaction)

    def _change(self, turn: Turn, changes: ClaimChanges, transaction: Transaction) -> None:
        self._count(changed=1, gone=len(changes.gone), new=len(changes.new))
        if len(self.report.examples) < _EXAMPLES:
            gone, new = (tuple(map(repr, claims)) for claims in (changes.gone, changes.new))
            told = RereadTurn(turn_id=turn.id, session_id=turn.session_id, gone=gone, new=new)
            self._count(examples=(told,))
        if not self.report.dry_run:
            if not self.noted:
                self.noted = True  # once, that claims are replaced by those of another reading
                add_event(
                    REREAD,
                    {"reader": READER},
                    transaction=transaction,
                    ports=self.ports,
                    rules_hash=self.rules.hash,
                )
            tools = WriteTools(transaction, self.ports, self.rules.rules)
            apply_changes(turn, changes, turn.created_at, tools=tools)

    def _count(self, **more: Any) -> None:
        counted = {name: getattr(self.report, name) + count for name, count in more.items()}
        self.report = structs.replace(self.report, **counted)


def _steps_of_grown_turns(rows: Transaction) -> dict[str, list[tuple[int, int]]]:
    """Return the commits of the turns that have grown: the number and the messages of each."""
    first: dict[str, tuple[int, int]] = {}
    grown: dict[str, list[tuple[int, int]]] = {}
    for page in _pages(lambda after: rows.replayed.steps(after=after, limit=_ROWS_AT_ONCE)):
        for number, _, step in page:
            commit = (number, step.parts.messages)
            before = first.setdefault(step.turn_id, commit)
            if before[0] != number:
                grown.setdefault(step.turn_id, [before]).append(commit)
    return grown


Given = Mapping[str, Any]


def replay(
    source: Ports, target: Ports, *, rules: WriteRules, on_progress: Progress | None = None
) -> ReplayReport:
    """Run everything that a tenant was told again, in order, and compare what came of it.

    `target` is empty, and reads the raw files of `source`.
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

    `target` has the raw files of `source` already. Replies to idempotency keys come along,
    so that a call that is repeated is answered as before.
    """
    counts = source.truth.counts()
    move = _counting(counts["steps"] + counts["operations"], on_progress)
    with source.truth.read() as rows:
        again = _run_events(_Again(rows, target, rules), move)
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
    done = 0

    def move(by: int) -> None:
        nonlocal done
        done += by
        if on_progress is not None:
            on_progress(done, total)

    return move


def _run_events(again: _Again, move: Callable[[int], None]) -> _Again:
    """Run all events again, in order; what forgotten claims have left comes first."""
    left = again.rows.replayed.forgotten()
    if left:
        with again.target.truth.write() as transaction:
            for _, operation in _operations(again.rows):
                if operation.kind == FORGET:
                    transaction.ledger.add_operation(operation)
            transaction.replayed.bring_forgotten(left)
    for event in _in_order(again.rows):
        again.run(event)
        move(1)
    return again


def _bring_replies(rows: Transaction, target: Ports) -> None:
    after = ""
    while page := rows.replayed.replies(after=after, limit=_ROWS_AT_ONCE):
        with target.truth.write() as transaction:
            for key, hashed, result, at in page:
                transaction.ledger.keep_reply(key, hashed, result, at)
        after = page[-1][0]


def _end_sessions(rows: Transaction, target: Ports) -> None:
    after = None
    while page := rows.events.sessions(after=after, limit=_ROWS_AT_ONCE):
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
    for page in _pages(lambda after: rows.replayed.steps(after=after, limit=_ROWS_AT_ONCE)):
        for _, last, step in page:
            while waiting is not None and waiting[0] <= last:
                yield waiting[1]
                waiting = next(operations, None)
            yield step
    while waiting is not None:
        yield waiting[1]
        waiting = next(operations, None)


def _operations(rows: Transaction) -> Iterator[tuple[int, Operation]]:
    for page in _pages(lambda after: rows.replayed.operations(after=after, limit=_ROWS_AT_ONCE)):
        yield from page


@dataclass(slots=True)
class _Again:
    rows: Transaction
    target: Ports
    rules: WriteRules
    steps: int = 0
    operations: int = 0
    other_rules: int = 0
    failed: int = 0
    not_run: list[NotRun] = field(default_factory=list)
    reread: bool = False
    _lost: set[str] = field(default_factory=set)

    def run(self, event: Step | Operation) -> None:
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
        if operation.kind == REREAD:  # all turns are read by the present reader now
            self.reread = True
            return
        if operation.kind == FORGET or FORGOTTEN in operation.input:
            return  # what was forgotten is in no event any more
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
        with self.target.truth.write() as transaction:
            if step.stage is Stage.REMEMBER:
                turn = transaction.events.turn(step.turn_id)
                remember_turn(turn, WriteTools(transaction, self.target, self.rules.rules))
                return
            whole = self.rows.events.turn(step.turn_id)
            stored = self._stored(step.turn_id, transaction)
            spans = _part(whole, step, stored)
            (said,) = with_texts([spans], transaction=self.rows, blobs=self.target.blobs)
            self._bring(spans, transaction)
            recorded = append_turn(said, spans, stored, transaction=transaction)
            transaction.replayed.add_step(step)
            if step.stage is Stage.COMMIT:
                remember(recorded, (), WriteTools(transaction, self.target, self.rules.rules))

    def _stored(self, turn_id: str, transaction: Transaction) -> Turn | None:
        try:
            turn = transaction.events.turn(turn_id)
        except NotFound:
            return None
        return with_texts([turn], transaction=transaction, blobs=self.target.blobs, outputs=False)[
            0
        ]

    def _bring(self, spans: Turn, transaction: Transaction) -> None:
        held = _raw_ids(spans)
        chunks = self.rows.raw.get(held)
        transaction.raw.hold([chunks[raw_id] for raw_id in held])


@dataclass(frozen=True, slots=True)
class _StoredId(IdSource):
    stored: str

    def new(self) -> str:
        return self.stored


def _no_entropy(size: int) -> bytes:
    """Give no chance a part: whatever was random is stored."""
    raise InternalError(f"a replay asked for {size} random bytes")


def _part(whole: Turn, step: Step, stored: Turn | None) -> Turn:
    parts, calls = step.parts, {call.id: call for call in whole.tool_calls}
    messages = len(stored.messages) if stored else 0
    refs = len(stored.refs) if stored else 0
    had = {name: len(given) for name, given in stored.proposals.items()} if stored else {}
    return structs.replace(
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
    return structs.replace(
        call,
        status=CallStatus.UNKNOWN,
        exit_code=None,
        result_json=False,
        result_spans=(),
        stdout_spans=(),
        stderr_spans=(),
    )


def _raw_ids(turn: Turn) -> list[str]:
    spans = [span for message in turn.messages for span in message.spans]
    for call in turn.tool_calls:
        spans += call.result_spans + call.stdout_spans + call.stderr_spans
    return [span.raw_id for span in spans]


def _with(verb: Callable[..., object], *names: str) -> Callable[[Given, Ports, WriteRules], object]:
    """Return how an operation is run again with parts of its input."""
    return lambda given, ports, rules: verb(*map(given.get, names), ports=ports, rules=rules)


def _with_hash(
    verb: Callable[..., object], *names: str
) -> Callable[[Given, Ports, WriteRules], object]:
    return lambda given, ports, rules: verb(
        *map(given.get, names), ports=ports, rules_hash=rules.hash
    )


def _governed(verb: str) -> Callable[[Given, Ports, WriteRules], object]:
    return lambda given, ports, rules: perform_again(verb, given, ports, rules.rules, rules.hash)


_RUN: Final[Mapping[str, Callable[[Given, Ports, WriteRules], object]]] = {
    "put": _with(put_memory, "type", "key", "value"),
    "correct": _with(correct_memory, "memory", "value", "reason"),
    "retract": _with(retract_memory, "memory", "reason"),
    "feedback": _with(give_feedback, "memory", "action"),
    "add_node": _with(add_node, "name"),
    "add_edge": _with(add_edge, "src", "type", "dst", "weight"),
    AGENT: answer_again,
    START: _with_hash(start_run, "session", "change"),
    UPDATE: _with_hash(update_run, "run", "change"),
    END: _with_hash(end_run, "run"),
    INSIGHT: lambda given, ports, rules: add_insight(
        *map(given.__getitem__, ("run", "statement", "confidence", "evidence")),
        ports=ports,
        rules=rules.rules,
        rules_hash=rules.hash,
    ),
    VALIDATE: _with_hash(validate_insight, "insight", "evidence", "by_user"),
    **{verb: _governed(verb) for verb in VERBS},
}
"""How an operation of each kind is run again from its input."""
