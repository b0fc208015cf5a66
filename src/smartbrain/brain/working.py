"""Working state, as `brain.pins`, `plan`, `notebook`, `fastmemo` and `state` show it (W4–W8).

In: sessions, ids, texts and plain values. Out: what is kept, and the trail of its changes; as one
file, `context_state.json`. What a verb does is in `govern.turn_state`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from smartbrain.brain.arguments import Verbs, page_size
from smartbrain.domain.inputs import PinTypeName
from smartbrain.remember.arguments import read_id

if TYPE_CHECKING:
    from smartbrain.bootstrap.writing import WorkingState
    from smartbrain.domain.packet import PlanEntry
    from smartbrain.domain.working import Compaction, Governed, Memo, Note, Pin, TrailEntry


class Trailed(Verbs):
    """A group whose changes are numbered; `_kind` is what its verbs begin with."""

    _kind: str

    @property
    def _state(self) -> WorkingState:
        return self._terms.writing.state

    def _do(self, verb: str, given: dict[str, Any], actor: str = "user") -> Any:
        return self._run(self._state.do, f"{self._kind}.{verb}", given, actor=actor)


class OfTenant(Trailed):
    """Such a group of which a tenant has one."""

    def history(self, limit: int = 100) -> Sequence[TrailEntry]:
        """Return the changes, newest first."""
        return self._run(self._state.history, self._kind, None, page_size(limit))


class OfSession(Trailed):
    """Such a group of which each session has one."""

    def history(self, session_id: str, limit: int = 100) -> Sequence[TrailEntry]:
        """Return the changes, newest first."""
        session, most = read_id(session_id, "session_id"), page_size(limit)
        return self._run(self._state.history, self._kind, session, most)

    def _do_in(self, session_id: str, verb: str, given: dict[str, Any], actor: str = "user") -> Any:
        session = read_id(session_id, "session_id")
        return self._do(verb, {"session": session, **given}, actor)


class Pins(OfTenant):
    """The pins of a tenant: `brain.pins`."""

    _kind = "pins"

    def add(
        self,
        type: PinTypeName,  # noqa: A002 - the public keyword
        title: str,
        summary: str,
        source: str,
        artifact_ref: str | None = None,
        ttl: int | str | None = None,
        *,
        actor: str = "user",
    ) -> Pin:
        """Pin a key fact and return it with its number.

        Args:
            type: `constraint`, `path`, `command`, `code` or `conclusion`.
            title: what it is about, in a few words.
            summary: the fact itself, at most 600 characters.
            source: `chat:<message or turn id>`, `tool:<call id>` or `file:<path>#L<line>`.
            artifact_ref: where the rest is, if the summary is one of something longer.
            ttl: how long it lives: `7` or `"7d"` are days, `"30 sessions"` sessions; by default 7
                days or 30 sessions, whichever ends first.
            actor: `user`, or `agent` for a pin that may have to wait until it is accepted.

        Raises:
            Conflict: code `pins_full`; the sentence names pins to remove.
        """
        given = {
            "type": type,
            "title": title,
            "summary": summary,
            "source": source,
            "artifact_ref": artifact_ref,
            "ttl": ttl,
        }
        pin: Pin = self._do("add", given, actor)
        return pin

    def update(
        self,
        id: int | str,  # noqa: A002 - the public keyword
        *,
        actor: str = "user",
        **fields: Any,
    ) -> Pin:
        """Change fields of a pin: type, title, summary, source, artifact_ref or ttl.

        Raises:
            NotFound: there is no such pin.
        """
        pin: Pin = self._do("update", {"id": id, **fields}, actor)
        return pin

    def remove(self, ids: int | str | Sequence[int | str], *, actor: str = "user") -> Sequence[Pin]:
        """Take pins off and return them.

        Raises:
            NotFound: there is no such pin; none was removed.
        """
        gone: Sequence[Pin] = self._do("remove", {"ids": ids}, actor)
        return gone

    def renew(
        self,
        ids: int | str | Sequence[int | str],
        ttl: int | str | None = None,
        *,
        actor: str = "user",
    ) -> Sequence[Pin]:
        """Let pins live on from now, as long as before or as `ttl` says; expired ones come back.

        Raises:
            NotFound: there is no such pin, and none that has expired.
            Conflict: code `pins_full`; there is no place for one that has expired.
        """
        renewed: Sequence[Pin] = self._do("renew", {"ids": ids, "ttl": ttl}, actor)
        return renewed

    def accept(self, ids: int | str | Sequence[int | str]) -> Sequence[Pin]:
        """Let pins be shown that an agent has proposed.

        Raises:
            NotFound: there is no such pin.
        """
        accepted: Sequence[Pin] = self._do("accept", {"ids": ids})
        return accepted

    def list(self) -> Sequence[Pin]:
        """Return the pins that have not expired, proposed ones too, by their numbers."""
        return self._run(self._state.pins)

    def rollback(self, to: int | datetime | str) -> Sequence[Pin]:
        """Bring the board back to what it was after a change, or at a time, and return it.

        Args:
            to: the number of a change as `history` lists it, 0 for the empty board; or a time.

        Raises:
            NotFound: code `gone`, if the trail does not reach back so far.
        """
        self._do("rollback", {"to": to})
        return self.list()


class Plan(OfSession):
    """The plans of a tenant's sessions: `brain.plan`."""

    _kind = "plan"

    def add(
        self, session_id: str, text: str, done_when: str | None = None, *, actor: str = "user"
    ) -> PlanEntry:
        """Add a step and return it with its number.

        Args:
            session_id: the conversation.
            text: what is to be done.
            done_when: what makes it done.
            actor: `user` or `agent`.
        """
        given = {"text": text, "done_when": done_when}
        step: PlanEntry = self._do_in(session_id, "add", given, actor)
        return step

    def check(
        self,
        session_id: str,
        id: int | str,  # noqa: A002 - the public keyword
        done: bool = True,
        *,
        actor: str = "user",
    ) -> PlanEntry:
        """Tick a step off, or open it again with `done=False`.

        Raises:
            NotFound: there is no such step.
        """
        step: PlanEntry = self._do_in(session_id, "check", {"id": id, "done": done}, actor)
        return step

    def remove(
        self, session_id: str, ids: int | str | Sequence[int | str], *, actor: str = "user"
    ) -> Sequence[PlanEntry]:
        """Take steps out and return them.

        Raises:
            NotFound: there is no such step; none was removed.
        """
        gone: Sequence[PlanEntry] = self._do_in(session_id, "remove", {"ids": ids}, actor)
        return gone

    def list(self, session_id: str) -> Sequence[PlanEntry]:
        """Return the plan of a session in order."""
        return self._run(self._state.plan, read_id(session_id, "session_id"))

    def rollback(self, session_id: str, to: int | datetime | str) -> Sequence[PlanEntry]:
        """Bring a plan back to what it was after a change, or at a time, and return it.

        Raises:
            NotFound: code `gone`, if the trail does not reach back so far.
        """
        self._do_in(session_id, "rollback", {"to": to})
        return self.list(session_id)


