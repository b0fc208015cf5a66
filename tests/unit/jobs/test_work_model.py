"""A language model that reads turns: what it is asked, what is kept, and what its failures do.

In: scripted models, and a real local service that times out, talks nonsense or is away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from work_tenant import EXTRACT, NOTHING, Tenant, fact

from smartbrain.adapters.models.given import GivenLanguageModel
from smartbrain.adapters.models.http_models import HttpLanguageModel, Pace
from smartbrain.domain.job import JobState
from smartbrain.errors import AdapterError, NotFound, SmartBrainError, UsageError
from smartbrain.jobs.extract import ExtractReport, read_answer, run_extract
from smartbrain.ports.language_model import LanguageModel, ModelAnswer
from smartbrain.testing.model_service import MODEL, ChatService, Fault, running_chat_service, saying
from smartbrain.testing.models import ScriptedModel

pytestmark = pytest.mark.spec("C6", "C9")

ZH, EN = "机房那边给我们留了十二个柜位。", "Racks twelve through fifteen stay with our group."
KEY = "fact:racks:limit"


def spelled(quote: str, value: str = "12") -> str:
    """Return a model's answer that claims one fact."""
    return json.dumps(fact("racks", "limit", value, quote), ensure_ascii=False)


def run(tenant: Tenant, model: LanguageModel, **more: Any) -> ExtractReport:
    """Have a model read what waits."""
    return run_extract(tenant.ports, model, tenant.rules, wall=tenant.wall, **more)


def states(tenant: Tenant) -> list[str]:
    """Return where each turn's work stands."""
    return [work.state.value for work in tenant.queue.works(EXTRACT)]


@pytest.fixture
def service() -> Iterator[ChatService]:
    with running_chat_service() as running:
        yield running


@pytest.fixture
def model(service: ChatService) -> Iterator[HttpLanguageModel]:
    pace = Pace(jitter=lambda: 1.0, sleep=lambda _seconds: None, monotonic=lambda: 0.0)
    opened = HttpLanguageModel(service.url, MODEL, pace=pace)
    yield opened
    opened.close()


@pytest.mark.parametrize("said", [ZH, EN])
def test_what_the_model_quotes_is_remembered_as_the_user_said_it(said: str) -> None:
    """It is shown the ontology and the turn; its answer is kept with the operation."""
    tenant = Tenant()
    tenant.say(said, "好的。")
    scripted = ScriptedModel([f"Here you are:\n```json\n{spelled(said)}\n```"])
    report = run(tenant, scripted)
    assert (1, 1, 1, 0) == (report.read, report.written, report.calls, report.failures)
    assert {"kept": 1, "dropped": 0} == {name: report.claims[name] for name in ("kept", "dropped")}
    memory = tenant.memory(KEY)
    assert (0.8, said) == (memory.confidence, memory.text)
    ((system, user),) = scripted.asked
    assert "allergy (allergies) 过敏 many" in system.content
    assert [said, "好的。"] == [one["content"] for one in json.loads(user.content)["messages"]]
    (operation,) = tenant.operations()
    assert operation.actor.startswith("agent:language model scripted ")
    assert json.loads(spelled(said)) == operation.input["answer"]


def test_what_stands_and_what_was_asked_is_shown() -> None:
    """A reader sees what a change may end, dated, and the question that an answer leans on."""
    tenant = Tenant()
    tenant.say("我住在上海。", "好的。你在哪家公司上班？")
    tenant.say("在网易，上周搬到杭州了")
    home = {"type": "profile", "attr": "home", "value": "上海", "quote": "我住在上海"}
    model = ScriptedModel([json.dumps({"claims": [home]}), json.dumps(NOTHING)])
    run(tenant, model)
    shown = json.loads(model.asked[-1][1].content)
    assert "你在哪家公司上班？" in shown["before"]
    assert {"attr": "home", "value": "上海"}.items() <= shown["memories"][0].items()
    assert "2026" in shown["memories"][0]["since"]


def test_claims_that_cannot_be_are_dropped_and_told() -> None:
    """One that a model got wrong does not cost the others."""
    tenant = Tenant()
    turn = tenant.say(ZH).turn_id
    (right,) = json.loads(spelled(ZH))["claims"]
    wrong = [{"type": "tasks"}, 3, {**right, "type": "moods"}, {**right, "say": "perhaps"}]
    report = run(tenant, ScriptedModel([json.dumps({"claims": [right, *wrong]})]))
    assert (1, 1, 4) == (report.read, report.written, report.claims["dropped"])
    with tenant.ports.truth.read() as rows:
        told = rows.remembering.explanations(turn)[-1]["ignored"]
    codes = ["bad_claim", "bad_claim", "bad_claim", "bad_type"]
    assert codes == sorted(one["code"] for one in told)
    assert list(report.dropped) == [one["reason"] for one in told]


@pytest.mark.parametrize("text", ["", "没有 nothing", "[]", "}{", "{", '{"facts": [}', "{" * 5000])
def test_an_answer_without_an_object_is_none(text: str) -> None:
    """Whatever a model says, it is read or refused."""
    with pytest.raises(UsageError):
        read_answer(text)


def test_nonsense_is_asked_for_again_later_and_not_for_ever() -> None:
    """Each time after a longer pause; other turns are read meanwhile."""
    tenant = Tenant()
    tenant.say("你好 hello")
    tenant.say(EN)
    scripted = ScriptedModel(["我不知道 I do not know", spelled(EN), "still not"])
    report = run(tenant, scripted)
    assert (1, 1, 1, "usage") == (report.read, report.put_off, report.waiting, report.code)
    assert ["queued", "done"] == states(tenant)
    assert 0 == run(tenant, scripted).put_off
    for _ in range(7):
        tenant.wall.advance(hours=1)
        run(tenant, scripted)
    assert ["failed", "done"] == states(tenant)
    assert 9 == len(scripted.asked)


