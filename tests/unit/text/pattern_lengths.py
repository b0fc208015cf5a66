"""Watches how long the texts are that patterns are given while messages are read.

In: messages, blown up to long sentences and long clauses. Out: a line of JSON for each pattern that
is given a longer text than the list of patterns says, so that what is tried there is not too short.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pattern_list import PACKAGES, list_patterns

DATA = Path(__file__).parents[2] / "data" / "extraction"
AT = datetime(2026, 3, 5, 10, tzinfo=UTC)
_UNITS = (" ", "a", "的", "刚", "word ", "-", "，", ", ", "1", "了", "A ", "and ", "not ", "我")
_SIZES = (100, 290, 590, 790, 990, 1_500, 1_900, 9_000, 30_000)
_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


def long_messages(every: int, seed: int) -> Iterator[str]:
    """Yield some of the messages, each with something repeated in it, long and very long ones."""
    chance = random.Random(seed)
    for path in sorted(DATA.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines()[::every]:
            for message in json.loads(line)["messages"]:
                text = message["content"]
                places = [found.start() for found in re.finditer(r"\b", text)] or [0]
                place, unit = chance.choice(places), chance.choice(_UNITS)
                number = chance.choice(_SIZES) // len(unit)
                yield f"{text[:place]}{unit * number}{text[place:]}"


class Lengths:
    """By the source and flags of a pattern, how long the longest text was that it was given."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, int], int] = {}

    def watch(self) -> None:
        """Watch all patterns of the library; those that are compiled already take the lazy form."""
        from smartbrain.text import pattern

        lengths = self
        compile_method = pattern._LazyPattern.__getattr__
        for module in [one for name, one in sys.modules.items() if name.startswith("smartbrain.")]:
            for name, value in list(vars(module).items()):
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    flags = value.flags & ~re.UNICODE
                    setattr(module, name, pattern.pattern(value.pattern, flags))

        def watched(one: Any, name: str) -> Any:
            method = compile_method(one, name)
            if name not in _METHODS:
                return method

            def look(*given: Any, **named: Any) -> Any:
                lengths.note((one._source, one._flags), name, given)
                return method(*given, **named)

            one.__dict__[name] = look
            return look

        pattern._LazyPattern.__getattr__ = watched

    def note(self, key: tuple[str, int], method: str, given: tuple[Any, ...]) -> None:
        """Note a call: a place in the text, or two of them, say how much of it is looked at."""
        text = given[1] if method in ("sub", "subn") else given[0]
        size = len(text)
        if method not in ("sub", "subn", "split") and len(given) > 1:
            size = min((size, *given[2:])) - given[1]
        self.seen[key] = max(self.seen.get(key, 0), size)


def read(message: str) -> None:
    """Read a message as a commit does, and as a question."""
    from smartbrain.domain.turn import Message, Role, Turn
    from smartbrain.recall.cues import read_cues
    from smartbrain.remember.read_turn import read_turn
    from smartbrain.text.entities import find_entities
    from smartbrain.text.ontology import load_ontology
    from smartbrain.text.pii import find_pii

    def turn_of(role: Role, text: str) -> Turn:
        messages = (Message(id="m", role=role, content=text),)
        return Turn(id="t", session_id="s", seq=1, at=AT, messages=messages, created_at=AT)

    previous = turn_of(Role.ASSISTANT, message)
    for text in (message, "Yes, do that. Option 2."):
        read_turn(turn_of(Role.USER, text), previous, ontology=load_ontology())
    read_cues(message, now=AT)
    find_entities(message)
    find_pii(message)


def longer_than_listed(every: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the patterns that are given longer texts than they are listed for."""
    listed = list_patterns(*PACKAGES)
    lengths = Lengths()
    lengths.watch()
    for message in long_messages(every, seed):
        read(message)
    longest: dict[tuple[str, int], tuple[int, str]] = {}
    for one in listed:
        key = one.source, one.flags
        longest[key] = max(longest.get(key, (0, "")), (one.longest, one.name))
    for key, size in lengths.seen.items():
        most, name = longest.get(key, (size, ""))
        if size > most:
            yield {"name": name, "listed": most, "given": size}


def main() -> None:
    """Read every so many messages, and print the patterns that are listed for too short texts."""
    for found in longer_than_listed(int(sys.argv[1]), int(sys.argv[2])):
        sys.stdout.write(f"{json.dumps(found, ensure_ascii=False)}\n")
