"""How good the summaries of tool output are: whether the line that matters is among their lines.

In: outputs with the lines that a summary must hold, from `tests/data/outputs` and made up here at
any size; real traces of agents where they are at hand. Out: the share that is covered, and what is
not. What counts as an error in a trace is decided here, on its own, not by the summariser.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.measure import milliseconds
from bench.report import Result, Setting
from smartbrain.domain.policy import ArtifactsRules
from smartbrain.domain.turn import CallStatus, ToolCall
from smartbrain.govern.artifacts import size_of, summary_of
from smartbrain.govern.outputs.summarise import tell

LABELLED = Path(__file__).parents[1] / "tests" / "data" / "outputs"
COVERED = 0.9
SMALL_LIMIT = 0.0003
LARGE_LIMIT = 10.0
_RULES = ArtifactsRules()
_ERROR = re.compile(r"^\w+(\.\w+)*(Error|Exception)\b|\bTIMED OUT\b|^Error\b|No such file", re.M)
_FAILING = re.compile(r"^(FAILED|FAIL:|--- FAIL) ?\S.*", re.M)
_CODE = re.compile(r"^\s*\d+:|^[+-]|^\s*(raise|except|class)\b")


@dataclass(frozen=True)
class Output:
    """What a tool printed, how it ended, and what its summary must say."""

    name: str
    call: ToolCall
    must: tuple[str, ...]
    kind: str | None = None

    def missing(self) -> list[str]:
        """Return what the summary does not say; blanks do not count."""
        summary = _flat(summary_of(self.call, _RULES, size=size_of(self.call)))
        return [line for line in self.must if _flat(line) not in summary]


def labelled() -> list[Output]:
    """Return the outputs of the labelled list."""
    return [
        _output(block)
        for path in sorted(LABELLED.glob("*.txt"))
        for block in path.read_text(encoding="utf-8").split("%%% ")[1:]
    ]


def long_ones() -> list[Output]:
    """Return outputs of hundreds of kilobytes and more, with one line that matters."""
    lines = [
        f"2026-03-05 10:{n // 60 % 60:02}:{n % 60:02} INFO step {n} done" for n in range(60_000)
    ]
    bad = "2026-03-05 10:31:07 ERROR step 31876 lost its lease on 表 orders"
    log = [*lines[:31_876], bad, *lines[31_876:]]
    tests = [f"tests/test_{n}.py::test_case PASSED" for n in range(20_000)]
    failed = "FAILED tests/test_777.py::test_case - assert '已付' == '未付'"
    run = [*tests, failed, "1 failed, 19999 passed in 300.12s"]
    trace = [f"row {n} ok" for n in range(40_000)]
    trace[20_000:20_000] = [
        "Traceback (most recent call last):",
        '  File "/srv/load.py", line 7, in load',
        "    save(row)",
        "ValueError: 第 20000 行的价格为负",
    ]
    build = [f"[{n}/9000] CC obj_{n}.o" for n in range(9000)]
    build[4500:4500] = ["drivers/net/ring.c:88:4: error: expected ';' before 'return'"]
    rows = [{"id": n, "state": "ok"} for n in range(30_000)] + [{"error": "quota 已用完"}]
    return [
        _made("long log", log, bad, None),
        _made("long test run", run, failed, 1),
        _made("long trace", trace, "ValueError: 第 20000 行的价格为负", 1),
        _made("long build", build, "ring.c:88:4: error: expected ';' before 'return'", 2),
        _made("long json", [json.dumps(rows, ensure_ascii=False)], "quota 已用完", None),
        _made("one long line", ["x" * 900_000 + " fatal: disk 满了"], "fatal: disk 满了", 1),
    ]


def missed(outputs: Iterable[Output]) -> list[str]:
    """Return a line for everything that a summary should say and does not."""
    return [f"{one.name}: {line}" for one in outputs for line in one.missing()]


def covered(outputs: Sequence[Output]) -> float:
    """Return the share of outputs whose summary says all that it must."""
    return sum(not one.missing() for one in outputs) / len(outputs)


def traced() -> list[Output]:
    """Return the outputs of real traces that tell of an error, where there are any."""
    folder = os.environ.get("SMARTBRAIN_DATA")
    path = Path(folder or "", "traces.jsonl.gz")
    return list(_traced(path)) if folder and path.is_file() else []


def run(setting: Setting) -> Iterator[Result]:
    """Measure what summaries cover and how long they take."""
    yield _share("tool outputs, labelled", [*labelled(), *long_ones()])
    real = traced()
    if real:
        yield _share("tool outputs, errors in real traces", real)
    small = [one for one in labelled() if size_of(one.call) < 2_000]
    begin = perf_counter()
    for one in small:
        summary_of(one.call, _RULES, size=0)
    yield _time("summary of a small output", (perf_counter() - begin) / len(small), SMALL_LIMIT)
    lines = "2026-03-05 10:00:00 INFO 处理完成 step 17 of 400\n" * setting.pick(200_000, 1_000_000)
    begin = perf_counter()
    summary_of(ToolCall(id="c", name="t", stdout=lines), _RULES, size=0)
    yield _time(f"summary of {len(lines):,} characters", perf_counter() - begin, LARGE_LIMIT)


def _share(name: str, outputs: Sequence[Output]) -> Result:
    share = covered(outputs)
    return Result(
        name,
        f"{share:.1%} told",
        f"{len(outputs)} outputs",
        limit=f">= {COVERED:.0%}",
        passed=share >= COVERED,
        numbers={"covered": share, "outputs": len(outputs)},
    )


def _time(name: str, seconds: float, limit: float) -> Result:
    return Result(
        name,
        milliseconds(seconds),
        "",
        limit=f"<= {milliseconds(limit)}",
        passed=seconds <= limit,
        numbers={"seconds": seconds},
    )


def kinds_missed(outputs: Iterable[Output]) -> list[str]:
    """Return a line for every output that is taken for another kind."""
    found = []
    for one in outputs:
        text = one.call.stderr or one.call.stdout or one.call.result
        told = tell(text, failed=bool(one.call.exit_code)).kind
        if one.kind not in (None, told):
            found.append(f"{one.name}: {told}, not {one.kind}")
    return found


def _output(block: str) -> Output:
    """Read one output of a file: its name and how it ended, what is a must, the text."""
    head, *lines = block.split("\n")
    name, *fields = (part.strip() for part in head.split("|"))
    about = dict(field.partition("=")[::2] for field in fields)
    must = []
    while lines and lines[0].startswith("> "):
        must.append(lines.pop(0)[2:])
    text = "\n".join(lines)
    streams = {"result": text} if "stream" not in about else {about["stream"]: text}
    call = ToolCall(
        id="c",
        name="run",
        exit_code=int(about["exit"]) if "exit" in about else None,
        status=CallStatus(about.get("status", "unknown")),
        **streams,
    )
    return Output(name, call, tuple(must), None if "anykind" in about else about.get("kind"))


def _made(name: str, lines: Sequence[str], must: str, exit_code: int | None) -> Output:
    call = ToolCall(id="c", name="run", stdout="\n".join(lines), exit_code=exit_code)
    return Output(name, call, (must,))


def _traced(path: Path) -> Iterator[Output]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            trace = json.loads(line)
            for number, step in enumerate(trace["steps"]):
                text = step["text"]
                if step["role"] != "tool" or not text:
                    continue
                found = [
                    one[0]
                    for one in (*_FAILING.finditer(text), *_ERROR.finditer(text))
                    if not _CODE.match(_line(text, one.start()))
                ]
                if found:
                    call = ToolCall(id="c", name=step["tool"] or "t", result=text)
                    yield Output(f"{trace['trace_id']}#{number}", call, (found[-1],))


def _line(text: str, place: int) -> str:
    """Return the line of a place."""
    begin = text.rfind("\n", 0, place) + 1
    return text[begin:].partition("\n")[0]


def _flat(text: str) -> str:
    return " ".join(text.split())
