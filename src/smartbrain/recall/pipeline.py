"""The read path, stage by stage: a message becomes memories in order, and says how (R1–R6).

message → cues → plan → arms → rows → fuse → guard → vary → rerank. Follow `search` to follow one;
`make_answer` makes items of what it finds and fits them into a budget. Each stage leaves its time
and its reasons in the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final

from msgspec import structs

from smartbrain.domain.forgetting import MUTED, holds_words
from smartbrain.domain.memory import Status
from smartbrain.domain.memory_type import Group
from smartbrain.domain.policy_recall import RecallRules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import ArmReport, ArmVerdict, Cues, Recall, RecallTrace
from smartbrain.domain.recalled import Ranked, RecalledRow, Recent, Replaced
from smartbrain.domain.search import Scored
from smartbrain.domain.types import TypeRegistry
from smartbrain.govern.short_term import last_end
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.recall.arms.time import names_more
from smartbrain.recall.cues import needs_recent, read_cues
from smartbrain.recall.fuse import calibrate, fuse
from smartbrain.recall.gather import (
    DAYS,
    EXACT,
    FACTS,
    GRAPH,
    SESSIONS,
    TEXT,
    VECTOR,
    Gathered,
    gather,
)
from smartbrain.recall.guard import admit, find_outdated, outdated_reasons, reason_about
from smartbrain.recall.items import Cited, make_items, pack, vary
from smartbrain.recall.plan import make_plan, not_followed
from smartbrain.recall.relevance import Relevance, relevance_of
from smartbrain.recall.request import RecallRequest, RecallTools
from smartbrain.recall.rerank import rerank
from smartbrain.recall.verdicts import BROKEN

OTHER_TYPE: Final = "other_type"
"""The code of a reason: what an arm found is of a type that was not asked for."""
_EPISODES: Final = "episodes"
_PREFERENCES: Final = "preferences"
_SOURCE: Final = "source"  # the profile whose parts are added as they are
_RECENT: Final = 5
_SILENT: Final = (Group.CUES, Group.NONE)  # what only leads to memories does not answer
_MAX_READ: Final = 400  # memories whose rows are read for one question
_MIN_READ: Final = 60
_READ_PER_ITEM: Final = 2.5  # more changes the first ones hardly ever


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, in order, and how; `considered` is the order before the guard.

    `hits` are all that each arm found, `rare` the words that few memories hold and `relevance` how
    likely any of them answers, where that was asked for.
    """

    ranked: list[Ranked]
    considered: list[Ranked]
    cues: Cues
    trace: RecallTrace
    passages: dict[int, int] = field(default_factory=dict)
    hits: Mapping[str, Sequence[Scored]] = field(default_factory=dict)
    rare: frozenset[str] = frozenset()
    relevance: Relevance | None = None


def search(
    request: RecallRequest, *, tools: RecallTools, ports: Ports, rules: RecallRules
) -> Found:
    """Return memories that answer a question, best first."""
    watch = _Watch(tools.timer)
    cues = read_cues(request.text, now=request.now, recent=_recent_turns(request, ports))
    cues = structs.replace(cues, **tools.read_question(cues.text)._asdict())
    request = _complete(request, cues, ports.types)
    name, expansion = ports.ids.new(), tools.expansion
    plan = make_plan(cues, request_id=name, rules=rules, k=request.k, expansion=expansion)
    watch.lap("cues")
    gathered = gather(request, cues, plan, tools=tools, ports=ports, rules=rules)
    cues = structs.replace(cues, referred=(*cues.referred, *gathered.names))
    watch.lap("arms")
    alone, beyond = not names_more(cues), rules.profile != _SOURCE
    signals = calibrate(gathered.found, time_alone=alone, beyond=beyond)
    nums, read, replaced = _read_rows(request, gathered.found, signals, ports)
    watch.lap("rows")
    wanted, omitted = _within_limits(request, read)
    outdated, time, types = find_outdated(wanted, replaced, cues), request.now, ports.types
    shares = ((row.num, gathered.sessions.get(row.session_id or "")) for row in wanted)
    signals[SESSIONS] = {num: share for num, share in shares if share is not None}
    considered = fuse(wanted, signals, cues, outdated=outdated, now=time, types=types, rules=rules)
    admitted, refused = admit(
        considered, request.now, request.as_of, history=request.history, session=request.session_id
    )
    ranked = vary(admitted, rules.mmr)
    watch.lap("rank")
    ranked, reranked = rerank(
        ranked, cues.text, reranker=tools.reranker, rules=rules.rerank, run=tools.in_time
    )
    watch.lap("rerank")
    arms = (*gathered.reports, structs.replace(reranked, took_ms=watch.laps["rerank"]))
    trace = RecallTrace(
        request_id=plan.request_id,
        mode=mode_of(gathered),
        degraded=any(map(_is_missing, arms)),
        cues=cues,
        plan=plan,
        arms=arms,
        seq=tools.follower.seq(),
        behind=tools.behind,
        candidates=len(nums),
        stages=watch.laps,
        omitted=(*_unread(gathered, nums), *omitted, *refused),
        ignored_fields=not_followed(plan, rules),
        outdated=tuple(outdated_reasons(outdated, wanted)),
    )
    return Found(
        ranked,
        considered,
        cues,
        trace,
        passages=gathered.passages,
        hits=gathered.found,
        rare=gathered.rare(request.rare_share),
        relevance=_relevance(gathered, cues, ranked),
    )


