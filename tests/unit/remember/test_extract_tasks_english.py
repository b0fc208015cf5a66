"""Tasks in English sentences: what is to be done, how far it is, and what only looks like one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.extract import tasks
from smartbrain.remember.extract.said import read_said

AT = datetime.fromisoformat("2026-03-05T10:00:00+08:00")  # a Thursday


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Read a message and return its tasks."""
    said = read_said(text, source=source, speaker="somebody", at=AT)
    return [one for sentence in said.sentences for one in tasks.find(sentence, said)]


def values(text: str, source: Source = Source.USER) -> list[dict[str, Any]]:
    """Return the values of the tasks of a message, without the project of all, and notes."""
    kept = [dict(one.value) for one in found(text, source)]
    return [{k: v for k, v in one.items() if k not in ("project", "notes")} for one in kept]


def todo(title: str, due: str | None = None) -> dict[str, Any]:
    """Build the value of an open task."""
    return {"title": title, "status": "todo"} | ({"due": due} if due else {})


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I need to buy a present for Anna before Saturday.", ("buy a present for Anna", "07")),
        ("Need to call the insurance company tomorrow.", ("call the insurance company", "06")),
        ("I still need to sort out the seating plan.", ("sort out the seating plan", None)),
        ("I'm supposed to hand in the essay on Friday.", ("hand in the essay", "06")),
        ("I promised to send Sarah the photos by Sunday.", ("send Sarah the photos", "08")),
        ("I'll send the revised quote by Tuesday.", ("send the revised quote", "10")),
        ("Remind me to water the plants on Sunday.", ("water the plants", "08")),
        ("Don't let me forget to pay the plumber.", ("pay the plumber", None)),
        ("Note to self: cancel the gym membership", ("cancel the gym membership", None)),
        ("TODO rotate the signing keys", ("rotate the signing keys", None)),
        ("The contract still needs to be signed by Monday.", ("sign the contract", "09")),
        ("The gutters need cleaning.", ("clean the gutters", None)),
        ("I haven't booked the hotel yet.", ("book the hotel", None)),
        ("The onboarding doc isn't finished yet.", ("onboarding doc", None)),
        ("Put 'renew the domain' on my to-do list.", ("renew the domain", None)),
        ("Our next step is to migrate the logs to S3.", ("migrate the logs to S3", None)),
        ("The tax return is due on March 30.", ("tax return", "30")),
        ("I'm also planning to rent a van.", ("rent a van", None)),
        ("We need to check the contract too.", ("check the contract", None)),
    ],
)
def test_what_has_to_be_done_is_an_open_task(text: str, expected: tuple[str, str | None]) -> None:
    """The title holds what is to be done, the deadline stands apart from it."""
    title, day = expected

    assert [todo(title, f"2026-03-{day}" if day else None)] == values(text)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (
            "I have to pick up the parcel and drop off the keys.",
            ["pick up the parcel", "drop off the keys"],
        ),
        (
            "We need to update the docs, bump the version and tag the release.",
            ["update the docs", "bump the version", "tag the release"],
        ),
        ("I need to buy milk, eggs, and bread.", ["buy milk, eggs, and bread"]),
        ("I must call Bob, he is waiting.", ["call Bob"]),
        ("- [ ] write the notes\n- [ ] update the log", ["write the notes", "update the log"]),
        ("TODO:\n- fix the login\n- write the guide", ["fix the login", "write the guide"]),
        ("On my list: paint the door, oil the hinges", ["paint the door", "oil the hinges"]),
    ],
)
def test_every_thing_of_a_list_is_a_task_of_its_own(text: str, titles: list[str]) -> None:
    """Lists of things to do are cut, lists of things to buy are not."""
    assert [todo(title) for title in titles] == values(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "title", "status"),
    [
        ("I've finished migrating the customer table.", "migrate the customer table", "done"),
        ("Finished painting the fence!", "paint the fence", "done"),
        ("I just submitted the visa application.", "submit the visa application", "done"),
        ("The landing page is finally done.", "landing page", "done"),
        ("I've already paid the rent.", "pay the rent", "done"),
        ("I got the slides done last night.", "slides", "done"),
        ("I managed to fix the printer.", "fix the printer", "done"),
        ("Mark the dentist appointment as done.", "dentist appointment", "done"),
        ("Booked the vet appointment, so that one's off the list.", "book the vet appointment")
        + ("done",),
        ("- [x] set up the build", "set up the build", "done"),
        ("I'm working on the keynote slides.", "keynote slides", "doing"),
        ("We've started migrating the users.", "migrate the users", "doing"),
        ("The kitchen renovation is in progress.", "kitchen renovation", "doing"),
        ("I'm working on the company website.", "company website", "doing"),
        ("I'm planning a trip to Porto.", "plan a trip to Porto", "doing"),
        ("I'm stuck on the tax form.", "tax form", "blocked"),
        ("The deployment is blocked until security agrees.", "deployment", "blocked"),
        ("I can't finish the budget until finance answers.", "budget", "blocked"),
        ("Still waiting for approval from the client.", "approval from the client", "blocked"),
    ],
)
def test_how_far_a_task_is_is_told_with_its_name(text: str, title: str, status: str) -> None:
    """Reports of progress name the task as the plan did."""
    assert [{"title": title, "status": status}] == values(text)


