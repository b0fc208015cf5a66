"""`memctl forget`, `export`, `restore`, `tenants` and `sessions`: what goes, and what is kept safe.

In: ids and criteria, or names of tenants, sessions and files. Out: receipts and reports, as lines
or JSON. What would go is shown before it goes, unless `--yes` is given.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from smartbrain.domain.forgetting import ForgetReceipt
from smartbrain.entrypoints.cli.groups import Group
from smartbrain.entrypoints.cli.lines import counted, one_line, print_lines
from smartbrain.entrypoints.cli.options import (
    CommandAnswer,
    JsonOption,
    RootOption,
    about_tenant,
    existing_root,
    find_root,
    print_answer,
    stored_brain,
)
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain import SmartBrain

YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
tenants_app = typer.Typer(help="List the tenants by name, or delete one.", cls=Group)
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetOptions:
    """What `memctl forget` can be asked, an option each."""

    ids: Annotated[
        list[str] | None,
        typer.Argument(help="Ids of memories, claims, turns, artifacts, edges or sessions."),
    ] = None
    topic: Annotated[str | None, typer.Option(help="An entity or a concept.")] = None
    since: Annotated[str | None, typer.Option(help="Only what was said from then on.")] = None
    until: Annotated[str | None, typer.Option(help="Only what was said before then.")] = None
    session: Annotated[str | None, typer.Option(help="Only what was said in a session.")] = None
    everything: Annotated[bool, typer.Option("--everything", help="All of it.")] = False
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would go.")] = False
    receipts: Annotated[
        bool, typer.Option("--receipts", help="List the receipts, each checked again.")
    ] = False
    yes: YesOption = False

    def criteria(self) -> dict[str, Any]:
        """Return what the call of the library takes."""
        return {
            "topic": self.topic,
            "since": self.since,
            "until": self.until,
            "session_id": self.session,
            "everything": self.everything,
        }


@about_tenant(stored_brain, options=ForgetOptions)
def forget(brain: SmartBrain, asked: ForgetOptions) -> CommandAnswer:
    """Forget for good: what was said, every memory made of it, and all that quotes it.

    Criteria have to be met together. When this returns, no file of the tenant holds the words any
    more; the receipt proves it, and `--receipts` checks all receipts again.
    """
    if asked.receipts:
        return _checked_receipts(brain)
    found = brain.forget(asked.ids or None, preview=True, **asked.criteria())
    if not asked.preview:
        _ask(f"forget {counted(len(found.items), 'thing')} for good?", yes=asked.yes)
        found = brain.forget(found)
    return _answer(found)


@about_tenant(stored_brain)
def export(
    brain: SmartBrain,
    file: Annotated[Path, typer.Argument(help="A new file; .md and .jsonl are for people.")],
) -> CommandAnswer:
    """Write all that a tenant holds into one file, while others go on writing."""
    report = brain.export(file)
    told = f"{report.path}: tenant {report.tenant}, {report.bytes:,} bytes"
    return CommandAnswer(report, partial(print_lines, [told]))


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `memctl export` wrote.")],
    receipts: Annotated[
        Path | None, typer.Option(help="A file with the receipts of later forgettings.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a tenant from an export, exactly as it was, and forget once more what was since."""
    from smartbrain.brain import SmartBrain

    given = _read_receipts(receipts) if receipts is not None else []
    report = SmartBrain.restore(find_root(root), file, receipts=given)
    done = f"{len(report.applied)} forgettings done again"
    print_answer(
        CommandAnswer(report.to_dict(), f"restored tenant {report.tenant}; {done}\n"),
        as_json=as_json,
    )
    if report.warning and receipts is None and not as_json:
        sys.stderr.write(one_line(f"memctl: {report.warning}") + "\n")


@tenants_app.callback(invoke_without_command=True)
def list_tenants(
    context: typer.Context, root: RootOption = None, as_json: JsonOption = False
) -> None:
    """List the tenants by name, or delete one."""
    if context.invoked_subcommand is not None:
        return
    from smartbrain.brain import SmartBrain

    names = SmartBrain.tenants(existing_root(root))
    print_answer(CommandAnswer({"tenants": names}, partial(print_lines, names)), as_json=as_json)


@tenants_app.command("delete")
def delete_tenant(
    name: Annotated[str, typer.Argument(help="The tenant.")],
    yes: YesOption = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a tenant for good; an encrypted one loses its key first."""
    from smartbrain.brain import SmartBrain

    _ask(f"delete tenant {one_line(name)} for good?", yes=yes)
    gone = SmartBrain.delete_tenant(existing_root(root), name)
    print_answer(_answer(gone), as_json=as_json)


@about_tenant(stored_brain)
def delete_session(
    brain: SmartBrain,
    session: Annotated[str, typer.Argument(help="The session.")],
    yes: YesOption = False,
) -> CommandAnswer:
    """Forget a session for good, with every memory that only it tells of."""
    _ask(f"forget session {one_line(session)} for good?", yes=yes)
    return _answer(brain.sessions.delete(session))


def _ask(question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("nobody is there to ask; give --yes to forget for good")
    if not typer.confirm(question):
        raise UsageError("nothing was forgotten")


def _answer(receipt: ForgetReceipt) -> CommandAnswer:
    return CommandAnswer(receipt, lambda: print_lines(_describe_receipt(receipt)))


def _describe_receipt(receipt: ForgetReceipt) -> Iterator[str]:
    yield f"{receipt.state.value} {receipt.id}"
    if counts := _counts(receipt):
        yield f"  {counts}"
    for title, items in (("goes", receipt.items), ("stays", receipt.stays)):
        for item in items[:_SHOWN]:
            reason = f" ({item.reason})" if item.reason else ""
            yield f"  {title}: {item.kind} {item.id}{reason}"
        if len(items) > _SHOWN:
            yield f"  {title}: {len(items) - _SHOWN:,} more"


def _counts(receipt: ForgetReceipt) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in receipt.counts.items() if count)


def _checked_receipts(brain: SmartBrain) -> CommandAnswer:
    held = [(receipt, brain.verify_receipt(receipt)) for receipt in brain.receipts()]
    lines = []
    for receipt, holds in held:
        at = receipt.erased_at or receipt.asked_at
        proof = "verified" if holds else "not erased"
        told = f"{receipt.state.value} {receipt.id} {proof} {_counts(receipt)}"
        lines.append(f"{at:%Y-%m-%d %H:%M} {told}")
    value = {"receipts": [{**receipt.to_dict(), "verified": holds} for receipt, holds in held]}
    return CommandAnswer(value, partial(print_lines, lines or ["nothing was forgotten yet"]))


def _read_receipts(path: Path) -> list[ForgetReceipt]:
    """Read receipts as `memctl forget --receipts --json` prints them."""
    try:
        told = msgspec.json.decode(path.read_bytes(), type=dict[str, list[ForgetReceipt]])
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{path} holds no receipts ({error})") from None
    return told.get("receipts", [])
