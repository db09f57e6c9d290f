"""The bed's slurm.conf, gres.conf, cgroup.conf, slurmdbd.conf and plugstack.conf."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import tracking
from .gpus import device_paths
from .munge import socket_of


@dataclass
class SlurmConf:
    """What the bed's slurm.conf says. ``settings`` may be changed and written again; ``scontrol reconfigure`` makes the daemons read it."""

    root: Path
    cluster: str
    nodes: Sequence[str]
    cpus: int
    gpus_per_node: int
    ctld_port: int
    dbd_port: int
    node_ports: Sequence[int]
    extra: Mapping[str, str] = field(default_factory=dict)
    real_gpu: str = ""
    """The type of the host's own GPU (``h100``), of which the first node then has ``/dev/nvidia0``."""
    memory_mib: int = 4000
    settings: dict[str, str] = field(default_factory=dict)
    tracking: str = field(default_factory=tracking.chosen)

    def __post_init__(self) -> None:
        root = self.root
        self.settings = {
            "ClusterName": self.cluster,
            "SlurmctldHost": f"{socket.gethostname()}(127.0.0.1)",
            "SlurmctldPort": str(self.ctld_port),
            # Bind and connect on loopback only, although the host has a name and addresses of its own.
            "CommunicationParameters": "NoInAddrAny,NoCtldInAddrAny",
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={socket_of(root)}",
            "CredType": "cred/munge",
            "SlurmUser": "slurm",
            "SlurmdUser": "root",
            "StateSaveLocation": f"{root}/slurmctld",
            "SlurmdSpoolDir": f"{root}/nodes/%n/spool",
            "SlurmctldPidFile": f"{root}/slurmctld/pid",
            "SlurmdPidFile": f"{root}/nodes/%n/slurmd.pid",
            "SlurmctldLogFile": f"{root}/log/slurmctld.log",
            "SlurmdLogFile": f"{root}/log/slurmd.%n.log",
            "SlurmctldDebug": "verbose",
            "SlurmdDebug": "verbose",
            "PlugStackConfig": f"{root}/etc/plugstack.conf",
            "MailProg": "/bin/true",
            "JobAcctGatherFrequency": "task=1",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CPU",
            "MpiDefault": "none",
            "AccountingStorageType": "accounting_storage/slurmdbd",
            "AccountingStorageHost": "127.0.0.1",
            "AccountingStoragePort": str(self.dbd_port),
            # With auth/munge the "password" for slurmdbd is the socket of the munged to ask.
            "AccountingStoragePass": str(socket_of(root)),
            "AccountingStorageTRES": "gres/gpu",
            "AccountingStoreFlags": "job_comment,job_script",
            "GresTypes": "gpu",
            "SchedulerType": "sched/backfill",
            # Quick: this bed lives for minutes, its jobs for seconds.
            "SchedulerParameters": "sched_min_interval=0,bf_interval=1",
            "SlurmctldTimeout": "30",
            "SlurmdTimeout": "15",
            "KillWait": "3",
            "MinJobAge": "30",
            "CompleteWait": "0",
            "EpilogMsgTime": "0",
            "UnkillableStepTimeout": "20",
            "ReturnToService": "2",
            # The nodes are as large as their lines say, although they share a small host.
            "SlurmdParameters": "config_overrides",
            **tracking.SETTINGS[self.tracking],
            **self.extra,
            **self.settings,
        }

    @property
    def path(self) -> Path:
        """The file that ``SLURM_CONF`` names."""
        return self.root / "etc" / "slurm.conf"

    def write(self) -> None:
        """Write slurm.conf, gres.conf and cgroup.conf, readable by all."""
        lines = [f"{key}={value}" for key, value in self.settings.items()]
        kind = self.real_gpu or "h100"
        gres = f" Gres=gpu:{kind}:{self.gpus_per_node}" if self.gpus_per_node else ""
        lines += [
            f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs={self.cpus} RealMemory={self.memory_mib}{gres} State=UNKNOWN"
            for node, port in zip(self.nodes, self.node_ports, strict=True)
        ]
        lines.append(f"PartitionName=gpu Nodes={','.join(self.nodes)} Default=YES DefaultTime=10 MaxTime=60 State=UP")
        _write(self.path, lines)
        _write(self.root / "etc" / "gres.conf", [
            f"NodeName={node} Name=gpu Type={kind} File={','.join(str(p) for p in self._devices(node))}"
            for node in self.nodes if self.gpus_per_node
        ])
        _write(self.root / "etc" / "cgroup.conf", tracking.cgroup_conf(self.tracking) or self._no_search())

    def _devices(self, node: str) -> list[Path]:
        return [Path("/dev/nvidia0")] if self.real_gpu else device_paths(self.root, node, self.gpus_per_node)

    def _no_search(self) -> list[str]:
        """On a strange host: slurmd looks for control groups even where it will use none, and ends where it finds those of both versions."""
        return ["CgroupPlugin=cgroup/v1"] if self.real_gpu else []

    def write_plugstack(self, lines: Sequence[str]) -> None:
        """Replace plugstack.conf; clients and steps read it each time they start."""
        _write(self.root / "etc" / "plugstack.conf", lines)


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))
    path.chmod(0o644)
