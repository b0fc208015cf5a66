"""The commands over the views: `index`, `search`, `graph`, `rebuild`.

In: files, words, nodes. Out: what was stored or found, as tables or JSON. A command waits until the
views are whole; what takes long shows how far it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smartbrain.brain.arguments import check_enabled
from smartbrain.domain.search import IndexFilter
from smartbrain.domain.turn import DOCUMENT, Marked
from smartbrain.entrypoints.cli.lines import counted, one_line, print_json, print_lines, shortened
from smartbrain.entrypoints.cli.options import (
    DEFAULT,
    CommandAnswer,
    JsonOption,
    RootOption,
    TenantOption,
    about_tenant,
    begun_brain,
    each_tenant,
    opened_brain,
    opened_tenant,
    print_answer,
)
from smartbrain.errors import NotFound, UsageError
from smartbrain.remember.arguments import read_file

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Root
    from smartbrain.domain.search import Beside, Hit
    from smartbrain.domain.status import Capabilities

_QUOTED = re.compile('"([^"]+)"|“([^”]+)”')
_LONGEST = 500  # characters of a session's name
_TITLE = 60  # characters of a hit that has no title
_STAND = ("active",)


def index(
    files: Annotated[list[Path], typer.Argument(help="Text files, in UTF-8.")],
    add: Annotated[bool, typer.Option("--add", help="Add them; there is no other way.")] = False,
    tenant: TenantOption = DEFAULT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store text files, so that they can be found.

    Each becomes a turn that refers to the file, in a session of its own; as a document it asserts
    nothing. The same content of the same file is stored once, however often it is added.
    """
    from smartbrain.entrypoints.cli.each import work_progress

    if not add:
        raise UsageError("say what to do with the files: `memctl index --add FILE…`")
    texts = {path: read_file(path) for path in files}
    stored = []
    with begun_brain(root, tenant) as brain, work_progress("files") as on_progress:
        for done, (path, text) in enumerate(texts.items(), 1):
            place = path.absolute()
            events = {
                "messages": [{"role": "user", "name": "document", "content": text}],
                "refs": [{"ref_type": "file", "ref_uri": place.as_uri()}],
            }
            key = blake2b(f"{place}\0{text}".encode(), digest_size=16).hexdigest()
            document = Marked(events, DOCUMENT)
            result = brain.commit_turn(_session_of(place), document, idempotency_key=f"file:{key}")
            stored.append((path, result))
            on_progress(done, len(texts))
    new = sum(not result.replayed for _, result in stored)
    told = f"{counted(new, 'file')} stored, {len(stored) - new} already there\n"
    value = [
        {"file": str(path), "turn_id": result.turn_id, "new": not result.replayed}
        for path, result in stored
    ]
    print_answer(CommandAnswer(value, told), as_json=as_json)


@about_tenant(opened_tenant)
def search(
    found: tuple[Root, OpenTenant | None],
    words: Annotated[str, typer.Argument(help="What to look for.")],
    limit: Annotated[int, typer.Option(help="How many hits at most.")] = 10,
    passages: Annotated[
        bool, typer.Option("--passages", help="Search the original text, not the memories.")
    ] = False,
    kind: Annotated[str | None, typer.Option("--type", help="Only memories of this type.")] = None,
) -> CommandAnswer:
    """Find memories by their words, best first.

    Only what holds now is shown. Words in double quotes have to stand together:
    memctl search '"weekly report" Thursday'.
    """
    if passages and kind:
        raise UsageError("passages have no type; leave out --type or --passages")
    view = "passages" if passages else "text"
    place, opened = found
    rules = place.settings.rules.recall
    check_enabled(view, rules)
    only = IndexFilter(types=(place.types.get(kind).name,), statuses=_STAND) if kind else None
    phrases = [one or other for one, other in _QUOTED.findall(words)]
    if opened is None:
        return CommandAnswer({"query": words, "hits": []}, "nothing found: nothing is stored yet\n")
    hits = opened.views.search(words, rules, view=view, k=limit, only=only, phrases=phrases)
    shown = partial(_show_hits, hits) if hits else "nothing found\n"
    return CommandAnswer({"query": words, "hits": hits}, shown)


