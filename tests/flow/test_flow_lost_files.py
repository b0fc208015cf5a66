"""Files that somebody deleted, damaged or moved: what is lost is named, the rest stays readable.

In: brains whose folders are tampered with by hand. Out: errors that name the turn or the tenant.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from flow_builders import user

from smartbrain import AdapterError, NotFound, SmartBrain

LONG = "一段很长的原文 a long text\n" * 500


def commit(brain: SmartBrain, session: str, *texts: str) -> None:
    """Commit a turn for each text."""
    for text in texts:
        brain.commit_turn(session, [user(text)])


def said(brain: SmartBrain, **paging: int) -> list[str]:
    """Return what the session `聊` holds."""
    return [turn.messages[0].content for turn in brain.sessions.turns("聊", **paging)]


def raw_file(root: Path, tenant: str = "default") -> Path:
    """Return the one raw file of a tenant."""
    (found,) = (root / "tenants" / tenant).rglob("*.zst")
    return found


@pytest.mark.spec("E2", "E5")
@pytest.mark.parametrize(
    ("harm", "code"),
    [(Path.unlink, "blob_missing"), (lambda file: file.write_bytes(b"?"), "blob_corrupt")],
    ids=["deleted", "damaged"],
)
def test_a_lost_text_hides_its_own_turn_alone(
    tmp_path: Path, harm: Callable[[Path], object], code: str
) -> None:
    """The error names the turn and the paging that reads those before and after it."""
    with SmartBrain.open(tmp_path) as brain:
        commit(brain, "聊", "one", "二", LONG, "four", "五")
        harm(raw_file(tmp_path))
        with pytest.raises(AdapterError, match=r"turn 3 of session '聊' cannot be read") as caught:
            said(brain)
        assert (code, True) == (
            caught.value.code,
            caught.value.message.endswith("; after=3 reads on behind it, limit=2 those before it"),
        )
        assert ["one", "二"] == said(brain, limit=2)
        assert ["four", "五"] == said(brain, after=3)
        with pytest.raises(AdapterError, match=r"; after=3 reads on behind it$"):
            said(brain, after=2)


@pytest.mark.spec("E5")
def test_a_session_goes_on_behind_a_lost_text(tmp_path: Path) -> None:
    """What was said just before is read for what it confirms or corrects; it may be gone."""
    with SmartBrain.open(tmp_path) as brain:
        commit(brain, "聊", LONG)
        raw_file(tmp_path).unlink()
        commit(brain, "聊", "好的，就这样 yes, do that")
        assert ["好的，就这样 yes, do that"] == said(brain, after=1)


@pytest.mark.spec("E2", "S2")
def test_the_doctor_names_the_turns_of_a_lost_text(tmp_path: Path) -> None:
    """Session and place of each turn that held it, the first ten where there are many."""
    with SmartBrain.open(tmp_path) as brain:
        commit(brain, "聊", "intact 完好", LONG)
        brain.commit_turn("tools", {"tool_calls": [{"name": "t", "stdout": LONG}]})
        raw_file(tmp_path).unlink()
        (found,) = SmartBrain.doctor(tmp_path).all()
        assert found.sentence.endswith(
            "; it belongs to turn 2 of session '聊', turn 1 of session 'tools'"
        )
        commit(brain, "many", *[LONG] * 10)
        raw_file(tmp_path).unlink()
        (found,) = SmartBrain.doctor(tmp_path).all()
        assert found.sentence.endswith(", turn 8 of session 'many', 2 more")


READS: list[Callable[[SmartBrain], object]] = [
    lambda brain: brain.sessions.list(),
    lambda brain: brain.sessions.turns("聊"),
    lambda brain: brain.sessions.end("聊"),
    lambda brain: brain.memories.list(),
    lambda brain: brain.memories.history("fact:小明:城市"),
    lambda brain: brain.memories.get("mem_0"),
    lambda brain: brain.status(),
]


@pytest.mark.spec("S8")
@pytest.mark.parametrize("left", ["nothing", "an empty folder"])
def test_reading_a_deleted_tenant_does_not_bring_it_back(tmp_path: Path, left: str) -> None:
    """Every read says that the tenant is gone and makes nothing; a commit begins it anew."""
    with SmartBrain.open(tmp_path, tenant="删除") as brain:
        commit(brain, "聊", "before 之前")
        folder = Path(brain.status().path)
        shutil.rmtree(folder)
        if left == "an empty folder":
            folder.mkdir()
        for read in READS:
            with pytest.raises(NotFound, match="tenant '删除' is gone") as caught:
                read(brain)
            assert "gone" == caught.value.code
        assert [] == list(tmp_path.rglob("brain.db"))
        commit(brain, "聊", "after 之后")
        assert ["after 之后"] == said(brain)


@pytest.mark.spec("S8")
@pytest.mark.parametrize("other", ["乙", "B" * 200])
def test_a_folder_put_in_anothers_place_is_refused(tmp_path: Path, other: str) -> None:
    """A copy of one tenant is not served as another; nothing in it is changed."""
    with SmartBrain.open(tmp_path, tenant="甲") as brain:
        commit(brain, "聊", "of 甲")
        own, taken = (Path(brain.tenant(name).status().path) for name in ("甲", other))
    shutil.rmtree(taken)
    shutil.copytree(own, taken)
    if other != "乙":
        (taken / "tenant.txt").write_text(other, encoding="utf-8")
    before = (taken / "brain.db").read_bytes()
    with pytest.raises(AdapterError, match="database of tenant '甲', not of") as caught:
        SmartBrain.open(tmp_path, tenant=other)
    assert ("corrupt", True) == (caught.value.code, repr(other) in caught.value.message)
    found = {one.tenant: one.findings for one in SmartBrain.doctor(tmp_path).tenants}
    assert (["corrupt"], ()) == ([one.code for one in found[other]], found["甲"])
    assert before == (taken / "brain.db").read_bytes()
