"""Summaries of tool output: the line that matters is among them, whatever the tool and the size.

In: outputs with the lines that a summary must hold, real traces where they are at hand. Out: what
is missed, by name.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import pytest
from bench.outputs import covered, kinds_missed, labelled, long_ones, missed, traced

from smartbrain.domain.policy import ArtifactsRules
from smartbrain.domain.turn import CallStatus, ToolCall
from smartbrain.govern.artifacts import excerpt, size_of, summary_of
from smartbrain.govern.outputs.summarise import tell
from smartbrain.remember.summary import summarise_call

RULES = ArtifactsRules()


def call(**given: object) -> ToolCall:
    """Return a call of a tool."""
    return ToolCall.from_dict({"id": "c-1", "name": "run", **given})


def summary(**given: object) -> list[str]:
    """Return the lines of a call's summary."""
    made = call(**given)
    return summary_of(made, RULES, size=size_of(made)).split("\n")


@pytest.mark.spec("W6")
def test_every_labelled_output_is_told_by_its_telling_line() -> None:
    """All of more than forty kinds of output, in English and Chinese, and large ones."""
    outputs = [*labelled(), *long_ones()]
    assert len(outputs) > 70
    assert [] == missed(outputs)
    assert 1.0 == covered(outputs)


@pytest.mark.spec("W6")
def test_every_labelled_output_is_taken_for_what_it_is() -> None:
    """A table is a table, a log a log."""
    assert [] == kinds_missed(labelled())


@pytest.mark.spec("W6")
def test_real_errors_are_told() -> None:
    """Nine in ten outputs of real agents that tell of an error have it in their summary."""
    outputs = traced()
    if not outputs:
        pytest.skip("no traces are at hand")
    assert covered(outputs) >= 0.9, "\n".join(missed(outputs))


def test_a_missing_line_would_be_noticed() -> None:
    """The check itself can fail: what nobody printed is missing."""
    one = replace(labelled()[0], must=("nobody printed this",))
    assert [f"{one.name}: nobody printed this"] == missed([one])
    assert 0.0 == covered([one])


@pytest.mark.spec("W6")
def test_a_summary_stays_within_its_lines() -> None:
    """Six lines and 1,500 characters at most, by default; fewer where the rules say so."""
    for most, longest in ((6, 1_500), (2, 120), (1, 100)):
        rules = ArtifactsRules(summary_lines=most, summary_chars=longest)
        for output in labelled():
            told = summarise_call(output.call, rules).summary
            assert 1 <= len(told.split("\n")) <= most, output.name
            assert len(told) <= longest, output.name


@pytest.mark.spec("W6")
def test_two_streams_share_the_lines() -> None:
    """A warning on the one does not hide the failing test on the other."""
    lines = summary(
        exit_code=1,
        stderr="\n".join(f"warning: 依赖 {n} 已过期" for n in range(40)),
        stdout="FAILED tests/test_a.py::test_付款 - assert 1 == 2\n1 failed, 3 passed in 0.1s\n",
    )
    assert any("tests/test_a.py::test_付款" in line for line in lines)
    assert any("已过期" in line for line in lines)


@pytest.mark.spec("W6")
def test_a_failed_call_with_nothing_telling_shows_its_last_lines() -> None:
    """Where no line complains, what was printed last is the best guess."""
    lines = summary(exit_code=9, stdout="\n".join(f"step {n}" for n in range(30)))
    assert "step 29" in lines[:3]


