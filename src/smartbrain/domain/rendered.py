"""The marks of what contexts show: headings of blocks and lines of evidence (R15, R17, C11).

In: a title, or any text. Out: the heading; the text with everything disarmed that looks like a mark
of ours; the places of it that a context had shown. Whoever renders a context and whoever reads a
turn go by these marks alone, so the two agree on what is an echo of memory.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final, NamedTuple

USER_TITLE: Final = "User message"
"""The title under which the user's own words stand; all other blocks are ours."""
TITLES: Final = {
    "system": "System",
    "developer": "Developer",
    "tools": "Tools",
    "core_profile": "User profile",
    "profile": "User profile",
    "preferences": "Preferences",
    "goals": "Goals",
    "working_memory": "Working memory",
    "budget": "Budget",
    "policies": "Policies",
    "fastmemo": "Surface memory",
    "context_pool": "Past summary",
    "pins": "Pinned facts",
    "plan": "Plan",
    "notebook": "Notebook",
    "working_summary": "Working summary",
    "recent_turns": "Recent turns",
    "evidence": "Evidence",
    "tool_result": "Tool result",
    "user_message": USER_TITLE,
}
"""The titles of slots and of types of blocks, by name; others are made of the name itself."""
_LONGEST_TITLE: Final = 60
_QUOTE: Final = "> "
_OWN_SCHEMES: Final = ("turn", "memory")
_LONGEST_ID: Final = 12  # characters of an id that is shown whole
_ID_END: Final = 6  # of a longer one, whose end is what tells it from others
_LISTS: Final = frozenset(
    ("User profile", "Preferences", "Goals", "Pinned facts", "Plan", "Notebook", "Working summary")
)
_OURS: Final = frozenset(title for title in TITLES.values() if title != USER_TITLE)


def title_of(kind: str) -> str:
    """Return the title of a slot or of a type of blocks."""
    known = TITLES.get(kind)
    if known is not None:
        return known
    words = " ".join(re.sub(r"[\W_]+", " ", kind).split())[:_LONGEST_TITLE].strip()
    return words[:1].upper() + words[1:] or "Notes"


def heading(title: str) -> str:
    """Return the line that opens a block."""
    return f"=== [{title}] ==="


def evidence_line(number: int, title: str, source_uri: str) -> str:
    """Return the line that opens a piece of evidence; it is cited by its number."""
    return f"[E{number}] {title} — {short_source(source_uri)}"


def short_source(uri: str) -> str:
    """Return an address with the end of an id of ours alone: ids are dear, numbers are cited."""
    scheme, _, name = uri.partition(":")
    if scheme not in _OWN_SCHEMES or len(name) <= _LONGEST_ID:
        return uri
    return f"{scheme}:…{name[-_ID_END:]}"


def closing_line(mode: str, score: float) -> str:
    """Return the line that closes a piece of evidence."""
    return f"(mode={mode}, score={score:.2f})"


