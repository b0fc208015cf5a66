"""What a user wrote: the text of brain.yml or a dict, as one tree that knows its lines.

In: YAML text or bytes with the name to call it by, or a mapping. Out: `Given`, where every key
keeps the place it was written at. A text that cannot be read raises a UsageError of one line that
names that place. Whether keys and values mean anything is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from smartbrain.domain.policy_field import is_unicode, shown
from smartbrain.errors import UsageError

ARGUMENT: Final = "argument"
_DEEPEST: Final = 24
_EXPONENT: Final = re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+")


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A value and where it was written; `pairs` are the keys below it when it is a mapping."""

    value: Any
    origin: str
    pairs: tuple[tuple[str, Given], ...] | None = None

    def plain(self) -> Any:
        """Return the value without its places."""
        if self.pairs is None:
            return self.value
        return {key: child.plain() for key, child in self.pairs}


def refusal(origin: str, problem: str) -> UsageError:
    """Return the error that names a place and what is wrong there, in one line."""
    return UsageError(f"{origin}: {' '.join(problem.splitlines())}", code="config")


def from_mapping(value: object, depth: int = 0) -> Given:
    """Read the caller's dict."""
    if not isinstance(value, Mapping):
        return Given(value, ARGUMENT)
    if depth > _DEEPEST:
        raise refusal(ARGUMENT, f"nested more than {_DEEPEST} levels deep")
    for key in value:
        if not isinstance(key, str) or not is_unicode(key):
            raise refusal(ARGUMENT, f"the key {shown(key)} is not text")
    pairs = tuple((str(key), from_mapping(child, depth + 1)) for key, child in value.items())
    return Given(None, ARGUMENT, pairs)


def from_yaml(source: str | bytes, name: str) -> Given:
    """Read the text of brain.yml; an empty one is an empty mapping."""
    text = _decoded(source, name)
    try:
        loader = _Loader(text)
        loader.name = name
        node = loader.get_single_node()
        return Given(None, f"{name}:1", ()) if node is None else _from_node(loader, node, name)
    except yaml.reader.ReaderError as problem:
        line = _line_of(text, problem.position)
        letter = f"U+{ord(text[problem.position]):04X}"
        raise refusal(f"{name}:{line}", f"the character {letter} is not allowed in YAML") from None
    except yaml.MarkedYAMLError as problem:
        raise _syntax_error(problem, name) from None


class _Loader(yaml.SafeLoader):
    """The safe loader, without aliases and without endless nesting.

    Aliases would let one line stand in many places, so no value would have a line of its own.
    """

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose one node, as the safe loader does, if it is allowed here."""
        problem = ""
        if self.check_event(yaml.AliasEvent):
            problem = "aliases are not supported; write the value out"
        elif self.depth > _DEEPEST:
            problem = f"nested more than {_DEEPEST} levels deep"
        if problem:
            raise refusal(f"{self.name}:{self.current_event.start_mark.line + 1}", problem)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _from_node(loader: _Loader, node: yaml.Node, name: str, origin: str = "") -> Given:
    """Turn a YAML node into a tree of what was given; a value's place is that of its key."""
    origin = origin or _place(node, name)
    if isinstance(node, yaml.SequenceNode):
        return Given([_from_node(loader, item, name).plain() for item in node.value], origin)
    if isinstance(node, yaml.ScalarNode):
        return Given(_scalar(loader, node, origin), origin)
    children: dict[str, Given] = {}
    for key_node, value_node in node.value:
        place = _place(key_node, name)
        key = key_node.value
        if not isinstance(key, str):
            raise refusal(place, "a key must be plain text, not a list or a mapping")
        if not is_unicode(key):
            raise refusal(place, f"the key {shown(key)} is not text")
        if key in children:
            raise refusal(
                place, f"{shown(key)} is set twice, first at {children[key].origin}; keep one"
            )
        children[key] = _from_node(loader, value_node, name, place)
    return Given(None, origin, tuple(children.items()))


def _scalar(loader: _Loader, node: yaml.ScalarNode, origin: str) -> Any:
    """Read one scalar as YAML does, and `1e-5` as the number that it looks like."""
    try:
        value = loader.construct_object(node)
    except (KeyError, ValueError):
        raise refusal(origin, f"{shown(node.value)} cannot be read; put it in quotes") from None
    if isinstance(value, str) and not node.style and _EXPONENT.fullmatch(value):
        return float(value)
    if isinstance(value, str) and not is_unicode(value):
        raise refusal(origin, f"{shown(value)} is not valid Unicode")
    return value


def _decoded(source: str | bytes, name: str) -> str:
    try:
        text = source.decode("utf-8") if isinstance(source, bytes) else source
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        place = f"{name}:{line}"
        raise refusal(place, "the text is not UTF-8; save the file as UTF-8") from None
    return text.removeprefix("\ufeff")


def _syntax_error(problem: yaml.MarkedYAMLError, name: str) -> UsageError:
    mark = problem.problem_mark or problem.context_mark
    line = mark.line + 1 if mark else 1
    said = " ".join(", ".join(filter(None, (problem.context, problem.problem))).split())
    if r"'\t'" in said:
        said = "a tab cannot be used for indentation; use spaces"
    return refusal(f"{name}:{line}", f"not valid YAML: {said}")


def _place(node: yaml.Node, name: str) -> str:
    return f"{name}:{node.start_mark.line + 1}"


def _line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
