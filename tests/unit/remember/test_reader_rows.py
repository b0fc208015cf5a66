"""Every labelled message follows its format, and there are enough of each kind."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from smartbrain.domain.claim import Say
from smartbrain.text.ontology import load_ontology

ROOT = Path(__file__).parents[3]
ROWS = [
    (path.name, number, json.loads(line))
    for path in sorted((ROOT / "data" / "reader").glob("*.jsonl"))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
]
TYPES = {
    *("profile", "preferences", "facts", "tasks", "events", "goals", "decisions", "cases"),
}
KINDS = {
    "tasks": {"todo", "recurring"},
    "events": {
        *("appointment", "trip", "meeting", "deadline", "celebration", "release", "incident"),
        *("place", "schedule"),
    },
    "goals": {"personal", "project", "budget"},
}
QUOTED = ("value", "when", "scope", "topic", "because", "problem", "solution")
LANGUAGES = ("en", "zh")


def violations(row: dict[str, Any]) -> list[str]:
    """Return what is wrong with a row."""
    ontology = load_ontology()
    relations = {one.name for one in ontology.relations}
    whole = row["text"] + "\n" + row.get("before", "")
    found = []
    for frame in row["frames"]:
        kind, attr = frame["type"], frame["attr"]
        known = attr == "other" or attr in KINDS.get(kind, set()) or ontology.is_name(attr)
        checks = {
            f"type {kind}": kind in TYPES,
            f"attribute {kind}.{attr}": known,
            f"relation {frame['relation']}": frame["relation"] in relations,
            f"say {frame['say']}": frame["say"] in set(Say),
            "no value": bool(frame["value"]),
            f"subject {frame['subject']}": frame["subject"] == "user" or frame["subject"] in whole,
            "subject and relation": (frame["subject"] == "user") == (frame["relation"] == "self"),
        }
        checks |= {
            f"{name} {frame[name]}": frame[name] in whole for name in QUOTED if name in frame
        }
        found += [name for name, right in checks.items() if not right]
    return found


def test_every_row_follows_the_format() -> None:
    """Labels quote their message and use the words of the ontology."""
    wrong = [f"{name}:{number}: {one}" for name, number, row in ROWS for one in violations(row)]
    assert wrong == []


def test_no_message_is_there_twice() -> None:
    """A row that stands twice would weigh twice."""
    seen = Counter((row["text"].strip().lower(), row.get("before", "")) for _, _, row in ROWS)
    assert [text for text, count in seen.items() if count > 1] == []


def test_there_are_enough_rows_of_each_kind() -> None:
    """Half of the rows are Chinese, nearly half hold nothing, and changes are well covered."""
    rows = [row for _, _, row in ROWS]
    frames = [frame for row in rows for frame in row["frames"]]
    counted = {
        "rows": len(rows),
        "Chinese": sum(row["lang"] != "en" for row in rows),
        "nothing to remember": sum(not row["frames"] for row in rows),
        "changes": sum(frame["say"] != "assert" for frame in frames),
        "answers": sum("before" in row for row in rows),
        "questions": sum("asks" in row for row in rows),
        "mixed": sum(row["lang"] == "mix" for row in rows),
    }
    least = {
        "rows": 10_000,
        "Chinese": 0.45 * len(rows),
        "nothing to remember": 0.44 * len(rows),
        "changes": 1_500,
        "answers": 600,
        "questions": 1_000,
        "mixed": 300,
    }
    assert {name: counted[name] for name in least if counted[name] < least[name]} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_attribute_has_examples(language: str) -> None:
    """Each attribute of the ontology is told sixty times in each language."""
    told = Counter(
        frame["attr"]
        for _, _, row in ROWS
        if (row["lang"] == "en") == (language == "en")
        for frame in row["frames"]
    )
    few = {one.name: told[one.name] for one in load_ontology().attributes if told[one.name] < 60}
    assert few == {}


def _named(row: dict[str, Any]) -> list[str]:
    """Return the words that name what is meant; there may be several."""
    named = row["forgets"]
    return [named] if isinstance(named, str) else named


def test_every_labelled_request_follows_the_format() -> None:
    """A request to forget has a kind, and quotes the words that name what is meant."""
    files = sorted((ROOT / "data" / "forgetting").glob("*.jsonl"))
    rows = [
        json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()
    ]
    kinds = {"forget", "take_back", "mute", "none"}
    wrong = [
        row["text"]
        for row in rows
        if row["kind"] not in kinds
        or any(one not in row["text"] for one in _named(row))
        or (row["kind"] == "none" and any(_named(row)))
    ]
    repeated = [text for text, count in Counter(row["text"] for row in rows).items() if count > 1]
    assert (wrong, repeated) == ([], [])
