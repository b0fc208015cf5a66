"""Gates on the core: no clock or chance of its own, no swallowed error, small ports, known codes.

In: the sources of the package. Out: a failure that lists `path:line: message`.
"""

from __future__ import annotations

import pytest
from repo_tree import PACKAGE, ROOT, assert_none, python_sources
from rules_core import (
    BANNED_IN_ADAPTERS,
    BANNED_IN_CORE,
    broad_except_violations,
    code_violations,
    purity_violations,
    string_literals,
)
from rules_ports import port_violations

from smartbrain import errors

FREE = tuple(f"{PACKAGE}/{name}" for name in ("client/", "entrypoints/", "testing/", "bootstrap/"))
ADAPTERS = f"{PACKAGE}/adapters/"
ERROR_NAMES = frozenset(name for name in errors.__all__ if isinstance(getattr(errors, name), type))


def test_time_and_chance_are_injected() -> None:
    """The core reads no clock and throws no dice; adapters measure deadlines and draw keys only."""
    found = []
    for path, source in python_sources(PACKAGE):
        if not path.startswith(FREE):
            banned = BANNED_IN_ADAPTERS if path.startswith(ADAPTERS) else BANNED_IN_CORE
            found += purity_violations(path, source, banned)
    assert_none(found)


@pytest.mark.parametrize(
    "source",
    [
        "import datetime\ndatetime.datetime.now()",
        "import datetime as d\nd.date.today()",
        "from datetime import datetime\nf(default=datetime.utcnow)",
        "from datetime import datetime as dt\ndt.now(tz)",
        "import time\ntime.monotonic()",
        "from time import time_ns as t\nt()",
        "import random\nrandom.random()",
        "from random import Random\nRandom(4)",
        "import secrets\nsecrets.token_hex()",
        "from uuid import uuid4\nuuid4()",
        "import os\nos.urandom(4)",
        "import numpy.random\nnumpy.random.rand()",
        "import numpy as np\nnp.random.rand()",
    ],
)
def test_a_hidden_clock_or_die_is_reported(source: str) -> None:
    """Aliases and references without a call are seen through."""
    assert len(purity_violations("a.py", source, BANNED_IN_CORE)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "from datetime import datetime\ndatetime.fromisoformat(x)",
        "clock.now()",
        "from smartbrain.domain import time\ntime.parse(x)",
        "import uuid\nuuid.UUID(x)",
        "import os\nos.fsync(4)",
    ],
)
def test_injected_time_is_fine(source: str) -> None:
    """Only the banned names are banned, not what looks like them."""
    assert purity_violations("a.py", source, BANNED_IN_CORE) == []


def test_adapters_may_measure_a_deadline_and_draw_a_key() -> None:
    """A monotonic deadline and key material pass in adapters; the wall clock does not."""
    fine = "import os, time\nend = time.monotonic() + 5\ntime.sleep(0.1)\nos.urandom(32)\n"
    assert purity_violations("a.py", fine, BANNED_IN_ADAPTERS) == []
    wrong = "import time, random\ntime.time()\ntime.perf_counter()\nrandom.random()\n"
    assert len(purity_violations("a.py", wrong, BANNED_IN_ADAPTERS)) == 3


def test_nothing_is_swallowed_away_from_the_edges() -> None:
    """Only worker, arm and surface edges catch everything."""
    found = [
        bad
        for path, source in python_sources(PACKAGE, "tools", "examples")
        for bad in broad_except_violations(path, source)
    ]
    assert_none(found)


@pytest.mark.parametrize(
    ("path", "clause", "body", "count"),
    [
        ("src/smartbrain/text/a.py", "except Exception", "pass", 1),
        ("src/smartbrain/text/a.py", "except (ValueError, BaseException)", "pass", 1),
        ("src/smartbrain/text/a.py", "except builtins.Exception", "raise ValueError", 1),
        ("src/smartbrain/text/a.py", "except BaseException", "raise", 0),
        ("src/smartbrain/text/a.py", "except ValueError", "pass", 0),
        ("src/smartbrain/entrypoints/cli/main.py", "except Exception", "pass", 0),
        ("src/smartbrain/entrypoints/cli/main.py", "except", "pass", 1),
    ],
)
def test_a_broad_except_is_reported(path: str, clause: str, body: str, count: int) -> None:
    """Cleaning up and raising again is fine everywhere; a bare except that swallows is nowhere."""
    source = f"try:\n    f()\n{clause}:\n    {body}\n"
    assert count == len(broad_except_violations(path, source))


def test_ports_are_small_and_say_what_they_raise() -> None:
    """Each port file is one port of small Protocols whose methods document their errors."""
    sources = dict(python_sources(f"{PACKAGE}/ports"))
    found = [
        bad
        for path, source in sources.items()
        if not path.endswith("__init__.py")
        for bad in port_violations(path, source, [sources[p] for p in sources if p != path])
    ]
    assert_none(found)


def _protocol(name: str, methods: int, annotation: str = "int") -> str:
    body = "".join(
        f"    def m{n}(self) -> {annotation}:\n        '''Do.'''\n" for n in range(methods)
    )
    return f"class {name}(Protocol):\n{body}"


def test_a_wide_port_is_reported() -> None:
    """Ten methods are the most; private ones and dunders are not counted."""
    assert port_violations("p.py", _protocol("A", 10) + "    def __enter__(self): ...\n") == []
    expected = ["p.py:1: A has 11 methods, more than 10"]
    assert expected == port_violations("p.py", _protocol("A", 11))


def test_two_ports_in_one_file_are_reported() -> None:
    """Protocols that refer to each other are one port; strangers are two, other classes none."""
    together = _protocol("Rows", 1) + _protocol("Truth", 1, "Rows")
    assert port_violations("p.py", together) == []
    apart = _protocol("Rows", 1) + _protocol("Clock", 1)
    assert port_violations("p.py", apart) == ["p.py:4: Clock is another port than Rows"]
    assert port_violations("p.py", apart, ["from p import Clock, Rows\n"]) == []
    assert port_violations("p.py", apart, ["from p import Clock\n"]) != []
    assert port_violations("p.py", "class A: ...\n") == []


def test_every_code_raised_is_in_the_table() -> None:
    """A literal code handed to an error class exists in CODES."""
    found = [
        bad
        for path, source in python_sources(PACKAGE)
        for bad in code_violations(path, source, errors=ERROR_NAMES, codes=errors.CODES.keys())
    ]
    assert_none(found)


def test_every_code_in_the_table_is_raised() -> None:
    """No code is promised that nothing can raise."""
    defaults = {getattr(errors, name).default_code for name in ERROR_NAMES}
    used = set().union(
        *(
            string_literals(source)
            for path, source in python_sources(PACKAGE)
            if path != f"{PACKAGE}/errors.py"
        )
    )
    assert_none(sorted(errors.CODES.keys() - defaults - used))


def test_every_code_is_documented() -> None:
    """docs/errors.md has a row for each code."""
    text = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
    assert_none([code for code in errors.CODES if f"| `{code}` |" not in text])


def test_an_unknown_code_is_reported() -> None:
    """The class decides what is an error code; a reason's code is another thing."""
    source = 'raise errors.Conflict("x", code="nope")\nReason(code="low")\nConflict("x", code=c)\n'
    found = code_violations("a.py", source, errors={"Conflict"}, codes={"conflict"})
    assert found == ["a.py:1: 'nope' is no error code"]
