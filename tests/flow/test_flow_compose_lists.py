"""Pins, plan, notes and surface memory in a context: shortened before dropped, and told why.

In: boards that are full, in Chinese and English. Out: contexts within their limit that show the
most important entries, in a stable order.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.context import ContextPackage
from smartbrain.text.tokens import estimate_tokens

LONG = {
    "zh": "必须保持向后兼容并记录变更。" * 40,
    "en": "Keep it compatible with old clients. Log each change. " * 12,
}
STEP = {
    "zh": "第 {} 步：把订单服务的模块迁移到新的数据库",
    "en": "Step {}: migrate a module to the new store",
}


def reasons(package: ContextPackage, slot: str) -> list[tuple[str, str | None]]:
    """Return why entries of a slot are not shown whole."""
    return [(one.code, one.id) for one in package.debug.ignored if one.type == slot]


def pinned(brain: SmartBrain, words: str, size: int) -> None:
    """Fill the board; every fifth pin is a constraint."""
    turn = brain.commit_turn("s", [user("hi"), assistant("ok")]).turn_id
    for number in range(20):
        kind = "path" if number % 5 else "constraint"
        brain.pins.add(kind, f"规则 rule {number}", words[:size], f"chat:{turn}")


def planned(brain: SmartBrain, words: str, steps: int, done: int) -> None:
    """Make a plan, and tick its first steps off."""
    for number in range(1, steps + 1):
        brain.plan.add("s", words.format(number), "CI 通过 green")
    for number in range(1, done + 1):
        brain.plan.check("s", number)


@pytest.mark.spec("R16", "W5")
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_full_board_is_shown_whole_or_shortened(tmp_path: Path, language: str) -> None:
    """Every pin of a full board is in every context of the usual size, and says if it was cut."""
    with fake_brain(tmp_path) as brain:
        pinned(brain, LONG[language], 500)
        usual = brain.compose_context("s", "hi", recipe="chat")
        again = brain.compose_context("s", "再来 another question", recipe="chat")
        large = brain.compose_context("s", "hi", recipe="chat", token_limit=60_000)
        small = brain.compose_context("s", "hi", recipe="chat", token_limit=400)
    everything = [str(number) for number in range(1, 21)]
    assert everything == [pin.id for pin in usual.pins] == [pin.id for pin in large.pins]
    assert {LONG[language][:500].strip()} == {pin.summary for pin in large.pins}
    assert [] == reasons(large, "pins")
    assert usual.pins == again.pins
    cut = {pin.id: "…" in pin.summary for pin in usual.pins}
    assert {f"shortened_{one}" for one in ("summary", "highlights")} >= {
        code for code, _ in reasons(usual, "pins")
    }
    assert [name for name in everything if cut[name]] == [one for _, one in reasons(usual, "pins")]
    shown = [pin.id for pin in small.pins]
    assert 0 < len(shown) < 20
    assert {"1", "6", "11", "16"} <= set(shown)  # constraints are the last to go
    assert sorted(set(everything) - set(shown), key=int) == [
        one for code, one in reasons(small, "pins") if code == "over_budget"
    ]
    assert shown == sorted(shown, key=int)


@pytest.mark.spec("R16", "W4")
@pytest.mark.parametrize(
    ("language", "folded"), [("zh", "- [x] 已完成 {} 步"), ("en", "- [x] {} steps done")]
)
def test_a_plan_shows_what_is_open_and_folds_what_is_done(
    tmp_path: Path, language: str, folded: str
) -> None:
    """The latest that are done are shown as far as there is room, in the plan's own order."""
    with fake_brain(tmp_path) as brain:
        planned(brain, STEP[language], 60, 50)
        package = brain.compose_context("s", "next?", token_limit=4_000)
        whole = brain.compose_context("s", "next?", token_limit=60_000)
    named = [int(step.id) for step in package.plan if step.id]
    assert named == list(range(named[0], 61))
    assert 10 < named[0] < 51
    assert folded.format(named[0] - 1) in package.text()
    assert [("folded", None)] == reasons(package, "plan")
    assert (60, []) == (len(whole.plan), reasons(whole, "plan"))


@pytest.mark.spec("R16", "W4")
@pytest.mark.parametrize(
    ("language", "more"), [("zh", "- [ ] 还有 {} 步待办"), ("en", "- [ ] {} more steps to do")]
)
def test_a_plan_of_open_steps_is_shortened_before_some_are_left_out(
    tmp_path: Path, language: str, more: str
) -> None:
    """The first ones stay; the rest is counted."""
    with fake_brain(tmp_path) as brain:
        planned(brain, STEP[language] + LONG[language], 25, 3)
        usual = brain.compose_context("s", "next?")
        small = brain.compose_context("s", "next?", token_limit=400)
    assert [str(number) for number in range(4, 26)] == [step.id for step in usual.plan if step.id]
    first = [int(step.id) for step in small.plan if step.id]
    assert list(range(4, 4 + len(first))) == first
    assert more.format(22 - len(first)) in small.text()
    assert 22 - len(first) == [code for code, _ in reasons(small, "plan")].count("over_budget")


