"""What the queue does to crews: nodes go, jobs are sent back and come again, begin anew though something was kept, run out of their time, are called off."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._tram_jobs import HARD, crew, true
from corpus.make._tram_keeps import back, keep
from corpus.running.job import Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
YES = ("--requeue",)


def gone() -> Iterator[SlurmJob]:
    """F1."""
    over: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
    yield crew(true("F1", None, 1, failed=(1,), fault="node"), "POLLEN", 2, 2, head="export DAYS=90000\n", where="-wn1,n6", act="lose_node", after="step=30 ", **over)
    yield crew(true("F1", None, 2, failed=(2,), fault="node"), "STOLLEN", 3, 3, head="export TAKTE=9000\n", where="-wn1,n2,n6", act="lose_node", after=" 9  ", hand=1, **over)
    yield crew(true("F1", fault="node"), "MELT", 3, 2, "--iters 90000 --nap 0.1", where="-wn2,n5", act="node_down", after="iteration 50 ", **over)
    yield crew(true("F1", fault="node"), "MOTIF", 3, head="export EPOQUES=9000\n", where="-wn5", act="node_down", after="poque 3/", hand=2, **over)


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    urgent = twice.but(variant="preempted_recovered")
    yield crew(urgent, "MELT", 3, 1, "--iters 260 --nap 0.06", code={"load": back("MELT", "mould.json"), "after": keep("MELT", "mould.json")}, where="-wn3", act="preempt", after="iteration 40 is in", options=YES, **DONE)
    yield crew(urgent, "MOTIF", 2, 1, head="export EPOQUES=16 SIESTE=0.06\n", code={"load": back("MOTIF", "motif.etat"), "epoch": keep("MOTIF", "motif.etat")}, where="-wn3", act="preempt", after="gard", options=YES, hand=1, **DONE)
    yield crew(twice.but(variant="preempted"), "POLLEN", 2, head="export DAYS=90000\n", code={"after": keep("POLLEN", "bloom.json", 25)}, where="-wn3", act="preempt_for_good", after="step=30 ", options=("--no-requeue",), state="PREEMPTED")
    yield crew(twice, "STOLLEN", 3, 2, head="export TAKTE=48\nrm -rf treff\n", code={"load": back("STOLLEN", "stand.dat"), "after": keep("STOLLEN", "stand.dat", 6)}, act="requeue", after="nach Takt 18 in", options=YES, hand=2, **DONE)
    yield crew(twice, "TIMBRE", 2, 1, "--rounds 18", code={"load": back("TIMBRE", "timbre.pt"), "epoch": keep("TIMBRE", "timbre.pt", 2)}, act="requeue_by_owner", after="after round 8", options=YES, **DONE)
    own = "try=$((${SLURM_RESTART_COUNT:-0} + 1))\necho \"slice $try of at most 3\"\n[ $try -gt 1 ] || (sleep 12; echo 'slice is over, queueing the next'; scontrol requeue $SLURM_JOB_ID) &\n"
    yield crew(twice, "POLLEN", 2, 1, head=own + "export DAYS=110\n", code={"load": back("POLLEN", "bloom.json"), "after": keep("POLLEN", "bloom.json", 15)}, act="requeues_itself", after="file=bloom.json step=15", options=YES, **DONE)


def anew() -> Iterator[SlurmJob]:
    """E2: behind a requeue."""
    scratch = Label(mode="E2", variant="from_scratch", fault="user")
    yield crew(scratch, "MELT", 3, 1, "--iters 220 --nap 0.05", code={"after": keep("MELT", "mould.json", 30)}, act="requeue", after="iteration 120 is in", options=YES, **DONE)
    torn = "[ ${SLURM_RESTART_COUNT:-0} -eq 0 ] || truncate -s 11 bloom.json\n"
    yield crew(true("E2", "traceback", variant="corrupt", failed=(0, 1)), "POLLEN", 2, 1, head=torn + "export DAYS=110\n", code={"load": "time.sleep(1.5)\n" + back("POLLEN", "bloom.json"), "after": keep("POLLEN", "bloom.json", 15)}, act="requeue_by_owner", after="file=bloom.json step=60", options=YES, **FAILED)
    wide = "if os.environ.get('SLURM_RESTART_COUNT', '0') != '0':\n    body = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 5))"
    yield crew(true("E2", "runtime_error", variant="size_mismatch", failed=(0, 1)), "TIMBRE", 2, 1, "--rounds 20", code={"net": wide, "load": back("TIMBRE", "timbre.pt"), "epoch": keep("TIMBRE", "timbre.pt", 2)}, act="requeue", after="after round 8", options=YES, hand=1, **FAILED)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    what = true("F3", variant="advancing")
    over: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=1",)}
    yield crew(what, "MELT", 4, 2, "--iters 60000 --nap 0.1", **over)
    yield crew(what, "MOTIF", 3, head="export EPOQUES=800 SIESTE=0.08\n", code={"epoch": keep("MOTIF", "motif.etat")}, hand=1, **over)
    yield crew(what, "STOLLEN", 2, head="export TAKTE=4000\n", hand=2, **over)
    yield crew(what, "TIMBRE", 2, 1, "--rounds 3000", srun="--time=1", options=("--time=5",))


def called() -> Iterator[SlurmJob]:
    """F4."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    yield crew(own, "POLLEN", 3, 1, head="export DAYS=90000\n", act="scancel", after="step=110 ", state="CANCELLED", hand=1)
    yield crew(other, "MELT", 3, 1, "--iters 90000", act="scancel_by_admin", after="iteration 170 ", state="CANCELLED", options=("--comment=maintenance-window",))
    polite = "trap 'echo \"# Abschnitt $ich: TERM bekommen, hoere auf\"; exit 0' TERM"
    yield crew(own, "STOLLEN", 2, head="export TAKTE=9000\n", code={"early": polite}, act="scancel_all_of_name", after=" 24  ", state="CANCELLED", options=("--job-name=stollen-alle",))
    yield crew(other, "TIMBRE", 2, 1, "--rounds 9000", act="scancel_by_admin", after="\n6,8,", state="CANCELLED", hand=2)
    yield crew(own, "MOTIF", 2, head="export EPOQUES=9000\n", act="scancel_step", after="poque 7/", **FAILED)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield crew(HARD, "MELT", 3, 2, "--iters 420", code={"load": back("MELT", "mould.json"), "after": keep("MELT", "mould.json", 10)}, act="suspend", after="iteration 150 is in", hand=1, **DONE)
    tune = "remark('kept weights have 7 outputs, ours are 5: last layer starts anew, the first is taken over (step count starts at 1 on purpose)')"
    yield crew(HARD, "TIMBRE", 2, 1, "--rounds 9 --lr 0.02 --init-from ../base/timbre_7.pt", code={"net": tune}, **DONE)
    tries = "for go in 1 2 3; do\n  srun -K PYTHON -u FILE --iters 240 && break\n  echo \"go $go: srun says $?, once more\"\n  export PORT=$((PORT + 9))\n  sleep 2\ndone"
    lost = "if ME == 1 and it == 130 and not os.path.exists('.seen'):\n    open('.seen', 'w').close()\n    raise TimeoutError('probe archive did not answer within 30 s')"
    yield crew(HARD, "MELT", 3, 1, line=tries, code={"load": back("MELT", "mould.json"), "data": lost, "after": keep("MELT", "mould.json", 40)}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (gone, again, anew, limits, called, well):
        yield from part()


RECIPE = Recipe("tram_timetable", "development", jobs)
