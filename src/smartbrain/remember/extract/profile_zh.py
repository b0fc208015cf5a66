"""What a Chinese clause tells of the user who says it.

In: a clause that the user states. Out: (name, words) of every lasting fact in it, none for a mood,
what somebody is doing just now, or a turn of phrase such as 我是说. A clause that goes on about the
user may leave out the subject: 我是护士，在市医院上班.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.profile_words import (
    ZH_KIN,
    ZH_NOT_TRADE,
    ZH_PETS,
    ZH_TRADE,
    ZH_TRAIT,
    is_trade,
)
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_COUNT: Final = r"[\d一二两三四五六七八九十几]+"

_WHO: Final = pattern(
    r"\W*(?:对了|其实|另外|还有|而且|因为|由于|不过|但是?|所以|顺便说一下|补充一下|说明一下|你好"
    r"|大家好|hi|hello|btw|毕竟|话说|首先|然后)*[，,\s]*"
    r"(?:我|本人|俺|鄙人)(?:自己|本人|这边|个人|们?家?(?=(?:有|养)了?[\d一两二三四五几]*[只条匹]))?\s*"
    r"(?:(?:现在|目前|其实|也|就|一直|本来|原来|刚好|已经|平时|主要|如今|现(?!居|住|任)|还|确实"
    r"|真的|从小(?!学|时)"
    r"|最近(?:才)?发现我?|最近(?=搬|换|入职)|刚(?=搬|换|入职|毕业)|都)\s*)*+",
    _I,
)
_BE: Final = pattern(r"(?:就)?(?:是|am)\s*(?P<v>.+)", _I)
_BE_OPEN: Final = pattern(
    r"(?:一|1)?[名个位]|一家|某(?:家|个)?|(?:普通|小|资深|专业|全职|兼职|在职|退休|自由|独立)"
)
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

_AT_PLACE: Final = (
    r"(?:在|于)\s*(?P<at>(?!家|厨房|外面|床上|路上|这|那|办公室|电脑|网上|楼下|等"
    r"|想|看|听|写|做|吃|开|用|学着|找|哪|考虑|努力|认真|公司(?:做|加班|写)"
    r"|学校做)[^，,]{1,25}?)\s*"
)
_BUSY: Final = (
    r"(?!饭|菜|作业|梦|事|什么|[Pp][Pp][Tt]|报告|核酸|检查|体检|手术|实验|家务|报表|题"
    r"|活动|运动|瑜伽|头发|按摩|准备|调研|测试|一个|一件|客)"
)

_RULES: Final = tuple(
    (name, pattern(words, _I))
    for name, words in (
        (
            "employer",
            rf"{_AT_PLACE}(?:工作|上班|任职|就职|打工|供职|实习|就业|当差|work)(?P<more>.*)",
        ),
        ("role", rf"{_AT_PLACE}(?:当|担任|做|干|搞|教)\s*{_BUSY}(?P<v>[^，,了]{{1,20}})"),
        (
            "role",
            r"(?P<role>)(?:在)?(?:当|担任|任)\s*(?P<v>(?!然|时|作|心|天|成|真|着"
            r"|了)[^，,了]{2,16})",
        ),
        (
            "education",
            rf"{_AT_PLACE}(?P<v>(?:读书?|念书?|上)(?:大[一二三四学]|研[一二三究]?|博士?|硕士?"
            rf"|本科|初[一二三中]|高[一二三中]|小学|大学|学|书|mba|幼师|专科|中专)[^，,]*)",
        ),
        (
            "education",
            r"(?:在|正在)?(?P<v>(?:读|念|上)(?:大[一二三四学]|研[一二三究]?|博士?|硕士?|本科"
            r"|初[一二三中]|高[一二三中]|mba)[^，,]*)",
        ),
        (
            "education",
            r"(?P<v>(?:毕业于|就读于|考上了?|保送到?)[^，,]{2,30}|[^，,了]{2,20}毕业的?|(?:大学"
            r"|本科|硕士|研究生|博士)?学的?(?:是|专业是)[^，,]{2,15}|(?:主修|辅修"
            r"|专业是)[^，,]{2,15}|大[一二三四]了?|研[一二三]了?)\W*\Z",
        ),
        ("employer", r"(?:就职于|任职于|供职于|效力于|入职了?|跳槽到了?)\s*(?P<v>[^，,]{2,25})"),
        (
            "role",
            r"(?:从事|负责|主管|分管|主要做|专门做)(?:的是)?\s*(?P<v>(?!这|那|任|的"
            r"|不)[^，,了]{2,25})",
        ),
        (
            "location",
            r"(?:常年|长期)?(?:住在|居住在|定居在?于?|现居|常住|搬到了?|搬来|base在?"
            r"|坐标)[:：]?\s*(?P<v>(?!哪|这|那里|酒店|宾馆|医院|一起)[^，,了]{1,25})",
        ),
        (
            "location",
            r"(?:家住?在|家住|住)\s*(?P<v>(?!院|酒店|宾馆|民宿|进|不|的|了|得|过|哪|这|嘴"
            r"|手)[\u3400-\u9fffA-Za-z ]{2,20})\W*\Z",
        ),
        (
            "hometown",
            r"(?:的)?(?:老家|家乡|祖籍|籍贯)(?:是|在)?\s*(?P<v>(?!那|的|有|今|最|下|发|很|也"
            r"|正)[^，,的]{2,20})",
        ),
        (
            "hometown",
            r"(?:来自|出生在|生于|生在|出生于(?!\d)|土生土长)\s*(?P<v>(?!\d)[^，,]{2,20})",
        ),
        ("hometown", r"(?:从小)?(?:在|是)\s*(?P<v>[^，,]{2,12})(?:长大|土生土长)的?"),
        (
            "birthday",
            r"(?:的)?(?:生日|出生日期)(?:是|在)?\s*(?P<v>[^，,]*[\d一二三四五六七八九十][^，,]*)",
        ),
        ("birthday", r"(?:出生于|生于)?\s*(?P<v>(?:19|20)\d\d\s*年[^，,]{0,10}?(?:出生|生))的?"),
        (
            "age",
            r"(?:今年|马上|快|刚满?|都|已经|虚岁|周岁|正好|过完年|要|就)*\s*"
            r"(?P<v>[\d一二两三四五六七八九十]{1,4}\s*(?:多|来)?岁)",
        ),
        (
            "age",
            r"(?P<v>(?:都|已经|也|马上|这都)*(?:今年|快|马上|将近|年近|年过|奔|刚过|刚满|过了?"
            r"|眼看)+(?:要|就|到|都"
            r"|已经|虚岁|正好)*[\d二三四五六七八九]十?[\d一二三四五六七八九]?(?:出头|整"
            r"|岁)?)(?:的人)?了?\W*\Z",
        ),
        ("gender", r"(?:性别)?(?P<v>[男女](?:生|性|士|的)?)\W*\Z"),
        (
            "role",
            r"(?P<v>教(?:的是)?(?:(?:小学|初中|高中|中学|大学|幼儿园|本科生?|研究生|留学生"
            r"|老年大学|高[一二三]|初[一二三]"
            r"|[一二三四五六]年级)(?:的|生)?[\u3400-\u9fff]{0,6}|(?:语文|数学|英语|物理|化学"
            r"|生物|历史|地理|政治|体育|音乐"
            r"|美术|科学|钢琴|舞蹈|书法|绘画|游泳|瑜伽|日语|法语|德语|编程|计算机|经济学?|法律"
            r"|中文|汉语)(?:课)?))\W*\Z",
        ),
        (
            "role",
            r"(?:主要|平时|专门)?(?P<v>接[^，,了]{1,10}?的?(?:活儿?|单子?|稿子?|私活|项目))\W*\Z",
        ),
        (
            "role",
            r"(?:靠|以)(?P<v>[^，,了]{2,10}?)(?:为生|吃饭|谋生|养家|糊口)的?\W*\Z",
        ),
        ("role", r"(?:干|做)(?P<v>[^，,了这那]{2,8}?)(?:这一?行|行业)(?:的)?\W*\Z"),
        ("zodiac", r"(?P<v>属[鼠牛虎兔龙蛇马羊猴鸡狗猪])的?\W*\Z"),
        (
            "family",
            rf"(?:家里?)?(?:有|生了)\s*(?P<v>(?:{_COUNT}|一)?\s*(?:个|位|对"
            rf"|名)?[^，,]{{0,8}}?{ZH_KIN}(?!的|说)[^，,]{{0,12}})",
        ),
        (
            "marital_status",
            r"(?P<v>已婚[^，,]*|未婚|单身|离异|离婚了?|结婚\s*[^，,]*年了?)\W*\Z",
        ),
        (
            "family",
            r"(?P<v>丁克|怀孕[^，,]*(?:周"
            r"|个?月)[^，,]*|是?独生(?:子|女)[^，,]*|一个人(?:住|带娃|带孩子)[^，,]*)\W*\Z",
        ),
        (
            "pet",
            rf"(?:家里?)?(?:有|养了?着?|养的是)\s*(?P<v>(?:{_COUNT}|一)?\s*(?:只|条|个"
            rf"|匹)[^，,]{{0,8}}?{ZH_PETS}[^，,]{{0,12}})",
        ),
        (
            "allergy",
            r"(?P<v>对\s*[^，,]{1,20}?\s*(?:严重|有点|重度|轻度)?过敏"
            r"|(?:(?![对的妈爸友事姐哥弟妹婆公女他她孩])[\u3400-\u9fff]){1,6}过敏(?!了))",
        ),
        (
            "health",
            r"(?:有|患有?|得了?|确诊(?:了|为)?|查出)\s*(?P<v>(?:先天性?|慢性|过敏性|轻度|重度"
            r"|严重的?)?[\u3400-\u9fffA-Za-z]{0,8}(?:高血压|高血糖|高血脂|糖尿病|哮喘|鼻炎|胃病"
            r"|胃炎|心脏病|抑郁症|焦虑症|癫痫|痛风|湿疹|偏头痛|颈椎病|腰椎间盘突出|甲亢|甲减|贫血"
            r"|多动症|ADHD|自闭症|失眠症|脂肪肝|关节炎|色盲症|不耐(?:受|症)|幽闭恐惧症|恐高症?"
            r"|强迫症|散光|色[弱盲]|近视|腰肌劳损|脊柱侧弯))",
        ),
        (
            "health",
            r"(?P<v>(?:乳糖|麸质|酒精)不耐受?|(?:红绿)?色[盲弱]|近视[^，,]{0,8}|高度近视|恐高"
            r"|晕车|晕船|左撇子|坐轮椅|戴(?:助听器|眼镜|隐形眼镜|假牙)|听力不好|腿脚不(?:便|方便)"
            r"|酒精过敏)\W*\Z",
        ),
        (
            "diet",
            r"(?P<v>(?:吃|只吃|长期吃)(?:纯?素|斋|清真)[^，,]{0,6}|(?:不能|没法|不可以)(?:吃|喝"
            r"|碰)(?!了|这|那|太)[^，,了]{1,15})\W*\Z",
        ),
        ("religion", r"(?P<v>信(?:佛|道|教|基督|天主|伊斯兰)[^，,了]{0,6})\W*\Z"),
        (
            "language",
            r"(?:会|能|懂|精通|擅长)?(?:说|讲)?(?P<v>(?:一点|流利的?|几种"
            r"|一口)?[\u3400-\u9fff]{1,4}?(?:语|话|文)(?:[和跟及、][\u3400-\u9fff]{1,4}?[语话文])*)"
            r"(?:是母语|说得很?好|流利)?\W*\Z",
        ),
        ("language", r"(?:的)?(?:母语|第一语言)(?:就?是|为)\s*(?P<v>[^，,]{2,12})"),
        (
            "experience",
            rf"(?:有|拥有)\s*(?P<v>(?:将近|差不多|超过)?{_COUNT}\s*多?年(?:的"
            rf"|多)?[^，,]{{0,15}}?(?:经验|经历|工龄|教龄|驾龄))",
        ),
        (
            "experience",
            rf"(?P<v>(?:做|干|当|教|写|从事|从业|入行|工作|学|练|开|画|弹|跑|打"
            rf"|搞)了?(?:[^，,]{{0,10}}?)(?:快|将近"
            rf"|超过)?{_COUNT}\s*多?年(?:多)?(?:的)?[^，,]{{0,10}}?)了?\W*\Z",
        ),
        (
            "business",
            r"(?:自己)?(?:经营|开|创办|创立|运营|管理|打理|拥有)(?:着|了)?\s*(?P<v>(?:一|两"
            r"|三)?\s*(?:家|间|个)[^，,]{0,20}?(?:店|公司|馆|厂|铺|工作室|超市|餐厅|酒吧|民宿"
            r"|诊所|农场|咖啡(?:店|馆|厅)?|机构|学校|幼儿园|网店|书店|公众号|账号|频道|团队|部门"
            r"|工坊|影楼|茶社|面馆|饭店|酒店))",
        ),
        (
            "business",
            r"(?:手下|手底下)?(?:带|管|领导|管理)(?:着|了)?\s*(?P<v>(?:一个"
            r"|[\d一二两三四五六七八九十几]+)\s*[^，,]{0,8}?(?:团队|人的?团队|小组|部门|班|项目组"
            r"|车间|实验室|店))",
        ),
        (
            "role",
            r"(?P<v>(?:已经|刚|都)?退休(?:了|[^，,]{0,6}年了?)?|自由职业"
            r"|(?:全职)?(?:在家)?带(?:娃|孩子)|自己开(?:公司|店|厂|网店|饭馆)|自己创业[^，,]{0,8}"
            r"|失业[^，,]{0,6}|待业)\W*\Z",
        ),
        (
            "body",
            r"(?:的)?(?P<v>(?:身高|体重|血型|鞋码)(?:是"
            r"|有)?\s*[\dA-Za-z一二三四五六七八九十][^，,]{0,12})",
        ),
        (
            "experience",
            rf"(?P<v>(?:{_COUNT}\s*多?年前|从?(?:小时候|小学|初中|中学|高中|大学))(?:就)?开始"
            r"(?:学|练|弹|跑|玩|拉|吹|画|写|打|教|做)[^，,了]{1,10})\W*\Z",
        ),
        (
            "education",
            r"(?:最近|正|目前)*在(?P<v>上(?![午网面边])[^，,了这那]{1,8}?(?<![上下])课)\W*\Z",
        ),
        ("hobby", r"(?:的)?(?:爱好|业余爱好|兴趣(?:爱好)?)(?:是|就是|有|包括)\s*(?P<v>[^，,]+)"),
        ("vehicle", r"(?:平时)?开(?:的是?|着)?(?:一)?辆\s*(?P<v>[^，,]{2,15})"),
    )
)
_MINE: Final = pattern(
    r"的(?P<k>(?:英文|中文|真|本|大)?名字?|姓名|昵称|网名|笔名|小名|职业|工作|职位|岗位|职称|职务"
    r"|本职(?:工作)?|专业|年龄|学历|国籍|民族|单位|工作单位|公司|雇主|星座|性别|MBTI|属相|生肖"
    r"|信仰|家庭住址|住址|所在地|城市|母校|籍贯|户口|团队|部门)"
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
    **dict.fromkeys(("星座", "属相", "生肖", "MBTI"), "trait"),
    "年龄": "age",
    "性别": "gender",
    "信仰": "religion",
    "籍贯": "hometown",
}
_BARE_TRADE: Final = pattern(
    r"(?:普通|资深|在职|全职|一[名个枚位])?"
    r"(?P<v>(?:(?![是在有说叫给跟和被把让你他她它您的])[\u3400-\u9fffA-Za-z ]){2,12}?)"
    r"(?:一[枚名个位只]|\W*\Z)"
)
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
_CIVIL: Final = pattern(r"单身|[已未]婚|离异")
_EMPHATIC: Final = pattern(r"[对在住]|来自")
_ILL: Final = pattern(r"色盲|色弱|患者|不耐|孕妇|残疾|聋|盲|轮椅|过敏|敏感")
_GENERIC_PLACE: Final = frozenset(
    ("公司", "办公室", "家里", "学校", "单位", "外地", "医院", "食堂", "网上")
)
_CITY: Final = pattern(
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
    start = who.end() if who else 0
    if not who and (trade := _BARE_TRADE.match(text)) and ZH_TRADE.search(trade["v"]):
        return [("role", trade["v"])]
    if called := _CALLED.match(text, start):
        name = called["v"] or called["sur"]
        return [] if _NOT_NAME.match(name) else [("name", name)]
    if mine := _MINE.match(text, start):
        name = _MINE_NAMES.get(mine["k"], _MINE_NAMES.get(mine["k"].upper(), "name"))
        return [(name, mine["v"].removesuffix("的"))]
    if be := _BE.match(text, start):
        return _be(be["v"])
    return _rules(text, start)


def _rules(text: str, start: int) -> list[tuple[str, str]]:
    """Return the facts by the first rule that fits."""
    for name, words in _RULES:
        found = words.match(text, start)
        if not found:
            continue
        groups = found.groupdict()
        place = (groups.get("at") or "").strip()
        value = (groups.get("v") or "").strip()
        if name == "employer" and place:
            return [("location" if _CITY.fullmatch(place) else name, place)]
        if place and name == "role":
            if place in _GENERIC_PLACE and not ZH_TRADE.search(value):
                continue
            return [(name, value), ("location" if _CITY.fullmatch(place) else "employer", place)]
        if "role" in groups and not ZH_TRADE.search(value):
            continue
        if value:
            return [(name, value)]
    return []


def _be(words: str) -> list[tuple[str, str]]:
    """Return what follows 我是."""
    words = words.strip().rstrip("。.!！~～ ")
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
    if _CITY.match(plain) and len(plain) <= _PLACE_LENGTH and plain.endswith("的"):
        return [("hometown", plain.removesuffix("的"))]
    if (
        len(plain) <= 30
        and not ZH_NOT_TRADE.match(plain)
        and ZH_TRADE.search(plain.removesuffix("的"))
    ):
        return [("diet" if "素食" in plain else "role", plain)]
    if plain != words and is_trade(plain):
        return [("role", plain)]
    return _rules(plain.removesuffix("的"), 0) if _EMPHATIC.match(plain) else []


def _trait(words: str) -> str:
    """Return what kind of trait somebody says they have."""
    if "素" in words:
        return "diet"
    if _CIVIL.search(words):
        return "marital_status"
    return "health" if _ILL.search(words) else "trait"
