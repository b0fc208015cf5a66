"""Facts in Chinese and mixed text: `测试库的端口是5433`, `我们的服务器在法兰克福`, `小李负责前端`.

In: one clause. Out: what it tells of a thing of the user's world. A verb splits the clause into
subject and value; both must be concrete. Opinions, states of the moment and lessons about the
world are not told; neither is what the user is or likes, which other finders read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.remember.extract.decisions_words import THINGS as LEXICON
from smartbrain.remember.extract.fact_names import Told, attribute_of, parted, thing_of
from smartbrain.remember.extract.fact_words import (
    FAMOUS,
    FREE_VALUES,
    MOMENT_ZH,
    PERSONAL_ZH,
    SURNAMES,
    VAGUE_ZH,
)
from smartbrain.remember.extract.wording import GENERAL
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_DIGITS: Final = "[零〇一二两三四五六七八九十百千万亿半]"
_UNIT: Final = (
    "(?:个|天|周|年|月|号|日|点|块|元|万|人|台|转|楼|层|岁|公斤|斤|米|平|次|小时|分钟|秒|折|寸|位"
    "|名|家|条|间"
    "|兆|核|张|颗|只|辆|套|栋|股|倍|页|期|级|等|星|班|室|季|星期|礼拜|工作日|美元|美金|欧元|刀|比)"
)
_NUMBER: Final = rf"(?:\d|{_DIGITS}{{2,}}|{_DIGITS}{_UNIT})"
_CLOCK: Final = (
    rf"(?:每?个?(?:周|星期|礼拜)[一二三四五六日天末]{{1,3}}(?:[到至、和-](?:周|星期"
    rf"|礼拜)?[一二三四五六日天末])*|每天|每日|每月"
    rf"|每年|工作日|节假日|周末|(?:早上|早晨|上午|中午|下午|傍晚|晚上|凌晨|夜里)?(?:\d{{1,2}}"
    rf"|{_DIGITS}{{1,3}})点半?"
    rf"|\d{{1,2}}[:：]\d\d|(?:\d{{2,4}}|{_DIGITS}{{2,4}})年|(?:\d{{1,2}}|{_DIGITS}{{1,3}})(?:月|号"
    rf"|日)|月底|年底|月初|年初|(?:今|明|后)年|下个?月)"
)
_HAS_TIME: Final = pattern(_CLOCK)
_HAS_NUMBER: Final = pattern(_NUMBER)
_NAMED: Final = pattern(
    rf"[A-Za-z`@]|{_NUMBER}|(?:公司|大学|学院|中学|小学|医院|银行|集团|科技"
    rf"|[路街区市省县镇村楼室馆店园]|大厦|广场|花园"
    r"|老师|医生|师傅|教授|律师|先生|女士|经理|主任|部|组|团队|总)\Z"
    rf"|\A[小老阿][\u4e00-\u9fff]{{1,2}}\Z|\A[{SURNAMES}](?:[\u4e00-\u9fff]{{1,2}}|总|工|姐|哥|叔"
    rf"|姨)\Z"
)
_PERSON: Final = pattern(
    rf"\A(?:[小老阿][\u4e00-\u9fff]{{1,2}}|[{SURNAMES}](?:[\u4e00-\u9fff]{{1,2}}|总|工|姐|哥|老师"
    rf"|经理|主任|医生)"
    r"|[A-Z][a-z]+(?: [A-Z][a-z]+)?|我?(?:老婆|老公|妻子|丈夫|爸|妈|爸爸|妈妈|儿子|女儿|哥哥?"
    r"|弟弟?|姐姐?|妹妹?|同事|室友))\Z"
)
_DUTY: Final = pattern(
    r"(?:[员师长]|负责人|经理|总监|老师|医生|主管|财务|会计|助理|组长|律师|老板|设计|产品|运营"
    r"|leader|owner|pm|lead|hr)\Z",
    _I,
)
_FIXED: Final = pattern(
    r"(?:服务器|机房|办公室|公司|总部|仓库|工厂|厂|店|学校|医院|数据库|库|集群|节点|环境|系统|文档"
    r"|文件|代码|源码|钥匙"
    r"|合同|护照|证件|证|发票|备份|日志|密码|密钥|配置|图纸|房子|车位|快递柜|会议室|实验室|教室"
    r"|宿舍|数据中心|中心|部"
    r"|账号|素材|原件|资料|说明书|模板|脚本|服务|项目|接口|开关|电表|水表|阀门|药|药箱|工具箱"
    r"|储藏室|保险柜|幼儿园"
    r"|诊所|健身房|停车场|工位|团队|老家|[A-Za-z])\Z"
)
_WRITTEN_IN: Final = "|".join(
    name.replace(".", r"\.").replace("+", r"\+")
    for kind in ("language", "frontend_framework", "backend_framework", "mobile_framework")
    for name in ("go", *LEXICON[kind].split())
)
_MADE: Final = pattern(r"(?:写|做|开发|编写|实现|搭建?|画|改)\Z")  # by somebody
# Every verb that tells something, what it tells, and what its value must be.
_VERBS: Final = (
    (rf"(?:是?用|是(?=\s*+(?:{_WRITTEN_IN})\s*+(?:写|开发|编写|实现)的\Z))\s*+(?P<made>[^的]{{1,30}}?)\s*+"
     r"(?:写|开发|编写|实现)的?\Z", "language", "made"),
    (r"是?(?:用|基于)\s*+(?P<built>[^的]{1,30}?)\s*+(?:做|搭|搭建|构建"
     r"|建)的?\Z", "built_with", "made"),
    (r"(?:由|归|是)\s*+(?P<by>[^的]{1,12}?)\s*+在?(?:负责|管理?|维护|跟进"
     r"|对接)的?\Z", "responsible", "made"),
    (r"对\s*+(?P<to>[^的]{1,20}?)\s*+(?<![不没])过敏\Z", "allergy", "made"),
    (r"(?:跑|运行|部署|托管|架设|搭建?|发布)[在到于](?!了)", "runs_on", "any"),
    (r"位于|坐落[于在]|(?:放|存放?|保存|保管|设|建|收|藏|挂|停|备份"
     r"|记录?)[在到](?!了)", "location", "any"),
    (r"监听(?:在|的是)?(?:端口)?", "port", "number"),
    (r"(?:(?<!文)名叫|名为|叫做|称为|叫)(?!我|你|他|她|的|了)", "name", "any"),
    (r"负责(?![任人])|接[手管]了(?![\d一二三四五六七八九十两几半])", "in_charge_of", "duty"),
    (r"姓(?=[\u4e00-\u9fff]{1,2}\Z)", "surname", "any"),
    (r"属于|归属(?:于)?", "owner", "any"),
    (r"用的(?:是|就是)?", "uses", "named"),
    (r"(?:保留|保存|留存)(?=\D{0,2}" + _NUMBER + ")", "retention", "number"),
    (r"(?:一共|总共|共|现在)?有(?=" + _NUMBER + ")", "has", "count"),
    (r"(?:一共|总共|合计|总计)(?:是)?(?=" + _NUMBER + ")", "has", "count"),
    (r"占(?:了)?(?=" + _NUMBER + ")", "share", "share"),
    (r"(?:截止到|到|至)(?=" + _CLOCK + ")", "", "until"),
    (r"(?:就?是|为|等于)(?!不是|否)", "", "is"),
    (r"(?<![用是])用\s?(?=[A-Za-z])", "uses", "named"),
    (r"(?<![正还又都现存])在(?!于|吗|线|用|做|跑)", "location", "place"),
)  # fmt: skip
_BEGINS: Final = (
    "是用基由归对跑运部托架搭发位坐放存保设建收藏挂停备记监名叫称负属留一总共现有截到至就为等在"
    "合占姓接"
)
_VERB: Final = pattern(
    rf"(?<=\S)\s?(?=[{_BEGINS}])(?:"
    + "|".join(f"(?P<v{place}>{verb})" for place, (verb, _, _) in enumerate(_VERBS))
    + r")\s?",
    _I,
)
# What is done at a time, and what that tells.
_TIMED: Final = {
    "公休": "closed", "休息": "closed", "不营业": "closed", "闭店": "closed", "闭馆": "closed",
    "开门": "opening_time", "营业": "opening_hours", "开馆": "opening_time",
    "关门": "closing_time", "打烊": "closing_time", "到期": "expiry", "过期": "expiry",
    "下班": "下班", "上班": "上班", "放学": "放学", "上学": "上学", "开盘": "开盘", "收盘": "收盘",
    "发版": "发版", "发工资": "发工资", "倒垃圾": "倒垃圾", "收垃圾": "倒垃圾", "交房租": "交房租",
    "结账": "结账", "结算": "结算", "出账": "出账", "发车": "发车", "发货": "发货", "上课": "上课",
    "下课": "下课", "出诊": "office_hours", "坐诊": "office_hours", "开饭": "开饭",
    "结束": "end", "截止": "deadline", "开课": "开课", "值班": "值班", "轮休": "轮休",
    "例会": "例会", "大扫除": "大扫除",
}  # fmt: skip
_ACTIONS: Final = tuple(_TIMED)
_TIMES: Final = pattern(
    rf"\A(?P<s>[^，,]{{1,16}}?)\s?(?P<v>(?:每?{_CLOCK}|[到至从~-])(?:{_CLOCK}|(?!到期)[到至、和~—-])*+)\s?"
    rf"(?:都|才|就)?(?P<a>{'|'.join(_ACTIONS)})\Z"
)
_DUE: Final = pattern(
    rf"\A(?P<s>(?!数据|统计|名单)[^，,到至]{{0,12}}?)\s?(?:截止(?:日期)?[到至于]?\s?)?"
    rf"(?P<v>[本这下]?个?{_CLOCK}(?:{_CLOCK}|[前底末])*+)\s?(?P<a>截止(?:报名|提交|申请|投稿)?)?\Z"
)
_OPEN_UNTIL: Final = pattern(r"(?:报名|提交|申请|投稿|交稿|注册|征集|投票|缴费|付款|预订|征稿)\Z")
_THIS: Final = pattern(r"\A(?:我们|咱们)?的?(?:这|本|当前)(?:个|次|轮|期|届)?(?:的)?")
_OF_DAY: Final = pattern(r"[周月日号年]|星期|礼拜")
_MONEY: Final = pattern(
    rf"\A(?P<s>[^，,]{{2,16}}?)\s?(?P<v>(?:每(?:个月|月|年|人|次|天|晚|小时)|一(?:个月|年|次|晚"
    rf"|天|个?小时|位|人))?\s?"
    rf"(?:要|是|收费?|卖|花|需要|付"
    rf"|交)?\s?(?<![\d零〇一二两三四五六七八九十百千万亿半])(?:\d[\d,.]*"
    rf"|{_DIGITS}{{1,8}})\s?(?P<c>元|块钱?|万元|美元|美金|刀|欧元|港币)?"
    r"(?:[/每一](?:个月|月|年|人|次|天|晚|小时))?)\Z"
)
_MEASURED: Final = pattern(
    rf"\A(?P<s>[^，,\d]{{3,24}}?)(?P<v>(?:约|大约|最多|至少"
    rf"|不超过)?(?<![零〇一二两三四五六七八九十百千万亿半])"
    rf"(?:\d[\d,.]*|{_DIGITS}{{1,9}})\s?(?:{_UNIT}|[A-Za-z%％]{{1,6}})(?:月|期|钟"
    rf"|/[^，,]{{1,3}})?)\Z"
)
_HAS_DIGIT: Final = pattern(rf"\d|{_DIGITS}")
_NEAR: Final = 10
_LONGEST: Final = 120
"""A longer clause tells no one fact."""
_PAID: Final = frozenset({"price", "rent", "budget", "hourly_rate", "insurance"})
_SPENT: Final = pattern(r"\A(?:要|是|收费?|卖|花|需要|付|交)\s?")
_WE_USE_FOR: Final = pattern(
    r"\A(?:我们|咱们|我司|我们(?:团队|公司|组)|团队|公司)(?:这边|现在|目前|一直|都"
    r"|是)*用\s?([^，,的了]{2,24}?)\s?"
    r"(?:做|来做|当|作为|管理|写|存|跑)\s?([^，,了]{1,16}?)的?\Z"
)
_PROJECT: Final = pattern(r"\A这个(?=项目(?:现在|目前|主要|是)*(?:用|部署|跑在|基于))")
_NOW: Final = pattern(r"(?:(?<![存所现])在|正在|现在|目前|一直|当前)+\Z")  # 我们在|用 Kafka
_FROM_WHOM: Final = pattern(r"(?<=\S)\s?(?:已经)?从[^，,从]{1,12}\Z")  # 张三从李四那里|接手了
_AT_PRESENT: Final = pattern(r"(?<=\S\S)\s?(?:现在|目前|如今|当前|已经)+\Z")
_OPENING: Final = pattern(
    r"\A\W*+(?:(?:请|帮我|麻烦|你|要|先)*(?:记住|记得|记一下|记下来|记下|记着|知道|备注|备忘"
    r"|注意)(?:一下|了|哦|啊)?"
    r"|对了|另外|还有|顺便说(?:一下|一句)?|补充(?:一下|一点)?|提醒一下|说明一下|同步一下|其实|而且"
    r"|并且|以及|然后|不过|但是?"
    r"|因为|所以|反正|那么?|嗯|哦)[\s，,：:]*"
)
_NO_SUBJECT: Final = pattern(
    r"[了着吗呢吧啊呀嘛]|[就都才把被让想很太真]|觉得|认为|以为|喜欢|讨厌|说|不|没|会(?!议|员|计"
    r"|所)|能(?!源|耗|力)|可以"
    r"|应该|如果|因为|所以|但是|什么|怎么|谁|哪|多少|最(?!高|大|低|小|长|新|终|近)|好像|这么|那么"
    r"|比|定下|决定|选[了定]|[=<>(){}]"
)
_STARTS_NO_SUBJECT: Final = pattern(
    rf"\A(?:他|她|它|你|您|大家|人家|别(?!墅)|有人|自己|这(?![个份套台家款辆栋间本条张部边])"
    rf"|那(?![个份套台家款辆栋间本条张部边])|决定"
    rf"|昨|明天|后天|上周|下周|本周|外面|天气?|时间|世界|地球|太阳|月亮|水的|光的|中国|美国|日本"
    rf"|人(?!事)|生活|{MOMENT_ZH}|只|也|一直|以后"
    r"|今后|结果|最后|居然|一|是|从|在|用|给|对|为|跟|和|与|如|每次|主要|重要|有意思|好玩|奇怪"
    r"|到(?![期达账货岗])|[离距](?![职婚])|可惜|幸好|总之|反而|甚至"
    r"|(?:准备|打算|需要|直接)\Z|麻烦|帮(?=[我你忙]))"
)
_ME: Final = pattern(
    r"\A我(?!们|的|家|老婆|老公|妻子|丈夫|爸|妈|爷|奶|外公|外婆|儿子|女儿|孩子|哥|弟|姐|妹|司|同事"
    r"|室友|这边|车|手机|电脑)"
)
_MINE: Final = pattern(rf"\A我的?(?:{PERSONAL_ZH})\Z")
_VAGUE_END: Final = pattern(rf"(?:{VAGUE_ZH})\Z")
_HAPPENING: Final = pattern(
    r"(?:会|会议|航班|考试|面试|婚礼|答辩|比赛|活动|培训|演出|体检|手术|旅行|聚会|聚餐|评审|上线"
    r"|发布|大寿|典礼|讲座|课程?)\Z"
)
_RECURS: Final = pattern(r"每|周[一二三四五六日天]\Z|工作日")
_NO_VALUE: Final = pattern(
    rf"\A(?:很|太|非常|挺|真|最|不|没|有点|比较|特别|超|好[的得难看用吃多]|因为|为了|让|把|要|想"
    rf"|什么|怎么|谁|哪|多少|错的?\Z|对的?\Z|正确"
    rf"|坏|关键|问题|一种|这样|那样|如此|我[想觉要]|你|他|她|它|个|一个[^\d]{{0,6}}的|{MOMENT_ZH})"
    r"|[吗呢吧啊呀嘛哈]\Z|了\Z|着\Z"
)
_MOVING: Final = pattern(
    r"\A(?:开会|装修|跑|编译|下载|重启|升级|维护|排队|路上|家|哪|这|那|外面|里面|我|你|他|她|等|修"
    r"|忙|吃|睡|看|写|做|改|搞|用|线"
    r"|涨|跌|下雨|变|进行|准备|考虑|讨论|学|工作|上班|上课|值班|部署|测试|运行|闹|叫|响|笑|说|聊"
    r"|想|找|玩|打|处理|[^里外上下中内边]*中\Z)"
)
_TAIL: Final = pattern(r"(?:[\s，,]*(?:谢谢|哈|哦|噢|啦|喔|的说|别忘了?))+\Z|[。.!！~～\s]+\Z")
_COLORED: Final = pattern(r"[红橙黄绿青蓝紫黑白灰粉棕金银]|色")
_COUNTED: Final = pattern(
    rf"\A(?:\d[\d,.]*|{_DIGITS}+)\s?(?:多|几|来)?(?:[A-Za-z]{{1,2}}(?=[\u4e00-\u9fff])"
    rf"|[个名位台块张间家条只辆套栋层颗本份次平])?"
    r"\s?(.*)\Z"
)


def told_in_chinese(clause: str) -> Iterator[Told]:
    """Tell the fact of a Chinese clause, if it holds one."""
    if len(clause) > _LONGEST:
        return
    clause = _TAIL.sub("", clause.strip())
    while opening := _OPENING.match(clause):
        clause = clause[opening.end() :]
    clause = _PROJECT.sub("", clause)
    told = _told_of_us(clause) or _told_by_time(clause) or _told_by_verb(clause)
    if told is not None:
        yield told


def labelled_in_chinese(label: str, value: str) -> Told | None:
    """Tell the fact of `label：value`, such as `wifi 密码：birch-7`."""
    value = value.strip(" 。.")
    if len(label) > 20 or _named(label) is None or not 0 < len(value) <= 60:
        return None
    parts = parted(label)
    if parts is None:
        return None
    if not _NAMED.search(value) or _NO_VALUE.search(value):
        return None
    return Told(*parts, value, "label")


def _told_of_us(clause: str) -> Told | None:
    """Tell what `we` use for what."""
    found = _WE_USE_FOR.match(clause)
    if not found or not _NAMED.search(found[1]) or _NO_SUBJECT.search(found[1]):
        return None
    return Told(thing_of(found[2]), "tool", found[1].strip(), "we_use")


def _told_by_time(clause: str) -> Told | None:
    """Tell when something opens or ends, and what it costs."""
    if "截止" in clause and (due := _DUE.match(clause)) and (told := _told_due(due)):
        return told
    if clause.endswith(_ACTIONS) and (found := _TIMES.match(_THIS.sub("", clause))):
        what, ends = _TIMED[found["a"]], found["a"] == "结束"
        passes = ends and (_HAPPENING.search(found["s"]) or not _OF_DAY.search(found["v"]))
        if _named(found["s"]) and not passes:
            return Told(thing_of(found["s"]), what, found["v"], "time")
    if not _HAS_DIGIT.search(clause[-_NEAR:]):
        return None
    if (found := _MEASURED.match(clause)) and (parts := parted(found["s"])) and _named(found["s"]):
        thing, what = parts
        return Told(thing, what, found["v"], "measure") if thing != GENERAL else None
    if (found := _MONEY.match(clause)) and (parts := _named(found["s"])):
        thing, what = parts
        if not found["c"] and what not in _PAID:
            return None
        return Told(thing, what or "price", _SPENT.sub("", found["v"]), "price")
    return None


def _told_due(due: re.Match[str]) -> Told | None:
    """Tell until when something can be done: 报名周五截止, 周五截止, 提交截止到周五."""
    after = (due["a"] or "").removeprefix("截止")
    subject = _THIS.sub("", due["s"]) or after
    if not due["a"] and not _OPEN_UNTIL.search(subject):  # as of a day: 数据截止到6月30日
        return None
    if subject and _named(subject) is None:
        return None
    return Told(thing_of(subject) or GENERAL, "deadline", due["v"], "due")


# 请用 JSON 格式回答 asks for something.
_ORDERED: Final = pattern(r"\W*(?:请(?![假柬帖求示款购客])|麻烦你?(?=[用使把给])|劳驾|务必)")


def _told_by_verb(clause: str) -> Told | None:
    """Tell the fact that the first verb with a subject and a value of its kind tells."""
    if _ORDERED.match(clause):
        return None
    for verb in _VERB.finditer(clause):
        group = verb.lastgroup or "v0"
        if not group.startswith("v"):
            group = next(name for name, text in verb.groupdict().items() if text is not None)
        _, attribute, check = _VERBS[int(group[1:])]
        inner = next((verb[name] for name in ("made", "built", "by", "to") if verb[name]), None)
        value = (inner or clause[verb.end() :]).strip()
        subject = _AT_PRESENT.sub("", clause[: verb.start()].strip())
        if attribute == "in_charge_of" and subject.endswith(("也", "还")):
            continue  # beside somebody else
        if attribute == "in_charge_of":
            subject = _FROM_WHOM.sub("", subject)
        if attribute == "uses":
            subject = _NOW.sub("", subject)
        told = _told(subject, attribute, check, value)
        if told is not None:
            return told
    return None


def _told(subject: str, attribute: str, check: str, value: str) -> Told | None:
    """Tell a fact of subject, verb and value, if both ends are concrete."""
    if not value or len(value) > 50 or len(subject) > 30 or not _fits(check, subject, value):
        return None
    parts = None if _NO_VALUE.search(value) else _named(subject)
    if parts is None:
        return None
    thing, what = parts
    if check == "is":
        return _told_by_is(subject, thing, what, value)
    if check == "until":
        return Told(thing, what, value, "until") if what else None
    if check == "share":
        unit = _COUNTED.match(value)
        return Told(
            thing_of(subject),
            attribute_of(unit[1]) if unit and unit[1] else attribute,
            value,
            "verb",
        )
    if check == "count" and (counted := _COUNTED.match(value)) and counted[1]:
        attribute = "people" if counted[1] == "人" else attribute_of(counted[1])
    if attribute == "name" and what:  # `项目代号叫蓝鲸`
        return Told(thing, what, value, "name")
    return Told(thing_of(subject), attribute, value, "verb")


def _named(subject: str) -> tuple[str, str] | None:
    """Return the thing and, where it is named, what is told of it; None if it is no thing."""
    subject = subject.strip()
    if not subject or len(subject) > 30 or _ME.match(subject) or _MINE.match(subject):
        return None
    if _STARTS_NO_SUBJECT.match(subject) or _NO_SUBJECT.search(subject):
        return None
    if parts := parted(subject):
        return parts
    if _VAGUE_END.search(subject) or subject.casefold() in FAMOUS:
        return None
    if subject.startswith(("这", "那")) and "的" not in subject:
        return None
    owner, of, what = subject.rpartition("的")
    if of and what.strip() and (thing := thing_of(owner)):
        return thing, attribute_of(what)
    thing = thing_of(subject)
    return (thing, "") if thing else None


def _fits(check: str, subject: str, value: str) -> bool:
    """Tell whether a value is of the kind that a verb asks for."""
    if check in ("number", "count", "share"):
        return bool(_HAS_NUMBER.search(value))
    if check == "duty":
        return bool(_PERSON.match(subject)) and len(value) <= 20
    if check == "place":
        near = len(value) <= (_LONGEST if "/" in value else 20)  # an address may be long
        return bool(_FIXED.search(subject)) and near and not _MOVING.match(value)
    if check == "named":
        return bool(_NAMED.search(value))
    return True


def _told_by_is(subject: str, thing: str, what: str, value: str) -> Told | None:
    """Tell the fact of `<thing>是<value>`, where an opinion is none."""
    if _HAPPENING.search(subject) and not _RECURS.search(value):
        return None
    if value.endswith("的"):
        value = value[:-1].strip()
        if _MADE.search(value) or not (_NAMED.search(value) or _COLORED.search(value)):
            return None
    named = bool(_NAMED.search(value) or (what == "deadline" and _HAS_TIME.search(value)))
    if what in FREE_VALUES and len(value) <= 12 and thing != GENERAL:
        return Told(thing, what, value, "attribute")
    if what:
        known = parted(subject) is not None and thing != GENERAL and len(value) <= 20
        return Told(thing, what, value, "attribute") if named or known else None
    if _PERSON.match(subject):
        role = thing_of(value)
        return Told(thing, "role", role, "role") if _DUTY.search(role) else None
    latin = bool(_HAS_NUMBER.search(value)) or value[:1].isascii()
    return Told(thing, "kind", value, "is") if latin and len(thing) >= 2 else None
