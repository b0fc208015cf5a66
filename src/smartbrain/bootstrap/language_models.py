"""The language model of a root: which one was chosen, opened by the first call that needs it.

In: a `LanguageModel`, `http(s)://…#<model>`, or either with the variable of its key. Out: the
model. A choice that cannot be read is refused at once; with no choice everything works by rules.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from smartbrain.adapters.models.address import read_address
from smartbrain.adapters.models.given_language_model import GivenLanguageModel
from smartbrain.domain.work import WorkKind
from smartbrain.errors import UsageError
from smartbrain.ports.language_model import LONGEST_TIMEOUT, LanguageModel

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules

KEY_VARIABLE: Final = "SMARTBRAIN_LANGUAGE_MODEL_KEY"
OPENAI_VARIABLE: Final = "OPENAI_API_KEY"
_OPENAI: Final = "api.openai.com"
_FORMS: Final = "'http(s)://<address>#<model>' or a LanguageModel"
_FIELDS: Final = ("language_model", "key_env", "timeout")
_TIMEOUT: Final = 60.0  # seconds that a model is given for an answer


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A language model as it was chosen: the caller's own, or a model of a service."""

    given: LanguageModel | None = None
    place: str = ""
    model: str = ""
    key_env: str = ""
    timeout: float = _TIMEOUT


def parse_language_model(given: object) -> ModelChoice:
    """Read what a caller wrote to choose a language model; nothing is opened.

    Raises:
        UsageError: it cannot be read; the sentence shows the forms that can.
    """
    match given:
        case str() if given.strip().lower().startswith(("http://", "https://")):
            address, model = read_address(given.strip(), "the language model")
            return ModelChoice(place=address, model=model)
        case Mapping() if "language_model" in given and {*given} <= {*_FIELDS}:
            return _with_options(given)
        case LanguageModel():
            return ModelChoice(given=given)
    raise UsageError(f"a language model is {_FORMS}, not {given!r:.60}")


def language_model_from(
    given: object, environ: Mapping[str, str] = os.environ
) -> tuple[LanguageModel, bool]:
    """Open what was chosen; also tell whether it is ours to close.

    Raises:
        UsageError: the choice cannot be read, or its key is missing.
    """
    choice = parse_language_model(given)
    if choice.given is not None:
        return GivenLanguageModel(choice.given), False
    from smartbrain.adapters.models.http_language_model import HttpLanguageModel
    from smartbrain.adapters.models.http_service import Pace

    key, pace = _key(choice, environ), Pace(jitter=random.random)
    return HttpLanguageModel(choice.place, choice.model, pace=pace, key=key), True


def with_extraction(rules: Rules) -> Rules:
    """Return rules under which every turn is queued to be read by the language model as well."""
    if WorkKind.EXTRACT in rules.jobs.agents:
        return rules
    agents = (*rules.jobs.agents, WorkKind.EXTRACT.value)
    return replace(rules, jobs=replace(rules.jobs, agents=agents))


class LanguageModels:
    """A language model that is opened once and shared by all tenants of a root."""

    def __init__(self, language_model: object = None) -> None:
        """Check a choice without opening anything; None is no choice.

        Raises:
            UsageError: it cannot be read.
        """
        self.chosen = language_model is not None
        self.timeout = _TIMEOUT
        self._given = language_model
        self._lock = threading.Lock()
        self._opened: tuple[LanguageModel, bool] | None = None
        if self.chosen:
            self.timeout = parse_language_model(language_model).timeout

    def model(self) -> LanguageModel:
        """Return the language model, opened now if it is not.

        Raises:
            UsageError: none was chosen, or its key is missing.
        """
        if not self.chosen:
            raise UsageError(
                "there is no language model; give one to SmartBrain.open(language_model=…)"
            )
        with self._lock:
            if self._opened is None:
                self._opened = language_model_from(self._given)
            return self._opened[0]

    def close(self) -> None:
        """Let go of what was opened here."""
        with self._lock:
            if self._opened is not None and self._opened[1]:
                self._opened[0].close()
            self._opened = None


def _with_options(given: Mapping[Any, Any]) -> ModelChoice:
    """Read a choice that names the variable of its key, or how long an answer may take."""
    key_env, timeout = given.get("key_env", ""), given.get("timeout", _TIMEOUT)
    if not isinstance(key_env, str) or (key_env and not key_env.isidentifier()):
        # Whoever wrote the key itself here must not find it in a log.
        raise UsageError("`key_env` names an environment variable, such as MY_KEY; never the key")
    if type(timeout) not in (int, float) or not 0 < timeout <= LONGEST_TIMEOUT:
        raise UsageError(f"`timeout` is seconds up to {LONGEST_TIMEOUT:g}, not {timeout!r:.60}")
    if isinstance(given["language_model"], Mapping):
        raise UsageError(f"`language_model` must be {_FORMS}")
    choice = parse_language_model(given["language_model"])
    return replace(choice, key_env=key_env, timeout=float(timeout))


def _key(choice: ModelChoice, environ: Mapping[str, str]) -> str:
    """Return the key for a service; OpenAI's usual variable is read for OpenAI alone."""
    if choice.key_env:
        if not environ.get(choice.key_env):
            raise UsageError(f"the environment variable {choice.key_env} is not set")
        return environ[choice.key_env]
    at_openai = urlsplit(choice.place).hostname == _OPENAI
    return environ.get(KEY_VARIABLE) or (environ.get(OPENAI_VARIABLE, "") if at_openai else "")
