"""Trains the reader from the labelled messages in data/reader: `make reader`.

In: rows of data/reader. Out: `weights.bin` beside the reader. Needs scikit-learn, python-crfsuite
(dev extra). `--holdout N` leaves one part of N out, trains on the others and scores the part left
out, which is how features are compared. Sets that judge the reader are never read here.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pycrfsuite
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from reader_weights import pack_head, pack_transitions, pack_weights
from smartbrain.remember.reader.features import (
    HASH_BITS,
    clause_features,
    hash_features,
    message_features,
    span_features,
    token_features,
    whole_features,
)
from smartbrain.remember.reader.read import TENTHS, Frame, Tagged, read_message, signal_odds
from smartbrain.remember.reader.requests import MAX_TOKENS, NONE, request_features, split_message
from smartbrain.remember.reader.weights import FILE, Weights, unpack_weights
from smartbrain.remember.reader.words import Analysis, analyse, tokenise
from smartbrain.text.ontology import load_ontology

DATA: Final = Path(__file__).parents[1] / "data" / "reader"
REQUESTS: Final = DATA.parent / "forgetting"
VERSION: Final = "trained/1"
KINDS: Final = {"when": "W", "because": "Y", "topic": "T", "scope": "P", "solution": "M"}
PRUNE: Final = {
    "lasting": 0.03,
    "attribute": 0.06,
    "say": 0.03,
    "relation": 0.04,
    "asking": 0.03,
    "asked": 0.06,
    "request": 0.03,
}
TAGGER_PRUNE: Final = 0.04
TAGGER: Final = {"c1": 0.6, "c2": 0.05, "max_iterations": 150, "feature.possible_transitions": True}
UNCALIBRATED: Final = {
    "certainty": {"lasting": 1.0},
    "thresholds": {"attribute": 0.5},
}
ONTOLOGY: Final = load_ontology()
CLOSING: Final = ("end", "wrong")
UNNAMED: Final = ("tasks", "events", "goals")
REPEATED: Final = {"basic": 4, "plain": 2}
"""How often rows of the plainest statements count: whoever tries the reader says these first."""
HISTORIES: Final = REQUESTS / "histories"
BESIDE_WEIGHT: Final = 0.5
"""What a sentence of the other messages counts beside a labelled request to forget."""
MESSY: Final = frozenset(("people", "persons"))
"""Sets of messages as people type them: how sure an attribute must be is measured on these."""
NAMED_RIGHT: Final = 0.915
"""How often an attribute that is named must be right, on messy rows that its head had not seen."""

Row = Mapping[str, Any]


def load_rows(folder: Path = DATA) -> list[Row]:
    """Returns all labelled messages of a folder, each with the name of its set."""
    return [
        {**json.loads(line), "set": path.stem.partition("-")[2]}
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def repeat_plain(rows: Iterable[Row]) -> list[Row]:
    """Returns rows, the plainest ones as often as they count."""
    return [row for row in rows for _ in range(REPEATED.get(row["set"], 1))]


class Example:
    """A row with its analysis and its labels by token."""

    def __init__(self, row: Row) -> None:
        """Finds the labels of a row in its tokens."""
        self.row = row
        self.message = analyse(row["text"], row.get("before", ""), ONTOLOGY)
        self.values: list[tuple[Tagged, Row]] = []
        used: set[int] = set()
        for frame in row["frames"]:
            if span := find_span(self.message, frame["value"], used):
                used.add(span.first)
                self.values.append((span, frame))
        self.lasting = [False] * len(self.message.clauses)
        for span, _ in self.values:
            first, last = self.message.clause_of(span.first), self.message.clause_of(span.last - 1)
            self.lasting[first : last + 1] = [True] * (last + 1 - first)
        self.labels = self._label_tokens()

    def _label_tokens(self) -> list[str]:
        labels = ["O"] * len(self.message.tokens)
        for span, frame in self.values:
            _put(labels, span, "V." + frame["type"])
        for span, frame in self.values:
            for name, kind in KINDS.items():
                _put(labels, find_span(self.message, frame.get(name, ""), set(), span.first), kind)
            if frame["subject"] != "user":
                _put(labels, find_span(self.message, frame["subject"], set(), span.first), "S")
        return labels


def find_span(
    message: Analysis, words: str, used: set[int], near: int | None = None
) -> Tagged | None:
    """Finds words as a run of tokens, one that is not taken, or the nearest one."""
    found, at = [], -1
    while words and (at := message.text.find(words, at + 1)) >= 0:
        end = at + len(words)
        inside = [n for n, one in enumerate(message.tokens) if one.end > at and one.start < end]
        if inside:
            found.append(Tagged("V", inside[0], inside[-1] + 1))
    free = [one for one in found if one.first not in used] or found
    if not free:
        return None
    return free[0] if near is None else min(free, key=lambda one: abs(one.first - near))


def _put(labels: list[str], span: Tagged | None, kind: str) -> None:
    """Labels the tokens of a span that have no label yet."""
    if span is None:
        return
    free = [place for place in range(span.first, span.last) if labels[place] == "O"]
    for place in free:
        labels[place] = ("I-" if place - 1 in free else "B-") + kind


def matrix(
    features: Iterable[Sequence[str]], least: int = 2
) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Returns features as a sparse matrix over those that occur often enough."""
    lists = [hash_features(one) for one in features]
    ends = np.cumsum([0, *map(len, lists)])
    ids = np.fromiter((one for many in lists for one in many), np.int64, ends[-1])
    keep = np.flatnonzero(np.bincount(ids, minlength=1 << HASH_BITS) >= least)
    places = np.full(1 << HASH_BITS, -1, np.int64)
    places[keep] = np.arange(len(keep))
    columns, rows = places[ids], np.repeat(np.arange(len(lists)), np.diff(ends))
    known = columns >= 0
    cells = (np.ones(int(known.sum()), np.float32), (rows[known], columns[known]))
    return csr_matrix(cells, shape=(len(lists), len(keep))), keep


