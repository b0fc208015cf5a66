"""`memctl index`, `search`, `graph` and `rebuild`, as somebody at a prompt uses them.

In: files, words and nodes in Chinese and English, good ones and bad ones. Out: what is shown, the
same in JSON, one line with an exit code where something is wrong, and the same from a new process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_runs import Run, encrypted_brain, memctl, spawned

from smartbrain import SmartBrain
from smartbrain.domain.turn import DOCUMENT

TEXTS = {
    "蓝牙.txt": "Win11 蓝牙打不开，错误码 0x8007045D。\n",
    "report.md": "The weekly report is due on Thursday\n",
    "mixed.txt": "明天的 release 评审会改到下午三点\n",
}
HIT_KEYS = ["id", "kind", "type", "key", "title", "text", "score", "at", "source"]
BESIDE_KEYS = ["id", "type", "key", "title", "relation", "weight", "outgoing"]


def written(folder: Path, texts: dict[str, str] = TEXTS) -> list[Path]:
    """Write text files and return their paths."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def fresh(tmp_path: Path) -> Path:
    """Make a brain without tenants in the working folder."""
    assert 0 == memctl("init", folder=tmp_path).code
    return tmp_path / ".smartbrain"


def filled(tmp_path: Path) -> Path:
    """Make a brain with the files stored in it."""
    place = fresh(tmp_path)
    run = memctl("index", "--add", *written(tmp_path / "files"), folder=tmp_path)
    assert (0, "3 files stored, 0 already there\n", "") == run
    return place


def failed(run: Run, code: int, *pieces: str) -> None:
    """Check that a run ended with one line on stderr, which says these things."""
    assert (code, "") == (run.code, run.out), run
    assert 1 == run.err.count("\n")
    assert run.err.startswith("memctl: ")
    for piece in pieces:
        assert piece in run.err


def titles(tmp_path: Path, *words: str) -> list[str]:
    """Return the titles of what a search found."""
    run = memctl("search", *words, "--json", folder=tmp_path)
    assert (0, "") == (run.code, run.err), run
    return [hit["title"] for hit in run.json["hits"]]


@pytest.mark.spec("S2", "E4")
def test_a_file_is_stored_once_for_each_content(tmp_path: Path) -> None:
    """The same again adds nothing; a changed one is another turn of the same session."""
    place = filled(tmp_path)
    files = written(tmp_path / "files")
    again = memctl("index", "--add", *files, folder=tmp_path)
    assert (0, "0 files stored, 3 already there\n", "") == again
    files[1].write_text("The weekly report moved to Friday\n", encoding="utf-8")
    told = memctl("index", "--add", *files, "--json", folder=tmp_path).json
    assert [False, True, False] == [one["new"] for one in told]
    assert [{"file", "turn_id", "new"}] * 3 == [set(one) for one in told]
    assert [str(path) for path in files] == [one["file"] for one in told]
    with SmartBrain.open(place) as brain:
        assert [1, 1, 2] == sorted(one.turns for one in brain.sessions.list().items)
    assert "The weekly report moved to Friday" == titles(tmp_path, "Friday")[0]
    assert 2 == len(titles(tmp_path, "weekly"))


@pytest.mark.spec("S2", "C1")
def test_a_file_asserts_nothing(tmp_path: Path) -> None:
    """Nobody has said what a document says: no task, preference or decision is made of it."""
    place = fresh(tmp_path)
    text = "TODO: buy milk. I prefer tea.\n待办：整理预算表。我住在上海，我决定用 vim。\n"
    (file,) = written(tmp_path / "files", {"待办.md": text})
    assert 0 == memctl("index", "--add", file, folder=tmp_path).code
    with SmartBrain.open(place) as brain:
        found = {one.type for one in brain.memories.list(status="active").items}
        (session,) = brain.sessions.list().items
        (message,) = brain.sessions.turns(session.id)[0].messages
    assert {"episodes", "entities"} == found
    assert ("document", True) == (message.name, message.meta[DOCUMENT])


