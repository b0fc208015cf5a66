"""What every token counter must do; an adapter's tests inherit `TokenCounterContract`.

In: a counter. Out: failed asserts where it differs from the port. It does not test what a text
exactly costs, which is different from model to model.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from smartbrain.ports.token_counter import TokenCounter

TEXTS: Final = (
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
    """The suite; a subclass says how to make the counter.

    class TestMyCounter(TokenCounterContract):
        def make(self) -> TokenCounter:
            return MyCounter()
    """

    def make(self) -> TokenCounter:
        """Return the counter under test."""
        raise NotImplementedError

    def test_it_says_what_it_is(self) -> None:
        """Its name is one line."""
        name = self.make().name
        assert name.strip() == name != ""
        assert name.isprintable()

    def test_every_text_costs_something_and_the_empty_one_nothing(self) -> None:
        """Any text is counted: Chinese, English, code, emoji, broken characters."""
        counter = self.make()
        assert counter.count("") == 0
        assert all(counter.count(text) > 0 for text in TEXTS)

    def test_a_text_costs_no_more_than_its_bytes(self) -> None:
        """A token is at least a byte; an estimate may exceed that by a quarter."""
        counter = self.make()
        for text in TEXTS:
            assert counter.count(text) <= len(text.encode(errors="replace")) * 1.25 + 2, text

    def test_more_text_costs_more(self) -> None:
        """A text ten times over costs about ten times as much."""
        counter = self.make()
        for text in TEXTS[:4]:
            once, often = counter.count(text), counter.count(text * 10)
            assert 8 * once <= often <= 11 * once, text

    def test_marks_of_models_are_text_like_any_other(self) -> None:
        """Words that a model reserves are counted as they are spelled, not as one token."""
        assert self.make().count("<|endoftext|>") > 1

    def test_threads_get_the_same_counts(self) -> None:
        """Eight threads at once count as one does."""
        counter = self.make()
        expected = [counter.count(text) for text in TEXTS]
        with ThreadPoolExecutor(8) as pool:
            for counted in pool.map(lambda _: [counter.count(text) for text in TEXTS], range(64)):
                assert counted == expected
