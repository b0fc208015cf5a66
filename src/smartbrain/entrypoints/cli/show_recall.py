"""Showing what was recalled to people: the memories, what speaks for them, and how it went.

In: a recall, cues, a trace. Out: lines on stdout, never cut but for long texts. Reasons are spelled
out as the trace has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from smartbrain.domain.plain import to_plain
from smartbrain.domain.recall import Cues, Recall, RecallItem, RecallTrace
from smartbrain.entrypoints.cli.lines import counted, one_line, shortened
from smartbrain.entrypoints.cli.show import console, table

NOTHING: Final = Recall()
"""What is recalled where nothing is stored."""

_TITLE: Final = 60  # characters of an item that has no title
_LEFT_OUT: Final = 20  # reasons that are printed one by one
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
        title = item.title or shortened(item.text, _TITLE)
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
    """Yield the lines below an item's title."""
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
    for one in trace.ignored_fields:
        out.print(one_line(f"  {one.key}: {one.reason} [{one.code}]"))
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
    for one in trace.outdated:
        out.print(one_line(f"  {one.key}: {one.reason} [{one.code}]"))
    _show_omitted(trace)


def _show_omitted(trace: RecallTrace) -> None:
    """Print what was left out: how many for which reason, and the first ones by name."""
    out = console()
    codes = Counter(one.code for one in trace.omitted)
    out.print(
        f"left out: {', '.join(f'{code} {count:,}' for code, count in codes.items()) or 'nothing'}",
        style="bold",
    )
    for one in trace.omitted[:_LEFT_OUT]:
        out.print(one_line(f"  {one.key or one.id or one.type or ''}: {one.reason} [{one.code}]"))
    more = len(trace.omitted) - _LEFT_OUT
    if more > 0:
        out.print(f"  … and {more:,} more; --json has them all")
