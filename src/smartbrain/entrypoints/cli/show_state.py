"""Showing working state to people: pins, plans, notes, surface memory, changes, parts of texts.

In: records. Out: tables and lines on stdout, with whatever cannot be printed escaped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Final

from smartbrain.domain.artifact import Artifact, ArtifactPage, FoundLines, Snippet
from smartbrain.domain.governed import MemoSection
from smartbrain.domain.kept import Memo, Note, Pin, TrailEntry
from smartbrain.domain.packet import PlanEntry
from smartbrain.entrypoints.cli.lines import one_line, shortened
from smartbrain.entrypoints.cli.show import console, print_json, size_text, table

NO_MEMO: Final = Memo(sections={section.value: () for section in MemoSection})
NO_ARTIFACTS: Final = ArtifactPage()


def tell_changes(changes: Sequence[TrailEntry], *, as_json: bool) -> None:
    """Print changes for programs or for people."""
    if as_json:
        print_json({"changes": changes})
    else:
        show_changes(changes)


def show_pins(pins: Sequence[Pin]) -> None:
    """Print pins with what they say, where it comes from and until when they live."""
    if not pins:
        console().print("no pins")
        return
    table(
        ["id", "type", "title", "summary", "source", "until", ""],
        [
            [
                pin.id,
                pin.type,
                pin.title,
                pin.summary,
                pin.source,
                _until(pin),
                "" if pin.state.value == "active" else pin.state.value,
            ]
            for pin in pins
        ],
    )


def _until(pin: Pin) -> str:
    """Return how long a pin lives: to a day, for so many sessions from its renewal, or both."""
    ends = [f"{pin.until:%Y-%m-%d}"] if pin.until else []
    ends += [f"{pin.sessions} sessions"] if pin.sessions else []
    return " or ".join(ends)


def show_steps(steps: Sequence[PlanEntry]) -> None:
    """Print the steps of a plan."""
    if not steps:
        console().print("the plan is empty")
        return
    table(
        ["id", "done", "step", "done when"],
        [[one.id, "x" if one.done else "", one.text, one.done_when or ""] for one in steps],
    )


def show_notes(notes: Sequence[Note]) -> None:
    """Print the notes of a session."""
    if not notes:
        console().print("no notes")
        return
    table(
        ["id", "at", "note", "source", ""],
        [
            [
                one.id,
                f"{one.at:%Y-%m-%d %H:%M}",
                one.text,
                one.source or "",
                "milestone" if one.milestone else "",
            ]
            for one in notes
        ],
    )


def show_changes(changes: Sequence[TrailEntry]) -> None:
    """Print changes, newest first; their numbers are what a rollback takes."""
    if not changes:
        console().print("no changes yet")
        return
    table(
        ["change", "at", "who", "what", "entries", "why"],
        [
            [
                str(one.number),
                f"{one.at:%Y-%m-%d %H:%M:%S}",
                one.actor,
                one.action,
                f"{len(one.before)} → {len(one.after)}",
                one.reason,
            ]
            for one in changes
        ],
        numeric={"change"},
    )


def show_memo(memo: Memo) -> None:
    """Print the surface memory, section by section."""
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


def show_artifacts(artifacts: Sequence[Artifact], cursor: str | None) -> None:
    """Print runs of tools, newest first, and how to see the rest."""
    if not artifacts:
        console().print("no artifacts")
        return
    table(
        ["id", "at", "tool", "ended", "size", "summary"],
        [
            [
                one.id,
                f"{one.created_at:%Y-%m-%d %H:%M}",
                one.tool_name,
                one.status.value if one.exit_code is None else f"exit code {one.exit_code}",
                size_text(one.bytes),
                shortened(one.summary.partition("\n")[2]),
            ]
            for one in artifacts
        ],
        numeric={"size"},
    )
    if cursor:
        console().print(f"there are more; go on with --cursor {cursor}")


def show_artifact(artifact: Artifact) -> None:
    """Print a run and the part of its output that was asked for."""
    out = console()
    out.print(one_line(f"{artifact.id}  {artifact.session_id}"), style="bold")
    _show_text(artifact.summary)
    out.print(f"--- {artifact.shown} ---", style="bold")
    _show_text(artifact.text.removesuffix("\n"))
    if artifact.more:
        out.print(artifact.more)


def show_found(found: FoundLines) -> None:
    """Print the lines that match."""
    _show_text(str(found) or "no line matches")


def show_snippet(snippet: Snippet) -> None:
    """Print lines of a file."""
    out = console()
    head = f"{snippet.path}, {snippet.shown}"
    out.print(one_line(head), style="bold")
    _show_text(snippet.text)
    if snippet.more:
        out.print(snippet.more)


def _show_text(text: str) -> None:
    """Print a text line by line; escape codes in it do nothing to the terminal."""
    sys.stdout.writelines(_plain(text.split("\n")))


def _plain(lines: Iterable[str]) -> Iterable[str]:
    """Return lines as a terminal may be given them."""
    return (one_line(line.expandtabs()) + "\n" for line in lines)
