"""`memctl serve` and `memctl key api`: memory over HTTP, and the keys of whoever may ask.

In: a brain, an address, names of tenants. Out: a server that runs until it is stopped; keys, shown
once. The server's libraries are loaded when it starts.
"""

from __future__ import annotations

import logging
import re
import socket
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from smartbrain.bootstrap.observing import start_logging
from smartbrain.domain.tenant import folder_of
from smartbrain.entrypoints.cli.lines import one_line, print_json
from smartbrain.entrypoints.cli.options import (
    JsonOption,
    RootOption,
    existing_root,
    find_root,
    needed_extra,
)
from smartbrain.entrypoints.rest.keys import ALL_TENANTS, LOOPBACK, ApiKey, ApiKeys
from smartbrain.errors import UsageError

PortOption = Annotated[int, typer.Option("--port", help="The port; 0 is any.", min=0, max=65535)]
api_app = typer.Typer(
    help="Make, list and revoke the keys of the HTTP server.", no_args_is_help=True
)
_LASTING = re.compile(r"([1-9]\d{0,4})([dh])")
GRACE_SECONDS = 30


def serve(
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: PortOption = 8764,
    tls_cert: Annotated[Path | None, typer.Option(help="A certificate, for TLS.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its private key.")] = None,
    max_body_mb: Annotated[
        int, typer.Option(help="The largest body, in megabytes.", min=1, max=1024)
    ] = 16,
    root: RootOption = None,
) -> None:
    """Serve memory over HTTP.

    Only this machine is served by default. Another address needs API keys, which `memctl key api
    new` makes; from the first key on nobody comes in without one. A signal to stop lets running
    calls end.
    """
    from smartbrain.bootstrap.root import Root

    with needed_extra("server"):
        from smartbrain.entrypoints.rest.app import make_app

    opened = Root(find_root(root))
    start_logging(opened.settings.rules.telemetry)
    keys, is_local = keys_for(opened, host)
    with opened.tenants.lease("default"):  # made if there is none
        app = make_app(opened, keys, is_local=is_local, max_body=max_body_mb * 1024 * 1024)
    run_app(app, host, port, ssl_certfile=tls_cert, ssl_keyfile=tls_key)


def run_app(app: Any, host: str, port: int, **more: Any) -> None:
    """Serve an application until a signal stops it; calls that run are let end.

    Raises:
        UsageError: nobody can listen there, or the certificate cannot be used.
    """
    with needed_extra("server"):
        import uvicorn

    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        **more,
    )
    try:
        config.load()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"{host}:{port} cannot be served ({why}); change the options") from None
    sys.stderr.write(f"memctl: listening at {host}:{listening.getsockname()[1]}\n")

    class Server(uvicorn.Server):
        """Ends streams first: they never end by themselves."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.is_stopping = True
            await super().shutdown(sockets)

    with suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])


def keys_for(root: Any, host: str) -> tuple[ApiKeys, bool]:
    """Return the keys of a server at an address, and whether only this machine reaches it.

    Raises:
        UsageError: others reach it, and there is no key yet that would keep them out.
    """
    keys = _keys_of(root)
    is_local = host in LOOPBACK
    if not is_local and not keys.exist:
        raise UsageError(
            f"host {host!r:.60} is open to others and there is no API key yet;"
            " `memctl key api new --tenant NAME` makes one"
        )
    return keys, is_local


@api_app.command("new")
def new_key(
    tenant: Annotated[
        list[str], typer.Option("--tenant", help="Whom it is for; give several, or `*` for all.")
    ],
    name: Annotated[str, typer.Option(help="Who has it, for you to tell it by.")] = "",
    expires: Annotated[
        str | None, typer.Option(help="How long it holds, such as `90d` or `12h`.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key for one tenant or more.

    The key is shown once; only its hash is kept.
    """
    from smartbrain.bootstrap.root import Root

    for one in tenant:
        if one != ALL_TENANTS:
            folder_of(one)  # refuses what is no name
    opened = Root(existing_root(root))
    ends = None if expires is None else opened.clock() + _lasting(expires)
    made, text = _keys_of(opened).add(tenant, name=name, expires_at=ends)
    if as_json:
        print_json({"key": text, **_shown(made)})
        return
    sys.stdout.write(f"{text}\n")
    sys.stderr.write("memctl: keep it safe; it is not shown again\n")


@api_app.command("list")
def list_keys(root: RootOption = None, as_json: JsonOption = False) -> None:
    """List the keys: their ids, tenants and expiry, never the keys themselves."""
    from smartbrain.bootstrap.root import Root

    found = [_shown(key) for key in _keys_of(Root(existing_root(root))).list()]
    if as_json:
        print_json({"keys": found})
        return
    for key in found:
        until = f" until {key['expires_at']}" if key["expires_at"] else ""
        line = f"{key['id']} {', '.join(key['tenants'])}{until} {key['name']}"
        sys.stdout.write(f"{one_line(line.rstrip())}\n")


@api_app.command("revoke")
def revoke_key(
    number: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")],
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a key away; a server that runs refuses it at once."""
    from smartbrain.bootstrap.root import Root

    gone = _keys_of(Root(existing_root(root))).revoke(number)
    if as_json:
        print_json({"revoked": gone.id})
    else:
        sys.stdout.write(f"revoked {gone.id}\n")


def _keys_of(root: Any) -> ApiKeys:
    return ApiKeys(root.path, root.clock)


def _shown(key: ApiKey) -> dict[str, Any]:
    """Return a key as it may be shown: without its hash."""
    ends = key.expires_at.isoformat() if key.expires_at else None
    told = {"id": key.id, "tenants": list(key.tenants), "name": key.name}
    return {**told, "created_at": key.created_at.isoformat(), "expires_at": ends}


def _lasting(text: str) -> timedelta:
    """Read how long a key holds.

    Raises:
        UsageError: it is neither days nor hours.
    """
    found = _LASTING.fullmatch(text)
    if found is None:
        raise UsageError(f"--expires is {text!r:.40}; give days or hours such as 90d or 12h")
    number = int(found[1])
    return timedelta(days=number) if found[2] == "d" else timedelta(hours=number)
