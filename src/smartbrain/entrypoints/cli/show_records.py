"""Showing what any verb returns: pages and lists as tables, one record field by field.

In: a result of a verb. Out: text on stdout for people; what programs get is the wire's JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from smartbrain.domain.memory import Memory
from smartbrain.domain.page import Page
from smartbrain.domain.record import Record, to_plain
from smartbrain.domain.result import CommitResult
from smartbrain.domain.turn import Session, Turn
from smartbrain.domain.working import Run
from smartbrain.entrypoints.cli.lines import one_line, print_lines, shortened
from smartbrain.entrypoints.cli.show import Listed, console
from smartbrain.jobs.work import Work

_EPISODE: Final = "episode"  # the code of what every turn leaves
_EMPTY: Final = "nothing here"
_LONGEST_FIELD: Final = 400  # characters


def show_value(value: Any) -> None:
    """Print what a verb returned."""
    if isinstance(value, CommitResult):
        _show_commit(value)
    elif isinstance(value, Page):
        show_rows(value.items)
        if value.cursor:
            console().print(one_line(f"there are more; go on with --cursor {value.cursor}"))
    elif isinstance(value, Record | Mapping):
        show_fields(value)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        show_rows(value)
    else:
        print_lines(["done" if value is None else str(value)])


def show_rows(rows: Sequence[Any]) -> None:
    """Print rows as a table where their kind has one, else each field by field."""
    if not rows:
        console().print(_EMPTY)
    elif (kind := type(rows[0])) in _TABLES:
        _TABLES[kind](rows)
    else:
        for row in rows:
            show_fields(row)


def show_fields(value: Record | Mapping[str, Any]) -> None:
    """Print the fields of a record that say something, a line each."""
    plain = to_plain(value)
    filled = {name: one for name, one in plain.items() if one not in (None, "", [], {})}
    width = max(map(len, filled), default=0)
    print_lines(f"{name.ljust(width)}  {_spelled(one)}" for name, one in filled.items())


def show_versions(versions: Sequence[Memory]) -> None:
    """Print the versions of a memory, oldest first, each with until when it held."""
    _VERSIONS(versions)


def _show_commit(result: CommitResult) -> None:
    """Print what became of what was said, and why."""
    told = [one for one in result.explain.retention if one.code != _EPISODE]
    lines = [f"{one.action} {one.key}".rstrip() + f": {one.reason}" for one in told]
    lines += [f"{one.key}: {one.reason}" for one in result.explain.conflicts]
    lines += [f"not understood: {one.reason}" for one in result.explain.ignored]
    print_lines(lines or ["kept as it was said; nothing that lasts was read in it"])


def _spelled(value: Any) -> str:
    if isinstance(value, str):
        return value
    return shortened(json.dumps(value, ensure_ascii=False), _LONGEST_FIELD)


def _memory(one: Memory) -> Sequence[str]:
    return one.id, one.key, one.status, f"{one.said_at:%Y-%m-%d}", shortened(one.text)


def _version(one: Memory) -> Sequence[str]:
    begin = f"{one.valid_since or one.said_at:%Y-%m-%d %H:%M}"
    end = f"{one.valid_until:%Y-%m-%d %H:%M}" if one.valid_until else ""
    source = one.source_turn_id or one.source_operation_id or ""
    return str(one.version), one.status, begin, end, shortened(one.text), one.id, source


def _session(one: Session) -> Sequence[str]:
    ended = f"{one.ended_at:%Y-%m-%d %H:%M}" if one.ended_at else ""
    return one.id, f"{one.turns:,}", f"{one.last_at:%Y-%m-%d %H:%M}", ended


def _turn(one: Turn) -> Sequence[str]:
    said = " ".join(f"{message.role}: {message.content}" for message in one.messages)
    tools = ", ".join(call.name for call in one.tool_calls)
    return str(one.seq), one.id, f"{one.at:%Y-%m-%d %H:%M}", shortened(said), tools


def _run(one: Run) -> Sequence[str]:
    ended = f"{one.ended_at:%Y-%m-%d %H:%M}" if one.ended_at else ""
    goal = (one.working_memory.goal if one.working_memory else None) or ""
    return one.run_id, one.session_id, f"{one.started_at:%Y-%m-%d %H:%M}", ended, goal


def _work(one: Work) -> Sequence[str]:
    return one.id, one.kind, one.state, str(one.attempts), one.lease_owner or "", one.error


_VERSIONS: Final = Listed(_EMPTY, "version|status|from|until|text|id|source", _version, {"version"})
_TABLES: Final[Mapping[type, Listed]] = {
    Memory: Listed(_EMPTY, "id|key|status|said|text", _memory),
    Session: Listed(_EMPTY, "session|turns|last|ended", _session, {"turns"}),
    Turn: Listed(_EMPTY, "seq|turn|at|said|tools", _turn, {"seq"}),
    Run: Listed(_EMPTY, "run|session|started|ended|goal", _run),
    Work: Listed(_EMPTY, "work|kind|state|attempts|owner|error", _work, {"attempts"}),
}
