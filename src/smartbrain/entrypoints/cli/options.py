"""Options that many commands share, and the brain and tenants that they name.

In: what was typed, the environment, the working folder. Out: paths and names that are there, or an
error that says what to do. A brain is looked for at `--root`, then at SMARTBRAIN_ROOT, then in the
nearest `.smartbrain` folder upward, else in the user's home.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeVar, get_type_hints

import typer

from smartbrain.bootstrap.folders import TENANTS, make_folder
from smartbrain.entrypoints.cli.lines import one_line, print_json
from smartbrain.errors import NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain import SmartBrain
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Root

FOLDER: Final = ".smartbrain"
VARIABLE: Final = "SMARTBRAIN_ROOT"


def find_root(given: Path | None) -> Path:
    """Return the folder of the brain that a command is about."""
    if given is not None:
        return given
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / FOLDER).is_dir():
            return folder / FOLDER
    return Path.home() / FOLDER


def new_root(given: Path | None) -> Path:
    """Return where `memctl init` makes a brain: as told, else in the working folder."""
    if given is not None or os.environ.get(VARIABLE):
        return find_root(given)
    return Path.cwd() / FOLDER


def make_brain(place: Path) -> bool:
    """Make a brain in a folder, with a commented brain.yml; tell whether that was written."""
    from smartbrain.bootstrap.sources import write_template

    make_folder(place / TENANTS)
    return write_template(place)


def begun_root(root: Path | None) -> Path:
    """Return the root that a command writes to; where there is none it is made, and told of."""
    from smartbrain.bootstrap.sources import read_root

    place = read_root(find_root(root))
    if not (place / TENANTS).is_dir():
        make_brain(place)
        sys.stderr.write(one_line(f"memctl: made a brain at {place}") + "\n")
    return place


T = TypeVar("T")

_LONGEST_NUMBER: Final = 18  # digits
DEFAULT: Final = "default"
"""The tenant of a command that names none."""

RootOption = Annotated[
    Path | None, typer.Option("--root", help="The brain's folder; found if left out.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
TenantOption = Annotated[str, typer.Option("--tenant", help="Whose memory.")]
OneTenantOption = Annotated[str | None, typer.Option("--tenant", help="Only this tenant.")]
SessionOption = Annotated[str, typer.Option("--session", help="The conversation.")]


def with_options(options: type[T], run: Callable[[T], None]) -> Callable[..., None]:
    """Return a command of many options: a field of a dataclass each."""

    def command(**given: Any) -> None:
        run(options(**given))

    return _shaped(command, run, _fields(options))


def about_tenant(
    opened: Callable[[Path | None, str], AbstractContextManager[Any]],
    kind: Any = None,
    *,
    options: type[Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Make a command of a function of an open brain; it has the options of every tenant's command.

    The function returns a `CommandAnswer`, or what a verb gave, whose entries are of a `kind`. Its
    own options are its parameters, or the fields of `options`.
    """

    def add(run: Callable[..., Any]) -> Callable[..., None]:
        def command(*, tenant: str, root: Path | None, as_json: bool, **given: Any) -> None:
            with opened(root, tenant) as brain:
                answer = run(brain, options(**given)) if options else run(brain, **given)
            print_answer(answer, kind, as_json=as_json)

        own = _fields(options) if options else _parameters(run)[1:]
        return _shaped(command, run, [*own, *_parameters(_tenant_options)])

    return add


