"""Hooks of coding agents: each event with JSON as agents send it, and what memory makes of it.

In: `memctl hook EVENT` with an event on stdin. Out: what the agent is told, what a session holds
afterwards, and that nothing whatever makes a hook fail.
"""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from cli_runs import Run, called, memctl
from served import served_here

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.turn import Turn
from smartbrain.entrypoints.agents import hooks
from smartbrain.entrypoints.agents.clients import EVENTS
from smartbrain.entrypoints.rest.app import make_app
from smartbrain.entrypoints.rest.keys import ApiKeys

RECORDED = json.loads((Path(__file__).parents[1] / "data/hooks/events.json").read_text())
SESSION = RECORDED["prompt"]["session_id"]


def hook(folder: Path, event: str, given: object, *options: str) -> Run:
    """Run a hook inside this process with an event on its stdin."""
    body = given if isinstance(given, bytes) else json.dumps(given).encode()
    with patch.object(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(body))):
        return called("hook", *options, event, "--root", folder / "brain", folder=folder)


def told(run: Run) -> str:
    """Return the context that a hook gives to the agent; nothing was told on stderr."""
    assert (0, "") == (run.code, run.err)
    return "" if not run.out else run.json["hookSpecificOutput"]["additionalContext"]


def turns(folder: Path, session: str = SESSION) -> list[Turn]:
    with SmartBrain.open(folder / "brain") as brain:
        return list(brain.sessions.turns(session))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with SmartBrain.open(tmp_path / "brain") as brain:
        brain.remember("I prefer short answers.", session_id="before")
        brain.commit_turn("other", [{"role": "user", "content": "Staging uses Postgres 16."}])
    return tmp_path


@pytest.mark.spec("S3")
def test_a_turn_of_an_agent_is_kept_whole(folder: Path) -> None:
    """The prompt opens a turn, tool runs and the answer follow in it, and memory is given."""
    start = told(hook(folder, "SessionStart", RECORDED["start"]))
    assert "I prefer short answers." in start
    assert "Postgres" not in start
    prompt = told(hook(folder, "UserPromptSubmit", RECORDED["prompt"]))
    assert "Staging uses Postgres 16." in prompt
    assert "short answers" not in prompt
    for name in ("shell", "write", "text_run", "own_tool"):
        assert "" == told(hook(folder, "PostToolUse", RECORDED[name]))
    assert "" == told(hook(folder, "Stop", RECORDED["stop"]))
    (turn,) = turns(folder)
    assert [
        ("user", RECORDED["prompt"]["prompt"]),
        ("assistant", RECORDED["stop"]["last_assistant_message"]),
    ] == [(one.role.value, one.content) for one in turn.messages]
    assert ["Bash", "Write", "Bash"] == [call.name for call in turn.tool_calls]
    assert RECORDED["shell"]["tool_response"]["stdout"] == turn.tool_calls[0].stdout
    assert {"filePath": "notes.md", "success": True} == turn.tool_calls[1].result
    assert "a.py\nb.py\n" == turn.tool_calls[2].result
    assert turn.context_id is not None


def test_the_same_event_twice_is_kept_once(folder: Path) -> None:
    """Hooks that are installed twice, or run again, write nothing more."""
    for _ in range(2):
        hook(folder, "UserPromptSubmit", RECORDED["prompt"])
    for _ in range(2):
        hook(folder, "PostToolUse", RECORDED["shell"])
    for _ in range(2):
        hook(folder, "Stop", RECORDED["stop"])
    (turn,) = turns(folder)
    assert (2, 1) == (len(turn.messages), len(turn.tool_calls))


def test_a_prompt_that_was_masked_is_known_again(folder: Path) -> None:
    """What is stored may differ from what was said; what was interrupted is no answer either."""
    mail = {"session_id": "m", "prompt": "Write to ann@example.com, her phone is +1 415 555 2671."}
    other = {"session_id": "m", "prompt": "No, wait."}
    for event in (mail, mail, other, other):
        hook(folder, "UserPromptSubmit", event)
    assert 2 == len(turns(folder, "m"))


