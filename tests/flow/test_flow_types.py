"""Types of one's own, by class and by a block of brain.yml, hold proposals to their rules.

In: a Recipe registered both ways. Out: the same refusals through `commit_turn`, and a wrong block
that names the file and the line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import user

from smartbrain import SmartBrain, UsageError
from smartbrain.domain.types import (
    ConflictClass,
    Group,
    Integer,
    MemoryType,
    NodeKind,
    Object,
    Text,
)


class Recipe(MemoryType):
    """How a dish is cooked."""

    name = "recipes"
    key = "recipe:<cuisine>:<dish>"
    node_kind = NodeKind.PROCEDURE
    group = Group.PROCEDURES
    on_conflict = ConflictClass.OVERWRITE
    value = Object(
        {
            "cuisine": Text(),
            "dish": Text(),
            "minutes": Integer(1, 600),
            "notes": Text(required=False),
        }
    )


BLOCK = """\
timezone: Asia/Shanghai
types:
  recipes:
    key: "recipe:<cuisine>:<dish>"
    node_kind: Procedure
    group: procedures
    on_conflict: overwrite
    value:
      cuisine: text
      dish: text
      minutes: {type: integer, min: 1, max: 600}
      notes: {type: text, required: false}
"""


@pytest.fixture(params=["class", "brain.yml", "argument"])
def brain(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A brain that knows recipes, told in each of the ways there are."""
    config: Any = None
    if request.param == "class":
        config = {"types": [Recipe]}
    elif request.param == "brain.yml":
        (tmp_path / "brain.yml").write_text(BLOCK, encoding="utf-8")
    else:
        config = {
            "types.recipes": {
                "key": "recipe:<cuisine>:<dish>",
                "node_kind": "Procedure",
                "group": "procedures",
                "on_conflict": "overwrite",
                "value": {
                    "cuisine": "text",
                    "dish": "text",
                    "minutes": {"type": "integer", "min": 1, "max": 600},
                    "notes": {"type": "text", "required": False},
                },
            }
        }
    with SmartBrain.open(tmp_path, config=config) as opened:
        yield opened


def propose(brain: SmartBrain, **proposal: Any) -> tuple[str, str]:
    """Propose one recipe and return what became of it."""
    result = brain.commit_turn("s", {"messages": [user("红烧肉怎么做")], "recipes": [proposal]})
    assert () == result.explain.ignored
    (kept,) = [one for one in result.explain.retention if one.type == "recipes"]
    return kept.key, kept.action.value


@pytest.mark.spec("M1", "M2", "S7")
def test_a_proposal_of_a_registered_type_is_written(brain: SmartBrain) -> None:
    """With its key, or with what the key is made of; memory and turn keep fields nobody named."""
    keyed = {"key": "recipe:川菜:麻婆豆腐", "minutes": 30, "辣": True}
    assert ("recipe:川菜:麻婆豆腐", "written") == propose(brain, **keyed)
    unkeyed = {"cuisine": "Italian", "dish": "pasta al forno", "minutes": 60}
    assert ("recipe:Italian:pasta_al_forno", "written") == propose(brain, **unkeyed)
    recipes = {one.key: one for one in brain.memories.list(type="recipes").items}
    assert {
        "recipe:川菜:麻婆豆腐": {"cuisine": "川菜", "dish": "麻婆豆腐", "minutes": 30, "辣": True},
        "recipe:Italian:pasta_al_forno": unkeyed,
    } == {key: one.value for key, one in recipes.items()}
    proposals = [turn.proposals["recipes"] for turn in brain.sessions.turns("s")]
    assert [[keyed], [unkeyed]] == proposals


@pytest.mark.spec("M1", "M2", "S7")
@pytest.mark.parametrize(
    ("proposal", "code"),
    [
        ({"key": "task:a:b", "minutes": 5}, "bad_key"),
        ({"key": "recipe:川菜", "minutes": 5}, "bad_key"),
        ({"key": "recipe:川菜:", "minutes": 5}, "bad_key"),
        ({"key": "recipe:川 菜:豆腐", "minutes": 5}, "bad_key"),
        ({"key": "Recipe:川菜:豆腐", "minutes": 5}, "bad_key"),
        ({"dish": "豆腐", "minutes": 5}, "bad_key"),
        ({"key": "recipe:川菜:豆腐"}, "bad_value"),
        ({"key": "recipe:川菜:豆腐", "minutes": "30"}, "bad_value"),
        ({"key": "recipe:川菜:豆腐", "minutes": 0}, "bad_value"),
        ({"key": "recipe:川菜:豆腐", "minutes": 601}, "bad_value"),
        ({"key": "recipe:川菜:豆腐", "minutes": 5, "notes": 7}, "bad_value"),
    ],
)
def test_a_proposal_that_breaks_the_rules_is_refused(
    brain: SmartBrain, proposal: dict[str, Any], code: str
) -> None:
    """The sentence names the place in the turn, and nothing of the turn is written."""
    rows = brain.status().rows
    with pytest.raises(UsageError, match=r"^recipes\[0\]: ") as caught:
        propose(brain, **proposal)
    assert code == caught.value.code
    assert rows == brain.status().rows


