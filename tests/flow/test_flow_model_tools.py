"""The tools of a model through the public calls: offered, called, answered within a limit.

In: calls as providers give them, right and wrong, in Chinese and English. Out: plain text, the
messages that carry it, and what is stored in the model's name.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import MessageParam
from flow_builders import fake_brain, user
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from smartbrain import AsyncSmartBrain, NotFound, SmartBrain, UsageError
from smartbrain.domain.artifact import ToolAnswer
from smartbrain.text.tokens import estimate_tokens

LINES = "".join(f"{n}: 处理 item {n}\n" for n in range(1, 2_001))
OPENAI: TypeAdapter[Any] = TypeAdapter(ChatCompletionMessageParam)
ANTHROPIC: TypeAdapter[Any] = TypeAdapter(MessageParam)


def call(brain: SmartBrain, name: str, session: str = "s", **arguments: Any) -> ToolAnswer:
    """Call a tool as OpenAI's chat does."""
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return brain.call_tool(session, {"id": "c1", "type": "function", "function": function})


def told(brain: SmartBrain, name: str, **arguments: Any) -> str:
    """Return what a call that goes well is answered."""
    answer = call(brain, name, **arguments)
    assert not answer.is_error, answer
    return answer.text


@pytest.mark.spec("S1", "W6")
def test_a_model_reads_an_output_to_its_end_part_by_part(tmp_path: Path) -> None:
    """Every answer is within the limit and says how to go on; together they are the whole."""
    with fake_brain(tmp_path) as brain:
        run = brain.artifacts.add("导出", stdout=LINES, session_id="s")
        wanted: str | None = None
        lines: list[str] = []
        while True:
            given = {} if wanted is None else {"range": wanted}
            head, *text = told(brain, "artifact_get", id=f"tool:{run.id}", **given).split("\n")
            assert estimate_tokens("\n".join([head, *text])) <= 1_000
            assert head.startswith(f"tool:{run.id} 导出, ")
            if not text[-1].startswith("go on with range='"):
                break
            wanted = text.pop().split("'")[1]
            lines += text
        assert LINES.splitlines() == [*lines, *text]


@pytest.mark.spec("S1", "W6")
def test_a_model_searches_an_output(tmp_path: Path) -> None:
    """Matches come numbered and within the limit; the next call goes on behind the last."""
    with fake_brain(tmp_path) as brain:
        run = brain.artifacts.add("export", stdout=LINES, session_id="s")
        first = told(brain, "artifact_grep", id=run.id, pattern=r"item \d+7$", limit=100)
        assert estimate_tokens(first) <= 1_000
        *shown, more = first.split("\n")
        after = int(more.removeprefix("there are more; go on with after="))
        assert shown[-1].startswith(f"{after}: ")
        going = told(
            brain, "artifact_grep", id=run.id, pattern=r"ITEM \d+7$", after=after, ignore_case=True
        )
        assert going.startswith(f"{after + 10}: {after + 10}: 处理 item")
        assert "no line of" in told(brain, "artifact_grep", id=run.id, pattern="没有")


@pytest.mark.spec("S1", "W6")
def test_a_line_longer_than_an_answer_is_read_in_pieces(tmp_path: Path) -> None:
    """One endless line of Chinese does not break the limit, and nothing of it is skipped."""
    whole = "蓝牙打不开" * 2_000
    with fake_brain(tmp_path) as brain:
        run = brain.artifacts.add("log", stdout=whole, session_id="s")
        first = told(brain, "artifact_get", id=run.id)
        assert estimate_tokens(first) <= 1_000
        _, text, more = first.split("\n")
        going = told(brain, "artifact_get", id=run.id, range=more.split("'")[1])
        assert whole.startswith(text + going.split("\n")[1])


