"""Chat logs in JSONL: grouped by session, dated and keyed."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from history_files import SAMPLES, contents, keys, log, read, turns, written

from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.errors import UsageError
from smartbrain.remember.import_history.formats import open_history
from smartbrain.remember.input import read_turn_events

pytestmark = pytest.mark.spec("S1", "E4")


def said(content: Any, role: str = "user", **more: Any) -> dict[str, Any]:
    """Build a message."""
    return {"role": role, "content": content, **more}


def test_interleaved_sessions_are_told_apart() -> None:
    """A session's turn stays open while another session speaks."""
    found = turns(SAMPLES / "messages.jsonl")
    assert ["trip", "trip", "发票"] == [turn.session_id for turn in found]
    assert [
        ["Book the train to Lyon for Friday", "Booked: 08:12, seat 44."],
        ["And a hotel near the station"],
        ["以后发票都寄到公司", "好的，已记下。"],
    ] == contents(found)
    assert "2024-03-01T10:00:00+01:00" == found[0].events["at"]
    assert {"at": "2024-03-01T10:00:05+01:00"} == found[0].events["messages"][1]["meta"]
    assert "李雷" == found[2].events["messages"][0]["name"]
    size = (SAMPLES / "messages.jsonl").stat().st_size
    assert (size, size) == (found[-1].place, found[-1].total)


def test_a_line_may_be_a_whole_turn() -> None:
    """Its calls and refs come along, and its naive time stays naive."""
    found = turns(SAMPLES / "turns.jsonl")
    assert [["把周报改到周四", "已改到周四。"], ["run the tests"]] == contents(found)
    assert ["2024-05-06T09:30:00", "2024-05-06T09:31:00"] == [turn.events["at"] for turn in found]
    assert "3 passed" == found[1].events["tool_calls"][0]["result"]
    assert "https://example.com/ci/7" == found[1].events["refs"][0]["ref_uri"]


@pytest.mark.parametrize(
    "name",
    [
        *("messages.jsonl", "turns.jsonl", "chatgpt.json", "claude.json", "assistant.txt"),
        *("助手.txt", "named.txt", "bracketed.txt", "messenger.txt"),
    ],
)
def test_every_sample_can_be_committed(name: str) -> None:
    """The events of each turn are read by the reader of turns, with nothing ignored."""
    found = turns(SAMPLES / name)
    assert found
    for turn in found:
        events, ignored = read_turn_events(
            turn.events, zone=ZoneInfo("Asia/Shanghai"), types=BUILTIN_TYPES
        )
        assert len(turn.events["messages"]) == len(events.messages)
        assert () == ignored


def test_a_naive_time_is_read_in_the_zone_of_the_tenant() -> None:
    """The reader of turns places it, not the reader of histories."""
    turn = turns(SAMPLES / "turns.jsonl")[0]
    events, _ = read_turn_events(turn.events, zone=ZoneInfo("Asia/Shanghai"), types=BUILTIN_TYPES)
    assert events.at is not None
    assert "2024-05-06T09:30:00+08:00" == events.at.isoformat()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2024-03-01T10:00:00Z", "2024-03-01T10:00:00+00:00"),
        ("2024-03-01 10:00:00", "2024-03-01T10:00:00"),
        (1709287200, "2024-03-01T10:00:00+00:00"),
        (1709287200.5, "2024-03-01T10:00:00.500000+00:00"),
        (1709287200123, "2024-03-01T10:00:00.123000+00:00"),
        (None, None),
        ("", None),
    ],
)
@pytest.mark.parametrize("field", ["at", "time", "timestamp", "ts", "created_at"])
def test_times_are_read_in_all_their_forms(
    tmp_path: Path, field: str, given: Any, expected: str | None
) -> None:
    """ISO and epochs, under every name that logs use; none stays none."""
    found = turns(log(tmp_path / "a.jsonl", said("早", **{field: given})))
    assert [expected] == [turn.events.get("at") for turn in found]
    assert [{"role": "user", "content": "早"}] == found[0].events["messages"]


@pytest.mark.parametrize("given", ["yesterday", True, "1712120112345678901", 10**30, [2024]])
def test_what_is_no_time_is_a_problem(tmp_path: Path, given: Any) -> None:
    """The line is left out and named; the rest goes on."""
    found, problems = read(log(tmp_path / "a.jsonl", said("a", at=given), said("b")))
    assert [["b"]] == contents(found)
    assert ["line 1"] == [problem.where for problem in problems]
    assert "is not a time" in problems[0].message