def test_the_same_words_later_are_a_turn_of_their_own(folder: Path) -> None:
    """A prompt such as `continue` is said again and again."""
    for words in ("one", "two"):
        hook(folder, "UserPromptSubmit", {"session_id": SESSION, "prompt": "继续"})
        hook(folder, "Stop", {"session_id": SESSION, "last_assistant_message": words})
    assert [["继续", "one"], ["继续", "two"]] == [
        [one.content for one in turn.messages] for turn in turns(folder)
    ]


def test_words_that_memory_showed_are_no_news(folder: Path) -> None:
    """What our own tools answered is not kept, and an echo of evidence makes no memory."""
    hook(folder, "UserPromptSubmit", RECORDED["prompt"])
    hook(folder, "PostToolUse", RECORDED["own_tool"])
    assert [] == [call for turn in turns(folder) for call in turn.tool_calls]
    with SmartBrain.open(folder / "brain") as brain:
        assert not any("MySQL" in item.text for item in brain.recall("staging database"))


def test_what_was_said_survives_a_compaction(folder: Path) -> None:
    """Before it the transcript's last words are kept; after it the last turns are given back."""
    transcript = folder / "transcript.jsonl"
    user = {"role": "user", "content": RECORDED["prompt"]["prompt"]}
    parts = [{"type": "text", "text": "I looked at the deploy script."}]
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]
    rows = [
        {"type": "user", "message": {"role": "user", "content": "earlier"}},
        {"type": "assistant", "message": {"role": "assistant", "content": "not this"}},
        {"type": "user", "message": user},
        {"type": "assistant", "message": {"role": "assistant", "content": parts}},
        {"type": "user", "message": {"role": "user", "content": result}},
        {"type": "assistant", "message": {"role": "assistant", "content": "It pins Postgres."}},
    ]
    transcript.write_text("broken\n" + "\n".join(map(json.dumps, rows)) + "\n")
    hook(folder, "UserPromptSubmit", RECORDED["prompt"])
    event = {**RECORDED["compact"], "transcript_path": str(transcript)}
    assert "" == told(hook(folder, "PreCompact", event))
    (turn,) = turns(folder)
    words = "I looked at the deploy script.\n\nIt pins Postgres."
    assert words == turn.messages[1].content
    after = told(hook(folder, "SessionStart", {**RECORDED["start"], "source": "compact"}))
    assert "It pins Postgres." in after


def test_an_editor_with_names_of_its_own_is_understood(folder: Path) -> None:
    """Other names of events and fields mean the same, and it is answered in its own form."""
    run = hook(folder, "SessionStart", RECORDED["editor_start"])
    assert "short answers" in run.json["additional_context"]
    assert ("", "") == hook(folder, "UserPromptSubmit", RECORDED["editor_prompt"])[1:]
    for name in ("editor_shell", "editor_mcp", "editor_edit", "editor_read", "editor_own_tool"):
        assert ("", "") == hook(folder, "PostToolUse", RECORDED[name])[1:]
    for name in ("editor_answer", "editor_stop"):
        assert ("", "") == hook(folder, "Stop", RECORDED[name])[1:]
    (turn,) = turns(folder, "conv-123")
    assert ["Fix the refund test", "The refund test passes now."] == [
        one.content for one in turn.messages
    ]
    names = [call.name for call in turn.tool_calls]
    assert ["shell", "database_query", "edit", "Read"] == names
    assert {"rows": [1]} == turn.tool_calls[1].result
    assert RECORDED["editor_edit"]["edits"] == turn.tool_calls[2].args["edits"]
    assert {"content": "docker compose up"} == turn.tool_calls[3].result


