"""One checked `Settings` from defaults, brain.yml and overrides, and what it registers (S8).

In: what sources say. Out: rules with the origin of each value, for the root and for tenants with a
block of their own; a registry of types; or a refusal that names the line. Types, recipes and
attributes of a configuration are checked where it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.policy import PER_TENANT, Rules, rules_hash, schema, tenant_schema
from smartbrain.domain.policy_field import Leaf, Node, Path, Section, Table, placed, shown
from smartbrain.domain.recipe import recipe_from_block
from smartbrain.domain.record import canonical_json
from smartbrain.domain.tenant import folder_of
from smartbrain.domain.types import BUILTIN_TYPES, TypeRegistry, type_from_block
from smartbrain.domain.webhook import webhook_from_block
from smartbrain.errors import UsageError
from smartbrain.settings.source import Given, from_mapping, from_yaml, refusal
from smartbrain.text.ontology import load_ontology

TENANTS: Final = "tenants"


def apart(given: Given) -> tuple[Given, dict[str, Given]]:
    """Take the blocks of tenants out of what a source says."""
    if given.pairs is None:
        return given, {}
    rest: list[tuple[str, Given]] = []
    blocks: dict[str, Given] = {}
    for key, child in given.pairs:
        section, dot, name = key.partition(".")
        if section != TENANTS or not (dot or child.pairs):
            rest.append((key, child))
            continue
        for one, block in [(name, child)] if dot else child.pairs or ():
            if block.pairs is None and one in _for_all():
                rest.append((f"{TENANTS}.{one}", block))
            else:
                _add_block(one, block, blocks)
    return replace(given, pairs=tuple(rest)), blocks


def _add_block(key: str, given: Given, blocks: dict[str, Given]) -> None:
    name, setting = _named(key, given)
    try:
        folder_of(name)
    except UsageError as problem:
        raise refusal(given.origin, f"{TENANTS}: {problem.message}") from None
    if setting:
        pairs: tuple[tuple[str, Given], ...] = ((setting, given),)
    elif given.pairs is None and given.value is not None:
        said = f"{shown(f'{TENANTS}.{name}')} is {shown(given.value)}"
        hint = did_you_mean(name, _for_all())
        raise refusal(given.origin, f"{said}; allowed: a block of keys for that tenant{hint}")
    else:
        pairs = given.pairs or ()
    before = blocks.get(name)
    blocks[name] = Given(None, given.origin, (*(before.pairs or ()), *pairs) if before else pairs)


def _named(key: str, given: Given) -> tuple[str, str]:
    """Return the tenant that a key begins with, and the setting that it ends with, if it does.

    A name may hold dots. It is the whole key where a block is below it; else it ends where the
    setting begins.
    """
    own = tenant_schema().children
    if given.pairs is not None and all(one.partition(".")[0] in own for one, _ in given.pairs):
        return key, ""
    parts = key.split(".")
    starts = [index for index in range(1, len(parts)) if parts[index] in schema().children]
    fitting = [index for index in starts if ".".join(parts[index:]) in _settings()]
    empty = given.pairs is None and given.value is None
    for index in (fitting or ([] if empty else starts))[:1]:
        return ".".join(parts[:index]), ".".join(parts[index:])
    return key, ""


@cache
def _settings() -> frozenset[str]:
    return frozenset(node.name for node in tenant_schema().walk())


@cache
def _for_all() -> tuple[str, ...]:
    section = schema().children[TENANTS]
    assert isinstance(section, Section)
    return tuple(section.children)


DEFAULT: Final = "default"
_TYPES: Final = "types"
# Tables whose values are blocks of a user's own.
_BLOCKS: Final[tuple[Path, ...]] = (
    *(("events", "webhooks"), ("ontology", "attributes"), ("recipes",), (_TYPES,)),
)
_LONGEST_NAME: Final = 100


class Put(NamedTuple):
    """A value and where it was written."""

    value: object
    origin: str


Block = Mapping[Path, Put]
"""What is set for one tenant."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The rules in force and where each came from.

    Attributes:
        rules: every value, typed and checked; `rules.types` holds the blocks of `types:` as given.
        origins: `brain.yml:<line>` or `argument` for each dotted name that is not at its default,
            also for each type (`types.recipe`) and each key of its block (`types.recipe.key`).
        type_classes: classes the caller listed under `types`, untouched.
        tenants: what single tenants have of their own, by name; `of_tenant` lays it over the rest.
    """

    rules: Rules = field(default_factory=Rules)
    origins: Mapping[str, str] = field(default_factory=dict)
    type_classes: tuple[Any, ...] = ()
    tenants: Mapping[str, Block] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """The name of the rules in force, which every event keeps."""
        return rules_hash(self.rules)

    def origin(self, name: str) -> str:
        """Say where a value came from: `default`, `brain.yml:12` or `argument`."""
        return self.origins.get(name, DEFAULT)

    def of_tenant(self, name: str) -> Settings:
        """Return what holds for one tenant: the settings of all, and its own over them."""
        if not self.tenants:
            return self
        block = self.tenants.get(name, {})
        rules: Rules = _replaced(self.rules, {path: put.value for path, put in block.items()})
        origins = {".".join(path): put.origin for path, put in block.items()}
        return replace(self, rules=rules, origins={**self.origins, **origins}, tenants={})


class Explained(NamedTuple):
    """One line of `memctl config show`."""

    name: str
    value: Any
    origin: str
    meaning: str


def load(
    source: str | bytes | None = None,
    *,
    name: str = "brain.yml",
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Return the settings of a brain: the defaults, then the file, then the caller's overrides.

    Each source is laid over the one before it: what it says for all, then its blocks of tenants.

    Args:
        source: what brain.yml holds, or None when there is no file.
        name: how to call the file in messages and origins.
        overrides: values that beat the file, nested or with dotted keys; `types` may also be a
            list of classes.
    """
    settings = Settings()
    if source is not None:
        settings = _merged(settings, from_yaml(source, name))
    return with_overrides(settings, overrides) if overrides else settings


