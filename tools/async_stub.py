"""Write async_handle.pyi: what type checkers know about `AsyncSmartBrain`.

In: the methods of `SmartBrain` and of the groups that a brain has, and the imports of the modules
that they are written in. Out: the stub, or with `--check` exit code 1 when it is stale.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from smartbrain.brain import GROUPS, SmartBrain
from smartbrain.brain.mirror import public_methods

ROOT = Path(__file__).resolve().parents[1]
PAGE = "src/smartbrain/brain/async_handle.pyi"
COMMAND = "python tools/async_stub.py"

HEAD = f'''\
"""What type checkers know about `AsyncSmartBrain`. Written by `{COMMAND}`."""

from __future__ import annotations

'''
OWN = """\
    @classmethod
    async def open{open} ...
    @property
    def tenant_name(self) -> str: ...
    def subscribe(
        self, *, since: int | None = ..., kinds: str | Iterable[str] | None = ...
    ) -> AsyncIterator[MemoryEvent]: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
"""


def render() -> str:
    """Return the stub, formatted."""
    groups = {name: kind for name, kind in sorted(GROUPS.items()) if name}
    classes = [_group(kind) for kind in sorted({*groups.values()}, key=lambda one: one.__name__)]
    own = OWN.format(open=_signature(vars(SmartBrain)["open"].__func__))
    members = [f"    {name}: Async{kind.__name__}\n" for name, kind in groups.items()]
    handle = "".join(["class AsyncSmartBrain:\n", *members, own, *_methods(SmartBrain)])
    body = "\n".join([*classes, handle]).replace("-> SmartBrain:", "-> AsyncSmartBrain:")
    modules = {sys.modules[cls.__module__] for cls in (*SmartBrain.__mro__[:-1], *groups.values())}
    known = {
        "AsyncIterator": "from collections.abc import AsyncIterator",
        "TracebackType": "from types import TracebackType",
    }
    for module in sorted(modules, key=lambda one: one.__name__):
        known |= _imports(inspect.getsource(module))
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    lines = sorted({line for name, line in known.items() if name in used})
    return _formatted("\n".join([HEAD, *lines, "", body]))


def _group(kind: type) -> str:
    """Return the stub of a group's twin."""
    return "".join([f"class Async{kind.__name__}:\n", *_methods(kind)])


def _methods(kind: type) -> Iterator[str]:
    """Yield the stubs of a class's public methods."""
    for name, method in public_methods(kind):
        if name == "subscribe":  # walked, not awaited
            continue
        mark = "    @staticmethod\n" if isinstance(method, staticmethod) else ""
        yield f"{mark}    async def {name}{_signature(method)} ...\n"


def _signature(function: Callable[..., Any]) -> str:
    """Return a signature as it is written, with its defaults left open."""
    signature = inspect.signature(function)
    parameters = [
        one if one.default is one.empty else one.replace(default=_Open())
        for one in signature.parameters.values()
    ]
    shown = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    for one in parameters:  # annotations are text here, which is shown in quotes
        shown = shown.replace(f": {one.annotation!r}", f": {one.annotation}")
    return f"{shown} -> {signature.return_annotation}:"


class _Open:
    """A default that a stub does not tell."""

    def __repr__(self) -> str:
        return "..."


def _imports(source: str) -> dict[str, str]:
    """Return the import that brings each name into a module, those for type checkers too."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                line = f"from {node.module} import {alias.name}"
                found[alias.asname or alias.name] = (
                    f"{line} as {alias.asname}" if alias.asname else line
                )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name] = f"import {alias.name}"
    return found


def _formatted(source: str) -> str:
    """Return the stub as the linter wants it."""
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format", "--quiet"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", PAGE, "-"]
        done = subprocess.run(
            ruff, input=source, capture_output=True, text=True, check=True, cwd=ROOT
        )
        source = done.stdout
    return source


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write the stub, or check that it is as it would be written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when stale")
    page = root / PAGE
    stub = render()
    if not parser.parse_args(arguments).check:
        page.write_text(stub, encoding="utf-8")
        return 0
    if page.exists() and page.read_text(encoding="utf-8") == stub:
        return 0
    print(f"{PAGE} is stale; run: {COMMAND}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
