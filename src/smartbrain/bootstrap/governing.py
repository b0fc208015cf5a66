"""Runs, pins, plans, notebooks, the surface memory and state files under the rules of a root.

In: what `brain.runs`, `brain.pins`, … were given, and an open tenant's ports. Out: what the stages
of `govern` make of it. What may not be stored for privacy's sake is masked here, and sources are
looked up here, before anything behind sees them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.shapes import json_problem
from smartbrain.errors import UsageError
from smartbrain.govern.fastmemo import (
    FASTMEMO,
    governed,
    memo_of,
    memo_text,
    read_compaction,
    read_memo_text,
)
from smartbrain.govern.insights import add_insight, validate_insight
from smartbrain.govern.pins import (
    AGENT,
    FIELDS,
    living_pins,
    notebook_of,
    notes_of,
    read_choice,
    read_entry_id,
    read_ids,
    read_line,
    read_moment,
    read_plan,
)
from smartbrain.govern.runs import end_run, get_run, list_runs, read_change, start_run, update_run
from smartbrain.govern.sources import check_artifact, resolve_source
from smartbrain.govern.state_file import export_state, read_state, state_diff, state_text
from smartbrain.govern.trail import read_sheet, trail_of
from smartbrain.govern.turn_state import perform, place_of
from smartbrain.remember.arguments import read_file, read_path
from smartbrain.remember.gate import KEEP, kept, masked

if TYPE_CHECKING:
    from smartbrain.domain.packet import PlanEntry, WorkingMemory
    from smartbrain.domain.working import Compaction, Governed, Memo, Note, Pin, TrailEntry
    from smartbrain.ports.bundle import Ports
    from smartbrain.remember.write_rules import WriteRules


_ACTORS: Final = ("user", AGENT)
_WORDS: Final = frozenset({"title", "summary", "text", "done_when", "reason", "bullets"})
_NAMES_WORDS: Final = frozenset({"sections"})  # whose names are no words of anybody


class WorkingState:
    """What is governed, under the rules of one root."""

    def __init__(self, rules: WriteRules) -> None:
        self._rules = rules

    def do(self, verb: str, given: Mapping[str, Any], *, ports: Ports, actor: str = "user") -> Any:
        """Do one of `govern.turn_state`; a source that is given has to lead somewhere."""
        given = _read(verb, given)
        problem = json_problem(given, verb)
        if problem:
            raise UsageError(problem)
        who = read_choice(actor, "actor", _ACTORS)
        kept = dict(self._kept(given))
        if kept.get("reason") is not None:
            kept["reason"] = read_line(kept["reason"], "reason")
        if verb.startswith("pins.") and {"source", "artifact_ref"} & {*kept}:
            folders = self._rules.rules.artifacts.file_roots if who == AGENT else None
            with ports.truth.read() as rows:
                check_artifact(kept.get("artifact_ref"), rows=rows)
                if "source" in kept:
                    kept["session"] = resolve_source(kept["source"], rows=rows, folders=folders)
        rules = self._rules
        return perform(verb, kept, ports=ports, rules=rules.rules, rules_hash=rules.hash, actor=who)

    def pins(self, *, ports: Ports) -> list[Pin]:
        """Return the pins that have not expired."""
        with ports.truth.read() as rows:
            return living_pins(rows=rows, now=ports.clock())

    def plan(self, session_id: str, *, ports: Ports) -> list[PlanEntry]:
        """Return the plan of a session."""
        with ports.truth.read() as rows:
            return list(read_plan(session_id, rows=rows))

    def notes(self, session_id: str, *, ports: Ports) -> list[Note]:
        """Return the notes of a session."""
        with ports.truth.read() as rows:
            return notes_of(read_sheet(notebook_of(session_id), rows=rows))

    def memo(self, *, ports: Ports) -> Memo:
        """Return the surface memory."""
        with ports.truth.read() as rows:
            return memo_of(read_sheet(FASTMEMO, rows=rows), self._rules.rules.fastmemo)

    def memo_file(self, path: object, *, ports: Ports) -> str:
        """Return the surface memory as text, and write it to a file if one is named."""
        text = memo_text(self.memo(ports=ports).sections)
        return _written(text + "\n" if text else "", path)

    def load_memo(self, path: object, *, actor: str, ports: Ports) -> Memo:
        """Put what a file says into the place of the surface memory."""
        sections = read_memo_text(read_file(read_path(path)))
        memo: Memo = self.do("fastmemo.load", {"sections": sections}, ports=ports, actor=actor)
        return memo

    def history(
        self, kind: str, session_id: str | None, limit: int, *, ports: Ports
    ) -> Sequence[TrailEntry]:
        """Return the changes of a list, newest first."""
        with ports.truth.read() as rows:
            return trail_of(place_of(kind, session_id), limit=limit, rows=rows)

    def governed(self, session_id: str, *, ports: Ports) -> Governed:
        """Return all that a session may be shown."""
        with ports.truth.read() as rows:
            return governed(session_id, rows=rows, now=ports.clock(), rules=self._rules.rules)

    def compaction(self, session_id: str, *, ports: Ports) -> Compaction:
        """Return how far a session is from its next soft compaction."""
        with ports.truth.read() as rows:
            return read_compaction(session_id, rows=rows)

    def export(self, session_id: str, path: object, *, ports: Ports) -> dict[str, Any]:
        """Return the state of a session, and write it to a file if one is named."""
        state = self._state(session_id, ports=ports)
        _written(state_text(state), path)
        return state

    def diff(self, session_id: str, path: object, *, ports: Ports) -> str:
        """Return how a file differs from the state of a session."""
        text = read_file(read_path(path))
        return state_diff(self._state(session_id, ports=ports), text)

    def load(self, session_id: str, path: object, *, actor: str, ports: Ports) -> dict[str, int]:
        """Put what a file says into the place of the state of a session."""
        text = read_file(read_path(path))
        with ports.truth.read() as rows:
            state = read_state(session_id, text, rows=rows, rules=self._rules.rules)
        numbers: dict[str, int] = self.do("state.load", state, ports=ports, actor=actor)
        return numbers

    def _state(self, session_id: str, *, ports: Ports) -> dict[str, Any]:
        with ports.truth.read() as rows:
            return export_state(session_id, rows=rows, now=ports.clock(), rules=self._rules.rules)

    def _kept(self, value: Any) -> Any:
        """Return input as it may be stored: words are masked if need be, ids and sources never."""
        if self._rules.rules.privacy.pii == KEEP:
            return value
        if isinstance(value, Mapping):
            return {name: self._part(name, one) for name, one in value.items()}
        return [self._kept(one) for one in value] if isinstance(value, list) else value

    def _part(self, name: str, value: Any) -> Any:
        if name in _NAMES_WORDS:
            return {section: masked(lines) for section, lines in value.items()}
        return masked(value) if name in _WORDS else self._kept(value)


def _read(verb: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return input with its ids and moments in the one form that is stored."""
    readers = {"ids": read_ids, "id": read_entry_id, "to": read_moment}
    if verb == "pins.update":
        for name in given:
            read_choice(name, "the field to update", ("id", *FIELDS))
    return {name: readers[name](one) if name in readers else one for name, one in given.items()}


