"""On Slurm, batch jobs of one task beside a card whose readings are told beforehand: idle, starved, saving, hot, broken, and well."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._mill_loops import CHARS, FIELD
from corpus.make._pebble_walks import FERRY, PEBBLES
from corpus.running.crewed import CLOCK, cards
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill
from tests.testbed.gpu_scenarios import work

pebbles, ferry, field, chars = partial(fill, PEBBLES), partial(fill, FERRY), partial(fill, FIELD), partial(fill, CHARS)
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "74000", "throttle_reasons": "0x1"}
HELD = {"memory.used": str(27 << 30)}
DONE: dict[str, Any] = {"state": "COMPLETED"}
P, F, N, C = "pebbles.py", "ferry.py", "run_field.py", "chars.py"


def beside(label: Label, text: str, name: str, given: str, gpu: Readings, *, python: str = "system", **more: Any) -> SlurmJob:
    """One task beside one card."""
    return cards(label, text, 1, {(0, 0): gpu}, name=name, command=f"PYTHON -u {name} {given}".rstrip(), python=python, **more)


def still() -> Iterator[SlurmJob]:
    """C3: steps for a minute, then nothing more until the limit, or until its owner has seen enough."""
    label = Label(mode="C3", fault="user")
    over: dict[str, Any] = {"options": ("--time=3",), "state": "TIMEOUT"}
    held: Readings = ({**work(44), **HELD}, ((60.0, {**REST, **HELD}),))
    yield beside(label, pebbles(mid=f"if {CLOCK} > 58:\n    import threading\n    lock = threading.Lock()\n    lock.acquire(); lock.acquire()"), P, "--steps 90000 --wait 0.1", held, **over)
    yield beside(label, ferry(saved=f"if {CLOCK} > 50:\n    import subprocess\n    say('msg=\"copying state to the archive\"')\n    subprocess.run(['tail', '-f', '/dev/null'])"), F, "--epochs 9000 --sleep 0.02", held, **over)
    yield beside(label, pebbles(save="import fcntl\nhold = [open('quota.lock', 'a') for _ in range(1 + (step > 400))]\nfor one in hold:\n    fcntl.flock(one, fcntl.LOCK_EX)"), P, "--steps 90000 --wait 0.1 --save 100", held, **over)
    yield beside(label, ferry(mid=f"if {CLOCK} > 57:\n    import queue\n    queue.Queue(maxsize=4).get()  # the loader's"), F, "--epochs 9000 --sleep 0.03", held, **over)
    born: Readings = ({**REST, "memory.used": str(3 << 30)}, ())
    yield beside(label, pebbles(data="print('[setup] waiting for the tokenizer service on a fifo', flush=True)\nos.mkfifo('tok.fifo')\nopen('tok.fifo').readline()"), P, "--steps 4000", born, options=("--time=2",), state="TIMEOUT")


def hungry() -> Iterator[SlurmJob]:
    """D1: the card waits for what feeds it."""
    label = Label(mode="D1", fault="user")

    def gaps(busy: float, every: int, shift: int = 0) -> Readings:
        return ({**work(6)}, tuple((1.0 + k, work(busy) if (k + shift) % every == 0 else REST) for k in range(260)))

    yield beside(label, pebbles(mid="time.sleep(2.1)  # read one tar member over NFS"), P, "--steps 50 --show 1", gaps(31, 4), **DONE)
    yield beside(label, ferry(mid="if b % 10 == 0:\n    say('msg=\"shard fetched\" wait_s=4.2')\n    time.sleep(4.2)"), F, "--epochs 13 --batches 20", gaps(24, 5), **DONE)
    yield beside(label, field(mid="time.sleep(0.9)  # decode 24 MP on one core"), N, "N_iters=120 i_print=10", gaps(19, 3), python="torch", **DONE)
    yield beside(label, pebbles(mid="began = clock()\nwhile clock() - began < 0.25:\n    pass\ntime.sleep(1.4)", after="if step % 10 == 0:\n    print(f'[timing] data 1.64 s, compute 0.01 s a step', flush=True)"), P, "--steps 65 --show 5", gaps(27, 4, 1), **DONE)
    yield beside(label, ferry(mid="time.sleep(0.35)  # num_workers=0"), F, "--epochs 18 --batches 18", gaps(16, 3, 1), **DONE)
    yield beside(label, chars(mid="time.sleep(1.2)"), C, "--max_iters=90 --eval_interval=45", gaps(22, 4, 2), python="torch", **DONE)


def bound() -> Iterator[SlurmJob]:
    """D2: a flag that makes each launch wait; a save at every step."""
    flat: Readings = ({**work(12, memory=4, tensor=2), "utilization.gpu": "58", "power.usage": "188000"}, ())
    yield beside(Label(mode="D2", variant="launch_blocking", fault="user"), pebbles(), P, "--steps 700 --wait 0.15", flat, head="export CUDA_LAUNCH_BLOCKING=1\n", **DONE)
    yield beside(Label(mode="D2", variant="launch_blocking", fault="user"), ferry(), F, "--epochs 45 --sleep 0.1", flat, head="# left from last week\nexport CUDA_LAUNCH_BLOCKING=1 TORCH_SHOW_CPP_STACKTRACES=1\n", **DONE)
    idle: Readings = ({**work(5, memory=2, tensor=1), "utilization.gpu": "9", "power.usage": "109000"}, ())
    slow = "with open('full.bin', 'wb') as f:\n    f.write(os.urandom(3_000_000)); os.fsync(f.fileno())\ntime.sleep(0.7)"
    storm = Label(mode="D2", variant="save_storm", fault="user")
    yield beside(storm, pebbles(save=slow), P, "--steps 110 --save 1 --show 5", idle, **DONE)
    yield beside(storm, field(saved="time.sleep(0.8)"), N, "N_iters=110 i_weights=1 i_print=10 i_testset=110", idle, python="torch", **DONE)


def ill() -> Iterator[SlurmJob]:
    """B3 and B2: the card is too hot, is braked, or has an error no code corrects."""
    late = f"time.sleep(0.05 if {CLOCK} < 75 else 0.17)"

    def hot(kind: str, clock: int) -> Readings:
        policy, field, mask, degrees = {"heat": ("thermal", "hw_thermal", "0x60", 93), "brake": ("power", "hw_power_brake", "0x80", 58)}[kind]
        return ({**work(61)}, tuple((75.0 + k, {"temperature": str(degrees), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 2)), f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 940_000_000}", f"slowdown.{field}": str((k + 1) * 940_000_000)}) for k in range(160)))

    yield beside(Label(mode="B3", fault="node"), pebbles(after=late), P, "--steps 1700 --show 20", hot("heat", 570), **DONE)
    yield beside(Label(mode="B3", fault="node"), ferry(mid=late), F, "--epochs 80", hot("brake", 435), **DONE)
    yield beside(Label(mode="B3", fault="node"), pebbles(after=late), P, "--steps 1500 --show 10 --save 300", hot("heat", 690), **DONE)
    ecc = {"ecc.volatile.uncorrected": "1", "ecc.aggregate.uncorrected": "1", "ecc.volatile.uncorrected.dram": "1"}
    yield beside(Label(mode="B2", cause="cuda_runtime", fault="node", failed_ranks=(0,), first_ranks=(0,)), pebbles(mid=f"if {CLOCK} > 81:\n    raise RuntimeError('CUDA error: uncorrectable ECC error encountered\\nCUDA kernel errors might be asynchronously reported at some other API call')"), P, "--steps 90000 --wait 0.05", ({**work(50)}, ((80.0, ecc),)), state="FAILED")


def well() -> Iterator[SlurmJob]:
    """Good runs, three of them with something odd about the card."""
    good = Label(mode="G1", fault="none")
    yield beside(good, ferry(), F, "--epochs 70 --sleep 0.05", (work(57), ()), **DONE)
    past = {**work(53), "ecc.aggregate.uncorrected": "4", "remapped.uncorrected": "2", "temperature": "82"}
    yield beside(good.but(hard=True), pebbles(early="print('[warn] dcgm: GPU 0 had 4 uncorrectable errors since 2025-03 (rows remapped)', flush=True)"), P, "--steps 900 --wait 0.08", (past, ((20.0, {"ecc.volatile.corrected": "3", "pcie.replay": "2"}),)), **DONE)
    pauses: Readings = ({**work(52), **HELD}, ((45.0, {**REST, **HELD}), (65.0, {**work(52), **HELD}), (100.0, {**REST, **HELD})))
    calm = f"if {CLOCK} > 42 and 'paused' not in globals():\n    paused = True\n    say('msg=\"scoring 400 past days on the host\" takes=20s')\n    time.sleep(20)"
    yield beside(good.but(hard=True), ferry(epoch=calm, late="say('msg=\"writing the report\"')\ntime.sleep(12)"), F, "--epochs 75 --sleep 0.05", pauses, **DONE)
    capped: Readings = ({**work(66), "throttle_reasons": "0x4", "clock.sm": "1485", "temperature": "63", "power.usage": "698000"}, ())
    yield beside(good.but(hard=True), pebbles(late="print('[note] nvidia-smi -q -d PERFORMANCE: SW Power Cap: Active', flush=True)"), P, "--steps 800 --wait 0.08 --show 25", capped, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (still, hungry, bound, ill, well):
        yield from part()


RECIPE = Recipe("slate_quarry", "development", jobs)
