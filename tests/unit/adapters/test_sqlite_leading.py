"""Edges of databases from before the way to what stands was one row that moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlite_versions import build, opened

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.graph import EdgeType, edge_id
from smartbrain.testing.clock import FakeClock


@pytest.mark.spec("M4")
def test_the_way_to_what_stands_is_one_row_a_version(tmp_path: Path) -> None:
    """What led to versions that stood before is gone for good."""
    build(tmp_path, 11)
    row = "(?, ?, 3, ?, 'ACTIVE_OF', 1.0, 1.0, NULL, NULL, 'smartbrain', 1, 'hot', '{}', 1, 1, ?)"
    with opened(tmp_path) as connection:
        for told in ((7, "edge-7", 2, 1), (8, "edge-8", 1, 1), (9, "edge-9", 4, None)):
            connection.execute(f"INSERT INTO edges VALUES {row}", told)
    truth = SqliteTruth(tmp_path, tenant="租户", clock=FakeClock())
    with truth.write() as transaction:
        (edge,) = transaction.edges.of("mem-1", kind=EdgeType.ACTIVE_OF)
        assert edge_id("mem-1", EdgeType.ACTIVE_OF, "mem-2") == edge.id
        assert "mem-2" == edge.dst
    assert 2 == truth.counts()["edges"]
    truth.close()
