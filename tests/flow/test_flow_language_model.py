"""A language model as a reader, over real HTTP: what it claims, what is dropped, how it fails.

In: brains opened as users open them, and a service that answers what a script says. Out: memories
that follow the user's own words, commits that never fail, and explanations of all of it (K5).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from flow_builders import assistant, user

from smartbrain import AsyncSmartBrain, SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.result import CommitResult
from smartbrain.jobs.extract import ExtractReport
from smartbrain.testing.model_service import MODEL, ChatService, Fault, running_chat_service, saying

pytestmark = pytest.mark.spec("K5", "C6")

HOME_ZH, HOME_EN = "坐标合肥，租的房，隔壁天天装修吵死", "been in leeds since autumn, still boxes"


@pytest.fixture
def service() -> Iterator[ChatService]:
    with running_chat_service() as running:
        yield running


def opened(folder: Path, service: ChatService, **options: Any) -> SmartBrain:
    """Open a brain whose turns the service reads."""
    model = {"language_model": f"{service.url}#{MODEL}", "timeout": 10, **options}
    return SmartBrain.open(folder, language_model=model)


def claim(quote: str, attr: str, value: str, **more: Any) -> dict[str, Any]:
    """Return a claim of the user's profile, unless said otherwise."""
    given = {"type": "profile", "subject": "user", "relation": "self", "say": "assert"}
    return {**given, "attr": attr, "value": value, "quote": quote, **more}


def script(service: ChatService, *answers: object) -> None:
    """Let the service answer so, one answer a request."""
    for answer in answers:
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        service.faults.append(saying(text))


def say(
    brain: SmartBrain, service: ChatService, text: str, *claims: dict[str, Any], session: str = "s"
) -> CommitResult:
    """Commit what the user says, and have it read as these claims before that returns."""
    script(service, {"claims": list(claims)})
    return brain.commit_turn(session, [user(text)], wait=True)


def facts(brain: SmartBrain, key: str = "profile:user") -> dict[str, Any]:
    """Return what stands in a profile."""
    found = [one for one in brain.memories.list(type="profile").items if one.key == key]
    return {fact["k"]: fact["v"] for one in found for fact in one.value["facts"]}


def codes(result: CommitResult) -> list[str]:
    """Return why parts of an answer, or all of it, were ignored."""
    return [one.code for one in result.explain.ignored]


@pytest.mark.parametrize(
    ("first", "second", "values"),
    [
        (HOME_ZH, "终于搬完了累瘫。。现在住苏州，离公司走路八分钟", ("合肥", "苏州")),
        (HOME_EN, "ok so the move is done, york it is", ("leeds", "york")),
    ],
)
def test_it_asserts_ends_and_corrects(
    tmp_path: Path, service: ChatService, first: str, second: str, values: tuple[str, str]
) -> None:
    """In words that no rule reads: a new value, an end, and what never was so."""
    old, new = values
    with opened(tmp_path, service) as brain:
        result = say(brain, service, first, claim(first, "home", old))
        (written,) = result.memory_written.items
        assert ("profile:user", 0.8) == (written.key, written.confidence)
        say(brain, service, second, claim(second, "home", new))
        assert {"home": new} == facts(brain)
        say(brain, service, "搬走了 gone", claim("搬走了 gone", "home", new, say="end"))
        assert {} == facts(brain)
        back = "回来了 back again, team 急诊"
        say(brain, service, back, claim(back, "home", old), claim(back, "team", "急诊"))
        nope = "不是急诊 no team at all"
        say(brain, service, nope, claim(nope, "team", "急诊", say="wrong"))
        assert {"home": old} == facts(brain)


def test_it_replaces_what_rules_had_found(tmp_path: Path, service: ChatService) -> None:
    """The rules' claims of its messages give way; they are kept, and told in the explanation."""
    text = "记住：我住在上海。"
    with opened(tmp_path, service) as brain:
        result = say(brain, service, text, claim(text, "home", "上海浦东"))
        assert {"home": "上海浦东"} == facts(brain)
        last = brain.explain(turn_id=result.turn_id).steps[-1]
        told = {one.code: one.reason for one in last.retention}
        assert "上海" in told["replaced"]
        assert "a language model has read the message anew" in told["replaced"]
        kept = brain.metrics()["language_model_claims_count"]
        assert (1.0, 0.0) == (kept["kept"], kept["dropped"])
        assert kept["replaced"] >= 1


