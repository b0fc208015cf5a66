"""What the OpenAPI document says of answers, held against the answers themselves.

In: one conversation over HTTP in which every call is made once or more. Out: each answer has the
shape that the document promises, every field of it and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from served import served

from smartbrain.entrypoints.rest.graph_calls import CALLS
from smartbrain.entrypoints.wire.verbs import verbs

SETTINGS = """\
jobs: {agents: [extract]}
recall: {vector: {embedders: ["http://127.0.0.1:9#nobody"]}}
"""
SISTER = {"role": "user", "content": "My sister lives in Turin and my phone number is 13900001111."}
FORGET = {"role": "user", "content": "忘掉我的电话号码。Please forget my phone number."}
Answers = dict[str, Any]
Body = dict[str, Any] | Callable[[Answers], dict[str, Any]]


def context(told: Answers) -> str:
    return str(told["compose_context"]["context_id"])


def node(told: Answers) -> str:
    return str(told["/memory/nodes"]["id"])


def pin(told: Answers) -> dict[str, Any]:
    turn = told["commit_turn"]["turn_id"]
    return {"type": "path", "title": "t", "summary": "docs/notes.md", "source": f"chat:{turn}"}


def leased(told: Answers, number: int) -> dict[str, Any]:
    return {"work_id": told["work.lease"][number]["id"], "owner": "a"}


def done(told: Answers, number: int) -> dict[str, Any]:
    return {**leased(told, number), "result": {"claims": []}}


CONVERSATION: list[tuple[str, Body]] = [
    ("open", {}),
    ("capabilities", {}),
    ("commit_turn", {"session_id": "s", "turn_events": [SISTER]}),
    (
        "commit_turn",
        {
            "session_id": "s",
            "turn_events": {
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "我的妹妹住在杭州。"}]},
                    {"role": "assistant", "content": "记住了。"},
                ],
                "tool_calls": [{"name": "ls", "args": {"path": "."}, "result": "a.py\nb.py"}],
                "refs": [{"ref_type": "url", "ref_uri": "https://example.org"}],
                "decisions": [
                    {"key": "decision:api:store", "decision": "Postgres", "because": "pgvector"}
                ],
            },
        },
    ),
    ("remember", {"text": "I prefer short answers."}),
    ("read", {"text": "I moved to Rome, and my daughter 小雨 is five."}),
    ("recall", {"query": "where does my sister live", "k": 5, "include_history": True}),
    ("recall", {"query": "我妹妹住在哪里？ since yesterday", "timebox_days": 3}),
    ("build_memory_packet", {"session_id": "s", "user_message": "我妹妹住在哪里"}),
    ("compose_context", {"session_id": "s", "user_message": "Where does my sister live?"}),
    ("compose_context", {"session_id": "s", "recipe": "chat", "token_limit": 900}),
    ("explain", lambda told: {"context_id": told["compose_context"]["context_id"]}),
    ("explain", lambda told: {"turn_id": told["commit_turn"]["turn_id"]}),
    ("explain", {"query": "where does my sister live", "expect": "Turin"}),
    ("diff", lambda told: dict.fromkeys(("context_id", "other_id"), context(told))),
    (
        "replay",
        lambda told: {
            "context_id": context(told),
            "overrides": {"policies.composition.token_limit": 500},
        },
    ),
    ("memories.put", {"type": "facts", "key": "fact:api:port", "value": {"value": 8080}}),
    ("memories.correct", {"id_or_key": "fact:api:port", "value": {"value": 8443}}),
    ("memories.get", {"id_or_key": "fact:api:port"}),
    ("memories.history", {"key": "fact:api:port"}),
    ("memories.list", {"limit": 2}),
    ("feedback", lambda told: {"memory_id": told["memories.get"]["id"], "action": "pin"}),
    ("memories.retract", {"id_or_key": "fact:api:port", "reason": "gone"}),
    ("artifacts.add", {"tool_name": "ls", "output": "one\ntwo\nthree", "session_id": "s"}),
    ("artifacts.get", lambda told: {"id": told["artifacts.add"]["id"], "range": "1-2"}),
    ("artifacts.grep", lambda told: {"id": told["artifacts.add"]["id"], "pattern": "tw"}),
    ("artifacts.list", {"session_id": "s"}),
    ("fastmemo.add", {"section": "user", "text": "likes tea"}),
    ("fastmemo.read", {}),
    ("fastmemo.compact", {}),
    ("fastmemo.export", {}),
    ("fastmemo.history", {}),
    ("fastmemo.rollback", {"to": 1}),
    ("graph.add_node", {"name": "Entity:Turin"}),
    ("graph.add_node", {"name": "Concept:cities"}),
    ("graph.add_edge", {"src": "Entity:Turin", "type": "ABOUT", "dst": "Concept:cities"}),
    ("graph.neighbors", {"node": "Entity:Turin"}),
    ("graph.khop", {"seeds": "Entity:Turin"}),
    ("graph.ppr", {"seeds": "Entity:Turin"}),
    ("pins.add", pin),
    ("pins.add", lambda told: {**pin(told), "title": "other", "ttl": 3600}),
    ("pins.update", {"id": 1, "title": "notes"}),
    ("pins.renew", {"ids": [2], "ttl": 7200}),
    ("pins.accept", {"ids": [1]}),
    ("pins.list", {}),
    ("pins.remove", {"ids": [2]}),
    ("pins.history", {}),
    ("pins.rollback", {"to": 1}),
    ("plan.add", {"session_id": "s", "text": "ship", "done_when": "it is out"}),
    ("plan.check", {"session_id": "s", "id": 1}),
    ("plan.list", {"session_id": "s"}),
    ("plan.remove", {"session_id": "s", "ids": [1]}),
    ("plan.history", {"session_id": "s"}),
    ("plan.rollback", {"session_id": "s", "to": 1}),
    ("notebook.add", {"session_id": "s", "text": "chose Postgres"}),
    ("notebook.list", {"session_id": "s"}),
    ("notebook.compact", {"session_id": "s"}),
    ("notebook.history", {"session_id": "s"}),
    ("notebook.rollback", {"session_id": "s", "to": 1}),
    ("runs.start", {"session_id": "s", "goal": "ship", "plan": ["build"], "slots": {"a": 1}}),
    (
        "runs.update",
        lambda told: {"run_id": told["runs.start"], "decision": {"text": "x", "detail": "y"}},
    ),
    (
        "runs.insight",
        lambda told: {"run_id": told["runs.start"], "statement": "tests rot", "confidence": 0.7},
    ),
    ("runs.validate", lambda told: {"insight_id": told["runs.insight"], "by_user": True}),
    ("runs.get", lambda told: {"run_id": told["runs.start"]}),
    ("runs.list", {}),
    ("runs.end", lambda told: {"run_id": told["runs.start"]}),
    ("tools", {"session_id": "s"}),
    ("call_tool", {"session_id": "s", "call": {"name": "recall", "arguments": {"query": "tea"}}}),
    ("ingest", {"text_or_path": "The staging server listens on port 8443."}),
    ("r2g", {}),
    ("work.list", {}),
    ("work.lease", {"kinds": "extract", "owner": "a", "limit": 2}),
    ("work.heartbeat", lambda told: {"work_id": told["work.lease"][0]["id"], "owner": "a"}),
    ("work.complete", lambda told: done(told, 0)),
    ("work.fail", lambda told: {**leased(told, 1), "error": "读不懂"}),
    ("jobs.run", {"name": "embed", "dry_run": True}),
    ("commit_turn", {"session_id": "s2", "turn_events": [FORGET]}),
    ("receipts", {}),
    ("take_back", lambda told: {"forgetting_id": told["receipts"][-1]["id"]}),
    ("forget", {"topic": "Turin", "preview": True}),
    ("forget", {"topic": "Turin"}),
    ("verify_receipt", lambda told: {"receipt": told["forget"]}),
    ("reread", {}),
    ("rebuild", {}),
    ("events", {"since": 0, "limit": 1000}),
    ("sessions.list", {}),
    ("sessions.turns", {"session_id": "s"}),
    ("state.governed", {"session_id": "s"}),
    ("state.compaction", {"session_id": "s"}),
    ("state.export", {"session_id": "s"}),
    ("sessions.end", {"session_id": "s"}),
    ("sessions.delete", {"session_id": "s"}),
    ("status", {}),
    ("metrics", {}),
    ("hooks", {"hook_event_name": "UserPromptSubmit", "session_id": "h", "prompt": "我住哪里？"}),
]
GRAPH_CONVERSATION: list[tuple[str, Body]] = [
    ("/memory/nodes", {"node": {"type": "Episode", "text": "蓝牙打不开", "importance": 0.6}}),
    ("/memory/nodes", {"node": {"type": "Entity", "text": "蓝牙"}}),
    ("/memory/nodes", {"node": {"type": "Fact", "key": "fact:a:b", "value": {"value": 1}}}),
    ("/memory/ingest", {"turn": {"input": "重启就好了", "output": "好的", "meta": {"lang": "zh"}}}),
    ("/memory/recall", {"query": {"text": "如何修蓝牙？"}, "budget": {"tokens": 500}}),
    (
        "/memory/edges",
        lambda told: {"edge": {"src": node(told), "dst": node(told), "type": "SUPPORTS"}},
    ),
    ("/feedback", lambda told: {"node_id": node(told), "action": "upvote"}),
]


def require_all_fields(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document in which every field of an object is given, and no other."""
    schemas = {
        name: {**schema, "required": [*schema["properties"]], "additionalProperties": False}
        for name, schema in document["components"]["schemas"].items()
        if "properties" in schema and name != "RefusalDetails"
    }
    components = {"schemas": {**document["components"]["schemas"], **schemas}}
    return {**document, "components": components}


