"""What holds for the personal data of any text at all, and that looking for it stays cheap.

In: random strings, pieces of personal data glued together, and long texts made to be slow. Out:
spans in order and in bounds, masks that hide what was found, and no time lost.
"""

from __future__ import annotations

from itertools import pairwise
from time import thread_time
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from smartbrain.domain.pii import PiiKind
from smartbrain.text.pii import find_pii, holds_pii, mask_pii

FAKE: Final = "a1B2" * 8
PIECES: Final = (
    *(
        "a.b@c.com",
        "13812345678",
        "138-1234-5678",
        "+1 415 555 2671",
        "+44 20 7946 0958",
        "86",
        "+",
    ),
    *("11010519491231002X", "110105491231002", "4000 1234 5678 9017", "6222021381234567892"),
    *("10.0.0.5", "2001:db8::1", "version ", "v", "北京市", "人民路", "12号", "3单元", "住在"),
    *(
        "502",
        ", London",
        "12 Oak Street",
        "In 2008 ",
        "Dr",
        " Apt 3",
        "sk-" + FAKE,
        "Bearer ",
        "eyJ" + FAKE,
        FAKE,
    ),
    *("password", "token", "密码", "是", " is ", ":", "=", '"', "'", "`", "[", "]", "(", "**"),
    *("-----BEGIN PRIVATE" + " KEY-----", "-----END PRIVATE" + " KEY-----", "[email]", "[secret]"),
    *(
        " ",
        "\n",
        "-",
        ".",
        ",",
        "，",
        "/",
        "&a=",
        "x",
        "X",
        "1",
        "９",
        "\0",
        "\ud83d",
        "👍",
        "hunter22",
    ),
)
anything: Final = st.text(st.characters(), max_size=80)
glued: Final = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
numbers: Final = st.text("0123456789+-(). :Xv", max_size=60)
SIZE: Final = 100_000


@pytest.mark.spec("C10")
@given(anything | glued | numbers)
def test_spans_are_in_order_and_in_bounds(text: str) -> None:
    """Spans never overlap, never are empty, and lie inside the text."""
    spans = find_pii(text)
    assert holds_pii(text) == bool(spans)
    assert all(before.end <= after.offset for before, after in pairwise(spans))
    assert all(0 <= span.offset < span.end <= len(text) for span in spans)


@pytest.mark.spec("C10")
@given(anything | glued | numbers)
@example("a@b.com1.2.3.4")
@example("password: hunter22,,,,,,,,")
@example("token=hunter22[email]more7777")
def test_nothing_is_found_in_a_masked_text(text: str) -> None:
    """Masking once is enough: masked text has nothing more to mask."""
    masked = mask_pii(text, find_pii(text))
    assert [] == find_pii(masked)


@pytest.mark.spec("C10")
@given(anything | glued | numbers)
def test_text_outside_the_spans_is_unchanged(text: str) -> None:
    """Masked text is the pieces between the spans, as they were, and a mark for each span."""
    spans = find_pii(text)
    expected = text
    for span in reversed(spans):
        secret = span.kind in (PiiKind.API_KEY, PiiKind.PRIVATE_KEY)
        mark = "[secret]" if secret else f"[{span.kind}]"
        expected = expected[: span.offset] + mark + expected[span.end :]
    assert expected == mask_pii(text, spans)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "unit",
    [
        *("1", "12", "1 ", "1-", "1.", "13812345678", "4000 ", "+1 ", "+4", "((", "1.2.3.", "86 1"),
        *("a", "@", "a@", "a@a.", "a.b@", ".@a", "a@a.co@", "-", "'", "%@"),
        *(
            "f",
            "2000:",
            "::",
            "f:",
            "2001::",
            ":",
            "A ",
            "1 A ",
            "1 Street ",
            "12 Oak St ",
            "路",
            "路1",
        ),
        *("道12号", "市", "北京市路", "十", "路十十十十", "号", "住在", "1号", "a路1号"),
        *("sk-", "eyJ", "eyJaaaaaa.", "ghp_a", "sk-a", "Bearer ", "bearer a", "xoxb-1-"),
        *(
            "password",
            "token=",
            "token=f(",
            "token: ",
            "password is ",
            "密码是",
            "secret='",
            "token:=",
        ),
        *(
            "key:a.",
            "token=a&b=",
            "token=;a",
            "token=[",
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----",
        ),
        *("+14155552671", "+33 1 42 68 53 00", "10.0.0.1-", "11010519491231002X/", "fd00::1."),
        *("AKIA" + "A1B2" * 4 + "-", "12 Oak St/", "线下路3号", "12 Oak St #4.", "a.b@c.com+"),
        *("12 Oak St, A", "12 Oak St, A B", ", London", "路1号22-", "路1号楼22"),
        *(" ", "\n", "\0", "[email]", "１", "👍", "中"),
    ],
)
def test_no_text_is_slow(unit: str) -> None:
    """A long text of one thing over and over is read in a moment, be it ever so unhappy."""
    text = unit * (SIZE // len(unit))
    began = thread_time()
    for tail in ("", "!", "@", "=x"):
        find_pii(text + tail)
    assert thread_time() - began < 4 * 2.0


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "sentence",
    [
        "The quick brown fox jumps over 13 lazy dogs in 2024, at 12:30 for $5.99 (see v1.2.3). ",
        "今天下午三点在会议室评审，版本1.2.3，预算3000元，负责人是小李，请大家知道。",
        "commit 9f86d081884c7d65 at 2024-01-15T10:20:30Z in src/app/main.py:42, 评审通过。",
    ],
)
def test_a_text_with_nothing_to_find_is_cheap(sentence: str) -> None:
    """A hundred thousand characters of plain text take some thousandths of a second."""
    text = sentence * (SIZE // len(sentence))
    find_pii(text)  # compiles the patterns
    spent = []
    for _ in range(5):
        began = thread_time()
        assert [] == find_pii(text)
        spent.append(thread_time() - began)
    assert min(spent) < 0.1
