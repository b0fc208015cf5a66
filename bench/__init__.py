"""Speed, as ratios against a named peer or limit that is measured in the same run.

`python -m bench` runs every benchmark in a few minutes, `python -m bench --full` at full size.
What the numbers mean is in docs/benchmarks.md.
"""
