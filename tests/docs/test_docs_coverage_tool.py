"""The coverage tool: what it reads as a requirement's id, and what it writes of it.

In: small repositories built in a folder. Out: the table, or the problem it reports.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_pages import load_tool

coverage = load_tool("coverage")
IDS = '[memories]\nM1 = "One node"\nM2 = "Keys"\nM3 = "Fields"\n'


def _repository(folder: Path, files: dict[str, str]) -> Path:
    for name, text in {"docs/spec_ids.toml": IDS, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A node (M1).", ["M1"]),
        ("节点（含键） (M1, M2)", ["M1", "M2"]),
        ("Both (M4; C10) and (R1–R3).", ["M4", "C10", "R1", "R2", "R3"]),
        ("As M1 says, see [E1] and M2.", []),
        ("(HMAC-SHA256, S3x, M100, see M1)", []),
    ],
)
def test_only_ids_listed_in_parentheses_count(text: str, expected: list[str]) -> None:
    """An id is an item of a list in parentheses, never a word that looks like one."""
    assert expected == list(coverage.ids_in_prose(text))


def test_ids_are_read_from_docstrings_and_comments_alone() -> None:
    """Code and other strings never name a requirement."""
    source = (
        '"""Opens (M1)."""\n'
        "# why (M2)\n"
        "def f():\n"
        '    """Does (M3)."""\n'
        '    text = "not (C1)"\n'
        "    return call(M4)\n"
    )
    assert sorted(coverage.ids_in_source(source)) == [(1, "M1"), (2, "M2"), (3, "M3")]


def test_marks_are_read_from_functions_classes_modules_and_parameters() -> None:
    """Every place where pytest takes a mark is read."""
    source = (
        "pytestmark = [pytest.mark.spec('M1')]\n"
        "@pytest.mark.spec('M2')\nclass TestIt:\n"
        "    @pytest.mark.spec('M3', 'M4')\n    def test_it(self): ...\n"
        "case = pytest.param(1, marks=pytest.mark.spec('M5'))\n"
        "@pytest.mark.full\ndef test_other(): ...\n"
    )
    names = sorted(name for _, name in coverage.marked_ids(source))
    assert names == ["M1", "M2", "M3", "M4", "M5"]
    own = sorted(name for _, name in coverage.marked_ids(source, own=True))
    assert own == ["M1", "M2", "M3", "M5"]


def test_the_table_says_where_an_id_lives_and_what_proves_it(tmp_path: Path) -> None:
    """Proved, open, touched and absent requirements look different, and are counted."""
    marks = (
        "@pytest.mark.spec('M1', 'M2')\ndef test_it(): ...\n@pytest.mark.spec('M4')\ndef t(): ...\n"
    )
    files = {
        "docs/spec_ids.toml": f'{IDS}M4 = "Half"\n[open]\nM4 = "the rest is not built"\n',
        "src/smartbrain/domain/node.py": '"""A node (M1, M2)."""\n',
        "tests/unit/test_node.py": marks,
    }
    root = _repository(tmp_path, files)
    assert coverage.main([], root) == 0
    rows = (root / "docs/coverage.md").read_text(encoding="utf-8").splitlines()
    node = "[domain/node.py](../src/smartbrain/domain/node.py)"
    proof = "[unit/test_node.py](../tests/unit/test_node.py)"
    assert [
        f"| M1 | One node | proved | {node} | {proof} |",
        f"| M2 | Keys | no test of its own | {node} | — |",
        "| M3 | Fields | not built | — | — |",
        f"| M4 | Half | open: the rest is not built | — | {proof} |",
    ] == rows[-4:]
    counts = "1 proved, 1 open, 1 no test of its own, 1 not built"
    assert f"**4 requirements: {counts}.**" in rows


def test_an_open_requirement_has_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is listed as open and is in no group is a mistake in the list."""
    root = _repository(tmp_path, {"docs/spec_ids.toml": f'{IDS}[open]\nM9 = "all of it"\n'})
    assert coverage.main([], root) == 1
    assert capsys.readouterr().err == "docs/spec_ids.toml: M9 is open and no requirement\n"


def test_a_stale_table_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The check fails in one line until the table is written, and again after a new mark."""
    root = _repository(tmp_path, {})
    stale = "docs/coverage.md is stale; run: python tools/coverage.py\n"
    assert coverage.main(["--check"], root) == 1
    assert capsys.readouterr().err == stale
    assert coverage.main([], root) == 0
    assert coverage.main(["--check"], root) == 0
    _repository(root, {"tests/test_a.py": "@pytest.mark.spec('M1')\ndef test_it(): ...\n"})
    assert coverage.main(["--check"], root) == 1


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("tests/test_a.py", "@pytest.mark.spec('M9')\ndef t(): ...\n", "tests/test_a.py:1: M9"),
        ("tests/test_a.py", "pytestmark = pytest.mark.spec(IDS)\n", "tests/test_a.py:1: IDS"),
        ("src/a.py", "x = 1\n# because (R7)\n", "src/a.py:2: R7"),
    ],
)
def test_an_unknown_id_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, source: str, expected: str
) -> None:
    """An id that the list does not have fails with its place, and no table is written."""
    root = _repository(tmp_path, {name: source})
    assert coverage.main([], root) == 1
    assert capsys.readouterr().err == f"{expected} is not in docs/spec_ids.toml\n"
    assert not (root / "docs/coverage.md").exists()
