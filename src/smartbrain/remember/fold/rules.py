"""The rules of the fold: what one claim does to the memory that it speaks of (K8, K9, C4, C5, C11).

In: a chain and the next claim about it. Out: the chain changed, with a decision. One small function
a rule: begin, repeat, replace, correct, elect, end, take back. Which chain a claim speaks of is
decided in `keyed`, `worded` and `profile`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import exp
from typing import Any, Final

from smartbrain.domain.candidate import Source
from smartbrain.domain.claim import Claim
from smartbrain.domain.memory import NEVER, OVER, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.domain.policy import ConflictRules, SourceTrustRules
from smartbrain.domain.result import ConflictRule, RetentionAction
from smartbrain.remember.extract.denied_values import forbids, in_two_languages, names_another
from smartbrain.remember.fold.state import (
    Chain,
    Clash,
    Folded,
    FoldRules,
    Version,
    add_tag,
    found_version,
    repeat_version,
)
from smartbrain.remember.fold.values import changed_fields, keep_precise, unite
from smartbrain.remember.sameness import says_same
from smartbrain.text.ontology import Ontology
from smartbrain.text.tokenise import index_terms

CONFLICT_RULES: Final = {
    ConflictClass.OVERWRITE: ConflictRule.OVERWRITE,
    ConflictClass.MERGE: ConflictRule.MERGE,
}
"""The rule by which the later claim stands, where it is not that of versions."""
NOTHING_TO_END: Final = "nothing_to_retract"
"""The code of a denial that nothing known says."""
_REPORTED_BY_ANYBODY: Final = "tasks"
_DAY: Final = 86_400.0
_FACT_DAYS: Final = 90.0
_NEUTRAL: Final = 0.5


def assert_value(chain: Chain, claim: Claim, rules: FoldRules, out: Folded) -> None:
    """Let a claim state what is so."""
    users = claim.is_users
    active = chain.active
    if active is not None and active.until is not None:
        chain.expire(claim.said_at)
        active = chain.active
    if users and chain.rejected:
        chain.rejected = [one for one in chain.rejected if not _says_what(one, claim, rules)]
    if not users and _was_rejected(chain, claim, rules):
        reason = "the user has rejected it; only they can bring it back"
        out.refuse(claim, chain.key, "rejected_before", reason)
    elif active is None:
        begin_version(chain, claim, dict(claim.fields), out)
    elif claim.fields == active.value:
        _repeat(active, claim, active.value, out)
    else:
        value = unite(active.value, claim, rules.kind.name)
        said = (active.said_at, claim.said_at)
        fields = changed_fields(active.value, value, claim.attribute, said, rules)
        if not fields:
            keep_precise(value, active.value)
            _repeat(active, claim, value, out)
        elif claim.detail.get("corrects"):
            _correct(chain, claim, value, fields, out)
        elif users or has_last_word(claim, active, rules):
            _replace(chain, claim, value, fields, rules, out)
        elif rules.kind.on_conflict is ConflictClass.PRIORITY:
            _elect(chain, claim, value, fields, rules, out)
        else:
            reason = "the user said otherwise, and nobody confirmed it"
            out.refuse(claim, chain.key, "outweighed", reason)


def end_value(chain: Chain | None, claim: Claim, rules: FoldRules, out: Folded) -> None:
    """Let what was so until now be over; a claim that matches nothing ends nothing (K9)."""
    if chain is not None:
        chain.expire(claim.said_at)
    active = chain.active if chain else None
    if chain is None or active is None or not is_meant(claim, active.value, rules):
        refuse_ending(claim, chain.key if chain else "", out)
        return
    close_version(active, claim, Status.SUPERSEDED, OVER)
    chain.rejected.append(active)
    chain.active = None
    _report_ending(chain, claim, active, "ended", out)


def take_back(chain: Chain | None, claim: Claim, rules: FoldRules, out: Folded) -> None:
    """Let what never was so be retracted; what it had ended holds again (K9)."""
    if chain is not None:
        chain.expire(claim.said_at)
    meant = _versions_meant(chain, claim, rules) if chain else []
    if chain is None or not meant:
        refuse_ending(claim, chain.key if chain else "", out)
        return
    active = chain.active
    tag = "" if claim.detail.get("silent") else NEVER
    for version in meant:
        close_version(version, claim, Status.RETRACTED, tag)
        chain.rejected.append(version)
    if active in meant:
        chain.active = None
        if not claim.detail.get("whole"):
            _revive(chain, meant[0])
    _report_ending(chain, claim, meant[0], "denied", out)


def elect_by_verdict(chain: Chain, claim: Claim, out: Folded) -> None:
    """Let the version that a reviewer chose hold, and the other give way (C5)."""
    chosen = {version.id: version for version in chain.versions}.get(claim.detail["elects"])
    if chosen is None:
        out.refuse(claim, chain.key, "settled", "the version that was chosen is gone")
        return
    confirmed = chosen is chain.active
    if not confirmed and chain.active is not None:
        chain.active.status = Status.SUPERSEDED
        chain.active.ended_by = chosen.ref
        chosen.until = None
    for version in chain.versions:
        if version.status is Status.DISPUTED and version is not chosen:
            version.status = Status.SUPERSEDED
    chosen.status, chain.active = Status.ACTIVE, chosen
    chosen.closing += (claim.id,)
    code = "confirmed" if confirmed else "elected"
    reason = claim.text or "an agent settled the dispute"
    out.decide(claim, chosen, RetentionAction.WRITTEN, code, reason)


def begin_version(chain: Chain, claim: Claim, value: Mapping[str, Any], out: Folded) -> Version:
    """Write what nothing stands against."""
    new = chain.add(found_version(claim, chain.key, value))
    out.decide(claim, new, RetentionAction.WRITTEN, "new", told_by(claim))
    return new


def close_version(version: Version, claim: Claim, status: Status, tag: str) -> None:
    """Let a version end by a claim."""
    version.status = status
    version.until = claim.said_at
    version.ended_by = claim.id
    version.closing += (claim.id,)
    if tag:
        add_tag(version, tag)


def refuse_ending(claim: Claim, key: str, out: Folded) -> None:
    """Note that a claim ends nothing; it is kept. What only goes with another claim is silent."""
    if claim.detail.get("if_there"):
        return
    asked = claim.detail.get("forgets")
    reason = (
        "nothing that is remembered is what it asks to forget"
        if asked
        else "nothing that is remembered says what it denies"
    )
    out.refuse(claim, key, NOTHING_TO_END, reason)


def is_meant(claim: Claim, value: Mapping[str, Any], rules: FoldRules) -> bool:
    """Tell whether an `end` or a `wrong` speaks of a value: by words, alias or lexicon (K9)."""
    detail = claim.detail
    if detail.get("forbidden"):
        return forbids(value)
    if detail.get("key") or detail.get("any_value") or claim.value in ("", None):
        return True
    known = value.get("value", value.get("decision", value.get("title", "")))
    if detail.get("exact"):
        return str(claim.value).casefold() == str(known).casefold()
    if isinstance(claim.value, str) and isinstance(known, str):
        if _is_alias(claim, known, rules.ontology):
            return True
        if claim.rule == claim.reader.partition("/")[0] and _names_part(claim.value, known):
            return True
        if in_two_languages(claim.value, known) and claim.type in ("preferences", "facts"):
            return False  # no word can be the same, and the lexicon knows none
    elif says_same(claim.value, known):
        return True
    return not names_another(rules.kind.name, claim.fields, value)


def _names_part(said: str, known: str) -> bool:
    """Tell whether an ending names its value by a part of it: 考研 for 别跟我提考研."""
    words = {*index_terms(said)}
    return bool(words) and words <= {*index_terms(known)}


def _is_alias(claim: Claim, known: str, ontology: Ontology) -> bool:
    """Tell whether the lexicon has a claim's value and a known one as words for the same thing."""
    if ontology.attribute(claim.attribute, claim.type) is not None:
        return ontology.same_value(claim.attribute, claim.value, known)
    return any(
        ontology.same_value(attribute.name, claim.value, known)
        for attribute in ontology.attributes
        if claim.type in attribute.all_types
    )


