"""Webhooks: addresses that events are sent to, and how what is sent is signed (S4).

In: a block of brain.yml; the parts of a message. Out: a webhook; headers as the Standard Webhooks
specification wants them, so that libraries of any language verify them.
"""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.memory_event import read_kinds
from smartbrain.domain.policy_field import shown
from smartbrain.errors import UsageError

_ENCODED: Final = "whsec_"


class Webhook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An address, and where the secret is that signs what it gets; `kinds` is empty for all."""

    name: str
    url: str
    secret_env: str = ""
    secret_file: str = ""
    kinds: tuple[str, ...] = ()


def webhook_from_block(name: str, block: Mapping[str, Any]) -> Webhook:
    """Read a webhook of brain.yml."""
    try:
        given = msgspec.convert({**block, "name": name}, Webhook)
        given = replace(given, kinds=read_kinds(given.kinds))
    except msgspec.ValidationError as error:
        known = ", ".join(Webhook.__struct_fields__[1:])
        raise _refused(name, f"cannot be read: {error}; it has {known}") from None
    except UsageError as error:
        raise _refused(name, f"has wrong kinds: {error.message}") from None
    if not given.url.startswith(("http://", "https://")):
        raise _refused(name, f"has the url {shown(given.url)}; give https://… or http://…")
    if bool(given.secret_env) == bool(given.secret_file):
        raise _refused(name, "needs either secret_env or secret_file, by which messages are signed")
    return given


def read_secret(text: str) -> bytes:
    """Return a secret as bytes: one that begins with `whsec_` is base64, any other is a text."""
    plain = text.strip()
    try:
        is_encoded = plain.startswith(_ENCODED)
        secret = b64decode(plain.removeprefix(_ENCODED), validate=True) if is_encoded else b""
    except (Base64Error, ValueError):
        raise UsageError("a secret that begins with whsec_ must go on in base64") from None
    secret = secret if is_encoded else plain.encode()
    if not secret:
        raise UsageError("the secret is empty")
    return secret


def signed_headers(secret: bytes, message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers that say which message it is, when it was sent and that it is ours."""
    signed = b"%b.%d.%b" % (message_id.encode(), seconds, body)
    signature = b64encode(hmac.digest(secret, signed, sha256)).decode()
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{signature}",
    }


def _refused(name: str, what: str) -> UsageError:
    return UsageError(f"webhook {shown(name)} {what}", code="config")
