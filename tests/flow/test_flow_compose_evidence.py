"""How evidence shares its places: nothing twice, and no place left free that something could have.

In: facts beside the turns that say them, memories beside documents, in Chinese and English. Out:
each message once, and as many pieces as there are places for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.evidence import EvidencePack
from smartbrain.domain.plan import RetrievalPlan

ASKED = "Look up Bluetooth pairing, 给出来源 sources"
LIMIT = 1_535
"""The largest in tokens whose evidence is twelve items."""


@dataclass
class Shelf:
    """Sections of some documents, each document with one address."""

    sections: int
    documents: int

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        """Return all of them, the best first."""
        return EvidencePack.from_dict(
            {
                "version": "0.1",
                "generated_at": "2026-01-01T00:00:00Z",
                "evidences": [
                    {
                        "id": f"r{place}",
                        "kind": "chunk",
                        "document_id": f"d{place % self.documents}",
                        "section_id": f"s{place}",
                        "title": f"Bluetooth 蓝牙 {place}",
                        "source_uri": f"https://example.org/{place % self.documents}",
                        "source_type": "web",
                        "snippet": f"Bluetooth 蓝牙 pairing 配对, variant {place}.",
                        "signals": {"rerank_score": 0.9 - place / 100},
                        "metadata": {"chunk_index": place},
                    }
                    for place in range(self.sections)
                ],
            }
        )


def sources(package: ContextPackage) -> Counter[str]:
    """Return how many pieces each source brings."""
    return Counter(one.source.value for one in package.evidence)


@pytest.mark.spec("R17")
@pytest.mark.parametrize(
    "question",
    ["Look up how Bluetooth pairing works and cite sources.", "查一下蓝牙配对的规范，给出来源。"],
)
@pytest.mark.parametrize(
    ("sections", "documents", "sessions", "expected"),
    [
        (2, 1, 14, {"memory": 10, "resource": 2}),
        (20, 1, 14, {"memory": 10, "resource": 2}),  # two of an address, and the rest is memory's
        (20, 2, 14, {"memory": 8, "resource": 4}),
        (20, 2, 3, {"memory": 3, "resource": 4}),
        (20, 20, 1, {"memory": 1, "resource": 11}),
    ],
)
def test_places_that_one_source_cannot_use_are_the_others(
    tmp_path: Path,
    question: str,
    sections: int,
    documents: int,
    sessions: int,
    expected: dict[str, int],
) -> None:
    """More documents never mean less evidence; with enough of both each has its share."""
    shelf = Shelf(sections, documents)
    with SmartBrain.open(tmp_path, resources=shelf) as brain:
        brain.configure({"packet.floor": 0.0})  # a word that all memories hold tells nothing
        for place in range(sessions):
            said = user(f"Bluetooth 蓝牙 note {place}: pairing 配对 fails on device {place}.")
            brain.commit_turn(f"s{place}", [said, assistant("ok")])
        package = brain.compose_context("now", question, token_limit=LIMIT)
    assert expected == sources(package)


@pytest.mark.spec("R17")
def test_each_source_has_its_share_where_both_have_enough(tmp_path: Path) -> None:
    """What the other could use is not taken from it."""
    with SmartBrain.open(tmp_path, resources=Shelf(20, 20)) as brain:
        for place in range(14):
            said = user(f"Bluetooth 蓝牙 note {place}: pairing 配对 fails on device {place}.")
            brain.commit_turn(f"s{place}", [said, assistant("ok")])
        found = sources(brain.compose_context("now", ASKED, token_limit=LIMIT))
    assert 12 == found.total()
    assert min(found.values()) >= 2


@pytest.mark.spec("R13", "R17")
@pytest.mark.parametrize("limit", [None, 400])
@pytest.mark.parametrize(
    ("said", "questions"),
    [
        (
            "We decided to use PostgreSQL for the ledger service",
            ("Which database did we decide on?", "数据库用什么？"),
        ),
        (
            "我们决定账本服务用 PostgreSQL",
            ("账本服务用什么数据库？", "What did we decide? PostgreSQL?"),
        ),
        (
            "I need to send the invoice to Tom by Friday",
            ("What do I have to send to Tom?", "发票 invoice 要给谁？"),
        ),
        ("我要在周五之前把发票寄给汤姆", ("发票要寄给谁？", "周五之前要做什么？")),
    ],
)
def test_a_message_is_shown_once(
    tmp_path: Path, said: str, questions: tuple[str, str], limit: int | None
) -> None:
    """Not as a fact and as its turn; the reason is told."""
    more = {} if limit is None else {"token_limit": limit}
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("a", [user(said), assistant("Noted. 好的")])
        brain.commit_turn("a", [user("部署只能在周五 on Fridays"), assistant("记住了")])
        for question in questions:
            package = brain.compose_context("now", question, **more)
            shown = package.text()
            assert 1 == shown.count(said), shown
            told = [one for one in package.debug.ignored if one.code == "told_by_turn"]
            assert len({one.id for one in told}) == len(told)
            budget = package.constraints.token_budget
            assert budget.used_estimate <= budget.limit


@pytest.mark.spec("R13")
@pytest.mark.parametrize(
    ("said", "filler", "question"),
    [
        (
            "We decided to use PostgreSQL for the ledger service.",
            "The cafeteria had pancakes and everybody liked them a lot. ",
            "Which pancakes did everybody like in the cafeteria?",
        ),
        (
            "我们决定用 PostgreSQL 做账本服务的数据库。",
            "食堂今天有煎饼，大家都很喜欢吃。",
            "食堂的煎饼大家喜欢吗？账本呢？",
        ),
    ],
)
def test_a_fact_stays_where_what_is_shown_of_its_turn_lacks_it(
    tmp_path: Path, said: str, filler: str, question: str
) -> None:
    """A long message is cut around what was asked, and the fact may stand elsewhere in it."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("a", [user(f"{filler * 60}{said}"), assistant("ok")])
        package = brain.compose_context("now", f"{question} PostgreSQL ledger 账本服务?")
    shown = package.text()
    assert said.rstrip(".。") in shown