def with_overrides(settings: Settings, overrides: Mapping[str, Any]) -> Settings:
    """Return new settings in which some values are replaced."""
    classes: tuple[Any, ...] = ()
    given = from_mapping(overrides)
    if given.pairs and isinstance(overrides.get(_TYPES), list | tuple):
        classes = tuple(overrides[_TYPES])
        given = replace(given, pairs=tuple(pair for pair in given.pairs if pair[0] != _TYPES))
    merged = _merged(settings, given)
    return replace(merged, type_classes=settings.type_classes + classes) if classes else merged


def explain(settings: Settings) -> list[Explained]:
    """List every setting with its value, its origin and its meaning, in the order of the file.

    What single tenants have of their own comes last.
    """
    rows = []
    for node in schema().walk():
        if isinstance(node, Section):
            continue
        value = _value_at(settings.rules, node.path)
        if isinstance(node, Table) and value:
            pairs = [(f"{node.name}.{key}", item) for key, item in value.items()]
        else:
            pairs = [(node.name, value)]
        rows += [Explained(name, one, settings.origin(name), node.meaning) for name, one in pairs]
    meanings = {node.path: node.meaning for node in tenant_schema().walk()}
    for tenant, block in settings.tenants.items():
        rows += [
            Explained(".".join((TENANTS, tenant, *path)), *put, meanings[path])
            for path, put in block.items()
        ]
    return rows


def _merged(settings: Settings, given: Given) -> Settings:
    given, blocks = apart(given)
    found: dict[Path, Given] = {}
    _collect(given, schema(), (), found)
    tenants = _with_blocks(settings.tenants, found, blocks)
    if not found:
        return replace(settings, tenants=tenants) if blocks else settings
    changes = {path: _read(path, one, schema()) for path, one in found.items()}
    origins = {".".join(path): one.origin for path, one in found.items()}
    rules: Rules = _replaced(settings.rules, changes)
    _check_order(rules, found)
    return replace(settings, rules=rules, origins={**settings.origins, **origins}, tenants=tenants)


def _with_blocks(
    before: Mapping[str, Block], found: Mapping[Path, Given], blocks: Mapping[str, Given]
) -> Mapping[str, Block]:
    """Lay a source over the blocks of tenants: what it says for all, then its own blocks."""
    tenants = {
        name: {path: put for path, put in block.items() if path not in found}
        for name, block in before.items()
    }
    for name, given in blocks.items():
        tenants[name] = {**tenants.get(name, {}), **_block(name, given)}
    return tenants


