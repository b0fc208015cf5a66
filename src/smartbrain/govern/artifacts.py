"""Artifacts: the runs of tools, read again point to point and never all at once (W6, R15).

In: the id of a run, and which part of its output is wanted. Out: that part with what is known of
the run, the lines that match a pattern, or a page of runs. What was said in a turn is read the same
way, as `turn:<id>`: a context refers to long code by it. Every text is checked against its hash
when it is read. Nothing is written here: a run is committed like everything that happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.artifact import Artifact, FoundLine, FoundLines, StoredCall
from smartbrain.domain.turn import CallStatus, Role, ToolCall, Turn
from smartbrain.errors import AdapterError, NotFound, UsageError
from smartbrain.govern.artifact_text import excerpt, summary_of, text_of
from smartbrain.govern.outputs.seen import clip
from smartbrain.govern.sessions import LOST_TEXT, with_texts
from smartbrain.govern.text_part import part_of
from smartbrain.ports.line_search import LineQuery

if TYPE_CHECKING:
    from smartbrain.domain.memory import Span
    from smartbrain.domain.policy_state import ArtifactsRules
    from smartbrain.domain.result import ArtifactSummary
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.line_search import LineSearch
    from smartbrain.ports.truth import Transaction

__all__ = [
    "added_artifact",
    "excerpt",
    "find_lines",
    "get_artifact",
    "last_artifacts",
    "list_artifacts",
    "read_call",
    "run_of_text",
]

PREFIX: Final = "tool:"
"""How a run is named where other things can be named too."""
TURNS: Final = ("turn:", "chat:")
"""How contexts and pins name a turn."""
_SHORT: Final = ("…", "...")  # what stands for the beginning of an id in a context
_LATEST: Final = 100_000  # turns among which the end of an id is looked for
_LOOKED_THROUGH: Final = 200  # runs of one turn, the latest
_LINE: Final = 500  # characters of a line that a search shows
_ENDS: Final = 131_072  # bytes at either end of a stream that a list reads for a summary


def get_artifact(
    artifact_id: str, wanted: object = None, *, ports: Ports, rules: ArtifactsRules
) -> Artifact:
    """Return a run with a part of its output.

    Raises:
        NotFound: there is no such run.
        UsageError: the range is none, or outside; the sentence names the size.
        AdapterError: the storage failed, or the text is damaged or gone.
    """
    stored = read_call(artifact_id, ports=ports)
    size = _size(stored.call)
    summary = summary_of(stored.call, rules, size=size)
    return _with_part(_artifact(stored, summary, size), text_of(stored.call), wanted, rules)


def added_artifact(told: ArtifactSummary, *, ports: Ports, rules: ArtifactsRules) -> Artifact:
    """Return a run that was just stored with the beginning of its output.

    `told` is what its commit says of it, so that a large output is not looked through again.
    """
    stored = read_call(told.id, ports=ports)
    artifact = _artifact(stored, told.summary, _size(stored.call))
    return _with_part(artifact, text_of(stored.call), None, rules)


def find_lines(
    artifact_id: str,
    query: LineQuery,
    *,
    context: int = 0,
    search: LineSearch,
    ports: Ports,
    rules: ArtifactsRules,
) -> FoundLines:
    """Return the lines of an output that match, numbered, with so many lines around each.

    Raises:
        NotFound: there is no such run.
        UsageError: the pattern is no regular expression, or takes too long.
        AdapterError: the storage failed, or the text is damaged or gone.
    """
    stored = read_call(artifact_id, ports=ports)
    # What ends the last line begins no other.
    text = text_of(stored.call).removesuffix("\n")
    # One more than asked for tells whether there are more.
    found = search.find(text, replace(query, limit=query.limit + 1))
    matches, rest = found[: query.limit], found[query.limit :]
    lines = text.split("\n")
    shown: dict[int, FoundLine] = {}
    room = rules.read_max_chars
    done = 0
    for number, place in matches:
        around = range(max(0, number - context), min(len(lines), number + context + 1))
        new = {
            at: FoundLine(
                at + 1, clip(lines[at], _LINE, place if at == number else 0), at == number
            )
            for at in around
            if at not in shown or at == number
        }
        room -= sum(len(one.text) + 8 for one in new.values())
        if room < 0 and done:
            break
        shown.update(new)
        done += 1
    more = None
    if rest or done < len(matches):
        more = f"there are more; go on with after={matches[done - 1][0] + 1}"
    return FoundLines(
        id=stored.call.id,
        pattern=query.pattern,
        matches=done,
        lines=tuple(shown[at] for at in sorted(shown)),
        more=more,
    )


def list_artifacts(
    *,
    session_id: str | None,
    turn_id: str | None,
    before: tuple[int, int] | None,
    limit: int,
    ports: Ports,
    rules: ArtifactsRules,
) -> list[tuple[tuple[int, int], Artifact]]:
    """Return runs with their places, newest first, without their output.

    The summary of a very large output is made of its two ends here, lest a list read it all.

    Raises:
        AdapterError: the storage failed, or a text is damaged or gone.
    """
    with ports.truth.read() as transaction:
        found = transaction.calls.page(
            session_id=session_id, turn_id=turn_id, before=before, limit=limit
        )
        artifacts = _artifacts(found, transaction=transaction, blobs=ports.blobs, rules=rules)
    return [(place, one) for (place, _), one in zip(found, artifacts, strict=True)]


def last_artifacts(
    session_id: str,
    limit: int,
    *,
    turn_id: str | None = None,
    transaction: Transaction,
    blobs: Blobs,
    rules: ArtifactsRules,
) -> list[Artifact]:
    """Return the last runs of a session or of a turn, newest first, without their output.

    Raises:
        AdapterError: the storage failed. If a text is damaged or gone, there are none.
    """
    found = transaction.calls.page(session_id=session_id, turn_id=turn_id, limit=limit)
    return _unless_lost(found, transaction, blobs, rules)


def run_of_text(
    turn_id: str,
    raw_id: str,
    *,
    transaction: Transaction,
    blobs: Blobs,
    rules: ArtifactsRules,
) -> Artifact | None:
    """Return the run of a turn that printed an original text, without its output, if one did.

    Raises:
        AdapterError: the storage failed. If a text is damaged or gone, there is none.
    """
    for place, stored in transaction.calls.page(turn_id=turn_id, limit=_LOOKED_THROUGH):
        call = stored.call
        spans = (*call.result_spans, *call.stdout_spans, *call.stderr_spans)
        if any(span.raw_id == raw_id for span in spans):
            found = [(place, stored)]
            return next(iter(_unless_lost(found, transaction, blobs, rules)), None)
    return None


def read_call(artifact_id: str, *, ports: Ports) -> StoredCall:
    """Return a run with its whole output, by its id or `tool:<id>`; or a turn, by `turn:<id>`.

    The id of a run may be the one that its caller gave it, as in the source of a pin.

    A turn is also found by the end of its id, as evidence shows it: `turn:…2b6faa`.

    Raises:
        NotFound: there is no such run or turn.
        UsageError: several turns end so.
        AdapterError: the storage failed, or the text is damaged or gone.
    """
    if artifact_id.startswith(TURNS):
        return _said(artifact_id.partition(":")[2], ports=ports)
    wanted = artifact_id.removeprefix(PREFIX)
    with ports.truth.read() as transaction:
        stored = transaction.calls.get(wanted)
        if stored is None:
            raise NotFound(
                f"there is no artifact {artifact_id!r:.80} in this tenant; artifacts.list() names"
                " those there are"
            )
        place = ((0, 0), stored)
        (call,) = _with_output([stored.call], [place], transaction=transaction, blobs=ports.blobs)
    return replace(stored, call=call)


def _said(turn_id: str, *, ports: Ports) -> StoredCall:
    """Return what was said in a turn, as if a tool had printed it."""
    with ports.truth.read() as transaction:
        if turn_id.startswith(_SHORT):
            turn_id = _turn_ending(turn_id, transaction)
        stored = transaction.events.turn(turn_id)
        said = [one for one in stored.messages if one.role in (Role.USER, Role.ASSISTANT)]
        turn = replace(stored, messages=tuple(said), tool_calls=())
        (whole,) = with_texts([turn], transaction=transaction, blobs=ports.blobs, outputs=False)
    lines = [
        f"{' '.join(filter(None, (one.role.value, one.name)))}: {one.content}"
        for one in whole.messages
    ]
    call = ToolCall(
        id=f"{TURNS[0]}{turn_id}",
        name="turn",
        status=CallStatus.OK,
        result="\n".join(lines),
        result_spans=tuple(span for one in said for span in one.spans),
    )
    return StoredCall(
        call=call, session_id=turn.session_id, turn_id=turn_id, created_at=turn.created_at
    )


def _turn_ending(short: str, transaction: Transaction) -> str:
    """Return the id of the turn that a context shows by its end."""
    end = short.lstrip("….")
    found = transaction.sources.turns_ending(end, within=_LATEST) if end else []
    if len(found) > 1:
        raise UsageError(
            f"several turns end in {end!r:.80}; give the whole id, such as turn:{found[0]}"
        )
    if not found:
        raise NotFound(f"no turn of this tenant ends in {end!r:.80}; give turn:<id> as it is shown")
    return found[0]


def _unless_lost(
    found: Sequence[tuple[tuple[int, int], StoredCall]],
    transaction: Transaction,
    blobs: Blobs,
    rules: ArtifactsRules,
) -> list[Artifact]:
    """Return runs with their summaries; none if a text is damaged or gone."""
    try:
        return _artifacts(found, transaction=transaction, blobs=blobs, rules=rules)
    except AdapterError as error:
        if error.code not in LOST_TEXT:
            raise
    return []


def _artifacts(
    found: Sequence[tuple[tuple[int, int], StoredCall]],
    *,
    transaction: Transaction,
    blobs: Blobs,
    rules: ArtifactsRules,
) -> list[Artifact]:
    """Return runs with their summaries, of very large output made of its two ends."""
    calls = [_ends(stored.call) for _, stored in found]
    whole = _with_output(calls, found, transaction=transaction, blobs=blobs)
    return [
        _artifact(stored, summary_of(call, rules, size=_size(stored.call)), _size(stored.call))
        for (_, stored), call in zip(found, whole, strict=True)
    ]


def _with_output(
    calls: Sequence[ToolCall],
    found: Sequence[tuple[tuple[int, int], StoredCall]],
    *,
    transaction: Transaction,
    blobs: Blobs,
) -> list[ToolCall]:
    """Return calls with their texts, each read as a turn of its own."""
    turns = [
        Turn(
            id=stored.turn_id,
            session_id=stored.session_id,
            seq=0,
            at=stored.created_at,
            tool_calls=(call,),
            created_at=stored.created_at,
        )
        for call, (_, stored) in zip(calls, found, strict=True)
    ]
    whole = with_texts(turns, transaction=transaction, blobs=blobs)
    return [call for turn in whole for call in turn.tool_calls]


def _with_part(artifact: Artifact, text: str, wanted: object, rules: ArtifactsRules) -> Artifact:
    """Return a run with a part of its output."""
    part = part_of(text, wanted, most=rules.read_max_chars)
    return replace(artifact, lines=part.lines, text=part.text, shown=part.shown, more=part.more)


def _artifact(stored: StoredCall, summary: str, size: int) -> Artifact:
    """Return what is known of a run of so many bytes, without its output."""
    call = stored.call
    return Artifact(
        id=call.id,
        tool_name=call.name,
        status=call.status,
        exit_code=call.exit_code,
        bytes=size,
        summary=summary,
        args=call.args,
        owner=call.owner,
        session_id=stored.session_id,
        turn_id=stored.turn_id,
        created_at=stored.created_at,
    )


def _size(call: ToolCall) -> int:
    """Return how many bytes a run has given back."""
    streams = call.stderr_spans + call.stdout_spans
    return sum(span.length for span in streams or call.result_spans)


def _ends(call: ToolCall) -> ToolCall:
    """Return a call of whose large streams only the two ends are read."""
    spans = (call.result_spans, call.stdout_spans, call.stderr_spans)
    if all(sum(span.length for span in one) <= 2 * _ENDS for one in spans):
        return call
    result, stdout, stderr = map(_outer, spans)
    return replace(
        call, result_spans=result, stdout_spans=stdout, stderr_spans=stderr, result_json=False
    )


def _outer(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return the first spans and the last, some bytes of each."""
    if sum(span.length for span in spans) <= 2 * _ENDS:
        return spans
    return (*_up_to(spans), *reversed(_up_to(tuple(reversed(spans)))))


def _up_to(spans: Sequence[Span]) -> list[Span]:
    """Return spans until there are bytes enough."""
    kept: list[Span] = []
    size = 0
    for span in spans:
        if size >= _ENDS:
            break
        kept.append(span)
        size += span.length
    return kept
