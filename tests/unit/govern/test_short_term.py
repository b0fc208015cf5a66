"""Short-term memory of a session: its window, its summary, what becomes of it under pressure."""

from __future__ import annotations

from typing import Any

import pytest
from session_talks import Talk

from smartbrain.domain.packet import Quote, ShortTerm, ShownTurn
from smartbrain.domain.policy import WorkingRules
from smartbrain.domain.turn import CallStatus, Role
from smartbrain.govern.short_term import Heard, hear, in_mind, last_turns, pressed_short_term
from smartbrain.testing import builders


@pytest.mark.spec("W2")
def test_the_window_holds_the_last_five_turns() -> None:
    """Word for word, in their order; fewer turns are a shorter window."""
    talk = Talk()
    talk.say(("user", "第 1 件事"), ("assistant", "ok 1"))
    assert ["第 1 件事", "ok 1"] == [one.content for one in talk.mind().window[0].messages]
    ids = [talk.say(("user", f"第 {n} 件事"), ("assistant", f"ok {n}")) for n in range(2, 9)]
    window = talk.mind().window
    assert ids[-5:] == [turn.turn_id for turn in window]
    assert [(Role.USER, "第 8 件事"), (Role.ASSISTANT, "ok 8")] == [
        (one.role, one.content) for one in window[-1].messages
    ]


@pytest.mark.spec("W2")
def test_the_window_shows_how_tools_ended_and_not_what_they_printed() -> None:
    """Output, arguments and the prompts of the system never come back."""
    talk = Talk()
    printed, failed = builders.raw_chunk("秘密 output\n" * 9), builders.raw_chunk("Traceback …")
    calls = [
        builders.tool_call("c-1", printed, name="grep", args={"body": "秘密"}),
        builders.tool_call(
            "c-2",
            name="run  tests",
            status=CallStatus.ERROR,
            exit_code=2,
            stderr_spans=(builders.span(failed),),
        ),
    ]
    talk.say(("system", "你是助手"), ("user", "找一下"), calls=calls, held=[printed, failed])
    (turn,) = talk.mind().window
    assert ["找一下"] == [one.content for one in turn.messages]
    assert [
        f"grep: ok, {printed.length:,} bytes",
        f"run tests: exit code 2, {failed.length} bytes",
    ] == [call.summary for call in turn.tool_calls]
    assert "秘密 output" not in str(turn.to_dict())
    given = {"pattern": "错误 E1042"}
    assert [("c-1", "", {"body": "秘密"}), ("c-2", "", given)] == [
        (call.id, call.text, call.args) for call in turn.tool_calls
    ]


@pytest.mark.spec("W2")
def test_the_summary_is_the_latest_working_summary() -> None:
    """The rolling summary is the one that remembering keeps, of its own session alone."""
    talk = Talk()
    talk.say(("user", "你好"))
    assert "" == talk.mind().summary
    for version in range(1, 13):
        talk.summarise(version, f"目标 {version}")
    talk.summarise(13, "another", session="other")
    assert "目标 12" == talk.mind().summary


@pytest.mark.spec("W2")
def test_nothing_is_in_mind_of_an_ended_or_unknown_session() -> None:
    """The end clears it; another turn opens it again, with nothing of before in mind."""
    talk = Talk()
    talk.say(("user", "以后都用中文回答"))
    talk.summarise(1, "目标")
    assert ShortTerm() == talk.mind("没有这个会话")
    talk.end()
    assert ShortTerm() == talk.mind()
    talk.say(("user", "又来了"))
    assert ("", (), 1) == (talk.mind().summary, talk.mind().key_quotes, len(talk.mind().window))
    talk.summarise(2, "新目标")
    assert "新目标" == talk.mind().summary


@pytest.mark.spec("W2")
def test_under_pressure_three_turns_and_five_quotes_stay() -> None:
    """The weightiest quotes stay; words that the window shows become references."""
    talk = Talk()
    for n in range(12):
        talk.say(("user", f"我们决定第 {n} 版在 {n + 1} 号发布。"))
    whole, pressed = talk.mind(), talk.mind(pressed=True)
    assert (5, 10) == (len(whole.window), len(whole.key_quotes))
    assert (3, 5) == (len(pressed.window), len(pressed.key_quotes))
    shown = {turn.turn_id for turn in pressed.window}
    assert shown == {one.source_turn_id for one in pressed.key_quotes if not one.text}
    assert [one.source_turn_id for one in whole.key_quotes[:5]] == [
        one.source_turn_id for one in pressed.key_quotes
    ]
    assert pressed == pressed_short_term(pressed, rules=WorkingRules())


