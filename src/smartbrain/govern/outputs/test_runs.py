"""Test runs and compilers: which of them printed a text, what failed and where.

In: an output as `seen` shows it. Out: what it says in a few lines, or nothing where no runner and
no compiler of the tables printed it. What a runner prints is data: patterns for its tally, its
failing tests and their reasons.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip, counted, look_at, several

TALLY: Final = "tests: "
"""How the line begins that counts the tests of a run."""


@dataclass(frozen=True, slots=True)
class Runner:
    """How one runner, or several that print alike, tells of a run.

    `marks`: one of these is in every output. `tally`: lines that sum up; one that matches as
    `weak` does not tell the runner. `told`: the line that names a failing test in front of its
    reason, in group 1 where only a part is the name; `before` if the reason may come first.
    `named`: lines that name the failing tests better, without a reason behind them.
    """

    marks: tuple[str, ...]
    tally: re.Pattern[str]
    told: re.Pattern[str] | None = None
    named: re.Pattern[str] | None = None
    before: bool = False


def _row(
    marks: str, tally: str, told: str | None = None, named: str | None = None, before: bool = False
) -> Runner:
    return Runner(
        tuple(marks.split("|")),
        re.compile(tally),
        re.compile(told, re.MULTILINE) if told else None,
        re.compile(named, re.MULTILINE) if named else None,
        before,
    )


# What counts in a Chinese report, "通过 12，失败 1" or "12 个通过，1 个失败", names no test.
_ZH_COUNTS: Final = (
    r"(?![^\n]*(?:失败|未通过)[数率]?[ :：=]*\d+ *[个项条例次]?(?:[ ,，;；。、)）]|$)"
    r"|[^\n]*\d *+(?:[个项条例] *+)?(?:用例|测试)?(?:失败|未通过)(?:[ ,，;；。、)）]|$))"
)

RUNNERS: Final = (
    # pytest, also under tox and nox
    _row(
        "passed|failed|error|skipped|no tests ran|deselected",
        r"(?:=+ )?(?:\d+ \w+, )*\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected)\b"
        r".* in [\d.:]+ ?m?s|=+ no tests ran|no tests ran in "
        r"|(?P<weak>\s+\S+: (?:FAIL|OK) (?:[✔✖]|code )|nox > (?:\* )?\S+: (?:failed|success))",
        r"^_{2,} (?:ERROR (?:at \w+ of|collecting) )?(\S[^\n]{0,300}?) _{2,}$",
        r"^(?:FAILED|ERROR) +\S+(?:::|\.py|/)[^\n]*",
    ),
    # unittest, Django
    _row(
        "Ran ",
        r"Ran \d+ tests? in |(?P<weak>(?:OK|FAILED)(?: \(.*\))?$)",
        r"^(?:FAIL|ERROR): \S[^\n]*",
    ),
    # Jest
    _row(
        "Tests:",
        r"Tests: ++.*\b\d+ total|(?P<weak>Test Suites: )",
        r"^ *● (?!Console$|Validation|Deprecation)\S[^\n]*",
    ),
    # Vitest, Pest
    _row(
        "Tests  |Tests: ",
        r"\s*Tests:? {2,}+.*\b(?:passed|failed|skipped|todo)\b|(?P<weak>\s*Test Files )",
        r"^ *(?:FAIL|FAILED) +\S[^\n]*",
    ),
    # Mocha, Cypress
    _row(
        " passing| failing",
        r"\s+\d+ (?:passing|failing)\b|(?P<weak>\s+\d+ pending)",
        r"^ {0,4}\d+\) \S[^\n]*\n(?: {4,}\S[^\n]*\n){0,5}? {4,}\S[^\n]*:$",
    ),
    # Playwright
    _row(
        " › ",
        r" +\d+ (?:passed|failed|flaky|skipped|interrupted|did not run)\b(?: \(.*\))?$",
        r"^ +\d+\) \S[^\n]*",
    ),
    # node:test by its own reporter
    _row("ℹ ", r"ℹ (?:tests|pass|fail) \d+", r"^ *✖ (?!failing tests:)\S[^\n]*"),
    # TAP: node:test, Bats, prove, tape
    _row(
        "ok 1",
        r"# (?:tests|pass|fail) +\d+|1\.\.\d+(?: |$)|(?P<weak>Result: FAIL)",
        r"^ *not ok \d+(?![^\n]*# (?:TODO|SKIP|todo|skip))[^\n]*",
    ),
    # Go, gotestsum
    _row(
        "ok  |FAIL|no test files|DONE ",
        r"(?:ok|FAIL|\?)\s+\S+\s+(?:\(cached\)|\[[^\]]*\]|[\d.]+s)|DONE \d+ tests"
        r"|(?P<weak>(?:PASS|FAIL)$)",
        r"^ *(?:---|===) FAIL: [^\n]*",
        before=True,
    ),
    # cargo test
    _row(
        "test result:",
        r"test result: (?:ok|FAILED)\.",
        r"^---- (\S[^\n]*) stdout ----$",
        r"^test \S[^\n]{0,300} \.\.\. FAILED",
    ),
    # cargo nextest
    _row(
        "tests run: ",
        r"\s*Summary \[.*\d tests? run: ",
        r"^[^\S\n]*[─-]{2,} (?:STDOUT|STDERR|stdout|stderr)(?: ───)?: +(\S[^\n]*?)(?: -+)?$",
        r"^ +(?:FAIL|TIMEOUT|SIG[A-Z]+|ABORT) \[[^\n]*",
    ),
    # Maven
    _row(
        "Tests run: ",
        r"(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+(?:, Skipped: \d+)?\s*$",
        r"^\[ERROR\] ++(?!Tests run)((?:(?!<<< )\S)++)[^\n]*<<< (?:FAILURE|ERROR)!",
        r"^\[ERROR\] ++(?>\S+?[.:])\S+:\d[^\n]*",
    ),
    # Gradle
    _row(
        "tests completed|test completed",
        r"\d+ tests? completed",
        r"^\S[^\n]{0,200} > [^\n]{1,300} FAILED$",
    ),
    # JUnit's XML
    _row(
        "<testsuite",
        r".*<testsuites?\b[^<>]*\btests=",
        r"<testcase\b[^>]{0,500}>(?=\s*<(?:failure|error))",
    ),
    # dotnet test
    _row(
        "!  - |Test run summary:|Total tests:|测试总数",
        r"(?:Failed|Passed|失败|已通过)!\s+- |Test run summary: "
        r"|(?P<weak>\s+(?:total|failed|succeeded|Passed|Failed): +\d+)|Total tests: \d+|测试总数",
        r"^ *(?:Failed|failed|失败|未通过) (?!to )(?=[^\n]*s[\])]$)\S[^\n]* [\[(][^\n]*s[\])]$",
    ),
    # RSpec, Jasmine
    _row(
        "example|spec",
        r"\d+ (?:examples?|specs?), \d+ failures?(?:,|$)",
        r"^ {0,4}\d+\) \S[^\n]*",
    ),
    # minitest, Rails
    _row(
        " assertions, ",
        r"\d+ (?:runs|tests), \d+ assertions, ",
        r"^(?:(?:Failure|Error):? )?(\S+#\S[^\n]*|\w+\(\w+\)):?$",
    ),
    # PHPUnit
    _row(
        "Assertions: |OK (",
        r"Tests: \d+, Assertions: \d+|OK \(\d+ tests?, ",
        r"^\d+\) \S+::\S[^\n]*|^ +✘ \S[^\n]*",
    ),
    # ExUnit, Bats
    _row(
        " failure",
        r"(?:\d+ \w+, )?\d+ tests?, \d+ failures?(?:,|$)",
        r"^ *(?:\d+\) (?:test|doctest|property) )\S[^\n]*|✗ \S[^\n]*",
    ),
    # ctest
    _row(
        "% tests passed",
        r"\d+% tests passed, \d+ tests? failed",
        r"^ *\d+/\d+ Test +#\d+: (\S+) [^\n]*\*\*\*[^\n]*",
        r"^[^\S\n]*\d+ - [^\n]*\((?!Not Run)[A-Za-z ]+\)$",
    ),
    # GoogleTest
    _row(
        "[==========]",
        r"\[=+\] \d+ tests? .* ran\.|\[ +(?:PASSED|FAILED) +\] \d+ tests?",
        r"^\[ +FAILED +\] [^\n]*\(\d+ ms\)$",
        before=True,
    ),
    # Catch2, doctest
    _row(
        "test cases",
        r"(?:\[doctest\] )?test cases: +\d+ \||All tests passed \(|(?P<weak>assertions: +\d+ \|)",
        r"^-{30,}\n((?:(?!-{30})[^\n]+\n){1,6}?)-{30,}$|^TEST CASE: +[^\n]*",
    ),
    # swift test
    _row(
        "Executed |Test run with",
        r"\s*Executed \d+ tests?, with |. Test run with \d+ test",
        r"^\S+\.swift:\d+: error: [^\n]*|^✘ Test [^\n]* recorded an issue [^\n]*",
    ),
    # Bun
    _row("(fail) ", r"\s+\d+ fail$|(?P<weak>\s+\d+ pass$)", r"^\(fail\) [^\n]*", before=True),
    # Deno
    _row(" | ", r"(?:FAILED|ok) \| \d+ passed", r"^\S[^\n]* => \./[^\n]*"),
    # ScalaTest
    _row("Tests: succeeded", r"(?:\[\w+\] )?Tests: succeeded", r"^[^\n]*\*\*\* FAILED \*\*\*"),
    # Chinese reports
    _row(
        "用例|测试",
        r"共.{0,20}(?:用例|测试).*(?:通过|失败)|(?:测试|用例).{0,10}(?:通过|失败)[^。]*\d",
        rf"^{_ZH_COUNTS}(?:(?:失败|未通过|[✗×✘❌])[:： ][^\n]+"
        r"|(?!共)(?>[^\n\d]*?(?:用例|测试))[^\n]*(?:未通过|失败)[^\n]*)",
    ),
)


_ERROR: Final = re.compile(
    r"^\S[^:]{0,300}:\d+(?::\d+)?:\s*(?:fatal |internal compiler )?(?:error|错误)\b(?! ?[(=.])"
    r"|^\S[^(]{0,300}\(\d+(?:,\d+)?\)\s?: (?:fatal )?error\b"
    r"|^error\[E\d+\]: "
    r"|^\s+\d+:\d+\s+error\s|: undefined reference to |^(?:/\S+/)?ld: "
    r"|^[^\s:]+\.(?:go|zig|kt|swift):\d+:\d+: "
    r"|^\s*\S+:\d+:\d+ - error\b|^e: |^\*\* \(\w+\) |^collect2: error|^SyntaxError: "
)
_LINT: Final = re.compile(
    r"^\S+:\d+:\d+: [A-Z]{1,5}\d{2,5}:? |^[A-Z]{1,4}\d{3,4} (?!\d\d:)(?:\[\*\] )?\S+ "
    r"|^[^\S\n]*\^-*\^? SC\d{4} \(",
    re.MULTILINE,
)
_WARNING: Final = re.compile(
    r"^\S[^:]{0,300}:\d+(?::\d+)?:\s*(?:warning|警告)\b|^warning(?:\[\w+\])?: "
    r"|^\s+\d+:\d+\s+warning\s|\): warning\b"
)
_RUST: Final = re.compile(r"^error: (?!aborting|could not compile)")
_ARROW: Final = re.compile(r"^\s*--> \S+:\d+")
_FILE: Final = re.compile(r"^(/?\S+\.(?:[jt]sx?|vue|mjs|cjs))$|^In (\S+) line (\d+):$")
_SYMBOL: Final = re.compile(r"^\s+(?:symbol|符号): ")
_TALLY: Final = re.compile(
    r"^Found \d+ errors?|^\d+ errors?(?: generated)?$|^✖ \d+ problems?"
    r"|^error: (?:could not compile|aborting)"
    r"|^\d+ (?:errors?|warnings?) (?:and|generated)|^make(?:\[\d+\])?: \*\*\*|^Success: no issues"
    r"|^All checks passed|^\d+ 个错误"
)


def tell_compiler(seen: Seen) -> Told | None:
    """Return what a compiler or a linter says, or None if it is neither."""
    errors = _placed(seen.lines, _ERROR) or _placed(seen.lines, _LINT)
    if not errors and any(map(_ARROW.match, seen.lines)):
        errors = _placed(seen.lines, _RUST)
    warnings = [line for line in seen.lines if _WARNING.search(line)]
    tally = [clip(line) for line in seen.lines if _TALLY.search(line)]
    if not errors:
        if len(warnings) < 2 and all(line.startswith("make") for line in tally):
            return None
        about = [f"compiler: {counted(len(warnings), 'warning', whole=seen.whole)}", *tally[-1:]]
        return Told("compiler", about=(*about, *(clip(line) for line in warnings[:2])))
    figures = counted(len(errors), "error", whole=seen.whole)
    if warnings:
        figures += f", {counted(len(warnings), 'warning', whole=seen.whole)}"
    kept = [clip(line, 300) for line in errors[:3]]
    figures = "; ".join(dict.fromkeys([figures, *tally[-1:]]))
    return Told("compiler", failing=(*kept, f"compiler: {figures}"))


def _placed(lines: tuple[str, ...], pattern: re.Pattern[str]) -> list[str]:
    found = []
    file = ""
    for number, line in enumerate(lines):
        if named := _FILE.match(line):
            file = ":".join(filter(None, named.groups()))
        if not pattern.search(line):
            continue
        after = lines[number + 1] if number + 1 < len(lines) else ""
        symbol = next(filter(_SYMBOL.match, lines[number + 1 : number + 4]), None)
        if symbol is not None:
            line = f"{line} ({' '.join(symbol.split())})"
        elif _ARROW.match(after):
            line = f"{line} ({after.strip(' ->')})"
        elif file and line[:1] == " ":
            line = f"{' '.join(line.split())} ({file})"
        found.append(line)
    return found


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
        return Told("test run", failing=tuple(_lines(failing, f"{TALLY}{tally}")))
    built = tell_compiler(seen) if _BAD.search(tally) else None
    if built is not None and built.failing:
        return Told("compiler", failing=(*built.failing, f"{TALLY}{tally}"))
    line = (f"{TALLY}{tally}",)
    return Told("test run", failing=line) if _BAD.search(tally) else Told("test run", about=line)


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
