"""What becomes of crews from outside: nodes that die or are set down, preemption, requeues, cancels, and limits of time."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.running.crewed import task
from corpus.running.crews import at, crew
from corpus.running.job import Recipe, SlurmJob

LONG = 30_000
SAVE = "if step % 30 == 0:\n    import json as js\n    with open('mem.part', 'w') as out:\n        js.dump({'at': step, 'kept': KEEPS}, out)\n    os.replace('mem.part', 'mem.json')\n    TELL"
BASH = """set -u
rank=$SLURM_PROCID e=9000
for ((i = 1; i <= ${1:-100000}; i++)); do
    e=$((e - e / 40))
    sleep "${2:-0.1}"
    if ((i % 10 == 0)); then echo "$(date +%T) [$rank] generation $i, fitness error $((e / 1000)).$(printf %03d $((e % 1000)))"; fi
done
echo "$(date +%T) [$rank] evolved for $i generations"
"""
C_CODE = r"""#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank = atoi(getenv("SLURM_PROCID")), last = atoi(argv[1]), pause = atoi(argv[2]);
    double field[64], residual = 0;
    for (int i = 0; i < 64; i++) field[i] = (i * 37 % 64) / 64.0 + rank;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int t = 1; t <= last; t++) {
        residual = 0;
        for (int i = 1; i < 63; i++) { double d = (field[i - 1] + field[i + 1]) / 2 - field[i]; field[i] += 0.3 * d; residual += d * d; }
        usleep(pause * 1000);
        if (t % 20 == 0) printf("PE%02d nstep = %7d   residual = %12.5E   wall = %ld\n", rank, t, residual, (long)time(NULL) % 100000);
    }
    printf("PE%02d normal end of run\n", rank);
    return 0;
}
"""
COMPILE = "gcc -O1 -o relax relax.c\n"


def resuming(name: str, keeps: str, back: str, tell: str, said: str, *, total: int, pause: float, honest: bool = True) -> str:
    """A crew whose first rank saves; each reads it at its start, or (not ``honest``) begins anew beside it."""
    save = at(0, None, SAVE.replace("KEEPS", keeps).replace("TELL", tell))
    text = crew(name, total=total, pause=pause, mid=save, start="START_AT")
    if not honest:
        return text.replace("START_AT", "1")
    head, mark, rest = text.partition("    for step in range(START_AT" if "    for step in range(START_AT" in text else "for step in range(START_AT")
    indent = mark[: len(mark) - len(mark.lstrip())]
    load = f"import json as js\nkept = js.load(open('mem.json')) if os.path.exists('mem.json') else None\nif kept:\n    {back} = kept['kept']\n    {said}\nbegin = kept['at'] + 1 if kept else 1"
    return head + "\n".join(indent + line for line in load.splitlines()) + "\n" + mark.replace("START_AT", "begin") + rest


def lost() -> Iterator[SlurmJob]:
    """F1: a node dies, its slurmd dies, an operator's check sets it down."""
    label = Label(mode="F1", fault="node")
    common: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}

    def two(rank: int) -> Label:
        return label.but(failed_ranks=(rank,), first_ranks=(rank,))

    yield task(two(1), crew("box", total=LONG, pause=0.1), 2, 2, where="-wn1,n6", act="lose_node", after="round 30/", **common)
    yield task(two(1), crew("desk", total=LONG, pause=0.1), 2, 2, where="-wn2,n6", act="lose_node", after="iter 30 ", **common)
    yield task(two(1), crew("gram", total=LONG, pause=0.1), 2, 2, where="-wn2,n6", act="lose_node", after="batch=30 ", **common)
    yield task(two(1), BASH, 2, 2, where="-wn1,n6", name="evolve.sh", command="bash evolve.sh", act="lose_node", after="generation 30,", **common)
    yield task(label, crew("star", total=LONG, pause=0.1), 3, where="-wn5", act="slurmd_dies", after='"update": 30', **common)
    yield task(label, C_CODE, 2, where="-wn5", name="relax.c", head=COMPILE, command="./relax 900000 90", act="slurmd_dies", after="nstep =      40", **common)
    yield task(label, crew("post", total=LONG, pause=0.1), 2, 2, where="-wn2,n5", act="slurmd_dies", after="\t30\t", **common)
    yield task(label, crew("ring", total=LONG, pause=0.1), 2, where="-wn4", act="node_down", after="sweep    30", **common)
    yield task(label, BASH, 3, 2, where="-wn1,n4", name="evolve.sh", command="bash evolve.sh", act="node_down", after="generation 30,", **common)
    yield task(label, C_CODE, 1, where="-wn4", name="relax.c", head=COMPILE, command="./relax 900000 90", act="node_down", after="nstep =      40", **common)


