"""The write path, put together: what every verb that writes goes through.

Loaded by the first write, for it brings all the rules that read text. Not a stage: it hands rules
and ports to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING, Final

from smartbrain.bootstrap.governing import Governing
from smartbrain.bootstrap.tooling import Tooling, ToolOutputs
from smartbrain.domain.turn import CommitRequest, GivenTurn
from smartbrain.jobs.replay import reread_turns
from smartbrain.remember.arguments import read_id, read_optional_id, read_path, read_text
from smartbrain.remember.gate import protect
from smartbrain.remember.import_history.formats import open_history
from smartbrain.remember.import_history.importing import import_history
from smartbrain.remember.ingest import document_events, ingest_document, make_graph
from smartbrain.remember.input import read_turn_events
from smartbrain.remember.operations import (
    add_edge,
    add_node,
    correct_memory,
    give_feedback,
    put_memory,
    retract_memory,
)
from smartbrain.remember.pipeline import Given, commit_turns
from smartbrain.remember.record import draft_turn
from smartbrain.remember.reread import read_claims
from smartbrain.remember.write_rules import WriteTools

if TYPE_CHECKING:
    from smartbrain.domain.claim import Claim
    from smartbrain.domain.history import HistoryProblem, HistoryTurn, ImportReport
    from smartbrain.domain.turn import TurnEvents
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.bundle import Ports
    from smartbrain.remember.import_history.importing import OnProgress
    from smartbrain.remember.write_rules import WriteRules

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
        self.commit = partial(commit_turns, rules=rules)
        self.reread = partial(reread_turns, rules=rules)
        self.ingest = partial(ingest_document, rules=rules)
        self.make_graph = partial(make_graph, rules=rules)
        self.put = partial(put_memory, rules=rules)
        self.correct = partial(correct_memory, rules=rules)
        self.retract = partial(retract_memory, rules=rules)
        self.add_node = partial(add_node, rules=rules)
        self.add_edge = partial(add_edge, rules=rules)
        self.feedback = partial(give_feedback, rules=rules)

    def read(self, given: GivenTurn, types: TypeRegistry) -> Given:
        """Read what a caller hands over."""
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

    def read_claims(self, text: object, before: object, *, ports: Ports) -> list[Claim]:
        """Return the claims that a message would make, said after others; nothing is written."""
        said = {"role": "user", "content": read_text(text, "the text to read")}
        earlier = [{"role": "assistant", "content": before}] if isinstance(before, str) else before
        step, *previous = [
            draft_turn(self._protected(events, ports), ports=ports, rules_hash=self._rules.hash)
            for events in ([said], earlier)
            if events is not None
        ]
        with ports.truth.read() as rows:
            tools = WriteTools(rows, ports, self._rules.rules)
            return read_claims(step, previous[0] if previous else None, tools=tools)

    def _protected(self, events: object, ports: Ports) -> CommitRequest:
        """Read events as a commit would, with what is to be masked masked."""
        request, _ = self.read(GivenTurn(session_id=_READ_ONLY, events=events), ports.types)
        return protect(request, rules=self._rules.rules.privacy)

    def open_chat(self, path: object, form: str) -> Iterator[HistoryTurn | HistoryProblem]:
        """Open a chat history in a file."""
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
        """Read a text, or the file of a path, with what is known about it."""
        given = document_events(text_or_path, mime=mime, meta=meta)
        return read_turn_events(given, zone=self._zone, types=types)[0]
