"""What asking from outside costs over asking the library: HTTP, gRPC, MCP, and the model's proxy.

In: a brain of made-up memories, served by `memctl` as processes of their own. Out: the time of one
recall on each surface for one client and for 32 at once, against the same call in this process; the
time that the proxy adds before the first token; the server's memory over many requests.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from http.client import OK, HTTPConnection
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import grpc
import httpx
import uvicorn
from mcp import Client
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from bench.measure import Times, milliseconds
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.entrypoints.grpc import messages
from smartbrain.entrypoints.proxy.app import STATUS

CLIENTS = (1, 32)
MEMORIES, MEMORIES_FULL = 300, 1_000
SECONDS, SECONDS_FULL = 5, 60
REQUESTS, REQUESTS_FULL = 1_000, 100_000
GROWTH = 1.1  # the server's memory at the end against that after a tenth of the requests
QUESTION = "where does friend 17 live?"
WATCHED = 50  # memories of the brain whose server is watched
ASKING = 4  # clients that ask while the server's memory is watched
_SHORT: Final = (
    ("memories.list", {"limit": 5}),
    ("sessions.list", {"limit": 5}),
    ("events", {"since": 0, "limit": 5}),
    ("pins.list", {}),
    ("plan.list", {"session_id": "s"}),
)
CALLS: Final = [
    (f"/v1/{verb}", json.dumps(given))
    for verb, given in (
        ("recall", {"query": QUESTION, "k": 1}),
        *_SHORT,
        ("recall", {"query": "我住在哪里？", "k": 1}),
        *_SHORT,
        ("read", {"text": "My friend 17 lives in Turin now."}),
        *_SHORT,
        ("build_memory_packet", {"session_id": "s", "user_message": QUESTION}),
        ("status", {}),
    )
]
"""What is asked in turn while the server's memory is watched: all that only reads."""
PATIENCE = 120.0
_MEMORY = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)
_TOOK: Final = re.compile(r"took=([0-9.]+)")
BEYOND: Final = 0.010
"""Seconds that the proxy may add to the first token beyond composing, at p50."""
Ask = Callable[[], float]
"""Asks once, and returns the seconds that it took."""
Connect = Callable[[ExitStack], Ask]
"""Opens a client of its own, and returns what asks once."""


def run(setting: Setting) -> Iterator[Result]:
    """Measure the surfaces that `--only` asks for: http, grpc, memory, mcp, proxy."""
    root, watched = setting.folder / "brain", setting.folder / "watched"
    seconds = setting.pick(SECONDS, SECONDS_FULL)
    parts: dict[str, Callable[[], Iterator[Result]]] = {
        "http": lambda: http_results(root, seconds),
        "grpc": lambda: grpc_results(root, seconds),
        "mcp": lambda: mcp_results(root, seconds),
        "proxy": lambda: proxy_results(root, seconds),
        "memory": lambda: memory_results(watched, setting.pick(REQUESTS, REQUESTS_FULL)),
    }
    asked = [name for name in parts if re.search(setting.only, name)]
    if asked != ["memory"]:
        fill(root, setting.pick(MEMORIES, MEMORIES_FULL))
    for name in asked:
        yield from parts[name]()


def http_results(root: Path, seconds: float) -> Iterator[Result]:
    """Measure a recall by a route."""
    with served("serve", "--root", root) as (_, (address,)):
        for count in CLIENTS:
            found = by_threads(lambda held: over_http(held, address), count, seconds)
            yield overhead("HTTP", count, found, embedded(root, count, seconds))


def grpc_results(root: Path, seconds: float) -> Iterator[Result]:
    """Measure a recall by a call with typed messages."""
    with served("serve", "--grpc", "0", "--root", root) as (_, (_, address)):
        for count in CLIENTS:
            found = by_threads(lambda held: over_grpc(held, address), count, seconds)
            yield overhead("gRPC", count, found, embedded(root, count, seconds))


