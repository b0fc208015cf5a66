"""Showing results: tables for people, JSON for programs.

In: records. Out: text on stdout, coloured only in a terminal, never cut. JSON is one document with
stable names, the same as `to_dict()`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from smartbrain.domain.artifact import Artifact, FoundLines, Snippet
from smartbrain.domain.memory import Memory
from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.page import Page
from smartbrain.domain.record import Record, to_plain
from smartbrain.domain.result import CommitResult
from smartbrain.domain.status import (
    Arm,
    ArmState,
    Finding,
    HealthReport,
    PendingUpgrade,
    Severity,
    TenantStatus,
)
from smartbrain.domain.turn import Session, Turn
from smartbrain.domain.working import Memo, Note, Pin, Run, TrailEntry
from smartbrain.entrypoints.cli.lines import counted, one_line, print_lines, shortened
from smartbrain.jobs.work import Work
from smartbrain.settings.template import spelled

_GAP: Final = "  "
_COUNTS: Final = ("sessions", "turns", "memories", "edges", "raw_chunks")


def console() -> Console:
    """Return a console that never guesses at what our text means."""
    return Console(markup=False, emoji=False, highlight=False, soft_wrap=True)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: Collection[str] = ()
) -> None:
    """Print rows under a heading; where the terminal is too narrow, one value a line."""
    out = console()
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(columns, *cells, strict=True)]
    if out.is_terminal and sum(widths) + len(_GAP) * (len(widths) - 1) > out.width:
        _stacked(out, columns, cells)
        return
    right = [column in numeric for column in columns]
    out.print(Text(_aligned(columns, widths, right), style="bold"))
    for row in cells:
        out.print(_aligned(row, widths, right))


def show_status(root: str, tenants: Sequence[TenantStatus]) -> None:
    """Print what each tenant holds."""
    console().print(f"Brain at {one_line(root)}")
    if not tenants:
        return
    told = {status.tenant: _arms(status.arms) for status in tenants}
    if len(set(told.values())) == 1:
        console().print(one_line(f"Recall: {told[tenants[0].tenant]}"))
    else:
        for name, arms in told.items():
            console().print(one_line(f"Recall of {name}: {arms}"))
    counts = [name.replace("_", " ") for name in _COUNTS]
    table(
        ["tenant", *counts, "size", ""],
        [
            [
                status.tenant,
                *(f"{status.rows.get(name, 0):,}" for name in _COUNTS),
                size_text(status.database_bytes + status.raw_bytes),
                "encrypted" if status.encrypted else "",
            ]
            for status in tenants
        ],
        numeric={*counts, "size"},
    )


def _arms(arms: Sequence[Arm]) -> str:
    names: dict[str, list[str]] = {}
    for arm in arms:
        names.setdefault(_standing(arm), []).append(arm.name)
    return "; ".join(f"{', '.join(some)} {how}" for how, some in names.items())


def _standing(arm: Arm) -> str:
    """Return how an arm stands, why it does not answer yet, and what it still lacks."""
    why = [] if arm.state is ArmState.UP else [arm.reason]
    if arm.waiting:
        why.append(f"{counted(arm.waiting, 'vector')} still to make")
    return arm.state.value + (f" ({'; '.join(why)})" if why else "")


def show_health(report: HealthReport) -> None:
    """Print what the doctor found."""
    out = console()
    for finding in report.findings:
        _show_finding(out, finding)
    for tenant in report.tenants:
        out.print(f"{one_line(tenant.tenant)}: {'' if tenant.findings else 'ok'}".rstrip())
        for finding in tenant.findings:
            _show_finding(out, finding, known=tenant.tenant)
    found = report.all()
    errors = sum(finding.severity is Severity.ERROR for finding in found)
    out.print(
        f"{counted(len(report.tenants), 'tenant')} checked: {counted(errors, 'error')},"
        f" {counted(len(found) - errors, 'warning')}",
        style="green" if report.healthy else "red",
    )


def show_upgrades(upgrades: Sequence[PendingUpgrade], *, applied: bool) -> None:
    """Print which migrations each tenant still needs, or has just had."""
    if not upgrades:
        console().print("no tenants yet")
        return
    table(
        ["tenant", "schema", "ran" if applied else "would run"],
        [
            [
                upgrade.tenant,
                f"{upgrade.version} of {upgrade.latest}",
                ", ".join(upgrade.steps) or "nothing",
            ]
            for upgrade in upgrades
        ],
    )


def show_settings(rows: Iterable[tuple[str, Any, str]]) -> None:
    """Print each setting with its value and where it came from."""
    table(
        ["setting", "value", "from"],
        [[name, _value(value), origin] for name, value, origin in rows],
    )


def size_text(size: float) -> str:
    """Return a number of bytes as people read it."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} GiB"


