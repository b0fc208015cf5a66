"""Exports of ChatGPT and of Claude: JSON documents that list conversations.

In: a source. Out: turns, and a problem for every conversation or message that cannot be read. A
ChatGPT conversation is a tree, read along the branch in use: other branches are answers that were
thrown away. Images and files become refs, tools' uses are paired with their results, and the
model's thoughts go into the meta of their message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import msgspec

from smartbrain.domain.hints import shown
from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.turn import CallStatus, Role
from smartbrain.errors import UsageError
from smartbrain.remember.import_history.source import (
    Source,
    as_dict,
    as_list,
    as_text,
    clean_json,
    read_when,
)
from smartbrain.remember.import_history.turns import Said, TurnMaker
from smartbrain.remember.names import read_id

_HIDDEN: Final = "is_visually_hidden_from_conversation"
_TEXT_FIELDS: Final = ("text", "result", "content")
"""The fields in which other contents than plain ones hold their text."""
_ABOUT_CONTENT: Final = ("language", "response_format_name", "title", "url", "domain", "name")
_ABOUT_FILE: Final = ("name", "mime_type", "mimeType", "size", "size_bytes", "width", "height")
_ABOUT_CLAUDE_FILE: Final = (
    *("file_uuid", "file_type", "file_size", "file_kind", "extracted_content"),
)
_SENDERS: Final = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}
_THINKING: Final = ("thinking", "redacted_thinking")
_NOISE: Final = ("text", "token_budget")
_Refs = list[dict[str, Any]]


class Conversation(msgspec.Struct, frozen=True):
    """A conversation: its id, its title, and its messages, each by its place and how it is read."""

    id: object
    title: object
    messages: Iterable[tuple[str, Callable[[], Said | None]]]


class Export(msgspec.Struct, frozen=True):
    """A format of exports: its name, and the field by which its conversations are known.

    `begun` is the field of when one began, `open` reads one, or refuses it with a `UsageError`.
    """

    name: str
    field: str
    begun: str
    open: Callable[[dict[str, Any]], Conversation]

    def read(self, source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
        """Yield the turns of an export and its problems, the oldest conversation first.

        Raises:
            UsageError: it is not of this format.
        """
        turns = TurnMaker(self.name)
        place = 0
        for document in source.documents():
            items = [document] if self.field in as_dict(document) else as_list(document)
            if not any(self.field in as_dict(item) for item in items):
                raise UsageError(
                    f"{source.name}: is not a {self.name} export: no conversation in it has"
                    f" the field {self.field!r}"
                )
            turns.total = len(items) if len(source.members) < 2 else None
            numbered = enumerate(items, place + 1)
            for number, item in sorted(numbered, key=lambda pair: self._order(pair[1])):
                place += 1
                yield from self._read_one(item, (number, place), source, turns)

    def _order(self, item: object) -> tuple[bool, float, str]:
        """Return what a conversation is sorted by; one without a time comes last."""
        begun = as_dict(item).get(self.begun)
        number = float(begun) if isinstance(begun, int | float) else 0.0
        return begun is None, number, as_text(begun)

    def _read_one(
        self, item: object, numbers: tuple[int, int], source: Source, turns: TurnMaker
    ) -> Iterator[HistoryTurn | HistoryProblem]:
        number, place = numbers
        where = f"conversation {number}"
        if self.field not in as_dict(item):
            yield source.problem(where, f"it has no field {self.field!r}")
            return
        try:
            chat = self.open(clean_json(item))
            session_id = read_id(chat.id, "the conversation's id")
        except UsageError as error:
            yield source.problem(where, error.message)
            return
        title = as_text(chat.title)
        where = f"{where} ({title or session_id})"
        for name, read in chat.messages:
            try:
                said = read()
            except UsageError as error:
                yield source.problem(where, f"message {name}: {error.message}")
                continue
            if said:
                yield from turns.add(session_id, said, place, title=title)
        yield from turns.close(session_id, place, title=title)


def _open_chatgpt(conversation: dict[str, Any]) -> Conversation:
    mapping = conversation["mapping"]
    if not isinstance(mapping, dict) or not mapping:
        raise UsageError(f"its 'mapping' is {shown(mapping)}; it must be an object of messages")
    branch, fault = _follow_branch(mapping, conversation.get("current_node"))
    own = conversation.get("conversation_id") or conversation.get("id") or branch[0]
    read = [(node, partial(_read_node, mapping[node], node)) for node in branch]
    if fault:
        read.insert(0, (branch[0], partial(_refuse, fault)))
    return Conversation(own, conversation.get("title"), read)


def _follow_branch(mapping: dict[str, Any], current: object) -> tuple[list[str], str]:
    """Return the nodes from the root to the current one, and what is wrong with the way."""
    node = current if isinstance(current, str) and current in mapping else _newest_leaf(mapping)
    branch: dict[str, None] = {}
    fault = ""
    while True:
        branch[node] = None
        parent = as_dict(mapping[node]).get("parent")
        if parent is None:
            break
        if not isinstance(parent, str) or parent not in mapping:
            fault = f"the one before it ({shown(parent)}) is not in the export"
            break
        if parent in branch:
            raise UsageError(f"its messages follow each other in a circle at {shown(parent)}")
        node = parent
    return list(reversed(branch)), fault


def _newest_leaf(mapping: dict[str, Any]) -> str:
    """Return the last message that none follows, where the export does not say which is shown."""

    def seconds(node: str) -> float:
        time = as_dict(as_dict(mapping[node]).get("message")).get("create_time")
        return time if isinstance(time, int | float) else 0.0

    leaves = [node for node in mapping if not as_dict(mapping[node]).get("children")]
    if not leaves:
        raise UsageError("it has no 'current_node' and no last message")
    return max(leaves, key=seconds)


def _refuse(fault: str) -> Said | None:
    raise UsageError(fault)


def _read_node(given: object, node: str) -> Said | None:
    """Read a message of ChatGPT; None where there is nothing to see in it."""
    message = as_dict(as_dict(given).get("message"))
    meta = as_dict(message.get("metadata"))
    if not message or meta.get(_HIDDEN) is True:
        return None
    author = as_dict(message.get("author"))
    role = author.get("role")
    if role not in list(Role):
        raise UsageError(f"its author's role {shown(role)} is not known")
    text, kept, refs = _read_content(as_dict(message.get("content")))
    _attach_files(refs, as_list(meta.get("attachments")))
    if not (text.strip() or kept.keys() - {"content_type"} or refs):
        return None
    recipient = as_text(message.get("recipient"))
    if recipient not in ("", "all"):
        kept["recipient"] = recipient
    fields = {
        "role": role,
        "content": text,
        "name": as_text(author.get("name")),
        "id": as_text(message.get("id")) or node,
        "model": as_text(meta.get("model_slug")) if role == Role.ASSISTANT else "",
        "meta": kept,
    }
    fields = {name: value for name, value in fields.items() if value or name == "content"}
    return Said(fields, read_when(message.get("create_time")), refs=refs)


def _read_content(content: dict[str, Any]) -> tuple[str, dict[str, Any], _Refs]:
    """Return the text of a content, what its message's meta keeps, and the files it shows."""
    kind = as_text(content.get("content_type")) or "text"
    kept: dict[str, Any] = {} if kind == "text" else {"content_type": kind}
    if kind in ("text", "multimodal_text"):
        return _read_parts(as_list(content.get("parts")), kept)
    if kind in ("thoughts", "reasoning_recap"):
        thoughts = [
            "\n".join(filter(None, (as_text(one.get("summary")), as_text(one.get("content")))))
            for one in map(as_dict, as_list(content.get("thoughts")))
        ]
        told = list(filter(None, [*thoughts, as_text(content.get("content"))]))
        return "", {**kept, **({"thinking": told} if told else {})}, []
    text = next((content[name] for name in _TEXT_FIELDS if as_text(content.get(name))), "")
    if not text and content.keys() - {"content_type", *_TEXT_FIELDS}:
        return "", {**kept, "content": content}, []
    kept |= {name: content[name] for name in _ABOUT_CONTENT if content.get(name)} if text else {}
    url = as_text(content.get("url"))
    return text, kept, [{"ref_type": "url", "ref_uri": url}] if url else []


