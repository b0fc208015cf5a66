"""Databases as earlier versions of the schema left them, with rows in every table they had.

In: a folder and a version. Out: the file. `ROWS` is written once with its version and never changed
after a release: it is what users' databases hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from smartbrain.adapters.sqlite.migrate import APPLICATION_ID, BASELINE, Migration, migrations
from smartbrain.adapters.sqlite.truth import DATABASE

ALL: tuple[Migration, ...] = migrations()
NEWEST = ALL[-1].number
ROWS = {
    BASELINE: """
INSERT INTO tenant (id, name, seq, created_at) VALUES (1, '租户', 1, 1773048600000000);
INSERT INTO changes VALUES (1, 'session', 1, 'upsert'), (1, 'turn', 1, 'upsert');
INSERT INTO nodes VALUES (1, 'raw_1', 'Raw'), (2, 'raw_2', 'Raw');
INSERT INTO raw_chunks VALUES (1, 'a1', 15, 'text/plain', CAST('我住在上海' AS BLOB), NULL, 'hot',
  2, 1773048600000000);
INSERT INTO raw_chunks VALUES (2, 'a2', 9000, 'text/plain', NULL, 'raw/2026/03/09/a2/raw_a2.zst',
  'cold', 1, 1773048600000000);
INSERT INTO sessions VALUES (1, '会话', 1773048600000000, 1773048600000000, NULL, 1);
INSERT INTO turns VALUES (1, 'turn-1', 1, 1, 1773048600000001, 28800, 'run-1', NULL, 'hash',
  '{"facts":[{"值":1}]}', 1773048600000002);
INSERT INTO messages VALUES (1, 0, 'm-1', 'user', '小明', 'x-1', NULL, '{"语言":"zh"}',
  '[[1,0,15]]');
INSERT INTO messages VALUES (1, 1, 'm-2', 'assistant', NULL, NULL, 'model', '{}', '[[1,0,6]]');
INSERT INTO tool_calls VALUES (1, 0, 'c-1', 'call', 'shell', '["ls"]', 'error', -9, 0,
  '[[2,0,9000]]', '[]', '[]', '小狗');
INSERT INTO refs VALUES (1, 0, 'r-1', 'url', 'https://例子.测试', '{"t":"标题"}');
INSERT INTO operations VALUES (1, 'op-1', 'put', '{"k":"值"}', 1773048600000000, 0, 'user', 'hash',
  1773048600000000);
INSERT INTO idempotency_keys VALUES ('键', 'body', '{"turn_id":"turn-1"}', 1773048600000000);
INSERT INTO nodes VALUES (3, 'mem-1', 'Memory'), (4, 'mem-2', 'Memory');
INSERT INTO memories (num, type, key, version, status, title, text, value, confidence,
  source_turn_id, source_message_id, source_operation_id, said_at, utc_offset, evidence_refs,
  raw_refs, keywords, entities, tags, valence, arousal, importance, frequency, pii, scope, creator,
  creator_version, layer, compression, created_at, updated_at)
VALUES
  (3, 'facts', 'fact:用户:城市', 1, 'superseded', '城市', '住在上海', '{"value":"上海"}', 0.5,
  'turn-1', 'm-1', NULL, 1773048600000001, 28800, '["turn:1"]', '[[1,0,15]]', '["上海"]', '[]',
  '[]', 0.0, 0.0, 0.5, 1, 0, 'private', 'smartbrain', 1, 'short', 'raw',
  1773048600000002, 1773048600000002),
  (4, 'facts', 'fact:用户:城市', 2, 'active', '城市', '住在北京', '{"value":"北京"}', 1.0, NULL,
  NULL, 'op-1', 1773048600000009, 0, '[]', '[]', '[]', '[]', '["put"]', 0.0, 0.0,
  0.5, 1, 1, 'team', 'user', 2, 'long', 'phase', 1773048600000009, 1773048600000009);
UPDATE memories SET session = 1, seq = 1, speaker = '小明' WHERE num = 3;
INSERT INTO chunks VALUES (4, 0, 'chunk-1', '[facts:fact:用户:城市] 北京');
INSERT INTO edges VALUES (1, 'edge-1', 3, 4, 'VERSION_NEXT', 1.0, 1.0, NULL, NULL, 'smartbrain', 1,
  'hot', '{}', 1773048600000009, 1773048600000009, NULL);