def _show_hits(hits: Sequence[Hit]) -> None:
    from smartbrain.entrypoints.cli.show import console

    out = console()
    for number, hit in enumerate(hits, 1):
        day = hit.at.date().isoformat()
        out.print(f"{number}. {one_line(hit.title or shortened(hit.text, _TITLE))}", style="bold")
        out.print(f"   {hit.score:.3f}  {day}  {hit.type}  {one_line(hit.source or hit.id)}")
        out.print(f"   {one_line(shortened(hit.text))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """What `memctl graph` can be asked, an option each."""

    ends: Annotated[
        list[str] | None, typer.Argument(help="SRC TYPE DST [WEIGHT] of an edge to add.")
    ] = None
    add_node: Annotated[
        list[str] | None, typer.Option(help="Add such as Concept:蓝牙故障; repeatable.")
    ] = None
    add_edge: Annotated[bool, typer.Option("--add-edge", help="Add an edge.")] = False
    neighbors: Annotated[
        str | None, typer.Option(help="Show what stands beside a node: its id, key or name.")
    ] = None
    prune: Annotated[bool, typer.Option("--prune", help="Thin out what is too dense.")] = False
    cap: Annotated[int, typer.Option(help="How many edges of a type a node keeps.")] = 256
    tenant: TenantOption = DEFAULT
    root: RootOption = None
    as_json: JsonOption = False


def graph(options: GraphOptions) -> None:
    """Add to the graph by hand, or look around in it.

    A node is named by its id, by its key, or as Concept:<name> or Entity:<name>.
    """
    if options.prune:
        raise NotFound(f"pruning to {options.cap} edges a type is not built yet; nothing was done")
    edge = _edge_of(options.ends or [], wanted=options.add_edge)
    if not (options.add_node or edge or options.neighbors):
        raise UsageError("say what to do: --add-node, --add-edge or --neighbors")
    is_adding = bool(options.add_node or edge)
    near: Sequence[Beside] = ()
    with opened_brain(options.root, options.tenant, create=is_adding) as brain:
        if brain is None:
            raise NotFound(f"there is no node {options.neighbors!r:.80}: nothing is stored yet")
        nodes = [brain.graph.add_node(name) for name in options.add_node or []]
        edges = [brain.graph.add_edge(*edge)] if edge else []
        if options.neighbors:
            near = brain.graph.neighbors(options.neighbors)
    if options.as_json:
        print_json({"nodes": nodes, "edges": edges, "neighbors": near})
        return
    print_lines([*(f"{one.id}  {one.key}" for one in nodes), *(one.id for one in edges)])
    if options.neighbors:
        _show_beside(near)


def _show_beside(near: Sequence[Beside]) -> None:
    from smartbrain.entrypoints.cli.show import table

    rows = [
        (
            f"{'→' if one.outgoing else '←'} {one.relation}",
            f"{one.weight:.2f}",
            one.id,
            one.title or one.key or one.type,
        )
        for one in near
    ]
    table(["relation", "weight", "id", "what"], rows, numeric={"weight"})


@each_tenant
def rebuild(root: Root, tenants: Sequence[str], *, as_json: bool) -> None:
    """Drop the search indexes and build them again from what is stored."""
    from smartbrain.bootstrap.health import capabilities_of
    from smartbrain.entrypoints.cli.each import for_each_tenant, print_results, progress

    rules = root.settings.rules.recall
    with progress() as (bars, _):

        def rebuild_one(one: OpenTenant) -> Capabilities:
            task = bars.add_task(one.name, total=None)

            def show(view: str, rows: int) -> None:
                bars.update(task, description=f"{one.name}: {view}, {rows:,} rows")

            one.views.rebuild(rules, show)
            return capabilities_of(one, root.models, rules)

        found, errors = for_each_tenant(root, tenants, rebuild_one)

    def told(name: str, now: Capabilities) -> list[str]:
        built = ", ".join(f"{arm.name} {arm.items:,}" for arm in now.arms if arm.seq)
        return [f"{name}: {built or 'nothing to build'}"]

    print_results(found, errors, told, as_json=as_json)


def _session_of(path: Path) -> str:
    """Return the session of a file: its turns are what the file has held in turn."""
    uri = path.as_uri()
    return uri if len(uri) <= _LONGEST else f"file:{blake2b(uri.encode()).hexdigest()[:32]}"


def _edge_of(ends: list[str], *, wanted: bool) -> tuple[str, str, str, float] | None:
    if not wanted and not ends:
        return None
    if not wanted or len(ends) not in (3, 4):
        raise UsageError("an edge is added by --add-edge SRC TYPE DST [WEIGHT]")
    try:
        weight = float(ends[3]) if len(ends) == 4 else 1.0
    except ValueError:
        raise UsageError(f"{ends[3]!r:.60} is no weight; give a number from 0 to 1") from None
    return ends[0], ends[1], ends[2], weight
