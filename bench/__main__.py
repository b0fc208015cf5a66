"""`python -m bench`: run benchmarks, print a table, leave with 1 if a limit was missed.

In: names of benchmarks, `--full`, `--json FILE`. Out: the table, and the same as JSON in a file;
single answers as lines beside it. Everything is written below a temporary folder that is removed at
the end, but for what `--keep` asks to keep.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter

from rich.console import Console

from bench import (
    append,
    compose_quality,
    compose_speed,
    contention,
    contexts,
    extraction,
    facade,
    forgetting,
    opening,
    oracle,
    outputs,
    reader,
    real_people,
    recall_quality,
    recall_speed,
    remember,
    startup,
    surfaces,
    tool_loop,
    views,
)
from bench.report import Result, Setting, show

BENCHES: dict[str, Callable[[Setting], Iterable[Result]]] = {
    "append": append.run,
    "facade": facade.run,
    "forgetting": forgetting.run,
    "opening": opening.run,
    "startup": startup.run,
    "contention": contention.run,
    "views": views.run,
    "extraction": extraction.run,
    "remember": remember.run,
    "oracle": oracle.run,
    "reader": reader.run,
    "outputs": outputs.run,
    "tool_loop": tool_loop.run,
    "recall_quality": recall_quality.run,
    "real_people": real_people.run,
    "recall_speed": recall_speed.run,
    "compose_quality": compose_quality.run,
    "contexts": contexts.run,
    "compose_speed": compose_speed.run,
    "surfaces": surfaces.run,
}

WIDTH = 190  # where the table goes to a file or a pipe


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for and return the exit code."""
    options = _parser().parse_args(arguments)
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    results: list[Result] = []
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="smartbrain-bench-") as folder:
        for name in options.names or BENCHES:
            start = perf_counter()
            print(f"{name} …", file=sys.stderr, flush=True)
            setting = Setting(
                Path(folder, name),
                full=options.full,
                profile=options.profile,
                keep=options.keep,
                rows=options.json and options.json.with_suffix(f".{name}.jsonl"),
                only=options.only,
            )
            for result in BENCHES[name](setting):
                results.append(result)
                told = f"{result.name}: {result.measured} against {result.against} {result.ratio}"
                print(f"{perf_counter() - start:6.0f} s  {told}", file=sys.stderr, flush=True)
    show(results, console)
    if options.json is not None:
        text = json.dumps([result.to_dict() for result in results], indent=2, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    missed = [result.name for result in results if result.passed is False]
    if missed:
        console.print(f"missed: {'; '.join(missed)}")
    return 1 if missed else 0


def _parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure speed.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", choices=[[], *BENCHES], help=", ".join(BENCHES)
    )
    parser.add_argument("--full", action="store_true", help="full sizes; takes minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")
    parser.add_argument("--profile", action="store_true", help="show where a commit's time goes")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="brains of recall's benches stay there"
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="PATTERN",
        help="of recall_quality, such as 'locomo.*all'; of surfaces",
    )
    parser.add_argument(
        "--folder", type=Path, help="measure on the disk of this folder; the system's by default"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
