"""Tables: their columns, how many rows they have, the first one.

In: Markdown, what psql or mysql print, columns under capital heads, CSV or TSV. Out: the
shape, and rows that tell of an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip, counted, several

_RULE: Final = re.compile(r"[\s:=+|-]+")
_ROWS: Final = re.compile(r"^\((\d+) rows?\)|^(\d+) rows? in set|^(\d+) 行")
_BAD: Final = re.compile(
    r"(?i)(?:^|[|,\t;]\s*)(?:error|failed|failure|fail|critical|crashloopbackoff|imagepullbackoff"
    r"|errimagepull|oomkilled|evicted|notready|exited \([1-9]\d*\)[^|]*"
    r"|错误|失败|异常|超时)\s*(?:$|[|,\t;])"
)
_HEADS: Final = re.compile(r"[A-Z][A-Z0-9()%/_-]*(?: ?[A-Z]+)*(?: {2,}[A-Z][A-Z0-9()%/_ -]*)+$")
_GAP: Final = re.compile(r" {2,}")
_DELIMITERS: Final = ("\t", ",", ";")
_FEWEST: Final = 3  # lines that make a table of values between delimiters
_TRIED: Final = 20


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
    header = lines[ruled - 1] if ruled else lines[1]
    rows = [line for line in lines if "|" in line and line is not header and not _is_rule(line)]
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
    """Return the cells of a line; a mark between quotes parts nothing."""
    if '"' not in line:
        return line.split(mark)
    return re.split(re.escape(mark) + r'(?=(?:[^"]*"[^"]*")*[^"]*$)', line[:1000])


def _told(names: Sequence[str], rows: Sequence[str], number: int, *, whole: bool) -> Told:
    """Return what is said of columns and rows."""
    bad = [clip(row) for row in rows if _BAD.search(_GAP.sub(" | ", row.strip()))]
    head = f"table of {counted(number, 'row', whole=whole)}"
    about = [f"{head}, columns: {several(name.strip() for name in names)}"]
    about += [f"first: {clip(rows[0], 160)}"] if rows else []
    about += [f"last: {clip(rows[-1], 160)}"] if len(rows) > 1 else []
    return Told("table", failing=tuple(bad[:3]), about=tuple(about))
