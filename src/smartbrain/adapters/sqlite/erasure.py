"""Finding and deleting rows for forgetting. Implements `ports.erasure.Erasure`.

Deletions note changes, so that views follow. A recording is a changeset of SQLite's: it holds the
rows as they were, and its inverse puts back those that nobody has changed since.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final, NamedTuple

import apsw

from smartbrain.adapters.sqlite.events import SqliteRawChunks, numbered_chunks
from smartbrain.adapters.sqlite.memories import SqliteClaims
from smartbrain.adapters.sqlite.rows import (
    LISTED,
    Repository,
    Row,
    Touched,
    json_text,
    load,
    load_packed,
    nums_json,
    optional_micros,
    texts_json,
)
from smartbrain.domain.change import ChangeKind, ChangeOp
from smartbrain.domain.claim import Claim
from smartbrain.domain.forgetting import FORGOTTEN, Matcher, words_in
from smartbrain.domain.graph import EdgeType, NodeKind, edge_id
from smartbrain.domain.time import to_micros
from smartbrain.domain.turn import RawChunk

_SPANS: Final = {
    "messages": ("spans",),
    "tool_calls": ("result_spans", "stdout_spans", "stderr_spans"),
}
_KINDS: Final = (
    ("memory", "SELECT n.id FROM nodes n JOIN memories m USING (num) WHERE n.id "),
    ("claim", "SELECT id FROM claims WHERE id "),
    ("turn", "SELECT id FROM turns WHERE id "),
    ("artifact", "SELECT id FROM tool_calls WHERE id "),
    ("edge", "SELECT id FROM edges WHERE deleted_at IS NULL AND id "),
    ("session", "SELECT id FROM sessions WHERE id "),
    ("forgetting", "SELECT id FROM forgettings WHERE id "),
)
_CLAIMS: Final = {
    "id": "WHERE id " + LISTED,
    "memory": "WHERE memory " + LISTED,
    "turn": "WHERE turn_id " + LISTED,
    "group": "WHERE grp " + LISTED,
    "subject": "WHERE lower(subject) " + LISTED,
    "attribute": "WHERE attribute " + LISTED,
    "words": "WHERE EXISTS (SELECT 1 FROM json_each(?) w WHERE instr(lower(claims.value), w.value)"
    " OR instr(lower(claims.text), w.value) OR instr(lower(claims.fields), w.value))",
}


class _Quoting(NamedTuple):
    """A table whose texts and JSON may quote what was forgotten.

    What is left of them stays; rows that only tell how something came about are `dropped`: they
    are changed as that says, or deleted where it is empty.
    """

    table: str
    key: str
    texts: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    dropped: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.texts, *self.values)

    def keyed(self, row: Row) -> tuple[str, Row]:
        """Return the condition that names a row by its key, and the values for it."""
        names = self.key.split(", ")
        return " AND ".join(f"{name} = ?" for name in names), row[: len(names)]


_QUOTING: Final = (
    _Quoting("memories", "num", ("title", "text"), ("value", "keywords", "entities", "tags")),
    _Quoting("chunks", "memory, ordinal", ("text",)),
    _Quoting("claims", "num", ("text", "because")),
    _Quoting("edges", "num", (), ("attrs",)),
    _Quoting("turns", "num", (), ("proposals",)),
    _Quoting("messages", "turn, ordinal", (), ("meta",)),
    _Quoting("tool_calls", "turn, ordinal", (), ("args",)),
    _Quoting("refs", "turn, ordinal", ("ref_uri",), ("ref_meta",)),
    _Quoting("working_state", "num", (), ("body",)),
    _Quoting("audit", "num", ("reason",), ("before", "after")),
    _Quoting("explanations", "num", (), ("source_id", "body"), ""),
    _Quoting("jobs", "num", (), ("payload", "result"), ""),
    _Quoting("operations", "num", (), ("input",), f"input = '{json.dumps({FORGOTTEN: True})}'"),
    # A reply still names its turn, and nothing of what became of it.
    _Quoting(
        "idempotency_keys",
        *("key", (), ("result",)),
        "result = json_object('turn_id', ifnull(result ->> 'turn_id', ''))",
    ),
)
_THEIRS: Final = ("args", "ref_meta", "meta")  # columns whose fields somebody else has named
# Where what quotes it is found by its turn, and what only the last cleaning looks at.
_BY_TURN: Final = {"claims": "turn_id", "explanations": "source_id"}
_LATER: Final = ("edges", "idempotency_keys")
_RECORDED: Final = (
    *("nodes", "raw_chunks", "sessions", "turns", "messages", "tool_calls", "refs", "operations"),
    *("idempotency_keys", "memories", "chunks", "edges", "working_state", "jobs", "audit"),
    *("explanations", "steps", "claims"),
)


_KEPT: Final = (
    "SELECT body FROM working_state UNION ALL SELECT coalesce(before, '') || coalesce(after, '')"
    " || reason FROM audit UNION ALL SELECT m.title || m.text || m.value || coalesce("
    "(SELECT group_concat(c.text) FROM chunks c WHERE c.memory = m.num), '')"
    " FROM memories m WHERE m.source_operation_id IS NOT NULL"
)
VIEWED: Final = {
    "memories": ChangeKind.MEMORY,
    "edges": ChangeKind.EDGE,
    "raw_chunks": ChangeKind.RAW,
    "turns": ChangeKind.TURN,
    "sessions": ChangeKind.SESSION,
}
"""The tables whose rows views follow, and the kind of their changes."""


class SqliteRecording:
    """What a connection changes in the tables of what is known."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._session = apsw.Session(connection, "main")
        for table in _RECORDED:
            self._session.attach(table)

    def deleted(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {"memory": [], "claim": []}
        for change in apsw.Changeset.iter(self._session.changeset()):
            if change.op != "DELETE" or change.old is None:
                continue
            if change.name == "claims" or (
                change.name == "nodes" and change.old[2] != NodeKind.RAW
            ):
                kind = "claim" if change.name == "claims" else "memory"
                found[kind].append(str(change.old[1]))
        return {kind: sorted(ids) for kind, ids in found.items()}

    def changes(self) -> bytes:
        return bytes(apsw.Changeset.invert(self._session.changeset()))

    def close(self) -> None:
        self._session.close()


class SqliteErasure(Repository):
    """Rows by what they hold, and their end."""

    def __init__(
        self,
        connection: apsw.Connection,
        touched: Touched,
        claims: SqliteClaims,
        raw: SqliteRawChunks,
    ) -> None:
        super().__init__(connection, touched)
        self._claims = claims
        self._raw = raw

    def kinds(self, ids: Iterable[str]) -> dict[str, str]:
        wanted = texts_json(ids)
        return {
            row[0]: kind
            for kind, select in reversed(_KINDS)
            for row in self._execute(select + LISTED, (wanted,))
        }

    def claims(self, by: str, values: Iterable[str]) -> list[Claim]:
        return self._claims.where(_CLAIMS[by], (texts_json(values),))

    def turns(
        self, since: datetime | None, until: datetime | None, session_id: str | None
    ) -> list[str]:
        rows = self._execute(
            "SELECT t.id FROM turns t JOIN sessions s ON s.num = t.session WHERE"
            " (?1 IS NULL OR t.at >= ?1) AND (?2 IS NULL OR t.at < ?2)"
            " AND (?3 IS NULL OR s.id = ?3) ORDER BY t.num",
            (optional_micros(since), optional_micros(until), session_id),
        )
        return [row[0] for row in rows]

    def chunks(self, needles: Sequence[str]) -> list[tuple[int, RawChunk]]:
        nums = [
            row[0]
            for row in self._execute(
                "WITH said (num, text) AS MATERIALIZED (SELECT num, lower(CAST(body AS TEXT))"
                " FROM raw_chunks WHERE body IS NOT NULL)"
                " SELECT num FROM said WHERE EXISTS (SELECT 1 FROM json_each(?) w"
                " WHERE instr(said.text, w.value))"
                " UNION ALL SELECT num FROM raw_chunks WHERE path IS NOT NULL",
                (texts_json(needles),),
            )
        ]
        return numbered_chunks(self._execute, nums)

    def replace_chunk(
        self, old: str, new: RawChunk, only: Iterable[str] | None = None
    ) -> list[str]:
        self._touched.numbers.clear()
        before = self._touched.number(old)
        turns = self._holders(before)
        if only is not None:
            turns = [one for one in turns if one in set(only)]
        if not turns:
            return []
        with self._touched.whole():
            self._raw.hold([new])
            after = self._touched.number(new.id)
            moved = self._repoint_spans(before, after, turns)
            self._execute("UPDATE raw_chunks SET held = held + ? - 1 WHERE num = ?", (moved, after))
            self._execute("UPDATE raw_chunks SET held = held - ? WHERE num = ?", (moved, before))
            self._move_edges(before, after, new.id, turns)
            if not self._execute("SELECT held FROM raw_chunks WHERE num = ?", (before,)).get:
                self._delete_chunks([before])
        self._touched.numbers.clear()
        return turns

    def _holders(self, num: int) -> list[str]:
        """Return the turns that hold a chunk: by what is told of it, or else by a long search."""
        found = self._column(
            "SELECT DISTINCT m.source_turn_id FROM edges e JOIN memories m ON m.num = e.src"
            " WHERE e.dst = ? AND e.type = 'DERIVED_FROM' AND m.source_turn_id IS NOT NULL",
            num,
        )
        lists = [
            load(row[0])
            for table, columns in _SPANS.items()
            for column in columns
            for row in self._execute(
                f"SELECT {column} FROM {table} WHERE turn IN"
                f" (SELECT num FROM turns WHERE id {LISTED})",
                (texts_json(found),),
            )
        ]
        held = sum(span[0] == num for spans in lists for span in spans)
        if held == self._execute("SELECT held FROM raw_chunks WHERE num = ?", (num,)).get:
            return found
        parts = " UNION ".join(
            f"SELECT turn FROM {table} WHERE instr({column}, ?1)"
            for table, columns in _SPANS.items()
            for column in columns
        )
        return self._column(f"SELECT id FROM turns WHERE num IN ({parts})", f"[{num},")

    def _repoint_spans(self, before: int, after: int, turn_ids: Iterable[str]) -> int:
        """Let stored spans lead to another chunk; return how many of events do."""
        mark, moved, turns = re.compile(rf"\[{before},"), 0, texts_json(turn_ids)
        for table, columns in _SPANS.items():
            rows = self._rows(
                f"SELECT turn, ordinal, {', '.join(columns)} FROM {table} WHERE turn IN"
                f" (SELECT num FROM turns WHERE id {LISTED})",
                turns,
            )
            for turn, ordinal, *spans in rows:
                told = [mark.subn(f"[{after},", one) for one in spans]
                if any(count for _, count in told):
                    moved += sum(count for _, count in told)
                    sets = ", ".join(f"{column} = ?" for column in columns)
                    self._execute(
                        f"UPDATE {table} SET {sets} WHERE turn = ? AND ordinal = ?",
                        (*(text for text, _ in told), turn, ordinal),
                    )
        self._execute(  # what has a hole may be no JSON any more
            "UPDATE tool_calls SET result_json = 0 WHERE result_json AND instr(result_spans, ?)"
            f" AND turn IN (SELECT num FROM turns WHERE id {LISTED})",
            (f"[{after},", turns),
        )
        told_by = (
            ("claims", "spans", "turn_id"),
            ("memories", "raw_refs", "source_turn_id"),
        )
        for table, column, source in told_by:
            rows = self._rows(f"SELECT num, {column} FROM {table} WHERE {source} {LISTED}", turns)
            changed = [
                (mark.sub(f"[{after},", spans), num) for num, spans in rows if mark.search(spans)
            ]
            self._connection.executemany(f"UPDATE {table} SET {column} = ? WHERE num = ?", changed)
            if table == "memories":
                self._touched.note(ChangeKind.MEMORY, [num for _, num in changed])
        self._touched.note(ChangeKind.TURN, self._nums("turns", turns))
        return moved

    def _move_edges(self, before: int, after: int, new_id: str, turns: Sequence[str]) -> None:
        """Let what is told of turns lead to another chunk, by the ids that belong to that."""
        rows = self._rows(
            "SELECT e.num, s.id, e.type FROM edges e JOIN nodes s ON s.num = e.src"
            f" JOIN memories m ON m.num = e.src WHERE e.dst = ? AND m.source_turn_id {LISTED}",
            before,
            texts_json(turns),
        )
        for num, src, kind in rows:
            self._execute(
                "UPDATE OR REPLACE edges SET dst = ?, id = ? WHERE num = ?",
                (after, edge_id(src, EdgeType(kind), new_id), num),
            )
        self._touched.note(ChangeKind.EDGE, [row[0] for row in rows])

    def delete_turns(self, turn_ids: Iterable[str] | None) -> list[str]:
        self._execute("PRAGMA defer_foreign_keys = ON").fetchall()
        if turn_ids is None:
            return self._delete_everything()
        ids = texts_json(turn_ids)
        nums = self._nums("turns", ids)
        turns = nums_json(nums)
        if not nums:
            return []
        self._retell_elsewhere(ids)
        own = self._column(f"SELECT num FROM memories WHERE source_turn_id {LISTED}", ids)
        self._delete_memories(own)
        released = self._release(turns)
        self._execute(f"DELETE FROM claims WHERE turn_id {LISTED}", (ids,))
        for table in ("messages", "tool_calls", "refs", "steps"):
            self._execute(f"DELETE FROM {table} WHERE turn {LISTED}", (turns,))
        self._execute(f"DELETE FROM explanations WHERE source_id {LISTED}", (ids,))
        sessions = self._column(f"SELECT DISTINCT session FROM turns WHERE num {LISTED}", turns)
        self._execute(f"DELETE FROM turns WHERE num {LISTED}", (turns,))
        self._count_sessions(sessions)
        self._touched.note(ChangeKind.TURN, nums, ChangeOp.DELETE)
        self._touched.numbers.clear()
        return released

    def _delete_everything(self) -> list[str]:
        for table, kind in VIEWED.items():
            self._touched.note(kind, self._column(f"SELECT num FROM {table}"), ChangeOp.DELETE)
        paths = self._column("SELECT path FROM raw_chunks WHERE path IS NOT NULL")
        # Those first that refer to others: a row that goes is then looked for in empty tables.
        for table in ("vectors", "traces", *reversed(_RECORDED)):
            kept = " WHERE kind <> 'forget'" if table == "operations" else ""
            self._execute(f"DELETE FROM {table}{kept}")
        self._touched.numbers.clear()
        return paths

    def _retell_elsewhere(self, ids: str) -> None:
        """Let entities and concepts of turns that go be told by the next turn that names them."""
        rows = self._rows(
            "SELECT m.num, (SELECT s.source_turn_id FROM edges e JOIN memories s ON s.num = e.src"
            " AND s.type = 'episodes' WHERE e.dst = m.num AND e.deleted_at IS NULL"
            " AND s.source_turn_id NOT IN (SELECT value FROM json_each(?1))"
            " ORDER BY s.said_at, s.num LIMIT 1) FROM memories m"
            " WHERE m.type IN ('entities', 'concepts')"
            " AND m.source_turn_id IN (SELECT value FROM json_each(?1))",
            ids,
        )
        moved = [(other, num) for num, other in rows if other is not None]
        self._connection.executemany(
            "UPDATE memories SET (source_turn_id, source_message_id, said_at, utc_offset, session,"
            " seq, speaker) = (SELECT id, NULL, at, utc_offset, session, seq, NULL FROM turns"
            " WHERE id = ?) WHERE num = ?",
            moved,
        )
        self._touched.note(ChangeKind.MEMORY, [num for _, num in moved])

    def _release(self, turns: str) -> list[str]:
        """Let go of the chunks of turns; return the files of those that nobody holds any more."""
        lists = [
            row[0]
            for table, columns in _SPANS.items()
            for column in columns
            for row in self._execute(f"SELECT {column} FROM {table} WHERE turn {LISTED}", (turns,))
        ]
        uses: dict[int, int] = {}
        for text in lists:
            for span in load(text):
                uses[span[0]] = uses.get(span[0], 0) + 1
        self._connection.executemany(
            "UPDATE raw_chunks SET held = held - ? WHERE num = ?",
            [(count, num) for num, count in uses.items()],
        )
        unheld = self._column(
            f"SELECT num FROM raw_chunks WHERE held = 0 AND num {LISTED}", nums_json(uses)
        )
        return self._delete_chunks(unheld)

    def _delete_chunks(self, nums: Sequence[int]) -> list[str]:
        """Delete chunks and what leads to them; return the paths of their files."""
        listed = (nums_json(nums),)
        paths = self._column(
            f"SELECT path FROM raw_chunks WHERE path IS NOT NULL AND num {LISTED}", *listed
        )
        self._delete_edges(f"src {LISTED} OR dst {LISTED}", listed * 2)
        self._execute(f"DELETE FROM raw_chunks WHERE num {LISTED}", listed)
        self._execute(f"DELETE FROM nodes WHERE num {LISTED}", listed)
        self._touched.note(ChangeKind.RAW, nums, ChangeOp.DELETE)
        return paths

    def _count_sessions(self, sessions: Sequence[int]) -> None:
        """Bring sessions up to the turns that are left; one without any goes, with its state."""
        for num in sessions:
            left: int = self._execute("SELECT count(*) FROM turns WHERE session = ?", (num,)).get
            if left:
                self._execute(
                    "UPDATE sessions SET turns = ?1, (started_at, last_at) ="
                    " (SELECT min(at), max(at) FROM turns WHERE session = ?2) WHERE num = ?2",
                    (left, num),
                )
                self._touched.note(ChangeKind.SESSION, [num])
                continue
            name = self._execute("SELECT id FROM sessions WHERE num = ?", (num,)).get
            self._execute("DELETE FROM working_state WHERE owner = ?", (f"session:{name}",))
            self._execute("DELETE FROM traces WHERE session_id = ?", (name,))
            self._execute("DELETE FROM sessions WHERE num = ?", (num,))
            self._touched.note(ChangeKind.SESSION, [num], ChangeOp.DELETE)

    def delete_nodes(
        self,
        memory_ids: Iterable[str],
        edge_ids: Iterable[str] = (),
        call_ids: Iterable[str] = (),
    ) -> None:
        self._execute(
            f"UPDATE tool_calls SET args = '{{}}' WHERE id {LISTED}", (texts_json(call_ids),)
        )
        self._execute("PRAGMA defer_foreign_keys = ON").fetchall()
        self._delete_memories(
            self._column(
                f"SELECT m.num FROM memories m JOIN nodes n ON n.num = m.num WHERE n.id {LISTED}",
                texts_json(memory_ids),
            )
        )
        self._delete_edges(f"id {LISTED}", (texts_json(edge_ids),))
        self._touched.numbers.clear()

    def _delete_memories(self, nums: Sequence[int]) -> None:
        if not nums:
            return
        listed = (nums_json(nums),)
        self._execute(
            "DELETE FROM working_state WHERE owner = 'tenant' AND kind = 'feedback' AND id IN"
            f" (SELECT id FROM nodes WHERE num {LISTED})",
            listed,
        )
        self._execute(
            f"UPDATE claims SET memory = NULL WHERE memory IN"
            f" (SELECT id FROM nodes WHERE num {LISTED})",
            listed,
        )
        self._execute(f"DELETE FROM chunks WHERE memory {LISTED}", listed)
        self._execute(f"DELETE FROM vectors WHERE node {LISTED}", listed)
        self._delete_edges(f"src {LISTED} OR dst {LISTED}", listed * 2)
        self._execute(f"DELETE FROM memories WHERE num {LISTED}", listed)
        self._execute(f"DELETE FROM nodes WHERE num {LISTED}", listed)
        self._touched.note(ChangeKind.MEMORY, nums, ChangeOp.DELETE)

    def _delete_edges(self, where: str, given: tuple[str, ...]) -> None:
        nums = self._column(f"DELETE FROM edges WHERE {where} RETURNING num", *given)
        self._touched.note(ChangeKind.EDGE, nums, ChangeOp.DELETE)

    def clean(self, matcher: Matcher, *, turn_ids: Sequence[str] = (), whole: bool = False) -> int:
        self._touched.numbers.clear()
        needles, turns = texts_json(matcher.needles), texts_json(turn_ids)
        cleaned = 0
        for quoting in _QUOTING:
            if whole:
                found = list(self._matching(quoting, matcher))
            else:
                found = self._suspects(quoting, needles, turns)
            for row in found:
                cleaned += self._clean_row(quoting, row, matcher)
        return cleaned + self._clean_traces(matcher, turn_ids, whole=whole)

    def _suspects(self, quoting: _Quoting, needles: str, turns: str) -> list[Row]:
        """Return the rows that hold a needle, or tell of the turns; few places are searched."""
        table = quoting.table
        select = f"SELECT {quoting.key}, {', '.join(quoting.columns)} FROM {table} WHERE "
        if table in _LATER:
            return []
        if table in _BY_TURN:
            return self._rows(f"{select}{_BY_TURN[table]} {LISTED}", turns)
        if table == "memories":  # what it is searched by has all that it tells, in one text
            held = "instr(lower(c.text), w.value)"
            where = f"num IN (SELECT c.memory FROM chunks c, json_each(?) w WHERE {held})"
            return self._rows(select + where, needles)
        held = " OR ".join(f"instr(lower({table}.{one}), w.value)" for one in quoting.columns)
        where = f"EXISTS (SELECT 1 FROM json_each(?) w WHERE {held})"
        return self._rows(select + where, needles)

    def _matching(self, quoting: _Quoting, matcher: Matcher) -> Iterator[Row]:
        key, columns = quoting.key, quoting.columns
        skip = len(key.split(","))
        plain = skip + len(quoting.texts)
        some = " WHERE attrs <> '{}'" if quoting.table == "edges" else ""
        for row in self._rows(f"SELECT {key}, {', '.join(columns)} FROM {quoting.table}{some}"):
            said = [one for one in row[skip:plain] if one]
            for name, value in zip(quoting.values, row[plain:], strict=True):
                said += words_in(_decoded(value), theirs=name in _THEIRS)
            if said and matcher.matches("\n".join(said)):
                yield row

    def _clean_row(self, quoting: _Quoting, row: Row, matcher: Matcher) -> int:
        """Write a row without what is forgotten; an entity that has no name left goes."""
        table = quoting.table
        where, named = quoting.keyed(row)
        if quoting.dropped is not None:
            change = f"UPDATE {table} SET {quoting.dropped}" if quoting.dropped else None
            self._execute(f"{change or f'DELETE FROM {table}'} WHERE {where}", named)
            return 1
        stored = dict(zip(quoting.columns, row[len(named) :], strict=True))
        fresh = {one: matcher.clean(stored[one]) for one in quoting.texts if stored[one]}
        for one in quoting.values:
            if stored[one]:
                value = load(stored[one])
                fresh[one] = json_text(matcher.clean_value(value, theirs=one in _THEIRS))
        changed = {name: new for name, new in fresh.items() if new != stored[name]}
        if not changed:
            return 0
        if table == "memories":
            if self._is_nothing(row[0], fresh.get("title"), matcher):
                self._delete_memories([row[0]])
                return 1
            changed["title"] = fresh.get("title") or "…"
            self._execute("DELETE FROM vectors WHERE node = ?", (row[0],))
            self._touched.note(ChangeKind.MEMORY, [row[0]])
        sets = ", ".join(f"{name} = ?" for name in changed)
        self._execute(f"UPDATE {table} SET {sets} WHERE {where}", (*changed.values(), *named))
        return 1

    def _is_nothing(self, num: int, title: str | None, matcher: Matcher) -> bool:
        """Tell whether a memory is nothing without what is forgotten: its name, or its key."""
        kind, key = self._rows("SELECT type, key FROM memories WHERE num = ?", num)[0]
        named = kind in ("entities", "concepts", "statements")
        return (named and not title) or matcher.matches(" ".join(key.split(":")))

    def _clean_traces(self, matcher: Matcher, turn_ids: Sequence[str], *, whole: bool) -> int:
        if not whole:
            self._execute(
                "DELETE FROM traces WHERE created_at >= (SELECT min(created_at) FROM turns"
                f" WHERE id {LISTED})",
                (texts_json(turn_ids),),
            )
            return self._connection.changes()
        gone = []
        for name, body in self._execute("SELECT context_id, body FROM traces"):
            if matcher.matches("\n".join(words_in(load_packed(body)))):
                gone.append((name,))
        self._connection.executemany("DELETE FROM traces WHERE context_id = ?", gone)
        return len(gone)

    @contextmanager
    def recording(self) -> Iterator[SqliteRecording]:
        recording = SqliteRecording(self._connection)
        try:
            yield recording
        finally:
            recording.close()

    def texts(self, *, until: datetime | None = None, kept: bool = False) -> Iterator[str]:
        if kept:
            yield from self._column(_KEPT)
            return
        yield from self._column("SELECT CAST(body AS TEXT) FROM raw_chunks WHERE body IS NOT NULL")
        columns = [("claims", one) for one in ("value", "text", "subject", "because")]
        columns += [("turns", "proposals"), ("operations", "input")]
        if until is not None:
            columns = [(each.table, one) for each in _QUOTING for one in each.columns]
            columns += [("claims", one) for one in ("value", "subject", "fields", "detail", "grp")]
            columns += [("memories", "key"), ("forgettings", "words")]
            told_of = "SELECT body FROM traces WHERE created_at <= ?"
            for body in self._column(told_of, to_micros(until)):
                yield from words_in(load_packed(body))
        for table, column in columns:
            since = table == "explanations" and until is not None
            where, given = (
                (" WHERE created_at <= ?", (optional_micros(until),)) if since else ("", ())
            )
            for one in self._column(f"SELECT {column} FROM {table}{where}", *given):
                yield from words_in(_decoded(one))

    def _nums(self, table: str, ids: str) -> list[int]:
        return self._column(f"SELECT num FROM {table} WHERE id {LISTED}", ids)


def _decoded(text: str | None) -> Any:
    """Read stored JSON; what is none is a text, and most rows hold nothing."""
    if not text or text in ("{}", "[]"):
        return None
    try:
        return json.loads(text) if text[0] in '{["' else text
    except ValueError:
        return text
