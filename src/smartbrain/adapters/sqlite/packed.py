"""Values that are stored packed, for they are large and seldom read: traces (S6).

In: any value that JSON has a form for. Out: JSON that is a text, with the compressed spelling of
the value in it, and the value again. What an earlier release packed, or did not, is read as well.
"""

from __future__ import annotations

import json
import sys
import zlib
from base64 import b64decode, b64encode, b85decode
from typing import Any, Final

from smartbrain.adapters.sqlite.rows import json_text, load
from smartbrain.errors import AdapterError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_PACKED: Final = "zstd:"  # no text that zlib packed begins with it: base 85 has no colon
_LEVEL: Final = 1  # as small as the third, for this kind of text, in two thirds of the time


def packed_json(value: Any) -> str:
    """Return JSON that is a text with the compressed one of a value; for what is seldom read."""
    try:  # what is plain already it spells alike, in half the time
        spelled = json.dumps(
            value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
        ).encode()
    except (TypeError, ValueError, RecursionError):
        spelled = json_text(value).encode()
    return f'"{_PACKED}{b64encode(zstd.compress(spelled, level=_LEVEL)).decode()}"'


def load_packed(text: str) -> Any:
    """Read stored JSON that may be packed.

    Raises:
        AdapterError: it is damaged.
    """
    value = load(text)
    if not isinstance(value, str):
        return value
    try:
        if value.startswith(_PACKED):
            spelled = zstd.decompress(b64decode(value[len(_PACKED) :], validate=True))
        else:  # written by an earlier release
            spelled = zlib.decompress(b85decode(value))
        return load(spelled.decode())
    except (ValueError, zlib.error, zstd.ZstdError) as error:
        raise AdapterError(
            f"a stored value cannot be unpacked ({error}); restore the tenant from a backup",
            code="corrupt",
        ) from None
