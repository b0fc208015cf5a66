"""The output of a tool as large as it gets, through a commit: kept whole, shown in a few lines.

In: 50 MB of Chinese and English lines with `make test-full`, 2 MB else. Out: what the commit, the
artifact and a context tell of it, and the turn as it was given.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, user

from conftest import is_full
from smartbrain import SmartBrain

SIZE = 50_000_000 if is_full() else 2_000_000
LINE = "{:08d} 导出 order ok, 耗时 12 ms\n"


@pytest.mark.spec("E1", "E2", "W6", "R15")
@pytest.mark.parametrize("field", ["stdout", "result"])
def test_an_output_of_fifty_megabytes_is_kept_and_told_in_short(tmp_path: Path, field: str) -> None:
    """Every byte of it is there, on demand; nobody is shown more than a summary."""
    last = SIZE // len(LINE.format(0).encode()) - 1
    output = "".join(map(LINE.format, range(last + 1)))
    call = {"id": "c1", "name": "export", "args": {"表": "orders"}, field: output, "exit_code": 0}
    turn = {
        "messages": [user("订单呢？ And the orders?"), assistant("好了。")],
        "tool_calls": [call],
    }
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", turn)
        (artifact,) = result.artifacts
        (stored,) = brain.sessions.turns("s")
        end = brain.artifacts.get(artifact.id, range=(last, last + 1))
        found = brain.artifacts.grep(artifact.id, f"{last:08d}")
        package = brain.compose_context("s", "What did the export say? 导出怎么样？")
    assert len(output.encode()) == artifact.bytes
    assert 1 <= len(artifact.summary.splitlines()) <= 6
    assert len(artifact.summary) <= 1_500
    assert output == getattr(stored.tool_calls[0], field)
    assert LINE.format(last).strip() in end.text
    assert [LINE.format(last).strip()] == [one.text for one in found if one.match]
    assert package.constraints.token_budget.used_estimate <= package.constraints.token_budget.limit
    assert package.text().count("耗时 12 ms") <= 6
    assert 0 == result.memory_written.count
