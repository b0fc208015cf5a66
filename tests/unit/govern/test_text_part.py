"""Parts of a text: by lines and by bytes, bounded, each saying how to go on.

In: texts and ranges, good and bad. Out: parts that join to the whole again.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.errors import UsageError
from smartbrain.govern.artifacts import line_count, part_of

LINES = "".join(f"第 {n} 行 line\n" for n in range(1, 101))


@pytest.mark.spec("W6")
@pytest.mark.parametrize("wanted", ["10-12", (10, 12), [10, 12], " 10 - 12 ", "lines 10-12"])
def test_lines_are_named_in_several_ways(wanted: object) -> None:
    """Both ends belong to the part."""
    part = part_of(LINES, wanted, most=8_000)
    assert "第 10 行 line\n第 11 行 line\n第 12 行 line\n" == part.text
    assert ("lines 10-12 of 100", "go on with range='13-15'") == (part.shown, part.more)


@pytest.mark.spec("W6")
def test_a_range_may_be_open_or_one_line() -> None:
    """`99-` goes to the end, `7` is a line; an end behind the last line is the last line."""
    assert ("lines 99-100 of 100", None) == _said(part_of(LINES, "99-", most=8_000))
    assert "第 7 行 line\n" == part_of(LINES, "7", most=8_000).text
    assert ("lines 99-100 of 100", None) == _said(part_of(LINES, "99-500", most=8_000))


@pytest.mark.spec("W6")
def test_bytes_are_whole_characters() -> None:
    """An end inside a character takes all of it; the next part begins after it."""
    part = part_of("你好 world", "bytes=1-3", most=8_000)
    assert ("你好", "bytes 0-5 of 12") == (part.text, part.shown)
    assert "go on with range='bytes=6-11'" == part.more


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("101-", "line 101 is outside: the output has 100 lines"),
        ("bytes=99999-", "the output has"),
        ("0-3", "lines count from 1"),
        ("9-3", "the end is not before the beginning"),
        ((3, 2), "the end is not before the beginning"),
        ("all", "give lines such as"),
        ("", "give lines such as"),
        (7, "give lines such as"),
        ((1, 2, 3), "give lines such as"),
        ((1, "2"), "give lines such as"),
        ((True, 2), "give lines such as"),
        ("1" * 30, "give lines such as"),
        ("-5", "give lines such as"),
    ],
)
def test_a_range_that_is_none_or_outside_is_refused(wanted: object, said: str) -> None:
    """The sentence says what would be understood, or how large the output is."""
    with pytest.raises(UsageError, match=said):
        part_of(LINES, wanted, most=8_000)


@pytest.mark.spec("W6")
@given(
    text=st.text(alphabet="ab中\n😀\r", max_size=120),
    most=st.integers(min_value=1, max_value=30),
)
def test_going_on_reads_everything_once(text: str, most: int) -> None:
    """Whatever the text and the bound, the parts that follow each other are the text."""
    parts, wanted = [], None
    for _ in range(400):
        part = part_of(text, wanted, most=most)
        assert len(part.text) <= most
        assert line_count(text) == part.lines
        parts.append(part.text)
        if part.more is None:
            break
        wanted = re.search(r"range='(.+)'", part.more)[1]
        if not wanted.startswith("bytes"):
            wanted = wanted.partition("-")[0] + "-"
    assert text == "".join(parts)


def _said(part) -> tuple[str, str | None]:
    return part.shown, part.more
