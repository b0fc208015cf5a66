"""What a Chinese clause tells of the user who says it.

In: a clause that the user states. Out: (name, words) of every lasting fact in it, none for a mood,
what somebody is doing just now, or a turn of phrase such as 我是说. A clause that goes on about the
user may leave out the subject: 我是护士，在市医院上班.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.negation import denies_head, ends_denied, opens_denied
from smartbrain.remember.extract.profile_words import (
    ZH_NOT_TRADE,
    ZH_TRADE,
    ZH_TRAIT,
    is_trade,
)
from smartbrain.remember.extract.profile_zh_forms import RULES
from smartbrain.remember.extract.said import Clause, Said
from smartbrain.text.entities import find_entities
from smartbrain.text.entity_people import sure_names
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_WHO: Final = pattern(
    r"\W*(?:对了|其实|另外|还有|而且|因为|由于|不过|但是?|所以|顺便说一下|补充一下|说明一下|你好"
    r"|大家好|hi|hello|btw|毕竟|话说|首先|然后|说实话|老实说|实际上|事实上)*[，,\s]*"
    r"(?:我|本人|俺|鄙人)(?:自己|本人|这边|个人|们?家?(?=(?:有|养)了?[\d一两二三四五几]*(?:[只条匹]|个(?:小?孩|娃|儿子|女儿))))?\s*"
    r"(?:(?:现在|目前|其实|也|就|一直|本来|原来|刚好|已经|平时|主要|如今|现(?!居|住|任)|还|确实"
    r"|真的|从小(?!学|时)"
    r"|最近(?:才)?发现我?|最近(?=搬|换|入职)|刚(?=搬|换|入职|毕业)|都"
    r"|(?:上个?(?:月|周|星期|礼拜)|[今去]年|昨天|前[几两]天|年[初底]|这个?月|\d{1,2}月[份底初]?)"
    r"(?=(?:从[^，,]{2,8})?(?:搬[到来]|入职|跳槽)(?!.*(?:后来|搬回|离开|走了|住了)))|(?:19|20)\d\d年(?=毕业)|从[^，,\d]{2,8}(?=搬[到来]))\s*)*+",
    _I,
)
# 我老家在湖南，现在住深圳: the clause goes on about the same one.
_NOW_AT: Final = pattern(
    r"\W*(?:不过|但是?|可是?)?\s*(?:人?(?:现在|目前|如今|眼下))\s*"
    r"(?=住|居住|定居|常住|base|在[^，,]{2,12}(?:工作|上班|实习|任职|读书|上学))"
)
_NOW: Final = pattern(r"(?:现在|目前|如今)\s*(?:就?是|当|做|担任|在[^，,]{2,15}?(?:当|做|担任|搞))")
_BE: Final = pattern(r"(?:就)?(?:是|am)\s*(?P<v>.+)", _I)
_BE_NAMED: Final = pattern(r"是\s*(?P<v>[\u3400-\u9fff]{2,4}|[A-Z][a-z]+)\W*\Z")
_NO_PERSON: Final = pattern(r"[客痴猫牛羊怒迷粉控党营总]\Z|(?:先生|女士|老师|医生|经理|同学)\Z")
_GREETS: Final = pattern(
    r"\W*(?:你好|您好|大家好|各位好|嗨|哈[喽啰]|hi\b|hello\b|hey\b|[早晚]上好|[上下]午好|初次见面"
    r"|(?:先)?(?:自我)?介绍)",
    _I,
)
_CLOSES: Final = pattern(r"(?:很高兴|请多|多多|幸会|以后请|谢谢)")
_CLAUSE: Final = pattern(r"[^，,。.;；!！?？\n]+")
_MARKS: Final = " ，,。.;；!！~～\n"
_BE_DOING: Final = pattern(
    r"(?P<v>(?:做|搞|学|教|干|卖|写|画|读|跑|开)(?P<what>(?!什么|的|到|完|不|过"
    r"|错)[^，,]{1,20}?))的\W*\Z"
)
_BE_FROM: Final = pattern(
    r"(?P<v>(?!(?:好|坏|男|女|老|成年|本|普通|什么|一个|个|自己|性情|明白|聪明|过来|当事|局外|外"
    r"|大|负责|合伙|创始|投资|经纪|主持|候选|残疾|聋|盲)人)[\u3400-\u9fff]{2,8}人)\W*\Z"
    r"|(?P<from>[\u3400-\u9fff]{2,6}(?:省|市|县|区|州|村|镇))的?\W*\Z"
)
_BE_BORN: Final = pattern(
    r"(?P<v>(?:19|20)?\d\d\s*年?(?:出生|生人?|的)|\d\d后|属[鼠牛虎兔龙蛇马羊猴鸡狗猪])的?\W*\Z"
)
_LATIN_ROLE: Final = pattern(r"(?:一?[名个位]\s*)?(?P<v>[A-Za-z][A-Za-z /&-]{1,40})(?:\s*的)?\W*\Z")
_NOT_NAME: Final = pattern(r"[了他她你您它我车不什人大妈爸来去过到啥谁外]|滴滴|外卖|快递|客服|代驾")

_MINE: Final = pattern(
    r"的\s*(?P<k>(?:英文|中文|真|本|大)?名字?|姓名|昵称|网名|笔名|小名|职业|工作|职位|岗位|职称|职务"
    r"|本职(?:工作)?|专业|年龄|学历|国籍|民族|单位|工作单位|公司|雇主|星座|性别|MBTI|属相|生肖"
    r"|信仰|家庭住址|住址|所在地|城市|母校|籍贯|户口|团队|部门|时区|time ?zone)\s*"
    r"(?:目前|现在|就)?(?:是|叫做?|为|在|属)\s*(?P<v>(?!不|什么|哪|这|那|因为)[^，,]+)",
    _I,
)
_MINE_NAMES: Final = {
    **dict.fromkeys(("职业", "工作", "职位", "岗位", "职称", "职务", "本职", "本职工作"), "role"),
    **dict.fromkeys(("专业", "学历", "母校"), "education"),
    **dict.fromkeys(("单位", "工作单位", "公司", "雇主"), "employer"),
    **dict.fromkeys(("团队", "部门"), "team"),
    **dict.fromkeys(("国籍", "民族"), "nationality"),
    **dict.fromkeys(("家庭住址", "住址", "所在地", "城市", "户口"), "location"),
    **dict.fromkeys(("星座", "属相", "生肖", "mbti"), "trait"),
    **dict.fromkeys(("时区", "timezone", "time zone"), "time_zone"),
    "年龄": "age",
    "性别": "gender",
    "信仰": "religion",
    "籍贯": "hometown",
}
_BARE_TRADE: Final = pattern(
    r"(?:普通|资深|在职|全职|一[名个枚位])?"
    r"(?P<v>(?:(?![是在有说叫给跟和被把让你他她它您的]|负责(?!人))[\u3400-\u9fffA-Za-z ]){2,12}?)"
    r"(?:一[枚名个位只]|\W*\Z)"
)
_TASK_OF: Final = pattern(
    r"(?!主要|也|还|同时|目前|现在|专门|平时|就|兼)[\u3400-\u9fffA-Za-z ]{1,8}?"
    r"(?:负责(?!人)|主管(?=[^，,]))"
)
_LATIN_FIRST: Final = pattern(r"[A-Za-z]+")
_OTHERS_CALL: Final = pattern(
    r"\W*(?:大家|朋友们?|同事们?|同学们?|家里人|家人|别人|身边的?人|圈里的?人?|江湖)(?:一般|都"
    r"|平时|习惯|总)*(?:叫|喊|称呼?)我"
    r"(?:为|作|做)?\s*(?P<v>(?!起|吃|去|来|做|一[声下]|怎|什么|写|帮|过|回|干|出|别"
    r"|早)[\u3400-\u9fff]{1,5}|[A-Za-z]\w*)"
    r"\W*\Z|\W*人称(?P<w>[\u3400-\u9fff]{2,5})\W*\Z"
)
_CALLED: Final = pattern(
    r"(?:大?名)?(?:叫做?|名叫)\s*(?P<v>[\u3400-\u9fff]{2,4}"
    r"|[A-Z][A-Za-z'’-]*(?: [A-Z][A-Za-z'’-]*){0,2})\W*\Z"
    r"|姓\s*(?P<sur>[\u3400-\u9fff]{1,2})(?:名\S{1,3})?\W*\Z"
)
_KINDS: Final = tuple(
    (kind, pattern(words))
    for kind, words in (
        ("diet", r"素食"),
        ("hobby", r"(?<!专业)爱好者|票友|发烧友"),
        ("volunteering", r"志愿者|义工"),
        ("trait", r"房东|业主|租客|租户"),
        ("experience", r"新手|小白|初学者"),
        ("family", r"(?<!全职)(?:妈妈|爸爸|母亲|父亲)\W*\Z|\A(?:宝妈|宝爸|奶爸)"),
    )
)
_BLOOD: Final = pattern(r"(?:AB?|B|O)型")
_CIVIL: Final = pattern(r"单身|[已未]婚|离异")
_EMPHATIC: Final = pattern(r"[对在住]|来自")
_ILL: Final = pattern(r"色盲|色弱|患者|不耐|孕妇|残疾|聋|盲|轮椅|过敏|敏感")
_GENERIC_PLACE: Final = frozenset(
    ("公司", "办公室", "家里", "学校", "单位", "外地", "医院", "食堂", "网上")
)
CITY: Final = pattern(
    r"广东|广西|湖南|湖北|河南|河北|山东|山西|陕西|四川|云南|贵州|江苏|浙江|安徽|福建|江西|辽宁"
    r"|吉林|黑龙江|甘肃|青海|新疆|西藏|内蒙古|宁夏|海南|台湾"
    r"|北京|上海|广州|深圳|杭州|成都|重庆|武汉|西安|南京|苏州|天津|长沙|郑州|青岛|大连|厦门|宁波"
    r"|合肥|福州|济南|昆明|沈阳|哈尔滨|长春|贵阳|南宁|海口"
    r"|石家庄|太原|南昌|兰州|乌鲁木齐|拉萨|珠海|东莞|佛山|无锡|香港|澳门|台北|国外|海外|老家|外地"
    r"|日本|美国|新加坡|德国|英国|法国|加拿大|澳洲|澳大利亚|纽约|伦敦|东京"
)
_PLACE_LENGTH: Final = 8
_TRADE_OPEN: Final = pattern(r"\A(?:(?:一|1)?[名个位]\s*)")


def facts_zh(text: str, goes_on: bool) -> list[tuple[str, str]]:
    """Return the facts of a clause; one that goes on about the user may lack its subject."""
    if others := _OTHERS_CALL.match(text):
        return [("name", others["v"] or others["w"])]
    who = _WHO.match(text)
    if not who and not goes_on:
        return []
    if not who and _NOW.match(text):
        return facts_zh(f"我{text}", goes_on=False)
    now = _NOW_AT.match(text)
    start = who.end() if who else now.end() if now else 0
    if not who and _is_of_another(text):
        return []
    if not who and (trade := _BARE_TRADE.match(text)) and ZH_TRADE.search(trade["v"]):
        return [] if opens_denied(trade["v"]) else [("role", trade["v"])]
    if called := _CALLED.match(text, start):
        name = called["v"] or called["sur"]
        return [] if _NOT_NAME.match(name) else [("name", name)]
    if mine := _MINE.match(text, start):
        return [(_MINE_NAMES.get(mine["k"].lower(), "name"), mine["v"].removesuffix("的"))]
    if be := _BE.match(text, start):
        return _be(be["v"])
    return _rules(text, start)


def named_zh(clause: Clause, said: Said) -> list[tuple[str, str]]:
    """Return the name of 我是李雷 where it introduces: after a greeting, alone, or with more."""
    who = _WHO.match(clause.text)
    be = _BE_NAMED.match(clause.text, who.end()) if who else None
    if not be or not _is_person(be["v"]):
        return []
    rest = said.text[clause.offset + len(clause.text) :].lstrip(_MARKS)
    told = _CLAUSE.match(rest)
    if not told or _CLOSES.match(rest) or _GREETS.match(said.text):
        return [("name", be["v"])]
    return [("name", be["v"])] if facts_zh(told[0].strip(), goes_on=True) else []


def _is_person(name: str) -> bool:
    """Tell whether a word is the name of a person, and no word for what somebody is."""
    if name.isascii():
        return name.lower() in sure_names()
    known = (one for one in find_entities(f"我是{name}") if one.kind == "person")
    return not _NO_PERSON.search(name) and any(one.name == name for one in known)


def _is_of_another(text: str) -> bool:
    """Tell whether a clause without 我 says who else does something: 小陈负责前端, 小李开发."""
    if _TASK_OF.match(text):
        return True
    if (latin := _LATIN_FIRST.match(text)) and latin[0].lower() in sure_names():
        return True
    return any(one.kind == "person" and one.offset == 0 for one in find_entities(text))


def _rules(text: str, start: int) -> list[tuple[str, str]]:
    """Return the facts by the first rule that fits."""
    for name, words in RULES:
        found = words.match(text, start)
        if not found:
            continue
        groups = found.groupdict()
        place = (groups.get("at") or "").strip()
        value = (groups.get("v") or "").strip()
        if _is_denied(name, place, value):
            return []
        if name == "employer" and place:
            return [("location" if CITY.fullmatch(place) else name, place)]
        if place and name == "role":
            if place in _GENERIC_PLACE and not ZH_TRADE.search(value):
                continue
            return [(name, value), ("location" if CITY.fullmatch(place) else "employer", place)]
        if "role" in groups and not ZH_TRADE.search(value):
            continue
        if value:
            return [(name, value)]
    return []


def _is_denied(name: str, place: str, value: str) -> bool:
    """Tell whether a rule has read over words that deny what it found; 不能吃海鲜 is a diet."""
    if ends_denied(place) or denies_head(value):
        return True
    return name != "diet" and opens_denied(value)


def _be(words: str) -> list[tuple[str, str]]:
    """Return what follows 我是."""
    words = words.strip().rstrip("。.!！~～ ")
    if opens_denied(words):
        return []
    if latin := _LATIN_ROLE.match(words):
        return [("role", latin["v"].strip())] if is_trade(latin["v"]) else []
    if born := _BE_BORN.match(words):
        return [("birthday", born["v"])]
    if ZH_TRAIT.search(words) and not ZH_NOT_TRADE.match(words):
        return [(_trait(words), _TRADE_OPEN.sub("", words))]
    if doing := _BE_DOING.match(words):
        return [("role", doing["v"])]
    plain = _TRADE_OPEN.sub("", words)
    if (origin := _BE_FROM.match(plain)) and not ZH_TRADE.search(plain):
        return [("hometown", origin["v"] or origin["from"])]
    if words.startswith("个体") and ZH_TRADE.search(words):
        return [("role", words)]
    if CITY.match(plain) and len(plain) <= _PLACE_LENGTH and plain.endswith("的"):
        return [("hometown", plain.removesuffix("的"))]
    if (
        len(plain) <= 30
        and not ZH_NOT_TRADE.match(plain)
        and ZH_TRADE.search(plain.removesuffix("的"))
    ):
        return [(_kind(plain), plain)]
    if plain != words and is_trade(plain):
        return [("role", plain)]
    return _rules(plain.removesuffix("的"), 0) if _EMPHATIC.match(plain) else []


def _kind(words: str) -> str:
    """Return what 我是 tells: a trade, or what one is besides and keeps one's trade."""
    return next((kind for kind, shape in _KINDS if shape.search(words)), "role")


def _trait(words: str) -> str:
    """Return what kind of trait somebody says they have."""
    if "素" in words:
        return "diet"
    if _BLOOD.match(words):
        return "blood_type"
    if _CIVIL.search(words):
        return "marital_status"
    return "health" if _ILL.search(words) else "trait"
