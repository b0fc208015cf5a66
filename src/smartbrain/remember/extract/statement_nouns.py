"""What common nouns stand for in a statement: people, places, organisations or things (C7).

In: a noun of either language. Out: the kind of entity it is. Only nouns that many sentences have;
any other is a thing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from smartbrain.domain.graph import EdgeType
from smartbrain.text.entities import Entity
from smartbrain.text.entity_people import NICKNAMES_ZH
from smartbrain.text.word_list import word_set


class Noun(NamedTuple):
    """A noun or a name and where it stands in the clause."""

    kind: str
    name: str
    start: int
    end: int


class Part(NamedTuple):
    """A noun with the role it plays."""

    role: EdgeType
    noun: Noun


class Event(NamedTuple):
    """What a clause says happens, placed in the clause.

    `spoken` is whether the speaker, or whoever a pronoun stands for, is the one who does it.
    """

    predicate: str
    words: str
    negation: bool
    parts: tuple[Part, ...]
    spoken: bool = False
    reported: bool = False

    def agents(self) -> list[Noun]:
        """Return who does it."""
        return [part.noun for part in self.parts if part.role is EdgeType.AGENT]


_PEOPLE: Final = word_set(
    """
    mother father mom dad mum mommy daddy brother sister son daughter wife husband girlfriend
    boyfriend partner grandma grandpa grandmother grandfather uncle aunt cousin nephew niece
    friend friends colleague colleagues coworker boss manager teacher student students doctor
    nurse neighbor neighbour roommate kid kids child children baby boy girl man woman guy people
    parents family customer customers client clients engineer engineers designer developer
    developers lawyer landlord professor coach driver chef waiter police officer intern team-mate
    teammate classmate landlady singer actor writer author president mayor queen king prince
    nephew grandson granddaughter grandparents kids' thief plumber electrician barber pilot judge
    tourist tourists visitors guests guest users user 妈妈 爸爸 母亲 父亲 妈 爸 哥哥 姐姐 弟弟
    妹妹 爷爷 奶奶 外公 外婆 姥姥 姥爷 叔叔 阿姨 舅舅 姑姑 儿子 女儿 老婆 老公 妻子 丈夫 媳妇
    女朋友 男朋友 女友 男友 朋友 同事 老板 领导 经理 老师 学生 同学 医生 护士 邻居 室友 孩子 小孩
    宝宝 男孩 女孩 男人 女人 客户 用户 工程师 设计师 程序员 律师 房东 教授 教练 司机 厨师 服务员
    警察 实习生 歌手 演员 作者 总统 家人 父母 表哥 表姐 表弟 表妹 孙子 孙女 师傅 小偷 组长 主任
    校长 产品经理 运营 测试 前端 后端 孩子们 学生们 同学们 老师们 朋友们 同事们 大家 游客 客人
    队长 队员 球员 导师 博士 保安 快递员 记者 农民 工人 运维 会计 秘书
    """
)
_PLACES: Final = word_set(
    """
    park office school home kitchen garden restaurant hotel airport station library museum gym
    hospital university cafe café bar pub church temple beach mountains mountain city town
    village street house apartment flat room bedroom bathroom classroom lab laboratory basement
    backyard yard market mall store shop supermarket bank factory farm forest lake river sea
    ocean pool stadium theater theatre cinema court field playground countryside downtown campus
    headquarters warehouse garage balcony attic hallway lobby canteen cafeteria bakery pharmacy
    zoo aquarium harbor harbour port bridge square plaza studio clinic kindergarten dorm
    dormitory prison jail island desert woods hill valley conference-room meeting-room bookstore
    living-room upstairs downstairs abroad outside inside 公园 办公室 学校 家 厨房 客厅 院子 花园
    餐厅 饭店 酒店 机场 车站 火车站 地铁站 图书馆 博物馆 健身房 医院 大学 咖啡馆 咖啡厅 酒吧 教堂
    寺庙 海边 沙滩 山上 山里 城市 小镇 村子 村里 街上 街道 房子 公寓 房间 卧室 浴室 教室 实验室
    地下室 阳台 市场 商场 超市 商店 银行 工厂 农场 森林 湖边 河边 海里 游泳池 泳池 体育馆 体育场
    电影院 剧院 操场 球场 篮球场 足球场 郊区 乡下 市中心 校园 总部 仓库 车库 食堂 面包店 药店
    动物园 港口 桥上 广场 公司 工作室 诊所 幼儿园 宿舍 会议室 书店 楼上 楼下 国外 老家 家里 路上
    外面 店里 床上 沙发上 书房 走廊 大厅 门口 网上 学校里 小区 工地 现场 理发店 菜市场 三楼 二楼
    一楼
    """
)
_VEHICLES: Final = word_set(
    """
    bus train car plane subway taxi boat ship 公交车 火车 地铁 飞机 出租车 车 船 高铁
    动车 公交 大巴 轮船 自行车 网约车
    """
)
_ORGS: Final = word_set(
    """
    company team firm startup government ministry club band department committee council 团队
    公司 政府 部门 学校 银行 医院 俱乐部 乐队 委员会 工厂 企业 甲方 乙方
    """
)
_ORDER: Final = (
    EdgeType.AGENT,
    EdgeType.PATIENT,
    EdgeType.RECIPIENT,
    EdgeType.BENEFICIARY,
    EdgeType.INSTRUMENT,
    EdgeType.LOCATION,
    EdgeType.MANNER,
    EdgeType.CAUSE,
)
CAUSE: Final = "cause"
"""The predicate of what brings something about."""
_FAMILY: Final = ("爸", "妈", "哥", "姐", "弟", "妹", "爷", "奶")


def kind_of(noun: str) -> str:
    """Return what kind of entity a common noun names."""
    last = noun.split()[-1].lower() if noun.isascii() else noun
    if last in _PEOPLE or noun.endswith(_FAMILY) or noun in NICKNAMES_ZH:
        return "person"
    if last in _ORGS:
        return "org"
    return "place" if last in _PLACES else "object"


def is_place(noun: Noun) -> bool:
    """Tell whether something can happen at a noun: a place, an organisation, a building."""
    last = noun.name.split()[-1].lower() if noun.name.isascii() and noun.name else noun.name
    return noun.kind in ("place", "org") or last in _PLACES or last in _VEHICLES


def tells(parts: Iterable[Part]) -> list[Part]:
    """Return the parts without which there is no event: how and why alone are none."""
    return [one for one in parts if one.role not in (EdgeType.MANNER, EdgeType.CAUSE)]


def with_causer(event: Event) -> tuple[Part, ...]:
    """Return the parts of an event; what causes something is its cause as well."""
    if event.predicate != CAUSE:
        return event.parts
    return (*event.parts, *(Part(EdgeType.CAUSE, noun) for noun in event.agents()))


def is_vehicle(name: str) -> bool:
    """Tell whether somebody goes by a thing: a train, a bus."""
    return name in _VEHICLES


def circumstance(name: str, start: int, end: int) -> Noun:
    """Return words that tell how or why, and name nobody and no thing, as a noun."""
    return Noun("other", name, start, end)


def named(entity: Entity, shift: int = 0) -> Noun:
    """Return an entity of the text as a noun of the clause."""
    return Noun(entity.kind, entity.canonical, entity.offset - shift, entity.end - shift)


def unlike(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts, each thing in each role once, the main roles first."""
    found = {(part.role, part.noun.kind, part.noun.name): part for part in parts}
    return tuple(sorted(found.values(), key=lambda part: _ORDER.index(part.role)))
