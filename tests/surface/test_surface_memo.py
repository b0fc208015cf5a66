"""`memctl fastmemo history` and `rollback`: what changed in the surface memory, and back again."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runs import memctl


@pytest.mark.spec("S2", "W7")
@pytest.mark.parametrize(("section", "line"), [("user", "prefers tea"), ("用户感知", "喜欢茶")])
def test_the_surface_memory_is_brought_back(tmp_path: Path, section: str, line: str) -> None:
    """Every change has its number; a rollback to one is a change of its own."""
    (tmp_path / ".smartbrain/tenants").mkdir(parents=True)
    assert {"changes": []} == memctl("fastmemo", "history", "--json", folder=tmp_path).json
    memctl("fastmemo", "add", section, line, folder=tmp_path)
    memctl("fastmemo", "add", section, "2", folder=tmp_path)
    assert "fastmemo.add" in memctl("fastmemo", "history", folder=tmp_path).out
    back = memctl("fastmemo", "rollback", "1", folder=tmp_path)
    assert (0, f"[user]\n- {line}\n") == (back.code, back.out)
    changes = memctl("fastmemo", "history", "--json", folder=tmp_path).json["changes"]
    assert ["fastmemo.rollback", "fastmemo.add", "fastmemo.add"] == [
        one["action"] for one in changes
    ]
    refused = memctl("fastmemo", "rollback", "99", folder=tmp_path)
    assert 2 == refused.code
    assert "0 to 3, not 99" in refused.err