TOLD = {
    "en": [
        ("we moved to Lisbon last week", "How is it?", "where do I live now?"),
        ("my sister Priya marries on 14 November", "How lovely!", ""),
        ("billing goes with Postgres, the team said so", "That makes sense.", ""),
        ("no wait, billing stays on MySQL after all", "MySQL then.", ""),
        ("what would suit a second cat beside Miso?", "Udon, perhaps.", ""),
        ("Udon it is, she arrives on Sunday", "Welcome, Udon.", ""),
        ("I no longer live in Lisbon, we ended up in Porto", "Noted.", ""),
    ],
    "zh": [
        ("我们上周刚搬到成都，还在收拾", "习惯吗？", "我现在住在哪里？"),
        ("我妹妹小雅十一月十四号结婚", "恭喜！", ""),
        ("账单服务用 Postgres，团队已经定了", "挺合理。", ""),
        ("等等，账单服务还是继续用 MySQL", "那就 MySQL。", ""),
        ("给第二只猫起什么名字好，第一只叫年糕", "汤圆怎么样？", ""),
        ("就叫汤圆，周日接她回家", "欢迎汤圆。", ""),
        ("我不住成都了，后来去了重庆", "记下了。", ""),
    ],
}


@pytest.mark.spec("R17")
@pytest.mark.parametrize("lang", TOLD)
def test_a_session_is_quoted_in_the_order_it_was_said(lang: str, tmp_path: Path) -> None:
    """Also where it takes several pieces of evidence."""
    padding = " — " + ("and so on " if lang == "en" else "那天我们在楼下聊了很久才回家，") * 8
    said = []
    with fake_brain(tmp_path) as brain:
        for asked, answer, _ in TOLD[lang]:
            brain.commit_turn("told", [user(asked + padding), assistant(answer)])
            said += [asked, answer]
        package = brain.compose_context("asked", TOLD[lang][0][2])
    chat = [one for one in package.evidence if one.title == "chat"]
    quoted = "\n".join(one.snippet for one in chat)
    places = [quoted.find(words) for words in said]
    shown = [place for place in places if place >= 0]
    assert len(chat) > 1
    assert len(shown) >= 8
    assert shown == sorted(shown)
