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
def progress() -> Iterator[tuple[Progress, Callable[[str], Progressed]]]:
    """Yield a place for bars, and what begins one by its name; nothing is drawn unwatched."""
    hidden = not sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=hidden) as bars:

        def begin(name: str) -> Progressed:
            task = bars.add_task(escape(one_line(name)), total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield bars, begin


@contextmanager
def work_progress(name: str) -> Iterator[Progressed]:
    """Yield what to call with how much of one piece of work is done, and of how much."""
    with progress() as (_, begin):
        yield begin(name)
