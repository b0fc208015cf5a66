"""Commands made of verbs, and those about single statements: what they print and how they end.

In: brains on disk. Out: tables or fields for people, the JSON of the wire for programs.
"""

from __future__ import annotations

import resource
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli_runs import COMMAND, environment, memctl, spawned
from typer.main import get_command

from smartbrain import SmartBrain
from smartbrain.entrypoints.agents.clients import EVENTS
from smartbrain.entrypoints.cli.groups import command_words
from smartbrain.entrypoints.cli.main import app

KEY = "fact:staging:port"


def _commands(command: Any, path: str = "memctl") -> dict[str, Any]:
    """Return every command and group below one, by its path."""
    found = {}
    for name, child in getattr(command, "commands", {}).items():
        found |= {f"{path} {name}": child, **_commands(child, f"{path} {name}")}
    return found


def _with_port(folder: Path) -> Path:
    for call in (("--add", "8080"), ("--add", "8443", "--conflicts", "8080")):
        run = memctl("fact", *call, "staging", "port", folder=folder)
        assert 0 == run.code, run
    return folder / ".smartbrain"


@pytest.mark.spec("S2")
def test_a_memory_is_listed_shown_corrected_and_taken_back(tmp_path: Path) -> None:
    """The verbs of `brain.memories`, with the fields of a value as `name=value` or JSON."""
    place = _with_port(tmp_path)
    assert KEY in memctl("memories", "list", "--type", "facts", folder=tmp_path).out
    shown = memctl("memories", "show", KEY, folder=tmp_path)
    assert (0, True) == (shown.code, "8443" in shown.out)
    for value in ("value=9000", '{"value": 9001}'):
        run = memctl("memories", "correct", KEY, value, "--reason", "it moved", folder=tmp_path)
        assert (0, True) == (run.code, "written" in run.out), run
    history = memctl("memories", "history", KEY, "--json", folder=tmp_path).json
    assert ["8080", "8443", 9000, 9001] == [one["value"]["value"] for one in history]
    assert 0 == memctl("memories", "retract", KEY, folder=tmp_path).code
    with SmartBrain.open(place) as brain:
        assert [] == list(brain.memories.list(type="facts"))
        expected = [one.to_dict() for one in brain.memories.history(KEY)]
    assert expected == memctl("memories", "history", KEY, "--json", folder=tmp_path).json
    gone = memctl("memories", "show", KEY, "--json", folder=tmp_path)
    assert (3, "not_found") == (gone.code, gone.json["error"]["code"])
    refused = memctl("memories", "correct", KEY, "9000", folder=tmp_path)
    assert (2, True) == (refused.code, "'9000' is no field; write such as" in refused.err)


@pytest.mark.spec("S2", "M4")
def test_a_fact_that_contradicts_another_one_is_not_written(tmp_path: Path) -> None:
    """`--conflicts` names the value that stands, its id or its key."""
    _with_port(tmp_path)
    other = memctl("fact", "--add", "1", "staging", "port", "--conflicts", "8080", folder=tmp_path)
    assert (4, f"memctl: {KEY} is '8443', not '8080' [conflict]\n") == (other.code, other.err)
    nothing = memctl("fact", "--add", "1", "a", "b", "--conflicts", "2", folder=tmp_path)
    assert 3 == nothing.code
    named = memctl("fact", "--add", "1", "staging", "port", "--conflicts", KEY, folder=tmp_path)
    assert 0 == named.code
    audit = memctl("audit", "--fact", KEY, "--history", "--json", folder=tmp_path).json
    assert [KEY, "active"] == [audit["key"], audit["versions"][-1]["status"]]
    first = audit["versions"][0]["id"]
    assert "8080" in memctl("audit", "--fact", first, folder=tmp_path).out
    assert 2 == memctl("fact", "--add", "1", folder=tmp_path).code
    assert 3 == memctl("audit", "--fact", "fact:no:where", folder=tmp_path).code