@pytest.mark.spec("S2", "M4")
def test_only_what_holds_now_is_found(tmp_path: Path) -> None:
    """What was replaced is left out, and so is what has not passed the gate."""
    place = fresh(tmp_path)
    with SmartBrain.open(place) as brain:
        brain.memories.put("preferences", "pref:tools:editor", {"value": "vim editor"})
        brain.memories.put("preferences", "pref:tools:editor", {"value": "emacs editor"})
        brain.commit_turn("s", [{"role": "user", "content": "Alice met Bob in Berlin on Monday."}])
    assert ["emacs editor"] == [title.partition(": ")[2] for title in titles(tmp_path, "editor")]
    assert 1 == len(titles(tmp_path, "editor", "--type", "preferences"))
    types = [
        {hit["type"] for hit in memctl("search", *words, "--json", folder=tmp_path).json["hits"]}
        for words in (["Alice"], ["Alice", "--type", "statements"])
    ]
    assert "episodes" in types[0]
    assert "statements" not in types[0]
    assert set() == types[1]


@pytest.mark.spec("S2")
def test_a_file_that_is_no_text_is_refused_and_nothing_stored(tmp_path: Path) -> None:
    """Not UTF-8, empty or missing: one sentence names the file, and the good one waits too."""
    place = fresh(tmp_path)
    good, *_ = written(tmp_path / "files")
    bad = tmp_path / "坏 bad.txt"
    for content, sentence in (
        ("蓝牙".encode("gb18030"), "is not a text in UTF-8"),
        (b"\xff\xfeh\x00i\x00", "is not a text in UTF-8"),
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
    ):
        bad.write_bytes(content)
        failed(memctl("index", "--add", good, bad, folder=tmp_path), 2, bad.name, sentence)
    missing = memctl("index", "--add", good, tmp_path / "没有.txt", folder=tmp_path)
    failed(missing, 2, "没有.txt: cannot be read")
    failed(memctl("index", "--add", tmp_path, folder=tmp_path), 2, "cannot be read")
    failed(memctl("index", good, folder=tmp_path), 2, "memctl index --add")
    assert [] == SmartBrain.tenants(place)


@pytest.mark.spec("S2")
def test_a_byte_order_mark_and_a_large_file_are_read(tmp_path: Path) -> None:
    """The mark is no part of the text, and a file of a megabyte is found by its last words."""
    fresh(tmp_path)
    marked, large = tmp_path / "marked.txt", tmp_path / "large.txt"
    marked.write_bytes(b"\xef\xbb\xbf" + "带标记的 marked file".encode())
    large.write_text("第几行 of a long file\n" * 40_000 + "末尾 zebra\n", encoding="utf-8")
    assert 0 == memctl("index", "--add", marked, large, folder=tmp_path).code
    assert "带标记的 marked file" == titles(tmp_path, "带标记的")[0]
    (hit, *_) = memctl("search", "zebra 末尾", "--passages", "--json", folder=tmp_path).json["hits"]
    assert "末尾 zebra" in hit["text"]


@pytest.mark.spec("S2", "R5")
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("蓝牙坏了打不开", "蓝牙.txt"),
        ("reports weekly", "report.md"),
        ("release 评审会几点", "mixed.txt"),
        ("0x8007045D", "蓝牙.txt"),
        ("0x8007045d", "蓝牙.txt"),
        ('"weekly report"', "report.md"),
        ("“评审会改到”", "mixed.txt"),
        ('"unbalanced weekly', "report.md"),
    ],
)
def test_words_find_the_file(tmp_path: Path, words: str, name: str) -> None:
    """By memory and by passage, in both languages, with codes and quotes; a new process agrees."""
    filled(tmp_path)
    text = TEXTS[name].strip()
    for more in ([], ["--passages"]):
        run = memctl("search", words, *more, "--json", folder=tmp_path)
        assert text in run.json["hits"][0]["text"]
        shown = memctl("search", words, *more, folder=tmp_path)
        first, second, third, *_ = shown.out.splitlines()
        assert (0, "") == (shown.code, shown.err)
        assert f"1. {text}" == first
        assert ("  raw  raw_" if more else f"  episodes  {_uri(tmp_path, name)}") in second
        assert text in third
        assert shown == spawned("search", words, *more, folder=tmp_path)


