"""The models of a root: which were chosen, opened by the first call that needs them.

In: what the caller or brain.yml names: a model of the caller's own, `onnx:<folder>`,
`http(s)://…#<model>`, or one of these with the variable of its key. Out: embedders, a reranker, a
language model. A choice that cannot be read is refused at once; loading a model falls under the
deadline of the call that asks it first.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from smartbrain.adapters.models.given import GivenLanguageModel, GivenReranker
from smartbrain.adapters.models.parse import parse_embedders, read_address
from smartbrain.bootstrap.sources import chosen_key, service_key
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.job import WorkKind
from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.ports.language_model import LONGEST_TIMEOUT, LanguageModel
from smartbrain.ports.reranker import Reranker

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.ports.embedder import Embedders

RERANKER_KEY: Final = "SMARTBRAIN_RERANKER_KEY"
LANGUAGE_MODEL_KEY: Final = "SMARTBRAIN_LANGUAGE_MODEL_KEY"
_RERANKERS: Final = "'onnx:<folder>', 'http(s)://<address>#<model>' or a Reranker"
_LANGUAGE_MODELS: Final = "'http(s)://<address>#<model>' or a LanguageModel"
_TIMEOUT: Final = 60.0  # seconds that a language model is given for an answer
_Model = TypeVar("_Model")


@dataclass(frozen=True, slots=True)
class ModelChoice(Generic[_Model]):
    """A model as it was chosen: the caller's own, a folder, or a model of a service."""

    given: _Model | None = None
    folder: str = ""
    place: str = ""
    model: str = ""
    key_env: str = ""
    timeout: float = _TIMEOUT


def parse_reranker(given: object) -> ModelChoice[Reranker]:
    """Read what a caller wrote to choose a reranker; nothing is opened."""
    match given:
        case str():
            return _reranker_from_text(given.strip())
        case Mapping() if "reranker" in given and {*given} <= {"reranker", "key_env"}:
            key_env = _key_env(given)
            if isinstance(given["reranker"], Mapping):
                raise UsageError(f"`reranker` must be {_RERANKERS}")
            return replace(parse_reranker(given["reranker"]), key_env=key_env)
        case Reranker():
            return ModelChoice(given=given)
    raise UsageError(f"a reranker is {_RERANKERS}, not {given!r:.60}")


def parse_language_model(given: object) -> ModelChoice[LanguageModel]:
    """Read what a caller wrote to choose a language model; nothing is opened."""
    match given:
        case str() if given.strip().lower().startswith(("http://", "https://")):
            address, model = read_address(given.strip(), "the language model")
            return ModelChoice(place=address, model=model)
        case Mapping() if "language_model" in given and {*given} <= {
            *("language_model", "key_env", "timeout")
        }:
            return _with_options(given)
        case LanguageModel():
            return ModelChoice(given=given)
    raise UsageError(f"a language model is {_LANGUAGE_MODELS}, not {given!r:.60}")


def reranker_from(given: object, environ: Mapping[str, str] = os.environ) -> tuple[Reranker, bool]:
    """Open what was chosen; also tell whether it is ours to close."""
    choice = parse_reranker(given)
    if choice.given is not None:
        return GivenReranker(choice.given), False
    if choice.folder:
        return _onnx_reranker(choice.folder), True
    from smartbrain.adapters.models.http_models import HttpReranker, Pace

    key = chosen_key(choice.key_env, environ) or environ.get(RERANKER_KEY, "")
    pace = Pace(jitter=random.random)
    return HttpReranker(choice.place, choice.model, pace=pace, key=key), True


def language_model_from(
    given: object, environ: Mapping[str, str] = os.environ
) -> tuple[LanguageModel, bool]:
    """Open what was chosen; also tell whether it is ours to close."""
    choice = parse_language_model(given)
    if choice.given is not None:
        return GivenLanguageModel(choice.given), False
    from smartbrain.adapters.models.http_models import HttpLanguageModel, Pace

    key = service_key(choice.key_env, choice.place, LANGUAGE_MODEL_KEY, environ)
    pace = Pace(jitter=random.random)
    return HttpLanguageModel(choice.place, choice.model, pace=pace, key=key), True


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


