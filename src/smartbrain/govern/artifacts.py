"""Artifacts: the runs of tools, read again point to point and never all at once (W6, R15).

In: the id of a run, and which part of its output is wanted. Out: that part with what is known of
the run, the lines that match a pattern, or a page of runs. What was said in a turn is read the same
way, as `turn:<id>`. Every text is checked against its hash when it is read. Lines count from 1,
bytes of UTF-8 from 0; both ends belong to a part. Nothing is written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from msgspec import structs

from smartbrain.domain.artifact import Artifact, FoundLine, FoundLines, StoredCall
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import CallStatus, Role, ToolCall, Turn
from smartbrain.errors import AdapterError, NotFound, UsageError
from smartbrain.govern.outputs.seen import clip, look_at
from smartbrain.govern.outputs.summarise import summary_lines, tell
from smartbrain.govern.outputs.test_runs import TALLY
from smartbrain.govern.short_term import LOST_TEXT, outcome_line, with_texts
from smartbrain.ports.line_search import LineQuery

if TYPE_CHECKING:
    from smartbrain.domain.memory import Span
    from smartbrain.domain.policy import ArtifactsRules
    from smartbrain.domain.result import ArtifactSummary
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.line_search import LineSearch
    from smartbrain.ports.truth import Transaction


_LINES: Final = re.compile(
    r"\s*+(?:lines?[ =:]?\s*+)?(\d{1,15})\s*+(?:(-)\s*+(?:(\d{1,15})\s*+)?)?"
)
_BYTES: Final = re.compile(
    r"\s*+bytes?(?:(?=\s* )\s++|\s*+[=:]\s*+)(\d{1,15})\s*+-\s*+(?:(\d{1,15})\s*+)?"
)
_HELP: Final = "give lines such as '10-40' or (10, 40), or bytes such as 'bytes=0-999'"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text with its first and last line or byte, and what comes next.

    `first` and `last` are the lines that it is of, whole or not.
    """

    text: str
    shown: str
    lines: int
    more: str | None
    first: int
    last: int


def part_of(text: str, wanted: object, *, most: int, free_end: bool = False) -> Part:
    """Return a part of a text, at most so many characters, its last line's end free if so told."""
    by_bytes, first, last = _read(wanted)
    total = line_count(text)
    if by_bytes:
        return _bytes(text, first, last, total, most)
    if first > max(total, 1):
        raise UsageError(f"line {first:,} is outside: the output has {total:,} lines")
    start = _start_of(text, first)
    last = min(last or total, total)
    end = _start_of(text, last + 1, (first, start))
    if end - start <= most + (free_end and text.endswith("\n", start, end)):
        return _lines(text, (start, end), (first, last), total)
    cut = text.rfind("\n", start, start + most + free_end) + 1
    if cut <= start:  # one line is more than may be shown: go on inside it
        at = len(text[:start].encode())
        return _bytes(text, at, None, total, most)
    last = first + text.count("\n", start, cut) - 1
    return _lines(text, (start, cut), (first, last), total)


def line_count(text: str) -> int:
    """Return how many lines a text has; the last one need not end."""
    return text.count("\n") + bool(text and not text.endswith("\n"))


def _lines(text: str, place: tuple[int, int], numbers: tuple[int, int], total: int) -> Part:
    first, last = numbers
    more = None
    if last < total:
        more = f"go on with range='{last + 1}-{min(total, last + 1 + last - first)}'"
    shown = f"lines {first:,}-{last:,} of {total:,}" if total else "no lines"
    return Part(text[slice(*place)], shown, total, more, first, last)


def _bytes(text: str, first: int, last: int | None, total: int, most: int) -> Part:
    data = text.encode()
    if first >= max(len(data), 1):
        raise UsageError(f"byte {first:,} is outside: the output has {len(data):,} bytes")
    while first and data[first] & 0xC0 == 0x80:  # inside a character: begin with it
        first -= 1
    end = len(data) if last is None else min(last + 1, len(data))
    while first < end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    cut = data[first : min(end, first + 4 * most)].decode(errors="ignore")[:most]
    end = first + len(cut.encode())
    more = None
    if end < len(data):
        more = f"go on with range='bytes={end}-{min(len(data), end + end - first) - 1}'"
    shown = f"bytes {first:,}-{max(first, end - 1):,} of {len(data):,}"
    line = data.count(b"\n", 0, first) + 1
    return Part(cut, shown, total, more, line, line + cut.count("\n", 0, max(0, len(cut) - 1)))


def _read(wanted: object) -> tuple[bool, int, int | None]:
    if wanted is None:
        return False, 1, None
    if isinstance(wanted, tuple | list) and len(wanted) == 2:
        if all(type(one) is int for one in wanted):
            return _checked(False, wanted[0], wanted[1], wanted)
    elif isinstance(wanted, str):
        if match := _BYTES.fullmatch(wanted):
            return _checked(True, int(match[1]), int(match[2]) if match[2] else None, wanted)
        if match := _LINES.fullmatch(wanted):
            end = int(match[3]) if match[3] else None if match[2] else int(match[1])
            return _checked(False, int(match[1]), end, wanted)
    raise UsageError(f"the range {wanted!r:.60} is none; {_HELP}")