class Notebook(OfSession):
    """The notebooks of a tenant's sessions: `brain.notebook`."""

    _kind = "notebook"

    def add(
        self,
        session_id: str,
        text: str,
        *,
        source: str | None = None,
        milestone: bool = False,
        actor: str = "user",
    ) -> Note:
        """Write a line and return it with its number.

        Args:
            session_id: the conversation.
            text: what was done or decided, and why.
            source: where it comes from, such as `tool:<call id>`.
            milestone: whether compaction has to leave it as it is.
            actor: `user` or `agent`.
        """
        given = {"text": text, "source": source, "milestone": milestone}
        note: Note = self._do_in(session_id, "add", given, actor)
        return note

    def list(self, session_id: str) -> Sequence[Note]:
        """Return the notes of a session in order."""
        return self._run(self._state.notes, read_id(session_id, "session_id"))

    def compact(self, session_id: str) -> Sequence[Note]:
        """Fold the older notes into one line now, milestones excepted, and return what is left."""
        left: Sequence[Note] = self._do_in(session_id, "compact", {})
        return left

    def rollback(self, session_id: str, to: int | datetime | str) -> Sequence[Note]:
        """Bring a notebook back to what it was after a change, or at a time, and return it.

        Raises:
            NotFound: code `gone`, if the trail does not reach back so far.
        """
        self._do_in(session_id, "rollback", {"to": to})
        return self.list(session_id)


