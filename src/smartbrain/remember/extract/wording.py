"""Small readings that several finders share: tidy phrases, the project something belongs to.

In: words of a message. Out: words fit for a title, a value or a key. Nothing here decides what is
remembered.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from smartbrain.text.pattern import pattern, sign

GENERAL: Final = "general"
"""The project of what names none."""

_I: Final = 0x02  # re.IGNORECASE
_LATIN: Final = pattern(r"[a-z]+")
_OWN: Final = frozenset(("i", "im", "my", "me", "mine", "we", "day", "way"))  # "tea any day"
_EDGES: Final = " \t\r\n,.;:!?~…-–—*#>，。；：！？、～·"
_OPENING: Final = pattern(
    r"\A(?:(?:and|but|so|also|then|ok|okay|well|oh|please|just|that|to|btw|by the way|fyi|hey)\b"
    r"[,:]?"
    r"|(?:那(?:么|(?![么个些边里件块种位天年时]))|然后|而且|但是|不过|所以|另外|还有|对了|嗯|哦|好的?|请(?![假客柬帖])|就是)[，,:：]?)\s*",
    _I,
)
_PROJECT: Final = sign(
    r"\b(?:[Ff]or|[Ii]n|[Oo]n|[Oo]f|[Tt]o) (?:the |our |my )?"
    r"(?!(?:that|this|an?|the|our|my|new|same|another|each|every|per|any|one|which"
    r"|whole|entire|side|single|first|next|last|other) )"
    r"([A-Z][\w.-]{1,40}|[a-z][\w-]{1,40}) project\b"
    r"|\bproject ([A-Z][\w.-]{1,40})\b"
    r"|(?<![A-Za-z_.-])([A-Za-z][\w.-]{1,40}) ?(?:这个)?项目"
    r"|(?:给|在|对|为|把|的)([\u4e00-\u9fff]{2,8})(?<![个新些的])项目"
    r"|项目[“「\"]?([A-Za-z][\w.-]{1,40})"
)


@lru_cache(maxsize=16)  # several finders ask about one sentence, one after the other
def latin_words(text: str) -> frozenset[str]:
    """Return the words of a text that are written with a to z, in small letters."""
    return frozenset(_LATIN.findall(text.lower()))


def may_be_own(text: str) -> bool:
    """Tell, at little cost, whether a text may speak of its speaker; most of others do not."""
    return not text.isascii() or not latin_words(text).isdisjoint(_OWN)


def tidy(text: str) -> str:
    """Return a phrase in one line, without marks and filler words around it."""
    text = " ".join(text.split()).strip(_EDGES)
    while found := _OPENING.match(text):
        if found.end() == len(text):
            break
        text = text[found.end() :].strip(_EDGES)
    return text


def project_of(text: str) -> str:
    """Return the project that a sentence names, else the general one."""
    found = _PROJECT.search(text)
    return next(filter(None, found.groups()), GENERAL) if found else GENERAL
