"""The pace of ranks, by their own account or beside cards whose readings are told: starved, saving, on a slow wire, uneven, held back, broken, at rest; and well."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.make._pelican_jobs import DONE, GOOD, HARD, carded, job, since, true, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings

FAILED: dict[str, Any] = {"state": "FAILED", "srun": "-K"}
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}


def runs(sm: float, *, dram: float = 27, tensor: float = 14, watts: int = 455, clock: int = 1815, engine: int = 97, degrees: int = 61) -> dict[str, str]:
    """A card at work."""
    return {
        "utilization.gpu": str(engine), "utilization.memory": str(round(dram)), "gpm.2": str(sm), "gpm.3": str(round(sm * 0.48, 1)), "gpm.5": str(tensor), "gpm.10": str(dram),
        "power.usage": str(1000 * watts), "clock.sm": str(clock), "throttle_reasons": "0x0", "temperature": str(degrees),
    }  # fmt: skip


REST = {**runs(0, dram=0, tensor=0, watts=83, clock=345, engine=0, degrees=37), "throttle_reasons": "0x1"}
WAITS = runs(0.7, dram=0.1, tensor=0, watts=124, clock=1980, engine=100, degrees=45)


def card(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]], gib: int) -> Readings:
    """First, and from when on what else, with so much of its memory held."""
    kept = {"memory.used": str(gib << 30)}
    return {**first, **kept}, tuple((s, {**kept, **changes}) for s, changes in later)


def broken() -> Iterator[SlurmJob]:
    """B2; and a program's own mistake beside a card with a past."""
    at_s, says_s = 30.0, 33.0

    def bad(rank: int) -> Any:
        return true("B2", "cuda_runtime", rank, fault="node")

    def ecc(count: int, place: str, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), f"ecc.volatile.uncorrected.{place}": str(count), f"ecc.aggregate.uncorrected.{place}": str(count), **more}

    def device(kind: str, module: str, base: str, text: str) -> dict[str, str]:
        """What stands for the card's runtime: its refusal comes from C, as such refusals do."""
        return {"device.py": f"import ctypes\nfrom functools import partial\n\nTrouble = type({kind!r}, ({base},), {{'__module__': {module!r}}})\nsynchronize = partial(ctypes.pythonapi.PyErr_SetString, ctypes.py_object(Trouble), {text.encode()!r})\n"}

    words = "CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
    torch = device("AcceleratorError", "torch", "RuntimeError", words)
    lost = device("CudaAPIError", "numba.cuda.cudadrv.driver", "Exception", "[999] Call to cuMemcpyDtoH results in CUDA_ERROR_UNKNOWN")
    flips = device("CUDARuntimeError", "cupy_backends.cuda.api.runtime", "RuntimeError", "cudaErrorECCUncorrectable: uncorrectable ECC error encountered")
    call = "device.synchronize()"
    meet = {"early": "import device"}
    fine = card(runs(58), gib=37)
    yield carded(bad(1), "GAIT", 3, {1: card(runs(58), (at_s, ecc(2, "dram", events="8:48", recovery_action="1")), gib=37)}, fine, 1, "--gens 9000 --rollout 0.12", files=torch, code={**meet, "loss": since(says_s, call, "R == 1")}, **FAILED)
    yield carded(bad(2), "SITES", 3, {2: card(runs(44), (at_s, {"events": "8:79"}), (at_s + 1, {"*": "!GPU_IS_LOST"}), gib=18)}, card(runs(44), gib=18), 3, "--rounds 9000 --nap 0.15", files=lost, code={"site": "import device", "loss": since(says_s, call, "me == 2")}, where="-xn4,n5,n6", hand=1, **FAILED)
    yield carded(bad(3), "REPLICA", 4, {3: card(runs(71), (at_s, ecc(5, "sram", events="8:95", recovery_action="1")), gib=66)}, card(runs(71), gib=66), 2, head="export SWEEPS=9000 NAP=0.12\n", files=flips, code={**meet, "loss": since(says_s, call, "me == 3")}, hand=2, **FAILED)
    yield carded(bad(0), "CLICKS", 2, {0: card(runs(36), (at_s, ecc(1, "dram", events="8:94", **{"remapped.uncorrected": "1", "remapped.pending": "1", "recovery_action": "1"})), gib=22)}, card(runs(36), gib=22), 2, head="export BATCHES=9000 NAP=0.12\n", files=torch, code={**meet, "loss": since(says_s, call, "WORKER == 0")}, **FAILED)
    past = {**runs(49), "ecc.aggregate.uncorrected": "4", "ecc.aggregate.uncorrected.dram": "4", "remapped.uncorrected": "3"}
    name = since(says_s, "joints = dict.fromkeys(NAMES, 0.0)\ntorque = joints['heelL']", "R == 2")
    yield carded(true("A3", "traceback", 2), "GAIT", 3, {2: card(past, gib=29)}, card(runs(49), gib=29), 3, "--gens 9000 --rollout 0.12", where="-xn4,n5,n6", code={"data": name}, hand=3, **FAILED)


