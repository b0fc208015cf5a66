"""Nodes and edges by hand: added once, found again by any of their names, bad input refused.

In: a real tenant. Out: memories and edges of the truth, each with its operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.bootstrap.root import Root
from smartbrain.domain.graph import Edge, EdgeType, Provenance
from smartbrain.domain.memory import Memory
from smartbrain.domain.policy import Rules
from smartbrain.errors import NotFound, UsageError
from smartbrain.ports.bundle import Ports
from smartbrain.remember.node_names import find_node
from smartbrain.remember.operations import add_edge, add_node
from smartbrain.remember.write_rules import WriteRules
from smartbrain.testing.clock import FakeClock, seeded

RULES = WriteRules(Rules(), "规则")


@contextmanager
def ports(path: Path) -> Iterator[Ports]:
    """Open a tenant and hand out its ports."""
    root = Root(path, clock=FakeClock(step=timedelta(seconds=1)), entropy=seeded(1))
    with SmartBrain(root, "t", owner=True) as brain, brain._lease(create=True) as tenant:
        yield tenant.ports


def node(name: Any, given: Ports) -> Memory:
    """Add a node."""
    return add_node(name, ports=given, rules=RULES)


def edge(src: Any, relation: Any, dst: Any, weight: Any, given: Ports) -> Edge:
    """Add an edge."""
    return add_edge(src, relation, dst, weight, ports=given, rules=RULES)


def found(name: Any, given: Ports) -> str:
    """Find a node."""
    with given.truth.read() as rows:
        return find_node(name, ports=given, transaction=rows)


@pytest.mark.spec("M5", "E4")
@pytest.mark.parametrize(
    ("name", "type_name", "key", "title", "text"),
    [
        ("Concept:蓝牙故障", "concepts", "concept:蓝牙故障", "蓝牙故障", "蓝牙故障"),
        ("Concept: Slow boot ", "concepts", "concept:slow_boot", "Slow boot", "Slow boot"),
        ("Entity:张三", "entities", "entity:other:张三", "张三", "张三 (other)"),
        ("Entity:ACME Ltd", "entities", "entity:other:ACME_Ltd", "ACME Ltd", "ACME Ltd (other)"),
        ("Entity:שלום", "entities", "entity:other:שלום", "שלום", "שלום (other)"),
        ("Concept:👍", "concepts", "concept:👍", "👍", "👍"),
    ],
)
def test_a_node_is_a_memory_with_an_operation(
    tmp_path: Path, name: str, type_name: str, key: str, title: str, text: str
) -> None:
    """It has the type, key and words of its name, in any script, and says who made it when."""
    with ports(tmp_path) as given:
        memory = node(name, given)
        assert (type_name, key, title, text) == (memory.type, memory.key, memory.title, memory.text)
        assert Provenance("user") == memory.provenance
        with given.truth.read() as rows:
            assert memory == _untenanted(rows.memories.get([memory.id])[memory.id])
            assert text in rows.replayed.chunks([memory.id]).get(memory.id, [])[0]
            (operation,) = rows.ledger.operations()
        assert (memory.source_operation_id, "add_node", {"name": name}, "规则") == (
            operation.id,
            operation.kind,
            operation.input,
            operation.rules_hash,
        )


def _untenanted(memory: Memory) -> Memory:
    return type(memory)(
        **{
            name: "" if name == "tenant_id" else getattr(memory, name)
            for name in memory.__struct_fields__
        }
    )


def test_a_node_that_is_there_is_returned_as_it_is(tmp_path: Path) -> None:
    """The same name again, also in other letters or blanks, adds nothing."""
    with ports(tmp_path) as given:
        first, chinese = node("Concept:Slow Boot", given), node("Concept:蓝牙", given)
        seq = given.truth.seq()
        assert first.id == node("Concept: slow boot", given).id
        assert chinese.id == node("Concept:蓝牙 ", given).id
        assert seq == given.truth.seq()
        assert given.truth.counts()["operations"] == 2


@pytest.mark.parametrize(
    "bad",
    ["", " ", "蓝牙", "Concept:", "Concept:  ", "concept:x", "Raw:x", "Memory:x", "Concept：全角"]
    + [None, 5, b"Concept:x", ["Concept:x"]]
    + ["Concept:\u200b", "Concept:\u202e", "Concept:\ud800", "Concept:\x00", "Concept:…"]
    + ["Concept:" + "长" * 20_000],
    ids=lambda bad: repr(bad)[:20],
)
def test_what_is_no_node_is_refused_and_nothing_written(tmp_path: Path, bad: Any) -> None:
    """Names without a kind, without a letter, or far too long get one clear sentence."""
    with ports(tmp_path) as given:
        with pytest.raises(UsageError) as caught:
            node(bad, given)
        assert "\n" not in caught.value.message
        assert len(caught.value.message) < 300
        assert given.truth.seq() == 0


@pytest.mark.spec("M5", "E4")
def test_an_edge_joins_nodes_by_any_of_their_names(tmp_path: Path) -> None:
    """By kind and name, by key, by id, also a raw chunk; the relation in any case."""
    with ports(tmp_path) as given:
        concept, entity = node("Concept:蓝牙故障", given), node("Entity:Zhang 张三", given)
        made = edge("Concept:蓝牙故障", "about", "Entity:Zhang 张三", 0.5, given)
        assert (concept.id, EdgeType.ABOUT, entity.id, 0.5) == (
            made.src,
            made.type,
            made.dst,
            made.weight,
        )
        for src in ("concept:蓝牙故障", concept.id, f" {concept.id} "):
            assert made.id == edge(src, " ABOUT", "entity:other:Zhang_张三", 0.5, given).id
        again = edge(concept.id, "About", entity.id, 1, given)
        assert (made.id, 1.0) == (again.id, again.weight)
        with given.truth.read() as rows:
            (stored,) = rows.edges.of(concept.id)
            operations = rows.ledger.operations()
        assert stored.weight == 1.0
        assert ["add_edge"] * 5 + ["add_node"] * 2 == [one.kind for one in operations]
        assert operations[0].input == {
            "src": concept.id,
            "type": "About",
            "dst": entity.id,
            "weight": 1,
        }


def test_a_raw_chunk_is_a_node_too(tmp_path: Path) -> None:
    """What was said can be linked by the id of its passage."""
    root = Root(tmp_path, clock=FakeClock(), entropy=seeded(1))
    with SmartBrain(root, "t", owner=True) as brain:
        brain.commit_turn("s", [{"role": "user", "content": "蓝牙打不开"}])
        with brain._lease() as tenant:
            given = tenant.ports
            with given.truth.read() as rows:
                ((_, chunk),) = rows.raw.page(0, 1)
            concept = node("Concept:蓝牙", given)
            made = edge(concept.id, "about", chunk.id, 0.2, given)
            assert (concept.id, chunk.id) == (made.src, made.dst)
            assert chunk.id == found(chunk.id, given)


@pytest.mark.parametrize(
    "name",
    ["Concept:没有", "mem_none", "raw_none", "fact:user:city", "nonsense", "没有冒号", "foo:bar"]
    + ["Fact:x", "👍"],
)
def test_a_node_that_is_nowhere_is_not_found(tmp_path: Path, name: str) -> None:
    """Neither end may be missing, and nothing is written."""
    with ports(tmp_path) as given:
        node("Concept:这里", given)
        seq = given.truth.seq()
        for ends in ((name, "Concept:这里"), ("Concept:这里", name)):
            with pytest.raises(NotFound, match=name):
                edge(ends[0], "about", ends[1], 0.5, given)
        assert seq == given.truth.seq()


@pytest.mark.parametrize("name", [None, 7, b"Concept:x", ["Concept:x"], "Concept:", "Concept:…"])
def test_what_names_no_node_is_refused(tmp_path: Path, name: Any) -> None:
    """What is no text, or a kind without a name, is the caller's mistake."""
    with ports(tmp_path) as given, pytest.raises(UsageError) as caught:
        found(name, given)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), float("inf"), "1", None, [0.5]])
