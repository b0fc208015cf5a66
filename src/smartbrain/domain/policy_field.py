"""One setting: its default, its meaning and what it allows, declared once in a dataclass field.

In: frozen dataclasses whose fields were made by `setting`. Out: their tree (`schema_of`) of
sections, tables and leaves, each of which can say what it allows and read a value given to it.
Checking, documentation, the template and `config show` all come from that tree. Not a file reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints

from smartbrain.errors import UsageError

T = TypeVar("T")
Path = tuple[str, ...]

_FORMS: Final = {
    "": "text",
    "ratio": 'two whole percentages that sum to 100, such as "40/60"',
    "timezone": "an IANA time zone name such as Asia/Shanghai",
}
_LONGEST_SHOWN: Final = 80


def setting(
    default: T,
    meaning: str,
    span: tuple[float, float] = (0, 0),
    *,
    choices: tuple[object, ...] = (),
    at_least: str = "",
    form: str = "",
) -> T:
    """Declare a field: its default, the sentence that documentation prints, and what it allows.

    `choices` are values, list items or the keys of a table; empty means any. `at_least` names the
    field beside it that it must not be below, `form` how a text is written.
    """
    metadata = {
        "meaning": meaning,
        "span": span,
        "choices": choices,
        "at_least": at_least,
        "form": form,
    }
    if isinstance(default, Mapping):
        table = cast("T", MappingProxyType({str(key): value for key, value in default.items()}))
        return field(default_factory=lambda: table, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value that can be set."""

    path: Path
    default: object
    hint: Any
    meaning: str
    span: tuple[float, float] = (0, 0)
    choices: tuple[object, ...] = ()
    at_least: str = ""
    form: str = ""

    @property
    def name(self) -> str:
        """The dotted name, as brain.yml and `config show` spell it."""
        return ".".join(self.path)

    @property
    def optional(self) -> bool:
        """Whether null is allowed."""
        return type(None) in get_args(self.hint)

    @property
    def allowed(self) -> str:
        """What may be written here, in words."""
        text = self._allowed_value()
        if self.at_least:
            text += f", not below {self.at_least}"
        return f"{text}, or null" if self.optional else text

    def read(self, value: object) -> object:
        """Return the value as this leaf's type; a refusal (`config`) lacks the leaf's name."""
        if value is None and self.optional:
            return None
        taken, fits = self._taken(value)
        if not fits:
            raise UsageError(f"is {shown(value)}; allowed: {self.allowed}", code="config")
        return taken

    def _kind(self) -> Any:
        """The plain type behind the hint: bool, int, float, str, tuple or Mapping."""
        named = [part for part in get_args(self.hint) if part is not type(None)]
        plain = named[0] if self.optional else self.hint
        return get_origin(plain) or plain

    def _taken(self, value: Any) -> tuple[object, bool]:
        """The value as it would be kept, and whether it may be."""
        kind = self._kind()
        if kind is tuple:
            if not isinstance(value, list | tuple):
                return value, False
            known = all(
                item in self.choices if self.choices else isinstance(item, str) and item.strip()
                for item in value
            )
            return tuple(value), known and len(set(value)) == len(value)
        if self.choices:
            same = [one for one in self.choices if isinstance(value, type(one)) and value == one]
            return (same or [value])[0], bool(same)
        if kind in (int, float):
            if isinstance(value, bool) or not isinstance(value, int | kind):
                return value, False
            low, high = self.span
            return (kind(value), True) if low <= value <= high else (value, False)
        if kind is str:
            return value, isinstance(value, str) and self._well_formed(value)
        return value, isinstance(value, kind)

    def _well_formed(self, text: str) -> bool:
        if self.form == "ratio":
            shares = text.split("/")
            whole = all(share.isascii() and share.isdigit() for share in shares)
            short = len(shares) == 2 and len(text) <= len("100/000")
            return short and whole and sum(map(int, shares)) == 100
        return bool(text.strip()) and is_unicode(text)

    def _allowed_value(self) -> str:
        kind = self._kind()
        if self.choices:
            words = ", ".join(map(_spelled, self.choices))
            return f"a list of {words}" if kind is tuple else f"one of {words}"
        if kind is tuple:
            return "a list of texts"
        if kind is bool:
            return "true or false"
        if kind in (int, float):
            number = "a whole number" if kind is int else "a number"
            return f"{number} from {_rounded(self.span[0])} to {_rounded(self.span[1])}"
        return _FORMS[self.form]


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping from names to values of one kind; `keys` are the names allowed, empty for any."""

    path: Path
    default: Mapping[str, object]
    meaning: str
    keys: tuple[str, ...]
    item: Leaf

    @property
    def name(self) -> str:
        """The dotted name."""
        return ".".join(self.path)

    def leaf(self, key: str) -> Leaf:
        """The leaf behind one of its names."""
        one = self.item
        return Leaf((*self.path, key), self.default.get(key), one.hint, one.meaning, one.span)


@dataclass(frozen=True, slots=True)
class Section:
    """A group of settings."""

    path: Path
    meaning: str
    children: Mapping[str, Node]

    @property
    def name(self) -> str:
        """The dotted name."""
        return ".".join(self.path)

    def walk(self) -> Iterator[Node]:
        """Yield everything below, in the order it was declared; a section before its content."""
        for child in self.children.values():
            yield child
            if isinstance(child, Section):
                yield from child.walk()


Node = Leaf | Table | Section


def schema_of(instance: Any, path: Path = (), meaning: str = "") -> Section:
    """Return the tree of a dataclass instance; its values are the defaults."""
    hints = get_type_hints(type(instance))
    children: dict[str, Node] = {}
    for one in fields(instance):
        where, value, given = (*path, one.name), getattr(instance, one.name), one.metadata
        if is_dataclass(value):
            children[one.name] = schema_of(value, where, given.get("meaning", ""))
        elif isinstance(value, Mapping):
            item = Leaf(where, None, get_args(hints[one.name])[1], given["meaning"], given["span"])
            keys = tuple(map(str, given["choices"]))
            children[one.name] = Table(where, value, given["meaning"], keys, item)
        else:
            children[one.name] = Leaf(where, value, hints[one.name], **given)
    told = (type(instance).__doc__ or "").strip().partition("\n")[0]
    return Section(path, meaning or told, MappingProxyType(children))


def placed(node: Node, above: Path) -> Node:
    """Return a node and all below it with a path in front of theirs."""
    path = (*above, *node.path)
    if isinstance(node, Section):
        children = {name: placed(child, above) for name, child in node.children.items()}
        return Section(path, node.meaning, MappingProxyType(children))
    return replace(node, path=path)


def shown(value: object) -> str:
    """Show a given value in one short line, as YAML would spell it."""
    if isinstance(value, Mapping):
        return "a section"
    if isinstance(value, list | tuple):
        items = ("…" if isinstance(item, list | tuple) else shown(item) for item in value[:9])
        text = f"[{', '.join(items)}]"
    elif isinstance(value, str):
        text = repr(value)
    elif isinstance(value, int) and value.bit_length() > _LONGEST_SHOWN:
        text = "a very large number"
    elif value is None or isinstance(value, bool | int | float):
        text = _spelled(value)
    else:
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def is_unicode(text: str) -> bool:
    """Tell whether a text can be stored: lone surrogates cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _spelled(value: object) -> str:
    """Spell a plain value the way brain.yml does."""
    words = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _rounded(number: float) -> str:
    """Spell a bound for people: no decimals that say nothing."""
    return f"{int(number):,}" if number == int(number) else f"{number:g}"
