"""``gpualert-node``: one per node. Started when a job file appears, ends when no job is left."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from gpualert_slurm import __version__
from gpualert_slurm.config import ConfigError, load


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="gpualert-node", description="Watches the jobs of one node and reports each when it is over.")
    top.add_argument("--node", metavar="NAME", help="the node's name in Slurm; default: $SLURMD_NODENAME, else the short host name")
    top.add_argument("--config", type=Path, metavar="FILE", help="default: /etc/gpualert/gpualert.toml")
    top.add_argument("--state-dir", type=Path, metavar="DIR", help="instead of site.state_dir")
    top.add_argument("--foreground", action="store_true", help="accepted for symmetry with gpualertd: the service never leaves the foreground")
    top.add_argument("--version", action="version", version=f"gpualert-node {__version__}")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run until no job is left; 1 where it cannot start, 2 for a wrong command line or configuration."""
    arguments = parser().parse_args(argv)
    from gpualert_slurm.programs.gpualert_node.cluster_name import cluster_name
    from gpualert_slurm.programs.gpualert_node.folders import Folders, StartError
    from gpualert_slurm.programs.gpualert_node.service import Service

    try:
        config = load(arguments.config)
        os.umask(0o077)
        node = arguments.node or os.environ.get("SLURMD_NODENAME") or os.uname().nodename.split(".")[0]
        folders = Folders(arguments.state_dir or config.site.state_dir, node)
        if os.geteuid() != 0:
            raise StartError("gpualert-node runs as root: it reads root's records and becomes each job's user to read the logs")
        folders.make()
        lock = folders.lock()
        try:
            Service(folders, config, cluster_name(config.site)).run()
        finally:
            os.close(lock)
    except ConfigError as error:
        print(f"gpualert-node: {error}", file=sys.stderr)
        return 2
    except StartError as error:
        print(f"gpualert-node: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
