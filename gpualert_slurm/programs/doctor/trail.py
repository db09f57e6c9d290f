"""What the daemon's own storage says about one job: which documents came, how far it is, what became of its mail. Read as the daemon's user."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpualert_slurm.config import Config
from gpualert_slurm.epilog.collect_account import look_up
from gpualert_slurm.epilog.collect_user import Limits, Send, run_as

if TYPE_CHECKING:
    from gpualert_slurm.notify.stored_message import Stored

_BUSY_S = 5.0
_MOST_VERDICT_BYTES = 64 << 20


class TrailError(Exception):
    """It cannot be read from here; the text says why."""


@dataclass(frozen=True)
class Trail:
    """``stage`` is the history's: collecting, judged, composed, done; "" where it does not know the job.

    ``reports`` are those still kept: the daemon lets go of them when the mail is done. ``missing`` names the nodes whose report the verdict lacks.
    ``mails`` has the state and the last answer of each.
    """

    stage: str = ""
    outcome: str = ""
    mode: str = ""
    notes: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    mails: tuple[tuple[str, str], ...] = ()


def trail_of(job_id: int, config: Config, uid: int, gid: int) -> Trail:
    """The newest run of the job.

    Args:
        job_id: the job, in the cluster whose daemon this is.
        config: names the folders.
        uid: the daemon's user, whom the caller can become (or is), and
        gid: its group.

    Raises:
        TrailError: no history here, or it cannot be read.
    """
    from gpualert_slurm.notify import stored_message  # loaded here, not in the child, which may not be able to read our files

    def work(send: Send) -> None:
        try:
            send(json.dumps(asdict(_read(job_id, config.daemon.state_dir, stored_message.read))).encode())
        except (sqlite3.Error, OSError, ValueError, zlib.error) as error:
            send(b"?" + str(error).encode())

    # SQLite may grow its index of the write-ahead log, a file.
    answer = run_as(look_up(uid, gid), work, Limits(deadline_s=20.0, memory_mib=2048, file_bytes=64 << 20))
    if answer.cut_short or not answer.frames:
        raise TrailError(f"{config.daemon.state_dir}: {answer.cut_short or 'nothing was said'}")
    if answer.frames[0].startswith(b"?"):
        raise TrailError(f"{config.daemon.state_dir}: {answer.frames[0][1:].decode('utf-8', 'replace')}")
    found = json.loads(answer.frames[0])
    mails = tuple((state, said) for state, said in found["mails"])
    return Trail(found["stage"], found["outcome"], found["mode"], tuple(found["notes"]), tuple(found["reports"]), tuple(found["missing"]), mails)


def _read(job_id: int, folder: Path, read_message: Callable[[Path], Stored]) -> Trail:
    database = sqlite3.connect(f"file:{folder / 'history.db'}?mode=ro", uri=True, timeout=_BUSY_S)
    with contextlib.closing(database):
        run = database.execute("SELECT id, state, outcome FROM run WHERE job_id = ? ORDER BY id DESC", (job_id,)).fetchone()
        if run is None:
            return Trail()
        documents = database.execute("SELECT kind, node FROM document WHERE run_id = ? ORDER BY node", (run[0],)).fetchall()
        verdict = database.execute("SELECT mode, content FROM verdict WHERE run_id = ? AND newest", (run[0],)).fetchone()
        keys = [row[0] for row in database.execute("SELECT key FROM message_run WHERE run_id = ?", (run[0],))]
    return Trail(
        stage=run[1], outcome=run[2] or "", mode=verdict[0] if verdict else "", missing=_missing(verdict[1]) if verdict else (),
        notes=tuple(node for kind, node in documents if kind == "note"), reports=tuple(node for kind, node in documents if kind == "report"),
        mails=tuple(mail for key in keys for mail in _mails(folder / "outbox", key, read_message)),
    )


def _missing(content: bytes) -> tuple[str, ...]:
    """The nodes of the verdict's gaps ``no report``; content is the verdict's JSON, compressed (doc/formats/history.md)."""
    gaps = json.loads(zlib.decompressobj().decompress(content, _MOST_VERDICT_BYTES)).get("gaps", [])
    return tuple(str(gap.get("node") or "?") for gap in gaps if gap.get("what") == "no report")


def _mails(outbox: Path, key: str, read_message: Callable[[Path], Stored]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for path in outbox.glob(f"*/{key}.msg"):
        said = ""
        with contextlib.suppress(Exception):  # it was moved meanwhile, or is damaged: its folder says enough
            said = "; ".join(f"{o.recipient}: {o.kind.value.lower()}: {o.reason}" for o in read_message(path).last_outcomes.values())
        found.append((path.parent.name, said))
    return found
