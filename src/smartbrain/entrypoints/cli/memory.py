"""The commands `remember`, `feedback`, `fact`, `audit`, `events`, `job` and `metrics`.

In: words, facts, names of jobs, a number to go on from. Out: what became of them, as lines or JSON.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from smartbrain.bootstrap.following import walk_pages
from smartbrain.bootstrap.metrics import prometheus_text
from smartbrain.brain.handle import read_events
from smartbrain.brain.work import JOBS
from smartbrain.domain.inputs import FeedbackName
from smartbrain.domain.memory_event import MemoryEvent, read_kinds
from smartbrain.entrypoints.cli.lines import print_json, print_lines
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    CommandAnswer,
    JsonOption,
    RootOption,
    TenantOption,
    about_tenant,
    begun_brain,
    opened_tenant,
    print_answer,
    stored_brain,
)
from smartbrain.errors import Conflict, NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain import SmartBrain
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Root
    from smartbrain.domain.memory import Memory

_TYPE = "facts"


@about_tenant(begun_brain)
def remember(
    brain: SmartBrain,
    words: Annotated[list[str], typer.Argument(help="What to remember, in plain words.")],
    session: Annotated[str | None, typer.Option(help="The conversation it belongs to.")] = None,
) -> Any:
    """Remember something that you state directly."""
    return brain.remember(" ".join(words), session_id=session)


@about_tenant(stored_brain)
def feedback(
    brain: SmartBrain,
    memory: Annotated[str, typer.Argument(help="The id of the memory.")],
    action: Annotated[str, typer.Argument(help="pin, unpin, upvote, downvote or reject.")],
) -> Any:
    """Say what a memory was worth; a rejected one is taken back."""
    return brain.feedback(memory, cast(FeedbackName, action))


def fact(
    about: Annotated[
        list[str] | None, typer.Argument(help="SUBJECT ATTRIBUTE: what the value is of.")
    ] = None,
    add: Annotated[str | None, typer.Option(help="The value that holds from now on.")] = None,
    conflicts: Annotated[
        str | None,
        typer.Option(help="What it contradicts: the value that held, or that memory's id or key."),
    ] = None,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a fact, or the next version of one.

    A value of the same subject and attribute that held before is superseded, and both are linked.
    With --conflicts it must be the one that is named, or nothing is written.
    """
    if add is None or len(about or []) != 2:
        raise UsageError("a fact is added by: memctl fact --add VALUE SUBJECT ATTRIBUTE")
    subject, attribute = about or []
    key = f"fact:{subject}:{attribute}"
    with begun_brain(root, tenant) as brain:
        if conflicts is not None:
            stands = brain.memories.get(key)
            value = stands.value.get("value")
            if conflicts not in (stands.id, stands.key, str(value)):
                raise Conflict(f"{key} is {value!r:.60}, not {conflicts!r:.60}")
        fields = {"subject": subject, "attribute": attribute, "value": add}
        result = brain.memories.put(_TYPE, key, fields)
    print_answer(result, as_json=as_json)


@about_tenant(stored_brain)
def audit(
    brain: SmartBrain,
    wanted: Annotated[str, typer.Option("--fact", help="The id or the key of a memory.")],
    history: Annotated[bool, typer.Option("--history", help="Show all its versions.")] = False,
) -> Any:
    """Show where a memory comes from, or how it came to be what it is."""
    from smartbrain.entrypoints.cli.show import show_versions

    versions = _versions(brain, wanted)
    shown = next((one for one in versions if one.id == wanted), versions[-1])
    if not history:
        return shown
    return CommandAnswer({"key": shown.key, "versions": versions}, partial(show_versions, versions))


def _versions(brain: SmartBrain, wanted: str) -> list[Memory]:
    """Return all versions of a memory by its id, or by its key even where none holds now."""
    key = brain.memories.get(wanted).key if wanted.startswith("mem_") else wanted
    found = list(brain.memories.history(key))
    if not found:
        raise NotFound(f"there is no memory {wanted!r:.80} in this tenant")
    return found


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
                    print_lines([json.dumps(found.to_dict()) if as_json else _line(found)])
                    sys.stdout.flush()


def _line(event: MemoryEvent) -> str:
    said = (str(event.num), event.at.isoformat(), event.kind, event.type, event.code, event.subject)
    return "  ".join(one for one in said if one)


def job(
    run: Annotated[str | None, typer.Option("--run", help="The job; none lists them.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what it would do.")] = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a job now, or list the jobs that there are."""
    if run is None:
        lines = [f"{name:10}  {meaning}" for name, meaning in JOBS.items()]
        print_answer(CommandAnswer({"jobs": JOBS}, partial(print_lines, lines)), as_json=as_json)
        return
    with stored_brain(root, tenant) as brain:
        report = brain.jobs.run(run, dry_run=dry_run)
    print_answer(report, as_json=as_json)


@about_tenant(opened_tenant)
def metrics(
    found: tuple[Root, OpenTenant | None],
    dump: Annotated[
        bool, typer.Option("--dump", help="As the text that Prometheus reads.")
    ] = False,
) -> Any:
    """Show the figures of a tenant.

    What a process counts begins with the process: those of a server are at its /metrics.
    """
    root, tenant = found
    if tenant is None:
        raise NotFound("nothing is stored yet: no tenant has been made in this brain")
    tenant.views.caught_up(root.settings.rules.recall)
    figures = root.recalling.metrics(tenant)
    return CommandAnswer(figures, prometheus_text(root.metrics.all())) if dump else figures
