"""The core memory: stable blocks, rewritten only when what they show has changed."""

from __future__ import annotations

import pytest
from summarise_talks import Talk, composition, decision, goal, preference, profile, task, user

from smartbrain.text.tokens import estimate_tokens


@pytest.mark.spec("C8")
def test_core_memory_has_three_blocks() -> None:
    """Who the user is, what they want done how, and what for; each with its memories."""
    talk = Talk()
    talk.say(
        told=[
            goal("做一个本地优先的运行时"),
            preference("tea", "likes green tea 绿茶"),
            preference("language", "以后都用中文回答", "writing"),
            profile("小明", job="老师"),
            profile(role="engineer", city="上海"),
        ]
    )
    blocks = talk.blocks()
    assert ["profile", "preferences", "goals"] == list(blocks)
    assert (
        "- user — role: engineer\n- user — city: 上海\n- 小明 — job: 老师" == blocks["profile"].text
    )
    assert "- 以后都用中文回答\n- likes green tea 绿茶" == blocks["preferences"].text
    assert "- 做一个本地优先的运行时" == blocks["goals"].text
    with talk.ports.truth.read() as rows:
        found = rows.memories.get(blocks["preferences"].source)
    assert {"pref:other:tea", "pref:writing:language"} == {one.key for one in found.values()}


@pytest.mark.spec("C8")
def test_other_memories_leave_it_alone() -> None:
    """A task or a decision rewrites no block, and chat makes none."""
    talk = Talk()
    talk.say(user("hi"), told=[task("写周报"), decision("db", "SQLite")])
    assert {} == talk.blocks()
    talk.say(told=[preference("tea", "绿茶")])
    before = talk.blocks()
    talk.say(told=[task("写周报", "done")])
    assert before == talk.blocks()


@pytest.mark.spec("C8")
def test_a_block_that_says_the_same_keeps_its_time() -> None:
    """Saying a preference again, or another goal, changes not a byte of the preferences."""
    talk = Talk()
    talk.say(told=[preference("tea", "绿茶"), preference("code", "two spaces", "coding")])
    before = talk.blocks()["preferences"]
    talk.say(told=[preference("tea", "绿茶"), goal("ship")])
    assert before == talk.blocks()["preferences"]
    talk.say(told=[preference("tea", "红茶")])
    after = talk.blocks()["preferences"]
    assert "- two spaces\n- 红茶" == after.text
    assert before.updated_at < after.updated_at
    assert before.source[0] == after.source[0]
    assert before.source[1] != after.source[1]


@pytest.mark.spec("R22", "C8")
def test_a_new_preference_moves_none_of_the_others() -> None:
    """What is new comes behind what was there, an instruction too; of one turn it comes first."""
    talk = Talk()
    talk.say(told=[preference("b", "乙"), preference("d", "丁")])
    talk.say(told=[preference("c", "丙"), preference("a", "never 甲")])
    assert "- 乙\n- 丁\n- never 甲\n- 丙" == talk.blocks()["preferences"].text


@pytest.mark.spec("C8")
def test_what_is_retracted_goes_and_an_empty_block_with_it() -> None:
    """A denied preference is not shown any more; the last one takes its block along."""
    talk = Talk()
    talk.say(told=[preference("tea", "绿茶"), preference("cake", "no cake")])
    talk.retract("preferences", "pref:other:tea")
    assert "- no cake" == talk.blocks()["preferences"].text
    talk.retract("preferences", "pref:other:cake")
    assert {} == talk.blocks()


@pytest.mark.spec("C8", "R16")
@pytest.mark.parametrize("text", ["很长的偏好" * 100, "a long preference " * 60])
def test_core_memory_is_within_its_limit(text: str) -> None:
    """However much there is, all blocks together fit; standing instructions stay longest."""
    talk = Talk(composition(system_blocks_max_tokens=300))
    talk.say(told=[preference("first", "always answer in English 用英文")])
    talk.say(
        told=[
            *(preference(f"p{n}", f"{n} {text}") for n in range(30)),
            *(goal(f"{n} {text}", name=f"g{n}") for n in range(30)),
            profile(**{f"k{n}": text for n in range(30)}),
        ]
    )
    blocks = talk.blocks()
    assert estimate_tokens("\n".join(block.text for block in blocks.values())) <= 300
    assert blocks["preferences"].text.startswith("- always answer in English 用英文")
    assert all(len(line) <= 160 for b in blocks.values() for line in b.text.splitlines())
