"""The text index on tantivy and the reference, held to the same answers on random data.

In: documents, removals, saves, loads and compactions in any order, and queries with filters and
phrases in Chinese and English. Out: nothing if both return the same numbers and scores.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smartbrain.adapters.tantivy.index import TantivyTextIndex
from smartbrain.domain.search import (
    Apart,
    Facets,
    IndexFilter,
    Nearby,
    Scored,
    TextDocument,
    TextQuery,
)
from smartbrain.ports.text_index import MOST_HITS, TextIndex
from smartbrain.testing.text_index import MemoryTextIndex
from smartbrain.text.query import text_query

FULL = os.environ.get("SMARTBRAIN_TEST_PROFILE") == "full"
RELATIVE = 1e-5
START = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = (
    *("report", "reports", "weekly", "the", "to", "be", "Thursday", "importer", "fails", "Mei"),
    *("评审会", "周四", "小梅", "花生过敏", "的", "报告", "导入失败"),
    *("0x8007045D", "src/app.py:42", "EventID=17", "snake_case", "camelCase", "well-known", "👍"),
)
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
short_texts = st.lists(st.sampled_from(WORDS), max_size=4).map("".join)
nums = st.integers(0, 30)
facets = st.builds(
    Facets,
    type=st.sampled_from(("facts", "episodes", "")),
    status=st.sampled_from(("active", "retracted")),
    layer=st.sampled_from(("short", "long")),
    language=st.sampled_from(("zh", "en")),
    at=st.none() | st.integers(0, 9).map(lambda days: START + timedelta(days=days)),
    source=st.sampled_from(("", "turn:1", "turn:12", "file:///文档/a.md", "file:///" + "x" * 250)),
    tags=st.sets(st.sampled_from(("工作", "home", "")), max_size=2).map(tuple),
)
documents = st.builds(
    TextDocument,
    num=nums,
    text=texts,
    title=short_texts,
    entities=st.sets(st.sampled_from(WORDS), max_size=2).map(tuple),
    nearby=st.lists(st.builds(Nearby, texts, st.integers(1, 3)), max_size=3).map(tuple),
    date=st.sampled_from(("", "2026-03-09")),
    speakers=st.sampled_from(((), ("user",), ("assistant",))),
    facets=facets,
)
filters = st.builds(
    IndexFilter,
    types=st.sampled_from(((), ("facts",), ("episodes", ""))),
    statuses=st.sampled_from(((), ("active",))),
    layers=st.sampled_from(((), ("long",))),
    languages=st.sampled_from(((), ("zh",), ("zh", "en"))),
    since=st.none() | st.integers(0, 9).map(lambda days: START + timedelta(days=days)),
    until=st.none() | st.integers(0, 9).map(lambda days: START + timedelta(days=days)),
    source_prefix=st.sampled_from((None, "", "turn:1", "file:///", "file:///" + "x" * 120, "no")),
    tags=st.sampled_from(((), ("工作",), ("home", ""))),
)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
queries = st.builds(
    lambda text, expansions, must, should: text_query(
        text, expansions=expansions, must=must, should=should
    ),
    texts,
    st.lists(st.tuples(texts, st.floats(0.1, 2.0)), max_size=2),
    st.just([]) | st.lists(phrases, max_size=1),
    st.just([]) | st.lists(st.tuples(phrases, st.floats(0.1, 2.0)), max_size=2),
)
steps = st.one_of(
    st.lists(documents, min_size=1, max_size=6),
    st.lists(nums, min_size=1, max_size=4).map(tuple),
    st.sampled_from(("save", "save", "compact", "load", "hold")),
)
Step = list[TextDocument] | tuple[int, ...] | str
asked = st.tuples(queries, filters, st.integers(1, 12))


class Twins:
    """A real index and the reference, doing the same."""

    def __init__(self, folder: Path) -> None:
        self.real: TextIndex = TantivyTextIndex()
        self.reference: TextIndex = MemoryTextIndex()
        self._folder = folder
        self._count = 0

    def do(self, step: Step) -> None:
        """Take one step with both, which then count alike; loading goes back to the last save."""
        for name, index in (("real", self.real), ("reference", self.reference)):
            if step == "hold":
                index.save(None)
            elif step == "load":
                if self._count:
                    index.load(self._folder / f"{name}{self._count}")
            elif isinstance(step, str):
                folder = self._folder / f"{name}{self._count + 1}"
                (index.save if step == "save" else index.compact)(folder)
            elif isinstance(step, tuple):
                index.remove(step)
            else:
                index.upsert(step)
        self._count += step in ("save", "compact")
        # How much of what was removed still lies in files is each one's own affair.
        stats = [
            replace(index.stats(), bytes=0, due="", removed=0)
            for index in (self.real, self.reference)
        ]
        assert stats[0] == stats[1]

    def compare(self, query: TextQuery, only: IndexFilter, k: int) -> None:
        """Ask both and hold the answers against each other."""
        everything = self.reference.search(query, k=MOST_HITS, only=only)
        agree(everything, self.real.search(query, k=k, only=only), k)
        if not only.types:
            apart = Apart((("facts",), ("episodes", "")), 2, 0.0)
            right, found = (
                index.search(query, k=min(k, 3), only=only, apart=apart)
                for index in (self.reference, self.real)
            )
            # What is nearer than the precision of scores may stand for one another.
            scores = [pytest.approx(hit.score, rel=RELATIVE) for hit in right]
            assert [hit.score for hit in found] == scores


def agree(everything: list[Scored], actual: list[Scored], k: int) -> None:
    """Hold an answer of `k` to the whole answer of the reference.

    Scores are the same to a relative 1e-5, so only what is nearer than that may stand in another
    order, and what is exactly equal stands by its number.
    """
    right = {hit.num: hit.score for hit in everything}
    assert min(k, len(everything)) == len(actual)
    assert len({hit.num for hit in actual}) == len(actual)
    for expected, hit in zip(everything, actual, strict=False):
        assert right[hit.num] == pytest.approx(hit.score, rel=RELATIVE, abs=1e-12)
        assert expected.score == pytest.approx(right[hit.num], rel=RELATIVE, abs=1e-12)
    for one, other in pairwise(actual):
        if right[one.num] == right[other.num]:
            assert one.num < other.num


@pytest.mark.spec("R3", "R12", "R14")
@settings(
    max_examples=400 if FULL else 60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(st.tuples(steps, st.lists(asked, max_size=3)), min_size=1, max_size=12))
def test_any_history_gives_the_same_answers(
    history: list[tuple[Step, list[tuple[TextQuery, IndexFilter, int]]]],
) -> None:
    """Whatever was added, removed, saved, loaded or compacted before, both answer alike."""
    with TemporaryDirectory() as folder:
        twins = Twins(Path(folder))
        for step, questions in history:
            twins.do(step)
            for query, only, k in questions:
                twins.compare(query, only, k)


def made_up(random: Random, num: int, vocabulary: Sequence[str]) -> TextDocument:
    """Return a document whose words are as unevenly used as those of a language."""
    length = random.randint(3, 60)
    ranks = [int(len(vocabulary) ** random.random()) - 1 for _ in range(length)]
    status = "active" if random.random() < 0.9 else "superseded"
    return TextDocument(
        num=num,
        text=" ".join(vocabulary[rank] for rank in ranks),
        facets=Facets(type=random.choice(("facts", "episodes")), status=status),
    )


def vocabulary_of(size: int) -> list[str]:
    """Return made-up words, every third of them Chinese."""
    return [
        chr(0x4E00 + number) + chr(0x5E00 + number * 7 % 3000) if number % 3 == 0 else f"w{number}x"
        for number in range(size)
    ]


def test_many_segments_give_the_same_answers(tmp_path: Path) -> None:
    """After a dozen saves, with merges, updates and removals, scores are the reference's."""
    random = Random(4)
    vocabulary = vocabulary_of(600)
    twins = Twins(tmp_path)
    for wave in range(12):
        twins.do([made_up(random, wave * 100 + n, vocabulary) for n in range(100)])
        changed = random.sample(range((wave + 1) * 100), 8)
        twins.do([made_up(random, num, vocabulary) for num in changed[:5]])
        twins.do(tuple(changed[5:]))
        twins.do("save")
    twins.do([made_up(random, 5_000 + n, vocabulary) for n in range(50)])
    for _ in range(200):
        words = [vocabulary[int(600 ** random.random()) - 1] for _ in range(random.randint(1, 12))]
        only = random.choice((IndexFilter(), IndexFilter(statuses=("active",))))
        twins.compare(text_query(" ".join(words)), only, random.choice((1, 10, 200)))


