"""For tests of SmartBrain and of adapters to it: in-memory ports and the contract suites.

In: nothing but the ports. Out: reference implementations (`blobs`) that do what a port says and no
more, and `contracts`, which an adapter inherits in its own tests. Not for production: memory only.
"""
