"""Jobs that waited, crawled, learnt nothing, were stopped from outside, or lost their node."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._copse_kit import DOOR, busy, ill, still, submit, told, works
from corpus.make._fallow_stops import BRAKED, DYING, ELASTIC, FIELDS, FOREST, KEEPS, LEAPS, TWO
from corpus.make._fallow_waits import AUGMENT, BLOCKING, COLUMNS, DUMPS, FOLDERS, HALTED, HELLO, LOADER, POOL, WEIGHTS
from corpus.running.job import SlurmJob

RUN = "PYTHON -m torch.distributed.run"


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, curves, nodes, and who stopped it."""
    meet = "--nnodes=3 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$((21000 + SLURM_JOB_ID % 3000)) --rdzv-id=$SLURM_JOB_ID --rdzv-conf=join_timeout=1200 --local-addr=127.0.0.1"
    yield submit(
        ill("C1"), "hello.py", HELLO, f"export LOGLEVEL=INFO\nset -x\nsrun --ntasks-per-node=1 {RUN} {meet} hello.py\n", ranks=2, nodes=2, options=("--time=1",), state="TIMEOUT",
    )  # three nodes are waited for, and the job has two  # fmt: skip
    turning = [(12.4 + s, busy(0.6, 0, util=100, watts=151 + s % 5, gib=27, dram=1, tensor=0)) for s in range(0, 110, 7)]
    yield submit(
        ill("C2", fault="unknown"), "sine.py", HALTED, DOOR + "srun PYTHON sine.py\n", ranks=4, nodes=2, act="stop_rank", after=r"\.0\t60\t", options=("--time=2",), state="TIMEOUT",
        cards={1: told(*works(46, 0, 12, gib=27), (12.4, still(27, watts=115, mhz=1980, temp=43))), **{r: told(*works(46, 0, 12, gib=27), *turning) for r in (0, 2, 3)}},
    )  # fmt: skip
    yield submit(
        ill("C2", "file_not_found", first=(2,), trigger="A3"), "lda.py", FOLDERS, "for n in 0 1; do mkdir -p corpus; seq -s ' ' 0 0.05 1 > corpus/part$n.txt; done\nsrun PYTHON lda.py\n", ranks=4, python="system",
        act="scancel_late", after="FileNotFoundError", state="CANCELLED",
    )  # fmt: skip
    yield submit(
        ill("C3", fault="unknown"), "infill.py", WEIGHTS, "srun PYTHON infill.py\n", options=("--time=2",), state="TIMEOUT",
        cards={0: told((0.0, busy(3, 0, util=11, gib=4.1, watts=124, dram=4, tensor=0)), (3.0, busy(3, 1, util=9, gib=8.9, watts=125, dram=4, tensor=0)), (5.0, still(13.4, watts=114, mhz=1980, temp=41)))},
    )  # fmt: skip
    yield submit(
        ill("C3"), "fid.py", POOL, "PYTHON fid.py\n", act="scancel_late", after="computing FID", state="CANCELLED",
        cards={0: told(*works(38, 0, 10, gib=16, watts=350), (10.2, still(16, watts=112, mhz=1980, temp=42)))},
    )  # fmt: skip
    starving = [x for n in range(12) for x in ((n * 3.15, still(11, watts=118, mhz=1980, temp=41)), (n * 3.15 + 2.6, busy(61, n, gib=11, watts=410)))]
    yield submit(ill("D1"), "linear_probe.py", LOADER, DOOR + "srun PYTHON linear_probe.py\n", ranks=2, cards=dict.fromkeys(range(2), told(*starving, (38.0, still()))))
    slices = [x for n in range(14) for x in ((n * 2.55, still(19, watts=121, mhz=1980, temp=44)), (n * 2.55 + 2.1, busy(55, n, gib=19, watts=400)))]
    yield submit(ill("D1"), "vnet.py", AUGMENT, "srun PYTHON vnet.py\n", options=("--array=2",), cards={0: told(*slices, (36.0, still()))})
    yield submit(
        ill("D2", None, "launch_blocking"), "lm.py", BLOCKING, "export CUDA_LAUNCH_BLOCKING=1\nsrun PYTHON lm.py\n",
        cards={0: told(*works(13, 0, 28, util=99, watts=198, gib=33, tensor=3), (28.5, still()))},
    )  # fmt: skip
    yield submit(ill("D2", None, "save_storm"), "classify.py", DUMPS, "srun PYTHON classify.py\n")
    fast = told(*works(15, 0, 29, util=100, watts=231), (29.5, still()))
    yield submit(
        ill("D3", fault="unknown"), "cols.py", COLUMNS.replace("WHO", "3").replace("SLOW", "0.7").replace("FAST", "0.17"), DOOR + "srun PYTHON cols.py\n", ranks=4,
        cards={**dict.fromkeys(range(3), fast), 3: told(*works(59, 0, 29, watts=366, mhz=840, temp=58), (29.5, still()))},
    )  # fmt: skip
    quick = told(*works(19, 0, 33, util=100, watts=242, gib=66), (33.5, still()))
    yield submit(
        ill("D3", fault="unknown"), "cols.py", COLUMNS.replace("WHO", "0").replace("SLOW", "0.8").replace("FAST", "0.22").replace("err", "residual"), DOOR + "srun PYTHON cols.py\n", ranks=4, nodes=2,
        cards={**dict.fromkeys(range(1, 4), quick), 0: told(*works(66, 0, 33, watts=402, gib=66, mhz=1125, temp=77), (33.5, still()))},
    )  # fmt: skip
    braking = [
        (9.0 + s, {**busy(27, s, util=99, watts=231, mhz=max(1755 - 405 * (s + 1), 345), temp=49), "throttle_reasons": "0x88", "violation.power": f"{1000000 + s * 1000000} {s * 930_000_000}",
                   "slowdown.hw_power_brake": str(s * 930_000)}) for s in range(24)
    ]  # fmt: skip
    yield submit(
        ill("B3", fault="node"), "gpt.py", BRAKED, DOOR + "srun PYTHON gpt.py\n", ranks=2,
        cards={0: told(*works(63, 0, 9), *works(21, 9, 32, util=100, watts=268), (33.0, still())), 1: told(*works(61, 0, 9, watts=600), *braking, (33.0, still()))},
    )  # fmt: skip
    yield submit(ill("E1", None, "spike"), "sorter.py", LEAPS, "srun PYTHON sorter.py\n")
    yield submit(ill("E1"), "argmax.py", DYING, "PYTHON argmax.py\n")
    yield submit(ill("E3"), "ctc.py", TWO, "srun PYTHON ctc.py\n")
    yield submit(ill("F1", fault="node"), "fno.py", FIELDS, DOOR + "srun PYTHON fno.py\n", ranks=4, nodes=2, where="-wn1,n6", options=("--no-requeue",), act="slurmd_dies", after="block 75", state="NODE_FAIL")
    yield submit(ill("F2", None, "preempted_recovered", fault="none"), "squares.py", KEEPS, "srun PYTHON squares.py\n", where="-wn5", options=("--requeue", "--open-mode=append"), act="preempt", after="it 60/")
    yield submit(ill("F3", None, "advancing"), "rm.py", ELASTIC, f"srun -n1 -c2 {RUN} --standalone --nproc-per-node=2 rm.py\n", ranks=2, options=("--time=1",), state="TIMEOUT")
    yield submit(ill("F4", None, "by_other", fault="none"), "boost.py", FOREST, "srun PYTHON boost.py\n", python="system", act="scancel_by_admin", after=r"\[160\]", state="CANCELLED")
