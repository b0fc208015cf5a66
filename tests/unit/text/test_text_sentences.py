"""Sentences of Chinese, English and mixed text, and summaries made of them."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.text.sentences import extract_summary, sentence_spans, split_sentences

ANY_TEXT: Final = st.one_of(
    st.text(st.characters(), max_size=300),
    st.lists(
        st.sampled_from(
            [
                "Dr. ",
                "e.g. ",
                "v1.2 ",
                "好的。",
                "“走！”",
                "……",
                "...",
                "\n",
                "- ",
                "word ",
                "字",
                "```\n",
            ]
            + ["He left. ", "为什么？", '{"a": 1}', "👨‍👩‍👧", "\ud83d\ude00", "a" * 60]
        ),
        max_size=60,
    ).map("".join),
)
PARTS: Final = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool", "用户", "Li Wei"]), ANY_TEXT),
    max_size=5,
)
FILLER: Final = "That is a pleasant way of looking at the matter, of course. "
ZH_FILLER: Final = "这样看待这件事情当然也是一种很不错的方式。"


def check(marked: str) -> None:
    """Split a text that has "|" wherever a sentence ends, and compare."""
    expected = [sentence.strip() for sentence in marked.split("|")]

    assert expected == split_sentences(marked.replace("|", ""))


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_blanks_are_no_sentence(text: str) -> None:
    """Where nothing shows, nothing is found."""
    assert split_sentences(text) == []


@pytest.mark.parametrize(
    "marked",
    [
        "no end",
        "...",
        "One. |Two! |Three? |Four",
        "i went home. |then i slept.",
        "Dr. Smith met Mrs. Li at 3 p.m. on Monday. |They talked.",
        "Bring fruit, e.g. apples. |Thanks.",
        "We sell tea, etc. |Ask Acme Inc. |Then pay. |Jones et al. agreed.",
        "J. R. R. Tolkien wrote it. |True.",
        "Upgrade to v1.2.3 now. |It costs $3.50. |In 2024. |Then more.",
        "See https://a.b/c?d=e. |Then open app.py. |Go",
        'He asked "why?" and left. |"Go!" |Fine.',
        "(It rained.) |We stayed.",
        "Wait... what? |Hmm... |OK.",
    ],
)
def test_english_sentences(marked: str) -> None:
    """A full stop ends a sentence, but not in an abbreviation, a number, a name or an address."""
    check(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "今天下雨。|明天呢？|太好了！",
        "他说：“明天出发。”|然后走了。",
        "「走吧！」|她笑了。|『好。』|完",
        "（已确认。）|下一步；|再下一步。",
        "我……我不知道。|算了……",
        "真的吗？！！|好吧……",
        "圆周率是3.14，版本是v1.2.3。",
    ],
)
def test_chinese_sentences(marked: str) -> None:
    """Closing quotes and brackets stay with their sentence, a pause does not end it."""
    check(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "我用 Python 3.11 写的。|It works! |你试试?|好的.|再见",
        "打开 config.yml 文件。|Set k=20. |然后重启。",
    ],
)
def test_mixed_sentences(marked: str) -> None:
    """Both kinds of punctuation end sentences side by side."""
    check(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "1. First item\n|2. Second. |More\n|- third",
        "• 第一点\n|• 第二点\r\n\r\n|a. 选项",
        "apples\n|pears\n|plums",
        "The harbour was quiet that morning and the men\nwent home. |Then it rained.",
        "The harbour was quiet that morning and the men\n\n|went home.",
        "The harbour was quiet that morning and the men\n|Went home.",
    ],
)
def test_lines_and_lists(marked: str) -> None:
    """A line is a sentence unless it was wrapped; a list marker belongs to its item."""
    check(marked)


@settings(deadline=None)
@given(ANY_TEXT)
def test_sentences_of_any_text_hold_all_that_shows(text: str) -> None:
    """Spans are in order, apart, trimmed, and leave out blanks only."""
    spans = sentence_spans(text)
    places = [place for span in spans for place in span]

    assert places == sorted(places)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert "".join(text.split()) == "".join("".join(text[a:b] for a, b in spans).split())


@pytest.mark.spec("E2")
def test_a_short_turn_is_told_whole() -> None:
    """What fits is not touched, and silent parts leave no line."""
    parts = [
        ("user", "我叫李雷，住在上海。"),
        ("tool", " \n"),
        ("assistant", "Nice to meet you!\nReally."),
    ]

    assert (
        extract_summary(parts)
        == "user: 我叫李雷，住在上海。\nassistant: Nice to meet you!\nReally."
    )


@pytest.mark.spec("E2")
def test_the_limit_itself_is_allowed() -> None:
    """A turn of just the limit is told whole, with one character less it is not."""
    parts = [("user", "Book the flight. Pay by card.")]
    whole = "user: Book the flight. Pay by card."

    assert extract_summary(parts, limit=len(whole)) == whole
    assert extract_summary(parts, limit=len(whole) - 1) == "user: Book the flight."


@pytest.mark.spec("E2")
def test_each_part_leads_with_its_first_telling_sentence() -> None:
    """Greetings are passed over, the user comes first in line for room, order is kept."""
    parts = [
        ("assistant", "Sure! I can help you move the meeting. " + FILLER * 5),
        ("user", "Hi! Please move the planning meeting to Friday. " + FILLER * 5),
    ]

    assert extract_summary(parts, limit=100) == (
        "assistant: I can help you move the meeting.\n"
        "user: Please move the planning meeting to Friday."
    )
    assert extract_summary(parts, limit=60) == "user: Please move the planning meeting to Friday."


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    ("told", "filler"),
    [
        ("We decided to rename user_id to account_id in 14 tables.", FILLER),
        ("The API key lives in /etc/app/secret.yml now.", FILLER),
        ("我们决定把截止日期改为3月18日。", ZH_FILLER),
        ("必须先备份 orders.db 再升级。", ZH_FILLER),
    ],
)
def test_informative_sentences_come_before_small_talk(told: str, filler: str) -> None:
    """Numbers, names of things and decisions win the room that is left."""
    text = f"{filler * 6}{told} {filler * 6}"

    assert told in extract_summary([("user", text)], limit=140)


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "We sat down together. It was quiet there. The budget is 900 euros. It ends on May 4.",
            "user: We sat down together. The budget is 900 euros. It ends on May 4.",
        ),
        (
            "我们先一起开了个会。大家都很安静地坐着。预算是九百元，必须批准。会议5月4日结束。",
            "user: 我们先一起开了个会。预算是九百元，必须批准。会议5月4日结束。",
        ),
    ],
)
def test_chosen_sentences_keep_their_order_and_join_readably(text: str, expected: str) -> None:
    """English sentences are joined by a blank, Chinese ones by nothing."""
    assert expected == extract_summary([("user", text)], limit=len(expected) + 2)


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    "blob",
    [
        '```json\n{"error": "E42", "path": "/tmp/x"}\n```',
        "~~~\nMust fail 17 times. Error in app.py.\n~~~",
        '{"id": 17, "error": "must fail", "path": "/tmp/x"}',
        "2025-03-18 09:41:07 ERROR must retry 3 times. See app.log.",
        "[ERROR] must retry 3 times. See app.log.",
        "TGwk9fQ2pXv7Zs0aRkYB3mHcE1oUdJi6nW4+" * 5,
        'result = fetch(url, params={"k": 20}, retries=3);',
    ],
)
def test_code_and_data_give_way_to_prose(blob: str) -> None:
    """A pasted blob is not told while there are sentences."""
    text = f"{blob}\n" * 8 + "Why does the import stop here? Please look at the second file."

    assert extract_summary([("user", text)], limit=120) == (
        "user: Why does the import stop here? Please look at the second file."
    )


@pytest.mark.spec("E2")
def test_code_is_told_when_there_is_nothing_else() -> None:
    """A turn without prose is told by its first lines."""
    parts = [("assistant", "```python\nprint(1)\nprint(2)\n" + "print(3)\n" * 80 + "```")]

    assert extract_summary(parts, limit=50) == "assistant: print(1) print(2) print(3)"


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the old pier in the east needs a lot of timber", "the old pier in the…"),
        (
            "东边港口的旧码头需要很多新的木材和钉子还有油漆和工人",
            "东边港口的旧码头需要很多新的木材和钉子还…",
        ),
        ("x" * 99, "x" * 20 + "…"),
        ("👨‍👩‍👧‍👦" * 9, "👨‍👩‍👧‍👦" * 2 + "…"),
    ],
)
def test_a_single_sentence_too_long_is_cut_between_words(text: str, expected: str) -> None:
    """The cut shows, and words stay whole where there are words."""
    assert f"user: {expected}" == extract_summary([("user", text)], limit=27)


@pytest.mark.spec("E2")
def test_an_overlong_lead_leaves_room_for_the_answer() -> None:
    """One endless sentence does not silence the other parts."""
    parts = [("user", "well " * 200), ("assistant", "The pier is closed until 4 May.")]

    summary = extract_summary(parts, limit=120)

    assert summary.startswith("user: well well")
    assert summary.endswith("well…\nassistant: The pier is closed until 4 May.")


@pytest.mark.spec("E2")
def test_the_end_of_a_huge_text_is_read_too() -> None:
    """A question after a long paste is told."""
    text = "2025-03-18 09:41:07 INFO tick 1\n" * 3000 + "Why does it stop at tick 17?"

    assert extract_summary([("user", text)]) == "user: Why does it stop at tick 17?"


@pytest.mark.spec("E2")
def test_what_is_said_twice_is_told_once() -> None:
    """Thirty equal tool calls take one line."""
    parts = [("user", "Run the tests until they pass. " + FILLER * 5)]
    parts += [("tool", "pytest (exit code 1)")] * 30

    assert extract_summary(parts, limit=120).count("pytest") == 1


@pytest.mark.spec("E2")
def test_headings_give_way_to_sentences() -> None:
    """What announces and what has no end tells nothing by itself."""
    text = f"The pier was checked on Monday.\n3 findings in pier_log:\nOpen ends\n{FILLER * 9}"

    assert extract_summary([("user", text)], limit=80) == "user: The pier was checked on Monday."


def test_without_a_user_the_first_speaker_has_the_first_claim() -> None:
    """Among people with names the order decides."""
    parts = [("Li Wei", "I moved to Hangzhou last spring."), ("Ana", "That sounds lovely to me.")]

    assert extract_summary(parts, limit=45) == "Li Wei: I moved to Hangzhou last spring."


@pytest.mark.parametrize(
    "marker", ["- ", "* ", "• ", "1. ", "(2) ", "## ", "> ", "一、", "（三）", "3、"]
)
def test_list_markers_are_left_out(marker: str) -> None:
    """Items joined into a line need no bullets."""
    items = f"{marker}Order 40 planks.\n{marker}Ask for 3.5 kg of nails.\n"

    assert extract_summary([("user", items + f"{marker}{FILLER}\n" * 3)], limit=50) == (
        "user: Order 40 planks. Ask for 3.5 kg of nails."
    )


@pytest.mark.spec("E2")
@settings(deadline=None)
@given(PARTS, st.integers(-1, 300))
def test_no_summary_is_over_the_limit(parts: list[tuple[str, str]], limit: int) -> None:
    """Whatever is said, the answer fits, and is empty only if nothing was said or may be."""
    summary = extract_summary(parts, limit=limit)

    assert len(summary) <= max(limit, 0)
    assert bool(summary) == (limit > 0 and any(text.strip() for _, text in parts))