def _relevance(gathered: Gathered, cues: Cues, ranked: Sequence[Ranked]) -> Relevance | None:
    if gathered.found.get(EXACT) or gathered.found.get(DAYS):
        return None  # it is there as it was named
    return relevance_of(cues, ranked, gathered.found.get(TEXT, ()), gathered.counts)


def _complete(request: RecallRequest, cues: Cues, types: TypeRegistry) -> RecallRequest:
    """Return a request with the types that answer by themselves, where it names none."""
    wanted = request.types or tuple(kind.name for kind in types if kind.group not in _SILENT)
    history = request.history or cues.history
    return replace(request, narrowed=bool(request.types), types=wanted, history=history)


def _read_rows(
    request: RecallRequest,
    found: Mapping[str, Sequence[Scored]],
    signals: Mapping[str, dict[int, float]],
    ports: Ports,
) -> tuple[set[int], list[RecalledRow], list[Replaced]]:
    """Return the numbers of what is read for a question, the rows, and what those replaced."""
    # Arms that go from one memory to others find any type: of a few types more has to be read.
    most = max(_MIN_READ, int(_READ_PER_ITEM * request.k))
    most = _MAX_READ if request.narrowed else min(_MAX_READ, most)
    with ports.truth.read() as rows:
        nums = set(_best_of_each(found.values(), most))
        read = rows.recalled.rows(sorted(nums))
        if request.history or request.as_of is not None:
            keys = {row.key for row in read if row.type != _EPISODES}
            versions = rows.recalled.versions(sorted(keys))
            known = {row.num: row for row in (*versions, *read)}
            return nums, _without_muted([*known.values()], request, rows), []
        read = _without_muted(_with_successors(read, signals, rows), request, rows)
        turns = [row.source_turn_id for row in read if row.type == _EPISODES]
        replaced = rows.recalled.replaced([turn for turn in turns if turn])
        missing = {one.num for one in replaced}.difference(row.num for row in read)
        read += rows.recalled.rows(sorted(missing)) if missing else []
        return nums, sorted(read, key=itemgetter(0)), replaced


def _best_of_each(lists: Collection[Sequence[Scored]], most: int) -> dict[int, None]:
    """Return the first numbers of lists in turns, as many as are wanted and to the turn's end."""
    nums: dict[int, None] = {}
    for place in range(max(map(len, lists), default=0)):
        for hits in lists:
            if place < len(hits):
                nums[hits[place].num] = None
        if len(nums) >= most:
            break
    return nums


def _without_muted(
    read: Sequence[RecalledRow], request: RecallRequest, rows: Transaction
) -> list[RecalledRow]:
    """Leave out what the user never wants mentioned, unless the question names it (J7)."""
    told = [str(entry.body["words"]) for entry in rows.working.state("tenant", MUTED)]
    muted = [words for words in told if not holds_words(request.text.casefold(), words)]

    def is_muted(row: RecalledRow) -> bool:
        return any(holds_words(row.text.casefold(), words) for words in muted)

    return [row for row in read if row.type == _PREFERENCES or not is_muted(row)]


def make_answer(
    found: Found,
    request: RecallRequest,
    *,
    ports: Ports,
    timer: Callable[[], float],
    budget_tokens: int | None = None,
    cite: bool = True,
) -> Recall:
    """Return what a search found as items, within the number asked for and a budget."""
    watch = _Watch(timer)
    cues = found.cues
    words = (*cues.codes, *cues.phrases, *cues.keywords)
    with ports.truth.read() as rows:
        items = make_items(
            found.ranked[: request.k],
            rows=rows,
            blobs=ports.blobs,
            types=ports.types,
            cited=Cited(found.passages, words) if cite else None,
        )
    kept, tokens, over = pack(items, budget_tokens)
    watch.lap("items")
    left = [
        reason_about(
            one.row, "outranked", f"it came at place {place}, and {request.k} were asked for"
        )
        for place, one in enumerate(found.ranked[request.k :], request.k + 1)
    ]
    trace = structs.replace(
        found.trace,
        tokens=tokens,
        stages={**found.trace.stages, **watch.laps},
        omitted=(*found.trace.omitted, *over, *left),
    )
    return Recall(items=tuple(kept), trace=trace)


