"""What stands that a turn may touch, in single dated lines, for whoever reads the turn (K5).

In: the words of a turn and of the message before it. Out: the standing memories that share words,
attributes or people with them, then the newest others, so that a reader knows what a change ends.
Bounded, whatever is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.memory import Memory, Status
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction
    from smartbrain.text.ontology import Ontology

MAX_LINES: Final = 40
"""Lines that are shown."""
_NEWEST: Final = 12  # lines that are shown whether or not they share a word
_READ: Final = 200  # memories of a type that are looked through, the newest ones
_TYPES: Final = ("profile", "preferences", "facts", "decisions", "tasks", "goals", "events")
_DONE: Final = frozenset(("done", "achieved"))
_CUED: Final = 2.0  # what a cue word of its attribute counts, in shared words


def choose_standing_lines(
    turn_id: str, text: str, ontology: Ontology, *, transaction: Transaction
) -> list[dict[str, Any]]:
    """Return what stood before a turn that its text may touch, what it touches most first."""
    terms = frozenset(index_terms(text))
    cued = {hit.attribute for hit in ontology.find_cues(text)}
    lines = [
        line
        for kind in _TYPES
        for memory in _stood_before(turn_id, kind, transaction)
        for line in _lines_of(memory)
    ]
    lines.sort(key=lambda line: line["since"], reverse=True)
    scores = [_score(line, terms, cued) for line in lines]
    by_score = sorted(range(len(lines)), key=lambda place: -scores[place])
    touched = [place for place in by_score if scores[place] > 0]
    newest = [place for place in range(len(lines)) if scores[place] <= 0][:_NEWEST]
    return [lines[place] for place in (*touched[: MAX_LINES - len(newest)], *newest)]


def _stood_before(turn_id: str, kind: str, transaction: Transaction) -> Iterator[Memory]:
    """Yield the newest memories of a type as they were before a turn."""
    standing = transaction.remembering.newest(kind, limit=_READ)
    changed = [one.key for one in standing if one.source_turn_id == turn_id]
    histories = transaction.remembering.histories(changed) if changed else {}
    for memory in standing:
        if memory.source_turn_id != turn_id:
            yield memory
            continue
        earlier = [
            one
            for one in histories.get(memory.key, ())
            if one.source_turn_id != turn_id and one.status is Status.SUPERSEDED
        ]
        yield from earlier[-1:]


def _lines_of(memory: Memory) -> Iterator[dict[str, Any]]:
    """Yield a memory as lines: of a profile one a fact."""
    value, since = memory.value, memory.said_at.date().isoformat()
    line: dict[str, Any] = {"type": memory.type, "since": since}
    if memory.type == "profile":
        for fact in value["facts"]:
            yield {**line, "subject": value["subject"], "attr": fact["k"], "value": fact["v"]}
        return
    if str(value.get("status")) in _DONE:
        return
    told = {
        "subject": value.get("subject"),
        "attr": value.get("attribute") or value.get("name"),
        "value": value.get("value") or value.get("decision") or value.get("title"),
        "topic": value.get("topic"),
        "scope": value.get("project"),
        "status": value.get("status"),
        "when": value.get("due") or value.get("date"),
    }
    if memory.type == "goals":
        told |= {"attr": None, "value": value.get("description") or value.get("name")}
    yield {**line, **{name: item for name, item in told.items() if item}}


def _score(line: dict[str, Any], terms: frozenset[str], cued: set[str]) -> float:
    """Return how much a text has to do with a line."""
    said = " ".join(str(line.get(name, "")) for name in ("subject", "value", "topic", "scope"))
    shared = len(terms.intersection(index_terms(said)))
    return shared + _CUED * (line.get("attr") in cued)
