"""Token estimates of walls: what is no prose and no code, against the real tokenizer (R16).

In: seeded walls of marks, blanks, digits, keys, tables, drawings and emoji, alone and mixed. Out:
with its margin the estimate is never below what o200k counts. Skipped where splintr is not there.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from functools import cache
from string import ascii_lowercase, ascii_uppercase, printable
from typing import Final

import pytest

from smartbrain.adapters.splintr_counter import SplintrCounter
from smartbrain.text.tokens import estimate_tokens

Wall = Callable[[random.Random], str]
MARKS: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
REGEX: Final = ("[a-z]+", "(?:", r"\d{2,4}", r"\s*", "|", "^", "$", ".*?", ")", "(?=", '[^"]')
SCRIPT: Final = (
    *("function {0}({1}){{", "return {0}.{1}(", "if({0}&&!{1})", "var {0}={1}||{{}};"),
    *("}}else{{", "{0}[{1}]=", "}})();", "{0}?{1}:", '"use strict";', "!function({0}){{"),
)
SQL: Final = ("SELECT", "t1.c", "=", "0", "AND", "(", "x", "IN", "NULL", ")", "'a'", "<>", "||")
LATEX: Final = (r"\frac{a}{b}", r"\sum_{i=0}^{n}", r"\alpha", "_{ij}", "^{2}", r"\left(", "&=", "$")
FAMILIES: Final = ("👩‍💻", "👨‍👩‍👧", "🏳️‍🌈", "👍🏽", "🧑🏿‍🚀", "🇨🇳", "❤️", "1️⃣", "👩‍❤️‍💋‍👨")


def of(signs: str, count: int = 600) -> Wall:
    """Return a wall of random signs."""
    return lambda by: "".join(by.choices(signs, k=count))


def parts(pieces: tuple[str, ...], between: str = "", count: int = 150) -> Wall:
    """Return a wall of random pieces."""
    return lambda by: between.join(by.choices(pieces, k=count))


def rows(line: Wall, count: int = 40, between: str = "\n") -> Wall:
    """Return many lines of a kind."""
    return lambda by: between.join(line(by) for _ in range(count))


def word(by: random.Random) -> str:
    """Return a short name of a column or a variable."""
    return by.choice(("id", "name", "x", "total", "ok", "用户", "user_id", "at", "v"))


def cell(by: random.Random) -> str:
    """Return what stands in a table."""
    number = f"{by.random() * 100:.{by.randint(0, 3)}f}"
    return by.choice((number, str(by.randint(0, 99_999)), word(by), "", "Y", '"a b"', "2025-03-18"))


def script(by: random.Random) -> str:
    """Return a script without blanks and with names of one letter."""
    names = [by.choice(ascii_lowercase) for _ in range(20)]
    return "".join(by.choice(SCRIPT).format(by.choice(names), by.choice(names)) for _ in range(120))


def data(by: random.Random) -> str:
    """Return JSON without blanks."""
    found = [{"id": by.randint(0, 9999), "v": [by.random(), None, True]} for _ in range(15)]
    return json.dumps(found, separators=(",", ":"))


WALLS: Final[dict[str, Wall]] = {
    "marks": of(MARKS),
    "marks of patterns": of("!?.,;:#$%^&*()_+-=[]{}|<>~`/\\"),
    "marks of a tiny language": of("+-<>[].,"),
    "runs of marks": rows(lambda by: by.choice(MARKS) * by.randint(1, 8), 150, ""),
    "marks in groups": rows(lambda by: of(MARKS, by.randint(1, 6))(by), 150, " "),
    "patterns": parts(REGEX),
    "anything printable": of(printable),
    "blanks and tabs by turns": rows(lambda by: " \t" * by.randint(1, 9) + "|"),
    "blanks and tabs": rows(lambda by: of(" \t", by.randint(1, 20))(by) + "x"),
    "blank lines": rows(lambda by: of(" \t", by.randint(0, 30))(by)),
    "line ends": parts(("\n", "\r\n", "\r", " ", "\t", "\n\n"), count=300),
    "indented": rows(lambda by: " " * by.randint(0, 24) + by.choice(("}", "end", "x = 1"))),
    "tabs": rows(lambda by: "\t" * by.randint(0, 9) + by.choice(("}", "end", "x = 1"))),
    "digits": of("0123456789"),
    "amounts": rows(lambda by: f"{by.randint(10**11, 10**12)}  {by.random() * 1e6:.2f}"),
    "short numbers": rows(lambda by: str(by.randint(0, 99)), 200, " "),
    "hex": of("0123456789abcdef"),
    "hex in capitals": of("0123456789ABCDEF"),
    "hex dump": rows(lambda by: f"{by.getrandbits(32):08x}: {by.getrandbits(64):016x}"),
    "escapes": rows(lambda by: f"\\x{by.getrandbits(8):02x}", 150, ""),
    "addresses": rows(lambda by: f"%{by.getrandbits(8):02X}", 150, ""),
    "base64": lambda by: base64.b64encode(by.randbytes(500)).decode(),
    "base32": lambda by: base64.b32encode(by.randbytes(400)).decode(),
    "base85": lambda by: base64.b85encode(by.randbytes(500)).decode(),
    "capitals": of(ascii_uppercase),
    "letters": of(ascii_lowercase),
    "genes": of("ACGT"),
    "minified script": script,
    "dense data": data,
    "csv": rows(lambda by: ",".join(cell(by) for _ in range(6))),
    "tsv": rows(lambda by: "\t".join(cell(by) for _ in range(6))),
    "markdown table": rows(lambda by: f"| {' | '.join(cell(by) for _ in range(5))} |"),
    "ruled table": rows(lambda by: f"| {cell(by):12} | {by.randint(0, 9999):5} |"),
    "sql": parts(SQL, " "),
    "latex": parts(LATEX),
    "markup": parts(("<a>", "</a>", '<b c="1"/>', "<x:y>", "&amp;", "&#39;", "<br>")),
    "box drawing": rows(of("─│┌┐└┘├┤┬┴┼═║╔╗╚╝", 30), 20),
    "a tree": rows(lambda by: "│   " * by.randint(0, 4) + by.choice(("├── a.py", "└── 图片"))),
    "bars": rows(lambda by: "█" * by.randint(1, 30) + "░" * by.randint(0, 9), 20),
    "letters of a drawing": rows(of(" /\\_|-.()o ", 40), 20),
    "spinners": of("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⣾⣽⣻⢿", 200),
    "chinese marks": of("，。！？；：、（）《》“”‘’…—【】「」『』·～"),
    "runs of chinese marks": rows(lambda by: by.choice("，。！？…—") * by.randint(1, 6), 150, ""),
    "full-width": lambda by: "".join(chr(by.randint(0xFF01, 0xFF5E)) for _ in range(300)),
    "chinese with marks": parts(("记忆", "，", "(", '"', "预算", "/", ": ", "1", "“", "x", "】")),
    "chinese with digits": rows(
        lambda by: f"{by.choice('一二三年月日')}{by.randint(0, 99)}", 150, ""
    ),
    "emoji": of("😀😂🥰👍🎉🔥🚀✅🦊🐙🥑🪐🧿🫠🏳🧑👩", 200),
    "families of emoji": parts(FAMILIES, count=100),
    "formulas": of("∀∃∈∉∑∏∫√∞≤≥≠≈⊂⊃∪∩αβγδλμσφωΔΩ→←⇒⇔ℝℕ", 300),
    "odd blanks": of("\u00a0\u200b\u3000\u2003\ufeff ", 200),
}
PROSE: Final = (
    "The harbour was quiet that morning, and nobody could say when the storm would arrive. ",
    "清晨的港口十分安静，没有人说得清暴风雨什么时候会到，但旧码头必须在入冬之前修好。",
    "def merge(left, right):\n    return sorted([*left, *right], key=lambda one: one.at)\n",
    "我们用 FastAPI 0.115 写了一个接口；请把 `token_limit` 改成 8192，然后运行 pytest -k budget。",
)


# The same sign again and again is a few tokens, which takes a vocabulary to know.
DEAR: Final = ("bars", "runs of chinese marks")


@cache
def exactly() -> SplintrCounter:
    """Return the real tokenizer."""
    pytest.importorskip("splintr")
    return SplintrCounter("o200k_base")


@pytest.mark.spec("R16")
@pytest.mark.parametrize("kind", WALLS)
def test_no_wall_takes_more_than_its_estimate(kind: str) -> None:
    """Whatever fills it, and it is not priced without measure either."""
    for seed in range(3):
        wall = WALLS[kind](random.Random(seed))
        true = exactly().count(wall)
        assert true <= estimate_tokens(wall), (seed, wall[:80])
        assert kind in DEAR or estimate_tokens(wall) <= 2.1 * true + 8, (seed, wall[:80])


@pytest.mark.spec("R16")
@pytest.mark.parametrize("seed", range(30))
def test_no_mixture_takes_more_than_its_estimate(seed: int) -> None:
    """Stretches of walls, of prose and of code, in any order."""
    by = random.Random(seed)
    pieces = []
    for _ in range(by.randint(3, 12)):
        wall = WALLS[by.choice(sorted(WALLS))](by)
        start = by.randrange(len(wall))
        pieces += [wall[start : start + by.randint(1, 300)], by.choice(PROSE) * by.randint(0, 2)]
    by.shuffle(pieces)
    mixture = by.choice(("", "\n", " ")).join(pieces)
    assert exactly().count(mixture) <= estimate_tokens(mixture)


@pytest.mark.spec("R16")
@pytest.mark.parametrize("text", PROSE)
def test_prose_and_code_are_priced_as_they_are(text: str) -> None:
    """What walls need is no burden on them: within 12 % before the margin."""
    true = exactly().count(text * 20)
    assert true == pytest.approx(estimate_tokens(text * 20, margin=1.0), rel=0.12)
