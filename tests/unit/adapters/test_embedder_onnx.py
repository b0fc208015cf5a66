"""The ONNX embedder: pooling, prefixes, cuts and errors on a tiny model, quality on real ones.

In: a table written as a model, and the folders of SMARTBRAIN_MODELS where they are there.
Out: vectors compared with what the table says, or bit for bit with each other.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tiny_onnx import TABLE, tiny_folder

from smartbrain.adapters.models.onnx import OnnxEmbedder
from smartbrain.errors import AdapterError, UsageError
from smartbrain.testing.contracts.models import cosine

MODELS = Path(
    os.environ.get("SMARTBRAIN_MODELS", Path(__file__).resolve().parents[4] / "shared/models")
)
needs_models = pytest.mark.skipif(
    not MODELS.is_dir(), reason=f"no models in {MODELS}; name their folder in SMARTBRAIN_MODELS"
)
CLS, CAT, SOFA, INVOICE, MAO, QUERY, PASSAGE = (list(map(float, row)) for row in TABLE[1:])


def mean(*rows: Sequence[float]) -> list[float]:
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]


def test_it_tells_what_its_folder_says(tmp_path: Path) -> None:
    """Name, dimensions and languages come from embedder.json; the model has a fingerprint."""
    embedder = OnnxEmbedder(tiny_folder(tmp_path))
    assert (embedder.name, embedder.dimensions) == ("tiny", 3)
    assert embedder.languages == ("en", "zh")
    assert embedder.model.startswith("tiny@")


def test_mean_pooling_averages_all_tokens(tmp_path: Path) -> None:
    """The vector is the mean over the tokens of the text, padding left out."""
    embedder = OnnxEmbedder(tiny_folder(tmp_path))
    assert pytest.approx(mean(CLS, CAT, SOFA)) == list(embedder.embed_query("cat sofa"))
    assert pytest.approx(mean(CLS, MAO)) == list(embedder.embed_query("猫"))


def test_cls_pooling_takes_the_first_token(tmp_path: Path) -> None:
    """The vector is the state of the first token, whatever follows."""
    embedder = OnnxEmbedder(tiny_folder(tmp_path, pooling="cls"))
    assert [CLS, CLS] == [list(vector) for vector in embedder.embed_passages(["cat", "猫 sofa"])]


def test_vectors_are_normalised_unless_told_otherwise(tmp_path: Path) -> None:
    """Length one is the default; `normalise: false` keeps the model's own length."""
    vector = OnnxEmbedder(tiny_folder(tmp_path, normalise=None)).embed_query("cat invoice")
    assert pytest.approx(1.0) == math.hypot(*vector)
    expected = mean(CLS, CAT, INVOICE)
    assert pytest.approx([x / math.hypot(*expected) for x in expected]) == list(vector)


def test_queries_and_passages_have_their_own_prefix(tmp_path: Path) -> None:
    """Each prefix stands before the texts of its kind alone."""
    folder = tiny_folder(tmp_path, query_prefix="query ", passage_prefix="passage ")
    embedder = OnnxEmbedder(folder)
    assert pytest.approx(mean(CLS, QUERY, CAT)) == list(embedder.embed_query("cat"))
    (passage,) = embedder.embed_passages(["cat"])
    assert pytest.approx(mean(CLS, PASSAGE, CAT)) == list(passage)


def test_what_is_too_long_is_cut_at_its_end(tmp_path: Path) -> None:
    """Only the first max_tokens tokens count, those that the tokenizer adds among them."""
    embedder = OnnxEmbedder(tiny_folder(tmp_path))
    seven = "cat cat cat cat cat cat cat"
    expected = list(embedder.embed_query(seven))
    assert pytest.approx(mean(CLS, *[CAT] * 7)) == expected
    for more in (" sofa", " sofa" * 100_000, " 猫" * 500_000):
        assert expected == list(embedder.embed_query(seven + more))