def _checked(
    by_bytes: bool, first: int, last: int | None, wanted: object
) -> tuple[bool, int, int | None]:
    least = 0 if by_bytes else 1
    if first < least or (last is not None and last < first):
        raise UsageError(
            f"the range {wanted!r:.60} is empty; lines count from 1, bytes from 0, and the end"
            " is not before the beginning"
        )
    return by_bytes, first, last


def _start_of(text: str, line: int, known: tuple[int, int] = (1, 0)) -> int:
    """Return where a line begins, from one whose beginning is known; the end if there is none."""
    number, place = known
    while number < line:
        found = text.find("\n", place)
        if found < 0:
            return len(text)
        number, place = number + 1, found + 1
    return place


_KEPT: Final = 4  # failing lines that an excerpt keeps, wherever they stand
_AROUND: Final = (5, 3)  # lines before and after each of those
_MIN_FAILING: Final = 8  # characters of a line that says what failed
_LAST_CHARACTERS: Final = 8_000  # of an output, which say how a test run ended


def outputs_of(call: ToolCall) -> list[str]:
    """Return what a call gave back: errors, then output; its result where both are absent."""
    streams = [text for text in (call.stderr, call.stdout) if text]
    if streams:
        return streams
    result = canonical_json(call.result) if call.result_json else call.result
    return [result or ""]


def text_of(call: ToolCall) -> str:
    """Return a call's output as one text; two streams stand under their names."""
    if call.stderr and call.stdout:
        return f"--- stderr ---\n{call.stderr}\n--- stdout ---\n{call.stdout}"
    return outputs_of(call)[0]


def has_failed(call: ToolCall) -> bool:
    """Tell whether a call is known to have failed."""
    return call.status is CallStatus.ERROR or bool(call.exit_code)


def judge_status(call: ToolCall) -> CallStatus:
    """Return how a call ended by what it printed: a test run that failed is no success."""
    if has_failed(call):
        return call.status
    ends = [tell(text[-_LAST_CHARACTERS:]) for text in outputs_of(call) if text]
    failed = any(line.startswith(TALLY) for told in ends for line in told.failing)
    return CallStatus.ERROR if failed else call.status


def size_of(call: ToolCall) -> int:
    """Return how many bytes a call gave back."""
    return sum(len(text.encode()) for text in outputs_of(call))


def summary_of(call: ToolCall, rules: ArtifactsRules, *, size: int) -> str:
    """Return how a call ended and what it printed, what failed first.

    `size` is all that it gave back in bytes, of which the call may hold but a part.
    """
    outputs = outputs_of(call)
    lines = [outcome_line(call, size)]
    if rules.summary_lines > 1:
        most = rules.summary_lines - 1
        cut = size > size_of(call)
        lines += summary_lines(outputs, failed=has_failed(call), most=most, cut=cut)
    # Whatever a line is broken by elsewhere, here it is one line.
    summary = "\n".join(" ".join(line.split()) for line in lines)
    if len(summary) > rules.summary_chars:
        summary = summary[: rules.summary_chars - 1] + "…"
    return summary


