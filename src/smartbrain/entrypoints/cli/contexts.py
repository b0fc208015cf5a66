"""`memctl explain` and `memctl diff`: why a context is as it is, and what would change it.

In: ids of contexts or turns, a question, settings to try. Out: reasons, budgets and differences,
for people or as JSON with the same names as `to_dict()`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    opened_tenant,
)
from smartbrain.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from smartbrain import SmartBrain


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """What `memctl explain` can be asked."""

    context_id: Annotated[str | None, typer.Argument(help="A composed context.")] = None
    turn: Annotated[str | None, typer.Option("--turn", help="A turn, or an operation.")] = None
    query: Annotated[str | None, typer.Option("--query", help="A question to memory.")] = None
    expect: Annotated[
        str | None, typer.Option("--expect", help="What it should hold: an id, a key or words.")
    ] = None
    k: Annotated[
        int | None, typer.Option("--k", help="How many memories a recall is to bring.")
    ] = None
    budget: Annotated[
        int | None, typer.Option("--budget", help="How many tokens they may take.")
    ] = None
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False


def explain(options: ExplainOptions) -> None:
    """Tell why a context shows what it shows.

    Also why a turn wrote what it wrote (`--turn`), or why something is in a context, or in the
    answer to a question, or is not (a context or `--query`, with `--expect`).
    """
    from smartbrain.entrypoints.cli.show import print_json
    from smartbrain.entrypoints.cli.show_contexts import show_explanation

    found = _asked(
        options.root,
        options.tenant,
        lambda brain: brain.explain(
            options.context_id,
            turn_id=options.turn,
            query=options.query,
            expect=options.expect,
            k=options.k,
            budget_tokens=options.budget,
        ),
    )
    if options.as_json:
        print_json(found)
    else:
        show_explanation(found)


def diff(
    context_id: Annotated[str, typer.Argument(help="A composed context.")],
    other_id: Annotated[str | None, typer.Argument(help="Another one.")] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", help="Replay the first one under NAME=VALUE; may be repeated."),
    ] = None,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what differs between two contexts.

    With `--set` in place of a second one: what would differ if a setting had had another value,
    such as `--set policies.composition.token_limit=2000` or `--set recipe=chat`.
    """
    from smartbrain.entrypoints.cli.show import print_json
    from smartbrain.entrypoints.cli.show_contexts import show_diff

    if (other_id is None) == (not overrides):
        raise UsageError("give either a second context, or what to try: --set NAME=VALUE")
    values = _values(overrides or ())
    found = _asked(
        root,
        tenant,
        lambda brain: (
            brain.replay(context_id, values)
            if other_id is None
            else brain.diff(context_id, other_id)
        ),
    )
    if as_json:
        print_json(found)
    else:
        show_diff(found)


def _asked(root: Path | None, tenant: str, ask: Callable[[SmartBrain], Any]) -> Any:
    """Ask a tenant, which must be there."""
    from smartbrain import SmartBrain

    with opened_tenant(root, tenant) as (place, opened):
        if opened is None:
            raise NotFound("nothing is stored yet")
        return ask(SmartBrain(place, opened.name, owner=False))


def _values(given: Sequence[str]) -> dict[str, Any]:
    """Read settings as they are typed; what is no JSON is text."""
    values: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise UsageError(f"--set takes NAME=VALUE, not {one!r:.80}")
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values
