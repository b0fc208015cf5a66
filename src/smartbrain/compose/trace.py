"""What is kept of a compose: plan, candidates, selection, budget and what was ignored (S6).

In: a composition and the rules it was made under. Out: a trace to be stored: memories by number,
scores, places of turns, and the words that no row has. `KeptContext` reads one back; what was
forgotten since is not there, so a trace holds nothing back that a tenant has forgotten. Made off
the hot path, after the answer is given. A past context can be made again under other rules, of its
session as it was (`past_rows`) and its candidates scored again: nothing is searched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, cast
from zlib import compress

from msgspec import convert, structs, to_builtins

from smartbrain.compose.candidates import (
    FACTS,
    SCORE_DIGITS,
    TERM_DIGITS,
    Candidate,
    FoundMemories,
    FoundTurn,
    Terms,
    day_of,
    memory_uri,
    quoted_lines,
    word_profile,
)
from smartbrain.compose.counting import Count, PricedCounter
from smartbrain.compose.passages import EvidenceChoice
from smartbrain.compose.pipeline import Composition
from smartbrain.compose.request import ComposeRequest
from smartbrain.compose.select import ContextInputs, select
from smartbrain.compose.shown import EVIDENCE
from smartbrain.compose.slots import CoreFact, SlotContents, date_line, profile_facts
from smartbrain.compose.turns import ReadTurns, TurnMark, TurnReader
from smartbrain.domain.artifact import StoredCall
from smartbrain.domain.audience import pack_marks
from smartbrain.domain.context import (
    Constraints,
    ContextDebug,
    ContextEvidence,
    ContextPackage,
    EvidenceSource,
    TraceIds,
)
from smartbrain.domain.context_text import blocks, step_results
from smartbrain.domain.indexed import SpokenTurn
from smartbrain.domain.job import StateEntry, Trace
from smartbrain.domain.memory import Compression
from smartbrain.domain.packet import WorkingMemory
from smartbrain.domain.plan import QueryMode, RetrievalPlan
from smartbrain.domain.policy import Rules
from smartbrain.domain.policy_recall import ScoreRules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Cues
from smartbrain.domain.recalled import RecalledRow
from smartbrain.domain.recipe import BUILTIN_RECIPES
from smartbrain.domain.record import canonical_json, to_plain
from smartbrain.domain.summary import CoreBlock
from smartbrain.domain.turn import CallStatus, Turn
from smartbrain.domain.working import Governed
from smartbrain.errors import NotFound
from smartbrain.govern.fastmemo import COMPACTION
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.truth import Transaction
from smartbrain.recall.ages import LEVELS, shown_text
from smartbrain.recall.pipeline import OTHER_TYPE
from smartbrain.remember.read_turn import shown_sentences
from smartbrain.remember.summary import one_line

_FORM: Final = 4
_USUAL_PLAN: Final = RetrievalPlan().to_dict()
_OF_ROW: Final = ("title", "text", "turn_id", "at", "speaker")
_DAY: Final = len(" (2026-01-01)")  # at the end of a line of core memory
MAX_BYTES: Final = 6_144
"""Of a trace, packed."""
_LONGEST_MESSAGE: Final = 2_000  # characters; the whole of it is among the inputs
_CUT_FIRST: Final = ("inputs", "omitted", "sentences", "why", "plan", "ignored")
_NO_OUTPUT: Final[Mapping[str, Any]] = {
    "status": CallStatus.UNKNOWN,
    "exit_code": None,
    "result_spans": (),
    "stdout_spans": (),
    "stderr_spans": (),
}


def trace_of(made: Composition, rules: Rules, count: Count, *, rows: Transaction) -> Trace:
    """Return what is kept of a composition under the rules."""
    package, request = made.package, made.inputs.request
    debug, kept = package.debug, rules.policies.observability
    writer = _Writer(made, rows)
    body: dict[str, Any] = {
        "form": _FORM,
        "recipe": request.recipe.name,
        "audience": request.audience.value,
        "run_id": request.run_id,
        "turn_id": request.turn_id,
        "message": request.text[:_LONGEST_MESSAGE],
        "budget": _changes(Constraints().to_dict(), package.constraints.to_dict()),
        "tokens": slot_tokens(package, count),
        "planner": to_plain(debug.planner),
        "request_id": debug.trace.request_id,
        "ignored": writer.reasons(debug.ignored),
        "omitted": writer.reasons(_count_leading(made.omitted)),
        "rules": _changes(_rules(Rules()), _rules(rules)),
        "sentences": pack_marks(shown_sentences(shown_texts(package))),
    }
    if kept.store_plans:
        body["plan"] = _changes(_USUAL_PLAN, made.plan.to_dict()) if made.plan else None
    if kept.store_contexts:
        body["why"] = writer.reasons(debug.why_selected, in_order=True)
        body["inputs"] = writer.inputs(made.inputs)
    return Trace(
        context_id=package.context_id,
        session_id=package.session_id,
        created_at=package.created_at,
        body=_within_bytes(body),
    )


def _within_bytes(body: dict[str, Any]) -> dict[str, Any]:
    """Return a trace that takes few bytes; what is `cut` of one that takes more is named."""
    cut: list[str] = []
    for part in _CUT_FIRST:
        text = canonical_json(body)
        if len(text) <= MAX_BYTES or len(compress(text.encode())) <= MAX_BYTES:
            break
        if part in body:
            cut.append(part)
            body = {name: value for name, value in body.items() if name != part} | {"cut": cut}
    return body


def _count_leading(omitted: Iterable[Reason]) -> Iterator[Reason]:
    """Yield reasons, those of what only leads to memories as one for each of its types."""
    counts: Counter[str | None] = Counter()
    for reason in omitted:
        if reason.code == OTHER_TYPE:
            counts[reason.type] += 1
        else:
            yield reason
    for kind, count in counts.items():
        sentence = f"{count} {kind} lead to what is remembered, and are not shown themselves"
        yield Reason(OTHER_TYPE, sentence, type=kind, detail={"memories": count})


def slot_tokens(package: ContextPackage, count: Count) -> dict[str, int]:
    """Return how many tokens each slot of a context takes, as it is shown, in its order."""
    tokens: dict[str, int] = {}
    for block in blocks(package):
        tokens[block.slot] = tokens.get(block.slot, 0) + count(block.shown)
    return tokens


def shown_texts(package: ContextPackage) -> Iterator[str]:
    """Yield all words that a context shows, but for the user's message (C11)."""
    for block in (*package.system_blocks, *package.developer_blocks):
        yield block.text
    yield package.working_summary
    for pin in package.pins:
        yield pin.summary
    yield from (step.text for step in package.plan)
    yield from (note.text for note in package.notebook)
    for turn in package.recent_turns:
        yield from (message.content for message in turn.messages)
        yield from (call.summary for call in turn.tool_calls)
    yield from (evidence.snippet for evidence in package.evidence)
    for call in step_results(package):
        yield from (call.summary, call.text)


