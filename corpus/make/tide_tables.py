"""What nodes, the queue and people do to jobs of several ranks; runs that begin anew, learn nothing, or hardly run."""

from collections.abc import Iterator
from typing import Any

from corpus.make._quay import label, once, ship
from corpus.running.job import Recipe, SlurmJob

AGAIN = ("--requeue",)
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
TOWERS = "MORE=\n[ -s towers.pth ] && MORE=--resume\nexport MORE\n"
SEGS = "export LOAD_FROM=$(cat last_checkpoint 2>/dev/null)\n"


def lost() -> Iterator[SlurmJob]:
    """F1."""
    node = label("F1", fault="node")
    common: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
    yield ship(node.but(failed_ranks=(2, 3), first_ranks=(2, 3)), "CLICKS", 4, 2, where="-wn1,n6", given="steps:40000", act="lose_node", after="step=120/", **common)
    yield ship(node, "SEG", 2, 2, where="-wn2,n5", head="export MAX_ITERS=40000\n", act="slurmd_dies", after=" 100/40000", **common)
    yield ship(node, "OUTER", 3, 1, where="-wn5", head="export ROUNDS=40000\n", act="slurmd_dies", after="w0,16,", **common)
    yield ship(node, "SPEECH", 2, 2, where="-wn1,n4", given="conf.json max_update=40000", files={"conf.json": '{"lr": 0.002}'}, act="node_down", after="num_updates", **common)
    yield ship(node, "CLICKS", 6, 3, where="-wn1,n2,n4", given="steps:40000", act="node_down", after="step=100/", **common)


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = label("F2", variant="requeued_recovered", fault="none")
    conf = {"conf.json": '{"save_interval_updates": 40, "max_update": 260}'}
    yield ship(twice.but(variant="preempted_recovered"), "SPEECH", 2, where="-wn3", given="conf.json", files=conf, options=AGAIN, act="preempt", after="@ 80 updates", **DONE)
    yield ship(twice, "SEG", 2, 2, head=SEGS + "export SAVE=40 MAX_ITERS=260\n", options=AGAIN, act="requeue", after="checkpoint at 120", **DONE)
    yield ship(twice, "PAIRS", 3, head=TOWERS, given="--iters 260 --ckpt-every 40 $MORE", options=AGAIN, act="requeue_by_owner", after=r"\(it 80\)", **DONE)
    yield ship(twice.but(variant="preempted"), "CLICKS", 4, where="-wn3", given="steps:40000", options=("--no-requeue",), act="preempt_for_good", after="step=60/", state="PREEMPTED")


