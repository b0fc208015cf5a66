"""Forgetting that a turn asks for in words: hidden at once, taken back, or erased in its time."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from flow_builders import assistant, fake_brain, user
from forget_builders import everything_shown, files_with

from smartbrain import SmartBrain
from smartbrain.domain.forgetting import ForgetState
from smartbrain.domain.result import CommitResult

ASKED: Final = (
    ("My phone number is 13812345678. I am Tom.", "Please forget my phone number.", "13812345678"),
    ("I live in Rome. I am Tom.", "Forget where I live.", "Rome"),
    ("The gate code is 4711. I am Tom.", "Hey, could you please forget the gate code?", "4711"),
    ("I'm allergic to peanuts. I am Tom.", "Please forget my peanut allergy.", "peanut"),
    ("We met Alibaba today. I am Tom.", "delete everything about Alibaba", "Alibaba"),
    ("My salary is 85000 euros. I am Tom.", "Stop remembering my salary.", "85000"),
    ("我的手机号是13987654321，我叫Tom。", "请忘记我的手机号", "13987654321"),
    ("张伟是我的同事。我叫Tom。", "忘掉张伟的事", "张伟"),
    ("服务器密码是 hunter2xyz。我叫Tom。", "把密码忘了吧", "hunter2xyz"),
    ("我对花生过敏，我叫Tom。", "麻烦忘掉我对花生过敏这件事", "花生"),
    ("我的生日是5月3日。我叫Tom。", "忘了我的生日吧", "5月3日"),
)
"""What is told, how it is asked to be forgotten, and a word that may not be shown any more."""
NOT_ASKED: Final = (
    "forget it, let's use redis",
    "Don't forget my phone number!",
    "I forgot my phone number, what was it?",
    'Translate "forget my phone number" into French.',
    "Did you forget my phone number?",
    "别忘了我的手机号",
    "我忘了我的手机号",
    "忘记手机号了怎么办",
    "我永远忘不了那天",
)


def tell(brain: SmartBrain, session: str, text: str) -> CommitResult:
    """Commit a message, and an answer that repeats it."""
    return brain.commit_turn(session, [user(text), assistant(f"I see: {text}")])


def outcomes(result: CommitResult) -> list[str]:
    """Return the codes of what was reported of forgetting."""
    return [one.code for one in result.explain.retention if one.type == "forget"]


@pytest.mark.spec("J7")
@pytest.mark.parametrize(("told", "asked", "word"), ASKED)
def test_what_is_named_is_hidden_at_once(tmp_path: Path, told: str, asked: str, word: str) -> None:
    """Where it was said, echoed and asked for; what else was said stays."""
    with fake_brain(tmp_path) as brain:
        tell(brain, "a", told)
        result = tell(brain, "b", asked)
        assert outcomes(result) == ["forgotten"]
        shown = everything_shown(brain, "what?")
        assert word not in shown
        assert "Tom" in shown
        (receipt,) = brain.receipts()
        assert receipt.state is ForgetState.HIDDEN
        assert not brain.verify_receipt(receipt)
        assert SmartBrain.doctor(tmp_path).tenants[0].findings == ()


@pytest.mark.spec("J7")
@pytest.mark.parametrize("text", NOT_ASKED)
def test_what_only_sounds_like_it_changes_nothing(tmp_path: Path, text: str) -> None:
    """Nothing is hidden, and nothing is reported."""
    with fake_brain(tmp_path) as brain:
        tell(brain, "a", "My phone number is 13812345678. 我的手机号是13987654321。")
        result = tell(brain, "b", text)
        assert outcomes(result) == []
        assert brain.receipts() == []
        assert "13812345678" in everything_shown(brain, "what?")


@pytest.mark.spec("J7")
@pytest.mark.parametrize(
    "text",
    ["The code is 4411, please remember it for ever.", "张伟的密码是蓝色河马，请永远记住它。"],
)
def test_who_asks_to_remember_never_asks_to_forget(tmp_path: Path, text: str) -> None:
    """What is told is there afterwards, and nothing is reported."""
    with fake_brain(tmp_path) as brain:
        assert outcomes(tell(brain, "a", text)) == []
        assert text in everything_shown(brain, "what?")


@pytest.mark.spec("J7")
@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (("The gate code is 471199.", "The alarm code is 882255."), "Please forget the code."),
        (("门禁密码是471199。", "保险箱密码是882255。"), "把密码忘了吧"),
    ],
)
def test_where_two_things_fit_alike_neither_goes(
    tmp_path: Path, told: tuple[str, str], asked: str
) -> None:
    """The result says that it is not clear."""
    with fake_brain(tmp_path) as brain:
        for text in told:
            tell(brain, "a", text)
        assert outcomes(tell(brain, "b", asked)) == ["unclear_what_to_forget"]
        assert brain.receipts() == []


@pytest.mark.spec("J7")
@pytest.mark.parametrize(
    ("told", "asked", "gone", "kept"),
    [
        (
            ("My uncle Rory is in prison for fraud.", "He owes me 300 quid.", "I love jazz."),
            "please drop the thing about my uncle",
            ("Rory", "300 quid"),
            "jazz",
        ),
        (
            ("我跟合伙人老屈闹掰了，他卷走了十二万。", "奶茶店还开着。"),
            "把老屈的事删了",
            ("老屈", "十二万"),
            "奶茶店",
        ),
    ],
)
def test_with_a_person_goes_what_goes_on_about_them(
    tmp_path: Path, told: tuple[str, ...], asked: str, gone: tuple[str, ...], kept: str
) -> None:
    """Sentences beside it that speak of "he"; other messages stay."""
    with fake_brain(tmp_path) as brain:
        for text in told:
            tell(brain, "a", text)
        assert outcomes(tell(brain, "b", asked)) == ["forgotten"]
        shown = everything_shown(brain, "what?")
        assert [one for one in gone if one in shown] == []
        assert kept in shown


@pytest.mark.spec("J7")
@pytest.mark.parametrize("text", ["Please forget my shoe size.", "请忘记我的血型"])
def test_what_is_not_known_is_said_not_to_be_found(tmp_path: Path, text: str) -> None:
    """Nothing else goes in its place."""
    with fake_brain(tmp_path) as brain:
        tell(brain, "a", "My phone number is 13812345678.")
        assert outcomes(tell(brain, "b", text)) == ["nothing_to_forget"]
        assert brain.receipts() == []


@pytest.mark.spec("J7")
@pytest.mark.parametrize("text", ["Actually, keep it after all.", "还是记着我的手机号吧"])
def test_it_is_taken_back_by_words_until_it_is_erased(tmp_path: Path, text: str) -> None:
    """What was hidden is there again, as text, as claim and as memory."""
    with fake_brain(tmp_path) as brain:
        told = tell(brain, "a", "The staging host is 10.77.81.12.")
        before = brain.sessions.turns("a")
        tell(brain, "b", "Please forget the staging host.")
        assert "10.77.81.12" not in everything_shown(brain, "host?")
        assert outcomes(tell(brain, "b", text)) == ["taken_back"]
        assert brain.sessions.turns("a") == before
        assert brain.memories.get("fact:staging:host").value["value"] == "10.77.81.12"
        assert any(one.source_turn_id == told.turn_id for one in brain.recall("staging host").items)
        (receipt,) = brain.receipts()
        assert receipt.state is ForgetState.TAKEN_BACK
        assert SmartBrain.doctor(tmp_path).tenants[0].findings == ()


@pytest.mark.spec("J7")
def test_it_is_erased_when_its_time_has_come(tmp_path: Path) -> None:
    """The words are in the files until then; a brain that is opened later erases them."""
    with fake_brain(tmp_path, **{"forget.grace": 0.02}) as brain:
        tell(brain, "a", "My phone number is 13812345678.")
        tell(brain, "b", "Please forget my phone number.")
        assert files_with(tmp_path, "13812345678") != []
        for _ in range(40):
            tell(brain, "c", "Time goes by.")
        (receipt,) = brain.receipts()
        assert receipt.state is ForgetState.ERASED
        assert files_with(tmp_path, "13812345678") == []
        assert brain.verify_receipt(receipt)


@pytest.mark.spec("J7")
def test_without_grace_it_is_erased_at_once(tmp_path: Path) -> None:
    """The commit itself erases it."""
    with fake_brain(tmp_path, **{"forget.grace": 0}) as brain:
        tell(brain, "a", "My phone number is 13812345678.")
        tell(brain, "b", "Please forget my phone number 13812345678.")
        assert files_with(tmp_path, "13812345678") == []


@pytest.mark.spec("J7")
def test_what_was_just_said_goes_whole(tmp_path: Path) -> None:
    """The turn before goes, and no other."""
    with fake_brain(tmp_path, **{"forget.grace": 0}) as brain:
        tell(brain, "a", "Good morning.")
        tell(brain, "a", "I robbed the Zanzibar bank.")
        tell(brain, "a", "Please forget what I just said.")
        assert files_with(tmp_path, "Zanzibar") == []
        assert len(brain.sessions.turns("a")) == 2


@pytest.mark.spec("J7")
@pytest.mark.parametrize(
    ("told", "asked", "word", "question"),
    [
        ("I met Lisa in Oslo last week.", "Never mention Lisa again.", "Lisa", "Who was in Oslo?"),
        ("上周我在奥斯陆遇到了丽莎。", "以后别再提丽莎了", "丽莎", "我在奥斯陆遇到了谁？"),
    ],
)
def test_what_is_never_to_be_mentioned_is_kept_and_not_brought_up(
    tmp_path: Path, told: str, asked: str, word: str, question: str
) -> None:
    """Nothing is erased: who asks for it by name is answered."""
    with fake_brain(tmp_path) as brain:
        tell(brain, "a", told)
        assert outcomes(tell(brain, "b", asked)) == ["muted"]
        found = brain.recall(question, session_id="c").items
        assert all(word not in one.text for one in found if one.type != "preferences")
        assert any(word in one.text for one in brain.recall(f"{word}?", session_id="c").items)
        assert brain.receipts() == []


@pytest.mark.spec("J7", "S1")
def test_a_model_forgets_by_its_tool_after_a_preview(tmp_path: Path) -> None:
    """Without `confirm` it is only told what would go."""
    with fake_brain(tmp_path) as brain:
        tell(brain, "a", "We met Alibaba today.")
        call = {"name": "forget", "arguments": {"topic": "Alibaba"}}
        assert "would forget" in brain.call_tool("a", call).text
        assert "Alibaba" in everything_shown(brain, "who?")
        done = {"name": "forget", "arguments": {"topic": "Alibaba", "confirm": True}}
        assert "forgot" in brain.call_tool("a", done).text
        assert files_with(tmp_path, "Alibaba") == []
        assert brain.call_tool("a", {"name": "forget", "arguments": {}}).is_error
