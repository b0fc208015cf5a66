"""The ONNX reranker: scores, cuts and errors on a tiny model that onnxruntime really runs.

In: a model whose logits count the words in common. Out: scores compared with what it must say.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tiny_reranker import OFFSET, PER_WORD, tiny_reranker

from smartbrain.adapters.models.onnx import OnnxReranker
from smartbrain.bootstrap.models import Rerankers
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.reranker import Reranker
from smartbrain.testing.contracts.models import RerankerContract

pytestmark = pytest.mark.spec("R3")


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


NONE, ONE, TWO = (sigmoid(PER_WORD * shared + OFFSET) for shared in range(3))


class TestOnnxReranker(RerankerContract):
    def make(self, tmp_path: Path) -> Reranker:
        return OnnxReranker(tiny_reranker(tmp_path))


class TestRerankerOfARoot(RerankerContract):
    def make(self, tmp_path: Path) -> Reranker:
        return Rerankers(f"onnx:{tiny_reranker(tmp_path)}")


def test_a_pair_is_read_together(tmp_path: Path) -> None:
    """The score depends on both, across languages, as a probability; padding is left out."""
    reranker = OnnxReranker(tiny_reranker(tmp_path))
    texts = ["发票", "invoice sofa", "猫 沙发", "沙发 猫", "sofa"]
    assert "tiny-reranker" == reranker.name
    assert pytest.approx([NONE, ONE, TWO, TWO, ONE]) == reranker.score("cat sofa", texts)
    assert pytest.approx([ONE]) == reranker.score("猫", ["cat sofa"])


def test_two_outputs_are_no_and_yes(tmp_path: Path) -> None:
    """Their difference is the log-odds of yes."""
    folder = tiny_reranker(tmp_path, outputs=(-1.0, 2.0), offset=(0.5, 1.0))
    scores = OnnxReranker(folder).score("cat sofa", ["invoice", "猫"])
    assert pytest.approx([sigmoid(0.5), sigmoid(3.0 - -0.5)]) == scores


def test_probabilities_are_taken_as_they_are(tmp_path: Path) -> None:
    """With `activation: none`, a little outside 0 and 1 counts as 0 and 1."""
    folder = tiny_reranker(tmp_path, outputs=(0.75,), offset=(-0.01,), activation="none")
    scores = OnnxReranker(folder).score("cat sofa", ["invoice", "猫", "猫 沙发"])
    assert pytest.approx([0.0, 0.74, 1.0]) == scores


def test_extreme_logits_are_still_numbers(tmp_path: Path) -> None:
    """However sure the model is, a score is from 0 to 1."""
    folder = tiny_reranker(tmp_path, outputs=(4_000.0,), offset=(-2_000.0,))
    assert [0.0, 1.0] == OnnxReranker(folder).score("cat", ["发票", "猫"])


def test_what_is_too_long_is_cut(tmp_path: Path) -> None:
    """Sixteen tokens are read of both together, those that the tokenizer adds among them."""
    reranker = OnnxReranker(tiny_reranker(tmp_path))
    twelve = " ".join(["发票"] * 12)
    kept, cut = reranker.score("猫", [f"{twelve[:-3]} 猫", f"{twelve} 猫"])
    assert (pytest.approx(ONE), pytest.approx(NONE)) == (kept, cut)
    long = reranker.score("cat " + "发票 " * 100_000, ["猫 " + "沙发 " * 100_000])
    assert pytest.approx([ONE]) == long


@pytest.mark.parametrize("name", ["reranker.json", "model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    """A folder without one of its files is refused before anything is loaded."""
    (tiny_reranker(tmp_path) / name).unlink()
    with pytest.raises(UsageError, match=f"has no {name}"):
        OnnxReranker(tmp_path)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": None}, "lacks 'name'"),
        ({"max_tokens": 1}, "max_tokens is 1"),
        ({"activation": "sigmod"}, r"did you mean 'sigmoid'\?"),
        ({"pooling": "cls"}, "'pooling'; it may have name, max_tokens, activation"),
        ({"output_name": "last_hidden_state"}, "must take token ids and give logits"),
        ({"outputs": (1.0, 2.0, 3.0)}, "gives 3 numbers a pair"),
    ],
)
def test_a_wrong_folder_is_explained(
    tmp_path: Path, changed: dict[str, Any], sentence: str
) -> None:
    """The sentence names the setting, what it was and what it may be."""
    with pytest.raises(UsageError, match=sentence) as caught:
        OnnxReranker(tiny_reranker(tmp_path, **changed))
    assert "config" == caught.value.code
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    """What the libraries cannot load ends in one error of ours that will not pass by waiting."""
    (tiny_reranker(tmp_path) / name).write_bytes(b"damaged")
    with pytest.raises(AdapterError, match=f"{name} is no") as caught:
        OnnxReranker(tmp_path)
    assert not caught.value.retryable


def test_a_model_that_gives_no_number_is_refused(tmp_path: Path) -> None:
    """It is found when the model is opened."""
    with pytest.raises(AdapterError, match="no number"):
        OnnxReranker(tiny_reranker(tmp_path, offset=(math.nan,)))
