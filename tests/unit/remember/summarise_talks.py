"""Sessions for the tests of summaries: turns, steps and memories written as a commit writes them.

In: what is said and what is to be remembered. Out: what the summary stage answers, and looks at
what it keeps. The truth is a real database in memory; only blobs, clock and chance are fakes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.builtin_types import BUILTIN
from smartbrain.domain.ids import IdSource
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.policy import CompositionRules, PoliciesRules, Rules
from smartbrain.domain.result import SummaryUpdate
from smartbrain.domain.summary import CoreBlock, Summary
from smartbrain.domain.turn import CommitRequest, Message, Ref, RefType, Role, ToolCall, TurnEvents
from smartbrain.domain.types import TypeRegistry
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.remember.episode import About, remember_episode
from smartbrain.remember.record import (
    append_turn,
    cut,
    draft_turn,
    hold,
    skip_stored,
    stored_turn,
    write_files,
)
from smartbrain.remember.summary import (
    core_blocks,
    core_memory,
    latest_summary,
    summaries,
    summarise,
)
from smartbrain.remember.write_rules import WriteTools
from smartbrain.remember.write_set import Origin, WriteSet
from smartbrain.testing.blobs import MemoryBlobs
from smartbrain.testing.clock import FakeClock, seeded

Told = tuple[str, Mapping[str, Any]]
"""A memory to write: its type and its value."""


def user(content: str) -> Message:
    """Return a message of the user."""
    return Message(id="", role=Role.USER, content=content)


def assistant(content: str) -> Message:
    """Return a message of the assistant."""
    return Message(id="", role=Role.ASSISTANT, content=content)


def call(name: str = "pytest", **fields: Any) -> ToolCall:
    """Return a tool call."""
    return ToolCall(id="", name=name, **fields)


def ref(uri: str, kind: str = "file", **meta: Any) -> Ref:
    """Return a reference with what is known about it."""
    return Ref(id="", ref_type=RefType(kind), ref_uri=uri, ref_meta=meta)


def task(title: str, status: str = "todo", **fields: Any) -> Told:
    """Return a task of no project."""
    return "tasks", {"project": "general", "title": title, "status": status, **fields}


def decision(topic: str, chosen: str, **fields: Any) -> Told:
    """Return a decision of a project."""
    given = {"project": "SmartBot", "topic": topic, "decision": chosen}
    return "decisions", given | fields


def goal(description: str, **fields: Any) -> Told:
    """Return a goal of no project."""
    return "goals", {"project": "general", "description": description, **fields}


def preference(name: str, value: str, scope: str = "other") -> Told:
    """Return a preference; its words are its value."""
    return "preferences", {"scope": scope, "name": name, "value": value}


def profile(subject: str = "user", **facts: str) -> Told:
    """Return what somebody is."""
    return "profile", {"subject": subject, "facts": [{"k": k, "v": v} for k, v in facts.items()]}


def composition(**limits: int) -> Rules:
    """Return rules with other limits of the context."""
    return Rules(policies=PoliciesRules(composition=CompositionRules(**limits)))


@dataclass(slots=True)
class Talk:
    """One tenant whose sessions are written step by step."""

    rules: Rules = field(default_factory=Rules)
    ports: Ports = field(init=False)

    def __post_init__(self) -> None:
        clock = FakeClock(step=timedelta(milliseconds=1))
        truth = SqliteTruth(None, tenant="t", clock=clock)
        ids = IdSource(clock, seeded(1))
        self.ports = Ports(truth, MemoryBlobs(), clock, ids, TypeRegistry(BUILTIN))

    def say(
        self,
        *messages: Message,
        calls: Sequence[ToolCall] = (),
        refs: Sequence[Ref] = (),
        told: Sequence[Told] = (),
        session: str = "s",
        turn_id: str | None = None,
    ) -> tuple[str, SummaryUpdate]:
        """Commit a turn, or a step of one, with these memories; return its id and the answer."""
        events = TurnEvents(messages=messages, tool_calls=tuple(calls), refs=tuple(refs))
        request = CommitRequest(session_id=session, events=events, turn_id=turn_id)
        ports, rules = self.ports, self.rules
        draft = draft_turn(request, ports=ports, rules_hash="规则")
        originals = cut(draft, blobs=ports.blobs, rules=rules.raw)
        originals = write_files(originals, truth=ports.truth, blobs=ports.blobs)
        with ports.truth.write() as rows:
            stored = stored_turn(request, transaction=rows, ports=ports)
            fresh, _ = skip_stored(draft, originals.turn, stored)
            originals = cut(fresh, blobs=ports.blobs, rules=rules.raw)
            hold(originals, transaction=rows, blobs=ports.blobs)
            recorded = append_turn(fresh, originals.turn, stored, transaction=rows)
            origin = Origin(
                turn_id=draft.id, session_id=session, said_at=fresh.at, now=fresh.created_at
            )
            writes = WriteSet(rows, ports.types, origin, rules.policies.linking.edge_weight)
            remember_episode(recorded, About(), writes=writes, rules=rules)
            writes.write()
            changed = self._write(told, origin, rows)
            update = summarise(recorded, changed, tools=WriteTools(rows, ports, rules))
            core_memory(changed, recorded.said.created_at, transaction=rows, rules=rules)
        return draft.id, update

    def _write(self, told: Sequence[Told], origin: Origin, rows: Transaction) -> list[Memory]:
        """Write memories; the same value again is counted, another one takes its place."""
        types = self.ports.types
        writes = WriteSet(rows, types, origin, self.rules.policies.linking.edge_weight)
        changed = []
        for name, given in told:
            kind = types.get(name)
            key = kind.key_of(given)
            value = dict(kind.complete(key, given).value)
            before = writes.standing(name, key)
            if before is not None and before.value == value:
                changed.append(writes.put(replace(before, frequency=before.frequency + 1)))
                continue
            if before is not None:
                changed.append(writes.put(replace(before, status=Status.SUPERSEDED)))
            text = str(value["value"]) if name == "preferences" else kind.sentence(value)
            changed.append(
                writes.put(writes.make(name, key, title=text[:80], text=text, value=value))
            )
        writes.write()
        return changed

    def retract(self, name: str, key: str) -> None:
        """Retract a memory outside of any turn and bring the core memory up to that."""
        with self.ports.truth.write() as rows:
            before = rows.memories.active(name, key)
            assert before is not None
            gone = replace(before, status=Status.RETRACTED)
            rows.memories.update(gone)
            core_memory([gone], self.ports.clock(), transaction=rows, rules=self.rules)

    def latest(self, session: str = "s") -> Summary:
        """Return the session's summary."""
        with self.ports.truth.read() as rows:
            found = latest_summary(session, transaction=rows)
        assert found is not None
        return found

    def versions(self, session: str = "s") -> list[Summary]:
        """Return every summary of a session that is kept."""
        with self.ports.truth.read() as rows:
            return summaries(session, transaction=rows)

    def blocks(self) -> dict[str, CoreBlock]:
        """Return the core blocks by their type."""
        with self.ports.truth.read() as rows:
            now, rules = self.ports.clock(), Rules()
            found = core_blocks(now, transaction=rows, rules=rules)
            return {block.type: block for block in found}
