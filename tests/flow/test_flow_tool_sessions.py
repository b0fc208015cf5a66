"""What an agent that works with tools is shown of its session, one promise a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, inside, user

from smartbrain import SmartBrain
from smartbrain.domain.context import ContextPackage
from smartbrain.text.tokens import estimate_tokens

Call = tuple[str, Any, str]


def work(brain: SmartBrain, session: str, *calls: Call, task: str = "Fix it. 修好它。") -> str:
    """Commit a turn that goes on call by call, and return its id."""
    turn = brain.commit_turn(session, [user(task)]).turn_id
    for number, (name, args, printed) in enumerate(calls):
        call = {"id": f"c{number}", "name": name, "args": args, "result": printed}
        events = {"messages": [assistant(f"Step {number}.")], "tool_calls": [call]}
        brain.commit_turn(session, events, turn_id=turn)
    return turn


def looped(brain: SmartBrain, session: str, turn: str, **more: Any) -> ContextPackage:
    """Return the context of the next step of a loop."""
    return brain.compose_context(session, None, recipe="tool_loop", turn_id=turn, **more)


def summary_of(brain: SmartBrain, session: str, printed: str) -> str:
    """Return how a context sums up what a call printed."""
    result = looped(brain, session, work(brain, session, ("run", {}, printed))).tool_result
    assert result is not None
    return result.summary


@pytest.mark.spec("W6", "R15")
@pytest.mark.parametrize(
    "tally", ["3 failed, 9 passed in 2.1s", "Tests: 3 failed, 9 passed, 12 total"]
)
def test_a_run_of_tests_that_failed_is_no_success(tmp_path: Path, tally: str) -> None:
    """The status follows from what the output says, whatever the harness said."""
    with fake_brain(tmp_path) as brain:
        for number, given in enumerate(({}, {"status": "ok"}, {"exit_code": 0})):
            call = {"name": "run", "result": f"tests/test_pay.py .F\n{tally}\n", **given}
            artifact = brain.commit_turn(f"s{number}", {"tool_calls": [call]}).artifacts[0]
            assert "error" == artifact.status.value
        passed = {"name": "run", "result": "12 passed in 2.1s\n", "status": "ok"}
        assert "ok" == brain.commit_turn("p", {"tool_calls": [passed]}).artifacts[0].status.value


@pytest.mark.spec("W6", "R18")
def test_answers_of_memory_never_push_out_results_of_work(tmp_path: Path) -> None:
    """Four searches later the last three results of work are still told."""
    with fake_brain(tmp_path) as brain:
        done = [("run", {}, "BUILT 构建"), ("edit", {}, "EDITED 修改"), ("lint", {}, "LINTED 检查")]
        asked = [("recall", {"query": "x"}, f"answer {n}") for n in range(4)]
        turn = work(brain, "s", *done, *asked)
        text = looped(brain, "s", turn).text()
    assert [True, True, True] == [printed in text for _, _, printed in done]
    assert ["answer 3"] == [printed for _, _, printed in asked if printed in text]


@pytest.mark.spec("R15", "R16")
@pytest.mark.parametrize("recipe", ["standard", "tool_loop"])
def test_earlier_calls_show_what_they_were_given_in_short(tmp_path: Path, recipe: str) -> None:
    """Closed or open, a call names its arguments; a long one keeps its beginning."""
    args = {"path": "src/支付.py", "body": "x = 1\n" * 400}
    with fake_brain(tmp_path) as brain:
        turn = work(brain, "s", *[("write", args, f"written {n}") for n in range(5)])
        brain.commit_turn("s", [assistant("Done.")], turn_id=turn)
        package = brain.compose_context("s", "And now?", recipe=recipe)
    made = [call for one in package.messages() for call in one.get("tool_calls", ())]
    given = [json.loads(call["function"]["arguments"]) for call in made]
    assert ["src/支付.py"] * 3 == [one["path"] for one in given]
    assert all(one["body"].startswith("x = 1") and len(one["body"]) < 600 for one in given)


@pytest.mark.spec("R18", "W6")
@pytest.mark.parametrize(
    "failed",
    [
        "FAILED tests/test_pay.py::test_paid - assert 1 == 2",
        "FAILED tests/支付.py::test_付款 - 错误",
    ],
)
def test_the_last_failure_stays_in_sight_while_there_is_room(tmp_path: Path, failed: str) -> None:
    """Eight calls later it is told; without room, or once the tool went well, it is not."""
    with fake_brain(tmp_path) as brain:
        run = ("pytest", {}, f"{failed}\n1 failed, 3 passed in 1s")
        reads = [("read", {"n": n}, f"content {n} 内容 " * 40) for n in range(8)]
        turn = work(brain, "s", run, *reads)
        assert failed in looped(brain, "s", turn).text()
        assert failed not in looped(brain, "s", turn, token_limit=300).text()
        turn = work(brain, "t", run, ("pytest", {}, "4 passed in 1s"), *reads)
        assert failed not in looped(brain, "t", turn).text()


@pytest.mark.spec("R15", "R16")
def test_each_result_is_shown_once(tmp_path: Path) -> None:
    """Past or current, one call or two at once: in the text and in a request."""
    with fake_brain(tmp_path) as brain:
        turn = work(brain, "s", *[("run", {}, f"RESULT-{n} 结果") for n in range(4)])
        calls = [{"id": f"p{n}", "name": "run", "result": f"PARALLEL-{n}"} for n in range(2)]
        made = [{"id": one["id"], "type": "function"} for one in calls]
        made = [{**one, "function": {"name": "run", "arguments": "{}"}} for one in made]
        step = {"messages": [assistant("Both.", tool_calls=made)], "tool_calls": calls}
        brain.commit_turn("s", step, turn_id=turn)
        package = looped(brain, "s", turn)
    for form in (package.text(), json.dumps(package.messages(), ensure_ascii=False)):
        for words in ("RESULT-3", "PARALLEL-0", "PARALLEL-1"):
            assert 1 == form.count(words), words


@pytest.mark.spec("W6")
def test_a_hit_of_a_search_is_no_error_of_a_compiler(tmp_path: Path) -> None:
    """Lines that hold the word error are told as hits, and the call is no failure."""
    hits = "\n".join(f'src/log{n}.c:{n}: error("写入失败 error");' for n in range(200))
    with fake_brain(tmp_path) as brain:
        turn = work(brain, "s", ("grep", {"pattern": "error"}, hits))
        result = looped(brain, "s", turn).tool_result
    assert result is not None
    assert "error" != result.status.value
    assert "compiler" not in result.summary
    assert "search: 200 lines" in result.summary


@pytest.mark.spec("W6", "R16")
@pytest.mark.parametrize("reason", ["assert 42 == 41", "assert '已付' == '未付'"])
def test_an_excerpt_shows_the_section_that_failed(tmp_path: Path, reason: str) -> None:
    """Between thousands of lines, what failed stands with the lines around it."""
    section = [
        "    def test_pay():",
        ">       assert pay() == 41",
        f"E       {reason}",
        "pay.py:7: Error",
    ]
    noise = [f"collecting {n}" for n in range(2_000)]
    head = ["=== FAILURES ===", "___ test_pay ___"]
    printed = "\n".join([*noise, *head, *section, *noise, "1 failed, 3 passed in 9s"])
    with fake_brain(tmp_path) as brain:
        result = looped(brain, "s", work(brain, "s", ("run", {}, printed))).tool_result
    assert result is not None
    assert [True] * 4 == [line in result.text for line in section]


@pytest.mark.spec("C8", "W6")
@pytest.mark.parametrize(
    ("decision", "done"),
    [("We decided to use Decimal for amounts.", "pay.py"), ("决定用 Decimal 表示金额。", "pay.py")],
)
def test_the_summary_of_a_tool_session_says_what_was_done_and_decided(
    tmp_path: Path, decision: str, done: str
) -> None:
    """After many steps the working summary names the decision and the work."""
    with fake_brain(tmp_path) as brain:
        for number in range(12):
            steps = [("edit", {"path": "pay.py"}, "edited"), ("run", {}, f"{number} passed in 1s")]
            turn = work(brain, "s", *steps, task=f"Task {number}: fix the payment in pay.py 修付款")
            answer = f"Fixed pay.py in step {number}. {decision if number == 2 else 'Done.'}"
            brain.commit_turn("s", [assistant(answer)], turn_id=turn)
        summary = brain.compose_context("s", "Where are we?").working_summary
    assert decision.rstrip(".。") in summary
    assert done in summary


@pytest.mark.spec("R17", "W6")
def test_a_hit_in_a_turn_names_its_tool_runs(tmp_path: Path) -> None:
    """What ran in it, how often, how it went, and the id to read the last by."""
    with fake_brain(tmp_path) as brain:
        calls = [("pytest", {}, "2 failed, 1 passed in 1s"), ("edit", {}, "ok"), ("edit", {}, "ok")]
        turn = work(brain, "s", *calls, task="Fix the Bluetooth 蓝牙 pairing of the headset.")
        brain.commit_turn("s", [assistant("The headset pairs again.")], turn_id=turn)
        last = brain.artifacts.list(session_id="s").items[0].id
        found = brain.compose_context("t", "How did we fix the Bluetooth headset? 蓝牙").evidence
    shown = [one.snippet for one in found if "headset" in one.snippet]
    assert f"tools (last: artifact {last}): pytest ×1 (1 failed), edit ×2" in shown[0]


NPM = (
    "npm warn old\n" * 600 + "npm ERR! code ERESOLVE\nnpm ERR! unable to resolve\n" + "at x\n" * 60
)
RUFF = (
    "".join(f"a.py:{n}:5: F401 `os` imported but unused\n" for n in range(50)) + "Found 50 errors."
)
PODS = [
    {"metadata": {"name": f"web-{n}"}, "status": {"phase": "Failed" if n == 7 else "Running"}}
    for n in range(40)
]
CSV = "id,城市,amount\n" + "".join(f"{n},杭州,{n * 3}\n" for n in range(500))


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    ("printed", "key"),
    [
        (NPM, "npm ERR! code ERESOLVE"),
        (RUFF, "Found 50 errors"),
        (
            json.dumps({"kind": "List", "items": PODS}, indent=1),
            "39 Running, 1 Failed: web-7 Failed",
        ),
        (CSV, "500 rows, columns: id, 城市, amount"),
    ],
    ids=["npm", "ruff", "kubectl", "csv"],
)
def test_the_key_line_of_an_output_is_in_its_summary(
    tmp_path: Path, printed: str, key: str
) -> None:
    """Whatever the tool, the line that a person would look for is told."""
    with fake_brain(tmp_path) as brain:
        assert key in summary_of(brain, "s", printed)


@pytest.mark.spec("S1", "R16")
def test_a_model_keeps_corrects_and_forgets_with_few_tokens_of_tools(tmp_path: Path) -> None:
    """Twelve tools in 1,100 tokens, which count in the budget; forgetting previews first."""
    with fake_brain(tmp_path) as brain:
        for form in ("openai", "anthropic"):
            tools = brain.tools("s", form)
            size = estimate_tokens(json.dumps(tools, ensure_ascii=False, separators=(",", ":")))
            assert size <= 1_100
        names = {tool["name"] for tool in tools}
        assert {"remember", "correct", "forget", "artifact_list"} <= names
        plain = brain.compose_context("s", "hi").constraints.token_budget.used_estimate
        more = brain.compose_context("s", "hi", {"tools": tools}).constraints.token_budget
        assert more.used_estimate - plain >= 0.9 * size

        def ask(name: str, **given: Any) -> str:
            answer = brain.call_tool("s", {"name": name, "arguments": given})
            assert not answer.is_error, answer.text
            return answer.text

        assert "profile:user" in ask("remember", text="I live in Lisbon.")
        key = "profile:user"
        ask("correct", id=key, field="city", value="Porto")
        assert "Porto" in str(brain.memories.get(key).value)
        brain.artifacts.add("make", stdout="built 构建\n", session_id="s")
        assert "make: ok" in ask("artifact_list") or "make: " in ask("artifact_list")
        named = brain.memories.get(key).id
        assert ask("forget", ids=named).startswith("would forget")
        assert named == brain.memories.get(key).id
        assert ask("forget", ids=named, confirm=True).startswith("forgot")


@pytest.mark.spec("S6")
def test_the_traces_of_a_loop_are_small_and_capped_by_bytes(tmp_path: Path) -> None:
    """No more than 3 KB a compose in the mean; the oldest go where all are more than allowed."""
    policies = {"observability": {"max_trace_bytes": 20_000}}
    with fake_brain(tmp_path, policies=policies) as brain:
        turn = brain.commit_turn("s", [user("Fix the payment 修付款")]).turn_id
        contexts = []
        for number in range(110):
            call = {"id": f"c{number}", "name": "run", "result": f"line {number} 行\n" * 60}
            step = {"messages": [assistant(f"Step {number}: look at shelf {number}.")]}
            brain.commit_turn("s", {**step, "tool_calls": [call]}, turn_id=turn)
            contexts.append(looped(brain, "s", turn).context_id)
        brain.explain(contexts[-1])
        with inside(brain) as rows:
            kept = [one for one in contexts if rows.working.trace(one) is not None]
            sizes = rows.working._execute("SELECT octet_length(body) FROM traces").fetchall()
    total = sum(size for (size,) in sizes)
    assert total / len(sizes) <= 3_000
    assert contexts[-len(kept) :] == kept
    assert len(kept) < len(contexts)


@pytest.mark.spec("R16")
@pytest.mark.parametrize("limit", [200, 200_000])
def test_a_very_small_and_a_very_large_limit_hold(tmp_path: Path, limit: int) -> None:
    """Whatever there is to show, the message is there and the limit holds."""
    with fake_brain(tmp_path) as brain:
        for number in range(30):
            said = f"Shelf {number} 货架 holds parcel {number}. " * 20
            brain.commit_turn("s", [user(said), assistant("Noted. 好的")])
        package = brain.compose_context("s", "Which shelf 货架?", token_limit=limit)
    assert "Which shelf 货架?" in package.text()
    assert (
        estimate_tokens(package.text()) <= package.constraints.token_budget.used_estimate <= limit
    )
    assert limit < 1_000 or len(package.recent_turns) > 3


@pytest.mark.spec("R7", "R16")
@pytest.mark.parametrize("limit", [1_000, 8_192])
def test_three_hundred_preferences_leave_room_for_the_rest(tmp_path: Path, limit: int) -> None:
    """Some of them stand there, within their share, beside the turns and the evidence."""
    with fake_brain(tmp_path) as brain:
        for number in range(300):
            value = {"name": f"n{number}", "value": f"item {number} 东西"}
            brain.memories.put("preferences", f"pref:other:n{number}", value)
        brain.commit_turn("s", [user("Mara lives in Lisbon."), assistant("Noted.")])
        package = brain.compose_context("t", "Where does Mara live?", token_limit=limit)
    told = "\n".join(block.text for block in package.system_blocks)
    assert 0 < told.count("item ") < 300
    assert estimate_tokens(told) <= 0.35 * limit
    assert "Lisbon" in package.text()
    assert package.constraints.token_budget.used_estimate <= limit


@pytest.mark.spec("C11", "R15")
def test_a_message_that_is_itself_a_context_is_asked_and_not_learnt(tmp_path: Path) -> None:
    """It is shown as the user's words; what memory had put there teaches nothing new."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("Mara lives in Lisbon."), assistant("Noted. 好的")])
        given = brain.compose_context("t", "Where does Mara live?").text()
        package = brain.compose_context("u", given, token_limit=2_000)
        assert given in package.text()
        assert package.constraints.token_budget.used_estimate <= 2_000
        before = {one.id for one in brain.memories.list(type="profile").items}
        brain.commit_turn("u", [user(given), assistant("In Lisbon.")])
        after = {one.id for one in brain.memories.list(type="profile").items}
    assert before == after
