"""Turns of OpenAI's and Anthropic's agents, committed as they come and read back.

In: what the SDKs give, at once or step by step. Out: the stored turn; each text in it once.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message as AnthropicMessage
from flow_builders import table_rows, user
from openai.types.chat import ChatCompletionMessage

from smartbrain import SmartBrain, UsageError
from smartbrain.domain.turn import CallStatus, RefType, Turn

OUTPUT = "北京 25°C, sunny, 湿度 40%"


def stored(brain: SmartBrain) -> Turn:
    """Return the only turn of the session."""
    (turn,) = brain.sessions.turns("s")
    return turn


def openai_loop() -> list[Any]:
    """Return a whole tool loop of OpenAI's."""
    function = {"name": "weather", "arguments": '{"城市": "北京"}'}
    call = {"id": "c1", "type": "function", "function": function}
    return [
        {"role": "system", "content": "You are brief."},
        user("北京天气怎么样？"),
        ChatCompletionMessage.model_validate({"role": "assistant", "tool_calls": [call]}),
        {"role": "tool", "tool_call_id": "c1", "content": OUTPUT},
        ChatCompletionMessage(role="assistant", content="晴，25 度。"),
    ]


def anthropic_loop() -> list[Any]:
    """Return the same loop of Anthropic's."""
    use = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"城市": "北京"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": OUTPUT}
    blocks = [{"type": "text", "text": "晴，25 度。"}]
    return [
        {"role": "system", "content": "You are brief."},
        user("北京天气怎么样？"),
        AnthropicMessage.construct(role="assistant", type="message", content=[use]),
        {"role": "user", "content": [result]},
        AnthropicMessage.construct(role="assistant", type="message", content=blocks),
    ]


LOOPS = pytest.mark.parametrize("loop", [openai_loop, anthropic_loop], ids=["openai", "anthropic"])


def check_loop(turn: Turn) -> None:
    """Both providers' loops are the same turn."""
    assert [
        ("system", "You are brief."),
        ("user", "北京天气怎么样？"),
        ("assistant", ""),
        ("assistant", "晴，25 度。"),
    ] == [(message.role, message.content) for message in turn.messages]
    assert [("c1", "weather", {"城市": "北京"}, OUTPUT, CallStatus.OK)] == [
        (call.call_id, call.name, call.args, call.result, call.status) for call in turn.tool_calls
    ]


@pytest.mark.spec("S1", "E1", "W6")
@LOOPS
def test_a_tool_loop_is_stored_as_one_turn(tmp_path: Path, loop: Any) -> None:
    """Before and after closing, with one artifact and the tool's text once."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", loop())
        check_loop(stored(brain))
    with SmartBrain.open(tmp_path) as brain:
        check_loop(stored(brain))
        assert [] == SmartBrain.doctor(tmp_path).all()
    assert [("weather", CallStatus.OK, len(OUTPUT.encode()))] == [
        (artifact.tool_name, artifact.status, artifact.bytes) for artifact in result.artifacts
    ]
    assert () == result.explain.ignored
    rows = table_rows(tmp_path / "tenants/default/brain.db")["raw_chunks"]
    assert 1 == sum(OUTPUT.encode() in row for row in rows)


@pytest.mark.spec("S1", "E1")
@LOOPS
def test_a_growing_list_is_one_turn(tmp_path: Path, loop: Any) -> None:
    """The call is stored while it runs and completed by the step that brings its result."""
    messages = loop()
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", messages[:2]).turn_id
        for end in (3, 4, 5, 5):
            brain.commit_turn("s", messages[:end], turn_id=turn_id)
            status = [call.status for call in stored(brain).tool_calls]
            assert [CallStatus.UNKNOWN if end == 3 else CallStatus.OK] == status
        check_loop(stored(brain))
        assert [] == SmartBrain.doctor(tmp_path).all()


@pytest.mark.spec("S1", "E1")
@LOOPS
def test_steps_of_only_what_is_new_are_one_turn(tmp_path: Path, loop: Any) -> None:
    """A result that comes alone finds its call in the turn and keeps the call's name."""
    messages = loop()
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", messages[:2]).turn_id
        for message in messages[2:]:
            brain.commit_turn("s", [message], turn_id=turn_id)
        check_loop(stored(brain))
        assert [] == SmartBrain.doctor(tmp_path).all()


