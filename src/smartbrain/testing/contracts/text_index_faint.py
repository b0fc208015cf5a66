"""What every text index does with terms that say too little to be found by alone.

In: an index under test. Out: failed asserts where it answers by them. A part of the suite
`text_index.TextIndexContract`, which adapters inherit.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from smartbrain.domain.text_search import TextDocument, TextQuery, WeightedPhrase, WeightedTerm

if TYPE_CHECKING:
    from smartbrain.ports.text_index import TextIndex

_TERMS = (WeightedTerm("港口"), WeightedTerm("好", 0.2), WeightedTerm("meet", 0.2))


class FaintTermsContract:
    """The part of the suite about faint terms."""

    def make(self, tmp_path: Path) -> TextIndex:
        """Return an empty index under test."""
        raise NotImplementedError

    def settle(self, index: TextIndex, tmp_path: Path) -> None:
        """Bring the index into the state that is tested."""

    def test_a_faint_term_adds_to_what_answers_by_another(self, tmp_path: Path) -> None:
        """Alone it finds nothing, whether saved or not; a phrase that is found is enough."""
        index = self.make(tmp_path)
        index.upsert([TextDocument(1, "锅炉修好了"), TextDocument(2, "meeting at the harbour")])
        index.upsert([TextDocument(3, "港口很好"), TextDocument(4, "港口很远")])
        self.settle(index, tmp_path)
        index.upsert([TextDocument(5, "身体好"), TextDocument(6, "港口的好，一样")])
        faint = frozenset({"好", "meet"})
        everything = index.search(TextQuery(terms=_TERMS), k=10)
        found = index.search(TextQuery(terms=_TERMS, faint=faint), k=10)
        assert [hit for hit in everything if hit.num in (3, 4, 6)] == found
        assert index.search(TextQuery(terms=_TERMS[1:], faint=faint), k=10) == []
        phrase = WeightedPhrase(("the", "harbour"))
        only = TextQuery(terms=_TERMS[1:], should=(phrase,), faint=faint)
        assert [hit.num for hit in index.search(only, k=10)] == [2]