def train_head(
    name: str,
    features: Sequence[Sequence[str]],
    labels: Sequence[str],
    *,
    strength: float = 0.5,
    sample_weight: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Trains one linear head."""
    began = time.perf_counter()
    values, keep = matrix(features)
    model = LogisticRegression(C=strength, max_iter=150, tol=1e-3)
    model.fit(values, np.array(labels), sample_weight=sample_weight)
    names = [str(one) for one in model.classes_]
    weighed, bias = model.coef_, model.intercept_
    if len(names) == 2:
        weighed, bias = np.vstack([-weighed / 2, weighed / 2]), np.array([-bias[0], bias[0]]) / 2
    weights: dict[int, dict[int, float]] = defaultdict(dict)
    rows, columns = np.nonzero(np.abs(weighed) >= PRUNE[name])
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        weights[int(keep[column])][row] = float(weighed[row, column])
    took = time.perf_counter() - began
    print(f"  {name}: {len(labels)} examples, {len(names)} labels, {took:.0f} s", flush=True)
    return pack_head(names, weights, bias)


def train_tagger(examples: Sequence[Example], likely: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Trains the chain over the tokens of sentences that may say something lasting."""
    tagged = []
    for example, tenths in zip(examples, likely, strict=True):
        message = example.message
        for first, last in message.sentences:
            clauses = range(message.clause_of(first), message.clause_of(last - 1) + 1)
            if any(example.lasting[one] or tenths[one] >= 2 for one in clauses):
                features = token_features(message, first, last, tenths)
                tagged.append((features, _begun(example.labels[first:last])))
    return train_chain("tagger", tagged)


def train_chain(name: str, tagged: Sequence[tuple[list[list[str]], list[str]]]) -> dict[str, Any]:
    """Trains a chain over tokens and takes its weights."""
    began = time.perf_counter()
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=TAGGER, verbose=False)
    for features, own in tagged:
        trainer.append(features, own)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "crf")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        info = tagger.info()
    labels = sorted(info.labels)
    place = {label: n for n, label in enumerate(labels)}
    weights: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for (feature, label), weight in info.state_features.items():
        if abs(weight) >= TAGGER_PRUNE:
            weights[hash_features([feature])[0]][place[label]] += weight
    steps = [[_step(one, other, info.transitions) for other in labels] for one in labels]
    head = pack_head(labels, weights, [0.0] * len(labels))
    print(f"  {name}: {len(weights)} features, {time.perf_counter() - began:.0f} s", flush=True)
    return {"tokens": head, "transitions": pack_transitions(steps, head["unit"])}


