"""What a summary says of a session that has no goals, choices or tasks: its telling sentences."""

from __future__ import annotations

import pytest
from summarise_talks import Talk, assistant, composition, task, user

from smartbrain.text.tokens import estimate_tokens

VISIT = (
    "My sister Clara visits on Friday.",
    "She is vegetarian and allergic to nuts.",
    "We could cook risotto or a curry.",
    "Clara once lived in Lisbon for six years.",
    "The train arrives at 18:40 at platform 3.",
    "The guest room needs new sheets.",
    "She wants to see the Hopper exhibition.",
    "Tickets cost 14 euros each.",
    "The museum closes at 20:00.",
    "Clara's kid Ben comes too, he is 6.",
    "Ben loves dinosaurs and hates peas.",
    "The natural history museum has a T-Rex.",
)
VISIT_ZH = (
    "我姐姐星期五来看我们",
    "她吃素,对坚果过敏",
    "可以做烩饭或者咖喱",
    "她在里斯本住过六年",
    "火车18:40到三号站台",
    "客房要换新床单",
    "她想看霍珀的画展",
    "门票每张14欧元",
    "博物馆晚上八点关门",
    "她的孩子本也来,今年六岁",
    "本喜欢恐龙,讨厌豌豆",
    "自然博物馆有霸王龙",
)


def held(lines: tuple[str, ...], **limits: int) -> Talk:
    """Return a talk in which each line got the same short reply."""
    talk = Talk(composition(**limits)) if limits else Talk()
    for line in lines:
        talk.say(user(line), assistant("Sounds good. 好的。"))
    return talk


@pytest.mark.spec("C8", "W2")
@pytest.mark.parametrize("lines", [VISIT, VISIT_ZH])
def test_a_session_without_memories_is_told_in_its_own_words(lines: tuple[str, ...]) -> None:
    """In the order they were said, each with its speaker; an empty reply is not repeated."""
    summary = held(lines).latest()
    told = summary.sections["Key References"]
    assert [f"user: {line}" for line in lines if f"user: {line}" in told] == list(told)
    assert len(told) > len(lines) // 2
    assert "Sounds good" not in summary.text
    assert summary.text == held(lines).latest().text


@pytest.mark.spec("C8", "W2")
@pytest.mark.parametrize("lines", [VISIT, VISIT_ZH])
def test_what_was_told_before_is_carried_on(lines: tuple[str, ...]) -> None:
    """The next version is made of later turns and still knows how it began."""
    talk = held(lines)
    for number in range(12):
        talk.say(user(f"ok {number}"), assistant("fine"))
    first, second = talk.versions()
    assert set(first.sections["Key References"]) & set(second.sections["Key References"])


@pytest.mark.spec("C8")
@pytest.mark.parametrize("lines", [VISIT, VISIT_ZH])
def test_telling_sentences_keep_to_the_budget(lines: tuple[str, ...]) -> None:
    """Within the tokens of a summary, however few."""
    summary = held(lines, summary_max_tokens=60).latest()
    assert 0 < estimate_tokens(summary.text) <= 60


@pytest.mark.spec("C8")
def test_what_a_summary_says_anyhow_is_not_told_twice() -> None:
    """A task is under its title; questions and code are no sentences to tell."""
    talk = Talk()
    talk.say(user("TODO: write the weekly report"), told=[task("write the weekly report")])
    for line in (*VISIT[:9], "Where is the ticket office?", "```\nprint(secret_code)\n```"):
        talk.say(user(line), assistant("ok"))
    text = talk.latest().text
    assert 1 == text.count("weekly report")
    assert "secret_code" not in text
    assert "user: Where is the ticket office?" not in text


@pytest.mark.spec("C8", "W2")
def test_nothing_is_told_of_turns_that_are_still_in_the_window() -> None:
    """They are shown word for word."""
    talk = Talk()
    talk.say(user(VISIT[0]))
    talk.say(user("done"), told=[task("sheets", "done")])
    assert "Key References" not in talk.latest().sections
