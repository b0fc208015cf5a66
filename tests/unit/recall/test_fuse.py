"""One order out of several arms: calibration, weights, who said it and when, ties."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recalled_rows import NOW, cues, days_ago, row

from smartbrain.domain.policy_recall import ProfilesRules, RecallRules, ScoreRules
from smartbrain.domain.recall import Cues, CueTime
from smartbrain.domain.recalled import Ranked, RecalledRow
from smartbrain.domain.search import Scored
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.recall.fuse import calibrate, fuse


def fused(
    rows: list[RecalledRow],
    signals: dict[str, dict[int, float]] | None = None,
    given: Cues | None = None,
    **rules: Any,
) -> list[Ranked]:
    """Fuse rows now."""
    return fuse(
        rows,
        signals or {},
        given or cues(),
        now=NOW,
        types=BUILTIN_TYPES,
        rules=RecallRules(**rules),
    )


def ids(found: list[Ranked]) -> list[str]:
    """Return ids in order."""
    return [one.row.id for one in found]


@pytest.mark.spec("R3")
def test_scores_of_words_are_shares_of_the_best() -> None:
    """How far the best stands out is kept; times are measured on the words' own scale."""
    found = calibrate(
        {
            "text": [Scored(1, 20.0), Scored(2, 5.0)],
            "time": [Scored(3, 10.0)],
            "graph": [Scored(4, 0.2), Scored(5, 0.1)],
            "raw": [],
        }
    )
    assert {1: 1.0, 2: 0.25} == found["text"]
    assert {3: 0.5} == found["time"]
    assert {4: 1.0, 5: 0.5} == found["graph"]
    assert {} == found["raw"]


@pytest.mark.spec("R3", "R6")
def test_the_graph_counts_beyond_what_words_and_meaning_tell() -> None:
    """What the walk began at is near itself, which was counted before; what it led to is news."""
    walked = [Scored(1, 0.4), Scored(2, 0.2), Scored(3, 0.1)]
    words = [Scored(1, 20.0), Scored(2, 5.0)]
    assert {1: 0.0, 2: 0.5, 3: 0.5} == calibrate({"text": words, "graph": walked})["graph"]
    meant = {"text": words, "vector:m": [Scored(2, 0.9), Scored(3, 0.1)], "graph": walked}
    assert {1: 1.0, 2: 0.0, 3: 0.5} == pytest.approx(calibrate(meant)["graph"])
    assert {1: 1.0, 2: 0.5, 3: 0.25} == calibrate({"graph": walked})["graph"]
    assert {1: 0.0} == calibrate({"text": words, "graph": [Scored(1, 0.4)]})["graph"]


@pytest.mark.spec("R3")
def test_cosines_count_above_their_mean() -> None:
    """The best is 1, what hardly passes the mean 0; where all are equal all are 1."""
    hits = [Scored(1, 0.9), Scored(2, 0.809), Scored(3, 0.71), Scored(4, 0.381)]
    found = calibrate({"vector:m": hits})["vector:m"]
    assert {1: 1.0, 2: 0.5, 3: 0.0, 4: 0.0} == pytest.approx(found)
    equal = [Scored(1, 0.4), Scored(2, 0.4)]
    assert {1: 1.0, 2: 1.0} == calibrate({"vector:m": equal})["vector:m"]
    assert {1: 1.0} == calibrate({"vector:m": [Scored(1, -0.2)]})["vector:m"]
    assert {"vector:m": {}} == calibrate({"vector:m": []})


@pytest.mark.spec("R3")
@given(st.lists(st.floats(-1, 1), max_size=30), st.lists(st.floats(0, 1e6), max_size=30))
def test_calibrated_signals_are_from_0_to_1(cosines: list[float], scores: list[float]) -> None:
    """Whatever an arm counts in."""
    found = calibrate(
        {
            "vector:m": [Scored(n, one) for n, one in enumerate(cosines)],
            "text": [Scored(n, one) for n, one in enumerate(scores)],
        }
    )
    assert all(0.0 <= one <= 1.0 for hits in found.values() for one in hits.values())


