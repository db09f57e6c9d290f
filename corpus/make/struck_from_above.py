"""What is done to companies of PyTorch ranks from outside: nodes lost or set down, preemption, requeues, limits of time, cancels; and what becomes of their checkpoints behind a requeue."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stands import crew
from corpus.make._troupes import only
from corpus.running.job import Recipe, SlurmJob

LONG = 40_000
AGAIN = ("--requeue",)
MODULE = {"ASR": "model", "GPT": "model", "EACH": "tower", "ZERO": "net", "CLIP": "visual", "VIT": "net", "DET": "head"}


def kept(name: str, say: str, every: int = 30) -> str:
    """The first rank saves now and then."""
    module = MODULE[name]
    return only(0, None, f"if step % {every} == 0:\n    torch.save({{'step': step, 'net': {module}.state_dict()}}, 'last.part')\n    os.replace('last.part', 'last.pt')\n    {say}")


def back(name: str, say: str) -> str:
    """All read what was saved, if something was."""
    return f"begin = 1\nif os.path.exists('last.pt'):\n    saved = torch.load('last.pt', weights_only=True)\n    {MODULE[name]}.load_state_dict(saved['net'])\n    begin = saved['step'] + 1\n    {say}"


def lost() -> Iterator[SlurmJob]:
    """F1."""
    label = Label(mode="F1", fault="node")
    common: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}

    def last(rank: int) -> Label:
        return label.but(failed_ranks=(rank,), first_ranks=(rank,))

    yield crew(last(1), "ASR", 2, 2, "srun", where="-wn1,n6", places={"total": LONG, "pause": 0.1}, act="lose_node", after='"num_updates": "30"', **common)
    yield crew(label, "GPT", 4, 2, where="-wn2,n6", places={"total": LONG, "pause": 0.1}, act="lose_node", after="iteration       30/", **common)
    yield crew(last(2), "EACH", 3, 3, "srun", where="-wn1,n2,n6", python="torch", places={"total": LONG, "pause": 0.1}, act="lose_node", after="step 30 ", **common)
    yield crew(label, "DET", 3, 1, where="-wn5", places={"total": LONG, "pause": 0.1}, act="slurmd_dies", after="iter: 29", **common)
    yield crew(label, "CLIP", 2, 2, "srun", where="-wn2,n5", python="torch", places={"total": LONG, "pause": 0.1}, act="slurmd_dies", after="256/", **common)
    yield crew(label, "ZERO", 2, 1, "srun", where="-wn4", places={"total": LONG, "pause": 0.1}, act="node_down", after="steps: 30", **common)
    yield crew(label, "SEG", 4, 2, where="-wn1,n4", places={"total": LONG, "pause": 0.1}, act="node_down", after="  30/", **common)


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    asr = {"early": back("ASR", "logger.info('Loaded checkpoint last.pt (epoch 1 @ %d updates)', begin - 1)"), "after": kept("ASR", "logger.info('Saved checkpoint last.pt (epoch 1 @ %d updates)', step)"), "start": "begin", "total": 240}
    yield crew(twice, "ASR", 3, places=asr, options=AGAIN, act="requeue", after="@ 90 updates", state="COMPLETED")
    gpt = {"early": back("GPT", "print_rank_0(f' successfully loaded checkpoint from {os.getcwd()}/last.pt at iteration {begin - 1}')"), "after": kept("GPT", "print(f'  successfully saved checkpoint at iteration {step:7d} to {os.getcwd()}/last.pt', flush=True)"), "start": "begin", "total": 240}
    yield crew(twice, "GPT", 4, 2, "srun", places=gpt, options=AGAIN, python="torch", act="requeue_by_owner", after="checkpoint at iteration      90", state="COMPLETED")
    each = {"early": back("EACH", "print(me, 'restored last.pt, step', begin - 1, flush=True)"), "after": kept("EACH", "print(me, 'kept last.pt, step', step, flush=True)"), "start": "begin", "total": 260}
    yield crew(twice.but(variant="preempted_recovered"), "EACH", 2, how="srun", where="-wn3", places=each, options=AGAIN, act="preempt", after="kept last.pt, step 30", state="COMPLETED")
    zero = {"early": back("ZERO", "log_dist(f'resumed behind step {begin - 1}')"), "after": kept("ZERO", "log_dist(f'saved last.pt of step {step}')"), "start": "begin", "total": 260}
    yield crew(twice.but(variant="preempted_recovered"), "ZERO", 3, where="-wn3", python="torch", places=zero, options=AGAIN, act="preempt", after="last.pt of step 30", state="COMPLETED")
    yield crew(twice.but(variant="preempted"), "VIT", 2, where="-wn3", places={"total": LONG, "pause": 0.08}, options=("--no-requeue",), act="preempt_for_good", after="Train: 1 ", state="PREEMPTED")
    own = "echo \"run $((${SLURM_RESTART_COUNT:-0} + 1)) of $SLURM_JOB_ID\"\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || (sleep 20; echo 'slice is used up, back into the queue'; scontrol requeue $SLURM_JOB_ID) &\n"
    clip = {"early": back("CLIP", "logging.info(f\"=> resuming checkpoint 'last.pt' (step {begin - 1})\")"), "after": kept("CLIP", "logging.info(f'saved last.pt at step {step}')"), "start": "begin", "total": 400, "pause": 0.05}
    yield crew(twice, "CLIP", 2, head=own, places=clip, options=AGAIN, act="requeues_itself", after="last.pt at step 60", state="COMPLETED")
    away = "-xn1,n2,n3,n4,n5"
    yield crew(twice, "ASR", 2, how="srun", where=away, places={**asr, "total": 320, "pause": 0.06}, options=AGAIN, act="lose_node_and_go_on", after="@ 60 updates", state="COMPLETED")


def anew() -> Iterator[SlurmJob]:
    """E2, seen after a requeue."""
    scratch = Label(mode="E2", variant="from_scratch", fault="user")
    det = {"after": kept("DET", "logging.getLogger('checkpoint').info('Saving checkpoint to output/model_%07d.pth', step)").replace("head.state", "self.head.state"), "total": 200}
    yield crew(scratch, "DET", 2, places=det, options=AGAIN, act="requeue", after="model_0000120", state="COMPLETED")
    zero = {"after": kept("ZERO", "log_dist(f'Saving model checkpoint: step {step}')"), "total": 240}
    yield crew(scratch, "ZERO", 4, 2, "srun", places=zero, options=AGAIN, act="requeue_by_owner", after="checkpoint: step 120", python="torch", state="COMPLETED")
    half = "if [ ${SLURM_RESTART_COUNT:-0} -gt 0 ]; then truncate -s 700 last.pt; fi\n"
    each = {"early": back("EACH", "print(me, 'restored last.pt, step', begin - 1, flush=True)").replace("    saved =", "    print(me, 'loading checkpoint last.pt', flush=True)\n    saved ="), "after": kept("EACH", "print(me, 'saved checkpoint last.pt, step', step, flush=True)"), "start": "begin", "total": 240}
    yield crew(scratch.but(variant="corrupt", cause="runtime_error"), "EACH", 2, how="srun", head=half, places=each, options=AGAIN, act="requeue", after="last.pt, step 90", state="FAILED")
    wide = "hidden = 16 if os.environ.get('SLURM_RESTART_COUNT', '0') == '0' else 24\nmodel = Encoder(hidden=hidden)\n"
    asr = {"early": wide + back("ASR", "logger.info('loaded checkpoint last.pt, %d updates', begin - 1)").replace("    saved =", "    logger.info('loading checkpoint last.pt')\n    saved ="), "after": kept("ASR", "logger.info('saved checkpoint last.pt, %d updates', step)"), "start": "begin", "total": 240}
    yield crew(scratch.but(variant="size_mismatch", cause="runtime_error"), "ASR", 2, places=asr, options=AGAIN, act="requeue_by_owner", after="last.pt, 90 updates", state="FAILED")


def limits() -> Iterator[SlurmJob]:
    """F3."""
    label = Label(mode="F3", variant="advancing", fault="user")
    over: dict[str, Any] = {"state": "TIMEOUT"}
    yield crew(label, "SEG", 2, places={"total": LONG, "pause": 0.1}, **over)
    yield crew(label, "GPT", 4, 2, "srun", places={"total": LONG, "pause": 0.1}, **over)
    yield crew(label, "CLIP", 2, 2, python="torch", places={"total": LONG, "pause": 0.12}, **over)
    usr = "import signal\nsignal.signal(signal.SIGUSR1, lambda number, _: print(me, 'signal', number, '- the allocation is nearly over', flush=True))"
    yield crew(label, "EACH", 3, how="srun", places={"total": LONG, "pause": 0.12, "early": usr}, options=("--signal=USR1@20",), **over)
    yield crew(label, "VIT", 3, places={"total": LONG, "pause": 0.1, "after": only(0, None, "if step % 120 == 0:\n    torch.save(net.state_dict(), f'checkpoint-{epoch}.pth.tar')")}, **over)
    yield crew(label, "DET", 2, how="srun", places={"total": LONG, "pause": 0.1}, launch={"srun": "--time=1"}, options=("--time=5",), python="torch")
    yield crew(label, "GAN", 2, how="spawn", places={"total": LONG, "pause": 0.1}, **over)


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    gone: dict[str, Any] = {"state": "CANCELLED"}
    yield crew(own, "GPT", 2, places={"total": LONG}, act="scancel", after="iteration      120/", **gone)
    yield crew(own, "EACH", 4, 2, "srun", places={"total": LONG}, act="scancel", after="step 110 ", **gone)
    yield crew(other, "SEG", 3, places={"total": LONG}, act="scancel_by_admin", after=" 120/", **gone)
    yield crew(other, "ZERO", 2, 2, "srun", python="torch", places={"total": LONG}, act="scancel_by_admin", after="steps: 130", **gone)
    yield crew(own, "ASR", 2, how="srun", places={"total": LONG}, act="scancel_step", after='"num_updates": "110"', state="FAILED")
    polite = "import signal\ndef leave(number, frame):\n    logging.error(f'{signal.Signals(number).name} received, leaving')\n    raise SystemExit(0)\nsignal.signal(signal.SIGTERM, leave)"
    yield crew(own, "CLIP", 2, how="srun", python="torch", places={"total": LONG, "early": polite}, act="scancel", after="1600/", **gone)
    yield crew(own, "VIT", 2, places={"total": LONG, "early": "for part in range(400):\n    say(f'caching shard {part + 1}/400')\n    time.sleep(0.3)"}, act="scancel", after="shard 40/", **gone)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (lost, again, anew, limits, called_off):
        yield from part()


RECIPE = Recipe("struck_from_above", "development", jobs)
