"""`memctl read`: what the trained reader makes of a message; no brain is needed or written.

In: a message, and what the assistant said before it. Out: its clauses with how likely each says
something lasting, the statements with their certainty, and what it asks about.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from msgspec import to_builtins

from smartbrain.entrypoints.cli.lines import one_line
from smartbrain.entrypoints.cli.options import JsonOption
from smartbrain.text.ontology import load_ontology


def read(
    text: Annotated[str, typer.Argument(help="The message.")],
    before: Annotated[str, typer.Option(help="What the assistant said before it.")] = "",
    why: Annotated[bool, typer.Option("--why", help="Name the features that decided.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what the trained reader makes of a message, and how sure it is.

    From a certainty of 0.5 on a statement counts; a less certain one is kept as a candidate.
    """
    from smartbrain.entrypoints.cli.show import print_json
    from smartbrain.remember.reader.read import explain_clauses, read_message

    ontology = load_ontology()
    clauses = explain_clauses(text, before, ontology=ontology)
    reading = read_message(text, before, ontology=ontology)
    if as_json:
        print_json({"clauses": to_builtins(clauses), **to_builtins(reading)})
        return
    lines = []
    for clause in clauses:
        lines.append(f"{clause.lasting:.2f}  {clause.text}")
        if why:
            lines += [f"        {weight:+d}  {feature}" for feature, weight in clause.why]
    for one in reading.frames:
        about = "" if one.subject == "user" else f" of {one.subject} ({one.relation})"
        when = f", {one.when}" if one.when else ""
        lines.append(
            f"{one.certainty:.2f}  {one.say} {one.type}.{one.attr}{about} = {one.value}{when}"
        )
    if reading.asks:
        lines.append(f"asks about {', '.join(reading.asks)}")
    if not reading.frames and not reading.asks:
        lines.append("nothing lasting")
    sys.stdout.write("".join(f"{one_line(line)}\n" for line in lines))