def _step(one: str, other: str, transitions: Mapping[tuple[str, str], float]) -> float:
    """Returns the weight of one label after another; no run goes on that has not begun."""
    if other.startswith("I-") and one[2:] != other[2:]:
        return -100.0
    return transitions.get((one, other), 0.0)


def _begun(labels: Sequence[str]) -> list[str]:
    """Returns the labels of a sentence in which no run begins in the middle."""
    before = ["O", *labels]
    return [
        "B-" + label[2:] if label[0] == "I" and before[n][2:] != label[2:] else label
        for n, label in enumerate(labels)
    ]


def train(rows: Sequence[Row]) -> dict[str, Any]:
    """Trains all heads; certainties are calibrated on rows that other heads had not seen."""
    content = train_heads([Example(row) for row in repeat_plain(rows)])
    return {**content, **fit_certainties(rows)}


def fit_certainties(rows: Sequence[Row]) -> dict[str, Any]:
    """Fits how certain a frame is, and an attribute, by heads that had not seen the rows."""
    left = set(split(len(rows), 4, seed=7)[0])
    print("  calibrating", flush=True)
    seen = [row for n, row in enumerate(rows) if n not in left]
    weights = Weights({**train_heads([Example(row) for row in repeat_plain(seen)]), **UNCALIBRATED})
    found: dict[bool, list[tuple[Frame, Row | None]]] = {True: [], False: []}
    for n in sorted(left):
        reading = read_row(rows[n], weights)
        times = REPEATED.get(rows[n]["set"], 1)
        found[rows[n]["set"] in MESSY] += [
            (one, find_match(one, rows[n]["frames"])) for one in reading
        ] * times
    both = [*found[True], *found[False]]
    return {
        "certainty": calibrate([(one, label is not None) for one, label in both]),
        "thresholds": {"attribute": find_threshold(found[True])},
    }


def find_threshold(found: Sequence[tuple[Frame, Row | None]]) -> float:
    """Returns how sure an attribute must be so that those named are right often enough."""
    ranked = sorted(
        (one.signals["attr"], one.label == label["attr"])
        for one, label in found
        if label is not None and one.type not in UNNAMED and one.label != "other"
    )
    for place, (share, _) in enumerate(ranked):
        rest = [right for _, right in ranked[place:]]
        if sum(rest) >= NAMED_RIGHT * len(rest):
            return round(share, 3)
    return 1.0


def read_row(row: Row, weights: Weights) -> tuple[Frame, ...]:
    """Returns what the reader finds in the message of a row."""
    before = row.get("before", "")
    return read_message(row["text"], before, ontology=ONTOLOGY, weights=weights)


def calibrate(found: Sequence[tuple[Frame, bool]]) -> dict[str, float]:
    """Fits how likely a frame is right to how sure each head was."""
    names = sorted({name for frame, _ in found for name in frame.signals})
    values = np.array(
        [[signal_odds(name, one.signals.get(name, 0.0)) for name in names] for one, _ in found]
    )
    model = LogisticRegression(max_iter=500).fit(values, [right for _, right in found])
    fitted = zip(names, model.coef_[0].tolist(), strict=True)
    bias = round(float(model.intercept_[0]), 4)
    return {**{name: round(weight, 4) for name, weight in fitted}, "bias": bias}


