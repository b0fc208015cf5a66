"""The truth's contract: what was said, called or referred to is found by its name (W5).

In: an adapter of `ports.sources`. Out: failed asserts where a name leads to another session, or to
one at all though nothing is called so.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import TruthSuite, read


class SourcesContract(TruthSuite):
    """Lookups by names that callers write down."""

    def test_a_name_leads_to_its_session(self, tmp_path: Path) -> None:
        """Turns, messages, calls by either id, refs by their address; nothing else."""
        truth = self.make(tmp_path)
        chunk = builders.raw_chunk()
        made = builders.turn(
            messages=(builders.message("m-7", chunk),),
            tool_calls=(replace(builders.tool_call("c-7"), call_id="调用"),),
            refs=(builders.ref("r-7", ref_uri="file:///源.txt"),),
        )
        with truth.write() as transaction:
            builders.store_turn(transaction, made, [chunk])
        asked = {
            "said": [made.id, "m-7", "c-7", "nobody"],
            "called": ["c-7", "调用", "m-7", "nobody"],
            "referred": ["file:///源.txt", "r-7"],
        }
        found = read(
            truth,
            lambda one: {
                "said": [one.sources.said_in(name) for name in asked["said"]],
                "called": [one.sources.called_in(name) for name in asked["called"]],
                "referred": [one.sources.referred_in(name) for name in asked["referred"]],
            },
        )
        session = made.session_id
        assert {
            "said": [session, session, None, None],
            "called": [session, session, None, None],
            "referred": [session, None],
        } == found

    def test_turns_are_found_by_the_ends_of_their_ids(self, tmp_path: Path) -> None:
        """Two are enough to tell that an end is not one of a kind; of what is old there is none."""
        truth = self.make(tmp_path)
        for number, name in enumerate(("a-123456", "b-123456", "回合-abc", "c-123456", "d-%3456")):
            chunk = builders.raw_chunk(f"说了 {number}")
            made = builders.turn(seq=number + 1, chunks=[chunk], id=name)
            with truth.write() as transaction:
                builders.store_turn(transaction, made, [chunk])
        asked = ("123456", "合-abc", "c-123456", "%3456", "_23456", "nobody")
        found = read(
            truth,
            lambda one: [
                [one.sources.turns_ending(end, within=most) for end in asked] for most in (9, 2)
            ],
        )
        assert found == [
            [["c-123456", "b-123456"], ["回合-abc"], ["c-123456"], ["d-%3456"], [], []],
            [["c-123456"], [], ["c-123456"], ["d-%3456"], [], []],
        ]
