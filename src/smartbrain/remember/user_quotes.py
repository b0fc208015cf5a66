"""Finding the user's own words: whether a quotation stands in what the user stated (C3, C11).

In: a quotation that somebody claims, and the messages of a turn as they are read. Out: where it
stands, word for word, in a sentence of the user that states something. Questions, guesses, hearsay,
code, pasted documents and lines of a composed context are nobody's statement, and what is denied
is not stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from smartbrain.domain.candidate import Source
from smartbrain.domain.turn import DOCUMENT, Message
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.negation import is_denied
from smartbrain.remember.extract.said import Said, Sentence

LONGEST_QUOTE: Final = 2_000
_LEAST: Final = 4  # letters that a quotation needs to say anything; a CJK character counts as two
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTER: Final = r"[^\W\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_IS_LETTER: Final = re.compile(_LETTER)


class Quoted(NamedTuple):
    """Where a quotation stands: in which message, from which character on, how long."""

    message: int
    offset: int
    length: int


def find_quote(
    quote: str,
    said: Iterable[tuple[int, Said]],
    messages: Sequence[Message],
    *,
    of_denial: bool = False,
) -> Quoted | None:
    """Return where the user states these words, None where nothing of the user's says so.

    Blanks may differ, for lines are broken on the way; nothing else may. Half of a sentence that
    denies it is no statement; `of_denial` tells that just a denial is looked for.
    """
    words = quote.split()
    if sum(2 if _CJK.match(one) else one.isalnum() for one in quote) < _LEAST:
        return None
    form = r"\s*".join(re.escape(word) for word in words)
    # A quotation that begins or ends inside a word quotes something else.
    before = f"(?<!{_LETTER})" if _IS_LETTER.match(words[0][0]) else ""
    after = f"(?!{_LETTER})" if _IS_LETTER.match(words[-1][-1]) else ""
    wanted = re.compile(before + form + after)
    for index, one in said:
        if one.source is not Source.USER or messages[index].meta.get(DOCUMENT):
            continue
        for found in wanted.finditer(one.text):
            place = found.start(), found.end()
            if _is_stated(*place, one) and (of_denial or not _is_denied(*place, one)):
                return Quoted(index, found.start(), found.end() - found.start())
    return None


def _is_stated(start: int, end: int, said: Said) -> bool:
    """Tell whether characters of a message belong to sentences, all of which state something.

    What a sentence only repeats, such as code or somebody else's words, is blank in it.
    """
    around = [one for one in said.sentences if one.offset < end and start < _end(one)]
    if not around or start < around[0].offset or _end(around[-1]) < end:
        return False
    for one in around:
        first, last = max(start, one.offset), min(end, _end(one))
        shown = one.text[first - one.offset : last - one.offset]
        if one.mood is not Mood.STATED or shown != said.text[first:last]:
            return False
    return True


def _is_denied(start: int, end: int, said: Said) -> bool:
    """Tell whether the rest of the clause in which a quotation begins or ends denies it."""
    clauses = [clause for sentence in said.sentences for clause in sentence.clauses]
    first = next((one.offset for one in reversed(clauses) if one.offset <= start), start)
    last = next((one for one in reversed(clauses) if one.offset < end), None)
    stop = max(end, last.offset + len(last.text)) if last else end
    return is_denied(said.text[first:start], said.text[end:stop])


def _end(sentence: Sentence) -> int:
    return sentence.offset + len(sentence.text)
