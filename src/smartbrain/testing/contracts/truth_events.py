"""The truth's contract: sessions and turns (E1), raw chunks (E2), calls, sources and mentions.

In: an adapter of `ports.truth`. Out: failed asserts where a part of a turn is lost or out of order,
a count of who holds a chunk is wrong, a name leads to another session, or a mention counts by its
arrival.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Span
from smartbrain.domain.turn import (
    CallStatus,
    Message,
    RawChunk,
    RawTier,
    Ref,
    RefType,
    Role,
    Session,
    ToolCall,
    Turn,
)
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.clock import START
from smartbrain.testing.contracts import raised
from smartbrain.testing.contracts.truth_suite import (
    SHANGHAI,
    TruthSuite,
    left_at_default,
    minutes,
    reading,
    writing,
)

CHUNKS = tuple(map(builders.raw_chunk, ("第一段。", "second part", "第三 part 😀", "")))


class EventsContract(TruthSuite):
    """What was said and done, whole and in order."""

    def test_a_turn_comes_back_whole(self, truth: Truth) -> None:
        """Every field of a turn and its parts is kept; only text is left to its chunks."""
        turn = _full_turn()
        elsewhere = {"content", "result", "stdout", "stderr"}
        for record in (turn, *turn.messages, *turn.tool_calls, *turn.refs):
            assert left_at_default(record) <= elsewhere
        builders.store_turn(writing(truth), turn, CHUNKS)
        found = reading(truth).events.turn(turn.id)
        assert turn == found
        assert turn.at.utcoffset() == found.at.utcoffset()

    def test_a_bare_turn_comes_back_bare(self, truth: Truth) -> None:
        """Absent parts stay absent, and none of another turn slips in."""
        bare = builders.turn("s", 2)
        with truth.write() as transaction:
            builders.store_turn(transaction, _full_turn(), CHUNKS)
            transaction.events.add_turns([bare])
        assert bare == reading(truth).events.turn(bare.id)

    def test_any_json_survives_in_args_meta_and_proposals(self, truth: Truth) -> None:
        """Falsy, nested, huge and non-ASCII values are not mistaken for nothing."""
        values: list[Any] = [
            None,
            False,
            0,
            "",
            [],
            {},
            [[]],
            {"键": [1.5, None, "值 ✓"]},
            2**80,
            "\u0000x",
        ]
        calls = tuple(builders.tool_call(f"c{n}", args=value) for n, value in enumerate(values))
        nested = {"空": {}, "列表": values}
        turn = builders.turn(
            tool_calls=calls, messages=(builders.message("m", meta=nested),), proposals=nested
        )
        writing(truth).events.add_turns([turn])
        assert turn == reading(truth).events.turn(turn.id)

    def test_large_and_many_parts_survive(self, truth: Truth) -> None:
        """A turn of a thousand messages with a megabyte of meta is stored like any other."""
        chunks = [builders.raw_chunk(f"第 {n} 句 {'长' * 50}") for n in range(1000)]
        turn = builders.turn("长会话", 1, chunks, proposals={"facts": ["大" * 400_000]})
        builders.store_turn(writing(truth), turn, chunks)
        assert turn == reading(truth).events.turn(turn.id)

    def test_an_unknown_turn_is_not_found(self, truth: Truth) -> None:
        """Reading or extending it says so."""
        assert raised(lambda: reading(truth).events.turn("无")).code == "not_found"
        assert raised(writing(truth).events.extend_turn, _full_turn()).code == "not_found"

    def test_two_turns_cannot_take_one_place(self, truth: Truth) -> None:
        """The place in a session and every id belong to one turn."""
        writing(truth).events.add_turns([builders.turn("s", 1)])
        for twin in (builders.turn("s", 1, id="other"), builders.turn("s", 2, id="s/t1")):
            assert raised(writing(truth).events.add_turns, [twin]).code == "conflict"
        writing(truth).events.add_turns([builders.turn("另一个", 1)])
        assert truth.counts()["turns"] == 2

    def test_a_span_must_lead_to_a_held_chunk(self, truth: Truth) -> None:
        """A turn whose text is nowhere is refused."""
        turn = builders.turn("s", 1, CHUNKS[:1])
        assert raised(writing(truth).events.add_turns, [turn]).code == "not_found"

    def test_a_turn_grows_by_what_it_does_not_have(self, truth: Truth) -> None:
        """Extending appends the parts after the stored ones and takes the new proposals."""
        whole = _full_turn()
        start = replace(whole, messages=whole.messages[:1], tool_calls=(), refs=(), proposals={})
        builders.store_turn(writing(truth), start, CHUNKS)
        for step in (replace(whole, tool_calls=()), whole, whole):
            writing(truth).events.extend_turn(step)
            assert step == reading(truth).events.turn(whole.id)

    def test_a_call_is_completed_in_its_place(self, truth: Truth) -> None:
        """How it ended replaces what was not known; the rest of the turn stays."""
        whole = _full_turn()
        call = whole.tool_calls[0]
        begun = ToolCall(
            id=call.id, call_id=call.call_id, name=call.name, args=call.args, owner=call.owner
        )
        builders.store_turn(
            writing(truth), replace(whole, tool_calls=(begun, *whole.tool_calls[1:])), CHUNKS
        )
        writing(truth).events.complete_call(call)
        assert whole == reading(truth).events.turn(whole.id)
        again = raised(writing(truth).events.complete_call, call)
        assert again.code == "conflict"
        unknown = replace(call, id="无")
        assert raised(writing(truth).events.complete_call, unknown).code == "not_found"

    def test_turns_come_in_order_and_in_pages(self, truth: Truth) -> None:
        """By place in the session, however they were committed; `after` and `limit` page."""
        for seq in (3, 1, 5, 2):
            writing(truth).events.add_turns([builders.turn("s", seq)])
        writing(truth).events.add_turns([builders.turn("别的", 9)])

        def places(**page: int) -> list[int]:
            return [turn.seq for turn in reading(truth).events.turns("s", **page)]

        assert places() == [1, 2, 3, 5]
        assert places(limit=2) == [1, 2]
        assert places(after=2) == [3, 5]
        assert places(after=5) == []
        assert reading(truth).events.turns("unknown") == []

    def test_the_last_turn_is_the_one_at_the_last_place(self, truth: Truth) -> None:
        """Not the one committed last; a new session has none."""
        for seq in (2, 1):
            writing(truth).events.add_turns([builders.turn("会话", seq)])
        last = reading(truth).events.last_turn("会话")
        assert last is not None
        assert (last.seq, last.id) == (2, "会话/t2")
        assert last.at == reading(truth).events.turn("会话/t2").at
        assert reading(truth).events.last_turn("new") is None

    def test_sessions_tell_their_turns_and_times(self, truth: Truth) -> None:
        """From the first to the last turn by the turns' own times, last spoken in first."""
        for session, seq, at in (("早", 1, 5), ("late", 1, 7), ("早", 2, 1), ("late", 2, 9)):
            writing(truth).events.add_turns([builders.turn(session, seq, at=minutes(at))])
        early = Session(id="早", started_at=minutes(1), last_at=minutes(5), turns=2)
        late = Session(id="late", started_at=minutes(7), last_at=minutes(9), turns=2)
        assert [late, early] == [one for _, one in reading(truth).events.sessions()]
        ((place, first),) = reading(truth).events.sessions(limit=1)
        assert late == first
        rest = reading(truth).events.sessions(after=place)
        assert [early] == [one for _, one in rest]
        assert reading(truth).events.sessions(after=rest[0][0]) == []

    def test_a_session_ends_and_opens_again(self, truth: Truth) -> None:
        """Ending is kept until the next turn; an unknown session cannot end."""

        def ended() -> object:
            return reading(truth).events.sessions()[0][1].ended_at

        writing(truth).events.add_turns([builders.turn("s", 1)])
        assert ended() is None
        writing(truth).events.end_session("s", minutes(3))
        assert minutes(3) == ended()
        writing(truth).events.add_turns([builders.turn("s", 2)])
        assert ended() is None
        error = raised(writing(truth).events.end_session, "无此会话", START)
        assert error.code == "not_found"


