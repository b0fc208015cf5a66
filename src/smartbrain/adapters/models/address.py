"""The address of a model behind HTTP, as callers write it: `http(s)://…#<model>`.

In: that text, and what the service does. Out: where it is and which model is asked for. Nothing is
sent; an error repeats no password that stands in the address.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from smartbrain.errors import UsageError


def read_address(text: str, service: str) -> tuple[str, str]:
    """Return the address and the model of a service, such as "the language model".

    Raises:
        UsageError: the address is malformed, or names no model.
    """
    address, _, model = text.partition("#")
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise UsageError(f"the address of {service} is malformed; write http(s)://…")
    if not model.strip():
        raise UsageError(f"the service at {host} needs a model; write its name after '#'")
    return address, model.strip()
