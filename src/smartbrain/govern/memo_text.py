"""The surface memory as text: a heading a section, a line a bullet, both ways (W7).

In: sections, or a text with headings in either language. Out: the text, within a limit if one is
given, or the sections. Nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from smartbrain.domain.governed import MemoSection
from smartbrain.errors import UsageError
from smartbrain.govern.fastmemo import NAMES, read_section
from smartbrain.text.pattern import pattern

_HEADING: Final = pattern(r"\[([^\]]+)\]")
_BULLET: Final = pattern(r"[-*•]\s+(.*)")


def heading(section: MemoSection) -> str:
    """Return the heading of a section, in both languages."""
    return f"[{section.value} · {NAMES[section][0]}]"


def memo_text(memo: Mapping[str, Sequence[str]], max_chars: int | None = None) -> str:
    """Return the sections that have lines as text; over the limit the oldest lines go first.

    Lines go from the section that takes most room, and when each has but one, that one is cut.
    """
    left = {name: list(memo.get(name, ())) for name in MemoSection}
    while max_chars is not None and len(text := _rendered(left)) > max_chars:
        name = max(left, key=lambda one: sum(map(len, left[one])))
        lines = left[name]
        if not lines:
            return text[:max_chars]
        over = len(text) - max_chars
        first = lines.pop(0)
        if not lines and len(first) > over + 1:
            lines.append(f"{first[: len(first) - over - 1]}…")
    return _rendered(left)


def read_memo_text(text: str) -> dict[str, list[str]]:
    """Read the text form back.

    Raises:
        UsageError: a line is neither a heading nor a bullet of a section; it names the line.
    """
    sections: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        found = _HEADING.fullmatch(line)
        bullet = _BULLET.fullmatch(line)
        if found:
            try:
                section = read_section(found[1].split("·")[0])
            except UsageError as error:
                raise UsageError(f"line {number}: {error.message}") from None
            if section in sections:
                raise UsageError(f"line {number}: section {section} is there twice; join them")
            lines = sections.setdefault(section.value, [])
        elif bullet and lines is not None:
            lines.append(bullet[1])
        elif line:
            raise UsageError(
                f"line {number}: neither a [section] nor a `- line` of one: {line:.40}"
            )
    return sections


def _rendered(sections: Mapping[MemoSection, Sequence[str]]) -> str:
    parts = [
        "\n".join([heading(section), *(f"- {line}" for line in lines)])
        for section, lines in sections.items()
        if lines
    ]
    return "\n".join(parts)