def differences(document: dict[str, Any], path: str, status: int, answer: Any) -> list[str]:
    """Return where an answer is not what the document says of it."""
    told = document["paths"][path]["post"]["responses"][str(status)]["content"]
    schema = {**told["application/json"]["schema"], "components": document["components"]}
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{one.json_path}: {one.message:.200}" for one in validator.iter_errors(answer)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("answered")
    (folder / "brain").mkdir()
    (folder / "brain/brain.yml").write_text(SETTINGS)
    with (
        served("serve", "--root", folder / "brain", folder=folder) as address,
        httpx.Client(base_url=address, timeout=60) as opened,
    ):
        yield opened


@pytest.mark.spec("S3", "R1")
@pytest.mark.parametrize(
    ("prefix", "conversation"), [("/v1/", CONVERSATION), ("", GRAPH_CONVERSATION)]
)
def test_every_answer_has_the_shape_that_the_document_promises(
    client: httpx.Client, prefix: str, conversation: list[tuple[str, Body]]
) -> None:
    """Schemas are those of the domain's structs, so each field is named and none is missing."""
    told: Answers = {}
    document = require_all_fields(client.get("/openapi.json").json())
    for name, body in conversation:
        answer = client.post(f"{prefix}{name}", json=body(told) if callable(body) else body)
        assert 200 == answer.status_code, (name, answer.text)
        assert [] == differences(document, f"{prefix}{name}", 200, answer.json()), name
        told[name] = answer.json()


