"""Importing a chat history: its turns are committed in batches, at their own times (E4).

In: turns and problems as the formats beside this module give them. Out: a report. Each turn has a
key of its own, so an import that was cut off is finished by running it again, and one that is
repeated changes nothing. A turn that cannot be stored is named and left out; once the tenant is
full the rest is only counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.history import HistoryProblem, HistoryTurn, ImportReport
from smartbrain.domain.result import CommitResult
from smartbrain.domain.turn import GivenTurn
from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.ports.bundle import Ports
from smartbrain.remember.pipeline import Given, commit_turns

if TYPE_CHECKING:
    from smartbrain.remember.write_rules import WriteRules

_BATCH: Final = 200  # turns of one transaction

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

    Where the storage fails, the batches before stay stored.
    """
    work = _Import(read, ports, rules)
    turns: list[HistoryTurn] = []
    for part in history:
        if isinstance(part, HistoryProblem):
            work.problems.append(str(part))
        else:
            turns.append(part)
        if len(turns) == _BATCH:
            work.commit(turns, on_progress)
            turns = []
    if turns:
        work.commit(turns, on_progress)
    return ImportReport(
        turns=work.counts["turns"],
        replayed=work.counts["replayed"],
        refused=work.counts["refused"],
        memories=work.counts["memories"],
        sessions=len(work.sessions),
        left=len(work.left),
        stopped=work.stopped,
        problems=tuple(work.problems),
    )


class _Import:
    def __init__(self, read: ReadTurn, ports: Ports, rules: WriteRules) -> None:
        self.counts: Counter[str] = Counter()
        self.sessions: set[str] = set()
        self.problems: list[str] = []
        self.left: set[str] = set()
        self.stopped = ""  # why no more turns are taken
        self._read, self._ports, self._rules = read, ports, rules

    def commit(self, batch: Sequence[HistoryTurn], on_progress: OnProgress | None) -> None:
        """Commit the turns of a batch that are not there yet, in one transaction.

        Looking first for those that are there spares them the preparation of a commit that would
        come to nothing; their keys vouch for their content.
        """
        given = []
        for turn in batch:
            told = GivenTurn(
                session_id=turn.session_id, events=turn.events, idempotency_key=turn.key
            )
            try:
                given.append(self._read(told))
            except UsageError as error:
                self._refuse(turn.session_id, turn.events.get("at"), error)
        with self._ports.truth.read() as transaction:
            replies = [transaction.ledger.reply(_key(one)) for one in given]
        fresh = []
        for one, reply in zip(given, replies, strict=True):
            if reply is None:
                fresh.append(one)
            else:
                self._count(one, replace(CommitResult.from_dict(reply[1]), replayed=True))
        if self.stopped or self._commit(fresh) is not None:
            for one in fresh:
                self._commit_alone(one)
        if on_progress is not None:
            on_progress(batch[-1].place, batch[-1].total)

    def _commit(self, fresh: Sequence[Given]) -> SmartBrainError | None:
        """Commit turns together; where one of them cannot be stored nothing is written."""
        try:
            results = commit_turns(fresh, ports=self._ports, rules=self._rules)
        except AdapterError:
            raise
        except SmartBrainError as error:
            return error
        for one, result in zip(fresh, results, strict=True):
            self._count(one, result)
        return None

    def _commit_alone(self, given: Given) -> None:
        """Commit one turn; one for which there is no room stops the import."""
        error = None if self.stopped else self._commit([given])
        if error is not None and error.code == "over_quota":
            self.stopped = error.message
        elif error is not None:
            self._refuse(given[0].session_id, given[0].events.at, error)
        if self.stopped:
            self.left.add(_key(given))

    def _count(self, given: Given, result: CommitResult) -> None:
        self.sessions.add(given[0].session_id)
        self.counts["replayed" if result.replayed else "turns"] += 1
        if not result.replayed:
            self.counts["memories"] += result.memory_written.count

    def _refuse(self, session_id: str, at: object, error: SmartBrainError) -> None:
        self.counts["refused"] += 1
        told = f"session {session_id!r:.80}, turn of {at or 'no time'}: {error.message}"
        self.problems.append(told)


def _key(given: Given) -> str:
    return given[0].idempotency_key or ""
