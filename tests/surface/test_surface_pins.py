"""`memctl pin` where something is missing: one line with its code, as the library says it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runs import memctl


@pytest.mark.spec("S2", "W5")
@pytest.mark.parametrize("title", ["部署日", "deploy day"])
def test_a_pin_without_a_source_is_one_line(tmp_path: Path, title: str) -> None:
    """As the library refuses it, with its code; a program gets the same."""
    (tmp_path / ".smartbrain/tenants").mkdir(parents=True)
    run = memctl("pin", "add", "constraint", title, "y", folder=tmp_path)
    assert (2, "", 1) == (run.code, run.out, run.err.count("\n")), run
    assert "source is missing; give chat:<" in run.err
    assert "[no_source]" in run.err
    run = memctl("pin", "add", "constraint", title, "y", "--json", folder=tmp_path)
    assert (2, "no_source") == (run.code, run.json["error"]["code"])
