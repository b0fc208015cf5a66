"""An embedder on a local ONNX model: no service, no network, one processor core.

In: a model folder and texts. Out: vectors that are equal bit for bit whenever the text is, because
every text runs alone: in a batch, dynamic quantisation mixes the texts' scales. Not for graphics
processors, and not for models that need more than tokens as input.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from smartbrain.adapters.models.library_errors import LibraryErrors
from smartbrain.adapters.models.onnx_folder import fingerprint, read_settings
from smartbrain.adapters.models.onnx_session import OnnxSession
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.embedder import Vector, embeddable

_STATES: Final = "last_hidden_state"


class OnnxEmbedder:
    """One model folder, loaded and tried out once; threads may share it."""

    def __init__(self, folder: Path) -> None:
        """Load the model and embed a word, so that a broken folder is known at once.

        Raises:
            UsageError: `config`; the folder is not as it should be.
            AdapterError: a file is damaged, or the model gives no usable vector.
        """
        self._settings = read_settings(folder)
        self._folder = folder
        self.name = self._settings.name
        self.model = f"{self.name}@{fingerprint(folder, self._settings)}"
        self.dimensions = self._settings.dimensions
        self.languages = self._settings.languages
        self._session = OnnxSession(
            folder, "the embedder", max_tokens=self._settings.max_tokens, output=_STATES
        )
        self._embed("", "probe")

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, with the prefix that the model expects."""
        return self._embed(self._settings.query_prefix, text)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of the texts, each embedded alone."""
        return [self._embed(self._settings.passage_prefix, text) for text in texts]

    def close(self) -> None:
        """Let go of the model; calls that run finish."""
        self._session.close()

    def _embed(self, prefix: str, text: str) -> array[float]:
        text = prefix + embeddable(text)
        with LibraryErrors(f"{self.name} could not embed a text; check max_tokens and the model"):
            states = self._session.run(text)
        return self._vector(states)

    def _vector(self, states: Any) -> array[float]:
        """Make one vector of the states of all tokens."""
        pooled = states[0] if self._settings.pooling == "cls" else states.mean(axis=0)
        values: list[float] = pooled.tolist()
        length = math.hypot(*values)
        if len(values) != self.dimensions:
            raise UsageError(
                f"{self._folder}: vectors have {len(values)} dimensions; correct `dimensions`",
                code="config",
            )
        if not math.isfinite(length) or not length:
            raise AdapterError(f"{self.name} gave a vector without a length", retryable=False)
        if self._settings.normalise:
            values = [value / length for value in values]
        return array("f", values)
