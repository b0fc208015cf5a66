"""`memctl replay` and `memctl reread`: all events run again, or turns read anew by the reader.

In: tenants, and where a new brain is to be made. Out: what was made, what differs, and how many
claims came and went.
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
    from smartbrain.domain.replay import RebuiltReport, ReplayReport, RereadReport


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
    from smartbrain.entrypoints.cli.each import (
        errors_by_tenant,
        fail_with,
        for_each_tenant,
        work_progress,
    )
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
    from smartbrain.bootstrap.replaying import new_brain, rebuild_tenant
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.each import errors_by_tenant, fail_with, work_progress
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
    return [f"  … and {number:,} more {what}"] if number else []


def reread(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count and name examples; write nothing.")
    ] = False,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read all stored turns again with the present reader.

    A new version of SmartBrain reads new turns only. This puts the claims that it reads in stored
    turns in the place of those that an older version had read, and folds their memories again. What
    a language model has read, what was proposed and what was done by hand stays. A run that was cut
    off is gone on with by the next one.
    """
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.each import (
        errors_by_tenant,
        fail_with,
        for_each_tenant,
        work_progress,
    )
    from smartbrain.entrypoints.cli.show import print_json

    place = existing_root(root)
    opened = Root(place)

    def reread_one(one: OpenTenant) -> RereadReport:
        writing = opened.terms(one.name).writing
        with work_progress(one.name, shown=not as_json) as on_progress:
            return writing.reread(dry_run=dry_run, on_progress=on_progress, ports=one.ports)

    reports, errors = for_each_tenant(opened, chosen_tenants(place, tenant), reread_one)
    if as_json:
        told = errors_by_tenant(errors)
        print_json({"dry_run": dry_run, "tenants": reports, "errors": told})
    else:
        for name, report in reports.items():
            _show_reread(name, report)
        if not reports and not errors:
            sys.stdout.write("no tenants yet\n")
    fail_with(errors, told=as_json)


def _show_reread(name: str, report: RereadReport) -> None:
    would = "would change" if report.dry_run else "changed"
    lines = [
        f"{name}: {counted(report.turns, 'turn')} read again by {report.reader};"
        f" {report.changed:,} {would}: {report.gone:,} claims gone, {report.new:,} new"
    ]
    if report.left_to_model:
        left = counted(report.left_to_model, "turn")
        lines.append(f"  {left} left as a language model has read them")
    for turn in report.examples:
        lines.append(f"  turn {turn.turn_id} of session {turn.session_id}")
        lines += [f"    - {one}" for one in turn.gone]
        lines += [f"    + {one}" for one in turn.new]
    if len(report.examples) < report.changed:
        lines.append(f"  … and {report.changed - len(report.examples):,} more turns")
    sys.stdout.write("".join(f"{one_line(line)}\n" for line in lines))