@pytest.mark.spec("S1", "E1", "E2")
def test_an_image_is_stored_as_a_ref_and_not_as_text(tmp_path: Path) -> None:
    """Not one letter of its base64 is in the database; the same image again is the same ref."""
    data = b64encode(bytes(range(256)) * 50).decode()
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    source = {"type": "base64", "media_type": "image/png", "data": data}
    with SmartBrain.open(tmp_path) as brain:
        turn_id = brain.commit_turn("s", [{"role": "user", "content": [url]}]).turn_id
        step = {"role": "user", "content": [{"type": "image", "source": source}]}
        again = brain.commit_turn("s", [step], turn_id=turn_id)
        (ref,) = stored(brain).refs
        assert [] == SmartBrain.doctor(tmp_path).all()
    assert (RefType.ARTIFACT, "image/png", 12_800) == (
        ref.ref_type,
        ref.ref_meta["mime"],
        ref.ref_meta["bytes"],
    )
    codes = [reason.code for reason in again.explain.ignored]
    assert ["bytes_not_kept", "already_stored", "already_stored"] == codes
    assert data[:40] not in repr(table_rows(tmp_path / "tenants/default/brain.db"))


@pytest.mark.spec("S1", "W6")
def test_ten_thousand_calls_are_one_turn(tmp_path: Path) -> None:
    """They come back in their order, each with its own result."""
    calls = [
        {"id": f"c{n}", "function": {"name": "f", "arguments": f'{{"号": {n}}}'}}
        for n in range(10_000)
    ]
    results = [
        {"role": "tool", "tool_call_id": f"c{n}", "content": f"结果 {n}"} for n in range(10_000)
    ]
    asked = {"role": "assistant", "content": None, "tool_calls": calls}
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", [asked, *reversed(results)])
        turn = stored(brain)
    assert [({"号": n}, f"结果 {n}") for n in range(10_000)] == [
        (call.args, call.result) for call in turn.tool_calls
    ]
    assert (10_000, 1, ()) == (
        len(result.artifacts),
        len(turn.messages),
        result.explain.ignored,
    )


@pytest.mark.spec("S1")
def test_a_bad_part_leaves_nothing_behind(tmp_path: Path) -> None:
    """The good messages and calls before it are not written either."""
    bad = {"role": "user", "content": [{"type": "text", "text": "半 \ud83d"}]}
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", [user("先有一轮")])
        rows = brain.status().rows
        with pytest.raises(UsageError, match=r"^messages\[5\].content holds half a character"):
            brain.commit_turn("s", [*openai_loop(), bad])
        assert rows == brain.status().rows


@pytest.mark.spec("E4")
def test_objects_and_their_dicts_are_the_same_body(tmp_path: Path) -> None:
    """A retry after a restart, when only the JSON is left, is still the same call."""
    message = ChatCompletionMessage(role="assistant", content="好 done")
    with SmartBrain.open(tmp_path) as brain:
        first = brain.commit_turn("s", [message], idempotency_key="k")
        again = brain.commit_turn("s", [message.model_dump()], idempotency_key="k")
    assert (first.turn_id, True) == (again.turn_id, again.replayed)


@pytest.mark.spec("E1", "W6")
@pytest.mark.parametrize("given", ['{"城市": "北', "{'city': 'Oslo'}", "NaN", "城市=北京"])
def test_arguments_that_are_no_json_are_kept_and_reported(tmp_path: Path, given: str) -> None:
    """The call is there with the text that the model gave, and the result says why."""
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": given}}
    with SmartBrain.open(tmp_path) as brain:
        said = [user("Oslo?"), {"role": "assistant", "content": None, "tool_calls": [call]}]
        result = brain.commit_turn("s", said)
        (kept,) = stored(brain).tool_calls
    (reason,) = result.explain.ignored
    assert ("weather", given) == (kept.name, kept.args)
    assert "arguments_not_json" == reason.code
    assert "messages[1].tool_calls[0].arguments" in reason.reason


@pytest.mark.spec("E1", "W6")
@pytest.mark.parametrize("given", ["", "{}", '{"城市": "北京"}'])
def test_arguments_that_are_json_or_none_are_not_reported(tmp_path: Path, given: str) -> None:
    """Some servers send nothing at all for a tool that takes nothing."""
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": given}}
    with SmartBrain.open(tmp_path) as brain:
        said = [user("Oslo?"), {"role": "assistant", "content": None, "tool_calls": [call]}]
        assert () == brain.commit_turn("s", said).explain.ignored
