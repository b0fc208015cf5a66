"""What a working summary says: its sections, their order, and what must never be in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from summarise_talks import (
    Talk,
    assistant,
    call,
    composition,
    decision,
    goal,
    ref,
    task,
    user,
)

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.turn import CallStatus, Message, Role
from smartbrain.remember.summary import Line, fit, one_line, render
from smartbrain.testing.blobs import MemoryBlobs
from smartbrain.testing.builders import edge
from smartbrain.text.tokens import estimate_tokens

END = [decision("release", "ship on Friday", made_at="2026-02-20")]


def sections(talk: Talk, session: str = "s") -> dict[str, tuple[str, ...]]:
    """End a stage and return what the summary of it says."""
    talk.say(told=END, session=session)
    return dict(talk.latest(session).sections)


@pytest.mark.spec("C8")
def test_a_summary_has_its_sections_in_order() -> None:
    """All five, in English titles and the memories' own languages, one line each."""
    talk = Talk()
    talk.say(
        user("单测为什么失败？"),
        calls=[call(exit_code=1, stderr="boom")],
        refs=[ref("docs/notes.md", title="笔记")],
        told=[
            goal("做一个本地优先的运行时"),
            decision("api", "add retrieve(plan)", made_at="2026-02-19T08:00:00+00:00"),
            task("接入记忆", "doing", due="2026-03-01", project="SmartBot"),
        ],
    )
    assert (
        "Goals:\n- 做一个本地优先的运行时\n"
        "Decisions:\n- 2026-02-19 SmartBot — api: add retrieve(plan)\n"
        "Tasks:\n- [doing, due 2026-03-01] SmartBot — 接入记忆\n"
        "Key References:\n- file: docs/notes.md — 笔记\n- tool: pytest — exit code 1\n"
        "Open Questions:\n- 单测为什么失败？"
    ) == talk.latest().text
    assert 0 == talk.latest().left_out


@pytest.mark.spec("C8")
def test_empty_sections_are_left_out() -> None:
    """What nobody spoke of has no title, and a talk about nothing has no text."""
    talk = Talk()
    assert {"Decisions": ("2026-02-20 SmartBot — release: ship on Friday",)} == sections(talk)
    bare = Talk(composition(token_limit=256))
    bare.say(user("今天天气真好。 " * 60))
    assert ("", {}) == (bare.latest().text, bare.latest().sections)


@pytest.mark.spec("C8")
def test_goals_that_ended_are_not_shown() -> None:
    """A goal that was reached or given up is no goal any more."""
    talk = Talk()
    given_up = goal("跑马拉松", status="放弃")
    talk.say(told=[goal("learn Rust", status="Done"), given_up, goal("read more")])
    assert ("read more",) == sections(talk)["Goals"]


@pytest.mark.spec("C8")
def test_decisions_are_newest_first_and_the_standing_ones() -> None:
    """A decision that was replaced is gone; one without a day has the day it was told."""
    talk = Talk()
    talk.say(told=[decision("db", "MySQL"), decision("api", "REST")])
    talk.say(told=[decision("db", "SQLite")])
    day = "2026-03-09"
    assert (
        "2026-02-20 SmartBot — release: ship on Friday",
        f"{day} SmartBot — db: SQLite",
        f"{day} SmartBot — api: REST",
    ) == sections(talk)["Decisions"]


@pytest.mark.spec("C8")
def test_tasks_are_the_open_ones_and_the_last_done_here() -> None:
    """Blocked, then doing, then to do; of the done ones three, and none of other sessions."""
    talk = Talk()
    talk.say(told=[task("别处做完的", "done")], session="other")
    talk.say(told=[task(f"step {n}", "done") for n in range(5)])
    talk.say(told=[task("买票", due="2026-04-01"), task("测试", "doing"), task("部署", "blocked")])
    assert (
        "[blocked] 部署",
        "[doing] 测试",
        "[todo, due 2026-04-01] 买票",
        "[done] step 4",
        "[done] step 3",
        "[done] step 2",
    ) == sections(talk)["Tasks"]


@pytest.mark.spec("C8")
@pytest.mark.parametrize("between", [0, 20])
def test_this_session_comes_before_others(between: int) -> None:
    """What was said here stands first, even if somewhere else something newer was said."""
    talk = Talk()
    talk.say(told=[goal("own goal"), task("own task"), decision("own", "yes")])
    for _ in range(between):
        talk.say(user("继续。"), assistant("好。"))
    talk.say(told=[goal("other goal"), task("other task"), decision("other", "no")], session="o")
    found = sections(talk)
    assert ("own goal", "other goal") == found["Goals"]
    assert ("[todo] own task", "[todo] other task") == found["Tasks"]
    assert ["release", "own", "other"] == [
        line.split(" — ")[1].split(":")[0] for line in found["Decisions"]
    ]


