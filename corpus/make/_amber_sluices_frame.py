"""What these batch jobs have in common: the frame of a submission, a start that all ranks wait for, cards with told readings, averages over sockets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.label import Label
from corpus.running.job import SlurmJob

SAFE = "-xn3,n4,n5,n6"
"""Away from the nodes that other jobs lose."""
BEGIN_S = 32
"""Jobs with told cards begin so many seconds after their batch script: interpreters start slowly where many do at once."""
PORT = "export MASTER_ADDR=127.0.0.1\nexport MASTER_PORT=$((15000 + (SLURM_JOB_ID * 13 + RANDOM) % 15000))\n"
CLOCK = """import os
import time

_zero = float(os.environ["BEGIN_AT"])


def now():
    return time.time() - _zero


def wait():
    while now() < 0:
        time.sleep(0.02)
"""
LINKS = '''"""Averages over all workers, through the first of them."""
import os
import pickle
import socket
import struct
import time

RANK, SIZE = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
_links = []


def _send(link, what):
    data = pickle.dumps(what)
    link.sendall(struct.pack("!I", len(data)) + data)


def _exactly(link, n):
    data = b""
    while len(data) < n:
        part = link.recv(n - len(data))
        if not part:
            raise ConnectionError("a worker closed its connection")
        data += part
    return data


def _recv(link):
    return pickle.loads(_exactly(link, struct.unpack("!I", _exactly(link, 4))[0]))


def join():
    where = ("127.0.0.1", int(os.environ["MASTER_PORT"]))
    if RANK == 0:
        door, found = socket.create_server(where), {}
        while len(found) < SIZE - 1:
            link = door.accept()[0]
            found[_recv(link)] = link
        _links.extend(found[r] for r in sorted(found))
        for link in _links:
            _send(link, "all here")
        return
    for _ in range(900):
        try:
            _links.append(socket.create_connection(where))
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
    _send(_links[0], RANK)
    _recv(_links[0])


def mean(values):
    if RANK:
        _send(_links[0], values)
        return _recv(_links[0])
    rows = [values] + [_recv(link) for link in _links]
    out = [sum(column) / len(rows) for column in zip(*rows)]
    for link in _links:
        _send(link, out)
    return out


def gather(value):
    if RANK:
        _send(_links[0], value)
        return _recv(_links[0])
    rows = [value] + [_recv(link) for link in _links]
    for link in _links:
        _send(link, rows)
    return rows
'''
Reading = Mapping[str, str]
Told = tuple[Reading, tuple[tuple[float, Reading], ...]]
GOOD = Label(mode="G1", fault="none")
HARD = Label(mode="G1", fault="none", hard=True)


def ill(
    mode: str, cause: str | None = None, variant: str | None = None, *, first: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None
) -> Label:
    """The label of a job that did not go well."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, trigger=trigger)


def sbatch(
    label: Label,
    files: Mapping[str, str],
    body: str,
    *more: str,
    shape: tuple[int, int] = (1, 1),
    where: str = SAFE,
    cards: Sequence[Told] = (),
    python: str = "torch",
    begin_s: int = BEGIN_S,
    **rest: object,
) -> SlurmJob:
    """A job of ``shape`` (nodes, tasks) with the batch script ``body``; ``cards`` by rank, as many on each node.

    All ranks begin together ``begin_s`` after the batch script.
    """
    nodes, tasks = shape
    given = dict(files)
    head = PORT
    options = [f"-N{nodes}", f"-n{tasks}", *([where] if where else []), *more]
    told = {}
    if cards:
        per = len(cards) // nodes
        given["clock.py"] = CLOCK
        head += f"export BEGIN_AT=$(($(date +%s) + {begin_s}))\n"
        options.append(f"--gres=gpu:{per}")
        if nodes > 1:
            options.append(f"--ntasks-per-node={tasks // nodes}")  # else Slurm fills the first node
        told = {(n // per, n % per): (first, tuple((at_s + begin_s - BEGIN_S, v) for at_s, v in later)) for n, (first, later) in enumerate(cards)}
        label = label.but(gpu="scripted")
    if any("import links" in text for text in files.values()):
        given["links.py"] = LINKS
    return SlurmJob(label, given, head + body, tuple(options), python, gpus=told, **rest)  # type: ignore[arg-type]


def busy(
    sm: float,
    *,
    gib: float = 38,
    watts: int = 510,
    util: int = 98,
    mhz: int = 1755,
    temp: int = 61,
    dram: float = 31,
    tensor: float = 19,
    **others: str,
) -> dict[str, str]:
    """A card at work."""
    return {
        "utilization.gpu": str(util),
        "utilization.memory": str(int(dram)),
        "power.usage": str(watts * 1000),
        "clock.sm": str(mhz),
        "clock.graphics": str(mhz),
        "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))),
        "throttle_reasons": "0x0",
        "gpm.2": f"{sm:g}",
        "gpm.3": f"{sm * 0.4:g}",
        "gpm.5": f"{tensor:g}",
        "gpm.10": f"{dram:g}",
        **others,
    }


def still(gib: float = 0.4, *, watts: int = 76, mhz: int = 345, temp: int = 35) -> dict[str, str]:
    """A card that does nothing, with or without memory held."""
    return busy(0, gib=gib, watts=watts, util=0, mhz=mhz, temp=temp, dram=0, tensor=0, throttle_reasons="0x1")


def told(*later: tuple[float, Reading], held: float = 0.4, before: Reading | None = None) -> Told:
    """A card that is idle until the common start, from which ``later`` counts; ``before`` are counters it came with."""
    return {**still(held), **(before or {})}, tuple((BEGIN_S + at_s, values) for at_s, values in later)


def humming(sm: float, until_s: float, *, gib: float = 38, watts: int = 510, seed: int = 1, swing: float = 6, **more: Any) -> Told:
    """A card at work whose readings move a little every second, then at rest."""
    rows: list[tuple[float, Reading]] = []
    state = seed * 7919
    for second in range(int(until_s)):
        state = (state * 1103515245 + 12345) % (1 << 31)
        share = state / (1 << 31) - 0.5
        rows.append((float(second), busy(sm + share * swing, gib=gib, watts=watts + int(share * 60), temp=min(54 + second // 2, 66), **more)))
    return told(*rows, (until_s, still()))


def bursts(work_s: float, idle_s: float, rounds: int, *, sm: float = 48, gib: float = 21, first_idle: bool = False) -> Told:
    """Computes, stands still, computes, stands still."""
    rows: list[tuple[float, Reading]] = []
    resting = still(gib, watts=118, mhz=1980, temp=43)
    working = busy(sm, gib=gib, watts=392)
    for n in range(rounds):
        at = n * (work_s + idle_s)
        rows += [(at, resting), (at + idle_s, working)] if first_idle else [(at, working), (at + work_s, resting)]
    return told(*rows, (rounds * (work_s + idle_s), still()))
