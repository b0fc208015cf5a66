"""Adapters: the ports, implemented on real disks, keys, databases and services.

In and out: exactly what each port says. What an adapter stands on (a library, a file format) stays
inside it, and adapters never import each other; `smartbrain.bootstrap` puts them together.
"""
