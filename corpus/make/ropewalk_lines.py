"""Jobs of a shared cluster's users whom the queue, its nodes, its operators or they themselves interrupt; some begin again where they were, some from the very start."""

from collections.abc import Iterator
from typing import Any

from corpus.make._millrace import DONE, FAILED, GOOD, HARD, OVER, gang, true
from corpus.make._millrace_states import keep, take
from corpus.running.job import Recipe, SlurmJob

AGAIN = ("--requeue",)
GONE: dict[str, Any] = {"state": "CANCELLED"}


def lost() -> Iterator[SlurmJob]:
    """F1."""
    node = true("F1", fault="node")
    common: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
    yield gang(node.but(failed_ranks=(2, 3), first_ranks=(2, 3)), "CHARLM", 4, 2, "updates=50000", where="-wn1,n6", act="lose_node", after="upd   100 /", **common)
    yield gang(node.but(failed_ranks=(0,), first_ranks=(0,)), "CRYSTAL", 1, where="-wn6", head="export STEPS=50000\n", act="lose_node", after="step=60 ", **common)
    yield gang(node, "WINDCAST", 2, 2, where="-wn2,n5", head="export UPDATES=50000\n", act="slurmd_dies", after="\n80,", **common)
    yield gang(node, "PEND", 3, 3, where="-wn1,n2,n4", head="export ROUNDS=50000\n", act="node_down", after="round=80 ", **common)
    yield gang(node, "KLANG", 2, 1, where="-wn5", head="export DURCHGAENGE=900\n", act="slurmd_dies", after="Durchgang 2, Stapel 30", **common)


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = true("F2", variant="requeued_recovered", fault="none")
    yield gang(twice, "CHARLM", 3, 1, "updates=260", code={"met": take("CHARLM", "letters.snap"), "after": keep("CHARLM", "letters.snap", 40)}, options=AGAIN, act="requeue", after="snapshot of upd 120", **DONE)
    yield gang(twice, "KLANG", 2, 2, code={"met": take("KLANG", "stand.pt"), "after": keep("KLANG", "stand.pt", 40)}, head="export DURCHGAENGE=7\n", options=AGAIN, act="requeue_by_owner", after="nach Schritt 120", **DONE)
    hand = "trap 'echo caught USR1, asking for another turn; scontrol requeue $SLURM_JOB_ID' USR1\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || ( sleep 23; kill -USR1 $$ ) &\n"
    line = "srun bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS exec PYTHON -u towers.py' &\nwait $!\n"
    yield gang(twice, "TOWERS", 2, 1, code={"load": take("TOWERS", "towers.ckpt"), "after": keep("TOWERS", "towers.ckpt", 30)}, head=hand + "export BATCHES=320\n", body=line, options=AGAIN, act="requeues_itself", after="checkpoint of batch 30 ", **DONE)
    yield gang(twice.but(variant="preempted_recovered"), "WINDCAST", 2, 1, where="-wn3", code={"load": take("WINDCAST", "wind.pth"), "after": keep("WINDCAST", "wind.pth", 50)}, head="export UPDATES=280 FARM=east\n", options=AGAIN, act="preempt", after="update 100: saved", **DONE)
    yield gang(twice.but(variant="preempted"), "GRAPHE", 3, 1, "longue", where="-wn3", head="export PAS=50000\n", options=("--no-requeue",), act="preempt_for_good", after="\\|   100 ", state="PREEMPTED")
    yield gang(twice, "CELLS", 1, 1, "--iterations=320", where="-xn1,n2,n3,n4,n5", code={"load": take("CELLS", "cells.last"), "after": keep("CELLS", "cells.last", 60)}, options=AGAIN, act="lose_node_and_go_on", after="cells.last .it 60", **DONE)


def over() -> Iterator[SlurmJob]:
    """F3."""
    late = true("F3", variant="advancing")
    yield gang(late, "LEAFNET", 3, 1, "--epochs 800 --tell 20", **OVER)
    yield gang(late, "DENOISE", 4, 2, head="export CFG='{\"iters\": 60000, \"tell\": 50}'\n", **OVER)
    yield gang(late, "TICKETS", 1, 1, "--epochs 700", **OVER)
    warn = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: print(f'round={step} signal 10: less than half a minute is left, writing policy.txt', flush=True))"
    yield gang(late, "PEND", 2, 1, code={"met": warn}, head="export ROUNDS=50000\n", options=("--time=2", "--signal=USR1@25"), **OVER)
    yield gang(late, "GRAPHE", 2, 2, "lente", head="export PAS=50000 REPOS=0.15\n", srun="--time=1", options=("--time=5",))


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    own, other = true("F4", variant="by_owner", fault="none"), true("F4", variant="by_other", fault="unknown")
    yield gang(own, "TOWERS", 3, 1, head="export BATCHES=50000\n", act="scancel", after="batch 175 of", **GONE)
    yield gang(other, "LEAFNET", 2, 1, "--epochs 800", act="scancel_by_admin", after="after ep 02", **GONE)
    yield gang(own, "CHARLM", 2, 2, "updates=50000", act="scancel_all_of_name", after="upd   140 /", options=("--job-name=letters-wide",), **GONE)
    yield gang(own, "CRYSTAL", 1, head="export STEPS=50000\n", act="scancel_step", after="step=200 ", **FAILED)
    nice = "import signal\n\n\ndef leave(number, frame):\n    note(f'{signal.Signals(number).name} received at update {step}, table is flushed, leaving')\n    sys.stdout.flush()\n    os._exit(0)\n\n\nsignal.signal(signal.SIGTERM, leave)"
    yield gang(other, "WINDCAST", 2, 2, code={"met": nice}, head="export UPDATES=50000\n", act="scancel_by_admin", after="\n180,", **GONE)


