"""Which versions may be recalled: those that hold, or held at the time that is asked about (M4).

In: memories of any status. Out: those that are admitted, in their order, a reason for each that is
not, and the turns that answer with what was replaced since. Only who asks for history sees what no
longer holds, and nobody what was never held: what waits for the gate, an insight that nobody
validated, what was said to be wrong. What was said off the record is for its own session alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from smartbrain.domain.memory import OFF_RECORD, Memory, Status, is_fact_over, status_at
from smartbrain.domain.packet import PacketItem
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Cues, RecallItem
from smartbrain.domain.recalled import Ranked, RecalledRow, Replaced
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.recall.verdicts import WHY_FALLEN
from smartbrain.text.sentences import split_sentences
from smartbrain.text.tokenise import index_terms

_INSIGHTS: Final = "insights"
_EPISODES: Final = "episodes"
_PROFILE: Final = "profile"
_BY_GRAPH: Final = "graph"
_TITLE: Final = 80  # characters
_READ: Final = 2_000  # characters of a message
_UNSHOWN: Final = "the user asked not to remember it, and its session is another one or has ended"
_NOT_PROMOTED: Final = "not_promoted"
_NEVER_HELD: Final = (Status.CANDIDATE.value, _NOT_PROMOTED)
_ENDED_SINCE: Final = frozenset(
    (Status.SUPERSEDED, Status.DISPUTED, Status.EXPIRED, Status.DEPRECATED)
)
"""How a version may have ended that held until then; a disputed one if another took its place.

What was taken back did if it was said to be over, and did not if it was said to be wrong.
"""


def admit(
    ranked: Sequence[Ranked],
    now: datetime,
    as_of: datetime | None = None,
    *,
    history: bool,
    session: str | None = None,
) -> tuple[list[Ranked], list[Reason]]:
    """Return what may be recalled, in order, and why the rest may not.

    `as_of` asks for the version of each key that held then, `history` also for versions that do not
    hold. `session` is the one that asks.
    """
    kept: list[Ranked] = []
    refused: list[Reason] = []
    holding: dict[str, str] | None = None
    if as_of is not None:  # by key, the version that had held last at that time
        held = [one.row for one in ranked if refusal(one.row, as_of, as_of) is None]
        held.sort(key=lambda row: (row.valid_since or row.said_at, row.version, row.id))
        holding = {row.key: row.id for row in held}
    denied = [one.row for one in ranked if _is_denied(one.row)] if history else []
    taken_back = {row.source_turn_id for row in denied}
    for one in ranked:
        reason = refusal(one.row, now, as_of)
        if history and (reason is None or not (_is_denied(one.row) or reason.code in _NEVER_HELD)):
            reason = None
        elif reason is None and holding is not None and holding[one.row.key] != one.row.id:
            reason = reason_about(one.row, Status.SUPERSEDED, WHY_FALLEN[Status.SUPERSEDED])
        # A turn is not found by nothing but a memory of it that was taken back.
        leads = one.row.type == _EPISODES and one.found_by == (_BY_GRAPH,)
        if reason is None and leads and one.row.source_turn_id in taken_back:
            reason = reason_about(one.row, Status.RETRACTED, "only what was taken back leads to it")
        if one.row.only_in is not None and one.row.only_in != session:
            reason = reason_about(one.row, OFF_RECORD, _UNSHOWN)
        if reason is None:
            kept.append(one if history else one._replace(row=without_over(one.row, as_of or now)))
        else:
            refused.append(reason)
    return kept, refused


def without_over(row: RecalledRow, at: datetime) -> RecalledRow:
    """Return a profile without the facts whose time is over; anything else as it is."""
    facts = row.value.get("facts", ()) if row.type == _PROFILE else ()
    held = [fact for fact in facts if not is_fact_over(fact, at)]
    if len(held) == len(facts):
        return row
    value = {**row.value, "facts": held}
    text = BUILTIN_TYPES.get(_PROFILE).sentence(value)
    told = {name: getattr(row, name) for name in RecalledRow._fields}
    return RecalledRow(**{**told, "value": value, "text": text, "title": text[:_TITLE]})


def is_unpromoted(memory: Memory | RecalledRow) -> bool:
    """Tell whether a memory is a hypothesis that nobody validated: it never joined the others."""
    return memory.type == _INSIGHTS and memory.value.get("validated") is not True


def find_outdated(
    rows: Sequence[RecalledRow], replaced: Iterable[Replaced], cues: Cues
) -> dict[int, list[int]]:
    """Return the turns that answer with what does not hold any more, and what holds now, by number.

    A turn counts as outdated only for a question that it answers with the very sentence that told
    what was replaced.
    """
    episodes = {row.source_turn_id: row for row in rows if row.type == _EPISODES}
    known = {row.num for row in rows}
    asked = set(index_terms(cues.text[:_READ]))
    outdated: dict[int, list[int]] = {}
    for one in replaced:
        episode = episodes.get(one.turn_id)
        if episode is None or one.num not in known:
            continue
        gone = list(_no_longer_said(one.value, one.stands))
        text = telling = episode.text
        if one.text in text:
            telling = one.text
        else:
            sentences = split_sentences(text)
            told = (part for part in sentences if any(value and value in part for value in gone))
            telling = "\n".join(told)
        held = [term for term in asked if term in text.lower()]
        if gone and held and all(term in telling.lower() for term in held):
            outdated.setdefault(episode.num, []).append(one.num)
    return outdated


def outdated_reasons(
    outdated: Mapping[int, Sequence[int]], rows: Sequence[RecalledRow]
) -> Iterator[Reason]:
    """Yield for each outdated turn what stands in the place of what it answers with."""
    known = {row.num: row for row in rows} if outdated else {}
    for num, stand in outdated.items():
        rows_now = [known[one] for one in dict.fromkeys(stand)]
        names = dict.fromkeys(row.key for row in rows_now)
        sentence = f"what it answers with was replaced since: {', '.join(names)} comes before it"
        reason = reason_about(known[num], "outdated", sentence)
        yield replace(reason, detail={"replaced_by": [row.id for row in rows_now]})


def _no_longer_said(value: Mapping[str, Any], stands: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a version said that the one in its place does not say, as text.

    A list is compared by what it holds: of a profile, one fact may have changed and others not.
    """
    for name, said in value.items():
        now = stands.get(name)
        if isinstance(said, list):
            held = now if isinstance(now, list) else []
            yield from (_spelt(item) for item in said if item not in held)
        elif said != now:
            yield _spelt(said)