class RawChunksContract(TruthSuite):
    """Original content, kept once and counted."""

    def test_a_chunk_comes_back_whole(self, truth: Truth) -> None:
        """In the database or in a file, every field is kept; the count is the truth's own."""
        small = builders.raw_chunk(mime="text/markdown", tier=RawTier.COLD, stored_at=minutes(5))
        large = builders.raw_chunk(
            "大", path="raw/2026/03/09/ab/大.blob.zst", tier=RawTier.ARCHIVED
        )
        assert {"path", "held"} == left_at_default(small)
        assert {"body", "held", "mime"} == left_at_default(large)
        writing(truth).raw.hold([small, large])
        expected = {chunk.id: replace(chunk, held=1) for chunk in (small, large)}
        assert expected == reading(truth).raw.get([small.id, large.id, "raw_none"])

    def test_equal_content_is_kept_once_and_counted(self, truth: Truth) -> None:
        """Holding again, in the same call or later, only raises the count."""
        chunk = builders.raw_chunk("同样的 same")
        writing(truth).raw.hold([chunk, chunk])
        writing(truth).raw.hold([replace(chunk, stored_at=minutes(9), mime="x/y")])
        assert replace(chunk, held=3) == _chunk(truth, chunk)
        assert truth.counts()["raw_chunks"] == 1

    def test_releasing_lowers_the_count_to_zero_and_no_further(self, truth: Truth) -> None:
        """Releasing what is not held often enough is refused whole, whatever else was asked."""
        twice, once = builders.raw_chunk("二"), builders.raw_chunk("一")
        writing(truth).raw.hold([twice, twice, once])
        writing(truth).raw.release([twice.id])
        for wrong in ([once.id, twice.id, twice.id], [once.id, "raw_none"]):
            assert raised(writing(truth).raw.release, wrong).code == "conflict"
            assert [_chunk(truth, chunk).held for chunk in (twice, once)] == [1, 1]
        writing(truth).raw.release([twice.id, once.id])
        assert [_chunk(truth, chunk).held for chunk in (twice, once)] == [0, 0]
        assert raised(writing(truth).raw.release, [once.id]).code == "conflict"

    def test_an_unheld_chunk_can_be_held_again(self, truth: Truth) -> None:
        """Until it is dropped it is still there."""
        chunk = builders.raw_chunk()
        writing(truth).raw.hold([chunk])
        writing(truth).raw.release([chunk.id])
        writing(truth).raw.hold([chunk])
        assert writing(truth).raw.drop_unheld() == []
        assert _chunk(truth, chunk).held == 1

    def test_dropping_takes_what_nobody_holds(self, truth: Truth) -> None:
        """Unheld chunks leave the catalogue, are returned once, and can come back."""
        kept, gone = builders.raw_chunk("留"), builders.raw_chunk("去", path="raw/x")
        writing(truth).raw.hold([kept, gone])
        writing(truth).raw.release([gone.id])
        assert [gone] == writing(truth).raw.drop_unheld()
        assert writing(truth).raw.drop_unheld() == []
        assert {kept.id} == set(reading(truth).raw.get([kept.id, gone.id]))
        writing(truth).raw.hold([gone])
        assert _chunk(truth, gone).held == 1

    def test_dropping_spares_what_a_memory_or_an_edge_leads_to(self, truth: Truth) -> None:
        """A way back to the original is never cut, even where nobody holds the chunk."""
        told, linked, loose = map(builders.raw_chunk, ("引用", "linked", "loose"))
        memory = builders.memory(raw_refs=(builders.span(told),))
        with truth.write() as transaction:
            transaction.raw.hold([told, linked, loose])
            transaction.memories.add([memory])
            edge = builders.edge(memory.id, linked.id, EdgeType.DERIVED_FROM)
            transaction.edges.add([edge])
            transaction.raw.release([told.id, linked.id, loose.id])
        assert [loose] == writing(truth).raw.drop_unheld()
        assert self.owned(memory) == reading(truth).memories.active("facts", memory.key)
        assert truth.check() == []

    def test_paths_list_every_file(self, truth: Truth) -> None:
        """By path, held or not; what lies in the database is not among them."""
        files = [builders.raw_chunk(f"文件 {n}", path=f"raw/{n}") for n in range(3)]
        writing(truth).raw.hold([*files, builders.raw_chunk("inline")])
        writing(truth).raw.release([files[1].id])
        held = {"raw/0": 1, "raw/1": 0, "raw/2": 1}
        found = reading(truth).raw.paths()
        assert held == {path: chunk.held for path, chunk in found.items()}
        assert set(found.values()) == {replace(one, held=held[one.path or ""]) for one in files}

    def test_the_turns_of_a_chunk_are_found(self, truth: Truth) -> None:
        """In messages and in every output, each turn once, in order; other chunks are left out."""
        whole = _full_turn()
        bare = builders.turn("s", 1, CHUNKS[:2])
        with truth.write() as transaction:
            builders.store_turn(transaction, whole, CHUNKS)
            builders.store_turn(transaction, bare, CHUNKS[:2])
        names = [chunk.id for chunk in CHUNKS]
        full = (whole.session_id, whole.seq)
        both = [full, ("s", 1)]
        expected = dict(zip(names, (both, both, [full], [full]), strict=True))
        assert expected == reading(truth).raw.turns_with([*names, "raw_无"])
        assert [names[2]] == list(reading(truth).raw.turns_with(names[2:3]))

    def test_a_large_body_survives(self, truth: Truth) -> None:
        """Megabytes of any bytes come back exactly."""
        body = bytes(range(256)) * 12_000
        chunk = builders.raw_chunk(length=len(body), body=body)
        writing(truth).raw.hold([chunk])
        assert body == _chunk(truth, chunk).body


