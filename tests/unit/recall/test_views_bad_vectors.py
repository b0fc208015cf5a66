"""Vectors in the truth that are none: the view goes on with the others and says so."""

from __future__ import annotations

import logging
from array import array
from math import nan
from pathlib import Path

import pytest
from views_tenant import EMBEDDER, tenant

from smartbrain.jobs.embed import embedding_of

BAD = {
    "zeros": array("f", [0.0] * 32).tobytes(),
    "not finite": array("f", [nan] * 32).tobytes(),
    "too short": array("f", [1.0] * 31).tobytes(),
    "cut": b"\0\0\0",
}


@pytest.mark.spec("R3", "R4")
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_stored_vector_that_is_none_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, bad: bytes
) -> None:
    """It is out of the index, also where a good one of that memory was in it; others stay."""
    with tenant(tmp_path) as opened:
        for text in ("蓝牙打不开", "weekly report", "release 发布"):
            opened.say(text)
        opened.embed()
        follower = opened.follower()
        follower.catch_up(follower.names())
        embedding = embedding_of(EMBEDDER, ports=opened.ports)
        assert embedding is not None
        with opened.ports.truth.read() as rows:
            numbers = rows.followed.numbers([one.id for one in opened.episodes()])
        spoilt, *others = sorted(numbers.values())
        with opened.ports.truth.write() as transaction:
            good = transaction.vectors.get(embedding.num, others)
            transaction.vectors.put(embedding.num, {spoilt: bad, **good})
        with caplog.at_level(logging.WARNING):
            follower.catch_up(follower.names())
        again = opened.follower(files=False)
        again.catch_up(again.names())
        for one in (follower, again):
            view = one.get(f"vector-{embedding.num}")
            assert view is not None
            near = view.index.search(EMBEDDER.embed_query("蓝牙 weekly 发布"), k=10)
            assert others == sorted(hit.num for hit in near)
    assert any(f"node {spoilt} is left out" in record.getMessage() for record in caplog.records)
