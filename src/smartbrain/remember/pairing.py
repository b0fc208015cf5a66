"""Tool calls and their results, said apart in a provider's messages, made one entry each (W6).

In: calls and results as they are met, and the caller's own list of tool calls. Out: one entry a
call in the form of that list, in the order in which they first appear. What does not fit together
is kept as two entries and reported; whether a value may be stored is checked in `remember.read`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from smartbrain.domain.hints import shown
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import CallStatus
from smartbrain.errors import UsageError

Placed = tuple[Mapping[str, Any], str]
"""A part of the turn and the place where the caller gave it."""
_Key = tuple[str | None, str | None]


class _Entry(NamedTuple):
    """One tool call as far as it is known."""

    fields: dict[str, Any]
    where: str


class CallPairs:
    """The calls of a turn's messages, each with its result once that is met.

    A call is known by its id; one without an id, as in OpenAI's first way of calling functions,
    by its name.
    """

    def __init__(self, ignored: list[Reason]) -> None:
        """Start with no calls; `ignored` takes a reason for whatever does not fit together."""
        self._ignored = ignored
        self._entries: list[_Entry] = []
        self._first: dict[str, _Entry] = {}
        self._waiting: dict[_Key, deque[_Entry]] = {}
        self._uncalled: dict[str, _Entry] = {}
        self._seen: set[tuple[str, str, str]] = set()

    def add_call(self, call_id: str | None, name: Any, args: Any, where: str) -> None:
        """Take a call; the same one again is not a second call."""
        if call_id is not None:
            if self._repeated("call", call_id, [name, args], where):
                return
            answered = self._uncalled.pop(call_id, None)
            if answered is not None:
                answered.fields.update(name=name, args=args)
                return
            self._report_second(call_id, where)
        entry = self._append({"id": call_id, "name": name, "args": args}, where)
        key = (call_id, None if call_id else name)
        self._waiting.setdefault(key, deque()).append(entry)

    def add_result(
        self, call_id: str | None, name: Any, result: Any, *, failed: bool, where: str
    ) -> Any:
        """Take a result and return the name of the call that it answers."""
        outcome = {"result": result, "status": CallStatus.ERROR if failed else CallStatus.OK}
        waiting = self._waiting.get((call_id, None if call_id else name))
        if waiting:
            entry = waiting.popleft()
            entry.fields.update(outcome)
            if call_id is not None:
                self._repeated("result", call_id, [result, failed], where)
            return entry.fields["name"]
        if call_id is None or call_id not in self._first:
            self._report_uncalled(call_id or name, where)
            entry = self._append({"id": call_id, "name": name, **outcome}, where)
            if call_id is not None:
                self._repeated("result", call_id, [result, failed], where)
                self._uncalled[call_id] = entry
            return name
        first = self._first[call_id].fields
        if not self._repeated("result", call_id, [result, failed], where):
            self._report_second(call_id, where)
            self._append({**first, **outcome}, where)
        return first["name"]

    def merged(self, given: Iterable[Placed]) -> list[Placed]:
        """Return all calls: those of the messages, then what the caller's list adds to them."""
        free: dict[str, deque[int]] = {}
        for number, entry in enumerate(self._entries):
            if entry.fields["id"] is not None:
                free.setdefault(entry.fields["id"], deque()).append(number)
        calls: list[Placed] = list(self._entries)
        more: list[Placed] = []
        listed: set[str] = set()
        for part, where in given:
            call_id = part.get("id")
            same = free.get(call_id) if isinstance(call_id, str) else None
            if same and _agree(calls[same[0]][0], part):
                number = same.popleft()
                calls[number] = (_joined(calls[number][0], part), where)
            else:
                if isinstance(call_id, str):
                    self._report_second(call_id, where)
                    self._report_listed(call_id, where, listed)
                more.append((part, where))
        return [(_named(fields), where) for fields, where in calls] + more

    def _append(self, fields: dict[str, Any], where: str) -> _Entry:
        entry = _Entry(fields, where)
        self._entries.append(entry)
        if fields["id"] is not None:
            self._first.setdefault(fields["id"], entry)
        return entry

    def _repeated(self, kind: str, call_id: str, value: Any, where: str) -> bool:
        """Tell whether the same was said of a call before, and note that it is said now."""
        try:
            mark = (kind, call_id, canonical_json(value))
        except UsageError as error:
            raise UsageError(f"{where}: {error.message}") from None
        if mark in self._seen:
            return True
        self._seen.add(mark)
        return False

    def _report_second(self, call_id: str, where: str) -> None:
        if call_id in self._first:
            self._ignored.append(
                Reason(
                    "duplicate_call_id",
                    f"{where} says something else of the call {shown(call_id)}; both are kept",
                )
            )

    def _report_listed(self, call_id: str, where: str, listed: set[str]) -> None:
        """Report a second entry of one id in the caller's own list."""
        if call_id in listed and call_id not in self._first:
            self._ignored.append(
                Reason(
                    "duplicate_id",
                    f"{where} is another call of the id {shown(call_id)}; both are kept",
                )
            )
        listed.add(call_id)

    def _report_uncalled(self, call: Any, where: str) -> None:
        self._ignored.append(
            Reason(
                "result_without_call",
                f"{where} answers the call {shown(call)}, which is not among these messages;"
                " its result is kept",
            )
        )


def _agree(known: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    """Tell whether two entries of one id can be the same call: nothing is said in two ways."""
    pairs = [(known.get(name), part.get(name)) for name in ("name", "args", "result")]
    return all(one is None or other is None or one == other for one, other in pairs)


def _joined(known: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """Return one entry of two; how a process ended says more than that a result came back."""
    said = {name: value for name, value in part.items() if value is not None}
    if "exit_code" in said and known.get("status") is not CallStatus.ERROR:
        said.setdefault("status", None)
    return {**known, **said}


def _named(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give a result whose call was never seen a name to go by."""
    return {**fields, "name": "unknown"} if fields["name"] is None else fields
