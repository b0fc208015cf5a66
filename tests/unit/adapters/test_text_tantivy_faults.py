"""The text index when something goes wrong or happens at the same time.

In: damaged files, full or forbidden folders, changes during a save, thousands of equal or removed
documents. Out: an AdapterError or the right answer, never anything else.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tantivy import Index, Query

from smartbrain.adapters.tantivy import index as index_module
from smartbrain.adapters.tantivy.index import Failing, IndexRules, TantivyTextIndex
from smartbrain.adapters.tantivy.segments import build_schema
from smartbrain.domain.search import Facets, IndexFilter, TextDocument
from smartbrain.errors import AdapterError
from smartbrain.text.query import text_query
from smartbrain.text.tokenise import VERSION


def _documents(count: int, start: int = 0, text: str = "weekly report 周报") -> list[TextDocument]:
    return [TextDocument(num=start + n, text=f"{text} n{start + n}") for n in range(count)]


def _found(index: TantivyTextIndex, text: str, k: int = 100) -> list[int]:
    return [hit.num for hit in index.search(text_query(text), k=k)]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("IoError { No space left on device (os error 28) }", "disk_full"),
        ("Os { code: 28, kind: StorageFull }", "disk_full"),
        ("Permission denied (os error 13)", "read_only"),
        ("Input/output error (os error 5)", "io_error"),
        ("Failed to acquire Lockfile: LockBusy.", "busy"),
        ("Data corrupted: 'Footer magic byte mismatch'", "corrupt"),
    ],
)
def test_what_tantivy_says_becomes_a_code(message: str, code: str) -> None:
    """The system's error number is read from the message; anything else is damage."""
    with pytest.raises(AdapterError) as caught, Failing("read the index", "corrupt"):
        raise ValueError(message)
    assert code == caught.value.code
    assert "read the index" in caught.value.message


def test_a_panic_is_an_adapter_error() -> None:
    """A Rust panic, which is no Exception, does not get past us."""
    with pytest.raises(AdapterError) as caught, Failing("ask", "corrupt"):
        Query.phrase_query(build_schema(), "own", ["alone"])
    assert caught.value.code == "corrupt"


def test_an_error_of_ours_or_of_the_caller_is_passed_on() -> None:
    """Only failures of tantivy and the disk are translated."""
    with pytest.raises(ZeroDivisionError), Failing("ask", "corrupt"):
        raise ZeroDivisionError
    with pytest.raises(AdapterError, match="as it was"), Failing("ask", "corrupt"):
        raise AdapterError("as it was", code="busy")
    with Failing("ask", "corrupt"):
        pass


def test_a_save_that_fails_changes_nothing(tmp_path: Path) -> None:
    """The index goes on with all it has, and the next save succeeds."""
    index = TantivyTextIndex()
    index.upsert(_documents(5))
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    for write in (index.save, index.compact):
        with pytest.raises(AdapterError) as caught:
            write(tmp_path / "file")
        assert caught.value.code == "io_error"
        assert [0, 1, 2, 3, 4] == _found(index, "周报")
    index.save(tmp_path / "good")
    index.upsert(_documents(1, start=5))
    shutil.rmtree(tmp_path / "good")
    with pytest.raises(AdapterError):
        index.save(tmp_path / "next")
    assert [0, 1, 2, 3, 4, 5] == _found(index, "周报")
    index.compact(tmp_path / "whole")
    assert (6, 0) == (index.stats().documents, index.stats().unsaved)


