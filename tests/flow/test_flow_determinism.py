"""The same turns at the same times give the same bytes, whatever the machine's clock says.

In: one script of commits, run twice with a fake clock and seeded entropy. Out: equal rows in every
table, equal files, equal results; and no instant that the fake clock did not give.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flow_builders import assistant, column_names, fake_brain, table_rows, user

from smartbrain import SmartBrain
from smartbrain.domain.result import CommitResult
from smartbrain.domain.time import to_micros

LONG = "".join(
    f"{n}. The driver did not start, and there was nothing in the log; 蓝牙驱动没有启动。\n\n"
    for n in range(500)
)
YEAR = (to_micros(datetime(2001, 1, 1, tzinfo=UTC)), to_micros(datetime(2002, 1, 1, tzinfo=UTC)))
INSTANTS = re.compile(r"(?:.*_)?(?:at|since|until)|last_access|run_after")


def run(brain: SmartBrain) -> list[CommitResult]:
    """Commit what a short life brings: tools, steps, repeats, an end, a second session."""
    results = [
        brain.commit_turn("会话", [user("以后都用中文。"), assistant("好的。")]),
        brain.commit_turn(
            "会话",
            {
                "messages": [user(LONG, id="m1", meta={"b": 1, "a": [2, {"d": 3, "c": 4}]})],
                "tool_calls": [
                    {"id": "c1", "name": "log", "args": {"z": 1, "a": 2}, "stdout": LONG},
                    {"name": "json", "result": {"y": [1.5, None], "x": True}, "exit_code": 1},
                ],
                "refs": [{"ref_type": "url", "ref_uri": "https://example.com/蓝牙"}],
                "tasks": [{"key": "task:SmartBot:发布", "title": "发布", "due": "2001-12-01"}],
                "mood": 1,
            },
            idempotency_key="k1",
            run_id="run",
        ),
    ]
    step = {"messages": [user(LONG, id="m1"), assistant("done")], "decisions": []}
    results.append(brain.commit_turn("会话", step, turn_id=results[-1].turn_id))
    brain.sessions.end("会话")
    results.append(brain.commit_turn("second", [user("以后都用中文。")], idempotency_key="k2"))
    results.append(brain.commit_turn("second", [user("以后都用中文。")], idempotency_key="k2"))
    return results


def files(root: Path) -> dict[str, bytes]:
    """Return the raw files of a root by their path."""
    found = sorted((root / "tenants").rglob("*.zst"))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


@pytest.mark.spec("S1", "E1")
def test_the_same_turns_give_the_same_bytes(tmp_path: Path) -> None:
    """Rows of every table, raw files and results do not differ by a byte."""
    seen = []
    for name in ("one", "二"):
        root = tmp_path / name
        with fake_brain(root) as brain:
            results = [result.to_dict() for result in run(brain)]
        rows = table_rows(root / "tenants" / "t" / "brain.db")
        seen.append((results, rows, files(root)))
    (first, rows, raw), (second, other_rows, other_raw) = seen
    assert first == second
    assert list(rows) == list(other_rows)
    for table in rows:
        assert rows[table] == other_rows[table], table
    assert raw == other_raw
    empty = {table for table, found in rows.items() if not found}
    written = {
        "changes", "chunks", "edges", "idempotency_keys", "memories", "messages", "nodes",
        "raw_chunks", "refs", "sessions", "tenant", "tool_calls", "turns",
    }  # fmt: skip
    assert set() == written & empty
    assert len(raw) > 1


@pytest.mark.spec("S1")
def test_other_entropy_changes_the_random_ids_alone(tmp_path: Path) -> None:
    """With another seed the texts, times and counts are the same, the turns' ids are not."""
    seen = []
    for seed in (1, 2):
        with fake_brain(tmp_path / str(seed), seed=seed) as brain:
            run(brain)
            turns = brain.sessions.turns("会话")
            seen.append(
                (
                    {turn.id for turn in turns},
                    [[message.content for message in turn.messages] for turn in turns],
                    [turn.at for turn in turns],
                    brain.status().rows,
                )
            )
    assert seen[0][0].isdisjoint(seen[1][0])
    assert seen[0][1:] == seen[1][1:]


def instants(root: Path) -> Iterator[tuple[str, int]]:
    """Yield every instant that a tenant's database holds, with its table and column."""
    database = root / "tenants" / "t" / "brain.db"
    for table, rows in table_rows(database).items():
        columns = column_names(database, table)
        for row in rows:
            for column, value in zip(columns, row, strict=True):
                if INSTANTS.fullmatch(column) and value is not None:
                    yield f"{table}.{column}", value


def texts(value: Any) -> Iterator[str]:
    """Yield every text in some rows."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


@pytest.mark.spec("S1")
def test_nothing_is_dated_by_the_machine_s_clock(tmp_path: Path) -> None:
    """A brain that lives in 2001 stores no other year: instants, ids, dates in text, folders."""
    with fake_brain(tmp_path) as brain:
        results = run(brain)
    found = list(instants(tmp_path))
    assert {"turns.at", "turns.created_at", "memories.said_at", "sessions.last_at"} < {
        name for name, _ in found
    }
    assert {"edges.created_at", "raw_chunks.stored_at", "idempotency_keys.created_at"} < {
        name for name, _ in found
    }
    assert [] == [(name, at) for name, at in found if not YEAR[0] <= at < YEAR[1]]
    rows = table_rows(tmp_path / "tenants" / "t" / "brain.db")
    dates = {
        date
        for text in texts(list(rows.values()))
        for date in re.findall(r"\b(?:19|20)\d\d-\d\d-\d\d\b", text)
    }
    assert {"2001-05-17", "2001-12-01"} == dates
    stamps = {UUID(row[1]).int >> 80 for row in rows["turns"]}
    stamps |= {UUID(artifact.id).int >> 80 for one in results for artifact in one.artifacts}
    assert [] == [one for one in stamps if not YEAR[0] <= one * 1000 < YEAR[1]]
    assert {"2001/05/17"} == {"/".join(path.split("/")[3:6]) for path in files(tmp_path)}
