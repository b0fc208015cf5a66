"""The views: text, graph and vector indexes against their libraries, and all of them in step.

Ten thousand and a hundred thousand items in a quick run, a million items and ten million edges in a
full one. Quality is measured on public data where that is at hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench import views_follow, views_graph, views_text, views_vector
from bench.report import Result, Setting

_PARTS = {
    "text": views_text.run,
    "graph": views_graph.run,
    "vector": views_vector.run,
    "follow": views_follow.run,
}


def run(setting: Setting) -> Iterator[Result]:
    """Measure every view."""
    for name, measure in _PARTS.items():
        folder = setting.folder / name
        folder.mkdir(parents=True)
        yield from measure(Setting(folder, full=setting.full, profile=setting.profile))
