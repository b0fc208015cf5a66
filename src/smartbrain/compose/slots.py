"""What the slots of a context may hold, read in one transaction (R15, R17, R21, W6).

In: a session, a recipe, a packet. Out: `SlotContents`: core memory with the day of each line, what
is governed, the last turns, and the turns to quote as evidence with the tool runs found in them.
What of it fits is the budget's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from msgspec.structs import replace

from smartbrain.compose.candidates import FoundMemories, find_memories
from smartbrain.compose.request import ComposeRequest
from smartbrain.compose.turns import ReadTurns, TurnReader
from smartbrain.domain.artifact import Artifact
from smartbrain.domain.claim import OTHER
from smartbrain.domain.indexed import SpokenTurn
from smartbrain.domain.memory import Memory
from smartbrain.domain.memory_type import as_text, labelled
from smartbrain.domain.packet import MemoryPacket
from smartbrain.domain.policy import Rules
from smartbrain.domain.recalled import RecalledRow, UnsureClaim
from smartbrain.domain.summary import CoreBlock
from smartbrain.domain.turn import CallStatus
from smartbrain.domain.working import Governed
from smartbrain.govern.artifacts import run_of_text
from smartbrain.govern.fastmemo import governed
from smartbrain.govern.tool_schemas import TOOLS
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.truth import Transaction
from smartbrain.recall.packet import Recollection
from smartbrain.recall.pipeline import Found
from smartbrain.remember.summary import MAX_LINE, core_blocks, one_line

REACH: Final = 2
"""Turns on each side of what was found that may be quoted beside it."""
_MAX_RUNS: Final = 3  # the best: a summary may take a look at a large output
_MAX_NAMED: Final = 5  # hits whose tool runs are named
_MAX_COUNTED: Final = 50  # calls of each
_BOARD: Final = ("fastmemo", "context_pool", "pins", "plan", "notebook")
_BULLET: Final = "- "
_PROFILE: Final = "profile"
_MAX_WORDS: Final = 80  # characters of what was said later


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotContents:
    """Everything that may be shown; `memories` are on their own scale."""

    core: tuple[CoreBlock, ...] = ()
    governed: Governed = Governed()
    recent: ReadTurns = field(default_factory=ReadTurns)
    memories: FoundMemories = field(default_factory=FoundMemories)


def read_slots(
    request: ComposeRequest,
    recollection: Recollection,
    *,
    rows: Transaction,
    blobs: Blobs,
    rules: Rules,
) -> SlotContents:
    """Read what a recipe may show."""
    recipe, now = request.recipe, request.now
    reader = TurnReader(request=request, rows=rows, blobs=blobs, rules=rules)
    recent = reader.read(heard=recollection.heard)
    core: tuple[CoreBlock, ...] = ()
    if recipe.shows("system"):
        core = date_blocks(core_blocks(now, transaction=rows, rules=rules), rows=rows)
    board = Governed()
    if any(map(recipe.shows, _BOARD)):
        told = [call.id for turn in recent.turns for call in turn.tool_calls]
        board = governed(request.session_id, rows=rows, now=now, rules=rules, told=told)
    memories = FoundMemories()
    if recipe.shows("evidence"):
        memories = read_memories(request, recollection, rows=rows, blobs=blobs, rules=rules)
    return SlotContents(core=core, governed=board, recent=recent, memories=memories)


def read_memories(
    request: ComposeRequest,
    recollection: Recollection,
    *,
    rows: Transaction,
    blobs: Blobs,
    rules: Rules,
) -> FoundMemories:
    """Return what a packet brings, with the turns of its episodes and those beside them.

    That is of as many sessions as there is evidence shown, those of the best episodes.
    """
    found, packet, _ = recollection
    told = [episode for episode in packet.episodes if episode.source_turn_id]
    best = sorted(told, key=lambda episode: -(episode.score or 0.0))
    sessions = list(dict.fromkeys(episode.session_id for episode in best))
    shown = {*sessions[: rules.policies.composition.evidence_places(request.limit)]}
    hits = [one.source_turn_id for one in told if one.source_turn_id and one.session_id in shown]
    spoken = rows.composed.around(hits, reach=REACH) if hits else []
    runs = _name_runs([one.source_turn_id for one in best[:_MAX_NAMED]], rows)
    for turn, run in _find_runs(found, packet, spoken, rows=rows, blobs=blobs, rules=rules).items():
        runs[turn] = (f"tool (artifact {run.id})", run.summary)  # a cut never takes the id away
    return find_memories(packet, spoken, found.ranked, runs=runs, blobs=blobs)


def _name_runs(turn_ids: Iterable[str | None], rows: Transaction) -> dict[str, tuple[str, str]]:
    named = {}
    for turn_id in filter(None, turn_ids):
        page = rows.calls.page(turn_id=turn_id, limit=_MAX_COUNTED)
        calls = [stored.call for _, stored in page if stored.call.name not in TOOLS]
        ran = Counter(call.name for call in reversed(calls))
        failed = Counter(call.name for call in calls if call.status is CallStatus.ERROR)
        told = [
            f"{one_line(name)} ×{times}" + (f" ({failed[name]} failed)" if failed[name] else "")
            for name, times in ran.items()
        ]
        if told:
            named[turn_id] = (f"tools (last: artifact {calls[0].id})", ", ".join(told))
    return named


def _find_runs(
    found: Found,
    packet: MemoryPacket,
    spoken: Sequence[SpokenTurn],
    *,
    rows: Transaction,
    blobs: Blobs,
    rules: Rules,
) -> dict[str, Artifact]:
    """Return the tool runs whose output brought an episode of the packet, by their turns.

    What a tool printed is not shown again; evidence tells its summary, and the id to read it by.
    """
    shown = {episode.id for episode in packet.episodes}
    messages = {turn.turn_id: len(turn.messages) for turn in spoken}
    printed: dict[str, int] = {}
    for one in found.ranked if found.passages else ():
        passage, turn = found.passages.get(one.row.num), one.row.source_turn_id
        if passage is None or turn is None or one.row.id not in shown:
            continue
        if len(printed) == _MAX_RUNS:
            break
        said = one.row.raw_refs[: messages.get(turn, 0)]  # an episode names what was said first
        if all(ref.num != passage for ref in said):
            printed[turn] = passage
    texts = rows.followed.ids(list(printed.values())) if printed else {}
    runs = {
        turn: run_of_text(turn, texts[num], transaction=rows, blobs=blobs, rules=rules.artifacts)
        for turn, num in printed.items()
        if num in texts
    }
    return {turn: run for turn, run in runs.items() if run is not None}


class CoreFact(NamedTuple):
    """A line of a block: what it says, since when, of which attribute of whom, by which claims."""

    text: str
    at: datetime
    subject: str = ""
    attribute: str = OTHER
    claims: tuple[str, ...] = ()


def date_blocks(blocks: Sequence[CoreBlock], *, rows: Transaction) -> tuple[CoreBlock, ...]:
    """Return core memory whose lines say when they were told, and what was said of them later.

    Where a later turn speaks of an attribute and its reader was not sure, the newest such words
    stand in the same line, marked as unsure (R21).
    """
    ids = {source for block in blocks for source in block.source}
    memories = rows.memories.get(ids) if ids else {}
    shown = {line.removeprefix(_BULLET) for block in blocks for line in block.text.split("\n")}
    facts = _profile_facts(memories.values(), shown, rows)
    asked = {fact.attribute for fact in facts.values()} - {OTHER}
    unsure = rows.recalled.unsure(sorted(asked)) if asked else []
    dated = []
    for block in blocks:
        lines = block.text.split("\n")
        # A line of a profile is one of its facts, any other a memory of its own.
        own = block.source if len(lines) == len(block.source) else ()
        for place, line in enumerate(lines):
            text = line.removeprefix(_BULLET)
            memory = memories.get(own[place]) if own and block.type != _PROFILE else None
            fact = CoreFact(text, memory.said_at) if memory else facts.get(text)
            lines[place] = date_line(fact, unsure) if fact else line
        dated.append(replace(block, text="\n".join(lines)))
    return tuple(dated)


def _profile_facts(
    memories: Iterable[Memory], shown: Collection[str], rows: Transaction
) -> dict[str, CoreFact]:
    """Return the facts of profiles that are shown, each by its line as it is stored."""
    stored = {}
    for memory in memories:
        for told in profile_facts(memory) if memory.type == _PROFILE else ():
            if told.text in shown:
                stored[told.text] = told
    told_at = rows.recalled.claimed_at([claim for fact in stored.values() for claim in fact.claims])
    facts = {}
    for text, fact in stored.items():
        days = [told_at[claim] for claim in fact.claims if claim in told_at]
        facts[text] = fact._replace(at=max(days, default=fact.at))
    return facts


def profile_facts(memory: Memory | RecalledRow) -> Iterator[CoreFact]:
    """Yield the facts of a profile as a block of core memory has them."""
    subject = as_text(memory.value.get("subject"))
    for fact in memory.value.get("facts", ()):
        attribute = as_text(fact.get("k"))
        text = one_line(f"{subject} — {labelled(attribute, as_text(fact.get('v')))}")
        yield CoreFact(text, memory.said_at, subject, attribute, tuple(fact.get("claims") or ()))


def date_line(fact: CoreFact, unsure: Sequence[UnsureClaim] = ()) -> str:
    """Return a fact with its day, and the newest words about the same that came after it."""
    text = fact.text
    if fact.subject and fact.attribute == OTHER:
        text = text.replace(f"{fact.subject} — {OTHER}: ", f"{fact.subject} — ", 1)
    day = f" ({fact.at.date().isoformat()})"
    text = _BULLET + one_line(text, MAX_LINE - len(_BULLET) - len(day)) + day
    for claim in unsure:
        same = claim.attribute == fact.attribute and claim.subject == fact.subject
        if same and claim.said_at > fact.at:
            words = one_line(claim.text, _MAX_WORDS)
            return f'{text}; later, unsure: "{words}" ({claim.said_at.date().isoformat()})'
    return text