def test_every_call_is_made_in_these_conversations() -> None:
    """A verb that comes new has to be asked here too; jobs that do not exist have no answer."""
    assert {*verbs(), "open", "hooks"} == {name for name, _ in CONVERSATION}
    assert {path for path, call in CALLS.items() if call.answers} == {
        path for path, _ in GRAPH_CONVERSATION
    }


def test_a_refusal_has_the_shape_that_the_document_promises(client: httpx.Client) -> None:
    """Usage, not found and no route alike."""
    document = require_all_fields(client.get("/openapi.json").json())
    for path, body in (
        ("/v1/recall", {}),
        ("/v1/memories.get", {"id_or_key": "mem_none"}),
        ("/memory/decay", {"tenant_id": "default"}),
    ):
        answer = client.post(path, json=body)
        assert answer.status_code >= 400
        assert [] == differences(document, path, answer.status_code, answer.json())


@pytest.mark.parametrize(
    "wrong", [{"ids": []}, {"id": 3, "ids": []}, {"id": "x", "ids": [], "a": 1}]
)
def test_a_wrong_answer_would_be_noticed(client: httpx.Client, wrong: dict[str, Any]) -> None:
    """A field that lacks, one of another type, and one that nobody told of."""
    document = require_all_fields(client.get("/openapi.json").json())
    assert differences(document, "/memory/nodes", 200, wrong)
