"""Public data sets as memories and questions: read, committed turn by turn, kept for the next run.

In: the folder that SMARTBRAIN_DATA names. Out: documents in the order in which they were said, with
questions and the documents that answer them; and a brain that holds them, each document a turn. A
brain that is kept is used again as it lies there: delete it when the write path has changed.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = Path(os.environ.get("SMARTBRAIN_DATA", SHARED / "data"))
ROLES = ("user", "assistant")
TENANT = "default"
SAID = datetime(2024, 1, 1, 9, 0, tzinfo=UTC)  # where a data set tells no times
_FORMS = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M")
_TURNS = "turns.json"


@dataclass(frozen=True, slots=True)
class Document:
    """Something that was said: where, when, and the message as a caller hands it in."""

    id: str
    tenant: str
    session: str
    at: datetime
    message: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, when it was asked if that is known, and the documents that answer it."""

    id: str
    tenant: str
    text: str
    category: str
    at: datetime | None
    right: frozenset[str]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set as memory is given it; `after` is when all of it had been said."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]

    @property
    def tenants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.tenant for one in self.documents))

    @property
    def after(self) -> datetime:
        return max(one.at for one in self.documents) + timedelta(days=1)


def read(name: str, most: int | None = None) -> DataSet:
    """Read a data set, with at most so many of its questions, spread over all of them."""
    documents = [_document(number, row) for number, row in enumerate(_rows(name, "corpus"))]
    right: dict[str, set[str]] = defaultdict(set)
    for row in _rows(name, "qrels"):
        right[row["query_id"]].add(row["doc_id"])
    questions = [
        Question(
            row["id"],
            row.get("scope", TENANT),
            row["text"],
            row["category"],
            time_of(row),
            frozenset(right[row["id"]]),
        )
        for row in _rows(name, "queries")
        if row["id"] in right
    ]
    if most is not None:
        questions = questions[:: max(1, len(questions) // most)][:most]
    documents.sort(key=lambda one: one.at)  # what was said at the same time keeps its order
    return DataSet(name, tuple(documents), tuple(questions))


def message_of(row: Mapping[str, Any]) -> dict[str, str]:
    """Return a document as a message; whoever is neither user nor assistant is a named user."""
    speaker = row.get("speaker") or "user"
    text = row["text"].removeprefix(f"{speaker}: ")
    if speaker in ROLES:
        return {"role": speaker, "content": text}
    return {"role": "user", "name": speaker, "content": text}


def time_of(row: Mapping[str, Any]) -> datetime | None:
    """Return when something was said or asked, as far as the data set tells."""
    for form in _FORMS:
        try:
            return datetime.strptime(row.get("ts") or "", form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def build(data: DataSet, folder: Path) -> dict[str, str]:
    """Commit a data set into the brain of a folder unless it is there; return documents by turn."""
    kept = folder / _TURNS
    if kept.exists():
        found: dict[str, str] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    shutil.rmtree(folder, ignore_errors=True)  # what an interrupted run has left
    clock = FakeClock(SAID)
    turns: dict[str, str] = {}
    with SmartBrain.open(folder, data.tenants[0], clock=clock) as brain:
        handles = {name: brain.tenant(name) for name in data.tenants}
        for one in data.documents:
            clock.now = one.at
            events = {"messages": [dict(one.message)], "at": one.at.isoformat()}
            turns[handles[one.tenant].commit_turn(one.session, events).turn_id] = one.id
    kept.write_text(json.dumps(turns), encoding="utf-8")
    return turns


def _document(number: int, row: Mapping[str, Any]) -> Document:
    """Return a row of a corpus; one outside of any conversation has a session of its own."""
    return Document(
        row["id"],
        row.get("scope", TENANT),
        row.get("session") or f"document {row['id']}",
        time_of(row) or SAID + timedelta(minutes=number),
        message_of(row),
    )


def _rows(name: str, part: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / name / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
