"""Documents come in through `brain.ingest` and become a graph through `brain.r2g`.

In: texts and files in Chinese and English. Out: raw chunks, then episodes, entities and statements;
never a task, a preference or another thing that somebody would have to assert.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import fake_brain, inside, table_rows

from smartbrain import SmartBrain, UsageError
from smartbrain.domain.history import GraphReport
from smartbrain.domain.turn import DOCUMENT
from smartbrain.remember import ingest

TEXT = (
    "Win11 蓝牙打不开，错误码 0x8007045D。李雷上周在上海修好了驱动。\n\n"
    "Alice met Bob in Berlin on Monday. TODO: buy milk. I prefer tea. 我决定用 PostgreSQL。\n"
)
LONG = "".join(
    f"第 {n} 段：Alice visited Berlin in the morning, 然后去了上海。\n\n" for n in range(400)
)


def rows(brain: SmartBrain) -> dict[str, list[tuple[Any, ...]]]:
    """Return everything that the brain's tenant has stored."""
    return table_rows(brain._root.folder("t") / "brain.db")


def types(brain: SmartBrain) -> set[str]:
    """Return the types of all memories, whatever their status."""
    with inside(brain) as transaction:
        return {one.type for _, one in transaction.memories.page(status=None, limit=10_000)}


def texts(brain: SmartBrain, ids: list[str]) -> str:
    """Return the original text of raw chunks, one after the other."""
    with brain._lease() as tenant, tenant.ports.truth.read() as transaction:
        found = transaction.raw.get(ids)
        blobs = tenant.ports.blobs
        parts = [
            chunk.body if chunk.body is not None else blobs.get(chunk.path or "", chunk.address)
            for chunk in map(found.__getitem__, ids)
        ]
    return b"".join(parts).decode()


@pytest.mark.spec("S1", "C7", "E2")
def test_a_text_is_kept_whole_and_only_once(tmp_path: Path) -> None:
    """Its chunks put together are the text; nothing is remembered of it yet."""
    with fake_brain(tmp_path) as brain:
        ids = brain.ingest(LONG, meta={"title": "旅行"})
        assert len(ids) > 1
        assert LONG == texts(brain, ids)
        assert set() == types(brain)
        before = rows(brain)
        assert ids == brain.ingest(LONG, meta={"title": "旅行"})
        assert before == rows(brain)
        (session,) = brain.sessions.list().items
        first = brain.sessions.turns(session.id)[0].messages[0]
        assert {"title": "旅行", "mime": "text/plain", DOCUMENT: True} == first.meta
        assert "document" == first.name
        assert ids == brain.ingest(LONG)
        assert 2 == len(brain.sessions.list().items)


@pytest.mark.spec("S1", "C7", "C1")
def test_a_document_becomes_a_graph_and_asserts_nothing(tmp_path: Path) -> None:
    """Episodes, entities and statements; a second run finds nothing to do and changes nothing."""
    with fake_brain(tmp_path) as brain:
        brain.ingest(TEXT)
        report = brain.r2g()
        assert (1, 1) == (report.chunks, report.episodes)
        assert report.entities > 3
        assert report.statements > 1
        assert {"episodes", "entities", "statements"} == types(brain)
        rows_now = brain.status().rows
        made = report.episodes + report.entities + report.statements
        assert made == rows_now["memories"]
        before = rows(brain)
        assert GraphReport() == brain.r2g()
        brain.ingest(TEXT)
        assert GraphReport() == brain.r2g()
        assert before == rows(brain)


@pytest.mark.spec("S1", "C7")
def test_a_graph_that_was_cut_off_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was done stays done, the rest follows, and each chunk has one episode."""
    monkeypatch.setattr(ingest, "_BATCH", 2)
    calls: list[tuple[int, int]] = []

    def fail(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) == 1:
            raise KeyboardInterrupt

    with fake_brain(tmp_path) as brain:
        chunks = len(brain.ingest(LONG))
        assert chunks > 3
        with pytest.raises(KeyboardInterrupt):
            brain.r2g(fail)
        assert 2 == len(brain.memories.list(type="episodes").items)
        rest = brain.r2g(on_progress=fail)
        assert (chunks - 2, chunks - 2) == (rest.chunks, rest.episodes)
        assert chunks == len(brain.memories.list(type="episodes").items)
    assert (2, chunks) == calls[0]
    assert (chunks - 2, chunks - 2) == calls[-1]


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("name", "mime", "kept"),
    [
        ("笔记.md", None, "text/markdown"),
        ("page.HTM", None, "text/html"),
        ("data.json", None, "application/json"),
        ("chat1.txt", None, "text/plain"),
        ("NOTES", None, "text/plain"),
        ("a.txt", "application/ld+json", "application/ld+json"),
        ("a.txt", "text/x-rst; charset=utf-8", "text/x-rst; charset=utf-8"),
    ],
)
def test_a_file_is_known_by_its_name(
    tmp_path: Path, name: str, mime: str | None, kept: str
) -> None:
    """The kind of text is told by the suffix or the caller; the turn refers to the file."""
    file = tmp_path / name
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    with fake_brain(tmp_path / "b") as brain:
        ids = brain.ingest(file, mime=mime)
        assert TEXT == texts(brain, ids)
        (session,) = brain.sessions.list().items
        (turn,) = brain.sessions.turns(session.id)
        assert kept == turn.messages[0].meta["mime"]
        assert [file.as_uri()] == [ref.ref_uri for ref in turn.refs]


@pytest.mark.spec("S1")
def test_what_is_no_text_is_refused_and_nothing_written(tmp_path: Path) -> None:
    """Binary, empty, missing, a folder, another type: one sentence names what can be ingested."""
    image, empty = tmp_path / "图.png", tmp_path / "empty.txt"
    image.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x01")
    empty.write_text(" \n", encoding="utf-8")
    zeros = tmp_path / "zeros.bin"
    zeros.write_bytes(b"ab\0cd")
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (image, {}, "图.png: is not a text in UTF-8; convert it first: plain text, Markdown"),
        (zeros, {}, "is not a text in UTF-8"),
        (empty, {}, "is empty"),
        (tmp_path / "没有.txt", {}, "没有.txt: cannot be read"),
        (tmp_path, {}, "cannot be read (it is not a file)"),
        ("", {}, "is empty"),
        (" \n", {}, "is blank"),
        (b"bytes", {}, "must be text, not bytes"),
        (None, {}, "must be text, not nothing"),
        ("半\ud83d", {}, "half a character"),
        ("x", {"mime": "image/png"}, "text/plain, text/markdown"),
        ("x", {"mime": 3}, "mime must be text"),
        ("x", {"meta": ["a"]}, "meta must be a dict, not list"),
        ("x", {"meta": {"a": b"b"}}, "holds bytes"),
    ]
    with fake_brain(tmp_path / "b") as brain:
        for given, more, sentence in wrong:
            with pytest.raises(UsageError, match=r"^[^\n]+$") as error:
                brain.ingest(given, **more)
            assert sentence in str(error.value)
        assert 0 == brain.status().rows["turns"]