def test_a_save_that_fails_midway_lets_go_of_its_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry that cannot be written fails the save, not the ones after it, in memory too."""
    index = TantivyTextIndex()
    index.upsert(_documents(3))
    index.save(None)
    index.upsert(_documents(3, start=3))
    with monkeypatch.context() as patch:
        patch.setattr("smartbrain.adapters.tantivy.segments.to_document", _refuse)
        with pytest.raises(AdapterError) as caught:
            index.save(None)
    index.save(None)
    assert caught.value.code == "io_error"
    assert list(range(6)) == _found(index, "周报")


def _refuse(*_: object) -> bytes:
    raise ValueError("not this one")


def test_changes_during_a_save_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added, replaced or removed while files are written is so afterwards too."""
    for name, anew in (("write_anew", True), ("write_more", False)):
        index = TantivyTextIndex()
        index.upsert(_documents(4))
        index.save(tmp_path / f"{name}0")
        index.upsert(_documents(4, start=4))
        folder = tmp_path / f"{name}1"
        with monkeypatch.context() as patch:
            patch.setattr(index_module, name, _meddling(index, getattr(index_module, name)))
            (index.compact if anew else index.save)(folder)
        assert [2, 3, 6, 7, 8] == sorted(_found(index, "周报"))
        assert [0, 4] == _found(index, "changed")
        again = TantivyTextIndex()
        again.load(folder)
        assert list(range(8)) == sorted(_found(again, "周报"))
        index.save(tmp_path / f"{name}2")
        again.load(tmp_path / f"{name}2")
        assert index.search(text_query("周报 changed"), k=10) == again.search(
            text_query("周报 changed"), k=10
        )


def _meddling(index: TantivyTextIndex, write: Callable[..., object]) -> Callable[..., object]:
    """Return a writer that changes the index when it has written."""

    def written(*arguments: object) -> object:
        segments = write(*arguments)
        index.upsert([TextDocument(num=num, text="changed words") for num in (0, 4)])
        index.upsert(_documents(1, start=8))
        index.remove([1, 5])
        return segments

    return written


