"""Pages and tools as the documentation tests read them.

In: Markdown text, shell lines, the name of a tool. Out: blocks, which commands ran, a module.
Not a Markdown renderer: fences are all that is needed of it.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Set
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from unittest.mock import patch

from smartbrain.entrypoints.cli.main import main as memctl

ROOT = Path(__file__).resolve().parents[2]
SHELLS = frozenset({"bash", "console", "sh", "shell"})

_FENCE = re.compile(r"^\s*```(?P<info>.*)$")
_TARGET = re.compile(r"^([A-Za-z0-9][\w.-]*(?: +[\w.-]+)*) *:(?!=)", re.MULTILINE)
_SHELL = re.compile(r"^echo|[|<>;&]")
_LOCAL = re.compile(r"(?:memctl|echo) ")
_ENDLESS = re.compile(r"memctl (?:serve|proxy|mcp(?! install)|conformance)|--follow")
_SEPARATORS = frozenset({"|", "||", "&&", "&", ";", ">", ">>", "<"})


class Fence(NamedTuple):
    """One fenced block: the line its body starts at, the words after the backticks, the body."""

    line: int
    info: tuple[str, ...]
    body: str


@dataclass(frozen=True)
class Command:
    """A command of a command line: which options take a value, and its subcommands by name."""

    valued: Set[str] = frozenset()
    commands: Mapping[str, Command] = field(default_factory=dict)


def pages() -> list[str]:
    """Return the pages whose examples are held to run, relative to the root."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [path.relative_to(ROOT).as_posix() for path in found if path.exists()]


def fences(text: str) -> Iterator[Fence]:
    """Yield the fenced blocks of a page."""
    start = 0
    info: tuple[str, ...] | None = None
    body: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        fence = _FENCE.match(line)
        if fence and info is None:
            start, info, body = number + 1, tuple(fence["info"].split()), []
        elif fence and info is not None:
            yield Fence(start, info, "\n".join(body) + "\n")
            info = None
        else:
            body.append(line)


def follow_page(page: str, text: str) -> list[str]:
    """Do what a page says, block by block: its Python in one namespace, its commands in a shell.

    Returns the commands that ran. One that does not end by itself, or needs more than this
    repository, is left out.
    """
    namespace: dict[str, object] = {"__name__": "__main__"}
    ran = []
    for line, info, body in fences(text):
        if info[:1] == ("python",):
            # Blank lines before the body make a traceback show the line of the page.
            exec(compile("\n" * (line - 1) + body, page, "exec"), namespace)
        elif not SHELLS.isdisjoint(info[:1]):
            for row in re.sub(r"\\\n", " ", body).splitlines():
                if _LOCAL.match(row) and not _ENDLESS.search(row):
                    code, said = _run_in_shell(row) if _SHELL.search(row) else _run_here(row)
                    assert 0 == code, f"{page}:{line}: {row}\n{said}"
                    ran.append(row)
    return ran


def _run_here(row: str) -> tuple[object, str]:
    """Run one call of memctl inside this process, which saves the time that a process takes."""
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    words, code = shlex.split(re.sub(r"\s# .*", "", row)), None
    with patch.object(sys, "argv", words), redirect_stdout(said), redirect_stderr(said):
        try:
            memctl()
        except SystemExit as end:
            code = end.code
    said.flush()
    return code or 0, said.buffer.getvalue().decode()


def _run_in_shell(row: str) -> tuple[object, str]:
    done = subprocess.run(["sh", "-c", row], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def memctl_on_path(folder: Path) -> str:
    """Put `memctl` into a folder, and return the search path with that folder first."""
    command = folder / "memctl"
    path = os.pathsep.join(one for one in sys.path if one)
    call = f'PYTHONPATH="{path}" exec "{sys.executable}" -m smartbrain.entrypoints.cli.main "$@"'
    command.write_text(f"#!/bin/sh\n{call}\n", encoding="utf-8")
    command.chmod(0o755)
    return os.pathsep.join([str(folder), os.environ["PATH"]])


def shell_calls(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, words) of each `memctl` and `make` call in the page's shell blocks."""
    for line, info, body in fences(text):
        if not SHELLS.isdisjoint(info[:1]):
            joined = re.sub(r"\\\n", "  ", body)
            for offset, row in enumerate(joined.splitlines()):
                for words in _segments(row.removeprefix("$ ")):
                    if words[:1] in (["memctl"], ["make"]):
                        yield line + offset, words


def make_targets(makefile: str) -> set[str]:
    """Return the names that a Makefile can make."""
    return {name for names in _TARGET.findall(makefile) for name in names.split()}


def unknown_targets(words: list[str], targets: Set[str]) -> list[str]:
    """Return what a `make` call asks for that the Makefile does not have."""
    asked = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return [name for name in asked if name not in targets]


def unknown_command(words: list[str], command: Command) -> str | None:
    """Return the first word of a call that should name a subcommand and does not."""
    rest = list(words[1:])
    while command.commands and rest:
        word = rest.pop(0)
        if word.startswith("-"):
            if word in command.valued:
                rest = rest[1:]
        elif word in command.commands:
            command = command.commands[word]
        else:
            return word
    return None


def load_tool(name: str) -> ModuleType:
    """Import a script of tools/ under a name that clashes with no package."""
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _segments(row: str) -> Iterator[list[str]]:
    """Split a shell line at pipes, conjunctions and redirections."""
    lexer = shlex.shlex(row, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if word in _SEPARATORS:
                yield words
                words = []
            else:
                words.append(word)
    except ValueError:
        # Output of a program, not a call: an apostrophe is an open quote to a shell.
        return
    yield words
