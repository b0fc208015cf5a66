"""What an MCP server tells clients without being asked: documents that changed, faults of ours.

In: what a client subscribes to, the tools that were called. Out: notifications. Clients of the
handshake revisions subscribe to one address each; those of the stateless revision listen to a
stream that the MCP library keeps. Only changes made through this server's tools are told of.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    EmptyResult,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SetLevelRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp.server.session import ServerSession

STATUS: Final = "memory://status"
MEMORIES: Final = "memory://memories"
PINS: Final = "memory://pins"
PLAN: Final = "memory://plan"
CHANGES: Final = {
    "remember": (MEMORIES, STATUS),
    "correct": (MEMORIES, STATUS),
    "forget": (MEMORIES, PINS, PLAN, STATUS),
    "pin": (PINS, STATUS),
    "plan": (PLAN, STATUS),
    "note": (STATUS,),
}
"""Documents that may be others once a tool was called."""
TOLD_AT: Final = frozenset({"debug", "info", "notice", "warning", "error"})
"""Levels of a client's log at which it wants to be told of faults."""
MAX_CLIENTS: Final = 1000
MAX_ADDRESSES: Final = 1000


@dataclass
class Follower:
    """A client of a handshake revision: its channel, and what it wants to be told."""

    session: ServerSession
    addresses: set[str] = field(default_factory=set)
    level: LoggingLevel | None = None


class Updates:
    """Those who want to be told of changes; of too many, the ones longest silent are let go."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._followers: OrderedDict[str, Follower] = OrderedDict()

    def serve(self, server: Server[Any]) -> None:
        """Have a server answer the requests by which clients of handshake revisions subscribe."""
        server.add_request_handler("resources/subscribe", SubscribeRequestParams, self._subscribe)
        server.add_request_handler(
            "resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe
        )
        server.add_request_handler("logging/setLevel", SetLevelRequestParams, self._set_level)

    async def tell_changes(self, tool: str) -> None:
        """Tell whoever follows a document that a tool may have changed it."""
        for address in CHANGES.get(tool, ()):
            await self.bus.publish(ResourceUpdated(address))
            for follower in list(self._followers.values()):
                if address in follower.addresses:
                    await follower.session.send_resource_updated(address)

    async def tell_fault(self, context: ServerRequestContext[Any, Any], message: str) -> None:
        """Tell the client of a request about a fault, if it has asked for its log."""
        follower = self._followers.get(_client_of(context))
        if follower is not None and follower.level in TOLD_AT:
            params = LoggingMessageNotificationParams(level="error", data=message)
            notification = LoggingMessageNotification(params=params)
            await context.session.send_notification(notification, context.request_id)

    def _follower(self, context: ServerRequestContext[Any, Any]) -> Follower:
        client = _client_of(context)
        found = self._followers.pop(client, None) or Follower(context.session)
        self._followers[client] = found
        while len(self._followers) > MAX_CLIENTS:
            self._followers.popitem(last=False)
        return found

    async def _subscribe(
        self, context: ServerRequestContext[Any, Any], asked: SubscribeRequestParams
    ) -> EmptyResult:
        addresses = self._follower(context).addresses
        if len(addresses) >= MAX_ADDRESSES:
            raise MCPError(INVALID_PARAMS, f"a client may follow {MAX_ADDRESSES} resources")
        addresses.add(str(asked.uri))
        return EmptyResult()

    async def _unsubscribe(
        self, context: ServerRequestContext[Any, Any], asked: UnsubscribeRequestParams
    ) -> EmptyResult:
        self._follower(context).addresses.discard(str(asked.uri))
        return EmptyResult()

    async def _set_level(
        self, context: ServerRequestContext[Any, Any], asked: SetLevelRequestParams
    ) -> EmptyResult:
        self._follower(context).level = asked.level
        return EmptyResult()


def _client_of(context: ServerRequestContext[Any, Any]) -> str:
    """Return what names the connection of a request; over stdio there is one."""
    headers = getattr(context.request, "headers", None) or {}
    return str(headers.get("mcp-session-id", ""))