def test_damage_is_reported_or_harmless(tmp_path: Path) -> None:
    """A file cut short or emptied ends in an AdapterError, or does not change the answer."""
    index = TantivyTextIndex()
    index.upsert(_documents(50))
    index.remove([7])
    index.save(tmp_path / "good")
    expected = index.search(text_query("周报 n3"), k=100)
    reported = set()
    for path in sorted((tmp_path / "good").iterdir()):
        if path.name.endswith(".lock"):
            continue
        for size in (0, path.stat().st_size // 2):
            folder = tmp_path / f"bad{size}{path.name}"
            shutil.copytree(tmp_path / "good", folder)
            os.truncate(folder / path.name, size)
            other = TantivyTextIndex()
            try:
                other.load(folder)
                assert expected == other.search(text_query("周报 n3"), k=100)
            except AdapterError as error:
                reported.add((path.suffix, error.code))
    assert {code for _, code in reported} == {"corrupt"}
    kinds = {kind for kind, _ in reported}
    assert {".json", ".idx", ".term", ".fast", ".store", ".fieldnorm"} <= kinds


def test_another_format_is_not_loaded(tmp_path: Path) -> None:
    """A state of other words or another format, and one that does not fit its files, is refused."""
    index = TantivyTextIndex()
    index.upsert(_documents(3))
    index.save(tmp_path / "good")
    state = (tmp_path / "good" / "state.json").read_text(encoding="utf-8")
    for number, (old, new) in enumerate(
        [
            ('"format":2', '"format":1'),
            (f'"tokeniser":{VERSION}', '"tokeniser":0'),
            ('"rows":3', '"rows":4'),
        ]
    ):
        assert old in state
        folder = tmp_path / f"bad{number}"
        shutil.copytree(tmp_path / "good", folder)
        (folder / "state.json").write_text(state.replace(old, new), encoding="utf-8")
        with pytest.raises(AdapterError) as caught:
            index.load(folder)
        assert caught.value.code == "corrupt"
    assert [0, 1, 2] == _found(index, "周报")


def test_thousands_of_equals_are_cut_at_the_lowest_numbers(tmp_path: Path) -> None:
    """However many documents tie, written in whatever order, the lowest numbers are returned."""
    index = TantivyTextIndex()
    nums = list(range(3_000, 0, -1))
    for part in (nums[:1_000], nums[2_000:], nums[1_000:2_000]):
        index.upsert([TextDocument(num=num, text="好的 okay") for num in part])
        index.save(tmp_path / str(part[0]))
    assert list(range(1, 201)) == _found(index, "okay 好的", k=200)


def test_thousands_of_removed_ones_do_not_stand_in_the_way(tmp_path: Path) -> None:
    """What answers best but was removed or is not admitted leaves its place to the rest."""
    index = TantivyTextIndex()
    index.upsert([TextDocument(num=num, text="report") for num in range(2_000)])
    refused = Facets(status="superseded")
    index.upsert(
        [TextDocument(num=num, text="report", facets=refused) for num in range(2_000, 3_000)]
    )
    index.upsert([TextDocument(num=9_000 + n, text=f"a weekly report {n}") for n in range(50)])
    index.save(tmp_path / "one")
    index.remove(list(range(2_000)))
    assert [9_000, 9_001] == [
        hit.num for hit in index.search(text_query("report"), k=2, only=IndexFilter(statuses=("",)))
    ]
    assert list(range(2_000, 2_100)) == _found(index, "report")


def test_saving_and_compacting_become_due(tmp_path: Path) -> None:
    """A small index asks for nothing, a grown one to be saved, one half removed to be compacted."""
    index = TantivyTextIndex(IndexRules(tail=10, removed=5, removed_share=0.3))
    due = [index.stats().due]
    index.upsert(_documents(9))
    due.append(index.stats().due)
    index.upsert(_documents(1, start=9))
    due.append(index.stats().due)
    index.save(tmp_path / "one")
    due.append(index.stats().due)
    index.remove([0, 1, 2, 3])
    due.append(index.stats().due)
    index.remove([4])
    due.append(index.stats().due)
    index.compact(tmp_path / "two")
    due.append(index.stats().due)
    assert due == ["", "", "save", "", "", "compact", ""]
    assert index.stats().bytes > 0


def test_an_index_in_memory_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saved without a folder, everything is found and nothing is on disk."""
    monkeypatch.chdir(tmp_path)
    index = TantivyTextIndex()
    for wave in range(10):
        index.upsert(_documents(20, start=wave * 20))
        index.save(None)
    index.compact(None)
    assert list(tmp_path.iterdir()) == []
    assert (200, 0, 0) == (index.stats().documents, index.stats().unsaved, index.stats().bytes)
    assert [105] == _found(index, "n105")


def test_two_writers_do_not_meet(tmp_path: Path) -> None:
    """A folder that somebody else is writing to is busy, not broken."""
    index = TantivyTextIndex()
    index.upsert(_documents(2))
    (tmp_path / "one").mkdir()
    held = Index(build_schema(), path=str(tmp_path / "one")).writer(15_000_000, 1)
    with pytest.raises(AdapterError) as caught:
        index.save(tmp_path / "one")
    assert caught.value.code == "busy"
    del held


@pytest.mark.parametrize("wrong", [None, -1, 10_000])
def test_a_number_that_cannot_be_is_damage(tmp_path: Path, wrong: int | None) -> None:
    """Damaged files give documents no number, or any: none of them leaves the index."""
    index = TantivyTextIndex()
    index.upsert(_documents(50))
    index.save(tmp_path / "saved")
    assert 50 == len(_found(index, "weekly 周报"))
    segments: Any = index._segments
    inner = segments._searcher

    class Damaged:
        def __getattr__(self, name: str) -> Any:
            return getattr(inner, name)

        def fast_field_values(self, name: str, addresses: list[Any]) -> list[Any]:
            return [*inner.fast_field_values(name, addresses)[1:], wrong]

    segments._searcher = Damaged()
    with pytest.raises(AdapterError) as caught:
        index.search(text_query("weekly 周报"), k=9)
    assert "corrupt" == caught.value.code
