"""What a configuration registers: memory types (M1), recipes (R15) and attributes of its own.

In: settings with classes and blocks. Out: a registry, or a refusal that names the line.
"""

from __future__ import annotations

import re

from smartbrain.domain.recipe import recipe_from_block
from smartbrain.domain.types import BUILTIN_TYPES, TypeRegistry, type_from_block
from smartbrain.errors import UsageError
from smartbrain.settings.merge import Settings
from smartbrain.text.ontology import load_ontology


def registry_of(settings: Settings) -> TypeRegistry:
    """Return the built-in memory types with those that the configuration registers.

    Raises:
        UsageError: a block or a class is no valid type; a block's line is named.
    """
    registry = TypeRegistry([*BUILTIN_TYPES, *settings.type_classes])
    for name, block in settings.rules.types.items():
        try:
            registry = registry.with_types([type_from_block(name, block)])
        except UsageError as error:
            origin = _origin_of_fault(settings, name, error.message)
            raise UsageError(f"{origin}: {error.message}", code="config") from error
    return registry


def check_recipes(settings: Settings) -> None:
    """Refuse a recipe that is none.

    Raises:
        UsageError: code `config`; the line of the block or of its key is named.
    """
    for name, block in settings.rules.recipes.items():
        try:
            recipe_from_block(name, block)
        except UsageError as error:
            origin = _origin_of_fault(settings, name, error.message, "recipes")
            raise UsageError(f"{origin}: {error.message}", code="config") from error


def check_ontology(settings: Settings) -> None:
    """Refuse an attribute that is declared wrong.

    Raises:
        UsageError: code `config`; the line of the block or of its key is named.
    """
    attributes = settings.rules.ontology.attributes
    if not attributes:
        return
    ontology = load_ontology()
    for name, block in attributes.items():
        try:
            ontology = ontology.with_attributes({name: block})
        except UsageError as error:
            origin = _origin_of_fault(settings, name, error.message, "ontology.attributes")
            raise UsageError(f"{origin}: {error.message}", code="config") from error


def _origin_of_fault(settings: Settings, name: str, message: str, table: str = "types") -> str:
    """Return the line of the setting that a refusal of a block names, else of the block."""
    block = f"{table}.{name}"
    named = [f"{block}.{word}" for word in re.findall(r"\w+", message)]
    return settings.origin(next((leaf for leaf in named if leaf in settings.origins), block))
