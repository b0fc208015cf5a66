"""The story that `make demo` tells: two weeks of a small project, and what is remembered of them.

`script` is what happens, `play` puts it into a brain, `show` draws what came of it.
"""