@pytest.mark.spec("C8")
def test_what_is_near_survives_a_small_budget() -> None:
    """Where only some tasks fit, the ones of the session stay, whatever state others are in."""
    talk = Talk(composition(summary_max_tokens=60))
    talk.say(told=[task(f"other {n}", "blocked") for n in range(9)], session="o")
    talk.say(told=[task("own task 自己的")])
    *others, own = sections(talk)["Tasks"]
    assert "[todo] own task 自己的" == own
    assert 0 < len(others) < 9
    assert 9 - len(others) == talk.latest().left_out


@pytest.mark.spec("C8")
def test_references_are_told_once() -> None:
    """Refs with their titles and entities that are references; topics and people are none."""
    talk = Talk()
    kinds = [("repo", "acme/brain"), ("url", "https://a.example/x"), ("person", "小明")]
    entities = [("entities", {"kind": kind, "canonical": name}) for kind, name in kinds]
    seen = ref("https://a.example/x", "url", title="Spec 规范")
    talk.say(refs=[ref("src/a.py"), seen], told=entities)
    talk.say(refs=[ref("src/a.py"), ref("artifact:9", "artifact")])
    assert (
        "file: src/a.py",
        "artifact: artifact:9",
        "url: https://a.example/x — Spec 规范",
        "repo: acme/brain",
    ) == sections(talk)["Key References"]


@pytest.mark.spec("C8")
def test_references_of_other_sessions_stay_there() -> None:
    """A repository that only another session spoke of is not this one's reference."""
    talk = Talk()
    talk.say(told=[("entities", {"kind": "repo", "canonical": "acme/x"})], session="o")
    assert "Key References" not in sections(talk)


@pytest.mark.spec("C8")
def test_references_that_are_spoken_of_again_are_shown() -> None:
    """A repository known from another session is shown once a turn of this one mentions it."""
    talk = Talk()
    talk.say(told=[("entities", {"kind": "repo", "canonical": "acme/x"})], session="o")
    turn_id, _ = talk.say(user("上次那个仓库 that repo"))
    with talk.ports.truth.write() as rows:
        (repo,) = rows.remembering.newest("entities")
        (episode,) = rows.memories.history(f"episode:s:{turn_id}")
        rows.edges.add([edge(episode.id, repo.id, EdgeType.MENTIONS)])
    assert ("repo: acme/x",) == sections(talk)["Key References"]


@pytest.mark.spec("C8")
def test_no_tool_output_gets_into_a_summary() -> None:
    """Neither what a call printed nor a tool's message nor its arguments; only how it ended."""
    talk = Talk()
    secret = "泄漏 LEAK what is in here?"
    printed: dict[str, Any] = {"stdout": secret * 300, "stderr": secret, "result": {"a": secret}}
    made = call("grep\n-r", status=CallStatus.OK, args={"p": secret}, result_json=True, **printed)
    spoken = Message(id="", role=Role.TOOL, content=secret)
    talk.say(user("run it"), spoken, assistant(""), calls=[made, made, call(exit_code=0)])
    text = talk.latest().text
    assert "LEAK" not in text
    assert "泄漏" not in text
    assert ("tool: pytest — exit code 0", "tool: grep -r — ok ×2") == (
        talk.latest().sections["Key References"]
    )


@pytest.mark.spec("C8")
@pytest.mark.parametrize(
    ("messages", "is_open"),
    [
        ([user("What port does it use?")], True),
        ([user("端口是多少，能不能改？")], True),
        ([user("What port does it use?"), assistant("8080.")], False),
        ([user("端口是多少？"), assistant("8080。")], False),
        ([user("What port does it use?"), assistant("I don't know yet.")], True),
        ([user("端口是多少？"), assistant("目前还不确定，我去查一下。")], True),
        ([user("端口是多少？"), assistant("我查一下。"), assistant("是 8080。")], False),
        ([user("端口是多少？"), assistant("")], True),
        ([assistant("8080."), user("Is it 8080?")], True),
        ([user("The port is 8080.")], False),
        ([assistant("Which port?")], False),
        ([user("```\nwhat port?\n```\nsee above")], False),
    ],
)
def test_a_question_without_an_answer_is_open(messages: list[Message], is_open: bool) -> None:
    """One that got no reply, or only a reply that does not know; code and statements ask none."""
    talk = Talk()
    talk.say(*messages)
    talk.say(user("接着说。"), assistant("好的。"))
    assert is_open == ("Open Questions" in sections(talk))


@pytest.mark.spec("C8")
def test_an_answer_may_come_as_a_turn_of_its_own() -> None:
    """A reply that opens the next turn answers; one after the user spoke again does not."""
    talk = Talk()
    talk.say(user("Which port?"))
    talk.say(assistant("8080."))
    talk.say(user("谁来部署？"))
    talk.say(user("Never mind, go on."), assistant("Ok."))
    assert ("谁来部署？",) == sections(talk)["Open Questions"]


@pytest.mark.spec("C8")
def test_a_blocked_task_says_why_if_that_is_known() -> None:
    """Its last note tells; a task without a reason asks nothing."""
    talk = Talk()
    notes = ["looked at it", "等沙箱账号"]
    talk.say(told=[task("支付对接", "blocked", notes=notes), task("deploy", "blocked")])
    assert ("blocked: 支付对接: 等沙箱账号",) == sections(talk)["Open Questions"]


