"""Blobs on real disks: synced names, other processes, full and forbidden disks, kills."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import pytest

from smartbrain.adapters.blobs.files import FileBlobs
from smartbrain.ports.blobs import disk_error

DAY = date(2026, 3, 9)
TEXT = "内存是一张图 memory is a graph. ".encode() * 4
IMPORTS = """
import os, sys
from datetime import date
from pathlib import Path
from smartbrain.adapters.blobs.files import FileBlobs
from smartbrain.errors import SmartBrainError
DAY = date(2026, 3, 9)
blobs = FileBlobs(Path(sys.argv[1]))
"""


def put(blobs: FileBlobs, data: bytes) -> tuple[str, str]:
    address = blobs.address(data)
    return blobs.put(address, data, DAY), address


def child(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start another Python that has the store in `sys.argv[1]` as `blobs`."""
    return subprocess.Popen(
        [sys.executable, "-c", IMPORTS + script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def result_of(process: subprocess.Popen[str], said: str = "") -> str:
    answer, _ = process.communicate(said)
    assert process.returncode == 0
    return answer.strip()


PUT_AND_SAY_CODE = """
data = os.urandom(4_000_000)
try:
    print(blobs.put(blobs.address(data), data, DAY))
except SmartBrainError as error:
    print(error.code)
"""


@pytest.mark.spec("E5")
def test_every_name_on_the_way_is_synced(tmp_path: Path, monkeypatch) -> None:
    """The file is synced before it gets its name, and each folder after it got a new entry."""
    events: list[str] = []
    real_fsync, real_replace = os.fsync, Path.replace

    def name_of(descriptor: int) -> str:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().relative_to(tmp_path).as_posix()
        return re.sub(r"raw_.*", "FILE", name)

    def fsync(descriptor: int) -> None:
        events.append(f"sync {name_of(descriptor)}")
        real_fsync(descriptor)

    def replace(self: Path, target: Path) -> Path:
        events.append("rename")
        return real_replace(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    blobs = FileBlobs(tmp_path)
    path, _ = put(blobs, TEXT)
    leaf = Path(path).parent.as_posix()
    above = ["sync .", "sync raw", "sync raw/2026", "sync raw/2026/03", "sync raw/2026/03/09"]
    assert events == [*above, f"sync {leaf}/FILE", "rename", f"sync {leaf}"]
    events.clear()
    put(blobs, TEXT)
    assert events == [f"sync {leaf}"]
    events.clear()
    put(FileBlobs(tmp_path), TEXT)
    assert events == [*above, f"sync {leaf}"]
    events.clear()
    blobs.delete(path)
    assert events == [f"sync {leaf}"]


@pytest.mark.spec("E2")
def test_two_processes_may_put_the_same_content(tmp_path: Path) -> None:
    """Processes that store the same contents at once leave one whole file for each."""
    script = """
sys.stdin.readline()
for number in range(40):
    data = b"%d" % number * 50_000
    print(blobs.put(blobs.address(data), data, DAY))
"""
    processes = [child(script, tmp_path) for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    first, second = (result_of(process).splitlines() for process in processes)
    assert first == second
    assert sorted(first) == [file.path for file in FileBlobs(tmp_path).walk()]
    for number, path in enumerate(first):
        assert FileBlobs(tmp_path).get(path, path[-73:-9]) == b"%d" % number * 50_000


def tiny_disk() -> list[str] | None:
    """Return the command that runs another one on a small disk of its own, if one can be made."""
    for flags in (["--user", "--map-root-user", "--mount"], ["--mount"]):
        command = ["unshare", *flags, "sh", "-c"]
        try:
            probe = 'mount -t tmpfs -o size=64k tmpfs "$0"'
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([*command, probe, folder], capture_output=True, check=False)
        except FileNotFoundError:
            return None
        if done.returncode == 0:
            return command
    return None


@pytest.mark.spec("E5")
def test_a_full_disk_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    """Without room on the disk a put says disk_full, shows no half file, and a small one works."""
    command = tiny_disk()
    if command is None:
        pytest.skip("no small disk can be mounted here")
    script = f"""{IMPORTS}{PUT_AND_SAY_CODE}
print(len(list(blobs.walk())))
print(blobs.get(blobs.put(blobs.address(b"small"), b"small", DAY), blobs.address(b"small")))
"""
    mount = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$1" -c "$2" "$0"'
    done = subprocess.run(
        [*command, mount, str(tmp_path), sys.executable, script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["disk_full", "0", "b'small'"]


@pytest.mark.spec("E5")
def test_a_write_that_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    """When the system stops a write at its limit of file size, no file is left, not even a part."""
    script = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
{PUT_AND_SAY_CODE}
"""
    assert result_of(child(script, tmp_path)) == "io_error"
    assert list(FileBlobs(tmp_path).walk()) == []


def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    """Without the right to write a put says read_only; without the right to read a get does."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, address = put(FileBlobs(folder), TEXT)
        (folder / path).chmod(0)
        folder.chmod(0o555)
        (folder / "raw").chmod(0o555)
        script = f"""
if os.getuid() == 0:
    os.setuid(65534)
{PUT_AND_SAY_CODE.replace("DAY", "date(2027, 1, 1)")}
try:
    print(blobs.get(sys.argv[2], sys.argv[3]))
except SmartBrainError as error:
    print(error.code)
"""
        answer = result_of(child(script, folder, path, address))
        folder.chmod(0o755)
        (folder / "raw").chmod(0o755)
    assert answer.split() == ["read_only", "read_only"]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EDQUOT, "disk_full"),
        (errno.EACCES, "read_only"),
        (errno.EPERM, "read_only"),
        (errno.EROFS, "read_only"),
        (errno.EIO, "io_error"),
        (errno.EFBIG, "io_error"),
    ],
)
def test_each_system_error_has_its_code(number: int, code: str) -> None:
    """The number of a system error decides the code; the sentence says what was being done."""
    error = disk_error(OSError(number, os.strerror(number)), "write raw/x")
    assert code == error.code
    assert error.message.startswith(f"could not write raw/x: {os.strerror(number)}; ")


KILLED_AT = """
import io, signal
syncs_left = int(sys.argv[2])
real_fsync = os.fsync

def die():
    os.kill(os.getpid(), signal.SIGKILL)

class HalfWritten(io.FileIO):
    def write(self, data):
        super().write(data[: len(data) // 2])
        die()

def fsync(descriptor):
    global syncs_left
    syncs_left -= 1
    if syncs_left == 0:
        die()
    real_fsync(descriptor)

if syncs_left:
    os.fsync = fsync
else:
    os.fdopen = HalfWritten
data = b"".join(b"%d" % number for number in range(5000))
blobs.put(blobs.address(data), data, DAY)
"""


@pytest.mark.spec("E5")
@pytest.mark.parametrize("syncs", range(8))
def test_a_kill_in_mid_write_shows_no_final_name(tmp_path: Path, syncs: int) -> None:
    """Killed half way through the write, or before any of its syncs, no half blob has a name."""
    data = b"".join(b"%d" % number for number in range(5000))
    process = child(KILLED_AT, tmp_path, syncs)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    blobs = FileBlobs(tmp_path)
    left = [file.temporary for file in blobs.walk()]
    # Five folders are synced first, then the file; only the seventh sync comes after the rename.
    assert left == {0: [True], 6: [True], 7: [False]}.get(syncs, [])
    path, address = put(blobs, data)
    assert blobs.get(path, address) == data


@pytest.mark.spec("E5")
def test_a_kill_leaves_whole_blobs_and_unfinished_ones_only(tmp_path: Path) -> None:
    """After kill -9 at any moment every acknowledged blob is whole, and so is every final name."""
    script = """
while True:
    data = os.urandom(300_000)
    print(blobs.put(blobs.address(data), data, DAY), flush=True)
"""
    acknowledged: list[str] = []
    for puts_before_the_kill in (1, 2, 3, 5, 8, 13):
        process = child(script, tmp_path)
        assert process.stdout is not None
        acknowledged += [process.stdout.readline().strip() for _ in range(puts_before_the_kill)]
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        acknowledged += [line for line in rest.splitlines() if line.endswith(".zst")]
        assert process.returncode == -signal.SIGKILL
    blobs = FileBlobs(tmp_path)
    final = [file.path for file in blobs.walk() if not file.temporary]
    assert set(acknowledged) <= set(final)
    assert len(acknowledged) >= 32
    for path in final:
        assert len(blobs.get(path, path[-73:-9])) == 300_000


def test_a_tenant_without_key_loads_no_cryptography() -> None:
    """Importing the store leaves the cryptography library out."""
    assert result_of(child('print("cryptography" in sys.modules)', ".")) == "False"
