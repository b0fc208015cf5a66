"""`memctl replay`: run all events again, to compare or to make a new brain of them.

In: a brain's tenants. Out: counts, what differs and what could not be run, as lines or JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smartbrain.entrypoints.cli.lines import counted, one_line
from smartbrain.entrypoints.cli.options import (
    JsonOption,
    RootOption,
    chosen_tenants,
    existing_root,
)
from smartbrain.entrypoints.wire.errors import EXIT_UNHEALTHY
from smartbrain.errors import SmartBrainError, UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.replay import RebuiltReport, ReplayReport


def replay(
    check: Annotated[
        bool, typer.Option("--check", help="Run them in memory, and compare.")
    ] = False,
    into: Annotated[
        Path | None, typer.Option(help="Make a new brain of them in this folder.")
    ] = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run all events again, and compare, or make a new brain of them.

    With `--check` they are run in memory: under the same rules they give the same memories and
    edges, with the same ids. With `--into` they make a new brain of the present format, with the
    same configuration, keys and original files, from one of any format. The brain itself is not
    changed. The exit code is 1 when something differs or cannot be run again.
    """
    from smartbrain.bootstrap.replaying import check_replay
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.each import errors_by_tenant, fail_with, for_each_tenant
    from smartbrain.entrypoints.cli.progress import work_progress
    from smartbrain.entrypoints.cli.show import print_json

    if check == (into is not None):
        raise UsageError(
            "say what to do with them: `memctl replay --check` compares, `--into NEW` makes a new"
            " brain"
        )
    place = existing_root(root)
    if into is not None:
        _rebuild(place, into, tenant, as_json=as_json)
        return
    opened = Root(place)

    def check_one(one: OpenTenant) -> ReplayReport:
        with work_progress(one.name, shown=not as_json) as on_progress:
            return check_replay(one, opened.terms(one.name).rules, on_progress)

    reports, errors = for_each_tenant(opened, chosen_tenants(place, tenant), check_one)
    identical = all(report.identical for report in reports.values())
    if as_json:
        told = errors_by_tenant(errors)
        print_json({"identical": identical and not errors, "tenants": reports, "errors": told})
    else:
        for name, report in reports.items():
            _show(name, report)
        if not reports and not errors:
            sys.stdout.write("no tenants yet\n")
    fail_with(errors, told=as_json)
    if not identical:
        raise typer.Exit(EXIT_UNHEALTHY)


def _rebuild(place: Path, into: Path, tenant: str | None, *, as_json: bool) -> None:
    """Make a new brain of the events of tenants."""
    from smartbrain.bootstrap.replaying import new_brain, rebuild_tenant
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.each import errors_by_tenant, fail_with
    from smartbrain.entrypoints.cli.progress import work_progress
    from smartbrain.entrypoints.cli.show import print_json

    old, names = Root(place), chosen_tenants(place, tenant)
    new = new_brain(into, old)
    reports: dict[str, RebuiltReport] = {}
    errors: dict[str, SmartBrainError] = {}
    try:
        for name in names:
            with work_progress(name, shown=not as_json) as on_progress:
                try:
                    reports[name] = rebuild_tenant(name, old, new, on_progress)
                except SmartBrainError as error:
                    errors[name] = error
    finally:
        new.close()
    if as_json:
        told = errors_by_tenant(errors)
        print_json({"into": str(into), "tenants": reports, "errors": told})
    else:
        for name, report in reports.items():
            _show_rebuilt(name, report, into)
    fail_with(errors, told=as_json)
    if any(report.failed for report in reports.values()):
        raise typer.Exit(EXIT_UNHEALTHY)


def _show_rebuilt(name: str, report: RebuiltReport, into: Path) -> None:
    """Print what was made of one tenant."""
    ran = f"{counted(report.steps, 'commit')} and {counted(report.operations, 'operation')}"
    made = f"{counted(report.claims, 'claim')}, memories: {report.memories:,}"
    copied = counted(report.raw_files, "original file")
    lines = [f"{name}: {ran} run again into {into}; {made}; {copied} copied"]
    if report.lost_files:
        lines.append(f"  {counted(report.lost_files, 'original file')} lost")
    lines += [f"  not run: {one.kind} {one.id}: {one.reason}" for one in report.not_run]
    lines += _more(report.failed - len(report.not_run), "that could not be run")
    sys.stdout.write("".join(f"{one_line(line)}\n" for line in lines))


def _show(name: str, report: ReplayReport) -> None:
    """Print what was found about one tenant."""
    ran = f"{counted(report.steps, 'commit')} and {counted(report.operations, 'operation')}"
    made = f"memories: {report.memories:,}, {counted(report.edges, 'edge')}"
    found = "identical" if report.identical else f"{counted(report.differing, 'difference')}"
    lines = [f"{name}: {ran} run again; {made}; {found}"]
    if report.other_rules:
        lines.append(
            f"  {counted(report.other_rules, 'event')} had run under other rules;"
            " only under the same ones is the outcome the same"
        )
    lines += [f"  not run: {one.kind} {one.id}: {one.reason}" for one in report.not_run]
    lines += _more(report.failed - len(report.not_run), "that could not be run")
    lines += [f"  {one.kind} {one.id}: {one.what}" for one in report.differences]
    lines += _more(report.differing - len(report.differences), "that differ")
    sys.stdout.write("".join(f"{one_line(line)}\n" for line in lines))


def _more(number: int, what: str) -> list[str]:
    """Say how many are not named, if any."""
    return [f"  … and {number:,} more {what}"] if number else []
