"""One node's service as a process, with folders, configuration, GPUs and a spool of its own."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from gpualert_slurm.config import Site
from gpualert_slurm.epilog.pieces import Piece, complete, join, open_sealed
from gpualert_slurm.epilog.seal import SealKeys
from gpualert_slurm.epilog.seals.munge import SEAL
from gpualert_slurm.epilog.transports.spool import TRANSPORT
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.spank.watch import sample_file
from tests.integration.node.a_job import TRACEBACK, AJob
from tests.integration.node.as_user import as_uid
from tests.testbed import nvml_library

DAEMON = pwd.getpwnam("nobody")


class ANode:
    """One node's state folder, configuration and service."""

    def __init__(self, root: Path, munge_socket: Path, library: Path) -> None:
        self.root, self.state, self.socket = root, root / "state", munge_socket
        self.state.mkdir(mode=0o711)
        self.spool = root / "reports"
        self.spool.mkdir()
        os.chown(self.spool, DAEMON.pw_uid, DAEMON.pw_gid)
        self.spool.chmod(0o1733)
        self.readings = root / "gpus.txt"
        self.gpus()
        self.log = root / "service.log"
        self.settings = {"idle_exit_s": 0.3, "sample_first_s": 0.2, "kernel_log_from_root": "true", "nvml_timeout_s": 1.0}
        self.env = {**os.environ, "LD_LIBRARY_PATH": str(library), nvml_library.READINGS_VARIABLE: str(self.readings)}
        self.started: list[subprocess.Popen[bytes]] = []

    def gpus(self, **changes: str) -> None:
        """Two cards with an address of their own: the kernel log is shared by every test on the machine."""
        cards = [nvml_library.healthy("n1", i) | {"pci.bus_id": f"0000A7{os.getpid() % 256:02X}:{i:02X}:00.0"} for i in range(2)]
        cards[0] |= {k.replace("_", "."): v for k, v in changes.items()}
        nvml_library.write_readings(self.readings, cards)

    @property
    def pci(self) -> str:
        """The first card's address as the driver prints it."""
        return f"A7{os.getpid() % 256:02X}:00:00"

    def start(self, kernel_log: Path | None = None) -> subprocess.Popen[bytes]:
        """The service; with something else in the place of /dev/kmsg, which only it sees."""
        node = "\n".join(f"{k} = {v}" for k, v in self.settings.items())
        site = f'cluster = "hpc"\nstate_dir = "{self.state}"\nspool_dir = "{self.spool}"\ndaemon_user = "{DAEMON.pw_name}"\n'
        site += f'munge_socket = "{self.socket}"\noff_file = "{self.root}/off"\n'
        config = self.root / "gpualert.toml"
        config.write_text(f"[site]\n{site}[node]\n{node}\n")
        with self.log.open("ab") as log:
            argv = [sys.executable, "-m", "gpualert_slurm.programs.node", "--node", "n1", "--config", str(config)]
            if kernel_log is not None:
                mount = f"mount --bind {kernel_log} /dev/kmsg && exec \"$@\""
                argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount, "sh", *argv]
            process = subprocess.Popen(argv, env=self.env, stdout=log, stderr=log)
        self.started.append(process)
        return process

    def documents(self) -> list[JobNote | NodeReport]:
        """What arrived, opened and joined as the daemon would."""
        keys, site = SealKeys(DAEMON.pw_uid, self.socket), Site(spool_dir=self.spool)

        def opened() -> list[Piece]:
            return [open_sealed(a.sealed, SEAL, keys, "hpc") for a in TRANSPORT.arrivals(site)]

        wholes: dict[str, list[Piece]] = {}
        for piece in as_uid(DAEMON.pw_uid, opened):
            wholes.setdefault(piece.whole_sha256, []).append(piece)
        return [join(pieces, 1 << 25) for pieces in wholes.values() if complete(pieces)]

    def reports(self) -> list[NodeReport]:
        """The reports among them."""
        return [d for d in self.documents() if isinstance(d, NodeReport)]

    def words(self) -> str:
        """What the services said."""
        return self.log.read_text()


def until(true: Callable[[], object], what: str, seconds: float = 20) -> None:
    """Wait for it."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def a_failing_job(node: ANode, **of_the_job: object) -> AJob:
    job = AJob(node.state, **of_the_job)  # type: ignore[arg-type]
    job.start()
    job.task(0, TRACEBACK, exit_code=1)
    return job


def sampled(job: AJob, name: str = "gpu_power_mw") -> int:
    """How many samples of the job's GPUs there are by now."""
    return max((len(c.values) for (_, n), c in sample_file.read(job.record / "samples.jsonl").items() if n == name), default=0)


def cpu_ticks(process: subprocess.Popen[bytes]) -> int:
    """What the process has used so far, in clock ticks."""
    return sum(map(int, Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
