"""Drawing what came of the story, in a hundred columns.

In: what was played, a composed context, the memories. Out: lines and bars in a terminal; the same
in every run.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta

from rich.console import Console
from rich.table import Table
from rich.text import Text

from smartbrain.domain.context import ContextPackage
from smartbrain.domain.memory import Memory
from smartbrain.domain.policy import CompositionRules
from smartbrain.entrypoints.cli.show_context import show_blocks, show_budget, show_why
from smartbrain.text.tokens import EstimatedTokens
from story.play import QUIET, Played, Told
from story.script import DAYS, QUESTION, Day

WIDTH = 100
_STYLES = {"active": "green", "superseded": "yellow", "disputed": "yellow", "retracted": "red"}
_NEXT = (
    ('memctl remember "…" && memctl recall "…"', "tell memory something, and ask it"),
    ('memctl compose --session chat --message "…" --why', "what a model is given, and why"),
    ("memctl ingest --chat export.json", "bring what you said elsewhere"),
)


def new_console() -> Console:
    """Return a console of at most a hundred columns that takes our text as it is."""
    found = Console()
    width = min(WIDTH, found.width) if found.is_terminal else WIDTH
    return Console(width=width, markup=False, emoji=False, highlight=False)


def chapter(out: Console, title: str) -> None:
    """Begin a part of the story."""
    out.print()
    out.rule(Text(title, style="bold"), align="left")


def show_day(out: Console, told: Sequence[Told]) -> None:
    """Print a day: what was said, what memory made of it, and what was kept in order."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=10, style="bold")
    grid.add_column(width=52, no_wrap=True, overflow="ellipsis")
    grid.add_column()
    for number, one in enumerate(told):
        when = f"{one.day.date:%a %d %b}" if number == 0 else ""
        became = Text(", ".join(one.became) or "nothing to remember", _style(one.became))
        grid.add_row(Text(when), Text(one.turn.said), became)
        for call in one.turn.steps:
            ended = f"exit code {call['exit_code']}, " if "exit_code" in call else ""
            size = f"{len(call['stdout'].encode()):,} bytes"
            grid.add_row("", Text(f"  {call['name']}: {ended}{size}", "dim"))
    for kept in _kept(told[0].day):
        grid.add_row("", Text(f"  {kept}", "cyan"))
    out.print(grid)


def _style(became: Sequence[str]) -> str:
    return "green" if became else "dim"


def _kept(day: Day) -> Iterator[str]:
    """Yield what a day pins, plans and notes, a line each."""
    yield from (f"pinned: {title}: {summary}" for _, title, summary in day.pins)
    if day.plan:
        yield f"planned: {'; '.join(day.plan)}"
    yield from (f"checked: step {number}" for number in day.checked)
    yield from (f"noted: {note}" for note in day.notes)


def show_steps(out: Console, played: Played) -> None:
    """Print how large the context of each step of the tool loop was."""
    count = EstimatedTokens().count
    for number, step in enumerate(played.steps, 1):
        printed = f"{step.printed:>7,} bytes printed so far"
        out.print(f"  step {number}  {step.tool:<12} {printed}   context {step.tokens:>5,} tokens")
    whole = sum(
        count(turn.said) + count(turn.answer) + sum(count(one["stdout"]) for one in turn.steps)
        for day in DAYS
        for turn in day.turns
    )
    out.print(Text(f"  everything said and printed in two weeks: {whole:,} tokens", "dim"))


def show_question(out: Console, package: ContextPackage, played: Played) -> None:
    """Print the context for the question, its budget and its reasons, ids by their short names."""
    _show_named(out, played, lambda caught: show_blocks(caught, package))
    chapter(out, f"The budget: never more than {QUESTION.token_limit:,} tokens")
    show_budget(out, package, CompositionRules())
    chapter(out, "Why each thing is in it, and what was left out")
    _show_named(out, played, lambda caught: show_why(caught, package))


def show_timeline(out: Console, memories: Iterable[Memory]) -> None:
    """Print since when and until when each memory holds, a place a day."""
    first = DAYS[0].date
    days = [first + timedelta(days=number) for number in range((QUESTION.at - first).days + 1)]
    ruler = " ".join(f"{day.day:>2}" for day in days)
    out.print(Text(f"  {ruler}  March 2026", "dim"))
    for memory in sorted(memories, key=lambda one: (one.said_at, one.key)):
        if memory.type not in QUIET:
            out.print(_life(memory, days), no_wrap=True, overflow="ellipsis")


def show_next(out: Console) -> None:
    """Print what to try."""
    width = max(len(command) for command, _ in _NEXT)
    for command, meaning in _NEXT:
        out.print(f"  {command:<{width}}  {meaning}")


def _life(memory: Memory, days: list[date]) -> Text:
    """Return a memory as a line: a bar over the days on which it held, and how it ended."""
    since = memory.said_at.date()
    until = memory.valid_until.date() if memory.valid_until else None
    style = _STYLES[memory.status.value]
    line = Text("  ")
    for day in days:
        held = since <= day and (until is None or day < until)
        ends = until == day
        line.append("━━━" if held else "╸  " if ends else "   ", style)
    line.append(f" {memory.status.value:<10} ", style)
    return line.append(f"{memory.type}: {memory.text}")


def _show_named(out: Console, played: Played, show: Callable[[Console], None]) -> None:
    """Print what something prints, with short names in place of ids."""
    caught = Console(
        file=io.StringIO(), force_terminal=out.is_terminal, soft_wrap=True, highlight=False
    )
    with caught.capture() as shown:
        show(caught)
    out.print(Text.from_ansi(played.named(shown.get().rstrip())))