def _spelt(said: Any) -> str:
    return str(said.get("v", "")) if isinstance(said, Mapping) else str(said)


def refusal(row: RecalledRow, now: datetime, as_of: datetime | None = None) -> Reason | None:
    """Return why a version may not be recalled, by its status or its validity."""
    if row.status is not Status.CANDIDATE and is_unpromoted(row):
        return reason_about(row, _NOT_PROMOTED, "a run supposed it, and nobody validated it")
    since_ended = row.ended or row.status in _ENDED_SINCE
    ended = as_of is not None and since_ended and row.valid_until is not None
    if row.status is not Status.ACTIVE and not ended:
        return reason_about(row, row.status, WHY_FALLEN[row.status])
    since = row.valid_since or (row.said_at if as_of else None)
    # Whoever says something holds it from then on, even if their clock is ahead of ours.
    if since is not None and since > (as_of or max(now, row.said_at)):
        return reason_about(row, "not_yet_valid", f"it holds only from {since.isoformat()}")
    if row.valid_until is not None and row.valid_until <= (as_of or now):
        return reason_about(row, Status.EXPIRED, f"it held until {row.valid_until.isoformat()}")
    at = as_of or now
    if row.type == _PROFILE and status_at(row.status, None, row.value, at) is Status.EXPIRED:
        return reason_about(row, Status.EXPIRED, "the time of all its facts is over")
    return None


def _is_denied(row: RecalledRow) -> bool:
    """Tell whether a version was taken back as wrong, or to be forgotten; not as being over."""
    return row.never and row.status is not Status.ACTIVE


def reason_about(
    what: RecalledRow | Memory | PacketItem | RecallItem, code: str, sentence: str
) -> Reason:
    """Return a reason about a memory."""
    return Reason(str(code), sentence, id=what.id, type=what.type, key=what.key)
