"""Forgettings, their receipts and what closed claims leave, as rows.

Implements `ports.forgettings.Forgettings`. The key lies in the database, encrypted where that is.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

import apsw
import msgspec

from smartbrain.adapters.sqlite.erasure import VIEWED
from smartbrain.adapters.sqlite.rows import LISTED, Repository, Row, RowForm, nums_json, texts_json
from smartbrain.domain.change import ChangeOp
from smartbrain.domain.claim import Claim
from smartbrain.domain.forgetting import ClosedClaim, ForgetReceipt, ForgetState, Forgetting
from smartbrain.domain.record import canonical_json
from smartbrain.domain.time import to_micros
from smartbrain.errors import NotFound

_CLOSED: Final = RowForm(
    ClosedClaim, "claim value type attribute said_at place forgotten_at forgetting"
)
_ROWS: Final = "SELECT receipt, words, paths FROM forgettings "


class SqliteForgettings(Repository):
    """What was forgotten, and when."""

    def add(self, forgetting: Forgetting, undo: bytes | None) -> None:
        receipt = forgetting.receipt
        due = to_micros(receipt.due_at or receipt.asked_at)
        self._execute(
            "INSERT INTO forgettings (id, state, due_at, words, paths, undo, receipt)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (receipt.id, receipt.state.value, due, texts_json(forgetting.words))
            + (texts_json(forgetting.paths), undo, _encoded(receipt)),
        )

    def update(self, receipt: ForgetReceipt) -> None:
        self._execute(
            "UPDATE forgettings SET state = ?1, receipt = ?2 WHERE id = ?3",
            (receipt.state.value, _encoded(receipt), receipt.id),
        )
        if receipt.state is not ForgetState.HIDDEN:
            self._execute(
                "UPDATE forgettings SET words = '[]', undo = NULL WHERE id = ?", (receipt.id,)
            )
        if receipt.state in (ForgetState.ERASED, ForgetState.TAKEN_BACK):
            self._execute("UPDATE forgettings SET paths = '[]' WHERE id = ?", (receipt.id,))
        if receipt.state is ForgetState.TAKEN_BACK:
            self._execute("DELETE FROM closed_claims WHERE forgetting = ?", (receipt.id,))
            self._execute("DELETE FROM tombstones WHERE subject_id = ?", (receipt.id,))

    def get(self, forgetting_id: str) -> Forgetting | None:
        rows = [*self._execute(_ROWS + "WHERE id = ?", (forgetting_id,))]
        return _forgetting(rows[0]) if rows else None

    def receipts(self, last: int | None = None) -> list[ForgetReceipt]:
        rows = self._execute(
            "SELECT receipt FROM (SELECT num, receipt FROM forgettings ORDER BY num DESC LIMIT ?)"
            " ORDER BY num",
            (-1 if last is None else last,),
        )
        return [msgspec.json.decode(row[0], type=ForgetReceipt) for row in rows]

    def waiting(self, due: datetime | None = None) -> list[Forgetting]:
        rows = self._execute(
            _ROWS + "WHERE state IN ('hidden', 'erasing') AND due_at <= ? ORDER BY num",
            (2**62 if due is None else to_micros(due),),
        )
        return [_forgetting(row) for row in rows]

    def fingerprints(self, texts: Iterable[str]) -> list[str]:
        key = self._key()
        return [hmac.digest(key, one.encode(), sha256).hex()[:32] for one in texts]

    def close_claims(self, forgetting_id: str, claims: Sequence[Claim], at: datetime) -> None:
        groups = self.fingerprints(claim.group for claim in claims)
        values = self.fingerprints(_value(claim) for claim in claims)
        self._connection.executemany(
            "INSERT OR REPLACE INTO closed_claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (claim.id, forgetting_id, group, value, claim.type, claim.attribute)
                + (to_micros(claim.said_at), claim.place, to_micros(at))
                for claim, group, value in zip(claims, groups, values, strict=True)
            ],
        )

    def closed(self, groups: Iterable[str]) -> list[ClosedClaim]:
        if not self._execute("SELECT 1 FROM closed_claims LIMIT 1").get:
            return []
        wanted = list(groups)
        named = dict(zip(self.fingerprints(wanted), wanted, strict=True))
        rows = self._execute(
            f"SELECT grp, {_CLOSED.columns} FROM closed_claims WHERE grp {LISTED} ORDER BY claim",
            (texts_json(named),),
        )
        return [_CLOSED.read(row[1:], group=named[row[0]]) for row in rows]

    def forgotten(self, claims: Sequence[Claim]) -> set[str]:
        left: dict[tuple[str, str], datetime] = {}
        for one in self.closed({claim.group for claim in claims}):
            key = (one.group, one.value)
            left[key] = max(left.get(key, one.forgotten_at), one.forgotten_at)
        if not left:
            return set()
        values = self.fingerprints(_value(claim) for claim in claims)
        found = set()
        for claim, value in zip(claims, values, strict=True):
            at = left.get((claim.group, value))
            if at is not None and not (claim.is_users and claim.said_at > at):
                found.add(claim.id)
        return found

    def take_back(self, forgetting_id: str) -> None:
        changes = self._execute(
            "SELECT undo FROM forgettings WHERE id = ? AND state = 'hidden'", (forgetting_id,)
        ).get
        if changes is None:
            raise NotFound(f"there is nothing hidden of {forgetting_id!r} to take back")
        self._execute("PRAGMA defer_foreign_keys = ON").fetchall()
        touched: dict[str, set[int]] = {}
        for change in apsw.Changeset.iter(changes):
            row = change.new if change.op == "INSERT" else change.old
            if change.name in VIEWED and row is not None:
                touched.setdefault(change.name, set()).add(int(str(row[0])))
        apsw.Changeset.apply(changes, self._connection, conflict=_keep_newer)
        for table, kind in VIEWED.items():
            wanted = (nums_json(touched.get(table, ())),)
            listed = f"SELECT num FROM {table} WHERE num IN (SELECT value FROM json_each(?))"
            there = [row[0] for row in self._execute(listed, wanted)]
            self._touched.note(kind, there)
            gone = touched.get(table, set()) - set(there)
            self._touched.note(kind, sorted(gone), ChangeOp.DELETE)
        self._touched.numbers.clear()

    def _key(self) -> bytes:
        key: bytes | None = self._execute("SELECT key FROM forgetting_key").get
        if key is None:
            key = os.urandom(32)
            self._execute("INSERT INTO forgetting_key (id, key) VALUES (1, ?)", (key,))
        return key


def _keep_newer(_reason: int, _change: object) -> int:
    return apsw.SQLITE_CHANGESET_OMIT


def _value(claim: Claim) -> str:
    """Return what a claim says of which attribute, in one spelling."""
    value = claim.value or dict(claim.fields)
    return f"{claim.attribute}\0{canonical_json(value).casefold()}"


def _encoded(receipt: ForgetReceipt) -> str:
    return msgspec.json.encode(receipt).decode()


def _forgetting(row: Row) -> Forgetting:
    return Forgetting(
        receipt=msgspec.json.decode(row[0], type=ForgetReceipt),
        words=tuple(msgspec.json.decode(row[1])),
        paths=tuple(msgspec.json.decode(row[2])),
    )
