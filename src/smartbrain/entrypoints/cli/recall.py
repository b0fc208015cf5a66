"""`memctl recall`: what memory has on a question, and how it was found.

In: a question and what may be searched for it. Out: memories with what speaks for each, for people
or as JSON; with `--trace` also what was looked for, who answered, and what was left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from smartbrain.brain.arguments import MOST_TOKENS, whole
from smartbrain.domain.graph_search import GraphLayer
from smartbrain.entrypoints.cli.lines import counted, print_json, print_result
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    JsonOption,
    RootOption,
    TenantOption,
    find_root,
    opened_tenant,
)
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Root
    from smartbrain.domain.recall import Recall

_NO_CONCEPTS: Final = (
    "there is no layer of concepts (L2) yet; what is searched is the one below it (L1)"
)
_INGESTED: Final = "{} cannot be found before `memctl r2g` has made a graph"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """What `memctl recall` can be asked, an option each."""

    words: Annotated[list[str] | None, typer.Argument(help="The question, in any words.")] = None
    q: Annotated[str | None, typer.Option(help="The same, as an option.")] = None
    k: Annotated[int, typer.Option(help="How many memories at most.")] = 20
    budget: Annotated[int | None, typer.Option(help="How many tokens they may take together.")] = (
        None
    )
    mvp: Annotated[
        bool, typer.Option("--mvp", help="By words and age, one step over the graph, no vectors.")
    ] = False
    graph_only: Annotated[
        bool, typer.Option("--graph-only", help="Ask the graph alone, without a search index.")
    ] = False
    allow_raw: Annotated[
        bool, typer.Option("--allow-raw", help="Let the original passages be searched as well.")
    ] = False
    use_l2: Annotated[
        bool, typer.Option("--use-l2", help="Search the layer of concepts first, if there is one.")
    ] = False
    extract_keywords: Annotated[
        bool, typer.Option("--extract-keywords", help="Only show what would be looked for.")
    ] = False
    trace: Annotated[bool, typer.Option("--trace", help="Show how it was found, too.")] = False
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False

    @property
    def question(self) -> str:
        """The question, however it was given."""
        if bool(self.words) == (self.q is not None):
            raise UsageError('give one question: memctl recall "Which port does staging use?"')
        return " ".join(self.words or []) if self.q is None else self.q

    def settings(self) -> dict[str, Any]:
        """Return what to change of how the brain is configured."""
        wanted: dict[str, Any] = {}
        if self.mvp:
            wanted |= {"recall.profile": "mvp", "recall.vector.enabled": False}
        if self.graph_only:
            wanted |= dict.fromkeys(
                ("recall.use_node_index", "recall.vector.enabled", "recall.raw.enabled"), False
            )
        if self.allow_raw:
            wanted["recall.raw.enabled"] = True
        if self.use_l2:
            wanted["recall.graph.use_l2"] = True
        return wanted


def recall(options: RecallOptions) -> None:
    """Bring to mind what answers a question, best first.

    Each memory comes with its score, what speaks for it and the original words it rests on. JSON
    always has the trace: what was looked for, how each arm did, and what was left out and why.
    """
    from smartbrain.entrypoints.cli.show_context import NOTHING, show_recall, show_trace
    from smartbrain.remember.ingest import count_ingested

    if options.extract_keywords:
        _keywords(options)
        return
    with opened_tenant(options.root, options.tenant) as (place, tenant):
        whole(options.k, "k", 1, place.settings.rules.recall.max_k)
        if options.budget is not None:
            whole(options.budget, "budget_tokens", 1, MOST_TOKENS)
        found = NOTHING if tenant is None else _asked(options, place, tenant)
        notes = [_NO_CONCEPTS] if options.use_l2 and not _has_concepts(tenant) else []
        waits = 0 if tenant is None else count_ingested(ports=tenant.ports)
        notes += [_INGESTED.format(counted(waits, "ingested chunk"))] if waits else []
    if options.as_json:
        print_json({"query": options.question, "notes": notes, **found.to_dict()})
        return
    show_recall(found, notes, stored=tenant is not None)
    if options.trace:
        show_trace(found.trace)


def _asked(options: RecallOptions, place: Root, tenant: OpenTenant) -> Recall:
    from smartbrain import SmartBrain

    brain = SmartBrain(place, tenant.name, owner=False)
    brain.configure(options.settings())
    hops = 1 if options.mvp else place.settings.rules.recall.graph.k_hop
    return brain.recall(options.question, k=options.k, budget_tokens=options.budget, k_hop=hops)


def _has_concepts(tenant: OpenTenant | None) -> bool:
    """Tell whether the graph has a layer of concepts, as far as it is loaded."""
    from smartbrain.recall.search import graph_of

    follower = tenant.views.loaded if tenant is not None else None
    if follower is None or follower.get("graph") is None:
        return False
    return GraphLayer.CONCEPTS.name in graph_of(follower).stats().by_layer


def _keywords(options: RecallOptions) -> None:
    """Show what a question gives to look for; no brain is needed for it."""
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.cli.show_context import show_cues
    from smartbrain.recall.cues import read_cues

    place = Root(find_root(options.root))
    cues = read_cues(options.question, now=place.terms(options.tenant).clock())
    value = {"query": options.question, "cues": cues}
    print_result(value, lambda: show_cues(cues), as_json=options.as_json)
