"""What batch jobs of PyTorch people have in common: the batch script's frame, and cards whose readings are told."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.label import Label
from corpus.running.job import SlurmJob

QUIET = "-xn3,n4,n5,n6"
"""Nodes that other jobs lose."""
MEET = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((16000 + (SLURM_JOB_ID * 7 + RANDOM) % 14000))\n"
GO_S = 26
"""A job with told cards begins its first step so many seconds after its batch script."""
GO = f"export GO=$(( $(date +%s) + {GO_S} ))\n"
PACE = "import os\nimport time\n\ntime.sleep(max(0.0, float(os.environ['GO']) - time.time()))\n"
"""A file of its own (``pace.py``): what imports it waits for its turn."""
Card = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
GOOD = Label(mode="G1", fault="none")
HARD = Label(mode="G1", fault="none", hard=True)


def bad(mode: str, cause: str | None = None, variant: str | None = None, *, first: tuple[int, ...] = (), fault: str = "user", **more: object) -> Label:
    """The label of a job that went wrong."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, **more)  # type: ignore[arg-type]


def queue(
    label: Label,
    code: str,
    launch: str,
    *,
    options: tuple[str, ...] = (),
    ranks: int = 1,
    nodes: int = 1,
    where: str = QUIET,
    files: Mapping[str, str] | None = None,
    script: str = "train.py",
    gpus: Mapping[int, Card] | None = None,
    state: str = "",
    **more: object,
) -> SlurmJob:
    """``code`` in ``script``, started by the batch script ``launch``. ``gpus`` are the cards by rank, spread evenly over the nodes."""
    per = ranks // nodes
    given = {script: code, **({"pace.py": PACE} if gpus else {}), **(files or {})}
    places = (where,) if where else ()
    cards = (f"--gres=gpu:{per}",) if gpus else ()
    told = {(r // per, r % per): card for r, card in (gpus or {}).items()}
    label = label.but(gpu="scripted") if gpus else label
    return SlurmJob(label, given, (GO if gpus else "") + launch, (f"-N{nodes}", f"-n{ranks}", *places, *cards, *options), gpus=told, state=state, **more)  # type: ignore[arg-type]


def work(sm: float = 61, *, util: int = 97, watts: int = 540, mhz: int = 1740, temp: int = 63, gib: float = 41, dram: float = 34, tensor: float = 22, **more: str) -> dict[str, str]:
    """A card that computes."""
    return {
        "utilization.gpu": str(util), "utilization.memory": str(int(dram)), "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x0", "gpm.2": f"{sm:g}", "gpm.3": f"{sm / 2.6:g}", "gpm.5": f"{tensor:g}", "gpm.10": f"{dram:g}", **more,
    }  # fmt: skip


def rest(gib: float = 0.0, *, watts: int = 74, mhz: int = 345, temp: int = 36, util: int = 0, **more: str) -> dict[str, str]:
    """A card that holds memory and does nothing."""
    return {
        "utilization.gpu": str(util), "utilization.memory": "0", "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x1", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", **more,
    }  # fmt: skip


def card(*later: tuple[float, Mapping[str, str]], held: float = 0.5) -> Card:
    """Idle until the first step; ``later`` counts from there."""
    return rest(held), tuple((GO_S + at_s, values) for at_s, values in later)


def wavy(sm: float, seconds: int, end_s: float | None = None, **more: float) -> Card:
    """A card that computes with small changes from second to second, as real ones do, and rests at the end."""
    steps = [(float(s), work(sm + (s * 7 % 5) - 2, watts=int(more.get("watts", 540)) + s * 13 % 29, util=96 + s % 4, gib=more.get("gib", 41), temp=58 + min(s // 3, 8), mhz=1740 - s % 2 * 15)) for s in range(seconds)]
    return card(*steps, *([(end_s, rest(0.0))] if end_s else []))


def gaps(busy_s: float, still_s: float, rounds: int, *, gib: float = 22, sm: float = 55) -> Card:
    """A card that computes for a moment and then waits, again and again."""
    later = []
    for n in range(rounds):
        at_s = n * (busy_s + still_s)
        later += [(at_s, work(sm, gib=gib, watts=410)), (at_s + busy_s, rest(gib, watts=121, mhz=1980, temp=47))]
    return card(*later)


def with_past(told: Card, values: Mapping[str, str]) -> Card:
    """The card with what its counters had before."""
    return {**told[0], **values}, told[1]
