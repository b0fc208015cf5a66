"""`memctl ingest` and `memctl r2g`, as somebody at a prompt uses them.

In: texts, files and chat histories in Chinese and English, good ones and bad ones. Out: what is
shown, the same in JSON, and one line with an exit code where something is wrong.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli_runs import COMMAND, Run, environment, memctl, spawned

from smartbrain import SmartBrain

CHAT = "Win11 蓝牙打不开，错误码 0x8007045D。\n\nAlice met Bob in Berlin on Monday. I prefer tea.\n"
KEPT = "1 chunk kept; `memctl r2g --from raw --to graph` makes a graph\n"
SAMPLES = Path(__file__).parents[1] / "data" / "history"


def fresh(tmp_path: Path) -> Path:
    """Make a brain without tenants in the working folder, and a sample beside it."""
    assert 0 == memctl("init", folder=tmp_path).code
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "chat1.txt").write_text(CHAT, encoding="utf-8")
    return tmp_path / ".smartbrain"


def failed(run: Run, code: int, *pieces: str) -> None:
    """Check that a run ended with one line on stderr, which says these things."""
    assert (code, "") == (run.code, run.out), run
    assert 1 == run.err.count("\n")
    assert run.err.startswith("memctl: ")
    for piece in pieces:
        assert piece in run.err


def history(path: Path, *texts: str) -> Path:
    """Write a chat history with one message of the user a turn."""
    lines = [
        json.dumps({"role": "user", "content": text, "at": f"2001-05-{day:02}T10:00:00Z"})
        for day, text in enumerate(texts, 1)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.spec("S2", "C7")
def test_a_file_is_ingested_made_a_graph_and_found(tmp_path: Path) -> None:
    """The commands of the minimal workflow run as they are printed, and may be run again."""
    place = fresh(tmp_path)
    ingest = ["ingest", "--raw", "./samples/chat1.txt"]
    r2g = ["r2g", "--from", "raw", "--to", "graph"]
    for _ in range(2):
        assert (0, KEPT, "") == spawned(*ingest, folder=tmp_path)
    run = spawned(*r2g, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    assert run.out.startswith("1 chunk: 1 episode, ")
    assert run.out.endswith(" entities\n")
    nothing = "nothing waits; `memctl ingest --raw` takes a document in\n"
    assert (0, nothing, "") == memctl(*r2g, folder=tmp_path)
    (hit, *_) = memctl("search", "Win11 蓝牙 打不开", "--json", folder=tmp_path).json["hits"]
    assert (tmp_path / "samples" / "chat1.txt").as_uri() == hit["source"]
    with SmartBrain.open(place) as brain:
        found = {one.type for one in brain.memories.list().items}
    assert {"episodes", "entities"} == found


@pytest.mark.spec("S2", "C7")
def test_programs_get_ids_and_counts(tmp_path: Path) -> None:
    """In JSON, for a tenant of its own; looking for work in an empty brain makes no tenant."""
    place = fresh(tmp_path)
    zeros = {"chunks": 0, "episodes": 0, "entities": 0, "statements": 0}
    assert zeros == memctl("r2g", "--json", folder=tmp_path).json
    assert [] == SmartBrain.tenants(place)
    run = memctl(
        "ingest", "--raw", "我喜欢喝茶 and coffee", "--tenant", "李四", "--json", folder=tmp_path
    )
    (raw_id,) = run.json["raw_ids"]
    assert raw_id.startswith("raw_")
    told = memctl("r2g", "--tenant", "李四", "--json", folder=tmp_path).json
    assert (list(zeros), 1, 1) == (list(told), told["chunks"], told["episodes"])
    assert ["李四"] == SmartBrain.tenants(place)


@pytest.mark.spec("S2")
def test_a_text_comes_by_argument_or_by_pipe(tmp_path: Path) -> None:
    """Words that are no path are taken as they are; `-` reads what is piped."""
    fresh(tmp_path)
    for text in ("蓝牙打不开", "met at 9.30 in Berlin", "https://example.com/a.html", "1/2 杯水"):
        assert (0, KEPT, "") == memctl("ingest", "--raw", text, folder=tmp_path)
    for data, expected in (("管道 ./a.txt".encode(), KEPT), (b"\xff\xfe", "")):
        done = subprocess.run(
            [*COMMAND, "ingest", "--raw", "-"],
            cwd=tmp_path,
            env=environment(tmp_path),
            input=data,
            capture_output=True,
            check=False,
            timeout=600,
        )
        assert expected == done.stdout.decode()
    assert b"memctl: stdin: is not a text in UTF-8; convert it first [usage]\n" == done.stderr


@pytest.mark.spec("S2", "E4")
def test_a_chat_history_is_imported_once(tmp_path: Path) -> None:
    """People read sentences, programs the report; what was left out is named."""
    place = fresh(tmp_path)
    file = history(tmp_path / "聊天.jsonl", "待办：整理预算表", "I live in Berlin", "好的")
    told = "3 turns of 1 session imported\n2 memory versions written\n"
    assert (0, told, "") == memctl("ingest", "--chat", file, folder=tmp_path)
    again = "0 turns of 1 session imported, 3 already there\n0 memory versions written\n"
    assert (0, again, "") == spawned("ingest", "--chat", file, folder=tmp_path)
    report = memctl("ingest", "--chat", file, "--format", "jsonl", "--json", folder=tmp_path).json
    assert {
        "turns": 0,
        "replayed": 3,
        "refused": 0,
        "sessions": 1,
        "memories": 0,
        "left": 0,
        "stopped": "",
        "problems": [],
    } == report
    with SmartBrain.open(place) as brain:
        assert ["2001-05-01", "2001-05-02", "2001-05-03"] == [
            turn.at.date().isoformat() for turn in brain.sessions.turns("聊天")
        ]


@pytest.mark.spec("S2", "E4", "S7")
def test_an_import_into_a_full_tenant_says_what_is_left(tmp_path: Path) -> None:
    """Not a line a turn: what is full, how much waits, and how it goes on."""
    place = fresh(tmp_path)
    (place / "brain.yml").write_text("quotas:\n  memories: 4\n", encoding="utf-8")
    file = history(tmp_path / "聊天.jsonl", "我住在上海", "I love tea", "我喜欢爵士乐", "hello")
    run = memctl("ingest", "--chat", file, folder=tmp_path)
    assert run.out.splitlines()[2:] == [
        "stopped, 3 turns left: with this the tenant would hold 8 memories and may hold 4, so it is"
        " refused; raise quotas.memories",
        "run it again when there is room; it goes on where it stopped",
    ]


@pytest.mark.spec("S2", "E4")
def test_the_first_problems_of_a_history_are_shown(tmp_path: Path) -> None:
    """Ten of them, each on its line; the good turns are in."""
    fresh(tmp_path)
    file = history(tmp_path / "h.jsonl", "hello", "你好")
    with file.open("a", encoding="utf-8") as out:
        out.write('{"role": "user"\n' * 12)
    run = memctl("ingest", "--chat", file, folder=tmp_path)
    assert 0 == run.code
    first, _, left_out, *problems = run.out.splitlines()
    assert ("2 turns of 1 session imported", "12 parts left out:") == (first, left_out)
    assert [f"  {file}: line {n}: " for n in range(3, 13)] == [
        line[: len(f"  {file}: line {n}: ")] for n, line in enumerate(problems[:10], 3)
    ]
    assert ["  … and 2 more; --json names them all"] == problems[10:]
    told = memctl("ingest", "--chat", file, "--json", folder=tmp_path).json
    assert 12 == len(told["problems"])


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    ("arguments", "code", "pieces"),
    [
        (["ingest"], 2, ["either --raw PATH_OR_TEXT or --chat FILE"]),
        (["ingest", "--raw", "x", "--chat", "y"], 2, ["either --raw PATH_OR_TEXT or --chat FILE"]),
        (["ingest", "--raw", "./没有.txt"], 2, ["./没有.txt: there is no such file"]),
        (["ingest", "--raw", "notes.md"], 2, ["notes.md: there is no such file", "--raw -"]),
        (["ingest", "--raw", "samples"], 2, ["samples: cannot be read (it is not a file)"]),
        (["ingest", "--raw", "图.png"], 2, ["is not a text in UTF-8", "plain text, Markdown"]),
        (["ingest", "--raw", " "], 2, ["is blank"]),
        (["ingest", "--raw", "x", "--format", "jsonl"], 2, ["--format belongs to --chat"]),
        (["ingest", "--chat", "没有.jsonl"], 2, ["没有.jsonl"]),
        (["ingest", "--chat", "samples/chat1.txt"], 2, ["is not a chat history that we know"]),
        (["ingest", "--chat", "x", "--format", "chatgtp"], 2, ["did you mean 'chatgpt'?"]),
        (["r2g", "--from", "graph"], 2, ["memctl r2g --from raw --to graph"]),
        (["r2g", "--to", "raw"], 2, ["memctl r2g --from raw --to graph"]),
        (["r2g", "--tenant", "李四"], 3, ["no tenant '李四'"]),
    ],
    ids=lambda one: " ".join(one)[:40] if isinstance(one, list) else None,
)
def test_a_command_that_makes_no_sense_is_refused(
    tmp_path: Path, arguments: list[str], code: int, pieces: list[str]
) -> None:
    """One line says what was wrong, JSON says the same, and no tenant is made."""
    place = fresh(tmp_path)
    (tmp_path / "图.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x01")
    failed(memctl(*arguments, folder=tmp_path), code, *pieces)
    told: dict[str, Any] = memctl(*arguments, "--json", folder=tmp_path).json
    for piece in pieces:
        assert piece in told["error"]["message"]
    assert [] == SmartBrain.tenants(place)


@pytest.mark.spec("S2")
def test_progress_is_shown_to_somebody_who_watches(tmp_path: Path) -> None:
    """On a terminal the name of the file moves along on stderr; what is printed stays clean."""
    fresh(tmp_path)
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*COMMAND, "ingest", "--chat", str(SAMPLES / "messages.jsonl")],
        cwd=tmp_path,
        env=environment(tmp_path, TERM="xterm", COLUMNS="100"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=False,
        timeout=600,
    )
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "messages.jsonl" in shown
    assert done.stdout.decode().startswith("3 turns of 2 sessions imported\n")
