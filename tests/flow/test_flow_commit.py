"""What goes into `commit_turn` comes out of `brain.sessions.turns`, whole and at its own time.

In: turns in every form a caller may use. Out: the same texts, outputs, refs and times.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import apsw
import pytest
from flow_builders import START, assistant, fake_brain, user

from smartbrain import AdapterError, SmartBrain
from smartbrain.domain.turn import (
    CallStatus,
    Message,
    Ref,
    RefType,
    Role,
    ToolCall,
    Turn,
    TurnEvents,
)

PARAGRAPH = (
    "以后都用中文回答，然后 we ship SmartBot 0.2 on Friday.\n\nThe driver did not start.\r\n"
)


def stored(brain: SmartBrain, session: str = "s") -> Turn:
    """Return the only turn of a session."""
    (turn,) = brain.sessions.turns(session)
    return turn


@pytest.mark.spec("E1", "S1")
@pytest.mark.parametrize(
    "given",
    [
        [user("蓝牙打不开 again"), assistant("先看日志")],
        (user("蓝牙打不开 again"), assistant("先看日志")),
        {"messages": [user("蓝牙打不开 again"), assistant("先看日志")]},
        TurnEvents(
            messages=(
                Message(id="", role=Role.USER, content="蓝牙打不开 again"),
                Message(id="", role=Role.ASSISTANT, content="先看日志"),
            )
        ),
    ],
    ids=["list", "tuple", "dict", "TurnEvents"],
)
def test_every_form_of_turn_events_is_the_same_turn(tmp_path: Path, given: object) -> None:
    """A list, a tuple, a dict and typed events are read alike."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", given)
        turn = stored(brain)
    assert (result.turn_id, "s", 1) == (turn.id, turn.session_id, turn.seq)
    assert [(Role.USER, "蓝牙打不开 again"), (Role.ASSISTANT, "先看日志")] == [
        (message.role, message.content) for message in turn.messages
    ]


@pytest.mark.spec("E1", "S1")
def test_typed_events_keep_every_field(tmp_path: Path) -> None:
    """What TurnEvents holds is stored as a dict of the same would be."""
    events = TurnEvents(
        at=START,
        messages=(
            Message(
                id="", role=Role.TOOL, content="42", name="计算器", external_id="m1", model="gpt",
                meta={"语言": ["zh", "en"]},
            ),
        ),
        tool_calls=(
            ToolCall(
                id="", name="calc", call_id="c1", args={"x": 1}, status=CallStatus.OK, exit_code=0,
                result={"答": 42}, stdout="42\n", stderr="",
            ),
        ),
        refs=(Ref(id="", ref_type=RefType.FILE, ref_uri="笔记.md", ref_meta={"line": 3}),),
        proposals={"tasks": [{"key": "task:SmartBot:发布", "title": "发布 0.2"}]},
    )  # fmt: skip
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", events)
        turn = stored(brain)
    message, call, ref = turn.messages[0], turn.tool_calls[0], turn.refs[0]
    assert ("计算器", "m1", "gpt", {"语言": ["zh", "en"]}) == (
        message.name, message.external_id, message.model, message.meta,
    )  # fmt: skip
    assert ("c1", {"x": 1}, {"答": 42}, "42\n", "") == (
        call.call_id, call.args, call.result, call.stdout, call.stderr,
    )  # fmt: skip
    assert ("笔记.md", {"line": 3}) == (ref.ref_uri, ref.ref_meta)
    assert (START, events.proposals) == (turn.at, turn.proposals)


