"""Gates on what users import: the public names, their docstrings, their types, their cost.

In: the package as imported. Out: the names that appeared, vanished or say nothing.
"""

from __future__ import annotations

import json
import tomllib
from inspect import isroutine

from repo_tree import PACKAGE, ROOT, assert_none, run_python

import smartbrain
from smartbrain import errors

NAMES_FILE = "tests/architecture/public_names.txt"
PRINT_NAMES = "import smartbrain; print(*sorted(smartbrain.__all__), sep='\\n')"
NOT_AT_IMPORT = (
    *("apsw", "backports", "numpy", "yaml", "cryptography", "typer", "rich", "httpx"),
    *("structlog", "faiss", "tantivy", "pydantic", "rjieba", "click"),
    *("smartbrain.domain.policy", "smartbrain.domain.shapes"),  # ours, but many records each
)


def test_the_public_names_are_the_listed_ones() -> None:
    """A public name appears or goes only together with its line in the list."""
    listed = (ROOT / NAMES_FILE).read_text(encoding="utf-8").split()
    update = f'PYTHONPATH=src python -c "{PRINT_NAMES}" > {NAMES_FILE}'
    assert listed == sorted(smartbrain.__all__), f"if this is meant, run: {update}"


def test_every_public_name_exists_and_says_what_it_is() -> None:
    """Each name of `__all__` can be imported and has a docstring of its own."""
    assert_none(_undocumented({name: getattr(smartbrain, name) for name in smartbrain.__all__}))


def test_every_error_class_is_public() -> None:
    """Users catch what we raise without importing a submodule."""
    classes = {name for name in errors.__all__ if isinstance(getattr(errors, name), type)}
    assert set() == classes - set(smartbrain.__all__)


def _undocumented(names: dict[str, object]) -> list[str]:
    """Return classes and functions without a docstring, a dataclass's generated one not counted."""
    return sorted(
        name
        for name, value in names.items()
        if (isinstance(value, type) or isroutine(value))
        and (not value.__doc__ or value.__doc__.startswith(f"{name}("))
    )


def test_a_public_name_without_a_docstring_is_reported() -> None:
    """Plain values need none; a class with the text a dataclass generates counts as silent."""

    def silent() -> None: ...

    class Point:
        __doc__ = "Point(x: int)"

    class Spoken:
        """A class that says what it is."""

    names = {"silent": silent, "Point": Point, "Spoken": Spoken, "__version__": "1"}
    assert _undocumented(names) == ["Point", "silent"]


def _loaded_by(code: str) -> set[str]:
    """Return which of the heavy modules a fresh interpreter has loaded after running the code."""
    ask = f"import json, sys; print(json.dumps([n for n in {NOT_AT_IMPORT!r} if n in sys.modules]))"
    result = run_python("-c", f"{code}\n{ask}")
    assert result.returncode == 0, result.stderr
    return set(json.loads(result.stdout))


def test_importing_the_package_loads_nothing_heavy() -> None:
    """`import smartbrain` costs no third-party library, no settings and no shapes of values."""
    assert set() == _loaded_by("import smartbrain")


def test_a_heavy_import_would_be_seen() -> None:
    """The probe reports a library that was loaded."""
    assert {"yaml"} == _loaded_by("import yaml")


def test_the_types_are_shipped() -> None:
    """py.typed lies in the packaged folder and the metadata says so."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert (ROOT / PACKAGE / "py.typed").is_file()
    assert config["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [PACKAGE]
    assert "Typing :: Typed" in config["project"]["classifiers"]
