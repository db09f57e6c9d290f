"""Looms with a card beside each rank, whose readings are told beforehand: they wait for their yarn, for one slow rank among them, or for good reasons only."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._loom_jobs import at, carded
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

STARVED, SLOW_ONE, HARD, GOOD = Label(mode="D1", fault="user"), Label(mode="D3", fault="unknown"), Label(mode="G1", fault="none", hard=True), Label(mode="G1", fault="none")
SAVES = Label(mode="D2", variant="save_storm", fault="user")
DONE: dict[str, Any] = {"state": "COMPLETED"}
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "93000", "throttle_reasons": "0x1"}


def steady(sm: float, gib: float, *later: tuple[float, dict[str, str]], **more: str) -> Readings:
    """Busy so much, holding so many GiB."""
    kept = {"memory.used": str(int(gib * (1 << 30)))}
    return {**work(sm, memory=sm / 2, tensor=sm / 4), **kept, **more}, tuple((at_s, {**changes, **kept}) for at_s, changes in later)


def bursts(busy: float, on: int, off: int, gib: float) -> Readings:
    """So many seconds at work, so many at rest, again and again."""
    return steady(busy, gib, *((1.0 + k, work(busy) if k % (on + off) < on else REST) for k in range(150)))


def thin(util: int, gib: float, watts: int) -> Readings:
    """A little all the time."""
    return steady(4, gib, *((2.0 + 2 * k, {**work(3 + k % 3, memory=1, tensor=1), "utilization.gpu": str(util + 3 * (k % 4)), "power.usage": str(1000 * watts + 900 * (k % 5))}) for k in range(80)))


def starved() -> Iterator[SlurmJob]:
    """D1."""
    fetch = "t = time.perf_counter()\ntime.sleep(3.1)\nif rank == 0 and update % 2 == 0:\n    log.info('upd %05d: corpus reader %.2f s', update, time.perf_counter() - t)"
    yield carded(STARVED, "TAGGER", 2, {}, bursts(38, 1, 3, 22), code={"data": fetch}, args="--updates 18 --report 1 --lr 0.06", **DONE)
    yield carded(STARVED, "DRIFT", 4, {}, bursts(44, 1, 5, 37), 2, code={"data": "if k == 0:\n    time.sleep(5.2)"}, env="CONF='{\"rounds\": 11, \"each\": 1, \"local\": 6, \"rate\": 0.1}'", **DONE)
    yield carded(STARVED, "RUCHER", 1, {}, thin(4, 15, 118), code={"data": "time.sleep(1.4)  # lecture d'un fichier csv par jour"}, env="TOURS=40 AFFICHE=2", **DONE)
    yield carded(STARVED, "HEAT", 3, {}, bursts(29, 2, 4, 9), 3, code={"data": "if k % 4 == 1:\n    time.sleep(5.0)  # mesh for the next four"}, env="SWEEPS=44 LR=0.03", **DONE)
    yield carded(STARVED, "PINBALL", 8, {}, thin(6, 28, 126), 2, code={"data": "opened = time.time()\ntime.sleep(1.9)\nif tick % 5 == 0:\n    tell('hours read', source='object store', seconds=round(time.time() - opened, 2))"}, args="ticks=27 every=3 rate=0.3", **DONE)
    yield carded(STARVED, "MARES", 2, {}, bursts(33, 1, 4, 51), code={"met": "cada = 5", "data": "if vuelta % 5 == 0:\n    time.sleep(4.3)"}, args="55 0.2", **DONE)


def one_behind() -> Iterator[SlurmJob]:
    """D3: it computes while the others wait for it."""

    def lags(name: str, ranks: int, nodes: int, slow: int, high: float, low: float, gib: float, took: float, place: str = "mid", clock: int = 0, **more: Any) -> SlurmJob:  # noqa: PLR0917
        own = steady(high, gib, **({"clock.sm": str(clock)} if clock else {}))
        rest = {r: steady(low + 1.3 * (r % 3), gib) for r in range(ranks) if r != slow}
        return carded(SLOW_ONE, name, ranks, {slow: own, **rest}, own, nodes, code={place: at(name, slow, None, f"time.sleep({took})")}, **more, **DONE)

    yield lags("TAGGER", 4, 2, 2, 59, 15, 31, 0.13, args="--updates 330 --pause 0.01")
    yield lags("PINBALL", 8, 2, 5, 64, 17, 24, 0.14, args="ticks=300 nap=0.01 every=25")
    yield lags("HEAT", 4, 4, 3, 56, 14, 12, 0.12, clock=870, env="SWEEPS=320 NAP=0.01")
    yield lags("DRIFT", 3, 3, 0, 61, 18, 40, 0.05, env="CONF='{\"rounds\": 190, \"local\": 4, \"each\": 10, \"pause\": 0.005}'")
    yield lags("RUCHER", 6, 2, 4, 53, 13, 17, 0.13, clock=1110, env="TOURS=300 SOMMEIL=0.01")
    yield lags("MARES", 5, 1, 1, 67, 19, 58, 0.15, args="290 0.01")
    yield lags("PEGEL", 4, 2, 3, 58, 16, 29, 0.12, env="RUNDEN=280 PAUSE=0.01")
    yield lags("TAGGER", 6, 3, 0, 62, 15, 35, 0.12, clock=1005, args="--updates 340 --pause 0.01 --report 50")


def well() -> Iterator[SlurmJob]:
    """G1: cards that rest for a reason, are warm, unlike, or have a past."""
    now = "time.time() - float(os.environ['T0'])"
    score = f"if {now} > 32 and not globals().get('scored'):\n    globals()['scored'] = True\n    log.info('scoring 40k held-out sentences on the host')\n    time.sleep(max(0.0, 57 - ({now})))\n    log.info('span F1 0.8713 (best so far)')"
    busy = work(55)
    yield carded(HARD, "TAGGER", 4, {}, steady(55, 34, (32.5, REST), (57.0, busy)), 2, code={"after": score}, args="--updates 900 --report 30 --lr 0.004", **DONE)
    old = {"ecc.aggregate.uncorrected": "6", "remapped.uncorrected": "2", "remapped.corrected": "5", "ecc.aggregate.corrected": "811"}
    yield carded(HARD, "HEAT", 3, {2: steady(49, 11, **old)}, steady(49, 11), env="SWEEPS=600 NAP=0.06", **DONE)
    split = "if turn == 24 and k == 1 and rank == 1:\n    out(kind='retry', error='OutOfMemoryError: CUDA out of memory. Tried to allocate 2.44 GiB', action='micro-batch 64 -> 32, step repeated')"
    grows = (*((1.0 * k, {"memory.used": str(min(77, 40 + 3 * k) << 30)}) for k in range(1, 14)), (16.0, {"memory.used": str(46 << 30)}))
    yield carded(HARD, "DRIFT", 2, {1: ({**work(60), "memory.used": str(40 << 30)}, grows)}, steady(60, 40), 2, code={"mid": split}, env="CONF='{\"rounds\": 160, \"pause\": 0.06}'", **DONE)
    warm = steady(72, 66, **{"temperature": "82", "throttle_reasons": "0x4", "clock.sm": "1590", "power.usage": "697000", "ecc.volatile.corrected": "17"})
    yield carded(HARD, "PINBALL", 6, {}, warm, 2, args="ticks=620 nap=0.06 every=40", **DONE)
    stage = "if puesto == 3 and vuelta == 1:\n    print('puesto 3: la cache estaba vacia, copiando 12 archivos', flush=True)\n    time.sleep(11)"
    cold = steady(51, 30, (0.5, REST), (11.0, work(51)))
    yield carded(HARD, "MARES", 4, {}, cold, code={"data": stage}, args="560 0.06", **DONE)
    yield carded(GOOD, "RUCHER", 3, {}, steady(46, 21), 3, env="TOURS=560 SOMMEIL=0.06 AFFICHE=40", **DONE)


def stored() -> Iterator[SlurmJob]:
    """D2: hardly anything but saves."""
    save = "tick = time.time()\nif rank == 0:\n    torch.save({'round': turn, 'weights': model.state_dict(), 'pad': torch.zeros(1_600_000)}, f'model-{turn % 2}.pt')\n    os.sync()\n    time.sleep(0.8)\ndist.barrier()\nif rank == 0:\n    out(kind='checkpoint', path=f'/ceph/sites/model-{turn}.pt', round=turn, seconds=round(time.time() - tick, 2))"
    yield carded(SAVES, "DRIFT", 4, {}, thin(9, 33, 131), 2, code={"after": save}, env="CONF='{\"rounds\": 46, \"local\": 3, \"each\": 1, \"rate\": 0.1}'", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (starved, one_behind, well, stored):
        yield from part()


RECIPE = Recipe("dye_vats", "development", jobs)
