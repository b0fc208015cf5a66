"""The reranker of a root: which one was chosen, opened by the first call that needs it.

In: a `Reranker`, `onnx:<folder>`, `http(s)://…#<model>`, or one of these with the variable of its
key. Out: a reranker that opens itself when it is first asked, so that loading a model falls under
the deadline of the call. A choice that cannot be read is refused at once.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from smartbrain.adapters.models.address import read_address
from smartbrain.adapters.models.given_reranker import GivenReranker
from smartbrain.domain.hints import did_you_mean
from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.ports.reranker import Reranker

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_recall import RecallRules

KEY_VARIABLE: Final = "SMARTBRAIN_RERANKER_KEY"
_FORMS: Final = "'onnx:<folder>', 'http(s)://<address>#<model>' or a Reranker"
_FIELDS: Final = ("reranker", "key_env")


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """A reranker as it was chosen: the caller's own, a folder, or a model of a service."""

    given: Reranker | None = None
    folder: str = ""
    address: str = ""
    model: str = ""
    key_env: str = ""


def parse_reranker(given: object) -> RerankerChoice:
    """Read what a caller wrote to choose a reranker; nothing is opened.

    Raises:
        UsageError: it cannot be read; the sentence shows the forms that can.
    """
    match given:
        case str():
            return _from_text(given.strip())
        case Mapping() if "reranker" in given and {*given} <= {*_FIELDS}:
            return _with_key(given)
        case Reranker():
            return RerankerChoice(given=given)
    raise UsageError(f"a reranker is {_FORMS}, not {given!r:.60}")


def reranker_from(given: object, environ: Mapping[str, str] = os.environ) -> tuple[Reranker, bool]:
    """Open what was chosen; also tell whether it is ours to close.

    Raises:
        UsageError: the choice cannot be read, a library or a key is missing, or a model folder is
            not as it should be.
        AdapterError: a local model is damaged, or the caller's own does not say what it is.
    """
    choice = parse_reranker(given)
    if choice.given is not None:
        return GivenReranker(choice.given), False
    if choice.folder:
        return _onnx(choice), True
    from smartbrain.adapters.models.http_reranker import HttpReranker
    from smartbrain.adapters.models.http_service import Pace

    key, pace = _key(choice, environ), Pace(jitter=random.random)
    return HttpReranker(choice.address, choice.model, pace=pace, key=key), True


def agreed(rules: Rules) -> RecallRules:
    """Return the rules of recall under which both places that speak of reranking are kept.

    `policies.retrieval.rerank` and `recall.rerank` each may switch it off, and the smaller `top_n`
    holds.
    """
    plan, own = rules.policies.retrieval.rerank, rules.recall.rerank
    both = replace(own, enabled=own.enabled and plan.enabled, top_n=min(own.top_n, plan.top_n))
    return rules.recall if both == own else replace(rules.recall, rerank=both)


class Rerankers:
    """A reranker that is opened once and shared by all tenants of a root; itself a `Reranker`."""

    def __init__(self, reranker: object = None, environ: Mapping[str, str] = os.environ) -> None:
        """Check a choice without opening anything; None is no choice.

        Raises:
            UsageError: it cannot be read.
        """
        self.chosen = reranker is not None
        self._given = reranker
        self._environ = environ
        self._lock = threading.Lock()
        self._opened: tuple[Reranker, bool] | None = None
        self._failure: SmartBrainError | None = None
        choice = parse_reranker(reranker) if self.chosen else RerankerChoice()
        self._named = choice.model or Path(choice.folder).name or "reranker"

    @property
    def name(self) -> str:
        """What it is called: as the model says once it is open, as it was chosen before."""
        opened = self._opened
        return opened[0].name if opened is not None else self._named

    def reranker(self) -> Reranker | None:
        """Return what ranks, opened when it is first asked; None where none was chosen."""
        return self if self.chosen else None

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return what the reranker says, opened now if it is not.

        One that could not be opened is not tried again: loading a large model takes long.

        Raises:
            UsageError: none was chosen, it cannot be opened, or a text is blank.
            AdapterError: the model is damaged, or it or its service failed.
        """
        return self._open().score(query, texts)

    def close(self) -> None:
        """Let go of what was opened here, and open nothing any more."""
        with self._lock:
            self._failure = UsageError("the reranker is closed; open it again", code="closed")
            if self._opened is not None and self._opened[1]:
                self._opened[0].close()
            self._opened = None

    def _open(self) -> Reranker:
        if not self.chosen:
            raise UsageError(
                "there is no reranker; give one to SmartBrain.open(reranker=…) or name it in"
                " recall.rerank.model"
            )
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._opened is None:
                try:
                    self._opened = reranker_from(self._given, self._environ)
                except SmartBrainError as error:
                    self._failure = error
                    raise
            return self._opened[0]


def _from_text(text: str) -> RerankerChoice:
    scheme, _, rest = text.partition(":")
    match scheme.lower():
        case "onnx" if rest.strip():
            return RerankerChoice(folder=rest.strip())
        case "onnx":
            raise UsageError("'onnx:' lacks the folder; write onnx:<folder>")
        case "http" | "https":
            address, model = read_address(text, "the reranker")
            return RerankerChoice(address=address, model=model)
    near = did_you_mean(scheme, ("onnx", "http", "https"))
    raise UsageError(f"{scheme!r:.60} is no kind of reranker{near}; write {_FORMS}")


def _with_key(given: Mapping[Any, Any]) -> RerankerChoice:
    """Read a choice that names the variable of its key."""
    key_env = given.get("key_env", "")
    if not isinstance(key_env, str) or (key_env and not key_env.isidentifier()):
        # Whoever wrote the key itself here must not find it in a log.
        raise UsageError("`key_env` names an environment variable, such as MY_KEY; never the key")
    if isinstance(given["reranker"], Mapping):
        raise UsageError(f"`reranker` must be {_FORMS}")
    return replace(parse_reranker(given["reranker"]), key_env=key_env)


def _onnx(choice: RerankerChoice) -> Reranker:
    try:
        from smartbrain.adapters.models.onnx_reranker import OnnxReranker
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed; run: pip install 'smartbrain[onnx]'"
        ) from None
    return OnnxReranker(Path(choice.folder).expanduser())


def _key(choice: RerankerChoice, environ: Mapping[str, str]) -> str:
    """Return the key for a service."""
    if not choice.key_env:
        return environ.get(KEY_VARIABLE, "")
    if not environ.get(choice.key_env):
        raise UsageError(f"the environment variable {choice.key_env} is not set")
    return environ[choice.key_env]
