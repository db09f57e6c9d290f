"""On Slurm: batch jobs of one task from many desks: cut off, called off, standing, starved, saving, begun anew, shot, or failing."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._desk_arrays import JAXLM
from corpus.make._desk_loops import METERS, NAMES, SEG
from corpus.make._desk_more import GAN, KWS, KWS_INI, PREP, TOWER
from corpus.make._desk_players import EPISODES
from corpus.running.crewed import CLOCK, cards, task
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill
from tests.testbed.gpu_scenarios import work

names, seg, leaves, gan, tower, kws, prep, ball, lm = (partial(fill, text) for text in (NAMES, SEG, METERS, GAN, TOWER, KWS, PREP, EPISODES, JAXLM))
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
IDLE = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "79000", "throttle_reasons": "0x1"}
HEAD = "#SBATCH --mail-type=NONE\necho \"host $(hostname -s)  job $SLURM_JOB_ID\"\n"
LONG = "--max-steps 90000 --sleep 0.12"
PAUSE = "time.sleep(0.12)"
INI = {"kws.ini": KWS_INI.replace("epochs = 5", "epochs = 900")}
DONE, OVER, FAILED = {"state": "COMPLETED"}, {"state": "TIMEOUT"}, {"state": "FAILED"}
USER = Label(mode="A1", fault="user", failed_ranks=(0,), first_ranks=(0,))


def job(label: Label, text: str, name: str, given: str = "", **more: Any) -> SlurmJob:
    """One task."""
    more["python"] = more.get("python", "torch")
    more["head"] = HEAD + more.get("head", "")
    return task(label, text, name=name, command=f"PYTHON -u {name} {given}", **more)


def card(label: Label, text: str, name: str, given: str, gpu: Readings, **more: Any) -> SlurmJob:
    """One task beside a card whose readings are told beforehand."""
    more["python"] = more.get("python", "torch")
    return cards(label, text, 1, {(0, 0): gpu}, name=name, command=f"PYTHON -u {name} {given}", **more)


def cfg(**more: object) -> dict[str, str]:
    """The towers' settings."""
    return {"cfg.json": json.dumps(more)}


def cut_off() -> Iterator[SlurmJob]:
    """F3, F4."""
    late, own, other = Label(mode="F3", variant="advancing", fault="user"), Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    yield job(late, names(), "train_names.py", LONG, **OVER)
    yield job(late, kws(after=PAUSE), "kws.py", files=INI, **OVER)
    yield job(late, lm(after=PAUSE), "train_mlp.py", "--num_steps=90000", python="torch-29", **OVER)
    yield job(late, ball(after="time.sleep(0.1)"), "reinforce.py", "90000", **OVER)
    yield job(late, prep(after="time.sleep(0.5)"), "prep_shards.py", "--make --files 260", **OVER)
    yield job(own, tower(), "two_tower.py", "cfg.json", files=cfg(steps=90000, pause=0.08, report=20), act="scancel", after='"step": 100', state="CANCELLED")
    yield job(own, seg(epoch="time.sleep(0.8)"), "segment.py", "epochs=900", act="scancel_step", after="ep 006", state="FAILED")
    yield job(other, gan(early="niter = 900", after="time.sleep(0.05)"), "ring_gan.py", act="scancel_by_admin", after=r"\[2/900\]", state="CANCELLED")
    yield job(own, prep(), "prep_shards.py", "--make --files 900", act="scancel", after=r"\[60/900\]", state="CANCELLED")


def standing() -> Iterator[SlurmJob]:
    """C3."""
    label = Label(mode="C3", fault="user")
    kept = {"memory.used": str(19 << 30)}
    gpu: Readings = ({**work(47), **kept}, ((40.0, {**IDLE, **kept}),))
    long: dict[str, Any] = {"options": ("--time=2",), **OVER}
    lock = f"if {CLOCK} > 38:\n    import fcntl\n    print('waiting for the lock on ' + args.out_dir, flush=True)\n    first, second = open('l', 'w'), open('l', 'w')\n    fcntl.flock(first, fcntl.LOCK_EX)\n    fcntl.flock(second, fcntl.LOCK_EX)"
    yield card(label, names(mid=lock), "train_names.py", LONG, gpu, **long)
    yield card(label, tower(mid=f"if {CLOCK} > 38:\n    import subprocess\n    subprocess.run(['cat'], stdin=os.fdopen(os.pipe()[0]))"), "two_tower.py", "cfg.json", gpu, files=cfg(steps=90000, pause=0.08, report=20), **long)
    yield card(label, kws(after=PAUSE, mid=f"if {CLOCK} > 38:\n    import threading\n    log.info('flushing the prefetch queue')\n    t = threading.Thread(target=threading.Event().wait)\n    t.start()\n    t.join()"), "kws.py", "", gpu, files=INI, **long)
    yield card(label, ball(after=f"time.sleep(0.1)\nif {CLOCK} > 38:\n    import select\n    print('waiting for the simulator', flush=True)\n    select.poll().poll()"), "reinforce.py", "90000", gpu, act="scancel_late", after="waiting for the sim", state="CANCELLED")
    yield card(label, gan(early="niter = 900", after=f"time.sleep(0.05)\nif {CLOCK} > 38:\n    import multiprocessing as mp\n    mp.get_context('fork').Queue().get()"), "ring_gan.py", "", gpu, **long)