def each_tenant(run: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function of a root and the names of its tenants that are meant."""

    def command(*, tenant: str | None, root: Path | None, as_json: bool, **given: Any) -> None:
        from smartbrain.bootstrap.root import Root

        place = existing_root(root)
        run(Root(place), chosen_tenants(place, tenant), as_json=as_json, **given)

    own = [one for one in _parameters(run)[2:] if one.name != "as_json"]
    return _shaped(command, run, [*own, *_parameters(_tenants_options)])


def _fields(options: type[Any]) -> list[Parameter]:
    hints = get_type_hints(options, include_extras=True)  # inherited fields too
    found = signature(options).parameters.items()
    return [one.replace(annotation=hints[name]) for name, one in found]


def _parameters(run: Callable[..., Any]) -> list[Parameter]:
    # Not imported for their names alone.
    names = dict.fromkeys(("OpenTenant", "Root", "Sequence", "SmartBrain"), list)
    return [*signature(run, locals=names, eval_str=True).parameters.values()]


def _shaped(
    command: Callable[..., None], run: Callable[..., Any], options: Sequence[Parameter]
) -> Callable[..., None]:
    """Return a command with the name and the help of a function, and the options that it takes."""
    command.__name__, command.__doc__ = run.__name__, run.__doc__
    keywords = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in options]
    vars(command)["__signature__"] = Signature(keywords)
    return command


def _tenant_options(
    tenant: TenantOption = DEFAULT, root: RootOption = None, as_json: JsonOption = False
) -> None:
    """Stand for the options that every command of a tenant has."""


def _tenants_options(
    tenant: OneTenantOption = None, root: RootOption = None, as_json: JsonOption = False
) -> None:
    """Stand for the options that every command about all tenants has."""


class CommandAnswer(NamedTuple):
    """What a command prints for programs, and the text for people or what shows it to them."""

    for_programs: Any
    for_people: str | Callable[[], None] | None


def print_answer(answer: Any, kind: Any = None, *, as_json: bool) -> None:
    """Print an answer for people or for programs."""
    if not isinstance(answer, CommandAnswer):
        from smartbrain.entrypoints.cli.show import name_of, show_value
        from smartbrain.entrypoints.wire.verbs import plain_result

        name, plain = name_of(kind), plain_result(answer)
        answer = CommandAnswer({name: plain} if name else plain, partial(show_value, answer, kind))
    if as_json or answer.for_people is None:
        print_json(answer.for_programs)
    elif callable(answer.for_people):
        answer.for_people()
    else:
        sys.stdout.write(answer.for_people)


def existing_root(root: Path | None) -> Path:
    """Return the root that a command is about, which must be there."""
    from smartbrain.bootstrap.sources import read_root

    place = read_root(find_root(root))
    if not (place / TENANTS).is_dir():
        raise UsageError(
            f"{place}: there is no brain here; `memctl init` makes one, `--root` names another",
            code="not_a_brain",
        )
    return place


def chosen_tenants(place: Path, tenant: str | None) -> list[str]:
    """Return the tenants that a command is about."""
    from smartbrain import SmartBrain

    names = SmartBrain.tenants(place)
    if tenant is None:
        return names
    if tenant not in names:
        raise NotFound(f"there is no tenant {tenant!r}; `memctl tenants` lists them")
    return [tenant]


@contextmanager
def needed_extra(name: str) -> Iterator[None]:
    """Have imports inside fail with how to install what they lack."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("smartbrain"):
            raise
        raise UsageError(
            f"this needs {error.name}, which is not installed; pip install 'smartbrain[{name}]'"
        ) from None


@contextmanager
def opened_tenant(
    root: Path | None, tenant: str, *, create: bool = False
) -> Iterator[tuple[Root, OpenTenant | None]]:
    """Open one tenant for a command; in a brain without tenants the default one is None."""
    from smartbrain import SmartBrain
    from smartbrain.bootstrap.root import Root

    place = begun_root(root) if create else existing_root(root)
    opened = Root(place)
    if not create and tenant == DEFAULT and tenant not in SmartBrain.tenants(place):
        yield opened, None
        return
    if not create:
        chosen_tenants(place, tenant)
    try:
        with opened.tenants.lease(tenant, create=create) as one:
            yield opened, one
    finally:
        opened.close()


@contextmanager
def opened_brain(
    root: Path | None, tenant: str, *, create: bool = False
) -> Iterator[SmartBrain | None]:
    """Open a handle of one tenant for a command; a default tenant that was never made is None."""
    from smartbrain import SmartBrain

    with opened_tenant(root, tenant, create=create) as (place, opened):
        yield None if opened is None else SmartBrain(place, tenant, owner=False)


@contextmanager
def stored_brain(root: Path | None, tenant: str) -> Iterator[SmartBrain]:
    """Open a handle for a command about something that must be there."""
    with opened_brain(root, tenant) as brain:
        if brain is None:
            raise NotFound("nothing is stored yet: no tenant has been made in this brain")
        yield brain


@contextmanager
def begun_brain(root: Path | None, tenant: str) -> Iterator[SmartBrain]:
    """Open a handle for a command that adds something; its tenant is made if there is none."""
    with opened_brain(root, tenant, create=True) as brain:
        if brain is not None:
            yield brain


def read_moment(given: str) -> int | str:
    """Return what a rollback goes back to: the number of a change, or a time."""
    return int(given) if given.isdecimal() and len(given) <= _LONGEST_NUMBER else given


def read_stdin() -> str:
    """Return what is piped in."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("stdin: is not a text in UTF-8; convert it first") from None
