"""Forgetting measured: requests of every kind in a large brain, then a search of every byte.

A brain is told made-up things, each with terms of its own, in two languages, some in files and in
tools' outputs, beside many more memories that are written as they are. Random requests by id,
topic, time, session and words are made; afterwards no file of the tenant may hold a run of 20
bytes, or a term, that occurred nowhere else, no call may show one, and nothing that was asked
about before may be answered otherwise. At last all of it goes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from time import perf_counter

from bench import forgetting_said
from bench.append import append_to
from bench.corpus import START, make_appends
from bench.forgotten_bytes import Forgotten
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.domain.claim import Claim
from smartbrain.domain.forgetting import ForgetRequest
from smartbrain.domain.graph import EdgeType
from smartbrain.remember.forget.find import Finder
from smartbrain.remember.forget.hide import Hider

HIDDEN_SECONDS, ERASED_SECONDS = 1.0, 60.0
_TURNS_A_SESSION = 20
_LONG = "The report goes on about ordinary matters of no account. " * 90
_GRACE = 8_000.0  # hours: erasing is measured apart from hiding
_ASKING = "asking"
_FIRST_OTHER = 100_000  # so that no stretch of time holds both


@dataclass(frozen=True, slots=True)
class Told:
    """One turn: where it was said, two sentences, and the terms that only they hold."""

    session: str
    number: int
    code: str
    person: str
    sentences: tuple[str, str]  # of the code, of the person

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms that nothing else says."""
        return (self.code, self.person)


class Gone:
    """The sentences that requests named, by the turn that told them."""

    def __init__(self) -> None:
        self.turns: dict[int, set[int]] = {}
        self.seconds: list[float] = []

    def add(self, told: Told, *sentences: int) -> None:
        """Note that sentences of a turn go."""
        self.turns.setdefault(told.number, set()).update(sentences)


