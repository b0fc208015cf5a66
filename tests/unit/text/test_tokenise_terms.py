"""What terms a text is cut into: words, pairs, codes, and everything that is not plain ASCII.

In: short texts in many scripts. Out: the terms they are indexed, asked and quoted by.
"""

from __future__ import annotations

import pytest

from smartbrain.text.tokenise import (
    LONGEST,
    PART_WEIGHT,
    SINGLE_WEIGHT,
    cut_text,
    index_terms,
    phrase_terms,
    query_terms,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running runners RAN", ["run", "runner", "ran"]),
        ("The report is on the table", ["report", "tabl"]),
        ("John's dog doesn't bark", ["john", "dog", "bark"]),
        ("John’s", ["john"]),
        ("to be or not to be", []),
        ("café naïve Straße", ["café", "naïve", "straße"]),
        ("follow-up", ["follow", "followup"]),
        ("state-of-the-art", ["state", "art", "stateoftheart"]),
    ],
)
def test_english_words_become_stems_without_stop_words(text: str, expected: list[str]) -> None:
    """Forms of a word are one term, stop words none, and hyphened words are also one word."""
    assert expected == index_terms(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("评审会", ["评审", "审会"]),
        ("茶", ["茶"]),
        ("喝茶，茶", ["喝茶", "茶"]),
        ("周四下午3点", ["周四", "四下", "下午", "3", "点"]),
        ("用Python写", ["用", "python", "写"]),
        ("ひらがな", ["ひら", "らが", "がな"]),
        ("한국어", ["한국", "국어"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
    ],
)
def test_scripts_without_blanks_become_pairs(text: str, expected: list[str]) -> None:
    """A run of wide characters gives its overlapping pairs, a single one itself."""
    assert expected == index_terms(text)


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("EventID=17", "eventid=17", {"event", "id", "17", "eventid"}),
        ("src/app.py:42", "src/app.py:42", {"src", "app", "py", "42"}),
        ("v1.2.3", "v1.2.3", {"v1", "2", "3"}),
        ("snake_case_name", "snake_case_name", {"snake", "case", "name"}),
        ("camelCase", "camelcas", {"camel", "case"}),
        ("iPhone15", "iphone15", {"phone", "15"}),
        ("dbId", "dbid", {"db", "id"}),
        ("HTTPServerError", "httpservererror", {"http", "server", "error"}),
        ("mei@example.com", "mei@example.com", {"mei", "exampl", "com"}),
        (
            "https://a.org/b?q=1#top",
            "https://a.org/b?q=1#top",
            {"https", "org", "b", "q", "1", "top"},
        ),
        ("C:\\Users\\Mei\\x.txt", "c:\\users\\mei\\x.txt", {"c", "user", "mei", "x", "txt"}),
        ("2026-03-09", "2026-03-09", {"2026", "03", "09"}),
        ("1,000.5", "1,000.5", {"1", "000", "5"}),
        ("covid-19", "covid-19", {"covid", "19"}),
        (
            "550e8400-e29b-41d4-a716-446655440000",
            "550e8400-e29b-41d4-a716-446655440000",
            {"550e8400", "e29b", "41d4", "a716", "446655440000"},
        ),
    ],
)
def test_codes_are_kept_whole_beside_their_parts(text: str, whole: str, parts: set[str]) -> None:
    """In a query the whole weighs 1 and its parts less; in a sentence nothing changes."""
    assert {whole, *parts} == set(index_terms(text))
    assert {whole, *parts, "看"} == set(index_terms(f"看({text})。"))
    expected = {whole: 1.0} | dict.fromkeys(parts, PART_WEIGHT)
    assert expected == dict(query_terms(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0x8007045D", ["0x8007045d"]),
        ("0xDEADBEEF", ["0xdeadbeef"]),
        ("aGVsbG8gd29ybGQhIQ", ["agvsbg8gd29ybgqhiq"]),
        ("utf8", ["utf8"]),
        ("C++ C# F#", ["c++", "c#", "f#"]),
        ("IDs", ["id"]),
    ],
)
def test_what_only_looks_like_several_words_stays_one(text: str, expected: list[str]) -> None:
    """Hex, hashes and names with a sign at the end are not taken apart."""
    assert expected == index_terms(text)


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("ﬁle №", "file No"),
        ("zero\u200bwidth so\u00adft", "zerowidth soft"),
        ("\x00rep\x07ort\x1f", "report"),
        ("re\ud800port", "report"),
        ("评\u200d审\ufeff会", "评审会"),
        ("👍🏽", "👍"),
        ("❤️", "❤"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّدـ", "محمد"),
        ("cafe\u0301", "café"),
    ],
)
def test_what_looks_alike_is_the_same(text: str, same_as: str) -> None:
    """Width, ligatures, invisible and control characters, skin tones and vowel points are gone."""
    assert index_terms(same_as) == index_terms(text) != []


def test_other_scripts_are_cut_at_blanks() -> None:
    """Right-to-left and Indic scripts give words with their vowel signs; emoji are terms."""
    assert index_terms("שלום עולם") == ["שלום", "עולם"]
    assert index_terms("مرحبا بالعالم") == ["مرحبا", "بالعالم"]
    assert index_terms("हिन्दी में") == ["हिन्दी", "में"]
    assert index_terms("ok👍🎉 🇨🇳") == ["ok", "👍", "🎉", "🇨🇳"]
    assert index_terms("👨‍👩‍👧") == ["👨", "👩", "👧"]


def test_a_query_has_each_term_once_at_its_highest_weight() -> None:
    """Pairs weigh 1, single characters of a longer run little, a character alone 1."""
    assert dict(query_terms("评审 审 report Reports")) == {
        "评审": 1.0,
        "评": SINGLE_WEIGHT,
        "审": 1.0,
        "report": 1.0,
    }


def test_single_characters_are_those_of_wide_runs() -> None:
    """Each once, in order; other scripts have none."""
    assert cut_text("评审会，会审 report 👍").singles == ["评", "审", "会"]
    assert cut_text("the report").singles == []


def test_phrases_keep_every_word_in_order() -> None:
    """Stop words stay, codes fall into their words, wide runs into characters."""
    assert phrase_terms("To be, or not") == ["to", "be", "or", "not"]
    assert phrase_terms("see EventID=17 in src/app.py") == ["see", "event", "id", "17"] + [
        *("in", "src", "app", "py")
    ]
    assert phrase_terms("改到周四 at 3pm") == [*"改到周四", "at", "3pm"]


def test_a_long_term_keeps_its_beginning_and_differs_from_its_likes() -> None:
    """However long a code is, its term fits, and another code has another term."""
    codes = ["/".join(["отрезок"] * 40), "/".join(["segment"] * 40), "x" * 5_000, "x" * 5_001]
    terms = [query_terms(code)[0].term for code in codes]
    assert len(set(terms)) == len(terms)
    assert all(len(term.encode()) <= LONGEST for term in terms)
    assert [term[:8] for term in terms] == ["отрезок/", "segment/", "xxxxxxxx", "xxxxxxxx"]


def test_what_has_no_words_has_no_terms() -> None:
    """Blanks, signs and invisible characters give nothing, for all three uses."""
    for text in (
        "",
        " \t\n\u3000",
        "。！？…—()[]{}",
        "\u200b\u200d",
        "\x00\x1f",
        "\ud800",
        "'''---",
    ):
        assert ([], [], []) == (index_terms(text), query_terms(text), phrase_terms(text))