@pytest.mark.spec("S1", "W6")
def test_files_are_offered_only_where_folders_are_open(tmp_path: Path) -> None:
    """It reads from the folders of `artifacts.file_roots` alone; without any it says so."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "说明.md").write_text("第一行\nsecond\nthird\n", encoding="utf-8")
    config: dict[str, Any] = {"artifacts": {"file_roots": [str(tmp_path / "docs")]}}
    with fake_brain(tmp_path / "a", **config) as brain:
        assert "说明.md, lines 2-2 of 3\nsecond\ngo on with start=3" == told(
            brain, "file_snippet", path="说明.md", start=2, len=1
        )
        assert "there is no file" in call(brain, "file_snippet", path="/etc/hosts").text
        whole = "一段很长的 long line, " * 3_000
        (tmp_path / "docs" / "one.json").write_text(whole, encoding="utf-8")
        head, text, more = told(brain, "file_snippet", path="one.json").split("\n")
        assert head.startswith("one.json, bytes 0-")
        rest = told(brain, "file_snippet", path="one.json", range=more.split("'")[1])
        assert whole.startswith(text + rest.split("\n")[1])
    with fake_brain(tmp_path / "b") as brain:
        assert "set artifacts.file_roots" in call(brain, "file_snippet", path="说明.md").text
        every = [
            "artifact_get",
            "artifact_grep",
            "artifact_list",
            "file_snippet",
            "pin",
            "unpin",
            "plan",
            "note",
            "recall",
            "remember",
            "correct",
            "forget",
        ]
        assert every == [tool["function"]["name"] for tool in brain.tools("s")]
        assert every == [tool["name"] for tool in brain.tools("s", "anthropic")]


@pytest.mark.spec("S1", "W5")
def test_what_a_model_pins_is_its_own_and_has_a_source(tmp_path: Path) -> None:
    """The actor is the agent; without a source it is the latest turn of the conversation."""
    fact = {"type": "constraint", "title": "部署日", "summary": "只在周五部署"}
    with fake_brain(tmp_path) as brain:
        early = call(brain, "pin", **fact)
        assert (True, "source is missing") == (early.is_error, early.text[:17])
        turn = brain.commit_turn("s", [user("我们只在周五部署。")])
        assert f"pinned as 1: 部署日 (chat:{turn.turn_id})" == told(brain, "pin", **fact)
        (pin,) = brain.pins.list()
        assert ("agent", "active", "s", "只在周五部署") == (
            pin.actor,
            pin.state,
            pin.session_id,
            pin.summary,
        )
        assert "leads nowhere" in call(brain, "pin", **fact, source="chat:nobody").text
        assert "600 is the limit" in call(brain, "pin", **{**fact, "summary": "长" * 601}).text
        assert "there is no pin '9'" in call(brain, "unpin", ids=["1", "9"]).text
        assert "unpinned 1: 部署日" == told(brain, "unpin", ids=["1"])
        assert [] == brain.pins.list()
        assert ["agent", "agent"] == [entry.actor for entry in brain.pins.history()]


@pytest.mark.spec("S1", "W5")
def test_a_models_pin_waits_where_a_person_has_to_accept_it(tmp_path: Path) -> None:
    """The model is told so, and a full board names what to take off."""
    config: dict[str, Any] = {"pins": {"require_acceptance": True, "max_pins": 1}}
    fact = {"type": "path", "title": "config", "summary": "/etc/app.toml"}
    with fake_brain(tmp_path, **config) as brain:
        brain.commit_turn("s", [user("It is in /etc/app.toml.")])
        assert told(brain, "pin", **fact).endswith("; it is shown once a person accepts it")
        assert "proposed" == brain.pins.list()[0].state
        assert "unpin one: 1 (config)" in call(brain, "pin", **fact).text


@pytest.mark.spec("S1", "W4")
def test_a_model_keeps_its_plan_and_its_notes(tmp_path: Path) -> None:
    """Steps are added, checked and removed, all that are named or none; notes are written."""
    with fake_brain(tmp_path) as brain:
        assert "the plan is empty" == told(brain, "plan", action="list")
        assert "added 1. [ ] 写发布说明 (done when: merged)" == told(
            brain, "plan", action="add", text="写发布说明", done_when="merged"
        )
        told(brain, "plan", action="add", text="tag it")
        assert "no step '9'" in call(brain, "plan", action="check", ids=["1", "9"]).text
        assert [False, False] == [step.done for step in brain.plan.list("s")]
        told(brain, "plan", action="check", ids=["1", "2"])
        told(brain, "plan", action="check", ids=["2"], done=False)
        shown = "2. [ ] tag it\n1. [x] 写发布说明 (done when: merged)"
        assert shown == told(brain, "plan", action="list")
        assert "removed 1. [x]" in told(brain, "plan", action="remove", ids=["1"])
        assert "plan add needs 'text'" in call(brain, "plan", action="add").text
        assert "plan remove needs 'ids'" in call(brain, "plan", action="remove").text
        assert "noted as 1" == told(brain, "note", text="等评审 waiting", milestone=True)
        (note,) = brain.notebook.list("s")
        assert ("等评审 waiting", True) == (note.text, note.milestone)


@pytest.mark.spec("S1")
def test_a_long_plan_is_shown_as_far_as_it_fits(tmp_path: Path) -> None:
    """What is open comes first; the rest is counted, and the last line says how to go on."""
    config: dict[str, Any] = {"artifacts": {"tool_answer_max_tokens": 100}}
    with fake_brain(tmp_path, **config) as brain:
        for number in range(30):
            brain.plan.add("s", f"步骤 {number} of the release")
        *shown, more = told(brain, "plan", action="list").split("\n")
        assert f"… and {30 - len(shown)} more; call plan with action list and start" in more
        assert 1 < len(shown) < 30
        assert estimate_tokens("\n".join([*shown, more])) <= 100
        for number in range(1, 21):
            brain.plan.check("s", number)
        listed: list[str] = []
        while len(listed) < 30:
            lines = told(brain, "plan", action="list", start=len(listed) + 1).split("\n")
            listed += [line for line in lines if "…" not in line]
            assert lines[-1].endswith(f" and start {len(listed) + 1}") or len(listed) == 30
        assert [*range(21, 31), *range(1, 21)] == [int(line.split(".")[0]) for line in listed]
        assert "start is 31; the plan has 30" in call(brain, "plan", action="list", start=31).text
        brain.plan.add("long", "很长的一步" * 300)
        whole = call(brain, "plan", session="long", action="list").text
        assert (True, True) == (whole.endswith("… (cut)"), estimate_tokens(whole) <= 100)


@pytest.mark.spec("S1", "R3")
@pytest.mark.parametrize(
    ("query", "said"),
    [("蓝牙为什么打不开", "Win11 蓝牙打不开"), ("when is the weekly report due?", "Thursday")],
)
def test_a_model_recalls_with_a_source_for_each_memory(
    tmp_path: Path, query: str, said: str
) -> None:
    """Each line has the words, the day, and a source that a pin accepts."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("a", [user("Win11 蓝牙打不开，错误码 0x8007045D。")])
        brain.commit_turn("b", [user("The weekly report is due on Thursday.")])
        first, *_ = told(brain, "recall", query=query, k=2).split("\n")
        assert said in first
        assert "(2001-05-17, chat:" in first
        source = first.rpartition(", ")[2].removesuffix(")")
        fact = {"type": "conclusion", "title": "t", "summary": "s", "source": source}
        assert f"({source})" in told(brain, "pin", **fact)
        none = told(brain, "recall", query=query, until="1999-01-01")
        assert "nothing is remembered about that" == none
        assert "since" in call(brain, "recall", query=query, since="soon-ish").text


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("artifact_gett", {}, "there is no tool 'artifact_gett' (did you mean 'artifact_get'?)"),
        ("artifact_get", {"id": "不在"}, "there is no run '不在'; give the id of one you were"),
        ("artifact_get", {"id": "RUN", "range": "9999-"}, "the output has 2,000 lines"),
        ("artifact_get", {"id": "RUN", "range": "ten"}, "the range 'ten' is none; give lines"),
        ("artifact_grep", {"id": "RUN", "pattern": "("}, "'(' is no regular expression"),
        ("artifact_grep", {"id": "RUN", "pattern": "a", "limit": 0}, "limit is 0; it must be 1"),
        ("pin", {"type": "fact", "title": "t", "summary": "s"}, "type is 'fact'"),
        ("pin", {"type": "code", "title": "t", "summary": "s", "ttl": "ever"}, "ttl is 'ever'"),
        ("artifact_get", {"id": "\ud800"}, "id holds half a character"),
        ("artifact_get", {"id": "a\x00b"}, "there is no run 'a\\x00b'"),
        ("artifact_grep", {"id": "RUN", "pattern": "\ud800"}, "pattern holds half a character"),
        ("note", {"text": "\ud800"}, "half a character"),
        ("note", {"text": " \n"}, "text is blank"),
        ("recall", {"query": "\udfff"}, "half a character"),
    ],
)
def test_a_mistake_of_the_model_is_answered_in_one_line(
    tmp_path: Path, name: str, arguments: dict[str, Any], sentence: str
) -> None:
    """It says what to change, nothing is raised and nothing is written."""
    with fake_brain(tmp_path) as brain:
        run = brain.artifacts.add("export", stdout=LINES, session_id="s")
        before = brain.state.export("s")
        given = {key: run.id if value == "RUN" else value for key, value in arguments.items()}
        answer = brain.call_tool("s", {"id": "c1", "name": name, "input": given})
        assert (True, "c1", name) == (answer.is_error, answer.call_id, answer.name)
        assert sentence in answer.text
        assert "\n" not in answer.text
        assert before == brain.state.export("s")
        answer.text.encode()