@pytest.mark.spec("S2")
def test_what_is_remembered_is_recalled_by_bare_words(tmp_path: Path) -> None:
    """Neither needs quotation marks; a question is given once, as words or by --q."""
    run = memctl("remember", "I", "am", "allergic", "to", "peanuts", folder=tmp_path)
    assert (0, True) == (run.code, "written profile:user" in run.out)
    for asked in (("What", "am", "I", "allergic", "to?"), ("--q", "What am I allergic to?")):
        assert "peanuts" in memctl("recall", *asked, folder=tmp_path).out
    for asked in ((), ("x", "--q", "y")):
        assert 2 == memctl("recall", *asked, folder=tmp_path).code
    sessions = memctl("sessions", "list", folder=tmp_path).out
    assert "remember" in sessions
    turns = memctl("sessions", "turns", "--session", "remember", folder=tmp_path).out
    assert "user: I am allergic to peanuts" in turns
    assert (0, "done\n") == memctl("sessions", "end", "--session", "remember", folder=tmp_path)[:2]
    found = memctl("recall", "allergic", "--json", folder=tmp_path).json["items"]
    liked = memctl("feedback", found[0]["id"], "upvote", folder=tmp_path)
    assert (0, True) == (liked.code, found[0]["id"] in liked.out)


@pytest.mark.spec("S2", "C7")
def test_a_recall_says_what_was_ingested_and_cannot_be_found_yet(tmp_path: Path) -> None:
    """Until `memctl r2g` has run a document is not found, and the answer says so."""
    (tmp_path / "notes.md").write_text("蓝牙驱动的版本是 1.2。\n", encoding="utf-8")
    assert 0 == memctl("ingest", "--raw", "notes.md", folder=tmp_path).code
    before = memctl("recall", "蓝牙驱动", folder=tmp_path).out
    assert "note: 1 ingested chunk cannot be found before `memctl r2g` has made a graph" in before
    assert 0 == memctl("r2g", folder=tmp_path).code
    assert "版本是 1.2" in memctl("recall", "蓝牙驱动", folder=tmp_path).out


@pytest.mark.spec("S2")
def test_a_run_is_started_shown_and_ended(tmp_path: Path) -> None:
    """Slots are fields, steps are repeated; results are the JSON of the wire."""
    started = memctl(
        *("runs", "start", "--session", "s", "--goal", "ship", "--slots", "port=8080"),
        *("--plan", "build", "--plan", "test", "--json"),
        folder=tmp_path,
    )
    shown = memctl("runs", "show", started.json, "--json", folder=tmp_path).json
    memory = shown["working_memory"]
    assert ("ship", {"port": 8080}) == (memory["goal"], memory["slots"])
    assert ["build", "test"] == [one["text"] for one in memory["plan"]]
    assert started.json in memctl("runs", "list", folder=tmp_path).out
    assert 0 == memctl("runs", "end", started.json, folder=tmp_path).code
    assert "nothing here" in memctl("work", "list", folder=tmp_path).out


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    "command", [("memories", "show", "x"), ("audit", "--fact", "x"), ("metrics",)]
)
def test_a_reading_command_makes_no_brain(tmp_path: Path, command: tuple[str, ...]) -> None:
    """It says that there is none, and in a brain without tenants that nothing is stored."""
    run = memctl(*command, folder=tmp_path)
    assert (2, True, []) == (run.code, "there is no brain here" in run.err, [*tmp_path.iterdir()])
    assert 0 == memctl("init", folder=tmp_path).code
    run = memctl(*command, folder=tmp_path)
    assert (3, True) == (run.code, "nothing is stored yet" in run.err)
    assert (0, "nothing here\n", "") == memctl("memories", "list", folder=tmp_path)


@pytest.mark.spec("J9", "S2")
def test_jobs_are_listed_and_a_dry_run_does_nothing(tmp_path: Path) -> None:
    """`memctl job` says which there are; a job that is not built yet is none to run."""
    assert ["embed", "extract"] == [*memctl("job", "--json", folder=tmp_path).json["jobs"]]
    assert 0 == memctl("remember", "x", folder=tmp_path).code
    report = memctl("job", "--run", "extract", "--dry-run", "--json", folder=tmp_path).json
    assert ("dry_run", 0) == (report["code"], report["read"])
    unknown = memctl("job", "--run", "embde", folder=tmp_path)
    assert (2, True) == (unknown.code, "embed" in unknown.err)


