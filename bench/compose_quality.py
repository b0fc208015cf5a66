"""How often a composed context holds the words that answer a question, at several sizes.

Every document of a data set is committed as a turn; then a context is composed for each question,
and the words of the right turns are looked for in its text: a run of 80 % of a turn's words, of 40
at most. Held against the same number of tokens filled with whole turns by BM25 (Snowball stems, the
English stop list, k1 1.2, b 0.75), counted by the same counter.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import TextIO

import Stemmer

from bench.measure import Times
from bench.recall_data import DATA, DataSet, Document, Question, build, read
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock
from smartbrain.text.tokens import estimate_tokens
from smartbrain.text.word_list import STOP_WORDS

BUDGETS = (1_000, 2_000, 4_000, 8_000)
HELD = (1_000, 2_000)  # the sizes at which the ratio counts
LEAST = 1.1
SETS = ("locomo", "longmemeval_turns")
QUICK = 250  # questions of a set
SHARE, LONGEST = 0.8, 40  # of a turn's words that have to be there
K1, B = 1.2, 0.75
ASKING = "asking"

_stem = Stemmer.Stemmer("english").stemWord


def run(setting: Setting) -> Iterator[Result]:
    """Measure each set at each size."""
    with Path(setting.rows or os.devnull).open("w", encoding="utf-8") as rows:
        for name in SETS:
            if not re.search(setting.only, name):
                continue
            if not (DATA / name).is_dir():
                yield Result(f"compose, {name}", "not here", "set SMARTBRAIN_DATA")
                continue
            data = read(name, None if setting.full else QUICK)
            folder = (setting.keep or setting.folder) / f"recall-{name}"
            build(data, folder)
            yield from _measured(data, folder, rows)


def _measured(data: DataSet, folder: Path, rows: TextIO) -> Iterator[Result]:
    """Compose for every question, at every size, beside what BM25 fills the size with."""
    words = {one.id: words_of(one.message["content"]) for one in data.documents}
    peers = {tenant: WholeTurns(data, tenant) for tenant in data.tenants}
    ours: dict[int, list[bool]] = defaultdict(list)
    theirs: dict[int, list[bool]] = defaultdict(list)
    tokens: dict[int, list[int]] = defaultdict(list)
    seconds: dict[int, list[float]] = defaultdict(list)
    clock = FakeClock(data.after)
    with SmartBrain.open(folder, data.tenants[0], clock=clock) as brain:
        handles = {name: brain.tenant(name) for name in data.tenants}
        for question in data.questions:
            clock.now = question.at or data.after
            order = peers[question.tenant].order(question)
            for size in BUDGETS:
                start = perf_counter()
                package = handles[question.tenant].compose_context(
                    ASKING, question.text, token_limit=size
                )
                seconds[size].append(perf_counter() - start)
                text = package.text()
                tokens[size].append(estimate_tokens(text))
                ours[size].append(holds(text, question, words))
                peer = peers[question.tenant].filled(order, size)
                theirs[size].append(holds(peer, question, words))
                row = {"query": question.id, "size": size, "ours": ours[size][-1]}
                rows.write(json.dumps({**row, "bm25": theirs[size][-1]}) + "\n")
    for size in BUDGETS:
        mine, peer = fmean(ours[size]), fmean(theirs[size])
        held = size in HELD
        yield Result(
            name=f"compose, {data.name}, {size:,} tokens",
            measured=f"{mine:.4f} hold the right words, {fmean(tokens[size]):,.0f} tokens",
            against=f"whole turns by BM25 {peer:.4f}; {Times((*seconds[size],))}",
            ratio=f"{mine / peer:.3f}",
            limit=f"≥ {LEAST}" if held else "",
            passed=mine >= LEAST * peer if held else None,
            numbers={"ours": mine, "bm25": peer, "tokens": fmean(tokens[size])},
        )


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return re.findall(r"\w+", text.lower())


def holds(text: str, question: Question, words: Mapping[str, Sequence[str]]) -> bool:
    """Tell whether a text holds a long run of the words of a right turn."""
    shown = f" {' '.join(words_of(text))} "
    for right in question.right:
        said = words[right]
        size = min(LONGEST, math.ceil(SHARE * len(said)))
        runs = (" ".join(said[at : at + size]) for at in range(len(said) - size + 1))
        if any(f" {one} " in shown for one in runs):
            return True
    return False


class Bm25:
    """Texts by name, ranked by the words that they share with a query."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []

    def add(self, name: str, text: str) -> None:
        """Add a text."""
        terms = Counter(_terms(text))
        for term, count in terms.items():
            self._postings[term].append((len(self.names), count))
        self.names.append(name)
        self._lengths.append(sum(terms.values()))

    def rank(self, query: str) -> list[str]:
        """Return the names of the texts that share a word with a query, best first."""
        return [self.names[place] for place in self.places(query)]

    def places(self, query: str) -> list[int]:
        """Return the same as places in the order in which the texts were added."""
        scores: dict[int, float] = defaultdict(float)
        mean = fmean(self._lengths)
        for term in set(_terms(query)):
            found = self._postings.get(term, [])
            idf = math.log(1 + (len(self.names) - len(found) + 0.5) / (len(found) + 0.5))
            for place, count in found:
                length = 1 - B + B * self._lengths[place] / mean
                scores[place] += idf * count * (K1 + 1) / (count + K1 * length)
        return sorted(scores, key=lambda place: (-scores[place], place))


class WholeTurns:
    """The turns of one tenant, ranked by BM25."""

    def __init__(self, data: DataSet, tenant: str) -> None:
        self.documents = [one for one in data.documents if one.tenant == tenant]
        self.cost = [estimate_tokens(_line(one)) for one in self.documents]
        self._bm25 = Bm25()
        for one in self.documents:
            self._bm25.add(one.id, _line(one))

    def order(self, question: Question) -> list[int]:
        """Return the places of the turns that share a word with a question, best first."""
        return self._bm25.places(question.text)

    def filled(self, order: Sequence[int], size: int) -> str:
        """Return whole turns in their order, until the next one has no room."""
        kept = []
        for place in order:
            size -= self.cost[place]
            if size < 0:
                break
            kept.append(_line(self.documents[place]))
        return "\n".join(kept)


def _line(one: Document) -> str:
    return f"{one.message.get('name') or one.message['role']}: {one.message['content']}"


def _terms(text: str) -> list[str]:
    return [_stem(word) for word in words_of(text) if word not in STOP_WORDS]
