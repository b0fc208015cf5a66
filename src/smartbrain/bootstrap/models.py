"""The models of a root: which were chosen, opened by the first call that needs them.

In: what the caller or brain.yml names (`adapters.models.parse`), and the environment with the keys
of services. Out: embedders routed by language, a reranker, a language model. A choice that cannot
be read is refused at once; loading a model falls under the deadline of the call that asks it first.
Each kind's library is loaded when that kind is opened; where it is missing, the error says so.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from smartbrain.adapters.models.fastembed_embedder import FastembedEmbedder
from smartbrain.adapters.models.given import GivenEmbedder, GivenLanguageModel, GivenReranker
from smartbrain.adapters.models.parse import (
    EMBEDDER,
    LANGUAGE_MODEL,
    RERANKER,
    ModelChoice,
    ModelKind,
    Route,
    RoutedEmbedders,
    parse_embedders,
    parse_model,
)
from smartbrain.bootstrap.sources import service_key
from smartbrain.domain.job import WorkKind
from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.ports.embedder import Embedders
from smartbrain.ports.language_model import LanguageModel
from smartbrain.ports.reranker import Reranker
from smartbrain.text.language import detect_language

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_recall import RecallRules

_GIVEN: Final[Mapping[ModelKind, Callable[[Any], Any]]] = {
    EMBEDDER: GivenEmbedder,
    RERANKER: GivenReranker,
    LANGUAGE_MODEL: GivenLanguageModel,
}
_LIBRARIES: Final = {"onnx": ("onnxruntime", "tokenizers"), "fastembed": ("fastembed",)}
"""What a model needs at its place, by the name of the extra that brings it."""
_Model = TypeVar("_Model")


def open_model(choice: ModelChoice, kind: ModelKind, environ: Mapping[str, str]) -> Any:
    """Open what was chosen."""
    if choice.place == "given":
        return _GIVEN[kind](choice.given)
    if choice.place == "fastembed":
        return FastembedEmbedder(choice.model)
    if choice.place == "onnx":
        try:
            from smartbrain.adapters.models.onnx import OnnxEmbedder, OnnxReranker
        except ModuleNotFoundError as error:
            raise UsageError(
                f"{error.name} is not installed; run: pip install 'smartbrain[onnx]'"
            ) from None
        folder = Path(choice.address).expanduser()
        return OnnxEmbedder(folder) if kind is EMBEDDER else OnnxReranker(folder)
    from smartbrain.adapters.models import http_models

    made: Callable[..., Any] = {
        EMBEDDER: http_models.HttpEmbedder,
        RERANKER: http_models.HttpReranker,
        LANGUAGE_MODEL: http_models.HttpLanguageModel,
    }[kind]
    key = service_key(choice.key_env, choice.address, kind.key, environ)
    pace = http_models.Pace(jitter=random.random)
    return made(choice.address, choice.model, pace=pace, key=key)


def _check_choice(choice: ModelChoice) -> None:
    """Refuse a model whose library is not installed, or whose folder is not there."""
    for library in _LIBRARIES.get(choice.place, ()):
        if find_spec(library) is None:
            raise UsageError(
                f"{library} is not installed; run: pip install 'smartbrain[{choice.place}]'",
                code="config",
            )
    if choice.place == "onnx" and not Path(choice.address).expanduser().is_dir():
        raise UsageError(
            f"there is no model folder {choice.address}; check its path", code="config"
        )


def model_from(
    given: object, kind: ModelKind, environ: Mapping[str, str] = os.environ
) -> tuple[Any, bool]:
    """Open what a caller has written; also tell whether it is ours to close."""
    choice = parse_model(given, kind)
    return open_model(choice, kind, environ), choice.place != "given"


def embedder_from(
    given: object,
    detect: Callable[[str], str] = detect_language,
    environ: Mapping[str, str] = os.environ,
) -> RoutedEmbedders:
    """Open the embedders that were chosen; if one cannot be opened, none stays open."""
    routes: list[Route] = []
    with ExitStack() as opened:
        for choice in parse_embedders(given):
            embedder = open_model(choice, EMBEDDER, environ)
            owned = choice.place != "given"
            if owned:
                opened.callback(embedder.close)
            routes.append(Route(embedder, choice.languages, owned=owned))
        routed = RoutedEmbedders(routes, detect)
        opened.pop_all()
    return routed


def agreed(rules: Rules) -> RecallRules:
    """Return the rules of recall under which both places that speak of reranking are kept.

    `policies.retrieval.rerank` and `recall.rerank` each may switch it off, and the smaller `top_n`
    holds.
    """
    plan, own = rules.policies.retrieval.rerank, rules.recall.rerank
    both = replace(own, enabled=own.enabled and plan.enabled, top_n=min(own.top_n, plan.top_n))
    return rules.recall if both == own else replace(rules.recall, rerank=both)


def with_extraction(rules: Rules) -> Rules:
    """Return rules under which every turn is queued to be read by the language model as well."""
    if WorkKind.EXTRACT in rules.jobs.agents:
        return rules
    agents = (*rules.jobs.agents, WorkKind.EXTRACT.value)
    return replace(rules, jobs=replace(rules.jobs, agents=agents))


class _Opened(Generic[_Model]):
    """A model that is opened once, by the first call that needs it, for all tenants of a root.

    What could not be opened is not tried again where `last` says so: loading a model takes long.
    """

    def __init__(
        self,
        open_it: Callable[[], tuple[_Model, bool]] | None,
        missing: str,
        *,
        last: bool = True,
    ) -> None:
        """Take what opens it, None where none was chosen, and what is said then."""
        self.chosen = open_it is not None
        self._open = open_it
        self._missing = missing
        self._last = last
        self._lock = threading.Lock()
        self._opened: tuple[_Model, bool] | None = None
        self._failure: SmartBrainError | None = None

    def model(self) -> _Model:
        """Return it, opened now if it is not."""
        with self._lock:
            if self._open is None:
                raise UsageError(self._missing)
            if self._failure is not None:
                raise self._failure
            if self._opened is None:
                try:
                    self._opened = self._open()
                except SmartBrainError as error:
                    self._failure = error if self._last else None
                    raise
            return self._opened[0]

    def close(self) -> None:
        """Let go of what was opened here."""
        with self._lock:
            if self._opened is not None and self._opened[1]:
                closing: Any = self._opened[0]
                closing.close()
            self._opened = None


class Models(_Opened[Embedders]):
    """Embedders that are opened once; what cannot be opened switches off what needs it."""

    def __init__(self, embedder: object = None) -> None:
        """Check a choice without opening anything; None, and nothing in a list, is no choice."""
        chosen = embedder not in (None, (), [])
        super().__init__(
            (lambda: (embedder_from(embedder), True)) if chosen else None,
            "there is no embedder; give one to SmartBrain.open(embedder=…) or name it in"
            " recall.vector.embedders",
        )
        for choice in parse_embedders(embedder) if chosen else ():
            _check_choice(choice)


class Rerankers(_Opened[Reranker]):
    """A reranker that is opened once; itself a `Reranker`."""

    def __init__(self, reranker: object = None) -> None:
        """Check a choice without opening anything; None is no choice."""
        super().__init__(
            None if reranker is None else lambda: model_from(reranker, RERANKER),
            "there is no reranker; give one to SmartBrain.open(reranker=…) or name it in"
            " recall.rerank.model",
        )
        self._named = "reranker"
        if self.chosen:
            choice = parse_model(reranker, RERANKER)
            _check_choice(choice)
            self._named = choice.model or Path(choice.address).name or self._named

    @property
    def name(self) -> str:
        """What it is called: as the model says once it is open, as it was chosen before."""
        return self._opened[0].name if self._opened is not None else self._named

    def reranker(self) -> Reranker | None:
        """Return what ranks, opened when it is first asked; None where none was chosen."""
        return self if self.chosen else None

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return what the reranker says, opened now if it is not."""
        return self.model().score(query, texts)

    def close(self) -> None:
        """Let go of what was opened here, and open nothing any more."""
        super().close()
        self._failure = UsageError("the reranker is closed; open it again", code="closed")


class LanguageModels(_Opened[LanguageModel]):
    """A language model that is opened once; with none chosen everything works by rules."""

    def __init__(self, language_model: object = None) -> None:
        """Check a choice without opening anything; None is no choice."""
        super().__init__(
            None if language_model is None else lambda: model_from(language_model, LANGUAGE_MODEL),
            "there is no language model; give one to SmartBrain.open(language_model=…)",
            last=False,
        )
        self.timeout = parse_model(language_model, LANGUAGE_MODEL).timeout if self.chosen else 0.0
