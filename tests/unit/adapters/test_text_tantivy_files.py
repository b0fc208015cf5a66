"""What the text index leaves in its files, and that tantivy scores as we say.

In: small indexes saved to disk. Out: their files, read back with tantivy itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from tantivy import Index, Query, Searcher

from smartbrain.adapters.tantivy.index import TantivyTextIndex
from smartbrain.domain.search import Facets, TextDocument
from smartbrain.text.bm25 import rounded_length, typical_length
from smartbrain.text.query import text_query

SECRET = "Zanzibar 0xDEADBEEF 绝密文件 mei@secret.example"


def _document(num: int, text: str, **facets: str) -> TextDocument:
    return TextDocument(num=num, text=text, facets=Facets(tags=("tag",), **facets))


def _index(*texts: str) -> TantivyTextIndex:
    index = TantivyTextIndex()
    index.upsert([_document(num, text) for num, text in enumerate(texts)])
    return index


def _searcher(folder: Path) -> tuple[Index, Searcher]:
    index = Index.open(str(folder))
    return index, index.searcher()


def _readable(folder: Path) -> Iterator[str]:
    """Yield all that tantivy's reader finds in a folder: every term and every stored field."""
    _, searcher = _searcher(folder)
    for name in ("words", "own", "source", "tags"):
        yield from (term for term, _ in searcher.terms_with_prefix(name, ""))
    for _, address in searcher.search(Query.all_query(), 1_000).hits:
        for values in searcher.doc(address).to_dict().values():
            yield from (value.decode() for value in values)
    yield (folder / "state.json").read_text(encoding="utf-8")


def _files(folder: Path) -> dict[str, str]:
    """Return every lasting file with a hash of its content."""
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if not path.name.endswith(".lock")
    }


def _traces(folder: Path) -> set[str]:
    """Return which words of the secret can still be read, and whether its order can."""
    words = ("zanzibar", "0xdeadbeef", "绝密", "secret.example", "private/place", "hidden")
    readable = list(_readable(folder))
    found = {word for word in words if any(word in text for text in readable)}
    index, searcher = _searcher(folder)
    for phrase in (["zanzibar", "0xdeadbeef"], ["绝", "密", "文", "件"]):
        query = Query.phrase_query(index.schema, "own", phrase)
        found |= {" ".join(phrase)} if searcher.search(query, 10).hits else set()
    return found


@pytest.mark.spec("R14")
def test_removed_text_leaves_the_files_with_compact(tmp_path: Path) -> None:
    """Terms, positions, facets and stored words of what was removed are there until then."""
    index = _index("weekly report", "周报 文件")
    secret = TextDocument(
        num=7, text=SECRET, facets=Facets(source="file:///private/place", tags=("hidden",))
    )
    index.upsert([secret])
    index.save(tmp_path / "with")
    index.remove([7])
    index.save(tmp_path / "marked")
    index.compact(tmp_path / "clean")
    before = _traces(tmp_path / "with")
    assert len(before) == 8
    assert before == _traces(tmp_path / "marked")
    assert set() == _traces(tmp_path / "clean")
    assert [1] == [hit.num for hit in index.search(text_query("文件 zanzibar"), k=5)]


def test_replaced_text_leaves_the_files_with_compact(tmp_path: Path) -> None:
    """An update leaves the old words behind no longer than a removal does."""
    index = _index(SECRET, "weekly report")
    index.save(tmp_path / "one")
    index.upsert([_document(0, "harmless")])
    index.save(tmp_path / "two")
    assert _traces(tmp_path / "two")
    index.compact(tmp_path / "three")
    assert set() == _traces(tmp_path / "three")


def test_a_saved_folder_never_changes(tmp_path: Path) -> None:
    """Later saves, merges and compactions share its files and leave them as they are."""
    index = _index("weekly report", "周报")
    index.save(tmp_path / "first")
    before = _files(tmp_path / "first")
    for number in range(12):
        index.upsert([_document(100 + number, f"report {number}"), _document(0, "new words")])
        index.save(tmp_path / f"save{number}")
    index.compact(tmp_path / "compact")
    assert before == _files(tmp_path / "first")
    again = TantivyTextIndex()
    again.load(tmp_path / "first")
    assert [0] == [hit.num for hit in again.search(text_query("report"), k=5)]


