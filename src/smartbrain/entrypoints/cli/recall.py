"""`memctl recall`, `compose`, `explain` and `diff`: what memory has, what a model gets, and why.

In: a question and what may be searched for it, a message of a session, or the ids of contexts. Out:
memories with what speaks for each, contexts with their reasons, for people or as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from smartbrain.brain.arguments import MOST_TOKENS, whole
from smartbrain.domain.graph_search import GraphLayer
from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.inputs import AudienceName, ProviderName
from smartbrain.entrypoints.cli.lines import counted, one_line, print_json
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    CommandAnswer,
    JsonOption,
    RootOption,
    TenantOption,
    about_tenant,
    find_root,
    opened_tenant,
    print_answer,
    stored_brain,
)
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain import SmartBrain
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Root
    from smartbrain.domain.recall import Recall

_NO_CONCEPTS: Final = (
    "there is no layer of concepts (L2) yet; what is searched is the one below it (L1)"
)

_INGESTED: Final = "{} cannot be found before `memctl r2g` has made a graph"
FORMATS: Final = ("text", "openai", "anthropic")


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
    answer = CommandAnswer({"query": options.question, "cues": cues}, partial(show_cues, cues))
    print_answer(answer, as_json=options.as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeOptions:
    """What `memctl compose` can be asked, an option each."""

    session: Annotated[str, typer.Option(help="The conversation.")]
    message: Annotated[
        str | None, typer.Option(help="What the user says; none in a step of a loop.")
    ] = None
    recipe: Annotated[
        str, typer.Option(help="`standard`, `chat`, `tool_loop`, or one of brain.yml.")
    ] = "standard"
    audience: Annotated[str, typer.Option(help="`responder` or `planner`.")] = "responder"
    turn: Annotated[str | None, typer.Option(help="The turn in progress, in a step of a loop.")] = (
        None
    )
    run: Annotated[str | None, typer.Option(help="The run whose working memory is shown.")] = None
    limit: Annotated[int | None, typer.Option(help="How many tokens it may take.")] = None
    format: Annotated[
        str, typer.Option(help="`text` for people, or a request: `openai`, `anthropic`.")
    ] = "text"
    why: Annotated[bool, typer.Option("--why", help="Say why each thing is in or out.")] = False
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False


def compose(options: ComposeOptions) -> None:
    """Show the context that a model call would be given.

    Titled blocks, a bar for the tokens of each, and with `--why` the reasons. `--format` prints the
    request for a provider instead, `--json` the package with everything that was decided.
    """
    from smartbrain import SmartBrain
    from smartbrain.entrypoints.cli.show import console
    from smartbrain.entrypoints.cli.show_context import show_blocks, show_budget, show_why

    if options.format not in FORMATS:
        hint = did_you_mean(options.format, FORMATS)
        raise UsageError(
            f"there is no format {shown(options.format)}; give {', '.join(FORMATS)}{hint}"
        )
    first = options.tenant == DEFAULT  # a brain that holds nothing yet composes as well
    with opened_tenant(options.root, options.tenant, create=first) as (place, _):
        brain = SmartBrain(place, options.tenant, owner=False)
        package = brain.compose_context(
            options.session,
            options.message,
            turn_id=options.turn,
            recipe=options.recipe,
            audience=cast(AudienceName, options.audience),
            run_id=options.run,
            token_limit=options.limit,
        )
    if options.format != "text":
        print_json(package.request(cast(ProviderName, options.format)))
    elif options.as_json:
        print_json(package)
    else:
        out = console()
        show_blocks(out, package)
        out.print()
        if package.degraded:
            out.print(f"note: made without {one_line(package.degraded)}", style="yellow")
        show_budget(out, package, place.settings.rules.policies.composition)
        if options.why:
            out.print()
            show_why(out, package)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """What `memctl explain` can be asked."""

    context_id: Annotated[str | None, typer.Argument(help="A composed context.")] = None
    turn: Annotated[str | None, typer.Option(help="A turn, or an operation.")] = None
    query: Annotated[str | None, typer.Option(help="A question to memory.")] = None
    expect: Annotated[
        str | None, typer.Option(help="What it should hold: an id, a key or words.")
    ] = None
    k: Annotated[int | None, typer.Option(help="How many memories a recall is to bring.")] = None
    budget: Annotated[int | None, typer.Option(help="How many tokens they may take.")] = None


@about_tenant(stored_brain, options=ExplainOptions)
def explain(brain: SmartBrain, options: ExplainOptions) -> CommandAnswer:
    """Tell why a context shows what it shows.

    Also why a turn wrote what it wrote (`--turn`), or why something is in a context, or in the
    answer to a question, or is not (a context or `--query`, with `--expect`).
    """
    from smartbrain.entrypoints.cli.show_context import show_explanation

    found = brain.explain(
        options.context_id,
        turn_id=options.turn,
        query=options.query,
        expect=options.expect,
        k=options.k,
        budget_tokens=options.budget,
    )
    return CommandAnswer(found, partial(show_explanation, found))


@about_tenant(stored_brain)
def diff(
    brain: SmartBrain,
    context_id: Annotated[str, typer.Argument(help="A composed context.")],
    other_id: Annotated[str | None, typer.Argument(help="Another one.")] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", help="Replay the first one under NAME=VALUE; may be repeated."),
    ] = None,
) -> CommandAnswer:
    """Show what differs between two contexts.

    With `--set` in place of a second one: what would differ if a setting had had another value,
    such as `--set policies.composition.token_limit=2000` or `--set recipe=chat`.
    """
    from smartbrain.entrypoints.cli.show_context import show_diff

    if (other_id is None) == (not overrides):
        raise UsageError("give either a second context, or what to try: --set NAME=VALUE")
    values = _values(overrides or ())
    found = brain.diff(context_id, other_id) if other_id else brain.replay(context_id, values)
    return CommandAnswer(found, partial(show_diff, found))


def _values(given: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise UsageError(f"--set takes NAME=VALUE, not {one!r:.80}")
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values
