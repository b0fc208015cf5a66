"""Tenants through the facade: any name, kept apart, opened on demand and closed when idle.

In: names of every kind, many handles, threads. Out: each tenant's own turns and nobody else's.
"""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from flow_builders import user

from smartbrain import SmartBrain, UsageError

NAMES = [
    "default", "auth0|5f", "Bob", "bob", "BOB", "../x", "..", ".", "...", "/etc/passwd", "张三",
    "張三", "con", "CON", "con.txt", "nul", "com1", "a.", ".a", "a b", " a", "a ", "%2e", "a%62",
    "a/b", "a\\b", "a:b", "\n", "\x00", "é", "e\u0301", "👩‍👩‍👧‍👦", "记" * 30,
    "记" * 29, "记" * 200, "👩" * 200,
    "x" * 200, "-", "--root", "*", "~", "brain.db", "tenants", "ﬁ", "ß", "ſ", "İ", "ı",
]  # fmt: skip


def words(brain: SmartBrain, session: str = "s") -> list[str]:
    """Return what was said in a session, in order."""
    return [turn.messages[0].content for turn in brain.sessions.turns(session, limit=1000)]


def open_files(folder: Path) -> int:
    """Return how many files below a folder this process has open."""
    names = []
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that lists them
            names.append(fd.readlink())
    return sum(name.is_relative_to(folder) for name in names)


@pytest.mark.spec("S8", "S9")
def test_any_text_names_a_tenant_of_its_own(tmp_path: Path) -> None:
    """Names that look alike, look dangerous or are long are all apart, listed and found again."""
    place = tmp_path / "brain"
    with SmartBrain.open(place, config={"tenants.max_open": 5}) as brain:
        for name in NAMES:
            brain.tenant(name).commit_turn("s", [user(f"我是 {name!r}")], idempotency_key="k")
    assert sorted(NAMES) == SmartBrain.tenants(place)
    for name in NAMES:
        with SmartBrain.open(place, tenant=name) as brain:
            assert [f"我是 {name!r}"] == words(brain)
            assert name == brain.tenant_name == brain.status().tenant


@pytest.mark.spec("S8")
def test_tenants_live_below_tenants_and_nowhere_else(tmp_path: Path) -> None:
    """Folders are of safe characters, and differ even where case does not count."""
    place = tmp_path / "brain"
    with SmartBrain.open(place) as brain:
        folders = [Path(brain.tenant(name).status().path) for name in NAMES]
    assert ["brain"] == [path.name for path in tmp_path.iterdir()]
    assert ["tenants"] == [path.name for path in place.iterdir()]
    parts = [folder.relative_to(place / "tenants").parts for folder in folders]
    safe = set("abcdefghijklmnopqrstuvwxyz0123456789._-%")
    assert set() == {char for part in parts for name in part for char in name} - safe
    assert len(NAMES) == len({"/".join(part).casefold() for part in parts})
    assert [] == [part for part in parts if any(name.startswith(".") for name in part)]
    assert [] == [part for part in parts if any(len(name) > 255 for name in part)]


@pytest.mark.spec("S8")
def test_tenants_share_nothing_that_was_said(tmp_path: Path) -> None:
    """The same session, the same text: another tenant sees its own alone."""
    with SmartBrain.open(tmp_path, tenant="甲") as first:
        second = first.tenant("乙")
        turn_id = first.commit_turn("s", [user("secret 秘密")]).turn_id
        assert [] == words(second)
        second.commit_turn("s", [user("mine")])
        assert (["secret 秘密"], ["mine"]) == (words(first), words(second))
        with pytest.raises(LookupError):
            second.commit_turn("s", [user("x")], turn_id=turn_id)
        assert 1 == second.status().rows["turns"]


@pytest.mark.spec("S1", "S8")
def test_only_as_many_tenants_as_allowed_stay_open(tmp_path: Path) -> None:
    """Ten tenants through three places: handles go on working after theirs was closed."""
    with SmartBrain.open(tmp_path, config={"tenants.max_open": 3}) as brain:
        handles = [brain.tenant(f"租户 {n}") for n in range(10)]
        for round_ in range(3):
            for n, handle in enumerate(handles):
                handle.commit_turn("s", [user(f"{n}/{round_}")])
                assert brain._root.tenants.open_count() <= 3
        for n, handle in enumerate(handles):
            assert [f"{n}/{round_}" for round_ in range(3)] == words(handle)


@pytest.mark.spec("S8")
def test_open_files_do_not_grow_with_the_number_of_tenants(tmp_path: Path) -> None:
    """What forty tenants keep open is what the last three do, and nothing when closed."""
    with SmartBrain.open(tmp_path, config={"tenants.max_open": 3}) as brain:
        counts = []
        for n in range(40):
            brain.tenant(f"t{n}").commit_turn("s", [user("x" * 10_000)])
            counts.append(open_files(tmp_path))
        assert max(counts[5:]) <= max(counts[:5])
    assert open_files(tmp_path) == 0


