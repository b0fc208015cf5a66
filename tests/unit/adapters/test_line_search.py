"""Searching lines: plain words here, expressions in a process that is stopped in time.

In: texts and patterns, some of them made to take for ever. Out: numbers of lines, or a refusal.
"""

from __future__ import annotations

import sys
from time import perf_counter

import pytest

from smartbrain.adapters.line_search import ProcessLineSearch
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.line_search import LineQuery

TEXT = "第一行 error\nsecond ERROR\n\nfourth: 错误 E1042\nlast error"


def find(pattern: str, text: str = TEXT, **asked: object) -> list[tuple[int, int]]:
    """Search a text."""
    return ProcessLineSearch().find(text, LineQuery(pattern, **asked))


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    ("pattern", "asked", "expected"),
    [
        ("error", {}, [(0, 4), (4, 5)]),
        ("error", {"ignore_case": True}, [(0, 4), (1, 7), (4, 5)]),
        ("错误", {}, [(3, 8)]),
        (r"E\d{4}$", {}, [(3, 11)]),
        ("^$", {}, [(2, 0)]),
        (r"(?i)error", {"after": 1}, [(1, 7), (4, 5)]),
        (r"e.*r", {"limit": 1}, [(0, 4)]),
        ("nowhere", {}, []),
    ],
)
def test_lines_are_found_with_the_place_in_them(pattern, asked, expected) -> None:
    """By words and by expressions, from a line on, no more than asked for."""
    assert expected == find(pattern, **asked)


@pytest.mark.spec("W6")
def test_an_expression_that_tries_for_ever_is_stopped() -> None:
    """At the deadline, with advice; the caller waits no longer."""
    begin = perf_counter()
    with pytest.raises(UsageError, match=r"stopped after 0\.5 seconds"):
        find("(a+)+$", "a" * 40 + "b", seconds=0.5)
    assert perf_counter() - begin < 5


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    ("pattern", "said"),
    [("(错", "at character 1"), ("a**", "at character"), ("x" * 1001, "1000 is the limit")],
)
def test_what_is_no_expression_is_refused(pattern: str, said: str) -> None:
    """The sentence names the place."""
    with pytest.raises(UsageError, match=said):
        find(pattern)


def test_without_a_python_only_words_are_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that brings its own Python cannot start another one."""
    monkeypatch.setattr(sys, "executable", "")
    assert [(3, 8)] == find("错误")
    with pytest.raises(AdapterError, match="plain words"):
        find("错.")