def _full_turn() -> Turn:
    spans = [Span(chunk.id, 0, chunk.length) for chunk in CHUNKS]
    return Turn(
        id="轮-1",
        session_id="会话 s",
        seq=4,
        at=(START + timedelta(microseconds=1)).astimezone(SHANGHAI),
        run_id="run-1",
        context_id="ctx-1",
        rules_hash="0f" * 16,
        messages=(
            Message(
                id="m-1",
                role=Role.USER,
                name="小明",
                external_id="外部-1",
                model="none",
                meta={"语言": "zh"},
                spans=(spans[0], replace(spans[1], offset=2, length=3)),
            ),
            Message(
                id="m-2",
                role=Role.ASSISTANT,
                name="bot",
                external_id="x",
                model="m",
                meta={"n": [1, 2.5]},
                spans=(spans[0],),
            ),
        ),
        tool_calls=(
            ToolCall(
                id="c-1",
                name="shell",
                call_id="call_1",
                args=["ls", "目录"],
                status=CallStatus.ERROR,
                exit_code=-9,
                result_json=True,
                result_spans=(spans[1],),
                stdout_spans=(spans[2], spans[2]),
                stderr_spans=(spans[3],),
                owner="dog",
            ),
        ),
        refs=(
            Ref(
                id="r-1",
                ref_type=RefType.URL,
                ref_uri="https://例子.测试/a",
                ref_meta={"t": "标题"},
            ),
        ),
        proposals={"facts": [{"subject": "用户", "attribute": "城市", "value": "上海"}]},
        created_at=minutes(1),
    )


