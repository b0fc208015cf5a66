"""Rules on ports: small Protocols, one port a file.

In: a path under ports/ and its source. Out: violations as `path:line: message`.
Not a check of adapters: the contract suites do that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

MOST_METHODS = 10


def port_violations(path: str, source: str, beside: Iterable[str] = ()) -> list[str]:
    """Hold every Protocol of a port module to its size and its company.

    `beside` is the source of the other port modules: Protocols that one of those puts together
    are parts of its port.
    """
    protocols = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and "Protocol" in map(_name_of, node.bases)
    ]
    names = {protocol.name for protocol in protocols}
    parts = any(names <= _imported(other) for other in beside)
    found = _strangers(path, protocols) if protocols and not parts else []
    for protocol in protocols:
        methods = [
            node
            for node in protocol.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and not node.name.startswith("_")
        ]
        if len(methods) > MOST_METHODS:
            count = f"{len(methods)} methods, more than {MOST_METHODS}"
            found.append(f"{path}:{protocol.lineno}: {protocol.name} has {count}")
    return found


def _strangers(path: str, protocols: list[ast.ClassDef]) -> list[str]:
    """Several Protocols are one port only if each is named by, or names, another of them."""
    names = {protocol.name for protocol in protocols}
    linked: dict[str, set[str]] = {name: set() for name in names}
    for protocol in protocols:
        for other in _mentioned(protocol) & names - {protocol.name}:
            linked[protocol.name].add(other)
            linked[other].add(protocol.name)
    reached: set[str] = set()
    waiting = [protocols[0].name]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += linked[name]
    return [
        f"{path}:{protocol.lineno}: {protocol.name} is another port than {protocols[0].name}"
        for protocol in protocols
        if protocol.name not in reached
    ]


def _imported(source: str) -> set[str]:
    """Return the names that a module imports from others."""
    return {
        alias.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _mentioned(protocol: ast.ClassDef) -> set[str]:
    return {_name_of(node) for node in ast.walk(protocol) if isinstance(node, ast.expr)}


def _name_of(node: ast.expr) -> str:
    """Return the plain name of an expression: `Protocol` of `Protocol[T]`, text of a string."""
    if isinstance(node, ast.Subscript):
        return _name_of(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant):
        return str(node.value)
    return node.id if isinstance(node, ast.Name) else ""
