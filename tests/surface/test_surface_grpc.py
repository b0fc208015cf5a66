"""The gRPC server, asked by the client of the gRPC library over a real channel.

In: `memctl serve --grpc` as a process. Out: verbs, errors, metadata, health, reflection, keys; and
that brain.proto is the table of verbs.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from cli_runs import memctl
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_calls import GrpcCalls, GrpcRefusedError, grpc_calls
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from served import served, start_server

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.entrypoints.grpc.messages import (
    SERVICE,
    fill_message,
    make_request,
    message_class,
    read_arguments,
    read_message,
    rpc_name,
    service,
)
from smartbrain.entrypoints.grpc.server import FOLLOW, MAX_STREAMS
from smartbrain.entrypoints.rest.keys import ApiKeys
from smartbrain.entrypoints.wire.errors import OUTSIDE, REFUSALS, RETRY_GRPC, grpc_code
from smartbrain.entrypoints.wire.verbs import verbs
from smartbrain.errors import CODES, AdapterError

ROOT = Path(__file__).resolve().parents[2]
TURN = [{"role": "user", "content": "My sister lives in Turin."}]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Servers of HTTP and gRPC over one brain, which all tests of this module share."""
    folder = tmp_path_factory.mktemp("served")
    arguments = ("serve", "--grpc", 0, "--root", folder / "brain", "--max-body-mb", 1)
    with served(*arguments, folder=folder) as addresses:
        http, grpc_address = addresses.split()
        yield http, grpc_address


@pytest.fixture
def calls(server: tuple[str, str], request: pytest.FixtureRequest) -> Iterator[GrpcCalls]:
    tenant = request.node.name.replace("[", "-").replace("]", "")
    with grpc_calls(server[1], smartbrain_tenant=tenant) as opened:
        opened.ask("open", {})
        yield opened


def refused(calls: GrpcCalls, name: str, given: dict[str, Any], **metadata: str) -> tuple[str, str]:
    """Return the codes of a call that has to fail: that of gRPC, and ours."""
    with pytest.raises(GrpcRefusedError) as caught:
        calls.ask(name, given, **metadata)
    return caught.value.code, caught.value.error.get("code", "")


@pytest.mark.spec("S3")
def test_verbs_answer_what_the_library_gives(calls: GrpcCalls) -> None:
    """What is committed is recalled, composed, explained and forgotten."""
    turn = calls.ask("commit_turn", {"session_id": "s", "turn_events": TURN})
    assert turn["ok"]
    found = calls.ask("recall", {"query": "where does my sister live"})
    assert "Turin" in found["items"][0]["text"]
    package = calls.ask("compose_context", {"session_id": "s", "user_message": "my sister?"})
    assert package["context_id"]
    assert turn["turn_id"] == calls.ask("explain", {"turn_id": turn["turn_id"]})["turn_id"]
    got = calls.ask("memories.get", {"id_or_key": found["items"][0]["id"]})
    assert found["items"][0]["id"] == got["id"]
    assert calls.ask("sessions.end", {"session_id": "s"}) is None
    assert calls.ask("forget", {"topic": "Turin"})["items"]
    assert [] == calls.ask("recall", {"query": "where does my sister live"})["items"]


def test_the_schema_is_that_of_the_verbs() -> None:
    """Every verb has a call whose request has its arguments."""
    methods = service().methods_by_name
    assert {rpc_name(verb) for verb in verbs().values()} | {"Open", FOLLOW} == set(methods)
    for verb in verbs().values():
        fields = set(methods[rpc_name(verb)].input_type.fields_by_name)
        assert set(verb.arguments.__struct_fields__) == fields - {"more"}


