"""Estimate how many o200k tokens a text costs, without the tokenizer's vocabulary.

In: any string, also one with lone surrogates. Out: a whole number that is meant to be a little too
high, never far too low. ASCII is cut into pieces that are about one token each; every other
character has a fixed price by script. On real text of one kind the raw estimate is within about
10 % of the truth, on one document rarely more than 15 % below it; `MARGIN` is added on top. With it
no wall of marks, blanks, digits, keys, tables or drawings costs more than its estimate. Letters
that make no words, such as lists of names, may. Not a tokenizer, and no estimate for another one:
whoever needs exact counts plugs one in.
"""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from typing import Final

from smartbrain.text.pattern import pattern

MARGIN: Final = 1.15
"""The factor every estimate is raised by, so that a budget kept by it holds in true tokens too."""

_MARK = r"[!-/:-@\[-`{-~]"
# The next mark, where the two are one token more often than not; the mark before it tells. What is
# written in code nearly always is, so that what is not is a wall: a pattern, a cipher, a drawing.
_PAIRED = r"""(?:
    (?<=["'\]])["%'()*+,./:;<>?\[\\\]_{}-]
  | (?<=[(.:])["\#$%&'()*+./:<?@\[\\^_`{-]
  | (?<=[)>}])["$%&'(),./:;<=>?\[\\\]`{|}-]
  | (?<=[/=-])["$%&'(*./=>\[\\_{-]
  | (?<=[*,_])["$()*,./:\[\\_-]
  | (?<=`)[),.:;\\\]`}] | (?<=\[)["\#$%'(*,/:@\[\\\]^_`{-] | (?<={)["$%'/:@\\{|}-]
  | (?<=[!+<~])[/=-])"""
# Marks with which the word behind them may be one token.
_OPENS = r"(?<=[\"$%'(*,./:<=\[\\_-])"
# The same mark again and again: lines are ruled with the first ones.
_AGAIN = r"""(?:(?<=[!\#%*+./:;=_~-])\1{3,15}+ | (?<=["$'(),<>?@\\^|])\1{3}+)"""
_VISIBLE = r"[!-~\x80-\U0010ffff]"
# The next 23 characters hold small and capital letters and digits without a break: a key, a hash,
# base64. Its letters do not make up words, so they merge into short tokens only.
_OPAQUE = (
    r"(?=[A-Za-z0-9+/_=-]{23})(?=[A-Za-z+/_=-]{0,20}[0-9])"
    r"(?=[a-z0-9+/_=-]{0,20}[A-Z])(?=[A-Z0-9+/_=-]{0,20}[a-z])"
)
# Most frequent first: the engine tries the alternatives in order, and a blank starts most words.
# The lengths are calibrated: a longer word is two tokens more often than one, and a run of 20 or
# more letters is no word at all.
_PIECE: Final = rf"""
    \ [A-Z]?[a-z]{{1,9}}+(?:'(?:[stmd]|re|ve|ll)(?![a-z]))?
  | [a-z](?:(?=[a-z]{{19}})[a-z] | (?<=[a-z]{{16}})[a-z]? | {_OPAQUE}[a-z]? | [a-z]{{0,6}}+)
  | [A-Z](?:(?:(?=[A-Z0-9]{{19}})|(?<=[A-Z0-9]{{17}}))(?:(?<=[JKQVWXZ])|[A-Z]?) | {_OPAQUE}[A-Z]?
      | [a-z]{{1,7}}+ | [A-Z]{{0,3}}(?![a-z]))
  | [0-9]{{1,3}}+
  | ({_MARK})(?:(?={_MARK})(?:{_AGAIN} | {_PAIRED}{{1,2}}+[\r\n]{{0,4}}+ | )
      | {_OPENS}(?:[A-Z]?[a-z]{{1,5}}+ | [A-Z]{{1,4}}(?![a-z])) | [\r\n]{{0,4}}+)
  | \ (?:[A-Z]{{1,4}}(?![a-z]) | {_MARK}["'(*./=>\[{{-]{{0,2}}+[\r\n]{{0,4}}+)
  | (?:\ {{0,20}}+|\t{{0,8}}+)(?:\n{{1,4}}+ | (?:\r\n){{1,4}}+ | \r\r?)
  | \ {{1,80}}+(?!{_VISIBLE})\t? | \ {{1,80}}(?=\ {_VISIBLE})
  | \t{{1,20}}+(?!{_VISIBLE}) | \t{{1,20}}(?=\t{_VISIBLE})
  | \t[A-Za-z]{{1,4}}
  | \ (?![^\x00-\x7f]) | [\x00-\x1f\x7f]
"""
_PIECES: Final = pattern(_PIECE, re.VERBOSE)
# The same, and each piece swallows the wide characters after it, with the blank before them that
# their first token takes in. _prices() has their cost; to step over them one by one is slow.
_PIECES_AMID_WIDE: Final = pattern(rf"(?:{_PIECE})(?:\ ?[^\x00-\x7f]++)*+", re.VERBOSE)
_ASCII: Final = pattern(r"[\x00-\x7f]+")
_SHORT: Final = 1_000  # characters
_DEAREST: Final = 5.0  # tokens that no character reaches, with the margin


