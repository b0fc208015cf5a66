"""`memctl compose`, as somebody at a prompt and a program use it.

In: a brain that was told a few things in Chinese and English, and messages. Out: titled blocks with
a bar each, reasons, requests that a provider takes, and one line where something is wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runs import Run, memctl

from smartbrain import SmartBrain

SAID = (
    ("plan", "We decided to use PostgreSQL for the billing service."),
    ("plan", "以后都用中文回答。"),
    ("ops", "测试服务器的端口是 8443。"),
    ("ops", "The \x1b[31mred\x1b[0m button stops the turbine."),
)


def filled(tmp_path: Path) -> Path:
    """Make a brain in the working folder that was told a few things."""
    place = tmp_path / ".smartbrain"
    with SmartBrain.open(place) as brain:
        for session, text in SAID:
            brain.commit_turn(session, [{"role": "user", "content": text}])
    return place


def composed(tmp_path: Path, *arguments: object) -> Run:
    """Compose for a conversation that has not begun; nothing may go wrong."""
    run = memctl("compose", "--session", "new", *arguments, folder=tmp_path)
    assert (0, "") == (run.code, run.err), run
    return run


@pytest.mark.spec("S2", "R15")
@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("Which database does the billing service use?", "PostgreSQL for the billing service"),
        ("测试服务器的端口是多少？", "测试服务器的端口是 8443"),
    ],
)
def test_a_context_is_shown_in_titled_blocks(tmp_path: Path, message: str, fact: str) -> None:
    """What stands, what was found and what is said, in this order, and nothing unasked for."""
    filled(tmp_path)
    blocks = composed(tmp_path, "--message", message).out.partition("\n\ntokens\n")[0]
    titles = [line for line in blocks.splitlines() if line.startswith("=== ")]
    assert [f"=== [{name}] ===" for name in ("Preferences", "Evidence", "User message")] == titles
    standing, _, rest = blocks.partition("\n\n=== [Evidence] ===\n")
    found, _, said = rest.partition("\n\n=== [User message] ===\n")
    assert "用中文回答" in standing
    assert fact in found
    assert message == said


@pytest.mark.spec("S2", "R16")
def test_every_block_has_a_bar_and_all_are_held_to_the_limit(tmp_path: Path) -> None:
    """The figures are those of the package; the longest bar is that of the largest block."""
    filled(tmp_path)
    asked = ("--message", "billing 用什么 database?", "--limit", "600")
    lines = composed(tmp_path, *asked).out.partition("\n\ntokens\n")[2].splitlines()
    bars = {line[2:16].strip(): line.count("█") for line in lines}
    tokens = {line[2:16].strip(): int(line[16:].split()[1]) for line in lines}
    assert ["Preferences", "Evidence", "User message", "in all"] == list(bars)
    *_, total = tokens.values()
    assert lines[-1].endswith(f"{total} of 600")
    assert sum(tokens.values()) - total <= total <= 600
    for name in ("Preferences", "Evidence", "User message"):
        assert abs(30 * tokens[name] / total - bars[name]) <= 1
    assert abs(30 * total / 600 - bars["in all"]) <= 1


@pytest.mark.spec("S2", "S6")
def test_the_reasons_say_why_each_thing_is_in_or_out(tmp_path: Path) -> None:
    """With --why: how it was made, a line a block or piece of evidence, a line a thing left out."""
    filled(tmp_path)
    asked = ("--message", "测试服务器的端口是多少？")
    assert "\nwhy\n" not in composed(tmp_path, *asked).out
    why = composed(tmp_path, *asked, "--why", "--audience", "planner").out.partition("\nwhy\n")[2]
    package = composed(tmp_path, *asked, "--json").json
    assert "  recipe standard, audience planner, intent qa" in why
    assert len(package["evidence"]) > 0
    assert "  Preferences: it is lasting memory that every context begins with [core]\n" in why
    chosen = [one for one in package["debug"]["why_selected"] if one["type"] == "evidence"]
    assert len(package["evidence"]) == len(chosen)
    for number, one in enumerate(chosen, 1):
        (line,) = [line for line in why.splitlines() if line.startswith(f"  [E{number}] ")]
        assert line.endswith(f": {one['reason']} [{one['code']}]")
    left = why.partition("left out: ")[2].splitlines()[1:]
    codes = {one["code"] for one in package["debug"]["ignored"]}
    assert codes == {line.rpartition("[")[2].rstrip("]") for line in left}
    assert len(left) == len(set(left))


@pytest.mark.spec("S2", "S1")
def test_a_request_is_printed_as_a_provider_takes_it(tmp_path: Path) -> None:
    """OpenAI's has the system text among the messages, Anthropic's beside them."""
    filled(tmp_path)
    asked = ("--message", "你好", "--recipe", "chat", "--format")
    openai = composed(tmp_path, *asked, "openai").json
    assert ["messages"] == list(openai)
    assert ["system", "user"] == [one["role"] for one in openai["messages"]]
    anthropic = composed(tmp_path, *asked, "anthropic").json
    assert ["messages", "system"] == sorted(anthropic)
    assert openai["messages"][0]["content"] == anthropic["system"]
    assert anthropic["messages"][-1]["content"].endswith("你好")


@pytest.mark.spec("S2", "R15")
def test_the_json_of_a_context_is_the_package(tmp_path: Path) -> None:
    """Programs find the slots, the limits and the reasons under the names of the contract."""
    filled(tmp_path)
    told = composed(tmp_path, "--message", "hi", "--limit", "900", "--json").json
    assert ("new", 900) == (told["session_id"], told["constraints"]["token_budget"]["limit"])
    assert {"role": "user", "content": "hi"} == told["user_message"]


@pytest.mark.spec("S2")
def test_what_memory_holds_cannot_drive_the_terminal(tmp_path: Path) -> None:
    """A control character out of a message is spelled, in blocks and in reasons."""
    filled(tmp_path)
    shown = composed(tmp_path, "--message", "Which button stops the turbine?\x07", "--why").out
    assert "\\x1b[31mred" in shown
    assert "turbine?\\x07" in shown
    assert "\x1b" not in shown


@pytest.mark.spec("S2")
def test_a_brain_that_holds_nothing_composes_the_message(tmp_path: Path) -> None:
    """The first call of all needs no conversation before it."""
    assert 0 == memctl("init", folder=tmp_path).code
    shown = composed(tmp_path, "--message", "第一句", "--why").out
    assert shown.startswith("=== [User message] ===\n第一句\n\ntokens\n")
    assert "left out: nothing" in shown


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    ("arguments", "code", "piece"),
    [
        (["--format", "opanai"], 2, "did you mean 'openai'?"),
        (["--recipe", "chatt"], 2, "recipes are standard, chat, tool_loop"),
        (["--audience", "nobody"], 2, "audience is one of"),
        (["--limit", "5"], 2, "give a token_limit of at least"),
        (["--turn", "none"], 3, "none"),
        (["--tenant", "谁"], 3, "there is no tenant '谁'"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, arguments: list[str], code: int, piece: str) -> None:
    """It says what to do; nothing is printed for a program to take for a context."""
    filled(tmp_path)
    run = memctl("compose", "--session", "new", "--message", "hi", *arguments, folder=tmp_path)
    assert (code, "", 1) == (run.code, run.out, run.err.count("\n")), run
    assert piece in run.err
