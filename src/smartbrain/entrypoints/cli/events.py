"""`memctl events` and `memctl metrics`: what happens to memory, and figures of it.

In: a tenant, a number to go on from. Out: a line an event, for people or for programs; figures as
JSON, or as Prometheus reads them.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Annotated

import typer

from smartbrain.bootstrap.following import walk_pages
from smartbrain.bootstrap.metrics import prometheus_text
from smartbrain.brain.events import read_events
from smartbrain.domain.memory_event import MemoryEvent, read_kinds
from smartbrain.entrypoints.cli.lines import print_json, print_lines
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    LimitOption,
    RootOption,
    TenantOption,
    opened_tenant,
    stored_brain,
)
from smartbrain.errors import NotFound


def events(
    since: Annotated[
        int | None, typer.Option(help="The last event that is known; 0 is the beginning.", min=0)
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="Only this kind; give several.")
    ] = None,
    limit: LimitOption = 100,
    follow: Annotated[bool, typer.Option("--follow", help="Go on until interrupted.")] = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what happened to memory, in order.

    With --follow it goes on with what happens from now on, or after --since, also in other
    processes; with --json each event is then a line.
    """
    with stored_brain(root, tenant) as brain:
        if not follow:
            page = brain.events(since or 0, kind, limit)
            if as_json:
                print_json({"events": page.items, "last": page.last})
            else:
                print_lines(map(_line, page))
            return
        kinds = read_kinds(kind)
        start = brain.events(None).last if since is None else since
        with suppress(KeyboardInterrupt):
            for found in walk_pages(lambda last: read_events(brain, last, kinds), start):
                if isinstance(found, MemoryEvent):
                    told = json.dumps(found.to_dict()) if as_json else _line(found)
                    print_lines([told])
                    sys.stdout.flush()


def metrics(
    dump: Annotated[  # noqa: ARG001 - what the specification prints
        bool, typer.Option("--dump", help="Print all figures, as JSON; the same as leaving it out.")
    ] = False,
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Print them as Prometheus reads them.")
    ] = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,  # noqa: ARG001 - it is JSON anyway
) -> None:
    """Print the figures of a tenant.

    What is counted while a brain runs is that of this process, so most of it is empty here; those
    of a server are at its `/metrics`. What is stored is counted now.
    """
    with opened_tenant(root, tenant) as (place, opened):
        if opened is None:
            raise NotFound("nothing is stored yet: no tenant has been made in this brain")
        opened.views.caught_up(place.settings.rules.recall)
        figures = place.recalling.metrics(opened)
        if prometheus:
            sys.stdout.write(prometheus_text([place.metrics.of(tenant)]))
        else:
            print_json(figures)


def _line(event: MemoryEvent) -> str:
    said = (str(event.num), event.at.isoformat(), event.kind, event.type, event.code, event.subject)
    return "  ".join(one for one in said if one)