@pytest.mark.spec("S1")
@pytest.mark.parametrize("arguments", ['{"query": "蓝', '"x"', "[1]"])
def test_broken_arguments_are_answered_too(tmp_path: Path, arguments: str) -> None:
    """A call whose JSON was cut off comes back as something the model can repair."""
    with fake_brain(tmp_path) as brain:
        made = {"id": "c", "function": {"name": "recall", "arguments": arguments}}
        answer = brain.call_tool("s", made)
        assert (True, "give one JSON object") == (answer.is_error, answer.text[-20:])


@pytest.mark.spec("S1")
def test_an_answer_becomes_the_message_of_its_provider(tmp_path: Path) -> None:
    """Both accept it as the result of the call, an error among them."""
    with fake_brain(tmp_path) as brain:
        good, bad = call(brain, "plan", action="list"), call(brain, "plan")
        for answer in (good, bad):
            assert OPENAI.validate_python(answer.message("openai"), strict=True)
            checked = ANTHROPIC.validate_python(answer.message("anthropic"), strict=False)
            assert list(checked["content"])
        assert {"role": "tool", "tool_call_id": "c1", "content": good.text} == good.message()
        block = {"type": "tool_result", "tool_use_id": "c1", "content": bad.text}
        assert [{**block, "is_error": True}] == bad.message("anthropic")["content"]
        assert ToolAnswer.from_dict(good.to_dict()) == good
        with pytest.raises(UsageError, match=r"no format 'openia'; .*did you mean 'openai'"):
            good.message("openia")
        with pytest.raises(UsageError, match="had no id"):
            brain.call_tool("s", {"name": "plan", "arguments": {"action": "list"}}).message()


