"""`memctl compose`: the context that one model call would be given.

In: a conversation, a message, and how the context is made. Out: the blocks with what each takes,
for people; or a request as a provider takes it; or the whole package as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    opened_tenant,
)
from smartbrain.errors import UsageError

FORMATS: Final = ("text", "openai", "anthropic")
PATIENCE: Final = {"recall.deadline_ms": 60_000}
"""A command waits until the indexes are there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeOptions:
    """What `memctl compose` can be asked, an option each."""

    session: Annotated[str, typer.Option("--session", help="The conversation.")]
    message: Annotated[
        str | None, typer.Option("--message", help="What the user says; none in a step of a loop.")
    ] = None
    recipe: Annotated[
        str, typer.Option("--recipe", help="`standard`, `chat`, `tool_loop`, or one of brain.yml.")
    ] = "standard"
    audience: Annotated[str, typer.Option("--audience", help="`responder` or `planner`.")] = (
        "responder"
    )
    turn: Annotated[
        str | None, typer.Option("--turn", help="The turn in progress, in a step of a loop.")
    ] = None
    run: Annotated[
        str | None, typer.Option("--run", help="The run whose working memory is shown.")
    ] = None
    limit: Annotated[int | None, typer.Option("--limit", help="How many tokens it may take.")] = (
        None
    )
    format: Annotated[
        str,
        typer.Option("--format", help="`text` for people, or a request: `openai`, `anthropic`."),
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
    from smartbrain.entrypoints.cli.show import console, print_json
    from smartbrain.entrypoints.cli.show_context import show_blocks, show_budget, show_why

    if options.format not in FORMATS:
        hint = did_you_mean(options.format, FORMATS)
        raise UsageError(
            f"there is no format {shown(options.format)}; give {', '.join(FORMATS)}{hint}"
        )
    first = options.tenant == DEFAULT  # a brain that holds nothing yet composes as well
    with opened_tenant(options.root, options.tenant, create=first) as (place, _):
        brain = SmartBrain(place, options.tenant, owner=False)
        brain.configure(PATIENCE)
        package = brain.compose_context(
            options.session,
            options.message,
            turn_id=options.turn,
            recipe=options.recipe,
            audience=options.audience,
            run_id=options.run,
            token_limit=options.limit,
        )
    if options.format != "text":
        print_json(package.request(options.format))
    elif options.as_json:
        print_json(package)
    else:
        out = console()
        show_blocks(out, package)
        out.print()
        show_budget(out, package, place.settings.rules.policies.composition)
        if options.why:
            out.print()
            show_why(out, package)
