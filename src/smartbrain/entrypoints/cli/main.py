"""`memctl`: the commands, and what an error looks like to somebody at a prompt.

In: arguments. Out: tables or JSON on stdout, one line on stderr where something is wrong, and an
exit code that tells what kind of wrong. Commands import what they need when they run, so that
`memctl --help` is quick.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from smartbrain.domain.tenant import folder_of
from smartbrain.entrypoints.cli import (
    agents,
    forget,
    ingest,
    memory,
    recall,
    replay,
    serve,
    views,
)
from smartbrain.entrypoints.cli.groups import Group, completion, lazy_group, prepare_completion
from smartbrain.entrypoints.cli.lines import counted, one_line, print_json, print_lines
from smartbrain.entrypoints.cli.options import (
    CommandAnswer,
    JsonOption,
    RootOption,
    each_tenant,
    existing_root,
    find_root,
    make_brain,
    new_root,
    print_answer,
    with_options,
)
from smartbrain.entrypoints.wire.errors import EXIT_UNHEALTHY, exit_code
from smartbrain.errors import SmartBrainError
from smartbrain.jobs.doctor import SweepReport
from smartbrain.jobs.doctor import sweep as run_sweep

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Root

_ENDS = """\b
Start with `memctl remember …` and `memctl recall …`; each command has --help with examples, and
most have --json for programs.
Exit codes: 0 done, 1 unhealthy, 2 wrong call, 3 not found, 4 conflict, 5 storage, 70 our fault.
"""

app = typer.Typer(
    name="memctl",
    help="Look after a SmartBrain: the memory of LLM agents on this machine.",
    epilog=_ENDS,
    no_args_is_help=True,
    cls=Group,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
config_app = typer.Typer(help="Look at the configuration.", no_args_is_help=True, cls=Group)
master_app = typer.Typer(
    help="The master key, which locks encrypted tenants.", no_args_is_help=True, cls=Group
)


def _build_group(name: str) -> typer.Typer:
    """Return a group: its commands of more than a verb, and those that are a verb each."""
    from smartbrain.entrypoints.cli.state import APPS
    from smartbrain.entrypoints.cli.verbs import verb_group

    group = verb_group(name, APPS.get(name))
    if name == "sessions":
        group.command("delete")(forget.delete_session)
    return group


app.add_typer(config_app, name="config")
app.add_typer(serve.key_app, name="key")
app.add_typer(forget.tenants_app, name="tenants")
serve.key_app.add_typer(master_app, name="master")
app.add_typer(agents.mcp_app, name="mcp")
app.add_typer(agents.hook_app, name="hook")
_GROUPS: Final[Mapping[str, str]] = {
    "memories": "What is remembered: look at it, correct it, take it back.",
    "sessions": "Conversations: what was said in them.",
    "pin": "Key facts that every context shows.",
    "plan": "The to-dos of a conversation.",
    "note": "The notebook of a conversation.",
    "artifact": "What tools have printed.",
    "fastmemo": "The surface memory: five sections of lines.",
    "state": "The state of a conversation as a file.",
    "runs": "Runs of agents: goals, slots, insights.",
    "work": "Work for outside agents, to lease and hand in.",
}
for name, meaning in _GROUPS.items():
    app.add_typer(lazy_group(name, meaning, partial(_build_group, name)))
for command in (
    memory.remember,
    memory.fact,
    memory.audit,
    memory.feedback,
    memory.job,
    memory.metrics,
    completion,
    ingest.ingest,
    ingest.r2g,
    views.index,
    views.search,
    with_options(views.GraphOptions, views.graph),
    views.rebuild,
    ingest.read,
    replay.replay,
    replay.reread,
    forget.forget,
    forget.export,
    forget.restore,
    with_options(recall.RecallOptions, recall.recall),
    with_options(recall.ComposeOptions, recall.compose),
    recall.explain,
    recall.diff,
    memory.events,
    with_options(serve.ServeOptions, serve.serve),
    with_options(serve.ProxyOptions, serve.proxy),
):
    app.command()(command)

_GRACE_SECONDS = 3600.0


def main() -> None:
    """Run memctl; an error of ours is one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names and paths hold any character
    prepare_completion()
    try:
        app(prog_name="memctl")
    except SmartBrainError as error:
        if "--json" in sys.argv:
            print_json({"error": error.to_dict()})
        else:
            sys.stderr.write(one_line(f"memctl: {error.message} [{error.code}]") + "\n")
        raise SystemExit(exit_code(error)) from None


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Look after a SmartBrain: the memory of LLM agents on this machine."""
    if version:
        from smartbrain import __version__

        sys.stdout.write(f"smartbrain {__version__}\n")
        raise typer.Exit


@app.command()
def init(
    path: Annotated[
        Path | None, typer.Argument(help="Where; `.smartbrain` in this folder by default.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a brain in a folder.

    The folder gets a commented brain.yml; what is there already stays. A tenant is made when it is
    first opened, so that brain.yml can be edited before.
    """
    from smartbrain.bootstrap.root import Root

    place = Root(new_root(path or root)).path
    created = make_brain(place)
    became = "written; edit it to change a default" if created else "kept as it is"
    told = partial(print_lines, (f"Brain at {place}", f"brain.yml {became}"))
    print_answer(
        CommandAnswer({"root": str(place), "config_written": created}, told), as_json=as_json
    )