class _Once(Generic[_Model]):
    """What is opened once and shared by all tenants of a root.

    What could not be opened is not tried again where `last` says so: loading a model takes long.
    """

    def __init__(self, open_it: Callable[[], tuple[_Model, bool]], *, last: bool = True) -> None:
        self._open = open_it
        self._last = last
        self._lock = threading.Lock()
        self.opened: tuple[_Model, bool] | None = None
        self._failure: SmartBrainError | None = None

    def get(self) -> _Model:
        """Return it, opened now if it is not."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self.opened is None:
                try:
                    self.opened = self._open()
                except SmartBrainError as error:
                    self._failure = error if self._last else None
                    raise
            return self.opened[0]

    def close(self, failure: SmartBrainError | None = None) -> None:
        """Let go of what was opened here; with `failure`, open nothing any more."""
        with self._lock:
            self._failure = failure or self._failure
            if self.opened is not None and self.opened[1]:
                closing: Any = self.opened[0]
                closing.close()
            self.opened = None


class Models:
    """Embedders that are opened once; what cannot be opened switches off what needs it."""

    def __init__(self, embedder: object = None) -> None:
        """Check a choice without opening anything; None, and nothing in a list, is no choice."""
        self.chosen = embedder not in (None, (), [])
        self._given = embedder
        self._once: _Once[Embedders] = _Once(self._open)
        if self.chosen:
            parse_embedders(embedder)

    def _open(self) -> tuple[Embedders, bool]:
        from smartbrain.bootstrap.embedders import embedder_from

        return embedder_from(self._given), True

    def embedders(self) -> Embedders:
        """Return the embedders, opened now if they are not."""
        if not self.chosen:
            raise UsageError(
                "there is no embedder; give one to SmartBrain.open(embedder=…) or name it in"
                " recall.vector.embedders"
            )
        return self._once.get()

    def close(self) -> None:
        """Let go of what was opened."""
        self._once.close()


class Rerankers:
    """A reranker that is opened once; itself a `Reranker`."""

    def __init__(self, reranker: object = None, environ: Mapping[str, str] = os.environ) -> None:
        """Check a choice without opening anything; None is no choice."""
        self.chosen = reranker is not None
        self._once = _Once(lambda: reranker_from(reranker, environ))
        choice = parse_reranker(reranker) if self.chosen else ModelChoice()
        self._named = choice.model or Path(choice.folder).name or "reranker"

    @property
    def name(self) -> str:
        """What it is called: as the model says once it is open, as it was chosen before."""
        opened = self._once.opened
        return opened[0].name if opened is not None else self._named

    def reranker(self) -> Reranker | None:
        """Return what ranks, opened when it is first asked; None where none was chosen."""
        return self if self.chosen else None

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return what the reranker says, opened now if it is not."""
        if not self.chosen:
            raise UsageError(
                "there is no reranker; give one to SmartBrain.open(reranker=…) or name it in"
                " recall.rerank.model"
            )
        return self._once.get().score(query, texts)

    def close(self) -> None:
        """Let go of what was opened here, and open nothing any more."""
        self._once.close(UsageError("the reranker is closed; open it again", code="closed"))


class LanguageModels:
    """A language model that is opened once; with none chosen everything works by rules."""

    def __init__(self, language_model: object = None) -> None:
        """Check a choice without opening anything; None is no choice."""
        self.chosen = language_model is not None
        self.timeout = parse_language_model(language_model).timeout if self.chosen else _TIMEOUT
        self._once = _Once(lambda: language_model_from(language_model), last=False)

    def model(self) -> LanguageModel:
        """Return the language model, opened now if it is not."""
        if not self.chosen:
            raise UsageError(
                "there is no language model; give one to SmartBrain.open(language_model=…)"
            )
        return self._once.get()

    def close(self) -> None:
        """Let go of what was opened here."""
        self._once.close()


def _reranker_from_text(text: str) -> ModelChoice[Reranker]:
    scheme, _, rest = text.partition(":")
    match scheme.lower():
        case "onnx" if rest.strip():
            return ModelChoice(folder=rest.strip())
        case "onnx":
            raise UsageError("'onnx:' lacks the folder; write onnx:<folder>")
        case "http" | "https":
            address, model = read_address(text, "the reranker")
            return ModelChoice(place=address, model=model)
    near = did_you_mean(scheme, ("onnx", "http", "https"))
    raise UsageError(f"{scheme!r:.60} is no kind of reranker{near}; write {_RERANKERS}")


def _key_env(given: Mapping[Any, Any]) -> str:
    """Read the variable of a key; whoever wrote the key itself there must not find it in a log."""
    key_env = given.get("key_env", "")
    if not isinstance(key_env, str) or (key_env and not key_env.isidentifier()):
        raise UsageError("`key_env` names an environment variable, such as MY_KEY; never the key")
    return key_env


def _with_options(given: Mapping[Any, Any]) -> ModelChoice[LanguageModel]:
    """Read a choice that names the variable of its key, or how long an answer may take."""
    key_env, timeout = _key_env(given), given.get("timeout", _TIMEOUT)
    if type(timeout) not in (int, float) or not 0 < timeout <= LONGEST_TIMEOUT:
        raise UsageError(f"`timeout` is seconds up to {LONGEST_TIMEOUT:g}, not {timeout!r:.60}")
    if isinstance(given["language_model"], Mapping):
        raise UsageError(f"`language_model` must be {_LANGUAGE_MODELS}")
    choice = parse_language_model(given["language_model"])
    return replace(choice, key_env=key_env, timeout=float(timeout))


def _onnx_reranker(folder: str) -> Reranker:
    try:
        from smartbrain.adapters.models.onnx import OnnxReranker
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed; run: pip install 'smartbrain[onnx]'"
        ) from None
    return OnnxReranker(Path(folder).expanduser())
