"""Generated pages are fresh, and what generates them notices when they are not.

In: the scripts of tools/ with `--check`. Out: the command that refreshes a stale page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docs_pages import ROOT, load_tool

GENERATORS = [
    name
    for name in (
        *("coverage", "error_docs", "config_docs", "async_stub", "reference_docs"),
        *("picture", "grpc_proto"),
    )
    if (ROOT / "tools" / f"{name}.py").exists()
]


@pytest.mark.parametrize("name", GENERATORS)
def test_a_generated_page_is_fresh(name: str) -> None:
    """Running the generator would change nothing."""
    result = subprocess.run(
        [sys.executable, f"tools/{name}.py", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_a_stale_error_page_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The check names the command, writes nothing, and passes after a run."""
    tool = load_tool("error_docs")
    (tmp_path / "docs").mkdir()
    assert tool.main(["--check"], tmp_path) == 1
    assert capsys.readouterr().err == ("docs/errors.md is stale; run: python tools/error_docs.py\n")
    assert not (tmp_path / "docs/errors.md").exists()
    assert tool.main([], tmp_path) == 0
    assert tool.main(["--check"], tmp_path) == 0


def test_every_requirement_has_a_short_title() -> None:
    """Ids are numbered without a gap in each group, titles have at most eight words."""
    known = load_tool("coverage").load_ids(ROOT)
    assert [title for title in known.values() if not 1 <= len(title.split()) <= 8] == []
    letters = dict.fromkeys(name[0] for name in known)
    for letter in letters:
        names = [name for name in known if name[0] == letter]
        assert [f"{letter}{number}" for number in range(1, len(names) + 1)] == names


def test_every_link_of_the_coverage_table_leads_to_a_file() -> None:
    """Links are relative to docs/ and none is broken."""
    text = (ROOT / "docs/coverage.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert [link for link in links if not (ROOT / "docs" / link).is_file()] == []
