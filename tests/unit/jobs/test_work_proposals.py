"""What agents propose about a turn: whose word it is, what the gate says, what counts once.

In: turns in Chinese and English, and answers of agents that quote, invent, repeat or overreach.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from work_tenant import EXTRACT, Tenant, fact

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.job import JobState
from smartbrain.domain.memory import Status
from smartbrain.domain.result import RetentionAction
from smartbrain.domain.turn import DOCUMENT, ECHOES, Marked
from smartbrain.errors import UsageError
from smartbrain.jobs.work import WorkOutcome
from smartbrain.jobs.work_answers import answer_again
from smartbrain.remember.echoes import sentence_mark
from smartbrain.remember.operate import retract_memory

pytestmark = pytest.mark.spec("C9", "C6", "C3")

# Statements that the rules leave to a reader who understands them.
ZH, EN = "机房那边给我们留了十二个柜位。", "Racks twelve through fifteen stay with our group."
QUESTION = "Do racks twelve through fifteen stay with our group?"
KEY = "fact:racks:count"


def codes(outcome: WorkOutcome) -> list[str]:
    """Return what became of each proposal."""
    return [one.code for one in outcome.explain.retention]


def racks(value: str = "12", **more: Any) -> dict[str, Any]:
    """Return an answer that proposes how many racks there are."""
    return fact("racks", "count", value, **more)


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        (ZH, "给我们留了十二个柜位"),
        (ZH, "柜位"),
        (EN, "Racks twelve through fifteen stay with our group."),
        (EN, "stay with\n our group"),
        (f"{ZH}\n{EN}", f"{ZH} {EN}"),
        ("把 racks 12 台留给我们组。", "racks 12 台留给我们"),
    ],
)
def test_a_quotation_of_the_user_counts_as_said_by_the_user(said: str, quote: str) -> None:
    """Word for word, whatever the blanks: at least 0.8, with the spans of just these words."""
    tenant = Tenant()
    tenant.say(said, "好的。")
    outcome = tenant.answer(racks(quote=quote, confidence=0.1))
    memory = tenant.memory(KEY)
    assert (0.8, "user") == (memory.confidence, memory.provenance.creator)
    with tenant.ports.truth.read() as rows:
        chunks = rows.raw.get(span.raw_id for span in memory.raw_refs)
    pieces = [
        (chunks[span.raw_id].body or b"")[span.offset : span.offset + span.length]
        for span in memory.raw_refs
    ]
    assert quote.split() == memory.text.split() == b"".join(pieces).decode().split()
    assert (memory.id,) == outcome.written
    assert () == outcome.explain.ignored


@pytest.mark.parametrize(
    ("said", "answer", "quote"),
    [
        (ZH, "好的。", None),
        (ZH, "好的。", "给我们留了十三个柜位"),
        (EN, "OK.", "Racks twelve through fifteen stay with their group."),
        (QUESTION, "Yes.", "racks twelve through fifteen stay with our group"),
        ("机房给我们留了十二个柜位吗？", "是的。", "机房给我们留了十二个柜位"),
        ("也许机房会给我们留十二个柜位。", "嗯。", "机房会给我们留十二个柜位"),
        ("谢谢 thanks", "机房给你们留了十二个柜位。", "机房给你们留了十二个柜位"),
        (f"```\n{EN}\n```\n谢谢", "OK.", EN),
        ("他在邮件里写“机房给我们留了十二个柜位没错”。", "好。", "机房给我们留了十二个柜位没错"),
        (f"[E1] {EN} — turn:1\nthanks", "OK.", EN),
        ("Racksmith keeps the stay list.", "OK.", "Racks"),
        (ZH, "好的。", "了"),
        (ZH, "好的。", "。"),
        (ZH, "好的。", " "),
    ],
)
def test_what_the_user_does_not_state_is_inferred(
    said: str, answer: str, quote: str | None
) -> None:
    """Invented, asked, guessed, the assistant's, code, hearsay, an echo, a part of a word: 0.6."""
    tenant = Tenant()
    tenant.say(said, answer)
    outcome = tenant.answer(racks(quote=quote, confidence=0.99))
    memory = tenant.memory(KEY)
    assert (0.6, "agent", ()) == (memory.confidence, memory.provenance.creator, memory.raw_refs)
    told = [reason.code for reason in outcome.explain.ignored]
    assert (["quote_not_found"] if quote else []) == told


def test_a_document_is_nobody_s_word() -> None:
    """What was pasted as a document is not asserted by quoting it."""
    tenant = Tenant()
    tenant.commit(Marked([{"role": "user", "content": EN}], DOCUMENT))
    tenant.answer(racks(quote=EN))
    assert 0.6 == tenant.memory(KEY).confidence


