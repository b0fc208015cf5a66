"""Documents that the caller connected, held to what the port promises.

In: any Resources. Out: the same ones, whose failures are all AdapterErrors and whose answers are
evidence packs, so that whatever their author lets out costs a report and never a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from smartbrain.adapters.models.library_errors import LibraryErrors
from smartbrain.domain.evidence import Evidence, EvidencePack
from smartbrain.errors import AdapterError, SmartBrainError

if TYPE_CHECKING:
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.ports.resources import Resources

_FAILED: Final = "the documents failed"


class GivenResources:
    """The caller's documents; what they raise that is no error of ours becomes an AdapterError."""

    def __init__(self, inner: Resources) -> None:
        self._inner = inner

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        """Return the evidence that answers a plan.

        Raises:
            AdapterError: they failed, or answered with something else.
        """
        try:
            with LibraryErrors(_FAILED):
                pack: object = self._inner.retrieve(plan)
                held = list(pack.evidences) if isinstance(pack, EvidencePack) else []
        except AdapterError:
            raise
        except SmartBrainError as error:  # one of ours that the port does not speak of
            raise AdapterError(f"{_FAILED}: {error.message}", retryable=False) from error
        if not isinstance(pack, EvidencePack):
            raise AdapterError(f"{_FAILED}: they answered {pack!r:.60}, not an EvidencePack")
        if not all(isinstance(one, Evidence) for one in held):
            raise AdapterError(f"{_FAILED}: what their pack holds is not all Evidence")
        return pack
