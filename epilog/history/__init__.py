"""The daemon's memory: what arrived, what was found, what was sent. SQLite; the schema is doc/formats/history.md."""
