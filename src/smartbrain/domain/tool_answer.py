"""What `brain.call_tool` answers: the text for the model, and the message that carries it (S1).

In: nothing; `bootstrap.tooling` fills it. Out: a frozen value, and on demand the message that a
provider takes as the result of its call. A mistake of the model is an answer like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.record import Record
from smartbrain.errors import UsageError

FORMATS: Final = ("openai", "anthropic")
"""The providers whose tools and messages can be written."""


def read_format(given: object) -> str:
    """Return the name of a provider's format.

    Raises:
        UsageError: there is no such format.
    """
    if isinstance(given, str) and given in FORMATS:
        return given
    near = did_you_mean(given, FORMATS)
    raise UsageError(f"there is no format {shown(given)}; give {' or '.join(FORMATS)}{near}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolAnswer(Record):
    """The answer to one call; `is_error` tells that the model has to change something.

    `call_id` is the provider's, None for a call that came without one.
    """

    name: str
    text: str
    is_error: bool = False
    call_id: str | None = None

    def message(self, format: str = "openai") -> dict[str, Any]:  # noqa: A002 - public
        """Return the message that brings this answer to the model, right after its call.

        Raises:
            UsageError: there is no such format, or the call had no id.
        """
        wanted = read_format(format)
        if self.call_id is None:
            raise UsageError(
                f"the call of {shown(self.name)} had no id, so no message can refer to it;"
                " use the text, or give calls with their ids"
            )
        if wanted == "openai":
            return {"role": "tool", "tool_call_id": self.call_id, "content": self.text}
        result: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": self.call_id,
            "content": self.text,
        }
        if self.is_error:
            result["is_error"] = True
        return {"role": "user", "content": [result]}
