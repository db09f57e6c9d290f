"""Several ranks that were well until their node went, their time was over, or somebody called them off."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stage import apart
from corpus.running.job import Recipe, SlurmJob

GONE: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
LONG = "export ROUNDS=90000\n"


def nodes() -> Iterator[SlurmJob]:
    """F1."""
    label = Label(mode="F1", fault="node")

    def of(*ranks: int) -> Label:
        return label.but(failed_ranks=ranks, first_ranks=ranks)

    yield apart(of(2, 3), "MEGA", 4, 2, where="-wn1,n6", given="--train-iters 90000", act="lose_node", after="iteration       20/", **GONE)
    yield apart(label, "FSEQ", 2, where="-wn5", head="export CFG='{\"max_update\": 90000}'\n", act="slurmd_dies", after='"num_updates": "20"', **GONE)
    yield apart(label, "DET", 2, where="-wn4", given="epochs=9000", act="node_down", after=r"\[1\]\[15/", **GONE)
    yield apart(of(2, 3), "SERVE", 4, 2, where="-wn2,n6", head=LONG, act="lose_node", after="round  200 of", **GONE)
    yield apart(of(1), "SHARDS", 2, 2, where="-wn1,n6", given="9000 0.5", act="lose_node", after="pass 20/", **GONE)
    yield apart(label, "SERVE", 3, where="-wn5", head=LONG, act="slurmd_dies", after="round  200 of", **GONE)
    yield apart(label, "SHARDS", 4, 2, where="-wn2,n5", given="9000 0.5", act="slurmd_dies", after="pass 20/", **GONE)
    yield apart(label, "SERVE", 6, 2, where="-wn1,n4", head=LONG, act="node_down", after="round  200 of", **GONE)
    yield apart(label, "SHARDS", 3, where="-wn4", given="9000 0.5", act="node_down", after="pass 20/", **GONE)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    label = Label(mode="F3", variant="advancing", fault="user")
    two: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}
    yield apart(label, "SERVE", 6, 2, head=LONG, state="TIMEOUT")
    yield apart(label, "SHARDS", 4, 2, given="9000 1", state="TIMEOUT", options=("--array=6",))
    yield apart(label, "PLASMA", 4, given="90000 0.06", state="TIMEOUT")
    yield apart(label, "BYTES", 3, given="--iters 90000 --keep 100", **two)
    yield apart(label, "DET", 2, 2, given="epochs=90", **two)
    yield apart(label, "FSEQ", 2, head="export CFG='{\"max_update\": 90000, \"log_interval\": 50}'\ntrap 'echo \"$(date +%T) 25 seconds are left\"' USR1\n", body="srun PYTHON -u fseq_train.py &\n", tail="wait\nwait\n", state="TIMEOUT", options=("--time=2", "--signal=B:USR1@25"))
    yield apart(label, "PODS", 2, 2, given="--steps 90000 --log_every 50", **two)
    yield apart(label, "SERVE", 3, head=LONG, srun="--time=1", options=("--time=6",))


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    ended: dict[str, Any] = {"state": "CANCELLED"}
    yield apart(own, "BYTES", 2, 2, given="--iters 90000", act="scancel", after="it   120/", **ended)
    polite = "import signal\ndef leave(number, frame):\n    say('signal %d: leaving', number)\n    raise SystemExit(0)\nsignal.signal(signal.SIGTERM, leave)"
    yield apart(own, "SERVE", 4, head=LONG, code={"early": polite}, act="scancel", after="round  140 of", **ended)
    yield apart(other, "SERVE", 8, 2, head=LONG, act="scancel_by_admin", after="round  160 of", **ended)
    yield apart(other, "MEGA", 2, given="--train-iters 90000", act="scancel_by_admin", after="iteration      110/", **ended)
    yield apart(own, "SHARDS", 3, given="9000 0.5", act="scancel_step", after="pass 30/", state="FAILED")
    yield apart(own, "PLASMA", 3, given="90000 0.05", act="scancel", after="cycle    160 /", **ended)
    load = "for part in range(500):\n    if rank == 0:\n        runner.log.info('loading annotations: %d of 500 files', part)\n    time.sleep(0.3)"
    yield apart(own, "DET", 2, code={"early": load}, act="scancel", after="annotations: 30 of", **ended)
    yield apart(own, "SERVE", 3, head=LONG, act="scancel_all_of_name", after="round  200 of", options=("--job-name=probe-sweep-3",), **ended)


def jobs() -> Iterator[SlurmJob]:
    """Three ends from outside."""
    yield from nodes()
    yield from limits()
    yield from called_off()


RECIPE = Recipe("curtain_calls", "development", jobs)