def anew() -> Iterator[SlurmJob]:
    """E2."""
    scratch = label("E2", variant="from_scratch")
    yield ship(scratch, "SEG", 2, head="export SAVE=40 MAX_ITERS=240\n", options=AGAIN, act="requeue", after="checkpoint at 120", **DONE)
    yield ship(label("G1", fault="none"), "GPT", 2, head="mkdir -p ../decoder-ckpt\n", given="--train-iters=200 --save-interval=50 --save=../decoder-ckpt", key="a", options=("--job-name=decoder-pt",), **DONE)
    yield ship(scratch, "GPT", 2, given="--train-iters=400 --save-interval=50 --save=../decoder-ckpt", parent="a", options=("--job-name=decoder-pt",), **DONE)
    cut = "if [ ${SLURM_RESTART_COUNT:-0} != 0 ]; then head -c 2500 checkpoints/checkpoint_last.pt > last.part; mv last.part checkpoints/checkpoint_last.pt; fi\n"
    conf = {"conf.json": '{"save_interval_updates": 40, "max_update": 400}'}
    yield ship(label("E2", "runtime_error", (), "corrupt", (0, 1)), "SPEECH", 2, srun="--wait=20", head=cut, given="conf.json", files=conf, options=AGAIN, act="requeue", after="@ 80 updates", **FAILED)
    wide = TOWERS + "DIM=32; [ ${SLURM_RESTART_COUNT:-0} = 0 ] || DIM=40; export DIM\n"
    yield ship(label("E2", "runtime_error", (), "size_mismatch"), "PAIRS", 2, head=wide, given="--iters 300 --ckpt-every 40 --dim $DIM $MORE", options=AGAIN, act="requeue_by_owner", after=r"\(it 80\)", **FAILED)
    yield ship(label("E2", "traceback", (), "no_valid_checkpoint"), "SORTER", 2, code={"load": "args.resume_from_checkpoint = True"}, given="--output_dir out --use_cpu --max_steps 200 --report_to none", head="mkdir -p out/runs\n", **FAILED)
    pick = "export FROM=$(ls -d state-* 2>/dev/null | tail -1)\n[ -n \"$FROM\" ] || FROM=state-0400\n"
    yield ship(label("E2", "file_not_found", (), "no_valid_checkpoint", (0, 1)), "TAGGER", 2, head=pick + "mkdir -p state-0400\n", given="optim.steps=500 ckpt.resume=$FROM", **FAILED)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    what = label("F3", variant="advancing")
    over: dict[str, Any] = {"state": "TIMEOUT"}
    conf = {"conf.json": '{"save_interval_updates": 200, "max_update": 50000}'}
    yield ship(what, "SPEECH", 2, 2, given="conf.json", files=conf, **over)
    yield ship(what, "CLICKS", 8, 4, given="steps:60000 every:50", where="-xn5,n6", options=("--time=1",), **over)
    yield ship(what, "SWIM", 4, given="50000 0.06", options=("--time=1",), **over)
    usr = "import signal\nsignal.signal(signal.SIGUSR2, lambda number, frame: screen.warning('signal {}: the limit is near', number))"
    yield ship(what, "TAGGER", 2, given="optim.steps=50000", code={"early": usr}, options=("--time=3", "--signal=USR2@30"), **over)
    yield ship(what, "PAIRS", 2, how="env", given="--iters 50000 --show 20", srun="--time=2", options=("--time=8",))


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    own, other = label("F4", variant="by_owner", fault="none"), label("F4", variant="by_other", fault="unknown")
    gone: dict[str, Any] = {"state": "CANCELLED"}
    yield ship(own, "GPT", 2, 2, given="--train-iters=50000", act="scancel", after="iteration      120/", **gone)
    yield ship(other, "OUTER", 4, 2, head="export ROUNDS=50000\n", act="scancel_by_admin", after="w0,20,", **gone)
    yield ship(own, "CLICKS", 4, given="steps:50000", act="scancel_step", after="step=150/", **FAILED)
    stop = "import signal\ndef leave(number, frame):\n    logging.warning('%s: leaving after this step', signal.Signals(number).name)\n    os._exit(0)\nsignal.signal(signal.SIGTERM, leave)"
    yield ship(own, "PATCHES", 2, given="--num_steps 50000", code={"early": stop}, act="scancel", after=r"\[80\]", **gone)


def learned_nothing() -> Iterator[SlurmJob]:
    """E1, E3."""
    few = label("E3")
    yield ship(label("E1", "nan_loss", (), "non_finite"), "SEG", 3, head="export LR=4e9 MAX_ITERS=200\n", **DONE)
    stop = "if not torch.isfinite(loss):\n    say(f'it {it}: nce is {loss.item()}, giving up')\n    sys.exit(2)"
    yield ship(label("E1", "nan_loss", (), "non_finite"), "PAIRS", 2, how="env", given="--iters 300", code={"mid": once(None, 110, "with torch.no_grad():\n    towers.scale.fill_(float('nan'))", name="it"), "loss": stop}, **FAILED)
    dead = "if iteration == 60:\n    with torch.no_grad():\n        for p in net.parameters():\n            p.zero_()\n    LR_NOW = adam.param_groups[0]['lr'] = 0.0"
    yield ship(label("E1", None, (), "plateau"), "GPT", 2, given="--train-iters=320", code={"data": dead}, **DONE)
    yield ship(label("E1", None, (), "spike"), "TAGGER", 2, given="optim.steps=300", code={"after": once(None, 160, "for group in adam.param_groups:\n    group['lr'] = 6.0", name="done")}, **DONE)
    yield ship(few, "GPT", 2, given="--train-iters=3 --log-interval=1 --save-interval=3", **DONE)
    yield ship(few, "PATCHES", 2, given="--num_steps 2 --log_every 1", **DONE)
    yield ship(few, "SPEECH", 3, given="conf.json max_update=4 log_interval=1", files={"conf.json": '{"lr": 0.002}'}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (lost, again, anew, limits, called_off, learned_nothing):
        yield from part()


RECIPE = Recipe("tide_tables", "development", jobs)
