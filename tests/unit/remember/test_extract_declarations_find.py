"""What is found in words that the user asks to be remembered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import pytest

from smartbrain.domain.builtin_types import BUILTIN
from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.declarations import find
from smartbrain.remember.extract.find import find_declared
from smartbrain.remember.extract.said import Said, Sentence, read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)
TYPES: Final = {kind.name: kind() for kind in BUILTIN}


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return what a message asks to be remembered."""
    said = read_said(text, source=source, speaker=source.value, at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


DECLARED: Final = (
    ("Please remember I'm vegan.", "profile", "vegan"),
    ("Can you remember that I'm allergic to shellfish?", "profile", "allergic to shellfish"),
    ("Remember this for later: I live in Ghent.", "profile", "Ghent"),
    ("能不能记住我妹妹叫安娜？", "facts", "安娜"),
    ("Remember that I'm vegan, ok?", "profile", "vegan"),
    ("记住我对芒果过敏，好吗？", "profile", "芒果"),
    ("Please remember this. My blood type is O negative.", "profile", "O negative"),
    ("记住我对芒果过敏。", "profile", "芒果"),
    ("别忘了我是素食者。", "profile", "素食者"),
    ("Don't forget that I hate phone calls.", "preferences", "phone calls"),
    ("For the record, I'm a morning person.", "preferences", "morning person"),
    ("请记住，我不吃辣。", "preferences", "不吃辣"),
    ("Remember: never deploy on Fridays.", "preferences", "Fridays"),
    ("Note that the server restarts at midnight.", "facts", "restarts at midnight"),
    ("For future reference, our printer only takes A4.", "facts", "A4"),
    ("Keep in mind that the vault key hangs behind the door.", "facts", "behind the door"),
    ("My locker number is 214, please remember that.", "facts", "214"),
    ("备忘：家里的路由器密码贴在冰箱上。", "facts", "冰箱"),
    ("记一下，老板的司机姓赵。", "facts", "赵"),
    ("我的工号是 8812，记一下。", "facts", "8812"),
    ("Remember that Bob prefers Slack over email.", "facts", "Slack over email"),
    ("Remember that we never deploy on Fridays.", "facts", "Fridays"),
    ("remember: keys under the mat", "facts", "under the mat"),
    ("记住小李下周休假", "facts", "休假"),
    ("请记住Bob下周on leave", "facts", "on leave"),
    ('Remember this: "I live in Osaka"', "facts", "Osaka"),
    ("记住「我住在大阪」", "facts", "大阪"),
)

NONE: Final = (
    *("Remember when we used floppy disks?", "Do you remember my name?", "I can't remember."),
    *("I remember that the gate was open.", "Remember the Alamo!", "Never forget!"),
    *("Remember Pavel Novak, he'll come up a lot.", "记住孙立群这个人，他以后还会来。"),
    *("Remember that goal in the last minute?", "记住那个进球了吗？"),
    *("Just remember that sometimes a closed door is a blessing.", "记住，人生不是一场比赛。"),
    *("还记得我吗？", "我记得去年下过雪。", "我记住了。", "记得吃饭哦。", "别忘了带伞。", ""),
)


@pytest.mark.spec("C1", "C3", "C6")
@pytest.mark.parametrize(("text", "kind", "words"), DECLARED)
def test_what_is_to_be_remembered_is_read_by_the_other_finders(
    text: str, kind: str, words: str
) -> None:
    """It is marked as declared, surer than the same words without the request, and in its place."""
    (one,) = found(text)

    assert kind == one.type
    assert one.declared
    assert one.confidence >= 0.9
    assert words in str(one.value)
    assert words in text[one.offset : one.offset + one.length]
    TYPES[kind].complete(TYPES[kind].key_of(one.value), one.value)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("text", NONE)
def test_remembering_itself_is_nothing_to_remember(text: str) -> None:
    """Memories of the past, questions, names alone and things to do are left to others."""
    assert [] == found(text)


@pytest.mark.spec("C1")
def test_an_assistant_declares_nothing() -> None:
    """Only the user can ask for something to be remembered."""
    assert [] == found("Remember that the cellar code is 90.", Source.ASSISTANT)


@pytest.mark.spec("C6")
def test_a_plain_statement_becomes_a_note_about_its_subject() -> None:
    """Where no finder takes the words, they are kept as they are."""
    said = read_said(
        "Remember that the boat is moored in Lorient.", source=Source.USER, speaker="user", at=AT
    )
    (one,) = find(said.sentences[0], said, inner=())

    assert {
        "subject": "the boat",
        "attribute": "note_moored_lorient",
        "value": "the boat is moored in Lorient",
    } == one.value


@pytest.mark.spec("C6")
def test_of_two_finders_the_first_has_the_words() -> None:
    """What one finder has read, a later one of another type does not get again."""

    def reading(kind: str) -> Candidate:
        return Candidate(type=kind, text="x", rule="test.x", offset=14, length=5)

    def first(sentence: Sentence, said: Said) -> Iterator[Candidate]:
        yield reading("facts")

    def second(sentence: Sentence, said: Said) -> Iterator[Candidate]:
        yield reading("events")

    said = read_said("Remember that it rains.", source=Source.USER, speaker="user", at=AT)

    assert ["facts"] == [one.type for one in find(said.sentences[0], said, inner=(first, second))]


BY_HAND: Final = (
    ("I hid the spare key under the mat", "fact:user:note_hid_spare_key_mat"),
    ("Bob prefers Slack over email", "fact:Bob:note_prefers_slack_email"),
    ("we never deploy on Fridays", "fact:user:note_never_deploy_fridays"),
    ("the staging server is down on weekends", "fact:the_staging_server:note_weekends"),
    ("the staging server runs Ubuntu 22.04", "fact:the_staging_server:note_runs_ubuntu_22.04"),
    ("maybe the vendor slips", "fact:maybe:note_vendor_slips"),
    ('"I live in Oslo"', "fact:user:note_live_oslo"),
    ("Alice: I work at Netflix", "fact:Alice:note_work_netflix"),
    ("小李下周休假", "fact:小李:note_下周休假"),
    ("我每天早上跑步", "fact:user:note_我每天早上跑步"),
    ("Bob下周on leave", "fact:Bob:note_下周on_leave"),
    ("MODE = fast;", "fact:MODE_=_fast:note"),
)


@pytest.mark.spec("C1", "M2")
@pytest.mark.parametrize(("text", "key"), BY_HAND)
def test_what_is_given_by_hand_is_kept_under_a_key_of_its_own_words(text: str, key: str) -> None:
    """Whatever a person gives to be remembered and asks nothing is a note, if nothing better."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    (one,) = find_declared(said)

    assert key == TYPES["facts"].key_of(one.value)
    assert text.rstrip(";") == one.value["value"]
    assert one.declared


@pytest.mark.spec("C1")
@pytest.mark.parametrize("text", ["What is my name?", "我叫什么名字？", "Bob 在哪里?", "  "])
def test_a_question_given_by_hand_is_not_kept(text: str) -> None:
    """A question states nothing."""
    assert [] == find_declared(read_said(text, source=Source.USER, speaker="user", at=AT))