def test_a_field_that_goes_leaves_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number is never given to another field; one that changes its type is another."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import grpc_proto

    text = grpc_proto.render_message(
        "A",
        {"properties": {"kept": {"type": "string"}, "other": {"type": "integer"}}},
        grpc_proto.Numbers({"optional string kept": 3, "optional string other": 4}, frozenset({1})),
        {},
    )
    assert "  reserved 1, 4;\n  optional string kept = 3;\n  optional int64 other = 5;\n" in text
    again = grpc_proto.read_numbers(text)["A"]
    assert ({"optional string kept": 3, "optional int64 other": 5}, {1, 4}) == again


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "words",
        "字",
        True,
        False,
        0,
        3,
        -(2**63),
        2**63,
        2**80,
        0.5,
        3.0,
        [],
        {},
        [1, "a"],
    ],
)
def test_a_value_of_any_shape_arrives_as_it_is(value: Any) -> None:
    """No number becomes another on the way, and no flag a number."""
    method = service().methods_by_name["MemoriesPut"]
    given = {"type": "facts", "key": "k", "value": {"value": value, "big": 2**70}}
    request = make_request(method, given)
    back = read_arguments(message_class(method.input_type).FromString(request.SerializeToString()))
    assert repr(given) == repr(back)
    answer = message_class(service().methods_by_name["JobsRun"].output_type)()
    fill_message(answer, {"result": value})
    assert repr(value) == repr(read_message(answer)["result"])


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("recall", {}, ("INVALID_ARGUMENT", "usage")),
        ("recall", {"query": "a", "since": "soon"}, ("INVALID_ARGUMENT", "bad_time")),
        ("memories.get", {"id_or_key": "mem_none"}, ("NOT_FOUND", "not_found")),
        ("pins.remove", {"ids": {"a": 1}}, ("INVALID_ARGUMENT", "usage")),
        (
            "pins.add",
            {"type": "path", "title": "t", "summary": "s", "source": "file:/etc/passwd#L1"},
            ("INVALID_ARGUMENT", "no_source"),
        ),
    ],
)
def test_what_is_wrong_is_refused_by_the_one_table(
    calls: GrpcCalls, name: str, given: dict[str, Any], expected: tuple[str, str]
) -> None:
    """The code of gRPC is that of the table, and the error of ours comes beside it."""
    assert expected == refused(calls, name, given)


def test_every_code_has_a_grpc_code() -> None:
    """Each is a code of the library, and what can be tried again says so."""
    names = set(grpc.StatusCode.__members__)
    assert {codes.grpc_code for codes in OUTSIDE.values()} < names
    assert {codes.grpc_code for codes in REFUSALS.values()} < names
    assert {grpc_code(owner(code=code)) for code, (owner, _) in CODES.items()} < names
    assert RETRY_GRPC == grpc_code(AdapterError("busy", retryable=True))


def test_metadata_says_what_headers_say(calls: GrpcCalls) -> None:
    """Tenant, conversation, idempotency key and request id, which the answer tells again."""
    given = {"turn_events": TURN}
    first, again = (
        calls.ask("commit_turn", given, smartbrain_session="a%20b", idempotency_key="k")
        for _ in range(2)
    )
    assert first["turn_id"] == again["turn_id"]
    assert again["replayed"]
    assert ["a b"] == [one["id"] for one in calls.ask("sessions.list", {})["items"]]
    other = {"turn_events": [{"role": "user", "content": "bye"}]}
    again = refused(calls, "commit_turn", other, smartbrain_session="a%20b", idempotency_key="k")
    assert ("ABORTED", "idempotency_conflict") == again
    assert ("INVALID_ARGUMENT", "usage") == refused(
        calls, "remember", {"text": "x"}, idempotency_key="k"
    )
    with pytest.raises(GrpcRefusedError) as caught:
        calls.ask("memories.get", {"id_or_key": "none"}, x_request_id="abc-1")
    assert "abc-1" == caught.value.request_id
    assert ("NOT_FOUND", "not_found") == refused(calls, "status", {}, smartbrain_tenant="nobody")
    chinese = "%E7%A7%9F%E6%88%B7"
    assert "租户" == calls.ask("open", {}, smartbrain_tenant=chinese)["tenant"]


def test_one_brain_is_served_on_both_ports(server: tuple[str, str], calls: GrpcCalls) -> None:
    """What was said over HTTP is remembered over gRPC."""
    headers = {"SmartBrain-Tenant": calls.metadata["smartbrain-tenant"]}
    told = {"text": "My sister lives in Turin."}
    httpx.post(f"{server[0]}/v1/remember", json=told, headers=headers, timeout=60)
    assert calls.ask("recall", {"query": "my sister"})["items"]
    assert "" == calls.ask("status", {})["path"]


