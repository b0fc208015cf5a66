"""What an embedder gives is looked at before it is kept; what it does not serve is noted once.

In: real databases, embedders that give nonsense or raise anything, and routes by language.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_embed import TEXTS, brain, change, fill, opened, routed, say, stored, texts_of

from smartbrain.adapters.models.parse import Route, RoutedEmbedders
from smartbrain.domain.status import EmbedReport
from smartbrain.errors import AdapterError
from smartbrain.jobs.embed import embed_all, waiting
from smartbrain.ports.embedder import Vector
from smartbrain.testing.models import HashEmbedder
from smartbrain.text.language import detect_language

OTHER = "So be it, that is all right with me."


class Odd(HashEmbedder):
    """Makes something else of its vectors."""

    def __init__(self, change: Callable[[list[Any]], Any]) -> None:
        super().__init__(8, name="odd")
        self.odd = change

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Give what the test wants to be given."""
        return self.odd([list(one) for one in super().embed_passages(texts)])


def with_last(vector: object) -> Callable[[list[Any]], list[Any]]:
    """Put something in the place of the last vector."""
    return lambda vectors: [*vectors[:-1], vector]


@pytest.mark.spec("R3", "R4")
@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (lambda vectors: vectors[:-1], "it gave 1 vectors for 2 texts"),
        (lambda vectors: [*vectors, vectors[0]], "it gave 3 vectors for 2 texts"),
        (lambda _vectors: [], "it gave 0 vectors for 2 texts"),
        (with_last([1.0] * 7), "it gave a vector of 7 numbers instead of 8"),
        (with_last([]), "it gave a vector of 0 numbers instead of 8"),
        (lambda vectors: [[1.0] * 4 for _ in vectors], "it gave a vector of 4 numbers inst"),
        (with_last([math.nan] * 8), "it gave a vector with a part that is not a finite number"),
        (with_last([1.0, -math.inf, *[0.0] * 6]), "it gave a vector with a part that is not"),
        (with_last([1e300] * 8), "it gave a vector with a part that is not a finite number"),
        (with_last([0.0] * 8), "it gave a vector of zeros"),
        (with_last([1e-300] * 8), "it gave a vector of zeros"),
        (with_last(None), "it gave something that is no vector"),
        (with_last(["一"] * 8), "it gave something that is no vector"),
        (lambda _vectors: None, "it gave something that is no vector"),
    ],
)
def test_what_is_no_vector_is_not_kept(
    tmp_path: Path, odd: Callable[[list[Any]], Any], reason: str
) -> None:
    """Nothing of the batch is stored, it stays queued, and the next embedder does its work."""
    fill(tmp_path)
    bad, good = Odd(odd), HashEmbedder(8, name="good")
    embedders = routed(bad, good)
    with opened(tmp_path) as tenant:
        report = embed_all(embedders, ports=tenant.ports)
        assert (2, 2, "adapter") == (report.embedded, report.waiting, report.code)
        assert report.reason.startswith(f"odd: {reason}")
        (failure,) = report.failures
        assert ("odd", "odd-8", "adapter") == (failure.embedder, failure.model, failure.code)
        assert stored(tenant.ports, bad) == {}
        assert len(stored(tenant.ports, good)) == 2
        assert waiting(bad, embedders, ports=tenant.ports) == 2
        bad.odd = list
        assert EmbedReport(embedded=2) == embed_all(embedders, ports=tenant.ports)


