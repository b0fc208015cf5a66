"""AES-256-GCM for blobs, and keyed addresses, under the key of one tenant.

In: bytes and the address they are stored under. Out: header, nonce, ciphertext and tag; or the
bytes again, or an AdapterError if anything was changed. Not a key store: `smartbrain.adapters.keys`
is.
"""

from __future__ import annotations

import hmac
import os
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from smartbrain.errors import AdapterError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER: Final = b"SBE\x01"
"""What a sealed blob begins with: three letters and the version of the layout."""

_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


class AesGcm:
    """Seals blobs of one tenant; made for `FileBlobs`.

    A random 96-bit nonce is safe for some four thousand million blobs under one key. The key that
    seals is derived from the tenant's key, which itself makes the addresses, so neither use can
    tell anything about the other.
    """

    def __init__(self, key: bytes, nonce: Callable[[int], bytes] = os.urandom) -> None:
        if len(key) != 32:
            raise UsageError(f"a tenant key has 32 bytes, not {len(key)}", code="config")
        derived = HKDF(SHA256(), 32, salt=None, info=b"smartbrain blob sealing 1").derive(key)
        self._key = key
        self._aead = AESGCM(derived)
        self._nonce = nonce

    def seal(self, data: bytes, aad: bytes) -> bytes:
        nonce = self._nonce(_NONCE_BYTES)
        return HEADER + nonce + self._aead.encrypt(nonce, data, aad)

    def open(self, data: bytes, aad: bytes) -> bytes:
        """Return what was sealed with the same key and `aad`."""
        start = len(HEADER) + _NONCE_BYTES
        if not data.startswith(HEADER) or len(data) < start + _TAG_BYTES:
            raise AdapterError("is not a whole sealed blob", code="blob_corrupt")
        try:
            return self._aead.decrypt(data[len(HEADER) : start], data[start:], aad)
        except InvalidTag:
            raise AdapterError(
                "does not open: it is damaged or was sealed with another key", code="blob_corrupt"
            ) from None

    def address(self, data: bytes) -> str:
        return hmac.digest(self._key, data, "sha256").hex()
