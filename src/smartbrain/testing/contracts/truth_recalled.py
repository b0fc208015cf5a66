"""The truth's contract: what recall reads, rows and numbers, a statement a question (R3).

In: an adapter of `ports.truth`. Out: failed asserts where a deleted row comes back, a version is
missing, an order is another one, or a count goes on too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from msgspec.structs import replace

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Compression, Memory, Sentiment, Status
from smartbrain.domain.recalled import RawRef, Replaced
from smartbrain.domain.turn import Role
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.clock import START
from smartbrain.testing.contracts.truth_followed import NOBODY, numbers_of
from smartbrain.testing.contracts.truth_suite import SHANGHAI, TruthSuite, minutes, reading, writing


class RecalledContract(TruthSuite):
    """Reads of the recall path."""

    def test_a_recalled_row_has_what_ranking_and_showing_need(self, truth: Truth) -> None:
        """Place in the session, speaker, weights, validity and originals by number."""
        chunk = builders.raw_chunk("张三说：我住在上海。I live in Shanghai.")
        said = builders.message("m-1", chunk, role=Role.USER, name="张三")
        turn = builders.turn("会话", 1, messages=(said,))
        memory = builders.memory(
            source_turn_id=turn.id,
            source_message_id="m-1",
            entities=("上海", "Shanghai"),
            raw_refs=(builders.span(chunk),),
            sentiment=Sentiment(valence=0.1, arousal=0.7),
            importance=0.8,
            frequency=3,
            valid_since=minutes(1),
            valid_until=minutes(9),
            said_at=minutes(2).astimezone(SHANGHAI),
            compression=Compression.PHASE,
        )
        with truth.write() as transaction:
            transaction.raw.hold([chunk])
            transaction.events.add_turns([turn])
            transaction.memories.add([memory])
        (num,) = numbers_of(truth, [memory])
        (raw,) = reading(truth).followed.numbers([chunk.id]).values()
        (row,) = reading(truth).recalled.rows([num])
        assert (num, memory.id, memory.type, memory.key) == row[:4]
        assert (memory.title, memory.text, memory.value) == (row.title, row.text, row.value)
        assert (row.entities, row.speakers) == (("上海", "Shanghai"), ("张三",))
        assert (turn.id, "会话", 1) == (row.source_turn_id, row.session_id, row.seq)
        assert (row.importance, row.frequency, row.arousal, row.feedback) == (0.8, 3, 0.7, 0.0)
        assert (minutes(1), minutes(9)) == (row.valid_since, row.valid_until)
        assert (memory.said_at, SHANGHAI.utcoffset(None)) == (row.said_at, row.said_at.utcoffset())
        assert (row.status, row.compression, row.version) == (Status.ACTIVE, Compression.PHASE, 1)
        sessions = reading(truth).recalled.sessions([row.num])
        assert {row.num: row.session_id} == sessions
        assert (RawRef(raw, 0, chunk.length),) == row.raw_refs

    def test_a_memory_moves_with_what_it_is_read_from(self, truth: Truth) -> None:
        """Its place is that of the turn it names now, its speaker that of the message."""
        chunk = builders.raw_chunk("我住在上海。")
        turns = [
            builders.turn(session, 1, messages=(builders.message(f"m-{name}", chunk, name=name),))
            for session, name in (("会话", "张三"), ("other", "Tom"))
        ]
        first, later = turns
        memory = builders.memory(source_turn_id=first.id, source_message_id="m-张三")
        with truth.write() as transaction:
            transaction.raw.hold([chunk, chunk])
            transaction.events.add_turns(turns)
            transaction.memories.add([memory])
        nums = numbers_of(truth, [memory])
        for message in ("m-Tom", None):
            moved = replace(memory, source_turn_id=later.id, source_message_id=message)
            writing(truth).memories.update(moved)
            (row,) = reading(truth).recalled.rows(nums)
            assert (row.source_turn_id, row.session_id, row.seq) == (later.id, "other", 1)
            assert row.speakers == (("Tom",) if message else ())

    def test_a_memory_put_by_hand_has_no_place(self, truth: Truth) -> None:
        """No turn, no session, nobody who said it."""
        by_hand = builders.memory()
        writing(truth).memories.add([by_hand])
        nums = numbers_of(truth, [by_hand])
        (row,) = reading(truth).recalled.rows(nums)
        assert (
            row.source_turn_id,
            row.session_id,
            row.seq,
            row.speakers,
            row.raw_refs,
        ) == (None, None, None, (), ())

    def test_an_episode_is_said_by_all_who_speak_in_it(self, truth: Truth) -> None:
        """In the order in which they begin to speak."""
        (episode,) = _tell(truth, "s", [0], speakers=["李雷", "assistant"])
        nums = numbers_of(truth, [episode])
        (row,) = reading(truth).recalled.rows(nums)
        assert row.speakers == ("李雷", "assistant")

    def test_feedback_is_one_number(self, truth: Truth) -> None:
        """A pin is the most there is, votes weigh less the more there are, downvotes go below 0."""
        given = {
            "fact:a:pinned": (0, 0, True),
            "fact:b:liked": (1, 0, False),
            "fact:c:loved": (9, 0, False),
            "fact:d:both": (2, 2, False),
            "fact:e:disliked": (0, 3, False),
        }
        memories = [builders.memory(key) for key in given]
        with truth.write() as transaction:
            transaction.memories.add(memories)
            for memory, (up, down, pinned) in zip(memories, given.values(), strict=True):
                body = {"up": up, "down": down, "pinned": pinned}
                entry = builders.state_entry(memory.id, kind="feedback", body=body)
                transaction.working.put_state(entry)
        nums = numbers_of(truth, memories)
        found = [row.feedback for row in reading(truth).recalled.rows(nums)]
        pin, liked, loved, both, disliked = found
        assert 1.0 == pin > loved > liked > both == 0.0 > disliked > -1.0

    def test_procedures_that_stand_are_those_of_the_domain(self, truth: Truth) -> None:
        """However many newer ones others have, and however it is spelled; other types are whole."""
        spelled = ("RAG debug", "rag_debug", "部署 上线")
        old = [
            builders.memory(f"case:x:{n}", type="cases", value={"domain": domain})
            for n, domain in enumerate(spelled)
        ]
        newer = [
            builders.memory(f"{kind[:-1]}:w:{n}", type=kind, value={"domain": "写作"})
            for n in range(5)
            for kind in ("cases", "patterns")
        ]
        unnamed = builders.memory("case:x:unnamed", type="cases", value={})
        goal = builders.memory("goal:目标:一", type="goals", value={"domain": "写作"})
        writing(truth).memories.add([*old, *newer, unnamed, goal])
        types = ("cases", "patterns", "goals")

        def found(domain: str | None) -> set[str]:
            rows = reading(truth).recalled.standing(types, limit=2, domain=domain)
            return {row.id for row in rows}

        assert {old[0].id, old[1].id, goal.id} == found("Rag-Debug")
        assert {old[2].id, goal.id} == found("部署上线")
        assert {one.id for one in newer[-4:]} | {goal.id} == found("写作")
        assert {goal.id} == found("没有")
        assert unnamed.id in found(None)

    def test_what_was_told_and_replaced_names_what_stands(self, truth: Truth) -> None:
        """In the order it was stored; not what stands itself, is deleted, or nothing replaces."""
        turn = builders.turn("会话", 1)
        told = partial(builders.memory, source_turn_id=turn.id)
        old = told(status=Status.SUPERSEDED, text="住在北京", value={"v": "北京"})
        wrong = told(version=2, status=Status.RETRACTED)
        gone = told(version=3, status=Status.SUPERSEDED, deleted_at=minutes(9))
        now = told(version=4, value={"v": "Munich"})
        alone = told("fact:other:key", status=Status.SUPERSEDED)
        with truth.write() as transaction:
            transaction.events.add_turns([turn])
            transaction.memories.add([old, wrong, gone, now, alone])
        (stands,) = numbers_of(truth, [now])
        first, second = reading(truth).recalled.replaced([turn.id, "no such turn"])
        assert first == Replaced(turn.id, "住在北京", {"v": "北京"}, stands, {"v": "Munich"})
        assert (second.text, second.num) == (wrong.text, stands)
        assert reading(truth).recalled.replaced([]) == []

    def test_what_has_no_keywords_is_known_by_its_key_and_title(self, truth: Truth) -> None:
        """English words whole, Chinese ones anywhere; not where it has keywords of its own."""
        memories = [
            builders.memory("fact:invoice_system:port", title="Invoice system, port: 8443"),
            builders.memory("pref:other:喝绿茶", type="preferences", title="other — 喝绿茶"),
            builders.memory("fact:report:author", title="report — author: Anna"),
            builders.memory("fact:port:city", title="port — city", keywords=("harbour",)),
        ]
        writing(truth).memories.add(memories)
        port, tea, report, _ = numbers_of(truth, memories)
        with truth.read() as rows:
            assert [port] == rows.recalled.labelled(["port"], limit=9)
            assert [port] == rows.recalled.labelled(["System"], limit=9)
            assert [tea] == rows.recalled.labelled(["绿茶"], limit=9)
            assert [report, tea] == rows.recalled.labelled(["绿茶", "anna"], limit=9)
            assert rows.recalled.labelled(["auth", "_", "红茶"], limit=9) == []

    def test_a_chunk_is_told_by_its_newest_active_episodes(self, truth: Truth) -> None:
        """Not by facts that rest on it, nor by episodes that do not stand; not more than asked."""
        told, silent = builders.raw_chunk("原文一"), builders.raw_chunk("nobody tells it")
        first, second, third, fourth = _tell(truth, "s", range(4))
        fact = builders.memory()
        with truth.write() as transaction:
            transaction.raw.hold([told, silent])
            transaction.memories.add([fact])
            transaction.edges.add(
                [
                    *(
                        builders.edge(one.id, told.id, EdgeType.DERIVED_FROM)
                        for one in (fact, first, second, third, fourth)
                    ),
                    builders.edge(second.id, silent.id, EdgeType.ABOUT),
                ]
            )
            transaction.memories.update(_put_away(third))
        numbers = reading(truth).followed.numbers([told.id, silent.id])
        one, two, _, four = numbers_of(truth, [first, second, third, fourth])
        asked = [*numbers.values(), NOBODY]
        with truth.read() as rows:
            assert {numbers[told.id]: (four, two, one)} == rows.recalled.told_by(asked, most=9)
            assert {numbers[told.id]: (four, two)} == rows.recalled.told_by(asked, most=2)

    def test_each_original_of_a_turn_is_said_by_somebody(self, truth: Truth) -> None:
        """By name, else by role; not where two say the same, nor where nobody speaks."""
        asked, answered, both, printed = (
            builders.raw_chunk(text) for text in ("在哪里？", "In Hangzhou.", "ok 好", "exit 0")
        )
        messages = (
            builders.message("m-1", asked, both, name="张三"),
            builders.message("m-2", answered, both, role=Role.ASSISTANT, name=None),
        )
        call = builders.tool_call("c-1", printed)
        turn = builders.turn("会话", 1, messages=messages, tool_calls=(call,))
        builders.store_turn(writing(truth), turn, [asked, both, answered, both, printed])
        wanted = [asked.id, answered.id, both.id, printed.id]
        numbers = reading(truth).followed.numbers(wanted)
        with truth.read() as rows:
            said = {turn.id: {numbers[asked.id]: "张三", numbers[answered.id]: "assistant"}}
            assert said == rows.recalled.said_by([turn.id, "no-turn"])
            assert rows.recalled.said_by([]) == {}


def _tell(
    truth: Truth, session: str, at: Sequence[int], speakers: Sequence[str] = ("user",)
) -> list[Memory]:
    turns = [
        builders.turn(session, seq, at=START + timedelta(minutes=minute))
        for seq, minute in enumerate(at, 1)
    ]
    episodes = [
        builders.memory(
            f"episode:{session}:{turn.id}",
            type="episodes",
            source_turn_id=turn.id,
            said_at=turn.at,
            value={"session": session, "turn": turn.id, "speakers": list(speakers)},
        )
        for turn in turns
    ]
    with truth.write() as transaction:
        transaction.events.add_turns(turns)
        transaction.memories.add(episodes)
    return episodes


def _put_away(memory: Memory) -> Memory:
    return replace(memory, status=Status.ARCHIVED)