def excerpt(call: ToolCall, *, max_chars: int) -> tuple[str, bool]:
    """Return as much of a call's output as may be shown, and whether it was cut.

    Head and tail are kept, and between them the lines that tell what failed; a line says how much
    was left out and under which id the rest waits.
    """
    text = text_of(call)
    if len(text) <= max_chars:
        return text, False
    note = f"[… {len(text):,} characters in all; more: artifact_get(tool:{call.id}) …]"
    room = max_chars - len(note) - 2
    if room <= 0:
        return text[: max(0, max_chars - 1)] + "…"[:max_chars], True
    told = _telling(call, room // 3)
    room -= len(told) + 1 if told else 0
    head, tail = _head(text, room * 3 // 5), _tail(text, room - room * 3 // 5)
    kept = [line for line in told.splitlines() if line not in head and line not in tail]
    return "\n".join([head, note, *kept, tail]), True


def _telling(call: ToolCall, most: int) -> str:
    """Return the lines that tell what failed, with as many of those around them as have room."""
    shown: list[str] = []
    for text in outputs_of(call):
        lines = look_at(text).lines
        failing = tell(text, failed=has_failed(call)).failing
        told = [line for line in enumerate(lines) if _is_part(line[1].strip(), failing)]
        places = [place for place, _ in told][:_KEPT]
        before, after = _AROUND
        near = [
            place + step
            for place in places
            for step in sorted(range(-before, after + 1), key=abs)
            if 0 <= place + step < len(lines)
        ]
        kept: set[int] = set()
        room = most - sum(len(line) + 1 for line in shown)
        for place in dict.fromkeys([*places, *near]):
            if len(lines[place]) < room:
                room -= len(lines[place]) + 1
                kept.add(place)
        shown += [lines[place].rstrip() for place in sorted(kept)]
    return "\n".join(line for line in shown if line.strip())


def _is_part(line: str, failing: Sequence[str]) -> bool:
    """Tell whether a line begins one of those that say what failed, which are cut and joined."""
    if len(line) < _MIN_FAILING:
        return False
    return any(told.startswith(line) or line.startswith(told.rstrip("…")) for told in failing)


def _head(text: str, most: int) -> str:
    cut = text[:most]
    return cut[: cut.rfind("\n")] if "\n" in cut[most // 2 :] else cut


def _tail(text: str, most: int) -> str:
    cut = text[len(text) - most :] if most > 0 else ""
    first = cut.find("\n")
    return cut[first + 1 :] if 0 <= first < most // 2 else cut


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
    artifact_id: str,
    wanted: object = None,
    *,
    ports: Ports,
    rules: ArtifactsRules,
    summary: str | None = None,
) -> Artifact:
    """Return a run with a part of its output.

    With `summary`, which a commit has just told, a large output is not looked through again.
    """
    stored = read_call(artifact_id, ports=ports)
    size = _size(stored.call)
    summary = summary or summary_of(stored.call, rules, size=size)
    part = part_of(text_of(stored.call), wanted, most=rules.read_max_chars)
    return structs.replace(
        _artifact(stored, summary, size),
        lines=part.lines,
        text=part.text,
        shown=part.shown,
        more=part.more,
    )


def added_artifact(told: ArtifactSummary, *, ports: Ports, rules: ArtifactsRules) -> Artifact:
    """Return a run that was just stored with the beginning of its output."""
    return get_artifact(told.id, ports=ports, rules=rules, summary=told.summary)


def find_lines(
    artifact_id: str,
    query: LineQuery,
    *,
    context: int = 0,
    search: LineSearch,
    ports: Ports,
    rules: ArtifactsRules,
) -> FoundLines:
    """Return the lines of an output that match, numbered, with so many lines around each."""
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
    """
    with ports.truth.read() as transaction:
        found = transaction.calls.page(
            session_id=session_id, turn_id=turn_id, before=before, limit=limit
        )
        artifacts = _artifacts(found, transaction=transaction, blobs=ports.blobs, rules=rules)
    return [(place, one) for (place, _), one in zip(found, artifacts, strict=True)]


def artifacts_of(
    call_ids: Iterable[str], *, transaction: Transaction, blobs: Blobs, rules: ArtifactsRules
) -> list[Artifact]:
    """Return runs by their ids, without their output; none of those whose text is lost."""
    stored = filter(None, map(transaction.calls.get, call_ids))
    found = [_unless_lost([((0, 0), call)], transaction, blobs, rules) for call in stored]
    return [artifact for some in found for artifact in some]


def run_of_text(
    turn_id: str,
    raw_id: str,
    *,
    transaction: Transaction,
    blobs: Blobs,
    rules: ArtifactsRules,
) -> Artifact | None:
    """Return the run of a turn that printed an original text, without its output, if one did."""
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
    return structs.replace(stored, call=call)


def _said(turn_id: str, *, ports: Ports) -> StoredCall:
    with ports.truth.read() as transaction:
        if turn_id.startswith(_SHORT):
            turn_id = _turn_ending(turn_id, transaction)
        stored = transaction.events.turn(turn_id)
        said = [one for one in stored.messages if one.role in (Role.USER, Role.ASSISTANT)]
        turn = structs.replace(stored, messages=tuple(said), tool_calls=())
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


def _artifact(stored: StoredCall, summary: str, size: int) -> Artifact:
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
    streams = call.stderr_spans + call.stdout_spans
    return sum(span.length for span in streams or call.result_spans)


def _ends(call: ToolCall) -> ToolCall:
    spans = (call.result_spans, call.stdout_spans, call.stderr_spans)
    if all(sum(span.length for span in one) <= 2 * _ENDS for one in spans):
        return call
    result, stdout, stderr = map(_outer, spans)
    return structs.replace(
        call, result_spans=result, stdout_spans=stdout, stderr_spans=stderr, result_json=False
    )


def _outer(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return the first spans and the last, some bytes of each."""
    if sum(span.length for span in spans) <= 2 * _ENDS:
        return spans
    return (*_up_to(spans), *reversed(_up_to(tuple(reversed(spans)))))


def _up_to(spans: Sequence[Span]) -> list[Span]:
    kept: list[Span] = []
    size = 0
    for span in spans:
        if size >= _ENDS:
            break
        kept.append(span)
        size += span.length
    return kept
