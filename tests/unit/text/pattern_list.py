"""All regular expressions that read what people say and what tools print, and how each is used.

In: the packages of the library. Out: for each pattern its name, its source, the methods that are
called on it, and the longest text that it is ever given. All that a module makes when it is
imported are all here: `re.compile` and the lazy patterns are watched during the import.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

PACKAGES = ("govern", "text", "remember", "recall", "domain", "compose")
WHOLE = 100_000
"""Characters of a text of which nobody says how long it may be."""
_METHODS = frozenset(
    ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
)
_EACH = frozenset(("finditer", "findall", "sub", "subn", "split"))
_X = r"remember\.extract\."
_SENTENCE = 2_000  # the longest one
LONGEST: tuple[tuple[str, int], ...] = (
    # A line of an output, of which `Seen` shows no more; the others of them see the whole text.
    (
        r"govern\.outputs\.(?:test_runs\._LINT|traces\.(?:_BEGIN|_TITLE|_HEADING|_TAG|_HIDDEN"
        r"|_HIDDEN_ENDS|_FORMS|_ERROR)\b|seen|test_runs\..*\.(?:told|named))",
        WHOLE,
    ),
    (r"govern\.outputs\.", 2_000),
    # What is read of a question, and the windows that are cut out of it.
    (r"recall\.cues\.(?:_CHAT|_WORDLESS)", 40),
    (r"recall\.", 2_000),
    # Windows around something that was found in a text.
    (r"text\.pii\._WORD_BEFORE", 64),
    (r"text\.pii\._REGION_RUN", 40),
    (r"text\.pii\._VERSION", 16),
    (r"text\.entities_en\.STARTS", 24),
    (r"text\.entities_en\.AT\b", 48),
    (r"text\.entities_zh\.(?:_FOLDER|_STEM|_OPENING)", 120),
    (rf"{_X}handed\._HOW_SAID", 60),
    # A message before it is cut into sentences, or both ends of it.
    (rf"{_X}(?:handed|asked_texts|pasted|dialogue)\.", 15_000),
    # What a rule leaves alone if it is longer, as a constant of its module says.
    (rf"{_X}unkept\._ALONE", 80),
    (r"remember\.rules\.forms\._UNTIL\b", 40),
    (r"remember\.rules\.forms\._UNTIL_AT_END", 500),
    (r"remember\.rules\.forms\.(?:_YES|_BUT|_THANKS|_WEAK|_DONE)", 80),
    (
        r"remember\.rules\.forms\.(?:_PROPOSALS|_TAG|_OPENING|_CLOSING|_NO_STATEMENT|_FIRST_PERSON"
        r"|_SUBJECT_END|_NOT|_ALONE|_LEADING|_LAST_CLAUSES|_TRAILING)",
        _SENTENCE,
    ),
    (_X, _SENTENCE),
)
"""The longest text of the patterns whose name begins so, the first of which counts."""


class Listed(NamedTuple):
    """A pattern: where it is found, how it was made, how it is used and on how long a text."""

    name: str
    source: str
    flags: int
    methods: tuple[str, ...]
    longest: int

    def run(self, text: str) -> None:
        """Do with a text what the library does with it."""
        compiled = compile_pattern(self.source, self.flags)
        for method in self.methods:
            if method == "finditer":
                for _ in compiled.finditer(text):
                    pass
            else:
                getattr(compiled, method)(text)


@cache
def compile_pattern(source: str, flags: int) -> re.Pattern[str]:
    """Compile a pattern as the library does."""
    from smartbrain.text.pattern import pattern

    search = pattern(source, flags).search
    return search.__self__  # type: ignore[attr-defined]


def list_patterns(*packages: str) -> list[Listed]:
    """Return the patterns of packages of which nothing has been imported before."""
    with _Watch() as made:
        modules = [module for package in packages for module in _modules(package)]
    names: dict[int, list[str]] = {}
    for module in modules:
        for name, one in _found(module, made):
            names.setdefault(id(one), []).append(name)
    used = _used(modules, made)
    loose = _loosely_used(modules, made)
    listed = []
    for key, called in names.items():
        _, source, flags = made[key]
        uses = used.get(key) or {name: _loose_methods(name, loose) for name in called}
        methods = set().union(*uses.values()) or {"match", "search"}
        longest = max(map(longest_of, uses))
        listed.append(Listed(called[0], source, flags, _at_most(methods), longest))
    return sorted(listed)


def longest_of(name: str) -> int:
    """Return how long a text is at most that a pattern of a name is given."""
    return next((size for start, size in LONGEST if re.match(start, name)), WHOLE)


def _at_most(methods: set[str]) -> tuple[str, ...]:
    """Return the methods that tell apart how much work a pattern has."""
    if methods & _EACH:
        methods = (methods - _EACH - {"search"}) | {"finditer"}
    return tuple(sorted(methods))


Made = dict[Any, tuple[Any, str, int]]
"""By the identity of a pattern: the pattern itself, which stays alive, its source and flags."""


class _Watch:
    """Notes every pattern that is made; those of our own class and compiled ones."""

    def __enter__(self) -> Made:
        from smartbrain.text import pattern

        made: Made = {}
        self._module, self._compile = pattern, re.compile
        self._init = pattern._LazyPattern.__init__

        def compiled(source: Any, flags: int = 0) -> Any:
            one = self._compile(source, flags)
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if isinstance(source, str) and caller.startswith("smartbrain."):
                made[id(one)] = one, source, int(flags)
            return one

        def created(one: Any, source: str, flags: int) -> None:
            self._init(one, source, flags)
            made[id(one)] = one, source, int(flags)

        re.compile = compiled
        pattern._LazyPattern.__init__ = created
        return made

    def __exit__(self, *_: object) -> None:
        re.compile = self._compile
        self._module._LazyPattern.__init__ = self._init


def _modules(package: str) -> Iterator[ModuleType]:
    """Import a package and yield its modules."""
    root = importlib.import_module(f"smartbrain.{package}")
    yield root
    for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
        yield importlib.import_module(found.name)


def _found(module: ModuleType, made: Made) -> Iterator[tuple[str, Any]]:
    """Yield the patterns that a module has, in whatever it keeps them, with their names."""
    own = _short(module)
    for name, value in list(vars(module).items()):
        if not name.startswith("__") and not isinstance(value, ModuleType):
            yield from _inside(f"{own}.{name}", value, made, 5)


def _inside(name: str, value: Any, made: Made, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the patterns in a value."""
    if id(value) in made:
        yield name, value
    elif depth and isinstance(value, dict):
        for key, one in value.items():
            yield from _inside(f"{name}[{key!r:.20}]", one, made, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for place, one in enumerate(value):
            yield from _inside(f"{name}[{place}]", one, made, depth - 1)
    elif depth and dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            one = getattr(value, field.name, None)
            yield from _inside(f"{name}.{field.name}", one, made, depth - 1)


def _used(modules: list[ModuleType], made: Made) -> dict[int, dict[str, set[str]]]:
    """Return by pattern what it is called where it is used, and the methods it is used by."""
    used: dict[int, dict[str, set[str]]] = {}
    for module in modules:
        for node in _method_calls(module):
            target = _value_of(node.value, module)
            if id(target) in made:
                called = f"{_short(module)}.{ast.unparse(node.value).rpartition('.')[2]}"
                used.setdefault(id(target), {}).setdefault(called, set()).add(node.attr)
    return used


def _loosely_used(modules: list[ModuleType], made: Made) -> dict[str, set[str]]:
    """Return by module the methods of patterns that its code has no name for, as in a loop."""
    loose: dict[str, set[str]] = {}
    for module in modules:
        for node in _method_calls(module):
            target = _value_of(node.value, module)
            if target is not re and id(target) not in made and node.attr != "split":
                loose.setdefault(_short(module), set()).add(node.attr)
                if isinstance(node.value, ast.Attribute):
                    loose.setdefault(f"{_short(module)}.{node.value.attr}", set()).add(node.attr)
    return loose


def _loose_methods(name: str, loose: dict[str, set[str]]) -> set[str]:
    """Return the methods of a pattern that is kept in something: those of its field, if it has."""
    parts = name.split(".")
    module = ".".join(part for part in parts[:-1] if "[" not in part and not part.isupper())
    return loose.get(f"{module}.{parts[-1]}") or loose.get(module) or set()


def _method_calls(module: ModuleType) -> Iterator[ast.Attribute]:
    """Yield where a module uses a method that has the name of one of a pattern."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            yield node


def _short(module: ModuleType) -> str:
    return module.__name__.removeprefix("smartbrain.")


def _value_of(node: ast.expr, module: ModuleType) -> Any:
    """Return what a name in a module stands for, or a name of another module that it uses."""
    if isinstance(node, ast.Name):
        return vars(module).get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return getattr(vars(module).get(node.value.id), node.attr, None)
    return None
