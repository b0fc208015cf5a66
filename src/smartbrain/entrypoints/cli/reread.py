"""`memctl reread`: read all stored turns again with the present reader.

In: a brain's tenants. Out: how many claims came and went, with examples, as lines or JSON.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from smartbrain.entrypoints.cli.lines import counted, one_line
from smartbrain.entrypoints.cli.options import (
    JsonOption,
    RootOption,
    chosen_tenants,
    existing_root,
)

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.reread import RereadReport


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
    from smartbrain.entrypoints.cli.each import errors_by_tenant, fail_with, for_each_tenant
    from smartbrain.entrypoints.cli.progress import work_progress
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
            _show(name, report)
        if not reports and not errors:
            sys.stdout.write("no tenants yet\n")
    fail_with(errors, told=as_json)


def _show(name: str, report: RereadReport) -> None:
    """Print what came and went of one tenant's claims."""
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
