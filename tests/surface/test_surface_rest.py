"""The HTTP server, asked by a real client over a real socket.

In: `memctl serve` as a process. Out: verbs, the calls of the graph memory specification, errors,
keys, limits, and what becomes of a call while the server stops.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from cli_runs import memctl
from served import served, served_here, start_server

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.entrypoints.rest.app import EXAMPLES, make_app
from smartbrain.entrypoints.rest.graph_calls import CALLS
from smartbrain.entrypoints.rest.keys import ApiKeys
from smartbrain.entrypoints.rest.listener import listen
from smartbrain.entrypoints.wire.errors import REFUSALS
from smartbrain.entrypoints.wire.verbs import verbs

TENANT = "SmartBrain-Tenant"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server that all tests of this module share, each with a tenant of its own."""
    folder = tmp_path_factory.mktemp("served")
    with served("serve", "--root", folder / "brain", "--max-body-mb", 1, folder=folder) as address:
        yield address, folder


@pytest.fixture
def client(server: tuple[str, Path], request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    headers = {TENANT: httpx.URL(f"//x/{request.node.name}").raw_path.decode()[1:]}
    with httpx.Client(base_url=server[0], headers=headers, timeout=60) as opened:
        opened.post("/v1/open", json={}).raise_for_status()
        yield opened


def code(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the code of a refusal, whose form is always the same."""
    told = answer.json()
    assert {"error", "request_id"} == set(told)
    assert told["error"]["message"]
    assert told["request_id"] == answer.headers["x-request-id"]
    return answer.status_code, told["error"]["code"]


@pytest.mark.spec("S3")
def test_every_verb_has_a_route_and_answers_what_the_library_gives(client: httpx.Client) -> None:
    """What is committed is recalled, composed and explained, in the library's own JSON."""
    document = client.get("/openapi.json").json()
    assert {f"/v1/{name}" for name in verbs()} <= set(document["paths"])
    words = [{"role": "user", "content": "我的妹妹住在都灵。"}]
    turn = client.post("/v1/commit_turn", json={"session_id": "s", "turn_events": words}).json()
    assert turn["ok"]
    found = client.post("/v1/recall", json={"query": "妹妹住在哪里"}).json()
    assert "都灵" in found["items"][0]["text"]
    package = client.post("/v1/compose_context", json={"session_id": "s"}).json()
    assert "context_id" in package
    told = client.post("/v1/explain", json={"turn_id": turn["turn_id"]}).json()
    assert turn["turn_id"] == told["turn_id"]
    got = client.post("/v1/memories.get", json={"id_or_key": found["items"][0]["id"]}).json()
    assert found["items"][0]["id"] == got["id"]
    assert client.post("/v1/sessions.end", json={"session_id": "s"}).json() is None


def test_the_schemas_of_all_bodies_are_in_the_document(client: httpx.Client) -> None:
    """Each reference of the document leads somewhere in it."""
    text = client.get("/openapi.json").text
    schemas = json.loads(text)["components"]["schemas"]
    references = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert set() == references - set(schemas)
    arguments = schemas["RecallArguments"]
    assert ["query"] == arguments["required"]
    assert "in any words" in arguments["properties"]["query"]["description"]


def test_the_examples_of_the_document_can_be_sent_as_they_stand(client: httpx.Client) -> None:
    """One after the other, as a reader would try them; what names a made-up id is not found."""
    paths = client.get("/openapi.json").json()["paths"]
    statuses: dict[str, int] = {}
    for path, body in EXAMPLES.items():
        shown = paths[path]["post"]["requestBody"]["content"]["application/json"]
        assert body == shown["example"], path
        headers = {TENANT: body.get("tenant_id", client.headers[TENANT])}
        statuses[path] = client.post(path, json=body, headers=headers).status_code
    jobs = {"/memory/consolidate": 501, "/memory/decay": 501}
    expected = {"/feedback": 404, "/memory/edges": 404, **jobs}
    assert {path: expected.get(path, 200) for path in EXAMPLES} == statuses
    assert set(CALLS) <= set(EXAMPLES)


def test_a_long_answer_is_compressed_where_the_client_takes_that(client: httpx.Client) -> None:
    """The same JSON in fewer bytes; a short answer is sent as it is."""
    said = [{"role": "user", "content": "My sister lives in Turin. " * 400}]
    body = {"session_id": "s", "turn_events": said}
    client.post("/v1/commit_turn", json=body).raise_for_status()
    ask = {"session_id": "s"}
    packed = client.post("/v1/sessions.turns", json=ask)
    plain = client.post("/v1/sessions.turns", json=ask, headers={"accept-encoding": "identity"})
    assert "gzip" == packed.headers["content-encoding"]
    assert int(packed.headers["content-length"]) * 10 < len(plain.content)
    assert "content-encoding" not in plain.headers
    assert plain.json() == packed.json()
    assert "content-encoding" not in client.get("/healthz").headers


@pytest.mark.spec("S3")
def test_the_graph_memory_calls_take_their_printed_bodies(client: httpx.Client) -> None:
    """Each body of the specification, as printed, under a tenant of its own."""

    def post(path: str, **body: Any) -> httpx.Response:
        return client.post(path, json={"tenant_id": "t1", **body})

    node = {"type": "Episode", "text": "蓝牙打不开", "keywords": ["..."], "importance": 0.6}
    episode = post("/memory/nodes", node=node).json()
    assert episode["id"].startswith("mem_")
    assert 2 == len(episode["ignored"])
    concept = post("/memory/nodes", node={"type": "Concept", "text": "蓝牙"}).json()["id"]
    edge = {"src": episode["id"], "dst": concept, "type": "ABOUT", "weight": 0.7}
    made = post("/memory/edges", edge=edge)
    assert 200 == made.status_code, made.text
    turn = {"input": "重启蓝牙服务就好了", "output": "好的", "meta": {"lang": "zh-CN"}}
    assert post("/memory/ingest", turn=turn).json()["turn_id"]
    query = {"text": "用户问：如何修蓝牙？", "timebox_days": 30}
    options = {"k_hop": 2, "need_citations": True}
    found = post("/memory/recall", query=query, budget={"tokens": 2000}, options=options).json()
    assert any("重启蓝牙服务" in item["text"] for item in found["items"])
    params = {"min_cluster": 5}
    job = post("/memory/consolidate", strategy="community_detect", params=params)
    assert (501, "not_built") == code(job)
    assert (501, "not_built") == code(post("/memory/decay", policy="default_v1"))
    assert 200 == post("/feedback", node_id=episode["id"], action="upvote").status_code
    assert (404, "not_found") == code(post("/feedback", node_id="mem_123", action="upvote"))
    fact = {"type": "Fact", "key": "fact:staging:database", "value": {"value": "Postgres"}}
    assert post("/memory/nodes", node=fact).json()["id"].startswith("mem_")
    assert (400, "usage") == code(post("/memory/nodes", node={"type": "Fct", "text": "x"}))
    assert (400, "usage") == code(post("/memory/edges", edge={"src": "a"}))


def test_a_key_makes_a_retry_harmless(client: httpx.Client) -> None:
    """The header is the argument; other words under it conflict; verbs without it refuse it."""
    headers = {"Idempotency-Key": "k1"}
    body = {"session_id": "s", "turn_events": [{"role": "user", "content": "hello"}]}
    first, again = (client.post("/v1/commit_turn", json=body, headers=headers) for _ in range(2))
    assert first.json()["turn_id"] == again.json()["turn_id"]
    assert again.json()["replayed"]
    other = {"session_id": "s", "turn_events": [{"role": "user", "content": "bye"}]}
    refused = client.post("/v1/commit_turn", json=other, headers=headers)
    assert (409, "idempotency_conflict") == code(refused)
    refused = client.post("/v1/remember", json={"text": "x"}, headers=headers)
    assert (400, "usage") == code(refused)


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/v1/recall", b'{"query": 3}', (400, "usage")),
        ("/v1/recall", b'{"query": "a", "since": "soon"}', (400, "bad_time")),
        ("/v1/recall", b"{", (400, "usage")),
        ("/v1/recall", b"[1]", (400, "usage")),
        ("/v1/recall", b"\xff", (400, "usage")),
        ("/v1/recall", b'{"query": "' + b"a" * 1024 * 1024 + b'"}', (413, "too_large")),
        ("/v1/recall", b'{"query":' + b"[" * 100_000, (400, "usage")),
        ("/v1/memories.get", b'{"id_or_key": "mem_none"}', (404, "not_found")),
        ("/v1/call_me", b"{}", (404, "no_route")),
        ("/v1/configure", b"{}", (404, "no_route")),
        ("/v1/export", b'{"file": "/tmp/x"}', (404, "no_route")),
        ("/v1/state.export", b'{"session_id": "s", "path": "/tmp/x"}', (400, "usage")),
        ("/v1/fastmemo.load", b'{"path": "/etc/passwd"}', (404, "no_route")),
        ("/healthz", b"{}", (405, "wrong_method")),
    ],
)
def test_what_is_wrong_is_refused_by_its_code(
    client: httpx.Client, path: str, body: bytes, expected: tuple[int, str]
) -> None:
    """The same form of answer whatever is wrong."""
    answer = client.post(path, content=body, headers={"content-type": "application/json"})
    assert expected == code(answer)


