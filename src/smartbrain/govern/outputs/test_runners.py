"""What runners of tests print: how each sums up a run and how it names a test that failed.

In: nothing. Out: `RUNNERS`, a row for each runner; `test_runs` reads outputs by it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


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
