"""Answers of an embeddings service, good and bad."""

from __future__ import annotations

import struct
from base64 import b64encode
from typing import Any

import pytest

from smartbrain.adapters.models.http_models import asked_pause, complaint, read_vectors
from smartbrain.errors import AdapterError


def body(*embeddings: Any, **more: Any) -> dict[str, Any]:
    items = [{"index": n, "embedding": one, **more} for n, one in enumerate(embeddings)]
    return {"data": items}


def test_numbers_and_base64_are_the_same_vector() -> None:
    """Both forms are read in single precision."""
    numbers = [0.1, -2.5, 3e-8]
    packed = b64encode(struct.pack("<3f", *numbers)).decode()
    assert read_vectors(body(numbers), 1) == read_vectors(body(packed), 1)
    assert list(struct.unpack("<3f", struct.pack("<3f", *numbers))) == list(
        read_vectors(body(numbers), 1)[0]
    )


def test_the_index_orders_and_may_be_left_out() -> None:
    """Vectors follow their index; without any index they follow each other."""
    mixed = {"data": [{"index": 1, "embedding": [1]}, {"index": 0, "embedding": [0]}]}
    assert [[0.0], [1.0]] == [list(one) for one in read_vectors(mixed, 2)]
    plain = {"data": [{"embedding": [5]}, {"embedding": [6]}]}
    assert [[5.0], [6.0]] == [list(one) for one in read_vectors(plain, 2)]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "no list of vectors"),
        ([], "no list of vectors"),
        ({}, "no list of vectors"),
        ({"data": {}}, "no list of vectors"),
        ({"data": [3, 4]}, "no list of vectors"),
        ({"data": []}, "0 vectors for 2 texts"),
        (body([1.0]), "1 vectors for 2 texts"),
        (body([1.0], [2.0], [3.0]), "3 vectors for 2 texts"),
        (body([1.0], [2.0], index=0), "indexes"),
        (body([1.0], [2.0], index="0"), "indexes"),
        (body([1.0], [2.0], index=[0]), "indexes"),
        (body([1.0], [2.0], index=None), "indexes"),
        (body([1.0], [1.0, 2.0]), "different sizes"),
        (body([1.0], []), "empty"),
        (body([1.0], None), "empty"),
        (body([1.0], {"values": [1.0]}), "empty"),
        (body([1.0], ["x"]), "not made of numbers"),
        (body([1.0], [[1.0]]), "not made of numbers"),
        (body([1.0], [None]), "not made of numbers"),
        (body([1.0], "!!!!"), "not made of numbers"),
        (body([1.0], "AAA="), "not made of numbers"),
        (body([1.0], [float("nan")]), "not finite"),
        (body([1.0], [float("inf")]), "not finite"),
        (body([1.0], [1e300]), "not finite"),
        (body([1.0], b64encode(struct.pack("<f", float("nan"))).decode()), "not finite"),
    ],
)
def test_a_wrong_answer_is_explained(answer: Any, sentence: str) -> None:
    """Each way to be wrong has its sentence, and asking again would not help."""
    with pytest.raises(AdapterError, match=sentence) as caught:
        read_vectors(answer, 2)
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"retry-after": "120"}, 120.0),
        ({"retry-after": " 3 "}, 3.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1e9"}, 0.0),
        ({"retry-after": "３"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, 0.0),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30.0,
        ),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:27:30 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            0.0,
        ),
        (
            {"retry-after": "Wed, 21 Oct 2026 07:28:00", "date": "Wed, 21 Oct 2026 07:28:00 GMT"},
            0.0,
        ),
    ],
)
def test_the_pause_asked_for_is_read(headers: dict[str, str], seconds: float) -> None:
    """Seconds and dates are read; what is neither asks for nothing."""
    assert seconds == asked_pause(headers)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b'{"error": {"message": "no such model", "type": "x"}}', "no such model"),
        ('{"error": "模型不存在"}'.encode(), "模型不存在"),
        (b'{"message": "bad"}', "bad"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b'{"detail": [{"input": "secret"}]}', ""),
        (b'{"error": {"code": 3}}', ""),
        (b'["x"]', ""),
        (b"<html>", ""),
        (b"", ""),
    ],
)
def test_the_service_is_quoted_from_the_usual_places(answer: bytes, said: str) -> None:
    """What services write for people is found; anything else stays out."""
    assert said == complaint(answer)
