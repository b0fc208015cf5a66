"""What a message says about how it wants to be answered: its intent, its scope, its flags.

In: a message, its traditional characters read as simplified ones. Out: an `Intent`, the folders
and sites to stay in, yes or no for each flag of the cues. The words are in `words.txt`, English and
Chinese; what is asked for by a verb comes before what a message is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from smartbrain.domain.recall import Intent
from smartbrain.text.entity_words import Entity
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import word_pattern

MAX_SCOPES: Final = 6
_TRADITIONAL: Final = str.maketrans(
    "個這連結檔倉庫網說過話總繼續錄誰嗎麼為什對較資從來還會議講問給寫們後曾聽聯絡點頁鏈項剛條輪復複訴談幾請",
    "个这连结档仓库网说过话总继续录谁吗么为什对较资从来还会议讲问给写们后曾听联络点页链项刚条轮复复诉谈几请",
)
_LATIN: Final = pattern("[A-Za-z]")


class TwoTongues(NamedTuple):
    """One question to a text, in English and in Chinese words."""

    en: re.Pattern[str]
    zh: re.Pattern[str]

    def found(self, text: str) -> bool:
        """Tell whether either language says it."""
        if _LATIN.search(text) and self.en.search(text):
            return True
        return not text.isascii() and self.zh.search(text) is not None


def listed(module: str, name: str) -> re.Pattern[str]:
    """Return the pattern of a list in the `words.txt` beside a module."""
    return pattern(word_pattern(module, name), re.IGNORECASE)


def listed_in_both(module: str, name: str) -> TwoTongues:
    """Return the patterns of two lists in the `words.txt` beside a module."""
    zh = pattern(word_pattern(module, f"{name}_ZH"))
    return TwoTongues(listed(module, f"{name}_EN"), zh)


ORIGINAL: Final = listed_in_both(__file__, "ORIGINAL")
"""Whether the person asks for the words as they were said."""
ASSISTANT: Final = listed_in_both(__file__, "ASSISTANT")
"""Whether the person asks what the assistant said."""
NEWEST: Final = listed_in_both(__file__, "NEWEST")
"""Whether the person asks for the newest of something, however long ago it was."""
LAST_TURNS: Final = listed_in_both(__file__, "LAST_TURNS")
"""Whether a sentence asks for what was said in the last turns, and not for what that is about."""
HISTORY: Final = listed_in_both(__file__, "HISTORY")
"""Whether the person asks how it was before, or for earlier versions."""
OURS: Final = listed_in_both(__file__, "OURS")
"""Whether somebody speaks of themselves or of whom they talk to."""

_ASKING: Final = listed(__file__, "ASKING")
SOURCES: Final = {
    "zh": listed_in_both(__file__, "SOURCES_ZH"),
    "en": listed_in_both(__file__, "SOURCES_EN"),
}
_INTENTS: Final = tuple(
    (intent, listed_in_both(__file__, intent.name))
    for intent in (Intent.SUMMARIZE, Intent.CONTINUE_TASK, Intent.DEBUG, Intent.RESEARCH)
)
_LONGEST_CHAT: Final = 40  # characters
_CHAT: Final = listed(__file__, "CHAT")
_WORDLESS: Final = listed(__file__, "WORDLESS")
_ASKS: Final = listed_in_both(__file__, "ASKS")

_SCOPE_EN: Final = listed(__file__, "SCOPE_EN")
_SCOPE_ZH: Final = listed(__file__, "SCOPE_ZH")
_SCOPE_AFTER_ZH: Final = listed(__file__, "SCOPE_AFTER_ZH")
_FOLDER: Final = pattern(word_pattern(__file__, "FOLDER"), re.IGNORECASE | re.ASCII)
_FOLDER_HINT: Final = listed(__file__, "FOLDER_HINT")
_OF_SITES: Final = frozenset(("on", "from", "at", "in", "site:", "within"))
_OF_PATHS: Final = frozenset(("in", "under", "within", "inside", "from"))
_NO_FOLDERS: Final = frozenset(
    ("the", "same", "this", "that", "home", "a", "an", "my", "current", "root", "right", "wrong")
)


def simplified(text: str) -> str:
    """Return a text of the same length with simplified characters where words are looked for."""
    return text if text.isascii() else text.translate(_TRADITIONAL)


def without_asking(text: str) -> str:
    """Return a text without the words that only ask, such as what, 什么 and 哪里."""
    return _ASKING.sub(" ", text)


def intent_of(text: str, *, faults: bool = False) -> Intent:
    """Return what a message is after; with `faults` an error code is in it, in any language."""
    stripped = text.strip()
    if not stripped:
        return Intent.OTHER
    if len(stripped) <= _LONGEST_CHAT and (_CHAT.match(stripped) or _WORDLESS.match(stripped)):
        return Intent.CHIT_CHAT
    for intent, words in _INTENTS:
        if (faults and intent is Intent.DEBUG) or words.found(stripped):
            return intent
    return Intent.QA if _ASKS.found(stripped) else Intent.OTHER


def find_scopes(text: str, entities: Iterable[Entity]) -> tuple[str, ...]:
    """Return the folders, files and sites that a text asks to stay in, each once, in its order."""
    found = []
    for one in entities:
        if not one.structural or one.kind not in ("file", "url"):
            continue
        before = text[max(0, one.offset - 32) : one.offset]
        if match := _SCOPE_EN.search(before):
            is_scope = match["word"].lower() in (_OF_SITES if one.kind == "url" else _OF_PATHS)
        else:
            after = _SCOPE_AFTER_ZH.match(text, one.end)
            is_scope = after is not None and ("目录" in after[0] or bool(_SCOPE_ZH.search(before)))
        if is_scope:  # the words around it say that it is where to look
            found.append((one.offset, one.name))
    # A folder that looks like a word is told by what stands beside it.
    if _FOLDER_HINT.search(text):
        for match in _FOLDER.finditer(text):
            name = match[match.lastgroup or 0]
            if name.lower() not in _NO_FOLDERS:
                found.append((match.start(match.lastgroup or 0), name))
    return tuple(dict.fromkeys(name for _, name in sorted(found)))[:MAX_SCOPES]
