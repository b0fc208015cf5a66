"""`memctl pin`, `plan`, `note`, `fastmemo` and `state`: what is governed, and its changes.

In: fields, texts, ids, files, a moment to go back to. Out: pins, steps, notes or sections as they
are now, as tables or JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.working import Memo, MemoSection, Note, Pin
from smartbrain.entrypoints.cli.lines import one_line
from smartbrain.entrypoints.cli.options import (
    LimitOption,
    MomentArgument,
    SessionOption,
    begun_brain,
    opened_brain,
    read_moment,
    stored_brain,
    tenant_command,
)

if TYPE_CHECKING:
    from smartbrain import SmartBrain

pin_app = typer.Typer(help="Key facts that every context shows.", rich_markup_mode=None)
plan_app = typer.Typer(help="The to-dos of a conversation.", rich_markup_mode=None)
note_app = typer.Typer(help="The notebook of a conversation.", rich_markup_mode=None)
memo_app = typer.Typer(help="The surface memory: five sections of lines.", rich_markup_mode=None)
state_app = typer.Typer(help="The state of a conversation as a file.", rich_markup_mode=None)

PinIds = Annotated[list[str], typer.Argument(help="The numbers of the pins.")]
StepIds = Annotated[list[str], typer.Argument(help="The numbers of the steps.")]
OutputFile = Annotated[Path | None, typer.Argument(help="Where; stdout by default.")]
StateFile = Annotated[
    Path, typer.Argument(help="context_state.json, or another file of that form.")
]
_TYPES = "constraint, path, command, code or conclusion"
_SOURCES = "Such as chat:<turn id>, tool:<call id> or file:<path>#L<line>."
TtlOption = Annotated[
    str | None, typer.Option("--ttl", help="How long it lives, such as 7d or '30 sessions'.")
]
RefOption = Annotated[
    str | None, typer.Option("--artifact-ref", help="Where the rest is, such as tool:<call id>.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PinOptions:
    """What `memctl pin add` takes."""

    type: Annotated[str, typer.Argument(help=f"One of {_TYPES}.")]
    title: Annotated[str, typer.Argument(help="What it is about.")]
    summary: Annotated[str, typer.Argument(help="The fact itself, in a sentence or two.")]
    source: Annotated[str, typer.Option(help=f"{_SOURCES} It is needed.")] = ""
    artifact_ref: RefOption = None
    ttl: TtlOption = None
    actor: Annotated[str, typer.Option(help="Who pins it: user or agent.")] = "user"


@tenant_command(pin_app, "add", begun_brain, options=PinOptions)
def add_pin(brain: SmartBrain, options: PinOptions) -> tuple[Any, str]:
    """Pin a key fact.

    It is shown in every context until its time runs out: by default after 7 days or 30 sessions.
    """
    pin = brain.pins.add(**asdict(options))
    waits = "; `memctl pin accept` lets it be shown" if pin.state.value == "proposed" else ""
    return {"pins": [pin]}, one_line(f"pinned as {pin.id}: {pin.title}{waits}") + "\n"


@tenant_command(pin_app, "list", opened_brain, "pins")
def list_pins(brain: SmartBrain | None) -> Sequence[Pin]:
    """Show the pins that have not expired."""
    return [] if brain is None else brain.pins.list()


@tenant_command(pin_app, "remove", stored_brain, "pins")
def remove_pins(brain: SmartBrain, ids: PinIds) -> Sequence[Pin]:
    """Take pins off; all that are named, or none."""
    return brain.pins.remove(ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinChange:
    """What `memctl pin update` takes."""

    id: Annotated[str, typer.Argument(help="The number of the pin.")]
    type: Annotated[str | None, typer.Option(help=f"One of {_TYPES}.")] = None
    title: Annotated[str | None, typer.Option(help="What it is about.")] = None
    summary: Annotated[str | None, typer.Option(help="The fact itself.")] = None
    source: Annotated[str | None, typer.Option(help=_SOURCES)] = None
    artifact_ref: RefOption = None
    ttl: TtlOption = None


@tenant_command(pin_app, "update", stored_brain, "pins", options=PinChange)
def update_pin(brain: SmartBrain, options: PinChange) -> Sequence[Pin]:
    """Change what a pin says; what is left out stays."""
    change = {name: value for name, value in asdict(options).items() if value is not None}
    return [brain.pins.update(change.pop("id"), **change)]


@tenant_command(pin_app, "renew", stored_brain, "pins")
def renew_pins(brain: SmartBrain, ids: PinIds, ttl: TtlOption = None) -> Sequence[Pin]:
    """Let pins live on from now, as long as before or as --ttl says."""
    return brain.pins.renew(ids, ttl)


@tenant_command(pin_app, "accept", stored_brain, "pins")
def accept_pins(brain: SmartBrain, ids: PinIds) -> Sequence[Pin]:
    """Let pins be shown that an agent has proposed."""
    return brain.pins.accept(ids)


@tenant_command(plan_app, "add", begun_brain, "steps")
def add_step(
    brain: SmartBrain,
    session: SessionOption,
    text: Annotated[str, typer.Argument(help="What is to be done.")],
    done_when: Annotated[str | None, typer.Option(help="What makes it done.")] = None,
) -> Sequence[PlanEntry]:
    """Add a step to a plan."""
    return [brain.plan.add(session, text, done_when)]


@tenant_command(plan_app, "check", stored_brain, "steps")
def check_step(
    brain: SmartBrain,
    session: SessionOption,
    id: Annotated[str, typer.Argument(help="The number of the step.")],  # noqa: A002 - as shown
    undo: Annotated[bool, typer.Option("--undo", help="Open it again.")] = False,
) -> Sequence[PlanEntry]:
    """Tick a step off."""
    return [brain.plan.check(session, id, not undo)]


@tenant_command(plan_app, "remove", stored_brain, "steps")
def remove_steps(brain: SmartBrain, session: SessionOption, ids: StepIds) -> Sequence[PlanEntry]:
    """Take steps out; all that are named, or none."""
    return brain.plan.remove(session, ids)


@tenant_command(note_app, "add", begun_brain, "notes")
def add_note(
    brain: SmartBrain,
    session: SessionOption,
    text: Annotated[str, typer.Argument(help="What was done or decided, and why.")],
    source: Annotated[
        str | None, typer.Option(help="Where it comes from, such as tool:<call id>.")
    ] = None,
    milestone: Annotated[
        bool, typer.Option("--milestone", help="Let compaction leave it as it is.")
    ] = False,
) -> Sequence[Note]:
    """Write a line into a notebook."""
    return [brain.notebook.add(session, text, source=source, milestone=milestone)]


@tenant_command(note_app, "compact", stored_brain, "notes")
def compact_notes(brain: SmartBrain, session: SessionOption) -> Sequence[Note]:
    """Fold the older notes into one line; milestones stay."""
    return brain.notebook.compact(session)


@tenant_command(memo_app, "add", begun_brain, "memo")
def add_line(
    brain: SmartBrain,
    section: Annotated[
        str, typer.Argument(help="self, user, environment, history or dynamic; also in Chinese.")
    ],
    text: Annotated[str, typer.Argument(help="A remark of one line.")],
) -> Memo:
    """Keep a line; what a section says already is not repeated."""
    return brain.fastmemo.add(section, text)


@tenant_command(memo_app, "read", opened_brain, "memo")
def read_memo(brain: SmartBrain | None) -> Memo:
    """Show the sections, and which of them are due for compaction."""
    if brain is None:
        return Memo(sections={section.value: () for section in MemoSection})
    return brain.fastmemo.read()


@tenant_command(memo_app, "compact", stored_brain, "memo")
def compact_memo(brain: SmartBrain) -> Memo:
    """Make one line of each section, by rule."""
    return brain.fastmemo.compact()


@tenant_command(memo_app, "export", stored_brain)
def export_memo(brain: SmartBrain, file: OutputFile = None) -> tuple[Any, str]:
    """Write the sections as text with their headings."""
    text = brain.fastmemo.export(file)
    if file is None:
        return {"file": None, "text": text}, text
    return {"file": str(file), "text": text}, f"written to {one_line(str(file))}\n"


@tenant_command(memo_app, "import", begun_brain, "memo")
def import_memo(
    brain: SmartBrain,
    file: Annotated[Path, typer.Argument(help="A text as `memctl fastmemo export` writes it.")],
) -> Memo:
    """Put what a file says into the place of all sections."""
    return brain.fastmemo.load(file)


@tenant_command(state_app, "export", stored_brain)
def export_state(
    brain: SmartBrain, session: SessionOption, file: OutputFile = None
) -> tuple[Any, str | None]:
    """Write pins, plan, notebook and limits of a conversation as JSON."""
    state = brain.state.export(session, file)
    return state, None if file is None else f"written to {one_line(str(file))}\n"


@tenant_command(state_app, "diff", stored_brain)
def diff_state(brain: SmartBrain, session: SessionOption, file: StateFile) -> tuple[Any, str]:
    """Show how a file differs from what is stored."""
    diff = brain.state.diff(session, file)
    return {"same": not diff, "diff": diff}, f"{diff or 'the file says what is stored'}\n"


@tenant_command(state_app, "load", begun_brain)
def load_state(brain: SmartBrain, session: SessionOption, file: StateFile) -> tuple[Any, str]:
    """Put what a file says in place: all of it, or nothing."""
    changes = brain.state.load(session, file)
    told = ", ".join(f"{name} {number}" for name, number in changes.items())
    return {"changes": changes}, f"loaded; the last changes are now {told}\n"


def _add_history(group: typer.Typer, name: str, kind: str, what: str) -> None:
    """Add the commands over the changes of a list of the tenant."""

    def history(brain: SmartBrain | None, limit: LimitOption = 100) -> Any:
        return [] if brain is None else getattr(brain, name).history(limit)

    def rollback(brain: SmartBrain, to: MomentArgument) -> Any:
        return getattr(brain, name).rollback(read_moment(to))

    _add_changes(group, kind, what, history, rollback)


def _add_session_list(group: typer.Typer, name: str, kind: str, what: str) -> None:
    """Add the commands over a list of a session: its entries and its changes."""

    def entries(brain: SmartBrain | None, session: SessionOption) -> Any:
        return [] if brain is None else getattr(brain, name).list(session)

    def history(brain: SmartBrain | None, session: SessionOption, limit: LimitOption = 100) -> Any:
        return [] if brain is None else getattr(brain, name).history(session, limit)

    def rollback(brain: SmartBrain, session: SessionOption, to: MomentArgument) -> Any:
        return getattr(brain, name).rollback(session, read_moment(to))

    entries.__doc__ = f"Show {what}."
    tenant_command(group, "list", opened_brain, kind)(entries)
    _add_changes(group, kind, what, history, rollback)


def _add_changes(
    group: typer.Typer, kind: str, what: str, history: Callable[..., Any], back: Callable[..., Any]
) -> None:
    history.__doc__ = f"Show the changes of {what}, newest first."
    back.__doc__ = f"Bring {what} back to what it was after a change, or at a time."
    tenant_command(group, "history", opened_brain, "changes")(history)
    tenant_command(group, "rollback", stored_brain, kind)(back)


_add_history(pin_app, "pins", "pins", "the board")
_add_history(memo_app, "fastmemo", "memo", "the surface memory")
_add_session_list(plan_app, "plan", "steps", "a plan")
_add_session_list(note_app, "notebook", "notes", "a notebook")
