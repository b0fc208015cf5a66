"""Facts that take the place of others: who has a thing now, and what is used instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("first", "then", "key", "value"),
    [
        ("Alice is in charge of billing.", "Bob took over billing from Alice.",
         "fact:billing:responsible", "Bob"),
        ("Alice owns billing.", "Bob took over billing from Alice Moore.",
         "fact:billing:responsible", "Bob"),
        ("李四负责支付。", "张三从李四那里接手了支付。", "fact:支付:responsible", "张三"),
        ("李四负责支付。", "张三已经从李四手里接管了支付。", "fact:支付:responsible", "张三"),
    ],
)  # fmt: skip
def test_what_somebody_took_over_from_another_is_theirs(
    tmp_path: Path, first: str, then: str, key: str, value: str
) -> None:
    """One of them stands, the one who has it now; the other is an earlier version."""
    with fake_brain(tmp_path) as brain:
        for text in (first, then):
            brain.commit_turn("s", [user(text)])
        (fact,) = brain.memories.list("facts").items
        versions = brain.memories.history(key)
    assert (key, value, 2) == (fact.key, fact.value["value"], len(versions))
