"""A brain by itself: no server, no connection, nothing outside its folder (S9).

In: a folder, and a machine whose network cannot be used. Out: what was said comes back.
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from flow_builders import assistant, user

from smartbrain import SmartBrain


@pytest.mark.spec("S9", "S8")
@pytest.mark.parametrize(
    ("said", "asked", "value"),
    [
        ("I am allergic to peanuts.", "What am I allergic to?", "peanuts"),
        ("我对花生过敏。", "我对什么过敏？", "花生"),
    ],
)
def test_a_brain_needs_its_folder_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, asked: str, value: str
) -> None:
    """Stored, recalled, composed and forgotten in local files, with every socket refused."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a brain that was only opened has used the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "bind", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(work))
    with SmartBrain.open(tmp_path / "brain") as brain:
        turn = brain.commit_turn("s", [user(said), assistant("ok")])
        assert value in brain.recall(asked)[0].text
        assert value in brain.compose_context("other", asked).text()
    with SmartBrain.open(tmp_path / "brain") as brain:
        receipt = brain.forget(turn.turn_id)
        assert brain.verify_receipt(receipt)
    assert (tmp_path / "brain" / "tenants" / "default" / "brain.db").is_file()
    assert [] == list(work.rglob("*"))
    assert ["brain", "work"] == sorted(path.name for path in tmp_path.iterdir())
