"""The file: opened with write-ahead logging, brought to the newest schema step by step."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from pathlib import Path

MIGRATIONS = Path(__file__).with_name("migrations")


class HistoryError(Exception):
    """The history cannot be used; the text says which file, why and what to do."""


def migrations(folder: Path = MIGRATIONS) -> list[tuple[int, str]]:
    """Each step's number and SQL, in order. ``NNNN_name.sql`` brings a history from version NNNN-1 to NNNN."""
    found = {int(p.name[:4]): p.read_text(encoding="utf-8") for p in folder.glob("[0-9][0-9][0-9][0-9]_*.sql")}
    if not found or sorted(found) != list(range(1, len(found) + 1)):
        raise HistoryError(f"{folder}: the migrations {sorted(found)} are not numbered from 1 without a gap; is gpualert installed whole?")
    return sorted(found.items())


def open_database(path: Path, folder: Path = MIGRATIONS) -> sqlite3.Connection:
    """The database at ``path``, made where it is missing (0600), at the newest schema.

    ``synchronous=FULL``: what a transaction wrote survives a power cut, because the sealed report is removed right after.

    Raises:
        HistoryError: it is damaged, written by a newer gpualert, or cannot be written.
    """
    steps = migrations(folder)
    try:
        path.touch(mode=0o600, exist_ok=True)
        with contextlib.ExitStack() as failing:
            database = sqlite3.connect(path, isolation_level=None, timeout=30)
            failing.callback(database.close)
            _prepare(database, path)
            _migrate(database, path, steps)
            failing.pop_all()
    except (sqlite3.Error, OSError) as error:
        raise HistoryError(f"{path} cannot be used: {error}; where it is damaged, move it and its -wal file away: a new one is made") from error
    return database


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    database.row_factory = sqlite3.Row
    if database.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        raise HistoryError(f"{path}: write-ahead logging is not possible here; daemon.state_dir must be on a local disk")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA foreign_keys = ON")


def _migrate(database: sqlite3.Connection, path: Path, steps: list[tuple[int, str]]) -> None:
    have = int(database.execute("PRAGMA user_version").fetchone()[0])
    newest = steps[-1][0]
    if have > newest:
        raise HistoryError(f"{path} has schema {have}, this gpualert knows up to {newest}: a newer gpualert wrote it; run that one")
    for number, sql in steps:
        if number > have:
            # One transaction a step, version included: a crash leaves the step done or not begun.
            if re.search(r"^\s*(BEGIN|COMMIT)\b", sql, re.MULTILINE | re.IGNORECASE):
                raise HistoryError(f"migration {number} must not begin or end a transaction itself")
            database.executescript(f"BEGIN IMMEDIATE;\n{sql}\nPRAGMA user_version = {number};\nCOMMIT;")