def test_a_weight_is_a_number_from_0_to_1(tmp_path: Path, weight: Any) -> None:
    """Everything else is refused with a sentence that says so."""
    with ports(tmp_path) as given:
        node("Concept:a", given)
        seq = given.truth.seq()
        with pytest.raises(UsageError, match="from 0 to 1"):
            edge("Concept:a", "about", "Concept:a", weight, given)
        assert seq == given.truth.seq()


@pytest.mark.parametrize("relation", ["", "关于", "aboutt", None, 3, "ABOUT CAUSES"])
def test_a_relation_is_one_of_those_there_are(tmp_path: Path, relation: Any) -> None:
    """A misspelt one is refused, with all that there are and the one that was meant."""
    with ports(tmp_path) as given:
        node("Concept:a", given)
        with pytest.raises(UsageError, match="no relation") as caught:
            edge("Concept:a", relation, "Concept:a", 0.5, given)
        assert "; use one of TEMPORAL_NEXT, ABOUT, " in caught.value.message
        assert ("did you mean 'ABOUT'?" in caught.value.message) == (relation == "aboutt")
        assert "EdgeType" not in caught.value.message


@pytest.mark.spec("M5", "C7")
@pytest.mark.parametrize(
    ("kind", "name"), [("person", "小明"), ("org", "ACME Ltd"), ("repo", "core-api")]
)
def test_an_entity_is_found_by_its_name_whatever_its_kind(
    tmp_path: Path, kind: str, name: str
) -> None:
    """Its name leads to the node that is there; adding it again makes no second one."""
    with SmartBrain.open(tmp_path) as brain:
        key = f"entity:{kind}:{name.replace(' ', '_')}"
        brain.memories.put("entities", key, {"kind": kind, "canonical": name})
        known = brain.memories.get(key)
        added = brain.graph.add_node(f"Entity:{name}")
        brain.graph.add_node("Concept:x")
        brain.graph.add_edge(f"Entity:{name}", "ABOUT", "Concept:x")
        (beside,) = brain.graph.neighbors(f"Entity:{name}")
        entities = brain.memories.list("entities", status=None).items
    assert known == added
    assert [known.id] == [one.id for one in entities]
    assert "concept:x" == beside.key


@pytest.mark.spec("M5", "C2")
@pytest.mark.parametrize(
    ("said", "name"),
    [("I met Alice Chen at the station.", "Alice Chen"), ("我在车站见到了王小明。", "王小明")],
)
def test_an_entity_that_waits_at_the_gate_passes_it_when_somebody_adds_it(
    tmp_path: Path, said: str, name: str
) -> None:
    """It stays one node, with what the graph knows of it, and stands from then on."""
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", [{"role": "user", "content": said}])
        (waiting,) = [
            one
            for one in brain.memories.list("entities", status="candidate").items
            if name in one.title
        ]
        assert brain.graph.neighbors(f"Entity:{name}")
        added = brain.graph.add_node(f"Entity:{name}")
        stored = brain.memories.get(waiting.key)
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
    assert (waiting.id, "active") == (added.id, stored.status)
    assert 0 == report.differing
