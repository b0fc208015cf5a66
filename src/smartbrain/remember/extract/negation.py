"""Words that turn a statement into its opposite, where a form may have read over them (C4, C6).

In: the words that a form of a finder has taken for a value or skipped before it. Out: whether they
deny it: "not 30 years old" is no age, 咖啡不 of 咖啡不是我的最爱 is nothing that is liked. What is
denied is for `plain_denials` to say.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_NOT_ZH: Final = r"(?:不(?!锈钢|丹|动产|列颠)|没|未(?!婚|来|成年)|非(?!洲|遗|营利|常)|无法)"
_DENIES_EN: Final = pattern(r"\b(?:not|never|neither|nor|cannot)\b|n['’]t\b", _I)
_OPENS_DENIED: Final = pattern(
    rf"(?:\w+ ){{0,2}}?(?:not|never|neither|nor)\b"
    rf"|(?:并|从来?|还|又|也|都|尚|根本|真的?)*{_NOT_ZH}",
    _I,
)
_ENDS_DENIED: Final = pattern(
    rf"{_NOT_ZH}(?:有|会|是|再|能|曾|太|怎么|很|在|特别|那么|大|什么|完全|真的|多|够)*\Z"
)
_HEADS_ZH: Final = pattern(
    rf"{_NOT_ZH}(?:有|会|是|再|能|曾|太|怎么|很|在|特别|那么)*(?:一起住|毕业|过敏)"
)
# "Not just a nurse" is a nurse still, and so is who is 不只是护士.
_OF_DEGREE: Final = pattern(
    r"(?:\b(?:not|never|cannot)|n['’]t)(?: (?:be|been|really|actually))? (?:just|only|merely|solely"
    r"|simply|purely|strictly|exclusively|mainly|mostly|primarily|entirely|wholly|fully|exactly"
    r"|necessarily|always|all|quite|alone)\b"
    r"|(?:\bnot|n['’]t)\b[^,;]{1,40} (?:exclusively|solely|only|all the time|every day|every time"
    r"|everywhere|full[ -]time|entirely)\W*\Z|(?:不|并非|没有?)(?:(?:[只仅光止都]|单(?!身))"
    r"|全(?=是|[^\s，,])|总是?|一定|完全|一直)",
    _I,
)
_DENIES_REST: Final = pattern(
    r"(?:\b(?:not|never|neither|nor|cannot|no longer|hardly|without|stopped|refused?(?: to)?)\b"
    r"|n['’]t\b"
    rf"|{_NOT_ZH}(?!过(?!敏)|但|仅|管|论|错|久|得不|如|同|断|禁|知不觉|好意思|愧)|别(?!人|的)|并非)"
    r"(?!.*(?:[但却]|而(?!不|没)|\b(?:and|so|because) (?:i|we|my|our|it|the)\b))",
    _I,
)
_DENIED_AFTER: Final = pattern(
    r"\s?(?:(?:(?:is|are|was|were|do|does|did|has|have|can|will|would)(?:n['’]t| not| never"
    r"| no longer))\b"
    rf"|(?:并|根本|从来?)?{_NOT_ZH})(?!仅|但|过(?!敏))",
    _I,
)


def opens_denied(words: str) -> bool:
    """Tell whether words begin with what denies the rest of them."""
    return _OPENS_DENIED.match(words) is not None


def ends_denied(words: str) -> bool:
    """Tell whether Chinese words end in what denies the word that follows."""
    return _ENDS_DENIED.search(words) is not None


def denies_en(words: str) -> bool:
    """Tell whether there is a word among English ones that denies what follows them."""
    return _DENIES_EN.search(words) is not None


def denies_head(words: str) -> bool:
    """Tell whether the head of a Chinese phrase is denied in it: 和父母不一起住, 对花生不太过敏."""
    return _HEADS_ZH.search(words) is not None


def denies_degree(words: str) -> bool:
    """Tell whether words deny only that something is all there is, or is wholly so: "not just"."""
    return _OF_DEGREE.search(words) is not None


def is_denied(before: str, after: str) -> bool:
    """Tell whether the words of a clause around some others deny these."""
    if _DENIED_AFTER.match(after):
        return True
    return _DENIES_REST.search(before) is not None and not denies_degree(before)
