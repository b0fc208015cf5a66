"""The truth's contract: what was masked in events, kept apart from them (C10).

In: an adapter of `ports.withheld`. Out: failed asserts where something comes back otherwise than it
was kept, or of a turn that nobody asked for.
"""

from __future__ import annotations

from pathlib import Path

from smartbrain.errors import NotFound
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import TruthSuite, read, refused


class WithheldContract(TruthSuite):
    """What the parts of turns said before they were masked."""

    def test_what_was_masked_comes_back_by_its_part(self, tmp_path: Path) -> None:
        """More of a known part joins what is there; another turn's is not asked for."""
        truth = self.make(tmp_path)
        cuts = {"cuts": [[2, 7, "bob@example.com 鲍勃"]]}
        chunk = builders.raw_chunk()
        made = builders.turn(messages=(builders.message("m-1", chunk),))
        with truth.write() as transaction:
            builders.store_turn(transaction, made, [chunk])
            transaction.withheld.keep(made.id, {"m-1": {"in": {"content": cuts}, "names": {}}})
        with truth.write() as transaction:
            transaction.withheld.keep(made.id, {"m-1": {"in": {"name": cuts}, "names": {"a": "b"}}})
        whole = {"in": {"content": cuts, "name": cuts}, "names": {"a": "b"}}
        assert read(truth, lambda one: one.withheld.of([made.id, "none"])) == {"m-1": whole}
        assert read(truth, lambda one: one.withheld.of(["none"])) == {}

    def test_there_is_none_of_a_turn_that_is_not_stored(self, tmp_path: Path) -> None:
        """It would lead nowhere."""
        truth = self.make(tmp_path)
        error = refused(truth, lambda one: one.withheld.keep("none", {"m-1": {"cuts": []}}))
        assert isinstance(error, NotFound)
