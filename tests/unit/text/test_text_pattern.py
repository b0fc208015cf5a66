"""Patterns and signs: that they find what compiled ones find, whatever the text.

In: the patterns of the package and made-up ones; what people say, and characters of odd cases. Out:
a text is never passed over that holds a match.
"""

from __future__ import annotations

import gc
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.remember.extract.find import FINDERS
from smartbrain.remember.extract.statements import find_statements
from smartbrain.text.needed import Register, folded, needed_by
from smartbrain.text.pattern import WordIndex, Words, _Pattern, pattern, sign

MANY = 100
"""So often a sign is searched for before it is searched for in another way."""
ODD = "ſeemſ lıke İ'd LİKE to go, K. Ob es ΣΑΣ heißt? ẞ ǅ ﬆ"
TEXTS = (
    "I'd love to have a dog, but we're not sure anymore. What if it barks?",
    "Actually, no longer: we decided not to, from now on call me Bob [x] done!",
    "如果可能的话，以后都用中文回答我，别再用英文了，好吗？",
    "我们已经不用 MySQL 了，改用 PostgreSQL；目标是今年上线，请记住。",
    "记一下 the Wi-Fi password is 1234，谢谢 you're the best",
    "",
    "a",
    "决",
    ODD,
    ODD.upper(),
    ODD.lower(),
)


def sources() -> list[tuple[str, int]]:
    """Return the patterns of the package, as far as reading a turn needs them."""
    assert FINDERS
    assert find_statements
    found = {(one._source, one._flags) for one in gc.get_objects() if isinstance(one, _Pattern)}
    return sorted(found)


def lines() -> list[str]:
    """Return what people say, a message a line."""
    data = Path(__file__).parents[2] / "data" / "extraction" / "first.jsonl"
    return [*TEXTS, *data.read_text(encoding="utf-8").splitlines()[::12]]


def span(found: re.Match[str] | None) -> tuple[int, int] | None:
    """Return where a match is."""
    return found.span() if found else None


def test_every_text_a_pattern_of_the_package_is_found_in_holds_a_word_that_it_needs() -> None:
    """No text that holds none of the words of a pattern holds a match of it."""
    register = Register()
    known = [(re.compile(*one), needed_by(*one)) for one in sources()]
    bits = [(compiled, register.add(needed)) for compiled, needed in known if needed]
    assert len(known) > 900
    assert len(bits) > 600
    for text in lines():
        held = register.held_by(text)
        for compiled, bit in bits:
            if not held & bit:
                assert compiled.search(text) is None, (compiled.pattern, text)


PARTS = st.sampled_from(
    [
        *"aiksIKS是不?. ",
        "if",
        "f as",
        "ask",
        "not",
        "[sk]",
        "[^s]",
        "\\w",
        "\\b",
        "ß",
        "σ",
        "[是不]",
        "(?=is)",
    ]
)


def patterns() -> st.SearchStrategy[str]:
    """Return small patterns of all kinds of parts."""

    def wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        row = st.lists(inner, min_size=1, max_size=4).map("".join)
        choice = st.lists(row, min_size=1, max_size=3).map(lambda of: f"(?:{'|'.join(of)})")
        times = st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "+?", "{1,3}+"])
        around = st.sampled_from(["(?={})", "(?!{})", "(?>{})", "(?i:{})", "({})"])
        return st.one_of(
            row,
            choice,
            st.tuples(choice, times).map("".join),
            st.tuples(around, row).map(lambda pair: pair[0].format(pair[1])),
        )

    plain = PARTS.map(lambda part: re.escape(part) if part in "?." else part)
    return st.recursive(plain, wider, max_leaves=12)


@settings(max_examples=600, deadline=None)
@given(patterns(), st.text("aiksfontIKSİıſK是不?ßΣ σ.", max_size=12), st.sampled_from([0, re.I]))
def test_what_a_pattern_needs_is_in_whatever_it_matches(source: str, text: str, flags: int) -> None:
    """Words are never asked for that a match could do without, between blanks or across them."""
    needed, register = needed_by(source, flags), Register()
    bit = register.add(needed)
    if needed and not register.held_by(text) & bit:
        assert re.search(source, text, flags) is None


def test_no_other_character_stands_for_one_that_a_pattern_is_known_by() -> None:
    """Ignoring case, a character of a pattern is matched by none that is folded otherwise."""
    every = [chr(code) for code in range(0xFFFF) if not 0xD800 <= code < 0xE000]
    cased = "".join(one for one in every if not one.lower() == one == one.upper())
    for letter in (chr(code) for code in range(128)):
        for found in re.findall(re.escape(letter), cased, re.I):
            assert letter.lower() in folded(found), (letter, found)
    plain = "".join(one for one in every if one.lower() == one == one.upper() and one > "\x7f")
    assert re.findall(f"[{re.escape(plain)}]", cased, re.I) == []


@pytest.mark.parametrize("text", TEXTS)
def test_a_sign_that_is_asked_often_finds_what_it_found_at_first(text: str) -> None:
    """Searching sooner changes no answer, from wherever the search begins."""
    wanted = re.compile(r"\bif\b|call me (\w+)|不用.+了|seems", re.I)
    asked = sign(wanted.pattern, re.I)
    for _ in range(MANY + 1):
        assert span(wanted.search(text)) == span(asked.search(text))
    for start in range(len(text)):
        assert span(wanted.search(text, start, 40)) == span(asked.search(text, start, 40))


def test_a_thing_is_held_by_texts_that_were_looked_at_before_it_was_known() -> None:
    """What a register has found out of a text and its words is not the last word on them."""
    register = Register()
    register.add(["needle"])
    assert 0 == register.held_by("hay 干草")
    assert [0b10, 0b100] == [register.add(["ay 干"]), register.add(["x"])]
    assert 0b10 == register.held_by("hay 干草")


def test_a_sign_does_all_else_that_a_pattern_does() -> None:
    """Only its search is its own."""
    assert ["a", "b"] == sign("[ab]").findall("a b")
    assert "-c" == sign("[ab]+").sub("-", "abc")
    assert "x+" == sign("x+").pattern


def test_a_sign_is_found_far_into_a_text_of_many_characters() -> None:
    """A text whose pieces would be too many is searched as it is."""
    asked = sign("needle")
    for _ in range(MANY + 1):
        assert asked.search("hay " * 2_000) is None
    assert (8_000, 8_006) == span(asked.search("hay " * 2_000 + "needle"))


def test_a_wrong_pattern_is_told_of_when_it_is_used() -> None:
    """Nothing is compiled before."""
    wrong = pattern("(")
    with pytest.raises(re.error, match="unterminated subpattern"):
        wrong.search("")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We DECIDED on it", True),
        ("They did decode it", False),
        ("就这么定了", True),
        ("定 了", False),
        ("都好", False),
        ("x" * 3_000 + "decid", True),
        ("x" * 3_000, False),
        ("", False),
    ],
)
def test_words_are_found_in_whatever_case(text: str, expected: bool) -> None:
    """In a short text as in a long one, of one character or of more."""
    assert Words("decid|定了|吗|it's|,").in_(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We DECIDED to go", {"settled", "going"}),
        ("就这么定了", {"settled"}),
        ("going, " + "x" * 3_000, {"going"}),
        ("They did decode it", set()),
        ("", set()),
    ],
)
def test_an_index_tells_all_things_whose_words_a_text_holds(text: str, expected: set[str]) -> None:
    """One look at a text tells of every thing, in either language."""
    index = WordIndex([("settled", "decid|定了"), ("going", "to go|going")])
    assert expected == index.in_(text)
