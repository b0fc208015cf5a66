"""Runs the patterns of a package on the inputs that are worst for them, in a process of its own.

In: a package, how large an input may be, and after how many seconds it is given up. Out: a line of
JSON for each pattern that takes longer, with the input. A pattern that never ends is interrupted:
`re` looks for signals now and then.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from pattern_inputs import TAILS, Form, forms_of, gives_up_group
from pattern_list import Listed, list_patterns

_INPUTS = 20  # of a pattern's own, for each that is tried in its full size
_SMALL = 160  # characters of an input by which it is told how bad it may be


class TooLongError(Exception):
    """An input took more time than it may."""


def seconds_of(listed: Listed, text: str, most: float) -> float:
    """Return how long a pattern takes for a text, at most so many seconds."""
    before = signal.signal(signal.SIGALRM, _give_up)
    begun = perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, most)
        listed.run(text)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except TooLongError:
        return most
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return perf_counter() - begun


def worst_of(listed: Listed, size: int, most: float, tried: int) -> tuple[float, str, str]:
    """Return the time of the input that takes longest, what it repeats, and how it begins.

    All inputs are tried in a small size, and those that then take longest in the large one.
    """
    size = min(size, listed.longest)
    small = min(size, _SMALL)
    forms = forms_of(listed.source, listed.flags, most=_INPUTS * tried)
    tails = [TAILS[place % len(TAILS)] for place in range(len(forms))]
    ranked: list[tuple[float, int, Form, str]] = []
    for place, (form, tail) in enumerate(zip(forms, tails, strict=True)):
        ranked.append((seconds_of(listed, form.text(small, tail), most), place, form, tail))
    worst = (0.0, "", "")
    for _, _, form, tail in sorted(ranked, reverse=True)[:tried]:
        taken = seconds_of(listed, form.text(size, tail), most)
        worst = max(worst, (taken, form.unit, form.before))
    return worst


def hunt(package: str, size: int, most: float, tried: int) -> Iterator[dict[str, Any]]:
    """Yield the patterns that take too long, or hold a group where it may not be."""
    for listed in list_patterns(package):
        if gives_up_group(listed.source, listed.flags):
            yield {"name": listed.name, "group": "in a possessive repeat"}
        taken, unit, before = worst_of(listed, size, most, tried)
        if taken >= most:
            yield {"name": listed.name, "before": before, "repeated": unit, "seconds": taken}


def _give_up(*_: object) -> None:
    raise TooLongError


def main() -> None:
    """Hunt in the package that the arguments name, and print what is found."""
    package, size, most, tried = sys.argv[1:]
    for found in hunt(package, int(size), float(most), int(tried)):
        sys.stdout.write(f"{json.dumps(found, ensure_ascii=False)}\n")
