"""A context package as messages: valid for the providers' own types, paired, alternating."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from anthropic.types import MessageParam
from context_builders import assistant, call, evidence, package, turn, user, valid_whole
from contract_strategies import records
from example_memory import PACKAGE
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter, ValidationError

from smartbrain.domain.context import Block, ContextPackage
from smartbrain.domain.context_messages import CONTINUE, EARLIER
from smartbrain.domain.packet import ShownMessage
from smartbrain.domain.rendered import own_words
from smartbrain.domain.turn import CallStatus, Role
from smartbrain.errors import UsageError

OPENAI: TypeAdapter[Any] = TypeAdapter(list[ChatCompletionMessageParam])
ANTHROPIC: TypeAdapter[Any] = TypeAdapter(list[MessageParam])
PNG = "iVBORw0KGgo="
IMAGE_URL = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
LINK_URL = {"type": "image_url", "image_url": {"url": "https://x.example/猫.png"}}
LINK = {"type": "image", "source": {"type": "url", "url": "https://x.example/猫.png"}}
PDF = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": PNG},
}
FILE = {
    "type": "file",
    "file": {"filename": "document.pdf", "file_data": f"data:application/pdf;base64,{PNG}"},
}
NOTE = {
    "type": "document",
    "title": "合同",
    "source": {"type": "text", "media_type": "text/plain", "data": "第一条"},
}
PAGES = {"type": "content", "content": [{"type": "text", "text": "第一条"}]}


def check_openai(messages: list[dict[str, Any]]) -> None:
    """Hold messages against OpenAI's types and its rules on roles and calls."""
    valid_whole(OPENAI.validate_python(messages, strict=False))
    assert [] == [one for one in messages[1:] if one["role"] == "system"]
    spoken = [one for one in messages if one["role"] != "system"]
    assert "user" == spoken[0]["role"]
    assert spoken[-1]["role"] in ("user", "tool")
    open_calls: list[str] = []
    for one in spoken:
        if one["role"] == "tool":
            open_calls.remove(one["tool_call_id"])
            continue
        assert [] == open_calls
        assert one["content"] or one.get("tool_calls")
        open_calls = [made["id"] for made in one.get("tool_calls", ())]
        for made in one.get("tool_calls", ()):
            assert isinstance(json.loads(made["function"]["arguments"]), dict)
            assert made["function"]["name"].isascii()
    assert [] == open_calls
    roles = [one["role"] for one in spoken]
    assert [] == [pair for pair in pairwise(roles) if pair in {("user",) * 2, ("assistant",) * 2}]


def check_anthropic(request: dict[str, Any]) -> None:
    """Hold a request against Anthropic's types and its rules on roles and pairs."""
    messages = request["messages"]
    valid_whole(ANTHROPIC.validate_python(messages, strict=False))
    assert request.keys() <= {"messages", "system"}
    roles = [one["role"] for one in messages]
    assert [("user", "assistant")[place % 2] for place in range(len(roles))] == roles
    assert "user" == roles[-1]
    made: list[str] = []
    seen: set[str] = set()
    for one in messages:
        content = one["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        assert all(part["text"].strip() for part in parts if part["type"] == "text")
        kinds = [part["type"] for part in parts]
        answered = [part["tool_use_id"] for part in parts if part["type"] == "tool_result"]
        assert made == answered
        assert ["tool_result"] * len(answered) == kinds[: len(answered)]
        made = [part["id"] for part in parts if part["type"] == "tool_use"]
        assert ["tool_use"] * len(made) == kinds[len(kinds) - len(made) :]
        assert seen.isdisjoint(made)
        seen.update(made)


@pytest.mark.spec("S1", "R15")
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda told: turn(*told),
            st.lists(
                st.one_of(
                    st.builds(
                        ShownMessage,
                        role=st.sampled_from(Role),
                        content=st.sampled_from(["", "hi", "你好", "👋 [E1] a — b", " "]),
                        name=st.sampled_from([None, "小李"]),
                        calls=st.lists(st.sampled_from(["call_1", "call_2", "x"])).map(tuple),
                    ),
                    st.builds(
                        call,
                        st.integers(1, 3),
                        status=st.sampled_from(CallStatus),
                        tool_name=st.sampled_from(["read", "读取 文件", ""]),
                        call_id=st.sampled_from(["call_1", "call_2", None, "有 空格", "z" * 90]),
                        args=st.sampled_from([None, {}, {"路径": 1}, "raw", [1]]),
                    ),
                ),
                max_size=5,
            ),
        ),
        max_size=4,
    ),
    st.sampled_from([None, "hi", "你好", ""]),
    st.booleans(),
    st.sampled_from([None, call(1), call(9)]),
)
def test_any_mixture_is_valid(turns: Any, message: Any, recalled: bool, result: Any) -> None:
    """Whatever turns hold, pairs are whole, roles alternate and nothing is empty."""
    shown = package(
        recent_turns=tuple(turns),
        user_message=message,
        evidence=(evidence("证据"),) if recalled else (),
        tool_result=result,
        system_blocks=(Block(type="system", text="Be kind."),),
    )
    check_openai(shown.messages())
    check_anthropic(shown.request("anthropic"))