def _written(text: str, path: object) -> str:
    if path is None:
        return text
    target: Path = read_path(path)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror})") from None
    return text


class Governing:
    """Runs and insights under the rules of one root."""

    def __init__(self, rules: WriteRules) -> None:
        self._rules = rules
        self.state = WorkingState(rules)
        self.validate = partial(validate_insight, rules_hash=rules.hash)
        self.get, self.list = get_run, list_runs
        self.end = partial(end_run, rules_hash=rules.hash)

    def start(self, session_id: str, *, ports: Ports, **given: Any) -> str:
        """Begin a run."""
        change = self._kept(read_change(**given))
        return start_run(session_id, change, ports=ports, rules_hash=self._rules.hash)

    def update(self, run_id: str, *, ports: Ports, **given: Any) -> WorkingMemory:
        """Change what a run has in mind."""
        change = self._kept(read_change(**given))
        return update_run(run_id, change, ports=ports, rules_hash=self._rules.hash)

    def insight(
        self, run_id: str, statement: str, confidence: float, evidence: Sequence[str], ports: Ports
    ) -> str:
        """Note what a run supposes."""
        added = add_insight(
            run_id,
            self._kept(statement),
            confidence,
            evidence,
            ports=ports,
            rules=self._rules.rules,
            rules_hash=self._rules.hash,
        )
        return added.id

    def _kept(self, value: Any) -> Any:
        return kept(value, self._rules.rules.privacy)
