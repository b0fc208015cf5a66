"""The ladder: what is done when more comes to mind than a packet may hold (R8).

In: candidates by group, best first, and the limits. Out: what stays, each step that was taken, and
a reason for each candidate that went. The steps come in one order and stop as soon as all limits
hold; the same input always gives the same answer. Working memory is whole, or shorter where it
would crowd out the rest (W1): first the detail of old decisions goes, then plan and decisions, so
that goal, constraints and slots stay, at last the oldest of those.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.memory import Compression
from smartbrain.domain.packet import Degradation, LadderStep, PacketItem, ShortTerm, WorkingMemory
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recalled import Ranked, RecalledRow
from smartbrain.govern.short_term import pressed_short_term
from smartbrain.recall.ages import LEVELS, raised
from smartbrain.recall.guard import reason_about

GROUPS: Final = ("facts", "procedures", "episodes", "insights")
"""The groups of candidates in the order of a packet; what comes last gives way first."""
STM: Final = "stm"
STRONG_CUE: Final = "strong_cue"
"""The code of a reason: the message speaks of it by a name, a rare word or its time."""
_STEPS: Final = tuple(LadderStep)
_WEAK: Final = ("episodes", "insights")  # unless the message speaks of them strongly


class Why(NamedTuple):
    """Why a memory is in a packet: a code and a sentence, until it is known that it stays."""

    code: str
    sentence: str


class Candidate(NamedTuple):
    """A memory that may enter a packet: what it is made from, and why it is here.

    `fades` says that it goes when the window is tightened: it is not new, and nothing in the
    message speaks of it strongly. `level` is how much of it is shown.
    """

    source: RecalledRow | PacketItem
    why: Why
    ranked: Ranked | None = None
    level: Compression = Compression.RAW
    fades: bool = False


@dataclass(slots=True)
class Load:
    """What a packet is about to hold; `working` counts entries that stay whatever happens."""

    groups: dict[str, list[Candidate]]
    stm: ShortTerm = ShortTerm()
    working: int = 0
    degradations: list[Degradation] = field(default_factory=list)
    omitted: list[Reason] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How much it holds, all groups together."""
        return self.working + stm_size(self.stm) + sum(map(len, self.groups.values()))

    def keep(
        self, name: str, stays: list[Candidate], gone: list[Candidate], step: LadderStep, why: str
    ) -> None:
        """Keep some candidates of a group and let the others go, if any."""
        if gone:
            self.groups[name] = stays
            self.omitted += [reason_about(one.source, step.value, why) for one in gone]
            self.report(step, why, name, len(stays) + len(gone), len(stays))

    def report(
        self, step: LadderStep, why: str, name: str, before: int | str, after: int | str
    ) -> None:
        """Note a step that was taken."""
        self.degradations.append(
            Degradation(code=step.value, reason=why, type=name, before=before, after=after)
        )


def stm_size(stm: ShortTerm) -> int:
    """Return how many things short-term memory shows beside its summary."""
    return len(stm.key_quotes) + len(stm.window)


def group_limits(rules: Rules) -> dict[str, int]:
    """Return the most candidates of each group."""
    packet = rules.packet
    own = (packet.max_facts, packet.max_procedures, packet.max_episodes, packet.max_insights)
    return {name: min(most, packet.max_per_type) for name, most in zip(GROUPS, own, strict=True)}


def within_limits(
    groups: Mapping[str, Iterable[Candidate]], stm: ShortTerm, working: int, *, rules: Rules
) -> Load:
    """Return what stays of some candidates, best first, within every limit."""
    load = Load({name: list(groups.get(name, ())) for name in GROUPS}, stm, working)
    candidates = len(load.groups["episodes"])
    for name, limit in group_limits(rules).items():
        if limit:
            _cut(load, name, limit, f"at most {limit} {name} enter a packet")
        else:
            _omit(load, name, f"the rules let no {name} into a packet")
    most = rules.packet.episodes.compress_above
    if candidates > most:
        _compress(load, f"{candidates} episodes came to mind, more than {most}")
    for step in (_reduce_top_k, _tighten_window, _raise_compression, _drop_low, _omit_types):
        if load.total > rules.packet.max_candidates:
            step(load, rules)
    load.degradations.sort(key=lambda one: _STEPS.index(LadderStep(one.code)))
    return load