def mcp_results(root: Path, seconds: float) -> Iterator[Result]:
    """Measure a recall by a tool."""
    with served("mcp", "--http", "--root", root) as (_, (address,)):
        for count in CLIENTS:
            found = asyncio.run(by_tools(f"{address}/mcp", count, seconds))
            yield overhead("MCP", count, found, embedded(root, count, seconds))


def embedded(root: Path, clients: int, seconds: float) -> Times:
    """Ask the library in this process, right after a surface was asked."""
    with SmartBrain.open(root) as brain:
        return by_threads(lambda _: clocked(lambda: brain.recall(QUESTION)), clients, seconds)


def fill(root: Path, count: int) -> None:
    """Make a brain that knows so many things."""
    with SmartBrain.open(root) as brain:
        for number in range(count):
            brain.remember(f"My friend {number} lives in town {number % 97}.", session_id="s")


def overhead(name: str, clients: int, found: Times, here: Times) -> Result:
    """Return what a surface adds to the same call in this process."""
    return Result(
        f"recall over {name}, {clients} at once",
        f"{found}; {len(found.seconds):,} answers",
        f"{here} in this process",
        ratio=f"{found.p50 / here.p50:.2f} p50, {found.p99 / here.p99:.2f} p99",
        numbers={"p50": found.p50, "p99": found.p99, "here_p50": here.p50, "here_p99": here.p99},
    )