class Unsized:
    """Never says its size, and gives vectors of the size it is told to."""

    name, model, dimensions, languages = "unsized", "m", None, ()
    size = 8

    def embed_query(self, _text: str) -> Vector:
        """Give ones."""
        return [1.0] * self.size

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Give ones."""
        return [self.embed_query(text) for text in texts]

    def close(self) -> None:
        """Do nothing."""


def test_the_size_stays_that_of_the_vectors_before(tmp_path: Path) -> None:
    """One that does not say its size is held to what it has given so far."""
    fill(tmp_path, TEXTS[:1])
    embedder = Unsized()
    with opened(tmp_path) as tenant, brain(tmp_path, seed=2) as handle:
        assert EmbedReport(embedded=1) == embed_all(routed(embedder), ports=tenant.ports)
        embedder.size = 4
        say(handle, TEXTS[1])
        report = embed_all(routed(embedder), ports=tenant.ports)
        assert report.reason == "unsized: it gave a vector of 4 numbers instead of 8"
        assert len(stored(tenant.ports, embedder)) == 1


@pytest.mark.parametrize("size", [0, 70_000])
def test_sizes_that_no_index_takes_are_refused(tmp_path: Path, size: int) -> None:
    """Neither none nor too many numbers."""
    fill(tmp_path, TEXTS[:1])
    embedder = Unsized()
    embedder.size = size
    with opened(tmp_path) as tenant:
        assert embed_all(routed(embedder), ports=tenant.ports).code == "adapter"
        assert stored(tenant.ports, embedder) == {}


class Raising(HashEmbedder):
    """Raises what it is given."""

    error: BaseException | None = None

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Raise, or embed."""
        if self.error is not None:
            raise self.error
        return super().embed_passages(texts)


@pytest.mark.spec("R3", "R4")
@pytest.mark.parametrize(
    "error", [ValueError("坏了 bad"), RuntimeError("坏了 bad"), KeyError("坏了 bad")]
)
def test_whatever_an_embedder_raises_is_a_failed_report(tmp_path: Path, error: Exception) -> None:
    """In the background and asked for; when it works again the rest is made."""
    embedder = Raising(8)
    embedder.error = error
    with brain(tmp_path, embedder) as handle:
        say(handle, TEXTS[0])
        with handle._lease() as tenant:
            assert tenant.views._embedding.exception() is None
            quiet = tenant.views.report
        assert quiet == handle.jobs.run("embed")
        assert ("adapter", 1) == (quiet.code, quiet.waiting)
        assert quiet.reason.startswith("hash: the embedder failed: ")
        assert "坏了 bad" in quiet.reason
        embedder.error = None
        assert EmbedReport(embedded=1) == handle.jobs.run("embed")


