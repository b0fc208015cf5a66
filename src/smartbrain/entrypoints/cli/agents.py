"""`memctl mcp` and `memctl hook`: memory for other programs, and its place in their settings.

In: a brain, a tenant, a client's name; an event's JSON on stdin. Out: an MCP server, over stdio or
HTTP; JSON that an agent takes back; or a snippet that is shown first and written with `--yes`.
Whatever goes wrong in a hook is told on stderr with exit code 0: an agent takes other codes as an
order to stop.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from smartbrain.entrypoints.agents.clients import (
    EVENTS,
    HOOK_CLIENTS,
    MCP_CLIENTS,
    Snippet,
    hook_snippet,
    mcp_snippet,
    write_beside,
)
from smartbrain.entrypoints.cli.groups import Group
from smartbrain.entrypoints.cli.lines import one_line
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    CommandAnswer,
    JsonOption,
    RootOption,
    TenantOption,
    find_root,
    needed_extra,
    print_answer,
    with_options,
)
from smartbrain.entrypoints.cli.serve import PortOption, ServerOptions
from smartbrain.errors import UsageError

_LARGEST = 32 * 1024 * 1024
_INSTALL = "install"
WriteOption = Annotated[bool, typer.Option("--yes", help="Write it; the old file is kept beside.")]
mcp_app = typer.Typer(help="Serve memory to MCP clients, over stdio or HTTP.")


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions(ServerOptions):
    """What `memctl mcp` can be told."""

    context: typer.Context
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP at /mcp, not stdio.")] = False
    port: PortOption = 8765
    session: Annotated[
        str, typer.Option("--session", help="The conversation of plans and notes.")
    ] = "mcp"
    tenant: TenantOption = DEFAULT


def serve_mcp(options: McpOptions) -> None:
    """Serve memory to MCP clients, over stdio or HTTP.

    The brain is made if there is none. Over HTTP it is served at /mcp; another address than this
    machine's needs API keys.
    """
    if options.context.invoked_subcommand is not None:
        return
    from smartbrain import SmartBrain

    with needed_extra("mcp"):
        from smartbrain.entrypoints.mcp.server import make_http_app, make_server

    opened, admission = options.prepare()
    tenant = options.tenant
    with opened.tenants.lease(tenant):  # made if there is none
        brain = SmartBrain(opened, tenant, owner=True)
    with brain:
        server = make_server(brain, options.session)
        if not options.http:
            server.run("stdio")
            return
        served = make_http_app(server, opened, admission, host=options.host, tenant=tenant)
        options.run(served, opened)


mcp_app.callback(invoke_without_command=True)(with_options(McpOptions, serve_mcp))


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


hook_app = typer.Typer(
    help="Give memory to coding agents at their events.", cls=ForgivingGroup, no_args_is_help=True
)


@hook_app.callback()
def hook_options(
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail with an exit code where something is wrong.")
    ] = False,
) -> None:
    """Give memory to coding agents at their events."""


def _command(event: str) -> Callable[..., None]:
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
    hook_app.command(name)(_command(name))


def _add_install(
    app: typer.Typer,
    about: str,
    clients: Iterable[str],
    snippet_of: Callable[[str, Path, str], Snippet],
) -> None:
    """Add the command that puts something into a client's settings."""

    def install(
        client: str,
        yes: WriteOption = False,
        tenant: TenantOption = DEFAULT,
        root: RootOption = None,
        as_json: JsonOption = False,
    ) -> None:
        snippet = snippet_of(client, find_root(root), tenant)
        kept = write_beside(snippet.path, snippet.text) if yes else None
        before = f"; the old file is {one_line(str(kept))}" if kept else ""
        became = (
            f"written{before}" if yes else "nothing was written; --yes merges this into the file"
        )
        told = {"path": str(snippet.path), "snippet": snippet.shown, "written": yes}
        answer = CommandAnswer(
            {**told, "kept": str(kept) if kept else None},
            f"{one_line(str(snippet.path))}\n\n{snippet.shown}\n{became}\n",
        )
        print_answer(answer, as_json=as_json)

    option = typer.Option("--client", help=f"One of {', '.join(clients)}.")
    install.__annotations__["client"] = Annotated[str, option]
    app.command(_INSTALL, help=f"{about}: shown first, written with `--yes`.")(install)


_add_install(mcp_app, "Put the MCP server into a client's settings", MCP_CLIENTS, mcp_snippet)
_add_install(hook_app, "Put the hooks into an agent's settings", HOOK_CLIENTS, hook_snippet)


def _read_event() -> dict[str, Any]:
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
