"""Episodes by age: what brings them to mind and how much of them is shown."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recalled_rows import NOW, cues, days_ago, episode, packet, ranked, row

from smartbrain.domain.memory import Compression
from smartbrain.domain.policy_recall import EpisodeRules
from smartbrain.domain.recall import CueTime, Intent
from smartbrain.recall.ages import (
    SHOWN_CHARACTERS,
    Cue,
    age_class,
    at_least,
    cue_of,
    needed_cue,
    raised,
    shown_text,
)
from smartbrain.recall.candidates import PacketInputs
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.items import Originals, quote_episode

TOLD = (
    "user: 早上好！我们决定把数据库迁移到 PostgreSQL，周五 18:00 之前完成，由小李负责。"
    "另外要通知测试组。\n"
    "assistant: Sure. I will write the migration plan today and send it to 小李 for a review. "
    "The rollback needs a snapshot of the old cluster, so I will ask for 200 GB of disk."
)


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (-1, "raw"),
        (0, "raw"),
        (7, "raw"),
        (7.1, "phase"),
        (30, "phase"),
        (30.1, "milestone"),
        (90, "milestone"),
        (90.1, "theme"),
        (4000, "theme"),
    ],
)
def test_age_decides_the_level(days: float, expected: str) -> None:
    """Each class ends with its last day; the future is as new as can be."""
    assert expected == age_class(days_ago(days), now=NOW, rules=EpisodeRules()).value


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("days", "expected"),
    [(1, Cue.NONE), (8, Cue.SOME), (29, Cue.SOME), (31, Cue.STRONG), (400, Cue.STRONG)],
)
def test_the_older_the_stronger_the_cue_it_takes(days: float, expected: Cue) -> None:
    """New episodes need no cue, those of the window one, all others a strong one."""
    rules, at = EpisodeRules(), days_ago(days)
    assert expected is needed_cue(age_class(at, now=NOW, rules=rules), at, now=NOW, rules=rules)


@pytest.mark.spec("R9")
def test_a_shorter_window_takes_a_strong_cue_earlier() -> None:
    """What lies outside of the window needs a strong cue, whatever its class."""
    rules = EpisodeRules(window_days=3)
    assert Cue.STRONG is needed_cue(Compression.RAW, days_ago(5), now=NOW, rules=rules)


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("given_cues", "rare", "text", "strength", "by"),
    [
        ({"entities": ("小李",)}, (), "小李会来", Cue.STRONG, "小李"),
        ({"entities": ("Ann",)}, (), "the annual report", Cue.NONE, ""),
        ({"entities": ("Ann",)}, (), "I met Ann's brother", Cue.STRONG, "ann"),
        ({"referred": ("smart_rag",)}, (), "see smart_rag for it", Cue.STRONG, "smart_rag"),
        ({"codes": ("E1042",)}, (), "it failed with E1042 again", Cue.STRONG, "e1042"),
        ({"phrases": ("周五之前",)}, (), "周五之前要完成", Cue.STRONG, "周五之前"),
        ({"keywords": ("晚霞", "拍照")}, ("晚霞",), "海边的晚霞真美", Cue.STRONG, "晚霞"),
        ({"keywords": ("晚霞", "拍照")}, ("晚霞",), "我们去拍照", Cue.SOME, "拍照"),
        ({"keywords": ("migrations",)}, (), "the migration is done", Cue.SOME, "migration"),
        ({"keywords": ("car",)}, (), "the carbon price", Cue.NONE, ""),
        ({}, ("deploy",), "we deployed it", Cue.STRONG, "deployed"),
        ({}, (), "nothing in it", Cue.NONE, ""),
    ],
)
def test_names_codes_and_rare_words_are_strong_cues(
    given_cues: dict[str, tuple[str, ...]],
    rare: tuple[str, ...],
    text: str,
    strength: Cue,
    by: str,
) -> None:
    """Names count whole, English words in their forms; any other word is an ordinary cue."""
    words = CueWords(cues(**given_cues), rare)
    cue = cue_of(episode("e", 20, text), words=words, times=())
    assert (strength, by) == tuple(cue)


@pytest.mark.spec("R9")
def test_a_time_that_covers_it_is_a_strong_cue() -> None:
    """The day that the message names brings its episodes, its end excluded."""
    time = CueTime(words="去年冬天", since=days_ago(100), until=days_ago(60))
    words = CueWords(cues())
    for days, expected in ((100, Cue.STRONG), (80, Cue.STRONG), (60, Cue.NONE), (101, Cue.NONE)):
        assert expected is cue_of(episode("e", days), words=words, times=[time]).strength, days


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("type_name", "value", "expected"),
    [
        ("events", {"date": "2026-01-05"}, Cue.STRONG),
        ("events", {"date": "2026-01-06"}, Cue.NONE),
        ("events", {}, Cue.NONE),
        ("statements", {"time": {"start": "2026-01-05T23:00:00+08:00"}}, Cue.STRONG),
        ("statements", {"time": {"start": "2026-01-06T23:00:00+08:00"}}, Cue.NONE),
        ("statements", {"time": {"granularity": "unspecified"}}, Cue.NONE),
        ("statements", {}, Cue.NONE),
    ],
)
def test_a_day_brings_what_happened_on_it(
    type_name: str, value: dict[str, Any], expected: Cue
) -> None:
    """What was told later about a day is found by that day."""
    day = datetime(2026, 1, 5, tzinfo=timezone(timedelta(hours=8)))
    time = CueTime(words="1 月 5 日", since=day, until=day + timedelta(days=1))
    told = ranked("m", type_name, value=value, found_by=())
    assert expected is cue_of(told, words=CueWords(cues()), times=[time]).strength


@pytest.mark.spec("R9")
def test_an_arm_is_a_cue_and_being_recent_is_none() -> None:
    """What meaning or links led to has a cue, though never a strong one."""
    words = CueWords(cues())
    by_meaning = episode("e", 9, found_by=("time", "vector"))
    assert (Cue.SOME, "vector") == tuple(cue_of(by_meaning, words=words, times=()))
    assert Cue.NONE is cue_of(episode("e", 9), words=words, times=()).strength


@pytest.mark.spec("R9")
def test_what_is_near_to_a_greeting_is_not_cued() -> None:
    """Neither by meaning nor by a word of the greeting; a name in it still counts."""
    greeting = cues(
        "谢谢 thanks, Anna", keywords=("thanks",), entities=("Anna",), intent=Intent.CHIT_CHAT
    )
    words = CueWords(greeting, ["谢谢"])
    by_meaning = episode("e", 9, "many thanks, 谢谢", found_by=("text", "vector"))
    assert Cue.NONE is cue_of(by_meaning, words=words, times=()).strength
    assert (Cue.STRONG, "anna") == tuple(cue_of(episode("e", 9, "Anna"), words=words, times=()))


@pytest.mark.spec("R9")
@pytest.mark.parametrize("level", list(SHOWN_CHARACTERS))
def test_a_level_shows_whole_sentences_within_its_length(level: Compression) -> None:
    """What is shown is the episode's own words; the user's come first."""
    shown = shown_text(row(text=TOLD, speakers=("user", "assistant")), level)
    assert 0 < len(shown) <= SHOWN_CHARACTERS[level]
    assert shown.startswith("user: ")
    assert TOLD == shown_text(row(text=TOLD), Compression.RAW)


@pytest.mark.spec("R9")
@given(text=st.text(max_size=600), level=st.sampled_from(list(SHOWN_CHARACTERS)))
def test_any_text_is_shown_within_its_length(text: str, level: Compression) -> None:
    """No text is longer than its level allows, with or without speakers."""
    for speakers in ((), ("user", "")):
        said = row(text=f"user: {text}" if speakers else text, speakers=speakers)
        assert len(shown_text(said, level)) <= SHOWN_CHARACTERS[level]


@pytest.mark.spec("R9")
def test_levels_are_raised_up_to_the_last() -> None:
    """One step shows less, and the last level stays; of two the one that shows less is taken."""
    assert [Compression.PHASE, Compression.MILESTONE, Compression.THEME, Compression.THEME] == [
        raised(level) for level in Compression
    ]
    assert Compression.THEME is at_least(Compression.THEME, Compression.RAW)
    assert Compression.MILESTONE is at_least(Compression.PHASE, Compression.MILESTONE)


@pytest.mark.spec("R9")
def test_an_old_episode_quotes_the_words_that_brought_it() -> None:
    """Shown as a theme, it still has the sentence with the cue, as it was said."""
    found = episode("old", 200, TOLD, speakers=("user", "assistant"))
    filled = packet(
        PacketInputs(found=[found]), cues(keywords=("snapshot",)), rare=frozenset({"snapshot"})
    )
    (item,) = filled.episodes
    assert Compression.THEME is item.compression
    (quote,) = item.quotes
    assert "The rollback needs a snapshot" in quote.text
    assert quote.text in TOLD
    assert ("turn-old", days_ago(200)) == (quote.source_turn_id, quote.at)


@pytest.mark.spec("R9")
def test_a_quote_says_who_spoke_and_repeats_nothing() -> None:
    """The speaker's name is no part of the words; what is shown anyway is not quoted."""
    words = CueWords(cues(entities=("PostgreSQL",)))
    told = row(text=TOLD, speakers=("user", "assistant"))
    said = row(text="user: 用 PostgreSQL。", speakers=("user",))
    by: dict[str, Any] = {"words": words, "originals": Originals(), "cued": True}
    (quote,) = quote_episode(said, "", **by)
    assert ("用 PostgreSQL。", "user") == (quote.text, quote.speaker)
    assert () == quote_episode(told, TOLD, **by)


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("days", "given_cues", "expected"),
    [
        (3, {}, "raw"),
        (20, {}, None),
        (20, {"keywords": ("聊",)}, "phase"),
        (60, {"keywords": ("聊",)}, None),
        (60, {"entities": ("聊",)}, "milestone"),
        (400, {"keywords": ("聊",)}, None),
        (400, {"entities": ("聊",)}, "theme"),
    ],
)
def test_a_packet_volunteers_by_age_and_cue(
    days: int, given_cues: dict[str, tuple[str, ...]], expected: str | None
) -> None:
    """What is let in is shown at its level, and what is not says why."""
    filled = packet(PacketInputs(found=[episode("e", days)]), cues(**given_cues))
    assert [expected] * (expected is not None) == [one.compression for one in filled.episodes]
    if expected is None:
        assert [("too_old", "e")] == [(one.code, one.id) for one in filled.explain.omitted]


@pytest.mark.spec("R9")
def test_what_was_compressed_in_store_is_not_shown_as_raw() -> None:
    """A stored level that shows less than the age allows stays."""
    found = episode("e", 1, compression=Compression.MILESTONE)
    assert [Compression.MILESTONE] == [
        one.compression for one in packet(PacketInputs(found=[found])).episodes
    ]


def test_the_clock_is_the_one_that_is_given() -> None:
    """The same episode is of another class at another time."""
    rules = EpisodeRules()
    later = NOW + timedelta(days=20)
    assert Compression.RAW is age_class(days_ago(1), now=NOW, rules=rules)
    assert Compression.PHASE is age_class(days_ago(1), now=later, rules=rules)
