"""A context package as titled blocks of text, for people and for models (R15, R17).

In: the slots of a package. Out: its blocks in their fixed order, each with a title, and the text of
each piece: evidence, turn, call, pin, to-do, note. What changes from call to call can be had apart
from what stays, so that two requests begin with the same bytes. Text out of memory cannot open a
block: lines that look like our marks are quoted. No limits are applied here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from smartbrain.domain.context_slots import (
    CONTEXT_POOL,
    FASTMEMO,
    Block,
    ContextEvidence,
    NotebookEntry,
    PinEntry,
    Slots,
)
from smartbrain.domain.context_turns import is_open, media_notes, sequence, spoken, told_text
from smartbrain.domain.hints import shown
from smartbrain.domain.packet import PlanEntry, ShownCall, ShownMessage, ShownTurn
from smartbrain.domain.rendered import (
    asked_words,
    closing_line,
    disarmed,
    evidence_line,
    heading,
    title_of,
)
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError

_BY_RULE: Final = "rule"
_CHANGING_SLOTS: Final = ("plan", "notebook")
_CHANGING_TITLES: Final = (title_of("working_memory"), title_of("budget"))


class TitledBlock(NamedTuple):
    """A block as it is shown; `slot` is the field of the package that it comes from."""

    slot: str
    title: str
    text: str

    @property
    def shown(self) -> str:
        """The block with its heading."""
        return f"{heading(self.title)}\n{self.text}"


def blocks(package: Slots) -> tuple[TitledBlock, ...]:
    """Return the blocks of a package in their fixed order; what is empty is left out."""
    return (*standing_blocks(package), *_passing_blocks(package))


def render_text(package: Slots) -> str:
    """Return a package as titled blocks, one after the other."""
    return joined(blocks(package))


def joined(given: Iterable[TitledBlock]) -> str:
    """Return blocks as one text."""
    return "\n\n".join(block.shown for block in given)


def standing_blocks(package: Slots) -> tuple[TitledBlock, ...]:
    """Return the blocks that come before the conversation."""
    late = (FASTMEMO, CONTEXT_POOL)
    first = [block for block in package.system_blocks if block.type not in late]
    memo = [block for kind in late for block in package.system_blocks if block.type == kind]
    lists = (
        ("pins", map(pin_text, package.pins)),
        ("plan", map(plan_text, package.plan)),
        ("notebook", map(note_text, package.notebook)),
        ("working_summary", [disarmed(package.working_summary)]),
    )
    return (
        *_given("system_blocks", first),
        *_given("developer_blocks", package.developer_blocks),
        *_given("system_blocks", memo),
        *_filled((slot, "\n".join(lines)) for slot, lines in lists),
    )


def lasting_blocks(package: Slots) -> list[TitledBlock]:
    """Return the blocks that change least from call to call: what a system message is made of."""
    return [block for block in standing_blocks(package) if not _changes(block)]


def changing_blocks(package: Slots) -> list[TitledBlock]:
    """Return what changes from call to call: notes, plan and the like, and the evidence.

    In a request they stand behind the turns, which a provider can then take from its cache.
    """
    evidence = evidence_block(package)
    changing = [block for block in standing_blocks(package) if _changes(block)]
    return [*changing, evidence] if evidence else changing


def _changes(block: TitledBlock) -> bool:
    return block.slot in _CHANGING_SLOTS or block.title in _CHANGING_TITLES


def evidence_block(package: Slots) -> TitledBlock | None:
    """Return the block of all evidence, if there is any."""
    items = [evidence_text(item, number) for number, item in enumerate(package.evidence, start=1)]
    return next(_filled([("evidence", "\n\n".join(items))]), None)


def step_results(package: Slots) -> tuple[ShownCall, ...]:
    """Return the calls that a step is about, in their order."""
    last = package.tool_result
    return (*package.parallel_results, last) if last else package.parallel_results


def waiting_turn(package: Slots) -> ShownTurn | None:
    """Return the last turn if it is the one in progress, or still waits for its answer."""
    last = package.recent_turns[-1] if package.recent_turns else None
    if last is None or package.turn_id == last.turn_id:
        return last
    return last if is_open(last, step_results(package)) else None


def said_again(package: Slots) -> int | None:
    """Return where the waiting turn says the message to answer, among what is spoken in it."""
    turn = waiting_turn(package)
    return place_said(turn, package.user_message, anywhere=package.turn_id is not None)


def place_said(
    turn: ShownTurn | None, message: Mapping[str, Any] | None, *, anywhere: bool = False
) -> int | None:
    """Return where the user says a message, last of all or `anywhere` in a turn that waits."""
    if turn is None or message is None:
        return None
    parts = list(user_parts(message))
    words = asked_words(user_words(message)).strip()
    said = list(enumerate(spoken(turn, waits=True)))
    said = [(place, one) for place, one in said if one.role is Role.USER]
    for place, one in reversed(said if anywhere else said[-1:]):
        if one.content.strip() == words and (words or 0 < len(parts) == len(one.media)):
            return place
    return None


def user_words(message: Mapping[str, Any]) -> str:
    """Return the words of a user's message, without its images."""
    return "\n\n".join(part["text"] for part in user_parts(message) if part["type"] == "text")


