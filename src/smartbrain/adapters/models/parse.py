"""What a caller writes to choose embedders, read into values (S1).

In: `onnx:<folder>`, `http(s)://…#<model>`, `fastembed:<name>`, an Embedder, or a list of these,
each alone or with its languages. Out: one choice an embedder, or a UsageError that shows what is
valid. Nothing is opened or fetched, so a typing error is found without waiting for a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from smartbrain.domain.hints import did_you_mean
from smartbrain.errors import UsageError
from smartbrain.ports.embedder import Embedder, language_codes


def read_address(text: str, service: str) -> tuple[str, str]:
    """Return the address and the model of a service, such as "the language model"."""
    address, _, model = text.partition("#")
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise UsageError(f"the address of {service} is malformed; write http(s)://…")
    if not model.strip():
        raise UsageError(f"the service at {host} needs a model; write its name after '#'")
    return address, model.strip()


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
    """
    if isinstance(given, list | tuple):
        if not given:
            raise UsageError(f"the list of embedders is empty; give {_FORMS}, or None for none")
        return tuple(_entry(one) for one in given)
    return (_entry(given),)


def _entry(given: object) -> EmbedderChoice:
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


NO_LANGUAGE: Final = frozenset({"", "mixed", "other"})
"""What `detect` says instead of a language: more than one, or none that it knows."""


@dataclass(frozen=True, slots=True)
class Route:
    """An embedder and the languages it is used for; none given means those it says it serves.

    One that the caller brought along (`owned` false) is the caller's to close.
    """

    embedder: Embedder
    languages: tuple[str, ...] = ()
    owned: bool = True

    def serves(self, language: str) -> bool:
        """Tell whether a text in this language belongs here."""
        return not self.served or language in NO_LANGUAGE or language in self.served

    @property
    def served(self) -> tuple[str, ...]:
        """The languages that it is used for; empty means all."""
        return self.languages or self.embedder.languages


class RoutedEmbedders:
    """The embedders of a brain, one or more; `detect` names the language of a text."""

    def __init__(self, routes: Sequence[Route], detect: Callable[[str], str]) -> None:
        """Take the routes in the order in which answers come."""
        names = [(route.embedder.name, route.embedder.model) for route in routes]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(
                    f"the embedder {name[0]} is given twice; give it once, with all its languages"
                )
        self.routes = tuple(routes)
        self._detect = detect

    @property
    def embedders(self) -> tuple[Embedder, ...]:
        return tuple(route.embedder for route in self.routes)

    def for_text(self, text: str) -> tuple[Embedder, ...]:
        language = self._detect(text)
        return tuple(route.embedder for route in self.routes if route.serves(language))

    def languages_of(self, embedder: Embedder) -> tuple[str, ...]:
        return next(route.served for route in self.routes if route.embedder is embedder)

    def close(self) -> None:
        for route in self.routes:
            if route.owned:
                route.embedder.close()
