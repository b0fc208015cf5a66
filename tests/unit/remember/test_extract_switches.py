"""Switches: what is used in the place of something else, and what only stands beside it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from smartbrain.domain.candidate import Source
from smartbrain.remember.extract.said import read_said
from smartbrain.remember.extract.switches import find_switches

AT = datetime(2026, 3, 5, 10, tzinfo=UTC)
READ = (
    ("We switched from Scrum to Kanban.", ("company", "Kanban", "Scrum")),
    ("We've recently switched over from Scrum to Kanban, it's calmer.",
     ("company", "Kanban", "Scrum")),
    ("The backend uses Bazqux instead of Foobar now.", ("backend", "Bazqux", "Foobar")),
    ("The backend no longer uses Foobar but Bazqux.", ("backend", "Bazqux", "Foobar")),
    ("Our team no longer uses Scrum, we use Kanban now.", ("team", "Kanban", "Scrum")),
    ("We switched from Jira to Linear.", ("company", "Linear", None)),
    ("我们从 Scrum 换成看板了。", ("company", "看板", "Scrum")),
    ("我们已经把 Scrum 换成了 Kanban。", ("company", "Kanban", "Scrum")),
    ("我们不用 Scrum 了，改用看板。", ("company", "看板", "Scrum")),
    ("我们不再用 Scrum，现在改用看板了。", ("company", "看板", "Scrum")),
    ("后端从 Foobar 切换到了 Bazqux。", ("backend", "Bazqux", "Foobar")),
    ("我们从钉钉换成飞书了。", ("company", "飞书", None)),
)  # fmt: skip
NONE = (
    *("We use Kanban now.", "We use Redis now.", "We switched to Kanban.", "We moved to Kanban."),
    *("We switched from English to Chinese.", "We switched from Monday to Tuesday."),
    *("The meeting switched from Zoom to Teams.", "We temporarily switched from Scrum to Kanban."),
    *("We switched from Scrum to Kanban for now.", "We might have switched from Scrum to Kanban."),
    *("Should we switch from Scrum to Kanban?", "If we switched from Scrum to Kanban, I'd leave."),
    *("We switched from coffee to tea.", "He switched from Acme to Nordlys."),
    *("We switched from Alice to Robert.", "我们从 Alice 换成了 Robert。"),
    *(
        "我们现在改用看板了。",
        "我们用 Redis 了。",
        "我们从 Scrum 换成看板吧。",
        "我们从英语换成中文了。",
    ),
    *("会议从 Zoom 换成 Teams 了。", "我们暂时从 Scrum 换成看板了。", "我们要把 Scrum 换成看板。"),
    *(
        "我们从 Scrum 换成看板了吗？",
        "如果我们从 Scrum 换成看板了，我就走。",
        "他从 QQ 换成微信了。",
    ),
    *("我们把张三换成了李四。", "我们从 A 换成了 B。", "我们从 Scrum 换成别的了。"),
)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("text", "told"), READ)
def test_a_switch_tells_what_is_used_and_what_is_not(
    text: str, told: tuple[str, str, str | None]
) -> None:
    """What is of the same known kind has the same name, and is replaced by that."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    (one,) = (found for sentence in said.sentences for found in find_switches(sentence))
    assert told == (one.new.subject, one.new.value, one.old.value if one.old else None)
    assert text[one.offset : one.offset + one.length].strip(" .。") in text


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize("text", NONE)
def test_what_may_stand_beside_the_rest_is_no_switch(text: str) -> None:
    """Unless both are named, lasting, things that can be used, and the change has been made."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    assert [] == [found for sentence in said.sentences for found in find_switches(sentence)]
