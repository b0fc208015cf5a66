"""Tasks told in passing: owed, promised, handed over, noted in a word, named a clause before."""

from __future__ import annotations

from datetime import datetime

import pytest

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.extract import tasks
from smartbrain.remember.extract.said import read_said
from smartbrain.remember.extract.wording import project_of, tidy

AT = datetime.fromisoformat("2026-03-05T10:00:00+08:00")  # a Thursday


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Read a message and return its tasks."""
    said = read_said(text, source=source, speaker="somebody", at=AT)
    return [one for sentence in said.sentences for one in tasks.find(sentence, said)]


def told(text: str) -> list[tuple[str, str, str]]:
    """Return the titles, states and days of the tasks of a message; each of them can be kept."""
    kind = BUILTIN_TYPES.get("tasks")
    kept = found(text)
    for one in kept:
        kind.complete(kind.key_of(one.value), one.value)
    return [(v["title"], v["status"], v.get("due", "")[5:]) for v in (one.value for one in kept)]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I owe Priya a reply about the lease.",
            ("give Priya a reply about the lease", "todo", ""),
        ),
        ("Still owe the landlord two receipts.", ("give the landlord two receipts", "todo", "")),
        ("I told Karim I'd review his draft tonight.", ("review his draft", "todo", "03-05")),
        (
            "I volunteered to bake cupcakes for the fair.",
            ("bake cupcakes for the fair", "todo", ""),
        ),
        ("Keep forgetting to cancel the phone plan.", ("cancel the phone plan", "todo", "")),
        ("I never got around to renewing my pass.", ("renew my pass", "todo", "")),
        ("The quarterly figures are on me.", ("quarterly figures", "todo", "")),
        ("Issue 88 was assigned to me.", ("Issue 88", "todo", "")),
        ("Our designer needs to draw the icons by Tuesday.", ("draw the icons", "todo", "03-10")),
        ("Felix will order the cables tomorrow.", ("order the cables", "todo", "03-06")),
        ("The banner has to go up before Saturday.", ("banner has to go up", "todo", "03-07")),
        ("The thesis intro needs another pass.", ("thesis intro", "todo", "")),
        ("All that's left is to label the boxes.", ("label the boxes", "todo", "")),
        (
            'Add "descale the coffee machine" to my list.',
            ("descale the coffee machine", "todo", ""),
        ),
        ("[ ] book the venue", ("book the venue", "todo", "")),
        ("[x] order the badges", ("order the badges", "done", "")),
        ("The insurance claim went off yesterday.", ("insurance claim", "done", "")),
        ("The server has finally been patched.", ("patch the server", "done", "")),
        ("That's the shelves painted then", ("paint the shelves", "done", "")),
        ("that's the laundry dealt with", ("laundry", "done", "")),
        ("elbow-deep in the attic cleanup", ("attic cleanup", "doing", "")),
        ("The roof repair is about 60% done.", ("roof repair", "doing", "")),
        ("Unable to ship the release until QA agrees.", ("ship the release", "blocked", "")),
        ("我还欠客户一份报价单", ("给客户一份报价单", "todo", "")),
        ("我答应了小李明天帮他搬家", ("帮他搬家", "todo", "03-06")),
        ("护照快过期了，我得去续签", ("续签护照", "todo", "")),
        ("打印机又坏了，明天要找人修一下", ("修打印机", "todo", "03-06")),
        ("手里还积着三篇稿子没审", ("审三篇稿子", "todo", "")),
        ("体检报告我还没去拿", ("拿体检报告", "todo", "")),
        ("活动海报由设计部制作，下周一前交", ("制作活动海报", "todo", "03-09")),
        ("周会纪要我来整理", ("整理周会纪要", "todo", "")),
        ("接待客户的事包在我身上", ("接待客户", "todo", "")),
        ("千万别让我忘了带孩子打疫苗", ("带孩子打疫苗", "todo", "")),
        ("等会儿得去趟银行，把工资卡换了", ("去趟银行，把工资卡换", "todo", "")),
        ("论文初稿拖到现在都没动笔", ("论文初稿", "todo", "")),
        ("[ ] 买菜", ("买菜", "todo", "")),
        ("快递我已经寄给房东了", ("快递", "done", "")),
        ("样机总算寄走了", ("寄样机", "done", "")),
        ("空调清洗搞定", ("空调清洗", "done", "")),
        ("那个表格我正填着呢", ("表格", "doing", "")),
        ("单词书背了三分之二", ("单词书", "doing", "")),
        ("离职手续办不下来，卡在财务", ("离职手续", "blocked", "")),
    ],
)
def test_a_task_told_in_passing_is_found_once(text: str, expected: tuple[str, str, str]) -> None:
    """However it is said, one task comes out with its state and its day."""
    assert [expected] == told(text)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Rent: paid. Water: still open.",
            [("pay Rent", "done", ""), ("Water", "todo", "")],
        ),
        (
            "logo approved, copy still to write, banner in progress",
            [("approve logo", "done", ""), ("write copy", "todo", ""), ("banner", "doing", "")],
        ),
        (
            "Status: API merged, docs pending, QA blocked by the test env.",
            [("API", "done", ""), ("docs", "todo", ""), ("QA", "blocked", "")],
        ),
        (
            "Three errands tomorrow: bank, pharmacy, dry cleaner.",
            [("bank", "todo", ""), ("pharmacy", "todo", ""), ("dry cleaner", "todo", "")],
        ),
        ("晚上两件事：洗衣服、给绿植浇水", [("洗衣服", "todo", ""), ("给绿植浇水", "todo", "")]),
        ("苹果买了，酱油还没买", [("买苹果", "done", ""), ("买酱油", "todo", "")]),
    ],
)
def test_notes_in_a_row_are_a_task_each(text: str, expected: list[tuple[str, str, str]]) -> None:
    """A thing and a word for how far it is are enough where several stand together."""
    assert expected == [(title, status, "") for title, status, _ in told(text)]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "I owe you one!",
            "I owe it all to my coach.",
            "Lesson: learned.",
            "Mission accomplished!",
        ),
        *(
            "The lights went out during the storm.",
            "My flight got cancelled.",
            "That idea needs work.",
        ),
        *("The meeting will start at 10 tomorrow.", "Our team will win the match tomorrow!"),
        *("The bridge was finished in 1932.", "The store is now closed.", "The fault is mine."),
        *("Two things I love about fall: the colors and the air.", "I'm buried in snow over here."),
        *("I can't imagine life without music.", "I promised myself I'd never drink again"),
        *("Doors closed, windows shut, everyone asleep.", "lessons learned, bridges burned"),
        *(
            "我欠你一顿饭",
            "他欠我一个道歉",
            "我欠银行三十万",
            "这本书由鲁迅写的",
            "今天的晚饭我来做",
        ),
        *("我来晚了", "手机没电了，得充一下", "那部剧我还没看", "终于轮到我们家了", "该睡觉了"),
        *("他正在开会呢", "雨还没停呢", "怎么还没到呢", "这道题我做不了", "生意做不下去了"),
    ],
)
def test_what_only_sounds_so_is_no_task(text: str) -> None:
    """Manners of speaking, news and what happens by itself are no tasks."""
    assert [] == told(text)


@pytest.mark.spec("C6", "C7")
@pytest.mark.parametrize(
    "text",
    [
        *("I'm also planning to visit the old harbour.", "I got to visit Vienna during that trip."),
        *(
            "I'll have to look into that.",
            "I've been working on something exciting.",
            "Busy with studies",
        ),
        *(
            "I need to find a better way to focus my passion.",
            "We gotta push ourselves out of our comfort zones.",
        ),
        *(
            "I'm still figuring out the details.",
            "I need to take them to the cleaners.",
            "I've finished two.",
        ),
        *(
            "These pictures remind me to slow down.",
            "There are changes I need to make after the operation.",
        ),
        *(
            "That is the novel I've been working on for a while.",
            "I need to make sure I'm not late.",
        ),
        *("I've been meaning to get a new bed for ages, and last week I finally ordered one."),
    ],
)
def test_a_task_that_nobody_would_understand_later_is_left_out(text: str) -> None:
    """A title needs a thing that can be done, not a pointer, a mood or a way of life."""
    assert [] == told(text)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("I need to write a report that's due by Friday.", "write a report"),
        ("I've already booked a cabin that costs a fortune.", "book a cabin"),
        ("I've already booked my room and reserved my seat.", "book my room"),
        ("I'm still working on the shed and things are looking up.", "shed"),
        ("I've been meaning to back up my phone for a while.", "back up my phone"),
    ],
)
def test_a_title_ends_where_more_is_told(text: str, title: str) -> None:
    """Side clauses and what comes after are no part of the title."""
    assert [title] == [one[0] for one in told(text)]


@pytest.mark.spec("C3")
@pytest.mark.parametrize(
    "text",
    [
        "Complete 3-4 sets of squats.",
        "Finish with a drizzle of oil.",
        "Ask that the repairs have been completed.",
        "Debates about street art are ongoing concerns.",
        "This varies – depending on the soil.",
    ],
)
def test_an_assistants_advice_is_no_report(text: str) -> None:
    """Only a plain report of an assistant tells how far something is."""
    assert [] == found(text, Source.ASSISTANT)


@pytest.mark.spec("C6")
def test_a_task_named_a_clause_before_points_at_both_clauses() -> None:
    """The words that it is read from hold the thing and what is to be done with it."""
    text = "早上好。护照快过期了，我得去续签。"

    task = found(text)[0]

    assert "护照快过期了，我得去续签" == text[task.offset :][: task.length].rstrip("。")


@pytest.mark.spec("C6")
def test_words_that_belong_to_a_name_stay_with_it() -> None:
    """那 of 那个 is no filler, and a sentence may begin with its project."""
    assert ("那个报告", "我去", "请假条") == (tidy("那个报告"), tidy("那我去"), tidy("请假条"))
    assert "Heron" == project_of("For the Heron project we need a logo.")
    assert "general" == project_of("I want to start on that project soon.")


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "TODO:\n- [x] release v2\n- [ ] call mom\n- buy milk",
        "TODO: [x] release v2\n[ ] call mom\n- [ ] buy milk",
        "待办:\n- [x] release v2\n- ☐ call mom\n1. buy milk",
    ],
)
def test_a_box_tells_its_own_state_under_a_heading(text: str) -> None:
    """What is ticked on a list of things to do is done."""
    assert [
        ("release v2", "done", ""),
        ("call mom", "todo", ""),
        ("buy milk", "todo", ""),
    ] == told(text)


@pytest.mark.spec("C1", "C6")
def test_a_box_tells_its_own_state_under_a_chinese_heading() -> None:
    """What is ticked is done, whatever stands above it."""
    text = "待办：\n- [x] 发布v2\n- [ ] 打电话给妈妈\n2、✅ 交报告"
    assert [
        ("发布v2", "done", ""),
        ("打电话给妈妈", "todo", ""),
        ("交报告", "done", ""),
    ] == told(text)


@pytest.mark.spec("C1", "C7")
@pytest.mark.parametrize(
    "text",
    [
        *("烦死了，这破电脑又卡了", "服务器又卡了", "游戏卡了", "卡在高速上了"),
        *("Blocked by the rain, sigh", "I'm stuck with all this traffic."),
        *("Spotify is blocked at work lol", "YouTube is blocked by the school firewall."),
    ],
)
def test_a_thing_that_hangs_is_no_task(text: str) -> None:
    """Who only vents about a machine, the weather or the way has nothing to do there."""
    assert [] == found(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Don't forget to buy milk", "buy milk"),
        ("remember to call mom", "call mom"),
        ("And please remember to pay the rent.", "pay the rent"),
        ("I must remember to call mom", "call mom"),
        ("Do not forget to renew the passport", "renew the passport"),
        ("记得买牛奶", "买牛奶"),
        ("别忘了交房租", "交房租"),
        ("不要忘记给房东转账", "给房东转账"),
        ("下班记得取快递", "取快递"),
        ("记得把合同寄给张总", "把合同寄给张总"),
    ],
)
def test_what_is_not_to_be_forgotten_is_a_task(text: str, title: str) -> None:
    """An errand that somebody is to remember is to be done."""
    assert [(title, "todo", "")] == told(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        *("I don't forget things", "Remember when we went to Rome?", "Remember to be kind"),
        *("I remember to call mom every week", "Did you remember to buy milk?"),
        *("Write a parser. Don't forget to add tests.", "remember to use tabs"),
        *("我记得买过牛奶", "我还记得交房租的日子", "记得小时候去过北京", "你还记得买牛奶的事吗？"),
        *("记得写注释", "帮我写个函数，记得处理异常", "记得用中文回答", "记得早点睡"),
    ],
)
def test_a_memory_or_a_way_of_working_is_no_errand(text: str) -> None:
    """What somebody remembers, and how an assistant is to go about its work, is no task."""
    assert [] == found(text)


def assigned(text: str) -> list[tuple[str, str]]:
    """Return who is to do what."""
    return [(one.value.get("assignee", ""), one.value["title"]) for one in found(text)]


@pytest.mark.spec("C1", "M1")
@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        (
            "Alice will write the docs and Bob will do the tests",
            [("Alice", "write the docs"), ("Bob", "tests")],
        ),
        ("Bob is going to fix the login page.", [("Bob", "fix the login page")]),
        ("小李写文档，小王做测试", [("小李", "写文档"), ("小王", "测试")]),
        ("Alice 写文档，Bob 做测试", [("Alice", "写文档"), ("Bob", "测试")]),
        ("文档由小李写，测试由小王做", [("小李", "写文档"), ("小王", "测试")]),
        ("让小王去修登录页", [("小王", "修登录页")]),
    ],
)
def test_a_task_of_somebody_else_is_kept_under_their_name(
    text: str, tasks: list[tuple[str, str]]
) -> None:
    """Each has a task of their own, and none is the user's."""
    assert tasks == assigned(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "Alice will love the docs",
            "Alice will take the kids to school",
            "Will Bob do the tests?",
        ),
        *("Microsoft will fix the bug", "Bob will visit the museum"),
        *("小李写文档很快", "小李喜欢写文档，小王喜欢做测试", "小李做医生，小王做老师"),
        *(
            "小李买了车，小王卖了房",
            "如果小李写文档，小王做测试",
            "小李写文档，小王做测试，可以吗？",
        ),
    ],
)
def test_what_others_are_or_like_is_no_task_of_theirs(text: str) -> None:
    """What somebody does for a living, likes, did or might do is not to be done."""
    assert [] == found(text)
