"""Folding what is claimed of a person into one profile, attribute by attribute (K3, K9).

In: claims about one subject. Out: one chain, `profile:<subject>`, with a version a change: the
facts that hold then. An attribute has one value or many, as the ontology says; a new value ends the
old one of its own attribute and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.claim import CLOSES, Claim, Say
from smartbrain.domain.memory import NEVER, Status
from smartbrain.domain.result import ConflictRule, RetentionAction
from smartbrain.remember.fold.rules import (
    OUTWEIGHED,
    close_version,
    key_of,
    merge_of_turn,
    refuse_ending,
    told_by,
)
from smartbrain.remember.fold.state import (
    Chain,
    Clash,
    Folded,
    FoldRules,
    Version,
    add_repeat,
    add_tag,
    found_version,
    repeat_version,
)
from smartbrain.remember.match import (
    has_many,
    is_denied,
    replaces,
    says_no_more,
    says_same,
)
from smartbrain.remember.subjects import gather_people

MAX_CLAIMS: Final = 8  # newest claims that a fact names beside its first
MAX_VALUES: Final = 20  # of one attribute; beyond that the one told first goes


class Entry(msgspec.Struct):
    """One fact of a profile: an attribute, its value, and the claims that say so."""

    k: str
    v: Any
    claims: list[str]
    since: Any = None
    until: datetime | None = None
    source: str = ""
    told_in: str = ""
    replaced: list[Entry] = msgspec.field(default_factory=list)

    def support(self, claim: Claim) -> None:
        """Count a claim that says so again; of many the first and the newest are named."""
        self.claims.append(claim.id)
        del self.claims[1:-MAX_CLAIMS]

    def shown(self) -> dict[str, Any]:
        """Return the fact as a profile's value holds it."""
        told = {"k": self.k, "v": self.v}
        if self.since:
            told["since"] = self.since
        if self.until:
            told["until"] = self.until.isoformat()
        return {**told, "claims": list(self.claims)}


def fold_profile(
    claims: Iterable[Claim],
    rules: FoldRules,
    chains: Iterable[Chain] = (),
    only: Set[str] | None = None,
) -> Folded:
    """Fold claims about one subject on top of the profile that is there."""
    out = Folded(list(chains), only)
    chain = out.chains[0] if out.chains else Chain("")
    facts = chain.active.value["facts"] if chain.active else ()
    entries = [msgspec.convert({"claims": [], **fact, "source": "user"}, Entry) for fact in facts]
    rejected: list[Entry] = []
    claims = list(claims)
    others_speak = any(not claim.is_users for claim in claims)
    for claim in claims:
        if not chain.key:
            if claim.say in CLOSES:
                refuse_ending(claim, "", out)
                continue
            chain.key = key_of(claim, rules)
            out.chains.append(chain)
        entries = [one for one in entries if one.until is None or one.until > claim.said_at]
        if not claim.is_users and _was_rejected(claim, rejected, entries, rules):
            reason = "the user has rejected it; only they can bring it back"
            out.refuse(claim, chain.key, "rejected_before", reason)
            continue
        before = entries
        if claim.detail.get("whole"):
            _end_all(chain, claim, out)
            entries = []
        elif claim.say in CLOSES:
            entries = _end_entries(chain, claim, entries, rules, out)
        else:
            entries = _assert_entry(chain, claim, entries, rules, out)
        if claim.is_users and others_speak:
            rejected += [one for one in before if one not in entries]
            rejected = [one for one in rejected if not _says_again(one, entries)]
    return out


def fold_people(claims: Sequence[Claim], rules: FoldRules, only: Set[str] | None = None) -> Folded:
    """Fold claims about people into a profile each; who may be one of several is nobody (K10)."""
    out = Folded([], only)
    people, unknown = gather_people(claims, rules.ontology)
    for person in people:
        fields, key = {"subject": person.title}, {"key": f"profile:{person.key}"}
        told = [
            replace(claim, fields={**claim.fields, **fields}, detail={**claim.detail, **key})
            for claim in person.claims
        ]
        folded = fold_profile(told, rules, (), only)
        out.chains += folded.chains
        out.decisions += folded.decisions
        out.clashes += folded.clashes
    for claim in unknown:
        out.refuse(claim, "", "unknown_subject", "it may speak of several, and names none of them")
    return out