def test_a_huge_text_is_not_read_whole(tmp_path: Path) -> None:
    """One endless word is one token; what follows it beyond all reason is not looked for."""
    embedder = OnnxEmbedder(tiny_folder(tmp_path))
    alone = list(embedder.embed_query("x" * 319))
    assert alone == list(embedder.embed_query("x" * 319 + " cat"))
    assert alone != list(embedder.embed_query("x" * 310 + " cat"))


@pytest.mark.parametrize(
    "changed",
    [
        {"pooling": "cls"},
        {"normalise": True},
        {"max_tokens": 9},
        {"query_prefix": "q"},
        {"passage_prefix": "q"},
        {"table": TABLE * 2},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_whatever_changes_vectors_changes_the_model(
    tmp_path: Path, changed: dict[str, str]
) -> None:
    """Vectors made under other settings or weights are never taken for the same space."""
    before = OnnxEmbedder(tiny_folder(tmp_path / "a")).model
    assert before == OnnxEmbedder(tiny_folder(tmp_path / "b", languages=["zh"])).model
    assert before != OnnxEmbedder(tiny_folder(tmp_path / "c", **changed)).model


@pytest.mark.parametrize("name", ["embedder.json", "model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    """A folder without one of its files is refused before anything is loaded."""
    (tiny_folder(tmp_path) / name).unlink()
    with pytest.raises(UsageError, match=f"has no {name}"):
        OnnxEmbedder(tmp_path)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": None}, "lacks 'name'"),
        ({"dimensions": 0}, "dimensions is 0; it must be an integer from 1"),
        ({"dimensions": "3"}, "dimensions is '3'"),
        ({"dimensions": 4}, "vectors have 3 dimensions; correct `dimensions`"),
        ({"pooling": "max"}, "it must be one of cls, mean"),
        ({"pooling": "means"}, r"did you mean 'mean'\?"),
        ({"normalise": "yes"}, "it must be true or false"),
        ({"max_tokens": 1}, "max_tokens is 1"),
        ({"languages": "zh"}, "it must be a list"),
        ({"languages": ["中文"]}, "'中文' is no language"),
        ({"normalize": True}, "'normalize'; it may have name, dimensions, pooling, normalise"),
        ({"input_name": "pixels"}, "takes pixels and gives last_hidden_state"),
        ({"output_name": "logits"}, "takes input_ids and gives logits"),
    ],
)
def test_a_wrong_folder_is_explained(
    tmp_path: Path, changed: dict[str, str], sentence: str
) -> None:
    """The sentence names the setting, what it was and what it may be."""
    with pytest.raises(UsageError, match=sentence) as caught:
        OnnxEmbedder(tiny_folder(tmp_path, **changed))
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'"name"', b"[" * 100_000])
def test_settings_that_are_no_object_are_refused(tmp_path: Path, content: bytes) -> None:
    """Broken JSON, broken UTF-8 and other JSON are one kind of mistake."""
    (tiny_folder(tmp_path) / "embedder.json").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        OnnxEmbedder(tmp_path)
    assert caught.value.code == "config"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"", b"damaged", b"{}"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    """What the libraries cannot load ends in one error of ours that will not pass by waiting."""
    (tiny_folder(tmp_path) / name).write_bytes(content)
    with pytest.raises(AdapterError, match=f"{name} is no") as caught:
        OnnxEmbedder(tmp_path)
    assert not caught.value.retryable
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("broken", [np.nan, np.inf, 0.0])
def test_a_model_that_gives_no_vector_is_refused(tmp_path: Path, broken: float) -> None:
    """Numbers that cannot be searched are found when the model is opened."""
    with pytest.raises(AdapterError, match="without a length"):
        OnnxEmbedder(tiny_folder(tmp_path, np.full_like(TABLE, broken)))


def test_a_text_that_the_model_cannot_take_fails_alone(tmp_path: Path) -> None:
    """A token outside the model's table is an error for its text; the next one works."""
    embedder = OnnxEmbedder(tiny_folder(tmp_path, TABLE[:5]))
    with pytest.raises(AdapterError, match="could not embed a text") as caught:
        embedder.embed_query("猫")
    assert not caught.value.retryable
    assert pytest.approx(mean(CLS, CAT)) == list(embedder.embed_query("cat"))


TEXTS = {
    "bge-small-en-v1.5-q": [
        *("The build failed on Tuesday.", "cats", "How do I reset my password? " * 8),
        "E1042: src/app.py:42 🎉",
    ],
    "bge-small-zh-v1.5-q": [
        *("以后都用简体中文回答。", "猫", "怎么重置我的密码？" * 8, "错误 E1042 🎉"),
    ],
}


@needs_models
@pytest.mark.parametrize("folder", TEXTS)
def test_a_text_has_one_vector_in_every_company(folder: str) -> None:
    """Alone, first, last, repeated, as part of many: the vector is equal bit for bit."""
    embedder = OnnxEmbedder(MODELS / folder)
    texts = TEXTS[folder]
    alone = {text: bytes(embedder.embed_passages([text])[0]) for text in texts}
    for company in (texts, texts[::-1], texts * 3, texts[1:] + texts[:1]):
        for text, vector in zip(company, embedder.embed_passages(company), strict=True):
            assert alone[text] == bytes(vector)


@needs_models
@pytest.mark.parametrize("folder", TEXTS)
def test_another_process_makes_the_same_vectors(folder: str) -> None:
    """A vector made today is found by one made tomorrow: nothing depends on the process."""
    program = (
        "import sys; from pathlib import Path;"
        "from smartbrain.adapters.models.onnx import OnnxEmbedder;"
        "embedder = OnnxEmbedder(Path(sys.argv[1]));"
        "sys.stdout.write(' '.join(bytes(v).hex() for v in embedder.embed_passages(sys.argv[2:])))"
    )
    texts = TEXTS[folder]
    arguments = [sys.executable, "-c", program, str(MODELS / folder), *texts]
    other = subprocess.run(arguments, capture_output=True, check=True, text=True).stdout.split()
    embedder = OnnxEmbedder(MODELS / folder)
    assert other == [bytes(vector).hex() for vector in embedder.embed_passages(texts)]


QUESTIONS = {
    "bge-small-en-v1.5-q": {
        "What does she drink in the morning?": "Ann starts the day with green tea.",
        "Which database do we use?": "The team decided to stay on PostgreSQL.",
        "When does the flight leave?": "Boarding for Lisbon begins at 18:40.",
        "Why was the deploy rolled back?": "The release broke logins, so we reverted it.",
        "What pet do I have?": "I adopted a puppy last summer.",
    },
    "bge-small-zh-v1.5-q": {
        "她早上喝什么？": "小安每天起床先泡一杯绿茶。",
        "我们用的是哪个数据库？": "团队决定继续使用 PostgreSQL。",
        "航班几点起飞？": "飞往里斯本的登机时间是 18:40。",
        "为什么回滚了上线？": "新版本导致无法登录，所以撤回了发布。",
        "我养了什么宠物？": "去年夏天我领养了一只小狗。",
    },
}


@needs_models
@pytest.mark.spec("R3")
@pytest.mark.parametrize("folder", QUESTIONS)
def test_a_question_finds_its_answer_among_others(folder: str) -> None:
    """With hardly a word in common, each question is nearest to the passage that answers it."""
    embedder = OnnxEmbedder(MODELS / folder)
    passages = list(QUESTIONS[folder].values())
    vectors = embedder.embed_passages(passages)
    for question, answer in QUESTIONS[folder].items():
        query = embedder.embed_query(question)
        nearest = max(range(len(vectors)), key=lambda n: cosine(query, vectors[n]))
        assert answer == passages[nearest]
