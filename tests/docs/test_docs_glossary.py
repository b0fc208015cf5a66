"""The glossary: sorted, without doubles, in both languages, and with every table of the database.

In: docs/glossary.md, the SQL schema and its migrations. Out: rows or tables wrong or missing.
"""

from __future__ import annotations

import re

from docs_pages import ROOT

SQL = ROOT / "src/smartbrain/adapters/sqlite"


def _rows(text: str) -> list[list[str]]:
    """Return the cells of the table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def _glossary() -> list[list[str]]:
    return _rows((ROOT / "docs/glossary.md").read_text(encoding="utf-8"))


def _disorder(terms: list[str]) -> list[str]:
    """Return each term that does not stand after the one before it: misplaced, or a double."""
    folded = [term.casefold() for term in terms]
    return [terms[place] for place in range(1, len(terms)) if folded[place] <= folded[place - 1]]


def _tables(sql: str) -> set[str]:
    return set(re.findall(r"^CREATE TABLE (?:IF NOT EXISTS )?\"?(\w+)", sql, re.MULTILINE | re.I))


def _missing(tables: set[str], rows: list[list[str]]) -> list[str]:
    listed = {row[2].strip("`") for row in rows}
    return sorted(tables - listed)


def test_the_glossary_is_sorted_and_says_each_term_once() -> None:
    """Terms stand in alphabetical order, whatever their case."""
    assert _disorder([row[0] for row in _glossary()]) == []


def test_every_term_has_a_chinese_name_and_a_sentence() -> None:
    """Each row has four cells, a name in Chinese and a meaning that ends as a sentence."""
    wrong = [
        row[0]
        for row in _glossary()
        if len(row) != 4 or not re.search(r"[\u4e00-\u9fff]", row[1]) or row[3][-1:] != "."
    ]
    assert wrong == []


def test_every_table_of_the_database_is_a_term() -> None:
    """A table that the glossary does not list has no agreed meaning."""
    tables = {
        name for path in SQL.rglob("*.sql") for name in _tables(path.read_text(encoding="utf-8"))
    }
    assert tables, "no table was found, so nothing was checked"
    assert _missing(tables, _glossary()) == []


def test_a_misplaced_or_doubled_term_is_found() -> None:
    """Order ignores case, and the same word twice is a fault."""
    assert _disorder(["arm", "Blob", "chunk"]) == []
    assert _disorder(["arm", "chunk", "Blob", "blob"]) == ["Blob", "blob"]


def test_a_table_without_a_term_is_found() -> None:
    """Tables are read from SQL, quoted or not."""
    sql = 'CREATE TABLE nodes (num);\nCREATE TABLE IF NOT EXISTS "edges" (x);\n-- CREATE TABLE no\n'
    rows = _rows("| term |\n| --- |\n| node | 节点 | `nodes` | A node. |\n")
    assert _tables(sql) == {"nodes", "edges"}
    assert _missing(_tables(sql), rows) == ["edges"]
