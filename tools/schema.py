"""Write `schema.sql`: the schema that all migrations together make, for people to read.

In: the migrations. Out: `src/smartbrain/adapters/sqlite/schema.sql`, or with `--check` an exit code
of 1 when that file is stale. The program itself never runs this file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import apsw

from smartbrain.adapters.sqlite.migrate import latest, migrations

TARGET = Path(__file__).parents[1] / "src/smartbrain/adapters/sqlite/schema.sql"


def render() -> str:
    """Return the schema after the last migration, in the order it was made."""
    connection = apsw.Connection(":memory:")
    for step in migrations():
        connection.execute(step.sql)
    statements = [
        row[0] + ";"
        for row in connection.execute(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
            " ORDER BY rowid"
        )
    ]
    head = f"-- The schema at version {latest()}: the sum of migrations/. Written by `make docs`.\n"
    return head + "\n" + "\n\n".join(statements) + "\n"


def main() -> int:
    """Write the file, or check it."""
    text = render()
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") != text:
        print("schema.sql is stale; run `make docs`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
