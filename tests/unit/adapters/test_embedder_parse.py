"""What callers write to choose embedders, right and wrong."""

from __future__ import annotations

import pytest

from smartbrain.adapters.models.parse import ModelChoice, parse_embedders
from smartbrain.errors import UsageError
from smartbrain.testing.models import HashEmbedder

pytestmark = pytest.mark.spec("S1")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("onnx:models/zh", ModelChoice(place="onnx", address="models/zh")),
        (" ONNX: ~/模型/zh ", ModelChoice(place="onnx", address="~/模型/zh")),
        (r"onnx:C:\models\zh", ModelChoice(place="onnx", address=r"C:\models\zh")),
        (
            "fastembed:BAAI/bge-small-zh-v1.5",
            ModelChoice(place="fastembed", model="BAAI/bge-small-zh-v1.5"),
        ),
        (
            "http://localhost:11434/v1#nomic-embed-text:latest",
            ModelChoice(
                place="http", address="http://localhost:11434/v1", model="nomic-embed-text:latest"
            ),
        ),
        (
            "https://host/v1?api-version=2#BAAI/bge-m3",
            ModelChoice(place="http", address="https://host/v1?api-version=2", model="BAAI/bge-m3"),
        ),
        (
            "http://[::1]:8080#m",
            ModelChoice(place="http", address="http://[::1]:8080", model="m"),
        ),
    ],
)
def test_a_text_names_one_embedder(given: str, expected: ModelChoice) -> None:
    """Each form is read into its kind, place and model, without touching them."""
    assert (expected,) == parse_embedders(given)


def test_an_embedder_is_taken_as_it_is() -> None:
    """Who brings an object with the port's names needs no text."""
    embedder = HashEmbedder()
    assert (ModelChoice(place="given", given=embedder),) == parse_embedders(embedder)


def test_a_list_may_say_languages_in_every_form() -> None:
    """Texts, pairs, mappings and objects stand side by side, in order."""
    own = HashEmbedder()
    found = parse_embedders(
        [
            "onnx:en",
            ("onnx:zh", ["zh-CN", "ZH"]),
            ("onnx:ja", "ja"),
            {"embedder": "http://host#m", "languages": ["ko"], "key_env": "MY_KEY"},
            {"embedder": own},
        ]
    )
    expected = (
        ModelChoice(place="onnx", address="en"),
        ModelChoice(place="onnx", address="zh", languages=("zh",)),
        ModelChoice(place="onnx", address="ja", languages=("ja",)),
        ModelChoice(
            place="http", address="http://host", model="m", languages=("ko",), key_env="MY_KEY"
        ),
        ModelChoice(place="given", given=own),
    )
    assert expected == found


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("", "is no kind of embedder; write 'onnx:<folder>', 'http"),
        ("models/zh", "'models/zh' is no kind of embedder; write 'onnx:<folder>'"),
        ("onx:models", r"did you mean 'onnx'\?"),
        ("ftp://host#m", "'ftp' is no kind of embedder"),
        ("向量:模型", "'向量' is no kind of embedder"),
        ("onnx:", "lacks the folder"),
        ("onnx:  ", "lacks the folder"),
        ("fastembed:", "lacks the name"),
        ("http://", "malformed"),
        ("http:host#m", "malformed"),
        ("https://host:port/#m", "malformed"),
        ("https://[::1#m", "malformed"),
        ("http://host/v1", "the service at host needs a model"),
        ("http://host/v1# ", "needs a model"),
        (None, "not None"),
        (3, "not 3"),
        (HashEmbedder, "an Embedder, not <class"),
        (object(), "an Embedder, not <object"),
        ([], "the list of embedders is empty"),
        ([[]], r"not \[\]"),
        (["onnx:a", None], "not None"),
        ([("onnx:a", ["zh"], "more")], "not "),
        ([("onnx:a", ["Chinese!"])], "'Chinese!' is no language"),
        ([("onnx:a", 3)], "`languages` is 3"),
        ([("onnx:a", [3])], r"`languages` is \[3\]"),
        ([{"languages": ["zh"]}], "`embedder` is None"),
        ([{"embedder": ["onnx:a"]}], "`embedder` is"),
        ([{"embedder": "onnx:a", "language": ["zh"]}], r"did you mean 'languages'\?"),
        ([{"embedder": "onnx:a", 3: 4}], "has 3; it may have embedder, languages, key_env"),
    ],
)
def test_what_cannot_be_read_is_explained(given: object, sentence: str) -> None:
    """The sentence is one line and shows what to write instead."""
    with pytest.raises(UsageError, match=sentence) as caught:
        parse_embedders(given)
    assert "\n" not in caught.value.message


def test_a_secret_in_the_wrong_place_is_not_repeated() -> None:
    """Passwords in addresses, and keys where a variable's name belongs, stay out of errors."""
    for given in ("https://user:hunter2@host/v1", "https://hunter2@[host#m"):
        with pytest.raises(UsageError) as caught:
            parse_embedders(given)
        assert "hunter2" not in caught.value.message
    with pytest.raises(UsageError, match="never the key") as caught:
        parse_embedders([{"embedder": "http://host#m", "key_env": "sk-hunter2"}])
    assert "hunter2" not in caught.value.message
