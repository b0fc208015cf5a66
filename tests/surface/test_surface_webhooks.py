"""Webhooks: events sent to a real server on this machine, through failures, kills and restarts.

In: a brain with a webhook, a server that keeps what it gets. Out: signed messages, in order, each
event at least once, without a word of what is remembered.
"""

from __future__ import annotations

import hmac
import json
import signal
import subprocess
import sys
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cli_runs import environment

from smartbrain import SmartBrain, UsageError
from smartbrain.domain.memory_event import EventKind
from smartbrain.domain.metrics import ACTIVE_FACTS

PATIENCE = 600.0
SECRET = "whsec_" + b64encode(b"a secret of 24 bytes ...").decode()


class Message(NamedTuple):
    """What the server got: headers by name, the body as it came."""

    headers: dict[str, str]
    body: bytes

    @property
    def numbers(self) -> list[int]:
        return [one["num"] for one in json.loads(self.body)["events"]]


class Receiver:
    """Keeps messages; answers with given statuses first, then takes everything."""

    def __init__(self, statuses: Sequence[int] = ()) -> None:
        self.taken: list[Message] = []
        self.refused: list[Message] = []
        self._statuses = list(statuses)
        self._changed = threading.Condition()

    def take(self, message: Message) -> int:
        with self._changed:
            status = self._statuses.pop(0) if self._statuses else 204
            (self.taken if status < 300 else self.refused).append(message)
            self._changed.notify_all()
            return status

    @property
    def numbers(self) -> list[int]:
        return [number for message in self.taken for number in message.numbers]

    def wait(self, number: int) -> None:
        """Wait until the event of a number was taken."""
        with self._changed:
            assert self._changed.wait_for(lambda: number in self.numbers, PATIENCE), self.numbers

    def wait_refused(self, count: int = 1) -> None:
        """Wait until so many messages were refused."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.refused) >= count, PATIENCE)


@contextmanager
def receiving(receiver: Receiver, port: int = 0) -> Iterator[str]:
    """Serve a receiver, and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(receiver.take(Message(headers, body)))
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hook"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def settings(tmp_path: Path, url: str, *kinds: str, **more: Any) -> dict[str, Any]:
    """Return settings with one webhook, its secret in a file of the brain's folder."""
    (tmp_path / "brain").mkdir(exist_ok=True)
    (tmp_path / "brain" / "secret").write_text(f"{SECRET}\n", encoding="utf-8")
    block = {"url": url, "secret_file": "secret", "kinds": list(kinds)}
    return {"events": {"webhooks": {"all": block}, "webhook_pause_seconds": 0.2, **more}}


@pytest.mark.spec("S4")
def test_events_are_sent_signed_and_in_order(tmp_path: Path) -> None:
    """Libraries that know Standard Webhooks verify them; no word of memory is in them."""
    receiver = Receiver()
    with (
        receiving(receiver) as url,
        SmartBrain.open(tmp_path / "brain", config=settings(tmp_path, url)) as brain,
    ):
        brain.remember("我的密码本放在书柜第三层。 My sister Ottoline lives in Turin.")
        everything = brain.events(limit=1000)
        receiver.wait(everything.last)
    assert [one.num for one in everything] == receiver.numbers
    for message in receiver.taken:
        told = message.headers
        signed = b"%b.%b." % (told["webhook-id"].encode(), told["webhook-timestamp"].encode())
        key = b64decode(SECRET.removeprefix("whsec_"))
        found = b64encode(hmac.digest(key, signed + message.body, sha256)).decode()
        assert f"v1,{found}" == told["webhook-signature"]
        assert "default" == json.loads(message.body)["tenant"]
        for word in ("Ottoline", "Turin", "书柜", "密码"):
            assert word not in message.body.decode()


@pytest.mark.spec("S4")
def test_what_is_not_taken_is_sent_again(tmp_path: Path) -> None:
    """The same events, before any later ones; only the kinds that are wanted."""
    receiver = Receiver([500, 302, 404])
    config = settings(tmp_path, "", "TurnStored")
    with receiving(receiver) as url:
        config["events"]["webhooks"]["all"]["url"] = url
        with SmartBrain.open(tmp_path / "brain", config=config) as brain:
            brain.remember("I live in Rome.")
            receiver.wait_refused(3)
            brain.remember("我养了一只猫。")
            turns = [one.num for one in brain.events(kinds="TurnStored")]
            receiver.wait(turns[-1])
    assert turns == receiver.numbers
    assert [turns[:1]] * 3 == [one.numbers[:1] for one in receiver.refused]