def run(setting: Setting) -> list[Result]:
    """Forget, search, and compare."""
    turns, requests = setting.pick(500, 3_000), setting.pick(27, 200)
    others = setting.pick(500, 30_200)
    folder = setting.folder / "brain"
    setting.folder.mkdir(parents=True, exist_ok=True)
    told = [_turn(number) for number in range(turns)]
    _fill(folder, told, others, setting.keep)
    kept = Random(5).sample(told[: turns // 2], 50)  # sessions of the others go whole
    with SmartBrain.open(folder, config={"forget.grace": _GRACE}) as brain:
        memories = brain.status().rows["memories"]
        before = [_answer(brain, one) for one in kept]
        gone = _forget_all(brain, told, requests, {one.number for one in kept})
        shown = _shown(brain, told, gone)
        erased = _timed(lambda: _erase(brain))
        receipts = brain.receipts()
        checked = receipts[:: max(1, len(receipts) // 3)]
        verified = sum(brain.verify_receipt(one) for one in checked)
        left = _forgotten(told, gone).find(folder)
        shown += _shown(brain, told, gone)
        changed = sum(_answer(brain, one) != was for one, was in zip(kept, before, strict=True))
        everything = _timed(lambda: brain.forget(everything=True))
    words = [text for one in told for text in one.sentences]
    terms = [term for one in told for term in one.terms]
    rest = Forgotten(terms, words, [_LONG]).find(folder)
    hidden, size = sorted(gone.seconds), f"{memories:,} memories, {len(gone.seconds)} requests"
    return [
        _limited(
            f"hide at once, {size}",
            f"p50 {hidden[len(hidden) // 2]:.2f} s, worst {hidden[-1]:.2f} s",
            f"{HIDDEN_SECONDS:g} s",
            passed=hidden[-1] <= HIDDEN_SECONDS,
        ),
        _limited(
            "erase all of them as one batch",
            f"{erased:.1f} s",
            f"{ERASED_SECONDS:g} s",
            passed=erased <= ERASED_SECONDS,
        ),
        _none("places of any file that hold a run or a term", left, f"{len(gone.turns)} turns"),
        _none("forgotten words in recall and contexts", shown, f"{len(gone.turns)} turns asked"),
        _none("unrelated questions answered otherwise", changed, f"of {len(kept)}"),
        _none("receipts that do not hold", len(checked) - verified, f"{len(checked)} checked"),
        _limited(
            "forget everything: hide and erase",
            f"{everything:.1f} s",
            f"{ERASED_SECONDS:g} s",
            passed=everything <= ERASED_SECONDS,
        ),
        _none("places that hold anything after that", rest, f"{len(told)} turns"),
        *forgetting_said.run(setting),
    ]


def _limited(name: str, measured: str, limit: str, *, passed: bool) -> Result:
    return Result(name, measured, "the limit", limit=f"<= {limit}", passed=passed)


def _none(name: str, found: int | list[str], against: str) -> Result:
    """Return a result that may hold nothing."""
    count = found if isinstance(found, int) else len(found)
    for line in found[:5] if isinstance(found, list) else ():
        print(f"  left: {line:.300}")
    return Result(name, f"{count}", against, limit="0", passed=count == 0)


def _timed(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def _turn(number: int) -> Told:
    """Return one made-up turn."""
    random = Random(number)
    name = "".join(random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(5))
    code = f"{random.randrange(10**9, 10**10)}"
    person = f"{name.capitalize()}son"
    sentences = (
        (f"The {name} gate code is {code}", f"Yesterday I met {person} at the market"),
        (f"{name}系统的密码是{code}", f"昨天我和{person}一起吃了饭"),
        (f"The {name} account number is {code}", f"My neighbour {person} keeps bees"),
    )[number % 3]
    return Told(f"s{number // _TURNS_A_SESSION}", number, code, person.casefold(), sentences)


def _fill(folder: Path, told: list[Told], others: int, keep: Path | None) -> None:
    """Import the turns as a chat history, or take the brain that was filled before."""
    stored = keep / f"forgetting-{len(told)}-{others}" if keep else None
    if stored is not None and stored.exists():
        shutil.copytree(stored, folder)
        return
    history = folder.parent / "history.jsonl"
    with history.open("w", encoding="utf-8") as file:
        for one in told:
            file.write(json.dumps(_line(one), ensure_ascii=False) + "\n")
    with SmartBrain.open(folder) as brain:
        brain.import_chat(history, format="jsonl")
        with brain._lease() as tenant:
            for first in range(_FIRST_OTHER, _FIRST_OTHER + others, 1_000):
                with tenant.ports.truth.write() as rows:
                    append_to(rows, make_appends(min(1_000, _FIRST_OTHER + others - first), first))
        brain.recall("gate code")
        with brain._lease() as tenant:
            tenant.views.save(brain._recall_rules())
    history.unlink()
    if stored is not None:
        shutil.copytree(folder, stored)


def _line(one: Told) -> dict[str, object]:
    """Return a turn as a line of a history: some long, some with a tool's output."""
    said = f"{one.sentences[0]}. {one.sentences[1]}."
    messages = [{"role": "user", "content": said}, {"role": "assistant", "content": f"OK: {said}"}]
    if one.number % 100 == 7:
        messages[0]["content"] = f"{_LONG}{said} {_LONG}"
    line: dict[str, object] = {
        "session_id": one.session,
        "at": (START + timedelta(minutes=one.number)).isoformat(),
        "messages": messages,
    }
    if one.number % 50 == 9:
        result = f"{_LONG if one.number % 100 == 9 else ''}{said}"
        line["tool_calls"] = [{"name": "look_up", "args": {"who": one.person}, "result": result}]
    return line


def _forget_all(brain: SmartBrain, told: list[Told], requests: int, kept: set[int]) -> Gone:
    """Hide what random requests name; each kind has its turn."""
    random, gone, kinds = Random(11), Gone(), list(_REQUESTS)
    sessions = {told[number].session for number in kept}
    free = [one for one in told if one.number not in kept]
    while len(gone.seconds) < requests:
        kind = kinds[len(gone.seconds) % len(kinds)]
        one = random.choice(free)
        if one.number in gone.turns or (kind == "session" and one.session in sessions):
            continue
        if kind == "artifact" and one.number % 50 != 9:
            continue
        asked = _REQUESTS[kind](brain, one)
        if asked is None:
            continue
        gone.seconds.append(_timed(asked))
        in_session = [other for other in told if other.session == one.session]
        for other in in_session if kind == "session" else [one]:
            gone.add(other, *_SENTENCES.get(kind, (0, 1)))
    return gone


def _hide(brain: SmartBrain, request: ForgetRequest) -> None:
    """Hide what a call names; erasing is measured apart."""
    rules = brain._terms.rules
    with brain._lease() as tenant, tenant.ports.truth.write() as rows:
        found = Finder(rows, tenant.ports, rules.rules).find(request)
        hider = Hider(rows, tenant.ports, rules)
        now = tenant.ports.clock()
        hider.hide(found, request, now=now, grace=timedelta(hours=_GRACE))


def _erase(brain: SmartBrain) -> None:
    """Erase all that is hidden, at once."""
    with brain._lease() as tenant:
        brain._forgetter(tenant).erase(None)


def _turn_id(brain: SmartBrain, one: Told) -> str:
    """Return the id of a turn; its place may have moved by those that went before it."""
    at = START + timedelta(minutes=one.number)
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        return rows.erasure.turns(at, at + timedelta(seconds=1), one.session)[0]


def _code_claims(brain: SmartBrain, one: Told) -> list[tuple[Claim, str]]:
    """Return the claims of a code that a memory was made of, with that."""
    turn_id = _turn_id(brain, one)
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        claims = [claim for claim in rows.claims.of_turn(turn_id) if str(claim.value) == one.code]
        memories = rows.claims.memories(claim.id for claim in claims)
    return [(claim, memories[claim.id]) for claim in claims if claim.id in memories]


Asked = Callable[[], None]


def _by_memory(brain: SmartBrain, one: Told) -> Asked | None:
    found = _code_claims(brain, one)
    return (lambda: _hide(brain, ForgetRequest(ids=(found[0][1],)))) if found else None


def _by_claim(brain: SmartBrain, one: Told) -> Asked | None:
    found = _code_claims(brain, one)
    return (lambda: _hide(brain, ForgetRequest(ids=(found[0][0].id,)))) if found else None


def _by_turn(brain: SmartBrain, one: Told) -> Asked:
    turn_id = _turn_id(brain, one)
    return lambda: _hide(brain, ForgetRequest(ids=(turn_id,)))


def _by_artifact(brain: SmartBrain, one: Told) -> Asked:
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        call = rows.events.turn(_turn_id(brain, one)).tool_calls[0].id
    return lambda: _hide(brain, ForgetRequest(ids=(call,)))


def _by_edge(brain: SmartBrain, one: Told) -> Asked | None:
    turn_id = _turn_id(brain, one)
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        episodes = [item for item in rows.memories.of_turn(turn_id) if item.type == "episodes"]
        edges = rows.edges.of(episodes[0].id, kind=EdgeType.MENTIONS) if episodes else []
    return (lambda: _hide(brain, ForgetRequest(ids=(edges[0].id,)))) if edges else None


def _by_topic(brain: SmartBrain, one: Told) -> Asked | None:
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        known = rows.mentions.called(one.person) or rows.erasure.claims("subject", [one.person])
    return (lambda: _hide(brain, ForgetRequest(topic=one.person))) if known else None


def _by_window(brain: SmartBrain, one: Told) -> Asked:
    at = START + timedelta(minutes=one.number)
    return lambda: _hide(brain, ForgetRequest(since=at, until=at + timedelta(seconds=30)))


def _by_session(brain: SmartBrain, one: Told) -> Asked:
    return lambda: _hide(brain, ForgetRequest(session_id=one.session))


def _by_words(brain: SmartBrain, one: Told) -> Asked:
    message = {"role": "user", "content": f"Forget {one.code}."}
    return lambda: brain.commit_turn(_ASKING, [message]) and None


_REQUESTS: dict[str, Callable[[SmartBrain, Told], Asked | None]] = {
    "memory": _by_memory,
    "claim": _by_claim,
    "turn": _by_turn,
    "artifact": _by_artifact,
    "edge": _by_edge,
    "topic": _by_topic,
    "window": _by_window,
    "session": _by_session,
    "words": _by_words,
}
_SENTENCES: dict[str, tuple[int, ...]] = {
    "memory": (0,),
    "claim": (0,),
    "words": (0,),
    "topic": (1,),
    "edge": (),  # only a link goes
    "artifact": (),  # what was said stays
}


def _answer(brain: SmartBrain, one: Told) -> list[str]:
    """Return what a question about a turn finds first."""
    return [item.id for item in brain.recall(f"{one.code} {one.person}", k=1).items]


def _shown(brain: SmartBrain, told: list[Told], gone: Gone) -> list[str]:
    """Return the forgotten terms that answers to questions about them show."""
    found = []
    for number, sentences in list(gone.turns.items())[:200]:
        terms = [told[number].terms[which] for which in sentences]
        if not terms:
            continue
        items = brain.recall(" ".join(terms), k=20, include_history=True).items
        texts = " ".join(f"{item.title} {item.text}" for item in items)
        context = brain.compose_context(told[number].session, "What was the code, and whom?")
        texts = f"{texts} {context.text()}".casefold()
        found += [term for term in terms if term in texts]
    return found


def _forgotten(told: list[Told], gone: Gone) -> Forgotten:
    """Return what may be nowhere, and what may."""
    terms, texts, besides = [], [], [_LONG]
    for one in told:
        for which, text in enumerate(one.sentences):
            if which in gone.turns.get(one.number, ()):
                terms.append(one.terms[which])
                texts.append(text)
            else:
                besides.append(f" {text}. ")
    return Forgotten(terms, texts, besides)