_NOT_MADE: Final = "no_vectors"  # vectors are made in the background, and never waited for (R23)


def _is_missing(arm: ArmReport) -> bool:
    return arm.verdict in BROKEN and arm.code != _NOT_MADE


def missing_arms(trace: RecallTrace) -> tuple[str, ...]:
    """Return what an answer lacks, an arm each with why it did not answer."""
    return tuple(f"{one.name}: {one.reason}" for one in trace.arms if _is_missing(one))


def mode_of(gathered: Gathered) -> str:
    """Return which row of the table of degradation a recall was (R4)."""
    text, vector, graph = (
        any(
            one.name.split(":")[0] == name and one.verdict in (ArmVerdict.OK, ArmVerdict.SKIPPED)
            for one in gathered.reports
        )
        for name in (TEXT, VECTOR, GRAPH)
    )
    if not text:
        if graph:  # also where nothing is named that it could begin at
            return "no_text" if vector else "graph_only"
        return "vectors_only" if vector else "labels_only"
    if vector:
        return "all" if graph else "no_graph"
    if not graph:
        return "keywords_only"
    report = gathered.report(VECTOR)
    if report is None or report.code == "no_embedder" or report.verdict is ArmVerdict.FAILED:
        return "no_embeddings"
    return "vector_not_ready"


def _recent_turns(request: RecallRequest, ports: Ports) -> list[Recent]:
    session = request.session_id
    if session is None or not needs_recent(request.text):
        return []
    with ports.truth.read() as rows:
        last = rows.events.last_turn(session)
        if last is None:
            return []
        ended = last_end(session, transaction=rows).turn
        turns = rows.events.turns(session, after=max(ended, last.seq - _RECENT), limit=_RECENT)
        nums = rows.recalled.keyed([f"episode:{session}:{turn.id}" for turn in turns])
        told = rows.recalled.rows(sorted(nums.values()))
    told.sort(key=lambda row: row.seq or 0)
    return [Recent(row.text, row.entities) for row in told]


def _unread(gathered: Gathered, nums: Collection[int]) -> Iterator[Reason]:
    """Yield for each arm how much of what it found was not read, for better ones came before."""
    for name, hits in gathered.found.items():
        left = len({hit.num for hit in hits}.difference(nums))
        if left and name != FACTS:  # those are among what the text found
            found = f"{left} of the {len(hits)} memories that {name} found"
            detail = {"arm": name, "memories": left}
            yield Reason("not_read", f"{found} answer less than others", detail=detail)


def _with_successors(
    read: list[RecalledRow], signals: Mapping[str, dict[int, float]], rows: Transaction
) -> list[RecalledRow]:
    """Return rows with the versions that took the place of some while the arms were searching.

    Indexes name only what is active. A row of theirs that is so no more was replaced a moment ago:
    what speaks for it speaks for what stands in its place, or neither would be in the answer.
    """
    indexes = [hits for name, hits in signals.items() if name.split(":")[0] in (TEXT, VECTOR)]
    ended = [row for row in read if row.status is not Status.ACTIVE]
    replaced = {row.key: row.num for row in ended if any(row.num in hits for hits in indexes)}
    if not replaced:
        return read
    known = {row.num for row in read}
    stand = [
        row
        for row in rows.recalled.versions(sorted(replaced))
        if row.status is Status.ACTIVE and row.num not in known
    ]
    for row in stand:
        for hits in signals.values():
            if replaced[row.key] in hits:
                hits[row.num] = hits[replaced[row.key]]
    return [*read, *stand]


def _within_limits(
    request: RecallRequest, rows: Sequence[RecalledRow]
) -> tuple[list[RecalledRow], list[Reason]]:
    """Return the memories of the types and the time that were asked for; why not, of the others."""
    kept, omitted = [], []
    since, until, stored_by = request.since, request.until, request.stored_by
    for row in rows:
        if request.types and row.type not in request.types:
            why = (OTHER_TYPE, "memories of its type were not asked for")
        elif since is not None and row.said_at < since:
            why = ("too_early", f"it was said before {since.isoformat()}")
        elif until is not None and row.said_at >= until:
            why = ("too_late", f"it was said after {until.isoformat()}")
        elif stored_by is not None and row.created_at > stored_by:
            why = ("stored_later", f"it was stored after {stored_by.isoformat()}")
        else:
            kept.append(row)
            continue
        omitted.append(reason_about(row, *why))
    return kept, omitted


class _Watch:
    """Milliseconds from lap to lap."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._last = timer()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Note how long it took since the last lap."""
        now = self._timer()
        self.laps[name] = round((now - self._last) * 1000, 3)
        self._last = now
