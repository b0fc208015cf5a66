"""Groups of commands: sections and examples in their help, and what is built when asked for.

In: `commands.toml`, which holds what is said of commands beside their own sentences. Out: groups
for typer. `memctl --help` names a group without building what is in it, so that it stays quick.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import cache
from importlib.resources import files
from io import StringIO
from typing import Annotated, Any, Final

import typer
from typer.completion import get_completion_inspect_parameters, shell_complete
from typer.core import TyperGroup
from typer.main import get_group

from smartbrain.entrypoints.cli.options import CommandAnswer, JsonOption, print_answer
from smartbrain.errors import UsageError

_MORE: Final = "More"
_PROGRAM: Final = "memctl"
_COMPLETES: Final = "_MEMCTL_COMPLETE"
"""The variable by which a shell asks for completions."""
_SHELLS: Final = ("bash", "zsh", "fish")


@cache
def command_words() -> dict[str, Any]:
    """Return what is said of commands: their sections, examples, and names of arguments."""
    return tomllib.loads(files(__package__).joinpath("commands.toml").read_text(encoding="utf-8"))


def examples_of(command_path: str) -> list[str]:
    """Return the example calls of a command such as `memctl pin add`."""
    found: list[str] = command_words()["examples"].get(command_path, [])
    return found


class Group(TyperGroup):
    """A group whose help has sections, and whose commands have examples in theirs."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, those of one purpose together."""
        waiting = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        titles = command_words()["sections"].get(ctx.command_path, {})
        for title, names in [*titles.items(), (_MORE if titles else "Commands", [*waiting])]:
            rows = list(_rows([name for name in names if name in waiting], waiting, formatter))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find a command, and put its examples below its help."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and {"--help"} & {*rest}:
            examples = examples_of(f"{ctx.command_path} {name}")
            if examples:
                command.epilog = "\b\n" + "\n".join(
                    ["Examples:", *(f"  {one}" for one in examples)]
                )
        return name, command, rest


def _rows(names: list[str], waiting: dict[str, Any], formatter: Any) -> Iterator[tuple[str, str]]:
    """Yield each command with its first sentence, and take it from those that wait."""
    width = formatter.width - 6 - max(map(len, names), default=0)
    for name in names:
        yield name, waiting.pop(name).get_short_help_str(width)


class LazyGroup(Group):
    """A group whose commands are built at the first look at them."""

    def __init__(self, *, build: Callable[[], typer.Typer], **given: Any) -> None:
        self._build = build
        super().__init__(**given)
        del self.commands  # so that the first look at them comes to `__getattr__`

    def __getattr__(self, attribute: str) -> Any:
        if attribute != "commands":
            raise AttributeError(attribute)
        self.commands = get_group(self._build()).commands
        return self.commands


def lazy_group(name: str, meaning: str, build: Callable[[], typer.Typer]) -> typer.Typer:
    """Return a group that stands for another until its commands are asked for."""

    class Later(LazyGroup):
        def __init__(self, **given: Any) -> None:
            super().__init__(build=build, **given)

    return typer.Typer(name=name, cls=Later, help=meaning, no_args_is_help=True)


def completion(
    context: typer.Context,
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")],
    as_json: JsonOption = False,
) -> None:
    """Print a script that lets a shell complete the words of memctl.

    Put `eval "$(memctl completion bash)"` into ~/.bashrc, the same with zsh into ~/.zshrc, or
    `memctl completion fish | source` into ~/.config/fish/config.fish.
    """
    if shell not in _SHELLS:
        raise UsageError(f"there is no completion for {shell!r:.40}; give {' or '.join(_SHELLS)}")
    get_completion_inspect_parameters()  # which has typer know the shells
    program = context.find_root().command
    with redirect_stdout(StringIO()) as printed:
        shell_complete(program, {}, _PROGRAM, _COMPLETES, f"source_{shell}")
    script = printed.getvalue().lstrip()
    answer = CommandAnswer({"shell": shell, "script": script}, script)
    print_answer(answer, as_json=as_json)


def prepare_completion() -> None:
    """Have completions answered if a shell asks for them."""
    if _COMPLETES in os.environ:
        get_completion_inspect_parameters()  # which has typer know the shells
