"""Tables: their columns, how many rows they have, the first one.

In: Markdown, what psql or mysql print, columns under capital heads, CSV or TSV. Out: the
shape, and rows that tell of an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip, counted, several
from smartbrain.text.word_list import word_set

_RULE: Final = re.compile(r"[\s:=+|-]+")
_ROWS: Final = re.compile(r"^\((\d+) rows?\)|^(\d+) rows? in set|^(\d+) 行")
_CELL_END: Final = re.compile(r"[|,\t;]")
_BAD: Final = word_set(
    "error failed failure fail critical crashloopbackoff imagepullbackoff errimagepull oomkilled"
    " evicted notready 错误 失败 异常 超时"
)
_EXITED: Final = re.compile(r"exited \([1-9]\d*\)")
# A head in capitals, such as CONTAINER ID, then at least one more behind a gap. Each part can end
# in one place only, so nothing is tried again.
_HEADS: Final = re.compile(r"[A-Z][A-Z0-9()%/_-]*+(?: [A-Z]++)*+ {2,}+[A-Z][A-Z0-9()%/_ -]*+$")
_GAP: Final = re.compile(r" {2,}")
_DELIMITERS: Final = ("\t", ",", ";")
_FEWEST: Final = 3  # lines that make a table of values between delimiters
_TRIED: Final = 20
_LONGEST_QUOTED: Final = 1_000  # characters of a line with quotes that are looked at


def tell_table(seen: Seen) -> Told | None:
    """Return what a table says, or None if it is none."""
    lines = [line for line in seen.lines if line.strip()]
    if len(lines) < _FEWEST:
        return None
    ruled = next((at for at, line in enumerate(lines[:6]) if _is_rule(line)), None)
    if ruled is not None:
        return _drawn(lines, ruled, seen)
    return _aligned(lines, seen) or _delimited(lines, seen)


def _is_rule(line: str) -> bool:
    """Tell whether a line is drawn between a head and its rows, with more than one column."""
    return "--" in line and ("|" in line or "+" in line) and _RULE.fullmatch(line) is not None


def _drawn(lines: Sequence[str], ruled: int, seen: Seen) -> Told | None:
    """Tell a table whose columns stand between bars."""
    above = ruled - 1 if ruled else 1
    header = lines[above]
    rows = [
        line
        for place, line in enumerate(lines)
        if "|" in line and place != above and not _is_rule(line)
    ]
    if "|" not in header:
        return None
    said = [match for line in lines[-3:] if (match := _ROWS.match(line))]
    number = int(next(one for one in said[0].groups() if one)) if said else len(rows)
    names = [cell.strip() for cell in header.strip().strip("|").split("|")]
    return _told(names, rows, number, whole=seen.whole or bool(said))


def _aligned(lines: Sequence[str], seen: Seen) -> Told | None:
    """Tell columns that stand under heads in capitals, as `kubectl get` and `docker ps` print."""
    rows = lines[1:_FEWEST]
    if not _HEADS.match(lines[0]) or not all(_GAP.search(row.strip()) for row in rows):
        return None
    return _told(_GAP.split(lines[0].strip()), lines[1:], len(lines) - 1, whole=seen.whole)


def _delimited(lines: Sequence[str], seen: Seen) -> Told | None:
    """Tell values between commas, tabs or semicolons, as many in each line."""
    for mark in _DELIMITERS:
        cells = [len(_split(line, mark)) for line in lines[:_TRIED]]
        if cells[0] > 1 and len(set(cells)) == 1 and _is_head(_split(lines[0], mark)):
            return _told(_split(lines[0], mark), lines[1:], len(lines) - 1, whole=seen.whole)
    return None


def _is_head(names: Sequence[str]) -> bool:
    """Tell whether cells can be the names of columns: short, no sentence, no number or time."""
    names = [name.strip() for name in names]
    return all(0 < len(name) <= 60 and name[-1] not in ".。{;" for name in names) and not any(
        name[0].isdecimal() for name in names
    )


def _split(line: str, mark: str) -> list[str]:
    """Return the cells of a line; a mark between quotes parts nothing.

    Where a quote is left open, it is the first one: a mark parts if quotes in pairs follow it.
    """
    if '"' not in line:
        return line.split(mark)
    pieces = line[:_LONGEST_QUOTED].split('"')
    cells = [""]
    for following, piece in zip(reversed(range(len(pieces))), pieces, strict=True):
        first, *others = piece.split(mark) if following % 2 == 0 else [piece]
        cells[-1] += first
        cells += others
        cells[-1] += '"' if following else ""
    return cells


def _tells_error(row: str) -> bool:
    """Tell whether a cell of a row says nothing but that something is wrong."""
    cells = (cell.strip().lower() for cell in _CELL_END.split(_GAP.sub("|", row)))
    return any(cell in _BAD or _EXITED.match(cell) for cell in cells)


def _told(names: Sequence[str], rows: Sequence[str], number: int, *, whole: bool) -> Told:
    """Return what is said of columns and rows."""
    bad = [clip(row) for row in rows if _tells_error(row)]
    head = f"table of {counted(number, 'row', whole=whole)}"
    about = [f"{head}, columns: {several(name.strip() for name in names)}"]
    about += [f"first: {clip(rows[0], 160)}"] if rows else []
    about += [f"last: {clip(rows[-1], 160)}"] if len(rows) > 1 else []
    return Told("table", failing=tuple(bad[:3]), about=tuple(about))
