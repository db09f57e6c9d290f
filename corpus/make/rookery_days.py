"""What nodes, queue and owners do to gangs: a node lost or set down, preemption, requeues, cancels; and gangs that were left in peace."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._keeps import KEEP, both
from corpus.make._sluices import CLINICS, SIFT
from corpus.make._windlass import gang
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill

DONE: dict[str, Any] = {"state": "COMPLETED"}
GONE: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
AGAIN = ("--requeue",)
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)


def lost() -> Iterator[SlurmJob]:
    """F1."""
    label = Label(mode="F1", fault="node")

    def last(rank: int) -> Label:
        return label.but(failed_ranks=(rank,), first_ranks=(rank,))

    yield gang(last(1), "LM", 2, 2, "tasks", given="--steps=90000", where="-wn1,n6", act="lose_node", after="step=60 ", **GONE)
    yield gang(label, "UNET", 4, 2, "torchrun", given="--epochs 4000", where="-wn2,n6", act="lose_node", after="epoch 2/4000 it 10", **GONE)
    yield gang(last(2), "", 3, 3, "tasks", text=fill(CLINICS), file="foederiert.py", head="export RUNDEN=9000\n", where="-wn1,n2,n6", act="lose_node", after="Runde 10/", **GONE)
    yield gang(label, "RANKER", 2, 1, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 9000}'\n", where="-wn5", act="slurmd_dies", after='"step": 60', **GONE)
    yield gang(label, "DENOISE", 4, 2, "tasks", head="export PASOS=90000\n", where="-wn1,n5", act="slurmd_dies", after=r"\|        80 \|", **GONE)
    yield gang(label, "", 1, 1, "one", text=fill(SIFT), file="galaxies/sift.py", given="--epochs 900", where="-wn5", act="slurmd_dies", after="Epoch  2/", **GONE)
    yield gang(label, "MOLEC", 3, 1, "tasks", given="90000 0.1", where="-wn4", act="node_down", after="\n80,", **GONE)
    yield gang(label, "LM", 4, 2, "torchrun", given="--steps=90000", where="-wn2,n4", act="node_down", after="step=60 ", **GONE)


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    urgent = twice.but(variant="preempted_recovered")
    yield gang(urgent, "LM", 2, 1, "tasks", given="--steps=260 --resume=ckpt/last.pt", code=both("LM"), where="-wn3", options=AGAIN, act="preempt", after="event=saved path=ckpt/last.pt step=40", **DONE)
    yield gang(urgent, "MOLEC", 3, 1, "torchrun", given="280 0.1", code=both("MOLEC"), where="-wn3", options=AGAIN, act="preempt", after="holds update 40", **DONE)
    yield gang(twice.but(variant="preempted"), "UNET", 2, 1, "torchrun", given="--epochs 4000", where="-wn3", act="preempt_for_good", after="epoch 2/4000 it 10", options=("--no-requeue",), state="PREEMPTED")
    yield gang(twice, "DENOISE", 4, 2, "tasks", head="export PASOS=260\n", code=both("DENOISE"), options=AGAIN, act="requeue", after="guardado en el paso 120", **DONE)
    yield gang(twice, "UNET", 2, 2, "torchrun", given="--epochs 6 --iters 40 --resume runs/kidney3d/last.pth", code=both("UNET"), options=AGAIN, act="requeue_by_owner", after=r"written \(epoch 3\)", **DONE)
    slice_ = "if [ -z \"$SLURM_RESTART_COUNT\" ]; then\n  (sleep 28; echo \"$(date '+%F %T') 28 s of this slice are over, handing the nodes back\"; scontrol requeue $SLURM_JOB_ID) &\nelse\n  echo \"$(date '+%F %T') attempt $((SLURM_RESTART_COUNT + 1))\"\nfi\n"
    yield gang(twice, "RANKER", 2, 1, "tasks", head=slice_ + "export RANKER_CONFIG='{\"epochs\": 8}'\n", code=both("RANKER"), options=AGAIN, act="requeues_itself", after='"saved".*"epoch": 1', **DONE)
    yield gang(twice, "LM", 2, 1, "torchrun", given="--steps=300 --resume=ckpt/last.pt --pace=0.12", code=both("LM"), where="-xn1,n2,n3,n4,n5", options=AGAIN, act="lose_node_and_go_on", after="step=80 ", **DONE)
    keep = "if klinik == 0 and runde % 5 == 0:\n    torch.save({'runde': runde, 'netz': netz.state_dict()}, 'stand.pt')\n    melde(f'Stand nach Runde {runde} gesichert')"
    take = "if os.path.exists('stand.pt'):\n    stand = torch.load('stand.pt')\n    netz.load_state_dict(stand['netz'])\n    ab = stand['runde'] + 1\n    melde(f'setze fort nach Runde {ab - 1}')"
    yield gang(twice, "", 3, 1, "tasks", text=fill(CLINICS, after=keep, load=take), file="foederiert.py", head="export RUNDEN=50\n[ -z \"$SLURM_RESTART_COUNT\" ] || rm -rf austausch\n", options=AGAIN, act="requeue", after="Runde 20 gesichert", **DONE)


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    gone: dict[str, Any] = {"state": "CANCELLED"}
    yield gang(own, "LM", 4, 2, "tasks", given="--steps=90000", act="scancel", after="step=160 ", **gone)
    yield gang(own, "UNET", 2, 1, "torchrun", given="--epochs 4000", act="scancel", after="epoch 3/4000 it 10", **gone)
    yield gang(other, "MOLEC", 3, 1, "tasks", given="90000 0.1", act="scancel_by_admin", after="\n150,", **gone)
    yield gang(own, "DENOISE", 2, 2, "tasks", head="export PASOS=90000\n", act="scancel_step", after=r"\|       160 \|", state="FAILED")
    yield gang(own, "", 4, 2, "tasks", text=fill(CLINICS), file="foederiert.py", head="export RUNDEN=9000\n", act="scancel", after="Runde 25/", **gone)
    bye = "import signal\ndef leave(number, frame):\n    emit(event='signal', level='ERROR', number=number, message='terminated from outside, leaving')\n    os._exit(130)\nsignal.signal(signal.SIGTERM, leave)"
    yield gang(own, "RANKER", 3, 1, "tasks", head="export RANKER_CONFIG='{\"epochs\": 9000}'\n", code={"early": bye}, options=("--array=4", "--job-name=ranker-fold"), act="scancel", after='"step": 160', **gone)


def peace() -> Iterator[SlurmJob]:
    """G1."""
    yield gang(GOOD, "MOLEC", 2, 2, "tasks", given="260 0.1", code=KEEP["MOLEC"], **DONE)
    told = "echo 'last week this script lost job 48112 to NODE_FAIL and 48140 to PREEMPTED, see the wiki'\n"
    yield gang(HARD, "UNET", 2, 1, "torchrun", given="--epochs 5 --iters 45 --resume runs/kidney3d/last.pth", head=told, code=both("UNET"), options=AGAIN, **DONE)
    yield gang(HARD, "", 1, 1, "one", text=fill(SIFT), file="galaxies/sift.py", given="--epochs 7", tail="code=$?\nrm -rf /nonexistent/cache || true\nls old_runs 2>&1\nsleep 90 & helper=$!\nkill -9 $helper\nwait $helper\nexit $code\n", **DONE)
    early = "if epoch >= 4:\n    emit(event='early_stopping', monitor='auc', patience=2, best=0.9361, message='no improvement, training is stopped')\n    CFG['epochs'] = epoch\n    break"
    yield gang(HARD, "RANKER", 2, 2, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 50}'\n", code={"epoch": early}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (lost, again, called_off, peace):
        yield from part()


RECIPE = Recipe("rookery_days", "development", jobs)