def told_by(claim: Claim) -> str:
    """Say in a sentence why a claim was kept."""
    if claim.detail.get("confirmed"):
        return "the user confirmed it"
    if claim.detail.get("declared"):
        return "the user asked to remember it"
    who = {"user": "the user", "operation": "the user", "assistant": "the assistant"}
    who |= {"tool": "a tool", "document": "a document", "model": "a language model"}
    return f"{who.get(claim.source.value, 'an agent')} said so"


def _repeat(version: Version, claim: Claim, value: Mapping[str, Any], out: Folded) -> None:
    """Count a claim that is known already, once a turn."""
    version.value = value
    if claim.source_id == version.told_in:
        merge_of_turn(version, claim, out)
        return
    repeat_version(version, claim)
    if out.only is not None and claim.id not in out.only:
        return
    reason = f"it is known already; it has been said {version.frequency} times now"
    out.decide(claim, version, RetentionAction.MERGED, "repeated", reason)


def merge_of_turn(version: Version, claim: Claim, out: Folded) -> None:
    """Note that a turn says once more what it said already, which counts for nothing (C11)."""
    code, reason = "known", "it was found in that turn already, and is not counted twice"
    if claim.source is Source.ASSISTANT:
        code, reason = "agreed", "the assistant repeats what was just said"
    out.decide(claim, version, RetentionAction.MERGED, code, reason)


