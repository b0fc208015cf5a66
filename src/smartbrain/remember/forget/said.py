"""Forgetting what a turn asks to forget: found among what stands, hidden at once (J7).

In: a step whose memories are written, in the same transaction. Out: what was found and hidden, or
that nothing was. Only what is clearly named goes: an attribute of somebody, an entity, a value, a
sentence that was said. What is hidden can be taken back by words until it is erased.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from smartbrain.domain.claim import SELF, Claim
from smartbrain.domain.forgetting import (
    MUTED,
    ForgetRequest,
    ForgetState,
    find_clauses,
)
from smartbrain.domain.job import StateEntry
from smartbrain.domain.keys import slug
from smartbrain.domain.memory import Span
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.domain.turn import Role
from smartbrain.govern.short_term import message_texts
from smartbrain.remember.forget.find import Coverage, Finder, Holes
from smartbrain.remember.forget.hide import Hider, take_back
from smartbrain.remember.forget.told import (
    Line,
    NotClearError,
    Passage,
    ToldLines,
    Wanted,
    content_words,
    read_wanted,
)
from smartbrain.remember.groups import fold_again
from smartbrain.remember.quotes import spans_at
from smartbrain.remember.reader.requests import AskKind, ForgetWords, find_requests, name_of
from smartbrain.remember.write_rules import WriteRules
from smartbrain.remember.write_set import Origin, WriteSet
from smartbrain.text.ontology import extend_ontology
from smartbrain.text.word_list import word_pattern

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.record import Recorded

TYPE: Final = "forget"
"""The type of what a commit reports of requests to forget."""
HIDDEN: Final = "forgotten"
NOT_FOUND: Final = "nothing_to_forget"
TAKEN_BACK: Final = "taken_back"
UNCLEAR: Final = "unclear_what_to_forget"
RECENT_TURNS: Final = 60
"""Turns that are read whole; of what was said before them only what shares words or attributes."""
RECENT_SESSIONS: Final = 8
MAX_FOUND: Final = 200
"""Texts and claims from before that are looked at."""
MAX_READ: Final = 4_000
"""Characters of one text that are read."""
_EVERYTHING: Final = re.compile(word_pattern(__file__, "EVERYTHING"), re.IGNORECASE)


def forget_as_said(
    recorded: Recorded, *, transaction: Transaction, ports: Ports, rules: Rules
) -> list[Retention]:
    """Do what the user's words in a step ask for, and say what became of it."""
    told: list[Retention] = []
    for place, message in enumerate(recorded.said.messages):
        if message.role is not Role.USER or not message.content:
            continue
        desk = _Desk(recorded, transaction, ports, rules)
        for asked in find_requests(message.content, ontology=desk.ontology):
            told += desk.do(asked, place)
    return told


