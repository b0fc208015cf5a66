"""Episodes by their age: which of them come to mind, and how much of each is shown (R9).

In: an episode, the present moment, the words and times of the message. Out: the level it is shown
at with the cue that brought it, or why it stays away. The older one is, the stronger the cue it
takes; nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final, NamedTuple

from smartbrain.domain.memory import Compression
from smartbrain.domain.policy_recall import EpisodeRules
from smartbrain.domain.recall import CueTime
from smartbrain.domain.recalled import Ranked, RecalledRow
from smartbrain.recall.cue_match import CueWords, words_of
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import extract_summary, first_sentences

LEVELS: Final = tuple(Compression)
"""How much is shown, from all of it to a few words."""
SHOWN_CHARACTERS: Final = {
    Compression.PHASE: 160,
    Compression.MILESTONE: 100,
    Compression.THEME: 60,
}
"""The most characters of a text at each level; all of it is shown as raw."""

SPEAKS: Final = pattern(r"(?m)^([^\n:]{1,80}): ")
"""Who says what follows, at the beginning of a line of an episode."""

_BY_TIME: Final = "time"  # the arm that finds by age alone, which is no cue
BY_ATTRIBUTE: Final = "attributes"
"""The arm that finds by what is asked for, in any words."""
_BY_GRAPH: Final = "graph"  # the arm that goes on from what others found, to whatever is beside it


class Cue(IntEnum):
    """How strongly a message speaks of a memory."""

    NONE = 0
    SOME = 1
    STRONG = 2


class Cued(NamedTuple):
    """How strong a cue is, and what it is."""

    strength: Cue
    by: str = ""


def age_class(at: datetime, *, now: datetime, rules: EpisodeRules) -> Compression:
    """Return how much is shown of an episode of that time, if any."""
    age = now - at
    if age <= timedelta(days=rules.raw_days):
        return Compression.RAW
    if age <= timedelta(days=rules.phase_days):
        return Compression.PHASE
    return (
        Compression.MILESTONE if age <= timedelta(days=rules.milestone_days) else Compression.THEME
    )


def cue_of(ranked: Ranked, *, words: CueWords, times: Sequence[CueTime]) -> Cued:
    """Return the strongest cue that a message gives for an episode.

    A time that covers it, a name, code or quoted phrase that it holds, or a rare word is a strong
    cue; any other word in common or any arm that looks for words or meaning is one; its being
    recent, or beside something, is none. To one who only greets nothing is cued.
    """
    row = ranked.row
    for time in times:
        if any(time.since <= at < time.until for at in _times(row, time)):
            return Cued(Cue.STRONG, time.words)
    shared, strong = words.shared_and_strong(words_of(row))
    if shared:
        return Cued(
            Cue.STRONG if strong else Cue.SOME,
            min(strong or shared, key=lambda word: (-len(word), word)),
        )
    arms = [] if words.greets else searching(ranked)
    return Cued(Cue.SOME, arms[0]) if arms else Cued(Cue.NONE)


def searching(ranked: Ranked) -> list[str]:
    """Return the arms that found a memory by its words or its meaning."""
    return [arm for arm in ranked.found_by if arm not in (_BY_TIME, _BY_GRAPH, BY_ATTRIBUTE)]


def needed_cue(level: Compression, at: datetime, *, now: datetime, rules: EpisodeRules) -> Cue:
    """Return how strong a cue it takes to bring an episode of that class and time to mind."""
    beyond = now - at > timedelta(days=rules.window_days)
    if beyond or level not in (Compression.RAW, Compression.PHASE):
        return Cue.STRONG
    return Cue.NONE if level is Compression.RAW else Cue.SOME


def raised(level: Compression, by: int = 1) -> Compression:
    """Return the level that shows less, by so many steps."""
    return LEVELS[min(LEVELS.index(level) + by, len(LEVELS) - 1)]


def at_least(level: Compression, other: Compression) -> Compression:
    """Return the one of two levels that shows less."""
    return level if level is other else max(level, other, key=LEVELS.index)


def shown_text(row: RecalledRow, level: Compression) -> str:
    """Return what is shown of a memory at a level: whole sentences of its own, in their order."""
    if level is Compression.RAW:
        return row.text
    limit = SHOWN_CHARACTERS[level]
    text = row.text
    starts = [one for one in SPEAKS.finditer(text) if one[1] in row.speakers]
    if not starts or starts[0].start():
        return first_sentences(text, limit)
    ends = [*(one.start() for one in starts[1:]), len(text)]
    said = zip(starts, ends, strict=True)
    return extract_summary([(one[1], text[one.end() : end].strip()) for one, end in said], limit)


def _times(row: RecalledRow, cue: CueTime) -> list[datetime]:
    """Return when a memory was told and, as far as it says, when what it tells happened."""
    times = [row.said_at] if row.valid_since is None else [row.said_at, row.valid_since]
    if row.type == "events" and (day := row.value.get("date")):
        # A day has no offset of its own: it is that of whoever asks.
        times.append(datetime.fromisoformat(day).replace(hour=12, tzinfo=cue.since.tzinfo))
    if row.type == "statements" and (start := row.value.get("time", {}).get("start")):
        times.append(datetime.fromisoformat(start))
    return times
