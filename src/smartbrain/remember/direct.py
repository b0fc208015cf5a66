"""Writing what is not folded from claims: entities, concepts and other nodes that are stated (K2).

In: candidates of such a type, by a proposal or an operation. Out: the node, made, united with what
is known of it, or taken back; and what became of each candidate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.candidate import CandidateAction, Source
from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.memory import Memory, Privacy, Scope, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.domain.reason import by_rule
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.remember.episode import episode_of
from smartbrain.remember.fold.rules import NOTHING_TO_END
from smartbrain.remember.version_rows import FoldOutcome, importance_of, labels_of, title_of

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.remember.gate import Judged
    from smartbrain.remember.write_set import WriteSet


def write_node(judged: Judged, outcome: FoldOutcome, *, writes: WriteSet, rules: Rules) -> None:
    """Write one node that somebody states, or take it back."""
    one, kind = judged.candidate, writes.types.get(judged.candidate.type)
    known = writes.standing(kind.name, judged.key) if judged.key else None
    if one.action is CandidateAction.RETRACT:
        if known is None:
            reason = "nothing that is remembered says what it denies"
            _tell(judged, RetentionAction.REFUSED, NOTHING_TO_END, reason, outcome)
            return
        writes.put(known, status=Status.RETRACTED, valid_until=writes.origin.said_at)
        _tell(judged, RetentionAction.RETRACTED, "denied", "it was taken back", outcome)
        return
    value = dict(one.value)
    if known is not None and kind.on_conflict is ConflictClass.MERGE:
        value = {**known.value, **{name: item for name, item in value.items() if item}}
        for name in ("aliases", "keywords"):
            if known.value.get(name) and one.value.get(name):
                value[name] = list(dict.fromkeys((*known.value[name], *one.value[name])))
    if known is not None and value == known.value:
        again = writes.put(known, frequency=known.frequency + 1, status=Status.ACTIVE)
        outcome.repeated[again.id] = None
        reason = f"it is known already; it has been said {again.frequency} times now"
        _tell(judged, RetentionAction.MERGED, "repeated", reason, outcome)
        return
    new = _node(judged, value, writes, rules)
    if known is not None:
        writes.put(known, status=Status.SUPERSEDED, valid_until=writes.origin.said_at)
        writes.link(known.id, EdgeType.VERSION_NEXT, new.id)
        writes.link(known.id, EdgeType.ACTIVE_OF, new.id)
    writes.put(new)
    origin = writes.origin
    if origin.turn_id is not None:
        episode = episode_of(writes.types.get("episodes"), origin.session_id, origin.turn_id)
        writes.link(new.id, EdgeType.DERIVED_FROM, episode.id, confidence=one.confidence)
    outcome.written[new.id] = None
    code, reason = ("new_version", "it changes what was known") if known else ("new", "it is new")
    _tell(judged, RetentionAction.WRITTEN, code, reason, outcome)


def _node(judged: Judged, value: dict[str, object], writes: WriteSet, rules: Rules) -> Memory:
    """Return a node as the next version of its key."""
    one, kind = judged.candidate, writes.types.get(judged.candidate.type)
    sentence = " ".join(kind.sentence(value).split())
    text = " ".join(one.text.split()) or sentence
    title = title_of(sentence or text)
    source = Source.USER if one.source is Source.OPERATION else one.source
    return writes.make(
        kind.name,
        judged.key,
        title=title,
        text=text,
        value=value,
        keywords=labels_of(title, text, value),
        confidence=one.confidence,
        importance=importance_of(kind.name),
        tags=("declared",) if one.declared else (),
        source_message_id=judged.message_id,
        raw_refs=judged.raw_refs,
        evidence_refs=one.evidence_refs,
        privacy=Privacy(judged.pii, Scope(rules.privacy.scope)),
        provenance=Provenance(source.value),
    )


def _tell(
    judged: Judged, action: RetentionAction, code: str, reason: str, outcome: FoldOutcome
) -> None:
    """Note what became of a candidate."""
    told = by_rule(reason, judged.candidate.rule)
    kind, key = judged.candidate.type, judged.key
    outcome.retention.append(Retention(type=kind, key=key, action=action, code=code, reason=told))
