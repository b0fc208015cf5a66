"""Exports of ChatGPT and of Claude: JSON documents that list conversations.

In: a source. Out: turns, and a problem for every conversation or message that cannot be read. A
ChatGPT conversation is a tree, read along the branch in use: other branches are answers that were
thrown away. Images and files become refs; what else a message holds beside its words goes into its
meta, or has the shape of Anthropic's messages already, which is read with the turn's events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from smartbrain.domain.hints import shown
from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_id
from smartbrain.remember.import_history.source import (
    HistoryFile,
    as_dict,
    as_list,
    as_text,
    read_when,
)
from smartbrain.remember.import_history.turns import HistoryEntry, HistoryMessage, make_turns

_HIDDEN: Final = "is_visually_hidden_from_conversation"
_TEXT_FIELDS: Final = ("text", "result", "content")
"""The fields in which other contents than plain ones hold their text."""
_ABOUT_FILE: Final = ("name", "mime_type", "mimeType", "size", "size_bytes", "width", "height")
_ABOUT_CLAUDE_FILE: Final = ("file_uuid", "file_type", "file_size", "file_kind")
_SENDERS: Final = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}
_BLOCKS: Final = {
    "text": ("text",),
    "thinking": ("thinking",),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id", "name", "content", "is_error"),
}
"""The blocks of Claude's messages that are read, and what of them."""
_Json = dict[str, Any]


class Export(msgspec.Struct, frozen=True):
    """A format of exports: its name, and the field by which its conversations are known.

    `open` gives the id of a conversation and its messages by their places, `read_message` reads
    one; either may refuse it with a `UsageError`.
    """

    name: str
    field: str
    title: str
    open: Callable[[_Json], tuple[object, Sequence[tuple[str, _Json]]]]
    read_message: Callable[[_Json], HistoryMessage | None]

    def read(self, source: HistoryFile) -> Iterator[HistoryTurn | HistoryProblem]:
        """Yield the turns of an export and its problems."""
        yield from make_turns(self._read_entries(source), self.name, source, is_ordered=True)

    def _read_entries(self, source: HistoryFile) -> Iterator[HistoryEntry | HistoryProblem]:
        document = source.parse()
        items = [document] if self.field in as_dict(document) else as_list(document)
        if not any(self.field in as_dict(item) for item in items):
            raise UsageError(
                f"{source.name}: is not a {self.name} export: no conversation in it has"
                f" the field {self.field!r}"
            )
        for number, item in enumerate(map(as_dict, items), start=1):
            where = f"conversation {number}"
            if self.field not in item:
                yield source.problem(where, f"it has no field {self.field!r}")
                continue
            try:
                own, messages = self.open(item)
                session_id = read_id(own, "the conversation's id")
            except UsageError as error:
                yield source.problem(where, error.message)
                continue
            where = f"{where} ({as_text(item.get(self.title)) or session_id})"
            for place, message in messages:
                try:
                    said = self.read_message(message)
                except UsageError as error:
                    yield source.problem(where, f"message {place}: {error.message}")
                    continue
                if said:
                    yield HistoryEntry(session_id, [said])


def _open_chatgpt(chat: _Json) -> tuple[object, Sequence[tuple[str, _Json]]]:
    """Follow the branch in use back from its last message."""
    nodes = {name: as_dict(node) for name, node in as_dict(chat["mapping"]).items()}
    branch: dict[str, _Json] = {}
    node = as_text(chat.get("current_node"))
    while node:
        if node not in nodes or node in branch:
            raise UsageError(f"its message {shown(node)} is not in the export, or stands twice")
        branch[node] = as_dict(nodes[node].get("message"))
        node = as_text(nodes[node].get("parent"))
    if not branch:
        raise UsageError("it has no 'current_node' in its 'mapping'")
    messages = [(name, {"id": name, **one}) for name, one in branch.items() if one]
    return chat.get("conversation_id") or chat.get("id"), messages[::-1]


