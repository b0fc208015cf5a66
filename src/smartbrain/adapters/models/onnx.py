"""Embedders and rerankers on a local ONNX model: no service, no network, one processor core.

In: a folder with `model.onnx`, `tokenizer.json` and its settings, and texts. Out: vectors or
probabilities that are equal bit for bit whenever the texts are, because every text or pair runs
alone: in a batch, dynamic quantisation mixes the texts' scales. Not for graphics processors.
"""

from __future__ import annotations

import hashlib
import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from smartbrain.adapters.models.given import LibraryErrors
from smartbrain.domain.record import canonical_json
from smartbrain.domain.shapes import Boolean, Choice, Integer, ListOf, Object, Text
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import disk_error
from smartbrain.ports.embedder import Vector, embeddable, language_codes
from smartbrain.ports.reranker import probability, readable

EMBEDDER_SETTINGS: Final = "embedder.json"
MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"

_EMBEDDER: Final = Object(
    {
        "name": Text(max_length=200),
        "dimensions": Integer(minimum=1, maximum=65_536),
        "pooling": Choice(("cls", "mean")),
        "normalise": Boolean(default=True),
        "max_tokens": Integer(minimum=8, maximum=1_000_000, default=512),
        "languages": ListOf(Text(max_length=35), required=False),
        "query_prefix": Text(required=False),
        "passage_prefix": Text(required=False),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxSettings:
    """How the states of a model become vectors; a prefix is put before each text of its kind."""

    name: str
    dimensions: int
    pooling: str
    normalise: bool
    max_tokens: int
    languages: tuple[str, ...] = ()
    query_prefix: str = ""
    passage_prefix: str = ""


def read_folder(folder: Path, settings: str, shape: Object) -> dict[str, Any]:
    """Return what the settings file of a model folder says, in the shape that it must have."""
    for name in (settings, MODEL, TOKENIZER):
        if not (folder / name).is_file():
            raise _config(f"{folder} has no {name}; a model folder holds it")
    path = folder / settings
    try:
        given = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _config(f"{path} cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError):
        raise _config(f"{path} is no JSON in UTF-8; write it anew") from None
    stray = [name for name in given if name not in shape.fields] if isinstance(given, dict) else []
    wrong = shape.problem(given, settings)
    if wrong is None and stray:
        wrong = f"{settings} has {stray[0]!r:.60}; it may have {', '.join(shape.fields)}"
    if wrong:
        raise _config(f"{folder}: {wrong}")
    values: dict[str, Any] = shape.stored(given)
    return values


def fingerprint(folder: Path, settings: OnnxSettings) -> str:
    """Return 16 hex digits of everything that vectors depend on: model, tokenizer, settings."""
    said = [settings.pooling, settings.normalise, settings.max_tokens]
    digest = hashlib.sha256(
        canonical_json([*said, settings.query_prefix, settings.passage_prefix]).encode()
    )
    try:
        # Large models keep their weights in further files beside the first.
        for path in (folder / TOKENIZER, *sorted(folder.glob(f"{MODEL}*"))):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except OSError as error:
        raise disk_error(error, f"read the model in {folder}") from error
    return digest.hexdigest()[:16]


def _config(sentence: str) -> UsageError:
    return UsageError(sentence, code="config")


# It carries no type information, so it is loaded as the untyped thing it is.
_runtime: Any = import_module("onnxruntime")

_CHARACTERS_A_TOKEN: Final = 40
"""More than tokens have: a huge text is cut there, not read whole to keep its beginning."""
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class OnnxSession:
    """One model folder, loaded once; threads may share it."""

    def __init__(self, folder: Path, what: str, *, max_tokens: int, output: str) -> None:
        """Load the files; `what` it is, such as "the embedder", is said when it is closed."""
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
        self._session = None

    def run(self, text: str, pair: str | None = None) -> Any:
        """Return the output for one input; what the libraries raise is the caller's to read."""
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


_STATES: Final = "last_hidden_state"


class OnnxEmbedder:
    """One model folder, loaded and tried out once; threads may share it."""

    def __init__(self, folder: Path) -> None:
        """Load the model and embed a word, so that a broken folder is known at once."""
        values = read_folder(folder, EMBEDDER_SETTINGS, _EMBEDDER)
        values["languages"] = language_codes(values.get("languages", ()))
        self._settings = OnnxSettings(**values)
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
        return self._embed(self._settings.query_prefix, text)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self._embed(self._settings.passage_prefix, text) for text in texts]

    def close(self) -> None:
        self._session.close()

    def _embed(self, prefix: str, text: str) -> array[float]:
        text = prefix + embeddable(text)
        with LibraryErrors(f"{self.name} could not embed a text; check max_tokens and the model"):
            states = self._session.run(text)
        return self._vector(states)

    def _vector(self, states: Any) -> array[float]:
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


RERANKER_SETTINGS: Final = "reranker.json"
_OUTPUT: Final = "logits"
_RERANKER: Final = Object(
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
        """Load the model and score a pair, so that a broken folder is known at once."""
        settings = read_folder(folder, RERANKER_SETTINGS, _RERANKER)
        self.name: str = settings["name"]
        self._folder = folder
        self._plain: bool = settings["activation"] == "none"
        self._session = OnnxSession(
            folder, "the reranker", max_tokens=settings["max_tokens"], output=_OUTPUT
        )
        self._scored("probe", "probe")

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        question = readable(query)
        return [self._scored(question, readable(text)) for text in texts]

    def close(self) -> None:
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