def _aligned(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for cell, width, at_right in zip(cells, widths, right, strict=True):
        blanks = " " * (width - cell_len(cell))
        padded.append(blanks + cell if at_right else cell + blanks)
    return _GAP.join(padded).rstrip()


def _stacked(out: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print each row as a block: its first cell, and the others below it with their names."""
    width = max(map(cell_len, columns[1:]))
    for row in rows:
        out.print(Text(row[0], style="bold"))
        for column, cell in zip(columns[1:], row[1:], strict=True):
            if cell:
                out.print(_GAP + _aligned([column, cell], [width, 0], [False, False]))


def _show_finding(out: Console, finding: Finding, known: str = "") -> None:
    style = "red" if finding.severity is Severity.ERROR else "yellow"
    sentence = f"  {finding.severity.value}: {finding.sentence} [{finding.code}]"
    out.print(one_line(sentence), style=style)
    if finding.subject not in ("", known):
        out.print(f"    in {one_line(finding.subject)}")
    if finding.remedy:
        out.print(f"    {one_line(finding.remedy)}")


def _value(value: Any) -> str:
    """Return a setting's value on one line, as brain.yml spells it."""
    if isinstance(value, Mapping):
        return json.dumps(to_plain(value), ensure_ascii=False)
    return spelled(value)


@dataclass(frozen=True, slots=True)
class Listed:
    """How entries of a kind are printed: the columns, what is in them, and what is said of none."""

    columns: str
    row: Callable[[Any], Sequence[str]]
    numeric: Collection[str] = ()
    empty: str = "nothing here"
    name: str = ""
    """What programs get a list of them under; none is a bare list."""

    def __call__(self, entries: Sequence[Any]) -> None:
        """Print entries."""
        if entries:
            table(self.columns.split("|"), map(self.row, entries), self.numeric)
        else:
            console().print(self.empty)


def _pin(pin: Pin) -> Sequence[str]:
    waits = "" if pin.state.value == "active" else pin.state.value
    return pin.id, pin.type, pin.title, pin.summary, pin.source, _until(pin), waits


def _until(pin: Pin) -> str:
    """Return how long a pin lives: to a day, for so many sessions from its renewal, or both."""
    ends = [f"{pin.until:%Y-%m-%d}"] if pin.until else []
    ends += [f"{pin.sessions} sessions"] if pin.sessions else []
    return " or ".join(ends)


def _step(one: PlanEntry) -> Sequence[str]:
    return one.id, "x" if one.done else "", one.text, one.done_when or ""


def _note(one: Note) -> Sequence[str]:
    mark = "milestone" if one.milestone else ""
    return one.id, f"{one.at:%Y-%m-%d %H:%M}", one.text, one.source or "", mark


def _change(one: TrailEntry) -> Sequence[str]:
    entries = f"{len(one.before)} → {len(one.after)}"
    at = f"{one.at:%Y-%m-%d %H:%M:%S}"
    return str(one.number), at, one.actor, one.action, entries, one.reason


def _run(one: Artifact) -> Sequence[str]:
    ended = one.status.value if one.exit_code is None else f"exit code {one.exit_code}"
    told = shortened(one.summary.partition("\n")[2])
    at = f"{one.created_at:%Y-%m-%d %H:%M}"
    return one.id, at, one.tool_name, ended, size_text(one.bytes), told


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


def _agent_run(one: Run) -> Sequence[str]:
    ended = f"{one.ended_at:%Y-%m-%d %H:%M}" if one.ended_at else ""
    goal = (one.working_memory.goal if one.working_memory else None) or ""
    return one.run_id, one.session_id, f"{one.started_at:%Y-%m-%d %H:%M}", ended, goal


def _work(one: Work) -> Sequence[str]:
    return one.id, one.kind, one.state, str(one.attempts), one.lease_owner or "", one.error


_ANY: Final = Listed("", tuple)
_VERSIONS: Final = Listed("version|status|from|until|text|id|source", _version, {"version"})
TABLES: Final[Mapping[Any, Listed]] = {
    Artifact: Listed("id|at|tool|ended|size|summary", _run, {"size"}, "no artifacts"),
    Memory: Listed("id|key|status|said|text", _memory),
    Note: Listed("id|at|note|source|", _note, (), "no notes", "notes"),
    Pin: Listed("id|type|title|summary|source|until|", _pin, (), "no pins", "pins"),
    PlanEntry: Listed("id|done|step|done when", _step, (), "the plan is empty", "steps"),
    Run: Listed("run|session|started|ended|goal", _agent_run),
    Session: Listed("session|turns|last|ended", _session, {"turns"}),
    TrailEntry: Listed(
        "change|at|who|what|entries|why", _change, {"change"}, "no changes yet", "changes"
    ),
    Turn: Listed("seq|turn|at|said|tools", _turn, {"seq"}),
    Work: Listed("work|kind|state|attempts|owner|error", _work, {"attempts"}),
}
"""How entries are listed, by their type."""


def name_of(kind: Any) -> str:
    """Return what programs get a list of a kind under."""
    return TABLES.get(kind, _ANY).name


def _show_memo(memo: Memo) -> None:
    out = console()
    for section, lines in memo.sections.items():
        if not lines:
            continue
        due = " (compaction is due)" if section in memo.pending else ""
        out.print(f"[{section}]{due}", style="bold")
        for line in lines:
            out.print(f"- {one_line(line)}")
    if not any(memo.sections.values()):
        out.print("the surface memory is empty")


def _show_artifact(artifact: Artifact) -> None:
    console().print(one_line(f"{artifact.id}  {artifact.session_id}"), style="bold")
    _show_text(artifact.summary)
    text = artifact.text.removesuffix("\n")
    _show_part(f"--- {artifact.shown} ---", text, artifact.more)


def _show_found(found: FoundLines) -> None:
    _show_text(str(found) or "no line matches")


def _show_snippet(snippet: Snippet) -> None:
    _show_part(f"{snippet.path}, {snippet.shown}", snippet.text, snippet.more)


def _show_part(head: str, text: str, more: str | None) -> None:
    console().print(one_line(head), style="bold")
    _show_text(text)
    if more:
        console().print(more)


def _show_text(text: str) -> None:
    print_lines(line.expandtabs() for line in text.split("\n"))


_EPISODE: Final = "episode"  # the code of what every turn leaves
_LONGEST_FIELD: Final = 400  # characters


def show_value(value: Any, kind: Any = None) -> None:
    """Print what a verb returned, rows as entries of a kind."""
    show = _SHOWN.get(type(value))
    if show is not None:
        show(value)
    elif isinstance(value, Page):
        _show_rows(value.items, kind)
        if value.cursor:
            console().print(one_line(f"there are more; go on with --cursor {value.cursor}"))
    elif isinstance(value, Record | Mapping):
        show_fields(value)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        _show_rows(value, kind)
    else:
        print_lines(["done" if value is None else str(value)])


def _show_rows(rows: Sequence[Any], kind: Any) -> None:
    """Print rows as a table where their kind has one, else each field by field."""
    listed = TABLES.get(type(rows[0]) if rows else kind, _ANY)
    if listed is not _ANY or not rows:
        listed(rows)
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
    told = [one for one in result.explain.retention if one.code != _EPISODE]
    lines = [f"{one.action} {one.key}".rstrip() + f": {one.reason}" for one in told]
    lines += [f"{one.key}: {one.reason}" for one in result.explain.conflicts]
    lines += [f"not understood: {one.reason}" for one in result.explain.ignored]
    print_lines(lines or ["kept as it was said; nothing that lasts was read in it"])


def _spelled(value: Any) -> str:
    if isinstance(value, str):
        return value
    return shortened(json.dumps(value, ensure_ascii=False), _LONGEST_FIELD)


_SHOWN: Final[Mapping[type, Callable[[Any], None]]] = {
    Artifact: _show_artifact,
    CommitResult: _show_commit,
    FoundLines: _show_found,
    Memo: _show_memo,
    Snippet: _show_snippet,
}
"""What shows one value of a type."""
