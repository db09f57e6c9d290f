"""Kill -9 at every step the daemon takes on disk, one after the other: the mail comes, and it is the same one.

A real munged, a real SMTP server; no Slurm, so accounting is away and the mail says so.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.config import load
from gpualert_slurm.epilog.pieces import close_document
from gpualert_slurm.epilog.seal import SealKeys
from gpualert_slurm.epilog.seals.munge import SEAL
from gpualert_slurm.epilog.transports.spool import TRANSPORT
from tests.testbed.munge import munged, socket_of
from tests.testbed.ports import Ports
from tests.testbed.smtp import Smtp
from tests.unit.epilog.runs import note, report

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("munged") is None, reason="needs root and munged")

DIES_AT = """
import os, signal, sys
dies_at, count, me = int(sys.argv[1]), 0, os.getpid()
def step(what):
    global count
    if os.getpid() == me:
        count += 1
        if count == dies_at:
            print("killed before", what, file=sys.stderr, flush=True)
            os.kill(me, signal.SIGKILL)
def hook(event, args):
    if event in ("os.rename", "os.remove", "socket.connect"):
        step(f"{event} {args[:1]}")
    elif event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR) and isinstance(args[0], str) and not args[0].startswith("/dev"):
        step(f"open {args[0]}")
sys.addaudithook(hook)
from gpualert_slurm.epilog.history import store
opened = store.open_database
def traced(path):
    database = opened(path)
    database.set_trace_callback(lambda sql: step(sql) if sql.startswith(("COMMIT", "BEGIN")) else None)
    return database
store.open_database = traced
from gpualert_slurm.programs.daemon import main
sys.exit(main(sys.argv[2:]))
"""
MOST_STEPS = 150


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="gpualert-kill-", dir="/var/tmp"))
    folder.chmod(0o755)
    for name in ("etc", "log", "spool", "state"):
        (folder / name).mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.timeout(600)
def test_the_mail_survives_a_death_at_every_step(root: Path) -> None:
    """A note and the reports of two nodes lie in the spool. The daemon dies before its first step on disk, its second, its third …"""
    ports = Ports()
    smtp = Smtp(root / "mail", ports.take(), root / "log" / "smtp.log")
    munge = munged(root, dict(os.environ))
    config = root / "etc" / "gpualert.toml"
    tables = {
        "site": {"cluster": "c", "spool_dir": str(root / "spool"), "daemon_user": "root", "munge_socket": str(socket_of(root))},
        "daemon": {"state_dir": str(root / "state"), "poll_interval_s": 0.05, "slurm_poll_s": 0.05, "report_deadline_s": 0.1, "accounting_deadline_s": 0.1,
                   "slurm_timeout_s": 0.3},
        "mail": {"host": "127.0.0.1", "port": smtp.port, "allowed_domains": ["example.org"], "sender": "gpualert@example.org"},
    }
    config.write_text("".join(f"[{t}]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in keys.items()) for t, keys in tables.items()))
    site = load(config).site
    environment = {**os.environ, "PATH": "/usr/bin:/bin"} if shutil.which("sacct", path="/usr/bin:/bin") is None else {**os.environ, "SLURM_CONF": "/nonexistent"}
    try:
        munge.start()
        smtp.start()
        for document in (note(), report("n1"), report("n2")):
            TRANSPORT.send(close_document(document, "7.0123456789abcdef", SEAL, SealKeys(0, socket_of(root))), site)
        words = []
        for dies_at in range(1, MOST_STEPS):
            done = subprocess.run([sys.executable, "-c", DIES_AT, str(dies_at), "--once", "--config", str(config)], env=environment, capture_output=True,
                                  text=True, check=False, timeout=120)
            if done.returncode == 0:
                break
            assert done.returncode == -signal.SIGKILL, done.stderr
            words.append(done.stderr.splitlines()[-1])
        else:
            pytest.fail(f"not at its end after {MOST_STEPS} deaths: {words[-5:]}")
        print(f"{len(words)} deaths: {'; '.join(words)}")
        assert {"COMMIT", "os.remove"} <= {w for said in words for w in ("os.rename", "COMMIT", "os.remove") if w in said}
        time.sleep(0.5)
        mails = smtp.mails()
        assert mails
        assert len({m.message()["message-id"] for m in mails}) == 1
        assert not list((root / "spool").rglob("[0-9a-f]" * 32))
        database = sqlite3.connect(root / "state" / "history.db")
        assert database.execute("SELECT state, outcome FROM run").fetchall() == [("done", "sent")]
        database.close()
    finally:
        smtp.stop()
        munge.stop()
        ports.release()
