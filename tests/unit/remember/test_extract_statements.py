"""Reading what sentences say happens: predicates, roles, negation, modality and time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.builtin_types import ENTITY_KINDS, Statements
from smartbrain.domain.candidate import Source
from smartbrain.domain.statement import Statement
from smartbrain.remember.extract.said import read_said
from smartbrain.remember.extract.statements import MOST, find_statements
from smartbrain.text.entities import find_entities
from smartbrain.text.times import find_times

AT = datetime(2026, 3, 5, 10, tzinfo=UTC)
A, P, L, R, B, I = "AGENT", "PATIENT", "LOCATION", "RECIPIENT", "BENEFICIARY", "INSTRUMENT"  # noqa: E741 - one letter a role keeps the tables readable


def statements(text: str) -> list[Statement]:
    """Return what a message of the user says happens."""
    return find_statements(read_said(text, source=Source.USER, speaker="user", at=AT))


def told(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the predicates, negated ones with a mark, and who plays which role."""
    return [
        (
            f"{'not ' if one.negation else ''}{one.predicate}",
            [(role.role.value, role.name) for role in one.roles],
        )
        for one in statements(text)
    ]


CHINESE = [
    ("小明在公园里踢足球", "play_soccer", [(A, "小明"), (P, "足球"), (L, "公园")]),
    ("小明踢球", "play_soccer", [(A, "小明")]),
    ("小明没在公园踢球", "not play_soccer", [(A, "小明"), (L, "公园")]),
    ("妈妈在厨房做饭", "cook", [(A, "妈妈"), (L, "厨房")]),
    ("李雷把书送给了韩梅梅", "give", [(A, "李雷"), (P, "书"), (R, "韩梅梅")]),
    ("小红被老师批评了", "criticize", [(A, "老师"), (P, "小红")]),
    ("老王不喜欢喝咖啡", "not like_drink_coffee", [(A, "老王"), (P, "咖啡")]),
    ("张伟昨天在星巴克和李娜开会", "have_meeting", [(A, "张伟"), (A, "李娜"), (L, "星巴克")]),
    ("我在上海工作", "work", [(L, "上海")]),
    ("我昨天买了一台电脑", "buy", [(P, "电脑")]),
    ("他们下周去北京出差", "go_on_business_trip", [(L, "北京")]),
    ("服务器在法兰克福", "be_located", [(A, "服务器"), (L, "法兰克福")]),
    ("小李用 Excel 做报表", "do", [(A, "小李"), (P, "报表"), (I, "Excel")]),
    ("老师给学生们讲故事", "tell_story", [(A, "老师"), (P, "故事"), (R, "学生们")]),
    ("我妈妈住在成都", "live", [(A, "妈妈"), (L, "成都")]),
    ("团队上线了新版本", "launch", [(A, "团队"), (P, "版本")]),
    ("王总不同意这个方案", "not agree", [(A, "王总"), (P, "方案")]),
    ("小明会弹钢琴", "play_piano", [(A, "小明"), (P, "钢琴")]),
    ("小狗在院子里跑", "run", [(A, "小狗"), (L, "院子")]),
    ("我们明天要去博物馆参观", "visit", [(L, "博物馆")]),
    ("张三给李四写了一封信", "write_letter", [(A, "张三"), (P, "信"), (R, "李四")]),
    ("电脑坏了", "break", [(A, "电脑")]),
    ("爸爸开车去机场接奶奶", "pick_up", [(A, "爸爸"), (P, "奶奶"), (L, "机场")]),
    ("客户取消了订单", "cancel", [(A, "客户"), (P, "订单")]),
    ("公司裁员了", "lay_off", [(A, "公司")]),
    ("小明和小红一起看电影", "watch_movie", [(A, "小明"), (A, "小红"), (P, "电影")]),
    ("奶奶在客厅里看电视", "watch_tv", [(A, "奶奶"), (P, "电视"), (L, "客厅")]),
    ("工程师修复了登录的bug", "fix", [(A, "工程师"), (P, "bug")]),
    ("小张正在写周报", "write", [(A, "小张"), (P, "周报")]),
    ("我弟弟在学法语", "learn", [(A, "弟弟"), (P, "法语")]),
    ("小王向经理汇报了进度", "report", [(A, "小王"), (P, "进度"), (R, "经理")]),
    ("他把手机忘在出租车上了", "forget", [(P, "手机"), (L, "出租车")]),
    ("爷爷每天早上在公园打太极", "practise_tai_chi", [(A, "爷爷"), (P, "太极"), (L, "公园")]),
    (
        "李娜在北京的一家公司当设计师",
        "serve_as",
        [(A, "李娜"), (P, "设计师"), (L, "公司"), (L, "北京")],
    ),
    ("小明喜欢踢足球", "like_play_soccer", [(A, "小明"), (P, "足球")]),
    ("陈静嫁给了王强", "marry", [(A, "陈静"), (P, "王强")]),
    ("我把钥匙放在桌子上", "put", [(P, "钥匙"), (L, "桌子")]),
    ("我们公司在杭州开了新办公室", "open", [(A, "公司"), (P, "办公室"), (L, "杭州")]),
    ("小芳帮妈妈洗碗", "wash_dishes", [(A, "小芳"), (B, "妈妈")]),
    ("李明在深圳买了房子", "buy_house", [(A, "李明"), (P, "房子"), (L, "深圳")]),
    ("我没去过日本", "not go", [(L, "日本")]),
    ("他们在会议室讨论预算", "discuss", [(P, "预算"), (L, "会议室")]),
    ("张强加入了腾讯", "join", [(A, "张强"), (P, "腾讯")]),
    ("小刚没做作业", "not do_homework", [(A, "小刚"), (P, "作业")]),
    ("服务器昨天凌晨宕机了", "crash", [(A, "服务器")]),
    ("我用 Python 写了一个爬虫", "write", [(P, "爬虫"), (I, "Python")]),
    ("我们不用 MongoDB 了", "not use", [(P, "MongoDB")]),
    ("数据库迁移到了阿里云", "migrate", [(A, "数据库"), (L, "阿里云")]),
]
ENGLISH = [
    ("Tom plays soccer in the park", "play_soccer", [(A, "Tom"), (P, "soccer"), (L, "park")]),
    ("Tom doesn't play football", "not play_soccer", [(A, "Tom"), (P, "football")]),
    ("Anna didn't go to school yesterday", "not go", [(A, "Anna"), (L, "school")]),
    (
        "My mother cooks dinner in the kitchen",
        "cook",
        [(A, "mother"), (P, "dinner"), (L, "kitchen")],
    ),
    ("Sarah gave Tom a book", "give", [(A, "Sarah"), (P, "book"), (R, "Tom")]),
    ("Sarah gave a book to Tom", "give", [(A, "Sarah"), (P, "book"), (R, "Tom")]),
    ("The window was broken by Tom", "break", [(A, "Tom"), (P, "window")]),
    ("The meeting was cancelled", "cancel", [(P, "meeting")]),
    ("I bought a new laptop last week", "buy", [(P, "laptop")]),
    ("We moved to Berlin in 2021", "move", [(L, "Berlin")]),
    (
        "Anna and Tom watched a movie at the cinema",
        "watch_movie",
        [(A, "Anna"), (A, "Tom"), (P, "movie"), (L, "cinema")],
    ),
    (
        "John is reading a book in the library",
        "read_book",
        [(A, "John"), (P, "book"), (L, "library")],
    ),
    ("Maria has never eaten sushi", "not eat", [(A, "Maria"), (P, "sushi")]),
    ("The server crashed again", "crash", [(A, "server")]),
    ("Tom likes playing soccer", "like_play_soccer", [(A, "Tom"), (P, "soccer")]),
    ("She works at Google in London", "work", [(L, "Google"), (L, "London")]),
    ("My boss rejected the proposal", "refuse", [(A, "boss"), (P, "proposal")]),
    ("I met Sarah in Paris on Monday", "meet", [(P, "Sarah"), (L, "Paris")]),
    ("The kids are playing football", "play_soccer", [(A, "kids"), (P, "football")]),
    ("He wrote the report with Excel", "write", [(P, "report"), (I, "Excel")]),
    ("I can't find my keys", "not find", [(P, "keys")]),
    ("Emma bought flowers for her mother", "buy", [(A, "Emma"), (P, "flowers"), (B, "mother")]),
    ("Liam will visit Tokyo next month", "visit", [(A, "Liam"), (P, "Tokyo")]),
    ("Our customers complained about the price", "complain", [(A, "customers")]),
    ("The dog bit the postman", "bite", [(A, "dog"), (P, "postman")]),
    (
        "Sophie teaches math at a school in Lyon",
        "teach",
        [(A, "Sophie"), (P, "math"), (L, "school"), (L, "Lyon")],
    ),
    ("Alice won't attend the conference", "not attend", [(A, "Alice"), (P, "conference")]),
    ("Bob used to live in Chicago", "live", [(A, "Bob"), (L, "Chicago")]),
    ("The package has arrived", "arrive", [(A, "package")]),
    ("The book was written by George Orwell", "write", [(A, "George Orwell"), (P, "book")]),
    ("My sister is going to marry Paul", "marry", [(A, "sister"), (P, "Paul")]),
    ("Tom hasn't finished the homework", "not finish", [(A, "Tom"), (P, "homework")]),
    ("Kate forgot her phone at the office", "forget", [(A, "Kate"), (P, "phone"), (L, "office")]),
    ("I no longer use Emacs", "not use", [(P, "Emacs")]),
    ("We don't use MySQL", "not use", [(P, "MySQL")]),
    ("Dad fixed the bike in the garage", "fix", [(A, "dad"), (P, "bike"), (L, "garage")]),
    ("The report is in the office", "be_located", [(A, "report"), (L, "office")]),
    ("It rained in Oslo", "rain", [(L, "Oslo")]),
    ("The cat knocked the glass off the table", "knock", [(A, "cat"), (P, "glass")]),
    ("My flight to Osaka leaves at 9", "leave", [(A, "flight")]),
    ("Sam and I cooked pasta", "cook", [(A, "Sam"), (P, "pasta")]),
    ("I read the book you recommended", "read_book", [(P, "book")]),
    ("Mike doesn't want to move to Texas", "not want_move", [(A, "Mike"), (L, "Texas")]),
    ("John's mom called the school", "call", [(A, "John's mom"), (P, "school")]),
    (
        "The company acquired a startup in Dublin",
        "acquire",
        [(A, "company"), (P, "startup"), (L, "Dublin")],
    ),
]
NOTHING = [
    "帮我订一张机票",
    "太好了，谢谢你",
    "今天天气真好",
    "我不知道怎么办",
    "我感觉有点累",
    "这个问题很难",
    "哈哈哈笑死我了",
    "昨天下雨了",
    "他是医生",
    "Please send the report to Anna",
    "Great, thanks!",
    "What a day",
    "I'm tired",
    "The weather is nice today",
    "Everyone laughed",
    "Let me know what you think",
    "You should try it",
    "Things are going well",
    "There is a problem",
    "Nobody told me",
    "",
]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(("text", "predicate", "roles"), [*CHINESE, *ENGLISH])
def test_a_plain_sentence_is_one_statement(
    text: str, predicate: str, roles: list[tuple[str, str]]
) -> None:
    """The verb is the predicate, and nouns play the roles that their places give them."""
    assert [(predicate, roles)] == told(text)


