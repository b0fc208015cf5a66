"""FastMemo, the surface memory of a tenant: five sections of short lines (W7, R19).

In: lines to keep, inside a transaction. Out: the sections as they are now, also as text. A section
that is full is due for compaction, which makes one line of each. Of a chat that has grown long the
older part is put in a few lines of the dynamic pool, from a line about each turn that is kept with
the count of its tokens. All that is governed is read here too, in four statements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.domain.context import NotebookEntry, PinEntry
from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.memory import Memory
from smartbrain.domain.turn import Role, Turn
from smartbrain.domain.working import Bullet, Compaction, Governed, Memo, MemoSection
from smartbrain.errors import UsageError
from smartbrain.govern.pins import (
    notebook_of,
    notes_of,
    read_line,
    read_plan,
    shown_notes,
    shown_pins,
)
from smartbrain.govern.trail import SYSTEM, Act, Place, Sheet, put_entries, put_state, read_sheet
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import first_sentences, is_machine, said_only
from smartbrain.text.tokens import estimate_tokens
from smartbrain.text.word_list import stored_meanings

if TYPE_CHECKING:
    from smartbrain.domain.policy import FastMemoRules, Rules
    from smartbrain.ports.truth import Transaction


FASTMEMO: Final = Place("fastmemo")
COMPACT: Final = "fastmemo.compact"
_NAMES: Final = stored_meanings(__file__, "_NAMES")
_JOINTS: Final = pattern(r"[\s_-]+")
_BY_NAME: Final = {
    _JOINTS.sub("", name): MemoSection(section)
    for name, section in (*_NAMES.items(), *((one, one) for one in MemoSection))
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
    """Return the section that a name means, in either language."""
    name = _JOINTS.sub("", value).casefold() if isinstance(value, str) else ""
    if name in _BY_NAME:
        return _BY_NAME[name]
    near = did_you_mean(name, _BY_NAME)
    raise UsageError(f"section is {shown(value)}{near}; it must be one of {', '.join(MemoSection)}")


def read_bullet(value: object, rules: FastMemoRules) -> str:
    """Return a remark as one line; code and the output of tools are none."""
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
    """Keep a line; in a section that is full, all are compacted first."""
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
    """Make one line of each section, by rule or as it is given."""
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
    """Put other lines into the place of all that are there."""
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


_HEADING: Final = pattern(r"\[([^\]]+)\]")
_BULLET: Final = pattern(r"[-*•]\s+(.*)")


def heading(section: MemoSection) -> str:
    """Return the heading of a section, in both languages."""
    shown = next(name for name, meant in _NAMES.items() if meant == section)
    return f"[{section.value} · {shown}]"


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
    """Read the text form back."""
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


def governed(
    session_id: str,
    *,
    rows: Transaction,
    now: datetime,
    rules: Rules,
    told: Collection[str] | None = None,
) -> Governed:
    """Return what a session may be shown, each list within its limit.

    With `told`, the tool runs that a context tells anyway, only the notes that it shows beside
    them are returned.
    """
    pins, lapsed = shown_pins(session_id, rows=rows, now=now)
    sheet = read_sheet(notebook_of(session_id), rows=rows)
    named = [replace(one, id=str(number)) for number, one in enumerate(lapsed, sheet.next)]
    notes = [*notes_of(sheet), *named][-rules.notebook.max_notes :]
    if told is not None:
        notes = shown_notes(notes, told, rules.notebook)
    return Governed(
        pins=tuple(PinEntry.from_dict(one.to_dict()) for one in pins[: rules.pins.max_pins]),
        plan=read_plan(session_id, rows=rows),
        notebook=tuple(
            NotebookEntry(
                id=one.id, at=one.at, text=one.text, source=one.source, milestone=one.milestone
            )
            for one in notes
        ),
        fastmemo=sections_of(read_sheet(FASTMEMO, rows=rows)),
    )


COMPACTION: Final = "compaction"
_CHAT: Final = (Role.USER, Role.ASSISTANT)
_LINE: Final = 80  # characters kept of a turn
_FIRST: Final = 4_000  # characters of a message that mostly have as many
_MOST_TURNS: Final = 24  # that are kept count of one by one
_TOLD: Final = ("decisions", "tasks", "goals")
_KEPT: Final = pattern(r"(?m)^(\d+) (\d+) (.*)$")
"""How a turn is kept: its place, its tokens and a line about it."""
_OUTCOME: Final = "!"
"""How the line of a turn begins that changed a decision, a task or a goal."""
Turns = tuple[tuple[int, int, str], ...]


def read_compaction(session_id: str, *, rows: Transaction) -> Compaction:
    """Return how far a session is from its next compaction, with one statement."""
    found = rows.working.state(f"session:{session_id}", COMPACTION)
    if not found:
        return Compaction()
    body = found[0].body
    kept = _KEPT.findall(body.get("lines", ""))
    turns = tuple([(int(place), int(tokens), line) for place, tokens, line in kept])
    return Compaction(pending=body["pending"], up_to=body["up_to"], turns=turns)


def is_behind(state: Compaction) -> bool:
    """Tell whether all turns that came behind a compaction are counted, and told nowhere else."""
    turns = state.turns
    return len(turns) >= _MOST_TURNS or bool(turns and turns[0][0] == state.up_to + 1)


def count_step(
    step: Turn,
    place: int,
    changed: Iterable[Memory],
    *,
    ended: bool,
    rows: Transaction,
    rules: Rules,
) -> None:
    """Count the chat of a step, and compact what came before if it is time.

    `place` is that of its turn in the session; `ended` is as `Happened` has it.
    """
    said = [one.content for one in step.messages if one.role in _CHAT and one.content]
    state = read_compaction(step.session_id, rows=rows)
    if not said and not state.pending:
        return
    limits = rules.policies.composition
    turns = _counted(state, place, sum(map(estimate_tokens, said)), _line(step, changed))
    pending = sum(turn[1] for turn in turns) >= limits.ctx_recent_max_tokens
    up_to = state.up_to
    older = turns[: -limits.keep_rounds]
    if pending and ended and older:
        act = Act(
            step.created_at,
            SYSTEM,
            "chat.compact",
            f"turns {state.up_to + 1} to {older[-1][0]} of session {step.session_id}",
        )
        texts = _bullets(state.up_to + 1, older, longest_bullet(rules.fastmemo))
        add_bullets(MemoSection.DYNAMIC, texts, act, rows=rows, rules=rules.fastmemo)
        pending, up_to, turns = False, older[-1][0], turns[len(older) :]
    if ended:
        compact_if_full(step.created_at, rows=rows, rules=rules.fastmemo)
    if (pending, up_to, turns) != (state.pending, state.up_to, state.turns):
        _put(step, Compaction(pending=pending, up_to=up_to, turns=turns), rows=rows)


def _put(step: Turn, state: Compaction, *, rows: Transaction) -> None:
    lines = "\n".join(f"{place} {size} {line}" for place, size, line in state.turns)
    body = {"pending": state.pending, "up_to": state.up_to, "lines": lines}
    owner = f"session:{step.session_id}"
    put_state(owner, COMPACTION, COMPACTION, body, step.created_at, rows=rows)


def _counted(state: Compaction, place: int, tokens: int, line: str) -> Turns:
    """Return the turns with what a step said added to the count of its own."""
    if place <= state.up_to:
        return state.turns  # a late step of a turn that is compacted already
    known = {turn[0]: turn for turn in state.turns}
    _, before, said = known.get(place, (place, 0, ""))
    better = line if line.startswith(_OUTCOME) and not said.startswith(_OUTCOME) else said
    known[place] = (place, before + tokens, better or line)
    turns = list(known.values())
    if len(turns) > _MOST_TURNS:  # of many short turns the oldest two share a line
        one, two = turns[:2]
        turns[:2] = [(two[0], one[1] + two[1], one[2] or two[2])]
    return tuple(turns)


def _line(step: Turn, changed: Iterable[Memory]) -> str:
    """Return a line about a step: what it decided or did, else how the user began it."""
    for one in changed:
        if one.type in _TOLD and one.source_turn_id == step.id:
            return f"{_OUTCOME}{_short(one.text)}"
    said = next((one for one in step.messages if one.role is Role.USER and one.content), None)
    return "" if said is None else _short(_begun(said.content))


def _begun(text: str) -> str:
    end = text.find("\n", _FIRST) + 1
    begun = said_only(text[:end])
    return begun if len(" ".join(begun.split())) > _LINE else said_only(text)


def _short(text: str) -> str:
    return first_sentences(" ".join(text.split()), _LINE)


def _bullets(first: int, turns: Sequence[tuple[int, int, str]], longest: int) -> list[str]:
    """Return at most two lines: what came of the turns, and what they were about."""
    last = turns[-1][0]
    lines = list(dict.fromkeys(turn[2] for turn in turns if turn[2]))
    zh = any(_HAN.search(line) for line in lines)
    span = f"第 {first}–{last} 轮" if zh else f"turns {first}–{last}"
    outcome = [line[1:] for line in lines if line.startswith(_OUTCOME)]
    talk = [line for line in lines if not line.startswith(_OUTCOME)]
    names = ("结果", "谈到") if zh else ("outcome", "about")
    return [
        _joined(f"{span}{name}" if zh else f"{span}, {name}", parts, longest, "：" if zh else ": ")
        for name, parts in zip(names, (outcome, talk), strict=True)
        if parts
    ]


def _joined(begin: str, parts: Sequence[str], longest: int, colon: str) -> str:
    """Return the first and the last of some parts that have room in a line."""
    line = f"{begin}{colon}{' / '.join(parts)}"
    kept = list(parts)
    while len(line) > longest and len(kept) > 2:
        kept.pop(len(kept) // 2)
        half = (len(kept) + 1) // 2
        line = f"{begin}{colon}{' / '.join([*kept[:half], '…', *kept[half:]])}"
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
