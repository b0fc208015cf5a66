"""Phrases: the pieces that a value's one readable line is put together from.

In: a value's fields. Out: short texts that keep the fields' own language and leave out what is not
there. Nothing is translated and nothing is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from smartbrain.domain.record import canonical_json


def as_text(value: object) -> str:
    """Return a JSON value as one line of text for people: words as they are, the rest as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list | tuple):
        return ", ".join(as_text(item) for item in value)
    return canonical_json(value)


def labelled(label: str, text: str) -> str:
    """Return `label: text`, or the one that is there."""
    return f"{label}: {text}" if label and text else label or text


def pair(value: Mapping[str, Any], label: str, text: str) -> str:
    """Return `label: text` of two fields."""
    return labelled(as_text(value.get(label)), as_text(value.get(text)))


def under(value: Mapping[str, Any], field: str, text: str) -> str:
    """Return `field — text`: what a text belongs to, then the text."""
    return " — ".join(filter(None, (as_text(value.get(field)), text)))


def marked(text: str, mark: object) -> str:
    """Return `text [mark]`."""
    return f"{text} [{as_text(mark)}]" if text and mark else text


def aside(text: str, value: Mapping[str, Any], *fields: str) -> str:
    """Return `text (field; field)` with the fields that are there."""
    said = "; ".join(filter(None, (as_text(value.get(field)) for field in fields)))
    return f"{text} ({said})" if said else text