@pytest.mark.spec("C7")
@pytest.mark.parametrize("text", NOTHING)
def test_what_says_nothing_plain_gives_no_statement(text: str) -> None:
    """Requests, exclamations and bare descriptions are left alone."""
    assert [] == told(text)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("小明在公园里踢足球", {("person", "小明"), ("place", "公园"), ("object", "足球")}),
        (
            "Tom plays soccer in the park",
            {("person", "Tom"), ("place", "park"), ("object", "soccer")},
        ),
    ],
)
def test_the_worked_example_comes_out_as_printed(text: str, entities: set[tuple[str, str]]) -> None:
    """Names and roles together are the entities of the sentence, and one event is told."""
    (one,) = statements(text)
    named = {(entity.kind, entity.canonical) for entity in find_entities(text)}
    assert entities == named | {(role.kind, role.name) for role in one.roles}
    assert ("play_soccer", False, "asserted") == (one.predicate, one.negation, one.modality)
    assert [A, P, L] == [role.role.value for role in one.roles]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("小明在公园踢足球。", "asserted"),
        ("小明在公园踢足球吗？", "asked"),
        ("如果小明去北京，我很高兴。", "supposed"),
        ("小李说小明今天不来。", "reported"),
        ("Tom plays soccer.", "asserted"),
        ("Does Tom play soccer?", "asked"),
        ("If Tom plays soccer, fine.", "supposed"),
        ("Tom said Anna plays chess.", "reported"),
    ],
)
def test_modality_tells_how_it_is_said(text: str, modality: str) -> None:
    """A question, a condition and somebody else's words are told apart from a plain statement."""
    assert [modality] == [one.modality.value for one in statements(text)]


