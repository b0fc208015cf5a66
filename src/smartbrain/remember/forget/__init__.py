"""Forgetting, up to the point where nothing shows it any more: find, hide, take back (J7).

`find` says what a request covers, `hide` takes it out of every table, `said` does what a turn asks
for in words. Erasing what is hidden for good is a job.
"""
