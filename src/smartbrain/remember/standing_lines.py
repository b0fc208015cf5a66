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
_NEWEST: Final = 12  # lines that are shown whether or not they share a word
_MAX_READ: Final = 200  # memories of a type that are looked through, the newest ones
_TYPES: Final = ("profile", "preferences", "facts", "decisions", "tasks", "goals", "events")
_FIELDS: Final = {
    "subject": ("subject",),
    "attr": ("attribute", "name"),
    "value": ("value", "decision", "title", "description", "name"),
    "topic": ("topic",),
    "scope": ("project",),
    "status": ("status",),
    "when": ("due", "date"),
}
"""What a line tells, and the fields of values that hold it."""


def choose_standing_lines(
    turn_id: str, text: str, ontology: Ontology, *, transaction: Transaction
) -> list[dict[str, Any]]:
    """Return what stood before a turn that its text may touch, what it touches most first."""
    terms = frozenset(index_terms(text))
    cued = {hit.attribute for hit in ontology.find_cues(text)}

    def score(line: dict[str, Any]) -> float:
        said = " ".join(str(line.get(name, "")) for name in ("subject", "value", "topic", "scope"))
        shared = len(terms.intersection(index_terms(said)))
        return shared + 2.0 * (line.get("attr") in cued)  # a cue counts as two words

    lines = [
        line
        for kind in _TYPES
        for memory in _stood_before(turn_id, kind, transaction)
        for line in _lines_of(memory)
    ]
    lines.sort(key=lambda line: str(line["since"]), reverse=True)
    scored = [(score(line), line) for line in lines]
    newest = [line for scores, line in scored if scores <= 0][:_NEWEST]
    touched = [one for one in scored if one[0] > 0]
    touched.sort(key=lambda one: -one[0])
    return [*(line for _, line in touched[: MAX_LINES - len(newest)]), *newest]


def _stood_before(turn_id: str, kind: str, transaction: Transaction) -> Iterator[Memory]:
    """Yield the newest memories of a type as they were before a turn."""
    standing = transaction.remembering.newest(kind, limit=_MAX_READ)
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
    """Yield a memory as lines: of a profile one a fact, of what is done none."""
    value, since = memory.value, memory.said_at.date().isoformat()
    line: dict[str, Any] = {"type": memory.type, "since": since}
    if memory.type == "profile":
        for fact in value["facts"]:
            yield {**line, "subject": value["subject"], "attr": fact["k"], "value": fact["v"]}
    elif value.get("status") not in ("done", "achieved"):
        told = {
            name: next(filter(None, map(value.get, fields)), None)
            for name, fields in _FIELDS.items()
            if (name, memory.type) != ("attr", "goals")
        }
        yield {**line, **{name: item for name, item in told.items() if item}}
