"""What is kept of the last episodes never goes stale: each step leaves what building anew gives.

In: turns of several sessions at once, Chinese and English, edited and removed in between. Out: the
documents of a view that follows, held against those of one that is built from rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from views_tenant import TOPICS, Tenant, tenant

from smartbrain.domain.change import ChangeKind
from smartbrain.domain.search import TextDocument
from smartbrain.recall.views.place import Place, apply
from smartbrain.recall.views.words import TextView


class Documents:
    """Stands for a text index: keeps what it is given."""

    def __init__(self) -> None:
        self.held: dict[int, TextDocument] = {}

    def upsert(self, documents: Sequence[TextDocument]) -> None:
        """Keep documents."""
        self.held |= {one.num: one for one in documents}

    def remove(self, nums: Sequence[int]) -> None:
        """Let documents go."""
        for num in nums:
            self.held.pop(num, None)


def view_of(opened: Tenant) -> Any:
    """Return an empty view that shows its documents."""
    make: Any = Documents
    return TextView(make, opened.ports.types, opened.ports.blobs)


def told(view: Any) -> dict[int, Any]:
    """Return each document without its facets, which compare by identity."""
    return {num: one._replace(facets=one.facets.to_dict()) for num, one in view.index.held.items()}


def built(opened: Tenant) -> dict[int, Any]:
    """Return what a view built from rows holds."""
    view = view_of(opened)
    with opened.ports.truth.read() as rows:
        view.put(rows.followed.nums(ChangeKind.MEMORY, limit=10_000), rows)
    return told(view)


def follow(place: Place, opened: Tenant) -> None:
    """Bring a view to the last commit."""
    with opened.ports.truth.read() as rows:
        apply(place, rows.followed.changes(place.seq).found, rows)


def steps(opened: Tenant, random: Random) -> Iterator[None]:
    """Talk in three sessions by turns, and now and then change or remove what was told lately."""
    for number in range(60):
        chance = random.random()
        episodes = opened.episodes()[-8:]
        if chance < 0.15 and episodes:
            opened.rewrite(random.choice(episodes), f"改成 edited {number}")
        elif chance < 0.25 and episodes:
            opened.remove(random.choice(episodes))
        elif chance < 0.3:
            opened.say(f"{random.choice(TOPICS)} {number}", "a")
            opened.say(f"{random.choice(TOPICS)} again {number}", "b")
        else:
            opened.say(f"{random.choice(TOPICS)} {number}", random.choice("aaab甲"))
        yield


@pytest.mark.spec("R4")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_step_leaves_what_building_anew_gives(tmp_path: Path, seed: int) -> None:
    """Whatever changes among the last episodes, those around it are put again as they are now."""
    with tenant(tmp_path, seed) as opened:
        place = Place(view_of(opened), seq=0)
        for _ in steps(opened, Random(seed)):
            follow(place, opened)
            assert built(opened) == told(place.view)


@pytest.mark.spec("R4")
def test_the_next_turn_of_a_session_needs_no_look_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The truth is asked what is around the first turns of a session, and around no later one."""
    asked: list[list[int]] = []
    with tenant(tmp_path) as opened:
        place = Place(view_of(opened), seq=0)
        with opened.ports.truth.read() as rows:
            followed: Any = type(rows.followed)
        look = followed._nearby

        def noted(self: Any, nums: list[int], around: int) -> Any:
            asked.append(nums)
            return look(self, nums, around)

        monkeypatch.setattr(followed, "_nearby", noted)
        for number in range(40):
            for session in ("a", "甲"):
                opened.say(f"{TOPICS[number % 5]} {number}", session)
                follow(place, opened)
        monkeypatch.undo()
        assert built(opened) == told(place.view)
    assert len(asked) == 2, "once for each session"
