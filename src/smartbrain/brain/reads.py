"""The verbs of a handle that bring to mind or look back.

In: questions with their limits, ids of contexts. Out: answers with their traces. `SmartBrain` has
these verbs from here; what they do is in `recall`, `compose` and `bootstrap`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from smartbrain.brain.arguments import MOST_TOKENS, Handle, flag, read_choice, whole
from smartbrain.domain.audience import Audience
from smartbrain.domain.explanation import Explanation
from smartbrain.domain.inputs import AgentState, AudienceName, GivenMessage
from smartbrain.domain.result import CommitExplain
from smartbrain.domain.time import read_time
from smartbrain.errors import NotFound, UsageError
from smartbrain.recall.request import PacketOptions, RecallRequest
from smartbrain.recall.verdicts import with_packet
from smartbrain.remember.arguments import read_id, read_text

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Terms
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.context_diff import ContextDiff
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.recall import Recall


_MOST_DAYS: Final = 36_500
_MOST_HOPS: Final = 4
_ANSWER: Final = 20


class Reads(Handle):
    """Verbs that read."""

    def recall(
        self,
        query: str,
        *,
        k: int = 20,
        budget_tokens: int | None = None,
        k_hop: int = 2,
        timebox_days: float | None = None,
        since: object = None,
        until: object = None,
        session_id: str | None = None,
        types: str | Sequence[str] | None = None,
        as_of: object = None,
        include_history: bool = False,
        need_citations: bool = True,
    ) -> Recall:
        """Return the memories that answer a question, best first, with what speaks for each.

        Args:
            query: the question, in any words.
            k: how many memories at most.
            budget_tokens: how many tokens they and their quotes may take together.
            k_hop: how many relations the graph is followed; 0 leaves it out.
            timebox_days: only what was said in so many days.
            since: only what was said from then on.
            until: only what was said before then.
            session_id: the conversation that the question is asked in, for what it refers back to.
            types: only memories of these types.
            as_of: what held at this time, in place of what holds now.
            include_history: also what holds no more.
            need_citations: whether original words are quoted.
        """
        terms, rules = self._terms, self._settings.rules
        begin, end = _time(since, terms, "since"), _time(until, terms, "until")
        if begin is not None and end is not None and begin >= end:
            raise UsageError(f"since {since!r:.60} is not before until {until!r:.60}")
        asked = replace(
            self._asked(query, session_id, whole(k, "k", 1, rules.recall.max_k)),
            k_hop=whole(k_hop, "k_hop", 0, _MOST_HOPS),
            types=_types(types, terms),
            until=end,
            as_of=_time(as_of, terms, "as_of"),
            history=flag(include_history, "include_history"),
        )
        asked = replace(asked, since=_begin(begin, timebox_days, asked.now))
        budget = _budget(budget_tokens)
        cite = flag(need_citations, "need_citations")
        with self._lease() as tenant:
            recalling = self._root.recalling
            return recalling.recall(asked, tenant, rules, budget_tokens=budget, cite=cite)

    def build_memory_packet(
        self,
        session_id: str,
        user_message: str,
        *,
        run_id: str | None = None,
        audience: AudienceName = "responder",
        task_type: str | None = None,
    ) -> MemoryPacket:
        """Return what memory contributes to one model call: groups in fixed order, within limits.

        Args:
            session_id: the conversation; an unknown one is an empty one.
            user_message: what the user says.
            run_id: the run whose working memory comes first.
            audience: `responder` or `planner`; what is not validated never reaches a responder.
            task_type: the kind of task, for which procedures are looked up.

        Raises:
            NotFound: there is no such run, or the tenant has been deleted.
        """
        session = read_id(session_id, "session_id")
        asked = self._asked(user_message, session, self._settings.rules.packet.max_per_type)
        whom = PacketOptions(
            audience=read_choice(Audience, audience, "audience"),
            run_id=None if run_id is None else read_id(run_id, "run_id"),
            task_type=None if task_type is None else read_id(task_type, "task_type"),
        )
        with self._lease() as tenant:
            return self._root.recalling.packet(asked, whom, tenant, self._settings.rules).packet

    def compose_context(
        self,
        session_id: str,
        user_message: str | GivenMessage | None = None,
        agent_state: AgentState | None = None,
        *,
        turn_id: str | None = None,
        recipe: str = "standard",
        audience: AudienceName = "responder",
        run_id: str | None = None,
        token_limit: int | None = None,
    ) -> ContextPackage:
        """Return the context of one model call: slots in fixed order, never over the limit.

        Args:
            session_id: the conversation; an unknown one is an empty one.
            user_message: what the user says, as text or as a message; none in a step of a loop.
            agent_state: the agent's own `system`, `developer`, `tools` and `mode`; never cut.
            turn_id: the turn in progress, whose steps so far are shown once.
            recipe: `standard`, `chat`, `tool_loop`, or one of brain.yml.
            audience: `responder` or `planner`; what is not validated never reaches a responder.
            run_id: the run whose working memory is shown.
            token_limit: the most tokens; that of the rules by default.

        Raises:
            NotFound: there is no such turn or run, or the tenant has been deleted.
        """
        rules = self._settings.rules
        given = {
            "session_id": session_id,
            "turn_id": turn_id,
            "recipe": recipe,
            "audience": read_choice(Audience, audience, "audience"),
            "run_id": run_id,
            "token_limit": token_limit,
        }
        composing = self._root.composing()
        now = self._terms.clock()
        wanted = composing.read(given, now, rules, message=user_message, state=agent_state)
        with self._lease() as tenant:
            return composing.compose(wanted, tenant, rules)

    def explain(
        self,
        context_id: str | None = None,
        *,
        turn_id: str | None = None,
        query: str | None = None,
        expect: str | None = None,
        k: int | None = None,
        budget_tokens: int | None = None,
    ) -> Explanation:
        """Return why a context shows what it shows, a turn wrote what it wrote, or an answer holds.

        Args:
            context_id: a composed context: its plan, what was chosen and left out, its budget; with
                `expect`, why that is in it or is not.
            turn_id: a turn, or an operation, whose decisions are asked for.
            query: a question, as `recall` and `build_memory_packet` are asked it.
            expect: the id or key of a memory, or words, that the answer should have held.
            k: how many memories the recall was asked for, whose answer alone is judged then.
            budget_tokens: how many tokens it was given, likewise.

        Raises:
            NotFound: the context, the turn or the tenant is not known.
        """
        ways = [one is not None for one in (context_id, turn_id, query)]
        if turn_id is not None and ways == [False, True, False] and expect is None:
            return self._explain_turn(read_id(turn_id, "turn_id"))
        if ways == [True, False, False]:
            past = self._root.past_contexts()
            with self._lease() as tenant:
                if expect is None:
                    return past.explain(context_id, tenant, self._settings)
                wanted = read_text(expect, "expect")
                return past.why(context_id, wanted, tenant, self._settings)
        if query is None or expect is None or any(ways[:2]):
            raise UsageError(
                "explain takes either context_id, with expect or alone, or turn_id, or query and"
                " expect"
            )
        rules = self._settings.rules
        most = _ANSWER if k is None else whole(k, "k", 1, rules.recall.max_k)
        wanted, budget = read_text(expect, "expect"), _budget(budget_tokens)
        asked = self._asked(query, None, most)
        with self._lease() as tenant:
            recalling = self._root.recalling
            told, packet = recalling.explain(wanted, asked, tenant, rules, budget_tokens=budget)
        return with_packet(told, packet, judged=k is None and budget is None)

    def replay(self, context_id: str, overrides: Mapping[str, Any]) -> ContextDiff:
        """Return what a past context would show otherwise: `{"policies.composition.…": …}`.

        What was kept is ranked, budgeted and rendered again. Where an override needs a search, it
        is made over what was stored then, and the diff says so: `live`, and `notes` why.

        Args:
            context_id: the context.
            overrides: settings by name, and `recipe`; with none it shows what it showed.

        Raises:
            NotFound: no trace of it is kept, or not what it was chosen from.
        """
        past = self._root.past_contexts()
        with self._lease() as tenant:
            return past.replay(context_id, overrides, tenant, self._settings)

    def diff(self, context_id: str, other_id: str) -> ContextDiff:
        """Return what differs between two composed contexts.

        Raises:
            NotFound: no trace of one is kept, or not what it showed.
        """
        past = self._root.past_contexts()
        with self._lease() as tenant:
            return past.diff(context_id, other_id, tenant, self._settings)

    def metrics(self) -> dict[str, Any]:
        """Return how recall has gone in this process, and what this tenant holds, in figures."""
        with self._lease() as tenant:
            return self._root.recalling.metrics(tenant)

    def _asked(self, text: str, session_id: str | None, k: int) -> RecallRequest:
        return RecallRequest(
            text=read_text(text, "the message", empty=True),
            now=self._terms.clock(),
            k=k,
            k_hop=self._settings.rules.recall.graph.k_hop,
            session_id=None if session_id is None else read_id(session_id, "session_id"),
        )

    def _explain_turn(self, turn_id: str) -> Explanation:
        with self._lease() as tenant, tenant.ports.truth.read() as transaction:
            kept = transaction.remembering.explanations(turn_id)
        if not kept:
            raise NotFound(
                f"no turn and no operation {turn_id!r:.80} in this tenant explains itself"
            )
        return Explanation(turn_id=turn_id, steps=tuple(map(CommitExplain.from_dict, kept)))


def _budget(given: int | None) -> int | None:
    return None if given is None else whole(given, "budget_tokens", 1, MOST_TOKENS)


def _time(given: object, terms: Terms, name: str) -> Any:
    return None if given is None else read_time(given, terms.zone, name)


def _begin(since: datetime | None, days: object, now: datetime) -> datetime | None:
    if days is None:
        return since
    begin = now - timedelta(days=_days(days))
    return begin if since is None else max(since, begin)


def _days(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= _MOST_DAYS:
        raise UsageError(f"timebox_days is a number up to {_MOST_DAYS}, not {given!r:.60}")
    return float(given)


def _types(given: object, terms: Terms) -> tuple[str, ...]:
    if given is None:
        return ()
    names = (
        [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else None
    )
    if names is None or not all(isinstance(name, str) for name in names):
        raise UsageError(f"types is a list of names of types, not {given!r:.60}")
    return tuple(terms.types.get(name).name for name in names)
