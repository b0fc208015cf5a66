"""How a context or an answer came about, for people: its parts, reasons and budget.

In: a context, what explains one, the difference of two, or what was recalled. Out: lines on stdout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from smartbrain.adapters.splintr_counter import token_counter
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.context_diff import ContextDiff
from smartbrain.domain.context_explained import ContextExplanation
from smartbrain.domain.context_text import blocks
from smartbrain.domain.explanation import Explanation
from smartbrain.domain.policy import CompositionRules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Cues, Recall, RecallItem, RecallTrace
from smartbrain.domain.record import to_plain
from smartbrain.domain.rendered import heading, title_of
from smartbrain.domain.result import Retention
from smartbrain.entrypoints.cli.lines import counted, first_of, one_line, print_lines, shortened
from smartbrain.entrypoints.cli.show import console, table

_BAR: Final = 30  # places
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_EVIDENCE: Final = "evidence"
_LISTED_SHORT: Final = 12  # reasons that are told one by one
_TITLE: Final = 56  # places for what a reason is about


def show_blocks(out: Console, package: ContextPackage) -> None:
    """Print the blocks, each under its title."""
    for number, block in enumerate(blocks(package)):
        if number:
            out.print()
        out.print(Text(heading(one_line(block.title)), style="bold cyan"))
        for line in block.text.expandtabs(4).split("\n"):
            out.print(Text(one_line(line)))


def show_budget(out: Console, package: ContextPackage, rules: CompositionRules) -> None:
    """Print a bar a block, as its share of all that is used, and one for all against the limit."""
    budget, count = package.constraints.token_budget, token_counter(rules).count
    total = max(1, budget.used_estimate)
    shown = [(one_line(block.title), count(block.shown)) for block in blocks(package)]
    width = max(map(cell_len, (*(title for title, _ in shown), "in all")))
    lines = [_line(title, width, tokens / total, f"{tokens:>6,}") for title, tokens in shown]
    used = f"{budget.used_estimate:>6,} of {budget.limit:,}"
    out.print(Text("tokens", style="bold"))
    for line in (*lines, _line("in all", width, budget.used_estimate / budget.limit, used)):
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
        out.print(Text(f"  [E{number}] {_because(quote, one)}"))
    if not chosen:
        out.print(Text("  no evidence: nothing more than what is shown anyway was called for"))
    _show_left_out(out, debug.ignored)


def _show_left_out(out: Console, ignored: tuple[Reason, ...]) -> None:
    lines = list(dict.fromkeys(_because(_short(_about(one)), one) for one in ignored))
    out.print(Text(f"left out: {counted(len(lines), 'thing') if lines else 'nothing'}", "bold"))
    for line in first_of([f"  {line}" for line in lines], _LISTED_SHORT):
        out.print(Text(line))


def _chosen_line(one: Reason) -> str:
    of_blocks = one.type in ("system_blocks", "developer_blocks")
    return _because(_short(title_of((one.id if of_blocks else one.type) or "")), one)


def _about(one: Reason) -> str:
    return " ".join(filter(None, (one.type, one.key or one.id)))


def _because(about: str | None, one: Reason | Retention) -> str:
    """Return what a reason is about, its sentence and its code, on one line."""
    return one_line(f"{about or ''}: {one.reason} [{one.code}]")


def _short(text: str) -> str:
    line = Text(one_line(" ".join(text.split())))
    line.truncate(_TITLE, overflow="ellipsis")
    return line.plain


def _line(title: str, width: int, share: float, figures: str) -> str:
    return f"{title}{' ' * (width - cell_len(title))}  {_bar(share)}  {figures}"


def _bar(share: float) -> str:
    """Return a bar that is as exact as an eighth of a place, and never empty."""
    full, rest = divmod(max(1, round(min(1.0, share) * _BAR * 8)), 8)
    return ("█" * full + _EIGHTHS[rest].strip()).ljust(_BAR)


_LISTED: Final = 20  # reasons that are printed one by one
_STYLES: Final = {"+ ": "green", "- ": "red", "note: ": "yellow"}


def show_explanation(found: Explanation) -> None:
    """Print why something is as it is."""
    out = console()
    if found.context is not None:
        _show_context(found, found.context)
        return
    if found.verdict is not None:
        out.print(f"{found.verdict.value}: {one_line(found.reason)}", style="bold")
        if found.hint:
            out.print(one_line(found.hint))
        _reasons("trail", found.trail)
    for step in found.steps:
        for kept in step.retention:
            out.print(_because(f"{kept.action.value} {kept.key or kept.type}", kept))
        for conflict in step.conflicts:
            out.print(one_line(f"conflict {conflict.key}: {conflict.reason} [{conflict.code}]"))
        _reasons("not understood", step.ignored)


def show_diff(found: ContextDiff) -> None:
    """Print what differs between two contexts."""
    out = console()
    for line in found.text().splitlines():
        style = next((style for mark, style in _STYLES.items() if line.startswith(mark)), None)
        out.print(one_line(line), style=style)


def _show_context(found: Explanation, context: ContextExplanation) -> None:
    out = console()
    out.print(f"context {found.context_id}: {found.reason}", style="bold")
    when = context.created_at.isoformat(timespec="seconds")
    whom = f"recipe {context.recipe} for a {context.audience}, session {context.session_id}, {when}"
    out.print(one_line(whom))
    out.print(one_line(f"message: {shortened(context.message)}"))
    if context.plan is not None:
        out.print("plan", style="bold")
        for query in context.plan.get("queries", ()):
            out.print(one_line(f"  {query['weight']:.2f}  {query['mode']}  {query['text']}"))
    _reasons("chosen", context.selected)
    _reasons("shortened", context.shortened)
    _reasons("left out", context.left)
    _reasons("not understood or followed", context.ignored)
    out.print("tokens", style="bold")
    most = max([one.tokens for one in context.budget], default=0) or 1
    width = max([len(one.slot) for one in context.budget], default=0)
    for one in context.budget:
        of = f" of {one.most:,}" if one.most is not None else ""
        figures = f"{one.tokens:>7,}{of}"
        out.print(f"  {_line(one.slot, width, one.tokens / most, figures)}")
    out.print(f"  {context.used:,} of {context.limit:,} tokens, joints and reserve included")
    for name in context.not_kept:
        out.print(f"note: the {name} was not kept", style="yellow")


def _reasons(title: str, reasons: Iterable[Reason]) -> None:
    lines = [f"  {_because(_about(one), one)}".replace("  :", " ") for one in reasons]
    if lines:
        console().print(f"{title}: {len(lines):,}", style="bold")
        print_lines(first_of(lines, _LISTED))


NOTHING: Final = Recall()
"""What is recalled where nothing is stored."""

_ITEM_TITLE: Final = 60  # characters of an item that has no title
_OVER: Final = "over_budget"
_SIGNALS: Final = {
    "fts_score": "words",
    "vector_score": "meaning",
    "graph_score": "graph",
    "time_score": "time",
    "recency_score": "recency",
    "coverage_score": "coverage",
    "weight_score": "weight",
    "rerank_score": "reranked",
}


def show_recall(found: Recall, notes: Sequence[str], *, stored: bool) -> None:
    """Print the memories of a recall, best first."""
    out = console()
    for note in notes:
        out.print(f"note: {one_line(note)}", style="yellow")
    for number, item in enumerate(found, 1):
        title = item.title or shortened(item.text, _ITEM_TITLE)
        out.print(f"{number}. {one_line(title)}", style="bold")
        for line in _item(item):
            out.print(f"   {one_line(line)}")
    if not found:
        out.print(_nothing(found.trace, stored))
    if found.trace.degraded:
        broken = [arm for arm in found.trace.arms if arm.verdict in ("late", "failed", "not_ready")]
        told = "; ".join(f"{arm.name} is {arm.verdict.value}: {arm.reason}" for arm in broken)
        out.print(f"note: the answer may lack something: {one_line(told)}", style="yellow")


def _nothing(trace: RecallTrace, stored: bool) -> str:
    """Say why no memory is shown: none was found, or none fits the budget."""
    if not stored:
        return "nothing found: nothing is stored yet"
    over = sum(one.code == _OVER for one in trace.omitted)
    if not over:
        return "nothing found"
    left = f"{counted(over, 'result')} left out as over budget"
    return f"nothing fits: {left}; raise --budget, or see --trace for what each takes"


def _item(item: RecallItem) -> Iterator[str]:
    said = [f"{item.score:.3f}", item.at.date().isoformat(), item.type]
    said += [item.speaker] if item.speaker else []
    said += [item.status.value] if item.status.value != "active" else []
    yield "  ".join(said)
    text = shortened(item.text)
    yield text
    signals = to_plain(item.signals)
    scores = [
        f"{word} {signals[name]:.2f}" + _rank(signals, name)
        for name, word in _SIGNALS.items()
        if signals[name] is not None
    ]
    by = f"found by {', '.join(item.found_by)}" if item.found_by else "found"
    yield f"why: {by}{': ' if scores else ''}{', '.join(scores)}"
    steps = [f"{step.relation} {step.type} {step.id}" for step in item.path]
    if steps:
        yield f"from: {item.id} → {' → '.join(steps)}"
    for quote in item.quotes[:1]:
        if "raw" in item.found_by or quote.text not in text:
            yield f"quote: “{quote.text}”"


def _rank(signals: dict[str, float | None], name: str) -> str:
    rank = signals.get(name.replace("_score", "_rank"))
    return f" (rank {rank})" if rank is not None else ""


def show_cues(cues: Cues) -> None:
    """Print what a message gives to look for, a kind a line."""
    told = {name: value for name, value in to_plain(cues).items() if name != "text"}
    told["asking"] = f"{cues.asking:.2f}" if cues.attributes else ""
    for name, times in (("times", cues.times), ("ahead", cues.ahead)):
        told[name] = [
            f"{one.words} ({one.since.isoformat()} to {one.until.isoformat()})" for one in times
        ]
    out = console()
    for name, value in told.items():
        if value is True:
            out.print(f"  {name}")
        elif value:
            spelled = value if isinstance(value, str) else ", ".join(value)
            out.print(f"  {name}: {one_line(spelled)}")


def show_trace(trace: RecallTrace) -> None:
    """Print how a recall went: cues, plan, arms, stages, and what was left out."""
    out = console()
    out.print(f"\ntrace {trace.request_id}".rstrip(), style="bold")
    if trace.cues is not None:
        out.print("cues", style="bold")
        show_cues(trace.cues)
    if trace.plan is not None:
        out.print(f"plan: {trace.plan.purpose.value}", style="bold")
        for query in trace.plan.queries:
            out.print(f"  {query.weight:.2f}  {query.mode.value}  {one_line(query.text)}")
    print_lines(f"  {_because(one.key, one)}" for one in trace.ignored_fields)
    degraded = ", degraded" if trace.degraded else ""
    out.print(f"arms: {trace.mode}{degraded}", style="bold")
    if trace.arms:
        table(
            ["arm", "verdict", "hits", "ms", "why"],
            [
                [arm.name, arm.verdict.value, f"{arm.hits:,}", f"{arm.took_ms:.1f}", arm.reason]
                for arm in trace.arms
            ],
            numeric={"hits", "ms"},
        )
    stages = ", ".join(f"{name} {took:.1f} ms" for name, took in trace.stages.items())
    behind = f", {counted(trace.behind, 'transaction')} behind" if trace.behind else ""
    out.print(
        f"{counted(trace.candidates, 'candidate')} at transaction {trace.seq}{behind},"
        f" {counted(trace.tokens, 'token')}{'; ' if stages else ''}{stages}"
    )
    if trace.outdated:
        out.print("outdated", style="bold")
    print_lines(f"  {_because(one.key, one)}" for one in trace.outdated)
    _show_omitted(trace)


def _show_omitted(trace: RecallTrace) -> None:
    """Print what was left out: how many for which reason, and the first ones by name."""
    codes = Counter(one.code for one in trace.omitted)
    console().print(
        f"left out: {', '.join(f'{code} {count:,}' for code, count in codes.items()) or 'nothing'}",
        style="bold",
    )
    lines = [f"  {_because(one.key or one.id or one.type, one)}" for one in trace.omitted]
    print_lines(first_of(lines, _LISTED))