TEXTS = {
    "english": "Let's ship on Friday.",
    "chinese": "我们周五发布。",
    "mixed": PARAGRAPH,
    "empty": "",
    "blank": " \n\t ",
    "nul": "a\x00b\x00",
    "crlf": "one\r\ntwo\rthree\n",
    "emoji": "👩‍👩‍👧‍👦 🇨🇳 👍🏽",
    "combining": "e\u0301 n\u0303 한국어 \u0928\u092e\u0938\u094d\u0924\u0947",
    "invisible": "\ufeff\u200b\u202eabc\u2028\u2029\x85\x1b[31m",
    "noncharacters": "\ufffe\uffff\U0010ffff\ufdd0",
    "long english": "The quick brown fox. " * 10_000,
    "long chinese": "今天天气很好，我们去公园散步。" * 5_000,
    "long mixed": PARAGRAPH * 2_000,
    "one long word": "x" * 200_000,
    "long emoji": "👩‍👩‍👧‍👦" * 20_000,
    "long combining": "e" + "\u0301" * 100_000,
}


@pytest.mark.spec("E1", "E2")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_comes_back_byte_for_byte(tmp_path: Path, text: str) -> None:
    """In a message, a result, stdout and stderr, before and after closing the brain."""
    call = {"name": "t", "result": text, "stdout": text, "stderr": text}
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", {"messages": [user(text)], "tool_calls": [call]})
        first = stored(brain)
    with SmartBrain.open(tmp_path) as brain:
        again = stored(brain)
        assert [] == SmartBrain.doctor(tmp_path).all()
    assert first == again
    (read,) = again.tool_calls
    assert [text.encode()] * 4 == [
        one.encode() for one in (again.messages[0].content, read.result, read.stdout, read.stderr)
    ]


@pytest.mark.spec("E1")
def test_a_message_without_content_is_an_empty_one(tmp_path: Path) -> None:
    """None beside tool calls, as providers send it, is stored as no text."""
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", [assistant(None), {"role": "user"}])
        assert ["", ""] == [message.content for message in stored(brain).messages]


RESULTS: list[Any] = [
    "plain", "", None, 0, False, 1.5, [], {}, [None], {"键": ["值", {"deep": True}]},
    "null", '{"a": 1}', 10**40, "第一行\n第二行",
]  # fmt: skip


@pytest.mark.spec("E1", "W6")
@pytest.mark.parametrize("result", RESULTS, ids=repr)
def test_a_tool_result_keeps_its_kind(tmp_path: Path, result: Any) -> None:
    """Text stays text, JSON stays JSON, and nothing stays nothing."""
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", {"tool_calls": [{"name": "t", "args": result, "result": result}]})
        (call,) = stored(brain).tool_calls
    assert (type(result), result) == (type(call.result), call.result)
    assert (type(result), result) == (type(call.args), call.args)
    assert (None, None) == (call.stdout, call.stderr)


