"""Tastes and habits that a Chinese clause tells: 我喜欢喝茶, 我写代码一直用 vim, 我不吃香菜.

In: a clause that the user states. Out: what is liked, used or wanted, and what it is about; nothing
for a liking of the moment (我喜欢这个笑话), for venting, and for the tastes of others.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.remember.extract.negation import ends_denied, opens_denied
from smartbrain.remember.extract.preference_words import (
    OF_TOOLS,
    Taste,
    Topic,
    favourite_name,
    topic_of,
    trimmed,
)
from smartbrain.remember.extract.said import Sentence
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_ZH_WHO: Final = r"(?<![给帮替跟对和向为叫让陪找教送])(?:我|本人|俺)(?:自己|个人|本人|这个?人)?\s*+"

_ZH_KIN: Final = (
    r"(?!(?:的?[女男]?朋友|同学|同事|妈|爸|姐|哥|弟|妹|老婆|老公|儿子|女儿|孩子|老板"
    r"|家人|室友|家的?[猫狗里]|们|爷|奶|媳妇|对象|外[婆公]|邻居|客户|女神|男神|闺蜜|娃))"
)

_ZH_TOPIC: Final = r"\A(?P<topic>[^，,。说问让他她妈爸哥姐弟妹]{0,20}?)"

_ZH_LIKE: Final = pattern(
    _ZH_TOPIC
    + _ZH_WHO
    + _ZH_KIN
    + r"(?:(?:开会|写|看|听|吃|喝|出差|旅行|旅游|出门|睡觉|工作|学习|跑步|运动|上班|做|买|点|读"
    r"|用|住|坐|编程|打|玩|拍|聊|办公|早上|晚上|周末"
    r"|记|回|发)[^，,。说问想觉妈爸他她]{0,10}?)?"
    r"(?:还是|比较|更加?|最|一直|都|也|就|真的|其实|非常|特别|很|超级?|挺|蛮|只|一般|平时|通常|向来"
    r"|从来|从小就?|总是?|现在|尤其|相当|确实|本来就|改成|\s|really\s)*+"
    r"(?P<verb>不(?:太|怎么|大|是很|是特别)?喜欢|喜欢|偏好|偏爱|偏向于?|钟爱|热爱|酷爱|习惯于?"
    r"|倾向于?"
    r"|宁愿|宁可|首选|(?<=只)认|认准|独爱|钟情于?|青睐|痴迷于?|(?<=最)[烦恨]|(?<=特别)烦|(?<=很)烦"
    r"|(?<=超)烦"
    r"|看不惯|吃不[惯来]|喝不[惯来]|用不惯|忍不了|接受不了|离不开|讨厌|反感|受不了|不爱|"
    r"爱(?=[吃喝用听看玩穿逛坐住买点泡养跑睡打做写读拍唱跳骑爬钓追刷画种]|运动|旅)"
    r"|(?:don'?t )?(?:prefer"
    r"|like|love)|hate)\s*+"
    r"(?P<object>.+)",
    _I,
)

_ZH_USE: Final = pattern(
    _ZH_TOPIC + _ZH_WHO + _ZH_KIN + r"(?P<about>[^，,。说问]{0,14}?)"
    r"(?:(?P<habit>always|usually|一直以?来?都?|习惯|平时都?|一般都?|平常都?|通常都?|都|只|总是?"
    r"|基本上?都?|主要|经?常|向来都?|从来都?|日常"
    r"|大多|多半|每天都?)\s*(?P<no>不)?(?:prefer\s*)?(?P<verb>用|使用|选|喝|吃|听|看|坐|穿|点|订"
    r"|走)"
    r"|(?P<never>从来?不|不|不太?能接受)(?P<never_verb>吃|喝|抽|穿|看|坐|用)"
    r"|(?P<plain>用|使用))"
    r"(?!了|过|完|起来|得|上了|不|好|着玩|心|力|功|户|处|意|餐|尽)(?:的都?是"
    r"|着)?\s*+(?P<object>\S.*)",
    _I,
)

# Nothing but 用 and the name of a tool, as people answer or note it down.
_ZH_BARE: Final = pattern(r"\A\W*+(?:一直|都|就)?用\s*+(?P<object>[A-Za-z][\w+#.-]*+)\W*\Z")

_ZH_LATELY: Final = "(?:现在|最近|已经|刚|终于|彻底|都|也){0,6}"
_ZH_SWITCH: Final = pattern(
    rf"\A\W*+(?:我(?!们))?{_ZH_LATELY}(?:从\s*+[\w .+#-]{{2,20}}?\s*+{_ZH_LATELY})?"
    r"(?:改用|换成|换用|换到|转用|转投|切换?到|迁移?到)了?\s*+"
    r"(?P<object>[A-Za-z][\w+#.-]*+(?: [\w+#.-]++){0,2}?)\s*+[了啦]?\W*\Z"
)

# 我现在用 emacs, and nothing that is done with it just now; what it is good for may follow.
_ZH_NOW: Final = pattern(
    r"(?:" + _ZH_TOPIC + _ZH_WHO + _ZH_KIN + r"(?P<about>[^，,。说问]{0,8}?)|\A\W*+)"
    r"(?:现在|如今|目前|当前)(?:在|都|就|主要|一直|已经){0,4}使?用(?:的都?是|着)?\s*+"
    r"(?P<object>[A-Za-z][A-Za-z0-9+#._-]*+(?: [A-Za-z0-9+#._-]++){0,2}"
    r"|[\u3400-\u9fff]{0,4}(?:输入法|浏览器|编辑器))"
    r"\s*+(?:(?:浏览器|编辑器|输入法)\s*+)?(?:来?(?:写代码|写东西|写文档|写作|编程|开发|办公|上网"
    r"|记笔记|做笔记))?[了啦]?\W*\Z"
)
_ZH_I_USED: Final = pattern(r"\A\W*我(?:以前|之前|原来|原先|过去|从前)(?:一直|都)?[在是]?用")

_ZH_TRIED: Final = pattern("还是|报错|换回|又|试|复现|临时|测试")
_ZH_STOPPED: Final = pattern("戒|不过|但|停")
_ZH_AGAIN: Final = pattern(
    r"\A\W*我(?:最近|现在|已经)*又(?:重新)?开始(?P<verb>喝|吃|抽|穿)"
    r"(?P<object>(?![那这])[^，,。了]{1,8}?)了\W*\Z"
)

_ZH_FAVOURITE: Final = pattern(
    r"\A(?P<topic>)"
    + _ZH_WHO
    + r"(?:最|比较|更|一直)?(?:喜欢|爱|偏爱|常用|习惯用?)(?:吃|喝|听|看|用)?的\s*+"
    r"(?P<kind>[^是，,]{0,10}?)\s*+(?:就?是|一直是)\s*+(?P<object>\S.*)",
)

_ZH_MINE: Final = pattern(
    r"\A(?P<topic>)我的(?P<kind>编辑器|浏览器|操作系统|终端|包管理器|输入法|主力(?:语言|编辑器"
    r"|浏览器)|首选|最爱"
    r"|偏好|编程语言)(?:一直|首选)?(?:用的是|是|用|[:：]|(?=\s*[A-Za-z])|(?<=首选|最爱|偏好))\s*"
    r"(?P<object>(?![很太好超坏崩卡慢旧挂死]|有点|有问题|打不开)\S.*)",
)

_ZH_AGAINST: Final = pattern(
    r"不|讨厌|反感|受不了|hate|don|烦|恨|看不|吃不|喝不|用不|忍不|接受不", _I
)
# Many things are liked; what is liked best, or used by liking, is one.
_ZH_FOND: Final = pattern(r"喜欢|热爱|酷爱|钟爱|爱|like|love|痴迷于?", _I)
_ZH_BEST: Final = pattern(r"最|更|比较|还是|只|独|改成")
_ZH_QUITE: Final = pattern("挺|蛮|是(?:真|很|非常|特别|比较)的?")  # 挺…的
_ZH_MOMENT: Final = pattern(
    r"[这那你您它他她此该哪啥吗吧的]|了|上[了他她]|第[一二三四1-4]|前者|后者|原来的|上一|过|得|死"
    r"|到|刚才|上面|前面|一个(?:女|男)|自己|什么|听你|看你|跟你|和你"
    r"|周末|周[一五]|星期[一五]|放假|夏天|冬天|春天|秋天|生活|人生|世界|下雨|堵车|加班|上班"
    r"|死了?\Z|透了"
)

_ZH_DONE: Final = pattern(r"了\W*\Z|了(?:个|一|半|好)|报错|出错|失败|不行|过一?次|[这那]个|怎么")

_ZH_DEVICE: Final = pattern(
    r"(?:的?(?:电脑|手机|笔记本|工作|写代码|编程|开发|办公|上网|日常|记笔记)(?:上|时)?"
    r"|的?(?:主力)?(?:编辑器|浏览器|终端|输入法|操作系统|包管理器?|笔记软件|搜索引擎|IDE|shell))?"
)

_ZH_NOT_SO: Final = pattern(
    r"(?<=[^不没])(?:并|从来?|也|都){0,4}(?:不|没有?)(?:是|太|怎么|很|特别|那么|再|算|大|完全){0,4}\Z"
)
_LATIN: Final = pattern(r"[A-Za-z][\w .+#-]*", 0x100)  # re.ASCII

_ZH_EAT_UP: Final = pattern(
    r"[素斋]\W*\Z|惯|下|到|懂|出|见|起|清|透|完|顺眼|加班|担心|着急|谢|客气|管|去|来|想"
)

# 香菜我是一口都吃不下; what is disliked stands first.
_ZH_FRONTED: Final = pattern(
    r"\A(?:像|对于?)?(?P<object>(?![这那你您它他她今昨明])[\u3400-\u9fffA-Za-z ]{1,12}?)"
    r"(?:这(?:种|类|个)?东西)?"
    r"[，, ]?(?:我|本人)(?:是|真的?|实在|从来|从小|一直|都|也|完全|死活|根本|就|坚决|一向|一般"
    r"|基本)*"
    r"(?P<verb>(?:一口|一点儿?|一滴|半点|丝毫|根本|完全)(?:都|也)(?:吃不下|喝不下|吃不了|喝不了"
    r"|不[吃喝碰沾想看用]|受不了"
    r"|接受不了)|不[吃喝碰沾]|吃不[惯来]|喝不[惯来]|用不惯|受不了|看不惯|接受不了|无感|没兴趣"
    r"|没感觉|不感冒|无福消受"
    r"|欣赏不来)(?:的|啊|哈)?\W*\Z"
)
_ZH_TOWARDS: Final = pattern(
    r"\A(?P<topic>)(?:我|本人)(?:个人|自己)?(?:一直|从来|向来|真的?|其实"
    r"|比较)*对(?P<object>(?![这那你您它他她])"
    r"[^，,。]{1,14}?)(?:一直|实在|完全|真的?|都|比较|特别|很|最|始终|向来|可以说)*"
    r"(?P<verb>无感|没(?:什么|啥)?(?:兴趣|感觉)|不感(?:冒|兴趣)|提不起兴趣|情有独钟|有执念"
    r"|没抵抗力|毫无抵抗力|感兴趣"
    r"|上瘾)(?:的)?\W*\Z"
)
# 我喝咖啡从来不加糖: how something is eaten, drunk, done.
_ZH_HOW: Final = pattern(
    r"\A(?P<topic>)(?:我|本人)(?:自己|个人|平时|一般)?(?P<object>(?:喝|吃|点|买|泡|煮|做|写|看"
    r"|听|住|坐|睡|出门|出差|旅游"
    r"|睡觉|开会|跑步|开车|点外卖|洗澡|回复|发|读)[\u3400-\u9fffA-Za-z ]{0,8}?)(?:的时候|时)?"
    r"(?P<how>(?:从来?都?|一向|一般|向来|基本上?|一律|坚决|绝对|通常)不(?:会)?|(?:从来都?|一向"
    r"|一般都?|向来|基本都?|通常都?|每次都?)?"
    r"(?:只|必须?|一定要?|非得?|都要|都会|都|总要|总是)(?=加|放|戴|带|选|要|用|开|点|看|听|去"
    r"|坐|住|配|蘸|走|穿|挑|先|找|喝|吃|买))"
    r"(?P<what>(?!了|过|来|去?了|到|完|知道|想|得|能|好)[^，,。了过]{1,12})\W*\Z"
)
_ZH_CAMP: Final = pattern(
    r"\A(?P<topic>)(?:我|本人)(?:一直|从来|就|可|算|其实|也|向来|妥妥|绝对|坚定)*的?是(?:个"
    r"|一个|一名|资深|铁杆|忠实|死忠"
    r"|坚定的|重度|十足的|老|妥妥的)*(?P<object>(?!你|他|她|学生|上班|考研|通勤|打工|共产|民主"
    r"|实力|乐天|行动|乐观|悲观|保守"
    r"|激进|这|那|无|群众|社畜)[^，,。是的]{1,12}?)(?P<kind>党|派|控|迷|粉|星人|死忠粉?|铁粉"
    r"|重度用户|用户)\W*\Z"
)
_ZH_STYLE: Final = pattern(
    r"\A(?P<topic>)(?:我|本人|我们?家|咱)?(?:这人)?(?:的)?(?:平时|平常|一向|吃饭|日常)*(?:的)?"
    r"(?:(?P<kind>口味|饮食|吃东西|吃饭|吃得?)(?:习惯|方面|上|得|也)?(?:一直|向来|比较|偏|很"
    r"|还是|都|更|挺|喜|稍微"
    r"|是)+(?P<object>偏?(?:清淡|重|淡|辣|甜|咸|酸|油|素|荤|健康|简单|杂|西式|中式|软|生冷"
    r"|清爽)[口味]*)"
    r"|(?P<look>穿衣(?:风格)?|穿着|审美|作息)(?:习惯|方面|上|得|也)?(?:一直|向来|比较|偏|很"
    r"|还是|都|走|更|挺|以|是)+"
    r"(?P<way>(?!好|不错|差|乱|累|难|忙|不)[\u3400-\u9fff]{1,8}?))(?:的|一些|一点|路线|风格"
    r"|为主)*\W*\Z"
)
_ZH_MOSTLY: Final = pattern(
    r"\A(?P<topic>)(?:我|本人)(?:平时|一般|平常|日常|通常|现在)*"
    r"(?:(?:[吃喝穿用看听坐玩读][\u3400-\u9fff]?|运动"
    r"|锻炼)?(?:的)?以(?P<object>[^，,。]{1,12}?)为主"
    r"|(?P<verb>[吃喝穿用看听坐])(?P<more>[^，,。]{1,10}?)(?:居多|比较多|更多|最多))\W*\Z"
)
_ZH_ONE_OF: Final = pattern(
    r"\A(?P<object>(?![这那你您它他她我])[^，,。]{1,14}?)(?:一直|永远|才|就|绝对|算|真的?"
    r"|对我来说|始终)*是"
    r"我(?:的|永远的|心中的|日常的?)?(?P<kind>最爱|首选|心头好|标配|本命|菜|雷区|大忌"
    r"|底线)(?:了|啦)?\W*\Z"
    r"|\A(?P<gone>(?![这那你您它他她我])[^，,。]{1,12}?)(?P<verb>不是我的菜"
    r"|不合我(?:的)?(?:口味|胃口)|我(?:已经)?用(?:得)?"
    r"(?:最|更|比较)顺手|我用惯了|最?合我(?:的)?(?:口味|胃口)|(?:最|更)对我胃口)\W*\Z"
)
_ZH_EATS: Final = pattern(
    _ZH_TOPIC
    + _ZH_WHO
    + r"(?:比较|就|很|最|只|特别|还挺|还是|更|一直|都)+吃(?P<object>[^，,。]{1,12}?)"
    r"[那这]一?(?:套|口|挂|款)\W*\Z"
)
_ZH_NO_JOY: Final = pattern(
    r"\A(?P<topic>)(?:我|本人)?(?:是|这人|可是|一直|向来"
    r"|属于)*(?:个)?无(?P<object>[\u3400-\u9fff])不欢"
    r"|\A(?P<none>)(?:我|本人)(?:每天|早上|一天|上班)*(?:没有?|不喝|不吃"
    r"|少了)(?P<need>[^，,。不]{1,8})"
    r"(?:不行|活不了|不成|就没法(?:工作|干活)|没法(?:工作|干活|活))\W*\Z"
)


def _zh_like(match: re.Match[str], _: Sentence) -> Taste | None:
    verb, thing = match["verb"], trimmed(match["object"])
    if len(thing) > 2 and _ZH_QUITE.search(match[0][: match.start("verb")]):
        thing = thing.removesuffix("的")
    if not thing or _ZH_MOMENT.match(thing) or (verb.startswith("习惯") and thing.startswith("了")):
        return None
    against = _ZH_AGAINST.match(verb) is not None
    topic = topic_of(thing, match["topic"])
    if thing[0] == "用" and len(thing) > 1:
        thing = tidy(thing[1:])
    value = (
        tidy(f"{verb}{thing}" if not thing.isascii() else f"{verb} {thing}") if against else thing
    )
    fond = _ZH_FOND.fullmatch(verb) and not _ZH_BEST.search(match[0][: match.end("verb")])
    fond = fond and match["object"][0] != "用"
    return Taste("dislike" if against else "fond" if fond else "like", topic, thing, value)


def _zh_use(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"])
    if not thing or _ZH_MOMENT.match(thing) or _ZH_DONE.search(match[0]):
        return None
    if ends_denied(match["about"].strip()):
        return None
    topic = topic_of(thing)
    if match["plain"] or (match["never"] and match["never_verb"] == "用"):
        if not (topic and topic.name and topic.scope in OF_TOOLS) or not _ZH_DEVICE.fullmatch(
            match["about"].strip()
        ):
            return None
    elif match["never"] and _ZH_EAT_UP.match(thing):
        return None
    if match["plain"] and (latin := _LATIN.match(thing)):
        thing = latin[0].strip()
    verb = match["verb"] or match["never_verb"] or match["plain"]
    against = bool(match["no"] or match["never"])
    what = thing if verb in ("用", "使用") else f"{verb}{thing}"
    value = f"不{verb}{thing}" if against else what
    return Taste("use", topic or topic_of(match[0]), what, value)


def _zh_bare(match: re.Match[str], _: Sentence) -> Taste | None:
    topic = topic_of(match["object"])
    if not (topic and topic.name and topic.scope in OF_TOOLS):
        return None
    return Taste("use", topic, match["object"], match["object"])


def _zh_switch(match: re.Match[str], sentence: Sentence) -> Taste | None:
    tried = _ZH_TRIED.search(sentence.text)
    return None if tried else _zh_bare(match, sentence)


def _zh_now(match: re.Match[str], sentence: Sentence) -> Taste | None:
    about = match["about"]
    mine = _ZH_I_USED.match(sentence.text) if about is None else _ZH_DEVICE.fullmatch(about.strip())
    return _zh_switch(match, sentence) if mine else None


def _zh_again(match: re.Match[str], sentence: Sentence) -> Taste | None:
    if _ZH_STOPPED.search(sentence.text):
        return None
    what = f"{match['verb']}{match['object']}"
    return Taste("use", topic_of(what), what, what)


def _zh_favourite(match: re.Match[str], _: Sentence) -> Taste | None:
    kind, thing = match["kind"], trimmed(match["object"])
    if not thing or _ZH_MOMENT.match(thing) or ends_denied(kind) or opens_denied(thing):
        return None
    topic = topic_of(kind or thing)
    if not (topic and topic.name) and kind:
        topic = Topic("other", favourite_name(kind))
    return Taste("favourite", topic, thing, thing, 0.9)


def _zh_against(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"])
    if not thing or _ZH_MOMENT.match(thing):
        return None
    fond = match["verb"] in ("情有独钟", "有执念", "没抵抗力", "毫无抵抗力", "感兴趣", "上瘾")
    if bare := _ZH_NOT_SO.search(thing):
        thing, fond = thing[: bare.start()], False
    value = thing if fond else tidy(match[0])
    return Taste("like" if fond else "dislike", topic_of(thing), thing, value)


def _zh_how(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"])
    value = tidy(f"{match['object']}{match['how']}{match['what']}")
    if not thing or _ZH_DONE.search(match[0]) or _ZH_MOMENT.match(match["what"]):
        return None
    return Taste("how", topic_of(match["what"], thing), value, value)


def _zh_camp(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"])
    topic = topic_of(thing)
    if not thing or (match["kind"].endswith("用户") and not topic):
        return None
    known = topic is not None and topic.name != ""
    return Taste("camp", topic, thing, thing if known else f"{thing}{match['kind']}")


def _zh_style(match: re.Match[str], _: Sentence) -> Taste | None:
    kind = match["kind"] or match["look"]
    name = _ZH_STYLES.get(kind[0], "style")
    return Taste("style", Topic("other", name), kind, tidy(match[0]).removeprefix("我"))


_ZH_STYLES: Final = {"口": "flavour", "饮": "diet", "吃": "flavour", "穿": "clothes", "作": "sleep"}


def _zh_mostly(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"] or f"{match['verb']}{match['more']}")
    if not thing or _ZH_MOMENT.match(thing):
        return None
    return Taste("mostly", topic_of(thing), thing, thing)


def _zh_one_of(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"] or match["gone"] or "")
    bad = match["kind"] in ("雷区", "大忌") or (match["verb"] or "").startswith("不")
    if bare := _ZH_NOT_SO.search(thing):
        if bad:
            return None
        thing, bad = thing[: bare.start()], True
    if not thing:
        return None
    return Taste("one_of", topic_of(thing), thing, tidy(match[0]) if bad else thing)


def _zh_plain(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"])
    return Taste("like", topic_of(thing, match["topic"] or ""), thing, thing) if thing else None


def _zh_needs(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"] or match["need"])
    if not thing or _ZH_MOMENT.match(thing):
        return None
    value = f"无{thing}不欢" if match["object"] else thing
    return Taste("needs", topic_of(thing), thing, value)


READERS_ZH: Final = (
    (_ZH_EATS, _zh_plain),
    (_ZH_CAMP, _zh_camp),
    (_ZH_STYLE, _zh_style),
    (_ZH_MOSTLY, _zh_mostly),
    (_ZH_HOW, _zh_how),
    (_ZH_TOWARDS, _zh_against),
    (_ZH_NO_JOY, _zh_needs),
    (_ZH_ONE_OF, _zh_one_of),
    (_ZH_FAVOURITE, _zh_favourite),
    (_ZH_MINE, _zh_favourite),
    (_ZH_LIKE, _zh_like),
    (_ZH_USE, _zh_use),
    (_ZH_BARE, _zh_bare),
    (_ZH_SWITCH, _zh_switch),
    (_ZH_NOW, _zh_now),
    (_ZH_AGAIN, _zh_again),
    (_ZH_FRONTED, _zh_against),
)
"""The forms of a taste, and what reads each of them; the first that fits is asked first."""
