"""Images, sounds and files in providers' messages, made refs.

In: a part that shows something, by its URL, its data or the id of an uploaded file. Out: a ref in
the form that `commit_turn` takes. Bytes are not stored here: they are named by a hash, with their
type and length, so that the same file is known again.
"""

from __future__ import annotations

from base64 import b64decode
from hashlib import sha256
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from smartbrain.domain.turn import RefType
from smartbrain.errors import UsageError
from smartbrain.remember.objects import as_mapping, present, text_of

MEDIA: Final = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
}
"""Parts that become refs, each with what it shows."""
_HOLDERS: Final = ("source", "image_url", "input_audio", "file")
_LOCATORS: Final = ("data", "file_data", "url", "image_url", "file_url", "file_id", "id")


def media_ref(block: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the ref of an image, a sound or a file, with everything small that is said of it."""
    meta = {**block, "kind": MEDIA[block["type"]]}
    del meta["type"]
    for name in _HOLDERS:
        held = as_mapping(meta.get(name), where)
        if held is not None:
            del meta[name]
            meta.update(present(held, where))
            meta.pop("type", None)
    locator = next((name for name in _LOCATORS if meta.get(name)), None)
    if locator is None:
        raise UsageError(f"{where} shows nothing; give its URL, its data or the id of its file")
    given = meta.pop(locator)
    text = given if isinstance(given, bytes) else text_of(given, f"{where}.{locator}")
    if isinstance(text, str) and locator not in ("data", "file_data"):
        scheme = text[:8].lower()
        if scheme.startswith(("http://", "https://")):
            return {"ref_type": RefType.URL, "ref_uri": text, "ref_meta": meta}
        if not scheme.startswith("data:"):
            return {"ref_type": RefType.ARTIFACT, "ref_uri": text, "ref_meta": meta}
    mime, data = _decoded(text, where)
    said = f"{meta['kind']}/{meta['format']}" if "format" in meta else "application/octet-stream"
    meta["mime"] = meta.pop("media_type", None) or mime or said
    meta["bytes"] = len(data)
    uri = f"sha256:{sha256(data).hexdigest()[:32]}"
    return {"ref_type": RefType.ARTIFACT, "ref_uri": uri, "ref_meta": meta}


def _decoded(given: str | bytes, where: str) -> tuple[str | None, bytes]:
    """Return the mime type, where it is said, and the bytes of a data URL or of base64 text."""
    if isinstance(given, bytes):
        return None, given
    head, body = "base64", given
    if given[:5].lower() == "data:":
        head, _, body = given[5:].partition(",")
    mime, *options = head.split(";")
    try:
        data = unquote_to_bytes(body)
        if "base64" in (mime, *options):
            data = b64decode(b"".join(data.split()), validate=True)
    except ValueError:
        raise UsageError(
            f"{where} holds data that is not base64; encode it, or give a URL"
        ) from None
    return (None if mime == "base64" else mime or "text/plain"), data