def waiting() -> Iterator[SlurmJob]:
    """D2: for saves. D1: for a slow loader. G1: at work, or at rest for a good reason."""
    storm, slow, good = Label(mode="D2", variant="save_storm", fault="user"), Label(mode="D1", fault="user"), Label(mode="G1", fault="none")
    dull: Readings = ({**work(5, memory=2, tensor=1), "utilization.gpu": "11", "power.usage": "118000"}, ())
    write = "with open('state.bin', 'wb') as out:\n    out.write(os.urandom(1 << 20) * 12)\n    os.fsync(out.fileno())\ntime.sleep(0.6)\n"
    yield card(storm, tower(after=f"{write}emit('info', 'snapshot', path='state.bin', step=step, mib=12)"), "two_tower.py", "cfg.json", dull, files=cfg(steps=60, report=5), **DONE)
    yield card(storm, names(after=f"if step % 2 == 0:\n{''.join('    ' + r + chr(10) for r in write.splitlines())}    print(f'saving checkpoint to {{args.out_dir}}/state-{{step}}.bin', flush=True)"), "train_names.py", "--max-steps 110", dull, **DONE)
    yield card(storm, seg(after=f"{write}print(f'  wrote state.bin after batch {{at // cfg.batch}} of epoch {{epoch}} (checkpoint)', flush=True)"), "segment.py", "epochs=6", dull, **DONE)

    def gaps(busy: float, every: int) -> Readings:
        return ({**work(7)}, tuple((1.0 + k, work(busy) if k % every == 0 else IDLE) for k in range(150)))

    yield card(slow, leaves(item="time.sleep(0.09)  # read from the archive"), "main.py", "-n 320 --epochs 1 -p 2", gaps(28, 3), python="torch-211", **DONE)
    yield card(good, names(), "train_names.py", "--max-steps 400 --sleep 0.05", (work(56), ()), **DONE)
    kept = {"memory.used": str(11 << 30)}
    rest = "if step == 150:\n    emit('info', 'evaluation', users=cfg['users'])\n    time.sleep(11)"
    yield card(good.but(hard=True), tower(after=rest), "two_tower.py", "cfg.json", ({**work(52), **kept}, ((14.0, {**IDLE, **kept}), (25.0, work(52)))), files=cfg(steps=300, pause=0.05), **DONE)


def failing() -> Iterator[SlurmJob]:
    """A1, A2, A3, E2, E3 and good runs, without a card."""
    good = Label(mode="G1", fault="none")
    yield job(USER.but(cause="missing_module", variant="env"), names(early="import sentencepiece as spm"), "train_names.py", head="echo 'module load: cannot find cuda/12.4, using the default'\n", **FAILED)
    died = USER.but(mode="A3", variant=None)
    yield job(died.but(cause="file_not_found"), seg(epoch="if epoch == 4:\n    os.replace(f'{cfg.out}/best.pt', f'{cfg.out}/keep.pt')"), "segment.py", **FAILED)
    shot = USER.but(mode="A2", variant=None, fault="unknown")
    yield job(shot, names(early="open('pid-1', 'w').write(str(os.getpid()))"), "train_names.py", LONG, act="kill_rank", after="iter 120:", **FAILED)
    hoard = "keep = globals().setdefault('keep', [])\nkeep.append(torch.ones(3 << 20))"
    yield job(shot.but(cause="oom_killer", fault="user"), names(after=hoard), "train_names.py", "--max-steps 9000", options=("--mem=700M",), bed="cgroup", where="", state="")
    yield job(good, names(), "train_names.py", "--max-steps 200", options=("--job-name=towns",), key="towns", **DONE)
    yield job(Label(mode="E2", variant="from_scratch", fault="user"), names(), "train_names.py", "--max-steps 300 --out-dir out-2", options=("--job-name=towns",), parent="towns", **DONE)
    yield job(Label(mode="E2", variant="from_scratch", fault="user"), tower(), "two_tower.py", "cfg.json", files=cfg(steps=400, pause=0.04), act="requeue", after='"step": 160', options=("--requeue",), **DONE)
    yield job(Label(mode="E3", fault="user"), gan(early="niter = 1\nbatchSize = 512"), "ring_gan.py", **DONE)
    again = "srun PYTHON -u segment.py epochs=2 lr=abc || echo 'first try failed, using the defaults'\n"
    yield job(good.but(hard=True), seg(), "segment.py", head=again, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (cut_off, standing, waiting, failing):
        yield from part()


RECIPE = Recipe("shared_queue", "development", jobs)
