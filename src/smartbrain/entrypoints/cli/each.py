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
from smartbrain.entrypoints.cli.lines import one_line, print_json, print_lines
from smartbrain.entrypoints.wire.errors import exit_code
from smartbrain.errors import SmartBrainError

_Result = TypeVar("_Result")
Progressed = Callable[[int, int | None], None]
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


def print_results(
    found: Mapping[str, _Result],
    errors: Errors,
    told: Callable[[str, _Result], Iterable[str]],
    *,
    as_json: bool,
    fields: Mapping[str, object] | None = None,
) -> None:
    """Print what was done to each tenant, and end with the first error if there is one.

    `told` gives the lines for people; `fields` is what else a program is told, first.
    """
    if as_json:
        print_json({**(fields or {}), "tenants": found, "errors": errors_by_tenant(errors)})
    elif found or not errors:
        lines = [line for name, one in found.items() for line in told(name, one)]
        print_lines(lines if found else ["no tenants yet"])
    fail_with(errors, told=as_json)


@contextmanager
def _bars() -> Iterator[Progress]:
    """Yield a place for bars of progress; nothing is drawn where nobody watches."""
    hidden = not sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=hidden) as bars:
        yield bars


def _counter(bars: Progress, name: str) -> Progressed:
    task = bars.add_task(escape(one_line(name)), total=None)
    return lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def file_progress() -> Iterator[Callable[[str], Progressed]]:
    """Yield what to call when a tenant's files begin to be read."""
    with _bars() as bars:
        yield lambda name: _counter(bars, f"{name}: raw files")


@contextmanager
def work_progress(name: str) -> Iterator[Progressed]:
    """Yield what to call with how much of one piece of work is done, and of how much."""
    with _bars() as bars:
        yield _counter(bars, name)


@contextmanager
def view_progress() -> Iterator[Callable[[str], Callable[[str, int], None]]]:
    """Yield what to call when a tenant's views begin to be built."""
    with _bars() as bars:

        def on_tenant(name: str) -> Callable[[str, int], None]:
            task = bars.add_task(name, total=None)
            return lambda view, rows: bars.update(
                task, description=f"{name}: {view}, {rows:,} rows"
            )

        yield on_tenant
