"""What these batch jobs share: a small all-reduce over sockets, the batch script's frame, and cards whose readings are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from corpus.label import Label
from corpus.running.job import SlurmJob

Reading = Mapping[str, str]
Course = Sequence[tuple[float, Reading]]
"""What a card reads from which second after the ranks' common beginning."""
AWAY = "--exclude=n5,n6"
"""These two nodes are lost by other jobs."""
LEAD_S = 15
HEAD = "export MASTER_PORT=$((15000 + (SLURM_JOB_ID * 13 + RANDOM) % 15000)) MASTER_ADDR=127.0.0.1\n"
FINE = Label(mode="G1", fault="none")
ODD = Label(mode="G1", fault="none", hard=True)
COMMS = r'''"""Sum numbers over all tasks of the step: everybody sends to task 0, task 0 answers."""
import os
import socket
import struct
import time

RANK = int(os.environ.get("SLURM_PROCID", "0"))
WORLD = int(os.environ.get("SLURM_NTASKS", "1"))
ADDRESS = (os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ.get("MASTER_PORT", "29500")))
links = {}
patient = False


def start():
    time.sleep(max(0.0, float(os.environ.get("T0", "0")) - time.time()))


def connect(world=WORLD):
    if RANK == 0:
        door = socket.create_server(ADDRESS, backlog=world)
        while len(links) < world - 1:
            link, _ = door.accept()
            links[struct.unpack("i", receive(link, 4))[0]] = link
        return
    while True:
        try:
            links[0] = socket.create_connection(ADDRESS)
            break
        except OSError:
            time.sleep(0.2)
    links[0].sendall(struct.pack("i", RANK))


def receive(link, size):
    data = b""
    while len(data) < size:
        try:
            part = link.recv(size - len(data))
        except ConnectionResetError:
            if not patient:
                raise
            part = b""
        if not part:
            while patient:
                time.sleep(60)
            raise ConnectionResetError("connection closed by peer")
        data += part
    return data


def all_reduce(value=0.0):
    if WORLD == 1:
        return value
    if RANK:
        links[0].sendall(struct.pack("d", value))
        return struct.unpack("d", receive(links[0], 8))[0]
    total = value + sum(struct.unpack("d", receive(links[peer], 8))[0] for peer in sorted(links))
    for link in links.values():
        link.sendall(struct.pack("d", total))
    return total
'''


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
    """The label of a job in which something went wrong."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, failed_ranks=failed, trigger=trigger)


def post(
    label: Label,
    script: str,
    code: str,
    launch: str = "srun PYTHON SCRIPT\n",
    *,
    ranks: int = 1,
    nodes: int = 1,
    where: str = AWAY,
    name: str = "",
    options: tuple[str, ...] = (),
    files: Mapping[str, str] | None = None,
    cards: Mapping[int, Course] | None = None,
    python: str = "system",
    lead_s: int = LEAD_S,
    **more: object,
) -> SlurmJob:
    """One batch job: ``code`` in a file called ``script``. ``cards`` by rank, counted over the nodes in turn."""
    per = ranks // nodes
    head = HEAD + (f"export T0=$(($(date +%s) + {lead_s}))\n" if cards else "")
    given = {script: code, **({"comms.py": COMMS} if "comms" in code else {}), **(files or {})}
    told = {(r // per, r % per): _news(course, lead_s) for r, course in (cards or {}).items()}
    wanted = [
        f"--nodes={nodes}",
        f"--ntasks={ranks}",
        *([f"--ntasks-per-node={per}"] if nodes > 1 else []),
        *([where] if where else []),
        *([f"--gres=gpu:{per}"] if cards else []),
        *([f"--job-name={name}"] if name else []),
        *options,
    ]
    label = label.but(gpu="scripted") if cards else label
    return SlurmJob(label, given, head + launch.replace("SCRIPT", script), tuple(wanted), python=python, gpus=told, **more)  # type: ignore[arg-type]


def _news(course: Course, lead_s: int) -> tuple[Reading, tuple[tuple[float, Reading], ...]]:
    """The card's first reading, and of each later one what it changes."""
    first = off(0.5, watts=71, mhz=345, temp=33)
    now, later = dict(first), []
    for at_s, values in course:
        later.append((lead_s + at_s, {key: value for key, value in values.items() if now.get(key) != value}))
        now |= values
    return first, tuple(later)


def on(
    sm: float,
    gib: float,
    *,
    watts: int = 520,
    util: int = 98,
    mhz: int = 1755,
    temp: int = 62,
    dram: float = 31,
    tensor: float = 24,
    why: str = "0x0",
    also: Reading | None = None,
) -> dict[str, str]:
    """A card at work."""
    return {
        "utilization.gpu": str(util), "utilization.memory": str(int(dram)), "power.usage": str(1000 * watts), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": why, "gpm.2": f"{sm:g}", "gpm.3": f"{sm * 0.41:g}", "gpm.5": f"{tensor:g}", "gpm.10": f"{dram:g}", **(also or {}),
    }  # fmt: skip


def off(gib: float = 0.0, *, watts: int = 118, mhz: int = 1980, temp: int = 41, util: int = 0) -> dict[str, str]:
    """A card that computes nothing."""
    return on(0, gib, watts=watts, util=util, mhz=mhz, temp=temp, dram=0, tensor=0, why="0x1")


def level(
    sm: float, gib: float, begin_s: int, end_s: int, *, watts: int = 520, spread: int = 5, **more: object
) -> list[tuple[float, dict[str, str]]]:
    """A card at work from second to second, with the small ups and downs of a real one."""
    return [(float(s), on(sm + (s * 11 + int(sm)) % spread - spread // 2, gib, watts=watts + s * 17 % 31, **more)) for s in range(begin_s, end_s, 2)]  # type: ignore[arg-type]


def left(at_s: float) -> list[tuple[float, dict[str, str]]]:
    """The process is gone from the card."""
    return [(at_s, off(0.0, watts=72, mhz=345, temp=38))]


def beats(work: Reading, wait: Reading, work_s: float, wait_s: float, rounds: int, *, first_s: float = 0.0) -> list[tuple[float, Reading]]:
    """Work and waiting in turn."""
    each = work_s + wait_s
    return [pair for n in range(rounds) for pair in ((first_s + n * each, work), (first_s + n * each + work_s, wait))]
