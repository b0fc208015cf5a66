"""The last turns of sessions that are kept from call to call, held to what is read afresh."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import pytest
from session_talks import Talk

from smartbrain.domain.policy import WorkingRules
from smartbrain.domain.turn import Turn
from smartbrain.govern.short_term import Heard, RecentTurns, hear
from smartbrain.testing import builders

RULES = WorkingRules()


class Ear:
    """Somebody who hears sessions of a talk, and compares with who has never heard them."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.recent = RecentTurns()
        self.read: list[int] = []

    def hear(self, session: str = "s") -> Heard:
        """Return what was heard, once it is what a fresh reader hears."""
        blobs = self.talk.blobs
        with self.talk.truth.read() as rows:
            fresh = hear(session, transaction=rows, blobs=blobs, rules=RULES)
        with self.talk.truth.read() as rows:
            turns = rows.events.turns

            def counted(session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
                found = turns(session_id, after=after, limit=limit)
                self.read.append(len(found))
                return found

            with patch.object(rows.events, "turns", counted):
                heard = self.recent.hear(session, transaction=rows, blobs=blobs, rules=RULES)
        assert list(fresh.said) == list(heard.said)
        assert (fresh.whole, fresh.lost) == (heard.whole, heard.lost)
        return heard


@pytest.mark.spec("W2")
def test_of_a_session_that_goes_on_only_the_new_turn_is_read() -> None:
    """Forty turns, of which thirty are heard; a call without news reads none."""
    talk = Talk()
    ear = Ear(talk)
    for n in range(40):
        talk.say(("user", f"第 {n} 件事"), ("assistant", f"ok {n}"))
        ear.hear()
    assert [1] * 40 == ear.read
    ear.hear()
    assert [1] * 40 == ear.read


@pytest.mark.spec("W2")
def test_whatever_else_has_changed_is_heard_as_it_is() -> None:
    """Steps of old turns, long texts, other sessions and ends, in any order."""
    random = Random(7)
    talk = Talk()
    ear = Ear(talk)
    for n in range(150):
        session = random.choice("ssx")
        deed = random.randrange(8)
        long = "很长 long " * (900 if deed == 1 else 1)
        if deed == 2 and n > 20:
            talk.end(session)
        elif deed == 3 and n > 20:
            with talk.truth.write() as rows:
                chunk = talk.chunk(f"一步 step {n}")
                rows.raw.hold([chunk])
                turn = random.choice(rows.events.turns(session, limit=1_000))
                more = builders.message(f"{turn.id}/more{n}", chunk)
                rows.events.extend_turn(
                    builders.turn(session, turn.seq, id=turn.id, messages=(*turn.messages, more))
                )
        else:
            talk.say(("user", f"{long}{n}"), ("assistant", f"ok {n}"), session=session)
        if random.random() < 0.8:
            ear.hear(random.choice("ssx"))
    assert ear.hear("s").said


@pytest.mark.spec("W2")
def test_a_lost_text_is_looked_for_again() -> None:
    """What could not be read is not kept: as soon as its file is back, it is heard."""
    talk = Talk()
    ear = Ear(talk)
    talk.say(("user", "早上好"))
    talk.say(("user", "丢了 lost " * 900))
    files = dict(talk.blobs.files)
    talk.blobs.files.clear()
    assert ear.hear().lost
    talk.blobs.files.update(files)
    assert ear.hear().said[-1][1][0].startswith("丢了 lost")