def again() -> Iterator[SlurmJob]:
    """F2: preempted, requeued, and done in the second run; or preempted for good."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    urgent, over = twice.but(variant="preempted_recovered"), twice.but(variant="preempted")
    yes = ("--requeue",)
    box = resuming("box", "centres", "centres", "say.info('wrote mem.json (%d rounds)', step)", "say.info('continuing behind round %d of mem.json', kept['at'])", total=260, pause=0.08)
    yield task(urgent, box, 2, where="-wn3", head="rm -rf box\n", act="preempt", after="wrote mem.json", options=yes, state="COMPLETED")
    yield task(urgent, BASH, 1, where="-wn3", name="evolve.sh", command="bash evolve.sh 250 0.1", act="preempt", after="generation 30,", options=yes, state="COMPLETED")
    yield task(urgent, C_CODE, 2, where="-wn3", name="relax.c", head=COMPILE, command="./relax 260 90", act="preempt", after="nstep =      40", options=yes, state="COMPLETED")
    yield task(over, crew("gram", total=LONG, pause=0.1), 2, where="-wn3", act="preempt_for_good", after="batch=30 ", options=("--no-requeue",), state="PREEMPTED")
    yield task(over, crew("star", total=LONG, pause=0.1), 3, where="-wn3", act="preempt_for_good", after='"update": 30', options=("--no-requeue",), state="PREEMPTED")
    ring = resuming("ring", "weights", "weights", "print(f'ring[{rank}/{world}] kept weights at sweep {step}', flush=True)", "print(f'ring[{rank}/{world}] weights from mem.json, sweep {kept[\"at\"]}', flush=True)", total=300, pause=0.05)
    yield task(twice, ring, 3, 2, act="requeue", after="kept weights at sweep 90", options=yes, state="COMPLETED")
    star = resuming("star", "p", "p", "emit(event='saved', file='mem.json', update=step)", "emit(event='restored', file='mem.json', update=kept['at'])", total=280, pause=0.05)
    yield task(twice, star, 2, act="requeue_by_owner", after="saved.* 90", options=yes, state="COMPLETED")
    yield task(twice, C_CODE, 3, 2, name="relax.c", head=COMPILE, command="./relax 240 60", act="requeue_by_owner", after="nstep =      60", options=yes, state="COMPLETED")
    own = "echo \"attempt $((${SLURM_RESTART_COUNT:-0} + 1)) on $(hostname -s)\"\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || (sleep 14; echo 'wall clock slice used up: requeue'; scontrol requeue $SLURM_JOB_ID) &\n"
    post = resuming("post", "shift", "shift", "print(f'# mem.json holds batch {step}', flush=True)", "print(f'# back at batch {kept[\"at\"]}', flush=True)", total=260, pause=0.05)
    yield task(twice, post, 2, head=own, act="requeues_itself", after="holds batch 30", options=yes, state="COMPLETED")
    desk = resuming("desk", "[u, v]", "u, v", "print(f'<{rank}> u and v kept at iter {step}', flush=True)", "print(f'<{rank}> u and v are those of iter {kept[\"at\"]}', flush=True)", total=360, pause=0.07)
    away = "-xn1,n2,n3,n4,n5"
    yield task(twice, desk, 2, where=away, act="lose_node_and_go_on", after="kept at iter 60", options=yes, state="COMPLETED")
    yield task(twice, BASH, 2, where=away, name="evolve.sh", command="bash evolve.sh 300 0.08", act="lose_node_and_go_on", after="generation 40,", options=yes, state="COMPLETED")


def anew() -> Iterator[SlurmJob]:
    """E2 behind a requeue: what was saved is not read, or cannot be."""
    scratch = Label(mode="E2", variant="from_scratch", fault="user")
    yes = ("--requeue",)
    box = resuming("box", "centres", "", "say.info('saved checkpoint mem.json at round %d', step)", "", total=200, pause=0.06, honest=False)
    yield task(scratch, box, 2, head="rm -rf box\n", act="requeue", after="at round 90", options=yes, state="COMPLETED")
    gram = resuming("gram", "a", "", "log('checkpoint mem.json written, batch', step)", "", total=220, pause=0.06, honest=False)
    yield task(scratch, gram, 2, 2, act="requeue_by_owner", after="written, batch 90", options=yes, state="COMPLETED")
    bad = scratch.but(variant="corrupt", cause="traceback", failed_ranks=(0, 1), first_ranks=())
    star = resuming("star", "p", "p", "emit(event='checkpoint', file='mem.json', update=step)", "emit(event='restored', update=kept['at'])", total=260, pause=0.05)
    half = "if [ ${SLURM_RESTART_COUNT:-0} -gt 0 ]; then truncate -s 13 mem.json; fi\n"
    star = star.replace("kept = js.load", "if os.path.exists('mem.json'):\n        emit(event='loading checkpoint', file='mem.json')\n    kept = js.load", 1)
    yield task(bad, star, 2, head=half, act="requeue", after="checkpoint.* 90", options=yes, state="FAILED")
    shape = scratch.but(variant="size_mismatch", cause="traceback", failed_ranks=(0, 1), first_ranks=())
    check = "print(f'ring[{rank}/{world}] restoring checkpoint mem.json of sweep {kept[\"at\"]}', flush=True)\n    if len(weights) != len(truth):\n        raise ValueError(f'checkpoint has {len(weights)} weights, model has {len(truth)}')"
    ring = resuming("ring", "weights", "weights", "print(f'ring[{rank}/{world}] saved checkpoint mem.json, sweep {step}', flush=True)", check, total=300, pause=0.05)
    ring = ring.replace("truth, weights = [0.7, -1.2, 0.4], [0.0, 0.0, 0.0]", "truth = [0.7, -1.2, 0.4] + [0.9] * int(os.environ.get('SLURM_RESTART_COUNT', 0))\n    weights = [0.0] * len(truth)").replace("range(3)]", "range(len(truth))]")
    yield task(shape, ring, 2, act="requeue_by_owner", after="mem.json, sweep 90", options=yes, state="FAILED")
    none = scratch.but(variant="no_valid_checkpoint", cause="file_not_found", failed_ranks=(0, 1), first_ranks=())
    desk = resuming("desk", "[u, v]", "u, v", "print(f'<{rank}> checkpoint mem.json: iter {step}', flush=True)", "pass", total=300, pause=0.05)
    gone = "if [ ${SLURM_RESTART_COUNT:-0} -gt 0 ]; then export RESUME=1; rm -f mem.json; fi\n"
    desk = desk.replace("kept = js.load(open('mem.json')) if os.path.exists('mem.json') else None", "if 'RESUME' in os.environ:\n    print(f'<{rank}> run was requeued: resuming from checkpoint mem.json', flush=True)\nkept = js.load(open('mem.json')) if 'RESUME' in os.environ else None")
    yield task(none, desk, 2, srun="--wait=5", head=gone, act="requeue", after="mem.json: iter 90", options=yes, state="FAILED")


def limits() -> Iterator[SlurmJob]:
    """F3: they go on until the limit of the job or of the step."""
    label = Label(mode="F3", variant="advancing", fault="user")
    yield task(label, crew("ring", total=LONG, pause=0.1), 4, 2, state="TIMEOUT")
    yield task(label, crew("box", total=LONG, pause=0.1), 2, state="TIMEOUT")
    yield task(label, crew("gram", total=LONG, pause=0.12), 3, state="TIMEOUT")
    yield task(label, crew("post", total=LONG, pause=0.1, every=5), 2, 2, state="TIMEOUT", options=("--array=4",))
    yield task(label, crew("star", total=LONG, pause=0.1, early="import signal\nsignal.signal(signal.SIGUSR1, lambda number, _: emit(event='signal', number=number, text='less than 15 s left'))"), 2, state="TIMEOUT", options=("--signal=USR1@15",), srun="-l")
    yield task(label, crew("desk", total=LONG, pause=0.08), 3, command="PYTHON -u train.py &", head="trap 'echo \"$(date +%T) half a minute is left\"' USR1\n", tail="wait\nwait\n", state="TIMEOUT", options=("--signal=B:USR1@30",))
    yield task(label, BASH, 2, name="evolve.sh", command="bash evolve.sh", state="TIMEOUT")
    yield task(label, C_CODE, 4, 2, name="relax.c", head=COMPILE, command="./relax 900000 80", state="TIMEOUT")
    yield task(label, crew("ring", total=LONG, pause=0.12, rate=0.01), 2, srun="--time=1", options=("--time=6",))
    yield task(label, crew("box", total=LONG, pause=0.1, mid="if step % 100 == 0 and rank == 0:\n    (box / f'centres-{step}.json').write_text(json.dumps(centres))\n    say.info('snapshot box/centres-%d.json', step)"), 3, 2, state="TIMEOUT")
    yield task(label, crew("star", total=170, pause=0.12), 2, command="bash -c 'for fold in 1 2 3 4 5 6; do export PORT=$((PORT + 7)); echo \"fold $fold of 6\"; PYTHON -u train.py || exit; done'", state="TIMEOUT")
    yield task(label, crew("gram", total=LONG, pause=0.15, mid="if step % 60 == 0:\n    log('evaluating on', 400, 'held-out rows')\n    time.sleep(3)"), 2, 2, state="TIMEOUT")


def called_back() -> Iterator[SlurmJob]:
    """F4: by their owner, or by somebody else."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")

    def job(label: Label, text: str, ranks: int, nodes: int, act: str, after: str, state: str = "CANCELLED", **more: object) -> SlurmJob:  # noqa: PLR0917
        return task(label, text, ranks, nodes, act=act, after=after, state=state, **more)  # type: ignore[arg-type]

    yield job(own, crew("ring", total=LONG), 3, 2, "scancel", "sweep   120")
    yield job(own, crew("box", total=LONG), 2, 1, "scancel", "round 150/", tail="rc=$?\necho \"leaving with $rc\"\nexit $rc\n")
    yield job(other, crew("gram", total=LONG), 3, 1, "scancel_by_admin", "batch=140 ")
    yield job(other, crew("post", total=LONG), 2, 2, "scancel_by_admin", "\t170\t", options=("--comment=low-prio",))
    yield job(own, crew("star", total=LONG), 2, 1, "scancel_step", '"update": 130', state="FAILED")
    yield job(own, crew("desk", total=LONG), 3, 1, "scancel_all_of_name", "iter 110 ", options=("--job-name=pmf-sweep",))
    polite = "import signal\ndef stop(number, frame):\n    print(f'<{rank}> {signal.Signals(number).name}: tidying up', flush=True)\n    raise SystemExit(0)\nsignal.signal(signal.SIGTERM, stop)"
    yield job(own, crew("desk", total=LONG, early=polite), 2, 2, "scancel", "iter 90 ")
    yield job(own, BASH, 2, 1, "scancel", "generation 120,", name="evolve.sh", command="bash evolve.sh 100000 0.06")
    yield job(other, C_CODE, 4, 2, "scancel_by_admin", "nstep =     180", name="relax.c", head=COMPILE, command="./relax 900000 50")
    yield job(own, crew("ring", total=LONG, early="for shard in range(300):\n    print(f'ring[{rank}/{world}] indexing shard {shard} of 300', flush=True)\n    time.sleep(0.4)"), 2, 1, "scancel", "shard 20 of")
    yield job(other, BASH, 3, 2, "scancel_by_admin", "generation 130,", name="evolve.sh", command="bash evolve.sh 100000 0.05", options=("--array=7",))


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    yield from lost()
    yield from again()
    yield from anew()
    yield from limits()
    yield from called_back()


RECIPE = Recipe("fates_in_the_queue", "development", jobs)
