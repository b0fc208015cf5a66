"""Outputs that are hard to read: whatever a tool prints, it is told at once.

In: long runs of capitals, marks and openings that nothing closes. Out: what the summary says of
them. Each of them once kept a pattern busy for ever, or for a time that grew with the square of
the output; how long every single pattern takes is tried in `test_patterns_linear`.
"""

from __future__ import annotations

import pytest

from smartbrain.govern.outputs.listings import _split, _tells_error
from smartbrain.govern.outputs.summarise import tell
from smartbrain.govern.outputs.traces import _without_hidden

SIZE = 100_000
WORST = [
    ("FAILED " * (SIZE // 7), "text"),
    ("FAILED " * (SIZE // 7) + "\n" + "FAILED  FAILED\n" * 3, "text"),
    ("A" * 40 + "\nb  c\nd  e", "text"),
    ("A" * 40 + " " + "B" * 40 + "!\nb  c\nd  e", "text"),
    (" <testsuites " * (SIZE // 13), "text"),
    ("[ERROR] " + "a." * (SIZE // 2) + "\nTests run: 1, Failures: 1, Errors: 0", "test run"),
    ("<html>" + "<script " * (SIZE // 8), "HTML"),
    ("1" * SIZE + "失败", "text"),
    ("失败" * (SIZE // 2), "text"),
    ("\n" * SIZE, "text"),
    ('a,"b' * (SIZE // 4), "text"),
    ("\t" * SIZE, "text"),
]


@pytest.mark.spec("W6")
@pytest.mark.parametrize(("printed", "kind"), WORST, ids=lambda one: f"{one:.12}")
def test_an_output_that_is_hard_to_read_is_told(printed: str, kind: str) -> None:
    """It is told as what it is, and does not hold up the commit that it belongs to."""
    assert kind == tell(printed, failed=True).kind


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("NAME   READY   STATUS", "NAME, READY, STATUS"),
        ("CONTAINER ID   IMAGE   PORTS", "CONTAINER ID, IMAGE, PORTS"),
        ("CPU(%)  MEM/USE  RX-TX A", "CPU(%), MEM/USE, RX-TX A"),
    ],
)
def test_heads_in_capitals_name_the_columns(head: str, columns: str) -> None:
    """A head of several words is one head; two blanks part it from the next."""
    told = tell(f"{head}\na  b  c\nd  e  f\n")
    assert "table" == told.kind
    assert f"table of 2 rows, columns: {columns}" == told.about[0]


@pytest.mark.spec("W6")
def test_a_mark_between_quotes_parts_no_cells() -> None:
    """What a quote opens that nothing closes is one cell."""
    assert ["a,b", "c"] == _split('"a,b",c', ",")
    assert ["a", "b;c;d", "e"] == _split('a;"b;c;d";"e"', ";")
    assert ["a", "b,c"] == _split('a,"b,c', ",")
    assert ["x", ""] == _split("x,", ",")


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    ("row", "bad"),
    [
        ("web-1   0/1   CrashLoopBackOff   3", True),
        ("| 3 | 失败 | 12 |", True),
        ("db  Exited (1) 3 hours ago  5432", True),
        ("db  Exited (0) 3 hours ago  5432", False),
        ("no error at all, 0 failed ones", False),
        ("error", True),
    ],
)
def test_a_row_tells_of_an_error_where_a_cell_says_nothing_else(row: str, bad: bool) -> None:
    """A word for it in a sentence is none."""
    assert bad == _tells_error(row)


@pytest.mark.spec("W6")
def test_scripts_and_styles_of_a_page_are_left_out() -> None:
    """What is opened and never closed stays, and hides nothing behind it."""
    page = "<p>a<script x>b</script>c<STYLE>d</style>e<script>f"
    assert "<p>a c e<script>f" == _without_hidden(page)