def train_heads(examples: Sequence[Example]) -> dict[str, Any]:
    """Trains every head on the same examples."""
    places = [(one, n) for one in examples for n in range(len(one.message.clauses))]
    clauses = [judged_features(one, n) for one, n in places]
    lasting = ["yes" if one.lasting[n] else "no" for one, n in places]
    spans = [(one, span, frame) for one in examples for span, frame in one.values]
    features = [span_features(one.message, span.first, span.last) for one, span, _ in spans]
    named = [f"{frame['type']}.{frame['attr']}" for _, _, frame in spans]
    return {
        "version": VERSION,
        "lasting": train_head("lasting", clauses, lasting, strength=0.5),
        "attribute": train_head("attribute", features, named),
        "say": train_head("say", features, [frame["say"] for *_, frame in spans]),
        "relation": train_head("relation", features, [frame["relation"] for *_, frame in spans]),
        **train_questions(examples),
        "tagger": train_tagger(examples, judge_clauses(examples)),
        **train_requests([one.row for one in examples]),
    }


def judged_features(example: Example, clause: int) -> list[str]:
    """Returns what a clause is judged by: its own features and those of its message."""
    return [*clause_features(example.message, clause), *message_features(example.message)]


def train_questions(examples: Sequence[Example]) -> dict[str, Any]:
    """Trains whether something is asked that was told before, and which attribute."""
    return {"asking": train_asking(examples), "asked": train_asked(examples)}


def train_asking(examples: Sequence[Example]) -> dict[str, Any]:
    """Trains whether a clause asks for something that was told before."""
    features: list[Sequence[str]] = []
    labels: list[str] = []
    for example in examples:
        asks = bool(example.row.get("asks"))
        for n, is_lasting in enumerate(example.lasting):
            features.append(clause_features(example.message, n))
            labels.append("yes" if asks and not is_lasting else "no")
    weights = [1.0 if label == "yes" else 0.3 for label in labels]
    return train_head("asking", features, labels, strength=0.6, sample_weight=weights)


def train_asked(examples: Sequence[Example]) -> dict[str, Any]:
    """Trains which attribute a question asks about, by the whole message."""
    features: list[Sequence[str]] = []
    labels: list[str] = []
    weights: list[float] = []
    for example in examples:
        if asks := example.row.get("asks"):
            features += [whole_features(example.message)] * len(asks)
            labels += asks
            weights += [1 / len(asks)] * len(asks)
    return train_head("asked", features, labels, sample_weight=weights)


def train_requests(rows: Sequence[Row]) -> dict[str, Any]:
    """Trains what a message asks to forget, and which of its words name that.

    The other messages ask for nothing; a long one is read sentence by sentence, as it is later.
    """
    asked = [
        (row, analyse(row["text"], row.get("before", ""), ONTOLOGY)) for row in load_rows(REQUESTS)
    ]
    told = load_rows(HISTORIES)
    known = {row["text"] for row, _ in asked}
    others = sorted({row["text"] for row in rows} - known)
    parts = [analyse(part, "", ONTOLOGY) for text in others for _, part in split_message(text)]
    parts = [one for one in parts if 0 < len(one.tokens) <= MAX_TOKENS]
    features = [request_features(message) for _, message in asked]
    features += [request_features(analyse(row["message"], "", ONTOLOGY)) for row in told]
    features += [request_features(message) for message in parts]
    labels = [row["kind"] for row, _ in asked]
    labels += ["forget" if row["kind"] == "request" else NONE for row in told]
    weights = [1.0] * len(labels) + [BESIDE_WEIGHT] * len(parts)
    labels += [NONE] * len(parts)
    tagged = []
    for row, message in asked:
        named = [row["forgets"]] if isinstance(row["forgets"], str) else row["forgets"]
        own = ["O"] * len(message.tokens)
        for words in named:
            _put(own, find_span(message, words, set()), "F")
        if named[0]:
            count = len(message.tokens)
            tagged.append((token_features(message, 0, count, [0] * len(message.clauses)), own))
    return {
        "request": train_head("request", features, labels, strength=2.0, sample_weight=weights),
        "target": train_chain("target", tagged),
    }


