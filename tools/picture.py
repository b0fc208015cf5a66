"""Write docs/picture.svg: what was said, what is remembered of it, and what a model is shown.

In: a few turns, told to a brain with a fixed clock. Out: the picture, or with `--check` exit code 1
when it is stale. Nothing in it is made up: each line is what the brain returned.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.sax.saxutils import escape

from smartbrain import SmartBrain
from smartbrain.domain.context_text import blocks

ROOT = Path(__file__).resolve().parents[1]
PAGE = "docs/picture.svg"
COMMAND = "python tools/picture.py"
SAID = (
    "I live in Berlin.",
    "We decided to use PostgreSQL.",
    "以后都用中文回答。",
    "I moved to Turin last week.",
)
QUESTION = "Where do I live?"
SYSTEM = "You are a helpful assistant."
LIMIT = 2000

_WIDTH, _GAP, _TOP, _LINE = 320, 34, 74, 19
_LONGEST = 46  # places of a line
_PAPER, _INK, _PALE, _ACCENT = "#ffffff", "#1f2933", "#7b8794", "#2f6f4f"


class Line(NamedTuple):
    """One line of a column; what no longer holds is struck through."""

    text: str
    colour: str = _INK
    is_bold: bool = False
    is_over: bool = False


def tell() -> tuple[list[Line], list[Line], list[Line]]:
    """Tell the turns to a brain, and return the lines of the three columns."""
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)

    def clock() -> datetime:
        return now

    with TemporaryDirectory() as folder, SmartBrain.open(folder, clock=clock) as brain:
        said = []
        for number, text in enumerate(SAID):
            now += timedelta(days=1)
            brain.commit_turn(f"day {number}", [{"role": "user", "content": text}])
            said += [Line(f"{now:%d %B}", _PALE), Line(text), Line("")]
        now += timedelta(days=1)
        context = brain.compose_context("today", QUESTION, {"system": SYSTEM}, token_limit=LIMIT)
        remembered = list(_remembered(brain))
    budget = context.constraints.token_budget
    shown = []
    for block in blocks(context):
        shown.append(Line(block.title, _ACCENT, is_bold=True))
        shown += [Line(_short(line)) for line in block.text.splitlines() if _is_stable(line)]
    shown += [Line(""), Line(f"{budget.used_estimate} of {budget.limit} tokens", _PALE)]
    return said, remembered, shown


def draw(columns: Sequence[tuple[str, list[Line]]]) -> str:
    """Return the columns as a picture."""
    height = _TOP + _LINE * max(len(lines) for _, lines in columns) + 24
    width = len(columns) * (_WIDTH + _GAP) + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" font-family="ui-sans-serif, system-ui, sans-serif"'
        ' font-size="13" role="img" aria-label="What was said, what is remembered, what is shown">',
        f'<rect width="{width}" height="{height}" rx="10" fill="{_PAPER}" stroke="#d5dbe1"/>',
    ]
    for place, (title, lines) in enumerate(columns):
        left = _GAP + place * (_WIDTH + _GAP)
        parts.append(
            f'<text x="{left}" y="38" font-size="16" font-weight="600" fill="{_INK}">'
            f"{escape(title)}</text>"
        )
        parts.append(f'<line x1="{left}" y1="50" x2="{left + _WIDTH}" y2="50" stroke="{_ACCENT}"/>')
        parts += [_text(left, _TOP + row * _LINE, line) for row, line in enumerate(lines)]
        if place:
            parts.append(f'<text x="{left - _GAP}" y="38" font-size="18" fill="{_ACCENT}">→</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write the picture, or check that it is fresh."""
    parser = argparse.ArgumentParser(description="Draw docs/picture.svg.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when stale")
    check: bool = parser.parse_args(arguments).check
    titles = ("What was said", "What is remembered", "What the model is shown")
    text = draw(list(zip(titles, tell(), strict=True)))
    page = root / PAGE
    if not check:
        page.write_text(text, encoding="utf-8")
        return 0
    if page.exists() and page.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PAGE} is stale; run: {COMMAND}", file=sys.stderr)
    return 1


def _remembered(brain: SmartBrain) -> Iterator[Line]:
    """Yield every memory that was made of the turns, with the versions that hold no more."""
    kept = [one for one in brain.memories.list() if one.type not in ("episodes", "entities")]
    for key in dict.fromkeys(one.key for one in kept):
        yield Line(key, _ACCENT, is_bold=True)
        for version in brain.memories.history(key):
            holds = version.status.value == "active"
            yield Line(_short(version.text), _INK if holds else _PALE, is_over=not holds)
            yield Line(f"{version.status.value}, said {version.said_at:%d %B}", _PALE)
        yield Line("")


def _is_stable(line: str) -> bool:
    """Tell whether a line says the same in every run: ids and scores do not."""
    return bool(line.strip()) and "turn:…" not in line and not line.startswith("(mode=")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _text(left: int, top: int, line: Line) -> str:
    weight = ' font-weight="600"' if line.is_bold else ""
    over = ' text-decoration="line-through"' if line.is_over else ""
    return (
        f'<text x="{left}" y="{top}" fill="{line.colour}"{weight}{over}>{escape(line.text)}</text>'
    )


if __name__ == "__main__":
    sys.exit(main())
