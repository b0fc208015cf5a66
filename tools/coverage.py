"""Write docs/coverage.md: where each requirement lives and which tests prove it.

In: docs/spec_ids.toml, the `spec` marks of the tests, the ids that docstrings and comments of the
source name in parentheses. Out: the table, or with `--check` exit code 1 when it is stale.
Not line coverage: a requirement counts as proved when a test of its own says so, one whose mark
names it first, and nothing is listed as open; tests that only touch it do not count.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IDS = "docs/spec_ids.toml"
TABLE = "docs/coverage.md"
COMMAND = "python tools/coverage.py"
NOT_BUILT = "not built"
TOUCHED = "no test of its own"
PROVED = "proved"
OPEN = "open"
MOST_LINKS = 3

_ID = re.compile(r"[MKEWCRJSN]\d{1,2}")
_RANGE = re.compile(r"([MKEWCRJSN])(\d{1,2})[–-]\1(\d{1,2})")
_PARENTHESES = re.compile(r"\(([^()]*)\)")

Use = tuple[int, str]


@dataclass
class Found:
    """Which files name each id, and what could not be read."""

    lives_in: dict[str, set[str]] = field(default_factory=dict)
    proved_by: dict[str, set[str]] = field(default_factory=dict)
    touched_by: dict[str, set[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def load_ids(root: Path) -> dict[str, str]:
    """Return every requirement id with its title, in the order of the file."""
    groups = tomllib.loads((root / IDS).read_text(encoding="utf-8"))
    return {
        name: title
        for group, titles in groups.items()
        if group != OPEN
        for name, title in titles.items()
    }


def load_open(root: Path) -> dict[str, str]:
    """Return what is still open of requirements that have tests."""
    found: dict[str, str] = tomllib.loads((root / IDS).read_text(encoding="utf-8")).get(OPEN, {})
    return found


def ids_in_prose(text: str) -> Iterator[str]:
    """Yield the ids that stand in parentheses as items of a list: `(M4, C5)`, `(R1–R3; note)`."""
    for inside in _PARENTHESES.findall(text):
        for item in re.split(r"[,;]", inside):
            word = item.strip()
            if _ID.fullmatch(word):
                yield word
            elif span := _RANGE.fullmatch(word):
                letter, first, last = span.groups()
                yield from (f"{letter}{number}" for number in range(int(first), int(last) + 1))


def ids_in_source(source: str) -> list[Use]:
    """Return (line, id) of each id in docstrings and comments, never of one in code."""
    uses = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            line = getattr(node, "lineno", 1)
            uses += [(line, name) for name in ids_in_prose(ast.get_docstring(node) or "")]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            uses += [(token.start[0], name) for name in ids_in_prose(token.string)]
    return uses


def marked_ids(source: str, *, own: bool = False) -> list[Use]:
    """Return (line, id) of every `pytest.mark.spec(…)`: on functions, classes, modules, params.

    With `own` only the first id of each: the one that the test is there for.
    """
    uses = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="spec", value=ast.Attribute(attr="mark")), args=arguments
            ):
                named = arguments[:1] if own else arguments
                uses += [(node.lineno, _literal(argument)) for argument in named]
    return uses


def collect(root: Path, known: dict[str, str]) -> Found:
    """Read the source and the tests of a repository."""
    found = Found()
    for path, source in _sources(root / "src"):
        name = path.relative_to(root).as_posix()
        _note(found, known, name, found.lives_in, ids_in_source(source))
    for path, source in _sources(root / "tests"):
        name = path.relative_to(root).as_posix()
        _note(found, known, name, found.touched_by, marked_ids(source))
        _note(found, known, name, found.proved_by, _known(marked_ids(source, own=True), known))
    for name in load_open(root):
        if name not in known:
            found.problems.append(f"{IDS}: {name} is open and no requirement")
    return found


def render(known: dict[str, str], found: Found, still_open: dict[str, str]) -> str:
    """Return the Markdown of the table."""
    states = {name: _state(name, found, still_open) for name in known}
    counts = ", ".join(
        f"{sum(state == kind for state in states.values())} {kind}"
        for kind in (PROVED, OPEN, TOUCHED, NOT_BUILT)
    )
    rows = [
        f"| {name} | {title} | {_told(states[name], still_open.get(name))}"
        f" | {_links(found.lives_in.get(name))} | {_links(found.proved_by.get(name))} |"
        for name, title in known.items()
    ]
    head = [
        "# Coverage of the specification",
        "",
        f"Generated by `{COMMAND}` from [spec_ids.toml](spec_ids.toml), the source and the tests;",
        "do not edit it by hand. A requirement is proved when it has a test of its own, one whose",
        "mark names it first, and nothing of it is listed as open.",
        "",
        f"**{len(known)} requirements: {counts}.**",
        "",
        "| id | title | state | lives in | its own tests |",
        "| --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *rows]) + "\n"


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write the table, or check that it is fresh."""
    parser = argparse.ArgumentParser(description="Generate docs/coverage.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when stale")
    check: bool = parser.parse_args(arguments).check
    known = load_ids(root)
    found = collect(root, known)
    if found.problems:
        print(*found.problems, sep="\n", file=sys.stderr)
        return 1
    table = root / TABLE
    text = render(known, found, load_open(root))
    if check:
        if table.exists() and table.read_text(encoding="utf-8") == text:
            return 0
        print(f"{TABLE} is stale; run: {COMMAND}", file=sys.stderr)
        return 1
    table.write_text(text, encoding="utf-8")
    return 0


def _sources(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, path.read_text(encoding="utf-8")


def _literal(argument: ast.expr) -> str:
    """Return the id that a mark names; anything but a string is spelled out, and then unknown."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    return ast.unparse(argument)


def _note(
    found: Found, known: dict[str, str], path: str, into: dict[str, set[str]], uses: list[Use]
) -> None:
    for line, name in uses:
        if name in known:
            into.setdefault(name, set()).add(path)
        else:
            found.problems.append(f"{path}:{line}: {name} is not in {IDS}")


def _known(uses: list[Use], known: dict[str, str]) -> list[Use]:
    """Return the uses of ids that there are; the others were told of already."""
    return [(line, name) for line, name in uses if name in known]


def _state(name: str, found: Found, still_open: dict[str, str]) -> str:
    """Return whether a requirement is proved, and if not how far it is."""
    if name in found.proved_by:
        return OPEN if name in still_open else PROVED
    if name in still_open:
        return OPEN
    return TOUCHED if name in found.lives_in or name in found.touched_by else NOT_BUILT


def _told(state: str, lacks: str | None) -> str:
    return f"{state}: {lacks}" if lacks and state == OPEN else state


def _links(paths: set[str] | None) -> str:
    """Link the first files by their names, from the folder of the table."""
    shown = sorted(paths or ())
    links = [f"[{_label(path)}](../{path})" for path in shown[:MOST_LINKS]]
    more = len(shown) - len(links)
    return ", ".join([*links, *([f"{more} more"] if more else [])]) or "—"


def _label(path: str) -> str:
    return path.removeprefix("src/smartbrain/").removeprefix("tests/")


if __name__ == "__main__":
    sys.exit(main())
