"""Tenants of one root under rules of their own: personal data, quotas, time zone.

In: one brain.yml with blocks of tenants, handles opened every way there is, writes of every kind.
Out: what each tenant has stored and tells, and that its events run again the same.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, inside, table_rows, user

from smartbrain import AsyncSmartBrain, SmartBrain, UsageError
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.bootstrap.root import Root
from smartbrain.domain.replay import ReplayReport
from smartbrain.errors import Conflict
from smartbrain.testing.models import ScriptedModel

CONFIG = """\
tenants:
  max_open: 8
  acme.com:
    privacy.pii: mask
  张三的公司:
    privacy: {pii: refuse}
  123:
    quotas.memories: 1
    timezone: Asia/Shanghai
"""
RULES = {"acme.com": "mask", "张三的公司": "refuse", "other 别家": "tag"}
SECRETS = ["bob@example.com", "13812345678", "11010519491231002X"]
NOW = datetime(2026, 3, 11, 23, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder whose brain.yml has blocks of tenants."""
    place = tmp_path / "b"
    place.mkdir()
    (place / "brain.yml").write_text(CONFIG, encoding="utf-8")
    return place


def write(brain: SmartBrain, secret: str) -> None:
    """Write something personal in every way there is."""
    committed = brain.commit_turn(
        "s",
        {
            "messages": [
                user(f"记住，鲍勃的联系方式是 {secret}。Remember that Bob's contact is {secret}."),
                assistant(f"I wrote {secret} down, 记下了。"),
            ],
            "tool_calls": [{"id": "c1", "name": "send", "result": f"sent to {secret} 已发送"}],
        },
    )
    brain.remember(f"Bob reads mail at {secret}, 他常看")
    brain.memories.put("facts", "fact:bob:contact", {"value": f"write to {secret} 联系"})
    brain.artifacts.add("look", f"found {secret} 找到", session_id="s")
    brain.ingest(f"The reader of {secret} lives in Lisbon. 住在里斯本。")
    brain.r2g()
    brain.graph.add_node("Concept:联系人")
    run = brain.runs.start("s", goal=f"reach {secret} 联系上")
    with suppress(UsageError):  # refused as a whole where nothing personal may be remembered
        brain.runs.insight(run, f"{secret} may be wrong 可能不对", 0.5)
    brain.pins.add(
        "constraint", "mail 邮件", f"goes to {secret} 收件人", f"chat:{committed.turn_id}"
    )
    brain.plan.add("s", f"write to {secret} 写信")
    brain.notebook.add("s", f"asked {secret} 问过")
    brain.fastmemo.add("user", f"{secret} is Bob 鲍勃")


def told(brain: SmartBrain, secret: str) -> str:
    """Return all that a tenant tells about it."""
    found: list[Any] = [one.to_dict() for one in brain.memories.list(status=None, limit=999).items]
    found += [turn.to_dict() for turn in brain.sessions.turns("s")]
    found += [brain.artifacts.get(one.id).to_dict() for one in brain.artifacts.list().items]
    for words in (f'"{secret}"', "Bob 鲍勃 联系方式"):
        found.append([item.to_dict() for item in brain.recall(words)])
    package = brain.compose_context("s", "Bob 鲍勃 联系方式", audience="planner")
    return repr([*found, package.to_dict(), package.text()])


def replayed(brain: SmartBrain) -> ReplayReport:
    """Run the events of a handle's tenant again."""
    with brain._lease() as tenant:
        return check_replay(tenant, brain._terms.rules)


def stored(brain: SmartBrain, secret: str) -> set[str]:
    """Return the tables and files of a tenant that hold a text."""
    with brain._lease() as tenant:
        held = {name: repr(rows) for name, rows in table_rows(tenant.folder / "brain.db").items()}
        files = (one for one in tenant.folder.rglob("*") if one.is_file())
        held |= {one.name: repr(one.read_bytes()) for one in files}
    return {name for name, text in held.items() if secret in text}


def hashes(brain: SmartBrain) -> set[str]:
    """Return the names of the rules that the turns of a session ran under."""
    with inside(brain) as rows:
        return {turn.rules_hash for turn in rows.events.turns("s")}