def test_an_empty_answer_replaces_too_and_leaves_the_rest(
    tmp_path: Path, service: ChatService
) -> None:
    """Put, proposed and told by tools stays; what rules read in the message goes."""
    with opened(tmp_path, service) as brain:
        brain.memories.put("facts", "fact:server:port", {"value": "8080"})
        script(service, {"claims": []})
        given = {
            "messages": [user("我住在上海。")],
            "decisions": [{"project": "p", "topic": "db", "decision": "Postgres"}],
        }
        result = brain.commit_turn("s", given, wait=True)
        assert {} == facts(brain)
        keys = {one.key for one in brain.memories.list().items if one.type != "episodes"}
        assert {"fact:server:port", "decision:p:db"} <= keys
        assert {"decision:p:db"} == {one.key for one in result.memory_written.items}


def test_what_was_asked_outright_to_be_remembered_stays(
    tmp_path: Path, service: ChatService
) -> None:
    """`brain.remember` is the user's own operation, which no empty answer undoes."""
    script(service, {"claims": []})
    with opened(tmp_path, service) as brain:
        brain.remember("我住在上海。")
        brain.jobs.run("extract")
        assert {"home": "上海"} == facts(brain)


@pytest.mark.parametrize(
    ("messages", "quote", "code"),
    [
        ([user("我搬家了")], "我搬到杭州了", "quote_not_found"),
        ([user("ok"), assistant("You live in Rome.")], "You live in Rome", "quote_of_assistant"),
        (
            [user("Translate this into French: I live in Rome and work at Fiat.")],
            "I live in Rome",
            "quote_handed_over",
        ),
        (
            [user("看看这段：\n```\nI live in Rome\n```\n对吗")],
            "I live in Rome",
            "quote_handed_over",
        ),
        ([user("I live in Romeville")], "I live in Rome", "quote_not_found"),
        ([user("我在罗马住")], "罗", "quote_too_short"),
        ([user("I do not live in Rome.")], "live in Rome", "quote_denied"),
        ([user("我从来没住在罗马")], "住在罗马", "quote_denied"),
        ([user("whatever")], " ", "quote_too_short"),
    ],
)
def test_only_the_user_s_own_words_count(
    tmp_path: Path, service: ChatService, messages: list[Any], quote: str, code: str
) -> None:
    """Invented, the assistant's, handed over, pasted, half a word: dropped with a reason."""
    script(service, {"claims": [claim(quote, "home", "Rome")]})
    with opened(tmp_path, service) as brain:
        result = brain.commit_turn("s", messages, wait=True)
        assert [code] == codes(result)
        assert {} == facts(brain)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("I moved to\n   Rome  last week", "moved to Rome last week"),
        ("I’m in Rome now", "I'm in Rome now"),
        ("do Romans like me need a visa?", "do Romans like me need a visa?"),
        ("罗马", "罗马"),
        ("It's not far, Rome is our home.", "Rome is our home"),
        ("不过罗马才是家", "罗马才是家"),
    ],
)
def test_a_quotation_may_differ_in_blanks_and_marks(
    tmp_path: Path, service: ChatService, text: str, quote: str
) -> None:
    """As models write it; a question may state something in passing, a word may be all there is."""
    with opened(tmp_path, service) as brain:
        result = say(brain, service, text, claim(quote, "home", "Rome"))
        assert [] == codes(result)
        assert {"home": "Rome"} == facts(brain)


