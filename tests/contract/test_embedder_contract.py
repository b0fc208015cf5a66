"""Every embedder, held to the one contract of the port.

In: the testing embedder, the HTTP one against a real local service, the ONNX one on real models.
Out: nothing if they all do the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from embedding_server import MODEL, running_server

from smartbrain.adapters.models.http_models import HttpEmbedder, Pace
from smartbrain.adapters.models.onnx import OnnxEmbedder
from smartbrain.ports.embedder import Embedder
from smartbrain.testing.contracts.models import EmbedderContract
from smartbrain.testing.models import HashEmbedder, SlowEmbedder

MODELS = Path(
    os.environ.get("SMARTBRAIN_MODELS", Path(__file__).resolve().parents[3] / "shared/models")
)
needs_models = pytest.mark.skipif(
    not MODELS.is_dir(), reason=f"no models in {MODELS}; name their folder in SMARTBRAIN_MODELS"
)


@pytest.mark.spec("R3")
class TestHashEmbedder(EmbedderContract):
    def make(self, tmp_path: Path) -> Embedder:
        return HashEmbedder()


class TestSlowEmbedder(EmbedderContract):
    def make(self, tmp_path: Path) -> Embedder:
        return SlowEmbedder(HashEmbedder(64, languages=("en", "zh")), lambda: None)


@pytest.mark.spec("R3")
class TestHttpEmbedder(EmbedderContract):
    base64 = False

    @pytest.fixture(autouse=True)
    def _service(self) -> Iterator[None]:
        self.opened: list[HttpEmbedder] = []
        with running_server() as self.server:
            self.server.base64 = self.base64
            yield
            for embedder in self.opened:
                embedder.close()

    def make(self, tmp_path: Path) -> Embedder:
        self.opened.append(HttpEmbedder(self.server.url, MODEL, pace=Pace(jitter=lambda: 0.5)))
        return self.opened[-1]


class TestHttpEmbedderInBase64(TestHttpEmbedder):
    base64 = True


@needs_models
@pytest.mark.spec("R3")
class TestEnglishOnnxEmbedder(EmbedderContract):
    folder = "bge-small-en-v1.5-q"

    def make(self, tmp_path: Path) -> Embedder:
        return OnnxEmbedder(MODELS / self.folder)


class TestChineseOnnxEmbedder(TestEnglishOnnxEmbedder):
    folder = "bge-small-zh-v1.5-q"
