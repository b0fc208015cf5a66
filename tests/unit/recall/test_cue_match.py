"""The words of a message in memories: whatever their case, their script and their length (R9)."""

from __future__ import annotations

import pytest

from smartbrain.domain.recall import Cues
from smartbrain.recall.cue_match import CueWords


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("The BLUETOOTH Headset, repaired", {"bluetooth", "headset"}),
        ("蓝牙耳机（BlueTooth）在 STRASSE 修好了", {"蓝牙", "bluetooth", "strasse"}),
        ("蓝牙 Straße " + "很长的话。" * 500 + " HEADSETS", {"蓝牙", "strasse", "headsets"}),
        ("the bluetoothx strassen", set()),
    ],
)
def test_words_are_found_in_any_case_again_and_again(text: str, shared: set[str]) -> None:
    """A short text in Chinese, a long one and a plain one are all read in small letters."""
    words = CueWords(Cues(text="", keywords=("Bluetooth", "蓝牙", "headset"), codes=("STRASSE",)))
    for _ in range(2):
        assert shared == words.shared(text)
        assert (shared, shared & {"strasse"}) == words.shared_and_strong(text)


@pytest.mark.spec("R9")
@pytest.mark.parametrize("word", ["headset", "headsets", "Headsets"])
def test_a_word_that_stands_in_two_forms_is_one_word(word: str) -> None:
    """Its stem finds all of them; what is not made of the stem is looked for as it is."""
    words = CueWords(Cues(text="", keywords=(word,)))
    assert {"headset"} == words.shared("a headset, or two headsets: 耳机")
    assert {"studies"} == CueWords(Cues(text="", keywords=("studies",))).shared("many studies")
    assert {"went"} == CueWords(Cues(text="", keywords=("went",))).shared("we went on")


@pytest.mark.spec("R9", "R5")
@pytest.mark.parametrize(
    ("text", "word", "written"),
    [
        ("Ｔｈｅ ｇａｔｅｗａｙ", "gateway", "ｇａｔｅｗａｙ"),
        ("网关是ＦＡＬＣＯＮ。", "falcon", "ＦＡＬＣＯＮ"),
        ("We ate at Cafe\u0301 Re\u0301gal.", "R\u00e9gal", "Re\u0301gal"),
        (
            "\u1112\u116c\u110b\u1174\u1102\u1173\u11ab 곳",
            "회의는",
            "\u1112\u116c\u110b\u1174\u1102\u1173\u11ab",
        ),
        ("Die Straße 蓝牙", "蓝牙", "蓝牙"),
    ],
)
def test_words_are_found_however_their_letters_are_made(text: str, word: str, written: str) -> None:
    """Full width, or a letter with its mark apart; the place is that of the text as it stands."""
    words = CueWords(Cues(text="", phrases=(word,)))
    assert {word.casefold()} == words.strong(text)
    assert [written] == [text[start:end] for start, end in words.places(text).values()]