def _uri(tmp_path: Path, name: str) -> str:
    return (tmp_path / "files" / name).as_uri()


@pytest.mark.spec("S2")
def test_the_json_of_a_search_keeps_its_names(tmp_path: Path) -> None:
    """Programs find the same keys in the same order, for memories and passages."""
    filled(tmp_path)
    for more, kind in (([], "memory"), (["--passages"], "passage")):
        told = memctl("search", "蓝牙", *more, "--json", folder=tmp_path).json
        assert ["query", "hits"] == list(told)
        assert "蓝牙" == told["query"]
        (hit,) = told["hits"]
        assert (HIT_KEYS, kind) == (list(hit), hit["kind"])
    assert 3 == len(titles(tmp_path, "蓝牙 weekly release"))
    assert 1 == len(titles(tmp_path, "蓝牙 weekly release", "--limit", "1"))


@pytest.mark.spec("S2")
@pytest.mark.parametrize("words", ["zebra", "斑马", "", "…", '"report weekly"', "the of"])
def test_nothing_found_is_no_error(tmp_path: Path, words: str) -> None:
    """Words that nobody said, no words at all, and words in another order."""
    filled(tmp_path)
    for more in ([], ["--passages"]):
        run = memctl("search", words, *more, folder=tmp_path)
        assert (0, "nothing found\n", "") == run
    assert {"query": words, "hits": []} == memctl("search", words, "--json", folder=tmp_path).json


@pytest.mark.spec("S2")
def test_a_search_can_be_narrowed_to_a_type(tmp_path: Path) -> None:
    """A misspelt type is named with the one that was meant; passages have none."""
    filled(tmp_path)
    assert 0 == memctl("graph", "--add-node", "Concept:蓝牙", folder=tmp_path).code
    assert ["蓝牙"] == titles(tmp_path, "蓝牙", "--type", "concepts")
    assert 2 == len(titles(tmp_path, "蓝牙"))
    wrong = memctl("search", "蓝牙", "--type", "epsiodes", folder=tmp_path)
    failed(wrong, 2, "did you mean 'episodes'?")
    both = memctl("search", "蓝牙", "--type", "episodes", "--passages", folder=tmp_path)
    failed(both, 2, "passages have no type")
    for limit in ("0", "-3", "100000"):
        failed(memctl("search", "蓝牙", "--limit", limit, folder=tmp_path), 2)


@pytest.mark.spec("S2")
def test_a_fresh_brain_says_that_nothing_is_stored(tmp_path: Path) -> None:
    """Looking makes no tenant; a tenant that was named and is not there is an error."""
    place = fresh(tmp_path)
    empty = memctl("search", "蓝牙", folder=tmp_path)
    assert (0, "nothing found: nothing is stored yet\n", "") == empty
    assert {"query": "x", "hits": []} == memctl("search", "x", "--json", folder=tmp_path).json
    failed(memctl("search", "x", "--tenant", "李四", folder=tmp_path), 3, "no tenant '李四'")
    near = memctl("graph", "--neighbors", "Concept:x", folder=tmp_path)
    failed(near, 3, "no node 'Concept:x'", "nothing is stored yet")
    assert (0, "no tenants yet\n", "") == memctl("rebuild", folder=tmp_path)
    assert [] == SmartBrain.tenants(place)


