"""The embedders for tests, where they differ from any other: failing and waiting on purpose."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from smartbrain.errors import AdapterError
from smartbrain.testing.models import FailingEmbedder, HashEmbedder, SlowEmbedder


def test_it_fails_as_often_as_told_and_then_works() -> None:
    """Queries and passages count alike, and the inner one's vectors come through after."""
    inner = HashEmbedder()
    embedder = FailingEmbedder(inner, failures=2)
    for call in (embedder.embed_query, lambda text: embedder.embed_passages([text])):
        with pytest.raises(AdapterError) as caught:
            call("猫")
        assert caught.value.retryable
    assert inner.embed_query("猫") == embedder.embed_query("猫")
    assert embedder.calls == 3


def test_it_can_fail_for_ever_and_for_good() -> None:
    """Without a number every call fails; the error may be one that waiting does not mend."""
    embedder = FailingEmbedder(HashEmbedder(), retryable=False)
    for _ in range(5):
        with pytest.raises(AdapterError) as caught:
            embedder.embed_query("x")
        assert not caught.value.retryable


def test_a_slow_one_answers_when_the_test_says_so() -> None:
    """The call is held until the event is set, then gives the inner one's vector."""
    go, answers = Event(), []
    embedder = SlowEmbedder(HashEmbedder(), go.wait)
    thread = Thread(target=lambda: answers.append(embedder.embed_query("慢")))
    thread.start()
    assert (thread.is_alive(), answers) == (True, [])
    go.set()
    thread.join()
    assert [HashEmbedder().embed_query("慢")] == answers


def test_doubles_pass_on_what_they_stand_for() -> None:
    """Name, model, dimensions, languages and closing are the inner one's."""
    inner = HashEmbedder(32, name="n", languages=("zh",))
    for double in (FailingEmbedder(inner), SlowEmbedder(inner, lambda: None)):
        assert ("n", "n-32", 32, ("zh",)) == (
            double.name,
            double.model,
            double.dimensions,
            double.languages,
        )
        inner.closed = False
        double.close()
        assert inner.closed
