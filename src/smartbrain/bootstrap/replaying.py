"""A tenant's events run again: into an empty copy in memory, or into a new brain on disk.

In: an open tenant to compare, or the folder of one whatever its schema. Out: what the replay found
or made. A check writes nothing to disk, so an encrypted tenant leaves no plain text behind; a new
tenant has the key of the old one, and its raw files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import structs

from smartbrain.adapters.blobs.cipher import AesGcm
from smartbrain.adapters.blobs.files import FileBlobs
from smartbrain.adapters.sqlite.truth import OlderTruth, SqliteTruth
from smartbrain.bootstrap.folders import KEY, make_folder, make_tenant_folder
from smartbrain.bootstrap.root import Root
from smartbrain.bootstrap.sources import CONFIG
from smartbrain.errors import AdapterError, UsageError
from smartbrain.jobs.doctor import Progress
from smartbrain.jobs.replay import replay, replay_into
from smartbrain.ports.blobs import disk_error
from smartbrain.ports.bundle import Ports

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.replay import RebuiltReport, ReplayReport
    from smartbrain.remember.write_rules import WriteRules

_LOST: Final = frozenset({"blob_missing", "blob_corrupt"})


def check_replay(
    tenant: OpenTenant, rules: WriteRules, on_progress: Progress | None = None
) -> ReplayReport:
    """Run a tenant's events again into an empty one, and compare."""
    ports = tenant.ports
    with closing(SqliteTruth(None, tenant=tenant.name, clock=ports.clock)) as truth:
        target = replace(ports, truth=truth)
        return replay(ports, target, rules=rules, on_progress=on_progress)


def new_brain(path: Path, like: Root) -> Root:
    """Make an empty brain with the configuration of another one."""
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise UsageError(f"{path} is not empty; name a folder that is not there yet")
        make_folder(path)
        if (like.path / CONFIG).exists():
            (path / CONFIG).write_bytes((like.path / CONFIG).read_bytes())
    except OSError as error:
        raise disk_error(error, f"make a brain at {path}") from error
    return Root(path)


def rebuild_tenant(
    name: str, old: Root, new: Root, on_progress: Progress | None = None
) -> RebuiltReport:
    """Make a tenant of the present format from the events of one of any format.

    The old tenant is only read.
    """
    with _opened_to_read(name, old) as source:
        folder = new.folder(name)
        make_tenant_folder(folder, name)
        _take_over_key(old.folder(name), folder)
        with new.tenants.lease(name) as tenant:
            copied, lost = _copy_originals(source, tenant.ports)
            rules = new.terms(name).rules
            report = replay_into(source, tenant.ports, rules=rules, on_progress=on_progress)
    return structs.replace(report, raw_files=copied, lost_files=lost)


@contextmanager
def _opened_to_read(name: str, root: Root) -> Iterator[Ports]:
    folder = root.folder(name)
    key = root.tenant_key(name, folder)
    blobs = FileBlobs(folder, AesGcm(key) if key is not None else None)
    with closing(OlderTruth(folder, tenant=name, key=key)) as truth:
        yield Ports(truth, blobs, root.terms(name).clock, root.ids, root.types)


def _take_over_key(old: Path, new: Path) -> None:
    """Let a new tenant have the key of an old one, by which its originals are named."""
    try:
        if (old / KEY).exists():
            (new / KEY).write_bytes((old / KEY).read_bytes())
    except OSError as error:
        raise disk_error(error, f"copy {old / KEY}") from error


def _copy_originals(source: Ports, target: Ports) -> tuple[int, int]:
    with source.truth.read() as rows:
        chunks = rows.raw.paths()
    copied = lost = 0
    for path, chunk in chunks.items():
        try:
            data = source.blobs.get(path, chunk.address)
        except AdapterError as error:
            if error.code not in _LOST:
                raise
            lost += 1
            continue
        target.blobs.put(chunk.address, data, _day_of(path))
        copied += 1
    return copied, lost


def _day_of(path: str) -> date:
    year, month, day = map(int, path.split("/")[1:4])
    return date(year, month, day)