@pytest.mark.spec("C6")
def test_a_plan_and_its_report_have_the_same_key() -> None:
    """What was planned and what was finished later meet under one key."""
    kind = BUILTIN_TYPES.get("tasks")
    plan, report = (
        found(text)[0].value
        for text in ("I need to migrate the customer table.", "I've migrated the customer table.")
    )

    assert "task:general:migrate_the_customer_table" == kind.key_of(plan) == kind.key_of(report)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "I need coffee.",
        "I'm working on my online shop.",
        "I'm working on the business and my dance moves.",
        "I'm in the middle of fantasy novel.",
        "Gotta check the size and the price too.",
        "I need you to translate this sentence.",
        "You have to be patient with kids.",
        "I must say, that was delicious.",
        "I have to go now.",
        "I need to vent for a minute.",
        "We need to talk.",
        "Do we need to update the docs?",
        "If we need to update the docs, tell me.",
        "I don't have to work tomorrow.",
        "My boss says I need to write more tests.",
        "She needs to finish her thesis.",
        "Everyone must wear a helmet.",
        "I had to wait two hours at the bank.",
        "I have to take my pills every morning.",
        "I might have to reschedule the trip.",
        "I'm done with this day.",
        "Well done!",
        "Is the report finished?",
        "Once the report is finished we can celebrate.",
        "I finished high school in 2005.",
        "I'm stuck in traffic.",
        "I'm waiting for the bus.",
        "I can't open the file because it's corrupted.",
        "Can you fix this bug for me?",
        "Write a function that parses dates.",
        "Passwords must be at least 12 characters long.",
    ],
)
def test_what_only_sounds_like_a_task_is_none(text: str) -> None:
    """Feelings, rules, questions, conditions, others' duties and requests are no tasks."""
    assert [] == values(text)


@pytest.mark.spec("C3", "C6")
def test_an_assistant_reports_with_less_weight_and_plans_nothing() -> None:
    """An assistant's report counts little, its advice not at all."""
    reports = found("The import job is done.", Source.ASSISTANT)
    advice = found("You need to install Docker first.", Source.ASSISTANT)
    offered = found("I need to read the file first.", Source.ASSISTANT)

    assert [(Source.ASSISTANT, 0.6)] == [(one.source, one.confidence) for one in reports]
    assert [] == advice + offered


@pytest.mark.spec("C6")
def test_a_task_points_at_its_words_and_knows_its_project() -> None:
    """Offsets are those of the message; a named project is the task's."""
    text = "Hello there. We need to sort the shelf for the Heron project by Friday. Bye."

    task = found(text)[0]

    words = "We need to sort the shelf for the Heron project by Friday"
    assert words == text[task.offset :][: task.length]
    assert words == task.text
    assert "Heron" == task.value["project"]
    assert ("tasks.need", 0.9) == (task.rule, task.confidence)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("TODO: 1. buy milk 2. pay bills 3. call mom", ["buy milk", "pay bills", "call mom"]),
        ("TODO: 1. Buy milk. 2. Pay bills. 3. Call mom.", ["Buy milk", "Pay bills", "Call mom"]),
        ("My tasks: 1) buy milk, 2) pay bills", ["buy milk", "pay bills"]),
        ("To do: (1) buy milk (2) pay bills", ["buy milk", "pay bills"]),
        ("Action items: ① fix login ② deploy the app", ["fix login", "deploy the app"]),
        ("I need to: 1. buy milk 2. call Bob", ["buy milk", "call Bob"]),
        ("TODO: 1. upgrade to version 1.2 2. pay bills", ["upgrade to version 1.2", "pay bills"]),
        ("待办：1. 买牛奶 2. 交水电费 3. 给妈妈打电话", ["买牛奶", "交水电费", "给妈妈打电话"]),
        ("待办：1.买牛奶2.交水电费", ["买牛奶", "交水电费"]),
        ("待办：1. 买牛奶。2. 交水电费。", ["买牛奶", "交水电费"]),
        ("待办 1、买牛奶 2、交水电费", ["买牛奶", "交水电费"]),
        ("待办：（1）买牛奶（2）交水电费", ["买牛奶", "交水电费"]),
        ("待办：① 买牛奶 ② 交水电费", ["买牛奶", "交水电费"]),
        ("今天要做：1. 写周报 2. 报销", ["写周报", "报销"]),
        ("My score: 1. I lost.", []),
        ("I have two cats: 1. Tom 2. Jerry", []),
        ("我的爱好：1. 游泳 2. 爬山", []),
        ("We moved to version 1. 2 people stayed.", []),
    ],
)
def test_a_numbered_list_on_one_line_is_as_many_tasks(text: str, titles: list[str]) -> None:
    """Whatever the numbers look like; a list of other things is none of tasks."""
    assert titles == [one.value["title"] for one in found(text)]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("To do today: 1. buy milk 2. pay bills", ["2026-03-05", "2026-03-05"]),
        ("TODO: 1. pay rent by Friday 2. call mom", ["2026-03-06", None]),
        ("今天要做：1. 写周报，周五前交 2. 报销", ["2026-03-06", "2026-03-05"]),
    ],
)
def test_a_day_in_a_list_is_that_of_its_item(text: str, days: list[str | None]) -> None:
    """The day of the heading is that of all."""
    assert days == [one.value.get("due") for one in found(text)]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "The meeting got pushed to Friday",
        "The release got pushed to Monday.",
        "The release has been pushed back",
        "My appointment got rescheduled to Monday",
        "The demo has been moved to Thursday",
        "My order got shipped",
        "My order was shipped yesterday",
        "The package has been delivered",
    ],
)
def test_what_is_moved_or_sent_by_others_is_no_task(text: str) -> None:
    """An appointment that moves and a parcel on its way were nothing to do."""
    assert [] == values(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    ["The fix got pushed.", "The invoice got paid", "The PR got merged", "The app is shipped"],
)
def test_work_that_got_done_is_a_task(text: str) -> None:
    """What somebody works on is done when it is told so."""
    assert ["done"] == [one.value["status"] for one in found(text)]
