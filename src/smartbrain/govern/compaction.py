"""Soft compaction: of a chat that has grown long the older part is put in a few lines (R19).

In: each step that was just recorded, and the memories it changed. Out: the count of chat tokens
since the last compaction, and at the limit, once no tool call is open, lines in FastMemo's dynamic
pool about all but the latest rounds. Nothing of the session is read again: a line about each turn
is kept with the count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.domain.governed import MemoSection
from smartbrain.domain.job import StateEntry
from smartbrain.domain.kept import Compaction
from smartbrain.domain.memory import Memory
from smartbrain.domain.turn import Role, Turn
from smartbrain.govern.fastmemo import add_bullets, compact_if_full, longest_bullet
from smartbrain.govern.trail import SYSTEM, Act
from smartbrain.text.pattern import pattern
from smartbrain.text.prose import said_only
from smartbrain.text.sentences import first_sentences
from smartbrain.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.truth import Transaction

COMPACTION: Final = "compaction"
_CHAT: Final = (Role.USER, Role.ASSISTANT)
_LINE: Final = 80  # characters kept of a turn
_FIRST: Final = 4_000  # characters of a message that mostly have as many
_MOST_TURNS: Final = 24  # that are kept count of one by one
_TOLD: Final = ("decisions", "tasks", "goals")
_HAN: Final = pattern(r"[\u4e00-\u9fff]")
_KEPT: Final = pattern(r"(?m)^(\d+) (\d+) (.*)$")
"""How a turn is kept: its place, its tokens and a line about it."""
_OUTCOME: Final = "!"
"""How the line of a turn begins that changed a decision, a task or a goal."""
Turns = tuple[tuple[int, int, str], ...]


def read_compaction(session_id: str, *, rows: Transaction) -> Compaction:
    """Return how far a session is from its next compaction, with one statement."""
    found = rows.working.state(f"session:{session_id}", COMPACTION)
    if not found:
        return Compaction()
    body = found[0].body
    kept = _KEPT.findall(body.get("lines", ""))
    turns = tuple([(int(place), int(tokens), line) for place, tokens, line in kept])
    return Compaction(pending=body["pending"], up_to=body["up_to"], turns=turns)


def is_behind(state: Compaction) -> bool:
    """Tell whether all turns that came behind a compaction are counted, and told nowhere else."""
    turns = state.turns
    return len(turns) >= _MOST_TURNS or bool(turns and turns[0][0] == state.up_to + 1)


def count_step(
    step: Turn,
    place: int,
    changed: Iterable[Memory],
    *,
    ended: bool,
    rows: Transaction,
    rules: Rules,
) -> None:
    """Count the chat of a step, and compact what came before if it is time.

    Args:
        step: what was recorded.
        place: the place of its turn in the session.
        changed: the memories that it changed.
        ended: whether no tool call of its turn is open, and the assistant has spoken last.
        rows: the transaction of the step.
        rules: how many tokens and rounds there may be.
    """
    said = [one.content for one in step.messages if one.role in _CHAT and one.content]
    state = read_compaction(step.session_id, rows=rows)
    if not said and not state.pending:
        return
    limits = rules.policies.composition
    turns = _counted(state, place, sum(map(estimate_tokens, said)), _line(step, changed))
    pending = sum(turn[1] for turn in turns) >= limits.ctx_recent_max_tokens
    up_to = state.up_to
    older = turns[: -limits.keep_rounds]
    if pending and ended and older:
        act = Act(
            step.created_at,
            SYSTEM,
            "chat.compact",
            f"turns {state.up_to + 1} to {older[-1][0]} of session {step.session_id}",
        )
        texts = _bullets(state.up_to + 1, older, longest_bullet(rules.fastmemo))
        add_bullets(MemoSection.DYNAMIC, texts, act, rows=rows, rules=rules.fastmemo)
        pending, up_to, turns = False, older[-1][0], turns[len(older) :]
    if ended:
        compact_if_full(step.created_at, rows=rows, rules=rules.fastmemo)
    if (pending, up_to, turns) != (state.pending, state.up_to, state.turns):
        _put(step, Compaction(pending=pending, up_to=up_to, turns=turns), rows=rows)


def _put(step: Turn, state: Compaction, *, rows: Transaction) -> None:
    rows.working.put_state(
        StateEntry(
            owner=f"session:{step.session_id}",
            kind=COMPACTION,
            id=COMPACTION,
            body={
                "pending": state.pending,
                "up_to": state.up_to,
                "lines": "\n".join(f"{place} {size} {line}" for place, size, line in state.turns),
            },
            created_at=step.created_at,
            updated_at=step.created_at,
        )
    )


def _counted(state: Compaction, place: int, tokens: int, line: str) -> Turns:
    """Return the turns with what a step said added to the count of its own."""
    if place <= state.up_to:
        return state.turns  # a late step of a turn that is compacted already
    known = {turn[0]: turn for turn in state.turns}
    _, before, said = known.get(place, (place, 0, ""))
    better = line if line.startswith(_OUTCOME) and not said.startswith(_OUTCOME) else said
    known[place] = (place, before + tokens, better or line)
    turns = list(known.values())
    if len(turns) > _MOST_TURNS:  # of many short turns the oldest two share a line
        one, two = turns[:2]
        turns[:2] = [(two[0], one[1] + two[1], one[2] or two[2])]
    return tuple(turns)


def _line(step: Turn, changed: Iterable[Memory]) -> str:
    """Return a line about a step: what it decided or did, else how the user began it."""
    for one in changed:
        if one.type in _TOLD and one.source_turn_id == step.id:
            return f"{_OUTCOME}{_short(one.text)}"
    said = next((one for one in step.messages if one.role is Role.USER and one.content), None)
    return "" if said is None else _short(_begun(said.content))


def _begun(text: str) -> str:
    """Return what is said in the first lines of a text, or in all of it if they are too few."""
    end = text.find("\n", _FIRST) + 1
    begun = said_only(text[:end])
    return begun if len(" ".join(begun.split())) > _LINE else said_only(text)


def _short(text: str) -> str:
    return first_sentences(" ".join(text.split()), _LINE)


def _bullets(first: int, turns: Sequence[tuple[int, int, str]], longest: int) -> list[str]:
    """Return at most two lines: what came of the turns, and what they were about."""
    last = turns[-1][0]
    lines = list(dict.fromkeys(turn[2] for turn in turns if turn[2]))
    zh = any(_HAN.search(line) for line in lines)
    span = f"第 {first}–{last} 轮" if zh else f"turns {first}–{last}"
    outcome = [line[1:] for line in lines if line.startswith(_OUTCOME)]
    talk = [line for line in lines if not line.startswith(_OUTCOME)]
    names = ("结果", "谈到") if zh else ("outcome", "about")
    return [
        _joined(f"{span}{name}" if zh else f"{span}, {name}", parts, longest, "：" if zh else ": ")
        for name, parts in zip(names, (outcome, talk), strict=True)
        if parts
    ]


def _joined(begin: str, parts: Sequence[str], longest: int, colon: str) -> str:
    """Return the first and the last of some parts that have room in a line."""
    line = f"{begin}{colon}{' / '.join(parts)}"
    kept = list(parts)
    while len(line) > longest and len(kept) > 2:
        kept.pop(len(kept) // 2)
        half = (len(kept) + 1) // 2
        line = f"{begin}{colon}{' / '.join([*kept[:half], '…', *kept[half:]])}"
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