def _chunk(truth: Truth, chunk: RawChunk) -> RawChunk:
    return reading(truth).raw.get([chunk.id])[chunk.id]


_CHUNK = builders.raw_chunk("输出 output")


class CallsContract(TruthSuite):
    """The runs of tools, wherever they were committed."""

    def test_a_call_is_found_by_its_id(self, truth: Truth) -> None:
        """As it is in its turn, with that turn and its session; an unknown id has none."""
        call = builders.tool_call("c-1", _CHUNK, owner="dog", exit_code=3)
        turn = builders.turn("会话", 1, tool_calls=(call,))
        builders.store_turn(writing(truth), turn, [_CHUNK])
        found = reading(truth).calls.get("c-1")
        assert found is not None
        assert (call, "会话", turn.id) == (found.call, found.session_id, found.turn_id)
        assert turn.created_at == found.created_at
        assert reading(truth).calls.get("c-2") is None

    def test_a_call_is_found_by_the_id_of_its_caller(self, truth: Truth) -> None:
        """Of several the latest; an id of ours goes first."""
        for seq, (name, given) in enumerate((("c-1", "k"), ("c-2", "k"), ("c-3", "c-1")), 1):
            call = replace(builders.tool_call(name), call_id=given)
            builders.store_turn(writing(truth), builders.turn("s", seq, tool_calls=(call,)), [])
        found = [reading(truth).calls.get(given) for given in ("k", "c-1")]
        assert [one.call.id for one in found if one is not None] == ["c-2", "c-1"]

    def test_calls_come_newest_first_in_pages(self, truth: Truth) -> None:
        """The last turn first, its last call first; pages join without a gap or a repeat."""
        for seq, session in enumerate(("s", "t", "s"), 1):
            calls = tuple(builders.tool_call(f"c-{seq}{letter}") for letter in "ab")
            with truth.write() as transaction:
                turn = builders.turn(session, seq, tool_calls=calls)
                builders.store_turn(transaction, turn, [])
        assert _names(truth) == ["c-3b", "c-3a", "c-2b", "c-2a", "c-1b", "c-1a"]
        assert _names(truth, session_id="s") == ["c-3b", "c-3a", "c-1b", "c-1a"]
        assert _names(truth, turn_id=turn.id) == ["c-3b", "c-3a"]
        first = reading(truth).calls.page(limit=4)
        rest = reading(truth).calls.page(before=first[-1][0], limit=4)
        assert _names(truth) == [stored.call.id for _, stored in (*first, *rest)]


