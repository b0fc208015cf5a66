"""A tokenizer and an ONNX model of a folder, loaded together and asked one input at a time.

In: a model folder, and what its output is called. Out: that output for one text or one pair of
texts, the same bit for bit whenever the input is: one core, nothing batched, because in a batch
dynamic quantisation mixes the texts' scales. What the numbers mean is for the adapters that use it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from smartbrain.adapters.models.library_errors import LibraryErrors
from smartbrain.adapters.models.onnx_folder import MODEL, TOKENIZER
from smartbrain.errors import UsageError

# It carries no type information, so it is loaded as the untyped thing it is.
_runtime: Any = import_module("onnxruntime")

_CHARACTERS_A_TOKEN: Final = 40
"""More than tokens have: a huge text is cut there, not read whole to keep its beginning."""
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class OnnxSession:
    """One model folder, loaded once; threads may share it."""

    def __init__(self, folder: Path, what: str, *, max_tokens: int, output: str) -> None:
        """Load the files; `what` it is, such as "the embedder", is said when it is closed.

        Raises:
            UsageError: `config`; the model does not take tokens or lacks the output.
            AdapterError: a file is damaged.
        """
        self._what = what
        self._most = max_tokens * _CHARACTERS_A_TOKEN
        self._output = output
        with LibraryErrors(f"{folder / TOKENIZER} is no tokenizer that can be used"):
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(max_tokens)
        with LibraryErrors(f"{folder / MODEL} is no model that can be used"):
            self._session: Any = _runtime.InferenceSession(
                str(folder / MODEL), _options(), providers=["CPUExecutionProvider"]
            )
        self._inputs = {one.name for one in self._session.get_inputs()}
        outputs = [one.name for one in self._session.get_outputs()]
        if not self._inputs <= _INPUTS or output not in outputs:
            raise UsageError(
                f"{folder / MODEL} takes {', '.join(sorted(self._inputs))} and gives"
                f" {', '.join(outputs)}; it must take token ids and give {output}",
                code="config",
            )

    def close(self) -> None:
        """Let go of the model; calls that run finish."""
        self._session = None

    def run(self, text: str, pair: str | None = None) -> Any:
        """Return the output for one input; what the libraries raise is the caller's to read.

        Raises:
            UsageError: code `closed`.
        """
        session = self._session
        if session is None:
            raise UsageError(f"{self._what} is closed; open it again", code="closed")
        second = None if pair is None else pair[: self._most]
        encoded = self._tokenizer.encode(text[: self._most], second)
        tokens = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        feed = {name: np.array([tokens[name]], dtype=np.int64) for name in self._inputs}
        (found,) = session.run([self._output], feed)
        return found[0]


def _options() -> Any:
    """Return the options under which equal input gives equal output on any number of cores."""
    options = _runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 4
    return options