@pytest.mark.spec("S1", "S8")
def test_a_tenant_in_use_is_never_closed(tmp_path: Path) -> None:
    """Eight threads hold a lease each while others come and go past a limit of three."""
    with SmartBrain.open(tmp_path, config={"tenants.max_open": 3}) as brain:
        ready, done = threading.Barrier(9), threading.Event()

        def hold(n: int) -> int:
            handle = brain.tenant(f"held {n}")
            handle.commit_turn("s", [user("一")])
            with handle._lease() as tenant:
                ready.wait(30)
                assert done.wait(30)
                assert 1 == tenant.ports.truth.seq()
                with tenant.ports.truth.read() as transaction:
                    return len(transaction.events.turns("s"))

        with ThreadPoolExecutor(8) as pool:
            holding = [pool.submit(hold, n) for n in range(8)]
            ready.wait(30)
            for n in range(10):
                brain.tenant(f"passing {n}").commit_turn("s", [user("二")])
            assert 8 <= brain._root.tenants.open_count()
            done.set()
            assert [1] * 8 == [one.result() for one in holding]
        assert brain._root.tenants.open_count() <= 3


@pytest.mark.spec("S1", "S8")
def test_threads_over_more_tenants_than_places_lose_nothing(tmp_path: Path) -> None:
    """Opening, closing and writing at the same time end with every turn where it belongs."""
    with SmartBrain.open(tmp_path, config={"tenants.max_open": 2}) as brain:

        def commit(n: int) -> None:
            brain.tenant(f"t{n % 7}").commit_turn("s", [user(f"第 {n}")])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(commit, range(140)))
        for tenant in range(7):
            expected = sorted(f"第 {n}" for n in range(tenant, 140, 7))
            assert expected == sorted(words(brain.tenant(f"t{tenant}")))
    assert [] == SmartBrain.doctor(tmp_path).all()


@pytest.mark.spec("S1")
def test_closing_the_opener_closes_every_handle(tmp_path: Path) -> None:
    """Whichever verb is called next says that the brain is closed; closing again is harmless."""
    brain = SmartBrain.open(tmp_path)
    child = brain.tenant("张三")
    grandchild = child.tenant("李四")
    brain.close()
    brain.close()
    for handle in (brain, child, grandchild):
        for action in (
            lambda handle=handle: handle.commit_turn("s", [user("x")]),
            lambda handle=handle: handle.sessions.turns("s"),
            lambda handle=handle: handle.memories.list(),
            lambda handle=handle: handle.tenant("x"),
            handle.status,
        ):
            with pytest.raises(UsageError) as caught:
                action()
            assert "closed" == caught.value.code
    assert ["default", "张三", "李四"] == SmartBrain.tenants(tmp_path)


@pytest.mark.spec("S1")
def test_closing_a_child_closes_that_handle_alone(tmp_path: Path) -> None:
    """The opener, its other handles and a second handle of the same tenant go on."""
    with SmartBrain.open(tmp_path) as brain:
        first, second = brain.tenant("张三"), brain.tenant("张三")
        first.close()
        with pytest.raises(UsageError) as caught:
            first.status()
        assert "closed" == caught.value.code
        second.commit_turn("s", [user("still here")])
        brain.commit_turn("s", [user("me too")])
        assert (["still here"], ["me too"]) == (words(second), words(brain))


@pytest.mark.spec("S1")
def test_closing_waits_for_nobody_and_breaks_no_call(tmp_path: Path) -> None:
    """A call that is running when the brain is closed ends well; the next one is refused."""
    brain = SmartBrain.open(tmp_path)
    with brain._lease() as tenant:
        brain.close()
        assert 0 == tenant.ports.truth.seq()
    with pytest.raises(UsageError):
        brain.status()


@pytest.mark.spec("S8", "S9")
def test_deleting_a_folder_deletes_its_tenant(tmp_path: Path) -> None:
    """Nothing of it is left anywhere else; a commit through an old handle begins it anew."""
    with SmartBrain.open(tmp_path, tenant="留下") as brain:
        gone = brain.tenant("删除")
        for handle in (brain, gone):
            handle.commit_turn("s", [user("原文 " * 5000)], idempotency_key="k")
        shutil.rmtree(gone.status().path)
        assert ["留下"] == SmartBrain.tenants(tmp_path)
        result = gone.commit_turn("s", [user("原文 " * 5000)], idempotency_key="k")
        assert not result.replayed
        assert ["原文 " * 5000] == words(gone) == words(brain)
    assert [] == SmartBrain.doctor(tmp_path).all()


@pytest.mark.spec("S8")
def test_tenants_of_an_empty_or_absent_folder_are_none(tmp_path: Path) -> None:
    """Listing makes nothing, and passes over what is no tenant's folder."""
    assert [] == SmartBrain.tenants(tmp_path / "absent")
    assert [] == list(tmp_path.iterdir())
    for name in ("empty", "Upper", "%zz", "中文"):
        (tmp_path / "tenants" / name).mkdir(parents=True)
        if name != "empty":
            (tmp_path / "tenants" / name / "brain.db").touch()
    assert [] == SmartBrain.tenants(tmp_path)