@pytest.mark.spec("S2")
def test_help_is_in_sections_and_has_examples(tmp_path: Path) -> None:
    """What commands.toml names is there, and every example is a call of a command that is."""
    words, known = command_words(), _commands(get_command(app))
    named = [name for names in words["sections"]["memctl"].values() for name in names]
    assert len(named) == len({*named})
    assert [] == [name for name in named if f"memctl {name}" not in known]
    assert [] == [path for path in words["examples"] if path not in known]
    top = memctl("--help", folder=tmp_path).out
    assert all(f"\n{title}:\n" in top for title in words["sections"]["memctl"])
    assert "Exit codes: 0 done, 1 unhealthy" in top
    assert "Examples:\n    memctl fact --add 8080" in memctl("fact", "--help", folder=tmp_path).out
    assert "Examples:" in memctl("pin", "add", "--help", folder=tmp_path).out


@pytest.mark.spec("S2")
def test_every_command_with_arguments_of_its_own_has_an_example_that_can_be_called() -> None:
    """An example is one call; where a shell does more than that, it is left to the shell."""
    shared, known = {"root", "tenant", "as_json"}, _commands(get_command(app))
    lacking, wrong = [], []
    for path, command in known.items():
        own = [one.name for one in command.params if one.name not in shared]
        examples = command_words()["examples"].get(path, [])
        is_one_call = not hasattr(command, "commands") and not path.endswith(EVENTS)
        lacking += [path] if own and is_one_call and not examples else []
        for example in examples:
            words = shlex.split(example.partition(" && ")[0])
            if words[0] != "memctl":
                continue
            try:
                command.make_context(path, words[len(path.split()) :])
            except Exception as error:
                wrong.append(f"{example}: {error}")
    assert ([], []) == (lacking, wrong)


@pytest.mark.spec("S2")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_completes(tmp_path: Path, shell: str) -> None:
    """The script names the program, and what it asks for is answered."""
    assert "memctl" in memctl("completion", shell, folder=tmp_path).out
    more = {"COMP_WORDS": "memctl memo", "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "memctl memo"}
    answer = spawned(folder=tmp_path, _MEMCTL_COMPLETE=f"complete_{shell}", **more, **_ASKS)
    assert "memories" in answer.out, answer
    assert 2 == memctl("completion", "tcsh", folder=tmp_path).code


_ASKS = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}


@pytest.mark.spec("S2")
def test_help_takes_less_than_a_quarter_of_a_second(tmp_path: Path) -> None:
    """Of work: how long that takes is up to who else is at work. The best of some runs counts."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [*COMMAND, "--help"], env=environment(tmp_path), check=True, stdout=subprocess.DEVNULL
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.25


@pytest.mark.spec("S2")
def test_people_are_not_told_of_what_every_turn_leaves(tmp_path: Path) -> None:
    """The episode is in the JSON alone; what was refused is told to both."""
    run = memctl("remember", "I like tea.", folder=tmp_path)
    assert (False, True) == ("episode:" in run.out, "written pref:" in run.out), run
    told = memctl("remember", "What time is it?", "--json", folder=tmp_path).json
    assert ["written", "refused"] == [one["action"] for one in told["explain"]["retention"]]
    assert "refused: " in memctl("remember", "What day is it?", folder=tmp_path).out


@pytest.mark.spec("S2", "J7")
def test_a_restore_with_an_empty_list_of_receipts_warns_of_nothing(tmp_path: Path) -> None:
    """Whoever hands over the receipts has thought of them, also where there are none."""
    assert 0 == memctl("remember", "x", folder=tmp_path).code
    assert 0 == memctl("export", "b.smartbrain", folder=tmp_path).code
    receipts = memctl("forget", "--receipts", "--json", folder=tmp_path).out
    (tmp_path / "r.json").write_text(receipts, encoding="utf-8")
    given = ("--receipts", "r.json", "--root", "one")
    assert "" == memctl("restore", "b.smartbrain", *given, folder=tmp_path).err
    assert "receipts" in memctl("restore", "b.smartbrain", "--root", "two", folder=tmp_path).err