@pytest.mark.spec("S1")
def test_a_mistake_of_the_host_is_raised(tmp_path: Path) -> None:
    """What is no call, no session or no format, and a brain that is closed."""
    with fake_brain(tmp_path) as brain:
        wrongs: list[object] = [None, "plan", [], {"arguments": "{}"}]
        for wrong in wrongs:
            with pytest.raises(UsageError, match="call"):
                brain.call_tool("s", wrong)
        with pytest.raises(UsageError, match="session_id"):
            brain.call_tool("", {"name": "plan"})
        with pytest.raises(UsageError, match="session_id"):
            brain.tools(" ")
        with pytest.raises(UsageError, match="no format 'gemini'; give openai or anthropic"):
            brain.tools("s", "gemini")
    with pytest.raises(UsageError) as caught:
        call(brain, "plan", action="list")
    assert "closed" == caught.value.code


@pytest.mark.spec("S1", "S8")
def test_a_model_sees_its_own_tenant_alone(tmp_path: Path) -> None:
    """A run of another tenant is none, and plans of two sessions are two."""
    with SmartBrain.open(tmp_path) as brain:
        run = brain.artifacts.add("export", stdout="秘密 secret", session_id="s")
        other = brain.tenant("乙")
        assert "there is no run" in call(other, "artifact_get", id=run.id).text
        told(brain, "plan", action="add", text="mine")
        assert "the plan is empty" == call(brain, "plan", session="t", action="list").text
        assert [] == other.plan.list("s")
        with pytest.raises(NotFound):
            other.artifacts.get(run.id)


@pytest.mark.spec("S1")
def test_the_asynchronous_handle_has_the_tools_as_well(tmp_path: Path) -> None:
    """Schemas and answers are the same, awaited."""

    async def talk() -> tuple[int, str]:
        async with await AsyncSmartBrain.open(tmp_path) as brain:
            tools = await brain.tools("s", format="anthropic")
            answer = await brain.call_tool(
                "s", {"id": "1", "name": "plan", "input": {"action": "add", "text": "部署"}}
            )
            return len(tools), answer.text

    assert (12, "added 1. [ ] 部署") == asyncio.run(talk())


@pytest.mark.spec("W5", "W6")
def test_a_model_learns_nothing_of_files_that_it_may_not_be_shown(tmp_path: Path) -> None:
    """A pin's source is refused in the same words whether there is such a file or not."""
    secret, shown = tmp_path / "密钥.txt", tmp_path / "项目"
    secret.write_text("one\ntwo\n", encoding="utf-8")
    shown.mkdir()
    (shown / "说明.md").write_text("一\n二\n", encoding="utf-8")
    (shown / "link").symlink_to(secret)
    pin = {"type": "conclusion", "title": "t", "summary": "结论 one"}

    def refused(brain: SmartBrain, path: Path | str, line: int = 1) -> str:
        answer = call(brain, "pin", **pin, source=f"file:{path}#L{line}")
        assert answer.is_error
        return answer.text.partition(" is neither ")[2]

    for roots in ([], [str(shown)]):
        with fake_brain(
            tmp_path / f"brain{len(roots)}", **{"artifacts.file_roots": roots}
        ) as brain:
            brain.commit_turn("s", {"refs": [{"ref_type": "file", "ref_uri": "/srv/known.txt"}]})
            outside = {
                refused(brain, path, line)
                for path in (secret, tmp_path / "gone.txt", "/etc/passwd", shown / "link", shown)
                for line in (1, 99)
            }
            assert {"in a folder that may be shown nor a ref of this tenant"} == outside
            assert "pinned as 1" in told(brain, "pin", **pin, source="file:/srv/known.txt#L9")
            if roots:
                source = f"file:{shown / '说明.md'}#L2"
                assert "pinned as 2" in told(brain, "pin", **pin, source=source)
            by_hand = brain.pins.add("path", "t", "s", f"file:{secret}#L2")
            assert str(secret) in by_hand.source
