"""Which lasting facts about the user are found in what the user says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from smartbrain.domain.builtin_types import Profile
from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.profile import find
from smartbrain.remember.extract.said import read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return what a message tells of the user."""
    said = read_said(text, source=source, speaker=source.value, at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


Told = tuple[tuple[str, str], ...]

FACTS: Final[tuple[tuple[str, Told], ...]] = (
    ("I'm a software engineer.", (("role", "software engineer"),)),
    ("I work from home on Fridays.", (("work_mode", "from home on Fridays"),)),
    ("I mostly work nights.", (("work_mode", "nights"),)),
    ("I work full time at Ibis.", (("work_mode", "full time"), ("employer", "Ibis"))),
    ("I work on the payments team.", (("team", "on the payments team"),)),
    ("I'm a runner.", (("hobby", "runner"),)),
    (
        "I'm a product manager at Acme Corp in Boston.",
        (("role", "product manager"), ("employer", "Acme Corp"), ("location", "Boston")),
    ),
    ("我是李雷，住在杭州", (("name", "李雷"), ("location", "杭州"))),
    ("大家好！我是韩梅梅。", (("name", "韩梅梅"),)),
    ("我是李雷", (("name", "李雷"),)),
    ("我是 Kevin，在谷歌上班", (("name", "Kevin"), ("employer", "谷歌"))),
    ("我是高中生，住在杭州", (("role", "高中生"), ("location", "杭州"))),
    ("我换工作了，现在在阿里做架构师", (("role", "架构师"), ("employer", "阿里"))),
    ("我毕业了，现在在腾讯实习", (("employer", "腾讯"),)),
    ("I changed jobs, now I'm at Stripe", (("employer", "Stripe"),)),
    ("I changed jobs and I'm now at Stripe", (("employer", "Stripe"),)),
    ("我身高180cm，体重75公斤", (("height", "180cm"), ("weight", "75公斤"))),
    ("我血型是O型", (("blood_type", "O型"),)),
    ("我是O型血", (("blood_type", "O型血"),)),
    ("我的鞋码是42", (("shoe_size", "42"),)),
    ("My shoe size is 42.", (("shoe_size", "42"),)),
    ("My blood type is O.", (("blood_type", "O"),)),
    ("I'm a chess player.", (("hobby", "chess player"),)),
    ("I'm a homeowner.", (("trait", "homeowner"),)),
    ("我周五在家办公。", (("work_mode", "周五在家办公"),)),
    ("我平时上夜班。", (("work_mode", "上夜班"),)),
    ("我是跑步爱好者。", (("hobby", "跑步爱好者"),)),
    ("我是房东。", (("trait", "房东"),)),
    ("我是两个孩子的妈妈。", (("family", "两个孩子的妈妈"),)),
    ("我是全职妈妈。", (("role", "全职妈妈"),)),
    ("My timezone is UTC+8.", (("time_zone", "UTC+8"),)),
    ("我的时区是东八区。", (("time_zone", "东八区"),)),
    ("我的 timezone 是 UTC+8。", (("time_zone", "UTC+8"),)),
    (
        "I'm allergic to nuts, milk and eggs.",
        tuple(("allergy", f"allergic to {what}") for what in ("nuts", "milk", "eggs")),
    ),
    ("I'm allergic to nuts, love dogs and cats.", (("allergy", "allergic to nuts"),)),
    (
        "I speak German, French and a bit of Thai.",
        (("language", "German"), ("language", "French"), ("language", "a bit of Thai")),
    ),
    ("I have two cats and a dog.", (("pet", "two cats"), ("pet", "a dog"))),
    ("我养了一只猫和一条狗。", (("pet", "一只猫"), ("pet", "一条狗"))),
    ("我有一个儿子和一个女儿。", (("family", "一个儿子"), ("family", "一个女儿"))),
    ("I live with my wife.", (("household", "with my wife"),)),
    ("我一个人住。", (("household", "一个人住"),)),
    ("I live in Berlin and work at Siemens.", (("location", "Berlin"), ("employer", "Siemens"))),
    ("I'm a nurse and I live in Oslo.", (("role", "nurse"), ("location", "Oslo"))),
    ("I'm Bob and I work at Google.", (("name", "Bob"), ("employer", "Google"))),
    ("I'm a teacher and a mother of two.", (("role", "teacher"), ("family", "mother of two"))),
    ("I'm Bob, a nurse.", (("name", "Bob"), ("role", "a nurse"))),
    ("I'm OK and I work at Google.", (("employer", "Google"),)),
    ("I work for Stripe as a PM.", (("employer", "Stripe"), ("role", "a PM"))),
    ("I work as a PM at Stripe.", (("role", "a PM"), ("employer", "Stripe"))),
    ("I work as a cook for Ibis.", (("role", "a cook"), ("employer", "Ibis"))),
    ("I work as a nurse at night.", (("role", "a nurse at night"),)),
    ("I'm married and have two kids.", (("marital_status", "married"), ("family", "two kids"))),
    ("I live in Rome and the bus was late.", (("location", "Rome"),)),
    ("I live in Bosnia and Herzegovina.", (("location", "Bosnia and Herzegovina"),)),
    ("I work at Marks and Spencer.", (("employer", "Marks and Spencer"),)),
    ("我叫Bob and I live in 上海.", (("name", "Bob"), ("location", "上海"))),
    (
        "I'm allergic to bees and nuts.",
        (("allergy", "allergic to bees"), ("allergy", "allergic to nuts")),
    ),
    ("我会说法语和日语。", (("language", "法语"), ("language", "日语"))),
    ("我有高血压和糖尿病。", (("health", "高血压"), ("health", "糖尿病"))),
    ("我是在腾讯工作的。", (("employer", "腾讯"),)),
    ("I'm a dentist at Bright Smiles.", (("role", "dentist"), ("employer", "Bright Smiles"))),
    ("I'm the CTO of a fintech startup.", (("role", "CTO of a fintech startup"),)),
    ("I'm a beekeeper.", (("role", "beekeeper"),)),
    ("As a teacher, I get long summers.", (("role", "teacher"),)),
    ("I've been working as a translator since 2015.", (("role", "a translator since 2015"),)),
    ("I work for Siemens.", (("employer", "Siemens"),)),
    ("I teach maths at a secondary school.", (("role", "teach maths at a secondary school"),)),
    ("I own a small bakery in Porto.", (("business", "a small bakery in Porto"),)),
    ("I'm on the security team.", (("team", "the security team"),)),
    ("I live in Berlin with my wife.", (("location", "Berlin"),)),
    ("I live in Lyon, where can I find good bread?", (("location", "Lyon"),)),
    ("I'm a painter, based in Milan.", (("role", "painter"), ("location", "Milan"))),
    ("My husband and I live in Leeds.", (("location", "Leeds"),)),
    ("I'm from Brazil.", (("hometown", "Brazil"),)),
    ("I'm Canadian.", (("nationality", "Canadian"),)),
    ("My surname is Nakamura.", (("name", "Nakamura"),)),
    ("Hi, I'm Tom.", (("name", "Tom"),)),
    ("I'm 42 years old.", (("age", "42 years old"),)),
    ("My birthday is on June 3.", (("birthday", "June 3"),)),
    ("I'm allergic to peanuts.", (("allergy", "allergic to peanuts"),)),
    ("I have type 1 diabetes.", (("health", "type 1 diabetes"),)),
    ("I'm a hearing aid user.", (("health", "hearing aid user"),)),
    ("I'm vegan.", (("diet", "vegan"),)),
    ("I have three grown children.", (("family", "three grown children"),)),
    ("I have a cat named Miso.", (("pet", "a cat named Miso"),)),
    (
        "I speak German and a bit of Turkish.",
        (("language", "German"), ("language", "a bit of Turkish")),
    ),
    ("I graduated from MIT in 2010.", (("education", "graduated from MIT in 2010"),)),
    (
        "I have ten years of experience in logistics.",
        (("experience", "ten years of experience in logistics"),),
    ),
    ("I play the cello.", (("hobby", "play the cello"),)),
    ("我是一名高中语文老师。", (("role", "高中语文老师"),)),
    ("我是做跨境电商的。", (("role", "做跨境电商"),)),
    ("我是个体户，做建材生意。", (("role", "个体户"),)),
    (
        "我是 backend engineer，在 Google 上班。",
        (("role", "backend engineer"), ("employer", "Google")),
    ),
    ("我在腾讯工作。", (("employer", "腾讯"),)),
    ("我在北京上班。", (("location", "北京"),)),
    ("我在银行当柜员。", (("role", "柜员"), ("employer", "银行"))),
    ("作为一名医生，我经常值夜班。", (("role", "医生"),)),
    ("我住上海。", (("location", "上海"),)),
    ("我住在成都，周末去哪儿玩好？", (("location", "成都"),)),
    ("我是四川人。", (("hometown", "四川人"),)),
    ("我是广东的。", (("hometown", "广东"),)),
    ("我叫张伟。", (("name", "张伟"),)),
    ("我的英文名是 Kevin。", (("name", "Kevin"),)),
    ("我今年28岁。", (("age", "28岁"),)),
    ("我对花生过敏。", (("allergy", "对花生过敏"),)),
    ("我有高血压。", (("health", "高血压"),)),
    ("我不能吃海鲜。", (("diet", "不能吃海鲜"),)),
    ("我已婚，有一个儿子。", (("marital_status", "已婚"), ("family", "一个儿子"))),
    ("我养了一只橘猫。", (("pet", "一只橘猫"),)),
    ("我会说法语。", (("language", "法语"),)),
    ("我学的是会计。", (("education", "学的是会计"),)),
    ("我有八年的前端开发经验。", (("experience", "八年的前端开发经验"),)),
    ("我开了一家咖啡店。", (("business", "一家咖啡店"),)),
    ("Name's Ruth, by the way.", (("name", "Ruth"),)),
    ("My friends call me Liz.", (("name", "Liz"),)),
    ("Mom of two here, need quick recipes.", (("family", "Mom of two"),)),
    ("Just a retired plumber here.", (("role", "retired plumber"),)),
    ("Electrician by trade.", (("role", "Electrician"),)),
    ("I earn my living as a session musician.", (("role", "a session musician"),)),
    ("28F, graphic designer.", (("age", "28"), ("gender", "F"), ("role", "graphic designer"))),
    (
        "I've been with Siemens for ten years.",
        (("employer", "Siemens"), ("tenure", "for ten years")),
    ),
    ("I work in the city of Leeds.", (("workplace", "in the city of Leeds"),)),
    ("本人女，28岁，会计。", (("gender", "女"), ("age", "28岁"), ("role", "会计"))),
    (
        "男，41岁，电工，坐标沈阳。",
        (("gender", "男"), ("age", "41岁"), ("role", "电工"), ("location", "沈阳")),
    ),
    ("快五十了，体力跟不上了。", (("age", "快五十"),)),
    ("我今年五十二了。", (("age", "今年五十二"),)),
    ("本人现居苏州。", (("location", "苏州"),)),
    ("产品经理一枚。", (("role", "产品经理"),)),
    ("同事们都叫我阿杰。", (("name", "阿杰"),)),
    ("我教高中数学。", (("role", "教高中数学"),)),
    ("I found out that I'm allergic to bees.", (("allergy", "allergic to bees"),)),
    ("我最近才发现我对虾过敏。", (("allergy", "对虾过敏"),)),
    ("We have two dogs named Max and Bo.", (("pet", "two dogs named Max and Bo"),)),
    ("我们家养了两只狗。", (("pet", "两只狗"),)),
    ("I started surfing five years ago.", (("experience", "started surfing five years ago"),)),
    ("我五年前开始学冲浪。", (("experience", "五年前开始学冲浪"),)),
    (
        "I've been volunteering at a shelter and it's rewarding.",
        (("volunteering", "volunteering at a shelter"),),
    ),
    ("I volunteer at the food bank.", (("volunteering", "volunteer at the food bank"),)),
    ("I've been taking a poetry class lately.", (("education", "taking a poetry class"),)),
    ("我最近在上陶艺课。", (("education", "上陶艺课"),)),
    ("我靠写稿为生。", (("role", "写稿"),)),
)

NONE: Final = (
    *("Her name's Coco.", "No doctor here.", "People call me crazy.", "He's a plumber by trade."),
    *(
        "I graduated last week.",
        "I started thinking about it two years ago.",
        "We have a meeting.",
        "我上午有课。",
        "我们有一条建议。",
        "I found out that I'm late.",
        "I attend yoga on Mondays.",
        "快十点了。",
        "我妈身体不好，快七十了。",
    ),
    *("我教你。", "妈妈叫我回家。", "价格快五十了。", "男的，怎么了。"),
    *("I'm tired.", "I'm at the airport.", "I'm a bit lost.", "I'm an idiot.", "I'm in a meeting."),
    *("I'm so happy!", "I'm done.", "I'm the one who broke it.", "I'm a big fan of this answer."),
    *("I'm not a doctor.", "I have a headache.", "I have a question.", "I have a meeting at 3."),
    *("I've been waiting for an hour.", "I run every morning.", "My job is killing me."),
    *("She works at Google.", "My wife is a nurse.", "My friend is allergic to nuts."),
    *("I wish I were a pilot.", "If I lived in Rome, I'd be happy.", "Pretend I'm a pirate."),
    *("Let's say I live in Paris.", "Am I a good cook?", "You are a senior Rust engineer."),
    *("I'm a nurse, right?", "As a joke, I wrote a haiku.", "My boss says I'm a perfectionist."),
    *("我是真的服了。", "我是说你写得不错。", "我在开会。", "我在家做饭。", "我在公司加班。"),
    *("我不是医生。", "我是不会放弃的。", "我是一个人来的。", "我有两个会。", "我叫了外卖。"),
    *("I work with Bob on Tuesdays.", "I work with kids.", "今天我在家办公。"),
    *("我不会说日语。", "I'm Tom. I hate this."),
    *("我的生日不是5月3号。", "我的生日快到了，还有3天。"),
    *("我妈是老师。", "我朋友对花生过敏。", "他在腾讯工作。", "如果我是医生就好了。"),
    *("我是李雷，你是谁", "我是李雷的同事", "我是黄牛，卖票的", "如果我是马云，我会退休"),
    *("我想换工作了，现在在阿里做架构师", "他换工作了，现在在阿里做架构师", "我身高不高"),
    *("I have a job interview, now I'm at Starbucks", "我换工作了，现在在等通知"),
    *("假装我是老板。", "我是谁？", "我在医院做检查。", "我住院了。", "我的工作好忙。", ""),
)


@pytest.mark.spec("C1", "C6", "M1")
@pytest.mark.parametrize(("text", "facts"), FACTS)
def test_lasting_facts_about_the_user_are_found(text: str, facts: Told) -> None:
    """One candidate under the user's one key, with a fact for each thing told."""
    (one,) = found(text)
    key = Profile().key_of(one.value)

    assert "profile:user" == key
    assert facts == tuple((fact["k"], fact["v"]) for fact in one.value["facts"])
    assert one.confidence >= 0.8
    Profile().complete(key, one.value)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("text", NONE)
def test_what_passes_and_what_others_are_is_no_profile(text: str) -> None:
    """Moods, whereabouts, denials, questions, wishes and other people are left alone."""
    assert [] == found(text)


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize("text", ["I'm a nurse.", "我住在成都。"])
def test_an_assistant_has_no_profile_of_the_user(text: str) -> None:
    """What the assistant says of itself or guesses is not the user's profile."""
    assert [] == found(text, Source.ASSISTANT)


@pytest.mark.spec("C6")
def test_clauses_apart_from_each_other_are_told_apart() -> None:
    """What stands between them can be claimed by somebody else."""
    text = "I'm a nurse, the bus was late, and I live in Ghent."
    first, second = found(text)

    assert "I'm a nurse" == text[first.offset : first.offset + first.length]
    assert "and I live in Ghent." == text[second.offset : second.offset + second.length]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I quit my job. I'm at Acme Rail now.", [("employer", "Acme Rail")]),
        ("I'm at Acme Rail now.", []),
    ],
)
def test_a_new_workplace_is_known_by_what_was_said_of_work(
    text: str, facts: list[tuple[str, str]]
) -> None:
    """Being somewhere now is work only where work is spoken of."""
    told = [(fact["k"], fact["v"]) for one in found(text) for fact in one.value["facts"]]

    assert facts == told


@pytest.mark.spec("C6")
def test_a_name_is_known_by_what_follows_it() -> None:
    """A single name is one where the next sentence goes on to tell who that is."""
    told = [fact for one in found("I'm Tom. I work at Google.") for fact in one.value["facts"]]

    assert [{"k": "name", "v": "Tom"}, {"k": "employer", "v": "Google"}] == told


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("我负责后端，小陈负责前端", ["后端"]),
        ("我负责设计，小李开发，小王测试", ["设计"]),
        ("我负责设计、开发和测试，小王负责运维", ["设计、开发和测试"]),
        ("我负责后端，Lily负责前端", ["后端"]),
        ("我负责后端，同事负责前端", ["后端"]),
        ("I'm a designer, Ann a developer", ["designer"]),
        ("我是工程师，负责架构设计", ["工程师", "架构设计"]),
    ],
)
def test_what_somebody_else_does_is_not_the_users_role(text: str, roles: list[str]) -> None:
    """A clause that names another person tells nothing of the user."""
    told = [fact for one in found(text) for fact in one.value["facts"]]
    assert roles == [fact["v"] for fact in told if fact["k"] == "role"]