@pytest.mark.parametrize(
    "error",
    [AdapterError("它不在 away", retryable=True), UsageError("它不在 away", code="closed")],
)
def test_a_model_that_is_away_leaves_the_work_in_the_queue(error: SmartBrainError) -> None:
    """However often it is tried, no attempt is counted, and nothing else is asked of it."""
    tenant = Tenant()
    for text in (ZH, EN):
        tenant.say(text)
    away = ScriptedModel([error])
    for _ in range(20):
        report = run(tenant, away)
        assert (0, 2, "它不在 away") == (report.read, report.waiting, report.reason)
        tenant.wall.advance(hours=1)
    assert 20 == len(away.asked)
    report = run(tenant, ScriptedModel([spelled(ZH), json.dumps(NOTHING)]))
    assert (2, 1) == (report.read, report.written)


def test_a_request_that_the_model_refuses_is_put_off() -> None:
    """Waiting does not help it, so it counts as an attempt."""
    tenant = Tenant()
    tenant.say(ZH)
    refusing = ScriptedModel([AdapterError("太长 too long", retryable=False)])
    assert (1, 1) == (run(tenant, refusing).put_off, tenant.queue.works(EXTRACT)[0].attempts)


@pytest.mark.parametrize(
    "error",
    [RuntimeError("坏了\nbroken"), KeyError("choices"), NotFound("没有模型 no model")],
    ids=type,
)
def test_a_model_that_breaks_fails_its_work_with_what_it_raised(error: Exception) -> None:
    """Somebody else's code may raise anything; the work says what, and other turns are read."""
    tenant = Tenant()
    for text in (ZH, EN):
        tenant.say(text)

    class Broken(ScriptedModel):
        def complete(self, *given: Any, **more: Any) -> Any:
            answer = super().complete(*given, **more)
            if 1 == len(self.asked):
                raise error
            return answer

    report = run(tenant, GivenLanguageModel(Broken([spelled(EN)])))
    told = "the language model failed: " + " ".join(str(error).split())
    assert (1, 1, "adapter") == (report.read, report.put_off, report.code)
    work, _ = tenant.queue.works(EXTRACT)
    assert (JobState.QUEUED, 1, told) == (work.state, work.attempts, work.error)
    assert ["queued", "done"] == states(tenant)


@pytest.mark.parametrize("answer", [None, ModelAnswer(None, "空", {})])  # type: ignore[arg-type]
def test_a_model_that_answers_no_text_fails_its_work(answer: object) -> None:
    """Nothing stays leased because an answer was none."""
    tenant = Tenant()
    tenant.say(ZH)

    class Wordless(ScriptedModel):
        def complete(self, *given: Any, **more: Any) -> Any:
            return answer

    assert 1 == run(tenant, GivenLanguageModel(Wordless([]))).put_off
    (work,) = tenant.queue.works(EXTRACT)
    assert JobState.QUEUED == work.state
    assert work.error


def test_it_stops_when_told_to() -> None:
    """What is left waits for the next run."""
    tenant = Tenant()
    for text in ("一 one", "二 two", "三 three"):
        tenant.say(text)
    scripted = ScriptedModel([json.dumps(NOTHING)])
    report = run(tenant, scripted, stopped=lambda: len(scripted.asked) == 2)
    assert (2, 1, "stopped") == (report.read, report.waiting, report.code)


def test_somebody_else_s_answer_counts_if_they_were_quicker() -> None:
    """A model that took too long loses to whoever took the work over."""
    tenant = Tenant()
    tenant.say(ZH)

    class Slow(ScriptedModel):
        def complete(self, *given: Any, **more: Any) -> Any:
            tenant.wall.advance(hours=1)
            tenant.answer(fact("racks", "limit", "13", ZH), owner="quicker")
            return super().complete(*given, **more)

    report = run(tenant, Slow([spelled(ZH)]))
    assert (0, "lease_lost") == (report.read, report.code)
    assert "13" == tenant.memory(KEY).value["value"]


def test_a_service_that_talks_nonsense_then_sense(
    service: ChatService, model: HttpLanguageModel
) -> None:
    """Over real sockets: garbage is put off, a good answer is kept."""
    tenant = Tenant()
    tenant.say(ZH)
    service.faults.append(saying("<html>不是 JSON</html>"))
    assert 1 == run(tenant, model).put_off
    tenant.wall.advance(minutes=1)
    service.faults.append(saying(spelled(ZH)))
    report = run(tenant, model)
    assert (1, 1) == (report.read, report.written)
    assert (3, 5) == (report.prompt_tokens, report.completion_tokens)
    assert 0.8 == tenant.memory(KEY).confidence


@pytest.mark.parametrize("fault", ["timeout", "error", "hang up", "not json"])
def test_a_service_that_fails_costs_nothing(
    service: ChatService, model: HttpLanguageModel, fault: str
) -> None:
    """The work is where it was, no attempt counted, and commits go on."""
    tenant = Tenant()
    tenant.say(ZH)
    release = Event()
    faults = {
        "timeout": Fault(until=release),
        "error": Fault(status=503, body=b"busy"),
        "hang up": Fault(hang_up=True),
        "not json": Fault(body=b"<html>"),
    }
    service.faults.extend([faults[fault]] * 3)
    report = run(tenant, model, timeout=0.2 if fault == "timeout" else 5.0)
    release.set()
    assert (0, 0, 1, "adapter") == (report.read, report.put_off, report.waiting, report.code)
    (work,) = tenant.queue.works(EXTRACT)
    assert (JobState.QUEUED, 0) == (work.state, work.attempts)
    assert report.reason == work.error
    assert tenant.say(EN).ok
