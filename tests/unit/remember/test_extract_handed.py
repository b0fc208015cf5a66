"""Text that is handed over to be worked on, pasted or quoted states nothing in the user's name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Final

import pytest

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.find import find_stated
from smartbrain.remember.extract.said import read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)


def found(text: str, at: datetime = AT) -> list[Candidate]:
    """Return what a message of the user states."""
    return find_stated(read_said(text, source=Source.USER, speaker="user", at=at))


def values(text: str) -> list[str]:
    """Return the words of what a message states."""
    return [str(one.value) for one in found(text)]


HANDED: Final = (
    "Translate this to French: I live in Berlin. I work at Siemens.",
    "Translate: I live in Berlin",
    "Could you please proofread the following paragraph:\n\nI decided to leave.\n\nI live in Oslo.",
    "Summarize this: We decided to use Postgres.",
    "Can you translate this into Chinese?\n\nI live in Berlin",
    "Reply to this email: I need to send the report by Friday.",
    "Reply to Bob: I decided to leave",
    "Explain this: we decided to use Redis",
    "Please review this paragraph: I decided to use Redis",
    "Here's the email I got: I live in Lyon and I need to call you tomorrow",
    "I live in Berlin.\n\nPlease translate the above into French.",
    "翻译一下:我住在东京",
    "帮我翻译一下\n我住在东京",
    "帮我润色：我决定离开公司。我住在上海。",
    "请总结一下：我们决定用Postgres",
    "帮我修改一下这封信：我住在上海",
    "请检查一下：我决定离开公司",
    "解释一下这句话：我决定用Redis做缓存",
    "回复这封邮件：您好，我住在上海",
    "以下是客户的邮件：我住在上海，我们决定用Redis",
    "我住在东京。请把上面的话翻译成英文",
    "我住在东京用英语怎么说",
    "这个字怎么写？\n我住在东京用英语怎么说？",
    "Could you translate this:          \n\nI live in Oslo",
    "我住在东京，在腾讯工作，翻译成英文",
    "帮我把下面这段话translate成English: I live in Berlin",
    "请把这段翻译成English：I work at Siemens，我住在柏林",
)

PASTED: Final = (
    "Alice: I work at Netflix\nBob: cool",
    "Alice (10:32): we decided to use Kafka\nBob: I need to call mom tomorrow",
    "Customer: I live in Lyon\nSupport: thank you",
    "小明：我住在东京",
    "张三: 我在腾讯工作\n李四: 我也是，我住在深圳",
    "客户：我住在上海\n我：好的",
    "王小明：我住在上海",
    "张经理：我决定离开公司",
    "Alice: 我住在上海\nBob: I live in Oslo",
    "From: ann@example.com\nSubject: plans\n\nI need to call mom tomorrow. I live in Oslo.",
    "发件人：张三\n主题：搬家\n\n我住在深圳，我决定辞职。",
    "Dear Bob,\n\nI decided to leave the company.\n\nBest regards,\nAnn",
    "尊敬的王经理：\n\n我决定辞职。\n\n此致\n敬礼",
    "On Mon, 2 Mar 2026, Ann wrote:\nI live in Oslo.",
)

QUOTED: Final = (
    '"I work at Apple" is what he told me',
    "「我住在大阪」是什么意思",
    "“我在苹果上班”",
    "In the film he says 'I decided to leave'",
    "The sign said ‘I’m moving to Berlin’ in red",
    "翻译「我住在东京」",
    "'I live in Oslo' 用中文怎么说",
    'I work at "Apple',
    "我住在「大阪",
)

ASKED_FOR: Final = (
    "Write a story where the hero says: I live in Paris and I hate cats",
    "Write a short story where I live in Paris and work at Meta",
    "Could you write me a poem in which the sailor says I live in Oslo",
    "给我编一个故事，主角说：我住在火星，我喜欢吃石头",
    "帮我写一首诗：我住在月亮上",
    "Role play: I am the king of France. I live in Versailles.",
    "Let's do a role-play. I'm a nurse. I live in Rome.",
    "Pretend I am a doctor. I work at Mercy Hospital.",
    "角色扮演：我是国王。我住在凡尔赛。",
    "假装我是医生。我在协和医院工作。",
    "Example: I live in Paris. Translate it.",
    "例句：我住在上海。",
    "Is this sentence correct: I am a student, I live in Paris",
    "How do you say: I live in Paris",
    "这句话对吗：我是学生，我住在学校",
    "这个句子通顺吗？\n我住在学校",
    "以一个老师的口吻写：我在北京工作十年了",
    "In the voice of a teacher: I live in Paris and I hate cats",
    "帮我写一封邮件给客户：\n尊敬的王总，我们决定将交付日期推迟到5月1日。我是项目经理李明，以后都请联系我。",
    "Draft a tweet: We just released v3.0 yesterday!",
    "Write an email to Bob: I decided to leave. I live in Oslo.",
    "客户说他在腾讯工作，预算是50万",
    "Our client said he works at Tencent, and the budget is 500k",
)

OWN: Final = (
    ("I live in Oslo. Write a story about a king.", "Oslo"),
    ("Write a story about a king. I live in Oslo.", "Oslo"),
    ("我住在上海。给我编一个故事", "上海"),
    ("给我讲个笑话。我住在上海", "上海"),
    ("Draft a tweet: We released v3! By the way, I live in Oslo.", "Oslo"),
    ("Draft a tweet: We released v3!\n\nI live in Oslo.", "Oslo"),
    ("帮我写一条微博：今天真热。\n\n我住在上海。", "上海"),
    ("Write a cover letter: I'm a nurse and I live in Oslo", "Oslo"),
    ("写一份自我介绍：我是护士，住在上海", "上海"),
    ("客户说预算是50万，我们决定用Postgres", "Postgres"),
    ("The client said the budget is 500k, so we decided to use Postgres", "Postgres"),
    ("To summarize: we decided to use Postgres", "Postgres"),
    ("总结一下:我们决定用Postgres", "Postgres"),
    ("Translate this: good morning\n\nBy the way, I live in Oslo.", "Oslo"),
    ("翻译一下：早上好\n另外，我住在东京。", "东京"),
    ("Explain this:\n```\nx = 1\n```\nI live in Oslo.", "Oslo"),
    ("翻译一下「早上好」。我住在东京", "东京"),
    ("I live in Berlin. Can you translate this: good morning", "Berlin"),
    ("帮我分析一下:我住在上海，想换工作", "上海"),
    ("Me: I work at Apple\nBob: nice, I work at Netflix", "Apple"),
    ("Friday: I need to call mom", "call mom"),
    ("Location: I live in Berlin\nJob: I work at Google", "Google"),
    ("Can you summarize this week?\nI live in Oslo", "Oslo"),
    ("周报：我住在上海", "上海"),
    ("From: Berlin\nTo: Paris\nI need to book the train", "book the train"),
    ("帮我改一下地址：我住在上海", "上海"),
    ("Answer this: I live in Oslo, do I need a visa?", "Oslo"),
    ('He said "no!" I work at "Apple" now', "Apple"),
    ("我最喜欢的游戏是“我的世界”", "我的世界"),
)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("text", [*HANDED, *PASTED, *QUOTED, *ASKED_FOR])
def test_words_of_others_are_not_the_users_own(text: str) -> None:
    """What is translated, pasted or quoted states nothing about the user."""
    assert [] == values(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(("text", "words"), OWN)
def test_own_words_beside_handed_ones_are_read(text: str, words: str) -> None:
    """What the user says beside a request, a block or another speaker is read."""
    assert any(words in value for value in values(text)), values(text)
    assert not any("Netflix" in value for value in values(text))


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("opening", ["Summarize this:\n", "帮我总结一下：\n"])
def test_a_very_long_text_stays_handed_over_to_its_end(opening: str) -> None:
    """The end of a long text is part of what was handed over at its beginning."""
    text = opening + "It was a long day at sea. " * 2_000 + "\nI live in Oslo. 我住在东京。"
    assert [] == values(text)


@pytest.mark.spec("C6", "C7")
@pytest.mark.parametrize("text", ["I need to call mom tomorrow", "我明天要给妈妈打电话"])
def test_one_instant_is_another_day_in_another_zone(text: str) -> None:
    """The same words at the same instant are due by the calendar of where they are said."""
    late = datetime(2026, 3, 11, 23, tzinfo=UTC)
    early = late.astimezone(timezone(timedelta(hours=8)))
    days = [[one.value["due"] for one in found(text, at)] for at in (late, early, late)]
    assert [["2026-03-12"], ["2026-03-13"], ["2026-03-12"]] == days