@contextmanager
def by_open(root: Path, tenant: str) -> Iterator[SmartBrain]:
    with SmartBrain.open(root, tenant) as brain:
        yield brain


@contextmanager
def by_tenant(root: Path, tenant: str) -> Iterator[SmartBrain]:
    with SmartBrain.open(root, "first 第一") as brain:
        yield brain.tenant(tenant)


@contextmanager
def by_async(root: Path, tenant: str) -> Iterator[SmartBrain]:
    async def opened() -> SmartBrain:
        return (await AsyncSmartBrain.open(root, tenant))._brain

    with asyncio.run(opened()) as brain:
        yield brain


Way = Callable[[Path, str], Any]
WAYS: list[Way] = [by_open, by_tenant, by_async]


@pytest.mark.spec("C10", "S7", "S1")
@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_each_tenant_keeps_personal_data_as_its_own_rule_says(
    root: Path, way: Way, secret: str
) -> None:
    """Masked, refused or kept, wherever it was written, and run again the same."""
    for tenant, rule in RULES.items():
        with way(root, tenant) as brain:
            write(brain, secret)
            said, report = told(brain, secret), replayed(brain)
            facts = [one for one in brain.memories.list("facts").items if one.privacy.pii]
            held = stored(brain, secret)
        assert (rule == "tag") == (secret in said) == bool(held), (tenant, held)
        assert (rule != "refuse") == bool(facts), tenant
        assert (report.identical, report.other_rules) == (True, 0), (tenant, report)


@pytest.mark.spec("C10", "E1")
def test_one_root_holds_handles_under_different_rules_at_once(root: Path) -> None:
    """Side by side, interleaved; each event names the rules of its tenant."""
    with SmartBrain.open(root, "x") as first:
        brains = {tenant: first.tenant(tenant) for tenant in RULES}
        for secret in SECRETS:
            for brain in brains.values():
                brain.commit_turn("s", [user(f"我的联系方式是 {secret}，contact me there")])
        rules = {tenant: hashes(brain) for tenant, brain in brains.items()}
        assert [1, 1, 1] == [len(one) for one in rules.values()]
        assert 3 == len(set().union(*rules.values()))
        assert rules["other 别家"] == {first._root.rules.hash}
        for tenant, brain in brains.items():
            shown = repr([turn.to_dict() for turn in brain.sessions.turns("s")])
            assert [RULES[tenant] == "tag"] * 3 == [secret in shown for secret in SECRETS]
            assert replayed(brain).identical
        assert first._terms is brains["other 别家"]._terms
        assert brains["acme.com"]._terms is first.tenant("acme.com")._terms


@pytest.mark.spec("C10", "C9", "C6")
@pytest.mark.parametrize("secret", SECRETS)
def test_what_agents_and_models_propose_goes_by_the_tenants_rule(root: Path, secret: str) -> None:
    """From the queue and from a language model of the root, which all tenants share."""
    claim = {"type": "facts", "subject": "bob", "relation": "thing", "attr": "contact"}
    quoted = {**claim, "value": secret, "quote": "Bob 有一个邮箱和一个电话"}
    answer = json.dumps({"claims": [quoted]})
    for tenant, rule in RULES.items():
        with SmartBrain.open(root, tenant, config={"jobs.agents": ["extract"]}) as brain:
            brain.commit_turn("s", [user("Bob 有一个邮箱和一个电话。")])
            (work,) = brain.work.lease("extract", "a")
            brain.work.complete(work.id, "a", json.loads(answer))
            held, report = stored(brain, secret), replayed(brain)
        assert (rule == "tag", True) == (bool(held), report.identical)
    model = ScriptedModel([answer] * 9)
    with SmartBrain.open(root, "x", language_model=model) as first:
        for tenant, rule in RULES.items():
            brain = first.tenant(tenant)
            brain.commit_turn("m", [user("鲍勃换了联系方式。Bob has a new one.")])
            brain.jobs.run("extract")
            assert replayed(brain).identical
            assert rule == "tag" or not stored(brain, secret)
    assert model.asked


