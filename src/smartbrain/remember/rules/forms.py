"""What has form in a message: lists of things to do, ends of time, marks of masked data (C1, C10).

In: the text of a message, or the words behind a statement. Out: the items of lists under a heading
such as "todo:" or with check boxes; the words of the time until which something holds; and the text
with an example in the place of each mark, so that the reader sees an address or a number in it.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from smartbrain.domain.pii import PiiKind
from smartbrain.text.pii import is_masked, mark_of

MAX_ITEMS: Final = 50
_BOX: Final = re.compile(
    r"^[ \t]{0,8}(?:[-*+]|\d{1,3}[.)])?[ \t]{0,4}\[(?P<mark>[ xX✓√])\][ \t]{1,4}"
    r"(?P<item>\S[^\n]{0,199})$",
    re.MULTILINE,
)
_HEADING: Final = re.compile(
    r"^[ \t#*]{0,8}(?:my |our |the )?(?:to-?dos?|to-?do list|tasks?|action items|next steps"
    r"|待办(?:事项|清单)?|要做的事?|任务(?:清单|列表)?|今天要做的?)"
    r"(?: (?:for )?(?:today|tomorrow|this week))?"
    r"[ \t*]{0,4}[:：][ \t]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM: Final = re.compile(
    r"[ \t]{0,8}(?:[-*+•·]|\d{1,3}[.)、])[ \t]{0,4}(?P<item>\S[^\n]{0,199})(?:\n|\Z)"
)
_INLINE: Final = re.compile(
    r"^[ \t]{0,8}(?:to-?do|待办(?:事项)?)[ \t]{0,2}[:：][ \t]{0,4}(?P<item>\S[^\n]{0,199})$",
    re.IGNORECASE | re.MULTILINE,
)
UNTIL_REACH: Final = 40
"""Characters behind a statement in which its time may stand: until tomorrow, 用到周五为止."""
_UNTIL: Final = re.compile(
    r"\s*[,，(（]?\s*(?:\b(?:(?:valid|good|but only|only) )?(?:until|till|through)\s+(?=\S)"
    r"|(?:可以|只能|一直|有效|使用|用){0,3}(?:直到|到|截至|截止到?)(?=[^，,。]{1,12}(?:为止|止)))"
    r"(?P<time>[^.!?。！？\n]{1,30})",
    re.IGNORECASE,
)
_UNTIL_AT_END: Final = re.compile(
    r"(?<=\S)\s*(?:\b(?:until|till|through)\s+(?P<en>[^.!?,\n]{1,30})"
    r"|(?:直到|到|截至|截止到?)(?P<zh>[^，,。到]{1,12})(?:为止|止))\Z",
    re.IGNORECASE,
)
_EXAMPLES: Final = {
    mark_of(PiiKind.EMAIL): "q@zx.qz",
    mark_of(PiiKind.PHONE): "9075309",
    mark_of(PiiKind.ID_CARD): "907530919",
    mark_of(PiiKind.BANK_CARD): "90753091907",
}
"""An example of each kind that is known by its form, as long as the mark."""


class ListedTask(msgspec.Struct, frozen=True):
    """An item of a list of things to do, and where it stands."""

    text: str
    start: int
    end: int
    is_done: bool = False


def find_listed_tasks(text: str) -> list[ListedTask]:
    """Returns the items of the lists of things to do in a text."""
    found: dict[int, ListedTask] = {}

    def add(item: re.Match[str], *, is_done: bool = False) -> None:
        words, start = item["item"].rstrip(), item.start("item")
        found.setdefault(start, ListedTask(words, start, start + len(words), is_done))

    for box in _BOX.finditer(text):
        add(box, is_done=box["mark"] != " ")
    for inline in _INLINE.finditer(text):
        add(inline)
    for heading in _HEADING.finditer(text):
        item = _ITEM.match(text, heading.end() + 1)
        while item is not None:
            if not item["item"].startswith("["):
                add(item)
            item = _ITEM.match(text, item.end())
    return [found[start] for start in sorted(found)][:MAX_ITEMS]


def find_until(behind: str) -> str:
    """Returns the words of the time until which something holds, said right behind it."""
    found = _UNTIL.match(behind)
    return found["time"].strip() if found else ""


def find_own_until(value: str) -> str:
    """Returns the words of the time until which something holds, where its value ends with them."""
    found = _UNTIL_AT_END.search(value)
    return (found["en"] or found["zh"]).strip() if found else ""


def show_examples(text: str) -> str:
    """Returns a text with an example in the place of each mark."""
    for mark, example in _EXAMPLES.items() if is_masked(text) else ():
        text = text.replace(mark, example)
    return text


def restore_marks(text: str) -> str:
    """Returns a text with the marks that `show_examples` had replaced, the longest first."""
    for mark, example in sorted(_EXAMPLES.items(), key=lambda pair: -len(pair[1])):
        text = text.replace(example, mark)
    return text
