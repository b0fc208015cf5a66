"""What answers of verifiers, linkers, summarisers and embedders do, and which are refused.

In: work that a commit left to agents, and their answers. Out: what is elected, linked and kept.
"""

from __future__ import annotations

from array import array
from base64 import b64encode
from typing import Any

import pytest
from work_tenant import EMBED, LINK, SUMMARISE, VERIFY, Tenant

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.job import JobState, WorkKind
from smartbrain.domain.memory import Status
from smartbrain.errors import UsageError
from smartbrain.remember.operations import add_edge, add_node, retract_memory
from smartbrain.remember.summary import latest_summary, summaries
from smartbrain.testing import builders

pytestmark = pytest.mark.spec("C9")

PORT = "fact:server:port"
MODEL = {"embedder": "outside", "model": "m-2"}


def refused(tenant: Tenant, kind: WorkKind, answer: dict[str, Any]) -> str:
    """Return why an answer is refused; the work stays leased, whoever holds it."""
    held = tenant.queue.works(kind, JobState.LEASED) or [tenant.lease(kind)]
    with pytest.raises(UsageError) as caught:
        tenant.queue.complete(held[0].id, "agent", answer)
    assert [held[0].id] == [one.id for one in tenant.queue.works(kind, JobState.LEASED)]
    assert [] == tenant.operations()
    return caught.value.message


def decided() -> Tenant:
    """Return a tenant with agents for all kinds, after a turn that wrote a summary."""
    tenant = Tenant(None, LINK, SUMMARISE, EMBED)
    decision = {"project": "p", "topic": "数据库", "decision": "Postgres", "remember": True}
    said = [{"role": "user", "content": "数据库定了，用 Postgres。"}]
    result = tenant.commit({"messages": said, "decisions": [decision]})
    assert result.summary.updated
    return tenant


@pytest.mark.spec("C5")
def test_a_verifier_elects_one_of_two_facts() -> None:
    """The other is superseded, and every version leads to the one that stands now."""
    tenant = Tenant()
    before, other = tenant.disputed()
    assert (Status.ACTIVE, Status.DISPUTED) == (before.status, other.status)
    work = tenant.lease(VERIFY)
    assert ("8080", "9090") == tuple(
        work.input[name]["value"]["value"] for name in ("active", "other")
    )
    outcome = tenant.queue.complete(
        work.id, "agent", {"active": other.id, "reason": "查过了 checked"}
    )
    assert (other.id,) == outcome.written
    assert ["elected"] == [one.code for one in outcome.explain.retention]
    now = tenant.history(PORT)
    assert [Status.SUPERSEDED, Status.ACTIVE] == [one.status for one in now]
    assert now[1].valid_until is None
    with tenant.ports.truth.read() as rows:
        assert [] == rows.edges.of(other.id, kind=EdgeType.ACTIVE_OF)
        assert [other.id] == [
            edge.dst for edge in rows.edges.of(before.id, kind=EdgeType.ACTIVE_OF)
        ]
        assert 1 == len(rows.remembering.explanations(outcome.operation_id or ""))


@pytest.mark.spec("C5")
def test_a_verifier_confirms_what_stands() -> None:
    """The dispute is over, nothing else changes."""
    tenant = Tenant()
    before, _ = tenant.disputed()
    outcome = tenant.answer({"active": before.id}, VERIFY)
    assert ["confirmed"] == [one.code for one in outcome.explain.retention]
    assert [Status.ACTIVE, Status.SUPERSEDED] == [one.status for one in tenant.history(PORT)]
    assert before == tenant.memory(PORT)


def test_a_dispute_that_somebody_settled_is_left_alone() -> None:
    """A late verdict brings nothing back."""
    tenant = Tenant()
    _, other = tenant.disputed()
    work = tenant.lease(VERIFY)
    retract_memory(PORT, "都不对", ports=tenant.ports, rules=tenant.rules)
    outcome = tenant.queue.complete(work.id, "agent", {"active": other.id})
    assert ((), ["settled"]) == (outcome.written, [one.code for one in outcome.explain.retention])
    assert tenant.active(PORT) is None


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({}, "`active`"),
        ({"active": 3}, "$.active"),
        ({"active": "mem_else"}, "active is 'mem_else'"),
        ({"activ": "x"}, "unknown field `activ`"),
    ],
)
def test_a_verdict_on_something_else_is_refused(answer: dict[str, Any], told: str) -> None:
    """The sentence names the field and what it may be."""
    tenant = Tenant()
    tenant.disputed()
    assert told in refused(tenant, VERIFY, answer)


