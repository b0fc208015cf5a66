"""`memctl chat`: typed and piped, with a service on a real socket, with the echo, in two languages.

In: lines, a chat completions service that can be told to misbehave. Out: answers with the context
beside them, turns that are kept whatever happens, and a clean end.
"""

from __future__ import annotations

import codecs
import io
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from unittest.mock import patch

import pytest
from cli_runs import COMMAND, Run, called, environment, spawned

from smartbrain import SmartBrain
from smartbrain.testing.model_service import ChatService, Fault, running_chat_service, saying


def brain_in(tmp_path: Path) -> Path:
    """Make a brain in the working folder."""
    assert 0 == called("init", folder=tmp_path).code
    return tmp_path / ".smartbrain"


def talked(said: str | bytes, *arguments: object, folder: Path, **more: str) -> Run:
    """Chat with lines from a pipe."""
    given = said.encode() if isinstance(said, str) else said
    with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")):
        return called("chat", *arguments, folder=folder, **more)


def kept(place: Path, session: str = "chat") -> list[list[str]]:
    """Return what each turn of a session says."""
    with SmartBrain.open(place) as brain:
        return [[one.content for one in turn.messages] for turn in brain.sessions.turns(session)]


def service_at(service: ChatService) -> list[str]:
    """Return the options that name a service."""
    return ["--url", service.url, "--model", "test-chat"]


class Thinking(Event):
    """What an answer waits for; `reached` tells that it does."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = Event()

    def wait(self, timeout: float | None = None) -> bool:
        """Tell that somebody waits, and wait."""
        self.reached.set()
        return super().wait(timeout)


class Terminal:
    """A chat in a terminal: what is shown so far, and what is typed next."""

    def __init__(self, leader: int, process: subprocess.Popen[bytes]) -> None:
        self._leader = leader
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.process = process
        self.shown = ""
        self._seen = 0

    def wait_for(self, piece: str) -> None:
        """Read until the terminal shows something that it did not show before."""
        while (found := self.shown.find(piece, self._seen)) < 0:
            self._read()
        self._seen = found + len(piece)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._leader, keys.encode())

    def ended(self) -> int:
        """Return the exit code, having read whatever is still shown."""
        with suppress(OSError):  # how a terminal says that nobody writes any more
            while True:
                self._read()
        return self.process.wait(30)

    def _read(self) -> None:
        ready, _, _ = select.select([self._leader], [], [], 30)
        assert ready, f"nothing more is shown after {self.shown!r}"
        self.shown += self._decoder.decode(os.read(self._leader, 65536))


@contextmanager
def terminal(*arguments: object, folder: Path, columns: int = 140) -> Iterator[Terminal]:
    """Run a chat in a terminal of that width."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "chat", *map(str, arguments)],
        cwd=folder,
        env=environment(folder, COLUMNS=str(columns), TERM="xterm", NO_COLOR="1"),
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    ) as process:
        os.close(follower)
        try:
            yield Terminal(leader, process)
        finally:
            process.kill()
            os.close(leader)


