"""The fields of whatever a message is given as: a dict, or an object of a provider's SDK.

In: any value. Out: its fields as a mapping, and text where text must be. SDKs are not imported; an
object is known by what it can do. Not a check of what the fields hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from smartbrain.errors import UsageError


def as_mapping(value: object, where: str) -> Mapping[str, Any] | None:
    """Return the fields of a dict or an object; None for what has none.

    Raises:
        UsageError: the object does not give its fields.
    """
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    try:
        if callable(dump):
            fields = dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
        elif is_dataclass(value) and not isinstance(value, type):
            fields = asdict(value)
        else:
            own = getattr(value, "__dict__", {})
            fields = {name: own[name] for name in own if not name.startswith("_")}
    except (TypeError, ValueError, RecursionError) as error:
        cause = " ".join(ascii(str(error)[:200]).split())
        raise UsageError(
            f"{where}: a {type(value).__name__} does not give its fields ({cause});"
            " give a dict instead"
        ) from None
    return fields if isinstance(fields, Mapping) and fields else None


def present(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a copy of the fields that are there: SDKs give None for all that are not."""
    return {
        name: as_mapping(value, where) if hasattr(value, "model_dump") else value
        for name, value in given.items()
        if value is not None
    }


def text_of(value: object, where: str) -> str:
    """Return what must be text; whether it can be stored is seen later.

    Raises:
        UsageError: it is something else.
    """
    if not isinstance(value, str):
        kind = "nothing" if value is None else type(value).__name__
        raise UsageError(f"{where} must be text, not {kind}")
    return value
