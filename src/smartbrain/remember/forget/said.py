"""Forgetting what a turn asks to forget: found among what stands, hidden at once (J7).

In: a step whose memories are written, in the same transaction. Out: what was found and hidden, or
that nothing was. Only what is clearly named goes: an attribute of somebody, an entity, a value, a
sentence that was said. What is hidden can be taken back by words until it is erased.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from smartbrain.domain.claim import SELF, Claim
from smartbrain.domain.forgetting import (
    MUTED,
    ForgetRequest,
    ForgetState,
    find_clauses,
    holds_words,
)
from smartbrain.domain.job import StateEntry
from smartbrain.domain.keys import slug
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.domain.turn import Role
from smartbrain.remember.forget.find import Coverage, Finder, is_distinct
from smartbrain.remember.forget.hide import Hider, take_back
from smartbrain.remember.groups import fold_again
from smartbrain.remember.quotes import spans_at
from smartbrain.remember.reader.requests import AskKind, ForgetWords, find_requests, name_of
from smartbrain.remember.subjects import THINGS
from smartbrain.remember.write_rules import WriteRules
from smartbrain.remember.write_set import Origin, WriteSet
from smartbrain.text.keywords import keywords_of
from smartbrain.text.ontology import extend_ontology
from smartbrain.text.word_list import STOP_WORDS

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
_SELF_EN: Final = re.compile(r"\b(?:my|our|i|me|mine)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
_SMALL: Final = frozenset(
    (
        "info",
        "information",
        "thing",
        "things",
        "current",
        "previous",
        "long",
        "old",
        "stuff",
        "trip",
    )
    + ("part", "bit", "details", "story", "data", "notes", "note", "business", "situation", "plan")
    + ("conversation", "message", "chat", "topic", "matter", "issue", "account", "plans", "facts")
)
_SMALL_ZH: Final = re.compile(
    r"我们?|你|的|在|是|了|哪里?|什么|多少|多大|几|这|那|件|事|对|有|和|趟|段|些|之类|相关|情况|方面|安排|计划"
)
_OWN: Final = re.compile(r"\b(?:my|our|i|i'm|me)\b|我|咱", re.IGNORECASE)
_EVERYTHING: Final = ("me", "myself", "us", "我", "我的一切", "我自己")


def forget_as_said(
    recorded: Recorded, *, transaction: Transaction, ports: Ports, rules: Rules
) -> list[Retention]:
    """Do what the user's words in a step ask for, and say what became of it."""
    told: list[Retention] = []
    for place, message in enumerate(recorded.said.messages):
        if message.role is not Role.USER or not message.content:
            continue
        desk = _Desk(recorded, transaction, ports, rules)
        for asked in desk.find_requests(message.content):
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
        self._ontology = extend_ontology(rules.ontology.attributes)

    def find_requests(self, text: str) -> list[ForgetWords]:
        """Return what a message asks for."""
        return find_requests(text, ontology=self._ontology)

    def do(self, asked: ForgetWords, message: int) -> list[Retention]:
        """Do one request."""
        if asked.kind is AskKind.TAKE_BACK:
            return self._take_back()
        if asked.kind is AskKind.MUTE:
            return self._mute(name_of(asked.named))
        found = self._find(asked)
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
        """Take back what was hidden last."""
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
        named = asked.named.casefold()
        for place, (said, stored) in enumerate(pairs):
            parts = [
                (start, end)
                for start, end in find_clauses(said.content)
                if named and named in said.content[start:end].casefold()
            ]
            if place == message:
                parts.append((asked.start, asked.end))
            for start, end in parts:
                for span in spans_at(said.content, stored, start, end - start):
                    last = span.offset + span.length
                    found.holes.setdefault(span.raw_id, set()).add((span.offset, last))

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
        """Return what a request clearly names."""
        if asked.last:
            before, _ = self._rows.remembering.neighbours(self._recorded.said.id)
            return Coverage(turns=[before] if before else [])
        named = asked.named.strip().strip("'’\"“”")
        if asked.whole and named.casefold() in _EVERYTHING:
            claims = self._rows.erasure.claims("subject", ["user"])
            return self._finder.of_claims(one for one in claims if one.relation == SELF)
        claims = self._find_claims(named)
        found = self._finder.of_claims(claims) if claims else self._find_thing(name_of(named))
        return self._find_sentences(named) if found.is_empty else found

    def _find_sentences(self, named: str) -> Coverage:
        """Return the clauses that state what is named, where no reader made a claim of it."""
        words = _content(named)
        cues = [one.casefold() for name in self._attributes(named) for one in self._cues(name)]
        own = _OWN.search(named) is not None

        def states(clause: str) -> bool:
            lowered, told = clause.casefold(), _content(clause)
            if self.find_requests(clause) or "?" in clause or (own and not _OWN.search(clause)):
                return False
            if words and all(any(_alike(word, one) for one in told) for word in words):
                return True
            cued = any(holds_words(lowered, one) for one in cues)
            return own and cued and any(map(is_distinct, re.findall(r"[\w.@+-]+", lowered)))

        if not words:
            return Coverage()
        own_words = {span.raw_id for one in self._recorded.spans.messages for span in one.spans}
        return self._finder.of_sentences([max(words, key=len), *cues], states, own_words)

    def _find_thing(self, name: str) -> Coverage:
        """Return what is called so, with what is only about it; or a value that was said."""
        if len(name) < 2:
            return Coverage()
        own = self._recorded.said.id
        entities = self._finder.find_named(name)
        others = [one for one in entities if one.source_turn_id != own]
        said = self._rows.erasure.claims("subject", [name.casefold()])
        if others or said:
            request = ForgetRequest(topic=name)
            return self._finder.find(request)
        if is_distinct(name) or holds_words(name, "@"):
            found = self._finder.of_claims((), [name])
            return found if len(found.holes) > 1 else Coverage()
        return Coverage()

    def _find_claims(self, named: str) -> list[Claim]:
        """Return the claims that words clearly name, by attribute and subject or by their words."""
        own = self._recorded.said.id
        attributes = self._attributes(named)
        words = _content(named)
        spelled = {slug(one) for name in attributes for one in (name, *self._cues(name))}
        by_attribute = self._rows.erasure.claims("attribute", {*attributes, *spelled})
        candidates = [claim for claim in by_attribute if claim.turn_id != own]
        of_whom = [claim for claim in candidates if self._is_of(claim, named)]
        values = [claim for claim in of_whom if _names_value(claim, named)]
        rest = self._without_cues(words, {*attributes, *(one.attribute for one in candidates)})
        if values:
            return values
        nobodys = not of_whom and not rest and not _OWN.search(named)
        if nobodys and len({one.subject for one in candidates}) == 1:
            of_whom = [claim for claim in candidates if _fits(claim, words)]
        if of_whom and not rest:
            return of_whom
        if of_whom:
            fits = [claim for claim in of_whom if _fits(claim, rest)]
            return fits or (of_whom if self._only_describe(rest, of_whom) else [])
        if len(words) < 2 and not any(map(is_distinct, words)):
            return []
        wanted = [max(words, key=len)] if words else []
        return [
            claim
            for claim in self._rows.erasure.claims("words", wanted)
            if claim.turn_id != own and _fits(claim, words)
        ]

    def _attributes(self, named: str) -> list[str]:
        """Return the attributes that words name, or ask for."""
        hits = [*self._ontology.find_cues(named), *self._ontology.find_asked(named)]
        found = [hit.attribute for hit in hits]
        known = self._ontology.attribute(slug(name_of(named)))
        if known is not None:
            found.append(known.name)
        words = _content(named)
        found += [slug(words[-1]), slug("_".join(words))] if words else []
        return list(dict.fromkeys(one for one in found if one))

    def _cues(self, name: str) -> list[str]:
        """Return the words for an attribute."""
        known = self._ontology.attribute(name)
        if known is None:
            return [name.replace("_", " ")]
        return [known.name.replace("_", " "), *known.aliases, *known.cues]

    def _is_of(self, claim: Claim, named: str) -> bool:
        """Tell whether words speak of a claim's subject: of the user, unless they name another."""
        lowered = named.casefold()
        if claim.subject == "user" and claim.relation == SELF:
            other = re.search(r"\w['’]s\b", lowered) or re.search(r"[^我们咱]的.", lowered)
            return not other or bool(_SELF_EN.search(lowered))
        called = [claim.subject.casefold(), claim.subject.casefold().replace("_", " ")]
        people = self._rows.erasure.claims("subject", [claim.subject.casefold()])
        called += [str(one.value).casefold() for one in people if one.attribute == "name"]
        related = self._ontology.find_relations(lowered)
        by_relation = claim.relation not in (SELF, *THINGS) and any(
            one[0] == claim.relation for one in related
        )
        return by_relation or any(one and one in lowered for one in called)

    def _without_cues(self, words: Sequence[str], attributes: Iterable[str]) -> list[str]:
        """Return the words that do not merely name attributes that something is known of."""
        cues: set[str] = set()
        for name in attributes:
            known = self._ontology.attribute(name)
            if known is not None:
                told = (known.name, known.title.en, known.title.zh, *known.aliases)
                for one in (*told, *known.cues, *known.asked):
                    cues.update(_content(one.replace("_", " ")))
        rest = []
        for word in words:
            if word.isascii():
                rest += [] if any(_alike(word, cue) for cue in cues) else [word]
                continue
            for cue in sorted(cues, key=len, reverse=True):
                word = word.replace(cue, "")
            rest += [word] if word else []
        return rest

    def _only_describe(self, rest: Sequence[str], claims: Sequence[Claim]) -> bool:
        """Tell whether what is left only says whose it is."""
        subjects = {word for claim in claims for word in _content(claim.subject.replace("_", " "))}
        related = [self._ontology.find_relations(one) for one in rest]
        return all(
            any(_alike(one, subject) for subject in subjects) or relations
            for one, relations in zip(rest, related, strict=True)
        )