def test_foreign_attributes_wrong_types_and_floods(tmp_path: Path, service: ChatService) -> None:
    """What is foreign is `other`, what cannot be is dropped, of 500 claims sixty are looked at."""
    text = "鞋码43，还有别的"
    claims = [claim(text, "shoe_size", "43"), claim(text, "home", ""), claim(text, "mood", "x")]
    claims[2]["type"] = "moods"
    with opened(tmp_path, service) as brain:
        result = say(brain, service, text, *claims)
        assert ["no_value", "bad_type"] == codes(result)
        assert {"other": "43"} == facts(brain)
        many = [claim("又来 again", "hobby", f"hobby {n}") for n in range(500)]
        result = say(brain, service, "又来 again", *many)
        assert ["too_many"] == codes(result)
        assert 442 == brain.metrics()["language_model_claims_count"]["dropped"]
        assert 20 == sum(fact["k"] == "hobby" for fact in _profile(brain)["facts"])


def _profile(brain: SmartBrain) -> dict[str, Any]:
    (found,) = brain.memories.list(type="profile").items
    return dict(found.value)


@pytest.mark.spec("K6")
def test_what_it_is_not_certain_of_waits_for_a_second_session(
    tmp_path: Path, service: ChatService
) -> None:
    """A candidate is kept and told; said again elsewhere it counts."""
    text = "好像是去了网易"
    unsure = claim(text, "employer", "网易", certainty=0.3)
    with opened(tmp_path, service) as brain:
        result = say(brain, service, text, unsure)
        assert {} == facts(brain)
        assert "uncertain" in [one.code for one in result.explain.retention]
        say(brain, service, text, unsure, session="other")
        assert {"employer": "网易"} == facts(brain)


@pytest.mark.spec("K10")
def test_people_are_one_by_their_names(tmp_path: Path, service: ChatService) -> None:
    """A daughter, her name and 闺女 are one memory; taking the name back parts them again."""

    def of(quote: str, subject: str, attr: str, value: str, **more: Any) -> dict[str, Any]:
        about = {"subject": subject, "relation": "child"}
        return claim(quote, attr, value, **about, **more)

    with opened(tmp_path, service) as brain:
        say(brain, service, "我女儿5岁，上中班", of("我女儿5岁", "我女儿", "age", "5岁"))
        say(brain, service, "朵朵升大班啦", of("朵朵升大班啦", "朵朵", "education", "大班"))
        assert {"profile:我女儿", "profile:朵朵"} == _keys(brain)
        say(brain, service, "女儿叫朵朵", of("女儿叫朵朵", "女儿", "name", "朵朵"))
        assert {"profile:我女儿"} == _keys(brain)
        say(brain, service, "闺女满6岁了", of("闺女满6岁了", "闺女", "age", "6岁"))
        expected = {"age": "6岁", "education": "大班", "name": "朵朵"}
        assert expected == facts(brain, "profile:我女儿")
        put = {"facts": [{"k": "hobby", "v": "画画"}]}
        brain.memories.put("profile", "profile:我女儿", put)
        assert "画画" == facts(brain, "profile:我女儿")["hobby"]
        wrong = of("不叫朵朵", "女儿", "name", "朵朵", say="wrong")
        say(brain, service, "女儿不叫朵朵，那是侄女", {**wrong, "quote": "女儿不叫朵朵"})
        assert {"education": "大班"} == facts(brain, "profile:朵朵")
        assert {"age": "6岁", "hobby": "画画"} == facts(brain, "profile:我女儿")


@pytest.mark.spec("K2", "K10")
def test_the_order_in_which_people_arrive_does_not_matter(
    tmp_path: Path, service: ChatService
) -> None:
    """Whatever was said first comes first, whenever it is committed and read."""
    said = [
        ("my daughter is 8", "my daughter", "age", "8"),
        ("her name is Nora", "my daughter", "name", "Nora"),
        ("Nora turned 9", "Nora", "age", "9"),
        ("Theo is 2", "Theo", "age", "2"),
        ("my kid likes chess", "my kid", "hobby", "chess"),
    ]
    found = []
    with opened(tmp_path, service) as root:
        for number, order in enumerate([(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 0, 4, 1, 3)]):
            brain = root.tenant(f"t{number}")
            for place in order:
                text, subject, attr, value = said[place]
                about = {"subject": subject, "relation": "child"}
                script(service, {"claims": [claim(text, attr, value, **about)]})
                given = {"at": f"2026-03-0{place + 1}T08:00:00Z", "messages": [user(text)]}
                brain.commit_turn(f"s{place}", given, wait=True)
            found.append({key: facts(brain, key) for key in _keys(brain)})
    expected = {"profile:my_daughter": {"age": "9", "name": "Nora"}, "profile:theo": {"age": "2"}}
    assert [expected] * 3 == found