@pytest.mark.spec("C7")
def test_the_one_who_is_quoted_is_not_the_one_who_acts() -> None:
    """What somebody says is about whom they speak of."""
    assert [("not come", [(A, "小明")])] == told("小李说小明今天不来")
    assert [("play_chess", [(A, "Anna"), (P, "chess")])] == told("Tom said Anna plays chess")


@pytest.mark.spec("C7")
def test_a_clause_without_a_subject_goes_on_with_the_last_one() -> None:
    """A Chinese clause after a comma, and an English verb after "and", have the same agent."""
    assert [
        ("go", [(A, "小明"), (L, "公园")]),
        ("play_soccer", [(A, "小明"), (P, "足球")]),
    ] == told("小明昨天去了公园，踢了足球")
    assert [
        ("drive_car", [(A, "Peter"), (P, "car"), (L, "airport")]),
        ("pick_up", [(A, "Peter"), (P, "Anna")]),
    ] == told("Peter drove his car to the airport and picked up Anna")


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    "text",
    [
        *("See you Friday", "It took 2 weeks", "At NOON, she left", "He sang lately", "下周五见"),
        *("Nobody came", "Bob’s here tomorrow", "the last three weeks", "in half an hour"),
    ],
)
def test_no_time_is_passed_over_that_a_sentence_tells(text: str) -> None:
    """A message tells the times that are found in its text."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    assert find_times(text, AT) == said.times(said.sentences[0])


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "start", "end", "granularity", "words"),
    [
        ("我昨天买了一台电脑", "2026-03-04", "2026-03-05", "day", "昨天"),
        ("Anna went to school yesterday", "2026-03-04", "2026-03-05", "day", "yesterday"),
    ],
)
def test_relative_times_become_dates(
    text: str, start: str, end: str, granularity: str, words: str
) -> None:
    """The time of a statement is absolute, with its precision and the words that said it."""
    (one,) = statements(text)
    midnight = "T00:00:00+00:00"
    expected = {
        "start": start + midnight,
        "end": end + midnight,
        "granularity": granularity,
        "words": words,
    }
    assert expected == one.value("turn_1", 0)["time"]


@pytest.mark.spec("C7")
def test_places_count_from_the_start_of_the_message() -> None:
    """A statement and its roles point at their words."""
    text = "Hello there. Tom plays soccer in the park.\n然后，小明在公园里踢足球。"
    first, second = statements(text)
    assert ["Tom plays soccer in the park.", "小明在公园里踢足球。"] == [
        text[one.offset : one.offset + one.length] for one in (first, second)
    ]
    for role in (*first.roles, *second.roles):
        assert text.startswith(role.name, role.offset)


@pytest.mark.spec("C7")
def test_the_speakers_own_label_is_no_part() -> None:
    """Names before a colon tell who speaks; the lines are read as statements."""
    text = "Anna: I lost my passport in Rome.\n小明：我在上海工作。"
    assert [
        ("lose", [(P, "passport"), (L, "Rome")]),
        ("work", [(L, "上海")]),
    ] == told(text)


def test_a_message_has_at_most_so_many_statements() -> None:
    """A long story is cut off."""
    assert MOST == len(statements("Tom plays soccer. " * (MOST + 5)))


def test_the_assistants_words_weigh_less() -> None:
    """A statement of the assistant is less sure than one of the user."""
    text = "Tom plays soccer."
    said = read_said(text, source=Source.ASSISTANT, speaker="assistant", at=AT)
    assert find_statements(said)[0].confidence < statements(text)[0].confidence


_PIECES = st.sampled_from(
    [
        "小明",
        "在",
        "公园",
        "里",
        "踢",
        "足球",
        "，",
        "。",
        "不",
        "被",
        "把",
        "给",
        "的",
        "说",
        "昨天",
        "Tom ",
        "plays ",
        "is ",
        "the ",
        "and ",
        "'s ",
        "by ",
        "park ",
        "not ",
        "to ",
        ", ",
        ". ",
        "用",
        "和",
        "想",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=16).map("".join)))
def test_any_text_gives_statements_that_can_be_stored(text: str) -> None:
    """Every statement has a valid value, lies in the message and has roles of known kinds."""
    kind = Statements()
    for number, one in enumerate(statements(text)):
        value = one.value("turn_1", number)
        kind.complete(kind.key_of(value), value)
        assert one.roles
        assert 0 <= one.offset < one.offset + one.length <= len(text)
        assert all(role.kind in ENTITY_KINDS and role.name for role in one.roles)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We decided to ship on Friday.", []),
        ("I decided to book a hotel.", ["hotel"]),
        ("我们decided用gRPC做通信。", ["gRPC", "通信"]),
        ("她decided搬家。", []),
    ],
)
def test_a_verb_is_no_thing(text: str, names: list[str]) -> None:
    """A deed that is decided on, and an English verb among Chinese words, play no role."""
    assert names == sorted(role.name for one in statements(text) for role in one.roles)
