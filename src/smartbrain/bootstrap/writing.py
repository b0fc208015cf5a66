"""The write path, put together: what every verb that writes goes through.

Loaded by the first write, for it brings all the rules that read text. Not a stage: it hands rules
and ports to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Final

from smartbrain.bootstrap.artifacts import ToolOutputs
from smartbrain.bootstrap.governing import Governing
from smartbrain.bootstrap.tooling import Tooling
from smartbrain.domain.shown import NOTHING_SHOWN, Shown
from smartbrain.domain.turn import CommitRequest, GivenTurn
from smartbrain.jobs.reread import reread_turns
from smartbrain.remember.files import read_path
from smartbrain.remember.history.formats import open_history
from smartbrain.remember.importing import import_history
from smartbrain.remember.ingest import document_events, ingest_document, make_graph
from smartbrain.remember.names import read_id, read_optional_id, read_text
from smartbrain.remember.nodes import add_edge, add_node
from smartbrain.remember.operate import (
    correct_memory,
    give_feedback,
    put_memory,
    retract_memory,
)
from smartbrain.remember.pipeline import Given, commit_turns
from smartbrain.remember.privacy import protect
from smartbrain.remember.read import read_turn_events
from smartbrain.remember.record import draft_turn
from smartbrain.remember.reread import read_claims

if TYPE_CHECKING:
    from smartbrain.domain.claim import Claim
    from smartbrain.domain.graph import Edge
    from smartbrain.domain.history import HistoryProblem, HistoryTurn
    from smartbrain.domain.import_report import GraphReport, ImportReport
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.reread import RereadReport
    from smartbrain.domain.result import CommitResult
    from smartbrain.domain.turn import TurnEvents
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.jobs.reread import Progress as OnReread
    from smartbrain.ports.bundle import Ports
    from smartbrain.remember.importing import OnProgress
    from smartbrain.remember.ingest import OnProgress as OnChunks
    from smartbrain.remember.rules import WriteRules

_READ_ONLY: Final = "read"
"""The session of what is only read, and stored nowhere."""


class Writing:
    """The write path under one set of rules."""

    def __init__(self, rules: WriteRules, zone: tzinfo) -> None:
        self._rules = rules
        self._zone = zone
        self.governing = Governing(rules)
        self.outputs = ToolOutputs(rules.rules.artifacts)
        self.tools = Tooling(rules.rules, self.governing.state)

    def read(self, given: GivenTurn, types: TypeRegistry) -> Given:
        """Read what a caller hands over.

        Raises:
            UsageError: a part of it is malformed.
        """
        events, ignored = read_turn_events(given.events, zone=self._zone, types=types)
        request = CommitRequest(
            session_id=read_id(given.session_id, "session_id"),
            events=events,
            turn_id=read_optional_id(given.turn_id, "turn_id"),
            run_id=read_optional_id(given.run_id, "run_id"),
            idempotency_key=read_optional_id(given.idempotency_key, "idempotency_key"),
            context_id=read_optional_id(given.context_id, "context_id"),
        )
        return request, ignored

    def commit(
        self, turns: Sequence[Given], *, ports: Ports, shown: Shown | None = NOTHING_SHOWN
    ) -> list[CommitResult]:
        """Store turns in one transaction; see `remember.pipeline`."""
        return commit_turns(turns, ports=ports, rules=self._rules, shown=shown)

    def read_claims(self, text: object, before: object, *, ports: Ports) -> list[Claim]:
        """Return the claims that a message would make, said after others; nothing is written.

        Raises:
            UsageError: it is no text, or a message before it is malformed.
        """
        said = {"role": "user", "content": read_text(text, "the text to read")}
        earlier = [{"role": "assistant", "content": before}] if isinstance(before, str) else before
        step, *previous = [
            draft_turn(self._protected(events, ports), ports=ports, rules_hash=self._rules.hash)
            for events in ([said], earlier)
            if events is not None
        ]
        with ports.truth.read() as rows:
            return read_claims(
                step,
                previous[0] if previous else None,
                transaction=rows,
                ports=ports,
                rules=self._rules.rules,
            )

    def _protected(self, events: object, ports: Ports) -> CommitRequest:
        """Read events as a commit would, with what is to be masked masked."""
        request, _ = self.read(GivenTurn(session_id=_READ_ONLY, events=events), ports.types)
        return protect(request, rules=self._rules.rules.privacy)

    def reread(self, *, dry_run: bool, on_progress: OnReread | None, ports: Ports) -> RereadReport:
        """Read all turns again with the present reader."""
        return reread_turns(ports, rules=self._rules, dry_run=dry_run, on_progress=on_progress)

    def open_chat(self, path: object, form: str) -> Iterator[HistoryTurn | HistoryProblem]:
        """Open a chat history in a file.

        Raises:
            UsageError: the file cannot be read, or is not of the format.
        """
        return open_history(read_path(path), read_text(form, "format"))

    def import_chat(
        self,
        history: Iterator[HistoryTurn | HistoryProblem],
        on_progress: OnProgress | None,
        *,
        ports: Ports,
    ) -> ImportReport:
        """Commit the turns of a chat history."""
        return import_history(
            history,
            read=lambda given: self.read(given, ports.types),
            ports=ports,
            rules=self._rules,
            on_progress=on_progress,
        )

    def read_document(
        self, text_or_path: object, types: TypeRegistry, *, mime: object, meta: object
    ) -> TurnEvents:
        """Read a text, or the file of a path, with what is known about it.

        Raises:
            UsageError: it is no text, or a part of what is known cannot be stored.
        """
        given = document_events(text_or_path, mime=mime, meta=meta)
        return read_turn_events(given, zone=self._zone, types=types)[0]

    def ingest(self, document: TurnEvents, *, ports: Ports) -> list[str]:
        """Keep a document in raw chunks."""
        return ingest_document(document, ports=ports, rules=self._rules)

    def make_graph(self, on_progress: OnChunks | None, *, ports: Ports) -> GraphReport:
        """Make a graph of the chunks that wait."""
        return make_graph(ports=ports, rules=self._rules, on_progress=on_progress)

    def put(
        self, type_name: str, key: str, value: Mapping[str, Any], *, ports: Ports
    ) -> CommitResult:
        """Write a memory that the user states outright."""
        return put_memory(type_name, key, value, ports=ports, rules=self._rules)

    def correct(
        self, id_or_key: str, value: Mapping[str, Any], reason: str | None, *, ports: Ports
    ) -> CommitResult:
        """Put a right value in the place of a wrong one."""
        return correct_memory(id_or_key, value, reason, ports=ports, rules=self._rules)

    def retract(self, id_or_key: str, reason: str | None, *, ports: Ports) -> CommitResult:
        """Take a memory back."""
        return retract_memory(id_or_key, reason, ports=ports, rules=self._rules)

    def add_node(self, name: str, *, ports: Ports) -> Memory:
        """Add a concept or an entity to the graph."""
        return add_node(name, ports=ports, rules=self._rules)

    def add_edge(self, src: str, relation: str, dst: str, weight: float, *, ports: Ports) -> Edge:
        """Add a relation between two nodes."""
        return add_edge(src, relation, dst, weight, ports=ports, rules=self._rules)

    def feedback(self, memory_id: str, action: str, *, ports: Ports) -> Memory:
        """Note what a memory was worth."""
        return give_feedback(memory_id, action, ports=ports, rules=self._rules)