def test_a_request_that_is_too_large_or_no_message_is_refused(calls: GrpcCalls) -> None:
    """The server lives on."""
    with pytest.raises(GrpcRefusedError, match="RESOURCE_EXHAUSTED"):
        calls.ask("remember", {"text": "a" * 2_000_000})
    for body in (b"\xff\xff\xff", b"\x0a\x02\xff\xfe"):
        with pytest.raises(GrpcRefusedError):
            calls.send("Recall", body)
    with pytest.raises(GrpcRefusedError, match="UNIMPLEMENTED"):
        calls.send("Configure", b"")
    deep = make_request(service().methods_by_name["CommitTurn"], {"session_id": "s"})
    deep.turn_events.json = "[" * 100_000
    with pytest.raises(GrpcRefusedError, match="INVALID_ARGUMENT"):
        calls.send("CommitTurn", deep.SerializeToString())
    assert calls.ask("status", {})["rows"]


def test_health_and_reflection(server: tuple[str, str]) -> None:
    """Tools of gRPC find out what is served, and whether it is alive."""
    with grpc.insecure_channel(server[1]) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        for name in ("", SERVICE):
            told = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=60)
            assert health_pb2.HealthCheckResponse.SERVING == told.status
        database = ProtoReflectionDescriptorDatabase(channel)
        assert SERVICE in database.get_services()
        found = DescriptorPool(database).FindServiceByName(SERVICE)
        assert set(service().methods_by_name) == set(found.methods_by_name)


@pytest.mark.spec("S3", "S4")
def test_events_are_followed_and_gone_on_with(calls: GrpcCalls) -> None:
    """A stream holds the events of the pages, then what happens; a number goes on behind it."""
    calls.ask("remember", {"text": "I live in Rome."})
    known = calls.ask("events", {"since": 0, "limit": 1000})
    stream = calls.follow(since=0)
    assert known["items"] == [next(stream) for _ in known["items"]]
    calls.ask("remember", {"text": "我养了一只猫。"})
    fresh = next(stream)
    stream.close()
    again = calls.follow(since=known["last"])
    assert fresh == next(again)
    turns = calls.follow(since=0, kinds=["TurnStored"])
    assert ["Memory.TurnStored"] * 2 == [next(turns)["kind"] for _ in range(2)]
    for one in (again, turns):
        one.close()
    for given, expected in (
        ({"kinds": ["Nothing"]}, ("INVALID_ARGUMENT", "usage")),
        ({"since": 1_000_000}, ("NOT_FOUND", "gone")),
    ):
        with pytest.raises(GrpcRefusedError) as caught:
            next(calls.follow(**given))
        assert expected == (caught.value.code, caught.value.error["code"])


def test_streams_leave_room_for_calls(tmp_path: Path) -> None:
    """So many may be open; the next one is refused for a while, and verbs are answered."""
    arguments = ("serve", "--grpc", 0, "--root", tmp_path / "brain")
    with (
        served(*arguments, folder=tmp_path) as addresses,
        grpc_calls(addresses.split()[1]) as calls,
    ):
        calls.ask("remember", {"text": "I live in Rome."})
        streams = [calls.follow(since=0) for _ in range(MAX_STREAMS)]
        assert {1} == {next(stream)["num"] for stream in streams}
        with pytest.raises(GrpcRefusedError, match="UNAVAILABLE"):
            next(calls.follow(since=0))
        assert calls.ask("status", {})["rows"]
        for stream in streams:
            stream.close()


@pytest.mark.spec("S4", "S8")
def test_a_stream_ends_with_its_key_and_with_its_server(tmp_path: Path) -> None:
    """Whoever loses the key is told; a server that stops ends its streams at once, in order."""
    root = tmp_path / "brain"
    memctl("init", root, folder=tmp_path)
    keys = ApiKeys(root, Root(root).clock)
    (gone, first), (_, second) = keys.add(["a"]), keys.add(["a"])
    process, addresses = start_server("serve", "--grpc", 0, "--root", root, folder=tmp_path)
    try:
        with grpc_calls(addresses.split()[1], smartbrain_tenant="a") as calls:
            calls.ask("remember", {"text": "I live in Rome."}, smartbrain_key=second)
            streams = [calls.follow(since=0, smartbrain_key=key) for key in (first, second)]
            assert [1, 1] == [next(stream)["num"] for stream in streams]
            with pytest.raises(GrpcRefusedError, match="UNAUTHENTICATED"):
                next(calls.follow(since=0))
            keys.revoke(gone.id)
            with pytest.raises(GrpcRefusedError, match="UNAUTHENTICATED"):
                list(streams[0])
            process.send_signal(signal.SIGTERM)
            assert "num" in list(streams[1])[-1]
            process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.spec("S8")
