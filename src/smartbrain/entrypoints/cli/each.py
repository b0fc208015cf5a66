"""Doing something to several tenants: one that cannot be opened does not hide the others.

In: a root, names, what to do to an open tenant. Out: results by name, and the errors of those that
failed, told on stderr at the end with the exit code of the first; how far long work is, on stderr
and only where somebody watches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.bootstrap.root import Root
from smartbrain.entrypoints.cli.lines import one_line
from smartbrain.entrypoints.wire.errors import exit_code
from smartbrain.errors import SmartBrainError

_Result = TypeVar("_Result")
Errors = Mapping[str, SmartBrainError]


def for_each_tenant(
    root: Root, names: Iterable[str], action: Callable[[OpenTenant], _Result]
) -> tuple[dict[str, _Result], dict[str, SmartBrainError]]:
    """Open each tenant in turn and do something to it."""
    results: dict[str, _Result] = {}
    errors: dict[str, SmartBrainError] = {}
    try:
        for name in names:
            try:
                with root.tenants.lease(name, create=False) as tenant:
                    results[name] = action(tenant)
            except SmartBrainError as error:
                errors[name] = error
    finally:
        root.tenants.close()
    return results, errors


def errors_by_tenant(errors: Errors) -> dict[str, dict[str, object]]:
    """Return the errors as programs read them."""
    return {name: error.to_dict() for name, error in errors.items()}


def fail_with(errors: Errors, *, told: bool) -> None:
    """End the command with the first error's exit code, if there is one; `told` if by JSON."""
    for name, error in errors.items():
        if not told:
            sys.stderr.write(one_line(f"memctl: {name}: {error.message} [{error.code}]") + "\n")
    for error in errors.values():
        raise typer.Exit(exit_code(error))


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
