"""One brain folder: its settings and keys, and how a tenant in it is opened.

In: a path and what the caller asks for. Out: tenants with their adapters. Encryption is decided
when a tenant is created: its key then lies wrapped in its folder, or it has none for ever.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from smartbrain.bootstrap.pool import DATABASE, OpenTenant, TenantPool, identity_of
from smartbrain.bootstrap.sources import (
    Config,
    load_settings,
    read_master_key,
    read_root,
    registry_of,
    system_clock,
)
from smartbrain.domain.ids import Entropy, IdSource
from smartbrain.domain.policy import rules_hash
from smartbrain.domain.tenant import folder_of, name_of
from smartbrain.domain.time import Clock
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import disk_error
from smartbrain.ports.bundle import Ports
from smartbrain.remember.pipeline import WriteRules

if TYPE_CHECKING:
    from smartbrain.adapters.keys import MasterKey

TENANTS: Final = "tenants"
KEY: Final = "key.json"


class Root:
    """One brain folder: its settings, its keys and the tenants that are open."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        config: Config = None,
        clock: Clock | None = None,
        entropy: Entropy = os.urandom,
    ) -> None:
        """Read the configuration; no tenant is opened yet and nothing is written."""
        self.path = read_root(path)
        self.settings = load_settings(self.path, config)
        self.types = registry_of(self.settings)
        self.rules = WriteRules(self.settings.rules, rules_hash(self.settings.rules))
        self.zone = ZoneInfo(self.settings.rules.timezone)
        if clock is not None and clock().utcoffset() is None:
            raise UsageError(
                "clock returns a time without a UTC offset; let it return datetime.now(UTC)",
                code="bad_time",
            )
        self.clock = clock or system_clock
        self.ids = IdSource(self.clock, entropy)
        self.tenants = TenantPool(self.open_tenant, self.settings.rules.tenants.max_open)

    def folder(self, tenant: str) -> Path:
        """Return where a tenant lives."""
        return self.path.joinpath(TENANTS, *folder_of(tenant))

    def open_tenant(self, name: str) -> OpenTenant:
        """Open a tenant, creating it if there is none.

        Raises:
            UsageError: the name is no name, or encryption is asked of a plain tenant.
            AdapterError: the folder, the database or the key is not usable.
        """
        from smartbrain.adapters.blobs.files import FileBlobs
        from smartbrain.adapters.sqlite.truth import SqliteTruth

        folder = self.folder(name)
        _make_folder(folder)
        refuse_lost_database(folder)
        key = self.tenant_key(name, folder)
        cipher = None
        if key is not None:
            from smartbrain.adapters.blobs.cipher import AesGcm

            cipher = AesGcm(key)
        truth = SqliteTruth(
            folder,
            tenant=name,
            clock=self.clock,
            key=key,
            lock_timeout=self.settings.rules.storage.lock_timeout_seconds,
        )
        blobs = FileBlobs(folder, cipher)
        ports = Ports(truth, blobs, self.clock, self.ids, self.types)
        return OpenTenant(name, folder, ports, key is not None, identity_of(folder))

    def tenant_key(self, name: str, folder: Path) -> bytes | None:
        """Return a tenant's key, made now if it is new and encryption is on; None for a plain one.

        Raises:
            UsageError: code `not_encrypted`; encryption is on and the tenant has none.
            AdapterError: code `key_missing`, `key_wrong` or `corrupt`; nothing was touched.
        """
        wanted = self.settings.rules.encryption.enabled
        # In this order: another process that is creating the tenant makes the key first.
        begun = not _is_empty(folder)
        locked = (folder / KEY).exists()
        if not locked and not wanted:
            return None
        if not locked and begun:
            from smartbrain.adapters.sqlite.truth import schema_version

            schema_version(folder, None)  # says so where the database is not a plain one
            raise UsageError(
                f"tenant {name!r} was created without encryption and encryption.enabled is true;"
                " set it to false to open this tenant",
                code="not_encrypted",
            )
        from smartbrain.adapters.keys import create_tenant_key, load_tenant_key

        master = read_master_key(self.settings, self.path)
        if locked:
            return load_tenant_key(folder, master)
        if master is None:
            rules = self.settings.rules.encryption
            raise AdapterError(
                "encryption is on and there is no master key; set encryption.master_key_file or"
                f" the environment variable {rules.master_key_env} (`memctl key new` makes one)",
                code="key_missing",
            )
        return create_tenant_key(folder, master)

    def rotate_master_key(self, new: MasterKey) -> dict[str, bool]:
        """Lock every tenant's key with a new master key; data stays as it is.

        Returns, for each encrypted tenant, whether it had to be changed; a rotation that was
        interrupted is finished by running it again.

        Raises:
            AdapterError: the present key is missing or wrong for a tenant; those before it in
                name order have been rotated.
        """
        from smartbrain.adapters.keys import rewrap_tenant_key

        old = read_master_key(self.settings, self.path) or new
        folders = {name: self.folder(name) for name in list_tenants(self.path)}
        return {
            name: rewrap_tenant_key(folder, old, new)
            for name, folder in folders.items()
            if (folder / KEY).exists()
        }


def refuse_lost_database(folder: Path) -> None:
    """Refuse to begin an empty database beside what only a full one can have left.

    Raises:
        AdapterError: code `corrupt`.
    """
    # Looked at twice: what is left behind may be the first work of another process.
    if _is_empty(folder) and _is_left_behind(folder) and _is_empty(folder):
        raise AdapterError(
            f"{folder / DATABASE} is empty or gone while raw files or its log are still there;"
            " restore it from a backup, or delete the folder to begin anew",
            code="corrupt",
        )


def _is_empty(folder: Path) -> bool:
    """Tell whether a tenant has no database yet, or no longer; SQLite takes one byte for none."""
    return _size(folder / DATABASE) <= 1


def _is_left_behind(folder: Path) -> bool:
    """Tell whether there are raw files or a log, which a tenant gets after its tables."""
    files = (folder / "raw").rglob("*")
    return bool(_size(folder / f"{DATABASE}-wal")) or any(file.is_file() for file in files)


def _size(file: Path) -> int:
    """Return a file's size, 0 if there is none; reading it would let go of SQLite's locks."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise disk_error(error, f"look at {file}") from error


def _make_folder(folder: Path) -> None:
    """Create a tenant's folder so that it survives a power cut: each new name is synced."""
    try:
        if folder.is_dir():
            return
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":
            for path in new:
                parent = os.open(path.parent, os.O_RDONLY)
                try:
                    os.fsync(parent)
                finally:
                    os.close(parent)
    except OSError as error:
        raise disk_error(error, f"create the folder {folder}") from error


def list_tenants(root: Path) -> list[str]:
    """Return the names of the tenants that a root holds, sorted."""
    top = root / TENANTS
    names = []
    pending: list[tuple[str, ...]] = [(entry.name,) for entry in _folders(top)]
    while pending:
        parts = pending.pop()
        folder = top.joinpath(*parts)
        if parts[-1].endswith("%"):
            pending += [(*parts, entry.name) for entry in _folders(folder)]
        elif (folder / DATABASE).exists() or _is_left_behind(folder):
            name = name_of(parts)
            names += [name] if name is not None else []
    return sorted(names)


def _folders(path: Path) -> list[Path]:
    """Return the folders inside a folder, none if it is not there."""
    try:
        return [entry for entry in path.iterdir() if entry.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise disk_error(error, f"list {path}") from error
