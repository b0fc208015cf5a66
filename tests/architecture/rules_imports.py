"""Rules on imports: where they stand, what the domain may reach, and that no cycle exists.

In: a path and its source, or a graph of modules. Out: violations as `path:line: message`.
Not the layer contracts: import-linter holds those from pyproject.toml.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from graphlib import CycleError, TopologicalSorter

# Libraries that cost start-up time: never loaded by `import smartbrain`.
HEAVY = frozenset(
    {
        *("apsw", "backports", "cryptography", "faiss", "httpx", "numpy", "prometheus_client"),
        *("pydantic", "rich", "rjieba", "stamina", "structlog", "Stemmer"),
        *("tantivy", "typer", "yaml"),
    }
)
LAZY_PLACES = (
    "src/smartbrain/__init__.py",  # public names that most programs never ask for
    "src/smartbrain/bootstrap/",
    "src/smartbrain/entrypoints/cli/",
)
# Distributions whose module is not simply their name with underscores.
MODULE_OF = {
    "faiss-cpu": "faiss",
    "grpcio": "grpc",
    "opentelemetry-api": "opentelemetry",
    "opentelemetry-sdk": "opentelemetry",
    "protobuf": "google",
    "python-dp": "pydp",
    "splintr-rs": "splintr",
}

_IMPORT_CALLS = frozenset({"import_module", "__import__"})

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def extra_modules(extras: Mapping[str, list[str]]) -> frozenset[str]:
    """Return the importable names that the optional extras bring, `dev` left out."""
    names = {
        re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0].lower()
        for extra, requirements in extras.items()
        if extra != "dev"
        for requirement in requirements
    }
    return frozenset(MODULE_OF.get(name, name.replace("-", "_")) for name in names - {"smartbrain"})


def in_function_violations(
    path: str, source: str, *, extras: Set[str], brings_heavy: Callable[[str], bool]
) -> list[str]:
    """Allow an import inside a function only for an extra, or for weight in a lazy place."""
    lazy_place = path.startswith(LAZY_PLACES)
    found = []
    for line, targets in _imports_inside_functions(source):
        root = targets[0].split(".", maxsplit=1)[0]
        heavy = root in HEAVY or any(brings_heavy(target) for target in targets)
        if root not in extras and not (lazy_place and heavy):
            found.append(f"{path}:{line}: {targets[0]} is imported inside a function")
    return found


def standard_library_violations(path: str, source: str, *, own: tuple[str, ...]) -> list[str]:
    """Find imports that are neither the standard library nor one of the `own` packages."""
    return [
        f"{path}:{node.lineno}: {target} is not standard library"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for target in _targets(node)[:1]
        if target.split(".", maxsplit=1)[0] not in sys.stdlib_module_names
        and not any(target == name or target.startswith(f"{name}.") for name in own)
    ]


def import_cycle(imports: Mapping[str, Set[str]]) -> list[str]:
    """Return one cycle of modules, first and last the same, or nothing."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle
    return []


def _imports_inside_functions(source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, possible targets) of every import statement or call below a function."""
    seen: set[ast.AST] = set()
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, Function):
            continue
        for node in ast.walk(function):
            if node in seen:
                continue
            seen.add(node)
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield node.lineno, [alias.name]
            elif isinstance(node, ast.ImportFrom):
                yield node.lineno, _targets(node)
            elif isinstance(node, ast.Call) and _last_name(node.func) in _IMPORT_CALLS:
                yield node.lineno, [_called_target(node)]


def _called_target(call: ast.Call) -> str:
    """Return the module that an import call names, or the call itself when it is computed."""
    match call.args:
        case [ast.Constant(value=str(name)), *_]:
            return name
    return ast.unparse(call)


def _targets(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return what a statement may load: the module, then each name as a possible submodule."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    module = "." * node.level + (node.module or "")
    return [module, *(f"{module}.{alias.name}" for alias in node.names)]


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
