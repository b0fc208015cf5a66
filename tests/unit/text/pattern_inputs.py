"""Inputs that make a regular expression try again and again, made from the expression itself.

In: the source of a pattern. Out: texts of any size that repeat what it repeats, behind what it
wants before that, and end with something that it does not want. Texts that are bad for many
patterns, such as runs of capitals, come with them. The same pattern always gets the same inputs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple

_PARSER: Any = import_module("re._parser")
_REPEATS = frozenset(("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"))
_SINGLE = frozenset(("LITERAL", "NOT_LITERAL", "ANY", "IN"))
_OFTEN = 8  # a repeat that goes on for so long counts as endless
_COMMON = " aA0_-.,/'\"\n\t:;()|=#*的了我，。、一刚"
_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdigit,
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_WORD": lambda char: char.isalnum() or char == "_",
}
TAILS = ("", "!", "\n", "\x00", "的", " a", '"', "9")
"""What ends an input, so that a pattern that wants an end does not find it."""
ANY_PATTERN = (
    *("A", "a", " ", "0", "\n", "\t", "(", "[", '"', "'", "\\", "`", "<a ", "{", "|", "--", "= "),
    *("FAILED ", "error: ", "a-", "a.", "a/", "a_", "a, ", "aA1 ", "@a.", "1.", "1-", "I don't "),
    *("的", "了", "我", "的了我", "，", "。", "“", "…", "是", "在", "不是", "我们", "刚", "not "),
)
"""What is repeated for every pattern."""


class Form(NamedTuple):
    """An input of no particular size: what comes first, and what is repeated behind it."""

    before: str
    unit: str

    def text(self, size: int, tail: str) -> str:
        """Return the input in a size."""
        return (self.before + self.unit * (size // len(self.unit) + 1))[:size] + tail


def forms_of(source: str, flags: int, *, seed: int = 0, most: int = 120) -> list[Form]:
    """Return the inputs of a pattern, `most` of its own at most, then some for every pattern."""
    sampler = _Sampler(_PARSER.parse(source, flags), seed)
    own = list(dict.fromkeys(sampler.forms()))
    if len(own) > most:
        own = sampler.random.sample(own, most)
    units = sampler.random.sample(ANY_PATTERN, min(len(ANY_PATTERN), most // 2))
    return [*own, *(Form("", unit) for unit in units)]


def gives_up_group(source: str, flags: int) -> bool:
    """Tell whether a part that is never read in another way, once it is read, holds a group."""
    for name, value in _nodes(_PARSER.parse(source, flags)):
        if name in ("POSSESSIVE_REPEAT", "ATOMIC_GROUP"):
            inner = value[2] if name == "POSSESSIVE_REPEAT" else value
            if any(kind == "SUBPATTERN" and part[0] for kind, part in _nodes(inner)):
                return True
    return False


class _Sampler:
    """Makes strings that parts of a pattern match."""

    def __init__(self, tree: Any, seed: int) -> None:
        self.random = random.Random(seed)
        self._tree = tree
        literals = dict.fromkeys(char for node in _nodes(tree) for char in _literals(node))
        self._alphabet = [*dict.fromkeys((*_COMMON, *literals))]
        self._groups: dict[int, str] = {}
        self._taken: dict[int, list[str]] = {}

    def forms(self) -> Iterator[Form]:
        """Yield inputs that repeat what the pattern repeats, and the pattern as a whole."""
        pumps = list(dict.fromkeys(self._pumps(self._tree, "")))
        crowded = self._crowded()
        for before, unit in pumps:
            yield Form(before, unit)
            yield Form("", unit)
            yield Form("", before + unit)
            yield Form("", before + unit * 5)
        for before in dict.fromkeys(before for before, _ in pumps):
            yield from (Form(before, char) for char in crowded)
        for _ in range(min(2 * len(pumps), 40)):
            one, other = self.random.choice(pumps), self.random.choice(pumps)
            yield Form(self.random.choice((one[0], other[0], "")), one[1] + other[1])
        for whole in filter(None, self._strings(self._tree, 10)):
            yield from (Form("", whole), Form("", f"{whole} "), Form("", whole[:-1] or whole))

    def _crowded(self) -> list[str]:
        """Return the characters that most endless repeats take: where two do, both are tried."""
        count: Counter[str] = Counter()
        for name, value in _nodes(self._tree):
            if name in _REPEATS and value[1] >= _OFTEN:
                inside = [node for node in _nodes(value[2]) if node[0] in _SINGLE]
                count.update({char for node in inside for char in self._chars(node)})
        return [char for char, _ in count.most_common(6)]

    def _pumps(self, sequence: Any, before: str) -> Iterator[tuple[str, str]]:
        """Yield what is repeated endlessly, with a string that the pattern wants before it."""
        for node in _named(sequence):
            name, value = node
            for inner in _inner(node):
                yield from self._pumps(inner, before)
            if name in _REPEATS and value[1] >= _OFTEN:
                yield from ((before, unit) for unit in self._strings(value[2], 6) if unit)
            before += self._choices(node, 1, 0)[0]

    def _strings(self, sequence: Any, most: int, depth: int = 0) -> list[str]:
        """Return some strings that a sequence matches."""
        made = [""]
        for node in _named(sequence):
            choices = self._choices(node, most, depth)
            joined = [one + other for one in made for other in choices]
            made = joined if len(joined) <= most else self._some(joined, most)
        return list(dict.fromkeys(made))

    def _choices(self, node: tuple[str, Any], most: int, depth: int) -> list[str]:
        """Return some strings that one part matches."""
        name, value = node
        if name in _SINGLE:
            return self._some(self._chars(node) or ["x"], 3 if depth else 5)
        if name == "BRANCH":
            branches = self._some(list(value[1]), 6)
            return [text for one in branches for text in self._strings(one, 2, depth + 1)]
        if name == "SUBPATTERN":
            made = self._strings(value[-1], most, depth + 1)
            self._groups[value[0]] = made[0]
            return made
        if name in _REPEATS:
            least, longest, inner = value
            units = self._strings(inner, 3, depth + 1)
            made = [unit * max(least, 1) for unit in units]
            made += [""] if least == 0 else []
            return made + [units[0] * max(least, 3)] if longest > 3 else made
        if name == "GROUPREF":
            return [self._groups.get(value, "")]
        return self._strings(value, most, depth + 1) if name == "ATOMIC_GROUP" else [""]

    def _chars(self, node: tuple[str, Any]) -> list[str]:
        """Return the characters that a part takes which matches one; the tree outlives the list."""
        name, value = node
        if name == "LITERAL":
            return [chr(value)]
        key = id(value) if name == "IN" else -ord(name[0])
        if key not in self._taken or name == "NOT_LITERAL":
            self._taken[key] = [char for char in self._alphabet if _takes(node, char)]
        return self._taken[key]

    def _some(self, items: list[Any], most: int) -> list[Any]:
        """Return the first of some things and others of them, as many as are wanted."""
        if len(items) <= most:
            return items
        return [items[0], *self.random.sample(items[1:], most - 1)]


def _named(sequence: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a parsed sequence, each with the name of its kind."""
    return ((str(name), value) for name, value in sequence)


