"""On Slurm: batch jobs of one task that are cut off, called off, sent back, preempted, left by their node, killed, begun anew or left standing, with and without cards that are read."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._solo_hub import CLASSIFY, HF, NO_TRAINER
from corpus.make._solo_others import FAIRSEQ, MEGATRON, MM_CONFIG, MMENGINE
from corpus.make._solo_torch import DENOISE, FORECAST, FORECAST_YAML, GLYPHS
from corpus.running.crewed import CLOCK, cards, task
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill
from tests.testbed.gpu_scenarios import work

meg, fs, mm = partial(fill, MEGATRON), partial(fill, FAIRSEQ), partial(fill, MMENGINE)
fore, glyphs, den, cls, ft = partial(fill, FORECAST), partial(fill, GLYPHS), partial(fill, DENOISE), partial(fill, CLASSIFY), partial(fill, NO_TRAINER)
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "84000", "throttle_reasons": "0x1"}
HEAD = "export HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false\n"
YAML = {"config.yaml": FORECAST_YAML}
LONG = "--train-iters 90000 --iter-sleep 0.1"
AGAIN = "export TRY=${SLURM_RESTART_COUNT:-0}\n"
RESUME = f"{AGAIN}if [ $TRY -gt 0 ]; then LOAD='--load ckpts'; else rm -rf ckpts; fi\nexport LOAD\n"
YES = ("--requeue",)


def job(label: Label, text: str, name: str, given: str = "", **more: Any) -> SlurmJob:
    """One task of the environment."""
    more["head"] = HEAD + more.get("head", "")
    return task(label, text, name=name, command=f"PYTHON -u {name} {given}", python="torch-29", **more)


def card(label: Label, text: str, name: str, given: str, gpu: Readings, **more: Any) -> SlurmJob:
    """The same beside a card whose readings are told beforehand."""
    return cards(label, text, 1, {(0, 0): gpu}, name=name, command=f"PYTHON -u {name} {given}", python="torch-29", **more)


def lost() -> Iterator[SlurmJob]:
    """F1: its node goes, or is given up."""
    label = Label(mode="F1", fault="node")
    common: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
    yield job(label.but(failed_ranks=(0,), first_ranks=(0,)), meg(), "pretrain_gpt.py", LONG, where="-wn6", act="lose_node", after="iteration       30/", **common)
    yield job(label, fs(mid="time.sleep(0.08)"), "fs_train.py", "'{\"max_epoch\": 900}'", where="-wn5", act="slurmd_dies", after='"num_updates": "30"', **common)
    yield job(label, mm(), "tools_train.py", "c.py", files={"c.py": MM_CONFIG + "max_epochs = 900\npause = 0.1\n"}, where="-wn4", act="node_down", after=r"\[1\]\[30/50\]", **common)


def again() -> Iterator[SlurmJob]:
    """F2: preempted or requeued, and what comes of it; E2 where nothing is read of what was saved."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    urgent, over = twice.but(variant="preempted_recovered"), twice.but(variant="preempted")
    run = "$LOAD --train-iters 260 --iter-sleep 0.06 --save-interval 40"
    yield job(urgent, meg(), "pretrain_gpt.py", run, head=RESUME, where="-wn3", act="preempt", after="saved checkpoint from iteration      80", options=YES, state="COMPLETED")
    yield job(over, ft(), "finetune.py", "--max_train_steps 90000", where="-wn3", act="preempt_for_good", after="step 60: train_loss", options=("--no-requeue",), state="PREEMPTED")
    yield job(twice, meg(), "pretrain_gpt.py", run, head=RESUME, act="requeue_by_owner", after="saved checkpoint from iteration      80", options=YES, state="COMPLETED")
    own = AGAIN + "[ $TRY -gt 0 ] || (until [ -s keep.pt ]; do sleep 1; done; sleep 4; echo 'slice is used up, requeue'; scontrol requeue $SLURM_JOB_ID) &\n"
    back = "if int(os.environ['TRY']):\n    print(f\"Resumed from epoch {(had := torch.load('keep.pt'))['epoch']}\", flush=True)\n    model.load_state_dict(had['model'])"
    text = den(ready=back, mid="time.sleep(0.05)", epoch="torch.save({'model': model.state_dict(), 'epoch': epoch + 1}, 'keep.pt')\nprint('saved keep.pt', flush=True)")
    yield job(twice, text, "denoise.py", head=own, act="requeues_itself", after="saved keep.pt", options=YES, state="COMPLETED")
    anew = Label(mode="E2", variant="from_scratch", fault="user")
    yield job(anew, meg(), "pretrain_gpt.py", "--train-iters 200 --iter-sleep 0.06 --save-interval 40", act="requeue", after="saved checkpoint from iteration     120", options=YES, state="COMPLETED")
    yield job(anew, fs(mid="time.sleep(0.03)"), "fs_train.py", act="requeue_by_owner", after="Saved checkpoint checkpoints/checkpoint2.pt", options=YES, state="COMPLETED")
    half = f"{RESUME}if [ $TRY -gt 0 ]; then truncate -s 6000 ckpts/iter_*.pt; fi\n"
    bad = Label(mode="E2", variant="corrupt", cause="traceback", fault="user", failed_ranks=(0,), first_ranks=(0,))
    yield job(bad, meg(), "pretrain_gpt.py", run, head=half, act="requeue", after="saved checkpoint from iteration      80", options=YES, state="FAILED")


