"""The truth's contract: forgettings, what they leave, and the erasing of rows (J7).

In: an adapter of `ports.forgettings` and `ports.erasure`. Out: failed asserts where something that
was forgotten is left, comes back unasked, or cannot be taken back.
"""

from __future__ import annotations

from datetime import timedelta

import msgspec

from smartbrain.domain.claim import Claim
from smartbrain.domain.forgetting import ForgetReceipt, ForgetState, Forgetting, Matcher
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.clock import START
from smartbrain.testing.contracts.truth_suite import TruthSuite, reading, writing

_CLAIM = Claim(
    id="clm-1",
    group="facts:user:phone",
    type="facts",
    attribute="phone",
    value="电话 12345678",
    operation_id=builders.OPERATION,
    said_at=START,
)


class ForgettingContract(TruthSuite):
    """What was forgotten, and how it goes."""

    def test_a_forgetting_keeps_its_words_until_it_is_erased(self, truth: Truth) -> None:
        """It waits by its time; its receipt stays."""
        due = START + timedelta(hours=1)
        hidden = ForgetReceipt(id="f-1", state=ForgetState.HIDDEN, asked_at=START, due_at=due)
        writing(truth).forgettings.add(Forgetting(receipt=hidden, words=("上海",)), None)
        assert reading(truth).forgettings.waiting(START) == []
        (waiting,) = reading(truth).forgettings.waiting(due)
        assert waiting.words == ("上海",)
        erased = msgspec.structs.replace(hidden, state=ForgetState.ERASED)
        writing(truth).forgettings.update(erased)
        assert reading(truth).forgettings.waiting() == []
        stored = reading(truth).forgettings.get("f-1")
        assert stored == Forgetting(receipt=erased)
        assert reading(truth).forgettings.receipts() == [erased]

    def test_a_closed_claim_keeps_others_from_saying_it_again(self, truth: Truth) -> None:
        """But for the user, later; and its mark has no word of it."""
        writing(truth).forgettings.close_claims("f-1", [_CLAIM], START)
        later = msgspec.structs.replace(_CLAIM, id="clm-2", said_at=START + timedelta(days=1))
        with truth.read() as rows:
            assert rows.forgettings.forgotten([_CLAIM, later]) == {"clm-1"}
            (left,) = rows.forgettings.closed(["facts:user:phone", "tasks"])
            assert "1234" not in str(msgspec.to_builtins(left))
            assert rows.forgettings.closed(["facts:user:email"]) == []

    def test_what_was_deleted_can_be_taken_back(self, truth: Truth) -> None:
        """Rows come back as they were."""
        chunk = builders.raw_chunk("北京 and Rome")
        made = builders.turn(messages=(builders.message("m-1", chunk),))
        builders.store_turn(writing(truth), made, [chunk])
        before = truth.counts()
        receipt = ForgetReceipt(id="f-1", state=ForgetState.HIDDEN, asked_at=START, due_at=START)
        with truth.write() as rows:
            with rows.erasure.recording() as recording:
                assert rows.erasure.kinds([made.id, "none"]) == {made.id: "turn"}
                assert rows.erasure.delete_turns([made.id]) == []
                undo = recording.changes()
            rows.forgettings.add(Forgetting(receipt=receipt), undo)
        assert reading(truth).erasure.kinds([made.id]) == {}
        assert reading(truth).raw.get([chunk.id]) == {}
        writing(truth).forgettings.take_back("f-1")
        assert reading(truth).events.turn(made.id) == made
        assert {**before, "forgettings": 1} == truth.counts() | {
            "changes": before["changes"],
            "memory_events": before["memory_events"],
        }
        assert truth.check() == []

    def test_cleaning_takes_words_out_of_what_quotes_them(self, truth: Truth) -> None:
        """Other words of the same row stay."""
        entry = builders.state_entry(body={"text": "Call 555123. Buy milk 牛奶."})
        with truth.write() as rows:
            rows.working.put_state(entry)
            assert rows.erasure.clean(Matcher(["call 555123"])) == 1
        (left,) = reading(truth).working.state(entry.owner)
        assert left.body == {"text": "…. Buy milk 牛奶."}
        assert truth.purge()
