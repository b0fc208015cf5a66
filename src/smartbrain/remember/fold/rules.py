"""The rules of the fold: what one claim does to the memory that it speaks of (K8, K9, C4, C5, C11).

In: a chain and the next claim about it. Out: the chain changed, with a decision. One small function
a rule: begin, repeat, replace, correct, elect, end, take back; then `fold_keyed`, which finds the
chain that a claim of a fact, a preference or a decision speaks of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from datetime import datetime
from math import exp
from typing import Any, Final

from smartbrain.domain.claim import CLOSES, OTHER, Claim, Say, Source
from smartbrain.domain.keys import slug
from smartbrain.domain.memory import NEVER, OVER, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.domain.policy import ConflictRules, SourceTrustRules
from smartbrain.domain.result import ConflictRule, RetentionAction
from smartbrain.errors import UsageError
from smartbrain.remember.fold.state import (
    Chain,
    Clash,
    Folded,
    FoldRules,
    Version,
    add_tag,
    changed_fields,
    found_version,
    repeat_version,
    unite,
)
from smartbrain.remember.match import (
    denials_in,
    in_two_languages,
    is_denied,
    names_another,
    says_same,
)
from smartbrain.text.ontology import Ontology
from smartbrain.text.tokenise import index_terms

CONFLICT_RULES: Final = {
    ConflictClass.OVERWRITE: ConflictRule.OVERWRITE,
    ConflictClass.MERGE: ConflictRule.MERGE,
}
"""The rule by which the later claim stands, where it is not that of versions."""
NOTHING_TO_END: Final = "nothing_to_retract"
"""The code of a denial that nothing known says."""
OUTWEIGHED: Final = "the user said otherwise, and nobody confirmed it"
"""Why somebody else's claim changes nothing."""
_REPORTED_BY_ANYBODY: Final = "tasks"
_DAY: Final = 86_400.0
_FACT_DAYS: Final = 90.0
_NEUTRAL: Final = 0.5
_UNWANTED: Final = "avoid_topic"  # the attribute whose values all say what not to do


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
        fields = changed_fields(active.value, value, claim.attribute, rules)
        if not fields:
            _repeat(active, claim, value, out)
        elif users or has_last_word(claim, active, rules):
            replace_version(chain, claim, value, fields, rules, out)
        elif rules.kind.on_conflict is ConflictClass.PRIORITY:
            _elect(chain, claim, value, fields, rules, out)
        else:
            out.refuse(claim, chain.key, "outweighed", OUTWEIGHED)


def end_value(chain: Chain, claim: Claim, rules: FoldRules, out: Folded) -> None:
    """Let what was so until now be over; a claim that matches nothing ends nothing (K9)."""
    chain.expire(claim.said_at)
    active = chain.active
    if active is None or not is_meant(claim, active.value, rules):
        refuse_ending(claim, chain.key, out)
        return
    close_version(active, claim, Status.SUPERSEDED, OVER)
    chain.rejected.append(active)
    chain.active = None
    _report_ending(chain, claim, active, "ended", out)


def take_back(chain: Chain, claim: Claim, rules: FoldRules, out: Folded) -> None:
    """Let what never was so be retracted; what it had ended holds again (K9)."""
    chain.expire(claim.said_at)
    meant = _versions_meant(chain, claim, rules)
    if not meant:
        refuse_ending(claim, chain.key, out)
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
    """Note that a claim ends nothing; it is kept."""
    out.refuse(claim, key, NOTHING_TO_END, "nothing that is remembered says what it denies")


def is_meant(claim: Claim, value: Mapping[str, Any], rules: FoldRules) -> bool:
    """Tell whether an `end` or a `wrong` speaks of a value: by words, alias or lexicon (K9)."""
    detail = claim.detail
    if detail.get("key") or claim.value in ("", None):
        return True
    known = value.get("value", value.get("decision", value.get("title", "")))
    if detail.get("exact"):
        return str(claim.value).casefold() == str(known).casefold()
    if isinstance(claim.value, str) and isinstance(known, str):
        if _is_alias(claim, known, rules.ontology):
            return True
        if rules.ontology.is_name(claim.attribute) and _names_part(claim, known):
            return True
        if in_two_languages(claim.value, known) and claim.type in ("preferences", "facts"):
            return False  # no word can be the same, and the lexicon knows none
    elif says_same(claim.value, known):
        return True
    return not names_another(rules.kind.name, claim.fields, value)