@pytest.mark.spec("S1")
@settings(max_examples=25, deadline=None)
@given(records(ContextPackage))
def test_any_package_is_valid(shown: ContextPackage) -> None:
    """The same for whatever a package can be made of."""
    message = {"role": "user", "content": "现在呢？"}
    shown = ContextPackage.from_dict(shown.to_dict() | {"user_message": message})
    check_openai(shown.messages())
    check_anthropic(shown.request("anthropic"))


@pytest.mark.spec("S1")
def test_the_system_text_comes_once_and_first() -> None:
    """As a message for OpenAI, beside the messages for Anthropic; without any, neither has it."""
    first, *_ = PACKAGE.messages()
    request = PACKAGE.request("anthropic")
    assert {"role": "system", "content": request["system"]} == first
    assert all(block in PACKAGE.text() for block in request["system"].split("\n\n"))
    assert {"messages"} == package(user_message="hi").request("anthropic").keys()
    assert [{"role": "user", "content": "hi"}] == package(user_message="hi").messages("openai")
    assert {"messages": PACKAGE.messages()} == PACKAGE.request()
    check_openai(PACKAGE.messages())
    check_anthropic(request)


@pytest.mark.spec("S1", "R15")
def test_what_changes_stands_behind_the_closed_turns() -> None:
    """Notes, plan, working memory and budget are no part of the system text, which then stays."""
    slots: dict[str, Any] = {
        "system_blocks": (
            Block(type="system", text="Be kind."),
            Block(type="working_memory", text="Goal: 修好蓝牙"),
        ),
        "developer_blocks": (Block(type="budget", text="At most 8,192 tokens."),),
        "recent_turns": (turn(user("hi"), assistant("你好")),),
        "user_message": "And now?",
    }
    plain = package(**slots)
    noted = package(**slots, plan=PACKAGE.plan, notebook=PACKAGE.notebook)
    assert "=== [System] ===\nBe kind." == noted.request("anthropic")["system"]
    assert plain.messages()[:-1] == noted.messages()[:-1]
    last = noted.messages()[-1]["content"]
    marks = ("修好蓝牙", "[Budget]", "[Plan]", "日志指向驱动", "=== [User message] ===\nAnd now?")
    places = [last.index(mark) for mark in marks]
    assert sorted(places) == places
    assert "And now?" == own_words(last)


@pytest.mark.spec("S1")
def test_notes_alone_do_not_stand_for_a_message() -> None:
    """Where nobody spoke, the model is asked to go on behind the notes."""
    (only,) = package(notebook=PACKAGE.notebook).messages()
    assert only["content"].endswith(f"=== [User message] ===\n{CONTINUE}")


@pytest.mark.spec("R17")
def test_evidence_is_cited_by_its_number() -> None:
    """A long id of ours is shown by its end; the number leads to the evidence with all of it."""
    turn_id = "01a1e382-2d59-7ed7-ba3b-8e5542e9de64"
    found = evidence("证据", source_uri=f"turn:{turn_id}")
    file = evidence("more", source_uri="file:///docs/a-very-long-name-of-a-file.md")
    shown = package(evidence=(found, file), user_message="hi")
    assert turn_id not in shown.text()
    assert "— turn:…e9de64\n" in shown.text()
    assert "— file:///docs/a-very-long-name-of-a-file.md\n" in shown.text()
    marks = ("[E1]", "E2", "E3", "E0", "证据")
    assert [found, file, None, None, None] == [shown.cited(one) for one in marks]