@app.command()
@each_tenant
def status(root: Root, tenants: Sequence[str], *, as_json: bool) -> None:
    """Show what each tenant holds.

    A tenant that cannot be opened is told of at the end; the others are shown all the same.
    """
    from smartbrain.bootstrap.health import status_of
    from smartbrain.entrypoints.cli.each import errors_by_tenant, fail_with, for_each_tenant
    from smartbrain.entrypoints.cli.show import show_status

    rules = root.settings.rules.recall
    found, errors = for_each_tenant(root, tenants, lambda one: status_of(one, root, rules))
    statuses = list(found.values())
    value = {"root": str(root.path), "tenants": statuses, "errors": errors_by_tenant(errors)}
    shown = partial(show_status, str(root.path), statuses)
    print_answer(CommandAnswer(value, shown), as_json=as_json)
    fail_with(errors, told=as_json)


@app.command()
def doctor(root: RootOption = None, as_json: JsonOption = False) -> None:
    """Check that everything stored is whole.

    Every database is checked and every raw file read; nothing is changed. The exit code is 1 when
    something is damaged, missing or cannot be opened.
    """
    from smartbrain.bootstrap.health import examine_root
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.each import progress
    from smartbrain.entrypoints.cli.show import show_health

    place = existing_root(root)
    with progress() as (_, begin):
        report = examine_root(Root(place), lambda name: begin(f"{name}: raw files"))
    value = {"healthy": report.healthy, **report.to_dict()}
    print_answer(CommandAnswer(value, partial(show_health, report)), as_json=as_json)
    if not report.healthy:
        raise typer.Exit(EXIT_UNHEALTHY)