def test_a_save_shares_the_files_of_the_one_before(tmp_path: Path) -> None:
    """A segment that is still used is one file with two names."""
    index = _index("weekly report")
    index.save(tmp_path / "one")
    index.upsert([_document(5, "more")])
    index.save(tmp_path / "two")
    shared = [path for path in (tmp_path / "two").iterdir() if path.stat().st_nlink == 2]
    assert {".store", ".idx", ".term", ".pos", ".fast"} <= {path.suffix for path in shared}


def test_no_writer_is_held_between_saves(tmp_path: Path) -> None:
    """Somebody else may open a writer on the folder as soon as it is saved."""
    index = _index("weekly report")
    index.save(tmp_path / "one")
    Index.open(str(tmp_path / "one")).writer(15_000_000, 1).rollback()
    assert index.search(text_query("report"), k=1)


def test_tantivy_scores_by_our_lengths(tmp_path: Path) -> None:
    """Its own explanation has our rounded length, and our typical length as its average."""
    lengths = [1, 5, 39, 40, 41, 57, 100, 333, 1_000, 5_000]
    index = _index(*("report " * length for length in lengths[:5]))
    index.save(tmp_path / "one")
    index.upsert([_document(5 + n, "report " * length) for n, length in enumerate(lengths[5:])])
    index.save(tmp_path / "two")
    opened, searcher = _searcher(tmp_path / "two")
    query = Query.term_query(opened.schema, "words", "report", "freq")
    explained = {}
    for _, address in searcher.search(query, 100).hits:
        parts = json.loads(query.explain(searcher, address).to_json())["details"][2]["details"]
        values = {part["description"].split(",")[0]: part["value"] for part in parts}
        explained[int(values["freq"])] = (values["dl"], values["avgdl"])
    typical = typical_length(sum(lengths), len(lengths))
    assert {length: (rounded_length(length), typical) for length in lengths} == explained
    assert typical == index.stats().typical_length


def test_the_average_follows_the_documents_up_and_down(tmp_path: Path) -> None:
    """Short documents after long ones, and long after short, move it; each save says so."""
    index = _index(*("report " * 64 for _ in range(10)))
    seen = []
    for number, length in enumerate((1, 1, 400, 2)):
        start = 100 * (number + 1)
        index.upsert([_document(start + n, "weekly " * length) for n in range(20)])
        index.save(tmp_path / str(number))
        opened, searcher = _searcher(tmp_path / str(number))
        query = Query.term_query(opened.schema, "words", "report", "freq")
        ((_, address),) = searcher.search(query, 1).hits
        parts = json.loads(query.explain(searcher, address).to_json())["details"][2]["details"]
        seen.append((index.stats().typical_length, parts[-1]["value"]))
    assert [typical for typical, _ in seen] == [average for _, average in seen]
    assert [typical for typical, _ in seen] == [16, 11, 91, 91]


def test_what_is_written_is_replaced_and_what_is_new_is_not_looked_for(tmp_path: Path) -> None:
    """Files tell the highest number; new ones are above it."""
    index = _index("apple 苹果", "pear")
    index.save(tmp_path / "a")
    again = TantivyTextIndex()
    again.load(tmp_path / "a")
    again.upsert([_document(1, "quince"), _document(7, "plum")])
    again.save(tmp_path / "b")
    saved = json.loads((tmp_path / "b" / "state.json").read_text(encoding="utf-8"))
    assert 7 == saved["highest"]
    opened = TantivyTextIndex()
    opened.load(tmp_path / "b")
    opened.remove([7])
    for one in (again, opened):
        found = {word: [num for num, _ in one.search(text_query(word), k=5)] for word in _FRUIT}
        plum = [7] if one is again else []
        assert {"苹果": [0], "pear": [], "quince": [1], "plum": plum} == found


_FRUIT = ("苹果", "pear", "quince", "plum")
