"""Settings that do something: each is read somewhere besides the place that describes it.

In: the names of all settings, the source. Out: names that nobody reads.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from smartbrain.settings import explain, load

SOURCE = Path(__file__).resolve().parents[2] / "src/smartbrain"


@pytest.mark.spec("S7")
def test_every_setting_is_read_somewhere() -> None:
    """As an attribute; of a table by name it is the table that is read."""
    texts = [
        path.read_text(encoding="utf-8")
        for path in SOURCE.rglob("*.py")
        if SOURCE / "settings" not in path.parents
    ]
    read = {name for text in texts for name in re.findall(r"\.([a-z]\w*)\b", text)}
    names = [row.name.split(".") for row in explain(load())]
    assert [] == [".".join(name) for name in names if not {*name[-2:]} & read]
