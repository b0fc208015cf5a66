"""Gates that other tools hold: ruff, mypy, bandit, pytest's own strictness. Each is shown to fail.

In: the whole repository, by this interpreter's own tools. Out: what the tool printed.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from repo_tree import PACKAGE, ROOT, run_python

CONFIG = str(ROOT / "pyproject.toml")


def _assert_clean(result: subprocess.CompletedProcess[str]) -> None:
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff_finds_nothing() -> None:
    """The whole repository passes the linter."""
    _assert_clean(run_python("-m", "ruff", "check", "--output-format", "concise", "."))


def test_ruff_would_change_nothing() -> None:
    """The whole repository is formatted."""
    _assert_clean(run_python("-m", "ruff", "format", "--check", "--output-format", "concise", "."))


def test_mypy_finds_nothing() -> None:
    """Source, tools and examples are strictly typed."""
    cache = str(ROOT / ".mypy_cache")
    _assert_clean(run_python("-m", "mypy", "--config-file", CONFIG, "--cache-dir", cache))


def test_bandit_finds_nothing() -> None:
    """The package does nothing that is known to be unsafe; what looks so says why it is not."""
    _assert_clean(run_python("-m", "bandit", "-q", "-r", "-c", CONFIG, PACKAGE))


@pytest.mark.parametrize(
    ("source", "arguments", "expected"),
    [
        ("import os\n", ("ruff", "check", "--config", CONFIG), "F401"),
        ("x = {  'a':1}\n", ("ruff", "format", "--check", "--config", CONFIG), "reformat"),
        ("def f(x): return x\n", ("mypy", "--config-file", CONFIG), "no-untyped-def"),
        ("eval(input())\n", ("bandit", "-q", "-c", CONFIG), "B307"),
        ("x: int = 'a'\n", ("mypy", "--config-file", CONFIG), "assignment"),
        (
            "import warnings\ndef test_it(): warnings.warn('old', stacklevel=1)\n",
            ("pytest", "-c", CONFIG, "-p", "no:cacheprovider"),
            "UserWarning: old",
        ),
        (
            "import pytest\n@pytest.mark.unheard_of\ndef test_it(): pass\n",
            ("pytest", "-c", CONFIG, "-p", "no:cacheprovider"),
            "unheard_of",
        ),
    ],
)
def test_the_tools_fail_on_what_they_should(
    tmp_path: Path, source: str, arguments: tuple[str, ...], expected: str
) -> None:
    """Under the configuration of this repository each tool rejects a small offender."""
    offender = tmp_path / "test_offender.py"
    offender.write_text(source, encoding="utf-8")
    result = run_python("-m", *arguments, str(offender), cwd=tmp_path)
    assert result.returncode != 0
    assert expected in result.stdout
