"""What the user asks to remember by name: "remember Project Phoenix", 以后都按 PEP8 来 (C2).

In: a sentence. Out: where the words are that are asked to be remembered or to be kept to, and the
name that they begin with where no rule for names knows it: it is in quotation marks, in capitals,
or said to be a name, as 凤凰 is in 凤凰这个项目.
"""

from __future__ import annotations

from typing import Final

from smartbrain.domain.candidate import Source
from smartbrain.remember.extract.declarations import asked
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.text.entity import Entity
from smartbrain.text.entity_people import NOT_NAMES
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.segment import tag

_I: Final = 0x02  # re.IGNORECASE
_FROM_NOW: Final = r"(?:from (?:now|here|today) on(?:wards?)?|going forward|in (?:the )?future)"
_FOLLOW: Final = (
    r"(?:go (?:by|with)|follow|stick (?:to|with)|adhere to|comply with|conform to|use|switch to) "
)
_STANDING: Final = sign(
    rf"\b{_FROM_NOW}\b,?(?: (?:please|always|only|just|let['’]s|we|i|you|should|must|will|want to"
    rf"|all code|all of us|everyone|everything))*+ {_FOLLOW}"
    rf"|\b{_FOLLOW}(?=[^,.;!?]{{2,40}} {_FROM_NOW}\b)"
    r"|(?:以后|今后|往后|此后|从现在(?:起|开始)|从今(?:以后|往后|天起))[^，。,.!！?？不别没勿]{0,8}?"
    r"(?:按照?|依照|遵循|遵守|遵照|参照|采用|用|以) ?",
    _I,
)
_KEEP: Final = sign(
    r"\bkeep (?=[^,.;!?]{2,40} in mind\b)"
    r"|(?<![没不])把 ?(?=[^，。,.!！?？]{2,20}记(?:住|下|一下|牢)(?!了))",
    _I,
)
_REFUSED: Final = pattern(r"\b(?:not|never|don['’]?t|won['’]?t|shouldn['’]?t|stop) (?:to )?\Z", _I)

# What a name is said to be, before it or after it, and the kind of a thing that is so.
_NOUNS: Final = (
    ("person", "person|friend|colleague|client|customer|人|同事|朋友|客户|老师"),
    ("org", "company|firm|startup|team|brand|vendor|公司|机构|团队|品牌|厂家|供应商"),
    ("place", "place|city|town|restaurant|hotel|地方|城市|餐厅|饭店|酒店|小区"),
    ("topic", "word|term|concept|topic|概念|话题|名词|词"),
)
_THINGS: Final = (
    "name|project|product|tool|app|service|名字|项目|计划|产品|工具|应用|软件|系统|标准"
)
_NOUN: Final = "|".join((*(nouns for _, nouns in _NOUNS), _THINGS))
_KINDS: Final = [(kind, pattern(f"(?:{nouns})\\Z", _I)) for kind, nouns in _NOUNS]
_HAN: Final = "\u3400-\u9fff"
_THIS_ZH: Final = f"[这那](?:个|家|位|款|座|本|种|门)(?P<noun>{_NOUN})"
_LEAD: Final = pattern(
    r"\s*+(?:(?:that|this|the|our|my|a|an|(?P<called>called|named|codenamed|叫做?)"
    rf"|(?P<noun>{_NOUN}))[ :：]++)*"
)
_QUOTED: Final = pattern('["“‘「『]([^\n"”’」』，。,.!?！？]{2,40})["”’」』]')
_CAPITALS: Final = pattern(
    r"[A-Z][\w+#&-]*+(?:\.[\w+#]+)*(?: (?:of |the |for )?[A-Z0-9][\w+#&-]*+(?:\.[\w+#]+)*){0,4}",
    0x100,  # re.ASCII
)
_SAID_SO: Final = pattern(rf"([\w{_HAN}]{{2,12}}?) ?(?={_THIS_ZH})")
_BY_ENDING: Final = pattern(
    rf"([{_HAN}]{{2,8}}?(?:(?:计划|项目|工程|行动|战略|专项)(?=[这那是由归在要会将的已])"
    r"|(?:计划|项目|工程|行动|战略|专项|规范|标准|手册|指南|准则|协议)"
    r"(?=[来走写做记，。！,.!]|为准|执行|吧|\s|\Z)))"
)
_AFTER: Final = pattern(rf" ?(?:{_THIS_ZH}|(?P<noun_en>{_NOUN})\b)", _I)
_NO_NAME: Final = frozenset("rdpcumtyqe")  # the tags of words that no name has
_ODD: Final = pattern(r"\w*\d|[A-Z]{2}|\w*[a-z][A-Z]")
_WIDE: Final = pattern(f"[{_HAN}]")


def declared_at(sentence: Sentence, said: Said) -> list[tuple[int, int]]:
    """Return where the words of a sentence are that the user asks to remember or to keep to."""
    if said.source is not Source.USER:
        return []
    text, found = sentence.text, []
    rest = asked(sentence, said)
    if rest is not None:
        start = rest.offset - sentence.offset
        found.append((start, start + len(rest.text)))
    for words in (_KEEP, _STANDING):
        found += [
            (one.end(), len(text))
            for one in words.finditer(text)
            if not _REFUSED.search(text, 0, one.start())
        ]
    return found


def name_at(start: int, sentence: Sentence, said: Said) -> Entity | None:
    """Return what a sentence names from a place on, where its form tells that it is a name."""
    text = said.text[sentence.offset : sentence.offset + len(sentence.text)]
    lead = _LEAD.match(text, start)
    at = lead.end() if lead else start
    for form in (_QUOTED, _CAPITALS, _SAID_SO, _BY_ENDING):
        if one := form.match(text, at):
            break
    else:
        return None
    name = one[(one.lastindex and 1) or 0].strip()
    after = _AFTER.match(text, one.end())
    said_so = after or (lead and any(lead.groups()))
    if form is _CAPITALS and not _is_capital_name(name, text, at, one.end(), bool(said_so)):
        return None
    if form in (_SAID_SO, _BY_ENDING) and any(kind[0] in _NO_NAME for _, kind in tag(name)):
        return None
    nouns = [lead["noun"] if lead else None, *(after.groups() if after else ())]
    noun = next(filter(None, nouns), "")
    kind = next((kind for kind, words in _KINDS if words.match(noun)), "object")
    offset = text.index(name, one.start())
    return Entity(kind, name, " ".join(name.split()), offset, len(name))


def _is_capital_name(name: str, text: str, start: int, end: int, said_so: bool) -> bool:
    """Tell whether words in capitals are a name: not a day, a shout, or how a sentence begins."""
    words = name.split()
    if words[0].lower() in NOT_NAMES or (text.isascii() and text.isupper()):
        return False
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    return (
        said_so
        or len(words) > 1
        or _ODD.match(name) is not None
        or any(_WIDE.match(one) for one in (before, after) if one)
    )
