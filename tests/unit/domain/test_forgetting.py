"""Holes, clauses and the finding of forgotten words in other texts."""

from __future__ import annotations

import pytest

from smartbrain.domain.forgetting import (
    Matcher,
    close_holes,
    cut_holes,
    fill_hole,
    find_clauses,
    holds_words,
    is_hole,
    terms_of,
    windows_of,
)


@pytest.mark.spec("J7")
@pytest.mark.parametrize("text", ["My code is 42.", "我的é密码😀x", "two\nlines"])
def test_a_hole_is_as_long_as_what_it_stands_for(text: str) -> None:
    """In characters, in bytes and in lines."""
    hole = fill_hole(text)
    assert (len(text), len(text.encode())) == (len(hole), len(hole.encode()))
    assert text.count("\n") == hole.count("\n")
    assert is_hole(hole)


@pytest.mark.spec("J7")
def test_only_what_is_named_is_cut() -> None:
    """Holes may touch and overlap; what is around them stays."""
    body = "我住在北京，电话是123。".encode()
    cut = cut_holes(body, [(0, 15), (9, 15), (18, 27)]).decode()
    assert cut == "＿＿＿＿＿，＿＿＿123。"
    assert close_holes("a ______ b") == "a … b"


def test_clauses_end_at_marks_and_joints() -> None:
    """Not inside numbers, and not after the number of a line."""
    text = "1 54 Hi! I live in Rome and my phone is 1.5, ok. 我叫李雷，我在上海。"
    assert [text[start:end] for start, end in find_clauses(text)] == [
        "Hi",
        "I live in Rome",
        "my phone is 1.5",
        "ok",
        "我叫李雷",
        "我在上海",
    ]


def test_words_are_found_whole() -> None:
    """A name inside another word is not meant; Chinese has no such borders."""
    assert holds_words("she met ann.", "ann")
    assert not holds_words("the annual report", "ann")
    assert holds_words("昨天张伟来了", "张伟")


@pytest.mark.spec("J7")
def test_runs_and_terms_of_forgotten_texts_are_found_elsewhere() -> None:
    """Twenty bytes of it, or a word that nothing else says."""
    forgotten = "The vault combination is seven blue herons."
    matcher = Matcher(windows=windows_of(forgotten), terms=terms_of("herons"))
    assert matcher.matches("note: combination is seven blue birds")
    assert matcher.matches("I saw herons")
    assert not matcher.matches("The vault is open")
    assert matcher.clean("I saw herons. We had tea.") == "…. We had tea."
    value = {"status": "herons", "text": "herons", "tags": ["herons", "tea"]}
    assert matcher.clean_value(value) == {"status": "herons", "text": "", "tags": ["tea"]}


@pytest.mark.spec("J7")
@pytest.mark.parametrize("needle", ["2026", "11-19", "16"])
def test_times_of_ours_are_no_words_of_anybody(needle: str) -> None:
    """A figure that is forgotten leaves when something was written as it is."""
    ours = {"updated_at": "2026-11-19T16:40:02+00:00", "holds_until": None, "type": "profile"}
    theirs = {"text": f"the code is {needle}", "due": f"{needle}"}
    cleaned = Matcher([needle]).clean_value({**ours, **theirs})
    assert ours == {name: cleaned[name] for name in ours}
    assert not Matcher([needle]).matches(cleaned["text"] + cleaned["due"])
