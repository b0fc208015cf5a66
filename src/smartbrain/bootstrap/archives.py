"""Whole tenants: exported into one file, restored from it, and deleted with their keys (S8, J7).

In: an open tenant, or a root and a name. Out: files and reports. An archive is a zip of a copy of
the database, the raw files and, where there is one, the wrapped key; it is written while others go
on writing. For people there are Markdown and JSON lines, which cannot be restored.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from smartbrain.adapters.sqlite.truth import hash_content, raw_paths
from smartbrain.bootstrap.folders import (
    DATABASE,
    DELETING,
    KEY,
    TENANTS,
    is_empty,
    make_folder,
    make_tenant_folder,
)
from smartbrain.domain.archive import ExportReport, RestoreReport
from smartbrain.domain.forgetting import ForgetReceipt, ForgetState, close_holes
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.tenant import folder_of
from smartbrain.errors import Conflict, NotFound, UsageError
from smartbrain.govern.short_term import list_sessions, list_turns
from smartbrain.ports.blobs import disk_error, sync_folder

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.ids import IdSource
    from smartbrain.domain.time import Clock

KeyOf = Callable[[str, Path], bytes | None]
"""Returns the key of a tenant whose files lie in a folder."""
_MANIFEST: Final = "smartbrain.json"
_FORMAT: Final = 1
_PAGE: Final = 200
_TRIES: Final = 5
_RESTORING: Final = ".restoring-"
NO_RECEIPTS: Final = (
    "no receipts were given: what was forgotten after this file was written is back; restore again"
    " with the receipts, or forget it again"
)


def export_tenant(tenant: OpenTenant, path: Path, key: bytes | None) -> ExportReport:
    """Write all that a tenant holds into a file: `.md` and `.jsonl` for people, else an archive."""
    if path.exists():
        raise UsageError(f"{path} is there already; give another name")
    forms = {".md": _markdown, ".jsonl": _json_lines}
    if path.suffix in forms:
        temporary = path.with_name(f"{path.name}.tmp")
        with temporary.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in forms[path.suffix](tenant))
        temporary.replace(path)
        size = path.stat().st_size
        return ExportReport(path=str(path), tenant=tenant.name, form=path.suffix[1:], bytes=size)
    return _write_archive(tenant, path, key)


def _write_archive(tenant: OpenTenant, path: Path, key: bytes | None) -> ExportReport:
    """Write an archive beside its place, then put it there."""
    temporary = path.with_name(f"{path.name}.tmp")
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".export-") as folder:
            copy = Path(folder) / DATABASE
            for attempt in range(_TRIES):
                try:
                    content, raw = _copy(tenant, copy, key, temporary)
                    break
                except FileNotFoundError:  # an original was forgotten after its row was copied
                    copy.unlink()
                    if attempt == _TRIES - 1:
                        raise
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise disk_error(error, f"write {path}") from error
    return ExportReport(
        path=str(path),
        tenant=tenant.name,
        form="archive",
        content=content,
        files=raw,
        bytes=path.stat().st_size,
    )


def _copy(tenant: OpenTenant, copy: Path, key: bytes | None, file: Path) -> tuple[str, int]:
    """Write one state of a tenant into a file; return its hash, and how many originals it has."""
    tenant.ports.truth.backup(copy)
    content, raw = hash_content(copy, key), raw_paths(copy, key)
    about = {"format": _FORMAT, "tenant": tenant.name, "content": content}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_MANIFEST, json.dumps(about, ensure_ascii=False))
        archive.write(copy, DATABASE)
        for one in raw:
            archive.write(tenant.folder / one, one, zipfile.ZIP_STORED)
        if (tenant.folder / KEY).exists():
            archive.write(tenant.folder / KEY, KEY)
    return content, len(raw)


def restore_tenant(path: Path, root: Path, key_of: KeyOf) -> RestoreReport:
    """Make a tenant of a root from an archive."""
    about = _read_manifest(path)
    tenant = str(about["tenant"])
    folder = root / TENANTS / folder_of(tenant)
    if not is_empty(folder):
        raise Conflict(
            f"tenant {tenant!r} is there already; delete it, or restore into another root",
            code="not_empty",
        )
    place = folder.with_name(f"{_RESTORING}{folder.name}")
    shutil.rmtree(place, ignore_errors=True)
    make_folder(place)
    files = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.namelist():
                if entry != _MANIFEST:
                    archive.extract(entry, place)
                    files += entry.startswith("raw/")
        if folder.exists():
            shutil.rmtree(folder)
        content = hash_content(place / DATABASE, key_of(tenant, place))
        _require_same(content, about, path)
        place.rename(folder)
        make_tenant_folder(folder, tenant)
        sync_folder(folder.parent)
    except (OSError, zipfile.BadZipFile) as error:
        shutil.rmtree(place, ignore_errors=True)
        if isinstance(error, OSError):
            raise disk_error(error, f"restore {path}") from error
        raise UsageError(f"{path} is damaged: {error}") from error
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return RestoreReport(tenant=tenant, content=content, files=files, warning=NO_RECEIPTS)


def _require_same(content: str, about: Mapping[str, Any], path: Path) -> None:
    if content != about["content"]:
        raise UsageError(f"{path} is damaged: it does not hold what it says")


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            about: dict[str, Any] = json.loads(archive.read(_MANIFEST))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} is no export of SmartBrain ({error})") from None
    if about.get("format") != _FORMAT:
        raise UsageError(f"{path} is of format {about.get('format')}; this reads {_FORMAT}")
    return about


def delete_tenant(root: Path, name: str, *, clock: Clock, ids: IdSource) -> ForgetReceipt:
    """Delete a tenant with its folder, its key first; return a receipt."""
    folder = root / TENANTS / folder_of(name)
    finish_deleting(root)
    if is_empty(folder):
        raise NotFound(f"there is no tenant {name!r} in {root}")
    now = clock()
    doomed = folder.parent / DELETING / ids.new()
    files = [one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()]
    try:
        doomed.parent.mkdir(exist_ok=True)
        folder.rename(doomed)
        sync_folder(folder.parent)
    except OSError as error:
        raise disk_error(error, f"delete {folder}") from error
    finish_deleting(root)
    return ForgetReceipt(
        id=ids.new(),
        state=ForgetState.ERASED,
        tenant=name,
        request={"tenant": True},
        asked_at=now,
        erased_at=clock(),
        counts={"files": len(files)},
        files=tuple(sorted(files)),
    )


def finish_deleting(root: Path) -> None:
    """Delete what is left of tenants: their keys first, so that nothing sealed can be read."""
    place = root / TENANTS / DELETING
    try:
        for folder in place.iterdir() if place.exists() else ():
            key = folder / KEY
            if key.exists():
                with key.open("r+b") as file:
                    file.write(bytes(key.stat().st_size))
                    file.flush()
                    os.fsync(file.fileno())
            shutil.rmtree(folder)
        if place.exists():
            place.rmdir()
            sync_folder(place.parent)
    except FileNotFoundError:
        return  # another process is at it
    except OSError as error:
        raise disk_error(error, f"delete {place}") from error


def _json_lines(tenant: OpenTenant) -> Iterator[str]:
    ports = tenant.ports
    for session_id in _sessions(tenant):
        for turn in _turns(tenant, session_id):
            yield json.dumps({"turn": turn.to_dict()}, ensure_ascii=False, default=str)
            with ports.truth.read() as rows:
                for claim in rows.claims.of_turn(turn.id):
                    yield json.dumps({"claim": claim.to_dict()}, ensure_ascii=False, default=str)
    for memory in _memories(tenant, None):
        yield json.dumps({"memory": memory.to_dict()}, ensure_ascii=False, default=str)
        with ports.truth.read() as rows:
            for edge in rows.edges.of(memory.id):
                yield json.dumps({"edge": edge.to_dict()}, ensure_ascii=False, default=str)


def _markdown(tenant: OpenTenant) -> Iterator[str]:
    yield f"# {tenant.name}\n\n## What is known\n"
    for memory in _memories(tenant, Status.ACTIVE):
        if memory.type not in ("episodes", "statements"):
            yield f"- {memory.said_at:%Y-%m-%d} {memory.type}: {memory.title}"
    yield "\n## What was said"
    for session_id in _sessions(tenant):
        yield f"\n### {session_id}\n"
        for turn in _turns(tenant, session_id):
            for message in turn.messages:
                text = close_holes(message.content).replace("\n", "\n  ")
                yield f"- {turn.at:%Y-%m-%d %H:%M} {message.name or message.role.value}: {text}"


def _memories(tenant: OpenTenant, status: Status | None) -> Iterator[Memory]:
    after = 0
    while True:
        with tenant.ports.truth.read() as rows:
            page = rows.memories.page(status=status, after=after, limit=_PAGE)
        yield from (memory for _, memory in page)
        if len(page) < _PAGE:
            return
        after = page[-1][0]


def _sessions(tenant: OpenTenant) -> list[str]:
    found, after = [], None
    while page := list_sessions(ports=tenant.ports, after=after, limit=_PAGE):
        found += [session.id for _, session in page]
        after = page[-1][0]
    return sorted(found)


def _turns(tenant: OpenTenant, session_id: str) -> Iterator[Any]:
    after = 0
    while page := list_turns(session_id, ports=tenant.ports, after=after, limit=_PAGE):
        yield from page
        after = page[-1].seq
