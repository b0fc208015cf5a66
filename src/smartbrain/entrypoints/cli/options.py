"""Options that many commands share, and the brain and tenants that they name.

In: what was typed. Out: paths and names that are there, or an error that says what to do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smartbrain.bootstrap.folders import TENANTS
from smartbrain.entrypoints.cli.root import find_root
from smartbrain.errors import NotFound, UsageError

RootOption = Annotated[
    Path | None, typer.Option("--root", help="The brain's folder; found if left out.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
TenantOption = Annotated[str, typer.Option("--tenant", help="Whose memory.")]


def existing_root(root: Path | None) -> Path:
    """Return the root that a command is about, which must be there."""
    from smartbrain.bootstrap.sources import read_root

    place = read_root(find_root(root))
    if not (place / TENANTS).is_dir():
        raise UsageError(
            f"{place}: there is no brain here; `memctl init` makes one, `--root` names another",
            code="not_a_brain",
        )
    return place


def chosen_tenants(place: Path, tenant: str | None) -> list[str]:
    """Return the tenants that a command is about."""
    from smartbrain import SmartBrain

    names = SmartBrain.tenants(place)
    if tenant is None:
        return names
    if tenant not in names:
        raise NotFound(f"there is no tenant {tenant!r}; `memctl tenants` lists them")
    return [tenant]
