"""The models of a root: which were chosen, opened by the first call that needs them.

In: what the caller or brain.yml names. Out: embedders. A choice that cannot be read is refused at
once; a model that cannot be opened switches off what needs it, and says why.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from smartbrain.adapters.models.parse import parse_embedders
from smartbrain.errors import SmartBrainError, UsageError

if TYPE_CHECKING:
    from smartbrain.ports.embedder import Embedders


class Models:
    """Embedders that are opened once and shared by all tenants of a root."""

    def __init__(self, embedder: object = None) -> None:
        """Check a choice without opening anything; None, and nothing in a list, is no choice.

        Raises:
            UsageError: it cannot be read.
        """
        self.chosen = embedder not in (None, (), [])
        self._given = embedder
        self._lock = threading.Lock()
        self._embedders: Embedders | None = None
        self._failure: SmartBrainError | None = None
        if self.chosen:
            parse_embedders(embedder)

    def embedders(self) -> Embedders:
        """Return the embedders, opened now if they are not.

        Raises:
            UsageError: none was chosen, or a library, a key or a model is missing.
            AdapterError: a model is damaged.
        """
        if not self.chosen:
            raise UsageError(
                "there is no embedder; give one to SmartBrain.open(embedder=…) or name it in"
                " recall.vector.embedders"
            )
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._embedders is None:
                from smartbrain.bootstrap.embedders import embedder_from

                try:
                    self._embedders = embedder_from(self._given)
                except SmartBrainError as error:
                    self._failure = error
                    raise
            return self._embedders

    def close(self) -> None:
        """Let go of what was opened."""
        with self._lock:
            if self._embedders is not None:
                self._embedders.close()
                self._embedders = None
