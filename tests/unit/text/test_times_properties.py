"""What holds for the times of any text at any moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.text.times import find_times

WORDS: Final = (
    *("今天", "下午", "三点", "半", "上", "下", "周", "三", "个", "月", "底", "年", "去年", "2025"),
    *("年", "3月", "5日", "每", "前", "后", "到", "从", "最近", "过", "天", "的", "一", "千", "点"),
    *("last ", "next ", "this ", "week ", "Friday ", "March ", "May ", "5", "5th ", "at ", "3 "),
    *("pm ", "to ", "from ", "between ", "and ", "the ", "end of ", "in ", "two ", "days ", "ago "),
    *(
        "every ",
        "Q3 ",
        "2025-03-05",
        "T15:30",
        "Z",
        "+08:00",
        "15:30",
        "-",
        "/",
        ",",
        ".",
        " ",
        "\n",
    ),
    *("9999", "9999-12-31 ", "0001-01-01 ", "years ", "noon ", "summer ", "winter ", "（周三）"),
)
TEXTS: Final = st.one_of(
    st.text(st.characters(), max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=40).map("".join),
)
NOW: Final = datetime(2025, 9, 10, 14, 30, tzinfo=UTC)
OFFSETS: Final = st.integers(-23 * 60, 23 * 60).map(lambda part: timezone(timedelta(minutes=part)))
MOMENTS: Final = st.one_of(
    st.datetimes(timezones=OFFSETS),
    st.builds(
        lambda minutes, zone: (NOW + timedelta(minutes=minutes)).astimezone(zone),
        st.integers(-3_000_000, 3_000_000),
        OFFSETS,
    ),
)


@pytest.mark.spec("C7")
@given(TEXTS, MOMENTS)
def test_any_text_has_times_in_order_and_in_bounds(text: str, now: datetime) -> None:
    """Nothing raises; times stand in the text where they say, apart, and end after they start."""
    spans = find_times(text, now)

    assert spans == find_times(text, now)
    for span in spans:
        assert span.words == text[span.offset : span.offset + span.length]
        assert 0 < span.length == len(span.words)
        assert span.start < span.end
        assert span.start.utcoffset() == span.end.utcoffset() == now.utcoffset()
    for one, other in pairwise(spans):
        assert one.offset + one.length <= other.offset


@pytest.mark.spec("C7")
@given(st.sampled_from(WORDS), TEXTS, MOMENTS)
def test_what_stands_far_before_a_text_changes_nothing_in_it(
    before: str, text: str, now: datetime
) -> None:
    """Times are found alike wherever in a long text they stand."""
    gap = "\n。。。。。。\n" * 3
    shift = len(before + gap)

    alone = [(span.words, span.offset + shift) for span in find_times(text, now)]
    behind = [(span.words, span.offset) for span in find_times(before + gap + text, now)]

    assert alone == [one for one in behind if one[1] >= shift]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "count"),
    [
        *(("三" * 50_000, 0), ("last " * 20_000, 0), ("1-" * 30_000, 0), ("1" * 100_000, 0)),
        *(("the " * 25_000, 0), ("2025-" * 20_000, 0), ("1:" * 50_000, 0), (" " * 100_000, 0)),
        *(
            ("上" * 100_000, 0),
            ("一-" * 50_000, 0),
            ("a couple of " * 9_000, 0),
            ("x" * 100_000, 0),
        ),
        *(("today to " * 10_000, 5_000), ("今天" * 5_000, 5_000), ("last   " * 15_000, 0)),
    ],
)
def test_long_and_repeated_texts_are_read_to_their_end(text: str, count: int) -> None:
    """What looks like the beginning of a time, many thousand times over, holds nothing up."""
    assert count == len(find_times(text, NOW))
