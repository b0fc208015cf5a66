"""Fitting the chance that memory answers a message (R20): `python -m bench.relevance FOLDER`.

In: the public sets at hand, each a brain below FOLDER, scenarios by their paths, and
`plain_requests.txt`, what people ask of any model. Out: the weights of `recall/relevance.py`, how
many questions keep their evidence and how many other messages bring none, for all sets and with
each set left out of the fitting.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.contexts import play_scenario
from bench.recall_data import DATA, DataSet, Document, Question, build, read
from smartbrain import SmartBrain
from smartbrain.recall.relevance import WEIGHTS
from smartbrain.testing.clock import FakeClock

PLAIN = Path(__file__).with_name("plain_requests.txt")
QUESTIONS = 160
OTHERS = 40
RIDGE = 0.3
WORDS = 80
SHORT = (
    "what about the {}?",
    "{}",
    "hello, does the {} work again?",
    "how is the {} going these days?",
    "any news on {}",
    "那个 {} 怎么样了？",
    "what was that story about the {}?",
)
SMALL = 24
OWN = ("own", "words")
KEPT = (0.995, 0.99, 0.98, 0.97)


class Example(NamedTuple):
    """A message to a brain, what was seen of it, and whether the brain answers it."""

    data: str
    kind: str
    features: Mapping[str, float]
    chance: float
    answered: bool


def examples(name: str, folder: Path, others: Mapping[str, Sequence[str]]) -> Iterator[Example]:
    """Yield a set's own questions, and messages of elsewhere, each to one of its brains."""
    made = {"realmem": real_people, "small": small_brains}
    data = made[name]() if name in made else read(name)
    build(data, folder)
    own = data.questions[:: max(1, len(data.questions) // QUESTIONS)]
    asked = [("own", one.tenant, one.text, one.at) for one in own]
    asked += [("words", *one, None) for one in few_words(data)]
    for kind, texts in others.items():
        tenants = data.tenants
        asked += [(kind, tenants[n % len(tenants)], text, None) for n, text in enumerate(texts)]
    clock = FakeClock(data.after)
    with SmartBrain.open(folder, data.tenants[0], clock=clock) as brain:
        for kind, tenant, text, at in asked:
            clock.now = at or data.after
            yield from _seen(name, kind, brain.tenant(tenant), text)


def scenario_examples(path: Path, folder: Path, plain: Sequence[str]) -> Iterator[Example]:
    """Yield the questions of a scenario, each at its time, and at its end what nothing answers."""
    for brain, one in play_scenario(path, folder):
        kind = "off topic" if "off_topic" in one else "own"
        yield from _seen(path.stem, kind, brain, one["text"])
    with SmartBrain.open(folder) as brain:
        for text in plain:
            yield from _seen(path.stem, "plain", brain, text)


def _seen(data: str, kind: str, brain: SmartBrain, text: str) -> Iterator[Example]:
    if seen := brain.build_memory_packet("asking", text).metrics["relevance"]:
        yield Example(data, kind, seen["features"], seen["chance"], kind in OWN)


def few_words(data: DataSet) -> Iterator[tuple[str, str]]:
    """Yield short messages about what turns say: the rarest of the words of each, one or two."""
    words = {one.id: re.findall(r"[A-Za-z]{4,}", one.message["content"]) for one in data.documents}
    count = Counter(word.lower() for said in words.values() for word in set(said))
    for number, one in enumerate(data.documents[:: len(data.documents) // WORDS][:WORDS]):
        rare = sorted(set(words[one.id]), key=lambda word: (count[word.lower()], word))
        if rare:
            about = " ".join(rare[: 1 + number % 2])
            yield one.tenant, SHORT[number % len(SHORT)].format(about)


def small_brains() -> DataSet:
    """Return single sessions of LoCoMo, each a brain of its own."""
    data = read("locomo")
    sessions = list(dict.fromkeys((one.tenant, one.session) for one in data.documents))
    some = set(sessions[:: len(sessions) // SMALL][:SMALL])
    documents = [
        replace(one, tenant=f"{one.tenant} {one.session}")
        for one in data.documents
        if (one.tenant, one.session) in some
    ]
    home = {one.id: one.tenant for one in documents}
    questions = [
        replace(one, tenant=home[min(one.right)])
        for one in data.questions
        if one.right <= home.keys()
    ]
    return DataSet("small", tuple(documents), tuple(questions))


def real_people(most: int = 1) -> DataSet:
    """Read dialogues of RealMem as turns, without the questions and what is answered to them."""
    documents: list[Document] = []
    questions: list[Question] = []
    with gzip.open(DATA / "realmem" / "dialogues.jsonl.gz", "rt", encoding="utf-8") as lines:
        people = [json.loads(line) for line in lines][2 : 2 + most]
    for person in people:
        for session in sorted(person["sessions"], key=lambda one: one["at"][:10]):
            at = datetime.fromisoformat(f"{session['at'][:10]}T12:00:00+00:00")
            turns = session["turns"]
            for number, turn in enumerate(turns):
                name = f"{session['id']}:{number}"
                before = turns[number - 1] if number else {}
                if turn.get("q"):
                    uses = [*turn["uses"], *(turns[number + 1 :] or [{"uses": []}])[0]["uses"]]
                    if uses:
                        asked = (name, person["who"], turn["text"], turn["cat"], None)
                        questions.append(Question(*asked, frozenset(uses)))
                elif not before.get("q"):
                    message = {"role": turn["role"].lower(), "content": turn["text"]}
                    documents.append(Document(name, person["who"], session["id"], at, message))
    return DataSet("realmem", tuple(documents), tuple(questions))


def fitted(
    some: Sequence[Example], names: Sequence[str]
) -> tuple[Callable[[Example], float], dict[str, float]]:
    """Return the logistic regression of examples, each set and answer the same, and its weights."""
    table = np.array([[one.features[name] for name in names] + [1.0] for one in some])
    right = np.array([float(one.answered) for one in some])
    group = [(one.data, one.answered) for one in some]
    share = np.array([len(some) / len(set(group)) / group.count(one) for one in group])
    weights = np.zeros(len(names) + 1)
    ridge = np.diag([RIDGE] * len(names) + [0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (share * (chance - right)) + ridge @ weights
        curve = (table * (share * chance * (1 - chance))[:, None]).T @ table + ridge
        weights -= np.linalg.solve(curve + 1e-9 * np.eye(len(weights)), slope)

    def chance_of(one: Example) -> float:
        values = [*(one.features[name] for name in names), 1.0]
        return float(1 / (1 + math.exp(-float(np.dot(values, weights)))))

    return chance_of, dict(zip([*names, "bias"], weights.tolist(), strict=True))


def shares(some: Sequence[Example], chance_of: Callable[[Example], float]) -> list[dict[str, Any]]:
    """Return, at floors that keep so many of the questions, how many other messages are silent."""
    own = sorted(chance_of(one) for one in some if one.answered)
    rows = []
    for kept in KEPT:
        floor = own[int((1 - kept) * len(own))]
        row: dict[str, Any] = {"kept": kept, "floor": round(floor, 3)}
        for group in sorted({(one.data, one.kind) for one in some}):
            members = [chance_of(one) < floor for one in some if (one.data, one.kind) == group]
            row[":".join(group)] = round(sum(members) / len(members), 2)
        rows.append(row)
    return rows


def main(arguments: Sequence[str]) -> None:
    """Fit, and print what came of it."""
    folder = Path(arguments[0])
    names = arguments[1:] or ["small", "locomo", "longmemeval_turns", "realmem"]
    others = {"plain": PLAIN.read_text(encoding="utf-8").splitlines()}
    for name in ("scifact_beir_test", "cmrc2018_dev_zh"):
        questions = read(name).questions
        others[name] = [one.text for one in questions[:: len(questions) // OTHERS]][:OTHERS]
    some = []
    for name in names:
        kept = folder / f"examples-{Path(name).stem}.json"
        if not kept.exists() and name.endswith(".jsonl"):
            place = folder / Path(name).stem
            found = list(scenario_examples(Path(name), place, others["plain"]))
            kept.write_text(json.dumps(found), encoding="utf-8")
        elif not kept.exists():
            found = list(examples(name, folder / f"recall-{name}", others))
            kept.write_text(json.dumps(found), encoding="utf-8")
        some += [Example(*row) for row in json.loads(kept.read_text(encoding="utf-8"))]
    features = [name for name in WEIGHTS if name != "bias"]
    for left_out in ("", *(names if len(names) > 1 else ())):
        left_out = Path(left_out).stem
        seen = [one for one in some if one.data != left_out]
        chance_of, weights = fitted(seen, features)
        print("all sets" if not left_out else f"without {left_out}, on it")
        for row in shares([one for one in some if left_out in ("", one.data)], chance_of):
            print("  ", row)
        if not left_out:
            print("  ", {name: round(value, 3) for name, value in weights.items()})


if __name__ == "__main__":
    main(sys.argv[1:])
