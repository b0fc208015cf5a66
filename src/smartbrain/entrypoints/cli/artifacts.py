"""`memctl artifact`: what tools have printed, read part by part.

In: ids, ranges, patterns, files. Out: runs, lines that match, parts of texts, as tables, lines or
JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smartbrain.domain.artifact import Snippet
from smartbrain.entrypoints.cli.ingest import read_stdin
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    begun_brain,
    existing_root,
    print_answer,
    with_options,
)
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_file

if TYPE_CHECKING:
    pass

app = typer.Typer(help="What tools have printed.", rich_markup_mode=None)
Id = Annotated[str, typer.Argument(help="The run: its id, or tool:<id>.")]


@app.command()
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
        found: Snippet = brain.artifacts.file_snippet(path, start, count, part)
    print_answer(found, "snippet", as_json=as_json)


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


def add(options: RunOptions) -> None:
    """Store the run of a tool.

    It becomes a turn of its conversation, or a step of the turn that is named.
    """
    stdout = read_stdin() if options.output == "-" else read_file(Path(options.output))
    stderr = None if options.stderr is None else read_file(options.stderr)
    given = _json(options.args)
    with begun_brain(options.root, options.tenant) as brain:
        artifact = brain.artifacts.add(
            options.tool,
            args=given,
            stdout=stdout,
            stderr=stderr,
            exit_code=options.exit_code,
            session_id=options.session,
            turn_id=options.turn,
        )
    print_answer(artifact, "artifact", as_json=options.as_json)


app.command("add")(with_options(RunOptions, add))


def _json(given: str | None) -> Any:
    if given is None:
        return None
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise UsageError(f"--args {given!r:.60} is no JSON; give such as '{{\"n\": 1}}'") from None
