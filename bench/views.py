"""The views: text, graph and vector indexes against their libraries, and all of them in step.

Ten thousand and a hundred thousand items in a quick run, a million items and ten million edges in a
full one. Quality is measured on public data where that is at hand.
"""

from __future__ import annotations

from bench import views_follow, views_graph, views_text, views_vector
from bench.report import Result, Setting


def run(setting: Setting) -> list[Result]:
    """Measure every view."""
    results: list[Result] = []
    for part in (views_text, views_graph, views_vector, views_follow):
        folder = setting.folder / part.__name__.rsplit("_", 1)[1]
        folder.mkdir(parents=True)
        results += part.run(Setting(folder, full=setting.full, profile=setting.profile))
    return results