@pytest.mark.spec("S1")
def test_the_waiting_turn_is_shown_once_behind_the_evidence() -> None:
    """A loop that hands over its message again does not see it twice; the result is in its pair."""
    result = call(2, text="Event 17", truncated=True)
    waiting = turn(
        user("修好蓝牙"),
        assistant("I look.", "call_1"),
        assistant("", "call_2"),
        call(1),
        call(2),
        number=2,
    )
    slots: dict[str, Any] = {
        "recent_turns": (turn(user("hi"), assistant("hello")), waiting),
        "evidence": (evidence("e"),),
        "tool_result": result,
    }
    alone, again = package(**slots), package(**slots, user_message="修好蓝牙")
    assert alone.messages() == again.messages()
    assert alone.request("anthropic") == again.request("anthropic")
    shown = again.messages()
    assert ["user", "assistant", "user", "assistant", "tool", "assistant", "tool"] == [
        one["role"] for one in shown
    ]
    assert shown[2]["content"].endswith("=== [User message] ===\n修好蓝牙")
    assert shown[2]["content"].startswith("=== [Evidence] ===\n[E1] task — turn:t1")
    assert "Event 17" in shown[-1]["content"]
    assert "Event 17" not in shown[-3]["content"]
    assert 1 == again.text().count("修好蓝牙")
    check_openai(shown)
    check_anthropic(again.request("anthropic"))


@pytest.mark.spec("S1")
def test_what_the_user_repeats_after_an_answer_is_a_new_message() -> None:
    """Only a turn without an answer can hold the message that is asked now."""
    shown = package(recent_turns=(turn(user("继续"), assistant("done")),), user_message="继续")
    assert ["继续", "done", "继续"] == [one["content"] for one in shown.messages()]


@pytest.mark.spec("S1")
def test_a_result_whose_call_is_not_shown_brings_its_call_along() -> None:
    """No result is an orphan, and no answer begins or ends a request."""
    shown = package(recent_turns=(turn(assistant("ok")),), tool_result=call(7, text="out"))
    assert [EARLIER, "ok"] == [one["content"] for one in shown.messages()[:2]]
    assert "call_7" == shown.messages()[-1]["tool_call_id"]
    quiet = package(recent_turns=(turn(user("hi"), assistant("ok")),))
    assert {"role": "user", "content": CONTINUE} == quiet.messages("anthropic")[-1]
    assert [{"role": "user", "content": CONTINUE}] == package().messages()