@pytest.mark.spec("C8")
def test_a_lost_file_does_not_stop_a_summary() -> None:
    """The turn whose text is gone is told by what is left of it: its refs and calls."""
    talk = Talk()
    talk.say(user("日志 log " * 9000), refs=[ref("a.py")], calls=[call()])
    blobs = talk.ports.blobs
    assert isinstance(blobs, MemoryBlobs)
    blobs.files.clear()
    assert ("file: a.py", "tool: pytest — unknown") == sections(talk)["Key References"]
    assert "Open Questions" not in talk.latest().sections


@pytest.mark.spec("C8")
def test_only_what_holds_is_shown() -> None:
    """A guess that waits for confirmation is not in a summary."""
    talk = Talk()
    talk.say(told=[goal("learn Rust")])
    with talk.ports.truth.write() as rows:
        (found,) = rows.remembering.newest("goals")
        rows.memories.update(Memory.from_dict(found.to_dict() | {"status": Status.CANDIDATE}))
    assert "Goals" not in sections(talk)


@pytest.mark.spec("C8")
def test_the_same_talk_makes_the_same_summary() -> None:
    """Two tenants that were told the same keep the same bytes."""

    def told() -> list[Any]:
        talk = Talk(composition(summary_max_tokens=90))
        talk.say(user("Which port? 哪个端口？"), refs=[ref("a"), ref("b")], calls=[call("x")])
        talk.say(told=[task("一"), task("二", "doing"), goal("三"), decision("四", "五")])
        with talk.ports.truth.read() as rows:
            return [entry.to_dict() for entry in rows.working.state("session:s")]

    assert told() == told()


CHARACTERS = st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Z", "M"))
TEXTS = st.text(CHARACTERS, max_size=30).map(lambda text: text * 20) | st.text(
    "汉字 aZ9\n", max_size=400
)


@pytest.mark.spec("C8", "R16")
@given(given_lines=st.lists(st.lists(TEXTS, max_size=60), max_size=5), limit=st.integers(1, 700))
@settings(max_examples=60, deadline=None)
def test_a_summary_is_never_over_its_limit(given_lines: list[list[str]], limit: int) -> None:
    """Whatever the lines are, the text fits, every line is short, and none goes uncounted."""
    made = {
        f"S{n}": [Line(one_line(text)) for text in texts] for n, texts in enumerate(given_lines)
    }
    fitted = fit(made, limit)
    text = render(*fitted)
    assert estimate_tokens(text) <= limit
    assert all(len(line) <= 160 for line in text.splitlines())
    shown = sum(map(len, fitted.sections.values()))
    assert shown + sum(fitted.left_out.values()) == sum(map(len, given_lines))
    told = [title for title in fitted.sections if fitted.left_out[title]]
    assert shown + len(fitted.sections) + len(told) == len(text.splitlines())
    if limit >= 600:
        assert [title for title, lines in made.items() if lines] == list(fitted.sections)


@pytest.mark.spec("C8", "R16")
@pytest.mark.parametrize("limit", [1, 20, 150, 600])
@pytest.mark.parametrize("text", ["超长的标题" * 400, "a very long title " * 200, "👨‍👩‍👧" * 500])
def test_huge_titles_fit(text: str, limit: int) -> None:
    """Stored memories of any size make a summary within its limit."""
    talk = Talk(composition(summary_max_tokens=limit))
    told = [task(f"{n} {text}"[:1500]) for n in range(20)] + [goal(text[:1500], name="g")]
    talk.say(user(f"{text[:900]}?"), told=told)
    talk.say(told=END)
    summary = talk.latest()
    assert estimate_tokens(summary.text) <= limit
    assert all(len(line) <= 160 for line in summary.text.splitlines())
    assert summary.left_out > 0


@pytest.mark.spec("C8")
def test_the_last_lines_of_the_longest_section_go_first() -> None:
    """Sections give way evenly; what matters most in each stays."""
    made = {
        "A": [Line(f"a{n}") for n in range(9)],
        "B": [Line(f"b{n}") for n in range(3)],
    }
    whole = render({"A": made["A"][:3], "B": made["B"]}, {"A": 6})
    fitted = fit(made, estimate_tokens(whole) + 8)
    kept = {title: [line.text for line in lines] for title, lines in fitted.sections.items()}
    assert {"A": ["a0", "a1", "a2"], "B": ["b0", "b1", "b2"]} == kept
    assert {"A": 6, "B": 0} == fitted.left_out
    assert "A:\n- a0\n- a1\n- a2\n- (6 more)\nB:\n" in render(*fitted)


@pytest.mark.spec("C8")
def test_a_line_is_cut_between_characters() -> None:
    """A cut line ends in an ellipsis and no visible character is torn."""
    cut = one_line("家" * 156 + "👨‍👩‍👧" * 3)
    assert "家" * 156 + "…" == cut
    assert "a b" == one_line(" a\n\u2028 b ")
