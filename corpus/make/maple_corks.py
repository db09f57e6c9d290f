"""The plain houses on the bed beside cards whose readings are told: worn, hot, braked, hungry, uneven, slowed by the wire, at rest; and well."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from corpus.make._hazel_jobs import DONE, FAILED, GOOD, HARD, behind, carded, on, true
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings

SHORT: dict[str, Any] = {"state": "FAILED", "srun": "-K"}
LONG: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=3",)}
MANY = 90_000


def works(sm: float, watts: int, *, dram: float = 0, tensor: float = 0, clock: int = 1830, engine: int = 97, degrees: int = 61) -> dict[str, str]:
    """A card that computes."""
    dram, tensor = dram or round(sm * 0.45, 1), tensor or round(sm * 0.35, 1)
    return {
        "utilization.gpu": str(engine), "utilization.memory": str(int(dram)), "gpm.2": str(sm), "gpm.3": str(round(sm * 0.6, 1)), "gpm.5": str(tensor), "gpm.10": str(dram),
        "power.usage": str(1000 * watts), "clock.sm": str(clock), "throttle_reasons": "0x0", "temperature": str(degrees),
    }  # fmt: skip


STILL = {**works(0, 84, dram=0.01, tensor=0.01, clock=345, engine=0, degrees=37), "utilization.memory": "0", "gpm.5": "0", "gpm.10": "0", "throttle_reasons": "0x1"}
SPINNING = {**works(0.8, 133, dram=0.1, tensor=0.01, clock=1980, engine=100, degrees=45), "gpm.5": "0"}


def told(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]], gib: int) -> Readings:
    """First, and from when on what else, with so much held."""
    kept = {"memory.used": str(gib << 30)}
    return {**first, **kept}, tuple((s, {**kept, **changes}) for s, changes in later)


def worn() -> Iterator[SlurmJob]:
    """B2."""
    at_s, says_s = 38.0, 40.5

    def counts(number: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(number), "ecc.aggregate.uncorrected": str(number), "ecc.volatile.uncorrected.dram": str(number), **more}

    def bad(rank: int) -> Any:
        return true("B2", "cuda_runtime", rank, fault="node")

    check = "def check(call, code, name, text):\n    if code:\n        raise RuntimeError(f'{call}: {name} ({code}): {text}')"
    ecc = "check('cuMemcpyDtoHAsync', 214, 'CUDA_ERROR_ECC_UNCORRECTABLE', 'uncorrectable ECC error encountered')"
    bus = "check('cudaStreamSynchronize', 999, 'cudaErrorUnknown', 'unknown error')"
    link = "check('cudaMemcpyPeerAsync', 220, 'cudaErrorNvlinkUncorrectable', 'uncorrectable NVLink error detected during the execution')"
    yield carded(bad(2), "BOARD", 3, {2: told(works(54, 410), (at_s, counts(1, events="8:48", recovery_action="1")), gib=38)}, told(works(54, 410), gib=38), 1, head=f"export TURNS={MANY} REST=0.25\n", code={"early": check, "data": behind(says_s, ecc, "RANK == 2")}, **SHORT)
    yield carded(bad(1), "WATER", 4, {1: told(works(62, 505), (at_s, {"events": "8:79"}), (at_s + 1, {"*": "!GPU_IS_LOST"}), gib=66)}, told(works(62, 505), gib=66), 2, head=f"export RONDES={MANY} RUST=0.25\n", code={"early": check, "loss": behind(says_s, bus, "KNOOP == 1")}, hand=1, **SHORT)
    yield carded(true("B2", "cuda_runtime", fault="node"), "TUR", 1, {}, told(works(47, 350), (at_s, counts(6, events="8:95")), gib=21), 1, f"--tur {MANY} --bekle 0.25", code={"early": check, "data": behind(says_s, ecc.replace("cuMemcpyDtoHAsync", "cuCtxSynchronize"))}, hand=2, **FAILED)
    yield carded(bad(0), "BOARD", 2, {0: told(works(71, 560), (at_s, {"events": "8:74", "nvlink.4.replay": "33", "nvlink.4.recovery": "3", "nvlink.4.crc_flit": "910"}), gib=58)}, told(works(71, 560), gib=58), 1, head=f"export TURNS={MANY} REST=0.25\n", code={"early": check, "grad": behind(says_s, link, "RANK == 0")}, hand=1, **SHORT)


def held() -> Iterator[SlurmJob]:
    """B3."""
    what, from_s = true("B3", fault="node"), 20

    def back(clock: int, heat: bool, gib: int) -> Readings:
        policy, field, mask, degrees, watts = ("thermal", "hw_thermal", "0x60", 94, 248) if heat else ("power", "hw_power_brake", "0x88", 49, 196)
        return told(works(66, 590), *((float(from_s + 2 * k), {
            "temperature": str(degrees - (k // 2) % 2), "throttle_reasons": mask, "clock.sm": str(clock + 30 * (k % 2)), "power.usage": str(1000 * watts + 900 * (k % 5)),
            f"violation.{policy}": f"{1_000_000 + (2 * k + 2) * 1_000_000} {(2 * k + 2) * 970_000_000}", f"slowdown.{field}": str((2 * k + 2) * 970_000_000)}) for k in range(66)), gib=gib)  # fmt: skip

    def drag(who: str, quick: float = 0.14, slow: float = 0.46) -> str:
        return f"time.sleep({quick})\n" + behind(from_s, f"time.sleep({slow - quick:.2f})", *([who] if who else []))

    fine = told(works(31, 320), gib=44)
    pace = on("turn % 10 == 0", "log(6, f'turn={turn} seconds={time.time() - tick:.3f}')")
    yield carded(what, "TUR", 1, {}, back(525, True, 27), 1, "--tur 260 --bekle 0.0", code={"data": drag("")}, hand=1, **DONE)
    yield carded(what, "BOARD", 3, {1: back(600, False, 44)}, fine, 1, head="export TURNS=240 REST=0.01\n", code={"data": drag("RANK == 1"), "after": pace}, **DONE)
    yield carded(what, "WATER", 3, {2: back(495, True, 44)}, fine, 1, head="export RONDES=240 RUST=0.01\n", code={"data": drag("KNOOP == 2")}, hand=2, **DONE)
    yield carded(what, "BOARD", 2, {0: back(510, True, 70), 1: back(540, True, 70)}, fine, 2, head="export TURNS=240 REST=0.01\n", code={"grad": drag(""), "after": pace}, hand=1, **DONE)
    yield carded(what, "WATER", 4, {3: back(570, False, 44)}, fine, 2, head="export RONDES=230 RUST=0.01\n", code={"loss": drag("KNOOP == 3"), "after": on("ronde % 10 == 0", "meld(f'ronde {ronde} duurde {time.time() - tik:.2f} s')")}, **DONE)


def hungry() -> Iterator[SlurmJob]:
    """D1."""
    def gaps(sm: float, watts: int, work: int, whole: int, gib: int) -> Readings:
        return told(works(sm, watts), *((float(k), works(sm, watts) if k % whole < work else STILL) for k in range(1, 130)), gib=gib)

    yield carded(true("D1"), "TUR", 1, {}, gaps(52, 380, 1, 5, 17), 1, "--tur 27 --bekle 0.0 --satir 1", code={"data": "okuma = time.time()\ntime.sleep(3)\nyaz(f'tarife dosyası okundu, {time.time() - okuma:.1f} sn beklendi')\ntime.sleep(0.3)"}, hand=2, **DONE)
    yield carded(true("D1"), "WATER", 2, {}, gaps(44, 340, 1, 5, 11), 1, head="export RONDES=26 RUST=0 STAP=0.06 ELKE=2\n", code={"data": "t0 = time.time()\ntime.sleep(3.1)\nmeld(f'{time.time() - t0:.1f} s gewacht op de peilbuisbestanden van de bandrobot')\ntime.sleep(0.3)"}, **DONE)


def wire() -> Iterator[SlurmJob]:
    """D2."""
    what = true("D2", variant="interconnect", fault="cluster")
    note = "echo 'NCCL INFO NET/IB : No device found.'\necho 'NCCL INFO NET/Socket : Using [0]ens3:172.18.4.9<0>'\n"
    yield carded(what, "BOARD", 4, {}, told(works(9, 171, dram=4, tensor=2, clock=1980, engine=100, degrees=47), gib=61), 2, head=note + "export TURNS=110 REST=0.03\n", code={"wire": "time.sleep(0.5)", "after": on("turn % 10 == 0", "log(6, f'turn={turn} step={time.time() - tick:.2f}s exchange={away:.2f}s')")}, **DONE)
    yield carded(what, "WATER", 3, {}, told(works(7, 158, dram=3, tensor=2, clock=1980, engine=100, degrees=46), gib=48), 3, head=note + "export RONDES=110 RUST=0.03\n", where="-xn5,n6", code={"after": "time.sleep(0.48)\n" + on("ronde % 10 == 0", "meld(f'ronde {ronde}: rekenen {zelf:.2f} s, gradiënten verdelen {time.time() - tik - zelf:.2f} s')")}, hand=1, **DONE)


def uneven() -> Iterator[SlurmJob]:
    """D3."""
    what = true("D3", fault="unknown")
    high, low = told(works(61, 520), gib=35), told(works(14, 195, dram=6, tensor=4), gib=35)
    spans = on("turn % 12 == 0", "log(6, f'turn={turn} own={own:.2f}s others={away:.2f}s')")
    yield carded(what, "BOARD", 4, {3: high}, low, 2, head="export TURNS=140 REST=0.02\n", code={"data": "time.sleep(0.44 if RANK == 3 else 0.02)", "after": spans}, hand=2, **DONE)
    yield carded(what, "WATER", 3, {0: high}, low, 1, head="export RONDES=140 RUST=0.02\n", code={"data": "time.sleep(0.46 if KNOOP == 0 else 0.02)"}, **DONE)
    yield carded(what, "BOARD", 3, {1: high}, low, 3, head="export TURNS=130 REST=0.02\n", code={"grad": "time.sleep(0.48 if RANK == 1 else 0.02)"}, hand=1, **DONE)
    yield carded(what, "WATER", 4, {2: high}, low, 2, head="export RONDES=130 RUST=0.02\n", code={"loss": "time.sleep(0.45 if KNOOP == 2 else 0.03)", "after": on("ronde % 13 == 0", "meld(f'ronde {ronde}: zelf {zelf:.2f} s, gewacht {wachten:.2f} s')")}, hand=2, **DONE)


def rests() -> Iterator[SlurmJob]:
    """C3; C2."""
    own = on("turn > 20 and " + "time.time() - float(os.environ['T0']) > 17", "log(6, 'asking the rate server for the swap curve')\nimport socket\na, b = socket.socketpair()\ncurve = a.recv(4096)")
    yield carded(true("C3"), "BOARD", 1, {}, told(works(49, 370), (18.0, STILL), gib=34), 1, head=f"export TURNS={MANY} REST=0.2\n", code={"data": own}, **LONG)
    yield carded(true("C3"), "TUR", 1, {}, told(works(57, 430), (18.0, STILL), gib=52), 1, f"--tur {MANY} --bekle 0.2", code={"data": behind(17, "import threading\nyaz('veri okuyucusu bekleniyor')\nhazir = threading.Event()\nhazir.wait()")}, hand=1, **LONG)
    yield carded(true("C2"), "BOARD", 3, {1: told(works(58, 440), (18.0, STILL), gib=41)}, told(works(58, 440), (18.0, SPINNING), gib=41), 1, head=f"export TURNS={MANY} REST=0.2\n", code={"data": behind(17, "import queue\nlog(6, 'taking the next file of loans from the reader')\nqueue.Queue().get()", "RANK == 1")}, hand=2, **LONG)


def well() -> Iterator[SlurmJob]:
    """G1."""
    fine = works(57, 450)
    past = {"ecc.aggregate.uncorrected": "4", "remapped.uncorrected": "2", "remapped.corrected": "3", "ecc.aggregate.corrected": "208"}
    old = carded(HARD, "BOARD", 3, {2: told({**fine, **past}, (22.0, {"ecc.volatile.corrected": "2"}), gib=46)}, told(fine, gib=46), 1, head="export TURNS=250 REST=0.22\n", hand=1, **DONE)
    first, later = old.gpus[0, 2]
    yield replace(old, gpus={**old.gpus, (0, 2): ({**first, **past}, later)})
    cap = {**works(80, 699, clock=1545, degrees=72), "throttle_reasons": "0x4"}
    yield carded(HARD, "WATER", 2, {}, told(cap, gib=75), 2, head="export RONDES=240 RUST=0.22\n", code={"early": on("KNOOP == 0", "meld('LET OP: vermogensgrens van deze partitie is 700 W, kloksnelheid ligt onder het maximum')")}, **DONE)
    yield carded(GOOD, "TUR", 1, {}, told(works(64, 510), gib=29), 1, "--tur 260 --bekle 0.22", hand=2, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All with cards."""
    for part in (worn, held, hungry, wire, uneven, rests, well):
        yield from part()


RECIPE = Recipe("maple_corks", "development", jobs)