def judge_clauses(examples: Sequence[Example], folds: int = 4) -> list[list[int]]:
    """Returns how likely each clause is lasting, in tenths, by heads that have not seen it."""
    sizes = [len(one.message.clauses) for one in examples]
    owner = np.repeat(np.arange(len(examples)), sizes)
    places = [(one, n) for one in examples for n in range(len(one.message.clauses))]
    values, _ = matrix(judged_features(one, n) for one, n in places)
    wanted = np.array([one.lasting[n] for one, n in places])
    shares = np.zeros(len(owner))
    for fold in range(folds):
        out = owner % folds == fold
        model = LogisticRegression(C=0.6, max_iter=80, tol=1e-2).fit(values[~out], wanted[~out])
        shares[out] = model.predict_proba(values[out])[:, 1]
    tenths = np.minimum(TENTHS - 1, (shares * TENTHS).astype(int))
    return [part.tolist() for part in np.split(tenths, np.cumsum(sizes)[:-1])]


def split(count: int, folds: int, seed: int) -> list[list[int]]:
    """Returns numbers up to a count, shuffled, in so many parts."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return [order[n::folds] for n in range(folds)]


def find_match(frame: Frame, gold: Iterable[Row]) -> Row | None:
    """Returns the label that a frame meets in type and value."""
    same = (one for one in gold if one["type"] == frame.type)
    return next((one for one in same if same_value(one["value"], frame.value)), None)


def same_value(gold: str, found: str) -> bool:
    """Tells whether what was found holds a value, or most of it and little else."""
    first, second = (
        {text[token.start : token.end].lower() for token in tokenise(text)}
        for text in (gold, found)
    )
    return bool(first) and (first <= second or len(first & second) / len(first | second) >= 0.5)


def show_score(rows: Sequence[Row], weights: Weights) -> None:
    """Prints how rows that the heads have not seen are read, by how certain a frame must be."""
    readings = [read_row(row, weights) for row in rows]
    for floor in (0.4, 0.5, 0.6, 0.7):
        count: Counter[str] = Counter()
        for row, frames in zip(rows, readings, strict=True):
            gold = list(row["frames"])
            kept = [frame for frame in frames if frame.certainty >= floor]
            count += Counter(gold=len(gold), kept=len(kept), leaks=not gold and bool(kept))
            for frame in kept:
                if (label := find_match(frame, gold)) is not None:
                    gold.remove(label)
                    count += _compare(frame, label)
        hits = max(1, count["hits"])
        shares = {
            "recall": hits / max(1, count["gold"]),
            "precision": hits / max(1, count["kept"]),
            "say": count["say"] / hits,
            "relation": count["relation"] / hits,
            "named right": count["right"] / max(1, count["named"]),
        }
        told = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
        print(f"  from {floor}: {told}, leaks {count['leaks']}", flush=True)


def _compare(frame: Frame, label: Row) -> Counter[str]:
    """Counts in what a frame is like its label."""
    named = frame.attr != "other" and frame.type not in UNNAMED
    return Counter(
        hits=1,
        say=frame.say == label["say"],
        relation=frame.relation == label["relation"],
        named=named,
        right=named and frame.attr == label["attr"],
    )


def main() -> None:
    """Trains, and writes the weights or scores a part that was left out."""
    parser = argparse.ArgumentParser(description="Train the reader from data/reader.")
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--holdout", type=int, default=0, help="score one part of so many")
    parser.add_argument("--share", type=float, default=1.0, help="train on this share of rows")
    parser.add_argument(
        "--only", choices=["requests", "questions"], help="keep all other heads as they are"
    )
    options = parser.parse_args()
    rows = load_rows()
    if options.only:
        if options.only == "requests":
            anew = train_requests(rows)
        else:
            anew = train_questions([Example(row) for row in repeat_plain(rows)])
        pack_weights({**unpack_weights(options.out), **anew}, options.out)
        return
    if not options.holdout:
        pack_weights(train(rows), options.out)
        print(f"{len(rows)} rows, {options.out.stat().st_size / 1e6:.2f} MB")
        return
    held, *others = split(len(rows), options.holdout, seed=1)
    used = [rows[n] for part in others for n in part]
    weights = Weights(train(used[: int(len(used) * options.share)]))
    for chinese in (False, True):
        print("Chinese" if chinese else "English")
        show_score([rows[n] for n in held if (rows[n]["lang"] != "en") == chinese], weights)


if __name__ == "__main__":
    main()
