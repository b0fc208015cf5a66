"""What every embedder must do; an adapter's tests inherit `EmbedderContract`.

In: an open embedder for each test. Out: failed asserts where the adapter differs from the port.
It does not test what only one adapter promises: requests, retries, model files, pooling.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from smartbrain.errors import SmartBrainError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from smartbrain.ports.embedder import Embedder, Vector

TEXTS: Final = (
    "The build failed with E1042 on Tuesday.",
    "用户说：以后都用简体中文回答。",
    "把 deploy.sh 里的 timeout 改成 30 秒",
    "x",
    "0x8007045D EventID=17 src/app.py:42",
)
ODD_TEXTS: Final = (
    "🎉👩‍👩‍👧‍👦🇨🇳",
    "\u200b\u200dzero\u200bwidth\ufeff",
    "مرحبا بالعالم שלום",
    "e\u0301 ﬁ Ⅳ ｆｕｌｌ ㎏",
    "line one\r\nline two\ttabbed\0",
    "half a character: \ud83d and the whole of one: \ud83d\ude00",
    "\U0010ffff\ue000",
)
ALIKE: Final = {
    "en": (
        ("My cat sleeps on the sofa all day.", "The cat is asleep on the sofa."),
        ("The invoice is due on Friday.", "When is the invoice due?"),
    ),
    "zh": (
        ("我家的猫整天睡在沙发上。", "猫在沙发上睡觉。"),
        ("发票周五到期。", "发票什么时候到期？"),
    ),
}


class EmbedderContract:
    """The suite; a subclass says how to make the embedder.

        class TestMyEmbedder(EmbedderContract):
            def make(self, tmp_path: Path) -> Embedder:
                return MyEmbedder()

    `make` is called once or more a test and returns the same model each time, open.
    """

    def make(self, tmp_path: Path) -> Embedder:
        """Return the embedder under test; `tmp_path` is an empty folder that it may use."""
        raise NotImplementedError

    def test_it_says_what_it_is(self, tmp_path: Path) -> None:
        """Name and model are one line each; languages are lower-case codes; all stay the same."""
        embedder = self.make(tmp_path)
        again = self.make(tmp_path)
        for said in (embedder.name, embedder.model):
            assert said == said.strip()
            assert said.isprintable()
            assert said != ""
        assert isinstance(embedder.languages, tuple)
        assert all(code.isalpha() and code == code.lower() for code in embedder.languages)
        assert (embedder.name, embedder.model) == (again.name, again.model)

    def test_vectors_are_finite_and_of_one_size(self, tmp_path: Path) -> None:
        """Whatever the text, a vector has the promised number of finite numbers, not all zero."""
        embedder = self.make(tmp_path)
        vectors = [*embedder.embed_passages(TEXTS), embedder.embed_query(TEXTS[0])]
        assert {embedder.dimensions} == {len(vector) for vector in vectors}
        assert all(math.isfinite(number) for vector in vectors for number in vector)
        assert all(any(vector) for vector in vectors)

    def test_each_text_gets_its_own_vector_in_order(self, tmp_path: Path) -> None:
        """A list gives what each of its texts gives alone, bit for bit, also when repeated."""
        embedder = self.make(tmp_path)
        alone = [list(embedder.embed_passages([text])[0]) for text in TEXTS]
        assert len(TEXTS) == len({tuple(vector) for vector in alone})
        assert alone == [list(vector) for vector in embedder.embed_passages(TEXTS)]
        twice = embedder.embed_passages([*reversed(TEXTS), *TEXTS])
        assert [*reversed(alone), *alone] == [list(vector) for vector in twice]

    def test_another_instance_gives_the_same_vectors(self, tmp_path: Path) -> None:
        """A model opened again places the same texts at the same points."""
        first, second = self.make(tmp_path), self.make(tmp_path)
        for one, other in zip(
            first.embed_passages(TEXTS), second.embed_passages(TEXTS), strict=True
        ):
            assert list(one) == list(other)
        assert list(first.embed_query(TEXTS[1])) == list(second.embed_query(TEXTS[1]))

    def test_no_texts_give_no_vectors(self, tmp_path: Path) -> None:
        """An empty list is answered with an empty list."""
        assert self.make(tmp_path).embed_passages([]) == []

    def test_blank_texts_are_refused(self, tmp_path: Path) -> None:
        """What says nothing has no vector, alone or among others."""
        embedder = self.make(tmp_path)
        for blank in ("", " ", "\n\t", "\u3000"):
            for call in (embedder.embed_query, lambda text: embedder.embed_passages(["x", text])):
                assert isinstance(_error(call, blank), UsageError), repr(blank)

    def test_odd_texts_are_embedded(self, tmp_path: Path) -> None:
        """Emoji, zero-width and right-to-left text, controls and half characters are just text."""
        embedder = self.make(tmp_path)
        for vector in (*embedder.embed_passages(ODD_TEXTS), embedder.embed_query(ODD_TEXTS[0])):
            assert embedder.dimensions == len(vector)
            assert all(map(math.isfinite, vector))

    def test_a_text_of_any_length_is_embedded(self, tmp_path: Path) -> None:
        """A million characters are cut to what fits, and still lie near their own beginning."""
        embedder = self.make(tmp_path)
        sentences = {"zh": "订单系统昨晚停机了两小时。", "en": "The order system was down. "}
        for language in embedder.languages or sentences:
            sentence = sentences[language]
            huge, start = embedder.embed_passages([sentence * 80_000, sentence * 100])
            assert cosine(huge, start) > 0.8
            assert embedder.dimensions == len(embedder.embed_query(sentence * 80_000))

    def test_texts_alike_are_closer_than_others(self, tmp_path: Path) -> None:
        """A question is nearest to the passage on its matter, in every language served."""
        embedder = self.make(tmp_path)
        for language in embedder.languages or ALIKE:
            passages, queries = zip(*ALIKE[language], strict=True)
            vectors = embedder.embed_passages(passages)
            for place, query in enumerate(map(embedder.embed_query, queries)):
                near = [cosine(query, vector) for vector in vectors]
                assert place == near.index(max(near)), queries[place]

    def test_threads_may_share_it(self, tmp_path: Path) -> None:
        """Eight threads at once get the vectors that one thread gets."""
        embedder = self.make(tmp_path)
        expected = {text: list(embedder.embed_query(text)) for text in TEXTS}
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(embedder.embed_query, TEXTS * 8))
        assert [expected[text] for text in TEXTS * 8] == [list(vector) for vector in found]

    def test_a_closed_embedder_says_so(self, tmp_path: Path) -> None:
        """After closing, once or twice, every call is refused with the code `closed`."""
        embedder = self.make(tmp_path)
        embedder.close()
        embedder.close()
        assert _error(embedder.embed_query, "x").code == "closed"
        assert _error(embedder.embed_passages, ["x"]).code == "closed"


def cosine(one: Vector, other: Vector) -> float:
    """Return how close two vectors are in direction, from -1 to 1."""
    dot = math.fsum(a * b for a, b in zip(one, other, strict=True))
    return dot / (math.hypot(*one) * math.hypot(*other))


def _error(call: Callable[..., object], *arguments: object) -> SmartBrainError:
    """Return the error that the call ends with; ending without one is a failure."""
    try:
        result = call(*arguments)
    except SmartBrainError as error:
        return error
    raise AssertionError(f"expected an error, got {result!r}")
