"""Groups of commands that are put together when one of them is wanted.

In: a group. Out: one of the same name and help that is cheap to make. Reading the options of every
command takes longer than most commands do, and `memctl --help` needs none of them.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group


def later(name: str, group: typer.Typer) -> typer.Typer:
    """Return a group that stands for another until its commands are asked for."""

    class Later(TyperGroup):
        """The group as the command line knows it."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            del self.commands  # so that the first look at them comes to `__getattr__`

        def __getattr__(self, attribute: str) -> Any:
            if attribute != "commands":
                raise AttributeError(attribute)
            self.commands = get_group(group).commands
            return self.commands

    return typer.Typer(name=name, cls=Later, help=group.info.help, no_args_is_help=True)
