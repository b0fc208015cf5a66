"""Examples of the README and the docs: they run in the order in which a reader follows them.

In: the fenced blocks of each page. Out: a traceback at the line of the page, or the unknown word.
A page that speaks to a model is given one that answers from this machine, behind the proxy where it
is about that.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import pytest
from docs_pages import (
    ROOT,
    Command,
    fences,
    follow_page,
    make_targets,
    memctl_on_path,
    pages,
    shell_calls,
    unknown_command,
    unknown_targets,
)
from model_answers import ANSWER, answering, served_here

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.entrypoints.proxy.app import make_proxy
from smartbrain.entrypoints.rest.keys import ApiKeys

CLI = "smartbrain.entrypoints.cli.main"
REFERENCE = "docs/cli.md"  # its examples are of one command each, and not in order
SERVERS = ("docs/grpc.md",)  # whose only commands run until they are stopped


def fresh_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to an empty folder that is the home as well, with `memctl` on the search path."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "work").mkdir()
    # A busy machine may take longer than the two seconds that a search of an output has.
    brain = tmp_path / "work" / "my-brain"
    brain.mkdir()
    (brain / "brain.yml").write_text("artifacts.grep_seconds: 60\n", encoding="utf-8")
    monkeypatch.setenv("PATH", memctl_on_path(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path / "work"))
    monkeypatch.delenv("SMARTBRAIN_ROOT", raising=False)


@pytest.mark.parametrize("page", [page for page in pages() if page != REFERENCE])
def test_a_page_can_be_followed(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Python and its commands work one after the other, in a folder and a home of their own."""
    fresh_folder(tmp_path, monkeypatch)
    text = (ROOT / page).read_text(encoding="utf-8")
    with answering() as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        ran = follow_page(page, text)
    assert bool(ran) == ("\nmemctl " in text and page not in SERVERS)


def test_the_clients_of_the_proxys_page_get_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the proxy, by the two variables that the page sets, with nothing else changed."""
    page = "docs/proxy.md"
    fresh_folder(tmp_path, monkeypatch)
    with answering() as variables:
        upstream = variables["ANTHROPIC_BASE_URL"]
        root = Root(tmp_path / "served")
        app = make_proxy(root, ApiKeys(root.path, root.clock), upstream)
        with served_here(app) as address:
            proxied = {name: value.replace(upstream, address) for name, value in variables.items()}
            for name, value in proxied.items():
                monkeypatch.setenv(name, value)
            follow_page(page, (ROOT / page).read_text(encoding="utf-8"))
    with SmartBrain.open(tmp_path / "served") as brain:
        first, second = brain.sessions.turns("desk")
    assert ["My sister lives in Turin.", ANSWER] == [one.content for one in first.messages]
    assert ["Where does my sister live?", ANSWER] == [one.content for one in second.messages]


@pytest.mark.parametrize("page", pages())
def test_the_commands_of_a_page_exist(page: str) -> None:
    """Every `make` target and `memctl` command that a page shows can be called."""
    makefile = ROOT / "Makefile"
    targets = make_targets(makefile.read_text(encoding="utf-8")) if makefile.exists() else set()
    memctl = _memctl()
    unknown = []
    for line, words in shell_calls((ROOT / page).read_text(encoding="utf-8")):
        if words[0] == "make":
            unknown += [f"{page}:{line}: make {name}" for name in unknown_targets(words, targets)]
        elif word := unknown_command(words, memctl):
            unknown.append(f"{page}:{line}: memctl {word}")
    assert unknown == [], "\n" + "\n".join(unknown)


def _memctl() -> Command:
    """Return the tree of memctl's commands, empty while the package has no command line."""
    if not (ROOT / "src" / CLI.replace(".", "/")).with_suffix(".py").exists():
        return Command()
    typer = importlib.import_module("typer.main")
    return _tree(typer.get_command(importlib.import_module(CLI).app))


def _tree(command: Any) -> Command:
    valued = {
        option
        for parameter in command.params
        if not getattr(parameter, "is_flag", False)
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("-")
    }
    children = getattr(command, "commands", {})
    return Command(valued, {name: _tree(child) for name, child in children.items()})


def test_blocks_of_a_page_share_a_namespace() -> None:
    """A later block sees an earlier one; other languages are not executed."""
    text = "```python\nx = 1\n```\n```text\nx = 3\n```\n```python\nassert x == 1\n```\n"
    assert [] == follow_page("a.md", text)


def test_a_failing_command_shows_its_line() -> None:
    """Commands run in order; one that fails ends the page, one that serves is left out."""
    text = "```sh\necho one\nmemctl serve\necho two && exit 3\n```\n"
    with pytest.raises(AssertionError, match=r"a.md:2: echo two"):
        follow_page("a.md", text)
    assert ["echo one"] == follow_page("a.md", text.replace("echo two && exit 3", "make it"))


def test_no_example_is_only_shown() -> None:
    """No block says more than its language, so that none is left out."""
    more = [
        f"{page}:{fence.line}"
        for page in pages()
        for fence in fences((ROOT / page).read_text(encoding="utf-8"))
        if len(fence.info) > 1
    ]
    assert [] == more


def test_a_failing_example_shows_the_line_of_its_page() -> None:
    """The traceback names the page and the line, so that the example is found at once."""
    text = "# Title\n\n```python\nx = 1\nx / 0\n```\n"
    with pytest.raises(ZeroDivisionError) as caught:
        follow_page("a.md", text)
    last = caught.traceback[-1]
    assert (Path(last.path).name, last.lineno + 1) == ("a.md", 5)


def test_fences_are_read_with_their_info_and_place() -> None:
    """Indented fences count, and the words after the backticks are kept apart."""
    text = "a\n  ```python more\n  x\n  ```\n```bash\nmake\n```\n"
    assert [tuple(fence) for fence in fences(text)] == [
        (3, ("python", "more"), "  x\n"),
        (6, ("bash",), "make\n"),
    ]


def test_shell_calls_are_found_behind_prompts_pipes_and_continuations() -> None:
    """Only memctl and make are read, in shell blocks only."""
    text = (
        "```console\n$ make test V=1 && memctl stats | grep x\nit's output\n"
        "$ memctl \\\n  pins add\n```\n```python\nmake = 1\n```\n"
    )
    assert list(shell_calls(text)) == [
        (2, ["make", "test", "V=1"]),
        (2, ["memctl", "stats"]),
        (4, ["memctl", "pins", "add"]),
    ]


def test_an_unknown_make_target_is_found() -> None:
    """Variables and flags are no targets; assignments in a Makefile are not either."""
    targets = make_targets("X := 1\nY = a:b\n.PHONY: all\ntest bench: venv\n\tpytest\n")
    assert {"test", "bench"} == targets
    assert unknown_targets(["make", "-j2", "V=1", "test", "demo"], targets) == ["demo"]


@pytest.mark.parametrize(
    ("call", "unknown"),
    [
        ("memctl", None),
        ("memctl --root here --json pins add x y", None),
        ("memctl pins drop", "drop"),
        ("memctl --json nothing", "nothing"),
        ("memctl pins --help", None),
    ],
)
def test_an_unknown_memctl_command_is_found(call: str, unknown: str | None) -> None:
    """Global options and their values are stepped over; arguments of a command are free."""
    tree = Command(frozenset({"--root"}), {"pins": Command(commands={"add": Command()})})
    assert unknown == unknown_command(call.split(), tree)
