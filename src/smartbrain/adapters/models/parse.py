"""What a caller writes to choose models, read into values (S1).

In: `onnx:<folder>`, `http(s)://…#<model>`, `fastembed:<name>`, a model of the caller's own, or a
dict of one of these with its options; of embedders also a list. Out: a choice a model, or a
UsageError that shows what is valid. Nothing is opened or fetched, so a typing error is found
without waiting for a model.
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
from smartbrain.ports.language_model import LONGEST_TIMEOUT, LanguageModel
from smartbrain.ports.reranker import Reranker

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FORMS: Final = {
    "onnx": "'onnx:<folder>'",
    "http": "'http(s)://<address>#<model>'",
    "fastembed": "'fastembed:<name>'",
}
_TIMEOUT: Final = 60.0  # seconds that a language model is given for an answer


@dataclass(frozen=True, slots=True)
class ModelKind:
    """What models are for: the name of their option, where they may be, what may be said of them.

    `key` is the environment variable with the key of their service.
    """

    option: str
    port: type
    places: tuple[str, ...]
    options: tuple[str, ...]
    key: str

    @property
    def name(self) -> str:
        return self.option.replace("_", " ")

    @property
    def noun(self) -> str:
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name}"

    @property
    def forms(self) -> str:
        return ", ".join(_FORMS[place] for place in self.places)

    @property
    def valid(self) -> str:
        article = "an" if self.port.__name__[0] in "AEIOU" else "a"
        return f"{self.forms} or {article} {self.port.__name__}"


EMBEDDER: Final = ModelKind(
    *("embedder", Embedder, ("onnx", "http", "fastembed")),
    *(("languages", "key_env"), "SMARTBRAIN_EMBEDDER_KEY"),
)
RERANKER: Final = ModelKind(
    "reranker", Reranker, ("onnx", "http"), ("key_env",), "SMARTBRAIN_RERANKER_KEY"
)
LANGUAGE_MODEL: Final = ModelKind(
    *("language_model", LanguageModel, ("http",), ("key_env", "timeout")),
    "SMARTBRAIN_LANGUAGE_MODEL_KEY",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """One model as it was chosen: the caller's own, a folder, a name, or a model of a service.

    `languages` are those that an embedder is for, none for all that it serves. `key_env` is the
    environment variable with the service's key; empty means the usual one.
    """

    place: Literal["given", "onnx", "http", "fastembed"]
    address: str = ""
    model: str = ""
    given: Any = None
    languages: tuple[str, ...] = ()
    key_env: str = ""
    timeout: float = _TIMEOUT


def parse_embedders(given: object) -> tuple[ModelChoice, ...]:
    """Return what was chosen, in order; a pair or mapping in a list may name the languages.

    A list holds, for instance, `"onnx:models/en"`, `("onnx:models/zh", ["zh"])` or
    `{"embedder": "https://…#model", "languages": ["en"], "key_env": "MY_KEY"}`.
    """
    if not isinstance(given, list | tuple):
        return (parse_model(given, EMBEDDER),)
    if not given:
        raise UsageError(f"the list of embedders is empty; give {EMBEDDER.forms}, or None for none")
    entries = (
        dict(zip(("embedder", "languages"), one, strict=True))
        if isinstance(one, list | tuple) and len(one) == 2
        else one
        for one in given
    )
    return tuple(parse_model(one, EMBEDDER) for one in entries)


def parse_model(given: object, kind: ModelKind) -> ModelChoice:
    """Read one choice."""
    if isinstance(given, str):
        return _from_text(given.strip(), kind)
    if isinstance(given, Mapping):
        return _from_mapping(given, kind)
    if isinstance(given, kind.port):
        return ModelChoice(place="given", given=given)
    raise UsageError(f"{kind.noun} is {kind.valid}, not {given!r:.60}")


def _from_mapping(given: Mapping[Any, Any], kind: ModelKind) -> ModelChoice:
    allowed = (kind.option, *kind.options)
    for name in given:
        if name not in allowed:
            near = did_you_mean(name, allowed) or f"; it may have {', '.join(allowed)}"
            raise UsageError(f"{kind.noun} has {name!r:.60}{near}")
    inner = given.get(kind.option)
    if not isinstance(inner, str | kind.port):
        told = "a mapping" if isinstance(inner, Mapping) else f"{inner!r:.60}"
        raise UsageError(f"`{kind.option}` is {told}; it must be {kind.valid}")
    languages = given.get("languages", ())
    if isinstance(languages, str):
        languages = [languages]
    if not isinstance(languages, list | tuple) or not all(isinstance(x, str) for x in languages):
        raise UsageError(f"`languages` is {languages!r:.60}; write a list such as ['zh', 'en']")
    key_env = given.get("key_env", "")
    if key_env and not (isinstance(key_env, str) and _VARIABLE.fullmatch(key_env)):
        # Whoever wrote the key itself here must not find it in a log.
        raise UsageError("`key_env` names an environment variable, such as MY_KEY; never the key")
    timeout = given.get("timeout", _TIMEOUT)
    if type(timeout) not in (int, float) or not 0 < timeout <= LONGEST_TIMEOUT:
        raise UsageError(f"`timeout` is seconds up to {LONGEST_TIMEOUT:g}, not {timeout!r:.60}")
    codes = language_codes(languages)
    choice = parse_model(inner, kind)
    return replace(choice, languages=codes, key_env=key_env or "", timeout=float(timeout))


def _from_text(text: str, kind: ModelKind) -> ModelChoice:
    scheme, _, rest = text.partition(":")
    match scheme.lower().replace("https", "http"):
        case "http" if "http" in kind.places:
            return _from_address(text, kind)
        case ("onnx" | "fastembed") as place if place in kind.places:
            what = "folder" if place == "onnx" else "name"
            if not rest.strip():
                raise UsageError(f"'{place}:' lacks the {what}; write {place}:<{what}>")
            if place == "onnx":
                return ModelChoice(place="onnx", address=rest.strip())
            return ModelChoice(place="fastembed", model=rest.strip())
    near = did_you_mean(scheme, (*kind.places, "https"))
    raise UsageError(f"{scheme!r:.60} is no kind of {kind.name}{near}; {kind.noun} is {kind.valid}")


def _from_address(text: str, kind: ModelKind) -> ModelChoice:
    address, _, model = text.partition("#")
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise UsageError(f"the address of the {kind.name} is malformed; write http(s)://…")
    if not model.strip():
        raise UsageError(f"the service at {host} needs a model; write its name after '#'")
    return ModelChoice(place="http", address=address, model=model.strip())


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
        return not self.served or language in NO_LANGUAGE or language in self.served

    @property
    def served(self) -> tuple[str, ...]:
        """The languages that it is used for; empty means all."""
        return self.languages or self.embedder.languages


class RoutedEmbedders:
    """The embedders of a brain, one or more; `detect` names the language of a text."""

    def __init__(self, routes: Sequence[Route], detect: Callable[[str], str]) -> None:
        names = [(route.embedder.name, route.embedder.model) for route in routes]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(
                    f"the embedder {name[0]} is given twice; give it once, with all its languages"
                )
        self.routes = tuple(routes)
        self.embedders = tuple(route.embedder for route in routes)
        self._detect = detect

    def for_text(self, text: str) -> tuple[Embedder, ...]:
        language = self._detect(text)
        return tuple(route.embedder for route in self.routes if route.serves(language))

    def languages_of(self, embedder: Embedder) -> tuple[str, ...]:
        return next(route.served for route in self.routes if route.embedder is embedder)

    def close(self) -> None:
        for route in self.routes:
            if route.owned:
                route.embedder.close()
