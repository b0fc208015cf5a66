"""The folders, files and sites that a message asks to stay in.

In: a message and the entities in it. Out: prefixes as they were said. A path or a site is a scope
where a preposition or a word such as 目录 says so; any other mention of one only names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from smartbrain.text.entity_words import Entity
from smartbrain.text.pattern import pattern

MOST: Final = 6
"""The most scopes of one message."""

_I: Final = re.IGNORECASE
_BEFORE_EN: Final = pattern(
    r"(?<![\w-])(?<!based )(?<!working )(?<!depends )(?<!built )(?<!rely )(?<!work )"
    r"(?<!interested )"
    r"(?P<word>in|under|within|inside|on|from|at|site:)"
    r"\s?(?:the |my |our )?(?:file |folder |directory |path |site |website |page )?[`\"'“]?\Z",
    _I,
)
_FOR_SITES: Final = frozenset(("on", "from", "at", "in", "site:", "within"))
_FOR_PATHS: Final = frozenset(("in", "under", "within", "inside", "from"))
_BEFORE_ZH: Final = pattern(r"(?:在|从|去|到|只[看查搜])\s?(?:文件|目录|网站)?\s?[`\"“「]?\Z")
_AFTER_ZH: Final = pattern(
    r"[`\"”」]?\s?(?:这个|那个)?\s?(?:目录|文件夹|文件|路径|网站|站)?(?:里面?|下面?|中(?!文)|内(?!容)|上(?!次|周|个)|之中)"
    r"|[`\"”」]?\s?(?:目录|文件夹)"
)
_FOLDER: Final = pattern(
    r"\b(?:in|under|within|inside|from) (?:the |my |our )?"
    r"[`\"']?(?P<en>[A-Za-z0-9_.][\w./-]{0,80})[`\"']?"
    r" (?:folder|directory|dir)\b"
    r"|(?<![\w./-])(?P<zh>[A-Za-z0-9_.][\w./-]{0,80})\s?[`\"”」]?\s?(?:目录|文件夹)"
    r"|(?:\b(?:in|under|within|inside) |在\s?)(?P<slash>(?:[\w.-]{1,60}/){1,8})(?![\w])",
    _I | re.ASCII,
)
_FOLDER_HINT: Final = pattern("/|目录|文件夹|folder|dir", _I)
_NO_FOLDERS: Final = frozenset(
    ("the", "same", "this", "that", "home", "a", "an", "my", "current", "root", "right", "wrong")
)


def find_scopes(text: str, entities: Iterable[Entity]) -> tuple[str, ...]:
    """Return the prefixes that a text asks to stay in, each once, in its order."""
    found = [
        (one.offset, one.name)
        for one in entities
        if one.structural and one.kind in ("file", "url") and _is_scope(text, one)
    ]
    # A folder that looks like a word is told by what stands beside it.
    if _FOLDER_HINT.search(text):
        for match in _FOLDER.finditer(text):
            name = match[match.lastgroup or 0]
            if name.lower() not in _NO_FOLDERS:
                found.append((match.start(match.lastgroup or 0), name))
    return tuple(dict.fromkeys(name for _, name in sorted(found)))[:MOST]


def _is_scope(text: str, entity: Entity) -> bool:
    """Tell whether the words around a path or a site say that it is where to look."""
    before = text[max(0, entity.offset - 32) : entity.offset]
    match = _BEFORE_EN.search(before)
    if match:
        return match["word"].lower() in (_FOR_SITES if entity.kind == "url" else _FOR_PATHS)
    after = _AFTER_ZH.match(text, entity.end)
    return after is not None and ("目录" in after[0] or bool(_BEFORE_ZH.search(before)))
