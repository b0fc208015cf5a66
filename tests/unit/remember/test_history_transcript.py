"""Plain transcripts, and how a file's format is chosen or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from history_files import SAMPLES, contents, read, turns, written

from smartbrain.errors import UsageError
from smartbrain.remember.import_history.formats import FORMATS, open_history

pytestmark = pytest.mark.spec("S1", "E4")


def speakers(path: Path, format_name: str = "transcript") -> list[tuple[str, str | None]]:
    """Return who spoke, as role and name, message by message."""
    return [
        (message["role"], message.get("name"))
        for turn in turns(path, format_name)
        for message in turn.events["messages"]
    ]


def times(path: Path) -> list[Any]:
    """Return the turns' times."""
    return [turn.events.get("at") for turn in turns(path, "transcript")]


def test_a_user_and_an_assistant_make_turns_of_both() -> None:
    """Lines with other names before a colon belong to the message they stand in."""
    found = turns(SAMPLES / "assistant.txt")
    assert [
        [
            "Write a haiku about rain.",
            "Rain on the tin roof\nNote: the cat sleeps on\nurl: https://example.com",
        ],
        ["再写一首中文的", "雨落青瓦上"],
    ] == contents(found)
    assert {("user", None), ("assistant", None)} == set(speakers(SAMPLES / "assistant.txt"))
    assert "assistant" == found[0].session_id
    assert all("at" not in turn.events for turn in found)


def test_chinese_names_of_the_roles_and_colons_are_read() -> None:
    """用户 and 助手 are the user and the assistant."""
    found = turns(SAMPLES / "助手.txt")
    assert [["帮我记一下，周五交房租", "好的，\n周五交房租。"], ["谢谢"]] == contents(found)
    assert [("user", None), ("assistant", None), ("user", None)] == speakers(SAMPLES / "助手.txt")


def test_named_people_have_a_turn_a_message() -> None:
    """All of them are users with their names, and undated lines go on with the message."""
    found = turns(SAMPLES / "named.txt")
    assert [["明天几点开会？"], ["十点\n地点: 三号会议室"], ["收到"]] == contents(found)
    assert [("user", "张三"), ("user", "李四"), ("user", "张三")] == speakers(SAMPLES / "named.txt")
    assert ["2024-03-01T10:00:00", "2024-03-01T10:01:00", "2024-03-01T15:05:00"] == times(
        SAMPLES / "named.txt"
    )


def test_bracketed_times_keep_their_offset() -> None:
    """A time in the text is no time of a message."""
    assert [["Lunch?"], ["Sure, see\nhttp://example.com/menu"], ["12:30 then"]] == contents(
        turns(SAMPLES / "bracketed.txt")
    )
    assert "2024-03-01T10:03:30+02:00" == times(SAMPLES / "bracketed.txt")[-1]


def test_where_messages_have_no_times_a_dated_line_begins_none(tmp_path: Path) -> None:
    """It is a line of a log that somebody quotes, and so is one with a name in it."""
    lines = ["User: what happened?", "AI: this:", "[2024-03-01 10:00] Alice: up", "User: 好"]
    found = turns(written(tmp_path / "a.txt", "\n".join(lines)))
    assert [["what happened?", "this:\n[2024-03-01 10:00] Alice: up"], ["好"]] == contents(found)


def test_a_dated_line_without_a_speaker_is_a_system_message() -> None:
    """Messengers write notices so; numbers may stand for names."""
    assert [("system", None), ("user", "Alice"), ("user", "+44 7700 900123")] == speakers(
        SAMPLES / "messenger.txt"
    )
    assert "Yes: at noon\nbring cake" == contents(turns(SAMPLES / "messenger.txt"))[-1][0]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["2024年3月1日10：00 甲：x"], "2024-03-01T10:00:00"),
        (["2024/3/1 9:05 甲: x"], "2024-03-01T09:05:00"),
        (["2024-03-01 10:00:00.5Z A: x"], "2024-03-01T10:00:00.500000+00:00"),
    ],
)
def test_dates_are_read_as_their_file_writes_them(
    tmp_path: Path, lines: list[str], expected: str
) -> None:
    """The year comes first; the zone and parts of a second may be left out."""
    path = written(tmp_path / "a.txt", "\n".join(lines))
    assert expected == times(path)[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, ("user", None)) for name in ("User", "human", "ME", "我", "用户")),
        *(
            (name, ("assistant", None))
            for name in ("Assistant", "AI", "bot", "ChatGPT", "Claude", "助手", "机器人")
        ),
        ("System", ("system", None)),
    ],
)
def test_speakers_have_roles(tmp_path: Path, name: str, expected: tuple[str, str | None]) -> None:
    """Known words are roles in any case."""
    path = written(tmp_path / "a.txt", f"{name}: hello\n")
    assert [expected] == speakers(path)


