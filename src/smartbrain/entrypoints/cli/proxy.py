"""`memctl proxy`: memory for any program that speaks to a model's API, by changing its address.

In: a brain, the API's address. Out: a server that runs until it is stopped. The server's libraries
are loaded when it starts.
"""

from __future__ import annotations

from typing import Annotated

import typer

from smartbrain.bootstrap.observing import start_logging
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    RootOption,
    TenantOption,
    find_root,
    needed_extra,
)
from smartbrain.entrypoints.cli.serve import PortOption, keys_for, run_app

UPSTREAM = "The model's API, such as https://api.openai.com or http://localhost:11434."


def proxy(
    upstream: Annotated[str, typer.Option(help=UPSTREAM)],
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: PortOption = 8766,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
) -> None:
    """Give memory to every program that asks a model through this address.

    Requests of OpenAI's chat completions and Anthropic's messages get what memory knows behind
    their last words, and what is said is kept; everything else passes as it is. Another address
    than this machine's needs API keys.
    """
    from smartbrain.bootstrap.root import Root

    with needed_extra("server"):
        from smartbrain.entrypoints.proxy.app import make_proxy

    opened = Root(find_root(root))
    start_logging(opened.settings.rules.telemetry)
    keys, is_local = keys_for(opened, host)
    with opened.tenants.lease(tenant):  # made if there is none
        app = make_proxy(opened, keys, upstream, tenant=tenant, is_local=is_local)
    run_app(app, host, port)
