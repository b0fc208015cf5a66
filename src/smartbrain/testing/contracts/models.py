"""What every model must do: embedders, language models, rerankers, counters of tokens.

In: a model, by overriding `make`, which is called once or more a test and returns the same model
each time, open. Out: failed asserts where it differs from its port. Not how good its answers are.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smartbrain.errors import UsageError
from smartbrain.ports.language_model import ModelMessage
from smartbrain.testing.contracts import raised

if TYPE_CHECKING:
    from smartbrain.ports.embedder import Embedder, Vector
    from smartbrain.ports.language_model import LanguageModel
    from smartbrain.ports.reranker import Reranker
    from smartbrain.ports.token_counter import TokenCounter


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
    """The suite for embedders."""

    def make(self, tmp_path: Path) -> Embedder:
        """Return the embedder under test; `tmp_path` is an empty folder that it may use."""
        raise NotImplementedError

    def test_it_says_what_it_is(self, embedder: Embedder, tmp_path: Path) -> None:
        """Name and model are one line each; languages are lower-case codes; all stay the same."""
        again = self.make(tmp_path)
        for said in (embedder.name, embedder.model):
            assert said == said.strip()
            assert said.isprintable()
            assert said != ""
        assert isinstance(embedder.languages, tuple)
        assert all(code.isalpha() and code == code.lower() for code in embedder.languages)
        assert (embedder.name, embedder.model) == (again.name, again.model)

    def test_vectors_are_finite_and_of_one_size(self, embedder: Embedder) -> None:
        """Whatever the text, a vector has the promised number of finite numbers, not all zero."""
        vectors = [*embedder.embed_passages(TEXTS), embedder.embed_query(TEXTS[0])]
        assert {embedder.dimensions} == {len(vector) for vector in vectors}
        assert all(math.isfinite(number) for vector in vectors for number in vector)
        assert all(any(vector) for vector in vectors)

    def test_each_text_gets_its_own_vector_in_order(self, embedder: Embedder) -> None:
        """A list gives what each of its texts gives alone, bit for bit, also when repeated."""
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

    def test_blank_texts_are_refused(self, embedder: Embedder) -> None:
        """What says nothing has no vector, alone or among others."""
        for blank in ("", " ", "\n\t", "\u3000"):
            for call in (embedder.embed_query, lambda text: embedder.embed_passages(["x", text])):
                assert isinstance(raised(call, blank), UsageError), repr(blank)

    def test_odd_texts_are_embedded(self, embedder: Embedder) -> None:
        """Emoji, zero-width and right-to-left text, controls and half characters are just text."""
        for vector in (*embedder.embed_passages(ODD_TEXTS), embedder.embed_query(ODD_TEXTS[0])):
            assert embedder.dimensions == len(vector)
            assert all(map(math.isfinite, vector))

    def test_a_text_of_any_length_is_embedded(self, embedder: Embedder) -> None:
        """A million characters are cut to what fits, and still lie near their own beginning."""
        sentences = {"zh": "订单系统昨晚停机了两小时。", "en": "The order system was down. "}
        for language in embedder.languages or sentences:
            sentence = sentences[language]
            huge, start = embedder.embed_passages([sentence * 80_000, sentence * 100])
            assert cosine(huge, start) > 0.8
            assert embedder.dimensions == len(embedder.embed_query(sentence * 80_000))

    def test_texts_alike_are_closer_than_others(self, embedder: Embedder) -> None:
        """A question is nearest to the passage on its matter, in every language served."""
        for language in embedder.languages or ALIKE:
            passages, queries = zip(*ALIKE[language], strict=True)
            vectors = embedder.embed_passages(passages)
            for place, query in enumerate(map(embedder.embed_query, queries)):
                near = [cosine(query, vector) for vector in vectors]
                assert place == near.index(max(near)), queries[place]

    def test_threads_may_share_it(self, embedder: Embedder) -> None:
        """Eight threads at once get the vectors that one thread gets."""
        expected = {text: list(embedder.embed_query(text)) for text in TEXTS}
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(embedder.embed_query, TEXTS * 8))
        assert [expected[text] for text in TEXTS * 8] == [list(vector) for vector in found]

    def test_a_closed_embedder_says_so(self, embedder: Embedder) -> None:
        """After closing, once or twice, every call is refused with the code `closed`."""
        embedder.close()
        embedder.close()
        assert raised(embedder.embed_query, "x").code == "closed"
        assert raised(embedder.embed_passages, ["x"]).code == "closed"


def cosine(one: Vector, other: Vector) -> float:
    """Return how close two vectors are in direction, from -1 to 1."""
    dot = math.fsum(a * b for a, b in zip(one, other, strict=True))
    return dot / (math.hypot(*one) * math.hypot(*other))


SAID: Final = (
    "The build failed with E1042 on Tuesday.",
    "用户说：以后都用简体中文回答。",
    "把 deploy.sh 里的 timeout 改成 30 秒",
    '{"tasks": [{"title": "写周报"}]}',
    "🎉👩‍👩‍👧‍👦 مرحبا\r\n\ttabbed",
    "长" * 20_000,
)
SCHEMA: Final = {"type": "object", "properties": {"tasks": {"type": "array"}}}


class LanguageModelContract:
    """The suite for language models."""

    def make(self) -> LanguageModel:
        """Return the model under test, which answers with the user's last message."""
        raise NotImplementedError

    def test_it_says_what_it_is(self, model: LanguageModel) -> None:
        """Its name is one line, and every answer names the model and counts in whole numbers."""
        answer = model.complete([ModelMessage("user", "hello 你好")])
        assert model.model.strip() == model.model != ""
        assert model.model.isprintable()
        assert answer.model != ""
        assert all(type(count) is int for count in answer.usage.values())

    def test_it_answers_the_last_words_of_the_user(self, model: LanguageModel) -> None:
        """Whatever the text, it arrives and comes back whole."""
        for text in SAID:
            talk = [
                ModelMessage("system", "Repeat. 请重复。"),
                ModelMessage("user", "first"),
                ModelMessage("assistant", "first"),
                ModelMessage("user", text),
            ]
            assert text == model.complete(talk).text

    def test_a_schema_may_be_given(self) -> None:
        """Asking for JSON changes how it is asked, not that it answers."""
        answer = self.make().complete([ModelMessage("user", SAID[3])], schema=SCHEMA, timeout=5.0)
        assert SAID[3] == answer.text

    def test_half_characters_do_no_harm(self) -> None:
        """Half of a pair is replaced, two halves are joined."""
        said = "half \ud83d, whole \ud83d\ude00"
        answer = self.make().complete([ModelMessage("user", said)])
        assert answer.text == "half \ufffd, whole 😀"

    def test_what_is_no_conversation_is_refused(self, model: LanguageModel) -> None:
        """No message, a blank one, an unknown role and an impossible timeout are the caller's."""
        said = ModelMessage("user", "x")
        for messages in ([], [ModelMessage("user", " \n")], [said, ModelMessage("tool", "x")]):
            assert isinstance(raised(model.complete, messages), UsageError)
        for timeout in (0.0, -1.0, float("nan"), float("inf")):
            assert isinstance(raised(model.complete, [said], timeout=timeout), UsageError)

    def test_threads_may_share_it(self, model: LanguageModel) -> None:
        """Eight threads at once get their own answers."""
        texts = [f"{text[:50]} {place}" for place in range(8) for text in SAID]
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(lambda text: model.complete([ModelMessage("user", text)]).text, texts)
            assert texts == list(found)

    def test_a_closed_model_says_so(self, model: LanguageModel) -> None:
        """After closing, once or twice, every call is refused with the code `closed`."""
        model.close()
        model.close()
        assert raised(model.complete, [ModelMessage("user", "x")]).code == "closed"


