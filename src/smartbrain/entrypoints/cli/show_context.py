"""Showing a composed context to people: its blocks, what each costs, and why it is as it is.

In: a context package, and the rules that say how tokens are counted. Out: lines, and a bar a block.
What memory holds may contain anything: a control character is spelled, and no terminal obeys it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from smartbrain.bootstrap.tokens import token_counter
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.context_text import blocks
from smartbrain.domain.policy import CompositionRules
from smartbrain.domain.reason import Reason
from smartbrain.domain.rendered import heading, title_of
from smartbrain.entrypoints.cli.lines import counted, one_line

_BAR: Final = 30  # places
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_EVIDENCE: Final = "evidence"
_LEFT_OUT: Final = 12  # reasons that are told one by one
_TITLE: Final = 56  # places for what a reason is about


class Cost(NamedTuple):
    """What the blocks of one title take."""

    title: str
    tokens: int


def costs(package: ContextPackage, rules: CompositionRules) -> list[Cost]:
    """Return what each block takes with its heading, in the order in which they are shown."""
    count = token_counter(rules).count
    return [Cost(block.title, count(block.shown)) for block in blocks(package)]


def show_blocks(out: Console, package: ContextPackage) -> None:
    """Print the blocks, each under its title."""
    for number, block in enumerate(blocks(package)):
        if number:
            out.print()
        out.print(Text(heading(one_line(block.title)), style="bold cyan"))
        for line in block.text.expandtabs(4).split("\n"):
            out.print(Text(one_line(line)))


def budget_lines(package: ContextPackage, found: Sequence[Cost], bar: int = _BAR) -> Iterator[str]:
    """Yield a bar a block, as its share of all that is used, and one for all against the limit."""
    budget = package.constraints.token_budget
    total = max(1, budget.used_estimate)
    titles = [one_line(one.title) for one in found]
    width = max(map(cell_len, (*titles, "in all")))
    for title, one in zip(titles, found, strict=True):
        yield _line(title, width, _bar(one.tokens / total, bar), f"{one.tokens:>6,}")
    share = budget.used_estimate / budget.limit
    used = f"{budget.used_estimate:>6,} of {budget.limit:,}"
    yield _line("in all", width, _bar(share, bar), used)


def show_budget(out: Console, package: ContextPackage, rules: CompositionRules) -> None:
    """Print how many tokens each block takes, and all of them together."""
    out.print(Text("tokens", style="bold"))
    for line in budget_lines(package, costs(package, rules)):
        out.print(Text(f"  {line}"))


def show_why(out: Console, package: ContextPackage) -> None:
    """Print why each thing is there, and what was left out for which reason."""
    debug = package.debug
    told = {name: debug.planner.get(name) for name in ("recipe", "audience", "intent", "mode")}
    out.print(Text("why", style="bold"))
    out.print(Text("  " + ", ".join(f"{name} {value}" for name, value in told.items() if value)))
    documents = debug.planner.get("resources")
    if documents:
        out.print(Text(f"  documents: {one_line(documents['reason'])} [{documents['code']}]"))
    others = [one for one in debug.why_selected if one.type != _EVIDENCE]
    for line in dict.fromkeys(map(_chosen_line, others)):
        out.print(Text(f"  {line}"))
    chosen = [one for one in debug.why_selected if one.type == _EVIDENCE]
    for number, (one, shown) in enumerate(zip(chosen, package.evidence, strict=True), 1):
        quote = _short(shown.snippet or shown.title or shown.source_uri)
        out.print(Text(f"  [E{number}] {quote}: {one_line(one.reason)} [{one.code}]"))
    if not chosen:
        out.print(Text("  no evidence: nothing more than what is shown anyway was called for"))
    _show_left_out(out, debug.ignored)


def _show_left_out(out: Console, ignored: tuple[Reason, ...]) -> None:
    """Print what was cut or left out, once each; the first ones by name."""
    lines = list(dict.fromkeys(map(_reason_line, ignored)))
    out.print(Text(f"left out: {counted(len(lines), 'thing') if lines else 'nothing'}", "bold"))
    for line in lines[:_LEFT_OUT]:
        out.print(Text(f"  {line}"))
    if len(lines) > _LEFT_OUT:
        out.print(Text(f"  … and {len(lines) - _LEFT_OUT:,} more; --json has them all"))


def _chosen_line(one: Reason) -> str:
    """Return why a slot shows something, under the title of its block."""
    of_blocks = one.type in ("system_blocks", "developer_blocks")
    title = title_of((one.id if of_blocks else one.type) or "")
    return f"{_short(title)}: {one_line(one.reason)} [{one.code}]"


def _reason_line(one: Reason) -> str:
    """Return what a reason is about, its sentence and its code."""
    about = " ".join(filter(None, (one.type, one.key or one.id)))
    return f"{_short(about)}: {one_line(one.reason)} [{one.code}]"


def _short(text: str) -> str:
    """Return the beginning of a text on one line; Chinese characters take two places."""
    line = Text(one_line(" ".join(text.split())))
    line.truncate(_TITLE, overflow="ellipsis")
    return line.plain


def _line(title: str, width: int, bar: str, figures: str) -> str:
    """Return a title, a bar and its figures; Chinese characters take two places."""
    return f"{title}{' ' * (width - cell_len(title))}  {bar}  {figures}"


def _bar(share: float, places: int) -> str:
    """Return a bar that is as exact as an eighth of a place, and never empty."""
    full, rest = divmod(max(1, round(min(1.0, share) * places * 8)), 8)
    return ("█" * full + _EIGHTHS[rest].strip()).ljust(places)
