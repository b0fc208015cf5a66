"""The tables that all surfaces share: each verb with its arguments, each error with its codes.

In: the methods of a handle and the classes of errors. Out: what a table lacks.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from smartbrain import SmartBrain
from smartbrain.brain import GROUPS
from smartbrain.entrypoints.wire.errors import (
    HTTP_BY_CODE,
    OUTSIDE,
    exit_code,
    http_status,
    outside_codes,
    read_error,
)
from smartbrain.entrypoints.wire.verbs import (
    HANDLE_ONLY,
    LOCAL,
    plain_result,
    read_result,
    verbs,
)
from smartbrain.errors import CODES, SmartBrainError, UsageError


@pytest.fixture
def brain(tmp_path: Path) -> Iterator[SmartBrain]:
    with SmartBrain.open(tmp_path / "brain") as opened:
        yield opened


def every_class(kind: type[SmartBrainError] = SmartBrainError) -> Iterator[type[SmartBrainError]]:
    for child in kind.__subclasses__():
        yield child
        yield from every_class(child)


@pytest.mark.spec("S1")
def test_every_error_class_is_mapped() -> None:
    """Each class of error has an exit code, a status and an MCP code, and no two look alike."""
    ours = {kind for kind in every_class() if kind.__module__ == "smartbrain.errors"}
    assert ours == set(OUTSIDE)
    assert len(OUTSIDE) == len({codes.exit_code for codes in OUTSIDE.values()})
    assert len(OUTSIDE) == len({codes.mcp_code for codes in OUTSIDE.values()})
    assert set() == set(HTTP_BY_CODE) - set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_every_code_comes_back_as_the_error_it_was(code: str) -> None:
    """A client raises what the server raised: the same class, code, sentence and retryable."""
    owner, sentence = CODES[code]
    error = owner(code=code)
    back = read_error(error.to_dict())
    assert (owner, code, sentence) == (type(back), back.code, back.message)
    assert error.to_dict() == back.to_dict()
    assert 400 <= http_status(error) < 600
    assert outside_codes(error).exit_code == exit_code(error)


def test_a_code_of_a_newer_server_is_told_and_not_lost() -> None:
    """What this version does not know is a fault with the server's own words."""
    error = read_error({"code": "melted", "message": "The rack has melted."})
    assert ("internal", "The rack has melted. [melted]") == (error.code, error.message)


def test_the_groups_are_those_of_a_handle(brain: SmartBrain) -> None:
    """A new group of verbs is noticed here."""
    found = {name: type(group) for name, group in vars(brain).items() if name[0] != "_"}
    assert {"": SmartBrain, **found} == dict(GROUPS)


@pytest.mark.spec("S1")
def test_no_verb_reaches_the_files_of_the_machine() -> None:
    """Nothing that takes a path or a file, and nothing about the handle, is offered outside."""
    offered = verbs()
    assert set() == HANDLE_ONLY & set(offered)
    for name in ("export", "import_chat", "fastmemo.load", "state.load", "artifacts.file_snippet"):
        assert name not in offered
    for verb in offered.values():
        assert set() == LOCAL & set(verb.arguments.__struct_fields__)


