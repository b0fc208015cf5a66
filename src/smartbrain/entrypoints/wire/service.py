"""A root as a server asks it: verbs by name, for a tenant, as plain JSON.

In: a verb, a tenant, arguments from outside. Out: the answer as plain JSON, or an error of ours.
The same over HTTP and gRPC; who may ask is checked before, by each server's own means.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

from smartbrain import __version__
from smartbrain.bootstrap.folders import DATABASE
from smartbrain.brain import SmartBrain
from smartbrain.entrypoints.wire.errors import Refusal
from smartbrain.errors import NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.rest.keys import ApiKey
    from smartbrain.entrypoints.wire.verbs import Verb

TENANT: Final = "SmartBrain-Tenant"
SESSION: Final = "SmartBrain-Session"
OWN_KEY: Final = "SmartBrain-Key"
IDEMPOTENCY: Final = "Idempotency-Key"
REQUEST_ID: Final = "X-Request-ID"
DEFAULT_TENANT: Final = "default"
CREATING_VERBS: Final = frozenset({"commit_turn", "remember", "ingest"})
"""Verbs that begin a tenant which is not there."""

_ID: Final = re.compile(r"[\w.-]{1,80}", re.ASCII)


class CallMetadata(NamedTuple):
    """What comes beside the arguments of a call, in headers or in metadata."""

    tenant: str
    key: str | None
    session: str | None
    idempotency: str | None
    request_id: str
    names_tenant: bool = True

    def of_key(self, key: ApiKey | None) -> CallMetadata:
        """Return the same; where no tenant is named, with the one that the key is for alone."""
        own = key.only_tenant if key else None
        return self if self.names_tenant or own is None else self._replace(tenant=own)


def read_metadata(told: Mapping[str, str], *, takes_bearer: bool = True) -> CallMetadata:
    """Return what comes beside a call, by names in small letters; an id is made if need be.

    Without `takes_bearer` the bearer token is somebody else's, and our key has a name of its own.
    """
    scheme, _, bearer = told.get("authorization", "").partition(" ")
    is_ours = takes_bearer and scheme.lower() == "bearer"
    given, session = told.get(REQUEST_ID.lower(), ""), told.get(SESSION.lower())
    return CallMetadata(
        tenant=unquote(told.get(TENANT.lower(), DEFAULT_TENANT)),
        key=told.get(OWN_KEY.lower(), bearer if is_ours else None),
        session=None if session is None else unquote(session),
        idempotency=told.get(IDEMPOTENCY.lower()),
        request_id=given if _ID.fullmatch(given) else secrets.token_hex(8),
        names_tenant=TENANT.lower() in told,
    )


class Service:
    """A root as a server asks it: tenants by request, as far as a key reaches."""

    def __init__(self, root: Root) -> None:
        self.root = root

    def brain(self, tenant: str, *, create: bool) -> SmartBrain:
        """Return a handle of a tenant; one that is not there is begun only if asked."""
        brain = SmartBrain(self.root, tenant, owner=False)
        if create:
            return brain.tenant(tenant)
        if not (self.root.folder(tenant) / DATABASE).exists():
            raise NotFound(f"there is no tenant {tenant!r:.80}; the call `open` begins it")
        return brain

    def open(self, tenant: str) -> dict[str, str]:
        """Begin a tenant, or find it begun."""
        self.brain(tenant, create=True)
        return {"tenant": tenant, "version": __version__}

    def call(self, verb: Verb, tenant: str, given: Mapping[str, Any]) -> Any:
        """Ask a verb, and return its answer as JSON, which never says where the brain lies."""
        _refuse_files(given)
        told = verb.call(self.brain(tenant, create=verb.name in CREATING_VERBS), given)
        return {**told, "path": ""} if verb.name == "status" else told


def check_tenant(key: ApiKey | None, tenant: str) -> str:
    """Return a tenant, if a key is for it; without keys everybody of this machine may ask."""
    if key is not None and not key.may_reach(tenant):
        raise Refusal("forbidden")
    return tenant


def check_verbs(key: ApiKey | None, *asked: str) -> None:
    """Refuse verbs that a key is not for; what is no verb has no name."""
    refused = [verb for verb in asked if key is not None and not key.may_ask(verb)]
    if key is not None and refused:
        needed = f"; this needs {' and '.join(refused)}" if all(refused) else ""
        raise Refusal("forbidden", f"This API key is for {', '.join(key.verbs)} alone{needed}.")


def with_idempotency(verb: Verb, given: Mapping[str, Any], key: str | None) -> Mapping[str, Any]:
    """Return arguments with the idempotency key that came beside them."""
    if key is None:
        return given
    if "idempotency_key" not in verb.arguments.__struct_fields__:
        raise UsageError(
            f"{verb.name} takes no {IDEMPOTENCY}; only commit_turn and artifacts.add do"
        )
    return {"idempotency_key": key, **given}


def _refuse_files(given: Mapping[str, Any]) -> None:
    """Refuse a source that is a file: it would be looked for on the server's machine."""
    if str(given.get("source", "")).startswith("file:") and given.get("actor") != "agent":
        raise UsageError(
            "a source from outside is chat:<id> or tool:<id>; files are those of the server",
            code="no_source",
        )
