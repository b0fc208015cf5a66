"""The commands that bring texts in, `ingest` and `r2g`, and `read`, which only shows.

In: a text, a file or a chat history. Out: what was kept of it, or what the reader understands of
it, as sentences or JSON; what takes long shows how far it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from smartbrain.domain.history import GraphReport, ImportReport
from smartbrain.domain.inputs import ChatFormatName
from smartbrain.entrypoints.cli.lines import counted, first_of, print_lines
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    CommandAnswer,
    JsonOption,
    RootOption,
    TenantOption,
    about_tenant,
    begun_root,
    opened_brain,
    print_answer,
    read_stdin,
)
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain import SmartBrain

_SHOWN: Final = 10  # problems of a history that are printed
# One word that begins like a path or ends like a file's name.
_PATH: Final = re.compile(r"(?:\.{0,2}/|~)\S*|(?!\w+://)\S*\.[A-Za-z][A-Za-z0-9]{0,4}")


def ingest(
    raw: Annotated[
        str | None, typer.Option(help="A text file, or the text itself; - reads it from stdin.")
    ] = None,
    chat: Annotated[Path | None, typer.Option(help="The file of a chat history.")] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format", help="Of the chat: auto, jsonl, json, chatgpt, claude, transcript."
        ),
    ] = "auto",
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take in a document or a chat history.

    A document is kept as raw chunks and asserts nothing; `memctl r2g` makes a graph of it. A chat
    history is remembered turn by turn, each at its own time. What is there already is not taken in
    again, so that an import which was cut off is finished by running it once more.
    """
    from smartbrain import SmartBrain
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.each import work_progress

    if (raw is None) == (chat is None):
        raise UsageError("say what to take in: either --raw PATH_OR_TEXT or --chat FILE")
    if raw is not None and form != "auto":
        raise UsageError("--format belongs to --chat; leave it out with --raw")
    document = None if raw is None else _text_or_path(raw)
    # The tenant is made by the first write, not by a call that is refused.
    with SmartBrain(Root(begun_root(root)), tenant, owner=True) as brain:
        if document is not None:
            ids = brain.ingest(document)
            kept = f"{counted(len(ids), 'chunk')} kept"
            told = f"{kept}; `memctl r2g --from raw --to graph` makes a graph\n"
            answer = CommandAnswer({"raw_ids": ids}, told)
        elif chat is not None:
            kind = cast(ChatFormatName, form)
            with work_progress(chat.name) as on_progress:
                report = brain.import_chat(chat, format=kind, on_progress=on_progress)
            answer = CommandAnswer(report, lambda: print_lines(_describe_import(report)))
    print_answer(answer, as_json=as_json)


def _describe_import(report: ImportReport) -> Iterator[str]:
    there = f", {report.replayed:,} already there" if report.replayed else ""
    turns, sessions = counted(report.turns, "turn"), counted(report.sessions, "session")
    yield f"{turns} of {sessions} imported{there}"
    yield f"{counted(report.memories, 'memory version')} written"
    if report.stopped:
        yield f"stopped, {counted(report.left, 'turn')} left: {report.stopped}"
        yield "run it again when there is room; it goes on where it stopped"
    if report.problems:
        yield f"{counted(len(report.problems), 'part')} left out:"
    yield from first_of(
        (f"  {one}" for one in report.problems), _SHOWN, "more; --json names them all"
    )


@about_tenant(opened_brain)
def r2g(
    brain: SmartBrain | None,
    source: Annotated[str, typer.Option("--from", help="What to read: raw.")] = "raw",
    target: Annotated[str, typer.Option("--to", help="What to make of it: graph.")] = "graph",
) -> CommandAnswer:
    """Make a graph of what was ingested.

    Each raw chunk becomes an episode with the entities and statements in it. What is done already
    is not done again.
    """
    from smartbrain.entrypoints.cli.each import work_progress

    if (source, target) != ("raw", "graph"):
        raise UsageError("a graph is made of raw text: memctl r2g --from raw --to graph")
    report = GraphReport()
    if brain is not None:
        with work_progress("chunks") as on_progress:
            report = brain.r2g(on_progress)
    if not report.chunks:
        return CommandAnswer(report, "nothing waits; `memctl ingest --raw` takes a document in\n")
    made = (("episode", report.episodes), ("statement", report.statements))
    entities = f"{report.entities:,} {'entity' if report.entities == 1 else 'entities'}"
    told = ", ".join(counted(number, noun) for noun, number in made)
    return CommandAnswer(report, f"{counted(report.chunks, 'chunk')}: {told}, {entities}\n")


def _text_or_path(raw: str) -> str | Path:
    """Return a file that is there as its path, and anything else as the text it is."""
    if raw == "-":
        return read_stdin()
    if os.path.exists(raw):  # noqa: PTH110 - of a text that is no name at all it says no
        return Path(raw)
    if _PATH.fullmatch(raw):
        raise UsageError(
            f"{raw}: there is no such file; to ingest these words pipe them to --raw -"
        )
    return raw


def read(
    text: Annotated[str, typer.Argument(help="The message.")],
    before: Annotated[str, typer.Option(help="What the assistant said before it.")] = "",
    why: Annotated[bool, typer.Option("--why", help="Name the features that decided.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what the trained reader makes of a message, and how sure it is.

    From a certainty of 0.7 on a statement counts, from 0.8 on under its attribute; a less
    certain one is kept as a candidate.
    """
    from smartbrain.entrypoints.cli.show_reader import explain_reading

    print_answer(explain_reading(text, before, why=why), as_json=as_json)
