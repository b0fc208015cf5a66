"""Opening views: from a snapshot and what came after it, or anew where that cannot be trusted.

In: real snapshots of real indexes, damaged, replaced, of other histories. Out: always the answers
of views that were built just now, and a count of why they were built.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from views_tenant import QUESTIONS, VIEWS, Tenant, answers, assert_same, filled, rebuilt, tenant

from smartbrain.adapters.snapshots.folder import CURRENT, FolderSnapshots
from smartbrain.domain.policy import Rules
from smartbrain.errors import AdapterError
from smartbrain.ports.truth import Truth
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.words import TextView
from smartbrain.remember.operations import add_edge, add_node
from smartbrain.remember.write_rules import WriteRules


def reopened(opened: Tenant) -> Follower:
    """Return a follower that has opened its views just now."""
    follower = opened.follower()
    follower.catch_up(follower.names())
    return follower


@pytest.mark.spec("R4")
@pytest.mark.parametrize("seed", range(6))
def test_a_snapshot_and_its_tail_equal_a_rebuild(tmp_path: Path, seed: int) -> None:
    """Whatever was put, changed and removed before and after, the answers are the same.

    What was opened answers as what has lived through it all, to the letter. What is built anew
    measures lengths by those of this moment, so it is compared once the other has been saved.
    """
    with tenant(tmp_path) as opened:
        lived = filled(opened, seed)
        dice = Random(100 + seed)
        for _ in range(dice.randrange(3)):
            opened.stir(dice, 15)
            lived.save(lived.names())
        opened.stir(dice, 30)
        lived.catch_up(lived.names())
        follower = reopened(opened)
        assert {} == follower.rebuilds
        assert_same(answers(lived, opened), answers(follower, opened))
        follower.save(follower.names())
        assert_same(rebuilt(opened), answers(follower, opened))


def test_opening_at_the_snapshot_itself_reads_no_row(tmp_path: Path) -> None:
    """Without later changes nothing is put again."""
    with tenant(tmp_path) as opened:
        filled(opened)
        follower = reopened(opened)
        assert {} == follower.rebuilds
        assert {0} == {follower.place(name).changed for name in VIEWS}


@pytest.mark.spec("R4")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("damage", ["flipped", "cut", "no current", "no folder", "no manifest"])
def test_a_damaged_snapshot_is_built_anew(tmp_path: Path, view: str, damage: str) -> None:
    """That view alone is built from the truth, counted, and answers as if nothing had happened."""
    with tenant(tmp_path) as opened:
        folder = filled(opened, steps=12).place(view).saved
        largest = max(
            (path for path in folder.iterdir() if path.name != "MANIFEST"),
            key=lambda path: path.stat().st_size,
        )
        data = bytearray(largest.read_bytes())
        data[len(data) // 2] ^= 0x10
        code = "corrupt"
        if damage == "flipped":
            largest.write_bytes(data)
        elif damage == "cut":
            largest.write_bytes(data[:-1])
        elif damage == "no current":
            (folder.parent / CURRENT).unlink()
            code = "missing"
        elif damage == "no folder":
            shutil.rmtree(folder)
        else:
            (folder / "MANIFEST").unlink()
        opened.say("评审会 3 后来")
        follower = reopened(opened)
        assert {f"{view}:{code}": 1} == follower.rebuilds
        assert_same(rebuilt(opened), answers(follower, opened))
        follower.save(follower.names())
        assert {} == reopened(opened).rebuilds


class Older(TextView):
    """The text view of an earlier release."""

    version = 0

    def fresh(self) -> Older:
        """Return an empty one."""
        return Older(self._make, self._types, self._blobs)


@pytest.mark.spec("R4")
def test_a_snapshot_of_another_format_is_built_anew(tmp_path: Path) -> None:
    """What an older release has written is not read, whatever it holds."""
    with tenant(tmp_path) as opened:
        filled(opened)
        older = opened.follower(text=Older)
        older.save(["text"])
        assert {"text:format": 1} == older.rebuilds
        follower = reopened(opened)
        assert {"text:format": 1} == follower.rebuilds
        assert_same(rebuilt(opened), answers(follower, opened))


@contextmanager
def restored(tmp_path: Path, copy: Path, **config: Any):
    """Put an older copy of the rainbow in the place of the present one, and open that."""
    folder = tmp_path / "tenants" / "t"
    for path in folder.glob("brain.db*"):
        path.unlink()
    shutil.copy(copy, folder / "brain.db")
    with tenant(tmp_path, seed=5, **config) as opened:
        yield opened


def copied(tmp_path: Path) -> Path:
    """Return a copy of the rainbow of a closed tenant."""
    return Path(shutil.copy(tmp_path / "tenants" / "t" / "brain.db", tmp_path / "copy.db"))


@pytest.mark.spec("R4")
def test_a_snapshot_that_knows_more_than_the_truth_is_built_anew(tmp_path: Path) -> None:
    """After an older copy was restored, what happened since is not found any more."""
    with tenant(tmp_path) as opened:
        opened.say("晚霞那边 before")
        opened.embed()
    copy = copied(tmp_path)
    with tenant(tmp_path) as opened:
        filled(opened)
    with restored(tmp_path, copy) as opened:
        follower = reopened(opened)
        assert {f"{view}:ahead": 1 for view in VIEWS} == follower.rebuilds
        assert_same(rebuilt(opened), answers(follower, opened))
        opened.stir(Random(1), 10)
        follower.save(follower.names())
        assert {} == reopened(opened).rebuilds


def go_on_by_turns(opened: Tenant) -> None:
    """Let the history go on by what was said."""
    opened.stir(Random(3), 90)


def go_on_by_edges(opened: Tenant) -> None:
    """Let the history go on without a new node."""
    rules = {"ports": opened.ports, "rules": WriteRules(Rules(), "r")}
    first, *others = opened.episodes()
    for number, other in enumerate(others):
        add_edge(first.id, "causes", other.id, 0.1 + number / 10, **rules)


@pytest.mark.spec("R4")
@pytest.mark.parametrize("go_on", [go_on_by_turns, go_on_by_edges])
def test_a_snapshot_of_another_history_is_built_anew(tmp_path: Path, go_on: Any) -> None:
    """A restored copy that has gone further than the snapshot is still told apart from it."""
    with tenant(tmp_path) as opened:
        for number in range(6):
            opened.say(f"晚霞那边 {number}")
        opened.embed()
    copy = copied(tmp_path)
    with tenant(tmp_path, seed=2) as opened:
        rules = {"ports": opened.ports, "rules": WriteRules(Rules(), "r")}
        if go_on is go_on_by_turns:
            opened.say("only in the other history 另一段")
        else:
            first, second, *_ = opened.episodes()
            add_edge(second.id, "about", first.id, 0.9, **rules)
        follower = opened.follower()
        follower.save(follower.names())
        ahead = opened.ports.truth.seq()
    with restored(tmp_path, copy) as opened:
        go_on(opened)
        assert opened.ports.truth.seq() > ahead
        follower = reopened(opened)
        assert {f"{view}:ahead": 1 for view in VIEWS} == follower.rebuilds
        assert_same(rebuilt(opened), answers(follower, opened))


def drop_changes(truth: Truth, upto: int) -> None:
    """Cut the log, as the passing of time does."""
    with truth.write() as transaction:
        transaction.connection.execute("DELETE FROM changes WHERE seq <= ?", (upto,))
        transaction.connection.execute("UPDATE tenant SET changes_floor = ?", (upto,))


@pytest.mark.spec("R4")
def test_a_snapshot_older_than_the_log_is_built_anew(tmp_path: Path) -> None:
    """Where the changes since a snapshot have been dropped, it is of no use."""
    with tenant(tmp_path) as opened:
        filled(opened)
        opened.stir(Random(1), 10)
        drop_changes(opened.ports.truth, opened.ports.truth.seq() - 2)
        follower = reopened(opened)
        assert {f"{view}:gone": 1 for view in VIEWS} == follower.rebuilds
        assert_same(rebuilt(opened), answers(follower, opened))


def test_views_that_slept_longer_than_the_log_are_opened_again(tmp_path: Path) -> None:
    """Open views whose changes were dropped meanwhile answer right at the next call."""
    with tenant(tmp_path) as opened:
        follower = filled(opened)
        opened.stir(Random(1), 10)
        drop_changes(opened.ports.truth, opened.ports.truth.seq() - 2)
        assert follower.catch_up(follower.names()) == 0
        assert_same(rebuilt(opened), answers(follower, opened))


def test_a_log_cut_below_a_snapshot_does_no_harm(tmp_path: Path) -> None:
    """What a snapshot knows already need not be in the log."""
    with tenant(tmp_path) as opened:
        filled(opened)
        drop_changes(opened.ports.truth, opened.ports.truth.seq())
        opened.say("周报 weekly report")
        follower = reopened(opened)
        assert {} == follower.rebuilds
        assert_same(rebuilt(opened), answers(follower, opened))


@pytest.mark.spec("R4")
def test_a_rebuild_replaces_every_view_and_snapshot(tmp_path: Path) -> None:
    """Asked for, all is built anew and told of on the way; the next start reads the new files."""
    with tenant(tmp_path) as opened:
        follower = filled(opened)
        before = {name: follower.place(name).saved for name in VIEWS}
        told: list[tuple[str, int]] = []
        follower.rebuild(follower.names(), lambda name, count: told.append((name, count)))
        assert set(VIEWS) == {name for name, _ in told}
        assert not any(list(folder.iterdir()) for folder in before.values() if folder.exists())
        follower.save(follower.names())
        for name in before:
            assert follower.place(name).saved.exists()
            assert follower.rebuilds[f"{name}:asked"] == 1
        assert_same(rebuilt(opened), answers(follower, opened))
        assert {} == reopened(opened).rebuilds


@pytest.mark.spec("M4", "R4")
def test_a_rebuild_elsewhere_does_not_mix_files(tmp_path: Path) -> None:
    """Another process builds anew at the same transaction; saving here then goes by its files."""
    with tenant(tmp_path) as opened, tenant(tmp_path, seed=2) as other:
        mine = filled(opened)
        for memory in opened.episodes()[:4]:
            opened.remove(memory)
        mine.save(mine.names())
        theirs = other.follower()
        theirs.rebuild(theirs.names())
        theirs.save(theirs.names())
        opened.stir(Random(4), 20)
        mine.save(mine.names())
        assert_same(rebuilt(opened), answers(mine, opened))
        follower = reopened(opened)
        assert {} == follower.rebuilds
        assert_same(rebuilt(opened), answers(follower, opened))


@pytest.mark.spec("M4", "R4")
def test_taking_over_an_older_snapshot_forgets_nothing(tmp_path: Path) -> None:
    """Saving after another process did, a view takes that snapshot and keeps what it knew."""
    with tenant(tmp_path) as opened, tenant(tmp_path, seed=2) as other:
        mine, theirs = filled(opened), other.follower()
        opened.stir(Random(8), 10)
        theirs.save(theirs.names())
        opened.stir(Random(9), 10)
        mine.catch_up(mine.names())
        known = mine.place("text").seq
        mine.save(mine.names())
        assert known <= mine.place("text").seq
        assert_same(rebuilt(opened), answers(mine, opened))
        assert_same(answers(mine, opened), answers(reopened(opened), opened))


def test_a_snapshot_deleted_under_an_open_view_is_noticed_when_saving(tmp_path: Path) -> None:
    """A view whose files somebody deleted answers on, and is opened again instead of saved."""
    with tenant(tmp_path) as opened:
        follower = filled(opened)
        shutil.rmtree(opened.folder / "views")
        opened.say("评审会 3")
        follower.save(follower.names())
        follower.save(follower.names())
        assert_same(rebuilt(opened), answers(follower, opened))
        assert {} == reopened(opened).rebuilds


class FullDisk(FolderSnapshots):
    """A store on a disk that is full just when a snapshot is published."""

    full = True

    @contextmanager
    def writing(self):
        """Hand out the right to write, with a publish that fails."""
        with super().writing() as writing:
            publish = writing.publish

            def failing(*given: Any, **more: Any) -> None:
                if self.full:
                    raise AdapterError("there is no space left", code="disk_full")
                publish(*given, **more)

            writing.publish = failing
            yield writing


@pytest.mark.spec("R4", "E5")
def test_a_full_disk_costs_the_snapshot_and_nothing_else(tmp_path: Path) -> None:
    """The call says so, answers stay right, and later snapshots are written as ever."""
    with tenant(tmp_path) as opened:
        filled(opened)
        store = FullDisk(opened.folder / "views", opened.snapshots()._attempt)
        follower = opened.follower(store)
        for number in range(3):
            opened.say(f"评审会 {number}")
            with pytest.raises(AdapterError) as caught:
                follower.save(follower.names())
            assert caught.value.code == "disk_full"
            follower.catch_up(follower.names())
            assert_same(rebuilt(opened), answers(follower, opened))
        store.full = False
        follower.save(follower.names())
        after = reopened(opened)
        assert {} == after.rebuilds
        assert {0} == {after.place(name).changed for name in VIEWS}
        assert_same(rebuilt(opened), answers(after, opened))


def test_a_brand_new_tenant_opens_empty(tmp_path: Path) -> None:
    """Nothing has happened: the views are ready and have no answer; nodes alone are found."""
    with tenant(tmp_path) as opened:
        follower = reopened(opened)
        assert {"text", "passages", "graph"} == set(answers_names(follower))
        assert not any(answers(follower, opened).values())
        follower.save(follower.names())
        add_node("Concept:晚霞那边", ports=opened.ports, rules=WriteRules(Rules(), "r"))
        later = reopened(opened)
        assert {} == later.rebuilds
        expected = answers(later, opened)[f"text {QUESTIONS[0]}"]
        assert [opened.concept("晚霞那边")] == [name for name, _ in expected]


def answers_names(follower: Follower) -> list[str]:
    """Return the views that are ready."""
    return [name for name in follower.names() if follower.get(name) is not None]
