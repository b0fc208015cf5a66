"""The hash that names a set of rules: what changes it and what must not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smartbrain.domain.policy import (
    EncryptionRules,
    PinsRules,
    QuotaRules,
    Rules,
    SloRules,
    StorageRules,
    TenantsRules,
    rules_hash,
)

RULES = Rules()
POLICIES = RULES.policies


@pytest.mark.spec("E1")
def test_equal_rules_have_equal_hashes() -> None:
    """The hash depends on the values alone and is 32 hex digits."""
    assert rules_hash(Rules()) == rules_hash(RULES)
    assert len(bytes.fromhex(rules_hash(RULES))) == 16


@pytest.mark.parametrize(
    "other",
    [
        replace(RULES, timezone="Asia/Shanghai"),
        replace(RULES, pins=PinsRules(max_pins=3)),
        replace(
            RULES,
            policies=replace(
                POLICIES, retention=replace(POLICIES.retention, summarize_after_turns=13)
            ),
        ),
        replace(RULES, types={"菜谱": {"key": "recipe:<dish>"}}),
    ],
)
def test_a_rule_that_decides_about_memory_changes_the_hash(other: Rules) -> None:
    """Stored decisions show that they were taken under other rules."""
    assert rules_hash(other) != rules_hash(RULES)


@pytest.mark.parametrize(
    "other",
    [
        replace(RULES, encryption=EncryptionRules(enabled=True)),
        replace(RULES, tenants=TenantsRules(max_open=2)),
        replace(RULES, storage=StorageRules(lock_timeout_seconds=1.0)),
        replace(RULES, quotas=QuotaRules(bytes=10)),
        replace(RULES, slo=SloRules(max_active_facts=9)),
        replace(
            RULES,
            policies=replace(POLICIES, observability=replace(POLICIES.observability, trace=False)),
        ),
    ],
)
def test_where_and_how_things_are_kept_does_not_change_it(other: Rules) -> None:
    """Moving, encrypting or observing a brain leaves its decisions as they were."""
    assert other != RULES
    assert rules_hash(other) == rules_hash(RULES)
