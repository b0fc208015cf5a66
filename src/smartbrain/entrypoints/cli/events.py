"""`memctl events`: what happens to memory, in order.

In: a tenant, a number to go on from. Out: a line an event, for people or for programs.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Annotated

import typer

from smartbrain.bootstrap.following import walk_pages
from smartbrain.brain.events import read_events
from smartbrain.domain.memory_event import MemoryEvent, read_kinds
from smartbrain.entrypoints.cli.lines import print_json, print_lines
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    stored_brain,
)


def events(
    since: Annotated[
        int | None, typer.Option(help="The last event that is known; 0 is the beginning.", min=0)
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="Only this kind; give several.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 100,
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


def _line(event: MemoryEvent) -> str:
    said = (str(event.num), event.at.isoformat(), event.kind, event.type, event.code, event.subject)
    return "  ".join(one for one in said if one)
