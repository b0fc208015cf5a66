"""Rules on the shape of one file: sizes, names and the opening docstring.

In: a path relative to the repository and its source. Out: violations as `path:line: message`.
Not style: ruff holds what ruff can hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

LIMITS = {"module_lines": 800, "function_lines": 60, "parameters": 7}
BANNED_WORDS = frozenset({"utils", "helpers", "common", "misc", "manager", "base"})
DOCSTRING_LINES = (2, 8)
# The public verbs take the keywords that the specification gives them (S1).
EXEMPT_FROM_PARAMETERS = {
    ("src/smartbrain/brain/handle.py", "SmartBrain"),
    ("src/smartbrain/brain/reads.py", "Reads"),
    ("src/smartbrain/brain/artifacts.py", "Artifacts"),
}

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Allowed = Mapping[str, Mapping[str, int]]


class Measure(NamedTuple):
    """One measured thing: which limit it is held to, where it stands, and how large it is."""

    limit: str
    where: str
    line: int
    size: int


def measures(path: str, source: str) -> Iterator[Measure]:
    """Measure a module, its functions' lines and their parameters."""
    yield Measure("module_lines", path, 1, len(source.splitlines()))
    for name, owner, node in _functions(ast.parse(source)):
        where = f"{path}::{name}"
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        yield Measure("function_lines", where, node.lineno, lines)
        public_verb = (path, owner) in EXEMPT_FROM_PARAMETERS and not node.name.startswith("_")
        if not public_verb:
            yield Measure("parameters", where, node.lineno, _parameter_count(node, owner))


def size_violations(measured: Iterable[Measure], allowed: Allowed) -> list[str]:
    """Compare measures with the limits; an allowed entry must equal the present size exactly."""
    found: list[str] = []
    unseen = {(limit, where) for limit, entries in allowed.items() for where in entries}
    for limit, where, line, size in measured:
        unseen.discard((limit, where))
        record = allowed.get(limit, {}).get(where)
        place = f"{where.split('::', maxsplit=1)[0]}:{line}: {where.rpartition('::')[2]}"
        if record is None:
            if size > LIMITS[limit]:
                found.append(f"{place} has {size} {limit}; the limit is {LIMITS[limit]}")
        elif size <= LIMITS[limit]:
            found.append(f"{place} is within the limit again; remove its {limit} entry")
        elif size != record:
            found.append(f"{place} has {size} {limit}; its entry says {record}")
    found += [f"{where}:0: the {limit} entry names nothing" for limit, where in sorted(unseen)]
    return found


def name_violations(path: str, source: str) -> list[str]:
    """Find banned words in the names of classes and functions."""
    return [
        f"{path}:{node.lineno}: the name {node.name} contains {word!r}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for word in _banned_in(node.name)
    ]


def path_violations(path: str) -> list[str]:
    """Find banned words in the names of a file and the folders above it."""
    return [
        f"{path}:0: the name {part} contains {word!r}"
        for part in path.split("/")
        for word in _banned_in(part)
    ]


def docstring_violations(path: str, source: str) -> list[str]:
    """Hold the opening docstring to 2–8 lines; a package may do with one. Blank lines are free."""
    text = ast.get_docstring(ast.parse(source)) or ""
    count = sum(1 for line in text.splitlines() if line.strip())
    least, most = DOCSTRING_LINES
    if path.endswith("__init__.py"):
        least = 1
    if least <= count <= most:
        return []
    return [f"{path}:1: the module docstring has {count} lines, not {least} to {most}"]


def _functions(tree: ast.Module) -> Iterator[tuple[str, str, Function]]:
    """Yield (qualified name, owning class or "", node) of every function, nested ones too."""
    waiting: list[tuple[ast.AST, str, str]] = [(tree, "", "")]
    while waiting:
        parent, prefix, owner = waiting.pop()
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + child.name, owner, child
                waiting.append((child, f"{prefix}{child.name}.", ""))
            elif isinstance(child, ast.ClassDef):
                waiting.append((child, f"{prefix}{child.name}.", child.name))
            else:
                waiting.append((child, prefix, owner))


def _parameter_count(node: Function, owner: str) -> int:
    spec = node.args
    named = [*spec.posonlyargs, *spec.args]
    bound = bool(owner and named and named[0].arg in {"self", "cls"})
    stars = sum(star is not None for star in (spec.vararg, spec.kwarg))
    return len(named) - bound + len(spec.kwonlyargs) + stars


def _banned_in(name: str) -> list[str]:
    words = {word.lower() for word in _WORD.findall(name)}
    return sorted(words & BANNED_WORDS)
