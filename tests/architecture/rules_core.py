"""Rules on what code does: no hidden clock or chance, no swallowed errors, only known error codes.

In: a path and its source. Out: violations as `path:line: message`.
Not a data-flow analysis: names are followed through imports, not through variables.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from fnmatch import fnmatchcase

WALL_CLOCK = (
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
    "time.time",
    "time.time_ns",
    "time.localtime",
    "time.gmtime",
    "time.ctime",
)
CHANCE = ("random.*", "numpy.random.*", "uuid.uuid1", "uuid.uuid4", "uuid.getnode")
# Keys and nonces have to be unpredictable, so adapters may take these; the core may not.
SECRETS = ("secrets.*", "os.urandom", "os.getrandom")
BANNED_IN_CORE = (*WALL_CLOCK, "time.*", *CHANCE, *SECRETS)
BANNED_IN_ADAPTERS = (
    *WALL_CLOCK,
    *CHANCE,
    *("time.perf_counter*", "time.process_time*", "time.thread_time*", "time.clock_*"),
)
# Worker, arm and surface edges, where a failure is recorded and the others go on.
BROAD_EXCEPT_PLACES = (
    "src/smartbrain/entrypoints/",
    "src/smartbrain/bootstrap/following.py",
    "src/smartbrain/jobs/worker.py",
    "src/smartbrain/recall/arms/",
    "src/smartbrain/recall/gather.py",
)
_BROAD = frozenset({"Exception", "BaseException"})


def purity_violations(path: str, source: str, banned: tuple[str, ...]) -> list[str]:
    """Find every use of a banned name, under whatever alias it was imported."""
    tree = ast.parse(source)
    aliases = _aliases(tree)
    found = {
        (node.lineno, dotted)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
        for dotted in [_dotted(node, aliases)]
        if any(fnmatchcase(dotted, pattern) for pattern in banned)
    }
    return [f"{path}:{line}: {dotted} is not injected" for line, dotted in sorted(found)]


def broad_except_violations(path: str, source: str) -> list[str]:
    """Find handlers that catch everything and do not raise it again, outside the listed edges."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ExceptHandler) or _raises_again(node):
            continue
        if node.type is None:
            found.append(f"{path}:{node.lineno}: a bare except")
        elif _caught(node.type) & _BROAD and not path.startswith(BROAD_EXCEPT_PLACES):
            found.append(f"{path}:{node.lineno}: a broad except away from the edges")
    return found


def code_violations(path: str, source: str, *, errors: Set[str], codes: Set[str]) -> list[str]:
    """Find `code="…"` handed to one of the error classes that the table of codes does not have."""
    return [
        f"{path}:{node.lineno}: {keyword.value.value!r} is no error code"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and _caught(node.func) & errors
        for keyword in node.keywords
        if keyword.arg == "code"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
        and keyword.value.value not in codes
    ]


def string_literals(source: str) -> set[str]:
    """Return every string constant of a source."""
    return {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Map each imported local name to the dotted name that it stands for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".", maxsplit=1)[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    """Spell an attribute chain by its imported name; "" when it starts at a local value."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, "")
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def _caught(node: ast.expr) -> set[str]:
    """Return the last names of a class expression or of a tuple of them."""
    return set(_last_names(node))


def _last_names(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Tuple):
        for item in node.elts:
            yield from _last_names(item)
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None