@app.command()
def migrate(
    apply: Annotated[bool, typer.Option("--apply", help="Run them now.")] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show or run schema migrations.

    A tenant that is opened is brought up to date by itself; this shows what would be done first.
    """
    from smartbrain.bootstrap.health import pending_upgrades
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.each import errors_by_tenant, fail_with, for_each_tenant
    from smartbrain.entrypoints.cli.show import show_upgrades

    opened = Root(existing_root(root))
    upgrades, errors = pending_upgrades(opened)
    waiting = [upgrade.tenant for upgrade in upgrades if upgrade.steps]
    if apply:
        errors |= for_each_tenant(opened, waiting, lambda tenant: tenant.name)[1]
        upgrades = [upgrade for upgrade in upgrades if upgrade.tenant not in errors]
    if as_json:
        print_json({"applied": apply, "tenants": upgrades, "errors": errors_by_tenant(errors)})
    else:
        if upgrades or not errors:
            show_upgrades(upgrades, applied=apply)
        if waiting and not apply:
            sys.stdout.write("`memctl migrate --apply` runs them now\n")
    fail_with(errors, told=as_json)


@app.command()
@each_tenant
def sweep(
    root: Root,
    tenants: Sequence[str],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    *,
    as_json: bool,
) -> None:
    """Remove raw files that belong to no turn, and let originals grow old as `raw` says.

    Interrupted commits leave such files behind. Those of the last hour stay: they may belong to a
    commit that is being made. Originals older than `raw.delete_after_days` go, with a receipt.
    """
    from smartbrain.entrypoints.cli.each import for_each_tenant, print_results
    from smartbrain.entrypoints.cli.show import size_text

    older_than = time.time() - _GRACE_SECONDS

    def sweep_one(opened: OpenTenant) -> SweepReport:
        if not dry_run:
            terms = root.terms(opened.name)
            terms.forgetter(opened, terms.settings.rules.recall).age_raw()
        return run_sweep(ports=opened.ports, older_than=older_than, dry_run=dry_run)

    reports, errors = for_each_tenant(root, tenants, sweep_one)
    verb = "would remove" if dry_run else "removed"

    def told(name: str, report: SweepReport) -> list[str]:
        return [f"{name}: {verb} {counted(report.files, 'file')} ({size_text(report.bytes)})"]

    print_results(reports, errors, told, as_json=as_json)


@config_app.command("show")
def config_show(
    tenant: Annotated[str | None, typer.Option(help="What holds for this tenant.")] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print every setting in force.

    Each comes with its value and where that was set: `default`, or the line of brain.yml. A tenant
    need not be there yet; without one, the blocks of all tenants come last.
    """
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.show import show_settings
    from smartbrain.settings import explain

    settings = Root(find_root(root)).settings
    if tenant is not None:
        folder_of(tenant)  # refuses what is no name
        settings = settings.of_tenant(tenant)
    rows = explain(settings)
    value = {
        row.name: {"value": row.value, "from": row.origin, "help": row.meaning} for row in rows
    }
    shown = partial(show_settings, [(row.name, row.value, row.origin) for row in rows])
    print_answer(CommandAnswer(value, shown), as_json=as_json)


@master_app.command("new")
def new_master_key(as_json: JsonOption = False) -> None:
    """Print a fresh master key.

    Keep it safe: without it nobody can read what it locks, not even you.
    """
    from smartbrain.adapters.keys import new_master_key_text

    text = new_master_key_text()
    print_answer(CommandAnswer({"key": text}, f"{text}\n"), as_json=as_json)


@master_app.command("rotate")
def rotate_master_key(
    new_key_file: Annotated[Path, typer.Argument(help="File that holds the new master key.")],
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change the master key.

    Each encrypted tenant's own key is locked with the new master key; no data is rewritten. Run it
    again if it was interrupted or a tenant failed, then put the new key where the old one was.
    """
    from smartbrain.bootstrap.root import Root
    from smartbrain.bootstrap.sources import master_key_from
    from smartbrain.entrypoints.cli.each import errors_by_tenant, fail_with

    rotated, errors = Root(existing_root(root)).rotate_master_key(master_key_from(new_key_file))
    changed = sum(rotated.values())
    then = "keep the old key and run this again" if errors else "put the new one in its place"
    told = (
        f"{counted(changed, 'tenant')} locked with the new key,"
        f" {len(rotated) - changed} already were; {then}\n"
    )
    if not rotated and not errors:
        told = "no tenant is encrypted; there is nothing to rotate\n"
    value = {"rotated": rotated, "errors": errors_by_tenant(errors)}
    print_answer(CommandAnswer(value, told), as_json=as_json)
    fail_with(errors, told=as_json)


if __name__ == "__main__":
    main()