INSERT INTO tombstones VALUES ('rejected', '指纹', 'mem-0', '不是事实', 1773048600000009);
INSERT INTO working_state VALUES (1, 'tenant', 'pin', 'pin-1', '{"标题":1}', 1773048600000009,
  1773048600000009, NULL);
INSERT INTO jobs VALUES (1, 'job-1', 'decay', '{}', 'queued', 0, NULL, NULL, NULL, NULL,
  1773048600000009, 1773048600000009);
INSERT INTO audit VALUES (1, 1773048600000009, 'user', 'add', 'pin', 'pin-1', NULL, '{}', '因为');
INSERT INTO traces VALUES ('ctx-1', '会话', 1773048600000009, '{"kept":3}');
INSERT INTO embeddings VALUES (1, '向量 e', 'model-1', 2, 1773048600000009);
INSERT INTO vectors VALUES (4, 1, x'0000003f000080bf');
INSERT INTO explanations VALUES (1, 'turn-1', '{"因":1}', 1773048600000009);
INSERT INTO steps VALUES (2, 1, 'commit', 1, 'hash', NULL, '{"messages":1,"tool_calls":["c-1"]}',
  1773048600000009);
INSERT INTO withheld VALUES (1, 'm-1', '{"cuts":[[0,7,"小明@例子.测试"]]}');
INSERT INTO claims (id, grp, type, subject, relation, attribute, value, say, due, scope, topic,
  because, fields, detail, text, turn_id, session_id, place, message, message_id, start, length,
  spans, said_at, utc_offset, speaker, source, reader, rule, confidence, certainty, pii, status,
  memory)
VALUES ('clm-1', 'facts:用户:城市', 'facts', '用户', 'self', '城市', '"上海"', 'assert', '', '', '',
  '', '{"value":"上海"}', '{}', '住在上海', 'turn-1', '会话', 1, 0, 'm-1', 0, 4, '[[1,0,15]]',
  1773048600000001, 28800, '小明', 'user', 'finders/1', 'facts.is', 0.8, 1.0, 0, 'counted',
  'mem-1');
""",
    BASELINE + 1: """
INSERT INTO forgettings VALUES (1, 'op-1', 'hidden', 1773048600000009, '["上海"]', '[]', x'00',
  '{"id":"op-1","state":"hidden","asked_at":"2026-03-09T09:30:00Z"}');
INSERT INTO closed_claims VALUES ('clm-0', 'op-1', 'grp', 'val', 'facts', 'city',
  1773048600000001, 1, 1773048600000009);
INSERT INTO forgetting_key VALUES (1, x'0102');
""",
    BASELINE + 2: """
INSERT INTO memory_events VALUES (1, 'NodeCreated', 'mem-1', 'facts', 'active', 1773048600000001);
INSERT INTO event_readers VALUES ('webhook:all', 1, 0, 0);
""",
    BASELINE + 3: "",
    BASELINE + 4: """
INSERT INTO traces VALUES ('ctx-2', '会话', 1773048600000009, x'78da');
""",
}


def build(folder: Path, version: int, *, rows: bool = True) -> None:
    """Make a database as that version of the schema had it."""
    with opened(folder) as connection:
        connection.pragma("journal_mode", "wal")
        connection.execute("BEGIN")
        for step in ALL:
            if step.number > version:
                break
            connection.execute(step.sql)
            if rows:
                connection.execute(ROWS[step.number])
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", version)
        connection.execute("COMMIT")


@contextmanager
def opened(folder: Path) -> Iterator[apsw.Connection]:
    """Open the database with nothing of ours around it."""
    connection = apsw.Connection(str(folder / DATABASE))
    try:
        yield connection
    finally:
        connection.close()


def schema_of(connection: apsw.Connection) -> list[tuple[Any, ...]]:
    """Return everything that the schema is made of."""
    return sorted(
        connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema")
    )


def contents_of(connection: apsw.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of every table of ours."""
    names = [
        row[0]
        for row in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    return {name: list(connection.execute(f"SELECT * FROM {name}")) for name in sorted(names)}


def looked_at(folder: Path) -> tuple[int, list[Any], dict[str, Any]]:
    """Return version, schema and rows of a database."""
    with opened(folder) as connection:
        version = connection.pragma("user_version")
        return version, schema_of(connection), contents_of(connection)