def by_threads(connect: Connect, clients: int, seconds: float) -> Times:
    """Ask from so many threads for so long, each with a client of its own."""
    times: list[float] = []
    all_there = threading.Barrier(clients)

    def ask_on() -> None:
        with ExitStack() as held:
            ask = connect(held)
            ask()  # connected, and everything loaded
            all_there.wait()
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                times.append(ask())

    threads = [threading.Thread(target=ask_on) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Times(tuple(times))


def clocked(action: Callable[[], object]) -> Ask:
    """Return what does something, and tells how long that took."""

    def ask() -> float:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return ask


def over_http(held: ExitStack, address: str) -> Ask:
    """Return what asks by a route."""
    client = held.enter_context(httpx.Client(base_url=address, timeout=PATIENCE))
    body = {"query": QUESTION}
    return clocked(lambda: client.post("/v1/recall", json=body).raise_for_status().json())


def over_grpc(held: ExitStack, address: str) -> Ask:
    """Return what asks by a call with typed messages."""
    method = messages.service().methods_by_name["Recall"]
    channel = held.enter_context(
        grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
    )
    call = channel.unary_unary(
        f"/{messages.SERVICE}/Recall",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=messages.message_class(method.output_type).FromString,
    )
    request = messages.make_request(method, {"query": QUESTION})
    return clocked(lambda: call(request, timeout=PATIENCE))


async def by_tools(address: str, clients: int, seconds: float) -> Times:
    """Ask by the tool of so many MCP clients for so long."""
    times: list[float] = []
    all_there = asyncio.Barrier(clients)

    async def ask_on() -> None:
        async with Client(address) as client:
            await client.call_tool("recall", {"query": QUESTION})
            await all_there.wait()
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                start = time.perf_counter()
                await client.call_tool("recall", {"query": QUESTION})
                times.append(time.perf_counter() - start)

    await asyncio.gather(*(ask_on() for _ in range(clients)))
    return Times(tuple(times))


def memory_results(root: Path, requests: int) -> Iterator[Result]:
    """Ask calls of all kinds very often, and compare what the server holds early and late."""
    fill(root, WATCHED)
    with served("serve", "--root", root) as (process, (address,)):
        yield memory_growth(process.pid, address, requests)


def memory_growth(pid: int, address: str, requests: int) -> Result:
    """Return what a server holds at the end against what it held early."""

    def held() -> int:
        found = _MEMORY.search(Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
        return int(found[1]) * 1024 if found else 0

    def ask(count: int) -> None:
        # http.client rather than httpx: the client shares the machine with what is measured.
        with closing(HTTPConnection(address.removeprefix("http://"), timeout=PATIENCE)) as line:
            calls = cycle(CALLS)
            for _ in range(count):
                path, body = next(calls)
                line.request("POST", path, body, {"content-type": "application/json"})
                answer = line.getresponse()
                answer.read()
                if answer.status != OK:
                    raise SystemExit(f"{path} was answered with {answer.status}")

    def ask_at_once(count: int) -> None:
        with ThreadPoolExecutor(ASKING) as pool:
            list(pool.map(ask, [count // ASKING] * ASKING))

    ask_at_once(requests // 10)
    early = held()
    ask_at_once(requests - requests // 10)
    late = held()
    return Result(
        f"the server's memory, {requests:,} requests",
        f"{late / 2**20:.0f} MB at the end",
        f"{early / 2**20:.0f} MB after a tenth",
        ratio=f"{late / early:.3f}",
        limit=f"≤ {GROWTH}",
        passed=late / early <= GROWTH,
        numbers={"late": late, "early": early},
    )


def proxy_results(root: Path, seconds: float) -> Iterator[Result]:
    """Measure the time to the first token of a stream, through the proxy and past it."""
    with model_api() as api, served("proxy", "--upstream", api, "--root", root) as (_, (address,)):
        for count in CLIENTS:
            past = by_threads(lambda held: first_token(held, api), count, seconds)
            composing: list[float] = []
            ask = partial(first_token, address=address, composing=composing)
            through = by_threads(ask, count, seconds)
            composed = Times(tuple(composing))
            beyond = through.p50 - past.p50 - composed.p50
            yield Result(
                f"first token of a model, {count} at once",
                f"{through} through the proxy, {composed} of it composing",
                f"{past} past it",
                ratio=f"{milliseconds(beyond)} more beyond composing",
                limit=f"≤ {milliseconds(BEYOND)}" if count == 1 else "",
                passed=beyond <= BEYOND if count == 1 else None,
                numbers={
                    "through_p50": through.p50,
                    "through_p99": through.p99,
                    "past_p50": past.p50,
                    "past_p99": past.p99,
                    "composing_p50": composed.p50,
                },
            )


def first_token(held: ExitStack, address: str, composing: list[float] | None = None) -> Ask:
    """Return what asks a model and waits for the first piece; notes what composing took."""
    client = held.enter_context(httpx.Client(base_url=address, timeout=PATIENCE))
    numbers = iter(range(10**9))
    name = f"bench-{threading.get_ident()}"

    def ask() -> float:
        said = f"{QUESTION} ({name} {next(numbers)})"
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": said}]}
        headers = {"SmartBrain-Session": name}
        start = time.perf_counter()
        with client.stream("POST", "/v1/chat/completions", json=body, headers=headers) as answer:
            pieces = answer.iter_raw()
            next(pieces)
            took = time.perf_counter() - start
            if composing is not None and (told := _TOOK.search(answer.headers[STATUS])):
                composing.append(float(told[1]) / 1000)
            for _ in pieces:
                pass
        return took

    return ask


@contextmanager
def model_api() -> Iterator[str]:
    """Stand for a model's API that answers at once, in a thread of this process."""

    async def chat(request: Request) -> StreamingResponse:
        await request.body()

        async def pieces() -> Any:
            for word in ("In", " town", " 17."):
                chunk = {"choices": [{"index": 0, "delta": {"content": word}}]}
                yield f"data: {json.dumps(chunk)}\n\n".encode()
            yield b"data: [DONE]\n\n"

        return StreamingResponse(pieces(), media_type="text/event-stream")

    app = Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def served(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run a server of memctl, and yield its process and its addresses, that of HTTP first."""
    command = [sys.executable, "-m", "smartbrain.entrypoints.cli.main", *map(str, arguments)]
    process = subprocess.Popen(
        [*command, "--port", "0"], stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    places: list[str] = []
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if " at " in line:
                places.append(line.split()[-1])
            if "listening at" in line:
                break
        else:
            raise SystemExit(f"memctl {arguments[0]} did not start")
        yield process, [f"http://{places.pop()}", *places]
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        process.kill()