@pytest.mark.spec("R3")
@pytest.mark.parametrize("arm", ["text", "vector:m", "graph"])
def test_what_an_arm_found_comes_before_what_none_found(arm: str) -> None:
    """And its signal is kept on it, with the name of the arm."""
    hit, other = row("z-hit"), row("a-other")
    found = fused([other, hit], {arm: {hit.num: 0.8}})
    assert ["z-hit", "a-other"] == ids(found)
    best, rest = found
    assert ((arm,), ()) == (best.found_by, rest.found_by)
    kept = {"text": "fts_score", "vector:m": "vector_score", "graph": "graph_score"}
    assert getattr(best.signals, kept[arm]) > 0
    assert None is getattr(rest.signals, kept[arm])


@pytest.mark.spec("R3")
def test_ties_go_by_number_whatever_the_order_of_rows() -> None:
    """The same rows in any order give the same order, that of the indexes."""
    rows = [row(f"m-{99 - n}", num=n, text="同样的话 the same") for n in range(30)]
    expected = [(one.row, one.score, one.signals, one.found_by) for one in fused(rows)]
    assert list(range(30)) == [one.row.num for one in fused(rows)]
    for seed in range(5):
        mixed = fused(random.Random(seed).sample(rows, len(rows)))
        assert expected == [(one.row, one.score, one.signals, one.found_by) for one in mixed]


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("question", "much", "little"),
    [
        ("蓝牙耳机为什么打不开", "蓝牙耳机打不开了", "耳机很好看"),
        ("why does the bluetooth headset fail", "the bluetooth headset fails", "the headset"),
    ],
)
def test_what_says_more_of_the_question_itself_comes_first(
    question: str, much: str, little: str
) -> None:
    """Coverage is a signal of its own, from 0 to 1."""
    rows = [row("a", text=little), row("b", text=much), row("c", text="完全无关 unrelated")]
    found = fused(rows, given=cues(question))
    assert ["b", "a", "c"] == ids(found)
    shares = [one.signals.coverage_score for one in found]
    assert all(one is not None and 0.0 <= one <= 1.0 for one in shares)


@pytest.mark.spec("R3")
def test_the_user_s_words_count_more_than_the_assistant_s() -> None:
    """Unless the assistant's are asked for; a turn of both is neither."""
    rows = [row("a", speakers=("assistant",)), row("u", speakers=("user",))]
    assert ["u", "a"] == ids(fused(rows))
    assert ["a", "u"] == ids(fused(rows, given=cues(assistant=True)))
    both = [row("a", speakers=("user", "assistant")), row("u", speakers=("user",))]
    assert ["a", "u"] == ids(fused(both))


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what did Ann say", "ann"),
        ("what did ANN say?", "ann"),
        ("what did Anna say", "other"),
        ("张三怎么说的", "张三"),
        ("nobody in particular", "other"),
    ],
)
def test_who_is_named_is_preferred(question: str, first: str) -> None:
    """By a whole word; in a script without blanks by its characters."""
    rows = [row("other", speakers=("Bob",)), row("ann", speakers=("Ann",))]
    rows.append(row("张三", speakers=("张三",)))
    expected = {"other": "ann"}.get(first, first)  # ties go by id
    assert expected == ids(fused(rows, given=cues(question)))[0]
    boosted = [one.row.id for one in fused(rows, given=cues(question)) if _is_boosted(one, rows)]
    assert ([] if first == "other" else [first]) == boosted


def _is_boosted(one: Ranked, rows: list[RecalledRow]) -> bool:
    """Tell whether a row scores more than with a question that names nobody."""
    plain = {other.row.id: other.score for other in fused(rows, given=cues("…"))}
    return one.score > plain[one.row.id] * 1.05


