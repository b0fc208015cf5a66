"""The truth's contract: tool calls by id and newest first (W6).

In: an adapter of `ports.truth`. Out: failed asserts where a call is not found, comes without its
turn, or where pages repeat or leave out one.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import TruthSuite, read

_CHUNK = builders.raw_chunk("输出 output")


class CallsContract(TruthSuite):
    """The runs of tools, wherever they were committed."""

    def test_a_call_is_found_by_its_id(self, tmp_path: Path) -> None:
        """As it is in its turn, with that turn and its session; an unknown id has none."""
        truth = self.make(tmp_path)
        call = builders.tool_call("c-1", _CHUNK, owner="dog", exit_code=3)
        turn = builders.turn("会话", 1, tool_calls=(call,))
        with truth.write() as transaction:
            builders.store_turn(transaction, turn, [_CHUNK])
        found = read(truth, lambda one: one.calls.get("c-1"))
        assert found is not None
        assert (call, "会话", turn.id) == (found.call, found.session_id, found.turn_id)
        assert turn.created_at == found.created_at
        assert read(truth, lambda one: one.calls.get("c-2")) is None

    def test_a_call_is_found_by_the_id_of_its_caller(self, tmp_path: Path) -> None:
        """Of several the latest; an id of ours goes first."""
        truth = self.make(tmp_path)
        for seq, (name, given) in enumerate((("c-1", "k"), ("c-2", "k"), ("c-3", "c-1")), 1):
            call = replace(builders.tool_call(name), call_id=given)
            with truth.write() as transaction:
                builders.store_turn(transaction, builders.turn("s", seq, tool_calls=(call,)), [])
        found = read(truth, lambda one: [one.calls.get(asked) for asked in ("k", "c-1")])
        assert [one.call.id for one in found if one is not None] == ["c-2", "c-1"]

    def test_calls_come_newest_first_in_pages(self, tmp_path: Path) -> None:
        """The last turn first, its last call first; pages join without a gap or a repeat."""
        truth = self.make(tmp_path)
        for seq, session in enumerate(("s", "t", "s"), 1):
            calls = tuple(builders.tool_call(f"c-{seq}{letter}") for letter in "ab")
            with truth.write() as transaction:
                turn = builders.turn(session, seq, tool_calls=calls)
                builders.store_turn(transaction, turn, [])
        assert _names(truth) == ["c-3b", "c-3a", "c-2b", "c-2a", "c-1b", "c-1a"]
        assert _names(truth, session_id="s") == ["c-3b", "c-3a", "c-1b", "c-1a"]
        assert _names(truth, turn_id=turn.id) == ["c-3b", "c-3a"]
        first = read(truth, lambda one: one.calls.page(limit=4))
        rest = read(truth, lambda one: one.calls.page(before=first[-1][0], limit=4))
        assert _names(truth) == [stored.call.id for _, stored in (*first, *rest)]


def _names(truth: Truth, session_id: str | None = None, turn_id: str | None = None) -> list[str]:
    """Return the ids of all calls, as they are listed."""
    found = read(
        truth, lambda one: one.calls.page(session_id=session_id, turn_id=turn_id, limit=100)
    )
    return [stored.call.id for _, stored in found]
