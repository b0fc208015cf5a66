"""Holding a context within its tokens: who goes first, what is shortened, what is left out (R16).

In: everything that may be shown, and a limit. Out: what is shown, never over the limit. First what
the caller says itself and what the user says in the turn in progress, which is never cut; then the
system blocks, the best evidence, the summary, the recent turns and the rest of the evidence. What
has no room is shortened level by level before it is dropped, and leaves a reason. Costs are sums
over parts, and no less than those of the whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.compose.arguments import short_arguments
from smartbrain.compose.id_prices import Count
from smartbrain.compose.levels import Level, forms
from smartbrain.compose.passages import JOINT, Choice
from smartbrain.compose.turn_forms import outcome_forms, turn_forms
from smartbrain.compose.working import Shape, shapes, working_block
from smartbrain.domain.context import Block, ContextPackage
from smartbrain.domain.context_media import held_text
from smartbrain.domain.context_messages import CONTINUE, EARLIER, arguments_text
from smartbrain.domain.context_text import render_text, turn_text, user_parts
from smartbrain.domain.reason import Reason
from smartbrain.domain.rendered import USER_TITLE, heading
from smartbrain.errors import UsageError
from smartbrain.ports.token_counter import MEDIA_TOKENS, MESSAGE_TOKENS
from smartbrain.text.telling import instructs

if TYPE_CHECKING:
    from smartbrain.domain.packet import ShownCall, ShownTurn, WorkingMemory
    from smartbrain.domain.summary import CoreBlock

_NEVER: Final = datetime(2000, 1, 1, tzinfo=UTC)
_TOP_SHARE: Final = 0.4  # of the room is for the best evidence before summary and turns
_TOP_LEAST: Final = 120  # tokens, which are enough for a quote; less is no use before turns
_CORE_SHARE: Final = 8  # of the limit, one part is for core memory at most
_BOUND_SHARE: Final = 4  # and for its lines that say how to answer
_CORE_LEAST: Final = 120  # tokens, which a few lines take; in a small limit a third of it
_SMALL: Final = 1_024  # tokens; no provider keeps the beginning of a request that is shorter
_MOST_TRIED: Final = 20  # lines of core memory for which room is looked for once more
_WORKING_SHARE: Final = 4  # and for what a run has in mind
_LATER_SHARE: Final = 4  # of the limit, one part is left for evidence by turns before the window
_STEP: Final = 8  # of those leave together where there is no room
_LONGEST_TOKEN: Final = 8  # characters, in any prose
_NOTHING_SAID: Final = f"{heading(USER_TITLE)}\n{CONTINUE}"


@dataclass(slots=True)
class Budget:
    """The tokens of one context; `ignored` fills with what was cut, and why."""

    limit: int
    count: Count
    used: float = 0.0
    ignored: list[Reason] = field(default_factory=list)
    for_evidence: float = 0.0
    _core: float = 0.0
    _asked: float = 0.0  # what the user says in the turn in progress, without the heading

    @property
    def left(self) -> float:
        """How many tokens are not spent yet."""
        return max(0.0, self.limit - self.used)

    def cost(self, **slots: Any) -> float:
        """Return what slots cost, with their headings."""
        text = render_text(ContextPackage(context_id="", session_id="", created_at=_NEVER, **slots))
        return self.count(text) + JOINT if text else 0.0

    def require(
        self,
        message: Mapping[str, Any] | None,
        system: tuple[Block, ...],
        developer: Callable[[int], tuple[Block, ...]],
        *,
        asked: ShownTurn | None = None,
        again: bool = False,
    ) -> None:
        """Spend what the caller says itself and what the turn in progress asks, whole.

        Args:
            message: what the user says now.
            system: the agent's own system blocks.
            developer: its developer blocks, with what tells the model of a limit.
            asked: the turn in progress with what the user says in it alone.
            again: whether the message is part of that.

        Raises:
            UsageError: that alone is over the limit.
        """
        new = None if again else message
        parts = tuple(user_parts(message)) if message else ()
        silent = again or not parts
        need = 2 * MESSAGE_TOKENS + (self.count(_NOTHING_SAID) if silent else 0.0)
        for part in parts:
            if part["type"] != "text":
                need += MEDIA_TOKENS + self.count(held_text(part))
        if asked and asked.messages:
            self._asked = self._turn_cost(asked, waits=True)
            need += self._asked + self._opening()

        def total(limit: int) -> float:
            blocks = developer(limit)
            return need + self.cost(system_blocks=system, developer_blocks=blocks, user_message=new)

        least, spent = self.limit, total(self.limit)
        while spent > least:  # a larger limit may take more tokens to tell
            least = ceil(spent)
            spent = total(least)
        if least > self.limit:
            raise UsageError(
                f"token_limit {self.limit} is too small: the message and the agent's own blocks"
                f" take {least} tokens; give a token_limit of at least {least}"
            )
        self.used += spent

    def core(self, given: Sequence[CoreBlock], most: int) -> tuple[CoreBlock, ...]:
        """Return core memory with as many of its lines as fit, and the memories of those alone.

        The room follows from the limit and not from what was found, so that the blocks are the
        same from call to call. Lines that say how to answer come first and have more of it; then
        every block has its first line before one has its second. A block may be empty.
        """
        if not given:
            return ()
        lines = _core_lines(given)
        bound = sum(not other for other, _, _ in lines)
        least = min(_CORE_LEAST, self.limit // 3)

        def shown(taken: int) -> tuple[CoreBlock, ...]:
            return _with_lines(given, {(place, line) for _, line, place in lines[:taken]})

        def room(taken: int) -> float:
            share = _BOUND_SHARE if taken <= bound else _CORE_SHARE
            return min(most, max(self.limit // share, least), self.left)

        everything = len(lines)
        blocks: tuple[CoreBlock, ...] = tuple(given)
        self._core = self._core_cost(blocks)
        if self._core > room(everything):
            over = bisect_left(
                range(everything), True, key=lambda n: self._core_cost(shown(n)) > room(n)
            )
            blocks = self._filled(given, shown(over - 1), room(everything))
        self.used += self._core
        return blocks

    def core_again(
        self, given: Sequence[CoreBlock], shown: Sequence[CoreBlock], most: int
    ) -> tuple[CoreBlock, ...]:
        """Return core memory with lines more where a small context has room left, without gaps.

        In a larger one it stays as it was, so that a request begins as the one before it.
        """
        if shown and self.limit < _SMALL:
            self.used -= self._core
            shown = self._filled(given, shown, min(most, self.left))
            self.used += self._core
        for block, shorter in zip(given, shown, strict=False):
            if shorter.text != block.text:
                self._note(block.type, "system_blocks", len(block.text), len(shorter.text))
        return tuple(block for block in shown if block.text)

    def _filled(
        self, given: Sequence[CoreBlock], shown: Sequence[CoreBlock], room: float
    ) -> tuple[CoreBlock, ...]:
        """Return blocks with those of their other lines that have room, and note what all cost."""
        kept = {
            (place, line)
            for place, (block, shorter) in enumerate(zip(given, shown, strict=True))
            for line in _kept_lines(block, shorter)
        }
        blocks = tuple(shown)
        self._core = self._core_cost(blocks)
        missing = [one for one in _core_lines(given) if (one[2], one[1]) not in kept]
        for other, line, place in missing[:_MOST_TRIED] if self.limit < _SMALL else ():
            more = _with_lines(given, {*kept, (place, line)})
            cost = self._core_cost(more)
            if cost <= room:
                kept.add((place, line))
                blocks, self._core = more, cost
            elif not other:  # what says how to answer is passed by nothing
                break
        return blocks

    def _core_cost(self, blocks: Iterable[CoreBlock]) -> float:
        return self.cost(system_blocks=tuple(Block(type=b.type, text=b.text) for b in blocks))

    def working(self, given: WorkingMemory | None, most: float) -> tuple[Block, ...]:
        """Return what a run has in mind, in the first of its shapes that fits."""
        whole = working_block(given) if given else None
        if given is None or whole is None or not whole.text:
            return ()
        room = max(0.0, min(most, self.limit // _WORKING_SHARE, self.left))

        def fits(shape: Shape | None) -> bool:
            block = working_block(given, shape)
            long = len(block.text) > room * _LONGEST_TOKEN
            return not long and self.cost(system_blocks=(block,)) <= room

        block = whole
        if not fits(None):
            tried = list(shapes(given))
            block = working_block(given, tried[bisect_left(tried, True, key=fits)])
            self._note(block.type, "system_blocks", len(whole.text), len(block.text))
        self.used += self.cost(system_blocks=(block,))
        return (block,) if block.text else ()

    def summary(self, text: str, most: int, *, share: float = 0.5) -> str:
        """Return a summary whole or shortened, within its own limit, or nothing."""
        room = min(most, self.left * share)
        for level, shorter in forms(text, 2 * most) if text else ():
            cost = self.cost(working_summary=shorter)
            if cost <= room:
                self.used += cost
                if level is not Level.FULL:
                    self._note(level.value, "working_summary", len(text), len(shorter))
                return shorter
        if text:
            self._note("dropped", "working_summary", len(text), 0)
        return ""

    def results(self, calls: Sequence[ShownCall]) -> tuple[ShownCall, ...]:
        """Return the outcome of each current call with as much of its output as has room.

        They share the room; what one leaves is for those behind it.
        """
        kept: list[ShownCall] = []
        room = self.left / 2
        for place, call in enumerate(calls):
            tried = ((*form, self._result_cost(form[1])) for form in outcome_forms(call))
            share = room / (len(calls) - place)
            fits = next((form for form in tried if form[2] <= share), None)
            if fits is None:
                self._note("dropped", "tool_result", len(call.text), 0)
                continue
            level, shorter, cost = fits
            room -= cost
            self.used += cost
            if level is not Level.FULL:
                self._note(level.value, "tool_result", len(call.text), len(shorter.text))
            if shorter.args is not call.args:
                reason = short_arguments(call.id, call.args, shorter.args, "tool_result")
                self.ignored.append(reason)
            kept.append(shorter)
        return tuple(kept)

    def turns(self, given: Sequence[ShownTurn], window: int) -> tuple[ShownTurn, ...]:
        """Return the last turns that fit, older ones shortened if need be; oldest first.

        If what the user says in the last one is spent already, that one is always there. Those
        before the `window` are there whole or not at all, and leave room for evidence.
        """
        recent = self._window(given[max(0, len(given) - window) :])
        before = given[: max(0, len(given) - window)]
        if len(recent) + len(before) < len(given):
            before = ()
        costs = [self._turn_cost(one, waits=False) for one in before]
        left = self.left - self.limit // _LATER_SHARE
        first = 0
        while sum(costs[first:]) > left and first < len(costs):
            first += _STEP  # together, so that the next context begins alike
        for turn in before[:first]:
            self._about(turn, "over_budget", "there is no room for it and those before it")
        self.used += sum(costs[first:])
        return (*before[first:], *recent)

    def _window(self, given: Sequence[ShownTurn]) -> tuple[ShownTurn, ...]:
        """Return the last turns that fit, oldest first."""
        if not given:
            return ()
        opening = 0.0 if self._asked else self._opening()
        kept: list[ShownTurn] = []
        left = self.left - opening
        for turn in reversed(given):
            waits = turn is given[-1]
            asked = self._asked if waits else 0.0
            tried = (
                (*form, max(0.0, self._turn_cost(form[1], waits=waits) - asked))
                for form in turn_forms(turn, asked=bool(asked))
            )
            fits = next((form for form in tried if form[2] <= left), None)
            if fits is None:
                sentence = "there is no room for it and those before it"
                self._about(turn, "over_budget", sentence)
                break
            level, shorter, cost = fits
            what = "what came after the question" if asked else "it"
            if level is None:
                self._about(turn, "over_budget", f"there is no room for {what}")
            elif level is not Level.FULL:
                self._about(turn, f"shortened_{level.value}", f"{what} is shown as {level.value}")
            left -= cost
            self.used += cost
            kept.append(shorter)
        if kept:
            self.used += opening
        return tuple(reversed(kept))

    def evidence(self, choice: Choice, *, share: float = 1.0, shown: Sequence[str] = ()) -> None:
        """Spend tokens on evidence; the first that is taken pays for the heading of them all.

        However small a `share` of the room is, the best of it has enough to be quoted.
        """
        opening = 0.0 if choice.passages else self.count(heading("Evidence")) + 2 * JOINT
        there = self.left - opening
        first = min(there, _TOP_LEAST)
        taken = choice.take(there * share, shown=shown, for_first=first) if there > 0 else 0.0
        if taken:
            self.used += taken + opening
            self.for_evidence += taken + opening

    def evidence_again(self, choice: Choice, shown: Sequence[str]) -> None:
        """Spend what the evidence takes less as a whole than its parts were counted at.

        Each source has had its share of the places; what one could not use is the other's.
        """
        choice.share_places()
        if not choice.passages or not choice.wants_more():
            return
        exact = self.cost(evidence=choice.evidence(_NEVER, ""))
        before = self.for_evidence
        self.used -= max(0.0, before - exact)
        taken = choice.take(self.left, shown=shown)
        self.used += taken
        self.for_evidence = min(before, exact) + taken

    def top_share(self, others: bool) -> float:
        """Return the share of the room that the best evidence may take before the others."""
        return _TOP_SHARE if others else 1.0

    def _opening(self) -> float:
        """Return what it costs to show turns at all."""
        return self.count(heading("Recent turns")) + self.count(EARLIER) + 3 * JOINT

    def _result_cost(self, call: ShownCall) -> float:
        """Return what the outcome of a current call costs."""
        return self.cost(tool_result=call) + 2 * MESSAGE_TOKENS + self._call_cost(call)

    def _call_cost(self, call: ShownCall) -> float:
        """Return what the name of a tool costs, and what it was given."""
        return self.count(arguments_text(call)) + self.count(call.tool_name)

    def _turn_cost(self, turn: ShownTurn, *, waits: bool) -> float:
        """Return what a turn costs, as text and as messages whichever is more."""
        calls = sum(2 * MESSAGE_TOKENS + self._call_cost(one) for one in turn.tool_calls)
        frames = MESSAGE_TOKENS * len(turn.messages)
        return self.count(turn_text(turn, waits=waits)) + calls + frames + 2 * JOINT

    def _about(self, turn: ShownTurn, code: str, sentence: str) -> None:
        self.ignored.append(Reason(code, sentence, id=turn.turn_id, type="recent_turns"))

    def _note(self, what: str, slot: str, before: int, after: int) -> None:
        sentence = f"{after} of {before} characters are shown"
        code = "shortened" if after else "over_budget"
        self.ignored.append(Reason(code, sentence, type=slot, key=what))


def _core_lines(given: Sequence[CoreBlock]) -> list[tuple[bool, int, int]]:
    """Return the lines of blocks in the order in which they are shown, with their places."""
    return sorted(
        (not instructs(text), line, place)
        for place, block in enumerate(given)
        for line, text in enumerate(block.text.split("\n"))
    )


def _with_lines(
    given: Sequence[CoreBlock], kept: Collection[tuple[int, int]]
) -> tuple[CoreBlock, ...]:
    """Return blocks with the lines that are kept, and the memories that those surely tell."""
    blocks = []
    for place, block in enumerate(given):
        lines = block.text.split("\n")
        shown = [line for line in range(len(lines)) if (place, line) in kept]
        if len(shown) < len(lines):
            told = [block.source[line] for line in shown] if len(lines) == len(block.source) else ()
            text = "\n".join(lines[line] for line in shown)
            block = replace(block, text=text, source=tuple(told))
        blocks.append(block)
    return tuple(blocks)


def _kept_lines(block: CoreBlock, shorter: CoreBlock) -> list[int]:
    """Return which lines of a block a shorter form of it has."""
    shown = shorter.text.split("\n") if shorter.text else []
    return [line for line, text in enumerate(block.text.split("\n")) if text in shown]
