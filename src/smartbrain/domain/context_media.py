"""The parts of a user's message that are not text, as each provider takes them (S1).

In: a part in the form of OpenAI or Anthropic. Out: the same image or document in the form that is
asked for, or None where a provider has no form for it. Bytes are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_PDF: Final = "application/pdf"


def openai_part(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an image, a sound or a file as OpenAI takes it."""
    kind = part.get("type")
    if kind in ("image_url", "input_audio", "file"):
        return dict(part)
    if kind == "input_image":
        url = part.get("image_url")
        return {"type": "image_url", "image_url": {"url": url}} if isinstance(url, str) else None
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
    if kind in ("image", "document"):
        return dict(part)
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
    if head == "image/jpg":  # often written, never registered
        head = "image/jpeg"
    return {"type": "image", "source": _base64(head, data)} if head in _IMAGES and data else None


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