class Detector:
    """Tells languages, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, text: str) -> str:
        """Tell the language of a text."""
        self.asked += 1
        return detect_language(text)


def chinese(detect: Callable[[str], str], *languages: str) -> RoutedEmbedders:
    """Return an embedder for Chinese, or for other languages."""
    route = Route(HashEmbedder(8, name="zh"), languages or ("zh",), owned=False)
    return RoutedEmbedders([route], detect)


@pytest.mark.spec("R3")
def test_what_is_not_served_is_looked_at_once(tmp_path: Path) -> None:
    """Later runs and counts read no text; nothing is written, and no view is told."""
    fill(tmp_path, [*TEXTS, OTHER])
    detect = Detector()
    embedders = chinese(detect)
    (embedder,) = embedders.embedders
    with opened(tmp_path) as tenant:
        ports = tenant.ports
        assert waiting(embedder, embedders, ports=ports) == 3
        before = ports.truth.seq()
        assert EmbedReport(embedded=1) == embed_all(embedders, ports=ports)
        assert (3, 1) == (detect.asked, len(ports.truth.changes(before)))
        seq = ports.truth.seq()
        assert waiting(embedder, embedders, ports=ports) == 0
        assert EmbedReport() == embed_all(embedders, ports=ports)
        assert (3, seq) == (detect.asked, ports.truth.seq())
        assert [f"user: {TEXTS[0]}"] == list(stored(ports, embedder))


def test_one_that_serves_nothing_has_nothing_waiting(tmp_path: Path) -> None:
    """Also where no vector was ever made, a text is looked at once."""
    fill(tmp_path, [TEXTS[1], OTHER])
    detect = Detector()
    with opened(tmp_path) as tenant:
        for _ in range(2):
            assert EmbedReport() == embed_all(chinese(detect), ports=tenant.ports)
        assert detect.asked == 2


@pytest.mark.spec("R3")
def test_a_text_that_becomes_chinese_is_embedded(tmp_path: Path) -> None:
    """A changed text is looked at again, either way."""
    fill(tmp_path, [TEXTS[1]])
    embedders = chinese(detect_language)
    (embedder,) = embedders.embedders
    with opened(tmp_path) as tenant:
        embed_all(embedders, ports=tenant.ports)
        change(tenant.ports, TEXTS[0])
        assert waiting(embedder, embedders, ports=tenant.ports) == 1
        assert EmbedReport(embedded=1) == embed_all(embedders, ports=tenant.ports)
        change(tenant.ports, OTHER)
        assert EmbedReport() == embed_all(embedders, ports=tenant.ports)
        assert stored(tenant.ports, embedder) == {}


@pytest.mark.spec("R3")
def test_more_languages_take_up_what_was_passed_by(tmp_path: Path) -> None:
    """What one set of languages left out is not left out by another; old notes are dropped."""
    fill(tmp_path)
    with opened(tmp_path) as tenant:
        embed_all(chinese(detect_language), ports=tenant.ports)
        wider = chinese(detect_language, "zh", "en")
        assert EmbedReport(embedded=1) == embed_all(wider, ports=tenant.ports)
        assert {*texts_of(tenant.ports)} == {*stored(tenant.ports, wider.embedders[0])}
        with tenant.ports.truth.read() as rows:
            assert ["zh-8"] == [one.model for one in rows.vectors.embeddings()]


def test_a_text_changed_while_it_is_passed_by_is_not_noted(tmp_path: Path) -> None:
    """It may be for this embedder now."""
    fill(tmp_path, [OTHER, TEXTS[0]])
    embedders = chinese(detect_language)
    (embedder,) = embedders.embedders
    with opened(tmp_path) as tenant:

        class Late(HashEmbedder):
            def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
                change(tenant.ports, "改成中文了，明天发布。")
                return super().embed_passages(texts)

        late = RoutedEmbedders(
            [replace(embedders.routes[0], embedder=Late(8, name="zh"))], detect_language
        )
        report = embed_all(late, ports=tenant.ports)
        assert (1, 1, "stopped") == (report.embedded, report.waiting, report.code)
        assert EmbedReport(embedded=1) == embed_all(embedders, ports=tenant.ports)
        assert len(stored(tenant.ports, embedder)) == 2


@pytest.mark.spec("R3")
def test_two_models_of_one_name_leave_each_other_alone(tmp_path: Path) -> None:
    """Only what no embedder uses any more is dropped."""
    fill(tmp_path)
    small, large, old = HashEmbedder(8), HashEmbedder(16), HashEmbedder(4)
    with opened(tmp_path) as tenant:
        embed_all(routed(old), ports=tenant.ports)
        assert EmbedReport(embedded=4) == embed_all(routed(small, large), ports=tenant.ports)
        assert EmbedReport() == embed_all(routed(small, large), ports=tenant.ports)
        for one in (small, large):
            expected = [
                array("f", one.embed_query(text)).tobytes() for text in texts_of(tenant.ports)
            ]
            assert sorted(expected) == sorted(stored(tenant.ports, one).values())
        assert stored(tenant.ports, old) == {}


class Picky(HashEmbedder):
    """Refuses one text for ever, and whatever comes with it."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Fail for good if the text is there."""
        if any("禁词" in text for text in texts):
            raise AdapterError("it cannot take a text", retryable=False)
        return super().embed_passages(texts)


def test_a_text_that_cannot_be_embedded_holds_up_no_other(tmp_path: Path) -> None:
    """It waits alone, with the reason; what comes before and after it has its vector."""
    fill(tmp_path, ["第一 first", "禁词 forbidden", "第三 third"])
    embedders = routed(Picky(8))
    with opened(tmp_path) as tenant:
        for embedded in (2, 0):
            report = embed_all(embedders, ports=tenant.ports)
            assert (embedded, 1, "adapter") == (report.embedded, report.waiting, report.code)
            assert "it cannot take a text" in report.reason