def test_a_body_that_says_no_length_is_counted(client: httpx.Client) -> None:
    """A body in pieces is refused as soon as it is too large."""

    def pieces() -> Iterator[bytes]:
        yield b'{"query": "'
        for _ in range(40):
            yield b"a" * 65536
        yield b'"}'

    answer = client.post(
        "/v1/recall", content=pieces(), headers={"content-type": "application/json"}
    )
    assert (413, "too_large") == code(answer)


@pytest.mark.parametrize("length", ["9" * 30, "9" * 5000, "-1", "x"])
def test_a_length_that_is_none_is_refused(server: tuple[str, Path], length: str) -> None:
    """A line of headers cannot make the server fail."""
    host, port = server[0].removeprefix("http://").split(":")
    asked = f"POST /v1/recall HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    with socket.create_connection((host, int(port))) as line:
        line.sendall(f"{asked}Content-Length: {length}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert answer.startswith((b"HTTP/1.1 413", b"HTTP/1.1 400"))


def test_web_pages_of_other_sites_are_kept_out(client: httpx.Client) -> None:
    """A foreign Host or Origin, and a body that a form could send, are refused."""
    assert (421, "foreign_host") == code(client.get("/v1/x", headers={"host": "evil.example"}))
    origin = {"origin": "https://evil.example"}
    assert (403, "foreign_origin") == code(client.post("/v1/pins.list", json={}, headers=origin))
    form = {"content-type": "text/plain"}
    answer = client.post("/v1/recall", content=b'{"query": "a"}', headers=form)
    assert (415, "not_json") == code(answer)
    assert 200 == client.post("/v1/pins.list", json={}).status_code


@pytest.mark.spec("S8")
@pytest.mark.parametrize("name", ["../../escape", "..", "/etc", "a/../b", "CON", "租户", "%2e%2e"])
def test_a_tenant_is_a_name_and_never_a_path(
    server: tuple[str, Path], client: httpx.Client, name: str
) -> None:
    """Whatever a tenant is called, it lies in its own folder below the brain's."""
    folder = server[1]
    before = {path.name for path in folder.iterdir()}
    headers = {TENANT: "".join(f"%{byte:02x}" for byte in name.encode())}
    opened = client.post("/v1/open", json={}, headers=headers)
    assert (200, name) == (opened.status_code, opened.json()["tenant"])
    words = {"text": f"The password of {name} is swordfish."}
    client.post("/v1/remember", json=words, headers=headers).raise_for_status()
    assert before == {path.name for path in folder.iterdir()}
    assert name in SmartBrain.tenants(folder / "brain")
    query = {"query": "password swordfish"}
    other = client.post("/v1/recall", json=query).json()
    assert [] == other["items"]
    assert client.post("/v1/recall", json=query, headers=headers).json()["items"]
    bad = {TENANT: "x" * 300}
    assert (400, "bad_tenant") == code(client.post("/v1/open", json={}, headers=bad))


@pytest.mark.parametrize(
    "path",
    ["/v1/../../etc/passwd", "/v1/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/v1/..%2fopen"],
)
def test_no_address_leads_to_a_file(server: tuple[str, Path], path: str) -> None:
    """Addresses are looked up in a table and nowhere else."""
    host = server[0].removeprefix("http://")
    name, port = host.split(":")
    with socket.create_connection((name, int(port))) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 405"))
    assert b"root:" not in answer


def test_an_unknown_tenant_is_told_without_saying_where_it_would_be(
    server: tuple[str, Path], client: httpx.Client
) -> None:
    """Asking makes nothing, and no path of the machine is told."""
    answer = client.post("/v1/recall", json={"query": "a"}, headers={TENANT: "nobody"})
    assert (404, "not_found") == code(answer)
    assert str(server[1]) not in answer.text
    assert "nobody" not in SmartBrain.tenants(server[1] / "brain")


def test_a_file_of_the_server_is_no_source(client: httpx.Client) -> None:
    """Whether a file exists on the server cannot be found out by pinning it."""
    pin = {"type": "path", "title": "t", "summary": "s", "source": "file:/etc/passwd#L1"}
    assert (400, "no_source") == code(client.post("/v1/pins.add", json=pin))
    assert (400, "no_source") == code(client.post("/v1/pins.add", json={**pin, "actor": "agent"}))


@pytest.mark.spec("S5")
def test_health_and_figures_are_told(client: httpx.Client) -> None:
    """Alive, ready, and what Prometheus reads."""
    assert {"status": "ok"} == client.get("/healthz").json()
    assert {"status": "ready"} == client.get("/readyz").json()
    client.post("/v1/recall", json={"query": "anything"}).raise_for_status()
    figures = client.get("/metrics")
    assert "query_latency_ms_count" in figures.text
    assert figures.headers["content-type"].startswith("text/plain; version=0.0.4")
    number = {"X-Request-ID": "abc-1.2"}
    assert "abc-1.2" == client.get("/healthz", headers=number).headers["x-request-id"]
    number = {"X-Request-ID": "a\tb c"}
    assert "a\tb c" != client.get("/healthz", headers=number).headers["x-request-id"]


@pytest.mark.spec("S8")
def test_keys_open_their_own_tenants_until_they_end(tmp_path: Path) -> None:
    """From the first key on nobody comes in without one; a key is for its tenants alone."""
    root = tmp_path / "brain"
    memctl("init", root, folder=tmp_path)
    made = memctl("key", "create", "--tenant", "a", "--root", root, "--json", folder=tmp_path)
    key = made.json["key"]
    assert key.partition("_")[2].partition("_")[2] not in (root / "api_keys.json").read_text()
    assert 0o600 == (root / "api_keys.json").stat().st_mode & 0o777
    everywhere = ApiKeys(root, Root(root).clock).add(["*"])[1]
    now = Root(root).clock()
    past = ApiKeys(root, lambda: now - timedelta(days=2))
    expired = past.add(["a"], expires_at=now - timedelta(days=1))[1]
    with (
        served("serve", "--root", root, folder=tmp_path) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):

        def ask(text: str | None, tenant: str = "a") -> httpx.Response:
            headers = {TENANT: tenant} | ({"authorization": f"Bearer {text}"} if text else {})
            return client.post("/v1/open", json={}, headers=headers)

        assert 200 == ask(key).status_code
        assert (403, "forbidden") == code(ask(key, "b"))
        body = {"tenant_id": "b", "query": {"text": "x"}}
        bearer = {"authorization": f"Bearer {key}"}
        assert (403, "forbidden") == code(client.post("/memory/recall", json=body, headers=bearer))
        assert (403, "forbidden") == code(client.get("/metrics", headers=bearer))
        assert 200 == ask(everywhere, "b").status_code
        for wrong in (None, "", "sb_x_y", key[:-1], key + "x", key.replace("sb_", "xx_"), expired):
            refused = ask(wrong)
            assert (401, "unauthorized") == code(refused)
            assert "Bearer" == refused.headers["www-authenticate"]
        own = client.post("/v1/open", json={}, headers={TENANT: "a", "SmartBrain-Key": key})
        assert 200 == own.status_code
        assert 200 == client.get("/healthz").status_code
        assert (401, "unauthorized") == code(client.get("/openapi.json"))
        number = made.json["id"]
        assert 0 == memctl("key", "revoke", number, "--root", root, folder=tmp_path).code
        assert (401, "unauthorized") == code(ask(key))
        listed = memctl("key", "list", "--root", root, "--json", folder=tmp_path).json
        assert number not in [one["id"] for one in listed["keys"]]
        (root / "api_keys.json").write_text("{broken")
        assert (500, "corrupt") == code(ask(everywhere))


@pytest.mark.spec("S8")
def test_a_key_may_be_for_some_verbs_alone(tmp_path: Path) -> None:
    """Whatever it does not name is refused: other verbs, calls of the graph, events, figures."""
    root = tmp_path / "brain"
    memctl("init", root, folder=tmp_path)
    options = ("--tenant", "*", "--verb", "recall", "--verb", "open", "--root", root)
    made = memctl("key", "create", *options, "--json", folder=tmp_path)
    assert ["recall", "open"] == made.json["verbs"]
    listed = memctl("key", "list", "--root", root, folder=tmp_path)
    assert f"{made.json['id']} * for recall, open\n" == listed.out
    opened = Root(root)
    app = make_app(opened, ApiKeys(root, opened.clock))
    bearer = {"authorization": f"Bearer {made.json['key']}"}
    with (
        served_here(app) as address,
        httpx.Client(base_url=address, headers=bearer, timeout=60) as client,
    ):
        for path in ("/v1/open", "/v1/recall"):
            assert 200 == client.post(path, json=EXAMPLES.get(path, {})).status_code
        for path in ("/v1/remember", "/v1/forget", "/v1/hooks", "/memory/recall", "/v1/none"):
            refused = client.post(path, json=EXAMPLES.get(path, {}))
            assert (403, "forbidden") == code(refused), path
            assert "recall, open" in refused.text
        for path in ("/metrics", "/v1/events", "/openapi.json"):
            assert (403, "forbidden") == code(client.get(path)), path
        host = ApiKeys(root, opened.clock).add(["work"], verbs=["compose_context", "commit_turn"])
        event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hello"}
        own = {"authorization": f"Bearer {host[1]}"}
        assert 200 == client.post("/v1/hooks", json=event, headers=own).status_code
        refused = client.post("/v1/recall", json={"query": "hello"}, headers=own)
        assert "compose_context, commit_turn alone; this needs recall." in refused.text
    assert "work" in SmartBrain.tenants(root)  # the key's tenant, which nobody has named


def test_a_key_is_put_in_the_place_of_another(tmp_path: Path) -> None:
    """The new one reaches as far and lasts as long; the old one ends now, or after the grace."""
    memctl("init", tmp_path, folder=tmp_path)
    now = [Root(tmp_path).clock()]
    keys = ApiKeys(tmp_path, lambda: now[0])
    day = timedelta(days=1)
    old, text = keys.add(["a"], verbs=["recall"], name="phone", expires_at=now[0] + 90 * day)
    now[0] += 80 * day
    made, fresh = keys.rotate(old.id, day)
    assert (("a",), ("recall",), "phone") == (made.tenants, made.verbs, made.name)
    assert now[0] + 90 * day == made.expires_at
    assert (True, True) == (keys.find(text) is not None, keys.find(fresh) is not None)
    now[0] += day
    assert (True, False) == (keys.find(fresh) is not None, keys.find(text) is not None)
    newest = keys.rotate(made.id, timedelta())[1]
    assert (None, True) == (keys.find(fresh), keys.find(newest) is not None)
    run = memctl("key", "rotate", made.id, "--root", tmp_path, folder=tmp_path)
    assert 3 == run.code, run


@pytest.mark.parametrize(
    "arguments",
    [
        ("key", "create", "--tenant", "a", "--verb", "recal"),
        ("key", "rotate", "nothing", "--grace", "soon"),
        ("key", "create", "--tenant", "a", "--expires", "soon"),
        ("key", "create", "--tenant", "x" * 300),
        ("key", "revoke", "nothing"),
        ("serve", "--host", "0.0.0.0"),
        ("serve", "--host", "not a host"),
        ("serve", "--port", "65536"),
        ("serve", "--max-body-mb", "0"),
        ("serve", "--tls-cert", "none.pem", "--tls-key", "none.pem"),
    ],
)
def test_what_cannot_be_is_refused_at_the_prompt(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Nothing is made, and no server is opened to others without a key."""
    memctl("init", tmp_path / "brain", folder=tmp_path)
    run = memctl(*arguments, "--root", tmp_path / "brain", folder=tmp_path)
    assert run.code in (2, 3)
    assert not (tmp_path / "brain" / "api_keys.json").exists()


@pytest.mark.spec("S3")
def test_two_servers_serve_one_brain(tmp_path: Path) -> None:
    """Whatever was told to one is answered by the other, at once."""
    arguments = ("serve", "--root", tmp_path / "brain")
    with (
        served(*arguments, folder=tmp_path) as first,
        served(*arguments, folder=tmp_path) as second,
    ):
        for number, address in enumerate([first, second] * 4):
            words = [{"role": "user", "content": f"Server {number} listens on port 80{number}."}]
            body = {"session_id": "s", "turn_events": words}
            httpx.post(f"{address}/v1/commit_turn", json=body, timeout=60).raise_for_status()
            other = second if address == first else first
            asked = {"query": f"which port is 80{number}"}
            found = httpx.post(f"{other}/v1/recall", json=asked, timeout=60).json()["items"]
            assert any(f"80{number}" in item["text"] for item in found), number


def test_a_fault_of_ours_is_told_without_its_details(tmp_path: Path) -> None:
    """A mistake of the server is a code, and its words stay on the server."""
    root = Root(tmp_path)
    app = make_app(root, ApiKeys(tmp_path, root.clock))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.post("/v1/open", json={})
            with patch.object(SmartBrain, "status", side_effect=RuntimeError("swordfish")):
                return await client.post("/v1/status", json={})

    answer = asyncio.run(ask())
    root.close()
    assert (500, "internal") == code(answer)
    assert "swordfish" not in answer.text


def test_a_body_does_not_wait_behind_its_head() -> None:
    """Connections that are accepted send at once what they have; else each answer took 40 ms."""
    with (
        listen("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.spec("S3")
def test_a_commit_that_runs_is_finished_when_the_server_stops(tmp_path: Path) -> None:
    """A signal to stop lets the call end: it is answered, and what it said is stored."""
    process, address = start_server("serve", "--root", tmp_path / "brain", folder=tmp_path)
    words = [{"role": "user", "content": f"Box {n} holds {n} old letters."} for n in range(50)]
    body = json.dumps({"session_id": "s", "turn_events": words}).encode()

    def pieces() -> Iterator[bytes]:
        """Send a body whose second half comes when the server has been told to stop."""
        yield body[:1000]
        for _ in range(2):  # the server has taken the first half by then
            httpx.get(f"{address}/healthz", timeout=60).raise_for_status()
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        yield body[1000:]

    try:
        kind = {"content-type": "application/json"}
        url = f"{address}/v1/commit_turn"
        answer = httpx.post(url, content=pieces(), headers=kind, timeout=60)
        assert 200 == answer.status_code, answer.text
        process.wait(60)
    finally:
        process.kill()
        process.communicate()
    with SmartBrain.open(tmp_path / "brain") as brain:
        (turn,) = brain.sessions.turns("s")
        assert answer.json()["turn_id"] == turn.id
        assert len(words) == len(turn.messages)


def test_every_refusal_and_call_is_documented() -> None:
    """The page names each code of the server, with its status, and each call."""
    page = (Path(__file__).parents[2] / "docs/rest.md").read_text(encoding="utf-8")
    for name, codes in REFUSALS.items():
        assert f"`{name}`" in page
        assert str(codes.http_status) in page
    for path in CALLS:
        assert path in page
