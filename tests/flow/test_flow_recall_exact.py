"""Questions that name a code, a path or quoted words: what holds them itself comes first."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from recall_builders import arms, opened, say

WORDS = ["module", "service", "handler", "request", "timeout", "worker", "queue", "buffer"]
HELD = [
    ("0x8007045D", "0x8007045D"),
    ("0x8007045D", "错误码 0x8007045D 是什么"),
    ("src/net/socket_pool.py", "What is in src/net/socket_pool.py?"),
    ("910237745512", "编号 910237745512 是哪个"),
    ("the blue heron", 'Where did I write "the blue heron"?'),
    ("三体第二部", "我在哪里提到「三体第二部」"),
]


@pytest.mark.spec("R3", "R5")
@pytest.mark.parametrize("length", [150, 1500, 6000])
@pytest.mark.parametrize(("held", "query"), HELD)
def test_the_turn_that_holds_a_code_comes_before_those_around_it(
    tmp_path: Path, held: str, query: str, length: int
) -> None:
    """They are short and indexed with its beginning; it is long, and may hold the code anywhere."""
    random = Random(length)
    log = [random.choice(WORDS) for _ in range(length)]
    log.insert(0 if length < 6000 else length - 20, held)
    with opened(tmp_path) as brain:
        for day in range(12):
            say(brain, f"Day {day}: I walked to the museum. 今天去了博物馆。")
            if day == 6:
                turn = say(brain, f"Here is my log {' '.join(log)}")
        answer = brain.recall(query, types="episodes")
        packet = brain.build_memory_packet("n", query)
    assert turn == answer[0].source_turn_id
    assert "exact" in answer[0].found_by
    assert any(held in quote.text for quote in answer[0].quotes)
    assert turn == packet.episodes[0].source_turn_id
    assert answer[0].score > 1.3 * answer[1].score if len(answer) > 1 else True


@pytest.mark.spec("R3")
@pytest.mark.parametrize("query", ["Where did I walk?", "我去了哪个博物馆"])
def test_without_a_code_nothing_is_looked_for_as_it_stands(tmp_path: Path, query: str) -> None:
    """The arm is not asked."""
    with opened(tmp_path) as brain:
        say(brain, "I walked to the museum. 我去了博物馆。")
        assert "exact" not in arms(brain.recall(query))


@pytest.mark.spec("R3")
def test_a_path_that_is_everywhere_sets_nothing_apart(tmp_path: Path) -> None:
    """Of more than are looked for the other words decide."""
    with opened(tmp_path) as brain:
        for place in range(220):
            say(brain, f"src/main.py line {place} 缓存 cache{place}", session=f"s{place}")
        answer = brain.recall("cache7 in src/main.py")
    assert "cache7" in answer[0].text
    assert "exact" not in answer[0].found_by
