"""ChatGPT's and Claude's exports: the branch in use, tools, files, broken ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from history_files import SAMPLES, contents, keys, read, turns, written

from smartbrain.domain.turn import TurnEvents
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.errors import UsageError
from smartbrain.remember.import_history import source
from smartbrain.remember.input import read_turn_events

pytestmark = pytest.mark.spec("S1", "E4")


def node(
    parent: str | None, text: str | None = None, role: str = "user", **more: Any
) -> dict[str, Any]:
    """Build a node of ChatGPT's tree."""
    content = {"content_type": "text", "parts": [text]}
    message = {"author": {"role": role}, "content": content, **more}
    return {"parent": parent, "message": None if text is None else message}


def chat(mapping: Any, **more: Any) -> dict[str, Any]:
    """Build a conversation of ChatGPT."""
    return {"conversation_id": "c1", "title": "T", "mapping": mapping, **more}


def talk(*messages: Any, **more: Any) -> dict[str, Any]:
    """Build a conversation of Claude."""
    return {"uuid": "k1", "name": "N", "chat_messages": list(messages), **more}


def human(text: str, **more: Any) -> dict[str, Any]:
    """Build a user's message of Claude's export."""
    return {"uuid": "m", "sender": "human", "text": text, **more}


def saved(path: Path, document: Any) -> Path:
    """Write a document."""
    return written(path, json.dumps(document))


def committed(path: Path) -> list[TurnEvents]:
    """Return the turns of an export as they are committed."""
    given = [turn.events for turn in turns(path)]
    zone = ZoneInfo("UTC")
    return [read_turn_events(one, zone=zone, types=BUILTIN_TYPES)[0] for one in given]


def test_chatgpt_is_read_along_the_branch_in_use() -> None:
    """The answer that was thrown away is not read; thoughts are kept apart from what was said."""
    found = turns(SAMPLES / "chatgpt.json")
    assert [
        ["How long should the dough rest?", "Overnight, in the fridge."],
        ["Is this crumb open enough?", "", "print(48 / 60)", "0.8", "Yes: 80% of it is open."],
        ["你好，想聊哪本书？"],
        ["我在读《围城》，请用中文回答", "好的。"],
    ] == contents(found)
    assert ["conv-bread", "conv-book"] == [turn.session_id for turn in found[1:3]]
    assert "2024-03-01T10:00:00.250000+00:00" == found[0].events["at"]
    assert "at" not in found[2].events


def test_chatgpt_says_who_spoke_and_with_what() -> None:
    """Models, tools, thoughts and files are where a turn's events have them."""
    first, second, *_ = turns(SAMPLES / "chatgpt.json")
    assert "gpt-4o" == first.events["messages"][1]["model"]
    thought, code, output = second.events["messages"][1:4]
    assert ["They are even."] == [one["content"] for one in thought["meta"]["thinking"]]
    assert ("python", "code") == (code["meta"]["recipient"], code["meta"]["content_type"])
    assert ("tool", "python") == (output["role"], output["name"])
    image, table = second.events["refs"]
    assert ("file-service://file-crumb", "crumb.png") == (
        image["ref_uri"],
        image["ref_meta"]["name"],
    )
    assert ("file-service://file-log", "log.csv") == (table["ref_uri"], table["ref_meta"]["name"])


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "tether_quote", "url": "https://e.com", "text": "引文"}, "引文"),
        ({"content_type": "tether_browsing_display", "result": "page"}, "page"),
        ({"content_type": "system_error", "name": "E", "text": "broke"}, "broke"),
        ({"content_type": "multimodal_text", "parts": [{"text": "spoken"}, "and"]}, "spoken\nand"),
    ],
)
def test_other_contents_of_chatgpt_keep_what_they_say(
    tmp_path: Path, content: dict[str, Any], text: str
) -> None:
    """Text is found in any of them, whatever its kind."""
    tree = {"a": node(None, "x", content=content)}
    (turn,) = turns(saved(tmp_path / "a.json", [chat(tree, current_node="a")]))
    message = turn.events["messages"][0]
    assert text == message["content"]
    assert content["content_type"] == message["meta"]["content_type"]


@pytest.mark.parametrize(
    ("tree", "wrong", "left"),
    [
        ([], "'a' is not in the export", []),
        ({"a": node("b", "x"), "b": node("a", "y")}, "stands twice", []),
        ({"a": node("gone", "x")}, "'gone' is not in the export", []),
        ({"b": node(None, "y"), "a": node("b", "x", role="wizard")}, "'wizard'", [["y"]]),
        ({"b": node(None, "y"), "a": node("b", "x", create_time="soon")}, "not a time", [["y"]]),
        ({"b": node(None, "y"), "a": node("b", "x", author=[])}, "message a", [["y"]]),
    ],
)
def test_a_broken_conversation_of_chatgpt_is_named(
    tmp_path: Path, tree: Any, wrong: str, left: list[list[str]]
) -> None:
    """As much of it as can be read is, and the next conversation goes on."""
    good = chat({"z": node(None, "后")}, conversation_id="c2", current_node="z")
    path = saved(tmp_path / "a.json", [chat(tree, current_node="a"), 5, {"id": "x"}, good])
    found, problems = read(path)
    assert [*left, ["后"]] == contents(found)
    assert ["conversation 1", "conversation 2", "conversation 3"] == [
        problem.where.removesuffix(" (T)") for problem in problems
    ]
    assert wrong in problems[0].message
    assert str(problems[0]).startswith(str(path))


