"""Finding the user's own words: whether a quotation stands in what the user says (K5, C11).

In: a quotation that a model claims, and the messages of a turn as they are read. Out: where it
stands, word for word, in a message of the user, or why it is not the user's word: the assistant
said it, it was handed over or pasted, or nobody said it. Blanks, the form of accents and the shape
of quotation marks may differ; nothing else may.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from smartbrain.domain.candidate import Source
from smartbrain.domain.reason import Reason
from smartbrain.domain.turn import DOCUMENT, Message
from smartbrain.remember.extract.negation import is_denied
from smartbrain.remember.extract.said import Said

LONGEST_QUOTE: Final = 2_000
_LEAST: Final = 4  # letters that a quotation needs to say anything; a CJK character counts as two
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTER: Final = r"[^\W\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_IS_LETTER: Final = re.compile(_LETTER)
_STRAIGHT: Final = str.maketrans("‘’“”", "''\"\"")
_NOT_FOUND: Final = Reason("quote_not_found", "nobody says in the turn what it quotes")
_ASSISTANTS: Final = Reason("quote_of_assistant", "it quotes the assistant, not the user")
_HANDED_OVER: Final = Reason(
    "quote_handed_over", "it quotes text that the user handed over, pasted or was shown"
)
_DENIED: Final = Reason("quote_denied", "it quotes a part of words that deny it")
_SHORT: Final = Reason("quote_too_short", "its quote is too short to say anything")


class Quoted(NamedTuple):
    """Where a quotation stands: in which message, from which character on, how long."""

    message: int
    offset: int
    length: int


def find_quote(
    quote: str,
    value: str,
    said: Iterable[tuple[int, Said]],
    messages: Sequence[Message],
    first: int = -1,
    *,
    of_ending: bool = False,
) -> Quoted | Reason:
    """Return where the user says these words, or why they are not the user's.

    `value` is what they are quoted for; `first` the message to look in before the others. Words of
    which the rest of their clause says that it is not so may be quoted for an ending alone.
    """
    words = _plain(quote[:LONGEST_QUOTE])[0].split()
    told = sorted(said, key=lambda one: one[0] != first)
    if not words:
        return _SHORT
    wanted = _pattern(words)
    why = _NOT_FOUND
    for index, one in told:
        for start, end in _places(wanted, one.text):
            if one.source is not Source.USER:
                why = _ASSISTANTS if why is _NOT_FOUND else why
            elif messages[index].meta.get(DOCUMENT) or not _is_own(start, end, one, value):
                why = _HANDED_OVER
            elif _weight(quote) < _LEAST and one.text[start:end].strip() != one.text.strip():
                why = _SHORT
            elif not of_ending and _is_denied(start, end, one):
                why = _DENIED
            else:
                return Quoted(index, start, end - start)
    return why


def _weight(quote: str) -> int:
    return sum(2 if _CJK.match(one) else one.isalnum() for one in quote)


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Return what finds words whatever blanks are between them, and never inside of a word."""
    before = f"(?<!{_LETTER})" if _IS_LETTER.match(words[0][0]) else ""
    after = f"(?!{_LETTER})" if _IS_LETTER.match(words[-1][-1]) else ""
    return re.compile(before + r"\s*".join(re.escape(word) for word in words) + after)


def _places(wanted: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield where a quotation begins and ends in a text."""
    plain, places = _plain(text)
    for found in wanted.finditer(plain):
        yield places[found.start()], places[found.end()]


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in one form of accents and marks, and the place of each of its characters."""
    if unicodedata.is_normalized("NFC", text):
        return text.translate(_STRAIGHT), range(len(text) + 1)
    parts: list[str] = []
    places: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and unicodedata.combining(text[end]):
            continue
        part = unicodedata.normalize("NFC", text[start:end]).translate(_STRAIGHT)
        parts.append(part)
        places += [start] * len(part)
        start = end
    return "".join(parts), [*places, len(text)]


def _is_own(start: int, end: int, said: Said, value: str) -> bool:
    """Tell whether characters of a message are what its speaker says.

    What a sentence only repeats, such as code or somebody else's words, is blank in it; it may
    stand within a quotation, but neither at its ends nor in the value that is quoted.
    """
    own = [False] * len(said.text)
    for one in said.sentences:
        for place, char in enumerate(one.text, one.offset):
            own[place] = char == said.text[place]
    letters = [place for place in range(start, end) if said.text[place].isalnum()]
    if not letters or not (own[letters[0]] and own[letters[-1]]):
        return False
    at = said.text.find(value.strip(), start, end) if value.strip() else -1
    if at >= 0:
        letters = [place for place in letters if at <= place < at + len(value.strip())]
    return all(own[place] for place in letters)


def _is_denied(start: int, end: int, said: Said) -> bool:
    """Tell whether the rest of the clause in which a quotation begins or ends denies it."""
    clauses = [clause for sentence in said.sentences for clause in sentence.clauses]
    first = next((one.offset for one in reversed(clauses) if one.offset <= start), start)
    last = next((one for one in reversed(clauses) if one.offset < end), None)
    stop = max(end, last.offset + len(last.text)) if last else end
    return is_denied(said.text[first:start], said.text[end:stop])