@pytest.mark.spec("W6")
def test_words_that_deny_an_error_are_no_error() -> None:
    """`no errors` and 没有错误 do not come first."""
    text = "\n".join(["scan begins", *(f"file {n}" for n in range(9)), "done: no errors found"])
    assert () == tell(text).failing
    assert (
        () == tell("\n".join(["开始", *(f"第 {n} 项" for n in range(9)), "完成，没有错误"])).failing
    )


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    "unit", ["-", "=", " ", "1 passed ", "| ", "12:", '"a",', "<h1 ", "error ", "(", "错误", "A."]
)
def test_no_text_takes_long(unit: str) -> None:
    """Lines made to be hard for patterns are told in a moment: nothing tries again and again."""
    text = "\n".join(unit * (1_900 // len(unit)) + "x" for _ in range(100))
    begin = perf_counter()
    tell(text, failed=True)
    assert perf_counter() - begin < 10


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    "tally", ["3 tests completed, 1 failed", "(fail) \n 1 fail", "<testsuite tests="]
)
@pytest.mark.parametrize("unit", ["FAIL a > ", "   ", "<testcase ", "--- FAIL: x\n", "(fail) x\n"])
def test_no_run_of_tests_takes_long(unit: str, tally: str) -> None:
    """Neither one endless line nor thousands of failing tests."""
    text = f"{unit * (190_000 // len(unit))}\n{tally}"
    begin = perf_counter()
    tell(text, failed=True)
    assert perf_counter() - begin < 3


@pytest.mark.spec("W6")
def test_a_long_run_of_any_runner_is_told_by_the_test_that_failed() -> None:
    """What is named in the middle of a large output is found."""
    passed = [f"   ✓ src/a{n}.test.ts (5 tests) 4ms" for n in range(20_000)]
    bad = [" FAIL  src/b.test.ts > 购物车 > 合计", "AssertionError: expected 70 to be 85", ""]
    last = [" Test Files  1 failed | 20000 passed (20001)", "      Tests  1 failed | 99999 passed"]
    lines = summary(stdout="\n".join([*passed, *bad, *passed, *last]), exit_code=1)
    assert "FAIL src/b.test.ts > 购物车 > 合计" == lines[1]
    assert "AssertionError: expected 70 to be 85" == lines[2]
    assert lines[3].endswith("Tests 1 failed | 99999 passed")


@pytest.mark.spec("W6")
def test_what_is_no_text_is_not_told_by_its_last_lines() -> None:
    """A failed call that printed a good table or JSON shows what that is, not its last brace."""
    rows = "id,name\n" + "".join(f"{n},茶\n" for n in range(9))
    assert "table of 9 rows, columns: id, name" == summary(stdout=rows, exit_code=1)[1]
    value = '{\n "code": 0,\n "data": [1, 2]\n}'
    assert "JSON object of 2 keys: code, data" == summary(stdout=value, exit_code=1)[1]


@pytest.mark.spec("W6")
def test_an_output_of_50_megabytes_is_told_by_the_line_in_its_middle() -> None:
    """What failed far from both ends is found, and the size is said."""
    row = "2026-03-05 10:00:00 INFO step 17 of 400 is done\n"
    half = row * (25_000_000 // len(row))
    bad = "2026-03-05 10:00:01 ERROR 第 18 步：磁盘已满\n"
    lines = summary(stdout=half + bad + half, exit_code=1)
    assert "run: exit code 1, 50,0" in lines[0]
    assert bad.strip() == lines[1]


@pytest.mark.spec("R15")
def test_an_excerpt_keeps_both_ends_and_what_failed() -> None:
    """It fits, says how much there is in all and where, and never loses the error."""
    middle = "ValueError: 价格为负"
    lines = [
        *(f"row {n}" for n in range(3_000)),
        middle,
        *(f"row {n}" for n in range(3_000, 6_000)),
    ]
    made = call(stdout="\n".join(lines), exit_code=1)
    text, cut = excerpt(made, max_chars=1_000)
    assert cut
    assert len(text) <= 1_000
    assert text.startswith("row 0\n")
    assert text.endswith("row 5999")
    assert middle in text.split("\n")
    assert "artifact_get(tool:c-1)" in text


@pytest.mark.spec("R15")
@pytest.mark.parametrize("most", [0, 1, 20, 60, 100, 200])
def test_an_excerpt_fits_however_small(most: int) -> None:
    """Even where the note itself has no room."""
    text, cut = excerpt(call(result="中文 line\n" * 500), max_chars=most)
    assert cut
    assert len(text) <= most


@pytest.mark.spec("R15")
def test_a_short_output_is_shown_whole() -> None:
    """Nothing is added to what fits."""
    made = call(stderr="错误", stdout="ok", status=CallStatus.ERROR)
    assert ("--- stderr ---\n错误\n--- stdout ---\nok", False) == excerpt(made, max_chars=100)


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("\x00\x01\x02" * 50, ["no text, but control characters"]),
        ("done\x07 完成\x1b]0;x", ["done 完成 ]0;x"]),
    ],
)
def test_no_control_character_enters_a_summary(printed: str, expected: list[str]) -> None:
    """They are blanked; an output of nothing else is said to be that."""
    assert expected == summary(stdout=printed, exit_code=0)[1:]


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    ("counts", "failing"),
    [
        ("测试结果：通过 12，失败 1", "失败：test_退款 期望 5.99 实际 5.997"),
        ("测试：12 个通过，1 个失败", "测试 登录 失败：期望 200 实际 500"),
        ("测试结果：通过 12，失败 1", "测试 登录 失败：期望 200 实际 500"),
        ("Ran 13 tests in 0.1s", "FAIL: test_refund (tests.Refund) expected 5.99 got 5.997"),
    ],
)
def test_a_tally_stands_once_behind_the_test_that_failed(counts: str, failing: str) -> None:
    """What counts is no failing test, wherever it is printed."""
    for printed in (f"{counts}\n{failing}\n", f"{failing}\n{counts}\n"):
        told = summary(stdout=printed, exit_code=1, status="error")
        assert [failing] == [line for line in told[1:] if not line.startswith("tests: ")]
        assert failing == told[1]
        assert 1 == sum(counts in line for line in told)