def test_what_a_context_had_shown_is_not_shown_to_agents() -> None:
    """The assistant's echo of memory is no new evidence for it."""
    tenant = Tenant()
    result = tenant.say("有几个柜位？", "机房有十二个柜位。够用了。")
    with tenant.ports.truth.write() as rows:
        (job,) = rows.working.jobs(kind=EXTRACT)
        turn = replace(rows.events.turn(result.turn_id), id="again", seq=9)
        meta = {ECHOES: [sentence_mark("机房有十二个柜位")]}
        said = tuple(replace(m, id=f"{m.id}x", meta=meta) for m in turn.messages)
        turn = replace(turn, messages=said)
        rows.raw.hold(list(rows.raw.get(s.raw_id for m in turn.messages for s in m.spans).values()))
        rows.events.add_turns([turn])
        payload = {"turn_id": "again", "messages": [message.id for message in turn.messages]}
        rows.working.put_job(replace(job, id="job-again", payload=payload))
    shown_to = tenant.queue.lease([EXTRACT], "agent", limit=2)[1]
    assert ["有几个柜位？", "够用了。"] == [one["content"] for one in shown_to.input["messages"]]


def test_a_preference_needs_the_user_s_words() -> None:
    """Nobody but the user says what the user prefers, and no flag of an agent changes that."""
    tenant = Tenant()
    tenant.say("深色背景看着舒服，就它了。")
    preference = {"scope": "ui", "name": "theme", "value": "dark", "confirmed": True}
    guessed = tenant.answer({"preferences": [{**preference, "remember": True}]})
    assert ["unconfirmed"] == codes(guessed)
    assert ["not_asked", "not_asked"] == [one.code for one in guessed.explain.ignored]
    tenant.say("深色背景看着舒服，就它了。")
    tenant.answer({"preferences": [{**preference, "quote": "深色背景看着舒服"}]})
    assert 0.8 == tenant.memory("pref:ui:theme").confidence


@pytest.mark.spec("C11")
@pytest.mark.parametrize("quote", [None, ZH])
def test_what_the_user_rejected_does_not_come_back(quote: str | None) -> None:
    """Neither inferred nor quoted from before the rejection; a new statement brings it back."""
    tenant = Tenant()
    tenant.say(ZH)
    tenant.answer(racks(quote=ZH))
    tenant.say(ZH, session="early")
    early = tenant.lease()
    for _ in range(2):
        retract_memory(KEY, "不对 wrong", ports=tenant.ports, rules=tenant.rules)
        refused = tenant.queue.complete(early.id, "agent", racks(quote=quote))
        assert ["older_than_denial"] == codes(refused)
        assert tenant.active(KEY) is None
        tenant.say(ZH)
        tenant.answer(racks(quote=ZH))
        assert Status.ACTIVE is tenant.memory(KEY).status
        tenant.say(ZH, session="early")
        early = tenant.lease()


@pytest.mark.spec("C11")
def test_what_a_turn_gave_already_is_not_counted_again() -> None:
    """By rules or by an agent, and whether the turn said it first or only again."""
    tenant = Tenant()
    given = {"subject": "racks", "attribute": "count", "value": "12", "remember": True}
    for frequency in (1, 2):
        tenant.commit({"messages": [{"role": "user", "content": ZH}], "facts": [given]})
        outcome = tenant.answer(racks(quote=ZH))
        assert (["known"], ()) == (codes(outcome), outcome.written)
        assert frequency == tenant.memory(KEY).frequency
    tenant.say(ZH)
    outcome = tenant.answer(racks(quote=ZH))
    assert ["repeated"] == codes(outcome)
    assert 3 == tenant.memory(KEY).frequency


def test_an_inference_does_not_overrule_the_user_s_words_in_the_same_turn() -> None:
    """What the user said outright stands against what somebody reads into it."""
    tenant = Tenant()
    decision = {"project": "p", "topic": "db", "decision": "Postgres"}
    tenant.commit({"messages": [{"role": "user", "content": "谢谢"}], "decisions": [decision]})
    outcome = tenant.answer({"decisions": [{**decision, "decision": "换成 MySQL"}]})
    assert ["outweighed"] == codes(outcome)
    assert "Postgres" == tenant.memory("decision:p:db").value["decision"]


@pytest.mark.spec("M4")
def test_late_answers_keep_the_time_of_their_turn() -> None:
    """What was said since stands; the older value takes its place in the past."""
    tenant = Tenant()
    tenant.say(ZH)
    early = tenant.lease()
    decided = {"project": "p", "topic": "db", "decision": "MySQL", "remember": True}
    tenant.commit({"decisions": [decided]})
    answer = {"decisions": [{**decided, "decision": "Postgres 十四", "quote": ZH}]}
    tenant.queue.complete(early.id, "agent", answer)
    history = [(one.value["decision"], one.status) for one in tenant.history("decision:p:db")]
    assert [("Postgres 十四", Status.SUPERSEDED), ("MySQL", Status.ACTIVE)] == history