class _Marks(NamedTuple):
    """How the marks are recognised in a line; blanks and signs may stand around them."""

    any: re.Pattern[str]
    heading: re.Pattern[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    snippet: re.Pattern[str]
    """How the words of a piece of evidence begin: when and by whom they were said."""
    entries: dict[str, re.Pattern[str]]
    """How the entries of a block begin that has nothing else behind an empty line."""
    listed: re.Pattern[str]
    """How the lines of a block begin that is a list."""


@cache
def _marks() -> _Marks:
    """Compile the marks when somebody first needs them."""
    return _Marks(
        # A sign that every mark has, as it is or in disguise; a bracket with an E behind it. All of
        # them in one class, which is sought twice as fast as one or the other.
        re.compile(r"[=＝﹦⁼₌⩵⩶\[［﹇](?:(?<![\[［﹇])|E|[^\x00-\x7f])"),
        re.compile(rf"[^\w=\[>]*={{3,}}\s*\[([^\[\]]{{1,{_LONGEST_TITLE}}})\]\s*={{3,}}\W*\Z"),
        re.compile(r"[^\w\[>]*\[E\d+\]\s.*—\s*\S"),
        re.compile(r"\W*\(mode=\w+, score=-?\d+\.\d\d\)\s*\Z"),
        re.compile(r"\d{4}-\d\d-\d\d(?:, [^\n:]{1,80})?: \S"),
        {
            "Evidence": re.compile(r"[^\w\[>]*\[E\d+\]\s"),
            "Recent turns": re.compile(
                r"  |\[\d{4}-\d\d-\d\d \d\d:\d\d\]"
                r"|(?:user|assistant|system|developer|tool)\b[^:\n]*:"
            ),
            "Tool result": re.compile(r"  |tool [^:\n]+:"),
        },
        re.compile(r"  |[-*] |[A-Z][A-Za-z ]{2,40}:\s*\Z"),
    )


def disarmed(text: str) -> str:
    """Return a text in which no line can be taken for a heading or for evidence: it is quoted."""
    if not _may_hold(text):
        return text
    opens = _marks().heading, _marks().opening, _marks().closing
    lines = text.splitlines(keepends=True)
    for at, line in enumerate(lines):
        plain = _plain(line)
        if any(mark.match(plain) for mark in opens):
            lines[at] = _QUOTE + line.lstrip()
    return "".join(lines)


def _may_hold(text: str) -> bool:
    """Tell whether a text can hold a mark at all, which hardly any does."""
    if not text.isascii():
        if not _marks().any.search(text):
            return False
        text = _plain(text)
    return "===" in text or "[E" in text or "(mode=" in text


def _plain(line: str) -> str:
    """Return a line without the characters that only look like others."""
    return line if line.isascii() else unicodedata.normalize("NFKC", line)


def rendered_spans(text: str) -> list[tuple[int, int]]:
    """Return where a text repeats what a context showed, as (start, end), in order.

    A block lasts from its heading to the next one of a title of ours, or to an empty line behind
    which there is no entry of it, where its form tells that; what stands under the heading of the
    user's message is the user's. Evidence outside of a block lasts to its closing line, or for one
    line and the words below it.
    """
    if not _may_hold(text):
        return []
    marks = _marks()
    lines = text.splitlines(keepends=True)
    ends = _evidence_ends(lines, marks)
    spans: list[tuple[int, int]] = []
    place, block, until = 0, None, -1
    for number, line in enumerate(lines):
        plain = _plain(line)
        found = marks.heading.match(plain)
        title = found.group(1).strip() if found else ""
        if title in _OURS or title == USER_TITLE:
            block = _Block(title, marks) if title in _OURS else None
        elif block is not None and not block.holds(plain):
            block = None
        until = max(until, ends.get(number, -1))
        if title == USER_TITLE or block is not None or number <= until:
            joined = spans and spans[-1][1] == place
            start = spans.pop()[0] if joined else place
            spans.append((start, place + len(line)))
        place += len(line)
    return spans


def repeats_context(text: str) -> bool:
    """Tell whether a text repeats what a context showed, and not only a heading of its own."""
    own = heading(USER_TITLE)
    return any(text[start:end].strip() != own for start, end in rendered_spans(text))


class _Block:
    """A block of a context while its lines are read."""

    def __init__(self, title: str, marks: _Marks) -> None:
        self._marks = marks
        self._entry = marks.entries.get(title)
        self._is_list = title in _LISTS
        self._parted = False

    def holds(self, line: str) -> bool:
        """Tell whether the next line still belongs to it."""
        if not line.strip("\r\n"):
            self._parted = True
            return True
        if self._parted and not self._goes_on(line):
            return False
        self._parted = self._entry is not None and bool(self._marks.closing.match(line))
        self._is_list = self._is_list and bool(self._marks.listed.match(line))
        return True

    def _goes_on(self, line: str) -> bool:
        """Tell whether a line behind an empty one, or behind evidence, is an entry."""
        if self._entry is not None:
            return bool(self._entry.match(line))
        return not self._is_list or bool(self._marks.listed.match(line))


def _evidence_ends(lines: list[str], marks: _Marks) -> dict[int, int]:
    """Return the last line of each piece of evidence by the number of its first."""
    ends: dict[int, int] = {}
    first = None
    for number, line in enumerate(map(_plain, lines)):
        if marks.opening.match(line):
            first = number
            ends[number] = number
        elif marks.heading.match(line):
            first = None
        elif first is not None and marks.closing.match(line):
            ends[first] = number
            first = None
        elif first == number - 1 and marks.snippet.match(line):
            ends[first] = number
    return ends


def own_words(text: str) -> str:
    """Return what a text says itself, without what a context had shown in it."""
    spans = rendered_spans(text)
    if not spans:
        return text
    kept, place = [], 0
    for start, end in spans:
        kept.append(text[place:start])
        place = end
    return "".join([*kept, text[place:]]).strip()


def asked_words(text: str) -> str:
    """Return what the user asks for in a text: all of it, unless a context marked the user's part.

    Marks alone do not make it ours: who pastes a block and asks about it means the block.
    """
    lines = text.splitlines() if _may_hold(text) else ()
    found = (_marks().heading.match(_plain(line)) for line in lines)
    if any(one and one.group(1).strip() == USER_TITLE for one in found):
        return own_words(text) or text
    return text
