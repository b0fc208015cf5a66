"""Claims of one group under load: nothing is lost, and what was said last holds (E5, K2)."""

from __future__ import annotations

import time
from pathlib import Path

import apsw
import pytest
from children import children, profile, remark

from smartbrain import SmartBrain

SECONDS = profile(5, 60)
KEY = "fact:staging:port"


def _count(folder: Path, table: str, where: str) -> int:
    """Return how many rows of a table of the tenant fit a condition."""
    database = folder / "tenants" / "default" / "brain.db"
    with apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY) as connection:
        found: int = connection.execute(f"SELECT count(*) FROM {table} WHERE {where}").get
    return found


@pytest.mark.spec("K2", "M4", "E5")
def test_two_processes_claim_one_group_at_a_time(tmp_path: Path) -> None:
    """Every acknowledged claim is there once, and one version holds: the one said last."""
    SmartBrain.open(tmp_path).close()
    with children(2, "claims", tmp_path) as claimers:
        for child in claimers:
            child.go()
        time.sleep(SECONDS)
        for child in claimers:
            child.go("stop")
        acknowledged = [
            line.removeprefix("ack ")
            for child in claimers
            for line in child.finish()
            if line.startswith("ack ")
        ]
    remark(f"{len(acknowledged)} claims of one group in {SECONDS} s")
    assert len(acknowledged) > SECONDS
    with SmartBrain.open(tmp_path) as brain:
        versions = brain.memories.history(KEY)
        (active,) = [one for one in versions if one.status.value == "active"]
    assert sorted(acknowledged) == sorted(one.value["value"] for one in versions)
    assert active.said_at == max(one.said_at for one in versions)
    assert len(acknowledged) == _count(tmp_path, "claims", "grp = 'facts:staging:port'")
    assert 0 == _count(tmp_path, "claims", "grp = 'facts:staging:port' AND memory IS NULL")
    assert SmartBrain.doctor(tmp_path).healthy
