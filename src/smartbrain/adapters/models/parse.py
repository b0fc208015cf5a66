"""What a caller writes to choose embedders, read into values (S1).

In: `onnx:<folder>`, `http(s)://…#<model>`, `fastembed:<name>`, an Embedder, or a list of these,
each alone or with its languages. Out: one choice an embedder, or a UsageError that shows what is
valid. Nothing is opened or fetched, so a typing error is found without waiting for a model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from smartbrain.adapters.models.address import read_address
from smartbrain.domain.hints import did_you_mean
from smartbrain.errors import UsageError
from smartbrain.ports.embedder import Embedder, language_codes

Kind = Literal["onnx", "http", "fastembed", "given"]

_FORMS: Final = "'onnx:<folder>', 'http(s)://<address>#<model>' or 'fastembed:<name>'"
_FIELDS: Final = ("embedder", "languages", "key_env")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChoice:
    """One embedder as it was chosen: of a kind, at a place, for some languages or all it serves."""

    kind: Kind
    place: str = ""
    model: str = ""
    embedder: Embedder | None = None
    languages: tuple[str, ...] = ()
    key_env: str = ""
    """The environment variable with the service's key; empty means the usual one."""


def parse_embedders(given: object) -> tuple[EmbedderChoice, ...]:
    """Return what was chosen, in order; a pair or mapping in a list may name the languages.

    A list holds, for instance, `"onnx:models/en"`, `("onnx:models/zh", ["zh"])` or
    `{"embedder": "https://…#model", "languages": ["en"], "key_env": "MY_KEY"}`.

    Raises:
        UsageError: something in it cannot be read; the sentence shows the forms that can.
    """
    if isinstance(given, list | tuple):
        if not given:
            raise UsageError(f"the list of embedders is empty; give {_FORMS}, or None for none")
        return tuple(_entry(one) for one in given)
    return (_entry(given),)


def _entry(given: object) -> EmbedderChoice:
    """Read one embedder, alone or with its languages."""
    match given:
        case str():
            return _from_text(given)
        case Mapping():
            return _from_mapping(given)
        case [embedder, languages]:
            return _from_mapping({"embedder": embedder, "languages": languages})
        case Embedder():
            return EmbedderChoice(kind="given", embedder=given)
    raise UsageError(f"an embedder is {_FORMS} or an Embedder, not {given!r:.60}")


def _from_mapping(given: Mapping[Any, Any]) -> EmbedderChoice:
    for name in given:
        if name not in _FIELDS:
            near = did_you_mean(name, _FIELDS) or f"; it may have {', '.join(_FIELDS)}"
            raise UsageError(f"an embedder in the list has {name!r:.60}{near}")
    inner = given.get("embedder")
    if not isinstance(inner, str | Embedder):
        raise UsageError(f"`embedder` is {inner!r:.60}; it must be {_FORMS} or an Embedder")
    choice = _entry(inner)
    languages = given.get("languages", ())
    if isinstance(languages, str):
        languages = [languages]
    if not isinstance(languages, list | tuple) or not all(isinstance(x, str) for x in languages):
        raise UsageError(f"`languages` is {languages!r:.60}; write a list such as ['zh', 'en']")
    key_env = given.get("key_env", "")
    if key_env and not (isinstance(key_env, str) and _VARIABLE.fullmatch(key_env)):
        # Whoever wrote the key itself here must not find it in a log.
        raise UsageError("`key_env` names an environment variable, such as MY_KEY; never the key")
    return replace(choice, languages=language_codes(languages), key_env=key_env)


def _from_text(given: str) -> EmbedderChoice:
    text = given.strip()
    scheme, _, rest = text.partition(":")
    match scheme.lower():
        case "onnx" if rest.strip():
            return EmbedderChoice(kind="onnx", place=rest.strip())
        case "onnx":
            raise UsageError("'onnx:' lacks the folder; write onnx:<folder>")
        case "fastembed" if rest.strip():
            return EmbedderChoice(kind="fastembed", model=rest.strip())
        case "fastembed":
            raise UsageError("'fastembed:' lacks the name; write fastembed:<name>")
        case "http" | "https":
            address, model = read_address(text, "the embedding service")
            return EmbedderChoice(kind="http", place=address, model=model)
    near = did_you_mean(scheme, ("onnx", "http", "https", "fastembed"))
    raise UsageError(f"{scheme!r:.60} is no kind of embedder{near}; write {_FORMS}")