def test_a_log_without_sessions_is_one_named_after_the_file(tmp_path: Path) -> None:
    """Numbers name sessions too."""
    path = log(tmp_path / "我的聊天.jsonl", said("a"), said("b", conversation_id=7))
    assert ["我的聊天", "7"] == [turn.session_id for turn in turns(path)]


def test_what_comes_before_the_first_user_message_is_a_turn_of_its_own(tmp_path: Path) -> None:
    """A greeting is not put into the user's turn."""
    path = log(
        tmp_path / "a.jsonl",
        said("Be brief", "system"),
        said("Hello!", "ai"),
        said("hi", "Human"),
        said("what?", "model"),
        said("again"),
    )
    assert [["Be brief", "Hello!"], ["hi", "what?"], ["again"]] == contents(turns(path))


def test_results_of_tools_do_not_begin_a_turn(tmp_path: Path) -> None:
    """Anthropic gives them in a user message; the turn of the call goes on."""
    call = {"type": "tool_use", "id": "t1", "name": "clock", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "noon"}
    path = log(
        tmp_path / "a.jsonl",
        said("几点了？"),
        said([call], "assistant"),
        said([answer]),
        said("中午", "assistant"),
    )
    found = turns(path)
    assert 1 == len(found)
    events, ignored = read_turn_events(found[0].events, zone=ZoneInfo("UTC"), types=BUILTIN_TYPES)
    assert ("clock", "noon") == (events.tool_calls[0].name, events.tool_calls[0].result)
    assert () == ignored


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ('{"role": "user", "content": "a"', "it is not valid JSON"),
        ('{"role": "user", "content": "a", "n": NaN}', "NaN"),
        ('{"role": "user", "content": "a", "n": 1e999}', "1e999"),
        ("[1, 2]", "must be an object"),
        ('{"text": "a"}', "neither 'role'"),
        ('{"role": "wizard", "content": "a"}', "'wizard'"),
        ('{"role": ["user"], "content": "a"}', "the role"),
        ('{"role": "user", "content": "a", "session": {}}', "the session"),
        ('{"role": "user", "content": "a", "session": " "}', "the session"),
        ('{"messages": []}', "at least one message"),
        ('{"messages": ["a"]}', "a message must be an object"),
        ('{"messages": [{"role": "user", "content": "a"}, {"role": "x"}]}', "the role 'x'"),
        ('{"role": "user", "content": "a", "deep": ' + "[" * 150 + "]" * 150 + "}", "deep"),
        ('{"role": "user", "content": "a", "deep": ' + "[" * 99_999 + "]" * 99_999 + "}", "deep"),
    ],
)
def test_a_malformed_line_is_named_and_the_rest_goes_on(
    tmp_path: Path, line: str, wrong: str
) -> None:
    """The problem says the file, the line and what is wrong with it."""
    path = log(tmp_path / "a.jsonl", said("第一"), "", line, said("last"))
    found, problems = read(path)
    assert [["第一"], ["last"]] == contents(found)
    assert 1 == len(problems)
    assert wrong in problems[0].message
    assert str(problems[0]).startswith(f"{path}: line 3: ")


def test_what_cannot_be_stored_is_replaced(tmp_path: Path) -> None:
    """Half characters and NUL become U+FFFD; whole pairs stay."""
    line = r'{"role": "user", "content": "a\ud83d b\u0000c \ud83d\ude00", "session": "s\udc00"}'
    found = turns(log(tmp_path / "a.jsonl", line))
    assert [["a\ufffd b\ufffdc 😀"]] == contents(found)
    assert "s\ufffd" == found[0].session_id


@pytest.mark.parametrize(
    "encoded",
    [
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
    ],
)
@pytest.mark.parametrize("name", ["messages.jsonl", "named.txt", "claude.json", "chatgpt.json"])
def test_marked_encodings_give_the_same_turns(tmp_path: Path, name: str, encoded: Any) -> None:
    """A byte order mark and other line ends change nothing in any format."""
    text = (SAMPLES / name).read_text(encoding="utf-8")
    path = written(tmp_path / name, encoded(text))
    assert keys(turns(SAMPLES / name)) == keys(turns(path))


