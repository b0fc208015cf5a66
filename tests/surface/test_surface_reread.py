"""`memctl reread`: counts and examples, for people and for programs (K12)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_runs import memctl

from smartbrain import SmartBrain
from smartbrain.remember import read_turn
from smartbrain.remember.reader.statements import ReadStatement


def brain_of_an_older_reader(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a brain whose turns were read by a reader that finds nothing."""

    def read_nothing(*_given: Any, **_more: Any) -> list[ReadStatement]:
        return []

    with monkeypatch.context() as patch, SmartBrain.open(place) as brain:
        patch.setattr(read_turn, "read_statements", read_nothing)
        brain.commit_turn("s", [{"role": "user", "content": "I live in Berlin."}])
        brain.commit_turn("s", [{"role": "user", "content": "我对花生过敏。"}])


@pytest.mark.spec("J9", "K12")
def test_reread_tells_and_then_does_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run names examples and writes nothing; the run itself leaves nothing to be done."""
    place = tmp_path / "brain"
    brain_of_an_older_reader(place, monkeypatch)
    shown = memctl("reread", "--dry-run", "--root", place, folder=tmp_path)
    assert (0, True) == (shown.code, "2 would change: 0 claims gone, 2 new" in shown.out)
    assert "+ Claim(assert profile user.home = 'Berlin', counted)" in shown.out
    told = memctl("reread", "--root", place, "--json", folder=tmp_path).json
    assert (False, 2, 2) == (told["dry_run"], *told_of(told, "changed", "new"))
    again = memctl("reread", "--root", place, "--json", folder=tmp_path).json
    assert (2, 0) == told_of(again, "turns", "changed")
    assert 0 == memctl("replay", "--check", "--root", place, folder=tmp_path).code


def told_of(report: dict[str, object], *names: str) -> tuple[object, ...]:
    """Return figures of the one tenant of a report."""
    (tenant,) = report["tenants"].values()  # type: ignore[attr-defined]
    return tuple(tenant[name] for name in names)
