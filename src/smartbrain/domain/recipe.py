"""Recipes: which slots a context has, and how much of the conversation it shows (R15).

In: the name of a recipe, or a block of `recipes` in brain.yml. Out: a `Recipe`, or a refusal that
names the known slots. Slots always come in the order of a package; a recipe only chooses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.errors import UsageError

SLOTS: Final = (
    "system",
    "developer",
    "fastmemo",
    "context_pool",
    "pins",
    "plan",
    "notebook",
    "working_summary",
    "recent_turns",
    "evidence",
    "tool_result",
    "user_message",
)
"""Everything a context can show, in the order of a package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a context shows.

    `recent_turns` is how many turns at most, by the rules where it is None. `tool_calls` says
    whether they tell which tools ran, `long_code` whether long code in them is shown.
    """

    name: str
    slots: tuple[str, ...]
    recent_turns: int | None = None
    tool_calls: bool = True
    long_code: bool = True

    def shows(self, slot: str) -> bool:
        """Tell whether a slot is in it."""
        return slot in self.slots


class _Block(msgspec.Struct, forbid_unknown_fields=True):
    slots: Annotated[list[str], msgspec.Meta(min_length=1)]
    recent_turns: Annotated[int, msgspec.Meta(ge=0, le=10_000)] | None = None
    tool_calls: bool = True
    long_code: bool = True


BUILTIN_RECIPES: Final = (
    Recipe(
        name="standard",
        slots=tuple(one for one in SLOTS if one not in ("fastmemo", "context_pool", "notebook")),
    ),
    Recipe(
        name="chat",
        slots=tuple(one for one in SLOTS if one not in ("plan", "working_summary", "tool_result")),
        tool_calls=False,
        long_code=False,
    ),
    Recipe(
        name="tool_loop",
        slots=tuple(one for one in SLOTS if one not in ("working_summary", "evidence")),
        long_code=False,
    ),
)
"""The recipes that every brain has."""


def recipe_from_block(name: str, block: Mapping[str, Any]) -> Recipe:
    """Read a recipe of a user's own."""
    try:
        given = msgspec.convert(block, _Block)
    except msgspec.ValidationError as error:
        known = ", ".join(_Block.__struct_fields__)
        raise _refused(name, f"cannot be read: {error}; it has {known}") from None
    for slot in given.slots:
        if slot not in SLOTS:
            hint = did_you_mean(slot, SLOTS)
            raise _refused(name, f"has no slot {shown(slot)}; slots are {', '.join(SLOTS)}{hint}")
    slots = tuple(slot for slot in SLOTS if slot in given.slots or slot == "user_message")
    return Recipe(
        name=name,
        slots=slots,
        recent_turns=given.recent_turns,
        tool_calls=given.tool_calls,
        long_code=given.long_code,
    )


def recipe_named(name: object, blocks: Mapping[str, Mapping[str, Any]]) -> Recipe:
    """Return a recipe by its name; one of the user's own goes before a built-in one."""
    if isinstance(name, str) and name in blocks:
        return recipe_from_block(name, blocks[name])
    known = {one.name: one for one in BUILTIN_RECIPES}
    if not isinstance(name, str) or name not in known:
        names = (*known, *sorted(blocks))
        hint = did_you_mean(name, names) if isinstance(name, str) else ""
        raise UsageError(f"there is no recipe {shown(name)}; recipes are {', '.join(names)}{hint}")
    return known[name]


def _refused(name: str, what: str) -> UsageError:
    return UsageError(f"recipe {shown(name)} {what}", code="config")