def _was_rejected(
    claim: Claim, rejected: list[Entry], entries: list[Entry], rules: FoldRules
) -> bool:
    """Tell whether the user has taken back, ended or replaced what somebody else says again."""
    said = _entry_of(claim)
    many = has_many(said.k, rules.ontology)
    if any(one.k == said.k and says_no_more(said.v, one.v, many=many) for one in entries):
        return False
    return claim.say not in CLOSES and _says_again(said, rejected)


def _says_again(said: Entry, known: list[Entry]) -> bool:
    return any(one.k == said.k and says_same(one.v, said.v) for one in known)


def _assert_entry(
    chain: Chain, claim: Claim, entries: list[Entry], rules: FoldRules, out: Folded
) -> list[Entry]:
    """Let a claim add a fact, say one again, or put one in the place of others."""
    said = _entry_of(claim)
    many = has_many(said.k, rules.ontology)
    met = [one for one in entries if _meets(said, one, many, rules)]
    if claim.detail.get("corrects"):
        met = [one for one in entries if one.k == said.k]
    repeats = len(met) == 1 and says_no_more(said.v, met[0].v, many=many)
    if not claim.is_users and any(one.source == "user" for one in met) and not repeats:
        out.refuse(claim, chain.key, "outweighed", OUTWEIGHED)
        return entries
    if chain.active is not None and repeats:
        if claim.source_id == met[0].told_in:
            merge_of_turn(chain.active, claim, out)
            return entries
        met[0].told_in = claim.source_id
        met[0].support(claim)
        met[0].until = claim.until
        _repeat_profile(chain, claim, entries, out)
        return entries
    place = entries.index(met[0]) if met else len(entries)
    left = [one for one in entries if one not in met]
    said.replaced = met
    left.insert(min(place, len(left)), said)
    of_kind = [one for one in left if one.k == said.k]
    if len(of_kind) > MAX_VALUES:
        left.remove(of_kind[0])
    corrects = bool(claim.detail.get("corrects")) and bool(met)
    _write_profile(chain, claim, left, out, gone=met, corrects=corrects)
    return left


def _end_entries(
    chain: Chain, claim: Claim, entries: list[Entry], rules: FoldRules, out: Folded
) -> list[Entry]:
    """Let the facts that a claim names be over, or never have been so; others stand on."""
    gone = [one for one in entries if _is_meant(claim, one, rules)]
    if not gone:
        refuse_ending(claim, chain.key, out)
        return entries
    wrong = claim.say is Say.WRONG
    left = []
    for one in entries:
        if one not in gone:
            left.append(one)
        elif wrong:
            left += one.replaced  # what it had ended holds again
    if wrong:
        _mark_never(chain, gone)
    names = ", ".join(dict.fromkeys(one.k for one in gone))
    code = "denied" if wrong else "ended"
    reason = f"the user denied {names}" if wrong else f"the user said that {names} is over"
    old = chain.active
    if not left:
        _end_all(chain, claim, out, code=code, reason=reason)
        return left
    new = _next_version(chain, claim, left)
    out.decide(claim, new, RetentionAction.RETRACTED, code, reason)
    if old is not None:
        told = f"{names}: {code}; the rest of the profile stands"
        clash = Clash(claim, ConflictRule.RETRACT, new, old, code, told, ("facts",))
        out.clashes.append(clash)
    return left


def _end_all(
    chain: Chain, claim: Claim, out: Folded, code: str = "denied", reason: str = ""
) -> None:
    active = chain.active
    if active is None:
        refuse_ending(claim, chain.key, out)
        return
    if _goes_on(active, claim) and len(chain.versions) > 1:
        chain.versions.pop()  # it held for no time at all
        active = chain.active = chain.versions[-1]
    wrong = claim.say is Say.WRONG
    tag = NEVER if wrong and not claim.detail.get("silent") else ""
    close_version(active, claim, Status.RETRACTED if wrong else Status.SUPERSEDED, tag)
    chain.active = None
    reason = reason or ("the user denied it" if claim.message >= 0 else "it was taken back")
    out.decide(claim, active, RetentionAction.RETRACTED, code, reason)
    out.clashes.append(Clash(claim, ConflictRule.RETRACT, None, active, code, reason))


