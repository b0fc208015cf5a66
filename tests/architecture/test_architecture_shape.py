"""Gates on sizes, names and opening docstrings, each with a proof that it bites.

In: every Python file of the repository. Out: a failure that lists `path:line: message`.
"""

from __future__ import annotations

import tomllib

import pytest
from repo_tree import PACKAGE, ROOT, assert_none, python_sources, text_files
from rules_shape import (
    docstring_violations,
    measures,
    name_violations,
    path_violations,
    size_violations,
)

ALL_CODE = ("src", "tests", "bench", "tools", "examples")
ALLOWED = ROOT / "tests/architecture/allowed.toml"


def test_modules_functions_and_parameters_stay_small() -> None:
    """No module, function or parameter list grows past its limit, nor past its allowed entry."""
    allowed = tomllib.loads(ALLOWED.read_text(encoding="utf-8"))
    measured = [one for path, source in python_sources(*ALL_CODE) for one in measures(path, source)]
    assert_none(size_violations(measured, allowed))


def test_no_banned_word_is_in_a_name() -> None:
    """Files, folders, classes and functions are named after what they do."""
    found = [bad for path, _ in text_files() for bad in path_violations(path)]
    for path, source in python_sources(*ALL_CODE):
        found += name_violations(path, source)
    assert_none(found)


def test_every_module_opens_with_its_docstring() -> None:
    """Each module says in 2 to 8 lines what it is."""
    found = [
        bad
        for path, source in python_sources(PACKAGE, "tools", "bench", "examples")
        for bad in docstring_violations(path, source)
    ]
    assert_none(found)


def _sizes(source: str, path: str = "a.py", **allowed: dict[str, int]) -> list[str]:
    return size_violations(measures(path, source), allowed)


def test_an_oversized_module_is_reported() -> None:
    """One line past the limit is a violation, the limit itself is not."""
    assert _sizes("x = 1\n" * 800) == []
    assert _sizes("x = 1\n" * 801) == ["a.py:1: a.py has 801 module_lines; the limit is 800"]


def test_an_oversized_function_is_reported_with_its_qualified_name() -> None:
    """Lines are counted from `def` to the last line, in methods and nested functions too."""
    method = "class A:\n    def m(self):\n" + "        x = 1\n" * 60
    assert _sizes(method) == ["a.py:2: A.m has 61 function_lines; the limit is 60"]
    nested = "def f():\n    def g():\n" + "        x = 1\n" * 60
    names = {line.split(" ")[1] for line in _sizes(nested)}
    assert {"f", "f.g"} == names


def test_too_many_parameters_are_reported() -> None:
    """Keywords and stars count; `self` and `cls` do not."""
    seven = "class A:\n    def m(self, a, b, c, /, d, *, e, f, **g): ...\n"
    assert _sizes(seven) == []
    eight = seven.replace("**g", "g, **h")
    assert _sizes(eight) == ["a.py:2: A.m has 8 parameters; the limit is 7"]
    loose = "def f(self, b, c, d, e, f, g, h): ...\n"
    assert _sizes(loose) == ["a.py:1: f has 8 parameters; the limit is 7"]


def test_only_the_public_verbs_of_the_facade_may_take_more_parameters() -> None:
    """The exemption is for public methods of SmartBrain itself, and for nothing near it."""
    verb = "class SmartBrain:\n    def recall(self, a, b, c, d, e, f, g, h): ...\n"
    brain = "src/smartbrain/brain/handle.py"
    assert _sizes(verb, brain) == []
    assert len(_sizes(verb.replace("recall", "_recall"), brain)) == 1
    assert len(_sizes(verb.replace("SmartBrain", "Other"), brain)) == 1
    assert len(_sizes(verb, "src/smartbrain/other.py")) == 1


@pytest.mark.parametrize(
    ("lines", "entry", "expected"),
    [
        (810, 810, []),
        (811, 810, ["a.py:1: a.py has 811 module_lines; its entry says 810"]),
        (809, 810, ["a.py:1: a.py has 809 module_lines; its entry says 810"]),
        (799, 810, ["a.py:1: a.py is within the limit again; remove its module_lines entry"]),
    ],
)
def test_the_allow_list_can_only_shrink(lines: int, entry: int, expected: list[str]) -> None:
    """An entry must equal the present size, and must go once it is not needed."""
    assert expected == _sizes("x = 1\n" * lines, module_lines={"a.py": entry})


def test_an_allowed_entry_that_names_nothing_is_reported() -> None:
    """A renamed or deleted thing takes its entry with it."""
    expected = ["a.py::gone:0: the parameters entry names nothing"]
    assert expected == _sizes("x = 1\n", parameters={"a.py::gone": 9})


@pytest.mark.parametrize(
    "source",
    [
        "def text_utils(): ...",
        "class SessionManager: ...",
        "class HTTPBase: ...",
        "class A:\n    async def misc(self): ...",
    ],
)
def test_a_banned_word_in_a_name_is_reported(source: str) -> None:
    """A banned word counts as a whole part of a snake or camel case name."""
    assert len(name_violations("a.py", source)) == 1


@pytest.mark.parametrize("source", ["class Database: ...", "def baseline(): ...", "base = 1"])
def test_a_word_that_only_contains_a_banned_one_is_fine(source: str) -> None:
    """`Database` is not `base`, and variables are not held to the rule."""
    assert name_violations("a.py", source) == []


def test_a_banned_word_in_a_path_is_reported() -> None:
    """Folders and files are held to the same words."""
    assert path_violations("src/helpers/a.py") == [
        "src/helpers/a.py:0: the name helpers contains 'helpers'"
    ]
    assert len(path_violations("src/text_utils.py")) == 1
    assert path_violations("src/adapters/database.py") == []


@pytest.mark.parametrize(
    ("path", "source", "count"),
    [
        ("a.py", "x = 1\n", 1),
        ("a.py", '"""One line."""\n', 1),
        ("a.py", '"""One line.\n\nAnd a second.\n"""\n', 0),
        ("a.py", '"""' + "line\n" * 8 + '"""\n', 0),
        ("a.py", '"""' + "line\n" * 9 + '"""\n', 1),
        ("p/__init__.py", '"""One line."""\n', 0),
        ("p/__init__.py", "", 1),
    ],
)
def test_docstrings_outside_their_bounds_are_reported(path: str, source: str, count: int) -> None:
    """Two to eight lines that are not blank; one is enough for a package."""
    assert count == len(docstring_violations(path, source))