def test_a_linker_relates_known_nodes() -> None:
    """By id, key or name; sure up to what is inferred; a later answer may weigh it anew."""
    tenant = decided()
    concept = add_node("Concept:存储", ports=tenant.ports, rules=tenant.rules)
    work = tenant.lease(LINK)
    decision = tenant.memory("decision:p:数据库")
    assert decision.id in [one["id"] for one in work.input["memories"]]
    edges = [
        {"src": decision.id, "type": "ABOUT", "dst": "Concept:存储", "confidence": 1},
        {"src": "decision:p:数据库", "type": "SUPPORTS", "dst": concept.id, "weight": 0.25},
    ]
    outcome = tenant.queue.complete(work.id, "agent", {"edges": edges})
    with tenant.ports.truth.read() as rows:
        about, supports = (
            next(edge for edge in rows.edges.of(decision.id, kind=kind) if edge.dst == concept.id)
            for kind in (EdgeType.ABOUT, EdgeType.SUPPORTS)
        )
    assert outcome.written == (about.id, supports.id)
    assert [0.6, 0.6] == [about.confidence, supports.confidence]
    assert 0.25 == supports.weight
    assert ["agent", "agent"] == [edge.provenance.creator for edge in (about, supports)]


def test_a_linker_leaves_what_the_user_stated() -> None:
    """An edge that somebody else made keeps its weight."""
    tenant = decided()
    add_node("Concept:存储", ports=tenant.ports, rules=tenant.rules)
    key = "decision:p:数据库"
    stated = add_edge(key, "ABOUT", "Concept:存储", 0.9, ports=tenant.ports, rules=tenant.rules)
    answer = {"edges": [{"src": key, "type": "ABOUT", "dst": "Concept:存储", "weight": 0.1}]}
    outcome = tenant.answer(answer, LINK)
    assert ((), ["known"]) == (outcome.written, [one.code for one in outcome.explain.ignored])
    with tenant.ports.truth.read() as rows:
        kept = [edge for edge in rows.edges.of(stated.src) if edge.id == stated.id]
    assert [0.9] == [edge.weight for edge in kept]


GOOD = {"src": "decision:p:数据库", "type": "ABOUT", "dst": "Concept:存储"}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({}, "`edges`"),
        ({"edges": GOOD}, "$.edges"),
        ({"edges": [GOOD] * 257}, "length <= 256"),
        ({"edges": ["x"]}, "$.edges[0]"),
        ({"edges": [GOOD, {**GOOD, "dst": "Concept:没有"}]}, "edges[1].dst: there is no node"),
        ({"edges": [{**GOOD, "src": None}]}, "$.edges[0].src"),
        ({"edges": [{**GOOD, "dst": GOOD["src"]}]}, "edges[0].dst is the same node"),
        ({"edges": [{**GOOD, "type": "ACTIVE_OF"}]}, "edges[0].type is 'ACTIVE_OF'"),
        ({"edges": [{**GOOD, "type": "ABOOT"}]}, "did you mean 'ABOUT'"),
        ({"edges": [{**GOOD, "weight": 2}]}, "<= 1.0 - at `$.edges[0].weight`"),
        ({"edges": [{**GOOD, "weight": True}]}, "$.edges[0].weight"),
        ({"edges": [{**GOOD, "confidence": "1"}]}, "$.edges[0].confidence"),
        ({"edges": [{**GOOD, "wait": 1}]}, "unknown field `wait`"),
    ],
)
def test_an_edge_that_cannot_be_is_refused(answer: dict[str, Any], told: str) -> None:
    """All or none of an answer's edges are written."""
    tenant = decided()
    add_node("Concept:存储", ports=tenant.ports, rules=tenant.rules)
    assert told in refused(tenant, LINK, answer)


@pytest.mark.spec("C8")
def test_a_summariser_writes_the_next_version() -> None:
    """It is kept as the others are, says who wrote it, and the rules go on from its number."""
    tenant = decided()
    work = tenant.lease(SUMMARISE)
    assert "Postgres" in work.input["summary"]
    assert ["数据库定了，用 Postgres。"] == [
        message["content"] for turn in work.input["turns"] for message in turn["messages"]
    ]
    outcome = tenant.queue.complete(
        work.id, "agent", {"text": "数据库用 Postgres。\nNothing open."}
    )
    assert ("v2",) == outcome.written
    with tenant.ports.truth.read() as rows:
        latest = latest_summary("s", transaction=rows)
        kept = rows.working.state("session:s", "summary")
    assert latest is not None
    assert (2, "数据库用 Postgres。\nNothing open.") == (latest.version, latest.text)
    assert [None, "agent"] == [entry.body.get("source") for entry in kept]
    again = {"project": "p", "topic": "缓存", "decision": "Redis", "remember": True}
    result = tenant.commit({"decisions": [again]})
    assert 3 == result.summary.version


