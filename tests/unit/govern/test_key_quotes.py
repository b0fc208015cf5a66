"""Which words of a session are quoted, and that they lead back to the original."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_talks import Talk


def quotes(*said: str, speaker: str = "user") -> list[str]:
    """Return what is quoted of a session with these turns."""
    talk = Talk()
    for text in said:
        talk.say((speaker, text))
    return [one.text for one in talk.mind().key_quotes]


@pytest.mark.spec("W2")
@pytest.mark.parametrize(
    "text",
    [
        "我们决定用 PostgreSQL。",
        "We decided to ship on Friday.",
        "以后都用中文回答我。",
        "From now on, never push to main.",
        "截止日期改成 3 月 15 日。",
        "Let's go with the second plan.",
    ],
)
def test_choices_and_instructions_are_quoted(text: str) -> None:
    """In Chinese and English, as they were said."""
    assert [text] == quotes(f"今天天气不错。{text}", "嗯嗯")


@pytest.mark.spec("W2")
@pytest.mark.parametrize(
    "text",
    [
        "今天天气不错。",
        "We should be fine I guess.",
        "我们决定用哪个数据库了吗？",
        "Did we decide to use Redis?",
        "```\n# never push to main\nalways = 1\n```",
        "> 以后都用中文回答我。",
        "好",
        "我们决定" + "很长" * 200,
    ],
)
def test_chat_questions_code_and_quotations_are_not(text: str) -> None:
    """What is asked, shown or only talked about is not worth a quote."""
    assert [] == quotes(text)


@pytest.mark.spec("W2")
@pytest.mark.parametrize(
    "said",
    [
        ("预算是 4800 元，供应商是蓝海科技。", "聊点别的吧", "蓝海科技什么时候回复"),
        ("The vendor quoted 4800 dollars for Bluewater.", "anyway", "did bluewater vendor answer"),
    ],
)
def test_what_later_turns_come_back_to_is_quoted(said: tuple[str, ...]) -> None:
    """A figure that is spoken of again is kept; the same one that is not is left."""
    assert [said[0]] == quotes(*said)
    assert [] == quotes(*said[:2])


@pytest.mark.spec("W2")
def test_the_weightiest_come_first_and_ten_at_most() -> None:
    """A dated decision outweighs a plain one; of equals the newest comes first."""
    plain = [f"我们同意{name}方案。" for name in "甲乙丙丁戊己庚辛壬癸子丑"]
    found = quotes(*plain[:6], "我们决定 3 月 1 日上线。", *plain[6:])
    assert "我们决定 3 月 1 日上线。" == found[0]
    assert plain[::-1][:9] == found[1:]


@pytest.mark.spec("W2")
def test_what_is_said_twice_is_quoted_once() -> None:
    """It is quoted from where it was said last."""
    talk = Talk()
    talk.say(("user", "记住：用简体中文。"))
    last = talk.say(("user", "记住：用简体中文。"))
    (quote,) = talk.mind().key_quotes
    assert last == quote.source_turn_id


@pytest.mark.spec("W2")
def test_a_quote_names_its_speaker_and_its_place() -> None:
    """Who said it, when, and the bytes of the original that hold it."""
    talk = Talk()
    turn = talk.say(("小李", "早上好 😀！我们决定周五发布。别忘了。"))
    quote = next(one for one in talk.mind().key_quotes if "决定" in one.text)
    assert ("我们决定周五发布。", "小李", turn) == (quote.text, quote.speaker, quote.source_turn_id)
    assert quote.span is not None
    assert quote.text == talk.original(quote.span.raw_id, quote.span.offset, quote.span.length)


@pytest.mark.spec("W2")
def test_words_in_a_later_piece_have_their_place_there() -> None:
    """A long message is kept in pieces; the place is that of the piece which holds the words."""
    talk = Talk()
    talk.say(("user", "早上好呀。" * 8 + "我们决定周五发布。"), pieces=2)
    (quote,) = talk.mind().key_quotes
    assert quote.span is not None
    assert quote.text == talk.original(quote.span.raw_id, quote.span.offset, quote.span.length)


@pytest.mark.spec("W2")
@settings(max_examples=40)
@given(
    before=st.text(alphabet="早好😀a \n。", max_size=40),
    after=st.text(alphabet="晚安b。", max_size=20),
    pieces=st.integers(1, 5),
)
def test_places_are_right_in_texts_of_many_pieces(before: str, after: str, pieces: int) -> None:
    """A place is that of the words, or there is none because they run over two pieces."""
    talk = Talk()
    talk.say(("user", f"{before}\n我们决定周五发布 v2。\n{after}"), pieces=pieces)
    found = talk.mind().key_quotes
    assert found
    for quote in found:
        if quote.span is not None:
            place = (quote.span.raw_id, quote.span.offset, quote.span.length)
            assert quote.text == talk.original(*place)


@pytest.mark.spec("W2")
def test_a_long_document_of_an_earlier_turn_is_not_read() -> None:
    """Its file is not even opened; that of a turn in the window is."""
    talk = Talk()
    talk.say(("user", "我们决定周五发布。" * 500))
    assert 1 == len(talk.mind().key_quotes)
    for n in range(5):
        talk.say(("user", f"嗯 {n}"))
    for _ in ("there", "gone"):
        stm = talk.mind()
        assert ((), 5) == (stm.key_quotes, len(stm.window))
        talk.blobs.files.clear()
