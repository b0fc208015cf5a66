"""When two values say the same, by what a person would take for the same.

In: pairs of values, and turns in which a tool and the user name one number. Out: whether they agree
and what becomes of a value that the user has rejected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from smartbrain import SmartBrain
from smartbrain.remember.match import says_same, senses

SAME: list[tuple[Any, Any]] = [
    (8080, "8080"),
    (8080.0, "8080"),
    (8080, 8080.0),
    (-3, "-3"),
    (0.5, "0.5"),
    (True, "true"),
    (False, "False"),
]
OTHER: list[tuple[Any, Any]] = [
    (8080, "9090"),
    (1, True),
    (0, False),
    (None, "null"),
    (0.5, "5"),
    ([8080], "8080"),
    (8080, "端口 8080"),
]


@pytest.mark.spec("C4", "C11")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [*((*pair, True) for pair in SAME), *((*pair, False) for pair in OTHER)],
)
def test_a_number_says_the_same_as_its_text(one: Any, other: Any, same: bool) -> None:
    """Meaning and senses agree on it, both ways round."""
    assert [same] * 3 == [
        says_same(one, other),
        says_same(other, one),
        bool(set(senses(one)) & set(senses(other))),
    ]


def tool(brain: SmartBrain, value: Any) -> str:
    """Let a tool state the port, and return what became of it."""
    fact = {"subject": "server", "attribute": "port", "value": value}
    call = {"name": "config", "args": {}, "result": {"facts": [fact]}}
    return fact_code(brain, {"tool_calls": [call]})


def fact_code(brain: SmartBrain, turn: Any) -> str:
    """Commit a turn that states one fact, and return what became of it."""
    retention = brain.commit_turn("s", turn).explain.retention
    (code,) = [one.code for one in retention if one.type == "facts"]
    return code


@pytest.mark.spec("C11", "C5")
def test_a_tools_number_is_the_users_number(tmp_path: Path) -> None:
    """Said by both it is one memory; rejected by the user it does not come back in another form."""
    with SmartBrain.open(tmp_path) as brain:
        assert "new" == tool(brain, 8080)
        said = [{"role": "user", "content": "The server port is 8080"}]
        assert "repeated" == fact_code(brain, said)
        brain.memories.retract("fact:server:port")
        assert ["rejected_before"] * 3 == [tool(brain, one) for one in (8080, "8080", 8080.0)]
