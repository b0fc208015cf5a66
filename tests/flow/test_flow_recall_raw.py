"""Recall in original words: codes, paths and quotations come back as they were said.

In: long messages whose episodes are told in short, in Chinese and English. Out: quotation cards
that hold what was asked for, byte for byte, with offsets that lead to it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from recall_builders import arm, opened, original, put, say

from smartbrain import SmartBrain
from smartbrain.domain.recall import ArmVerdict, Recall

LINES_ZH = [f"第 {n} 行日志：服务没有任何动静。\n" for n in range(900)]
LINES_EN = [f"line {n}: the service was quiet\n" for n in range(900)]
NEEDLES = [
    ("错误码 0x8007045D 出现在磁盘上", "0x8007045D 是什么错误", "0x8007045D"),
    ("error E1042 while mounting the disk", "what was E1042", "E1042"),
    (
        "请求 3f2504e0-4f89-41d3-9a0c-0305e82c3301 超时",
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    ),
    (
        "it wrote /var/lib/rocket/state.db twice",
        "/var/lib/rocket/state.db",
        "/var/lib/rocket/state.db",
    ),
    ("文档在 https://example.org/手册?x=1 可以看", "https://example.org/手册?x=1", "example.org"),
    ("订单号 8613800138000551 已付款", "8613800138000551 付款了吗", "8613800138000551"),
]


def bury(brain: SmartBrain, needle: str, *, at: int = 450) -> str:
    """Say something in the middle of a long log; return the turn."""
    lines = LINES_ZH if any("\u4e00" <= one <= "\u9fff" for one in needle) else LINES_EN
    log = "".join([*lines[:at], f"{needle}\n", *lines[at:]])
    turn = say(brain, log, session="log")
    for n in range(12):
        say(brain, f"日志 log 磁盘 disk 服务 service 请求 订单 {n}", session=f"s{n}")
    return turn


def cards(brain: SmartBrain, answer: Recall, turn: str) -> list[str]:
    """Return the quotes of a turn's episode, each checked against the storage."""
    (episode,) = [one for one in answer if one.source_turn_id == turn and one.type == "episodes"]
    for quote in episode.quotes:
        assert quote.span is not None
        assert quote.text.encode() == original(brain, quote.span)
        assert quote.source_turn_id == turn
    return [quote.text for quote in episode.quotes]


@pytest.mark.spec("R5")
@pytest.mark.parametrize(("needle", "query", "shown"), NEEDLES, ids=[one[2] for one in NEEDLES])
def test_a_code_is_found_in_the_original_and_quoted(
    tmp_path: Path, needle: str, query: str, shown: str
) -> None:
    """The episode does not tell it, the card does: its first quote holds it, with its offset."""
    with opened(tmp_path) as brain:
        turn = bury(brain, needle)
        answer = brain.recall(query)
        quotes = cards(brain, answer, turn)
        (episode,) = [one for one in answer if (one.source_turn_id, one.type) == (turn, "episodes")]
        assert turn in [one.source_turn_id for one in answer.items[:5]]
    assert shown not in episode.text
    assert ArmVerdict.OK is arm(answer, "raw").verdict
    assert "raw" in episode.found_by
    assert shown in quotes[0]
    assert all(len(one) <= 600 for one in quotes)


@pytest.mark.spec("R5")
@pytest.mark.parametrize(
    ("needle", "query", "shown"),
    [
        (
            "老王说过一句话：山里的雾散了才好走",
            "老王的原话是怎么说的：雾散了",
            "山里的雾散了才好走",
        ),
        (
            "Anna said: never ship on the thirteenth",
            "quote Anna's exact words: ship",
            "never ship on",
        ),
    ],
)
def test_who_asks_for_the_original_is_quoted_it(
    tmp_path: Path, needle: str, query: str, shown: str
) -> None:
    """The words as they were said, though enough memories would answer."""
    with opened(tmp_path) as brain:
        for n in range(12):
            say(brain, f"老王 Anna 来过 was here {n}", session=f"x{n}")
        turn = bury(brain, needle)
        brain.configure({"recall.raw.trigger.low_concentration": 0.0})
        assert ArmVerdict.SKIPPED is arm(brain.recall("老王 Anna"), "raw").verdict
        answer = brain.recall(query, k=40)
        quotes = cards(brain, answer, turn)
    assert answer.trace.cues is not None
    assert answer.trace.cues.original
    assert ArmVerdict.OK is arm(answer, "raw").verdict
    assert any(shown in one for one in quotes)


