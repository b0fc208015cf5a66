"""Asking one view: the right nodes for words in Chinese and English, nothing for no words.

In: a real tenant with real indexes. Bad input ends in an empty list or in one clear sentence.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from views_tenant import EPISODES, Tenant, tenant

from smartbrain.domain.graph_search import Spread
from smartbrain.domain.policy import Rules
from smartbrain.domain.search import IndexFilter
from smartbrain.errors import AdapterError, UsageError
from smartbrain.recall.search import beside, search_words, spread_from
from smartbrain.recall.views.follow import Follower
from smartbrain.remember.operations import add_edge, add_node
from smartbrain.remember.write_rules import WriteRules

SAID = (
    "Win11 蓝牙打不开，错误码 0x8007045D",
    "The weekly report is due on Friday",
    "שלום עולם, a greeting from Haifa",
    "干得好 👍🏽 well done",
    "明天的 release 评审会改到下午三点",
)
LARGE = "蓝牙 " * 350_000


@contextmanager
def asked(path: Path) -> Iterator[tuple[Tenant, Follower]]:
    """Open a tenant in which things were said, with its views caught up."""
    with tenant(path) as opened:
        for number, text in enumerate(SAID):
            opened.say(text, f"s{number}")
        follower = opened.follower(files=False)
        follower.catch_up(follower.names())
        yield opened, follower


def first(opened: Tenant, follower: Follower, words: Any, **more: Any) -> str | None:
    """Return the text of the best hit."""
    if more.get("view", "text") == "text":
        more.setdefault("only", EPISODES)
    hits = search_words(words, follower=follower, ports=opened.ports, **more)
    return hits[0].text if hits else None


@pytest.mark.spec("R5", "R3")
@pytest.mark.parametrize("view", ["text", "passages"])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("蓝牙坏了打不开", 0),
        ("bluetooth 0x8007045d", 0),
        ("reports weekly", 1),
        ("שלום", 2),
        ("👍", 3),
        ("评审会 几点", 4),
        ("RELEASE meeting", 4),
        ("\u202e评审\u200b会\u200d", 4),
        ('"评审会" AND (release OR -x) NEAR/3 *', 4),
        (LARGE, 0),
    ],
    ids=lambda one: repr(one)[:20],
)
def test_words_find_what_holds_them(tmp_path: Path, view: str, words: str, expected: int) -> None:
    """In both languages and mixed, with signs, invisible characters and far too many words."""
    with asked(tmp_path) as (opened, follower):
        began = time.monotonic()
        assert SAID[expected] in first(opened, follower, words, view=view)
        assert time.monotonic() - began < 2


@pytest.mark.parametrize("view", ["text", "passages"])
@pytest.mark.parametrize(
    "words",
    ["", "  \n", "吗 呢 啊", "the of and is", "\u200b\u200d\ufeff", "…—、。!?", "\x00", "\ud800"]
    + ["🦄", "مرحبا", "x" * 1_000_000],
    ids=lambda words: repr(words)[:20],
)
def test_words_that_nothing_holds_find_nothing(tmp_path: Path, view: str, words: str) -> None:
    """No words, words that say nothing, and words never said give an empty list."""
    with asked(tmp_path) as (opened, follower):
        assert first(opened, follower, words, view=view) is None


@pytest.mark.parametrize(
    "bad",
    [
        {"words": None},
        {"words": b"x"},
        {"words": ["x"]},
        {"k": 0},
        {"k": -1},
        {"k": 10_001},
        {"k": 1.5},
        {"k": "3"},
        {"view": "graph"},
        {"view": "没有"},
        {"only": IndexFilter(source_prefix="x" * 5_000)},
    ],
    ids=lambda bad: str(bad)[:24],
)
def test_a_search_that_makes_no_sense_is_refused(tmp_path: Path, bad: dict[str, Any]) -> None:
    """One sentence says what was wrong."""
    with asked(tmp_path) as (opened, follower), pytest.raises(UsageError) as caught:
        first(opened, follower, **{"words": "蓝牙", **bad})
    assert "\n" not in caught.value.message


def test_a_hit_says_what_it_is_and_where_it_is_from(tmp_path: Path) -> None:
    """Memories with type, key, title and source; passages with their text; both with a score."""
    with asked(tmp_path) as (opened, follower):
        ports = opened.ports
        (memory, *_) = search_words("蓝牙", follower=follower, ports=ports, only=EPISODES)
        (passage, *_) = search_words("蓝牙", follower=follower, ports=ports, view="passages")
        (episode, *_) = opened.episodes()
        assert ("memory", "episodes", episode.id, episode.key, episode.title, episode.text) == (
            memory.kind,
            memory.type,
            memory.id,
            memory.key,
            memory.title,
            memory.text,
        )
        assert f"session:s0/{episode.source_turn_id}" == memory.source
        assert ("passage", "raw", SAID[0]) == (passage.kind, passage.type, passage.text)
        assert min(memory.score, passage.score) > 0


def test_filters_and_phrases_narrow_a_search(tmp_path: Path) -> None:
    """Only what a filter admits and holds every phrase word by word."""
    with asked(tmp_path) as (opened, follower):
        add_node("Concept:蓝牙", ports=opened.ports, rules=WriteRules(Rules(), "r"))
        follower.catch_up(follower.names())
        concepts = IndexFilter(types=("concepts",))
        assert first(opened, follower, "蓝牙", only=concepts) == "蓝牙"
        assert SAID[1] in first(opened, follower, "report", phrases=["weekly report"])
        assert first(opened, follower, "report", phrases=["report weekly"]) is None
        assert SAID[0] in first(opened, follower, "", phrases=["蓝牙打不开"])


def test_a_memory_deleted_since_the_views_caught_up_is_not_shown(tmp_path: Path) -> None:
    """What the truth has no more is left out, whatever the index says."""
    with asked(tmp_path) as (opened, follower):
        opened.remove(opened.episodes()[0])
        assert first(opened, follower, "蓝牙") is None


def test_a_passage_whose_file_is_lost_is_left_out(tmp_path: Path) -> None:
    """The others are still found; when the index is built anew the passage is not in it."""
    with asked(tmp_path) as (opened, follower):
        opened.say("The file with all that was said of the 蓝牙 is lost. " * 198)
        opened.say("蓝牙 kept 还在")
        follower.catch_up(follower.names())
        ports = opened.ports
        with ports.truth.read() as rows:
            paths = list(rows.raw.paths())
        whole = search_words("蓝牙", follower=follower, ports=ports, view="passages")
        assert len(whole) == 2 + len(paths) > 2
        for path in paths:
            (opened.folder / path).unlink()
        for asked_now in (follower, opened.follower(files=False)):
            asked_now.catch_up(asked_now.names())
            hits = search_words("蓝牙", follower=asked_now, ports=ports, view="passages")
            assert {SAID[0], "蓝牙 kept 还在"} == {hit.text for hit in hits}


def test_a_passage_without_text_is_no_lost_file(tmp_path: Path) -> None:
    """What is stored beside its row is read from there, also where it is empty."""
    with asked(tmp_path) as (opened, follower):
        assert first(opened, follower, "蓝牙", view="passages")  # it has been read
        connection = apsw.Connection(str(opened.folder / "brain.db"))
        connection.execute("UPDATE raw_chunks SET body = x'' WHERE path IS NULL")
        connection.close()
        assert first(opened, follower, "蓝牙", view="passages") == ""


@pytest.mark.spec("R3")
def test_nodes_beside_one_come_strongest_first(tmp_path: Path) -> None:
    """With relation, direction and weight; an unknown node has nobody beside it."""
    with asked(tmp_path) as (opened, follower):
        rules = {"ports": opened.ports, "rules": WriteRules(Rules(), "r")}
        concept, entity = add_node("Concept:蓝牙", **rules), add_node("Entity:Zhang 张三", **rules)
        weak, strong = opened.episodes()[:2]
        add_edge(concept.id, "about", weak.id, 0.2, **rules)
        add_edge(concept.id, "causes", strong.id, 0.9, **rules)
        add_edge(entity.id, "about", concept.id, 0.5, **rules)
        follower.catch_up(follower.names())
        near = beside(concept.id, follower=follower, ports=opened.ports)
        expected = [
            (strong.id, "CAUSES", 0.9, True),
            (entity.id, "ABOUT", 0.5, False),
            (weak.id, "ABOUT", 0.2, True),
        ]
        assert expected == [
            (one.id, one.relation, pytest.approx(one.weight), one.outgoing) for one in near
        ]
        assert near[:1] == beside(concept.id, follower=follower, ports=opened.ports, limit=1)
        assert beside("没有", follower=follower, ports=opened.ports) == []
        with pytest.raises(UsageError):
            beside(None, follower=follower, ports=opened.ports)
        seeds = {concept.id: 1.0, "没有": 1.0}
        for ppr in (True, False):
            reached = spread_from(seeds, Spread(), follower=follower, ports=opened.ports, ppr=ppr)
            names = [name for name, _ in reached]
            assert names.index(strong.id) < names.index(weak.id)


def test_a_view_that_is_not_ready_says_so(tmp_path: Path) -> None:
    """Before the first call that opens views, a search is told to try again."""
    with tenant(tmp_path) as opened:
        follower = opened.follower(files=False)
        for call in (
            lambda: search_words("x", follower=follower, ports=opened.ports),
            lambda: beside("x", follower=follower, ports=opened.ports),
        ):
            with pytest.raises(AdapterError, match="try again") as caught:
                call()
            assert caught.value.code == "busy"
