"""What is taken back or corrected in few words, and what is said right after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, plain_facts, user

KINDS = ("profile", "preferences", "decisions", "tasks", "goals", "facts", "events")


def standing(folder: Path, *messages: str) -> set[str]:
    """Return what stands after some messages of the user, a turn each, without the keys."""
    with fake_brain(folder) as brain:
        for message in messages:
            brain.commit_turn("s", [user(message)])
        found = [one for kind in KINDS for one in brain.memories.list(kind).items]
    return {told for one in found for told in values(dict(one.value))}


def values(value: dict[str, object]) -> list[str]:
    """Return what a value says: each fact of a profile, or its own words."""
    if isinstance(facts := value.get("facts"), list):
        return [f"{fact['k']}={fact['v']}" for fact in facts]
    named = (value.get(name) for name in ("title", "description", "decision", "value"))
    said = next(one for one in named if one)
    of = value.get("name") if "scope" in value else value.get("topic")
    return [f"{of}={said}" if of else str(said)]


THEN = [
    ("I need to call Bob.", "I no longer need to call Bob. I live in Oslo.", {"home=Oslo"}),
    ("I need to call Bob.", "I no longer need to call Bob. I need to call Ann.", {"call Ann"}),
    ("I need to call Bob.", "I don't need to call Bob anymore. I no longer live in Oslo.", set()),
    ("我要买牛奶", "我不用买牛奶了。我要买面包", {"买面包"}),
    ("我要买牛奶", "我不用买牛奶了。我住在北京", {"home=北京"}),
    ("My goal is to learn Rust.", "I gave up on Rust. My goal is to learn Go.", {"learn Go"}),
    ("I live in Oslo.", "I no longer live in Oslo. I work at Meta.", {"employer=Meta"}),
    ("我住在北京", "我不住在北京了。我在阿里工作", {"employer=阿里"}),
    ("I like tea.", "I no longer like tea. I like hiking.", {"hiking=hiking"}),
    ("我喜欢茶", "我不再喜欢茶了。我喜欢咖啡", {"咖啡=咖啡"}),
    (
        "We decided to use Kafka.",
        "We are not going to use Kafka after all. We decided to use React.",
        {"frontend_framework=use React"},
    ),
    (
        "我们决定用 Kafka。",
        "我们不用 Kafka 了。我们决定用 React。",
        {"frontend_framework=用 React"},
    ),
]


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(("said", "then", "stand"), THEN)
def test_what_follows_a_denial_is_read_for_itself(
    tmp_path: Path, said: str, then: str, stand: set[str]
) -> None:
    """What was denied is gone, and what is about something else has its own place."""
    assert stand == standing(tmp_path, said, then)


INSTEAD = [
    ("I use vim.", "I no longer use vim. I use emacs now.", {"editor=emacs"}),
    ("我用 vim", "我不再用 vim 了。我现在用 emacs", {"editor=emacs"}),
    ("I live in Oslo.", "I no longer live in Oslo. I live in Bergen.", {"home=Bergen"}),
    ("我住在北京", "我不住在北京了。我住在上海", {"home=上海"}),
    ("Our depot is in Metz.", "Our depot is no longer in Metz. It's in Nancy.", {"Nancy"}),
    (
        "We decided to use MySQL.",
        "We are not going to use MySQL after all. We decided to use Postgres.",
        {"database=use Postgres"},
    ),
]


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(("said", "then", "stand"), INSTEAD)
def test_what_follows_a_denial_may_take_the_place_of_it(
    tmp_path: Path, said: str, then: str, stand: set[str]
) -> None:
    """Where it is about the same thing."""
    assert stand == standing(tmp_path, said, then)


BRIEF = [
    ("我在腾讯工作", "不是腾讯，而是阿里", {"employer=阿里"}),
    ("我住在北京", "不是北京，而是上海", {"home=上海"}),
    ("我叫李雷", "不是李雷，而是李磊", {"name=李磊"}),
    ("我叫李雷，住在北京", "不是北京，而是上海", {"name=李雷", "home=上海"}),
    ("I live in Oslo.", "It's not Oslo, it's Bergen.", {"home=Bergen"}),
    ("I live in Oslo.", "No, actually Bergen.", {"home=Bergen"}),
    ("I work at Meta.", "No, actually Google.", {"employer=Google"}),
    ("We decided to use MySQL.", "No, actually Postgres.", {"database=use Postgres"}),
    ("The gate code is 1199.", "No, actually 1198.", {"1198"}),
    ("记住我的生日是5月3日", "不是5月3日，而是5月4日", {"birthday=5月4日"}),
    ("Remember that my birthday is May 3.", "No, actually it's May 4.", {"birthday=May 4"}),
    ("Remember that I live in Oslo.", "No, actually Bergen.", {"home=Bergen"}),
    ("I live in Oslo.", "No, it's Bergen.", {"home=Bergen"}),
    ("I live in Oslo.", "No, it’s Bergen.", {"home=Bergen"}),
    ("I live in Oslo.", "That’s wrong. It’s Bergen.", {"home=Bergen"}),
    ("I live in Oslo.", "No, Bergen.", {"home=Bergen"}),
    ("I live in Oslo.", "That's wrong. It's Bergen.", {"home=Bergen"}),
    ("I work at Meta.", "No, it's Google.", {"employer=Google"}),
    (
        "I live in Oslo and work at Meta.",
        "No, it's Bergen.",
        {"home=Bergen", "employer=Meta"},
    ),
    ("We decided to use MySQL.", "No, it's Postgres.", {"database=use Postgres"}),
    ("The gate code is 1199.", "No, 1198.", {"1198"}),
    ("我住在奥斯陆", "不对，是卑尔根", {"home=卑尔根"}),
    ("我住在北京", "不对，上海", {"home=上海"}),
    ("我在腾讯工作", "不对，是阿里", {"employer=阿里"}),
    ("我叫李雷", "不对，是李磊", {"name=李磊"}),
]


@pytest.mark.spec("C4")
@pytest.mark.parametrize(("said", "then", "stand"), BRIEF)
def test_a_value_alone_corrects_what_was_said_last(
    tmp_path: Path, said: str, then: str, stand: set[str]
) -> None:
    """Whatever kind of statement it was, and whether or not it was to be remembered."""
    assert stand == standing(tmp_path, said, then)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    "then",
    [
        "No, it's fine.",
        "No, actually great.",
        "Actually, Bob called.",
        "不是她，而是他",
        "No, Ann.",
        "No, it's Ann.",
        "No, it's Monday.",
        "No, it's Google.",
        "不对，是周一",
        "不对，是李雷",
    ],
)
def test_a_remark_is_no_new_value(tmp_path: Path, then: str) -> None:
    """It says nothing of what was said before."""
    assert {"home=Oslo"} == standing(tmp_path, "I live in Oslo.", then)


@pytest.mark.spec("C4")
def test_an_answer_corrects_nothing(tmp_path: Path) -> None:
    """What the assistant asked about is what a value alone belongs to."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("I live in Oslo."), assistant("Do you write Java?")])
        brain.commit_turn("s", [user("No, actually Python.")])
        (stands,) = brain.memories.list("profile").items
    assert [{"k": "home", "v": "Oslo"}] == plain_facts(stands)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("asked", "then", "stands"),
    [
        ("So you live in Oslo?", "No, it's Bergen.", "Bergen"),
        ("Where is the meeting?", "No idea. Sorry, it's Bergen.", "Oslo"),
    ],
)
def test_an_answer_is_about_what_was_asked(
    tmp_path: Path, asked: str, then: str, stands: str
) -> None:
    """It corrects what the question names."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("I live in Oslo."), assistant(asked)])
        brain.commit_turn("s", [user(then)])
        (profile,) = brain.memories.list("profile").items
    assert [{"k": "home", "v": stands}] == plain_facts(profile)


NOT_THAT = [
    ("We decided to use Kafka.", "Let's not go with Kafka.", set()),
    ("Let's go with Kafka.", "Let’s not use Kafka.", set()),
    ("Let's go with Kafka.", "Let us not use Kafka after all.", set()),
    ("Let's go with Kafka.", "We're not going with Kafka.", set()),
    ("我们决定用 Kafka", "不用 Kafka 了", set()),
    ("我用 vim", "不用 vim 了", set()),
    ("我用 vim", "不用 emacs 了", {"editor=vim"}),
    ("我们决定用 Kafka", "咱们别用 Kafka 了", set()),
    ("我们决定用 Kafka", "还是别用 Kafka 了吧", set()),
    ("Let's go with RabbitMQ.", "Let's not go with Kafka.", {"message_queue=RabbitMQ"}),
    ("我们决定用 RabbitMQ", "还是别用 Kafka 了", {"message_queue=用 RabbitMQ"}),
    (
        "Let's go with Kafka.",
        "Let's not go with Kafka, let's use RabbitMQ.",
        {"message_queue=RabbitMQ"},
    ),
    ("Let's go with Kafka.", "Let's not go out tonight.", {"message_queue=Kafka"}),
]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("said", "then", "stand"), NOT_THAT)
@pytest.mark.parametrize("between", [(), ("Thanks 谢谢",)], ids=["at_once", "later"])
def test_what_is_not_to_be_used_is_not_decided_for(
    tmp_path: Path, said: str, then: str, stand: set[str], between: tuple[str, ...]
) -> None:
    """A decision for it is taken back, and one for something else stands."""
    assert stand == standing(tmp_path, said, *between, then)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "said", ["Let's not go with Kafka.", "我们别用 Kafka 了", "别用 Kafka", "Let's not use tabs."]
)
def test_a_choice_against_something_decides_nothing(tmp_path: Path, said: str) -> None:
    """Nothing stands of it."""
    assert set() == standing(tmp_path, said)


NAMES = [
    ("我女儿叫小雨", "我女儿不叫小雨，叫小雪", {"小雪"}),
    ("我女儿叫小雨", "我女儿不是叫小雨，是叫小雪", {"小雪"}),
    ("我女儿叫小雨", "我女儿不叫小雨，应该叫小雪", {"小雪"}),
    ("我的猫叫咪咪", "我的猫不叫咪咪，叫团子", {"团子"}),
    ("My daughter is called Ann.", "My daughter isn't called Ann, she's called Zoe.", {"Zoe"}),
    ("我儿子叫小明", "我女儿不叫小雨，叫小雪", {"小明", "小雪"}),
    ("I'm vegetarian.", "Actually, I'm vegan.", {"diet=vegan"}),
    ("I'm vegan.", "I'm pescatarian now.", {"diet=pescatarian"}),
    ("我吃素", "其实我吃纯素", {"diet=吃纯素"}),
    ("我不能吃海鲜", "我吃素", {"diet=不能吃海鲜", "diet=吃素"}),
]


@pytest.mark.spec("C4")
@pytest.mark.parametrize(("said", "then", "stand"), NAMES)
def test_another_name_or_way_to_eat_takes_the_place_of_the_first(
    tmp_path: Path, said: str, then: str, stand: set[str]
) -> None:
    """Of a child, a pet or the user; what somebody else is called stays."""
    assert stand == standing(tmp_path, said, then)


TO_FORGET = [
    ("服务器密码是abc", "忘掉服务器密码", set()),
    ("服务器密码是abc", "把服务器密码忘了吧", set()),
    ("服务器密码是abc", "请忘记我的服务器密码", set()),
    ("服务器密码是abc", "我忘了服务器密码", {"abc"}),
    ("服务器密码是abc", "别忘了服务器密码", {"abc"}),
    ("服务器密码是abc", "忘记服务器密码了", {"abc"}),
    ("服务器密码是abc", "忘掉门禁密码", {"abc"}),
    ("我喜欢蓝色", "忘掉我喜欢蓝色这件事", set()),
    ("我喜欢蓝色", "忘掉我喜欢红色这件事", {"蓝色=蓝色"}),
    ("我住在北京", "别记我住在北京", set()),
    ("我住在北京", "忘记我的住址", set()),
    ("我住在北京，我在腾讯工作", "忘了我住哪儿吧", {"employer=腾讯"}),
    ("我的生日是5月3日", "请忘掉我的生日", set()),
    ("我的生日是5月3日", "你忘了我的生日", {"birthday=5月3日"}),
    ("我要买牛奶", "忘了买牛奶", {"买牛奶"}),
    ("I live in Rome", "Please forget that I live in Rome", set()),
    ("I live in Rome and work at Meta", "Forget where I live.", {"employer=Meta"}),
    ("I live in Rome", "Could you forget my address?", set()),
    ("My birthday is May 3", "Please forget my birthday", set()),
    ("I like blue", "Forget that I like blue", set()),
    ("The gate code is 1234", "Please don't remember the gate code", set()),
    ("The gate code is 1234", "I forgot the gate code", {"1234"}),
    ("The gate code is 1234", "Don't forget the gate code", {"1234"}),
    ("The gate code is 1234", "Forget the wifi password", {"1234"}),
    ("The meeting is on May 30", "Forget the meeting", set()),
    ("The launch is on May 30", "The launch has been called off", set()),
    ("发布会定在5月30日", "发布会取消了", set()),
    ("The launch is on May 30", "The subscription is cancelled", {"launch"}),
    ("The launch is on May 30", "The launch on May 29 is cancelled", {"launch"}),
]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("said", "then", "stand"), TO_FORGET)
@pytest.mark.parametrize("session", ["s", "other"])
def test_what_is_to_be_forgotten_goes(
    tmp_path: Path, said: str, then: str, stand: set[str], session: str
) -> None:
    """Wherever it was said; who has forgotten something, or must not, asks for nothing."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(said)])
        brain.commit_turn(session, [user(then)])
        found = [one for kind in KINDS for one in brain.memories.list(kind).items]
    assert stand == {told for one in found for told in values(dict(one.value))}


@pytest.mark.spec("C4", "C5")
@pytest.mark.parametrize(
    ("told", "then"),
    [
        (["The gate code is 1234", "The gate code is 5678"], "Forget the gate code"),
        (["门禁密码是1234", "门禁密码是5678"], "忘掉门禁密码"),
    ],
)
def test_nothing_is_left_in_dispute_of_what_is_forgotten(
    tmp_path: Path, told: list[str], then: str
) -> None:
    """Neither what stood nor what disputed it."""
    with fake_brain(tmp_path) as brain:
        for one in (*told, then):
            brain.commit_turn("s", [user(one)])
        found = brain.memories.list("facts", status=None).items
    assert ["retracted"] * 2 == [one.status.value for one in found]


@pytest.mark.spec("C4")
@pytest.mark.parametrize("said", ["Forget the wifi password", "忘掉门禁密码", "忘记我的住址"])
def test_what_is_to_be_forgotten_and_is_not_known_is_told(tmp_path: Path, said: str) -> None:
    """With a code and a sentence."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(said)])
    (told,) = [one for one in result.explain.retention if one.code == "nothing_to_retract"]
    assert told.reason.startswith("nothing that is remembered is what it asks to forget")
