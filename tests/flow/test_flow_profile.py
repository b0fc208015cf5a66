"""Who somebody is over many turns: what comes together, what is replaced, what is taken out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from any_order import assert_replays
from flow_builders import fake_brain, user

from smartbrain.domain.memory import Memory


def told(folder: Path, *messages: str) -> Memory | None:
    """Return the profile that stands after some messages of the user, a turn each."""
    with fake_brain(folder) as brain:
        for message in messages:
            brain.commit_turn("s", [user(message)])
        return next(iter(brain.memories.list("profile").items), None)


def facts(memory: Memory | None) -> list[tuple[str, str]]:
    """Return the facts of a profile."""
    return [(fact["k"], fact["v"]) for fact in memory.value["facts"]] if memory else []


@pytest.mark.spec("C4", "M1")
@pytest.mark.parametrize(
    ("messages", "stand"),
    [
        (("我叫李雷,在腾讯工作", "我不在腾讯工作了"), [("name", "李雷")]),
        (("我叫李雷,在腾讯工作", "我不在那家公司工作了"), [("name", "李雷")]),
        (("I'm Tom Baker, I work at Google.", "I no longer work at Google."),
         [("name", "Tom Baker")]),
        (("我叫Kevin，在 Google 上班", "我不在 Google 上班了"), [("name", "Kevin")]),
        (("I live in Metz, I'm a nurse.", "Forget what I said about Metz."), [("role", "nurse")]),
        (("I work at Google.", "I work at Stripe.", "I no longer work at Google."),
         [("employer", "Stripe")]),
        (("我对花生和牛奶过敏", "我不对花生过敏了"), [("allergy", "对牛奶过敏")]),
        (("I'm allergic to peanuts and shellfish.", "I'm not allergic to shellfish any more."),
         [("allergy", "allergic to peanuts")]),
        (("I have a dog called Rex. I also have a cat called Tom.", "I don't have a dog any more."),
         [("pet", "a cat called Tom")]),
        (("我会说法语", "我会说日语", "我不会说法语了"), [("language", "日语")]),
        (("我养了一只橘猫和一条狗", "我不养猫了"), [("pet", "一条狗")]),
        (("I have two cats and a dog", "I no longer have a dog"), [("pet", "two cats")]),
        (("我叫李雷,在腾讯工作", "从腾讯离职了"), [("name", "李雷")]),
        (("I'm Tom Baker, I work at Google.", "I quit my job."), [("name", "Tom Baker")]),
        (("I work at Google.", "I left Google and joined Stripe."), [("employer", "Stripe")]),
        (("我在 Google 上班", "I left Acme."), [("employer", "Google")]),
        (("我会说英语和日语。", "其实我不会说日语。"), [("language", "英语")]),
        (("我住在北京。", "我上个月搬到深圳了。"), [("home", "深圳")]),
        (("I live in Berlin.", "I moved to Munich last month."), [("home", "Munich")]),
        (("我去年搬来杭州的。",), [("home", "杭州")]),
        (("我住在北京。", "我去年搬到上海住了半年。"), [("home", "北京")]),
        (("我住在北京。", "我上周搬到三楼了。"), [("home", "北京")]),
        (("我在阿里工作。", "我2015年入职腾讯，后来走了。"), [("employer", "阿里")]),
        (("我在东八区。",), [("time_zone", "东八区")]),
        (("I'm in CET.",), [("time_zone", "CET")]),
        (("I'm in the UTC+8 time zone.",), [("time_zone", "UTC+8")]),
        (("I speak English and Japanese.", "Actually I don't speak Japanese."),
         [("language", "English")]),
        (("我养了一只猫。", "我其实没有养猫。"), []),
        (("我有两只狗。", "其实我没有狗。"), []),
        (("我对花生过敏。", "其实我对花生不过敏。"), []),
        (("我对花生不过敏。",), []),
        (("我女儿对牛奶不过敏。",), []),
    ],
)  # fmt: skip
def test_a_denial_takes_out_what_it_names(
    tmp_path: Path, messages: tuple[str, ...], stand: list[tuple[str, str]]
) -> None:
    """The rest of what was said in the same breath stands."""
    assert stand == facts(told(tmp_path, *messages))


@pytest.mark.spec("C4", "M1")
@pytest.mark.parametrize(
    ("messages", "stand"),
    [
        (("I'm allergic to peanuts", "I'm allergic to milk",
          "Correction: I'm allergic to walnuts, not peanuts"),
         [("allergy", "allergic to milk"), ("allergy", "allergic to walnuts")]),
        (("我对花生过敏", "不对，我对核桃过敏"), [("allergy", "对核桃过敏")]),
        (("我对花生过敏", "我不是对花生过敏，而是对核桃过敏"), [("allergy", "对核桃过敏")]),
        (("I have a dog called Rex.", "I don't have a dog any more. I have a cat."),
         [("pet", "a cat")]),
        (("I have a dog called Rex.", "I don't have a dog any more, I have a cat now."),
         [("pet", "a cat")]),
        (("我对花生过敏", "That's wrong. I'm allergic to walnuts."),
         [("allergy", "allergic to walnuts")]),
    ],
)  # fmt: skip
def test_a_correction_takes_the_place_of_what_was_wrong(
    tmp_path: Path, messages: tuple[str, ...], stand: list[tuple[str, str]]
) -> None:
    """Where there can be several, what is corrected goes and the others stay."""
    assert stand == facts(told(tmp_path, *messages))


@pytest.mark.spec("C3", "C4", "M1")
@pytest.mark.parametrize(
    ("messages", "stand"),
    [
        (("我叫李雷，住在杭州", "我说错了，我住在苏州不是杭州"),
         [("name", "李雷"), ("home", "苏州")]),
        (("我住在杭州", "抱歉，我住在苏州而不是杭州。"), [("home", "苏州")]),
        (("我住在苏州不是杭州",), [("home", "苏州")]),
        (("我叫李磊不是李雷",), [("name", "李磊")]),
        (("我是护士不是医生",), [("role", "护士")]),
        (("我住在苏州不是很方便",), [("home", "苏州")]),
        (("我在想是不是杭州",), []),
        (("我在北京的同事不是程序员",), []),
        (("I live in Boston", "Sorry, I live in Austin not Boston"), [("home", "Austin")]),
        (("my name is Ann not Anna",), [("name", "Ann")]),
        (("i live in austin not boston",), [("home", "austin")]),
        (("I'm a nurse not a doctor.",), [("role", "nurse")]),
        (("I'm a nurse, not a doctor.",), [("role", "nurse")]),
        (("I live in Austin not far from Boston",),
         [("home", "Austin not far from Boston")]),
        (("我住在北京", "其实我已经搬到上海了"), [("home", "上海")]),
        (("其实我搬到上海了",), [("home", "上海")]),
        (("说实话我搬到上海了",), [("home", "上海")]),
        (("我血型是O型", "我身高180", "My weight is 80 kg"),
         [("blood_type", "O型"), ("height", "180"), ("weight", "80 kg")]),
        (("我在腾讯工作", "我换工作了，现在在阿里做架构师"),
         [("employer", "阿里"), ("role", "架构师")]),
        (("I live in Rome", "Actually I've already moved to Berlin"), [("home", "Berlin")]),
    ],
)  # fmt: skip
def test_what_is_so_stands_without_what_it_is_told_apart_from(
    tmp_path: Path, messages: tuple[str, ...], stand: list[tuple[str, str]]
) -> None:
    """What is not so may follow without a comma, and a word such as 其实 may go before."""
    with fake_brain(tmp_path / "tasks") as brain:
        for message in messages:
            brain.commit_turn("s", [user(message)])
        assert not brain.memories.list("tasks").items
    assert stand == facts(told(tmp_path, *messages))


@pytest.mark.spec("C4", "M1")
@pytest.mark.parametrize(
    ("trade", "besides"),
    [
        ("I'm a nurse", ("I work from home on Fridays", "I'm a runner", "I work with Bob")),
        ("我是护士", ("我上夜班", "我是跑步爱好者", "I'm a homeowner")),
    ],
)
def test_what_one_is_besides_leaves_the_trade(
    tmp_path: Path, trade: str, besides: tuple[str, ...]
) -> None:
    """How somebody works and what they do for pleasure is told under names of its own."""
    before, *_ = facts(told(tmp_path / "a", trade))
    after = dict(facts(told(tmp_path / "b", trade, *besides)))

    assert ("role", after["role"]) == before
    assert {"role", "work_mode"} <= set(after)
    assert "employer" not in after


@pytest.mark.spec("C4", "M1")
def test_a_profile_shows_all_that_is_known(tmp_path: Path) -> None:
    """What comes together over turns is in its text, not only what was said last."""
    profile = told(tmp_path, "我对花生过敏", "I'm allergic to penicillin", "我已婚", "I have a son")

    assert [
        ("allergy", "对花生过敏"),
        ("allergy", "allergic to penicillin"),
        ("marital_status", "已婚"),
        ("family", "a son"),
    ] == facts(profile)
    assert profile is not None
    assert all(value in profile.text for _, value in facts(profile))


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("messages", "stand"),
    [
        (("Call me Bob.", "Don't call me Robert."),
         {"name_to_use": "Bob", "name_to_avoid_Robert": "Don't call me Robert"}),
        (("叫我小王就行。", "别叫我王总。"),
         {"name_to_use": "小王", "name_to_avoid_王总": "别叫我王总"}),
        (("Call me Bob.", "Please don't call me Bob anymore."),
         {"name_to_avoid_Bob": "don't call me Bob anymore"}),
        (("Don't call me Bob.", "Call me Bob."), {"name_to_use": "Bob"}),
        (("别叫我王总。", "叫我王总吧。"), {"name_to_use": "王总"}),
        (("Call me Bob.", "Don't call me a liar."), {"name_to_use": "Bob"}),
        (("I like Bob.", "Call me Bob."), {"bob": "Bob", "name_to_use": "Bob"}),
        (("我喜欢小王。", "叫我小王就行。"), {"小王": "小王", "name_to_use": "小王"}),
        (("叫我小王就行。", "别叫我加班。"), {"name_to_use": "小王"}),
        (("叫我小王就行。", "以后别叫我小王了。"), {"name_to_avoid_小王": "别叫我小王了"}),
        (("Call me Bob.", "Don't call me before 9am."),
         {"name_to_use": "Bob", "meeting_time": "Don't call me before 9am"}),
        (("Don't call me Bob, call me Robert.",),
         {"name_to_avoid_Bob": "Don't call me Bob", "name_to_use": "Robert"}),
        (("别叫我小李，叫我李工。",), {"name_to_avoid_小李": "别叫我小李", "name_to_use": "李工"}),
        (("Call me Bob.", "Call me Robert, don't call me Bob."),
         {"name_to_avoid_Bob": "don't call me Bob", "name_to_use": "Robert"}),
        (("叫我小李就行。", "以后别叫我小李了，请叫我李工吧。"),
         {"name_to_avoid_小李": "别叫我小李了", "name_to_use": "李工"}),
        (("Don't call me Robert.", "Don't call me Bob, don't call me Bobby, call me Robert."),
         {"name_to_avoid_Bob": "Don't call me Bob", "name_to_avoid_Bobby": "don't call me Bobby",
          "name_to_use": "Robert"}),
        (("Don't call me Bob, call me tomorrow.",), {"name_to_avoid_Bob": "Don't call me Bob"}),
        (("别叫我小李，叫我起床。",), {"name_to_avoid_小李": "别叫我小李"}),
    ],
)  # fmt: skip
def test_a_name_to_avoid_stands_beside_the_one_to_use(
    tmp_path: Path, messages: tuple[str, ...], stand: dict[str, str]
) -> None:
    """Only if it is the name that was used so far, that one is taken back."""
    with fake_brain(tmp_path) as brain:
        for message in messages:
            brain.commit_turn("s", [user(message)])
        found = brain.memories.list("preferences").items
    assert stand == {one.value["name"]: one.value["value"] for one in found}


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("before", "after", "key", "value"),
    [
        ("I don't drink coffee.", "I started drinking coffee again.",
         "pref:other:drink_coffee", "drink coffee"),
        ("I never eat meat.", "I went back to eating meat.", "pref:other:eat_meat", "eat meat"),
        ("我不喝咖啡。", "我又开始喝咖啡了。", "pref:other:喝咖啡", "喝咖啡"),
        ("I hate mushrooms.", "I've come to like mushrooms.", "pref:other:mushrooms", "mushrooms"),
        ("I like jazz.", "I've grown to hate jazz.", "pref:other:jazz", "not jazz"),
        ("I use VS Code.", "I switched to Neovim.", "pref:tools:editor", "Neovim"),
        ("我用 VS Code。", "我现在改用 Neovim 了。", "pref:tools:editor", "Neovim"),
    ],
)  # fmt: skip
def test_a_taste_that_has_changed_takes_the_place_of_the_old_one(
    tmp_path: Path, before: str, after: str, key: str, value: str
) -> None:
    """Under the same key, and the old one stays as its earlier version."""
    with fake_brain(tmp_path) as brain:
        for message in (before, after):
            brain.commit_turn("s", [user(message)])
        (one,) = brain.memories.list("preferences").items
        versions = brain.memories.history(key)
    assert (key, value) == (one.key, one.value["value"])
    assert 2 == len(versions)


@pytest.mark.spec("C4", "C11")
@pytest.mark.parametrize(
    ("use", "avoid", "stand"),
    [
        ("Call me Bob.", "Don't call me Robert.", ["name_to_avoid_Robert", "name_to_use"]),
        ("叫我小王就行。", "别叫我王总。", ["name_to_avoid_王总", "name_to_use"]),
        ("Call me Bob.", "Don't call me Bob.", ["name_to_avoid_Bob"]),
    ],
)
def test_a_name_that_arrives_late_is_ended_by_its_own_denial_alone(
    tmp_path: Path, use: str, avoid: str, stand: list[str]
) -> None:
    """A history may be imported after what denies some of it; nobody is told of names unsaid."""
    with fake_brain(tmp_path) as brain:
        later = {"messages": [user(avoid)], "at": "2001-03-05T10:00:00Z"}
        told = brain.commit_turn("s", later).explain.retention
        assert "nothing_to_retract" not in [one.code for one in told]
        brain.commit_turn("t", {"messages": [user(use)], "at": "2001-03-01T10:00:00Z"})
        found = brain.memories.list("preferences").items
    assert stand == sorted(one.value["name"] for one in found)


@pytest.mark.spec("M1", "C4")
@pytest.mark.parametrize(
    ("messages", "fact", "put", "corrected"),
    [
        (
            ("I work at Google and live in Paris",),
            {"k": "home", "v": "Rome"},
            [("employer", "Google"), ("home", "Rome")],
            [("employer", "Google"), ("home", "Rome")],
        ),
        (
            ("我叫李雷，住在北京", "我对花生过敏"),
            {"k": "allergy", "v": "对牛奶过敏"},
            [("name", "李雷"), ("home", "北京"), ("allergy", "对花生过敏"),
             ("allergy", "对牛奶过敏")],
            [("name", "李雷"), ("home", "北京"), ("allergy", "对牛奶过敏")],
        ),
        (
            ("I'm vegan.", "我住在北京"),
            {"k": "diet", "v": 5},
            [("diet", "vegan"), ("home", "北京"), ("diet", 5)],
            [("diet", 5), ("home", "北京")],
        ),
    ],
)  # fmt: skip
def test_a_fact_given_by_hand_leaves_the_others(
    tmp_path: Path,
    messages: tuple[str, ...],
    fact: dict[str, Any],
    put: list[tuple[str, Any]],
    corrected: list[tuple[str, Any]],
) -> None:
    """What is put counts as what is said does; what is corrected is all there is of its kind."""
    for name, stand in (("put", put), ("correct", corrected)):
        with fake_brain(tmp_path / name) as brain:
            for message in messages:
                brain.commit_turn("s", [user(message)])
            if name == "put":
                brain.memories.put("profile", "profile:user", {"facts": [fact]})
            else:
                brain.memories.correct("profile:user", {"facts": [fact]})
            assert facts(brain.memories.get("profile:user")) == stand
            assert_replays(brain)
