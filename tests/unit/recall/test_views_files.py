"""What views leave on disk, and what they do when others take files away from under them."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from random import Random

import pytest
from views_tenant import answers, assert_same, filled, rebuilt, tenant

from smartbrain.adapters.snapshots.folder import CURRENT
from smartbrain.recall.views import follow

VIEWS = ("text", "passages", "graph")


def contents(folder: Path) -> bytes:
    """Return everything that lies in a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.spec("M4", "R4")
def test_a_reader_goes_on_when_its_snapshot_is_replaced_and_deleted(tmp_path: Path) -> None:
    """Another process saves again and again; figures and answers come from what is still mapped."""
    with tenant(tmp_path) as opened, tenant(tmp_path, seed=2) as other:
        reader, writer = filled(opened), other.follower()
        before = reader.place("text").saved
        assert before is not None
        for wave in range(3):
            other.stir(Random(wave), 40)
            writer.save(writer.names())
        assert not before.exists()
        for name in VIEWS:
            place = reader.place(name)
            items, _ = place.view.figures()
            assert items > 0
            assert place.view.due(10**9) in (True, False)
        reader.catch_up(reader.names())
        assert all(answers(reader, opened).values())
        reader.save(reader.names())
        assert_same(rebuilt(opened), answers(reader, opened))


@pytest.mark.spec("J7", "R4")
def test_after_compaction_no_older_snapshot_is_left(tmp_path: Path) -> None:
    """What was removed is neither in the new files nor in those that they replace."""
    with tenant(tmp_path) as opened:
        for number in range(40):
            opened.say(f"秘密暗号{number} secret", session=f"s{number}")
        follower = opened.follower()
        follower.save(["text"])
        opened.say("加一条 one more", session="more")
        follower.save(["text"])
        places = opened.folder / "views" / "text"
        assert 2 == len([path for path in places.iterdir() if path.is_dir()])
        for memory in opened.episodes()[:40]:
            opened.remove(memory)
        follower.save(["text"])
        assert [follower.place("text").saved] == [one for one in places.iterdir() if one.is_dir()]
        assert 0 == follower.place("text").view.index.stats().removed


@pytest.mark.spec("R4")
def test_a_small_tenant_has_no_files_even_after_a_rebuild(tmp_path: Path) -> None:
    """Where memory is enough nothing is written, and the answers stay the same."""
    with tenant(tmp_path) as opened:
        opened.say("蓝牙 bluetooth 打不开")
        follower = opened.follower()
        follower.catch_up(follower.names())
        before = answers(follower, opened)
        follower.rebuild(follower.names())
        assert before == answers(follower, opened)
        assert b"" == contents(opened.folder / "views")


@pytest.mark.spec("R4")
def test_a_damaged_name_of_a_snapshot_is_told_from_a_missing_one(tmp_path: Path) -> None:
    """Both are built anew; only one of them is something to worry about."""
    with tenant(tmp_path) as opened:
        filled(opened)
        (opened.folder / "views" / "text" / CURRENT).write_bytes(b"\xff")
        (opened.folder / "views" / "graph" / CURRENT).unlink()
        follower = opened.follower()
        follower.catch_up(follower.names())
        assert {"text:corrupt": 1, "graph:missing": 1} == dict(follower.rebuilds)


@pytest.mark.spec("R4")
def test_a_transaction_too_large_for_the_deadline_is_followed_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever cannot wait goes on with what there is; whoever can sees all of it."""
    monkeypatch.setattr(follow, "_FEW", 2)
    with tenant(tmp_path) as opened:
        follower = filled(opened)
        place = follower.place("text")
        reached = place.seq
        waiting: list[object] = []

        def submit(work: object) -> Future[None]:
            waiting.append(work)
            return Future()

        follower._submit = submit
        opened.say("新的 brand new words")
        behind = follower.catch_up(["text"], seconds=0.05)
        assert (reached, 1) == (place.seq, behind)
        assert 1 == len(waiting)
        follower.catch_up(["text"])
        assert place.seq > reached
        assert_same(rebuilt(opened), answers(follower, opened))
