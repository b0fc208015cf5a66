"""Folding tasks, goals and events: which of them a claim speaks of is told by its words (K11).

In: all claims of one of these types. Out: a chain each. A status speaks of the one memory that
shares the telling words of the claim; with two alike it decides nothing, with none it makes the
task. An event told again before its day is the same event on another day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from typing import Any, Final

from msgspec.structs import replace

from smartbrain.domain.claim import CLOSES, Claim, Say
from smartbrain.domain.keys import GENERAL
from smartbrain.domain.memory import OVER
from smartbrain.domain.result import RetentionAction
from smartbrain.errors import UsageError
from smartbrain.remember.fold.rules import (
    OUTWEIGHED,
    apply_claim,
    begin_version,
    has_last_word,
    key_of,
    replace_version,
)
from smartbrain.remember.fold.state import (
    Chain,
    Folded,
    FoldRules,
    add_tag,
    hour_changes,
    repeat_version,
)
from smartbrain.remember.match import (
    are_two,
    names_several,
    shared_things,
    things_in,
    words_of,
)
from smartbrain.text.pattern import pattern
from smartbrain.text.tokenise import index_terms

RECURRING: Final = "recurring"
"""The tag of a task that is to be done again and again."""
MAX_FITTING: Final = 200  # memories that a claim is held against, the newest ones
_SAME_WHEN_TOLD: Final = 0.85
_SAME_WHEN_ENDED: Final = 0.5
_ID: Final = pattern(r"[\w.]*+(?:-\d+|(?<=\d))")
_NAME: Final = pattern(r"(?<=\w )[A-Z][\w'’-]+")
_FIELDS: Final = ("title", "description", "name")
_NAMING: Final = ("task_id", *_FIELDS)
_OWN_NAMES: Final = ("project", "task_id", "title", "name")  # which a claim about it takes over
_OPEN: Final = frozenset(("todo", "doing", "blocked", "active"))


class WordedGroup:
    """The chains of one type, found by key, by id and by words."""

    def __init__(
        self, rules: FoldRules, chains: Iterable[Chain], only: Set[str] | None = None
    ) -> None:
        self.rules = rules
        self.out = Folded(only=only)
        self.by_key: dict[str, Chain] = {}
        self._by_word: dict[str, dict[str, Chain]] = {}
        for chain in chains:
            self.add(chain)

    def add(self, chain: Chain) -> None:
        """Add a chain, found from now on by its key and the words it is known by."""
        self.out.chains.append(chain)
        self.by_key[chain.key] = chain
        self.learn_words(chain)

    def at(self, key: str) -> Chain:
        """Return the chain of a key, added if it is new."""
        if key not in self.by_key:
            self.add(Chain(key))
        return self.by_key[key]

    def learn_words(self, chain: Chain) -> None:
        """Let a chain be found by the words of its last version."""
        if chain.versions:
            for word in self._words(text_of(chain.versions[-1].value)):
                self._by_word.setdefault(word, {})[chain.key] = chain

    def standing(self) -> list[Chain]:
        """Return the chains that hold, the one said last first."""
        return _newest_first(self.by_key.values())

    def sharing(self, text: str) -> list[Chain]:
        """Return those of them that share a word with a text."""
        words = self._words(text)
        found = {key: one for word in words for key, one in self._by_word.get(word, {}).items()}
        return _newest_first(found.values())

    def _words(self, text: str) -> set[str]:
        return {*index_terms(text), *words_of(text)}


def fold_worded(
    claims: Iterable[Claim],
    rules: FoldRules,
    chains: Iterable[Chain] = (),
    only: Set[str] | None = None,
) -> Folded:
    """Fold claims of tasks, goals or events on top of the chains that are there."""
    group = WordedGroup(rules, chains, only)
    fold_one = _fold_event if rules.kind.name == "events" else _fold_aim
    for claim in claims:
        fold_one(claim, group)
    return group.out


def text_of(value: Mapping[str, Any]) -> str:
    """Return the words that a task, a goal or an event is known by."""
    return next((str(value[name]) for name in _FIELDS if value.get(name)), "")


def _fold_aim(claim: Claim, group: WordedGroup) -> None:
    rules, out = group.rules, group.out
    chain, rivals = _find_aim(claim, group)
    if rivals:
        reason = "two open tasks fit it, so that it is not known which is meant"
        out.refuse(claim, chain.key if chain else "", "ambiguous", reason)
        return
    if chain is not None and chain.versions and not claim.detail.get("key"):
        last = chain.versions[-1].value
        named = {name: last[name] for name in _OWN_NAMES if name in last}
        claim = replace(claim, fields={**claim.fields, **named})
    if chain is None and claim.say not in CLOSES:
        chain = group.at(key_of(claim, rules))
    active = chain.active if chain else None
    if active is not None and claim.say is Say.DONE and RECURRING in active.tags:
        repeat_version(active, claim)
        reason = "it is done for this time; the task recurs and stays open"
        out.decide(claim, active, RetentionAction.MERGED, "occurrence_done", reason)
        return
    apply_claim(chain, claim, rules, out)
    if chain is not None:
        if claim.detail.get("recurring") and chain.active is not None:
            add_tag(chain.active, RECURRING)
        group.learn_words(chain)


def _find_aim(claim: Claim, group: WordedGroup) -> tuple[Chain | None, bool]:
    if named := claim.detail.get("key"):
        return group.by_key.get(str(named)), False
    words = text_of(claim.fields) or str(claim.value or "") or claim.text
    if _ID.fullmatch(words.casefold()):
        said = words.casefold()
        for chain in group.standing():
            if chain.active and str(chain.active.value.get("task_id", "")).casefold() == said:
                return chain, False
    same = None
    if any(map(claim.fields.get, _NAMING)) and claim.fields.get("project"):
        with suppress(UsageError):
            same = group.by_key.get(key_of(claim, group.rules))
    if same is not None and (same.active is not None or claim.say not in CLOSES):
        return same, False
    if claim.say is Say.ASSERT:
        return _find_same(claim, words, group) if claim.type == "tasks" else None, False
    return _find_by_things(claim, words, group)


def _find_same(claim: Claim, words: str, group: WordedGroup) -> Chain | None:
    wanted = frozenset(index_terms(words))
    for chain in group.sharing(words)[:MAX_FITTING]:
        known = chain.active.value if chain.active else {}
        title = text_of(known)
        terms = frozenset(index_terms(title))
        alike = len(wanted & terms) >= _SAME_WHEN_TOLD * max(len(wanted), len(terms))
        if alike and _is_of_scope(claim, known) and not _is_another(words, title):
            return chain
    return None


def _find_by_things(claim: Claim, words: str, group: WordedGroup) -> tuple[Chain | None, bool]:
    """Return the task or goal that shares the rarest things with a claim, and whether two do."""
    things = things_in(words) or {*words_of(words)}
    may_be_over = claim.say in CLOSES
    titles = {
        chain.key: (chain, text_of(chain.active.value))
        for chain in group.sharing(words)[:MAX_FITTING]
        if chain.active is not None
        and (may_be_over or chain.active.value.get("status") in _OPEN)
        and _is_of_scope(claim, chain.active.value)
    }
    shared = {key: shared_things(things, title) for key, (_, title) in titles.items()}
    counts = Counter(thing for found in shared.values() for thing in found)
    is_apart = _is_another if may_be_over else _names_differ
    scores = {
        key: sum(1 / counts[thing] for thing in found)
        for key, found in shared.items()
        if found and not is_apart(words, titles[key][1])
    }
    best = [key for key, score in scores.items() if score == max(scores.values())]
    if not best:
        return None, False
    chain, title = titles[best[0]]
    if claim.say is Say.DONE and names_several(title) and not things_in(title) <= things:
        return None, False  # only one of several things is done
    return chain, len(best) > 1


def _is_of_scope(claim: Claim, known: Mapping[str, Any]) -> bool:
    return claim.scope in ("", GENERAL) or known.get("project") == claim.scope


def _is_another(words: str, title: str) -> bool:
    """Tell whether a claim is about something else than a known task: two trips are two."""
    return are_two(words, title) or _names_differ(words, title)


def _names_differ(words: str, title: str) -> bool:
    """Tell whether two texts name somebody or some place each, and none that is the same."""
    names, others = (set(_NAME.findall(each)) for each in (words, title))
    return bool(names and others) and names.isdisjoint(others)


def _newest_first(chains: Iterable[Chain]) -> list[Chain]:
    held = [(chain.active.said_at, chain.key, chain) for chain in chains if chain.active]
    return [chain for _, _, chain in sorted(held, key=lambda one: one[:2], reverse=True)]


def _fold_event(claim: Claim, group: WordedGroup) -> None:
    rules, out = group.rules, group.out
    if named := claim.detail.get("key"):
        found = group.by_key.get if claim.say in CLOSES else group.at
        apply_claim(found(str(named)), claim, rules, out)
        return
    chain = _find_event(claim, group)
    if claim.say in CLOSES:
        apply_claim(chain, replace(claim, value=""), rules, out)  # its day is found already
        return
    _tell_event(chain or group.at(key_of(claim, rules)), claim, group)


def _tell_event(chain: Chain, claim: Claim, group: WordedGroup) -> None:
    """Let an event be as a claim tells it: on another day, at another hour, or as it was."""
    rules, out = group.rules, group.out
    active = chain.active
    if active is None:
        begin_version(chain, claim, dict(claim.fields), out)
        group.learn_words(chain)
        return
    was = active.value
    fields = {**claim.fields, "title": was["title"], "scope": was["scope"]}
    if was.get("impact"):
        fields["impact"] = was["impact"]
    said = (active.said_at, claim.said_at)
    changed = "date" if fields["date"] != was["date"] else ""
    if changed and not has_last_word(claim, active, rules):
        out.refuse(claim, chain.key, "outweighed", OUTWEIGHED)
    elif changed or hour_changes(active.text, claim, said):
        add_tag(active, OVER)
        replace_version(chain, claim, fields, (changed or "time",), rules, out)
    else:
        apply_claim(chain, replace(claim, fields=fields), rules, out)


def _find_event(claim: Claim, group: WordedGroup) -> Chain | None:
    """Return the event to come that a claim speaks of; of several that fit alike it is none."""
    wanted = frozenset(index_terms(text_of(claim.fields) or claim.text))
    today, on_day = claim.said_at.date().isoformat(), claim.detail.get("on_day")
    changes = claim.say in CLOSES
    scores: dict[float, list[Chain]] = {}
    for chain in group.standing():
        if chain.active is None or _day_of(chain) < today:
            continue
        terms = frozenset(index_terms(text_of(chain.active.value)))
        shared = len(wanted & terms)
        if not shared or (on_day and _day_of(chain) != on_day):
            continue
        score, same = shared / min(len(wanted), len(terms)), wanted == terms
        if same or (changes and score >= _SAME_WHEN_ENDED and shared >= min(2, len(wanted))):
            scores.setdefault(score + same, []).append(chain)
    best = scores[max(scores)] if scores else []
    return best[0] if len(best) == 1 or (best and not changes) else None


def _day_of(chain: Chain) -> str:
    return str(chain.active.value.get("date", "")) if chain.active else ""
