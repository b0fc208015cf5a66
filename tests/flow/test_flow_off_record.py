"""Turns that the user asked not to remember: kept, and shown by their own session alone (K12)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from flow_builders import assistant, episode_of, fake_brain, inside, user

from smartbrain import SmartBrain

SECRETS: Final = (
    ("Don't remember this: my locker code is zebra-4711.", "What is my locker code?", "4711"),
    ("Off the record, I work at Quixotic Labs.", "Where do I work?", "Quixotic"),
    ("My sister Ottilie is pregnant. Please don't remember this.", "Who is pregnant?", "Ottilie"),
    ("这个别记：我的储物柜密码是四七一一。", "我的储物柜密码是什么？", "四七一一"),
    ("我妹妹小柚怀孕了，这个别记。", "谁怀孕了？", "小柚"),
    ("别记这个。我在云雀公司上班。", "我在哪里上班？", "云雀"),
)
"""What is told off the record, a question about it, and a word that nothing may show."""


def tell(brain: SmartBrain, session: str, text: str) -> str:
    """Commit a turn between two others and return its id."""
    brain.commit_turn(session, [user("Good morning, the weather is fine."), assistant("Hello.")])
    said = brain.commit_turn(session, [user(text), assistant("Understood.")])
    brain.commit_turn(session, [user("Let us talk about gardening."), assistant("Gladly.")])
    return said.turn_id


def everything_shown(brain: SmartBrain, session: str, question: str) -> str:
    """Return all that recall, a packet and a context show in a session, in one text."""
    recalled = brain.recall(question, session_id=session, include_history=True)
    packet = brain.build_memory_packet(session, question, audience="planner").to_dict()
    context = brain.compose_context(session, question)
    shown = [one.to_dict() for one in recalled.items]
    return json.dumps([shown, packet, context.text()], ensure_ascii=False, default=str)


@pytest.mark.spec("K12")
@pytest.mark.parametrize(("text", "question", "secret"), SECRETS)
def test_other_sessions_do_not_see_what_is_off_the_record(
    tmp_path: Path, text: str, question: str, secret: str
) -> None:
    """The question itself does not hold the secret, so nothing that is shown may."""
    with fake_brain(tmp_path) as brain:
        turn = tell(brain, "s", text)
        assert secret not in everything_shown(brain, "other", question)
        with inside(brain) as transaction:
            assert transaction.claims.of_turn(turn) == []


@pytest.mark.spec("K12")
@pytest.mark.parametrize(("text", "question", "secret"), SECRETS)
def test_its_own_session_sees_it_until_it_ends(
    tmp_path: Path, text: str, question: str, secret: str
) -> None:
    """A turn opens the session again; what was off the record before stays away."""
    with fake_brain(tmp_path) as brain:
        tell(brain, "s", text)
        found = brain.recall(secret, session_id="s").items
        assert [one for one in found if secret in one.text]
        assert secret in brain.compose_context("s", question).text()
        brain.sessions.end("s")
        assert secret not in everything_shown(brain, "s", question)
        brain.commit_turn("s", [user("Hello again."), assistant("Hello.")])
        assert secret not in everything_shown(brain, "s", question)
        assert not [one for one in brain.recall(secret).items if secret in one.text]


@pytest.mark.spec("K12")
@pytest.mark.parametrize(("text", "secret"), [(one[0], one[2]) for one in SECRETS])
def test_its_words_are_in_the_index_of_no_turn_beside_it(
    tmp_path: Path, text: str, secret: str
) -> None:
    """The words find no other turn, whether the index was followed or rebuilt."""
    with fake_brain(tmp_path) as brain:
        brain.recall("gardening")
        tell(brain, "s", text)
        assert [one for one in brain.recall(secret).items if "text" in one.found_by] == []
        brain.rebuild()
        assert [one for one in brain.recall(secret).items if "text" in one.found_by] == []


@pytest.mark.spec("K12", "C10")
@pytest.mark.parametrize("text", [SECRETS[0][0], SECRETS[3][0]])
def test_the_turn_is_kept_and_the_commit_says_so(tmp_path: Path, text: str) -> None:
    """Its episode has a tag, and the reason is one of its retentions."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(text)])
        codes = {one.code: one.reason for one in result.explain.retention}
        assert "asked not to remember" in codes["off_record"]
        assert result.memory_written.count == 0
        assert episode_of(brain, result.turn_id).tags == ("off_record",)
        (turn,) = brain.sessions.turns("s")
        assert turn.messages[0].content == text


@pytest.mark.spec("K12")
@pytest.mark.parametrize(
    ("said", "then", "secret"),
    [
        ("My locker code is zebra-4711.", "Don't remember that.", "4711"),
        ("我的储物柜密码是四七一一。", "刚才这个别记。", "四七一一"),
        ("我的储物柜密码是四七一一。", "别记这个。", "四七一一"),
    ],
)
def test_a_request_alone_means_the_turn_before(
    tmp_path: Path, said: str, then: str, secret: str
) -> None:
    """What was made of it is taken back, and it is shown to no other session."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(said), assistant("Noted.")])
        result = brain.commit_turn("s", [user(then), assistant("All right.")])
        assert "off_record" in [one.code for one in result.explain.retention]
        assert 0 == result.memory_written.count
        assert not [one for one in brain.recall(secret).items if secret in one.text]
        assert secret not in everything_shown(brain, "other", "What is my locker code? 密码？")


@pytest.mark.spec("K12")
@pytest.mark.parametrize("text", ["Don't remember this: I live in Rome.", "这个别记：我住罗马"])
def test_later_steps_of_the_turn_are_off_the_record_too(tmp_path: Path, text: str) -> None:
    """A result that a tool gives in such a turn becomes no memory."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", [user(text)]).turn_id
        call = {"name": "look_up", "args": {}, "result": {"facts": [{"subject": "Rome", "x": 1}]}}
        step = {"messages": [assistant("Ottilie lives there.")], "tool_calls": [call]}
        brain.commit_turn("s", step, turn_id=turn)
        assert brain.memories.list("facts", status=None).items == ()
        assert brain.memories.list("entities", status=None).items == ()
        assert episode_of(brain, turn).tags == ("off_record",)


@pytest.mark.spec("K12")
@pytest.mark.parametrize(
    "text", ["I don't remember that. I live in Rome.", "别忘了这个：我住在罗马", "我住在罗马"]
)
def test_other_words_keep_a_turn_on_the_record(tmp_path: Path, text: str) -> None:
    """Who does not remember, or is not to forget, asks for nothing."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(text)])
        assert episode_of(brain, result.turn_id).tags == ()
        assert brain.recall("Rome 罗马").items
