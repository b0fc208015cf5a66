"""A model folder small enough to reason about: a token's state is a row of a table.

In: the settings to write and the table. Out: a folder that onnxruntime and tokenizers really load.
The file format of ONNX is protobuf; the few messages needed are written by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ("[UNK]", "[CLS]", "cat", "sofa", "invoice", "猫", "query", "passage")
TABLE = np.array(
    [[1, 1, 1], [2, 0, 0], [0, 3, 4], [0, 0, 5], [7, 0, 0], [0, 6, 8], [9, 9, 0], [0, 9, 9]],
    dtype=np.float32,
)
SETTINGS: dict[str, Any] = {
    "name": "tiny",
    "languages": ["en", "zh-CN"],
    "dimensions": 3,
    "pooling": "mean",
    "normalise": False,
    "max_tokens": 8,
}
FLOAT, INT64 = 1, 7


def tiny_folder(
    folder: Path,
    table: NDArray[np.float32] = TABLE,
    *,
    input_name: str = "input_ids",
    output_name: str = "last_hidden_state",
    **changed: Any,
) -> Path:
    """Write the three files; a setting changed to None is left out."""
    folder.mkdir(exist_ok=True)
    settings = {name: value for name, value in {**SETTINGS, **changed}.items() if value is not None}
    (folder / "embedder.json").write_text(json.dumps(settings), encoding="utf-8")
    vocabulary = {word: place for place, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", vocabulary["[CLS]"])]
    )
    # As many published tokenizers do; a loader that kept it would change every vector.
    tokenizer.enable_padding(length=32, pad_id=0, pad_token="[UNK]")
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(_model(table, input_name, output_name))
    return folder


def _model(table: NDArray[np.float32], input_name: str, output_name: str) -> bytes:
    rows, size = table.shape
    weights = message(
        (1, rows), (1, size), (2, FLOAT), (8, "table"), (9, table.astype("<f4").tobytes())
    )
    gather = message((1, "table"), (1, input_name), (2, output_name), (4, "Gather"))
    graph = message(
        (1, gather),
        (2, "tiny"),
        (5, weights),
        (11, value(input_name, INT64, "batch", "tokens")),
        (12, value(output_name, FLOAT, "batch", "tokens", size)),
    )
    return message((1, 8), (7, graph), (8, message((2, 13))))


def value(name: str, kind: int, *dimensions: str | int) -> bytes:
    sizes = [message((2 if isinstance(one, str) else 1, one)) for one in dimensions]
    tensor = message((1, kind), (2, message(*((1, size) for size in sizes))))
    return message((1, name), (2, message((1, tensor))))


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    written = b""
    for number, given in fields:
        if isinstance(given, int):
            written += _varint(number << 3) + _varint(given)
        else:
            content = given.encode() if isinstance(given, str) else given
            written += _varint(number << 3 | 2) + _varint(len(content)) + content
    return written


def _varint(value: int) -> bytes:
    written = b""
    while value > 127:
        written += bytes([value & 127 | 128])
        value >>= 7
    return written + bytes([value])
