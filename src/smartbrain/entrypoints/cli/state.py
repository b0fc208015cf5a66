"""`memctl pin`, `plan`, `fastmemo`, `state` and `artifact`: the commands that are more than a verb.

In: fields, texts, ids, files. Out: what it is now, or parts of texts, as tables, lines or JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.working import Memo, MemoSection, Pin
from smartbrain.entrypoints.cli.groups import Group
from smartbrain.entrypoints.cli.lines import one_line
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    CommandAnswer,
    JsonOption,
    RootOption,
    SessionOption,
    TenantOption,
    about_tenant,
    begun_brain,
    existing_root,
    opened_brain,
    print_answer,
    read_stdin,
    stored_brain,
    with_options,
)
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_file

if TYPE_CHECKING:
    from smartbrain import SmartBrain

pin_app, plan_app, memo_app, state_app, artifact_app = (
    typer.Typer(cls=Group, rich_markup_mode=None) for _ in range(5)
)
APPS: Final[Mapping[str, typer.Typer]] = {
    "pin": pin_app,
    "plan": plan_app,
    "fastmemo": memo_app,
    "state": state_app,
    "artifact": artifact_app,
}
"""Groups by their names; what else is in them are verbs."""
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


@pin_app.command("add")
@about_tenant(begun_brain, options=PinOptions)
def add_pin(brain: SmartBrain, options: PinOptions) -> CommandAnswer:
    """Pin a key fact.

    It is shown in every context until its time runs out: by default after 7 days or 30 sessions.
    """
    pin = brain.pins.add(**asdict(options))
    waits = "; `memctl pin accept` lets it be shown" if pin.state.value == "proposed" else ""
    return CommandAnswer(
        {"pins": [pin]}, one_line(f"pinned as {pin.id}: {pin.title}{waits}") + "\n"
    )


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


@pin_app.command("update")
@about_tenant(stored_brain, Pin, options=PinChange)
def update_pin(brain: SmartBrain, options: PinChange) -> Any:
    """Change what a pin says; what is left out stays."""
    change = {name: value for name, value in asdict(options).items() if value is not None}
    return [brain.pins.update(change.pop("id"), **change)]


@plan_app.command("check")
@about_tenant(stored_brain, PlanEntry)
def check_step(
    brain: SmartBrain,
    session: SessionOption,
    id: Annotated[str, typer.Argument(help="The number of the step.")],  # noqa: A002 - as shown
    undo: Annotated[bool, typer.Option("--undo", help="Open it again.")] = False,
) -> Any:
    """Tick a step off."""
    return [brain.plan.check(session, id, not undo)]


@memo_app.command("read")
@about_tenant(opened_brain)
def read_memo(brain: SmartBrain | None) -> Memo:
    """Show the sections, and which of them are due for compaction."""
    if brain is None:
        return Memo(sections={section.value: () for section in MemoSection})
    return brain.fastmemo.read()


@memo_app.command("export")
@about_tenant(stored_brain)
def export_memo(brain: SmartBrain, file: OutputFile = None) -> CommandAnswer:
    """Write the sections as text with their headings."""
    text = brain.fastmemo.export(file)
    if file is None:
        return CommandAnswer({"file": None, "text": text}, text)
    return CommandAnswer({"file": str(file), "text": text}, f"written to {one_line(str(file))}\n")


@memo_app.command("import")
@about_tenant(begun_brain)
def import_memo(
    brain: SmartBrain,
    file: Annotated[Path, typer.Argument(help="A text as `memctl fastmemo export` writes it.")],
) -> Memo:
    """Put what a file says into the place of all sections."""
    return brain.fastmemo.load(file)


@state_app.command("export")
@about_tenant(stored_brain)
def export_state(
    brain: SmartBrain, session: SessionOption, file: OutputFile = None
) -> CommandAnswer:
    """Write pins, plan, notebook and limits of a conversation as JSON."""
    state = brain.state.export(session, file)
    return CommandAnswer(state, f"written to {one_line(str(file))}\n" if file else None)


@state_app.command("diff")
@about_tenant(stored_brain)
def diff_state(brain: SmartBrain, session: SessionOption, file: StateFile) -> CommandAnswer:
    """Show how a file differs from what is stored."""
    diff = brain.state.diff(session, file)
    return CommandAnswer(
        {"same": not diff, "diff": diff}, f"{diff or 'the file says what is stored'}\n"
    )


@state_app.command("load")
@about_tenant(begun_brain)
def load_state(brain: SmartBrain, session: SessionOption, file: StateFile) -> CommandAnswer:
    """Put what a file says in place: all of it, or nothing."""
    changes = brain.state.load(session, file)
    told = ", ".join(f"{name} {number}" for name, number in changes.items())
    return CommandAnswer({"changes": changes}, f"loaded; the last changes are now {told}\n")


@artifact_app.command()
def snippet(
    path: Annotated[str, typer.Argument(help="A file in the folders of artifacts.file_roots.")],
    start: Annotated[int, typer.Option(help="The first line.")] = 1,
    count: Annotated[int, typer.Option("--len", help="How many lines at most.")] = 80,
    part: Annotated[
        str | None, typer.Option("--range", help="Instead: bytes=0-999, or lines such as 10-40.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show lines of a file."""
    from smartbrain import SmartBrain
    from smartbrain.bootstrap.root import Root

    # Of no tenant: none is opened.
    with SmartBrain(Root(existing_root(root)), DEFAULT, owner=True) as brain:
        found = brain.artifacts.file_snippet(path, start, count, part)
    print_answer(found, as_json=as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What `memctl artifact add` takes."""

    tool: Annotated[str, typer.Argument(help="The name of the tool.")]
    output: Annotated[str, typer.Argument(help="The file of what it printed; - reads stdin.")]
    stderr: Annotated[Path | None, typer.Option(help="The file of what it printed as errors.")] = (
        None
    )
    exit_code: Annotated[int | None, typer.Option(help="How it ended; 0 is well.")] = None
    args: Annotated[str | None, typer.Option(help="What it was called with, as JSON.")] = None
    session: Annotated[str | None, typer.Option(help="The conversation.")] = None
    turn: Annotated[str | None, typer.Option(help="The turn that it is a step of.")] = None
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False


def add_artifact(options: RunOptions) -> None:
    """Store the run of a tool.

    It becomes a turn of its conversation, or a step of the turn that is named.
    """
    stdout = read_stdin() if options.output == "-" else read_file(Path(options.output))
    try:
        args = None if options.args is None else json.loads(options.args)
    except (ValueError, RecursionError):
        wrong = f"--args {options.args!r:.60} is no JSON"
        raise UsageError(f"{wrong}; give such as '{{\"n\": 1}}'") from None
    stderr = None if options.stderr is None else read_file(options.stderr)
    with begun_brain(options.root, options.tenant) as brain:
        added = brain.artifacts.add(
            options.tool,
            args=args,
            stdout=stdout,
            stderr=stderr,
            exit_code=options.exit_code,
            session_id=options.session,
            turn_id=options.turn,
        )
    print_answer(added, as_json=options.as_json)


artifact_app.command("add")(with_options(RunOptions, add_artifact))
