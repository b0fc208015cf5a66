"""Tell what somebody says from what they only show: code, logs, data, quoted text.

In: a message. Out: the same text, blanks where something is shown, so that every place in it stays
what it was. By the look of lines alone; a name or a command between single backticks is said.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from smartbrain.text.pattern import pattern

FENCE: Final = pattern(
    r"^[ \t]*(```|~~~)[^\n]*(.*?)(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE
)
"""A fenced block: its mark, and what is inside."""

_MACHINE: Final = pattern(
    r"[{}\[\]<]|\"[^\"]*\"\s*:|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[$%] |>>> "
    r"|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|File \"|at [\w.$]+\("
    r"|[\w.]+ = "
)
_CODE_ENDS: Final = (";", "{", "}")
_LONG_RUN: Final = pattern(r"[!-~]{100}")
# The box of a list of things to do, which looks like data.
_BOX: Final = pattern(r"\A(?:[-*+] )?\[[ xX]\] ")
_CODE_MARK: Final = pattern(r"[{}\[\]<>=;|\\\"$@%^&+~()]")
_QUOTED_LINE: Final = pattern(r"^[ \t]*>[^\n]*", re.MULTILINE)
# A quotation as long as a sentence; shorter ones are names and terms. The mark that opens it comes
# first, whichever it is: long texts are scanned for that. It begins with the last mark that opens
# one, so that many such marks are not each looked behind.
_QUOTED: Final = pattern(
    '[“「『"](?:(?<=“)[^“”\n]{9,2000}+”|(?<=「)[^「」\n]{9,2000}+」|(?<=『)[^『』\n]{9,2000}+』'
    r"|(?<=\")(?<![\w\"]\")[^\"\n]{16,2000}+\"(?![\w\"]))"
)
# A shorter one is what somebody says where it speaks of its speaker: "I quit", 「我在家」. Titles
# are in capitals: "I Will Survive". Marks like apostrophes stand between letters as well.
_SAYS: Final = (
    r"(?:\b(?:I(?:['’](?:m|ve|ll|d))?|[Ww]e(?:['’](?:re|ve|ll|d))?|[Mm]y)\s+[a-z]"
    r"|(?:我|咱|俺)(?!的[^是叫在有\s]{0,4}[」』”\"'’]))"
)
_QUOTED_SHORT: Final = pattern(
    rf"[“「『\"'‘](?:(?<=“)(?=[^“”\n]{{0,300}}?{_SAYS})[^“”\n]{{2,300}}+”"
    rf"|(?<=「)(?=[^「」\n]{{0,300}}?{_SAYS})[^「」\n]{{2,300}}+」"
    rf"|(?<=『)(?=[^『』\n]{{0,300}}?{_SAYS})[^『』\n]{{2,300}}+』"
    rf"|(?<=\")(?<![\w\"]\")(?=\S)(?=[^\"\n]{{0,300}}?{_SAYS})"
    r"[^\"\n]{2,300}+(?<=\S)\"(?![A-Za-z\d\"])"
    rf"|(?<=')(?<![\w']')(?=\S)(?=(?:[^'\n]|(?<=\w)'(?=\w)){{0,300}}?{_SAYS})"
    r"(?:[^'\n]|(?<=\w)'(?=\w)){2,300}+(?<=\S)'(?![A-Za-z\d'])"
    rf"|(?<=‘)(?=(?:[^‘’\n]|(?<=\w)’(?=\w)){{0,300}}?{_SAYS})(?:[^‘’\n]|(?<=\w)’(?=\w)){{2,300}}+’)"
)
_MARKED: Final = pattern("[“「『\"'‘]")
_MESSAGE: Final = 4_000  # characters
_NOT_BLANK: Final = pattern(r"\S+(?: +\S+)*+")


def said_only(text: str) -> str:
    """Return a text with blanks in place of code, logs, data and whatever is quoted."""
    return _remembered(text) if len(text) <= _MESSAGE else _said(text)


def _said(text: str) -> str:
    if "```" in text or "~~~" in text:
        text = FENCE.sub(_blanked, text)
    if ">" in text:
        text = _QUOTED_LINE.sub(_blanked, text)
    lines = text.splitlines(keepends=True)
    text = "".join(blanked(line) if is_machine(line) else line for line in lines)
    if not _MARKED.search(text):
        return text
    return _QUOTED_SHORT.sub(_blanked, _QUOTED.sub(_blanked, text))


_remembered: Final = lru_cache(maxsize=8)(_said)  # a message is read once for each who asks


def is_machine(line: str) -> bool:
    """Tell whether a line is code, log or data rather than something said."""
    line = line.strip()
    if "[" in line and (box := _BOX.match(line)):
        line = line[box.end() :]
    return bool(
        _MACHINE.match(line)
        or line.endswith(_CODE_ENDS)
        or (len(line) >= 100 and max(map(len, line.split())) >= 100 and _LONG_RUN.search(line))
        or len(_CODE_MARK.findall(line)) > len(line) / 4
    )


def blanked(text: str) -> str:
    """Return as many blanks, with the line breaks where they were."""
    return _NOT_BLANK.sub(lambda found: " " * len(found[0]), text)


def _blanked(found: re.Match[str]) -> str:
    return blanked(found.group())