def _inner(node: tuple[str, Any]) -> Sequence[Any]:
    """Return the sequences inside of a part."""
    name, value = node
    if name == "BRANCH":
        return list(value[1])
    if name == "SUBPATTERN":
        return [value[-1]]
    if name == "ATOMIC_GROUP":
        return [value]
    if name in _REPEATS:
        return [value[2]]
    return [value[1]] if name in ("ASSERT", "ASSERT_NOT") else []


def _nodes(sequence: Any) -> Iterator[tuple[str, Any]]:
    """Yield all parts of a sequence, those inside others too."""
    for node in _named(sequence):
        yield node
        for inner in _inner(node):
            yield from _nodes(inner)


def _literals(node: tuple[str, Any]) -> list[str]:
    """Return the characters that a part names."""
    name, value = node
    if name in ("LITERAL", "NOT_LITERAL"):
        return [chr(value)]
    if name != "IN":
        return []
    kinds = list(_named(value))
    named = [one for kind, one in kinds if kind == "LITERAL"]
    return [*map(chr, named), *(chr(one[0]) for kind, one in kinds if kind == "RANGE")]


def _takes(node: tuple[str, Any], char: str) -> bool:
    """Tell whether a part that matches one character matches this one."""
    name, value = node
    if name in ("LITERAL", "NOT_LITERAL"):
        return (chr(value) == char) is (name == "LITERAL")
    if name == "ANY":
        return char != "\n"
    kinds = list(_named(value))
    return any(_is_of(kind, one, char) for kind, one in kinds) is not (kinds[0][0] == "NEGATE")


def _is_of(kind: str, value: Any, char: str) -> bool:
    """Tell whether a character is the one, in the range or of the category that a set names."""
    if kind == "LITERAL":
        return chr(value) == char
    if kind == "RANGE":
        return value[0] <= ord(char) <= value[1]
    if kind != "CATEGORY":
        return False
    name = str(value)
    holds = _CATEGORIES[name.replace("_NOT_", "_")](char)
    return holds is not ("_NOT_" in name)
