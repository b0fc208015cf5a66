"""docs/cli.md is what `memctl` is: fresh, and with every command, option and exit code in it.

In: the commands as typer knows them, the page as it lies there. Out: what the page lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docs_pages import ROOT, load_tool
from typer.main import get_command

from smartbrain.entrypoints.cli.main import app
from smartbrain.entrypoints.wire.errors import EXIT_CODES, EXIT_UNHEALTHY
from smartbrain.errors import CODES


def commands(command: Any, name: str = "memctl") -> Iterator[tuple[str, Any]]:
    """Yield each command that does something, with its full name."""
    children = getattr(command, "commands", {})
    if not children:
        yield name, command
    for word, child in children.items():
        yield from commands(child, f"{name} {word}")


def section(name: str) -> str:
    """Return what the page says about one command."""
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    return page.partition(f"### `{name}`\n")[2].partition("\n### ")[0]


@pytest.mark.spec("S2")
def test_the_page_of_the_command_line_is_fresh() -> None:
    """Running the generator would change nothing."""
    assert 0 == load_tool("cli_docs").main(["--check"])


@pytest.mark.spec("S2")
def test_every_command_and_option_is_documented() -> None:
    """Each has its section, and in it each argument with a sentence."""
    lacking = []
    for name, command in commands(get_command(app)):
        text = section(name)
        lacking += [name] if command.help.splitlines()[0] not in text else []
        for parameter in command.params:
            spelled = (
                parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.name.upper()
            )
            rows = [
                line for line in text.splitlines() if line.startswith("| `") and spelled in line
            ]
            if not rows or not parameter.help or parameter.help not in rows[0]:
                lacking.append(f"{name} {spelled}")
    assert [] == lacking


@pytest.mark.spec("S2")
def test_every_exit_code_is_documented() -> None:
    """On the page of commands by meaning, on the page of errors by code."""
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for code in (0, EXIT_UNHEALTHY, *EXIT_CODES.values()):
        assert f"\n| {code} | " in page
    rows = (ROOT / "docs/errors.md").read_text(encoding="utf-8").splitlines()
    for code, (owner, _) in CODES.items():
        (row,) = [line for line in rows if line.startswith(f"| `{code}` |")]
        assert row.endswith(f" | {EXIT_CODES[owner]} |")


def test_a_stale_page_of_commands_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The check names the command, writes nothing, and passes after a run."""
    tool = load_tool("cli_docs")
    (tmp_path / "docs").mkdir()
    assert 1 == tool.main(["--check"], tmp_path)
    assert "docs/cli.md is stale; run: python tools/cli_docs.py\n" == capsys.readouterr().err
    assert not (tmp_path / "docs/cli.md").exists()
    assert 0 == tool.main([], tmp_path)
    assert 0 == tool.main(["--check"], tmp_path)
