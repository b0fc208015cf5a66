"""`memctl serve`, `memctl proxy` and `memctl key`: memory over HTTP, and who may ask for it.

In: a brain, addresses, names of tenants. Out: a server that runs until it is stopped; keys, shown
once. The servers' libraries are loaded when they start.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from smartbrain.bootstrap.observing import start_logging
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.tenant import folder_of
from smartbrain.entrypoints.cli.groups import Group
from smartbrain.entrypoints.cli.lines import print_lines
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    CommandAnswer,
    JsonOption,
    RootOption,
    TenantOption,
    existing_root,
    find_root,
    needed_extra,
    print_answer,
)
from smartbrain.entrypoints.rest.keys import ALL_TENANTS, LOOPBACK, Admission, ApiKey, ApiKeys
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root

key_app = typer.Typer(
    help="API keys: who may reach which tenants through a server.", no_args_is_help=True, cls=Group
)
_LASTING = re.compile(r"([1-9]\d{0,4})([dh])")
PortOption = Annotated[int, typer.Option("--port", help="The port; 0 is any.", min=0, max=65535)]


class Tls(NamedTuple):
    """The files of a certificate chain and its private key, which fit each other."""

    cert: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """What every server can be told: where it listens, and who may come in."""

    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1"
    port: PortOption = 0
    tls_cert: Annotated[Path | None, typer.Option(help="A certificate chain (PEM), for TLS.")] = (
        None
    )
    tls_key: Annotated[Path | None, typer.Option(help="Its private key (PEM).")] = None
    without_keys: Annotated[
        bool,
        typer.Option("--without-keys", help="Let everybody in who reaches the address."),
    ] = False
    root: RootOption = None

    def tls(self) -> Tls | None:
        """Return the files that TLS needs, after looking at them; none of both is no TLS."""
        cert, key = self.tls_cert, self.tls_key
        if cert is None and key is None:
            return None
        if cert is None or key is None:
            raise UsageError("TLS needs both --tls-cert and --tls-key")
        for option, path in (("--tls-cert", cert), ("--tls-key", key)):
            try:
                path.read_bytes()
            except OSError as error:
                raise UsageError(f"{option} {path} cannot be read: {error.strerror}") from None
        with needed_extra("server"):
            from smartbrain.entrypoints.rest.listener import check_tls

        check_tls(cert, key)
        return Tls(cert, key)

    def prepare(self) -> tuple[Root, Admission]:
        """Open the root, have its log written, and return it with who may come in.

        A host that others reach needs a key, or that somebody has said that this is meant.
        """
        from smartbrain.bootstrap.root import Root

        self.tls()
        root = Root(find_root(self.root))
        start_logging(root.settings.rules.telemetry)
        keys = _keys_of(root)
        is_local = self.host in LOOPBACK
        if not (is_local or keys.exist or self.without_keys):
            raise UsageError(
                f"host {self.host!r:.60} is open to others and there is no API key yet;"
                " `memctl key create --tenant NAME` makes one, --without-keys lets everybody in"
            )
        if self.without_keys and keys.exist:
            raise UsageError(
                "--without-keys: API keys were made for this brain; from then on they are needed"
            )
        return root, Admission(keys, is_local, self.without_keys)

    def run(self, app: Any, root: Any) -> None:
        """Serve an application of a root until a signal stops it; calls that run are let end."""
        with needed_extra("server"):
            from smartbrain.entrypoints.rest.listener import serve_app

        patience = root.settings.rules.server.header_seconds
        serve_app(app, self.host, self.port, header_seconds=patience, tls=self.tls())


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions(ServerOptions):
    """What `memctl serve` can be told."""

    port: PortOption = 8764
    grpc: Annotated[
        int | None, typer.Option(help="Serve gRPC too, at this port.", min=0, max=65535)
    ] = None
    max_body_mb: Annotated[
        int | None, typer.Option(help="The largest body, in megabytes.", min=1, max=1024)
    ] = None


def serve(options: ServeOptions) -> None:
    """Serve memory over HTTP, and over gRPC if asked.

    Only this machine is served by default. Another address needs API keys, which `memctl key
    create` makes; from the first key on nobody comes in without one. A signal to stop lets running
    calls end.
    """
    with needed_extra("server"):
        from smartbrain.entrypoints.rest.app import make_app

    opened, admission = options.prepare()
    most = options.max_body_mb * 1024 * 1024 if options.max_body_mb else None
    with opened.tenants.lease("default"):  # made if there is none
        app = make_app(opened, **admission._asdict(), max_body=most)
    if options.grpc is not None:
        with needed_extra("grpc"):
            from smartbrain.entrypoints.grpc.server import GrpcServer

        host = f"[{options.host}]" if ":" in options.host else options.host
        address = f"{host}:{options.grpc}"
        beside = GrpcServer(opened, admission, address, max_body=most, tls=options.tls())
        app.state.beside.append(beside)
        sys.stderr.write(f"memctl: gRPC at {host}:{beside.port}\n")
    options.run(app, opened)


UPSTREAM = "The model's API, such as https://api.openai.com or http://localhost:11434."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyOptions(ServerOptions):
    """What `memctl proxy` can be told."""

    upstream: Annotated[str, typer.Option(help=UPSTREAM)]
    port: PortOption = 8766
    tenant: TenantOption = DEFAULT
    tenant_by_user: Annotated[
        bool,
        typer.Option("--tenant-by-user", help="Let the request's user field name the tenant."),
    ] = False
    place: Annotated[
        str, typer.Option(help="Whose words memory is in a request: user or system.")
    ] = "user"


def proxy(options: ProxyOptions) -> None:
    """Give memory to every program that asks a model through this address.

    Requests of OpenAI's chat completions and responses and of Anthropic's messages get what memory
    knows behind their last words, and what is said is kept; everything else passes as it is.
    Another address than this machine's needs API keys. Whose memory it is, a header says, else a
    key for one tenant, else with --tenant-by-user the request, else --tenant.
    """
    from smartbrain import SmartBrain

    with needed_extra("server"):
        from smartbrain.entrypoints.proxy.app import ProxyUse, make_proxy

    use = ProxyUse(options.tenant, options.tenant_by_user, options.place)
    opened, admission = options.prepare()
    with opened.tenants.lease(options.tenant):  # made if there is none
        # The first request would wait for what this loads.
        SmartBrain(opened, options.tenant, owner=False).read("hello")
        app = make_proxy(opened, upstream=options.upstream, use=use, **admission._asdict())
    options.run(app, opened)


@key_app.command("create")
def create_key(
    tenant: Annotated[
        list[str], typer.Option("--tenant", help="Whom it is for; give several, or `*` for all.")
    ],
    verb: Annotated[
        list[str] | None,
        typer.Option("--verb", help="A verb that it may ask, such as `recall`; give several."),
    ] = None,
    name: Annotated[str, typer.Option(help="Who has it, for you to tell it by.")] = "",
    expires: Annotated[
        str | None, typer.Option(help="How long it holds, such as `90d` or `12h`.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key for one tenant or more.

    The key is shown once; only its hash is kept. With --verb it is for these verbs alone: the proxy
    and hooks of agents need compose_context and commit_turn, each MCP tool needs its own verb, and
    the Python client asks `open` before anything else.
    """
    from smartbrain.bootstrap.root import Root

    _check_verbs(verb or ())
    for one in tenant:
        if one != ALL_TENANTS:
            folder_of(one)  # refuses what is no name
    opened = Root(existing_root(root))
    ends = None if expires is None else opened.clock() + _lasting(expires)
    made, text = _keys_of(opened).add(tenant, verbs=verb or (), name=name, expires_at=ends)
    _print_key(made, text, as_json=as_json)


