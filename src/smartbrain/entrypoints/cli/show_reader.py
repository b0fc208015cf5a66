"""What the trained reader makes of a message, for `memctl read`.

In: a message, and what was said before it. Out: its clauses with their certainty, what they state
and what they ask, for programs and for people.
"""

from __future__ import annotations

from functools import partial

from msgspec import to_builtins

from smartbrain.entrypoints.cli.lines import print_lines
from smartbrain.entrypoints.cli.options import CommandAnswer
from smartbrain.remember.reader.read import explain_clauses, read_asked, read_message
from smartbrain.text.ontology import load_ontology


def explain_reading(text: str, before: str, *, why: bool) -> CommandAnswer:
    """Return what is read in a message, and with `why` the features that decided."""
    ontology = load_ontology()
    clauses = explain_clauses(text, before, ontology=ontology)
    frames = read_message(text, before, ontology=ontology)
    asks = read_asked(text, before, ontology=ontology)
    value = {"clauses": to_builtins(clauses), "frames": to_builtins(frames), "asks": asks}
    lines = []
    for clause in clauses:
        lines.append(f"{clause.lasting:.2f}  {clause.text}")
        if why:
            lines += [f"        {weight:+d}  {feature}" for feature, weight in clause.why]
    for one in frames:
        about = "" if one.subject == "user" else f" of {one.subject} ({one.relation})"
        when = f", {one.when}" if one.when else ""
        lines.append(
            f"{one.certainty:.2f}  {one.say} {one.type}.{one.attr}{about} = {one.value}{when}"
        )
    if asks:
        lines.append(f"asks about {', '.join(asks)}")
    if not frames and not asks:
        lines.append("nothing lasting")
    return CommandAnswer(value, partial(print_lines, lines))
