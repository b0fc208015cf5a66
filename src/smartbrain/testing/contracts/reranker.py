"""What every reranker must do; an adapter's tests inherit `RerankerContract`.

In: an open reranker that scores a text the higher the more it shares with the question. Out: failed
asserts where the adapter differs from the port. It does not test what only one adapter promises.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smartbrain.errors import SmartBrainError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartbrain.ports.reranker import Reranker

QUESTIONS: Final = {
    "cat sofa": ("invoice", "cat sofa", "sofa invoice"),
    "猫 沙发": ("发票", "猫 沙发", "沙发 发票"),
}
"""Questions with a text that has nothing of them, one that has all, and one between."""


class RerankerContract:
    """The suite; a subclass says how to make the reranker.

        class TestMyReranker(RerankerContract):
            def make(self, tmp_path: Path) -> Reranker:
                return MyReranker()

    `make` may be called more than once a test and returns the same reranker each time, open.
    """

    def make(self, tmp_path: Path) -> Reranker:
        """Return the reranker under test."""
        raise NotImplementedError

    def test_it_says_what_it_is(self, tmp_path: Path) -> None:
        """Its name is one line."""
        reranker = self.make(tmp_path)
        assert reranker.name.strip() == reranker.name != ""
        assert reranker.name.isprintable()

    def test_what_answers_better_scores_higher(self, tmp_path: Path) -> None:
        """In both languages, in the order of the texts, with finite numbers."""
        reranker = self.make(tmp_path)
        for question, texts in QUESTIONS.items():
            scores = reranker.score(question, texts)
            assert len(texts) == len(scores)
            assert all(map(isfinite, scores))
            assert scores[0] < scores[2] < scores[1], question
            assert list(reversed(scores)) == list(reranker.score(question, texts[::-1]))

    def test_a_text_scores_the_same_in_every_company(self, tmp_path: Path) -> None:
        """Alone, repeated or among others: the number depends on question and text alone."""
        reranker = self.make(tmp_path)
        for question, texts in QUESTIONS.items():
            alone = [reranker.score(question, [text])[0] for text in texts]
            assert alone * 3 == list(reranker.score(question, texts * 3))

    def test_nothing_to_read_is_nothing(self, tmp_path: Path) -> None:
        """No texts give no scores."""
        assert list(self.make(tmp_path).score("cat 猫", [])) == []

    def test_half_characters_and_huge_texts_do_no_harm(self, tmp_path: Path) -> None:
        """They are replaced or cut, and the others score as ever."""
        reranker = self.make(tmp_path)
        texts = ["half \ud83d", "cat sofa", "长" * 200_000, "🎉 مرحبا\r\n\t"]
        scores = reranker.score("cat sofa \ud83d\ude00", texts)
        assert max(scores) == scores[1]

    def test_what_is_blank_is_refused(self, tmp_path: Path) -> None:
        """A blank question and a blank text are the caller's mistakes."""
        reranker = self.make(tmp_path)
        assert isinstance(_error(reranker, " \n", ["cat"]), UsageError)
        assert isinstance(_error(reranker, "cat", ["猫", "　"]), UsageError)

    def test_threads_may_share_it(self, tmp_path: Path) -> None:
        """Eight threads at once get their own answers."""
        reranker = self.make(tmp_path)
        asked = list(QUESTIONS.items()) * 8
        expected = [list(reranker.score(*one)) for one in asked]
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(lambda one: list(reranker.score(*one)), asked)
            assert expected == list(found)

    def test_a_closed_reranker_says_so(self, tmp_path: Path) -> None:
        """After closing, once or twice, every call is refused with the code `closed`."""
        reranker = self.make(tmp_path)
        reranker.close()
        reranker.close()
        assert _error(reranker, "cat", ["猫"]).code == "closed"


def _error(reranker: Reranker, query: str, texts: Sequence[str]) -> SmartBrainError:
    """Return the error that a call ends with; ending without one is a failure."""
    try:
        result = reranker.score(query, texts)
    except SmartBrainError as error:
        return error
    raise AssertionError(f"expected an error, got {result!r}")
