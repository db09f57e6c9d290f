"""What nodes, queue and people do to squads of ranks: lost and drained nodes, preemption, requeues that go on or begin anew, limits of time, cancels; and runs that learned nothing."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._squad_jobs import at, squad
from corpus.running.job import Recipe, SlurmJob

AGAIN = ("--requeue",)
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
GO_ON = "RESUME=\n[ -e outputs/latest.pt ] && RESUME='--resume outputs/latest.pt'\nexport RESUME\n"
BACK = "RESUME=\n[ -e checkpoint.pth ] && RESUME='--resume checkpoint.pth'\nexport RESUME\n"


def lost() -> Iterator[SlurmJob]:
    """F1."""
    label = Label(mode="F1", fault="node")
    common: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}

    def last(rank: int) -> Label:
        return label.but(failed_ranks=(rank,), first_ranks=(rank,))

    yield squad(last(1), "LM", 2, 2, how="env", where="-wn1,n6", given="--steps 40000", act="lose_node", after="step:  240", **common)
    yield squad(last(2).but(failed_ranks=(0, 1, 2)), "CLICKS", 3, 3, where="-wn1,n2,n6", given="--train_steps=40000", act="lose_node", after="step = 400", **common)
    yield squad(label, "FED", 4, 1, where="-wn5", head="export ROUNDS=40000\n", act="slurmd_dies", after="round 100/", **common)
    yield squad(label, "STAGES", 2, 2, where="-wn2,n5", head="export ITERS=40000\n", act="slurmd_dies", after="it 60/", **common)
    yield squad(label, "ROLES", 2, 2, where="-wn1,n4", head="export UPDATES=40000\n", act="node_down", after="update 60/", **common)
    yield squad(label, "MIX", 3, 1, where="-wn4", given="40000 0.05", act="node_down", after="sweep   60/", **common)


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    urgent = twice.but(variant="preempted_recovered")
    away = "-xn1,n2,n3,n4,n5"
    run = "--steps 260 --save-every 40 $RESUME"
    yield squad(twice, "VISION", 2, how="env", where=away, head=BACK, given="--epochs 6 --train-size 1280 $RESUME", options=AGAIN, act="lose_node_and_go_on", after="Acc@1", **DONE)
    yield squad(urgent, "LM", 2, how="env", where="-wn3", head=GO_ON, given=run, options=AGAIN, act="preempt", after="at step 80", **DONE)
    yield squad(twice.but(variant="preempted"), "ROLES", 2, where="-wn3", head="export UPDATES=40000\n", options=("--no-requeue",), act="preempt_for_good", after="update 60/", state="PREEMPTED")
    yield squad(twice, "LM", 2, 2, how="c10d", head=GO_ON, given=run, options=AGAIN, act="requeue", after="at step 120", **DONE)
    yield squad(twice, "VISION", 2, how="env", head=BACK, given="--epochs 6 --train-size 1280 $RESUME", options=AGAIN, act="requeue_by_owner", after="Acc@1", **DONE)
    own = f"{GO_ON}if [ ${{SLURM_RESTART_COUNT:-0}} = 0 ]; then (until [ -e outputs/latest.pt ]; do sleep 1; done; sleep 6; echo \"$(date +%T) quota of this slice used, requeueing $SLURM_JOB_ID\"; scontrol requeue $SLURM_JOB_ID) & fi\n"
    yield squad(twice, "LM", 2, how="env", head=own, given="--steps 300 --save-every 40 $RESUME", options=AGAIN, act="requeues_itself", after="at step 40", **DONE)


def anew() -> Iterator[SlurmJob]:
    """E2: what was saved is not read, cannot be read, or does not fit."""
    scratch = Label(mode="E2", variant="from_scratch", fault="user")
    yield squad(scratch, "LM", 2, 2, given="--steps 240 --save-every 30", options=AGAIN, act="requeue", after="at step 120", **DONE)
    yield squad(scratch, "VISION", 2, how="env", given="--epochs 6 --train-size 1280", options=AGAIN, act="requeue_by_owner", after=r"Epoch: \[2\]", **DONE)
    cut = GO_ON + "[ ${SLURM_RESTART_COUNT:-0} = 0 ] || truncate -s 9000 outputs/latest.pt\n"
    both = (0, 1)
    yield squad(scratch.but(variant="corrupt", cause="traceback", failed_ranks=both), "LM", 2, how="env", srun="--wait=20", head=cut, given="--steps 240 --save-every 40 $RESUME", options=AGAIN, act="requeue", after="at step 80", **FAILED)
    wide = GO_ON + "WIDTH=48; [ ${SLURM_RESTART_COUNT:-0} = 0 ] || WIDTH=56; export WIDTH\n"
    yield squad(scratch.but(variant="size_mismatch", cause="runtime_error"), "LM", 2, head=wide, given="--steps 240 --save-every 40 --width $WIDTH $RESUME", options=AGAIN, act="requeue_by_owner", after="at step 80", **FAILED)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    label = Label(mode="F3", variant="advancing", fault="user")
    over: dict[str, Any] = {"state": "TIMEOUT"}
    yield squad(label, "LM", 2, 2, given="--steps 40000 --save-every 200", **over)
    yield squad(label, "CLICKS", 8, 4, given="--train_steps=40000", where="-xn5,n6", **over)
    yield squad(label, "STAGES", 3, head="export ITERS=40000\n", **over)
    yield squad(label, "CLM", 2, given="--output_dir out --use_cpu --max_steps 90000 --logging_steps 10 --report_to none --save_strategy no --disable_tqdm true", options=("--time=2",), **over)
    usr = "import signal\nsignal.signal(signal.SIGUSR1, lambda *a: print('USR1: less than half a minute to the limit', flush=True))"
    yield squad(label, "FED", 4, head="export ROUNDS=40000\n", code={"early": usr}, options=("--signal=USR1@25",), **over)
    yield squad(label, "ROLES", 2, head="export UPDATES=40000\n", srun="--time=1", options=("--time=6",))


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    gone: dict[str, Any] = {"state": "CANCELLED"}
    yield squad(own, "LM", 2, given="--steps 40000", act="scancel", after="step:  120", **gone)
    yield squad(other, "VISION", 2, 2, given="--epochs 900", act="scancel_by_admin", after=r"Epoch: \[1\]", **gone)
    yield squad(own, "FED", 4, 2, head="export ROUNDS=40000\n", act="scancel_step", after="round 80/", **FAILED)
    leave = "import signal, sys\ndef stop(number, frame):\n    log.warning('got {}, leaving at once', signal.Signals(number).name)\n    os._exit(143)\nsignal.signal(signal.SIGTERM, stop)"
    yield squad(own, "ROLES", 3, head="export UPDATES=40000\n", code={"early": leave}, act="scancel", after="update 80/", **gone)
    yield squad(other, "TONES", 2, given="updates=40000", code={"early": "for shard in range(400):\n    if me == 0: tell('prepare', shard=shard, of=400)\n    time.sleep(0.4)"}, act="scancel_by_admin", after='"shard": 40', **gone)


def learned_nothing() -> Iterator[SlurmJob]:
    """E1, E3."""
    base, few = Label(mode="E1", fault="user"), Label(mode="E3", fault="user")
    nan = base.but(variant="non_finite", cause="nan_loss")
    yield squad(nan, "VISION", 2, how="env", given="--lr 900 --epochs 3 --train-size 1280", **DONE)
    stop = "if not loss.isfinite():\n    log.error('loss is %s at step %d on rank %d, giving up', loss.item(), step, RANK)\n    sys.exit(1)"
    yield squad(nan, "LM", 2, how="env", srun="-K", code={"mid": at(None, 90, "with torch.no_grad():\n    net.out.weight.mul_(float('inf'))"), "loss": stop}, **FAILED)
    yield squad(base.but(variant="flat"), "LM", 2, 2, given="--steps 400 --lr 0", **DONE)
    yield squad(base.but(variant="spike"), "STAGES", 3, head="export ITERS=320\n", code={"after": at(None, 170, "for group in opt.param_groups: group['lr'] = 5.0", name="it")}, **DONE)
    yield squad(few, "LM", 2, given="--steps 3 --log-every 1", **DONE)
    yield squad(few, "TONES", 3, 1, given="updates=2 every=1", **DONE)
    yield squad(few, "VISION", 2, how="env", given="--epochs 1 --train-size 96 --print-freq 1", **DONE)
    yield squad(few, "CLM", 2, given="--output_dir out --use_cpu --max_steps 2 --logging_steps 1 --report_to none --save_steps 2", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (lost, again, anew, limits, called_off, learned_nothing):
        yield from part()


RECIPE = Recipe("partition_weather", "development", jobs)