def test_a_lived_index_answers_as_a_rebuilt_one(tmp_path: Path) -> None:
    """The top ten of 200 queries are the same after building anew, though much was replaced."""
    random = Random(7)
    vocabulary = vocabulary_of(3_000)
    lived = TantivyTextIndex()
    current: dict[int, TextDocument] = {}
    for wave in range(10):
        nums = [*range(wave * 400, wave * 400 + 400), *random.sample(range(wave * 400 + 1), 1)]
        batch = [made_up(random, num, vocabulary) for num in nums]
        batch += [made_up(random, num, vocabulary) for num in random.sample(nums, 40)]
        lived.upsert(batch)
        current |= {document.num: document for document in batch}
        if wave < 9:
            lived.save(tmp_path / f"lived{wave}")
    rebuilt = TantivyTextIndex()
    rebuilt.upsert(list(current.values()))
    rebuilt.compact(tmp_path / "rebuilt")
    same = 0
    for _ in range(200):
        words = [vocabulary[int(3_000 ** random.random()) - 1] for _ in range(random.randint(3, 9))]
        query = text_query(" ".join(words))
        tops = [[hit.num for hit in one.search(query, k=10)] for one in (lived, rebuilt)]
        same += tops[0] == tops[1]
    assert lived.stats().typical_length == rebuilt.stats().typical_length
    assert same >= 195
