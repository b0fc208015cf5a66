"""Blobs as local files: `files` stores them, `cipher` seals them for tenants that have a key.

The cipher is a module of its own and not imported here, so that tenants without a key never pay
for loading a cryptography library.
"""
