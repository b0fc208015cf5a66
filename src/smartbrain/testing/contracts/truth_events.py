"""The truth's contract: sessions and turns (E1), raw chunks (E2), calls and sources.

In: an adapter of `ports.truth`. Out: failed asserts where a turn of unknown text is taken, a chunk
that something leads to is dropped, or a name leads to another session.
"""

from __future__ import annotations

from msgspec.structs import replace

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.turn import (
    RawChunk,
    ToolCall,
    Turn,
)
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.clock import START
from smartbrain.testing.contracts import raised
from smartbrain.testing.contracts.truth_suite import (
    TruthSuite,
    minutes,
    reading,
    writing,
)

CHUNKS = tuple(map(builders.raw_chunk, ("第一段。", "second part", "第三 part 😀", "")))


class EventsContract(TruthSuite):
    """What was said and done, whole and in order."""

    def test_large_and_many_parts_survive(self, truth: Truth) -> None:
        """A turn of a thousand messages with a megabyte of meta is stored like any other."""
        chunks = [builders.raw_chunk(f"第 {n} 句 {'长' * 50}") for n in range(1000)]
        turn = builders.turn("长会话", 1, chunks, proposals={"facts": ["大" * 400_000]})
        builders.store_turn(writing(truth), turn, chunks)
        assert turn == reading(truth).events.turn(turn.id)

    def test_an_unknown_turn_is_not_found(self, truth: Truth) -> None:
        """Reading or extending it says so."""
        assert raised(lambda: reading(truth).events.turn("无")).code == "not_found"
        assert raised(writing(truth).events.extend_turn, builders.turn()).code == "not_found"

    def test_a_span_must_lead_to_a_held_chunk(self, truth: Truth) -> None:
        """A turn whose text is nowhere is refused."""
        turn = builders.turn("s", 1, CHUNKS[:1])
        assert raised(writing(truth).events.add_turns, [turn]).code == "not_found"

    def test_a_call_is_completed_in_its_place(self, truth: Truth) -> None:
        """How it ended replaces what was not known; the rest of the turn stays."""
        whole = _turn_with_calls()
        call = whole.tool_calls[0]
        begun = ToolCall(id=call.id, name=call.name, args=call.args)
        builders.store_turn(
            writing(truth), replace(whole, tool_calls=(begun, *whole.tool_calls[1:])), CHUNKS
        )
        writing(truth).events.complete_call(call)
        assert whole == reading(truth).events.turn(whole.id)
        again = raised(writing(truth).events.complete_call, call)
        assert again.code == "conflict"
        unknown = replace(call, id="无")
        assert raised(writing(truth).events.complete_call, unknown).code == "not_found"

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
        whole = _turn_with_calls()
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


def _turn_with_calls() -> Turn:
    spans = tuple(map(builders.span, CHUNKS))
    call = builders.tool_call(
        result_spans=spans[1:2], stdout_spans=spans[2:3], stderr_spans=spans[3:], exit_code=-9
    )
    said = (builders.message("m-1", *CHUNKS[:2]), builders.message("m-2", CHUNKS[0]))
    return builders.turn("会话 s", 4, messages=said, tool_calls=(call, builders.tool_call("c-2")))


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
