"""The whole bed: brought up by ``with Cluster() as c``, taken down by pid, whatever happens in between."""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from . import host, processes
from .client import SlurmClient
from .daemon import Daemon, DaemonError, wait_until
from .gpualert_conf import Gpualert
from .gpus import make_devices
from .install import install
from .mariadb import MariaDb
from .munge import munged
from .node_service import NodeService
from .nvml_library import NvmlLibrary
from .ports import Ports
from .slurm_conf import SlurmConf
from .slurmctld import slurmctld
from .slurmd import Node
from .slurmdbd import add_accounts, slurmdbd
from .smtp import Smtp

PLAYED = "GPUALERT_TESTBED_PLAYED_NVML"
"""The variable that puts the bed's own NVML before the real one, to try a bed with a real GPU where there is none."""
MAX_ROOT_BYTES = 60  # Unix sockets below it must stay within 107 bytes


class Cluster(SlurmClient):
    """munged, MariaDB, slurmdbd, slurmctld, slurmd on every node, an SMTP server; with ``gpualert`` also gpualert itself.

    Args:
        root: an empty or new folder that every user can reach; a new one in /var/tmp where None. Removed at the end unless ``keep``.
        nodes: how many; they are called n1, n2, …
        cpus, gpus_per_node: of each node, as slurm.conf counts them.
        gpualert: install gpualert and hook it in (plugstack.conf, Epilog, node services); ``start_daemon()`` starts gpualertd.
        real_gpu, memory_mib: the type of the host's own GPU, ``/dev/nvidia0``, which is then the one node's, and what memory that node has.
        extra: more lines of slurm.conf, or other values for the bed's own.
        keep: leave ``root`` behind; also by GPUALERT_TESTBED_KEEP=1.
    """

    def __init__(
        self, root: Path | None = None, *, nodes: int = 4, cpus: int = 4, gpus_per_node: int = 2, gpualert: bool = False,
        real_gpu: str = "", memory_mib: int = 4000, extra: Mapping[str, str] | None = None, keep: bool = False,
    ) -> None:
        self._made = root is None
        root = Path(tempfile.mkdtemp(prefix="gpualert-bed-", dir="/var/tmp")) if root is None else root.resolve()
        super().__init__(root, self.log_tails)
        self.name = f"bed{secrets.token_hex(3)}"
        self.keep = keep or os.environ.get("GPUALERT_TESTBED_KEEP") == "1"
        self.node_names = [f"n{i + 1}" for i in range(nodes)]
        self._with_gpualert = gpualert
        self._played = not real_gpu or PLAYED in os.environ
        self._ports = Ports()
        self._password = secrets.token_hex(16)
        dbd_port = self._ports.take()
        self.conf = SlurmConf(root, self.name, self.node_names, cpus, gpus_per_node, self._ports.take(), dbd_port,
                              [self._ports.take() for _ in self.node_names], dict(extra or {}), real_gpu, memory_mib)
        self._folders()
        self.gpualert = Gpualert(root, self.name, self._ports.take())
        smtp_port = self.gpualert.settings["mail"]["port"]
        assert isinstance(smtp_port, int)
        env = self.environment()
        self.smtp = Smtp(root / "mail", smtp_port, root / "log" / "smtp.log", env=env)
        self.munged = munged(root, env)
        self.mariadb = MariaDb(root, self._ports.take(), self._password, env)
        self.slurmdbd = slurmdbd(root, dbd_port, self.mariadb, self._password, env)
        self.slurmctld = slurmctld(root, env)
        self.nvml = NvmlLibrary(root, self.node_names, gpus_per_node)
        self.nodes = {name: Node(root, name, port, env) for name, port in zip(self.node_names, self.conf.node_ports, strict=True)}
        self.node_services = {
            name: NodeService(self.gpualert.program("gpualert-node"), name, state_dir=self.gpualert.state_dir, config=self.gpualert.config,
                              log=root / "log" / f"gpualert-node.{name}.log", env={**env, **(self.nvml.environment(name) if self._played else {})})
            for name in self.node_names
        }
        self.daemon = Daemon("gpualertd", [str(self.gpualert.program("gpualertd")), "--config", str(self.gpualert.config)],
                             log=root / "log" / "gpualertd.log", user=host.SERVICE, env=self.environment(host.SERVICE))

    def __enter__(self) -> Cluster:
        """Bring it up; raises what went wrong after taking down what had been started."""
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take it down."""
        self.close()

    def start(self) -> None:
        """Bring it up; all nodes are idle when this returns."""
        atexit.register(self.close)
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        if not self.conf.real_gpu:
            make_devices(self.root, self.node_names, self.conf.gpus_per_node)
        self.conf.write()
        self.plugstack([])
        if self._with_gpualert:
            if self._played:
                self.nvml.prepare()
            install(self.gpualert.prefix, self.root / "build")
            self.gpualert.make_folders()
            self.gpualert.configure()
            self._hook_in()
            for words in self.gpualert.missing():
                print(f"testbed: {words}; the bed goes on without it")
        self.munged.start()
        self.smtp.start()
        self.mariadb.start()
        self.slurmdbd.start()
        add_accounts(self.name, [host.ALICE, host.BOB], self.environment(), self.slurmdbd)
        self.slurmctld.start()
        for node in self.nodes.values():
            node.slurmd.spawn()
        for node in self.nodes.values():
            node.slurmd.wait_ready()
        self.wait_idle()
        if self._with_gpualert:
            for service in self.node_services.values():
                service.start()

    def _hook_in(self) -> None:
        if self.gpualert.plugin.exists():
            self.plugstack([self.gpualert.plugstack_line()])
        if self.gpualert.program("gpualert-epilog").exists():
            self.conf.settings["Epilog"] = str(self.gpualert.epilog())
            self.conf.write()

    def hook_in(self) -> None:
        """Put gpualert's lines into plugstack.conf and slurm.conf again, live."""
        self._hook_in()
        self.reconfigure({})

    def unhook(self) -> None:
        """Take gpualert's lines out of plugstack.conf and slurm.conf, live: Slurm as it is without gpualert."""
        self.plugstack([])
        self.reconfigure({"Epilog": None})

    def close(self) -> None:
        """Take everything down by pid, and remove the folder. Calling it again does nothing."""
        atexit.unregister(self.close)
        for service in self.node_services.values():
            service.stop(kill=True)
        self.daemon.stop(term_timeout_s=5)
        for node in self.nodes.values():
            node.lose()
        for daemon in (self.slurmctld, self.slurmdbd, self.mariadb.daemon, self.smtp.daemon, self.munged):
            daemon.stop()
        until = time.monotonic() + 5
        while (left := processes.of_bed(self.root)) and time.monotonic() < until:
            processes.kill_all(sorted(left))
            time.sleep(0.05)
        self._ports.release()
        if not self.keep:
            shutil.rmtree(self.root, ignore_errors=True)

    def _folders(self) -> None:
        if len(str(self.root)) > MAX_ROOT_BYTES:
            raise DaemonError(f"{self.root} is too long for the Unix sockets below it: at most {MAX_ROOT_BYTES} bytes")
        self.root.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o755)
        closed = [folder for folder in self.root.parents if not folder.stat().st_mode & 0o001]
        if closed:
            raise DaemonError(f"job users cannot reach {self.root}: {closed[0]} is closed to others")
        for name in ("etc", "log", "home", "nodes"):
            (self.root / name).mkdir(exist_ok=True)
        host.make_users()
        for name in ("slurmctld.log", "slurmdbd.log"):
            (self.root / "log" / name).touch()
            shutil.chown(self.root / "log" / name, "slurm", "slurm")

    def wait_idle(self, timeout_s: float = 60) -> None:
        """Wait until every node is idle."""
        def idle() -> bool:
            states = self.command("sinfo", "-h", "-N", "-o", "%N %t").stdout.split()
            return states[1::2] == ["idle"] * len(self.node_names)

        try:
            wait_until(idle, "all nodes idle", timeout_s, poll_s=0.2)
        except DaemonError as error:
            raise DaemonError(f"{error}: {self.command('sinfo', '-N', '-l').stdout}\n{self.log_tails()}") from None

    def node_state(self, name: str) -> str:
        """The node's state and flags, such as ``IDLE`` or ``DOWN+NOT_RESPONDING``."""
        words = self.scontrol("-o", "show", "node", name).split()
        return next(word.partition("=")[2] for word in words if word.startswith("State="))

    def run_again(self, job_id: int, timeout_s: float = 30) -> None:
        """After ``scontrol requeue``: wait until the job is pending, then start it now instead of minutes later.

        Not in the second of its kill: slurmd would refuse the launch ("already killed, do not launch batch job"), because Slurm tells the
        two runs' credentials apart by whole seconds.
        """
        wait_until(lambda: self.job(job_id)[0]["JobState"] == "PENDING", f"job {job_id} pending again", timeout_s, poll_s=0.2)
        time.sleep(1.1)
        self.scontrol("update", f"jobid={job_id}", "starttime=now")

    def node_down(self, name: str, reason: str = "testbed") -> None:
        """Set the node DOWN, as an admin does; its jobs end with NODE_FAIL."""
        self.scontrol("update", f"nodename={name}", "state=down", f"reason={reason}")

    def lose_node(self, name: str) -> None:
        """The node dies now; Slurm sees it ``SlurmdTimeout`` (15 s) later. Its gpualert-node dies with it."""
        self.node_services[name].stop(kill=True)
        self.nodes[name].lose()

    def restore_node(self, name: str) -> None:
        """The node boots again (after ``lose_node`` or ``node_down``); waits until it is idle."""
        if not self.nodes[name].slurmd.running:
            self.nodes[name].slurmd.start()
            if self._with_gpualert:
                self.node_services[name].start()
        if "DOWN" in self.node_state(name):
            self.command("scontrol", "update", f"nodename={name}", "state=resume", check=False)
        wait_until(lambda: self.node_state(name) == "IDLE", f"{name} idle again", 60, poll_s=0.2)

    def plugstack(self, lines: Sequence[str]) -> None:
        """Replace plugstack.conf. New clients and new steps read it; slurmd itself only when it starts."""
        self.conf.write_plugstack(lines)

    def epilog(self, path: Path | None) -> None:
        """Set or unset ``Epilog=`` and have every daemon read it."""
        self.reconfigure({"Epilog": None if path is None else str(path)})

    def epilog_slurmctld(self, path: Path | None) -> None:
        """Set or unset ``EpilogSlurmctld=``; it runs as the user slurm, on the controller.

        slurmctld is started anew: 22.05 shows a changed line after ``scontrol reconfigure``, and does not run it.
        """
        self._change({"EpilogSlurmctld": None if path is None else str(path)})
        self.slurmctld.stop()
        self.slurmctld.start()
        self.wait_idle()

    def configure(self, changes: Mapping[str, Mapping[str, object]] | None = None) -> None:
        """Change gpualert.toml and have every gpualert-node read it: one that has not yet ended after the last job knows the old one."""
        self.gpualert.configure(changes)
        for service in self.node_services.values():
            service.stop()
            service.start()

    def reconfigure(self, changes: Mapping[str, str | None]) -> None:
        """Change slurm.conf (None takes a line out) and wait until every slurmd has read it."""
        self._change(changes)
        self.scontrol("reconfigure")
        time.sleep(1)  # slurmctld tells the slurmds after it has answered

    def _change(self, changes: Mapping[str, str | None]) -> None:
        for key, value in changes.items():
            if value is None:
                self.conf.settings.pop(key, None)
            else:
                self.conf.settings[key] = value
        self.conf.write()

    def start_daemon(self) -> None:
        """Start gpualertd as the service user; raises ``DaemonError`` where it is not installed or ends at once."""
        program = self.gpualert.program("gpualertd")
        if not program.exists():
            raise DaemonError(f"gpualertd cannot be started: {program} does not exist")
        self.daemon.start()
        time.sleep(0.5)
        if not self.daemon.running:
            raise DaemonError(f"gpualertd ended at once with {self.daemon.returncode}\n{self.daemon.tail()}")

    def gpualert_words(self, max_lines: int = 40) -> str:
        """What gpualert itself said lately: the plugin in slurmd's logs, gpualert-node on each node, gpualertd."""
        said = []
        for path in sorted((self.root / "log").iterdir()):
            lines = path.read_text(errors="replace").splitlines()
            if not path.name.startswith("gpualert"):
                lines = [line for line in lines if "gpualert:" in line]
            if lines:
                said += [f"--- {path}", *lines[-max_lines:]]
        return "\n".join(said) or "(gpualert said nothing)"

    def log_tails(self, max_bytes: int = 1500) -> str:
        """The last words of every daemon that keeps a log."""
        daemons = [self.slurmctld, self.slurmdbd, *(node.slurmd for node in self.nodes.values()), self.daemon]
        with contextlib.suppress(OSError):
            return "\n".join(daemon.tail(max_bytes) for daemon in daemons if daemon.log.exists())
        return "(no logs)"