def cut_off() -> Iterator[SlurmJob]:
    """F3 and F4: the time is over, or somebody calls it off."""
    late, own, other = Label(mode="F3", variant="advancing", fault="user"), Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    yield job(late, meg(), "pretrain_gpt.py", LONG, state="TIMEOUT")
    yield job(late, cls(), "run_cls.py", " ".join(HF) + " --max_steps=90000 --disable_tqdm=True", state="TIMEOUT")
    yield job(late, fore(early="import signal\nsignal.signal(signal.SIGUSR1, lambda *a: logger.warning('SIGUSR1: 20 s of wall time left'))"), "forecast.py", "optim.steps=90000 pause=0.1", files=YAML, options=("--time=2", "--signal=USR1@20"), state="TIMEOUT")
    yield job(own, mm(), "tools_train.py", "c.py", files={"c.py": MM_CONFIG + "max_epochs = 900\n"}, act="scancel", after=r"\[3\]\[20/50\]", state="CANCELLED")
    yield job(own, glyphs(after="time.sleep(0.03)"), "glyphs.py", "--epochs 900", act="scancel_step", after="Epoch 4 done", state="FAILED")
    yield job(other, fs(mid="time.sleep(0.05)"), "fs_train.py", "'{\"max_epoch\": 900}'", act="scancel_by_admin", after='"num_updates": "70"', state="CANCELLED")


def killed() -> Iterator[SlurmJob]:
    """A2: by somebody, or by the kernel on its group."""
    label = Label(mode="A2", fault="unknown", failed_ranks=(0,), first_ranks=(0,))
    pid = "open('pid-1', 'w').write(str(os.getpid()))"
    yield job(label, meg(early=pid), "pretrain_gpt.py", LONG, act="kill_rank", after="iteration       60/", state="FAILED")
    yield job(label, glyphs(early=pid, item="time.sleep(0.001)"), "glyphs.py", "--epochs 900", act="kill_rank", after="Epoch 3 done", state="FAILED")
    memory = label.but(cause="oom_killer", fault="user")
    hoard = "hoard = globals().setdefault('hoard', [])\nhoard.append(torch.ones(2, 1 << 20))"
    for text, name, given in ((meg(after=hoard), "pretrain_gpt.py", LONG), (den(mid=hoard + "\ntime.sleep(0.02)"), "denoise.py", "")):
        yield job(memory, text, name, given, options=("--mem=900M",), bed="cgroup", where="")


