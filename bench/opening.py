"""Opening tenants: one that exists against its bare SQLite file, and many in turn.

The root is open and the disk is warm. A tenant of a thousand turns is opened, asked for its change
number and closed; so is its file. Then many tenants are opened through one brain with a commit in
each, while the open file descriptors are counted.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from time import perf_counter

from bench import bare
from bench.append import write
from bench.corpus import make_appends, spoken
from bench.measure import Action, Times, interleave, milliseconds, ratio
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.adapters.sqlite.truth import DATABASE, SqliteTruth
from smartbrain.bootstrap.root import Root

OPEN_LIMIT = 3.0
TURNS = 1_000
FILES_A_TENANT = 7
FILES_OF_THE_PROCESS = 60
TENANT = "default"
_MASTER_KEY = "5" * 64


def run(setting: Setting) -> list[Result]:
    """Measure opening one tenant, plain and encrypted, and many."""
    return [
        _one(setting, encrypted=False),
        _one(setting, encrypted=True),
        _many(setting),
    ]


def _one(setting: Setting, *, encrypted: bool) -> Result:
    """Open, read and close a tenant and its file in turns."""
    what = "encrypted" if encrypted else "plain"
    root = _root(setting.folder / what, encrypted=encrypted)
    folder = root.folder(TENANT)
    with closing(root.open_tenant(TENANT).ports.truth) as truth:
        assert isinstance(truth, SqliteTruth)
        write(truth, make_appends(TURNS))
    key = root.tenant_key(TENANT, folder)
    times = interleave(
        {
            "open": lambda: lambda: root.open_tenant(TENANT).ports.truth.close(),
            "ours": lambda: lambda: _open_and_read(root),
            "bare": lambda: _bare_opening(folder / DATABASE, key),
        },
        rounds=setting.pick(300, 2_000),
        warmup=20,
    )
    return _compared(f"open a tenant, {what}, and read", times)


def _compared(name: str, times: dict[str, Times]) -> Result:
    """Hold opening against the bare file."""
    found = ratio(times["ours"], times["bare"])
    alone = milliseconds(times["open"].p50)
    return Result(
        name=name,
        measured=f"{times['ours']} (without reading {alone})",
        against=f"bare file {times['bare']}",
        ratio=str(found),
        limit=f"≤ {OPEN_LIMIT:g}",
        passed=found.value <= OPEN_LIMIT,
        numbers={
            "ours_p50": times["ours"].p50,
            "open_p50": times["open"].p50,
            "bare_p50": times["bare"].p50,
            "ratio": found.value,
        },
    )


def _open_and_read(root: Root) -> int:
    """Open a tenant, read one number and close it."""
    with closing(root.open_tenant(TENANT).ports.truth) as truth:
        return truth.seq()


def _bare_opening(path: Path, key: bytes | None) -> Action:
    """Return the action that does the same to the file alone."""

    def opening() -> object:
        with closing(bare.connect(path, key)) as connection:
            return connection.execute("SELECT seq FROM tenant").get

    return opening


def _many(setting: Setting) -> Result:
    """Open many tenants in turn, each with a commit, and count file descriptors."""
    count = setting.pick(300, 2_000)
    most = 0
    with SmartBrain.open(setting.folder / "many") as brain:
        limit = brain._root.settings.rules.tenants.max_open * FILES_A_TENANT + FILES_OF_THE_PROCESS
        start = perf_counter()
        for number in range(count):
            brain.tenant(f"tenant-{number}").commit_turn("session", spoken(number))
            most = max(most, _open_files())
        passed = (perf_counter() - start) / count
    return Result(
        name=f"{count:,} tenants in turn, a commit in each",
        measured=f"{most} open files at most, {milliseconds(passed)} a new tenant",
        against="a fixed bound",
        ratio=f"{most / limit:.2f}",
        limit=f"≤ {limit} files",
        passed=most <= limit,
        numbers={"files": most, "limit": limit, "seconds_a_tenant": passed},
    )


def _root(folder: Path, *, encrypted: bool) -> Root:
    """Make a root, with a master key in a file if tenants are to be encrypted."""
    if not encrypted:
        return Root(folder)
    folder.mkdir(parents=True)
    (folder / "master.key").write_text(_MASTER_KEY, encoding="ascii")
    (folder / "master.key").chmod(0o600)
    return Root(folder, config={"encryption": {"enabled": True, "master_key_file": "master.key"}})


def _open_files() -> int:
    """Count the file descriptors of this process."""
    return sum(1 for _ in Path("/dev/fd").iterdir())
