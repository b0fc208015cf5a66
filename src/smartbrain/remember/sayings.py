"""What was said under a key, one saying after the other, for versions that are made anew (C4, M4).

In: the versions of a key. Out: every saying that they are made of: those that began a version,
those that repeated it, and denials. The edge between a version and the episode of a turn keeps how
the turn put it, where the version tells it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.graph import Edge, EdgeType
from smartbrain.domain.memory import OVER, Memory, Status
from smartbrain.remember.board import Board
from smartbrain.remember.closing import is_deed
from smartbrain.remember.denials import Denial
from smartbrain.remember.episode import episode_of
from smartbrain.remember.gate import Judged
from smartbrain.remember.origin import Origin
from smartbrain.remember.versions import CORRECTION, DECLARED

if TYPE_CHECKING:
    from smartbrain.remember.outcome import Outcome

_SURER: Final = 0.05
_FLAGS: Final = ("declared", "confirmed", "corrects")
_DENIED: Final = "denied"
_RETRACT: Final = CandidateAction.RETRACT


@dataclass(frozen=True, slots=True, eq=False)
class Saying:
    """Something that was said: as the gate let it through, where, and the version that holds it.

    `begins` tells whether that version names this turn as its source.
    """

    judged: Judged
    origin: Origin
    row: Memory | None = None
    episode: str | None = None
    begins: bool = False

    @property
    def is_denial(self) -> bool:
        """Whether it takes something back."""
        return self.judged.candidate.action is _RETRACT


class _Heard(NamedTuple):
    """An edge between a version and an episode; `begins` where the version is derived from it."""

    edge: Edge
    episode: Memory
    begins: bool


def tie(episode: str, outcome: Outcome, board: Board) -> None:
    """Lead from each memory of a commit to the turn that says so."""
    for one, judged in outcome.written.items():
        link_saying(judged, board.get(one), episode, board, begins=True)
    for one, judged in outcome.repeated.items():
        link_saying(judged, board.get(one), episode, board, begins=False)


def link_saying(
    judged: Judged, memory: Memory, episode: str, board: Board, *, begins: bool
) -> None:
    """Tie a version and the episode of a turn that says it, with how the turn puts it."""
    sure, attrs = judged.candidate.confidence, _said_as(judged, memory)
    if begins:
        board.link(memory.id, EdgeType.DERIVED_FROM, episode, confidence=sure, attrs=attrs)
    else:
        board.link(episode, EdgeType.SUPPORTS, memory.id, confidence=sure, attrs=attrs)


def cut_saying(one: Saying, board: Board) -> None:
    """Take away the edge between a saying and the version that held it."""
    if one.row is None or one.episode is None:
        return
    if one.begins:
        board.cut(one.row.id, EdgeType.DERIVED_FROM, one.episode)
    else:
        board.cut(one.episode, EdgeType.SUPPORTS, one.row.id)


def sayings_of(
    versions: Sequence[Memory], denials: Iterable[Denial], board: Board, outcome: Outcome
) -> list[Saying]:
    """Return what versions of a key are made of, and the denials; the outcome is of this commit."""
    alone, heard = list(denials), _heard(versions, board)
    found: list[Saying] = []
    for version in versions:
        said = list(_of_version(version, heard.get(version.id, ()), alone, board))
        for told, begins in ((outcome.written, True), (outcome.repeated, False)):
            if version.id in told:
                said.append(Saying(told[version.id], board.origin, version, None, begins))
        found += [*said, *_lacking(version, said, board)]
    return found + [Saying(one.judged, one.origin, None, _episode(one, board)) for one in alone]


def _episode(denial: Denial, board: Board) -> str | None:
    """Return the id of the episode of the turn that denies something."""
    turn, session = denial.origin.turn_id, denial.origin.session_id
    return episode_of(board.types.get("episodes"), session, turn).id if turn else None


def other_ends(versions: Iterable[Memory], known: Iterable[Denial], board: Board) -> list[Denial]:
    """Return an end for each version that was taken back, though no denial of it is kept."""
    versions = list(versions)
    times = {one.at for one in known}
    times |= {one.valid_since for one in versions if CORRECTION in one.tags and one.valid_since}
    found = []
    for one in versions:
        if one.status is not Status.RETRACTED or not one.valid_until or one.valid_until in times:
            continue
        rule = OVER if OVER in one.tags else "operation"
        candidate = Candidate(type=one.type, text="", rule=rule, action=_RETRACT)
        origin = Origin(operation_id=one.id, said_at=one.valid_until, now=board.origin.now)
        found.append(Denial(Judged(candidate=candidate, key=one.key), origin))
    return found


def in_order(sayings: Iterable[Saying]) -> list[Saying]:
    """Return sayings by their own times; a denial goes before what its own turn says instead.

    What else a turn says goes by its place in the turn.
    """
    told = list(sayings)
    turns = {one.origin.id: place for place, one in reversed([*enumerate(told)])}

    def place(one: Saying) -> tuple[Any, int, int, int]:
        """Return where a saying stands."""
        at, refs = one.origin.said_at, one.judged.raw_refs
        if one.is_denial:
            return at, 0, 0, 0
        ended = one.row.valid_until if one.row and one.row.status is Status.RETRACTED else None
        rank = -1 if ended == at else 1
        return at, rank, turns[one.origin.id], refs[0].offset if refs else 0

    return sorted(told, key=place)


def _said_as(judged: Judged, memory: Memory) -> dict[str, Any]:
    """Return what a turn says that its version does not tell."""
    one = judged.candidate
    if one.action is _RETRACT:
        return {_DENIED: True}
    attrs: dict[str, Any] = {"rule": one.rule, "value": dict(one.value)}
    attrs |= {name: True for name in _FLAGS if getattr(one, name)}
    if judged.key != memory.key:
        attrs["key"] = judged.key
    if (is_deed(one) or one.type == "events") and one.text != memory.text:
        attrs["text"] = one.text
    if one.source != memory.provenance.creator:
        attrs["source"] = one.source.value
    return attrs


def _heard(versions: Iterable[Memory], board: Board) -> dict[str, list[_Heard]]:
    """Return the edges between versions and episodes, by version."""
    found: list[tuple[str, str, Edge, bool]] = []
    for one in versions:
        begun = board.edges_of(one.id, kind=EdgeType.DERIVED_FROM)
        again = board.edges_of(one.id, outgoing=False, kind=EdgeType.SUPPORTS)
        found += [(one.id, edge.dst, edge, True) for edge in begun]
        found += [(one.id, edge.src, edge, False) for edge in again]
    episodes = board.transaction.memories.get(dict.fromkeys(ref for _, ref, _, _ in found))
    heard: dict[str, list[_Heard]] = {}
    for version, ref, edge, begins in found:
        if ref in episodes and episodes[ref].type == "episodes":
            heard.setdefault(version, []).append(_Heard(edge, episodes[ref], begins))
    return heard


def _of_version(
    version: Memory, heard: Iterable[_Heard], denials: list[Denial], board: Board
) -> Iterator[Saying]:
    """Yield what the episodes of turns say of a version; a denial that made it is taken out."""
    for edge, episode, begins in heard:
        origin = Origin(
            turn_id=episode.source_turn_id,
            session_id=str(episode.value.get("session", "")),
            said_at=episode.said_at,
            now=board.origin.now,
        )
        judged = _judged(version, edge.attrs, edge.confidence)
        if edge.attrs.get(_DENIED):
            meant = next((one for one in denials if one.origin.turn_id == origin.turn_id), None)
            if meant is not None:
                denials.remove(meant)
                judged = meant.judged
        elif not begins:
            judged = replace(judged, message_id=None, raw_refs=episode.raw_refs)
        yield Saying(judged, origin, version, episode.id, begins)


def _judged(version: Memory, attrs: Mapping[str, Any], confidence: float) -> Judged:
    """Return a saying of a version as the gate let it through."""
    creator = str(attrs.get("source", version.provenance.creator))
    rule = "operation.put" if version.source_operation_id else ""
    candidate = Candidate(
        type=version.type,
        value=attrs.get("value", version.value),
        text="" if version.type == "profile" else str(attrs.get("text", version.text)),
        rule=str(attrs.get("rule", rule)),
        source=Source(creator) if creator in list(Source) else Source.USER,
        confidence=confidence,
        declared=bool(attrs.get("declared")) or (not attrs and DECLARED in version.tags),
        confirmed=bool(attrs.get("confirmed")),
        corrects=bool(attrs.get("corrects")) or (not attrs and CORRECTION in version.tags),
    )
    return Judged(
        candidate=candidate,
        key=str(attrs.get("key", version.key)),
        pii=version.privacy.pii,
        message_id=version.source_message_id,
        raw_refs=version.raw_refs,
    )


def _lacking(version: Memory, said: Sequence[Saying], board: Board) -> Iterator[Saying]:
    """Yield what was said of a version by no turn that is still there, such as an operation."""
    known = {one.origin.said_at for one in said}
    ends = dict.fromkeys((version.valid_since or version.said_at, version.said_at))
    times = [at for at in ends if at not in known]
    least = max(0.0, version.confidence - _SURER * (version.frequency - 1))
    begun = any(one.begins for one in said)
    for number in range(version.frequency - len(said)):
        origin = Origin(
            turn_id=version.source_turn_id,
            operation_id=version.source_operation_id,
            said_at=times[number] if number < len(times) else version.said_at,
            now=board.origin.now,
        )
        yield Saying(_judged(version, {}, least), origin, version, None, not begun)
        begun = True
