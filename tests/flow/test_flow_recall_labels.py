"""Recall without text index and vectors: every memory is found by the keywords it was given."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import user
from recall_builders import arm, opened, say

from smartbrain.remember import groups

ALONE = {"use_node_index": False, "raw": {"enabled": False}, "vector": {"enabled": False}}


@pytest.mark.spec("R4", "M3")
@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("Which room is the printer in?", "fact:printer:room"),
        ("the colour theme", "pref:ui:theme"),
        ("打印纸在哪个柜子", "fact:打印纸:柜子"),
        ("who owns the harbour?", "fact:harbour:owner"),
    ],
)
def test_what_was_put_or_proposed_is_found_by_its_keywords(
    tmp_path: Path, query: str, key: str
) -> None:
    """No turn tells of it, so that the graph has nothing else to begin at."""
    with opened(tmp_path, recall=ALONE) as brain:
        for name, kind, value in (
            ("fact:printer:room", "facts", ("printer", "room", "basement")),
            ("fact:打印纸:柜子", "facts", ("打印纸", "柜子", "三号")),
        ):
            subject, attribute, told = value
            fact = {"subject": subject, "attribute": attribute, "value": told}
            brain.memories.put(kind, name, fact)
        brain.memories.put(
            "preferences", "pref:ui:theme", {"scope": "ui", "name": "theme", "value": "dark"}
        )
        proposed = {"key": "fact:harbour:owner", "subject": "harbour", "attribute": "owner"}
        events = {"messages": [user("look what I found")], "facts": [proposed | {"value": "Ida"}]}
        brain.commit_turn("s", events)
        answer = brain.recall(query)
        kept = brain.memories.get(key).keywords
    assert key == answer[0].key
    assert "labels" in answer[0].found_by
    assert "graph_only" == answer.trace.mode
    assert kept
    assert len(kept) == len({*kept}) <= 8


@pytest.mark.spec("R4", "M3")
@pytest.mark.parametrize(
    ("said", "query", "kind"),
    [
        ("I decided to use PostgreSQL as the database.", "postgresql", "decisions"),
        ("我决定用 PostgreSQL 做数据库。", "数据库", "decisions"),
        ("I prefer window seats.", "window seats", "preferences"),
        ("我喜欢喝绿茶。", "绿茶", "preferences"),
        ("I need to buy milk.", "milk", "tasks"),
        ("我要去买牛奶。", "牛奶", "tasks"),
        ("I live in Lisbon.", "lisbon", "profile"),
        ("我住在上海。", "上海", "profile"),
        ("我的生日是五月三号。", "我的生日是哪天？", "profile"),
        ("The DB port is 5432.", "What is the DB port?", "facts"),
        ("DB 的端口是 5432。", "DB 用哪个端口？", "facts"),
        ("服务器端口是 5432。", "端口是多少？", "facts"),
        ("服务器的端口是 5432。", "服务器端口", "facts"),
    ],
)
def test_what_is_read_from_a_turn_has_keywords(
    tmp_path: Path, said: str, query: str, kind: str
) -> None:
    """It is found by itself, and not only beside its episode."""
    with opened(tmp_path, recall=ALONE) as brain:
        say(brain, said)
        answer = brain.recall(query, types=kind)
        (known,) = brain.memories.list(type=kind)
    assert [known.key] == [one.key for one in answer]
    assert "labels" in answer[0].found_by
    assert known.keywords


@pytest.mark.spec("M3")
@pytest.mark.parametrize("given", [["headset", "pairing"], ["耳机", "配对"]])
def test_keywords_that_are_given_win(tmp_path: Path, given: list[str]) -> None:
    """A concept may say itself what it is known by."""
    with opened(tmp_path) as brain:
        value = {"name": "bluetooth", "description": "short range radio", "keywords": given}
        brain.memories.put("concepts", "concept:bluetooth", value)
        assert tuple(given) == brain.memories.get("concept:bluetooth").keywords


@pytest.mark.spec("R4")
@pytest.mark.parametrize("query", ["zeppelin", "飞艇"])
def test_nothing_to_begin_at_is_no_missing_graph(tmp_path: Path, query: str) -> None:
    """The mode says who may answer: the graph is there, unless it is switched off."""
    with opened(tmp_path, recall=ALONE) as brain:
        say(brain, "hello there")
        asked = brain.recall(query)
        off = brain.recall(query, k_hop=0)
    assert ("graph_only", "skipped") == (asked.trace.mode, arm(asked, "graph").verdict)
    assert "labels_only" == off.trace.mode


@pytest.mark.spec("R4", "M3")
@pytest.mark.parametrize("query", ["What does CI run on?", "CI 跑在哪里？"])
def test_names_of_two_letters_are_found_in_what_was_stored_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """They were no keywords once; the key of a memory has them."""
    monkeypatch.setattr(groups, "keywords_of", lambda *_: ("old",))
    with opened(tmp_path, recall=ALONE) as brain:
        brain.memories.put("facts", "fact:ci:runs_on", {"value": "Jenkins"})
        brain.memories.put("facts", "fact:city:size", {"value": "large"})
        assert ("old",) == brain.memories.get("fact:ci:runs_on").keywords
        assert ["fact:ci:runs_on"] == [one.key for one in brain.recall(query, types="facts")]
