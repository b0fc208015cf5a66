"""Delivering events to webhooks: in order, at least once, again after growing pauses (S4).

In: a webhook with its secret, a tenant, what sends. Out: everything sent that waits, or a pause.
How far a webhook has come is a row of the truth: neither a crash nor a second process loses or
swaps anything. A message has no word of what is remembered.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from smartbrain.domain.ids import derive
from smartbrain.domain.memory_event import read_kinds
from smartbrain.domain.time import to_micros
from smartbrain.domain.webhook import Webhook, signed_headers
from smartbrain.errors import AdapterError, NotFound

if TYPE_CHECKING:
    from smartbrain.domain.memory_event import EventPage
    from smartbrain.domain.policy import EventsRules
    from smartbrain.ports.truth import Truth

_log = logging.getLogger(__name__)

SendMessage = Callable[[str, bytes, Mapping[str, str]], None]
"""Sends a body with headers to an address; raises AdapterError where it was not taken."""
_AT_ONCE: Final = 100  # events of one message
_FIRST_PAUSE: Final = 1.0
_MARGIN: Final = 5.0  # seconds that a claim outlasts the longest wait for an answer
_SECOND: Final = 1_000_000


class SignedWebhook(NamedTuple):
    """A webhook with the secret that signs what it gets."""

    webhook: Webhook
    secret: bytes


class WebhookSender:
    """Sends one tenant's events."""

    def __init__(
        self, tenant: str, truth: Truth, *, rules: EventsRules, wall: Callable[[], datetime]
    ) -> None:
        """Take a tenant and the machine's own time, by which pauses are measured."""
        self._tenant = tenant
        self._truth = truth
        self._rules = rules
        self._wall = wall

    def register(self, webhook: Webhook) -> None:
        """Let a new webhook begin with the next event."""
        reader, now = _reader(webhook), self._now()
        with self._truth.read() as rows:
            if not rows.memory_events.is_waiting(reader, now=now):
                return
        with self._truth.write() as rows:
            rows.memory_events.claim(reader, now=now, until=now)

    def send_waiting(self, hook: SignedWebhook, send: SendMessage) -> None:
        """Send what a webhook lacks, one message after the other, until one fails."""
        reader = _reader(hook.webhook)
        while True:
            now = self._now()
            with self._truth.read() as rows:
                if not rows.memory_events.is_waiting(reader, now=now):
                    return
            until = now + int((self._rules.webhook_seconds + _MARGIN) * _SECOND)
            with self._truth.write() as rows:
                place = rows.memory_events.claim(reader, now=now, until=until)
            if place is None:
                return
            page = self._read(hook.webhook, place.num)
            try:
                if page:
                    self._send(hook, page, send)
            except AdapterError as error:
                self._postpone(hook.webhook, place.failures, error)
                return
            with self._truth.write() as rows:
                rows.memory_events.advance(reader, page.last)

    def _read(self, webhook: Webhook, since: int) -> EventPage:
        kinds = read_kinds(webhook.kinds)
        with self._truth.read() as rows:
            try:
                return rows.memory_events.page(since, kinds, limit=_AT_ONCE)
            except NotFound as error:
                _log.warning("webhook %s missed events: %s", webhook.name, error.message)
                return rows.memory_events.page(0, kinds, limit=_AT_ONCE)

    def _send(self, hook: SignedWebhook, page: EventPage, send: SendMessage) -> None:
        told = {"tenant": self._tenant, "events": [one.to_dict() for one in page]}
        numbers = page.items[0].num, page.items[-1].num
        message_id = derive("msg", self._tenant, hook.webhook.name, *numbers)
        body, seconds = msgspec.json.encode(told), self._now() // _SECOND
        send(hook.webhook.url, body, signed_headers(hook.secret, message_id, seconds, body))

    def _postpone(self, webhook: Webhook, failures: int, error: AdapterError) -> None:
        pause = min(_FIRST_PAUSE * 2.0 ** min(failures, 30), self._rules.webhook_pause_seconds)
        _log.warning("webhook %s failed, again in %g s: %s", webhook.name, pause, error.message)
        with self._truth.write() as rows:
            until = self._now() + int(pause * _SECOND)
            rows.memory_events.postpone(_reader(webhook), until=until)

    def _now(self) -> int:
        return to_micros(self._wall())


def _reader(webhook: Webhook) -> str:
    return f"webhook:{webhook.name}"
