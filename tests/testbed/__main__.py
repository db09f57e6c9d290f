"""``python -m tests.testbed``: a bed by hand. Prints what to export, waits for the end of its stdin or Ctrl-C, and takes the bed down."""

from __future__ import annotations

import shlex
import signal
import sys

from . import host
from .cluster import Cluster


def main() -> int:
    """Bring up a bed (``--gpualert``: with gpualert hooked in and gpualertd running) until stdin ends."""
    reasons = host.in_the_way() + [f"Debian package {name} is not installed" for name in host.missing_packages()]
    if reasons:
        print("no bed can run here:\n" + "\n".join(f"- {reason}" for reason in reasons), file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # as an error: the bed is taken down
    with_gpualert = "--gpualert" in sys.argv[1:]
    try:
        with Cluster(gpualert=with_gpualert) as cluster:
            if with_gpualert and cluster.gpualert.program("gpualertd").exists():
                cluster.start_daemon()
            env = cluster.environment(host.ALICE)
            print("\n".join(f"export {key}={shlex.quote(env[key])}" for key in ("SLURM_CONF",)))
            print(f"# logs in {cluster.root / 'log'}; mails in {cluster.smtp.folder}; as a user: runuser -u {host.ALICE} -- sbatch …")
            print("# end of input or Ctrl-C takes it down", flush=True)
            sys.stdin.read()
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
