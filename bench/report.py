"""What a benchmark hands back, and the table it is shown in.

In: results with what was measured and what it is held against. Out: a table on the console, or
plain data for a file. A result without a limit is there to be read and cannot fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Result:
    """One measured number beside the one it is held against; `passed` is None without a limit."""

    name: str
    measured: str
    against: str
    ratio: str = ""
    limit: str = ""
    passed: bool | None = None
    numbers: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Setting:
    """How large a run is, where it may write, and what it may keep.

    `keep` is a folder for what takes long to build, `rows` a file for single answers, `only` a
    pattern that names what is measured.
    """

    folder: Path
    full: bool = False
    profile: bool = False
    keep: Path | None = None
    rows: Path | None = None
    only: str = ""

    def pick(self, quick: int, full: int) -> int:
        """Return a size by how large the run is."""
        return full if self.full else quick


def show(results: Sequence[Result], console: Console) -> None:
    """Print results as a table."""
    table = Table(title="SmartBrain benchmarks", title_justify="left")
    table.add_column("what")
    table.add_column("measured")
    table.add_column("against")
    table.add_column("ratio", justify="right")
    table.add_column("limit", justify="right")
    table.add_column("")
    for result in results:
        verdict = {True: "[green]pass[/]", False: "[bold red]FAIL[/]", None: "[dim]info[/]"}
        table.add_row(
            result.name,
            result.measured,
            result.against,
            result.ratio,
            result.limit,
            verdict[result.passed],
        )
    console.print(table)