@pytest.mark.spec("W2")
def test_a_reference_keeps_where_its_words_stand() -> None:
    """What is taken off a quote are its words alone."""
    quote = Quote(text="记住 42", source_turn_id="t", speaker="user")
    stm = ShortTerm(key_quotes=(quote,), window=(ShownTurn(turn_id="t"),))
    (reference,) = pressed_short_term(stm, rules=WorkingRules()).key_quotes
    assert ("", "t", "user") == (reference.text, reference.source_turn_id, reference.speaker)


@pytest.mark.spec("W2")
def test_a_lost_text_leaves_its_turn_empty() -> None:
    """A file that is gone takes nothing else with it."""
    talk = Talk()
    talk.say(("user", "第一句"))
    talk.say(("user", "很长的话。" * 2_000))
    talk.say(("user", "第三句"))
    talk.blobs.files.clear()
    assert [["第一句"], [], ["第三句"]] == [
        [one.content for one in turn.messages] for turn in talk.mind().window
    ]


@pytest.mark.spec("W2")
def test_the_number_of_statements_does_not_follow_the_session() -> None:
    """A session of two hundred turns is read with as many statements as one of two."""
    counts = []
    for turns in (2, 200):
        talk = Talk()
        for n in range(turns):
            talk.say(("user", f"决定 {n}：用第 {n} 个方案"), ("assistant", f"好的 {n}"))
        ran: list[str] = []
        with talk.truth.read() as rows:
            working: Any = rows.working
            connection = working._connection
            connection.exec_trace = lambda _, sql, __, ran=ran: ran.append(sql) is None
            heard = hear("s", transaction=rows, blobs=talk.blobs, rules=WorkingRules())
            in_mind("s", heard, rows, rules=WorkingRules())
            connection.exec_trace = None
        counts.append(len(ran))
    assert counts[0] == counts[1]
    assert 0 < counts[0] < 12


@pytest.mark.spec("R15", "W2")
@pytest.mark.parametrize("long", [2, 9, 13], ids=["before_them", "among_them", "in_the_window"])
def test_turns_that_were_read_are_shown_as_if_they_were_read_again(long: int) -> None:
    """The last turns come out alike, a long message among them or not, and what came since too."""
    talk = Talk()
    for n in range(1, 16):
        talk.say(("user", f"第 {n} 句" * (1_000 if n == long else 1)), ("assistant", f"ok {n}"))
    with talk.truth.read() as rows:
        heard = hear("s", transaction=rows, blobs=talk.blobs, rules=WorkingRules())
    assert _last(talk, None) == _last(talk, heard)
    talk.say(("user", "说到一半"))
    assert "说到一半" == _last(talk, heard)[-1].messages[0].content
    talk.end()
    assert () == _last(talk, heard)


@pytest.mark.spec("R15")
def test_turns_that_were_read_are_not_read_again() -> None:
    """But for where the session has come to, and where it was ended last."""
    talk = Talk()
    for n in range(13):
        talk.say(("user", f"question {n}"), ("assistant", f"好的 {n}"))
    ran: list[str] = []
    with talk.truth.read() as rows:
        heard = hear("s", transaction=rows, blobs=talk.blobs, rules=WorkingRules())
        working: Any = rows.working
        connection = working._connection
        connection.exec_trace = lambda _, sql, __: ran.append(sql) is None
        shown = last_turns("s", 8, transaction=rows, blobs=talk.blobs, heard=heard)
        connection.exec_trace = None
    assert 5 == len(shown)
    assert 2 == len(ran)


def _last(talk: Talk, heard: Heard | None) -> tuple[ShownTurn, ...]:
    with talk.truth.read() as rows:
        return last_turns("s", 8, transaction=rows, blobs=talk.blobs, heard=heard)