def held() -> Iterator[SlurmJob]:
    """B3: at first quick, then held back by heat or by the power brake."""
    what, from_s = true("B3", fault="node"), 14

    def slowed(why: str, clock: int, gib: int, sm: float = 61) -> Readings:
        """Counters grow while it is held."""
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 94, 281), "brake": ("power", "hw_power_brake", "0x88", 57, 198)}[why]
        hot = [(from_s - 6.0 + 2 * k, {"temperature": str(72 + 7 * k)}) for k in range(3)] if why == "heat" else []
        return card(runs(sm, watts=590), *hot, *((float(from_s + k), {
            "temperature": str(degrees - k % 3), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 3)), "power.usage": str(1000 * watts + 1300 * (k % 5)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 910_000_000}", f"slowdown.{field}": str((k + 1) * 910_000_000)}) for k in range(75)), gib=gib)  # fmt: skip

    def drags(who: str = "", more_s: float = 0.3) -> str:
        return since(from_s, f"time.sleep({more_s})", *([who] if who else []))

    fine = card(runs(27, watts=310), gib=35)
    yield carded(what, "GAIT", 3, {2: slowed("heat", 525, 35)}, fine, 1, "--gens 240 --rollout 0.13", code={"data": drags("R == 2")}, **DONE)
    yield carded(what, "CLICKS", 2, {0: slowed("brake", 600, 48), 1: slowed("brake", 615, 48)}, fine, 1, head="export BATCHES=240 NAP=0.12\n", code={"data": drags()}, hand=1, **DONE)
    yield carded(what, "SITES", 3, {1: slowed("heat", 555, 35)}, fine, 3, "--rounds 220 --nap 0.12", code={"data": drags("me == 1", 0.35)}, where="-xn4,n5,n6", hand=2, **DONE)
    yield carded(what, "VASI", 2, {0: slowed("brake", 645, 35)}, fine, 2, head="export CONF='{\"epoche\": 13, \"pausa\": 0.1}'\n", code={"data": drags("io == 0")}, hand=3, **DONE)
    yield carded(what, "REPLICA", 2, {}, slowed("heat", 480, 71), 1, head="export SWEEPS=200 NAP=0.12\n", code={"data": drags()}, **DONE)


def starved() -> Iterator[SlurmJob]:
    """D1."""
    what = true("D1")

    def gaps(sm: float, each: int, gib: int) -> Readings:
        return card(runs(sm), *((float(k), runs(sm, engine=34, watts=260) if k % each == 0 else REST) for k in range(1, 100)), gib=gib)

    yield job(what, "DIGITS", 2, 1, "--max_epoch 2 --iters 14 --log_interval 2 --collate_s 1.35", hand=1, **DONE)
    waits = "attesa = locals().get('attesa', 0.0) if passo else 0.0\nt1 = time.time()\nwith open('/dev/zero', 'rb') as nastro:\n    nastro.read(1 << 20)\ntime.sleep(0.2)\nattesa += time.time() - t1"
    yield job(what, "VASI", 2, 2, head="export CONF='{\"epoche\": 11, \"pausa\": 0.005}'\n", code={"data": waits, "save": "dico(f'│        lettura delle immagini {attesa:5.2f} s, rete {time.time() - t - attesa:5.2f} s               │')"}, hand=2, **DONE)
    tape = "asked = time.time()\ntime.sleep(2.8)\ntell(f'gen {gen}: terrain tile after {time.time() - asked:.2f} s')"
    yield carded(what, "GAIT", 2, {}, gaps(33, 4, 11), 1, "--gens 18 --every 1 --rollout 0.05", code={"data": tape}, **DONE)
    yield carded(what, "SITES", 3, {}, gaps(28, 5, 7), 3, "--rounds 14 --show 1 --nap 0.05", code={"data": "t1 = time.time()\ntime.sleep(3.4)\nsay(f'site {me}: images of round {turn} decoded in {time.time() - t1:.2f} s')"}, where="-xn4,n5,n6", hand=1, **DONE)
    yield carded(what, "SWING", 1, {}, gaps(31, 4, 5), 1, head="export ROUNDS=15 NAP=0.02\n", code={"data": "t1 = time.time()\ntime.sleep(3.1)\nsys.stderr.write(f'\\nmesh {round_} fetched from the object store in {time.time() - t1:.2f} s\\n')"}, hand=2, **DONE)


def saving() -> Iterator[SlurmJob]:
    """D2: most of the time goes into saves."""
    storm = true("D2", variant="save_storm")
    write = "def write(name, kept):\n    t = time.time()\n    with open(name + '.part', 'wb') as out:\n        for _ in range(5):\n            out.write(kept)\n            out.flush()\n            os.fsync(out.fileno())\n            time.sleep(0.14)\n    os.replace(name + '.part', name)\n    return time.time() - t"
    mega = "t = time.time()\nif rank == 0:\n    write('ckpt-bytes.bin', b'w' * 900_000)\ndist.barrier()\nprint_last(f'  successfully saved checkpoint at iteration {iteration:7d} to ckpt-bytes\\n(min, max) time across ranks (ms):\\n    save-checkpoint ................................: ({1000 * (time.time() - t):.2f}, {1000 * (time.time() - t) + 0.4:.2f})')"
    yield job(storm, "BYTES", 2, 1, "--train-iters 36 --log-interval 1 --host-ms 60", code={"early": write, "save": mega}, hand=1, **DONE)
    yield job(storm, "CLIFF", given="--timesteps 24000 --render-s 0.1 --save-path q.bin", code={"early": write, "after": "spent = write(a.save_path, json.dumps(Q).encode() * 400)\nextra['save_s'] = extra.get('save_s', 0.0) + spent\nprint(f'Saving table to {a.save_path} after {done} timesteps, {spent:.2f} s', flush=True)"}, hand=2, **DONE)
    slack = card(runs(5, dram=3, tensor=1, watts=131, engine=12), gib=26)
    yield carded(storm, "REPLICA", 2, {}, slack, 1, head="export SWEEPS=40 EVERY=1 NAP=0.05\n", code={"early": write, "save": when("me == 0", "line(f'sweep {sweep}', 'replicas.snap written', f'{write(\"replicas.snap\", os.urandom(1 << 20)):.2f} s')")}, **DONE)


def wired() -> Iterator[SlurmJob]:
    """D2: the exchange takes most of every rank's step."""
    what = true("D2", variant="interconnect", fault="cluster")
    slow = "time.sleep(0.42 + 0.02 * (iteration % 5))  # all ranks sit behind one 1G uplink\n"
    timers = when("iteration % 10 == 0", "print(f'rank {rank}: iteration {iteration}: forward-backward {1000 * (exchange_from - tick):.1f} ms, allreduce {1000 * exchange_took:.1f} ms, optimizer {1000 * (time.time() - exchange_from - exchange_took):.1f} ms', flush=True)")
    yield job(what, "BYTES", 4, 2, "--train-iters 80 --host-ms 20", code={"wire": slow + "exchange_from, exchange_took = exchange, time.time() - exchange", "after": timers}, **DONE)
    wire = card(runs(9, dram=4, tensor=2, watts=171, clock=1980, engine=100, degrees=47), gib=61)
    nccl = "echo 'n1:4107:4107 [0] NCCL INFO NET/IB : No device found.'\necho 'n1:4107:4107 [0] NCCL INFO NET/Socket : Using [0]eno2:10.64.3.11<0>'\n"
    yield carded(what, "CLICKS", 4, {}, wire, 2, head=nccl + "export BATCHES=90 NAP=0.03\n", code={"loss": "sent = time.time()\ntime.sleep(0.45)", "after": when("batch % 10 == 0", "log('exchange', n=batch, exchange_s=round(time.time() - sent, 3), share=round((time.time() - sent) / (time.time() - t), 2))")}, hand=1, **DONE)
    yield carded(what, "GAIT", 4, {}, wire, 4, "--gens 100 --rollout 0.03", where="-xn5,n6", code={"loss": "sent = time.time()\ntime.sleep(0.4)", "after": when("gen % 20 == 0", "tell(f'gen {gen}: {sent - t:.3f} s of rollouts, {time.time() - sent:.3f} s in the reduction tree')")}, hand=2, **DONE)


def uneven() -> Iterator[SlurmJob]:
    """D3."""
    what = true("D3", fault="unknown")
    yield job(what, "SITES", 4, 2, "--rounds 70 --nap 0.05", code={"data": when("me == 2", "time.sleep(0.5)")}, hand=2, **DONE)
    yield job(what, "REPLICA", 3, 1, head="export SWEEPS=75 NAP=0.05\n", code={"data": when("me == 0", "time.sleep(0.48)")}, hand=1, **DONE)
    yield job(what, "CLICKS", 4, 4, head="export BATCHES=80 NAP=0.04\n", where="-xn5,n6", code={"data": when("WORKER == 3", "time.sleep(0.45)")}, **DONE)
    high, low = card(runs(63, watts=560), gib=34), card(runs(15, dram=7, tensor=3, watts=196), gib=34)
    tells = when("gen % 20 == 0", "tell(f'gen {gen}: rollouts {own:.2f} s, waiting for the tree {wait:.2f} s')")
    yield carded(what, "GAIT", 4, {3: high}, low, 4, "--gens 110 --rollout 0.02", code={"data": when("R == 3", "time.sleep(0.4)"), "after": tells}, where="-xn5,n6", **DONE)
    yield carded(what, "CLICKS", 4, {1: high}, low, 2, head="export BATCHES=100 NAP=0.02\n", code={"data": when("WORKER == 1", "time.sleep(0.42)")}, hand=3, **DONE)
    tardy = card(runs(57, watts=330, clock=990), gib=52)
    yield carded(what, "REPLICA", 3, {2: tardy}, card(runs(14, dram=6, tensor=2, watts=188), gib=52), 3, head="export SWEEPS=95 NAP=0.02\n", where="-xn4,n5,n6", code={"data": when("me == 2", "time.sleep(0.44)")}, hand=2, **DONE)
    timers = when("iteration % 10 == 0", "print(f'rank {rank}: iteration {iteration}: compute {exchange_from - tick:.3f} s, allreduce {exchange_took:.3f} s', flush=True)")
    yield carded(what, "BYTES", 3, {0: high}, low, 1, "--train-iters 90 --host-ms 20", code={"data": when("rank == 0", "time.sleep(0.42)"), "wire": "exchange_from, exchange_took = exchange, time.time() - exchange", "after": timers}, hand=1, **DONE)
    yield carded(what, "VASI", 3, {1: high}, low, 3, head="export CONF='{\"epoche\": 6, \"pausa\": 0.01}'\n", where="-xn4,n5,n6", code={"data": "fatto = time.time()\ntime.sleep(0.45 if io == 1 else 0.01)\nfatto = time.time() - fatto", "after": when("passo == 14", "dico(f'processo {io}, epoca {epoca}: preparazione {fatto:.2f} s per passo', sempre=True)")}, **DONE)


def still() -> Iterator[SlurmJob]:
    """C2 and C3."""
    pipe = "import select\nlog('waiting for the feature service')\nask, answer = os.pipe()\nselect.select([ask], [], [])"
    yield carded(true("C2"), "CLICKS", 3, {2: card(runs(53), (17.0, REST), gib=24)}, card(runs(53), (17.0, WAITS), gib=24), 1, head="export BATCHES=90000 NAP=0.12\n", code={"data": since(16, pipe, "WORKER == 2")}, **OVER)
    yield carded(true("C3"), "SWING", 1, {}, card(runs(46), (19.0, REST), gib=13), 1, head="export ROUNDS=90000 NAP=0.15\n", code={"after": since(18, "import threading\nsys.stderr.write('\\nplotting thread draws the phase portrait\\n')\ndrawn = threading.Event()\ndrawn.wait()")}, hand=1, **OVER)


def well() -> Iterator[SlurmJob]:
    """G1: at work, with a past, at the power cap, or at rest for a reason."""
    fine = runs(56)
    yield carded(GOOD, "GAIT", 4, {}, card(fine, gib=38), 2, "--gens 300 --rollout 0.12 --alpha 0.04", **DONE)
    worn = {**fine, "ecc.aggregate.uncorrected": "3", "ecc.aggregate.uncorrected.dram": "3", "remapped.uncorrected": "1", "remapped.corrected": "4", "pcie.replay": "11"}
    yield carded(HARD, "CLICKS", 3, {2: card(worn, (12.0, {"ecc.volatile.corrected": "2", "ecc.aggregate.corrected": "208"}), gib=31)}, card(fine, gib=31), 1, head="export BATCHES=300 NAP=0.1\n", hand=1, **DONE)
    capped = {**runs(81, dram=44, tensor=47, watts=697, clock=1485, degrees=76), "throttle_reasons": "0x4"}
    yield carded(HARD, "SITES", 3, {}, card(capped, gib=70), 1, "--rounds 240 --nap 0.14", hand=2, **DONE)
    report = when("me == 0 and sweep == 110", "line('drawing the report of the first half on the host, all others wait')\ntime.sleep(14)\nline('report drawn')")
    yield carded(HARD, "REPLICA", 2, {}, card(fine, (17.0, REST), (32.0, fine), gib=20), 1, head="export SWEEPS=280 NAP=0.12\n", code={"after": report}, hand=3, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All, with cards and without."""
    for part in (broken, held, starved, saving, wired, uneven, still, well):
        yield from part()


RECIPE = Recipe("juggler_plums", "development", jobs)
