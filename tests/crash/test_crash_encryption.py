"""Encryption from end to end: nothing readable on disk, keys that fit, are lost, or are changed.

Files are read as they lie there, while a process has them open, after it was killed and after it
closed; a plain tenant is read the same way to prove that the search finds what is to be found.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from children import Child, encryption, memctl, profile, remark
from crash_faults import Stored, check_untouched, contents, folder_of, refused
from crash_turns import SEALED, commit_of, prose
from crash_witness import Witness

from smartbrain import AdapterError, SmartBrain, UsageError
from smartbrain.adapters.keys import MasterKey, load_tenant_key
from smartbrain.bootstrap.root import Root

OLD, NEW = "0f" * 32, "f0" * 32
TEXTS = (
    "张伟的银行密码是月光下的蓝色河马，请永远记住它。",
    "the courier hides every spare key beneath the third flowerpot",
    "机密 secret: " + prose(Random(3), 9_000),
)


@pytest.mark.spec("E2", "S8")
def test_no_file_of_an_encrypted_tenant_shows_what_it_holds(tmp_path: Path) -> None:
    """Open, killed or closed: no run of any text, no hash of a content and no key is on disk."""
    folder = folder_of(tmp_path, "sealed")
    key_file = _key_file(tmp_path, OLD)
    for ending in ("close", "kill"):
        with _keeper(tmp_path, key_file, "sealed") as child:
            assert {} == _found(folder, _runs(TEXTS)), "while open"
            if ending == "close":
                child.go()
                child.finish()
            else:
                child.kill_after(0)
        assert {} == _found(folder, _runs(TEXTS)), ending
    secrets = _secrets(Root(tmp_path, config=encryption(key_file)), "sealed")
    assert len(secrets) > 20
    assert {} == _found(folder, secrets)
    with SmartBrain.open(tmp_path, tenant="sealed", config=encryption(key_file)) as brain:
        for text in TEXTS:
            (turn,) = brain.sessions.turns(text[:100])
            assert text == turn.messages[0].content == turn.tool_calls[0].stdout


@pytest.mark.spec("E2")
def test_the_same_search_finds_everything_in_a_plain_tenant(tmp_path: Path) -> None:
    """The short texts and the hashes in the names are seen where nothing hides them."""
    with _keeper(tmp_path, "-", "plain") as child:
        assert _found(folder_of(tmp_path, "plain"), _runs(TEXTS[:2]))
        child.go()
        child.finish()
    folder = folder_of(tmp_path, "plain")
    for text in TEXTS[:2]:
        assert _found(folder, _runs([text]))
    assert _found(folder, _secrets(Root(tmp_path), "plain"))


@pytest.mark.spec("E2", "E5")
def test_what_a_kill_leaves_of_an_encrypted_tenant_is_not_readable(tmp_path: Path) -> None:
    """Half-written blobs, temporary files and logs of killed writers show nothing either."""
    key_file = _key_file(tmp_path, OLD)
    root = tmp_path / "brain"
    SmartBrain.open(root, tenant=SEALED, config=encryption(key_file, enabled=True)).close()
    witness = Witness(root, key_file, seed=23, mix="large")
    dice = Random(5)
    for number in range(profile(3, 6)):
        start = witness.next_number
        with Child("commits", root, key_file, witness.seed) as child:
            child.expect("loaded")
            child.go(f"{start} s{number} large")
            child.expect("ack", 3)
            witness.hear(child.kill_after(dice.uniform(0, 0.1)), f"s{number}")
        commits = [commit_of(23, one, "large") for one in range(start, witness.next_number)]
        told = [one.body["messages"][0]["content"] for one in commits if one.tenant == SEALED]
        assert {} == _found(Root(root).folder(SEALED), _runs(told))


@pytest.mark.spec("E2", "S8")
@pytest.mark.parametrize("crashed", [False, True])
@pytest.mark.parametrize(
    ("given", "code"), [(NEW, "key_wrong"), (None, "key_missing"), ("gone", "key_missing")]
)
def test_without_the_right_master_key_nothing_opens_and_nothing_changes(
    tmp_path: Path, given: str | None, code: str, crashed: bool
) -> None:
    """A wrong, absent or unreadable key is named, and no file changes, comes or goes."""
    key_file = _key_file(tmp_path, OLD)
    with _keeper(tmp_path, key_file, "default") as child:
        if crashed:
            child.kill_after(0)
        else:
            child.go()
            child.finish()
    wrong = encryption(_key_file(tmp_path, given)) if given else None
    if given == "gone":
        _key_file(tmp_path, given).unlink()
    before = contents(folder_of(tmp_path))
    with refused(code):
        SmartBrain.open(tmp_path, config=wrong)
    (finding,) = SmartBrain.doctor(tmp_path, config=wrong).tenants[0].findings
    assert code == finding.code
    assert before == contents(folder_of(tmp_path))
    with SmartBrain.open(tmp_path, config=encryption(key_file)) as brain:
        assert TEXTS[0] == brain.sessions.turns(TEXTS[0])[0].messages[0].content
        Stored().fill(brain).check(brain)


@pytest.mark.spec("E2", "S8")
@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ("deleted", "corrupt"),
        ("emptied", "corrupt"),
        ("flipped", "corrupt"),
        ("of another tenant", "corrupt"),
        ("of another root", "key_wrong"),
    ],
)
def test_a_lost_or_strange_key_file_is_named_and_harms_nothing(
    tmp_path: Path, damage: str, code: str, enabled: bool
) -> None:
    """Whatever became of key.json, data stays whole and opens once the file is back."""
    key_file = _key_file(tmp_path, OLD)
    config = encryption(key_file, enabled=True)
    with SmartBrain.open(tmp_path, config=config) as brain:
        stored = Stored().fill(brain)
        others = Stored().fill(brain.tenant("other"))
    elsewhere = encryption(_key_file(tmp_path, NEW), enabled=True)
    SmartBrain.open(tmp_path / "elsewhere", config=elsewhere).close()
    file = folder_of(tmp_path) / "key.json"
    whole = file.read_bytes()
    _spoil(file, damage)
    before = contents(folder_of(tmp_path))
    config = encryption(key_file, enabled=enabled)
    with refused(code), SmartBrain.open(tmp_path, config=config) as brain:
        stored.commit(brain)
    health = {
        one.tenant: one.findings for one in SmartBrain.doctor(tmp_path, config=config).tenants
    }
    assert ([code], ()) == ([one.code for one in health["default"]], health["other"])
    check_untouched(before, folder_of(tmp_path))
    with SmartBrain.open(tmp_path, tenant="other", config=config) as brain:
        others.check(brain)
    file.write_bytes(whole)
    stored.check_whole(tmp_path, config=config)


@pytest.mark.spec("S8")
def test_encryption_is_not_asked_of_a_tenant_that_was_made_without(tmp_path: Path) -> None:
    """Switched on later it is refused for old tenants, which stay as they are, and kept for new."""
    with SmartBrain.open(tmp_path) as brain:
        stored = Stored().fill(brain)
    config = encryption(_key_file(tmp_path, OLD), enabled=True)
    before = contents(tmp_path)
    with refused("not_encrypted", UsageError):
        SmartBrain.open(tmp_path, config=config)
    check_untouched(before, tmp_path)
    with SmartBrain.open(tmp_path, tenant="new", config=config) as brain:
        assert brain.status().encrypted
    stored.check_whole(tmp_path, config=encryption(_key_file(tmp_path, OLD)))


@pytest.mark.spec("E2", "S2")
def test_a_new_master_key_changes_no_data_and_shuts_the_old_one_out(tmp_path: Path) -> None:
    """After `memctl key master rotate` only key.json differs, and only the new key fits."""
    old, new = _key_file(tmp_path, OLD), _key_file(tmp_path, NEW)
    root = tmp_path / "brain"
    with SmartBrain.open(root, config=encryption(old, enabled=True)) as brain:
        stored = Stored().fill(brain)
    (root / "brain.yml").write_text(f"encryption:\n  enabled: true\n  master_key_file: {old}\n")
    before = contents(folder_of(root))
    told = memctl(root, "key", "master", "rotate", str(new))
    assert (0, "") == (told.returncode, told.stderr)
    after = contents(folder_of(root))
    assert before.pop("key.json") != after.pop("key.json")
    assert before == after
    with refused("key_wrong"):
        SmartBrain.open(root)
    assert [1, 0] == [memctl(root, "doctor").returncode, _doctor_with(root, new)]
    again = memctl(root, "key", "master", "rotate", str(new))
    assert (0, 0) == (again.returncode, again.stderr.count("\n"))
    stored.check_whole(root, config=encryption(new))


@pytest.mark.spec("E2", "E5")
def test_a_rotation_that_is_killed_is_finished_by_running_it_again(tmp_path: Path) -> None:
    """Killed among many tenants, each is locked with one of the two keys; a second run ends it."""
    files = [_key_file(tmp_path, OLD), _key_file(tmp_path, NEW)]
    root = tmp_path / "brain"
    names = [f"t{number:02}" for number in range(profile(24, 60))]
    with SmartBrain.open(root, tenant="t00", config=encryption(files[0], enabled=True)) as brain:
        stored = {name: Stored().fill(brain.tenant(name)) for name in names[:2]}
        for name in names[2:]:
            brain.tenant(name)
    dice = Random(9)
    halfway = 0
    for _ in range(profile(4, 20)):
        at = dice.randrange(1, len(names) - 2)
        with Child("rotates", root, *files) as child:
            child.expect("loaded")
            _kill_when_changed(child, folder_of(root, names[at]) / "key.json")
        fitting = [_fitting(folder_of(root, name), files) for name in names]
        remark(f"killed at {at}, {fitting.count([1])} of {len(names)} have the new key")
        assert all(len(keys) == 1 for keys in fitting)
        halfway += len({keys[0] for keys in fitting}) == 2
        new = MasterKey.from_bytes(files[1].read_bytes())
        Root(root, config=encryption(files[0])).rotate_master_key(new)
        assert [[1]] * len(names) == [_fitting(folder_of(root, name), files) for name in names]
        assert [] == list(root.rglob("key.json.*"))
        files.reverse()
    assert halfway > 0, "no kill landed inside a rotation"
    with SmartBrain.open(root, tenant="t00", config=encryption(files[0])) as brain:
        for name, expected in stored.items():
            expected.check(brain.tenant(name))
    assert SmartBrain.doctor(root, config=encryption(files[0])).healthy


def _key_file(folder: Path, text: str) -> Path:
    """Return a file with a master key, written if it is not there."""
    file = folder / f"{text[:4]}.key"
    file.write_text(text)
    return file


def _keeper(root: Path, key_file: Path | str, tenant: str) -> Child:
    """Start a child that has stored the texts and keeps the brain open."""
    texts = root / "texts"
    texts.write_text("\0".join(TEXTS), encoding="utf-8")
    child = Child("keeps", root, key_file, tenant, texts)
    child.expect("loaded")
    child.go()
    child.expect("stored")
    texts.unlink()
    return child


def _runs(texts: tuple[str, ...] | list[str]) -> Iterator[bytes]:
    """Cut texts into runs so short that any readable piece of 20 bytes holds a whole one."""
    for text in texts:
        for data in (text.encode(), text[::-1].encode(), text[:100].encode("utf-16-le")):
            for start in range(0, len(data) - 10, 10):
                yield data[start : start + 10]


def _secrets(root: Root, tenant: str) -> list[bytes]:
    """Return what must not be on disk beside the texts: hashes of every content, and the keys."""
    digests = []
    with root.tenants.lease(tenant) as lent:
        with lent.ports.truth.read() as transaction:
            chunks = transaction.raw.paths()
        bodies = [lent.ports.blobs.get(path, chunk.address) for path, chunk in chunks.items()]
        key = root.tenant_key(tenant, lent.folder)
    root.tenants.close()
    assert bodies
    for content in (*bodies, *(text.encode() for text in TEXTS)):
        digest = hashlib.sha256(content)
        digests += [digest.digest(), digest.hexdigest().encode(), digest.hexdigest()[:32].encode()]
    for secret in (key, bytes.fromhex(OLD)) if key else ():
        digests += [secret, secret.hex().encode(), base64.b64encode(secret)]
    return digests


def _found(folder: Path, needles: Iterator[bytes] | list[bytes]) -> dict[str, bytes]:
    """Return which files hold one of the needles, in their bytes or their names."""
    files = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert any(file.name == "brain.db" for file in files)
    found: dict[str, bytes] = {}
    for needle in needles:
        for file, data in files.items():
            if needle in data or needle in str(file).encode():
                found[file.name] = needle
    return found


def _spoil(file: Path, damage: str) -> None:
    """Do something bad to a key file."""
    content = file.read_bytes()
    if damage == "deleted":
        file.unlink()
    elif damage == "emptied":
        file.write_bytes(b"")
    elif damage == "flipped":
        at = content.index(b'"wrapped":"') + 15
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    else:
        tenants = file.parents[1]
        other = tenants / "other" if damage == "of another tenant" else _elsewhere(tenants)
        shutil.copy(other / "key.json", file)


def _elsewhere(tenants: Path) -> Path:
    """Return the folder of the default tenant of the other root."""
    return tenants.parent / "elsewhere" / "tenants" / "default"


def _doctor_with(root: Path, key_file: Path) -> int:
    """Run the doctor with another key file in the configuration."""
    (root / "brain.yml").write_text(f"encryption:\n  master_key_file: {key_file}\n")
    return memctl(root, "doctor").returncode


def _kill_when_changed(child: Child, file: Path) -> None:
    """Let a child run until it has replaced a file, and kill it there."""
    before = file.stat().st_ino
    child.go()
    while file.stat().st_ino == before:
        assert child.process.poll() is None, child.complaints()
    child.process.kill()


def _fitting(folder: Path, files: list[Path]) -> list[int]:
    """Return which of the key files open a tenant."""
    fitting = []
    for number, file in enumerate(files):
        with suppress(AdapterError):
            load_tenant_key(folder, MasterKey.from_bytes(file.read_bytes()))
            fitting.append(number)
    return fitting