@pytest.mark.parametrize("part", [{"type": "image_url", "image_url": "x"}, {"type": "image"}])
def test_a_part_of_the_wrong_form_would_be_noticed(part: Any) -> None:
    """The check itself can fail: it looks into every part."""
    messages = [{"role": "user", "content": [{"type": "text", "text": "看"}, part]}]
    for check in (lambda: check_openai(messages), lambda: check_anthropic({"messages": messages})):
        with pytest.raises(ValidationError):
            check()


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("part", "for_openai", "for_anthropic"),
    [
        (IMAGE_URL, IMAGE_URL, IMAGE),
        (IMAGE, IMAGE_URL, IMAGE),
        (LINK_URL, LINK_URL, LINK),
        (LINK, LINK_URL, LINK),
        ({"type": "input_image", "image_url": LINK_URL["image_url"]["url"]}, LINK_URL, LINK),
        (PDF, FILE, PDF),
        (FILE, FILE, PDF),
        ({"type": "image_url", "image_url": LINK_URL["image_url"]["url"]}, LINK_URL, LINK),
        (
            {"type": "image", "source": IMAGE["source"] | {"media_type": "image/jpg"}},
            {"type": "image_url", "image_url": {"url": f"data:image/jpg;base64,{PNG}"}},
            {"type": "image", "source": IMAGE["source"] | {"media_type": "image/jpeg"}},
        ),
        (NOTE, {"type": "text", "text": "合同\n\n第一条"}, NOTE),
        (
            {**NOTE, "source": PAGES},
            {"type": "text", "text": "合同\n\n第一条"},
            {**NOTE, "source": PAGES},
        ),
    ],
)
@pytest.mark.parametrize("recalled", [False, True])
def test_images_and_documents_are_kept_in_either_form(
    part: Any, for_openai: Any, for_anthropic: Any, recalled: bool
) -> None:
    """The user's message keeps its parts and their order, also behind evidence."""
    content = [{"type": "text", "text": "这是什么？"}, part, {"type": "text", "text": "tell me"}]
    shown = package(
        user_message={"role": "user", "content": content},
        evidence=(evidence("e"),) if recalled else (),
    )
    for messages, expected in (
        (shown.messages(), for_openai),
        (shown.messages("anthropic"), for_anthropic),
    ):
        parts = messages[-1]["content"]
        assert expected == parts[1]
        assert parts[0]["text"].endswith("这是什么？")
        assert {"type": "text", "text": "tell me"} == parts[2]
    check_openai(shown.messages())
    check_anthropic(shown.request("anthropic"))


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("part", "provider"),
    [
        ({"type": "input_audio", "input_audio": {"data": PNG, "format": "wav"}}, "anthropic"),
        ({"type": "image_url", "image_url": {"url": "data:image/bmp;base64,Qk0="}}, "anthropic"),
        ({"type": "image", "source": {"type": "file", "file_id": "f1"}}, "openai"),
        ({"type": "image", "source": IMAGE["source"] | {"media_type": "image/bmp"}}, "anthropic"),
        ({"type": "image_url"}, "openai"),
        ({"type": "image"}, "anthropic"),
        ({"type": "input_audio", "input_audio": {"data": PNG}}, "openai"),
        ({"type": "tool_result", "tool_use_id": "c1", "content": "x"}, "openai"),
        ({"type": "tool_result", "tool_use_id": "c1", "content": "x"}, "anthropic"),
    ],
)
def test_a_part_that_a_provider_cannot_take_is_named(part: Any, provider: str) -> None:
    """It is not dropped in silence, and the request stays valid."""
    shown = package(user_message={"role": "user", "content": [part]})
    check_openai(shown.messages())
    check_anthropic(shown.request("anthropic"))
    words = part["type"].replace("_", " ")
    assert [{"role": "user", "content": f"(part of the message: {words})"}] == shown.messages(
        provider
    )
    assert f"(part of the message: {words})" in shown.text()


@pytest.mark.spec("S1")
def test_a_failed_call_says_so_and_odd_names_become_valid() -> None:
    """Anthropic is told of the error; names and ids keep to the letters providers allow."""
    broken = call(1, status=CallStatus.ERROR, tool_name="文件.read", call_id="a b")
    shown = package(recent_turns=(turn(user("q"), broken),), tool_result=broken)
    last = shown.messages("anthropic")[-1]["content"][0]
    made = shown.messages()[1]["tool_calls"][0]
    assert last["is_error"] is True
    assert "___read" == made["function"]["name"]
    assert made["id"] == last["tool_use_id"] == shown.messages()[2]["tool_call_id"]
    assert made["id"].startswith("call_")


@pytest.mark.spec("S1")
@pytest.mark.parametrize("name", ["OpenAI", "", "gemini", None, 3])
def test_an_unknown_format_is_refused(name: Any) -> None:
    """The error names the formats there are."""
    for ask in (PACKAGE.messages, PACKAGE.request):
        with pytest.raises(UsageError, match="openai or anthropic"):
            ask(name)


@pytest.mark.spec("S1")
@pytest.mark.parametrize("content", [3, {"text": "a"}, ["a"], [{"type": 1}], [{"type": "text"}]])
def test_a_message_that_is_none_is_refused(content: Any) -> None:
    """A package made by hand may hold anything; the error says what a part is."""
    shown = package(user_message={"role": "user", "content": content})
    for render in (shown.messages, shown.request, shown.text):
        with pytest.raises(UsageError, match="user_message"):
            render()


@pytest.mark.spec("S1")
def test_a_speaker_is_named_and_a_call_is_made_once() -> None:
    """The user's name stands before the words; a call that two messages claim is the last one's."""
    told = (user("你好", name="小李"), assistant("a", "call_1"), assistant("b", "call_1"), call(1))
    shown = package(recent_turns=(turn(*told, assistant("done")),), user_message="ok").messages()
    assert ["小李: 你好", "a\n\nb"] == [one["content"] for one in shown[:2]]
    assert 1 == sum(one["role"] == "tool" for one in shown)
