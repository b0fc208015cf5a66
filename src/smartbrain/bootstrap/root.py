"""One brain folder: its settings and keys, and how a tenant in it is opened.

In: a path and what the caller asks for. Out: tenants with their adapters. Encryption is decided
when a tenant is created: its key then lies wrapped in its folder, or it has none for ever.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from smartbrain.bootstrap.agents import Reading
from smartbrain.bootstrap.background import Background
from smartbrain.bootstrap.folders import (
    DATABASE,
    DELETING,
    KEY,
    TENANTS,
    is_empty,
    list_tenants,
    make_tenant_folder,
    refuse_lost_database,
)
from smartbrain.bootstrap.metrics import RootMetrics
from smartbrain.bootstrap.models import LanguageModels, Models, Rerankers, with_extraction
from smartbrain.bootstrap.observing import open_telemetry
from smartbrain.bootstrap.pool import OpenTenant, TenantPool
from smartbrain.bootstrap.sources import (
    Config,
    check_clock,
    load_settings,
    read_master_key,
    read_root,
    system_clock,
)
from smartbrain.domain.audience import NOTHING_SHOWN, Shown
from smartbrain.domain.ids import Entropy, IdSource
from smartbrain.domain.memory_event import EventKind
from smartbrain.domain.tenant import folder_of
from smartbrain.domain.time import Clock, SteadyClock, ZonedClock
from smartbrain.domain.turn import Role
from smartbrain.errors import AdapterError, NotFound, SmartBrainError, UsageError
from smartbrain.ports.bundle import Ports
from smartbrain.remember.write_rules import WriteRules

if TYPE_CHECKING:
    from smartbrain.adapters.keys import MasterKey
    from smartbrain.bootstrap.composing import Composing, PastContexts
    from smartbrain.bootstrap.forgetting import Forgetter
    from smartbrain.bootstrap.recalling import Recalling
    from smartbrain.bootstrap.views import TenantViews
    from smartbrain.bootstrap.webhooks import Webhooks
    from smartbrain.bootstrap.writing import Writing
    from smartbrain.domain.archive import ExportReport, RestoreReport
    from smartbrain.domain.forgetting import ForgetReceipt
    from smartbrain.domain.metrics import Alert
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.turn import CommitRequest
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.resources import Resources
    from smartbrain.settings import Settings

_log = logging.getLogger(__name__)


class Terms:
    """What holds for a tenant: its settings, and what is made of them, shared by its handles."""

    def __init__(
        self, settings: Settings, types: TypeRegistry, clock: Clock, *, read_by_model: bool
    ) -> None:
        """Take settings, types, time, and whether a language model reads every turn as well."""
        rules = settings.rules
        self.settings, self.types = settings, types
        self.rules = WriteRules(with_extraction(rules) if read_by_model else rules, settings.hash)
        self.zone = ZoneInfo(rules.timezone)
        self.clock = ZonedClock(clock, self.zone)

    @cached_property
    def writing(self) -> Writing:
        """The write path, loaded by the first call that writes."""
        from smartbrain.bootstrap.writing import Writing

        return Writing(self.rules, self.zone)

    def forgetter(self, tenant: OpenTenant, recall: RecallRules) -> Forgetter:
        """Return what forgets in a tenant, loaded by the first call that does."""
        from smartbrain.bootstrap.forgetting import Forgetter

        return Forgetter(tenant, self.rules, recall)


class Root:
    """One brain folder: its settings, its keys and the tenants that are open."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        config: Config = None,
        clock: Clock | None = None,
        entropy: Entropy = os.urandom,
        embedder: object = None,
        language_model: object = None,
        reranker: object = None,
    ) -> None:
        """Read the configuration; no tenant is opened yet and nothing is written."""
        from smartbrain.settings import check_ontology, check_recipes, check_webhooks, registry_of

        self.path = read_root(path)
        self.settings = load_settings(self.path, config)
        self.types = registry_of(self.settings)
        check_recipes(self.settings)
        check_ontology(self.settings)
        check_webhooks(self.settings)
        self.language_models = LanguageModels(language_model)
        check_clock(clock)
        self._present = clock or system_clock
        self._terms: dict[str, Terms] = {}
        self.rules, self.clock = self.terms("").rules, self.terms("").clock  # with no block
        self.ids = IdSource(self.clock, entropy)
        self.models = Models(embedder or self.settings.rules.recall.vector.embedders)
        self.rerankers = Rerankers(reranker or self.settings.rules.recall.rerank.model)
        self.resources: Resources | None = None  # whoever opens the brain may connect some
        self._composing: Composing | None = None
        self._starting = threading.Lock()
        self.background = Background()
        self.tenants = TenantPool(self.open_tenant, self.settings.rules.tenants.max_open)
        self.telemetry = open_telemetry(self.settings.rules.telemetry)
        self.metrics = RootMetrics(
            clock=self.clock,
            slo=self.settings.rules.slo,
            on_alert=self._store_alert,
            telemetry=self.telemetry,
        )
        self.reading = Reading(
            self.language_models,
            lambda tenant: self.terms(tenant).rules,
            self.metrics.of,
            self.background,
        )
        self.webhooks: Webhooks | None = None
        if self.settings.rules.events.webhooks:
            from smartbrain.bootstrap.webhooks import Webhooks

            self.webhooks = Webhooks(self.settings.rules.events, self.path, self.tenants)

    def terms(self, tenant: str) -> Terms:
        """Return what holds for a tenant: the same for all that have no block of their own."""
        own = tenant if self.settings.tenants.get(tenant) else ""
        if own not in self._terms:
            settings = self.settings.of_tenant(own) if own else self.settings
            chosen = self.language_models.chosen
            made = Terms(settings, self.types, self._present, read_by_model=chosen)
            self._terms.setdefault(own, made)
        return self._terms[own]

    def _store_alert(self, tenant: str, alert: Alert) -> None:
        """Make an event of an alert, beside the call that raised it."""

        def store() -> None:
            with (
                suppress(SmartBrainError),
                self.tenants.lease(tenant, create=False) as opened,
                opened.ports.truth.write() as rows,
            ):
                rows.memory_events.add(EventKind.ALERT, alert.code)

        self.background.soon(store)

    @cached_property
    def recalling(self) -> Recalling:
        """The read path, loaded by the first call that recalls."""
        from smartbrain.bootstrap.recalling import Recalling

        return Recalling(self.models, self.rerankers, self.background, self.metrics)

    def composing(self) -> Composing:
        """Return the compose path, loaded by the first call that composes."""
        from smartbrain.bootstrap.composing import Composing

        recalling = self.recalling
        with self._starting:
            self._composing = self._composing or Composing(
                recalling, self.background, self.tenants.lease, resources=self.resources
            )
            return self._composing

    def past_contexts(self) -> PastContexts:
        """Return what looks back at contexts, loaded by the first call that does."""
        from smartbrain.bootstrap.composing import PastContexts

        return PastContexts(self.composing())

    def shown(self, tenant: str, request: CommitRequest) -> Shown | None:
        """Return what a context showed that a turn answers (C11); None if only its trace tells."""
        if all(one.role is not Role.ASSISTANT for one in request.events.messages):
            return NOTHING_SHOWN
        asked = request.session_id, request.context_id
        composing = self._composing
        return composing.shown(tenant, *asked) if composing else None

    def close(self) -> None:
        """Close every tenant, and what they share."""
        self.reading.close()
        if self.webhooks is not None:
            self.webhooks.close()
        if self._composing is not None:
            self._composing.close()
        try:
            self.tenants.close()
        finally:
            self.background.close()
            self.models.close()
            self.language_models.close()
            self.rerankers.close()

    def folder(self, tenant: str) -> Path:
        """Return where a tenant lives."""
        return self.path / TENANTS / folder_of(tenant)

    def open_tenant(self, name: str, create: bool = True) -> OpenTenant:
        """Open a tenant, creating it if there is none and `create` allows it."""
        from smartbrain.adapters.blobs.files import FileBlobs
        from smartbrain.adapters.sqlite.truth import SqliteTruth

        folder = self.folder(name)
        if (folder.parent / DELETING).exists():  # somebody was killed while deleting a tenant
            from smartbrain.bootstrap.archives import finish_deleting

            finish_deleting(self.path)
        if create:
            make_tenant_folder(folder, name)
        refuse_lost_database(folder)
        if not create and not (folder / DATABASE).exists():
            raise NotFound(
                f"tenant {name!r} is gone: {folder} was deleted; restore it from a backup, or open"
                " the tenant again to begin it anew",
                code="gone",
            )
        key = self.tenant_key(name, folder)
        cipher = None
        if key is not None:
            from smartbrain.adapters.blobs.cipher import AesGcm

            cipher = AesGcm(key)
        clock = SteadyClock(self.terms(name).clock)
        seconds = self.settings.rules.storage.lock_timeout_seconds
        truth = SqliteTruth(folder, tenant=name, clock=clock, key=key, lock_timeout=seconds)
        ports = Ports(truth, FileBlobs(folder, cipher), clock, self.ids, self.types)
        opened = OpenTenant(name, folder, ports, key is not None, self._views)
        self.erase_due(opened)
        if self.webhooks is not None:
            self.webhooks.watch(opened)
        return opened

    def erase_due(self, tenant: OpenTenant) -> None:
        """Erase what was asked to be forgotten and is due, or was being erased when it was cut off.

        What fails is tried again by the next commit or opening; until then it stays hidden.
        """
        ports = tenant.ports
        now = ports.clock()
        with ports.truth.read() as transaction:
            if not transaction.forgettings.waiting(now):
                return
        terms = self.terms(tenant.name)
        try:
            terms.forgetter(tenant, terms.settings.rules.recall).erase(now)
        except AdapterError as error:
            _log.warning("what was forgotten is hidden, not erased yet: %s", error.message)

    def _views(self, tenant: OpenTenant) -> TenantViews:
        from smartbrain.bootstrap.views import TenantViews

        return TenantViews(
            tenant.folder,
            tenant.ports,
            encrypted=tenant.encrypted,
            models=self.models,
            background=self.background,
            vector_kind=self.settings.rules.recall.vector.index,
        )

    def tenant_key(self, name: str, folder: Path) -> bytes | None:
        """Return a tenant's key, made now if need be; None for a plain one."""
        wanted = self.settings.rules.encryption.enabled
        # In this order: another process that is creating the tenant makes the key first.
        begun = not is_empty(folder)
        locked = (folder / KEY).exists()
        if not locked and not wanted:
            return None
        if not locked and begun:
            from smartbrain.adapters.sqlite.truth import schema_version

            schema_version(folder, None)  # says so where the database is not a plain one
            raise UsageError(
                f"tenant {name!r} was created without encryption and encryption.enabled is true;"
                " set it to false to open this tenant, or delete its folder to begin it encrypted",
                code="not_encrypted",
            )
        from smartbrain.adapters.keys import create_tenant_key, load_tenant_key

        master = read_master_key(self.settings, self.path)
        if locked:
            return load_tenant_key(folder, master)
        if master is None:
            rules = self.settings.rules.encryption
            raise AdapterError(
                "encryption is on and there is no master key; set encryption.master_key_file or"
                f" the environment variable {rules.master_key_env}; `memctl key master new` makes"
                " one",
                code="key_missing",
            )
        return create_tenant_key(folder, master)

    def export(self, tenant: OpenTenant, file: Path) -> ExportReport:
        """Write all that a tenant holds into one file."""
        from smartbrain.bootstrap.archives import export_tenant

        return export_tenant(tenant, file, self.tenant_key(tenant.name, tenant.folder))

    def restore(self, file: Path, receipts: Sequence[ForgetReceipt]) -> RestoreReport:
        """Make a tenant from such a file, and forget in it what receipts name."""
        from smartbrain.bootstrap.archives import restore_tenant

        report = restore_tenant(file, self.path, self.tenant_key)
        if not receipts:
            return report
        terms = self.terms(report.tenant)
        with self.tenants.lease(report.tenant) as tenant:
            forgetter = terms.forgetter(tenant, terms.settings.rules.recall)
            applied = forgetter.apply_all(receipts)
        return replace(report, applied=applied, warning="")

    def delete_tenant(self, name: str) -> ForgetReceipt:
        """Delete a tenant for good."""
        from smartbrain.bootstrap.archives import delete_tenant

        return delete_tenant(self.path, name, clock=self.clock, ids=self.ids)

    def rotate_master_key(
        self, new: MasterKey
    ) -> tuple[dict[str, bool], dict[str, SmartBrainError]]:
        """Lock every tenant's key with a new master key; data stays as it is.

        Returns, for each encrypted tenant, whether it had to be changed, and the errors of those
        that failed; a rotation that was not finished is finished by running it again.
        """
        from smartbrain.adapters.keys import rewrap_tenant_key

        old = read_master_key(self.settings, self.path) or new
        rotated: dict[str, bool] = {}
        errors: dict[str, SmartBrainError] = {}
        for name in list_tenants(self.path):
            folder = self.folder(name)
            try:
                if (folder / KEY).exists():
                    rotated[name] = rewrap_tenant_key(folder, old, new)
            except SmartBrainError as error:
                errors[name] = error
        return rotated, errors
