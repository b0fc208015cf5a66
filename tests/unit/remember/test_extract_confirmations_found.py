"""What the assistant proposes becomes a memory once the user agrees to it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.builtin_types import BUILTIN
from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.confirmations import find
from smartbrain.remember.extract.find import find_stated
from smartbrain.remember.extract.said import Earlier, read_said

AT = datetime.fromisoformat("2026-03-05T10:00:00+08:00")
TYPES = {one.name: one() for one in BUILTIN}


def found(before: str, text: str, source: Source = Source.ASSISTANT) -> list[Candidate]:
    """Return what the user confirms of the message before."""
    earlier = (Earlier(source, before),)
    said = read_said(text, source=Source.USER, speaker="user", at=AT, earlier=earlier)
    return [one for sentence in said.sentences for one in find(sentence, said)]


@pytest.mark.spec("C1", "C3", "C6")
@pytest.mark.parametrize(
    ("before", "text", "kind", "value"),
    [
        ("Shall I use SQLite for this?", "Yes, go ahead.", "decisions", {"topic": "database"}),
        (
            "I suggest switching to pnpm.",
            "Perfect, let's do that.",
            "decisions",
            {"topic": "package_manager", "decision": "switching to pnpm"},
        ),
        ("What about Nuxt? Does that work?", "Yes.", "decisions", {"topic": "frontend_framework"}),
        ("We could name it Falcon.", "Love it. Let's go with that.", "decisions", {}),
        ("要不要用 Redis 做缓存？", "好的，就用它。", "decisions", {"topic": "cache"}),
        ("我建议每周一发布。", "可以，就按你说的来。", "decisions", {"decision": "每周一发布"}),
        ("推荐用 Playwright。", "OK，就用你推荐的这个。", "decisions", {"topic": "testing"}),
        ("You seem to prefer short answers.", "Yes, that's right.", "preferences", {}),
        ("Would you like me to always answer in German?", "Yes please.", "preferences", {}),
        ("你似乎更喜欢深色主题。", "是的。", "preferences", {}),
        ("以后代码示例都用 TypeScript，好吗？", "好的，以后都这样。", "preferences", {}),
        ("I guess you are a designer.", "Correct.", "profile", {"subject": "user"}),
        ("你住在上海吧？", "对的。", "profile", {"subject": "user"}),
        (
            'Shall I add "buy filters" to your to-do list?',
            "Sure, add it.",
            "tasks",
            {"title": "buy filters", "status": "todo"},
        ),
        ("You should renew the domain.", "Good point, will do.", "tasks", {"status": "todo"}),
        ("Is the migration finished?", "Yes, it's done.", "tasks", {"status": "done"}),
        ("Is the permit still blocked?", "Yes, still blocked.", "tasks", {"status": "blocked"}),
        ("要不要我加个待办：给客户回电话？", "要的，加上。", "tasks", {"title": "给客户回电话"}),
        ("打包脚本完成了吗？", "是的，完成了。", "tasks", {"status": "done"}),
    ],
)
def test_a_yes_to_a_proposal_is_a_memory(
    before: str, text: str, kind: str, value: dict[str, Any]
) -> None:
    """The user's word makes of a proposal what it amounts to."""
    (one,) = found(before, text)
    assert kind == one.type
    assert value == {name: one.value[name] for name in value}
    assert (True, Source.USER) == (one.confirmed, one.source)
    assert one.confidence >= 0.8
    TYPES[kind].complete(TYPES[kind].key_of(one.value), one.value)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("Shall I use SQLite for this?", "No, use Postgres."),
        ("Shall I use SQLite?", "Yes, but only for tests."),
        ("I suggest switching to pnpm.", "ok thanks"),
        ("I suggest switching to pnpm.", "Hmm, let me think."),
        ("I suggest SQLite. How much data do you have?", "Yes, lots."),
        ("Is Paris the capital of France?", "Yes."),
        ("Did that help?", "Yes, thanks!"),
        ("Should I send the email now?", "Yes, do it."),
        ("Done! Do you want me to run the tests?", "Yes, go ahead."),
        ("Do you prefer tabs or spaces?", "Yes."),
        ("I suggest a lentil soup for dinner.", "Sounds good!"),
        ("Glad you like it!", "Yes, it's great."),
        ("You're right, I made a mistake.", "Yes."),
        ("需要我继续吗？", "好的。"),
        ("我建议用 Redis。", "好的，谢谢。"),
        ("我建议用 Redis。", "不用了。"),
        ("要不要听个笑话？", "好啊。"),
        ("你喜欢茶还是咖啡？", "对。"),
        ("可能是缓存问题，建议清一下缓存。", "好的，我试试。"),
    ],
)
def test_thanks_and_a_yes_to_nothing_are_no_memory(before: str, text: str) -> None:
    """Politeness, a no, a but, and a yes to what leaves nothing to keep are left alone."""
    assert [] == found(before, text)


