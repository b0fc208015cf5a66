"""Views that follow: every commit is seen by the next call, whoever made it, whatever else happens.

In: a Follower with the real indexes over a real rainbow. How views are opened from snapshots is in
`test_views_opening.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
from views_tenant import EPISODES, Tenant, answers, assert_same, rebuilt, tenant

from smartbrain.adapters.keys import MasterKey
from smartbrain.domain.search import TextDocument
from smartbrain.domain.status import ArmState
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.truth import Transaction
from smartbrain.recall.search import beside, search_words
from smartbrain.recall.views import follow, words
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.words import TextView


@pytest.fixture(autouse=True)
def _asked_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the text views ask for a flush after a hundred changes."""
    monkeypatch.setattr(words, "_LEAST", 100)


def words_found(follower: Follower, opened: Tenant, text: str, view: str = "text") -> list[str]:
    """Return the texts that hold some words, best first."""
    only = EPISODES if view == "text" else None
    hits = search_words(text, follower=follower, ports=opened.ports, view=view, k=5, only=only)
    return [hit.text for hit in hits]


@pytest.mark.spec("R4")
def test_every_commit_is_seen_by_the_next_call(tmp_path: Path) -> None:
    """100 of 100 commits are found at once by their own words, as memory and as passage."""
    with tenant(tmp_path) as opened:
        follower = opened.follower()
        for number in range(100):
            opened.say(f"编号 unique{number} 的问题")
            assert follower.catch_up(follower.names()) == 0
            for view in ("text", "passages"):
                found = words_found(follower, opened, f"unique{number}", view)
                assert f"unique{number} " in found[0]
        graph = beside(opened.episodes()[-1].id, follower=follower, ports=opened.ports)
        assert graph
        assert {"text:missing": 1, "passages:missing": 1, "graph:missing": 1} == follower.rebuilds


@pytest.mark.spec("R5", "R23")
@pytest.mark.parametrize("text", ["蓝牙耳机坏了", "the headphones broke"])
def test_originals_are_read_when_a_question_needs_them(tmp_path: Path, text: str) -> None:
    """To catch up does not read them; whoever looks for them finds what was said, and no more."""
    with tenant(tmp_path) as opened:
        turn = opened.say(text)
        follower = opened.follower()
        assert follower.catch_up(follower.names()) == 0
        assert 0 == follower.place("passages").view.index.stats().documents
        assert [text] == words_found(follower, opened, text, "passages")
        opened.brain.forget([one.id for one in opened.episodes() if one.source_turn_id == turn])
        follower.catch_up(follower.names())
        assert [] == words_found(follower, opened, text, "passages")


@pytest.mark.spec("R4")
def test_a_commit_is_seen_while_others_write_and_save(tmp_path: Path) -> None:
    """Threads that commit, search and save at once each find their own last commit, every time."""
    with tenant(tmp_path) as opened:
        follower = opened.follower()
        stop = threading.Event()

        def save() -> None:
            while not stop.is_set():
                follower.save(follower.names())

        def commit(name: str) -> None:
            for number in range(25):
                opened.say(f"{name}unique{number} 甲乙丙", name)
                follower.catch_up(follower.names())
                assert words_found(follower, opened, f"{name}unique{number}")

        with ThreadPoolExecutor(4) as executor:
            saving = executor.submit(save)
            for work in [executor.submit(commit, name) for name in ("a", "b")]:
                work.result()
            stop.set()
            saving.result()
        assert sum(follower.rebuilds.values()) == 3


@pytest.mark.parametrize("seed", range(3))
def test_following_equals_building_anew(tmp_path: Path, seed: int) -> None:
    """After all kinds of changes, in small steps, the views answer as new ones do."""
    with tenant(tmp_path) as opened:
        opened.say("晚霞 sunset")
        opened.embed()
        follower = opened.follower()
        dice = Random(seed)
        for _ in range(12):
            opened.stir(dice, 10)
            follower.catch_up(follower.names())
        assert_same(rebuilt(opened), answers(follower, opened))


class Counting(TextView):
    """A text view that notes the rows that each step brought it."""

    steps: ClassVar[list[list[int]]] = []

    def fresh(self) -> Counting:
        """Return an empty one."""
        return Counting(self._make, self._types, self._blobs)

    def apply(self, nums: Sequence[int], rows: Transaction) -> None:
        """Note the step, and take it."""
        self.steps.append(list(nums))
        super().apply(nums, rows)