def _names_part(claim: Claim, known: str) -> bool:
    """Tell whether an ending names its value by a part of it: 考研 for 别跟我提考研."""
    words = {*index_terms(claim.value)}
    if not words or not words <= {*index_terms(known)}:
        return False
    return claim.attribute == _UNWANTED or denials_in(claim.value) == denials_in(known)


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
    who = "the user" if claim.is_users else "a tool" if claim.source is Source.TOOL else "an agent"
    return f"{who} said so"


def _repeat(version: Version, claim: Claim, value: Mapping[str, Any], out: Folded) -> None:
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
    reason = "it was found in that turn already, and is not counted twice"
    out.decide(claim, version, RetentionAction.MERGED, "known", reason)


def replace_version(
    chain: Chain,
    claim: Claim,
    value: Mapping[str, Any],
    fields: tuple[str, ...],
    rules: FoldRules,
    out: Folded,
) -> None:
    """Let the later claim stand in the place of the earlier one, which it may correct."""
    old = chain.active
    assert old is not None
    new = chain.add(found_version(claim, chain.key, value))
    corrects = bool(claim.detail.get("corrects")) and OVER not in old.tags  # until then it held
    old.status = Status.RETRACTED if corrects else Status.SUPERSEDED
    old.until, old.ended_by, dimension = claim.said_at, new.ref, None
    if corrects:
        add_tag(old, NEVER)
        chain.rejected.append(old)
    elif rules.kind.on_conflict is ConflictClass.PRIORITY:
        dimension = _oppose(chain, new, old, rules)
        if chain.disputed:
            _settle_disputes(chain, new)
    if not out.wants(claim, old):
        return
    code, reason = "new_version", f"it changes {', '.join(fields)}"
    rule = CONFLICT_RULES.get(rules.kind.on_conflict, ConflictRule.VERSIONED)
    if corrects:
        code, reason, rule = "corrected", "the user corrected it", ConflictRule.RETRACT
    out.decide(claim, new, RetentionAction.WRITTEN, code, reason)
    told = f"the later statement stands; the earlier one is {old.status.value}"
    out.clashes.append(Clash(claim, rule, new, old, code, told, fields, dimension))


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
    dimension = _oppose(chain, winner, loser, rules)
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
    return not changed_fields(version.value, claim.fields, claim.attribute, rules)


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
    for version in reversed(chain.versions):
        if version.ended_by == wrong.ref and version.status is Status.SUPERSEDED:
            version.status, version.until, version.ended_by = Status.ACTIVE, None, ""
            chain.active = version
            return


def _report_ending(chain: Chain, claim: Claim, gone: Version, code: str, out: Folded) -> None:
    by_words = claim.message >= 0
    reason = {
        "ended": "the user said that it is over",
        "denied": "the user denied it" if by_words else "it was taken back",
    }[code]
    out.decide(claim, gone, RetentionAction.RETRACTED, code, reason)
    out.clashes.append(Clash(claim, ConflictRule.RETRACT, chain.active, gone, code, reason))


def _settle_disputes(chain: Chain, winner: Version) -> None:
    known = winner.value.get("value")
    for version in chain.disputed:
        if version.status is not Status.DISPUTED or version is winner:
            continue
        if says_same(version.value.get("value"), known):
            version.status = Status.SUPERSEDED


def _oppose(chain: Chain, winner: Version, loser: Version, rules: FoldRules) -> str:
    """Let two facts contradict each other, and return what sets them apart: source, time, value."""
    dimension = "source"
    if winner.source == loser.source:
        days = abs((winner.said_at - loser.said_at).total_seconds()) / _DAY
        dimension = "time" if days > rules.same_event_days else "value"
    chain.opposed.append((winner, loser, dimension))
    return dimension


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


MANY = "many"


