"""What a decision is about, and what it is chosen for (M2).

In: the words of a decision. Out: its topic, by the names of the lexicon, with the part or matter
that is named beside it, else a short phrase of the words themselves. The same topic for a choice
and for the one that takes its place later is what makes the later one a new version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from smartbrain.domain.keys import slug
from smartbrain.remember.extract.decisions_words import (
    PART_ZH,
    THING,
    THING_TOPICS,
    THINGS,
    WORD,
    first_word,
    known_as,
)
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_FOR: Final = pattern(
    r"(?<![a-z])(?:for|as) (?!now\b|this\b|that\b|it\b|them\b)(?:the |our |my |all |a |an |its "
    r"|this )*+"
    r"((?:[\w'/+-]+ ){0,3}[\w'/+-]+)",
    _I,
)
_ROLE_ZH: Final = pattern(
    r"(?:来?做|作为|当作?|作|来写|存)(?:我们的?|默认的?|主)?([\u4e00-\u9fffA-Za-z ]{2,12})"
)
_LEAD: Final = pattern(
    r"\A(?:(?:to|against|keep|stop|drop|dropping|that|on|with|use|using|go|going|the|a|an|our|my"
    r"|we|we're|we'll|i|i'm|be|will|are"
    r"|is|it|not|just|into)\s+|(?:用|选择?|采用|把|将|让|去|先|我们?|要|了|是|就|不再?|做)\s*)+",
    _I,
)
_STOP: Final = pattern(
    r"\s(?:instead|rather|over|because|since|so|in|on|at|for|with|until|by|as|from|and|to)\s"
    r"|[,，。;；:：(（]",
    _I,
)
# Parts and matters of what is built, each by one name in both languages.
_MATTERS: Final = {
    "admin": "admin(?: panel| console| site)?|管理后台|管理端|后台",
    "analytics": "analytics|数据分析|分析",
    "billing": "billing|账单|计费",
    "events": "events?|事件",
    "files": "files?|文件",
    "images": "images?|图片",
    "inventory": "inventory|库存",
    "messages": "messages?|消息",
    "metrics": "metrics|指标",
    "module": "modules?|模块",
    "orders": "orders?|订单",
    "payment": "payments?|支付",
    "production": "production|prod|生产|线上",
    "products": "products?|商品",
    "reports": "reports?|reporting|报表",
    "search": "search|搜索",
    "service": "services?|服务",
    "sessions": "sessions?|会话",
    "staging": "staging|预发(?:布)?",
    "storage": "storage|存储",
    "system": "systems?|系统",
    "test": "tests?|测试",
    "users": "users?|用户",
    "website": "web ?sites?|官网|网站",
}
_MATTER: Final = pattern(
    "|".join(
        rf"(?P<{name}>(?<![A-Za-z])(?:{words})(?![A-Za-z]))" for name, words in _MATTERS.items()
    ),
    _I,
)
_STORE: Final = pattern(
    r"(?<![仓国车类])(?<!代码)(?<!知识)(?<!组件)(?:数据)?库"
    r"|(?<![a-z])(?:data ?store|databases?|dbs?)(?![a-z])",
    _I,
)
# What says nothing about which one is meant.
_ASIDE: Final = pattern(
    r"\b(?:the|our|my|all|an?|its|side|layer|part|stuff|data|project|main|whole|entire|new)\b|的"
    r"|这[块边里]|那[块边]|方面|部分|的?话|我们|主(?=\Z)|新(?!闻)|[上里中内层侧]\Z",
    _I,
)
_PARTS: Final = {
    "frontend_framework": "frontend",
    "backend_framework": "backend",
    "mobile_framework": "mobile",
}
_BEHIND: Final = frozenset(("database", "cache", "message_queue", "search_engine"))
"""What every backend has, so that it says no more than the thing."""
_IN_FRONT: Final = frozenset(("styling", "component_library", "state_management", "bundler"))
"""What every frontend has, beside its framework."""
_WEAK: Final = frozenset(("database", "framework"))
"""Heads that say less than the word beside them: the database of the logs."""
_BUILT: Final = frozenset((*THINGS, "framework", "authentication", "dns", "cdn", "architecture"))
# What a thing is chosen for: one thing may serve several ends. Of what stands after "for" only
# deeds, many of a kind and parts are ends; the rest is mostly a reason: "for its speed".
_HEADS: Final = (
    r"service|module|site|website|dashboard|team|page|api|pipeline|worker|database|db|store|storage"
    r"|cache|queue|front-?end|back-?end|app|server|client|cluster|bot|dns|cdn|admin|search"
)
_NO_END: Final = (
    r"(?!(?:its|their|his|her|this|that|these|those|better|more|less|now|me|us|it|them|next|last"
    r"|once|sure|some|many|several|various|both|everyone|everybody|example|instance|starters|fun"
    r"|personal|obvious|today|tomorrow|tonight|q[1-4]|v?\d\S*|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)days?|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|simplicity|speed|safety|performance|consistency|convenience|security|cost"
    r"|(?:time being|moment|sake|record|first|next|last|rest|most|same|future|long run))\b)"
    r"(?!(?:[\w-]+ )?(?:reasons?|purposes|needs|benefits|always|years|months|weeks|days|sake"
    r"|time)\b)"
)
_ARTICLES: Final = r"(?:the |our |my |all |an? |its )*+"
# Which of several is meant: "in the analytics service", not "in the new service".
_WHICH: Final = (
    r"(?!(?:new|old|whole|entire|main|same|current|existing|next|first|other|own|live) )"
    r"[a-z][\w-]* "
)
_END: Final = pattern(
    rf"(?<![a-z])(?:for|to (?:store|handle|keep|manage|serve|hold)|(?:on|in)(?= (?:the|our) )"
    rf"(?= {_ARTICLES}(?:(?:[\w-]+ )?(?:front-?end|back-?end|mobile app)|{_WHICH}(?:{_HEADS}))\b))"
    rf" {_ARTICLES}{_NO_END}"
    rf"((?:[a-z][\w-]* ){{0,2}}(?:{_HEADS})|(?:[a-z][\w-]* )?[a-z][\w-]*(?:ing|[a-rt-z]s))\b"
    r"|(?:来?做|作为|当作?|来?存|用于|处理|来?写|来?跑)(?:我们的?|默认的?|主)?"
    r"([\u4e00-\u9fff]{2,6}|[A-Za-z][\w-]{1,20})",
    _I,
)
# What is named before the thing: "the backend in Rust", 订单库用 MySQL.
_BEFORE: Final = pattern(
    rf"(?:\A|(?<=\s))(?:the |our |my )?((?:(?!(?:the|our|my|all|to|write|build|do|make|move|migrate"
    rf"|host|run|deploy|keep|put|port|rewrite|switch) )[a-z][\w-]* ){{0,2}}?(?:{_HEADS}))"
    r" (?:in|to|on|with|is|will be|(?:away )?from \S+ to) \Z"
    r"|\A(?:把|将|让|在)?(.{1,10}?)\s*+(?:从.{1,20}?)?(?:全部|都|统一|也|就|先|继续|还是|全|改){0,5}"
    r"(?:使?用|采用|选用?|换成|换用|改成|换到|迁移?到|切换?到|走|上|放在?|存[到在]?)\s*\Z",
    _I,
)
_TAKEN: Final = pattern(
    r"(?:(?:to )?(?:use|go with) )?(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z\d])[\w.+#-]*){0,2} for"
    rf" {_ARTICLES}{_NO_END}[a-z][\w-]*(?: [\w-]+){{0,2}}\W*\Z",
    _I,
)
_ONLY: Final = pattern(
    r"(?:(?:to )?(?:use|go with|adopt) |(?:采|选)?用\s*|选择?了?\s*)?"
    r"[A-Za-z][\w.+#-]*(?: \d[\w.]*)?",
    _I,
)
_LED: Final = pattern(
    r"\W*(?:(?:ok(?:ay)?|so|and|then|also|but|well|right|now)[, ]+)*(?:(?:as )?for|regarding"
    rf"|when it comes to|(?:on|in)(?= (?:the|our) (?:[\w-]+ )?(?:{_HEADS})\W*\Z)) {_ARTICLES}"
    rf"{_NO_END}((?:[a-z][\w'/+-]* ){{0,2}}[a-z][\w'/+-]*)\W*\Z",
    _I,
)
_LATELY_ZH: Final = (
    r"[\s，,：:]*+(?:(?:[我咱]们|我|团队|大家|公司|这[块边]|方面|的话|最后|最终|还是|已经|都|也|就|统一|全部|决定"
    r"|一致)[\s，,：:]*+){0,6}"
)
_LED_ZH: Final = pattern(
    r"[\s，,]*+(?:(?:那|好|嗯|所以|另外|还有|关于|对于|至于|针对|把|将|[我咱]们?(?:的|这边)?|我司|目前|现在)"
    r"[\s，,]*+){0,6}"
    rf"(.{{1,12}}?){_LATELY_ZH}(?:从\s*+[\w.+# -]{{1,20}}?{_LATELY_ZH})?\Z"
)
# Of these there are many side by side, each known by what stands beside the word.
_ONE_OF_MANY: Final = pattern(
    r"\b(?:hire|recruit|hiring(?= (?:an?|one|two|three|four|five|six|some|more|another|\d+)\b)) "
    r"(?P<hired>[a-z0-9][\w -]{1,60})"
    r"|(?:招聘?|招募)(?:[一二两三四五六七八九十\d]+[个名位])?(?P<hired_zh>[\u4e00-\u9fff]{2,8})"
    r"|(?P<feature>(?<![a-z])[a-z][\w-]{1,40}) features?\b|(?P<feature_zh>[\u4e00-\u9fff]{2})功能",
    _I,
)
_COUNT: Final = pattern(
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|some|more|another|the|our|my|\d+|new"
    r"|first|second|additional|extra|that|this|these|those|any|all)\Z",
    _I,
)
_LONGEST_WORDS: Final = 4
_LONGEST_ZH: Final = 10


def topic_of(chosen: str, sentence: str, *, choice: bool, lead: str = "") -> str:
    """Return what a decision is about.

    Args:
        chosen: what was decided, in its words.
        sentence: the sentence it stands in.
        choice: whether one thing was taken out of several; then its name tells the topic.
        lead: what stands before the words that settle it; it may name what it is chosen for.
    """
    thing = THING.search(chosen)
    named = subject_of(lead) or (_named(chosen, thing.start(), thing.end()) if thing else "")
    if thing and (choice or named):
        return _for(THING_TOPICS[thing[0].lower()], named, thing=True)
    if word := first_word(chosen):
        return _for(_one_of(word, chosen), subject_of(lead), thing=False)
    if named:
        return _for("", named, thing=False)
    if word := first_word(sentence):
        return _one_of(word, sentence)
    if thing:
        return THING_TOPICS[thing[0].lower()]
    if choice and (role := _FOR.search(chosen) or _ROLE_ZH.search(chosen)):
        return _for("", role[1], thing=False) or "choice"
    return _phrase(chosen) or "choice"


def subject_of(lead: str) -> str:
    """Return what the words before a decision name as what it is for: "for the orders database"."""
    if found := _LED.match(lead):
        return found[1]
    found = _LED_ZH.match(lead)
    return found[1] if found and _is_part(found[1]) else ""


def names_a_part(words: str) -> bool:
    """Tell whether words say what is taken for which part: "Vue for the frontend", 前端用 Vue."""
    thing = THING.search(words)
    if thing and _named(words, thing.start(), thing.end()):
        return True
    return _TAKEN.match(words) is not None


def are_of_kinds(words: Sequence[str]) -> bool:
    """Tell whether each of some words names a thing that is known, and no two are of one kind."""
    kinds = {known_as(one) for one in words if _ONLY.fullmatch(one)}
    return "" not in kinds and len(kinds) == len(words)


def _named(chosen: str, start: int, end: int) -> str:
    """Return what a thing at a place is chosen for, where that is named beside it."""
    if found := _END.search(chosen, end):
        return found[1] or found[2]
    if found := _BEFORE.search(chosen[:start]):
        return found[1] or (found[2] if _is_part(found[2]) else "")
    return ""


def _is_part(text: str) -> bool:
    """Tell whether words name a part of what is built, and nothing besides."""
    if PART_ZH.fullmatch(text.strip()):
        return True
    bare = _STORE.sub(" ", _MATTER.sub(" ", WORD.sub(" ", told := _ASIDE.sub(" ", text))))
    return not bare.strip() and told.strip() != ""


def _for(topic: str, named: str, *, thing: bool) -> str:
    """Return a topic with what it is chosen for: Redis for sessions, the database of the orders.

    What is named may be a topic itself: with a thing, it is the one that was meant.
    """
    told = [found.lastgroup or "" for found in WORD.finditer(named)]
    if not topic:
        head = next((one for one in reversed(told) if one not in _WEAK), told[-1] if told else "")
        head = head or ("database" if _STORE.search(named) else "")
    else:
        built = [one for one in told if one in _BUILT] if thing else []
        head = next((one for one in reversed(built) if one not in _WEAK), topic)
        if head in _PARTS and not topic.endswith("_framework"):
            head = topic
    words = WORD.sub(lambda found: f" {_beside(found.lastgroup or '', head)} ", named)
    words = _MATTER.sub(lambda found: f" {found.lastgroup} ", _STORE.sub(" ", words))
    beside = dict.fromkeys(slug(word) for word in _ASIDE.sub(" ", words).split()[:_LONGEST_WORDS])
    return "_".join(filter(None, (head, *(word for word in beside if word != head))))


def _beside(word: str, head: str) -> str:
    """Return the name of a topic beside the head, if it says more than that."""
    if word == head or word in _WEAK or (word == "backend_framework" and head in _BEHIND):
        return ""
    if word == "frontend_framework" and head in _IN_FRONT:
        return ""
    return _PARTS.get(word, word)


def _one_of(topic: str, text: str) -> str:
    """Return a topic with the one that is meant, where there are many: two people to hire."""
    found = _ONE_OF_MANY.search(text) if topic in ("hiring", "features") else None
    if not found:
        return topic
    named = next(filter(None, found.groups()))
    stop = _STOP.search(f"{named} ", 1)
    words = [word for word in named[: stop.start() if stop else None].split() if word.strip()]
    words = [word for word in words if not _COUNT.match(word)][-2:]
    return f"{topic}_{slug(' '.join(words)).rstrip('s')}" if words else topic


def _phrase(chosen: str) -> str:
    """Return the first words of a decision as a name."""
    chosen = chosen.rstrip("了 ")
    lead = _LEAD.match(chosen)
    rest = chosen[lead.end() :] if lead and lead.end() < len(chosen) else chosen
    stop = _STOP.search(rest, 1)
    rest = rest[: stop.start()] if stop else rest
    words = rest.split()[:_LONGEST_WORDS]
    return slug(" ".join(word[:_LONGEST_ZH] if not word.isascii() else word for word in words))
