"""Showing results: tables for people, JSON for programs.

In: records. Out: text on stdout. JSON is one document with stable names, the same as `to_dict()`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from smartbrain.domain.health import Finding, Severity
from smartbrain.domain.record import to_plain
from smartbrain.domain.status import HealthReport, PendingUpgrade, TenantStatus


def print_json(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(json.dumps(to_plain(value), ensure_ascii=False, indent=2) + "\n")


def console() -> Console:
    """Return a console that never guesses at what our text means."""
    return Console(markup=False, highlight=False, soft_wrap=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under a heading."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        grid.add_column(column, justify="right" if column.endswith(" #") else "left")
    for row in rows:
        grid.add_row(*row)
    console().print(grid)


def show_status(root: str, tenants: Sequence[TenantStatus]) -> None:
    """Print what each tenant holds."""
    console().print(f"Brain at {root}")
    table(
        ["tenant", "sessions #", "turns #", "memories #", "edges #", "raw chunks #", "size #", ""],
        [
            [
                status.tenant,
                *(f"{status.rows.get(name, 0):,}" for name in _SHOWN),
                size_text(status.database_bytes + status.raw_bytes),
                "encrypted" if status.encrypted else "",
            ]
            for status in tenants
        ],
    )


_SHOWN = ("sessions", "turns", "memories", "edges", "raw_chunks")


def show_health(report: HealthReport) -> None:
    """Print what the doctor found."""
    out = console()
    for finding in report.findings:
        _show_finding(out, finding)
    for tenant in report.tenants:
        out.print(f"{tenant.tenant}: {'ok' if not tenant.findings else ''}".rstrip())
        for finding in tenant.findings:
            _show_finding(out, finding)
    found = report.all()
    errors = sum(finding.severity is Severity.ERROR for finding in found)
    out.print(
        f"{len(report.tenants)} tenants checked: {errors} errors, {len(found) - errors} warnings",
        style="green" if report.healthy else "red",
    )


def _show_finding(out: Console, finding: Finding) -> None:
    """Print one finding with its subject and remedy."""
    style = "red" if finding.severity is Severity.ERROR else "yellow"
    out.print(f"  {finding.severity.value}: {finding.sentence} [{finding.code}]", style=style)
    if finding.subject:
        out.print(f"    in {finding.subject}")
    if finding.remedy:
        out.print(f"    {finding.remedy}")


def show_upgrades(upgrades: Sequence[PendingUpgrade]) -> None:
    """Print which migrations each tenant still needs."""
    table(
        ["tenant", "schema", "would run"],
        [
            [
                upgrade.tenant,
                f"{upgrade.version} of {upgrade.latest}",
                ", ".join(upgrade.steps) or "nothing",
            ]
            for upgrade in upgrades
        ],
    )


def show_settings(rows: Iterable[tuple[str, Any, str]]) -> None:
    """Print each setting with its value and where it came from."""
    table(
        ["setting", "value", "from"],
        [[name, _value(value), origin] for name, value, origin in rows],
    )


def size_text(size: float) -> str:
    """Return a number of bytes as people read it."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
        size /= 1024
    return ""


def _value(value: Any) -> str:
    """Return a setting's value on one line."""
    plain = to_plain(value)
    if isinstance(plain, Mapping | list):
        return json.dumps(plain, ensure_ascii=False)
    return "null" if plain is None else str(plain)
