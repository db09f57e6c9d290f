"""The frame of batch jobs whose ranks talk over a small module of their own, and cards told second by second."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from corpus.label import Label
from corpus.running.job import SlurmJob

LEAD_S = 18
"""With cards, training begins so many seconds after the batch script."""
KEEP_OFF = "-xn3,n4"
"""Nodes that are taken away from other jobs."""
HEAD = "export COORD_PORT=$((20000 + (SLURM_JOB_ID * 11 + RANDOM) % 11000))\n"
WELL = Label(mode="G1", fault="none")
WELL_BUT_UGLY = Label(mode="G1", fault="none", hard=True)
CREW = '''"""Averages over the tasks of a step; task 0 does the sums."""
import os
import socket
import struct
import time

RANK = int(os.environ.get("SLURM_PROCID", "0"))
WORLD = int(os.environ.get("SLURM_NTASKS", "1"))
NODE = os.environ.get("SLURMD_NODENAME", "localhost")


def _get(link, size):
    data = b""
    while len(data) < size:
        try:
            part = link.recv(size - len(data))
        except ConnectionError:
            part = b""
        while not part:
            time.sleep(60)
        data += part
    return data


class Crew:
    def __init__(self, port=None, limit=None, rank=RANK, world=WORLD, note=None):
        port = int(port or os.environ["COORD_PORT"])
        self.rank, self.world, self.links = rank, world, []
        if rank == 0:
            door = socket.create_server(("127.0.0.1", port), backlog=128)
            while len(self.links) < world - 1:
                link, _ = door.accept()
                link.settimeout(limit)
                self.links.append(link)
        else:
            tries = 0
            while True:
                try:
                    link = socket.create_connection(("127.0.0.1", port))
                    break
                except OSError as error:
                    tries += 1
                    if note and tries % 25 == 0:
                        note(tries, error)
                    time.sleep(0.2)
            link.settimeout(limit)
            self.links.append(link)

    def mean(self, value):
        if self.rank == 0:
            total = value + sum(struct.unpack("d", _get(link, 8))[0] for link in self.links)
            for link in self.links:
                link.sendall(struct.pack("d", total / self.world))
            return total / self.world
        self.links[0].sendall(struct.pack("d", value))
        return struct.unpack("d", _get(self.links[0], 8))[0]

    def barrier(self):
        self.mean(0.0)
'''
OPENING = '''"""All tasks of the allocation begin together."""
import os
import time

time.sleep(max(0.0, float(os.environ.get("OPENS_AT", "0")) - time.time()))
'''
Card = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]


@dataclass(frozen=True)
class Span:
    """A card for some seconds: with ``sm`` it computes, without it holds its memory and waits. ``more`` are other readings, ``tick`` how often it changes."""

    seconds: float
    sm: float = 0.0
    gib: float = 38.0
    util: int = -1
    watts: int = 0
    mhz: int = 0
    temp: int = 0
    tick: float = 1.0
    more: Mapping[str, str] = field(default_factory=dict)

    def at(self, after_s: float, dice: random.Random) -> dict[str, str]:
        """What it reads so many seconds after the span's begin."""
        busy = self.sm > 0
        sm = max(0.0, self.sm * dice.uniform(0.95, 1.05))
        util = self.util if self.util >= 0 else (min(100, 95 + dice.randrange(6)) if busy else 0)
        watts = (self.watts or (int(170 + 6.6 * self.sm) if busy else 118)) + dice.uniform(-4, 9)
        mhz = self.mhz or (1785 - 15 * dice.randrange(3) if busy else 1980)
        temp = self.temp or (min(64, 48 + int(after_s)) if busy else 41)
        values = {
            "utilization.gpu": str(util), "utilization.memory": str(int(sm * 0.55)), "power.usage": str(int(1000 * watts)), "clock.sm": str(mhz), "clock.graphics": str(mhz),
            "temperature": str(temp), "memory.used": str(int(self.gib * (1 << 30))), "throttle_reasons": "0x0" if busy or util else "0x1", "gpm.2": f"{sm:.1f}", "gpm.3": f"{sm * 0.37:.1f}",
            "gpm.5": f"{sm * 0.41:.1f}", "gpm.10": f"{sm * 0.52:.1f}",
        }  # fmt: skip
        return {**values, **self.more}


GONE = {
    "utilization.gpu": "0", "utilization.memory": "0", "power.usage": "71400", "clock.sm": "345", "clock.graphics": "345", "temperature": "37", "memory.used": "0",
    "throttle_reasons": "0x1", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0",
}  # fmt: skip


def card(
    *spans: Span,
    seed: int = 0,
    lead_s: float = LEAD_S,
    held_gib: float = 0.6,
    before: Mapping[str, str] | None = None,
    extra: tuple[tuple[float, Mapping[str, str]], ...] = (),
    end: bool = True,
) -> Card:
    """The spans one after another, from the first step on; ``extra`` are changes on top, in seconds from there too; ``before`` what it had before the job."""
    dice = random.Random(seed * 7919 + len(spans))
    later: list[tuple[float, Mapping[str, str]]] = []
    at_s = float(lead_s)
    for span in spans:
        done = 0.0
        while done < span.seconds:
            later.append((round(at_s + done, 2), span.at(done, dice)))
            done += span.tick
        at_s += span.seconds
    if end:
        later.append((round(at_s, 2), GONE))
    later += [(lead_s + s, changes) for s, changes in extra]
    first = {**GONE, "memory.used": str(int(held_gib * (1 << 30))), **(before or {})}
    return first, tuple(sorted(later, key=lambda change: change[0]))


def ill(mode: str, cause: str | None = None, variant: str | None = None, **more: object) -> Label:
    """The label of a job that went wrong."""
    return Label(mode=mode, cause=cause, variant=variant, **more)  # type: ignore[arg-type]


def batch(
    label: Label,
    program: str,
    script: str,
    *,
    name: str = "train.py",
    ranks: int = 1,
    nodes: int = 1,
    cards: Mapping[int, Card] | None = None,
    files: Mapping[str, str] | None = None,
    where: str = KEEP_OFF,
    options: tuple[str, ...] = (),
    lead_s: int = LEAD_S,
    **more: object,
) -> SlurmJob:
    """``program`` is the file ``name``; ``script`` starts it. ``cards`` by rank, in equal parts on the nodes."""
    per = ranks // nodes
    given = {name: program, "crew.py": CREW, **({"opening.py": OPENING} if cards else {}), **(files or {})}
    head = (f"export OPENS_AT=$(( $(date +%s) + {lead_s} ))\n" if cards else "") + HEAD
    gpus = {(r // per, r % per): told for r, told in (cards or {}).items()}
    wanted = (
        f"-N{nodes}",
        f"-n{ranks}",
        f"--ntasks-per-node={per}",
        *((where,) if where else ()),
        *((f"--gres=gpu:{per}",) if cards else ()),
        *options,
    )
    return SlurmJob(label.but(gpu="scripted") if cards else label, given, head + script, wanted, gpus=gpus, **more)  # type: ignore[arg-type]