def test_keys_open_their_own_tenants(tmp_path: Path) -> None:
    """From the first key on only health is told without one; a revoked key is refused at once."""
    root = tmp_path / "brain"
    memctl("init", root, folder=tmp_path)
    keys = ApiKeys(root, Root(root).clock)
    key, text = keys.add(["a"])
    with (
        served("serve", "--grpc", 0, "--root", root, folder=tmp_path) as addresses,
        grpc_calls(addresses.split()[1], smartbrain_tenant="a") as calls,
    ):
        for metadata in ({}, {"authorization": "Bearer sb_x_y"}, {"smartbrain_key": text + "x"}):
            assert ("UNAUTHENTICATED", "unauthorized") == refused(calls, "open", {}, **metadata)
        bearer = {"authorization": f"Bearer {text}"}
        assert "a" == calls.ask("open", {}, **bearer)["tenant"]
        assert "a" == calls.ask("open", {}, smartbrain_key=text)["tenant"]
        with grpc_calls(addresses.split()[1], smartbrain_key=text) as unnamed:
            assert "a" == unnamed.ask("open", {})["tenant"]
        other = refused(calls, "open", {}, smartbrain_tenant="b", **bearer)
        assert ("PERMISSION_DENIED", "forbidden") == other
        asker = {"smartbrain_key": keys.add(["a"], verbs=["recall"])[1]}
        assert [] == calls.ask("recall", {"query": "anything"}, **asker)["items"]
        denied = ("PERMISSION_DENIED", "forbidden")
        assert denied == refused(calls, "remember", {"text": "I live in Turin."}, **asker)
        with pytest.raises(GrpcRefusedError, match="recall alone"):
            next(calls.follow(since=0, **asker))
        stub = health_pb2_grpc.HealthStub(calls.channel)
        assert stub.Check(health_pb2.HealthCheckRequest(), timeout=60).status
        with pytest.raises(grpc.RpcError, match="API key"):
            ProtoReflectionDescriptorDatabase(calls.channel).get_services()
        keys.revoke(key.id)
        assert ("UNAUTHENTICATED", "unauthorized") == refused(calls, "open", {}, **bearer)


def test_a_call_that_runs_is_finished_when_the_server_stops(tmp_path: Path) -> None:
    """A signal to stop lets calls end: each is answered and stored, or refused."""
    root = tmp_path / "brain"
    process, addresses = start_server("serve", "--grpc", 0, "--root", root, folder=tmp_path)
    words = [{"role": "user", "content": f"Box {n} holds {n} old letters."} for n in range(50)]
    done: list[str] = []

    def commit() -> None:
        with grpc_calls(addresses.split()[1]) as calls:
            for number in range(1000):
                try:
                    given = {"session_id": str(number), "turn_events": words}
                    done.append(calls.ask("commit_turn", given)["turn_id"])
                except GrpcRefusedError:
                    return

    try:
        asking = threading.Thread(target=commit)
        asking.start()
        while not done:
            asking.join(0.01)
        process.send_signal(signal.SIGTERM)
        asking.join(60)
        process.wait(60)
    finally:
        process.kill()
        process.communicate()
    with SmartBrain.open(root) as brain:
        stored = {
            one.id
            for page in brain.sessions.list(limit=1000).items
            for one in brain.sessions.turns(page.id)
        }
    assert set(done) <= stored


def test_every_code_is_documented() -> None:
    """The page names each code, the metadata and the generated files."""
    page = (ROOT / "docs/grpc.md").read_text(encoding="utf-8")
    for codes in (*OUTSIDE.values(), *REFUSALS.values()):
        assert f"`{codes.grpc_code}`" in page
    for name in ("smartbrain-tenant", "smartbrain-session", "idempotency-key", "x-request-id"):
        assert f"`{name}`" in page
    assert json.dumps(SERVICE).strip('"') in page
