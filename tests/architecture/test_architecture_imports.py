"""Gates on imports: the one direction, no cycle, no import hidden in a function.

In: the package as grimp and import-linter see it. Out: the offending arrows.
"""

from __future__ import annotations

import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import pytest
from repo_tree import PACKAGE, ROOT, assert_none, python_sources, run_python
from rules_imports import (
    HEAVY,
    extra_modules,
    import_cycle,
    in_function_violations,
    standard_library_violations,
)

PYPROJECT = ROOT / "pyproject.toml"
ORDER = [
    "client",
    "entrypoints",
    "brain",
    "bootstrap",
    "settings | adapters | testing",
    "jobs",
    "compose",
    "remember | recall",
    "govern | resources",
    "text",
    "ports",
    "domain",
    "errors",
]
ABOVE_TEXT = ("jobs", "compose", "remember", "recall", "govern", "resources")
LINT = "from importlinter.cli import lint_imports_command as run; run()"


@cache
def _pyproject() -> dict[str, Any]:
    return tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))


def _contracts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = _pyproject()["tool"]["importlinter"]["contracts"]
    return found


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph("smartbrain", include_external_packages=True, cache_dir=None)


def _imports(graph: grimp.ImportGraph) -> dict[str, set[str]]:
    return {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}


def _extras() -> frozenset[str]:
    return extra_modules(_pyproject()["project"]["optional-dependencies"])


def _brings_heavy(module: str) -> bool:
    graph = _graph()
    weight = HEAVY | _extras()
    return module in graph.modules and not weight.isdisjoint(graph.find_upstream_modules(module))


def _lint(import_from: Path) -> subprocess.CompletedProcess[str]:
    arguments = ("-c", LINT, "--config", str(PYPROJECT), "--no-cache", "--no-logo")
    return run_python(*arguments, cwd=import_from, import_from=import_from)


def test_the_import_contracts_hold() -> None:
    """Every contract of pyproject.toml is kept by the package."""
    result = _lint(ROOT / "src")
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_layers_are_the_designed_order() -> None:
    """The contract lists each layer once, in the order of the design."""
    (layers,) = (one["layers"] for one in _contracts() if one["type"] == "layers")
    listed = [
        layer.replace("smartbrain.", "").replace("(", "").replace(")", "") for layer in layers
    ]
    assert listed == ORDER


def test_adapters_and_testing_are_forbidden_every_layer_above_text() -> None:
    """A new package above `text` must join the contract that keeps adapters away from it."""
    (forbidden,) = (
        set(one["forbidden_modules"])
        for one in _contracts()
        if one["type"] == "forbidden" and "smartbrain.adapters" in one["source_modules"]
    )
    existing = {
        f"smartbrain.{name}" for name in ABOVE_TEXT if any(python_sources(f"{PACKAGE}/{name}"))
    }
    assert set() == existing - forbidden


def test_every_top_level_module_is_in_the_contract() -> None:
    """No module can escape the order by standing beside it."""
    layered = {name.strip() for layer in ORDER for name in layer.split("|")}
    present = {
        path.stem
        for path in (ROOT / PACKAGE).iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert set() == present - layered - {"__init__", "__main__"}


def _package(folder: Path, arrows: dict[str, str]) -> Path:
    """Build an empty smartbrain with all its layers, then add `module -> import line` arrows."""
    layered = [name.strip() for layer in ORDER for name in layer.split("|")]
    for name in ["", *layered, "adapters/one", "adapters/two"]:
        (folder / "smartbrain" / name).mkdir(exist_ok=True, parents=True)
        (folder / "smartbrain" / name / "__init__.py").touch()
    for module, line in arrows.items():
        (folder / "smartbrain" / module / "arrow.py").write_text(f"{line}\n", encoding="utf-8")
    return folder


def test_a_package_with_only_downward_arrows_keeps_the_contracts(tmp_path: Path) -> None:
    """The contracts do not fail for another reason than an arrow."""
    arrows = {"adapters/one": "import smartbrain.text", "remember": "import smartbrain.govern"}
    result = _lint(_package(tmp_path, arrows))
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("domain", "import smartbrain.text", "Dependencies point one way"),
        ("remember", "import smartbrain.recall", "Dependencies point one way"),
        ("testing", "import smartbrain.adapters", "Dependencies point one way"),
        ("adapters/one", "import smartbrain.remember", "Adapters and testing stand on text"),
        ("adapters/one", "import smartbrain.adapters.two", "Adapters never import each other"),
        ("domain", "import apsw", "The domain is standard library only"),
    ],
)
def test_a_wrong_arrow_breaks_its_contract(
    tmp_path: Path, module: str, line: str, contract: str
) -> None:
    """Each contract fails on a package that breaks just that one."""
    result = _lint(_package(tmp_path, {module: line}))
    assert result.returncode == 1, result.stdout + result.stderr
    broken = [row for row in result.stdout.splitlines() if row.endswith("BROKEN")]
    assert any(row.startswith(contract) for row in broken), result.stdout