def _replace(
    chain: Chain,
    claim: Claim,
    value: Mapping[str, Any],
    fields: tuple[str, ...],
    rules: FoldRules,
    out: Folded,
) -> None:
    """Let the later claim stand in the place of the earlier one."""
    old = chain.active
    assert old is not None
    new = found_version(claim, chain.key, value)
    old.status, old.until, old.ended_by = Status.SUPERSEDED, claim.said_at, new.ref
    chain.add(new)
    dimension = None
    if rules.kind.on_conflict is ConflictClass.PRIORITY:
        dimension = _oppose(new, old, rules)
        _settle_disputes(chain, new)
    if not out.wants(claim, old):
        return
    reason = f"it changes {', '.join(fields)}"
    out.decide(claim, new, RetentionAction.WRITTEN, "new_version", reason)
    rule = CONFLICT_RULES.get(rules.kind.on_conflict, ConflictRule.VERSIONED)
    told = "the later statement stands; the earlier one is superseded"
    out.clashes.append(Clash(claim, rule, new, old, "new_version", told, fields, dimension))


def _correct(
    chain: Chain, claim: Claim, value: Mapping[str, Any], fields: tuple[str, ...], out: Folded
) -> None:
    """Put a right value in the place of a wrong one, which never was so."""
    old = chain.active
    assert old is not None
    new = found_version(claim, chain.key, value)
    old.status, old.until, old.ended_by = Status.RETRACTED, claim.said_at, new.ref
    add_tag(old, NEVER)
    chain.rejected.append(old)
    chain.add(new)
    out.decide(claim, new, RetentionAction.WRITTEN, "corrected", "the user corrected it")
    told = "the later statement stands; the earlier one is retracted"
    clash = Clash(claim, ConflictRule.RETRACT, new, old, "corrected", told, fields)
    out.clashes.append(clash)


def _elect(
    chain: Chain,
    claim: Claim,
    value: Mapping[str, Any],
    fields: tuple[str, ...],
    rules: FoldRules,
    out: Folded,
) -> None:
    """Let the fact of higher priority stand; a close call goes to review (C5)."""
    active = chain.active
    assert active is not None
    new = found_version(claim, chain.key, value)
    mine, theirs = (_priority(one, chain, new.said_at, rules.conflicts) for one in (new, active))
    close = abs(mine - theirs) < rules.conflicts.review_threshold
    wins = mine >= theirs and active.source != Source.USER.value
    lost = Status.DISPUTED if close or (mine > theirs and not wins) else Status.SUPERSEDED
    winner, loser = (new, active) if wins else (active, new)
    loser.status = lost
    loser.until = claim.said_at
    if wins:
        loser.ended_by = new.ref
        if lost is Status.DISPUTED:
            chain.disputed.append(loser)
    chain.add(new)
    _settle_disputes(chain, winner)
    dimension = _oppose(winner, loser, rules)
    code = "elected" if wins else ("disputed" if lost is Status.DISPUTED else "outweighed")
    reasons = {
        "elected": "more speaks for it than for what was known",
        "disputed": "it contradicts what is known too closely to decide; it waits for review",
        "outweighed": "more speaks for what is known; it is kept beside it",
    }
    actions = {"elected": RetentionAction.WRITTEN, "disputed": RetentionAction.DEFERRED}
    action = actions.get(code, RetentionAction.SUPERSEDED)
    reason = reasons[code]
    out.decide(claim, new, action, code, reason)
    told = f"priority {mine:.2f} against {theirs:.2f}; the other is {lost.value}"
    out.clashes.append(
        Clash(
            claim=claim,
            rule=ConflictRule.VERSIONED,
            winner=winner,
            loser=loser,
            code=code,
            reason=told,
            fields=fields,
            dimension=dimension,
            to_review=lost is Status.DISPUTED,
        )
    )


def has_last_word(claim: Claim, active: Version, rules: FoldRules) -> bool:
    """Tell whether a later claim ends what stands whatever its priority (K8)."""
    if claim.is_users or claim.source.value == active.source:
        return True
    if claim.detail.get("confirmed") or claim.detail.get("declared"):
        return True
    if rules.kind.name == _REPORTED_BY_ANYBODY:
        return True
    if claim.source is Source.TOOL and active.source == Source.USER.value:
        return _observes(claim, rules)
    return rules.kind.on_conflict is not ConflictClass.PRIORITY and active.source not in (
        Source.USER.value,
        Source.TOOL.value,
    )


def _was_rejected(chain: Chain, claim: Claim, rules: FoldRules) -> bool:
    """Tell whether the user has rejected or ended what somebody else says again (C11, K8)."""
    if rules.kind.name == _REPORTED_BY_ANYBODY and chain.active is not None:
        return False  # how far a task is may change back
    for version in chain.rejected:
        if _says_what(version, claim, rules):
            return version.status is Status.RETRACTED or not _observes(claim, rules)
    return False


