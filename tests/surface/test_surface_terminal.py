"""How `memctl` looks: real processes in terminals and pipes, wide and narrow, in both scripts.

In: a pseudo-terminal of some width, a pipe, a closed pipe. Out: aligned lines that are never cut,
colours only where somebody sees them, help that names every command.
"""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest
from cli_runs import COMMAND, called, environment, filled_brain, spawned
from rich.cells import cell_len

from smartbrain import __version__

ESCAPE = "\x1b["


def in_terminal(*arguments: object, folder: Path, columns: int, **more: str) -> str:
    """Run memctl in a terminal of that width and return what it shows."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=folder,
        env=environment(folder, COLUMNS=str(columns), TERM="xterm", **more),
        stdin=follower,
        stdout=follower,
        stderr=follower,
    ) as process:
        os.close(follower)
        shown = bytearray()
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # how a terminal says that nobody writes any more
                break
            if not part:
                break
            shown += part
        process.wait(60)
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.spec("S2")
def test_help_version_and_unknown_commands(tmp_path: Path) -> None:
    """Help names every command; what is not understood ends with 2 and says where help is."""
    helped = spawned("--help", folder=tmp_path)
    assert (0, "") == (helped.code, helped.err)
    for name in ("init", "status", "tenants", "doctor", "migrate", "sweep", "config", "key"):
        assert f"\n  {name} " in helped.out
    assert (0, f"smartbrain {__version__}\n", "") == spawned("--version", folder=tmp_path)
    unknown = spawned("statsu", folder=tmp_path)
    assert (2, "") == (unknown.code, unknown.out)
    assert "No such command 'statsu'. Did you mean 'status'" in unknown.err
    assert "memctl --help" in unknown.err
    wrong = spawned("status", "--bogus", folder=tmp_path)
    assert (2, "") == (wrong.code, wrong.out)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.spec("S2")
def test_a_run_inside_this_process_is_like_one_of_its_own(tmp_path: Path) -> None:
    """The quick profile calls memctl where the full one starts it; both must say the same."""
    place = filled_brain(tmp_path / "b", "张三")
    for arguments in (["tenants"], ["doctor", "--json"], ["status", "--tenant", "x"]):
        run = [*arguments, "--root", place]
        assert spawned(*run, folder=tmp_path) == called(*run, folder=tmp_path)


@pytest.mark.spec("S2")
def test_columns_are_aligned_for_wide_characters(tmp_path: Path) -> None:
    """A Chinese character takes two places, so that all lines end in the same one; none is cut."""
    names = ["bob", "张三", "李四 and co", "a" * 30]
    place = filled_brain(tmp_path / "b", *names)
    lines = spawned("status", "--root", place, folder=tmp_path, COLUMNS="20").out.splitlines()[2:]
    assert ESCAPE not in "".join(lines)
    assert 5 == len(lines)
    assert 1 == len({cell_len(line) for line in lines})
    assert sorted(names) == [line[: line.index("  ")] for line in lines[1:]]
    assert [] == [line for line in lines if "…" in line or line != line.rstrip()]


@pytest.mark.spec("S2")
def test_colours_are_for_terminals(tmp_path: Path) -> None:
    """In a terminal the result is coloured, with NO_COLOR or in a pipe it is not."""
    place = filled_brain(tmp_path / "b", "default", turns=0)
    arguments = ("doctor", "--root", place)
    shown = in_terminal(*arguments, folder=tmp_path, columns=80)
    assert "\x1b[32m1 tenant checked: 0 errors, 0 warnings" in shown
    plain = in_terminal(*arguments, folder=tmp_path, columns=80, NO_COLOR="1")
    assert "\x1b[32m" not in plain
    piped = spawned(*arguments, folder=tmp_path)
    assert ESCAPE not in piped.out + piped.err


@pytest.mark.spec("S2")
def test_a_narrow_terminal_gets_one_value_a_line(tmp_path: Path) -> None:
    """Where the table does not fit it becomes blocks; nothing is cut or folded."""
    place = filled_brain(tmp_path / "b", "二组", turns=1)
    wide = in_terminal("status", "--root", place, folder=tmp_path, columns=100, NO_COLOR="1")
    assert ["二组", "1", "1", "1"] == wide.splitlines()[-1].split()[:4]
    narrow = in_terminal("status", "--root", place, folder=tmp_path, columns=40, NO_COLOR="1")
    blocks = narrow.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()[2:]
    assert ["二组", "  sessions    1", "  turns       1", "  memories    1"] == blocks[:4]
    assert "…" not in narrow


@pytest.mark.spec("S2")
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """`memctl config show | head -1` leaves no traceback."""
    with subprocess.Popen(
        [*COMMAND, "config", "show", "--root", tmp_path],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"" == process.stderr.read()


@pytest.mark.spec("S2")
def test_an_output_that_cannot_show_a_name_shows_its_escape(tmp_path: Path) -> None:
    """An ASCII terminal gets `\\u5f20\\u4e09`, not a traceback."""
    place = filled_brain(tmp_path / "b", "张三", turns=0)
    run = spawned("tenants", "--root", place, folder=tmp_path, PYTHONIOENCODING="ascii")
    assert (0, "\\u5f20\\u4e09\n", "") == run


def test_completion_is_printed_for_shells_and_for_programs(tmp_path: Path) -> None:
    """The script alone, or in JSON with the shell that it is for."""
    for shell in ("bash", "zsh", "fish"):
        script = called("completion", shell, folder=tmp_path).out
        assert "_MEMCTL_COMPLETE" in script
        told = called("completion", shell, "--json", folder=tmp_path).json
        assert {"shell": shell, "script": script} == told
    assert 2 == called("completion", "tcsh", "--json", folder=tmp_path).code
