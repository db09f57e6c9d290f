"""``python -m corpus.experiments [--only NAME]``: runs them and writes ``corpus/experiments.md``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from corpus.experiments import artifacts, isolation, survival
from tests.testbed import Cluster
from tests.testbed.tracking import slurm_version

PAGE = Path(__file__).parents[1] / "experiments.md"
HEAD = """# Five experiments

Written by `make experiments` on {when}, Slurm {slurm} of the test bed.

## 1. Classification

[report.md](report.md).
"""
OVERHEAD = """## 3. Overhead

[doc/performance.md](../doc/performance.md): `make bench`, `make bench-capture`, `make bench-node` measure it as differences on one machine, with and without gpualert.
"""


def main() -> int:
    """0 when all ran."""
    parser = argparse.ArgumentParser(prog="python -m corpus.experiments", description=__doc__)
    parser.add_argument("--only", choices=("survival", "isolation", "artifacts"), help="run one and print it")
    wish = parser.parse_args()
    parts: dict[str, str] = {}
    if wish.only in (None, "artifacts"):
        parts["artifacts"] = artifacts.table()
    if wish.only in (None, "survival", "isolation"):
        with Cluster(nodes=2, cpus=16, gpualert=True) as cluster:
            cluster.configure({"mail": {"timeout_s": 5}, "daemon": {"report_deadline_s": 120.0}})
            cluster.start_daemon()
            if wish.only != "isolation":
                parts["survival"] = survival.table(cluster)
            if wish.only != "survival":
                parts["isolation"] = isolation.table(cluster)
    if wish.only:
        print(parts[wish.only])
        return 0
    slurm = ".".join(f"{n:02d}" for n in slurm_version())
    PAGE.write_text("\n".join([
        HEAD.format(when=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), slurm=slurm),
        "## 2. Log survival\n\nOf launches that fail, which log has the words that a person needs.\n", parts["survival"], OVERHEAD,
        "## 4. Notifier isolation\n\nJobs that fail for each of the fifteen causes (those that need a GPU are played by their words and exit status), with the mail relay well, away, and hanging in two ways.\n", parts["isolation"],
        "## 5. Artifact budget\n\nFiles that `gpualert-run --attach` was asked for: attached, or named in the text with the reason.\n", parts["artifacts"],
    ]), encoding="utf-8")  # fmt: skip
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
