"""The fresh brain.yml, the list of settings and the page that documents them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from smartbrain.domain.policy import Rules, schema
from smartbrain.errors import UsageError
from smartbrain.settings import check_ontology, explain, load, registry_of, template
from smartbrain.text.ontology import extend_ontology, load_ontology

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/configuration.md"


def config_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("config_docs", ROOT / "tools/config_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def uncommented(text: str) -> str:
    return re.sub(r"^( *)# (\w+: )", r"\1\2", text, flags=re.MULTILINE)


@pytest.mark.spec("S7")
def test_the_template_changes_nothing() -> None:
    """A new brain.yml holds no value, and every top section."""
    settings = load(template())
    assert Rules() == settings.rules
    assert dict(settings.origins) == {}
    written = yaml.safe_load(template())
    assert set(written) == {name for name in schema().children if name != "timezone"}


def test_every_value_of_the_template_can_be_uncommented() -> None:
    """Removing every comment sign sets every value, each to its default."""
    before_types = template().partition("\ntypes:")[0]
    settings = load(uncommented(before_types))
    assert Rules() == settings.rules
    named = {row.name for row in explain(settings) if row.value != {}}
    assert named == set(settings.origins)


def test_the_example_type_of_the_template_is_a_type() -> None:
    """The block shown for a type works once it is uncommented."""
    text = template().partition("\ntypes:")[2].partition("\n")[2]
    settings = load("types:\n" + text.replace("  # ", "  "))
    assert list(settings.rules.types) == ["recipe"]
    assert "recipe" in registry_of(settings)


def test_the_example_attribute_of_the_page_is_one() -> None:
    """The block shown for an attribute works, and is kept with its lines."""
    example = re.search(r"```yaml\n(ontology:.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    settings = load(example[1])
    check_ontology(settings)
    attributes = settings.rules.ontology.attributes
    assert list(attributes) == ["shoe_size"]
    assert "brain.yml:3" == settings.origin("ontology.attributes.shoe_size")
    larger = extend_ontology(attributes)
    assert ("shoe_size",) == larger.asked("我穿几码的鞋来着")
    assert larger is extend_ontology(dict(attributes))
    assert load_ontology() is extend_ontology(Rules().ontology.attributes)


@pytest.mark.spec("S7")
@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("{cues: [鞋码]}", "brain.yml:3: ontology.attributes.shoe_size: Object missing required"),
        ("\n      type: profile\n      cardinality: two", "brain.yml:5: "),
        ("{type: profile, aliases: [city]}", "'city' means home; remove it"),
        (
            "{type: facts}\n    home: {type: facts}",
            "brain.yml:4: ontology.attributes.home is there",
        ),
    ],
)
def test_a_wrong_attribute_is_refused_with_its_line(block: str, told: str) -> None:
    """By the line of the key, else of the block."""
    with pytest.raises(UsageError) as caught:
        check_ontology(load(f"ontology:\n  attributes:\n    shoe_size: {block}\n"))
    assert told in caught.value.message
    assert caught.value.code == "config"


@pytest.mark.spec("C10", "S7")
def test_the_example_tenant_of_the_template_is_a_block() -> None:
    """The block shown for a tenant works once it is uncommented."""
    head, _, rest = template().partition("\ntypes:")[0].partition("  # acme:\n")
    settings = load(head + "  acme:\n" + rest.replace("  #   ", "    "))
    assert Rules() == settings.rules
    own = settings.of_tenant("acme").rules
    assert ("Asia/Shanghai", "refuse") == (own.timezone, own.privacy.pii)


@pytest.mark.spec("M1", "S7")
def test_a_type_of_a_taken_name_is_refused_with_its_line() -> None:
    """A block cannot replace a built-in type in silence."""
    block = "{key: 'note:<标题>', node_kind: Fact, group: facts, on_conflict: overwrite}"
    with pytest.raises(
        UsageError, match=r"^brain\.yml:2: the memory type 'tasks' exists"
    ) as caught:
        registry_of(load(f"types:\n  tasks: {block}\n"))
    assert caught.value.code == "config"


def test_the_template_is_pleasant_to_read() -> None:
    """Lines are short, nothing trails, and no blank lines pile up."""
    lines = template().splitlines()
    assert max(map(len, lines)) <= 110
    assert [line for line in lines if line != line.rstrip()] == []
    assert "\n\n\n" not in template()
    assert template().endswith("\n")


def test_explain_lists_every_setting_with_its_origin() -> None:
    """The list is complete, in a stable order, and says where each value came from."""
    settings = load(
        "recall.vector.enabled: false", overrides={"types": {"菜谱": {"group": "facts"}}}
    )
    rows = explain(settings)
    assert [row.name for row in rows] == [row.name for row in explain(load())[:-1]] + ["types.菜谱"]
    by_name = {row.name: row for row in rows}
    assert len(by_name) == len(rows)
    assert by_name["recall.vector.enabled"][1:] == (
        False,
        "brain.yml:1",
        "Whether vectors are searched; false takes effect at once.",
    )
    assert by_name["recall.graph.edge_weights.ABOUT"][1:3] == (1.0, "default")
    assert by_name["policies.conflicts.source_trust.named"][1:3] == ({}, "default")
    assert by_name["types.菜谱"][1:3] == ({"group": "facts"}, "argument")
    assert rows[0].name == "timezone"


@pytest.mark.parametrize("row", explain(load()), ids=lambda row: row.name)
def test_every_setting_is_documented(row: tuple[str, object, str, str]) -> None:
    """The page has a row for it, with its meaning."""
    name, _, _, meaning = row
    page = PAGE.read_text(encoding="utf-8")
    assert f"`{name}`" in page or f"`{name}.<name>`" in page
    assert meaning in page


def test_the_page_says_what_each_setting_allows() -> None:
    """Default, bounds and meaning stand in one row."""
    page = PAGE.read_text(encoding="utf-8")
    assert (
        "| `policies.composition.token_limit` | `8192` | a whole number from 1 to 10,000,000 |"
        " Most tokens of a context. |" in page
    )


def test_the_examples_of_the_page_are_valid() -> None:
    """Every YAML block of the page loads, and the messages it quotes are the real ones."""
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4
    assert load(blocks[0]).rules.timezone == "Asia/Shanghai"
    assert list(load(blocks[1]).tenants) == ["acme", "张三的公司"]
    assert list(load(blocks[2]).rules.ontology.attributes) == ["shoe_size"]
    assert list(load(blocks[3]).rules.types) == ["recipe"]


def test_a_stale_page_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The check fails without writing, names the command, and passes after a run."""
    tool = config_docs()
    (tmp_path / "docs").mkdir()
    assert tool.main(["--check"], tmp_path) == 1
    stale = "docs/configuration.md is stale; run: python tools/config_docs.py\n"
    assert stale == capsys.readouterr().err
    assert not (tmp_path / "docs/configuration.md").exists()
    assert tool.main([], tmp_path) == 0
    assert tool.main(["--check"], tmp_path) == 0
    assert tool.main(["--check"], ROOT) == 0