def _rules(rules: Rules) -> dict[str, Any]:
    """Return the rules that choosing from the same again goes by, as they are set in a file."""
    recall = rules.recall
    weights = to_plain(getattr(recall.profiles, recall.profile))
    return {
        "policies": {"composition": to_plain(rules.policies.composition)},
        "fastmemo": {"max_chars": rules.fastmemo.max_chars},
        "working": {"window_turns": rules.working.window_turns},
        "recall": {"profile": recall.profile, "profiles": {recall.profile: weights}},
    }


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of nested values is not as it was: traces are many, and most of them usual."""
    changed = {}
    for name, value in after.items():
        was = before.get(name)
        if isinstance(value, Mapping) and isinstance(was, Mapping):
            value = _changes(was, value) or was
        if value != was:
            changed[name] = value
    return changed


def _changed(before: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested values with changes."""
    nested = {
        name: _changed(before[name], value)
        for name, value in changes.items()
        if isinstance(value, Mapping) and isinstance(before.get(name), Mapping)
    }
    return {**before, **changes, **nested}


class _Writer:
    """Turns what a compose was made of into plain data; memories are told by their numbers."""

    def __init__(self, made: Composition, rows: Transaction) -> None:
        debug, inputs = made.package.debug, made.inputs
        found, core = inputs.contents.memories, inputs.contents.core
        reasons = (*debug.ignored, *made.omitted, *debug.why_selected, *inputs.known)
        whole = {one.id for one in found.alone}.union(*(block.source for block in core))
        named = whole.union((one.id for one in reasons), (turn.hit for turn in found.turns))
        self._nums = rows.followed.numbers([one for one in named if one])
        nums = sorted(self._nums[one] for one in whole if one in self._nums)
        self._rows = {row.id: row for row in rows.recalled.rows(nums)}
        beside = [_episode_key(turn.spoken) for turn in found.turns if not turn.hit]
        self._nums |= rows.recalled.keyed(beside)

    def reasons(self, given: Iterable[Reason], *, in_order: bool = False) -> list[Any]:
        """Return reasons as plain data, those together that say the same: in order, neighbours.

        A memory is told by its number, and whether the reason names its address or its key.
        """
        groups: dict[str, list[Any]] = {}
        last, place = "", 0
        for reason in given:
            num = self._nums.get(reason.id or "")
            is_address = num is not None and (reason.key or "").startswith(("turn:", "memory:"))
            said = [reason.code, reason.reason, reason.type, to_plain(reason.detail), is_address]
            alike = canonical_json(said)
            place += in_order and alike != last
            last = alike
            subject = num or [reason.id, reason.key]
            subjects = groups.setdefault(f"{place} {alike}", [*said, []])[-1]
            if subject not in subjects:
                subjects.append(subject)
        return list(groups.values())

    def inputs(self, inputs: ContextInputs) -> dict[str, Any]:
        """Return what a package was chosen from as plain data, without words that are stored."""
        contents, recent, found = inputs.contents, inputs.contents.recent, inputs.contents.memories
        request = {name: value for name, value in to_builtins(inputs.request).items() if value}
        if inputs.request.recipe in BUILTIN_RECIPES:
            del request["recipe"]  # its name is known
        governed = contents.governed.to_dict()
        governed["fastmemo"] = {name: some for name, some in governed["fastmemo"].items() if some}
        return {
            "request": request,
            "core": [self._block(block) for block in contents.core],
            "governed": _changes(Governed().to_dict(), governed),
            "working": inputs.working.to_dict() if inputs.working else None,
            "summary": inputs.summary,
            "cues": _changes(Cues(text="").to_dict(), inputs.cues.to_dict()),
            "place": recent.place,
            "turns": [list(mark) for mark in recent.marks],
            "known": self.reasons(structs.replace(one, detail={}) for one in inputs.known),
            "documents": to_builtins(inputs.documents),
            "alone": _columns(map(self._alone, found.alone)),
            "spoken": _columns(map(self._spoken_turn, found.turns)),
            "more": [self._more(one) for one in found.alone],
            "runs": {place: one.run for place, one in enumerate(found.turns) if one.run},
            "judged": [one.judged for one in inputs.memories] if inputs.documents else [],
        }

    def _block(self, block: CoreBlock) -> dict[str, Any]:
        """Return a block of core memory; a line that a memory tells as it is its place and day."""
        told = {
            line: (self._nums[name], place)
            for name in block.source
            if (row := self._rows.get(name)) is not None
            for place, line in enumerate(_undated_lines(row))
        }
        lines: list[Any] = block.text.split("\n")
        for number, line in enumerate(lines):
            if (found := told.get(line[:-_DAY])) is not None:
                lines[number] = [*found, line[-_DAY:]]
        source = [self._nums.get(name, name) for name in block.source]
        return {**block.to_dict(), "text": lines, "source": source}

    def _alone(self, one: Candidate) -> tuple[Any, ...]:
        """Return a memory that stands alone, and its scores."""
        return (self._nums.get(one.id, one.id), one.group, one.mode, *_digits(one.score, one.terms))

    def _more(self, one: Candidate) -> dict[str, Any]:
        """Return what the row of a memory does not say of it; a shorter text is one of a level."""
        row = self._rows.get(one.id)
        again = _candidate_of_row(row, one.group) if row else None
        more = {
            name: to_plain(getattr(one, name))
            for name in _OF_ROW
            if again is None or getattr(again, name) != getattr(one, name)
        }
        if row and "text" in more:
            levels = [level for level in LEVELS if shown_text(row, level) == one.text]
            if levels:
                del more["text"]
                more["level"] = levels[0].value
        return more

    def _spoken_turn(self, one: FoundTurn) -> tuple[Any, ...]:
        """Return a turn by the memory of it that was found, else by its episode; and its scores."""
        turn = one.spoken
        num = self._nums.get(one.hit or _episode_key(turn), turn.turn_id)
        return (num, one.mode, *_digits(one.score, one.terms))


