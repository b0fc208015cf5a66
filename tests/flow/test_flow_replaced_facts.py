"""What takes the place of something else: who has a thing now, and what is used instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("first", "then", "key", "value"),
    [
        ("Alice is in charge of billing.", "Bob took over billing from Alice.",
         "fact:billing:responsible", "Bob"),
        ("Alice owns billing.", "Bob took over billing from Alice Moore.",
         "fact:billing:responsible", "Bob"),
        ("李四负责支付。", "张三从李四那里接手了支付。", "fact:支付:responsible", "张三"),
        ("李四负责支付。", "张三已经从李四手里接管了支付。", "fact:支付:responsible", "张三"),
    ],
)  # fmt: skip
def test_what_somebody_took_over_from_another_is_theirs(
    tmp_path: Path, first: str, then: str, key: str, value: str
) -> None:
    """One of them stands, the one who has it now; the other is an earlier version."""
    with fake_brain(tmp_path) as brain:
        for text in (first, then):
            brain.commit_turn("s", [user(text)])
        (fact,) = brain.memories.list("facts").items
        versions = brain.memories.history(key)
    assert (key, value, 2) == (fact.key, fact.value["value"], len(versions))


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("first", "then", "stand"),
    [
        ("The team uses Scrum.", "The team switched from Scrum to Kanban.", ["Kanban"]),
        ("The team uses Scrum.", "The team uses Kanban instead of Scrum now.", ["Kanban"]),
        ("The team uses Scrum.", "The team no longer uses Scrum but Kanban.", ["Kanban"]),
        ("The team uses Scrum.", "The team no longer uses Scrum, it uses Kanban.", ["Kanban"]),
        ("The team uses Jira.", "The team switched from Jira to Linear.", ["Linear"]),
        ("The team uses Postgres.", "The team uses Redis now.", ["Postgres", "Redis"]),
        ("The team uses MySQL.", "The team switched from Postgres to Foobar.", ["Foobar", "MySQL"]),
        ("The team uses Jenkins.", "The team moved from Jenkins to GitHub Actions last week.",
         ["GitHub Actions"]),
        ("The team uses Jenkins.", "The team replaced Jenkins with GitHub Actions.",
         ["GitHub Actions"]),
        ("The team uses Jenkins.", "The team moved from Berlin to Munich.", ["Jenkins"]),
        ("我们用 Jenkins。", "我们上个月从 Jenkins 换到了 GitHub Actions。", ["GitHub Actions"]),
        ("我们用 Scrum。", "我们从 Scrum 换成看板了。", ["看板"]),
        ("我们用 Scrum。", "我们不用 Scrum 了，改用看板。", ["看板"]),
        ("我们用 Scrum。", "我们不再用 Scrum，现在改用 Kanban 了。", ["Kanban"]),
        ("我们用 Jira。", "我们从 Jira 换成了 Linear。", ["Linear"]),
        ("我们用 MySQL。", "我们从 Postgres 换成 Foobar 了。", ["Foobar", "MySQL"]),
        ("我们用 Postgres。", "我们用的是 Redis。", ["Postgres", "Redis"]),
        ("The team uses Jenkins for CI.", "We switched from Jenkins to GitHub Actions.",
         ["GitHub Actions"]),
        ("我们用 Jenkins。", "团队从 Jenkins 换成 GitHub Actions 了。", ["GitHub Actions"]),
        ("我们用的是React 18", "升级到React 19了", ["React 19"]),
        ("We use Postgres 15.", "We upgraded to Postgres 16.", ["Postgres 16"]),
        ("We're using Python 3.11.", "We upgraded from Python 3.11 to Python 3.12.",
         ["Python 3.12"]),
        ("We use Postgres 15.", "We upgraded to Python.", ["Postgres 15"]),
        ("我们用的是React 18", "手机升级到iOS 17了", ["React 18"]),
    ],
)  # fmt: skip
def test_what_is_used_in_the_place_of_something_replaces_it(
    tmp_path: Path, first: str, then: str, stand: list[str]
) -> None:
    """In either order of arrival; what is only used as well, or was never said, ends nothing."""
    days = {first: "2001-05-01T10:00:00Z", then: "2001-05-02T10:00:00Z"}
    for place, order in enumerate(((first, then), (then, first))):
        with fake_brain(tmp_path / str(place)) as brain:
            for text in order:
                result = brain.commit_turn("s", {"messages": [user(text)], "at": days[text]})
                told = [one.code for one in result.explain.retention]
                assert "nothing_to_retract" not in told
            found = brain.memories.list("facts").items
        assert stand == sorted(one.value["value"] for one in found)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("first", "then", "key", "value"),
    [
        ("我用 vim。", "我现在用 emacs。", "pref:tools:editor", "emacs"),
        ("我用 vim 写代码。", "我现在在用 Neovim 了。", "pref:tools:editor", "Neovim"),
        ("I use vim.", "我目前用 VS Code。", "pref:tools:editor", "VS Code"),
        ("我用 Chrome。", "我如今用 Firefox。", "pref:tools:browser", "Firefox"),
    ],
)
def test_what_the_user_uses_now_replaces_what_they_used(
    tmp_path: Path, first: str, then: str, key: str, value: str
) -> None:
    """It is the same preference, and the old one is an earlier version of it."""
    with fake_brain(tmp_path) as brain:
        for text in (first, then):
            brain.commit_turn("s", [user(text)])
        (one,) = brain.memories.list("preferences").items
        versions = brain.memories.history(key)
    assert (key, value, 2) == (one.key, one.value["value"], len(versions))


@pytest.mark.spec("C4", "C6", "M2")
@pytest.mark.parametrize(
    ("first", "then", "key", "value"),
    [
        ("我们决定用PostgreSQL", "不对，还是用MySQL吧", "database", "MySQL"),
        ("我们决定用PostgreSQL", "还是用MySQL吧", "database", "MySQL"),
        ("我们决定用PostgreSQL", "不对，用MySQL", "database", "MySQL"),
        ("我们决定用PostgreSQL", "想了想，还是选MySQL好了。", "database", "MySQL"),
        ("我们决定用React", "算了，还是用Vue吧", "frontend_framework", "Vue"),
        ("我们决定用Auth0做认证。", "还是用Okta吧。", "authentication", "Okta"),
        ("我们决定登录用Auth0", "改用Okta吧", "authentication", "Okta"),
        ("We decided to use Postgres.", "On second thought, let's stick with MySQL.",
         "database", "MySQL"),
        ("We decided to use Postgres.", "never mind, MySQL it is", "database", "MySQL"),
        ("We decided to go with Stripe for payments.", "Actually, let's go with Adyen instead.",
         "payment", "Adyen"),
        ("We decided to use Auth0 for authentication.", "Actually, let's go with Okta instead.",
         "authentication", "Okta"),
        ("We decided to use Auth0 for authentication.", "I changed my mind, we'll use Okta.",
         "authentication", "Okta"),
    ],
)  # fmt: skip
def test_what_is_taken_after_all_is_the_new_version_of_the_decision(
    tmp_path: Path, first: str, then: str, key: str, value: str
) -> None:
    """One decision stands, under the topic of the one it revises, which is kept."""
    with fake_brain(tmp_path) as brain:
        for text in (first, then):
            brain.commit_turn("s", [user(text)])
        (one,) = brain.memories.list("decisions").items
        was = [str(row.status) for row in brain.memories.history(one.key)]
        assert not brain.memories.list("preferences").items
    assert (f"decision:general:{key}", value) == (one.key, one.value["decision"])
    assert ["active", "superseded"] == sorted(was)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("我们决定用PostgreSQL", "还是用中文吧"),
        ("我们决定用PostgreSQL", "算了，睡觉"),
        ("我们决定用PostgreSQL", "用React还是用Vue？"),
        ("我们决定用PostgreSQL", "我还是用Vim舒服"),
        ("We decided to use Postgres.", "Never mind, I found it."),
        ("We decided to use Postgres.", "Actually, let's go with React."),
        ("We decided to use Postgres.", "Let's answer in English instead."),
        ("We decided to hire two people.", "Actually, let's go with Okta instead."),
    ],
)
def test_what_is_no_choice_of_its_kind_revises_no_decision(
    tmp_path: Path, first: str, then: str
) -> None:
    """A language, a choice of another kind and a question leave a decision as it is."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(first)])
        (one,) = brain.memories.list("decisions").items
        brain.commit_turn("s", [user(then)])
        assert one.id in [row.id for row in brain.memories.list("decisions").items]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("first", "then", "ended"),
    [
        ("Don't use emojis in your replies.", "actually emojis are fine", True),
        ("Never use tabs.", "You can use tabs again.", True),
        ("别用表情", "可以用表情了", True),
        ("以后不要用表情", "其实用表情也没关系", True),
        ("Don't use emojis in your replies.", "The tests are fine.", False),
        ("Always use bullet points.", "Bullet points are fine.", False),
        ("别用表情", "可以用表情吗？", False),
        ("别用表情", "他可以用表情了", False),
    ],
)
def test_what_is_allowed_after_all_ends_the_ban(
    tmp_path: Path, first: str, then: str, ended: bool
) -> None:
    """What is no ban, or is of something else, stands; in any order of arrival."""
    for place, order in enumerate(((0, 1), (1, 0))):
        with fake_brain(tmp_path / str(place)) as brain:
            for turn in order:
                at = f"2001-05-0{turn + 1}T10:00:00Z"
                brain.commit_turn("s", {"messages": [user((first, then)[turn])], "at": at})
            assert ended is not bool(brain.memories.list("preferences").items)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("I'm vegetarian.", "I started eating meat again.", []),
        ("I'm vegan.", "I eat meat now.", []),
        ("我吃素", "我又开始吃肉了", []),
        ("我是素食者，我住在北京", "我现在吃肉了", ["北京"]),
        ("我吃素", "我今天吃肉了", ["吃素"]),
        ("I'm vegetarian.", "My brother started eating meat again.", ["vegetarian"]),
    ],
)
def test_who_eats_meat_again_is_no_vegetarian(
    tmp_path: Path, first: str, then: str, left: list[str]
) -> None:
    """The diet ends, and nothing else of the profile; what others eat says nothing of it."""
    with fake_brain(tmp_path) as brain:
        for text in (first, then):
            brain.commit_turn("s", [user(text)])
        facts = [
            fact for one in brain.memories.list("profile").items for fact in one.value["facts"]
        ]
    assert left == [fact["v"] for fact in facts]