def standing() -> Iterator[SlurmJob]:
    """C3: one process on one card waits for what does not come."""
    label = Label(mode="C3", fault="user")
    kept = {"memory.used": str(27 << 30)}
    gpu: Readings = ({**work(51), **kept}, ((38.0, {**REST, **kept}),))
    later: dict[str, Any] = {"options": ("--time=2",), "state": "TIMEOUT"}
    yield card(label, meg(mid=f"if {CLOCK} > 36:\n    import threading\n    guard = threading.Lock()\n    guard.acquire()\n    guard.acquire()"), "pretrain_gpt.py", "--train-iters 9000 --iter-sleep 0.05", gpu, **later)
    yield card(label, fs(mid=f"if {CLOCK} > 36:\n    import socket\n    served = socket.create_server(('127.0.0.1', 0))\n    logger.info('waiting for the feature store')\n    served.accept()"), "fs_train.py", "'{\"max_epoch\": 900}'", gpu, **later)
    yield card(label, glyphs(mid=f"if {CLOCK} > 36:\n    import multiprocessing as mp\n    logger.info('prefetching with 1 helper')\n    mp.get_context('fork').Pool(1).apply(os._exit, (0,))"), "glyphs.py", "--epochs 900", gpu, act="scancel_late", after="prefetching with 1", state="CANCELLED")
    yield card(label, den(mid=f"if {CLOCK} > 36:\n    os.read(os.pipe()[0], 1)"), "denoise.py", "", gpu, head="export EPOCHS=400\n", **later)


def starved() -> Iterator[SlurmJob]:
    """D1: the card waits for a slow loader at every step or every few; D2: for saves; G1: for nothing, or for a good reason."""
    slow, storm, good = Label(mode="D1", fault="user"), Label(mode="D2", variant="save_storm", fault="user"), Label(mode="G1", fault="none")
    done: dict[str, Any] = {"state": "COMPLETED"}

    def gaps(busy: float, every: int) -> Readings:
        return ({**work(8)}, tuple((1.0 + k, work(busy) if k % every == 0 else REST) for k in range(140)))

    pause = "if not hasattr(self, 'n'):\n    self.n = 0\nself.n += 1\nif self.n % {each} == 0:\n    time.sleep({s})"
    config = MM_CONFIG + "max_epochs = 1\niters = 40\n"
    yield card(slow, mm(data=pause.format(each=1, s=1.1)), "tools_train.py", "c.py", gaps(31, 3), files={"c.py": config}, **done)
    yield card(slow, mm(data=pause.format(each=4, s=4.6)), "tools_train.py", "c.py", gaps(36, 5), files={"c.py": config}, **done)
    yield card(slow, glyphs(item="time.sleep(0.07)"), "glyphs.py", "--samples 320 --epochs 2 --log-every 2", gaps(25, 4), **done)
    yield card(slow, ft(mid="time.sleep(2.1)  # tokenise on the fly"), "finetune.py", "--max_train_steps 20", gaps(29, 3), **done)
    idle: Readings = ({**work(6, memory=2, tensor=1), "utilization.gpu": "13", "power.usage": "126000"}, ())
    each = "began_save = time.time()\nwith open('m.bin', 'wb') as out:\n    out.write(bytes(9_000_000))\n    os.fsync(out.fileno())\ntime.sleep(0.5)\nprint_rank_0(f'checkpoint m.bin: saved in {time.time() - began_save:.2f} s')"
    yield card(storm, meg(after=each), "pretrain_gpt.py", "--train-iters 50 --log-interval 5", idle, **done)
    yield card(good, meg(), "pretrain_gpt.py", "--train-iters 400 --iter-sleep 0.05", (work(54), ()), **done)
    kept = {"memory.used": str(17 << 30)}
    rest = "if epoch == 2:\n    logger.info('evaluating on 40000 held-out sentences')\n    time.sleep(12)"
    yield card(good.but(hard=True), fs(epoch=rest, mid="time.sleep(0.05)"), "fs_train.py", "", ({**work(49), **kept}, ((15.0, {**REST, **kept}), (27.0, work(49)))), **done)
    past = {**work(57), "ecc.aggregate.uncorrected": "4", "remapped.uncorrected": "2", "temperature": "83"}
    yield card(good.but(hard=True), mm(), "tools_train.py", "c.py", (past, ((9.0, {"pcie.replay": "2", "ecc.volatile.corrected": "6"}),)), files={"c.py": MM_CONFIG + "max_epochs = 8\n"}, **done)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (lost, again, cut_off, killed, standing, starved):
        yield from part()


RECIPE = Recipe("solo_queue", "development", jobs)
