"""Showing explanations and differences of contexts to people.

In: an explanation, a diff. Out: lines on stdout; bars tell how the tokens are spread over slots.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from smartbrain.domain.context_diff import ContextDiff
from smartbrain.domain.context_explained import ContextExplanation
from smartbrain.domain.explanation import Explanation
from smartbrain.domain.reason import Reason
from smartbrain.entrypoints.cli.lines import counted, one_line, shortened
from smartbrain.entrypoints.cli.show import console

_BAR: Final = 30  # characters of the longest bar
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
            told = f"{kept.key or kept.type}: {kept.reason} [{kept.code}]"
            out.print(one_line(f"{kept.action.value} {told}"))
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
    """Print how a context came about, and its budget by slot."""
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
        bar = "█" * max(1, round(_BAR * one.tokens / most))
        of = f" of {one.most:,}" if one.most is not None else ""
        out.print(f"  {one.slot:<{width}}  {one.tokens:>7,}{of}  {bar}")
    out.print(f"  {context.used:,} of {context.limit:,} tokens, joints and reserve included")
    for name in context.not_kept:
        out.print(f"note: the {name} was not kept", style="yellow")


def _reasons(title: str, reasons: Iterable[Reason]) -> None:
    """Print reasons under a title, the first ones by name; nothing where there are none."""
    listed = list(reasons)
    if not listed:
        return
    out = console()
    out.print(f"{title}: {len(listed):,}", style="bold")
    for one in listed[:_LISTED]:
        subject = " ".join(filter(None, (one.type, one.key or one.id)))
        out.print(one_line(f"  {subject}: {one.reason} [{one.code}]".replace("  :", " ")))
    if len(listed) > _LISTED:
        out.print(f"  … and {counted(len(listed) - _LISTED, 'reason')} more; --json has them all")
