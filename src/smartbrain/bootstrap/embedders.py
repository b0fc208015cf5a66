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

from smartbrain.adapters.models.fastembed_embedder import FastembedEmbedder
from smartbrain.adapters.models.given import GivenEmbedder
from smartbrain.adapters.models.parse import EmbedderChoice, Route, RoutedEmbedders, parse_embedders
from smartbrain.bootstrap.sources import service_key
from smartbrain.errors import UsageError
from smartbrain.ports.embedder import Embedder
from smartbrain.text.language import detect_language

KEY_VARIABLE: Final = "SMARTBRAIN_EMBEDDER_KEY"


def embedder_from(
    given: object,
    detect: Callable[[str], str] = detect_language,
    environ: Mapping[str, str] = os.environ,
) -> RoutedEmbedders:
    """Open what was chosen; if one of several cannot be opened, none stays open."""
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
        from smartbrain.adapters.models.onnx import OnnxEmbedder
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed; run: pip install 'smartbrain[onnx]'"
        ) from None
    return OnnxEmbedder(Path(choice.place).expanduser())


def _http(choice: EmbedderChoice, environ: Mapping[str, str]) -> Embedder:
    from smartbrain.adapters.models.http_models import HttpEmbedder, Pace

    key = service_key(choice.key_env, choice.place, KEY_VARIABLE, environ)
    return HttpEmbedder(choice.place, choice.model, pace=Pace(jitter=random.random), key=key)