@pytest.mark.spec("C10")
@pytest.mark.parametrize("secret", SECRETS)
def test_an_import_goes_by_the_tenants_rule(root: Path, tmp_path: Path, secret: str) -> None:
    """A history is masked on its way in where the tenant says so."""
    lines = [{"session_id": "s", "role": "user", "content": f"联系 {secret} please"}]
    chat = tmp_path / "chat.jsonl"
    chat.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    for tenant, rule in RULES.items():
        with SmartBrain.open(root, tenant) as brain:
            assert 1 == brain.import_chat(chat).turns
            assert (rule == "tag") == bool(stored(brain, secret))
            assert replayed(brain).identical


@pytest.mark.spec("S7", "S1")
def test_quotas_and_time_zone_are_the_tenants_own(root: Path) -> None:
    """One tenant is full and lives in another zone; its neighbour is not and does not."""
    with SmartBrain.open(root, "x", clock=lambda: NOW) as first:
        full = first.tenant("123")
        with pytest.raises(Conflict, match=r"raise quotas\.memories"):
            full.commit_turn("s", [user("I need to call mom tomorrow, 我明天要给妈妈打电话")])
        for said in ("I need to call mom tomorrow", "我明天要给妈妈打电话"):
            first.commit_turn(said, [user(said)])
        assert {"2026-03-12"} == {one.value["due"] for one in first.memories.list("tasks").items}
        days = {}
        for brain in (first, full):
            (time,) = brain.recall("我昨天说了什么？").trace.cues.times
            days[brain.tenant_name] = time.since.isoformat()
            package = brain.compose_context("new", "what did I say yesterday?")
            assert package.created_at.day == (12 if brain is full else 11)
    assert {"x": "2026-03-10T00:00:00+00:00", "123": "2026-03-11T00:00:00+08:00"} == days
    wide = {"tenants": {"123": {"quotas": {"memories": None}}}}
    with SmartBrain.open(root, "123", config=wide, clock=lambda: NOW) as brain:
        for said in ("I need to call mom tomorrow", "我明天要给妈妈打电话"):
            brain.commit_turn(said, [user(said)])
        assert {"2026-03-13"} == {one.value["due"] for one in brain.memories.list("tasks").items}
        assert replayed(brain).identical


@pytest.mark.spec("C10", "S7")
def test_an_argument_beats_the_file_and_a_block_beats_its_own_source(root: Path) -> None:
    """What a program passes for all holds for tenants that the file has a block for, too."""
    both = {"privacy.pii": "tag", "tenants.acme.com.privacy.pii": "refuse"}
    expected = {"acme.com": "refuse", "张三的公司": "tag", "other 别家": "tag"}
    with SmartBrain.open(root, "x", config=both) as brain:
        rules = {tenant: brain.tenant(tenant)._settings.rules.privacy.pii for tenant in RULES}
    assert expected == rules


@pytest.mark.spec("S7", "S8")
@pytest.mark.parametrize("given", ["tenants:\n  acme:\n    privcy.pii: mask\n", "tenants: [acme]"])
def test_a_wrong_block_opens_nothing(root: Path, given: str) -> None:
    """Not even another tenant, and no folder is made."""
    (root / "brain.yml").write_text(given, encoding="utf-8")
    with pytest.raises(UsageError, match=r"^brain\.yml:\d: "):
        SmartBrain.open(root, "other")
    assert ["brain.yml"] == [one.name for one in root.iterdir()]


@pytest.mark.spec("S8")
def test_tenants_without_a_block_share_what_holds_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is merged or made for them, however many there are, and models stay shared."""
    root = Root(tmp_path, config={"tenants.acme": {"privacy.pii": "mask"}})
    made = root.terms("acme")
    monkeypatch.setattr("smartbrain.bootstrap.root.Terms", None)
    terms = {id(root.terms(f"tenant {number}")) for number in range(10_000)}
    assert 1 == len(terms)
    assert made is root.terms("acme")
    handles = [SmartBrain(root, name, owner=False) for name in ("acme", "other")]
    assert handles[0]._root.models is handles[1]._root.models
