"""Things of a kind that somebody names in a row: two allergies, three languages, some illnesses.

In: the name of a fact about the user and its words. Out: the words of each thing, so that one of
them can be denied later and the others stand; what is no plain list stays as it is.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.remember.extract.profile_words import ILLS, KIN, PETS, TONGUES, ZH_KIN, ZH_PETS
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_AND: Final = pattern(r"\s*[、/&]\s*|,?\s+(?:and|or|as well as)\s+|\s*(?:[和跟及与]|以及)\s*")
_LAST: Final = pattern(r"\A(?:and|or)\s+", _I)
_LIST_END: Final = pattern(
    r"(?:[\w'’-]+(?: [\w'’-]+){0,3}, ?){0,8}(?:[\w'’-]+(?: [\w'’-]+){0,3},? )?(?:and|or)"
    r" [\w'’-]+(?: [\w'’-]+){0,3}\W*",
    _I,
)
_HEADS: Final = pattern(
    r"\A(?:allergic to|(?:fluent|conversational|native) in|both)\s+|\A对\s*(?=.*过敏)", _I
)
_TAILS: Final = pattern(r"\s*(?:严重|有点|重度|轻度)?过敏\Z")
_ONE_OF: Final = (
    r"(?:\d+|an?|one|two|three|four|five|six|another|my) (?:[\w-]+ ){0,3}?%s"
    r"(?: (?:called|named) \w+)?"
    r"|[\d一二两三四五六几]?\s*[只条个匹位名]?[^，,和]{0,6}?%s[^，,和]{0,6}"
)
_PLAIN: Final[dict[str, re.Pattern[str]]] = {
    "allergy": pattern(
        r"(?!(?:i|my|it|have|carry|has|love|hate|like|want|need|live|work|am|can|do|eat|avoid"
        r"|thanks|please|sorry|so|but|should|must|use|take)\b)[\w'’-]+(?: [\w'’-]+)?",
        _I,
    ),
    "language": pattern(
        rf"(?:[\w-]+ ){{0,3}}{TONGUES}(?: too| as well)?|[\u3400-\u9fff]{{1,6}}[语话文]", _I
    ),
    "family": pattern(_ONE_OF % (KIN, ZH_KIN), _I),
    "pet": pattern(_ONE_OF % (PETS, ZH_PETS), _I),
    "health": pattern(rf"(?:an? |mild |severe |bad |chronic )*{ILLS}|[\u3400-\u9fff]{{2,8}}", _I),
}
"""What each thing of a list must look like."""


def listed(name: str, words: str) -> list[str]:
    """Return each of the things that are named in a row, with what is said of all of them."""
    plain = _PLAIN.get(name)
    if plain is None or not _AND.search(words):
        return [words]
    words = words.strip()
    head, tail = _HEADS.match(words), _TAILS.search(words)
    start, end = head.end() if head else 0, tail.start() if tail else len(words)
    things = _AND.split(words[start:end].rstrip(".!。！ "))
    if not all(map(plain.fullmatch, things)):
        return [words]
    before = "" if head and head[0].lower().startswith("both") else words[:start]
    return [f"{before}{thing}{words[end:]}" for thing in things]


def thing_in(value: str) -> str:
    """Return the thing that a value names, without what is said of it: peanuts, of an allergy."""
    return _TAILS.sub("", _HEADS.sub("", value)) or value


def going_on(name: str, words: str, rest: str) -> list[str]:
    """Return the things that a clause adds to a list: "German, French and Thai" is three clauses.

    Args:
        name: of what the clause before it told.
        words: the clause.
        rest: what the sentence goes on with, from the clause on; its end tells that it is a list.
    """
    plain = _PLAIN.get(name) if name in ("allergy", "language") else None
    if plain is None or not _LIST_END.fullmatch(rest):
        return []
    things = _AND.split(_LAST.sub("", words.rstrip(".!。！ ")))
    head = "allergic to " if name == "allergy" else ""
    return [head + thing for thing in things] if all(map(plain.fullmatch, things)) else []