def _block(name: str, given: Given) -> Block:
    above = (TENANTS, name)
    tree = placed(tenant_schema(), above)
    assert isinstance(tree, Section)
    found: dict[Path, Given] = {}
    _collect(given, tree, above, found)
    return {
        path[len(above) :]: Put(_read(path, one, tree), one.origin) for path, one in found.items()
    }


def _collect(given: Given, tree: Section, path: Path, found: dict[Path, Given]) -> None:
    if given.pairs is None:
        if given.value is None:
            return  # a heading with nothing below it
        what = f"{'.'.join(path)} is" if path else "the configuration is"
        example = "a section of keys" if path else "a mapping such as `timezone: UTC`"
        raise refusal(given.origin, f"{what} {shown(given.value)}; allowed: {example}")
    for key, child in given.pairs:
        where = (*path, *key.split("."))
        node, rest = _locate(where, child.origin, tree)
        if isinstance(node, Leaf) or (rest and node.path not in _BLOCKS):
            _add((*node.path, *rest), child, found)
        elif rest:
            _collect_block(node.path, rest, child, found)
        else:
            _collect(child, tree, node.path, found)


def _collect_block(table: Path, rest: Path, child: Given, found: dict[Path, Given]) -> None:
    """Gather a user's block: its name, then each of its keys with a place of its own."""
    name, *inner = rest
    found.setdefault((*table, name), Given({}, child.origin))
    if inner:
        _add((*table, name, ".".join(inner)), child, found)
        return
    if child.pairs is None:
        where = ".".join((*table, name))
        raise refusal(child.origin, f"{where} is {shown(child.value)}; allowed: a block of keys")
    for key, one in child.pairs:
        _add((*table, name, key), one, found)


def _add(path: Path, given: Given, found: dict[Path, Given]) -> None:
    first = found.setdefault(path, given)
    if first is not given:
        name = shown(".".join(path))
        raise refusal(given.origin, f"{name} is set twice, first at {first.origin}; keep one")


def _locate(where: Path, origin: str, tree: Section) -> tuple[Node, Path]:
    """Find what a path names: a node, and the name in its table where it is one."""
    node: Node = tree
    for index, part in enumerate(where[len(tree.path) :], len(tree.path)):
        if isinstance(node, Table):
            key = ".".join(where[index:])
            if node.keys and key not in node.keys:
                raise _unknown(where, node.keys, origin, tree)
            return node, where[index:] if node.path in _BLOCKS else (key,)
        if isinstance(node, Leaf):
            raise refusal(origin, f"{node.name} holds one value; {_quoted(where)} is not a key")
        if part not in node.children:
            if node is tree and part in schema().children:
                raise refusal(
                    origin,
                    f"{_quoted(where)} cannot be one tenant's own, only {', '.join(PER_TENANT)};"
                    f" set {'.'.join(where[index:])} for all, outside {TENANTS}",
                )
            raise _unknown(where[: index + 1], tuple(node.children), origin, tree)
        node = node.children[part]
    return node, ()


def _unknown(where: Path, siblings: tuple[str, ...], origin: str, tree: Section) -> UsageError:
    part = where[-1]
    homes: dict[str, list[str]] = {}
    for node in tree.walk():
        homes.setdefault(node.path[-1], []).append(node.name)
    elsewhere = homes.get(part) or [
        name for last in _nearest(part, homes, cutoff=0.8) for name in homes[last]
    ]
    near = _nearest(part, siblings, cutoff=0.8 if part in homes else 0.6)
    if len(elsewhere) <= 2 and (part in homes or not near):
        near += elsewhere
    if near:
        hint = f"did you mean {' or '.join(map(repr, near))}?"
    else:
        hint = f"known here: {', '.join(siblings)}"
    return refusal(origin, f"unknown key {_quoted(where)}; {hint}")


def _nearest(name: str, known: Iterable[str], cutoff: float) -> list[str]:
    lowered = {one.lower(): one for one in known}
    found = get_close_matches(name[:_LONGEST_NAME].lower(), lowered, n=1, cutoff=cutoff)
    return [lowered[one] for one in found]


def _quoted(where: Path) -> str:
    return shown(".".join(where))