def _read_chatgpt(message: _Json) -> HistoryMessage | None:
    meta, author = as_dict(message.get("metadata")), as_dict(message.get("author"))
    if meta.get(_HIDDEN) is True:
        return None
    role = author.get("role")
    if role not in list(Role):
        raise UsageError(f"its author's role {shown(role)} is not known")
    text, kept, refs = _read_content(as_dict(message.get("content")))
    attached = {
        as_text(one.get("id")): one for one in map(as_dict, as_list(meta.get("attachments")))
    }
    for ref in refs:
        if about := attached.pop(ref["ref_uri"].rpartition("://")[2], None):
            ref |= _file_ref(ref["ref_uri"], about, _ABOUT_FILE)
    others = ((f"file-service://{name}", about) for name, about in attached.items() if name)
    refs += [_file_ref(uri, about, _ABOUT_FILE) for uri, about in others]
    if not (text.strip() or kept.keys() - {"content_type"} or refs):
        return None
    recipient = as_text(message.get("recipient"))
    if recipient not in ("", "all"):
        kept["recipient"] = recipient
    fields = {
        "name": as_text(author.get("name")),
        "id": as_text(message.get("id")),
        "model": as_text(meta.get("model_slug")) if role == Role.ASSISTANT else "",
        "meta": kept,
    }
    told = {name: value for name, value in fields.items() if value}
    return HistoryMessage(
        {"role": role, "content": text, **told}, read_when(message.get("create_time")), refs
    )


def _read_content(content: _Json) -> tuple[str, _Json, list[_Json]]:
    """Return the text of a content, what its message's meta keeps, and the files it shows."""
    texts = [text for name in _TEXT_FIELDS if (text := as_text(content.get(name)))][:1]
    refs = []
    for part in as_list(content.get("parts")):
        fields = as_dict(part)
        texts += filter(None, [as_text(part) or as_text(fields.get("text"))])
        if pointer := as_text(fields.get("asset_pointer")):
            refs.append(_file_ref(pointer, fields, _ABOUT_FILE))
    kind = as_text(content.get("content_type"))
    kept = {"content_type": kind if kind != "text" else "", "thinking": content.get("thoughts")}
    return "\n".join(texts), {name: item for name, item in kept.items() if item}, refs


def _file_ref(uri: str, about: _Json, names: Sequence[str]) -> _Json:
    meta = {name: about[name] for name in names if about.get(name)}
    return {"ref_type": "file", "ref_uri": uri, **({"ref_meta": meta} if meta else {})}


def _open_claude(chat: _Json) -> tuple[object, Sequence[tuple[str, _Json]]]:
    numbered = enumerate(map(as_dict, as_list(chat["chat_messages"])), start=1)
    return chat.get("uuid"), [(as_text(one.get("uuid")) or str(n), one) for n, one in numbered]


def _read_claude(given: _Json) -> HistoryMessage | None:
    sender = given.get("sender")
    role = _SENDERS.get(sender) if isinstance(sender, str) else None
    if role is None:
        raise UsageError(f"its sender {shown(sender)} is not known")
    blocks = list(filter(None, map(_read_block, map(as_dict, as_list(given.get("content"))))))
    if not any(block["type"] == "text" for block in blocks) and as_text(given.get("text")):
        blocks.insert(0, {"type": "text", "text": given["text"]})
    files = map(as_dict, [*as_list(given.get("attachments")), *as_list(given.get("files"))])
    named = [(as_text(one.get("file_name")) or as_text(one.get("file_uuid")), one) for one in files]
    refs = [_file_ref(name, about, _ABOUT_CLAUDE_FILE) for name, about in named if name]
    if not (blocks or refs):
        return None
    is_plain = all(block["type"] == "text" for block in blocks)
    content = "\n\n".join(block["text"] for block in blocks) if is_plain else blocks
    own = {"id": given["uuid"]} if as_text(given.get("uuid")) else {}
    return HistoryMessage(
        {"role": role, "content": content, **own}, read_when(given.get("created_at")), refs
    )


def _read_block(block: _Json) -> _Json | None:
    kind = as_text(block.get("type"))
    fields = {name: block[name] for name in _BLOCKS.get(kind, ()) if block.get(name)}
    if not fields:
        return None
    if content := as_list(fields.get("content")):
        texts = [as_text(as_dict(part).get("text")) for part in content]
        fields["content"] = "\n\n".join(texts) if all(texts) else canonical_json(content)
    return {"type": kind, **fields}


CHATGPT: Final = Export("chatgpt", "mapping", "title", _open_chatgpt, _read_chatgpt)
CLAUDE: Final = Export("claude", "chat_messages", "name", _open_claude, _read_claude)
