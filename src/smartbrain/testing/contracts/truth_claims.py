"""The truth's contract: what was stated, by group and by turn, and which version it is in (K1).

In: an adapter of `ports.claims`. Out: failed asserts where a claim is lost, comes back otherwise
than it was made, counts when it should not, or is out of order.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import asdict, replace

from smartbrain.domain.candidate import Source
from smartbrain.domain.claim import Claim, ClaimStatus, Say
from smartbrain.domain.memory import Span
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import SHANGHAI, TruthSuite, minutes, read, write

CHUNK = builders.raw_chunk("我家在上海 🏠 I live in Shanghai")
TURN = builders.turn("会话", 1, [CHUNK])
LATER = builders.turn("会话", 2, at=minutes(5))


class ClaimsContract(TruthSuite):
    """Claims: stored as they were made, read in the order they arrived or were said in."""

    def make_with_turns(self, tmp_path: Path) -> Truth:
        """Return a truth with two turns and the operation that built claims may come from."""
        truth = self.make_with_source(tmp_path)
        with truth.write() as transaction:
            builders.store_turn(transaction, TURN, [CHUNK])
            transaction.events.add_turns([LATER])
        return truth

    def test_a_claim_comes_back_as_it_was_made(self, tmp_path: Path) -> None:
        """Every field, none of them as if nobody had set it; in any script, and with its offset."""
        truth = self.make_with_turns(tmp_path)
        full = claim(
            subject="小美 👧",
            relation="child",
            attribute="school",
            value={"名": "実験小学校", "n": 1.5, "ok": True, "none": None},
            say=Say.WRONG,
            when="2026-03-12",
            until=minutes(90),
            scope="家",
            topic="school_小学",
            because='so "they" said\n没错',
            fields={"subject": "小美", "value": ["a", 1]},
            detail={"corrects": True, "spoken": ["牛奶"]},
            message=0,
            message_id=TURN.messages[0].id,
            start=3,
            length=7,
            spans=(Span(CHUNK.id, 0, 6), Span(CHUNK.id, 9, 3)),
            said_at=minutes(7).astimezone(SHANGHAI),
            speaker="Ann 安",
            source=Source.TOOL,
            reader="finders/1",
            rule="facts.is",
            confidence=0.625,
            certainty=0.25,
            pii=True,
            status=ClaimStatus.CANDIDATE,
        )
        left = {"operation_id"}  # a claim is of a turn or of an operation
        plain = asdict(Claim(id="", group="", type="", said_at=minutes(0)))
        assert left == {name for name, value in asdict(full).items() if value == plain[name]}
        by_hand = claim(
            "手", turn_id=None, operation_id=builders.OPERATION, source=Source.OPERATION
        )
        write(truth, lambda one: one.claims.add([full, by_hand]))
        found = read(truth, lambda one: one.claims.in_groups([full.group]))
        assert [full, by_hand] == found
        assert full.said_at.utcoffset() == found[0].said_at.utcoffset()

    def test_a_claim_is_added_once(self, tmp_path: Path) -> None:
        """One that is there is left as it is, whatever else a second one of its id says."""
        truth = self.make_with_turns(tmp_path)
        first = claim("上海")
        for made in (first, first, replace(first, value="北京")):
            write(truth, lambda one, made: one.claims.add([made, made]), made)
        write(truth, lambda one: one.claims.add([]))
        assert [first] == read(truth, lambda one: one.claims.in_groups([first.group]))

    def test_claims_of_groups_come_in_the_order_of_arrival(self, tmp_path: Path) -> None:
        """Those that count or may count, of the groups that are asked for."""
        truth = self.make_with_turns(tmp_path)
        late, early, other = claim("b", minute=9), claim("a"), claim("c", group="facts:别的:x")
        out = [claim(one.value, status=one) for one in (ClaimStatus.REFUSED, ClaimStatus.REPLACED)]
        waits = claim("d", status=ClaimStatus.CANDIDATE)
        write(truth, lambda one: one.claims.add([late, early, other, *out, waits]))
        with truth.read() as rows:
            assert [late, early, waits] == rows.claims.in_groups([late.group, "facts:nobody:x"])
            assert [late, early, other, waits] == rows.claims.in_groups([late.group, other.group])
            assert rows.claims.in_groups([]) == []

    def test_claims_of_a_turn_come_in_the_order_of_its_words(self, tmp_path: Path) -> None:
        """Whatever their status; those of another turn or of an operation are not among them."""
        truth = self.make_with_turns(tmp_path)
        second, first = claim("2", message=1, start=4), claim("1", message=1, start=0)
        whole = claim("0", message=-1, status=ClaimStatus.REFUSED)
        others = [
            claim("later", turn_id=LATER.id),
            claim("手", turn_id=None, operation_id=builders.OPERATION),
        ]
        write(truth, lambda one: one.claims.add([second, first, whole, *others]))
        assert [whole, first, second] == read(truth, lambda one: one.claims.of_turn(TURN.id))
        assert read(truth, lambda one: one.claims.of_turn("没有")) == []

    def test_the_last_place_of_a_group_goes_by_when_it_was_said(self, tmp_path: Path) -> None:
        """By time, session and place; what does not count has none."""
        truth = self.make_with_turns(tmp_path)
        told = [
            claim("a", minute=5, place=2),
            claim("b", minute=5, place=3),
            claim("c", minute=1, place=9),
            claim("d", minute=9, status=ClaimStatus.REPLACED),
        ]
        group = told[0].group
        assert read(truth, lambda one: one.claims.last_place(group)) is None
        write(truth, lambda one: one.claims.add(told))
        assert (minutes(5), "会话", 3) == read(truth, lambda one: one.claims.last_place(group))

    def test_claims_are_part_of_versions(self, tmp_path: Path) -> None:
        """Assigned, moved and taken out; the last one said leads to the key of its memory."""
        truth = self.make_with_turns(tmp_path)
        early, late, loose = claim("a"), claim("b", minute=3), claim("c", minute=9)
        keys = ("fact:用户:市", "fact:user:市")
        one, other = (builders.memory(key) for key in keys)
        ids, group = [early.id, late.id, loose.id, "clm_none"], early.group
        with truth.write() as rows:
            rows.memories.add([one, other])
            rows.claims.add([early, late, loose])
            assert rows.claims.last_memory(group) is None
            rows.claims.assign({early.id: one.id, late.id: other.id, "clm_none": one.id})
        with truth.write() as rows:
            assert {early.id: one.id, late.id: other.id} == rows.claims.memories(ids)
            assert (keys[1], None) == tuple(map(rows.claims.last_memory, (group, "facts:nobody:x")))
            rows.claims.assign({late.id: None})
            assert {early.id: one.id} == rows.claims.memories(ids)
            assert keys[0] == rows.claims.last_memory(group)
            rows.claims.assign({})
            assert rows.claims.memories([]) == {}

    def test_a_status_decides_what_counts(self, tmp_path: Path) -> None:
        """The rest of the claim stays, and so does what it is part of."""
        truth = self.make_with_turns(tmp_path)
        one, other = claim("a"), claim("b")
        memory = builders.memory("fact:市:x")
        with truth.write() as rows:
            rows.memories.add([memory])
            rows.claims.add([one, other])
            rows.claims.assign({one.id: memory.id})
            rows.claims.set_status([one.id, "clm_none"], ClaimStatus.REPLACED)
        with truth.read() as rows:
            assert [other] == rows.claims.in_groups([one.group])
            replaced = replace(one, status=ClaimStatus.REPLACED)
            assert [replaced, other] == rows.claims.of_turn(TURN.id)
            assert {one.id: memory.id} == rows.claims.memories([one.id])

    def test_claims_are_deleted(self, tmp_path: Path) -> None:
        """Only those that are named; one that comes again is new."""
        truth = self.make_with_turns(tmp_path)
        one, other = claim("a"), claim("b")
        write(truth, lambda rows: rows.claims.add([one, other]))
        write(truth, lambda rows: rows.claims.delete([one.id, "clm_none"]))
        write(truth, lambda rows: rows.claims.delete([]))
        assert [other] == read(truth, lambda rows: rows.claims.in_groups([one.group]))
        write(truth, lambda rows: rows.claims.add([one]))
        assert [other, one] == read(truth, lambda rows: rows.claims.in_groups([one.group]))


def claim(value: object = "上海", minute: float = 0, **fields: object) -> Claim:
    """Build what the user says of their home in the first turn."""
    given: dict[str, object] = {
        "id": f"clm_{value}",
        "group": "facts:用户:home",
        "type": "facts",
        "attribute": "home",
        "value": value,
        "fields": {"subject": "user", "attribute": "home", "value": value},
        "text": "我家在上海 🏠",
        "turn_id": TURN.id,
        "session_id": "会话",
        "place": 1,
        "said_at": minutes(minute),
    }
    return Claim(**given | fields)  # type: ignore[arg-type]