def _read(path: Path, given: Given, tree: Section) -> object:
    node, rest = _locate(path, given.origin, tree)
    if node.path in _BLOCKS:
        return _plain_block(path, given)
    leaf = node.leaf(rest[0]) if isinstance(node, Table) else node
    assert isinstance(leaf, Leaf)
    try:
        value = leaf.read(given.plain())
        if leaf.form == "timezone":
            _check_timezone(str(value), leaf)
    except UsageError as problem:
        raise refusal(given.origin, f"{leaf.name} {problem.message}") from None
    return value


def _plain_block(path: Path, given: Given) -> object:
    """Return what a type's block holds; it is hashed with the rules, so it must be plain data."""
    try:
        block: object = given.plain()
        canonical_json(block).encode()
    except (ValueError, RecursionError):
        name = _quoted(path)
        allowed = "text, numbers, true, false, null, lists and mappings"
        raise refusal(given.origin, f"{name} holds something else than {allowed}") from None
    return block


def _check_timezone(name: str, leaf: Leaf) -> None:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        near = _nearest(name, available_timezones(), cutoff=0.85)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(
            f"is {shown(name)}; allowed: {leaf.allowed}{hint}", code="config"
        ) from None


def _replaced(part: Any, changes: Mapping[Path, object]) -> Any:
    groups: dict[str, dict[Path, object]] = {}
    for (name, *rest), value in changes.items():
        groups.setdefault(name, {})[tuple(rest)] = value
    fresh: dict[str, object] = {}
    for name, inner in groups.items():
        old = getattr(part, name)
        if isinstance(old, Mapping):
            fresh[name] = _extended(old, inner)
        else:
            fresh[name] = inner[()] if () in inner else _replaced(old, inner)
    return replace(part, **fresh)


def _extended(table: Mapping[str, Any], changes: Mapping[Path, object]) -> Mapping[str, Any]:
    new = dict(table)
    for (name, *rest), value in changes.items():
        if rest:
            new[name] = MappingProxyType({**new[name], rest[0]: value})
        elif isinstance(value, Mapping):
            new.setdefault(name, value)  # the name of a type only makes room for its block
        else:
            new[name] = value
    return MappingProxyType(new)


def _check_order(rules: Rules, found: Mapping[Path, Given]) -> None:
    """Refuse a value below the neighbour that it must not be below."""
    for node in schema().walk():
        if not isinstance(node, Leaf) or not node.at_least:
            continue
        other = (*node.path[:-1], node.at_least)
        given = found.get(node.path) or found.get(other)
        value, least = _value_at(rules, node.path), _value_at(rules, other)
        if given and value < least:
            raise refusal(
                given.origin,
                f"{node.name} is {value}, below {node.at_least} ({least}); change one of the two",
            )


def _value_at(rules: Rules, path: Path) -> Any:
    value: Any = rules
    for part in path:
        value = getattr(value, part)
    return value


def registry_of(settings: Settings) -> TypeRegistry:
    """Return the built-in memory types with those that the configuration registers."""
    registry = TypeRegistry([*BUILTIN_TYPES, *settings.type_classes])
    for name, block in settings.rules.types.items():
        with _blaming(settings, _TYPES, name):
            registry = registry.with_types([type_from_block(name, block)])
    return registry


def check_recipes(settings: Settings) -> None:
    """Refuse a recipe that is none."""
    for name, block in settings.rules.recipes.items():
        with _blaming(settings, "recipes", name):
            recipe_from_block(name, block)


def check_webhooks(settings: Settings) -> None:
    """Refuse a webhook that is none."""
    for name, block in settings.rules.events.webhooks.items():
        with _blaming(settings, "events.webhooks", name):
            webhook_from_block(name, block)


def check_ontology(settings: Settings) -> None:
    """Refuse an attribute that is declared wrong."""
    attributes = settings.rules.ontology.attributes
    ontology = load_ontology() if attributes else None
    for name, block in attributes.items():
        with _blaming(settings, "ontology.attributes", name):
            ontology = ontology and ontology.with_attributes({name: block})


@contextmanager
def _blaming(settings: Settings, table: str, name: str) -> Iterator[None]:
    """Name the line of the setting that a refusal of a block names, else of the block."""
    try:
        yield
    except UsageError as error:
        block = f"{table}.{name}"
        named = [f"{block}.{word}" for word in re.findall(r"\w+", error.message)]
        fault = next((leaf for leaf in named if leaf in settings.origins), block)
        raise UsageError(f"{settings.origin(fault)}: {error.message}", code="config") from error