def test_a_terminal_agent_sends_what_others_send(folder: Path) -> None:
    """Its events have ids of turns too; its transcript is a list of items."""
    transcript = folder / "rollout.jsonl"
    part = {"type": "output_text", "text": "I read the deploy script."}
    said = {"type": "message", "role": "assistant", "content": [part]}
    rows = [{"type": "session_meta", "payload": {}}, {"type": "response_item", "payload": said}]
    transcript.write_text("\n".join(map(json.dumps, rows)))
    for name in ("start", "prompt", "run", "compact", "stop"):
        event = {**RECORDED[f"terminal_{name}"], "transcript_path": str(transcript)}
        run = hook(folder, event["hook_event_name"], event)
        assert (name in ("start", "prompt")) == bool(told(run)), name
    (turn,) = turns(folder, RECORDED["terminal_start"]["session_id"])
    assert [
        RECORDED["terminal_prompt"]["prompt"],
        "I read the deploy script.",
        "Staging runs Postgres 16.",
    ] == [one.content for one in turn.messages]
    assert [("Bash", "a.py\nb.py\n")] == [(one.name, one.result) for one in turn.tool_calls]


@pytest.mark.spec("S3")
@pytest.mark.parametrize("before", ["compact", "terminal_compact", "editor_compact"])
def test_plan_and_decisions_survive_a_compaction(folder: Path, before: str) -> None:
    """They are given back when the session starts again; an editor, whose does not, by a tool."""
    event = {**RECORDED[before], "transcript_path": ""}
    session = event.get("session_id", "conv-123")
    prompt = {"session_id": session, "prompt": "We decided to use Redis for the queue of jobs."}
    hook(folder, "UserPromptSubmit", prompt)
    with SmartBrain.open(folder / "brain") as brain:
        brain.plan.add(session, "Move the queue of mails")
    hook(folder, "PreCompact", event)
    if before == "editor_compact":
        after = hook(folder, "PostToolUse", RECORDED["editor_read"]).json["additional_context"]
        again = {**RECORDED["editor_read"], "tool_use_id": "tool_next"}
        assert ("", "") == hook(folder, "PostToolUse", again)[1:]
    else:
        start = {"session_id": session, "source": "compact"}
        after = told(hook(folder, "SessionStart", start))
    assert "Move the queue of mails" in after
    assert "Redis" in after


@pytest.mark.spec("S3")
def test_a_server_answers_the_same_events(folder: Path) -> None:
    """Each event as it was recorded, sent to one address: the command's answers and turns."""
    (folder / "again").mkdir()
    copytree(folder / "brain", folder / "again/brain")
    root = Root(folder / "again/brain")
    app = make_app(root, ApiKeys(root.path, root.clock))
    events = ("start", "prompt", "shell", "write", "own_tool", "stop", "editor_start")
    with served_here(app) as address:

        def post(given: object) -> httpx.Response:
            return httpx.post(f"{address}/v1/hooks", json=given, timeout=60)

        for name in events:
            event = RECORDED[name]
            ours = event["hook_event_name"]
            run = hook(folder, ours[0].upper() + ours[1:], event)
            answer = post(event)
            assert (200, run.json if run.out else {}) == (answer.status_code, answer.json()), name
        for given in ({"session_id": "s"}, {"hook_event_name": "Stop"}, {"hook_event_name": "no"}):
            assert 400 == post(given).status_code
    (here,), (there,) = turns(folder), turns(folder / "again")
    assert [(one.role, one.content) for one in here.messages] == [
        (one.role, one.content) for one in there.messages
    ]
    assert [one.name for one in here.tool_calls] == [one.name for one in there.tool_calls]


def test_a_server_reads_no_transcript_of_its_own_machine(folder: Path) -> None:
    """Whoever may send events must not have the server read its files."""
    transcript = folder / "transcript.jsonl"
    transcript.write_text(json.dumps({"role": "assistant", "content": "The password is swan."}))
    root = Root(folder / "brain")
    app = make_app(root, ApiKeys(root.path, root.clock))
    with served_here(app) as address:
        compact = {**RECORDED["compact"], "transcript_path": str(transcript)}
        for event in (RECORDED["prompt"], compact):
            httpx.post(f"{address}/v1/hooks", json=event, timeout=60).raise_for_status()
    (turn,) = turns(folder)
    assert 1 == len(turn.messages)


