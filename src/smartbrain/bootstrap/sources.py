"""What is read from outside before a brain can be opened: configuration, types, master keys.

In: the root's folder and what the caller gave. Out: checked values. Nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import disk_error

if TYPE_CHECKING:
    from smartbrain.adapters.keys import MasterKey
    from smartbrain.settings import Settings

CONFIG: Final = "brain.yml"
OPENAI_KEY: Final = "OPENAI_API_KEY"
_OPENAI: Final = "api.openai.com"
_AT_RUN_TIME: Final = ("recall", "packet")
_AT_OPENING: Final = ("vector.index", "vector.embedders", "rerank.model")
"""Of `recall`: what the tenants of a root share."""

Config = Mapping[str, Any] | str | os.PathLike[str] | None
"""What a caller may give as configuration: values, or the path of a YAML file, or nothing."""


def system_clock() -> datetime:
    """Return the machine's present time in UTC."""
    return datetime.now(UTC)


def check_clock(clock: object) -> None:
    """Refuse a clock that does not return aware datetimes; None is the machine's own."""
    if clock is None:
        return
    now = clock() if callable(clock) else clock
    if not callable(clock) or not isinstance(now, datetime) or now.utcoffset() is None:
        raise UsageError(
            f"clock gives {now!r:.60}; let it be a function that returns datetime.now(UTC)",
            code="bad_time",
        )


def read_root(path: str | os.PathLike[str]) -> Path:
    """Return the folder that a path names, there or not, as an absolute path."""
    try:
        place = _path(path).expanduser().absolute()
        str(place).encode()  # SQLite takes no other
        nearest = next(one for one in (place, *place.parents) if one.exists())
    except (TypeError, ValueError, RuntimeError) as error:
        raise UsageError(f"{path!r:.80} names no folder ({error})", code="not_a_brain") from None
    except OSError as error:
        raise disk_error(error, f"look for {path}") from error
    if not nearest.is_dir():
        raise UsageError(
            f"{nearest} is a file; give a folder for the brain to live in", code="not_a_brain"
        )
    return place


def load_settings(root: Path, config: Config = None) -> Settings:
    """Read the configuration of a root: its own `brain.yml` or another file, then overrides."""
    from smartbrain.settings import load

    given = None if config is None or isinstance(config, Mapping) else _config_file(config)
    path = given or root / CONFIG
    overrides = config if isinstance(config, Mapping) else None
    try:
        source = path.read_bytes()
    except FileNotFoundError:
        if given is not None:
            raise UsageError(f"{path}: there is no such file", code="config") from None
        return load(overrides=overrides)
    except OSError as error:
        raise UsageError(
            f"{path}: the configuration cannot be read ({error.strerror})", code="config"
        ) from error
    return load(source, name=str(given or CONFIG), overrides=overrides)


def changed_settings(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Return settings in which a handle has changed some values while it is open."""
    from smartbrain.settings import with_overrides

    for name in values:
        if str(name).split(".")[0] not in _AT_RUN_TIME:
            allowed = " and ".join(f"{section}.*" for section in _AT_RUN_TIME)
            raise UsageError(
                f"{name!r:.60} cannot be changed while the brain is open; only {allowed} can",
                code="config",
            )
    changed = with_overrides(settings, values)
    check_at_opening(settings, changed)
    return changed


def check_at_opening(settings: Settings, changed: Settings) -> None:
    """Refuse changes of what is fixed while a brain is open."""
    for name in _AT_OPENING:
        fixed = attrgetter(name)
        if fixed(settings.rules.recall) != fixed(changed.rules.recall):
            raise UsageError(
                f"recall.{name} is fixed when a brain is opened; give it to"
                " SmartBrain.open(config=…) or write it in brain.yml",
                code="config",
            )


def _config_file(path: str | os.PathLike[str]) -> Path:
    try:
        return _path(path)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"config is {path!r:.80}; give a dict of settings or the path of a file ({error})",
            code="config",
        ) from None


def _path(path: str | os.PathLike[str]) -> Path:
    """Return a path that the file system can be asked about; a `ValueError` says why it is none."""
    data = os.fsencode(path)
    if b"\0" in data:
        raise ValueError("it holds a NUL character")
    return Path(os.fsdecode(data))


def read_master_key(settings: Settings, root: Path) -> MasterKey | None:
    """Return the master key from its file, else from the environment, else None."""
    rules = settings.rules.encryption
    if rules.master_key_file is not None:
        return master_key_from(root / Path(rules.master_key_file).expanduser())
    text = os.environ.get(rules.master_key_env)
    if not text:
        return None
    from smartbrain.adapters.keys import MasterKey

    return MasterKey.from_text(text)


def master_key_from(path: Path) -> MasterKey:
    """Read a master key from a file."""
    from smartbrain.adapters.keys import MasterKey

    try:
        content = path.read_bytes()
    except OSError as error:
        raise AdapterError(
            f"{path}: the master key cannot be read ({error.strerror}); nothing was touched",
            code="key_missing",
        ) from error
    return MasterKey.from_bytes(content)


def write_template(root: Path) -> bool:
    """Write a commented `brain.yml` into a root that has none; tell whether it was written."""
    from smartbrain.settings import template

    path = root / CONFIG
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # for its owner
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        return False
    except OSError as error:
        raise disk_error(error, f"write {path}") from error
    return True


def service_key(key_env: str, place: str, variable: str, environ: Mapping[str, str]) -> str:
    """Return the key for a service; OpenAI's usual variable is read for OpenAI alone."""
    if key_env:
        if not environ.get(key_env):
            raise UsageError(f"the environment variable {key_env} is not set")
        return environ[key_env]
    at_openai = urlsplit(place).hostname == _OPENAI
    usual = environ.get(OPENAI_KEY, "") if at_openai else ""
    return environ.get(variable) or usual