def _episode_key(turn: SpokenTurn) -> str:
    return f"episode:{turn.session_id}:{turn.turn_id}"


def _columns(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """Return a table by its columns: numbers of one kind pack best together."""
    return [list(column) for column in zip(*rows, strict=True)]


def _digits(score: float, terms: Terms | None) -> tuple[int | None, ...]:
    """Return a score, and what each signal brought to it, as whole numbers."""
    parts = terms[1:] if terms else (None,) * (len(Terms._fields) - 1)
    told = (None if part is None else round(part * 10**TERM_DIGITS) for part in parts)
    return (round(score * 10**SCORE_DIGITS), *told)


def _scores(digits: Sequence[int | None]) -> tuple[float, Terms | None]:
    """Return a score and what each signal brought to it, from whole numbers."""
    first, *parts = digits
    score = (first or 0) / 10**SCORE_DIGITS
    told = [part / 10**TERM_DIGITS for part in parts if part is not None]
    return score, Terms(score, *told) if told else None


def _undated_lines(row: RecalledRow) -> list[str]:
    """Return what lines of core memory may tell of a memory, without the day at their end."""
    facts = [CoreFact(one_line(row.text or row.title), row.said_at)]
    if row.value.get("facts"):
        facts = list(profile_facts(row))
    return [date_line(fact)[:-_DAY] for fact in facts]


def _candidate_of_row(row: RecalledRow, group: str) -> Candidate:
    speaker = row.speakers[0] if row.speakers and group != FACTS else None
    return Candidate(
        id=row.id,
        group=group,
        title=row.type,
        source_uri=memory_uri(row.id, row.source_turn_id),
        text=word_profile(row.type, row.text) if group == FACTS else row.text,
        score=0.0,
        turn_id=row.source_turn_id,
        at=row.said_at,
        speaker=speaker,
    )


class KeptContext:
    """A trace that is read back; what was forgotten since is not in it, `gone` counts that."""

    def __init__(self, trace: Trace, rows: Transaction) -> None:
        """Read the memories that a trace names."""
        body = trace.body
        if body.get("form") != _FORM:
            raise NotFound(
                f"context {trace.context_id!r:.80} was composed by an older version, whose trace"
                " cannot be read; compose again"
            )
        self.trace, self.body, self._rows = trace, body, rows
        given = body.get("inputs", {})
        told = ("ignored", "omitted", "why")
        ignored, omitted, why = (body.get(name, ()) for name in told)
        kept = (*ignored, *omitted, *why, *given.get("known", ()))
        nums: set[Any] = {one for run in kept for one in run[-1] if isinstance(one, int)}
        for table in ("spoken", "alone"):
            nums.update(*given.get(table, ())[:1])
        nums.update(*(block["source"] for block in given.get("core", ())))
        found = rows.recalled.rows(sorted(num for num in nums if isinstance(num, int)))
        self._memories = {row.num: row for row in found}
        self.ignored, self.omitted, self.selected = map(self._reasons, (ignored, omitted, why))
        self.gone = 0

    @property
    def rules(self) -> dict[str, Any]:
        """The rules that it was chosen by, as they are set in a file."""
        return _changed(_rules(Rules()), self.body["rules"])

    def why_not_kept(self, part: str, setting: str) -> str:
        """Return why a part of the trace is not there, and what to do about it."""
        if part in self.body.get("cut", ()):
            return f"its trace would take more than {MAX_BYTES:,} bytes; lower token_limit"
        return f"policies.observability.{setting} was false; set it to true and compose again"

    @property
    def plan(self) -> dict[str, Any] | None:
        """What recall searched with, if that was kept."""
        changes = self.body.get("plan")
        return None if changes is None else _changed(_USUAL_PLAN, changes)

    @property
    def constraints(self) -> Constraints:
        """The limits that it was made under, and what it took."""
        return Constraints.from_dict(self.body["budget"])

    @property
    def ids(self) -> TraceIds:
        """The ids that tie it to its plan and its request."""
        asked = self.body["request_id"]
        return TraceIds(context_id=self.trace.context_id, request_id=asked, plan_id=asked)

    def _reasons(self, given: Iterable[Sequence[Any]]) -> tuple[Reason, ...]:
        """Return reasons that were kept, but for those about what is forgotten."""
        reasons = []
        for code, sentence, kind, detail, is_address, subjects in given:
            for subject in subjects:
                if isinstance(subject, int):
                    row = self._memories.get(subject)
                    if row is None:
                        continue
                    uri = memory_uri(row.id, row.source_turn_id)
                    subject = row.id, uri if is_address else row.key
                name, key = subject
                reasons.append(Reason(code, sentence, id=name, type=kind, key=key, detail=detail))
        return tuple(reasons)

    def inputs(self, blobs: Blobs, rules: Rules) -> ContextInputs:
        """Return what the context was chosen from, its turns read as they were then."""
        body = self.body
        if "inputs" not in body:
            why = self.why_not_kept("inputs", "store_contexts")
            raise NotFound(f"what context {self.trace.context_id!r:.80} showed was not kept: {why}")
        given, self.gone = body["inputs"], 0
        usual = {recipe.name: to_builtins(recipe) for recipe in BUILTIN_RECIPES}
        recipe = usual.get(body["recipe"])
        request = convert({"message": None, "recipe": recipe, **given["request"]}, ComposeRequest)
        table = zip(*given["alone"], given["more"], strict=True) if given["alone"] else ()
        alone = [self._stand_alone(*one) for one in table]
        there = [one for one in alone if one is not None]
        self.gone += len(alone) - len(there)
        turns = self._found_turns(given["spoken"], given["runs"])
        found = FoundMemories(alone=there, turns=turns, lines=list(quoted_lines(turns, blobs)))
        contents = SlotContents(
            core=tuple(self._block(block) for block in given["core"]),
            governed=Governed.from_dict(given["governed"]),
            recent=self.read_turns(request, blobs, rules),
            memories=found,
        )
        memories, judged = found.candidates, given["judged"]
        if len(judged) == len(memories):
            pairs = zip(memories, judged, strict=True)
            memories = [replace(one, judged=number) for one, number in pairs]
        working = given["working"]
        return ContextInputs(
            request=request,
            contents=contents,
            cues=Cues.from_dict({"text": "", **given["cues"]}),
            working=WorkingMemory.from_dict(working) if working else None,
            summary=given["summary"],
            memories=memories,
            documents=convert(given["documents"], list[Candidate]),
            known=self._reasons(given["known"]),
        )

    def read_turns(self, request: ComposeRequest, blobs: Blobs, rules: Rules) -> ReadTurns:
        """Return the turns that a recipe shows, as far as they had come when they were shown."""
        given = self.body["inputs"]
        marks = [TurnMark(*mark) for mark in given["turns"]]
        rows = past_rows(self._rows, marks, datetime.fromisoformat(given["request"]["now"]))
        reader = TurnReader(request=request, rows=rows, blobs=blobs, rules=rules)
        try:
            read = reader.read(place=given["place"])
        except NotFound:  # the turn in progress is forgotten
            read = ReadTurns()
        self.gone += len({mark.turn_id for mark in marks} - {turn.turn_id for turn in read.turns})
        return read

    def _block(self, given: Mapping[str, Any]) -> CoreBlock:
        """Return a block of core memory, without the memories that are forgotten."""
        rows = (self._memories.get(one, one) for one in given["source"])
        source = [one if isinstance(one, str) else one.id for one in rows if type(one) is not int]
        lines = [self._core_line(line) for line in given["text"]]
        text = "\n".join(line for line in lines if line is not None)
        return CoreBlock.from_dict({**given, "text": text, "source": source})

    def _core_line(self, given: Any) -> str | None:
        if isinstance(given, str):
            return given
        num, place, day = given
        row = self._memories.get(num)
        lines = _undated_lines(row) if row else []
        if place < len(lines):
            return f"{lines[place]}{day}"
        self.gone += 1
        return None

    def _stand_alone(
        self, known_as: int | str, group: str, mode: str | None, *digits: Any
    ) -> Candidate | None:
        *scores, more = digits
        row = self._memories.get(known_as) if isinstance(known_as, int) else None
        one = _candidate_of_row(row, group) if row else None
        if isinstance(known_as, str):
            one = Candidate(known_as, group, "", "", "", 0.0)
        if one is None:
            return None
        named = {**{name: getattr(one, name) for name in _OF_ROW}, **more}
        if (level := named.pop("level", None)) and row:
            named["text"] = shown_text(row, Compression(level))
        if isinstance(named["at"], str):
            named["at"] = datetime.fromisoformat(named["at"])
        score, terms = _scores(scores)
        return replace(
            one,
            **named,
            day=day_of(named["at"]),
            source_uri=memory_uri(one.id, named["turn_id"]),
            score=score,
            mode=QueryMode(mode) if mode else None,
            terms=terms,
        )

    def _found_turns(
        self, table: Sequence[Sequence[Any]], runs: Mapping[str, Sequence[str]]
    ) -> list[FoundTurn]:
        """Return the turns that were quoted; one is known by a memory of it, else by its id."""
        named = [(self._memories.get(one), one) for one in (table[0] if table else ())]
        ids = [row.source_turn_id if row else known_as for row, known_as in named]
        around = self._rows.composed.around([one for one in ids if isinstance(one, str)], reach=0)
        spoken = {turn.turn_id: turn for turn in around}
        turns = []
        for place, (_, mode, *digits) in enumerate(zip(*table, strict=True)):
            turn, row = spoken.get(str(ids[place])), named[place][0]
            if turn is None:
                self.gone += 1
                continue
            hit, run = row.id if row and mode else "", runs.get(str(place))
            how = QueryMode(mode) if mode else None
            terms = _scores(digits)[1]
            turns.append(FoundTurn(turn, terms, hit, how, run=(run[0], run[1]) if run else None))
        return turns


def package_of(
    kept: KeptContext, inputs: ContextInputs, *, rules: Rules, count: PricedCounter
) -> tuple[ContextPackage, EvidenceChoice]:
    """Return the context that a trace is of, made again, and the choice of its evidence.

    What it showed and what that took is as it was kept; only the words are rendered again. Words
    that are gone are empty.
    """
    made, choice = select(inputs, rules=rules, count=count)
    again: dict[str, list[ContextEvidence]] = {}
    for evidence in reversed(made.evidence):
        again.setdefault(evidence.id, []).append(evidence)
    shown = [reason for reason in kept.selected if reason.type == EVIDENCE]
    debug = ContextDebug(
        planner=kept.body["planner"],
        why_selected=kept.selected,
        ignored=kept.ignored,
        trace=kept.ids,
    )
    package = structs.replace(
        made,
        context_id=kept.trace.context_id,
        constraints=kept.constraints,
        evidence=tuple(
            again[one.id or ""].pop() if again.get(one.id or "") else _without_words(one)
            for one in shown
        ),
        debug=debug,
    )
    return package, choice


def _without_words(shown: Reason) -> ContextEvidence:
    uri = shown.key or ""
    own = uri.startswith(("turn:", "memory:"))
    source = EvidenceSource.MEMORY if own else EvidenceSource.RESOURCE
    return ContextEvidence(id=shown.id or "", source=source, source_uri=uri)


class _Past:
    """Rows of now, some of whose questions are answered as they were then."""

    def __init__(self, rows: Any, **answers: Any) -> None:
        self._rows = rows
        self.__dict__.update(answers)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)


