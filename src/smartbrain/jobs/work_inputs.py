"""What leased work is about, as its agent is shown it (C9).

In: a job that names things by id. Out: their content as it is now, in plain JSON: sentences of a
turn, two facts, new memories, the talk behind a summary, texts to embed. Not shown: what a composed
context had put into the talk, code and tool output, and whatever has been forgotten meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.turn import Role, Turn
from smartbrain.domain.work import WorkKind
from smartbrain.errors import NotFound
from smartbrain.govern.sessions import with_texts
from smartbrain.jobs.work_answers import LINKED, embedded_text, mark_of
from smartbrain.remember.before import turn_of
from smartbrain.remember.model_answers import load_messages
from smartbrain.remember.off_record import is_off_record
from smartbrain.remember.standing_lines import choose_standing_lines
from smartbrain.remember.summarise import summaries
from smartbrain.text.ontology import extend_ontology

if TYPE_CHECKING:
    from smartbrain.domain.job import Job
    from smartbrain.domain.memory import Memory
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.rules import WriteRules

_MOST_TURNS: Final = 100
_LONGEST_MESSAGE: Final = 20_000  # characters of a message that a reader is shown
_LONGEST_BEFORE: Final = 1_000  # characters of what the assistant had said last, from its end
_CHAT: Final = (Role.USER, Role.ASSISTANT)


def input_of(
    job: Job, *, transaction: Transaction, ports: Ports, rules: WriteRules
) -> dict[str, Any]:
    """Return what a piece of work is about.

    Raises:
        NotFound: it is gone.
        AdapterError: the storage failed, or an original is damaged.
    """
    match WorkKind(job.kind):
        case WorkKind.EXTRACT:
            return _extract(job.payload, transaction, ports, rules)
        case WorkKind.VERIFY:
            return _verify(job.payload, transaction)
        case WorkKind.LINK:
            return _link(job.payload, transaction)
        case WorkKind.SUMMARISE:
            return _summarise(job.payload, transaction, ports, rules)
        case WorkKind.EMBED:
            return {"memories": _texts(job.payload["memories"], transaction, ports)}


def _texts(ids: Iterable[str], transaction: Transaction, ports: Ports) -> list[dict[str, str]]:
    """Return the texts to embed of memories, each with a mark that changes with its text."""
    found = transaction.memories.get(ids).values()
    if not found:
        raise NotFound("the memories to embed are gone")
    texts = {memory.id: embedded_text(memory, ports.types) for memory in found}
    return [{"id": one, "text": text, "mark": mark_of(text)} for one, text in texts.items()]


def _extract(
    payload: Mapping[str, Any], transaction: Transaction, ports: Ports, rules: WriteRules
) -> dict[str, Any]:
    ontology = extend_ontology(rules.rules.ontology.attributes)
    asked = load_messages(payload, transaction=transaction, ports=ports)
    turn, messages = asked.turn, []
    if is_off_record(turn.session_id, turn.id, transaction, ports.types):
        raise NotFound("the user asked not to remember the turn")
    for place, (index, said) in enumerate(asked.said):
        message = turn.messages[index]
        content = "\n".join(sentence.text for sentence in said.sentences)
        shown = {"message": place, "id": message.id, "role": message.role.value}
        named = {"name": message.name} if message.name else {}
        messages.append({**shown, **named, "content": content[:_LONGEST_MESSAGE]})
    before = _said_before(turn, asked.said[0][0] if asked.said else 0, transaction, ports)
    text = "\n".join((before, *(str(one["content"]) for one in messages)))
    return {
        "session_id": turn.session_id,
        "turn_id": turn.id,
        "at": turn.at.isoformat(),
        "before": before,
        "messages": messages,
        "memories": choose_standing_lines(turn.id, text, ontology, transaction=transaction),
        "attributes": [one.name for one in ontology.attributes],
    }


def _said_before(turn: Turn, index: int, transaction: Transaction, ports: Ports) -> str:
    """Return what the assistant had said last before a message: in its turn, or the one before."""
    said = turn.messages[:index]
    if not said:
        earlier, _ = transaction.remembering.neighbours(turn.id)
        if earlier and is_off_record(turn.session_id, earlier, transaction, ports.types):
            return ""
        before = turn_of(earlier, transaction=transaction, ports=ports)
        said = before.messages if before else ()
    words = [one.content for one in said if one.role is Role.ASSISTANT and one.content]
    return words[-1][-_LONGEST_BEFORE:] if words else ""


def _verify(payload: Mapping[str, Any], transaction: Transaction) -> dict[str, Any]:
    pair = {name: str(payload[name]) for name in ("active", "other")}
    found = transaction.memories.get(pair.values())
    if len(found) < len(pair):
        raise NotFound("one of the two facts is gone")
    return {name: _brief(found[one]) for name, one in pair.items()}


def _link(payload: Mapping[str, Any], transaction: Transaction) -> dict[str, Any]:
    found = transaction.memories.get(payload["memories"])
    if not found:
        raise NotFound("the memories to link are gone")
    beside = {
        edge.dst
        for one in found
        for edge in transaction.edges.of(one, kind=EdgeType.MENTIONS)
        if edge.dst not in found
    }
    around = transaction.memories.get(sorted(beside))
    return {
        "memories": [_brief(memory) for memory in found.values()],
        "entities": [_brief(memory) for memory in around.values()],
        "relations": [kind.value for kind in LINKED],
    }


def _summarise(
    payload: Mapping[str, Any], transaction: Transaction, ports: Ports, rules: WriteRules
) -> dict[str, Any]:
    session = str(payload["session_id"])
    kept = summaries(session, transaction=transaction)
    summary = next((one for one in kept if one.version == payload["version"]), None)
    if summary is None:
        raise NotFound(f"version {payload['version']} of the summary is not kept any more")
    first, last = (transaction.events.turn(one).seq for one in summary.source_turn_range)
    limit = min(_MOST_TURNS, last - first + 1)
    turns = transaction.events.turns(session, after=first - 1, limit=limit)
    whole = with_texts(turns, transaction=transaction, blobs=ports.blobs, outputs=False)
    return {
        "session_id": session,
        "version": summary.version,
        "summary": summary.text,
        "turns": [
            _talk(turn)
            for turn in whole
            if not is_off_record(session, turn.id, transaction, ports.types)
        ],
        "max_tokens": rules.rules.policies.composition.summary_max_tokens,
    }


def _talk(turn: Turn) -> dict[str, Any]:
    """Return what user and assistant said in a turn."""
    said = [
        {"role": message.role.value, "content": message.content}
        for message in turn.messages
        if message.role in _CHAT and message.content
    ]
    return {"turn_id": turn.id, "at": turn.at.isoformat(), "messages": said}


def _brief(memory: Memory) -> dict[str, Any]:
    """Return what an agent needs to know of a memory."""
    return {
        "id": memory.id,
        "type": memory.type,
        "key": memory.key,
        "text": memory.text,
        "value": memory.value,
        "status": memory.status.value,
        "confidence": memory.confidence,
        "source": memory.provenance.creator,
        "said_at": memory.said_at.isoformat(),
        "frequency": memory.frequency,
    }
