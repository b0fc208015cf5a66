"""Facts: lasting states of things that the user tells, and what is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.extract import facts
from smartbrain.remember.extract.said import read_said

TELLING = "the our my is are in at 's of port 5 Tom , : 的 是 在 我们 端口 密码 用 有 三 叫 负责 。"
WORDS = TELLING.split()
AT = datetime(2026, 3, 5, 10, tzinfo=UTC)


def found_in(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return the facts that a message holds."""
    said = read_said(text, source=source, speaker=str(source), at=AT)
    return [one for sentence in said.sentences for one in facts.find(sentence, said)]


def key_of(candidate: Candidate) -> str:
    """Return a candidate's key, after its value was checked against its type."""
    kind = BUILTIN_TYPES.get(candidate.type)
    key = kind.key_of(candidate.value)
    kind.complete(key, candidate.value)
    return key


@pytest.mark.spec("C6", "M1", "M2")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("我女儿今年5岁。", [("daughter", "age", "5岁")]),
        ("我儿子小明8岁了", [("son 小明", "age", "8岁")]),
        ("我爸在医院工作", [("father", "employer", "医院")]),
        ("我姐姐住在北京", [("older sister", "location", "北京")]),
        ("我爸妈住在湖南", [("parents", "location", "湖南")]),
        ("我妹妹在上海读大学", [("younger sister", "education", "在上海读大学")]),
        ("我老板叫陈明", [("boss", "name", "陈明")]),
        ("我同事小刘负责前端", [("frontend", "responsible", "小刘")]),
        ("我老婆在银行当柜员", [("wife", "role", "柜员"), ("wife", "employer", "银行")]),
        ("My husband Tom works as a nurse.", [("husband Tom", "role", "nurse")]),
        ("My dad works at a hospital.", [("father", "employer", "hospital")]),
        ("My sister studies law in Boston.", [("sister", "education", "law in Boston")]),
        ("My son Leo is 7.", [("son Leo", "age", "7")]),
        ("我爸在医院做检查", []),
        ("我爸住院了", []),
        ("我姐姐住在酒店", []),
        ("我女儿5岁的时候摔断了腿", []),
        ("我老板叫我加班", []),
        ("我同事在医院工作", []),
        ("My son works hard.", []),
        ("My wife works from home.", []),
        ("My brother is studying for his exam.", []),
    ],
)  # fmt: skip
def test_reads_what_family_and_colleagues_are(text: str, told: list[tuple[str, str, str]]) -> None:
    """Under the same subject in either language; what they are at just now is none."""
    assert told == [tuple(one.value.values()) for one in found_in(text)]


@pytest.mark.spec("C6", "M2")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My daughter is Alice and she is 6 years old.",
         [("daughter", "name", "Alice"), ("daughter", "age", "6 years old")]),
        ("My daughter is called Alice and she's 6.",
         [("daughter", "name", "Alice"), ("daughter", "age", "6")]),
        ("Our server runs on Debian and it costs $40 a month.",
         [("server", "runs_on", "Debian"), ("server", "price", "$40 a month")]),
        ("The lobby wifi password is birch-7 and it is slow.",
         [("lobby wifi", "password", "birch-7")]),
        ("My boss is German and he is strict.", []),
    ],
)  # fmt: skip
def test_what_follows_and_is_told_of_the_same_one(
    text: str, told: list[tuple[str, str, str]]
) -> None:
    """A value ends where the sentence goes on; what goes on with a pronoun is a fact of its own."""
    found = [tuple(one.value[name] for name in ("subject", "attribute", "value"))
             for one in found_in(text)]  # fmt: skip
    assert told == found


