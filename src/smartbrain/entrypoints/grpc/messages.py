"""Messages of brain.proto as plain JSON, and back.

In: the compiled form of brain.proto, which every version of the protobuf library reads. Out: the
class of each message; plain JSON from a message; a message from plain JSON. A value of any shape
travels as it is where protobuf has a type for it, and as JSON where it is a list or an object, so
that no number changes on the way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message

from smartbrain.entrypoints.wire.limits import read_json
from smartbrain.entrypoints.wire.verbs import Verb
from smartbrain.errors import UsageError

SERVICE: Final = "smartbrain.v1.Brain"
_FREE: Final = "smartbrain.v1.FreeValue"
_COMPILED: Final = "brain.binpb"
MAX_DEPTH: Final = 500


@cache
def service() -> ServiceDescriptor:
    """Return the service with its methods, whose messages are then known to the library."""
    read = descriptor_pb2.FileDescriptorSet.FromString(
        files(__package__).joinpath(_COMPILED).read_bytes()
    )
    pool = descriptor_pool.Default()
    for file in read.file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool.FindServiceByName(SERVICE)


def message_class(descriptor: Any) -> type[Message]:
    """Return the class of a message."""
    found: type[Message] = message_factory.GetMessageClass(descriptor)
    return found


def rpc_name(verb: Verb) -> str:
    """Return what a verb is called in the service: `memories.get` is `MemoriesGet`."""
    return verb.arguments.__name__.removesuffix("Arguments")


def read_arguments(message: Message, most: int = MAX_DEPTH) -> dict[str, Any]:
    """Return the arguments that a request holds; what is unset is left to its default."""
    given: dict[str, Any] = {}
    for field, value in message.ListFields():
        given[field.name] = _plain_field(field, value, most)
    more = given.pop("more", {})
    if not isinstance(more, dict):
        raise UsageError("more: it holds further fields by name, as a JSON object")
    return {**more, **given}


def read_message(message: Message) -> dict[str, Any]:
    """Return a message as plain JSON, with null for what is unset."""
    return {
        field.name: _plain_field(field, getattr(message, field.name), MAX_DEPTH)
        if field.is_repeated or message.HasField(field.name)
        else None
        for field in message.DESCRIPTOR.fields
    }


def make_request(method: MethodDescriptor, given: Mapping[str, Any]) -> Message:
    """Return the request of a call from plain arguments; further names go into `more`."""
    message = message_class(method.input_type)()
    known = method.input_type.fields_by_name
    more = {name: value for name, value in given.items() if name not in known}
    fill_message(message, {**given, "more": more} if more and "more" in known else given)
    return message


def fill_message(message: Message, plain: Mapping[str, Any]) -> None:
    """Set the fields of a message from plain JSON; names that it does not have are left out."""
    for field in message.DESCRIPTOR.fields:
        value = plain.get(field.name)
        if value is not None:
            _fill_field(message, field, value)


def fill_free(message: Any, value: Any) -> None:
    """Set a value of any shape."""
    if isinstance(value, str):
        message.text = value
    elif isinstance(value, bool):
        message.flag = value
    elif isinstance(value, float):
        message.number = value
    elif isinstance(value, int) and -(2**63) <= value < 2**63:
        message.integer = value
    elif value is not None:
        message.json = json.dumps(value, ensure_ascii=False)


def _fill_field(message: Message, field: FieldDescriptor, value: Any) -> None:
    if _is_map(field):
        held = getattr(message, field.name)
        is_message = field.message_type.fields_by_name["value"].message_type is not None
        for key, one in value.items():
            if is_message:
                _fill_one(held[key], one)
            else:
                held[key] = one
    elif field.message_type is None and field.is_repeated:
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        getattr(message, field.name).extend(value if is_list else [value])
    elif field.message_type is None:
        setattr(message, field.name, value)
    elif field.is_repeated:
        for one in value:
            _fill_one(getattr(message, field.name).add(), one)
    else:
        held = getattr(message, field.name)
        held.SetInParent()
        _fill_one(held, value)


def _fill_one(message: Message, value: Any) -> None:
    if message.DESCRIPTOR.full_name == _FREE:
        fill_free(message, value)
    else:
        fill_message(message, value)


def _plain_field(field: FieldDescriptor, value: Any, most: int) -> Any:
    if _is_map(field):
        held = field.message_type.fields_by_name["value"]
        return {key: _plain_one(held, one, most) for key, one in value.items()}
    if field.is_repeated:
        return [_plain_one(field, one, most) for one in value]
    return _plain_one(field, value, most)


def _plain_one(field: FieldDescriptor, value: Any, most: int) -> Any:
    if field.message_type is None:
        return value
    if field.message_type.full_name != _FREE:
        return read_message(value)
    kind = value.WhichOneof("kind")
    if kind != "json":
        return getattr(value, kind) if kind else None
    return read_json(value.json, most)


def _is_map(field: FieldDescriptor) -> bool:
    held = field.message_type
    return held is not None and held.GetOptions().map_entry
