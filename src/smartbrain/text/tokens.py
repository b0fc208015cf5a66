"""Estimate how many o200k tokens a text costs, without the tokenizer's vocabulary.

In: any string, also one with lone surrogates. Out: a whole number that is meant to be a little too
high, never far too low. ASCII is cut into pieces that are about one token each; every other
character has a fixed price by script. On real text of one kind the raw estimate is within about
10 % of the truth, on one document rarely more than 15 % below it; `MARGIN` is added on top. With it
no wall of marks, blanks, digits, keys, tables or drawings costs more than its estimate, and no list
of names, codes, kana or rare characters of Chinese does, which may cost a good deal less. Not a
tokenizer, and no estimate for another one: whoever needs exact counts plugs one in.
"""

from __future__ import annotations

import math
import re
from base64 import b85decode
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
# A few Chinese characters or kana in a list; the blank before them, which is here, is a token.
_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_LISTED = rf"(?<=[,;{_CJK}]\ )[{_CJK}]{{1,3}}+(?![{_CJK}])"
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
  | \ (?![^\x00-\x7f]) | \ (?={_LISTED}) | [\x00-\x1f\x7f]
"""
_PIECES: Final = pattern(_PIECE, re.VERBOSE)
# The same, and each piece swallows the wide characters after it, with the blank before them that
# their first token takes in. _prices() has their cost; to step over them one by one is slow.
_PIECES_AMID_WIDE: Final = pattern(
    rf"(?:{_PIECE})(?:(?:\ (?!{_LISTED}))?[^\x00-\x7f]++)*+", re.VERBOSE
)
_ASCII: Final = pattern(r"[\x00-\x7f]+")
_NO_LETTERS: Final = bytes(code for code in range(256) if not chr(code).isalpha() or code > 0x7F)
_SELDOM: Final = b"bhjkquvxyzJKQVXZ"  # more frequent in names and codes than in words
# Keys, hashes and the like: their letters are priced as what they are.
_LONG_RUN: Final = pattern(r"[A-Za-z0-9+/_=-]{24,}+")
# Characters of GB2312's first level that are two tokens: a bit each, in the order of the standard.
_DEAR: Final = (
    b"_{Kr~waOA?%8>H21fkUQM{Y~aG}{x8q<t*{1XLw}WaZz2!kU^g!d&Pa`5rw?Lgl?Lk=wq93OV7J3NRVO!w2{"
    b"*zsc?-Fl$668D-~x?1SZ<1A#1Za*h*xP)lkbK**su#kdI{67;b=D_#g}7bv!w7Lq;iPbMI+PL2Z!Ton{7!cV"
    b"6MscTb!uu=(BRT4qCLX`GJ0$MO5?yF5i8H@!%%z+SuqvW<FF#CQ$`m~<gJ_{~n;TmK1F6KaWzle`}M~Mt+X7"
    b"m7|wGJ`281M=2Zo6p~3tu@of)ZYQ?LmgDD4xuAY}rDCa0-wx0(N28o&3!bz~gnX+;v&V?{q#EYS6$m%aD02G"
    b"m`&U;kdl|bTFvO<TOT!Hqc9vr))fGLSv4Ima+H9xvfMnDhUXIDA1V@09|Y~@b(TQ8&o^HSV+^n2xszJZkpc!"
    b"=*$OYV8F?MFw%hEM^k$elu{FwQczEvOyUDsMs|=K#IX%LOaS9%k|xJWq(eZ1bK*RT4?_dV=|#xWt7e#}jgyS"
    b"VC{L0SEL@^6Hz0onFfsP+VQ?$(O#}hZd0Wgqbx7<N<-c(v4k2vy4yqDZ03wXpl?3bq<iml{#NNEaOoIdwKmY"
)
_ACCENTED: Final = 1.1  # tokens of a letter of Latin
_KANA: Final = 0.59  # tokens, in sentences
_PARTICLES: Final = "のはにをがたいし"  # every third kana of a sentence, few of a chart or of names
_SHORT: Final = 1_000  # characters
_DEAREST: Final = 5.0  # tokens that no character reaches, with the margin


@cache
def _prices() -> tuple[tuple[float, re.Pattern[str]], ...]:
    """Return measured tokens per character; the first class that holds a character prices it.

    Built on the first text that needs it: classes of thousands of characters take time to compile.
    """
    everyday = _everyday_han("gb2312", range(0xB0, 0xD8))
    dear = int.from_bytes(b85decode(_DEAR), "little")
    table = (
        (0.825, "".join(han for at, han in enumerate(everyday) if not dear >> at & 1)),
        # General, CJK and full-width punctuation; joiners and variation selectors.
        (1.0, "\x80-\xbf\u2000-\u203f\u3000-\u3020\ufe00-\ufe0f\uff01-\uff0f\uff1a-\uff20"),
        (1.0, "\uff3b-\uff40\uff5b-\uff65"),
        (1.75, everyday),
        (_ACCENTED, "\xc0-\u017f"),
        (0.35, "\u0400-\u052f"),  # Cyrillic
        # Greek, Armenian, Arabic, most scripts of India, Thai, Georgian, Vietnamese.
        (0.43, "\u0370-\u03ff\u0530-\u058f\u0600-\u077f\u0900-\u09ff\u0a80-\u0aff\u0b80-\u0d7f"),
        (0.43, "\u0e00-\u0e7f\u10a0-\u10ff\u1e00-\u1eff"),
        (_KANA, "\u3040-\u30ff"),
        # Hebrew, Gurmukhi, Sinhala, Burmese, Khmer.
        (0.61, "\u0590-\u05ff\u0a00-\u0a7f\u0d80-\u0dff\u1000-\u109f\u1780-\u17ff"),
        (0.78, "\uac00-\ud7a3"),  # Korean
        (2.0, _everyday_han("gb2312", range(0xD8, 0xF8))),
        (1.4, _everyday_han("big5", range(0xA4, 0xC7))),
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
    """Return the estimated o200k tokens of `text`, raised by `margin` and rounded up."""
    return math.ceil((_measured(text) if len(text) <= _SHORT else _measured_once(text)) * margin)


def _counted(text: str) -> float:
    if text.isascii():
        pieces = float(_PIECES.subn("", text)[1])
        return pieces + _unknown(text, pieces)
    # The NUL is a piece of its own; it is there to swallow the wide characters a text begins with.
    tokens = pieces = float(_PIECES_AMID_WIDE.subn("", "\0" + text)[1] - 1)
    wide = _ASCII.sub("", text)
    foreign = len(wide)
    for price, characters in _prices():
        if not wide:
            break
        unpriced = characters.sub("", wide)
        tokens += price * (count := len(wide) - len(unpriced))
        if price == _KANA and count:
            tokens += max(0.0, 0.55 * count - 1.6 * sum(map(text.count, _PARTICLES)))
        elif price == _ACCENTED:
            foreign -= count
        wide = unpriced
    return tokens + _unknown(text, pieces, foreign)


def _unknown(text: str, pieces: float, foreign: int = 0, *, keys: bool = True) -> float:
    """Return how many tokens more it takes to spell out names, codes and words of no language.

    A word that is known is one token, and another of the same length three or four. What English
    and code are made of is told by its letters, without a look at the words: they are full of e,
    t and o, of short words, and of ends of sentences. The weights are fitted to lists of such
    words, which are to cost what they do, and to conversations and code, which cost no more.
    """
    size = len(text) - foreign
    if foreign > size:
        return 0.0
    data = text.encode("ascii", "replace")
    if len(data.translate(None, b"eto ")) < 0.7 * size:
        return 0.0  # most texts; whatever their other letters are
    letters = data.translate(None, _NO_LETTERS)
    seldom = len(letters) - len(letters.translate(None, _SELDOM))
    often = len(letters) - len(letters.translate(None, b"eto"))
    ends = sum(map(text.count, ".?!"))
    known = often + data.count(b" ") + 2.0 * ends + 0.2 * pieces + 0.2 * foreign
    more = 0.31 * len(letters) + 0.93 * seldom - known
    if more <= 0:
        return 0.0
    if keys and (plain := _LONG_RUN.sub("", text)) != text:
        pieces = _PIECES_AMID_WIDE.subn("", "\0" + plain)[1] - 1
        return _unknown(plain, pieces, foreign, keys=False)
    return min(more, size - pieces)


# A message, or a line of a summary, is counted more than once; few long ones are held on to.
_measured: Final = lru_cache(maxsize=512)(_counted)
_measured_once: Final = lru_cache(maxsize=4)(_counted)


class EstimatedTokens:
    """The token counter that needs no vocabulary; threads may share it."""

    name = "heuristic"

    def count(self, text: str) -> int:
        """Return the estimated tokens of a text, with the margin."""
        return estimate_tokens(text)