QUESTIONS: Final = {
    "cat sofa": ("invoice", "cat sofa", "sofa invoice"),
    "猫 沙发": ("发票", "猫 沙发", "沙发 发票"),
}
"""Questions with a text that has nothing of them, one that has all, and one between."""


class RerankerContract:
    """The suite for rerankers."""

    def make(self, tmp_path: Path) -> Reranker:
        """Return the reranker under test."""
        raise NotImplementedError

    def test_it_says_what_it_is(self, reranker: Reranker) -> None:
        """Its name is one line."""
        assert reranker.name.strip() == reranker.name != ""
        assert reranker.name.isprintable()

    def test_what_answers_better_scores_higher(self, reranker: Reranker) -> None:
        """In both languages, in the order of the texts, with finite numbers."""
        for question, texts in QUESTIONS.items():
            scores = reranker.score(question, texts)
            assert len(texts) == len(scores)
            assert all(map(isfinite, scores))
            assert scores[0] < scores[2] < scores[1], question
            assert list(reversed(scores)) == list(reranker.score(question, texts[::-1]))

    def test_a_text_scores_the_same_in_every_company(self, reranker: Reranker) -> None:
        """Alone, repeated or among others: the number depends on question and text alone."""
        for question, texts in QUESTIONS.items():
            alone = [reranker.score(question, [text])[0] for text in texts]
            assert alone * 3 == list(reranker.score(question, texts * 3))

    def test_nothing_to_read_is_nothing(self, tmp_path: Path) -> None:
        """No texts give no scores."""
        assert list(self.make(tmp_path).score("cat 猫", [])) == []

    def test_half_characters_and_huge_texts_do_no_harm(self, reranker: Reranker) -> None:
        """They are replaced or cut, and the others score as ever."""
        texts = ["half \ud83d", "cat sofa", "长" * 200_000, "🎉 مرحبا\r\n\t"]
        scores = reranker.score("cat sofa \ud83d\ude00", texts)
        assert max(scores) == scores[1]

    def test_what_is_blank_is_refused(self, reranker: Reranker) -> None:
        """A blank question and a blank text are the caller's mistakes."""
        assert isinstance(raised(reranker.score, " \n", ["cat"]), UsageError)
        assert isinstance(raised(reranker.score, "cat", ["猫", "　"]), UsageError)

    def test_threads_may_share_it(self, reranker: Reranker) -> None:
        """Eight threads at once get their own answers."""
        asked = list(QUESTIONS.items()) * 8
        expected = [list(reranker.score(*one)) for one in asked]
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(lambda one: list(reranker.score(*one)), asked)
            assert expected == list(found)

    def test_a_closed_reranker_says_so(self, reranker: Reranker) -> None:
        """After closing, once or twice, every call is refused with the code `closed`."""
        reranker.close()
        reranker.close()
        assert raised(reranker.score, "cat", ["猫"]).code == "closed"


