"""`memctl replay --check`, as somebody at a prompt or in a script uses it.

In: brains that are whole, damaged, encrypted, empty. Out: lines, JSON and exit codes, the same from
a process that puts its sets in another order.
"""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from cli_runs import encrypted_brain, memctl, spawned

from smartbrain import SmartBrain
from smartbrain.adapters.keys import new_master_key_text
from smartbrain.domain.tenant import folder_of

SAID = (
    "我叫林小明，住在上海，喜欢用 Vim 和 PostgreSQL。",
    "Remind me to send the weekly report to Anna and Bo on Friday.",
    "不对，我住在北京。We decided to use FastAPI and Redis for https://example.com/蓝牙.",
    "Alice and 小王 deployed SmartBot to staging in Berlin; 王芳修复了登录问题。",
)


def lived(place: Path, *tenants: str) -> Path:
    """Make a brain whose tenants have talked, written and drawn."""
    with SmartBrain.open(place, tenant=tenants[0]) as brain:
        for name in tenants:
            handle = brain.tenant(name)
            turns = [handle.commit_turn("s", [{"role": "user", "content": one}]) for one in SAID]
            handle.commit_turn(
                "s", [{"role": "user", "content": SAID[0]}], turn_id=turns[1].turn_id
            )
            handle.memories.put("facts", "fact:prod:region", {"value": "eu-1"})
            handle.graph.add_node("Concept:蓝牙故障")
    return place


def broken(place: Path, tenant: str) -> None:
    """Change a memory behind our back."""
    connection = apsw.Connection(str(place / "tenants" / folder_of(tenant) / "brain.db"))
    connection.execute("UPDATE memories SET text = '被改' WHERE key = 'fact:prod:region'")
    connection.close()


@pytest.mark.spec("E1", "M4", "S2")
@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_a_process_of_its_own_finds_the_same(tmp_path: Path, seed: str) -> None:
    """No order of sets or hashes of one process is in what is stored."""
    lived(tmp_path / ".smartbrain", "t")
    run = spawned("replay", "--check", folder=tmp_path, PYTHONHASHSEED=seed)
    assert (0, "") == (run.code, run.err), run
    assert run.out.startswith("t: 5 commits and 2 operations run again; memories: ")
    assert run.out.endswith("; identical\n")


@pytest.mark.spec("E1", "S2")
def test_a_difference_is_told_and_ends_with_one(tmp_path: Path) -> None:
    """The tenant, the memory and the field are named; another tenant is not touched by it."""
    place = lived(tmp_path / ".smartbrain", "a", "乙")
    broken(place, "乙")
    run = memctl("replay", "--check", folder=tmp_path)
    assert (1, "") == (run.code, run.err)
    first, second, what = run.out.splitlines()
    assert first.startswith("a: ")
    assert first.endswith("; identical")
    assert second.startswith("乙: ")
    assert second.endswith("; 1 difference")
    assert 'facts fact:prod:region v1: text is "被改", now came out as' in what
    assert 0 == memctl("replay", "--check", "--tenant", "a", folder=tmp_path).code


@pytest.mark.spec("E1", "S2")
def test_programs_get_the_report_as_json(tmp_path: Path) -> None:
    """With --json the counts and differences of each tenant are one document."""
    place = lived(tmp_path / ".smartbrain", "t")
    told = memctl("replay", "--check", "--json", folder=tmp_path).json
    assert ["identical", "tenants", "errors"] == list(told)
    assert (True, {}) == (told["identical"], told["errors"])
    report = told["tenants"]["t"]
    assert (5, 2, 0, []) == tuple(
        report[name] for name in ("steps", "operations", "differing", "differences")
    )
    broken(place, "t")
    run = memctl("replay", "--check", "--json", folder=tmp_path)
    assert (1, False) == (run.code, run.json["identical"])
    (difference,) = run.json["tenants"]["t"]["differences"]
    assert ("memory", {"kind", "id", "what"}) == (difference["kind"], set(difference))


@pytest.mark.spec("E1", "E5")
def test_an_encrypted_tenant_is_checked_with_its_key(tmp_path: Path) -> None:
    """With the key it is identical; without it, it cannot be opened, which is an error."""
    key = new_master_key_text()
    encrypted_brain(tmp_path / ".smartbrain", "密", key=key, turns=3)
    run = memctl("replay", "--check", folder=tmp_path, SMARTBRAIN_MASTER_KEY=key)
    assert (0, "") == (run.code, run.err)
    assert "密: 3 commits" in run.out
    assert 5 == memctl("replay", "--check", folder=tmp_path).code


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    """Without --check there is nothing to do; an unknown tenant is not found; none is no error."""
    assert 0 == memctl("init", folder=tmp_path).code
    run = memctl("replay", folder=tmp_path)
    assert (2, "") == (run.code, run.out)
    assert "memctl replay --check" in run.err
    assert 3 == memctl("replay", "--check", "--tenant", "x", folder=tmp_path).code
    assert (0, "no tenants yet\n", "") == memctl("replay", "--check", folder=tmp_path)


def test_other_rules_and_what_is_left_out_are_told(tmp_path: Path) -> None:
    """Rules that changed meanwhile are named, and of very many differences how many more."""
    place = tmp_path / ".smartbrain"
    with SmartBrain.open(place, config={"privacy.scope": "team"}) as brain:
        for n in range(30):
            brain.memories.put("facts", f"fact:thing:{n}", {"value": "值"})
    run = memctl("replay", "--check", folder=tmp_path)
    assert 1 == run.code
    lines = run.out.splitlines()
    assert "30 events had run under other rules" in lines[1]
    assert 'scope":"team"' in lines[2]
    assert "  … and 10 more that differ" == lines[-1]
