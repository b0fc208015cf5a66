"""A reranker on a local ONNX cross-encoder: no service, no network, one processor core.

In: a folder with `model.onnx`, `tokenizer.json` and `reranker.json`, a question and texts. Out: a
probability a text, equal bit for bit whenever question and text are: every pair runs alone. The
model gives `logits`: one number, or those of "no" and "yes".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from smartbrain.adapters.models.library_errors import LibraryErrors
from smartbrain.adapters.models.onnx_folder import read_folder
from smartbrain.adapters.models.onnx_session import OnnxSession
from smartbrain.domain.shapes import Choice, Integer, Object, Text
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.reranker import probability, readable

SETTINGS: Final = "reranker.json"
_OUTPUT: Final = "logits"
_SHAPE: Final = Object(
    {
        "name": Text(max_length=200),
        "max_tokens": Integer(minimum=8, maximum=1_000_000, default=512),
        "activation": Choice(("sigmoid", "none"), default="sigmoid"),
    }
)


class OnnxReranker:
    """One model folder, loaded and tried out once; threads may share it.

    `activation` in its settings says what is left to do: `sigmoid` where the model gives log-odds,
    `none` where it gives probabilities.
    """

    def __init__(self, folder: Path) -> None:
        """Load the model and score a pair, so that a broken folder is known at once.

        Raises:
            UsageError: `config`; the folder is not as it should be.
            AdapterError: a file is damaged, or the model gives no usable number.
        """
        settings = read_folder(folder, SETTINGS, _SHAPE)
        self.name: str = settings["name"]
        self._folder = folder
        self._plain: bool = settings["activation"] == "none"
        self._session = OnnxSession(
            folder, "the reranker", max_tokens=settings["max_tokens"], output=_OUTPUT
        )
        self._scored("probe", "probe")

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how likely each text answers the question, each read alone."""
        question = readable(query)
        return [self._scored(question, readable(text)) for text in texts]

    def close(self) -> None:
        """Let go of the model; calls that run finish."""
        self._session.close()

    def _scored(self, query: str, text: str) -> float:
        with LibraryErrors(f"{self.name} could not read a text; check max_tokens and the model"):
            found: Any = self._session.run(query, text)
            numbers = [float(one) for one in found.reshape(-1)]
        if not 1 <= len(numbers) <= 2:
            raise UsageError(
                f"{self._folder}: the model gives {len(numbers)} numbers a pair; a reranker gives"
                " one, or one for no and one for yes",
                code="config",
            )
        if not all(map(math.isfinite, numbers)):
            raise AdapterError(f"{self.name} gave a score that is no number", retryable=False)
        if self._plain:
            return min(1.0, max(0.0, numbers[-1]))
        return probability(numbers[-1] - sum(numbers[:-1]))
