"""Quotations: where the user says them, and the bytes of the originals they stand in (E2, K5, C11).

In: a quotation that a model claims, or a place in a message, and the messages of a turn as they are
read. Out: where it stands word for word in a message of the user, or why it is not the user's word;
and the spans of just these words. Blanks and the shape of quotation marks may differ; nothing else
may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.claim import Source
from smartbrain.domain.memory import Span
from smartbrain.domain.reason import Reason
from smartbrain.domain.turn import DOCUMENT, Message
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.remember.rules.said import Said

MAX_QUOTE: Final = 2_000
_MIN_LETTERS: Final = 4  # that a quotation needs to say anything; a CJK character counts as two
_CJK: Final = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_IS_CJK: Final = re.compile(f"[{_CJK}]")
_LETTER: Final = rf"[^\W{_CJK}]"
_IS_LETTER: Final = re.compile(_LETTER)
_STRAIGHT: Final = str.maketrans("‘’“”", "''\"\"")
_NOT_ZH: Final = r"(?:不(?!锈钢|丹|动产|列颠)|没|未(?!婚|来|成年)|非(?!洲|遗|营利|常)|无法)"
_DENIED_AFTER: Final = pattern(
    r"\s?(?:(?:is|are|was|were|do|does|did|has|have|can|will|would)(?:n't| not| never| no longer)\b"
    rf"|(?:并|根本|从来?)?{_NOT_ZH})(?!仅|但|过(?!敏))",
    re.IGNORECASE,
)
_DENIED_BEFORE: Final = pattern(
    r"(?:\b(?:not|never|neither|nor|cannot|no longer|hardly|without|stopped|refused?(?: to)?)\b"
    r"|n't\b"
    rf"|{_NOT_ZH}(?!过(?!敏)|但|仅|管|论|错|久|得不|如|同|断|禁|知不觉|好意思|愧)|别(?!人|的)|并非)"
    r"(?!.*(?:[但却]|而(?!不|没)|\b(?:and|so|because) (?:i|we|my|our|it|the)\b))",
    re.IGNORECASE,
)
_DENIED_PARTLY: Final = pattern(  # "not just a nurse" is a nurse still, and so is 不只是护士
    r"(?:\b(?:not|never|cannot)|n't)(?: (?:be|been|really|actually))? (?:just|only|merely|solely"
    r"|simply|mainly|mostly|entirely|fully|exactly|necessarily|always|all|quite|alone)\b"
    r"|(?:不|并非|没有?)(?:[只仅光止都]|单(?!身)|全(?=是|[^\s，,])|总是?|一定|完全|一直)",
    re.IGNORECASE,
)
_NOT_FOUND: Final = Reason("quote_not_found", "nobody says in the turn what it quotes")
_ASSISTANTS: Final = Reason("quote_of_assistant", "it quotes the assistant, not the user")
_HANDED_OVER: Final = Reason(
    "quote_handed_over", "it quotes text that the user handed over, pasted or was shown"
)
_DENIED: Final = Reason("quote_denied", "it quotes a part of words that deny it")
_SHORT: Final = Reason("quote_too_short", "its quote is too short to say anything")


def spans_at(
    text: str, spans: Sequence[Span], offset: int, length: int, skipped: int = 0
) -> tuple[Span, ...]:
    """Return the spans that hold `length` characters of a text from `offset` on.

    `spans` hold the whole text, after `skipped` bytes of something else.
    """
    start = skipped + (offset if text.isascii() else len(text[:offset].encode()))
    end = start + len(text[offset : offset + length].encode())
    found, done = [], 0
    for span in spans:
        first, last = max(start, done), min(end, done + span.length)
        if first < last:
            found.append(Span(span.raw_id, span.offset + first - done, last - first))
        done += span.length
    return tuple(found)


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
    words = quote[:MAX_QUOTE].translate(_STRAIGHT).split()
    if not words:
        return _SHORT
    wanted = _words_pattern(words)
    weight = sum(2 if _IS_CJK.match(one) else one.isalnum() for one in quote)
    why = _NOT_FOUND
    for index, one in sorted(said, key=lambda one: one[0] != first):
        for found in wanted.finditer(one.text.translate(_STRAIGHT)):
            start, end = found.span()
            if one.source is not Source.USER:
                why = _ASSISTANTS if why is _NOT_FOUND else why
            elif messages[index].meta.get(DOCUMENT) or not _is_own(start, end, one, value):
                why = _HANDED_OVER
            elif weight < _MIN_LETTERS and one.text[start:end].strip() != one.text.strip():
                why = _SHORT
            elif not of_ending and is_denied_around(start, end, one):
                why = _DENIED
            else:
                return Quoted(index, start, end - start)
    return why


def _words_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Return what finds words whatever blanks are between them, and never inside of a word."""
    before = f"(?<!{_LETTER})" if _IS_LETTER.match(words[0][0]) else ""
    after = f"(?!{_LETTER})" if _IS_LETTER.match(words[-1][-1]) else ""
    return re.compile(before + r"\s*".join(re.escape(word) for word in words) + after)


def _is_own(start: int, end: int, said: Said, value: str) -> bool:
    """Tell whether characters of a message are what its speaker says.

    What a sentence only repeats, such as code or somebody else's words, is blank in it; it may
    stand within a quotation, but neither at its ends nor in the value that is quoted.
    """
    own = {
        place
        for one in said.sentences
        for place, char in enumerate(one.text, one.offset)
        if char == said.text[place]
    }
    letters = [place for place in range(start, end) if said.text[place].isalnum()]
    if not letters or letters[0] not in own or letters[-1] not in own:
        return False
    named = value.strip()
    at = said.text.find(named, start, end) if named else -1
    if at >= 0:
        letters = [place for place in letters if at <= place < at + len(named)]
    return own.issuperset(letters)


def is_denied_around(start: int, end: int, said: Said) -> bool:
    """Tell whether the rest of the clause in which a quotation begins or ends denies it."""
    clauses = [clause for sentence in said.sentences for clause in sentence.clauses]
    first = next((one.offset for one in reversed(clauses) if one.offset <= start), start)
    last = next((one for one in reversed(clauses) if one.offset < end), None)
    stop = max(end, last.offset + len(last.text)) if last else end
    before = said.text[first:start].replace("’", "'")
    if _DENIED_AFTER.match(said.text[end:stop].replace("’", "'")):
        return True
    return bool(_DENIED_BEFORE.search(before)) and not _DENIED_PARTLY.search(before)
