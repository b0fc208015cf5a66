"""Progress of long work, on stderr and only where somebody watches.

In: how far a job is. Out: one moving line a tenant; nothing when output goes to a program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from smartbrain.entrypoints.cli.lines import one_line

OnTenant = Callable[[str], Callable[[int, int], None]]


@contextmanager
def file_progress(*, shown: bool) -> Iterator[OnTenant]:
    """Yield what to call when a tenant's files begin to be read."""
    console = Console(stderr=True)
    with Progress(
        console=console, transient=True, disable=not (shown and sys.stderr.isatty())
    ) as progress:

        def on_tenant(name: str) -> Callable[[int, int], None]:
            task = progress.add_task(f"{name}: raw files", total=None)
            return lambda done, total: progress.update(task, completed=done, total=total)

        yield on_tenant


@contextmanager
def work_progress(name: str, *, shown: bool) -> Iterator[Callable[[int, int | None], None]]:
    """Yield what to call with how much of one piece of work is done, and of how much."""
    console = Console(stderr=True)
    with Progress(
        console=console, transient=True, disable=not (shown and sys.stderr.isatty())
    ) as progress:
        task = progress.add_task(escape(one_line(name)), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def view_progress(*, shown: bool) -> Iterator[Callable[[str], Callable[[str, int], None]]]:
    """Yield what to call when a tenant's views begin to be built."""
    console = Console(stderr=True)
    with Progress(
        console=console, transient=True, disable=not (shown and sys.stderr.isatty())
    ) as progress:

        def on_tenant(name: str) -> Callable[[str, int], None]:
            task = progress.add_task(name, total=None)
            return lambda view, rows: progress.update(
                task, description=f"{name}: {view}, {rows:,} rows"
            )

        yield on_tenant