@pytest.mark.spec("R5")
def test_originals_are_left_alone_where_memories_answer(tmp_path: Path) -> None:
    """One memory that stands out among many is enough; with few hits they are searched."""
    with opened(tmp_path) as brain:
        for n in range(40):
            put(brain, f"fact:x:n{n}", f"水果 fruit {n}")
        put(brain, "fact:水果:榴莲", "榴莲 durian durian 榴莲 fruit 水果 榴莲 durian")
        few = brain.recall("没人说过的词 unheard")
        brain.configure({"recall.raw.trigger.low_concentration": 0.0})
        enough = brain.recall("水果 fruit")
        coded = brain.recall("水果 fruit 0x8007045D")
    assert ArmVerdict.OK is arm(few, "raw").verdict
    assert (ArmVerdict.SKIPPED, "not_needed") == (
        arm(enough, "raw").verdict,
        arm(enough, "raw").code,
    )
    assert ArmVerdict.OK is arm(coded, "raw").verdict


@pytest.mark.spec("R5")
@pytest.mark.parametrize("needle", ["错误码 0x8007045D", "error 0x8007045D"])
def test_switched_off_no_original_is_searched(tmp_path: Path, needle: str) -> None:
    """The arm says so, and what only the original holds is not found by it."""
    with opened(tmp_path) as brain:
        bury(brain, needle)
        brain.configure({"recall.raw.enabled": False})
        answer = brain.recall("0x8007045D")
    assert (ArmVerdict.OFF, "disabled") == (arm(answer, "raw").verdict, arm(answer, "raw").code)
    assert all("raw" not in one.found_by for one in answer)


@pytest.mark.spec("R5", "E4")
def test_a_lost_original_leaves_its_quote_out(tmp_path: Path) -> None:
    """The memory is recalled all the same; no error, no made-up words."""
    with opened(tmp_path, raw={"inline_bytes": 0}) as brain:
        turn = bury(brain, "错误码 0x8007045D")
        assert cards(brain, brain.recall("0x8007045D"), turn)
        files = list((tmp_path / "tenants").rglob("*.zst"))
        assert files
        for path in files:
            path.unlink()
        answer = brain.recall("0x8007045D")
    episode = next(one for one in answer if one.source_turn_id == turn)
    assert () == episode.quotes


@pytest.mark.spec("R5")
@pytest.mark.parametrize("said", ["错误码 0x8007045D 又出现了", "trace 7f3c2a10 with E1042 again"])
def test_words_that_were_said_twice_are_found_in_both_turns(tmp_path: Path, said: str) -> None:
    """The storage keeps them once; both episodes rest on them."""
    with opened(tmp_path) as brain:
        turns = {say(brain, said, session=session) for session in ("a", "b")}
        answer = brain.recall(said)
    found = [one for one in answer if "raw" in one.found_by]
    assert turns <= {one.source_turn_id for one in found}
    assert arm(answer, "raw").hits >= 2


PAGES_EN = "\n\n".join(
    f"Section {n}. We read the figures of warehouse {n}, and nothing was done." for n in range(200)
)
PAGES_ZH = "\n\n".join(f"第 {n} 节。我们看了 {n} 号仓库的数字，什么也没有做。" for n in range(400))


@pytest.mark.spec("R5", "E2")
@pytest.mark.parametrize(
    ("said", "reply", "asked", "asked_back"),
    [
        (
            f"{PAGES_EN}\n\nSomeone painted the lighthouse turquoise.",
            "I would call the harbour office.",
            "lighthouse turquoise",
            "what did you say about the harbour office?",
        ),
        (
            f"{PAGES_ZH}\n\n有人把灯塔漆成了绿松石色。",
            "我会打电话给港务局。",
            "灯塔 绿松石色",
            "你说过的港务局是怎么回事？",
        ),
    ],
)
def test_the_path_leads_to_what_is_quoted_and_says_who_spoke(
    tmp_path: Path, said: str, reply: str, asked: str, asked_back: str
) -> None:
    """Not to the turn's first page; the answer's words are the assistant's."""
    with opened(tmp_path) as brain:
        say(brain, said, reply=reply)
        (mine,) = brain.recall(asked, types="episodes")
        (yours,) = brain.recall(asked_back, types="episodes")
    assert asked.split()[-1] in mine.quotes[0].text
    assert reply == yours.quotes[0].text
    for item, speaker in ((mine, "user"), (yours, "assistant")):
        first = item.quotes[0]
        assert first.span is not None
        assert [first.span.raw_id] == [one.id for one in item.path]
        assert speaker == first.speaker
        spoken = {"assistant" if one.text == reply else "user": one.speaker for one in item.quotes}
        assert spoken == {one: one for one in spoken}


@pytest.mark.spec("R5")
def test_the_output_of_a_tool_is_quoted_as_nobodys_words(tmp_path: Path) -> None:
    """The user who had it run did not say it."""
    call = {"name": "df", "args": {}, "result": "disk 磁盘 /dev/sdq is 93% full 满了"}
    with opened(tmp_path) as brain:
        turn = {"messages": [{"role": "user", "content": "查一下 check"}], "tool_calls": [call]}
        brain.commit_turn("s", turn)
        (item,) = brain.recall("/dev/sdq", types="episodes")
    spoken = {one.text: one.speaker for one in item.quotes}
    assert ["user"] == [who for text, who in spoken.items() if "check" in text]
    assert [None] == [who for text, who in spoken.items() if "sdq" in text]
