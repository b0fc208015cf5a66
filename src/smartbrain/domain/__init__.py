"""The vocabulary: frozen dataclasses and pure rules. Standard library only, no I/O, no clock.

Stage values of both pipelines live here, so a newcomer follows types, not calls.
"""
