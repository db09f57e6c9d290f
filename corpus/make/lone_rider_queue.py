"""On Slurm: batch jobs of one task whose node goes, who are sent back, cut off or called off, killed by their group's limit, begun anew; and beside cards whose readings are told beforehand."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._abacus import ABACUS
from corpus.make._guild_crafts import NMT
from corpus.make._guild_halls import EVENTS, HOOKS, HOOKS_CFG
from corpus.make._ink_and_paper import DIFF
from corpus.make._night_desks import BIRDS
from corpus.make._night_games import MOLS
from corpus.running.crewed import CLOCK, cards, task
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill
from tests.testbed.gpu_scenarios import work

birds, mols, diff = partial(fill, BIRDS), partial(fill, MOLS), partial(fill, DIFF)
events, hooks, nmt = partial(fill, EVENTS), partial(fill, HOOKS), partial(fill, NMT)
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "79000", "throttle_reasons": "0x1"}
TRY = "export TRY=${SLURM_RESTART_COUNT:-0}\n"
YES, NO = ("--requeue",), ("--no-requeue",)
N, H, B, E = "nmt_train.py", "train_keypoints.py", "birds.py", "ranker.py"
KP = "--config-file kp.py"
DONE: dict[str, Any] = {"state": "COMPLETED"}
SLEEP = "time.sleep(0.05)"
LONG = "--passes 9000 --nap 0.7"


def kp(**more: object) -> dict[str, str]:
    """The configuration of the keypoint trainer."""
    return {"kp.py": HOOKS_CFG + "".join(f"{k} = {v!r}\n" for k, v in more.items())}


def ranks(**more: object) -> dict[str, str]:
    """That of the ranker."""
    return {"c.json": json.dumps(more)}


def job(label: Label, text: str, name: str, given: str = "", **more: Any) -> SlurmJob:
    """One task."""
    return task(label, text, name=name, command=f"PYTHON -u {name} {given}".rstrip(), python="torch-29", **more)


def card(label: Label, text: str, name: str, given: str, gpu: Readings, **more: Any) -> SlurmJob:
    """The same beside a card."""
    return cards(label, text, 1, {(0, 0): gpu}, name=name, command=f"PYTHON -u {name} {given}".rstrip(), python="torch-29", **more)


def plain(label: Label, given: str, early: str = "", **more: Any) -> SlurmJob:
    """One task in nothing but Python."""
    return task(label, fill(ABACUS, early=early), name="letters2lang.py", command=f"PYTHON -u letters2lang.py {given}", python="system", **more)


def sent_away() -> Iterator[SlurmJob]:
    """F1, F2, F3, F4; E2 where nothing is read of what was saved."""
    gone = Label(mode="F1", fault="node")
    yield plain(gone.but(failed_ranks=(0,), first_ranks=(0,)), LONG, where="-wn6", act="lose_node", after="pass 25/", options=NO, state="NODE_FAIL")
    yield plain(gone, f"{LONG} --rate 0.1", where="-wn4", act="node_down", after="pass 40/", options=NO, state="NODE_FAIL")
    again = f"{TRY}if [ $TRY -gt 0 ]; then MORE=--continue; fi\n"
    yield plain(Label(mode="F2", variant="preempted_recovered", fault="none"), "--passes 160 --nap 0.5 $MORE", head=again, where="-wn3", act="preempt", after="state of pass 60 written", options=YES, **DONE)
    yield plain(Label(mode="F2", variant="requeued_recovered", fault="none"), "--passes 120 --nap 0.4 --dir runs/de-it-pl $MORE", head=again, act="requeue_by_owner", after="state of pass 70 written", options=YES, **DONE)
    anew = Label(mode="E2", variant="from_scratch", fault="user")
    yield plain(anew, "--passes 110 --nap 0.4", act="requeue", after="state of pass 80 written", options=YES, **DONE)
    yield plain(anew, "--passes 90 --nap 0.5 --rate 0.6 --save-each 15", act="requeue_by_owner", after="state of pass 60 written", options=YES, **DONE)
    late = Label(mode="F3", variant="advancing", fault="user")
    yield plain(late, LONG, options=("--time=1",), state="TIMEOUT")
    usr = "import signal\nsignal.signal(signal.SIGUSR1, lambda *a: logging.warning('signal 10: the allocation ends soon, state is written every %d passes', o.save_each))"
    yield plain(late, f"{LONG} --save-each 25", usr, options=("--time=2", "--signal=USR1@25"), state="TIMEOUT")
    yield plain(Label(mode="F4", variant="by_owner", fault="none"), f"{LONG} --dir a", act="scancel", after="pass 55/", state="CANCELLED")
    yield plain(Label(mode="F4", variant="by_other", fault="unknown"), f"{LONG} --dir b", act="scancel_by_admin", after="pass 35/", state="CANCELLED")


def eaten() -> Iterator[SlurmJob]:
    """A2: the kernel kills on its group's limit."""
    label = Label(mode="A2", cause="oom_killer", fault="user", failed_ranks=(0,), first_ranks=(0,))
    room: dict[str, Any] = {"options": ("--mem=900M",), "bed": "cgroup", "where": "", "state": "OUT_OF_MEMORY"}
    yield job(label, birds(after="cache = globals().setdefault('cache', [])\ncache.append(torch.ones(1 << 21) * i)\ntime.sleep(0.02)"), B, "-e 40", **room)
    yield job(label, events(data="table = []\nfor part in range(400):\n    emit('reading', part=part, of=400)\n    table.append(torch.rand(1 << 22))\n    time.sleep(0.05)"), E, "", **room)