@pytest.mark.spec("R16", "W4")
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_last_notes_and_milestones_stay(tmp_path: Path, language: str) -> None:
    """What was marked early is shown beside the latest; both are shortened before they go."""
    with fake_brain(tmp_path) as brain:
        for number in range(1, 31):
            text = f"笔记 note {number}: {LONG[language]}"
            brain.notebook.add("s", text, milestone=number in (2, 4))
        usual = brain.compose_context("s", "hi", recipe="chat")
        small = brain.compose_context("s", "hi", recipe="chat", token_limit=1_000)
    assert ["2", "4", *map(str, range(25, 31))] == [note.id for note in usual.notebook]
    assert [] == reasons(usual, "notebook")  # what is free in the end is theirs
    assert reasons(small, "notebook")
    assert {"2", "4", "28", "29", "30"} <= {note.id for note in small.notebook}


@pytest.mark.spec("W7", "R16")
@pytest.mark.parametrize("words", ["很长的一行文字内容", "a long line of words "])
def test_surface_memory_is_within_its_characters_altogether(tmp_path: Path, words: str) -> None:
    """The latest line of each section is there, whole; what is not shown is counted."""
    with fake_brain(tmp_path) as brain:
        for section in ("self", "用户", "env", "历史", "动态"):
            for number in range(9):
                brain.fastmemo.add(section, f"{number} {words * 40}"[:280].strip())
        memo = brain.fastmemo.read()
        package = brain.compose_context("s", "hi", recipe="chat", token_limit=60_000)
    blocks = {block.type: block.text for block in package.system_blocks}
    assert {"fastmemo", "context_pool"} == set(blocks)
    assert 1_400 < sum(map(len, blocks.values())) <= 1_800
    lines = [line for text in blocks.values() for line in text.splitlines() if line[0] == "-"]
    stored = [f"- {line}" for texts in memo.sections.values() for line in texts]
    assert [] == [line for line in lines if line not in stored]
    assert [] == [one for one in memo.sections.values() if f"- {one[-1]}" not in lines]
    told = [(one.code, one.key, one.reason) for one in package.debug.ignored]
    assert [
        ("shortened", "fastmemo", f"{len(lines) - 1} of 36 lines are shown"),
        ("shortened", "context_pool", "1 of 9 lines are shown"),
    ] == told


@pytest.mark.spec("R16")
@pytest.mark.parametrize("language", ["zh", "en"])
def test_full_lists_never_pass_the_limit(tmp_path: Path, language: str) -> None:
    """Whatever the limit, and the same each time."""
    with fake_brain(tmp_path) as brain:
        pinned(brain, LONG[language], 600)
        planned(brain, STEP[language] + LONG[language], 30, 12)
        for number in range(20):
            brain.notebook.add("s", f"{number} {LONG[language]}", milestone=number % 3 == 0)
            brain.fastmemo.add("user" if number % 2 else "dynamic", f"{number} 喜欢茶 tea" * 10)
        for limit in (64, 100, 150, 250, 400, 700, 1_200, 2_500, 5_000, 12_000, 40_000):
            package = brain.compose_context("s", "hi", recipe="tool_loop", token_limit=limit)
            assert estimate_tokens(package.text()) <= limit
            assert package.constraints.token_budget.used_estimate <= limit
            diff = brain.replay(package.context_id, {})
            assert ((), (), ()) == (diff.entered, diff.left, diff.resized)


PIN = {
    "zh": "模块的状态保存在数据表里，修改之前要先通知负责人，并且把原因记录下来。" * 20,
    "en": "The module keeps its state in a table; tell its owner before it changes. " * 10,
    "mixed": "The module 模块 keeps its state 状态 in a table 表，改之前 tell its owner. " * 12,
}
RULE = {
    "zh": "除了星期五，任何一天都不许发布；发布之前主干的测试必须全部通过，并且要先问过安娜，"
    "还要在日历上登记，写明谁负责回滚，出了问题打哪个电话。",
    "en": "Never deploy on any day but Friday, and only once all tests are green; ask Ann first.",
    "mixed": "除了 Friday 不许 deploy，而且 only once all tests are green 才行，ask Ann 先，"
    "别忘了 changelog。",
}


def ruled(brain: SmartBrain, language: str, others: int, size: int = 600) -> None:
    """Pin a constraint, and long conclusions after it; some small talk comes before."""
    for number in range(7):
        said = user(f"闲聊 small talk {number}, nice weather 天气不错")
        turn = brain.commit_turn("s", [said, assistant("yes 是的")]).turn_id
    brain.pins.add("constraint", "deploy 发布", RULE[language], f"chat:{turn}")
    for number in range(others):
        words = f"{number}: {PIN[language]}"[:size].strip()
        brain.pins.add("conclusion", f"fact 结论 {number}", words, f"chat:{turn}")


