"""FastMemo, the surface memory of a tenant: five sections of short lines, always at hand (W7).

In: lines to keep, inside a transaction. Out: the sections as they are now. A section that is full
is due for compaction, which makes one line of each; a compaction that is not well-formed changes
nothing, so it stays due. The text form is in `govern.memo_text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.governed import MemoSection
from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.kept import Bullet, Memo
from smartbrain.errors import UsageError
from smartbrain.govern.given import read_line
from smartbrain.govern.trail import SYSTEM, Act, Place, Sheet, put_entries, read_sheet
from smartbrain.text.pattern import pattern
from smartbrain.text.prose import is_machine

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_state import FastMemoRules
    from smartbrain.ports.truth import Transaction

FASTMEMO: Final = Place("fastmemo")
COMPACT: Final = "fastmemo.compact"
NAMES: Final[Mapping[MemoSection, tuple[str, ...]]] = {
    MemoSection.SELF: ("自我感知", "自我", "自己", "me", "assistant", "self awareness"),
    MemoSection.USER: ("用户感知", "用户", "human", "user awareness"),
    MemoSection.ENVIRONMENT: ("环境感知", "环境", "env", "environment awareness"),
    MemoSection.HISTORY: ("历史感知", "历史", "past", "history awareness"),
    MemoSection.DYNAMIC: (
        "动态context池",
        "动态上下文池",
        "动态池",
        "动态",
        "dynamic context pool",
        "dynamic context",
        "context pool",
        "pool",
    ),
}
"""The other names of each section; the first is the one that is shown beside its own."""
_JOINTS: Final = pattern(r"[\s_-]+")
_BY_NAME: Final = {
    _JOINTS.sub("", name): section
    for section, names in NAMES.items()
    for name in (section.value, *names)
}
_SHARE: Final = 6  # a line may have this part of the whole text: five sections and their headings
_WALL: Final = 3  # lines of code, logs or data from which a text is no remark
_CODE: Final = pattern(
    r"(?: {4}|\t)\s*[a-zA-Z_]"
    r"|\s*(?:import \w|from [\w.]+ import\b|def \w+\(|class \w+[(:{]|return\b"
    r"|(?:const|let|var) \w+ ?=|function\b.*\(|\w+ = \S|\w+\(.*\);?$|#include\b|package \w+;?$)"
)
_ENDS: Final = "。.;；,， "
_HAN: Final = pattern(r"[\u4e00-\u9fff]")
Given = Mapping[str, Any]


def read_section(value: object) -> MemoSection:
    """Return the section that a name means, in either language.

    Raises:
        UsageError: none is called so.
    """
    name = _JOINTS.sub("", value).casefold() if isinstance(value, str) else ""
    if name in _BY_NAME:
        return _BY_NAME[name]
    near = did_you_mean(name, _BY_NAME)
    raise UsageError(f"section is {shown(value)}{near}; it must be one of {', '.join(MemoSection)}")


def read_bullet(value: object, rules: FastMemoRules) -> str:
    """Return a remark as one line; code and the output of tools are none.

    Raises:
        UsageError: it is no remark, or too long for one.
    """
    if isinstance(value, str):
        lines = [line for line in value.splitlines() if line.strip()]
        machine = sum(is_machine(line) or bool(_CODE.match(line)) for line in lines)
        if "```" in value or "~~~" in value or (machine >= _WALL and machine * 2 > len(lines)):
            raise UsageError(
                "text is code or the output of a tool; keep it as an artifact and say in one line"
                " what it shows"
            )
    return read_line(value, "text", longest_bullet(rules))


def longest_bullet(rules: FastMemoRules) -> int:
    """Return the most characters of a line, so that one of each section has room."""
    return rules.max_chars // _SHARE


def add_bullet(given: Given, rows: Transaction, act: Act, rules: Rules) -> Memo:
    """Keep a line; in a section that is full, all are compacted first.

    Raises:
        UsageError: there is no such section, or the text is no remark.
    """
    section = read_section(given["section"])
    text = read_bullet(given["text"], rules.fastmemo)
    return add_bullets(section, [text], act, rows=rows, rules=rules.fastmemo)


def add_bullets(
    section: MemoSection,
    texts: Iterable[str],
    act: Act,
    *,
    rows: Transaction,
    rules: FastMemoRules,
) -> Memo:
    """Keep lines that were read; what a section says already is not repeated."""
    sheet = read_sheet(FASTMEMO, rows=rows)
    for text in texts:
        said = sections_of(sheet)[section]
        if text in said:
            continue
        if len(said) >= rules.max_bullets:
            full = Act(act.at, SYSTEM, COMPACT, f"section {section} was full")
            sheet = _compacted(sheet, None, full, rows=rows, rules=rules)
        bullet = Bullet(section=section, text=text, at=act.at)
        sheet = put_entries(FASTMEMO, sheet, [*sheet.entries, bullet], act, rows=rows)
    return memo_of(sheet, rules)


def compact_memo(given: Given, rows: Transaction, act: Act, rules: Rules) -> Memo:
    """Make one line of each section, by rule or as it is given.

    Raises:
        UsageError: what is given is not one line for each section that has any; all stays as it is.
    """
    sheet = read_sheet(FASTMEMO, rows=rows)
    bullets = given.get("bullets")
    return memo_of(_compacted(sheet, bullets, act, rows=rows, rules=rules.fastmemo), rules.fastmemo)


def compact_if_full(at: datetime, *, rows: Transaction, rules: FastMemoRules) -> None:
    """Make one line of each section if one of them is full; for a moment when nobody waits."""
    sheet = read_sheet(FASTMEMO, rows=rows)
    many = len(sheet.entries) >= rules.max_bullets  # all of them, let alone those of one section
    full = memo_of(sheet, rules).pending if many else ()
    if full:
        act = Act(at, SYSTEM, COMPACT, f"section {full[0]} was full")
        _compacted(sheet, None, act, rows=rows, rules=rules)


def replace_memo(given: Given, rows: Transaction, act: Act, rules: Rules) -> Memo:
    """Put other lines into the place of all that are there.

    Raises:
        UsageError: a section is unknown or has too many lines, or a line is none.
    """
    sheet = read_sheet(FASTMEMO, rows=rows)
    before = {(one["section"], one["text"]): one for one in sheet.entries}
    entries: list[Mapping[str, Any] | Bullet] = []
    most = rules.fastmemo.max_bullets
    for name, texts in given["sections"].items():
        section = read_section(name)
        if len(texts) > most:
            raise UsageError(f"section {section} has {len(texts)} lines; {most} is the limit")
        for text in texts:
            line = read_bullet(text, rules.fastmemo)
            new = Bullet(section=section, text=line, at=act.at)
            entries.append(before.get((section.value, line), new))
    return memo_of(put_entries(FASTMEMO, sheet, entries, act, rows=rows), rules.fastmemo)


def sections_of(sheet: Sheet) -> dict[str, tuple[str, ...]]:
    """Return the lines of each section, in the order they are shown."""
    return {
        section.value: tuple(one["text"] for one in sheet.entries if one["section"] == section)
        for section in MemoSection
    }


def memo_of(sheet: Sheet, rules: FastMemoRules) -> Memo:
    """Return the surface memory of a list."""
    sections = sections_of(sheet)
    full = tuple(name for name, lines in sections.items() if len(lines) >= rules.max_bullets)
    return Memo(sections=sections, pending=full)


def _compacted(
    sheet: Sheet, given: Any, act: Act, *, rows: Transaction, rules: FastMemoRules
) -> Sheet:
    """Put one line in the place of each section's lines."""
    sections = {name: lines for name, lines in sections_of(sheet).items() if lines}
    lines = _given_lines(given, sections, rules) if given is not None else None
    entries = []
    for name, texts in sections.items():
        text = lines[name] if lines is not None else one_line(texts, longest_bullet(rules))
        entries.append(Bullet(section=name, text=text, at=act.at))
    return put_entries(FASTMEMO, sheet, entries, act, rows=rows)