def _read_parts(parts: list[Any], kept: dict[str, Any]) -> tuple[str, dict[str, Any], _Refs]:
    """Read a content of parts: texts, and pointers at images and sounds."""
    texts: list[str] = []
    refs: _Refs = []
    for part in parts:
        fields = as_dict(part)
        pointer = as_text(fields.get("asset_pointer"))
        if text := as_text(part) or as_text(fields.get("text")):
            texts.append(text)
        if pointer:
            refs.append(_file_ref(pointer, fields, _ABOUT_FILE))
        if part and not (text or pointer):
            kept.setdefault("parts", []).append(part)
    return "\n".join(texts), kept, refs


def _attach_files(refs: _Refs, attachments: list[Any]) -> None:
    """Add the files of a message to its refs; one that is shown too has its ref already."""
    known = {ref["ref_uri"].rpartition("://")[2]: ref for ref in refs}
    for about in map(as_dict, attachments):
        name = as_text(about.get("id"))
        if name in known:
            known[name].update(_file_ref(known[name]["ref_uri"], about, _ABOUT_FILE))
        elif name:
            refs.append(_file_ref(f"file-service://{name}", about, _ABOUT_FILE))


def _file_ref(uri: str, about: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    meta = {name: about[name] for name in names if about.get(name)}
    return {"ref_type": "file", "ref_uri": uri, **({"ref_meta": meta} if meta else {})}


def _open_claude(conversation: dict[str, Any]) -> Conversation:
    messages = conversation["chat_messages"]
    if not isinstance(messages, list):
        raise UsageError(f"its 'chat_messages' is {shown(messages)}; it must be a list")
    read = [
        (str(as_dict(message).get("uuid") or number), partial(_read_message, as_dict(message)))
        for number, message in enumerate(messages, start=1)
    ]
    return Conversation(conversation.get("uuid"), conversation.get("name"), read)


def _read_message(given: dict[str, Any]) -> Said | None:
    """Read a message of Claude; None where there is nothing in it."""
    sender = given.get("sender")
    role = _SENDERS.get(sender) if isinstance(sender, str) else None
    if role is None:
        raise UsageError(f"its sender {shown(sender)} is not known")
    texts, calls, kept = _read_blocks(as_list(given.get("content")))
    text = "\n\n".join(texts) or as_text(given.get("text"))
    files = map(as_dict, [*as_list(given.get("attachments")), *as_list(given.get("files"))])
    named = [(as_text(one.get("file_name")) or as_text(one.get("file_uuid")), one) for one in files]
    refs = [_file_ref(name, about, _ABOUT_CLAUDE_FILE) for name, about in named if name]
    if not (text.strip() or calls or kept or refs):
        return None
    message: dict[str, Any] = {"role": role, "content": text}
    message |= {"id": given["uuid"]} if as_text(given.get("uuid")) else {}
    message |= {"meta": kept} if kept else {}
    return Said(message, read_when(given.get("created_at")), calls, refs)


def _read_blocks(blocks: list[Any]) -> tuple[list[str], _Refs, dict[str, Any]]:
    """Return the texts of a content, the uses of tools in it, and what the meta keeps."""
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    kept: dict[str, Any] = {}
    for block in map(as_dict, blocks):
        kind = block.get("type")
        text = as_text(block.get("text"))
        if kind == "tool_use":
            calls.append(_tool_call(block.get("id"), block.get("name"), block.get("input")))
        elif kind == "tool_result":
            _end_call(calls, block)
        elif kind in _THINKING:
            thought = as_text(block.get("thinking")) or as_text(block.get("data"))
            kept.setdefault("thinking", []).append(thought)
        elif text:
            texts.append(text)
        elif kind not in _NOISE and block:
            kept.setdefault("parts", []).append(block)
    return texts, calls, kept


def _tool_call(call_id: object, name: object, args: object = None) -> dict[str, Any]:
    call = {"name": as_text(name) or "unknown", "args": args}
    return {"id": call_id, **call} if as_text(call_id) else call


def _end_call(calls: list[dict[str, Any]], block: dict[str, Any]) -> None:
    """Give a call its result; exports without ids have it behind its call, under the same name."""
    call_id, name = as_text(block.get("tool_use_id")), as_text(block.get("name"))
    for call in calls:
        same = call.get("id") == call_id if call_id and "id" in call else call["name"] == name
        if same and "status" not in call:
            break
    else:
        call = _tool_call(call_id, name)
        calls.append(call)
    content = block.get("content")
    texts = [as_text(as_dict(part).get("text")) for part in as_list(content)]
    call["result"] = "\n\n".join(texts) if texts and all(texts) else content
    failed = block.get("is_error") is True
    call["status"] = str(CallStatus.ERROR if failed else CallStatus.OK)


CHATGPT: Final = Export("chatgpt", "mapping", "create_time", _open_chatgpt)
CLAUDE: Final = Export("claude", "chat_messages", "created_at", _open_claude)
