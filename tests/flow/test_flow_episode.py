"""What a turn leaves behind: original text once, one episode, and the edges between them.

In: committed turns. Out: raw chunks and how often they are held, episodes, chunk texts, edges.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from flow_builders import assistant, episode_of, fake_brain, inside, user

from smartbrain import SmartBrain
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.turn import RawChunk
from smartbrain.text.sentences import split_chunks

SENTENCES = (
    "我们决定采用 SQLite 作为存储。",
    "Everything else is derived and can be rebuilt.",
    "下一步是写测试。",
    "The deadline is 2026-03-01.",
)
LONG = "{}{}\n\n{}{}\n\n".format(*SENTENCES)


def raw_chunks(brain: SmartBrain) -> list[RawChunk]:
    """Return every raw chunk that an episode leads to."""
    with inside(brain) as transaction:
        episodes = brain.memories.list(type="episodes", limit=1000).items
        ids = {span.raw_id for episode in episodes for span in episode.raw_refs}
        return list(transaction.raw.get(ids).values())


def english(size: int) -> str:
    """Return that many bytes of English, which up to some thousand are one chunk."""
    return ("we ship the build on friday and write the notes " * size)[:size]


@pytest.mark.spec("E2")
@pytest.mark.parametrize("text", ["一句话", english(4095), english(4096), LONG * 400])
def test_the_same_text_is_stored_once(tmp_path: Path, text: str) -> None:
    """Two messages, an output and a second session share the chunks; each use is counted."""
    call = {"name": "t", "stdout": text}
    times = Counter(sha256(piece.encode()).hexdigest() for piece in split_chunks(text))
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("一", {"messages": [user(text), assistant(text)], "tool_calls": [call]})
        assert {one: 3 * times[one] for one in times} == held(brain)
        size = brain.status().raw_bytes
        brain.commit_turn("二", [user(text)])
        assert {one: 4 * times[one] for one in times} == held(brain)
        assert size == brain.status().raw_bytes
        assert [] == SmartBrain.doctor(tmp_path).all()


def held(brain: SmartBrain) -> dict[str, int]:
    """Return how often each raw chunk is held, by its address."""
    return {chunk.address: chunk.held for chunk in raw_chunks(brain)}


@pytest.mark.spec("E2")
def test_small_text_lies_in_the_database_and_large_text_in_files(tmp_path: Path) -> None:
    """4,096 bytes is the border, in bytes and not in characters."""
    chinese = "我们周五发布新版本然后写测试" * 120
    texts = [english(4095), english(4096), chinese[:1365], chinese[:1366]]
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", [user(text) for text in texts])
        chunks = {chunk.address: chunk for chunk in raw_chunks(brain)}
    found = [chunks[sha256(text.encode()).hexdigest()] for text in texts]
    assert [(4095, False), (4096, True), (4095, False), (4098, True)] == [
        (chunk.length, chunk.path is not None) for chunk in found
    ]
    assert 2 == len(list((tmp_path / "tenants").rglob("*.zst")))


@pytest.mark.spec("E2")
def test_a_file_is_named_by_its_day_and_hash(tmp_path: Path) -> None:
    """The path is the one of the layout, dated by the brain's clock in UTC."""
    text = english(5000)
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(text)])
        (chunk,) = raw_chunks(brain)
    digest = sha256(text.encode()).hexdigest()
    assert f"raw_{digest[:32]}" == chunk.id
    assert f"raw/2001/05/17/{digest[:2]}/raw_{digest}.blob.zst" == chunk.path
    assert (tmp_path / "tenants" / "t" / chunk.path).is_file()


@pytest.mark.spec("E2", "C7")
def test_a_short_turn_is_told_whole(tmp_path: Path) -> None:
    """Speakers and words as they were, with tools and refs beside them."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn(
            "s",
            {
                "messages": [
                    {"role": "system", "content": "You are an assistant."},
                    user("蓝牙打不开了", name="张三"),
                    assistant("Let me look at the log."),
                ],
                "tool_calls": [{"name": "event_log", "exit_code": 0, "stdout": "60 lines"}],
                "refs": [{"ref_type": "url", "ref_uri": "https://example.com/bt"}],
            },
        )
        episode = episode_of(brain, result.turn_id)
    assert (
        "张三: 蓝牙打不开了\nassistant: Let me look at the log.\n"
        "tool: event_log (exit code 0)\nurl: https://example.com/bt"
    ) == episode.text
    assert "蓝牙打不开了" == episode.title
    assert {"session": "s", "turn": result.turn_id} == {
        name: episode.value[name] for name in ("session", "turn")
    }


@pytest.mark.spec("E2")
@pytest.mark.parametrize("size", [100, 272, 273, 274, 275, 400, 100_000])
@pytest.mark.parametrize("letter", ["a", "记", "👍"])
def test_a_long_turn_is_told_in_280_characters(tmp_path: Path, size: int, letter: str) -> None:
    """Up to 280 characters the episode is the turn itself; beyond it is a shorter extract."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", [user(letter * size)])
        episode = episode_of(brain, result.turn_id)
    whole = f"user: {letter * size}"
    assert (len(whole) <= 280) == (episode.text == whole)
    assert 1 <= len(episode.text) <= 280