@pytest.mark.spec("S2", "M5")
def test_nodes_and_edges_are_added_and_shown(tmp_path: Path) -> None:
    """In a fresh brain, with and without a weight; a node answers to its id, key and name."""
    fresh(tmp_path)
    names = ["Concept:蓝牙故障", "Entity:Zhang 张三", "Concept:Slow boot"]
    flags = [part for name in names for part in ("--add-node", name)]
    run = memctl("graph", *flags, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    rows = [line.split("  ") for line in run.out.splitlines()]
    keys = ["concept:蓝牙故障", "entity:other:Zhang_张三", "concept:slow_boot"]
    assert keys == [key for _, key in rows]
    assert run == memctl("graph", *flags, folder=tmp_path)
    ids = [found for found, _ in rows]
    edge = memctl("graph", "--add-edge", names[0], "about", keys[1], folder=tmp_path)
    assert (0, "") == (edge.code, edge.err)
    assert edge.out.startswith("edge_")
    weighed = memctl("graph", "--add-edge", ids[2], "CAUSES", ids[0], "0.25", folder=tmp_path)
    assert 0 == weighed.code
    expected = [("ABOUT", 1.0, True, ids[1]), ("CAUSES", 0.25, False, ids[2])]
    for node in (names[0], keys[0], ids[0]):
        told = memctl("graph", "--neighbors", node, "--json", folder=tmp_path).json
        assert ["nodes", "edges", "neighbors"] == list(told)
        assert [BESIDE_KEYS] * 2 == [list(one) for one in told["neighbors"]]
        assert expected == [
            (one["relation"], one["weight"], one["outgoing"], one["id"])
            for one in told["neighbors"]
        ]
    shown = memctl("graph", "--neighbors", keys[0], folder=tmp_path)
    heading, first, second = shown.out.splitlines()
    assert ["relation", "weight", "id", "what"] == heading.split()
    assert ["→", "ABOUT", "1.00", ids[1], "Zhang", "张三"] == first.split()
    assert ["←", "CAUSES", "0.25", ids[2], "Slow", "boot"] == second.split()
    assert shown == spawned("graph", "--neighbors", keys[0], folder=tmp_path)
    alone = memctl(
        "graph", "--add-node", "Concept:孤", "--neighbors", "Concept:孤", folder=tmp_path
    )
    assert 2 == len(alone.out.splitlines())


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    ("arguments", "code", "piece"),
    [
        ([], 2, "--add-node, --add-edge or --neighbors"),
        (["--neighbors", "nope"], 3, "there is no node 'nope'"),
        (["--neighbors", "没有"], 3, "there is no node '没有'"),
        (["--neighbors", "foo:bar"], 3, "there is no node 'foo:bar'"),
        (["--neighbors", "mem_0"], 3, "there is no node 'mem_0'"),
        (["--add-node", "蓝牙"], 2, "Concept:<name> or Entity:<name>"),
        (["--add-node", "Fact:x"], 2, "Concept:<name> or Entity:<name>"),
        (["--add-edge", "Concept:甲", "about"], 2, "SRC TYPE DST [WEIGHT]"),
        (["Concept:甲", "about", "Concept:甲"], 2, "SRC TYPE DST [WEIGHT]"),
        (["--add-edge", "Concept:甲", "abuot", "Concept:甲"], 2, "did you mean 'ABOUT'?"),
        (["--add-edge", "Concept:甲", "关于", "Concept:甲"], 2, "use one of TEMPORAL_NEXT, ABOUT"),
        (["--add-edge", "Concept:甲", "about", "Concept:乙"], 3, "no node 'Concept:乙'"),
        (["--add-edge", "Concept:甲", "about", "Concept:甲", "2"], 2, "from 0 to 1"),
        (["--add-edge", "Concept:甲", "about", "Concept:甲", "nan"], 2, "from 0 to 1"),
        (["--add-edge", "Concept:甲", "about", "Concept:甲", "重"], 2, "'重' is no weight"),
    ],
    ids=lambda one: " ".join(one)[:40] if isinstance(one, list) else None,
)
def test_a_graph_command_that_makes_no_sense_is_refused(
    tmp_path: Path, arguments: list[str], code: int, piece: str
) -> None:
    """One line says what was wrong; JSON says the same; nothing is added."""
    place = fresh(tmp_path)
    assert 0 == memctl("graph", "--add-node", "Concept:甲", folder=tmp_path).code
    failed(memctl("graph", *arguments, folder=tmp_path), code, piece)
    told = memctl("graph", *arguments, "--json", folder=tmp_path)
    assert code == told.code
    assert piece in told.json["error"]["message"]
    with SmartBrain.open(place) as brain:
        rows = brain.status().rows
    assert (1, 0) == (rows["memories"], rows["edges"])


