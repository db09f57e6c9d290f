"""The cluster's name, without asking slurmctld: ten thousand nodes would ask at once."""

from __future__ import annotations

import os
import re
from pathlib import Path

from gpualert_slurm.config import Site
from gpualert_slurm.programs.gpualert_node.folders import StartError

_PLACES = ("/etc/slurm/slurm.conf", "/run/slurm/conf/slurm.conf", "/var/spool/slurmd/conf-cache/slurm.conf", "/etc/slurm-llnl/slurm.conf")


def cluster_name(site: Site) -> str:
    """``site.cluster``, else ClusterName of this node's slurm.conf, in lower case as Slurm has it. Raises StartError."""
    if site.cluster:
        return site.cluster
    places = [os.environ["SLURM_CONF"]] if "SLURM_CONF" in os.environ else list(_PLACES)
    for place in places:
        try:
            text = Path(place).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        match = re.search(r"^\s*ClusterName\s*=\s*([^\s#]+)", text, re.MULTILINE | re.IGNORECASE)
        if match:
            return match.group(1).lower()
    looked = ", ".join(places)
    raise StartError(f'the cluster\'s name is not known: set cluster = "…" in [site] of gpualert.toml (looked for ClusterName in {looked})')