def _names(truth: Truth, session_id: str | None = None, turn_id: str | None = None) -> list[str]:
    found = reading(truth).calls.page(session_id=session_id, turn_id=turn_id, limit=100)
    return [stored.call.id for _, stored in found]


class SourcesContract(TruthSuite):
    """Lookups by names that callers write down."""

    def test_a_name_leads_to_its_session(self, truth: Truth) -> None:
        """Turns, messages, calls by either id, refs by their address; nothing else."""
        chunk = builders.raw_chunk()
        made = builders.turn(
            messages=(builders.message("m-7", chunk),),
            tool_calls=(replace(builders.tool_call("c-7"), call_id="调用"),),
            refs=(builders.ref("r-7", ref_uri="file:///源.txt"),),
        )
        builders.store_turn(writing(truth), made, [chunk])
        sources, session = reading(truth).sources, made.session_id
        said = [sources.said_in(name) for name in (made.id, "m-7", "c-7", "nobody")]
        called = [sources.called_in(name) for name in ("c-7", "调用", "m-7", "nobody")]
        assert [session, session, None, None] == said == called
        assert (session, None) == tuple(map(sources.referred_in, ("file:///源.txt", "r-7")))

    def test_turns_are_found_by_the_ends_of_their_ids(self, truth: Truth) -> None:
        """Two are enough to tell that an end is not one of a kind; of what is old there is none."""
        for number, name in enumerate(("a-123456", "b-123456", "回合-abc", "c-123456", "d-%3456")):
            chunk = builders.raw_chunk(f"说了 {number}")
            made = builders.turn(seq=number + 1, chunks=[chunk], id=name)
            builders.store_turn(writing(truth), made, [chunk])
        asked = ("123456", "合-abc", "c-123456", "%3456", "_23456", "nobody")
        ending = reading(truth).sources.turns_ending
        found = [[ending(end, within=most) for end in asked] for most in (9, 2)]
        assert found == [
            [["c-123456", "b-123456"], ["回合-abc"], ["c-123456"], ["d-%3456"], [], []],
            [["c-123456"], [], ["c-123456"], ["d-%3456"], [], []],
        ]


