"""API keys: who may reach which tenants over HTTP, and until when.

In: names of tenants, an expiry. Out: a key, shown once; the file keeps its hash alone. A key is 256
random bits, so one round of SHA-256 is enough. The file is read again when it has changed, so that
a key that is revoked stops at once.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from smartbrain.entrypoints.wire.errors import Refusal
from smartbrain.errors import AdapterError, NotFound, UsageError
from smartbrain.ports.blobs import disk_error

FILE: Final = "api_keys.json"
ALL_TENANTS: Final = "*"
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
"""Addresses that nobody but this machine reaches; there a server may begin without keys."""
PREFIX: Final = "sb"
_NOBODY: Final = hashlib.sha256(b"").hexdigest()


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """One key as it is stored: whom it is for, not what it is."""

    id: str
    hash: str
    tenants: tuple[str, ...]
    verbs: tuple[str, ...] = ()
    """The verbs that it may ask; all, and whatever else a server answers, where none is named."""
    name: str = ""
    created_at: datetime
    expires_at: datetime | None = None

    @property
    def only_tenant(self) -> str | None:
        """The tenant that the key is for, if it is for one alone."""
        first, *others = self.tenants
        return None if others or first == ALL_TENANTS else first

    def may_reach(self, tenant: str) -> bool:
        """Tell whether the key is for a tenant."""
        return tenant in self.tenants or ALL_TENANTS in self.tenants

    def may_ask(self, verb: str) -> bool:
        """Tell whether the key is for a verb, or with an empty name for what is no verb."""
        return not self.verbs or verb in self.verbs


class _KeyFile(msgspec.Struct, frozen=True):
    keys: tuple[ApiKey, ...] = ()


class ApiKeys:
    """The keys of a brain's folder."""

    def __init__(self, root: Path, clock: Callable[[], datetime]) -> None:
        self._path = root / FILE
        self._clock = clock
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._keys: tuple[ApiKey, ...] = ()

    @property
    def exist(self) -> bool:
        """Whether a key was ever made here; from then on nobody comes in without one."""
        return self._path.exists()

    def add(
        self,
        tenants: Sequence[str],
        *,
        verbs: Sequence[str] = (),
        name: str = "",
        expires_at: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """Make a key, and return it with its text, which is nowhere kept."""
        now = self._clock()
        if not tenants:
            raise UsageError("a key is for one tenant or more; name them")
        if expires_at is not None and expires_at <= now:
            raise UsageError(f"the key would have expired at {expires_at:%Y-%m-%d %H:%M}")
        number, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        made = ApiKey(
            id=number,
            hash=_hash(secret),
            tenants=tuple(dict.fromkeys(tenants)),
            verbs=tuple(dict.fromkeys(verbs)),
            name=name,
            created_at=now,
            expires_at=expires_at,
        )
        self._write((*self.list(), made))
        return made, f"{PREFIX}_{number}_{secret}"

    def rotate(self, number: str, grace: timedelta) -> tuple[ApiKey, str]:
        """Make a key in the place of another, which holds for the time of grace and no longer."""
        old, now = self._named(number), self._clock()
        lasting = old.expires_at - old.created_at if old.expires_at else None
        made, text = self.add(
            old.tenants,
            verbs=old.verbs,
            name=old.name,
            expires_at=now + lasting if lasting else None,
        )
        if not grace:
            self.revoke(number)
            return made, text
        ends = min(now + grace, old.expires_at or now + grace)
        ending = msgspec.structs.replace(old, expires_at=ends)
        self._write(tuple(ending if key.id == number else key for key in self.list()))
        return made, text

    def revoke(self, number: str) -> ApiKey:
        """Take a key away."""
        found = self._named(number)
        self._write(tuple(key for key in self.list() if key.id != number))
        return found

    def _named(self, number: str) -> ApiKey:
        for key in self.list():
            if key.id == number:
                return key
        raise NotFound(f"there is no API key {number!r:.40}; `memctl key list` shows them")

    def find(self, text: str) -> ApiKey | None:
        """Return the key that a text is, if it is one that holds now.

        A wrong text takes as long as a right one: each is hashed and compared in constant time.
        """
        prefix, _, rest = text.partition("_")
        number, _, secret = rest.partition("_")
        known = {key.id: key for key in self.list()}
        key = known.get(number)
        is_same = hmac.compare_digest(key.hash if key else _NOBODY, _hash(secret))
        if key is None or not is_same or prefix != PREFIX:
            return None
        return key if self._lasts(key) else None

    def holds(self, key: ApiKey) -> bool:
        """Tell whether a key that was found before is still good."""
        return key in self.list() and self._lasts(key)

    def _lasts(self, key: ApiKey) -> bool:
        return key.expires_at is None or key.expires_at > self._clock()

    def list(self) -> tuple[ApiKey, ...]:
        """Return all keys, oldest first, expired ones too."""
        with self._lock:
            try:
                found = self._path.stat()
                stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
                if stamp != self._stamp:
                    read = msgspec.json.decode(self._path.read_bytes(), type=_KeyFile)
                    self._keys, self._stamp = read.keys, stamp
            except FileNotFoundError:
                self._keys, self._stamp = (), None
            except OSError as error:
                raise disk_error(error, f"read {self._path}") from error
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise AdapterError(
                    f"{self._path.name} is damaged ({error}); put it right, or delete it",
                    code="corrupt",
                ) from None
            return self._keys

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        """Write the file whole or not at all, for its owner alone."""
        fresh = self._path.with_name(f"{FILE}.{os.getpid()}.new")
        body = msgspec.json.format(msgspec.json.encode(_KeyFile(keys)), indent=2)
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._path)
        except OSError as error:
            raise disk_error(error, f"write {self._path}") from error


class Admission(NamedTuple):
    """Who may come in: whoever has a key, or, before one was made, this machine or anybody."""

    keys: ApiKeys
    is_local: bool = True
    is_open: bool = False

    def find_key(self, text: str | None) -> ApiKey | None:
        """Return the key of a request; none is needed before one was made."""
        if (self.is_local or self.is_open) and not self.keys.exist:
            return None
        if text is None:
            raise Refusal("unauthorized")
        key = self.keys.find(text.strip())
        if key is None:
            raise Refusal("unauthorized", "This API key is unknown, revoked or expired.")
        return key


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
