"""What stands in the place of what a turn told, and which turns told what a memory says (M4, R6).

In: the rows of a question, versions that were told in their turns and stand no more, and what is
asked. Out: the turns that would answer with what no longer holds, each with what holds now; and of
memories that say several things the turns that told one which holds still. A turn counts as
outdated only for a question that it answers with the very sentence that does not hold any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.reason import Reason
from smartbrain.text.sentences import split_sentences
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.recall import Cues
    from smartbrain.domain.recalled import RawRef, RecalledRow, Replaced

_EPISODES: Final = "episodes"
_READ: Final = 2_000  # characters of a message that are looked for


class Telling(NamedTuple):
    """Original words that told something, and the episode of their turn."""

    episode: RecalledRow
    refs: tuple[RawRef, ...]


@dataclass(slots=True)
class Since:
    """What became of what turns told, by number.

    `outdated` are episodes with the memories that stand in the place of what they answer with,
    `holding` those with the memories that say still what they answer with, though other turns told
    more of it later. `told` are the turns of such memories beside the last one, `words` those of
    their originals that answer, each with the episode they are of.
    """

    outdated: dict[int, list[int]] = field(default_factory=dict)
    holding: dict[int, list[int]] = field(default_factory=dict)
    told: dict[int, list[str]] = field(default_factory=dict)
    words: dict[int, Telling] = field(default_factory=dict)


def turns_of(rows: Sequence[RecalledRow]) -> list[str]:
    """Return the turns whose episodes were found."""
    return [row.source_turn_id for row in rows if row.type == _EPISODES and row.source_turn_id]


def since_then(rows: Sequence[RecalledRow], replaced: Sequence[Replaced], cues: Cues) -> Since:
    """Return what became of what the turns among the rows told, as far as the question goes."""
    since = Since()
    if not replaced:
        return since
    episodes = {row.source_turn_id: row for row in rows if row.type == _EPISODES}
    known = {row.num for row in rows}
    asked = set(index_terms(cues.text[:_READ]))
    for one in replaced:
        if one.num not in known or one.turn_id not in episodes:
            continue
        gone = [*_beyond(one.value, one.stands)]
        if not gone:
            since.told.setdefault(one.num, []).append(one.turn_id)
        episode = episodes[one.turn_id]
        telling = _telling(episode.text, one.text, gone or [*_beyond(one.value, {})])
        if _answers_with(episode.text, telling, asked):
            answering = since.outdated if gone else since.holding
            answering.setdefault(episode.num, []).append(one.num)
            if not gone:
                since.words[one.num] = Telling(episode, one.raw_refs)
    return since


def told_outdated(since: Since, rows: Sequence[RecalledRow]) -> Iterator[Reason]:
    """Yield for each outdated turn what stands in the place of what it answers with."""
    known = {row.num: row for row in rows} if since.outdated else {}
    for num, stand in since.outdated.items():
        turn = known[num]
        names = dict.fromkeys(known[one].key for one in stand)
        sentence = f"what it answers with was replaced since: {', '.join(names)} comes before it"
        detail = {"replaced_by": [known[one].id for one in dict.fromkeys(stand)]}
        yield Reason("outdated", sentence, id=turn.id, type=turn.type, key=turn.key, detail=detail)


def _beyond(value: Mapping[str, Any], stands: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a version said that the one in its place does not say, as text.

    A list is compared by what it holds: of a profile, one fact may have changed and others not.
    """
    for name, said in value.items():
        now = stands.get(name)
        if isinstance(said, list):
            held = now if isinstance(now, list) else []
            yield from (_spelt(each) for each in said if each not in held)
        elif said != now:
            yield _spelt(said)


def _spelt(said: Any) -> str:
    """Return the text of a value; of a fact of a profile, its own value's."""
    return str(said.get("v", "")) if isinstance(said, Mapping) else str(said)


def _telling(turn: str, text: str, told: Sequence[str]) -> str:
    """Return the sentences of a turn that told something."""
    if text in turn:
        return text
    sentences = [one for one in split_sentences(turn) if any(each and each in one for each in told)]
    return "\n".join(sentences)


def _answers_with(turn: str, telling: str, asked: set[str]) -> bool:
    """Tell whether all that a turn holds of a question stands in some of its sentences."""
    whole, part = turn.lower(), telling.lower()
    held = [term for term in asked if term in whole]
    return bool(held) and all(term in part for term in held)
