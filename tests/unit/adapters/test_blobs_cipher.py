"""AES-GCM for blobs: sealed data opens only whole, under its key and its address."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.adapters.blobs.cipher import HEADER, AesGcm
from smartbrain.errors import AdapterError, UsageError

KEY = bytes(range(32))
TEXT = "密钥属于租户 the key is the tenant's".encode()


def code_of_open(cipher: AesGcm, sealed: bytes, aad: bytes = b"a") -> str:
    with pytest.raises(AdapterError) as caught:
        cipher.open(sealed, aad)
    return caught.value.code


@pytest.mark.spec("E2")
@given(data=st.binary(max_size=2000), aad=st.binary(max_size=64))
def test_sealed_data_opens_again(data: bytes, aad: bytes) -> None:
    """Any data comes back under the key and the aad it was sealed with."""
    cipher = AesGcm(KEY)
    assert data == cipher.open(cipher.seal(data, aad), aad)


@pytest.mark.spec("E2")
def test_every_change_of_a_sealed_blob_is_noticed() -> None:
    """Any other value of any byte, a cut at any place and an extra byte all fail to open."""
    cipher = AesGcm(KEY)
    sealed = cipher.seal(TEXT, b"a")
    for at, byte in enumerate(sealed):
        for other in set(range(256)) - {byte}:
            changed = sealed[:at] + bytes([other]) + sealed[at + 1 :]
            assert code_of_open(cipher, changed) == "blob_corrupt"
        assert code_of_open(cipher, sealed[:at]) == "blob_corrupt"
    assert code_of_open(cipher, sealed + b"\0") == "blob_corrupt"


@pytest.mark.spec("E2", "S8")
def test_another_key_or_address_does_not_open_it() -> None:
    """A blob is bound to its tenant's key and to the address it was sealed for."""
    sealed = AesGcm(KEY).seal(TEXT, b"a")
    assert code_of_open(AesGcm(bytes(32)), sealed) == "blob_corrupt"
    assert code_of_open(AesGcm(KEY), sealed, b"b") == "blob_corrupt"


def test_each_seal_takes_a_fresh_nonce() -> None:
    """Equal data is sealed differently each time, with twelve bytes from the given source."""
    cipher = AesGcm(KEY)
    assert cipher.seal(TEXT, b"a") != cipher.seal(TEXT, b"a")
    asked: list[int] = []

    def fixed(size: int) -> bytes:
        asked.append(size)
        return b"n" * size

    assert AesGcm(KEY, fixed).seal(TEXT, b"a").startswith(HEADER + b"n" * 12)
    assert asked == [12]


@pytest.mark.spec("E2")
def test_an_address_is_the_hmac_under_the_tenant_key() -> None:
    """The address can be computed by anybody who holds the key, and is not the plain hash."""
    address = AesGcm(KEY).address(TEXT)
    assert hmac.new(KEY, TEXT, hashlib.sha256).hexdigest() == address
    assert address not in {hashlib.sha256(TEXT).hexdigest(), AesGcm(bytes(32)).address(TEXT)}


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_a_key_of_another_length_is_refused(size: int) -> None:
    """Only 32 bytes are a tenant key."""
    with pytest.raises(UsageError) as caught:
        AesGcm(bytes(size))
    assert caught.value.code == "config"
