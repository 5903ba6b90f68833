"""The record: append-only entries in SQLite, the key tables beside them, and the work file."""