def fold_keyed(
    claims: Iterable[Claim],
    rules: FoldRules,
    chains: Iterable[Chain] = (),
    only: Set[str] | None = None,
) -> Folded:
    """Fold claims of one group on top of the chains that are there."""
    out = Folded(list(chains), only)
    by_key = {chain.key.casefold(): chain for chain in out.chains}
    for claim in claims:
        chain, key = _find_chain(claim, by_key, rules), ""
        if chain is None and claim.say in CLOSES:
            with suppress(UsageError):
                key = key_of(claim, rules)
            refuse_ending(claim, key, out)
            continue
        if chain is None and "elects" not in claim.detail:
            chain = Chain(key_of(claim, rules))
            by_key[chain.key.casefold()] = chain
            out.chains.append(chain)
        apply_claim(chain, claim, rules, out)
    return out


def apply_claim(chain: Chain | None, claim: Claim, rules: FoldRules, out: Folded) -> None:
    """Let a claim do what it says to the memory it speaks of."""
    if chain is None and "elects" in claim.detail:
        out.refuse(claim, "", "settled", "the facts that were to be judged are gone")
    elif chain is None:
        refuse_ending(claim, "", out)
    elif "elects" in claim.detail:
        elect_by_verdict(chain, claim, out)
    elif claim.say is Say.WRONG:
        take_back(chain, claim, rules, out)
    elif claim.say is Say.END:
        end_value(chain, claim, rules, out)
    else:
        assert_value(chain, claim, rules, out)


def key_of(claim: Claim, rules: FoldRules) -> str:
    """Return the key that a claim gives the memory it founds."""
    named = claim.detail.get("key")
    if named:
        return str(named)
    key = rules.kind.key_of(claim.fields)
    if rules.kind.name == "decisions" or not _has_many(claim, rules):
        return key
    text = str(claim.value)
    named_value = slug(rules.ontology.value_class(claim.attribute, text) or text) or "value"
    return f"{key}:{named_value}"


def has_many(claim: Claim, ontology: Ontology) -> bool:
    """Tell whether the group of a claim holds several memories, a value each (K3, K11)."""
    if claim.type == "decisions":
        return claim.group.startswith("decisions:other:")
    if claim.type not in ("facts", "preferences"):
        return False
    if claim.attribute == OTHER:
        return True
    attribute = ontology.attribute(claim.attribute, claim.type)
    if attribute is None or attribute.name != claim.attribute:
        return False
    personal = attribute.all_types == ("profile",)  # told of others, it is a fact
    return attribute.cardinality == MANY and (personal or claim.type in attribute.all_types)


def _find_chain(claim: Claim, by_key: dict[str, Chain], rules: FoldRules) -> Chain | None:
    if claim.detail and (named := claim.detail.get("key")):
        return by_key.get(str(named).casefold())
    if not _has_many(claim, rules):
        return next(iter(by_key.values()), None)
    if claim.say not in CLOSES:
        return _find_same(claim, by_key, rules)
    if claim.value in ("", None):
        return None  # of many values an ending has to name its own
    said, same_value = str(claim.value), rules.ontology.same_value
    for chain in by_key.values():
        known = chain.active.value if chain.active else None
        if known is None:
            continue
        value = str(known.get("value", ""))
        if claim.type == "decisions":
            named = is_meant(claim, known, rules)
        else:
            named = same_value(claim.attribute, said, value) or is_denied(said, value, many=True)
        if named:
            return chain
    return None


def _find_same(claim: Claim, by_key: dict[str, Chain], rules: FoldRules) -> Chain | None:
    """Return the chain of a value, be it told in other words of the lexicon, or excluded by it."""
    if chain := by_key.get(key_of(claim, rules).casefold()):
        return chain
    said, ontology = str(claim.value), rules.ontology
    for chain in by_key.values():
        known = str(chain.active.value.get("value", "")) if chain.active else ""
        if known and ontology.excludes(claim.attribute, said, known):
            return chain
    return None


def _has_many(claim: Claim, rules: FoldRules) -> bool:
    """Tell the same, looked up once an attribute."""
    if claim.attribute not in rules.many:
        rules.many[claim.attribute] = has_many(claim, rules.ontology)
    return rules.many[claim.attribute]
