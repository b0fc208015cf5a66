"""An embedder on a local ONNX model: no service, no network, one processor core.

In: a model folder and texts. Out: vectors that are equal bit for bit whenever the text is, because
every text runs alone: in a batch, dynamic quantisation mixes the texts' scales. Not for graphics
processors, and not for models that need more than tokens as input.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from smartbrain.adapters.models.library_errors import LibraryErrors
from smartbrain.adapters.models.onnx_folder import MODEL, TOKENIZER, fingerprint, read_settings
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.embedder import Vector, embeddable

# It carries no type information, so it is loaded as the untyped thing it is.
_runtime: Any = import_module("onnxruntime")

_CHARACTERS_A_TOKEN: Final = 40
"""More than tokens have: a huge text is cut there, not read whole to keep its beginning."""
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})
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
        with LibraryErrors(f"{folder / TOKENIZER} is no tokenizer that can be used"):
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(self._settings.max_tokens)
        with LibraryErrors(f"{folder / MODEL} is no model that can be used"):
            self._session: Any = _runtime.InferenceSession(
                str(folder / MODEL), _options(), providers=["CPUExecutionProvider"]
            )
        self._inputs = {one.name for one in self._session.get_inputs()}
        outputs = [one.name for one in self._session.get_outputs()]
        if not self._inputs <= _INPUTS or _STATES not in outputs:
            raise UsageError(
                f"{folder / MODEL} takes {', '.join(sorted(self._inputs))} and gives"
                f" {', '.join(outputs)}; it must take token ids and give {_STATES}",
                code="config",
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
        self._session = None

    def _embed(self, prefix: str, text: str) -> array[float]:
        session = self._session
        if session is None:
            raise UsageError("the embedder is closed; open it again", code="closed")
        text = prefix + embeddable(text)
        with LibraryErrors(f"{self.name} could not embed a text; check max_tokens and the model"):
            ids = self._tokenizer.encode(text[: self._settings.max_tokens * _CHARACTERS_A_TOKEN])
            tokens = {
                "input_ids": ids.ids,
                "attention_mask": ids.attention_mask,
                "token_type_ids": ids.type_ids,
            }
            feed = {name: np.array([tokens[name]], dtype=np.int64) for name in self._inputs}
            (states,) = session.run([_STATES], feed)
        return self._vector(states[0])

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


def _options() -> Any:
    """Return the options under which equal input gives equal output on any number of cores."""
    options = _runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 4
    return options
