"""A real Slurm cluster on one machine: munged, MariaDB, slurmdbd, slurmctld and four slurmd, on loopback, below one folder."""

from .cluster import Cluster
from .command import CommandError
from .daemon import DaemonError

__all__ = ["Cluster", "CommandError", "DaemonError"]
