"""A fresh brain.yml: every section, every value at its default and commented out.

In: the schema of the rules. Out: the text that `memctl init` writes; reading it gives exactly the
defaults, and so does reading it with every value uncommented. Not a way to save settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.domain.policy import PER_TENANT, schema
from smartbrain.domain.policy_field import Leaf, Node, Section, Table
from smartbrain.settings.merge import TENANTS

_COLUMN: Final = 42
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_/]*")
_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})

_HEAD: Final = """\
# brain.yml: the configuration of a SmartBrain root.
#
# Every value below is the default. To change one, remove the `# ` in front of it.
# Dotted keys mean the same as nested ones: `recall.vector.enabled: false`.
# `memctl config show` lists what is in force and where each value comes from.

"""

TYPE_EXAMPLE: Final = """\
  # recipe:
  #   key: "recipe:<cuisine>:<dish>"
  #   node_kind: Fact
  #   group: facts
  #   on_conflict: overwrite
  #   value:
  #     cuisine: text
  #     dish: text
  #     minutes: {type: integer, required: false}
"""

TENANT_EXAMPLE: Final = """\
  # acme:
  #   timezone: Asia/Shanghai
  #   privacy.pii: refuse
  #   quotas.memories: 100000
"""
_TENANT_HEAD: Final = f"""\
  # What one tenant has of its own, by its name: {", ".join(PER_TENANT)}.
"""


def template() -> str:
    """Return the text of a new brain.yml."""
    lines: list[str] = []
    for name, child in schema().children.items():
        lines += _lines(child)
        if name == TENANTS:
            lines += (_TENANT_HEAD + TENANT_EXAMPLE).splitlines()
    return _HEAD + "\n".join(lines) + "\n" + TYPE_EXAMPLE


def spelled(value: object) -> str:
    """Spell a plain value as brain.yml does."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        return f"[{', '.join(map(spelled, value))}]"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
        return value if plain else f'"{value}"'
    if isinstance(value, float) and 0 < value < 0.001:
        return f"{value:.12f}".rstrip("0")  # YAML reads no exponent without a dot
    return str(value)


def _lines(node: Node) -> Iterator[str]:
    depth = len(node.path) - 1
    indent, key = "  " * depth, node.path[-1]
    if isinstance(node, Leaf):
        yield _remarked(f"{indent}# {key}: {spelled(node.default)}", node.meaning)
    elif isinstance(node, Table) and not node.default and depth:
        yield _remarked(f"{indent}# {key}: {{}}", node.meaning)
    else:
        if depth == 0 or node.path[:-1] == ("policies",):
            yield ""
        yield _remarked(f"{indent}{key}:", node.meaning)
        if isinstance(node, Section):
            for child in node.children.values():
                yield from _lines(child)
        else:
            for name, value in node.default.items():
                yield f"{indent}  # {name}: {spelled(value)}"


def _remarked(line: str, meaning: str) -> str:
    """Put the meaning beside a line, or above one that leaves no room."""
    if len(line) > _COLUMN:
        indent = " " * (len(line) - len(line.lstrip()))
        return f"{indent}# {meaning}\n{line}"
    return f"{line:<{_COLUMN}}  # {meaning}"
