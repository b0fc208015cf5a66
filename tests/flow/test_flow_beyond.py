"""What a long turn says beyond the few sentences that its episode is told in, in memory packets.

In: turns of some hundred words with a code or a rare word in their middle, new and old; turns that
only a time leads to. Out: packets that let them in and quote the sentence, as it was said.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from recall_builders import NOW, counted, opened, original, say

from smartbrain import SmartBrain
from smartbrain.domain.packet import PacketItem

CALM = [
    "We had a calm morning at the office and drank coffee.",
    "The landlord called about the heating in the cellar.",
    "Anna brought a cake from the bakery near the station.",
    "The team discussed the budget for the next quarter.",
    "Peter showed his slides about the customer survey.",
    "After lunch the printer stopped working again.",
    "The cleaning company came earlier than planned.",
    "We moved 2 desks to the other side of the floor.",
]
QUIET = [
    "上午办公室很安静，大家都在喝咖啡，没有什么特别的事情。",
    "房东打电话来说地下室暖气的事情，说下个月会派人来修。",
    "小安从车站旁边的面包店带来了蛋糕，大家一起分着吃了。",
    "团队讨论了下个季度的预算安排，决定先把3个项目停一停。",
    "彼得展示了客户调查的幻灯片，一共有40页，讲了两个小时。",
    "午饭以后打印机又坏了，修理的人说需要等5天才有零件。",
    "清洁公司比计划来得早，我们把2张桌子搬到了另一边。",
    "新椅子的颜色送错了，玛丽亚明天会给供应商打电话。",
]
LOG = " ".join(f"[{n:02d}] worker-{n} finished its step and went back" for n in range(20))


def long_turn(sentence: str) -> str:
    """Return a turn with a sentence in its middle that is less telling than those around it."""
    if sentence.isascii():
        pad = [f"At {n}:00 worker_{n} must go to queue_{n}, said Anna." for n in range(10, 20)]
        return " ".join([*pad, sentence, *pad])
    steps = [
        f"第{n}步：小安说 worker_{n} 必须先回到 queue_{n} 里面继续等待。" for n in range(10, 20)
    ]
    return "".join([*steps, sentence, *steps])


def told_before_chatter(brain: SmartBrain, sentence: str, days: int) -> str:
    """Have a sentence said in a long turn of some days ago, and talk of something else since."""
    turn = say(brain, long_turn(sentence), at=NOW - timedelta(days=days), session="old")
    for n in range(30):
        say(brain, f"Chatter {n} about the weather, 天气闲聊 {n}。", session="chat")
    return turn


def told_of(brain: SmartBrain, turn: str, question: str) -> PacketItem | None:
    """Return the episode of a turn as a packet for a question shows it."""
    shown = brain.build_memory_packet("new", question).episodes
    return next((one for one in shown if one.source_turn_id == turn), None)


@pytest.mark.spec("R5", "R9")
@pytest.mark.parametrize("days", [1, 20, 60, 400])
@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The driver reported 0x8007045D and gave up.", "What was 0x8007045D about?"),
        ("驱动程序报告了 0x80070490 然后放弃了。", "0x80070490 是怎么回事？"),
        ("Somebody mumbled about quittenbaum jelly.", "Who talked about quittenbaum?"),
        ("后来有人聊起了榅桲果冻。", "谁聊起了榅桲？"),
    ],
)
def test_a_packet_quotes_what_a_summary_leaves_out(
    tmp_path: Path, days: int, sentence: str, question: str
) -> None:
    """At any age, with the bytes it stands for; for another question there is no such quote."""
    with opened(tmp_path) as brain:
        turn = told_before_chatter(brain, sentence, days)
        item = told_of(brain, turn, question)
        assert item is not None
        assert sentence not in item.text
        (quote,) = item.quotes
        assert sentence == quote.text
        assert quote.span is not None
        assert sentence.encode() == original(brain, quote.span)
        other = told_of(brain, turn, "weather 天气")
    assert other is None or not other.quotes


@pytest.mark.spec("R9", "R15")
@pytest.mark.parametrize("days", [1, 60, 400])
@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The driver reported 0x8007045D and gave up.", "What was 0x8007045D about?"),
        ("后来有人聊起了榅桲果冻。", "谁聊起了榅桲？"),
    ],
)
def test_a_context_shows_what_a_summary_leaves_out(
    tmp_path: Path, days: int, sentence: str, question: str
) -> None:
    """It quotes nothing apart, for it shows the turn; an old one comes by its original words."""
    with opened(tmp_path) as brain:
        turn = told_before_chatter(brain, sentence, days)
        shown = brain.compose_context("new", question).evidence
    told = [one.snippet for one in shown if one.source_uri == f"turn:{turn}"]
    assert any(sentence in text for text in told), told


@pytest.mark.spec("R5", "R9")
@pytest.mark.parametrize("code", ["0x8007045D", "错误码0x80070490"])
def test_a_log_without_full_stops_is_quoted_around_the_code(tmp_path: Path, code: str) -> None:
    """As much as a quote may have, also of what lies in a file."""
    for name, times in (("row", 1), ("file", 200)):
        with opened(tmp_path / name) as brain:
            text = f"{LOG * times} {code} {LOG}"
            turn = say(brain, text, at=NOW - timedelta(days=60), session="old")
            item = told_of(brain, turn, "What about 0x8007045D or 0x80070490 原文?")
            assert item is not None
            (quote,) = item.quotes
            assert code in quote.text
            assert len(quote.text) <= 240
            assert quote.span is not None
            assert quote.text.encode() == original(brain, quote.span)


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What did Anna say about 0x8007045D?", "The driver reported 0x8007045D and gave up."),
        ("小安说的 0x80070490 是什么？", "驱动程序报告了 0x80070490 然后放弃了。"),
    ],
)
def test_a_name_that_is_shown_hides_no_code(tmp_path: Path, question: str, sentence: str) -> None:
    """Where the summary holds one cue, another that it lacks is quoted."""
    with opened(tmp_path) as brain:
        turn = say(brain, long_turn(sentence), at=NOW - timedelta(days=60), session="old")
        item = told_of(brain, turn, question)
    assert item is not None
    assert sentence in [one.text for one in item.quotes]


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("question", "said", "left"),
    [
        ("What happened in November?", CALM[:4], " ".join(CALM[1:4])),
        ("去年十一月发生了什么？", QUIET[:4], "".join(QUIET[2:4])),
    ],
)
def test_a_time_alone_quotes_what_is_left_out(
    tmp_path: Path, question: str, said: list[str], left: str
) -> None:
    """An old episode that only its month brings shows a theme, and quotes how it goes on."""
    glue = " " if said[0].isascii() else ""
    with opened(tmp_path) as brain:
        at = "2025-11-12T10:00:00+00:00"
        turn = say(brain, glue.join(said), at=at, session="old", reply="")
        tool: dict[str, Any] = {"name": "bash", "args": {}, "result": glue.join(said)}
        messages = [{"role": "user", "content": "跑吧 run"}]
        run = brain.commit_turn("old", {"at": at, "messages": messages, "tool_calls": [tool]})
        item = told_of(brain, turn, question)
        called = told_of(brain, run.turn_id, question)
    assert item is not None
    assert "theme" == item.compression
    (quote,) = item.quotes
    assert left.startswith(quote.text)
    assert quote.text not in item.text
    assert called is not None
    assert [0] == [glue.join(said).find(one.text) for one in called.quotes]


@pytest.mark.spec("N1", "R9")
def test_one_statement_reads_all_originals(tmp_path: Path) -> None:
    """And none where nothing in the message is rare, named or exact."""
    ran_by: list[Counter[str]] = []
    for count in (2, 30):
        with counted() as ran, opened(tmp_path / str(count)) as brain:
            for n in range(count):
                text = long_turn(f"The driver reported 0x8007045D, time {n}.")
                say(brain, text, at=NOW - timedelta(days=60 + n), session="old")
            brain.build_memory_packet("new", "0x8007045D")
            ran.clear()
            packet = brain.build_memory_packet("new", "0x8007045D")
            ran_by.append(Counter(ran))
            assert min(count, 20) == sum(map(len, (one.quotes for one in packet.episodes)))
            ran.clear()
            brain.build_memory_packet("new", "hello")
            assert not [sql for sql in ran if "FROM raw_chunks r" in sql]
    few, many = ran_by
    assert Counter() == many - few
    assert 1 == sum("FROM raw_chunks r" in sql for sql in many.elements())


@pytest.mark.spec("R5", "R9")
@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The spare key is with Zoltan.", "who has the key, Zoltan?"),
        ("备用钥匙在佐尔坦那里。", "佐尔坦拿着什么"),
    ],
)
@pytest.mark.parametrize("speaker", ["user", "assistant"])
def test_the_sentence_that_is_quoted_has_its_speaker(
    tmp_path: Path, sentence: str, question: str, speaker: str
) -> None:
    """Of a turn in which two speak, the one whose message it is in."""
    long = long_turn(sentence)
    with opened(tmp_path) as brain:
        both = (long, "好的 ok") if speaker == "user" else ("你好 hello", long)
        turn = say(brain, both[0], reply=both[1], at=NOW - timedelta(days=3), session="old")
        for n in range(30):
            say(brain, f"Chatter {n} about the weather, 天气闲聊 {n}。", session="chat")
        told = told_of(brain, turn, question)
    assert told is not None
    assert [(sentence, speaker)] == [(one.text, one.speaker) for one in told.quotes]
