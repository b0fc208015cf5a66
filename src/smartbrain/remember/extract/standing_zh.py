"""Standing instructions in Chinese: 以后都…, 每次…先…, 别再…了, 一律….

In: a clause that the user states, in its sentence. Out: the rule by which it tells how things are
to be done from now on. Complaints (每次都报错), plans of one's own (以后我要早睡), slogans and what
others do are none.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.preference_words import topic_of
from smartbrain.remember.extract.said import Clause, Sentence
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

FROM_NOW: Final = (
    r"(?:以后|今后|往后|从现在(?:起|开始)|从今(?:天(?:起|开始)|往后|以后)"
    r"|从此(?:以后)?|下次开始|from now on|日后)"
)
_ZH_DIRECT: Final = (
    r"(?:请|别|不要|不用|不许|不准|不得|禁止|一律|统一|都(?!会|是(?!用)|能|可以|有|没|在|快|得好"
    r"|好)|务必|必须|一定要|尽量|只(?=用|要|给|看|推荐|写|回)"
    r"|记得|先|直接|按照?|改用|用|给我|帮我|回答|回复|少|多(?=用|给|写|举|加)|要(?!是|不|么)|麻烦"
    r"|默认|优先|避免)"
)
_ZH_OTHERS: Final = pattern(
    r"我们|咱们|他们?|她们?|它|(?<![给对跟和向帮])(?:公司|团队|大家|孩子|老板|客户|政府|人类"
    r"|世界)(?!的)"
    r"|(?<![给帮替跟对和为向问叫])我(?!的|问|发|让|说|写|给|提|要求|叫|贴|需要|想看|想要"
    r"|不在)(?=[\u3400-\u9fff]{0,4}(?:会|要|想|打算|再|得|就|也|都|肯定|一定|决定|不|可以|应该"
    r"|准备|每天))"
)
_ZH_IDLE: Final = pattern(
    r"以后(?:再说|再聊|再看|再讲|见|有机会|有空|会(?!议)|就(?:会|好|知道|没|不会)|肯定|可能|的事"
    r"|怎么办|还|慢慢|一起)|(?:忘|后悔|报错|失败|卡死|崩溃|迟到|很久|笑死|气死|烦死|受不了)"
)
_ZH_LIKE_THAT: Final = pattern(
    r"(?:以后|都|就|每次|一直|永远|总是)(?:都|就|请|也|按){0,4}[这那](?:样|么|个)[^用写]{0,4}\Z"
)
_ZH_TOLD: Final = pattern(
    r"写着|写道|[说讲道][：:，,]?\s*[“「『\"]|上面说|里说|标语|口号|歌词|台词"
)
_ZH_YES: Final = pattern(r"好|对|行|可以|没错|嗯|是的|没问题|同意|就这")
_ZH_FROM: Final = pattern(FROM_NOW + "|每次", _I)
_TELLING: Final = 6  # characters
_ZH_ASIDE: Final = pattern(r"考虑|因为|担心|怕|觉得|想着|为了|希望我|预计|可能|等|方便|便于")
_ZH_LASTS: Final = pattern(rf"{FROM_NOW}[^。]{{0,40}}?{_ZH_DIRECT}\s*\S", _I)
_ZH_NO_MORE: Final = pattern(
    r"(?:不要|别|不许|不准|请勿|千万别)再?(?P<again>再)?[\u3400-\u9fff]{0,3}?(?:给我|用|使用|推荐"
    r"|写|加(?!班)|发|回复|回答|问|提|生成|输出|改|删|放|叫|建议|解释|重复|自动|安排|带|附|翻译|道歉|讲"
    r"|省略|列|插入)\s*[^了\W]+"
)
# What the assistant is not to do any more, or need not: 以后不用给我解释代码了.
_ZH_DEEDS: Final = (
    r"解释|总结|道歉|重复|翻译|列|加|附|推荐|举例|讲|说明|介绍|展示|贴|写|发(?!信|消|微|语|红)"
)
SPARED_ZH: Final = pattern(
    rf"\A\W*+(?:(?:请|麻烦|那|你|您|就|也|都|(?P<since>{FROM_NOW}))[，,\s]*+){{0,8}}"
    r"(?:(?P<need>不用|不必|不需要|没必要|用不着)|不要|别|不许|请勿)(?P<again>再)?"
    rf"(?:(?:给|跟|对|向|为)我(?:{_ZH_DEEDS})[^，,。]{{0,12}}?"
    r"|(?:解释|说明|总结|重复)[^，,。了吧啊呀\s][^，,。]{0,12}?"
    r"|道歉|说(?:对不起|抱歉)|重复|啰嗦|客套|寒暄|恭维|说教|拍马屁|卖萌|夸我|打官腔)"
    r"(?:[了啦]|就[行好])?[吧啊呀哈]?\W*\Z"
)
_ZH_COMFORT: Final = pattern(r"没事|没关系|不怪你|不是你的错")
_ZH_EVERY: Final = pattern(
    r"(?:每次|每回|每当|每一次|凡是|只要|无论|不管|任何时候|所有)(?P<what>[^。]{0,30}?)"
    r"(?:都?(?:要先|先(?!生)|请|务必|必须|一定要?|记得|别|不要|不能|一律|统一)|都?得先"
    r"|都要(?!\s*[\d一二两三四五六七八九十几好半等我])"
    r"|都?应该|都(?=用|使用|给|按|写|加|带|附|以|采用|放|保持|选|走|发|列|提醒|问|告诉|说明|标"
    r"|注明))\s*\S"
)
_ZH_OVER: Final = pattern(r"(?<!再)(?:走|完|过|好|到|没|通过|结束)了\W*\Z")
_ZH_RULE: Final = pattern(
    r"(?:一律|始终|永远|总是|统一|默认|一直|全部|绝对|千万|always\s*)(?:都|要|只|请|必须)?(?:先"
    r"|优先|用|使用|选|给|按|以|不要|不能|不许|别(?!是)|保持|写|加|放|采用|控制|走|发|带|附|标"
    r"|回答|回复|遵守|遵循|避免|禁止|不用|称呼|叫)\s*\S"
)
_ZH_FIRST: Final = pattern(
    r"\A\W*(?:请|麻烦)?优先(?:使用|采用|用|以)?[^，,。]{1,12}(?:回[答复]|作答|输出|交流|沟通|说话)\W*\Z"
)
_ZH_WHEN: Final = pattern(
    r"(?:(?:给我|帮我|为我|跟我|和我|你)[^，,。]{0,14}|回[答复][^，,。]{0,6}|写[^，,。]{1,10}"
    r"|推荐[^，,。]{0,10}|翻译[^，,。]{0,8}|总结|解释[^，,。]{0,8}|订[^，,。]{1,8}|买[^，,。]{1,8}"
    r"|提交|发布|部署|上线|生成[^，,。]{0,8}|画图|做[^，,。]{1,8}|改[^，,。]{1,10}"
    r"|删[^，,。]{1,10}|安排[^，,。]{1,8}|引用[^，,。]{0,8}|举例|回答问题|起名|命名"
    r"|合并[^，,。]{0,8}|推送[^，,。]{0,8})"
    r"(?:的时候|时|之前|前)[，,]?\s*[^，,。]{0,14}?"
    r"(?:请|务必|必须|一定要?|不要|别|尽量|记得|始终|优先|(?<![首原事])先(?!生)|只(?=用|要|给)"
    r"|都?要(?!是|不要|么)|都用|用|[多少](?=举|用|给|写|加|讲|说|放))\s*\S"
)
_ZH_CONSENT: Final = pattern(
    r"(?:没有|没|未经|不经)(?:过)?我?的?(?:同意|允许|许可|确认|授权"
    r"|批准)[^，,。]{0,8}[，,]?\s*(?:请|就|都)?(?:不要|别|不能|不许|不准|不得|不可以?)"
)
_ZH_SHOULD: Final = pattern(
    r"\A\W*(?:我)?(?:希望|要求|需要|想让|麻烦)你?(?:的|们)?(?:以后|每次|总是|始终|都|一直|能|在"
    r"|所有|回答|回复|解释|的|给我).{2,}"
)

_ZH_MANNER: Final = (
    r"(?:直接|直白|简单|简短|简洁|随意|随便|正式|通俗|坦率|坦诚|委婉|口语|轻松|严肃|客气|详细|具体"
    r"|干脆|爽快|慢|温和|大白话|简明)"
)
_ZH_TO_ME: Final = pattern(
    r"\A\W*(?:请|麻烦|以后|平时|你|您)*(?:跟|和|对|同|给)我(?:说话?|讲话?|聊天?|沟通|交流|解释"
    r"|汇报|回话|打字|谈|回消息|发消息|写东西|写邮件|讲东西|讲题|提意见|推荐东西)(?:的时候|时)?"
    rf"(?:请|就|都|尽量|可以|要|得|最好|说)*(?:{_ZH_MANNER}一?[点些](?:儿)?(?:就好|就行|即可|吧"
    rf"|哈|啦)?\W*\Z"
    rf"|{_ZH_MANNER}(?:就好|就行|即可)|(?:别|不要|不用|少|直接|尽量"
    rf"|请)(?![这那])[\u3400-\u9fff]{{2,}})"
)
_ZH_TO_ME_NOW: Final = pattern(r"[了过]\W*\Z|一下|什么|怎么|这|那|刚|昨|今天|明天")
_ZH_MINE: Final = pattern(
    r"\A\W*(?:以后|请|麻烦|你|您)*(?:给|发|推荐给|写给|报给|交给)我的(?!感觉|印象|压力|任务|礼物|钱"
    r"|时间)[^，,。的]{1,14}?(?:请|都|要|统一|尽量|得|一律|必须|最好|别|不要|一定)+(?:写|用|按"
    r"|标|附|带"
    r"|控制|换算|采用|放|以|给|列|加|保持|做成|排|说|讲|是)\S"
)
_ZH_YOURS: Final = pattern(
    r"\A\W*(?:以后|请|麻烦)*你(?:写|给|发|做|回|列|画|生成|推荐|起|翻译)(?:给?我?的|出来的)"
    r"[^，,。]{0,10}?(?:请|统一|尽量|一律|必须|最好|别|不要|都(?:要|得|请|用|按|加|带|写))+\S"
)
_ZH_NOT_EVERY: Final = pattern(
    r"(?:不用|不必|不需要|没必要|用不着|别|不要)(?:每次|老是?|总是?|动不动)(?:都|就)?+(?!这|那"
    r"|来|去|想)"
    r"[\u3400-\u9fffA-Za-z ]{2,}"
)


def rule_zh(clause: Clause, sentence: Sentence) -> str:
    """Return the rule by which a clause holds an instruction, else nothing."""
    text = sentence.text[clause.offset - sentence.offset :]
    begin = clause.text
    if _ZH_LIKE_THAT.search(begin.rstrip("。.!！~ ")):
        place = sentence.clauses.index(clause)
        before = sentence.clauses[place - 1].text if place else ""
        telling = len(before) >= _TELLING and not _ZH_YES.match(before)
        return "like_that" if telling and _ZH_FROM.search(begin) else ""
    if _ZH_IDLE.search(begin) or _ZH_TOLD.search(begin):
        return ""
    if (found := SPARED_ZH.match(begin)) and (found["again"] or found["since"]):
        return "" if _ZH_COMFORT.search(sentence.text) else "no_more"
    found = _ZH_LASTS.search(text)
    if found and found.start() < len(begin) and not _ZH_OTHERS.search(text[: found.end()]):
        return "" if _ZH_ASIDE.search(begin[: found.start()]) else "from_now_on"
    found = _ZH_NO_MORE.search(begin)
    if found and (found["again"] or "再" in found[0]):
        return "no_more"
    found = _ZH_EVERY.search(text)
    if found and found.start() < len(begin) and not _ZH_OTHERS.search(begin) and begin[0] != "我":
        return "" if _ZH_OVER.search(text) else "every_time"
    found = _ZH_RULE.search(begin) or _ZH_FIRST.match(begin)
    if found and not _ZH_OTHERS.search(begin) and not begin.startswith(("我", "本人")):
        return "rule"
    found = _ZH_WHEN.match(text)
    if (
        found
        and found.start() < len(begin)
        and not _ZH_OTHERS.search(begin)
        and "这" not in found[0]
    ):
        return "when"
    if _ZH_TO_ME.match(begin) and not _ZH_TO_ME_NOW.search(begin):
        return "to_me"
    if (_ZH_MINE.match(begin) or _ZH_YOURS.match(begin)) and not _ZH_OVER.search(begin):
        return "to_me"
    if (found := _ZH_NOT_EVERY.search(begin)) and not _ZH_OTHERS.search(begin[: found.end()]):
        return "not_every_time"
    if _ZH_CONSENT.search(text[: len(begin) + 12]):
        return "consent"
    if _ZH_SHOULD.match(begin) and ("以后" in begin or "每次" in begin or topic_of(begin)):
        return "wish"
    return ""
