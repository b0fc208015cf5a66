"""`memctl replay` and `memctl reread`: all events run again, or turns read anew by the reader.

In: tenants, and where a new brain is to be made. Out: what was made, what differs, and how many
claims came and went.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smartbrain.entrypoints.cli.lines import counted
from smartbrain.entrypoints.cli.options import each_tenant
from smartbrain.entrypoints.wire.errors import EXIT_UNHEALTHY
from smartbrain.errors import SmartBrainError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Root
    from smartbrain.domain.replay import RebuiltReport, ReplayReport, RereadReport


@each_tenant
def replay(
    root: Root,
    tenants: Sequence[str],
    check: Annotated[
        bool, typer.Option("--check", help="Run them in memory, and compare.")
    ] = False,
    into: Annotated[
        Path | None, typer.Option(help="Make a new brain of them in this folder.")
    ] = None,
    *,
    as_json: bool,
) -> None:
    """Run all events again, and compare, or make a new brain of them.

    With `--check` they are run in memory: under the same rules they give the same memories and
    edges, with the same ids. With `--into` they make a new brain of the present format, with the
    same configuration, keys and original files, from one of any format. The brain itself is not
    changed. The exit code is 1 when something differs or cannot be run again.
    """
    from smartbrain.bootstrap.replaying import check_replay
    from smartbrain.entrypoints.cli.each import for_each_tenant, print_results, work_progress

    if check == (into is not None):
        raise UsageError(
            "say what to do with them: `memctl replay --check` compares, `--into NEW` makes a new"
            " brain"
        )
    if into is not None:
        _rebuild(root, into, tenants, as_json=as_json)
        return

    def check_one(one: OpenTenant) -> ReplayReport:
        with work_progress(one.name) as on_progress:
            return check_replay(one, root.terms(one.name).rules, on_progress)

    reports, errors = for_each_tenant(root, tenants, check_one)
    identical = all(report.identical for report in reports.values())
    fields = {"identical": identical and not errors}
    print_results(reports, errors, _describe_check, as_json=as_json, fields=fields)
    if not identical:
        raise typer.Exit(EXIT_UNHEALTHY)


def _rebuild(old: Root, into: Path, tenants: Sequence[str], *, as_json: bool) -> None:
    from smartbrain.bootstrap.replaying import new_brain, rebuild_tenant
    from smartbrain.entrypoints.cli.each import print_results, work_progress

    new = new_brain(into, old)
    reports: dict[str, RebuiltReport] = {}
    errors: dict[str, SmartBrainError] = {}
    try:
        for name in tenants:
            with work_progress(name) as on_progress:
                try:
                    reports[name] = rebuild_tenant(name, old, new, on_progress)
                except SmartBrainError as error:
                    errors[name] = error
    finally:
        new.close()
    fields = {"into": str(into)}
    print_results(reports, errors, partial(_describe_rebuilt, into), as_json=as_json, fields=fields)
    if any(report.failed for report in reports.values()):
        raise typer.Exit(EXIT_UNHEALTHY)


def _describe_rebuilt(into: Path, name: str, report: RebuiltReport) -> list[str]:
    made = f"{counted(report.claims, 'claim')}, memories: {report.memories:,}"
    copied = counted(report.raw_files, "original file")
    lines = [f"{name}: {_ran(report)} run again into {into}; {made}; {copied} copied"]
    if report.lost_files:
        lines.append(f"  {counted(report.lost_files, 'original file')} lost")
    return lines + _not_run(report)


def _describe_check(name: str, report: ReplayReport) -> list[str]:
    made = f"memories: {report.memories:,}, {counted(report.edges, 'edge')}"
    found = "identical" if report.identical else f"{counted(report.differing, 'difference')}"
    lines = [f"{name}: {_ran(report)} run again; {made}; {found}"]
    if report.other_rules:
        lines.append(
            f"  {counted(report.other_rules, 'event')} had run under other rules;"
            " only under the same ones is the outcome the same"
        )
    lines += _not_run(report)
    lines += [f"  {one.kind} {one.id}: {one.what}" for one in report.differences]
    return lines + _more(report.differing - len(report.differences), "that differ")


def _ran(report: ReplayReport | RebuiltReport) -> str:
    return f"{counted(report.steps, 'commit')} and {counted(report.operations, 'operation')}"


def _not_run(report: ReplayReport | RebuiltReport) -> list[str]:
    lines = [f"  not run: {one.kind} {one.id}: {one.reason}" for one in report.not_run]
    return lines + _more(report.failed - len(report.not_run), "that could not be run")


def _more(number: int, what: str) -> list[str]:
    return [f"  … and {number:,} more {what}"] if number else []


@each_tenant
def reread(
    root: Root,
    tenants: Sequence[str],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count and name examples; write nothing.")
    ] = False,
    *,
    as_json: bool,
) -> None:
    """Read all stored turns again with the present reader.

    A new version of SmartBrain reads new turns only. This puts the claims that it reads in stored
    turns in the place of those that an older version had read, and folds their memories again. What
    a language model has read, what was proposed and what was done by hand stays. A run that was cut
    off is gone on with by the next one.
    """
    from smartbrain.entrypoints.cli.each import for_each_tenant, print_results, work_progress

    def reread_one(one: OpenTenant) -> RereadReport:
        writing = root.terms(one.name).writing
        with work_progress(one.name) as on_progress:
            return writing.reread(dry_run=dry_run, on_progress=on_progress, ports=one.ports)

    reports, errors = for_each_tenant(root, tenants, reread_one)
    fields = {"dry_run": dry_run}
    print_results(reports, errors, _describe_reread, as_json=as_json, fields=fields)


def _describe_reread(name: str, report: RereadReport) -> list[str]:
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
    return lines + _more(report.changed - len(report.examples), "turns")