def _says_what(version: Version, claim: Claim, rules: FoldRules) -> bool:
    """Tell whether a version says what a claim does."""
    said = (version.said_at, claim.said_at)
    return not changed_fields(version.value, claim.fields, claim.attribute, said, rules)


def _observes(claim: Claim, rules: FoldRules) -> bool:
    """Tell whether a tool says what it knows better than the user: a port, a task of a tracker."""
    if claim.source is not Source.TOOL:
        return False
    attribute = rules.ontology.attribute(claim.attribute)
    return rules.kind.name == _REPORTED_BY_ANYBODY or (attribute is not None and attribute.observed)


def _versions_meant(chain: Chain, claim: Claim, rules: FoldRules) -> list[Version]:
    """Return the versions that a `wrong` speaks of: the one that holds, or the last so named."""
    gone = (Status.RETRACTED,)
    said = [one for one in reversed(chain.versions) if one.status not in gone]
    if claim.detail.get("whole"):
        return said
    if chain.active is not None and is_meant(claim, chain.active.value, rules):
        return [chain.active]
    if claim.value in ("", None) or claim.detail.get("key"):
        return []
    named = [one for one in said if is_meant(claim, one.value, rules)]
    return named[:1] if any(one.status is not Status.EXPIRED for one in named[:1]) else []


def _revive(chain: Chain, wrong: Version) -> None:
    """Let the version hold again that a wrong one had taken the place of."""
    for version in reversed(chain.versions):
        if version.ended_by == wrong.ref and version.status is Status.SUPERSEDED:
            version.status, version.until, version.ended_by = Status.ACTIVE, None, ""
            chain.active = version
            return


def _report_ending(chain: Chain, claim: Claim, gone: Version, code: str, out: Folded) -> None:
    """Say that a version has ended by a claim, and what holds instead."""
    by_words = claim.message >= 0
    reason = {
        "ended": "the user said that it is over",
        "denied": "the user denied it" if by_words else "it was taken back",
    }[code]
    out.decide(claim, gone, RetentionAction.RETRACTED, code, reason)
    out.clashes.append(Clash(claim, ConflictRule.RETRACT, chain.active, gone, code, reason))


def _settle_disputes(chain: Chain, winner: Version) -> None:
    """Let no version dispute the one that stands and says the same."""
    if not chain.disputed:
        return
    known = winner.value.get("value")
    for version in chain.disputed:
        if version.status is not Status.DISPUTED or version is winner:
            continue
        if says_same(version.value.get("value"), known, (version.said_at, winner.said_at)):
            version.status = Status.SUPERSEDED


def _oppose(winner: Version, loser: Version, rules: FoldRules) -> str:
    """Let two facts contradict each other, and return what sets them apart: source, time, value."""
    who, when = (winner.source, loser.source), (winner.said_at, loser.said_at)
    dimension = dimension_between(who, when, rules.same_event_days)
    winner.opposes[loser.ref] = dimension
    loser.opposes[winner.ref] = dimension
    return dimension


def dimension_between(
    who: tuple[str, str], when: tuple[datetime, datetime], same_event_days: float
) -> str:
    """Return what sets two facts apart: who said it, when, or only what."""
    if who[0] != who[1]:
        return "source"
    apart = abs(when[0] - when[1])
    return "time" if apart.days + apart.seconds / _DAY > same_event_days else "value"


def _priority(version: Version, chain: Chain, latest: datetime, rules: ConflictRules) -> float:
    """Return how much speaks for a version: source, age, support, and having been said before.

    What the user has rejected speaks against everybody who says it again but the user.
    """
    weights = rules.priority
    age = max(0.0, (latest - version.said_at).total_seconds()) / _DAY
    said = version.value.get("value")
    alike = next(
        (
            one
            for one in reversed(chain.versions)
            if one is not version and says_same(one.value.get("value"), said)
        ),
        None,
    )
    fits = _NEUTRAL
    if alike is not None and alike.status is not Status.RETRACTED:
        fits = 1.0
    elif alike is not None and version.source != Source.USER.value:
        fits = 0.0
    return (
        weights.source_trust * trust_in(version.source, rules.source_trust)
        + weights.recency * exp(-age / _FACT_DAYS)
        + weights.evidence_support * (1 - 1 / (1 + version.frequency))
        + weights.consistency * fits
    )


def trust_in(source: str, rules: SourceTrustRules) -> float:
    """Return how far a source is trusted, by its own name or by its kind."""
    if source in rules.named:
        return rules.named[source]
    kind = source.partition(":")[0]
    known = {"user": rules.user, "tool": rules.tool, "document": rules.document}
    known |= {"agent": rules.agent, "assistant": rules.assistant, "model": rules.agent}
    return known.get(kind, rules.agent)
