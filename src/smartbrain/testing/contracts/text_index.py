"""What every text index must do; an adapter's tests inherit `TextIndexContract`.

In: a folder of its own for each test. Out: failed asserts where the adapter differs from the port.
It does not test speed, file formats or what a crash leaves behind; scores are compared with the
reference in the congruence tests.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from smartbrain.domain.search import (
    Apart,
    Facets,
    IndexFilter,
    Nearby,
    TextDocument,
    TextQuery,
    WeightedPhrase,
    WeightedTerm,
)
from smartbrain.testing.contracts import raised
from smartbrain.text.query import text_query

if TYPE_CHECKING:
    from smartbrain.ports.text_index import TextIndex


_TERMS = (WeightedTerm("港口"), WeightedTerm("好", 0.2), WeightedTerm("meet", 0.2))


NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
TEXTS = {
    1: "The weekly report is due on Thursday, and Mei reads the report first.",
    2: "把下周的评审会改到周四下午三点，并通知小梅。",
    3: "The importer fails with 0x8007045D in src/app.py:42 on large files.",
    4: "我对花生过敏，订餐的时候记得提醒餐厅。",
    5: "Thursday works for the review; 评审会之前先看 weekly report。",
    6: "Nothing to be or not to be found here.",
}


def document(num: int, text: str, facets: Facets | None = None) -> TextDocument:
    """Build a document of plain words."""
    return TextDocument(num=num, text=text, facets=facets or Facets())


class TextIndexContract:
    """The suite; a subclass says how to make the index, and may say in what state to test it.

        class TestMyIndex(TextIndexContract):
            def make(self, tmp_path: Path) -> TextIndex:
                return MyTextIndex()

            def settle(self, index: TextIndex, tmp_path: Path) -> None:
                index.save(tmp_path / "saved")

    `settle` is called after a test has added its documents and before it searches, possibly several
    times a test; by default nothing is saved.
    """

    def make(self, tmp_path: Path) -> TextIndex:
        """Return an empty index under test."""
        raise NotImplementedError

    def settle(self, index: TextIndex, tmp_path: Path) -> None:
        """Bring the index into the state that is tested."""

    def filled(self, tmp_path: Path) -> TextIndex:
        """Return an index of the sample texts."""
        index = self.make(tmp_path)
        index.upsert([document(num, text) for num, text in TEXTS.items()])
        self.settle(index, tmp_path)
        return index

    def test_words_are_found_in_both_languages(self, tmp_path: Path) -> None:
        """Any form of an English word and any part of a Chinese text finds it."""
        index = self.filled(tmp_path)
        for text, expected in (
            ("reports", {1, 5}),
            ("THURSDAY", {1, 5}),
            ("评审会", {2, 5}),
            ("花生", {4}),
            ("餐", {4}),
            ("周四", {2}),
            ("Ｗｅｅｋｌｙ", {1, 5}),
        ):
            assert expected == set(numbers(index, text)), text

    def test_the_better_answer_comes_first(self, tmp_path: Path) -> None:
        """More of the query, rarer words and a shorter text score higher; scores fall."""
        index = self.filled(tmp_path)
        hits = index.search(text_query("weekly report review 评审会"), k=10)
        assert [hit.num for hit in hits] == [5, 1, 2]
        assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
        assert all(hit.score > 0 for hit in hits)

    def test_codes_are_found_whole_and_in_parts(self, tmp_path: Path) -> None:
        """A code, a path with its line and their parts each find the text."""
        index = self.filled(tmp_path)
        for text in ("0x8007045D", "0X8007045d", "src/app.py:42", "app.py", "src"):
            assert numbers(index, text) == [3], text

    def test_every_part_of_a_document_is_found(self, index: TextIndex, tmp_path: Path) -> None:
        """Title, entities, neighbours, date and speakers find it too."""
        parts = TextDocument(
            num=1,
            text="好的 agreed",
            title="Lunch",
            entities=("老王", "Mei"),
            nearby=(Nearby("shall we eat at noon", 1), Nearby("我饿了", 2)),
            date="2026-03-09 Monday",
            speakers=("assistant",),
        )
        index.upsert([parts, document(2, "unrelated")])
        self.settle(index, tmp_path)
        for text in ("agreed", "lunch", "老王", "mei", "noon", "饿了", "Monday", "assistant"):
            assert numbers(index, text) == [1], text

    def test_a_kind_is_not_crowded_out(self, index: TextIndex, tmp_path: Path) -> None:
        """Of each kind the best come, however many others are better."""
        many = [document(num, "评审会 review", Facets(type="said")) for num in range(1, 9)]
        few = [document(num, "review 评审会 later", Facets(type="known")) for num in (11, 12, 13)]
        index.upsert([*many, *few])
        self.settle(index, tmp_path)
        kinds = (("known",), ("said", "told"))
        found = index.search(text_query("评审会"), k=4, apart=Apart(kinds, 2, 0.2))
        assert [hit.num for hit in found] == [1, 2, 3, 4, 11, 12]
        found = index.search(text_query("review"), k=4, apart=Apart(kinds, 2, 0.99))
        assert [hit.num for hit in found] == [1, 2, 3, 4, 11, 12]
        found = index.search(text_query("review"), k=11, apart=Apart(kinds, 2, 0.99))
        assert len(found) == 11  # the last one is far behind the first

    def test_a_phrase_must_stand_as_it_was_said(self, tmp_path: Path) -> None:
        """Order and neighbourhood count, stop words too, in both languages."""
        index = self.filled(tmp_path)
        for phrase, expected in (
            ("weekly report", [5, 1]),
            ("report weekly", []),
            ("report is due", [1]),
            ("report due", []),
            ("not to be", [6]),
            ("评审会改到", [2]),
            ("评审会", [2, 5]),
            ("审", [2, 5]),
            ("会评审", []),
            ("app.py 42", [3]),
        ):
            query = text_query("", must=[phrase])
            found = [hit.num for hit in index.search(query, k=10)]
            assert sorted(expected) == sorted(found), phrase

    def test_a_phrase_that_should_be_there_lifts(self, index: TextIndex, tmp_path: Path) -> None:
        """The document that says it in these words comes first, the others stay."""
        index.upsert([document(1, "the report weekly"), document(2, "the weekly report")])
        self.settle(index, tmp_path)
        plain = text_query("weekly report")
        lifted = text_query("weekly report", should=[("weekly report", 0.5)])
        assert [hit.num for hit in index.search(plain, k=2)] == [1, 2]
        assert [hit.num for hit in index.search(lifted, k=2)] == [2, 1]

    def test_nothing_to_look_for_has_no_answer(self, tmp_path: Path) -> None:
        """Blank, signs alone, words that nobody said and stop words, but as they stand together."""
        index = self.filled(tmp_path)
        assert numbers(index, "to be or not to be") == [6]
        for text in ("", " \t\n", "of with from", "。！？…", "\u200b\u200d\ufeff", "\x00"):
            assert numbers(index, text) == [], text
        for text in ("zeppelin", "飞艇", "👍", "שלום", "مرحبا"):
            assert numbers(index, text) == [], text
        assert numbers(self.make(tmp_path), "report") == []

    def test_any_script_is_found(self, tmp_path: Path) -> None:
        """Emoji, right-to-left and accented words, and words with invisible characters in them."""
        texts = ("👍 👨‍👩‍👧", "שלום עולם", "مرحبا بالعالم", "déjà vu", "re\u200bport", "हिन्दी")
        index = self.make(tmp_path)
        index.upsert([document(num, text) for num, text in enumerate(texts)])
        self.settle(index, tmp_path)
        for num, text in enumerate(("👧", "עולם", "مُرَحَّبَا", "déjà", "reports", "हिन्दी")):
            assert [num] == numbers(index, text), text

    def test_a_huge_query_is_answered_by_its_beginning(self, tmp_path: Path) -> None:
        """A megabyte of words does no harm and still finds what it begins with."""
        index = self.filled(tmp_path)
        english = "report " + " ".join(f"word{number:06}" for number in range(100_000))
        assert numbers(index, english) == [1, 5]
        assert numbers(index, "花生过敏" + "天地玄黄宇宙洪荒" * 40_000)[0] == 4
        assert len(english) > 1_000_000

    def test_a_faint_term_adds_to_what_answers_by_another(
        self, index: TextIndex, tmp_path: Path
    ) -> None:
        """Alone it finds nothing, whether saved or not; a phrase that is found is enough."""
        index.upsert([TextDocument(1, "锅炉修好了"), TextDocument(2, "meeting at the harbour")])
        index.upsert([TextDocument(3, "港口很好"), TextDocument(4, "港口很远")])
        self.settle(index, tmp_path)
        index.upsert([TextDocument(5, "身体好"), TextDocument(6, "港口的好，一样")])
        faint = frozenset({"好", "meet"})
        everything = index.search(TextQuery(terms=_TERMS), k=10)
        found = index.search(TextQuery(terms=_TERMS, faint=faint), k=10)
        assert [hit for hit in everything if hit.num in (3, 4, 6)] == found
        assert index.search(TextQuery(terms=_TERMS[1:], faint=faint), k=10) == []
        phrase = WeightedPhrase(("the", "harbour"))
        only = TextQuery(terms=_TERMS[1:], should=(phrase,), faint=faint)
        assert [hit.num for hit in index.search(only, k=10)] == [2]

    def test_what_has_no_meaning_is_refused(self, tmp_path: Path) -> None:
        """Wrong numbers, weights and times end in an error that says so, and change nothing."""
        index = self.filled(tmp_path)
        good = text_query("report")
        naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the point of the test
        terms = [TextQuery(terms=(WeightedTerm("a", weight),)) for weight in (0, -1, float("nan"))]
        phrases = [TextQuery(should=(WeightedPhrase(one),)) for one in ((), ("a b",), ("a",) * 65)]
        for query in (*terms, *phrases, TextQuery(terms=(WeightedTerm("a"),) * 5_000)):
            assert raised(index.search, query, k=5).code == "usage"
        for k in (0, -1, 10_001):
            assert raised(index.search, good, k=k).code == "usage"
        assert raised(index.search, good, k=5, only=IndexFilter(since=naive)).code == "bad_time"
        assert raised(index.upsert, [document(8, "x", Facets(at=naive))]).code == "bad_time"
        for wrong in (-1, 2**63, True):
            assert raised(index.upsert, [document(9, "x"), document(wrong, "x")]).code == "usage"
        assert raised(index.upsert, [document(9, "x", Facets(source="\ud800"))]).code == "usage"
        assert len(TEXTS) == index.stats().documents

    def test_what_is_no_index_is_not_loaded(self, tmp_path: Path) -> None:
        """A missing or foreign folder is an error, and the index goes on as it was."""
        index = self.filled(tmp_path)
        (tmp_path / "foreign").mkdir()
        (tmp_path / "foreign" / "state.json").write_text("{", encoding="utf-8")
        for folder in (tmp_path / "missing", tmp_path / "foreign"):
            assert raised(index.load, folder).code == "corrupt"
        assert numbers(index, "report") == [1, 5]

    def test_it_counts_who_holds_a_term(self, tmp_path: Path) -> None:
        """Saved or not, without what was removed or replaced; an unknown term has nobody."""
        index = self.filled(tmp_path)
        assert index.holding(["report", "nobody"]) == [2, 0]
        index.save(tmp_path / "saved")
        index.upsert([document(1, "花生酱"), document(8, "report 预算")])
        index.remove([5])
        assert index.holding(["report", "花生", "nobody"]) == [1, 2, 0]

    def test_threads_may_search_change_and_save_at_once(self, tmp_path: Path) -> None:
        """Eight threads at it lose nothing and see whole documents."""
        index = self.filled(tmp_path)

        def work(number: int) -> None:
            index.upsert([document(100 + number, f"thread words 线程 {number}")])
            if number % 8 == 0:
                index.save(tmp_path / f"thread{number}")
            assert 100 + number in numbers(index, f"thread {number}", k=50)
            if number % 2:
                index.remove([100 + number])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(40)))
        assert list(range(100, 140, 2)) == sorted(numbers(index, "线程", k=50))


def numbers(
    index: TextIndex, text: str, *, k: int = 10, only: IndexFilter | None = None
) -> list[int]:
    """Return the numbers that a text finds, best first."""
    return [hit.num for hit in index.search(text_query(text), k=k, only=only)]
