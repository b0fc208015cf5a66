"""`memctl compose`, `explain` and `diff`: what a model would be given, why, and what changed.

In: a message of a session, or the ids of contexts. Out: the context as text or messages, its
reasons, and its budget by slot.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.inputs import AudienceName, ProviderName
from smartbrain.entrypoints.cli.lines import one_line, print_json, print_result
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    opened_tenant,
    stored_brain,
)
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    pass

FORMATS: Final = ("text", "openai", "anthropic")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeOptions:
    """What `memctl compose` can be asked, an option each."""

    session: Annotated[str, typer.Option(help="The conversation.")]
    message: Annotated[
        str | None, typer.Option(help="What the user says; none in a step of a loop.")
    ] = None
    recipe: Annotated[
        str, typer.Option(help="`standard`, `chat`, `tool_loop`, or one of brain.yml.")
    ] = "standard"
    audience: Annotated[str, typer.Option(help="`responder` or `planner`.")] = "responder"
    turn: Annotated[str | None, typer.Option(help="The turn in progress, in a step of a loop.")] = (
        None
    )
    run: Annotated[str | None, typer.Option(help="The run whose working memory is shown.")] = None
    limit: Annotated[int | None, typer.Option(help="How many tokens it may take.")] = None
    format: Annotated[
        str, typer.Option(help="`text` for people, or a request: `openai`, `anthropic`.")
    ] = "text"
    why: Annotated[bool, typer.Option("--why", help="Say why each thing is in or out.")] = False
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False


def compose(options: ComposeOptions) -> None:
    """Show the context that a model call would be given.

    Titled blocks, a bar for the tokens of each, and with `--why` the reasons. `--format` prints the
    request for a provider instead, `--json` the package with everything that was decided.
    """
    from smartbrain import SmartBrain
    from smartbrain.entrypoints.cli.show import console
    from smartbrain.entrypoints.cli.show_context import show_blocks, show_budget, show_why

    if options.format not in FORMATS:
        hint = did_you_mean(options.format, FORMATS)
        raise UsageError(
            f"there is no format {shown(options.format)}; give {', '.join(FORMATS)}{hint}"
        )
    first = options.tenant == DEFAULT  # a brain that holds nothing yet composes as well
    with opened_tenant(options.root, options.tenant, create=first) as (place, _):
        brain = SmartBrain(place, options.tenant, owner=False)
        package = brain.compose_context(
            options.session,
            options.message,
            turn_id=options.turn,
            recipe=options.recipe,
            audience=cast(AudienceName, options.audience),
            run_id=options.run,
            token_limit=options.limit,
        )
    if options.format != "text":
        print_json(package.request(cast(ProviderName, options.format)))
    elif options.as_json:
        print_json(package)
    else:
        out = console()
        show_blocks(out, package)
        out.print()
        if package.degraded:
            out.print(f"note: made without {one_line(package.degraded)}", style="yellow")
        show_budget(out, package, place.settings.rules.policies.composition)
        if options.why:
            out.print()
            show_why(out, package)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """What `memctl explain` can be asked."""

    context_id: Annotated[str | None, typer.Argument(help="A composed context.")] = None
    turn: Annotated[str | None, typer.Option(help="A turn, or an operation.")] = None
    query: Annotated[str | None, typer.Option(help="A question to memory.")] = None
    expect: Annotated[
        str | None, typer.Option(help="What it should hold: an id, a key or words.")
    ] = None
    k: Annotated[int | None, typer.Option(help="How many memories a recall is to bring.")] = None
    budget: Annotated[int | None, typer.Option(help="How many tokens they may take.")] = None
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False


def explain(options: ExplainOptions) -> None:
    """Tell why a context shows what it shows.

    Also why a turn wrote what it wrote (`--turn`), or why something is in a context, or in the
    answer to a question, or is not (a context or `--query`, with `--expect`).
    """
    from smartbrain.entrypoints.cli.show_context import show_explanation

    with stored_brain(options.root, options.tenant) as brain:
        found = brain.explain(
            options.context_id,
            turn_id=options.turn,
            query=options.query,
            expect=options.expect,
            k=options.k,
            budget_tokens=options.budget,
        )
    print_result(found, lambda: show_explanation(found), as_json=options.as_json)


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
    from smartbrain.entrypoints.cli.show_context import show_diff

    if (other_id is None) == (not overrides):
        raise UsageError("give either a second context, or what to try: --set NAME=VALUE")
    values = _values(overrides or ())
    with stored_brain(root, tenant) as brain:
        if other_id is None:
            found = brain.replay(context_id, values)
        else:
            found = brain.diff(context_id, other_id)
    print_result(found, lambda: show_diff(found), as_json=as_json)


def _values(given: Sequence[str]) -> dict[str, Any]:
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