def test_only_the_user_takes_things_back() -> None:
    """A retraction needs the user's words, and what was said since is not touched."""
    tenant = Tenant()
    tenant.say(ZH)
    early = tenant.lease()
    tenant.say(ZH)
    tenant.answer(racks(quote=ZH))
    gone = {"retractions": [{"type": "facts", "key": KEY, "reason": "取消", "quote": ZH}]}
    assert ["older_than_active"] == codes(tenant.queue.complete(early.id, "agent", gone))
    tenant.say("机房把柜位都收回了。")
    unquoted = {"retractions": [{"type": "facts", "key": KEY}]}
    assert ["unconfirmed"] == codes(tenant.answer(unquoted))
    tenant.say("机房把柜位都收回了。")
    quoted = {"retractions": [{"type": "facts", "key": KEY, "quote": "机房把柜位都收回了"}]}
    outcome = tenant.answer(quoted)
    assert [RetentionAction.RETRACTED] == [one.action for one in outcome.explain.retention]
    assert tenant.active(KEY) is None


@pytest.mark.spec("C2")
def test_an_entity_is_not_made_by_proposing_it() -> None:
    """Being named again makes it a memory."""
    tenant = Tenant()
    tenant.say(ZH)
    entity = {"kind": "org", "canonical": "机房", "quote": ZH}
    assert ["entity_gate"] == codes(tenant.answer({"entities": [entity]}))


def test_what_is_written_leads_back_to_its_turn() -> None:
    """The turn is its source, its episode its evidence; repeated, the episode supports it."""
    tenant = Tenant()
    first = tenant.say(EN)
    tenant.answer(racks(quote=EN))
    memory = tenant.memory(KEY)
    assert first.turn_id == memory.source_turn_id
    again = tenant.say(EN)
    tenant.answer(racks(quote=EN))
    with tenant.ports.truth.read() as rows:
        (source,) = rows.edges.of(memory.id, kind=EdgeType.DERIVED_FROM)
        (support,) = rows.edges.of(memory.id, outgoing=False, kind=EdgeType.SUPPORTS)
        episodes = rows.memories.get([source.dst, support.src])
    turns = [episodes[one].source_turn_id for one in (source.dst, support.src)]
    assert [first.turn_id, again.turn_id] == turns


BAD = [
    ({"facts": {"subject": "a"}}, "facts must be a list"),
    ({"facts": ["a"]}, "facts[0] must be a dict"),
    ({"facts": [{"subject": "a"}]}, "facts[0]"),
    ({"factz": []}, "did you mean 'facts'"),
    ({"episodes": []}, "'episodes', which cannot be proposed"),
    ({"statements": []}, "'statements', which cannot be proposed"),
    (racks(quote=3), "facts[0].quote must be text"),
    (racks(quote="长" * 2001), "facts[0].quote has 2001"),
    (racks(confidence=1.5), "confidence"),
    (racks(confidence="sure"), "confidence"),
    ({"tasks": [{"project": "p", "title": "写", "status": "maybe"}]}, "status"),
    ({"retractions": [{"type": "episodes", "key": "episode:a:b"}]}, "retractions[0].type"),
    ({"retractions": [{"key": KEY}]}, "retractions[0].type"),
    ({"retractions": [{"type": "facts", "key": "没有"}]}, "retractions[0]"),
    ({"facts": [racks()["facts"][0]] * 101}, "101 proposals"),
]


@pytest.mark.parametrize(("answer", "told"), BAD)
def test_a_malformed_proposal_is_refused_by_name(answer: dict[str, Any], told: str) -> None:
    """The sentence says where; the work stays leased and nothing is written."""
    tenant = Tenant()
    tenant.say(ZH)
    work = tenant.lease()
    with pytest.raises(UsageError) as caught:
        tenant.queue.complete(work.id, "agent", answer)
    assert told in caught.value.message
    assert "\n" not in caught.value.message
    assert [JobState.LEASED] == [one.state for one in tenant.queue.works(EXTRACT)]
    assert [] == tenant.operations()


@pytest.mark.spec("E1")
def test_a_stored_answer_gives_the_same_memories_again() -> None:
    """The operation holds work, owner and answer: another tenant with the turn needs no agent."""
    tenant, again = Tenant(), Tenant()
    for one in (tenant, again):
        one.say(ZH, "好的。")
    work = tenant.lease(owner="模型 model")
    outcome = tenant.queue.complete(work.id, "模型 model", racks(quote=ZH))
    (operation,) = tenant.operations()
    assert (outcome.operation_id, "agent:模型 model") == (operation.id, operation.actor)
    assert racks(quote=ZH) == operation.input["answer"]
    again.clock.now = operation.at
    answer_again(operation.input, again.ports, again.rules)
    assert tenant.memory(KEY) == again.memory(KEY)