@pytest.mark.spec("R3")
def test_what_was_said_when_the_question_says_comes_first() -> None:
    """From the beginning of that time up to its end, which is out."""
    yesterday = CueTime(words="昨天", since=days_ago(2), until=days_ago(1))
    rows = [
        row("a", said_at=days_ago(3)),
        row("b", said_at=days_ago(2)),
        row("c", said_at=days_ago(1)),
        row("d", said_at=days_ago(1) - timedelta(seconds=1)),
    ]
    found = fused(rows, given=cues(times=(yesterday,)))
    assert {"b", "d"} == set(ids(found)[:2])
    assert [1.0, 1.0, None, None] == [one.signals.time_score for one in found]


@pytest.mark.spec("R3", "R6")
def test_the_profile_says_what_counts() -> None:
    """The same signals give another order under another profile."""
    by_words, by_meaning = row("words"), row("meaning")
    signals = {"text": {by_words.num: 1.0}, "vector:m": {by_meaning.num: 1.0}}
    rows = [by_words, by_meaning]
    mine = ProfilesRules(source=ScoreRules(text=0.1, vector=0.9))
    asked = cues("hello")
    assert ["words", "meaning"] == ids(fused(rows, signals, asked))
    assert ["meaning", "words"] == ids(fused(rows, signals, asked, profile="source"))
    assert ["meaning", "words"] == ids(fused(rows, signals, asked, profile="source", profiles=mine))


@pytest.mark.spec("R3")
def test_what_the_embedder_cannot_read_counts_by_its_words() -> None:
    """A memory in the other language is not pushed behind whatever is near in meaning."""
    english, chinese = (
        row("en", text="the landlord raised the rent"),
        row("zh", text="房东涨了房租"),
    )
    signals = {"text": {english.num: 0.7, chinese.num: 0.6}, "vector:m": {chinese.num: 1.0}}
    found = fused([english, chinese], signals, cues("房租多少"))
    assert [True] == [one.signals.vector_score >= 0.7 for one in found if one.row.id == "en"]


@pytest.mark.spec("R3")
def test_no_rows_and_no_words_are_no_error() -> None:
    """Nothing found, nothing asked."""
    assert [] == fused([])
    assert ["m-1"] == ids(fused([row()], given=cues("")))
    assert ["m-1"] == ids(fused([row(text="")], given=cues("😀")))


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("asking", "speaker", "expected"),
    [
        ("How long have you had the turtles?", "Nate", ["m-ask", "m-reply", "m-other"]),
        ("乌龟养了多久了？", "Nate", ["m-ask", "m-reply", "m-other"]),
        ("I saw your turtles.", "Nate", ["m-ask", "m-other", "m-reply"]),
        ("How long have you had the turtles?", "assistant", ["m-ask", "m-other", "m-reply"]),
    ],
)
def test_what_answers_a_question_counts_with_it(
    asking: str, speaker: str, expected: list[str]
) -> None:
    """It often has none of its words; what the assistant answers is not meant unless asked for."""
    rows = [
        row("m-ask", "episodes", seq=1, text=asking),
        row("m-reply", "episodes", seq=2, text="For three years now.", speakers=(speaker,)),
        row("m-other", "episodes", seq=9, text="Turtles are slow."),
    ]
    ask, reply, other = (one.num for one in rows)
    assert expected == ids(fused(rows, {"text": {ask: 1.0, reply: 0.2, other: 0.4}}))


@pytest.mark.spec("R3")
def test_words_count_for_meaning_only_where_no_embedder_reads_a_memory() -> None:
    """Where one does, a memory that means what is asked comes before one that shares a word."""
    rows = [row("m-word", text="猫的排班表"), row("m-near", text="芝麻改吃罐头了")]
    word, near = (one.num for one in rows)
    words = {"text": {word: 0.8}}
    given = cues(text="what does the cat eat")
    assert ["m-near", "m-word"] == ids(
        fused(rows, words | {"vector:zh": {word: 0.1, near: 1.0}}, given, profile="source")
    )
    assert ["m-word", "m-near"] == ids(fused(rows, words | {"vector:en": {}}, given))
