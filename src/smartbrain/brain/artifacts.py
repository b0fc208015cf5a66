"""What tools have left behind, as `brain.artifacts` shows it: the runs, their output part by part.

In: ids, ranges, patterns and paths. Out: artifacts, lines that match, parts of files. A read is
never longer than the settings allow, and says how to go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from smartbrain.brain.arguments import Verbs, page_size, read_place, whole
from smartbrain.domain.turn import GivenTurn
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_id, read_optional_id, read_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Terms
    from smartbrain.brain.arguments import Lease
    from smartbrain.domain.artifact import Artifact, ArtifactPage, FoundLines, Snippet

SESSION: Final = "artifacts"
"""The session of runs that belong to none."""
_MOST_CONTEXT: Final = 50
_MOST_LINES: Final = 10_000


class Artifacts(Verbs):
    """The runs of tools of a tenant: `brain.artifacts`."""

    def __init__(self, lease: Lease, terms: Terms, written: Callable[[OpenTenant], None]) -> None:
        super().__init__(lease, terms)
        self._written = written

    def add(
        self,
        tool_name: str,
        output: Any = None,
        *,
        args: Any = None,
        stdout: str | None = None,
        stderr: str | None = None,
        exit_code: int | None = None,
        status: str | None = None,
        session_id: str | None = None,
        turn_id: str | None = None,
        owner: str = "main",
        idempotency_key: str | None = None,
    ) -> Artifact:
        """Store the run of a tool and return it; it becomes a turn, or a step of the one named.

        Args:
            tool_name: the tool.
            output: what it gave back, a text or plain JSON; or its streams by themselves.
            args: what it was called with, plain JSON.
            stdout: what it printed.
            stderr: what it printed as errors.
            exit_code: how it ended; 0 is well.
            status: `ok`, `error` or `unknown`; told by the exit code by default.
            session_id: the conversation; one of its own by default.
            turn_id: the turn that it is a step of; a new one by default.
            owner: who ran it, such as `main`.
            idempotency_key: repeating a call with its key returns the first run.

        Raises:
            NotFound: `turn_id` names no turn.
            Conflict: the idempotency key was used with another run.
        """
        call = {
            "name": tool_name,
            "args": args,
            "result": output,
            "stdout": stdout,
            "stderr": stderr,
            "exit_code": exit_code,
            "status": status,
            "owner": read_id(owner, "owner"),
        }
        given = GivenTurn(
            session_id=SESSION if session_id is None else session_id,
            events={"tool_calls": [call]},
            turn_id=turn_id,
            idempotency_key=idempotency_key,
        )
        writing = self._terms.writing
        request = writing.read(given, self._terms.types)
        with self._lease() as tenant:
            result = writing.commit([request], ports=tenant.ports)[0]
            self._written(tenant)
            return writing.outputs.added(result.artifacts[0], ports=tenant.ports)

    def get(
        self,
        id: str,  # noqa: A002 - the public name
        range: str | tuple[int, int] | None = None,  # noqa: A002 - the public name
    ) -> Artifact:
        """Return a run with a part of its output, and how to go on.

        Args:
            id: the run, as a commit names it; also `tool:<id>`, or `turn:<id>` for what was said in
                a turn, which the end of its id names as well: `turn:…2b6faa`, as evidence shows it.
            range: lines such as "10-40" or (10, 40), or bytes such as "bytes=0-999"; as much as
                may be shown from the beginning by default.

        Raises:
            NotFound: there is no such run.
        """
        wanted = read_id(id, "id")
        return self._run(self._terms.writing.outputs.get, wanted, range)

    def grep(
        self,
        id: str,  # noqa: A002 - the public name
        pattern: str,
        limit: int = 20,
        *,
        context: int = 0,
        ignore_case: bool = False,
        after: int = 0,
    ) -> FoundLines:
        """Return the lines of an output that match a regular expression, numbered.

        Args:
            id: the run, as a commit names it; also `tool:<id>`, or a turn as `get` takes it.
            pattern: a regular expression as Python reads it; matched line by line.
            limit: how many matches at most, up to 1,000.
            context: how many lines around each, up to 50.
            ignore_case: whether capital and small letters are the same.
            after: only lines after this one, to go on.

        Raises:
            NotFound: there is no such run.
        """
        wanted, asked = read_id(id, "id"), read_text(pattern, "pattern")
        if not isinstance(ignore_case, bool):
            raise UsageError(f"ignore_case is True or False, not {ignore_case!r:.60}")
        return self._run(
            self._terms.writing.outputs.grep,
            wanted,
            asked,
            limit=page_size(limit),
            after=whole(after, "after", 0),
            context=whole(context, "context", 0, _MOST_CONTEXT),
            ignore_case=ignore_case,
        )

    def list(
        self,
        session_id: str | None = None,
        turn_id: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> ArtifactPage:
        """Return runs without their output, newest first, a page at a time.

        Args:
            session_id: only those of this conversation.
            turn_id: only those of this turn.
            limit: how many at most, up to 1,000.
            cursor: the `cursor` of the page before.
        """
        session = read_optional_id(session_id, "session_id")
        turn = read_optional_id(turn_id, "turn_id")
        before = None if cursor is None else read_place(cursor)
        most = page_size(limit)
        return self._run(self._terms.writing.outputs.page, session, turn, before, most)

    def file_snippet(
        self,
        path: str,
        start: int = 1,
        len: int = 80,  # noqa: A002 - the public name
        range: str | tuple[int, int] | None = None,  # noqa: A002 - the public name
    ) -> Snippet:
        """Return some lines of a file in one of the folders of `artifacts.file_roots`.

        Args:
            path: the file; a relative one is looked for in each folder.
            start: the first line, 1 for that of the file.
            len: how many lines at most, up to 10,000.
            range: the part that is wanted instead, as `get` takes it; `more` names the next one
                where a line is too long to be shown at once.
        """
        wanted = read_text(path, "path", longest=4096)
        first, count = whole(start, "start", 1), whole(len, "len", 1, _MOST_LINES)
        return self._terms.writing.outputs.snippet(wanted, first, count, wanted=range)
