"""Regular expressions: each takes a time that is in line with the size of its text.

In: all patterns that read messages and outputs, with inputs made from each of them. Out: those that
take far too long, by name. Each package is tried in a process of its own, which is ended if need
be: the limits are generous, for they are to tell a second from an hour, not to measure.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pattern_hunt import seconds_of
from pattern_inputs import Form, forms_of, gives_up_group
from pattern_list import PACKAGES, WHOLE, Listed

from conftest import is_full

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="a pattern cannot be interrupted here"
)
HERE = Path(__file__).parent
SIZE, SECONDS, TRIED = (WHOLE, 5.0, 10) if is_full() else (20_000, 1.0, 2)
"""How large an input is, how long a pattern may take for it, how many of the worst are tried."""
PATIENCE = 3_600  # seconds, for all patterns of a package


def run_script(code: str, *given: object) -> list[dict[str, object]]:
    """Run code in a process that can import what stands beside this file; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, given)],
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert 0 == done.returncode, done.stderr[-2_000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.spec("C6", "W6")
@pytest.mark.parametrize("package", PACKAGES)
def test_no_pattern_takes_far_longer_for_its_worst_inputs(package: str) -> None:
    """A text that people or tools write can hold up a commit no longer than any other.

    Neither can it break it: Python 3.11 raises a SystemError where a possessive repeat gives up a
    group that it has begun, so no such repeat holds a group.
    """
    code = "import pattern_hunt; pattern_hunt.main()"
    assert [] == run_script(code, package, SIZE, SECONDS, TRIED)


@pytest.mark.spec("C6")
def test_no_pattern_is_given_more_than_it_is_listed_for() -> None:
    """What finders and readers leave alone because it is too long never comes to their patterns."""
    code = "import pattern_lengths; pattern_lengths.main()"
    assert [] == run_script(code, 1 if is_full() else 60, 0)


def listed(source: str, *methods: str) -> Listed:
    """Return a pattern as the list has it."""
    return Listed("made up", source, 0, methods, WHOLE)


@pytest.mark.parametrize(
    ("source", "method"),
    [
        (r"[A-Z][A-Z0-9]*(?: ?[A-Z]+)*(?: {2,}[A-Z ]*)+$", "match"),
        (r"(?:刚|刚刚|已经)*了", "match"),
        (r"\s*(?:foo)?\s*bar", "match"),
        (r"\W*[\w-]+:", "match"),
        (r"\s+\Z", "search"),
        (r"(?:a|b)*c(?:a|b)*d", "finditer"),
        (r"<(b)\b.*?</\1>", "finditer"),
        (r"[a-z]+(?:_[a-z_]+)+", "fullmatch"),
    ],
)
def test_what_takes_too_long_is_found(source: str, method: str) -> None:
    """The inputs are bad enough: what they cost grows faster than they do."""
    pattern = listed(source, method)
    texts = [(form, tail) for form in forms_of(source, 0) for tail in ("", "!", "\n")]
    assert any(grows(pattern, form, tail) for form, tail in texts)


def grows(pattern: Listed, form: Form, tail: str) -> bool:
    """Tell whether an input of eight times the size takes far more than eight times as long."""
    taken = []
    for size in (1_000, 8_000):
        taken.append(min(seconds_of(pattern, form.text(size, tail), 0.2) for _ in range(3)))
        if taken[-1] >= 0.2:
            return True
    return taken[1] > max(20 * taken[0], 0.002)


@pytest.mark.parametrize("source", [r"(?<![A-Z])[A-Z]++ {2,}+[A-Z]", r"(?<!\s)\s++foo", r"a{0,8}b"])
def test_what_is_linear_is_not_found(source: str) -> None:
    """A pattern that can be read in one way only passes."""
    pattern = listed(source, "finditer")
    assert not any(grows(pattern, form, "!") for form in forms_of(source, 0))


@pytest.mark.parametrize(
    ("source", "gives_up"),
    [(r"(?:(?P<a>x)|y)*+z", True), (r"(?>(a)b)", True), (r"(a++)(?:b|c)*+", False)],
)
def test_a_group_in_a_possessive_repeat_is_found(source: str, gives_up: bool) -> None:
    """Around one it may be."""
    assert gives_up == gives_up_group(source, 0)


def test_the_inputs_of_a_pattern_are_always_the_same() -> None:
    """So what was found once is found again."""
    source = r"(?:please|thanks)[, ]+(?P<what>\w+)\W*\Z"
    assert forms_of(source, re.IGNORECASE) == forms_of(source, re.IGNORECASE)