COUNTED: Final = (
    "The quick brown fox jumps over the lazy dog.",
    "今天下午三点开会，记得带上合同。",
    "发布 v2.4.1 到 staging，然后 run the smoke tests 🚀",
    "def main():\n    return {'a': [1, 2, 3]}\n",
    "👩‍👩‍👧‍👦 🇨🇳",
    "<|endoftext|><|im_start|>",
    "half \ud83d a character",
    "\x00\u2028\ufeff",
)
"""Texts of every kind that a counter may be given."""


class TokenCounterContract:
    """The suite for counters of tokens."""

    def make(self) -> TokenCounter:
        """Return the counter under test."""
        raise NotImplementedError

    def test_it_says_what_it_is(self) -> None:
        """Its name is one line."""
        name = self.make().name
        assert name.strip() == name != ""
        assert name.isprintable()

    def test_every_text_costs_something_and_the_empty_one_nothing(
        self, counter: TokenCounter
    ) -> None:
        """Any text is counted: Chinese, English, code, emoji, broken characters."""
        assert counter.count("") == 0
        assert all(counter.count(text) > 0 for text in COUNTED)

    def test_a_text_costs_no_more_than_its_bytes(self, counter: TokenCounter) -> None:
        """A token is at least a byte; an estimate may exceed that by a quarter."""
        for text in COUNTED:
            assert counter.count(text) <= len(text.encode(errors="replace")) * 1.25 + 2, text

    def test_more_text_costs_more(self, counter: TokenCounter) -> None:
        """A text ten times over costs about ten times as much."""
        for text in COUNTED[:4]:
            once, often = counter.count(text), counter.count(text * 10)
            assert 8 * once <= often <= 11 * once, text

    def test_marks_of_models_are_text_like_any_other(self) -> None:
        """Words that a model reserves are counted as they are spelled, not as one token."""
        assert self.make().count("<|endoftext|>") > 1

    def test_threads_get_the_same_counts(self, counter: TokenCounter) -> None:
        """Eight threads at once count as one does."""
        expected = [counter.count(text) for text in COUNTED]
        with ThreadPoolExecutor(8) as pool:
            for counted in pool.map(lambda _: [counter.count(text) for text in COUNTED], range(64)):
                assert counted == expected