@pytest.mark.spec("C6", "M1", "M2")
@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("The reporting database is Oracle 19.", "fact:reporting:database", "Oracle 19"),
        ("我们在用Kafka。", "fact:company:message_queue", "Kafka"),
        ("我们现在用Kafka。", "fact:company:message_queue", "Kafka"),
        ("支付系统在用Kafka。", "fact:支付系统:message_queue", "Kafka"),
        ("我们团队正在用Grafana。", "fact:team:monitoring", "Grafana"),
        ("The backend uses Postgres.", "fact:backend:database", "Postgres"),
        ("我们用 GitFlow。", "fact:company:uses_gitflow", "GitFlow"),
        ("My email is li@tern.example.", "fact:user:email", "li@tern.example"),
        ("The email is li@tern.example.", "fact:general:email", "li@tern.example"),
        ("My phone number is 555-123-4567.", "fact:user:phone", "555-123-4567"),
        ("My passport number is E1234567.", "fact:user:passport_number", "E1234567"),
        ("My wife's name is Xiaohong.", "fact:wife:name", "Xiaohong"),
        ("My wife is Xiaohong.", "fact:wife:name", "Xiaohong"),
        ("My mom's birthday is June 9.", "fact:mother:birthday", "June 9"),
        ("Our server is in Helsinki.", "fact:server:location", "Helsinki"),
        ("The signing key lives in Keywhiz.", "fact:signing key:location", "Keywhiz"),
        ("The studio wifi is called Maple.", "fact:studio:wifi", "Maple"),
        ("Nadia's birthday is June 9.", "fact:Nadia:birthday", "June 9"),
        ("The scheduler runs on FreeBSD 14.", "fact:scheduler:runs_on", "FreeBSD 14"),
        ("The pool membership costs 40 euros a month.", "fact:pool membership:price", None),
        ("Our shop opens at 9 on weekdays.", "fact:shop:opening_time", "at 9 on weekdays"),
        ("The name of the cat is Miso.", "fact:cat:name", "Miso"),
        ("Olga handles payroll.", "fact:payroll:responsible", "Olga"),
        ("Viktor is our translator.", "fact:Viktor:role", "translator"),
        ("My nephew is allergic to cashews.", "fact:nephew:allergy", "cashews"),
        ("The attic has two windows.", "fact:attic:windows", "two windows"),
        ("Invoices are archived for ten years.", "fact:invoices:retention", "ten years"),
        ("The mailer listens on port 2525.", "fact:mailer:port", "2525"),
        ("The front door is dark blue.", "fact:front door:color", "dark blue"),
        ("We're using Python 3.11.", "fact:company:language", "Python 3.11"),
        ("server ip is 10.20.30.40", "fact:server:ip", "10.20.30.40"),
        ("staging URL is https://stage.tern.example", "fact:staging:url", None),
        ("We use Zulip for team chat.", "fact:team chat:tool", "Zulip"),
        ("Router password: quartz-81", "fact:Router:password", "quartz-81"),
        ("FYI, the wiki is at wiki.tern.example/home.", "fact:wiki:location", None),
        ("The bins are emptied every Monday.", "fact:bins:schedule", "every Monday"),
        ("Standup is at 9:15 every day.", "fact:standup:schedule", "at 9:15 every day"),
        ("My bike is a Gazelle from 2018.", "fact:bike:kind", "Gazelle from 2018"),
        ("The staging port is 5433 and not 5432.", "fact:staging:port", "5433"),
    ],
)  # fmt: skip
def test_reads_english_facts(text: str, key: str, value: str | None) -> None:
    """A stated fact becomes subject, attribute and value."""
    found = found_in(text)
    assert [key.replace(" ", "_")] == [key_of(one) for one in found]
    if value is not None:
        assert value == found[0].value["value"]


@pytest.mark.spec("C6", "M1", "M2")
@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("我们的服务器在赫尔辛基。", "fact:server:location", "赫尔辛基"),
        ("报表库的端口是 3307。", "fact:报表库:port", "3307"),
        ("小赵负责运维。", "fact:运维:responsible", "小赵"),
        ("门卫的电话是 6620-1188。", "fact:门卫:phone", "6620-1188"),
        ("网关是用 Rust 写的。", "fact:网关:language", "Rust"),
        ("画室周二公休。", "fact:画室:closed", "周二"),
        ("审计日志保留180天。", "fact:审计日志:retention", "180天"),
        ("儿子对虾过敏。", "fact:son:allergy", "虾"),
        ("停车费每月300元。", "fact:停车:price", "每月300元"),
        ("仓库管理员是老冯。", "fact:warehouse:manager", "老冯"),
        ("仓库的管理员是老冯。", "fact:warehouse:manager", "老冯"),
        ("备份存放在二号机柜里。", "fact:备份:location", "二号机柜里"),
        ("我老婆叫小红。", "fact:wife:name", "小红"),
        ("我妹妹叫小丽。", "fact:younger_sister:name", "小丽"),
        ("My younger sister is called Lily.", "fact:younger_sister:name", "Lily"),
        ("支付模块现在由小李负责。", "fact:支付模块:responsible", "小李"),
        ("My new phone number is 415-555-0199.", "fact:user:phone", "415-555-0199"),
        ("构建命令现在是 make dist。", "fact:构建命令:kind", "make dist"),
        ("文档在 https://docs.acme.dev/guide。", "fact:文档:location", "https://docs.acme.dev/guide"),
        ("我妈的电话是13812345678。", "fact:mother:phone", "13812345678"),
        ("我的邮箱是 li@tern.example。", "fact:user:email", "li@tern.example"),
        ("我的邮箱：li@tern.example", "fact:user:email", "li@tern.example"),
        ("我的 email 是 li@tern.example", "fact:user:email", "li@tern.example"),
        ("我的身份证号是110101199003078888", "fact:user:id_number", "110101199003078888"),
        ("我的护照号是E7654321", "fact:user:passport_number", "E7654321"),
        ("我的手机号是13812345678", "fact:user:phone", "13812345678"),
        ("我手机是iPhone 15", "fact:user:phone_model", "iPhone 15"),
        ("小王的手机是13812345678", "fact:小王:phone", "13812345678"),
        ("物业电话是110", "fact:物业:phone", "110"),
        ("我家猫叫年糕。", "fact:猫:name", "年糕"),
        ("小何是我们的设计师。", "fact:小何:role", "设计师"),
        ("我们用 Gitea 做代码托管。", "fact:代码托管:tool", "Gitea"),
        ("记住，保险柜的密码是 7719。", "fact:保险柜:password", "7719"),
        ("Kafka 集群跑在 eu-north-1。", "fact:Kafka 集群:runs_on", "eu-north-1"),
        ("dashboard 的地址是 http://dash.tern.example。", "fact:dashboard:address", None),
        ("门禁密码：8864", "fact:门禁:password", "8864"),
        ("测试库的端口是5433不是5432", "fact:test database:port", "5433"),
        ("这个项目的预算是八万。", "fact:project:budget", "八万"),
        ("这个项目用的是 Next.js + Supabase", "fact:project:frontend_framework", None),
        ("我们的后端是Go写的", "fact:backend:language", "Go"),
    ],
)  # fmt: skip
def test_reads_chinese_and_mixed_facts(text: str, key: str, value: str | None) -> None:
    """Chinese and mixed sentences give the same kind of fact."""
    found = found_in(text)
    assert [key.replace(" ", "_")] == [key_of(one) for one in found]
    if value is not None:
        assert value == found[0].value["value"]