@pytest.mark.spec("E1", "W6")
@pytest.mark.parametrize(
    ("given", "status", "exit_code"),
    [
        ({}, CallStatus.UNKNOWN, None),
        ({"exit_code": 0}, CallStatus.OK, 0),
        ({"exit_code": 1}, CallStatus.ERROR, 1),
        ({"exit_code": -9}, CallStatus.ERROR, -9),
        ({"exit_code": 3221225786}, CallStatus.ERROR, 3221225786),
        ({"exit_code": 1, "status": "ok"}, CallStatus.OK, 1),
        ({"status": "error"}, CallStatus.ERROR, None),
    ],
)
def test_a_call_without_a_status_has_that_of_its_exit_code(
    tmp_path: Path, given: dict[str, Any], status: CallStatus, exit_code: int | None
) -> None:
    """A status that is said beats the one read from the exit code."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", {"tool_calls": [{"name": "t", **given}]})
        (call,) = stored(brain).tool_calls
    assert (status, exit_code) == (call.status, call.exit_code)
    assert (status, exit_code) == (result.artifacts[0].status, result.artifacts[0].exit_code)


@pytest.mark.spec("E1")
def test_parts_keep_their_order(tmp_path: Path) -> None:
    """Messages, calls and refs come back as they were given, however many there are."""
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn(
            "s",
            {
                "messages": [user(f"第 {n}") for n in range(300)],
                "tool_calls": [{"name": f"t{n}"} for n in range(300)],
                "refs": [{"ref_type": "url", "ref_uri": f"u{n}"} for n in range(300)],
            },
        )
        turn = stored(brain)
    assert [f"第 {n}" for n in range(300)] == [message.content for message in turn.messages]
    assert [f"t{n}" for n in range(300)] == [call.name for call in turn.tool_calls]
    assert [f"u{n}" for n in range(300)] == [ref.ref_uri for ref in turn.refs]


@pytest.mark.spec("E1")
def test_refs_keep_their_type_uri_and_meta(tmp_path: Path) -> None:
    """A ref needs no message beside it."""
    refs = [
        {"ref_type": "file", "ref_uri": "src/记忆.py", "ref_meta": {"line": 7}},
        {"ref_type": "url", "ref_uri": "https://example.com/?q=蓝牙"},
        {"ref_type": "artifact", "ref_uri": "01a"},
    ]
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", {"refs": refs})
        found = stored(brain).refs
    assert [{"ref_meta": {}, **ref} for ref in refs] == [
        {"ref_type": ref.ref_type, "ref_uri": ref.ref_uri, "ref_meta": ref.ref_meta}
        for ref in found
    ]


TIMES: list[tuple[Any, str]] = [
    (datetime(2020, 2, 29, 9, 30, tzinfo=UTC), "2020-02-29T09:30:00+00:00"),
    (
        datetime(2020, 2, 29, 9, 30, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
        "2020-02-29T09:30:00-03:30",
    ),
    (datetime(2020, 2, 29, 9, 30), "2020-02-29T09:30:00+08:00"),  # noqa: DTZ001 - naive on purpose
    ("2020-02-29T09:30:00.000001", "2020-02-29T09:30:00.000001+08:00"),
    ("2020-02-29", "2020-02-29T00:00:00+08:00"),
    ("2020-02-29T09:30:00-05:00", "2020-02-29T09:30:00-05:00"),
    ("2020-02-29T09:30:00Z", "2020-02-29T09:30:00+00:00"),
    ("1890-01-01T00:00:00+00:00", "1890-01-01T00:00:00+00:00"),
    ("1988-07-01", "1988-07-01T00:00:00+09:00"),  # there was summer time in Shanghai then
    (0, "1970-01-01T08:00:00+08:00"),
    (-86400, "1969-12-31T08:00:00+08:00"),
    (1582968600.25, "2020-02-29T17:30:00.250000+08:00"),
]


@pytest.mark.spec("S1", "S7")
@pytest.mark.parametrize(("at", "expected"), TIMES, ids=[repr(at) for at, _ in TIMES])
def test_a_turn_is_stored_at_its_own_time(tmp_path: Path, at: Any, expected: str) -> None:
    """Naive times are read in the configured time zone, and each turn keeps its offset."""
    with fake_brain(tmp_path, timezone="Asia/Shanghai") as brain:
        brain.commit_turn("s", {"at": at, "messages": [user("昨天的事")]})
        turn = stored(brain)
    assert expected == turn.at.isoformat()
    assert START <= turn.created_at < START + timedelta(minutes=1)


@pytest.mark.spec("S1")
def test_a_turn_without_a_time_is_of_now(tmp_path: Path) -> None:
    """The brain's clock says when."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("hi")])
        turn = stored(brain)
    assert turn.at == turn.created_at
    assert START <= turn.at < START + timedelta(minutes=1)


@pytest.mark.spec("S1")
def test_history_may_arrive_later_than_what_came_after_it(tmp_path: Path) -> None:
    """Turns keep the order of their commits, sessions span the times that were said."""
    with SmartBrain.open(tmp_path) as brain:
        for year in (2020, 2010, 2015):
            brain.commit_turn("s", {"at": f"{year}-01-01T00:00:00+08:00", "messages": [user("x")]})
        turns = brain.sessions.turns("s")
        (session,) = brain.sessions.list()
    assert [(1, 2020), (2, 2010), (3, 2015)] == [(turn.seq, turn.at.year) for turn in turns]
    assert {timedelta(hours=8)} == {turn.at.utcoffset() for turn in turns}
    assert (turns[1].at, turns[0].at, 3) == (session.started_at, session.last_at, session.turns)