def test_the_same_log_gives_the_same_keys_and_a_longer_one_adds_to_them(tmp_path: Path) -> None:
    """Importing again, or the log as it has grown, meets the turns that are there."""
    first = log(tmp_path / "a.jsonl", said("好"), said("嗯", "assistant"), said("好"))
    before = keys(turns(first))
    assert 2 == len(set(before))
    assert before == keys(turns(first))
    grown = log(tmp_path / "a.jsonl", said("好"), said("嗯", "assistant"), said("好"), said("再见"))
    assert before == keys(turns(grown))[:2]


def test_a_log_that_lost_its_oldest_part_keeps_its_keys(tmp_path: Path) -> None:
    """Dated turns are counted within their time, so a rotated log meets what is there."""
    entries = [said(text, at=f"2024-03-01T10:0{minute}") for minute, text in enumerate("aabb")]
    whole = keys(turns(log(tmp_path / "a.jsonl", *entries)))
    assert whole[2:] == keys(turns(log(tmp_path / "a.jsonl", *entries[2:])))


def test_equal_turns_of_one_time_have_keys_of_their_own(tmp_path: Path) -> None:
    """Saying ok twice is two turns, dated alike or not at all, whatever lies between."""
    at = "2024-03-01T10:00"
    entries = [said("ok", at=at), said("ok"), said("ok", at=at), said("ok")]
    assert 4 == len(set(keys(turns(log(tmp_path / "a.jsonl", *entries)))))


@pytest.mark.parametrize("change", [{"content": "b"}, {"session": "t"}, {"at": 5}, {"name": "c"}])
def test_anything_else_in_a_turn_gives_another_key(tmp_path: Path, change: dict[str, Any]) -> None:
    """A key never stands for two bodies, though the message's id is the same."""
    entry = said("a", id="m1", session="s", at=4)
    one = keys(turns(log(tmp_path / "a.jsonl", entry)))
    assert one != keys(turns(log(tmp_path / "a.jsonl", {**entry, **change})))


def test_a_turn_without_an_end_is_cut(tmp_path: Path) -> None:
    """A log of one speaker does not become one turn that grows with the file."""
    path = log(tmp_path / "a.jsonl", *[said("…", "assistant")] * 2_500)
    assert [1_000, 1_000, 500] == [len(turn.events["messages"]) for turn in turns(path)]


def test_a_file_of_something_else_is_refused_as_jsonl(tmp_path: Path) -> None:
    """The name or the format says JSONL, and no line at the beginning is an entry."""
    for content in ('{"a": 1}\n', "Alice: hi\n", '["a"]\n'):
        with pytest.raises(UsageError, match="is not JSONL of a chat"):
            open_history(written(tmp_path / "a.jsonl", content))


TALK = [said("用 SQLite 吧"), said("ok", "assistant"), said("thanks", at="2024-05-06T09:30:00")]


@pytest.mark.parametrize("format_name", ["auto", "json"])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "document", [TALK, {"id": "x", "messages": TALK}], ids=["a list", "an object"]
)
def test_one_json_document_is_read_as_its_lines_would_be(
    tmp_path: Path, document: Any, indent: int | None, format_name: str
) -> None:
    """A list of messages, or an object that has one, has the turns and keys of the same JSONL."""
    listed, lines = tmp_path / "chat.json", tmp_path / "chat.jsonl"
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    if isinstance(document, dict) and not indent and format_name == "auto":
        text = text.replace("{", "{\n", 1)  # on one line it is a turn of JSONL
    listed.write_text(text, encoding="utf-8")
    lines.write_text("\n".join(map(json.dumps, TALK)), encoding="utf-8")
    found = turns(listed, format_name)
    assert [["用 SQLite 吧", "ok"], ["thanks"]] == contents(found)
    assert [turn.key for turn in turns(lines)] == [turn.key for turn in found]
    assert "chat" == found[0].session_id


def test_what_cannot_be_read_in_a_json_list_is_named(tmp_path: Path) -> None:
    """The other messages are read; a document without messages is refused."""
    file = tmp_path / "chat.json"
    file.write_text(json.dumps([TALK[0], 7, {"role": "谁", "content": "?"}]), encoding="utf-8")
    found, problems = read(file, "json")
    assert ["message 2", "message 3"] == [one.where for one in problems]
    assert [["用 SQLite 吧"]] == contents(found)
    file.write_text(json.dumps({"messages": []}), encoding="utf-8")
    with pytest.raises(UsageError, match="is no list of messages"):
        turns(file, "json")
