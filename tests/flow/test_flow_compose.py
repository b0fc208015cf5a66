"""Composing through the facade: slots, recipes, limits, traces, determinism, in two languages."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bench.request_tokens import count_request
from flow_builders import assistant, fake_brain, inside, user
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.evidence import (
    Evidence,
    EvidenceExplain,
    EvidencePack,
    EvidenceProvenance,
    Signals,
)
from smartbrain.domain.plan import QueryMode, RetrievalPlan
from smartbrain.errors import UsageError
from smartbrain.text.tokens import EstimatedTokens, estimate_tokens

TALK = (
    ("My sister Mara adopted a grey parrot called Pico.", "Lovely! How old is Pico?"),
    ("Pico is four. Mara lives in Lisbon now.", "Lisbon is a fine place for a parrot."),
    ("We decided to use PostgreSQL for the billing project.", "Noted: PostgreSQL for billing."),
    ("我妹妹住在成都，她养了一只叫豆豆的柯基。", "豆豆听起来很可爱！"),
    ("豆豆今年三岁，最喜欢吃苹果。", "记住了。"),
)


def told(path: Path, **config: Any) -> SmartBrain:
    """Open a brain that was told a few things in a session of long ago."""
    brain = fake_brain(path, **config)
    for said, answer in TALK:
        brain.commit_turn("long ago", [user(said), assistant(answer)])
    return brain


def within(package: ContextPackage, limit: int) -> bool:
    """Tell whether a context holds its limit as text and as messages of either provider."""
    counter = EstimatedTokens()
    sizes = [estimate_tokens(package.text())]
    sizes += [count_request(package.request(form), counter) for form in ("openai", "anthropic")]
    used = package.constraints.token_budget.used_estimate
    return max(*sizes, used) <= limit


class Documents:
    """Documents that answer every plan with the same evidence."""

    def __init__(self, *evidences: Evidence, ignored: tuple[str, ...] = ()) -> None:
        self.plans: list[RetrievalPlan] = []
        self._evidences = evidences
        self._ignored = ignored

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        """Return the evidence."""
        self.plans.append(plan)
        return EvidencePack(
            generated_at=datetime(2001, 1, 1, tzinfo=UTC),
            evidences=self._evidences,
            explain=EvidenceExplain(ignored_fields=self._ignored),
        )


def section(number: int, text: str, document: str = "d1", uri: str = "file:///a.md") -> Evidence:
    """Return a section of a document."""
    return Evidence(
        id=f"s{number}",
        document_id=document,
        section_id=f"{document}-{number}",
        title="Manual",
        source_uri=uri,
        snippet=text,
        signals=Signals(rrf_score=1.0 / number),
        provenance=EvidenceProvenance(mode=QueryMode.HYBRID),
    )


@pytest.mark.spec("R1", "R15", "R17")
@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Where does Mara live now?", "Mara lives in Lisbon now."),
        ("豆豆最喜欢吃什么？", "豆豆今年三岁，最喜欢吃苹果。"),
    ],
)
def test_a_question_brings_what_was_said_with_its_turn(
    tmp_path: Path, question: str, words: str
) -> None:
    """The words that answer stand in the evidence, under the address of their turn, dated."""
    with told(tmp_path) as brain:
        package = brain.compose_context("now", question)
        turns = {turn.id for turn in brain.sessions.turns("long ago")}
    (found,) = [one for one in package.evidence if words in one.snippet]
    assert found.source_uri.removeprefix("turn:") in turns
    assert found.at is not None
    assert words in package.text()
    assert {"role": "user", "content": question} == package.user_message


@pytest.mark.spec("R15")
def test_slots_come_in_their_order_with_titles(tmp_path: Path) -> None:
    """System, developer, recent turns, evidence and message follow each other."""
    with told(tmp_path) as brain:
        brain.commit_turn("now", [user("Hello there."), assistant("Hi.")])
        package = brain.compose_context(
            "now",
            "Where does Mara live?",
            {"system": "You are terse.", "developer": "Answer in JSON.", "tools": [{"name": "ls"}]},
        )
    text = package.text()
    marks = ("You are terse.", "Answer in JSON.", '"ls"', "Hello there.", "[E1]", "[User message]")
    places = [text.index(mark) for mark in marks]
    assert sorted(places) == places


@pytest.mark.spec("R16")
@pytest.mark.parametrize("limit", [200, 400, 1000])
def test_a_small_limit_is_held(tmp_path: Path, limit: int) -> None:
    """However little room there is, the limit holds and what was cut is told."""
    with told(tmp_path) as brain:
        for number in range(12):
            brain.commit_turn("now", [user(f"Step {number}. " * 40), assistant("Done. " * 60)])
        package = brain.compose_context("now", "Where does Mara live?", token_limit=limit)
    assert within(package, limit)
    assert package.debug.ignored


@pytest.mark.spec("R16")
def test_a_limit_below_the_message_names_the_least_that_works(tmp_path: Path) -> None:
    """What the caller says is never cut: the error names a limit with which it works."""
    with told(tmp_path) as brain:
        message = "Where does Mara live? " * 50
        with pytest.raises(UsageError) as refused:
            brain.compose_context("now", message, {"system": "Be kind."}, token_limit=100)
        least = int(refused.value.message.rsplit(" ", 1)[1])
        package = brain.compose_context("now", message, {"system": "Be kind."}, token_limit=least)
        with pytest.raises(UsageError):
            brain.compose_context("now", message, {"system": "Be kind."}, token_limit=least - 1)
    assert within(package, least)
    assert message in package.text()


texts = st.one_of(
    st.text(max_size=300),
    st.sampled_from(
        [
            "豆豆最喜欢吃苹果。" * 200,
            "🦜👩‍👩‍👧‍👦" * 150,
            "```python\n" + "x = {'a': [1, 2, 3]}\n" * 60 + "```",
            "=== [Evidence] ===\n[E1] x — y\n(mode=exact, score=1.00)\n" * 10,
            "Mara Pico Lisbon " * 400,
            "   \n\n\t " * 200,
            "a" * 5_000,
        ]
    ),
)


@pytest.mark.spec("R16")
def test_no_input_takes_a_context_over_its_limit(tmp_path: Path) -> None:
    """Whatever is said and asked, text and messages stay within any limit that works."""
    with told(tmp_path) as brain:
        brain.commit_turn("now", [user("🦜" * 400), assistant("```\n" + "code\n" * 300 + "```")])
        turn = brain.commit_turn(
            "now",
            {
                "messages": [user("List the files, 谢谢。"), assistant("I look.")],
                "tool_calls": [
                    {"id": "c1", "name": "ls", "args": {"p": "."}, "result": "f\n" * 900}
                ],
            },
        )
        brain.commit_turn("long ago", [user("以后都用中文回答。Never use emojis. I prefer tea.")])
        run = brain.runs.start("now", goal="修好它", slots={"log": "🦜 行 line " * 300, "env": 1})
        for number in range(9):
            brain.runs.update(run, decision={"text": f"d{number}", "detail": "因为 why " * 20})

        @settings(
            max_examples=25,
            deadline=None,
            database=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
        @given(
            texts,
            st.integers(64, 6_000),
            st.sampled_from(["standard", "chat", "tool_loop"]),
            st.booleans(),
            texts,
        )
        def holds(message: str, limit: int, recipe: str, open_turn: bool, system: str) -> None:
            try:
                message.encode(), system.encode()
                package = brain.compose_context(
                    "now",
                    message,
                    {"system": system},
                    recipe=recipe,
                    token_limit=limit,
                    turn_id=turn.turn_id if open_turn else None,
                    run_id=run if limit % 2 else None,
                )
            except (UsageError, UnicodeEncodeError):
                return
            assert within(package, limit)

        holds()


@pytest.mark.spec("R16")
def test_a_message_of_a_megabyte_is_refused_or_whole(tmp_path: Path) -> None:
    """A huge message is never cut: the default limit refuses it, a large one shows all of it."""
    message = "Mara and Pico 豆豆。" * 60_000
    with told(tmp_path) as brain:
        with pytest.raises(UsageError, match="at least"):
            brain.compose_context("now", message)
        package = brain.compose_context("now", message, token_limit=2_000_000)
    assert message in package.text()


@pytest.mark.spec("R18", "R15")
def test_a_tool_loop_does_not_grow(tmp_path: Path) -> None:
    """After thirty calls a step is shown no more than after five, and no output of the past."""
    sizes = []
    with told(tmp_path) as brain:
        turn = brain.commit_turn("loop", [user("Count the files.")]).turn_id
        for number in range(30):
            call = {"id": f"c{number}", "name": "ls", "args": {"n": number}}
            call |= {"result": f"output {number} " * 400}
            step = {"messages": [assistant(f"Step {number}.")], "tool_calls": [call]}
            brain.commit_turn("loop", step, turn_id=turn)
            package = brain.compose_context("loop", recipe="tool_loop", turn_id=turn)
            sizes.append(estimate_tokens(package.text()))
    assert package.tool_result is not None
    assert package.tool_result.truncated
    assert "output 29" in package.text()
    assert package.text().count("output 28") < 40
    assert 1 == package.text().count("Count the files.")
    assert max(sizes[5:]) <= max(sizes[:5]) * 1.05


@pytest.mark.spec("R15")
def test_chat_shows_no_tool_output_and_no_walls_of_code(tmp_path: Path) -> None:
    """In the chat window code of more than twenty lines is a reference, and tools leave nothing."""
    code = "```python\n" + "\n".join(f"line_{n} = {n}" for n in range(30)) + "\n```"
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn(
            "s",
            {
                "messages": [user("写一个脚本"), assistant(f"好的：\n{code}\n完成。")],
                "tool_calls": [{"id": "c", "name": "run", "args": {}, "result": "secret output"}],
            },
        ).turn_id
        chat = brain.compose_context("s", "继续", recipe="chat").text()
        standard = brain.compose_context("s", "继续").text()
    assert f"[code, 30 lines: artifact turn:{turn}]" in chat
    assert "line_7" not in chat
    assert "secret output" not in chat
    assert "line_7" in standard


@pytest.mark.spec("R15")
def test_a_recipe_of_ones_own_chooses_slots(tmp_path: Path) -> None:
    """A recipe of the configuration shows its slots alone; an unknown slot is refused by name."""
    own = {"recipes": {"bare": {"slots": ["evidence"], "recent_turns": 0}}}
    with told(tmp_path / "a", **own) as brain:
        brain.commit_turn("now", [user("Hello there."), assistant("Hi.")])
        package = brain.compose_context("now", "Where does Mara live?", recipe="bare")
        with pytest.raises(UsageError, match="standard, chat, tool_loop, bare"):
            brain.compose_context("now", "x", recipe="bar")
    assert () == package.recent_turns
    assert package.evidence
    with pytest.raises(UsageError, match="slots are system, developer"):
        fake_brain(tmp_path / "b", recipes={"bad": {"slots": ["evidense"]}})


@pytest.mark.spec("R11", "R13", "R17")
def test_documents_join_on_one_scale_within_their_caps(tmp_path: Path) -> None:
    """Documents are asked when the message wants them; of one document and source come few."""
    documents = Documents(
        *(section(n, f"Parrot care, part {n}.") for n in range(1, 7)),
        section(7, "Parrots in Lisbon.", "d2", "file:///b.md"),
        section(8, "Lisbon and its parrots.", "d2", "file:///b.md"),
        section(8, "Lisbon and its parrots.", "d2", "file:///b.md"),
        ignored=("global_filters.language",),
    )
    told(tmp_path).close()
    with SmartBrain.open(tmp_path, "t", resources=documents) as brain:
        package = brain.compose_context("now", "Look up the sources on Mara's parrot in Lisbon.")
        small_talk = brain.compose_context("now", "hi")
    found = [one for one in package.evidence if one.source == "resource"]
    by_uri = [
        sum(one.source_uri == uri for one in found) for uri in ("file:///a.md", "file:///b.md")
    ]
    assert [2, 2] == by_uri
    assert any(one.source == "memory" for one in package.evidence)
    assert all(0 <= one.score <= 1 for one in package.evidence)
    assert "asked" == package.debug.planner["resources"]["code"]
    assert "ignored_field" in {one.code for one in package.debug.ignored}
    assert 1 == len(documents.plans)
    assert "chit_chat" == small_talk.debug.planner["resources"]["code"]


@pytest.mark.spec("R17")
def test_a_turn_is_shown_once(tmp_path: Path) -> None:
    """What stands among the recent turns is not quoted as evidence as well."""
    with told(tmp_path) as brain:
        text = brain.compose_context("long ago", "豆豆喜欢吃什么？").text()
    assert 1 == text.count("豆豆今年三岁，最喜欢吃苹果。")


@pytest.mark.spec("S6")
def test_a_compose_leaves_a_trace_and_marks_what_was_shown(tmp_path: Path) -> None:
    """Plan, candidates, selection, budget and what was ignored are kept; shown memories are hit."""
    with told(tmp_path) as brain:
        package = brain.compose_context("now", "Where does Mara live?")
        brain._root.composing().flush()
        with inside(brain) as rows:
            trace = rows.working.trace(package.context_id)
            shown = rows.memories.get([one.id for one in package.evidence])
    assert trace is not None
    assert {"plan", "budget", "ignored", "why", "inputs"} <= set(trace.body)
    assert {"alone", "spoken", "known"} <= set(trace.body["inputs"])
    json.dumps(trace.to_dict())
    assert {package.created_at} == {one.last_access for one in shown.values()}


@pytest.mark.spec("S6")
def test_observability_settings_are_obeyed(tmp_path: Path) -> None:
    """Without traces none is stored; with few allowed, the oldest go."""
    with told(tmp_path / "a", policies={"observability": {"trace": False}}) as brain:
        package = brain.compose_context("now", "Mara?")
        brain._root.composing().flush()
        with inside(brain) as rows:
            assert rows.working.trace(package.context_id) is None
    few = {"observability": {"max_traces": 2, "store_plans": False, "store_contexts": False}}
    with told(tmp_path / "b", policies=few) as brain:
        made = []
        for n in range(4):
            made.append(brain.compose_context("now", f"Mara {n}?").context_id)
            brain._root.composing().flush()
        with inside(brain) as rows:
            kept = [rows.working.trace(one) for one in made]
    assert [False, False, True, True] == [one is not None for one in kept]
    assert kept[-1] is not None
    assert {"plan", "why_selected", "inputs"}.isdisjoint(kept[-1].body)


@pytest.mark.spec("R16")
def test_the_same_state_gives_the_same_context(tmp_path: Path) -> None:
    """Two brains told the same compose the same, but for ids and times."""
    texts = []
    for name in ("a", "b"):
        with told(tmp_path / name) as brain:
            first = brain.compose_context("now", "Where does Mara live?", token_limit=600)
            again = brain.compose_context("now", "Where does Mara live?", token_limit=600)
            assert first.text() == again.text()
            texts.append(first.text())
    assert texts[0] == texts[1]


@pytest.mark.spec("R16")
def test_the_budget_can_be_told_to_the_model(tmp_path: Path) -> None:
    """With `tell_budget` one line says how large the context may be."""
    with told(tmp_path, policies={"composition": {"tell_budget": True}}) as brain:
        assert "At most 900 tokens" in brain.compose_context("now", "Hi", token_limit=900).text()


@pytest.mark.spec("S6", "E1")
def test_what_was_shown_does_not_break_a_replay(tmp_path: Path) -> None:
    """Memories that were shown compare equal to those that the events make again."""
    with told(tmp_path) as brain:
        package = brain.compose_context("now", "豆豆喜欢吃什么？")
        brain._root.composing().flush()
        with inside(brain) as rows:
            shown = rows.memories.get([one.id for one in package.evidence])
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
    assert all(one.last_access for one in shown.values())
    assert () == report.differences
