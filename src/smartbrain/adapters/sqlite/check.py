"""What can be wrong inside a database, each as a query that should return nothing.

In: how to run a query in a reading transaction. Out: findings, empty when all is well. What lies
outside the database (blobs, keys) is checked by the doctor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import apsw

from smartbrain.domain.health import Finding, Severity

Execute = Callable[..., apsw.Cursor]
"""Runs a query on a connection."""

# Every span of an event as (raw chunk number, offset, length).
_USES: Final = (
    "WITH lists (spans) AS (SELECT spans FROM messages"
    " UNION ALL SELECT result_spans FROM tool_calls UNION ALL SELECT stdout_spans FROM tool_calls"
    " UNION ALL SELECT stderr_spans FROM tool_calls{more}),"
    " parts (span) AS (SELECT CASE e.type WHEN 'array' THEN e.value END"
    " FROM lists, json_each(lists.spans) AS e),"
    " uses (num, start, size) AS (SELECT span ->> 0, span ->> 1, span ->> 2 FROM parts) "
)

# Every column that holds JSON, by its table.
JSON_COLUMNS: Final = (
    ("turns", ("proposals",)),
    ("messages", ("meta", "spans")),
    ("tool_calls", ("args", "result_spans", "stdout_spans", "stderr_spans")),
    ("refs", ("ref_meta",)),
    ("operations", ("input",)),
    ("idempotency_keys", ("result",)),
    ("explanations", ("body",)),
    ("steps", ("parts",)),
    ("memories", ("value", "evidence_refs", "raw_refs", "keywords", "entities", "tags")),
    ("claims", ("value", "fields", "detail", "spans")),
    ("edges", ("attrs",)),
    ("working_state", ("body",)),
    ("jobs", ("payload", "result")),
    ("audit", ("before", "after")),
    ("traces", ("body",)),
    ("withheld", ("was",)),
)

# (code, what is wrong, query that names the offenders)
_QUERIES: Final = (
    (
        "held_count",
        "a raw chunk's count differs from the number of rows that hold it",
        _USES.format(more="") + "SELECT n.id FROM raw_chunks r JOIN nodes n ON n.num = r.num"
        " LEFT JOIN (SELECT num, count(*) AS times FROM uses GROUP BY num) u ON u.num = r.num"
        " WHERE r.held <> coalesce(u.times, 0)",
    ),
    (
        "span_outside",
        "a span leaves its raw chunk or names none",
        _USES.format(
            more=" UNION ALL SELECT raw_refs FROM memories UNION ALL SELECT spans FROM claims"
        )
        + "SELECT u.num FROM uses u LEFT JOIN raw_chunks r ON r.num = u.num"
        " WHERE r.num IS NULL OR u.start < 0 OR u.size < 0 OR u.start + u.size > r.length",
    ),
    (
        "node_unowned",
        "a node is neither a memory nor a raw chunk",
        "SELECT n.id FROM nodes n WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.num = n.num)"
        " AND NOT EXISTS (SELECT 1 FROM raw_chunks r WHERE r.num = n.num)",
    ),
    (
        "claim_of_nothing",
        "a claim is part of a memory that does not exist",
        "SELECT c.id FROM claims c WHERE c.memory IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM nodes n JOIN memories m USING (num) WHERE n.id = c.memory)",
    ),
    (
        "turn_count",
        "a session's number of turns is wrong",
        "SELECT s.id FROM sessions s WHERE s.turns <>"
        " (SELECT count(*) FROM turns t WHERE t.session = s.num)",
    ),
    (
        "memory_place",
        "a memory has another place or speaker than the turn and the message it is read from",
        "SELECT n.id FROM memories m JOIN nodes n ON n.num = m.num"
        " LEFT JOIN turns t ON t.id = m.source_turn_id"
        " LEFT JOIN messages x ON x.id = m.source_message_id"
        " WHERE (m.session, m.seq, m.speaker) IS NOT (t.session, t.seq, coalesce(x.name, x.role))",
    ),
    (
        "change_ahead",
        "the change log is ahead of its own counter",
        "SELECT seq FROM changes WHERE seq > (SELECT seq FROM tenant) LIMIT 1",
    ),
    (
        "tenant_row",
        "the tenant's own row is missing",
        "SELECT 'tenant' WHERE NOT EXISTS (SELECT 1 FROM tenant)",
    ),
)


def check_database(execute: Execute) -> list[Finding]:
    """Return everything that is wrong: pages first, for nothing else can be trusted then."""
    damaged = [
        _finding("corrupt", "the database is damaged", str(row[0]))
        for row in execute("PRAGMA integrity_check(20)")
        if row[0] != "ok"
    ]
    if damaged:
        return damaged
    unreadable = [
        _finding("bad_json", "stored values are no JSON", f"{table}.{column}")
        for table, columns in JSON_COLUMNS
        for column in columns
        if execute(f"SELECT 1 FROM {table} WHERE NOT json_valid({column}) LIMIT 1").get
    ]
    if unreadable:
        return unreadable
    found = [
        _finding("foreign_key", "a row refers to one that does not exist", f"{row[0]} row {row[1]}")
        for row in execute("PRAGMA foreign_key_check")
    ]
    for code, sentence, query in _QUERIES:
        found += [_finding(code, sentence, str(row[0])) for row in execute(query)]
    return found


def _finding(code: str, sentence: str, subject: str) -> Finding:
    """Build an error finding with the one remedy there is for a damaged truth."""
    return Finding(Severity.ERROR, code, sentence, subject, "restore the tenant from a backup")
