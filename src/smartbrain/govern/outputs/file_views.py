"""Parts of a file as editors of agents show them: which file, which lines, what the editor says.

In: numbered lines, in most cases under a line that names the file. Out: refusals of the editor
first, then the file and the lines shown.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from smartbrain.govern.outputs.complaints import surely
from smartbrain.govern.outputs.seen import Seen, Told, clip

_FILE: Final = re.compile(
    r"^\[File: (.+?) \((\d+) lines total\)\]|^Here's the result of .*\bon (\S+)"
)
_NUMBERED: Final = re.compile(r"^\s*(\d+)(?:[:|\t→]|  )(.*)$")
_CURSOR: Final = re.compile(r"^(?:<<<<<|\(\d+ more lines|-{5,}$|ERRORS:$|\[File: )")
_SHARE: Final = 0.6


def tell_file_view(seen: Seen) -> Told | None:
    """Return what a view of a file says, or None if it is none."""
    named = next((match for line in seen.lines[:40] if (match := _FILE.match(line))), None)
    lines = [line for line in seen.lines if line.strip()]
    numbered = [match for line in lines if (match := _NUMBERED.match(line))]
    if named is None and (len(numbered) < 3 or len(numbered) < _SHARE * len(lines)):
        return None
    numbers = [int(match[1]) for match in numbered]
    if named is None and any(b != a + 1 for a, b in pairwise(numbers)):
        return None
    said = [line for line in lines if not _NUMBERED.match(line) and not _CURSOR.match(line)]
    failing = [clip(line) for line in said if surely(line)]
    if failing:
        failing += [clip(line) for line in said[:1] if line not in failing]
    shown = f"lines {numbers[0]}-{numbers[-1]}" if numbers else "no lines"
    file = (named[1] or named[3]) if named else "a file"
    total = f" of {int(named[2]):,}" if named and named[2] else ""
    about = [f"file view of {file}: {shown}{total}"]
    about += [clip(line) for line in said[:2] if clip(line) not in failing]
    code = [match[2].strip() for match in numbered if len(match[2].strip()) > 3]
    about += [clip(line, 160) for line in code[:2]]
    return Told("file view", failing=tuple(dict.fromkeys(failing))[:3], about=tuple(about))
