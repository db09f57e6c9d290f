"""The demo's five jobs: what each is, how it is submitted, and what its owner should learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.testbed import Cluster
from tests.testbed.command import run

from .data import damage_index, lose_shard, make_shards

TRAIN = Path(__file__).with_name("train")
RANKS = 4
OWNER = "alice@example.org"


@dataclass(frozen=True)
class Expected:
    """What a right diagnosis is: mode, cause (one of the fifteen or None), fault, and the rank that failed first."""

    mode: str
    cause: str | None
    fault: str
    rank: int | None

    def words(self) -> str:
        """In one line."""
        return f"{self.mode} {self.cause or 'no cause'}, fault {self.fault}" + ("" if self.rank is None else f", rank {self.rank} first")


@dataclass(frozen=True)
class Scenario:
    """One job. ``options`` are sbatch's, ``args`` the script's; ``data`` names the data folder among those made for the demo.

    ``verdict``: what the mail must say: mode, cause, who must act, and the rank that failed first (None: not asked).
    """

    letter: str
    title: str
    script: str
    name: str
    verdict: Expected
    options: tuple[str, ...] = ()
    data: str = "full"
    args: tuple[str, ...] = ()

    def submit(self, cluster: Cluster, home: Path, *gpualert: str) -> int:
        """``sbatch`` as the job user; ``gpualert`` are gpualert's own options, or nothing."""
        args: Sequence[str] = (str(home / self.data), *self.args) if self.script == "train.sbatch" else ()
        # The data folders and scripts are on a file system that all nodes share, as on a cluster.
        return cluster.submit(home / "train" / self.script, f"--job-name={self.name}", *self.options, *gpualert, args=args,
                              env={"TRAIN_HOME": str(home / "train")})


MISSING_FILE = Scenario(
    "a", "2 nodes, 4 ranks: rank 3 fails at start on a missing data file while its peers wait", "train.sbatch", "curve-fit-new-data",
    Expected("A1", "file_not_found", "user", 3), data="incomplete",
)
SEGFAULT = Scenario(
    "b", "a rank is killed by SIGSEGV in mid-training", "train.sbatch", "curve-fit-native-loader", Expected("A2", "segfault", "user", 2),
    data="damaged",
)
HEALTHY = Scenario("c", "a healthy run", "train.sbatch", "curve-fit", Expected("G1", None, "none", None))
SMTP_DOWN = Scenario(
    "d", "a failing job while the mail server is down, then up", "evaluate.sbatch", "evaluate-tokens", Expected("A1", "missing_module", "user", 0),
)
NODE_LOST = Scenario(
    "e", "a single-node job whose node is lost", "train.sbatch", "curve-fit-long", Expected("F1", None, "node", None),
    args=("--steps", "1000000"), options=("--nodes=1", "--ntasks-per-node=2", "--no-requeue"),
)
ALL = (MISSING_FILE, SEGFAULT, HEALTHY, SMTP_DOWN, NODE_LOST)


def prepare(home: Path) -> None:
    """Scripts and data where every job user can read them: a complete data set, one that lacks a shard, one with a damaged index."""
    make_shards(home / "full", RANKS)
    run(["cp", "-r", str(TRAIN), str(home / "train")])
    for name in ("incomplete", "damaged"):
        run(["cp", "-r", str(home / "full"), str(home / name)])
    lose_shard(home / "incomplete", rank=3)
    damage_index(home / "damaged", rank=2, step=240)
    run(["chmod", "-R", "a+rX", str(home)])
