"""`memctl hook`: what coding agents run at their events, and its place in their settings.

In: an event's JSON on stdin. Out: JSON on stdout that the agent takes back, or nothing. Whatever
goes wrong is told on stderr with exit code 0: an agent takes other codes as an order to stop.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from smartbrain.entrypoints.agents.clients import EVENTS, HOOK_CLIENTS, hook_snippet
from smartbrain.entrypoints.cli.groups import Group
from smartbrain.entrypoints.cli.lines import one_line
from smartbrain.entrypoints.cli.mcp import WriteOption, settle
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    find_root,
)
from smartbrain.errors import UsageError

_LARGEST = 32 * 1024 * 1024
_INSTALL = "install"


class ForgivingGroup(Group):
    """A group whose commands never fail, wrong options and missing libraries included."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what goes wrong is one line on stderr, unless `--strict` is given."""
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if ctx.params.get("strict") or ctx.invoked_subcommand == _INSTALL:
                raise
            sys.stderr.write(one_line(f"memctl hook: {error}") + "\n")
            return None


app = typer.Typer(
    help="Give memory to coding agents at their events.", cls=ForgivingGroup, no_args_is_help=True
)


@app.callback()
def hook_options(
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail with an exit code where something is wrong.")
    ] = False,
) -> None:
    """Give memory to coding agents at their events."""


def _command(event: str) -> Callable[..., None]:
    """Return the command of an event."""

    def run(tenant: TenantOption = DEFAULT, root: RootOption = None) -> None:
        from smartbrain.bootstrap.root import Root
        from smartbrain.entrypoints.agents.hooks import AgentHooks

        given = _read_event()
        opened = Root(find_root(root))
        try:
            with opened.tenants.lease(tenant):  # made if there is none
                answer = AgentHooks(opened, tenant).answer(event, given)
        finally:
            opened.close()
        if answer:
            sys.stdout.write(json.dumps(answer, ensure_ascii=True) + "\n")

    run.__doc__ = f"Answer the event {event}, whose JSON comes on stdin."
    return run


for name in EVENTS:
    app.command(name)(_command(name))


@app.command(_INSTALL)
def install_hooks(
    client: Annotated[str, typer.Option("--client", help=f"One of {', '.join(HOOK_CLIENTS)}.")],
    yes: WriteOption = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put the hooks into an agent's settings: shown first, written with `--yes`."""
    settle(hook_snippet(client, find_root(root), tenant), yes=yes, as_json=as_json)


def _read_event() -> dict[str, Any]:
    """Read an event from stdin."""
    body = sys.stdin.buffer.read(_LARGEST + 1)
    if len(body) > _LARGEST:
        raise UsageError(f"the event is larger than {_LARGEST} bytes")
    try:
        given = json.loads(body)
    except ValueError as error:
        raise UsageError(f"stdin holds no JSON ({error})") from None
    if not isinstance(given, dict):
        raise UsageError("stdin holds no JSON object")
    return given
