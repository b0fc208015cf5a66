"""Bad input: each is refused with a class, a code and one line, and nothing is written.

In: a table of calls that are wrong in one place. Out: the error, and the same rows as before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flow_builders import user

from smartbrain import NotFound, SmartBrain, SmartBrainError, UsageError

HALF = "\ud83d"  # one half of an emoji, which UTF-8 cannot write
HUGE = "x" * 100_000
LOOP: list[Any] = []
LOOP.append(LOOP)
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


def messages(**part: Any) -> list[dict[str, Any]]:
    """Return one message with some of its fields replaced."""
    return [{"role": "user", "content": "x", **part}]


def call(**part: Any) -> dict[str, Any]:
    """Return one tool call with some of its fields replaced."""
    return {"tool_calls": [{"name": "t", **part}]}


def ref(**part: Any) -> dict[str, Any]:
    """Return one ref with some of its fields replaced."""
    return {"refs": [{"ref_type": "url", "ref_uri": "u", **part}]}


def at(time: Any) -> dict[str, Any]:
    """Return a turn of that time."""
    return {"at": time, "messages": [user("x")]}


def proposed(type_name: str, **part: Any) -> dict[str, Any]:
    """Return a turn that proposes one memory."""
    return {type_name: [part]}


EVENTS: list[tuple[str, str, object]] = [
    # what is wrong, the code, the turn events
    ("nothing", "usage", None),
    ("text", "usage", "hello"),
    ("bytes", "usage", b"hello"),
    ("a number", "usage", 5),
    ("a set", "usage", {"messages"}),
    ("an iterator", "usage", iter([user("x")])),
    ("an empty list", "usage", []),
    ("an empty dict", "usage", {}),
    ("only a time", "usage", {"at": 0}),
    ("empty lists", "usage", {"messages": [], "tool_calls": [], "refs": [], "tasks": []}),
    ("messages no list", "usage", {"messages": user("x")}),
    ("messages a text", "usage", {"messages": "x"}),
    ("tool_calls no list", "usage", {"tool_calls": 5}),
    ("a message that is text", "usage", ["hi"]),
    ("a message that is nothing", "usage", [None]),
    ("a good message and a bad one", "usage", [user("x"), {"content": "y"}]),
    ("no role", "usage", [{"content": "x"}]),
    ("an unknown role", "usage", messages(role="User")),
    ("a Chinese role", "usage", messages(role="用户")),
    ("a role that is a number", "usage", messages(role=1)),
    ("a huge role", "usage", messages(role=HUGE)),
    ("a role of two lines", "usage", messages(role="a\nb")),
    ("half a character as role", "usage", messages(role=HALF)),
    ("content bytes", "usage", messages(content=b"x")),
    ("content a number", "usage", messages(content=5)),
    ("half a character in content", "usage", messages(content=f"表情 {HALF}")),
    ("half a character in name", "usage", messages(name=HALF)),
    ("half a character in id", "usage", messages(id=HALF)),
    ("half a character in model", "usage", messages(model=HALF)),
    ("half a character in meta", "usage", messages(meta={"a": [HALF]})),
    ("half a character in a key of meta", "usage", messages(meta={HALF: 1})),
    ("half a character in an unknown field", "usage", messages(**{HALF: 1})),
    ("half a character in an unknown list", "usage", {"messages": messages(), HALF: []}),
    ("a huge unknown field", "usage", messages(**{HUGE: 1})),
    ("name a number", "usage", messages(name=5)),
    ("a huge name", "usage", messages(name=HUGE)),
    ("id a number", "usage", messages(id=5)),
    ("a huge id", "usage", messages(id=HUGE)),
    ("a huge model", "usage", messages(model=HUGE)),
    ("NaN in meta", "usage", messages(meta={"p": math.nan})),
    ("bytes in meta", "usage", messages(meta={"p": b"x"})),
    ("a set in meta", "usage", messages(meta={"p": {1}})),
    ("meta a list", "usage", messages(meta=[1])),
    ("meta a text", "usage", messages(meta="x")),
    ("a call without a name", "usage", {"tool_calls": [{"result": "x"}]}),
    ("a call with an empty name", "usage", call(name="")),
    ("a call with a huge name", "usage", call(name=HUGE)),
    ("a call with a huge id", "usage", call(id=HUGE)),
    ("half a character in a call's name", "usage", call(name=HALF)),
    ("half a character in a call's id", "usage", call(id=HALF)),
    ("half a character in a result", "usage", call(result=HALF)),
    ("half a character deep in a result", "usage", call(result={"a": [{"b": HALF}]})),
    ("half a character in args", "usage", call(args={HALF: 1})),
    ("half a character in stdout", "usage", call(stdout=HALF)),
    ("half a character in stderr", "usage", call(stderr=HALF)),
    ("NaN as result", "usage", call(result=math.nan)),
    ("infinity in args", "usage", call(args={"a": [-math.inf]})),
    ("bytes as result", "usage", call(result=b"x")),
    ("bytes in args", "usage", call(args={"a": [{"b": b"x"}]})),
    ("an object as result", "usage", call(result=object())),
    ("a list that holds itself", "usage", call(result=LOOP)),
    ("a result nested without end", "usage", call(result=DEEP)),
    ("two keys of one spelling", "usage", call(args={1: "a", "1": "b"})),
    ("stdout a number", "usage", call(stdout=5)),
    ("stderr bytes", "usage", call(stderr=b"x")),
    ("exit code text", "usage", call(exit_code="1")),
    ("exit code true", "usage", call(exit_code=True)),
    ("exit code 1.0", "usage", call(exit_code=1.0)),
    ("a huge exit code", "usage", call(exit_code=10**30)),
    ("an unknown status", "usage", call(status="failed")),
    ("a ref without a type", "usage", {"refs": [{"ref_uri": "u"}]}),
    ("an unknown type of ref", "usage", ref(ref_type="book")),
    ("a ref without a uri", "usage", {"refs": [{"ref_type": "url"}]}),
    ("an empty uri", "usage", ref(ref_uri="")),
    ("half a character in a uri", "usage", ref(ref_uri=HALF)),
    ("ref_meta a list", "usage", ref(ref_meta=[])),
    ("words as time", "bad_time", at("yesterday")),
    ("Chinese words as time", "bad_time", at("昨天下午")),
    ("empty time", "bad_time", at("")),
    ("a month that is none", "bad_time", at("2020-13-01")),
    ("milliseconds", "bad_time", at(1_582_968_600_000)),
    ("NaN as time", "bad_time", at(math.nan)),
    ("infinity as time", "bad_time", at(-math.inf)),
    ("true as time", "bad_time", at(True)),
    ("a list as time", "bad_time", at([2020])),
    ("a date", "bad_time", at(date(2020, 1, 1))),
    ("before year 1", "bad_time", at(-99_999_999_999)),
    ("year 1 east of UTC", "bad_time", at("0001-01-01T00:00:00+14:00")),
    (
        "year 9999 west of UTC",
        "bad_time",
        at(datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))),
    ),
    ("half a character as time", "bad_time", at(HALF)),
    ("proposals no list", "usage", {"tasks": {"key": "task:a:b", "title": "x"}}),
    ("a proposal that is text", "usage", {"tasks": ["task:a:b"]}),
    ("a key of another type", "bad_key", proposed("tasks", key="pref:ui:x", title="x")),
    ("a key that lacks a part", "bad_key", proposed("tasks", key="task:a", title="x")),
    ("a key with blanks", "bad_key", proposed("tasks", key="task:a b:c", title="x")),
    ("a key that is a number", "bad_key", proposed("tasks", key=5, title="x")),
    ("a key of ids alone", "bad_key", proposed("facts", key="fact:" + "0" * 32 + ":" + "1" * 32)),
    ("a huge key", "bad_key", proposed("facts", key=f"fact:a:{HUGE}", value=1)),
    ("a scope that is none", "bad_key", proposed("preferences", key="pref:food:x", value=1)),
    ("no key and nothing to make it of", "bad_key", proposed("decisions", decision="用 SQLite")),
    ("half a character in a key", "usage", proposed("facts", key=f"fact:a:{HALF}", value=1)),
    ("half a character in a value", "usage", proposed("facts", key="fact:a:b", value=HALF)),
    ("NaN in a value", "usage", proposed("facts", key="fact:a:b", value=math.nan)),
    ("bytes in a value", "usage", proposed("facts", key="fact:a:b", value=b"x")),
    ("a value without its main field", "bad_value", proposed("decisions", key="decision:a:b")),
    (
        "a status that is none",
        "bad_value",
        proposed("tasks", key="task:a:b", title="x", status="完成"),
    ),
    ("a due date that is none", "bad_value", proposed("tasks", key="task:a:b", due="tomorrow")),
    ("a value too large", "bad_value", proposed("facts", key="fact:a:b", value=HUGE)),
    ("a confidence in words", "bad_value", proposed("facts", key="f", value=1, confidence="high")),
    ("a confidence of 7", "bad_value", proposed("facts", key="f", value=1, confidence=7)),
    ("confirmed in words", "bad_value", proposed("facts", key="f", value=1, confirmed="yes")),
    ("remember a number", "bad_value", proposed("facts", key="f", value=1, remember=1)),
    ("evidence no list", "bad_value", proposed("facts", key="f", value=1, evidence_refs="t")),
    ("a retraction without a type", "usage", proposed("retractions", key="fact:a:b")),
    ("a retraction of no type", "usage", proposed("retractions", type="taskz", key="task:a:b")),
    ("a retraction without a key", "bad_key", proposed("retractions", type="facts")),
    (
        "a retraction of another type",
        "bad_key",
        proposed("retractions", type="facts", key="task:a:b"),
    ),
]


def refused(brain: SmartBrain, error: type[SmartBrainError], action: Callable[[], object]) -> str:
    """Run something that must fail without a trace; return its code."""
    rows = brain.status().rows
    with pytest.raises(error) as caught:
        action()
    assert rows == brain.status().rows
    sentence = str(caught.value)
    assert sentence.encode()
    assert 1 == len(sentence.splitlines())
    assert 10 < len(sentence) < 500
    return caught.value.code


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmartBrain]:
    """One brain with a turn in it; nothing below may change it."""
    with SmartBrain.open(tmp_path_factory.mktemp("brain")) as opened:
        opened.commit_turn("s", [user("先有一轮")])
        yield opened


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("code", "events"), [row[1:] for row in EVENTS], ids=[r[0] for r in EVENTS]
)
def test_bad_turn_events_are_refused_and_nothing_is_written(
    brain: SmartBrain, code: str, events: object
) -> None:
    """The sentence is one short line, the code tells the kind."""
    assert code == refused(brain, UsageError, lambda: brain.commit_turn("s", events))


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    "value",
    [5, b"s", ["s"], "", " ", "\n", "\x00", "\u200b", HALF, HUGE],
    ids=lambda value: repr(value)[:20],
)
@pytest.mark.parametrize(
    "name", ["session_id", "turn_id", "run_id", "idempotency_key", "context_id"]
)
def test_a_bad_name_is_refused_and_nothing_is_written(
    brain: SmartBrain, name: str, value: Any
) -> None:
    """Whatever a call is named by is text of 1 to 512 characters that can be seen."""
    arguments = {"session_id": "s", "turn_events": [user("x")], name: value}
    rows = brain.status().rows
    with pytest.raises(UsageError, match=name) as caught:
        brain.commit_turn(**arguments)
    assert "usage" == caught.value.code
    assert rows == brain.status().rows


@pytest.mark.spec("S1")
def test_the_longest_names_are_taken(tmp_path: Path) -> None:
    """512 characters of any script are a name."""
    longest = "记" * 512
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn(
            longest, [user("x")], run_id=longest, context_id=longest, idempotency_key=longest
        )
        (turn,) = brain.sessions.turns(longest)
    assert (longest, longest, longest) == (turn.session_id, turn.run_id, turn.context_id)


@pytest.mark.spec("S1")
def test_a_step_of_no_turn_is_not_found(brain: SmartBrain) -> None:
    """An id that no turn of this tenant has, also if another tenant has it."""
    other = brain.tenant("other").commit_turn("s", [user("x")]).turn_id
    for turn_id in ("nothing", "00000000-0000-7000-8000-000000000000", other):
        step = partial(brain.commit_turn, "s", [user("x")], turn_id=turn_id)
        assert "not_found" == refused(brain, NotFound, step)


@pytest.mark.spec("S1")
def test_a_step_belongs_to_the_session_of_its_turn(brain: SmartBrain) -> None:
    """The turn of another session is not extended, not even with large output."""
    turn_id = brain.sessions.turns("s")[0].id
    events = {"tool_calls": [{"name": "t", "stdout": "输出 output\n" * 5000}]}
    code = refused(brain, UsageError, lambda: brain.commit_turn("another", events, turn_id=turn_id))
    assert "usage" == code


READS: list[tuple[str, str, Callable[[SmartBrain], object]]] = [
    ("usage", "session", lambda brain: brain.sessions.turns(5)),
    ("usage", "half a session", lambda brain: brain.sessions.turns(HALF)),
    ("usage", "after", lambda brain: brain.sessions.turns("s", after=-1)),
    ("usage", "huge after", lambda brain: brain.sessions.turns("s", after=10**30)),
    ("usage", "limit", lambda brain: brain.sessions.turns("s", limit=0)),
    ("usage", "limit of a list", lambda brain: brain.sessions.list(limit=1001)),
    ("usage", "cursor of sessions", lambda brain: brain.sessions.list(cursor="1")),
    ("usage", "huge cursor of sessions", lambda brain: brain.sessions.list(cursor="9" * 30 + ".1")),
    ("usage", "wide digits", lambda brain: brain.sessions.list(cursor="１.１")),
    ("usage", "limit true", lambda brain: brain.sessions.list(limit=True)),
    ("usage", "end", lambda brain: brain.sessions.end("")),
    ("not_found", "end of nothing", lambda brain: brain.sessions.end("nobody")),
    ("usage", "id", lambda brain: brain.memories.get(None)),
    ("usage", "half an id", lambda brain: brain.memories.get(f"mem_{HALF}")),
    ("not_found", "unknown id", lambda brain: brain.memories.get("mem_0")),
    ("not_found", "unknown key", lambda brain: brain.memories.get("fact:小明:城市")),
    ("bad_key", "key of no type", lambda brain: brain.memories.get("城市")),
    ("usage", "history", lambda brain: brain.memories.history(["x"])),
    ("usage", "type", lambda brain: brain.memories.list(type="taskz")),
    ("usage", "status", lambda brain: brain.memories.list(status="alive")),
    ("bad_time", "since", lambda brain: brain.memories.list(since="soon")),
    ("bad_time", "until", lambda brain: brain.memories.list(until=math.nan)),
    ("usage", "cursor", lambda brain: brain.memories.list(cursor="next")),
    ("usage", "huge cursor", lambda brain: brain.memories.list(cursor="9" * 30)),
    ("bad_tenant", "tenant", lambda brain: brain.tenant("")),
    ("bad_tenant", "tenant of a list", lambda brain: brain.tenant(["x"])),
    ("bad_tenant", "long tenant", lambda brain: brain.tenant("x" * 201)),
    ("bad_tenant", "half a tenant", lambda brain: brain.tenant(HALF)),
]


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("code", "read"), [row[::2] for row in READS], ids=[r[1] for r in READS])
def test_bad_reads_are_refused(
    brain: SmartBrain, code: str, read: Callable[[SmartBrain], object]
) -> None:
    """Reading tells the same kinds of error as writing."""
    assert code == refused(brain, SmartBrainError, lambda: read(brain))


@pytest.mark.spec("S1", "S9")
@pytest.mark.parametrize(
    "path",
    [
        5,
        None,
        "a\x00b",
        b"a\x00b",
        HALF,
        b"nowhere/\xff",
        "nowhere/\udcff",
        "~nobody-of-that-name/x",
    ],
)
def test_a_path_that_is_none_is_refused(path: Any) -> None:
    """Opening, listing and checking say `not_a_brain` alike."""
    for action in (SmartBrain.open, SmartBrain.tenants, SmartBrain.doctor):
        with pytest.raises(UsageError) as caught:
            action(path)
        assert "not_a_brain" == caught.value.code


@pytest.mark.spec("S1", "S9")
def test_a_file_is_no_brain(tmp_path: Path) -> None:
    """Neither is a folder below one; the file stays as it was."""
    file = tmp_path / "笔记.txt"
    file.write_text("mine", encoding="utf-8")
    for path in (file, file / "below"):
        with pytest.raises(UsageError, match=r"笔记\.txt is a file") as caught:
            SmartBrain.open(path)
        assert "not_a_brain" == caught.value.code
    assert "mine" == file.read_text(encoding="utf-8")


@pytest.mark.spec("S1", "S7")
@pytest.mark.parametrize("config", [5, ["timezone"], HALF, "no-such-file.yml", {"timezone": 5}])
def test_a_configuration_that_is_none_is_refused(tmp_path: Path, config: Any) -> None:
    """The code is `config` and the folder is not even made."""
    place = tmp_path / "brain"
    with pytest.raises(UsageError) as caught:
        SmartBrain.open(place, config=config)
    assert ("config", False) == (caught.value.code, place.exists())


@pytest.mark.spec("S1")
def test_a_clock_without_an_offset_is_refused(tmp_path: Path) -> None:
    """`datetime.now` without a zone is the usual slip; the sentence says what to write."""
    with pytest.raises(UsageError, match="UTC") as caught:
        SmartBrain.open(tmp_path, clock=lambda: datetime.now(UTC).replace(tzinfo=None))
    assert "bad_time" == caught.value.code
