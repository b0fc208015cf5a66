"""`memctl pin`, `plan`, `fastmemo` and `state`: the commands that are more than a verb.

In: fields, texts, ids, files. Out: pins, steps or sections as they are now, as tables or JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.working import Memo, MemoSection, Pin
from smartbrain.entrypoints.cli.lines import one_line
from smartbrain.entrypoints.cli.options import (
    SessionOption,
    begun_brain,
    opened_brain,
    stored_brain,
    tenant_command,
)

if TYPE_CHECKING:
    from smartbrain import SmartBrain

pin_app = typer.Typer(help="Key facts that every context shows.", rich_markup_mode=None)
plan_app = typer.Typer(help="The to-dos of a conversation.", rich_markup_mode=None)
memo_app = typer.Typer(help="The surface memory: five sections of lines.", rich_markup_mode=None)
state_app = typer.Typer(help="The state of a conversation as a file.", rich_markup_mode=None)

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


@tenant_command(plan_app, "check", stored_brain, "steps")
def check_step(
    brain: SmartBrain,
    session: SessionOption,
    id: Annotated[str, typer.Argument(help="The number of the step.")],  # noqa: A002 - as shown
    undo: Annotated[bool, typer.Option("--undo", help="Open it again.")] = False,
) -> Sequence[PlanEntry]:
    """Tick a step off."""
    return [brain.plan.check(session, id, not undo)]


@tenant_command(memo_app, "read", opened_brain, "memo")
def read_memo(brain: SmartBrain | None) -> Memo:
    """Show the sections, and which of them are due for compaction."""
    if brain is None:
        return Memo(sections={section.value: () for section in MemoSection})
    return brain.fastmemo.read()


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
