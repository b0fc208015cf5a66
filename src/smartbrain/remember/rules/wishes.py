"""What the user asks to remember and not to: 记住…, "don't remember this: …" (C1, C4, K12).

In: a sentence, or a message, read. Out: where the words to be remembered stand in it, and whether
the message is off the record: words stand after such a request or before it, or in the next
sentence after one that asks for nothing else; a request alone is about the turn before it.
"Remember to …" is a task, "do you remember …" and "I don't remember …" ask for nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from smartbrain.domain.claim import Source
from smartbrain.remember.rules.said import Said, Sentence
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import STOP_WORDS, word_pattern

_OPENING: Final = pattern(
    rf"\W*{word_pattern(__file__, 'ASKED')}{word_pattern(__file__, 'REMEMBERS')}"
    r"(?: this| it| the following| one thing)?"
    r"(?:\s*[:,\u2014-]\s*(?:that\s+)?|\s+that\s+|\s+)(?P<en>\S)"
    rf"|\W*{word_pattern(__file__, 'ASKED_ZH')}{word_pattern(__file__, 'REMEMBERS_ZH')}"
    r"\s*[，,：:、]?\s*(?P<zh>\S)",
    re.IGNORECASE,
)
_CLOSING: Final = pattern(word_pattern(__file__, "CLOSING"), re.IGNORECASE)
_NO_STATEMENT: Final = pattern(
    r"(?:to|when|how|what|why|who|where|if|whether|the time|me|him|her|them|us|about|\w+ing)\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = pattern(r"(?:i|i'm|im|i've|i'd|my|we|our)\b|[我咱俺]", re.IGNORECASE)
_SUBJECT_END: Final = pattern(
    r"\s(?:is|are|was|were|has|have|can|must|should|will|needs?|costs?|runs?|uses?|lives?|works?"
    r"|'s|'re)\b|['’]s\s|[:：=]|是|在|有|为|叫|会|要|不|只|都|到",
    re.IGNORECASE,
)
_SUBJECT_WORDS: Final = 3
_SUBJECT_LENGTH: Final = 40
_MAX_SENTENCE: Final = 2_000
_MAX_REQUEST_CHARS: Final = 80
_REQUEST: Final = word_pattern(__file__, "REQUEST")
_NOT: Final = pattern(
    r"\b(?:not|n't|dont|never|no need|off the record)\b|n't\b|[别要用必需甭勿]", re.IGNORECASE
)
_ALONE: Final = pattern(rf"\A\W*{_REQUEST}\W*\Z", re.IGNORECASE)
_LEADING: Final = pattern(
    rf"\A\W*(?:{_REQUEST}\s*[:：—–-]+|{word_pattern(__file__, 'OFF_RECORD')}\s*,)\s*(?P<told>.+)",
    re.IGNORECASE,
)
_LAST_CLAUSES: Final = pattern(r"(?<![\s，,；;（(—–-])\s*+[，,；;（(—–-]")
_TRAILING: Final = pattern(
    rf"[，,；;（(—–\s-]*+{word_pattern(__file__, 'SURE_REQUEST')}\W*\Z", re.IGNORECASE
)


def find_declared(sentence: str) -> tuple[int, int] | None:
    """Returns from where to where a sentence says what is to be remembered, if it asks for that."""
    if len(sentence) > _MAX_SENTENCE or sentence.rstrip().endswith(("?", "？")):
        return None
    opening = _OPENING.match(sentence)
    if opening is not None:
        start = opening.start("en" if opening["en"] else "zh")
        return None if _NO_STATEMENT.match(sentence, start) else (start, len(sentence))
    closing = _CLOSING.search(sentence)
    return (0, closing.start()) if closing is not None and closing.start() else None


def subject_of_note(words: str) -> str:
    """Returns what a note is about: what stands before its verb, else its first words."""
    if _FIRST_PERSON.match(words):
        return "user"
    end = _SUBJECT_END.search(words, 1)
    if end is not None:
        subject = words[: end.start()]
    elif words[:1].isascii():
        subject = " ".join(words.split()[:_SUBJECT_WORDS])
    else:
        subject = words[:4]
    kept = [word for word in subject[:_SUBJECT_LENGTH].split() if word.lower() not in STOP_WORDS]
    named = " ".join(kept).strip(" ,.;:!\"'“”‘’，。")
    return named if any(map(str.isalnum, named)) else "user"


def find_off_record_words(sentence: Sentence, said: Said) -> str:
    """Returns the words of a sentence that are not to be remembered; empty if there are none."""
    text = sentence.text.replace("’", "'")
    if _NOT.search(text):
        leading = _LEADING.match(text)
        if leading:
            return sentence.text[leading.start("told") :]
        for comma in _LAST_CLAUSES.finditer(text, max(0, len(text) - _MAX_REQUEST_CHARS)):
            if _TRAILING.match(text, comma.start()):
                return sentence.text[: comma.start()]
    place = bisect_left(said.sentences, sentence.offset, key=lambda one: one.offset)
    follows = place > 0 and is_off_record_request(said.sentences[place - 1].text)
    return sentence.text if follows else ""


def is_off_record_request(text: str) -> bool:
    """Tells whether a sentence asks not to remember something, and says nothing else."""
    straight = text.replace("’", "'")
    is_short = len(text) <= _MAX_REQUEST_CHARS
    return is_short and bool(_NOT.search(straight) and _ALONE.match(straight))


def is_off_record(said: Said) -> bool:
    """Tells whether a message asks that it is not remembered itself."""
    if said.source is not Source.USER or said.pasted:
        return False
    if any(find_off_record_words(sentence, said) for sentence in said.sentences):
        return True
    return len(said.sentences) > 1 and _count_requests(said) > 0


def asks_about_previous(said: Said) -> bool:
    """Tells whether a message only asks not to remember what was said before it."""
    return said.source is Source.USER and 0 < len(said.sentences) == _count_requests(said)


def _count_requests(said: Said) -> int:
    return sum(is_off_record_request(sentence.text) for sentence in said.sentences)
