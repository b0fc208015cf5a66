"""The episode: the one memory that every turn leaves, whatever else is made of it (C7, E2).

In: a turn with its texts. Out: a memory whose text is the whole turn if that is short, else an
extract, with spans back to every original, and the edges that tie it to its sources and to the
episode before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.forgetting import close_holes
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Memory, Privacy, Scope, Span
from smartbrain.domain.policy import Rules
from smartbrain.domain.turn import Message, Role, Turn
from smartbrain.domain.types import MemoryType
from smartbrain.remember.record import Recorded, joined, spans_of
from smartbrain.text.controls import without_controls
from smartbrain.text.sentences import extract_summary

if TYPE_CHECKING:
    from smartbrain.remember.write_set import WriteSet

_TITLE = 80


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a step beside its words: who and what it names, and personal data."""

    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    pii: bool = False
    tags: tuple[str, ...] = ()


class EpisodeName(NamedTuple):
    """What the episode of a turn is called."""

    key: str
    id: str


def remember_episode(recorded: Recorded, about: About, *, writes: WriteSet, rules: Rules) -> Memory:
    """Write the episode of what was just recorded, tied to its originals and its past.

    A short turn is told whole, a longer one in an extract. A turn that has grown by a step keeps
    its episode: the same memory tells more. One that is older than the last turn of its session
    follows none: the edge to what comes next never leads back in time.
    """
    kind = writes.types.get("episodes")
    spans = spans_of(recorded.spans)
    if recorded.stored is None:
        episode = _episode(recorded.said, spans, about, kind, rules)
        writes.open(episode.key)
        writes.put(episode)
    else:
        whole = joined(recorded.stored, recorded.said)
        every = spans_of(joined(recorded.stored, recorded.spans))
        episode = _grow(_episode(whole, every, about, kind, rules), writes)
    for raw in dict.fromkeys(span.raw_id for span in spans):
        writes.link(episode.id, EdgeType.DERIVED_FROM, raw)
    if recorded.previous is not None and recorded.previous.at <= recorded.said.at:
        before = episode_of(kind, recorded.said.session_id, recorded.previous.id)
        writes.link(before.id, EdgeType.TEMPORAL_NEXT, episode.id)
    return episode


def retell_episode(turn: Turn, spans: Turn, *, writes: WriteSet, rules: Rules) -> Memory | None:
    """Tell the stored episode of a turn again, after some of its words were forgotten.

    `turn` has its texts. Keywords and names stay as far as the words that are left hold them.
    """
    kind = writes.types.get("episodes")
    named = episode_of(kind, turn.session_id, turn.id)
    stored = writes.transaction.memories.get([named.id]).get(named.id)
    if stored is None:
        return None
    told = _episode(turn, spans_of(spans), About(), kind, rules)
    left = " ".join(text for _, text in _spoken(turn)).casefold()
    writes.adopt(stored)
    return writes.put(
        stored,
        title=told.title,
        text=told.text,
        raw_refs=told.raw_refs,
        keywords=tuple(one for one in stored.keywords if one.casefold() in left),
        entities=tuple(one for one in stored.entities if one.casefold() in left),
    )


def episode_of(kind: MemoryType, session_id: str, turn_id: str) -> EpisodeName:
    """Return what the episode of a turn is called, stored or not."""
    key = kind.make_key(session=session_id, turn=turn_id)
    return EpisodeName(key, memory_id(turn_id, kind.name, key, 1))


def _episode(
    turn: Turn, spans: tuple[Span, ...], about: About, kind: MemoryType, rules: Rules
) -> Memory:
    """Return the episode of a turn; `turn` has its texts, `spans` lead to the originals."""
    named = episode_of(kind, turn.session_id, turn.id)
    speakers = dict.fromkeys(_speaker(message) for message in turn.messages)
    longest = rules.policies.consolidation.episode_max_chars
    text = close_holes(without_controls(extract_summary(list(_spoken(turn)), longest)))
    return Memory(
        id=named.id,
        type=kind.name,
        key=named.key,
        title=_title(turn, text),
        text=text,
        value={"session": turn.session_id, "turn": turn.id, "speakers": list(speakers)},
        valid_since=turn.at,
        source_turn_id=turn.id,
        said_at=turn.at,
        raw_refs=spans,
        keywords=about.keywords,
        entities=about.entities,
        tags=about.tags,
        privacy=Privacy(about.pii, Scope(rules.privacy.scope)),
        created_at=turn.created_at,
        updated_at=turn.created_at,
    )


def _grow(episode: Memory, writes: WriteSet) -> Memory:
    """Let the stored episode of a turn tell more; what else is known about it stays."""
    stored = writes.adopt(writes.transaction.memories.get([episode.id])[episode.id])
    more = {
        name: tuple(dict.fromkeys((*getattr(stored, name), *getattr(episode, name))))
        for name in ("entities", "keywords", "tags")
    }
    told = {name: getattr(episode, name) for name in ("title", "text", "value", "raw_refs")}
    privacy = replace(stored.privacy, pii=stored.privacy.pii or episode.privacy.pii)
    return writes.put(stored, **told, **more, privacy=privacy)


def _spoken(turn: Turn) -> Iterator[tuple[str, str]]:
    for message in turn.messages:
        if message.content and message.role not in (Role.SYSTEM, Role.DEVELOPER, Role.TOOL):
            yield _speaker(message), message.content
    for call in turn.tool_calls:
        ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
        yield "tool", f"{call.name} ({ended})"
    for ref in turn.refs:
        yield ref.ref_type.value, ref.ref_uri


def _speaker(message: Message) -> str:
    return without_controls(message.name or message.role.value)


def _title(turn: Turn, text: str) -> str:
    first = next(
        (m.content for m in turn.messages if m.role is Role.USER and m.content.strip()), text
    )
    return title_of(" ".join(close_holes(without_controls(first)).split()))


def title_of(text: str) -> str:
    """Return a text cut to the length of a title."""
    return text if len(text) <= _TITLE else text[: _TITLE - 1].rstrip() + "…"