@pytest.mark.spec("C6", "M1")
@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Visiting hours on ward 3 run from 2 to 5.", None, None),
        ("The geocoder caps requests at 50 per minute.", None, "50 per minute"),
        ("rent's 980 a month", "fact:general:rent", "980 a month"),
        ("Postage for a letter costs 1.80.", None, "1.80"),
        ("Dr Silva holds office hours on Mondays.", "fact:Dr Silva:office_hours", "on Mondays"),
        ("The fridge's warranty covers parts for five years.", None, "five years"),
        ("tram 6 stops right outside the library", "fact:tram 6:stop", None),
        ("Our mill ships only on Mondays and Thursdays.", "fact:mill:schedule", None),
        ("My aunt is 61.", "fact:aunt:age", "61"),
        ("The asking price is $210,000.", "fact:general:asking_price", "$210,000"),
        ("The total cost is $500.", "fact:total:price", "$500"),
        ("总费用是500元。", None, "500元"),
        ("七病区一共三十张床", None, "三十张床"),
        ("这款酸奶保质期二十一天", "fact:酸奶:expiry", "二十一天"),
        ("那台水泵最高转速三千转", None, "三千转"),
        ("无机化学这门课占三个学分", "fact:无机化学这门课:学分", "三个学分"),
        ("门面的租约到2028年五月为止", None, None),
        ("停车费一小时五块", None, None),
        ("刘医生每周二四出诊", "fact:刘医生:office_hours", "每周二四"),
    ],
)
def test_reads_numbers_hours_and_prices(text: str, key: str | None, value: str | None) -> None:
    """What something costs, holds, lasts or when it is open is a fact, whatever verb tells it."""
    (one,) = found_in(text)
    assert key is None or key.replace(" ", "_") == key_of(one)
    assert value in (None, one.value["value"])


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "The Hobbit is one of my favorites.",
        "The Wolves are solid and LeBron's skills are amazing.",
        "The last time I did it was about two weeks ago.",
        "My last trip to Bergen only took about four hours.",
        "My close friend Ana got engaged last month on May 15th.",
        "My friend Sarah's daughter Mia is another one I want to remember.",
        "The ratio is usually 1:1:1 (flour",
        "The average adult has 206 bones.",
        "The kids are 90 percent asleep.",
        "The Honda takes 5W-30 oil.",
        "光速每秒三十万公里",
        "今天最高气温三十五度",
    ],
)
def test_opinions_and_passing_remarks_are_no_facts(text: str) -> None:
    """Tastes, general knowledge and what is half said tell no fact."""
    assert [] == found_in(text)