def test_nothing_is_told_where_nothing_fits(folder: Path) -> None:
    """An off-topic prompt brings nothing into the agent's context."""
    assert "" == told(hook(folder, "UserPromptSubmit", {"session_id": "s", "prompt": "hi there"}))


@pytest.mark.parametrize(
    ("event", "given", "options"),
    [
        ("Stop", b"", ()),
        ("Stop", b"\xff\xfe", ()),
        ("Stop", b"[1]", ()),
        ("Stop", {"session_id": 3}, ()),
        ("UserPromptSubmit", {"prompt": "no session"}, ()),
        ("UserPromptSubmit", {"session_id": "s" * 5000, "prompt": "hello"}, ()),
        ("PostToolUse", {"session_id": "s", "tool_name": "x", "tool_input": "\ud800"}, ()),
        ("NoSuchEvent", {"session_id": "s"}, ()),
    ],
)
def test_a_hook_never_fails_the_agent(
    folder: Path, event: str, given: object, options: tuple[str, ...]
) -> None:
    """Exit code 0, nothing on stdout, one line on stderr; with --strict it fails."""
    run = hook(folder, event, given, *options)
    assert (0, "") == (run.code, run.out)
    assert run.err.startswith("memctl hook: ")
    assert 1 == run.err.count("\n")


def test_a_fault_of_ours_is_no_fault_of_the_agent(folder: Path) -> None:
    """Even what should never happen is one line; asked for, it is an exit code."""
    with patch.object(hooks.AgentHooks, "answer", side_effect=RuntimeError("boom")):
        run = hook(folder, "Stop", RECORDED["stop"])
    assert (0, "", "memctl hook: boom\n") == run
    assert 2 == hook(folder, "Stop", {"no": "session"}, "--strict").code


def test_events_that_lack_everything_else_do_nothing(folder: Path) -> None:
    """An event with a session alone is answered with silence."""
    for event in EVENTS[1:]:
        assert "" == told(hook(folder, event, {"session_id": "empty"}))
    assert [] == turns(folder, "empty")
    assert set(EVENTS) == set(hooks._EVENTS)


@pytest.mark.parametrize("client", ["claude-code", "codex", "cursor"])
def test_hooks_are_shown_before_they_are_written(tmp_path: Path, client: str) -> None:
    """Each event's command can be run by a shell; other hooks and settings stay."""
    place = {
        "claude-code": ".claude/settings.json",
        "codex": ".codex/hooks.json",
        "cursor": ".cursor/hooks.json",
    }[client]
    path = tmp_path / place
    path.parent.mkdir()
    mine = {"hooks": [{"type": "command", "command": "mine"}]}
    path.write_text(json.dumps({"model": "x", "hooks": {"Stop": [mine], "stop": [mine]}}))
    before = path.read_text()
    arguments = ("hook", "install", "--client", client, "--root", tmp_path / "my brain")
    shown = memctl(*arguments, folder=tmp_path)
    assert (0, before) == (shown.code, path.read_text())
    assert 0 == memctl(*arguments, "--yes", folder=tmp_path).code
    assert 0 == memctl(*arguments, "--yes", folder=tmp_path).code
    after = json.loads(path.read_text())
    assert "x" == after["model"]
    assert mine in after["hooks"]["Stop"]
    commands = [command for rows in after["hooks"].values() for command in _commands(rows)]
    ours = [words for words in map(shlex.split, commands) if "hook" in words]
    assert {"cursor": 9}.get(client, 5) == len(ours)
    assert set(EVENTS) == {words[words.index("hook") + 1] for words in ours}
    for words in ours:
        assert words[words.index("hook") + 1] in EVENTS
        assert str(tmp_path / "my brain") == words[words.index("--root") + 1]


def _commands(rows: list[Any]) -> list[str]:
    return [one["command"] for row in rows for one in row.get("hooks", [row])]


def test_installing_for_an_unknown_client_fails(tmp_path: Path) -> None:
    """Installing is asked for by a person, who is told by an exit code."""
    run = memctl("hook", "install", "--client", "codx", folder=tmp_path)
    assert 2 == run.code
    assert "did you mean 'codex'" in run.err
