"""`memctl fastmemo` and `memctl state`: the surface memory, and a session's state as a file.

In: sections and lines, sessions, files. Out: what is kept now, a text, or a diff.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smartbrain.entrypoints.cli.lines import one_line
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
    from smartbrain.domain.kept import Memo

memo_app = typer.Typer(help="The surface memory: five sections of lines.", rich_markup_mode=None)
state_app = typer.Typer(help="The state of a conversation as a file.", rich_markup_mode=None)
_FILE = "context_state.json, or another file of that form."


@memo_app.command("add")
def memo_add(
    section: Annotated[
        str, typer.Argument(help="self, user, environment, history or dynamic; also in Chinese.")
    ],
    text: Annotated[str, typer.Argument(help="A remark of one line.")],
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a line; what a section says already is not repeated."""
    with begun_brain(root, tenant) as brain:
        _memo(brain.fastmemo.add(section, text), as_json=as_json)


@memo_app.command("read")
def memo_read(
    tenant: TenantOption = DEFAULT, root: RootOption = None, as_json: JsonOption = False
) -> None:
    """Show the sections, and which of them are due for compaction."""
    from smartbrain.entrypoints.cli.show_state import NO_MEMO

    memo = NO_MEMO
    with opened_brain(root, tenant) as brain:
        if brain is not None:
            memo = brain.fastmemo.read()
    _memo(memo, as_json=as_json)


@memo_app.command("compact")
def memo_compact(
    tenant: TenantOption = DEFAULT, root: RootOption = None, as_json: JsonOption = False
) -> None:
    """Make one line of each section, by rule."""
    with stored_brain(root, tenant) as brain:
        _memo(brain.fastmemo.compact(), as_json=as_json)


@memo_app.command("export")
def memo_export(
    file: Annotated[Path | None, typer.Argument(help="Where; stdout by default.")] = None,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the sections as text with their headings."""
    from smartbrain.entrypoints.cli.show import print_json

    with stored_brain(root, tenant) as brain:
        text = brain.fastmemo.export(file)
    if as_json:
        print_json({"file": None if file is None else str(file), "text": text})
    elif file is None:
        sys.stdout.write(text)
    else:
        sys.stdout.write(f"written to {one_line(str(file))}\n")


@memo_app.command("import")
def memo_import(
    file: Annotated[Path, typer.Argument(help="A text as `memctl fastmemo export` writes it.")],
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put what a file says into the place of all sections."""
    with begun_brain(root, tenant) as brain:
        _memo(brain.fastmemo.load(file), as_json=as_json)


@memo_app.command("history")
def memo_history(
    limit: LimitOption = 100,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the changes of the sections, newest first."""
    from smartbrain.entrypoints.cli.show_state import tell_changes

    with opened_brain(root, tenant) as brain:
        changes = [] if brain is None else brain.fastmemo.history(limit)
    tell_changes(changes, as_json=as_json)


@memo_app.command("rollback")
def memo_rollback(
    to: MomentArgument,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the sections back to what they were after a change, or at a time."""
    with stored_brain(root, tenant) as brain:
        _memo(brain.fastmemo.rollback(read_moment(to)), as_json=as_json)


@state_app.command("export")
def state_export(
    session: SessionOption,
    file: Annotated[Path | None, typer.Argument(help="Where; stdout by default.")] = None,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write pins, plan, notebook and limits of a conversation as JSON."""
    from smartbrain.entrypoints.cli.show import print_json

    with stored_brain(root, tenant) as brain:
        state = brain.state.export(session, file)
    if as_json or file is None:
        print_json(state)
    else:
        sys.stdout.write(f"written to {one_line(str(file))}\n")


@state_app.command("diff")
def state_diff(
    session: SessionOption,
    file: Annotated[Path, typer.Argument(help=_FILE)],
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how a file differs from what is stored."""
    from smartbrain.entrypoints.cli.show import print_json

    with stored_brain(root, tenant) as brain:
        diff = brain.state.diff(session, file)
    if as_json:
        print_json({"same": not diff, "diff": diff})
    else:
        sys.stdout.write(f"{diff or 'the file says what is stored'}\n")


@state_app.command("load")
def state_load(
    session: SessionOption,
    file: Annotated[Path, typer.Argument(help=_FILE)],
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put what a file says in place: all of it, or nothing."""
    from smartbrain.entrypoints.cli.show import print_json

    with begun_brain(root, tenant) as brain:
        changes = brain.state.load(session, file)
    if as_json:
        print_json({"changes": changes})
        return
    told = ", ".join(f"{name} {number}" for name, number in changes.items())
    sys.stdout.write(f"loaded; the last changes are now {told}\n")


def _memo(memo: Memo, *, as_json: bool) -> None:
    """Print the sections for people or for programs."""
    from smartbrain.entrypoints.cli.show import print_json
    from smartbrain.entrypoints.cli.show_state import show_memo

    if as_json:
        print_json(memo)
    else:
        show_memo(memo)
