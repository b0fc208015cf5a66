"""Claude's export: conversations that are lists of messages.

In: a conversation with `chat_messages`. Out: its messages; tools' uses paired with their results,
attachments and files as refs by their names, the model's thoughts in the meta of their message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from smartbrain.domain.hints import shown
from smartbrain.domain.turn import CallStatus, Role
from smartbrain.errors import UsageError
from smartbrain.remember.history.export import Conversation, Export
from smartbrain.remember.history.turns import Said
from smartbrain.remember.history.values import as_dict, as_list, as_text, read_when

_SENDERS: Final = {
    "human": Role.USER,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
}
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_NOISE: Final = frozenset({"token_budget"})
_ABOUT_FILE: Final = ("file_uuid", "file_type", "file_size", "file_kind", "extracted_content")


def _open(conversation: dict[str, Any]) -> Conversation:
    """Open a conversation.

    Raises:
        UsageError: it has no list of messages.
    """
    messages = conversation["chat_messages"]
    if not isinstance(messages, list):
        raise UsageError(f"its 'chat_messages' is {shown(messages)}; it must be a list")
    return Conversation(conversation.get("uuid"), conversation.get("name"), _parts(messages))


CLAUDE: Final = Export("claude", "chat_messages", "created_at", _open)


def _parts(messages: list[Any]) -> Iterator[Said | str]:
    """Yield the messages, or what is wrong with them."""
    for number, message in enumerate(messages, start=1):
        try:
            said = _said(as_dict(message))
        except UsageError as error:
            yield f"message {as_dict(message).get('uuid') or number}: {error.message}"
            continue
        if said:
            yield said


def _said(given: dict[str, Any]) -> Said | None:
    """Read a message; None where there is nothing in it."""
    sender = given.get("sender")
    role = _SENDERS.get(sender) if isinstance(sender, str) else None
    if role is None:
        raise UsageError(f"its sender {shown(sender)} is not known")
    texts, calls, kept = _content(as_list(given.get("content")))
    text = "\n\n".join(texts) or as_text(given.get("text"))
    files = [*as_list(given.get("attachments")), *as_list(given.get("files"))]
    refs = [ref for ref in map(_file, map(as_dict, files)) if ref]
    if not (text.strip() or calls or kept or refs):
        return None
    message: dict[str, Any] = {"role": str(role), "content": text}
    if as_text(given.get("uuid")):
        message["id"] = given["uuid"]
    if kept:
        message["meta"] = kept
    return Said(message, read_when(given.get("created_at")), calls, refs)


def _content(blocks: list[Any]) -> tuple[list[str], list[dict[str, Any]], dict[str, Any]]:
    """Return the texts of a content, the uses of tools in it, and what the meta keeps."""
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    kept: dict[str, Any] = {}
    for block in map(as_dict, blocks):
        kind = block.get("type")
        text = as_text(block.get("text"))
        if kind == "tool_use":
            calls.append(_call(block))
        elif kind == "tool_result":
            _answer(calls, block)
        elif kind in _THINKING:
            thought = as_text(block.get("thinking")) or as_text(block.get("data"))
            kept.setdefault("thinking", []).append(thought)
        elif text:
            texts.append(text)
        elif kind != "text" and kind not in _NOISE and block:
            kept.setdefault("parts", []).append(block)
    return texts, calls, kept


def _call(block: dict[str, Any]) -> dict[str, Any]:
    """Return the use of a tool."""
    call = {"name": as_text(block.get("name")) or "unknown", "args": block.get("input")}
    return {"id": block["id"], **call} if as_text(block.get("id")) else call


def _answer(calls: list[dict[str, Any]], block: dict[str, Any]) -> None:
    """Give a call its result; exports without ids have it behind its call, under the same name."""
    call_id, name = as_text(block.get("tool_use_id")), as_text(block.get("name"))
    for call in calls:
        same = call.get("id") == call_id if call_id and "id" in call else call["name"] == name
        if same and "status" not in call:
            break
    else:
        call = _call({"id": call_id, "name": name})
        calls.append(call)
    failed = block.get("is_error") is True
    call["result"] = _result(block.get("content"))
    call["status"] = str(CallStatus.ERROR if failed else CallStatus.OK)


def _result(content: Any) -> Any:
    """Return a result as text where it is all text, and as it is otherwise."""
    texts = [as_text(as_dict(part).get("text")) for part in as_list(content)]
    return "\n\n".join(texts) if texts and all(texts) else content


def _file(given: dict[str, Any]) -> dict[str, Any] | None:
    """Return the ref of a file."""
    name = as_text(given.get("file_name")) or as_text(given.get("file_uuid"))
    meta = {field: given[field] for field in _ABOUT_FILE if given.get(field)}
    return {"ref_type": "file", "ref_uri": name, "ref_meta": meta} if name else None
