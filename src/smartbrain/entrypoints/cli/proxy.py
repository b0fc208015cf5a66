"""`memctl proxy`: memory for any program that speaks to a model's API, by changing its address.

In: a brain, the API's address. Out: a server that runs until it is stopped. The server's libraries
are loaded when it starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from smartbrain.bootstrap.observing import start_logging
from smartbrain.entrypoints.cli.options import DEFAULT, TenantOption, find_root, needed_extra
from smartbrain.entrypoints.cli.serve import PortOption, ServerOptions

UPSTREAM = "The model's API, such as https://api.openai.com or http://localhost:11434."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyOptions(ServerOptions):
    """What `memctl proxy` can be told."""

    upstream: Annotated[str, typer.Option(help=UPSTREAM)]
    port: PortOption = 8766
    tenant: TenantOption = DEFAULT


def proxy(options: ProxyOptions) -> None:
    """Give memory to every program that asks a model through this address.

    Requests of OpenAI's chat completions and Anthropic's messages get what memory knows behind
    their last words, and what is said is kept; everything else passes as it is. Another address
    than this machine's needs API keys.
    """
    from smartbrain.bootstrap.root import Root

    with needed_extra("server"):
        from smartbrain.entrypoints.proxy.app import make_proxy

    options.tls()
    opened = Root(find_root(options.root))
    start_logging(opened.settings.rules.telemetry)
    admission, tenant = options.admission(opened), options.tenant
    with opened.tenants.lease(tenant):  # made if there is none
        app = make_proxy(opened, upstream=options.upstream, tenant=tenant, **admission._asdict())
    options.run(app, opened)
