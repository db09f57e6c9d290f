"""On Slurm, one task, most beside a card whose readings are told beforehand: starved, at rest for good, waiting for saves, or well; and one whose node goes, that comes back, or that is cut off.

No GPU is there. It starves, saves and stands in earnest.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import BY_OWNER, HARD, LATE, SAVES, STANDS, STARVED, anew
from corpus.make._rack_loops import NAMES, RIVER, SNOW
from corpus.make._rack_minutes import BARD, DELAYS
from corpus.running.crewed import CLOCK, cards, task
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill
from tests.testbed.gpu_scenarios import work

delays, bard, snow, names, river = partial(fill, DELAYS), partial(fill, BARD), partial(fill, SNOW), partial(fill, NAMES), partial(fill, RIVER)
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
IDLE = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "79000", "throttle_reasons": "0x1"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
OVER: dict[str, Any] = {"options": ("--time=3",), "state": "TIMEOUT"}
GONE: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
LOST = Label(mode="F1", fault="node")
BACK = Label(mode="F2", fault="none")
AGAIN = "[ ${SLURM_RESTART_COUNT:-0} -eq 0 ] || MORE=from=delays/w.json\n"


def holding(gib: int, now: Mapping[str, str]) -> dict[str, str]:
    """The same, with so much memory in use."""
    return {**now, "memory.used": str(gib << 30)}


def beside(label: Label, text: str, name: str, given: str, gpu: Readings, **more: Any) -> SlurmJob:
    """One task, one card."""
    return cards(label, text, 1, {(0, 0): gpu}, name=name, command=f"PYTHON -u {name} {given}", **{"python": "system", **more})


def bare(label: Label, text: str, name: str, given: str, **more: Any) -> SlurmJob:
    """One task without a card."""
    return task(label, text, name=name, command=f"PYTHON -u {name} {given}", **more)


def short_bursts(gib: int, busy: float, every: int, until: int = 300) -> Readings:
    """At work in one second of several."""
    return holding(gib, IDLE), tuple((1.0 + k, holding(gib, work(busy) if k % every == 0 else IDLE)) for k in range(until))


def starved() -> Iterator[SlurmJob]:
    """D1."""
    yield beside(STARVED, delays(mid="time.sleep(3.4)  # timetable of the day, over NFS"), "delays.py", "rounds=36 show=2", short_bursts(14, 31, 4), **DONE)
    yield beside(STARVED, bard(mid="if batch % 36 == 0:\n    time.sleep(5.5)  # next songbook is unpacked"), "bard.py", "--n-epochs 5", short_bursts(9, 28, 6), **DONE)
    yield beside(STARVED, names(mid="time.sleep(2.2)"), "names.py", "max_iters=44 log_interval=2 eval_interval=44", short_bursts(21, 36, 3), python="torch", **DONE)


def standing() -> Iterator[SlurmJob]:
    """C3."""
    gpu: Readings = (holding(17, work(51)), ((48.0, holding(17, IDLE)),))
    yield beside(STANDS, delays(mid=f"if {CLOCK} > 45:\n    import select\n    inbox, outbox = os.pipe()\n    select.select([inbox], [], [])"), "delays.py", "rounds=90000 nap=0.1", gpu, **OVER)
    yield beside(STANDS, bard(epoch=f"if {CLOCK} > 45:\n    import concurrent.futures as cf\n    pool = cf.ThreadPoolExecutor(1)\n    print('# scoring the songbook', flush=True)\n    pool.submit(lambda: pool.submit(len, songs).result()).result()"), "bard.py", "--n-epochs 9000 --pause 0.1", gpu, **OVER)


def saving() -> Iterator[SlurmJob]:
    """D2."""
    slack: Readings = (holding(11, {**work(6, memory=2, tensor=1), "utilization.gpu": "13", "power.usage": "118000"}), ())
    yield beside(SAVES, delays(after="at = time.time()\njson.dump({'W': W, 'V': V, 'rows': rows, 'round': k}, open(f'{DIR}/state_{k % 3}.json', 'w'))\nos.sync(); time.sleep(1.1)\ntell(f'state of round {k} -> {DIR}/state_{k % 3}.json in {time.time() - at:.2f} s')"), "delays.py", "rounds=60 show=5", slack, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    rest = 30.0
    gpu: Readings = (holding(20, work(55)), ((22.0, holding(20, IDLE)), (22.0 + rest, holding(20, work(55)))))
    yield beside(HARD, delays(mid=f"if {CLOCK} > 21 and not globals().get('rested'):\n    rested = True\n    tell('validation on the CPU of all of last year')\n    time.sleep({rest - 1})"), "delays.py", "rounds=300 nap=0.2", gpu, **DONE)
    worn = holding(13, {**work(47), "ecc.aggregate.uncorrected": "4", "remapped.uncorrected": "2", "remapped.corrected": "6", "temperature": "80", "throttle_reasons": "0x4"})
    yield beside(HARD, bard(), "bard.py", "--n-epochs 12 --pause 0.3", (worn, ((9.0, {"ecc.volatile.corrected": "7", "pcie.replay": "2"}),)), **DONE)


def nodes() -> Iterator[SlurmJob]:
    """F1."""
    yield bare(LOST.but(failed_ranks=(0,), first_ranks=(0,)), delays(), "delays.py", "rounds=90000 nap=0.15", where="-wn6", act="lose_node", after="round 60/", **GONE)
    yield bare(LOST, bard(), "bard.py", "--n-epochs 9000 --pause 0.3", where="-wn5", act="slurmd_dies", after=r"\n3,4,", **GONE)
    yield bare(LOST, river(after="time.sleep(0.1)"), "river.py", "", where="-wn4", act="node_down", after='"epoch": 3,', python="torch", **GONE)
    yield beside(LOST.but(failed_ranks=(0,), first_ranks=(0,)), delays(), "delays.py", "rounds=90000 nap=0.2 show=10", (holding(26, work(57)), ()), where="-wn6", act="lose_node", after="round 60/", **GONE)


def again() -> Iterator[SlurmJob]:
    """F2; E2 where the second run begins anew."""
    yes = ("--requeue",)
    yield bare(BACK.but(variant="requeued_recovered"), delays(), "delays.py", "rounds=240 nap=0.2 keep=40 $MORE", head=AGAIN, act="requeue", after="round 120/", options=yes, **DONE)
    yield bare(BACK.but(variant="preempted_recovered"), delays(), "delays.py", "rounds=280 nap=0.15 keep=20 show=10 $MORE", head=AGAIN, where="-wn3", act="preempt", after="round 100/", options=yes, **DONE)
    yield bare(BACK.but(variant="requeued_recovered"), names(after="time.sleep(0.05)", valid="print('val of all runs kept', flush=True)"), "names.py", "max_iters=320 eval_interval=60 $MORE", head="[ ${SLURM_RESTART_COUNT:-0} -eq 0 ] || MORE=init_from=resume\n", act="requeue_by_owner", after="iter 200:", options=yes, python="torch", **DONE)
    yield bare(Label(mode="F2", variant="preempted", fault="none"), bard(), "bard.py", "--n-epochs 9000 --pause 0.3", where="-wn3", act="preempt_for_good", after=r"\n4,2,", options=("--no-requeue",), state="PREEMPTED")
    yield bare(anew(), delays(), "delays.py", "rounds=240 nap=0.2 keep=40", act="requeue", after="round 160/", options=yes, **DONE)
    yield bare(anew(), snow(after="time.sleep(0.04)"), "snow.py", "--epochs 12 --resume runs/snow/last.pth.tar", head="ls runs/snow 2>/dev/null\n", act="requeue_by_owner", after=r"Epoch \[6/12\]", options=yes, python="torch", **DONE)


def cut() -> Iterator[SlurmJob]:
    """F3, F4."""
    over: dict[str, Any] = {"options": ("--time=1",), "state": "TIMEOUT"}
    yield bare(LATE, bard(), "bard.py", "--n-epochs 9000 --pause 0.5", **over)
    yield beside(LATE, delays(), "delays.py", "rounds=900000 nap=0.2 show=10", (holding(30, work(60)), ()), **over)
    yield bare(BY_OWNER, delays(), "delays.py", "rounds=90000 nap=0.1", act="scancel", after="round 140/", state="CANCELLED")


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (starved, standing, saving, well, nodes, again, cut):
        yield from part()


RECIPE = Recipe("signal_box_dials", "development", jobs)
