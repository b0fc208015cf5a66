"""The registry: every memory type of a brain, the built-in ones and those you register (M1, M2).

In: classes that inherit `MemoryType`, or blocks of `brain.yml`. Out: types by name or by key.
A registry never changes; adding types gives a new one. The parts that a declaration needs can all
be imported from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from smartbrain.domain.type_blocks import type_from_block
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
        """Return the type of that name.

        Raises:
            UsageError: there is none; the sentence offers the nearest.
        """
        found = self._by_name.get(str(name))
        if found is None:
            raise UsageError(
                f"there is no memory type {shown(name)}; use one of {', '.join(self._by_name)}"
                f"{did_you_mean(name, self._by_name)}"
            )
        return found

    def by_key(self, key: str) -> MemoryType:
        """Return the type whose keys start as this one does; the rest of the key is not looked at.

        Raises:
            UsageError: code `bad_key`; no type has such keys.
        """
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
        """Return a registry with these types added.

        Raises:
            UsageError: a name or a key prefix is taken.
        """
        return TypeRegistry([*self, *types])


BUILTIN_TYPES: Final = TypeRegistry(BUILTIN)
"""What every brain knows before anything is registered."""