class _Desk:
    """Acts on the requests of one step."""

    def __init__(
        self, recorded: Recorded, transaction: Transaction, ports: Ports, rules: Rules
    ) -> None:
        self._recorded = recorded
        self._rows = transaction
        self._ports = ports
        self._rules = WriteRules(rules, recorded.said.rules_hash)
        self._finder = Finder(transaction, ports, rules)
        self.ontology = extend_ontology(rules.ontology.attributes)

    def do(self, asked: ForgetWords, message: int) -> list[Retention]:
        if asked.kind is AskKind.TAKE_BACK:
            return self._take_back()
        if asked.kind is AskKind.MUTE:
            return self._mute(name_of(" ".join(asked.named)))
        try:
            found = self._find(asked)
        except NotClearError:
            reason = "several things are meant alike by what was asked to be forgotten; name one"
            return [_report("", RetentionAction.REFUSED, UNCLEAR, reason)]
        if found.is_empty:
            reason = "nothing that is known matches what was asked to be forgotten"
            return [_report("", RetentionAction.REFUSED, NOT_FOUND, reason)]
        self._drop_own_claims(asked, message)
        self._add_request(asked, message, found)
        now = self._recorded.said.created_at
        hider = Hider(self._rows, self._ports, self._rules)
        grace = timedelta(hours=self._rules.rules.forget.grace)
        done = hider.hide(
            found, ForgetRequest(), now=now, grace=grace, said_in=self._recorded.said.id
        )
        receipt = done.receipt
        count = receipt.counts.get("claims", 0)
        hours = f"{self._rules.rules.forget.grace:g}"
        reason = f"hidden: {count} claims and {receipt.counts.get('texts', 0)} texts;"
        reason += f" erased in {hours} hours unless it is taken back"
        return [_report(receipt.id, RetentionAction.RETRACTED, HIDDEN, reason)]

    def _mute(self, name: str) -> list[Retention]:
        """Bring something up no more, unless it is asked for; nothing of it is forgotten."""
        if len(name) < 2:
            return []
        now = self._recorded.said.created_at
        self._rows.working.put_state(
            StateEntry(
                owner="tenant",
                kind=MUTED,
                id=slug(name) or name,
                body={"words": name.casefold()},
                created_at=now,
                updated_at=now,
            )
        )
        reason = "it is kept, and shown to nobody who does not ask for it by name"
        return [_report(slug(name), RetentionAction.WRITTEN, MUTED, reason)]

    def _take_back(self) -> list[Retention]:
        waiting = [
            one.receipt
            for one in self._rows.forgettings.waiting()
            if one.receipt.state is ForgetState.HIDDEN
        ]
        if not waiting:
            return []
        receipt = take_back(
            waiting[-1].id,
            transaction=self._rows,
            ports=self._ports,
            rules=self._rules,
            now=self._recorded.said.created_at,
        )
        reason = "the user wants it remembered after all"
        return [_report(receipt.id, RetentionAction.WRITTEN, TAKEN_BACK, reason)]

    def _add_request(self, asked: ForgetWords, message: int, found: Coverage) -> None:
        """Let the words of the request go as well, for they may name what is forgotten."""
        pairs = zip(self._recorded.said.messages, self._recorded.spans.messages, strict=True)
        named = [one.casefold() for one in asked.named]
        gone = {word for one in found.needles for word in content_words(one)}
        for place, (said, stored) in enumerate(pairs):
            parts = [
                (start, end)
                for start, end in find_clauses(said.content)
                if any(one in said.content[start:end].casefold() for one in named)
                or not gone.isdisjoint(content_words(said.content[start:end]))
            ]
            if place == message:
                parts.append((asked.start, asked.end))
            for start, end in parts:
                found.add_spans(spans_at(said.content, stored.spans, start, end - start))

    def _drop_own_claims(self, asked: ForgetWords, message: int) -> None:
        """Make nothing of the request itself: it states nothing, and ends nothing."""
        claims = [
            claim
            for claim in self._rows.erasure.claims("turn", [self._recorded.said.id])
            if claim.message == message and asked.start <= claim.start < asked.end
        ]
        if not claims:
            return
        now = self._recorded.said.created_at
        weights = self._rules.rules.policies.linking.edge_weight
        origin = Origin(said_at=now, now=now)
        writes = WriteSet(self._rows, self._ports.types, origin, weights)
        fold_again((), gone=claims, writes=writes, rules=self._rules.rules)
        writes.write()
        dropped = [memory.id for memory in writes.written() if memory.deleted_at is not None]
        self._rows.erasure.delete_nodes(dropped)

    def _find(self, asked: ForgetWords) -> Coverage:
        if asked.last:
            before, _ = self._rows.remembering.neighbours(self._recorded.said.id)
            return Coverage(turns=[before] if before else [])
        if any(_EVERYTHING.fullmatch(one) for one in asked.named):
            claims = self._rows.erasure.claims("subject", ["user"])
            own = {one.id: one for one in claims if one.relation == SELF}
            return self._finder.complete(Coverage(claims=own))
        return self._cover(self._find_lines(asked))

    def _find_lines(self, asked: ForgetWords) -> list[tuple[Passage, Line]]:
        """Return the clauses that a request means, among those of late and those it may name."""
        wanted = read_wanted("; ".join([*asked.named, *asked.asking[-1:]]), self.ontology)
        recent = self._read_recent()
        seen = {span.raw_id for one in recent for span in one.spans}
        told = ToldLines([*self._read_earlier(wanted, seen), *recent], self.ontology)
        return told.find(asked.named, asked.asking, asked.spared)

    def _read_recent(self) -> list[Passage]:
        """Return the messages of the last turns, but those of the step itself."""
        turns = []
        for _, session in self._rows.events.sessions(limit=RECENT_SESSIONS):
            last = self._rows.events.last_turn(session.id)
            after = max(0, last.seq - RECENT_TURNS) if last else 0
            turns += self._rows.events.turns(session.id, after=after, limit=RECENT_TURNS)
        own = self._recorded.said.id
        turns = sorted((one for one in turns if one.id != own), key=lambda one: one.at)
        turns = turns[-RECENT_TURNS:]
        claims: dict[tuple[str | None, int | None], list[Claim]] = {}
        for claim in self._rows.erasure.claims("turn", [one.id for one in turns]):
            claims.setdefault((claim.turn_id, claim.message), []).append(claim)
        texts = message_texts(turns, transaction=self._rows, blobs=self._ports.blobs)
        return [
            Passage(
                text=text[:MAX_READ],
                by_user=message.role is Role.USER,
                turn=place,
                turn_id=turn.id,
                spans=message.spans,
                claims=claims.get((turn.id, number), ()),
            )
            for place, (turn, said) in enumerate(zip(turns, texts, strict=True))
            for number, (message, text) in enumerate(zip(turn.messages, said, strict=True))
            if message.role in (Role.USER, Role.ASSISTANT) and text
        ]

    def _read_earlier(self, wanted: Wanted, besides: Set[str]) -> list[Passage]:
        """Return what was said before that holds the words or tells the attributes of a request."""
        besides = besides | {
            span.raw_id for one in self._recorded.spans.messages for span in one.spans
        }
        needles = wanted.needles
        found = [
            Passage(text=part, offset=offset, spans=(Span(chunk.id, 0, chunk.length),))
            for chunk, text in [*self._finder.texts_with(needles, besides)][-MAX_FOUND:]
            for offset, part in _pieces(text, needles)
        ]
        claims = self._rows.erasure.claims("attribute", wanted.attributes)
        claims += self._rows.erasure.claims("words", needles) if needles else []
        own = self._recorded.said.id
        for claim in claims[-MAX_FOUND:]:
            if claim.turn_id != own and not any(span.raw_id in besides for span in claim.spans):
                text = claim.text or f"{claim.subject} {claim.attribute}: {claim.value}"
                found.append(Passage(text=text, claims=[claim], is_claim=True))
        return found

    def _cover(self, chosen: Sequence[tuple[Passage, Line]]) -> Coverage:
        """Return what goes with clauses: the claims made of them, and what states the same."""
        holes: Holes = {}
        claims: list[Claim] = []
        for passage, line in chosen:
            if passage.is_claim:
                claims += passage.claims
                continue
            size, skipped = len(line.text), passage.offset
            for span in spans_at(passage.text, passage.spans, line.start, size, skipped):
                holes.setdefault(span.raw_id, set()).add((span.offset, span.offset + span.length))
        turns = {passage.turn_id for passage, _ in chosen if passage.turn_id}
        return self._finder.of_clauses(holes, claims, turns, [line.text for _, line in chosen])


def _pieces(text: str, needles: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the parts of a text that are read, with the bytes before each."""
    if len(text) <= MAX_READ:
        yield 0, text
        return
    for start, end in find_clauses(text):
        part = text[start:end]
        if len(part) <= MAX_READ and any(one in part.casefold() for one in needles):
            yield len(text[:start].encode()), part


def _report(key: str, action: RetentionAction, code: str, reason: str) -> Retention:
    return Retention(type=TYPE, key=key, action=action, code=code, reason=reason)


def is_hiding(told: Iterable[Retention]) -> bool:
    """Tell whether something was hidden, so that nothing may be said of what a step wrote."""
    return any(one.code == HIDDEN for one in told)