class MentionsContract(TruthSuite):
    """Mentions of entities by turns."""

    def test_places_of_mentions_go_by_the_times_of_turns(self, truth: Truth) -> None:
        """Whatever place a turn has by its arrival; those too far away do not count."""
        entity, stranger = builders.memory("fact:它:x"), builders.memory("fact:stranger:x")
        writing(truth).memories.add([entity, stranger])
        for place, minute in ((1, 9), (2, 3), (3, 6), (4, 0)):
            mention(truth, "会话", place, entity, minute)
        ids, turn = [entity.id, stranger.id], builders.turn("会话", 3).id

        def near(turns: int) -> list[int]:
            found = reading(truth).mentions.places(ids, turn, turns=turns)
            assert not found.get(stranger.id)
            return sorted(found.get(entity.id, []))

        assert near(20) == [-2, -1, 1]
        assert near(2) == [-1, 1]
        assert near(1) == []
        assert reading(truth).mentions.places(ids, "nobody", turns=20) == {}

    def test_active_entities_around_a_turn_are_found(self, truth: Truth) -> None:
        """Those that only the turn itself or one too far away mentions are not among them."""
        near, own, far, waits = (
            builders.memory(f"entity:object:{name}", type="entities", status=status)
            for name, status in (("近", "active"), ("own", "active"), ("far", "active"),
                                 ("waits", "candidate"))
        )  # fmt: skip
        writing(truth).memories.add([near, own, far, waits])
        for place, entity in enumerate((far, near, own, waits), 1):
            mention(truth, "会话", place, entity, place)
        turn = builders.turn("会话", 3).id
        found = reading(truth).mentions.named_around(turn, turns=2)
        assert [near.key] == found

    def test_an_entity_is_frequent_by_the_times_of_turns(self, truth: Truth) -> None:
        """So many mentions in so many turns in a row, of one session."""
        entity, other = builders.memory("fact:它:x"), builders.memory("fact:other:x")
        writing(truth).memories.add([entity, other])
        for place, (minute, named) in enumerate(((9, entity), (0, entity), (4, other)), 1):
            mention(truth, "会话", place, named, minute)
        mention(truth, "elsewhere", 1, other, 4)

        def frequent(one: Memory, times: int, turns: int) -> bool:
            return reading(truth).mentions.is_frequent(one.id, times=times, turns=turns)

        assert frequent(entity, 2, 3)
        assert not frequent(entity, 2, 2)
        assert not frequent(entity, 3, 20)
        assert not frequent(other, 2, 20)
        assert frequent(other, 1, 1)

    def test_mentions_count_turns_of_one_session(self, truth: Truth) -> None:
        """Only the last ones, each once; another session's do not count."""
        entity, stranger = builders.memory("fact:它:x"), builders.memory("fact:stranger:x")
        writing(truth).memories.add([entity, stranger])
        for place in (1, 2, 3, 4):
            mention(truth, "会话", place, entity)
        mention(truth, "other", 1, entity)
        ids = [entity.id, stranger.id]

        def counted(session: str, turns: int) -> dict[str, int]:
            return reading(truth).mentions.counted(ids, session, turns=turns)

        assert counted("会话", 20) == {entity.id: 4, stranger.id: 0}
        assert counted("会话", 3) == {entity.id: 3, stranger.id: 0}
        assert counted("other", 20) == {entity.id: 1, stranger.id: 0}
        assert counted("nobody", 20) == {}

    def test_mentions_leave_out_the_turn_that_is_written(self, truth: Truth) -> None:
        """A turn that comes in several steps does not count for itself."""
        entity = builders.memory("fact:它:x")
        writing(truth).memories.add([entity])
        for place in (1, 2):
            mention(truth, "会话", place, entity)
        last = builders.turn("会话", 2).id
        found = reading(truth).mentions.counted([entity.id], "会话", turns=20, without=last)
        assert found == {entity.id: 1}


def mention(truth: Truth, session: str, place: int, entity: Memory, minute: int = 0) -> None:
    """Store a turn that was said at a minute, and that mentions an entity."""
    turn = builders.turn(session, place, at=minutes(minute))
    key = f"episode:{session}:{turn.id}"
    episode = builders.memory(key, type="episodes", source_turn_id=turn.id)
    with truth.write() as transaction:
        transaction.events.add_turns([turn])
        transaction.memories.add([episode])
        transaction.edges.add([builders.edge(episode.id, entity.id, EdgeType.MENTIONS)])
