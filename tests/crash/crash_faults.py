"""What the fault tests share: a brain with known content, small disks, damaged and copied folders.

In: a path. Out: what was stored, found again or not. Disks are real file systems mounted for the
length of a test, which takes root; elsewhere those tests are skipped and say why.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from crash_turns import Told, commit_of, seen_of, told_of
from crash_witness import all_turns

from smartbrain import AdapterError, SmartBrain, SmartBrainError

SESSION = "故障"
_SEED = 11


@dataclass
class Stored:
    """What a brain was told, in order, and can be asked for again."""

    told: list[Told] = field(default_factory=list)

    def commit(self, brain: SmartBrain, mix: str = "mixed") -> None:
        """Commit one more turn; it is expected once this returns."""
        body = commit_of(_SEED, len(self.told), mix).body
        brain.commit_turn(SESSION, body, idempotency_key=f"k{len(self.told)}")
        self.told.append(told_of(body))

    def fill(self, brain: SmartBrain) -> Stored:
        """Commit small turns and large ones."""
        for number in range(6):
            self.commit(brain, "large" if number % 2 else "mixed")
        return self

    def fill_until_refused(self, brain: SmartBrain, mix: str = "mixed") -> SmartBrainError:
        """Commit until that fails, and return the error."""
        try:
            while len(self.told) < 10_000:
                self.commit(brain, mix)
        except SmartBrainError as error:
            return error
        raise AssertionError("nothing failed")

    def check(self, brain: SmartBrain) -> None:
        """Find everything, whole and in order, and nothing else."""
        assert self.told == [seen_of(turn) for turn in all_turns(brain, SESSION)]

    def check_whole(self, path: Path, *, config: dict[str, object] | None = None) -> None:
        """Open the brain again, find everything, go on working, and ask the doctor."""
        with SmartBrain.open(path, config=config) as brain:
            self.check(brain)
            self.commit(brain)
            self.check(brain)
        assert SmartBrain.doctor(path, config=config).healthy


@contextmanager
def refused(code: str, kind: type[SmartBrainError] = AdapterError) -> Iterator[None]:
    """Expect an error of ours with a code, in one line that says something."""
    with pytest.raises(kind) as caught:
        yield
    check_error(caught.value, code)


def check_error(error: SmartBrainError, code: str) -> None:
    """Hold an error to its code and to one readable line."""
    assert code == error.code, error
    assert "\n" not in error.message
    assert len(error.message.split()) > 4


class Disk:
    """A small file system of its own, for the length of a `with` block."""

    def __init__(self, folder: Path, size: str) -> None:
        self.path = folder
        self._size = size

    def __enter__(self) -> Disk:
        self.path.mkdir()
        options = f"size={self._size},mode=0755"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.path)]
        if os.name != "posix" or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("mounting a small disk takes root on Linux")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", str(self.path)], check=True)

    def remount(self, options: str) -> None:
        """Change the disk while it is in use: its size, or whether it can be written."""
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.path)], check=True)

    @contextmanager
    def nearly_full(self, left: int) -> Iterator[None]:
        """Leave so many bytes free for the length of a block."""
        filler = self.path / "filler"
        state = os.statvfs(self.path)
        filler.write_bytes(b"\0" * max(0, state.f_bavail * state.f_frsize - left))
        try:
            yield
        finally:
            filler.unlink()


def folder_of(path: Path, tenant: str = "default") -> Path:
    """Return the folder of a tenant with a plain name."""
    return path / "tenants" / tenant


def check_untouched(before: dict[str, bytes], folder: Path) -> None:
    """Find every file as it was; only an empty log and its index may have come."""
    after = contents(folder)
    assert before == {name: data for name, data in after.items() if name in before}
    new = {name.rpartition("/")[2]: data for name, data in after.items() if name not in before}
    assert new.keys() <= {"brain.db-wal", "brain.db-shm"}
    assert b"" == new.get("brain.db-wal", b"")


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes.

    Only for brains that this process has closed: reading a database file lets go of the locks that
    SQLite holds on it.
    """
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }
