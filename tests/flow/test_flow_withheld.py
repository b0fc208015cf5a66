"""Masked memories beside what was said: `privacy.pii: mask` with `privacy.raw: encrypted`.

In: turns with addresses and numbers, committed to an encrypted tenant. Out: where the words are
found again: in the turn as it was said, for whoever asks for that, and nowhere else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, user

from smartbrain import SmartBrain, UsageError
from smartbrain.adapters.keys import new_master_key_text
from smartbrain.bootstrap.replaying import check_replay

SECRETS = ["bob@example.com", "13812345678"]


def locked(path: Path, **more: Any) -> dict[str, Any]:
    """Return the configuration of an encrypted brain that masks and keeps what was said."""
    key = path / "key"
    key.write_text(new_master_key_text(), encoding="ascii")
    privacy = {"privacy.pii": "mask", "privacy.raw": "encrypted"}
    return {"encryption.enabled": True, "encryption.master_key_file": str(key), **privacy, **more}


def turn_of(secret: str) -> dict[str, Any]:
    """Return a turn that holds something personal in every part of it."""
    call = {
        "id": "c1",
        "name": "send",
        "args": {f"to {secret}": [1, {"抄送": f"也给 {secret} 一份"}]},
        "result": {"sent": [f"<{secret}>", True]},
        "stdout": f"已发送 {secret}\nsent to {secret} at once\n",
    }
    return {
        "messages": [
            user(f"记住，鲍勃的联系方式是 {secret}。Bob moved to Lisbon.", name=f"鲍勃 {secret}"),
            assistant(f"I sent it to {secret}, 好的。", meta={"to": secret}),
        ],
        "tool_calls": [call],
        "refs": [{"ref_type": "url", "ref_uri": f"https://a.example/?to={secret}"}],
    }


def everywhere(brain: SmartBrain) -> str:
    """Return all that recall, contexts, memories, turns and outputs tell."""
    told: list[Any] = [one.to_dict() for one in brain.memories.list(status=None, limit=1000).items]
    told += [turn.to_dict() for turn in brain.sessions.turns("s")]
    told += [brain.artifacts.get(one.id).to_dict() for one in brain.artifacts.list().items]
    for secret in SECRETS:
        told += [item.to_dict() for item in brain.recall(f'"{secret}" 原话')]
    for words in ("Bob 鲍勃 联系方式", "原话 sent to at once"):
        told.append(brain.recall(words).to_dict())
        package = brain.compose_context("s", words)
        told += [package.to_dict(), package.text(), brain.explain(package.context_id).to_dict()]
    return repr(told)


def rows_holding(brain: SmartBrain, secret: str) -> set[str]:
    """Return the tables of the tenant's database, and its files, in which a text stands."""
    with brain._lease() as tenant, tenant.ports.truth.read() as transaction:
        connection = transaction.connection  # type: ignore[attr-defined]
        names = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        rows = {name: repr(list(connection.execute(f"SELECT * FROM {name}"))) for name in names}
        files = [one for one in tenant.folder.rglob("*") if one.is_file()]
        rows |= {one.name: repr(one.read_bytes()) for one in files}
    return {name for name, text in rows.items() if secret in text}


@pytest.mark.spec("C10", "E1")
@pytest.mark.parametrize("secret", SECRETS)
def test_what_was_said_is_in_the_event_alone(tmp_path: Path, secret: str) -> None:
    """The turn comes back to the letter; memories, indexes, contexts and traces hold marks."""
    given = turn_of(secret)
    with SmartBrain.open(tmp_path / "b", config=locked(tmp_path)) as brain:
        brain.commit_turn("s", given)
        (said,) = brain.sessions.turns("s", original=True)
        (masked,) = brain.sessions.turns("s")
        told = everywhere(brain)
        brain.rebuild()
        told += everywhere(brain)
        held = rows_holding(brain, secret)
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
    assert [one["content"] for one in given["messages"]] == [one.content for one in said.messages]
    assert given["messages"][0]["name"] == said.messages[0].name
    assert secret == said.messages[1].meta["to"]
    (call,), (sent,) = said.tool_calls, given["tool_calls"]
    assert (sent["args"], sent["result"], sent["stdout"]) == (call.args, call.result, call.stdout)
    assert given["refs"][0]["ref_uri"] == said.refs[0].ref_uri
    assert secret not in repr(masked.to_dict())
    assert secret not in told
    assert {"withheld"} == held
    assert (0, 0) == (report.failed, report.differing)


@pytest.mark.parametrize("given", ["no", 1, None])
def test_whether_to_show_it_is_yes_or_no(tmp_path: Path, given: Any) -> None:
    """A text such as "no" does not open what lies apart."""
    with SmartBrain.open(tmp_path / "b", config=locked(tmp_path)) as brain:
        brain.commit_turn("s", turn_of(SECRETS[0]))
        with pytest.raises(UsageError, match="original is True or False"):
            brain.sessions.turns("s", original=given)


@pytest.mark.spec("C10", "E2")
def test_a_memory_is_quoted_with_marks(tmp_path: Path) -> None:
    """Its spans lead to the masked text, so they are right to the byte."""
    with SmartBrain.open(tmp_path / "b", config=locked(tmp_path)) as brain:
        brain.commit_turn("s", [user("电话 13812345678 先记一下。记住，项目代号是白鹭。")])
        found = brain.recall("项目代号")
        quotes = [quote.text for item in found for quote in item.quotes]
    assert any("项目代号是白鹭" in one for one in quotes)
    assert not any("13812345678" in one for one in quotes)


@pytest.mark.spec("C10", "E1")
def test_what_a_later_step_adds_is_kept_too(tmp_path: Path) -> None:
    """A call that is begun in one step and ends in another; what is repeated is stored once."""
    first = user("给 bob@example.com 发信")
    begun = {"id": "c1", "name": "send", "args": {"to": "bob@example.com"}}
    ended = {**begun, "result": "queued for bob@example.com", "status": "ok"}
    with SmartBrain.open(tmp_path / "b", config=locked(tmp_path)) as brain:
        turn = brain.commit_turn("s", {"messages": [first], "tool_calls": [begun]}).turn_id
        brain.commit_turn("s", {"messages": [first], "tool_calls": [ended]}, turn_id=turn)
        brain.commit_turn(
            "s", {"messages": [first, assistant("Sent to bob@example.com.")]}, turn_id=turn
        )
        (said,) = brain.sessions.turns("s", original=True)
    assert [first["content"], "Sent to bob@example.com."] == [one.content for one in said.messages]
    (call,) = said.tool_calls
    assert (begun["args"], ended["result"]) == (call.args, call.result)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ({}, True),
        ({"privacy.raw": "masked"}, False),
        ({"privacy.pii": "refuse"}, False),
    ],
    ids=["encrypted", "masked", "refuse"],
)
def test_nothing_is_kept_unless_it_is_asked_for(
    tmp_path: Path, more: dict[str, Any], kept: bool
) -> None:
    """By default marks are all there is; what is refused is masked everywhere, events included."""
    with SmartBrain.open(tmp_path / "b", config=locked(tmp_path, **more)) as brain:
        brain.commit_turn("s", [user("Mail bob@example.com 发邮件")])
        (said,) = brain.sessions.turns("s", original=True)
        held = rows_holding(brain, "bob@example.com")
    assert kept == ("bob@example.com" in said.messages[0].content)
    assert kept == bool(held)


@pytest.mark.spec("C10", "S7")
def test_a_plain_tenant_cannot_keep_it(tmp_path: Path) -> None:
    """One sentence says what to change, and nothing has been written."""
    config = {"privacy.pii": "mask", "privacy.raw": "encrypted"}
    with pytest.raises(
        UsageError, match=r"privacy\.raw to masked, or encryption\.enabled"
    ) as error:
        SmartBrain.open(tmp_path / "b", config=config)
    assert "not_encrypted" == error.value.code
    assert not list(tmp_path.rglob("*.db"))
    SmartBrain.open(tmp_path / "b", config=locked(tmp_path)).close()


@pytest.mark.spec("C10", "E1")
def test_a_number_comes_back_as_a_number(tmp_path: Path) -> None:
    """Masked it is a text; as it was said it is what it was, and other numbers never change."""
    call = {
        "id": "c1",
        "name": "pay",
        "args": {"at": 1773048600000, "card": 4111111111111111, "phone": 13812345678.0},
        "result": [{"count": 3, "mobile": 13812345678}],
    }
    turn = {"messages": [user("查一下", meta={"tel": 13812345678})], "tool_calls": [call]}
    with SmartBrain.open(tmp_path / "b", config=locked(tmp_path)) as brain:
        brain.commit_turn("s", turn)
        (said,) = brain.sessions.turns("s", original=True)
        (masked,) = brain.sessions.turns("s")
        told = everywhere(brain)
        held = rows_holding(brain, "13812345678")
    (given,), (stored,) = said.tool_calls, masked.tool_calls
    assert repr((call["args"], call["result"])) == repr((dict(given.args), given.result))
    assert 13812345678 == said.messages[0].meta["tel"]
    assert {"card": "[bank_card]", "at": 1773048600000, "phone": "[phone]"} == stored.args
    assert [{"mobile": "[phone]", "count": 3}] == stored.result
    assert "13812345678" not in told
    assert {"withheld"} == held
