"""Which of the ways that an assistant has listed somebody takes: "option 2", 第二个 (C1, C6).

In: what the user says, and the messages before it. Out: the words of the way that is taken, for
its number alone would mean nothing later; empty where none is taken, or nobody knows which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from smartbrain.domain.candidate import Source
from smartbrain.remember.extract.said import Earlier
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 60  # characters of a choice
_NUMBER: Final = r"[1-9]|[a-f]|[一二三四五六七八九]|one|two|three|four|five|six"
_KIND: Final = (
    r"(?:option|choice|plan|approach|alternative|variant|proposal|solution|number|no\.|#)"
)
_KIND_ZH: Final = r"(?:方案|选项|方法|办法|计划|建议|选择|思路)"
_END: Final = (
    r"(?:[\s,，]*(?:then|please|it is|for (?:now|me)|thanks?(?: you)?|sounds? good|is (?:best|fine)"
    r"|looks good|吧|了|好了|就行|就好|可以|来|的|谢谢))*\W*\Z"
)
_BEFORE: Final = (
    r"\A\W*(?:(?:ok(?:ay)?|yes|sure|great|good|好的?|嗯|行|那)[,，\s]*)*"
    r"(?:(?:let['’]?s|i(?:['’]d|['’]ll| would| will)?|we(?:['’]ll| will)?|please|just|我们?|咱们?"
    r"|那|就|还是"
    r"|决定|想)[\s,，]*)*"
    r"(?:(?:go|going|went|stick) (?:with|for)|do|use|take|pick|choose|prefer|like|want|select"
    r"|选择?|用|走|按照?|采用|要|定|来)?\s*"
)
_TAKEN: Final = sign(
    rf"{_BEFORE}(?:(?P<named>(?:the )?{_KIND}\s?(?P<a>{_NUMBER})(?![A-Za-z0-9])"
    rf"|{_KIND_ZH}\s?(?P<b>{_NUMBER})(?![A-Za-z0-9])"
    rf"|第(?P<c>{_NUMBER})[个种条项]{_KIND_ZH})|(?:the )?(?P<d>first|second|third|fourth|fifth)"
    rf"(?: (?:one|{_KIND}))?|第(?P<e>{_NUMBER})[个种条项]?|(?P<f>[1-9]|[A-F]))"
    rf"(?:{_KIND_ZH})?{_END}",
    _I,
)
_PLACES: Final = (
    *(
        ["1", "one", "first", "a", "一"],
        ["2", "two", "second", "b", "二"],
        ["3", "three", "third", "c", "三"],
    ),
    *(
        ["4", "four", "fourth", "d", "四"],
        ["5", "five", "fifth", "e", "五"],
        ["6", "six", "f", "六"],
    ),
    *(["7", "七"], ["8", "八"], ["9", "九"]),
)
_LABEL: Final = (
    rf"(?:{_KIND}|{_KIND_ZH}|第)[ \t]?(?:{_NUMBER})(?![A-Za-z0-9])"
    r"|[（(]?[1-9a-f][)）]|(?-i:[A-F])[.、]"
)
_ITEM: Final = pattern(
    rf"(?:^[ \t]*+(?:[-*•#]++[ \t]*+)?(?:\*\*)?|(?<=[.;:。；：，,?？!！\s])(?={_LABEL}))"
    rf"(?:[（(]?(?:{_KIND}|{_KIND_ZH}|第)?[ \t]?(?P<n>{_NUMBER})(?:[个种条项]{_KIND_ZH}?)?"
    r"(?:\*\*)?[ \t]*[.)、:：）](?!\d)|(?P<circle>[①-⑨]))[ \t]*(?P<what>\S[^\n]*?)"
    rf"(?=$|(?:[.;。；，,?？!！]|(?<!\s)\s)[ \t]*+(?:{_LABEL}))",
    0x02 | 0x08,  # and re.MULTILINE
)
_BOLD: Final = pattern(r"\*\*(?P<head>[^*]{2,80})\*\*")
_HEAD: Final = pattern(r"(?P<head>.{2,80}?)(?:\s+[-–—]+\s|[:：](?!//)|[。；;]|\.\s|\s?[（(]|——)")
_ASKS: Final = pattern(r"[?？]|\b(?:options?|choose|pick|prefer|which)\b|方案|选|哪", _I)


def taken_option(text: str, earlier: Sequence[Earlier]) -> str:
    """Return the words of the listed way that somebody takes; empty if it is not known."""
    found = _TAKEN.match(text) if len(text) <= _LONGEST else None
    if not found:
        return ""
    told = next(filter(None, (found[name] for name in "abcdef"))).lower()
    place = _place(told)
    for before in reversed(earlier):
        if before.source is Source.ASSISTANT:
            ways = _ways(before.text)
            if ways and (found["named"] or _ASKS.search(before.text)):
                return ways[place] if 0 <= place < len(ways) else ""
        if not found["named"] and before.source is Source.ASSISTANT:
            return ""  # a mere number answers what was said last
    return ""


def points_at_option(text: str) -> bool:
    """Tell whether somebody takes something by its number alone."""
    found = _TAKEN.match(text) if len(text) <= _LONGEST else None
    return found is not None and found["named"] is not None


def _ways(message: str) -> list[str]:
    """Return what a message lists under numbers or letters, from the first on."""
    ways: list[str] = []
    for found in _ITEM.finditer(message):
        number = found["n"].lower() if found["n"] else "①②③④⑤⑥⑦⑧⑨".index(found["circle"])
        at = number if isinstance(number, int) else _place(number)
        if at == 0:
            ways = []  # another list
        if at == len(ways):
            ways.append(_named(found["what"]))
    return ways if len(ways) > 1 else []


def _place(number: str) -> int:
    """Return where something stands that is called by its number; -1 if nowhere."""
    return next((at for at, names in enumerate(_PLACES) if number in names), -1)


def _named(what: str) -> str:
    """Return what a way is called, without what is told about it."""
    head = _BOLD.match(what) or _HEAD.match(what)
    return tidy((head["head"] if head else what).replace("*", "").replace("`", ""))
