"""The guide to memory types says what the registry does."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain.domain.shapes import Choice
from smartbrain.domain.types import BUILTIN_TYPES, MemoryType

GUIDE = Path(__file__).parents[3] / "docs" / "memory-types.md"


def documented_key(memory_type: MemoryType) -> str:
    """Return a type's key as the guide writes it: choices spelled out."""
    form = memory_type.rule.form
    for segment in memory_type.rule.segments:
        shape = memory_type.value.fields.get(segment.name)
        if isinstance(shape, Choice):
            options = r"\|".join(shape.options)
            form = form.replace(f"<{segment.name}>", f"<{options}>")
    return form


@pytest.mark.spec("M1")
@pytest.mark.parametrize("memory_type", BUILTIN_TYPES, ids=lambda found: found.name)
def test_the_guide_has_the_row_of_each_type(memory_type: MemoryType) -> None:
    """Key, node kind, group and rule stand in the guide as they are in the code."""
    row = " | ".join(
        [
            f"| `{memory_type.name}`",
            f"`{documented_key(memory_type)}`",
            memory_type.node_kind,
            memory_type.group,
            f"{memory_type.on_conflict} |",
        ]
    )

    assert row in GUIDE.read_text(encoding="utf-8")


@pytest.mark.spec("M1")
@pytest.mark.parametrize("memory_type", BUILTIN_TYPES, ids=lambda found: found.name)
def test_the_guide_names_every_field(memory_type: MemoryType) -> None:
    """The fields of each value are listed, those that may be left out with a question mark."""
    fields = ", ".join(
        f"`{name}`" if shape.required and shape.default is None else f"`{name}`?"
        for name, shape in memory_type.value.fields.items()
    )

    assert f"| `{memory_type.name}` | {fields} |" in GUIDE.read_text(encoding="utf-8")