@pytest.mark.spec("R4")
def test_nobody_reads_between_two_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is more than a reader may apply comes at once, behind their back, not in parts."""
    monkeypatch.setattr(follow, "_FEW", 20)
    with tenant(tmp_path) as opened:
        follower = opened.follower(text=Counting)
        opened.say("第零 nought")
        follower.catch_up(follower.names())
        Counting.steps.clear()
        for number in range(15):
            opened.say(f"第{number} unique{number}")
        assert follower.catch_up(follower.names(), seconds=60.0) == 0
        (step,) = Counting.steps
        assert len(step) >= 15


@pytest.mark.spec("R4")
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_what_took_the_place_of_something_comes_before_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float | None
) -> None:
    """Very many changes are put in parts, the newest first; a reader between two lacks nothing."""
    for name, most in (("_FEW", 10), ("_MANY", 30)):
        monkeypatch.setattr(follow, name, most)
    monkeypatch.setattr(follow, "_AT_ONCE", 7)
    with tenant(tmp_path) as opened:
        opened.say("第零 nought")
        opened.embed()
        follower = opened.follower(text=Counting)
        follower.catch_up(follower.names())
        Counting.steps.clear()
        opened.stir(Random(5), 60)
        assert follower.catch_up(follower.names(), seconds=seconds) == 0
        parts = list(Counting.steps)
        assert len(parts) > 3
        assert all(later[-1] < newer[0] for newer, later in pairwise(parts))
        assert_same(rebuilt(opened), answers(follower, opened))


def test_what_is_removed_is_not_found(tmp_path: Path) -> None:
    """A deleted episode leaves the index, and its words leave the surroundings of others."""
    with tenant(tmp_path) as opened:
        follower = opened.follower()
        for word in ("apple", "晚霞", "cherry"):
            opened.say(f"{word} 水果")
        follower.catch_up(follower.names())
        assert len(words_found(follower, opened, "晚霞")) == 3
        opened.remove(opened.episodes()[1])
        follower.catch_up(follower.names())
        assert words_found(follower, opened, "晚霞") == []


class Refusing(TextView):
    """A text view whose next puts fail, as often as `failures` says."""

    failures: ClassVar[list[str]] = []

    def fresh(self) -> Refusing:
        """Return an empty one."""
        return Refusing(self._make, self._types, self._blobs)

    def _put(self, nums: Sequence[int], documents: list[TextDocument]) -> None:
        """Fail, or put."""
        if self.failures:
            raise AdapterError(self.failures.pop(), code="io_error")
        super()._put(nums, documents)


@pytest.mark.spec("R4")
def test_a_view_that_fails_is_opened_again_and_the_others_go_on(tmp_path: Path) -> None:
    """One bad moment costs nothing; one that lasts costs that view until it is over."""
    with tenant(tmp_path) as opened:
        follower = opened.follower(text=Refusing)
        opened.say("first 第一")
        follower.catch_up(follower.names())
        opened.say("second 第二")
        Refusing.failures = ["the disk hiccups"]
        assert follower.catch_up(follower.names()) == 0
        assert len(words_found(follower, opened, "second")) == 2
        assert follower.rebuilds["text:missing"] == 2
        opened.say("third 第三")
        Refusing.failures = ["the disk hiccups"] * 2
        assert follower.catch_up(follower.names(), seconds=10) == 0
        assert follower.get("text") is None
        place = follower.place("text")
        assert (ArmState.FAILED, "io_error") == (place.state, place.code)
        assert words_found(follower, opened, "third", "passages")
        follower.catch_up(follower.names())
        assert words_found(follower, opened, "third")
        assert ArmState.UP == place.state


@pytest.mark.spec("R4")
def test_a_slow_opening_blocks_nobody_beyond_the_deadline(tmp_path: Path) -> None:
    """The call returns in time, the view is said to be building, and answers later."""
    go = threading.Event()

    class Slow(TextView):
        def fresh(self) -> Slow:
            return Slow(self._make, self._types, self._blobs)

        def put(self, nums: Sequence[int], rows: Any) -> None:
            go.wait(30)
            super().put(nums, rows)

    with tenant(tmp_path) as opened:
        opened.say("slow 慢")
        follower = opened.follower(text=Slow)
        began = time.monotonic()
        assert follower.catch_up(["text", "passages"], seconds=0.3) == 0
        assert time.monotonic() - began < 1.0
        assert follower.get("text") is None
        assert ArmState.BUILDING == follower.place("text").state
        assert words_found(follower, opened, "慢", "passages")
        with pytest.raises(AdapterError, match="building") as caught:
            words_found(follower, opened, "慢")
        assert caught.value.code == "busy"
        go.set()
        follower.catch_up(["text"])
        assert ArmState.UP == follower.place("text").state
        assert words_found(follower, opened, "慢")


def test_closing_stops_what_is_being_built(tmp_path: Path) -> None:
    """A closed follower does not build on, and whoever waited is told."""
    with tenant(tmp_path) as opened:
        opened.say("x")
        follower = opened.follower()
        follower.close()
        with pytest.raises(UsageError) as caught:
            follower.catch_up(["text"])
        assert caught.value.code == "closed"


@pytest.mark.spec("S8", "R4")
def test_an_encrypted_tenant_has_no_files_and_answers_the_same(tmp_path: Path) -> None:
    """Views of an encrypted tenant stay in memory, also when they grow and are saved."""
    key = tmp_path / "master.key"
    key.write_text("5a" * 32)
    assert MasterKey.from_bytes(key.read_bytes())
    config = {"encryption": {"enabled": True, "master_key_file": str(key)}}
    with tenant(tmp_path / "brain", **config) as opened:
        rules = opened.root.settings.rules.recall
        for number in range(130):
            opened.say(f"晚霞 sunset {number}")
        views = opened.open.views
        follower = views.ready(rules, wait=True)
        views.save(rules)
        opened.say("评审会 review 3")
        views.ready(rules, wait=True)
        assert not (opened.folder / "views").exists()
        assert "no_files" in {name.split(":")[1] for name in follower.rebuilds}
        assert_same(rebuilt(opened), answers(follower, opened))


def test_in_memory_a_flush_changes_no_answer(tmp_path: Path) -> None:
    """Without files, what is due is flushed within memory, in the background."""
    with tenant(tmp_path) as opened:
        opened.say("晚霞 sunset")
        opened.embed()
        follower = opened.follower(files=False)
        follower.catch_up(follower.names())
        for number in range(110):
            opened.say(f"晚霞 sunset {number} 次 times")
        follower.catch_up(follower.names())
        follower.place("text").saving.result()
        assert follower.get("text").index.stats().unsaved == 0
        for memory in opened.episodes()[:9]:
            opened.remove(memory)
        opened.say("晚霞 sunset 评审会 3 times")
        follower.catch_up(follower.names())
        assert_same(rebuilt(opened), answers(follower, opened))


@pytest.mark.spec("M4", "R4")
def test_two_followers_see_each_others_commits_and_flushes_disturb_neither(tmp_path: Path) -> None:
    """One writes, both follow; each saves now and then, and both keep answering the same."""
    with tenant(tmp_path) as opened, tenant(tmp_path, seed=2) as other:
        mine, theirs = opened.follower(), other.follower()
        for number in range(60):
            (opened if number % 2 else other).say(f"共同 shared{number} 晚霞")
            for follower, at in ((mine, opened), (theirs, other)):
                assert follower.catch_up(follower.names()) == 0
                assert f"shared{number} " in words_found(follower, at, f"shared{number}")[0]
            if number % 10 == 4:
                mine.save(mine.names())
            if number % 10 == 7:
                theirs.save(theirs.names())
        assert_same(answers(mine, opened), answers(theirs, other))
        assert_same(rebuilt(opened), answers(mine, opened))
        assert sum(mine.rebuilds.values()) == sum(theirs.rebuilds.values()) == 3


_SAYER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from views_tenant import tenant
with tenant(Path(sys.argv[1]), seed=99) as opened:
    follower = opened.follower()
    for line in sys.stdin:
        opened.say(line.strip())
        if "save" in line:
            follower.save(follower.names())
        print("said", flush=True)
"""


