"""What the reader learns from messages that none of its authors has seen (N5, K4–K7).

In: sets of `tests/data/reader`, each written by one author and labelled by another, and committed
before the weights that they judge. Every message is committed to a tenant of its own through the
public API; what is counted are the memories that stand afterwards. A hit has the type and holds
the value of a label; each label counts once. Only totals are printed: the rows stay shut.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.brains import open_fixed
from bench.oracle import Standing, standing_of
from bench.recall_data import DATA
from bench.report import Result, Setting
from smartbrain.remember.reader.read import read_asked
from smartbrain.remember.reader.words import tokenise
from smartbrain.testing.clock import FakeClock
from smartbrain.text.ontology import OTHER, load_ontology

SETS = Path(__file__).parents[1] / "tests" / "data" / "reader"
PRECISION, RECALL, TYPE, VALUE = 0.86, 0.72, 0.80, 0.80
NAMED, NAMED_RIGHT = 0.45, 0.85
LEAKS = 0.02
WRONG, MISTAKEN, OUTDATED = 0.03, 0.02, 0.5
UNDERSTOOD, ASKED = 0.50, 0.85
_AT = "2026-03-05T10:00:00+08:00"

_UNNAMED = frozenset(("tasks", "events", "goals", "cases"))
_PERSONAL = frozenset(("self", "thing", "project"))


def run(setting: Setting) -> Iterator[Result]:
    """Measure every set of single messages that is at hand."""
    for path in sorted(SETS.glob("unseen_*.jsonl")):
        rows = load_set(path)
        if rows and "asks" in rows[0]:
            yield _asked_result(path.stem, rows)
            continue
        if rows and "turns" in rows[0]:
            yield from _change_results(path.stem, score_changes(rows, setting.folder / path.stem))
        elif rows:
            yield from _results(path.stem, score_rows(rows, setting.folder / path.stem))


def _asked_result(name: str, rows: Sequence[Mapping[str, Any]]) -> Result:
    """Measure whether what a question asks about is among the first three that are read in it."""
    ontology = load_ontology()
    asked = [row for row in rows if row["asks"]]
    right = sum(
        bool(set(row["asks"]) & set(read_asked(row["text"], ontology=ontology))) for row in asked
    )
    share = right / max(1, len(asked))
    return Result(
        name=f"{name}: asked attribute among the first three",
        measured=f"{share:.3f}",
        against=f"{right} of {len(asked)} questions",
        limit=f"≥ {ASKED}",
        passed=share >= ASKED,
        numbers={"asked": share},
    )


def score_changes(rows: Sequence[Mapping[str, Any]], folder: Path) -> Counter[str]:
    """Commit the turns of each history to its own tenant and count what stands at the end."""
    count: Counter[str] = Counter()
    clock = FakeClock()
    with open_fixed(folder, clock) as brain:
        for number, row in enumerate(rows):
            clock.now = max(datetime.fromisoformat(turn["at"]) for turn in row["turns"])
            tenant = brain.tenant(f"row{number}")
            stood: list[Standing] = []
            for place, turn in enumerate(row["turns"]):
                stood = standing_of(tenant)
                messages = [{"role": "user", "content": turn["text"]}]
                tenant.commit_turn(f"s{place}", {"at": turn["at"], "messages": messages})
            _count_history(row, stood, standing_of(tenant), count)
            tenant.close()
    shutil.rmtree(folder)
    return count


def _count_history(
    row: Mapping[str, Any],
    stood: Sequence[Standing],
    standing: Sequence[Standing],
    count: Counter[str],
) -> None:
    """Count what a told change left: what must stand, what must not, what else ended."""
    wanted, gone = row["expect"]["stands"], row["expect"]["gone"]
    missing = [one for one in wanted if not any(_stands(one, held) for held in standing)]
    kept = [one for one in gone if any(_stands(one, held) for held in standing)]
    left = {(one.type, one.attr, one.value) for one in standing}
    ended = [one for one in stood if (one.type, one.attr, one.value) not in left]
    mistaken = [one for one in ended if any(holds(label["value"], one.value) for label in wanted)]
    count += Counter(
        changes=1,
        understood=not missing and not kept,
        outdated=bool(kept),
        mistaken=bool(mistaken),
    )


def _stands(label: Mapping[str, Any], one: Standing) -> bool:
    return label["type"] == one.type and holds(label["value"], one.value)


def _change_results(name: str, count: Counter[str]) -> Iterator[Result]:
    for what, limit, least in (
        ("understood", UNDERSTOOD, True),
        ("outdated", OUTDATED, False),
        ("mistaken", MISTAKEN, False),
    ):
        yield _share_result(f"{name}: {what}", count[what], count["changes"], limit, least)


def _share_result(name: str, part: int, whole: int, limit: float, least: bool) -> Result:
    share = part / max(1, whole)
    return Result(
        name=name,
        measured=f"{share:.3f}",
        against=f"{part} of {whole}",
        limit=f"{'≥' if least else '≤'} {limit}",
        passed=share >= limit if least else share <= limit,
        numbers={name.rpartition(": ")[2]: share},
    )


def load_set(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a set; texts of public data sets are read where those lie, if they do."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if rows and ("text" in rows[0] or "turns" in rows[0]):
        return rows
    texts = _real_texts()
    return [_with_text(row, *texts[row["id"]]) for row in rows if row["id"] in texts]


def _with_text(row: Mapping[str, Any], text: str, before: str) -> dict[str, Any]:
    frames = []
    for frame in row["frames"]:
        start, length = frame["at"]
        frames.append({**frame, "value": text[start : start + length], "subject": ""})
    return {"text": text, "before": before if row["before"] else "", "frames": frames}


def _real_texts() -> dict[str, tuple[str, str]]:
    """Return turns of LongMemEval and RealMem by id, with the message before each."""
    found: dict[str, tuple[str, str]] = {}
    corpus, dialogues = (
        DATA / "longmemeval_turns" / "corpus.jsonl.gz",
        DATA / "realmem" / "dialogues.jsonl.gz",
    )
    if corpus.exists():
        with gzip.open(corpus, "rt", encoding="utf-8") as lines:
            found |= {f"lme:{row['id']}": (row["text"], "") for row in map(json.loads, lines)}
    if dialogues.exists():
        with gzip.open(dialogues, "rt", encoding="utf-8") as lines:
            for person in map(json.loads, lines):
                for session in person["sessions"]:
                    turns = session["turns"]
                    for place, turn in enumerate(turns):
                        before = turns[place - 1]["text"] if place else ""
                        found[f"rm:{person['who']}:{session['id']}:{place}"] = turn["text"], before
    return found


def score_rows(
    rows: Sequence[Mapping[str, Any]], folder: Path, wrong: list[Any] | None = None
) -> Counter[str]:
    """Commit each row to its own tenant and count what stands."""
    count: Counter[str] = Counter()
    just_said = FakeClock(datetime.fromisoformat(_AT))  # what holds "until Friday" still does
    with open_fixed(folder, just_said) as brain:
        for number, row in enumerate(rows):
            tenant = brain.tenant(f"row{number}")
            messages = [{"role": "user", "content": row["text"]}]
            if row.get("before"):
                messages.insert(0, {"role": "assistant", "content": row["before"]})
            tenant.commit_turn("s", {"at": _AT, "messages": messages})
            _count_row(row, standing_of(tenant), count, wrong)
            tenant.close()
    shutil.rmtree(folder)
    return count


def _count_row(
    row: Mapping[str, Any],
    standing: Sequence[Standing],
    count: Counter[str],
    wrong: list[Any] | None,
) -> None:
    """Count the hits of one row."""
    gold = [_filed(one) for one in row["frames"] if one["say"] not in ("end", "wrong")]
    found = [
        one
        for one in standing
        if one.type not in ("entities", "episodes", "statements", "concepts")
    ]
    count["rows"] += 1
    count["gold"] += len(gold)
    count["found"] += len(found)
    count["silent"] += not row["frames"]
    count["leaks"] += not row["frames"] and bool(found)
    for one in found:
        hit = next(
            (
                label
                for label in gold
                if label["type"] == one.type and holds(label["value"], one.value)
            ),
            None,
        )
        if hit is None:
            loose = next((label for label in gold if holds(label["value"], one.value)), None)
            count["other type"] += loose is not None
            count["wrong"] += loose is None and one.attr not in ("", OTHER)
            if wrong is not None:
                wrong.append((row["text"], one.type, one.attr, one.value, row["frames"]))
            continue
        gold.remove(hit)
        count["hits"] += 1
        count["exact"] += same(hit["value"], one.value)
        if one.type not in _UNNAMED and hit["attr"] != "other":
            count["nameable"] += 1
        if (one.type in ("profile", "facts") and one.attr not in ("other", "")) or (
            one.type in ("preferences", "decisions") and _slot(one)
        ):
            count["named"] += 1
            count["named right"] += _slot(one) == hit["attr"] or one.attr == hit["attr"]
    if wrong is not None:
        wrong += [
            (row["text"], "MISSED", label["type"], label["attr"], label["value"]) for label in gold
        ]


def _slot(one: Standing) -> str:
    name = one.attr.partition(":")[0].partition("_")[0] if one.type == "decisions" else one.attr
    known = load_ontology().attribute(name, one.type) or load_ontology().attribute(
        one.attr, one.type
    )
    return known.name if known else ""


def _filed(frame: Mapping[str, Any]) -> dict[str, Any]:
    """Return a label under the type that the runtime files it by: people have profiles."""
    kind = frame["type"]
    if kind in ("preferences", "facts") and frame["relation"] not in _PERSONAL:
        kind = "profile"
    elif kind == "profile" and frame["relation"] in ("thing", "project"):
        kind = "facts"
    return {**frame, "type": kind}


def holds(gold: str, found: str) -> bool:
    """Tell whether what was found holds the words of a label, or most of them and little else."""
    first, second = _words(gold), _words(found)
    return first <= second or len(first & second) / max(1, len(first | second)) >= 0.5


def same(gold: str, found: str) -> bool:
    """Tell whether two values are the same but for a word in three."""
    first, second = _words(gold), _words(found)
    return len(first & second) / max(1, len(first | second)) >= 0.66


def _words(text: str) -> set[str]:
    return {text[token.start : token.end].lower() for token in tokenise(text)}


def _results(name: str, count: Counter[str]) -> Iterator[Result]:
    typed = count["hits"] + count["other type"]
    for what, part, whole, limit, least in (
        ("precision", count["hits"], count["found"], PRECISION, True),
        ("recall", count["hits"], count["gold"], RECALL, True),
        ("type", count["hits"], typed, TYPE, True),
        ("value", count["exact"], count["hits"], VALUE, True),
        ("attribute named", count["named"], count["nameable"], NAMED, True),
        ("named attribute right", count["named right"], count["named"], NAMED_RIGHT, True),
        ("wrong value active", count["wrong"], count["rows"], WRONG, False),
        ("leaks", count["leaks"], count["silent"], LEAKS, False),
    ):
        yield _share_result(f"{name}: {what}", part, whole, limit, least)
