"""What the jobs of these authors share: the batch script's frame, a way for ranks without PyTorch to meet, and cards whose readings are told."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from corpus.label import Label
from corpus.running.job import SlurmJob

AWAY = "-xn3,n4,n5,n6"
PORT = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((17000 + (SLURM_JOB_ID * 11 + RANDOM % 9) % 12000))\n"
STARTLINE = "import os\nimport time\n\ntime.sleep(max(0.0, float(os.environ['START_AT']) - time.time()))\n"
MESH = '''"""Averages vectors over the tasks of a step, by way of task 0."""
import array
import os
import socket
import time


class Mesh:
    def __init__(self):
        self.rank = int(os.environ["SLURM_PROCID"])
        self.world = int(os.environ["SLURM_NTASKS"])
        self.links = {}
        place = ("127.0.0.1", int(os.environ["MASTER_PORT"]))
        if self.rank == 0:
            door = socket.create_server(place, backlog=64)
            while len(self.links) < self.world - 1:
                link, _ = door.accept()
                self.links[int.from_bytes(self.take(link, 4), "big")] = link
            return
        while True:
            try:
                self.links[0] = socket.create_connection(place)
                break
            except ConnectionRefusedError:
                time.sleep(0.2)
        self.links[0].sendall(self.rank.to_bytes(4, "big"))

    def take(self, link, size):
        data = b""
        while len(data) < size:
            part = link.recv(size - len(data))
            if not part:
                raise ConnectionResetError(f"task {self.rank}: connection closed by peer")
            data += part
        return data

    def mean(self, values):
        mine = array.array("d", values)
        size = 8 * len(mine)
        if self.rank:
            self.links[0].sendall(mine.tobytes())
            return list(array.array("d", self.take(self.links[0], size)))
        rows = [mine, *(array.array("d", self.take(self.links[r], size)) for r in sorted(self.links))]
        total = array.array("d", [sum(column) / self.world for column in zip(*rows)])
        for link in self.links.values():
            link.sendall(total.tobytes())
        return list(total)
'''
GOOD = Label(mode="G1", fault="none")
HARD = Label(mode="G1", fault="none", hard=True)
Told = tuple[float, Mapping[str, str]]
Card = tuple[float, Sequence[Told]]
"""From which second on (of the first step) what; the first number is how much memory it holds before, in GiB."""


def ill(
    mode: str, cause: str | None = None, variant: str | None = None, *, first: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None
) -> Label:
    """The label of a job that went wrong."""
    return Label(mode=mode, cause=cause, variant=variant, first_ranks=first, fault=fault, trigger=trigger)


def slurm(
    label: Label,
    code: str,
    batch: str,
    *,
    script: str,
    ranks: int = 1,
    nodes: int = 1,
    at: str = AWAY,
    options: tuple[str, ...] = (),
    files: Mapping[str, str] | None = None,
    cards: Mapping[int, Card] | None = None,
    go: int = 0,
    state: str = "COMPLETED",
    **more: object,
) -> SlurmJob:
    """``code`` is the file ``script``. ``cards`` by rank; the ranks' first step is ``go`` seconds after the batch script's beginning."""
    texts = {script: code, **(files or {})}
    if "import startline" in code:
        texts["startline.py"] = STARTLINE
    if "from mesh import" in code:
        texts["mesh.py"] = MESH
    each = ranks // nodes
    told = {}
    for rank, (held, later) in (cards or {}).items():
        told[rank // each, rank % each] = still(held, watts=88), tuple((go + s, values) for s, values in later)
    head = f"export START_AT=$(( $(date +%s) + {go} ))\n" if go else ""
    options = (f"-N{nodes}", f"-n{ranks}", *((at,) if at else ()), *((f"--gres=gpu:{each}",) if told else ()), *options)
    return SlurmJob(label.but(gpu="scripted") if told else label, texts, head + batch, options, gpus=told, state=state, **more)  # type: ignore[arg-type]


def busy(
    sm: float = 60, *, util: int = 97, watts: int = 520, gib: float = 37, mhz: int = 1755, temp: int = 61, mem: float | None = None, **more: str
) -> dict[str, str]:
    """A card at work."""
    band = sm * 0.55 if mem is None else mem
    return {
        "utilization.gpu": f"{util}", "utilization.memory": f"{band:.0f}", "power.usage": f"{watts}000", "clock.sm": f"{mhz}", "clock.graphics": f"{mhz}", "temperature": f"{temp}",
        "memory.used": f"{int(gib * 2**30)}", "throttle_reasons": "0x0", "gpm.2": f"{sm:.1f}", "gpm.3": f"{sm * 0.42:.1f}", "gpm.5": f"{sm * 0.31:.1f}", "gpm.10": f"{band:.1f}", **more,
    }  # fmt: skip


def still(gib: float = 0.0, *, watts: int = 117, util: int = 0, mhz: int = 1980, temp: int = 41) -> dict[str, str]:
    """A card that does nothing; it may hold memory."""
    return {
        "utilization.gpu": f"{util}", "utilization.memory": "0", "power.usage": f"{watts}000", "clock.sm": f"{mhz}", "clock.graphics": f"{mhz}", "temperature": f"{temp}",
        "memory.used": f"{int(gib * 2**30)}", "throttle_reasons": "0x1" if gib == 0 else "0x0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0",
    }  # fmt: skip


def stretch(
    begin: int,
    end: int,
    sm: float,
    *,
    seed: int = 1,
    watts: int = 520,
    util: int = 97,
    temp: int = 61,
    gib: float = 37,
    mhz: int = 1755,
    mem: float | None = None,
    **more: str,
) -> list[Told]:
    """A card at work from ``begin`` to ``end``, never quite the same from one second to the next."""
    luck = random.Random(seed)
    out: list[Told] = []
    for second in range(begin, end):
        far = 1 + luck.uniform(-0.05, 0.05)
        out.append(
            (
                float(second),
                busy(
                    sm * far,
                    util=min(100, util + luck.randint(-2, 2)),
                    watts=int(watts * far),
                    temp=temp + luck.randint(-1, 2),
                    gib=gib,
                    mhz=mhz - 15 * luck.randint(0, 2),
                    mem=mem,
                    **more,
                ),
            )
        )
    return out


def bursts(rounds: int, still_s: float, busy_s: float, *, gib: float, sm: float = 50, watts: int = 400) -> list[Told]:
    """It waits, works a moment, waits again."""
    out: list[Told] = []
    for n in range(rounds):
        begin = n * (still_s + busy_s)
        out += [(begin, still(gib)), (begin + still_s, busy(sm + n % 4, gib=gib, watts=watts + n % 7 * 3))]
    return out


def done(at_s: float) -> Told:
    """Memory is given back, the clock falls."""
    return at_s, still(0.0, watts=71, mhz=345, temp=37)