def test_a_time_that_does_not_exist_is_a_problem(tmp_path: Path) -> None:
    """The message is left out with all its lines, and the next one is read."""
    path = written(
        tmp_path / "a.txt",
        "[2024-02-30 10:00] A: x\nmore\n[2024-02-29 10:00] 乙: 好\n[2024-02-29 25:00] A: z\n",
    )
    found, problems = read(path)
    assert [["好"]] == contents(found)
    assert ["line 1", "line 4"] == [problem.where for problem in problems]
    assert problems[0].message.startswith("there is no such time")


def test_text_before_the_first_message_is_a_problem(tmp_path: Path) -> None:
    """It is said once."""
    path = written(tmp_path / "a.txt", "A talk\nof two\nUser: 你好\nAssistant: 好\nUser: bye\n")
    found, problems = read(path)
    assert ["line 1"] == [problem.where for problem in problems]
    assert [["你好", "好"], ["bye"]] == contents(found)


@pytest.mark.parametrize(
    "content",
    [
        "name: x\nversion: 2\nuser: root\n",
        "# Notes\n\nNothing here: at all.\n",
        '{"a": 1}',
        "一段没有对话的文字。",
        "Alice: hi\nBob: hello\n",
    ],
)
def test_a_format_that_is_not_sure_has_to_be_named(tmp_path: Path, content: str) -> None:
    """The sentence lists the formats."""
    with pytest.raises(UsageError, match="the formats are jsonl, json, chatgpt, claude, tr"):
        open_history(written(tmp_path / "a.txt", content))


def test_the_beginning_tells_the_format_whatever_the_name(tmp_path: Path) -> None:
    """Each sample under a name that says nothing gives the same session's worth of turns."""
    for sample in sorted(SAMPLES.iterdir()):
        renamed = written(tmp_path / sample.stem, sample.read_bytes())
        assert [turn.key for turn in turns(sample)] == [turn.key for turn in turns(renamed)]


def test_a_first_line_longer_than_the_beginning_is_still_jsonl(tmp_path: Path) -> None:
    """A turn may be long."""
    line = '{"messages": [{"role": "user", "content": "' + "长" * 70_000 + '"}]}'
    assert [["长" * 70_000]] == contents(turns(written(tmp_path / "a.log", line)))


def test_an_unknown_format_is_refused() -> None:
    """The nearest name is offered."""
    assert ("jsonl", "json", "chatgpt", "claude", "transcript") == FORMATS
    with pytest.raises(UsageError, match=r"did you mean 'chatgpt'.*auto, jsonl, json, chatgpt"):
        open_history(SAMPLES / "chatgpt.json", "chatgtp")
    with pytest.raises(UsageError, match="is not a transcript"):
        open_history(SAMPLES / "claude.json", "transcript")


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        ("用户：你好\n助手：好\n".encode("gbk"), "is not a text in UTF-8"),
        ("User: hi\nAI: ho\n".encode("utf-16-le"), "is not a text in UTF-8"),
        (b"User: " + b"x" * 70_000 + b"\xff", "is not a text in UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "is not a text in UTF-8"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, wrong: str) -> None:
    """The sentence names the file and says why."""
    path = written(tmp_path / "a.txt", content)
    with pytest.raises(UsageError, match=wrong) as refused:
        open_history(path)
    assert refused.value.message.startswith(str(path))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A folder, and a path where nothing is."""
    with pytest.raises(UsageError, match="it is not a file"):
        open_history(tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        open_history(tmp_path / "没有.txt")


@pytest.mark.parametrize(
    "lines",
    [
        ["**User:** 用 SQLite 吧", "**Assistant:** ok", "- **fast**: yes", "**User:** thanks"],
        ["__User__: 用 SQLite 吧", "__Assistant__: ok", "- **fast**: yes", "__User__: thanks"],
        ["## User", "用 SQLite 吧", "## Assistant", "ok", "- **fast**: yes", "## User", "thanks"],
        ["**用户：** 用 SQLite 吧", "**助手：** ok", "- **fast**: yes", "**用户：** thanks"],
        [
            "### **用户**",
            "",
            "用 SQLite 吧",
            "### 助手",
            "ok",
            "- **fast**: yes",
            "### 用户",
            "thanks",
        ],
    ],
    ids=lambda lines: lines[0],
)
def test_speakers_stand_out_in_markdown(tmp_path: Path, lines: list[str]) -> None:
    """Bold names and headings begin messages; bold words inside a message do not."""
    file = tmp_path / "chat.md"
    file.write_text("\n".join(lines), encoding="utf-8")
    found = turns(file, "auto")
    assert [["用 SQLite 吧", "ok\n- **fast**: yes"], ["thanks"]] == contents(found)
    assert {("user", None), ("assistant", None)} == set(speakers(file, "auto"))
