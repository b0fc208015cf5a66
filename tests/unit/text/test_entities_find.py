"""Finding the people, organisations, places and things that a text names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.builtin_types import ENTITY_KINDS
from smartbrain.text.entities import find_entities


def found(text: str) -> list[tuple[str, str]]:
    """Return kind and canonical name of everything in a text."""
    return [(entity.kind, entity.canonical) for entity in find_entities(text)]


STRUCTURAL = [
    ("see https://www.Acme.com/a/b/?utm_source=x&id=3#top.", [("url", "acme.com/a/b?id=3")]),
    ("看看 https://wiki.lanhe.cn/deploy，写得不错", [("url", "wiki.lanhe.cn/deploy")]),
    ("the domain is crm.lanhe.cn now", [("url", "crm.lanhe.cn")]),
    ("clone git@github.com:foo/bar.git", [("repo", "foo/bar")]),
    ("https://github.com/foo/bar-baz is down", [("repo", "foo/bar-baz")]),
    ("https://github.com/foo/bar/issues/3", [("url", "github.com/foo/bar/issues/3")]),
    ("the repo willow/harvest is mine", [("repo", "willow/harvest")]),
    ("继续看仓库 lan-he/crawler 的代码", [("repo", "lan-he/crawler")]),
    ("open the tidal-sync repo", [("repo", "tidal-sync")]),
    ("把 billing-api 仓库归档", [("repo", "billing-api")]),
    ("that repo sucks, and the repository today", []),
    ("这个 repo please 看下，那个仓库 build 不过", []),
    ("that repo'll be up-to-date; is the repo up-to-date?", []),
    ("the repo called rocket and the repo is named nova", [("repo", "rocket"), ("repo", "nova")]),
    ("那个仓库叫 rocket，新的仓库是nova", [("repo", "rocket"), ("repo", "nova")]),
    ("the repo 'rocket', the repo “nova”", [("repo", "rocket"), ("repo", "nova")]),
    (
        "repo tidal-sync, repo web3, 仓库 Rocket",
        [("repo", one) for one in ("tidal-sync", "web3", "Rocket")],
    ),
    ("打开src/main.py文件", [("file", "src/main.py")]),
    ("edit ./run.sh and ~/notes/a.txt", [("file", "./run.sh"), ("file", "~/notes/a.txt")]),
    (r"it is in C:\Users\me\a.txt", [("file", r"C:\Users\me\a.txt")]),
    ("check package.json and the Dockerfile", [("file", "package.json"), ("file", "Dockerfile")]),
    ("look at /etc/hosts please", [("file", "/etc/hosts")]),
    ("note this #travel #读书", [("topic", "travel"), ("topic", "读书")]),
    ("我在看《三体》", [("object", "三体")]),
    ("clone the torvalds/linux repo", [("repo", "torvalds/linux")]),
    ("打开报告.docx", [("file", "报告.docx")]),
    ("把产品需求文档_v2.docx发我", [("file", "产品需求文档_v2.docx")]),
    ("我看了销售数据.xlsx和预算.xlsx", [("file", "销售数据.xlsx"), ("file", "预算.xlsx")]),
    ("帮我改一下会议纪要（终稿）.docx", [("file", "会议纪要（终稿）.docx")]),
    ("文件在 ./docs/设计.md", [("file", "./docs/设计.md")]),
    ("放进“项目 计划书.xlsx”了", [("file", "项目 计划书.xlsx")]),
    ("在 C:\\Users\\me\\文档\\a.txt 里", [("file", "C:\\Users\\me\\文档\\a.txt")]),
    ("看看https://example.com/a这个链接", [("url", "example.com/a")]),
]
PEOPLE = [
    ("Tom plays well", [("person", "Tom")]),
    ("Please forward this to Mr. Anderson.", [("person", "Anderson")]),
    ("I met Dr Patel and Sarah Cole", [("person", "Patel"), ("person", "Sarah Cole")]),
    ("my colleague Thandiwe is ill", [("person", "Thandiwe")]),
    ("Ask Li Wei, or Wei Zhang", [("person", "Li Wei"), ("person", "Wei Zhang")]),
    ("Mark Johnson called; Grace said hi", [("person", "Mark Johnson"), ("person", "Grace")]),
    ("Keep Wilhelmina Storm in mind", [("person", "Wilhelmina Storm")]),
    ("Docker and Tom", [("object", "Docker"), ("person", "Tom")]),
    ("a piece by Ludwig van Beethoven", [("person", "Ludwig van Beethoven")]),
    ("王总和李老师都来了", [("person", "王总"), ("person", "李老师")]),
    ("小李说小明不来", [("person", "小李"), ("person", "小明")]),
    ("联系欧阳娜娜", [("person", "欧阳娜娜")]),
    ("给周小雨打电话", [("person", "周小雨")]),
    ("清华大学的李国庆教授", [("org", "清华大学"), ("person", "李国庆")]),
    ("史蒂夫·乔布斯是谁", [("person", "史蒂夫·乔布斯")]),
    ("我同事于洋和 Kevin", [("person", "于洋"), ("person", "Kevin")]),
    ("I met Jean-Luc Picard", [("person", "Jean-Luc Picard")]),
    ("我儿子叫王子轩", [("person", "王子轩")]),
    ("老板叫小王开会", [("person", "小王")]),
]
ORGANISATIONS = [
    ("Acme Corp hired me", [("org", "Acme Corp")]),
    (
        "University of Oxford and Bank of China",
        [("org", "University of Oxford"), ("org", "Bank of China")],
    ),
    ("I work at Halvorsen", [("org", "Halvorsen")]),
    ("a nurse at St. Mary's Hospital", [("org", "St. Mary's Hospital")]),
    ("what does Siemens make?", [("org", "Siemens")]),
    ("南京云帆科技有限公司", [("org", "南京云帆科技有限公司")]),
    ("招商银行深圳分行的电话", [("org", "招商银行深圳分行")]),
    ("腾讯和字节跳动", [("org", "腾讯"), ("org", "字节跳动")]),
    ("哈尔滨工业大学在哪", [("org", "哈尔滨工业大学")]),
    ("深圳市大疆创新科技有限公司", [("org", "深圳市大疆创新科技有限公司")]),
    ("我跟北京云帆科技有限公司签了合同", [("org", "北京云帆科技有限公司")]),
    ("腾讯投资了上海星光发展有限公司", [("org", "腾讯"), ("org", "上海星光发展有限公司")]),
    ("腾讯云的服务器", [("org", "腾讯云")]),
]
PLACES = [
    ("from Utrecht to Antwerp", [("place", "Utrecht"), ("place", "Antwerp")]),
    ("the weather in Tromsø", [("place", "Tromsø")]),
    ("i live in berlin", [("place", "Berlin")]),
    ("meet at Central Park", [("place", "Central Park")]),
    ("she moved to New York", [("place", "New York")]),
    ("从广州到桂林", [("place", "广州"), ("place", "桂林")]),
    ("明天去三亚市看海", [("place", "三亚")]),
    ("in New York City on Monday", [("place", "New York City")]),
]
THINGS = [
    ("Grafana or Kibana?", [("object", "Grafana"), ("object", "Kibana")]),
    ("飞书和钉钉哪个好", [("object", "飞书"), ("object", "钉钉")]),
    ("The SmartBrain project", [("object", "SmartBrain")]),
    ("用 slack 沟通", [("object", "Slack")]),
    ("is Next.js better than Vue?", [("object", "Next.js"), ("object", "Vue")]),
    (
        "We work on Project Phoenix and Tom helps",
        [("object", "Project Phoenix"), ("person", "Tom")],
    ),
    ("the Apollo project is late", [("object", "Apollo")]),
    ("我买了小米 14 Ultra", [("object", "小米 14 Ultra")]),
    ("小米14 Ultra怎么样", [("object", "小米 14 Ultra")]),
    ("an OPPO Find X7 or a BMW X5", [("object", "OPPO Find X7"), ("object", "BMW X5")]),
    ("Google Q3 results", [("org", "Google")]),
    ("阿里P7的工资", [("org", "阿里")]),
]
NOTHING = [
    "Thanks! Sounds good. Okay then.",
    "Will you go to the reading room? May is nice.",
    "Mark the task as done. Grace period ends Monday.",
    "I'm learning Spanish and French on Monday in July.",
    "Translate this to German please.",
    "and/or he/she 24/7 TCP/IP km/h 1/2 CI/CD Asia/Shanghai",
    "send the report to accounting, e.g. today. i.e. now",
    "write to bob@foo.com",
    "It should rust. Apple pie is great.",
    "# Title and #12 and #fff000",
    "马上就到周末了，高兴",
    "何时出发？任何问题都可以问",
    "谢谢你，许多人都来了",
    "我们公司的上市公司客户很多",
    "去大理石厂买大理石",
    "小区里的小孩子，老人，小时候",
    "程序跑不动，文档写好了，方案定了",
    "胡同里，林子里，路上",
    "我们的小程序上线了",
    "早上喝了一碗小米粥",
    "张开嘴，啊",
    "这个.py文件有问题",
    "后缀是.docx，他说好.go",
    "Project Status Update for the Project Manager",
    "we met in 2024, see page 15 and Chapter 3 in Room 12",
    "top 10 tips, 我有3个苹果",
    "PLEASE STOP DOING THAT. HELLO WORLD",
    "Go 3 blocks north, then Word 2 pages",
    "",
    "12345",
]


@pytest.mark.spec("C2", "C7")
@pytest.mark.parametrize(
    ("text", "expected"), [*STRUCTURAL, *PEOPLE, *ORGANISATIONS, *PLACES, *THINGS]
)
def test_a_name_is_found_with_its_kind(text: str, expected: list[tuple[str, str]]) -> None:
    """What a text names is found, and nothing else."""
    assert expected == found(text)


@pytest.mark.spec("C2")
@pytest.mark.parametrize("text", NOTHING)
def test_ordinary_words_are_no_names(text: str) -> None:
    """A capital letter, a slash or a character that is also a surname makes no name."""
    assert [] == found(text)


@pytest.mark.spec("C2")
@pytest.mark.parametrize("text", [text for text, _ in STRUCTURAL[:15]])
def test_addresses_and_paths_are_structural(text: str) -> None:
    """What is told by its form is marked so, for the gate lets it pass."""
    assert all(entity.structural for entity in find_entities(text))


def test_a_name_in_prose_is_not_structural() -> None:
    """A person or a product is not told by its form."""
    assert [False, False] == [one.structural for one in find_entities("Tom Baker uses Docker")]


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("We use Python 3.12 here", "Python", "3.12"),
        ("运行在 Ubuntu 22.04 上", "Ubuntu", "22.04"),
        ("built with Go 1.22.", "Go", "1.22"),
        ("an iPhone 15", "iPhone", "15"),
        ("Windows 12 is out", "Windows", "12"),
        ("windows 11 crashes", "Windows", "11"),
        ("iPhone 15 Pro Max is heavy", "iPhone", "15 Pro Max"),
        ("买了iPhone 15 Pro手机", "iPhone", "15 Pro"),
        ("买了iPhone15Pro手机", "iPhone", "15 Pro"),
        ("升级到Python3.12了", "Python", "3.12"),
        ("升级到 Vue 3 了", "Vue", "3"),
        ("We run Node.js 20 LTS", "Node.js", "20 LTS"),
        ("Ubuntu 24.04 LTS is stable", "Ubuntu", "24.04 LTS"),
        ("switch to GPT-4o mini", "GPT", "4o mini"),
        ("Claude 3.5 Sonnet is good", "Claude", "3.5 Sonnet"),
        ("Postgres 16.3 is installed", "PostgreSQL", "16.3"),
        ("Django 5.0rc1 broke", "Django", "5.0rc1"),
        ("红米 K70 不错", "红米", "K70"),
        ("I have a MacBook Pro M3", "MacBook Pro", "M3"),
        ("an RTX 4090 Ti", "RTX", "4090 Ti"),
        ("RTX 4090显卡太贵", "RTX", "4090"),
        ("Galaxy S24+ is out", "Galaxy", "S24+"),
        ("my iPad Air 5", "iPad Air", "5"),
        ("Windows Server 2022 is old", "Windows Server", "2022"),
        ("鸿蒙 4.0 不错", "鸿蒙", "4.0"),
    ],
)
def test_a_version_belongs_to_its_product(text: str, name: str, version: str) -> None:
    """The version is told apart from the name."""
    (entity,) = find_entities(text)
    assert (name, {"version": version}) == (entity.canonical, dict(entity.attrs))


@pytest.mark.parametrize(
    "text",
    [
        "iPhone in 2 days",
        "I need Python 3 days a week",
        "Python 2.5 hours later",
        "I used Docker 5 times",
        "Redis 10:30",
        "Docker 100% cpu",
        "the Python 12 May talk",
        "用Python 3小时写完",
        "学 Python 3 个月了",
    ],
)
def test_a_count_is_no_version(text: str) -> None:
    """A number that counts something belongs to what it counts."""
    assert [{}] == [dict(entity.attrs) for entity in find_entities(text)]


def test_a_place_knows_its_other_name() -> None:
    """A place keeps the language of the text and has the other name as an alias."""
    assert [("Shanghai", ("上海",))] == [
        (one.canonical, one.aliases) for one in find_entities("flights to Shanghai")
    ]
    assert [("上海", ("Shanghai",))] == [
        (one.canonical, one.aliases) for one in find_entities("我在上海")
    ]


def test_a_repository_has_a_host_and_a_short_name() -> None:
    """An address of a forge gives the repository, its host and its name alone."""
    (entity,) = find_entities("https://gitlab.com/willow/harvest")
    expected = ("willow/harvest", ("harvest",), {"host": "gitlab.com"})
    assert expected == (entity.canonical, entity.aliases, dict(entity.attrs))


@pytest.mark.parametrize("text", ["a/" * 5_000, "A " * 5_000, "小明·" * 2_000, "王" * 5_000])
def test_a_long_monotonous_text_is_read(text: str) -> None:
    """Text that could set patterns running in circles is read like any other."""
    assert all(one.end <= len(text) for one in find_entities(text))


_PIECES = st.sampled_from(
    [
        "Tom ",
        "the ",
        "Berlin",
        " 3.12",
        "小明",
        "在",
        "上海",
        "公司",
        "/",
        ".py",
        "https://a.io/",
        "#",
        "·",
        "'s ",
        "王总",
        "@",
        "《",
        "》",
        "repo ",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=14).map("".join)))
def test_any_text_gives_entities_that_fit_it(text: str) -> None:
    """Entities lie in the text, in order, apart from each other, with names and kinds."""
    end = 0
    for one in find_entities(text):
        assert end <= one.offset < one.end <= len(text)
        assert text.startswith(one.name, one.offset)
        assert one.kind in ENTITY_KINDS
        assert one.canonical
        end = one.end
