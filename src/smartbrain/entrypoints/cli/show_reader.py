"""What the trained reader makes of a message, for `memctl read`.

In: a message, and what was said before it. Out: what it states, how sure that is, and what it asks,
for programs and for people.
"""

from __future__ import annotations

from functools import partial

from msgspec import to_builtins

from smartbrain.entrypoints.cli.lines import print_lines
from smartbrain.entrypoints.cli.options import CommandAnswer
from smartbrain.remember.reader.read import read_asked, read_message
from smartbrain.text.ontology import load_ontology


def explain_reading(text: str, before: str) -> CommandAnswer:
    """Return what is read in a message."""
    ontology = load_ontology()
    frames = read_message(text, before, ontology=ontology)
    asks = read_asked(text, before, ontology=ontology)
    value = {"frames": to_builtins(frames), "asks": asks}
    lines = []
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
