"""How often recall finds what answers a question, on public conversations and documents.

Every document of a data set is committed as a turn at its own time; then each question is recalled,
at its own time where it has one, and the first distinct turns of the answer are counted: any@k is
the share of questions with a right one among the first k, frac@k the mean share of the right ones.
Measured without a model and with each model of the set's language: all arms, each arm alone, the
graph off, neighbours left out of the index, and what is left of it in 2,000 tokens. Time never
decides here: recall may wait for its arms as long as it likes.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any, NamedTuple, TextIO
from unittest.mock import patch

from bench.measure import Times
from bench.recall_data import DATA, SHARED, DataSet, Question, build, read
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.domain.packet import MemoryPacket, PacketItem
from smartbrain.domain.recall import ArmVerdict, Recall, RecallItem
from smartbrain.domain.search import TextDocument
from smartbrain.recall.views import words
from smartbrain.testing.clock import FakeClock
from smartbrain.text.tokens import estimate_tokens

MODELS = Path(os.environ.get("SMARTBRAIN_MODELS", SHARED / "models"))
K = 60
TOKENS = 2_000
QUICK_QUESTIONS = 500
NO_MODEL = "no model"
LEAST_RECALL = 0.7  # of all that is right, among the first twenty
ARMS = {
    "text": "recall.use_node_index",
    "vector": "recall.vector.enabled",
    "graph": "recall.graph.enabled",
    "raw": "recall.raw.enabled",
}
ASKING = "asking"  # the session that questions are asked in
SHOWN = 20
_BROKEN = (ArmVerdict.LATE, ArmVerdict.FAILED, ArmVerdict.NOT_READY)

Documents = tuple[str, ...]


class Goal(NamedTuple):
    """A data set: its language, what counts in it, and how much of that there must be."""

    language: str
    figure: str
    without: float
    with_model: float


GOALS = {
    "locomo": Goal("en", "any@10", 0.85, 0.88),
    "cmrc2018_dev_zh": Goal("zh", "any@5", 0.995, 0.998),
    "longmemeval_turns": Goal("en", "any@10", 0.82, 0.87),
    "scifact_beir_test": Goal("en", "nDCG@10", 0.68, 0.735),
}
QUICK = {"locomo": None, "cmrc2018_dev_zh": QUICK_QUESTIONS}


class Configuration(NamedTuple):
    """Which arms may answer, and whether the index has the turns around each turn."""

    name: str
    arms: tuple[str, ...] = tuple(ARMS)
    neighbours: bool = True

    def settings(self) -> dict[str, Any]:
        """Return what to configure."""
        return {setting: arm in self.arms for arm, setting in ARMS.items()}


ALL = Configuration("all arms")
GRAPH_OFF = Configuration("graph off", ("text", "vector", "raw"))
ALONE = {arm: Configuration(f"{arm} alone", (arm,)) for arm in ARMS}
NO_NEIGHBOURS = Configuration("neighbours off", neighbours=False)
PACKED = Configuration("packet")
WITHOUT = (ALONE["text"], ALONE["graph"], ALONE["raw"], ALL, GRAPH_OFF, PACKED, NO_NEIGHBOURS)
WITH_MODEL = (ALONE["vector"], ALL, GRAPH_OFF, PACKED)


@dataclass(slots=True)
class Answers:
    """What came back for the questions of a set under one configuration."""

    rows: list[tuple[Question, Documents]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    broken: int = 0

    def figures(self, category: str | None = None) -> dict[str, float]:
        """Return the figures of one category or of all questions."""
        rows = [row for row in self.rows if category in (None, row[0].category)]
        found = {name: fmean(count(*row) for row in rows) for name, count in FIGURES.items()}
        return {**found, "questions": float(len(rows))}


def any_at(k: int) -> Callable[[Question, Sequence[str]], float]:
    """Return what tells whether a right one is among the first k."""
    return lambda question, found: float(not question.right.isdisjoint(found[:k]))


def share_at(k: int | None) -> Callable[[Question, Sequence[str]], float]:
    """Return what tells which share of the right ones is among the first k."""
    return lambda question, found: len(question.right.intersection(found[:k])) / len(question.right)


def reciprocal(question: Question, found: Sequence[str]) -> float:
    """Return one by the rank of the first right one, 0 without any."""
    return next((1 / rank for rank, one in enumerate(found, 1) if one in question.right), 0.0)


def gain(question: Question, found: Sequence[str]) -> float:
    """Return the normalised discounted gain of the first ten."""
    places = [place for place, one in enumerate(found[:10]) if one in question.right]
    best = sum(1 / math.log2(place + 2) for place in range(min(10, len(question.right))))
    return sum(1 / math.log2(place + 2) for place in places) / best


FIGURES: dict[str, Callable[[Question, Sequence[str]], float]] = {
    "any@5": any_at(5),
    "any@10": any_at(10),
    "any@20": any_at(20),
    "frac@10": share_at(10),
    "frac@20": share_at(20),
    "MRR": reciprocal,
    "nDCG@10": gain,
}


class Part(NamedTuple):
    """One data set with one model or none."""

    data: DataSet
    folder: Path
    turns: Mapping[str, str]
    model: Path | None = None

    @property
    def goal(self) -> Goal:
        return GOALS[self.data.name]

    @property
    def label(self) -> str:
        return _label(self.data.name, self.model)


def run(setting: Setting) -> Iterator[Result]:
    """Measure every set: two of them without a model, or all of them with all models."""
    wanted = dict.fromkeys(GOALS) if setting.full else QUICK
    with Path(setting.rows or os.devnull).open("w", encoding="utf-8") as rows:
        for name, most in wanted.items():
            if (DATA / name).is_dir():
                yield from _measured(name, most, setting, rows)
            else:
                yield Result(f"recall, {name}", "not here", "set SMARTBRAIN_DATA")


def _measured(name: str, most: int | None, setting: Setting, rows: TextIO) -> Iterator[Result]:
    """Measure one set, with each model in turn, as far as `--only` asks for it."""
    only = re.compile(setting.only)
    models = [None, *(_models(GOALS[name].language) if setting.full else ())]
    plan = [
        (model, step)
        for model in models
        for step in (WITH_MODEL if model else WITHOUT)
        if only.search(f"{_label(name, model)}, {step.name}")
    ]
    if not plan:
        return
    data = read(name, most)
    folder = (setting.keep or setting.folder) / f"recall-{name}"
    part = Part(data, folder, build(data, folder))
    alone = [0.0]
    for model, step in plan:
        part = part._replace(model=model)
        if step is PACKED:
            yield from _packed(part, rows)
            continue
        with ExitStack() as stack:
            bare = None if step.neighbours else stack.enter_context(_no_neighbours(part, setting))
            answers = _asked(part._replace(folder=bare or folder), step)
        _keep(rows, part, step.name, answers)
        figure = answers.figures()[part.goal.figure]
        yield from _scored(part, step, answers)
        if step in ALONE.values():
            alone.append(figure)
        if step is ALL and max(alone):
            yield _never_below(part, figure, max(alone))


def _asked(part: Part, step: Configuration) -> Answers:
    """Recall each question of a set."""
    answers = Answers()
    with _opened(part, step) as (handles, clock):
        for question in part.data.questions:
            clock.now = question.at or part.data.after
            start = perf_counter()
            recall: Recall = handles[question.tenant].recall(question.text, k=K)
            answers.seconds.append(perf_counter() - start)
            answers.broken += any(arm.verdict in _BROKEN for arm in recall.trace.arms)
            answers.rows.append((question, _documents(recall.items, part.turns)))
    return answers


def _packed(part: Part, rows: TextIO) -> Iterator[Result]:
    """Measure what is left of an answer in 2,000 tokens, and in a memory packet."""
    packed, packets, within = Answers(), Answers(), Answers()
    tokens: list[int] = []
    with _opened(part, ALL) as (handles, clock):
        for question in part.data.questions:
            clock.now = question.at or part.data.after
            brain = handles[question.tenant]
            items = brain.recall(question.text, k=K, budget_tokens=TOKENS).items
            packed.rows.append((question, _documents(items, part.turns)))
            start = perf_counter()
            packet: MemoryPacket = brain.build_memory_packet(ASKING, question.text)
            packets.seconds.append(perf_counter() - start)
            found = [*packet.facts, *packet.procedures, *packet.episodes, *packet.insights]
            sizes = [estimate_tokens(item.text) for item in found]
            tokens.append(sum(sizes))
            packets.rows.append((question, _documents(found, part.turns)))
            within.rows.append((question, _documents(_fitting(found, sizes), part.turns)))
    for what, answers, against in (
        (f"packed to {TOKENS:,} tokens", packed, ""),
        ("memory packet", packets, f"{fmean(tokens):,.0f} tokens, {Times((*packets.seconds,))}"),
        (f"best {TOKENS:,} tokens of a memory packet", within, ""),
    ):
        _keep(rows, part, what, answers)
        some = fmean(any_at(K)(*row) for row in answers.rows)
        share = fmean(share_at(None)(*row) for row in answers.rows)
        yield Result(
            name=f"recall, {part.label}, {what}",
            measured=f"{share:.4f} of the right ones in it, one at least for {some:.4f}",
            against=against,
            numbers={"share": share, "some": some},
        )


def _fitting(found: Sequence[PacketItem], sizes: Sequence[int]) -> list[PacketItem]:
    """Return the items with the best scores as far as the tokens go."""
    left, fitting = TOKENS, []
    order = sorted(range(len(found)), key=lambda place: -(found[place].score or 0.0))
    for place in order:
        if sizes[place] <= left:
            left -= sizes[place]
            fitting.append(found[place])
    return fitting


def _scored(part: Part, step: Configuration, answers: Answers) -> Iterator[Result]:
    """Report the figures of a configuration; those of all arms are held to the goal."""
    found, goal = answers.figures(), part.goal
    limit = goal.with_model if part.model else goal.without
    held = step is ALL
    broken = f", {answers.broken} with an arm that failed" if answers.broken else ""
    yield Result(
        name=f"recall, {part.label}, {step.name}",
        measured=_spelled(found),
        against=f"{found['questions']:.0f} questions, {Times((*answers.seconds,))}{broken}",
        limit=f"{goal.figure} ≥ {limit}" if held else "",
        passed=found[goal.figure] >= limit and not answers.broken if held else None,
        numbers=found,
    )
    if not held:
        return
    if part.model is None:
        yield Result(
            name=f"recall, {part.label}, share of the right ones in the first 20",
            measured=f"{found['frac@20']:.4f}",
            against="the least for any labelled set",
            limit=f"> {LEAST_RECALL}",
            passed=found["frac@20"] > LEAST_RECALL,
            numbers={"frac@20": found["frac@20"]},
        )
    categories = sorted({question.category for question, _ in answers.rows})
    for category in categories if len(categories) > 1 else ():
        figures = answers.figures(category)
        yield Result(
            name=f"recall, {part.label}, {step.name}, {category}",
            measured=_spelled(figures),
            against=f"{figures['questions']:.0f} questions",
            numbers=figures,
        )


def _never_below(part: Part, figure: float, best: float) -> Result:
    return Result(
        name=f"recall, {part.label}, all arms together",
        measured=f"{part.goal.figure} {figure:.4f}",
        against=f"the best arm alone {best:.4f}",
        ratio=f"{figure / best:.3f}",
        limit="≥ 1",
        passed=figure >= best,
        numbers={"together": figure, "best_alone": best},
    )


def _spelled(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {figures[name]:.4f}" for name in FIGURES)


def _documents(items: Sequence[RecallItem | PacketItem], turns: Mapping[str, str]) -> Documents:
    """Return the documents of items, each once, best first."""
    found = (turns.get(item.source_turn_id or "") for item in items)
    return tuple(dict.fromkeys(one for one in found if one is not None))


@contextmanager
def _opened(part: Part, step: Configuration) -> Iterator[tuple[dict[str, SmartBrain], FakeClock]]:
    """Open a set's brain as a configuration asks, with all views whole, and a clock to be set."""
    clock = FakeClock(part.data.after)
    model = f"onnx:{part.model}" if part.model else None
    tenants = part.data.tenants
    with SmartBrain.open(part.folder, tenants[0], clock=clock, embedder=model) as brain:
        handles = {name: brain.tenant(name) for name in tenants}
        for handle in handles.values():
            if model:
                handle.jobs.run("embed")
            handle.configure(step.settings())
            with handle._lease() as tenant:
                tenant.views.ready(handle._recall_rules(), wait=True)
                tenant.views.save(handle._recall_rules())
        yield handles, clock


