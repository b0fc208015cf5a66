"""`memctl chat`: talk to a model that has a memory, and see what it is given each time.

In: lines, typed or from a pipe. Out: answers, beside each the context that was composed for it and
what it took of the budget. Any service that speaks OpenAI's `/chat/completions` answers, or nobody
does and the echo repeats what was said.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from smartbrain.adapters.models.parse import LANGUAGE_MODEL
from smartbrain.entrypoints.cli.options import DEFAULT, RootOption, TenantOption, opened_tenant
from smartbrain.entrypoints.wire.errors import exit_code
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain.errors import SmartBrainError
    from smartbrain.ports.language_model import LanguageModel

_PROMPT: Final = "you> "


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """What `memctl chat` can be asked, an option each."""

    session: Annotated[str, typer.Option(help="The conversation to go on with.")] = "chat"
    url: Annotated[
        str | None, typer.Option(help="The service, such as http://localhost:11434/v1.")
    ] = None
    model: Annotated[str | None, typer.Option(help="Which model of the service.")] = None
    key_env: Annotated[
        str | None, typer.Option(help="The environment variable that holds its key.")
    ] = None
    echo: Annotated[
        bool, typer.Option("--echo", help="Use no model: repeat what is said. So without --url.")
    ] = False
    system: Annotated[str | None, typer.Option(help="What the model is told first.")] = None
    limit: Annotated[int | None, typer.Option(help="How many tokens a context may take.")] = None
    timeout: Annotated[float, typer.Option(help="How many seconds an answer may take.")] = 120.0
    no_context: Annotated[bool, typer.Option("--no-context", help="Show the answers alone.")] = (
        False
    )
    tenant: TenantOption = DEFAULT
    root: RootOption = None


def chat(options: ChatOptions) -> None:
    """Talk to a model that has a memory.

    Each message gets a composed context, goes to the model, and is kept as a turn with its answer.
    `/context`, `/why` and `/pins` show more; `/quit`, Ctrl-D or Ctrl-C ends. Lines from a pipe are
    a message each; the exit code then tells of a message that got no answer, which is kept too.
    """
    from smartbrain import SmartBrain
    from smartbrain.entrypoints.cli.show_chat import Chat

    failed: SmartBrainError | None = None
    with (
        _opened_model(options) as model,
        opened_tenant(options.root, options.tenant, create=True) as (place, _),
    ):
        shown = Chat(
            brain=SmartBrain(place, options.tenant, owner=False),
            session=options.session,
            rules=place.settings.rules.policies.composition,
            model=model,
            system=options.system,
            limit=options.limit,
            timeout=options.timeout,
            context=not options.no_context,
        )
        shown.begin()
        with suppress(KeyboardInterrupt):
            for line in _lines():
                if line == "/quit":
                    break
                failed = shown.take(line) or failed
    if not sys.stdin.isatty():
        if failed is not None:
            raise typer.Exit(exit_code(failed))
    else:
        sys.stdout.write("\n")


def _lines() -> Iterator[str]:
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a byte that is no text stops no conversation
    while True:
        try:
            line = input(_PROMPT) if sys.stdin.isatty() else next(sys.stdin)
        except (EOFError, StopIteration):
            return
        if line.strip():
            yield line.strip()


@contextmanager
def _opened_model(options: ChatOptions) -> Iterator[LanguageModel | None]:
    from smartbrain.bootstrap.models import model_from

    if options.echo or options.url is None:
        if options.url is not None or options.model is not None or options.key_env is not None:
            raise UsageError("the echo needs no --url, --model or --key-env; leave out one side")
        yield None
        return
    if not options.model:
        raise UsageError("--url needs --model, the name of a model of that service")
    given = {"language_model": f"{options.url}#{options.model}"}
    if options.key_env:
        given["key_env"] = options.key_env
    model, _ = model_from(given, LANGUAGE_MODEL)
    try:
        yield model
    finally:
        model.close()
