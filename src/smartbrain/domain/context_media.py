"""The parts of a user's message that are not text, as each provider takes them (S1).

In: a part in the form of OpenAI or Anthropic. Out: the same image or document in the form that is
asked for, or None where a provider has no form for it; what a part lacks. Bytes are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_MIMES: Final = {
    **{mime: mime for mime in ("image/jpeg", "image/png", "image/gif", "image/webp")},
    "image/jpg": "image/jpeg",  # often written, never registered
}
"""The images that Anthropic takes, by what they are called."""
_PDF: Final = "application/pdf"
_URL: Final = "an 'image_url' with a 'url', a link or a data URL"
_SOURCE: Final = "a 'source' with a 'type' and 'data' with its 'media_type', a 'url' or a 'file_id'"
_HELD: Final = {
    "image_url": ("image_url", ("url",), _URL),
    "input_image": ("image_url", ("url",), _URL),
    "image": ("source", ("data", "url", "file_id"), _SOURCE),
    "document": ("source", ("data", "url", "file_id", "content"), _SOURCE),
    "file": ("file", ("file_data", "file_id"), "a 'file' with 'file_data' or a 'file_id'"),
    "input_audio": ("input_audio", ("data",), "an 'input_audio' with its 'data' and 'format'"),
}
"""Where each kind of part has what it shows, by which fields, and how that is said."""


def lacking(part: Mapping[str, Any]) -> str | None:
    """Return what a part must have and has not, or None if it shows something."""
    kind = part["type"]
    if kind not in _HELD or (kind == "input_image" and part.get("file_id")):
        return None
    name, fields, needed = _HELD[kind]
    held = part.get(name)
    if isinstance(held, str) and "url" in fields:
        return None if held.strip() else needed
    if not isinstance(held, Mapping) or (name == "source" and not held.get("type")):
        return needed
    for field in fields:
        if field == "content" and held.get(field):
            return None
        if isinstance(value := held.get(field), str) and value.strip():
            whole = field != "data" or held.get("media_type") or held.get("format")
            return None if whole else needed
    return needed


def held_text(part: Mapping[str, Any]) -> str:
    """Return the words of a document that is given as text."""
    source = part.get("source") if part.get("type") == "document" else None
    if not isinstance(source, Mapping):
        return ""
    given = source.get({"text": "data", "content": "content"}.get(str(source.get("type")), ""))
    if isinstance(given, list | tuple):
        texts = (one.get("text") for one in given if isinstance(one, Mapping))
        return "\n\n".join(one for one in texts if isinstance(one, str))
    return given if isinstance(given, str) else ""


def openai_part(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an image, a sound or a file as OpenAI takes it."""
    kind = part.get("type")
    if lacking(part):
        return None
    if kind in ("input_audio", "file"):
        return dict(part)
    if kind in ("image_url", "input_image"):
        held = part.get("image_url")
        held = {"url": held} if isinstance(held, str) else held
        return {"type": "image_url", "image_url": dict(held)} if held else None
    if words := held_text(part):
        title = part.get("title")
        return {"type": "text", "text": f"{title}\n\n{words}" if title else words}
    url = _source_url(part.get("source"))
    if url is None:
        return None
    if kind == "image":
        return {"type": "image_url", "image_url": {"url": url}}
    if kind == "document" and url.startswith("data:"):
        name = part.get("title") or "document.pdf"
        return {"type": "file", "file": {"filename": name, "file_data": url}}
    return None


def anthropic_part(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an image or a document as Anthropic takes it."""
    kind = part.get("type")
    if lacking(part):
        return None
    if kind == "document" or (kind == "image" and part["source"]["type"] != "base64"):
        return dict(part)
    if kind == "image":
        mime = _MIMES.get(str(part["source"].get("media_type")))
        source = {**part["source"], "media_type": mime}
        return {**part, "source": source} if mime else None
    held = part.get("file" if kind == "file" else "image_url")
    if isinstance(held, Mapping):
        held = held.get("file_data" if kind == "file" else "url")
    if kind not in ("image_url", "input_image", "file") or not isinstance(held, str):
        return None
    if held.startswith(("http://", "https://")):
        form = "document" if kind == "file" else "image"
        return {"type": form, "source": {"type": "url", "url": held}}
    head, _, data = held.removeprefix("data:").partition(";base64,")
    if kind == "file" and head == _PDF:
        return {"type": "document", "source": _base64(head, data)}
    mime = _MIMES.get(head)
    return {"type": "image", "source": _base64(mime, data)} if mime and data else None


def _base64(mime: str, data: str) -> dict[str, Any]:
    return {"type": "base64", "media_type": mime, "data": data}


def _source_url(source: object) -> str | None:
    """Return where Anthropic's source is: its URL, or its data as one."""
    if not isinstance(source, Mapping):
        return None
    if source.get("type") == "url" and isinstance(source.get("url"), str):
        return str(source["url"])
    if source.get("type") == "base64" and isinstance(source.get("data"), str):
        return f"data:{source.get('media_type')};base64,{source['data']}"
    return None