@contextmanager
def sayer_elsewhere(path: Path):
    """Start another process that commits what it is told; yield how to tell it."""
    with subprocess.Popen(
        [sys.executable, "-c", _SAYER, str(path), str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        encoding="utf-8",
    ) as process:

        def tell(text: str) -> None:
            process.stdin.write(text + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == "said\n"

        try:
            yield tell
        finally:
            process.stdin.close()


@pytest.mark.spec("M4", "R4")
def test_commits_of_another_process_are_seen_at_the_next_call(tmp_path: Path) -> None:
    """30 of 30 commits made elsewhere are found, while that process also writes snapshots."""
    with tenant(tmp_path) as opened:
        opened.say("hier 这里")
        follower = opened.follower()
        follower.catch_up(follower.names())
        tell: Callable[[str], None]
        with sayer_elsewhere(tmp_path) as tell:
            for number in range(30):
                tell(f"elsewhere{number} 别处 {'save' if number % 7 == 3 else ''}")
                follower.catch_up(follower.names())
                assert words_found(follower, opened, f"elsewhere{number}")
                if number % 10 == 9:
                    follower.save(follower.names())
        assert_same(rebuilt(opened), answers(follower, opened))


def test_an_index_is_compacted_when_much_was_removed(tmp_path: Path) -> None:
    """Removed documents leave the files by themselves, and nothing else does."""
    with tenant(tmp_path) as opened:
        for number in range(120):
            opened.say(f"晚霞 sunset {number}", f"s{number}")
        follower = opened.follower()
        follower.save(follower.names())
        for memory in opened.episodes()[:100]:
            opened.remove(memory)
        for memory in opened.episodes():
            opened.rewrite(memory, f"{memory.text} 改 again")
        before = follower.place("text").saved
        follower.catch_up(follower.names())
        follower.place("text").saving.result()
        assert before != follower.place("text").saved
        stats = follower.get("text").index.stats()
        assert (stats.documents, stats.removed, stats.due) == (20, 0, "")
        assert_same(rebuilt(opened), answers(follower, opened))
