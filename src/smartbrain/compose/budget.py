"""Holding a context within its tokens: who goes first, what is shortened, what is left out (R16).

In: everything that may be shown, and a limit. Out: what is shown, never over the limit. First what
the caller says itself and what the user says in the turn in progress, which is never cut; then the
system blocks, the best evidence, the summary, the recent turns and the rest of the evidence. What
has no room is shortened level by level before it is dropped, and leaves a reason. Costs are sums
over parts, and no less than those of the whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil
from typing import Any, Final

from msgspec.structs import replace

from smartbrain.compose.counting import JOINT, Count
from smartbrain.compose.passages import EvidenceChoice
from smartbrain.compose.shorten import (
    Level,
    WorkingShape,
    explain_arguments,
    outcome_forms,
    text_forms,
    turn_forms,
    working_block,
    working_shapes,
)
from smartbrain.domain.context import Block, ContextPackage
from smartbrain.domain.context_media import held_text
from smartbrain.domain.context_messages import CONTINUE, EARLIER, arguments_text
from smartbrain.domain.context_text import render_text, turn_text, user_parts
from smartbrain.domain.packet import ShownCall, ShownTurn, WorkingMemory
from smartbrain.domain.reason import Reason
from smartbrain.domain.rendered import USER_TITLE, heading
from smartbrain.domain.summary import CoreBlock
from smartbrain.errors import UsageError
from smartbrain.ports.token_counter import MEDIA_TOKENS, MESSAGE_TOKENS
from smartbrain.text.telling import instructs

_NEVER: Final = datetime(2000, 1, 1, tzinfo=UTC)
_TOP_SHARE: Final = 0.4  # of the room is for the best evidence before summary and turns
_MIN_TOP: Final = 120  # tokens, which are enough for a quote; less is no use before turns
_CORE_SHARE: Final = 8  # of the limit, one part is for core memory at most
_BOUND_SHARE: Final = 4  # and for its lines that say how to answer
_SMALL: Final = 1_024  # tokens; no provider keeps the beginning of a request that is shorter
_MIN_CORE: Final = 120  # tokens, which a few lines take; in a small limit a third of it
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

        Raises:
            UsageError: that alone is over the limit.
        """
        parts = tuple(user_parts(message)) if message else ()
        silent = again or not parts
        need = 2 * MESSAGE_TOKENS + (self.count(_NOTHING_SAID) if silent else 0.0)
        for part in parts:
            if part["type"] != "text":
                need += MEDIA_TOKENS + self.count(held_text(part))
        if asked and asked.messages:
            self._asked = self._turn_cost(asked, waits=True)
            need += self._asked + self._turns_opening()

        def total(limit: int) -> float:
            new = None if again else message
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
        same from call to call.
        """
        least = min(_MIN_CORE, self.limit // 3)

        def room(bound: bool) -> float:
            share = _BOUND_SHARE if bound else _CORE_SHARE
            return min(most, max(self.limit // share, least), self.left)

        return self._fit_core(given, room)

    def core_again(
        self, given: Sequence[CoreBlock], shown: Sequence[CoreBlock], most: int
    ) -> tuple[CoreBlock, ...]:
        """Return core memory with what a small context has left for it.

        In a larger one it stays as it was, so that a request begins as the one before it.
        """
        if self.limit < _SMALL and shown != tuple(given):
            self.used -= self._core_cost(shown)
            shown = self._fit_core(given, lambda _: min(most, self.left))
        for block, shorter in zip(given, shown, strict=True):
            if shorter.text != block.text:
                self._note(block.type, "system_blocks", len(block.text), len(shorter.text))
        return tuple(block for block in shown if block.text)

    def _fit_core(
        self, given: Sequence[CoreBlock], room: Callable[[bool], float]
    ) -> tuple[CoreBlock, ...]:
        """Spend on lines as long as there is room, first those that say how to answer.

        Then every block has its first line before one has its second. A block may be empty.
        """
        lines = sorted(
            (not instructs(text), line, place)
            for place, block in enumerate(given)
            for line, text in enumerate(block.text.split("\n"))
        )
        bound = sum(not other for other, _, _ in lines)

        def shown(taken: int) -> tuple[CoreBlock, ...]:
            return _keep_lines(given, {(place, line) for _, line, place in lines[:taken]})

        def is_over(taken: int) -> bool:
            return self._core_cost(shown(taken)) > room(taken <= bound)

        count = len(lines)
        if is_over(count):
            count = bisect_left(range(count), True, key=is_over) - 1
        blocks = shown(max(0, count))
        self.used += self._core_cost(blocks)
        return blocks

    def _core_cost(self, blocks: Sequence[CoreBlock]) -> float:
        return self.cost(system_blocks=tuple(Block(type=b.type, text=b.text) for b in blocks))

    def working(self, given: WorkingMemory | None, most: float) -> tuple[Block, ...]:
        """Return what a run has in mind, in the first of its shapes that fits."""
        shapes = list(working_shapes(given)) if given else []
        whole = working_block(given, shapes[0]) if given else None
        if given is None or whole is None or not whole.text:
            return ()
        room = max(0.0, min(most, self.limit // _WORKING_SHARE, self.left))

        def fits(shape: WorkingShape) -> bool:
            block = working_block(given, shape)
            long = len(block.text) > room * _LONGEST_TOKEN
            return not long and self.cost(system_blocks=(block,)) <= room

        block = working_block(given, shapes[bisect_left(shapes, True, key=fits)])
        if block.text != whole.text:
            self._note(block.type, "system_blocks", len(whole.text), len(block.text))
        self.used += self.cost(system_blocks=(block,))
        return (block,) if block.text else ()

    def summary(self, text: str, most: int) -> str:
        """Return a summary whole or shortened, within its own limit, or nothing."""
        room = min(most, self.left / 2)
        for level, shorter in text_forms(text, 2 * most) if text else ():
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
        """Return the outcome of each current call with as much of its output as has room."""

        def cost_of(call: ShownCall) -> float:
            return self.cost(tool_result=call) + 2 * MESSAGE_TOKENS + self._call_cost(call)

        kept: list[ShownCall] = []
        room = self.left / 2
        for place, call in enumerate(calls):
            tried = ((*form, cost_of(form[1])) for form in outcome_forms(call))
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
                reason = explain_arguments(call.id, call.args, shorter.args, "tool_result")
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
        costs = [self._turn_cost(turn, waits=False) for turn in before]
        left = self.left - self.limit // _LATER_SHARE
        first = 0
        while sum(costs[first:]) > left and first < len(costs):
            first += _STEP  # together, so that the next context begins alike
        for turn in before[:first]:
            self._about(turn, "over_budget", "there is no room for it and those before it")
        self.used += sum(costs[first:])
        return (*before[first:], *recent)

    def _window(self, given: Sequence[ShownTurn]) -> tuple[ShownTurn, ...]:
        if not given:
            return ()
        opening = 0.0 if self._asked else self._turns_opening()
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
                self._about(turn, "over_budget", "there is no room for it and those before it")
                break
            level, shorter, cost = fits
            subject = "what came after the question" if asked else "it"
            if level is None:
                self._about(turn, "over_budget", f"there is no room for {subject}")
            elif level is not Level.FULL:
                sentence = f"{subject} is shown as {level.value}"
                self._about(turn, f"shortened_{level.value}", sentence)
            left -= cost
            self.used += cost
            kept.append(shorter)
        if kept:
            self.used += opening
        return tuple(reversed(kept))

    def evidence(
        self, choice: EvidenceChoice, *, first: bool = False, shown: Sequence[str] = ()
    ) -> None:
        """Spend tokens on evidence; a part of the room alone if other slots are still to come.

        The first piece that is taken pays for the heading of them all. However small the part is,
        the best of it has enough to be quoted.
        """
        opening = 0.0 if choice.passages else self.count(heading("Evidence")) + 2 * JOINT
        there = self.left - opening
        room, least = there * (_TOP_SHARE if first else 1.0), min(there, _MIN_TOP)
        taken = choice.take(room, shown=shown, for_first=least) if there > 0 else 0.0
        if taken:
            self.used += taken + opening
            self.for_evidence += taken + opening

    def evidence_again(self, choice: EvidenceChoice, shown: Sequence[str]) -> None:
        """Spend what the evidence takes less as a whole than its parts were counted at.

        Each source has had its share of the places; what one could not use is the other's.
        """
        choice.quotas = {}
        if not choice.passages or not choice.wants_more():
            return
        exact = self.cost(evidence=choice.evidence(_NEVER, ""))
        before = self.for_evidence
        self.used -= max(0.0, before - exact)
        taken = choice.take(self.left, shown=shown)
        self.used += taken
        self.for_evidence = min(before, exact) + taken

    def _turns_opening(self) -> float:
        return self.count(heading("Recent turns")) + self.count(EARLIER) + 3 * JOINT

    def _call_cost(self, call: ShownCall) -> float:
        return self.count(arguments_text(call)) + self.count(call.tool_name)

    def _turn_cost(self, turn: ShownTurn, *, waits: bool) -> float:
        """Return what a turn costs, as text and as messages whichever is more."""
        calls = sum(2 * MESSAGE_TOKENS + self._call_cost(call) for call in turn.tool_calls)
        frames = MESSAGE_TOKENS * len(turn.messages)
        return self.count(turn_text(turn, waits=waits)) + calls + frames + 2 * JOINT

    def _about(self, turn: ShownTurn, code: str, sentence: str) -> None:
        self.ignored.append(Reason(code, sentence, id=turn.turn_id, type="recent_turns"))

    def _note(self, what: str, slot: str, before: int, after: int) -> None:
        sentence = f"{after} of {before} characters are shown"
        code = "shortened" if after else "over_budget"
        self.ignored.append(Reason(code, sentence, type=slot, key=what))


def _keep_lines(
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
