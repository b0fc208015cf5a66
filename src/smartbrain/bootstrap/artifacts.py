"""What tools have left, put together with the rules of a root and a way to search lines.

In: what `brain.artifacts` was given, and an open tenant's ports. Out: what the stages of `govern`
make of it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from smartbrain.adapters.line_search import ProcessLineSearch
from smartbrain.domain.artifact import ArtifactPage
from smartbrain.govern.artifacts import added_artifact, find_lines, get_artifact, list_artifacts
from smartbrain.govern.sources import file_snippet
from smartbrain.ports.line_search import LineQuery

if TYPE_CHECKING:
    from smartbrain.domain.artifact import FoundLines
    from smartbrain.domain.policy import ArtifactsRules
    from smartbrain.ports.bundle import Ports

Place = tuple[int, int]
"""Where a run stands among all of a tenant."""


class ToolOutputs:
    """The runs of tools under the rules of one root."""

    def __init__(self, rules: ArtifactsRules) -> None:
        self._rules = rules
        self._search = ProcessLineSearch()
        self.get = partial(get_artifact, rules=rules)
        self.added = partial(added_artifact, rules=rules)
        self.snippet = partial(file_snippet, rules=rules)

    def grep(
        self,
        artifact_id: str,
        pattern: str,
        *,
        ports: Ports,
        limit: int,
        after: int,
        context: int,
        ignore_case: bool,
    ) -> FoundLines:
        """Return the lines of an output that match."""
        query = LineQuery(pattern, ignore_case, after, limit, self._rules.grep_seconds)
        return find_lines(
            artifact_id,
            query,
            context=context,
            search=self._search,
            ports=ports,
            rules=self._rules,
        )

    def page(
        self,
        session_id: str | None,
        turn_id: str | None,
        before: Place | None,
        most: int,
        *,
        ports: Ports,
    ) -> ArtifactPage:
        """Return runs, newest first, and where the next page begins."""
        found = list_artifacts(
            session_id=session_id,
            turn_id=turn_id,
            before=before,
            limit=most + 1,
            ports=ports,
            rules=self._rules,
        )
        items = found[:most]
        return ArtifactPage(
            tuple(artifact for _, artifact in items),
            "{}.{}".format(*items[-1][0]) if len(found) > most else None,
        )
