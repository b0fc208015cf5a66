"""Which tastes are found in everyday wording, and which remarks of a chat are none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from smartbrain.domain.builtin_types import Preferences
from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.preferences import find
from smartbrain.remember.extract.said import read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)


def found(text: str) -> list[Candidate]:
    """Return the preferences in a message of a user who has a name."""
    said = read_said(text, source=Source.USER, speaker="Marta", at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


SPOKEN: Final = (
    ("I find tables easier.", "pref:writing:format", "tables"),
    ("I find long emails hard to follow.", "pref:writing:long_emails", "not long emails"),
    ("I'd rather you didn't use emojis.", "pref:writing:emoji", "don't use emojis"),
    ("I'd rather walk than drive.", "pref:other:walk", "walk than drive"),
    ("I do all my writing in Scrivener.", "pref:tools:writing", "Scrivener"),
    ("I track my expenses in YNAB.", "pref:tools:expenses", "YNAB"),
    ("Tabs over spaces any day.", "pref:coding:indentation", "Tabs over spaces"),
    ("Give me tea over coffee any day.", "pref:other:tea", "tea over coffee"),
    ("Team dark mode all the way.", "pref:ui:theme", "dark mode"),
    ("I can't live without dark chocolate.", "pref:other:dark_chocolate", "dark chocolate"),
    ("I have a soft spot for old westerns.", "pref:other:old_westerns", "old westerns"),
    ("I'm a sucker for detective novels.", "pref:other:detective_novels", "detective novels"),
    ("Long meetings are a no-go for me.", "pref:other:long_meetings", "not Long meetings"),
    ("Country music isn't my cup of tea.", "pref:other:country_music", "not Country music"),
    ("Sushi is my comfort food.", "pref:other:sushi", "Sushi"),
    ("Phone calls stress me out.", "pref:other:phone_calls", "not Phone calls"),
    ("Short paragraphs work better for me.", "pref:writing:format", "Short paragraphs"),
    ("I focus better with music on.", "pref:other:way_of_working", "focus better with music on"),
    ("I take my coffee black.", "pref:other:coffee", "my coffee black"),
    ("I don't drink.", "pref:other:alcohol", "don't drink"),
    ("I steer clear of fried food.", "pref:other:fried_food", "not fried food"),
    ("When it comes to shells, fish is my go-to.", "pref:tools:shell", "fish"),
    ("My style is casual.", "pref:other:style", "casual"),
    ("I usually stay at hostels.", "pref:other:hotel", "stay at hostels"),
    ("I've always loved Japanese food.", "pref:other:japanese_food", "Japanese food"),
    ("I love opera.", "pref:other:opera", "opera"),
    ("That's why I love poetry - it calms me down.", "pref:other:poetry", "poetry"),
    ("I love books about trains and old bridges.", "pref:other:books_trains_old_bridges", None),
    ("I like to collect stamps from the fifties.", "pref:other:collect_stamps", None),
    ("口味偏清淡。", "pref:other:flavour", "口味偏清淡"),
    ("我喝奶茶从来不加珍珠。", None, "喝奶茶从来不加珍珠"),
    ("我出门必带耳机。", None, "出门必带耳机"),
    ("榴莲我是真的受不了。", "pref:other:榴莲", "榴莲我是真的受不了"),
    ("我对日料情有独钟。", "pref:other:日料", "日料"),
    ("我对甜食没什么兴趣。", "pref:other:甜食", "我对甜食没什么兴趣"),
    ("我一直是 emacs 党。", "pref:tools:editor", "emacs"),
    ("买电器我认准日本牌子。", "pref:other:日本牌子", "日本牌子"),
    ("我最烦别人已读不回。", None, "烦别人已读不回"),
    ("火锅是我的最爱。", "pref:other:火锅", "火锅"),
    ("Painting landscapes is my favorite!", None, "Painting landscapes"),
    ("Dance is my passion.", "pref:other:dance", "Dance"),
    ("I've always had a love for horses.", "pref:other:horses", "horses"),
    ("I'm passionate about jazz.", "pref:other:jazz", "jazz"),
    ("I've been into climbing since I was a kid.", "pref:other:climbing", "climbing"),
    ("I'm a fan of both jazz and folk.", None, "jazz and folk"),
    ("I love stories that teach a lesson.", None, "stories that teach a lesson"),
    ("I love experimenting in the kitchen.", None, "experimenting in the kitchen"),
    ("I enjoy curling up with a good book.", None, "curling up with a good book"),
    ("I usually play AB:CD.", None, "play AB:CD"),
    ("我一直热爱骑马。", "pref:other:骑马", "骑马"),
    ("我无辣不欢。", "pref:other:辣", "无辣不欢"),
    ("我平时看科幻片居多。", "pref:other:看科幻片", "看科幻片"),
    ("编辑器的话，我用 neovim。", "pref:tools:editor", "neovim"),
)

TOLD: Final = (
    ("Metric units only, please.", "pref:other:units"),
    ("British English in all my documents.", "pref:writing:spelling"),
    ("When you write code for me, add type hints.", "pref:coding:type_hints"),
    ("Spare me the disclaimers.", None),
    ("You don't need to apologize every time.", None),
    ("pls always answer in German", "pref:writing:answer_language"),
    *(
        (text, "pref:writing:apologies")
        for text in (
            "不要再道歉了",
            "别再道歉了。",
            "不用再道歉了",
            "请不要再跟我道歉",
            "Stop apologizing",
            "Please stop apologising.",
            "stop saying sorry",
            "Don't apologize any more",
        )
    ),
    *(
        (text, "pref:coding:code_explanations")
        for text in (
            "以后不用给我解释代码了",
            "以后不用解释代码了",
            "不需要再解释代码了",
            "stop explaining the code",
            "no need to explain the code any more",
            "You don't need to explain the code anymore.",
        )
    ),
    *(
        (text, "pref:writing:emoji")
        for text in ("别再用表情了", "别再发表情包了", "stop using emojis", "Stop with the emojis")
    ),
    ("不用再给我总结了", "pref:writing:总结"),
    ("Always double-check the numbers.", None),
    ("Keep it short.", "pref:writing:answer_length"),
    ("跟我沟通简单点就行。", "pref:writing:answer_length"),
    ("给我的数据请都用表格列出来。", "pref:writing:format"),
    ("你写的代码请都加上注释。", "pref:coding:comments"),
    ("不用每次都跟我道歉。", None),
)

CHAT: Final = (
    *("I love that idea!", "I love your work.", "I'm a big fan of yours.", "I love their album."),
    *("This one is my favorite!", "I love songs that you send me.", "这是我的。"),
    *("I like how you think.", "I love the way you painted it.", "I love to!", "I'm a huge fan!"),
    *("I love spending time with my family.", "I love helping others.", "I love a good challenge."),
    *("I enjoy your company.", "I like it when you smile.", "I love being a mom."),
    *("I love running my own studio.", "I'm keen on finding out more.", "I love Anna's paintings."),
    *("Never give up on your dreams.", "Always believe in yourself.", "Never saw that coming."),
    *("You can always talk to me.", "Whenever you need help, just let me know.", "Always calm."),
    *("Any time you need me, don't hesitate to reach out.", "Your kids must be so proud."),
    *("不要再下雨了吧", "别再说了哈哈", "别再堵车了", "别再闹了", "不要再加班了"),
    *("stop the server", "stop it", "stop raining", "stop talking", "no need to worry any more"),
    *(
        "Stop apologizing to him",
        "他让我别再道歉了",
        "别再道歉了，没事的",
        "no need to explain the code",
    ),
    *("You should always trust your instincts.", "Don't ever forget that people love you."),
    *("I want to take my game to the next level.", "I never want to go through this again."),
    *("I'd like to share some of it in my own posts.", "I'd rather stay home tonight."),
    *("I'd rather you didn't tell her.", "My favorite part was the ending.", "He's my favourite."),
    *("My favourite is the cake - I had it after the show.", "That's a no-go for me."),
    *("This drives me crazy.", "It works for me.", "I find her annoying.", "Pizza for me, please."),
    *("Nothing beats spending time with loved ones.", "I can't live without you."),
    *(
        "I prefer the red one.",
        "When you finish the report, send it to me.",
        "Two coffees, please.",
    ),
    *("My style is evolving.", "I usually play with my dog.", "You don't need to apologize."),
    *("我最烦他了。", "我对这个没兴趣。", "跟我说说你的想法。", "给我的感觉都是假的。"),
    *("这个我受不了。", "我是学生党。", "他口味偏淡。", "这家店口味不错。", "我吃得很饱。"),
    *("这是我的首选。", "我做梦都想去。", "有空的话，我喜欢去看看。"),
)

ONCE: Final = (
    "Write a poem. Keep it short.",
    "What is the capital of Peru? Answer in Spanish.",
    "Draft a tweet about our launch. No emojis, please.",
    "帮我写一首诗。用英文回复。",
)


@pytest.mark.spec("C1", "C6", "M1", "M2")
@pytest.mark.parametrize(("text", "key", "value"), SPOKEN)
def test_a_taste_is_found_in_everyday_wording(text: str, key: str | None, value: str) -> None:
    """One candidate with a short key of its thing and a value without asides."""
    (one,) = found(text)
    made = Preferences().key_of(one.value)

    if key:
        assert key == made
    if value:
        assert value == one.value["value"]
    Preferences().complete(made, one.value)
    assert len(one.value["name"].split("_")) <= 5


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(("text", "key"), TOLD)
def test_a_brief_instruction_is_found(text: str, key: str | None) -> None:
    """It lasts although no word says so, for it is about every answer."""
    (one,) = found(text)
    made = Preferences().key_of(one.value)

    if key:
        assert key == made
    Preferences().complete(made, one.value)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("text", CHAT)
def test_a_remark_in_a_chat_is_no_preference(text: str) -> None:
    """Compliments, advice to a friend, offers, ideas, people and moments are passing."""
    assert [] == found(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("text", ONCE)
def test_an_instruction_beside_a_request_is_for_that_request(text: str) -> None:
    """How one poem is to be says nothing about later answers."""
    assert [] == found(text)


@pytest.mark.spec("C6")
def test_an_aside_is_no_part_of_the_text() -> None:
    """What follows a dash, and the words that led there, are left out."""
    (one,) = found("That's why I love pottery - the colours are awesome.")

    assert "I love pottery" == one.text
    assert "I love pottery" == one.text

    (one,) = found("I'm passionate about jazz and it makes me happy.")

    assert "I'm passionate about jazz" == one.text


@pytest.mark.spec("C6", "M1")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("以后都用中文回复我，代码注释用英文",
         {"answer_language": "都用中文回复我", "comments_language": "代码注释用英文"}),
        ("以后回复用中文，不要用表情", {"answer_language": "回复用中文", "emoji": "不要用表情"}),
        ("Always reply in English, code comments in Chinese.",
         {"answer_language": "Always reply in English",
          "comments_language": "code comments in Chinese"}),
        ("From now on, when you answer, use bullet points, no emojis.",
         {"format": "when you answer, use bullet points", "emoji": "no emojis"}),
        ("Never use tabs, use spaces.", {"indentation": "Never use tabs, use spaces"}),
        ("以后不要用表格，用列表", {"format": "不要用表格，用列表"}),
        ("In all TypeScript code you write for me, never use `any`.",
         {"type_hints": "In all TypeScript code you write for me, never use `any`"}),
    ],
)  # fmt: skip
def test_orders_about_two_matters_are_two(text: str, told: dict[str, str]) -> None:
    """Each has its own words; what says more of the same matter belongs to it."""
    assert told == {one.value["name"]: one.value["value"] for one in found(text)}


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I don't like tabs, use spaces.", {"indentation": "spaces"}),
        ("I hate light mode, please use dark mode instead.", {"theme": "dark mode"}),
        ("我讨厌浅色主题，用深色主题", {"theme": "深色主题"}),
        ("I don't like mornings, use an alarm.", {"mornings": "not mornings"}),
        ("其实我现在挺喜欢香菜的", {"香菜": "香菜"}),
        ("我比较喜欢红色的", {"红色的": "红色的"}),
    ],
)
def test_a_dislike_with_what_to_use_instead_is_that(text: str, told: dict[str, str]) -> None:
    """It is of the same matter; words that only soften are no part of a thing."""
    written = [one for one in found(text) if one.action is CandidateAction.WRITE]
    assert told == {one.value["name"]: one.value["value"] for one in written}