@pytest.mark.spec("C1")
def test_only_the_assistants_last_message_can_be_confirmed() -> None:
    """A yes after one's own words, or after none, confirms nothing."""
    assert [] == found("I suggest switching to pnpm.", "Yes, let's do that.", Source.USER)
    said = read_said("Yes, let's do that.", source=Source.USER, speaker="user", at=AT)
    assert [] == [one for sentence in said.sentences for one in find(sentence, said)]


@pytest.mark.spec("C6")
def test_the_place_is_that_of_the_yes() -> None:
    """The words that confirm are claimed, and once."""
    text = "Great! Yes, let's do that. I live in Lyon."
    (one,) = found("I suggest switching to pnpm.", text)
    assert "Yes, let's do that." == text[one.offset : one.offset + one.length]


_SAID = st.lists(
    st.sampled_from(
        ["yes", "好的", "，", " ", "you prefer ", "建议", "use ", "?", "？", "完成了吗", "Redis"]
    )
    | st.text(max_size=4),
    max_size=15,
).map("".join)


@pytest.mark.spec("C6", "M1")
@given(_SAID, _SAID)
def test_any_talk_gives_valid_candidates(before: str, text: str) -> None:
    """Whatever is proposed and answered, a candidate has a valid key and value."""
    for one in found(before, text):
        TYPES[one.type].complete(TYPES[one.type].key_of(one.value), one.value)
        assert 0 <= one.offset < one.offset + one.length <= len(text)


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize("yes", ["好", "好的，就这么办", "可以", "行", "OK", "没问题"])
@pytest.mark.parametrize(
    "before",
    [
        "建议用 Redis 做缓存，您觉得怎么样？",
        "建议用 Redis 做缓存。它很快，而且团队熟悉。大家觉得如何？",
        "我建议用 Redis 做缓存。要我现在开始搭建吗？",
        "我觉得用 Redis 做缓存比较合适，你看呢？",
        "可以用 Redis 做缓存，这样可以吗？",
    ],
)
def test_a_short_yes_takes_a_suggestion_without_what_was_asked_about_it(
    before: str, yes: str
) -> None:
    """The question that closes a suggestion is no part of what is decided."""
    assert ["用 Redis 做缓存"] == [one.value["decision"] for one in found(before, yes)]


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize("yes", ["sounds good", "OK", "do it", "Yes please"])
def test_a_yes_to_an_offer_takes_the_suggestion_before_it(yes: str) -> None:
    """Who wants it set up wants it, and who wants it explained has not decided."""
    told = "I'd recommend Redis for caching. It is fast. "
    (one,) = found(f"{told}Want me to set it up?", yes)
    assert "Redis for caching" == one.value["decision"]
    assert [] == found(f"{told}Should I explain how it works?", yes)
    assert [] == found("建议用 Redis 做缓存。需要我解释一下原理吗？", "好")


_LISTED = "Two ways:\n1. **Redis** - fast, known\n2. Memcached for the cache\nWhich one?"
_LISTED_ZH = "有两个方案：\n方案一：自建机房（贵）\n方案二：上云\n您选哪个？"


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    ("before", "text", "decision"),
    [
        (_LISTED, "let's go with option 2", "Memcached for the cache"),
        (_LISTED, "The first one", "Redis"),
        (_LISTED, "2", "Memcached for the cache"),
        ("Option A: use Postgres. Option B: use MongoDB.", "Option B please", "use MongoDB"),
        (_LISTED_ZH, "就用方案二", "上云"),
        (_LISTED_ZH, "选第一个", "自建机房"),
        (_LISTED_ZH, "第二个吧", "上云"),
        ("我推荐两个方案：A. 自建机房；B. 上云。您选哪个？", "B", "上云"),
    ],
)
def test_what_is_taken_by_its_number_is_kept_by_its_words(
    before: str, text: str, decision: str
) -> None:
    """A number alone would mean nothing later."""
    assert [decision] == [one.value["decision"] for one in found(before, text)]


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    ("before", "text"),
    [
        *((_LISTED, "What about option 2?"), (_LISTED, "let's go with option 5")),
        *(("Hello there.", "let's go with option 2"), ("你好", "就用方案二"), ("你好", "选第二个")),
        *(("How many kids do you have?", "2"), ("Steps:\n1. Install it\n2. Run it", "2")),
        ("好的，我在听。", "好的，就这么办"),
    ],
)
def test_a_number_of_no_list_decides_nothing(before: str, text: str) -> None:
    """Nor does a question, or what is not on the list; decisions do not read it otherwise."""
    earlier = (Earlier(Source.ASSISTANT, before),)
    said = read_said(text, source=Source.USER, speaker="user", at=AT, earlier=earlier)
    assert [] == [one for one in find_stated(said) if one.type == "decisions"]