def anew() -> Iterator[SlurmJob]:
    """E2."""
    scratch = true("E2", variant="from_scratch")
    yield gang(scratch, "GRAPHE", 2, 1, code={"after": keep("GRAPHE", "reprise.pt", 40)}, options=AGAIN, act="requeue", after="pas 160 : point", **DONE)
    lost_ = "mkdir -p /tmp/leaf-$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}; cd /tmp/leaf-$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}; cp $SLURM_SUBMIT_DIR/leafnet.py .\n"
    yield gang(scratch, "LEAFNET", 2, 1, "--epochs 5", code={"met": take("LEAFNET", "leaf.pt"), "after": keep("LEAFNET", "leaf.pt", 40)}, head=lost_.replace("$SLURM_SUBMIT_DIR", "$OLDPWD"), options=AGAIN, act="requeue_by_owner", after="state of it 120", **DONE)
    yield gang(GOOD, "CHARLM", 2, 1, "updates=240 keep=60 snap=../letters-base.pt", key="base", options=("--job-name=letters",), **DONE)
    yield gang(scratch, "CHARLM", 2, 1, "updates=300 keep=60 snap=../letters-next.pt", parent="base", options=("--job-name=letters",), **DONE)
    wide = "state = torch.load('../letters-base.pt')\nsay(f'weights of upd {state[\"upd\"]} from ../letters-base.pt')\nnet.load_state_dict(state['net'])"
    yield gang(true("E2", "runtime_error", (), variant="size_mismatch", failed=(0, 1)), "CHARLM", 2, 1, "updates=300 width=48", code={"load": wide}, parent="base", options=("--job-name=letters-48",), **FAILED)
    cut = "[ ${SLURM_RESTART_COUNT:-0} = 0 ] || truncate -s 1900 stand.pt\n"
    yield gang(true("E2", "runtime_error", (), variant="corrupt", failed=(0, 1)), "KLANG", 2, 1, code={"met": take("KLANG", "stand.pt"), "after": keep("KLANG", "stand.pt", 40)}, head=cut + "export DURCHGAENGE=12\n", options=AGAIN, act="requeue", after="nach Schritt 120", **FAILED)
    none = "kept = sorted((int(f[5:-3]), f) for f in os.listdir('../wind-ckpt') if f.endswith('.pt'))\nstate = torch.load('../wind-ckpt/' + kept[-1][1])\nnet.load_state_dict(state['net'])"
    yield gang(true("E2", "traceback", (), variant="no_valid_checkpoint", failed=(0, 1)), "WINDCAST", 2, 1, code={"load": none}, head="mkdir -p ../wind-ckpt; touch ../wind-ckpt/step_400.tmp\nnote='resume from ../wind-ckpt'; echo \"$note\"\n", **FAILED)


def kept() -> Iterator[SlurmJob]:
    """G1: moved, paused, warned, tuned from other weights on purpose."""
    yield gang(HARD, "DENOISE", 2, 2, head="export CFG='{\"iters\": 420}'\n", act="suspend", after='"it": 140,', **DONE)
    tune = "state = torch.load('../letters-base.pt')\nnet.load_state_dict(state['net'])\nnet.out.reset_parameters()\nsay('fine-tuning: body of ../letters-base.pt, a new output layer, counter starts at 0 as wanted')"
    yield gang(HARD, "CHARLM", 2, 1, "updates=200 lr=0.001", code={"load": tune}, parent="base", options=("--job-name=letters-tuned",), **DONE)
    usr = "import signal\nsignal.signal(signal.SIGUSR2, lambda *_: log('WARNING', 44, 'SIGUSR2: the time limit is near, but there is enough left for the rest'))"
    yield gang(HARD, "TOWERS", 3, 1, code={"met": usr}, head="export BATCHES=900\n", options=("--time=2", "--signal=USR2@85"), **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (lost, again, over, called_off, anew, kept):
        yield from part()


RECIPE = Recipe("ropewalk_lines", "development", jobs)