class FastMemo(OfTenant):
    """The surface memory of a tenant: `brain.fastmemo`."""

    _kind = "fastmemo"

    def add(self, section: str, text: str, *, actor: str = "user") -> Memo:
        """Keep a line; what the section says already is not repeated.

        Args:
            section: `self`, `user`, `environment`, `history` or `dynamic`, or a name of one in
                Chinese such as `用户感知`.
            text: a remark; line breaks become blanks, code and output of tools are refused.
            actor: `user` or `agent`.
        """
        memo: Memo = self._do("add", {"section": section, "text": text}, actor)
        return memo

    def read(self) -> Memo:
        """Return the sections, and which of them are due for compaction."""
        return self._run(self._state.memo)

    def compact(self, bullets: Mapping[str, str] | None = None, *, actor: str = "user") -> Memo:
        """Make one line of each section; do this when nothing else is going on.

        Args:
            bullets: the line for each section that has any, if a model wrote them; by rule if not.
            actor: `user` or `agent`.
        """
        memo: Memo = self._do("compact", {"bullets": bullets}, actor)
        return memo

    def export(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the sections as text with their headings, and write it to a file if named."""
        return self._run(self._state.memo_file, path)

    def load(self, path: str | os.PathLike[str], *, actor: str = "user") -> Memo:
        """Put what a file of that form says into the place of all sections."""
        return self._run(self._state.load_memo, path, actor=actor)

    def rollback(self, to: int | datetime | str) -> Memo:
        """Bring the sections back to what they were after a change, or at a time.

        Raises:
            NotFound: code `gone`, if the trail does not reach back so far.
        """
        self._do("rollback", {"to": to})
        return self.read()


class State(Verbs):
    """The working state of a tenant's sessions: `brain.state`."""

    @property
    def _state(self) -> WorkingState:
        return self._terms.writing.state

    def export(
        self, session_id: str, path: str | os.PathLike[str] | None = None
    ) -> Mapping[str, Any]:
        """Return the state of a session, and write it to a file if one is named."""
        return self._run(self._state.export, read_id(session_id, "session_id"), path)

    def diff(self, session_id: str, path: str | os.PathLike[str]) -> str:
        """Return how a file differs from what is stored, as a unified diff; empty if not at all."""
        return self._run(self._state.diff, read_id(session_id, "session_id"), path)

    def load(
        self, session_id: str, path: str | os.PathLike[str], *, actor: str = "user"
    ) -> Mapping[str, int]:
        """Put what a file says in place and return the number of each list's last change.

        Raises:
            UsageError: the file cannot be read; or, code `bad_state_file`, something in it is
                wrong: the sentence has the line and the reason, and nothing was changed.
        """
        return self._run(self._state.load, read_id(session_id, "session_id"), path, actor=actor)

    def governed(self, session_id: str) -> Governed:
        """Return the pins, the plan, the notes and the surface memory that a session is shown."""
        return self._run(self._state.governed, read_id(session_id, "session_id"))

    def compaction(self, session_id: str) -> Compaction:
        """Return how far the chat of a session is from its next soft compaction."""
        return self._run(self._state.compaction, read_id(session_id, "session_id"))