def _keys(brain: SmartBrain) -> set[str]:
    return {one.key for one in brain.memories.list(type="profile").items}


@pytest.mark.parametrize(
    "answer", ["I found nothing, sorry!", '{"facts": []}', "[]", '{"claims": 3}']
)
def test_an_answer_that_is_none_replaces_nothing(
    tmp_path: Path, service: ChatService, answer: str
) -> None:
    """The commit tells it, the rules' reading stands, and the turn is asked about again later."""
    script(service, answer)
    with opened(tmp_path, service) as brain:
        result = brain.commit_turn("s", [user("我住在上海。")], wait=True)
        assert (True, ["model_failed"]) == (result.ok, codes(result))
        assert {"home": "上海"} == facts(brain)
        (work,) = brain.work.list("extract")
        assert ("queued", 1) == (work.state.value, work.attempts)
        assert 1 == brain.metrics()["language_model_calls_count"]["failed"]


def test_a_model_that_never_answers_costs_no_commit(tmp_path: Path, service: ChatService) -> None:
    """The wait ends with the model's time; what it says after that changes nothing."""
    release = Event()
    text = "我住在上海。"
    answer = saying(json.dumps({"claims": [claim(text, "home", "北京")]}))
    answer.until = release
    service.faults.append(answer)
    with opened(tmp_path, service, timeout=0.3) as brain:
        result = brain.commit_turn("s", [user(text)], wait=True)
        assert codes(result) in (["model_late"], ["model_failed"])
        release.set()
        assert {"home": "上海"} == facts(brain)
        (work,) = brain.work.list("extract")
        assert 0 == work.attempts


def test_a_late_answer_of_the_caller_s_own_model_changes_nothing(tmp_path: Path) -> None:
    """It was handed back meanwhile; whoever reads next has it."""
    release, text = Event(), "我住在上海。"

    class Slow:
        model = "slow"

        def complete(self, *_given: Any, **_more: Any) -> Any:
            from smartbrain.ports.language_model import ModelAnswer

            release.wait(10)
            return ModelAnswer(json.dumps({"claims": [claim(text, "home", "北京")]}), "slow")

        def close(self) -> None:
            """Nothing to let go of."""

    choice = {"language_model": Slow(), "timeout": 0.2}
    with SmartBrain.open(tmp_path, language_model=choice) as brain:
        result = brain.commit_turn("s", [user(text)], wait=True)
        assert ["model_late"] == codes(result)
        assert {"home": "上海"} == facts(brain)
        assert 1 == brain.metrics()["language_model_calls_count"]["late"]
        release.set()


def test_errors_of_the_server_are_tried_again(tmp_path: Path, service: ChatService) -> None:
    """Two 500s and then an answer: the commit only takes a little longer."""
    service.faults.extend([Fault(status=500, body=b"oops")] * 2)
    with opened(tmp_path, service) as brain:
        result = say(brain, service, HOME_EN, claim(HOME_EN, "home", "leeds"))
        assert [] == codes(result)
        assert {"home": "leeds"} == facts(brain)
        assert 3 == len(service.requests)
        assert 2 == brain.metrics()["language_model_calls_count"]["retried"]


def test_a_server_that_is_gone_never_fails_a_commit(tmp_path: Path) -> None:
    """Nobody listens: stored, read by rules, and said so; it waits in the queue."""
    with running_chat_service() as service:
        url = service.url
    with SmartBrain.open(tmp_path, language_model=f"{url}#{MODEL}") as brain:
        result = brain.commit_turn("s", [user("我住在上海。")], wait=True)
        assert (True, ["model_failed"]) == (result.ok, codes(result))
        assert {"home": "上海"} == facts(brain)
        assert brain.commit_turn("s", [user("好的 fine")]).ok


