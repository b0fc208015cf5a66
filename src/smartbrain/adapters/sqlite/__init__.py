"""The truth on SQLite: one encrypted-or-plain database file a tenant, many processes, no loss.

`truth.SqliteTruth` is the port's implementation; the repositories beside it hold the SQL, one file
a group of tables; `migrations/` holds the schema's history and `schema.sql` its sum.
"""
