"""The clock and the entropy that tests hand in: they do what they are told, and nothing else."""

from __future__ import annotations

from datetime import timedelta

from smartbrain.domain.ids import IdSource
from smartbrain.testing.clock import START, FakeClock, seeded


def test_a_fake_clock_stands_still_until_it_is_moved() -> None:
    """Looking does not move it; advancing does, and returns the new time."""
    clock = FakeClock()
    assert [START, START] == [clock(), clock()]
    assert START + timedelta(days=1, minutes=2) == clock.advance(days=1, minutes=2) == clock()


def test_a_stepping_clock_moves_at_every_look() -> None:
    """The first look gives the start, each further one a step more."""
    clock = FakeClock(START, step=timedelta(seconds=5))
    assert [START + timedelta(seconds=5 * look) for look in range(3)] == [clock() for _ in range(3)]


def test_the_same_seed_gives_the_same_bytes() -> None:
    """Draw by draw, of the size asked for; another seed gives others."""
    one, same, other = seeded(7), seeded(7), seeded(8)
    drawn = [one(size) for size in (10, 10, 3)]
    assert drawn == [same(size) for size in (10, 10, 3)]
    assert [10, 10, 3] == [len(data) for data in drawn]
    assert drawn[0] != drawn[1]
    assert drawn[0] != other(10)


def test_ids_from_seeded_entropy_differ_and_repeat() -> None:
    """A standing clock still gives different ids, and the next run gives the same ones."""
    ids = IdSource(FakeClock(), seeded(1))
    first = [ids.new() for _ in range(100)]
    again = IdSource(FakeClock(), seeded(1))
    assert 100 == len(set(first))
    assert first == [again.new() for _ in range(100)]
