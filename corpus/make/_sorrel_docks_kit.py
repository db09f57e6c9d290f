"""What these jobs have in common: a batch script's frame, a beat that programs keep, a small team of ranks, and cards whose readings are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.running.job import SlurmJob

AWAY = "-xn3,n4,n5,n6"
"""Nodes that are lost, or taken for somebody urgent."""
BEGIN_S = 22
"""So long after its batch script a job with cards takes its first step; with PyTorch ``SLOW_S``."""
SLOW_S = 32
PORT = "export TEAM_PORT=$((21000 + (SLURM_JOB_ID * 13) % 9000))\n"
BEAT = '''import os
import time

BEGIN = float(os.environ.get("BEGIN_AT") or time.time())


def until(seconds):
    """Sleep until so many seconds after the job's common start."""
    time.sleep(max(0.0, BEGIN + seconds - time.time()))


def since():
    return time.time() - BEGIN
'''
TEAM = '''"""Everybody sends numbers to member 0, and gets the means back."""
import os
import time
from multiprocessing.connection import Client, Listener

rank = int(os.environ["SLURM_PROCID"])
size = int(os.environ.get("TEAM_SIZE") or os.environ["SLURM_NTASKS"])
address = ("127.0.0.1", int(os.environ["TEAM_PORT"]))
_links = {}


def meet(say=None):
    if rank == 0:
        door = Listener(address, backlog=32)
        while len(_links) < size - 1:
            link = door.accept()
            _links[link.recv()] = link
            if say:
                say(len(_links), size - 1)
        for link in _links.values():
            link.send("go")
        return
    while True:
        try:
            _links[0] = Client(address)
            break
        except ConnectionRefusedError:
            time.sleep(0.25)
    _links[0].send(rank)
    _links[0].recv()


def mean(values):
    if rank == 0:
        rows = [values] + [_links[peer].recv() for peer in sorted(_links)]
        values = [sum(column) / size for column in zip(*rows)]
        for link in _links.values():
            link.send(values)
        return values
    _links[0].send(values)
    return _links[0].recv()
'''
Values = Mapping[str, str]
Moments = list[tuple[float, Values]]
Told = tuple[Values, tuple[tuple[float, Values], ...]]
FINE = Label(mode="G1", fault="none")
GRIM = Label(mode="G1", fault="none", hard=True)


def ill(
    mode: str, cause: str | None = None, variant: str | None = None, *, first: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None
) -> Label:
    """What is wrong with a job."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, trigger=trigger)


def hand_in(
    label: Label,
    state: str,
    launch: str,
    files: Mapping[str, str],
    *,
    tasks: int = 1,
    nodes: int = 1,
    cards: Mapping[int, Moments] | None = None,
    begin_s: int = BEGIN_S,
    where: str = AWAY,
    name: str = "",
    options: tuple[str, ...] = (),
    python: str = "system",
    **more: Any,
) -> SlurmJob:
    """A batch job that runs ``launch`` beside ``files``. ``cards`` has the readings by rank (evenly spread over the nodes), seconds from the first step."""
    per = max(1, (len(cards) if cards else tasks) // nodes)
    head, told = "", {}
    if cards:
        head = f"export BEGIN_AT=$(( $(date +%s) + {begin_s} ))\n"
        told = {(r // per, r % per): (still(0.4), tuple((begin_s + at_s, values) for at_s, values in moments)) for r, moments in cards.items()}
        label = label.but(gpu="scripted")
    if "import team" in "".join(files.values()):
        head += PORT
        files = {**files, "team.py": TEAM}
    if "import beat" in "".join(files.values()) or "from beat" in "".join(files.values()):
        files = {**files, "beat.py": BEAT}
    places = (*((where,) if where else ()), *((f"--ntasks-per-node={tasks // nodes}",) if nodes > 1 else ()))
    asked = (f"--gres=gpu:{per}",) if cards else ()
    called = (f"--job-name={name}",) if name else ()
    return SlurmJob(
        label, files, head + launch, (f"-N{nodes}", f"-n{tasks}", *places, *asked, *called, *options), python, gpus=told, state=state, **more
    )


def busy(sm: float, *, util: int = 98, watts: int = 500, mhz: int = 1755, temp: int = 61, gib: float = 33, **more: str) -> Values:
    """A card that computes."""
    return {
        "utilization.gpu": str(util), "utilization.memory": str(int(sm * 0.6)), "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz),
        "temperature": str(temp), "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x0", "pstate": "0",
        "gpm.2": f"{sm:g}", "gpm.3": f"{sm * 0.42:.1f}", "gpm.5": f"{sm * 0.36:.1f}", "gpm.10": f"{sm * 0.55:.1f}", **more,
    }  # fmt: skip


def still(gib: float = 0.0, *, watts: int = 72, mhz: int = 345, temp: int = 34, **more: str) -> Values:
    """A card on which nothing runs, whatever it holds."""
    return {
        "utilization.gpu": "0", "utilization.memory": "0", "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x1", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", **more,
    }  # fmt: skip


def held(gib: float) -> Values:
    """A card at full clock that holds a model and waits."""
    return still(gib, watts=116, mhz=1980, temp=44)


def span(sm: float, start_s: float, end_s: float, *, watts: int = 500, gib: float = 33, util: int = 97, mhz: int = 1755, warm: int = 57) -> Moments:
    """Each second other readings around these, as a real card has them."""
    moments: Moments = []
    n = 0
    while start_s + n < end_s:
        wobble = (n * 5 + int(sm)) % 7 - 3
        moments.append(
            (
                start_s + n,
                busy(
                    max(0.5, sm + wobble * min(1.0, sm / 20)),
                    util=min(100, max(1, util + wobble % 3 - 1)),
                    watts=watts + 6 * wobble,
                    mhz=mhz - 15 * (n % 2),
                    temp=warm + min(n // 3, 7),
                    gib=gib,
                ),
            )
        )
        n += 1
    return moments


def stutter(work_s: float, wait_s: float, rounds: int, *, sm: float = 58, gib: float = 18) -> Moments:
    """Waits, then works for a moment, again and again."""
    moments: Moments = []
    for n in range(rounds):
        at_s = n * (work_s + wait_s)
        moments += [(at_s, held(gib)), (at_s + wait_s, busy(sm + n % 3, watts=405, gib=gib))]
    return [*moments, (rounds * (work_s + wait_s), still())]
