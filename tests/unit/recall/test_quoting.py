"""What is quoted of an episode beside what is shown: the words that brought it, as they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recalled_rows import cues, row

from smartbrain.domain.packet import Quote
from smartbrain.domain.recalled import RecalledRow
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.items import (
    LONGEST,
    Originals,
    _cut,
    _sentence,
    best_run,
    left_out,
    quote_episode,
)

NOTHING = CueWords(cues(""))


def quote(row: RecalledRow, shown: str, words: CueWords) -> tuple[Quote, ...]:
    """Quote what a strong cue brought, out of its own text."""
    return quote_episode(row, shown, words=words, originals=Originals(), cued=True)


LOG = " ".join(f"worker{n}=done" for n in range(60))
ZH_LOG = "，".join(f"第{n}组已经完成" for n in range(60))


@pytest.mark.spec("R5", "R9")
@pytest.mark.parametrize(
    ("before", "code", "after"),
    [(LOG, "0x8007045D", LOG), (ZH_LOG, "0x80070490", ZH_LOG), ("", "E1042", LOG), (LOG, "E1", "")],
)
def test_a_line_without_full_stops_is_cut_around_the_cue(
    before: str, code: str, after: str
) -> None:
    """A sentence that is too long is no reason not to quote it: its part around the code is."""
    text = f"{before} {code} {after}".strip()
    words = CueWords(cues(codes=(code,)))
    (told,) = quote(row(text=text), "", words)
    assert code in told.text
    assert told.text in text
    assert 0 < len(told.text) <= LONGEST
    assert not any(one.isspace() for one in (told.text[0], told.text[-1]))
    found = best_run(text, words, ())
    assert found is not None
    assert {code.casefold()} == found[0]
    assert code in text[found[1][0] : found[1][1]]


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met Ann. It rained. Ann brought plum jam. We left.", "Ann brought plum jam."),
        ("我们见了 Ann。下雨了。Ann 带来了 plum jam。然后走了。", "Ann 带来了 plum jam。"),
        ("İstanbul'da ẞ Ann plum jam vardı. Başka.", "İstanbul'da ẞ Ann plum jam vardı."),
    ],
)
def test_the_sentence_with_the_most_of_a_message_is_quoted(text: str, expected: str) -> None:
    """Whatever letters come before it; of equals the first one."""
    words = CueWords(cues(entities=("Ann",)), {"plum", "jam"})
    found = best_run(text, words, ())
    assert found is not None
    start, end = found[1]
    assert expected == text[start:end]
    assert best_run(text, words, {"ann", "plum", "jam"}) is None


@pytest.mark.spec("R5")
@pytest.mark.parametrize("blank", [" ", "，"])
def test_of_a_line_without_end_the_part_with_the_most_words_is_quoted(blank: str) -> None:
    """A word that the first part of a long sentence shows too may have a better one around it."""
    pad = "abcd" if blank == " " else "天地玄黄"
    names = ["alfa", "bravo", "charlie", "delta"]
    gaps = [60, 40, 12, 20]
    parts = [blank.join([pad] * gap + [name]) for gap, name in zip(gaps, names, strict=True)]
    text = blank.join([*parts, *[pad] * 60])
    found = best_run(text, CueWords(cues(entities=tuple(names))), set())
    assert found is not None
    start, end = found[1]
    assert 3 <= sum(name in text[start:end] for name in names)
    assert end - start <= LONGEST


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("text", "shown", "expected"),
    [
        ("user: One came. Two went. Three ran.", "user: One came.", "Two went. Three ran."),
        ("user: 甲来了。乙走了。丙跑了。", "user: 甲来了。", "乙走了。丙跑了。"),
        ("user: One came. Two went.", "user: Two went.", "One came."),
        ("user: 甲来了。\nassistant: 好的。", "user: 甲来了。", "好的。"),
        ("user: 甲来了。\nassistant: 好的。", "user: 甲来了。\nassistant: 好的。", None),
        ("user: One.\n\n- two  went\n", "user: One. two went", None),
    ],
)
def test_the_rest_is_what_is_not_shown(text: str, shown: str, expected: str | None) -> None:
    """From the first sentence that is left out, without the speaker's name."""
    told = row(text=text, speakers=("user", "assistant"))
    assert ([expected] if expected else []) == [one.text for one in quote(told, shown, NOTHING)]


@given(
    text=st.text("ab. \n。榅桲é🏞️\u0301", max_size=900),
    place=st.integers(0, 900),
    size=st.integers(1, 200),
)
def test_any_run_is_within_the_text_and_holds_its_place(text: str, place: int, size: int) -> None:
    """No quote is longer than it may be, and none loses what it is for."""
    start = min(place, len(text) - 1)
    end = min(len(text), start + size)
    if start < 0 or text[start:end].strip() != text[start:end] or not text[start:end]:
        return
    low, high = _cut(text, _sentence(text, (start, end)), (start, end))
    assert 0 <= low <= start <= end <= high <= len(text)
    assert high - low <= LONGEST
    rest = left_out(text, "")
    assert rest is None or 0 <= rest[0] < rest[1] <= min(len(text), rest[0] + LONGEST)