def user_name(message: Mapping[str, Any]) -> str:
    """Return who of several users says a message, as its turn will show it; empty for nobody."""
    name = message.get("name")
    return _one_line(name) if isinstance(name, str) else ""


def user_parts(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a user's message; all words are of the type `text`, none is blank."""
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list | tuple | None):
        raise UsageError(f"user_message.content is text or a list of parts, not {shown(content)}")
    for part in content or ():
        if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
            raise UsageError(
                f"a part of user_message has a 'type' such as 'text'; got {shown(part)}"
            )
        if part["type"] not in ("text", "input_text"):
            yield part
        elif not isinstance(part.get("text"), str):
            raise UsageError(f"a text part of user_message has a 'text'; got {shown(part)}")
        elif part["text"].strip():
            yield {"type": "text", "text": part["text"]}


def media_note(part: Mapping[str, Any]) -> str:
    """Return what is said in place of a part that cannot be shown."""
    return f"(part of the message: {part['type'].replace('_', ' ')})"


def evidence_text(item: ContextEvidence, number: int) -> str:
    """Return a piece of evidence under its number, with when and by whom it was said."""
    uri = re.sub(r"\s+", "%20", item.source_uri.strip())
    title = _one_line(item.title) or item.source.value
    date = item.at.date().isoformat() if item.at else ""
    said = ", ".join(filter(None, (date, item.speaker or "")))
    snippet = disarmed(f"{_one_line(said)}: {item.snippet}" if said else item.snippet)
    mode = item.mode.value if item.mode else _BY_RULE
    lines = (evidence_line(number, title, uri), snippet, closing_line(mode, item.score))
    return "\n".join(filter(None, lines))


def turn_text(turn: ShownTurn, *, waits: bool = False) -> str:
    """Return a turn: its time, who said what, and which tools ran; `waits` for its answer."""
    lines = [f"[{_minute(turn.at)}]"] if turn.at else []
    for told in sequence(turn, waits=waits):
        if isinstance(told, ShownMessage):
            name = f" {_one_line(told.name)}" if told.name else ""
            lines.append(_indented(f"{told.role.value}{name}: {told_text(told)}"))
        else:
            lines += map(call_text, told)
    return "\n".join(lines)


def call_text(call: ShownCall) -> str:
    """Return a tool call and its outcome; its name and where all of its output is."""
    return _indented(f"tool {_one_line(call.tool_name)}: {outcome_text(call)}")


def outcome_text(call: ShownCall) -> str:
    """Return what came of a call: summary, the part of the output that is shown, and its id.

    Images and files of its result are named by a line each.
    """
    ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
    cut = f"cut; all {call.bytes:,} bytes: " if call.truncated else ""
    parts = (call.summary or ended, call.text, *media_notes(call), f"({cut}artifact {call.id})")
    return disarmed("\n".join(filter(None, parts)))


def pin_text(pin: PinEntry) -> str:
    """Return a pinned fact with its id, and where it comes from as far as that is shown."""
    rest = f"artifact {pin.artifact_ref}" if pin.artifact_ref else ""
    where = ", ".join(filter(None, (pin.source, rest)))
    told = f"- {pin.id} ({pin.type}) {pin.title}: {pin.summary}"
    return _indented(f"{told} [{where}]" if where else told)


def plan_text(step: PlanEntry) -> str:
    """Return a to-do with its box, its id and what makes it done."""
    when = f" (done when: {step.done_when})" if step.done_when else ""
    named = f"{step.id} {step.text}" if step.id else step.text
    return _indented(f"- [{'x' if step.done else ' '}] {named}{when}")


def note_text(note: NotebookEntry) -> str:
    """Return a working note with its time and its source."""
    source = f" [{note.source}]" if note.source else ""
    return _indented(f"- {_minute(note.at)} {note.text}{source}")


def _passing_blocks(package: Slots) -> Iterator[TitledBlock]:
    """Yield the blocks of what is said now: turns, evidence, the tool's result, the message."""
    waiting = waiting_turn(package)
    turns = [turn_text(turn, waits=turn is waiting) for turn in package.recent_turns]
    yield from _filled([("recent_turns", "\n\n".join(filter(None, turns)))])
    if evidence := evidence_block(package):
        yield evidence
    results = "\n\n".join(map(call_text, step_results(package)))
    yield from _filled([("tool_result", results)])
    if package.user_message and said_again(package) is None:
        parts = user_parts(package.user_message)
        texts = [part["text"] if part["type"] == "text" else media_note(part) for part in parts]
        name = user_name(package.user_message)
        said = "\n\n".join(texts)
        yield from _filled([("user_message", f"{name}: {said}" if name and said else said)])


def _given(slot: str, given: Iterable[Block]) -> Iterator[TitledBlock]:
    """Yield the blocks of a slot, each under the title of its type."""
    for block in given:
        if block.text.strip():
            yield TitledBlock(slot, title_of(block.type), disarmed(block.text))


def _filled(texts: Iterable[tuple[str, str]]) -> Iterator[TitledBlock]:
    """Yield a block for each slot that has a text."""
    for slot, text in texts:
        if text.strip():
            yield TitledBlock(slot, title_of(slot), text)


def _indented(text: str) -> str:
    """Return an entry of a list, whose further lines cannot be taken for entries or headings."""
    return disarmed("\n  ".join(text.splitlines()))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _minute(at: datetime) -> str:
    return at.isoformat(" ", "minutes")[:16]
