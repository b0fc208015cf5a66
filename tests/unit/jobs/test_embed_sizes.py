"""Vectors of another size than before, from an embedder that does not tell how large they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain import SmartBrain
from smartbrain.ports.embedder import Vector
from smartbrain.testing.models import HashEmbedder

# Remarks of which nothing but their episode is remembered.
TEXTS = ("真是太好了，大家都辛苦了，谢谢。", "Well, that is really quite nice indeed, thank you.")


class Untold(HashEmbedder):
    """An embedder that does not say how large its vectors are, under one name for all sizes."""

    model = "own"
    dimensions = None

    def __init__(self, size: int) -> None:
        self.name, self.languages, self._inner = "own", (), HashEmbedder(size)

    def embed_query(self, text: str) -> Vector:
        """Return a vector of its size."""
        return self._inner.embed_query(text)


@pytest.mark.spec("R3")
def test_another_size_that_nobody_told_of_embeds_anew(tmp_path: Path) -> None:
    """Its first vector tells; all memories get one of that size, and are found by it."""
    with SmartBrain.open(tmp_path, embedder=Untold(32)) as handle:
        for text in TEXTS:
            handle.commit_turn("s", [{"role": "user", "content": text}])
        handle.jobs.run("embed")
    with SmartBrain.open(tmp_path, embedder=Untold(48)) as handle:
        handle.commit_turn("s", [{"role": "user", "content": f"{TEXTS[0]}!"}])
        report = handle.jobs.run("embed")
        assert (0, "ok") == (report.waiting, report.code)
        found = handle.recall(TEXTS[1])
        assert any(arm.name == "vector:own" and arm.hits == 3 for arm in found.trace.arms)
