"""Opens the embedders that a caller chose: the one place that knows all kinds of them.

In: what the caller gave, and the environment with the keys of services. Out: embedders routed by
language. Each kind's library is loaded only when that kind is chosen; where it is not installed,
the error says how to install it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from smartbrain.adapters.models.fastembed_embedder import FastembedEmbedder
from smartbrain.adapters.models.given_embedder import GivenEmbedder
from smartbrain.adapters.models.parse import EmbedderChoice, parse_embedders
from smartbrain.adapters.models.routed import Route, RoutedEmbedders
from smartbrain.errors import UsageError
from smartbrain.ports.embedder import Embedder
from smartbrain.text.language import detect_language

KEY_VARIABLE: Final = "SMARTBRAIN_EMBEDDER_KEY"
OPENAI_VARIABLE: Final = "OPENAI_API_KEY"
_OPENAI: Final = "api.openai.com"


def embedder_from(
    given: object,
    detect: Callable[[str], str] = detect_language,
    environ: Mapping[str, str] = os.environ,
) -> RoutedEmbedders:
    """Open what was chosen; if one of several cannot be opened, none stays open.

    Raises:
        UsageError: the choice cannot be read, a library or a key is missing, or a model folder is
            not as it should be.
        AdapterError: a local model is damaged, or the caller's own does not say what it is.
    """
    routes: list[Route] = []
    with ExitStack() as opened:
        for choice in parse_embedders(given):
            if choice.embedder is not None:
                given_one = GivenEmbedder(choice.embedder)
                routes.append(Route(given_one, choice.languages, owned=False))
                continue
            embedder = _opened(choice, environ)
            opened.callback(embedder.close)
            routes.append(Route(embedder, choice.languages))
        routed = RoutedEmbedders(routes, detect)
        opened.pop_all()
    return routed


def _opened(choice: EmbedderChoice, environ: Mapping[str, str]) -> Embedder:
    if choice.kind == "onnx":
        return _onnx(choice)
    if choice.kind == "fastembed":
        return FastembedEmbedder(choice.model)
    return _http(choice, environ)


def _onnx(choice: EmbedderChoice) -> Embedder:
    try:
        from smartbrain.adapters.models.onnx_embedder import OnnxEmbedder
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed; run: pip install 'smartbrain[onnx]'"
        ) from None
    return OnnxEmbedder(Path(choice.place).expanduser())


def _http(choice: EmbedderChoice, environ: Mapping[str, str]) -> Embedder:
    from smartbrain.adapters.models.http_embedder import HttpEmbedder
    from smartbrain.adapters.models.http_service import Pace

    key = _key(choice, environ)
    return HttpEmbedder(choice.place, choice.model, pace=Pace(jitter=random.random), key=key)


def _key(choice: EmbedderChoice, environ: Mapping[str, str]) -> str:
    """Return the key for a service; OpenAI's usual variable is read for OpenAI alone."""
    if choice.key_env:
        if not environ.get(choice.key_env):
            raise UsageError(f"the environment variable {choice.key_env} is not set")
        return environ[choice.key_env]
    at_openai = urlsplit(choice.place).hostname == _OPENAI
    return environ.get(KEY_VARIABLE) or (environ.get(OPENAI_VARIABLE, "") if at_openai else "")