@pytest.mark.spec("M1", "S7")
def test_keys_of_a_registered_type_are_known_everywhere(brain: SmartBrain) -> None:
    """Retractions, lists and look-ups take the type as they take the built-in ones."""
    key = "recipe:川菜:豆腐"
    retraction = {"type": "recipes", "key": key, "reason": "太辣"}
    assert ("recipes", key, "refused", "nothing_to_retract") == retract(brain, retraction)
    assert () == brain.memories.list(type="recipes").items
    with pytest.raises(LookupError):
        brain.memories.get(key)
    propose(brain, key=key, minutes=5)
    assert [key] == [one.key for one in brain.memories.list(type="recipes").items]
    assert 5 == brain.memories.get(key).value["minutes"]
    assert ("recipes", key, "retracted", "denied") == retract(brain, retraction)
    assert () == brain.memories.list(type="recipes").items
    (gone,) = brain.memories.list(type="recipes", status="retracted").items
    assert key == gone.key
    with pytest.raises(LookupError):
        brain.memories.get(key)


def retract(brain: SmartBrain, retraction: dict[str, Any]) -> tuple[str, str, str, str]:
    """Retract one memory and return what became of it."""
    result = brain.commit_turn("s", {"retractions": [retraction]})
    (one,) = [one for one in result.explain.retention if one.type != "episodes"]
    return one.type, one.key, one.action.value, one.code


@pytest.mark.spec("M1")
def test_without_registration_a_type_is_an_unknown_field(tmp_path: Path) -> None:
    """The proposal is named in `ignored` and not stored."""
    with SmartBrain.open(tmp_path) as brain:
        events = {"messages": [user("x")], "recipes": [{"key": "recipe:a:b", "minutes": 5}]}
        (ignored,) = brain.commit_turn("s", events).explain.ignored
        assert {} == brain.sessions.turns("s")[0].proposals
    assert "recipes is not a field we know; not stored" == ignored.reason


WRONG = {
    "an unknown setting": ("    group: procedures\n", "    grupp: procedures\n", 6, "grupp"),
    "a missing setting": ("    on_conflict: overwrite\n", "", 3, "on_conflict"),
    "an unknown node kind": ("Procedure", "Prozedur", 5, "node_kind"),
    "a template that is none": ('"recipe:<cuisine>:<dish>"', '"recipe"', 4, "key"),
    "a prefix that is taken": ('"recipe:<cuisine>', '"task:<cuisine>', 3, "task:"),
    "an unknown shape": ("{type: integer, min: 1, max: 600}", "{type: zahl}", 8, "zahl"),
    "the name of a built-in type": ("  recipes:\n", "  tasks:\n", 3, "tasks"),
    "a reserved name": ("  recipes:\n", "  messages:\n", 3, "messages"),
}


@pytest.mark.spec("M1", "S7")
@pytest.mark.parametrize(("old", "new", "line", "word"), WRONG.values(), ids=WRONG)
def test_a_wrong_block_names_the_file_and_its_line(
    tmp_path: Path, old: str, new: str, line: int, word: str
) -> None:
    """One line that opens with `brain.yml:<line>`; no tenant is made."""
    assert 1 == BLOCK.count(old)
    (tmp_path / "brain.yml").write_text(BLOCK.replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        SmartBrain.open(tmp_path)
    sentence = str(caught.value)
    assert ("config", 1) == (caught.value.code, len(sentence.splitlines()))
    assert sentence.startswith(f"brain.yml:{line}: ")
    assert word in sentence
    assert [tmp_path / "brain.yml"] == list(tmp_path.iterdir())


@pytest.mark.spec("M1")
@pytest.mark.parametrize("given", [5, int, MemoryType, "recipes"])
def test_what_is_no_type_cannot_be_registered(tmp_path: Path, given: Any) -> None:
    """A list of types holds classes that inherit MemoryType."""
    with pytest.raises(UsageError, match="MemoryType"):
        SmartBrain.open(tmp_path, config={"types": [given]})


@pytest.mark.spec("M1")
def test_a_wrong_class_is_refused_where_it_is_written() -> None:
    """Before it can be registered anywhere."""
    with pytest.raises(UsageError, match="lacks 'on_conflict'"):

        class Half(MemoryType):
            name = "half"
            key = "half:<x>"
            node_kind = NodeKind.FACT
            group = Group.FACTS