@contextmanager
def _no_neighbours(part: Part, setting: Setting) -> Iterator[Path]:
    """Copy a set's brain and build its text index without the turns around each turn.

    There is no setting for it: an index is built one way, so the way is changed from outside.
    """
    bare = setting.folder / f"bare-{part.data.name}"
    shutil.copytree(part.folder, bare)
    made = words.document_of

    def alone(*given: Any) -> TextDocument:
        return made(*given)._replace(nearby=())

    with patch.object(words, "document_of", alone):
        with SmartBrain.open(bare, part.data.tenants[0]) as brain:
            for name in part.data.tenants:
                brain.tenant(name).rebuild()
        yield bare
    shutil.rmtree(bare)


def _keep(rows: TextIO, part: Part, name: str, answers: Answers) -> None:
    """Write down how each question was answered."""
    for question, found in answers.rows:
        ranks = {one: found.index(one) + 1 for one in sorted(question.right) if one in found}
        row = {
            "set": part.data.name,
            "model": part.model.name if part.model else None,
            "configuration": name,
            "query": question.id,
            "category": question.category,
            "right": sorted(question.right),
            "ranks": ranks,
            "found": found[:SHOWN],
        }
        rows.write(json.dumps(row, ensure_ascii=False) + "\n")
    rows.flush()


def _models(language: str) -> list[Path]:
    """Return the folders of the models that serve a language."""
    about = {path.parent: json.loads(path.read_text()) for path in MODELS.glob("*/embedder.json")}
    return sorted(path for path, told in about.items() if language in told["languages"])


def _label(name: str, model: Path | None) -> str:
    return f"{name}, {model.name if model else NO_MODEL}"