@pytest.mark.spec("S2", "R4")
def test_a_rebuild_finds_the_same(tmp_path: Path) -> None:
    """All tenants or one; what is found does not change, here or in a new process."""
    place = filled(tmp_path)
    other = memctl("graph", "--add-node", "Entity:李四", "--tenant", "李四", folder=tmp_path)
    assert 0 == other.code
    before = memctl("search", "蓝牙 weekly release", "--json", folder=tmp_path)
    run = memctl("rebuild", folder=tmp_path)
    with SmartBrain.open(place) as brain:
        rows = brain.status().rows
        waiting = len(brain.memories.list(status="candidate").items)
    assert 3 < rows["memories"] - waiting
    found = rows["memories"] - waiting
    built = f"default: text {found}, passages 3, graph {rows['edges']}\n李四: text 1"
    assert (0, built) == (run.code, run.out.partition(", passages 0")[0])
    one = memctl("rebuild", "--tenant", "李四", "--json", folder=tmp_path).json
    assert ({"tenants", "errors"}, ["李四"]) == (set(one), list(one["tenants"]))
    assert 1 == one["tenants"]["李四"]["rebuilds"]["text:asked"]
    for again in (memctl, spawned):
        assert before == again("search", "蓝牙 weekly release", "--json", folder=tmp_path)
    failed(memctl("rebuild", "--tenant", "没有", folder=tmp_path), 3, "no tenant '没有'")


@pytest.mark.spec("S2", "S7")
def test_an_encrypted_tenant_is_searched_and_rebuilt_with_its_key_only(tmp_path: Path) -> None:
    """With the key everything works; without it one sentence says what is missing."""
    key = memctl("key", "master", "new", folder=tmp_path).out.strip()
    place = encrypted_brain(tmp_path / "b", "default", key=key, turns=2)
    more: dict[str, Any] = {"folder": tmp_path, "SMARTBRAIN_MASTER_KEY": key}
    found = memctl("search", "第 1 轮", "--json", "--root", place, **more)
    assert "第 1 轮 of 'default'" in found.json["hits"][0]["title"]
    assert 0 == memctl("rebuild", "--root", place, **more).code
    assert found == memctl("search", "第 1 轮", "--json", "--root", place, **more)
    assert [] == list(place.rglob("views/*"))
    failed(memctl("search", "x", "--root", place, folder=tmp_path), 5, "[key_missing]")


@pytest.mark.spec("S2", "R4")
def test_a_view_that_is_switched_off_names_its_setting(tmp_path: Path) -> None:
    """Neither `try again` nor an empty answer: the line says what to change; status shows it."""
    place = filled(tmp_path)
    assert 0 == memctl("graph", "--add-node", "Concept:甲", folder=tmp_path).code
    switches = {
        "recall.use_node_index": ["search", "蓝牙"],
        "recall.raw.enabled": ["search", "蓝牙", "--passages"],
        "recall.graph.enabled": ["graph", "--neighbors", "Concept:甲"],
    }
    for name, command in switches.items():
        assert 0 == memctl(*command, folder=tmp_path).code
        (place / "brain.yml").write_text(f"{name}: false\n", encoding="utf-8")
        failed(memctl(*command, folder=tmp_path), 2, f"{name} is false")
        assert f"off ({name} is false)" in memctl("status", folder=tmp_path).out
        (place / "brain.yml").unlink()
