"""ChatGPT's export: conversations that are trees of messages, read along the branch in use.

In: a conversation with `mapping` and `current_node`. Out: its messages from the root to that node.
Other branches are answers that were thrown away. Images and files become refs, the model's thoughts
go into the meta of their message, and hidden or empty nodes are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from smartbrain.domain.hints import shown
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.history.export import Conversation, Export
from smartbrain.remember.history.turns import Said
from smartbrain.remember.history.values import as_dict, as_list, as_text, read_when

_HIDDEN: Final = "is_visually_hidden_from_conversation"
_PLAIN: Final = frozenset({"text", "multimodal_text"})
_THOUGHTS: Final = frozenset({"thoughts", "reasoning_recap"})
_TEXTS: Final = ("text", "result", "content")
"""The fields in which other contents than plain ones hold their text."""
_ABOUT_CONTENT: Final = ("language", "response_format_name", "title", "url", "domain", "name")
_ABOUT_FILE: Final = ("name", "mime_type", "mimeType", "size", "size_bytes", "width", "height")


def _open(conversation: dict[str, Any]) -> Conversation:
    """Open a conversation.

    Raises:
        UsageError: its tree cannot be followed.
    """
    mapping = conversation["mapping"]
    if not isinstance(mapping, dict) or not mapping:
        raise UsageError(f"its 'mapping' is {shown(mapping)}; it must be an object of messages")
    branch, fault = _branch(mapping, conversation.get("current_node"))
    own = conversation.get("conversation_id") or conversation.get("id") or branch[0]
    return Conversation(own, conversation.get("title"), _parts(mapping, branch, fault))


CHATGPT: Final = Export("chatgpt", "mapping", "create_time", _open)


def _branch(mapping: dict[str, Any], current: object) -> tuple[list[str], str]:
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
            fault = f"message {node}: the one before it ({shown(parent)}) is not in the export"
            break
        if parent in branch:
            raise UsageError(f"its messages follow each other in a circle at {shown(parent)}")
        node = parent
    return list(reversed(branch)), fault


def _newest_leaf(mapping: dict[str, Any]) -> str:
    """Return the last message that none follows, where the export does not say which is shown."""
    leaves = [node for node in mapping if not as_dict(mapping[node]).get("children")]
    if not leaves:
        raise UsageError("it has no 'current_node' and no last message")
    return max(leaves, key=lambda node: _seconds(as_dict(mapping[node])))


def _seconds(node: dict[str, Any]) -> float:
    time = as_dict(node.get("message")).get("create_time")
    return time if isinstance(time, int | float) else 0.0


def _parts(mapping: dict[str, Any], branch: list[str], fault: str) -> Iterator[Said | str]:
    """Yield the messages of a branch, or what is wrong with them."""
    if fault:
        yield fault
    for node in branch:
        message = as_dict(mapping[node]).get("message")
        if message is None:
            continue
        try:
            said = _said(as_dict(message), node)
        except UsageError as error:
            yield f"message {node}: {error.message}"
            continue
        if said:
            yield said


def _said(given: dict[str, Any], node: str) -> Said | None:
    """Read a message; None where there is nothing to see in it."""
    meta = as_dict(given.get("metadata"))
    if meta.get(_HIDDEN) is True:
        return None
    author = as_dict(given.get("author"))
    role = author.get("role")
    if role not in list(Role):
        raise UsageError(f"its author's role {shown(role)} is not known")
    text, kept, refs = _content(given.get("content"))
    _attach(refs, as_list(meta.get("attachments")))
    if not (text.strip() or kept.keys() - {"content_type"} or refs):
        return None
    recipient = as_text(given.get("recipient"))
    if recipient not in ("", "all"):
        kept["recipient"] = recipient
    message = {
        "role": role,
        "content": text,
        "name": as_text(author.get("name")),
        "id": as_text(given.get("id")) or node,
        "model": as_text(meta.get("model_slug")) if role == Role.ASSISTANT else "",
        "meta": kept,
    }
    shaped = {name: value for name, value in message.items() if value or name == "content"}
    return Said(shaped, read_when(given.get("create_time")), refs=refs)


def _content(given: object) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
    """Return the text of a content, what its message's meta keeps, and the files it shows."""
    content = as_dict(given)
    kind = as_text(content.get("content_type")) or "text"
    kept: dict[str, Any] = {} if kind == "text" else {"content_type": kind}
    if kind in _PLAIN:
        return _plain(content, kept)
    if kind in _THOUGHTS:
        thoughts = [_thought(one) for one in as_list(content.get("thoughts"))]
        kept["thinking"] = [
            *filter(None, thoughts),
            *filter(None, [as_text(content.get("content"))]),
        ]
        return "", {name: value for name, value in kept.items() if value}, []
    text = next((content[name] for name in _TEXTS if as_text(content.get(name))), "")
    if not text and content.keys() - {"content_type", *_TEXTS}:
        return "", {**kept, "content": content}, []
    kept |= {name: content[name] for name in _ABOUT_CONTENT if content.get(name)} if text else {}
    url = as_text(content.get("url"))
    return text, kept, [{"ref_type": "url", "ref_uri": url}] if url else []


def _plain(
    content: dict[str, Any], kept: dict[str, Any]
) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
    """Read a content of parts: texts, and pointers at images and sounds."""
    texts: list[str] = []
    refs: list[dict[str, Any]] = []
    other: list[Any] = []
    for part in as_list(content.get("parts")):
        fields = as_dict(part)
        pointer = as_text(fields.get("asset_pointer"))
        text = as_text(part) or as_text(fields.get("text"))
        if text:
            texts.append(text)
        if pointer:
            refs.append(_file(pointer, fields))
        if part and not (text or pointer):
            other.append(part)
    if other:
        kept["parts"] = other
    return "\n".join(texts), kept, refs


def _attach(refs: list[dict[str, Any]], attachments: list[Any]) -> None:
    """Add the files of a message to its refs; one that is shown too has its ref already."""
    shown_files = {ref["ref_uri"].rpartition("://")[2]: ref for ref in refs}
    for about in map(as_dict, attachments):
        name = as_text(about.get("id"))
        if name in shown_files:
            shown_files[name].update(_file(shown_files[name]["ref_uri"], about))
        elif name:
            refs.append(_file(f"file-service://{name}", about))


def _file(uri: str, about: dict[str, Any]) -> dict[str, Any]:
    """Return the ref of a file with what is known of it."""
    meta = {name: about[name] for name in _ABOUT_FILE if about.get(name)}
    return {"ref_type": "file", "ref_uri": uri, **({"ref_meta": meta} if meta else {})}


def _thought(given: object) -> str:
    """Return one of the model's thoughts under its heading."""
    thought = as_dict(given)
    lines = [as_text(thought.get("summary")), as_text(thought.get("content"))]
    return "\n".join(filter(None, lines))
