"""A cross-encoder small enough to reason about: logits grow with the words in common.

In: the settings to write, and the weights of the outputs. Out: a folder that onnxruntime and
tokenizers really load. A word is a row of a table, the same for a Chinese word and its English one;
the logit is 8 for each word of the text that is one of the question, less 3.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from tiny_onnx import FLOAT, INT64, message, value
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ("[UNK]", "[CLS]", "[SEP]", "cat", "sofa", "invoice", "猫", "沙发", "发票")
MEANING = (None, None, None, 0, 1, 2, 0, 1, 2)
SETTINGS: dict[str, Any] = {"name": "tiny-reranker", "max_tokens": 16}
PER_WORD, OFFSET = 8.0, -3.0


def tiny_reranker(
    folder: Path,
    *,
    outputs: tuple[float, ...] = (PER_WORD,),
    offset: tuple[float, ...] = (OFFSET,),
    output_name: str = "logits",
    **changed: Any,
) -> Path:
    """Write the three files; a setting changed to None is left out."""
    folder.mkdir(exist_ok=True)
    settings = {name: one for name, one in {**SETTINGS, **changed}.items() if one is not None}
    (folder / "reranker.json").write_text(json.dumps(settings), encoding="utf-8")
    vocabulary = {word: place for place, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    # As many published tokenizers do; a loader that kept it would change every score.
    tokenizer.enable_padding(length=32, pad_id=3, pad_token="cat")
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(_model(outputs, offset, output_name))
    return folder


def _model(outputs: tuple[float, ...], offset: tuple[float, ...], output_name: str) -> bytes:
    table = np.zeros((len(WORDS), 3), dtype=np.float32)
    for place, meaning in enumerate(MEANING):
        if meaning is not None:
            table[place, meaning] = 1.0
    second = _attribute("to", 2, (3, FLOAT))
    equation = _attribute("equation", 3, (4, "bt,btd,bs,bsd,k->bk"))
    nodes = [
        message((1, "table"), (1, "input_ids"), (2, "words"), (4, "Gather")),
        message((1, "token_type_ids"), (2, "of_text"), (4, "Cast"), (5, second)),
        message((1, "one"), (1, "of_text"), (2, "of_question"), (4, "Sub")),
        message(
            *((1, name) for name in ("of_question", "words", "of_text", "words", "outputs")),
            (2, "shared"),
            (4, "Einsum"),
            (5, equation),
        ),
        message((1, "shared"), (1, "offset"), (2, output_name), (4, "Add")),
    ]
    weights = {
        "table": table,
        "one": np.ones((1,), dtype=np.float32),
        "outputs": np.array(outputs, dtype=np.float32),
        "offset": np.array(offset, dtype=np.float32),
    }
    graph = message(
        *((1, node) for node in nodes),
        (2, "tiny"),
        *((5, _tensor(name, array)) for name, array in weights.items()),
        (11, value("input_ids", INT64, "batch", "tokens")),
        (11, value("token_type_ids", INT64, "batch", "tokens")),
        (12, value(output_name, FLOAT, "batch", len(outputs))),
    )
    return message((1, 8), (7, graph), (8, message((2, 13))))


def _tensor(name: str, array: Any) -> bytes:
    sizes = ((1, size) for size in array.shape)
    return message(*sizes, (2, FLOAT), (8, name), (9, array.astype("<f4").tobytes()))


def _attribute(name: str, kind: int, content: tuple[int, int | str]) -> bytes:
    return message((1, name), content, (20, kind))
