"""The board that a call is shown: a fixed number of statements, whatever is there."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.policy import Rules
from smartbrain.domain.working import Governed
from smartbrain.govern.fastmemo import governed
from smartbrain.govern.trail import Act
from smartbrain.govern.turn_state import VERBS
from smartbrain.testing.clock import START, FakeClock

RULES = Rules()


@pytest.mark.spec("W4", "R15")
def test_the_board_is_four_statements_whatever_it_holds() -> None:
    """Pins, plan, notes and the surface memory of one session; others' are not among them."""
    with closing(SqliteTruth(None, tenant="t", clock=FakeClock())) as truth:
        counts = [_statements(truth)]
        with truth.write() as rows:
            pin = {"type": "code", "title": "标题", "summary": "s", "source": "chat:x"}
            for n in range(15):
                _do("pins.add", pin, rows)
                _do("plan.add", {"session": "s", "text": f"步骤 {n}"}, rows)
                _do("plan.add", {"session": "other", "text": "not here"}, rows)
                _do("notebook.add", {"session": "s", "text": f"note {n}"}, rows)
            _do("fastmemo.add", {"section": "用户", "text": "茶"}, rows)
        counts.append(_statements(truth))
        with truth.read() as rows:
            board = governed("s", rows=rows, now=START, rules=RULES)
            empty = governed("nobody", rows=rows, now=START, rules=RULES)
    assert [4, 4] == counts
    assert (15, 15, 15) == (len(board.pins), len(board.plan), len(board.notebook))
    assert ("茶",) == board.fastmemo["user"]
    assert (board.pins, (), ()) == (empty.pins, empty.plan, empty.notebook)
    assert board == Governed.from_dict(board.to_dict())


def _do(verb: str, given: dict[str, Any], rows: Any) -> None:
    """Do a call inside a transaction."""
    VERBS[verb](given, rows, Act(START, "user", verb), RULES)


def _statements(truth: SqliteTruth) -> int:
    """Return how many statements reading the board takes."""
    asked: list[str] = []
    with truth.read() as rows:
        working: Any = rows.working
        connection = working._connection
        connection.exec_trace = lambda _cursor, sql, _values: asked.append(sql) or True
        governed("s", rows=rows, now=START, rules=RULES)
        connection.exec_trace = None
    return len(asked)
