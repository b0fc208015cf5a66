"""The commands `remember`, `feedback`, `fact`, `audit`, `job` and `metrics`.

In: words, facts, names of jobs. Out: what became of them, as lines or JSON.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from smartbrain.bootstrap.metrics import prometheus_text
from smartbrain.brain.work import JOBS
from smartbrain.domain.inputs import FeedbackName
from smartbrain.entrypoints.cli.lines import print_lines
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    begun_brain,
    opened_tenant,
    print_answer,
    stored_brain,
)
from smartbrain.errors import Conflict, NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain import SmartBrain
    from smartbrain.domain.memory import Memory

_TYPE = "facts"


def remember(
    words: Annotated[list[str], typer.Argument(help="What to remember, in plain words.")],
    session: Annotated[str | None, typer.Option(help="The conversation it belongs to.")] = None,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember something that you state directly."""
    with begun_brain(root, tenant) as brain:
        result = brain.remember(" ".join(words), session_id=session)
    _print(result, as_json=as_json)


def feedback(
    memory: Annotated[str, typer.Argument(help="The id of the memory.")],
    action: Annotated[str, typer.Argument(help="pin, unpin, upvote, downvote or reject.")],
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a memory was worth; a rejected one is taken back."""
    with stored_brain(root, tenant) as brain:
        result = brain.feedback(memory, cast(FeedbackName, action))
    _print(result, as_json=as_json)


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
            _check_stands(brain, key, conflicts)
        value = {"subject": subject, "attribute": attribute, "value": add}
        result = brain.memories.put(_TYPE, key, value)
    _print(result, as_json=as_json)


def _check_stands(brain: SmartBrain, key: str, named: str) -> None:
    """Check that what stands under a key is what a new fact is said to contradict."""
    stands = brain.memories.get(key)
    if named not in (stands.id, stands.key, str(stands.value.get("value"))):
        raise Conflict(f"{key} is {stands.value.get('value')!r:.60}, not {named!r:.60}")


def audit(
    wanted: Annotated[str, typer.Option("--fact", help="The id or the key of a memory.")],
    history: Annotated[bool, typer.Option("--history", help="Show all its versions.")] = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show where a memory comes from, or how it came to be what it is."""
    from smartbrain.entrypoints.cli.show_records import show_fields, show_versions
    from smartbrain.entrypoints.wire.verbs import plain_result

    with stored_brain(root, tenant) as brain:
        versions = _versions(brain, wanted)
        shown = next((one for one in versions if one.id == wanted), versions[-1])
    if history:
        plain = {"key": shown.key, "versions": plain_result(versions)}
        print_answer((plain, lambda: show_versions(versions)), "", as_json=as_json)
    else:
        print_answer((shown.to_dict(), lambda: show_fields(shown)), "", as_json=as_json)


def _versions(brain: SmartBrain, wanted: str) -> list[Memory]:
    """Return all versions of a memory by its id, or by its key even where none holds now."""
    key = brain.memories.get(wanted).key if wanted.startswith("mem_") else wanted
    found = list(brain.memories.history(key))
    if not found:
        raise NotFound(f"there is no memory {wanted!r:.80} in this tenant")
    return found


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
        print_answer(({"jobs": JOBS}, lambda: print_lines(lines)), "", as_json=as_json)
        return
    with stored_brain(root, tenant) as brain:
        report = brain.jobs.run(run, dry_run=dry_run)
    _print(report, as_json=as_json)


def metrics(
    dump: Annotated[
        bool, typer.Option("--dump", help="As the text that Prometheus reads.")
    ] = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the figures of a tenant.

    What a process counts begins with the process: those of a server are at its /metrics.
    """
    from smartbrain.entrypoints.cli.show_records import show_fields

    with opened_tenant(root, tenant) as (place, opened):
        if opened is None:
            raise NotFound("nothing is stored yet: no tenant has been made in this brain")
        opened.views.caught_up(place.settings.rules.recall)
        figures = place.recalling.metrics(opened)
        text = prometheus_text(place.metrics.all())
    if dump and not as_json:
        sys.stdout.write(text)
    else:
        print_answer((figures, lambda: show_fields(figures)), "", as_json=as_json)


def _print(result: Any, *, as_json: bool) -> None:
    from smartbrain.entrypoints.cli.show_records import show_value
    from smartbrain.entrypoints.wire.verbs import plain_result

    print_answer((plain_result(result), lambda: show_value(result)), "", as_json=as_json)