def past_rows(rows: Transaction, marks: Sequence[TurnMark], now: datetime) -> Transaction:
    """Return rows in which a session ends where a past context saw it."""
    by_turn = {mark.turn_id: mark for mark in marks}
    waiting: set[str] = set()  # calls of the turns read that had no outcome yet

    def cut(turn: Turn) -> Turn:
        mark = by_turn.get(turn.id)
        if mark is None:
            return turn
        places = [place for place, one in enumerate(turn.messages, 1) if one.id == mark.message_id]
        calls = list(turn.tool_calls[: mark.calls])
        for place in mark.waiting:
            waiting.add(calls[place].id)
            calls[place] = structs.replace(calls[place], **_NO_OUTPUT)
        messages = turn.messages[: places[-1]] if places else turn.messages
        return structs.replace(turn, messages=messages, tool_calls=tuple(calls))

    def turns(session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        return [cut(turn) for turn in rows.events.turns(session_id, after=after, limit=limit)]

    def call(call_id: str) -> StoredCall | None:
        found = rows.calls.get(call_id)
        if found is None or found.call.id not in waiting:
            return found
        return structs.replace(found, call=structs.replace(found.call, **_NO_OUTPUT))

    def state(owner: str, kind: str | None = None, after: str = "") -> list[StateEntry]:
        """Return state with a compaction that tells nothing in short which was whole then."""
        found = rows.working.state(owner, kind, after)
        if kind != COMPACTION or not marks:
            return found
        first = rows.events.turn(marks[0].turn_id).seq
        then = {"up_to": first - 1, "lines": f"{first} 0 "}
        return [
            structs.replace(entry, body={**entry.body, **then})
            if entry.body["up_to"] >= first
            else entry
            for entry in found
        ]

    def around(turn_ids: Sequence[str], *, reach: int) -> list[SpokenTurn]:
        return [turn for turn in rows.composed.around(turn_ids, reach=reach) if turn.at <= now]

    past = _Past(
        rows,
        events=_Past(rows.events, turn=lambda turn_id: cut(rows.events.turn(turn_id)), turns=turns),
        calls=_Past(rows.calls, get=call),
        working=_Past(rows.working, state=state),
        composed=_Past(rows.composed, around=around),
    )
    return cast("Transaction", past)


def score_again(
    found: FoundMemories, before: ScoreRules, after: ScoreRules, blobs: Blobs
) -> FoundMemories:
    """Return memories with their scores under other weights; those of past turns follow the hits.

    What came in by rule keeps its distance from the best.
    """
    turns = [
        one._replace(terms=_weigh_again(one.terms, before, after)) if one.terms else one
        for one in found.turns
    ]
    alone = [
        replace(one, terms=_weigh_again(one.terms, before, after)) if one.terms else one
        for one in found.alone
    ]
    best = _best(found.alone, found.turns)
    share = _best(alone, turns) / best if best else 1.0
    alone = [
        replace(one, score=one.terms.score if one.terms else one.score * share) for one in alone
    ]
    return FoundMemories(alone=alone, turns=turns, lines=list(quoted_lines(turns, blobs)))


def _best(alone: Sequence[Candidate], turns: Sequence[FoundTurn]) -> float:
    found = [*(one.terms for one in alone), *(turn.terms for turn in turns if turn.hit)]
    return max([terms.score for terms in found if terms], default=0.0)


def _weigh_again(terms: Terms, before: ScoreRules, after: ScoreRules) -> Terms:
    """Return what recall would have scored; whom and when it favours stays as it was."""
    was, now = (
        weights.text * terms.words
        + weights.vector * terms.vector
        + weights.graph * terms.graph
        + weights.weight * terms.weight
        + weights.recency * terms.recency
        + weights.coverage * terms.coverage
        for weights in (before, after)
    )
    return terms._replace(score=terms.score * now / was) if was else terms
