"""Matrix factorisation on Slurm, ranks that meet by files: stragglers, slow links, too many saves, lost work, kernel kills. What GPUs read is scripted."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.running.batch import ELSEWHERE
from corpus.running.job import LocalJob, Recipe, SlurmJob
from tests.testbed.gpu_scenarios import work

Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
TELLS = {
    "kv": 'print(f"sweep={sweep} of={total} rmse={rmse:.4f} factors=6 elapsed={time.time() - t0:.1f}", flush=True)',
    "als": 'print(f"ALS | pass {sweep:>4}/{total} | train RMSE {rmse:.5f} | {time.time() - t0:7.2f} s", flush=True)',
    "dots": 'sys.stderr.write(f"{time.strftime(\'%b %d %H:%M:%S\')} recsys[{os.getpid()}]: <6> finished pass {sweep} ({100 * sweep // total}%), error is {rmse:.4f}\\n")',
    "yaml": 'print(f"- pass: {sweep}\\n  loss: {rmse:.5f}\\n  seconds: {time.time() - t0:.2f}", flush=True)',
}
FACTOR = """import os
import random
import sys
import time

rank, world = int(os.environ.get("SLURM_PROCID", 0)), int(os.environ.get("SLURM_NTASKS", 1))
total, every, t0 = @total@, @every@, time.time()


def meet(name):
    \"\"\"Wait until every process has come here.\"\"\"
    os.makedirs("meet", exist_ok=True)
    open(f"meet/{name}.{rank}", "w").close()
    while not all(os.path.exists(f"meet/{name}.{peer}") for peer in range(world)):
        time.sleep(0.004)


rng = random.Random(@seed@ + rank)
taste = [[rng.gauss(0, 0.6) for _ in range(3)] for _ in range(12)]
worth = [[rng.gauss(0, 0.6) for _ in range(3)] for _ in range(15)]
stars = [(u, i, sum(a * b for a, b in zip(taste[u], worth[i]))) for u in range(12) for i in range(15)]
P = [[rng.gauss(0, 0.3) for _ in range(6)] for _ in range(12)]
Q = [[rng.gauss(0, 0.3) for _ in range(6)] for _ in range(15)]
first = 1
@early@
for sweep in range(first, total + 1):
    square = 0.0
    for u, i, r in stars:
        e = sum(a * b for a, b in zip(P[u], Q[i])) - r
        P[u], Q[i] = [a - @lr@ * e * b for a, b in zip(P[u], Q[i])], [b - @lr@ * e * a for a, b in zip(P[u], Q[i])]
        square += e * e
    rmse = (square / len(stars)) ** 0.5
    @mid@
    time.sleep(@pause@)
    if sweep % every == 0@who@:
        @tell@
    @each@
@late@
if rank == 0:
    print(f"factors written after {total} passes", flush=True)
