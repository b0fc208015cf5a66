"""Runs of tests: which failed, why, and how many there were.

In: the output of any runner of `test_runners`. Out: the failing tests with their reasons, first
ones first, and the tally. What go prints as JSON is read as the text that it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from smartbrain.govern.outputs.compilers import tell_compiler
from smartbrain.govern.outputs.seen import Seen, Told, clip, look_at, several
from smartbrain.govern.outputs.test_runners import RUNNERS, Runner

_BAD: Final = re.compile(
    r"(?i)\b[1-9]\d* (?:\w+ )?(?:fail|error)|\bfail(?:ed|ures?|s|ing)?!?[:= ]+[1-9]|^fail"
    r"|失败(?:(?!失败)\D)*+[1-9]|(?<!\d)0*[1-9]\d*+ ?[个项条例]? ?(?:用例|测试)?失败"
)
_STRONG: Final = re.compile(
    r"^E {2,}\S"
    r"|^\s*(?:\[ERROR\] +)?(?:[\w$]+[.\\])*\w*(?:Error|Exception|Failure)\b(?: \[\w+\])?(?::|$)"
    r"|^\s*(?:断言失败|断言错误)|^thread '.*panicked at"
)
"""A line that surely begins the reason, wherever it stands in what is told of a failing test."""
_END: Final = re.compile(
    r"^={5,}|^=== |^\[(?:[-= ]{10}|\s+[A-Z]+\s+)\]|^\s*(?:--- |\()(?:PASS|FAIL|SKIP|pass|fail)\b"
    r"|^\s*[✔✓✅]|^\s*(?:not )?ok \d|^(?:PASS|FAIL|OK)\b|^failures:$|^\s*Start +\d+:|^Test Case "
    r"|^\[INFO\]|^-{3,} (?:stdout|STDERR)|^⎯{3,}|^\s*ℹ|^# (?:tests|Subtest)|^\d+% tests"
    r"|^Finished in|^Ran \d|^Time: |^(?:ERRORS|FAILURES)!|^test result:|^Failed!"
    r"|^Test (?:Suites|run)|^\d+ (?:runs|tests?|examples?|specs?), |^\d+/\d+ Test "
    r"|^\s*\d+ (?:pass|fail)(?:ed|ing)?\b|^(?:\S+ )?(?:Tests|测试)[: ]"
    r"|^The following tests|^\s*(?:▶|Summary \[)|^共\D{0,6}\d+.{0,4}(?:用例|测试)"
    r"|^.{0,20}(?:通过|成功).{0,12}失败(?:.{0,4}\d|[。，,;；)）]?$)"
)
"""A line that is no part of what is told of one test."""
_STOP: Final = re.compile(
    r"^\s+at \S|^\s*❯ |^\s*(?:> *)?\d* ?\||^\s*(?i:stack ?trace|stack backtrace|stack|堆栈跟踪)\s*:"
    r"|^\s*# (?:\./|/)|^\s*\S+:\d+(?::\d+)?(?::in .*|: \w*(?:Error|Exception|Failed))?:?$"
    r"|^[-─=~.]{5,}$|^\s*at \S+:\d+|^\s*(?:generatedMessage|Error Context|note): |^\s*File \"|^--$"
    r"|^goroutine \d+|^\s*(?:Obtained \d+ stack|#\d+ 0x|error: test failed)"
)
"""A line behind which nothing more is said of the reason."""
_SKIP: Final = re.compile(
    r"^\s*(?:#\s*)?(?:Error Message|错误消息|Error|Failures?|code|---|\.\.\.|Traceback .*"
    r"|[-+] (?:Expected|Received)|\+ expected - actual|\+ actual - expected"
    r"|(?:message|error)(?:: \|-)?)?:?$"
    r"|^\s*(?:duration_ms|location|failureType|type|code|name|operator|severity): "
    r"|subtests? failed|^\s*[{}]$"
)
_NAME: Final = re.compile(r"[\w\u4e00-\u9fff\[\]-]+")
_LINES: Final = 400  # of what is told of one test that are looked at
_LONGEST: Final = 500  # characters of each
_NEAR: Final = 20_000  # characters before a name among which its reason can stand
_JOINED: Final = 6  # lines that make one reason
_TALLIES: Final = 4
_READ: Final = 50  # failing tests whose reasons are read


def tell_test_run(seen: Seen) -> Told | None:
    """Return what a run of tests says, or None if it is none."""
    best: Told | None = None
    for runner in RUNNERS:
        if any(mark in seen.text for mark in runner.marks):
            told = _told(runner, seen)
            if told is not None and told.failing:
                return told
            best = best or told
    return best


def tell_go_json(seen: Seen) -> Told | None:
    """Return what `go test -json` says, or None if it is something else."""
    if not any('"Action":"' in line for line in seen.lines[:3]):
        return None
    printed = []
    for line in seen.lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("Output"), str):
            printed.append(value["Output"])
    return tell_test_run(look_at("".join(printed), failed=seen.failed, cut=not seen.whole))


def _told(runner: Runner, seen: Seen) -> Told | None:
    """Return what a run of one runner says."""
    matches = [match for line in seen.lines if (match := runner.tally.match(line))]
    if not any(match.lastgroup != "weak" for match in matches):
        return None
    failing = _failing(runner, seen.text)
    counts = list(dict.fromkeys(match.string.strip("=─ \t") for match in matches))
    named = {name for name, _ in failing}
    tally = _joined([line for line in counts if line not in named] or counts)
    if failing:
        if not _BAD.search(tally):
            tally += f" ({len(failing)} failing)"
        return Told("test run", failing=tuple(_lines(failing, f"tests: {tally}")))
    built = tell_compiler(seen) if _BAD.search(tally) else None
    if built is not None and built.failing:
        return Told("compiler", failing=(*built.failing, f"tests: {tally}"))
    return Told("test run", about=(f"tests: {tally}",))


def _lines(failing: list[tuple[str, str]], tally: str) -> Iterator[str]:
    """Yield the first failing test, its reason and the tally, then other failing tests."""
    (name, reason), *others = [
        (name, "" if reason.removeprefix("E").strip() in name else reason)
        for name, reason in failing
    ]
    yield from (clip(name), reason, tally) if reason else (clip(name), tally)
    for name, reason in others[:1]:
        yield clip(f"{name} — {reason}" if reason else name, 300)
    if len(others) > 1:
        yield "also failing: " + several(clip(name, 80) for name, _ in others[1:])


def _joined(tallies: list[str]) -> str:
    """Return the lines that sum up a run as one; of many, those that tell of failures."""
    if len(tallies) > _TALLIES:
        bad = [line for line in tallies if _BAD.search(line)]
        tallies = [line for line in tallies if line in (bad or tallies)[-_TALLIES:]]
    return clip(", ".join(clip(line, 160) for line in tallies))


def _failing(runner: Runner, text: str) -> list[tuple[str, str]]:
    """Return the failing tests and why each failed; those that give no reason come last."""
    told: dict[str, str] = {}
    heads = list(runner.told.finditer(text)) if runner.told else []
    for number, head in enumerate(heads):
        name = " ".join((head[1] if head.re.groups and head[1] else head[0]).split()).rstrip("─ ")
        reason = told.get(name, "")
        if number < _READ and not reason:
            after = heads[number + 1].start() if number + 1 < len(heads) else None
            reason = _reason(text[head.end() : after])
            if not reason and runner.before:
                begin = heads[number - 1].end() if number else None
                reason = _before(text, begin, head.start())
        told[name] = reason
    named = runner.named.findall(text) if runner.named else []
    if not named:
        return sorted(told.items(), key=lambda one: not one[1])
    whys = [(_NAME.findall(name)[-1:] or [name], why) for name, why in told.items() if why]
    return [
        (name, next((why for (key,), why in whys[:_READ] if key in name), ""))
        for name in dict.fromkeys(" ".join(name.split()) for name in named)
    ]


def _before(text: str, begin: int | None, end: int) -> str:
    """Return the reason that was printed before a failing test is named, since it began."""
    lines = [line[:_LONGEST] for line in text[max(begin or 0, end - _NEAR) : end].split("\n")]
    ends = [number for number, line in enumerate(lines) if _END.match(line)]
    if not ends and begin is not None:
        return ""
    return _reason("\n".join(lines[ends[-1] + 1 if ends else 0 :]))


def _reason(text: str) -> str:
    """Return why a test failed, on one line, from what is told of it."""
    lines = [line[:_LONGEST].rstrip() for line in text.split("\n", _LINES)[:_LINES]]
    lines = list(takewhile(lambda line: not _END.match(line), lines))
    begin = next((number for number, line in enumerate(lines) if _STRONG.match(line)), 0)
    kept: list[str] = []
    for line in lines[begin:]:
        if _STOP.match(line):
            if kept:
                break
        elif line.strip(" \t#│") and not _SKIP.search(line):
            kept.append(line.strip(" \t#│"))
            if len(kept) == _JOINED:
                break
    return clip(" ".join(kept))
