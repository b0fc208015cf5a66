"""The one fold: claims of a group in, what holds out (K2).

In: claims in the order in which they were said, and the chains that earlier claims made, if they
were folded before. Out: the same chains as folding all claims at once gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from msgspec.structs import replace

from smartbrain.domain.claim import Claim, ClaimStatus
from smartbrain.remember.fold.profile import fold_people, fold_profile
from smartbrain.remember.fold.rules import fold_keyed
from smartbrain.remember.fold.state import Chain, Folded, FoldRules
from smartbrain.remember.fold.worded import fold_worded
from smartbrain.remember.subjects import PEOPLE
from smartbrain.text.language import plain_text


def fold_claims(
    claims: Sequence[Claim],
    rules: FoldRules,
    chains: Iterable[Chain] = (),
    only: Set[str] | None = None,
) -> Folded:
    """Fold the claims of one group; with `only`, decide aloud about claims of these ids alone."""
    told = sorted(_that_count(claims), key=lambda claim: claim.order)
    if rules.kind.name == "profile" and any(claim.group == PEOPLE for claim in told):
        return fold_people(told, rules, only)
    if rules.kind.name == "profile":
        return fold_profile(told, rules, chains, only)
    if rules.kind.name in ("tasks", "goals", "events"):
        return fold_worded(told, rules, chains, only)
    return fold_keyed(told, rules, chains, only)


def _that_count(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims that count, among them candidates that two sessions agree on (K6)."""
    counted, waiting = [], []
    for claim in claims:
        if claim.status is ClaimStatus.COUNTED:
            counted.append(claim)
        elif claim.status is ClaimStatus.CANDIDATE:
            waiting.append(claim)
    first: dict[tuple[str, ...], Claim] = {}
    for claim in sorted(waiting, key=lambda claim: claim.order):
        said = (claim.say.value, claim.subject, claim.attribute, plain_text(str(claim.value)))
        before = first.setdefault(said, claim)
        if before.session_id != claim.session_id:
            counted.append(replace(claim, status=ClaimStatus.COUNTED))
    return counted
