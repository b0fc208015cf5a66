"""Claims as rows. Implements `ports.claims.Claims`.

A claim names the version that it is part of, which the fold decides, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import (
    Row,
    Touched,
    json_text,
    load,
    optional_micros,
    optional_time,
    texts_json,
)
from smartbrain.domain.candidate import Source
from smartbrain.domain.claim import Claim, ClaimStatus, Say
from smartbrain.domain.memory import Span
from smartbrain.domain.record import canonical_json
from smartbrain.domain.time import from_micros, to_micros, utc_offset_seconds

_COLUMNS: Final = (
    "id, grp, type, subject, relation, attribute, value, say, due, until, scope, topic, because,"
    " fields, detail, text, turn_id, operation_id, session_id, place, message, message_id, start,"
    " length, spans, said_at, utc_offset, speaker, source, reader, rule, confidence, certainty,"
    " pii, status"
)
_INSERT: Final = (
    f"INSERT INTO claims ({_COLUMNS}) VALUES ({', '.join('?' * len(_COLUMNS.split(',')))})"
    " ON CONFLICT (id) DO NOTHING"
)
_SELECT: Final = f"SELECT {_COLUMNS} FROM claims "
_SAYS: Final = {say.value: say for say in Say}
_SOURCES: Final = {source.value: source for source in Source}
_STATUSES: Final = {status.value: status for status in ClaimStatus}


@translating
class SqliteClaims:
    """What was stated."""

    def __init__(self, connection: apsw.Connection, touched: Touched) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._executemany = connection.executemany
        self._touched = touched

    def add(self, claims: Sequence[Claim]) -> None:
        """Append claims."""
        spans = self._touched.spans
        self._executemany(_INSERT, [_row(claim, spans(claim.spans)) for claim in claims])

    def in_groups(self, groups: Iterable[str]) -> list[Claim]:
        """Return the claims of groups that count or may count."""
        rows = self._execute(
            _SELECT + "WHERE grp IN (SELECT value FROM json_each(?))"
            " AND status IN ('counted', 'candidate') ORDER BY num",
            (texts_json(groups),),
        )
        return self._read(rows)

    def of_turn(self, turn_id: str) -> list[Claim]:
        """Return all claims of a turn."""
        rows = self._execute(_SELECT + "WHERE turn_id = ? ORDER BY message, start, num", (turn_id,))
        return self._read(rows)

    def last_place(self, group: str) -> tuple[datetime, str, int] | None:
        """Return when and where the last claim of a group was said."""
        row = self._execute(
            "SELECT said_at, utc_offset, session_id, place FROM claims WHERE grp = ?"
            " AND status IN ('counted', 'candidate')"
            " ORDER BY said_at DESC, session_id DESC, place DESC LIMIT 1",
            (group,),
        ).fetchone()
        return None if row is None else (from_micros(row[0], row[1]), row[2], row[3])

    def last_memory(self, group: str) -> str | None:
        """Return the key of the memory that the last claim of a group is part of."""
        found: str | None = self._execute(
            "SELECT m.key FROM claims c JOIN nodes n ON n.id = c.memory JOIN memories m"
            " ON m.num = n.num WHERE c.grp = ? AND c.memory IS NOT NULL"
            " ORDER BY c.said_at DESC, c.session_id DESC, c.place DESC, c.num DESC LIMIT 1",
            (group,),
        ).get
        return found

    def memories(self, claim_ids: Iterable[str]) -> dict[str, str]:
        """Return the version that each claim is part of."""
        rows = self._execute(
            "SELECT id, memory FROM claims WHERE memory IS NOT NULL"
            " AND id IN (SELECT value FROM json_each(?))",
            (texts_json(claim_ids),),
        )
        return dict(rows)

    def assign(self, memories: Mapping[str, str | None]) -> None:
        """Let claims be part of versions."""
        self._executemany(
            "UPDATE claims SET memory = ? WHERE id = ?",
            [(memory, claim) for claim, memory in memories.items()],
        )

    def set_status(self, claim_ids: Iterable[str], status: ClaimStatus) -> None:
        """Let claims count, or not."""
        self._execute(
            "UPDATE claims SET status = ? WHERE id IN (SELECT value FROM json_each(?))",
            (status.value, texts_json(claim_ids)),
        )

    def delete(self, claim_ids: Iterable[str]) -> None:
        """Take claims away."""
        self._execute(
            "DELETE FROM claims WHERE id IN (SELECT value FROM json_each(?))",
            (texts_json(claim_ids),),
        )

    def _read(self, rows: Iterable[Row]) -> list[Claim]:
        found = list(rows)
        spans = self._touched.read_spans([row[24] for row in found])
        return [_claim(row, spans[place]) for place, row in enumerate(found)]


def _row(claim: Claim, spans: str) -> Row:
    """Return a claim in the order of the columns."""
    return (
        claim.id,
        claim.group,
        claim.type,
        claim.subject,
        claim.relation,
        claim.attribute,
        canonical_json(claim.value),
        claim.say.value,
        claim.when,
        optional_micros(claim.until),
        claim.scope,
        claim.topic,
        claim.because,
        json_text(dict(claim.fields)),
        json_text(dict(claim.detail)),
        claim.text,
        claim.turn_id,
        claim.operation_id,
        claim.session_id,
        claim.place,
        claim.message,
        claim.message_id,
        claim.start,
        claim.length,
        spans,
        to_micros(claim.said_at),
        utc_offset_seconds(claim.said_at),
        claim.speaker,
        claim.source.value,
        claim.reader,
        claim.rule,
        claim.confidence,
        claim.certainty,
        int(claim.pii),
        claim.status.value,
    )


def _claim(row: Row, spans: tuple[Span, ...]) -> Claim:
    """Read a row in the order of the columns."""
    return Claim(
        id=row[0],
        group=row[1],
        type=row[2],
        subject=row[3],
        relation=row[4],
        attribute=row[5],
        value=load(row[6]),
        say=_SAYS[row[7]],
        when=row[8],
        until=optional_time(row[9]),
        scope=row[10],
        topic=row[11],
        because=row[12],
        fields=load(row[13]),
        detail=load(row[14]),
        text=row[15],
        turn_id=row[16],
        operation_id=row[17],
        session_id=row[18],
        place=row[19],
        message=row[20],
        message_id=row[21],
        start=row[22],
        length=row[23],
        spans=spans,
        said_at=from_micros(row[25], row[26]),
        speaker=row[27],
        source=_SOURCES[row[28]],
        reader=row[29],
        rule=row[30],
        confidence=row[31],
        certainty=row[32],
        pii=bool(row[33]),
        status=_STATUSES[row[34]],
    )