def test_waiting_without_a_model_is_told(tmp_path: Path) -> None:
    """The keyword costs nothing where there is nobody to wait for."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", [user("我住在上海。")], wait=True)
        assert ["no_language_model"] == codes(result)


def test_the_asynchronous_handle_waits_as_well(tmp_path: Path, service: ChatService) -> None:
    """The same keyword, awaited."""
    script(service, {"claims": [claim(HOME_ZH, "home", "合肥")]})
    model = f"{service.url}#{MODEL}"

    async def commit() -> Any:
        async with await AsyncSmartBrain.open(tmp_path, language_model=model) as brain:
            await brain.commit_turn("s", [user(HOME_ZH)], wait=True)
            return (await brain.memories.list(type="profile")).items

    (found,) = asyncio.run(commit())
    assert "合肥" == found.value["facts"][0]["v"]


def test_it_is_shown_the_ontology_the_memories_and_a_schema(
    tmp_path: Path, service: ChatService
) -> None:
    """What is stable comes first; then what stands, dated, what was asked, and the messages."""
    with opened(tmp_path, service) as brain:
        say(brain, service, HOME_EN, claim(HOME_EN, "home", "leeds"))
        script(service, {"claims": []})
        messages = [assistant("Which city?"), user("york now, moved out of leeds")]
        brain.commit_turn("s", messages, wait=True)
    first, second = (request.body for request in service.requests)
    assert first["messages"][0] == second["messages"][0]
    form = second["response_format"]["json_schema"]["schema"]
    assert ["claims"] == form["required"]
    shown = json.loads(second["messages"][1]["content"])
    assert ["assistant", "user"] == [one["role"] for one in shown["messages"]]
    assert {"attr": "home", "value": "leeds"}.items() <= shown["memories"][0].items()
    assert shown["memories"][0]["since"]


@pytest.mark.spec("E1")
def test_a_replay_uses_the_stored_answers(tmp_path: Path, service: ChatService) -> None:
    """Nobody is asked again, and every memory comes out the same."""
    with opened(tmp_path, service) as brain:
        say(brain, service, HOME_ZH, claim(HOME_ZH, "home", "合肥"))
        say(brain, service, "搬到苏州了", claim("搬到苏州了", "home", "苏州"))
        nora = {"subject": "my daughter", "relation": "child"}
        say(brain, service, "my daughter Nora", claim("my daughter Nora", "name", "Nora", **nora))
        say(brain, service, "没事", claim("编造", "home", "火星"))
        asked = len(service.requests)
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
        assert (4, 4, True) == (report.steps, report.operations, report.identical)
        assert asked == len(service.requests)


@pytest.mark.spec("C9")
def test_an_outside_agent_hands_in_the_same_answer(tmp_path: Path) -> None:
    """Leased from the queue, with the same checks and the same effect."""
    with SmartBrain.open(tmp_path, config={"jobs": {"agents": ["extract"]}}) as brain:
        turn = brain.commit_turn("s", [user(HOME_ZH)]).turn_id
        (work,) = brain.work.lease("extract", "reader")
        assert "allergy" in work.input["attributes"]
        answer = {"claims": [claim(HOME_ZH, "home", "合肥"), claim("没说", "home", "北京")]}
        outcome = brain.work.complete(work.id, "reader", answer)
        assert ["quote_not_found"] == [one.code for one in outcome.explain.ignored]
        assert {"home": "合肥"} == facts(brain)
        assert outcome.explain == brain.explain(turn_id=turn).steps[-1]


def test_what_it_costs_is_counted(tmp_path: Path, service: ChatService) -> None:
    """Calls, tokens and claims, in the metrics of the tenant and in the job's report."""
    with opened(tmp_path, service) as brain:
        say(brain, service, HOME_EN, claim(HOME_EN, "home", "leeds"))
        metrics = brain.metrics()
        assert {"prompt": 3.0, "completion": 5.0} == metrics["language_model_tokens_count"]
        assert 1 == metrics["language_model_calls_count"]["read"]
        report = brain.jobs.run("extract")
        assert isinstance(report, ExtractReport)
        assert (0, 0, "ok") == (report.calls, report.waiting, report.code)