@pytest.mark.parametrize("name", verbs())
def test_every_verb_has_a_schema_and_a_sentence(name: str) -> None:
    """Each says what it does, and its arguments can be read and described."""
    verb = verbs()[name]
    assert verb.summary.endswith((".", "."))
    schema = msgspec.json.schema(verb.arguments)
    assert verb.arguments.__name__ in schema["$defs"]
    method = getattr(GROUPS[verb.group], verb.method)
    needed = [
        one.name
        for one in inspect.signature(method).parameters.values()
        if one.default is one.empty and one.kind is not one.VAR_KEYWORD and one.name != "self"
    ]
    fields = msgspec.structs.fields(verb.arguments)
    assert needed == [one.name for one in fields if one.required]


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("recall", {}, "recall: it needs `query`"),
        ("recall", {"query": 3}, "recall: query: Expected `str`, got `int`"),
        ("recall", {"query": "a", "kk": 3}, "recall: it has no argument `kk`"),
        ("recall", {"query": "a", "k": "3"}, "recall: k: Expected `int`, got `str`"),
        ("pins.remove", {"ids": {"a": 1}}, "pins.remove: ids: Expected `int | str | array`"),
    ],
)
def test_wrong_arguments_are_told_by_their_place(
    brain: SmartBrain, name: str, given: dict[str, Any], sentence: str
) -> None:
    """The sentence names the verb and the argument; nothing is done."""
    with pytest.raises(UsageError) as caught:
        verbs()[name].call(brain, given)
    assert caught.value.message.startswith(sentence)


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"text": "My sister lives in Turin."}),
    ("remember", {"text": "我的妹妹住在杭州。"}),
    (
        "commit_turn",
        {"session_id": "s", "turn_events": [{"role": "user", "content": "I use vim."}]},
    ),
    ("recall", {"query": "where does my sister live", "k": 3}),
    ("build_memory_packet", {"session_id": "s", "user_message": "我妹妹住在哪里"}),
    ("compose_context", {"session_id": "s", "user_message": "hello"}),
    ("read", {"text": "I moved to Rome."}),
    ("memories.put", {"type": "facts", "key": "fact:staging:database", "value": {"value": "pg"}}),
    ("memories.list", {}),
    ("memories.history", {"key": "fact:staging:database"}),
    ("pins.add", {"type": "path", "title": "t", "summary": "s", "source": "chat:TURN"}),
    ("pins.update", {"id": 1, "title": "other"}),
    ("pins.list", {}),
    ("pins.history", {}),
    ("plan.add", {"session_id": "s", "text": "ship"}),
    ("plan.check", {"session_id": "s", "id": 1}),
    ("notebook.add", {"session_id": "s", "text": "done"}),
    ("fastmemo.add", {"section": "user", "text": "x"}),
    ("fastmemo.read", {}),
    ("artifacts.add", {"tool_name": "ls", "output": "a\nb", "session_id": "s"}),
    ("artifacts.list", {"session_id": "s"}),
    ("runs.start", {"session_id": "s", "goal": "g"}),
    ("runs.list", {}),
    ("sessions.list", {}),
    ("sessions.turns", {"session_id": "s"}),
    ("graph.add_node", {"name": "Entity:Turin"}),
    ("graph.neighbors", {"node": "Entity:Turin"}),
    ("graph.ppr", {"seeds": "Entity:Turin"}),
    ("work.list", {}),
    ("state.governed", {"session_id": "s"}),
    ("state.export", {"session_id": "s"}),
    ("tools", {"session_id": "s"}),
    ("call_tool", {"session_id": "s", "call": {"name": "recall", "arguments": {"query": "vim"}}}),
    ("ingest", {"text_or_path": "A note about Turin."}),
    ("r2g", {}),
    ("reread", {"dry_run": True}),
    ("status", {}),
    ("capabilities", {}),
    ("metrics", {}),
    ("forget", {"topic": "Turin", "preview": True}),
    ("receipts", {}),
    ("sessions.delete", {"session_id": "s"}),
]


@pytest.mark.spec("S1", "R1")
def test_results_come_back_from_json_as_they_were(brain: SmartBrain) -> None:
    """What a verb gives is the same after a trip through JSON; so a client can give it too."""
    turn = brain.remember("My brother lives in Oslo.").turn_id
    for name, given in CALLS:
        verb = verbs()[name]
        given = msgspec.json.decode(msgspec.json.encode(given).replace(b"TURN", turn.encode()))
        result = verb.bound(brain)(**verb.read(given))
        plain = msgspec.json.decode(msgspec.json.encode(plain_result(result)))
        back = read_result(verb, plain)
        assert plain == msgspec.json.decode(msgspec.json.encode(plain_result(back))), name
        assert type(result) in (type(back), list, tuple, dict), name
