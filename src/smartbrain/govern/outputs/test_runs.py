"""Runs of tests: which failed, why, and how many there were.

In: the output of pytest, unittest, jest, mocha, go, cargo, Maven, Gradle, JUnit's XML, TAP, RSpec,
PHPUnit, ctest or dotnet. Out: the failing tests, the first reason, the tally.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip, several

_TALLY: Final = re.compile(
    r"^(?:=+ )?.*\b\d+ (?:passed|failed|errors?|skipped|xfailed|deselected)\b.* in [\d.:]+ ?m?s"
    r"|^=+ no tests ran|^Ran \d+ tests? in |^(?:OK|FAILED) \((?:failures|errors|skipped)=.*\)$"
    r"|^\s*Tests:? +.*\b(?:total|passed|failed)\b|^\s*\d+ (?:passing|failing|pending)\b"
    r"|^test result: (?:ok|FAILED)\.|^(?:ok|FAIL|---) ?\s+\S+\s+(?:\(cached\)|\[[^\]]*\]|[\d.]+s)$"
    r"|Tests run: \d+, Failures: \d+|^\d+ tests? completed, \d+ failed|^BUILD (?:FAILED|SUCCESS)"
    r"|^# (?:pass|fail|tests) +\d+|^\d+ examples?, \d+ failures?|^Tests: \d+, Assertions: \d+"
    r"|^\d+% tests passed, \d+ tests? failed|^(?:Failed|Passed)!\s+- Failed:"
    r"|<testsuites?\b[^>]*\btests=|^(?:FAIL|PASS)$|^OK$|^共.{0,20}(?:用例|测试).*(?:通过|失败)"
    r"|^(?:测试|用例).{0,10}(?:通过|失败)[^。]*\d"
)
_WORDS: Final = ("pass", "fail", "ran ", "ok", "test", "error", "用例", "测试")
"""What every tally holds, in small letters; looking for these first is much quicker."""
_SURE_TALLY: Final = re.compile(
    r"(?:passed|failed|error|ran).*=+$|\b(?:passed|failed)\b.* in [\d.]+ ?m?s|^Ran \d+ test"
    r"|^test result:|^Tests:? |\d+ (?:passing|failing)|Tests run: \d+|tests? completed"
    r"|examples?, \d+ fail|Assertions: |tests passed, |<testsuite|^(?:ok|FAIL)\s+\S+\s+[\d.(]"
    r"|^# (?:pass|fail|tests) |!\s+- Failed:|用例|测试"
)
_FAILING: Final = (
    re.compile(r"^(?:FAILED|ERROR) +\S+(?:::|\.py|/)\S*"),
    re.compile(r"^\S+::\S+.* (?:FAILED|ERROR)\b"),
    re.compile(r"^(?:FAIL|ERROR): \S+ \(|^(?:FAIL|ERROR): test"),
    re.compile(r"^\s*--- FAIL: "),
    re.compile(r"^test \S+.* \.\.\. FAILED"),
    re.compile(r"^\s*● .+|^\s+(?:✕|×|✗) .+|^ *FAIL +\S+\.\S+"),
    re.compile(r"^\s+\d+\) \S.*"),
    re.compile(r"^\S.* > .+ FAILED$|<{3} (?:FAILURE|ERROR)!"),
    re.compile(r"^\[ERROR\] +\S+[.:]\S+:\d+|^not ok \d+"),
    re.compile(r"<testcase\b[^>]*>(?=\s*<(?:failure|error))|^rspec \./|^\d+\) \w+::"),
    re.compile(r"^\s*\d+ - .*\((?:Failed|Timeout|SEGFAULT)\)|^\s+Failed \S+ \[|^\[ *FAILED *\]"),
    re.compile(r"^(?:失败|未通过)[:： ].+|^.+(?:用例|测试).*(?:未通过|失败)"),
)
_REASON: Final = re.compile(
    r"^E {2,}\S|^[\w.]*(?:Error|Exception|Failure)\b.*:|^\s+\w+Error: |^\s*Expected\b.*"
    r"|^\s*(?:Error|AssertionError)\b"
    r"|panicked at|^\s+\S+_test\.go:\d+:|<(?:failure|error)\b[^>]*message=|^\s+(?:left|right): "
    r"|^(?:org|java)\.\S+(?:Error|Failure|Exception)|^\s*(?:预期|期望|原因|断言)"
)


def tell_test_run(seen: Seen) -> Told | None:
    """Return what a run of tests says, or None if it is none."""
    lowered = seen.text.lower()
    if not any(word in lowered for word in _WORDS):
        return None
    tallies = [line for line in seen.lines if _may_tell(line) and _TALLY.search(line)]
    if not any(_SURE_TALLY.search(line) for line in tallies):
        return None
    failing = _failing(seen.lines)
    reason = next((line for line in seen.lines if failing and _REASON.search(line)), None)
    tally = _best(tallies)
    if not failing:
        return Told("test run", about=(f"tests: {clip(tally)}",))
    first, *others = failing
    lines = [clip(first), f"tests: {clip(tally)}"]
    if reason is not None and reason.strip() not in first:
        lines.insert(1, clip(reason))
    lines += [clip(line, 160) for line in others[:1]]
    if len(others) > 1:
        lines.append("also failing: " + several(clip(line, 80) for line in others[1:]))
    return Told("test run", failing=tuple(lines))


def _may_tell(line: str) -> bool:
    """Tell whether it is worth looking closer at a line."""
    lowered = line.lower()
    return any(word in lowered for word in _WORDS)


def _failing(lines: tuple[str, ...]) -> list[str]:
    """Return the lines that name a failing test, by the kind of line that names most of them."""
    found: dict[int, dict[str, str]] = {}
    for line in lines:
        for number, pattern in enumerate(_FAILING):
            if pattern.search(line):
                found.setdefault(number, {}).setdefault(line.strip(), line)
                break
    if not found:
        return []
    # A runner that names a failing test in two ways names it by the more exact one first here.
    return list(found[min(found)].values())


def _best(tallies: list[str]) -> str:
    """Return the tally that says most: a failing one before a passing one, later before earlier."""
    sure = [line for line in tallies if _SURE_TALLY.search(line)]
    bad = [line for line in sure if re.search(r"(?i)[1-9]\d* (?:failed|failing|error)|fail", line)]
    mocha = [line for line in sure if re.search(r"\d+ (?:passing|failing)", line)]
    if mocha:
        return ", ".join(line.strip() for line in mocha)
    ran = next((line for line in sure if line.startswith("Ran ")), None)
    if ran is not None:
        ended = [line for line in tallies if line.startswith(("FAILED (", "OK"))]
        return f"{ran.strip()}: {ended[-1].strip()}" if ended else ran
    return (bad or sure)[-1].strip("= ")
