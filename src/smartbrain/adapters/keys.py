"""Keys of tenants, each wrapped by a master key and kept as `key.json` in the tenant's folder.

In: the tenant's folder and the master key the operator gave. Out: the 32 bytes of the tenant's key,
which never lie on disk unwrapped and never change; changing the master key only wraps them anew.
Not a vault for the master key: that stays with the operator and is named by its fingerprint alone.
"""

from __future__ import annotations

import base64
import hashlib
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import MsgspecError, Struct, json

from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import disk_error, sync_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_FILE: Final = "key.json"
_FORMAT: Final = 1
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_WRAPPED_BYTES: Final = _KEY_BYTES + 16
_AAD: Final = b"smartbrain tenant key 1"
_FORMS: Final = (
    "a master key is 64 hex digits, base64 of 32 bytes, or a file of exactly 32 bytes;"
    " `memctl key master new` makes one"
)


@dataclass(frozen=True, slots=True)
class MasterKey:
    """The operator's key, which locks the keys of tenants; it never shows what it holds."""

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != _KEY_BYTES:
            raise UsageError(_FORMS, code="config")

    @classmethod
    def from_text(cls, text: str) -> MasterKey:
        """Read a key from text: 64 hex digits, or base64 in either alphabet."""
        text = text.strip()
        try:
            if len(text) == 2 * _KEY_BYTES:
                return cls(bytes.fromhex(text))
            standard = text.rstrip("=").replace("-", "+").replace("_", "/")
            return cls(base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True))
        except ValueError:
            raise UsageError(_FORMS, code="config") from None

    @classmethod
    def from_bytes(cls, content: bytes) -> MasterKey:
        """Read a key from the content of a file: 32 raw bytes, or one of the text forms."""
        if len(content) == _KEY_BYTES:
            return cls(content)
        try:
            return cls.from_text(content.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise UsageError(_FORMS, code="config") from None

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits that name the key and give nothing of it away."""
        return hashlib.sha256(b"smartbrain master key fingerprint 1\0" + self.secret).hexdigest()[
            :16
        ]


class _Wrapped(Struct, frozen=True):
    """A tenant's key as it lies on disk; `master` only names who locked it, the tag proves it."""

    format: int
    master: str = ""
    nonce: bytes = b""
    wrapped: bytes = b""


def new_master_key_text(random: Callable[[int], bytes] = os.urandom) -> str:
    """Return a new master key as 64 hex digits, for the operator to keep."""
    return random(_KEY_BYTES).hex()


def create_tenant_key(
    folder: Path, master: MasterKey, random: Callable[[int], bytes] = os.urandom
) -> bytes:
    """Give the tenant of this folder a key and return it; if it has one already, return that.

    Of several processes that create it at once, one wins and all return the same key.
    """
    existing = load_tenant_key(folder, master)
    if existing is not None:
        return existing
    content = _wrap(random(_KEY_BYTES), master, random)
    try:
        # A link never replaces: the first writer wins, and its file appears whole.
        with _temporary(folder, content, random) as temporary, suppress(FileExistsError):
            os.link(temporary, folder / _FILE)
        sync_folder(folder)
    except OSError as error:
        raise disk_error(error, f"write the key of tenant folder {folder.name}") from error
    key = load_tenant_key(folder, master)
    if key is None:
        raise AdapterError(
            f"{_FILE} of tenant folder {folder.name} vanished as soon as it was written; try again",
            code="io_error",
        )
    return key


def load_tenant_key(folder: Path, master: MasterKey | None) -> bytes | None:
    """Return the tenant's key, or None for a tenant that has none."""
    stored = _read(folder)
    if stored is None:
        return None
    if master is None:
        raise AdapterError(
            f"tenant folder {folder.name} is locked with master key {stored.master}; give that key",
            code="key_missing",
        )
    return _unwrap(stored, master, folder)


def rewrap_tenant_key(
    folder: Path, old: MasterKey, new: MasterKey, random: Callable[[int], bytes] = os.urandom
) -> bool:
    """Lock the tenant's key with `new` instead of `old`; data stays as it is.

    False when there is nothing to do: no key, or already locked with `new`. A change of the master
    key over many tenants that was interrupted is therefore finished by running it again.
    """
    stored = _read(folder)
    if stored is None:
        return False
    changed = _try_unwrap(stored, new) is None
    try:
        if changed:
            content = _wrap(_unwrap(stored, old, folder), new, random)
            with _temporary(folder, content, random) as temporary:
                temporary.replace(folder / _FILE)
        # What a crashed writer left may still hold the key locked with the old master key.
        for leftover in folder.glob(f"{_FILE}.*.tmp"):
            leftover.unlink(missing_ok=True)
        sync_folder(folder)
    except OSError as error:
        raise disk_error(error, f"lock the key of tenant folder {folder.name} anew") from error
    return changed


def _wrap(key: bytes, master: MasterKey, random: Callable[[int], bytes]) -> bytes:
    nonce = random(_NONCE_BYTES)
    wrapped = AESGCM(master.secret).encrypt(nonce, key, _AAD)
    return json.encode(_Wrapped(_FORMAT, master.fingerprint, nonce, wrapped))


def _unwrap(stored: _Wrapped, master: MasterKey, folder: Path) -> bytes:
    key = _try_unwrap(stored, master)
    if key is not None:
        return key
    if stored.master == master.fingerprint:
        raise _damaged(folder)
    raise AdapterError(
        f"{_FILE} of tenant folder {folder.name} is locked with master key {stored.master}, and"
        f" {master.fingerprint} was given; give the former, or restore the tenant's own {_FILE}",
        code="key_wrong",
    )


def _try_unwrap(stored: _Wrapped, master: MasterKey) -> bytes | None:
    try:
        return AESGCM(master.secret).decrypt(stored.nonce, stored.wrapped, _AAD)
    except InvalidTag:
        return None


def _read(folder: Path) -> _Wrapped | None:
    try:
        content = (folder / _FILE).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise disk_error(error, f"read the key of tenant folder {folder.name}") from error
    try:
        stored = json.decode(content, type=_Wrapped)
    except (MsgspecError, ValueError, RecursionError):
        raise _damaged(folder) from None
    if stored.format > _FORMAT:
        raise AdapterError(
            f"{_FILE} of tenant folder {folder.name} has format {stored.format};"
            " upgrade SmartBrain",
            code="newer_database",
        )
    shape = (stored.format, len(stored.nonce), len(stored.wrapped))
    if shape != (_FORMAT, _NONCE_BYTES, _WRAPPED_BYTES):
        raise _damaged(folder)
    return stored


def _damaged(folder: Path) -> AdapterError:
    return AdapterError(
        f"{_FILE} of tenant folder {folder.name} is damaged; restore that file from a backup,"
        " nothing else can unlock the tenant's data",
        code="corrupt",
    )


@contextmanager
def _temporary(folder: Path, content: bytes, random: Callable[[int], bytes]) -> Iterator[Path]:
    """Write the content durably beside the key file, for its owner's eyes only; remove it after."""
    temporary = folder / f"{_FILE}.{random(8).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink()
