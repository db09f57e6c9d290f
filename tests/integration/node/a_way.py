"""Both ends of a report's way in one process: any seal, any transport, the daemon's intake and history. Root plays gpualertd."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpualert_slurm.config import Config, Site
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.pieces import close_document
from gpualert_slurm.epilog.seal import SealKeys, seal_of
from gpualert_slurm.epilog.transport import transport_of
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.programs.gpualertd.intake import Intake
from tests.testbed.ports import Ports
from tests.unit.epilog.test_pieces import ATTEMPT, NOTE

KEY = "2026-11 " + "ab" * 32 + "\n"


def key(path: Path, content: str = KEY, uid: int = 0) -> Path:
    """A key file that its owner alone can read."""
    path.touch(mode=0o600)
    path.write_text(content)
    os.chown(path, uid, uid)
    return path


@dataclass
class Way:
    """Both ends of the way from a node to the history."""

    site: Site
    intake: Intake
    history: History

    def send(self, sealed: list[bytes]) -> None:
        """As a node does. Raises OSError."""
        transport_of(self.site).send(sealed, self.site)

    def sealed(self, site: Site | None = None, document: JobNote = NOTE) -> list[bytes]:
        """The note's pieces, as ``site`` seals them; this one unless another is given."""
        site = site or self.site
        return close_document(document, ATTEMPT, seal_of(site), SealKeys.of(site, 0))

    def refused(self, sealed: list[bytes]) -> str:
        """The reason for which it is not taken, wherever on the way that is said; "" where it is taken as something new."""
        before = set((self.site.spool_dir / ".refused").glob("*.reason"))
        try:
            self.send(sealed)
        except OSError as error:
            assert self.taken() == []
            return str(error)
        taken = self.taken()
        reasons = set((self.site.spool_dir / ".refused").glob("*.reason")) - before
        if not taken:
            return "".join(path.read_text() for path in reasons) or "nothing came"
        return "" if any(added.new for _, added in taken) else "it is known already"

    def taken(self) -> list[tuple[object, object]]:
        return list(self.intake.take_in())


@contextlib.contextmanager
def a_way(seal: str, transport: str, munge_socket: Path, folder: Path, *, host: str = "127.0.0.1", listen: tuple[str, ...] = ("127.0.0.1",)) -> Iterator[Way]:
    """The way by this seal and this transport, its folders below ``folder``."""
    ports = Ports()
    (folder / "spool").mkdir(mode=0o1733)
    site = Site(
        spool_dir=folder / "spool", daemon_user="root", munge_socket=munge_socket, seal=seal, transport=transport,
        seal_key_file=key(folder / "seal.key"), daemon_host=host, daemon_port=ports.take(), listen=listen,
    )
    history = History(folder / "history.db")
    chosen = transport_of(site)
    intake = Intake(Config(site=site), "hpc", transport=chosen, seal=seal_of(site), history=history)
    intake.prepare()
    try:
        yield Way(site, intake, history)
    finally:
        chosen.close()
        history.close()
        ports.release()


@contextlib.contextmanager
def in_memory() -> Iterator[Path]:
    """A folder that every user can reach, in memory where that is to be had: each test makes the spool's 256 folders."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="gpualert-test-", dir=memory if os.access(memory, os.W_OK) else "/var/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
