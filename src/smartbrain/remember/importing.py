"""Importing a chat history: its turns are committed in batches, at their own times (E4).

In: what the readers of `remember.history` find. Out: a report. Each turn has a key of its own, so
an import that was cut off is finished by running it again, and one that is repeated changes
nothing. A turn that cannot be stored is named and left out; the rest goes on, unless the tenant is
full: then the rest is only counted, for another run. At the end the goals and tasks that nobody
has spoken of for long are put away as archived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.import_report import ImportReport
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.result import CommitExplain, CommitResult, Retention, RetentionAction
from smartbrain.domain.turn import GivenTurn, Operation
from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.remember.pipeline import Given, commit_turns
from smartbrain.remember.summarise import core_memory
from smartbrain.remember.summary_text import goal_lines

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.rules import WriteRules

_BATCH: Final = 200  # turns of one transaction
_FULL: Final = "over_quota"
_OLD: Final = timedelta(days=90)
_CAN_BE_OPEN: Final = frozenset({"goals", "tasks"})

OnProgress = Callable[[int, int | None], None]
"""Told after each batch how far into the history it is, and of how much if that is known."""
ReadTurn = Callable[[GivenTurn], Given]
"""Reads a turn as a caller's is read; raises UsageError."""


def import_history(
    history: Iterable[HistoryTurn | HistoryProblem],
    *,
    read: ReadTurn,
    ports: Ports,
    rules: WriteRules,
    on_progress: OnProgress | None = None,
) -> ImportReport:
    """Commit the turns of a chat history that are not there yet.

    Raises:
        UsageError: the history itself cannot be read any further.
        AdapterError: the storage failed; the batches before stay stored.
    """
    work = _Import(read, ports, rules)
    batch: list[HistoryTurn] = []

    def finish() -> None:
        work.take(batch)
        if on_progress is not None:
            on_progress(batch[-1].place, batch[-1].total)
        batch.clear()

    for one in history:
        if isinstance(one, HistoryProblem):
            work.problems.append(str(one))
            continue
        batch.append(one)
        if len(batch) == _BATCH:
            finish()
    if batch:
        finish()
    # Turns that are left may end what is open, or take it up again: the last run archives.
    due = {} if work.stopped else work.spoken_of
    return work.report(_archive_old(due, ports=ports, rules=rules))


@dataclass(slots=True)
class _Import:
    """The import of one history, and what has become of it so far.

    `spoken_of` tells when each goal and task of the history was last spoken of, by type and key;
    `stopped` why no more turns are taken.
    """

    read: ReadTurn
    ports: Ports
    rules: WriteRules
    problems: list[str] = field(default_factory=list)
    spoken_of: dict[tuple[str, str], datetime] = field(default_factory=dict)
    stopped: str = ""
    _left: set[str] = field(default_factory=set)
    _turns: int = 0
    _replayed: int = 0
    _refused: int = 0
    _memories: int = 0
    _sessions: set[str] = field(default_factory=set)

    def take(self, batch: Sequence[HistoryTurn]) -> None:
        """Commit the turns of a batch that are not there yet, in one transaction.

        Once the tenant is full they are left, and counted.
        """
        given = [one for turn in batch if (one := self._given(turn)) is not None]
        known = self._known(given)
        for one in given:
            if _key(one) in known:
                self._note(one, known[_key(one)])
        fresh = [one for one in given if _key(one) not in known]
        if not fresh or self.stopped:
            self._left.update(map(_key, fresh))
            return
        try:
            results = commit_turns(fresh, ports=self.ports, rules=self.rules)
        except AdapterError:
            raise
        except SmartBrainError:  # by one of them: nothing was written, the others are sound
            for one in fresh:
                self._take_alone(one)
            return
        for one, result in zip(fresh, results, strict=True):
            self._note(one, result)

    def report(self, archived: int) -> ImportReport:
        """Say what has become of the history."""
        return ImportReport(
            turns=self._turns,
            replayed=self._replayed,
            refused=self._refused,
            sessions=len(self._sessions),
            memories=self._memories,
            archived=archived,
            left=len(self._left),
            stopped=self.stopped,
            problems=tuple(self.problems),
        )

    def _given(self, turn: HistoryTurn) -> Given | None:
        """Read a turn; one that is malformed is noted and left out."""
        try:
            return self.read(
                GivenTurn(session_id=turn.session_id, events=turn.events, idempotency_key=turn.key)
            )
        except UsageError as error:
            self._refuse(turn.session_id, turn.events.get("at"), error)
            return None

    def _known(self, given: Sequence[Given]) -> dict[str, CommitResult]:
        """Return the earlier results of turns that are there; their keys vouch for their content.

        Looking first spares them the preparation of a commit that would come to nothing.
        """
        with self.ports.truth.read() as transaction:
            replies = {_key(one): transaction.ledger.reply(_key(one)) for one in given}
        return {
            key: replace(CommitResult.from_dict(reply[1]), replayed=True)
            for key, reply in replies.items()
            if reply is not None
        }

    def _take_alone(self, given: Given) -> None:
        """Commit one turn; one that cannot be stored is noted and left out.

        One for which there is no room stops the import.
        """
        if self.stopped:
            self._left.add(_key(given))
            return
        try:
            (result,) = commit_turns([given], ports=self.ports, rules=self.rules)
        except AdapterError:
            raise
        except SmartBrainError as error:
            if error.code == _FULL:
                self.stopped = error.message
                self._left.add(_key(given))
                return
            self._refuse(given[0].session_id, given[0].events.at, error)
        else:
            self._note(given, result)

    def _note(self, given: Given, result: CommitResult) -> None:
        """Count a turn that is stored, and note what it speaks of."""
        request = given[0]
        self._sessions.add(request.session_id)
        if result.replayed:
            self._replayed += 1
        else:
            self._turns += 1
            self._memories += result.memory_written.count
        for one in result.explain.retention:
            if one.type in _CAN_BE_OPEN and one.key:
                name, at = (one.type, one.key), request.events.at or self.ports.clock()
                self.spoken_of[name] = max(self.spoken_of.get(name, at), at)

    def _refuse(self, session_id: str, at: object, error: SmartBrainError) -> None:
        """Note a turn that is left out."""
        self._refused += 1
        self.problems.append(
            f"session {session_id!r:.80}, turn of {at or 'no time'}: {error.message}"
        )