@pytest.mark.spec("R16", "W5")
@pytest.mark.parametrize("recipe", ["standard", "chat", "tool_loop"])
@pytest.mark.parametrize(("language", "others"), [("zh", 6), ("en", 17), ("mixed", 10)])
def test_pins_are_whole_where_the_context_has_room(
    tmp_path: Path, language: str, others: int, recipe: str
) -> None:
    """Whatever their share is, nothing of a board is cut while more than half is free."""
    with fake_brain(tmp_path) as brain:
        ruled(brain, language, others)
        asked = [
            brain.compose_context("s", words, recipe=recipe)
            for words in ("what next?", "接下来做什么？", "Who owns the module? 模块归谁？")
        ]
        stored = [pin.summary for pin in brain.pins.list()]
    for package in asked:
        assert stored == [pin.summary for pin in package.pins]
        assert [] == reasons(package, "pins")
        assert estimate_tokens(package.text()) <= 8_192


@pytest.mark.spec("R16", "W5")
@pytest.mark.parametrize("language", ["zh", "en", "mixed"])
def test_a_board_that_cannot_be_whole_takes_what_is_free(tmp_path: Path, language: str) -> None:
    """It begins the same whatever is asked, and leaves evidence its part of a large context."""
    with fake_brain(tmp_path) as brain:
        ruled(brain, language, 19)
        brain.commit_turn("old", [user("The module is Ann's. 模块归安娜。"), assistant("ok")])
        plain, asked = (
            brain.compose_context("s", words, token_limit=3_000)
            for words in ("继续 go on", "Who owns the module? 模块归谁？")
        )
    assert asked.evidence
    assert plain.pins == asked.pins
    assert RULE[language] == plain.pins[0].summary
    assert 20 == len(plain.pins)
    assert 3_000 * 0.6 < plain.constraints.token_budget.used_estimate <= 3_000


@pytest.mark.spec("R16", "W5")
@pytest.mark.parametrize("language", ["zh", "en", "mixed"])
def test_a_constraint_keeps_its_words_in_a_small_context(tmp_path: Path, language: str) -> None:
    """It is longer than any other pin, and no pin is left out while there is room for it."""
    with fake_brain(tmp_path) as brain:
        ruled(brain, language, 19)
        contexts = {
            limit: brain.compose_context("s", "what next? 接下来？", token_limit=limit)
            for limit in (300, 500, 700, 1_000, 1_500, 2_000)
        }
    for limit, package in contexts.items():
        budget = package.constraints.token_budget
        assert estimate_tokens(package.text()) <= budget.used_estimate <= limit
        rule = package.pins[0]
        assert RULE[language][:15] in rule.summary
        left_out = [one for code, one in reasons(package, "pins") if code == "over_budget"]
        assert not left_out or limit - budget.used_estimate < 30
    assert RULE[language] == contexts[1_500].pins[0].summary
    assert 20 == len(contexts[1_500].pins)


@pytest.mark.spec("R16", "W5")
@pytest.mark.parametrize("kind", ["constraint", "path"])
@pytest.mark.parametrize("language", ["en", "mixed"])
def test_a_short_pin_is_whole_where_it_fits(tmp_path: Path, language: str, kind: str) -> None:
    """Its share of a small context is no reason to take its words away."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("other", [user("hi"), assistant("ok")]).turn_id
        brain.pins.add(kind, "deploy 发布", RULE[language], f"chat:{turn}")
        package = brain.compose_context("s", "what next?", token_limit=130)
        tiny = brain.compose_context("s", "what next?", token_limit=80)
    assert [RULE[language]] == [pin.summary for pin in package.pins]
    assert [] == reasons(package, "pins")
    assert RULE[language][:20] in tiny.text()
    assert tiny.constraints.token_budget.used_estimate <= 80


@pytest.mark.spec("R16", "W4")
@pytest.mark.parametrize("language", ["zh", "en"])
def test_plan_and_notes_are_whole_where_the_context_has_room(tmp_path: Path, language: str) -> None:
    """What pins leave free is theirs; what is done stays told in one line."""
    with fake_brain(tmp_path) as brain:
        planned(brain, STEP[language] + LONG[language][:160], 24, 14)
        for number in range(6):
            brain.notebook.add("s", f"{number} {LONG[language][:300].strip()}", milestone=True)
        package = brain.compose_context("s", "next?", recipe="tool_loop", token_limit=5_000)
        notes = {note.text for note in brain.notebook.list("s")}
    assert {"folded"} >= {code for code, _ in reasons(package, "plan")}
    assert [] == reasons(package, "notebook")
    assert notes == {note.text for note in package.notebook}
