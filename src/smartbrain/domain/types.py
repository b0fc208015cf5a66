"""The registry: every memory type of a brain, the built-in ones and those you register (M1, M2).

In: classes that inherit `MemoryType`, or blocks of `brain.yml`. Out: types by name or by key, or an
error with code `config` that opens with the path of the wrong setting. A registry never changes;
adding types gives a new one. The parts that a declaration needs can all be imported from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from smartbrain.domain.builtin_types import BUILTIN
from smartbrain.domain.graph import NodeKind
from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.keys import slug
from smartbrain.domain.memory_type import Completed, ConflictClass, Group, MemoryType
from smartbrain.domain.shapes import (
    Anything,
    Boolean,
    Choice,
    Date,
    Integer,
    ListOf,
    Number,
    Object,
    Shape,
    Text,
    Time,
    When,
)
from smartbrain.errors import UsageError

__all__ = [
    "BUILTIN_TYPES",
    "Anything",
    "Boolean",
    "Choice",
    "Completed",
    "ConflictClass",
    "Date",
    "Group",
    "Integer",
    "ListOf",
    "MemoryType",
    "NodeKind",
    "Number",
    "Object",
    "Shape",
    "Text",
    "Time",
    "TypeRegistry",
    "When",
    "slug",
    "type_from_block",
]


_REQUIRED: Final = ("key", "node_kind", "group", "on_conflict")
_EVERYWHERE: Final = ("type", "required", "default")
_SIMPLE: Final[dict[str, Callable[..., Shape]]] = {
    "text": Text,
    "integer": Integer,
    "number": Number,
    "boolean": Boolean,
    "date": Date,
    "time": Time,
    "when": When,
    "any": Anything,
    "choice": Choice,
    "list": ListOf,
    "object": Object,
}
_SETTINGS: Final[dict[str, dict[str, str]]] = {
    "text": {"max": "max_length"},
    "integer": {"min": "minimum", "max": "maximum"},
    "number": {"min": "minimum", "max": "maximum"},
    "choice": {"choices": "options"},
    "list": {"of": "item", "max": "max_items"},
    "object": {"fields": "fields"},
}
"""What a field of each type may set beside its type, and the attribute that it sets."""


def type_from_block(name: str, block: Mapping[str, Any]) -> MemoryType:
    """Return the memory type that a block of `types:` in `brain.yml` declares."""
    where = f"types.{name}"
    _known(block, (*_REQUIRED, "value"), where)
    for setting in _REQUIRED:
        if setting not in block:
            raise _wrong(f"{where} lacks {setting!r}; add it")
    attributes = {setting: block[setting] for setting in _REQUIRED}
    fields = _fields(block.get("value", {}), f"{where}.value")
    try:
        attributes |= {"name": name, "value": Object(fields)}
        declared: MemoryType = type("TypeFromBlock", (MemoryType,), attributes)()
    except UsageError as error:
        raise _wrong(f"{where}: {error.message}") from None
    return declared


def _fields(specs: object, where: str) -> dict[str, Shape]:
    if not isinstance(specs, Mapping):
        raise _wrong(f"{where} is {shown(specs)}; write one `field: type` a line")
    return {name: _shape(spec, f"{where}.{name}") for name, spec in specs.items()}


def _shape(spec: object, where: str) -> Shape:
    """Read a shape: the name of a type, or a mapping with that name and its settings."""
    settings = {"type": spec} if isinstance(spec, str) else spec
    if not isinstance(settings, Mapping):
        raise _wrong(f"{where} is {shown(spec)}; write a type such as text")
    kind = settings.get("type", "choice" if "choices" in settings else None)
    if kind == "text" and "choices" in settings:
        kind = "choice"
    if not isinstance(kind, str) or kind not in _SIMPLE:
        raise _wrong(
            f"{where} has the type {shown(kind)}; it must be one of {', '.join(_SIMPLE)}"
            f"{did_you_mean(kind, _SIMPLE)}"
        )
    own = _SETTINGS.get(kind, {})
    _known(settings, (*_EVERYWHERE, *own), where)
    if kind in ("choice", "list") and next(iter(own)) not in settings:
        raise _wrong(f"{where} lacks {next(iter(own))!r}; a {kind} needs it")
    if not isinstance(settings.get("required", True), bool):
        raise _wrong(f"{where}.required is {shown(settings['required'])}; write true or false")
    arguments = {name: settings[name] for name in ("required", "default") if name in settings}
    for setting, attribute in own.items():
        if setting in settings:
            arguments[attribute] = _read(attribute, settings[setting], f"{where}.{setting}")
    try:
        return _SIMPLE[kind](**arguments)
    except UsageError as error:
        raise _wrong(f"{where}: {error.message}") from None


def _read(attribute: str, value: Any, where: str) -> Any:
    """Read the setting of a field that becomes this attribute of its shape."""
    if attribute == "item":
        return _shape(value, where)
    if attribute == "fields":
        return _fields(value, where)
    if attribute == "options":
        if not isinstance(value, list | tuple):
            raise _wrong(f"{where} is {shown(value)}; write a list of words")
        return tuple(value)
    limit = Integer(1) if attribute in ("max_length", "max_items") else Number()
    wrong = limit.problem(value, where)
    if wrong:
        raise _wrong(wrong)
    return value


def _known(block: object, settings: Iterable[str], where: str) -> None:
    """Refuse what is not a mapping and any setting that does not exist."""
    if not isinstance(block, Mapping):
        raise _wrong(f"{where} is {shown(block)}; write a block of settings")
    names = tuple(settings)
    for setting in block:
        if setting not in names:
            raise _wrong(
                f"{where} has the setting {shown(setting)}; it may have {', '.join(names)}"
                f"{did_you_mean(setting, names)}"
            )


def _wrong(problem: str) -> UsageError:
    return UsageError(problem, code="config")


class TypeRegistry:
    """Memory types in the order they were registered; names and key prefixes are unique."""

    __slots__ = ("_by_name", "_by_prefix")

    def __init__(self, types: Iterable[MemoryType | type[MemoryType]]) -> None:
        self._by_name: dict[str, MemoryType] = {}
        self._by_prefix: dict[str, MemoryType] = {}
        for given in types:
            added: Any = given() if isinstance(given, type) else given
            if not isinstance(added, MemoryType) or type(added) is MemoryType:
                raise UsageError(f"{shown(given)} is no memory type; subclass MemoryType")
            prefix = added.rule.prefix
            if added.name in self._by_name:
                raise UsageError(f"the memory type {added.name!r} exists; choose another name")
            if prefix in self._by_prefix:
                taken = self._by_prefix[prefix].name
                raise UsageError(
                    f"memory type {added.name}: keys starting with {prefix}: belong to {taken};"
                    " choose another prefix"
                )
            self._by_name[added.name] = self._by_prefix[prefix] = added

    def __iter__(self) -> Iterator[MemoryType]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def names(self) -> tuple[str, ...]:
        """Return the types' names, in their order."""
        return tuple(self._by_name)

    def get(self, name: str) -> MemoryType:
        """Return the type of that name."""
        found = self._by_name.get(str(name))
        if found is None:
            raise UsageError(
                f"there is no memory type {shown(name)}; use one of {', '.join(self._by_name)}"
                f"{did_you_mean(name, self._by_name)}"
            )
        return found

    def by_key(self, key: str) -> MemoryType:
        """Return the type whose keys start as this one does; the rest of the key may be wrong."""
        prefix = str(key).partition(":")[0]
        found = self._by_prefix.get(prefix)
        if found is None:
            raise UsageError(
                f"key {shown(key)} is of no memory type; start it with one of"
                f" {', '.join(f'{known}:' for known in self._by_prefix)}"
                f"{did_you_mean(prefix, self._by_prefix)}",
                code="bad_key",
            )
        return found

    def with_types(self, types: Iterable[MemoryType | type[MemoryType]]) -> TypeRegistry:
        """Return a registry with these types added."""
        return TypeRegistry([*self, *types])


BUILTIN_TYPES: Final = TypeRegistry(BUILTIN)
"""What every brain knows before anything is registered."""
