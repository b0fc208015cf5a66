"""Who the user is, said plainly: name, trade, employer, home, family, health, learning (C1, C6).

In: a sentence. Out: one candidate of the type `profile` for each run of clauses that tell of the
user, with a fact for each thing told. States of the moment ("I'm tired", 我在开会), what is not so
("I'm not a lawyer") and what others are is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.bygone import present_clauses
from smartbrain.remember.extract.profile_brief import brief_facts, is_brief
from smartbrain.remember.extract.profile_en import facts_en
from smartbrain.remember.extract.profile_lists import going_on, listed
from smartbrain.remember.extract.profile_words import KIN, PETS
from smartbrain.remember.extract.profile_zh import facts_zh, named_zh
from smartbrain.remember.extract.resumed import resumed
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.wording import may_be_own, tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 300  # characters; nobody tells who they are in a longer clause
_ABOUT_ME: Final = pattern(
    r"\b(?:i|i'm|i've|im|my|me|we (?:live|have|own|adopted))\b|[我俺]|本人", _I
)
_WIDE: Final = pattern(r"[\u3400-\u9fff]")
_NOW_ONLY: Final = sign(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|week|weekend|afternoon|evening|month)"
    r"|any ?more|no longer|used to|not sure)\b|今天|昨天|今晚|明天|这会儿|刚刚|刚才|这周|曾经"
    r"|以前是|不再",
    _I,
)
# "I opened a shop not so long ago" is cut before "so".
_HANGING: Final = pattern(
    r"(?<!\s)\s++(?:(?:not|and|or|but|just|very|to|ever)\W*\Z|and (?:it|it['’]s|they)\s.*)", _I
)
# Where somebody goes on about themselves without a comma: 男，35岁; "I live in Rome and work at …".
_GOES_ON: Final = pattern(
    r"，\s*+(?=\d)|\s?(?:不过|但是?)(?=我?(?:现在|目前|如今|人)\s?[住在])"
    r"|(?:,\s++|(?<!\s)\s++)and (?=(?:(?:also|now|currently) )?(?:i|i['’]m|i['’]ve|my|we"
    r"|am an?|work (?:as|at|for|in)|live (?:in|with)|based in|study|teach|speak|own an?|run an?"
    rf"|have (?:[\w-]+ ){{1,3}}?(?:{KIN}|{PETS})|play the|was born|grew up|come from)\b)",
    _I,
)
_CAN_GO_ON: Final = ("，", " and ", " And ", "不过", "但")
_ONE_OF: Final = ("hometown",)
"""What the first word counts for: "from a town near Lyon but grew up in Paris"."""
# What somebody has left behind, so that the next clause tells what they are: 我换工作了，现在….
_TURN: Final = pattern(
    r"\W*+(?:(?:对了|其实|另外)[，,\s]*+)?我(?!们)[^，,没不想要打会]{0,8}?(?:换了?(?:[一个份]{0,2}新?)?(?:工作|公司|岗位?)"
    r"|跳槽|离职|辞职|搬家|毕业|退伍|回国|转行|转岗|升职)了?\W*\Z"
)
_AS_A_ZH: Final = pattern(r"作为(?P<v>[^，,你]{2,20})\Z")


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what the user says about who they are."""
    if said.source is not Source.USER or not is_about_me(sentence.text):
        return
    run: list[Clause] = []
    facts: list[dict[str, Any]] = []
    stated = {piece.offset for whole in present_clauses(sentence) for piece in pieces(whole)}
    turned = False
    for clause in [piece for whole in sentence.clauses for piece in pieces(whole)]:
        fresh = _listed_on(facts, clause, sentence) if run else []
        if not fresh and clause.offset in stated:
            fresh = _facts(clause, sentence, said, bool(run) or turned)
        turned = clause.offset in stated and _TURN.match(clause.text) is not None
        if not fresh and run:
            yield _candidate(run, facts, said)
            run, facts = [], []
        elif fresh:
            run.append(clause)
            told = {fact["k"] for fact in facts if fact["k"] in _ONE_OF}
            facts += [fact for fact in fresh if fact not in facts and fact["k"] not in told]
    if run:
        yield _candidate(run, facts, said)


def is_about_me(text: str) -> bool:
    """Tell whether words are, or may be, about who says them."""
    return bool(may_be_own(text) and _ABOUT_ME.search(text)) or is_brief(text)


def pieces(clause: Clause) -> list[Clause]:
    """Return a clause cut where it goes on about the speaker without a new clause."""
    if not any(map(clause.text.__contains__, _CAN_GO_ON)):
        return [clause]
    pieces = []
    start = 0
    for end in [*_GOES_ON.finditer(clause.text), None]:
        part = clause.text[start : end.start() if end else len(clause.text)]
        if part.strip():
            pieces.append(Clause(part, clause.offset + start, clause.mood))
        start = end.end() if end else start
    return pieces


def _facts(clause: Clause, sentence: Sentence, said: Said, goes_on: bool) -> list[dict[str, Any]]:
    """Return the facts that a clause tells."""
    text = resumed(clause.text)
    if len(text) > _LONGEST or _NOW_ONLY.search(text):
        return []
    if (as_a := _AS_A_ZH.match(text)) and _says_i(clause, sentence):
        text = f"我是{as_a['v']}"
    found = facts_zh(text, goes_on) if _WIDE.search(text) else []
    found = found or named_zh(clause, said) or facts_en(text, goes_on, sentence, said)
    if not found and is_brief(text):
        found = brief_facts(clause, sentence, said)
    told = [(name, tidy(each)) for name, words in found for each in listed(name, words)]
    return [{"k": name, "v": value} for name, value in told if value]


def _listed_on(
    facts: list[dict[str, Any]], clause: Clause, sentence: Sentence
) -> list[dict[str, Any]]:
    """Return the facts that a clause adds to a list that the clause before it began."""
    name = str(facts[-1]["k"])
    rest = sentence.text[clause.offset - sentence.offset :]
    return [{"k": name, "v": each} for each in going_on(name, clause.text, rest)]


def _says_i(clause: Clause, sentence: Sentence) -> bool:
    """Tell whether the next clause is about the speaker."""
    after = [one for one in sentence.clauses if one.offset > clause.offset]
    return bool(after) and after[0].text.startswith("我")


def _candidate(run: list[Clause], facts: list[dict[str, Any]], said: Said) -> Candidate:
    start, end = run[0].offset, run[-1].offset + len(_HANGING.sub("", run[-1].text))
    return Candidate(
        type="profile",
        value={"subject": "user", "facts": facts},
        text=tidy(said.text[start:end]),
        rule=f"profile.{facts[0]['k']}",
        source=said.source,
        confidence=0.9,
        offset=start,
        length=end - start,
    )