@pytest.mark.spec("S4")
def test_a_webhook_that_was_away_gets_what_it_missed(tmp_path: Path) -> None:
    """How far it has come outlives the process; a new one begins with what is new."""
    with SmartBrain.open(tmp_path / "brain") as brain:
        brain.remember("Before there was a webhook.")
        old = brain.events(None).last
    receiver = Receiver()
    with receiving(receiver) as url:
        port = int(url.rpartition(":")[2].removesuffix("/hook"))
        config = settings(tmp_path, url)
        with SmartBrain.open(tmp_path / "brain", config=config) as brain:
            brain.remember("I live in Rome.")
            receiver.wait(brain.events(None).last)
    with SmartBrain.open(tmp_path / "brain", config=config) as brain:
        brain.remember("Nobody is there to take this.")
    with SmartBrain.open(tmp_path / "brain") as brain:
        brain.remember("This process knows of no webhook.")
        everything = [one.num for one in brain.events(old, limit=1000)]
    with (
        receiving(receiver, port),
        SmartBrain.open(tmp_path / "brain", config=config) as brain,
        SmartBrain.open(tmp_path / "brain", config=config) as other,
    ):
        other.events()
        receiver.wait(everything[-1])
        assert everything == receiver.numbers
        assert brain.events(None).last == everything[-1]


_WRITER = """
import json, sys
from smartbrain import SmartBrain
brain = SmartBrain.open(sys.argv[1], config=json.loads(sys.argv[2]))
for number in range(100000):
    brain.remember(f"Room {number} has a window. 第{number}号房间有窗。")
    print(number, flush=True)
"""


@pytest.mark.spec("S4")
def test_a_kill_loses_no_event(tmp_path: Path) -> None:
    """A writer is killed while it sends; the next process goes on where the other had come to."""
    receiver = Receiver([204, 500])
    with receiving(receiver) as url:
        config = settings(tmp_path, url, webhook_seconds=0.1)
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path / "brain"), json.dumps(config)],
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert writer.stdout is not None
        receiver.wait_refused()
        while int(writer.stdout.readline()) < 5:
            pass
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        with SmartBrain.open(tmp_path / "brain", config=config) as brain:
            everything: list[int] = []
            while page := brain.events(everything[-1] if everything else 0, limit=1000):
                everything += [one.num for one in page]
            receiver.wait(everything[-1])
    assert everything == sorted(set(receiver.numbers))
    first_seen = list(dict.fromkeys(receiver.numbers))
    assert everything == first_seen


@pytest.mark.spec("S4", "S5")
def test_alerts_are_events(tmp_path: Path) -> None:
    """A target that begins to be missed is told by its code."""
    receiver = Receiver()
    with receiving(receiver) as url:
        config = settings(tmp_path, url, "Alert")
        with SmartBrain.open(tmp_path / "brain", config=config) as brain:
            brain._root.metrics.of("default").gauge(ACTIVE_FACTS, 10.0**9)
            with receiver._changed:
                assert receiver._changed.wait_for(lambda: receiver.taken, PATIENCE)
            (alert,) = brain.events(kinds="Alert")
    assert (EventKind.ALERT, "active_facts_count") == (alert.kind, alert.code)
    assert [alert.num] == receiver.numbers


@pytest.mark.spec("S4", "S7")
@pytest.mark.parametrize(
    ("block", "told"),
    [
        ({"secret_env": "X"}, "url"),
        ({"url": "ftp://x", "secret_env": "X"}, "https"),
        ({"url": "https://x"}, "secret_env"),
        ({"url": "https://x", "secret_env": "X", "secret_file": "y"}, "secret_file"),
        ({"url": "https://x", "secret_env": "X", "kinds": ["Nothing"]}, "Nothing"),
        ({"url": "https://x", "secret": "X"}, "secret_env"),
    ],
)
def test_a_webhook_that_is_none_is_refused(tmp_path: Path, block: dict[str, Any], told: str):
    """One line that names what is wrong, when the brain is opened."""
    with pytest.raises(UsageError, match=told) as refused:
        SmartBrain.open(tmp_path, config={"events": {"webhooks": {"mine": block}}})
    assert "config" == refused.value.code
    assert "mine" in refused.value.message


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_&&"])
def test_a_secret_that_is_missing_is_told(
    tmp_path: Path, secret: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The brain opens all the same; the webhook gets nothing, and a line in the log says why."""
    monkeypatch.setenv("HOOK_SECRET", secret)
    receiver = Receiver()
    with receiving(receiver) as url:
        block = {"url": url, "secret_env": "HOOK_SECRET"}
        config = {"events": {"webhooks": {"mine": block}}}
        with SmartBrain.open(tmp_path, config=config) as brain:
            brain.remember("I live in Rome.")
            hooks = brain._root.webhooks
            assert hooks is not None
            assert [] == hooks._hooks
    assert [] == receiver.taken
    assert "webhook mine gets nothing" in caplog.text
