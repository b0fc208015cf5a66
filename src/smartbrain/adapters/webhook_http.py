"""Messages to webhooks over HTTP.

In: an address, a body with its headers. Out: nothing where it was taken, or one AdapterError. Other
addresses are not followed, and nothing of an answer but its status is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from smartbrain.errors import AdapterError


class HttpMessages:
    """Sends messages; connections are kept."""

    def __init__(self, timeout: float) -> None:
        self._http = httpx.Client(timeout=timeout, headers={"user-agent": "SmartBrain"})

    def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a message; where nobody took it, the error has no part of the address."""
        try:
            with self._http.stream("POST", url, content=body, headers=dict(headers)) as answer:
                status = answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise AdapterError(f"no answer ({type(error).__name__})", code="io_error") from None
        if not answer.is_success:
            raise AdapterError(f"the answer was {status}", code="io_error")

    def close(self) -> None:
        self._http.close()
