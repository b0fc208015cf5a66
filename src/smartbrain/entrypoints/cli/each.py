"""Doing something to several tenants: one that cannot be opened does not hide the others.

In: a root, names, what to do to an open tenant. Out: results by name, and the errors of those that
failed, told on stderr at the end with the exit code of the first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import typer

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