def _given_lines(
    given: Any, sections: Mapping[str, Sequence[str]], rules: FastMemoRules
) -> dict[str, str]:
    """Read a compaction that somebody else made."""
    if not isinstance(given, Mapping):
        raise UsageError(f"bullets is {shown(given)}; it must be a dict of sections and lines")
    lines = {read_section(name).value: read_bullet(text, rules) for name, text in given.items()}
    if lines.keys() != sections.keys():
        raise UsageError(
            f"bullets tells of {', '.join(lines) or 'nothing'}; it must have one line for each of"
            f" {', '.join(sections) or 'no section'}"
        )
    return lines


def one_line(texts: Sequence[str], longest: int) -> str:
    """Return one line of several: all if they have room, else the newest, each cut to its share."""
    if len(texts) == 1:
        return texts[0]
    mark = "；" if any(_HAN.search(text) for text in texts) else "; "
    parts = list(dict.fromkeys(text.rstrip(_ENDS) or text for text in texts))
    whole = mark.join(parts)
    if len(whole) <= longest:
        return whole
    share = max(20, longest // min(len(parts), 4) - len(mark))
    kept: list[str] = []
    for part in reversed(parts):
        short = part if len(part) <= share else f"{part[: share - 1].rstrip(_ENDS)}…"
        if len(mark.join([short, *kept])) > longest:
            break
        kept.insert(0, short)
    return mark.join(kept)