@pytest.mark.spec("C8")
def test_a_summary_of_what_has_been_summarised_since_is_not_kept() -> None:
    """The later version knows more."""
    tenant = decided()
    work = tenant.lease(SUMMARISE)
    again = {"project": "p", "topic": "缓存", "decision": "Redis", "remember": True}
    tenant.commit({"decisions": [again]})
    outcome = tenant.queue.complete(work.id, "agent", {"text": "旧的 old"})
    assert ((), ["outdated"]) == (outcome.written, [one.code for one in outcome.explain.ignored])
    with tenant.ports.truth.read() as rows:
        assert [1, 2] == [one.version for one in summaries("s", transaction=rows)]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({}, "`text`"),
        ({"text": " \n"}, "$.text"),
        ({"text": "长" * 2000}, "text has about"),
        ({"text": "x", "sections": []}, "unknown field `sections`"),
    ],
)
def test_a_summary_that_says_nothing_or_too_much_is_refused(
    answer: dict[str, Any], told: str
) -> None:
    """The limit is that of the context."""
    assert told in refused(decided(), SUMMARISE, answer)


def spelled(*numbers: float) -> str:
    """Return numbers as vectors are handed in."""
    return b64encode(array("f", numbers).tobytes()).decode()


def vectors(asked: list[dict[str, str]], *numbers: float) -> dict[str, Any]:
    """Return an answer with one vector for all that was asked."""
    given = [
        {"id": one["id"], "mark": one["mark"], "vector": spelled(*(numbers or (0.6, 0.8)))}
        for one in asked
    ]
    return {**MODEL, "vectors": given}


@pytest.mark.spec("R3")
def test_an_embedder_makes_the_vectors_that_are_lacking() -> None:
    """As they were given, once, in the space of their model; no event repeats them."""
    tenant = decided()
    work = tenant.lease(EMBED)
    asked = work.input["memories"]
    assert any("Postgres" in one["text"] for one in asked)
    outcome = tenant.queue.complete(work.id, "agent", vectors(asked))
    assert ({one["id"] for one in asked}, None) == ({*outcome.written}, outcome.operation_id)
    with tenant.ports.truth.read() as rows:
        (space,) = rows.vectors.embeddings()
        nums = rows.followed.numbers([one["id"] for one in asked])
        kept = rows.vectors.get(space.num, list(nums.values()))
    assert ("outside", "m-2", 2) == (space.name, space.model, space.dimensions)
    assert {array("f", (0.6, 0.8)).tobytes()} == {*kept.values()}
    assert len(asked) == len(kept)
    assert [] == tenant.operations()


def test_vectors_of_other_words_and_second_ones_are_left_out() -> None:
    """What changed since lacks its vector still; what has one keeps it."""
    tenant = decided()
    work = tenant.lease(EMBED)
    asked = work.input["memories"]
    answer = vectors(asked)
    answer["vectors"][0]["mark"] = "another"
    first = tenant.queue.complete(work.id, "agent", answer)
    assert [one["id"] for one in asked[1:]] == list(first.written)
    assert ["not_needed"] == [one.code for one in first.explain.ignored]
    with tenant.ports.truth.write() as rows:
        payload = {"memories": [one["id"] for one in asked]}
        rows.working.put_job(builders.job("job-2", kind=EMBED, payload=payload))
    second = tenant.answer(vectors(asked, 1.0, 0.0), EMBED)
    assert (asked[0]["id"],) == second.written
    assert len(asked) - 1 == len(second.explain.ignored)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"vectors": []}, "$.vectors"),
        ({"vectors": ["x"]}, "$.vectors[0]"),
        ({"embedder": ""}, "$.embedder"),
        ({"model": None}, "$.model"),
        ({"id": "mem_else"}, "vectors[0].id is 'mem_else'"),
        ({"mark": 3}, "$.vectors[0].mark"),
        ({"vector": [0.1]}, "$.vectors[0].vector"),
        ({"vector": "£"}, "base64"),
        ({"vector": b64encode(b"abc").decode()}, "vectors[0].vector is not of float32"),
        ({"vector": spelled(0.0, 0.0)}, "vectors[0].vector must hold finite numbers"),
        ({"vector": spelled(float("nan"), 1.0)}, "vectors[0].vector must hold finite numbers"),
        ({"vector": spelled(1.0, 2.0, 3.0)}, "all must have the same"),
        ({"extra": 1}, "unknown field `extra`"),
    ],
)
def test_a_vector_that_is_none_is_refused(change: dict[str, Any], told: str) -> None:
    """Nothing of the answer is kept."""
    tenant = decided()
    answer = vectors(tenant.lease(EMBED).input["memories"])
    whole = {name: item for name, item in change.items() if name in answer}
    answer["vectors"][0] |= {name: item for name, item in change.items() if name not in answer}
    assert told in refused(tenant, EMBED, answer | whole)
    with tenant.ports.truth.read() as rows:
        assert [] == rows.vectors.embeddings()