@cache
def _prices() -> tuple[tuple[float, re.Pattern[str]], ...]:
    """Return measured tokens per character; the first class that holds a character prices it.

    Built on the first text that needs it: classes of thousands of characters take time to compile.
    """
    table = (
        (0.84, _everyday_han("gb2312", range(0xB0, 0xD8))),
        # Accented Latin; general, CJK and full-width punctuation; joiners and variation selectors.
        (1.0, "\x80-\u017f\u2000-\u203f\u3000-\u3020\ufe00-\ufe0f\uff01-\uff0f\uff1a-\uff20"),
        (1.0, "\uff3b-\uff40\uff5b-\uff65"),
        (0.35, "\u0400-\u052f"),  # Cyrillic
        # Greek, Armenian, Arabic, most scripts of India, Thai, Georgian, Vietnamese.
        (0.43, "\u0370-\u03ff\u0530-\u058f\u0600-\u077f\u0900-\u09ff\u0a80-\u0aff\u0b80-\u0d7f"),
        (0.43, "\u0e00-\u0e7f\u10a0-\u10ff\u1e00-\u1eff"),
        # Hebrew, Gurmukhi, Sinhala, Burmese, Khmer, kana.
        (0.61, "\u0590-\u05ff\u0a00-\u0a7f\u0d80-\u0dff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"),
        (0.78, "\uac00-\ud7a3"),  # Korean
        (1.2, _everyday_han("big5", range(0xA4, 0xC7))),
        # Braille, with which progress is drawn; signs that only look like emoji.
        (3.0, "\u2800-\u28ff\U0001f650-\U0001f67f\U0001f700-\U0001f8ff"),
        # Rare Han, symbols, full-width letters, emoji, Oriya, Tibetan, Ethiopic, combining marks.
        (2.0, "\u0180-\u036f\u0b00-\u0b7f\u0f00-\u0fff\u1200-\u137f\u2000-\u2bff\u3000-\u33ff"),
        (2.0, "\u4e00-\u9fff\uff00-\uffef\U0001f000-\U0001faff"),
        (3.0, "\x80-\uffff"),
        (4.0, "\U00010000-\U0010ffff"),
    )
    return tuple((price, re.compile(f"[{characters}]+")) for price, characters in table)


def _everyday_han(codec: str, leads: range) -> str:
    """Return the Han characters under these lead bytes, a standard's most used level."""
    codes = (bytes((lead, trail)) for lead in leads for trail in range(0x40, 0xFF))
    return "".join(re.findall("[\u4e00-\u9fff]", "".join(c.decode(codec, "ignore") for c in codes)))


def most_tokens(text: str) -> int:
    """Return a number that `estimate_tokens` never exceeds, known without looking at the words."""
    return math.ceil(len(text) * (MARGIN if text.isascii() else _DEAREST))


def estimate_tokens(text: str, margin: float = MARGIN) -> int:
    """Return the estimated o200k tokens of `text`, raised by `margin` and rounded up.

    Args:
        text: anything; the empty string costs nothing.
        margin: the factor on top of the raw estimate; 1.0 gives the raw estimate itself.
    """
    return math.ceil((_measured(text) if len(text) <= _SHORT else _measured_once(text)) * margin)


def _counted(text: str) -> float:
    """Return the raw estimate."""
    if text.isascii():
        return float(_PIECES.subn("", text)[1])
    # The NUL is a piece of its own; it is there to swallow the wide characters a text begins with.
    tokens = float(_PIECES_AMID_WIDE.subn("", "\0" + text)[1] - 1)
    wide = _ASCII.sub("", text)
    for price, characters in _prices():
        if not wide:
            break
        unpriced = characters.sub("", wide)
        tokens += price * (len(wide) - len(unpriced))
        wide = unpriced
    return tokens


# A message, or a line of a summary, is counted more than once; few long ones are held on to.
_measured: Final = lru_cache(maxsize=512)(_counted)
_measured_once: Final = lru_cache(maxsize=4)(_counted)


class EstimatedTokens:
    """The token counter that needs no vocabulary; threads may share it."""

    name = "heuristic"

    def count(self, text: str) -> int:
        """Return the estimated tokens of a text, with the margin."""
        return estimate_tokens(text)
