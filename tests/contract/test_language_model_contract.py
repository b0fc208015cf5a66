"""Every language model, held to the one contract of the port.

In: the testing model, and the HTTP one against a real local service. Out: nothing if both do it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from smartbrain.adapters.models.http_models import HttpLanguageModel, Pace
from smartbrain.ports.language_model import LanguageModel
from smartbrain.testing.contracts.models import LanguageModelContract
from smartbrain.testing.model_service import MODEL, running_chat_service
from smartbrain.testing.models import EchoModel

pytestmark = pytest.mark.spec("C6")


class TestEchoModel(LanguageModelContract):
    def make(self) -> LanguageModel:
        return EchoModel()


class TestHttpLanguageModel(LanguageModelContract):
    @pytest.fixture(autouse=True)
    def _service(self) -> Iterator[None]:
        self.opened: list[HttpLanguageModel] = []
        with running_chat_service() as self.service:
            yield
            for model in self.opened:
                model.close()

    def make(self) -> LanguageModel:
        pace = Pace(jitter=lambda: 0.5)
        self.opened.append(HttpLanguageModel(self.service.url, MODEL, pace=pace))
        return self.opened[-1]
