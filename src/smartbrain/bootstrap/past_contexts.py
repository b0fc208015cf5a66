"""Contexts of the past, by their ids: explained, compared, replayed (S6).

In: ids as callers give them, an open tenant. Out: explanations and diffs, or `NotFound` where no
trace is kept. What waits to be written is written first. Loaded by the first call that looks back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from smartbrain.bootstrap.recomposing import Search, kept_inputs, replay_context, rules_of
from smartbrain.compose.diff import Side, diff_contexts
from smartbrain.compose.explained import answered_by, explain_context, seen_in
from smartbrain.compose.kept import package_of
from smartbrain.compose.resources import why_no_document
from smartbrain.compose.select import select
from smartbrain.compose.trace import check_form
from smartbrain.compose.why_left import why_left
from smartbrain.domain.context import EvidenceSource
from smartbrain.domain.reason import Reason
from smartbrain.errors import NotFound
from smartbrain.remember.names import read_id

if TYPE_CHECKING:
    from smartbrain.bootstrap.composing import Composing
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.recalling import Recalling
    from smartbrain.domain.context_diff import ContextDiff
    from smartbrain.domain.explanation import Explanation
    from smartbrain.domain.job import Trace
    from smartbrain.settings import Settings


class PastContexts:
    """The contexts that one root has composed."""

    def __init__(self, composing: Composing, recalling: Recalling) -> None:
        self._composing = composing
        self._search = Search(recalling=recalling, ask=composing.documents, count=composing.count)

    def explain(self, context_id: object, tenant: OpenTenant, settings: Settings) -> Explanation:
        """Return how a context came about."""
        return explain_context(self._trace(context_id, tenant, settings))

    def why(
        self, context_id: object, expect: str, tenant: OpenTenant, settings: Settings
    ) -> Explanation:
        """Return why something is in a context, or is not."""
        trace = self._trace(context_id, tenant, settings)
        inputs, _ = kept_inputs(trace, tenant)
        rules = rules_of(trace, settings).rules
        package, choice = select(inputs, rules=rules, count=self._search.count(rules))
        answered = answered_by(trace, inputs, package, choice)
        told = self._search.recalling.why(expect, answered, tenant, settings.rules)
        return replace(seen_in(package, told), context_id=trace.context_id)

    def replay(
        self, context_id: object, overrides: object, tenant: OpenTenant, settings: Settings
    ) -> ContextDiff:
        """Return what a context would show otherwise under other rules."""
        trace = self._trace(context_id, tenant, settings)
        return replay_context(trace, overrides, tenant=tenant, settings=settings, by=self._search)

    def diff(
        self, context_id: object, other_id: object, tenant: OpenTenant, settings: Settings
    ) -> ContextDiff:
        """Return what differs between two contexts."""
        traces = [self._trace(one, tenant, settings) for one in (context_id, other_id)]
        notes: list[Reason] = []
        made = []
        for trace in traces:
            inputs, gone = kept_inputs(trace, tenant)
            rules = rules_of(trace, settings).rules
            count = self._search.count(rules)
            made.append((inputs, *package_of(trace, inputs, rules=rules, count=count)))
            notes += gone
        (_, first, _), (inputs, second, choice) = made
        if first.session_id != second.session_id:
            sentence = f"sessions {first.session_id} and {second.session_id}"
            notes.append(Reason("other_session", sentence))
        reasons = why_left(
            first,
            inputs,
            second,
            choice,
            omitted=map(Reason.from_dict, traces[1].body["omitted"]),
            missing={
                EvidenceSource.MEMORY: Reason("not_found", "recall does not bring it for this one"),
                EvidenceSource.RESOURCE: why_no_document(
                    second.debug.planner, second.debug.ignored
                ),
            },
        )
        return diff_contexts(
            Side(package=first, tokens=traces[0].body["tokens"]),
            Side(package=second, tokens=traces[1].body["tokens"], reasons=tuple(reasons)),
            other_id=second.context_id,
            notes=tuple(notes),
        )

    def _trace(self, given: object, tenant: OpenTenant, settings: Settings) -> Trace:
        """Return the trace of a context.

        Raises:
            NotFound: none is kept, or only one of an older form.
        """
        wanted = read_id(given, "context_id")
        self._composing.flush()
        with tenant.ports.truth.read() as rows:
            trace = rows.working.trace(wanted)
        if trace is None:
            kept = settings.rules.policies.observability
            why = f"traces are kept for {kept.trace_days} days, {kept.max_traces:,} at most"
            if not kept.trace:
                why = "policies.observability.trace is false, so none is kept"
            raise NotFound(f"there is no trace of a context {wanted!r:.80} in this tenant; {why}")
        check_form(trace)
        return trace
