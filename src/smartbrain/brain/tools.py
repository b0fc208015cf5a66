"""The tools of a handle for a model: what it may call, and the answers it gets (S1).

In: a session and a call as a provider gives it. Out: schemas, and text within a limit. `SmartBrain`
has these verbs from here; what the tools do is in `bootstrap.tooling`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smartbrain.brain.reads import Reads
from smartbrain.remember.names import read_id

if TYPE_CHECKING:
    from smartbrain.domain.tool_answer import ToolAnswer


class Tools(Reads):
    """Verbs for the host of a model; a handle provides what they work on."""

    def tools(self, session_id: str, format: str = "openai") -> list[dict[str, Any]]:  # noqa: A002 - public
        """Return what a model may call on its memory, as its provider takes it.

        Args:
            session_id: the conversation that the model is in.
            format: `openai` or `anthropic`.

        Raises:
            UsageError: the session is no name, or there is no such format.
        """
        read_id(session_id, "session_id")
        return self._terms.writing.tools.schemas(format)

    def call_tool(self, session_id: str, call: object) -> ToolAnswer:
        """Do what a model calls for and return the answer, which is short and plain text.

        A mistake of the model is no error here: the answer says in one line what to change.

        Args:
            session_id: the conversation that the model is in.
            call: a tool call of OpenAI, a tool_use block of Anthropic, a dict or an object of
                their SDKs; or a dict with `name` and `arguments`.

        Raises:
            UsageError: the session is no name, or `call` is no call.
            NotFound: the tenant has been deleted.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.tools.answer(
                call, session, ports=tenant.ports, recall=self.recall
            )
