"""Reading every stored turn again with the present reader, on request (K12).

In: a tenant's ports. Out: a report of the claims that came and went. Turns are read in the order of
their commits, some in a transaction; where a call was cut off the next one goes on. Before it
changes anything an operation event says so. A dry run writes nothing. What a language model has
read is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from smartbrain.domain.job import StateEntry
from smartbrain.domain.reread import RereadReport, RereadTurn
from smartbrain.domain.turn import Operation
from smartbrain.remember.claims import FINDERS
from smartbrain.remember.reread import ClaimChanges, apply_changes, find_changes

if TYPE_CHECKING:
    from smartbrain.domain.turn import Turn
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.rules import WriteRules

Progress = Callable[[int, int], None]
"""Called with how many commits are read again, and of how many."""
_BATCH: Final = 50  # commits whose turns are read in one transaction
_PAGE: Final = 1_000
_EXAMPLES: Final = 20
_OWNER: Final = "tenant"
REREAD: Final = "reread"
"""The kind of the operation, and of the note how far it has come."""


def reread_turns(
    ports: Ports,
    *,
    rules: WriteRules,
    dry_run: bool = False,
    on_progress: Progress | None = None,
) -> RereadReport:
    """Read all turns again, replace the claims that differ, and fold what they touch.

    Raises:
        AdapterError: the storage failed; what was done before stays done, and a call after it goes
            on from there.
    """
    total = ports.truth.counts()["steps"]
    with ports.truth.read() as rows:
        grown = _steps_of_grown_turns(rows)
        done = 0 if dry_run else _where_cut_off(rows)
    work = _Rereading(ports, rules, grown, dry_run=dry_run, resumed=bool(done))
    after = done
    while True:
        with ports.truth.read() if dry_run else ports.truth.write() as transaction:
            page = transaction.replayed.steps(after=after, limit=_BATCH)
            if not page:
                break
            for number, _, step in page:
                work.read(number, step.turn_id, transaction)
            after = page[-1][0]
            if not dry_run:
                _note_progress(after, transaction, ports)
        if on_progress is not None:
            on_progress(min(after, total), total)
    if not dry_run:
        with ports.truth.write() as transaction:
            transaction.working.drop_state(_OWNER, REREAD)
    return work.report()


@dataclass(slots=True)
class _Rereading:
    """Reads turns again one by one, and counts what changes."""

    ports: Ports
    rules: WriteRules
    grown: Mapping[str, Sequence[tuple[int, int]]]
    dry_run: bool
    resumed: bool
    turns: int = 0
    changed: int = 0
    gone: int = 0
    new: int = 0
    left_to_model: int = 0
    examples: list[RereadTurn] = field(default_factory=list)
    noted: bool = False

    def read(self, number: int, turn_id: str, transaction: Transaction) -> None:
        """Read a turn again at its last commit, with all that it has grown to."""
        steps = self.grown.get(turn_id, ())
        if steps and number != steps[-1][0]:
            return
        self.turns += 1
        turn = transaction.events.turn(turn_id)
        changes = find_changes(
            turn,
            [count for _, count in steps],
            transaction=transaction,
            ports=self.ports,
            rules=self.rules.rules,
        )
        if changes is None:
            self.left_to_model += 1
        elif changes.gone or changes.new:
            self._change(turn, changes, transaction)

    def _change(self, turn: Turn, changes: ClaimChanges, transaction: Transaction) -> None:
        self.changed += 1
        self.gone += len(changes.gone)
        self.new += len(changes.new)
        if len(self.examples) < _EXAMPLES:
            gone, new = (tuple(map(repr, claims)) for claims in changes)
            self.examples.append(
                RereadTurn(turn_id=turn.id, session_id=turn.session_id, gone=gone, new=new)
            )
        if not self.dry_run:
            self._note_operation(transaction)
            apply_changes(
                turn,
                changes,
                turn.created_at,
                transaction=transaction,
                ports=self.ports,
                rules=self.rules.rules,
            )

    def _note_operation(self, transaction: Transaction) -> None:
        """Store, once, that claims are replaced by those of another reading."""
        if self.noted:
            return
        self.noted, now = True, self.ports.clock()
        transaction.ledger.add_operation(
            Operation(
                id=self.ports.ids.new(),
                kind=REREAD,
                input={"reader": FINDERS},
                at=now,
                rules_hash=self.rules.hash,
                created_at=now,
            )
        )

    def report(self) -> RereadReport:
        """Return what was counted."""
        return RereadReport(
            reader=FINDERS,
            dry_run=self.dry_run,
            resumed=self.resumed,
            turns=self.turns,
            changed=self.changed,
            gone=self.gone,
            new=self.new,
            left_to_model=self.left_to_model,
            examples=tuple(self.examples),
        )


def _steps_of_grown_turns(rows: Transaction) -> dict[str, list[tuple[int, int]]]:
    """Return the commits of the turns that have grown: the number and the messages of each."""
    first: dict[str, tuple[int, int]] = {}
    grown: dict[str, list[tuple[int, int]]] = {}
    for number, turn_id, messages in _commits(rows):
        before = first.setdefault(turn_id, (number, messages))
        if before[0] != number:
            grown.setdefault(turn_id, [before]).append((number, messages))
    return grown


def _commits(rows: Transaction) -> Iterator[tuple[int, str, int]]:
    """Yield the number, the turn and the messages of each commit."""
    after = 0
    while page := rows.replayed.steps(after=after, limit=_PAGE):
        for number, _, step in page:
            yield number, step.turn_id, step.parts.messages
        after = page[-1][0]


def _where_cut_off(rows: Transaction) -> int:
    """Return the number of the last commit that an unfinished call of this reader has read."""
    noted = next(iter(rows.working.state(_OWNER, REREAD)), None)
    return int(noted.body["step"]) if noted and noted.body["reader"] == FINDERS else 0


def _note_progress(step: int, transaction: Transaction, ports: Ports) -> None:
    now = ports.clock()
    transaction.working.put_state(
        StateEntry(
            owner=_OWNER,
            kind=REREAD,
            id=REREAD,
            body={"step": step, "reader": FINDERS},
            created_at=now,
            updated_at=now,
        )
    )
