"""How large the requests of a long tool loop are: what agents did in real traces, in one open turn.

In: traces of agents, chained to loops of sixty calls and more. After each call a context is
composed for the next step, at two limits. Out: whether requests grow, how much of the limit they
take, and what they add up to against a replay of everything so far.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from statistics import fmean
from typing import Any

from bench.recall_data import DATA
from bench.report import Result, Setting
from bench.request_tokens import count_request
from smartbrain import SmartBrain
from smartbrain.adapters.splintr_counter import SplintrCounter
from smartbrain.domain.context import ContextPackage
from smartbrain.errors import UsageError
from smartbrain.ports.token_counter import TokenCounter
from smartbrain.text.tokens import EstimatedTokens, estimate_tokens

LIMITS = (8_192, 3_072)
CALLS = 60
LOOPS, LOOPS_FULL = 3, 100
GROWTH = 1.05  # the last requests against the early ones
SHARE = 0.6  # of the limit, in the mean
EARLY, LATE = slice(4, 20), slice(-15, None)
EXACT = "o200k_base"
_STATE = {
    "system": "You are a careful agent. Work step by step. 请一步一步地做。",
    "tools": [{"name": "run", "parameters": {"command": "string"}}],
}
Step = Mapping[str, Any]


def run(setting: Setting) -> Iterator[Result]:
    """Measure every loop at both limits."""
    loops = chained(setting.pick(LOOPS, LOOPS_FULL))
    if not loops:
        yield Result("tool loop", "not here", "set SMARTBRAIN_DATA")
        return
    counters = _counters()
    sizes: dict[tuple[int, str], list[list[int]]] = defaultdict(list)
    replayed: list[int] = []
    with SmartBrain.open(setting.folder) as brain:
        for number, (task, steps) in enumerate(loops):
            told = accumulate(_size(step) for step in steps)
            replayed.append(sum(estimate_tokens(task) + size for size in told))
            for key, loop in looped(brain, f"loop {number}", task, steps, counters).items():
                sizes[key].append(loop)
    for (limit, name), requests in sizes.items():
        yield _result(limit, name, requests, sum(replayed))


def looped(
    brain: SmartBrain,
    session: str,
    task: str,
    steps: Sequence[Step],
    counters: Sequence[TokenCounter],
) -> dict[tuple[int, str], list[int]]:
    """Return the tokens of each request of a loop, by limit and counter."""
    sizes: dict[tuple[int, str], list[int]] = defaultdict(list)
    turn = brain.commit_turn(session, [{"role": "user", "content": task}]).turn_id
    for step in steps:
        brain.commit_turn(session, step, turn_id=turn)
        for limit in LIMITS:
            package = brain.compose_context(
                session, None, _STATE, recipe="tool_loop", token_limit=limit, turn_id=turn
            )
            for counter in counters:
                sizes[limit, counter.name].append(largest(package, counter))
    return sizes


def largest(package: ContextPackage, counter: TokenCounter) -> int:
    """Return the tokens of a context in the form that takes the most of them."""
    requests = (package.request(form) for form in ("openai", "anthropic"))
    return max(counter.count(package.text()), *(count_request(one, counter) for one in requests))


def chained(most: int) -> list[tuple[str, list[Step]]]:
    """Return loops of calls with what the user asked first, longest traces first."""
    path = DATA / "traces.jsonl.gz"
    if not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        traces = [json.loads(line)["steps"] for line in lines]
    traces.sort(key=lambda steps: -sum(one["role"] == "tool" for one in steps))
    loops: list[tuple[str, list[Step]]] = []
    waiting: list[Step] = []
    for trace in traces:
        waiting += _calls(trace, len(waiting))
        if len(waiting) >= CALLS:
            loops.append((_task(trace), waiting))
            waiting = []
    return loops[:: max(1, len(loops) // most)][:most]


def _calls(steps: Sequence[Mapping[str, Any]], first: int) -> Iterator[Step]:
    """Yield the calls of a trace, each with what the assistant said before it."""
    said = ""
    for number, one in enumerate(steps, start=1_000 * first):
        if one["role"] == "assistant":
            said = one["text"] or ""
        elif one["role"] == "tool":
            call = {"id": f"c{number}", "name": one["tool"] or "run", "result": one["text"] or ""}
            words = [{"role": "assistant", "content": said}] if said.strip() else []
            yield {"messages": words, "tool_calls": [call]}
            said = ""


def _task(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return what the user of a trace asks first."""
    return next((one["text"] for one in steps if one["role"] == "user"), "") or "Go on."


def _size(step: Step) -> int:
    """Return the tokens of a step as it was said and printed."""
    texts = [one["content"] for one in step["messages"]]
    return sum(map(estimate_tokens, [*texts, *(one["result"] for one in step["tool_calls"])]))


def _counters() -> list[TokenCounter]:
    """Return the estimate, and the exact counter where its library is installed."""
    try:
        return [EstimatedTokens(), SplintrCounter(EXACT)]
    except UsageError:
        return [EstimatedTokens()]


def _result(limit: int, name: str, loops: Sequence[Sequence[int]], replayed: int) -> Result:
    early = fmean(size for loop in loops for size in loop[EARLY])
    late = fmean(size for loop in loops for size in loop[LATE])
    mean = fmean(size for loop in loops for size in loop)
    most = max(size for loop in loops for size in loop)
    calls = sum(map(len, loops))
    return Result(
        name=f"tool loop, {limit:,} tokens, {name}",
        measured=f"{mean:,.0f} tokens in the mean, {most:,} at most; {calls:,} calls",
        against=f"early {early:,.0f}, late {late:,.0f}; replay {replayed / calls:,.0f}",
        ratio=f"{late / early:.3f}; {mean * calls / replayed:.3f} of a replay",
        limit=f"≤ {GROWTH}; mean ≤ {SHARE:.0%}, none over the limit",
        passed=late <= GROWTH * early and mean <= SHARE * limit and most <= limit,
        numbers={"growth": late / early, "mean": mean, "most": most, "replay": replayed / calls},
    )
