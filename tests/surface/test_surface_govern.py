"""`memctl pin`, `plan`, `note`, `artifact`, `fastmemo` and `state`, at a prompt and in a program.

In: brains in the working folder, texts in Chinese and English. Out: tables for people, JSON with
names that stay, and one line with an exit code where something is wrong.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from cli_runs import Run, called, memctl

from smartbrain import SmartBrain

PIN = [
    *("id", "type", "title", "summary", "source", "artifact_ref", "state", "actor", "session_id"),
    *("created_at", "renewed_at", "session_mark", "days", "sessions"),
]
CHANGE = ["number", "at", "actor", "action", "reason", "before", "after"]
NOTE = ["id", "at", "text", "source", "milestone", "folded"]
ARTIFACT = [
    *("id", "tool_name", "status", "exit_code", "bytes", "summary", "args", "owner"),
    *("session_id", "turn_id", "created_at", "lines", "text", "shown", "more"),
]
SECTIONS = ["self", "user", "environment", "history", "dynamic"]
OUTPUT = "编译 start\n\tFAILED tests/test_pay.py::test_refund \x1b[31mred\n1 failed in 0.2s\n"


def brain_with_a_run(tmp_path: Path, **config: Any) -> str:
    """Make a brain in which a tool has run, and return the id of the run."""
    place = tmp_path / ".smartbrain"
    with SmartBrain.open(place, config=config or None) as brain:
        return brain.artifacts.add("pytest", stdout=OUTPUT, exit_code=1, session_id="s").id


def fresh(tmp_path: Path) -> None:
    """Make a brain in which nothing is stored; without a brain.yml, which takes time to read."""
    (tmp_path / ".smartbrain/tenants").mkdir(parents=True)


def done(tmp_path: Path, *arguments: object) -> str:
    """Return what a command that goes well shows to people."""
    run = memctl(*arguments, folder=tmp_path)
    assert (0, "") == (run.code, run.err), run
    return run.out


def told(tmp_path: Path, *arguments: object) -> Any:
    """Return what a command that goes well tells a program."""
    return json.loads(done(tmp_path, *arguments, "--json"))


def failed(run: Run, code: int, *pieces: str) -> None:
    """Check that a run ended with one line on stderr, which says these things."""
    assert (code, "", 1) == (run.code, run.out, run.err.count("\n")), run
    for piece in pieces:
        assert piece in run.err


@pytest.mark.spec("S2", "W5")
@pytest.mark.parametrize(
    ("title", "summary", "changed"),
    [("部署日", "只在周五部署", "周四也可以"), ("deploy day", "Fridays only", "Thursdays too")],
)
def test_a_pin_is_added_shown_changed_and_taken_off(
    tmp_path: Path, title: str, summary: str, changed: str
) -> None:
    """Each command shows what is pinned then, to people and to programs."""
    run = brain_with_a_run(tmp_path)
    source = f"tool:{run}"
    added = done(tmp_path, "pin", "add", "constraint", title, summary, "--source", source)
    assert f"pinned as 1: {title}\n" == added
    (pin,) = told(tmp_path, "pin", "list")["pins"]
    assert PIN == list(pin)
    assert (title, summary, source, "active", 7, 30) == (
        *(pin["title"], pin["summary"], pin["source"]),
        *(pin["state"], pin["days"], pin["sessions"]),
    )
    head, row = done(tmp_path, "pin", "list").splitlines()
    assert ["id", "type", "title", "summary", "source", "until"] == head.split()
    assert row.startswith("1   constraint  ")
    for piece in (title, summary, source, "30 sessions"):
        assert piece in row
    assert changed in done(tmp_path, "pin", "update", "1", "--summary", changed, "--ttl", "14d")
    (pin,) = told(tmp_path, "pin", "renew", "1", "--ttl", "3 sessions")["pins"]
    assert (changed, None, 3) == (pin["summary"], pin["days"], pin["sessions"])
    assert [pin["id"]] == [one["id"] for one in told(tmp_path, "pin", "remove", "#1")["pins"]]
    assert ("no pins\n", {"pins": []}) == (
        done(tmp_path, "pin", "list"),
        told(tmp_path, "pin", "list"),
    )


@pytest.mark.spec("S2", "W5")
def test_the_board_is_brought_back_to_a_change(tmp_path: Path) -> None:
    """The history numbers the changes; a number or a time is what a rollback takes."""
    source = f"tool:{brain_with_a_run(tmp_path)}"
    for title in ("甲", "B"):
        done(tmp_path, "pin", "add", "path", title, "/etc/app.toml", "--source", source)
    done(tmp_path, "pin", "remove", "1", "2")
    changes = told(tmp_path, "pin", "history")["changes"]
    assert [3, 2, 1] == [one["number"] for one in changes]
    assert CHANGE == list(changes[0])
    assert 1 == len(told(tmp_path, "pin", "history", "--limit", "1")["changes"])
    head, newest, *_ = done(tmp_path, "pin", "history").splitlines()
    assert ["change", "at", "who", "what", "entries", "why"] == head.split()
    assert ["user", "pins.remove", "2", "→", "0"] == newest.split()[3:]
    back = told(tmp_path, "pin", "rollback", "1")["pins"]
    assert ["甲"] == [one["title"] for one in back]
    back = told(tmp_path, "pin", "rollback", changes[1]["at"])["pins"]
    assert ["甲", "B"] == [one["title"] for one in back]


@pytest.mark.spec("S2", "W5")
def test_a_proposed_pin_waits_to_be_accepted(tmp_path: Path) -> None:
    """What an agent pins is marked, and `memctl pin accept` lets it be shown."""
    source = f"tool:{brain_with_a_run(tmp_path)}"
    config = tmp_path / ".smartbrain" / "brain.yml"
    config.write_text("pins:\n  require_acceptance: true\n", encoding="utf-8")
    fact = ("code", "签名", "def f(x: int) -> str", "--source", source)
    assert "`memctl pin accept` lets it be shown" in done(
        tmp_path, "pin", "add", *fact, "--actor", "agent"
    )
    assert done(tmp_path, "pin", "list").rstrip().endswith("proposed")
    assert ["active"] == [one["state"] for one in told(tmp_path, "pin", "accept", "1")["pins"]]


@pytest.mark.spec("S2", "W4")
@pytest.mark.parametrize("text", ["写发布说明", "write the release notes"])
def test_a_plan_is_kept_at_a_prompt(tmp_path: Path, text: str) -> None:
    """Steps are added to a fresh brain, checked, opened again, removed and brought back."""
    fresh(tmp_path)
    assert "the plan is empty\n" == done(tmp_path, "plan", "list", "--session", "s")
    place = ("--session", "s")
    (step,) = told(tmp_path, "plan", "add", *place, text, "--done-when", "merged")["steps"]
    assert {"id": "1", "text": text, "done": False, "done_when": "merged"} == step
    assert "1   x     " in done(tmp_path, "plan", "check", *place, "1")
    (step,) = told(tmp_path, "plan", "check", *place, "1", "--undo")["steps"]
    assert step["done"] is False
    done(tmp_path, "plan", "add", *place, "第二步 second")
    head, first, second = done(tmp_path, "plan", "list", *place).splitlines()
    assert "id  done  step" == head[:14]
    assert (text in first, "第二步 second" in second) == (True, True)
    assert 2 == len(told(tmp_path, "plan", "remove", *place, "1", "2")["steps"])
    assert 5 == told(tmp_path, "plan", "history", *place)["changes"][0]["number"]
    assert "plan.remove" in done(tmp_path, "plan", "history", *place)
    assert [text] == [one["text"] for one in told(tmp_path, "plan", "rollback", *place, 1)["steps"]]
    assert [] == told(tmp_path, "plan", "list", "--session", "other")["steps"]


@pytest.mark.spec("S2", "W4")
@pytest.mark.parametrize("text", ["等评审，因为改了接口", "waiting for the review"])
def test_notes_are_written_and_folded(tmp_path: Path, text: str) -> None:
    """Older ones become one line, what is marked stays, and a rollback undoes it."""
    fresh(tmp_path)
    place = ("--session", "s")
    assert "no notes\n" == done(tmp_path, "note", "list", *place)
    (note,) = told(tmp_path, "note", "add", *place, text, "--milestone")["notes"]
    assert NOTE == list(note)
    assert (text, True) == (note["text"], note["milestone"])
    with SmartBrain.open(tmp_path / ".smartbrain") as brain:
        for number in range(12):
            brain.notebook.add("s", f"step {number}")
    folded = told(tmp_path, "note", "compact", *place)["notes"]
    assert (text, 12) == (folded[1]["text"], len(folded))
    assert text in done(tmp_path, "note", "list", *place)
    assert "notebook.compact" in done(tmp_path, "note", "history", *place)
    number = told(tmp_path, "note", "history", *place, "--limit", 1)["changes"][0]["number"]
    assert 13 == len(told(tmp_path, "note", "rollback", *place, number - 1)["notes"])


@pytest.mark.spec("S2", "W6")
def test_output_is_read_part_by_part(tmp_path: Path) -> None:
    """Runs are listed, their lines shown and searched; escape codes do nothing to a terminal."""
    run = brain_with_a_run(tmp_path)
    page = told(tmp_path, "artifact", "list", "--session", "s")
    assert (["items", "cursor"], ARTIFACT) == (list(page), list(page["items"][0]))
    _, row = done(tmp_path, "artifact", "list").splitlines()
    assert row.startswith(run)
    assert "exit code 1" in row
    shown = done(tmp_path, "artifact", "get", f"tool:{run}", "--range", "1-2")
    assert shown.endswith(
        "--- lines 1-2 of 3 ---\n编译 start\n        FAILED tests/test_pay.py::test_refund"
        " \\x1b[31mred\ngo on with range='3-3'\n"
    )
    assert OUTPUT == told(tmp_path, "artifact", "get", run)["text"]
    grep = ("artifact", "grep", run)
    assert "3: 1 failed in 0.2s\n" == done(tmp_path, *grep, r"\d failed")
    assert "no line matches\n" == done(tmp_path, *grep, "没有")
    found = told(tmp_path, *grep, "failed", "--ignore-case", "--limit", "1", "--context", "1")
    assert (1, [1, 2, 3]) == (found["matches"], [line["number"] for line in found["lines"]])
    assert ["id", "pattern", "matches", "lines", "more"] == list(found)
    assert [3] == [
        line["number"]
        for line in told(tmp_path, *grep, "failed", "--ignore-case", "--after", "2")["lines"]
    ]


@pytest.mark.spec("S2", "W6")
def test_runs_are_paged(tmp_path: Path) -> None:
    """A page says how to go on, and the last one does not."""
    with SmartBrain.open(tmp_path / ".smartbrain") as brain:
        ids = [brain.artifacts.add("导出", stdout=f"{n}\n").id for n in range(3)]
    first = told(tmp_path, "artifact", "list", "--limit", "2")
    shown = done(tmp_path, "artifact", "list", "--limit", "2")
    assert shown.endswith(f"there are more; go on with --cursor {first['cursor']}\n")
    rest = told(tmp_path, "artifact", "list", "--cursor", first["cursor"])
    assert ids[::-1] == [one["id"] for one in (*first["items"], *rest["items"])]
    assert rest["cursor"] is None


@pytest.mark.spec("S2", "W6")
@pytest.mark.parametrize("text", ["导出 3 行\n失败\n", "3 rows exported\nfailed\n"])
def test_a_run_is_stored_from_a_file_or_a_pipe(tmp_path: Path, text: str) -> None:
    """All that is known of it goes with it, and it can be a step of a turn."""
    fresh(tmp_path)
    output = tmp_path / "输出.txt"
    output.write_text(text, encoding="utf-8")
    more = ("--exit-code", "3", "--args", '{"表": 1}', "--session", "s", "--stderr", output)
    first = told(tmp_path, "artifact", "add", "export", output, *more)
    assert (3, "error", {"表": 1}, "s") == (
        *(first["exit_code"], first["status"], first["args"], first["session_id"]),
    )
    assert 2 * len(text.encode()) == first["bytes"]
    with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()))):
        arguments = ("artifact", "add", "管道", "-", "--session", "s", "--turn", first["turn_id"])
        piped = called(*arguments, folder=tmp_path)
    assert (0, "") == (piped.code, piped.err)
    assert text in piped.out
    assert 2 == len(told(tmp_path, "artifact", "list", "--turn", first["turn_id"])["items"])


@pytest.mark.spec("S2", "W6")
def test_lines_of_a_file_are_shown_from_allowed_folders(tmp_path: Path) -> None:
    """Of no tenant, so none is made for it."""
    fresh(tmp_path)
    place = tmp_path / ".smartbrain"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/说明.md").write_text("第一行\nsecond\nthird\n", encoding="utf-8")
    roots = f"artifacts:\n  file_roots: [{tmp_path / 'docs'}]\n"
    (place / "brain.yml").write_text(roots, encoding="utf-8")
    snippet = ("artifact", "snippet", "说明.md", "--start", "2", "--len", "1")
    head, line, more = done(tmp_path, *snippet).splitlines()
    assert head.endswith("说明.md, lines 2-2 of 3")
    assert ("second", "go on with start=3") == (line, more)
    assert ["end", "lines", "text", "more", "shown"] == list(told(tmp_path, *snippet))[2:]
    assert [] == list((place / "tenants").iterdir())
    failed(memctl("artifact", "snippet", "/etc/hosts", folder=tmp_path), 2, "there is no file")


@pytest.mark.spec("S2", "W7")
def test_the_surface_memory_goes_to_a_file_and_back(tmp_path: Path) -> None:
    """Lines in both languages, under the names of sections in both."""
    fresh(tmp_path)
    empty = told(tmp_path, "fastmemo", "read")
    assert {"sections": {name: [] for name in SECTIONS}, "pending": []} == empty
    assert "the surface memory is empty\n" == done(tmp_path, "fastmemo", "read")
    done(tmp_path, "fastmemo", "add", "用户感知", "喜欢短回答")
    shown = done(tmp_path, "fastmemo", "add", "user", "prefers short answers")
    assert "[user]\n- 喜欢短回答\n- prefers short answers\n" == shown
    assert SECTIONS == list(told(tmp_path, "fastmemo", "read")["sections"])
    text = done(tmp_path, "fastmemo", "export")
    assert "[user · 用户感知]\n- 喜欢短回答\n- prefers short answers\n" == text
    assert "written to memo.txt\n" == done(tmp_path, "fastmemo", "export", "memo.txt")
    assert text == (tmp_path / "memo.txt").read_text(encoding="utf-8")
    assert {"file": None, "text": text} == told(tmp_path, "fastmemo", "export")
    compacted = told(tmp_path, "fastmemo", "compact")["sections"]["user"]
    assert 1 == len(compacted)
    loaded = told(tmp_path, "fastmemo", "import", "memo.txt")["sections"]["user"]
    assert ["喜欢短回答", "prefers short answers"] == loaded
    with SmartBrain.open(tmp_path / ".smartbrain") as brain:
        for number in range(8):
            brain.fastmemo.add("user", f"remark {number}")
    assert "[user] (compaction is due)\n" in done(tmp_path, "fastmemo", "read")


@pytest.mark.spec("S2", "W8")
@pytest.mark.parametrize(("old", "new"), [("写说明", "写发布说明"), ("tag it", "tag and sign")])
def test_a_state_file_is_written_compared_and_loaded(tmp_path: Path, old: str, new: str) -> None:
    """An edited file is shown as a diff and put in place; a broken one changes nothing."""
    fresh(tmp_path)
    done(tmp_path, "plan", "add", "--session", "s", old)
    file = tmp_path / "context_state.json"
    place = ("--session", "s", file)
    assert f"written to {file}\n" == done(tmp_path, "state", "export", *place)
    stored = told(tmp_path, "state", "export", "--session", "s")
    assert json.loads(done(tmp_path, "state", "export", "--session", "s")) == stored
    assert stored == json.loads(file.read_text(encoding="utf-8"))
    assert "the file says what is stored\n" == done(tmp_path, "state", "diff", *place)
    assert {"same": True, "diff": ""} == told(tmp_path, "state", "diff", *place)
    edited = file.read_text(encoding="utf-8").replace(old, new)
    file.write_text(edited, encoding="utf-8")
    lines = done(tmp_path, "state", "diff", *place).splitlines()
    assert [f'-      "text": "{old}",', f'+      "text": "{new}",'] == [
        line for line in lines if line[:2] in ("- ", "+ ")
    ]
    assert told(tmp_path, "state", "diff", *place)["same"] is False
    assert "plan 2" in done(tmp_path, "state", "load", *place)
    assert {"changes"} == set(told(tmp_path, "state", "load", *place))
    assert [new] == [step["text"] for step in stored_plan(tmp_path)]
    file.write_text(edited[:-10], encoding="utf-8")
    failed(memctl("state", "load", *place, folder=tmp_path), 2, "[bad_state_file]")
    assert [new] == [step["text"] for step in stored_plan(tmp_path)]


def stored_plan(tmp_path: Path) -> Any:
    """Return the plan as it is kept."""
    return told(tmp_path, "plan", "list", "--session", "s")["steps"]


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    ("arguments", "code", "pieces"),
    [
        ("pin add fact 标题 事实 --source tool:RUN", 2, ["type is 'fact'", "constraint"]),
        ("pin add path t s --source chat:不在", 2, ["leads nowhere", "[no_source]"]),
        ("pin add path t s --source tool:RUN --ttl ever", 2, ["ttl is 'ever'"]),
        ("pin add path t s --source tool:RUN --actor nobody", 2, ["actor is 'nobody'"]),
        ("pin update 1", 2, ["there is nothing to update"]),
        ("pin update 7 --title x", 3, ["there is no pin '7'"]),
        ("pin remove 7", 3, ["there is no pin '7'"]),
        ("pin renew 7", 3, ["there is no pin '7'"]),
        ("pin accept 7", 3, ["there is no pin '7'"]),
        ("pin rollback 99", 2, ["99"]),
        ("pin rollback 昨天", 2, ["to is '昨天'; give the number of a change"]),
        ("pin history --limit 0", 2, ["limit is a whole number"]),
        ("plan check --session s 7", 3, ["there is no step '7'"]),
        ("plan remove --session s 7", 3, ["there is no step '7'"]),
        ("plan add --session s _", 2, ["text is blank"]),
        ("note rollback --session s 99", 2, ["99"]),
        ("artifact get 不在", 3, ["there is no artifact '不在'"]),
        ("artifact get RUN --range 99-", 2, ["line 99 is outside: the output has 3 lines"]),
        ("artifact grep RUN (", 2, ["'(' is no regular expression"]),
        ("artifact list --cursor x", 2, ["cursor 'x'"]),
        ("artifact add t 没有.txt", 2, ["没有.txt"]),
        ("artifact add t .smartbrain/brain.yml --args {", 2, ["--args '{' is no JSON"]),
        ("fastmemo add nosuch x", 2, ["section is 'nosuch'"]),
        ("fastmemo import 没有.txt", 2, ["没有.txt"]),
        ("state diff --session s 没有.json", 2, ["没有.json"]),
        ("state load --session s 没有.json", 2, ["没有.json"]),
        ("pin list --tenant 不在", 3, ["there is no tenant '不在'"]),
    ],
)
def test_a_wrong_command_is_told_in_one_line(
    tmp_path: Path, arguments: str, code: int, pieces: list[str]
) -> None:
    """With the exit code of its kind, and the same as JSON for programs."""
    run = brain_with_a_run(tmp_path)
    (tmp_path / ".smartbrain/brain.yml").write_text("timezone: UTC\n", encoding="utf-8")
    words = [word.replace("RUN", run).replace("_", " ") for word in arguments.split()]
    failed(memctl(*words, folder=tmp_path), code, *pieces)
    program = memctl(*words, "--json", folder=tmp_path)
    assert (code, "") == (program.code, program.err)
    assert ["code", "message"] == list(program.json["error"])[:2]


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ("pin list", {"pins": []}),
        ("pin history", {"changes": []}),
        ("plan list --session s", {"steps": []}),
        ("plan history --session s", {"changes": []}),
        ("note list --session s", {"notes": []}),
        ("note history --session s", {"changes": []}),
        ("artifact list", {"items": [], "cursor": None}),
    ],
)
def test_looking_into_a_fresh_brain_makes_no_tenant(
    tmp_path: Path, arguments: str, answer: Any
) -> None:
    """There is nothing, and that is no error."""
    fresh(tmp_path)
    assert answer == told(tmp_path, *arguments.split())
    assert done(tmp_path, *arguments.split()).strip() in (
        *("no pins", "no changes yet", "the plan is empty", "no notes", "no artifacts"),
    )
    assert [] == list((tmp_path / ".smartbrain/tenants").iterdir())


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    "arguments",
    ["pin remove 1", "plan check --session s 1", "artifact get x", "fastmemo compact"]
    + ["fastmemo export", "state export --session s"],
)
def test_what_needs_something_stored_says_so_in_a_fresh_brain(
    tmp_path: Path, arguments: str
) -> None:
    """One line, and no tenant is made."""
    fresh(tmp_path)
    failed(memctl(*arguments.split(), folder=tmp_path), 3, "nothing is stored yet")
    assert [] == list((tmp_path / ".smartbrain/tenants").iterdir())
