"""The checks of a database: each finding is provoked by one kind of damage, and only by damage."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from smartbrain.adapters.sqlite.truth import DATABASE, JSON_COLUMNS, SqliteTruth
from smartbrain.domain.claim import Claim
from smartbrain.domain.forgetting import ForgetReceipt, ForgetState, Forgetting
from smartbrain.domain.memory import Status
from smartbrain.domain.replay import Step
from smartbrain.domain.status import Finding, Severity
from smartbrain.errors import AdapterError
from smartbrain.testing import builders
from smartbrain.testing.clock import START, FakeClock

KEY = bytes(range(32))
FIRST, SECOND = builders.raw_chunk("第一段 first"), builders.raw_chunk("second 第二段")
CALL = builders.tool_call("c", SECOND, stdout_spans=(builders.span(SECOND),))
TURN = builders.turn("会话", 1, [FIRST, FIRST], tool_calls=(CALL,), refs=(builders.ref(),))
MEMORY = builders.memory(
    source_turn_id=TURN.id,
    raw_refs=(builders.span(FIRST),),
    evidence_refs=("证",),
    keywords=("词",),
    entities=("e",),
    tags=("t",),
)
CLAIM = Claim(
    id="clm_1",
    group="facts:user:city",
    type="facts",
    attribute="city",
    value="上海",
    scope="p",
    topic="t",
    because="b",
    when="2026-03-12",
    text="我住在上海",
    turn_id=TURN.id,
    session_id="会话",
    message_id=TURN.messages[0].id,
    spans=(builders.span(FIRST),),
    speaker="小明",
    reader="finders/1",
    rule="r",
    said_at=START,
)


def open_truth(folder: Path, key: bytes | None = None) -> SqliteTruth:
    return SqliteTruth(folder, tenant="t", clock=FakeClock(), key=key)


def fill(truth: SqliteTruth) -> None:
    """Write something into every table."""
    with truth.write() as transaction:
        builders.store_turn(transaction, TURN, [FIRST, FIRST, SECOND, SECOND])
        transaction.memories.add([MEMORY])
        transaction.claims.add([CLAIM])
        transaction.claims.assign({CLAIM.id: MEMORY.id})
        transaction.memories.put_chunks({MEMORY.id: ["上海 Shanghai"]})
        space = transaction.vectors.open("e", "model", 2, START)
        numbers = transaction.followed.numbers([MEMORY.id])
        transaction.vectors.put(space.num, {numbers[MEMORY.id]: bytes(8)})
        transaction.edges.add([builders.edge(MEMORY.id, FIRST.id)])
        transaction.ledger.add_operation(builders.operation())
        transaction.ledger.keep_reply("键", "h", {"n": 1}, builders.START)
        transaction.remembering.keep_explanation(TURN.id, {"为": 1}, builders.START)
        transaction.replayed.add_step(Step(turn_id=TURN.id, created_at=builders.START))
        transaction.ledger.add_audit(builders.audit_entry(before={}, after={"新": 1}))
        transaction.ledger.add_tombstone(builders.tombstone())
        transaction.working.put_state(builders.state_entry())
        transaction.working.put_job(builders.job(result={"ok": True}))
        transaction.working.put_trace(builders.trace())
        receipt = ForgetReceipt(id="f-1", state=ForgetState.HIDDEN, asked_at=START)
        transaction.forgettings.add(Forgetting(receipt=receipt, words=("北京",)), b"undo")
        transaction.forgettings.close_claims("f-1", [CLAIM], START)
        transaction.memory_events.claim("webhook:all", now=0, until=0)


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[SqliteTruth]:
    opened = open_truth(tmp_path)
    fill(opened)
    yield opened
    opened.close()


def damaged_by(folder: Path, sql: str) -> list[Finding]:
    """Damage a database with SQL that no rule holds back, and return what the checks find."""
    connection = apsw.Connection(str(folder / DATABASE))
    connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;")
    connection.execute(sql).fetchall()
    connection.close()
    truth = open_truth(folder)
    findings = truth.check()
    truth.close()
    return findings


def verdict(folder: Path, key: bytes | None = None) -> set[str]:
    """Return what is said of a database, whether it opens or not."""
    try:
        truth = open_truth(folder, key)
    except AdapterError as error:
        return {error.code}
    try:
        return {finding.code for finding in truth.check()}
    except AdapterError as error:
        return {error.code}
    finally:
        truth.close()


def test_a_healthy_database_has_no_finding(truth: SqliteTruth) -> None:
    """Rows in every table, and nothing to say about them."""
    assert 0 not in truth.counts().values()
    assert [] == truth.check()


def test_a_released_and_dropped_chunk_leaves_no_finding(truth: SqliteTruth) -> None:
    """Counts that went up and down again are as right as those that never moved."""
    extra = builders.raw_chunk("临时")
    with truth.write() as transaction:
        transaction.raw.hold([extra, extra, FIRST])
        transaction.raw.release([FIRST.id, extra.id, extra.id])
        transaction.raw.drop_unheld()
    assert [] == truth.check()


@pytest.mark.parametrize(
    ("code", "subject", "damage"),
    [
        ("held_count", FIRST.id, "UPDATE raw_chunks SET held = held + 1 WHERE num = 1"),
        ("held_count", SECOND.id, "UPDATE raw_chunks SET held = 0 WHERE num = 2"),
        ("held_count", FIRST.id, "DELETE FROM messages WHERE ordinal = 1"),
        ("held_count", SECOND.id, "UPDATE tool_calls SET stdout_spans = '[]'"),
        ("span_outside", "1", "UPDATE memories SET raw_refs = '[[1,0,9999]]'"),
        ("span_outside", "1", "UPDATE memories SET raw_refs = '[[1,-1,2]]'"),
        ("span_outside", "1", "UPDATE memories SET raw_refs = '[[1,3,-2]]'"),
        ("span_outside", "99", "UPDATE memories SET raw_refs = '[[99,0,1]]'"),
        ("span_outside", "None", "UPDATE memories SET raw_refs = '[\"无\"]'"),
        ("span_outside", "1", "UPDATE messages SET spans = '[[1,5,9999]]' WHERE ordinal = 0"),
        ("node_unowned", "mem-lost", "INSERT INTO nodes (id, kind) VALUES ('mem-lost', 'Memory')"),
        ("turn_count", "会话", "UPDATE sessions SET turns = 7"),
        ("turn_count", "会话", "UPDATE sessions SET turns = 0"),
        ("memory_place", MEMORY.id, "UPDATE memories SET seq = 7"),
        ("memory_place", MEMORY.id, "UPDATE memories SET session = NULL"),
        ("memory_place", MEMORY.id, "UPDATE memories SET speaker = '李四'"),
        ("change_ahead", "9", "INSERT INTO changes VALUES (9, 'turn', 1, 'upsert')"),
        ("tenant_row", "tenant", "DELETE FROM tenant"),
        ("foreign_key", "chunks row None", "UPDATE chunks SET memory = 77"),
        ("foreign_key", "edges row 1", "UPDATE edges SET dst = 88"),
        ("bad_json", "memories.value", "UPDATE memories SET value = '{\"上海'"),
        ("corrupt", "CHECK constraint failed in raw_chunks", "UPDATE raw_chunks SET length = -1"),
    ],
)
@pytest.mark.spec("E5")
def test_damage_is_found_and_named(
    truth: SqliteTruth, tmp_path: Path, code: str, subject: str, damage: str
) -> None:
    """The finding has its code, what it is about, a sentence and a remedy."""
    truth.close()
    findings = damaged_by(tmp_path, damage)
    assert {code} == {finding.code for finding in findings}
    assert subject in {finding.subject for finding in findings}
    assert {Severity.ERROR} == {finding.severity for finding in findings}
    assert all(finding.sentence and "backup" in finding.remedy for finding in findings)


@pytest.mark.spec("M4")
def test_two_active_versions_are_found(truth: SqliteTruth, tmp_path: Path) -> None:
    """Should they get past the index, the checks tell."""
    with truth.write() as transaction:
        transaction.memories.add(
            [builders.memory(version=2, source_turn_id=TURN.id, status=Status.EXPIRED)]
        )
    truth.close()
    change = "UPDATE sqlite_schema SET sql = replace(sql, {}) WHERE name = 'memories_one_active';"
    findings = damaged_by(
        tmp_path,
        "PRAGMA writable_schema = ON;"
        + change.format("'UNIQUE ', ''")
        + "PRAGMA writable_schema = RESET;"
        "UPDATE memories SET status = 'active';"
        "PRAGMA writable_schema = ON;" + change.format("'CREATE ', 'CREATE UNIQUE '"),
    )
    assert [("corrupt", "non-unique entry in index memories_one_active")] == [
        (finding.code, finding.subject) for finding in findings
    ]


def test_every_column_of_json_is_checked(truth: SqliteTruth, tmp_path: Path) -> None:
    """Each column that holds JSON in a filled database is found when it no longer does."""
    connection = apsw.Connection(str(tmp_path / DATABASE))
    holding = []
    for table in truth.counts():
        for _, column, kind, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
            texts = connection.execute(f"SELECT {column} FROM {table}").fetchall()
            if kind == "TEXT" and all(text and text[0] in '[{"' for (text,) in texts):
                holding.append((table, column))
    connection.close()
    truth.close()
    listed = [(table, column) for table, columns in JSON_COLUMNS for column in columns]
    assert sorted(holding) == sorted(listed)
    for table, column in listed:
        folder = tmp_path / f"{table}.{column}"
        folder.mkdir()
        shutil.copy(tmp_path / DATABASE, folder)
        findings = damaged_by(folder, f"UPDATE {table} SET {column} = '坏'")
        assert [("bad_json", f"{table}.{column}")] == [(one.code, one.subject) for one in findings]


@pytest.mark.spec("E5")
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_damaged_pages_are_found_or_refused(tmp_path: Path, key: bytes | None) -> None:
    """A page of rubbish anywhere in the file never passes as a healthy database."""
    truth = open_truth(tmp_path, key)
    fill(truth)
    truth.close()
    whole = (tmp_path / DATABASE).read_bytes()
    pages = len(whole) // 4096
    for page in range(pages):
        rubbish = bytes([page % 251 + 1]) * 4096
        damaged = whole[: page * 4096] + rubbish + whole[(page + 1) * 4096 :]
        (tmp_path / DATABASE).write_bytes(damaged)
        assert (page, {"corrupt"}) == (page, verdict(tmp_path, key))
    assert pages > 20


@pytest.mark.spec("E5")
def test_a_cut_off_file_is_found_or_refused(truth: SqliteTruth, tmp_path: Path) -> None:
    """Half of a database is not a small one."""
    truth.close()
    whole = (tmp_path / DATABASE).read_bytes()
    for size in (100, 4096, len(whole) // 2, len(whole) - 4096):
        (tmp_path / DATABASE).write_bytes(whole[:size])
        assert (size, {"corrupt"}) == (size, verdict(tmp_path))
