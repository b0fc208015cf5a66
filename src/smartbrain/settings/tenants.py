"""The blocks of single tenants, told apart from what holds for a whole root (C10, S7, S8).

In: what one source says. Out: the same without the blocks of `tenants:`, and each block by the name
of its tenant. What a block may hold is checked elsewhere, against `tenant_schema`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.policy import schema, tenant_schema
from smartbrain.domain.policy_field import Section, shown
from smartbrain.domain.tenant import folder_of
from smartbrain.errors import UsageError
from smartbrain.settings.source import Given, refusal

TENANTS: Final = "tenants"


def apart(given: Given) -> tuple[Given, dict[str, Given]]:
    """Take the blocks of tenants out of what a source says.

    Raises:
        UsageError: `config`; a name is no tenant's, or what it has is no block.
    """
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
                _add(one, block, blocks)
    return replace(given, pairs=tuple(rest)), blocks


def _add(key: str, given: Given, blocks: dict[str, Given]) -> None:
    """Add what a key says to the block of the tenant that it names."""
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
    """Return the names of what a block may hold."""
    return frozenset(node.name for node in tenant_schema().walk())


@cache
def _for_all() -> tuple[str, ...]:
    """Return the settings beside the blocks."""
    section = schema().children[TENANTS]
    assert isinstance(section, Section)
    return tuple(section.children)
