"""Other words for what a message names, in the same and in the other language."""

from __future__ import annotations

import pytest

from smartbrain.recall.synonyms import find_synonyms, translate_words


def other_words(text: str, said: str) -> tuple[str, ...]:
    """Return the words of the other language for something that a text names."""
    return next((one.other for one in find_synonyms(text) if one.said == said), ())


@pytest.mark.spec("R12")
@pytest.mark.parametrize(
    ("text", "said", "name"),
    [
        ("when is xiaoguo's last day", "xiaoguo", "小郭"),
        ("flights for Wenjing", "wenjing", "文静"),
        ("did Wang Xue reply", "wang xue", "王雪"),
        ("小郭最后一天是哪天", "小郭", "xiaoguo"),
        ("王雪推荐的那家餐厅", "王雪", "wang xue"),
    ],
)
def test_a_name_is_looked_for_by_its_sound(text: str, said: str, name: str) -> None:
    """A Chinese name may be told in Latin letters, and asked for in its characters."""
    assert name in other_words(text, said)


@pytest.mark.spec("R12")
def test_words_that_mean_something_are_no_names() -> None:
    """A word that has a group, or too few letters, is not taken for a name."""
    assert other_words("a panda and a woman", "panda") == ("熊猫",)
    assert other_words("some data", "data") != ("大塔",)
    assert other_words("小学和老师", "小学") == ("primary school", "elementary school")


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("text", "translated"),
    [
        ("狗的脚趾手术是几号", "dog toe surgery date"),
        ("fraser 的戒指上面是什么石头", "fraser ring stone"),
        ("what colour is the sofa", "什么颜色 沙发"),
        ("which school is Xiaoman going to", "学校 Xiaoman going"),
        ("", ""),
    ],
)
def test_a_message_is_put_into_the_other_language_word_by_word(text: str, translated: str) -> None:
    """The longest words come first, each with its likeliest meaning; names stay."""
    assert translated == translate_words(text)
