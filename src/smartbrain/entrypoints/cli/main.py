"""`memctl`: the commands, and what an error looks like to somebody at a prompt.

In: arguments. Out: tables or JSON on stdout, one line on stderr where something is wrong, and an
exit code that tells what kind of wrong. Commands import what they need when they run, so that
`memctl --help` is quick.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from smartbrain.entrypoints.cli.root import find_root, new_root
from smartbrain.entrypoints.wire.errors import EXIT_UNHEALTHY, exit_code
from smartbrain.errors import SmartBrainError, UsageError

app = typer.Typer(
    name="memctl",
    help="Look after a SmartBrain: the memory of LLM agents on this machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
config_app = typer.Typer(help="Look at the configuration.", no_args_is_help=True)
key_app = typer.Typer(help="Make and change the master key.", no_args_is_help=True)
app.add_typer(config_app, name="config")
app.add_typer(key_app, name="key")

RootOption = Annotated[
    Path | None, typer.Option("--root", help="The brain's folder.", show_default=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
_GRACE_SECONDS = 3600.0


def main() -> None:
    """Run memctl; an error of ours is one line and an exit code."""
    try:
        app()
    except SmartBrainError as error:
        if "--json" in sys.argv:
            from smartbrain.entrypoints.cli.show import print_json

            print_json({"error": error.to_dict()})
        else:
            sys.stderr.write(f"memctl: {error.message} [{error.code}]\n")
        raise SystemExit(exit_code(error)) from None


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Look after a SmartBrain: the memory of LLM agents on this machine."""
    if version:
        from smartbrain import __version__

        sys.stdout.write(f"smartbrain {__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")
        raise typer.Exit


@app.command()
def init(
    path: Annotated[
        Path | None, typer.Argument(help="Where; `.smartbrain` in this folder by default.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a brain: its folder, a commented brain.yml and the default tenant."""
    from smartbrain import SmartBrain
    from smartbrain.bootstrap.sources import write_template
    from smartbrain.entrypoints.cli.show import console, print_json

    place = new_root(path or root).expanduser().absolute()
    with SmartBrain.open(place) as brain:
        created = write_template(place)
        status = brain.status()
    if as_json:
        print_json({"root": str(place), "config_written": created, "tenants": [status]})
        return
    console().print(f"Brain at {place}")
    console().print(
        f"{place / 'brain.yml'} {'written; edit it to change a default' if created else 'kept'}"
    )


@app.command()
def status(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what each tenant holds."""
    from smartbrain import SmartBrain
    from smartbrain.entrypoints.cli.show import print_json, show_status

    place = _existing(root)
    names = _chosen(place, tenant)
    found = []
    if names:
        with SmartBrain.open(place, tenant=names[0]) as brain:
            found = [brain.tenant(name).status() for name in names]
    if as_json:
        print_json({"root": str(place), "tenants": found})
    else:
        show_status(str(place), found)


@app.command()
def tenants(root: RootOption = None, as_json: JsonOption = False) -> None:
    """List the tenants."""
    from smartbrain import SmartBrain
    from smartbrain.entrypoints.cli.show import print_json

    names = SmartBrain.tenants(_existing(root))
    if as_json:
        print_json({"tenants": names})
    else:
        sys.stdout.write("".join(f"{name}\n" for name in names))


@app.command()
def doctor(root: RootOption = None, as_json: JsonOption = False) -> None:
    """Check that everything stored is there, whole and consistent; exit code 1 if not."""
    from smartbrain.bootstrap.health import examine_root
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.progress import file_progress
    from smartbrain.entrypoints.cli.show import print_json, show_health

    place = _existing(root)
    with file_progress(shown=not as_json) as on_tenant:
        report = examine_root(Root(place), on_tenant)
    if as_json:
        print_json({"healthy": report.healthy, **report.to_dict()})
    else:
        show_health(report)
    if not report.healthy:
        raise typer.Exit(EXIT_UNHEALTHY)


@app.command()
def migrate(
    apply: Annotated[bool, typer.Option("--apply", help="Run them now.")] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which schema migrations each tenant needs; opening a tenant runs them."""
    from smartbrain.bootstrap.health import pending_upgrades
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.show import console, print_json, show_upgrades

    opened = Root(_existing(root))
    upgrades = pending_upgrades(opened)
    waiting = [upgrade for upgrade in upgrades if upgrade.steps]
    if apply:
        for upgrade in waiting:
            opened.open_tenant(upgrade.tenant).ports.truth.close()
    if as_json:
        print_json({"applied": apply, "tenants": upgrades})
        return
    show_upgrades(upgrades)
    if waiting:
        console().print("done" if apply else "`memctl migrate --apply` runs them now")


@app.command()
def sweep(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove raw files that belong to no turn and are older than an hour."""
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.show import print_json, size_text
    from smartbrain.jobs.sweep import sweep as run_sweep

    place = _existing(root)
    opened = Root(place)
    reports = {}
    for name in _chosen(place, tenant):
        with opened.tenants.lease(name) as leased:
            reports[name] = run_sweep(
                ports=leased.ports, older_than=time.time() - _GRACE_SECONDS, dry_run=dry_run
            )
    opened.tenants.close()
    if as_json:
        print_json({"tenants": reports})
        return
    for name, report in reports.items():
        verb = "would remove" if dry_run else "removed"
        sys.stdout.write(f"{name}: {verb} {report.files} files ({size_text(report.bytes)})\n")


@config_app.command("show")
def config_show(root: RootOption = None, as_json: JsonOption = False) -> None:
    """Print every setting with its value and where it came from."""
    from smartbrain.bootstrap.sources import load_settings
    from smartbrain.entrypoints.cli.show import print_json, show_settings
    from smartbrain.settings import explain

    rows = explain(load_settings(find_root(root).expanduser().absolute()))
    if as_json:
        print_json(
            {
                row.name: {"value": row.value, "from": row.origin, "help": row.meaning}
                for row in rows
            }
        )
    else:
        show_settings((row.name, row.value, row.origin) for row in rows)


@key_app.command("new")
def key_new() -> None:
    """Print a fresh master key; keep it safe, without it an encrypted tenant is lost."""
    from smartbrain.adapters.keys import new_master_key_text

    sys.stdout.write(new_master_key_text() + "\n")


@key_app.command("rotate")
def key_rotate(
    new_key_file: Annotated[Path, typer.Argument(help="File that holds the new master key.")],
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lock every tenant's key with a new master key; no data is rewritten."""
    from smartbrain.bootstrap.root import Root
    from smartbrain.bootstrap.sources import master_key_from
    from smartbrain.entrypoints.cli.show import print_json

    rotated = Root(_existing(root)).rotate_master_key(master_key_from(new_key_file))
    if as_json:
        print_json({"rotated": rotated})
        return
    changed = sum(rotated.values())
    sys.stdout.write(
        f"{changed} tenants locked with the new key, {len(rotated) - changed} were already;"
        " now put the new key where the old one was\n"
    )


def _existing(root: Path | None) -> Path:
    """Return the root that a command is about, which must be there."""
    place = find_root(root).expanduser().absolute()
    if not (place / "tenants").is_dir():
        raise UsageError(
            f"{place}: there is no brain here; `memctl init` makes one, `--root` names another",
            code="not_a_brain",
        )
    return place


def _chosen(place: Path, tenant: str | None) -> list[str]:
    """Return the tenants that a command is about."""
    from smartbrain import SmartBrain

    names = SmartBrain.tenants(place)
    if tenant is None:
        return names
    if tenant not in names:
        raise UsageError(f"there is no tenant {tenant!r}; `memctl tenants` lists them")
    return [tenant]
