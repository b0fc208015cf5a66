"""`memctl mcp`: the MCP server over stdio or HTTP, and its place in the settings of clients.

In: a brain, a tenant, a client's name. Out: a server that runs until it is stopped; or a snippet
that is shown first and written with `--yes`. The MCP library is loaded when the server starts.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from smartbrain.bootstrap.observing import start_logging
from smartbrain.entrypoints.agents.clients import MCP_CLIENTS, Snippet, mcp_snippet
from smartbrain.entrypoints.agents.config_files import write_beside
from smartbrain.entrypoints.cli.lines import one_line, print_json
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    find_root,
    needed_extra,
    with_options,
)
from smartbrain.entrypoints.cli.serve import PortOption, ServerOptions

app = typer.Typer(help="Serve memory to MCP clients, over stdio or HTTP.")
ClientOption = Annotated[str, typer.Option("--client", help=f"One of {', '.join(MCP_CLIENTS)}.")]
WriteOption = Annotated[bool, typer.Option("--yes", help="Write it; the old file is kept beside.")]


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
    from smartbrain.bootstrap.root import Root

    with needed_extra("mcp"):
        from smartbrain.entrypoints.mcp.server import make_http_app, make_server

    options.tls()
    opened = Root(find_root(options.root))
    start_logging(opened.settings.rules.telemetry)
    admission, tenant = options.admission(opened), options.tenant
    with opened.tenants.lease(tenant):  # made if there is none
        brain = SmartBrain(opened, tenant, owner=True)
    with brain:
        server = make_server(brain, options.session)
        if not options.http:
            server.run("stdio")
            return
        served = make_http_app(server, opened, admission, host=options.host, tenant=tenant)
        options.run(served, opened)


app.callback(invoke_without_command=True)(with_options(McpOptions, serve_mcp))


@app.command("install")
def install_mcp(
    client: ClientOption,
    yes: WriteOption = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put the MCP server into a client's settings: shown first, written with `--yes`."""
    settle(mcp_snippet(client, find_root(root), tenant), yes=yes, as_json=as_json)


def settle(snippet: Snippet, *, yes: bool, as_json: bool) -> None:
    """Show what is to stand in a settings file, and write it if that is wanted."""
    kept = write_beside(snippet.path, snippet.text) if yes else None
    if as_json:
        told = {"path": str(snippet.path), "snippet": snippet.shown, "written": yes}
        print_json({**told, "kept": str(kept) if kept else None})
        return
    sys.stdout.write(f"{one_line(str(snippet.path))}\n\n{snippet.shown}\n")
    if not yes:
        sys.stdout.write("nothing was written; --yes merges this into the file\n")
    else:
        before = f"; the old file is {one_line(str(kept))}" if kept else ""
        sys.stdout.write(f"written{before}\n")
