"""Memory over gRPC: a typed call for every verb of the wire table.

`messages` turns messages into plain JSON and back, `server` answers calls. `brain.proto` is written
by `tools/grpc_proto.py`; `brain.binpb` is its compiled form.
"""
