"""Several ranks whose job was requeued or preempted: most went on from what they had kept, some did not end all the same."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stage import apart, when
from corpus.running.job import Recipe, SlurmJob

TWICE = Label(mode="F2", variant="requeued_recovered", fault="none")
URGENT, OVER = TWICE.but(variant="preempted_recovered"), TWICE.but(variant="preempted")
YES: dict[str, Any] = {"state": "COMPLETED", "options": ("--requeue",)}
STATE = "if os.path.exists('state.json'):\n    kept = json.load(open('state.json'))\n    weights, first = kept['w'], kept['round'] + 1\n    say('state.json found: going on with round %d', first)"
KEEP = "if n % 40 == 0:\n    json.dump({'w': weights, 'round': n}, open('state.new', 'w'))\n    os.replace('state.new', 'state.json')\n    say('state.json written at round %d', n)"
FIND = "if os.path.exists('checkpoint_last.pt'):\n    cfg['restore_file'] = 'checkpoint_last.pt'"
SELF = "echo \"run number ${SLURM_RESTART_COUNT:-0}\"\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || (while ! grep -q 'it 80' slurm-$SLURM_JOB_ID.out; do sleep 2; done; echo 'maintenance of the file system was announced: requeueing'; scontrol requeue $SLURM_JOB_ID) &\n"


def went_on() -> Iterator[SlurmJob]:
    """F2, and the second run came to its end."""
    yield apart(TWICE, "BYTES", 3, given="--iters 260 --keep 40 --resume", act="requeue", after=r"\(it 80\)", **YES)
    yield apart(TWICE, "SERVE", 4, 2, head="export ROUNDS=400\n", code={"load": STATE, "after": KEEP}, act="requeue_by_owner", after="written at round 160", **YES)
    yield apart(TWICE, "MEGA", 2, 2, given="--train-iters 260 --save-interval 40 --save ck --load ck", act="requeue", after="from iteration      80", **YES)
    yield apart(TWICE, "BYTES", 2, head=SELF.replace("it 80", "(it 80)"), given="--iters 260 --keep 40 --resume", act="requeues_itself", after="saved runs/bytelm.pt", **YES)
    away = "-xn1,n2,n3,n4,n5"
    yield apart(TWICE, "SERVE", 3, where=away, head="export ROUNDS=1000\n", code={"load": STATE, "after": KEEP}, act="lose_node_and_go_on", after="written at round 160", **YES)
    yield apart(TWICE, "SHARDS", 3, where=away, head="[ -e passes.txt ] && export BEGIN=$(sort -n passes.txt | tail -1)\necho \"begin at pass ${BEGIN:-1}\"\n", given="70 0.5", code={"after": "((me == 0)) && echo \"$pass\" >>passes.txt"}, act="lose_node_and_go_on", after="pass 20/", **YES)
    yield apart(URGENT, "FSEQ", 2, where="-wn3", head="export CFG='{\"save_interval_updates\": 40, \"max_update\": 280}'\n", code={"load": FIND}, act="preempt", after="checkpoint_last.pt .epoch 1 @ 80", **YES)
    yield apart(URGENT, "SERVE", 3, where="-wn3", head="export ROUNDS=900\n", code={"load": STATE, "after": KEEP}, act="preempt", after="written at round 320", **YES)


def did_not_end() -> Iterator[SlurmJob]:
    """F2 whose job was over with it, and second runs that failed by themselves."""
    yield apart(OVER, "SERVE", 4, where="-wn3", head="export ROUNDS=90000\n", options=("--no-requeue",), act="preempt_for_good", after="round  300 of", state="PREEMPTED")
    yield apart(OVER, "BYTES", 2, where="-wn3", given="--iters 90000 --keep 40", options=("--no-requeue",), act="preempt_for_good", after="it    60/", state="PREEMPTED")
    yield apart(TWICE.but(variant="requeued"), "SERVE", 3, head="export ROUNDS=90000\n", code={"after": KEEP}, act="requeue_hold", after="written at round 80", options=("--requeue",), state="CANCELLED")
    half = Label(mode="E2", variant="corrupt", cause="traceback", fault="user", first_ranks=(0,))
    read = STATE.replace("if os.path.exists('state.json'):\n", "if os.path.exists('state.json'):\n    say('loading checkpoint state.json')\n")
    yield apart(half, "SERVE", 3, srun="-K", head="export ROUNDS=600\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] && truncate -s 40 state.json\n", code={"load": read, "after": KEEP.replace("state.json written", "checkpoint state.json written")}, act="requeue", after="written at round 80", options=("--requeue",), state="FAILED")
    late = Label(mode="A3", cause="file_not_found", fault="user", first_ranks=(1,))
    yield apart(late, "SERVE", 3, srun="-K", head="export ROUNDS=900\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || touch part-$SLURM_JOB_ID.db\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] && rm -f part-$SLURM_JOB_ID.db\n", code={"load": STATE, "after": KEEP, "work": when("RANK == 1 and n % 50 == 0 and n > 200", "open(f'part-{os.environ[\"SLURM_JOB_ID\"]}.db').close()")}, act="requeue", after="written at round 120", options=("--requeue",), state="FAILED")


def jobs() -> Iterator[SlurmJob]:
    """Those that share a node lose it together."""
    yield from went_on()
    yield from did_not_end()


RECIPE = Recipe("encore_nights", "development", jobs)