def test_no_modules_import_each_other_in_a_circle() -> None:
    """The import graph has no cycle, deferred and type-only imports included."""
    assert_none(import_cycle(_imports(_graph())))


def test_a_cycle_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two modules that import each other are reported, even when one does it in a function."""
    package = tmp_path / "circular"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "a.py").write_text("import circular.b\n", encoding="utf-8")
    (package / "b.py").write_text("def f():\n    import circular.a\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    cycle = import_cycle(_imports(grimp.build_graph("circular", cache_dir=None)))
    assert {"circular.a", "circular.b"} == set(cycle)


def test_imports_stand_at_the_top() -> None:
    """Only extras, and weight in bootstrap and cli, are imported inside functions."""
    found = [
        bad
        for path, source in python_sources(PACKAGE, "tools", "examples")
        for bad in in_function_violations(
            path, source, extras=_extras(), brings_heavy=_brings_heavy
        )
    ]
    assert_none(found)


def _hidden(path: str, statement: str) -> int:
    source = f"def f():\n    {statement}\n"
    found = in_function_violations(
        path,
        source,
        extras=frozenset({"faiss"}),
        brings_heavy=lambda module: module == "smartbrain.adapters.sqlite.truth",
    )
    return len(found)


@pytest.mark.parametrize(
    ("path", "statement", "count"),
    [
        ("src/smartbrain/recall/x.py", "import json", 1),
        ("src/smartbrain/recall/x.py", "import apsw", 1),
        ("src/smartbrain/recall/x.py", "import faiss", 0),
        ("src/smartbrain/recall/x.py", "from faiss.contrib import y", 0),
        ("src/smartbrain/recall/x.py", "from . import y", 1),
        ("src/smartbrain/recall/x.py", "importlib.import_module('json')", 1),
        ("src/smartbrain/recall/x.py", "importlib.import_module(name)", 1),
        ("src/smartbrain/bootstrap/root.py", "import apsw", 0),
        ("src/smartbrain/bootstrap/root.py", "import json", 1),
        ("src/smartbrain/bootstrap/root.py", "from smartbrain.adapters.sqlite import truth", 0),
        ("src/smartbrain/bootstrap/root.py", "from smartbrain.domain import memory", 1),
        ("src/smartbrain/entrypoints/cli/main.py", "import rich", 0),
    ],
)
def test_a_hidden_import_is_reported(path: str, statement: str, count: int) -> None:
    """The place and the weight decide; the standard library is never deferred."""
    assert count == _hidden(path, statement)


def test_an_import_below_a_function_is_counted_once_however_deep() -> None:
    """Nested functions do not report the same statement twice, module level not at all."""
    source = "if True:\n    import json\ndef f():\n    def g():\n        import json\n"
    found = in_function_violations(
        "a.py", source, extras=frozenset(), brings_heavy=lambda _module: False
    )
    assert found == ["a.py:5: json is imported inside a function"]


def test_extras_are_read_as_module_names() -> None:
    """Versions and markers are cut off, own and development extras are left out."""
    extras = {
        "vector": ["faiss-cpu>=1.9", "numpy>=1.26"],
        "onnx": ["smartbrain[vector]", "psycopg[binary]>=3.2", "graspologic-native"],
        "dev": ["pytest>=8"],
    }
    assert {"faiss", "numpy", "psycopg", "graspologic_native"} == extra_modules(extras)


def test_the_domain_imports_the_standard_library_and_its_records_alone() -> None:
    """Nothing below `text` depends on a third party but msgspec, which its values are made of."""
    found = [
        bad
        for path, source in python_sources(PACKAGE)
        if path.startswith((f"{PACKAGE}/domain/", f"{PACKAGE}/errors.py"))
        for bad in standard_library_violations(
            path, source, own=("smartbrain.domain", "smartbrain.errors", "msgspec")
        )
    ]
    assert_none(found)


def test_a_third_party_in_the_domain_is_reported() -> None:
    """A library is reported, the standard library and the own package are not."""
    source = "import json\nimport yaml\nfrom own.x import y\nfrom owner import z\n"
    expected = [
        "a.py:2: yaml is not standard library",
        "a.py:4: owner is not standard library",
    ]
    assert expected == standard_library_violations("a.py", source, own=("own",))