def test_a_conversation_without_an_id_is_a_problem(tmp_path: Path) -> None:
    """Without one its turns could not be told from another's."""
    found, problems = read(saved(tmp_path / "a.json", [talk(human("a"), uuid=None)]))
    assert [] == found
    assert ["the conversation's id must be text, not nothing"] == [one.message for one in problems]


def test_claude_pairs_tools_and_names_files() -> None:
    """Text comes from the content, or from the old field where there is none."""
    found = committed(SAMPLES / "claude.json")
    assert [
        ["What grows in shade?", "Ferns and hostas."],
        ["Thanks"],
        ["客厅刷什么颜色？", "米白色。"],
    ] == [[message.content for message in events.messages] for events in found]
    first = found[0]
    assert first.at is not None
    assert "2025-04-02T08:00:00.123456+00:00" == first.at.isoformat()
    assert [("toolu_1", "web_search", {"query": "shade plants"}, "ferns, hostas", "ok")] == [
        (one.call_id, one.name, one.args, one.result, one.status) for one in first.tool_calls
    ]
    assert ["beds.txt", "yard.jpg"] == [ref.ref_uri for ref in first.refs]
    thought = {"type": "thinking", "thinking": "Look it up first."}
    assert [thought] == first.messages[1].meta["thinking"]


def test_claude_results_without_ids_answer_calls_of_their_name(tmp_path: Path) -> None:
    """In order; one that answers nothing is kept as a call of its own."""
    blocks = [
        {"type": "tool_use", "id": None, "name": "查", "input": {"q": 1}},
        {"type": "tool_use", "id": None, "name": "查", "input": {"q": 2}},
        {"type": "tool_result", "name": "查", "content": "一"},
        {"type": "tool_result", "name": "查", "content": [{"type": "image"}], "is_error": True},
        {"type": "tool_result", "tool_use_id": "t9", "name": "other", "content": "alone"},
    ]
    reply = {"uuid": "r", "sender": "assistant", "content": blocks}
    (turn,) = committed(saved(tmp_path / "a.json", [talk(human("查一下"), reply)]))
    assert [
        (None, "查", {"q": 1}, "一", "ok"),
        (None, "查", {"q": 2}, '[{"type":"image"}]', "error"),
        ("t9", "other", None, "alone", "ok"),
    ] == [(one.call_id, one.name, one.args, one.result, one.status) for one in turn.tool_calls]


@pytest.mark.parametrize(
    ("messages", "wrong"),
    [
        ([human("x", sender="ghost")], "message m: its sender 'ghost'"),
        ([human("x", created_at="soon")], "message m: 'soon' is not a time"),
        ([5], "message 1: its sender None"),
    ],
)
def test_a_broken_message_of_claude_is_named(
    tmp_path: Path, messages: list[Any], wrong: str
) -> None:
    """The other messages of its conversation are read."""
    found, problems = read(saved(tmp_path / "a.json", [talk(*messages, human("好"))]))
    assert [["好"]] == contents(found)
    assert ["conversation 1 (N)"] == [problem.where for problem in problems]
    assert problems[0].message.startswith(wrong)


def test_a_newer_export_gives_the_same_keys_for_the_turns_it_shares(tmp_path: Path) -> None:
    """Another order, another title and further turns do not touch those that are there."""
    for name in ("chatgpt.json", "claude.json"):
        document = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
        before = keys(turns(SAMPLES / name))
        newer = [{**one, "title": "renamed", "name": "改名"} for one in reversed(document)]
        extra = (
            talk(human("x"), uuid="n")
            if name == "claude.json"
            else chat({"q": node(None, "x")}, current_node="q")
        )
        after = keys(turns(saved(tmp_path / name, [extra, *newer])))
        assert len(before) + 1 == len(after)
        assert set(before) < set(after)


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ('[{"mapping": {"a"', "not valid JSON"),
        ("[]", "is not a chatgpt export"),
        ('{"users": []}', "is not a chatgpt export"),
        ('[{"uuid": "k", "chat_messages": []}]', "is not a chatgpt export"),
        ("Alice: hi", "not valid JSON"),
        ("[" * 99_999, "nested more than"),
        (b'[{"mapping": {}, "t": "' + b"x" * 70_000 + b'\xff"}]', "is not a text in UTF-8"),
    ],
)
def test_what_is_no_export_is_refused(tmp_path: Path, content: str | bytes, wrong: str) -> None:
    """The sentence names the file once and says what is wrong."""
    path = written(tmp_path / "a.json", content)
    with pytest.raises(UsageError, match=wrong) as refused:
        read(path, "chatgpt")
    assert 1 == refused.value.message.count(str(path))


def test_an_export_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence says what to do; so it does of an archive."""
    monkeypatch.setattr(source, "_MAX_BYTES", 1_000)
    with pytest.raises(UsageError, match=r"larger than 1,000 bytes"):
        read(saved(tmp_path / "a.json", [talk(human("x" * 2_000))]))
    with pytest.raises(UsageError, match="archives, images"):
        read(written(tmp_path / "a.zip", b"PK\x03\x04\x14\x00\xfe"))
