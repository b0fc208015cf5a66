"""What a message gives to be found as it stands: codes, numbers, paths, and words in quotes.

In: a text and the entities in it. Out: codes with their kind, and phrases without their marks. By
form alone. A name that everybody knows, such as YouTube, is no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from smartbrain.text.entity_words import Entity, things
from smartbrain.text.pattern import pattern

HEX: Final = "hex"
UUID: Final = "uuid"
URL: Final = "url"
PATH: Final = "path"
CODE: Final = "code"
ERROR_CODE: Final = "error_code"
LONG_NUMBER: Final = "long_number"

MOST: Final = 12
"""The most codes, and the most phrases, of one message."""
_LONGEST: Final = 200  # characters

_E: Final = "(?![A-Za-z0-9_])"
# What a text must have for a code to be in it: a digit, a mark of code, a capital inside a word.
_HINT: Final = pattern(r"[0-9_`@]|--[a-z]|[a-z][A-Z]|\w\(\)|\w::\w|[a-z]\.[a-z]")
_CODES: Final = pattern(
    # A word in small letters, perhaps with a capital first, is passed over at once.
    r"(?<![A-Za-z0-9_.])(?=[A-Za-z]?+[a-z]*+[A-Z0-9_.:@(`-]|[ 0-9]{2})(?:"
    rf"`(?P<ticked>[^`\n]{{2,80}})`"
    rf"|(?P<uuid>[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}{_E})"
    rf"|(?P<hresult>0[xX][89A-Fa-f][0-9A-Fa-f]{{7}}{_E})"
    rf"|(?P<hex>0[xX][0-9A-Fa-f]{{1,64}}{_E}"
    rf"|(?=[a-f]{{0,63}}[0-9])(?=[0-9]{{0,63}}[a-f])[0-9a-f]{{7,64}}{_E})"
    rf"|(?P<error>CVE-\d{{4}}-\d{{4,7}}{_E}|(?:[EWCFRNS]|TS|CS|KB|ORA|ERR)-?[0-9]{{3,8}}{_E}"
    rf"|[A-Z][A-Za-z]{{1,30}}=-?[0-9]{{1,10}}{_E}"
    rf"|E(?:RR)?_[A-Z0-9_]{{3,60}}{_E}|E(?:ACCES|NOENT|PERM|CONN[A-Z]+|ADDRINUSE|TIMEDOUT){_E})"
    rf"|(?P<model>(?:[A-Z]{{1,6}}-?[0-9]{{3,8}}|[A-Z]{{2,10}}-[0-9]{{1,2}}){_E})"
    rf"|(?P<mail>[\w.+-]{{1,64}}+@[\w-]{{1,60}}(?:\.[A-Za-z]{{2,20}}){{1,3}}{_E})"
    rf"|(?P<version>[vV]\d{{1,4}}(?:\.\d{{1,6}}){{0,3}}(?:-?(?:alpha|beta|rc)\.?\d*)?{_E}"
    rf"|(?<![\w.])\d{{1,4}}(?:\.\d{{1,6}}){{2,3}}(?:-?(?:alpha|beta|rc)\.?\d*)?(?![\w.]*\w))"
    rf"|(?<=version )(?P<said>\d{{1,4}}\.\d{{1,6}}){_E}"
    rf"|(?<=版本)\s?(?P<said_zh>\d{{1,4}}\.\d{{1,6}}){_E}"
    rf"|(?P<number>(?<![\w.,:/-])\d{{6,40}}(?![\w:/-]|[.,]\d)|\d{{1,3}}(?:,\d{{3}}){{2,6}}{_E})"
    rf"|(?P<flag>(?<![\w-])--[a-z][a-z0-9-]{{1,40}})"
    rf"|(?P<name>(?:_*[A-Za-z][A-Za-z0-9]{{0,60}}(?:_+[A-Za-z0-9]{{1,60}})+"
    rf"|[A-Za-z_]\w{{0,60}}+(?:(?:\.|::)[A-Za-z_]\w{{0,60}}+){{0,8}}(?=\(\))"
    rf"|[a-z]{{2,40}}[0-9]{{0,4}}(?:[A-Z][a-z0-9]+)+[A-Z]?|(?:[A-Z][a-z0-9]+){{3,8}}"
    rf"|(?:[A-Z][a-z0-9]*){{1,8}}(?:Error|Exception|Warning|Service|Handler|Factory|Controller)"
    rf"|[A-Za-z_]\w{{0,60}}+(?:::[A-Za-z_]\w{{0,60}}+){{1,8}}"
    rf"|[a-z_]\w{{1,60}}(?:\.[a-z_]\w{{1,60}}){{2,6}}){_E}))",
    re.ASCII,
)
_KINDS: Final = {
    "uuid": UUID,
    "hex": HEX,
    "hresult": ERROR_CODE,
    "error": ERROR_CODE,
    "number": LONG_NUMBER,
}
_AFTER_ERROR: Final = pattern(
    r"(?:\berror(?: code)?|\bstatus(?: code)?|\bexit code|\bcode"
    r"|错误码?|错误代码|状态码|代码|返回码|报错?)"
    r"[ :：=#是]{0,3}(?P<number>-?[0-9]{3,10})(?![\w.])",
    re.IGNORECASE | re.ASCII,
)
_QUOTED: Final = pattern(
    '(?<![A-Za-z0-9"])"(?P<a>[^"\n]{1,200})"(?![A-Za-z0-9"])|“(?P<b>[^“”\n]{1,200})”'
    "|「(?P<c>[^「」\n]{1,200})」|『(?P<d>[^『』\n]{1,200})』|《(?P<e>[^《》\n]{1,200})》"
    "|(?<![A-Za-z0-9'])'(?P<f>[^'\n]{1,80}(?:'[a-z][^'\n]{0,80}){0,2})'(?![A-Za-z0-9'])"
    "|‘(?P<g>[^‘\n]{1,200}?)’(?![A-Za-z0-9])"
)
_MARKS: Final = pattern("[\"“「『《'‘]")
_SEVERAL: Final = pattern(r"\S\s+\S|[\u3400-\u9fff]{2}")
_WORD: Final = pattern(r"\w")


class Code(NamedTuple):
    """Something to be found as it stands; `kind` is one of `recall.raw.trigger.pattern_tokens`."""

    kind: str
    text: str


def find_codes(text: str, entities: Iterable[Entity] = ()) -> list[Code]:
    """Return the codes of a text, each once: addresses and paths among its entities come first."""
    found: dict[str, Code] = {}
    taken = []
    for one in entities:
        if one.structural and ("/" in one.name or "\\" in one.name or one.kind != "repo"):
            address = one.kind == "url" or "://" in one.name or one.name.startswith("git@")
            found.setdefault(one.name, Code(URL if address else PATH, one.name))
            taken.append((one.offset, one.end))
    if _HINT.search(text):
        for match in _CODES.finditer(text):
            group = match.lastgroup or ""
            code = match[group].strip()
            inside = any(start < match.end() and match.start() < end for start, end in taken)
            known = group == "name" and code.lower() in things()  # a name like YouTube is no code
            if code and not inside and not known:
                found.setdefault(code, Code(_KINDS.get(group, CODE), code))
        for match in _AFTER_ERROR.finditer(text):
            found.setdefault(match["number"], Code(ERROR_CODE, match["number"]))
    return [code for code in found.values() if len(code.text) <= _LONGEST][:MOST]


def code_kind(code: str) -> str:
    """Return the kind of a code that stands alone; a plain word or a short number is `code`."""
    if "://" in code:
        return URL
    match = _CODES.match(code)
    if match and match.end() == len(code):
        return _KINDS.get(match.lastgroup or "", CODE)
    return PATH if "/" in code or "\\" in code else CODE


def find_phrases(text: str) -> tuple[str, ...]:
    """Return what stands in quotation marks; in single ones only where it is several words."""
    if not _MARKS.search(text):
        return ()
    found: dict[str, None] = {}
    for match in _QUOTED.finditer(text):
        group = match.lastgroup or ""
        phrase = match[group].strip()
        if _WORD.search(phrase) and (group not in "fg" or _SEVERAL.search(phrase)):
            found.setdefault(phrase)
    return tuple(found)[:MOST]