def beside() -> Iterator[SlurmJob]:
    """C3, D1, D2, B2, B3, and well, beside a card."""
    stuck = Label(mode="C3", fault="user")
    kept = {"memory.used": str(33 << 30)}
    held: Readings = ({**work(47), **kept}, ((78.0, {**REST, **kept}),))
    over: dict[str, Any] = {"options": ("--time=3",), "state": "TIMEOUT"}
    yield card(stuck, nmt(mid=f"if {CLOCK} > 76:\n    import multiprocessing as mp\n    mp.get_context('spawn').SimpleQueue().get()", after=SLEEP), N, "-train_steps 90000", held, **over)
    yield card(stuck, mols(mid=f"if {CLOCK} > 76:\n    L.info('sampling 64 molecules for the board')\n    import subprocess\n    subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE).stdout.read(1)", after=SLEEP), "molvae.py", "", held, head="export HP='iters=90000 save_every=0'\n", **over)
    yield card(stuck, birds(mid=f"if {CLOCK} > 76:\n    print('  syncing runs ...', flush=True)\n    import select\n    select.select([], [], [])", after=SLEEP), B, "-e 9000", held, act="scancel_late", after="syncing runs", state="CANCELLED", options=("--time=6",))
    slow = Label(mode="D1", fault="user")

    def gaps(busy: float, every: int) -> Readings:
        return ({**work(7)}, tuple((1.0 + k, work(busy) if k % every == 0 else REST) for k in range(240)))

    yield card(slow, hooks(data="time.sleep(1.6)  # jpeg decode, numpy resize"), H, KP, gaps(27, 4), files=kp(MAX_ITER=50, PRINT=5, CHECKPOINT_PERIOD=0), **DONE)
    yield card(slow, diff(mid="if step % 4 == 0:\n    time.sleep(5.0)  # next shard from the tape robot"), "train_ddpm.py", "--num_epochs 3", gaps(33, 5), **DONE)
    yield card(slow, birds(item="time.sleep(0.12)"), B, "-e 2 --calls 300", gaps(22, 3), **DONE)
    flat: Readings = ({**work(14, memory=5, tensor=2), "utilization.gpu": "63", "power.usage": "204000"}, ())
    yield card(Label(mode="D2", variant="launch_blocking", fault="user"), nmt(after="time.sleep(0.12)"), N, "-train_steps 400", flat, head="export CUDA_LAUNCH_BLOCKING=1  # for the stack trace\n", **DONE)
    idle: Readings = ({**work(5, memory=2, tensor=1), "utilization.gpu": "11", "power.usage": "118000"}, ())
    each = "began = time.time()\nwith open('full.pt', 'wb') as f:\n    f.write(os.urandom(7_000_000)); os.fsync(f.fileno())\ntime.sleep(0.6)\nemit('checkpoint', step=step, path='full.pt', seconds=round(time.time() - began, 2))"
    yield card(Label(mode="D2", variant="save_storm", fault="user"), events(after=each), E, "c.json", idle, files=ranks(steps=70, ckpt_every=0, report_every=5), **DONE)
    late = f"time.sleep(0.05 if {CLOCK} < 80 else 0.16)"

    def hot(kind: str, clock: int) -> Readings:
        policy, field, mask, degrees = {"heat": ("thermal", "hw_thermal", "0x60", 92), "brake": ("power", "hw_power_brake", "0x80", 61)}[kind]
        return ({**work(58)}, tuple((80.0 + k, {"temperature": str(degrees), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 2)), f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 950_000_000}", f"slowdown.{field}": str((k + 1) * 950_000_000)}) for k in range(150)))

    yield card(Label(mode="B3", fault="node"), nmt(after=late), N, "-train_steps 1000", hot("heat", 615), **DONE)
    yield card(Label(mode="B3", fault="node"), mols(after=late), "molvae.py", "", hot("brake", 480), head="export HP='iters=1000 save_every=0'\n", **DONE)
    ecc = {"ecc.volatile.uncorrected": "2", "ecc.aggregate.uncorrected": "2", "ecc.volatile.uncorrected.dram": "2"}
    yield card(Label(mode="B2", cause="cuda_runtime", fault="node", failed_ranks=(0,), first_ranks=(0,)), events(mid=f"if {CLOCK} > 86:\n    raise RuntimeError('CUDA error: uncorrectable ECC error encountered')"), E, "c.json", ({**work(52)}, ((85.0, ecc),)), files=ranks(steps=90000, pause=0.05), state="FAILED")
    good = Label(mode="G1", fault="none")
    yield card(good, nmt(after=SLEEP), N, "-train_steps 700", (work(55), ()), **DONE)
    past = {**work(49), "ecc.aggregate.uncorrected": "6", "remapped.uncorrected": "3", "remapped.corrected": "2", "temperature": "84"}
    yield card(good.but(hard=True), hooks(mid="if it == 90:\n    say.warning('nvidia-smi: 1 GPU with pending row remap on this node (not ours)')"), H, KP, (past, ((12.0, {"ecc.volatile.corrected": "9", "pcie.replay": "3"}),)), files=kp(MAX_ITER=500, PAUSE=0.05), **DONE)
    rest: Readings = ({**work(51), **kept}, ((75.0, {**REST, **kept}), (93.0, {**work(51), **kept})))
    calm = f"if 'rested' not in globals() and {CLOCK} > 74:\n    rested = True\n    print('  validation on the full archive (18 s, CPU only)', flush=True)\n    time.sleep(18)"
    yield card(good.but(hard=True), birds(epoch=calm, after=SLEEP), B, "-e 110", rest, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (sent_away, eaten, beside):
        yield from part()


RECIPE = Recipe("lone_rider_queue", "development", jobs)
