"""`memctl plan` and `memctl note`: the to-dos and the notebook of a conversation.

In: a session, texts, ids, a moment to go back to. Out: steps or notes as they are now, as tables or
JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    LimitOption,
    MomentArgument,
    RootOption,
    SessionOption,
    TenantOption,
    begun_brain,
    opened_brain,
    read_moment,
    stored_brain,
)

if TYPE_CHECKING:
    from smartbrain.domain.kept import Note
    from smartbrain.domain.packet import PlanEntry

plan_app = typer.Typer(help="The to-dos of a conversation.", rich_markup_mode=None)
note_app = typer.Typer(help="The notebook of a conversation.", rich_markup_mode=None)
Ids = Annotated[list[str], typer.Argument(help="The numbers of the steps.")]


@plan_app.command("add")
def plan_add(
    session: SessionOption,
    text: Annotated[str, typer.Argument(help="What is to be done.")],
    done_when: Annotated[
        str | None, typer.Option("--done-when", help="What makes it done.")
    ] = None,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a step to a plan."""
    with begun_brain(root, tenant) as brain:
        _steps([brain.plan.add(session, text, done_when)], as_json=as_json)


@plan_app.command("check")
def plan_check(
    session: SessionOption,
    id: Annotated[str, typer.Argument(help="The number of the step.")],  # noqa: A002 - as shown
    undo: Annotated[bool, typer.Option("--undo", help="Open it again.")] = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tick a step off."""
    with stored_brain(root, tenant) as brain:
        _steps([brain.plan.check(session, id, not undo)], as_json=as_json)


@plan_app.command("remove")
def plan_remove(
    session: SessionOption,
    ids: Ids,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take steps out; all that are named, or none."""
    with stored_brain(root, tenant) as brain:
        _steps(brain.plan.remove(session, ids), as_json=as_json)


@plan_app.command("list")
def plan_list(
    session: SessionOption,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a plan."""
    with opened_brain(root, tenant) as brain:
        steps = [] if brain is None else brain.plan.list(session)
    _steps(steps, as_json=as_json)


@plan_app.command("history")
def plan_history(
    session: SessionOption,
    limit: LimitOption = 100,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the changes of a plan, newest first."""
    from smartbrain.entrypoints.cli.show_state import tell_changes

    with opened_brain(root, tenant) as brain:
        changes = [] if brain is None else brain.plan.history(session, limit)
    tell_changes(changes, as_json=as_json)


@plan_app.command("rollback")
def plan_rollback(
    session: SessionOption,
    to: MomentArgument,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a plan back to what it was after a change, or at a time."""
    with stored_brain(root, tenant) as brain:
        _steps(brain.plan.rollback(session, read_moment(to)), as_json=as_json)


@note_app.command("add")
def note_add(
    session: SessionOption,
    text: Annotated[str, typer.Argument(help="What was done or decided, and why.")],
    source: Annotated[
        str | None, typer.Option("--source", help="Where it comes from, such as tool:<call id>.")
    ] = None,
    milestone: Annotated[
        bool, typer.Option("--milestone", help="Let compaction leave it as it is.")
    ] = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a line into a notebook."""
    with begun_brain(root, tenant) as brain:
        note = brain.notebook.add(session, text, source=source, milestone=milestone)
    _notes([note], as_json=as_json)


@note_app.command("list")
def note_list(
    session: SessionOption,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a notebook."""
    with opened_brain(root, tenant) as brain:
        notes = [] if brain is None else brain.notebook.list(session)
    _notes(notes, as_json=as_json)


@note_app.command("compact")
def note_compact(
    session: SessionOption,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fold the older notes into one line; milestones stay."""
    with stored_brain(root, tenant) as brain:
        _notes(brain.notebook.compact(session), as_json=as_json)


@note_app.command("history")
def note_history(
    session: SessionOption,
    limit: LimitOption = 100,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the changes of a notebook, newest first."""
    from smartbrain.entrypoints.cli.show_state import tell_changes

    with opened_brain(root, tenant) as brain:
        changes = [] if brain is None else brain.notebook.history(session, limit)
    tell_changes(changes, as_json=as_json)


@note_app.command("rollback")
def note_rollback(
    session: SessionOption,
    to: MomentArgument,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a notebook back to what it was after a change, or at a time."""
    with stored_brain(root, tenant) as brain:
        _notes(brain.notebook.rollback(session, read_moment(to)), as_json=as_json)


def _steps(steps: Sequence[PlanEntry], *, as_json: bool) -> None:
    """Print steps for people or for programs."""
    from smartbrain.entrypoints.cli.show import print_json
    from smartbrain.entrypoints.cli.show_state import show_steps

    if as_json:
        print_json({"steps": steps})
    else:
        show_steps(steps)


def _notes(notes: Sequence[Note], *, as_json: bool) -> None:
    """Print notes for people or for programs."""
    from smartbrain.entrypoints.cli.show import print_json
    from smartbrain.entrypoints.cli.show_state import show_notes

    if as_json:
        print_json({"notes": notes})
    else:
        show_notes(notes)