@key_app.command("rotate")
def rotate_key(
    number: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")],
    grace: Annotated[
        str | None, typer.Option(help="How long the old one still holds, such as `24h`.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key in the place of another: for the same tenants and verbs, holding as long.

    The old one is refused at once, or after the time of --grace.
    """
    from smartbrain.bootstrap.root import Root

    wait = timedelta() if grace is None else _lasting(grace, "--grace")
    made, text = _keys_of(Root(existing_root(root))).rotate(number, wait)
    _print_key(made, text, as_json=as_json)


def _print_key(made: ApiKey, text: str, *, as_json: bool) -> None:
    print_answer(CommandAnswer({"key": text, **_shown(made)}, f"{text}\n"), as_json=as_json)
    if not as_json:
        sys.stderr.write("memctl: keep it safe; it is not shown again\n")


def _check_verbs(given: Sequence[str]) -> None:
    from smartbrain.entrypoints.wire.verbs import verbs

    for name in given:
        if name != "open" and name not in verbs():
            near = did_you_mean(name, list(verbs()))
            raise UsageError(f"--verb: there is no verb {name!r:.60}{near}")


@key_app.command("list")
def list_keys(root: RootOption = None, as_json: JsonOption = False) -> None:
    """List the keys: their ids, tenants and expiry, never the keys themselves."""
    from smartbrain.bootstrap.root import Root

    found = [_shown(key) for key in _keys_of(Root(existing_root(root))).list()]
    lines = []
    for key in found:
        until = f" until {key['expires_at']}" if key["expires_at"] else ""
        only = f" for {', '.join(key['verbs'])}" if key["verbs"] else ""
        lines.append(f"{key['id']} {', '.join(key['tenants'])}{only}{until} {key['name']}".rstrip())
    print_answer(CommandAnswer({"keys": found}, lambda: print_lines(lines)), as_json=as_json)


@key_app.command("revoke")
def revoke_key(
    number: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")],
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a key away; a server that runs refuses it at once."""
    from smartbrain.bootstrap.root import Root

    gone = _keys_of(Root(existing_root(root))).revoke(number)
    print_answer(CommandAnswer({"revoked": gone.id}, f"revoked {gone.id}\n"), as_json=as_json)


def _keys_of(root: Any) -> ApiKeys:
    return ApiKeys(root.path, root.clock)


def _shown(key: ApiKey) -> dict[str, Any]:
    """Return a key as it may be shown: without its hash."""
    ends = key.expires_at.isoformat() if key.expires_at else None
    told = {"id": key.id, "tenants": list(key.tenants), "verbs": list(key.verbs), "name": key.name}
    return {**told, "created_at": key.created_at.isoformat(), "expires_at": ends}


def _lasting(text: str, option: str = "--expires") -> timedelta:
    found = _LASTING.fullmatch(text)
    if found is None:
        raise UsageError(f"{option} is {text!r:.40}; give days or hours such as 90d or 12h")
    number = int(found[1])
    return timedelta(days=number) if found[2] == "d" else timedelta(hours=number)
