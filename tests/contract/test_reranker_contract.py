"""Every reranker, held to the one contract of the port.

In: the testing one, a caller's own, and the HTTP one against a real local service in both forms.
Out: nothing if they all do the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from smartbrain.adapters.models.given import GivenReranker
from smartbrain.adapters.models.http_models import HttpReranker, Pace
from smartbrain.ports.reranker import Reranker
from smartbrain.testing.contracts.models import RerankerContract
from smartbrain.testing.model_service import RERANKER, running_rerank_service
from smartbrain.testing.models import PieceReranker

pytestmark = pytest.mark.spec("R3")


class TestPieceReranker(RerankerContract):
    def make(self, tmp_path: Path) -> Reranker:
        return PieceReranker()


class TestGivenReranker(RerankerContract):
    def make(self, tmp_path: Path) -> Reranker:
        return GivenReranker(PieceReranker())


class TestHttpReranker(RerankerContract):
    plain = False

    @pytest.fixture(autouse=True)
    def _service(self) -> Iterator[None]:
        self.opened: list[HttpReranker] = []
        with running_rerank_service() as self.service:
            self.service.plain = self.plain
            yield
            for reranker in self.opened:
                reranker.close()

    def make(self, tmp_path: Path) -> Reranker:
        self.opened.append(HttpReranker(self.service.url, RERANKER, pace=Pace(jitter=lambda: 0.5)))
        return self.opened[-1]


class TestHttpRerankerOfAPlainService(TestHttpReranker):
    plain = True
