"""The words of the ontology: relations, questions, and phrases in long texts.

In: subjects and questions as people type them in Chinese and English. Out: who somebody is to the
user, and which attributes are asked about, in a time that grows with the text alone.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from smartbrain.text.ontology import Ontology, PhraseIndex, load_ontology

BIG = 100_000


@pytest.fixture
def ontology() -> Ontology:
    """Return the ontology of the package."""
    return load_ontology()


# --- relations --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("my daughter Nora", ("child", "Nora")),
        ("my daughter", ("child", "")),
        ("我女儿朵朵", ("child", "朵朵")),
        ("我女儿小宝", ("child", "小宝")),
        ("闺女", ("child", "")),
        ("the kid", ("child", "")),
        ("小女儿", ("child", "")),
        ("my little girl", ("child", "")),
        ("Nora, my daughter", ("child", "Nora")),
        ("朵朵（我女儿）", ("child", "朵朵")),
        ("my daughter nora", ("child", "nora")),
        ("我老婆叫小美", ("partner", "小美")),
        ("my wife", ("partner", "")),
        ("our dog Buddy", ("pet", "Buddy")),
        ("我家猫咪", ("pet", "")),
        ("my older sister Ann", ("sibling", "Ann")),
        ("二姐", ("sibling", "")),
        ("我妈", ("parent", "")),
        ("Mum", ("parent", "")),
        ("my boss Kim", ("manager", "Kim")),
        ("my manager 老王", ("manager", "老王")),
        ("房东", ("landlord", "")),
        ("my best friend", ("friend", "")),
        ("my ex-wife", ("relative", "")),
        ("me", ("self", "")),
        ("我", ("self", "")),
        ("the user", ("self", "")),
        ("the Apollo project", ("project", "Apollo")),
        ("阿波罗项目", ("project", "阿波罗")),
        ("the staging server", ("thing", "staging server")),
        ("my car", ("thing", "car")),
        ("测试环境", ("thing", "测试环境")),
        ("my daughter's teacher", None),
        ("my daughter’s school", None),
        ("女儿的老师", None),
        ("女儿班主任", None),
        ("我朋友老婆", None),
        ("my wife and son", None),
        ("my friend from college", None),
        ("Nora", None),
        ("豆豆", None),
        ("", None),
    ],
)
def test_words_name_a_relation_and_a_name(
    ontology: Ontology, words: str, expected: tuple[str, str] | None
) -> None:
    """Whoever is somebody else's is not resolved."""
    assert expected == ontology.relation_of(words)


# --- questions --------------------------------------------------------------------------------

ASKED = {
    "which city am i in?": "home",
    "where do i live": "home",
    "remind me where i live": "home",
    "我现在住在哪个城市啊": "home",
    "我住哪": "home",
    "where am I from originally?": "hometown",
    "我老家哪的来着": "hometown",
    "how old is my daughter": "age",
    "我女儿几岁了": "age",
    "when's my mom's bday": "birthday",
    "生日是几号来着": "birthday",
    "who do I work for": "employer",
    "我在哪上班": "employer",
    "what do i do for a living?": "role",
    "我的职业": "role",
    "我是做什么工作的": "role",
    "what did I study": "education",
    "do i have any allergies": "allergy",
    "我对什么过敏来着": "allergy",
    "what can't I eat?": "diet",
    "which meds am i on": "medication",
    "what's my dog's name again": "pet",
    "what phone do i have": "phone",
    "我的手机号码是多少": "phone_number",
    "我的 email 是啥": "email",
    "what language should you answer in": "answer_language",
    "which editor do i use": "editor",
    "我用什么编辑器": "editor",
    "do i like window or aisle": "travel",
    "我喜欢吃什么": "food",
    "how do i take my coffee": "drink",
    "what should you call me": "address_me",
    "what port does staging use": "port",
    "测试环境端口多少": "port",
    "which branch are we on": "branch",
    "what's the wifi password": "credential",
    "wifi密码是多少": "credential",
    "who owns billing?": "owner",
    "支付那块谁负责": "owner",
    "what's the deadline for the report": "deadline",
    "什么时候截止": "deadline",
    "预算多少": "budget",
    "how much is the rent": "price",
    "几点开站会": "schedule",
    "what did we decide for the database": "database",
    "数据库选的啥": "database",
    "前端用的什么框架": "framework",
    "上次说的文档地址是啥": "url",
    "备用钥匙放哪了": "place",
    "I'm back from lunch. what's my salary": "money",
}


@pytest.mark.parametrize(("text", "expected"), ASKED.items())
def test_a_question_asks_about_attributes(ontology: Ontology, text: str, expected: str) -> None:
    """With and without a question mark, as people type."""
    assert expected in ontology.asked(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "what should i cook tonight?",
        "how do i reverse a list in python?",
        "今天天气怎么样",
        "I moved to Leeds. my address changed",
        "when i moved to Leeds my address changed",
        "我搬到沈阳了，地址发你",
        "我的工作压力很大怎么办",
        "my birthday is in May",
        "端口改成 8081 了",
        "that is a nice phone number",
    ],
)
def test_other_sentences_ask_about_none(ontology: Ontology, text: str) -> None:
    """Statements, and questions about the world."""
    assert ontology.asked(text) == ()


def test_several_attributes_are_asked_in_their_order(ontology: Ontology) -> None:
    """Of each sentence that asks."""
    asked = ontology.asked("我住哪？ My number changed. who's the owner of billing?")
    assert asked == ("home", "owner")


# --- phrases and time -------------------------------------------------------------------------


def test_phrases_are_found_whole_longest_first_and_across() -> None:
    """English by words, Chinese anywhere; what is inside another only on request."""
    index = PhraseIndex([("phone", 1), ("phone number", 2), ("手机", 3), ("手机号", 4), ("c++", 5)])
    text = "My Phone Number, 手机号 telephone phones c++"
    assert [hit.meanings for hit in index.find(text)] == [(2,), (4,), (5,)]
    assert {hit.meanings for hit in index.find_all(text)} == {(1,), (2,), (3,), (4,), (5,)}
    assert index.look_up(" PHONE ") == (1,)
    assert index.look_up("phones") == ()


@pytest.mark.parametrize(
    "unit", ["a ", "我住在北京", "我", "what ", "where do i ", "İ", "'s ", "?", "1. ", "a. "]
)
@pytest.mark.parametrize(
    "look",
    [
        lambda ontology, text: ontology.asked(text),
        lambda ontology, text: ontology.find_cues(text),
        lambda ontology, text: ontology.relation_of(text),
        lambda ontology, text: ontology.same_value("allergy", text, text + "egg"),
    ],
    ids=["asked", "find_cues", "relation_of", "same_value"],
)
def test_time_grows_with_the_text_alone(
    ontology: Ontology, look: Callable[[Ontology, str], object], unit: str
) -> None:
    """A hundred kilobytes of one thing take no more than a few seconds on any machine."""
    text = unit * (BIG // len(unit))
    started = process_time()
    look(ontology, text)
    assert process_time() - started < 5
