"""Groups of commands: what is in them is built when one of them is wanted."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

from smartbrain.entrypoints.cli.main import app


@pytest.mark.spec("S2")
def test_commands_of_a_group_are_read_when_the_group_is_used() -> None:
    """`memctl --help` names the groups without knowing the options of what is in them."""
    groups: Any = getattr(get_command(app), "commands", {})
    assert "commands" not in vars(groups["pin"])
    assert "rollback" in groups["pin"].commands
    assert groups["pin"].commands is groups["pin"].commands
    with pytest.raises(AttributeError):
        _ = groups["pin"].nonsense
