"""What these batch jobs share: a batch script's frame, how light ranks meet, and cards whose readings are told."""

from __future__ import annotations

import random
from collections.abc import Mapping

from corpus.label import Label
from corpus.running.job import SlurmJob

AWAY = "-xn5,n6"
"""Nodes that are lost or taken by others."""
BEGIN_S = 16
"""With told cards the first step is so many seconds after the batch script's first line."""
BEGIN = f"export BEGIN_AT=$(( $(date +%s) + {BEGIN_S} ))\n"
STAGE = """import os
import time


def ready():
    \"\"\"Returns once the node-local copy of the data is due.\"\"\"
    time.sleep(max(0.0, float(os.environ.get("BEGIN_AT", "0")) - time.time()))
"""
PEERS = '''"""All-reduce over a shared folder, for nodes without a fast network between them."""
import os
import time

rank = int(os.environ.get("RANK") or os.environ["SLURM_PROCID"])
world = int(os.environ.get("WORLD_SIZE") or os.environ["SLURM_NTASKS"])
host = os.environ.get("SLURMD_NODENAME", "localhost")
_turn = 0


def mean(value):
    global _turn
    _turn += 1
    where = ".reduce-%s-%s" % (os.environ["SLURM_JOB_ID"], os.environ.get("SLURM_RESTART_COUNT", "0"))
    os.makedirs(where, exist_ok=True)
    mine = f"{where}/{_turn}.{rank}"
    with open(mine + ".part", "w") as f:
        f.write(repr(float(value)))
    os.rename(mine + ".part", mine)
    names = [f"{where}/{_turn}.{r}" for r in range(world)]
    while not all(map(os.path.exists, names)):
        time.sleep(0.05)
    return sum(float(open(n).read()) for n in names) / world


def barrier():
    mean(0.0)
'''
GOOD = Label(mode="G1", fault="none")
HARD = Label(mode="G1", fault="none", hard=True)
Values = dict[str, str]
Part = list[tuple[float, Values]]
Card = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]


def ill(
    mode: str,
    cause: str | None = None,
    variant: str | None = None,
    *,
    first: tuple[int, ...] = (),
    failed: tuple[int, ...] = (),
    fault: str = "user",
    trigger: str | None = None,
) -> Label:
    """The label of a job that did not do what it was to do."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, failed_ranks=failed, trigger=trigger)


def sbatch(
    label: Label,
    script: str,
    launch: str,
    code: str,
    *options: str,
    ranks: int = 1,
    nodes: int = 1,
    where: str = AWAY,
    cards: Mapping[int, Card] | None = None,
    files: Mapping[str, str] | None = None,
    state: str = "COMPLETED",
    **more: object,
) -> SlurmJob:
    """``code`` in ``script``; ``cards`` by rank, spread evenly over the nodes."""
    per = ranks // nodes
    given = {script: code, "peers.py": PEERS, "stage.py": STAGE, **(files or {})}
    told = {(r // per, r % per): one for r, one in (cards or {}).items()}
    label = label.but(gpu="scripted") if cards else label
    gres = (f"--gres=gpu:{per}",) if cards else ()
    places = (where,) if where else ()
    spread = (f"--ntasks-per-node={per}",) if nodes > 1 else ()
    options = (f"-N{nodes}", f"-n{ranks}", *spread, *places, *gres, *options)
    return SlurmJob(label, given, (BEGIN if cards else "") + launch, options, gpus=told, state=state, **more)  # type: ignore[arg-type]


def at_work(
    sm: float,
    *,
    util: int = 98,
    watts: int = 520,
    mhz: int = 1755,
    temp: int = 61,
    gib: float = 44,
    dram: float = 31,
    tensor: float = 24,
    **more: str,
) -> Values:
    """One reading of a card that computes."""
    return {
        "utilization.gpu": str(util), "utilization.memory": str(round(dram)), "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x0", "gpm.2": f"{sm:g}", "gpm.3": f"{sm / 2.4:.3g}", "gpm.5": f"{tensor:g}", "gpm.10": f"{dram:g}", **more,
    }  # fmt: skip


def at_rest(gib: float = 0.0, *, watts: int = 72, mhz: int = 345, temp: int = 35) -> Values:
    """One reading of a card that holds memory and computes nothing."""
    return {
        "utilization.gpu": "0", "utilization.memory": "0", "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x1", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0",
    }  # fmt: skip


def held(at_s: float, gib: float, watts: int = 116) -> Part:
    """From then on memory is held, at full clocks, and nothing computed."""
    return [(at_s, at_rest(gib, watts=watts, mhz=1980, temp=44))]


def free(at_s: float) -> Part:
    """From then on nobody has the card."""
    return [(at_s, at_rest())]


def during(
    begin_s: float,
    end_s: float,
    sm: float,
    *,
    seed: int = 0,
    watts: int = 520,
    gib: float = 44,
    util: int = 98,
    mhz: int = 1755,
    temp: int = 60,
    dram: float = 31,
    tensor: float = 24,
    every_s: float = 1.3,
    **more: str,
) -> Part:
    """It computes, each reading a little other than the last."""
    dice, out, now = random.Random(seed * 977 + int(sm * 10)), [], begin_s
    while now < end_s:
        wave = dice.gauss(0, 0.04)
        out.append(
            (
                round(now, 2),
                at_work(
                    round(sm * (1 + wave), 1),
                    util=min(100, util + dice.choice((-1, 0, 0, 1))),
                    watts=int(watts * (1 + wave / 3)),
                    mhz=mhz - 15 * dice.choice((0, 0, 1)),
                    temp=temp + min(7, int((now - begin_s) / 4)),
                    gib=gib,
                    dram=round(dram * (1 + wave), 1),
                    tensor=tensor,
                    **more,
                ),
            )
        )
        now += every_s
    return out


def turns(begin_s: float, busy_s: float, still_s: float, rounds: int, *, gib: float, sm: float = 52, watts: int = 420) -> Part:
    """A moment of work, then a wait, again and again."""
    out: Part = []
    for n in range(rounds):
        at_s = begin_s + n * (busy_s + still_s)
        out += [(round(at_s, 2), at_work(sm + n % 3, gib=gib, watts=watts + 5 * (n % 4))), *held(round(at_s + busy_s, 2), gib, watts=118 + n % 3)]
    return out


def told(*parts: Part, before: Mapping[str, str] | None = None) -> Card:
    """The card: at rest until the first step, then these; ``before`` is what its counters had already."""
    return {**at_rest(0.4), **(before or {})}, tuple((BEGIN_S + at_s, values) for part in parts for at_s, values in part)
