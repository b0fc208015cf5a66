"""The folder of a local model: what its `embedder.json` or `reranker.json` says, checked.

In: a folder with `model.onnx`, `tokenizer.json` and its settings. Out: checked settings, and a
fingerprint that changes with everything a vector depends on. Nothing is loaded into a runtime.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from smartbrain.domain.record import canonical_json
from smartbrain.domain.shapes import Boolean, Choice, Integer, ListOf, Object, Text
from smartbrain.errors import UsageError
from smartbrain.ports.blobs import disk_error
from smartbrain.ports.embedder import language_codes

SETTINGS: Final = "embedder.json"
MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"

_SHAPE: Final = Object(
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


def read_settings(folder: Path) -> OnnxSettings:
    """Return the checked settings of an embedder's folder.

    Raises:
        UsageError: `config`; the folder or one of its files is missing, or a setting is wrong.
    """
    values = read_folder(folder, SETTINGS, _SHAPE)
    values["languages"] = language_codes(values.get("languages", ()))
    return OnnxSettings(**values)


def read_folder(folder: Path, settings: str, shape: Object) -> dict[str, Any]:
    """Return what the settings file of a model folder says, in the shape that it must have.

    Raises:
        UsageError: `config`; the folder or one of its files is missing, or a setting is wrong.
    """
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
    stray = [name for name in given if name not in shape.fields] if _is_object(given) else []
    wrong = shape.problem(given, settings)
    if wrong is None and stray:
        wrong = f"{settings} has {stray[0]!r:.60}; it may have {', '.join(shape.fields)}"
    if wrong:
        raise _config(f"{folder}: {wrong}")
    values: dict[str, Any] = shape.stored(given)
    return values


def fingerprint(folder: Path, settings: OnnxSettings) -> str:
    """Return 16 hex digits of everything that vectors depend on: model, tokenizer, settings.

    Raises:
        AdapterError: a file could not be read.
    """
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


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _config(sentence: str) -> UsageError:
    return UsageError(sentence, code="config")