@pytest.mark.spec("S1")
def test_sessions_are_read_in_pages(tmp_path: Path) -> None:
    """`after` goes on behind the last turn read; an unknown session is an empty one."""
    with SmartBrain.open(tmp_path) as brain:
        for n in range(5):
            brain.commit_turn("会话", [user(str(n))])
        first = brain.sessions.turns("会话", limit=3)
        rest = brain.sessions.turns("会话", after=first[-1].seq)
        assert [] == list(brain.sessions.turns("another"))
    assert ["0", "1", "2"] == [turn.messages[0].content for turn in first]
    assert ["3", "4"] == [turn.messages[0].content for turn in rest]


@pytest.mark.spec("S1")
def test_a_session_ends_and_a_later_turn_opens_it_again(tmp_path: Path) -> None:
    """Ending is a mark, not a lock."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("hi")])
        brain.sessions.end("s")
        assert brain.sessions.list().items[0].ended_at is not None
        brain.commit_turn("s", [user("again")])
        assert brain.sessions.list().items[0].ended_at is None


@pytest.mark.spec("S1")
def test_input_that_is_not_understood_is_named(tmp_path: Path) -> None:
    """Unknown fields are no error; a message keeps its own, and each is said once."""
    events = {
        "messages": [user("hi", 温度=0.5, id="m1")],
        "tool_calls": [{"name": "t", "took_ms": 3}],
        "refs": [{"ref_type": "url", "ref_uri": "u", "title": "T"}],
        "mood": "fine",
        "taskz": [],
    }
    with SmartBrain.open(tmp_path) as brain:
        ignored = brain.commit_turn("s", events).explain.ignored
        assert {"温度": 0.5} == stored(brain).messages[0].meta
    places = ["tool_calls[0].took_ms", "refs[0].title", "mood", "taskz"]
    expected = [("unknown_field", place) for place in places]
    assert [("kept_in_meta", "messages[0].温度"), *expected] == [
        (reason.code, reason.reason.split(" ")[0]) for reason in ignored
    ]


@pytest.mark.spec("E2")
def test_small_text_that_was_altered_on_disk_is_not_returned(tmp_path: Path) -> None:
    """Text kept in the database is checked against its hash too, on reading and by the doctor."""
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", [user("ALPHA 一")])
        brain.commit_turn("other", [user("intact 完好")])
    database = apsw.Connection(str(tmp_path / "tenants/default/brain.db"))
    database.execute("UPDATE raw_chunks SET body = ? WHERE num = 1", ("ALPHA 二".encode(),))
    database.close()
    with SmartBrain.open(tmp_path) as brain:
        with pytest.raises(AdapterError) as caught:
            brain.sessions.turns("s")
        assert "intact 完好" == brain.sessions.turns("other")[0].messages[0].content
    assert "blob_corrupt" == caught.value.code
    found = SmartBrain.doctor(tmp_path).tenants[0].findings
    assert ["blob_corrupt"] == [finding.code for finding in found]


@pytest.mark.spec("S1", "M4")
@pytest.mark.parametrize("said", ["I prefer dark mode", "我喜欢深色主题"])
def test_a_turn_of_a_time_to_come_is_remarked_on(tmp_path: Path, said: str) -> None:
    """It is kept as it was given, and the result says that it outranks what is said from now on."""
    with fake_brain(tmp_path) as brain:
        ahead, near, now = (
            brain.commit_turn(f"s{at}", {"at": at, "messages": [user(said)]})
            for at in ("2099-01-01", START + timedelta(hours=12), None)
        )
        told = brain.explain(turn_id=ahead.turn_id).steps[0].retention[0]
    assert ("episode_ahead", True) == (told.code, "2099-01-01" in told.reason)
    assert ["episode", "episode"] == [one.explain.retention[0].code for one in (near, now)]
