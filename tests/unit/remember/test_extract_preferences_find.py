"""Which tastes, habits and standing instructions are found in what the user says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from smartbrain.domain.builtin_types import Preferences
from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.preferences import find
from smartbrain.remember.extract.said import read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return the preferences in a message."""
    said = read_said(text, source=source, speaker=source.value, at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


TASTES: Final = (
    ("I use zsh.", "pref:tools:shell", "zsh"),
    ("我平时用 zsh。", "pref:tools:shell", "zsh"),
    ("我编辑器用 vim", "pref:tools:editor", "vim"),
    ("我 IDE 用 PyCharm。", "pref:tools:editor", "PyCharm"),
    ("我浏览器用 Firefox", "pref:tools:browser", "Firefox"),
    ("我的主力语言是 Go", "pref:coding:language", "Go"),
    ("I usually use Firefox.", "pref:tools:browser", "Firefox"),
    ("我的浏览器一直是 Firefox。", "pref:tools:browser", "Firefox"),
    ("我用 VS Code 写代码。", "pref:tools:editor", "VS Code"),
    ("我现在用 emacs。", "pref:tools:editor", "emacs"),
    ("我如今用 VS Code 写代码。", "pref:tools:editor", "VS Code"),
    ("我电脑上目前用 Firefox 浏览器。", "pref:tools:browser", "Firefox"),
    ("我现在在用 Neovim 了。", "pref:tools:editor", "Neovim"),
    ("我现在用的是搜狗输入法。", "pref:tools:keyboard", "搜狗输入法"),
    ("我以前用 vim，现在用 emacs。", "pref:tools:editor", "emacs"),
    ("My go-to editor is Helix.", "pref:tools:editor", "Helix"),
    ("I write all my notes in Logseq.", "pref:tools:notes", "Logseq"),
    ("我记笔记一直用 Notion。", "pref:tools:notes", "Notion"),
    ("I code in Rust mostly.", "pref:coding:language", "Rust"),
    ("I'm a Linux user.", "pref:tools:os", "Linux"),
    ("我 always 用 tabs。", "pref:coding:indentation", "tabs"),
    ("我 prefer dark mode。", "pref:ui:theme", "dark mode"),
    ("我习惯用暗色主题。", "pref:ui:theme", "暗色主题"),
    ("For emails, I prefer a formal tone.", "pref:writing:tone", "a formal tone"),
    ("I prefer window seats when I fly.", "pref:other:seat", "window seats when I fly"),
    (
        "I don't take meetings before 10.",
        "pref:other:meeting_time",
        "don't take meetings before 10",
    ),
    ("I love jazz.", "pref:other:jazz", "jazz"),
    ("I hate cilantro.", "pref:other:cilantro", "not cilantro"),
    ("I'm not a fan of spicy food.", "pref:other:spicy_food", "not spicy food"),
    ("我不喜欢香菜。", "pref:other:香菜", "不喜欢香菜"),
    ("我从来不喝酒。", "pref:other:喝酒", "不喝酒"),
    ("我自己更爱喝龙井，同事爱喝咖啡。", "pref:other:喝龙井", "喝龙井"),
    ("My favourite color is green.", "pref:other:favourite_color", "green"),
    ("我最喜欢的颜色是蓝色。", "pref:other:favourite_color", "蓝色"),
    ("My sister loves mornings, but I prefer working at night.", None, "working at night"),
    ("I've always preferred trains to planes.", "pref:other:transport", "trains to planes"),
    ("I want all prices in euros, always.", "pref:other:currency", "all prices in euros"),
)

INSTRUCTIONS: Final = (
    ("Never deploy on Fridays.", "pref:coding:deploy_fridays", "Never deploy on Fridays"),
    ("From now on, use snake_case.", "pref:coding:naming", "use snake_case"),
    ("Please don't use emojis anymore.", "pref:writing:emoji", "don't use emojis anymore"),
    ("别再用表情符号了。", "pref:writing:emoji", "别再用表情符号了"),
    ("Answer in Spanish, please.", "pref:writing:answer_language", "Answer in Spanish, please"),
    ("请用英文回复我。", "pref:writing:answer_language", "用英文回复我"),
    ("Could you always reply in French?", "pref:writing:answer_language", "always reply in French"),
    ("能不能以后都用表格回复我？", "pref:writing:format", "都用表格回复我"),
    ("以后都用中文回答。", "pref:writing:answer_language", "都用中文回答"),
    ("以后代码注释都用英文。", "pref:coding:comments_language", "代码注释都用英文"),
    (
        "From now on write code comments in English.",
        "pref:coding:comments_language",
        "write code comments in English",
    ),
    (
        "以后commit message都用English。",
        "pref:coding:commit_language",
        "commit message都用English",
    ),
    ("以后文档用英文写。", "pref:writing:document_language", "文档用英文写"),
    ("以后邮件都用英文写。", "pref:writing:mail_language", "邮件都用英文写"),
    ("以后周报都用英文写。", "pref:writing:周报_用英文写", "周报都用英文写"),
    ("Keep your answers short.", "pref:writing:answer_length", "Keep your answers short"),
    ("以后回答请简短一点。", "pref:writing:answer_length", "回答请简短一点"),
    ("Please call me Sam.", "pref:other:name_to_use", "Sam"),
    ("I switched to Neovim.", "pref:tools:editor", "Neovim"),
    ("Don't touch src/legacy.", "pref:other:touch_src_legacy", "Don't touch src/legacy"),
    ("不要动 src/legacy 目录。", None, "不要动 src/legacy 目录"),
    ("不要直接往 main 提交。", None, "不要直接往 main 提交"),
    ("不要用表情符号。", "pref:writing:emoji", "不要用表情符号"),
    ("I've just switched from VS Code to Neovim, it's fast.", "pref:tools:editor", "Neovim"),
    ("我现在改用 Neovim 了。", "pref:tools:editor", "Neovim"),
    ("我从 Chrome 换到 Firefox 了。", "pref:tools:browser", "Firefox"),
    ("以后叫我老王就行。", "pref:other:name_to_use", "老王"),
    ("Don't call me before 9am.", "pref:other:meeting_time", "Don't call me before 9am"),
    ("Never call me at work.", "pref:other:call_at_work", "Never call me at work"),
    ("以后早上别叫我起床。", "pref:other:早上_叫_起床", "早上别叫我起床"),
    ("Don't call me buddy.", "pref:other:name_to_avoid_buddy", "Don't call me buddy"),
    ("单位一律用公制。", "pref:other:units", "单位一律用公制"),
    ("Use Celsius whenever you give me temperatures.", "pref:other:units", None),
    ("每次提交前先跑测试。", "pref:coding:提交前先跑测试", "每次提交前先跑测试"),
    ("周五永远不要部署。", "pref:coding:周五_部署", "周五永远不要部署"),
    ("帮我订机票时优先选靠窗的。", "pref:other:seat", "帮我订机票时优先选靠窗的"),
    ("所有代码示例都用 TypeScript 写。", "pref:coding:language", None),
    ("请 always 用 metric 单位。", "pref:other:units", "always 用 metric 单位"),
    ("If you're not sure, always ask me first.", None, "If you're not sure, always ask me first"),
    ("没有我的同意不要删文件。", None, "没有我的同意不要删文件"),
    ("Don't delete anything without asking me.", None, "Don't delete anything without asking me"),
    ("Stop recommending Netflix shows to me.", None, "Stop recommending Netflix shows to me"),
    ("翻译的时候专有名词保留英文，以后都这样。", None, None),
)

NONE: Final = (
    *("I like this answer.", "I love it!", "I love how you explained that.", "I love you."),
    *("I like the second one better.", "I hate Mondays.", "I'd like a table for two."),
    *("喜欢这个笑话。", "我喜欢你的回答。", "我太喜欢了！", "我更喜欢第二个方案。", "我讨厌下雨。"),
    *("My sister loves tea.", "Everyone loves pizza.", "我女朋友不吃辣。", "我爸喜欢钓鱼。"),
    *("Do you like jazz?", "Should I always use tabs?", "你喜欢喝茶吗？", "我是不是总用错词？"),
    *("If I liked tea, I would buy some.", "比如我喜欢喝茶，你会推荐什么。", "I might like tea."),
    *("Oh sure, I just love waiting in line.", "呵呵，我可太喜欢开会了。"),
    *("Make it shorter.", "Translate this into French.", "Use Python for this one.", "写短一点。"),
    *("用英文回答这个问题。", "请用表格总结这篇文章。", "Answer in one word: yes or no?"),
    *("It always crashes when I open it.", "Never mind.", "Always a pleasure.", "每次打开都报错。"),
    *("Explain why it crashes every time I open it.", "Write a story set in the future."),
    *("以后再说吧。", "以后我要早睡早起。", "公司以后都不发年终奖了。", "老板说以后都要打卡。"),
    *("我编辑器用得不好", "我编辑器用 vim 报错了"),
    *("I switched to Chrome and reproduced the bug.", "我切到 Chrome 了，还是报错。"),
    *("我又看错了，重新开始。", "I started reading the report again.", "我又吃多了。"),
    *("Don't edit README.md yet.", "先别改 src/app.py。", "Don't change the subject.", "别动。"),
    *("别再说了。", "Stop it!", "Call me tomorrow.", "妈妈叫我吃饭了。", "好，以后都这么办。"),
    *("I use this function to parse dates.", "我用 Python 写了个脚本。", "I no longer use Opera."),
    *("我现在用 emacs 打开这个文件。", "我现在用手机发消息。", "我同事现在用 emacs。"),
    *("他以前用 vim，现在用 emacs。", "我现在用 emacs 还是报错。", "我现在用 emacs 吗？"),
    *("The docs say you should always close the file.", "歌词里说我永远爱你。", ""),
)


@pytest.mark.spec("C1", "C6", "M1")
@pytest.mark.parametrize(("text", "key", "value"), [*TASTES, *INSTRUCTIONS])
def test_a_lasting_preference_is_found(text: str, key: str | None, value: str | None) -> None:
    """One candidate with a valid value, a key that is the same in both languages, and its place."""
    one, *_ = found(text)
    made = Preferences().key_of(one.value)

    assert "preferences" == one.type
    assert one.confidence >= 0.8
    if key:
        assert key == made
    if value:
        assert value == one.value["value"]
    Preferences().complete(made, one.value)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("text", NONE)
def test_what_does_not_last_is_no_preference(text: str) -> None:
    """Moods of the moment, others' tastes, questions, conditions, irony and one-off requests."""
    assert [] == found(text)


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize("text", ["I prefer dark mode.", "以后都用中文回答。"])
def test_an_assistant_states_no_preference(text: str) -> None:
    """What the assistant says about likings is never the user's preference."""
    assert [] == found(text, Source.ASSISTANT)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Nice. I'm a nurse, and I prefer short answers.", "and I prefer short answers"),
        ("天气不错。我是护士，以后请用表格。", "以后请用表格"),
        ("In my drafts, never use dashes. Thanks!", "In my drafts, never use dashes"),
    ],
)
def test_a_preference_claims_only_its_own_words(text: str, words: str) -> None:
    """Its place in the message is that of the clauses that say it."""
    (one,) = found(text)

    assert words == text[one.offset : one.offset + one.length].rstrip(".。!")


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("I love sushi but hate mayonnaise.", ["sushi", "not mayonnaise"]),
        ("我喜欢喝茶，不喜欢可乐。", ["喝茶", "不喜欢可乐"]),
        ("我一般坐高铁，不喜欢坐飞机。", ["坐高铁"]),
    ],
)
def test_several_tastes_in_one_sentence_are_kept_apart(text: str, values: list[str]) -> None:
    """Each has a candidate of its own unless they would go by one key."""
    assert values == [one.value["value"] for one in found(text)]