def _content(text: str) -> list[str]:
    """Return the content words of a name."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            found += [] if word in _SMALL or word in STOP_WORDS else [word]
        else:
            parts = (keywords_of(part) or (part,) for part in _SMALL_ZH.split(word) if part)
            found += [one for several in parts for one in several]
    return found


def _fits(claim: Claim, words: Iterable[str]) -> bool:
    """Tell whether a claim holds all of some words."""
    parts = (claim.text, claim.value, claim.attribute, claim.subject, claim.topic)
    said = " ".join(map(str, parts)).casefold()
    told = _content(said.replace("_", " "))
    return all(
        word in said if not word.isascii() else any(_alike(word, one) for one in told)
        for word in words
    )


def _names_value(claim: Claim, named: str) -> bool:
    """Tell whether words hold the very value of a claim."""
    value = str(claim.value or "").casefold()
    return len(value) > 1 and holds_words(named.casefold(), value)


def _alike(one: str, other: str) -> bool:
    """Tell whether two words are the same but for an ending."""
    if one == other:
        return True
    if not (one.isascii() and other.isascii()):
        return one in other or other in one
    short = min(len(one), len(other))
    return short >= 5 and one[: short - 1] == other[: short - 1] and abs(len(one) - len(other)) < 4


def _report(key: str, action: RetentionAction, code: str, reason: str) -> Retention:
    return Retention(type=TYPE, key=key, action=action, code=code, reason=reason)


def is_hiding(told: Iterable[Retention]) -> bool:
    """Tell whether something was hidden, so that nothing may be said of what a step wrote."""
    return any(one.code == HIDDEN for one in told)
