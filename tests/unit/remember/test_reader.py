"""The trained reader: what it reads, odd input, and weights that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smartbrain.errors import InternalError
from smartbrain.remember.reader.read import explain_clauses, read_asked, read_message
from smartbrain.remember.reader.statements import MIN_CERTAIN
from smartbrain.remember.reader.weights import FILE, FORMAT, load_weights
from smartbrain.remember.reader.words import analyse, tokenise
from smartbrain.text.ontology import load_ontology

ONTOLOGY = load_ontology()
DATA = Path(__file__).parents[3] / "data" / "reader"

READ = [
    ("I'm allergic to peanuts", "profile", "allergy", "peanuts"),
    ("我对花生过敏", "profile", "allergy", "花生"),
    ("remind me to pay the rent on friday", "tasks", "todo", "pay the rent"),
    ("from now on answer in german", "preferences", "answer_language", "german"),
    ("以后都用英文回答", "preferences", "answer_language", "英文"),
]
SILENT = ["morning! how's it going", "haha nice one", "谢谢，辛苦了", "今天好热啊"]


@pytest.mark.spec("K5", "C6")
@pytest.mark.parametrize(("text", "kind", "attr", "value"), READ)
def test_plain_statements_are_read(text: str, kind: str, attr: str, value: str) -> None:
    """A plain statement is a certain frame with its type, attribute and value."""
    frames = read_message(text, ontology=ONTOLOGY)
    certain = [
        (one.type, one.attr) for one in frames if one.certainty >= 0.5 and value in one.value
    ]
    assert certain == [(kind, attr)]


@pytest.mark.spec("K6", "C1")
@pytest.mark.parametrize("text", SILENT)
def test_small_talk_is_no_statement(text: str) -> None:
    """Nothing certain is read in small talk."""
    frames = read_message(text, ontology=ONTOLOGY)
    assert [one for one in frames if one.certainty >= 0.5] == []


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("text", "attribute"),
    [("what's my wifi password again", "credential"), ("我住在哪来着", "home")],
)
def test_questions_name_the_attribute_they_ask_about(text: str, attribute: str) -> None:
    """A question asks about an attribute of the ontology and states nothing."""
    assert attribute in read_asked(text, ontology=ONTOLOGY)


def test_a_message_is_read_the_same_twice() -> None:
    """Reading keeps nothing from one message to the next."""
    texts = [*(row[0] for row in READ), *SILENT]
    assert [read_message(one, ontology=ONTOLOGY) for one in texts] == [
        read_message(one, ontology=ONTOLOGY) for one in texts
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "🎉🎉🎉",
        "\ud800 half a character",
        "a, " * 10_000,
        "不知道，" * 4_000,
        "Привет, как дела? Я живу в Москве",
        "مرحبا كيف حالك",
        "x" * 100_000,
        "((((" * 5_000,
        "1.2.3.4." * 3_000,
    ],
)
def test_any_text_can_be_read(text: str) -> None:
    """Odd input gives a reading, whatever it says."""
    reading = read_message(text, ontology=ONTOLOGY)
    assert all(text[one.start : one.end] == one.value for one in reading)


def test_tokens_lose_nothing() -> None:
    """Everything but blanks is in a token, at its place."""
    text = "搬到Leeds了,  10.0.0.7:8080 don’t ask 😀"
    assert "".join(text[one.start : one.end] for one in tokenise(text)) == "".join(text.split())


def test_clauses_and_sentences_cover_all_tokens() -> None:
    """Every token belongs to one clause and one sentence."""
    message = analyse("left acme, now at zenith. 女儿5岁，喜欢画画！ok", "", ONTOLOGY)
    for spans in (message.clauses, message.sentences):
        covered = [place for first, last in spans for place in range(first, last)]
        assert covered == list(range(len(message.tokens)))


def test_clauses_are_explained_by_features() -> None:
    """Each clause names the features that decided about it."""
    (clause,) = explain_clauses("I'm allergic to peanuts", ontology=ONTOLOGY)
    assert clause.lasting > 0.5
    assert any("allerg" in feature for feature, weight in clause.why if weight > 0)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "missing"),
        (b"something else", "another version"),
        (FORMAT + b"1234" + b"damaged", "damaged"),
    ],
)
def test_bad_weights_are_refused_in_a_sentence(
    tmp_path: Path, content: bytes | None, told: str
) -> None:
    """Weights that cannot be used say why, and what to do."""
    path = tmp_path / "weights.bin"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InternalError, match=told) as raised:
        load_weights(path)
    assert "make reader" in raised.value.message


@pytest.mark.spec("K5")
def test_weights_are_small() -> None:
    """The weights that come with the package take at most three megabytes."""
    assert FILE.stat().st_size <= 3_000_000


@pytest.mark.spec("K5", "C6")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_reader_knows_what_it_was_taught(language: str) -> None:
    """Most phrases it was trained on are read as they are labelled; others make no statement."""
    files = [DATA / f"{language}-{name}.jsonl" for name in ("phrases", "plain", "sentences")]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [json.loads(line) for line in lines][::4]
    labels = hits = silent = leaks = 0
    for row in rows:
        found = read_message(row["text"], row.get("before", ""), ontology=ONTOLOGY)
        certain = {(one.type, one.value) for one in found if one.certainty >= MIN_CERTAIN}
        wanted = {(one["type"], one["value"]) for one in row["frames"]}
        labels, hits = labels + len(wanted), hits + len(wanted & certain)
        silent, leaks = silent + (not wanted), leaks + (not wanted and bool(certain))
    assert hits >= 0.6 * labels
    assert leaks <= 0.03 * silent