@pytest.mark.spec("E2")
def test_an_extract_is_made_of_the_turn_s_own_sentences(tmp_path: Path) -> None:
    """Nothing in it was not said."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", [user(LONG * 20), assistant("好的。" * 200)])
        episode = episode_of(brain, result.turn_id)
    told = "".join(line.partition(": ")[2] for line in episode.text.splitlines())
    assert 0 < len(episode.text) <= 280
    assert SENTENCES[0] in told
    for sentence in (*SENTENCES, "好的。", "…", " "):
        told = told.replace(sentence, "")
    assert "" == told


@pytest.mark.spec("E2", "S7")
def test_the_length_of_an_extract_is_a_setting(tmp_path: Path) -> None:
    """`policies.consolidation.episode_max_chars` moves the border."""
    with SmartBrain.open(
        tmp_path, config={"policies.consolidation.episode_max_chars": 100}
    ) as brain:
        result = brain.commit_turn("s", [user("今天" * 100)])
        assert len(episode_of(brain, result.turn_id).text) <= 100


@pytest.mark.spec("E2", "M5", "C7")
def test_a_path_leads_from_an_episode_back_to_every_original(tmp_path: Path) -> None:
    """DERIVED_FROM edges and spans name the same chunks, whose bytes are the turn's texts."""
    texts = ["问题", LONG * 300, "stdout 输出", '{"答":42}']
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn(
            "s",
            {
                "messages": [user(texts[0]), assistant(texts[1])],
                "tool_calls": [{"name": "t", "stdout": texts[2], "result": {"答": 42}}],
            },
        )
        episode = episode_of(brain, result.turn_id)
        with brain._lease() as tenant, tenant.ports.truth.read() as transaction:
            edges = transaction.edges.of(episode.id, kind=EdgeType.DERIVED_FROM)
            chunks = transaction.raw.get([edge.dst for edge in edges])
            bodies = {
                raw: chunk.body or tenant.ports.blobs.get(chunk.path or "", chunk.address)
                for raw, chunk in chunks.items()
            }
    assert {span.raw_id for span in episode.raw_refs} == set(bodies)
    originals = b"".join(
        bodies[span.raw_id][span.offset : span.offset + span.length] for span in episode.raw_refs
    )
    assert (texts[0] + texts[1] + texts[3] + texts[2]).encode() == originals


@pytest.mark.spec("M5", "C7")
def test_consecutive_turns_of_a_session_are_linked_in_time(tmp_path: Path) -> None:
    """Each episode leads to the next one of its own session, steps add no link."""
    with SmartBrain.open(tmp_path) as brain:
        turns = []
        for n in range(3):
            turns.append(brain.commit_turn("s", [user(f"第 {n}")]).turn_id)
            brain.commit_turn("another", [user(f"other {n}")])
            brain.commit_turn("s", [assistant("step")], turn_id=turns[-1])
        ids = [episode_of(brain, turn).id for turn in turns]
        with inside(brain) as transaction:
            following = [
                [edge.dst for edge in transaction.edges.of(one, kind=EdgeType.TEMPORAL_NEXT)]
                for one in ids
            ]
    assert [[ids[1]], [ids[2]], []] == following


@pytest.mark.spec("M6")
def test_a_chunk_text_opens_with_type_and_key(tmp_path: Path) -> None:
    """Then what was said, then the turn and the day on the speaker's own clock."""
    with SmartBrain.open(tmp_path) as brain:
        events = {"at": "2026-02-20T23:30:00-08:00", "messages": [user("周五发布 SmartBot")]}
        turn_id = brain.commit_turn("会话 一", events).turn_id
        episode = episode_of(brain, turn_id)
        with inside(brain) as transaction:
            (text,) = transaction.replayed.chunks([episode.id]).get(episode.id, [])
    assert [
        f"[episodes:episode:会话_一:{turn_id}]",
        "user: 周五发布 SmartBot",
        f"Source: turn {turn_id} · 2026-02-20",
    ] == text.splitlines()


@pytest.mark.spec("M3", "M4")
def test_an_episode_is_found_by_id_and_by_key(tmp_path: Path) -> None:
    """It is one active version that names its turn, its time and its tenant."""
    with SmartBrain.open(tmp_path, tenant="张三") as brain:
        events = {"at": "2020-01-01T10:00:00+08:00", "messages": [user("hello")]}
        turn_id = brain.commit_turn("s", events).turn_id
        episode = episode_of(brain, turn_id)
        assert episode == brain.memories.get(episode.id)
        assert episode == brain.memories.get(f"episode:s:{turn_id}")
        assert [episode] == list(brain.memories.history(episode.key))
    assert ("active", 1, "张三", turn_id) == (
        episode.status,
        episode.version,
        episode.tenant_id,
        episode.source_turn_id,
    )
    assert "2020-01-01T10:00:00+08:00" == episode.said_at.isoformat()