def _write_profile(
    chain: Chain,
    claim: Claim,
    entries: list[Entry],
    out: Folded,
    *,
    gone: list[Entry],
    corrects: bool,
) -> None:
    old = chain.active
    new = _next_version(chain, claim, entries)
    if old is None:
        out.decide(claim, new, RetentionAction.WRITTEN, "new", told_by(claim))
        return
    if corrects:
        _mark_never(chain, gone)
        old.status = Status.RETRACTED
        add_tag(old, NEVER)
        code, reason, rule = "corrected", "the user corrected it", ConflictRule.RETRACT
    else:
        code, reason, rule = "new_version", "it changes facts", ConflictRule.VERSIONED
    out.decide(claim, new, RetentionAction.WRITTEN, code, reason)
    if gone or corrects:
        told = f"the later statement stands; the earlier one is {old.status.value}"
        out.clashes.append(Clash(claim, rule, new, old, code, told, ("facts",)))


def _next_version(chain: Chain, claim: Claim, entries: list[Entry]) -> Version:
    """Append a version with the facts that hold now; the one before it gives way."""
    old = chain.active
    facts = [one.shown() for one in entries]
    value = {"subject": claim.fields.get("subject") or claim.subject, "facts": facts}
    if old is not None:
        value["subject"] = old.value["subject"]
        if _goes_on(old, claim):
            old.value = value
            add_repeat(old, claim)
            return old
    new = found_version(claim, chain.key, value)
    new.until = None  # each fact has its own
    if old is not None:
        old.status, old.until, old.ended_by = Status.SUPERSEDED, claim.said_at, claim.id
    return chain.add(new)


def _goes_on(version: Version, claim: Claim) -> bool:
    """Tell whether a claim was said in the turn that founded a version: a turn makes one."""
    founded_in = version.founder.source_id if version.founder else version.told_in
    return founded_in == claim.source_id


def _repeat_profile(chain: Chain, claim: Claim, entries: list[Entry], out: Folded) -> None:
    active = chain.active
    assert active is not None
    until = active.until
    repeat_version(active, claim)
    active.until = until
    active.value = {**active.value, "facts": [one.shown() for one in entries]}
    reason = f"it is known already; it has been said {active.frequency} times now"
    out.decide(claim, active, RetentionAction.MERGED, "repeated", reason)


def _meets(said: Entry, known: Entry, many: bool, rules: FoldRules) -> bool:
    if known.k != said.k:
        return False
    if not many:
        return True
    ontology = rules.ontology
    if ontology.same_value(said.k, str(said.v), str(known.v)):
        return True
    if ontology.excludes(said.k, str(said.v), str(known.v)):
        return True
    return replaces(said.v, known.v)


def _is_meant(claim: Claim, known: Entry, rules: FoldRules) -> bool:
    """Tell whether an ending speaks of a known fact; unnamed, it means a `one`, never a `many`."""
    if claim.attribute != known.k:
        return False
    many = has_many(known.k, rules.ontology)
    if claim.value in ("", None):
        return not many
    exact = bool(claim.detail.get("exact"))
    if not exact and rules.ontology.same_value(known.k, str(claim.value), str(known.v)):
        return True
    return is_denied(claim.value, known.v, many=many, exact=exact)


def _mark_never(chain: Chain, gone: list[Entry]) -> None:
    values = [(one.k, one.v) for one in gone]
    for version in chain.versions:
        if any((fact["k"], fact["v"]) in values for fact in version.value["facts"]):
            add_tag(version, NEVER)


def _entry_of(claim: Claim) -> Entry:
    source = "user" if claim.is_users else claim.source.value
    return Entry(
        k=claim.attribute,
        v=claim.value,
        claims=[claim.id],
        since=claim.fields.get("since"),
        until=claim.until,
        source=source,
        told_in=claim.source_id,
    )