def _reduce_top_k(load: Load, rules: Rules) -> None:
    """Halve what each group may hold, the last group first, as far as needed."""
    limits = group_limits(rules)
    most = rules.packet.max_candidates
    for name in reversed(GROUPS):
        size, over = len(load.groups[name]), load.total - most
        least = min(size, -(-limits[name] // 2))
        if over > 0:
            _cut(load, name, max(least, size - over), f"at most {most} memories enter a packet")


def _tighten_window(load: Load, rules: Rules) -> None:
    """Let go of the episodes that are not new and of which the message does not speak strongly."""
    episodes = load.groups["episodes"]
    gone = [one for one in episodes if one.fades]
    if gone:
        step, days = LadderStep.TIGHTEN_WINDOW, rules.packet.episodes.raw_days
        why = f"only the last {days} days are looked at where the message names nothing older"
        load.omitted += [reason_about(one.source, step.value, why) for one in gone]
        load.groups["episodes"] = [one for one in episodes if not one.fades]
        load.report(step, why, "episodes", max(days, rules.packet.episodes.window_days), days)


def _raise_compression(load: Load, rules: Rules) -> None:
    _compress(load, f"more than {rules.packet.max_candidates} memories came to mind")
    before, load.stm = load.stm, pressed_short_term(load.stm, rules=rules.working)
    kept = before.key_quotes[: len(load.stm.key_quotes)]
    step = LadderStep.RAISE_COMPRESSION
    for why, was, now in (
        (
            "fewer of the last turns and of the quotes are shown",
            stm_size(before),
            stm_size(load.stm),
        ),
        (
            "the words of quotes whose turn is shown are left to that turn",
            sum(bool(quote.text) for quote in kept),
            sum(bool(quote.text) for quote in load.stm.key_quotes),
        ),
    ):
        if now < was:
            load.report(step, why, STM, was, now)
            load.omitted.append(Reason(step.value, f"{why}: {was - now} less", type=STM))


def _drop_low(load: Load, rules: Rules) -> None:
    """Let go of the least sure and least relevant; the best one of each group stays.

    What is not doubted is all alike sure: an episode tells what was said, whether it is so or not.
    Episodes and insights of which the message does not speak strongly go before all else; then
    what comes last in its own group, so that the longest group gives most.
    """
    enough = rules.policies.retention.confidence.user_asserted
    lowest_first = sorted(
        (
            min(one.source.confidence, enough),
            name not in _WEAK or one.why.code == STRONG_CUE,
            -place,
            -GROUPS.index(name),
            name,
            one.source.id,
        )
        for name in GROUPS
        for place, one in enumerate(_by_relevance(load.groups[name]))
    )
    over = load.total - rules.packet.max_candidates
    low = {one[-2:] for one in lowest_first[:over]}  # by group and id
    why = "it is less sure or less relevant than what stays"
    for name in GROUPS:
        before = load.groups[name]
        gone = [one for one in before[1:] if (name, one.source.id) in low]
        stays = before[:1] + [one for one in before[1:] if (name, one.source.id) not in low]
        load.keep(name, stays, gone, LadderStep.DROP_LOW, why)


def _by_relevance(held: Sequence[Candidate]) -> list[Candidate]:
    """Return a group without its best one, the most relevant first.

    What no search has found is there by rule, and as relevant as what was found just before it.
    """
    score = math.inf
    measured = []
    for place, one in enumerate(held):
        score = one.ranked.score if one.ranked else score
        measured.append((-score, place, one))
    return [one for _, _, one in sorted(measured[1:])]


def _omit_types(load: Load, rules: Rules) -> None:
    """Leave out whole groups, the last first, until the rest fits."""
    most = rules.packet.max_candidates
    reason = f"there is no room for it among {most} memories"
    for name in ("insights", "episodes", STM, "procedures", "facts"):
        if load.total <= most:
            return
        if name != STM:
            _omit(load, name, reason)
        elif before := stm_size(load.stm):
            load.stm = ShortTerm(summary=load.stm.summary)
            load.report(LadderStep.OMIT_TYPE, reason, STM, before, 0)
            load.omitted.append(Reason(LadderStep.OMIT_TYPE.value, reason, type=STM))


def _cut(load: Load, name: str, limit: int, why: str) -> None:
    held = load.groups[name]
    load.keep(name, held[:limit], held[limit:], LadderStep.REDUCE_TOP_K, why)


def _omit(load: Load, name: str, why: str) -> None:
    load.keep(name, [], load.groups[name], LadderStep.OMIT_TYPE, why)


def _compress(load: Load, why: str) -> None:
    before = load.groups["episodes"]
    after = [one._replace(level=raised(one.level)) for one in before]
    changed = sum(one.level is not now.level for one, now in zip(before, after, strict=True))
    if changed:
        step = LadderStep.RAISE_COMPRESSION
        load.groups["episodes"] = after
        was, now = (min((one.level for one in some), key=LEVELS.index) for some in (before, after))
        load.report(step, why, "episodes", was.value, now.value)
        sentence = f"{why}: {changed} are shown one level shorter"
        load.omitted.append(Reason(step.value, sentence, type="episodes"))


WORKING: Final = "working_memory"
_RECENT_DECISIONS: Final = 3


class Shown(NamedTuple):
    """Working memory as it is shown, the steps that made it so, and what is not shown."""

    working: WorkingMemory | None
    degradations: tuple[Degradation, ...] = ()
    omitted: tuple[Reason, ...] = ()


def entries(working: WorkingMemory | None) -> int:
    """Return how many things working memory holds; the detail of a decision is one of them."""
    if working is None:
        return 0
    details = sum(1 for one in working.decisions if one.detail)
    lists = (working.constraints, working.slots, working.plan, working.decisions)
    return (working.goal is not None) + sum(map(len, lists)) + details


def shown_working(working: WorkingMemory | None, limit: int, most: int = 0) -> Shown:
    """Return working memory with at most `limit` entries, at least its goal.

    Where all but the detail of decisions has room among `most` entries, that is shown, though it is
    more than `limit`; and so are goal, constraints and slots where these alone have it.
    """
    if working is not None and entries(working) > limit:
        limit = _room(working, limit, most)
    degradations: list[Degradation] = []
    omitted: list[Reason] = []
    for code, reason, shorten in (
        ("drop_decision_detail", "the detail of old decisions is not shown", _brief),
        ("keep_core", "only goal, constraints and slots are shown", _core),
        ("cut_core", "only the newest constraints and slots are shown", _newest),
    ):
        before = entries(working)
        if working is None or before <= limit:
            break
        shorter = shorten(working, limit)
        after = entries(shorter)
        if after < before:
            working = shorter
            degradations.append(
                Degradation(code=code, reason=reason, type=WORKING, before=before, after=after)
            )
            omitted.append(
                Reason(code, f"{reason}: {before - after} entries", id=working.run_id, type=WORKING)
            )
    return Shown(working, tuple(degradations), tuple(omitted))


def _room(working: WorkingMemory, limit: int, most: int) -> int:
    """Return how many entries may be shown: as many as all but detail takes, else the core alone.

    If there may not be so many either, the limit holds.
    """
    bare = _with_details(working, 0)
    if limit < entries(bare) <= most:
        return min(most, entries(_with_details(working, _RECENT_DECISIONS)))
    core = entries(_core(working))
    return core if limit < core <= most else limit


def _brief(working: WorkingMemory, limit: int) -> WorkingMemory:
    """Take the detail off all but the last decisions, and off those too if that is not enough."""
    shorter = _with_details(working, _RECENT_DECISIONS)
    return shorter if entries(shorter) <= limit else _with_details(working, 0)


def _with_details(working: WorkingMemory, last: int) -> WorkingMemory:
    """Take the detail off all but the `last` decisions."""
    recent = len(working.decisions) - last
    decisions = tuple(
        decision if place >= recent else replace(decision, detail="")
        for place, decision in enumerate(working.decisions)
    )
    return replace(working, decisions=decisions)


def _core(working: WorkingMemory, _: int = 0) -> WorkingMemory:
    return replace(working, plan=(), decisions=())


def _newest(working: WorkingMemory, limit: int) -> WorkingMemory:
    """Keep as many constraints and slots as there is room for, half each if both have more."""
    room = max(0, limit - (working.goal is not None))
    slots = min(len(working.slots), max(room // 2, room - len(working.constraints)))
    constraints = min(len(working.constraints), room - slots)
    kept = list(working.slots.items())[len(working.slots) - slots :]
    first = len(working.constraints) - constraints
    return replace(working, constraints=working.constraints[first:], slots=dict(kept))
