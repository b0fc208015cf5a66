"""The thread of a root that sends the events of its open tenants to webhooks.

In: tenants as they are opened. Out: messages, while the root is open; what waits when it closes is
sent by whoever opens the tenant next. Without webhooks there is no thread, and nothing is sent.
"""

from __future__ import annotations

import logging
import os
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smartbrain.bootstrap.background import Threaded
from smartbrain.bootstrap.sources import system_clock
from smartbrain.domain.webhook import Webhook, read_secret, webhook_from_block
from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.jobs.webhooks import SignedWebhook, WebhookSender

if TYPE_CHECKING:
    from smartbrain.adapters.webhook_http import HttpMessages
    from smartbrain.bootstrap.pool import OpenTenant, TenantPool
    from smartbrain.domain.policy import EventsRules

_log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.5
"""Between two looks at what is new."""
_PATIENCE: Final = 1.0  # seconds that closing waits for a message on its way


class Webhooks(Threaded):
    """Sends events of the tenants that it watches."""

    def __init__(self, rules: EventsRules, folder: Path, tenants: TenantPool) -> None:
        """Take the tenants of a root, and the folder that files of secrets are looked for in."""
        self._rules = rules
        self._folder = folder
        self._tenants = tenants
        self._webhooks = [webhook_from_block(*one) for one in rules.webhooks.items()]
        super().__init__()

    def begin(self) -> None:
        """Start with nothing watched."""
        self._watched: set[str] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, tenant: OpenTenant) -> None:
        """Send the events of a tenant from now on, and what is still waiting there."""
        if not self._webhooks:
            return
        sender = self._sender(tenant)
        for webhook in self._webhooks:
            sender.register(webhook)
        with self._lock:
            self._watched.add(tenant.name)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._send_on, name="smartbrain-webhooks", daemon=True
                )
                self._thread.start()

    def close(self) -> None:
        """Send nothing more."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE)

    @cached_property
    def _hooks(self) -> list[SignedWebhook]:
        """The webhooks whose secrets are there."""
        found = []
        for webhook in self._webhooks:
            try:
                secret = _find_secret(webhook, self._folder)
            except UsageError as error:
                _log.warning("webhook %s gets nothing: %s", webhook.name, error.message)
            else:
                found.append(SignedWebhook(webhook, secret))
        return found

    def _send_on(self) -> None:
        if self._stopped.wait(LOOK_SECONDS):  # most commands are over before anything is loaded
            return
        from smartbrain.adapters.webhook_http import HttpMessages

        messages = HttpMessages(self._rules.webhook_seconds)
        while not self._stopped.is_set():
            with self._lock:
                watched = sorted(self._watched)
            for name in watched:
                try:
                    self._serve(name, messages)
                except AdapterError as error:
                    _log.warning("events of a tenant could not be sent [%s]", error.code)
                except SmartBrainError:  # it was deleted, or the brain is closed
                    self._let_go(name)
            self._stopped.wait(LOOK_SECONDS)
        messages.close()

    def _serve(self, name: str, messages: HttpMessages) -> None:
        """Send what waits in a tenant; one that nobody uses any more is let go."""
        if not self._tenants.is_open(name):
            self._let_go(name)
            return
        with self._tenants.lease(name, create=False) as tenant:
            sender = self._sender(tenant)
            for hook in self._hooks:
                sender.send_waiting(hook, messages.send)

    def _let_go(self, name: str) -> None:
        with self._lock:
            self._watched.discard(name)

    def _sender(self, tenant: OpenTenant) -> WebhookSender:
        truth = tenant.ports.truth
        return WebhookSender(tenant.name, truth, rules=self._rules, wall=system_clock)


def _find_secret(webhook: Webhook, folder: Path) -> bytes:
    if webhook.secret_env:
        if not os.environ.get(webhook.secret_env):
            raise UsageError(f"the environment variable {webhook.secret_env} is not set")
        return read_secret(os.environ[webhook.secret_env])
    try:
        text = (folder / Path(webhook.secret_file).expanduser()).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "no text"
        raise UsageError(f"its secret_file cannot be read ({why})") from None
    return read_secret(text)