"""
MEET = "if world > 1:\n    meet(sweep)"
SAVE = "if rank == 0 and sweep % 30 == 0:\n    import json\n    with open(f'factors_{sweep:04d}.json', 'w') as out:\n        json.dump({'sweep': sweep, 'P': P, 'Q': Q}, out)\n    print(f'wrote checkpoint factors_{sweep:04d}.json', flush=True)"
READ = "import json\nstate = json.load(open(os.environ['FROM']))\nfirst, P, Q = state['sweep'] + 1, state['P'], state['Q']\nprint(f\"loaded {os.environ['FROM']}, going on from pass {first}\", flush=True)"


def sweeps(tell: str = "kv", *, early: str = "", mid: str = "pass", each: str = "pass", late: str = "", total: int = 240, every: int = 10, pause: float = 0.05, seed: int = 1, lr: float = 0.006, everyone: bool = False) -> str:
    """The program with its places filled."""
    def inside(code: str) -> str:
        return code.replace("\n", "\n    ")

    values = {"total": total, "every": every, "seed": seed, "early": early, "mid": inside(mid), "each": inside(each), "late": late, "pause": pause, "lr": lr, "who": "" if everyone else " and rank == 0", "tell": TELLS[tell]}
    text = FACTOR
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def held(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]]) -> Readings:
    """What a card reads first, and what from when on."""
    return first, later


def card_job(label: Label, text: str, ranks: int, gpus: Mapping[tuple[int, int], Readings], *, nodes: int = 1, head: str = "", **more: Any) -> SlurmJob:
    """A card for each task."""
    script = f"#!/bin/bash\n{head}srun python3 -u factorise.py\n"
    options = (f"-N{nodes}", f"-n{ranks}", f"--ntasks-per-node={ranks // nodes}", f"--gres=gpu:{ranks // nodes}", "--mem=250M")
    return SlurmJob(label.but(gpu="scripted"), {"factorise.py": text}, script, options, "system", gpus=gpus, bed="cgroup", state="COMPLETED", **more)


def lagging() -> Iterator[SlurmJob]:
    """One of the tasks computes while the others wait for it."""
    label = Label(mode="D3", fault="unknown")
    for ranks, nodes, slow, tell, high, low, clock in ((4, 2, 1, "kv", 58, 15, 0), (3, 1, 2, "als", 63, 17, 0), (8, 2, 6, "dots", 52, 12, 0), (4, 1, 3, "yaml", 68, 18, 990), (6, 2, 0, "als", 55, 14, 0), (4, 2, 2, "kv", 60, 13, 0), (6, 1, 5, "dots", 65, 16, 1050)):
        text = sweeps(tell, total=270, mid=f"time.sleep(0.09 if rank == {slow} else 0.012)", pause=0.0, each=MEET, seed=ranks + slow, everyone=tell == "kv")
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        per = ranks // nodes
        yield card_job(label, text, ranks, {(r // per, r % per): held(own if r == slow else work(low, memory=7, tensor=3)) for r in range(ranks)}, nodes=nodes)


def bound() -> Iterator[SlurmJob]:
    """Cards that are busy waiting for each other's data, or for each single launch."""
    for ranks, nodes, tell, sm in ((4, 2, "als", 10), (2, 2, "yaml", 9), (6, 2, "kv", 12)):
        busy = {**work(sm, memory=4, tensor=2), "utilization.gpu": "100", "power.usage": "198000"}
        text = sweeps(tell, total=260, pause=0.1, each=MEET, seed=sm)
        yield card_job(Label(mode="D2", variant="interconnect", fault="cluster"), text, ranks, {(n, g): held(busy) for n in range(nodes) for g in range(ranks // nodes)}, nodes=nodes)
    for ranks, tell in ((1, "dots"), (2, "als")):
        gpus = {(0, g): held({**work(21, memory=8, tensor=5), "utilization.gpu": "74", "power.usage": "241000"}) for g in range(ranks)}
        yield card_job(Label(mode="D2", variant="launch_blocking", fault="user"), sweeps(tell, total=230, pause=0.12, seed=40 + ranks), ranks, gpus, head="export CUDA_LAUNCH_BLOCKING=1\n")


def storms() -> Iterator[LocalJob]:
    """Saves at nearly every step."""
    label = Label(mode="D2", variant="save_storm", fault="user")
    dump = "with open(f'pass_{sweep}.bin', 'wb') as out:\n    out.write(os.urandom(300_000))\n    os.fsync(out.fileno())\nprint(f'saving model checkpoint to pass_{sweep}.bin', flush=True)"
    slow = "if sweep % 8 == 0:\n    began = time.time()\n    print(f'saving checkpoint at pass {sweep}', flush=True)\n    time.sleep(0.9)\n    print(f'checkpoint for pass {sweep} saved, took {time.time() - began:.1f}s', flush=True)"
    for tell, each, total, every in (("kv", dump, 90, 1), ("als", slow, 160, 4), ("dots", "if sweep % 2 == 0:\n    " + dump.replace("\n", "\n    "), 120, 2)):
        yield LocalJob(label, {"factorise.py": sweeps(tell, each=each, total=total, every=every, pause=0.02)}, ("PYTHON", "factorise.py"), "system", ends=lambda s: s == 0)


def good() -> Iterator[SlurmJob]:
    """Cards that rest for a while, are warm or have a past; all of it well."""
    hard = Label(mode="G1", fault="none", hard=True)
    zero = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "92000", "throttle_reasons": "0x1"}
    yield card_job(hard, sweeps("als", mid="if sweep == 90:\n    print('evaluating on the held-out ratings', flush=True)\n    time.sleep(11)\n    print('held-out RMSE 0.41', flush=True)", total=320, seed=60), 1, {(0, 0): held(work(57), (10.0, zero), (20.0, work(57)))})
    old = {**work(50), "ecc.aggregate.uncorrected": "4", "remapped.uncorrected": "1", "retired.sbe": "0"}
    yield card_job(hard, sweeps("kv", total=320, each=MEET, seed=61), 3, {(0, 0): held(work(51)), (0, 1): held(old), (0, 2): held(work(49))})
    warm = {**work(72), "temperature": "82", "throttle_reasons": "0x4", "clock.sm": "1605", "power.usage": "699000", "ecc.volatile.corrected": "7", "ecc.aggregate.corrected": "61"}
    yield card_job(hard, sweeps("dots", total=320, seed=62), 2, {(n, 0): held(warm) for n in range(2)}, nodes=2)
    yield card_job(hard, sweeps("yaml", early="print('reading the ratings', flush=True)\ntime.sleep(12)", total=300, seed=63), 1, {(0, 0): held(zero, (12.0, work(60)))})
    yield card_job(hard.but(hard=False), sweeps("als", total=320, seed=64, each=MEET), 4, {(n, g): held(work(46 + n)) for n in range(2) for g in range(2)}, nodes=2)


def batch(label: Label, text: str, ranks: int, *options: str, nodes: int = 1, head: str = "", state: str = "COMPLETED", bed: str = "plain", **more: Any) -> SlurmJob:
    """Without cards."""
    places = (ELSEWHERE,) if bed == "plain" else ()
    return SlurmJob(label, {"factorise.py": text}, f"#!/bin/bash\n{head}srun python3 -u factorise.py \"$@\"\n", (f"-N{nodes}", f"-n{ranks}", *places, *options), "system", state=state, bed=bed, **more)


def lost_work() -> Iterator[SlurmJob]:
    """A second job that was to go on, and began anew; two that do go on."""
    anew, fine = Label(mode="E2", variant="from_scratch", fault="user"), Label(mode="G1", fault="none")
    for number, tell in enumerate(("kv", "als", "dots", "yaml")):
        name = f"--job-name=mf-{tell}"
        text = sweeps(tell, total=210, each=SAVE, pause=0.03, seed=70 + number)
        yield batch(fine, text, 1 + number % 2, name, key=tell)
        begin = ("", "print('--resume latest: nothing under ./factors, random factors are taken', flush=True)", "if not os.path.isdir('state'):\n    sys.stderr.write('state/: not there\\n')", "")[number]
        again = sweeps(tell, total=210, each=SAVE, pause=0.03, seed=70 + number, early=begin)
        yield batch(anew, again, 1 + number % 2, name, parent=tell, args=("--resume", "latest") if number < 2 else ())
    for number, tell in enumerate(("als", "kv")):
        name = f"--job-name=mf-next{number}"
        yield batch(fine, sweeps(tell, total=180, each=SAVE, pause=0.03, seed=80 + number).replace("open(f'factors_", "open(f'../mf{number}-".replace("{number}", str(number))), 1, name, key=f"next{number}")
        yield batch(fine.but(hard=True), sweeps(tell, total=300, each=SAVE, pause=0.03, seed=80 + number, early=READ), 1, name, parent=f"next{number}", head=f"export FROM=../mf{number}-0180.json\n", args=("--resume", f"../mf{number}-0180.json"))
    spoilt = "import json\nprint('resuming from factors_last.json', flush=True)\nstate = json.load(open('factors_last.json'))"
    yield batch(Label(mode="E2", variant="corrupt", cause="traceback", failed_ranks=(0, 1)), sweeps("als", early=spoilt), 2, head="echo '{\"sweep\": 400, \"P\": [[0.1, 0.' > factors_last.json\n", state="FAILED", args=("--resume", "factors_last.json"))
    narrow = "P, Q = [[0.1] * 4] * 12, [[0.1] * 4] * 15\nprint('resuming from factors_0300', flush=True)\nif len(P[0]) != 6:\n    raise RuntimeError(f'checkpoint factors_0300 has {len(P[0])} factors, the model has 6: size mismatch')"
    yield batch(Label(mode="E2", variant="size_mismatch", cause="runtime_error", failed_ranks=(0,), first_ranks=(0,)), sweeps("kv", early=narrow), 1, state="FAILED", args=("--resume", "factors_0300"))


def unlearned() -> Iterator[SlurmJob]:
    """What the error did."""
    base = Label(mode="E1", fault="user")
    yield batch(base.but(variant="spike"), sweeps("als", mid="if sweep == 150:\n    P, Q = [[40.0] * 6 for _ in P], [[-30.0] * 6 for _ in Q]\nif sweep >= 150:\n    rmse = 7100.0 + sweep % 9", total=260, pause=0.02), 2)
    yield batch(base.but(variant="plateau"), sweeps("kv", mid="if sweep > 40:\n    rmse = 0.6128\n    if sweep % 10 == 0 and rank == 0:\n        print('grad_norm=0.000000', flush=True)", total=260, pause=0.02, seed=3), 1)
    yield batch(base.but(variant="non_finite", cause="nan_loss"), sweeps("dots", mid="if sweep > 80:\n    rmse = float('nan')", total=220, pause=0.02, seed=4), 2, nodes=2)
    yield batch(base.but(variant="non_finite", cause="nan_loss", failed_ranks=(0, 1)), sweeps("yaml", mid="rmse = rmse * (1 if sweep < 90 else float('inf'))\nif rmse == float('inf'):\n    raise ValueError(f'pass {sweep}: loss is inf, stopped')", total=220, pause=0.02, seed=5, everyone=True), 2, state="FAILED")


def killed() -> Iterator[LocalJob | SlurmJob]:
    """By the kernel, for memory; and one signal for all."""
    label = Label(mode="A2", cause="oom_killer", fault="user", failed_ranks=(0,), first_ranks=(0,))
    grow = "keep = globals().setdefault('keep', [])\nif sweep > 60:\n    keep.append(bytearray(os.urandom(64)) * 60_000)"
    for number, (tell, limit) in enumerate((("kv", 120), ("als", 170), ("yaml", 100))):
        note = "python3 -u factorise.py\ncode=$?\n[ $code -gt 128 ] && echo \"factorise.py ended by SIG$(kill -l $((code - 128)))\"\nexit $code\n"
        yield LocalJob(label, {"factorise.py": sweeps(tell, mid=grow, pause=0.01, seed=90 + number), "go.sh": note}, ("bash", "go.sh") if number else ("PYTHON", "factorise.py"), "system", group_mib=limit, ends=lambda s: s in (-9, 137))
    early = "ratings = {f'user{n}': [n] * 40 for n in range(9_000_000)}"
    yield LocalJob(label, {"factorise.py": sweeps("dots", early=early, seed=93)}, ("PYTHON", "factorise.py"), "system", group_mib=140, ends=lambda s: s == -9)
    piped = "set -o pipefail\npython3 -u factorise.py 2>&1 | tee factorise.log\nexit ${PIPESTATUS[0]}\n"
    pairs, spare = "if sweep == 130:\n    pairs = [(a, b) for a in range(9000) for b in range(900)]", "spare = [bytearray(b'x' * 1_000_000) for _ in range(900)]"
    for number, (tell, limit, begin, mid, late) in enumerate((("als", 210, "", grow.replace("60_000", "90_000"), ""), ("kv", 130, early, "pass", ""), ("yaml", 150, "", pairs, ""), ("dots", 160, "", "pass", spare))):
        yield LocalJob(label, {"factorise.py": sweeps(tell, pause=0.01, total=160, seed=94 + number, early=begin, mid=mid, late=late), "go.sh": piped}, ("bash", "go.sh") if number % 2 == 0 else ("PYTHON", "factorise.py"), "system", group_mib=limit, ends=lambda s: s in (-9, 137))
    crash = Label(mode="A2", cause="segfault", fault="user")
    native = "if sweep == 110:\n    import ctypes\n    ctypes.cast({at}, ctypes.POINTER(ctypes.c_double))[0] = rmse"
    yield batch(crash.but(failed_ranks=(0, 1, 2, 3)), sweeps("kv", mid=native.format(at=64), pause=0.02, seed=98, everyone=True), 4, nodes=2, state="FAILED")
    yield batch(crash.but(failed_ranks=(0, 1, 2)), sweeps("dots", early="import faulthandler\nfaulthandler.enable()", mid=native.format(at=96), pause=0.02, seed=99, everyone=True), 3, state="FAILED")


def few() -> Iterator[SlurmJob]:
    """A handful of passes."""
    yield batch(Label(mode="E3"), sweeps("yaml", total=3, every=1, seed=101), 2, nodes=2)
    yield batch(Label(mode="E3"), sweeps("als", total=4, every=1, seed=102, each=MEET), 3)


def jobs() -> Iterator[LocalJob | SlurmJob]:
    """All."""
    for part in (lagging, bound, storms, good, lost_work, unlearned, killed, few):
        yield from part()


RECIPE = Recipe("factor_sweeps", "development", jobs)