def _key(given: Given) -> str:
    return given[0].idempotency_key or ""


def _archive_old(
    spoken_of: dict[tuple[str, str], datetime], *, ports: Ports, rules: WriteRules
) -> int:
    """Archive the goals and tasks that were old and open when they arrived; return how many.

    Only at the end is it known which of them a later turn has ended or taken up again.
    """
    now = ports.clock()
    due = [name for name, at in sorted(spoken_of.items()) if now - at > _OLD]
    archived = 0
    for start in range(0, len(due), _BATCH):
        with ports.truth.write() as transaction:
            standing = [
                memory
                for type_name, key in due[start : start + _BATCH]
                if (memory := transaction.memories.active(type_name, key)) is not None
                and _was_old(memory, spoken_of[type_name, key])
                and _is_open(memory)
            ]
            if standing:
                _archive(standing, now, transaction=transaction, ports=ports, rules=rules)
        archived += len(standing)
    return archived


def _was_old(memory: Memory, spoken_of: datetime) -> bool:
    """Tell whether a memory was old when it arrived; one that grew old here is none of ours."""
    return memory.created_at - max(memory.said_at, spoken_of) > _OLD


def _is_open(memory: Memory) -> bool:
    """Tell whether a goal is still pursued, or a task not done; summaries list no other goal."""
    if memory.type == "goals":
        return bool(goal_lines([memory]))
    return memory.value.get("status") != "done"


def _archive(
    memories: Sequence[Memory],
    now: datetime,
    *,
    transaction: Transaction,
    ports: Ports,
    rules: WriteRules,
) -> None:
    """Put memories away, as one operation, and say so where their turns are explained."""
    transaction.ledger.add_operation(
        Operation(
            id=ports.ids.new(),
            kind="archive",
            input={"memories": [one.id for one in memories], "code": "old_and_open"},
            at=now,
            actor="import",
            rules_hash=rules.hash,
            created_at=now,
        )
    )
    archived = [replace(one, status=Status.ARCHIVED, updated_at=now) for one in memories]
    for memory in archived:
        transaction.memories.update(memory)
        told = Retention(
            type=memory.type,
            key=memory.key,
            action=RetentionAction.WRITTEN,
            code="old_and_open",
            reason=f"it was still open {_OLD.days} days after it was last spoken of; archived",
        )
        source = memory.source_turn_id or memory.source_operation_id or memory.id
        transaction.remembering.keep_explanation(source, CommitExplain(retention=(told,)), now)
    core_memory(archived, now, transaction=transaction, rules=rules.rules)
