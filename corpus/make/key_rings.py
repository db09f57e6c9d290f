"""Batch jobs of one task on the bed: beside a card whose readings are told beforehand (fed too slowly, held back, broken, at rest, at work), and moved about by the queue."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.make._latch_signals import STAMPS
from corpus.make._latch_vision import SHARPER
from corpus.make._peg_graphs import BEADS
from corpus.make._peg_science import CART, ROD
from corpus.make._wedge_text import LETTERS, NUMEROS
from corpus.running.batch import ELSEWHERE
from corpus.running.crewed import CLOCK, cards, task
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill
from tests.testbed.gpu_scenarios import work

Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
NAMES = {LETTERS: "jam_lm.py", SHARPER: "sharper.py", STAMPS: "find_stamps.py", ROD: "heat_rod.py", CART: "cart_pg.py", BEADS: "beads.py", NUMEROS: "numeros.py"}
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "71400", "throttle_reasons": "0x1", "clock.sm": "345"}
START_S = 14.0
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
ALONE: dict[str, Any] = {"failed_ranks": (0,), "first_ranks": (0,)}


def since(at_s: float, code: str, also: str = "") -> str:
    """Code that is run from a second of the training on."""
    return f"if {CLOCK} > {START_S + at_s}{' and ' + also if also else ''}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def gauge(gib: int, first: Mapping[str, str], *later: tuple[float, Mapping[str, str]]) -> Readings:
    """At rest until the training begins; then this, and from when on what else; so much is held."""
    held = {"memory.used": str(gib << 30)}
    return {**REST, "memory.used": str(600 << 20)}, ((START_S - 1, {**first, **held}), *((START_S + at_s, {**held, **changes}) for at_s, changes in later))


def card(label: Label, program: str, given: str, gpu: Readings, *, head: str = "", files: Mapping[str, str] | None = None, python: str = "torch", options: tuple[str, ...] = (), **more: Any) -> SlurmJob:
    """One task beside a card; it begins at a set time, so that what it does and what its card is read to do agree."""
    codes = {k: more.pop(k) for k in ("early", "batch", "points", "loss", "step", "valid", "epoch", "update", "saved", "grads") if k in more}
    codes["early"] = f"time.sleep(max(0.0, {START_S} - ({CLOCK})))  # cards come up late\n" + codes.get("early", "")
    name = NAMES[program]
    return cards(label, fill(program, **codes), 1, {(0, 0): gpu}, name=name, command=f"PYTHON -u {name} {given}".rstrip(), python=python, head=head, files=files, options=options, where=ELSEWHERE, **more)


def job(label: Label, program: str, given: str, codes: Mapping[str, str] | None = None, **more: Any) -> SlurmJob:
    """One task without a card."""
    name = NAMES[program]
    return task(label, fill(program, **(codes or {})), name=name, command=f"PYTHON -u {name} {given}".rstrip(), python="torch", **more)


def bursts(gib: int, busy: float, each: int, *, of: int = 1) -> Readings:
    """So many of every so many seconds at work."""
    return gauge(gib, REST, *((0.4 + k, work(busy) if k % each < of else REST) for k in range(75)))


def rod_in(**said: Any) -> dict[str, str]:
    """Parameters."""
    return {"rod.in": "".join(f"{k} = {v}\n" for k, v in said.items())}


def fed_slowly() -> Iterator[SlurmJob]:
    """D1."""
    what = Label(mode="D1", fault="user")
    yield card(what, LETTERS, "--max-iters 64 --tell 4 --hold-out 32 --snap 0 --warm 5", bursts(19, 31, 4), batch="time.sleep(0.65)  # pages are unzipped one by one", **DONE)
    shard = "if current % 12 == 1:\n    print('|  (next shard is fetched)                |', flush=True)\n    time.sleep(6.5)"
    yield card(what, SHARPER, "--steps 84 --print-freq 4 --val-freq 42 --save-freq 84", bursts(27, 38, 6), batch=shard, **DONE)
    timed = "td = time.perf_counter()\ntime.sleep(0.46)\nif it % 5 == 0:\n    say(event='loader', wait=f'{time.perf_counter() - td:.3f}', workers=0)"
    yield card(what, STAMPS, "--iters=90 --report=5 --ckpt=90", bursts(11, 24, 5), batch=timed, **DONE)
    yield card(what, ROD, "rod.in", bursts(6, 22, 7, of=2), points="time.sleep(0.62)  # the mesh server gives 256 points at a time", files=rod_in(adam=68, every=4, ckpt_every=68), **DONE)
    yield card(what, BEADS, "--frames 640 --max_num_epochs 4 --save_interval 4", bursts(34, 29, 5), batch="time.sleep(0.55)  # neighbour lists", **DONE)
    siesta = "time.sleep(1.2 if n % 96 == 0 else 0.25)"
    yield card(what, NUMEROS, "n.ini", bursts(14, 26, 4), batch=siesta, files={"n.ini": "[DEFAULT]\nepocas = 4\nejemplos = 640\nguardar_cada = 4\n"}, **DONE)


def held_back() -> Iterator[SlurmJob]:
    """B3: well for a while, then its clock is held down."""
    what, hot = Label(mode="B3", fault="node"), 12

    def heat(gib: int, degrees: int, clock: int) -> Readings:
        return gauge(gib, work(57), *((float(hot + k), {
            "temperature": str(degrees + k % 2), "throttle_reasons": "0x60", "clock.sm": str(clock + 15 * (k % 2)), "power.usage": str(251_000 + 1100 * (k % 3)),
            "violation.thermal": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 955_000_000}", "slowdown.hw_thermal": str((k + 1) * 955_000_000)}) for k in range(60)))  # fmt: skip

    def brake(gib: int, clock: int) -> Readings:
        return gauge(gib, work(61), *((float(hot + k), {
            "temperature": "58", "throttle_reasons": "0x80", "clock.sm": str(clock + 15 * (k % 2)), "power.usage": str(198_000 + 900 * (k % 4)),
            "violation.power": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 960_000_000}", "slowdown.hw_power_brake": str((k + 1) * 960_000_000)}) for k in range(60)))  # fmt: skip

    late = since(hot, "time.sleep(0.13)")
    yield card(what, LETTERS, "--max-iters 460 --tell 20 --nap 0.05", heat(41, 92, 630), step=late, **DONE)
    yield card(what, ROD, "rod.in", brake(22, 465), step=late, files=rod_in(adam=430, every=20, nap=0.05), **DONE)
    yield card(what, SHARPER, "--steps 420 --print-freq 20 --nap 0.05", heat(52, 94, 540), step=since(hot, "time.sleep(0.16)"), **DONE)
    yield card(what, STAMPS, "--iters=480 --report=20 --ckpt=240", brake(17, 510), step=f"time.sleep(0.05)\n{late}", **DONE)
    yield card(what, CART, "-u 130 --wait 0.15", heat(9, 91, 705), update=since(hot, "time.sleep(0.35)"), **DONE)


def broken() -> Iterator[SlurmJob]:
    """B2: the card's error and the program's end come together."""
    what, at_s, says_s = Label(mode="B2", cause="cuda_runtime", fault="node", **ALONE), 12.0, 14.5

    def errors(count: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count), **more}

    lost = ((at_s, {"events": "8:79"}), (at_s + 1, {"*": "!GPU_IS_LOST"}))
    accel = "raise torch.AcceleratorError('CUDA error: {}\\nSearch for `{}\\' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.')"
    yield card(what, LETTERS, "--max-iters 90000 --nap 0.05 --tell 20", gauge(47, work(55), (at_s, errors(1, events="8:48"))), step=since(says_s, accel.format("uncorrectable ECC error encountered", "cudaErrorECCUncorrectable")), **FAILED)
    yield card(what, ROD, "rod.in", gauge(19, work(50), *lost), step=since(says_s, "raise RuntimeError('CUDA error: unspecified launch failure')"), files=rod_in(adam=90000, every=20, nap=0.05), **FAILED)
    yield card(what, SHARPER, "--steps 90000 --nap 0.05 --print-freq 15", gauge(58, work(59), (at_s, errors(3, events="8:95"))), step=since(says_s, accel.format("an unrecoverable uncorrected error was met (uncorrectable ECC error encountered)", "cudaErrorECCUncorrectable")), **FAILED)
    yield card(what, BEADS, "--max_num_epochs 90000 --save_interval 100", gauge(31, work(48), *lost), epoch=f"time.sleep(0.3)\n{since(says_s, accel.format('unknown error', 'cudaErrorUnknown'))}", **FAILED)
    more = "say('err', event='cuda', it=it)\n" + accel.format("uncorrectable ECC error encountered", "cudaErrorECCUncorrectable")
    yield card(what, STAMPS, "--iters=90000 --report=20", gauge(25, work(53), (at_s, errors(2, events="8:94"))), step=f"time.sleep(0.05)\n{since(says_s, more)}", **FAILED)


def at_rest() -> Iterator[SlurmJob]:
    """C3, and D2."""
    late: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=6",)}
    held = gauge(38, work(56), (11.0, REST))
    cond = "import threading\ntell('waiting for the exporter')\nc = threading.Condition()\nwith c:\n    c.wait()"
    yield card(Label(mode="C3", fault="user"), LETTERS, "--max-iters 90000 --nap 0.05", held, step=since(11, cond), after="waiting for the exporter", **late)
    child = "import subprocess\nprint('# plotting', flush=True)\nsubprocess.run(['cat', '-'], stdin=os.fdopen(os.pipe()[0]))"
    yield card(Label(mode="C3", fault="user"), ROD, "rod.in", held, step=since(11, child), files=rod_in(adam=90000, every=20, nap=0.05), after="# plotting", **late)
    slow = gauge(33, {**work(13, memory=4, tensor=2), "utilization.gpu": "66", "power.usage": "193000"})
    yield card(Label(mode="D2", variant="launch_blocking", fault="user"), SHARPER, "--steps 300 --print-freq 20 --nap 0.1", slow, head="export CUDA_LAUNCH_BLOCKING=1  # found an illegal access last week\n", **DONE)
    idle = gauge(16, {**work(5, memory=2, tensor=1), "utilization.gpu": "12", "power.usage": "109000"})
    keep = "t1 = time.time()\nwith open(f'{args.dir}/all.pt', 'wb') as f:\n    torch.save({'model': model.state_dict(), 'ids': ids, 'pad': os.urandom(4_000_000)}, f)\n    os.fsync(f.fileno())\ntime.sleep(0.45)  # the share is far\ntell(f'all.pt at {it}: {time.time() - t1:.2f} s')"
    yield card(Label(mode="D2", variant="save_storm", fault="user"), LETTERS, "--max-iters 60 --tell 5 --snap 30", idle, step=keep, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    good = Label(mode="G1", fault="none")
    hard = good.but(hard=True)
    yield card(good, LETTERS, "--max-iters 500 --nap 0.05 --dim 40", gauge(61, work(58)), **DONE)
    yield card(hard, ROD, "rod.in", gauge(28, work(51), (13.5, REST), (29.0, work(51))), saved="if it == 240:\n    print('# exact series on the host, the card is idle for a while', flush=True)\n    time.sleep(14)", files=rod_in(adam=480, every=24, ckpt_every=240, nap=0.05), **DONE)
    worn = gauge(44, {**work(54), "ecc.aggregate.uncorrected": "5", "remapped.uncorrected": "3", "remapped.corrected": "1"}, (9.0, {"ecc.volatile.corrected": "11", "pcie.replay": "3"}))
    warn = "if it == 200:\n    say('warn', event='health', text='node check: row remapping FAILED on a neighbour card, drain planned for monday')"
    yield card(hard, STAMPS, "--iters=600 --report=30", worn, step=f"time.sleep(0.04)\n{warn}", **DONE)
    capped = gauge(70, {**work(69), "temperature": "83", "throttle_reasons": "0x4", "clock.sm": "1605", "power.usage": "698300"})
    yield card(hard, SHARPER, "--steps 400 --print-freq 20 --nap 0.06 --lr 5e-4", capped, **DONE)
    small = gauge(1, {**work(7, memory=2, tensor=1), "utilization.gpu": "19", "power.usage": "121000"})
    yield card(hard, CART, "-u 75 --wait 0.3", small, **DONE)


TRY = "export TRY=${SLURM_RESTART_COUNT:-0}\n"
NEWEST = f"{TRY}if [ $TRY -gt 0 ]; then MORE=\"--from-snap $(ls jam/*.snap | tail -1)\"; fi\n"
BACK = f"{TRY}if [ $TRY -gt 0 ]; then MORE=--restart_latest; fi\n"
SLOWLY = {"epoch": "time.sleep(0.5)"}
YES, NO = ("--requeue",), ("--no-requeue",)


def queue() -> Iterator[SlurmJob]:
    """F1, F2, F3, F4."""
    gone = Label(mode="F1", fault="node")
    long = "--max-iters 90000 --nap 0.15 --tell 10 --lr 1e-3"
    yield job(gone.but(**ALONE), LETTERS, long, where="-wn6", act="lose_node", after="000040/", options=NO, state="NODE_FAIL")
    yield job(gone, CART, "-u 90000 --wait 0.5", where="-wn5", act="slurmd_dies", after=r"update   15 \|", options=NO, state="NODE_FAIL")
    yield job(gone, BEADS, "--max_num_epochs 90000", SLOWLY, where="-wn4", act="node_down", after="Epoch 14:", options=NO, state="NODE_FAIL")
    yield job(gone, STAMPS, "--iters=90000 --report=10", {"step": "time.sleep(0.15)"}, where="-wn4", act="node_down", after="it=60 of", options=NO, state="NODE_FAIL")
    moved = Label(mode="F2", variant="preempted_recovered", fault="none")
    yield job(moved, LETTERS, "--max-iters 420 --nap 0.1 --snap 60 $MORE", head=NEWEST, where="-wn3", act="preempt", after="snapshot jam/000120", options=YES, **DONE)
    yield job(moved.but(variant="preempted"), ROD, "rod.in", files=rod_in(adam=90000, every=10, nap=0.15), where="-wn3", act="preempt_for_good", after="     70 ", options=NO, state="PREEMPTED")
    yield job(moved.but(variant="requeued_recovered"), BEADS, "--max_num_epochs 46 --save_interval 6 $MORE", SLOWLY, head=BACK, act="requeue_by_owner", after="checkpoint beads_epoch-0011", options=YES, **DONE)
    yield job(moved.but(variant="requeued_recovered"), LETTERS, "--max-iters 360 --nap 0.08 --snap 80 --dim 24 $MORE", head=NEWEST, act="requeue", after="snapshot jam/000160", options=YES, **DONE)
    own = f"{TRY}[ $TRY -gt 0 ] && MORE='--restore agent.pt' || (until [ -s agent.pt ]; do sleep 1; done; sleep 3; echo 'wall time is near, going back into the queue'; scontrol requeue $SLURM_JOB_ID) &\n[ $TRY -gt 0 ] && MORE='--restore agent.pt'\n"
    yield job(moved.but(variant="requeued_recovered"), CART, "-u 90 --wait 0.4 $MORE", head=own, act="requeues_itself", after="stored agent.pt", options=YES, **DONE)
    late = Label(mode="F3", variant="advancing", fault="user")
    yield job(late, SHARPER, "--steps 90000 --nap 0.2 --print-freq 10 --lr 3e-4", state="TIMEOUT")
    note = "import signal\nsignal.signal(signal.SIGUSR2, lambda *a: say('warn', event='signal', text='25 s are left'))"
    yield job(late, STAMPS, "--iters=90000 --report=10 --lr=0.001", {"early": note, "step": "time.sleep(0.12)"}, options=("--time=2", "--signal=USR2@25"), state="TIMEOUT")
    yield job(Label(mode="F4", variant="by_owner", fault="none"), CART, "-u 90000 --wait 0.4 --lr 0.004", act="scancel", after=r"update   24 \|", state="CANCELLED")
    yield job(Label(mode="F4", variant="by_other", fault="unknown"), ROD, "rod.in", files=rod_in(adam=90000, every=10, nap=0.12, alpha=0.15), act="scancel_by_admin", after="    110 ", state="CANCELLED")
    yield job(Label(mode="F4", variant="by_owner", fault="none"), BEADS, "--max_num_epochs 90000 --beads 10", SLOWLY, act="scancel_all_of_name", after="Epoch 19:", options=("--job-name=beads10",), state="CANCELLED")


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (fed_slowly, held_back, broken, at_rest, well, queue):
        yield from part()


RECIPE = Recipe("key_rings", "development", jobs)
