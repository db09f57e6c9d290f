"""What becomes of jobs in the queue: their nodes fail, they come back, their time is up, somebody calls them off; and others go on all the same."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._wren_jobs import FINE, LIMIT, LOUD, WELL, sh, so, task, when
from corpus.make._wren_keeps import KEEPS
from corpus.running.job import Recipe, SlurmJob

AGAIN, ONCE = ("--requeue",), ("--no-requeue",)
NAP = "time.sleep(0.16)"
GATE = "time.sleep(max(0.0, float(os.environ['T0']) + 50 - time.time()))"
"""What befalls a node befalls all its jobs: they begin at one time."""
SLOT = "until [ $(date +%s) -ge $((T0 + 50)) ]; do sleep 0.3; done\nsrun OPTIONSRUN"


def lost() -> Iterator[SlurmJob]:
    """F1."""
    def on_it(*ranks: int) -> Label:
        return so("F1", None, *ranks, failed=ranks, fault="node")

    dies: dict[str, Any] = {"state": "NODE_FAIL", "options": ONCE, "act": "lose_node"}
    yield task(on_it(2, 3), "FIRN", 4, 2, head="export EPOCHS=900\n", where="-wn1,n6", code={"early": GATE, "data": NAP}, after=r"epoch=4 ", **dies)
    yield task(on_it(1), "WIDE", 2, 2, "--train-iters 90000", where="-wn2,n6", code={"early": GATE, "data": NAP}, after=r"iteration +80/", way=1, **dies)
    yield task(on_it(2), "HARVEST", 3, 3, head="export PASSES=90000 PAUSE=0.25\n", where="-wn1,n2,n6", line=SLOT, after=r"pass 56/", way=2, **dies)
    yield task(on_it(1), "STUMPS", 2, 2, head="export ROUNDS=90000 NAP_MS=250\n", where="-wn1,n6", line=SLOT, after=r"(?m)^\[56\]", **dies)
    anywhere = so("F1", fault="node")
    down: dict[str, Any] = {"state": "NODE_FAIL", "options": ONCE, "act": "node_down"}
    yield task(anywhere, "HOVER", 2, 2, head="export TOTAL_TIMESTEPS=99000000\n", where="-wn2,n5", code={"early": GATE, "data": NAP}, after="total_timesteps +. 4[0-9]{4} ", way=1, **down)
    yield task(anywhere, "CHAIN", head="export ROUNDS=9000 NAP=0.3\n", where="-wn5", line=SLOT, after="round 40/", way=2, **down)
    stops: dict[str, Any] = {"state": "NODE_FAIL", "options": ONCE, "act": "slurmd_dies"}
    yield task(anywhere, "RELAIS", 2, 1, head="export ITERATIONS=90000\n", where="-wn4", code={"early": GATE, "data": NAP}, after="itération 80/", **stops)
    yield task(anywhere, "STUMPS", 1, head="export ROUNDS=90000 NAP_MS=300\n", where="-wn4", line=SLOT, after=r"(?m)^\[48\]", way=1, **stops)


def back() -> Iterator[SlurmJob]:
    """F2."""
    again, urgent = Label(mode="F2", variant="requeued_recovered", fault="none"), Label(mode="F2", variant="preempted_recovered", fault="none")
    gone = so("F2", fault="none", variant="preempted")
    yield task(urgent, "FIRN", 2, 1, head="export EPOCHS=16\n", code={**KEEPS["FIRN"], "early": GATE, "data": NAP}, where="-wn3", act="preempt", after="checkpoint written.*epoch=3", options=AGAIN, **WELL)
    yield task(urgent, "STUMPS", 2, 1, head="export ROUNDS=240 NAP_MS=300\n", line=SLOT, code=KEEPS["STUMPS"], where="-wn3", act="preempt", after="after round 39 saved", options=AGAIN, way=1, **WELL)
    yield task(gone, "WIDE", 2, 1, "--train-iters 90000", code={**KEEPS["WIDE"], "early": GATE, "data": NAP}, where="-wn3", act="preempt_for_good", after="iteration +70/", options=ONCE, way=2, state="PREEMPTED")
    yield task(gone, "HARVEST", 3, 1, head="export PASSES=90000 PAUSE=0.25\n", line=SLOT, code=KEEPS["HARVEST"], where="-wn3", act="preempt_for_good", after="pass 40 kept", options=ONCE, state="PREEMPTED")
    yield task(again, "WIDE", 2, 1, "--train-iters 260", code={**KEEPS["WIDE"], "data": "time.sleep(0.1)"}, act="requeue", after="at iteration +100 to", options=AGAIN, **WELL)
    yield task(again, "RELAIS", 2, 2, head="export ITERATIONS=300\n", code={**KEEPS["RELAIS"], "data": "time.sleep(0.08)"}, act="requeue_by_owner", after="itération 120 enregistré", options=AGAIN, way=1, **WELL)
    part = "part=$((1 + ${SLURM_RESTART_COUNT:-0}))\necho \"=== part $part\"\n[ $part -gt 1 ] || { sleep 20 && echo '=== time slice is over, next part follows' && scontrol requeue \"$SLURM_JOB_ID\"; } &\n"
    yield task(again, "HARVEST", 3, 2, head=part + "export PASSES=130 PAUSE=0.2\n", code=KEEPS["HARVEST"], act="requeues_itself", after="pass 20 kept", options=AGAIN, way=2, **WELL)
    yield task(again, "CHAIN", head="export ROUNDS=110 NAP=0.3\n", code=KEEPS["CHAIN"], act="requeue", after="round 45/", options=AGAIN, **WELL)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    what = so("F3", variant="advancing")
    yield task(what, "FIRN", 3, 1, head="export EPOCHS=400\n", code={"data": NAP}, minutes=2, **LIMIT)
    yield task(what, "WIDE", 4, 2, "--train-iters 40000", code={**KEEPS["WIDE"], "data": NAP}, way=1, minutes=2, **LIMIT)
    yield task(what, "RELAIS", 3, 3, where="-xn4,n5,n6", head="export ITERATIONS=12000\n", code={"data": NAP}, way=2, minutes=2, **LIMIT)
    yield task(what, "STUMPS", 3, 1, head="export ROUNDS=6000 NAP_MS=300\n", **LIMIT)
    yield task(what, "HARVEST", 2, 2, head="export PASSES=4000 PAUSE=0.35\n", code=KEEPS["HARVEST"], way=1, **LIMIT)
    yield task(what, "CHAIN", head="export ROUNDS=3000 NAP=0.4\n", options=("--array=17", "--time=1"), **LIMIT)
    yield task(what, "HOVER", 2, 1, head="export TOTAL_TIMESTEPS=5000000\n", code={"data": NAP}, way=2, minutes=2, **LIMIT)
    yield task(what, "FORGE", 2, 1, head="export NUM_EPOCHS=500\n", code={"data": "time.sleep(0.08)"}, minutes=2, **LIMIT)


def called() -> Iterator[SlurmJob]:
    """F4."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    ends: dict[str, Any] = {"state": "CANCELLED"}
    yield task(own, "FIRN", 2, 2, head="export EPOCHS=400\n", code={"data": NAP}, act="scancel", after="epoch=6 ", **ends)
    yield task(own, "WIDE", 3, 1, "--train-iters 40000", code={"data": NAP}, act="scancel", after=r"iteration +220/", way=1, **ends)
    yield task(own, "STUMPS", 2, 1, head="export ROUNDS=6000 NAP_MS=200\n", act="scancel_all_of_name", after=r"(?m)^\[100\]", options=("--job-name=stumps-depth1",), **ends)
    yield task(own, "HARVEST", 4, 2, head="export PASSES=4000 PAUSE=0.2\n", act="scancel", after="pass 100/", way=2, **ends)
    yield task(own, "RELAIS", 2, 1, head="export ITERATIONS=12000\n", code={"data": "time.sleep(0.08)"}, act="scancel", after="itération 260/", **ends)
    yield task(own, "CHAIN", head="export ROUNDS=3000 NAP=0.3\n", act="scancel", after="round 90/", options=("--array=5",), way=1, **ends)
    yield task(other, "HOVER", 2, 1, head="export TOTAL_TIMESTEPS=5000000\n", code={"data": NAP}, act="scancel_by_admin", after="total_timesteps +. 9[0-9]{4} ", **ends)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield task(LOUD, "WIDE", 2, 1, "--train-iters 260", code={"data": "time.sleep(0.1)"}, act="suspend", after=r"iteration +90/", **WELL)
    tries = "for attempt in 1 2 3 4; do\n  srun -K RUN && break\n  echo \"attempt $attempt ended with $?, again in 4 s\"\n  MASTER_PORT=$((MASTER_PORT + 7)); export MASTER_PORT\n  sleep 4\ndone"
    once = when("PROC == 1 and number == 33 and not os.path.exists('.once')", "open('.once', 'w').close()\nraise BrokenPipeError(32, 'Broken pipe', '/scratch/samples/part-01')")
    yield task(LOUD, "HARVEST", 3, 1, line=tries, head="export PASSES=70 PAUSE=0.12\n", code={**KEEPS["HARVEST"], "data": once}, way=1, **WELL)
    skip = sh("[ $((round % 20)) -eq 0 ]", "tell \"error: no forecast to compare with (st$station/forecast.tsv: No such file or directory), comparison skipped\" >&2")
    yield task(LOUD, "CHAIN", head="export ROUNDS=80 NAP=0.2\n", code={"after": skip}, options=("--array=23",), way=2, **WELL)
    yield task(FINE, "STUMPS", 3, 3, where="-xn4,n5,n6", head="export ROUNDS=160 NAP_MS=80\n", **WELL)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (lost, back, limits, called, well):
        yield from part()


RECIPE = Recipe("sorrel_wharves", "development", jobs)
