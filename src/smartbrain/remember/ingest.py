"""Texts that come as documents, not as turns: kept as raw chunks first, made a graph later (C7).

In: a text or a file, with what is known about it. Out: the ids of its chunks; then, when asked, an
episode a chunk with the entities and statements in it. A document asserts nothing in the user's
name: no preference, task or fact is read out of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from smartbrain.domain.history import GraphReport
from smartbrain.domain.ids import derive
from smartbrain.domain.job import INGESTED
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import DOCUMENT, CommitRequest, Marked, TurnEvents
from smartbrain.errors import UsageError
from smartbrain.govern.insights import check_usage
from smartbrain.govern.trail import put_state
from smartbrain.ports.bundle import Ports
from smartbrain.remember.arguments import read_file, read_path, read_text
from smartbrain.remember.pipeline import record_turns, remember_turn
from smartbrain.remember.write_rules import WriteRules, WriteTools
from smartbrain.text.sentences import split_chunks

_OWNER: Final = "tenant"
_BATCH: Final = 50
_COUNTED: Final = ("episodes", "entities", "statements")
_MIMES: Final = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".csv": "text/csv",
    ".json": "application/json",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_PLAIN: Final = "text/plain"
_TEXTUAL: Final = ("/json", "/xml", "/yaml", "/javascript", "/toml", "+json", "+xml", "+yaml")

OnProgress = Callable[[int, int], None]
"""Told how many chunks are done, and of how many."""


def document_events(text_or_path: object, *, mime: object, meta: object) -> Marked:
    """Return a text, or the text of a file, in the form of a turn that a caller hands over."""
    refs = []
    kind = _PLAIN
    if isinstance(text_or_path, os.PathLike):
        path = read_path(text_or_path)
        text = read_file(path)
        kind = _MIMES.get(path.suffix.lower(), _PLAIN)
        refs = [{"ref_type": "file", "ref_uri": path.absolute().as_uri()}]
    else:
        text = read_text(text_or_path, "the text to ingest (a file is given as a Path)")
        if not text.strip():
            raise UsageError("the text to ingest is blank; give some words")
    if meta is not None and not isinstance(meta, Mapping):
        raise UsageError(f"meta must be a dict, not {type(meta).__name__}")
    about = {**(meta or {}), "mime": kind if mime is None else _text_mime(mime)}
    message = {"role": "user", "name": "document", "content": text, "meta": about}
    return Marked({"messages": [message], "refs": refs}, DOCUMENT)


def ingest_document(document: TurnEvents, *, ports: Ports, rules: WriteRules) -> list[str]:
    """Keep a document in raw chunks that wait to be made a graph, and return their ids.

    The same document is kept once, however often it is ingested.
    """
    (message,) = document.messages
    limits = rules.rules.raw
    pieces = split_chunks(message.content, limits.chunk_tokens_min, limits.chunk_tokens_max)
    session_id = derive("ingest", canonical_json(document))
    requests = [
        CommitRequest(
            session_id=session_id,
            events=replace(document, messages=(replace(message, content=piece),)),
        )
        for piece in pieces
    ]
    with ports.truth.write() as transaction:
        turns = transaction.events.turns(session_id, limit=len(pieces))
        if not turns:
            turns = record_turns(requests, ports=ports, rules=rules, transaction=transaction)
            for turn in turns:
                at, body = turn.created_at, {"session": session_id}
                put_state(_OWNER, INGESTED, turn.id, body, at, rows=transaction)
            check_usage(transaction=transaction, rules=rules.rules.quotas)
    spans = [span for turn in turns for one in turn.messages for span in one.spans]
    return list(dict.fromkeys(span.raw_id for span in spans))


def count_ingested(*, ports: Ports) -> int:
    """Return how many chunks wait to be made a graph."""
    with ports.truth.read() as transaction:
        return len(transaction.working.state(_OWNER, INGESTED))


def make_graph(
    *, ports: Ports, rules: WriteRules, on_progress: OnProgress | None = None
) -> GraphReport:
    """Make an episode with its entities and statements of every chunk that waits."""
    with ports.truth.read() as transaction:
        waiting = transaction.working.state(_OWNER, INGESTED)
    made = dict.fromkeys(("chunks", *_COUNTED), 0)
    for start in range(0, len(waiting), _BATCH):
        batch = waiting[start : start + _BATCH]
        with ports.truth.write() as transaction:
            before = transaction.usage.counts(_COUNTED)
            for entry in batch:
                # Another process may be at it too: whoever takes the entry away makes the graph.
                if transaction.working.drop_state(_OWNER, INGESTED, entry.id):
                    turn = transaction.events.turn(entry.id)
                    remember_turn(turn, WriteTools(transaction, ports, rules.rules))
                    made["chunks"] += 1
            after = transaction.usage.counts(_COUNTED)
        for name in _COUNTED:
            made[name] += after[name] - before[name]
        if on_progress is not None:
            on_progress(start + len(batch), len(waiting))
    return GraphReport(**made)


def _text_mime(mime: object) -> str:
    name = read_text(mime, "mime", longest=200)
    kind = name.partition(";")[0].strip().lower()
    if not (kind.startswith("text/") or kind.endswith(_TEXTUAL)):
        raise UsageError(
            f"mime {name!r:.80} is not one of text; text/plain, text/markdown, text/html,"
            " application/json and the like can be ingested"
        )
    return name