@pytest.mark.spec("M2")
def test_names_the_same_fact_the_same_in_either_language() -> None:
    """The key does not depend on the language or the wording."""
    said = ["The office address is 4 Elm St.", "The address of the office is 4 Elm St.",
            "办公室的地址是榆树街4号。", "办公室地址是榆树街4号。"]  # fmt: skip
    assert {"fact:office:address"} == {key_of(one) for text in said for one in found_in(text)}


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "Is the archive in Helsinki?",
        "If the archive is in Helsinki, we save money.",
        "Maybe the gate code is 1199.",
        "My landlord says the boiler is from 1998.",
        "The archive is not in Helsinki.",
        "The soup was amazing.",
        "This linter is annoying.",
        "The pipeline is red again.",
        "The router is down.",
        "The ferry is 30 minutes late.",
        "My knee hurts today.",
        "Everything is on fire.",
        "It is 7 pm.",
        "The capital of Peru is Lima.",
        "Gold melts at 1064 degrees.",
        "Kubernetes is a container orchestrator.",
        "The interview is on Thursday at 2 pm.",
        "My favourite band is Sigur Rós.",
        "My job is teaching.",
        "The kids are at the park.",
        "The trick is to stay calm.",
        "Translate this: The office is in Porto. The rent is 700 euros.",
        "档案室在三楼吗？",
        "如果端口是 9000 就好了。",
        "听说他们的总部在大连。",
        "密码不是 1234。",
        "这代码太乱了。",
        "今天是周四。",
        "他在开会。",
        "服务器在重启。",
        "日本的首都是东京。",
        "最大的问题是人手不够。",
        "我的感觉是不太行。",
        "帮我润色：我们的工厂在佛山。",
        "我在图书馆。",
        "老板是个好人。",
        "前端是小李写的。",
        "We use it every day.",
    ],
)  # fmt: skip
def test_leaves_what_is_no_fact(text: str) -> None:
    """Questions, guesses, hearsay, opinions, passing states and lessons are left alone."""
    assert [] == found_in(text)


@pytest.mark.spec("C1", "C3")
def test_takes_no_fact_from_the_assistant() -> None:
    """What the assistant says of the world is not remembered as the user's."""
    assert [] == found_in("The reporting database is Oracle 19.", Source.ASSISTANT)


@pytest.mark.spec("C6")
def test_points_at_the_clause_that_says_it() -> None:
    """Two facts in one sentence point at their own words."""
    text = (
        "Hello there! Our vault is in Bern, and the vault's door code is 4410. 谢谢，车位在 B2 层。"
    )
    found = found_in(text)
    said = [text[one.offset : one.offset + one.length] for one in found]
    assert ["Bern", "4410", "B2"] == [one.value["value"].split()[0] for one in found]
    assert ["Our vault is in Bern", "and the vault's door code is 4410", "车位在 B2 层"] == said
    assert all(one.confidence >= 0.8 and one.rule.startswith("facts.") for one in found)


@pytest.mark.spec("C6")
@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=12),
            st.sampled_from(WORDS),
        ),
        max_size=14,
    ).map(" ".join)
)
def test_makes_valid_candidates_of_any_text(text: str) -> None:
    """Whatever is said, every candidate has a key, a valid value and a place in the message."""
    for one in found_in(text):
        assert key_of(one).startswith("fact:")
        assert 0 <= one.offset < one.offset + one.length <= len(text)


@pytest.mark.spec("C4", "M2")
@pytest.mark.parametrize(
    ("texts", "keys"),
    [
        (("The backend uses Postgres.", "The backend uses Redis.", "The backend uses MySQL."),
         ["fact:backend:database", "fact:backend:cache", "fact:backend:database"]),
        (("The API uses port 8080.", "The API uses port 9090.", "The app uses Node 20."),
         ["fact:API:uses_port", "fact:API:uses_port", "fact:app:uses_node"]),
        (("我们用 GitFlow。", "我们用 Kafka。", "我们用的是 Redis。"),
         ["fact:company:uses_gitflow", "fact:company:message_queue", "fact:company:cache"]),
        (("Alice owns the auth service.", "Alice owns billing.",
          "Bob took over the auth service from Alice."),
         ["fact:auth service:responsible", "fact:billing:responsible",
          "fact:auth service:responsible"]),
        (("小王负责支付模块。", "小王负责登录模块。", "小李接手了支付模块。"),
         ["fact:支付模块:responsible", "fact:登录模块:responsible", "fact:支付模块:responsible"]),
        (("Alice owns billing.", "Bob took over billing from Alice.",
          "Carol Diaz took over payroll and billing from Bob Ray.", "Bob took over from Alice."),
         ["fact:billing:responsible", "fact:billing:responsible",
          "fact:payroll and billing:responsible"]),
        (("李四负责支付。", "张三从李四那里接手了支付。", "Bob 从王五手里接管了支付。"),
         ["fact:支付:responsible"] * 3),
    ],
)  # fmt: skip
def test_what_there_may_be_several_of_has_a_key_each(
    texts: tuple[str, ...], keys: list[str]
) -> None:
    """Only one of the same kind takes the place of another."""
    found = [one for text in texts for one in found_in(text)]
    assert [key.replace(" ", "_") for key in keys] == [key_of(one) for one in found]