@pytest.mark.spec("S2")
def test_without_a_service_the_echo_answers_and_says_so(tmp_path: Path) -> None:
    """One message a line; each is answered, shown with its context, and kept with its answer."""
    place = brain_in(tmp_path)
    said = "我们决定用 PostgreSQL 做账单库。\n\nWhich database is it?\n"
    run = talked(said, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    first, *_ = run.out.splitlines()
    assert "Session chat: no --url is given, so no model answers: the echo repeats" in first
    assert "you> Which database is it?\n(echo) Which database is it?\n╭─ context ─" in run.out
    assert "of 8,192" in run.out
    lines = ["我们决定用 PostgreSQL 做账单库。", "Which database is it?"]
    assert [[line, f"(echo) {line}"] for line in lines] == kept(place)


@pytest.mark.spec("S2", "R15")
def test_a_service_is_given_the_composed_context(tmp_path: Path) -> None:
    """What was said in another session reaches the model, under a system text of one's own."""
    brain_in(tmp_path)
    talked("以后都用中文回答。\n灯会的发布日是 3 月 20 日。\n", "--session", "a", folder=tmp_path)
    with running_chat_service() as service:
        service.faults.append(saying("3 月 20 日。\n祝顺利！"))
        options = [*service_at(service), "--session", "b", "--system", "Be brief.", "--no-context"]
        run = talked("灯会哪天发布？\n", *options, folder=tmp_path)
        (asked,) = service.requests
    assert (0, "") == (run.code, run.err)
    assert "Session b: test-chat answers.\n" in run.out
    assert run.out.endswith("you> 灯会哪天发布？\n3 月 20 日。\n祝顺利！\n")
    assert ("test-chat", "/v1/chat/completions") == (asked.body["model"], asked.path)
    system, user = asked.body["messages"]
    assert ("system", "user") == (system["role"], user["role"])
    assert "Be brief." in system["content"]
    assert "用中文回答" in system["content"]
    assert "发布日是 3 月 20 日" in user["content"]
    assert "authorization" not in asked.headers


@pytest.mark.spec("S2")
def test_the_key_comes_from_the_variable_that_is_named(tmp_path: Path) -> None:
    """It goes into the header; a variable that is not set is one line before anything is said."""
    place = brain_in(tmp_path)
    with running_chat_service() as service:
        options = [*service_at(service), "--key-env", "MY_KEY"]
        run = talked("hi\n", *options, folder=tmp_path, MY_KEY="s3cret")
        assert ["Bearer s3cret"] == [one.headers["authorization"] for one in service.requests]
        assert "s3cret" not in run.out + run.err
        unset = talked("lost?\n", *options, folder=tmp_path)
    assert (2, "") == (unset.code, unset.out)
    assert "memctl: the environment variable MY_KEY is not set [usage]\n" == unset.err
    assert [["hi", "hi"]] == kept(place)


@pytest.mark.spec("S2")
def test_an_error_of_the_service_is_one_line_and_the_chat_goes_on(tmp_path: Path) -> None:
    """The message is kept without an answer, and the next one reaches the model with it."""
    place = brain_in(tmp_path)
    with running_chat_service() as service:
        service.faults.append(Fault(status=400, body=b'{"error": {"message": "too hot"}}'))
        service.faults.append(saying(" "))
        run = talked("部署日是周五。\nsecond\nthird\n", *service_at(service), folder=tmp_path)
        last = service.requests[-1].body["messages"]
    refused, blank = run.err.splitlines()
    assert 5 == run.code
    assert refused.startswith("memctl: asking test-chat at http://127.0.0.1:")
    assert "it answered 400, too hot" in refused
    assert refused.endswith("; what you said is kept")
    assert "test-chat answered with no words" in blank
    assert [["部署日是周五。"], ["second"]] == kept(place)[:2]
    (user,) = [one["content"] for one in last if one["role"] == "user"]
    assert ["部署日是周五。", "second", "third"] == user.split("\n\n")


@pytest.mark.spec("S2", "R16")
def test_a_message_that_no_limit_holds_is_kept(tmp_path: Path) -> None:
    """It gets no answer but a line that names the limit it takes; the chat goes on."""
    place = brain_in(tmp_path)
    long = "很长的话 " * 200
    run = talked(f"{long}\nshort\n", "--limit", "100", folder=tmp_path)
    assert (2, 1) == (run.code, run.err.count("\n"))
    assert "give a token_limit of at least" in run.err
    assert [long.strip(), "short"] == [turn[0] for turn in kept(place)]
    assert [1, 2] == [len(turn) for turn in kept(place)]


@pytest.mark.spec("S2")
def test_commands_show_more_and_are_not_said(tmp_path: Path) -> None:
    """A slash and a word is a command; a path or a sentence that begins so is a message."""
    place = brain_in(tmp_path)
    with SmartBrain.open(place) as brain:
        turn = brain.commit_turn("chat", [{"role": "user", "content": "周五发布"}]).turn_id
        brain.pins.add("constraint", "发布", "只在周五", f"chat:{turn}")
    lines = ["/context", "/pins", "/pin", "/usr/bin is full", "/why", "/context", "/help", "/quit"]
    run = talked("\n".join([*lines, "too late"]), "--echo", "--no-context", folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    shown = run.out.partition("/quit ends.\n")[2].splitlines()
    assert "nothing is composed yet; say something first" == shown[0]
    assert shown[1].startswith("1  constraint  发布: 只在周五 [chat:")
    assert "there is no /pin (did you mean '/pins'?); /help lists the commands" == shown[2]
    assert ["you> /usr/bin is full", "(echo) /usr/bin is full", "why"] == shown[3:6]
    assert "=== [Pinned facts] ===" in shown
    assert "  /quit     end" == shown[-1]
    assert ["周五发布", "/usr/bin is full"] == [turn[0] for turn in kept(place)]


@pytest.mark.spec("S2")
def test_bytes_that_are_no_text_and_control_characters_do_no_harm(tmp_path: Path) -> None:
    """What cannot be read is replaced, what a terminal would obey is spelled."""
    place = brain_in(tmp_path)
    with running_chat_service() as service:
        service.faults.append(saying("\x1b[2Jgone\tnot"))
        run = talked(b"caf\xe9 \xe4\xbd\xa0\n", *service_at(service), folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    assert "\\x1b[2Jgone" in run.out
    assert "\x1b" not in run.out
    assert [["caf� 你", "\x1b[2Jgone\tnot"]] == kept(place)


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    ("arguments", "piece"),
    [
        (["--url", "http://127.0.0.1:9/v1"], "--url needs --model"),
        (["--echo", "--url", "http://127.0.0.1:9/v1"], "the echo needs no --url"),
        (["--model", "m"], "the echo needs no --url"),
        (["--url", "nowhere", "--model", "m"], "a language model is"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(
    tmp_path: Path, arguments: list[str], piece: str
) -> None:
    """Nothing is asked and nothing is kept."""
    place = brain_in(tmp_path)
    run = talked("hi\n", *arguments, folder=tmp_path)
    assert (2, "", 1) == (run.code, run.out, run.err.count("\n"))
    assert piece in run.err
    assert [] == SmartBrain.tenants(place)


@pytest.mark.spec("S2")
def test_a_process_of_its_own_says_the_same(tmp_path: Path) -> None:
    """A pipe with nothing in it begins and ends."""
    brain_in(tmp_path)
    assert talked("", folder=tmp_path) == spawned("chat", folder=tmp_path)


@pytest.mark.spec("S2")
def test_a_wide_terminal_shows_the_context_beside_the_answer(tmp_path: Path) -> None:
    """Answer and frame begin on one line; Ctrl-D ends, with 0, and all is kept."""
    place = brain_in(tmp_path)
    with terminal(folder=tmp_path) as chat:
        chat.wait_for("you> ")
        chat.type("你好 there\n")
        chat.wait_for("╯")
        chat.wait_for("you> ")
        chat.type("\x04")
        assert 0 == chat.ended()
    (line,) = [line for line in chat.shown.splitlines() if "(echo)" in line]
    assert "╭─ context ─" in line.partition("(echo) 你好 there ")[2]
    assert [["你好 there", "(echo) 你好 there"]] == kept(place)


@pytest.mark.spec("S2")
def test_ctrl_c_while_the_model_thinks_loses_nothing(tmp_path: Path) -> None:
    """The chat ends with 0 and without a traceback; what was said is kept without an answer."""
    place = brain_in(tmp_path)
    never = Thinking()
    # Where tests run in the background it is ignored, and so it would be in what they start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with running_chat_service() as service:
        service.faults.append(Fault(until=never))
        with terminal(*service_at(service), folder=tmp_path) as chat:
            signal.signal(signal.SIGINT, before)
            chat.wait_for("you> ")
            chat.type("记住：周五发布。\n")
            assert never.reached.wait(30)
            chat.process.send_signal(signal.SIGINT)
            assert 0 == chat.ended()
        never.set()
    assert "Traceback" not in chat.shown
    assert [["记住：周五发布。"]] == kept(place)


@pytest.mark.spec("S2", "R15")
def test_a_session_in_which_tools_ran_can_be_gone_on_with(tmp_path: Path) -> None:
    """The service is told in words alone what was said; it needs to know no tools."""
    place = brain_in(tmp_path)
    call = {"name": "pytest", "stdout": "1 failed in 0.2s\n", "exit_code": 1}
    said = [{"role": "user", "content": "跑一下测试"}, {"role": "assistant", "content": "失败了。"}]
    with SmartBrain.open(place) as brain:
        brain.commit_turn("agent", {"messages": said, "tool_calls": [call]})
    with running_chat_service() as service:
        run = talked("为什么？\n", *service_at(service), "--session", "agent", folder=tmp_path)
        (asked,) = service.requests
    assert (0, "") == (run.code, run.err)
    told = [(one["role"], one["content"]) for one in asked.body["messages"]]
    assert [("user", "跑一下测试"), ("assistant", "失败了。")] == told[-3:-1]
    assert told[-1][0] == "user"
    assert told[-1][1].endswith("=== [User message] ===\n为什么？")
    assert {"system", "user", "assistant"} >= {role for role, _ in told}
