"""`memctl pin`: the key facts of a tenant, with the trail of their changes.

In: fields, ids, a moment to go back to. Out: the pins as they are now, as a table or JSON.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from smartbrain.entrypoints.cli.lines import one_line
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    LimitOption,
    MomentArgument,
    RootOption,
    TenantOption,
    begun_brain,
    opened_brain,
    read_moment,
    stored_brain,
    with_options,
)

if TYPE_CHECKING:
    from smartbrain.domain.kept import Pin

app = typer.Typer(help="Key facts that every context shows.", rich_markup_mode=None)
Ids = Annotated[list[str], typer.Argument(help="The numbers of the pins.")]
_TYPES = "constraint, path, command, code or conclusion"
_SOURCES = "Such as chat:<turn id>, tool:<call id> or file:<path>#L<line>."
_TTL = "How long it lives, such as 7d or '30 sessions'."
_REF = "Where the rest is, such as tool:<call id>."


@dataclass(frozen=True, slots=True, kw_only=True)
class PinOptions:
    """What `memctl pin add` takes."""

    type: Annotated[str, typer.Argument(help=f"One of {_TYPES}.")]
    title: Annotated[str, typer.Argument(help="What it is about.")]
    summary: Annotated[str, typer.Argument(help="The fact itself, in a sentence or two.")]
    source: Annotated[str, typer.Option("--source", help=f"{_SOURCES} It is needed.")] = ""
    artifact_ref: Annotated[str | None, typer.Option("--artifact-ref", help=_REF)] = None
    ttl: Annotated[str | None, typer.Option("--ttl", help=_TTL)] = None
    actor: Annotated[str, typer.Option("--actor", help="Who pins it: user or agent.")] = "user"
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False


def add(options: PinOptions) -> None:
    """Pin a key fact.

    It is shown in every context until its time runs out: by default after 7 days or 30 sessions.
    """
    from smartbrain.entrypoints.cli.show import print_json

    with begun_brain(options.root, options.tenant) as brain:
        pin = brain.pins.add(
            options.type,
            options.title,
            options.summary,
            options.source,
            options.artifact_ref,
            options.ttl,
            actor=options.actor,
        )
    if options.as_json:
        print_json({"pins": [pin]})
    else:
        waits = "; `memctl pin accept` lets it be shown" if pin.state.value == "proposed" else ""
        sys.stdout.write(one_line(f"pinned as {pin.id}: {pin.title}{waits}") + "\n")


app.command("add")(with_options(PinOptions, add))


@app.command("list")
def list_pins(
    tenant: TenantOption = DEFAULT, root: RootOption = None, as_json: JsonOption = False
) -> None:
    """Show the pins that have not expired."""
    with opened_brain(root, tenant) as brain:
        pins = [] if brain is None else brain.pins.list()
    _told(pins, as_json=as_json)


@app.command()
def remove(
    ids: Ids, tenant: TenantOption = DEFAULT, root: RootOption = None, as_json: JsonOption = False
) -> None:
    """Take pins off; all that are named, or none."""
    with stored_brain(root, tenant) as brain:
        _told(brain.pins.remove(ids), as_json=as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinChange:
    """What `memctl pin update` takes."""

    id: Annotated[str, typer.Argument(help="The number of the pin.")]
    type: Annotated[str | None, typer.Option("--type", help=f"One of {_TYPES}.")] = None
    title: Annotated[str | None, typer.Option("--title", help="What it is about.")] = None
    summary: Annotated[str | None, typer.Option("--summary", help="The fact itself.")] = None
    source: Annotated[str | None, typer.Option("--source", help=_SOURCES)] = None
    artifact_ref: Annotated[str | None, typer.Option("--artifact-ref", help=_REF)] = None
    ttl: Annotated[str | None, typer.Option("--ttl", help=_TTL)] = None
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False


def update(options: PinChange) -> None:
    """Change what a pin says; what is left out stays."""
    names = ("type", "title", "summary", "source", "artifact_ref", "ttl")
    given = {name: getattr(options, name) for name in names}
    change = {name: value for name, value in given.items() if value is not None}
    with stored_brain(options.root, options.tenant) as brain:
        _told([brain.pins.update(options.id, **change)], as_json=options.as_json)


app.command("update")(with_options(PinChange, update))


@app.command()
def renew(
    ids: Ids,
    ttl: Annotated[str | None, typer.Option("--ttl", help=_TTL)] = None,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let pins live on from now, as long as before or as --ttl says."""
    with stored_brain(root, tenant) as brain:
        _told(brain.pins.renew(ids, ttl), as_json=as_json)


@app.command()
def accept(
    ids: Ids, tenant: TenantOption = DEFAULT, root: RootOption = None, as_json: JsonOption = False
) -> None:
    """Let pins be shown that an agent has proposed."""
    with stored_brain(root, tenant) as brain:
        _told(brain.pins.accept(ids), as_json=as_json)


@app.command()
def history(
    limit: LimitOption = 100,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the changes of the board, newest first."""
    from smartbrain.entrypoints.cli.show_state import tell_changes

    with opened_brain(root, tenant) as brain:
        changes = [] if brain is None else brain.pins.history(limit)
    tell_changes(changes, as_json=as_json)


@app.command()
def rollback(
    to: MomentArgument,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the board back to what it was after a change, or at a time."""
    with stored_brain(root, tenant) as brain:
        _told(brain.pins.rollback(read_moment(to)), as_json=as_json)


def _told(pins: Sequence[Pin], *, as_json: bool) -> None:
    """Print pins for people or for programs."""
    from smartbrain.entrypoints.cli.show import print_json
    from smartbrain.entrypoints.cli.show_state import show_pins

    if as_json:
        print_json({"pins": pins})
    else:
        show_pins(pins)
