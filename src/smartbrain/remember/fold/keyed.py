"""Folding claims whose group is one memory, or one memory a value (K2, K3).

In: claims about one attribute of one subject, one preference, one topic of a decision. Out: one
chain; or, where the attribute has many values at a time, a chain a value, whose slug ends its key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from smartbrain.domain.claim import CLOSES, OTHER, Claim, Say
from smartbrain.domain.keys import slug
from smartbrain.errors import UsageError
from smartbrain.remember.fold.rules import (
    assert_value,
    elect_by_verdict,
    end_value,
    is_meant,
    refuse_ending,
    take_back,
)
from smartbrain.remember.fold.state import Chain, Folded, FoldRules
from smartbrain.remember.profile_values import is_denied
from smartbrain.text.ontology import Ontology

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
        chain = _find_chain(claim, by_key, rules)
        if chain is None and claim.say in CLOSES:
            refuse_ending(claim, _own_key(claim, rules), out)
            continue
        if chain is None and "elects" not in claim.detail:
            chain = Chain(key_of(claim, rules))
            by_key[chain.key.casefold()] = chain
            out.chains.append(chain)
        apply_claim(chain, claim, rules, out)
    return out


def apply_claim(chain: Chain | None, claim: Claim, rules: FoldRules, out: Folded) -> None:
    """Let a claim do what it says to the memory it speaks of."""
    if "elects" in claim.detail:
        if chain is None:
            out.refuse(claim, "", "settled", "the facts that were to be judged are gone")
        else:
            elect_by_verdict(chain, claim, out)
    elif claim.say is Say.WRONG:
        take_back(chain, claim, rules, out)
    elif claim.say is Say.END:
        end_value(chain, claim, rules, out)
    elif chain is not None:
        assert_value(chain, claim, rules, out)
    else:
        refuse_ending(claim, "", out)


def key_of(claim: Claim, rules: FoldRules) -> str:
    """Return the key that a claim gives the memory it founds."""
    named = claim.detail.get("key")
    if named:
        return str(named)
    key = rules.kind.key_of(claim.fields)
    if rules.kind.name == "decisions" or not _has_many(claim, rules):
        return key
    return f"{key}:{_value_slug(claim, rules)}"


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


def _own_key(claim: Claim, rules: FoldRules) -> str:
    """Return the key that a claim names, where it names one."""
    try:
        return key_of(claim, rules)
    except UsageError:
        return ""


def _find_chain(claim: Claim, by_key: dict[str, Chain], rules: FoldRules) -> Chain | None:
    """Return the chain that a claim speaks of."""
    if named := claim.detail.get("key"):
        return by_key.get(str(named).casefold())
    if not _has_many(claim, rules):
        return next(iter(by_key.values()), None)
    if claim.say not in CLOSES:
        return _find_same(claim, by_key, rules)
    if claim.value in ("", None):
        return None  # of many values an ending has to name its own
    held = [one for one in by_key.values() if one.active is not None]
    return next(
        (one for one in held if one.active and _names(claim, one.active.value, rules)), None
    )


def _names(claim: Claim, known: Mapping[str, Any], rules: FoldRules) -> bool:
    """Tell whether an ending names one of many values, which no other word stands for."""
    if claim.type == "decisions":
        return is_meant(claim, known, rules)
    said, value = str(claim.value), str(known.get("value", ""))
    same = rules.ontology.same_value(claim.attribute, said, value)
    return same or is_denied(said, value, many=True)


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
    known = rules.many.get(claim.attribute)
    if known is None:
        known = rules.many[claim.attribute] = has_many(claim, rules.ontology)
    return known


def _value_slug(claim: Claim, rules: FoldRules) -> str:
    """Return the name of a value in a key: that of its class in the lexicon, else its own words."""
    text = str(claim.value)
    return slug(rules.ontology.value_class(claim.attribute, text) or text) or "value"
