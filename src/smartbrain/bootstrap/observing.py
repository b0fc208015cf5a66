"""Watching calls: each verb of a handle is logged and told to telemetry, with its stages (S5).

In: classes of verbs; settings. Out: the same classes, whose calls leave a record with tenant, id,
stages and outcome; log lines as JSON; OpenTelemetry if it is switched on. Nothing leaves the
process by itself: logging and exporters are those of the program.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.ports.telemetry import CURRENT_CALL, CURRENT_REQUEST, Call

if TYPE_CHECKING:
    from smartbrain.domain.policy import TelemetryRules
    from smartbrain.ports.telemetry import Telemetry

_log: Final = logging.getLogger("smartbrain.calls")
_NOT_CALLS: Final = frozenset({"close", "subscribe", "tenant"})
_OURS: Final = ("tenant_id", "query_id", "stage", "took_ms", "outcome")


def observe_verbs(kind: type, group: str) -> None:
    """Have the verbs of a class observed; a call that is part of another is none of its own."""
    methods = {name: one for base in reversed(kind.__mro__) for name, one in vars(base).items()}
    for name, method in methods.items():
        if isinstance(method, FunctionType) and name[0] != "_" and name not in _NOT_CALLS:
            setattr(kind, name, _observed(f"{group}.{name}" if group else name, method))


def _observed(verb: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def observe(*args: Any, **kwargs: Any) -> Any:
        if CURRENT_CALL.get() is not None:
            return method(*args, **kwargs)
        call = Call(verb, CURRENT_REQUEST.get() or os.urandom(8).hex(), time.time_ns())
        entered, outcome = CURRENT_CALL.set(call), "ok"
        try:
            return method(*args, **kwargs)
        except SmartBrainError as error:
            outcome = error.code
            raise
        except BaseException:
            outcome = "failed"
            raise
        finally:
            _end_call(call, outcome, {"args": args[1:], **kwargs})
            CURRENT_CALL.reset(entered)

    return observe


def _end_call(call: Call, outcome: str, arguments: Mapping[str, Any]) -> None:
    ended = time.time_ns()
    took = (ended - call.started) / 1e6
    if _log.isEnabledFor(logging.INFO):
        told = {"tenant_id": call.tenant, "query_id": call.id, "outcome": outcome}
        _log.info("%s", call.verb, extra={**told, "stage": call.verb, "took_ms": round(took, 3)})
        for name, took_ms in call.stages.items():
            more = {**told, "stage": name, "took_ms": round(took_ms, 3)}
            _log.debug("%s: %s", call.verb, name, extra=more)
    if call.telemetry is not None:
        call.telemetry.end_call(call, ended, outcome, arguments)


def open_telemetry(rules: TelemetryRules) -> Telemetry | None:
    """Return what spans and figures are told to, None if it is off."""
    if not rules.otel:
        return None
    try:
        from smartbrain.adapters.otel import OtelTelemetry
    except ModuleNotFoundError as error:
        raise UsageError(
            f"telemetry.otel is true and {error.name} is not installed; run: pip install"
            " 'smartbrain[otel]', or set it to false",
            code="config",
        ) from None
    return OtelTelemetry(with_arguments=rules.otel_arguments)


class JsonLines(logging.Formatter):
    """A line of JSON for each record, with tenant, call and stage.

    What exceptions say is left out, but for debugging: it may quote memory.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        told: dict[str, Any] = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        call = CURRENT_CALL.get()
        if call is not None:
            told |= {"tenant_id": call.tenant, "query_id": call.id, "stage": call.verb}
        told |= {name: getattr(record, name) for name in _OURS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0] is not None:
            told["error"] = record.exc_info[0].__name__
            if record.levelno == logging.DEBUG:
                told["trace"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def start_logging(rules: TelemetryRules) -> None:
    """Write the log of a server to stderr as lines of JSON, if the settings want that."""
    if rules.log != "json":
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("smartbrain")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
